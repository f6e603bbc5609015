//! Refusals in other words than the event's, or in the words of others. CLA-OUT-41

use harness_hooks_core::{
    Text,
    answer::{Answer, Field},
};

use super::{
    Hook,
    request::Request,
    said::{Place, Reader},
};
use crate::{departures::Way, events::Key};

/// A refusal in other words.
pub(super) struct Word {
    /// The key it is said in.
    pub(super) key: String,
    pub(super) reason: Option<Text>,
    /// Where the reason was found.
    pub(super) used: Option<(Place, &'static str)>,
}

impl Hook<'_> {
    /// `deny` or `block`, in any case and with white space around it.
    pub(super) fn is_word(self, text: &str) -> bool {
        let text = if self.ways.claudes(Way::DecisionWords) { text } else { text.trim() };
        text.eq_ignore_ascii_case("deny") || text.eq_ignore_ascii_case("block")
    }
}

impl Reader<'_> {
    /// Whether such words refuse here.
    pub(super) fn words_refuse(&self) -> bool {
        self.hook.row.can_block() && !self.hook.ways.claudes(Way::DecisionWords)
    }

    /// One of the words in a field, where they refuse.
    pub(super) fn says_word(&self, field: Field<'_>) -> bool {
        self.words_refuse() && field.text().is_some_and(|word| self.hook.is_word(&word))
    }

    /// The answer to a question about permission, outside its wrapper: whether it refuses.
    pub(super) fn unwrapped(&mut self, answer: &Answer<'_>, field: Field<'_>) -> bool {
        let Some(decision) = field.object().filter(|_| self.hook.row.reads_key(Key::Permission)) else { return false };
        if !decision.get("behavior").is_some_and(|behavior| self.says_word(behavior)) {
            return false;
        }
        let wrapped = self.said.request.take();
        self.request_keys(&decision, Request::default());
        self.said.request = wrapped.or(self.said.request.take());
        self.word(&decision, Place::Request, field);
        self.word(answer, Place::Top, field);
        true
    }

    /// Takes a refusal, and the reason beside it in its object. Of several the first that has a
    /// reason counts.
    pub(super) fn word(&mut self, object: &Answer<'_>, place: Place, field: Field<'_>) {
        if self.said.word.as_ref().is_some_and(|word| word.reason.is_some()) {
            return;
        }
        let keys: &[&'static str] = match field.key() {
            "permission" => &["agent_message", "user_message"],
            _ => &["permissionDecisionReason", "reason", "message"],
        };
        let beside = |key: &&'static str| {
            let text = object.get(key)?.text()?;
            Some((*key, self.hook.said(&text)?))
        };
        let (used, reason) = keys.iter().find_map(beside).unzip();
        self.said.word = Some(Word { key: field.key().to_owned(), reason, used: used.map(|key| (place, key)) });
    }
}
