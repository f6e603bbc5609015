//! What an event's matcher is tested against, and what a matcher's text means. Testing itself is
//! core's.

use std::borrow::Cow;

use harness_hooks_core::{
    Dialect, Envelope, Matcher, Payload, ShellState, Targets, Tool, ToolCall, ToolOutput, matcher::Patterns,
};

use crate::{
    events::{Event, Row, Target},
    tools,
};

/// The matcher of a definition: nothing, `""` and `"*"` match everything, anything else is a
/// JavaScript regular expression. CUR-MATCH-01 to CUR-MATCH-03
pub(crate) fn compile(text: &str, patterns: &Patterns) -> Matcher {
    match text {
        "" | "*" => Matcher::Any,
        text => Matcher::Pattern(patterns.get(text, Dialect::JavaScript)),
    }
}

/// What matchers of an event are tested against in this envelope. CUR-MATCH-11
pub(crate) fn targets<'e>(row: &Row, envelope: &'e Envelope) -> Targets<'e> {
    let happens = row.spec.moment(envelope.boundary(), envelope.payload.facet()).is_some();
    if !happens || (row.event == Event::AfterShellExecution && !finished_command(&envelope.payload)) {
        return Targets::NotThisEvent;
    }
    let call = envelope.payload.call();
    match row.target {
        Target::Nothing => Targets::Everything,
        Target::Word(word) => Targets::one(word),
        Target::ToolName => call.map_or(Targets::NotThisEvent, |call| Targets::one(tools::name(call))),
        Target::Command => call.map_or(Targets::NotThisEvent, command),
        Target::McpTool => call.map_or(Targets::NotThisEvent, |call| mcp_tool(call, true)),
        Target::McpName => call.map_or(Targets::NotThisEvent, |call| mcp_tool(call, false)),
        Target::SubagentKind => match &envelope.payload {
            Payload::SubagentStart(payload) => Targets::one(payload.kind.as_str()),
            Payload::SubagentStop(payload) => Targets::one(payload.kind.as_str()),
            _ => Targets::NotThisEvent,
        },
    }
}

/// A command that ended, whatever its exit code; not a look at one that goes on, and not one that
/// was put into the background. CUR-MATCH-12
fn finished_command(payload: &Payload) -> bool {
    let started_in_background = |call: &ToolCall| matches!(&call.tool, Tool::Shell(shell) if shell.background);
    match payload {
        Payload::ToolResult(result) => {
            matches!(&result.output, ToolOutput::Shell(output) if output.state == ShellState::Finished)
                && !started_in_background(&result.call)
        }
        _ => false,
    }
}

fn command(call: &ToolCall) -> Targets<'_> {
    match &call.tool {
        Tool::Shell(shell) => Targets::one(shell.command.as_str()),
        _ => Targets::NotThisEvent,
    }
}

/// The tool with `MCP:` before it, and its bare name too, because authors wrote both and neither
/// guard may go silent. CUR-MATCH-07
fn mcp_tool(call: &ToolCall, bare: bool) -> Targets<'_> {
    let Tool::Mcp(mcp) = &call.tool else { return Targets::NotThisEvent };
    let name = Cow::from(format!("MCP:{}", mcp.tool));
    if bare { Targets::of(mcp.tool.as_str(), [name]) } else { Targets::one(name) }
}
