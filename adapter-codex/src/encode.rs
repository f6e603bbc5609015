//! An envelope as the JSON a hook reads on standard input. Tool calls inside it are `tools`.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use harness_hooks_core::{
    Agent, Diagnostic, Occasion, Payload, Shell, SubagentStop, Tool, ToolCall, TurnStop, object::Keys,
};
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    CODEX,
    events::Row,
    matcher,
    tools::{self, Input, Response, shown},
};

/// What an agent is where nothing says more. CDX-EVT-08
const DEFAULT: &str = "default";

/// Writes standard input for an event. Total. CDX-ENC-01
pub(crate) fn encode(row: &Row, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
    const REST: usize = 2048;
    out.reserve(occasion.envelope.payload.room() + REST);
    let stdin = Stdin::new(row, occasion);
    if serde_json::to_writer(&mut *out, &stdin).is_err() {
        // only a value with keys that are not text could do this, and there is none
        out.extend_from_slice(b"null");
    }
    stdin.unwritable()
}

/// What is written, once it is known whose it is.
struct Stdin<'a> {
    row: &'a Row,
    occasion: Occasion<'a>,
    /// What happens; none where the event is not about it. CDX-ENC-18
    payload: Option<&'a Payload>,
    /// The subagent it happens in, on events that name it. CDX-ENC-06
    agent: Option<&'a Agent>,
    transcript: Option<&'a Path>,
    cwd: Cow<'a, Path>,
}

impl<'a> Stdin<'a> {
    fn new(row: &'a Row, occasion: Occasion<'a>) -> Self {
        let envelope = occasion.envelope;
        let payload = &envelope.payload;
        let payload = matcher::happens(row, envelope).then_some(payload);
        let agent = envelope.agent.as_ref().filter(|_| row.shows_agent);
        let sessions = envelope.session.transcript.as_deref();
        let transcript = match payload {
            Some(Payload::SubagentStart(start)) => start.transcript.as_deref(),
            _ => agent.and_then(|agent| agent.transcript.as_deref()).or(sessions),
        };
        let cwd = workdir(payload, &envelope.session.cwd);
        Stdin { row, occasion, payload, agent, transcript, cwd }
    }
}

/// Where a shell command runs, before it does and after; elsewhere the session's directory.
/// CDX-ENC-08
fn workdir<'a>(payload: Option<&'a Payload>, session: &'a Path) -> Cow<'a, Path> {
    let call = match payload {
        Some(Payload::ToolBefore(before)) => &before.call,
        Some(Payload::ToolResult(result)) => &result.call,
        _ => return session.into(),
    };
    match &call.tool {
        Tool::Shell(Shell { cwd: Some(cwd), .. }) if !cwd.as_os_str().is_empty() => session.join(cwd).into(),
        _ => session.into(),
    }
}

/// CDX-ENC-03
impl Serialize for Stdin<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Stdin { row, occasion, payload, agent, transcript, cwd } = self;
        let (session, turn) = (&occasion.envelope.session, occasion.envelope.turn.as_ref());
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put("session_id", &session.id)?;
        keys.put_some("turn_id", row.shows_turn.then(|| turn.map_or("", |turn| &turn.id)))?;
        if let Some(agent) = agent {
            keys.put("agent_id", &agent.id)?;
            keys.put("agent_type", or_default(agent.kind.as_deref()))?;
        }
        keys.put("transcript_path", &transcript.map(shown))?;
        if let Some(Payload::SubagentStop(stop)) = payload {
            keys.put("agent_transcript_path", &stop.transcript.as_deref().map(shown))?;
        }
        keys.put("cwd", &shown(cwd))?;
        keys.put("hook_event_name", row.name())?;
        keys.put_some("model", row.shows_model.then(|| session.model.as_deref().unwrap_or_default()))?;
        keys.put_some("permission_mode", row.shows_mode.then(|| or_default(session.permission_mode.as_deref())))?;
        if let Some(payload) = payload {
            self.own(payload, &mut keys)?;
        }
        keys.0.end()
    }
}

fn or_default(known: Option<&str>) -> &str {
    known.filter(|known| !known.is_empty()).unwrap_or(DEFAULT)
}

