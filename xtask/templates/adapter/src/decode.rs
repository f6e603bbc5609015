//! What came back from a hook as effects. What an event is about is its row in `events.rs`; the
//! ladder of outcomes, and what a refusal is, are written once, here.

use harness_hooks_core::{
    Asked, Diagnostic, Effects, Exit, FailureMode, Outcome, Severity, Text, Verdict,
    answer::{Answer, Field, Read},
    cleaned,
};

use crate::{
    __CONST__,
    departures::{Way, Ways},
    events::Row,
};

/// What a hook may print, for those who printed something else.
const EXAMPLE: &str = r#"print one JSON object and nothing else, for example `{"decision":"allow"}`"#;

/// Reads an outcome. Total. __ABC__-OUT-01 to __ABC__-OUT-05
pub(crate) fn decode(row: &Row, ways: Ways, asked: Asked<'_>, outcome: &Outcome) -> Effects {
    let hook = Hook { row, ways, asked };
    match &outcome.exit {
        Exit::Code(0) => hook.finished(outcome),
        Exit::Code(2) => hook.exit_2(outcome),
        Exit::Code(code) => hook.failed(&format!("exited with code {code}")),
        Exit::Signal(signal) => hook.failed(&format!("was killed by signal {signal}")),
        Exit::TimedOut => hook.failed("timed out"),
        Exit::NotStarted(why) => hook.failed(&format!("could not be started ({why})")),
        Exit::Cancelled => hook.denied(&hook.written("was cancelled before it decided")),
        _ => hook.failed("ended in an unknown way"),
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
    /// __ABC__-OUT-01, __ABC__-OUT-02
    fn finished(self, outcome: &Outcome) -> Effects {
        if outcome.stdout_truncated {
            return self.malformed("was cut off, because it is too long");
        }
        match Answer::read(&outcome.stdout) {
            Read::Blank => self.undecided("missing-decision", "printed nothing where it should decide"),
            Read::NotJson { reason, .. } => self.malformed(&format!("is not JSON ({reason})")),
            Read::NotAnObject(kind) => self.malformed(&format!("is not a JSON object but {kind}")),
            Read::Object(answer) => self.answered(&answer),
        }
    }

    fn answered(self, answer: &Answer<'_>) -> Effects {
        let decision = answer.get("decision").and_then(Field::text);
        let reason = answer.get("reason").and_then(Field::text).and_then(|reason| cleaned(&reason));
        let because = |what: &str| reason.clone().unwrap_or_else(|| self.written(what));
        let mut effects = match decision.as_deref() {
            Some("allow") => with_verdict(Verdict::Allow, None),
            Some("ask") => with_verdict(Verdict::Ask, Some(because("asked and gave no reason"))),
            Some("deny") => Effects::deny(because("denied it and gave no reason")),
            _ => return self.malformed("has no `decision` of `allow`, `ask` or `deny`"),
        };
        let unread = answer.fields().filter(|field| !["decision", "reason"].contains(&field.key()));
        let note = |field: Field<'_>| {
            self.diagnostic(Severity::Note, "ignored-field", &format!("`{}` is not read here", field.key()))
        };
        effects.diagnostics.extend(unread.map(note));
        effects
    }

    /// A denial, whatever was printed; its reason is standard error. __ABC__-OUT-03
    fn exit_2(self, outcome: &Outcome) -> Effects {
        let said = cleaned(&String::from_utf8_lossy(&outcome.stderr));
        self.denied(&said.unwrap_or_else(|| self.written("exited with code 2 and gave no reason")))
    }

    /// __ABC__-OUT-04
    fn failed(self, what: &str) -> Effects {
        self.undecided("hook-failed", what)
    }

    /// __ABC__-OUT-05
    fn malformed(self, what: &str) -> Effects {
        let effects = if self.ways.vendors(Way::MalformedOutput) && !self.asked.strict {
            Effects::undecided()
        } else {
            self.denied(&self.written(&format!("printed something that {what}")))
        };
        let warning = self.diagnostic(Severity::Warning, "malformed-output", &format!("what the hook printed {what}"));
        told(effects, warning.help(EXAMPLE))
    }

    /// A hook that should have decided and did not: refused where it fails closed or the host is
    /// strict, nothing elsewhere.
    fn undecided(self, code: &str, what: &str) -> Effects {
        let Asked { failure, strict, host, .. } = self.asked;
        let effects = match (failure, strict) {
            (FailureMode::Closed, _) => self.denied(&self.written(&format!("{what}, and it is set to fail closed"))),
            (FailureMode::Open, true) => self.denied(&self.written(&format!("{what}, and {host} is strict"))),
            (FailureMode::Open, false) => Effects::undecided(),
        };
        told(effects, self.diagnostic(Severity::Warning, code, &format!("the hook {what}")))
    }

    fn denied(self, reason: &Text) -> Effects {
        Effects::deny(reason.clone())
    }

    /// A reason written by us names the host, the thing refused and the hook.
    fn written(self, what: &str) -> Text {
        let label = cleaned(self.asked.label);
        let label = label.as_deref().unwrap_or("(without a name)");
        format!("{} refused this {}: the hook `{label}` {what}.", self.asked.host, self.row.noun).into()
    }

    fn diagnostic(self, severity: Severity, code: &str, message: &str) -> Diagnostic {
        Diagnostic::new(severity, format!("{__CONST__}/{code}"), format!("{}: {message}", self.row.name()))
    }
}

fn with_verdict(verdict: Verdict, reason: Option<Text>) -> Effects {
    let mut effects = Effects::default();
    effects.verdict = Some(verdict);
    effects.reasons.extend(reason);
    effects
}

fn told(mut effects: Effects, diagnostic: Diagnostic) -> Effects {
    effects.diagnostics.insert(0, diagnostic);
    effects
}
