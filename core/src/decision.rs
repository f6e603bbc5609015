//! What the host must do: everything merged, resolved by one set of rules for every vendor. The
//! rules are in `docs/merging.md`.

use serde::Serialize;

use crate::{
    BindingId, Boundary, By, Capabilities, Diagnostic, EnvWish, Extra, Halt, HaltScope, Host, InputRewrite, Merged,
    RefusedSource, Text, ToolCall, ToolOutput, Unsupported, Verdict,
};

/// What happens to the operation a boundary is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// No hook stands against it. The host's own rules still hold.
    Proceed,
    /// The user decides.
    Ask,
    /// Someone decides later.
    Defer,
    /// It does not run.
    Deny,
}

impl Action {
    /// The word used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Action::Proceed => "proceed",
            Action::Ask => "ask",
            Action::Defer => "defer",
            Action::Deny => "deny",
        }
    }
}

/// A wish that lost against another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Conflict {
    /// What both were about: `verdict`, `input`, `result`, `env NAME`, `halt`, `continuation`.
    pub about: String,
    /// Whose wish holds.
    pub winner: BindingId,
    /// Whose does not.
    pub loser: BindingId,
}

/// How the agent goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Continue {
    /// What the model is told: the parts, joined by a blank line.
    pub message: Text,
    /// Who said what.
    pub parts: Vec<Part>,
}

/// What one hook contributes to a continuation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Part {
    /// Who.
    pub by: BindingId,
    /// What.
    pub value: Text,
    /// How often since the user's last prompt this hook may ask for it.
    pub limit: Option<u32>,
}

/// What the host must do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// What happens to the operation.
    pub action: Action,
    /// What else stops, and who wants it.
    pub halt: Option<By<Halt>>,
    /// Why, for the model.
    pub reasons: Vec<By<Text>>,
    /// What the user should see.
    pub notices: Vec<By<Text>>,
    /// What the model should know.
    pub context: Vec<By<Text>>,
    /// What hooks have against what just happened.
    pub feedback: Vec<By<Text>>,
    /// The call to run instead. Only beside [`Action::Proceed`] and [`Action::Ask`].
    pub call: Option<ToolCall>,
    /// The call as it was, where there is another to run.
    pub original_call: Option<ToolCall>,
    /// The result to show the model instead.
    pub output: Option<ToolOutput>,
    /// Variables for the rest of the session: one of each name and reader.
    pub session_env: Vec<By<EnvWish>>,
    /// How the agent goes on, if it should.
    pub continuation: Option<Continue>,
    /// Wishes only some hosts can do anything with.
    pub extras: Vec<By<Extra>>,
    /// Every hook that decided allowed exactly what will run, none failed to decide, and no guard is
    /// missing. A host may then leave out a question of its own; it never overrides the host's own refusals.
    pub pre_approved: bool,
    /// Hooks that judged another input than the one that will run.
    pub judged_earlier_input: Vec<BindingId>,
    /// Wishes that lost.
    pub conflicts: Vec<Conflict>,
    /// Wishes that mean nothing at their event.
    pub unsupported: Vec<By<Unsupported>>,
    /// Documents and definitions whose guards are missing from this decision.
    pub refused_sources: Vec<RefusedSource>,
    /// What people should know of how it came about.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a decision depends on beside what hooks said.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Circumstances<'a> {
    /// The runtime.
    pub host: &'a Host,
    /// Where it happens.
    pub boundary: Boundary,
    /// The call before and after the rewrites that fitted, if one changed it.
    pub rewritten: Option<(ToolCall, ToolCall)>,
    /// The result after the replacements that fitted, if there was one.
    pub output: Option<ToolOutput>,
    /// Hooks that judged another input than the final one.
    pub judged_earlier: Vec<BindingId>,
    /// A hook allowed another input than the final one, was shown that, and did not allow it.
    pub lapsed: bool,
    /// How often hooks made the agent go on already since the user's last prompt.
    pub continued: u32,
    /// Guards that are missing.
    pub refused: Vec<RefusedSource>,
}

impl<'a> Circumstances<'a> {
    /// Nothing was rewritten, nothing is missing, the agent has not gone on yet.
    pub fn new(host: &'a Host, boundary: Boundary) -> Self {
        Circumstances {
            host,
            boundary,
            rewritten: None,
            output: None,
            judged_earlier: Vec::new(),
            lapsed: false,
            continued: 0,
            refused: Vec::new(),
        }
    }

