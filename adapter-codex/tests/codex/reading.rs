//! Standard input read back into an envelope: everything the program was seen to write, and what the
//! bytes alone do not show.

use std::{collections::BTreeSet, fs, path::PathBuf};

use harness_hooks_codex::{CODEX, Codex};
use harness_hooks_core::{
    Adapter, EventId, Fidelity, Json, Occasion, Payload, Reading, SessionState, Targets, Tool, ToolOutput,
    testing::{acme, generate::envelope},
};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::of;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The documents of a folder, by name without `.json`.
fn documents(folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(of("codex").join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let document = |path: PathBuf| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap());
    paths.into_iter().map(document).filter(|(name, _)| name != "trust-hash").collect()
}

fn recorded(name: &str) -> Vec<u8> {
    fs::read(of("codex").join("recorded").join(format!("{name}.json"))).unwrap()
}

fn written(adapter: &dyn Adapter, event: EventId, reading: &Reading) -> String {
    let (mut out, host) = (Vec::new(), acme());
    adapter.encode(event, Occasion::new(&reading.envelope, &host, &reading.state), &mut out);
    String::from_utf8(out).unwrap()
}

fn again(reading: &Reading) -> String {
    written(&Codex::new(), reading.event, reading)
}

/// CDX-READ-01, CDX-READ-02: without exception.
#[test]
fn each_recorded_document_is_written_again_as_it_was() {
    let documents = documents("recorded");
    assert_eq!(documents.len(), 40);
    let mut events = BTreeSet::new();
    for (name, document) in &documents {
        for fidelity in Fidelity::ALL {
            let codex = Codex::with_fidelity(fidelity);
            let reading = codex.read(document).unwrap_or_else(|error| panic!("{name}: {error}"));
            let event = codex.events()[reading.event.index()].name;
            assert!(name.starts_with(event), "{name} reads as {event}");
            assert_eq!(reading.ignored, [""; 0], "{name}");
            let document = std::str::from_utf8(document).unwrap();
            assert_eq!(written(&codex, reading.event, &reading), document, "{name}");
            events.insert(event);
        }
    }
    assert_eq!(events.len(), 12, "every event was recorded: {events:?}");
}

/// CDX-READ-01, CUR-TOOL-01 to CUR-TOOL-03: one document for each tool, as hooks of another vendor
/// would see the same moment.
#[test]
fn each_tool_is_shown_to_another_vendors_hooks() {
    let goldens = documents("as-cursor");
    assert!(goldens.len() >= 10, "{} documents", goldens.len());
    for (name, golden) in goldens {
        let reading = Codex::new().read(&recorded(&name)).unwrap();
        let event = if name.starts_with("PreToolUse") { "preToolUse" } else { "postToolUse" };
        let stdin = written(&Cursor::new(), Cursor::new().event(event).unwrap(), &reading);
        assert_eq!(stdin, String::from_utf8(golden).unwrap(), "{name}");
    }
}

/// CDX-READ-04: what each tool that was seen is in no vendor's words.
#[test]
fn each_recorded_tool_is_a_neutral_one() {
    for (name, tool) in [
        ("PreToolUse.Bash.workdir", json!({"shell": {"command": "pwd"}})),
        (
            "PermissionRequest.Bash",
            json!({"shell": {"command": "touch made; echo hi", "description": "because I need it"}}),
        ),
        ("PreToolUse.mcp__srv__echo", json!({"mcp": {"server": "srv", "tool": "echo", "arguments": {"text": "yo"}}})),
        ("PreToolUse.spawn_agent", json!({"task": {"kind": "", "prompt": "CHILDTASK please"}})),
        ("PreToolUse.get_goal", json!({"other": {}})),
        ("PreToolUse.view_image", json!({"other": {"path": "old.txt"}})),
        (
            "PermissionRequest.apply_patch",
            json!({"patch": {
                "text": "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Update File: old.txt\n@@\n-old\n+newer\n*** End Patch",
                "paths": ["new.txt", "old.txt"],
            }}),
        ),
    ] {
        let mut reading = Codex::new().read(&recorded(name)).unwrap();
        let expected: Tool = serde_json::from_value(tool).unwrap();
        match &mut reading.envelope.payload {
            Payload::ToolBefore(before) => assert_eq!(before.call.tool, expected, "{name}"),
            Payload::ToolPermission(permission) => assert_eq!(permission.call.tool, expected, "{name}"),
            payload => panic!("{name}: {payload:?}"),
        }
    }
}

/// A document with one event's head and these keys of its own.
fn document(event: &str, own: &Value) -> Value {
    let mut document = json!({
        "session_id": "s1", "turn_id": "t1", "transcript_path": null, "cwd": "/home/dev/project",
        "hook_event_name": event, "model": "m", "permission_mode": "default",
    });
    for (key, value) in own.as_object().unwrap() {
        document[key] = value.clone();
    }
    document
}

