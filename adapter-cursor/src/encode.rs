//! An envelope as the JSON a hook reads on standard input. Tool calls inside it are `tools.rs`.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use harness_hooks_core::{
    Attachment, AttachmentKind, CompactBefore, CompactTrigger, Diagnostic, FailureKind, FileRead, Json, Occasion,
    Payload, SessionEnd, SessionStart, SubagentStart, SubagentStop, Support, Tokens, Tool, ToolCall, ToolFailure,
    ToolOutput, ToolResult, WorkEnd,
};
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    CURSOR,
    departures::Way,
    events::{Event, Row},
    tools::{self, Input, Keys, Output, shown},
};

/// Writes standard input for an event. CUR-ENC-01
pub(crate) fn encode(row: &Row, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
    const REST: usize = 2048;
    out.reserve(occasion.envelope.payload.room() + REST);
    let document = Stdin { row, occasion };
    if serde_json::to_writer(&mut *out, &document).is_err() {
        // only a value with keys that are not text could do this, and there is none
        out.extend_from_slice(b"null");
    }
    unwritable(occasion)
}

/// A note for each path that is not text and was written as `null`. CUR-ENC-20
fn unwritable(occasion: Occasion<'_>) -> Vec<Diagnostic> {
    let session = &occasion.envelope.session;
    let payload = &occasion.envelope.payload;
    let cwd = session.roots.is_empty().then_some(("workspace_roots", session.cwd.as_path()));
    let transcript = session.transcript.as_deref().map(|path| ("transcript_path", path));
    let (several, paths) = paths(payload);
    let attachments = attached(payload).iter().map(|attachment| ("attachments", attachment.path.as_path()));
    let all = session.roots.iter().map(|root| ("workspace_roots", root.as_path()));
    let all = all.chain(cwd).chain(transcript).chain(path(occasion)).chain(attachments);
    let all = all.chain(paths.iter().map(|path| (several, path.as_path())));
    let lost = all.filter(|(_, path)| shown(path).is_none()).map(|(field, path)| {
        let message = format!("`{field}` is null: {} is not valid text", path.display());
        Diagnostic::note("cursor/unwritable-value", message)
    });
    let mut notes: Vec<Diagnostic> = lost.collect();
    if let Payload::Other(other) = payload {
        notes.extend(unwritten(&other.fields, &version_key(&occasion.host.name)));
    }
    notes
}

/// A note for each free field that is not written, because a common field has its name. CUR-ENC-19
fn unwritten(fields: &Json, version: &str) -> Vec<Diagnostic> {
    let note = |message: String| Diagnostic::note("cursor/unwritable-value", message);
    let Some(fields) = fields.fields() else {
        return vec![note("the envelope's fields are no object, so none of them is written".into())];
    };
    let taken = fields.iter().filter(|(key, _)| is_common(key, version));
    taken.map(|(key, _)| note(format!("the field `{key}` is not written: a common field has its name"))).collect()
}

/// The one path of a payload, and the key it is written under.
fn path(occasion: Occasion<'_>) -> Option<(&'static str, &Path)> {
    let file = match &occasion.envelope.payload {
        Payload::FileRead(read) => Some(&read.path),
        Payload::SubagentStop(stop) => return stop.transcript.as_deref().map(|path| ("agent_transcript_path", path)),
        payload => match &payload.call()?.tool {
            Tool::Shell(tool) => return Some(("cwd", tool.cwd.as_ref().unwrap_or(&occasion.envelope.session.cwd))),
            Tool::Read(tool) => Some(&tool.path),
            Tool::Write(tool) => Some(&tool.path),
            Tool::Edit(tool) => Some(&tool.path),
            Tool::Delete(tool) => Some(&tool.path),
            Tool::List(tool) => Some(&tool.path),
            Tool::Grep(tool) => tool.path.as_ref(),
            Tool::Glob(tool) => tool.path.as_ref(),
            _ => None,
        },
    };
    file.map(|path| ("file_path", path.as_path()))
}

