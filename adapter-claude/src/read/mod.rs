//! A hook's standard input as an envelope: what `encode` wrote, or Claude Code itself. Keys that no
//! envelope could hold are named, never dropped in silence.

mod lists;

use std::{path::PathBuf, sync::Arc};

use harness_hooks_core::{
    Agent, CompactAfter, CompactBefore, CompactTrigger, Continuations, Decimal, Envelope, FailureKind, Fields, Json,
    Other, Payload, PromptOrigin, PromptSubmit, ReadError, Reading, Session, SessionEnd, SessionStart, SessionState,
    ShellOutput, StartSource, SubagentStart, SubagentStop, Text, Tool, ToolBefore, ToolCall, ToolDenied, ToolFailure,
    ToolOutput, ToolPermission, ToolResult, Turn, TurnStop,
};

use crate::{
    CLAUDE,
    encode::{COMMON, TIMED_OUT, exit_code},
    events::{self, Event, Row},
    tools::{self, Object, Origin, Wrong},
};

/// Reads a document. CLA-READ-01
pub(crate) fn read(document: &[u8]) -> Result<Reading, ReadError> {
    let text = std::str::from_utf8(document).map_err(|error| Wrong::new(format!("it is not UTF-8: {error}")))?;
    let text = text.trim_start_matches('\u{feff}');
    let json: Json = serde_json::from_str(text).map_err(|error| Wrong::new(format!("it is not JSON: {error}")))?;
    let mut keys = Object::of(&json).ok_or_else(|| Wrong::new("it is not a JSON object"))?;
    let name: Text = keys.required("hook_event_name")?;
    let row = events::by_name(&name)
        .ok_or_else(|| Wrong::new(format!("`hook_event_name` is `{name}`, and Claude Code has no such event")))?;
    Ok(Document { keys, cwd: PathBuf::new(), ignored: Vec::new() }.reading(row)?)
}

/// A document being read.
struct Document {
    keys: Object,
    cwd: PathBuf,
    /// Pointers of what no envelope holds inside of values that were read.
    ignored: Vec<String>,
}

impl Document {
    fn reading(mut self, row: &'static Row) -> Result<Reading, Wrong> {
        let id: Text = self.keys.required("session_id")?;
        self.cwd = self.keys.required("cwd")?;
        let prompt = self.keys.known::<Text>("prompt_id")?;
        let transcript = self.path("transcript_path")?;
        let mode = self.keys.known::<Text>("permission_mode")?;
        let effort = self.effort()?;
        let payload = self.payload(row)?;
        let session = Session::new(id.clone(), self.cwd.clone())
            .transcript(transcript)
            .permission_mode(mode)
            .effort(effort)
            .model(self.of(row, Event::SessionStart, "model")?)
            .title(self.of(row, Event::UserPromptSubmit, "session_title")?);
        let agent = self.agent()?;
        let envelope = Envelope::new(prompt.clone().unwrap_or(id), 0, Arc::new(session), payload)
            .turn(prompt.map(Turn::new))
            .agent(agent);
        let mut state = SessionState::new();
        if self.keys.known("stop_hook_active")?.unwrap_or(false) {
            state.continuations = Continuations::by(CLAUDE, 1); // how often is not said
        }
        let mut reading = Reading::new(row.id(), envelope, state);
        reading.ignored = self.keys.pointers("");
        reading.ignored.append(&mut self.ignored);
        Ok(reading)
    }

    /// A text of the session that only this event shows.
    fn of(&mut self, row: &Row, event: Event, key: &str) -> Result<Option<Text>, Wrong> {
        if row.event == event { self.keys.known(key) } else { Ok(None) }
    }

    /// A path that is the empty text where nobody knows it. CLA-ENC-04
    fn path(&mut self, key: &str) -> Result<Option<PathBuf>, Wrong> {
        let path = self.keys.known::<PathBuf>(key)?;
        Ok(path.filter(|path| !path.as_os_str().is_empty()))
    }

