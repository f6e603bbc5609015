//! Standard input read back into an envelope: what is written from it is the same bytes.

use harness_hooks_core::{Adapter, Fidelity, Host, Json, Occasion, Payload, Tool, WorkEnd};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::events;

use crate::common;

fn again(cursor: Cursor, host: &Host, stdin: &[u8]) -> String {
    let reading = cursor.read(stdin).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(stdin)));
    assert_eq!(reading.ignored, Vec::<String>::new(), "{}", String::from_utf8_lossy(stdin));
    let mut out = Vec::new();
    cursor.encode(reading.event, Occasion::new(&reading.envelope, host, &reading.state), &mut out);
    String::from_utf8(out).unwrap()
}

// CUR-READ-01, CUR-READ-02
#[test]
fn what_was_written_reads_back_to_the_same_bytes() {
    for folder in events("cursor").unwrap() {
        for case in &folder.cases {
            let written = String::from_utf8(case.stdin.clone()).unwrap();
            let again = again(Cursor::new(), &common::acme(), &case.stdin);
            assert_eq!(again, written, "{}/{}", folder.event, case.name);
        }
    }
}

// CUR-READ-02
#[test]
fn a_session_without_folders_reads_back_with_its_working_directory() {
    for folder in events("cursor").unwrap() {
        for case in &folder.cases {
            let session = &case.envelope.session;
            let roots = if session.roots.is_empty() { vec![session.cwd.clone()] } else { session.roots.clone() };
            let reading = Cursor::new().read(&case.stdin).unwrap();
            assert_eq!(reading.envelope.session.roots, roots, "{}/{}", folder.event, case.name);
        }
    }
}

// CUR-READ-01
#[test]
fn a_measured_stop_comes_back_byte_for_byte() {
    let measured = r#"{"conversation_id":"c1","generation_id":"g1","model":"default","status":"completed","loop_count":1,"input_tokens":21434,"output_tokens":27,"cache_read_tokens":5504,"cache_write_tokens":0,"session_id":"c1","hook_event_name":"stop","cursor_version":"3.7.21","workspace_roots":["/d:/GitHub Repos/robot-council/cli"],"user_email":"dev@example.com","transcript_path":"/home/dev/.cursor/projects/x/agent-transcripts/c1/c1.jsonl"}"#;
    let cursor = Cursor::with_fidelity(Fidelity::Vendor);
    let host = Host::new("Cursor", "3.7.21").fires([harness_hooks_core::Boundary::TurnStop]);
    let with_mark = format!("\u{feff}{measured}");
    for stdin in [measured, &with_mark] {
        let reading = cursor.read(stdin.as_bytes()).unwrap();
        let Payload::TurnStop(stop) = &reading.envelope.payload else { panic!("{:?}", reading.envelope.payload) };
        assert_eq!((stop.end, stop.tokens.cache_read), (WorkEnd::Completed, Some(5504)));
        assert_eq!(again(cursor, &host, stdin.as_bytes()), measured);
    }
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
    ] {
        let error = Cursor::new().read(stdin.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(what), "{stdin}: {error}");
    }
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
