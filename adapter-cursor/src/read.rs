//! A hook's standard input as an envelope: what `encode.rs` wrote, or Cursor itself. Keys that no
//! envelope could hold are named, never dropped in silence.

use std::{path::PathBuf, sync::Arc};

use harness_hooks_core::{
    AgentResponse, AgentThought, Attachment, AttachmentKind, Binary, CompactBefore, CompactTrigger, Continuations,
    Delete, Edit, Envelope, FailureKind, Fields, FileRead, Glob, Grep, Json, List, Mcp, McpOutput, McpResource, Other,
    Patch, Payload, PromptSubmit, Read, ReadError, Reading, Session, SessionEnd, SessionStart, SessionState, Shell,
    ShellOutput, ShellState, SubagentStart, SubagentStop, Task, Text, TextEdit, Tokens, Tool, ToolBefore, ToolCall,
    ToolDenied, ToolFailure, ToolOutput, ToolResult, Turn, TurnStop, WebFetch, WebSearch, WorkEnd, Write,
};
use serde::de::DeserializeOwned;

use crate::{
    CURSOR,
    departures::Ways,
    encode::COMMON,
    events::{self, Event, Row},
};

/// Reads a document. CUR-READ-01
pub(crate) fn read(ways: Ways, document: &[u8]) -> Result<Reading, ReadError> {
    let text = std::str::from_utf8(document).map_err(|error| ReadError(format!("it is not UTF-8: {error}").into()))?;
    let text = text.trim_start_matches('\u{feff}');
    let json: Json =
        serde_json::from_str(text).map_err(|error| ReadError(format!("it is not JSON: {error}").into()))?;
    let fields = json.fields().ok_or_else(|| ReadError("it is not a JSON object".into()))?;
    let mut keys = Keys { fields, taken: Vec::new() };
    let name = keys.required::<Text>("hook_event_name")?;
    let row = events::by_name(ways, &name)
        .ok_or_else(|| ReadError(format!("`hook_event_name` is `{name}`, and Cursor has no such event").into()))?;
    keys.reading(row)
}

/// The keys of the document, and which of them were understood.
struct Keys {
    fields: Fields,
    taken: Vec<String>,
}

impl Keys {
    fn get(&mut self, key: &str) -> Option<Json> {
        let value = self.fields.get(key)?.clone();
        self.taken.push(key.to_owned());
        (value.as_str() != "null").then_some(value)
    }

    fn optional<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, ReadError> {
        self.get(key).map(|value| fit(key, &value)).transpose()
    }

    fn required<T: DeserializeOwned>(&mut self, key: &str) -> Result<T, ReadError> {
        let missing = || ReadError(format!("`{key}` is missing").into());
        self.optional(key)?.ok_or_else(missing)
    }

    fn flag(&mut self, key: &str) -> Result<bool, ReadError> {
        Ok(self.optional(key)?.unwrap_or(false))
    }

    fn paths(&mut self, key: &str) -> Result<Vec<PathBuf>, ReadError> {
        Ok(self.optional(key)?.unwrap_or_default())
    }

    fn reading(mut self, row: &'static Row) -> Result<Reading, ReadError> {
        let roots = self.paths("workspace_roots")?;
        let id: Text = match self.optional("conversation_id")? {
            Some(id) => id,
            None => self.optional("session_id")?.unwrap_or_default(),
        };
        let generation: Option<Text> = self.optional("generation_id")?;
        let payload = self.payload(row)?;
        let cwd = roots.first().cloned().or_else(|| shell_cwd(&payload)).unwrap_or_default();
        let session = Session::new(id.clone(), cwd)
            .roots(roots)
            .model(self.optional::<Text>("model")?)
            .model_id(self.optional::<Text>("model_id")?)
            .user_email(self.optional::<Text>("user_email")?)
            .transcript(self.optional::<PathBuf>("transcript_path")?);
        let turn = generation.clone().filter(|generation| *generation != id).map(Turn::new);
        let envelope = Envelope::new(generation.unwrap_or(id), 0, Arc::new(session), payload).turn(turn);
        let mut state = SessionState::new();
        if let Some(count) = self.optional::<u32>("loop_count")? {
            state.continuations = Continuations::by(CURSOR, count);
        }
        let mut reading = Reading::new(row.id(), envelope, state);
        reading.ignored = self.ignored();
        Ok(reading)
    }

