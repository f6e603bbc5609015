//! What a hook wants instead: another input for a call, or another result.

use harness_hooks_core::{
    Edit, Fields, InputRewrite, Json, McpOutput, McpResource, Misfit, Shell, ShellOutput, Text, Tool, ToolCall,
    ToolOutput,
};
use serde::Serialize;

use super::{
    Object, Wrong, is_key_of, parse,
    response::TextItem,
    returned::{Bash, neutral},
};

/// The call with another input. CLA-TOOL-16 to CLA-TOOL-18
pub(crate) fn rewrite(call: &ToolCall, wish: &InputRewrite) -> Result<ToolCall, Misfit> {
    let InputRewrite::Replace(wish) = wish else {
        return Err(Misfit("a hook here replaces all of an input, never single keys".into()));
    };
    let mut keys = Object::of(wish).ok_or_else(|| Wrong::new("`updatedInput` must be an object"))?;
    let raw = |own: &Json, keys: Object| {
        let (own, extra) = apart(own, &call.extra, keys);
        (own.unwrap_or_else(|| wish.clone()), extra)
    };
    let (tool, extra): (Tool, Fields) = match &call.tool {
        Tool::Mcp(mcp) => {
            let (arguments, extra) = raw(&mcp.arguments, keys);
            let mut mcp = mcp.clone();
            mcp.arguments = arguments;
            (mcp.into(), extra)
        }
        Tool::Other(input) => {
            let (input, extra) = raw(input, keys);
            (Tool::Other(input), extra)
        }
        tool => {
            let tool = typed(tool, &mut keys)?;
            let extra = beside(&tool, &call.extra, keys);
            (tool, extra)
        }
    };
    let call = ToolCall::new(call.id.clone(), call.host_name.clone(), tool);
    Ok(extra.into_iter().fold(call, |call, (key, value)| call.extra(key, value)))
}

/// A tool's new input, with what its view does not show. CLA-TOOL-17
fn typed(tool: &Tool, keys: &mut Object) -> Result<Tool, Wrong> {
    Ok(match tool {
        Tool::Shell(Shell { cwd, sandboxed, .. }) => parse::shell(keys)?.cwd(cwd.clone()).sandboxed(*sandboxed).into(),
        Tool::Read(_) => parse::read(keys)?.into(),
        Tool::Write(_) => parse::write(keys)?.into(),
        Tool::Edit(Edit { edits, .. }) => parse::edit_of(edits, keys)?.into(),
        Tool::Patch(_) => parse::patch(keys)?.into(),
        Tool::Delete(_) => parse::delete(keys)?.into(),
        Tool::Grep(_) => parse::grep(keys)?.into(),
        Tool::Glob(_) => parse::glob(keys)?.into(),
        Tool::List(_) => parse::list(keys)?.into(),
        Tool::WebFetch(fetch) => {
            let new = parse::web_fetch(keys)?;
            still_there("prompt", &fetch.prompt, &new.prompt)?;
            new.into()
        }
        Tool::WebSearch(_) => parse::web_search(keys)?.into(),
        Tool::Task(task) => {
            let new = parse::task(keys)?;
            still_there("description", &task.description, &new.description)?;
            new.into()
        }
        Tool::McpResource(McpResource { server, uri, name, .. }) => {
            let new = parse::mcp_resource(keys)?;
            let same = (&new.server, &new.uri) == (server, uri);
            new.name(name.clone().filter(|_| same)).into() // another resource has another name
        }
        other => other.clone(),
    })
}

/// A key Claude Code requires and the neutral tool does not: it may be absent only where it was.
fn still_there(key: &str, old: &Option<Text>, new: &Option<Text>) -> Result<(), Wrong> {
    if old.is_some() && new.is_none() { Err(Wrong::missing(key)) } else { Ok(()) }
}

/// What stands beside a tool's own keys: what the hook wrote there, and what was never shown because
/// the tool has a key of the name.
fn beside(tool: &Tool, extra: &Fields, rest: Object) -> Fields {
    let hidden = extra.iter().filter(|(key, _)| is_key_of(tool, key));
    let hidden = hidden.map(|(key, value)| (key.to_owned(), value.clone()));
    parse::fields(hidden.chain(rest.rest()).collect())
}