/// The paths of a payload that has several, and the key they are written under.
fn paths(payload: &Payload) -> (&'static str, &[PathBuf]) {
    match payload {
        Payload::SubagentStop(stop) => ("modified_files", &stop.modified_files),
        payload => match payload.call().map(|call| &call.tool) {
            Some(Tool::Patch(patch)) => ("file_paths", &patch.paths),
            _ => ("", &[]),
        },
    }
}

fn attached(payload: &Payload) -> &[Attachment] {
    match payload {
        Payload::PromptSubmit(prompt) => &prompt.attachments,
        Payload::FileRead(read) => &read.attachments,
        _ => &[],
    }
}

struct Stdin<'a> {
    row: &'a Row,
    occasion: Occasion<'a>,
}

/// The common fields stand around the event's own. CUR-ENC-02 to CUR-ENC-05
impl Serialize for Stdin<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Occasion { envelope, host, .. } = self.occasion;
        let session = &*envelope.session;
        let mut keys = Keys(serializer.serialize_map(None)?);
        let conversation = self.row.event != Event::WorkspaceOpen;
        if conversation {
            keys.put("conversation_id", &session.id)?;
            keys.put("generation_id", envelope.turn.as_ref().map_or(&session.id, |turn| &turn.id))?;
            keys.put_some("model", session.model.as_ref())?;
            let wire = self.wire_keys_only();
            let name = session.model.as_ref().filter(|_| !wire);
            keys.put_some("model_id", session.model_id.as_ref().or(name))?;
            keys.put_some("model_params", (!wire).then_some([(); 0]))?;
            self.own(&mut keys)?;
            keys.put("session_id", &session.id)?;
        }
        keys.put("hook_event_name", self.row.name())?;
        keys.put("cursor_version", &host.version)?;
        if conversation && !self.wire_keys_only() {
            let key = version_key(&host.name);
            keys.put_some(&key, (key != "cursor_version").then_some(&host.version))?;
        }
        let roots = if session.roots.is_empty() { std::slice::from_ref(&session.cwd) } else { &session.roots };
        keys.put("workspace_roots", &Paths(roots))?;
        keys.put("user_email", &session.user_email)?;
        if conversation {
            keys.put("transcript_path", &session.transcript.as_deref().map(shown))?;
        }
        keys.0.end()
    }
}

/// Paths as a hook reads them.
struct Paths<'a>(&'a [PathBuf]);

impl Serialize for Paths<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|path| shown(path)))
    }
}

/// Keys of every standard input, which are written from the envelope and the host. CUR-ENC-02
pub(crate) const COMMON: [&str; 11] = [
    "conversation_id",
    "generation_id",
    "model",
    "model_id",
    "model_params",
    "session_id",
    "hook_event_name",
    "cursor_version",
    "workspace_roots",
    "user_email",
    "transcript_path",
];

/// The host's own version key is a common one too.
fn is_common(key: &str, version: &str) -> bool {
    key == version || COMMON.contains(&key)
}

/// `acme_version` of a host named `Acme`. CUR-ENC-04
fn version_key(host: &str) -> String {
    let mut key = String::with_capacity(host.len() + "_version".len());
    key.extend(host.chars().map(|c| match c.to_ascii_lowercase() {
        c if c.is_ascii_lowercase() || c.is_ascii_digit() => c,
        _ => '_',
    }));
    key.push_str("_version");
    key
}

type Written<M> = Result<(), <M as SerializeMap>::Error>;

