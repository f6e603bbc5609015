//! Which hooks run: a group's matcher against what happens. Their conditions are `conditions.rs`.

mod conditions;

use std::sync::Arc;

use harness_hooks_claude::{CLAUDE, Claude};
use harness_hooks_core::{Adapter, Agent, Envelope, Scope, Source, Tested};
use serde_json::{Value, json};

use crate::common;

const PROJECT: &str = "/home/dev/project";

fn source() -> Arc<Source> {
    Arc::new(Source::new(CLAUDE, Scope::Project, format!("{PROJECT}/.claude/settings.json"), "project", PROJECT))
}

/// Whether a hook of this event with this matcher is about what happens. One whose matcher does not
/// compile is left out when it is read.
fn fires(event: &str, matcher: Option<&str>, envelope: &Envelope) -> bool {
    let mut group = json!({"hooks": [{"type": "command", "command": "a"}]});
    if let Some(matcher) = matcher {
        group["matcher"] = matcher.into();
    }
    let parsed = Claude::new().parse(&source(), json!({"hooks": {event: [group]}}).to_string().as_bytes());
    let id = Claude::new().event(event).unwrap_or_else(|| panic!("{event} is no event"));
    let targets = Claude::new().targets(id, envelope);
    parsed.bindings.first().is_some_and(|binding| binding.matcher.test(&targets).is_hit())
}

fn assert_fires(rule: &str, event: &str, envelope: &Envelope, matchers: &[&str], expected: bool) {
    let wrong: Vec<_> = matchers.iter().filter(|text| fires(event, Some(text), envelope) != expected).collect();
    let not = if expected { "" } else { "not " };
    assert!(wrong.is_empty(), "{rule}: should {not}fire at {event}: {wrong:?}");
}

fn tool(boundary: &str, tool: Value) -> Envelope {
    let mut call = json!({"id": "c1", "host_name": "host_tool"});
    call["tool"] = tool;
    happens(boundary, json!({ "call": call }))
}

fn before(call: Value) -> Envelope {
    tool("tool.before", call)
}

fn bash(command: &str) -> Envelope {
    before(json!({"shell": {"command": command}}))
}

fn write(path: &str) -> Envelope {
    before(json!({"write": {"path": path, "content": ""}}))
}

fn agent(kind: &str) -> Envelope {
    before(json!({"task": {"kind": kind, "prompt": "look"}}))
}

fn echo_it() -> Envelope {
    before(json!({"mcp": {"server": "my-srv", "tool": "echo-it", "arguments": {}}}))
}

fn happens(boundary: &str, payload: Value) -> Envelope {
    common::envelope(&Value::from_iter([(boundary, payload)]).to_string())
}

#[test]
fn everything_is_matched_by_nothing() {
    for (rule, matcher) in [("CLA-MATCH-01", None), ("CLA-MATCH-01", Some("")), ("CLA-MATCH-01", Some("*"))] {
        for envelope in [bash("ls"), write("a"), agent("x"), echo_it()] {
            assert!(fires("PreToolUse", matcher, &envelope), "{rule}: {matcher:?}");
        }
    }
}

/// CLA-MATCH-02 to CLA-MATCH-05, CLA-MATCH-08: what Claude Code was measured to do.
#[test]
#[rustfmt::skip]
fn matchers_of_bash() {
    let ls = bash("ls");
    assert_fires("CLA-MATCH-04", "PreToolUse", &ls, &[
        "Bash", "Bash|Write", "Bash, Write", "Bash,Write", "Write,Bash", "Write | Bash", " Bash", "Bash ", "Bash|Write ",
        "Bash||Write", "Bash|", "Bash|Edit,Write", "*", "", ".*", "Ba.*", "^Ba", "sh$", "B?sh", "B*", "Bash|^Wr",
        r"\bBash\b", "^(Bash)$", "(?<x>Bash)", "^((?!Write).)*$",
    ], true);
    assert_fires("CLA-MATCH-05", "PreToolUse", &ls, &[
        "bash", "Ba", "Bas", "a", "Write|Ba", "Bash(", "Bash(ls)", "Bash(*)", "[", "**", "(?i)bash", "^bash$", "!Write",
        "Bash.", "Bash_", "Ba-sh", "Edit;Bash", "/Bash/", "Bash\n", "Bash\t|Edit", " ", "\t", "|", "mcp__.*", "Shell",
        "Task",
    ], false);
    assert_fires("CLA-MATCH-05", "PreToolUse", &write("a"), &["Write|Ba", "Bash|Write ", "Write , Edit"], true);
    assert_fires("CLA-MATCH-04", "PreToolUse", &write("a"), &["Bash|", "Bash||", "^((?!Write).)*$"], false);
}

