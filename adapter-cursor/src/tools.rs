//! Tool calls and their results as Cursor shows them, and back: what a hook rewrote becomes a
//! neutral call again.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use harness_hooks_core::{
    Delete, Edit, Fields, Glob, Grep, InputRewrite, Json, List, McpOutput, McpResource, Misfit, Patch, Read, Shell,
    ShellOutput, ShellState, Task, Text, TextEdit, Tool, ToolCall, ToolOutput, WebFetch, WebSearch, Write,
};
use serde::{
    Deserialize, Serialize, Serializer,
    de::DeserializeOwned,
    ser::{SerializeMap, SerializeSeq},
};

use crate::departures::{Way, Ways};

/// The tool's name as Cursor spells it. CUR-TOOL-01 to CUR-TOOL-03
pub(crate) fn name(call: &ToolCall) -> Cow<'_, str> {
    match &call.tool {
        Tool::Shell(_) => "Shell".into(),
        Tool::Read(_) => "Read".into(),
        Tool::Write(_) | Tool::Edit(_) | Tool::Patch(_) => "Write".into(),
        Tool::Delete(_) => "Delete".into(),
        Tool::Grep(_) => "Grep".into(),
        Tool::Glob(_) => "Glob".into(),
        Tool::List(_) => "List".into(),
        Tool::WebFetch(_) => "WebFetch".into(),
        Tool::WebSearch(_) => "WebSearch".into(),
        Tool::Task(_) => "Task".into(),
        Tool::Mcp(mcp) => format!("MCP:{}", mcp.tool).into(),
        Tool::McpResource(resource) => {
            format!("MCPResource:{}", resource.name.as_ref().unwrap_or(&resource.uri)).into()
        }
        _ => call.host_name.as_str().into(),
    }
}

/// A path as a hook reads it; one that is not text is `null`.
pub(crate) fn shown(path: &Path) -> Option<&str> {
    path.to_str()
}

/// Writes the keys of an object one after another.
pub(crate) struct Keys<M>(pub(crate) M);

impl<M: SerializeMap> Keys<M> {
    pub(crate) fn put<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), M::Error> {
        self.0.serialize_entry(key, value)
    }

    pub(crate) fn put_some<T: Serialize>(&mut self, key: &str, value: Option<T>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.put(key, &value))
    }

    pub(crate) fn put_path(&mut self, key: &str, path: &Path) -> Result<(), M::Error> {
        self.put(key, &shown(path))
    }
}

/// `tool_input`: the call as Cursor shows it. A session's working directory stands in where a
/// shell command names none.
pub(crate) struct Input<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) cwd: Option<&'a Path>,
}

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ToolCall { tool, extra, .. } = self.call;
        let raw = match tool {
            Tool::Mcp(mcp) => Some(&mcp.arguments),
            Tool::Other(input) => Some(input),
            _ => None,
        };
        if let Some(raw) = raw {
            return match raw.fields().filter(|_| !extra.is_empty()) {
                Some(fields) => self.serialize_with_extra(serializer, &fields),
                None => raw.serialize(serializer),
            };
        }
        let mut keys = Keys(serializer.serialize_map(None)?);
        self.typed(tool, &mut keys)?;
        for (key, value) in extra.iter().filter(|(key, _)| !is_key_of(tool, key)) {
            keys.put(key, value)?;
        }
        keys.0.end()
    }
}

