//! Tool calls as the vendor shows them, and back. What surrounds a call on standard input is
//! `encode.rs`.

use harness_hooks_core::{Shell, Tool, ToolCall};

/// The shell command of a call, if it is one.
pub(crate) fn shell(call: &ToolCall) -> Option<&Shell> {
    match &call.tool {
        Tool::Shell(shell) => Some(shell),
        _ => None,
    }
}