    /// Guards that are missing.
    pub fn refused(mut self, refused: Vec<RefusedSource>) -> Self {
        self.refused = refused;
        self
    }

    /// How often hooks made the agent go on already since the user's last prompt.
    pub fn continued(mut self, times: u32) -> Self {
        self.continued = times;
        self
    }
}

/// Resolves what hooks said into what the host must do.
pub fn resolve(merged: Merged, circumstances: Circumstances<'_>) -> Decision {
    let Circumstances { host, boundary, rewritten, output, judged_earlier, lapsed, continued, refused } = circumstances;
    let objections = objections(&merged, host, boundary);
    let missing = missing_guards(&refused, host, boundary);
    let mut conflicts = verdict_conflicts(&merged);
    let mut diagnostics = unheard(&merged, host, boundary);
    diagnostics.extend(merged.diagnostics.iter().map(|d| d.value.clone()));

    let verdict = merged.verdict();
    let (action, unanswered) = if !objections.is_empty() || !missing.is_empty() || halts_prompt(&merged, boundary) {
        (Action::Deny, None)
    } else {
        act(verdict, &merged, host)
    };
    let stopped = action == Action::Deny;
    if stopped && let Some(denier) = denier(&merged, &objections, &missing) {
        conflicts.extend(losers("input", &denier, merged.rewrites.iter().map(|r| &r.by)));
    } else {
        conflicts.extend(rewrite_conflicts(&merged));
    }
    conflicts.extend(result_conflicts(&merged));

    let halt = halt(&merged.halts, &mut conflicts).or_else(|| {
        // what refuses a tool call keeps a prompt from being sent
        let prompt = boundary.precedes_prompt();
        let written = objections.first().or(missing.first()).filter(|_| prompt)?;
        Some(By::new(written.by.clone(), Halt::new(HaltScope::Prompt, written.value.clone())))
    });
    let continuation = continuation(&merged, host, halt.as_ref(), continued, &mut conflicts, &mut diagnostics);

    let (session_env, lost) = session_env(merged.session_env);
    conflicts.extend(lost);
    let mut reasons = merged.reasons;
    reasons.extend(objections.into_iter().chain(missing).chain(unanswered));
    let (original_call, call) = rewritten.filter(|_| matches!(action, Action::Proceed | Action::Ask)).unzip();
    let pre_approved = verdict == Some(Verdict::Allow)
        && action == Action::Proceed
        && merged.undecided.is_empty()
        && judged_earlier.is_empty()
        && !lapsed
        && refused.is_empty();
    Decision {
        action,
        halt,
        reasons,
        notices: merged.notices,
        context: merged.context,
        feedback: merged.feedback,
        call,
        original_call,
        output: output.filter(|_| host.honours.has(Capabilities::REWRITE_RESULT)),
        session_env,
        continuation,
        extras: merged.extras,
        pre_approved,
        judged_earlier_input: judged_earlier,
        conflicts: each_once(conflicts),
        unsupported: merged.unsupported,
        refused_sources: refused,
        diagnostics,
    }
}

/// Whether what was said so far keeps the operation from running, whatever is said later.
pub(crate) fn is_settled(merged: &Merged, host: &Host, boundary: Boundary) -> bool {
    merged.verdict() == Some(Verdict::Deny)
        || halts_prompt(merged, boundary)
        || !objections(merged, host, boundary).is_empty()
}

/// A halt at a prompt keeps the prompt from being sent. Elsewhere what is under way goes on and
/// the halt comes after it.
fn halts_prompt(merged: &Merged, boundary: Boundary) -> bool {
    boundary.precedes_prompt() && !merged.halts.is_empty()
}

/// The most restrictive verdict in terms of what this host can do, and the reason for a denial
/// that is only an ask nobody can answer.
fn act(verdict: Option<Verdict>, merged: &Merged, host: &Host) -> (Action, Option<By<Text>>) {
    match verdict {
        None | Some(Verdict::Allow) => (Action::Proceed, None),
        Some(Verdict::Deny) => (Action::Deny, None),
        Some(Verdict::Defer) if host.honours.has(Capabilities::DEFER) => (Action::Defer, None),
        Some(Verdict::Ask | Verdict::Defer) if host.attended => (Action::Ask, None),
        Some(asked) => {
            let by = strongest(merged).map_or_else(BindingId::host, |by| by.by.clone());
            let reason = format!(
                "The hook {by} wants the user to decide and nobody is there to answer, so {} refused. (It said `{}`.)",
                host.name,
                asked.name()
            );
            (Action::Deny, Some(By::new(by, reason.into())))
        }
    }
}

