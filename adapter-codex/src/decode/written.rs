//! What we say in a hook's place, and about it: reasons, and diagnostics.

use harness_hooks_core::{Diagnostic, Severity, Text, answer::Field, cleaned};

use super::Hook;
use crate::events::{Key, Stop};

/// What is wrong with what a hook printed: a clause about it, for reasons and for diagnostics.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// "what the hook printed …"
    clause: String,
    /// What a person who mends the hook wants to know beside it.
    detail: String,
    /// "it printed …"
    printed: String,
}

impl Fault {
    pub(super) fn not_json(clause: &str, detail: impl Into<String>) -> Self {
        Fault { clause: clause.into(), detail: detail.into(), printed: "what is not JSON".into() }
    }

    pub(super) fn cut_off() -> Self {
        Fault {
            clause: "was cut off".into(),
            detail: ", because it is too long".into(),
            printed: "output that was cut off".into(),
        }
    }

    /// A field breaks the form of the answer.
    pub(super) fn field(key: &str, detail: impl Into<String>) -> Self {
        let key = shown(key);
        Fault {
            clause: format!("has a wrong field `{key}`"),
            detail: detail.into(),
            printed: format!("a wrong field `{key}`"),
        }
    }

    /// A field that is not what it must be.
    pub(super) fn wrong(field: Field<'_>, must_be: &str) -> Self {
        Fault::field(field.key(), format!(", which must be {must_be}, not {}", field.brief()))
    }

    /// In a reason: a clause about the hook of this label.
    pub(super) fn of_the_hook(&self, label: &str) -> String {
        format!("what the hook {label} printed {}", self.clause)
    }

    /// In the place of a result: what the hook did.
    pub(super) fn done(&self) -> String {
        format!("printed {}", self.printed)
    }
}

/// A key as a message shows it.
fn shown(key: &str) -> String {
    const MOST: usize = 60;
    let shown: String = key.chars().filter(|c| !c.is_control()).take(MOST).collect();
    if key.chars().nth(MOST).is_some() { shown + "…" } else { shown }
}

/// A text longer than Codex shows the model whole. CDX-OUT-58
pub(super) fn is_long(text: &str) -> bool {
    text.len() > 10_000
}