impl Input<'_> {
    /// An object given as it is, with the host's keys behind its own. CUR-TOOL-04
    fn serialize_with_extra<S: Serializer>(&self, serializer: S, own: &Fields) -> Result<S::Ok, S::Error> {
        let extra = self.call.extra.iter().filter(|(key, _)| own.get(key).is_none());
        serializer.collect_map(own.iter().chain(extra))
    }

    fn typed<M: SerializeMap>(&self, tool: &Tool, keys: &mut Keys<M>) -> Result<(), M::Error> {
        match tool {
            Tool::Shell(Shell { command, cwd, timeout_ms, description, .. }) => {
                keys.put("command", command)?;
                keys.put_some("cwd", cwd.as_deref().or(self.cwd).map(shown))?;
                keys.put_some("timeout", *timeout_ms)?;
                keys.put_some("description", description.as_ref())
            }
            Tool::Read(Read { path, offset, limit, .. }) => {
                keys.put_path("file_path", path)?;
                keys.put_some("offset", *offset)?;
                keys.put_some("limit", *limit)
            }
            Tool::Write(Write { path, content, .. }) => {
                keys.put_path("file_path", path)?;
                keys.put("content", content)
            }
            Tool::Edit(Edit { path, edits, .. }) => {
                keys.put_path("file_path", path)?;
                keys.put("edits", &edits.iter().map(EditView::from).collect::<Vec<_>>())
            }
            Tool::Patch(Patch { text, paths, .. }) => {
                keys.put_some("file_path", paths.first().map(|path| shown(path)))?;
                keys.put("file_paths", &paths.iter().map(|path| shown(path)).collect::<Vec<_>>())?;
                keys.put("patch", text)
            }
            Tool::Delete(Delete { path, .. }) => keys.put_path("file_path", path),
            Tool::Grep(Grep { pattern, path, glob, output_mode, .. }) => {
                keys.put("pattern", pattern)?;
                keys.put_some("file_path", path.as_deref().map(shown))?;
                keys.put_some("glob", glob.as_ref())?;
                keys.put_some("output_mode", output_mode.as_ref())
            }
            Tool::Glob(Glob { pattern, path, .. }) => {
                keys.put("pattern", pattern)?;
                keys.put_some("file_path", path.as_deref().map(shown))
            }
            Tool::List(List { path, ignore, .. }) => {
                keys.put_path("file_path", path)?;
                keys.put_some("ignore", (!ignore.is_empty()).then_some(ignore))
            }
            Tool::WebFetch(WebFetch { url, prompt, .. }) => {
                keys.put("url", url)?;
                keys.put_some("prompt", prompt.as_ref())
            }
            Tool::WebSearch(WebSearch { query, .. }) => keys.put("query", query),
            Tool::Task(Task { kind, prompt, description, model, .. }) => {
                keys.put("subagent_type", kind)?;
                keys.put("prompt", prompt)?;
                keys.put_some("description", description.as_ref())?;
                keys.put_some("model", model.as_ref())
            }
            Tool::McpResource(McpResource { server, uri, .. }) => {
                keys.put("server", server)?;
                keys.put("uri", uri)
            }
            _ => Ok(()),
        }
    }
}

/// One replacement as Cursor spells it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditView {
    old_string: Text,
    new_string: Text,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    replace_all: bool,
}

impl From<&TextEdit> for EditView {
    fn from(edit: &TextEdit) -> Self {
        EditView { old_string: edit.old.clone(), new_string: edit.new.clone(), replace_all: edit.replace_all }
    }
}

impl From<EditView> for TextEdit {
    fn from(view: EditView) -> Self {
        TextEdit::new(view.old_string, view.new_string).replace_all(view.replace_all)
    }
}

/// `tool_output`: what came back, tagged with the kind of tool, and with Cursor's own keys for it
/// so that hooks written for Cursor find what they expect; or those keys alone. CUR-TOOL-10,
/// CUR-TOOL-11
pub(crate) struct Output<'a> {
    pub(crate) ways: Ways,
    pub(crate) call: &'a ToolCall,
    pub(crate) output: &'a ToolOutput,
}

impl Serialize for Output<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tool = &self.call.tool;
        let bare = self.ways.cursors(Way::ToolOutput);
        match self.output {
            ToolOutput::Mcp(output) if bare => return output.result.serialize(serializer),
            ToolOutput::Json(json) if bare => return json.serialize(serializer),
            ToolOutput::Text(text) if bare && !has_keys(tool) => return serializer.serialize_str(text),
            _ => {}
        }
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put_some("kind", (!bare).then(|| tool.kind()))?;
        match self.output {
            ToolOutput::Shell(output) => shell_output(output, bare, &mut keys)?,
            ToolOutput::Mcp(output) => mcp_output(output, &mut keys)?,
            output => {
                own_keys(tool, output, &mut keys)?;
                if !bare {
                    contents(tool, output, &mut keys)?;
                }
            }
        }
        keys.0.end()
    }
}

