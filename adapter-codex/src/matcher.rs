//! What an event's matcher is tested against, and what a matcher's text means. Testing itself is
//! core's.

use std::{borrow::Cow, sync::Arc};

use harness_hooks_core::{
    Dialect, Envelope, Matcher, McpOutput, Payload, ShellState, Targets, ToolOutput, WorkEnd, matcher::Patterns,
};

use crate::{
    events::{Event, Row, Target},
    tools,
};

/// The names of Codex's own tools and their aliases, for those who misspell them. CDX-CFG-18
pub(crate) const TOOLS: [&str; 6] = ["Bash", "apply_patch", "Write", "Edit", "spawn_agent", "Agent"];

/// What a subagent is that has no kind of its own. CDX-EVT-08
const DEFAULT_AGENT: &str = "default";

/// The matcher of a group: everything, a list of names, or a regular expression of Rust.
/// CDX-MATCH-01 to CDX-MATCH-03, CDX-MATCH-08
pub(crate) fn compile(row: &Row, text: &str, patterns: &Patterns) -> Matcher {
    match text {
        _ if row.target == Target::Nothing => Matcher::Any,
        "" | "*" => Matcher::Any,
        text if text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '|')) => {
            let names = text.split('|').filter(|name| !name.is_empty());
            Matcher::Names(Arc::new(names.map(str::to_owned).collect()))
        }
        text => Matcher::Pattern(patterns.get(text, Dialect::Rust)),
    }
}

/// What matchers of an event are tested against in this envelope. What is to be tested and has no
/// word of Codex's cannot be told, so that every matcher hits. CDX-MATCH-06, CDX-MATCH-08
pub(crate) fn targets<'e>(row: &Row, envelope: &'e Envelope) -> Targets<'e> {
    if !happens(row, envelope) {
        return Targets::NotThisEvent;
    }
    let payload = &envelope.payload;
    let text = match row.target {
        Target::Nothing => return Targets::Everything,
        Target::Tool => return payload.call().map_or(Targets::NotThisEvent, |call| tool(tools::name(call))),
        Target::StartSource => start_source(payload).map(Cow::from),
        Target::AgentKind => agent_kind(payload).map(Cow::from),
        Target::CompactTrigger => payload.compact_trigger().map(|trigger| Cow::from(trigger.name())),
        Target::Word(word) => Some(word.into()),
    };
    text.map_or(Targets::Everything, Targets::one)
}

/// Whether this is the event: its boundary, and what else the envelope must say. CDX-EVT-06, CDX-EVT-07
pub(crate) fn happens(row: &Row, envelope: &Envelope) -> bool {
    let payload = &envelope.payload;
    if row.spec.moment(envelope.boundary(), payload.facet()).is_none() {
        return false;
    }
    match row.event {
        Event::PostToolUse => !goes_on(payload) && !is_failed_call(payload),
        Event::Stop => envelope.agent.is_none() && is_completed(payload),
        Event::Interrupt => envelope.agent.is_none(),
        _ => true,
    }
}

/// A shell command that did not end: what ends it is the event. CDX-EVT-06
fn goes_on(payload: &Payload) -> bool {
    matches!(payload.output(), Some(ToolOutput::Shell(output)) if output.state != ShellState::Finished)
}

/// A call of which its MCP server says that it failed, be it in the result alone. CDX-EVT-06
fn is_failed_call(payload: &Payload) -> bool {
    let Some(ToolOutput::Mcp(McpOutput { result, is_error, .. })) = payload.output() else { return false };
    *is_error || {
        let says = || result.fields()?.get("isError")?.read::<bool>().ok();
        result.as_str().contains("\"isError\"") && says() == Some(true)
    }
}

/// A turn that ended of itself. CDX-EVT-07
fn is_completed(payload: &Payload) -> bool {
    matches!(payload, Payload::TurnStop(stop) if stop.end == WorkEnd::Completed)
}

fn tool(name: Cow<'_, str>) -> Targets<'_> {
    let aliases = tools::aliases(&name).iter().copied().map(Cow::from);
    Targets::of(name, aliases)
}

fn start_source(payload: &Payload) -> Option<&'static str> {
    if let Payload::SessionStart(start) = payload { Some(start.source.name()) } else { None }
}

fn agent_kind(payload: &Payload) -> Option<&str> {
    let kind = payload.agent_kind()?;
    Some(if kind.is_empty() { DEFAULT_AGENT } else { kind })
}
