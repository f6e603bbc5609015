//! The form of an answer: what each field must be at its event, and what is not right about it. What
//! is said in other words is `words.rs`; whether any of it makes a difference `said.rs`.

use std::borrow::Cow;

use harness_hooks_core::answer::Field;

use super::{
    view::{Place, Seen, View},
    words::may_be_reason,
    written::Fault,
};
use crate::{
    departures::Ways,
    events::{Key, Row, Stop, by_name},
};

/// What is not as Codex wants it about a field.
#[derive(Clone, Debug)]
pub(super) enum Slip {
    /// It breaks the form. CDX-OUT-29
    Form(Fault),
    /// A reason of nothing, which breaks the form unless it is one of a word or control beside it.
    Reason(Fault),
    /// `hookSpecificOutput` does not say its event. CDX-OUT-33
    Name,
    /// A refusal in another form than the event's. CDX-OUT-35
    Word,
    /// A control field of another event. CDX-OUT-37
    Control,
    /// An ask. CDX-OUT-44
    Ask,
    /// An allow of nothing. CDX-OUT-43
    BareAllow,
    /// Another input without an allow. CDX-OUT-36
    Rewrite,
}

/// A field and what is not right about it.
pub(super) struct Slipped<'a> {
    pub(super) place: Place,
    pub(super) name: &'a str,
    pub(super) slip: Slip,
}

/// An answer and the event whose form it must have.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    pub(super) row: &'a Row,
    pub(super) ways: Ways,
    pub(super) view: &'a View<'a>,
}

