//! Which keys standard input has, in which order, whatever the envelope.

use harness_hooks_claude::Claude;
use harness_hooks_core::{Adapter, Envelope, Fidelity, Payload, Tool};
use harness_hooks_fixtures::{events, generate::envelope as any_envelope, of};
use proptest::prelude::*;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::encoded;

/// The keys before an event's own, in order; `?` where a key may be absent. CLA-ENC-03
pub(super) const HEAD: &[&str] = &[
    "session_id",
    "transcript_path",
    "cwd",
    "prompt_id?",
    "permission_mode?",
    "agent_id?",
    "agent_type?",
    "effort?",
    "hook_event_name",
];

/// CLA-ENC-06
const WITH_MODE: &[&str] = &[
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionDenied",
    "SubagentStop",
    "Stop",
    "TeammateIdle",
    "PreSkillShellCommand",
];

/// CLA-ENC-08
const WITH_EFFORT: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionDenied",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "PreSkillShellCommand",
];

/// Each event's own keys, in order, and the rule that says so.
const OWN: [(&str, &str, &[&str]); 34] = [
    (
        "CLA-ENC-09",
        "SessionStart",
        &[
            "source",
            "seconds_since_last_response?",
            "context_tokens?",
            "prompt_cache_likely_expired?",
            "estimated_cache_write_usd?",
            "model?",
        ],
    ),
    ("CLA-ENC-10", "Setup", &["trigger"]),
    (
        "CLA-ENC-10",
        "InstructionsLoaded",
        &["file_path", "memory_type", "load_reason", "globs?", "trigger_file_path?", "parent_file_path?"],
    ),
    ("CLA-ENC-11", "UserPromptSubmit", &["prompt", "source?", "session_title?"]),
    (
        "CLA-ENC-11",
        "UserPromptExpansion",
        &["expansion_type", "command_name", "command_args", "command_source?", "prompt"],
    ),
    ("CLA-ENC-12", "MessageDisplay", &["turn_id", "message_id", "index", "final", "delta"]),
    ("CLA-ENC-13", "PreToolUse", &["tool_name", "tool_input", "tool_use_id", "mcp_server?"]),
    ("CLA-ENC-14", "PermissionRequest", &["tool_name", "tool_input", "permission_suggestions?"]),
    (
        "CLA-ENC-15",
        "PostToolUse",
        &["tool_name", "tool_input", "tool_response", "tool_use_id", "duration_ms?", "mcp_server?"],
    ),
    (
        "CLA-ENC-16",
        "PostToolUseFailure",
        &["tool_name", "tool_input", "tool_use_id", "error", "is_interrupt", "duration_ms?"],
    ),
    ("CLA-ENC-17", "PostToolBatch", &["tool_calls"]),
    ("CLA-ENC-18", "PermissionDenied", &["tool_name", "tool_input", "tool_use_id", "reason"]),
    ("CLA-ENC-19", "Notification", &["message", "title?", "notification_type"]),
    ("CLA-ENC-20", "SubagentStart", &[]),
    (
        "CLA-ENC-20",
        "SubagentStop",
        &["stop_hook_active", "agent_transcript_path", "last_assistant_message?", "background_tasks", "session_crons"],
    ),
    ("CLA-ENC-23", "TaskCreated", &["task_id", "task_subject", "task_description?", "teammate_name?", "team_name?"]),
    ("CLA-ENC-23", "TaskCompleted", &["task_id", "task_subject", "task_description?", "teammate_name?", "team_name?"]),
    ("CLA-ENC-20", "Stop", &["stop_hook_active", "last_assistant_message?", "background_tasks", "session_crons"]),
    ("CLA-ENC-22", "StopFailure", &["error", "error_details?", "last_assistant_message"]),
    ("CLA-ENC-23", "TeammateIdle", &["teammate_name", "team_name"]),
    ("CLA-ENC-24", "ConfigChange", &["source", "file_path?"]),
    ("CLA-ENC-24", "CwdChanged", &["old_cwd", "new_cwd"]),
    ("CLA-ENC-24", "DirectoryAdded", &["directory", "source"]),
    ("CLA-ENC-24", "FileChanged", &["file_path", "event"]),
    ("CLA-ENC-25", "WorktreeCreate", &["name"]),
    ("CLA-ENC-25", "WorktreeRemove", &["worktree_path"]),
    ("CLA-ENC-26", "PreCompact", &["trigger", "custom_instructions"]),
    ("CLA-ENC-26", "PostCompact", &["trigger", "compact_summary"]),
    ("CLA-ENC-27", "SessionEnd", &["reason"]),
    (
        "CLA-ENC-28",
        "Elicitation",
        &["mcp_server_name", "message", "mode?", "url?", "elicitation_id?", "requested_schema?"],
    ),
    ("CLA-ENC-28", "ElicitationResult", &["mcp_server_name", "elicitation_id?", "mode?", "action", "content?"]),
    ("CLA-ENC-29", "PreModelSwitch", SWITCH),
    ("CLA-ENC-29", "PostModelSwitch", SWITCH),
    (
        "CLA-ENC-30",
        "PreSkillShellCommand",
        &["tool_name", "tool_input", "tool_use_id", "command_name", "command_source?", "invoked_by"],
    ),
];

const SWITCH: &[&str] = &[
    "from_model",
    "to_model",
    "requested_model",
    "source",
    "context_tokens",
    "prompt_cache_warm",
    "cache_ttl",
    "estimated_cache_write_usd",
    "pricing",
];

/// An event's own keys, where they are not the envelope's free fields.
fn own(event: &str, envelope: &Envelope) -> Option<&'static [&'static str]> {
    let (_, _, keys) = OWN.iter().find(|(_, name, _)| *name == event)?;
    (!matches!(envelope.payload, Payload::Other(_))).then_some(*keys)
}

