//! A hook's standard input as an envelope: what `encode.rs` wrote, or Codex itself. Keys that no
//! envelope could hold are named, never dropped in silence.

use std::{path::PathBuf, sync::Arc};

use harness_hooks_core::{
    Agent, Boundary, CompactAfter, CompactBefore, CompactTrigger, Continuations, Envelope, Fields, Json, Other,
    Payload, PromptSubmit, ReadError, Reading, Session, SessionEnd, SessionStart, SessionState, StartSource,
    SubagentStart, SubagentStop, Text, ToolBefore, ToolCall, ToolPermission, ToolResult, Turn, TurnStop,
    object::{Object, Wrong},
};
use serde::de::DeserializeOwned;

use crate::{
    CODEX,
    encode::OTHER,
    events::{self, Event, Row},
    tools,
};

/// Reads a document. CDX-READ-01
pub(crate) fn read(document: &[u8]) -> Result<Reading, ReadError> {
    let text = std::str::from_utf8(document).map_err(|error| ReadError(format!("it is not UTF-8: {error}").into()))?;
    let text = text.trim_start_matches('\u{feff}');
    let json: Json =
        serde_json::from_str(text).map_err(|error| ReadError(format!("it is not JSON: {error}").into()))?;
    let mut keys = Object::of(&json).ok_or_else(|| ReadError("it is not a JSON object".into()))?;
    let name = keys.required::<Text>("hook_event_name")?;
    let row = events::by_name(&name)
        .ok_or_else(|| ReadError(format!("`hook_event_name` is `{name}`, and Codex has no such event").into()))?;
    let document = Document { keys, ignored: Vec::new(), active: false };
    Ok(document.reading(row)?)
}

/// A document while it is read.
struct Document {
    keys: Object,
    ignored: Vec<String>,
    active: bool,
}

impl Document {
    fn reading(mut self, row: &Row) -> Result<Reading, Wrong> {
        let id: Text = self.keys.required("session_id")?;
        let turn = self.said("turn_id", row.shows_turn)?;
        let cwd: PathBuf = self.keys.required("cwd")?;
        let mut session = Session::new(id.clone(), cwd)
            .model(self.said("model", row.shows_model)?)
            .permission_mode(self.said("permission_mode", row.shows_mode)?);
        let mut agent = if row.shows_agent { self.agent()? } else { None };
        let transcript: Option<PathBuf> = self.keys.nullable("transcript_path")?;
        let mut payload = self.payload(row)?;
        match (&mut payload, &mut agent) {
            (Payload::SubagentStart(start), _) => start.transcript = transcript,
            (_, Some(agent)) => agent.transcript = transcript,
            _ => session.transcript = transcript,
        }

        let envelope = Envelope::new(turn.clone().unwrap_or(id), 0, Arc::new(session), payload)
            .turn(turn.map(Turn::new))
            .agent(agent);
        let mut state = SessionState::new();
        if self.active {
            state.continuations = Continuations::by(CODEX, 1);
        }
        let mut reading = Reading::new(row.id(), envelope, state);
        reading.ignored = self.keys.pointers("");
        reading.ignored.extend(self.ignored);
        Ok(reading)
    }

    /// A text that stands on some events, and is empty where nothing is known.
    fn said(&mut self, key: &str, stands: bool) -> Result<Option<Text>, Wrong> {
        if !stands {
            return Ok(None);
        }
        Ok(Some(self.keys.required::<Text>(key)?).filter(|said| !said.is_empty()))
    }

    /// The subagent it happens in. CDX-ENC-06
    fn agent(&mut self) -> Result<Option<Agent>, Wrong> {
        let Some(id) = self.keys.optional::<Text>("agent_id")? else { return Ok(None) };
        Ok(Some(Agent::new(id).kind(self.keys.required::<Text>("agent_type")?)))
    }

    fn payload(&mut self, row: &Row) -> Result<Payload, Wrong> {
        Ok(match row.event {
            Event::PreToolUse => ToolBefore::new(self.call(false)?).into(),
            Event::PermissionRequest => ToolPermission::new(self.call(true)?).into(),
            Event::PostToolUse => {
                let call = self.call(false)?;
                let output = tools::output(&call.tool, self.keys.required("tool_response")?);
                ToolResult::new(call, output).into()
            }
            Event::PreCompact => CompactBefore::new().trigger(self.trigger()?).into(),
            Event::PostCompact => CompactAfter::new().trigger(self.trigger()?).into(),
            Event::SessionStart => {
                let source: StartSource = self.word("source", "`startup`, `resume`, `clear`, `compact` or `fork`")?;
                SessionStart::new().source(source).into()
            }
            Event::SessionEnd => SessionEnd::new(self.reason()?).into(),
            Event::UserPromptSubmit => PromptSubmit::new(self.keys.required::<Text>("prompt")?).into(),
            Event::SubagentStart => {
                let (id, kind) = self.subagent()?;
                SubagentStart::new(id, kind, "").into() // its task is not shown
            }
            Event::SubagentStop => {
                let (id, kind) = self.subagent()?;
                self.active = self.keys.required("stop_hook_active")?;
                SubagentStop::new(id, kind)
                    .transcript(self.keys.nullable::<PathBuf>("agent_transcript_path")?)
                    .last_message(self.keys.nullable::<Text>("last_assistant_message")?)
                    .into()
            }
            Event::Stop => {
                self.active = self.keys.required("stop_hook_active")?;
                TurnStop::new().last_message(self.keys.nullable::<Text>("last_assistant_message")?).into()
            }
            Event::Interrupt => Other::new(Boundary::TurnInterrupt, Json::of(&Fields::default())).into(),
        })
    }

    /// The host's own name for the tool is not shown, so Codex's stands for it.
    fn call(&mut self, asked: bool) -> Result<ToolCall, Wrong> {
        let (name, input) = (self.keys.required::<Text>("tool_name")?, self.keys.required::<Json>("tool_input")?);
        let id: Text = if asked { Text::default() } else { self.keys.required("tool_use_id")? };
        let tools::Parsed { tool, extra, ignored } = tools::tool(&name, input, asked);
        self.ignored.extend(ignored);
        let mut call = ToolCall::new(id, name, tool);
        call.extra = extra;
        Ok(call)
    }

    fn subagent(&mut self) -> Result<(Text, Text), Wrong> {
        Ok((self.keys.required("agent_id")?, self.keys.required("agent_type")?))
    }

    fn trigger(&mut self) -> Result<CompactTrigger, Wrong> {
        self.word("trigger", "`manual` or `auto`")
    }

    /// The program has no other word for it, and another would not be written again. CDX-EVT-08
    fn reason(&mut self) -> Result<Text, Wrong> {
        let reason: Text = self.keys.required("reason")?;
        if reason == OTHER {
            Ok(reason)
        } else {
            Err(Wrong::new(format!("`reason` must be `{OTHER}`, not `{reason}`")))
        }
    }

    fn word<T: DeserializeOwned>(&mut self, key: &str, words: &str) -> Result<T, Wrong> {
        let word: Json = self.keys.required(key)?;
        word.read().map_err(|_| Wrong::new(format!("`{key}` must be {words}, not {word}")))
    }
}
