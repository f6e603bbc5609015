//! What an answer comes to at its event, alone or beside exit 2, and what its author is told.

use harness_hooks_core::{
    Continuation, Diagnostic, Effects, Extra, Halt, HaltScope, InputRewrite, ResultRewrite, Text, Verdict, cleaned,
};

use super::{
    Hook,
    said::{Place, Said, Stance, not_blank},
};
use crate::{
    departures::Way,
    events::{Key, Oddity, Refusal, Stances},
};

/// The longest context Claude Code's own program shows whole, in UTF-16 units. CLA-OUT-62
const CONTEXT_LIMIT: usize = 10_000;

/// The hook exited with 2, which refuses whatever it printed.
pub(super) struct Exit2<'a> {
    pub(super) stderr: &'a [u8],
}

impl Said {
    /// What it comes to. CLA-OUT-15: the rest of an answer counts beside exit 2 too.
    pub(super) fn effects(mut self, hook: Hook<'_>, exit_2: Option<&Exit2<'_>>) -> Effects {
        let mut effects = self.without_its_object(hook, exit_2);
        if effects.verdict.is_none() && effects.halt.is_none() {
            self.control(hook, exit_2, &mut effects);
        }
        self.leave_out_what_is_not_used(hook, exit_2.is_some(), &effects);
        let continues = hook.row.refusal == Refusal::Continues;
        effects.context.extend(self.context.clone().filter(|_| !continues));
        if hook.row.is(Oddity::MessageInforms) {
            effects.context.extend(self.message.clone());
        } else {
            effects.notices.extend(self.message.clone());
        }
        effects.replacement_input = self.input.take().map(InputRewrite::Replace);
        effects.replacement_result = self.result.take().map(|value| ResultRewrite { value });
        effects.extras = std::mem::take(&mut self.extras);
        effects.unsupported = self.unsupported.iter().map(|field| hook.unsupported(field)).collect();
        effects.diagnostics.extend(self.told(hook, &effects));
        effects
    }

    /// An object about another event keeps the hook from having decided. CLA-OUT-08, CLA-OUT-39
    fn without_its_object(&self, hook: Hook<'_>, exit_2: Option<&Exit2<'_>>) -> Effects {
        if !self.other_event || self.refuses(hook) || exit_2.is_some() {
            return Effects::default();
        }
        let clause = format!("what the hook {} printed names another event in `hookEventName`", hook.label());
        hook.undecided(&clause)
    }

    // ---- decisions ----

    fn control(&self, hook: Hook<'_>, exit_2: Option<&Exit2<'_>>, effects: &mut Effects) {
        let refusal = self.refusal(hook, exit_2);
        match hook.row.refusal {
            Refusal::Denies => match refusal {
                Some(reason) => (effects.verdict, effects.reasons) = (Some(Verdict::Deny), vec![reason]),
                None => self.verdict(hook, effects),
            },
            Refusal::HaltsPrompt => {
                let reason = self.stop_reason.clone().filter(|_| self.stops).or(refusal.clone());
                if self.stops || refusal.is_some() {
                    effects.halt = Some(Halt::new(HaltScope::Prompt, reason));
                }
                return;
            }
            Refusal::Objects => effects.feedback.extend(refusal),
            Refusal::ObjectsAndHalts => {
                effects.halt = refusal.clone().map(|reason| Halt::new(HaltScope::Turn, reason));
                effects.feedback.extend(refusal);
            }
            Refusal::Continues if self.stops => {} // CLA-OUT-50
            Refusal::Continues => effects.continuation = self.continuation(refusal),
            Refusal::Nothing => {}
        }
        self.halt(effects);
    }

    /// That it is refused here, and why: the answer's own reason, else what stands on standard error
    /// beside exit 2, else a written one. CLA-OUT-09 to CLA-OUT-13, CLA-OUT-47, CLA-OUT-49
    fn refusal(&self, hook: Hook<'_>, exit_2: Option<&Exit2<'_>>) -> Option<Text> {
        let own = self.own_refusal(hook);
        let stops = self.stops && hook.row.is(Oddity::StopDenies) && !hook.ways.claudes(Way::ContinueFalse);
        if own.is_none() && exit_2.is_none() && !stops && !self.input_refused {
            return None;
        }
        let reason = own.clone().flatten();
        let reason = reason.or_else(|| exit_2.and_then(|exit_2| hook.stderr(exit_2.stderr)));
        let reason = reason.or_else(|| self.stop_reason.clone().filter(|_| stops));
        Some(reason.unwrap_or_else(|| {
            let label = hook.label();
            let clause = match (exit_2, own) {
                (Some(_), _) => format!("the hook {label} exited with code 2 and gave no reason"),
                (None, None) if self.input_refused => {
                    format!("the hook {label} wants another input in `updatedInput`, and none is applied here")
                }
                (None, None) => format!("the hook {label} ends the turn and gave no reason"),
                (None, Some(_)) => format!("the hook {label} refused it and gave no reason"),
            };
            hook.written(&clause)
        }))
    }

    /// The answer refuses by itself, with a reason or without.
    pub(super) fn own_refusal(&self, hook: Hook<'_>) -> Option<Option<Text>> {
        let denials: &[Stance] = match hook.row.stances {
            Stances::OnlyDenials => &[Stance::Deny, Stance::Ask, Stance::Defer],
            Stances::All | Stances::WithoutDefer => &[Stance::Deny],
        };
        let stance = self.stance.is_some_and(|stance| denials.contains(&stance));
        let request = self.request.as_ref().filter(|request| request.denies);
        let reasons = [
            stance.then(|| self.stance_reason.clone()),
            self.blocks.then(|| self.reason.clone()),
            request.map(|request| request.message.clone()),
            (self.accepts == Some(false)).then_some(None),
            self.word.as_ref().map(|word| word.reason.clone()),
        ];
        let refuses = reasons.iter().any(Option::is_some);
        refuses.then(|| reasons.into_iter().flatten().flatten().next())
    }

