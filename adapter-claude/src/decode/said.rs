//! What an answer says: each of its keys is read and checked, and those that mean nothing here are
//! kept apart. What it comes to is `effects.rs`; refusals in other words are `words.rs`; the answer to
//! a question about permission is `request.rs`.

use std::borrow::Cow;

use harness_hooks_core::{
    Extra, Json, Text, Tool,
    answer::{Answer, Field},
    cleaned,
};

use super::{Hook, printed::trimmed, request::Request, words::Word, written::Fault};
use crate::{
    departures::Way,
    events::{Key, Oddity, Stances},
};

/// What `permissionDecision` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    Allow,
    Ask,
    Defer,
    Deny,
}

/// Where a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Top,
    /// In `hookSpecificOutput`.
    Own,
    /// In its `decision`.
    Request,
}

/// An answer, every field read.
#[derive(Default)]
pub(super) struct Said {
    /// The first thing that breaks the form. CLA-OUT-33, CLA-OUT-34
    pub(super) fault: Option<Fault>,
    /// `hookSpecificOutput` does not say its event. CLA-OUT-38
    pub(super) nameless: bool,
    /// `hookSpecificOutput` is about another event. CLA-OUT-39
    pub(super) other_event: bool,
    /// A refusal in other words. CLA-OUT-41
    pub(super) word: Option<Word>,
    /// `decision: "block"`, where it is read.
    pub(super) blocks: bool,
    /// `decision: "approve"`, where it allows.
    pub(super) approves: bool,
    pub(super) reason: Option<Text>,
    /// `continue: false`, where it is read.
    pub(super) stops: bool,
    pub(super) stop_reason: Option<Text>,
    pub(super) message: Option<Text>,
    pub(super) stance: Option<Stance>,
    pub(super) stance_reason: Option<Text>,
    pub(super) request: Option<Request>,
    /// `action`: accepted or not. CLA-OUT-55
    pub(super) accepts: Option<bool>,
    pub(super) input: Option<Json>,
    /// Another input where none is ever applied. CLA-OUT-54
    pub(super) input_refused: bool,
    pub(super) result: Option<Json>,
    pub(super) context: Option<Text>,
    pub(super) extras: Vec<Extra>,
    /// Controls that are not read here, in the order of the answer. CLA-OUT-44
    pub(super) unsupported: Vec<String>,
    /// Keys that are not read here, or not in this answer. CLA-OUT-43
    pub(super) ignored: Vec<(Place, String)>,
}

impl Said {
    /// Reads an answer; one that breaks the form and neither refuses nor asks is rejected. CLA-OUT-35,
    /// CLA-OUT-37, CLA-OUT-38
    pub(super) fn read(hook: Hook<'_>, answer: &Answer<'_>) -> Result<Said, Fault> {
        if is_async(answer) {
            return Ok(Said::default());
        }
        let mut reader = Reader { hook, said: Said::default(), explains: Explains::default() };
        for field in answer.fields() {
            reader.top(answer, field);
        }
        let mut said = reader.finish(answer);
        // who wants every failure refused wants no more of it than that
        let counts = said.refuses(hook) || (said.asks() && !hook.is_cautious());
        if said.nameless && (!counts || hook.ways.claudes(Way::MissingEventName)) {
            return Err(Fault::new("has a `hookSpecificOutput` without `hookEventName`", ""));
        }
        match said.fault.take() {
            Some(fault) if !counts || hook.ways.claudes(Way::LostForm) => Err(fault),
            fault => Ok(Said { fault, ..said }),
        }
    }

    /// CLA-OUT-36
    pub(super) fn refuses(&self, hook: Hook<'_>) -> bool {
        self.stops || self.own_refusal(hook).is_some()
    }

    fn asks(&self) -> bool {
        self.stance == Some(Stance::Ask)
    }
}

/// `{"async":true}` alone. CLA-OUT-29
pub(super) fn is_async(answer: &Answer<'_>) -> bool {
    let alone = answer.fields().all(|field| matches!(field.key(), "async" | "asyncTimeout"));
    alone && answer.get("async").and_then(Field::flag) == Some(true)
}

/// What a reason beside a decision explains, whether the decision is read here or not.
#[derive(Default)]
struct Explains {
    reason: bool,
    stop_reason: bool,
}

