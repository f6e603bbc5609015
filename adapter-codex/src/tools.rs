//! Tool calls and results as Codex shows them, and back. What surrounds a call on standard input
//! is `encode.rs`.

use std::borrow::Cow;

use harness_hooks_core::{InputRewrite, Json, Mcp, Misfit, Tool, ToolCall, ToolOutput};

/// A tool's name as Codex has it. CDX-TOOL-01
pub(crate) fn name(call: &ToolCall) -> Cow<'_, str> {
    match &call.tool {
        Tool::Shell(_) => "Bash".into(),
        Tool::Write(_) | Tool::Edit(_) | Tool::Patch(_) | Tool::Delete(_) => "apply_patch".into(),
        Tool::Task(_) => "spawn_agent".into(),
        Tool::Mcp(Mcp { server, tool, .. }) => {
            let server = server.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_");
            format!("mcp__{server}__{tool}").into()
        }
        _ => call.host_name.as_str().into(),
    }
}

/// The other names of a tool. CDX-MATCH-06
pub(crate) fn aliases(name: &str) -> &'static [&'static str] {
    match name {
        "apply_patch" => &["Write", "Edit"],
        "spawn_agent" => &["Agent"],
        _ => &[],
    }
}

/// The call as a hook wants it.
pub(crate) fn rewrite(call: &ToolCall, wish: &InputRewrite) -> Result<ToolCall, Misfit> {
    let _ = (call, wish);
    Err(Misfit("not yet".into()))
}

/// The result as a hook wants it.
pub(crate) fn rewrite_result(call: &ToolCall, output: &ToolOutput, wish: &Json) -> Result<ToolOutput, Misfit> {
    let _ = (call, output, wish);
    Err(Misfit("not yet".into()))
}