impl<'a> Form<'a> {
    /// What is not right, in the order in which it was printed.
    pub(super) fn slips(self) -> Vec<Slipped<'a>> {
        let slipped = |seen: Seen<'a>| {
            let slip = self.slip(seen)?;
            Some(Slipped { place: seen.place, name: seen.field.key(), slip })
        };
        self.view.fields().into_iter().filter_map(slipped).collect()
    }

    // ---- what it says, in the form its event knows ----

    /// It refuses as Codex itself knows it. CDX-OUT-31
    pub(super) fn refuses(self) -> bool {
        self.denies() || self.forbids() || self.blocks() || self.stops()
    }

    /// CDX-OUT-40
    pub(super) fn denies(self) -> bool {
        self.word(Place::Specific, Key::PermissionDecision).as_deref() == Some("deny")
    }

    /// CDX-OUT-45
    pub(super) fn forbids(self) -> bool {
        self.word(Place::Permission, Key::Behavior).as_deref() == Some("deny")
    }

    /// It allows the call with another input. CDX-OUT-42
    pub(super) fn replaces_input(self) -> bool {
        self.allows_input() && self.has(Place::Specific, Key::UpdatedInput)
    }

    fn allows_input(self) -> bool {
        self.word(Place::Specific, Key::PermissionDecision).as_deref() == Some("allow")
    }

    /// It says `block`, and that counts. CDX-OUT-41
    pub(super) fn blocks(self) -> bool {
        self.says_block() && self.reads_old_words()
    }

    pub(super) fn says_block(self) -> bool {
        self.word(Place::Top, Key::Decision).as_deref() == Some("block")
    }

    /// `continue: false` where it does something.
    pub(super) fn stops(self) -> bool {
        self.says_stop() && matches!(self.row.stop, Stop::Refuses | Stop::HaltsTurn)
    }

    pub(super) fn says_stop(self) -> bool {
        self.view.get(Place::Top, Key::Continue.name()).and_then(Field::flag) == Some(false)
    }

    /// `continue: false` where Codex passes over it. CDX-OUT-51
    pub(super) fn is_ignored_stop(self, name: &str) -> bool {
        self.row.stop == Stop::Ignored && name == Key::Continue.name()
    }

    /// The text of a key that the event knows.
    pub(super) fn word(self, place: Place, key: Key) -> Option<Cow<'a, str>> {
        let known = self.view.known(place).contains(&key);
        self.view.text(place, key.name()).filter(|_| known)
    }

    /// A key that the event knows is there.
    pub(super) fn has(self, place: Place, key: Key) -> bool {
        self.view.known(place).contains(&key) && self.view.get(place, key.name()).is_some()
    }

    /// The top-level `decision` and `reason` are read: HSO says nothing of its own, or what it says
    /// would be lost with them. CDX-OUT-41
    pub(super) fn reads_old_words(self) -> bool {
        !self.speaks_inside() || (self.says_block() && !self.refuses_inside() && self.would_be_lost())
    }

    fn speaks_inside(self) -> bool {
        let keys = [Key::PermissionDecision, Key::PermissionDecisionReason, Key::UpdatedInput];
        self.row.specific.contains(&Key::PermissionDecision)
            && keys.into_iter().any(|key| self.has(Place::Specific, key))
    }

    /// HSO refuses, in whatever words.
    pub(super) fn refuses_inside(self) -> bool {
        let word = |seen: Seen<'a>| seen.place == Place::Specific && matches!(self.slip(seen), Some(Slip::Word));
        self.denies() || self.view.fields().into_iter().any(word)
    }

    /// Without the old words the answer breaks the form. What they are is not looked at.
    fn would_be_lost(self) -> bool {
        self.view.fields().into_iter().any(|seen| match (seen.place, seen.key) {
            (Place::Top, Some(Key::Decision | Key::Reason)) => false,
            (Place::Top, key) if key != Some(Key::HookSpecificOutput) => {
                matches!(self.slip(seen), Some(Slip::Form(_) | Slip::Reason(_)))
            }
            _ => self.slip(seen).is_some(),
        })
    }

    // ---- field by field ----

    /// What is not right about a field.
    fn slip(self, seen: Seen<'a>) -> Option<Slip> {
        let Some(key) = seen.key else { return self.unknown(seen) };
        let field = seen.field;
        match (seen.place, key) {
            (_, Key::HookEventName) => {
                let known = field.text().is_some_and(|name| by_name(&name).is_some());
                (!known).then(|| wrong(field, "the name of an event"))
            }
            (_, Key::Behavior) => self.behavior(field),
            (_, Key::Continue | Key::SuppressOutput | Key::Interrupt) => self.flag(key, field),
            _ if field.is_null() => None,
            (_, Key::Decision) => self.decision(field),
            (_, Key::Reason | Key::StopReason | Key::PermissionDecisionReason) => self.reason(key, field),
            (_, Key::Message) => field.text().is_none().then(|| Slip::Reason(Fault::wrong(field, "text"))),
            (_, Key::SystemMessage | Key::AdditionalContext) => field.text().is_none().then(|| wrong(field, "text")),
            (_, Key::HookSpecificOutput) => self.specific(field),
            (_, Key::PermissionDecision) => self.permission_decision(field),
            (_, Key::Permission) => self.permission(field),
            (Place::Permission, Key::UpdatedInput) => Some(Slip::Control),
            (_, Key::UpdatedInput) => (!self.allows_input()).then_some(Slip::Rewrite),
            (_, Key::UpdatedMcpToolOutput | Key::UpdatedPermissions) => Some(form(field, ", which is reserved")),
        }
    }

    fn flag(self, key: Key, field: Field<'_>) -> Option<Slip> {
        match (key, field.flag()) {
            (_, None) => Some(wrong(field, "true or false")),
            (Key::Continue, Some(false)) if matches!(self.row.stop, Stop::Foreign | Stop::Ignored) => {
                Some(Slip::Control)
            }
            (Key::SuppressOutput, Some(true)) if self.row.shows_output => {
                Some(form(field, ", which may not be true here"))
            }
            (Key::Interrupt, Some(true)) => Some(form(field, ", which is reserved")),
            _ => None,
        }
    }

    /// The old words. CDX-OUT-35, CDX-OUT-38, CDX-OUT-43
    fn decision(self, field: Field<'_>) -> Option<Slip> {
        let without_reason = || {
            let reason = self.word(Place::Top, Key::Reason).is_some_and(|reason| !reason.trim().is_empty());
            self.blocks() && !reason && !self.stops()
        };
        match field.text().as_deref() {
            Some("block") => without_reason().then(|| missing(Key::Reason, "`\"decision\":\"block\"`")),
            Some("approve") if self.row.approves => self.reads_old_words().then_some(Slip::BareAllow),
            Some(word) if self.is_word(word) => Some(Slip::Word),
            _ if self.row.approves => Some(wrong(field, "\"block\" or \"approve\"")),
            _ => Some(wrong(field, "\"block\"")),
        }
    }

    /// A reason is a text and stands beside what it is a reason of. CDX-OUT-29
    fn reason(self, key: Key, field: Field<'_>) -> Option<Slip> {
        if field.text().is_none() {
            return Some(Slip::Reason(Fault::wrong(field, "text")));
        }
        let alone = match key {
            Key::Reason => {
                let decided = self.has(Place::Top, Key::Decision) || self.stops();
                self.row.reason_needs_decision && self.reads_old_words() && !decided
            }
            Key::StopReason => self.row.stop == Stop::Foreign,
            _ => !self.has(Place::Specific, Key::PermissionDecision),
        };
        alone.then(|| Slip::Reason(Fault::field(field.key(), ", beside which nothing is decided")))
    }

    /// CDX-OUT-33. An event without the object takes it only for the word it holds. CDX-OUT-35
    fn specific(self, field: Field<'_>) -> Option<Slip> {
        let Some(object) = field.object() else { return Some(wrong(field, "an object")) };
        object.get(Key::HookEventName.name()).is_none().then_some(Slip::Name)
    }

    /// CDX-OUT-40, CDX-OUT-43, CDX-OUT-44
    fn permission_decision(self, field: Field<'_>) -> Option<Slip> {
        let rewrites = self.has(Place::Specific, Key::UpdatedInput);
        match field.text().as_deref() {
            Some("deny") => {
                let reason = self.word(Place::Specific, Key::PermissionDecisionReason);
                let said = reason.is_some_and(|reason| !reason.trim().is_empty());
                (!said).then(|| missing(Key::PermissionDecisionReason, "`\"permissionDecision\":\"deny\"`"))
            }
            Some("allow") => (!rewrites).then_some(Slip::BareAllow),
            Some("ask") => (!rewrites).then_some(Slip::Ask),
            Some(word) if self.is_word(word) => Some(Slip::Word),
            _ => Some(wrong(field, "\"allow\", \"deny\" or \"ask\"")),
        }
    }

    /// CDX-OUT-45
    fn permission(self, field: Field<'_>) -> Option<Slip> {
        match (field.object(), field.text()) {
            (Some(object), _) => {
                let without = object.get(Key::Behavior.name()).is_none();
                without.then(|| form_of(Key::Behavior, ", which is missing"))
            }
            (None, Some(word)) if self.is_word(&word) => Some(Slip::Word),
            (None, _) => Some(wrong(field, "an object")),
        }
    }

    fn behavior(self, field: Field<'_>) -> Option<Slip> {
        match field.text().as_deref() {
            Some("allow" | "deny") => None,
            Some(word) if self.is_word(word) => Some(Slip::Word),
            _ => Some(wrong(field, "\"allow\" or \"deny\"")),
        }
    }

    /// A key the event does not know there: a word, a control, a reason of one, or a break.
    fn unknown(self, seen: Seen<'a>) -> Option<Slip> {
        let (place, name) = (seen.place, seen.field.key());
        if self.is_word_elsewhere(seen) {
            return Some(Slip::Word);
        }
        if place != Place::Top && self.row.specific.is_empty() {
            return None; // the object as a whole is not known
        }
        if place == Place::Top && name == Key::HookSpecificOutput.name() && self.refuses_inside() {
            return None; // CDX-OUT-35
        }
        if self.is_control(seen) {
            return Some(Slip::Control);
        }
        let fault = Fault::field(name, ", which is not known here");
        Some(if may_be_reason(place, name) { Slip::Reason(fault) } else { Slip::Form(fault) })
    }
}

fn form(field: Field<'_>, detail: &str) -> Slip {
    Slip::Form(Fault::field(field.key(), detail))
}

fn form_of(key: Key, detail: &str) -> Slip {
    Slip::Form(Fault::field(key.name(), detail))
}

fn missing(key: Key, beside: &str) -> Slip {
    form_of(key, &format!(", which must be said beside {beside}"))
}

fn wrong(field: Field<'_>, must_be: &str) -> Slip {
    Slip::Form(Fault::wrong(field, must_be))
}
