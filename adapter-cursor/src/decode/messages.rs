//! What a hook tells people: who reads which message, and how messages are spelled.

use harness_hooks_core::{
    Text,
    answer::{Answer, Field},
    cleaned,
};

use crate::{
    departures::Way,
    events::{Key, Row},
};

/// What a hook says to people.
#[derive(Clone, Default)]
pub(super) struct Messages {
    pub(super) user: Option<Text>,
    pub(super) agent: Option<Text>,
}

impl Messages {
    /// Of a hook that exits with 2: nothing else of its object is read, and a message of another
    /// type counts as absent. CUR-OUT-03
    pub(super) fn of_a_refusal(row: &Row, answer: &Answer<'_>) -> Messages {
        let read = |field: Field<'_>| field.text().and_then(|text| cleaned(&text));
        let nested = answer.get(Key::HookSpecificOutput.name()).filter(|_| row.reads_key(Key::HookSpecificOutput));
        let nested = nested.and_then(Field::object);
        let nested = nested.as_ref().and_then(|nested| nested.get("permissionDecisionReason"));
        let flat = |key| message(row, answer, key);
        Messages {
            user: flat(Key::UserMessage).and_then(read).or_else(|| nested.and_then(read)),
            agent: flat(Key::AgentMessage).and_then(read),
        }
    }

    /// For the model. CUR-OUT-26
    pub(super) fn reason(&self, row: &Row) -> Option<Text> {
        self.for_the_model(row).or(self.user.as_ref()).cloned()
    }

    /// For the user, unless it is the reason already.
    pub(super) fn notice(&self, row: &Row) -> Option<Text> {
        let reason = self.for_the_model(row)?;
        self.user.clone().filter(|user| user != reason)
    }

    fn for_the_model(&self, row: &Row) -> Option<&Text> {
        self.agent.as_ref().filter(|_| !row.ways.cursors(Way::Reason))
    }

    /// Of a halted prompt, which only the user reads. CUR-OUT-43
    pub(super) fn for_a_prompt(&self) -> Option<Text> {
        self.user.clone().or_else(|| self.agent.clone())
    }
}

/// The spelling of Cursor 1.7. CUR-OUT-41
pub(super) fn old_spelling(row: &Row, key: &str) -> Option<Key> {
    let new = match key {
        "userMessage" => Key::UserMessage,
        "agentMessage" => Key::AgentMessage,
        _ => return None,
    };
    (!row.ways.cursors(Way::OldSpelling)).then_some(new)
}

/// A message under its name, else under its old one.
pub(super) fn message<'a>(row: &Row, answer: &'a Answer<'_>, key: Key) -> Option<Field<'a>> {
    let old = || answer.fields().find(|field| old_spelling(row, field.key()) == Some(key));
    answer.get(key.name()).or_else(old)
}