fn read(document: &Value) -> Reading {
    Codex::new().read(document.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}: {document}"))
}

fn tool_of(name: &str, input: &Value) -> Reading {
    read(&document("PreToolUse", &json!({"tool_name": name, "tool_input": input, "tool_use_id": "c1"})))
}

/// CDX-READ-04: an input that is not in its tool's form is another tool's, and comes back as it was.
#[test]
fn an_input_in_another_form_is_another_tools() {
    for (name, input, kind) in [
        ("Bash", json!({"command": "ls"}), "shell"),
        ("Bash", json!({"command": ["ls"]}), "other"),
        ("Bash", json!({}), "other"),
        ("Bash", json!("ls"), "other"),
        ("bash", json!({"command": "ls"}), "other"),
        ("apply_patch", json!({"command": "no patch"}), "patch"),
        ("apply_patch", json!({"input": "x"}), "other"),
        ("apply_patch", json!({"command": null}), "other"),
        ("spawn_agent", json!({"message": "m"}), "task"),
        ("spawn_agent", json!({"message": 5}), "other"),
        ("spawn_agent", json!({"message": "m", "agent_type": ""}), "other"),
        ("spawn_agent", json!({"message": "m", "model": null}), "other"),
        ("mcp__srv__echo", json!([1]), "mcp"),
        ("mcp__srv__echo__twice", json!({}), "mcp"),
        ("mcp___srv__echo", json!({}), "mcp"),
        ("mcp__my-srv__echo", json!({}), "other"),
        ("mcp__srv", json!({}), "other"),
        ("mcp____echo", json!({}), "other"),
        ("mcp__srv__", json!({}), "other"),
        ("mcp__é__echo", json!({}), "other"),
    ] {
        let reading = tool_of(name, &input);
        let call = reading.envelope.payload.call().unwrap();
        assert_eq!(call.tool.kind(), kind, "{name} {input}");
        assert_eq!((call.host_name.as_str(), reading.ignored.len()), (name, 0), "{name} {input}");
        let stdin: Value = serde_json::from_str(&again(&reading)).unwrap();
        assert_eq!((&stdin["tool_name"], &stdin["tool_input"]), (&json!(name), &input), "{name} {input}");
    }
}

