//! Every reason for which a hook does not run, from real hook files, and what people are told of it.

use std::sync::Arc;

use harness_hooks_core::{
    BindingId, Boundary, Envelope, Host, SessionStart, SessionState, Shell, ShellOutput, Snapshot, SubagentStart,
    ToolBefore, ToolCall, ToolOutput, ToolResult, Write,
};
use serde_json::{Value, json};

use crate::scene::{CLAUDE, CODEX, PROJECT, Scene, USER, Vendor, host, load_as};

/// What does not run at an occurrence and why, one a line: the hook's event, and the sentence.
fn whys(snapshot: &Arc<Snapshot>, envelope: &Envelope, state: SessionState) -> Vec<String> {
    let mut firing = snapshot.begin(envelope, state).explaining();
    let mut whys = Vec::new();
    while let Some(stage) = firing.next_stage() {
        whys.extend(stage.skipped.iter().map(|skipped| format!("{}: {}", skipped.binding.event_name, skipped.why)));
        assert!(stage.invocations.is_empty(), "nothing runs here");
    }
    whys
}

fn why(snapshot: &Arc<Snapshot>, envelope: &Envelope) -> Vec<String> {
    whys(snapshot, envelope, SessionState::new())
}

fn grouped(event: &str, matcher: Option<&str>, handler: Value) -> Value {
    let mut handler = handler;
    handler["type"] = json!("command");
    let mut group = json!({ "hooks": [handler] });
    if let Some(matcher) = matcher {
        group["matcher"] = json!(matcher);
    }
    json!({ event: [group] })
}

/// CUR-EVT-03: it is about calls of MCP tools, and this is none.
#[test]
fn another_kind_of_call() {
    let scene = Scene::with(&json!({ "beforeMCPExecution": [{ "command": ":" }] }));
    let told = why(&scene.load_all(host()), &scene.shell("ls"));
    assert_eq!(told, ["beforeMCPExecution: it is about mcp calls only"]);
}

/// CLA-EVT-06: a command that ended well is a result, and no failure.
#[test]
fn another_event_of_the_same_boundary() {
    let scene = Scene::new();
    scene.hooks_of(Vendor::Claude, &grouped("PostToolUseFailure", None, json!({ "command": ":" })));
    let call = ToolCall::new("c1", "terminal", Shell::new("ls"));
    let output = ToolOutput::Shell(ShellOutput::new().stdout("a").exit_code(0));
    let told = why(&scene.load_all(host()), &scene.envelope(ToolResult::new(call, output)));
    assert_eq!(told, ["PostToolUseFailure: this occurrence is not its event"]);
}

/// CUR-MATCH-06, CLA-MATCH-02, CDX-MATCH-06: what the matcher was tested against, each name of it.
#[test]
fn a_matcher() {
    let scene = Scene::with(&json!({ "beforeShellExecution": [{ "command": ":", "matcher": "^git push" }] }));
    scene.hooks_of(Vendor::Claude, &grouped("PreToolUse", Some("Write|Edit"), json!({ "command": ":" })));
    let told = why(&scene.load_all(host()), &scene.shell("rm -rf build"));
    let expected = [
        "PreToolUse: its matcher `Edit|Write` does not match `Bash`",
        "beforeShellExecution: its matcher `^git push` does not match `rm -rf build`",
    ];
    assert_eq!(told, expected, "the names of a list in the order of the alphabet");

    let scene = Scene::new();
    scene.hooks_of(Vendor::Codex, &grouped("PreToolUse", Some("^Bash$"), json!({ "command": ":" })));
    let call = ToolCall::new("c1", "write_file", Write::new("/w/a.txt", "a"));
    let told = why(&scene.load_all(host()), &scene.envelope(ToolBefore::new(call)));
    assert_eq!(told, ["PreToolUse: its matcher `^Bash$` does not match `apply_patch` or `Write` or `Edit`"]);
}

/// CLA-MATCH-16
#[test]
fn a_condition() {
    let scene = Scene::new();
    let handler = json!({ "command": ":", "if": "Bash(git push *)" });
    scene.hooks_of(Vendor::Claude, &grouped("PreToolUse", Some("Bash"), handler));
    let told = why(&scene.load_all(host()), &scene.shell("ls"));
    assert_eq!(told, ["PreToolUse: its condition `Bash(git push *)` does not hold"]);
}

/// CLA-SRC-07: the copy that runs is named.
#[test]
fn a_duplicate() {
    let scene = Scene::new();
    let hook = grouped("PreToolUse", None, json!({ "command": "sh guard.sh" }));
    scene.hooks_of(Vendor::Claude, &hook);
    scene.write("home/.claude/settings.json", json!({ "hooks": hook }).to_string());
    let (snapshot, envelope) = (scene.load_all(host()), scene.shell("ls"));
    let stage = snapshot.begin(&envelope, SessionState::new()).explaining().next_stage().unwrap();
    let [skipped] = stage.skipped.as_slice() else { panic!("{:?}", stage.skipped) };
    let runs: Vec<_> = stage.invocations.iter().map(|invocation| invocation.binding.id.as_str()).collect();
    assert_eq!(runs, ["claude:project/.claude/settings.json#PreToolUse[0][0]"]);
    assert_eq!(skipped.binding.id.as_str(), "claude:user/.claude/settings.json#PreToolUse[0][0]");
    assert_eq!(skipped.why.to_string(), format!("{} is the same hook and runs in its place", runs[0]));
}