/// Cursor has keys of its own for what this tool returned.
fn has_keys(tool: &Tool) -> bool {
    matches!(
        tool,
        Tool::Read(_)
            | Tool::Write(_)
            | Tool::Edit(_)
            | Tool::Patch(_)
            | Tool::Delete(_)
            | Tool::Grep(_)
            | Tool::List(_)
    )
}

/// What came back, whole; of what is not text only the size.
fn contents<M: SerializeMap>(tool: &Tool, output: &ToolOutput, keys: &mut Keys<M>) -> Result<(), M::Error> {
    let read = matches!(tool, Tool::Read(_));
    match output {
        ToolOutput::Text(text) if read => keys.put("content", text),
        ToolOutput::Text(text) => keys.put_some("output", (!text.is_empty()).then_some(text)),
        ToolOutput::Json(json) => keys.put("result", json),
        ToolOutput::Binary(binary) => {
            keys.put_some("content_length", (!read).then_some(binary.bytes))?;
            keys.put("media_type", &binary.media_type)
        }
        _ => Ok(()),
    }
}

/// The keys by which Cursor says what a tool did.
fn own_keys<M: SerializeMap>(tool: &Tool, output: &ToolOutput, keys: &mut Keys<M>) -> Result<(), M::Error> {
    let written = |keys: &mut Keys<M>, path: Option<&PathBuf>| {
        keys.put_some("file_path", path.map(|path| shown(path)))?;
        keys.put("success", &true)
    };
    match tool {
        Tool::Read(read) => {
            keys.put_path("file_path", &read.path)?;
            match output {
                ToolOutput::Text(text) => keys.put("content_length", &text.len()),
                ToolOutput::Binary(binary) => keys.put("content_length", &binary.bytes),
                _ => Ok(()),
            }
        }
        Tool::Write(Write { path, .. }) | Tool::Edit(Edit { path, .. }) | Tool::List(List { path, .. }) => {
            written(keys, Some(path))
        }
        Tool::Patch(patch) => written(keys, patch.paths.first()),
        Tool::Delete(delete) => {
            keys.put_path("file_path", &delete.path)?;
            keys.put("deleted", &true)
        }
        Tool::Grep(grep) => {
            keys.put("pattern", &grep.pattern)?;
            keys.put("success", &true)
        }
        _ => Ok(()),
    }
}

fn shell_output<M: SerializeMap>(output: &ShellOutput, bare: bool, keys: &mut Keys<M>) -> Result<(), M::Error> {
    if output.state == ShellState::Finished {
        keys.put("output", &output.printed())?;
        return keys.put_some("exitCode", output.exit_code);
    }
    keys.put_some("shell_id", output.shell_id.as_ref())?;
    keys.put_some("pid", output.pid)?;
    if bare {
        return Ok(());
    }
    keys.put("output", &output.printed())?;
    keys.put_some("running", (output.state == ShellState::Running).then_some(true))
}

fn mcp_output<M: SerializeMap>(output: &McpOutput, keys: &mut Keys<M>) -> Result<(), M::Error> {
    let Some(fields) = output.result.fields() else { return keys.put("result", &output.result) };
    for (key, value) in fields.iter().filter(|(key, _)| *key != "kind") {
        keys.put(key, value)?;
    }
    Ok(())
}

/// The keys of a tool's view, shown or not. CUR-TOOL-08
fn keys_of(tool: &Tool) -> &'static [&'static str] {
    match tool {
        Tool::Shell(_) => &["command", "cwd", "timeout", "description"],
        Tool::Read(_) => &["file_path", "offset", "limit"],
        Tool::Write(_) => &["file_path", "content"],
        Tool::Edit(_) => &["file_path", "edits"],
        Tool::Patch(_) => &["file_path", "file_paths", "patch"],
        Tool::Delete(_) => &["file_path"],
        Tool::Grep(_) => &["pattern", "file_path", "glob", "output_mode"],
        Tool::Glob(_) => &["pattern", "file_path"],
        Tool::List(_) => &["file_path", "ignore"],
        Tool::WebFetch(_) => &["url", "prompt"],
        Tool::WebSearch(_) => &["query"],
        Tool::Task(_) => &["subagent_type", "prompt", "description", "model"],
        Tool::McpResource(_) => &["server", "uri"],
        _ => &[],
    }
}