impl Hook<'_> {
    /// A reason that names the host, the hook and what was refused, and no other product.
    /// CDX-OUT-59
    pub(super) fn written(self, clause: &str) -> Text {
        let reason = format!("{} refused this {}: {clause}.", self.asked.host, self.row.noun);
        cleaned(&reason).unwrap_or_else(|| reason.into())
    }

    /// The reason of a refusal that has none.
    pub(super) fn no_reason(self) -> Text {
        self.written(&format!("the hook {} refused it and gave no reason", self.label()))
    }

    /// The message of a continuation that has none. CDX-OUT-60
    pub(super) fn no_message(self) -> Text {
        let (host, noun) = (self.asked.host, self.row.noun);
        format!("{} asks {host} to go on with this {noun} and gives no reason.", self.label()).into()
    }

    /// The text in the place of a result that was rejected without one. CDX-OUT-60
    pub(super) fn no_result(self) -> Text {
        format!("{}: {} rejects this {} and gives no reason.", self.asked.host, self.label(), self.row.noun).into()
    }

    /// The text in the place of a result whose hook failed. CDX-OUT-60
    pub(super) fn withheld(self, what: &str) -> Text {
        format!("{}: {} {what}; this {} is withheld.", self.asked.host, self.label(), self.row.noun).into()
    }

    /// The hook's command, cleaned as its messages are.
    pub(super) fn label(self) -> String {
        format!("`{}`", cleaned(self.asked.label).as_deref().unwrap_or("(without a name)"))
    }

    /// How a hook of this event says what it can.
    fn right_form(self) -> String {
        let event = self.row.name();
        let own = |rest: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}",{rest}}}}}"#);
        if self.row.specific.contains(&Key::PermissionDecision) {
            own(r#""permissionDecision":"deny","permissionDecisionReason":"why""#)
        } else if self.row.specific.contains(&Key::Permission) {
            own(r#""decision":{"behavior":"deny","message":"why"}"#)
        } else if self.row.top.contains(&Key::Decision) {
            r#"{"decision":"block","reason":"why"}"#.into()
        } else if matches!(self.row.stop, Stop::Refuses | Stop::HaltsTurn) {
            r#"{"continue":false,"stopReason":"why"}"#.into()
        } else {
            r#"{"systemMessage":"what the user should see"}"#.into()
        }
    }

    // ---- diagnostics ----

    fn diagnostic(self, severity: Severity, code: &str, message: &str) -> Diagnostic {
        Diagnostic::new(severity, format!("codex/{code}"), format!("{}: {message}", self.row.name()))
    }

    pub(super) fn warning(self, code: &str, message: &str) -> Diagnostic {
        self.diagnostic(Severity::Warning, code, message)
    }

    pub(super) fn note(self, code: &str, message: &str) -> Diagnostic {
        self.diagnostic(Severity::Note, code, message)
    }

    pub(super) fn leaked(self) -> Diagnostic {
        self.note("leaked", "a child of the hook held its output open after it ended; what was printed by then counts")
    }

    pub(super) fn rejected_output(self, fault: &Fault) -> Diagnostic {
        let message = format!("nothing of what the hook printed counts, because it {}{}", fault.clause, fault.detail);
        self.warning("rejected-output", &message)
            .help(format!("print one JSON object and nothing else, for example `{}`", self.right_form()))
    }

    pub(super) fn lost_form(self, does: &str, fault: &Fault) -> Diagnostic {
        let message = format!("what the hook printed {does}, and counts although it {}{}", fault.clause, fault.detail);
        self.warning("lost-form", &message).help("Codex itself does nothing with such an answer")
    }

    pub(super) fn text_before_json(self, what: &str) -> Diagnostic {
        let message = format!("{what} before the JSON, which counts all the same");
        self.warning("text-before-json", &message).help("print the JSON and nothing else; Codex itself reads no other")
    }

    pub(super) fn missing_event_name(self) -> Diagnostic {
        let message =
            "`hookSpecificOutput` has no `hookEventName`; because of what the answer decides it is read all the same";
        self.warning("missing-event-name", message).help(self.right_name())
    }

    pub(super) fn other_event(self) -> Diagnostic {
        let message = "the `hookEventName` of `hookSpecificOutput` is another event's; it is read as this one's";
        self.note("other-event", message).help(self.right_name())
    }

    fn right_name(self) -> String {
        format!(r#"print `"hookEventName":"{}"`"#, self.row.name())
    }

    pub(super) fn rewrite_dropped(self, allowed: bool) -> Diagnostic {
        if allowed {
            let message = "`updatedInput` counts only in an answer that has its form, so that the call is refused";
            return self.warning("rewrite-dropped", message);
        }
        let message =
            "`updatedInput` counts only beside `\"permissionDecision\":\"allow\"`, so that the call is refused";
        self.warning("rewrite-dropped", message).help("print `\"permissionDecision\":\"allow\"` beside it")
    }

    pub(super) fn decision_word(self, key: &str) -> Diagnostic {
        let message = format!("`{key}` refuses, though not in the form in which this event is refused");
        self.warning("decision-word", &message).help(format!("print `{}`", self.right_form()))
    }

    pub(super) fn unsupported_effect(self, key: &str) -> Diagnostic {
        self.warning("unsupported-effect", &format!("`{key}` is not read here, so what it asks for is not done"))
    }

    pub(super) fn bare_allow(self) -> Diagnostic {
        let message = "an allow grants nothing here; it counts only beside `updatedInput`";
        self.note("bare-allow", message).help("print nothing where there is nothing against the call")
    }

    pub(super) fn ignored_field(self, keys: &[&str]) -> Diagnostic {
        let keys = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        self.note("ignored-field", &format!("does nothing in this answer: {keys}"))
    }

    pub(super) fn long_context(self) -> Diagnostic {
        let message =
            "a text of more than 10 000 bytes; it is kept whole, and Codex itself shows the model its ends only";
        self.note("long-context", message)
    }

    pub(super) fn plain_text(self, message: &str) -> Diagnostic {
        self.note("plain-text", message).help("an answer is one JSON object and nothing else")
    }
}
