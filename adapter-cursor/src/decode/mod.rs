//! What came back from a hook as effects. What an event reads, and what a failure means there, is
//! its row in `events.rs`; the ladder of outcomes, and what a refusal is, are written once, here.
//! Where the values of an answer stand is `view.rs`, what they say is `said.rs`, what that comes to
//! is `effects.rs`; messages to people are `messages.rs`.

mod effects;
mod messages;
mod said;
mod view;

use harness_hooks_core::{
    Asked, Control, Diagnostic, Effects, Exit, FailureMode, HaltScope, Outcome, Severity, Text,
    answer::{Answer, Read},
    cleaned,
};

use crate::{
    departures::Way,
    events::{Key, Row},
};
use messages::Messages;
use said::Said;
use view::View;

/// Reads an outcome. Total. CUR-OUT-01, CUR-OUT-57
pub(crate) fn decode(row: &Row, asked: Asked<'_>, outcome: &Outcome) -> Effects {
    let hook = Hook { row, asked };
    match &outcome.exit {
        Exit::Cancelled => hook.cancelled(),
        Exit::TimedOut => hook.failed("timed out", None),
        Exit::NotStarted(why) => hook.failed(&format!("could not be started ({why})"), None),
        Exit::Signal(_) if row.ways.cursors(Way::Signal) => hook.finished(outcome),
        Exit::Signal(signal) => hook.failed(&format!("was killed by signal {signal}"), None),
        Exit::Code(0) => hook.finished(outcome),
        Exit::Code(2) => hook.exit_2(outcome),
        Exit::Code(code) => hook.failed(&format!("exited with code {code}"), outcome.exit.hint()),
        _ => hook.failed("ended in an unknown way", None),
    }
}

/// One hook that was asked about one event.
#[derive(Clone, Copy)]
struct Hook<'a> {
    row: &'a Row,
    asked: Asked<'a>,
}

/// An answer that breaks its event's schema: a clause about the answer.
struct Mismatch(String);

