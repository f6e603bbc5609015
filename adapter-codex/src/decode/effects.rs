//! What an answer comes to: effects, and a word about what is not as it should be.

use std::borrow::Cow;

use harness_hooks_core::{Diagnostic, Effects, HaltScope, InputRewrite, Text, Unsupported, Verdict};

use super::{
    form::{Slip, Slipped},
    halted, only,
    said::{Refuses, Said},
    view::Place,
    written::is_long,
};
use crate::{
    departures::Way,
    events::{Key, Refusal, Stop, by_name},
};

impl<'a> Said<'a> {
    pub(super) fn effects(&self) -> Effects {
        let mut effects = match self.refuses {
            Refuses::Plainly => self.refused(),
            Refuses::ByItsRewrite => self.hook.refused(Some(self.dropped_rewrite())),
            Refuses::ByItsControls => self.unsupported(),
            Refuses::No => self.consent(),
        };
        let hook = self.hook;
        let told = self.form.word(Place::Top, Key::SystemMessage);
        effects.notices.extend(told.and_then(|text| hook.cleaned(&text)));
        let context = self.form.word(Place::Specific, Key::AdditionalContext);
        effects.context.extend(context.and_then(|text| hook.trimmed(&text)));
        effects.diagnostics = self.diagnostics(&effects);
        effects
    }

    // ---- refusals ----

    fn refused(&self) -> Effects {
        if self.form.stops() && self.form.row.stop == Stop::HaltsTurn {
            let reason = self.stop_reason().and_then(|text| self.hook.cleaned(&text));
            return halted(HaltScope::Turn, reason); // CDX-OUT-49, CDX-OUT-52
        }
        match self.reason() {
            // CDX-OUT-48: a prompt that is only stopped needs none
            None if self.form.row.refusal == Refusal::HaltsPrompt && self.only_stops() => {
                halted(HaltScope::Prompt, None)
            }
            reason => self.hook.refused(reason),
        }
    }

    fn only_stops(&self) -> bool {
        !self.form.blocks() && !self.has(|slip| matches!(slip, Slip::Word))
    }

    /// The first reason that says something.
    fn reason(&self) -> Option<Text> {
        self.reasons().iter().find_map(|text| self.hook.spoken(text))
    }