/// An object's keys as they are written, equal ones too.
pub(super) struct Keys(pub(super) Vec<String>);

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

/// Keys are these, in this order; only those with a `?` may be absent.
pub(super) fn as_listed<'k>(keys: &'k [String], listed: &[&str]) -> Result<&'k [String], String> {
    let mut rest = keys;
    for key in listed {
        let (name, optional) = key.strip_suffix('?').map_or((*key, false), |name| (name, true));
        match rest.split_first() {
            Some((first, others)) if first == name => rest = others,
            _ if optional => {}
            _ => return Err(format!("{name} is not where it belongs in {keys:?}")),
        }
    }
    Ok(rest)
}

/// Whether the event is about this envelope. CLA-EVT-06 to CLA-EVT-08
fn about(event: &str, envelope: &Envelope) -> bool {
    let spec = Claude::new().events().iter().find(|spec| spec.name == event).unwrap();
    let failed = |payload: &Value| {
        let shell = &payload["output"]["shell"];
        shell["state"] == "finished" && !matches!(shell["exit_code"].as_i64(), None | Some(0))
    };
    let payload = serde_json::to_value(&envelope.payload).unwrap();
    let (boundary, payload) = payload.as_object().unwrap().iter().next().unwrap();
    let mode = envelope.session.permission_mode.as_deref();
    spec.moment(envelope.boundary(), None).is_some()
        && match (event, boundary.as_str()) {
            ("PostToolUse", _) => !failed(payload),
            ("PostToolUseFailure", "tool.result") => failed(payload),
            ("PostToolUseFailure", _) => payload["kind"] != "bad_arguments",
            ("Stop", _) => payload["end"] == "completed",
            ("PermissionDenied", _) => mode == Some("auto"),
            _ => true,
        }
}

fn cases(most: u32) -> ProptestConfig {
    ProptestConfig { cases: most, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(400))]

    /// CLA-ENC-01, CLA-ENC-03, CLA-ENC-05, CLA-ENC-06, CLA-ENC-08, CLA-ENC-31: one line of JSON with the common keys, then the
    /// event's own where it is about the envelope.
    #[test]
    fn standard_input_is_as_listed(envelope in any_envelope()) {
        for spec in Claude::new().events() {
            let (stdin, diagnostics) = encoded(spec.name, &envelope);
            let line = stdin.strip_suffix('\n').unwrap_or_default();
            prop_assert!(line.starts_with('{') && line.ends_with('}') && !line.contains('\n'), "{}", stdin);
            let Keys(keys) = serde_json::from_str(line).unwrap();
            let rest = as_listed(&keys, HEAD);
            prop_assert!(rest.is_ok(), "{}: {:?}", spec.name, rest);
            let rest = rest.unwrap();
            let there = |key: &str| keys.iter().any(|known| known == key);
            let session = &envelope.session;
            prop_assert_eq!(there("prompt_id"), envelope.turn.is_some());
            prop_assert_eq!(there("permission_mode"), session.permission_mode.is_some() && WITH_MODE.contains(&spec.name));
            prop_assert_eq!(there("effort"), session.effort.is_some() && WITH_EFFORT.contains(&spec.name));
            match (about(spec.name, &envelope), own(spec.name, &envelope)) {
                (false, _) => prop_assert!(rest.is_empty() && diagnostics.is_empty(), "{}: {:?}", spec.name, rest),
                (true, Some(own)) => prop_assert_eq!(as_listed(rest, own), Ok(&[][..]), "{}", spec.name),
                (true, None) => {
                    let fields = serde_json::to_value(&envelope.payload).unwrap();
                    let free = fields[envelope.boundary().name()].as_object().unwrap().keys().filter(|key| *key != "session_id");
                    prop_assert_eq!(rest.len(), free.count());
                }
            }
        }
    }

    /// CLA-TOOL-07: what the host shows beside a tool's keys stands behind them.
    #[test]
    fn what_a_host_shows_is_among_the_keys(envelope in any_envelope()) {
        let Some(call) = envelope.payload.call() else { return Ok(()) };
        let Payload::ToolBefore(_) = envelope.payload else { return Ok(()) };
        let stdin: Value = serde_json::from_str(&encoded("PreToolUse", &envelope).0).unwrap();
        if let (Some(shown), Some(input)) = (call.extra.get("rationale"), stdin["tool_input"].as_object()) {
            let own = matches!(&call.tool, Tool::Mcp(mcp) if mcp.arguments.fields().unwrap().get("rationale").is_some());
            prop_assert!(own || input["rationale"] == serde_json::to_value(shown).unwrap(), "{:?}", input);
        }
    }
}

/// The event folders, which were written by hand and after recorded documents, have the keys of the
/// rules, and what we write of their envelopes does too.
#[test]
fn every_event_has_the_keys_of_its_rule() {
    let folders = events(&of("claude")).unwrap();
    assert!(Claude::new().events().iter().map(|spec| spec.name).eq(OWN.iter().map(|(_, event, _)| *event)));
    for (rule, event, own) in OWN {
        let folder = folders.iter().find(|folder| folder.event == event).unwrap();
        for case in &folder.cases {
            let recorded = String::from_utf8(case.stdin(Fidelity::Guarded).unwrap().to_vec()).unwrap();
            for stdin in [recorded, encoded(event, &case.envelope).0] {
                let Keys(keys) = serde_json::from_str(&stdin).unwrap();
                let rest = as_listed(&keys, HEAD).and_then(|rest| as_listed(rest, own));
                assert_eq!(rest, Ok(&[][..]), "{rule}: {event}/{}", case.name);
            }
        }
    }
}