impl Stdin<'_> {
    /// Only what Cursor itself was seen to send.
    fn wire_keys_only(&self) -> bool {
        self.row.ways.cursors(Way::WireKeys)
    }

    /// A value Cursor itself does not send.
    fn beyond<T>(&self, value: Option<T>) -> Option<T> {
        value.filter(|_| !self.wire_keys_only())
    }

    /// The event's own fields. An event handed a payload it is not about, or one the host does not
    /// fire, has none. CUR-ENC-19
    fn own<M: SerializeMap>(&self, keys: &mut Keys<M>) -> Written<M> {
        let fires = |m: &harness_hooks_core::Moment| self.occasion.host.support(m.boundary, m.facet);
        if !self.row.spec.moments.iter().any(|m| fires(m) == Some(Support::Fires)) {
            return Ok(());
        }
        match (self.row.event, &self.occasion.envelope.payload) {
            (Event::SessionStart, Payload::SessionStart(payload)) => self.session_start(payload, keys),
            (Event::SessionEnd, Payload::SessionEnd(payload)) => session_end(payload, keys),
            (Event::PreToolUse, Payload::ToolBefore(payload)) => self.pre_tool_use(&payload.call, keys),
            (Event::PostToolUse, Payload::ToolResult(payload)) => self.post_tool_use(payload, keys),
            (Event::PostToolUseFailure, Payload::ToolFailure(payload)) => self.tool_failure(payload, keys),
            (Event::PostToolUseFailure, Payload::ToolDenied(payload)) => {
                self.tool_ended(&payload.call, keys, |keys| {
                    keys.put("error_message", &payload.reason)?;
                    keys.put("failure_type", "permission_denied")?;
                    keys.put("duration", &0)
                })?;
                keys.put("is_interrupt", &false)?;
                self.shell_cwd(&payload.call, keys)
            }
            (Event::SubagentStart, Payload::SubagentStart(payload)) => self.subagent_start(payload, keys),
            (Event::SubagentStop, Payload::SubagentStop(payload)) => self.subagent_stop(payload, keys),
            (Event::BeforeShellExecution, Payload::ToolBefore(payload)) => self.shell(&payload.call, None, keys),
            (Event::AfterShellExecution, Payload::ToolResult(payload)) => {
                self.shell(&payload.call, Some(payload), keys)
            }
            (Event::BeforeMcpExecution, Payload::ToolBefore(payload)) => self.before_mcp(&payload.call, keys),
            (Event::AfterMcpExecution, Payload::ToolResult(payload)) => self.after_mcp(payload, keys),
            (Event::BeforeReadFile, Payload::FileRead(payload)) => file_read(payload, keys),
            (Event::AfterFileEdit, Payload::ToolResult(payload)) => self.file_edit(&payload.call, keys),
            (Event::BeforeSubmitPrompt, Payload::PromptSubmit(payload)) => {
                keys.put("prompt", &payload.prompt)?;
                attachments(&payload.attachments, keys)
            }
            (Event::PreCompact, Payload::CompactBefore(payload)) => compact(payload, keys),
            (Event::Stop, Payload::TurnStop(payload)) => {
                keys.put("status", status(payload.end))?;
                keys.put("loop_count", &self.loop_count())?;
                tokens(payload.tokens, keys)
            }
            (Event::AfterAgentResponse, Payload::AgentResponse(payload)) => {
                keys.put("text", &payload.text)?;
                tokens(payload.tokens, keys)
            }
            (Event::AfterAgentThought, Payload::AgentThought(payload)) => {
                keys.put("text", &payload.text)?;
                keys.put_some("duration_ms", payload.duration_ms)
            }
            (_, Payload::Other(other)) if self.row.spec.moment(other.boundary, None).is_some() => {
                self.free(&other.fields, keys)
            }
            _ => Ok(()),
        }
    }

    /// Continuations of this vendor since the last prompt a user caused. CUR-ENC-18
    fn loop_count(&self) -> u32 {
        self.occasion.state.continuations.of(&CURSOR)
    }

    fn cwd<'a>(&'a self, call: &'a ToolCall) -> &'a Path {
        let own = match &call.tool {
            Tool::Shell(shell) => shell.cwd.as_deref(),
            _ => None,
        };
        own.unwrap_or(&self.occasion.envelope.session.cwd)
    }

    fn tool<M: SerializeMap>(&self, call: &ToolCall, keys: &mut Keys<M>) -> Written<M> {
        keys.put("tool_name", &tools::name(call))?;
        keys.put("tool_input", &Input { call, cwd: Some(&self.occasion.envelope.session.cwd) })
    }

    fn shell_cwd<M: SerializeMap>(&self, call: &ToolCall, keys: &mut Keys<M>) -> Written<M> {
        let shell = matches!(call.tool, Tool::Shell(_));
        keys.put_some("cwd", shell.then(|| shown(self.cwd(call))))
    }

    /// CUR-ENC-08
    fn pre_tool_use<M: SerializeMap>(&self, call: &ToolCall, keys: &mut Keys<M>) -> Written<M> {
        self.tool_ended(call, keys, |_| Ok(()))?;
        self.shell_cwd(call, keys)
    }

    /// Name and input, what came of it, the call's id. CUR-ENC-06
    fn tool_ended<M: SerializeMap>(
        &self,
        call: &ToolCall,
        keys: &mut Keys<M>,
        end: impl FnOnce(&mut Keys<M>) -> Written<M>,
    ) -> Written<M> {
        self.tool(call, keys)?;
        end(keys)?;
        keys.put("tool_use_id", &call.id)
    }

    /// CUR-ENC-09
    fn post_tool_use<M: SerializeMap>(&self, payload: &ToolResult, keys: &mut Keys<M>) -> Written<M> {
        let ToolResult { call, output, duration_ms, .. } = payload;
        self.tool_ended(call, keys, |keys| {
            keys.put("tool_output", &AsText(Output { ways: self.row.ways, call, output }))?;
            keys.put_some("duration", *duration_ms)
        })?;
        self.shell_cwd(call, keys)
    }

    /// CUR-ENC-10
    fn tool_failure<M: SerializeMap>(&self, payload: &ToolFailure, keys: &mut Keys<M>) -> Written<M> {
        let ToolFailure { call, error, kind, cancellation, duration_ms, .. } = payload;
        self.tool_ended(call, keys, |keys| {
            keys.put("error_message", error)?;
            keys.put("failure_type", if *kind == FailureKind::Timeout { "timeout" } else { "error" })?;
            keys.put_some("duration", *duration_ms)
        })?;
        keys.put("is_interrupt", &(*kind == FailureKind::Cancelled))?;
        self.shell_cwd(call, keys)?;
        keys.put_some("cancellation_reason", self.beyond(cancellation.as_ref()))
    }

    /// CUR-ENC-12
    fn shell<M: SerializeMap>(&self, call: &ToolCall, after: Option<&ToolResult>, keys: &mut Keys<M>) -> Written<M> {
        let Tool::Shell(shell) = &call.tool else { return Ok(()) };
        keys.put("command", &shell.command)?;
        match after.map(|result| (&result.output, result.duration_ms)) {
            Some((ToolOutput::Shell(output), duration)) => {
                keys.put("output", &output.printed())?;
                keys.put_some("duration", duration)?;
                keys.put_some("exit_code", self.beyond(output.exit_code))?;
            }
            Some((_, duration)) => keys.put_some("duration", duration)?,
            None => keys.put("cwd", &shown(self.cwd(call)))?,
        }
        keys.put_some("sandbox", shell.sandboxed)?;
        keys.put_some("tool_use_id", self.beyond(Some(&call.id)))
    }

    /// CUR-ENC-11
    fn subagent_start<M: SerializeMap>(&self, payload: &SubagentStart, keys: &mut Keys<M>) -> Written<M> {
        keys.put("subagent_id", &payload.id)?;
        keys.put("subagent_type", &payload.kind)?;
        keys.put("task", &payload.task)?;
        keys.put("parent_conversation_id", &self.occasion.envelope.session.id)?;
        keys.put_some("tool_call_id", payload.call_id.as_ref())?;
        keys.put_some("subagent_model", payload.model.as_ref())?;
        keys.put("is_parallel_worker", &payload.parallel)?;
        keys.put_some("git_branch", payload.git_branch.as_ref())
    }

    /// CUR-ENC-11
    fn subagent_stop<M: SerializeMap>(&self, payload: &SubagentStop, keys: &mut Keys<M>) -> Written<M> {
        keys.put("subagent_id", &payload.id)?;
        keys.put("subagent_type", &payload.kind)?;
        keys.put("status", status(payload.end))?;
        keys.put_some("task", payload.task.as_ref())?;
        keys.put_some("description", payload.description.as_ref())?;
        keys.put_some("summary", payload.summary.as_ref())?;
        keys.put_some("duration_ms", payload.duration_ms)?;
        keys.put_some("message_count", payload.message_count)?;
        keys.put_some("tool_call_count", payload.tool_call_count)?;
        keys.put("loop_count", &self.loop_count())?;
        keys.put("modified_files", &Paths(&payload.modified_files))?;
        keys.put("agent_transcript_path", &payload.transcript.as_deref().map(shown))?;
        keys.put("parent_conversation_id", &self.occasion.envelope.session.id)?;
        keys.put_some("error_message", payload.error.as_ref())?;
        keys.put_some("git_branch", payload.git_branch.as_ref())
    }

    /// CUR-ENC-07
    fn session_start<M: SerializeMap>(&self, payload: &SessionStart, keys: &mut Keys<M>) -> Written<M> {
        keys.put("is_background_agent", &payload.background)?;
        let default = self.beyond(Some("agent"));
        keys.put_some("composer_mode", payload.mode.as_deref().or(default))
    }

    /// CUR-ENC-13
    fn before_mcp<M: SerializeMap>(&self, call: &ToolCall, keys: &mut Keys<M>) -> Written<M> {
        let Tool::Mcp(mcp) = &call.tool else { return Ok(()) };
        keys.put("tool_name", &mcp.tool)?;
        keys.put("tool_input", mcp.arguments.as_str())?;
        keys.put("mcp_server_name", &mcp.server)?;
        keys.put_some("mcp_server_id", self.beyond(mcp.server_id.as_ref()))?;
        match &mcp.url {
            Some(url) => {
                keys.put("url", url)?;
                keys.put("mcp_server_url", url)?;
            }
            None => keys.put_some("command", mcp.command_line.as_ref())?,
        }
        keys.put_some("tool_use_id", self.beyond(Some(&call.id)))
    }

    /// CUR-ENC-13
    fn after_mcp<M: SerializeMap>(&self, payload: &ToolResult, keys: &mut Keys<M>) -> Written<M> {
        let Tool::Mcp(mcp) = &payload.call.tool else { return Ok(()) };
        keys.put("tool_name", &mcp.tool)?;
        keys.put("tool_input", mcp.arguments.as_str())?;
        keys.put("mcp_server_name", &mcp.server)?;
        keys.put_some("mcp_server_id", self.beyond(mcp.server_id.as_ref()))?;
        keys.put_some("mcp_server_url", mcp.url.as_ref())?;
        match &payload.output {
            ToolOutput::Mcp(output) => keys.put("result_json", output.result.as_str())?,
            ToolOutput::Json(json) => keys.put("result_json", json.as_str())?,
            ToolOutput::Text(text) => keys.put("result_json", &AsText(text))?,
            _ => keys.put("result_json", "null")?,
        }
        keys.put_some("duration", payload.duration_ms)?;
        keys.put_some("tool_use_id", self.beyond(Some(&payload.call.id)))
    }

    /// CUR-ENC-15
    fn file_edit<M: SerializeMap>(&self, call: &ToolCall, keys: &mut Keys<M>) -> Written<M> {
        #[derive(Serialize)]
        struct Replacement<'a> {
            old_string: &'a str,
            new_string: &'a str,
        }
        let (path, edits) = match &call.tool {
            Tool::Write(write) => (Some(&write.path), vec![Replacement { old_string: "", new_string: &write.content }]),
            Tool::Edit(edit) => {
                let edits = edit.edits.iter().map(|e| Replacement { old_string: &e.old, new_string: &e.new });
                (Some(&edit.path), edits.collect())
            }
            Tool::Patch(patch) => (patch.paths.first(), Vec::new()),
            _ => return Ok(()),
        };
        keys.put("file_path", &path.map(|path| shown(path)))?;
        keys.put("edits", &edits)?;
        keys.put_some("tool_use_id", self.beyond(Some(&call.id)))
    }

    /// Fields only this vendor has, as the host gave them, unless a common field has their name.
    /// CUR-ENC-19
    fn free<M: SerializeMap>(&self, fields: &Json, keys: &mut Keys<M>) -> Written<M> {
        let version = version_key(&self.occasion.host.name);
        for (key, value) in fields.fields().unwrap_or_default() {
            if !is_common(&key, &version) {
                keys.put(&key, &value)?;
            }
        }
        Ok(())
    }
}

