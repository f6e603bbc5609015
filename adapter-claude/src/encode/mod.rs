//! An envelope as the JSON a hook reads on standard input. Tool calls inside it are `tools`.

mod failure;
mod lists;
mod notes;

use std::path::Path;

use harness_hooks_core::{
    CompactAfter, CompactBefore, Diagnostic, FailureKind, Json, Occasion, Payload, PromptSubmit, SessionStart,
    StartSource, SubagentStop, Text, Tool, ToolCall, ToolFailure, ToolResult, TurnStop,
};
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    CLAUDE,
    events::{Event, Row},
    matcher,
    tools::{self, Input, Keys, Response, Server, shown},
};
use lists::{Schedules, Tasks};

pub(crate) use failure::{TIMED_OUT, exit_code};

/// Writes standard input for an event. CLA-ENC-01
pub(crate) fn encode(row: &Row, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
    let start = out.len();
    const REST: usize = 2048;
    let payload = &occasion.envelope.payload;
    out.reserve(payload.room() + echoed(payload) + REST);
    if serde_json::to_writer(&mut *out, &Stdin { row, occasion }).is_err() {
        // only a value with keys that are not text could do this, and there is none
        out.truncate(start);
        out.extend_from_slice(b"{}");
    }
    out.push(b'\n');
    notes::notes(row, occasion)
}

/// What stands twice: a file's content, in the call and in its result, and what the file held before.
fn echoed(payload: &Payload) -> usize {
    let Payload::ToolResult(ToolResult { call, file, .. }) = payload else { return 0 };
    let original = file.as_ref().and_then(|file| file.original.as_ref()).map_or(0, |text| text.len());
    let content = if let Tool::Write(write) = &call.tool { write.content.len() } else { 0 };
    original + content
}

/// Keys of every standard input, which are written from the envelope. CLA-ENC-03
pub(crate) const COMMON: [&str; 9] = [
    "session_id",
    "transcript_path",
    "cwd",
    "prompt_id",
    "permission_mode",
    "agent_id",
    "agent_type",
    "effort",
    "hook_event_name",
];

struct Stdin<'a> {
    row: &'a Row,
    occasion: Occasion<'a>,
}

/// The common keys stand before the event's own. CLA-ENC-03 to CLA-ENC-08
impl Serialize for Stdin<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Effort<'a> {
            level: &'a Text,
        }
        let Stdin { row, occasion: Occasion { envelope, .. } } = self;
        let session = &*envelope.session;
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put("session_id", &session.id)?;
        keys.put("transcript_path", &always(session.transcript.as_deref()))?;
        keys.put("cwd", &shown(&session.cwd))?;
        keys.put_some("prompt_id", envelope.turn.as_ref().map(|turn| &turn.id))?;
        keys.put_some("permission_mode", session.permission_mode.as_ref().filter(|_| row.shows_mode))?;
        let (id, kind) = self.agent();
        keys.put_some("agent_id", id)?;
        keys.put_some("agent_type", kind)?;
        let effort = session.effort.as_ref().filter(|_| row.shows_effort);
        keys.put_some("effort", effort.map(|level| Effort { level }))?;
        keys.put("hook_event_name", row.name())?;
        if matcher::happens(row, envelope) {
            self.own(&mut keys)?;
        }
        keys.0.end()
    }
}

/// A path that is always written: the empty text where it is not known. CLA-ENC-04
fn always(path: Option<&Path>) -> Option<&str> {
    path.map_or(Some(""), shown)
}

type Written<M> = Result<(), <M as SerializeMap>::Error>;

