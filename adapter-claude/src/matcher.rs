//! What an event's matcher is tested against, and what a matcher's text means. Testing itself is
//! core's.

use std::{borrow::Cow, sync::Arc};

use harness_hooks_core::{
    Dialect, Envelope, FailureKind, Matcher, Other, Payload, Targets, Text, WorkEnd, matcher::Patterns,
};

use crate::{
    events::{Event, Row, Target},
    tools,
};

/// The names of Claude Code's common tools, for those who misspell them. CLA-CFG-23
pub(crate) const TOOLS: [&str; 12] = [
    "Bash",
    "Read",
    "Write",
    "Edit",
    "NotebookEdit",
    "Grep",
    "Glob",
    "WebFetch",
    "WebSearch",
    "Agent",
    "Task",
    "ReadMcpResourceTool",
];

/// Names other vendors have for tools that have another here. CLA-CFG-23
pub(crate) const FOREIGN: [(&str, &str); 2] = [("Shell", "Bash"), ("spawn_agent", "Agent")];

/// The matcher of a group: everything, a list of names, or a JavaScript regular expression.
/// CLA-MATCH-01 to CLA-MATCH-03, CLA-MATCH-10, CLA-MATCH-11
pub(crate) fn compile(row: &Row, text: &str, patterns: &Patterns) -> Matcher {
    let separators: &[char] = if row.bars_only { &['|'] } else { &['|', ','] };
    match text {
        _ if row.target == Target::Nothing => Matcher::Any,
        "" | "*" => Matcher::Any,
        text if text.chars().all(|c| in_names(row, c)) => {
            let names = text.split(separators).map(|name| name.trim_matches(' ')).filter(|name| !name.is_empty());
            Matcher::Names(Arc::new(names.map(str::to_owned).collect()))
        }
        text => Matcher::Pattern(patterns.get(text, Dialect::JavaScript)),
    }
}

/// The characters of a list of names; any other makes it an expression.
fn in_names(row: &Row, c: char) -> bool {
    let everywhere = c.is_ascii_alphanumeric() || matches!(c, '_' | '|');
    everywhere || (!row.bars_only && matches!(c, '-' | ',' | ' '))
}

/// What matchers of an event are tested against in this envelope. What is to be tested and is not
/// there cannot be told, so that every matcher hits. CLA-MATCH-09 to CLA-MATCH-13
pub(crate) fn targets<'e>(row: &Row, envelope: &'e Envelope) -> Targets<'e> {
    if !happens(row, envelope) {
        return Targets::NotThisEvent;
    }
    let payload = &envelope.payload;
    let text = match row.target {
        Target::Nothing => return Targets::Everything,
        Target::Tool => return payload.call().map_or(Targets::NotThisEvent, |call| tool(tools::name(call))),
        Target::StartSource => start_source(payload).map(Cow::from),
        Target::AgentKind => payload.agent_kind().map(|kind| Cow::from(kind.as_str())),
        Target::CompactTrigger => payload.compact_trigger().map(|trigger| Cow::from(trigger.name())),
        Target::EndReason => end_reason(payload).map(|reason| Cow::from(reason.as_str())),
        Target::Field(name) => field(payload, name).map(Cow::from),
        Target::FileName(name) => field(payload, name).map(|path| Cow::from(last_step(&path).to_owned())),
    };
    text.map_or(Targets::Everything, Targets::one)
}

/// Whether this is the event: its boundary, and what else the payload must say. CLA-EVT-06 to
/// CLA-EVT-08
pub(crate) fn happens(row: &Row, envelope: &Envelope) -> bool {
    let payload = &envelope.payload;
    if row.spec.moment(envelope.boundary(), payload.facet()).is_none() {
        return false;
    }
    match row.event {
        Event::PostToolUse => !is_failed_command(payload),
        Event::PostToolUseFailure => is_failed_command(payload) || is_failure(payload),
        Event::PermissionDenied => envelope.session.permission_mode.as_deref() == Some("auto"),
        Event::Stop => envelope.agent.is_none() && is_completed(payload),
        _ => true,
    }
}

/// A shell command that ended with another exit code than 0.
fn is_failed_command(payload: &Payload) -> bool {
    matches!(payload, Payload::ToolResult(result) if tools::bad_exit(result).is_some())
}

/// A call that never returned; one with bad arguments was none.
fn is_failure(payload: &Payload) -> bool {
    matches!(payload, Payload::ToolFailure(failure) if failure.kind != FailureKind::BadArguments)
}

/// A turn that ended of itself.
fn is_completed(payload: &Payload) -> bool {
    matches!(payload, Payload::TurnStop(stop) if stop.end == WorkEnd::Completed)
}

/// A tool's name, and those it had before. CLA-MATCH-06
fn tool(name: Cow<'_, str>) -> Targets<'_> {
    let former = tools::aliases(&name).iter().copied().map(Cow::from);
    Targets::of(name, former)
}

fn start_source(payload: &Payload) -> Option<&'static str> {
    if let Payload::SessionStart(start) = payload { Some(start.source.name()) } else { None }
}

fn end_reason(payload: &Payload) -> Option<&Text> {
    let Payload::SessionEnd(end) = payload else { return None };
    Some(&end.reason)
}

/// A text among the free fields.
fn field(payload: &Payload, name: &str) -> Option<String> {
    let Payload::Other(Other { fields, .. }) = payload else { return None };
    fields.fields()?.get(name)?.read().ok()
}

/// The last part of a path. A backslash separates parts on Windows alone, where a path begins with
/// a drive or with two of them. CLA-MATCH-12
fn last_step(path: &str) -> &str {
    let separators: &[char] = if path.starts_with('/') { &['/'] } else { &['/', '\\'] };
    path.trim_end_matches(separators).rsplit(separators).next().unwrap_or_default()
}