impl Hook<'_> {
    // ---- the ladder ----

    /// CUR-OUT-10
    fn cancelled(self) -> Effects {
        let effects = if self.row.can_block() {
            self.refuse(&format!("the hook {} was cancelled before it decided", self.label()))
        } else {
            Effects::default()
        };
        self.with(effects, self.note("cancelled", "the hook was cancelled; what it printed is not read"))
    }

    /// A failure kind. Open: nothing. Closed or strict: a refusal, where there is something to
    /// refuse. CUR-OUT-05 to CUR-OUT-08, CUR-OUT-18
    fn failed(self, what: &str, hint: Option<&str>) -> Effects {
        let mut warning = self.warning("hook-failed", &format!("the hook {what}"));
        if let Some(hint) = hint {
            warning = warning.help(hint);
        }
        let clause = format!("the hook {} {what}", self.label());
        self.with(self.undecided(&clause), warning)
    }

    /// CUR-OUT-11 to CUR-OUT-16
    fn finished(self, outcome: &Outcome) -> Effects {
        if outcome.stdout_truncated {
            return self.malformed(Mismatch("was cut off, because it is too long".into()));
        }
        match self.printed(&outcome.stdout) {
            Read::Blank if self.row.can_block() && outcome.leaked => {
                self.failed("left a child holding its output, and printed nothing", None)
            }
            Read::Blank if self.row.can_block() => self.missing_decision(),
            Read::Blank => self.noting_leak(Effects::default(), outcome),
            Read::NotJson { reason, .. } => self.malformed(Mismatch(format!("is not JSON ({reason})"))),
            Read::NotAnObject(kind) => self.malformed(Mismatch(format!("is not a JSON object but {kind}"))),
            Read::Object(answer) => match self.answered(&answer) {
                Ok(effects) => self.noting_leak(effects, outcome),
                Err(mismatch) => self.malformed(mismatch),
            },
        }
    }

    fn answered(self, answer: &Answer<'_>) -> Result<Effects, Mismatch> {
        let view = View::of(self, answer)?;
        Ok(Said::read(self, &view)?.effects(self, answer, &view))
    }

    /// What was printed; in Cursor's own way, of what does not parse the object at its end.
    fn printed(self, stdout: &[u8]) -> Read<'_> {
        match Answer::read(stdout) {
            Read::NotJson { reason, help, offset } if self.row.ways.cursors(Way::JsonSuffix) => {
                object_at_the_end(stdout).unwrap_or(Read::NotJson { reason, help, offset })
            }
            read => read,
        }
    }

    /// CUR-OUT-13
    fn missing_decision(self) -> Effects {
        let clause = format!("the hook {} printed nothing", self.label());
        let warning = self.warning("missing-decision", "the hook printed nothing where it should decide");
        self.with(self.undecided(&clause), warning.help(format!("print for example `{}`", self.example())))
    }

    /// CUR-OUT-15, CUR-OUT-16
    fn malformed(self, Mismatch(what): Mismatch) -> Effects {
        let clause = format!("what the hook {} printed {what}", self.label());
        let effects =
            if self.row.spec.control == Control::Verdict { self.refuse(&clause) } else { self.undecided(&clause) };
        let warning = self.warning("malformed-output", &format!("what the hook printed {what}"));
        let warning = if self.row.can_block() {
            warning.help(format!("print one JSON object and nothing else, for example `{}`", self.example()))
        } else {
            warning
        };
        self.with(effects, warning)
    }

    /// A denial, or a halted prompt, whatever was printed. CUR-OUT-02 to CUR-OUT-05
    fn exit_2(self, outcome: &Outcome) -> Effects {
        if !self.row.can_block() {
            return self.failed("exited with code 2, which refuses nothing here", None);
        }
        let (messages, diagnostics, raw) = self.exit_2_messages(&outcome.stdout);
        let prompt = self.row.spec.control == Control::PromptHalt;
        let message = if prompt { messages.for_a_prompt() } else { messages.reason(self.row) };
        let said = message.or(raw).or_else(|| cleaned(&String::from_utf8_lossy(&outcome.stderr)));
        let reason = said.unwrap_or_else(|| {
            self.written(&format!("the hook {} exited with code 2 and gave no reason", self.label()))
        });
        let mut effects = self.refuse_because(reason);
        if !prompt {
            effects.notices.extend(messages.notice(self.row));
        }
        effects.diagnostics = diagnostics;
        self.noting_leak(effects, outcome)
    }

    /// The messages of an object; else what was printed, which stands for itself. CUR-OUT-03,
    /// CUR-OUT-04
    fn exit_2_messages(self, stdout: &[u8]) -> (Messages, Vec<Diagnostic>, Option<Text>) {
        let raw = || cleaned(String::from_utf8_lossy(stdout).trim_matches(is_space));
        if self.row.ways.cursors(Way::Exit2Text) {
            return (Messages::default(), Vec::new(), raw());
        }
        let Read::Object(answer) = Answer::read(stdout) else { return (Messages::default(), Vec::new(), raw()) };
        let old = answer.fields().filter(|field| messages::old_spelling(self.row, field.key()).is_some());
        let diagnostics = old.map(|field| self.old_spelling_warning(field.key())).collect();
        (Messages::of_a_refusal(self.row, &answer), diagnostics, None)
    }

    // ---- what a refusal is here ----

    /// A hook that should have decided and did not: refused where it fails closed or the host is
    /// strict, nothing elsewhere.
    fn undecided(self, clause: &str) -> Effects {
        if !self.row.can_block() {
            return Effects::default();
        }
        let Asked { failure, strict, host, .. } = self.asked;
        match (failure, strict) {
            (FailureMode::Closed, _) => self.refuse(&format!("{clause}, and it is set to fail closed")),
            (FailureMode::Open, true) => self.refuse(&format!("{clause}, and {host} is strict")),
            (FailureMode::Open, false) => Effects::undecided(),
        }
    }

    fn refuse(self, clause: &str) -> Effects {
        self.refuse_because(self.written(clause))
    }

    fn refuse_because(self, reason: Text) -> Effects {
        match self.row.spec.control {
            Control::Verdict => Effects::deny(reason),
            _ => Effects::halt(HaltScope::Prompt, reason),
        }
    }

    /// A reason written by us names the host, the thing refused and the hook. CUR-OUT-54
    fn written(self, clause: &str) -> Text {
        format!("{} refused this {}: {clause}.", self.asked.host, self.row.noun).into()
    }

    /// The hook's command, cleaned as its messages are.
    fn label(self) -> String {
        format!("`{}`", cleaned(self.asked.label).as_deref().unwrap_or("(without a name)"))
    }

    /// What a hook of this event may print.
    fn example(self) -> &'static str {
        if self.row.spec.control == Control::PromptHalt { r#"{"continue":true}"# } else { r#"{"permission":"allow"}"# }
    }

    // ---- diagnostics ----

    fn diagnostic(self, severity: Severity, code: &str, message: &str) -> Diagnostic {
        Diagnostic::new(severity, format!("cursor/{code}"), format!("{}: {message}", self.row.name()))
    }

    fn warning(self, code: &str, message: &str) -> Diagnostic {
        self.diagnostic(Severity::Warning, code, message)
    }

    fn note(self, code: &str, message: &str) -> Diagnostic {
        self.diagnostic(Severity::Note, code, message)
    }

    fn ignored(self, key: &str) -> Diagnostic {
        self.note("ignored-field", &format!("`{key}` is not read here"))
    }

    fn old_spelling_warning(self, key: &str) -> Diagnostic {
        let new = messages::old_spelling(self.row, key).map_or("", Key::name);
        self.warning("old-spelling", &format!("`{key}` is the old spelling of `{new}`"))
            .help(format!("print `{new}`; Cursor reads nothing else"))
    }

    fn with(self, mut effects: Effects, diagnostic: Diagnostic) -> Effects {
        effects.diagnostics.insert(0, diagnostic);
        effects
    }

    /// CUR-OUT-12
    fn noting_leak(self, effects: Effects, outcome: &Outcome) -> Effects {
        if !outcome.leaked {
            return effects;
        }
        let message = "a child of the hook held its output open after it ended; what was printed by then counts";
        self.with(effects, self.note("leaked", message))
    }
}

/// White space, or a byte order mark, which stands for it. CUR-OUT-19
fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The last `{…}` at the end of a text that is JSON.
fn object_at_the_end(stdout: &[u8]) -> Option<Read<'_>> {
    /// More objects than any log has on a line; without a bound, odd output would be read again and
    /// again.
    const TRIES: usize = 4096;
    if !stdout.trim_ascii_end().ends_with(b"}") {
        return None;
    }
    let starts = stdout.iter().enumerate().rev().filter(|(_, byte)| **byte == b'{').map(|(n, _)| n);
    starts.take(TRIES).map(|start| Answer::read(&stdout[start..])).find(|read| matches!(read, Read::Object(_)))
}
