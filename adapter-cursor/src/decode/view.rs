//! Where the values of an answer stand: under Cursor's flat keys, and where the event reads it too,
//! in Claude's nested object. What the values mean is `said.rs`.

use harness_hooks_core::answer::{Answer, Field};

use super::{
    Hook, Mismatch,
    messages::{message, old_spelling},
    said::object,
};
use crate::{
    departures::Way,
    events::{Event, Key},
};

/// An answer as its event sees it.
pub(super) struct View<'a> {
    hook: Hook<'a>,
    flat: &'a Answer<'a>,
    /// Claude's object, where the event reads it and it counts.
    nested: Option<Answer<'a>>,
    /// What the object says of the call counts, not only its context.
    nested_decides: bool,
}

impl<'a> View<'a> {
    /// Claude's object must be one where it is read. CUR-OUT-24
    pub(super) fn of(hook: Hook<'a>, flat: &'a Answer<'a>) -> Result<Self, Mismatch> {
        let field = flat.get(Key::HookSpecificOutput.name()).filter(|_| hook.row.reads_key(Key::HookSpecificOutput));
        let nested = object(field)?.and_then(Field::object);
        let cursors = hook.row.ways.cursors(Way::ClaudeShape);
        let nested = nested.filter(|nested| !cursors || cursor_counts(hook, nested));
        Ok(View { hook, flat, nested, nested_decides: !(cursors && decides_flat(hook, flat)) })
    }

    /// The value of a key: the flat one, else the nested one. CUR-OUT-34, CUR-OUT-35
    pub(super) fn get(&self, key: Key) -> Option<Field<'_>> {
        let counts = self.nested_decides || key == Key::AdditionalContext;
        let nested = || self.nested.as_ref().filter(|_| counts)?.get(claude_name(self.hook, key)?);
        self.flat(key).or_else(nested)
    }

    fn flat(&self, key: Key) -> Option<Field<'_>> {
        match key {
            Key::UserMessage | Key::AgentMessage => message(self.hook.row, self.flat, key),
            Key::AdditionalContext => self.flat.get(key.name()).or_else(|| {
                let camel = self.flat.get("additionalContext");
                camel.filter(|_| self.hook.row.ways.cursors(Way::ClaudeShape))
            }),
            key => self.flat.get(key.name()),
        }
    }

    /// Claude's `decision` or `reason`: the flat one, else the nested one; in Cursor's own way the
    /// nested one covers the flat one. CUR-OUT-36
    pub(super) fn decision(&self, name: &str) -> Option<Field<'_>> {
        let nested = || self.nested.as_ref().and_then(|nested| nested.get(name));
        let flat = || self.flat.get(name);
        if self.hook.row.ways.cursors(Way::ClaudeShape) { nested().or_else(flat) } else { flat().or_else(nested) }
    }

    /// The flat `decision` does not count, because Cursor's own program lets the nested one cover it.
    pub(super) fn is_covered(&self) -> bool {
        let nested = self.nested.as_ref().and_then(|nested| nested.get(Key::Decision.name()));
        nested.is_some() && self.hook.row.ways.cursors(Way::ClaudeShape)
    }

    /// A follow-up said in Cursor's words, beside which Claude's do not count. CUR-OUT-37
    pub(super) fn has_followup(&self) -> bool {
        self.flat.get(Key::FollowupMessage.name()).is_some()
    }

    /// The key that a key of the answer stands for.
    pub(super) fn key_of(&self, name: &str) -> Option<Key> {
        let other = match name {
            "additionalContext" => {
                Some(Key::AdditionalContext).filter(|_| self.hook.row.ways.cursors(Way::ClaudeShape))
            }
            name => old_spelling(self.hook.row, name),
        };
        other.filter(|key| self.hook.row.reads_key(*key)).or_else(|| Key::by_name(name))
    }

    /// The key that a key of Claude's object stands in for.
    pub(super) fn twin_of(&self, nested: &str) -> Option<Key> {
        if self.hook.row.reads_key(Key::Decision) {
            return matches!(nested, "decision" | "reason").then_some(Key::Decision);
        }
        Key::ALL.iter().copied().find(|key| claude_name(self.hook, *key) == Some(nested))
    }

    /// A key of Claude's object does not count, because its flat twin is there.
    pub(super) fn is_lost(&self, nested: &str, key: Key) -> bool {
        match key {
            _ if self.nested.is_none() => true,
            Key::Decision => self.has_followup() || (self.flat.get(nested).is_some() && self.decision_is_flat()),
            Key::AdditionalContext => self.flat(key).is_some(),
            key => !self.nested_decides || self.flat(key).is_some(),
        }
    }

    fn decision_is_flat(&self) -> bool {
        !self.hook.row.ways.cursors(Way::ClaudeShape)
    }
}

/// What Claude calls a key, inside its object. CUR-OUT-35
fn claude_name(hook: Hook<'_>, key: Key) -> Option<&'static str> {
    let decides = hook.row.event == Event::PreToolUse;
    match key {
        Key::Permission if decides => Some("permissionDecision"),
        Key::UserMessage if decides => Some("permissionDecisionReason"),
        Key::UpdatedInput if decides => Some("updatedInput"),
        Key::AdditionalContext if hook.row.ways.cursors(Way::ClaudeShape) => Some("additionalContext"),
        _ => None,
    }
}

/// Cursor's own program reads Claude's object only if it says the right event.
fn cursor_counts(hook: Hook<'_>, nested: &Answer<'_>) -> bool {
    let Some(claudes) = hook.row.claudes_name else { return true };
    let fits = |said: Field<'_>| said.text().is_some_and(|said| said.is_empty() || said == claudes);
    nested.get("hookEventName").is_none_or(fits)
}

/// A flat key of the decision is there, beside which Cursor's own program takes no nested one.
fn decides_flat(hook: Hook<'_>, flat: &Answer<'_>) -> bool {
    let keys = [Key::Permission, Key::UserMessage, Key::AgentMessage, Key::UpdatedInput];
    hook.row.event == Event::PreToolUse && keys.iter().any(|key| flat.get(key.name()).is_some())
}
