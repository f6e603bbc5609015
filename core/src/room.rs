//! How much room a payload takes once it is written, so that a large text is written where it stays.

use crate::{Payload, Text, Tool, ToolCall, ToolOutput};

impl Payload {
    /// About as many bytes as its large texts take in JSON; what is small is not counted.
    pub fn room(&self) -> usize {
        let text = match self {
            Payload::PromptSubmit(prompt) => room(&prompt.prompt),
            Payload::FileRead(read) => optional(read.content.as_ref()),
            Payload::AgentResponse(response) => room(&response.text),
            Payload::AgentThought(thought) => room(&thought.text),
            Payload::TurnStop(stop) => optional(stop.last_message.as_ref()),
            Payload::SubagentStop(stop) => optional(stop.last_message.as_ref().or(stop.summary.as_ref())),
            Payload::CompactAfter(compact) => optional(compact.summary.as_ref()),
            _ => 0,
        };
        text + self.call().map_or(0, input) + self.output().map_or(0, output)
    }
}

fn input(call: &ToolCall) -> usize {
    match &call.tool {
        Tool::Write(write) => room(&write.content),
        Tool::Edit(edit) => edit.edits.iter().map(|edit| room(&edit.old) + room(&edit.new)).sum(),
        Tool::Patch(patch) => room(&patch.text),
        Tool::Task(task) => room(&task.prompt),
        Tool::Mcp(mcp) => room(mcp.arguments.as_str()),
        Tool::Other(input) => room(input.as_str()),
        _ => 0,
    }
}

fn output(output: &ToolOutput) -> usize {
    match output {
        ToolOutput::Shell(shell) => match &shell.combined {
            Some(combined) => room(combined),
            None => room(&shell.stdout) + room(&shell.stderr),
        },
        ToolOutput::Text(text) => room(text),
        ToolOutput::Json(json) => room(json.as_str()),
        ToolOutput::Mcp(mcp) => room(mcp.result.as_str()),
        ToolOutput::Binary(_) => 0,
    }
}

fn optional(text: Option<&Text>) -> usize {
    text.map_or(0, |text| room(text))
}

/// What a text takes at most once it is escaped, and for most texts once more as part of a text.
fn room(text: &str) -> usize {
    let escaped = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    text.len() + 3 * text.bytes().filter(escaped).count()
}
