//! Standard input where there is little to say: planned events, other events' envelopes, values no
//! JSON can hold. What every event writes is in the event folders.

use harness_hooks_core::{Adapter, Diagnostic, Envelope, Fidelity, Host, Occasion, SessionState, Severity};
use harness_hooks_cursor::Cursor;
use serde_json::{Value, json};

use crate::common;

fn encoded(event: &str, envelope: &Envelope, host: &Host) -> (Value, Vec<Diagnostic>) {
    let (mut out, state) = (Vec::new(), SessionState::new());
    let diagnostics = Cursor::new().encode(common::event(event), Occasion::new(envelope, host, &state), &mut out);
    (serde_json::from_slice(&out).unwrap(), diagnostics)
}

const COMMON: [&str; 10] = [
    "conversation_id",
    "generation_id",
    "model_params",
    "session_id",
    "hook_event_name",
    "cursor_version",
    "acme_version",
    "workspace_roots",
    "user_email",
    "transcript_path",
];

/// CUR-ENC-19: an event the host only plans, and one handed an envelope it is not about.
#[test]
fn only_the_common_fields_are_written() {
    let planned = common::twelve_event_host();
    let read = common::envelope(r#"{"file.read":{"path":"a","content":"x"}}"#);
    let edit = common::result(r#"{"write":{"path":"a","content":"b"}}"#, r#"{"text":""}"#);
    let shell = common::before(r#"{"shell":{"command":"ls"}}"#);
    for (event, envelope, host) in [
        ("beforeReadFile", &read, &planned),
        ("afterFileEdit", &edit, &planned),
        ("stop", &shell, &common::acme()),
        ("beforeMCPExecution", &shell, &common::acme()),
        ("afterShellExecution", &shell, &common::acme()),
        ("subagentStart", &read, &common::acme()),
    ] {
        let (stdin, diagnostics) = encoded(event, envelope, host);
        let mut keys: Vec<_> = stdin.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = COMMON.to_vec();
        keys.sort_unstable();
        expected.sort_unstable();
        assert_eq!(keys, expected, "{event}");
        assert_eq!(diagnostics, []);
    }
}

/// CUR-ENC-01, CUR-ENC-19: a free field never stands beside a common one of its name, and is named.
#[test]
fn a_free_field_with_a_common_name_is_named() {
    let fields = r#"{"tab.read":{"file_path":"a","acme_version":"x","session_id":"y","content":"b"}}"#;
    let (stdin, diagnostics) = encoded("beforeTabFileRead", &common::envelope(fields), &common::acme());
    assert_eq!((&stdin["file_path"], &stdin["content"]), (&json!("a"), &json!("b")));
    assert_ne!(stdin["acme_version"], json!("x"));
    let [version, session] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
    assert!(version.message.contains("`acme_version`") && session.message.contains("`session_id`"));
    assert!(diagnostics.iter().all(|note| note.severity == Severity::Note));
}

/// CUR-ENC-04: the host's name as a key.
#[test]
fn the_hosts_version_has_a_key_of_its_own() {
    for (name, key) in [("Acme", "acme_version"), ("Acme Code 2", "acme_code_2_version"), ("Größe", "gr__e_version")]
    {
        let host = Host::new(name, "4.5").fires(harness_hooks_core::Boundary::ALL.iter().copied());
        let (stdin, _) = encoded("stop", &common::envelope(r#"{"turn.stop":{}}"#), &host);
        assert_eq!((&stdin[key], &stdin["cursor_version"]), (&json!("4.5"), &json!("4.5")), "{name}");
    }
}

/// CUR-ENC-04: a host named like the vendor has one version, and its key stands once.
#[test]
fn a_host_named_like_the_vendor_writes_its_version_once() {
    for name in ["Cursor", "cursor"] {
        let host = Host::new(name, "3.7.21").fires(harness_hooks_core::Boundary::ALL.iter().copied());
        for fidelity in Fidelity::ALL {
            let (mut out, state) = (Vec::new(), SessionState::new());
            let envelope = common::envelope(r#"{"turn.stop":{}}"#);
            let occasion = Occasion::new(&envelope, &host, &state);
            Cursor::with_fidelity(fidelity).encode(common::event("stop"), occasion, &mut out);
            assert_eq!(String::from_utf8(out).unwrap().matches("cursor_version").count(), 1, "{name}, {fidelity:?}");
        }
    }
}

/// CUR-ENC-20: a path that is no text is null, and a note names the field; the rest is written.
#[cfg(unix)]
#[test]
fn what_no_json_can_hold_is_null_and_a_note() {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt, path::PathBuf};

    use harness_hooks_core::{FileRead, Payload};

    let mut envelope = common::envelope(r#"{"file.read":{"path":"a","content":"x"}}"#);
    let path = PathBuf::from(OsString::from_vec(b"/home/dev/\xff.txt".to_vec()));
    envelope.payload = Payload::FileRead(FileRead::new(path).content(harness_hooks_core::Text::from("x")));
    let (stdin, diagnostics) = encoded("beforeReadFile", &envelope, &common::acme());
    assert_eq!((&stdin["file_path"], &stdin["content"]), (&Value::Null, &json!("x")));
    let [note] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
    assert_eq!(note.severity, Severity::Note);
    assert!(note.message.contains("file_path"), "{note}");
}

/// A large text is written once, whole.
#[test]
fn large_texts_go_through() {
    let text = "größe \"x\"\n".repeat(50_000);
    let envelope = common::envelope(&json!({"agent.response": {"text": text}}).to_string());
    let (stdin, _) = encoded("afterAgentResponse", &envelope, &common::acme());
    assert_eq!(stdin["text"], json!(text));
}
