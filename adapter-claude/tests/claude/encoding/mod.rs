//! Standard input beyond the event folders: other events' envelopes, values no JSON can hold, large
//! texts. Which keys stand where is `keys.rs`, calls and results are `tools.rs`.

mod keys;
mod tools;

use std::sync::Arc;

use harness_hooks_claude::{CLAUDE, Claude};
use harness_hooks_core::{
    Adapter, Agent, Continuations, Diagnostic, Envelope, Occasion, Payload, PromptSubmit, Session, SessionState,
    Severity, Shell, ShellOutput, Text, Tool, ToolBefore, ToolCall, ToolOutput, ToolResult, Vendor, Write,
};
use harness_hooks_fixtures::acme;
use serde_json::{Value, json};

use crate::common;

use keys::{HEAD, Keys, as_listed};

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
        assert!(out.capacity() < out.len() + out.len() / 10, "{event}: {} bytes for {}", out.capacity(), out.len());
    }
}
