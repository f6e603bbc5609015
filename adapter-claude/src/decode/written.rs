//! What we say in a hook's place, and about it: reasons, and diagnostics.

use std::fmt::Write;

use harness_hooks_core::{Diagnostic, Severity, Text, answer::Field, cleaned};

use super::Hook;
use crate::events::{Key, Refusal};

/// What is wrong with an answer: a clause about it, and what a person who mends the hook wants to
/// know beside it.
pub(super) struct Fault {
    pub(super) clause: String,
    detail: String,
}

impl Fault {
    pub(super) fn new(clause: impl Into<String>, detail: impl Into<String>) -> Self {
        Fault { clause: clause.into(), detail: detail.into() }
    }

    /// A field that is not what it must be.
    pub(super) fn wrong(field: Field<'_>, must_be: &str) -> Self {
        Fault::new(format!("has a `{}` that must be {must_be}", field.key()), format!(", not {}", brief(field)))
    }
}

/// A value as it was printed, cut where it is long.
fn brief(field: Field<'_>) -> String {
    const MOST: usize = 40;
    let raw = field.raw();
    match raw.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", raw.get(..end).unwrap_or_default()),
        None => raw.to_owned(),
    }
}

impl Hook<'_> {
    /// A reason that names the host, the hook and what was refused, and no other product.
    /// CLA-OUT-66
    pub(super) fn written(self, clause: &str) -> Text {
        let (host, noun) = (self.asked.host, self.row.noun);
        let reason = match self.row.refusal {
            Refusal::Denies | Refusal::HaltsPrompt => format!("{host} refused this {noun}: {clause}."),
            Refusal::Continues if noun.is_empty() => format!("{host} does not stop here: {clause}."),
            Refusal::Continues => format!("{host} does not let this {noun} stop here: {clause}."),
            Refusal::Objects | Refusal::ObjectsAndHalts | Refusal::Nothing => {
                format!("{host} passes on an objection: {clause}.")
            }
        };
        cleaned(&reason).unwrap_or_else(|| reason.into())
    }

    /// The hook's command, cleaned as its messages are.
    pub(super) fn label(self) -> String {
        format!("`{}`", cleaned(self.asked.label).as_deref().unwrap_or("(without a name)"))
    }

    /// How a hook of this event refuses. CLA-OUT-41
    fn right_form(self) -> String {
        let event = self.row.name();
        let own = |rest: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}",{rest}}}}}"#);
        if self.row.reads_key(Key::PermissionDecision) {
            own(r#""permissionDecision":"deny","permissionDecisionReason":"why""#)
        } else if self.row.reads_key(Key::Permission) {
            own(r#""decision":{"behavior":"deny","message":"why"}"#)
        } else {
            r#"{"decision":"block","reason":"why"}"#.to_owned()
        }
    }

    // ---- diagnostics ----

    fn diagnostic(self, severity: Severity, code: &str, message: &str) -> Diagnostic {
        Diagnostic::new(severity, format!("claude/{code}"), format!("{}: {message}", self.row.name()))
    }

    pub(super) fn warning(self, code: &str, message: &str) -> Diagnostic {
        self.diagnostic(Severity::Warning, code, message)
    }

    pub(super) fn note(self, code: &str, message: &str) -> Diagnostic {
        self.diagnostic(Severity::Note, code, message)
    }

    pub(super) fn rejected_output(self, Fault { clause, detail }: &Fault) -> Diagnostic {
        self.warning("rejected-output", &format!("nothing the hook printed counts, because it {clause}{detail}"))
    }

    pub(super) fn lost_form(self, does: &str, Fault { clause, detail }: &Fault) -> Diagnostic {
        let message = format!("what the hook printed {does}, which counts although it {clause}{detail}");
        self.warning("lost-form", &message).help("Claude Code itself does nothing with such an answer")
    }

    pub(super) fn decision_word(self, key: &str) -> Diagnostic {
        let message = format!("`{key}` refuses here, and not in the form in which this event is refused");
        self.warning("decision-word", &message).help(format!("print `{}`", self.right_form()))
    }

    pub(super) fn text_before_json(self) -> Diagnostic {
        let message = "text stands before the JSON that refuses, which counts all the same";
        self.warning("text-before-json", message).help("print the JSON and nothing else")
    }

    pub(super) fn missing_event_name(self) -> Diagnostic {
        let message =
            "`hookSpecificOutput` has no `hookEventName`; because of what the answer decides it is read all the same";
        self.warning("missing-event-name", message).help(format!(r#"print `"hookEventName":"{}"`"#, self.row.name()))
    }

    pub(super) fn other_event(self) -> Diagnostic {
        let message = "the `hookEventName` of `hookSpecificOutput` is not this event's, so the object does not count";
        self.warning("other-event", message).help(format!(r#"print `"hookEventName":"{}"`"#, self.row.name()))
    }

    pub(super) fn unsupported_effect(self, key: &str) -> Diagnostic {
        self.warning("unsupported-effect", &format!("`{key}` is not read here, so what it asks for is not done"))
    }

    /// One note for all of them. CLA-OUT-43
    pub(super) fn ignored(self, keys: &[String]) -> Diagnostic {
        const MOST: usize = 8;
        let mut list = String::new();
        for (n, key) in keys.iter().take(MOST).enumerate() {
            let key: String = key.chars().take(40).collect();
            // writing to a text cannot fail
            let _ = write!(list, "{}`{}`", if n == 0 { "" } else { ", " }, key.escape_debug());
        }
        if keys.len() > MOST {
            list.push_str(" and others");
        }
        self.note("ignored-field", &format!("not read here, or not in this answer: {list}"))
    }

    pub(super) fn long_context(self) -> Diagnostic {
        let message = "a context of more than 10 000 UTF-16 units; Claude Code itself shows the model a part of it";
        self.note("long-context", message)
    }

    pub(super) fn plain_text(self, message: &str) -> Diagnostic {
        self.note("plain-text", message).help("an answer is one JSON object and nothing else")
    }
}