impl Stdin<'_> {
    /// The subagent it happens in, or the one that starts or ends. CLA-ENC-07
    fn agent(&self) -> (Option<&Text>, Option<&Text>) {
        let Stdin { row, occasion: Occasion { envelope, .. } } = self;
        match (row.event, &envelope.payload) {
            (Event::SubagentStart, Payload::SubagentStart(start)) => (Some(&start.id), Some(&start.kind)),
            (Event::SubagentStop, Payload::SubagentStop(stop)) => (Some(&stop.id), Some(&stop.kind)),
            _ => {
                let agent = envelope.agent.as_ref();
                (agent.map(|agent| &agent.id), agent.and_then(|agent| agent.kind.as_ref()))
            }
        }
    }

    /// The event's own keys.
    fn own<M: SerializeMap>(&self, keys: &mut Keys<M>) -> Written<M> {
        match (self.row.event, &self.occasion.envelope.payload) {
            (Event::SessionStart, Payload::SessionStart(payload)) => self.session_start(payload, keys),
            (Event::SessionEnd, Payload::SessionEnd(payload)) => keys.put("reason", &payload.reason),
            (Event::UserPromptSubmit, Payload::PromptSubmit(payload)) => self.prompt(payload, keys),
            (Event::PreToolUse, Payload::ToolBefore(payload)) => {
                self.call(&payload.call, keys)?;
                keys.put("tool_use_id", &payload.call.id)?;
                keys.put_some("mcp_server", Server::of(&payload.call))
            }
            (Event::PermissionRequest, Payload::ToolPermission(payload)) => {
                self.call(&payload.call, keys)?;
                let some = payload.suggestions.as_ref().filter(|suggestions| !suggestions.is_null()).map(Json::plain);
                keys.put_some("permission_suggestions", some)
            }
            (Event::PostToolUse, Payload::ToolResult(payload)) => self.tool_result(payload, keys),
            (Event::PostToolUseFailure, Payload::ToolResult(payload)) => self.bad_exit(payload, keys),
            (Event::PostToolUseFailure, Payload::ToolFailure(payload)) => self.tool_failure(payload, keys),
            (Event::PermissionDenied, Payload::ToolDenied(payload)) => {
                self.call(&payload.call, keys)?;
                keys.put("tool_use_id", &payload.call.id)?;
                keys.put("reason", &payload.reason)
            }
            (Event::SubagentStop, Payload::SubagentStop(payload)) => self.subagent_stop(payload, keys),
            (Event::Stop, Payload::TurnStop(payload)) => self.stop(payload, keys),
            (Event::PreCompact, Payload::CompactBefore(payload)) => compact_before(payload, keys),
            (Event::PostCompact, Payload::CompactAfter(payload)) => compact_after(payload, keys),
            (_, Payload::Other(other)) => free(&other.fields, keys),
            _ => Ok(()), // SubagentStart has nothing of its own
        }
    }

    fn call<M: SerializeMap>(&self, call: &ToolCall, keys: &mut Keys<M>) -> Written<M> {
        keys.put("tool_name", &tools::name(call))?;
        keys.put("tool_input", &Input { call, cwd: Some(&self.occasion.envelope.session.cwd) })
    }

    /// CLA-ENC-09
    fn session_start<M: SerializeMap>(&self, payload: &SessionStart, keys: &mut Keys<M>) -> Written<M> {
        keys.put("source", &payload.source)?;
        if goes_on(payload) {
            keys.put_some("seconds_since_last_response", payload.idle_seconds)?;
            keys.put_some("context_tokens", payload.context_tokens)?;
            keys.put_some("prompt_cache_likely_expired", payload.cache_expired)?;
            keys.put_some("estimated_cache_write_usd", payload.cache_write_usd)?;
        }
        keys.put_some("model", self.occasion.envelope.session.model.as_ref())
    }

    /// CLA-ENC-11
    fn prompt<M: SerializeMap>(&self, payload: &PromptSubmit, keys: &mut Keys<M>) -> Written<M> {
        keys.put("prompt", &payload.prompt)?;
        keys.put_some("source", payload.cause.as_ref())?;
        keys.put_some("session_title", self.occasion.envelope.session.title.as_ref())
    }

    /// CLA-ENC-15
    fn tool_result<M: SerializeMap>(&self, payload: &ToolResult, keys: &mut Keys<M>) -> Written<M> {
        self.call(&payload.call, keys)?;
        keys.put("tool_response", &Response { result: payload, cwd: &self.occasion.envelope.session.cwd })?;
        keys.put("tool_use_id", &payload.call.id)?;
        keys.put_some("duration_ms", payload.duration_ms)?;
        keys.put_some("mcp_server", Server::of(&payload.call))
    }

    /// A shell command whose exit code says that it went wrong. CLA-ENC-16
    fn bad_exit<M: SerializeMap>(&self, payload: &ToolResult, keys: &mut Keys<M>) -> Written<M> {
        self.call(&payload.call, keys)?;
        keys.put("tool_use_id", &payload.call.id)?;
        keys.put("error", &failure::of_exit(payload))?;
        keys.put("is_interrupt", &false)?;
        keys.put_some("duration_ms", payload.duration_ms)
    }

    /// CLA-ENC-16
    fn tool_failure<M: SerializeMap>(&self, payload: &ToolFailure, keys: &mut Keys<M>) -> Written<M> {
        self.call(&payload.call, keys)?;
        keys.put("tool_use_id", &payload.call.id)?;
        keys.put("error", &failure::shortened("", &payload.error))?;
        keys.put("is_interrupt", &(payload.kind == FailureKind::Cancelled))?;
        keys.put_some("duration_ms", payload.duration_ms)
    }

    /// Whether hooks of this vendor made the agent go on since the last prompt a user caused.
    /// CLA-ENC-21
    fn stop_hook_active(&self) -> bool {
        self.occasion.state.continuations.of(&CLAUDE) > 0
    }

    /// CLA-ENC-20
    fn stop<M: SerializeMap>(&self, payload: &TurnStop, keys: &mut Keys<M>) -> Written<M> {
        keys.put("stop_hook_active", &self.stop_hook_active())?;
        keys.put_some("last_assistant_message", payload.last_message.as_ref())?;
        keys.put("background_tasks", &Tasks(&payload.background_tasks))?;
        keys.put("session_crons", &Schedules(&payload.schedules))
    }

    /// CLA-ENC-20
    fn subagent_stop<M: SerializeMap>(&self, payload: &SubagentStop, keys: &mut Keys<M>) -> Written<M> {
        keys.put("stop_hook_active", &self.stop_hook_active())?;
        keys.put("agent_transcript_path", &always(payload.transcript.as_deref()))?;
        keys.put_some("last_assistant_message", payload.last_message.as_ref().or(payload.summary.as_ref()))?;
        keys.put("background_tasks", &Tasks(&payload.background_tasks))?;
        keys.put("session_crons", &Schedules(&payload.schedules))
    }
}

/// An earlier conversation goes on, so that there is something to say of it. CLA-ENC-09
fn goes_on(start: &SessionStart) -> bool {
    matches!(start.source, StartSource::Resume | StartSource::Fork)
}

/// CLA-ENC-26
fn compact_before<M: SerializeMap>(payload: &CompactBefore, keys: &mut Keys<M>) -> Written<M> {
    keys.put("trigger", payload.trigger.name())?;
    keys.put("custom_instructions", &payload.instructions)
}

/// CLA-ENC-26
fn compact_after<M: SerializeMap>(payload: &CompactAfter, keys: &mut Keys<M>) -> Written<M> {
    keys.put("trigger", payload.trigger.name())?;
    keys.put("compact_summary", payload.summary.as_deref().unwrap_or(""))
}

/// Fields only this vendor has, as the host gave them, unless a common field has their name.
/// CLA-ENC-02
fn free<M: SerializeMap>(fields: &Json, keys: &mut Keys<M>) -> Written<M> {
    for (key, value) in fields.fields().unwrap_or_default() {
        if !COMMON.contains(&key.as_str()) {
            keys.put(&key, &value.plain())?;
        }
    }
    Ok(())
}