    /// What the envelope does not hold. The versions are the host's to say.
    fn ignored(&self) -> Vec<String> {
        let known = |key: &str| {
            key.ends_with("_version")
                || matches!(key, "session_id" | "model_params" | "parent_conversation_id")
                || self.taken.iter().any(|taken| taken == key)
        };
        self.fields.iter().map(|(key, _)| key).filter(|key| !known(key)).map(|key| format!("/{key}")).collect()
    }

    fn payload(&mut self, row: &Row) -> Result<Payload, ReadError> {
        Ok(match row.event {
            Event::SessionStart => SessionStart::new()
                .background(self.flag("is_background_agent")?)
                .mode(self.optional::<Text>("composer_mode")?)
                .into(),
            Event::SessionEnd => self.session_end()?,
            Event::PreToolUse => ToolBefore::new(self.call()?).into(),
            Event::PostToolUse => {
                let call = self.call()?;
                let output = output(&call.tool, &self.required::<Text>("tool_output")?)?;
                ToolResult::new(call, output).duration_ms(self.optional("duration")?).into()
            }
            Event::PostToolUseFailure => self.failure()?,
            Event::SubagentStart => self.subagent_start()?,
            Event::SubagentStop => self.subagent_stop()?,
            Event::BeforeShellExecution => ToolBefore::new(self.shell()?).into(),
            Event::AfterShellExecution => {
                let call = self.shell()?;
                let output = ShellOutput::new()
                    .combined(self.optional::<Text>("output")?)
                    .exit_code(self.optional::<i32>("exit_code")?);
                ToolResult::new(call, ToolOutput::Shell(output)).duration_ms(self.optional("duration")?).into()
            }
            Event::BeforeMcpExecution => ToolBefore::new(self.mcp()?).into(),
            Event::AfterMcpExecution => {
                let call = self.mcp()?;
                let result = embedded("result_json", &self.required::<Text>("result_json")?)?;
                let is_error = result.fields().and_then(|fields| fields.get("isError")?.read().ok()).unwrap_or(false);
                let output = ToolOutput::Mcp(McpOutput::new(result).is_error(is_error));
                ToolResult::new(call, output).duration_ms(self.optional("duration")?).into()
            }
            Event::BeforeReadFile => FileRead::new(self.required::<PathBuf>("file_path")?)
                .content(self.optional::<Text>("content")?)
                .attachments(self.attachments()?)
                .into(),
            Event::AfterFileEdit => self.file_edit()?,
            Event::BeforeSubmitPrompt => {
                PromptSubmit::new(self.required::<Text>("prompt")?).attachments(self.attachments()?).into()
            }
            Event::PreCompact => self.compact()?,
            Event::Stop => TurnStop::new().end(self.end()?).tokens(self.tokens()?).into(),
            Event::AfterAgentResponse => {
                AgentResponse::new(self.required::<Text>("text")?).tokens(self.tokens()?).into()
            }
            Event::AfterAgentThought => {
                AgentThought::new(self.required::<Text>("text")?).duration_ms(self.optional("duration_ms")?).into()
            }
            Event::BeforeTabFileRead | Event::AfterTabFileEdit | Event::WorkspaceOpen => self.free(row),
        })
    }

    fn session_end(&mut self) -> Result<Payload, ReadError> {
        self.get("final_status"); // always the reason
        Ok(SessionEnd::new(self.required::<Text>("reason")?)
            .duration_ms(self.optional("duration_ms")?)
            .background(self.flag("is_background_agent")?)
            .error(self.optional::<Text>("error_message")?)
            .into())
    }

    fn failure(&mut self) -> Result<Payload, ReadError> {
        let call = self.call()?;
        let error = self.required::<Text>("error_message")?;
        let kind = self.optional::<Text>("failure_type")?;
        let interrupted = self.flag("is_interrupt")?;
        let duration = self.optional("duration")?;
        let cancellation = self.optional::<Text>("cancellation_reason")?;
        let kind = match kind.as_deref() {
            Some("permission_denied") => return Ok(ToolDenied::new(call, error).into()),
            Some("timeout") => FailureKind::Timeout,
            _ if interrupted => FailureKind::Cancelled,
            _ => FailureKind::Error,
        };
        Ok(ToolFailure::new(call, error).kind(kind).cancellation(cancellation).duration_ms(duration).into())
    }

    fn subagent_start(&mut self) -> Result<Payload, ReadError> {
        let (id, kind) = (self.required::<Text>("subagent_id")?, self.required::<Text>("subagent_type")?);
        Ok(SubagentStart::new(id, kind, self.required::<Text>("task")?)
            .call_id(self.optional::<Text>("tool_call_id")?)
            .model(self.optional::<Text>("subagent_model")?)
            .parallel(self.flag("is_parallel_worker")?)
            .git_branch(self.optional::<Text>("git_branch")?)
            .into())
    }

