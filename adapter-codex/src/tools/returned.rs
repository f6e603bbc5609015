//! `tool_response` as a neutral output.

use harness_hooks_core::{Json, McpOutput, ShellOutput, Tool, ToolOutput};

use super::is_patch;

/// What a tool returned. What the program says of a patch is kept as JSON, which is always written as
/// it is: it names a time that no neutral output holds. CDX-READ-02
pub(crate) fn output(tool: &Tool, response: Json) -> ToolOutput {
    match tool {
        Tool::Mcp(_) => {
            let is_error = response.fields().and_then(|fields| fields.get("isError")?.read().ok()).unwrap_or(false);
            ToolOutput::Mcp(McpOutput::new(response).is_error(is_error))
        }
        tool if is_patch(tool) => ToolOutput::Json(response),
        tool => match (tool, response.text()) {
            (_, None) => ToolOutput::Json(response),
            (Tool::Shell(_), Some(text)) => ToolOutput::Shell(ShellOutput::new().combined(text)),
            (_, Some(text)) => ToolOutput::Text(text),
        },
    }
}