fn is_key_of(tool: &Tool, key: &str) -> bool {
    keys_of(tool).contains(&key)
}

/// The call with some keys of its view changed. CUR-TOOL-05 to CUR-TOOL-08
pub(crate) fn rewrite(ways: Ways, call: &ToolCall, wish: &InputRewrite) -> Result<ToolCall, Misfit> {
    let InputRewrite::Patch(patch) = wish else {
        return Err(misfit("Cursor's hooks change single keys of an input, never all of it"));
    };
    let patch = patch.fields().ok_or_else(|| misfit("`updated_input` must be an object"))?;
    let shown = Json::of(&Input { call, cwd: None }).fields().unwrap_or_default();
    let says_so = |key: &str, value: &Json| shown.get(key) == Some(value);
    let heard = |key: &str| !ways.cursors(Way::RewriteKeys) || cursor_hears(&call.tool, key);
    let changes = patch.into_iter().filter(|(key, value)| !says_so(key, value) && heard(key)).collect::<Vec<_>>();

    let mut call = call.clone(); // shares the large texts
    match &mut call.tool {
        Tool::Mcp(mcp) => mcp.arguments = merged(&mcp.arguments, changes)?,
        Tool::Other(input) => *input = merged(input, changes)?,
        tool => {
            for (key, value) in &changes {
                set(tool, key, value)?;
            }
        }
    }
    Ok(call)
}

/// The keys Cursor's own program lets a hook change.
fn cursor_hears(tool: &Tool, key: &str) -> bool {
    match tool {
        Tool::Shell(_) => matches!(key, "command" | "cwd" | "timeout"),
        Tool::Read(_) | Tool::Delete(_) | Tool::List(_) | Tool::Write(_) | Tool::Edit(_) => key == "file_path",
        Tool::Grep(_) => matches!(key, "pattern" | "file_path"),
        Tool::WebFetch(_) => key == "url",
        Tool::McpResource(_) => matches!(key, "server" | "uri"),
        Tool::Mcp(_) => true,
        _ => false,
    }
}

fn misfit(why: impl Into<Text>) -> Misfit {
    Misfit(why.into())
}

/// An object with these keys set.
fn merged(object: &Json, changes: Vec<(String, Json)>) -> Result<Json, Misfit> {
    if changes.is_empty() {
        return Ok(object.clone());
    }
    let mut fields =
        object.fields().ok_or_else(|| misfit("the tool's input is not an object, so no key of it can change"))?;
    for (key, value) in changes {
        fields.set(key, value);
    }
    Ok(Json::of(&fields))
}