    fn subagent_stop(&mut self) -> Result<Payload, ReadError> {
        let id = self.optional::<Text>("subagent_id")?.unwrap_or_default();
        Ok(SubagentStop::new(id, self.required::<Text>("subagent_type")?)
            .end(self.end()?)
            .task(self.optional::<Text>("task")?)
            .description(self.optional::<Text>("description")?)
            .summary(self.optional::<Text>("summary")?)
            .duration_ms(self.optional("duration_ms")?)
            .message_count(self.optional::<u64>("message_count")?)
            .tool_call_count(self.optional::<u64>("tool_call_count")?)
            .modified_files(self.paths("modified_files")?)
            .transcript(self.optional::<PathBuf>("agent_transcript_path")?)
            .error(self.optional::<Text>("error_message")?)
            .git_branch(self.optional::<Text>("git_branch")?)
            .into())
    }

    fn compact(&mut self) -> Result<Payload, ReadError> {
        let manual = self.optional::<Text>("trigger")?.as_deref() == Some("manual");
        Ok(CompactBefore::new()
            .trigger(if manual { CompactTrigger::Manual } else { CompactTrigger::Auto })
            .usage_percent(self.optional("context_usage_percent")?)
            .tokens(self.optional::<u64>("context_tokens")?)
            .window(self.optional::<u64>("context_window_size")?)
            .message_count(self.optional::<u64>("message_count")?)
            .messages_to_compact(self.optional::<u64>("messages_to_compact")?)
            .first(self.optional::<bool>("is_first_compaction")?)
            .into())
    }

    fn end(&mut self) -> Result<WorkEnd, ReadError> {
        Ok(match self.optional::<Text>("status")?.as_deref() {
            Some("aborted") => WorkEnd::Aborted,
            Some("error") => WorkEnd::Error,
            None | Some("completed") => WorkEnd::Completed,
            Some(other) => {
                return Err(ReadError(format!("`status` is `{other}`, which is no word of Cursor's").into()));
            }
        })
    }

    fn tokens(&mut self) -> Result<Tokens, ReadError> {
        let mut tokens = Tokens::default();
        tokens.input = self.optional("input_tokens")?;
        tokens.output = self.optional("output_tokens")?;
        tokens.cache_read = self.optional("cache_read_tokens")?;
        tokens.cache_write = self.optional("cache_write_tokens")?;
        Ok(tokens)
    }

    fn attachments(&mut self) -> Result<Vec<Attachment>, ReadError> {
        let views: Vec<Fields> = self.optional("attachments")?.unwrap_or_default();
        let attachment = |view: &Fields| {
            let kind = view.get("type").and_then(Json::text);
            let kind = match kind.as_deref() {
                Some("rule") => AttachmentKind::Rule,
                Some("file") => AttachmentKind::File,
                _ => return Err(ReadError("`attachments` has a `type` that is neither `file` nor `rule`".into())),
            };
            let path: PathBuf = fit("attachments", view.get("file_path").unwrap_or(&Json::default()))?;
            Ok(Attachment::new(kind, path))
        };
        views.iter().map(attachment).collect()
    }

    fn id(&mut self) -> Result<Text, ReadError> {
        Ok(self.optional("tool_use_id")?.unwrap_or_default())
    }

    fn call(&mut self) -> Result<ToolCall, ReadError> {
        let (name, input) = (self.required::<Text>("tool_name")?, self.required::<Json>("tool_input")?);
        let cwd = self.optional::<PathBuf>("cwd")?;
        let id = self.id()?;
        let (mut tool, extra) = tool(&name, input)?;
        if let Tool::Shell(shell) = &mut tool {
            shell.cwd = shell.cwd.take().or(cwd);
        }
        let call = ToolCall::new(id, name, tool);
        Ok(extra.into_iter().fold(call, |call, (key, value)| call.extra(key, value)))
    }

    fn shell(&mut self) -> Result<ToolCall, ReadError> {
        let shell = Shell::new(self.required::<Text>("command")?)
            .cwd(self.optional::<PathBuf>("cwd")?)
            .sandboxed(self.optional::<bool>("sandbox")?);
        Ok(ToolCall::new(self.id()?, "Shell", shell))
    }