/// Reads an answer key by key.
pub(super) struct Reader<'h> {
    pub(super) hook: Hook<'h>,
    pub(super) said: Said,
    explains: Explains,
}

impl Reader<'_> {
    fn finish(self, answer: &Answer<'_>) -> Said {
        let Reader { mut said, explains, .. } = self;
        let by_word = said.word.as_ref().and_then(|word| word.used).filter(|(place, _)| *place == Place::Top);
        let explained = explains.reason || by_word == Some((Place::Top, "reason"));
        for (key, explained) in [("reason", explained), ("stopReason", explains.stop_reason)] {
            if !explained && answer.get(key).and_then(Field::text).is_some() {
                said.ignored.push((Place::Top, key.to_owned()));
            }
        }
        if let Some((place, key)) = said.word.as_ref().and_then(|word| word.used) {
            said.ignored.retain(|ignored| ignored.0 != place || ignored.1 != key);
        }
        said
    }

    // ---- at the top ----

    fn top(&mut self, answer: &Answer<'_>, field: Field<'_>) {
        match field.key() {
            "decision" => self.decision(answer, field),
            "reason" => {
                let reason = self.text(field);
                self.said.reason = reason.and_then(|text| self.hook.said(&text));
            }
            "continue" => self.go_on(field),
            "stopReason" => self.said.stop_reason = self.text(field).and_then(|text| cleaned(&text)),
            "systemMessage" => self.message(field),
            "suppressOutput" => {
                self.flag(field);
            }
            "terminalSequence" => self.text_extra(field),
            "hookSpecificOutput" => self.specific(field),
            "permissionDecision" | "permission" => self.misplaced(answer, field),
            _ => self.ignored(Place::Top, field),
        }
    }

    /// CLA-OUT-33, CLA-OUT-41, CLA-OUT-42, CLA-OUT-44, CLA-OUT-45
    fn decision(&mut self, answer: &Answer<'_>, field: Field<'_>) {
        let row = self.hook.row;
        let text = field.text();
        match text.as_deref() {
            Some("block") if row.reads_key(Key::Decision) => {
                self.said.blocks = true;
                self.explains.reason = true;
            }
            Some("block") => {
                self.explains.reason = true;
                self.unread_word(answer, Place::Top, field);
            }
            Some("approve") if row.is(Oddity::ApproveAllows) => self.said.approves = true,
            Some("approve") => self.ignored(Place::Top, field),
            _ if self.says_word(field) => {
                self.explains.reason = true;
                self.word(answer, Place::Top, field);
            }
            _ if self.unwrapped(answer, field) => {}
            _ => self.wrong(field, "\"block\" or \"approve\""),
        }
    }

    fn go_on(&mut self, field: Field<'_>) {
        let reads = self.hook.row.reads_key(Key::Continue);
        match self.flag(field) {
            Some(false) if reads => {
                self.said.stops = true;
                self.explains.stop_reason = true;
            }
            Some(false) => {
                self.explains.stop_reason = true;
                self.unread_control(Place::Top, field);
            }
            Some(true) if !reads => self.ignored(Place::Top, field),
            Some(true) | None => {}
        }
    }

    fn message(&mut self, field: Field<'_>) {
        let text = self.text(field);
        if !self.hook.row.reads_key(Key::SystemMessage) {
            if text.is_some() {
                self.ignored(Place::Top, field);
            }
            return;
        }
        let informs = self.hook.row.is(Oddity::MessageInforms);
        self.said.message = text.and_then(|text| if informs { not_blank(&text) } else { cleaned(&text) });
    }

    // ---- in hookSpecificOutput ----

    /// CLA-OUT-38 to CLA-OUT-40
    fn specific(&mut self, field: Field<'_>) {
        let Some(own) = field.object() else { return self.wrong(field, "an object") };
        let name = own.get("hookEventName");
        match name.and_then(Field::text) {
            Some(name) if name != self.hook.row.name() => {
                self.said.other_event = true;
                return;
            }
            Some(_) => {}
            None if !self.hook.row.specific => {}
            None => match name {
                Some(name) => self.wrong(name, "text"),
                None => self.said.nameless = true,
            },
        }
        if self.hook.row.specific {
            for field in own.fields() {
                self.own(&own, field);
            }
            return;
        }
        let fault = "has a `hookSpecificOutput`, and this event has none";
        self.said.fault.get_or_insert_with(|| Fault::new(fault, ""));
        for field in own.fields() {
            if self.may_decide(field) && self.says_word(field) {
                self.word(&own, Place::Own, field);
            }
        }
    }

    fn own(&mut self, own: &Answer<'_>, field: Field<'_>) {
        let name = field.key();
        if name == "hookEventName" {
            return;
        }
        match self.hook.row.reads.iter().find(|key| key.name() == name && !key.at_the_top()) {
            Some(key) => self.own_key(own, *key, field),
            None if name == "permissionDecisionReason" && self.hook.row.reads_key(Key::PermissionDecision) => {
                self.said.stance_reason = self.text(field).and_then(|text| cleaned(&text));
            }
            None if name == "updatedInput" && self.hook.row.stances == Stances::OnlyDenials => {
                self.said.input_refused = true;
                self.said.unsupported.push(name.to_owned());
            }
            None => self.unread_word(own, Place::Own, field),
        }
    }

    fn own_key(&mut self, own: &Answer<'_>, key: Key, field: Field<'_>) {
        match key {
            Key::PermissionDecision => self.stance(own, field),
            Key::Permission => self.request(own, field),
            Key::UpdatedInput => self.said.input = self.object(field),
            Key::UpdatedToolOutput => self.said.result = Some(field.json().into()),
            Key::UpdatedMcpToolOutput => self.mcp_result(own, field),
            Key::AdditionalContext => self.said.context = self.text(field).and_then(|text| not_blank(&text)),
            Key::InitialUserMessage | Key::SessionTitle | Key::ClassifierContext | Key::DisplayContent => {
                self.text_extra(field);
            }
            Key::WatchPaths => self.paths(field),
            Key::ReloadSkills | Key::SuppressOriginalPrompt | Key::Retry => {
                if self.flag(field) == Some(true) {
                    self.extra(field);
                }
            }
            Key::Action => self.action(own, field),
            Key::Content => {
                if self.object(field).is_some() {
                    self.extra(field);
                }
            }
            // at the top, or where no JSON is read
            Key::Decision | Key::Continue | Key::SystemMessage | Key::WorktreePath => {}
        }
    }

    /// CLA-OUT-46, CLA-OUT-53, CLA-OUT-54
    fn stance(&mut self, own: &Answer<'_>, field: Field<'_>) {
        let defers = self.hook.row.stances != Stances::WithoutDefer;
        let text = field.text();
        self.said.stance = match text.as_deref() {
            Some("allow") => Some(Stance::Allow),
            Some("deny") => Some(Stance::Deny),
            Some("ask") => Some(Stance::Ask),
            Some("defer") if defers => Some(Stance::Defer),
            _ if self.says_word(field) => {
                self.word(own, Place::Own, field);
                None
            }
            _ if defers => {
                self.wrong(field, "\"allow\", \"deny\", \"ask\" or \"defer\"");
                None
            }
            _ => {
                self.wrong(field, "\"allow\", \"deny\" or \"ask\"");
                None
            }
        };
    }

    /// The result of an MCP tool, as far as is known; another result beside it counts first.
    /// CLA-OUT-60
    fn mcp_result(&mut self, own: &Answer<'_>, field: Field<'_>) {
        let call = self.hook.asked.envelope.and_then(|envelope| envelope.payload.call());
        if call.is_some_and(|call| !matches!(call.tool, Tool::Mcp(_))) {
            self.unread_control(Place::Own, field);
        } else if own.get(Key::UpdatedToolOutput.name()).is_some() {
            self.ignored(Place::Own, field);
        } else {
            self.said.result = Some(field.json().into());
        }
    }

    /// CLA-OUT-41, CLA-OUT-55
    fn action(&mut self, own: &Answer<'_>, field: Field<'_>) {
        let declines = |word: &str| ["decline", "cancel"].iter().any(|known| known.eq_ignore_ascii_case(word));
        self.said.accepts = match field.text().as_deref() {
            Some("accept") => Some(true),
            Some("decline" | "cancel") => Some(false),
            Some(word) if (self.hook.is_word(word) || declines(word)) && self.words_refuse() => {
                return self.word(own, Place::Own, field);
            }
            _ => return self.wrong(field, "\"accept\", \"decline\" or \"cancel\""),
        };
        self.extra(field);
    }

    fn paths(&mut self, field: Field<'_>) {
        match field.list() {
            Some(items) if items.iter().all(|item| item.text().is_some()) => self.extra(field),
            _ => self.wrong(field, "a list of texts"),
        }
    }

    // ---- what means nothing here ----

    /// A key of an answer that is not read where it stands; a refusing word in it may refuse all the
    /// same. CLA-OUT-41, CLA-OUT-44
    fn unread_word(&mut self, object: &Answer<'_>, place: Place, field: Field<'_>) {
        let word = self.may_decide(field) && field.text().is_some_and(|word| self.hook.is_word(&word));
        let refuses = word && self.hook.row.can_block();
        let permission = word && field.key() == "permission" && self.hook.row.refuses_what_is_not_done();
        if refuses && self.words_refuse() {
            self.word(object, place, field);
        } else if refuses || !(permission || controls(field)) {
            self.ignored(place, field);
        } else {
            self.unread_control(place, field);
        }
    }

    /// A key by which someone may mean to decide. CLA-OUT-41
    fn may_decide(&self, field: Field<'_>) -> bool {
        match field.key() {
            "decision" | "permissionDecision" | "permission" => true,
            "behavior" => self.hook.row.reads_key(Key::Permission),
            _ => false,
        }
    }

    /// A key of `hookSpecificOutput`, or of another vendor, at the top. CLA-OUT-41, CLA-OUT-44
    fn misplaced(&mut self, answer: &Answer<'_>, field: Field<'_>) {
        if !field.text().is_some_and(|word| self.hook.is_word(&word)) {
            self.ignored(Place::Top, field);
        } else if !self.hook.row.can_block() {
            self.unread_control(Place::Top, field);
        } else if self.words_refuse() {
            self.word(answer, Place::Top, field);
        } else {
            self.ignored(Place::Top, field);
        }
    }

    fn unread_control(&mut self, place: Place, field: Field<'_>) {
        if self.hook.ways.claudes(Way::ControlElsewhere) && self.hook.row.refuses_what_is_not_done() {
            return self.ignored(place, field);
        }
        self.said.unsupported.push(field.key().to_owned());
    }

    pub(super) fn ignored(&mut self, place: Place, field: Field<'_>) {
        self.said.ignored.push((place, field.key().to_owned()));
    }

    // ---- values ----

    pub(super) fn wrong(&mut self, field: Field<'_>, must_be: &str) {
        self.said.fault.get_or_insert_with(|| Fault::wrong(field, must_be));
    }

    pub(super) fn text<'f>(&mut self, field: Field<'f>) -> Option<Cow<'f, str>> {
        let text = field.text();
        if text.is_none() {
            self.wrong(field, "text");
        }
        text
    }

    pub(super) fn flag(&mut self, field: Field<'_>) -> Option<bool> {
        let flag = field.flag();
        if flag.is_none() {
            self.wrong(field, "true or false");
        }
        flag
    }

    pub(super) fn object(&mut self, field: Field<'_>) -> Option<Json> {
        if field.object().is_none() {
            self.wrong(field, "an object");
            return None;
        }
        Some(field.json().into())
    }

    /// CLA-OUT-64
    pub(super) fn extra(&mut self, field: Field<'_>) {
        self.said.extras.push(Extra::vendor(field.key(), field.json()));
    }

    fn text_extra(&mut self, field: Field<'_>) {
        if self.text(field).is_some_and(|text| not_blank(&text).is_some()) {
            self.extra(field);
        }
    }
}

/// A control of `hookSpecificOutput`, or `decision` at the top, unless its value asks for nothing.
/// CLA-OUT-44, CLA-OUT-45
fn controls(field: Field<'_>) -> bool {
    let text = field.text();
    match field.key() {
        _ if field.is_null() => false,
        "permissionDecision" => text.as_deref() != Some("allow"),
        "decision" => !matches!(text.as_deref(), Some("allow" | "approve")),
        "updatedInput" | "updatedToolOutput" | "updatedMCPToolOutput" => true,
        _ => false,
    }
}

/// Trimmed; none if nothing is left. CLA-OUT-65
pub(super) fn not_blank(text: &str) -> Option<Text> {
    let text = trimmed(text);
    (!text.is_empty()).then(|| text.into())
}
