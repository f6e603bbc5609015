//! Where the values of an answer stand: at its top, in `hookSpecificOutput`, or in the object
//! `decision` of a permission request. What the values mean is `said.rs`.

use std::borrow::Cow;

use harness_hooks_core::answer::{Answer, Field};

use crate::events::{Key, PERMISSION, Row};

/// An object of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The answer itself.
    Top,
    /// `hookSpecificOutput`.
    Specific,
    /// The `decision` in it.
    Permission,
}

/// A field, where it stands, and which key of its event it is; `None` where it is none.
#[derive(Clone, Copy)]
pub(super) struct Seen<'v> {
    pub(super) place: Place,
    pub(super) key: Option<Key>,
    pub(super) field: Field<'v>,
}

/// An answer as its event sees it.
pub(super) struct View<'a> {
    row: &'a Row,
    top: &'a Answer<'a>,
    specific: Option<&'a Answer<'a>>,
    permission: Option<&'a Answer<'a>>,
}

/// The object that a key of another holds.
pub(super) fn object_in<'a>(answer: &'a Answer<'_>, key: Key) -> Option<Answer<'a>> {
    answer.get(key.name()).and_then(Field::object)
}

impl<'a> View<'a> {
    /// The inner objects count where the event has a place for them.
    pub(super) fn of(
        row: &'a Row,
        top: &'a Answer<'a>,
        specific: Option<&'a Answer<'a>>,
        permission: Option<&'a Answer<'a>>,
    ) -> Self {
        View { row, top, specific, permission: permission.filter(|_| row.specific.contains(&Key::Permission)) }
    }

    fn object(&self, place: Place) -> Option<&'a Answer<'a>> {
        match place {
            Place::Top => Some(self.top),
            Place::Specific => self.specific,
            Place::Permission => self.permission,
        }
    }

    /// The value of a key; `null` is none. CDX-OUT-27
    pub(super) fn get(&self, place: Place, key: &str) -> Option<Field<'a>> {
        self.object(place)?.get(key).filter(|field| !field.is_null())
    }

    /// The text of a key, if it is one.
    pub(super) fn text(&self, place: Place, key: &str) -> Option<Cow<'a, str>> {
        self.get(place, key)?.text()
    }

    /// The keys the event knows at a place. CDX-EVT-03
    pub(super) fn known(&self, place: Place) -> &'static [Key] {
        match place {
            Place::Top => self.row.top,
            Place::Specific => self.row.specific,
            Place::Permission => PERMISSION,
        }
    }

    /// Every field in the order in which it was printed, those of an inner object behind its own.
    pub(super) fn fields(&self) -> Vec<Seen<'a>> {
        let mut seen = Vec::new();
        self.collect(Place::Top, &mut seen);
        seen
    }

    fn collect(&self, place: Place, seen: &mut Vec<Seen<'a>>) {
        for field in self.object(place).into_iter().flat_map(Answer::fields) {
            let key = self.key_of(place, field.key());
            seen.push(Seen { place, key, field });
            if place == Place::Top && field.key() == Key::HookSpecificOutput.name() {
                self.collect(Place::Specific, seen);
            } else if key == Some(Key::Permission) {
                self.collect(Place::Permission, seen);
            }
        }
    }

    fn key_of(&self, place: Place, name: &str) -> Option<Key> {
        let specific = place == Place::Top && !self.row.specific.is_empty() && name == Key::HookSpecificOutput.name();
        let named = || self.known(place).iter().copied().find(|key| key.name() == name);
        if specific { Some(Key::HookSpecificOutput) } else { named() }
    }
}
