//! Which keys standard input has, in which order, whatever the envelope.

use harness_hooks_core::{Adapter, Diagnostic, Envelope, EventId, Occasion, SessionState, Targets};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::generate::envelope;
use proptest::prelude::*;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::cases;
use crate::common;

/// The keys before and after an event's own; `?` where a key may be absent.
const BEFORE: &[&str] = &["conversation_id", "generation_id", "model?", "model_id?", "model_params"];
const AFTER: &[&str] = &[
    "session_id",
    "hook_event_name",
    "cursor_version",
    "acme_version",
    "workspace_roots",
    "user_email",
    "transcript_path",
];
const TOKENS: &[&str] = &["input_tokens?", "output_tokens?", "cache_read_tokens?", "cache_write_tokens?"];

/// CUR-ENC-02, CUR-ENC-05 to CUR-ENC-17: each event's own keys, in order.
fn own(event: &str) -> Vec<&'static str> {
    match event {
        "sessionStart" => vec!["is_background_agent", "composer_mode"],
        "sessionEnd" => vec!["reason", "duration_ms?", "is_background_agent", "final_status", "error_message?"],
        "preToolUse" => vec!["tool_name", "tool_input", "tool_use_id", "cwd?"],
        "postToolUse" => vec!["tool_name", "tool_input", "tool_output", "duration?", "tool_use_id", "cwd?"],
        "postToolUseFailure" => vec![
            "tool_name",
            "tool_input",
            "error_message",
            "failure_type",
            "duration?",
            "tool_use_id",
            "is_interrupt",
            "cwd?",
            "cancellation_reason?",
        ],
        "subagentStart" => vec![
            "subagent_id",
            "subagent_type",
            "task",
            "parent_conversation_id",
            "tool_call_id?",
            "subagent_model?",
            "is_parallel_worker",
            "git_branch?",
        ],
        "subagentStop" => vec![
            "subagent_id",
            "subagent_type",
            "status",
            "task?",
            "description?",
            "summary?",
            "duration_ms?",
            "message_count?",
            "tool_call_count?",
            "loop_count",
            "modified_files",
            "agent_transcript_path",
            "parent_conversation_id",
            "error_message?",
            "git_branch?",
        ],
        "beforeShellExecution" => vec!["command", "cwd", "sandbox?", "tool_use_id"],
        "afterShellExecution" => vec!["command", "output", "duration?", "exit_code?", "sandbox?", "tool_use_id"],
        "beforeMCPExecution" => vec![
            "tool_name",
            "tool_input",
            "mcp_server_name",
            "mcp_server_id?",
            "url?",
            "mcp_server_url?",
            "command?",
            "tool_use_id",
        ],
        "afterMCPExecution" => vec![
            "tool_name",
            "tool_input",
            "mcp_server_name",
            "mcp_server_id?",
            "mcp_server_url?",
            "result_json",
            "duration?",
            "tool_use_id",
        ],
        "beforeReadFile" => vec!["file_path", "content", "attachments"],
        "afterFileEdit" => vec!["file_path", "edits", "tool_use_id"],
        "beforeSubmitPrompt" => vec!["prompt", "attachments"],
        "preCompact" => vec![
            "trigger",
            "context_usage_percent?",
            "context_tokens?",
            "context_window_size?",
            "message_count?",
            "messages_to_compact?",
            "is_first_compaction?",
        ],
        "stop" => [&["status", "loop_count"], TOKENS].concat(),
        "afterAgentResponse" => [&["text"], TOKENS].concat(),
        "afterAgentThought" => vec!["text", "duration_ms?"],
        other => panic!("{other} has no keys of its own"),
    }
}

/// An object's keys as they are written, equal ones too.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Keys;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

