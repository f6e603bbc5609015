//! `tool_response`: what a tool returned, as Codex shows it. CDX-TOOL-07

use harness_hooks_core::{Binary, ToolCall, ToolOutput};
use serde::{Serialize, Serializer};

use super::{is_patch, patch::Summary};

/// `tool_response` of a call that returned.
pub(crate) struct Response<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) output: &'a ToolOutput,
}

impl Serialize for Response<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(summary) = self.summary() {
            return summary.serialize(serializer);
        }
        match self.output {
            ToolOutput::Json(json) => json.plain().serialize(serializer),
            ToolOutput::Shell(output) => output.printed().serialize(serializer),
            ToolOutput::Mcp(output) => output.result.plain().serialize(serializer),
            ToolOutput::Text(text) => serializer.serialize_str(text),
            ToolOutput::Binary(binary) => BinaryView::of(binary).serialize(serializer),
            _ => serializer.serialize_none(),
        }
    }
}

impl<'a> Response<'a> {
    /// A change of files says which, whatever the host says of it, unless the host gives JSON.
    fn summary(&self) -> Option<Summary<'a>> {
        let given = matches!(self.output, ToolOutput::Json(_));
        (is_patch(&self.call.tool) && !given).then_some(Summary(&self.call.tool))
    }

    /// Nothing of it is `null` only because it could not be written.
    pub(crate) fn is_writable(&self) -> bool {
        self.summary().is_none_or(|summary| summary.is_writable())
    }
}

/// The size of what is not text.
#[derive(Serialize)]
struct BinaryView<'a> {
    bytes: u64,
    media_type: &'a str,
}

impl<'a> BinaryView<'a> {
    fn of(binary: &'a Binary) -> Self {
        BinaryView { bytes: binary.bytes, media_type: &binary.media_type }
    }
}
