//! Standard input where the event folders say little: keys of every event, other events' envelopes,
//! the state, JSON of the host's, values no JSON can hold.

use harness_hooks_codex::{CODEX, Codex};
use harness_hooks_core::{
    Adapter, Agent, Continuations, Diagnostic, Envelope, Fidelity, Occasion, SessionState, Severity, Vendor,
    testing::acme,
};
use serde_json::{Value, json};

use crate::common;

fn encoded(event: &str, envelope: &Envelope, state: &SessionState) -> (String, Vec<Diagnostic>) {
    let (mut out, host) = (Vec::new(), acme());
    let codex = Codex::new();
    let event = codex.event(event).unwrap_or_else(|| panic!("{event} is no event"));
    let diagnostics = codex.encode(event, Occasion::new(envelope, &host, state), &mut out);
    (String::from_utf8(out).unwrap(), diagnostics)
}

fn stdin(event: &str, envelope: &Envelope) -> Value {
    let (stdin, diagnostics) = encoded(event, envelope, &SessionState::new());
    assert_eq!(diagnostics, [], "{stdin}");
    serde_json::from_str(&stdin).unwrap()
}

/// The keys of an object that holds no object, in order.
fn keys(object: &str) -> Vec<String> {
    let inside = object.trim_start_matches('{').trim_end_matches('}');
    let key = |entry: &str| entry.split_once(':').map(|(key, _)| key.trim_matches('"').to_owned());
    inside.split(',').filter_map(key).collect()
}

fn call(tool: &Value) -> Value {
    json!({"id": "c1", "host_name": "host_tool", "tool": tool})
}

fn before(tool: &Value) -> Envelope {
    common::envelope(&json!({"tool.before": {"call": call(tool)}}).to_string())
}

fn result(tool: &Value, output: &Value) -> Envelope {
    common::envelope(&json!({"tool.result": {"call": call(tool), "output": output}}).to_string())
}

const EVENTS: [(&str, &str); 12] = [
    ("PreToolUse", "turn_id transcript_path cwd hook_event_name model permission_mode"),
    ("PermissionRequest", "turn_id transcript_path cwd hook_event_name model permission_mode"),
    ("PostToolUse", "turn_id transcript_path cwd hook_event_name model permission_mode"),
    ("PreCompact", "turn_id transcript_path cwd hook_event_name model"),
    ("PostCompact", "turn_id transcript_path cwd hook_event_name model"),
    ("SessionStart", "transcript_path cwd hook_event_name model permission_mode"),
    ("SessionEnd", "transcript_path cwd hook_event_name"),
    ("UserPromptSubmit", "turn_id transcript_path cwd hook_event_name model permission_mode"),
    ("SubagentStart", "turn_id transcript_path cwd hook_event_name model permission_mode"),
    ("SubagentStop", "turn_id transcript_path cwd hook_event_name model permission_mode"),
    ("Stop", "turn_id transcript_path cwd hook_event_name model permission_mode"),
    ("Interrupt", "turn_id transcript_path cwd hook_event_name model permission_mode"),
];

