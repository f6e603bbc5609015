//! `tool_response`: what a tool returned, as Claude Code's tools return it.

use std::{borrow::Cow, fmt, path::Path};

use harness_hooks_core::{
    Binary, Decimal, Edit, FileFacts, Grep, Hunk, Json, McpOutput, Read, ShellOutput, ShellState, Task, Text, TextEdit,
    Tool, ToolOutput, ToolResult, Write,
};
use serde::{Serialize, Serializer};

use super::{file, without_line_end};

/// `tool_response` of a call that returned. CLA-TOOL-09 to CLA-TOOL-13
pub(crate) struct Response<'a> {
    pub(crate) result: &'a ToolResult,
    pub(crate) cwd: &'a Path,
}

impl Serialize for Response<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.result.output {
            ToolOutput::Json(json) => json.plain().serialize(serializer),
            ToolOutput::Mcp(output) => mcp(output, serializer),
            ToolOutput::Shell(output) => BashView::of(output).serialize(serializer),
            ToolOutput::Binary(binary) => BinaryView::of(binary).serialize(serializer),
            ToolOutput::Text(text) => self.text(text, serializer),
            _ => serializer.serialize_unit(),
        }
    }
}

impl Response<'_> {
    /// Text of a tool whose results have a form of their own, else the text itself.
    fn text<S: Serializer>(&self, text: &Text, serializer: S) -> Result<S::Ok, S::Error> {
        let duration_ms = self.result.duration_ms;
        match &self.result.call.tool {
            Tool::Read(read) => self.read(read, text).serialize(serializer),
            Tool::Write(write) => self.write(write).serialize(serializer),
            Tool::Edit(edit) => self.edit(edit).serialize(serializer),
            Tool::Glob(_) => GlobView::of(text, duration_ms).serialize(serializer),
            Tool::Grep(grep) => GrepView::of(grep, text).serialize(serializer),
            Tool::WebFetch(fetch) => FetchView { result: text, duration_ms, url: &fetch.url }.serialize(serializer),
            Tool::WebSearch(search) => {
                let duration_seconds = duration_ms.map(|ms| Decimal::from(ms.as_f64() / 1000.0));
                SearchView { query: &search.query, results: [text], duration_seconds }.serialize(serializer)
            }
            Tool::Task(task) => AgentView::of(task, text, duration_ms).serialize(serializer),
            _ => serializer.serialize_str(text),
        }
    }

    fn file_path<'p>(&'p self, path: &'p Path) -> Option<Cow<'p, str>> {
        file(path, Some(self.cwd))
    }

    fn facts(&self) -> Facts<'_> {
        Facts(self.result.file.as_ref())
    }

    /// CLA-TOOL-10
    fn read<'v>(&'v self, read: &'v Read, text: &'v Text) -> ReadView<'v> {
        let num_lines = text.bytes().fold(1_u64, |lines, byte| lines + u64::from(byte == b'\n'));
        let start_line = read.offset.unwrap_or(1);
        let total_lines = self.result.file.as_ref().and_then(|file| file.total_lines);
        let last_line = start_line.saturating_add(num_lines) - 1; // at least one line was counted
        ReadView {
            r#type: "text",
            file: LinesView {
                file_path: self.file_path(&read.path),
                content: text,
                num_lines,
                start_line,
                total_lines: total_lines.unwrap_or(last_line),
            },
        }
    }

    /// CLA-TOOL-11
    fn write<'v>(&'v self, write: &'v Write) -> WriteView<'v> {
        let facts = self.facts();
        WriteView {
            r#type: if facts.original().is_some() { "update" } else { "create" },
            file_path: self.file_path(&write.path),
            content: &write.content,
            structured_patch: facts.hunks(),
            original_file: facts.original(),
            user_modified: facts.user_modified(),
        }
    }

    /// CLA-TOOL-11
    fn edit<'v>(&'v self, edit: &'v Edit) -> EditView<'v> {
        let facts = self.facts();
        let first = edit.edits.first();
        let text = |text: fn(&TextEdit) -> &Text| first.map_or("", |edit| text(edit));
        EditView {
            file_path: self.file_path(&edit.path),
            old_string: text(|edit| &edit.old),
            new_string: text(|edit| &edit.new),
            original_file: facts.original(),
            structured_patch: facts.hunks(),
            user_modified: facts.user_modified(),
            replace_all: first.is_some_and(|edit| edit.replace_all),
            content_not_in_model_context: facts.0.and_then(|file| file.unseen),
        }
    }
}

/// What the host knows of the file, which may be nothing.
struct Facts<'a>(Option<&'a FileFacts>);

impl<'a> Facts<'a> {
    fn original(&self) -> Option<&'a Text> {
        self.0.and_then(|file| file.original.as_ref())
    }

    fn hunks(&self) -> Vec<HunkView<'a>> {
        self.0.map(|file| file.hunks.iter().map(HunkView::of).collect()).unwrap_or_default()
    }

    fn user_modified(&self) -> bool {
        self.0.is_some_and(|file| file.user_modified)
    }
}

/// The content of an MCP result that has one, else all of it. CLA-TOOL-13
fn mcp<S: Serializer>(output: &McpOutput, serializer: S) -> Result<S::Ok, S::Error> {
    let result = output.result.plain();
    let content = result.fields().and_then(|fields| fields.get("content").cloned());
    content.unwrap_or(result).serialize(serializer)
}