/// An input that is passed on as it is, and the keys that the host showed beside it. `None` where it
/// showed none, so that the input is what the hook wrote.
fn apart(own: &Json, extra: &Fields, wish: Object) -> (Option<Json>, Fields) {
    let own = own.fields().unwrap_or_default();
    if extra.is_empty() {
        return (None, Fields::default());
    }
    let shown = |key: &str| extra.get(key).is_some() && own.get(key).is_none();
    let (beside, input): (Vec<_>, Vec<_>) = wish.rest().into_iter().partition(|(key, _)| shown(key));
    let hidden = extra.iter().filter(|(key, _)| own.get(key).is_some());
    let hidden = hidden.map(|(key, value)| (key.to_owned(), value.clone()));
    (Some(Json::of(&parse::fields(input))), parse::fields(hidden.chain(beside).collect()))
}

/// Another result for a call. CLA-TOOL-19, CLA-TOOL-20
pub(crate) fn rewrite_result(call: &ToolCall, output: &ToolOutput, wish: &Json) -> Result<ToolOutput, Misfit> {
    match &call.tool {
        Tool::Mcp(_) => Ok(mcp_result(output, wish)),
        Tool::Shell(_) => {
            let bash = Bash::of(wish).ok_or_else(|| shape("Bash", BASH))?;
            let known = match output {
                ToolOutput::Shell(shell) => shell.clone(),
                _ => ShellOutput::new(),
            };
            Ok(ToolOutput::Shell(bash.over(known)))
        }
        tool => match needed(tool) {
            Some((name, keys)) => own_shape(tool, name, keys, output, wish),
            None => Ok(wish.text().map_or_else(|| ToolOutput::Json(wish.clone()), ToolOutput::Text)),
        },
    }
}

const BASH: &[&str] = &["stdout", "stderr", "interrupted", "isImage"];

/// What makes a result one of this tool; nothing does for a tool Claude Code has not. CLA-TOOL-10 to
/// CLA-TOOL-12
fn needed(tool: &Tool) -> Option<(&'static str, &'static [&'static str])> {
    Some(match tool {
        Tool::Read(_) => ("Read", &["type", "file"]),
        Tool::Write(_) => ("Write", &["type", "filePath", "content", "structuredPatch", "originalFile"]),
        Tool::Edit(_) => ("Edit", &["filePath", "oldString", "newString", "originalFile", "structuredPatch"]),
        Tool::Glob(_) => ("Glob", &["filenames", "numFiles", "truncated"]),
        Tool::Grep(_) => ("Grep", &["filenames", "numFiles"]),
        Tool::WebFetch(_) => ("WebFetch", &["result", "url"]),
        Tool::WebSearch(_) => ("WebSearch", &["query", "results"]),
        Tool::Task(_) => ("Agent", &["status", "prompt"]),
        Tool::McpResource(_) => ("ReadMcpResourceTool", &["contents"]),
        _ => return None,
    })
}

/// A result of a built-in tool: text where the tool's own was text and the new one says no more than
/// text can, else the object as it is.
fn own_shape(tool: &Tool, name: &str, keys: &[&str], output: &ToolOutput, wish: &Json) -> Result<ToolOutput, Misfit> {
    let object = Object::of(wish).ok_or_else(|| shape(name, keys))?;
    if keys.iter().any(|key| object.get(key).is_none()) {
        return Err(shape(name, keys).into());
    }
    let changes_text = !matches!(tool, Tool::Write(_) | Tool::Edit(_));
    let text = match neutral(tool, wish) {
        Some((ToolOutput::Text(text), _)) if changes_text && matches!(output, ToolOutput::Text(_)) => Some(text),
        _ => None,
    };
    Ok(text.map_or_else(|| ToolOutput::Json(wish.clone()), ToolOutput::Text))
}

fn shape(name: &str, keys: &[&str]) -> Wrong {
    let keys = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    Wrong::new(format!("a result of {name} must be an object with {keys}"))
}

#[derive(Serialize)]
struct McpResult<'a> {
    content: &'a Json,
    #[serde(rename = "isError", skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
}

/// CLA-TOOL-20. Whether the call failed is not shown, so it stays as it was; an object with
/// `content` says it itself.
fn mcp_result(output: &ToolOutput, wish: &Json) -> ToolOutput {
    let failed = matches!(output, ToolOutput::Mcp(output) if output.is_error);
    if let Some(object) = Object::of(wish).filter(|object| object.get("content").is_some()) {
        let failed = object.get("isError").and_then(|flag| flag.read().ok()).unwrap_or(false);
        return ToolOutput::Mcp(McpOutput::new(wish.clone()).is_error(failed));
    }
    let content = match (wish.as_str().starts_with('['), wish.text()) {
        (true, _) => wish.clone(),
        (false, Some(text)) => TextItem::alone(&text),
        (false, None) => TextItem::alone(wish.as_str()),
    };
    let result = McpResult { content: &content, is_error: failed.then_some(true) };
    ToolOutput::Mcp(McpOutput::new(Json::of(&result)).is_error(failed))
}