/// CDX-ENC-03, CDX-ENC-05, CDX-ENC-07, CDX-ENC-18: an event handed a payload it is not about.
#[test]
fn only_the_prefix_is_written() {
    let foreign = common::envelope(r#"{"file.read":{"path":"a","content":"x"}}"#);
    for (event, prefix) in EVENTS {
        for fidelity in Fidelity::ALL {
            let (mut out, host, state) = (Vec::new(), acme(), SessionState::new());
            let codex = Codex::with_fidelity(fidelity);
            let occasion = Occasion::new(&foreign, &host, &state);
            assert_eq!(codex.encode(codex.event(event).unwrap(), occasion, &mut out), []);
            let expected: Vec<&str> = ["session_id"].into_iter().chain(prefix.split(' ')).collect();
            assert_eq!(keys(std::str::from_utf8(&out).unwrap()), expected, "{event}");
        }
    }
    let stop = common::envelope(r#"{"subagent.stop":{"id":"a","kind":"k"}}"#);
    assert_eq!(stdin("SubagentStart", &stop).get("agent_id"), None);
}

/// CDX-ENC-09, CDX-ENC-10, CDX-ENC-11, CDX-ENC-12, CDX-ENC-13, CDX-ENC-14, CDX-ENC-15: what each event
/// says of its own, behind the prefix; of SubagentStop one key stands within it.
#[test]
fn each_event_has_its_own_fields() {
    let call = r#""call":{"id":"c1","host_name":"h","tool":{"shell":{"command":"ls","description":"d"}}}"#;
    let (named, kind) = (r#""tool_name":"Bash","tool_input":{"command":"ls"}"#, r#""agent_id":"a","agent_type":"k""#);
    for (event, payload, own) in [
        ("SessionStart", r#"{"session.start":{"source":"fork"}}"#.to_owned(), r#""source":"fork""#.to_owned()),
        ("SessionEnd", r#"{"session.end":{"reason":"logout"}}"#.into(), r#""reason":"other""#.into()),
        ("UserPromptSubmit", r#"{"prompt.submit":{"prompt":"p"}}"#.into(), r#""prompt":"p""#.into()),
        ("Interrupt", r#"{"turn.interrupt":{}}"#.into(), String::new()),
        ("PreCompact", r#"{"compact.before":{"trigger":"auto"}}"#.into(), r#""trigger":"auto""#.into()),
        ("PostCompact", r#"{"compact.after":{"trigger":"manual"}}"#.into(), r#""trigger":"manual""#.into()),
        ("PreToolUse", format!(r#"{{"tool.before":{{{call}}}}}"#), format!(r#"{named},"tool_use_id":"c1""#)),
        (
            "PostToolUse",
            format!(r#"{{"tool.result":{{{call},"output":{{"text":"T"}}}}}}"#),
            format!(r#"{named},"tool_response":"T","tool_use_id":"c1""#),
        ),
        (
            "PermissionRequest",
            format!(r#"{{"tool.permission":{{{call}}}}}"#),
            r#""tool_name":"Bash","tool_input":{"command":"ls","description":"d"}"#.into(),
        ),
        ("SubagentStart", r#"{"subagent.start":{"id":"a","kind":"k","task":"t"}}"#.into(), kind.into()),
        (
            "SubagentStop",
            r#"{"subagent.stop":{"id":"a","kind":"k","last_message":"m"}}"#.into(),
            format!(r#""stop_hook_active":false,{kind},"last_assistant_message":"m""#),
        ),
        ("Stop", r#"{"turn.stop":{}}"#.into(), r#""stop_hook_active":false,"last_assistant_message":null"#.into()),
    ] {
        let (stdin, _) = encoded(event, &common::envelope(&payload), &SessionState::new());
        let (_, prefix) = EVENTS.iter().find(|(name, _)| *name == event).unwrap();
        let last = prefix.rsplit(' ').next().unwrap();
        let behind = stdin.split_once(&format!(r#""{last}":"#)).unwrap().1;
        let behind = behind.split_once('"').unwrap().1.split_once('"').unwrap().1;
        let own = if own.is_empty() { own } else { format!(",{own}") };
        assert_eq!(behind, format!("{own}}}"), "{event}: {stdin}");
        let within = r#""transcript_path":null,"agent_transcript_path":null,"cwd""#;
        assert_eq!(stdin.contains(within), event == "SubagentStop", "{stdin}");
        assert_eq!(stdin.contains("agent_transcript_path"), event == "SubagentStop", "{stdin}");
    }
    let started = common::envelope(r#"{"subagent.start":{"id":"a","kind":"k","task":"t","transcript":"/its.jsonl"}}"#);
    assert_eq!(stdin("SubagentStart", &started)["transcript_path"], "/its.jsonl");
}

/// CDX-ENC-18, CDX-EVT-06, CDX-EVT-07: nor does an event say what it is about of an occurrence that
/// is another, or none.
#[test]
fn what_is_not_the_event_is_not_told() {
    let shell = json!({"shell": {"command": "ls"}});
    let mcp = json!({"mcp": {"server": "s", "tool": "t", "arguments": {}}});
    let mut inside = common::envelope(r#"{"turn.stop":{}}"#);
    inside.agent = Some(Agent::new("a1"));
    for (event, envelope) in [
        ("PostToolUse", result(&shell, &json!({"shell": {"combined": "x", "state": "background"}}))),
        ("PostToolUse", result(&mcp, &json!({"mcp": {"result": {"content": []}, "is_error": true}}))),
        ("Stop", common::envelope(r#"{"turn.stop":{"end":"aborted"}}"#)),
        ("Stop", inside),
    ] {
        let (_, prefix) = EVENTS.iter().find(|(name, _)| *name == event).unwrap();
        let expected: Vec<&str> = ["session_id"].into_iter().chain(prefix.split(' ')).collect();
        assert_eq!(keys(&encoded(event, &envelope, &SessionState::new()).0), expected, "{event}");
    }
    let exit = result(&shell, &json!({"shell": {"combined": "x", "exit_code": 3}}));
    assert_eq!(stdin("PostToolUse", &exit)["tool_response"], "x");
}

/// CDX-TOOL-02, CDX-TOOL-05: the keys of each tool, in order, and nothing else of it.
#[test]
fn inputs_of_tools() {
    let input = |event: &str, boundary: &str, tool: &str| {
        let call = format!(r#"{{"id":"c1","host_name":"h","tool":{tool}}}"#);
        let envelope = common::envelope(&format!(r#"{{"{boundary}":{{"call":{call}}}}}"#));
        let (stdin, _) = encoded(event, &envelope, &SessionState::new());
        let input = stdin.split_once(r#""tool_input":"#).unwrap().1;
        let input = input.strip_suffix('}').unwrap();
        input.strip_suffix(r#","tool_use_id":"c1""#).unwrap_or(input).to_owned()
    };
    let shell = r#"{"shell":{"command":"ls","cwd":"/tmp","timeout_ms":5,"description":"d","sandboxed":true}}"#;
    for (tool, shown) in [
        (shell, r#"{"command":"ls"}"#),
        (
            r#"{"task":{"kind":"k","prompt":"p","description":"d","model":"m"}}"#,
            r#"{"message":"p","agent_type":"k","model":"m"}"#,
        ),
        (r#"{"task":{"kind":"","prompt":"p"}}"#, r#"{"message":"p"}"#),
        (r#"{"mcp":{"server":"s","tool":"t","arguments":{"b":1,"a":2.0}}}"#, r#"{"b":1,"a":2.0}"#),
        (r#"{"read":{"path":"f","offset":1,"limit":2}}"#, r#"{"file_path":"f","offset":1,"limit":2}"#),
        (
            r#"{"grep":{"pattern":"x","path":"f","glob":"*.rs","output_mode":"content"}}"#,
            r#"{"pattern":"x","file_path":"f","glob":"*.rs","output_mode":"content"}"#,
        ),
        (r#"{"glob":{"pattern":"x","path":"f"}}"#, r#"{"pattern":"x","file_path":"f"}"#),
        (r#"{"list":{"path":"f","ignore":["g"]}}"#, r#"{"file_path":"f","ignore":["g"]}"#),
        (r#"{"web_fetch":{"url":"u","prompt":"p"}}"#, r#"{"url":"u","prompt":"p"}"#),
        (r#"{"web_search":{"query":"q"}}"#, r#"{"query":"q"}"#),
        (r#"{"mcp_resource":{"server":"s","uri":"u","name":"n"}}"#, r#"{"server":"s","uri":"u","name":"n"}"#),
        (r#"{"other":{"z":[1,"x"],"y":null}}"#, r#"{"z":[1,"x"],"y":null}"#),
    ] {
        assert_eq!(input("PreToolUse", "tool.before", tool), shown, "{tool}");
    }
    for (tool, shown) in
        [(shell, r#"{"command":"ls","description":"d"}"#), (r#"{"shell":{"command":"ls"}}"#, r#"{"command":"ls"}"#)]
    {
        assert_eq!(input("PermissionRequest", "tool.permission", tool), shown, "{tool}");
    }
}

/// CDX-ENC-06: which events name the subagent they happen in, between `turn_id` and `transcript_path`.
#[test]
fn six_events_name_the_subagent() {
    let naming = ["PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "UserPromptSubmit"];
    let foreign = common::envelope(r#"{"file.read":{"path":"a"}}"#);
    let envelope = foreign.agent(Agent::new("a1"));
    for (event, prefix) in EVENTS {
        let (stdin, _) = encoded(event, &envelope, &SessionState::new());
        let named = prefix.replace("turn_id", "turn_id agent_id agent_type");
        let prefix = if naming.contains(&event) { named.as_str() } else { prefix };
        let expected: Vec<&str> = ["session_id"].into_iter().chain(prefix.split(' ')).collect();
        assert_eq!(keys(&stdin), expected, "{event}");
        assert_eq!(stdin.contains(r#""agent_type":"default""#), naming.contains(&event), "{event}");
    }
}

/// CDX-ENC-04, CDX-ENC-07: nothing known of a session.
#[test]
fn what_is_unknown_is_said_so() {
    let prompt = common::envelope(r#"{"prompt.submit":{"prompt":"hello"}}"#);
    let (stdin, _) = encoded("UserPromptSubmit", &prompt, &SessionState::new());
    let expected = r#"{"session_id":"s1","turn_id":"","transcript_path":null,"cwd":"/home/dev/project","hook_event_name":"UserPromptSubmit","model":"","permission_mode":"default","prompt":"hello"}"#;
    assert_eq!(stdin, expected);
}

/// CDX-ENC-16: another vendor's continuations do not count.
#[test]
fn a_stop_hook_is_active_once_this_vendors_hooks_made_the_agent_go_on() {
    let stop = common::envelope(r#"{"turn.stop":{}}"#);
    let subagent = common::envelope(r#"{"subagent.stop":{"id":"a","kind":"k"}}"#);
    for (continuations, active) in [
        (Continuations::default(), false),
        (Continuations::by(CODEX, 1), true),
        (Continuations::by(CODEX, 7), true),
        (Continuations::by(Vendor::new("another"), 1), false),
    ] {
        let mut state = SessionState::new();
        state.continuations = continuations;
        for (event, envelope) in [("Stop", &stop), ("SubagentStop", &subagent)] {
            let (stdin, _) = encoded(event, envelope, &state);
            assert!(stdin.contains(&format!(r#""stop_hook_active":{active}"#)), "{event}: {stdin}");
        }
    }
}

/// CDX-ENC-08: where the command runs, never where it could not.
#[test]
fn a_working_directory_of_a_command_is_shown() {
    for (cwd, shown) in [
        (json!("/tmp"), "/tmp"),
        (json!("web/app"), "/home/dev/project/web/app"),
        (json!(""), "/home/dev/project"),
        (json!(null), "/home/dev/project"),
    ] {
        let shell = json!({"shell": {"command": "pwd", "cwd": cwd}});
        assert_eq!(stdin("PreToolUse", &before(&shell))["cwd"], shown, "{cwd}");
        assert_eq!(stdin("PostToolUse", &result(&shell, &json!({"text": ""})))["cwd"], shown, "{cwd}");
    }
}

/// CDX-ENC-02: JSON the host has from somewhere is written as this program would write it, so that
/// no two readers of it can disagree.
#[test]
fn a_hosts_json_is_written_plainly() {
    let odd = r#"{"command":"rm","n":1.50,"s":"caf\u00e9\/\u001F","command":"ls","in":[{"a":1,"a":2}]}"#;
    let plain = "{\"command\":\"ls\",\"n\":1.50,\"s\":\"café/\\u001f\",\"in\":[{\"a\":2}]}";
    let extra = r#"{"why":"\u0041","command":"hidden"}"#;
    for (tool, further) in [
        (format!(r#"{{"other":{odd}}}"#), ""),
        (format!(r#"{{"mcp":{{"server":"s","tool":"t","arguments":{odd}}}}}"#), ""),
        (format!(r#"{{"other":{odd}}}"#), extra),
    ] {
        let further = if further.is_empty() { "{}" } else { further };
        let call = format!(r#"{{"id":"c1","host_name":"deploy","tool":{tool},"extra":{further}}}"#);
        let envelope = common::envelope(&format!(r#"{{"tool.before":{{"call":{call}}}}}"#));
        let (stdin, _) = encoded("PreToolUse", &envelope, &SessionState::new());
        let shown = if further == "{}" { plain.to_owned() } else { plain.replace("]}", r#"],"why":"A"}"#) };
        assert!(stdin.contains(&format!(r#""tool_input":{shown},"#)), "{stdin}");
        let output = format!(r#"{{"tool.result":{{"call":{call},"output":{{"json":{odd}}}}}}}"#);
        let (stdin, _) = encoded("PostToolUse", &common::envelope(&output), &SessionState::new());
        assert!(stdin.contains(&format!(r#""tool_response":{plain},"#)), "{stdin}");
    }
}

/// CDX-TOOL-06: a key of the tool's own is the tool's, shown or not.
#[test]
fn no_key_of_an_input_stands_twice() {
    let extra = json!({"file_path": "x", "offset": "y", "message": "z", "agent_type": "w", "more": 1});
    for (tool, shown) in [
        (json!({"read": {"path": "a"}}), json!({"file_path": "a", "message": "z", "agent_type": "w", "more": 1})),
        (
            json!({"task": {"kind": "", "prompt": "p"}}),
            json!({"message": "p", "file_path": "x", "offset": "y", "more": 1}),
        ),
        (json!({"shell": {"command": "c"}}), json!({"command": "c"})),
        (json!({"delete": {"path": "a"}}), json!({"command": "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"})),
    ] {
        let mut call = call(&tool);
        call["extra"] = extra.clone();
        let envelope = common::envelope(&json!({"tool.before": {"call": call}}).to_string());
        assert_eq!(stdin("PreToolUse", &envelope)["tool_input"], shown, "{tool}");
    }
}

/// CDX-TOOL-03: on `PermissionRequest` one line end is cut from a patch's end, whichever it is.
#[test]
fn one_line_end_is_cut_from_a_patch() {
    for (text, cut) in [("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a", "a"), ("a\r", "a\r"), ("", "")] {
        let patch = json!({"patch": {"text": text}});
        let envelope = common::envelope(&json!({"tool.permission": {"call": call(&patch)}}).to_string());
        assert_eq!(stdin("PermissionRequest", &envelope)["tool_input"]["command"], cut, "{text:?}");
        assert_eq!(stdin("PreToolUse", &before(&patch))["tool_input"]["command"], text, "{text:?}");
    }
}

/// CDX-TOOL-07: the files of a patch in its order; those the host knows where it names none.
#[test]
fn a_patch_that_was_applied_says_which_files() {
    let head = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n";
    for (patch, files) in [
        (
            json!({"text": "*** Begin Patch\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n*** Delete File: d\n*** Add File: a\n*** End Patch"}),
            "M b\nD d\nA a\n",
        ),
        (json!({"text": "--- a/a.txt\n+++ b/a.txt\n", "paths": ["a.txt", "b.txt"]}), "M a.txt\nM b.txt\n"),
        (json!({"text": ""}), ""),
    ] {
        let result = result(&json!({"patch": patch}), &json!({"text": "done"}));
        assert_eq!(stdin("PostToolUse", &result)["tool_response"], format!("{head}{files}"), "{patch}");
    }
}

/// A large text is written once, whole, as itself and as a part of another.
#[test]
fn large_texts_go_through() {
    let text = "größe \"x\"\n".repeat(50_000);
    let write = before(&json!({"write": {"path": "a", "content": text}}));
    let command = stdin("PreToolUse", &write)["tool_input"]["command"].as_str().unwrap().to_owned();
    assert_eq!(command.matches("\n+größe \"x\"").count(), 50_000);
    let shell = json!({"shell": {"command": "cat a"}});
    let both = result(&shell, &json!({"shell": {"stdout": text, "stderr": text}}));
    assert_eq!(stdin("PostToolUse", &both)["tool_response"], text.repeat(2));
}

/// CDX-ENC-18: a path that is no text is null, and a note names the field; the rest is written.
#[cfg(unix)]
#[test]
fn what_no_json_can_hold_is_null_and_a_note() {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt, path::PathBuf, sync::Arc};

    use harness_hooks_core::{
        Payload, Read, Session, SubagentStop, Text, ToolBefore, ToolCall, ToolOutput, ToolResult, TurnStop, Write,
    };

    let path = || PathBuf::from(OsString::from_vec(b"/home/dev/\xff.txt".to_vec()));
    let session = || Session::new("s1", "/home/dev/project");
    let envelope = |session: Session, payload: Payload| Envelope::new("e1", 0, Arc::new(session), payload);
    let write = || ToolCall::new("c1", "write", Write::new(path(), "secret"));
    let read = ToolCall::new("c1", "read_file", Read::new(path()));
    let cases: [(&str, Envelope, &[&str]); 5] = [
        ("PreToolUse", envelope(session(), ToolBefore::new(write()).into()), &["/tool_input/command"]),
        ("PreToolUse", envelope(session(), ToolBefore::new(read).into()), &["/tool_input/file_path"]),
        (
            "PostToolUse",
            envelope(session(), ToolResult::new(write(), ToolOutput::Text(Text::default())).into()),
            &["/tool_input/command", "/tool_response"],
        ),
        (
            "SubagentStop",
            envelope(session(), SubagentStop::new("a", "k").transcript(path()).into()),
            &["/agent_transcript_path"],
        ),
        (
            "Stop",
            envelope(Session::new("s1", path()).transcript(path()), TurnStop::new().into()),
            &["/transcript_path", "/cwd"],
        ),
    ];
    for (event, envelope, lost) in cases {
        let (stdin, notes) = encoded(event, &envelope, &SessionState::new());
        let stdin: Value = serde_json::from_str(&stdin).unwrap();
        assert_eq!(stdin["hook_event_name"], event);
        assert_eq!(notes.len(), lost.len(), "{notes:?}");
        for (pointer, note) in lost.iter().zip(&notes) {
            let key = pointer.rsplit('/').next().unwrap_or_default();
            assert_eq!(stdin.pointer(pointer), Some(&Value::Null), "{pointer}");
            assert_eq!((note.severity, note.message.contains(&format!("`{key}`"))), (Severity::Note, true), "{note}");
        }
    }
}
