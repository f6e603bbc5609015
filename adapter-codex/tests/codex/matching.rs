//! Which envelopes are which event, and which of them a matcher wants.

use harness_hooks_codex::Codex;
use harness_hooks_core::{Adapter, Envelope, EventId, Targets};
use harness_hooks_fixtures::codes;

use crate::{common::envelope, config::parse};

fn event(name: &str) -> EventId {
    Codex::new().event(name).unwrap_or_else(|| panic!("{name} is no event"))
}

fn before(tool: &str) -> Envelope {
    call("tool.before", tool, "")
}

fn result(tool: &str, output: &str) -> Envelope {
    call("tool.result", tool, &format!(r#","output":{output}"#))
}

fn call(boundary: &str, tool: &str, more: &str) -> Envelope {
    envelope(&format!(r#"{{"{boundary}":{{"call":{{"id":"c","host_name":"host_tool","tool":{tool}}}{more}}}}}"#))
}

/// As if it happened in a subagent.
fn in_agent(mut envelope: Envelope) -> Envelope {
    envelope.agent = Some(harness_hooks_core::Agent::new("a1"));
    envelope
}

const BASH: &str = r#"{"shell":{"command":"ls"}}"#;
const PATCH: &str = r#"{"patch":{"text":"*** Begin Patch\n*** End Patch"}}"#;
const TASK: &str = r#"{"task":{"kind":"default","prompt":"p"}}"#;

fn mcp(server: &str, tool: &str) -> String {
    format!(r#"{{"mcp":{{"server":"{server}","tool":"{tool}","arguments":{{}}}}}}"#)
}

/// Whether a hook of this event with this matcher runs; `None` where the matcher does not compile.
/// A matcher that is not said is `None`.
fn runs(event_name: &str, matcher: Option<&str>, envelope: &Envelope) -> Option<bool> {
    let matcher = matcher.map_or(String::new(), |text| format!(r#""matcher":{},"#, serde_json::Value::from(text)));
    let document =
        format!(r#"{{"hooks":{{"{event_name}":[{{{matcher}"hooks":[{{"type":"command","command":"a"}}]}}]}}}}"#);
    let parsed = parse("hooks.json", document);
    let Some(binding) = parsed.bindings.first() else {
        assert_eq!(codes(&parsed.diagnostics), ["warning codex/bad-matcher"]);
        return None;
    };
    Some(binding.matcher.test(&Codex::new().targets(event(event_name), envelope)).is_hit())
}

fn all(event: &str, envelope: &Envelope, matchers: &[&str], expected: Option<bool>) {
    for matcher in matchers {
        assert_eq!(runs(event, Some(matcher), envelope), expected, "{event}: {matcher:?}");
    }
}

/// CDX-MATCH-01 to CDX-MATCH-05
#[test]
fn matchers_of_a_shell_command() {
    let fires = [
        "Bash",
        "Bash|Edit",
        "apply_patch|Bash",
        "^Bash$",
        "Ba.*",
        "B.sh",
        r"\bBash\b",
        "(?i)bash",
        ".*",
        "*",
        "",
        "Bash|",
        "|Bash",
        "||Bash||",
        "^Bash$|x y",
    ];
    let quiet = [
        "bash",
        "Ba",
        "ash",
        "shell",
        "exec_command",
        "Bash,Edit",
        "Bash |Edit",
        "  ",
        "Bash\n",
        "^$",
        "Edit|Write",
        "Bash(echo:*)",
        "!Bash",
        "|",
        "Bashx",
        "host_tool",
    ];
    let refused = ["Bash(", "Bash(*)", "[", "^(?!Bash).*$", "*Bash", "**", "(?<!x)Bash", r"(a)\1", "(?=B)", "a{2,1}"];
    for event in ["PreToolUse", "PermissionRequest", "PostToolUse"] {
        let envelope = match event {
            "PreToolUse" => before(BASH),
            "PermissionRequest" => call("tool.permission", BASH, ""),
            _ => result(BASH, r#"{"shell":{"stdout":""}}"#),
        };
        assert_eq!(runs(event, None, &envelope), Some(true));
        all(event, &envelope, &fires, Some(true));
        all(event, &envelope, &quiet, Some(false));
        all(event, &envelope, &refused, None);
    }
}

/// CDX-MATCH-01
#[test]
fn a_matcher_of_null_matches_everything() {
    let document = r#"{"hooks":{"PreToolUse":[{"matcher":null,"hooks":[{"type":"command","command":"a"}]}]}}"#;
    let parsed = parse("hooks.json", document);
    assert!(parsed.bindings[0].matcher.test(&Codex::new().targets(event("PreToolUse"), &before(BASH))).is_hit());
}

/// CDX-MATCH-06, CDX-TOOL-01: a tool by its name and by each alias, patterns too, once.
#[test]
fn aliases_of_tools() {
    let edits = [
        PATCH.to_owned(),
        r#"{"write":{"path":"a","content":"x"}}"#.to_owned(),
        r#"{"edit":{"path":"a","edits":[]}}"#.to_owned(),
        r#"{"delete":{"path":"a"}}"#.to_owned(),
    ];
    for tool in &edits {
        let envelope = before(tool);
        let fires =
            ["apply_patch", "Edit", "Write", "Edit|Write", "Bash|Edit", "Bash |Edit", "^Ed", "^Write$", "patch$"];
        all("PreToolUse", &envelope, &fires, Some(true));
        all("PreToolUse", &envelope, &["MultiEdit", "Delete", "edit", "patch", "Bash", "^dit"], Some(false));
        let targets = Codex::new().targets(event("PreToolUse"), &envelope);
        assert_eq!(targets.texts().collect::<Vec<_>>(), ["apply_patch", "Write", "Edit"]);
    }
    all("PreToolUse", &before(TASK), &["spawn_agent", "Agent", "^Agent$"], Some(true));
    all("PreToolUse", &before(TASK), &["Task", "spawn", "agent"], Some(false));
    let other = before(r#"{"read":{"path":"a"}}"#);
    all("PreToolUse", &other, &["host_tool", "host.*"], Some(true));
    all("PreToolUse", &other, &["Read", "read"], Some(false));
}

/// CDX-MATCH-07, CDX-TOOL-01
#[test]
fn matchers_of_mcp_tools() {
    let echo = before(&mcp("srv", "echo"));
    all("PreToolUse", &echo, &["mcp__srv__.*", "mcp__srv__echo", "mcp__.*", "mcp__srv__echo|Bash"], Some(true));
    all("PreToolUse", &echo, &["mcp__srv", "mcp__srv__", "srv__", "srv", "echo", "srv-"], Some(false));
    // a hyphen makes a pattern, which is found anywhere
    let hyphen = before(&mcp("srv", "my-tool"));
    all("PreToolUse", &hyphen, &["my-tool", "y-t", "mcp__srv__my-tool"], Some(true));
    // what is no letter, digit or `_` in a server's name is `_`
    let dotted = before(&mcp("my-srv.x", "echo"));
    all("PreToolUse", &dotted, &["mcp__my_srv_x__echo", "mcp__my_srv_x__.*"], Some(true));
    all("PreToolUse", &dotted, &["mcp__my-srv.x__echo", "my-srv"], Some(false));
}

/// CDX-MATCH-08, CDX-EVT-08: what each event is matched by.
#[test]
fn targets_of_events() {
    let started = |source: &str| envelope(&format!(r#"{{"session.start":{{"source":"{source}"}}}}"#));
    let compaction =
        |when: &str, trigger: &str| envelope(&format!(r#"{{"compact.{when}":{{"trigger":"{trigger}"}}}}"#));
    let agent = |when: &str, kind: &str| {
        let task = if when == "start" { r#","task":"t""# } else { "" };
        envelope(&format!(r#"{{"subagent.{when}":{{"id":"a","kind":"{kind}"{task}}}}}"#))
    };
    let ended = |reason: &str| envelope(&format!(r#"{{"session.end":{{"reason":"{reason}"}}}}"#));
    for (event, matcher, envelope, hit) in [
        ("SessionStart", "startup|resume", started("startup"), true),
        ("SessionStart", "startup|resume", started("fork"), false),
        ("SessionStart", "start", started("startup"), false),
        ("SessionStart", "start.*", started("startup"), true),
        ("SessionStart", "clear", started("clear"), true),
        ("SessionStart", "compact", started("compact"), true),
        ("SessionStart", "fork", started("fork"), true),
        ("SessionStart", "resume", started("resume"), true),
        ("SessionEnd", "other", ended("logout"), true),
        ("SessionEnd", "other", ended("other"), true),
        ("SessionEnd", "logout", ended("logout"), false),
        ("SessionEnd", "clear", ended("clear"), false),
        ("PreCompact", "manual", compaction("before", "manual"), true),
        ("PreCompact", "manual", compaction("before", "auto"), false),
        ("PostCompact", "auto", compaction("after", "auto"), true),
        ("PostCompact", "manual", compaction("after", "auto"), false),
        ("SubagentStart", "default", agent("start", ""), true),
        ("SubagentStart", "default", agent("start", "reviewer"), false),
        ("SubagentStart", "review.*", agent("start", "reviewer"), true),
        ("SubagentStop", "default", agent("stop", "default"), true),
        ("SubagentStop", "default", agent("stop", ""), true),
        ("SubagentStop", "reviewer", agent("stop", "reviewer"), true),
        ("SubagentStop", "default", agent("stop", "reviewer"), false),
    ] {
        assert_eq!(runs(event, Some(matcher), &envelope), Some(hit), "{event}: {matcher} at {envelope:?}");
        assert_eq!(runs(event, None, &envelope), Some(true), "{event}");
    }
}

/// CDX-CFG-17, CDX-MATCH-08: nothing is matched, so every matcher matches.
#[test]
fn events_without_a_target() {
    let prompt = envelope(r#"{"prompt.submit":{"prompt":"p"}}"#);
    let stop = envelope(r#"{"turn.stop":{}}"#);
    let interrupt = envelope(r#"{"turn.interrupt":{}}"#);
    for (event, envelope) in [("UserPromptSubmit", prompt), ("Stop", stop), ("Interrupt", interrupt)] {
        all(event, &envelope, &["", "*", "never", "[", "^$", "x y"], Some(true));
    }
}

/// CDX-EVT-06, CDX-EVT-07, CDX-EVT-12: which envelopes fire what, whatever the matcher.
#[test]
fn envelopes_and_their_events() {
    let shell = |state: &str| result(BASH, &format!(r#"{{"shell":{{"stdout":"","state":"{state}"}}}}"#));
    let background = r#"{"shell":{"command":"make","background":true}}"#;
    let answer =
        |flag: bool, json: &str| result(&mcp("s", "t"), &format!(r#"{{"mcp":{{"result":{json},"is_error":{flag}}}}}"#));
    let stopped = |end: &str| envelope(&format!(r#"{{"turn.stop":{{"end":"{end}"}}}}"#));
    let subagent = |end: &str| envelope(&format!(r#"{{"subagent.stop":{{"id":"a","kind":"k","end":"{end}"}}}}"#));
    let interrupt = || envelope(r#"{"turn.interrupt":{}}"#);
    let content = r#"{"content":[]}"#;
    let quoted = r#"{"content":[{"type":"text","text":"{\"isError\": true}"}]}"#;
    let inner = r#"{"content":[],"structuredContent":{"isError":true}}"#;
    for (envelope, fires) in [
        (before(BASH), Some("PreToolUse")),
        (before(r#"{"glob":{"pattern":"*"}}"#), Some("PreToolUse")),
        (in_agent(before(BASH)), Some("PreToolUse")),
        (call("tool.permission", PATCH, ""), Some("PermissionRequest")),
        (result(BASH, r#"{"shell":{"stdout":"","exit_code":3}}"#), Some("PostToolUse")),
        (shell("finished"), Some("PostToolUse")),
        (shell("running"), None),
        (shell("background"), None),
        (result(background, r#"{"shell":{"state":"background"}}"#), None),
        (result(background, r#"{"shell":{"stdout":"done"}}"#), Some("PostToolUse")),
        (result(PATCH, r#"{"text":"done"}"#), Some("PostToolUse")),
        (answer(false, content), Some("PostToolUse")),
        (answer(true, content), None),
        (answer(false, r#"{"content":[],"isError":true}"#), None),
        (answer(false, r#"{"content":[],"isError":false}"#), Some("PostToolUse")),
        (answer(false, quoted), Some("PostToolUse")),
        (answer(false, inner), Some("PostToolUse")),
        (call("tool.failure", BASH, r#","error":"e""#), None),
        (call("tool.denied", BASH, r#","reason":"r""#), None),
        (envelope(r#"{"prompt.submit":{"prompt":"p"}}"#), Some("UserPromptSubmit")),
        (in_agent(envelope(r#"{"prompt.submit":{"prompt":"p"}}"#)), Some("UserPromptSubmit")),
        (stopped("completed"), Some("Stop")),
        (stopped("aborted"), None),
        (stopped("error"), None),
        (in_agent(stopped("completed")), None),
        (interrupt(), Some("Interrupt")),
        (in_agent(interrupt()), None),
        (subagent("completed"), Some("SubagentStop")),
        (subagent("aborted"), Some("SubagentStop")),
        (subagent("error"), Some("SubagentStop")),
        (envelope(r#"{"session.start":{"source":"compact"}}"#), Some("SessionStart")),
        (envelope(r#"{"compact.before":{}}"#), Some("PreCompact")),
        (envelope(r#"{"compact.after":{}}"#), Some("PostCompact")),
        (envelope(r#"{"file.read":{"path":"a"}}"#), None),
        (envelope(r#"{"agent.response":{"text":"t"}}"#), None),
    ] {
        let specs = Codex::new().events().iter();
        let fired = specs.filter(|spec| runs(spec.name, None, &envelope) == Some(true)).map(|spec| spec.name);
        assert_eq!(fired.collect::<Vec<_>>(), fires.into_iter().collect::<Vec<_>>(), "{envelope:?}");
    }
}

/// An event asked about an envelope that is not its own has no targets at all.
#[test]
fn targets_of_another_boundary_are_none() {
    for (n, spec) in Codex::new().events().iter().enumerate() {
        for envelope in [before(BASH), envelope(r#"{"turn.stop":{}}"#), envelope(r#"{"session.end":{"reason":"r"}}"#)] {
            let happens = spec.moment(envelope.boundary(), envelope.payload.facet()).is_some();
            let targets = Codex::new().targets(EventId(u16::try_from(n).unwrap()), &envelope);
            assert_eq!(targets == Targets::NotThisEvent, !happens, "{} at {}", spec.name, envelope.boundary());
        }
    }
}

/// CDX-MATCH-03: a guard that cannot be evaluated runs, and says so.
#[test]
fn a_matcher_that_cannot_be_evaluated_counts_as_a_match() {
    let matcher = "(x{900}){900}|^Edit$";
    let group = format!(r#"{{"matcher":"{matcher}","hooks":[{{"type":"command","command":"a"}}]}}"#);
    let document = format!(r#"{{"hooks":{{"PreToolUse":[{group}]}}}}"#);
    let files = [("/home/dev/project/.codex/hooks.json", document.as_str())];
    let snapshot = crate::sources::load(&crate::sources::project(), files);
    let bash = before(BASH);
    let mut firing = snapshot.begin(&bash, harness_hooks_core::SessionState::new());
    let stage = firing.next_stage().expect("it runs");
    assert_eq!(stage.invocations.len(), 1);
    assert_eq!(stage.diagnostics.len(), 1, "{:?}", stage.diagnostics);
}
