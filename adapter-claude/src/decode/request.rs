//! The answer to a question about permission: the object `decision`. CLA-OUT-51

use harness_hooks_core::{
    Json, Text,
    answer::{Answer, Field},
    cleaned,
};

use super::said::{Place, Reader};

/// What is decided.
#[derive(Default)]
pub(super) struct Request {
    /// It is denied in the event's own word; what is denied in another is a word as well.
    pub(super) denies: bool,
    pub(super) allows: bool,
    pub(super) message: Option<Text>,
    pub(super) interrupts: bool,
    pub(super) input: Option<Json>,
}

impl Reader<'_> {
    pub(super) fn request(&mut self, own: &Answer<'_>, field: Field<'_>) {
        let Some(decision) = field.object() else {
            return if self.says_word(field) {
                self.word(own, Place::Own, field);
            } else {
                self.wrong(field, "an object");
            };
        };
        let mut request = Request::default();
        match decision.get("behavior") {
            None => self.wrong(field, "an object with `behavior`"),
            Some(behavior) => match behavior.text().as_deref() {
                Some("allow") => request.allows = true,
                Some("deny") => request.denies = true,
                _ if self.says_word(behavior) => self.word(&decision, Place::Request, behavior),
                _ => self.wrong(behavior, "\"allow\" or \"deny\""),
            },
        }
        self.request_keys(&decision, request);
    }

    pub(super) fn request_keys(&mut self, decision: &Answer<'_>, mut request: Request) {
        for field in decision.fields() {
            self.request_key(field, &mut request);
        }
        self.said.request = Some(request);
    }

    /// A key is read beside the behaviour it belongs to.
    fn request_key(&mut self, field: Field<'_>, request: &mut Request) {
        match (field.key(), request.allows) {
            ("behavior", _) => {}
            ("updatedInput", true) => request.input = self.object(field),
            ("updatedPermissions", true) if field.list().is_some() => self.extra(field),
            ("updatedPermissions", true) => self.wrong(field, "a list"),
            ("message", false) => request.message = self.text(field).and_then(|text| cleaned(&text)),
            ("interrupt", false) => request.interrupts = self.flag(field) == Some(true),
            _ => self.ignored(Place::Request, field),
        }
    }
}
