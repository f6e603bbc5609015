//! Standard input beyond the event folders: which keys stand where whatever the envelope, other
//! events' envelopes, values no JSON can hold, large texts.

use std::sync::Arc;

use harness_hooks_claude::{CLAUDE, Claude};
use harness_hooks_core::{
    Adapter, Agent, Continuations, Diagnostic, Envelope, Fidelity, Occasion, Payload, PromptSubmit, Session,
    SessionState, Severity, Shell, ShellOutput, Text, Tool, ToolBefore, ToolCall, ToolOutput, ToolResult, Vendor,
    Write,
};
use harness_hooks_fixtures::{acme, events, generate::envelope as any_envelope, of};
use proptest::prelude::*;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};

use crate::common;

fn encoded_in(state: &SessionState, event: &str, envelope: &Envelope) -> (String, Vec<Diagnostic>) {
    let (host, mut out) = (acme(), Vec::new());
    let event = Claude::new().event(event).unwrap();
    let diagnostics = Claude::new().encode(event, Occasion::new(envelope, &host, state), &mut out);
    (String::from_utf8(out).unwrap(), diagnostics)
}

fn encoded(event: &str, envelope: &Envelope) -> (String, Vec<Diagnostic>) {
    encoded_in(&SessionState::new(), event, envelope)
}

fn value(event: &str, envelope: &Envelope) -> Value {
    let (stdin, diagnostics) = encoded(event, envelope);
    assert_eq!(diagnostics, []);
    serde_json::from_str(&stdin).unwrap()
}

fn call(tool: &Value) -> Value {
    json!({"id": "c1", "host_name": "host_tool", "tool": tool})
}

fn before(tool: &Value) -> Envelope {
    common::envelope(&json!({"tool.before": {"call": call(tool)}}).to_string())
}

fn result(tool: &Value, output: &Value) -> Envelope {
    common::envelope(&json!({"tool.result": {"call": call(tool), "output": output, "duration_ms": 250}}).to_string())
}

/// The keys before an event's own, in order; `?` where a key may be absent. CLA-ENC-03
const HEAD: &[&str] = &[
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

/// Keys are these, in this order; only those with a `?` may be absent.
fn as_listed<'k>(keys: &'k [String], listed: &[&str]) -> Result<&'k [String], String> {
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
            ("PermissionDenied", _) => mode.is_none() || mode == Some("auto"),
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

/// CLA-TOOL-08: where an MCP tool comes from is said before it runs and after it returned.
#[test]
fn the_server_of_an_mcp_tool_stands_on_two_events() {
    let mcp = json!({"mcp": {"server": "s", "tool": "t", "arguments": {}}});
    let call = call(&mcp);
    let of = |payload: Value| common::envelope(&payload.to_string());
    for (event, envelope, there) in [
        ("PreToolUse", before(&mcp), true),
        ("PostToolUse", result(&mcp, &json!({"text": ""})), true),
        ("PermissionRequest", of(json!({"tool.permission": {"call": call}})), false),
        ("PostToolUseFailure", of(json!({"tool.failure": {"call": call, "error": "e"}})), false),
        ("PermissionDenied", of(json!({"tool.denied": {"call": call, "reason": "r"}})), false),
        ("PreToolUse", before(&json!({"other": {}})), false),
    ] {
        let server = there.then(|| json!({"name": "s", "source": "dynamic"}));
        assert_eq!(value(event, &envelope).get("mcp_server"), server.as_ref(), "{event}");
    }
}

