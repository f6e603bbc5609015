//! Refusals in other words than the event's, control fields of other events, and the keys that their
//! reasons stand under.

use std::borrow::Cow;

use harness_hooks_core::answer::{Answer, Field};

use super::{
    form::{Form, Slip, Slipped},
    said::Said,
    view::{Place, Seen},
};
use crate::{departures::Way, events::Key};

/// Keys under which a reason is looked for beside a word of refusal. CDX-OUT-35
const REASONS: [&str; 3] = ["permissionDecisionReason", "reason", "message"];
/// The same beside `permission`.
const MESSAGES: [&str; 2] = ["agent_message", "user_message"];
/// The other names of a permission at the top of an answer. CDX-OUT-35
const PERMISSIONS: [&str; 2] = ["permissionDecision", "permission"];
/// The same in `hookSpecificOutput`.
const DECISIONS: [&str; 2] = ["permissionDecision", "decision"];
/// Fields by which hooks control something, wherever they stand. CDX-OUT-37
const CONTROLS: [&str; 5] =
    ["permissionDecision", "decision", "updatedInput", "updatedToolOutput", "updatedMCPToolOutput"];

impl Form<'_> {
    /// One of the words, where a word can refuse. CDX-OUT-35
    pub(super) fn is_word(self, text: &str) -> bool {
        self.row.can_block() && self.refuses_in_words(text)
    }

    /// `deny` or `block`, in any case and with white space around it.
    fn refuses_in_words(self, text: &str) -> bool {
        let text = if self.ways.codexs(Way::DecisionWords) { text } else { text.trim() };
        ["deny", "block"].iter().any(|word| word.eq_ignore_ascii_case(text))
    }

    pub(super) fn is_word_elsewhere(self, seen: Seen<'_>) -> bool {
        let name = seen.field.key();
        let place = match seen.place {
            Place::Top => PERMISSIONS.contains(&name) || name == Key::Decision.name(),
            Place::Specific => DECISIONS.contains(&name) || self.is_unwrapped(name),
            Place::Permission => false,
        };
        let says = |text: Cow<'_, str>| self.is_word(&text);
        let behavior = decision_at_the_top(seen.place, seen.field)
            .filter(|_| self.answers_requests())
            .and_then(|decision| decision.get(Key::Behavior.name()).and_then(Field::text).map(says));
        behavior == Some(true) || (place && seen.field.text().is_some_and(says))
    }

    /// A key of `hookSpecificOutput` that belongs to the top of an answer of another vendor, or into
    /// an object that is missing.
    fn is_unwrapped(self, name: &str) -> bool {
        match name {
            "permission" => !self.ways.codexs(Way::DecisionWords),
            _ => name == Key::Behavior.name() && self.answers_requests(),
        }
    }

    /// It is asked about permission, and refusals without their wrapper count.
    fn answers_requests(self) -> bool {
        self.row.specific.contains(&Key::Permission) && !self.ways.codexs(Way::DecisionWords)
    }

    /// CDX-OUT-37
    pub(super) fn is_control(self, seen: Seen<'_>) -> bool {
        let (name, text) = (seen.field.key(), seen.field.text());
        if !self.row.refuses_what_is_not_done() {
            return false;
        }
        match seen.place {
            Place::Top if name == Key::Decision.name() => text.as_deref() == Some("block"),
            Place::Top => PERMISSIONS.contains(&name) && text.is_some_and(|text| self.refuses_in_words(&text)),
            Place::Specific if name == "permission" => {
                self.is_unwrapped(name) && text.is_some_and(|text| self.refuses_in_words(&text))
            }
            Place::Specific | Place::Permission => {
                let allows = name == "permissionDecision" && text.as_deref() == Some("allow");
                CONTROLS.contains(&name) && !seen.field.is_null() && !allows
            }
        }
    }
}

impl<'a> Said<'a> {
    /// What words of refusal at a place give as reasons. CDX-OUT-35
    pub(super) fn reasons_of_words(&self, place: impl Fn(Place) -> bool) -> impl Iterator<Item = Cow<'a, str>> {
        let words = self.slips.iter().filter(move |slipped| matches!(slipped.slip, Slip::Word) && place(slipped.place));
        words.flat_map(|word| {
            let keys: &[&str] = if word.name == "permission" { &MESSAGES } else { &REASONS };
            let beside = keys.iter().filter_map(|key| self.form.view.text(word.place, key));
            self.reasons_of_decision(word).into_iter().chain(beside)
        })
    }

    /// The reasons in the object `decision` at the top of an answer.
    fn reasons_of_decision(&self, word: &Slipped<'_>) -> Vec<Cow<'a, str>> {
        let field = self.form.view.get(word.place, word.name);
        let Some(decision) = field.and_then(|field| decision_at_the_top(word.place, field)) else { return Vec::new() };
        let text = |key: &&str| Some(decision.get(key)?.text()?.into_owned().into());
        REASONS.iter().filter_map(text).collect()
    }
}

/// The object `decision` outside its wrapper.
fn decision_at_the_top(place: Place, field: Field<'_>) -> Option<Answer<'_>> {
    let here = place == Place::Top && field.key() == Key::Decision.name();
    here.then(|| field.object()).flatten()
}

/// A key under which someone looks for a reason.
pub(super) fn may_be_reason(place: Place, name: &str) -> bool {
    REASONS.contains(&name) || (place != Place::Permission && MESSAGES.contains(&name))
}

/// A key holds the reason of what stands under another key beside it. CDX-OUT-35, CDX-OUT-37
pub(super) fn is_reason_of(speaker: &str, reason: &str) -> bool {
    match speaker {
        "permission" => MESSAGES.contains(&reason),
        _ if reason == Key::StopReason.name() => speaker == Key::Continue.name(),
        _ => REASONS.contains(&reason),
    }
}
