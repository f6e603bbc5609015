//! `tool_input` as a neutral tool: what stands on standard input, and what a hook wants instead.

use std::path::PathBuf;

use harness_hooks_core::{
    Delete, Edit, Fields, Glob, Grep, Json, List, Mcp, McpResource, Patch, Read, Shell, Task, Text, TextEdit, Tool,
    WebFetch, WebSearch, Write,
};

use super::{BETWEEN, MCP, Object, Wrong, plain};

/// A tool by Claude Code's name for it, and the keys of its input that are none of its own.
/// CLA-READ-04
pub(crate) fn tool(name: &str, input: Json, origin: Option<Origin>) -> Result<(Tool, Fields), Wrong> {
    if let Some(Origin { server, tool, source }) = origin {
        return Ok((Mcp::new(server, tool, input).server_source(source).into(), Fields::default()));
    }
    let Some(mut keys) = Object::of(&input) else { return Ok((Tool::Other(input), Fields::default())) };
    let tool: Tool = match name {
        "Bash" => shell(&mut keys)?.into(),
        "Read" => read(&mut keys)?.into(),
        "Write" => write(&mut keys)?.into(),
        "Edit" => edit(&mut keys)?.into(),
        "Grep" => grep(&mut keys)?.into(),
        "Glob" => glob(&mut keys)?.into(),
        "WebFetch" => web_fetch(&mut keys)?.into(),
        "WebSearch" => web_search(&mut keys)?.into(),
        "Agent" => task(&mut keys)?.into(),
        "ReadMcpResourceTool" => mcp_resource(&mut keys)?.into(),
        _ => return Ok((Tool::Other(input), Fields::default())),
    };
    Ok((tool, fields(keys.rest())))
}

/// Keys and values as fields.
pub(super) fn fields(keys: Vec<(String, Json)>) -> Fields {
    let mut fields = Fields::default();
    for (key, value) in keys {
        fields.set(key, value);
    }
    fields
}

/// Where an MCP tool comes from.
pub(crate) struct Origin {
    server: Text,
    tool: Text,
    source: Option<Text>,
}

impl Origin {
    /// What the name of an MCP tool says: the server is what stands before the next two underscores.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let (server, tool) = name.strip_prefix(MCP)?.split_once(BETWEEN)?;
        Some(Origin { server: server.into(), tool: tool.into(), source: None })
    }

    /// What `mcp_server` says beside the name, whose keys are taken. `None` where it is about another
    /// tool.
    pub(crate) fn beside(name: &str, server: &mut Object) -> Option<Self> {
        let known: Text = server.required("name").ok()?;
        let tool = name.strip_prefix(MCP)?.strip_prefix(&*plain(&known))?.strip_prefix(BETWEEN)?;
        Some(Origin { server: known, tool: tool.into(), source: server.known("source").ok()? })
    }
}

pub(super) fn shell(keys: &mut Object) -> Result<Shell, Wrong> {
    Ok(Shell::new(keys.required::<Text>("command")?)
        .timeout_ms(keys.optional::<u64>("timeout")?)
        .description(keys.optional::<Text>("description")?)
        .background(keys.optional("run_in_background")?.unwrap_or(false)))
}

pub(super) fn read(keys: &mut Object) -> Result<Read, Wrong> {
    Ok(Read::new(keys.required::<PathBuf>("file_path")?)
        .offset(keys.optional::<u64>("offset")?)
        .limit(keys.optional::<u64>("limit")?))
}

pub(super) fn write(keys: &mut Object) -> Result<Write, Wrong> {
    Ok(Write::new(keys.required::<PathBuf>("file_path")?, keys.required::<Text>("content")?))
}

/// `edits` begins with the edit of the other keys. A hook that changed one of the two and left the
/// other means its change; what contradicts itself cannot be meant. CLA-TOOL-03
pub(super) fn edit_of(shown: &[TextEdit], keys: &mut Object) -> Result<Edit, Wrong> {
    let path: PathBuf = keys.required("file_path")?;
    let first = text_edit(keys)?;
    let Some(mut listed) = keys.optional::<Vec<Object>>("edits")? else { return Ok(Edit::new(path, [first])) };
    let mut edits = listed.iter_mut().map(text_edit).collect::<Result<Vec<_>, _>>()?;
    let nothing = TextEdit::new("", "");
    let says = |edit: Option<&TextEdit>| *edit.unwrap_or(&nothing) == first;
    if says(edits.first()) || says(shown.first()) {
        return Ok(Edit::new(path, edits));
    }
    if edits != shown && !edits.is_empty() {
        return Err(Wrong::new("the first of `edits` is another than that of `old_string` and `new_string`"));
    }
    match edits.first_mut() {
        Some(changed) => *changed = first,
        None => edits.push(first),
    }
    Ok(Edit::new(path, edits))
}

fn edit(keys: &mut Object) -> Result<Edit, Wrong> {
    edit_of(&[], keys)
}

fn text_edit(keys: &mut Object) -> Result<TextEdit, Wrong> {
    Ok(TextEdit::new(keys.required::<Text>("old_string")?, keys.required::<Text>("new_string")?)
        .replace_all(keys.optional("replace_all")?.unwrap_or(false)))
}

pub(super) fn patch(keys: &mut Object) -> Result<Patch, Wrong> {
    Ok(Patch::new(keys.required::<Text>("text")?)
        .paths(keys.optional::<Vec<PathBuf>>("file_paths")?.unwrap_or_default()))
}

pub(super) fn delete(keys: &mut Object) -> Result<Delete, Wrong> {
    Ok(Delete::new(keys.required::<PathBuf>("file_path")?))
}

pub(super) fn grep(keys: &mut Object) -> Result<Grep, Wrong> {
    Ok(Grep::new(keys.required::<Text>("pattern")?)
        .path(keys.optional::<PathBuf>("path")?)
        .glob(keys.optional::<Text>("glob")?)
        .output_mode(keys.optional::<Text>("output_mode")?))
}

pub(super) fn glob(keys: &mut Object) -> Result<Glob, Wrong> {
    Ok(Glob::new(keys.required::<Text>("pattern")?).path(keys.optional::<PathBuf>("path")?))
}

pub(super) fn list(keys: &mut Object) -> Result<List, Wrong> {
    Ok(List::new(keys.required::<PathBuf>("file_path")?)
        .ignore(keys.optional::<Vec<Text>>("ignore")?.unwrap_or_default()))
}

pub(super) fn web_fetch(keys: &mut Object) -> Result<WebFetch, Wrong> {
    Ok(WebFetch::new(keys.required::<Text>("url")?).prompt(keys.optional::<Text>("prompt")?))
}

pub(super) fn web_search(keys: &mut Object) -> Result<WebSearch, Wrong> {
    Ok(WebSearch::new(keys.required::<Text>("query")?))
}

/// No kind is the kind the host would take. CLA-TOOL-04
pub(super) fn task(keys: &mut Object) -> Result<Task, Wrong> {
    let kind = keys.optional::<Text>("subagent_type")?.unwrap_or_default();
    Ok(Task::new(kind, keys.required::<Text>("prompt")?)
        .description(keys.optional::<Text>("description")?)
        .model(keys.optional::<Text>("model")?)
        .background(keys.optional::<bool>("run_in_background")?))
}

pub(super) fn mcp_resource(keys: &mut Object) -> Result<McpResource, Wrong> {
    Ok(McpResource::new(keys.required::<Text>("server")?, keys.required::<Text>("uri")?))
}