/// CUR-ENC-07
fn session_end<M: SerializeMap>(payload: &SessionEnd, keys: &mut Keys<M>) -> Written<M> {
    keys.put("reason", &payload.reason)?;
    keys.put_some("duration_ms", payload.duration_ms)?;
    keys.put("is_background_agent", &payload.background)?;
    keys.put("final_status", &payload.reason)?;
    keys.put_some("error_message", payload.error.as_ref())
}

/// CUR-ENC-14
fn file_read<M: SerializeMap>(payload: &FileRead, keys: &mut Keys<M>) -> Written<M> {
    keys.put_path("file_path", &payload.path)?;
    keys.put("content", payload.content.as_ref().map_or("", |content| content))?;
    attachments(&payload.attachments, keys)
}

/// CUR-ENC-16
fn attachments<M: SerializeMap>(attachments: &[Attachment], keys: &mut Keys<M>) -> Written<M> {
    #[derive(Serialize)]
    struct View<'a> {
        r#type: &'a str,
        file_path: Option<&'a str>,
    }
    let views = attachments.iter().map(|attachment| View {
        r#type: if attachment.kind == AttachmentKind::Rule { "rule" } else { "file" },
        file_path: shown(&attachment.path),
    });
    keys.put("attachments", &views.collect::<Vec<_>>())
}

