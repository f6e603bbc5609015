//! Tool calls and results as Codex shows them, and back: what a hook rewrote becomes a neutral call
//! again. What surrounds a call on standard input is `encode.rs`.

mod input;
mod parse;
mod patch;
mod response;
mod returned;
mod rewrite;

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use harness_hooks_core::{Mcp, Tool, ToolCall};

pub(crate) use input::Input;
pub(crate) use parse::{Parsed, tool};
pub(crate) use response::Response;
pub(crate) use returned::output;
pub(crate) use rewrite::{rewrite, rewrite_result};

const SHELL: &str = "Bash";
const PATCH: &str = "apply_patch";
const TASK: &str = "spawn_agent";
/// What the name of an MCP tool begins with.
const MCP: &str = "mcp__";
/// What stands between server and tool.
const BETWEEN: &str = "__";

/// The tool's name as Codex spells it. CDX-TOOL-01
pub(crate) fn name(call: &ToolCall) -> Cow<'_, str> {
    match &call.tool {
        Tool::Shell(_) => SHELL.into(),
        tool if is_patch(tool) => PATCH.into(),
        Tool::Task(_) => TASK.into(),
        Tool::Mcp(Mcp { server, tool, .. }) => format!("{MCP}{}{BETWEEN}{tool}", plain(server)).into(),
        _ => call.host_name.as_str().into(),
    }
}

/// A server's name as part of a tool's: `my-srv` is `my_srv`. CDX-TOOL-01
fn plain(server: &str) -> String {
    server.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The other names by which matchers find a tool of this name. CDX-MATCH-06
pub(crate) fn aliases(name: &str) -> &'static [&'static str] {
    match name {
        PATCH => &["Write", "Edit"],
        TASK => &["Agent"],
        _ => &[],
    }
}

/// The keys of a tool's own, shown or not. CDX-TOOL-05, CDX-TOOL-06
fn keys_of(tool: &Tool) -> &'static [&'static str] {
    match tool {
        Tool::Task(_) => &["message", "agent_type", "model"],
        Tool::Read(_) => &["file_path", "offset", "limit"],
        Tool::Grep(_) => &["pattern", "file_path", "glob", "output_mode"],
        Tool::Glob(_) => &["pattern", "file_path"],
        Tool::List(_) => &["file_path", "ignore"],
        Tool::WebFetch(_) => &["url", "prompt"],
        Tool::WebSearch(_) => &["query"],
        Tool::McpResource(_) => &["server", "uri", "name"],
        _ => &[],
    }
}

/// It is `apply_patch`, whose input is the text of a patch. CDX-TOOL-01
fn is_patch(tool: &Tool) -> bool {
    matches!(tool, Tool::Write(_) | Tool::Edit(_) | Tool::Delete(_) | Tool::Patch(_))
}

/// Codex shows nothing of it but a command. CDX-TOOL-06
fn is_command(tool: &Tool) -> bool {
    matches!(tool, Tool::Shell(_)) || is_patch(tool)
}

/// The paths a tool's input shows, and the key they are shown under.
pub(crate) fn paths(tool: &Tool) -> (&'static str, &[PathBuf]) {
    let one = std::slice::from_ref;
    match tool {
        Tool::Write(write) => ("command", one(&write.path)),
        Tool::Edit(edit) => ("command", one(&edit.path)),
        Tool::Delete(delete) => ("command", one(&delete.path)),
        Tool::Read(read) => ("file_path", one(&read.path)),
        Tool::List(list) => ("file_path", one(&list.path)),
        Tool::Grep(grep) => ("file_path", grep.path.as_slice()),
        Tool::Glob(glob) => ("file_path", glob.path.as_slice()),
        _ => ("", &[]),
    }
}

/// A path as a hook reads it; one that is not text is `null`.
pub(crate) fn shown(path: &Path) -> Option<&str> {
    path.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CDX-MATCH-06: a shell command has no other name, and no alias has one itself.
    #[test]
    fn two_tools_have_other_names() {
        for (name, others) in [
            ("apply_patch", &["Write", "Edit"][..]),
            ("spawn_agent", &["Agent"]),
            ("Bash", &[]),
            ("Write", &[]),
            ("Agent", &[]),
            ("mcp__srv__apply_patch", &[]),
        ] {
            assert_eq!(aliases(name), others, "{name}");
        }
    }
}
