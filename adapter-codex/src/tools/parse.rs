//! `tool_input` as a neutral tool, where it stands on standard input. CDX-READ-04

use harness_hooks_core::{Fields, Json, Mcp, Patch, Shell, Task, Text, Tool, ToolCall, object::Object};

use super::{BETWEEN, Input, MCP, PATCH, SHELL, TASK, is_plain, patch};

/// What an input was read as.
pub(crate) struct Parsed {
    pub(crate) tool: Tool,
    /// Keys that are none of the tool's own.
    pub(crate) extra: Fields,
    /// JSON pointers of what no envelope holds.
    pub(crate) ignored: Vec<String>,
}

impl Parsed {
    fn new(tool: impl Into<Tool>) -> Self {
        Parsed { tool: tool.into(), extra: Fields::default(), ignored: Vec::new() }
    }

    /// Nothing holds the keys that are left over.
    fn ignoring(mut self, rest: &Object) -> Self {
        self.ignored = rest.pointers("/tool_input");
        self
    }
}

/// A tool by Codex's name for it. An input that is not in its form is that of another tool.
pub(crate) fn tool(name: &str, input: Json, asked: bool) -> Parsed {
    let known = match name {
        SHELL => shell(&input, asked),
        PATCH => apply_patch(&input),
        TASK => task(&input),
        _ => mcp(name, &input).map(Parsed::new),
    };
    known.unwrap_or_else(|| Parsed::new(Tool::Other(input)))
}

fn shell(input: &Json, asked: bool) -> Option<Parsed> {
    let mut keys = Object::of(input)?;
    let command: Text = keys.required("command").ok()?;
    let said = asked && keys.get("description").is_some_and(|said| said.text().is_some());
    let description: Option<Text> = if said { keys.optional("description").ok()? } else { None };
    Some(Parsed::new(Shell::new(command).description(description)).ignoring(&keys))
}

/// Always a patch: no text tells what it was made of.
fn apply_patch(input: &Json) -> Option<Parsed> {
    let mut keys = Object::of(input)?;
    let text: Text = keys.required("command").ok()?;
    let paths = patch::paths(&text);
    Some(Parsed::new(Patch::new(text).paths(paths)).ignoring(&keys))
}

/// Only an input that is written the same again: the order of its keys is not kept.
fn task(input: &Json) -> Option<Parsed> {
    let mut keys = Object::of(input)?;
    let prompt: Text = keys.required("message").ok()?;
    let kind: Option<Text> = keys.optional("agent_type").ok()?;
    let model: Option<Text> = keys.optional("model").ok()?;
    let task = Task::new(kind.unwrap_or_default(), prompt).model(model);
    let mut call = ToolCall::new("", TASK, task);
    for (key, value) in keys.rest() {
        call = call.extra(key, value);
    }
    let again = Json::of(&Input { call: &call, asked: false });
    let same = again.as_str() == input.plain().as_str();
    same.then_some(Parsed { tool: call.tool, extra: call.extra, ignored: Vec::new() })
}

/// The server is what stands before the next two underscores; one whose name Codex had to change is
/// not known by its own. `None` where the name is not that of a server and a tool.
fn mcp(name: &str, arguments: &Json) -> Option<Mcp> {
    let whole = name.strip_prefix(MCP)?;
    let first = whole.chars().next()?;
    let at = first.len_utf8() + whole.get(first.len_utf8()..)?.find(BETWEEN)?;
    let (server, tool) = (whole.get(..at)?, whole.get(at + BETWEEN.len()..)?);
    let known = !tool.is_empty() && server.chars().all(is_plain);
    known.then(|| Mcp::new(server, tool, arguments.clone()))
}