/// CUR-ENC-16
fn compact<M: SerializeMap>(payload: &CompactBefore, keys: &mut Keys<M>) -> Written<M> {
    keys.put("trigger", if payload.trigger == CompactTrigger::Manual { "manual" } else { "auto" })?;
    keys.put_some("context_usage_percent", payload.usage_percent)?;
    keys.put_some("context_tokens", payload.tokens)?;
    keys.put_some("context_window_size", payload.window)?;
    keys.put_some("message_count", payload.message_count)?;
    keys.put_some("messages_to_compact", payload.messages_to_compact)?;
    keys.put_some("is_first_compaction", payload.first)
}

/// CUR-ENC-17
fn tokens<M: SerializeMap>(tokens: Tokens, keys: &mut Keys<M>) -> Written<M> {
    keys.put_some("input_tokens", tokens.input)?;
    keys.put_some("output_tokens", tokens.output)?;
    keys.put_some("cache_read_tokens", tokens.cache_read)?;
    keys.put_some("cache_write_tokens", tokens.cache_write)
}

/// CUR-ENC-17
fn status(end: WorkEnd) -> &'static str {
    match end {
        WorkEnd::Aborted => "aborted",
        WorkEnd::Error => "error",
        _ => "completed",
    }
}

/// A value's JSON as a JSON string, escaped while it is written: a large output is never held
/// twice.
struct AsText<T>(T);

impl<T: Serialize> Serialize for AsText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<T: Serialize> fmt::Display for AsText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        serde_json::to_writer(Pieces(f), &self.0).map_err(|_| fmt::Error)
    }
}

/// serde_json hands over whole characters: it cuts only beside ASCII.
struct Pieces<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl io::Write for Pieces<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
