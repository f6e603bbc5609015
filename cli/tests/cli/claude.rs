//! Hooks of Claude Code: handlers that are no process, conditions, duplicates, hooks nobody waits for,
//! and settings of a session.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use crate::common::{Place, command_group, group, shell_envelope};
use serde_json::{Value, json};

/// A workspace with these settings, and an envelope of `ls -la`.
fn with(settings: &str) -> (Place, String) {
    let place = Place::new();
    place.write("workspace/.claude/settings.json", settings);
    let envelope = place.write("e.json", &shell_envelope("ls -la"));
    (place, envelope)
}

fn handlers() -> String {
    group(
        "PreToolUse",
        &json!([
            {"type": "command", "command": "echo git", "if": "Bash(git *)"},
            {"type": "command", "command": "exit 0", "if": "Bash(ls *)"},
            {"type": "http", "url": "http://127.0.0.1:9/x", "headers": {"Authorization": "Bearer secret"}},
            {"type": "prompt", "prompt": "Is this safe? $ARGUMENTS"},
            {"type": "mcp_tool", "server": "scanner", "tool": "scan", "input": {"line": "${tool_input.command}"}},
            {"type": "command", "command": "exit 0", "if": "Bash(ls *)"},
            {"type": "command", "command": "echo late", "async": true},
        ]),
    )
}

fn binding(n: usize) -> String {
    format!("claude:project/.claude/settings.json#PreToolUse[0][{n}]")
}

