//! `tool_input`: a call as Claude Code shows it.

use std::path::Path;

use harness_hooks_core::{
    Delete, Edit, Fields, Glob, Grep, List, Mcp, McpResource, Patch, Read, Shell, Task, TextEdit, Tool, ToolCall,
    WebFetch, WebSearch, Write,
};
use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{Keys, file, is_key_of, shown};

/// `tool_input`. Relative paths of files stand below the working directory, where it is given.
pub(crate) struct Input<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) cwd: Option<&'a Path>,
}

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ToolCall { tool, extra, .. } = self.call;
        let raw = match tool {
            Tool::Mcp(mcp) => Some(&mcp.arguments),
            Tool::Other(input) => Some(input),
            _ => None,
        };
        if let Some(raw) = raw {
            return match raw.fields().filter(|_| !extra.is_empty()) {
                Some(fields) => self.serialize_with_extra(serializer, &fields),
                None => raw.plain().serialize(serializer),
            };
        }
        let mut keys = Keys(serializer.serialize_map(None)?);
        self.typed(tool, &mut keys)?;
        for (key, value) in extra.iter().filter(|(key, _)| !is_key_of(tool, key)) {
            keys.put(key, &value.plain())?;
        }
        keys.0.end()
    }
}

impl Input<'_> {
    /// An object given as it is, with the host's keys behind its own. CLA-TOOL-07
    fn serialize_with_extra<S: Serializer>(&self, serializer: S, own: &Fields) -> Result<S::Ok, S::Error> {
        let extra = self.call.extra.iter().filter(|(key, _)| own.get(key).is_none());
        serializer.collect_map(own.iter().chain(extra).map(|(key, value)| (key, value.plain())))
    }

    /// CLA-TOOL-02 to CLA-TOOL-05
    fn typed<M: SerializeMap>(&self, tool: &Tool, keys: &mut Keys<M>) -> Result<(), M::Error> {
        match tool {
            Tool::Shell(Shell { command, timeout_ms, description, background, .. }) => {
                keys.put("command", command)?;
                keys.put_some("timeout", *timeout_ms)?;
                keys.put_some("description", description.as_ref())?;
                keys.put_some("run_in_background", background.then_some(true))
            }
            Tool::Read(Read { path, offset, limit, .. }) => {
                self.file(path, keys)?;
                keys.put_some("offset", *offset)?;
                keys.put_some("limit", *limit)
            }
            Tool::Write(Write { path, content, .. }) => {
                self.file(path, keys)?;
                keys.put("content", content)
            }
            Tool::Edit(edit) => self.edit(edit, keys),
            Tool::Patch(Patch { text, paths, .. }) => {
                keys.put("text", text)?;
                let paths = paths.iter().map(|path| file(path, self.cwd)).collect::<Vec<_>>();
                keys.put_some("file_paths", (!paths.is_empty()).then_some(paths))
            }
            Tool::Delete(Delete { path, .. }) => self.file(path, keys),
            Tool::Grep(Grep { pattern, path, glob, output_mode, .. }) => {
                keys.put("pattern", pattern)?;
                keys.put_some("path", path.as_deref().map(shown))?;
                keys.put_some("glob", glob.as_ref())?;
                keys.put_some("output_mode", output_mode.as_ref())
            }
            Tool::Glob(Glob { pattern, path, .. }) => {
                keys.put("pattern", pattern)?;
                keys.put_some("path", path.as_deref().map(shown))
            }
            Tool::List(List { path, ignore, .. }) => {
                self.file(path, keys)?;
                keys.put_some("ignore", (!ignore.is_empty()).then_some(ignore))
            }
            Tool::WebFetch(WebFetch { url, prompt, .. }) => {
                keys.put("url", url)?;
                keys.put_some("prompt", prompt.as_ref())
            }
            Tool::WebSearch(WebSearch { query, .. }) => keys.put("query", query),
            Tool::Task(Task { kind, prompt, description, model, background, .. }) => {
                keys.put_some("description", description.as_ref())?;
                keys.put("prompt", prompt)?;
                keys.put_some("subagent_type", (!kind.is_empty()).then_some(kind))?;
                keys.put_some("model", model.as_ref())?;
                keys.put_some("run_in_background", *background)
            }
            Tool::McpResource(McpResource { server, uri, .. }) => {
                keys.put("server", server)?;
                keys.put("uri", uri)
            }
            _ => Ok(()),
        }
    }

    fn file<M: SerializeMap>(&self, path: &Path, keys: &mut Keys<M>) -> Result<(), M::Error> {
        keys.put("file_path", &file(path, self.cwd))
    }

    /// The first edit, and all of them where it is not the only one. CLA-TOOL-03
    fn edit<M: SerializeMap>(&self, edit: &Edit, keys: &mut Keys<M>) -> Result<(), M::Error> {
        let nothing = TextEdit::new("", "");
        let EditView { old_string, new_string, replace_all } = EditView::of(edit.edits.first().unwrap_or(&nothing));
        self.file(&edit.path, keys)?;
        keys.put("old_string", old_string)?;
        keys.put("new_string", new_string)?;
        keys.put("replace_all", &replace_all)?;
        let several = (edit.edits.len() != 1).then(|| edit.edits.iter().map(EditView::of).collect::<Vec<_>>());
        keys.put_some("edits", several)
    }
}

/// One replacement as Claude Code spells it.
#[derive(Serialize)]
struct EditView<'a> {
    old_string: &'a str,
    new_string: &'a str,
    replace_all: bool,
}

impl<'a> EditView<'a> {
    fn of(edit: &'a TextEdit) -> Self {
        EditView { old_string: &edit.old, new_string: &edit.new, replace_all: edit.replace_all }
    }
}

/// `mcp_server`: where an MCP tool comes from. CLA-TOOL-08
#[derive(Serialize)]
pub(crate) struct Server<'a> {
    name: &'a str,
    source: &'a str,
}

impl<'a> Server<'a> {
    /// The server of a call, if it is a call of an MCP tool.
    pub(crate) fn of(call: &'a ToolCall) -> Option<Self> {
        let Tool::Mcp(Mcp { server, server_source, .. }) = &call.tool else { return None };
        Some(Server { name: server, source: server_source.as_deref().unwrap_or("dynamic") })
    }
}