    /// Every text that may be the reason, in the order of their weight. CDX-OUT-35, CDX-OUT-40,
    /// CDX-OUT-41, CDX-OUT-45, CDX-OUT-47, CDX-OUT-48, CDX-OUT-50, CDX-OUT-52
    fn reasons(&self) -> Vec<Cow<'a, str>> {
        let form = self.form;
        let mut texts = Vec::new();
        let denial = || form.word(Place::Specific, Key::PermissionDecisionReason);
        texts.extend(form.denies().then(denial).flatten());
        let message = || form.word(Place::Permission, Key::Message);
        texts.extend(form.forbids().then(message).flatten());
        texts.extend(self.reasons_of_words(|place| place != Place::Top));
        let result = form.row.refusal == Refusal::ReplacesResult;
        let stop = || self.stop_reason();
        texts.extend((form.stops() && !result).then(stop).flatten());
        let read = form.says_block() && (form.blocks() || form.refuses_inside());
        let reason = || form.word(Place::Top, Key::Reason);
        texts.extend((read || (result && form.stops())).then(reason).flatten());
        texts.extend((form.stops() && result).then(stop).flatten());
        texts.extend(self.reasons_of_words(|place| place == Place::Top));
        texts
    }

    fn stop_reason(&self) -> Option<Cow<'a, str>> {
        self.form.word(Place::Top, Key::StopReason)
    }

    /// CDX-OUT-36
    fn dropped_rewrite(&self) -> Text {
        let label = self.hook.label();
        let how = if self.form.replaces_input() { "in an answer that breaks its form" } else { "without an allow" };
        self.hook.written(&format!(
            "the hook {label} printed `updatedInput` {how}, so that neither this input nor the original may run"
        ))
    }

    /// The top of the answer first. CDX-OUT-37
    fn unsupported(&self) -> Effects {
        let controls = self.slips.iter().filter(|slipped| matches!(slipped.slip, Slip::Control));
        let (top, inside): (Vec<_>, Vec<_>) = controls.partition(|slipped| slipped.place == Place::Top);
        let event = self.form.row.name();
        let entry = |name: &str| Unsupported { field: name.to_owned(), event: event.to_owned() };
        let unsupported = top.into_iter().chain(inside).map(|slipped| entry(slipped.name)).collect();
        only(|effects| effects.unsupported = unsupported)
    }

    // ---- what does not refuse ----

    /// CDX-OUT-42 to CDX-OUT-45
    fn consent(&self) -> Effects {
        let mut effects = Effects::default();
        let decision = self.form.word(Place::Specific, Key::PermissionDecision);
        match decision.as_deref() {
            Some("allow") => {
                let input = self.form.view.get(Place::Specific, Key::UpdatedInput.name());
                effects.replacement_input = input.map(|input| InputRewrite::Replace(input.json().into()));
            }
            Some("ask") => {
                effects.verdict = Some(Verdict::Ask);
                let reason = self.form.word(Place::Specific, Key::PermissionDecisionReason);
                effects.reasons.extend(reason.and_then(|text| self.hook.cleaned(&text)));
            }
            _ => {}
        }
        if self.allows() {
            effects.verdict = Some(Verdict::Allow);
        }
        effects
    }

    fn allows(&self) -> bool {
        self.form.word(Place::Permission, Key::Behavior).as_deref() == Some("allow")
    }

    // ---- diagnostics ----

    /// CDX-OUT-61
    fn diagnostics(&self, effects: &Effects) -> Vec<Diagnostic> {
        let hook = self.hook;
        let mut told = Vec::new();
        told.extend(self.has(|slip| matches!(slip, Slip::Name)).then(|| hook.missing_event_name()));
        told.extend(self.names_another_event().then(|| hook.other_event()));
        told.extend(self.lost.as_ref().map(|fault| hook.lost_form(self.does(), fault)));
        told.extend((self.refuses == Refuses::ByItsRewrite).then(|| hook.rewrite_dropped(self.form.replaces_input())));
        let word = self.slips.iter().find(|slipped| matches!(slipped.slip, Slip::Word));
        told.extend(word.map(|word| hook.decision_word(word.name)));
        told.extend(effects.unsupported.iter().map(|entry| hook.unsupported_effect(&entry.field)));
        let bare = self.has(|slip| matches!(slip, Slip::BareAllow)) && !self.refuses();
        told.extend(bare.then(|| hook.bare_allow()));
        let ignored = self.ignored();
        told.extend((!ignored.is_empty()).then(|| hook.ignored_field(&ignored)));
        told.extend(self.is_long(effects).then(|| hook.long_context()));
        told
    }

    /// What an answer does that breaks its form and counts.
    fn does(&self) -> &'static str {
        match self.refuses {
            Refuses::No => "asks",
            Refuses::ByItsRewrite => "wants another input, so that it refuses",
            Refuses::Plainly | Refuses::ByItsControls => "refuses",
        }
    }

    fn has(&self, is: fn(&Slip) -> bool) -> bool {
        self.slips.iter().any(|slipped| is(&slipped.slip))
    }

    /// CDX-OUT-34
    fn names_another_event(&self) -> bool {
        let name = self.form.word(Place::Specific, Key::HookEventName);
        let right = |name: &str| name == self.form.row.name() || by_name(name).is_none();
        name.is_some_and(|name| !right(&name))
    }

    /// Fields that are taken and do nothing. CDX-OUT-39
    fn ignored(&self) -> Vec<&'static str> {
        let form = self.form;
        let overruled = !form.reads_old_words();
        let ignored = [
            (Key::Decision, overruled && self.is_right(Place::Top, Key::Decision)),
            (Key::Reason, (overruled || self.is_reason_of_nothing()) && self.is_unused_reason()),
            (Key::StopReason, self.is_right(Place::Top, Key::StopReason) && !form.says_stop()),
            (Key::Continue, self.is_continue_ignored()),
            (Key::Message, self.is_right(Place::Permission, Key::Message) && self.allows()),
        ];
        ignored.into_iter().filter(|(_, ignored)| *ignored).map(|(key, _)| key.name()).collect()
    }

    /// A key that the event knows is there, and nothing is wrong with it.
    fn is_right(&self, place: Place, key: Key) -> bool {
        let wrong = self.slips.iter().any(|slipped| slipped.place == place && slipped.name == key.name());
        self.form.has(place, key) && !wrong
    }

    /// A top-level reason that no word takes for its own.
    fn is_unused_reason(&self) -> bool {
        let taken = |name: &str| name != "permission";
        let word = |slipped: &Slipped<'_>| matches!(slipped.slip, Slip::Word) && slipped.place == Place::Top;
        let taken = self.slips.iter().any(|slipped| word(slipped) && taken(slipped.name));
        self.is_right(Place::Top, Key::Reason) && !taken
    }

    fn is_reason_of_nothing(&self) -> bool {
        !self.form.row.reason_needs_decision && !self.form.says_block()
    }

    /// It is a control in our own way. CDX-OUT-51
    fn is_continue_ignored(&self) -> bool {
        let codexs = self.hook.ways.codexs(Way::ControlElsewhere);
        codexs && self.form.row.stop == Stop::Ignored && self.form.says_stop()
    }

    /// CDX-OUT-58
    fn is_long(&self, effects: &Effects) -> bool {
        let kept = effects.continuation.is_some() || effects.replacement_result.is_some();
        let text = kept.then(|| self.reason()).flatten();
        effects.context.iter().chain(&text).any(|text| is_long(text))
    }
}