    fn mcp(&mut self) -> Result<ToolCall, ReadError> {
        let (tool, server) = (self.required::<Text>("tool_name")?, self.optional::<Text>("mcp_server_name")?);
        let arguments = embedded("tool_input", &self.required::<Text>("tool_input")?)?;
        let url = self.optional::<Text>("mcp_server_url")?;
        let url = url.or(self.optional("url")?);
        let name = format!("MCP:{tool}");
        let mcp = Mcp::new(server.unwrap_or_default(), tool, arguments)
            .server_id(self.optional::<Text>("mcp_server_id")?)
            .url(url)
            .command_line(self.optional::<Text>("command")?);
        Ok(ToolCall::new(self.id()?, name, mcp))
    }

    /// One replacement of nothing is a whole file.
    fn file_edit(&mut self) -> Result<Payload, ReadError> {
        let path: PathBuf = self.required("file_path")?;
        let edits: Vec<Fields> = self.optional("edits")?.unwrap_or_default();
        let text = |edit: &Fields, key: &str| match edit.get(key) {
            Some(value) => fit::<Text>(key, value),
            None => Ok(Text::default()),
        };
        let edit = |edit: &Fields| Ok(TextEdit::new(text(edit, "old_string")?, text(edit, "new_string")?));
        let edits: Vec<TextEdit> = edits.iter().map(edit).collect::<Result<_, ReadError>>()?;
        let tool: Tool = match edits.as_slice() {
            [only] if only.old.is_empty() => Write::new(path, only.new.clone()).into(),
            _ => Edit::new(path, edits).into(),
        };
        let call = ToolCall::new(self.id()?, "Write", tool);
        Ok(ToolResult::new(call, ToolOutput::Text(Text::default())).into())
    }

    fn free(&mut self, row: &Row) -> Payload {
        let common = |key: &str| key.ends_with("_version") || COMMON.contains(&key);
        let mut free = Fields::default();
        for (key, value) in self.fields.iter().filter(|(key, _)| !common(key)) {
            free.set(key.to_owned(), value.clone());
            self.taken.push(key.to_owned());
        }
        Other::new(row.spec.moments[0].boundary, Json::of(&free)).into()
    }
}

fn fit<T: DeserializeOwned>(key: &str, value: &Json) -> Result<T, ReadError> {
    const MOST: usize = 40;
    let shown: String = value.as_str().chars().take(MOST).collect();
    value.read().map_err(|_| ReadError(format!("`{key}` cannot be {shown}").into()))
}

/// JSON that is carried as text.
fn embedded(key: &str, text: &str) -> Result<Json, ReadError> {
    serde_json::from_str(text).map_err(|error| ReadError(format!("`{key}` does not hold JSON: {error}").into()))
}

fn shell_cwd(payload: &Payload) -> Option<PathBuf> {
    match payload.call().map(|call| &call.tool) {
        Some(Tool::Shell(shell)) => shell.cwd.clone(),
        _ => None,
    }
}

/// A tool by Cursor's name for it, and the keys of its input that are none of its own.
fn tool(name: &str, input: Json) -> Result<(Tool, Fields), ReadError> {
    if let Some(tool) = name.strip_prefix("MCP:") {
        return Ok((Mcp::new("", tool, input).into(), Fields::default()));
    }
    let Some(fields) = input.fields() else { return Ok((Tool::Other(input), Fields::default())) };
    let mut keys = Keys { fields, taken: Vec::new() };
    let Some(tool) = known_tool(name, &mut keys)? else { return Ok((Tool::Other(input), Fields::default())) };
    let mut extra = Fields::default();
    for (key, value) in keys.fields.iter().filter(|(key, _)| !keys.taken.iter().any(|taken| taken == key)) {
        extra.set(key.to_owned(), value.clone());
    }
    Ok((tool, extra))
}

