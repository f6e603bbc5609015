//! `tool_input`: a call as Codex shows it.

use harness_hooks_core::{
    Fields, Glob, Grep, Json, List, McpResource, Read, Shell, Task, Tool, ToolCall, WebFetch, WebSearch, object::Keys,
};
use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{is_command, is_patch, keys_of, patch::Command, shown};

/// `tool_input`.
pub(crate) struct Input<'a> {
    pub(crate) call: &'a ToolCall,
    /// The user is about to be asked: the description of a shell command is shown, and the last line
    /// end of a patch is not. CDX-TOOL-02, CDX-TOOL-03
    pub(crate) asked: bool,
}

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ToolCall { tool, extra, .. } = self.call;
        match tool {
            Tool::Mcp(mcp) => return self.raw(&mcp.arguments, serializer),
            Tool::Other(input) => return self.raw(input, serializer),
            _ => {}
        }
        let mut keys = Keys(serializer.serialize_map(None)?);
        self.typed(tool, &mut keys)?;
        if !is_command(tool) {
            for (key, value) in extra.iter().filter(|(key, _)| !keys_of(tool).contains(key)) {
                keys.put(key, &value.plain())?;
            }
        }
        keys.0.end()
    }
}

impl Input<'_> {
    /// An object given as it is, with the host's keys behind its own. CDX-TOOL-06
    fn raw<S: Serializer>(&self, input: &Json, serializer: S) -> Result<S::Ok, S::Error> {
        let extra = &self.call.extra;
        let Some(own) = input.fields().filter(|_| !extra.is_empty()) else {
            return input.plain().serialize(serializer);
        };
        let further = extra.iter().filter(|(key, _)| own.get(key).is_none());
        serializer.collect_map(plain(&own).chain(further.map(|(key, value)| (key, value.plain()))))
    }

    /// CDX-TOOL-02 to CDX-TOOL-05
    fn typed<M: SerializeMap>(&self, tool: &Tool, keys: &mut Keys<M>) -> Result<(), M::Error> {
        match tool {
            Tool::Shell(Shell { command, description, .. }) => {
                keys.put("command", command)?;
                keys.put_some("description", description.as_ref().filter(|_| self.asked))
            }
            tool if is_patch(tool) => keys.put("command", &Command { tool, last_line_end: !self.asked }),
            Tool::Task(Task { kind, prompt, model, .. }) => {
                keys.put("message", prompt)?;
                keys.put_some("agent_type", (!kind.is_empty()).then_some(kind))?;
                keys.put_some("model", model.as_ref())
            }
            Tool::Read(Read { path, offset, limit, .. }) => {
                keys.put("file_path", &shown(path))?;
                keys.put_some("offset", *offset)?;
                keys.put_some("limit", *limit)
            }
            Tool::Grep(Grep { pattern, path, glob, output_mode, .. }) => {
                keys.put("pattern", pattern)?;
                keys.put_some("file_path", path.as_deref().map(shown))?;
                keys.put_some("glob", glob.as_ref())?;
                keys.put_some("output_mode", output_mode.as_ref())
            }
            Tool::Glob(Glob { pattern, path, .. }) => {
                keys.put("pattern", pattern)?;
                keys.put_some("file_path", path.as_deref().map(shown))
            }
            Tool::List(List { path, ignore, .. }) => {
                keys.put("file_path", &shown(path))?;
                keys.put_some("ignore", (!ignore.is_empty()).then_some(ignore))
            }
            Tool::WebFetch(WebFetch { url, prompt, .. }) => {
                keys.put("url", url)?;
                keys.put_some("prompt", prompt.as_ref())
            }
            Tool::WebSearch(WebSearch { query, .. }) => keys.put("query", query),
            Tool::McpResource(McpResource { server, uri, name, .. }) => {
                keys.put("server", server)?;
                keys.put("uri", uri)?;
                keys.put_some("name", name.as_ref())
            }
            _ => Ok(()),
        }
    }
}

fn plain(fields: &Fields) -> impl Iterator<Item = (&str, Json)> {
    fields.iter().map(|(key, value)| (key, value.plain()))
}