/// CLA-CFG-16: of a skill's hook that runs once.
#[test]
fn once_in_a_session() {
    let scene = Scene::new();
    let skill = "---\nname: tidy\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          \
                 command: \":\"\n          once: true\n---\nTidy up.\n";
    scene.write("project/.claude/skills/tidy/SKILL.md", skill);
    let (snapshot, envelope) = (scene.load_all(host()), scene.shell("ls"));
    let [binding] = snapshot.bindings() else { panic!("{:?}", snapshot.diagnostics()) };
    let mut firing = snapshot.begin(&envelope, SessionState::new());
    assert_eq!(firing.next_stage().unwrap().invocations.len(), 1);
    let mut state = SessionState::new();
    state.apply(firing.finish().change);
    assert_eq!(state.once.iter().collect::<Vec<&BindingId>>(), [&binding.id]);
    let told = whys(&snapshot, &envelope, state);
    assert_eq!(told, ["PreToolUse: it ran in this session already, and runs once"]);
}

/// CUR-SRC-03, CLA-SRC-11, CDX-TRUST-01: the hooks of a workspace nobody trusts.
#[test]
fn no_trust() {
    let scene = Scene::with(&json!({ "preToolUse": [{ "command": ":" }] }));
    for vendor in [Vendor::Claude, Vendor::Codex] {
        scene.hooks_of(vendor, &grouped("PreToolUse", None, json!({ "command": ":" })));
    }
    let snapshot = load_as(host(), &scene.places().trusted(false), Vendor::ALL);
    let told = why(&snapshot, &scene.shell("ls"));
    let says = |event: &str| format!("{event}: the workspace is not trusted");
    assert_eq!(told, [says("preToolUse"), says("PreToolUse"), says("PreToolUse")]);
}

/// CLA-SRC-09, CDX-SRC-09, CDX-TRUST-02, CDX-TRUST-03: what somebody switched off, and where, and what
/// nobody reviewed.
#[test]
fn switched_off() {
    let scene = Scene::new();
    let hook = grouped("PreToolUse", None, json!({ "command": ":" }));
    scene.write(CLAUDE, json!({ "disableAllHooks": true, "hooks": hook }).to_string());
    let told = why(&scene.load_all(host()), &scene.shell("ls"));
    assert_eq!(told, ["PreToolUse: `disableAllHooks` of project/.claude/settings.json keeps it from running"]);

    let scene = Scene::new();
    scene.hooks_of(Vendor::Codex, &hook);
    let key = format!("{}:pre_tool_use:0:0", scene.at(CODEX));
    scene.write("home/.codex/config.toml", format!("[hooks.state.{}]\nenabled = false\n", json!(key)));
    let told = why(&scene.load_all(host()), &scene.shell("ls"));
    assert_eq!(told, ["PreToolUse: configured, not run, because it was switched off: `enabled = false`"]);

    scene.write("home/.codex/config.toml", "[features]\nhooks = false\n");
    let told = why(&scene.load_all(host()), &scene.shell("ls"));
    let [line] = told.as_slice() else { panic!("{told:?}") };
    let config = scene.at("home/.codex/config.toml");
    assert!(line.contains("`features.hooks = false`") && line.contains(&config), "{line}");

    scene.write("home/.codex/config.toml", "");
    let snapshot = load_as(host(), &scene.places().recorded_trust(true), Vendor::ALL);
    let told = why(&snapshot, &scene.shell("ls"));
    assert_eq!(told, ["PreToolUse: configured, not run, because nobody has reviewed it yet"]);
}

/// CUR-RUN-07: the vendor's own count; CLA-RUN-18, CDX-RUN-10: the host's cap.
#[test]
fn a_limit_and_the_cap() {
    let scene = Scene::with(&json!({ "stop": [{ "command": ":" }] }));
    for vendor in [Vendor::Claude, Vendor::Codex] {
        scene.hooks_of(vendor, &grouped("Stop", None, json!({ "command": ":" })));
    }
    let mut state = SessionState::new();
    state.continuations.total = 8;
    state.continuations.by_vendor.insert(harness_hooks_cursor::CURSOR, 6);
    let told = whys(&scene.load_all(host()), &scene.stop(), state);
    let cap = "Stop: hooks made the agent go on 8 times since the user's last prompt, as often as the host lets them";
    let limit = "stop: hooks made the agent go on 6 times since the user's last prompt and its loop limit is 5";
    assert_eq!(told, [limit, cap, cap]);
}

/// CUR-EVT-13: a surface on which hooks of this scope do not run, or the event does not happen.
#[test]
fn another_surface() {
    let scene = Scene::new();
    scene.hooks(USER, &json!({ "preToolUse": [{ "command": ":" }] }));
    let told = why(&scene.load_all(host().surface("cloud".to_owned())), &scene.shell("ls"));
    assert_eq!(told, ["preToolUse: hooks of user scope do not run on the cloud surface"]);

    let scene = Scene::with(&json!({ "sessionStart": [{ "command": ":" }] }));
    let told = why(&scene.load_all(host().surface("cloud".to_owned())), &scene.envelope(SessionStart::new()));
    assert_eq!(told, ["sessionStart: sessionStart does not happen on the cloud surface"]);
}

/// CUR-EVT-10, CLA-EVT-14, CDX-EVT-11: a boundary the host only plans.
#[test]
fn a_planned_boundary() {
    let scene = Scene::new();
    scene.hooks(PROJECT, &json!({ "subagentStart": [{ "command": ":" }] }));
    for vendor in [Vendor::Claude, Vendor::Codex] {
        scene.hooks_of(vendor, &grouped("SubagentStart", None, json!({ "command": ":" })));
    }
    let host = Host::new("Acme", "1.4").plans([Boundary::SubagentStart]);
    let told = why(&scene.load_all(host), &scene.envelope(SubagentStart::new("a1", "explore", "look")));
    let says = |event: &str| format!("{event}: the host does not fire its boundary yet");
    assert_eq!(told, [says("subagentStart"), says("SubagentStart"), says("SubagentStart")]);
}