/// CLA-TOOL-11: what the host does not know is empty or null, the keys stay.
#[test]
fn unknown_facts_of_a_file_are_empty() {
    let facts = [r#""structuredPatch":[]"#, r#""originalFile":null"#, r#""userModified":false"#];
    for tool in [
        json!({"write": {"path": "/a", "content": "x"}}),
        json!({"edit": {"path": "/a", "edits": [{"old": "a", "new": "b"}]}}),
    ] {
        let (stdin, _) = encoded("PostToolUse", &result(&tool, &json!({"text": ""})));
        assert!(facts.iter().all(|fact| stdin.contains(fact)), "{stdin}");
    }
}

/// CLA-TOOL-15: the host says what the model got, and it is written as it is.
#[test]
fn a_batch_is_written_as_the_host_has_it() {
    let calls = r#"[{"tool_name":"Edit","tool_input":{"replace_all":false,"file_path":"/a"},"tool_use_id":"1","tool_response":"done"},{"tool_name":"mcp__s__t","tool_input":{},"tool_use_id":"2","tool_response":[{"type":"text","text":"x"}]}]"#;
    let (stdin, _) =
        encoded("PostToolBatch", &common::envelope(&format!(r#"{{"tool.batch":{{"tool_calls":{calls}}}}}"#)));
    assert!(stdin.ends_with(&format!("\"hook_event_name\":\"PostToolBatch\",\"tool_calls\":{calls}}}\n")), "{stdin}");
}

/// CLA-ENC-21: continuations of this vendor's hooks, not of others'.
#[test]
fn a_stop_hook_is_active_once_it_made_the_agent_go_on() {
    for (continuations, active) in [
        (Continuations::default(), false),
        (Continuations::by(CLAUDE, 1), true),
        (Continuations::by(CLAUDE, 7), true),
        (Continuations::by(Vendor::new("cursor"), 3), false),
    ] {
        let mut state = SessionState::new();
        state.continuations = continuations;
        for (event, payload) in
            [("Stop", r#"{"turn.stop":{}}"#), ("SubagentStop", r#"{"subagent.stop":{"id":"a","kind":""}}"#)]
        {
            let (stdin, _) = encoded_in(&state, event, &common::envelope(payload));
            let stdin: Value = serde_json::from_str(&stdin).unwrap();
            assert_eq!(stdin["stop_hook_active"], active, "{event} {state:?}");
        }
    }
}

/// CLA-EVT-06 to CLA-EVT-08, CLA-ENC-31: an event that does not happen writes the prefix only.
#[test]
fn only_the_prefix_is_written_of_what_an_event_is_not_about() {
    let shell = json!({"shell": {"command": "make"}});
    let exit = |code: Value, state: &str| result(&shell, &json!({"shell": {"exit_code": code, "state": state}}));
    let failure = |kind: &str| {
        common::envelope(&json!({"tool.failure": {"call": call(&shell), "error": "e", "kind": kind}}).to_string())
    };
    let stop = |end: &str| common::envelope(&json!({"turn.stop": {"end": end}}).to_string());
    let denied = |mode: &str| {
        let payload = json!({"tool.denied": {"call": call(&shell), "reason": "r"}});
        let session = json!({"id": "s", "cwd": "/w", "permission_mode": mode});
        let whole = json!({"id": "e", "at_ms": 0, "session": session, "payload": payload});
        Envelope::read(whole.to_string().as_bytes()).unwrap()
    };
    for (event, envelope, says) in [
        ("PostToolUse", exit(json!(0), "finished"), true),
        ("PostToolUse", exit(json!(null), "finished"), true),
        ("PostToolUse", exit(json!(3), "finished"), false),
        ("PostToolUse", exit(json!(3), "background"), true),
        ("PostToolUseFailure", exit(json!(0), "finished"), false),
        ("PostToolUseFailure", exit(json!(null), "finished"), false),
        ("PostToolUseFailure", exit(json!(-1), "finished"), true),
        ("PostToolUseFailure", exit(json!(3), "running"), false),
        ("PostToolUseFailure", failure("error"), true),
        ("PostToolUseFailure", failure("timeout"), true),
        ("PostToolUseFailure", failure("bad_arguments"), false),
        ("Stop", stop("completed"), true),
        ("Stop", stop("aborted"), false),
        ("Stop", stop("error"), false),
        ("PermissionDenied", denied("auto"), true),
        ("PermissionDenied", denied("default"), false),
        ("PreToolUse", stop("completed"), false),
        ("SubagentStop", stop("completed"), false),
        ("Notification", stop("completed"), false),
    ] {
        let (stdin, diagnostics) = encoded(event, &envelope);
        let Keys(keys) = serde_json::from_str(&stdin).unwrap();
        let rest = as_listed(&keys, HEAD).unwrap();
        assert_eq!(!rest.is_empty(), says, "{event}: {stdin}");
        assert_eq!(diagnostics, []);
    }
}

/// CLA-ENC-02, CLA-ENC-31: a free field never stands beside a common one of its name, and is named.
#[test]
fn a_free_field_with_a_common_name_is_named() {
    let fields = r#"{"notification":{"message":"m","session_id":"x","effort":null,"notification_type":"t"}}"#;
    let (stdin, diagnostics) = encoded("Notification", &common::envelope(fields));
    assert!(stdin.ends_with("\"hook_event_name\":\"Notification\",\"message\":\"m\",\"notification_type\":\"t\"}\n"));
    let [session, effort] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
    assert!(session.message.contains("`session_id`") && effort.message.contains("`effort`"));
    assert!(diagnostics.iter().all(|note| note.severity == Severity::Note && note.code == "claude/unwritable-value"));
    let (stdin, diagnostics) = encoded("Notification", &common::envelope(r#"{"notification":[1]}"#));
    assert!(stdin.ends_with("\"hook_event_name\":\"Notification\"}\n"), "{stdin}");
    let [note] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
    assert!(note.message.contains("no object"), "{note}");
}

/// CLA-ENC-31: what is no text and no number is null, and a note names the field; the rest is
/// written.
#[cfg(unix)]
#[test]
fn what_no_json_can_hold_is_null_and_a_note() {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt, path::PathBuf};

    use harness_hooks_core::{Decimal, Grep, Read, SubagentStop};

    let odd = || PathBuf::from(OsString::from_vec(b"/home/dev/\xff".to_vec()));
    let read = |path: PathBuf| ToolCall::new("c", "r", Read::new(path));
    let grep: Tool = Grep::new("x").path(odd()).into();
    let sleep =
        ToolResult::new(read("a".into()), ToolOutput::Text(Text::from("x"))).duration_ms(Decimal::from(f64::NAN));
    for (event, payload, fields) in [
        ("PreToolUse", Payload::from(ToolBefore::new(read(odd()))), &["transcript_path", "cwd", "file_path"][..]),
        ("PreToolUse", ToolBefore::new(read("a".into())).into(), &["transcript_path", "cwd", "file_path"]),
        ("PreToolUse", ToolBefore::new(read("/a".into())).into(), &["transcript_path", "cwd"]),
        ("PreToolUse", ToolBefore::new(ToolCall::new("c", "g", grep)).into(), &["transcript_path", "cwd", "path"]),
        ("PostToolUse", sleep.into(), &["transcript_path", "cwd", "file_path", "duration_ms"]),
        (
            "SubagentStop",
            SubagentStop::new("a", "k").transcript(odd()).into(),
            &["transcript_path", "cwd", "agent_transcript_path"],
        ),
        ("Stop", SubagentStop::new("a", "k").transcript(odd()).into(), &["transcript_path", "cwd"]),
    ] {
        let session = Arc::new(Session::new("s", odd()).transcript(odd()));
        let (stdin, diagnostics) = encoded(event, &Envelope::new("e", 0, session, payload));
        let stdin: Value = serde_json::from_str(&stdin).unwrap();
        assert_eq!((&stdin["session_id"], &stdin["hook_event_name"]), (&json!("s"), &json!(event)));
        for field in fields {
            let holder = if matches!(*field, "file_path" | "path") { &stdin["tool_input"] } else { &stdin };
            assert_eq!(holder.get(field), Some(&Value::Null), "{event} {field}");
        }
        let named: Vec<_> = diagnostics.iter().map(|note| note.message.split('`').nth(1).unwrap_or_default()).collect();
        assert_eq!(named, fields, "{event}");
    }
}

/// CLA-ENC-04, CLA-ENC-20: what is unknown is the empty text.
#[test]
fn unknown_transcripts_are_empty() {
    let stdin = value("SubagentStop", &common::envelope(r#"{"subagent.stop":{"id":"a","kind":"k"}}"#));
    assert_eq!((&stdin["transcript_path"], &stdin["agent_transcript_path"]), (&json!(""), &json!("")));
}

/// CLA-ENC-07: the agent of the head is the one that starts or ends, elsewhere the envelope's.
#[test]
fn the_subagent_of_the_payload_stands_in_the_head() {
    let start = common::envelope(r#"{"subagent.start":{"id":"a","kind":"","task":"t"}}"#);
    let outer = Agent::new("outer");
    for (envelope, event, id, kind) in [
        (start.clone().agent(outer.clone()), "SubagentStart", "a", json!("")),
        (start.agent(outer.clone()), "Stop", "outer", json!(null)),
        (common::envelope(r#"{"turn.stop":{}}"#).agent(outer.kind(Text::from("k"))), "Stop", "outer", json!("k")),
    ] {
        let stdin = value(event, &envelope);
        assert_eq!((&stdin["agent_id"], &stdin["agent_type"]), (&json!(id), &kind), "{event}");
    }
}

/// CLA-ENC-09: nothing went on where a session is new.
#[test]
fn only_what_goes_on_has_rested() {
    for (source, rested) in [("startup", false), ("resume", true), ("clear", false), ("compact", false), ("fork", true)]
    {
        let payload = json!({"session.start": {"source": source, "idle_seconds": 5, "context_tokens": 1}});
        let stdin = value("SessionStart", &common::envelope(&payload.to_string()));
        assert_eq!(stdin.get("seconds_since_last_response").is_some(), rested, "{source}");
        assert_eq!(stdin.get("context_tokens").is_some(), rested, "{source}");
    }
}

/// CLA-TOOL-01, CLA-TOOL-02, CLA-TOOL-05, where no event folder shows it.
#[test]
fn inputs_of_rarer_calls() {
    for (rule, tool, name, input) in [
        (
            "CLA-TOOL-05",
            json!({"patch": {"text": "*** Begin Patch", "paths": ["a", "/b"]}}),
            "host_tool",
            r#"{"text":"*** Begin Patch","file_paths":["/home/dev/project/a","/b"]}"#,
        ),
        ("CLA-TOOL-05", json!({"patch": {"text": "x"}}), "host_tool", r#"{"text":"x"}"#),
        ("CLA-TOOL-02", json!({"shell": {"command": "x", "background": false}}), "Bash", r#"{"command":"x"}"#),
        ("CLA-TOOL-05", json!({"list": {"path": "."}}), "host_tool", r#"{"file_path":"/home/dev/project"}"#),
        (
            "CLA-TOOL-06",
            json!({"delete": {"path": "./a/../b"}}),
            "host_tool",
            r#"{"file_path":"/home/dev/project/a/../b"}"#,
        ),
        (
            "CLA-TOOL-03",
            json!({"edit": {"path": "/a", "edits": []}}),
            "Edit",
            r#"{"file_path":"/a","old_string":"","new_string":"","replace_all":false,"edits":[]}"#,
        ),
        ("CLA-TOOL-04", json!({"grep": {"pattern": "x", "path": "src"}}), "Grep", r#"{"pattern":"x","path":"src"}"#),
        ("CLA-TOOL-04", json!({"glob": {"pattern": "*", "path": "."}}), "Glob", r#"{"pattern":"*","path":"."}"#),
        ("CLA-TOOL-04", json!({"web_fetch": {"url": "https://a"}}), "WebFetch", r#"{"url":"https://a"}"#),
        ("CLA-TOOL-01", json!({"other": "text"}), "host_tool", r#""text""#),
        (
            "CLA-TOOL-01",
            json!({"mcp": {"server": "größe", "tool": "a.b c", "arguments": null}}),
            "mcp__gr__e__a_b_c",
            "null",
        ),
    ] {
        let (stdin, _) = encoded("PreToolUse", &before(&tool));
        let expected = format!(r#""tool_name":"{name}","tool_input":{input},"tool_use_id":"c1""#);
        assert!(stdin.contains(&expected), "{rule}: {stdin}");
    }
}

/// CLA-TOOL-09 to CLA-TOOL-13, where no event folder shows it.
#[test]
fn responses_of_rarer_results() {
    let shell = json!({"shell": {"command": "x"}});
    let read = json!({"read": {"path": "a"}});
    let grep = |mode: Value| json!({"grep": {"pattern": "x", "output_mode": mode}});
    let mcp = json!({"mcp": {"server": "s", "tool": "t", "arguments": {}}});
    let bash = |stdout: &str| {
        format!(r#"{{"stdout":{stdout},"stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}"#)
    };
    for (rule, tool, output, response) in [
        ("CLA-TOOL-09", &shell, json!({"shell": {"stdout": "a\n\n"}}), bash(r#""a\n""#)),
        ("CLA-TOOL-09", &shell, json!({"shell": {"stdout": "a\r\n"}}), bash(r#""a""#)),
        ("CLA-TOOL-09", &shell, json!({"shell": {"stderr": "e\n"}}), bash(r#""e""#)),
        ("CLA-TOOL-09", &shell, json!({"shell": {"combined": "c\n", "stdout": "a", "stderr": "b"}}), bash(r#""c""#)),
        ("CLA-TOOL-09", &shell, json!({"shell": {"stdout": "a", "shell_id": "7", "state": "running"}}), bash(r#""a""#)),
        ("CLA-TOOL-13", &shell, json!({"text": "a\n"}), r#""a\n""#.into()),
        ("CLA-TOOL-13", &shell, json!({"json": {"a": 1}}), r#"{"a":1}"#.into()),
        (
            "CLA-TOOL-10",
            &read,
            json!({"text": ""}),
            r#"{"type":"text","file":{"filePath":"/home/dev/project/a","content":"","numLines":1,"startLine":1,"totalLines":1}}"#.into(),
        ),
        (
            "CLA-TOOL-10",
            &read,
            json!({"binary": {"bytes": 7, "media_type": "application/zip"}}),
            r#"{"type":"binary","file":{"type":"application/zip","originalSize":7}}"#.into(),
        ),
        (
            "CLA-TOOL-12",
            &grep(json!("count")),
            json!({"text": "a.rs:3\nb.rs:1\n"}),
            r#"{"mode":"count","numFiles":0,"filenames":[],"content":"a.rs:3\nb.rs:1\n","numLines":2}"#.into(),
        ),
        (
            "CLA-TOOL-12",
            &grep(json!(null)),
            json!({"text": ""}),
            r#"{"mode":"files_with_matches","numFiles":0,"filenames":[]}"#.into(),
        ),
        ("CLA-TOOL-13", &mcp, json!({"mcp": {"result": {"content": 5, "x": 1}}}), "5".into()),
        ("CLA-TOOL-13", &mcp, json!({"mcp": {"result": [[1]]}}), "[[1]]".into()),
        ("CLA-TOOL-13", &mcp, json!({"mcp": {"result": null}}), "null".into()),
        ("CLA-TOOL-13", &mcp, json!({"text": "t"}), r#""t""#.into()),
        ("CLA-TOOL-13", &json!({"delete": {"path": "a"}}), json!({"text": "gone"}), r#""gone""#.into()),
    ] {
        let (stdin, _) = encoded("PostToolUse", &result(tool, &output));
        let expected = format!(r#""tool_response":{response},"tool_use_id":"c1","duration_ms":250"#);
        assert!(stdin.contains(&expected), "{rule}: {stdin}\nnot {expected}");
    }
}

/// CLA-TOOL-14: an error of more than 10 000 UTF-16 units loses its middle, never the exit code.
#[test]
fn long_errors_lose_their_middle() {
    let error = |printed: &str| {
        let output = json!({"shell": {"stdout": printed, "exit_code": 3}});
        let stdin = value("PostToolUseFailure", &result(&json!({"shell": {"command": "x"}}), &output));
        stdin["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(error(&"a".repeat(9_988)), format!("Exit code 3\n{}", "a".repeat(9_988)));
    let short = error(&format!("{}END", "a".repeat(9_986)));
    assert!(short.starts_with("Exit code 3\naaa") && short.ends_with("aEND"), "{short}");
    assert!(short.contains("\n\n... [1 characters truncated] ...\n\n"), "{short}");
    let failure = json!({"tool.failure": {"call": call(&json!({"other": {}})), "error": "é".repeat(10_001)}});
    let stdin = value("PostToolUseFailure", &common::envelope(&failure.to_string()));
    assert!(stdin["error"].as_str().unwrap().contains("[1 characters truncated]"));
}

/// A large text is written once, into room made for it: nothing moves it on the way, and the call
/// shares it with whoever else has it.
#[test]
fn large_texts_are_written_once() {
    let line = format!("größe \"x\" {}\n", "-".repeat(1_000));
    let text = Text::from(line.repeat(10_000));
    let shell = ToolCall::new("c", "sh", Shell::new("x"));
    let write = ToolCall::new("c", "w", Write::new("/a", text.clone()));
    let output = |output: ShellOutput| ToolResult::new(shell.clone(), ToolOutput::Shell(output));
    let times = |payload: &Payload| match payload.call().map(|call| &call.tool) {
        Some(Tool::Write(write)) => {
            assert_eq!(write.content.as_ptr(), text.as_ptr());
            if payload.output().is_some() { 2 } else { 1 }
        }
        _ => 1,
    };
    for (event, payload) in [
        ("PreToolUse", Payload::from(ToolBefore::new(write.clone()))),
        ("PostToolUse", ToolResult::new(write, ToolOutput::Text(Text::default())).into()),
        ("PostToolUse", output(ShellOutput::new().combined(text.clone())).into()),
        ("PostToolUse", output(ShellOutput::new().stdout(text.clone())).into()),
        ("UserPromptSubmit", PromptSubmit::new(text.clone()).into()),
    ] {
        let least = times(&payload) * text.len();
        let (host, state, mut out) = (acme(), SessionState::new(), Vec::new());
        let envelope = Envelope::new("e", 0, Arc::new(Session::new("s", "/w")), payload);
        let id = Claude::new().event(event).unwrap();
        Claude::new().encode(id, Occasion::new(&envelope, &host, &state), &mut out);
        assert!(out.len() > least && least >= 10_000_000);
        assert!(out.capacity() < out.len() + 4096, "{event}: {} bytes for {}", out.capacity(), out.len());
    }
}