    fn effort(&mut self) -> Result<Option<Text>, Wrong> {
        let Some(mut effort) = self.keys.known::<Object>("effort")? else { return Ok(None) };
        let level = effort.known("level")?;
        self.ignored.extend(effort.pointers("/effort"));
        Ok(level)
    }

    /// The subagent it happens in; one that starts or ends is the payload's.
    fn agent(&mut self) -> Result<Option<Agent>, Wrong> {
        let Some(id) = self.keys.known::<Text>("agent_id")? else { return Ok(None) };
        Ok(Some(Agent::new(id).kind(self.keys.known::<Text>("agent_type")?)))
    }

    fn payload(&mut self, row: &Row) -> Result<Payload, Wrong> {
        Ok(match row.event {
            Event::SessionStart => self.session_start()?.into(),
            Event::UserPromptSubmit => self.prompt()?.into(),
            Event::PreToolUse => ToolBefore::new(self.call(true)?).into(),
            Event::PermissionRequest => {
                let suggestions = self.keys.known::<Json>("permission_suggestions")?;
                ToolPermission::new(self.call(false)?).suggestions(suggestions).into()
            }
            Event::PostToolUse => {
                let (call, duration_ms) = (self.call(true)?, self.duration()?);
                tools::result(call, &self.keys.required("tool_response")?, duration_ms, &self.cwd).into()
            }
            Event::PostToolUseFailure => self.failure()?,
            Event::PermissionDenied => {
                let call = self.call(true)?;
                ToolDenied::new(call, self.keys.required::<Text>("reason")?).into()
            }
            Event::SubagentStart => {
                let (id, kind) = self.subagent()?;
                SubagentStart::new(id, kind, "").into()
            }
            Event::SubagentStop => self.subagent_stop()?.into(),
            Event::Stop => self.stop()?.into(),
            Event::PreCompact => {
                let instructions = self.keys.take("custom_instructions").filter(|said| said.as_str() != "null");
                let instructions =
                    instructions.map(|said| tools::fit::<Text>("custom_instructions", &said)).transpose()?;
                CompactBefore::new().trigger(self.trigger()?).instructions(instructions).into()
            }
            Event::PostCompact => {
                let summary = self.keys.required::<Text>("compact_summary")?;
                let summary = Some(summary).filter(|summary| !summary.is_empty());
                CompactAfter::new().trigger(self.trigger()?).summary(summary).into()
            }
            Event::SessionEnd => SessionEnd::new(self.keys.required::<Text>("reason")?).into(),
            _ => self.free(row)?,
        })
    }

    fn session_start(&mut self) -> Result<SessionStart, Wrong> {
        let source: Json = self.keys.required("source")?;
        let unknown = || Wrong::new(format!("`source` is {source}, which is no word of Claude Code's"));
        Ok(SessionStart::new()
            .source(source.read::<StartSource>().map_err(|_| unknown())?)
            .idle_seconds(self.keys.known::<Decimal>("seconds_since_last_response")?)
            .context_tokens(self.keys.known::<u64>("context_tokens")?)
            .cache_expired(self.keys.known::<bool>("prompt_cache_likely_expired")?)
            .cache_write_usd(self.keys.known::<Decimal>("estimated_cache_write_usd")?))
    }

    /// A cause other than these two is the host's own.
    fn prompt(&mut self) -> Result<PromptSubmit, Wrong> {
        let cause = self.keys.known::<Text>("source")?;
        let by_user = matches!(cause.as_deref(), None | Some("user" | "sdk"));
        Ok(PromptSubmit::new(self.keys.required::<Text>("prompt")?)
            .origin(if by_user { PromptOrigin::User } else { PromptOrigin::Host })
            .cause(cause))
    }

