//! What hooks want instead of an input or a result.

use std::path::PathBuf;

use harness_hooks_core::{
    Fields, Glob, Grep, InputRewrite, Json, List, McpOutput, McpResource, Misfit, Read, Task, Text, Tool, ToolCall,
    ToolOutput, WebFetch, WebSearch,
    object::{Object, Wrong},
};
use serde::Serialize;

use super::{
    is_command, keys_of,
    patch::{self, Command},
};

/// The call with another input. What Codex's view does not show is kept; a key of the view that is
/// left out is gone. CDX-TOOL-08, CDX-TOOL-09
pub(crate) fn rewrite(call: &ToolCall, wish: &InputRewrite) -> Result<ToolCall, Misfit> {
    let InputRewrite::Replace(wish) = wish else {
        return Err(Misfit("a hook here replaces all of an input, never single keys".into()));
    };
    let Some(keys) = Object::of(wish) else {
        return Err(Misfit(format!("`updatedInput` must be an object, not {}", kind(wish)).into()));
    };
    let (tool, extra) = rewritten(call, wish, keys).map_err(in_updated_input)?;
    let mut call = call.clone(); // shares the large texts
    (call.tool, call.extra) = (tool, extra);
    Ok(call)
}

fn in_updated_input(Wrong(why): Wrong) -> Misfit {
    Misfit(format!("in `updatedInput`, {why}").into())
}

/// What JSON is, for who wrote it in the place of an object.
fn kind(json: &Json) -> &'static str {
    match json.as_str().bytes().next() {
        Some(b'"') => "text",
        Some(b'[') => "a list",
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        _ => "a number",
    }
}

fn rewritten(call: &ToolCall, wish: &Json, mut keys: Object) -> Result<(Tool, Fields), Wrong> {
    let (tool, extra) = (&call.tool, &call.extra);
    match tool {
        Tool::Mcp(mcp) => {
            let (arguments, extra) = apart(&mcp.arguments, extra, wish, keys);
            let mut mcp = mcp.clone();
            mcp.arguments = arguments;
            Ok((Tool::Mcp(mcp), extra))
        }
        Tool::Other(input) => {
            let (input, extra) = apart(input, extra, wish, keys);
            Ok((Tool::Other(input), extra))
        }
        tool if is_command(tool) => Ok((command(tool, &keys.required::<Text>("command")?)?, extra.clone())),
        tool => {
            let tool = typed(tool, &mut keys)?;
            let hidden = |key: &str| keys_of(&tool).contains(&key);
            let extra = further(extra, hidden, &mut keys);
            Ok((tool, extra))
        }
    }
}

/// The keys of a wish as an input of its own and as the host's further keys, by what the hook saw
/// them as. CDX-TOOL-06
fn apart(input: &Json, extra: &Fields, wish: &Json, mut keys: Object) -> (Json, Fields) {
    let Some(own) = input.fields().filter(|_| !extra.is_empty()) else { return (wish.clone(), extra.clone()) };
    let extra = further(extra, |key| own.get(key).is_some(), &mut keys);
    let mut input = Fields::default();
    for (key, value) in keys.rest() {
        input.set(key, value);
    }
    (Json::of(&input), extra)
}

/// The host's further keys: those that were shown as a wish has them, the others as they were.
fn further(extra: &Fields, hidden: impl Fn(&str) -> bool, keys: &mut Object) -> Fields {
    let mut kept = Fields::default();
    for (key, value) in extra.iter() {
        let value = if hidden(key) { Some(value.clone()) } else { keys.take(key) };
        if let Some(value) = value {
            kept.set(key.to_owned(), value);
        }
    }
    kept
}

/// A command of a shell, or a patch. The text that was shown changes nothing. CDX-TOOL-10
fn command(tool: &Tool, text: &Text) -> Result<Tool, Wrong> {
    if let Tool::Shell(shell) = tool {
        let mut shell = shell.clone();
        shell.command = text.clone();
        return Ok(shell.into());
    }
    let shown = Command { tool, last_line_end: true };
    if shown.is_writable() && shown.to_string() == **text {
        return Ok(tool.clone());
    }
    patch::rewritten(tool, text)
}

/// A tool that Codex shows by its neutral keys. CDX-TOOL-05
fn typed(tool: &Tool, keys: &mut Object) -> Result<Tool, Wrong> {
    Ok(match tool {
        Tool::Task(task) => {
            Task::new(keys.optional::<Text>("agent_type")?.unwrap_or_default(), keys.required::<Text>("message")?)
                .description(task.description.clone())
                .model(keys.optional::<Text>("model")?)
                .background(task.background)
                .into()
        }
        Tool::Read(_) => Read::new(keys.required::<PathBuf>("file_path")?)
            .offset(keys.optional::<u64>("offset")?)
            .limit(keys.optional::<u64>("limit")?)
            .into(),
        Tool::Grep(_) => Grep::new(keys.required::<Text>("pattern")?)
            .path(keys.optional::<PathBuf>("file_path")?)
            .glob(keys.optional::<Text>("glob")?)
            .output_mode(keys.optional::<Text>("output_mode")?)
            .into(),
        Tool::Glob(_) => {
            Glob::new(keys.required::<Text>("pattern")?).path(keys.optional::<PathBuf>("file_path")?).into()
        }
        Tool::List(_) => List::new(keys.required::<PathBuf>("file_path")?)
            .ignore(keys.optional::<Vec<Text>>("ignore")?.unwrap_or_default())
            .into(),
        Tool::WebFetch(_) => {
            WebFetch::new(keys.required::<Text>("url")?).prompt(keys.optional::<Text>("prompt")?).into()
        }
        Tool::WebSearch(_) => WebSearch::new(keys.required::<Text>("query")?).into(),
        Tool::McpResource(_) => McpResource::new(keys.required::<Text>("server")?, keys.required::<Text>("uri")?)
            .name(keys.optional::<Text>("name")?)
            .into(),
        tool => tool.clone(),
    })
}

/// A text for every tool; only the model reads it. CDX-TOOL-11
pub(crate) fn rewrite_result(call: &ToolCall, output: &ToolOutput, wish: &Json) -> Result<ToolOutput, Misfit> {
    let text =
        wish.text().ok_or_else(|| Misfit(format!("a replaced result must be text, not {}", kind(wish)).into()))?;
    Ok(match (&call.tool, output) {
        (_, ToolOutput::Shell(shell)) => {
            let shell = shell.clone().image(false).combined(text).stdout("").stderr("");
            ToolOutput::Shell(shell)
        }
        (Tool::Mcp(_), output) | (_, output @ ToolOutput::Mcp(_)) => {
            let is_error = matches!(output, ToolOutput::Mcp(output) if output.is_error);
            ToolOutput::Mcp(McpOutput::new(mcp_result(&text)).is_error(is_error))
        }
        _ => ToolOutput::Text(text),
    })
}

/// One text item.
fn mcp_result(text: &Text) -> Json {
    #[derive(Serialize)]
    struct Result<'a> {
        content: [Item<'a>; 1],
    }
    #[derive(Serialize)]
    struct Item<'a> {
        r#type: &'a str,
        text: &'a str,
    }
    Json::of(&Result { content: [Item { r#type: "text", text }] })
}