/// The first of the most restrictive verdicts.
fn strongest(merged: &Merged) -> Option<&By<Verdict>> {
    let verdict = merged.verdict()?;
    merged.verdicts.iter().find(|v| v.value == verdict)
}

/// Wishes the host cannot carry out before an operation: it would otherwise run as the hook did
/// not want it, so each is a denial that says so. At a prompt it keeps the prompt from being sent.
fn objections(merged: &Merged, host: &Host, boundary: Boundary) -> Vec<By<Text>> {
    if !boundary.refuses_what_is_not_done() {
        return Vec::new();
    }
    let unread = merged.unsupported.iter().map(|wish| {
        let By { by, value: Unsupported { field, event } } = wish;
        let reason = format!(
            "The hook {by} asked for `{field}`, which means nothing on {event}; {} refused rather than do without it.",
            host.name
        );
        By::new(by.clone(), reason.into())
    });
    let unable = merged.rewrites.iter().filter(|_| !host.honours.has(Capabilities::REWRITE_INPUT)).map(|wish| {
        let reason = format!(
            "The hook {} wants another input than the one it saw, and {} cannot change inputs, so it refused.",
            wish.by, host.name
        );
        By::new(wish.by.clone(), reason.into())
    });
    unread.chain(unable).collect()
}

/// Under the strict policy a guard that is missing denies where it could have.
fn missing_guards(refused: &[RefusedSource], host: &Host, boundary: Boundary) -> Vec<By<Text>> {
    if !host.strict || !boundary.can_be_refused() {
        return Vec::new();
    }
    let reason = |refused: &RefusedSource| {
        let reason = format!(
            "{} is not guarded by {} ({}), and {} is strict: it refuses until that is put right.",
            boundary,
            refused.place(),
            refused.why,
            host.name
        );
        By::new(refused.id(), reason.into())
    };
    refused.iter().map(reason).collect()
}

/// What the host cannot carry out after an operation: said, never silent.
fn unheard(merged: &Merged, host: &Host, boundary: Boundary) -> Vec<Diagnostic> {
    let lacks = |capability| !host.honours.has(capability);
    let results = merged.results.iter().map(|w| (&w.by, "another result", Capabilities::REWRITE_RESULT));
    let halts = merged.halts.iter().map(|w| (&w.by, "a halt", Capabilities::HALT));
    let onward = merged.continuations.iter().map(|w| (&w.by, "a continuation", Capabilities::CONTINUATION));
    let inputs = merged
        .rewrites
        .iter()
        .filter(|_| !boundary.precedes_operation())
        .map(|w| (&w.by, "another input", Capabilities::REWRITE_INPUT));
    let unable = results.chain(halts).chain(onward).chain(inputs).filter(|(_, _, capability)| lacks(*capability));
    unable
        .map(|(by, what, _)| {
            Diagnostic::warning("host/unable", format!("{by} asked for {what}, which {} cannot do", host.name))
        })
        .collect()
}

/// Who keeps the operation from running.
fn denier(merged: &Merged, objections: &[By<Text>], missing: &[By<Text>]) -> Option<BindingId> {
    let verdict = strongest(merged).filter(|v| v.value > Verdict::Allow).map(|v| &v.by);
    let halt = merged.halts.first().map(|h| &h.by);
    let written = objections.first().or(missing.first()).map(|o| &o.by);
    verdict.or(written).or(halt).cloned()
}

fn losers<'a>(
    about: &'static str,
    winner: &'a BindingId,
    others: impl Iterator<Item = &'a BindingId>,
) -> impl Iterator<Item = Conflict> {
    others.filter(move |loser| *loser != winner).map(move |loser| Conflict {
        about: about.into(),
        winner: winner.clone(),
        loser: loser.clone(),
    })
}

/// A weaker verdict loses against the first of the strongest.
fn verdict_conflicts(merged: &Merged) -> Vec<Conflict> {
    let Some(strongest) = strongest(merged) else { return Vec::new() };
    let weaker = merged.verdicts.iter().filter(|v| v.value < strongest.value).map(|v| &v.by);
    losers("verdict", &strongest.by, weaker).collect()
}

