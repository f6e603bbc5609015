//! Refusals in other words than the event's, control fields of other events, and the keys that their
//! reasons stand under.

use std::borrow::Cow;

use super::{
    form::{Form, Slip},
    said::Said,
    view::{Place, Seen},
};
use crate::events::Key;

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
        self.row.can_block() && is_word(text)
    }

    pub(super) fn is_word_elsewhere(self, seen: Seen<'_>) -> bool {
        let name = seen.field.key();
        let place = match seen.place {
            Place::Top => PERMISSIONS.contains(&name) || name == Key::Decision.name(),
            Place::Specific => DECISIONS.contains(&name),
            Place::Permission => false,
        };
        place && seen.field.text().is_some_and(|text| self.is_word(&text))
    }

    /// CDX-OUT-37
    pub(super) fn is_control(self, seen: Seen<'_>) -> bool {
        let (name, text) = (seen.field.key(), seen.field.text());
        if !self.row.refuses_what_is_not_done() {
            return false;
        }
        match seen.place {
            Place::Top if name == Key::Decision.name() => text.as_deref() == Some("block"),
            Place::Top => PERMISSIONS.contains(&name) && text.is_some_and(|text| is_word(&text)),
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
            keys.iter().filter_map(|key| self.form.view.text(word.place, key))
        })
    }
}

fn is_word(text: &str) -> bool {
    ["deny", "block"].iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// A key under which someone looks for a reason.
pub(super) fn may_be_reason(place: Place, name: &str) -> bool {
    REASONS.contains(&name) || (place == Place::Top && MESSAGES.contains(&name))
}

/// A key holds the reason of what stands under another key beside it. CDX-OUT-35, CDX-OUT-37
pub(super) fn is_reason_of(speaker: &str, reason: &str) -> bool {
    match speaker {
        "permission" => MESSAGES.contains(&reason),
        _ if reason == Key::StopReason.name() => speaker == Key::Continue.name(),
        _ => REASONS.contains(&reason),
    }
}