    fn trigger(&mut self) -> Result<CompactTrigger, Wrong> {
        let trigger: Json = self.keys.required("trigger")?;
        let unknown = || Wrong::new(format!("`trigger` is {trigger}, which is no word of Claude Code's"));
        trigger.read().map_err(|_| unknown())
    }

    fn subagent(&mut self) -> Result<(Text, Text), Wrong> {
        Ok((self.keys.required("agent_id")?, self.keys.known("agent_type")?.unwrap_or_default()))
    }

    fn subagent_stop(&mut self) -> Result<SubagentStop, Wrong> {
        let (id, kind) = self.subagent()?;
        Ok(SubagentStop::new(id, kind)
            .transcript(self.path("agent_transcript_path")?)
            .last_message(self.keys.known::<Text>("last_assistant_message")?)
            .background_tasks(self.tasks()?)
            .schedules(self.schedules()?))
    }

    fn stop(&mut self) -> Result<TurnStop, Wrong> {
        Ok(TurnStop::new()
            .last_message(self.keys.known::<Text>("last_assistant_message")?)
            .background_tasks(self.tasks()?)
            .schedules(self.schedules()?))
    }

    fn duration(&mut self) -> Result<Option<Decimal>, Wrong> {
        self.keys.known("duration_ms")
    }

    /// A call; a permission request says no id of it. CLA-ENC-14
    fn call(&mut self, has_id: bool) -> Result<ToolCall, Wrong> {
        let (name, input) = (self.keys.required::<Text>("tool_name")?, self.keys.required("tool_input")?);
        let id = if has_id { Some(self.keys.required("tool_use_id")?) } else { self.keys.known("tool_use_id")? };
        let origin = self.origin(&name).or_else(|| Origin::of_name(&name));
        let (tool, extra) = tools::tool(&name, input, origin)?;
        let call = ToolCall::new(id.unwrap_or_else(Text::default), name, tool);
        Ok(extra.into_iter().fold(call, |call, (key, value)| call.extra(key, value)))
    }

    /// Where an MCP tool comes from, as far as that is said beside its name. CLA-TOOL-08
    fn origin(&mut self, name: &str) -> Option<Origin> {
        let mut server = Object::of(self.keys.get("mcp_server")?)?;
        let origin = Origin::beside(name, &mut server)?;
        self.keys.take("mcp_server");
        self.ignored.extend(server.pointers("/mcp_server"));
        Some(origin)
    }

    /// A command with an exit code ran and returned; anything else never returned.
    fn failure(&mut self) -> Result<Payload, Wrong> {
        let call = self.call(true)?;
        let error: Text = self.keys.required("error")?;
        let interrupted = self.keys.known("is_interrupt")?.unwrap_or(false);
        let duration_ms = self.duration()?;
        let ended = exit_code(&error).filter(|_| !interrupted && matches!(call.tool, Tool::Shell(_)));
        let kind = match ended {
            Some((_, Some(printed))) if printed.starts_with(TIMED_OUT) => FailureKind::Timeout,
            Some((code, printed)) if printed != Some("") => {
                let printed = printed.map(|printed| tools::with_line_end(printed.into()));
                let output = ShellOutput::new().combined(printed).exit_code(code);
                return Ok(ToolResult::new(call, ToolOutput::Shell(output)).duration_ms(duration_ms).into());
            }
            _ if interrupted => FailureKind::Cancelled,
            _ => FailureKind::Error,
        };
        Ok(ToolFailure::new(call, error).kind(kind).duration_ms(duration_ms).into())
    }

    /// Everything but the common keys, in its order.
    fn free(&mut self, row: &Row) -> Result<Payload, Wrong> {
        let unknown = || Wrong::new(format!("`{}` happens nowhere", row.name()));
        let moment = row.spec.moments.first().ok_or_else(unknown)?;
        let mut fields = Fields::default();
        for (key, value) in self.keys.take_all_but(&COMMON) {
            fields.set(key, value);
        }
        Ok(Other::new(moment.boundary, Json::of(&fields)).into())
    }
}