/// An input loses against a later one that replaces it whole or sets one of its keys again.
fn rewrite_conflicts(merged: &Merged) -> Vec<Conflict> {
    let keys = |wish: &InputRewrite| match wish {
        InputRewrite::Patch(patch) => patch.fields().map(|fields| fields.into_iter().map(|(key, _)| key).collect()),
        InputRewrite::Replace(_) => None,
    };
    let overlap = |earlier: &InputRewrite, later: &InputRewrite| -> bool {
        let (earlier, later): (Option<Vec<String>>, Option<Vec<String>>) = (keys(earlier), keys(later));
        match (earlier, later) {
            (Some(earlier), Some(later)) => later.iter().any(|key| earlier.contains(key)),
            (None, Some(_)) => false, // a patch of what a replacement left keeps the rest of it
            (_, None) => true,
        }
    };
    let mut conflicts = Vec::new();
    for (n, earlier) in merged.rewrites.iter().enumerate() {
        let later = merged.rewrites[n + 1..].iter().rfind(|later| overlap(&earlier.value, &later.value));
        conflicts.extend(later.into_iter().flat_map(|w| losers("input", &w.by, std::iter::once(&earlier.by))));
    }
    conflicts
}

/// The last result holds.
fn result_conflicts(merged: &Merged) -> Vec<Conflict> {
    let Some((last, earlier)) = merged.results.split_last() else { return Vec::new() };
    losers("result", &last.by, earlier.iter().map(|r| &r.by)).collect()
}

/// Of each name the last value holds, per reader.
fn session_env(wishes: Vec<By<EnvWish>>) -> (Vec<By<EnvWish>>, Vec<Conflict>) {
    let (mut kept, mut conflicts): (Vec<By<EnvWish>>, Vec<Conflict>) = (Vec::new(), Vec::new());
    for wish in wishes {
        let same = |k: &By<EnvWish>| k.value.name == wish.value.name && k.value.reader == wish.value.reader;
        if let Some(earlier) = kept.iter().position(same).map(|n| kept.remove(n))
            && earlier.value != wish.value
        {
            let about = format!("env {}", wish.value.name);
            conflicts.push(Conflict { about, winner: wish.by.clone(), loser: earlier.by });
        }
        kept.push(wish);
    }
    (kept, conflicts)
}

/// The halt that stops most holds, the first of equals.
fn halt(halts: &[By<Halt>], conflicts: &mut Vec<Conflict>) -> Option<By<Halt>> {
    let widest = halts.iter().map(|h| h.value.scope).max()?;
    let winner = halts.iter().find(|h| h.value.scope == widest)?;
    let narrower = halts.iter().filter(|h| h.value.scope < widest).map(|h| &h.by);
    conflicts.extend(losers("halt", &winner.by, narrower));
    Some(winner.clone())
}

/// A hook that is asked twice loses twice, which is the same.
fn each_once(conflicts: Vec<Conflict>) -> Vec<Conflict> {
    let mut seen = Vec::with_capacity(conflicts.len());
    for conflict in conflicts {
        if !seen.contains(&conflict) {
            seen.push(conflict);
        }
    }
    seen
}

/// The host ends a loop of hooks that make the agent go on.
pub(crate) fn cap_reached(host: &Host, continued: u32) -> Diagnostic {
    let message = format!(
        "hooks made the agent go on {continued} times since the user's last prompt, which is as often as {} lets them, so it \
         stops here",
        host.name
    );
    Diagnostic::warning("host/continuation-cap", message)
}

/// Messages joined by a blank line. A halt, or the host's cap, ends it and says so.
fn continuation(
    merged: &Merged,
    host: &Host,
    halt: Option<&By<Halt>>,
    continued: u32,
    conflicts: &mut Vec<Conflict>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Continue> {
    let wishes = &merged.continuations;
    if wishes.is_empty() || !host.honours.has(Capabilities::CONTINUATION) {
        return None;
    }
    let wanted = || wishes.iter().map(|w| &w.by);
    if let Some(halt) = halt {
        conflicts.extend(losers("continuation", &halt.by, wanted()));
        return None;
    }
    if continued >= host.continuation_cap {
        conflicts.extend(losers("continuation", &BindingId::host(), wanted()));
        diagnostics.push(cap_reached(host, continued));
        return None;
    }
    let parts: Vec<Part> = wishes
        .iter()
        .map(|w| Part { by: w.by.clone(), value: w.value.message.clone(), limit: w.value.limit })
        .collect();
    let message = match parts.as_slice() {
        [only] => only.value.clone(),
        several => several.iter().map(|p| p.value.as_str()).collect::<Vec<_>>().join("\n\n").into(),
    };
    Some(Continue { message, parts })
}