type Written<M> = Result<(), <M as SerializeMap>::Error>;

impl Stdin<'_> {
    /// The event's own fields: every event has a boundary of its own, so the payload tells which.
    fn own<M: SerializeMap>(&self, payload: &Payload, keys: &mut Keys<M>) -> Written<M> {
        match payload {
            Payload::ToolBefore(before) => {
                tool(&before.call, false, keys)?;
                keys.put("tool_use_id", &before.call.id)
            }
            Payload::ToolPermission(permission) => tool(&permission.call, true, keys),
            Payload::ToolResult(result) => {
                tool(&result.call, false, keys)?;
                keys.put("tool_response", &Response { call: &result.call, output: &result.output })?;
                keys.put("tool_use_id", &result.call.id)
            }
            Payload::CompactBefore(compact) => keys.put("trigger", &compact.trigger),
            Payload::CompactAfter(compact) => keys.put("trigger", &compact.trigger),
            Payload::SessionStart(start) => keys.put("source", &start.source),
            Payload::SessionEnd(_) => keys.put("reason", OTHER),
            Payload::PromptSubmit(prompt) => keys.put("prompt", &prompt.prompt),
            Payload::SubagentStart(start) => {
                keys.put("agent_id", &start.id)?;
                keys.put("agent_type", or_default(Some(&start.kind)))
            }
            Payload::SubagentStop(stop) => self.subagent_stop(stop, keys),
            Payload::TurnStop(stop) => self.stop(stop, keys),
            _ => Ok(()),
        }
    }

    /// CDX-ENC-14
    fn subagent_stop<M: SerializeMap>(&self, stop: &SubagentStop, keys: &mut Keys<M>) -> Written<M> {
        keys.put("stop_hook_active", &self.active())?;
        keys.put("agent_id", &stop.id)?;
        keys.put("agent_type", or_default(Some(&stop.kind)))?;
        keys.put("last_assistant_message", &stop.last_message.as_ref().or(stop.summary.as_ref()))
    }

    /// CDX-ENC-15
    fn stop<M: SerializeMap>(&self, stop: &TurnStop, keys: &mut Keys<M>) -> Written<M> {
        keys.put("stop_hook_active", &self.active())?;
        keys.put("last_assistant_message", &stop.last_message)
    }

    /// This vendor's hooks made the agent go on since the last prompt a user caused. CDX-ENC-16
    fn active(&self) -> bool {
        self.occasion.state.continuations.of(&CODEX) > 0
    }

    /// A note for each value that could not be written and is `null`. CDX-ENC-18
    fn unwritable(&self) -> Vec<Diagnostic> {
        let (call, stop) = match self.payload {
            Some(Payload::SubagentStop(stop)) => (None, stop.transcript.as_deref()),
            payload => (payload.and_then(Payload::call), None),
        };
        let (key, paths) = call.map_or(("", [].as_slice()), |call| tools::paths(&call.tool));
        let all = self.transcript.map(|path| ("transcript_path", path)).into_iter();
        let all = all.chain(stop.map(|path| ("agent_transcript_path", path))).chain([("cwd", &*self.cwd)]);
        let all = all.chain(paths.iter().map(|path: &PathBuf| (key, path.as_path())));
        let lost = all.filter(|(_, path)| shown(path).is_none());
        let mut notes: Vec<_> = lost.map(|(key, path)| unwritten(key, &path.display().to_string())).collect();
        if let Some(Payload::ToolResult(result)) = self.payload {
            let response = Response { call: &result.call, output: &result.output };
            notes.extend((!response.is_writable()).then(|| unwritten("tool_response", "a path in it")));
        }
        notes
    }
}

/// Why every session ends. CDX-ENC-09
pub(crate) const OTHER: &str = "other";

fn unwritten(key: &str, what: &str) -> Diagnostic {
    Diagnostic::note("codex/unwritable-value", format!("`{key}` is null: {what} is not valid text"))
}

/// CDX-ENC-11, CDX-ENC-12
fn tool<M: SerializeMap>(call: &ToolCall, asked: bool, keys: &mut Keys<M>) -> Written<M> {
    keys.put("tool_name", &tools::name(call))?;
    keys.put("tool_input", &Input { call, asked })
}
