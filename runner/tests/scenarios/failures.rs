//! Guards that crash, are not there, or print something else than an answer: what failing open and
//! failing closed then mean, and what people are told.

use std::fs;

use harness_hooks_core::{
    Action, Envelope, FileRead, Host, Json, Mcp, PromptSubmit, SubagentStart, ToolBefore, ToolCall,
};
use harness_hooks_runner::Limits;
use serde_json::json;

use crate::scene::{ALLOW, Happened, Scene, USER, codes, fire, host};

/// What a guard does instead of deciding, and what it is said to have done.
struct Fault {
    line: String,
    said: &'static str,
    code: &'static str,
}

fn faults(scene: &Scene) -> Vec<Fault> {
    scene.write("bin/not-executable", "#!/bin/sh\n");
    let helper = scene.script("bin/helper", "[ -e /nowhere/state ] || exit 1\n");
    let failed = |line: String, said| Fault { line, said, code: "cursor/hook-failed" };
    vec![
        failed(helper, "exited with code 1"),
        failed("exit 255".into(), "exited with code 255"),
        failed(scene.at("bin/not-there"), "exited with code 127"),
        failed(scene.at("bin/not-executable"), "exited with code 126"),
        failed("kill -KILL $$".into(), "was killed by signal 9"),
        // what was printed before a crash is not read
        failed(format!("{ALLOW}; kill -SEGV $$"), "was killed by signal 11"),
        failed(r#"printf '{"permission":"deny"}'; exit 1"#.into(), "exited with code 1"),
        Fault { line: "true".into(), said: "printed nothing", code: "cursor/missing-decision" },
    ]
}

/// What is printed, and is no answer.
fn garbage() -> Vec<Fault> {
    let malformed = |line: String, said| Fault { line, said, code: "cursor/malformed-output" };
    vec![
        malformed("echo 'Segmentation fault (core dumped)'".into(), "is not JSON"),
        malformed("head -c 4096 /dev/zero".into(), "is not JSON"),
        // a stray line before the answer
        malformed(format!("echo checking; {ALLOW}"), "is not JSON"),
        malformed("echo '[]'".into(), "is not a JSON object"),
    ]
}

/// Events that decide, what a written reason calls the thing they decide about, and an occurrence.
fn guarded(scene: &Scene) -> [(&'static str, &'static str, Envelope); 6] {
    let query = Mcp::new("db", "query", Json::of(&json!({ "sql": "select 1" })));
    [
        ("preToolUse", "tool call", scene.shell("ls")),
        ("beforeShellExecution", "shell command", scene.shell("ls")),
        ("beforeMCPExecution", "MCP call", scene.envelope(ToolBefore::new(ToolCall::new("c2", "query", query)))),
        ("beforeReadFile", "file read", scene.envelope(FileRead::new("/etc/hosts").content(Some("text".into())))),
        ("subagentStart", "subagent", scene.envelope(SubagentStart::new("a1", "explore", "look around"))),
        ("beforeSubmitPrompt", "prompt", scene.envelope(PromptSubmit::new("hello"))),
    ]
}

/// Fires one occurrence at a guard with this fault, on a file of its own.
async fn with_fault(host: Host, event: &str, envelope: &Envelope, fault: &Fault, closed: bool) -> Happened {
    let hooks = json!({ event: [{ "command": fault.line, "failClosed": closed }] });
    let scene = Scene::with(&hooks);
    fire(&scene.dispatcher(host), envelope).await
}

/// A refusal that says what was refused by whom, which hook is to blame, and what it did.
fn assert_refused(happened: &Happened, noun: &str, fault: &Fault) {
    let reasons = happened.reasons();
    assert_eq!(happened.decision.action, Action::Deny, "{}", fault.line);
    for part in ["Acme", noun, fault.line.as_str(), fault.said] {
        assert!(reasons.contains(part), "`{part}` is not in: {reasons}");
    }
    assert!(!reasons.contains("Cursor"), "{reasons}");
    assert_eq!(codes(&happened.decision.diagnostics), [fault.code]);
}

/// CUR-OUT-06, CUR-OUT-07, CUR-OUT-09, CUR-OUT-13, CUR-OUT-54, CUR-OUT-55
#[tokio::test]
async fn a_closed_guard_that_fails_refuses() {
    let scene = Scene::new();
    for (event, noun, envelope) in guarded(&scene) {
        for fault in faults(&scene) {
            assert_refused(&with_fault(host(), event, &envelope, &fault, true).await, noun, &fault);
        }
    }
}

/// CUR-OUT-07, CUR-OUT-13
#[tokio::test]
async fn what_an_open_guard_fails_to_decide_goes_on() {
    let scene = Scene::new();
    for (event, _, envelope) in guarded(&scene) {
        for fault in faults(&scene) {
            let decision = with_fault(host(), event, &envelope, &fault, false).await.decision;
            assert_eq!((decision.action, decision.pre_approved), (Action::Proceed, false), "{event} {}", fault.line);
            assert!(decision.halt.is_none() && decision.reasons.is_empty(), "{event} {}", fault.line);
            assert_eq!(codes(&decision.diagnostics), [fault.code]);
        }
    }
}

/// CUR-OUT-18
#[tokio::test]
async fn a_strict_host_takes_no_guard_for_open() {
    let scene = Scene::new();
    for (event, noun, envelope) in guarded(&scene) {
        for fault in faults(&scene).iter().chain(&garbage()) {
            assert_refused(&with_fault(host().strict(true), event, &envelope, fault, false).await, noun, fault);
        }
    }
}

/// CUR-OUT-15 to CUR-OUT-17: what cannot be read as an answer denies even when open; a prompt
/// follows `failClosed`.
#[tokio::test]
async fn garbage_is_a_denial() {
    let scene = Scene::new();
    for (event, noun, envelope) in guarded(&scene) {
        for (fault, closed) in garbage().iter().flat_map(|fault| [(fault, true), (fault, false)]) {
            let happened = with_fault(host(), event, &envelope, fault, closed).await;
            if closed || event != "beforeSubmitPrompt" {
                assert_refused(&happened, noun, fault);
                continue;
            }
            assert_eq!((happened.decision.action, happened.decision.halt), (Action::Proceed, None));
            assert_eq!(codes(&happened.decision.diagnostics), [fault.code]);
        }
    }
}

/// CUR-OUT-02, CUR-OUT-11, CUR-OUT-16: an answer that is cut off is none, even if what was kept
/// reads as one, or as nothing.
#[tokio::test]
async fn a_flood_is_a_denial() {
    let flood = "head -c 5000 /dev/zero | tr '\\0' ' '";
    for (line, said, code) in [
        (format!("{ALLOW}; {flood}"), "was cut off", Some("cursor/malformed-output")),
        (flood.to_owned(), "was cut off", Some("cursor/malformed-output")),
        (format!("echo no; {flood}; exit 2"), "no", None),
    ] {
        let scene = Scene::with(&json!({ "beforeShellExecution": [{ "command": line }] }));
        let dispatcher = scene.dispatcher(host()).limits(Limits::default().stdout_bytes(1000));
        let happened = fire(&dispatcher, &scene.shell("ls")).await;
        assert!(happened.only().outcome.stdout_truncated);
        assert_eq!(happened.decision.action, Action::Deny, "{line}");
        assert!(happened.reasons().contains(said), "{}", happened.reasons());
        assert_eq!(codes(&happened.decision.diagnostics), Vec::from_iter(code));
    }
}

/// CUR-OUT-07: the allow of one is no approval beside another that failed.
#[tokio::test]
async fn an_allow_beside_a_crash_approves_nothing() {
    for (line, approved) in [(ALLOW, true), ("exit 1", false), ("true", false), ("kill -KILL $$", false)] {
        let scene = Scene::with(&json!({ "beforeShellExecution": [{ "command": ALLOW }, { "command": line }] }));
        let decision = fire(&scene.dispatcher(host()), &scene.shell("ls")).await.decision;
        assert_eq!((decision.action, decision.pre_approved), (Action::Proceed, approved), "{line}");
    }
}

/// CUR-OUT-54, CUR-CFG-08: where the command shows nothing the hook is named by its id, and one
/// that would steer a terminal is cleaned.
#[tokio::test]
async fn a_reason_always_names_the_hook() {
    let id = "cursor:project/.cursor/hooks.json#beforeShellExecution[0]";
    for (line, name) in [("", id), (" \t", id), (":  \u{1b}[2J\u{7}", "`:  [2J`")] {
        let scene = Scene::with(&json!({ "beforeShellExecution": [{ "command": line, "failClosed": true }] }));
        let happened = fire(&scene.dispatcher(host()), &scene.shell("ls")).await;
        let reasons = happened.reasons();
        assert_eq!(happened.decision.action, Action::Deny);
        assert!(reasons.contains(name) && reasons.contains("printed nothing"), "{line:?}: {reasons}");
        assert!(!reasons.contains('\u{1b}'), "{reasons:?}");
    }
}

/// CUR-RUN-03, CUR-OUT-06, CUR-OUT-07: a guard whose folder is gone is not started.
#[tokio::test]
async fn a_guard_without_its_folder_is_not_started() {
    for (closed, action) in [(true, Action::Deny), (false, Action::Proceed)] {
        let scene = Scene::new();
        scene.hooks(USER, &json!({ "beforeShellExecution": [{ "command": ALLOW, "failClosed": closed }] }));
        let dispatcher = scene.dispatcher(host());
        fs::remove_dir_all(scene.path("home/.cursor")).unwrap();
        let happened = fire(&dispatcher, &scene.shell("ls")).await;
        assert_eq!((happened.decision.action, happened.decision.pre_approved), (action, false));
        assert_eq!(codes(&happened.decision.diagnostics), ["cursor/hook-failed"]);
        let reasons = happened.reasons();
        let gone = scene.at("home/.cursor");
        let said = ["Acme", "shell command", "could not be started", gone.as_str()];
        assert!(!closed || said.iter().all(|part| reasons.contains(part)), "{reasons}");
    }
}

/// CUR-OUT-05, CUR-OUT-08, CUR-OUT-16: hooks that only watch, or ask to go on, refuse nothing
/// however they end.
#[tokio::test]
async fn a_watcher_that_fails_changes_nothing() {
    let scene = Scene::new();
    let faults = faults(&scene).into_iter().chain(garbage()).filter(|fault| fault.said != "printed nothing");
    for line in faults.map(|fault| fault.line).chain(["exit 2".into()]) {
        let scene = Scene::with(&json!({ "stop": [{ "command": line, "failClosed": true }] }));
        let decision = fire(&scene.dispatcher(host().strict(true)), &scene.stop()).await.decision;
        assert_eq!((decision.action, decision.halt, decision.continuation), (Action::Proceed, None, None), "{line}");
        assert_eq!(decision.diagnostics.len(), 1, "{line}");
    }
}

/// CUR-OUT-01 to CUR-OUT-04: exit 2 is a refusal, not a failure, whatever else is said.
#[tokio::test]
async fn exit_2_refuses() {
    for (line, reason) in [
        (r#"printf '{"permission":"allow","agent_message":"use trash"}'; exit 2"#, "use trash"),
        ("echo ' use trash '; exit 2", "use trash"),
        ("echo use trash >&2; exit 2", "use trash"),
        ("exit 2", "exited with code 2"),
    ] {
        let scene = Scene::with(
            &json!({ "beforeShellExecution": [{ "command": line }], "beforeSubmitPrompt": [{ "command": line }] }),
        );
        let dispatcher = scene.dispatcher(host());
        for envelope in [scene.shell("rm -rf build"), scene.envelope(PromptSubmit::new("remove it"))] {
            let happened = fire(&dispatcher, &envelope).await;
            let reasons = happened.reasons();
            assert_eq!(happened.decision.action, Action::Deny);
            assert!(if reason == "use trash" { reasons == reason } else { reasons.contains(reason) }, "{reasons}");
            assert!(happened.decision.diagnostics.is_empty());
        }
    }
}