/// Sets one key of a tool's view.
fn set(tool: &mut Tool, key: &str, value: &Json) -> Result<(), Misfit> {
    let known = keys_of(tool);
    match (tool, key) {
        (Tool::Shell(shell), "command") => shell.command = fit(key, value, "text")?,
        (Tool::Shell(shell), "cwd") => shell.cwd = Some(fit(key, value, "a path")?),
        (Tool::Shell(shell), "timeout") => shell.timeout_ms = Some(fit(key, value, "a whole number of milliseconds")?),
        (Tool::Shell(shell), "description") => shell.description = Some(fit(key, value, "text")?),
        (Tool::Read(read), "file_path") => read.path = fit(key, value, "a path")?,
        (Tool::Read(read), "offset") => read.offset = Some(fit(key, value, "a line number")?),
        (Tool::Read(read), "limit") => read.limit = Some(fit(key, value, "a number of lines")?),
        (Tool::Write(write), "file_path") => write.path = fit(key, value, "a path")?,
        (Tool::Write(write), "content") => write.content = fit(key, value, "text")?,
        (Tool::Edit(edit), "file_path") => edit.path = fit(key, value, "a path")?,
        (Tool::Edit(edit), "edits") => {
            let edits: Vec<EditView> = fit(key, value, "a list of objects with `old_string` and `new_string`")?;
            edit.edits = edits.into_iter().map(TextEdit::from).collect();
        }
        // the files of another patch are not those of this one
        (Tool::Patch(patch), "patch") => *patch = Patch::new(fit::<Text>(key, value, "text")?),
        (Tool::Patch(patch), "file_paths") => patch.paths = fit(key, value, "a list of paths")?,
        (Tool::Delete(delete), "file_path") => delete.path = fit(key, value, "a path")?,
        (Tool::Grep(grep), "pattern") => grep.pattern = fit(key, value, "text")?,
        (Tool::Grep(grep), "file_path") => grep.path = Some(fit(key, value, "a path")?),
        (Tool::Grep(grep), "glob") => grep.glob = Some(fit(key, value, "text")?),
        (Tool::Grep(grep), "output_mode") => grep.output_mode = Some(fit(key, value, "text")?),
        (Tool::Glob(glob), "pattern") => glob.pattern = fit(key, value, "text")?,
        (Tool::Glob(glob), "file_path") => glob.path = Some(fit(key, value, "a path")?),
        (Tool::List(list), "file_path") => list.path = fit(key, value, "a path")?,
        (Tool::List(list), "ignore") => list.ignore = fit(key, value, "a list of texts")?,
        (Tool::WebFetch(fetch), "url") => fetch.url = fit(key, value, "text")?,
        (Tool::WebFetch(fetch), "prompt") => fetch.prompt = Some(fit(key, value, "text")?),
        (Tool::WebSearch(search), "query") => search.query = fit(key, value, "text")?,
        (Tool::Task(task), "subagent_type") => task.kind = fit(key, value, "text")?,
        (Tool::Task(task), "prompt") => task.prompt = fit(key, value, "text")?,
        (Tool::Task(task), "description") => task.description = Some(fit(key, value, "text")?),
        (Tool::Task(task), "model") => task.model = Some(fit(key, value, "text")?),
        (Tool::McpResource(resource), "server") => resource.server = fit(key, value, "text")?,
        (Tool::McpResource(resource), "uri") => resource.uri = fit(key, value, "text")?,
        (Tool::Patch(_), "file_path") => {
            return Err(misfit("`file_path` of a patch cannot change apart from the `patch`"));
        }
        _ => return Err(misfit(format!("`{key}` is no key of this tool's input; it has: {}", known.join(", ")))),
    }
    Ok(())
}

fn fit<T: DeserializeOwned>(key: &str, value: &Json, what: &str) -> Result<T, Misfit> {
    value.read().map_err(|_| misfit(format!("`{key}` must be {what}, not {value}")))
}

/// The result of an MCP tool as a hook wants it. CUR-TOOL-09
pub(crate) fn rewrite_result(call: &ToolCall, wish: &Json) -> Result<ToolOutput, Misfit> {
    if !matches!(call.tool, Tool::Mcp(_)) {
        return Err(misfit("only results of MCP tools can be replaced"));
    }
    let (items, is_error) = match content(wish) {
        Some((items, is_error)) => (items, is_error),
        None => (vec![wish.text().unwrap_or_else(|| wish.as_str().into())], None),
    };
    let result = Json::of(&McpResult { content: TextItems(&items), is_error });
    Ok(ToolOutput::Mcp(McpOutput::new(result).is_error(is_error.unwrap_or(false))))
}

/// The texts of a `content` array, other items as their JSON, and `isError`.
fn content(wish: &Json) -> Option<(Vec<Text>, Option<bool>)> {
    let fields = wish.fields()?;
    let items: Vec<Json> = fields.get("content")?.read().ok()?;
    let is_error = fields.get("isError").and_then(|flag| flag.read().ok());
    Some((items.iter().map(item_text).collect(), is_error))
}

fn item_text(item: &Json) -> Text {
    #[derive(Deserialize)]
    struct TextItem {
        r#type: Text,
        text: Text,
    }
    match item.read::<TextItem>() {
        Ok(item) if item.r#type == "text" => item.text,
        _ => item.as_str().into(),
    }
}

#[derive(Serialize)]
struct McpResult<'a> {
    content: TextItems<'a>,
    #[serde(rename = "isError", skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
}

struct TextItems<'a>(&'a [Text]);

impl Serialize for TextItems<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Item<'a> {
            r#type: &'a str,
            text: &'a str,
        }
        let mut items = serializer.serialize_seq(Some(self.0.len()))?;
        for text in self.0 {
            items.serialize_element(&Item { r#type: "text", text })?;
        }
        items.end()
    }
}