#[test]
fn matchers_of_the_agent_tool() {
    let matchers = ["Task", "^Task$", "Tas.*", "T.sk", "Task|Bash", "Agent", "^Agent$", ".*", "*"];
    assert_fires("CLA-MATCH-06", "PreToolUse", &agent("explore"), &matchers, true);
    let matchers = ["task", "Tas", "explore", "Bash", "^((?!Agent|Task).)*$"];
    assert_fires("CLA-MATCH-06", "PreToolUse", &agent("explore"), &matchers, false);
    let resource = before(json!({"mcp_resource": {"server": "db", "uri": "db://a"}}));
    let matchers = ["ReadMcpResourceTool", "ReadMcpResource"];
    assert_fires("CLA-MATCH-06", "PreToolUse", &resource, &matchers, true);
}

#[test]
#[rustfmt::skip]
fn matchers_of_mcp_tools() {
    assert_fires("CLA-MATCH-07", "PreToolUse", &echo_it(), &[
        "mcp__my-srv__echo-it", "mcp__.*", "mcp__*", "mcp__my-srv__.*", "mcp__my-srv__*", "mcp__.*__echo",
        "mcp__my-srv__echo-it|Bash",
    ], true);
    assert_fires("CLA-MATCH-07", "PreToolUse", &echo_it(), &[
        "mcp__my-srv", "mcp__my-srv__", "my-srv", "echo-it", "mcp__my_srv__echo_it", "Bash|mcp__my-srv",
    ], false);
}

/// CLA-MATCH-08: what compiles and is too large to run counts as a match, and is no hit.
#[test]
fn what_cannot_be_evaluated_matches() {
    let document = br#"{"hooks": {"PreToolUse": [{"matcher": "(a{1000}){1000}", "hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let parsed = Claude::new().parse(&source(), document);
    let envelope = bash("ls");
    let targets = Claude::new().targets(Claude::new().event("PreToolUse").unwrap(), &envelope);
    let tested = parsed.bindings[0].matcher.test(&targets);
    assert!(matches!(tested, Tested::Unevaluated(_)) && tested.is_hit(), "{tested:?}");
}

/// A rule, an event, what happens, the matchers that fire and those that do not.
type Case = (&'static str, &'static str, Envelope, &'static [&'static str], &'static [&'static str]);