#[test]
fn plan_of_every_kind() {
    let (place, envelope) = with(&handlers());
    let plan = place.here(&["plan", "--envelope", &envelope, "--format", "json"]).json();
    let lines = plan["stages"][0].as_array().unwrap();
    let line = |n: usize| lines.iter().find(|line| line["binding"] == binding(n).as_str()).unwrap();
    let said = |n: usize| (line(n)["runs"].as_bool().unwrap(), line(n)["why"].as_str().unwrap());
    assert_eq!(said(0), (false, "its condition `Bash(git *)` does not hold"));
    let same = format!("{} is the same hook and runs in its place", binding(5));
    assert_eq!(said(1), (false, same.as_str()));
    assert_eq!(said(5), (true, "it is about every PreToolUse, and its condition `Bash(ls *)` holds"));
    assert_eq!(said(6), (true, "it is about every PreToolUse; nobody waits for it"));
    let http = json!({"url": "http://127.0.0.1:9/x", "headers": ["Authorization"], "timeout_ms": 600_000});
    assert_eq!(line(2)["launch"], http);
    let prompt = &line(3)["launch"]["call"]["prompt"];
    assert!(prompt["prompt"].as_str().unwrap().contains(r#""command":"ls -la""#), "{prompt}");
    let call = json!({"mcp_tool": {"server": "scanner", "tool": "scan", "input": {"line": "ls -la"}}});
    assert_eq!(line(4)["launch"]["call"], call);
    assert!(!plan.to_string().contains("secret"), "{plan}");

    let page = place.redacted(&place.here(&["plan", "--envelope", &envelope]).stdout);
    insta::assert_snapshot!("claude_plan", page);
    insta::assert_snapshot!("claude_list", place.redacted(&place.here(&["list"]).stdout));
    let hook = |n: usize| place.here(&["list", "--format", "json"]).json()["bindings"][n].clone();
    assert_eq!(hook(0)["condition"], "Bash(git *)");
    assert_eq!((&hook(6)["background"], &hook(2)["background"]), (&json!({"wakes": false}), &Value::Null));
}

/// What only a host can ask is said to have had no answer; the call goes on as the hook asked for.
#[test]
fn fire_where_nobody_answers() {
    let asked = json!([{"type": "prompt", "prompt": "Is this safe?"}]);
    let (place, envelope) = with(&group("PreToolUse", &asked));
    let page = place.here(&["fire", "--envelope", &envelope]).stdout;
    let said = "  prompt: Is this safe?\n    gave no answer: it is a call of the host's (`prompt`), and this host makes none for hooks; asks for nothing\n";
    assert!(page.contains(said), "{page}");
    assert_eq!(place.here(&["fire", "--envelope", &envelope]).code, 0);
    assert_eq!(place.here(&["fire", "--strict", "--envelope", &envelope]).code, 2);
    let fired = place.here(&["fire", "--envelope", &envelope, "--format", "json"]).json();
    let exit = &fired["stages"][0][0]["outcome"]["exit"];
    assert_eq!(exit["failed"], "is a call of the host's (`prompt`), and this host makes none for hooks");
}

#[test]
fn fire_asks_a_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"}") {
            let mut some = [0; 1024];
            let read = stream.read(&mut some).unwrap();
            request.extend_from_slice(&some[..read]);
        }
        let output = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "the server says no"});
        let body = json!({ "hookSpecificOutput": output }).to_string();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).unwrap();
        String::from_utf8_lossy(&request).into_owned()
    });
    let (place, envelope) = with(&group("PreToolUse", &json!([{"type": "http", "url": url}])));
    let fired = place.here(&["fire", "--envelope", &envelope]);
    assert_eq!(fired.code, 2, "{}", fired.stdout);
    assert!(fired.stdout.contains(&format!("  {url}\n")), "{}", fired.stdout);
    assert!(fired.stdout.contains("the server says no"), "{}", fired.stdout);
    assert!(server.join().unwrap().contains(r#""command":"ls -la""#));
}

/// They are not ended with the decision, and do not hold it up.
#[test]
fn fire_stays_for_hooks_nobody_waits_for() {
    let slow = json!([{"type": "command", "command": "sleep 0.3; touch was_here; echo '{\"systemMessage\":\"done\"}'", "async": true}]);
    for format in ["human", "json"] {
        let (place, envelope) = with(&group("PreToolUse", &slow));
        let fired = place.here(&["fire", "--envelope", &envelope, "--format", format]);
        assert_eq!(fired.code, 0, "{}", fired.stdout);
        assert!(place.path("workspace/was_here").exists(), "{}", fired.stdout);
        if format == "json" {
            assert_eq!(fired.json()["background"], json!([binding(0)]));
            assert_eq!(fired.json()["stages"], json!([]));
        } else {
            insta::assert_snapshot!("claude_fire_late", place.redacted(&fired.stdout));
        }
    }
}

#[test]
fn fire_explains() {
    let (place, envelope) = with(&handlers());
    let fired = place.here(&["fire", "--explain", "--envelope", &envelope, "--format", "json"]).json();
    let skipped = json!([
        {"binding": binding(0), "why": "its condition `Bash(git *)` does not hold"},
        {"binding": binding(1), "why": format!("{} is the same hook and runs in its place", binding(5))},
    ]);
    assert_eq!(fired["skipped"], skipped);
    let page = place.here(&["fire", "--explain", "--envelope", &envelope]).stdout;
    let said = format!("  echo git: not run, its condition `Bash(git *)` does not hold\n    hook  {}\n", binding(0));
    assert!(page.contains(&said), "{page}");
}

/// What a session is started with is read beside what is found, and is the user's own.
#[test]
fn settings_of_a_session() {
    let (place, envelope) = with(&command_group("PreToolUse", "exit 0"));
    let settings = place.write("given.json", &command_group("PreToolUse", "echo no >&2; exit 2"));
    let given = format!("claude:{settings}");
    let (cwd, home) = (place.path("workspace").display().to_string(), place.path("home").display().to_string());
    let run = |args: &[&str]| place.run([args, &["--cwd", &cwd, "--home", &home, "--settings", &given]].concat());
    for command in ["list", "check"] {
        let listed = run(&[command, "--format", "json"]).json();
        let ids: Vec<_> = listed["bindings"].as_array().unwrap().iter().map(|b| (&b["id"], &b["standing"])).collect();
        let session = json!("claude:session/--settings#PreToolUse[0][0]");
        let trusted = if command == "check" { "active" } else { "skipped" }; // `check` looks as if it were
        assert_eq!(ids, [(&json!(binding(0)), &json!(trusted)), (&session, &json!("active"))]);
    }
    assert_eq!(run(&["fire", "--envelope", &envelope]).code, 2);
    let planned = run(&["plan", "--envelope", &envelope, "--format", "json"]).json();
    assert_eq!(planned["stages"][0][1]["runs"], true, "{planned}");

    let with_config = place.run(["list", "--settings", &given, "--config", &given]);
    assert_eq!(with_config.code, 64);
    let cursor = place.run(["list", "--settings", &format!("cursor:{settings}")]);
    assert_eq!(cursor.code, 64);
    assert!(cursor.stderr.contains("a session of cursor is started with no hook files"), "{}", cursor.stderr);
    assert_eq!(place.run(["list", "--settings", "claude:nope.json"]).code, 65);
}

/// `decision-words`: the word is not Claude's, and means what its author meant by default.
#[test]
fn a_wrong_word_refuses_here_and_not_in_claude() {
    let answer = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"DENY"}}"#;
    let (place, envelope) = with(&command_group("PreToolUse", &format!("echo '{answer}'")));
    for (fidelity, code, verdict) in [("guarded", 2, json!("deny")), ("vendor", 0, Value::Null)] {
        let fired = place.here(&["fire", "--envelope", &envelope, "--fidelity", fidelity]);
        assert_eq!(fired.code, code, "{fidelity}: {}", fired.stdout);
        let args = ["decode", "--vendor", "claude", "--event", "PreToolUse", "--stdout", "-", "--format", "json"];
        let said = place.run_with(args.iter().chain(&["--fidelity", fidelity]), answer).json();
        assert_eq!(said["verdict"], verdict, "{fidelity}");
    }
}

/// `bad-entry`: one bad hook costs its file the others only in Claude's own way.
#[test]
fn a_bad_entry_costs_the_file_only_in_claude() {
    let bad = json!([{"type": "command", "command": "a"}, {"type": "command"}]);
    let (place, _) = with(&group("PreToolUse", &bad));
    for (fidelity, bindings) in [("guarded", 1), ("vendor", 0)] {
        let checked = place.here(&["check", "--fidelity", fidelity, "--format", "json"]);
        assert_eq!(checked.code, 1);
        assert_eq!(checked.json()["bindings"].as_array().unwrap().len(), bindings, "{fidelity}");
    }
}
