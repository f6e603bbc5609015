//! What came back from a hook as effects. What an event reads, and what a refusal does there, is its
//! row in `events.rs`; the ladder of outcomes, and what a failure means, are written once, here.
//!
//! `printed.rs` finds the JSON in what was printed; `said.rs` checks its form and reads it, with
//! `words.rs` for refusals in other words and `request.rs` for the answer to a question about
//! permission; `effects.rs` says what that comes to. `worktree.rs` and `model.rs` read what is no
//! such answer, and `env_file.rs` the file a hook was given. What we say in a hook's place is
//! `written.rs`.

mod effects;
mod env_file;
mod model;
mod printed;
mod request;
mod said;
mod words;
mod worktree;
mod written;

use harness_hooks_core::{
    Asked, Continuation, Diagnostic, Effects, Exit, FailureMode, Halt, HaltScope, Handler, Outcome, Text, Unsupported,
    answer::Answer,
};

use crate::{
    departures::{Way, Ways},
    events::{Key, Oddity, Refusal, Row},
};
use effects::{Exit2, is_long};
use printed::{Printed, Stdout};
use said::{Said, not_blank};
use written::Fault;

/// Reads an outcome. Total. CLA-OUT-01, CLA-OUT-68
pub(crate) fn decode(row: &Row, ways: Ways, asked: Asked<'_>, outcome: &Outcome) -> Effects {
    let hook = Hook { row, ways, asked };
    let mut effects = hook.ended(outcome);
    if row.env_file {
        env_file::read(hook, outcome, &mut effects);
    }
    effects
}

/// Whether a first line says that nobody needs to wait. CLA-RUN-12
pub(crate) fn detaches(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    matches!(Stdout::read(&line).printed, Printed::Object(answer) if said::is_async(&answer))
}

/// One hook that was asked about one event.
#[derive(Clone, Copy)]
struct Hook<'a> {
    row: &'a Row,
    ways: Ways,
    asked: Asked<'a>,
}

/// What was found in what a hook printed.
enum Found<'a> {
    Blank,
    Text(&'a str),
    Said(Box<Said>),
    /// An answer behind text that is none.
    SaidBehindText(Box<Said>),
    Rejected(Fault),
}

/// A hook that did not do what it was there for.
struct Failure {
    what: String,
    /// It is as Claude Code itself takes it: an error of the hook's that stops nothing.
    quiet: bool,
    hint: Option<&'static str>,
}

impl Failure {
    fn new(what: impl Into<String>) -> Self {
        Failure { what: what.into(), quiet: false, hint: None }
    }

    /// CLA-OUT-04, CLA-OUT-07
    fn exited(code: i32) -> Self {
        let hint = Exit::Code(code).hint();
        Failure { what: format!("exited with code {code}"), quiet: matches!(code, 1..=125 | 128), hint }
    }
}

impl<'a> Hook<'a> {
    /// A failure of it refuses, by its definition or by the host's policy.
    fn is_cautious(self) -> bool {
        self.asked.strict || self.asked.failure == FailureMode::Closed
    }

    // ---- the ladder ----

    fn ended(self, outcome: &Outcome) -> Effects {
        match &outcome.exit {
            Exit::Cancelled => self.cancelled(),
            Exit::TimedOut if self.row.is(Oddity::LateDenies) => {
                let clause = format!("the hook {} timed out", self.label());
                self.with(self.refuse(self.written(&clause)), self.hook_failed(&Failure::new("timed out")))
            }
            Exit::TimedOut => self.failed(&Failure::new("timed out"), outcome),
            Exit::NotStarted(why) => self.failed(&Failure::new(format!("could not be started ({why})")), outcome),
            Exit::Failed(why) => self.failed(&Failure::new(format!("gave no answer (it {why})")), outcome),
            Exit::Code(_) | Exit::Signal(_) => self.finished(outcome),
            _ => self.failed(&Failure::new("ended in an unknown way"), outcome),
        }
    }

    /// It ended by itself, or by a signal.
    fn finished(self, outcome: &Outcome) -> Effects {
        match self.asked.handler {
            Some(Handler::Prompt(question) | Handler::Agent(question)) => self.model(question, outcome),
            _ if self.row.reads_key(Key::WorktreePath) => self.worktree(outcome),
            _ => self.printed(outcome),
        }
    }

    fn printed(self, outcome: &Outcome) -> Effects {
        let stdout = String::from_utf8_lossy(&outcome.stdout);
        if outcome.exit == Exit::Code(2) {
            return self.exit_2(outcome, &stdout);
        }
        if outcome.stdout_truncated {
            return self.cut_off(outcome);
        }
        match self.find(&stdout) {
            Found::Said(said) => self.noting_leak(said.effects(self, None), outcome),
            Found::SaidBehindText(said) => {
                let effects = self.with(said.effects(self, None), self.text_before_json());
                self.noting_leak(effects, outcome)
            }
            Found::Rejected(fault) => self.rejected(&fault, outcome),
            Found::Blank | Found::Text(_) if outcome.exit != Exit::Code(0) => {
                self.failed(&failure(&outcome.exit), outcome)
            }
            Found::Blank if outcome.leaked && self.row.can_block() => {
                self.failed(&Failure::new("left a child holding its output, and printed nothing"), outcome)
            }
            Found::Blank => self.noting_leak(Effects::default(), outcome),
            Found::Text(text) => self.noting_leak(self.plain(text), outcome),
        }
    }

