//! Tool calls and what they returned, in no vendor's words.

mod call;
mod output;

pub use call::{
    Delete, Edit, Glob, Grep, List, Mcp, McpResource, Patch, Read, Shell, Task, TextEdit, Tool, ToolCall, WebFetch,
    WebSearch, Write,
};
pub use output::{Binary, McpOutput, Printed, ShellOutput, ShellState, ToolOutput};