    /// CLA-OUT-46, CLA-OUT-51, CLA-OUT-53 to CLA-OUT-55
    fn verdict(&self, hook: Hook<'_>, effects: &mut Effects) {
        let allows = self.approves
            || self.accepts == Some(true)
            || self.request.as_ref().is_some_and(|request| request.allows)
            || (self.stance == Some(Stance::Allow) && hook.row.stances != Stances::OnlyDenials);
        effects.verdict = match self.stance {
            Some(Stance::Ask) => Some(Verdict::Ask),
            Some(Stance::Defer) => Some(Verdict::Defer),
            _ => allows.then_some(Verdict::Allow),
        };
        if effects.verdict == Some(Verdict::Ask) {
            effects.reasons.extend(self.stance_reason.clone());
        }
    }

    /// CLA-OUT-50, CLA-OUT-51
    fn halt(&self, effects: &mut Effects) {
        let interrupts = self.request.as_ref().filter(|request| request.interrupts);
        if self.stops {
            let earlier = effects.halt.take().and_then(|halt| halt.reason);
            effects.halt = Some(Halt::new(HaltScope::Turn, self.stop_reason.clone().or(earlier)));
        } else if let Some(request) = interrupts {
            effects.halt = Some(Halt::new(HaltScope::Turn, request.message.clone()));
        }
    }

    /// CLA-OUT-59
    fn continuation(&self, refusal: Option<Text>) -> Option<Continuation> {
        let message = match (refusal, self.context.clone()) {
            (Some(reason), Some(context)) => format!("{reason}\n\n{context}").into(),
            (reason, context) => reason.or(context)?,
        };
        Some(Continuation { message, limit: None })
    }

    // ---- what is left out ----

    /// What does not go with the verdict. CLA-OUT-18, CLA-OUT-47, CLA-OUT-51
    fn leave_out_what_is_not_used(&mut self, hook: Hook<'_>, exit_2: bool, effects: &Effects) {
        if effects.verdict == Some(Verdict::Defer) {
            self.leave_out(self.input.is_some(), Key::UpdatedInput.name());
            self.leave_out(self.context.is_some(), Key::AdditionalContext.name());
            (self.input, self.context) = (None, None);
        }
        let explains = match self.stance {
            Some(Stance::Deny) => true,
            Some(Stance::Ask | Stance::Defer) if hook.row.stances == Stances::OnlyDenials => true,
            Some(Stance::Ask) => effects.verdict == Some(Verdict::Ask),
            Some(Stance::Allow | Stance::Defer) | None => false,
        };
        let said = self.word.as_ref().is_some_and(|word| word.used == Some((Place::Own, "permissionDecisionReason")));
        self.leave_out(self.stance_reason.is_some() && !explains && !said, "permissionDecisionReason");
        if let Some(request) = self.request.as_mut().filter(|_| effects.verdict == Some(Verdict::Allow)) {
            self.input = request.input.take();
        }
        let refused = effects.verdict == Some(Verdict::Deny);
        let overruled = exit_2 || self.blocks || self.word.is_some();
        let unused = |name: &str| match name {
            "action" | "content" => refused && overruled,
            "updatedPermissions" => refused,
            _ => false,
        };
        self.extras.retain(|extra| !matches!(extra, Extra::Vendor { name, .. } if unused(name)));
    }

    fn leave_out(&mut self, there: bool, key: &str) {
        if there {
            self.ignored.push((Place::Own, key.to_owned()));
        }
    }

    // ---- diagnostics ----

    /// CLA-OUT-67
    fn told(&self, hook: Hook<'_>, effects: &Effects) -> Vec<Diagnostic> {
        let name = self.nameless.then(|| hook.missing_event_name());
        let name = name.or_else(|| self.other_event.then(|| hook.other_event()));
        let does = if self.refuses(hook) { "refuses" } else { "asks" };
        let lost = self.fault.as_ref().map(|fault| hook.lost_form(does, fault));
        let word = self.word.as_ref().map(|word| hook.decision_word(&word.key));
        let ignored: Vec<String> = self.ignored.iter().map(|(_, key)| key.clone()).collect();
        let unsupported = self.unsupported.iter().map(|field| hook.unsupported_effect(field));
        let ignored = (!ignored.is_empty()).then(|| hook.ignored(&ignored));
        let long = self.context.iter().chain(&effects.context).any(|text| is_long(text)).then(|| hook.long_context());
        name.into_iter().chain(lost).chain(word).chain(unsupported).chain(ignored).chain(long).collect()
    }
}

/// CLA-OUT-62
pub(super) fn is_long(context: &str) -> bool {
    context.len() > CONTEXT_LIMIT && context.encode_utf16().count() > CONTEXT_LIMIT
}

impl Hook<'_> {
    /// What a hook says of its refusal, which as the message of a continuation is said as it stands.
    /// CLA-OUT-65
    pub(super) fn said(self, text: &str) -> Option<Text> {
        match self.row.refusal {
            Refusal::Continues => not_blank(text),
            _ => cleaned(text),
        }
    }

    /// The same of standard error. CLA-OUT-09, CLA-OUT-13
    pub(super) fn stderr(self, stderr: &[u8]) -> Option<Text> {
        self.said(&String::from_utf8_lossy(stderr))
    }
}
