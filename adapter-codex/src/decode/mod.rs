//! What came back from a hook as effects. What an event reads, and what a refusal does there, is its
//! row in `events.rs`; the ladder of outcomes, and what a refusal is, are written once, here.
//! Where the JSON is in what was printed is `printed.rs`; where the values of an answer stand `view.rs`,
//! what is not right about them `form.rs`, and in other words than the event's `words.rs`; what they
//! say all in all `said.rs`, what that comes to `effects.rs`. What we say in a hook's place is
//! `written.rs`.

mod effects;
mod form;
mod printed;
mod said;
mod view;
mod words;
mod written;

use harness_hooks_core::{
    Asked, Continuation, Diagnostic, Effects, Exit, FailureMode, Halt, HaltScope, Outcome, ResultRewrite, Text,
    answer::Answer, cleaned,
};
use serde_json::Value;

use crate::{
    departures::{Way, Ways},
    events::{Key, PlainText, Refusal, Row},
};
use printed::{Printed, Stdout, is_space};
use said::Said;
use view::{View, object_in};
use written::{Fault, is_long};

/// Reads an outcome. Total. CDX-OUT-01, CDX-OUT-62
pub(crate) fn decode(row: &Row, ways: Ways, asked: Asked<'_>, outcome: &Outcome) -> Effects {
    let hook = Hook { row, ways, asked };
    match &outcome.exit {
        Exit::Cancelled => hook.cancelled(),
        Exit::TimedOut => hook.failed("timed out", None),
        Exit::NotStarted(why) => hook.failed("could not be started", Some(why)),
        Exit::Failed(why) => hook.failed("gave no answer", Some(&format!("it {why}"))),
        Exit::Signal(signal) => hook.failed(&format!("was killed by signal {signal}"), None),
        Exit::Code(0) => hook.finished(outcome),
        Exit::Code(2) if row.exit_2 => hook.exit_2(outcome),
        Exit::Code(code) => hook.exited(*code),
        _ => hook.failed("ended in an unknown way", None),
    }
}

/// One hook that was asked about one event.
#[derive(Clone, Copy)]
struct Hook<'a> {
    row: &'a Row,
    ways: Ways,
    asked: Asked<'a>,
}