fn known_tool(name: &str, keys: &mut Keys) -> Result<Option<Tool>, ReadError> {
    Ok(Some(match name {
        "Shell" => Shell::new(keys.required::<Text>("command")?)
            .cwd(keys.optional::<PathBuf>("cwd")?)
            .timeout_ms(keys.optional::<u64>("timeout")?)
            .description(keys.optional::<Text>("description")?)
            .into(),
        "Read" => Read::new(keys.required::<PathBuf>("file_path")?)
            .offset(keys.optional::<u64>("offset")?)
            .limit(keys.optional::<u64>("limit")?)
            .into(),
        "Write" => return written(keys).map(Some),
        "Delete" => Delete::new(keys.required::<PathBuf>("file_path")?).into(),
        "Grep" => Grep::new(keys.required::<Text>("pattern")?)
            .path(keys.optional::<PathBuf>("file_path")?)
            .glob(keys.optional::<Text>("glob")?)
            .output_mode(keys.optional::<Text>("output_mode")?)
            .into(),
        "Glob" => Glob::new(keys.required::<Text>("pattern")?).path(keys.optional::<PathBuf>("file_path")?).into(),
        "List" => List::new(keys.required::<PathBuf>("file_path")?)
            .ignore(keys.optional::<Vec<Text>>("ignore")?.unwrap_or_default())
            .into(),
        "WebFetch" => WebFetch::new(keys.required::<Text>("url")?).prompt(keys.optional::<Text>("prompt")?).into(),
        "WebSearch" => WebSearch::new(keys.required::<Text>("query")?).into(),
        "Task" => Task::new(keys.required::<Text>("subagent_type")?, keys.required::<Text>("prompt")?)
            .description(keys.optional::<Text>("description")?)
            .model(keys.optional::<Text>("model")?)
            .into(),
        name => match name.strip_prefix("MCPResource:") {
            Some(resource) => {
                let (server, uri) = (keys.required::<Text>("server")?, keys.required::<Text>("uri")?);
                let named = (resource != &*uri).then(|| Text::from(resource));
                McpResource::new(server, uri).name(named).into()
            }
            None => return Ok(None),
        },
    }))
}

/// `Write` is a write, an edit, or a patch, by the keys it has.
fn written(keys: &mut Keys) -> Result<Tool, ReadError> {
    if let Some(patch) = keys.optional::<Text>("patch")? {
        keys.get("file_path"); // the first of the paths
        return Ok(Patch::new(patch).paths(keys.paths("file_paths")?).into());
    }
    let path = keys.required::<PathBuf>("file_path")?;
    let Some(edits) = keys.optional::<Vec<crate::tools::EditView>>("edits")? else {
        return Ok(Write::new(path, keys.optional::<Text>("content")?.unwrap_or_default()).into());
    };
    Ok(Edit::new(path, edits.into_iter().map(TextEdit::from).collect::<Vec<_>>()).into())
}

/// What a tool returned, tagged by us or as Cursor writes it.
fn output(tool: &Tool, text: &str) -> Result<ToolOutput, ReadError> {
    let json = embedded("tool_output", text)?;
    let Some(fields) = json.fields() else {
        return Ok(json.text().map_or_else(|| ToolOutput::Json(json.clone()), ToolOutput::Text));
    };
    let get = |key: &str| fields.get(key);
    let tagged = get("kind").and_then(Json::text).is_some_and(|kind| kind == tool.kind());
    Ok(match tool {
        Tool::Shell(_) => ToolOutput::Shell(shell_output(&fields)?),
        Tool::Mcp(_) => {
            let mut result = Fields::default();
            for (key, value) in fields.iter().filter(|(key, _)| !(tagged && *key == "kind")) {
                result.set(key.to_owned(), value.clone());
            }
            let is_error = get("isError").and_then(|flag| flag.read().ok()).unwrap_or(false);
            let whole = get("result").filter(|_| tagged).cloned();
            ToolOutput::Mcp(McpOutput::new(whole.unwrap_or_else(|| Json::of(&result))).is_error(is_error))
        }
        _ if !tagged => ToolOutput::Json(json),
        _ => match (get("content").or(get("output")), get("media_type"), get("result")) {
            (Some(text), _, _) => ToolOutput::Text(fit("tool_output", text)?),
            (_, Some(media_type), _) => {
                let bytes: u64 = fit("content_length", get("content_length").unwrap_or(&Json::default()))?;
                ToolOutput::Binary(Binary::new(bytes, fit::<Text>("media_type", media_type)?))
            }
            (_, _, Some(result)) => ToolOutput::Json(result.clone()),
            _ => ToolOutput::Text(Text::default()),
        },
    })
}

fn shell_output(fields: &Fields) -> Result<ShellOutput, ReadError> {
    let mut keys = Keys { fields: fields.clone(), taken: Vec::new() };
    let (id, pid) = (keys.optional::<Text>("shell_id")?, keys.optional::<u32>("pid")?);
    let running = keys.flag("running")?;
    let state = match (&id, pid) {
        _ if running => ShellState::Running,
        (None, None) => ShellState::Finished,
        _ => ShellState::Background,
    };
    Ok(ShellOutput::new()
        .combined(keys.optional::<Text>("output")?)
        .exit_code(keys.optional::<i32>("exitCode")?)
        .state(state)
        .shell_id(id)
        .pid(pid))
}
