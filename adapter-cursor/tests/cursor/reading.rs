//! Standard input read back into an envelope, where the bytes alone do not show it. That every
//! standard input of the fixtures comes back byte for byte is what every adapter must hold:
//! CUR-READ-01, CUR-READ-02.

use harness_hooks_core::{Adapter, Fidelity, Json, Payload, Tool, WorkEnd};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{events, of};

// CUR-READ-02
#[test]
fn a_session_without_folders_reads_back_with_its_working_directory() {
    for folder in events(&of("cursor")).unwrap() {
        for case in &folder.cases {
            let session = &case.envelope.session;
            let roots = if session.roots.is_empty() { vec![session.cwd.clone()] } else { session.roots.clone() };
            let Some(stdin) = case.stdin(Fidelity::Guarded) else { continue };
            let reading = Cursor::new().read(stdin).unwrap();
            assert_eq!(reading.envelope.session.roots, roots, "{}/{}", folder.event, case.name);
        }
    }
}

// CUR-READ-01: as PowerShell pipes it.
#[test]
fn a_byte_order_mark_before_it_is_skipped() {
    let cursor = Cursor::with_fidelity(Fidelity::Vendor);
    let folder = events(&of("cursor")).unwrap().into_iter().find(|folder| folder.event == "stop").unwrap();
    let measured = folder.cases.iter().find(|case| case.name == "measured").unwrap();
    let stdin = measured.stdin(Fidelity::Vendor).unwrap();
    let marked = ["\u{feff}".as_bytes(), stdin].concat();
    let [reading, with_mark] = [stdin, &marked].map(|stdin| cursor.read(stdin).unwrap());
    assert_eq!(reading, with_mark);
    let Payload::TurnStop(stop) = &reading.envelope.payload else { panic!("{:?}", reading.envelope.payload) };
    assert_eq!((stop.end, stop.tokens.cache_read), (WorkEnd::Completed, Some(5504)));
}

// CUR-READ-03
#[test]
fn what_is_no_standard_input_is_said() {
    for (stdin, what) in [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "`hook_event_name` is missing"),
        (r#"{"hook_event_name":"PreToolUse"}"#, "no such event"),
        (r#"{"hook_event_name":"beforeShellExecution"}"#, "`command` is missing"),
        (r#"{"hook_event_name":"beforeShellExecution","command":5}"#, "`command` cannot be 5"),
        (
            r#"{"hook_event_name":"afterMCPExecution","tool_name":"q","tool_input":"{","result_json":"{}"}"#,
            "`tool_input` does not hold JSON",
        ),
        (r#"{"hook_event_name":"stop","status":"finished"}"#, "`status` is `finished`"),
        (
            r#"{"hook_event_name":"beforeSubmitPrompt","prompt":"x","attachments":[{"type":"image","file_path":"a"}]}"#,
            "`attachments` has a `type`",
        ),
        (
            r#"{"hook_event_name":"afterFileEdit","file_path":"a","edits":[{"old_string":"x","new_string":5}]}"#,
            "`new_string` cannot be 5",
        ),
    ] {
        let error = Cursor::new().read(stdin.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(what), "{stdin}: {error}");
    }
}

// CUR-READ-02: the working directory beside an input that has none.
#[test]
fn a_shell_keeps_its_working_directory() {
    let stdin = r#"{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"ls"},"cwd":"/tmp/elsewhere","workspace_roots":["/proj"]}"#;
    let reading = Cursor::new().read(stdin.as_bytes()).unwrap();
    let call = reading.envelope.payload.call().unwrap();
    assert!(
        matches!(&call.tool, Tool::Shell(shell) if shell.cwd.as_deref() == Some(std::path::Path::new("/tmp/elsewhere")))
    );
}

// CUR-READ-04
#[test]
fn a_key_that_no_envelope_holds_is_named() {
    let stdin =
        r#"{"hook_event_name":"stop","conversation_id":"c1","status":"completed","loop_count":0,"later_key":1}"#;
    assert_eq!(Cursor::new().read(stdin.as_bytes()).unwrap().ignored, ["/later_key"]);
    let stdin = r#"{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"ls","is_risky":true}}"#;
    let reading = Cursor::new().read(stdin.as_bytes()).unwrap();
    let call = reading.envelope.payload.call().unwrap();
    assert!(matches!(&call.tool, Tool::Shell(shell) if shell.command == "ls"));
    assert_eq!(call.extra.get("is_risky").map(Json::as_str), Some("true"));
}