impl Hook<'_> {
    /// A failure of it refuses, by its definition or by the host's policy.
    fn is_cautious(self) -> bool {
        self.asked.strict || self.asked.failure == FailureMode::Closed
    }

    // ---- the ladder ----

    /// CDX-OUT-02
    fn cancelled(self) -> Effects {
        let effects = if self.row.can_block() {
            self.refused(Some(self.written(&format!("the hook {} was cancelled before it decided", self.label()))))
        } else {
            Effects::default()
        };
        first(self.note("cancelled", "the hook was cancelled; what it printed is not read"), effects)
    }

    /// A failure kind. CDX-OUT-03, CDX-OUT-04
    fn failed(self, what: &str, why: Option<&str>) -> Effects {
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        let warning = self.warning("hook-failed", &format!("the hook {what}{why}"));
        first(warning, self.undecided(what, &format!("the hook {} {what}{why}", self.label())))
    }

    /// CDX-OUT-04, CDX-OUT-07, CDX-OUT-14
    fn exited(self, code: i32) -> Effects {
        let what = format!("exited with code {code}");
        let message = format!("the hook {what}");
        let told = match Exit::Code(code).hint() {
            Some(hint) => self.warning("hook-failed", &message).help(hint),
            None if code >= 129 => self.warning("hook-failed", &message),
            None if code == 2 => self.note("exit-code", &message).help("exit code 2 refuses nothing at this event"),
            None => self.note("exit-code", &message),
        };
        first(told, self.undecided(&what, &format!("the hook {} {what}", self.label())))
    }

    /// A refusal, whatever was printed. CDX-OUT-09 to CDX-OUT-13
    fn exit_2(self, outcome: &Outcome) -> Effects {
        let stderr = String::from_utf8_lossy(&outcome.stderr);
        if self.is_blank(&stderr) && self.ways.codexs(Way::Exit2Silent) {
            return self.failed("exited with code 2", Some("it gave no reason"));
        }
        let said = self.spoken(&stderr);
        let long = self.has_limit() && said.as_deref().is_some_and(is_long);
        let silent = || self.written(&format!("the hook {} exited with code 2 and gave no reason", self.label()));
        let mut effects = self.refused(said.or_else(|| self.row.can_block().then(silent)));
        effects.diagnostics.extend(long.then(|| self.long_context()));
        self.noting_leak(effects, outcome)
    }

    /// CDX-OUT-16 to CDX-OUT-26
    fn finished(self, outcome: &Outcome) -> Effects {
        if outcome.stdout_truncated && self.row.plain_text != PlainText::Unread {
            return self.noting_leak(self.cut_off(), outcome);
        }
        let stdout = String::from_utf8_lossy(&outcome.stdout);
        let stdout = Stdout::read(self.ways, &stdout);
        let blank = matches!(stdout.printed, Printed::Blank);
        if blank && outcome.leaked && self.row.can_block() {
            return self.failed("left a child holding its output", Some("it printed nothing"));
        }
        let effects = match &stdout.printed {
            Printed::Blank => Effects::default(),
            _ if self.row.plain_text == PlainText::Unread => self.text(stdout.text),
            Printed::Object(answer) => self.answered(answer, stdout.marked),
            Printed::Broken(fault) => self.behind_text(&stdout).unwrap_or_else(|| self.rejected(fault)),
            Printed::Text => self.behind_text(&stdout).unwrap_or_else(|| self.text(stdout.text)),
        };
        self.noting_leak(effects, outcome)
    }

    /// Output that is not all there. Where it could have refused, it does. CDX-OUT-25
    fn cut_off(self) -> Effects {
        let fault = Fault::cut_off();
        if !self.row.can_block() {
            return self.rejected(&fault);
        }
        let reason = self.written(&fault.of_the_hook(&self.label()));
        first(self.rejected_output(&fault), self.refused(Some(reason)))
    }

    fn answered(self, answer: &Answer<'_>, marked: bool) -> Effects {
        match self.judged(answer) {
            Ok((_, effects)) if marked => first(self.text_before_json("a byte order mark stands"), effects),
            Ok((_, effects)) => effects,
            Err(fault) => self.rejected(&fault),
        }
    }

    /// A refusal behind text that is no JSON. CDX-OUT-20
    fn behind_text(self, stdout: &Stdout<'_>) -> Option<Effects> {
        let answer = stdout.behind_text(self.ways)?;
        let (refuses, effects) = self.judged(&answer).ok()?;
        refuses.then(|| first(self.text_before_json("text stands"), effects))
    }

    /// What an answer comes to, and whether it refuses; or why it is rejected.
    fn judged(self, answer: &Answer<'_>) -> Result<(bool, Effects), Fault> {
        let specific = object_in(answer, Key::HookSpecificOutput);
        let permission = specific.as_ref().and_then(|specific| object_in(specific, Key::Permission));
        let view = View::of(self.row, answer, specific.as_ref(), permission.as_ref());
        let said = Said::read(self, &view)?;
        Ok((said.refuses(), said.effects()))
    }

    /// CDX-OUT-21 to CDX-OUT-24
    fn text(self, text: &str) -> Effects {
        match self.row.plain_text {
            PlainText::Context => self.context(text),
            PlainText::Ignored => {
                first(self.plain_text("what the hook printed is no answer, and not read"), Effects::default())
            }
            PlainText::Unread => first(self.plain_text("what a hook prints here is not read"), Effects::default()),
            PlainText::Fails => self.rejected(&Fault::not_json("is not JSON", "")),
        }
    }

    fn context(self, text: &str) -> Effects {
        let mut effects = only(|effects| effects.context.push(text.into()));
        effects.diagnostics.extend(is_long(text).then(|| self.long_context()));
        if text.starts_with(['"', '\u{feff}']) {
            effects.diagnostics.push(self.plain_text("all of what the hook printed is context, as it stands"));
        }
        effects
    }

    /// Nothing of it counts. CDX-OUT-30
    fn rejected(self, fault: &Fault) -> Effects {
        first(self.rejected_output(fault), self.undecided(&fault.done(), &fault.of_the_hook(&self.label())))
    }

    // ---- what a refusal is here ----

    /// A hook that should have decided and did not: refused where it fails closed or the host is
    /// strict, nothing elsewhere. CDX-OUT-05, CDX-OUT-06, CDX-OUT-08
    fn undecided(self, what: &str, clause: &str) -> Effects {
        let Asked { failure, strict, host, .. } = self.asked;
        match (self.row.refusal, failure, strict) {
            (Refusal::Denies | Refusal::HaltsPrompt, FailureMode::Closed, _) => {
                self.refused(Some(self.written(&format!("{clause}, and it is set to fail closed"))))
            }
            (Refusal::Denies | Refusal::HaltsPrompt, FailureMode::Open, true) => {
                self.refused(Some(self.written(&format!("{clause}, and {host} is strict"))))
            }
            (Refusal::Denies | Refusal::HaltsPrompt, FailureMode::Open, false) => Effects::undecided(),
            (Refusal::ReplacesResult, FailureMode::Closed, _) => self.refused(Some(self.withheld(what))),
            (Refusal::ReplacesResult | Refusal::Continues | Refusal::Nothing, ..) => Effects::default(),
        }
    }

    /// A refusal for this reason, or one that is written. CDX-EVT-04
    fn refused(self, reason: Option<Text>) -> Effects {
        match self.row.refusal {
            Refusal::Denies => Effects::deny(reason.unwrap_or_else(|| self.no_reason())),
            Refusal::HaltsPrompt => Effects::halt(HaltScope::Prompt, reason.unwrap_or_else(|| self.no_reason())),
            Refusal::ReplacesResult => {
                let text = reason.unwrap_or_else(|| self.no_result());
                let value = Value::from(&*text).into();
                only(|effects| effects.replacement_result = Some(ResultRewrite { value }))
            }
            Refusal::Continues => {
                let message = reason.unwrap_or_else(|| self.no_message());
                only(|effects| effects.continuation = Some(Continuation { message, limit: None }))
            }
            Refusal::Nothing => Effects::default(),
        }
    }

    /// The text of a refusal as it is kept: a message to go on is only trimmed. CDX-OUT-56
    fn spoken(self, text: &str) -> Option<Text> {
        if self.row.refusal == Refusal::Continues { self.trimmed(text) } else { self.cleaned(text) }
    }

    /// The text of a refusal becomes the model's, so that Codex shortens it. CDX-OUT-58
    fn has_limit(self) -> bool {
        matches!(self.row.refusal, Refusal::Continues | Refusal::ReplacesResult)
    }

    fn cleaned(self, text: &str) -> Option<Text> {
        cleaned(text).filter(|text| !self.is_blank(text))
    }

    fn trimmed(self, text: &str) -> Option<Text> {
        let trimmed = text.trim();
        (!self.is_blank(trimmed)).then(|| trimmed.into())
    }

    /// White space alone; in our own way byte order marks are white space.
    fn is_blank(self, text: &str) -> bool {
        let marks = !self.ways.codexs(Way::TextBeforeJson);
        text.chars().all(|c| c.is_whitespace() || (marks && is_space(c)))
    }

    /// CDX-OUT-26
    fn noting_leak(self, effects: Effects, outcome: &Outcome) -> Effects {
        if outcome.leaked { first(self.leaked(), effects) } else { effects }
    }
}

/// Nothing but this.
fn only(set: impl FnOnce(&mut Effects)) -> Effects {
    let mut effects = Effects::default();
    set(&mut effects);
    effects
}

/// A halt, which may have no reason.
fn halted(scope: HaltScope, reason: Option<Text>) -> Effects {
    only(|effects| effects.halt = Some(Halt::new(scope, reason)))
}

/// The effects, with this said before all else.
fn first(diagnostic: Diagnostic, mut effects: Effects) -> Effects {
    effects.diagnostics.insert(0, diagnostic);
    effects
}
