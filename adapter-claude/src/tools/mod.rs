//! Tool calls and results as Claude Code shows them, and back: what a hook rewrote becomes a neutral
//! call again. What surrounds a call on standard input is `encode`.

mod input;
mod parse;
mod response;
mod returned;
mod rewrite;

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

pub(crate) use harness_hooks_core::object::{Keys, Object, Wrong, fit};
use harness_hooks_core::{Mcp, ShellState, Tool, ToolCall, ToolOutput, ToolResult};
pub(crate) use input::{Input, Server};
pub(crate) use parse::{Origin, tool};
pub(crate) use response::{Merged, Response};
pub(crate) use returned::{result, with_line_end};
pub(crate) use rewrite::{rewrite, rewrite_result};

/// The tool's name as Claude Code spells it. CLA-TOOL-01, CLA-TOOL-05
pub(crate) fn name(call: &ToolCall) -> Cow<'_, str> {
    match &call.tool {
        Tool::Shell(_) => "Bash".into(),
        Tool::Read(_) => "Read".into(),
        Tool::Write(_) => "Write".into(),
        Tool::Edit(_) => "Edit".into(),
        Tool::Grep(_) => "Grep".into(),
        Tool::Glob(_) => "Glob".into(),
        Tool::WebFetch(_) => "WebFetch".into(),
        Tool::WebSearch(_) => "WebSearch".into(),
        Tool::Task(_) => "Agent".into(),
        Tool::Mcp(Mcp { server, tool, .. }) => format!("{MCP}{}{BETWEEN}{}", plain(server), plain(tool)).into(),
        Tool::McpResource(_) => "ReadMcpResourceTool".into(),
        _ => call.host_name.as_str().into(),
    }
}

/// What the name of an MCP tool begins with.
const MCP: &str = "mcp__";
/// What stands between server and tool.
const BETWEEN: &str = "__";

/// A part of an MCP tool's name: `claude.ai Notion` is `claude_ai_Notion`. CLA-TOOL-01
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// The names a tool had before, by which matchers still find it. CLA-MATCH-06
pub(crate) fn aliases(name: &str) -> &'static [&'static str] {
    match name {
        "Agent" => &["Task"],
        "TaskStop" => &["KillShell", "KillBash"],
        "ListAgents" => &["ListPeers"],
        "SendUserMessage" => &["Brief"],
        "ListMcpResourcesTool" => &["ListMcpResources"],
        "ReadMcpResourceTool" => &["ReadMcpResource"],
        "ReadMcpResourceDirTool" => &["ReadMcpResourceDir"],
        "SetGoal" => &["ProposeGoal"],
        _ => &[],
    }
}

/// The keys of a tool's own, shown or not. CLA-TOOL-02 to CLA-TOOL-05
fn keys_of(tool: &Tool) -> &'static [&'static str] {
    match tool {
        Tool::Shell(_) => &["command", "timeout", "description", "run_in_background"],
        Tool::Read(_) => &["file_path", "offset", "limit"],
        Tool::Write(_) => &["file_path", "content"],
        Tool::Edit(_) => &["file_path", "old_string", "new_string", "replace_all", "edits"],
        Tool::Patch(_) => &["text", "file_paths"],
        Tool::Delete(_) => &["file_path"],
        Tool::Grep(_) => &["pattern", "path", "glob", "output_mode"],
        Tool::Glob(_) => &["pattern", "path"],
        Tool::List(_) => &["file_path", "ignore"],
        Tool::WebFetch(_) => &["url", "prompt"],
        Tool::WebSearch(_) => &["query"],
        Tool::Task(_) => &["description", "prompt", "subagent_type", "model", "run_in_background"],
        Tool::McpResource(_) => &["server", "uri"],
        _ => &[],
    }
}

fn is_key_of(tool: &Tool, key: &str) -> bool {
    keys_of(tool).contains(&key)
}

/// The paths a tool's input shows, each with its key.
pub(crate) fn paths(tool: &Tool) -> Vec<(&'static str, &Path)> {
    let one = |key, path| vec![(key, path)];
    match tool {
        Tool::Read(tool) => one("file_path", tool.path.as_path()),
        Tool::Write(tool) => one("file_path", tool.path.as_path()),
        Tool::Edit(tool) => one("file_path", tool.path.as_path()),
        Tool::Delete(tool) => one("file_path", tool.path.as_path()),
        Tool::List(tool) => one("file_path", tool.path.as_path()),
        Tool::Patch(tool) => tool.paths.iter().map(|path| ("file_paths", path.as_path())).collect(),
        Tool::Grep(tool) => tool.path.iter().map(|path| ("path", path.as_path())).collect(),
        Tool::Glob(tool) => tool.path.iter().map(|path| ("path", path.as_path())).collect(),
        _ => Vec::new(),
    }
}

/// The exit code of a finished shell command that went wrong: what makes a result a failure to
/// Claude Code. CLA-EVT-06
pub(crate) fn bad_exit(result: &ToolResult) -> Option<i32> {
    match &result.output {
        ToolOutput::Shell(shell) if shell.state == ShellState::Finished => shell.exit_code.filter(|code| *code != 0),
        _ => None,
    }
}

/// Without the line end at its end: one, even where there are several. CLA-TOOL-09
pub(crate) fn without_line_end(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}

/// A path as a hook reads it; one that is not text is `null`.
pub(crate) fn shown(path: &Path) -> Option<&str> {
    path.to_str()
}

/// A file's path as a hook reads it: below the working directory if it is relative. CLA-TOOL-06
pub(crate) fn file<'p>(path: &'p Path, cwd: Option<&Path>) -> Option<Cow<'p, str>> {
    let Some(cwd) = cwd.filter(|_| !path.has_root()) else { return shown(path).map(Cow::Borrowed) };
    let path = path.strip_prefix(".").unwrap_or(path);
    let whole: PathBuf = if path.as_os_str().is_empty() { cwd.to_path_buf() } else { cwd.join(path) };
    whole.into_os_string().into_string().ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLA-MATCH-06: by former names, never by names of other tools.
    #[test]
    fn tools_are_found_by_the_names_they_had() {
        let renamed = [
            ("Agent", &["Task"][..]),
            ("TaskStop", &["KillShell", "KillBash"]),
            ("ListAgents", &["ListPeers"]),
            ("SendUserMessage", &["Brief"]),
            ("ListMcpResourcesTool", &["ListMcpResources"]),
            ("ReadMcpResourceTool", &["ReadMcpResource"]),
            ("ReadMcpResourceDirTool", &["ReadMcpResourceDir"]),
            ("SetGoal", &["ProposeGoal"]),
            ("Bash", &[]),
            ("Task", &[]),
            ("mcp__a__b", &[]),
        ];
        for (name, former) in renamed {
            assert_eq!(aliases(name), former, "{name}");
        }
    }

    #[test]
    fn one_line_end_is_cut() {
        for (text, cut) in [("a\n", "a"), ("a\n\n", "a\n"), ("a\r\n", "a"), ("a\r", "a\r"), ("\n", ""), ("", "")] {
            assert_eq!(without_line_end(text), cut, "{text:?}");
        }
    }
}