fn encoded(event: EventId, envelope: &Envelope) -> String {
    let (host, state, mut out) = (common::acme(), SessionState::new(), Vec::new());
    let diagnostics = Cursor::new().encode(event, Occasion::new(envelope, &host, &state), &mut out);
    let taken = |note: &&Diagnostic| note.message.ends_with("a common field has its name");
    assert_eq!(diagnostics.iter().find(|note| !taken(note)), None, "what is text can be written");
    String::from_utf8(out).unwrap()
}

/// The events an envelope is an occurrence of.
fn happening(envelope: &Envelope) -> Vec<(EventId, &'static str)> {
    let specs = Cursor::new().events().iter().enumerate().map(|(n, spec)| (EventId(n as u16), spec.name));
    specs.filter(|(event, _)| Cursor::new().targets(*event, envelope) != Targets::NotThisEvent).collect()
}

/// Keys are these, in this order; only those with a `?` may be absent.
fn as_listed(keys: &[String], listed: &[&str]) -> Result<(), String> {
    let mut rest = keys.iter().peekable();
    for key in listed {
        let (name, optional) = key.strip_suffix('?').map_or((*key, false), |name| (name, true));
        if rest.next_if(|found| *found == name).is_none() && !optional {
            return Err(format!("{name} is not where it belongs in {keys:?}"));
        }
    }
    rest.next().map_or(Ok(()), |more| Err(format!("{more} is no key of it: {keys:?}")))
}

proptest! {
    #![proptest_config(cases(500))]

    /// CUR-ENC-01, CUR-ENC-02: one line of JSON whose keys are the event's, in order, each once.
    #[test]
    fn standard_input_is_as_listed(envelope in envelope()) {
        for (event, name) in happening(&envelope) {
            let stdin = encoded(event, &envelope);
            prop_assert!(!stdin.contains('\n') && stdin.starts_with('{') && stdin.ends_with('}'), "{}", stdin);
            let Keys(keys) = serde_json::from_str(&stdin).unwrap();
            if name == "workspaceOpen" {
                prop_assert_eq!(keys, ["hook_event_name", "cursor_version", "workspace_roots", "user_email"]);
                continue;
            }
            if !name.contains("Tab") {
                let listed = [BEFORE, own(name).as_slice(), AFTER].concat();
                prop_assert_eq!(as_listed(&keys, &listed), Ok(()), "{}", name);
            }
            let stdin: Value = serde_json::from_str(&stdin).unwrap();
            prop_assert_eq!(&stdin["hook_event_name"], name);
        }
    }

    /// CUR-TOOL-04: what the host shows beside a tool's keys stands behind them.
    #[test]
    fn what_a_host_shows_is_among_the_keys(envelope in envelope()) {
        let Some(call) = envelope.payload.call() else { return Ok(()) };
        for (event, _) in happening(&envelope).into_iter().filter(|(_, name)| name.contains("ToolUse")) {
            let raw: Raw = serde_json::from_str(&encoded(event, &envelope)).unwrap();
            let Ok(Keys(keys)) = serde_json::from_str(raw.tool_input.get()) else { continue };
            if call.tool.kind() != "other" && call.extra.get("rationale").is_some() {
                prop_assert!(keys.iter().any(|key| key == "rationale"), "{:?}", keys);
            }
        }
    }

    /// CUR-ENC-19: an event handed an envelope it is not about writes the common fields.
    #[test]
    fn other_events_write_the_common_fields(envelope in envelope()) {
        for (n, spec) in Cursor::new().events().iter().enumerate() {
            let event = EventId(n as u16);
            if spec.moment(envelope.boundary(), envelope.payload.facet()).is_some() || spec.name == "workspaceOpen" {
                continue;
            }
            let Keys(keys) = serde_json::from_str(&encoded(event, &envelope)).unwrap();
            prop_assert_eq!(as_listed(&keys, &[BEFORE, AFTER].concat()), Ok(()), "{} at {}", spec.name, envelope.boundary());
        }
    }
}

#[derive(serde::Deserialize)]
struct Raw {
    tool_input: Box<serde_json::value::RawValue>,
}
