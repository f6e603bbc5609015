//! What an answer says, once it is known to be an object: each key of the event's row is read and
//! checked. What it comes to is `effects.rs`.

use std::borrow::Cow;

use harness_hooks_core::{
    Json, Text,
    answer::{Answer, Field},
    cleaned,
};

use super::{Hook, Mismatch, messages::Messages, view::View};
use crate::{
    departures::Way,
    events::{Ask, Key},
};

/// The longest context Cursor's own program takes, in UTF-16 units.
const CONTEXT_LIMIT: usize = 10_000;

/// What `permission` comes to on its event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stance {
    Allow,
    Deny,
    Ask,
    /// An ask the event accepts and does not enforce.
    AskForNothing,
    /// An ask that is a denial.
    AskIsDenial,
}

/// An answer that fits its event's schema, every field read.
#[derive(Default)]
pub(super) struct Said {
    pub(super) stance: Option<Stance>,
    pub(super) messages: Messages,
    pub(super) updated_input: Option<Json>,
    pub(super) result: Option<Json>,
    pub(super) context: Option<Text>,
    /// There was a context, and it was too long for Cursor's own program.
    pub(super) context_too_long: bool,
    pub(super) env: Vec<(String, String)>,
    pub(super) go_on: Option<bool>,
    pub(super) followup: Followup,
    pub(super) plugin_paths: Option<Vec<String>>,
}

/// How a follow-up event is answered.
#[derive(Default)]
pub(super) enum Followup {
    #[default]
    None,
    /// `followup_message`.
    Message(Option<Text>),
    /// Claude's `decision` and `reason`.
    Block(Option<Text>),
}

impl Said {
    /// Reads the keys of the event's row. CUR-OUT-24
    pub(super) fn read(hook: Hook<'_>, view: &View<'_>) -> Result<Said, Mismatch> {
        let mut said = Said::default();
        for key in hook.row.reads {
            let field = view.get(*key);
            match key {
                Key::Permission => said.stance = stance(hook, field)?,
                Key::UserMessage => said.messages.user = text(field)?.and_then(|text| cleaned(&text)),
                Key::AgentMessage => said.messages.agent = text(field)?.and_then(|text| cleaned(&text)),
                Key::UpdatedInput => said.updated_input = object(field)?.map(|field| Json::from(field.json())),
                Key::UpdatedMcpToolOutput => said.result = field.map(|field| field.json().into()),
                Key::AdditionalContext => said.read_context(hook, field)?,
                Key::Env => said.env = env(field)?,
                Key::Continue => said.go_on = go_on(hook, field)?,
                Key::PluginPaths => said.plugin_paths = plugin_paths(field)?,
                Key::FollowupMessage => said.followup = followup(view)?,
                Key::HookSpecificOutput | Key::Decision => {} // stand in for the others
            }
        }
        Ok(said)
    }

    fn read_context(&mut self, hook: Hook<'_>, field: Option<Field<'_>>) -> Result<(), Mismatch> {
        let context = text(field)?.and_then(|text| trimmed(&text));
        let too_long = |text: &Text| text.len() > CONTEXT_LIMIT && text.encode_utf16().count() > CONTEXT_LIMIT;
        self.context_too_long = hook.row.ways.cursors(Way::Context) && context.as_ref().is_some_and(too_long);
        self.context = context.filter(|_| !self.context_too_long);
        Ok(())
    }
}

/// `permission`, one of the event's words, compared exactly. CUR-OUT-23, CUR-OUT-25, CUR-OUT-31
fn stance(hook: Hook<'_>, field: Option<Field<'_>>) -> Result<Option<Stance>, Mismatch> {
    let Some(field) = field else {
        let missing = || Mismatch("has no `permission`; print `{\"permission\":\"allow\"}` to let it run".into());
        return if hook.row.required { Err(missing()) } else { Ok(None) };
    };
    let text = field.text();
    match (text.as_deref(), hook.row.ask, hook.asked.strict) {
        (Some("allow"), _, _) => Ok(Some(Stance::Allow)),
        (Some("deny"), _, _) => Ok(Some(Stance::Deny)),
        (Some("ask"), Ask::Honoured, _) | (Some("ask"), Ask::NotEnforced, true) => Ok(Some(Stance::Ask)),
        (Some("ask"), Ask::NotEnforced, false) => Ok(Some(Stance::AskForNothing)),
        (Some("ask"), Ask::Denies, _) => Ok(Some(Stance::AskIsDenial)),
        (_, ask, _) => {
            let words = if ask == Ask::NotAWord { "\"allow\" or \"deny\"" } else { "\"allow\", \"ask\" or \"deny\"" };
            Err(wrong(field, words))
        }
    }
}

/// CUR-OUT-42
fn go_on(hook: Hook<'_>, field: Option<Field<'_>>) -> Result<Option<bool>, Mismatch> {
    match field {
        None if hook.row.required => {
            Err(Mismatch("has no `continue`; print `{\"continue\":true}` to let it be sent".into()))
        }
        None => Ok(None),
        Some(field) => field.flag().map(Some).ok_or_else(|| wrong(field, "true or false")),
    }
}

fn text<'a>(field: Option<Field<'a>>) -> Result<Option<Cow<'a, str>>, Mismatch> {
    field.map(|field| field.text().ok_or_else(|| wrong(field, "text"))).transpose()
}

pub(super) fn object(field: Option<Field<'_>>) -> Result<Option<Field<'_>>, Mismatch> {
    match field {
        Some(field) if field.object().is_none() => Err(wrong(field, "an object")),
        field => Ok(field),
    }
}

fn wrong(field: Field<'_>, what: &str) -> Mismatch {
    Mismatch(format!("has a `{}` that must be {what}, not {}", field.key(), field.brief()))
}

fn trimmed(text: &str) -> Option<Text> {
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.into())
}

/// CUR-OUT-47
fn env(field: Option<Field<'_>>) -> Result<Vec<(String, String)>, Mismatch> {
    let Some(field) = field else { return Ok(Vec::new()) };
    let texts = |object: &Answer<'_>| -> Option<Vec<(String, String)>> {
        object.fields().map(|entry| Some((entry.key().to_owned(), entry.text()?.into_owned()))).collect()
    };
    field.object().as_ref().and_then(texts).ok_or_else(|| wrong(field, "an object of texts"))
}

/// CUR-OUT-52
fn plugin_paths(field: Option<Field<'_>>) -> Result<Option<Vec<String>>, Mismatch> {
    let Some(field) = field else { return Ok(None) };
    let path = |item: Field<'_>| item.text().filter(|path| !path.trim().is_empty()).map(Cow::into_owned);
    let paths = field.list().and_then(|items| items.into_iter().map(path).collect());
    paths.map(Some).ok_or_else(|| wrong(field, "a list of paths"))
}

/// `followup_message`, else Claude's `decision` and `reason`. CUR-OUT-36
fn followup(view: &View<'_>) -> Result<Followup, Mismatch> {
    if let Some(field) = view.get(Key::FollowupMessage) {
        return Ok(Followup::Message(text(Some(field))?.and_then(|text| trimmed(&text))));
    }
    let Some(decision) = text(view.decision("decision"))? else { return Ok(Followup::None) };
    let reason = text(view.decision("reason"))?.and_then(|text| trimmed(&text));
    Ok(Followup::Block(reason.filter(|_| decision == "block")))
}