/// CDX-READ-02: the order of keys is part of it.
#[test]
fn a_task_whose_keys_stand_otherwise_comes_back_as_it_was() {
    for (input, kind) in [
        (r#"{"message":"m","agent_type":"explorer","model":"x","fork":true}"#, "task"),
        (r#"{"agent_type":"explorer","message":"m"}"#, "other"),
        (r#"{"message":"m","fork":true,"model":"x"}"#, "other"),
    ] {
        let head = document("PreToolUse", &json!({"tool_name": "spawn_agent", "tool_use_id": "c1", "tool_input": 0}));
        let stdin = head.to_string().replace(r#""tool_input":0"#, &format!(r#""tool_input":{input}"#));
        let reading = Codex::new().read(stdin.as_bytes()).unwrap();
        assert_eq!(reading.envelope.payload.call().unwrap().tool.kind(), kind, "{input}");
        assert!(again(&reading).contains(&format!(r#""tool_input":{input},"#)), "{input}");
    }
}

/// CDX-READ-04, CDX-TOOL-10: the files of a patch are those it names, each once.
#[test]
fn the_files_of_a_patch_are_read_from_it() {
    for (text, paths) in [
        (
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-*** Add File: no\n+x\n*** Delete File: a\n*** End Patch",
            vec!["a", "b"],
        ),
        ("*** Begin Patch\r\n*** Add File: c d \r\n+x\r\n*** Add File: \r\n*** End Patch\r\n", vec!["c d"]),
        (" *** Add File: a\n+*** Add File: b\n", vec![]),
    ] {
        let reading = tool_of("apply_patch", &json!({"command": text}));
        let Tool::Patch(patch) = &reading.envelope.payload.call().unwrap().tool else { panic!("{text}") };
        assert_eq!((patch.text.as_str(), &patch.paths), (text, &paths.iter().map(PathBuf::from).collect()), "{text}");
    }
}

/// CDX-TOOL-07, CDX-READ-02: what came back, as what it says it is.
#[test]
fn responses_are_neutral_outputs() {
    for (name, input, response, output) in [
        ("Bash", json!({"command": "ls"}), json!("a\n"), json!({"shell": {"combined": "a\n"}})),
        ("Bash", json!({"command": "ls"}), json!({"a": 1}), json!({"json": {"a": 1}})),
        ("apply_patch", json!({"command": "x"}), json!("Exit code: 0\n"), json!({"json": "Exit code: 0\n"})),
        ("mcp__a__b", json!({}), json!({"content": []}), json!({"mcp": {"result": {"content": []}}})),
        (
            "mcp__a__b",
            json!({}),
            json!({"isError": true}),
            json!({"mcp": {"result": {"isError": true}, "is_error": true}}),
        ),
        ("get_goal", json!({}), json!("x"), json!({"text": "x"})),
        ("get_goal", json!({}), json!(null), json!({"json": null})),
    ] {
        let own = json!({"tool_name": name, "tool_input": input, "tool_response": response, "tool_use_id": "c1"});
        let reading = read(&document("PostToolUse", &own));
        let expected: ToolOutput = serde_json::from_value(output).unwrap();
        assert_eq!(reading.envelope.payload.output(), Some(&expected), "{name} {response}");
        let stdin: Value = serde_json::from_str(&again(&reading)).unwrap();
        // what says that it failed is no event of Codex's, and is not written (CDX-EVT-06)
        let written = response != json!({"isError": true});
        assert_eq!(stdin.get("tool_response"), written.then_some(&response), "{name}");
    }
}

/// CDX-READ-01, CDX-ENC-16
#[test]
fn the_state_is_read_where_it_shows() {
    for active in [false, true] {
        let own = json!({"stop_hook_active": active, "last_assistant_message": null});
        let reading = read(&document("Stop", &own));
        assert_eq!(reading.state.continuations.of(&CODEX) > 0, active);
        assert_eq!(reading.state.continuations.total > 0, active);
        assert!(again(&reading).contains(&format!(r#""stop_hook_active":{active}"#)));
    }
    assert_eq!(Codex::new().read(&recorded("UserPromptSubmit")).unwrap().state, SessionState::new());
}

/// CDX-ENC-06, CDX-ENC-13: whose transcript it is depends on where it happens.
#[test]
fn a_transcript_belongs_to_whom_the_event_says() {
    let of = |name: &str| {
        let envelope = Codex::new().read(&recorded(name)).unwrap().envelope;
        let started = match &envelope.payload {
            Payload::SubagentStart(start) => start.transcript.is_some(),
            Payload::SubagentStop(stop) => stop.transcript.is_some(),
            _ => false,
        };
        (envelope.session.transcript.is_some(), envelope.agent.is_some_and(|agent| agent.transcript.is_some()), started)
    };
    assert_eq!(of("PreToolUse.Bash"), (true, false, false));
    assert_eq!(of("PreToolUse.Bash.subagent"), (false, true, false));
    assert_eq!(of("UserPromptSubmit.subagent"), (false, true, false));
    assert_eq!(of("SubagentStart"), (false, false, true));
    assert_eq!(of("SubagentStop"), (true, false, true));
}

/// CDX-ENC-04, CDX-ENC-05: empty is unknown.
#[test]
fn empty_texts_say_nothing() {
    let own =
        json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c1", "turn_id": "", "model": ""});
    let reading = read(&document("PreToolUse", &own));
    assert_eq!((&reading.envelope.turn, &reading.envelope.session.model), (&None, &None));
    assert_eq!(reading.envelope.id, "s1");
}

/// CDX-READ-01: as PowerShell pipes it, and as an editor saves it.
#[test]
fn a_byte_order_mark_and_a_line_end_are_fine() {
    let document = recorded("Stop");
    let marked = ["\u{feff}".as_bytes(), &document, b"\r\n"].concat();
    assert_eq!(Codex::new().read(&marked), Codex::new().read(&document));
}

/// CDX-READ-03
#[test]
fn what_is_no_standard_input_is_said() {
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c1"});
    let without = |event: &str, own: &Value, key: &str| {
        let mut document = document(event, own);
        document.as_object_mut().unwrap().remove(key);
        document.to_string()
    };
    let with = |event: &str, own: Value| document(event, &own).to_string();
    for (stdin, what) in [
        (String::new(), "not JSON"),
        ("{".to_owned(), "not JSON"),
        ("[]".to_owned(), "not a JSON object"),
        ("{}".to_owned(), "`hook_event_name` is missing"),
        (r#"{"hook_event_name":5}"#.to_owned(), "`hook_event_name` must be text, not 5"),
        (r#"{"hook_event_name":"preToolUse"}"#.to_owned(), "no such event"),
        (without("PreToolUse", &bash, "session_id"), "`session_id` is missing"),
        (without("PreToolUse", &bash, "turn_id"), "`turn_id` is missing"),
        (without("PreToolUse", &bash, "transcript_path"), "`transcript_path` is missing"),
        (without("PreToolUse", &bash, "cwd"), "`cwd` is missing"),
        (without("PreToolUse", &bash, "model"), "`model` is missing"),
        (without("PreToolUse", &bash, "permission_mode"), "`permission_mode` is missing"),
        (without("PreToolUse", &bash, "tool_name"), "`tool_name` is missing"),
        (without("PreToolUse", &bash, "tool_input"), "`tool_input` is missing"),
        (without("PreToolUse", &bash, "tool_use_id"), "`tool_use_id` is missing"),
        (without("PostToolUse", &bash, "none"), "`tool_response` is missing"),
        (with("Stop", json!({"cwd": null})), "`cwd` must be a path, not null"),
        (with("Stop", json!({"transcript_path": 5})), "`transcript_path` must be a path, not 5"),
        (with("Stop", json!({"stop_hook_active": "no"})), "`stop_hook_active` must be true or false"),
        (with("Stop", json!({"stop_hook_active": true})), "`last_assistant_message` is missing"),
        (with("UserPromptSubmit", json!({"prompt": null})), "`prompt` must be text, not null"),
        (with("UserPromptSubmit", json!({"prompt": "x", "agent_id": "a"})), "`agent_type` is missing"),
        (with("PreCompact", json!({"trigger": "often"})), "`trigger` must be `manual` or `auto`, not \"often\""),
        (with("SessionStart", json!({"source": 1})), "`source` must be `startup`"),
        (with("SessionEnd", json!({"reason": "clear"})), "`reason` must be `other`, not `clear`"),
        (with("SubagentStart", json!({"agent_type": "default"})), "`agent_id` is missing"),
    ] {
        let error = Codex::new().read(stdin.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(what), "{stdin}: {error}");
    }
    assert!(Codex::new().read(b"{\"a\":\"\xff\"}").unwrap_err().to_string().contains("not UTF-8"));
}

/// CDX-READ-04: also a key that stands on other events only.
#[test]
fn a_key_that_no_envelope_holds_is_named() {
    let call = |name: &str, input: Value| json!({"tool_name": name, "tool_input": input, "tool_use_id": "c1"});
    for (event, own, ignored) in [
        ("UserPromptSubmit", json!({"prompt": "x", "later/key": 1}), vec!["/later~1key"]),
        ("Interrupt", json!({"reason": "user"}), vec!["/reason"]),
        (
            "Stop",
            json!({"stop_hook_active": false, "last_assistant_message": null, "agent_id": "a"}),
            vec!["/agent_id"],
        ),
        ("PreToolUse", call("Bash", json!({"command": "ls", "description": "d"})), vec!["/tool_input/description"]),
        ("PreToolUse", call("apply_patch", json!({"command": "x", "workdir": "/"})), vec!["/tool_input/workdir"]),
        (
            "PermissionRequest",
            call("Bash", json!({"command": "x", "description": 5})),
            vec!["/tool_use_id", "/tool_input/description"],
        ),
        ("SessionStart", json!({"source": "startup"}), vec!["/turn_id"]),
        ("PreCompact", json!({"trigger": "auto"}), vec!["/permission_mode"]),
        ("SessionEnd", json!({"reason": "other"}), vec!["/turn_id", "/model", "/permission_mode"]),
    ] {
        let mut named = read(&document(event, &own)).ignored;
        let mut expected = ignored;
        named.sort_unstable();
        expected.sort_unstable();
        assert_eq!(named, expected, "{event} {own}");
    }
}

/// CDX-READ-01: the turn's id stands for the envelope's, which is not shown.
#[test]
fn an_envelope_is_named_by_its_turn_or_its_session() {
    for (name, key) in [("PreToolUse.Bash", "turn_id"), ("SessionStart", "session_id")] {
        let document: Json = serde_json::from_slice(&recorded(name)).unwrap();
        let id = document.fields().unwrap().get(key).unwrap().text().unwrap();
        assert_eq!(Codex::new().read(&recorded(name)).unwrap().envelope.id, id, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// CDX-READ-02: whatever a host says, what hooks read of it comes back as the same bytes.
    #[test]
    fn what_we_wrote_is_written_again_as_it_was(envelope in envelope(), continued: bool) {
        let codex = Codex::new();
        let (host, mut state) = (acme(), SessionState::new());
        state.continuations.by_vendor.insert(CODEX, u32::from(continued));
        for (n, _) in (0..).zip(codex.events()) {
            if matches!(codex.targets(EventId(n), &envelope), Targets::NotThisEvent) {
                continue;
            }
            let mut stdin = Vec::new();
            codex.encode(EventId(n), Occasion::new(&envelope, &host, &state), &mut stdin);
            let reading = codex.read(&stdin).unwrap();
            prop_assert_eq!((reading.event, &reading.ignored), (EventId(n), &Vec::new()));
            prop_assert_eq!(again(&reading), String::from_utf8(stdin).unwrap());
        }
    }
}