    /// CLA-OUT-19 to CLA-OUT-25
    fn find<'s>(self, stdout: &'s str) -> Found<'s> {
        let stdout = Stdout::read(stdout);
        match &stdout.printed {
            Printed::Blank => return Found::Blank,
            Printed::Object(answer) => {
                return Said::read(self, answer).map_or_else(Found::Rejected, |said| Found::Said(Box::new(said)));
            }
            Printed::Objects(objects) => {
                let known = self.ways.claudes(Way::TextBeforeJson) && objects.iter().any(has_a_key);
                let fault = Fault::new("is not JSON", ", but several objects");
                return if known { Found::Rejected(fault) } else { Found::Text(stdout.text) };
            }
            Printed::Broken(_) | Printed::Text => {}
        }
        let answer = stdout.object_at_the_end().filter(|_| !self.ways.claudes(Way::TextBeforeJson));
        let said = answer.and_then(|answer| Said::read(self, &answer).ok());
        match (said.filter(|said| said.refuses(self)), stdout.printed) {
            (Some(said), _) => Found::SaidBehindText(Box::new(said)),
            (None, Printed::Broken(why)) => Found::Rejected(Fault::new("is not JSON", format!(" ({why})"))),
            (None, _) => Found::Text(stdout.text),
        }
    }

    /// CLA-OUT-09 to CLA-OUT-18
    fn exit_2(self, outcome: &Outcome, stdout: &str) -> Effects {
        let exit_2 = Exit2 { stderr: &outcome.stderr };
        let found = if outcome.stdout_truncated { Found::Blank } else { self.find(stdout) };
        if self.row.is(Oddity::Exit2InDoubt) && self.ways.claudes(Way::PermissionExit2) {
            return self.exit_2_in_doubt(outcome, found);
        }
        let exit_2 = Some(&exit_2);
        let effects = match found {
            Found::Blank | Found::Text(_) => self.exit_2_told(Said::default(), exit_2),
            Found::Said(said) => self.exit_2_told(*said, exit_2),
            Found::SaidBehindText(said) => self.with(self.exit_2_told(*said, exit_2), self.text_before_json()),
            Found::Rejected(fault) => self.with(Said::default().effects(self, exit_2), self.rejected_output(&fault)),
        };
        self.noting_leak(effects, outcome)
    }

    /// An answer beside exit 2, and what is said of exit 2 itself. CLA-OUT-14, CLA-OUT-17
    fn exit_2_told(self, said: Said, exit_2: Option<&Exit2<'_>>) -> Effects {
        let speaks = said.own_refusal(self).is_some();
        let mut effects = said.effects(self, exit_2);
        if self.row.refusal == Refusal::Nothing {
            effects.diagnostics.push(self.exit_code(&Failure::exited(2)));
        } else if self.row.is(Oddity::Exit2InDoubt) && !speaks {
            effects.diagnostics.push(self.permission_exit_2());
        }
        effects
    }

    /// In Claude Code's own way exit 2 does nothing to a question about permission. CLA-OUT-17
    fn exit_2_in_doubt(self, outcome: &Outcome, found: Found<'_>) -> Effects {
        let said = match found {
            Found::Rejected(fault) => return self.rejected(&fault, outcome),
            Found::Said(said) | Found::SaidBehindText(said) => *said,
            Found::Blank | Found::Text(_) => Said::default(),
        };
        let speaks = said.own_refusal(self).is_some();
        let mut effects = said.effects(self, None);
        effects.undecided |= effects.verdict.is_none();
        effects.diagnostics.extend((!speaks).then(|| self.permission_exit_2()));
        self.noting_leak(effects, outcome)
    }

    /// CLA-OUT-26, CLA-OUT-27; CLA-RUN-14 for what a server says.
    fn plain(self, text: &str) -> Effects {
        let from_a_server = matches!(self.asked.handler, Some(Handler::Http { .. }));
        if !self.row.plain_text || from_a_server {
            let told = self.plain_text("what the hook printed is no JSON object, so it asks for nothing");
            return self.with(Effects::default(), told);
        }
        let mut effects = Effects::default();
        effects.context.extend(not_blank(text));
        effects.diagnostics.extend(is_long(text).then(|| self.long_context()));
        if text.starts_with(['{', '[', '"']) {
            let told = "what the hook printed begins like JSON and is no object, so all of it is context";
            effects.diagnostics.push(self.plain_text(told));
        }
        effects
    }

    // ---- failures ----

    /// CLA-OUT-02
    fn cancelled(self) -> Effects {
        let effects = if self.row.can_block() {
            self.refuse(self.written(&format!("the hook {} was cancelled before it decided", self.label())))
        } else {
            Effects::default()
        };
        self.with(effects, self.note("cancelled", "the hook was cancelled; what it printed is not read"))
    }

    /// A failure kind. CLA-OUT-03 to CLA-OUT-08; a worktree is refused by each. CLA-OUT-58
    fn failed(self, failure: &Failure, outcome: &Outcome) -> Effects {
        let clause = format!("the hook {} {}", self.label(), failure.what);
        let effects = if self.row.reads_key(Key::WorktreePath) {
            self.refuse(self.stderr(&outcome.stderr).unwrap_or_else(|| self.written(&clause)))
        } else {
            self.undecided(&clause)
        };
        let told = if failure.quiet { self.exit_code(failure) } else { self.hook_failed(failure) };
        self.with(effects, told)
    }

    /// CLA-OUT-31
    fn cut_off(self, outcome: &Outcome) -> Effects {
        let fault = Fault::new("was cut off", ", because it is too long");
        if !self.row.can_block() {
            return self.rejected(&fault, outcome);
        }
        let clause = format!("what the hook {} printed was cut off", self.label());
        let effects = self.with(self.refuse(self.written(&clause)), self.rejected_output(&fault));
        self.noting_leak(effects, outcome)
    }

    /// CLA-OUT-35
    fn rejected(self, fault: &Fault, outcome: &Outcome) -> Effects {
        let clause = format!("what the hook {} printed {}", self.label(), fault.clause);
        let effects = self.with(self.undecided(&clause), self.rejected_output(fault));
        self.noting_leak(effects, outcome)
    }

    /// A hook that should have decided and did not: refused where its failure blocks or the host is
    /// strict, nothing elsewhere. CLA-OUT-05, CLA-OUT-06, CLA-OUT-08
    fn undecided(self, clause: &str) -> Effects {
        let Asked { failure, strict, host, .. } = self.asked;
        if failure == FailureMode::Closed && self.row.heeds_failure() {
            return self.refuse(self.written(&format!("{clause}, and it is set to block when it fails")));
        }
        match (self.row.can_block(), strict) {
            (true, true) => self.refuse(self.written(&format!("{clause}, and {host} is strict"))),
            (true, false) => Effects::undecided(),
            (false, _) => Effects::default(),
        }
    }

    /// What a refusal is here.
    fn refuse(self, reason: Text) -> Effects {
        let mut effects = Effects::default();
        match self.row.refusal {
            Refusal::Denies => return Effects::deny(reason),
            Refusal::HaltsPrompt => return Effects::halt(HaltScope::Prompt, reason),
            Refusal::Objects => effects.feedback.push(reason),
            Refusal::ObjectsAndHalts => {
                effects.halt = Some(Halt::new(HaltScope::Turn, reason.clone()));
                effects.feedback.push(reason);
            }
            Refusal::Continues => effects.continuation = Some(Continuation { message: reason, limit: None }),
            Refusal::Nothing => {}
        }
        effects
    }

    // ---- diagnostics ----

    fn hook_failed(self, failure: &Failure) -> Diagnostic {
        let warning = self.warning("hook-failed", &format!("the hook {}", failure.what));
        match failure.hint {
            Some(hint) => warning.help(hint),
            None => warning,
        }
    }

    fn exit_code(self, failure: &Failure) -> Diagnostic {
        let message = format!("the hook {} and printed no answer", failure.what);
        self.note("exit-code", &message).help("exit with 2 to refuse, or print an answer")
    }

    fn permission_exit_2(self) -> Diagnostic {
        let message = "the hook exited with code 2, to which Claude Code itself pays no attention here";
        self.warning("permission-exit-2", message).help("print a decision with the behavior `deny`")
    }

    fn unsupported(self, field: &str) -> Unsupported {
        Unsupported { field: field.to_owned(), event: self.row.name().to_owned() }
    }

    fn with(self, mut effects: Effects, first: Diagnostic) -> Effects {
        effects.diagnostics.insert(0, first);
        effects
    }

    /// CLA-OUT-32
    fn noting_leak(self, effects: Effects, outcome: &Outcome) -> Effects {
        if !outcome.leaked {
            return effects;
        }
        let message = "a child of the hook held its output open after it ended; what was printed by then counts";
        self.with(effects, self.note("leaked", message))
    }
}

/// How a hook ended that printed no answer.
fn failure(exit: &Exit) -> Failure {
    match exit {
        Exit::Code(code) => Failure::exited(*code),
        Exit::Signal(signal) => Failure::new(format!("was killed by signal {signal}")),
        _ => Failure::new("ended in an unknown way"),
    }
}

/// An object that is meant as an answer. CLA-OUT-24
fn has_a_key(answer: &Answer<'_>) -> bool {
    const KEYS: [&str; 9] = [
        "async",
        "continue",
        "decision",
        "hookSpecificOutput",
        "reason",
        "stopReason",
        "suppressOutput",
        "systemMessage",
        "terminalSequence",
    ];
    answer.fields().any(|field| KEYS.contains(&field.key()))
}