/// CLA-TOOL-09
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BashView<'a> {
    stdout: Merged<'a>,
    stderr: &'static str,
    interrupted: bool,
    is_image: bool,
    no_output_expected: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    background_task_id: Option<&'a Text>,
}

impl<'a> BashView<'a> {
    fn of(output: &'a ShellOutput) -> Self {
        let background = output.state == ShellState::Background;
        BashView {
            stdout: Merged::of(output),
            stderr: "",
            interrupted: output.interrupted,
            is_image: output.image,
            no_output_expected: output.silent,
            background_task_id: output.shell_id.as_ref().filter(|_| background),
        }
    }
}

/// Everything a command printed, without its last line end and without building it. CLA-TOOL-09
pub(crate) struct Merged<'a>(pub(crate) &'a str, pub(crate) &'a str);

impl<'a> Merged<'a> {
    pub(crate) fn of(output: &'a ShellOutput) -> Self {
        match &output.combined {
            Some(combined) => Merged(without_line_end(combined), ""),
            None if output.stderr.is_empty() => Merged(without_line_end(&output.stdout), ""),
            None => Merged(&output.stdout, without_line_end(&output.stderr)),
        }
    }
}

impl fmt::Display for Merged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)?;
        f.write_str(self.1)
    }
}

impl Serialize for Merged<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.1.is_empty() { serializer.serialize_str(self.0) } else { serializer.collect_str(self) }
    }
}

#[derive(Serialize)]
struct ReadView<'a> {
    r#type: &'static str,
    file: LinesView<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinesView<'a> {
    file_path: Option<Cow<'a, str>>,
    content: &'a str,
    num_lines: u64,
    start_line: u64,
    total_lines: u64,
}

/// An image with its keys, of which the bytes are not known; anything else without them. CLA-TOOL-10
#[derive(Serialize)]
struct BinaryView<'a> {
    r#type: &'static str,
    file: BytesView<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BytesView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<&'static str>,
    r#type: &'a str,
    original_size: u64,
}

impl<'a> BinaryView<'a> {
    fn of(binary: &'a Binary) -> Self {
        let image = binary.media_type.starts_with("image/");
        BinaryView {
            r#type: if image { "image" } else { "binary" },
            file: BytesView { base64: image.then_some(""), r#type: &binary.media_type, original_size: binary.bytes },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WriteView<'a> {
    r#type: &'static str,
    file_path: Option<Cow<'a, str>>,
    content: &'a str,
    structured_patch: Vec<HunkView<'a>>,
    original_file: Option<&'a Text>,
    user_modified: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EditView<'a> {
    file_path: Option<Cow<'a, str>>,
    old_string: &'a str,
    new_string: &'a str,
    original_file: Option<&'a Text>,
    structured_patch: Vec<HunkView<'a>>,
    user_modified: bool,
    replace_all: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_not_in_model_context: Option<bool>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HunkView<'a> {
    old_start: u64,
    old_lines: u64,
    new_start: u64,
    new_lines: u64,
    lines: &'a [Text],
}

impl<'a> HunkView<'a> {
    fn of(hunk: &'a Hunk) -> Self {
        let Hunk { old_start, old_lines, new_start, new_lines, ref lines, .. } = *hunk;
        HunkView { old_start, old_lines, new_start, new_lines, lines }
    }
}

/// CLA-TOOL-12
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GlobView<'a> {
    filenames: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<Decimal>,
    num_files: usize,
    truncated: bool,
}

impl<'a> GlobView<'a> {
    fn of(text: &'a str, duration_ms: Option<Decimal>) -> Self {
        let filenames = names(text);
        GlobView { num_files: filenames.len(), filenames, duration_ms, truncated: false }
    }
}

/// One name a line.
fn names(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}

/// The mode of a search that names none.
pub(super) const FILES: &str = "files_with_matches";

/// Names of files, or lines as they were found. CLA-TOOL-12
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GrepView<'a> {
    mode: &'a str,
    num_files: usize,
    filenames: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_lines: Option<usize>,
}

impl<'a> GrepView<'a> {
    fn of(grep: &'a Grep, text: &'a str) -> Self {
        let mode = grep.output_mode.as_deref().unwrap_or(FILES);
        if mode == FILES {
            let filenames = names(text);
            return GrepView { mode, num_files: filenames.len(), filenames, content: None, num_lines: None };
        }
        let num_lines = Some(text.lines().count());
        GrepView { mode, num_files: 0, filenames: Vec::new(), content: Some(text), num_lines }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FetchView<'a> {
    result: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<Decimal>,
    url: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SearchView<'a> {
    query: &'a str,
    results: [&'a str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_seconds: Option<Decimal>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AgentView<'a> {
    status: &'static str,
    prompt: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_type: Option<&'a str>,
    content: [TextItem<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    total_duration_ms: Option<Decimal>,
}

impl<'a> AgentView<'a> {
    fn of(task: &'a Task, text: &'a str, duration_ms: Option<Decimal>) -> Self {
        AgentView {
            status: "completed",
            prompt: &task.prompt,
            agent_type: Some(&*task.kind).filter(|kind| !kind.is_empty()),
            content: [TextItem::of(text)],
            total_duration_ms: duration_ms,
        }
    }
}

/// A content block of text.
#[derive(Serialize)]
pub(super) struct TextItem<'a> {
    r#type: &'static str,
    text: &'a str,
}

impl<'a> TextItem<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        TextItem { r#type: "text", text }
    }

    /// A list of this block alone.
    pub(super) fn alone(text: &'a str) -> Json {
        Json::of(&[TextItem::of(text)])
    }
}
