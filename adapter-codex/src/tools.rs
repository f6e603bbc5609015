//! Tool calls and results as Codex shows them, and back. What surrounds a call on standard input
//! is `encode.rs`.

use harness_hooks_core::{InputRewrite, Json, Misfit, ToolCall, ToolOutput};

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