/// What each event is matched by, and what it is not.
#[test]
fn events_have_targets_of_their_own() {
    let compaction = |boundary: &str| happens(boundary, json!({"trigger": "manual"}));
    let startup = happens("session.start", json!({"source": "startup"}));
    assert_fires(
        "CLA-MATCH-09",
        "SessionStart",
        &startup,
        &["startup", "start.*", "startup|resume", "^startup$"],
        true,
    );
    assert_fires("CLA-MATCH-09", "SessionStart", &startup, &["start", "Startup", "resume", "Bash"], false);
    for source in ["resume", "clear", "compact", "fork"] {
        assert_fires(
            "CLA-EVT-10",
            "SessionStart",
            &happens("session.start", json!({"source": source})),
            &[source],
            true,
        );
    }
    let worker = json!({"id": "a1", "kind": "Explore", "task": "t"});
    let ended = json!({"id": "a1", "kind": "Explore"});
    let notice = json!({"notification_type": "idle_prompt", "message": "m"});
    let expansion = json!({"command_name": "review", "expansion_type": "skill"});
    let added = json!({"directory": "/d", "source": "slash_command"});
    let switched = json!({"from_model": "a", "to_model": "claude-opus-5"});
    let skill = json!({"tool_name": "Bash", "command_name": "review"});
    let cases: Vec<Case> = vec![
        (
            "CLA-MATCH-09",
            "SessionEnd",
            happens("session.end", json!({"reason": "clear"})),
            &["clear"],
            &["other", "cle"],
        ),
        ("CLA-MATCH-09", "SubagentStart", happens("subagent.start", worker), &["Explore", "^Exp"], &["explore", "a1"]),
        ("CLA-MATCH-09", "SubagentStop", happens("subagent.stop", ended), &["Explore"], &["Plan", "Expl"]),
        ("CLA-MATCH-09", "PreCompact", compaction("compact.before"), &["manual"], &["auto"]),
        ("CLA-MATCH-09", "PostCompact", compaction("compact.after"), &["manual"], &["auto"]),
        ("CLA-MATCH-09", "Setup", happens("session.setup", json!({"trigger": "init"})), &["init"], &["maintenance"]),
        (
            "CLA-MATCH-09",
            "InstructionsLoaded",
            happens("instructions.loaded", json!({"load_reason": "include"})),
            &["include"],
            &["compact"],
        ),
        ("CLA-MATCH-09", "UserPromptExpansion", happens("prompt.expand", expansion), &["review"], &["skill"]),
        (
            "CLA-MATCH-09",
            "Notification",
            happens("notification", notice),
            &["idle_prompt"],
            &["permission_prompt", "m"],
        ),
        (
            "CLA-MATCH-11",
            "StopFailure",
            happens("turn.failure", json!({"error": "rate_limit"})),
            &["rate_limit", "rate_limit|overloaded", "^rate"],
            &["rate", "rate_limit,overloaded", "rate_limit , overloaded", " rate_limit"],
        ),
        ("CLA-MATCH-09", "ConfigChange", happens("config.changed", json!({"source": "skills"})), &["skills"], &["x"]),
        ("CLA-MATCH-09", "DirectoryAdded", happens("directory.added", added), &["slash_command"], &["/d"]),
        (
            "CLA-MATCH-12",
            "FileChanged",
            happens("file.changed", json!({"file_path": "/home/dev/project/sub/.envrc", "event": "change"})),
            &[".envrc|.env", r"^\.envrc$", "", "*"],
            &["/home", "sub", "envrc", "Makefile"],
        ),
        (
            "CLA-MATCH-12",
            "FileChanged",
            happens("file.changed", json!({"file_path": "C:\\dev\\project\\Makefile", "event": "change"})),
            &["Makefile", "Makefile|LICENSE", "^Make"],
            &["Makefile,LICENSE", "dev", "project", "Makefile "],
        ),
        ("CLA-MATCH-09", "Elicitation", happens("elicitation", json!({"mcp_server_name": "db"})), &["db"], &["d"]),
        (
            "CLA-MATCH-09",
            "ElicitationResult",
            happens("elicitation.result", json!({"mcp_server_name": "db"})),
            &["db"],
            &["d"],
        ),
        (
            "CLA-MATCH-13",
            "PreModelSwitch",
            happens("model.switch.before", switched.clone()),
            &["claude-opus-5"],
            &["a"],
        ),
        (
            "CLA-MATCH-13",
            "PostModelSwitch",
            happens("model.switch.after", switched),
            &["claude-opus-.*"],
            &["a", "opus"],
        ),
        ("CLA-MATCH-09", "PreSkillShellCommand", happens("skill.shell", skill), &["Bash"], &["review", "bash"]),
    ];
    for (rule, event, envelope, fire, not) in &cases {
        assert_fires(rule, event, envelope, fire, true);
        assert_fires(rule, event, envelope, not, false);
    }
}

/// CLA-MATCH-10
#[test]
fn some_events_ignore_matchers() {
    for (event, envelope) in [
        ("UserPromptSubmit", happens("prompt.submit", json!({"prompt": "p"}))),
        ("MessageDisplay", happens("message.display", json!({}))),
        ("PostToolBatch", happens("tool.batch", json!({"tool_calls": []}))),
        ("TaskCreated", happens("task.created", json!({}))),
        ("TaskCompleted", happens("task.completed", json!({}))),
        ("Stop", happens("turn.stop", json!({}))),
        ("TeammateIdle", happens("teammate.idle", json!({}))),
        ("CwdChanged", happens("cwd.changed", json!({}))),
        ("WorktreeCreate", happens("worktree.create", json!({}))),
        ("WorktreeRemove", happens("worktree.remove", json!({}))),
    ] {
        assert_fires("CLA-MATCH-10", event, &envelope, &["never", "^$", "[", "|", ""], true);
    }
}

