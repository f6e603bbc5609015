//! Standard input read back into an envelope: what Claude Code itself wrote, and where the bytes
//! alone do not show it. That every standard input of the event folders comes back byte for byte is
//! what every adapter must hold: CLA-READ-01, CLA-READ-02.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use harness_hooks_claude::{CLAUDE, Claude};
use harness_hooks_core::{
    Adapter, FailureKind, Json, Occasion, Payload, PromptOrigin, Reading, SessionState, Shell, ShellState, Tool,
    ToolCall, ToolFailure, ToolOutput, ToolResult,
};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{acme, of};

/// Every document of a folder, by name.
fn documents(folder: &str) -> BTreeMap<String, String> {
    let entries = fs::read_dir(of("claude").join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let json = entries.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    json.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
        .collect()
}

fn recorded(name: &str) -> Reading {
    let document = fs::read(of("claude").join("recorded").join(format!("{name}.json"))).unwrap();
    Claude::new().read(&document).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A recorded call that returned.
fn returned(name: &str) -> ToolResult {
    match recorded(name).envelope.payload {
        Payload::ToolResult(result) => result,
        payload => panic!("{name}: {payload:?}"),
    }
}

fn written(reading: &Reading) -> String {
    let (host, mut out) = (acme(), Vec::new());
    let occasion = Occasion::new(&reading.envelope, &host, &reading.state);
    assert_eq!(Claude::new().encode(reading.event, occasion, &mut out), []);
    String::from_utf8(out).unwrap()
}

const EARLIER_VERSION: &str = "version 2.1.197 wrote no `mcp_server`, which stands on every call of an MCP tool now";
const DEFAULT: &str = "a command that is waited for is written without saying so, as a model mostly writes it";
const SERVER: (&str, &str) = ("}\n", ",\"mcp_server\":{\"name\":\"my-srv\",\"source\":\"dynamic\"}}\n");

/// Recorded documents that are written otherwise than they were read: why, and what is another.
const EXCEPTIONS: [(&str, &str, (&str, &str)); 6] = [
    ("PreToolUse.Bash.2", DEFAULT, (",\"run_in_background\":false", "")),
    ("PostToolUse.Bash.2", DEFAULT, (",\"run_in_background\":false", "")),
    ("PreToolUse.mcp__my_srv__echo_it@2.1.197", EARLIER_VERSION, SERVER),
    ("PreToolUse.mcp__my_srv__elicit@2.1.197", EARLIER_VERSION, SERVER),
    ("PostToolUse.mcp__my_srv__echo_it@2.1.197", EARLIER_VERSION, SERVER),
    ("PostToolUse.mcp__my_srv__elicit@2.1.197", EARLIER_VERSION, SERVER),
];

/// CLA-READ-02, CLA-READ-04: nothing of what the program wrote is lost, and no key of it is a
/// stranger.
#[test]
fn what_claude_code_wrote_is_written_again() {
    let documents = documents("recorded");
    assert_eq!(documents.len(), 108);
    for (name, document) in &documents {
        let reading = recorded(name);
        assert_eq!(reading.ignored, [""; 0], "{name}");
        if let Some(call) = reading.envelope.payload.call() {
            assert!(call.extra.is_empty(), "{name}: {:?}", call.extra);
        }
        let expected = match EXCEPTIONS.iter().find(|(exception, ..)| exception == name) {
            Some((_, why, (was, is))) => {
                assert_eq!(document.matches(was).count(), 1, "{name}, because {why}");
                document.replace(was, is)
            }
            None => document.clone(),
        };
        assert_eq!(written(&reading), expected, "{name}");
    }
    for (name, ..) in EXCEPTIONS {
        assert!(documents.contains_key(name), "{name} was recorded");
    }
}

/// One recorded document of each tool, as hooks of another vendor read it. The goldens are written
/// after Cursor's rules. CLA-READ-01
#[test]
fn a_recorded_session_means_the_same_to_cursor() {
    let goldens = documents("as-cursor");
    let tool = |name: &String| name.split(['.', '@']).nth(1).map(str::to_owned);
    let called: BTreeSet<_> =
        documents("recorded").keys().filter(|name| name.starts_with("PreToolUse.")).map(tool).collect();
    let shown: BTreeSet<_> = goldens.keys().map(tool).collect();
    assert_eq!(shown, called);
    for (name, golden) in goldens {
        let reading = recorded(&name);
        let event: serde_json::Value = serde_json::from_str(&golden).unwrap();
        let event = Cursor::new().event(event["hook_event_name"].as_str().unwrap()).unwrap();
        let (host, state, mut out) = (acme(), SessionState::new(), Vec::new());
        Cursor::new().encode(event, Occasion::new(&reading.envelope, &host, &state), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), golden, "{name}");
    }
}

/// CLA-READ-01: bytes alone do not show what they are taken for.
#[test]
fn results_are_neutral_where_nothing_is_lost() {
    let shell = |name: &str| match returned(name).output {
        ToolOutput::Shell(shell) => shell,
        output => panic!("{name}: {output:?}"),
    };
    let plain = shell("PostToolUse.Bash");
    assert_eq!((&*plain.text(), plain.exit_code, plain.state), ("hi\nerr", Some(0), ShellState::Finished));
    let background = shell("PostToolUse.Bash.3");
    assert_eq!((background.exit_code, background.state), (None, ShellState::Background));
    assert_eq!(background.shell_id.as_deref(), Some("b8lm99khw"));
    let failed = shell("PostToolUseFailure.Bash");
    assert_eq!((&*failed.text(), failed.exit_code), ("before", Some(3)));

    let text = |name: &str| match returned(name).output {
        ToolOutput::Text(text) => text,
        output => panic!("{name}: {output:?}"),
    };
    assert_eq!(text("PostToolUse.Read.text"), "line1\nline2\n");
    assert_eq!(returned("PostToolUse.Read.text").file.unwrap().total_lines, Some(3));
    assert!(text("PostToolUse.Grep@2.1.197").ends_with("a.txt:1:x"));
    let update = returned("PostToolUse.Write.update").file.unwrap();
    assert_eq!(update.original.as_deref(), Some("LINE1\nline2\n"));
    assert_eq!(update.hunks[0].lines, ["-LINE1", "-line2", "+over"]);
    assert_eq!(returned("PostToolUse.Edit").file.unwrap().unseen, Some(true));
    assert_eq!(returned("PostToolUse.Edit@2.1.197").file.unwrap().unseen, None);
    assert_eq!(returned("PostToolUse.Write.create").file, None);

    let ToolOutput::Mcp(mcp) = returned("PostToolUse.mcp__my_srv__elicit").output else { panic!("no MCP result") };
    assert_eq!(mcp.result.as_str(), r#"{"content":[{"type":"text","text":"ELICITED {\"action\": \"cancel\"}"}]}"#);
    for name in ["PostToolUse.Read.image", "PostToolUse.Agent", "PostToolUse.Glob", "PostToolUse.Skill"] {
        assert!(matches!(returned(name).output, ToolOutput::Json(_)), "{name} says more than text");
    }
}

/// CLA-READ-01
#[test]
fn calls_sessions_and_states_are_those_of_the_document() {
    let mcp = recorded("PreToolUse.mcp__my_srv__echo_it@2.1.197");
    let Some(Tool::Mcp(mcp)) = mcp.envelope.payload.call().map(|call| &call.tool) else { panic!("no MCP tool") };
    assert_eq!((&*mcp.server, &*mcp.tool, &mcp.server_source), ("my-srv", "echo-it", &None));

    let failure = recorded("PostToolUseFailure.Bash.2").envelope.payload;
    let Payload::ToolFailure(failure) = failure else { panic!("{failure:?}") };
    assert_eq!((&*failure.error, failure.kind), ("Exit code 143\nCommand timed out after 0s", FailureKind::Timeout));

    let call = recorded("PermissionRequest.Write").envelope.payload.call().cloned().unwrap();
    assert_eq!((&*call.id, &*call.host_name, call.tool.kind()), ("", "Write", "write"));

    let inside = recorded("PostToolUse.Bash.subagent").envelope;
    let agent = inside.agent.unwrap();
    assert_eq!((&*agent.id, agent.kind.as_deref()), ("a0000000000000001", Some("general-purpose")));
    assert_eq!(inside.session.effort.as_deref(), Some("medium"));
    assert_eq!(inside.session.permission_mode.as_deref(), Some("bypassPermissions"));

    let Payload::SubagentStop(stop) = recorded("SubagentStop.False.2").envelope.payload else { panic!("no stop") };
    assert_eq!((&*stop.id, &*stop.kind, stop.background_tasks.len()), ("a0000000000000001", "general-purpose", 1));

    assert_eq!(recorded("SessionStart.compact").envelope.session.model.as_deref(), Some("claude-opus-5-5"));
    assert_eq!(recorded("SessionStart.startup").envelope.turn, None);
    assert_eq!(recorded("Stop.True").state.continuations.of(&CLAUDE), 1);
    assert_eq!(recorded("Stop.False").state, SessionState::new());
}

fn read(event: &str, rest: &str) -> Result<Reading, String> {
    let document = format!(r#"{{"session_id":"s","cwd":"/w","hook_event_name":"{event}"{rest}}}"#);
    Claude::new().read(document.as_bytes()).map_err(|error| error.to_string())
}

/// CLA-READ-01: as PowerShell pipes it, and as an HTTP body is.
#[test]
fn a_byte_order_mark_and_the_line_end_make_no_difference() {
    for (name, document) in documents("recorded") {
        let marked = format!("\u{feff}{}", document.trim_end());
        assert_eq!(Claude::new().read(marked.as_bytes()).unwrap(), recorded(&name), "{name}");
    }
}

/// CLA-READ-03
#[test]
fn what_is_no_standard_input_is_said() {
    for (document, what) in [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ("{} {}", "not JSON"),
        ("{}", "`hook_event_name` is missing"),
        (r#"{"hook_event_name":"preToolUse"}"#, "`hook_event_name` is `preToolUse`"),
        (r#"{"hook_event_name":5}"#, "`hook_event_name` must be text, not 5"),
        (r#"{"hook_event_name":"Stop"}"#, "`session_id` is missing"),
        (r#"{"hook_event_name":"Stop","session_id":"s"}"#, "`cwd` is missing"),
    ] {
        let error = Claude::new().read(document.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(what), "{document}: {error}");
    }
    let error = Claude::new().read(b"{\"hook_event_name\":\"\xff\"}").unwrap_err().to_string();
    assert!(error.contains("not UTF-8"), "{error}");
    for (event, rest, what) in [
        ("SessionStart", "", "`source` is missing"),
        ("SessionStart", r#","source":"start""#, "`source` is \"start\""),
        ("PreCompact", r#","trigger":"both""#, "`trigger` is \"both\""),
        ("PreCompact", r#","trigger":"auto","custom_instructions":5"#, "`custom_instructions` must be text, not 5"),
        ("PostCompact", r#","trigger":"auto""#, "`compact_summary` is missing"),
        ("UserPromptSubmit", r#","prompt":["x"]"#, "`prompt` must be text, not [\"x\"]"),
        ("UserPromptSubmit", r#","prompt":"x","permission_mode":1"#, "`permission_mode` must be text"),
        ("PreToolUse", r#","tool_name":"Bash","tool_use_id":"c""#, "`tool_input` is missing"),
        ("PreToolUse", r#","tool_name":"Bash","tool_input":{},"tool_use_id":"c""#, "`command` is missing"),
        ("PreToolUse", r#","tool_name":"Bash","tool_input":{"command":"ls"}"#, "`tool_use_id` is missing"),
        (
            "PreToolUse",
            r#","tool_name":"Read","tool_input":{"file_path":"a","offset":-1},"tool_use_id":"c""#,
            "`offset` must be a whole number, not -1",
        ),
        (
            "PreToolUse",
            r#","tool_name":"Edit","tool_input":{"file_path":"a","old_string":"x","new_string":"y","edits":[{"old_string":"z"}]},"tool_use_id":"c""#,
            "`new_string` is missing",
        ),
        ("PostToolUse", r#","tool_name":"X","tool_input":{},"tool_use_id":"c""#, "`tool_response` is missing"),
        ("PostToolUseFailure", r#","tool_name":"X","tool_input":{},"tool_use_id":"c""#, "`error` is missing"),
        ("PermissionDenied", r#","tool_name":"X","tool_input":{},"tool_use_id":"c""#, "`reason` is missing"),
        ("SubagentStop", "", "`agent_id` is missing"),
        ("Stop", r#","background_tasks":[{"id":"1","type":"shell"}]"#, "`status` is missing"),
        ("Stop", r#","session_crons":{}"#, "`session_crons` must be a list of objects, not {}"),
        ("SessionEnd", "", "`reason` is missing"),
    ] {
        let error = read(event, rest).unwrap_err();
        assert!(error.contains(what), "{event}{rest}: {error}");
    }
}

/// CLA-READ-04
#[test]
fn a_key_that_no_envelope_holds_is_named() {
    for (event, rest, named) in [
        ("Stop", r#","later_key":1,"a/b":null"#, &["/later_key", "/a~1b"][..]),
        (
            "SessionStart",
            r#","source":"startup","agent_type":"reviewer","scratchpad_dir":"/t""#,
            &["/agent_type", "/scratchpad_dir"],
        ),
        ("Stop", r#","permission_mode":null"#, &["/permission_mode"]),
        ("Stop", r#","effort":{"level":"high","budget":5}"#, &["/effort/budget"]),
        (
            "Stop",
            r#","background_tasks":[{"id":"1","type":"shell","status":"running","pid":7}]"#,
            &["/background_tasks/0/pid"],
        ),
        (
            "PreToolUse",
            r#","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c","mcp_server":{"name":"a","source":"b"}"#,
            &["/mcp_server"],
        ),
        (
            "PreToolUse",
            r#","tool_name":"mcp__a__b","tool_input":{},"tool_use_id":"c","mcp_server":{"name":"z","source":"user"}"#,
            &["/mcp_server"],
        ),
        (
            "PreToolUse",
            r#","tool_name":"mcp__a__b","tool_input":{},"tool_use_id":"c","mcp_server":{"name":"a","source":"user","id":7}"#,
            &["/mcp_server/id"],
        ),
        ("Notification", r#","message":"m","notification_type":"t","anything":null"#, &[]),
    ] {
        assert_eq!(read(event, rest).unwrap().ignored, named, "{event}{rest}");
    }
    let rest =
        r#","tool_name":"Bash","tool_input":{"command":"ls","dangerouslyDisableSandbox":true},"tool_use_id":"c""#;
    let call = read("PreToolUse", rest).unwrap().envelope.payload.call().cloned().unwrap();
    assert!(matches!(&call.tool, Tool::Shell(shell) if shell.command == "ls"));
    assert_eq!(call.extra.get("dangerouslyDisableSandbox").map(Json::as_str), Some("true"));
}

/// CLA-TOOL-01, CLA-READ-01: a call of an MCP tool stays one, so that no hook about it goes silent.
#[test]
fn the_server_is_the_one_that_is_named() {
    for (name, beside, server, tool, source) in [
        ("mcp__a__b", "", "a", "b", None),
        ("mcp__a__b__c", "", "a", "b__c", None),
        ("mcp__a__b__c", r#","mcp_server":{"name":"a__b","source":"user"}"#, "a__b", "c", Some("user")),
        ("mcp__claude_ai_Notion__x", r#","mcp_server":{"name":"claude.ai Notion"}"#, "claude.ai Notion", "x", None),
        ("mcp__a__b", r#","mcp_server":{"name":"z","source":"user"}"#, "a", "b", None),
        ("mcp__a__b", r#","mcp_server":"a""#, "a", "b", None),
    ] {
        let rest = format!(r#","tool_name":"{name}","tool_input":{{}},"tool_use_id":"c"{beside}"#);
        let payload = read("PreToolUse", &rest).unwrap().envelope.payload;
        let Some(Tool::Mcp(mcp)) = payload.call().map(|call| &call.tool) else { panic!("{name}{beside}: {payload:?}") };
        assert_eq!((&*mcp.server, &*mcp.tool, mcp.server_source.as_deref()), (server, tool, source), "{name}{beside}");
    }
    for name in ["mcp__a", "mcp__", "mcp", "Mcp__a__b"] {
        let rest = format!(r#","tool_name":"{name}","tool_input":{{}},"tool_use_id":"c""#);
        let payload = read("PreToolUse", &rest).unwrap().envelope.payload;
        assert!(matches!(payload.call().unwrap().tool, Tool::Other(_)), "{name}");
    }
}

/// CLA-ENC-11: only a user's prompt starts the count of continuations anew.
#[test]
fn the_cause_of_a_prompt_says_who_caused_it() {
    for (source, origin) in [
        ("", PromptOrigin::User),
        (r#","source":"user""#, PromptOrigin::User),
        (r#","source":"sdk""#, PromptOrigin::User),
        (r#","source":"system""#, PromptOrigin::Host),
        (r#","source":"schedule_wakeup""#, PromptOrigin::Host),
    ] {
        let reading = read("UserPromptSubmit", &format!(r#","prompt":"go"{source}"#)).unwrap();
        let Payload::PromptSubmit(prompt) = reading.envelope.payload else { panic!("no prompt") };
        assert_eq!(prompt.origin, origin, "{source}");
    }
}

fn failed(tool: &str, error: &str, interrupted: bool) -> Payload {
    let input = if tool == "Bash" { r#"{"command":"x"}"# } else { "{}" };
    let error = Json::of(error);
    let rest = format!(
        r#","tool_name":"{tool}","tool_input":{input},"tool_use_id":"c","error":{error},"is_interrupt":{interrupted}"#
    );
    let reading = read("PostToolUseFailure", &rest).unwrap();
    assert!(written(&reading).contains(&rest), "{rest} is written again");
    reading.envelope.payload
}

/// CLA-TOOL-14: an exit code is a result, anything else never returned.
#[test]
fn only_an_exit_code_of_a_command_is_a_result() {
    for (tool, error, interrupted, code) in [
        ("Bash", "Exit code 1", false, Some(1)),
        ("Bash", "Exit code 2\nno such file\n", false, Some(2)),
        ("Bash", "Exit code 137\n\n\nkilled", false, Some(137)),
        ("Bash", "Exit code 1\n", false, None),
        ("Bash", "Exit code 143\nCommand timed out after 2m 0s", false, None),
        ("Bash", "Exit code 130\n^C", true, None),
        ("Bash", "Exit code 0\nodd", false, None),
        ("Bash", "no shell", false, None),
        ("TaskStop", "Exit code 1\nx", false, None),
    ] {
        let payload = failed(tool, error, interrupted);
        let read = match &payload {
            Payload::ToolResult(result) => match &result.output {
                ToolOutput::Shell(shell) => shell.exit_code,
                output => panic!("{error}: {output:?}"),
            },
            Payload::ToolFailure(failure) => {
                assert_eq!(failure.error, error);
                let kind = match (interrupted, error.contains("timed out")) {
                    (true, _) => FailureKind::Cancelled,
                    (_, true) => FailureKind::Timeout,
                    _ => FailureKind::Error,
                };
                assert_eq!(failure.kind, kind, "{error}");
                None
            }
            payload => panic!("{error}: {payload:?}"),
        };
        assert_eq!(read, code, "{tool}: {error}");
    }
    let long = format!("Exit code 3\n{}", "größe ".repeat(5_000));
    let Payload::ToolResult(result) = read_long(&long) else { panic!("no result") };
    assert!(matches!(result.output, ToolOutput::Shell(shell) if shell.exit_code == Some(3)));
}

/// An error that lost its middle loses nothing more when it is read and written.
fn read_long(error: &str) -> Payload {
    let call = ToolCall::new("c", "Bash", Shell::new("x"));
    let mut reading =
        read("PostToolUseFailure", r#","tool_name":"X","tool_input":{},"tool_use_id":"c","error":"e""#).unwrap();
    reading.envelope.payload = ToolFailure::new(call, error).into();
    let first = written(&reading);
    let again = Claude::new().read(first.as_bytes()).unwrap();
    assert_eq!(written(&again), first);
    again.envelope.payload
}

/// CLA-READ-02: a response with a key more, or another number, is kept whole.
#[test]
fn a_response_that_says_more_is_json() {
    for (tool, input, response) in [
        (
            "Bash",
            r#"{"command":"x"}"#,
            r#"{"stdout":"","stderr":"e","interrupted":false,"isImage":false,"noOutputExpected":false}"#,
        ),
        (
            "Bash",
            r#"{"command":"x"}"#,
            r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"timedOutAfterMs":5}"#,
        ),
        ("Bash", r#"{"command":"x"}"#, r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false}"#),
        (
            "Read",
            r#"{"file_path":"/a"}"#,
            r#"{"type":"text","file":{"filePath":"/a","content":"x","numLines":7,"startLine":1,"totalLines":7}}"#,
        ),
        ("Read", r#"{"file_path":"/a"}"#, r#"{"type":"pdf","file":{"filePath":"/a","base64":"AA","originalSize":2}}"#),
        (
            "Write",
            r#"{"file_path":"/a","content":"x"}"#,
            r#"{"type":"create","filePath":"/a","content":"x","structuredPatch":[],"originalFile":null,"userModified":false,"gitDiff":{}}"#,
        ),
        (
            "Agent",
            r#"{"prompt":"p"}"#,
            r#"{"status":"completed","prompt":"p","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
        ),
        ("WebSearch", r#"{"query":"q"}"#, r#"{"query":"q","results":["a","b"]}"#),
        ("mcp__a__b", "{}", r#"{"content":[],"isError":false}"#),
        ("Mine", "{}", r#"{"a":1.50}"#),
    ] {
        let rest =
            format!(r#","tool_name":"{tool}","tool_input":{input},"tool_response":{response},"tool_use_id":"c""#);
        let reading = read("PostToolUse", &rest).unwrap();
        assert!(written(&reading).contains(&format!(r#""tool_response":{response},"#)), "{response}");
        let Payload::ToolResult(result) = &reading.envelope.payload else { panic!("no result") };
        assert_eq!((&result.output, &result.file), (&ToolOutput::Json(serde_json::from_str(response).unwrap()), &None));
    }
}

/// CLA-READ-02: what a host wrote with more escapes is the same output.
#[test]
fn escapes_make_no_other_result() {
    let rest = r#","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":{"stdout":"gr\u00f6\u00dfe","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false},"tool_use_id":"c""#;
    let Payload::ToolResult(result) = read("PostToolUse", rest).unwrap().envelope.payload else { panic!("no result") };
    assert!(matches!(result.output, ToolOutput::Shell(shell) if &*shell.text() == "größe"));
}
