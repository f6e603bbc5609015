//! `tool_response` as a neutral output. An output that would be written otherwise than it was read
//! is kept as JSON, which is always written as it is.

use std::path::Path;

use harness_hooks_core::{
    Binary, Decimal, FileFacts, Hunk, Json, McpOutput, ShellOutput, ShellState, Text, Tool, ToolCall, ToolOutput,
    ToolResult,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::Response;

/// The result of a call. CLA-READ-02
pub(crate) fn result(call: ToolCall, response: &Json, duration_ms: Option<Decimal>, cwd: &Path) -> ToolResult {
    let kept = ToolOutput::Json(response.clone());
    let (output, file) = neutral(&call.tool, response).unwrap_or((kept.clone(), None));
    let file = file.filter(|file| *file != FileFacts::new());
    let mut result = ToolResult::new(call, output).file(file).duration_ms(duration_ms);
    if !same(&Json::of(&Response { result: &result, cwd }), response) {
        (result.output, result.file) = (kept, None);
    }
    result
}

/// Written alike; in a document that escapes more than Claude Code does, of the same value.
fn same(written: &Json, read: &Json) -> bool {
    let text = read.as_str();
    written.as_str() == text || (text.contains("\\u") || text.contains("\\/")) && written == read
}

/// What a response says, as far as a neutral output holds it, and what it says of a file. `None` for
/// what is no response of the tool, and for one that only JSON holds.
pub(super) fn neutral(tool: &Tool, response: &Json) -> Option<(ToolOutput, Option<FileFacts>)> {
    let text = |text: Text| Some((ToolOutput::Text(text), None));
    match tool {
        Tool::Shell(_) => Bash::of(response).map(|bash| (ToolOutput::Shell(bash.output()), None)),
        Tool::Read(_) => read(response),
        Tool::Write(_) => object::<Written>(response).map(Written::result),
        Tool::Edit(_) => object::<Edited>(response).map(Edited::result),
        Tool::Glob(_) => text(object::<Globbed>(response)?.filenames.join("\n").into()),
        Tool::Grep(_) => {
            let Grepped { content, filenames } = object(response)?;
            text(content.unwrap_or_else(|| filenames.join("\n").into()))
        }
        Tool::WebFetch(_) => text(object::<Fetched>(response)?.result),
        Tool::WebSearch(_) => text(only(object::<Found>(response)?.results)),
        Tool::Task(_) => text(only(object::<Worked>(response)?.content).text),
        Tool::Mcp(_) => Some((mcp(response), None)),
        _ => text(response.text()?),
    }
}

fn only<T>([one]: [T; 1]) -> T {
    one
}

/// An object of this form; an array of its values is none.
fn object<T: DeserializeOwned>(json: &Json) -> Option<T> {
    Some(json).filter(|json| json.as_str().starts_with('{')).and_then(|json| json.read().ok())
}

/// CLA-TOOL-09. The four keys that are always there make it a response of this tool. CLA-TOOL-19
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Bash {
    stdout: Text,
    stderr: Text,
    interrupted: bool,
    is_image: bool,
    #[serde(default)]
    no_output_expected: bool,
    background_task_id: Option<Text>,
}

impl Bash {
    pub(super) fn of(response: &Json) -> Option<Self> {
        object(response)
    }

    /// What is not shown is that it went well.
    fn output(self) -> ShellOutput {
        let background = self.background_task_id.is_some();
        let known = ShellOutput::new()
            .state(if background { ShellState::Background } else { ShellState::Finished })
            .shell_id(self.background_task_id.clone())
            .exit_code((!background).then_some(0));
        self.over(known)
    }

    /// A known output with what this says instead.
    pub(super) fn over(self, known: ShellOutput) -> ShellOutput {
        let flags = known.interrupted(self.interrupted).image(self.is_image).silent(self.no_output_expected);
        if self.stderr.is_empty() {
            return flags.combined(with_line_end(self.stdout)).stdout("").stderr("");
        }
        flags.combined(None).stdout(self.stdout).stderr(self.stderr)
    }
}

/// A text whose line end was cut where it still has one.
pub(crate) fn with_line_end(text: Text) -> Text {
    if text.ends_with('\n') { format!("{text}\n").into() } else { text }
}

/// A text with where it stands in its file, or the size of an image whose bytes are not there.
fn read(response: &Json) -> Option<(ToolOutput, Option<FileFacts>)> {
    #[derive(Deserialize)]
    struct OfFile<T> {
        file: T,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Lines {
        content: Text,
        total_lines: u64,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Bytes {
        r#type: Text,
        original_size: u64,
    }
    if let Some(OfFile { file: Lines { content, total_lines } }) = object(response) {
        return Some((ToolOutput::Text(content), Some(FileFacts::new().total_lines(total_lines))));
    }
    let OfFile { file: Bytes { r#type, original_size } } = object(response)?;
    Some((ToolOutput::Binary(Binary::new(original_size, r#type)), None))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    original_file: Option<Text>,
    structured_patch: Vec<HunkView>,
    user_modified: bool,
}

impl Written {
    fn result(self) -> (ToolOutput, Option<FileFacts>) {
        let Written { original_file, structured_patch, user_modified } = self;
        let facts =
            FileFacts::new().original(original_file).hunks(hunks(structured_patch)).user_modified(user_modified);
        (ToolOutput::Text(Text::default()), Some(facts))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Edited {
    #[serde(flatten)]
    written: Written,
    content_not_in_model_context: Option<bool>,
}

impl Edited {
    fn result(self) -> (ToolOutput, Option<FileFacts>) {
        let (output, facts) = self.written.result();
        (output, facts.map(|facts| facts.unseen(self.content_not_in_model_context)))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HunkView {
    old_start: u64,
    old_lines: u64,
    new_start: u64,
    new_lines: u64,
    lines: Vec<Text>,
}

fn hunks(views: Vec<HunkView>) -> Vec<Hunk> {
    let hunk = |view: HunkView| Hunk::new(view.old_start, view.old_lines, view.new_start, view.new_lines, view.lines);
    views.into_iter().map(hunk).collect()
}

#[derive(Deserialize)]
struct Globbed {
    filenames: Vec<String>,
}

#[derive(Deserialize)]
struct Grepped {
    content: Option<Text>,
    filenames: Vec<String>,
}

#[derive(Deserialize)]
struct Fetched {
    result: Text,
}

#[derive(Deserialize)]
struct Found {
    results: [Text; 1],
}

#[derive(Deserialize)]
struct Worked {
    content: [Block; 1],
}

#[derive(Deserialize)]
struct Block {
    text: Text,
}

/// A list is the content of a result, a text is text, and anything else the result itself.
fn mcp(response: &Json) -> ToolOutput {
    #[derive(Serialize)]
    struct Content<'a> {
        content: &'a Json,
    }
    match response.as_str().chars().next() {
        Some('"') => response.text().map_or_else(|| ToolOutput::Json(response.clone()), ToolOutput::Text),
        Some('[') => ToolOutput::Mcp(McpOutput::new(Json::of(&Content { content: response }))),
        _ => ToolOutput::Mcp(McpOutput::new(response.clone())),
    }
}