/// A host that leaves a field out, or writes it in its own way, silences no guard.
#[test]
fn a_target_that_is_not_there_matches_all() {
    for payload in [json!({}), json!({"trigger": 5}), json!({"trigger": null})] {
        assert!(fires("Setup", Some("init"), &happens("session.setup", payload)));
    }
}

/// Which events a moment is, each question with its rule.
#[test]
fn what_happens_is_one_event_or_another() {
    let result = |output: Value| {
        let call = json!({"id": "c1", "host_name": "t", "tool": {"shell": {"command": "make"}}});
        happens("tool.result", json!({"call": call, "output": output}))
    };
    let failure = |kind: &str| {
        let call = json!({"id": "c1", "host_name": "t", "tool": {"read": {"path": "a"}}});
        happens("tool.failure", json!({"call": call, "error": "e", "kind": kind}))
    };
    let denied = |mode: Value| {
        let call = json!({"id": "c1", "host_name": "t", "tool": {"shell": {"command": "make"}}});
        let session = json!({"id": "s1", "cwd": PROJECT, "permission_mode": mode});
        let payload = json!({"tool.denied": {"call": call, "reason": "no"}});
        let json = json!({"id": "e1", "at_ms": 0, "session": session, "payload": payload});
        Envelope::read(json.to_string().as_bytes()).unwrap()
    };
    let stop = |end: &str| happens("turn.stop", json!({"end": end}));
    let of_subagent = || {
        let mut envelope = stop("completed");
        envelope.agent = Some(Agent::new("a1"));
        envelope
    };
    let shell = |output: Value| result(json!({ "shell": output }));
    let ended = json!({"id": "a1", "kind": "Explore", "end": "aborted"});
    let questions: Vec<(&str, Envelope, &[&str])> = vec![
        ("CLA-EVT-06", shell(json!({"exit_code": 0})), &["PostToolUse"]),
        ("CLA-EVT-06", shell(json!({"exit_code": 3})), &["PostToolUseFailure"]),
        ("CLA-EVT-06", shell(json!({"exit_code": -1})), &["PostToolUseFailure"]),
        ("CLA-EVT-06", shell(json!({})), &["PostToolUse"]),
        ("CLA-EVT-06", shell(json!({"state": "running", "exit_code": 3})), &["PostToolUse"]),
        ("CLA-EVT-06", shell(json!({"state": "background"})), &["PostToolUse"]),
        ("CLA-EVT-06", result(json!({"text": "x"})), &["PostToolUse"]),
        ("CLA-EVT-06", result(json!({"mcp": {"result": {}, "is_error": true}})), &["PostToolUse"]),
        ("CLA-EVT-06", failure("error"), &["PostToolUseFailure"]),
        ("CLA-EVT-06", failure("timeout"), &["PostToolUseFailure"]),
        ("CLA-EVT-06", failure("cancelled"), &["PostToolUseFailure"]),
        ("CLA-EVT-06", failure("bad_arguments"), &[]),
        ("CLA-EVT-07", denied(json!("auto")), &["PermissionDenied"]),
        ("CLA-EVT-07", denied(json!("default")), &[]),
        ("CLA-EVT-07", denied(json!(null)), &[]),
        ("CLA-EVT-08", stop("completed"), &["Stop"]),
        ("CLA-EVT-08", stop("aborted"), &[]),
        ("CLA-EVT-08", stop("error"), &[]),
        ("CLA-EVT-08", of_subagent(), &[]),
        ("CLA-EVT-08", happens("subagent.stop", ended), &["SubagentStop"]),
        ("CLA-EVT-02", bash("ls"), &["PreToolUse"]),
        ("CLA-EVT-02", tool("tool.permission", json!({"shell": {"command": "ls"}})), &["PermissionRequest"]),
        ("CLA-EVT-02", happens("agent.response", json!({"text": "t"})), &[]),
        ("CLA-EVT-02", happens("file.read", json!({"path": "a"})), &[]),
    ];
    for (rule, envelope, expected) in &questions {
        let events = Claude::new().events().iter().map(|spec| spec.name);
        let fired: Vec<_> = events.filter(|event| fires(event, None, envelope)).collect();
        assert_eq!(fired, *expected, "{rule}: {:?}", envelope.payload);
    }
}
