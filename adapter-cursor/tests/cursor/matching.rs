//! Which hooks run: one line per question, a definition's event and matcher against an occurrence.

use harness_hooks_core::{Adapter, Envelope, Exit, Fidelity, Outcome, Targets};
use harness_hooks_cursor::Cursor;

use crate::common::{self, before, envelope, result};

/// Whether a hook of this event with this matcher is started.
fn runs(event: &str, matcher: Option<&str>, envelope: &Envelope) -> bool {
    runs_in(Fidelity::Guarded, event, matcher, envelope)
}

fn runs_in(fidelity: Fidelity, event: &str, matcher: Option<&str>, envelope: &Envelope) -> bool {
    let matcher = matcher.map(|m| format!(r#","matcher":{}"#, serde_json::to_string(m).unwrap())).unwrap_or_default();
    let document = format!(r#"{{"version":1,"hooks":{{"{event}":[{{"command":"a"{matcher}}}]}}}}"#);
    let snapshot = common::snapshot_in(fidelity, common::acme(), document);
    assert_eq!(snapshot.bindings().len(), 1, "{event} {matcher}: {:?}", snapshot.diagnostics());
    let allowed = Outcome::new(Exit::Code(0)).stdout(r#"{"permission":"allow","continue":true}"#);
    !common::commands(&snapshot, envelope, &allowed).is_empty()
}

fn shell(command: &str) -> Envelope {
    before(&format!(r#"{{"shell":{{"command":{}}}}}"#, serde_json::to_string(command).unwrap()))
}

fn mcp() -> Envelope {
    before(r#"{"mcp":{"server":"db","tool":"query","arguments":{"sql":"select 1"}}}"#)
}

fn ran(command: &str, output: &str) -> Envelope {
    result(&format!(r#"{{"shell":{{"command":"{command}"}}}}"#), output)
}

const CALL: &str = r#"{"id":"c1","host_name":"terminal","tool":{"shell":{"command":"make"}}}"#;

fn failed() -> Envelope {
    envelope(&format!(r#"{{"tool.failure":{{"call":{CALL},"error":"it threw","kind":"cancelled"}}}}"#))
}

fn denied() -> Envelope {
    envelope(&format!(r#"{{"tool.denied":{{"call":{CALL},"reason":"no"}}}}"#))
}

#[test]
fn matchers_decide() {
    let write = || before(r#"{"write":{"path":"a","content":"b"}}"#);
    let finished = |code: i32| ran("make test", &format!(r#"{{"shell":{{"stdout":"x","exit_code":{code}}}}}"#));
    let sub = |kind: &str| envelope(&format!(r#"{{"subagent.start":{{"id":"a1","kind":"{kind}","task":"t"}}}}"#));
    let subbed = || envelope(r#"{"subagent.stop":{"id":"a1","kind":"explore","end":"completed"}}"#);
    let called = |error: bool| {
        let output = format!(r#"{{"mcp":{{"result":{{"content":[]}},"is_error":{error}}}}}"#);
        result(r#"{"mcp":{"server":"db","tool":"query","arguments":{}}}"#, &output)
    };
    let resource = || before(r#"{"mcp_resource":{"server":"db","uri":"db://a","name":"schema"}}"#);
    let other = || before(r#"{"other":{"x":1}}"#);
    let started = |source: &str| envelope(&format!(r#"{{"session.start":{{"source":"{source}"}}}}"#));
    let prompt = || envelope(r#"{"prompt.submit":{"prompt":"Write a haiku"}}"#);
    let stopped = || envelope(r#"{"turn.stop":{"end":"completed"}}"#);
    let read = || envelope(r#"{"file.read":{"path":"a.txt","content":"x"}}"#);
    let tab = || envelope(r#"{"tab.read":{"file_path":"a.txt"}}"#);

    let questions: Vec<(&str, &str, Option<&str>, Envelope, bool)> = vec![
        ("CUR-MATCH-01", "preToolUse", None, shell("ls"), true),
        ("CUR-MATCH-01", "preToolUse", Some(""), shell("ls"), true),
        ("CUR-MATCH-01", "preToolUse", Some("*"), mcp(), true),
        ("CUR-MATCH-02", "preToolUse", Some("Write"), write(), true),
        ("CUR-MATCH-02", "preToolUse", Some("rit"), write(), true),
        ("CUR-MATCH-02", "preToolUse", Some("^rit"), write(), false),
        ("CUR-MATCH-02", "preToolUse", Some("shell"), shell("ls"), false),
        ("CUR-MATCH-02", "preToolUse", Some("Shell|Write"), write(), true),
        ("CUR-MATCH-02", "preToolUse", Some("Shell"), write(), false),
        (
            "CUR-MATCH-02",
            "preToolUse",
            Some("Write"),
            before(r#"{"mcp":{"server":"fs","tool":"Write_x","arguments":{}}}"#),
            true,
        ),
        ("CUR-MATCH-03", "beforeShellExecution", Some("rm (?!-i)"), shell("rm -rf build"), true),
        ("CUR-MATCH-03", "beforeShellExecution", Some("rm (?!-i)"), shell("rm -i build"), false),
        ("CUR-MATCH-03", "beforeShellExecution", Some("(?<!git )push"), shell("git push"), false),
        ("CUR-MATCH-03", "beforeShellExecution", Some(r"(\w+) \1"), shell("echo go go"), true),
        ("CUR-MATCH-03", "beforeShellExecution", Some(r"(\w+) \1$"), shell("echo go on"), false),
        ("CUR-MATCH-03", "beforeShellExecution", Some(r"^\d$"), shell("٣"), false),
        ("CUR-MATCH-03", "beforeShellExecution", Some(r"^\w$"), shell("é"), false),
        ("CUR-MATCH-03", "beforeShellExecution", Some("a.b"), shell("a\nb"), false),
        ("CUR-MATCH-03", "beforeShellExecution", Some("a.b"), shell("a-b"), true),
        ("CUR-MATCH-05", "preToolUse", Some("^MCP:query$"), mcp(), true),
        ("CUR-MATCH-05", "preToolUse", Some("^query$"), mcp(), false),
        ("CUR-MATCH-05", "preToolUse", Some("^MCPResource:schema$"), resource(), true),
        ("CUR-MATCH-05", "preToolUse", Some("^host_tool$"), other(), true),
        ("CUR-MATCH-05", "postToolUse", Some("^Shell$"), finished(0), true),
        ("CUR-MATCH-05", "postToolUse", Some("^MCP:query$"), called(false), true),
        ("CUR-MATCH-05", "postToolUseFailure", Some("^Shell$"), failed(), true),
        ("CUR-MATCH-05", "postToolUseFailure", Some("^Write$"), failed(), false),
        ("CUR-MATCH-06", "beforeShellExecution", Some("^rm "), shell("rm -rf build"), true),
        ("CUR-MATCH-06", "beforeShellExecution", Some("curl"), shell("cd web\ncurl example.com"), true),
        ("CUR-MATCH-06", "beforeShellExecution", Some("^Shell$"), shell("rm -rf build"), false),
        ("CUR-MATCH-06", "beforeShellExecution", Some("Grep"), shell("grep x"), false),
        ("CUR-MATCH-06", "afterShellExecution", Some("^make "), finished(0), true),
        ("CUR-MATCH-07", "beforeMCPExecution", Some("^query$"), mcp(), true),
        ("CUR-MATCH-07", "beforeMCPExecution", Some("^MCP:"), mcp(), true),
        ("CUR-MATCH-07", "beforeMCPExecution", Some("query"), mcp(), true),
        ("CUR-MATCH-07", "beforeMCPExecution", Some("^db$"), mcp(), false),
        ("CUR-MATCH-07", "afterMCPExecution", Some("^MCP:query$"), called(false), true),
        ("CUR-MATCH-08", "subagentStart", Some("^explore$"), sub("explore"), true),
        ("CUR-MATCH-08", "subagentStart", Some("explore"), sub("shell"), false),
        ("CUR-MATCH-08", "subagentStop", Some("^explore$"), subbed(), true),
        ("CUR-MATCH-09", "beforeReadFile", Some("^Read$"), read(), true),
        ("CUR-MATCH-09", "beforeReadFile", Some("TabRead"), read(), false),
        ("CUR-MATCH-09", "beforeReadFile", Some("a.txt"), read(), false),
        (
            "CUR-MATCH-09",
            "afterFileEdit",
            Some("^Write$"),
            result(r#"{"edit":{"path":"a","edits":[]}}"#, r#"{"text":""}"#),
            true,
        ),
        ("CUR-MATCH-09", "beforeTabFileRead", Some("^TabRead$"), tab(), true),
        ("CUR-MATCH-09", "afterTabFileEdit", Some("^TabWrite$"), envelope(r#"{"tab.edit":{"file_path":"a"}}"#), true),
        ("CUR-MATCH-09", "beforeSubmitPrompt", Some("^UserPromptSubmit$"), prompt(), true),
        ("CUR-MATCH-09", "beforeSubmitPrompt", Some("haiku"), prompt(), false),
        ("CUR-MATCH-09", "stop", Some("^Stop$"), stopped(), true),
        ("CUR-MATCH-09", "stop", Some("completed"), stopped(), false),
        (
            "CUR-MATCH-09",
            "afterAgentResponse",
            Some("^AgentResponse$"),
            envelope(r#"{"agent.response":{"text":"t"}}"#),
            true,
        ),
        (
            "CUR-MATCH-09",
            "afterAgentThought",
            Some("^AgentThought$"),
            envelope(r#"{"agent.thought":{"text":"t"}}"#),
            true,
        ),
        ("CUR-MATCH-10", "sessionStart", Some("startup"), started("resume"), true),
        ("CUR-MATCH-10", "sessionStart", None, started("startup"), true),
        ("CUR-MATCH-10", "sessionEnd", Some("x"), envelope(r#"{"session.end":{"reason":"exit"}}"#), true),
        ("CUR-MATCH-10", "preCompact", Some("auto"), envelope(r#"{"compact.before":{"trigger":"manual"}}"#), true),
        ("CUR-MATCH-10", "workspaceOpen", Some("x"), envelope(r#"{"workspace.open":{}}"#), true),
        ("CUR-MATCH-11", "beforeShellExecution", None, finished(0), false),
        ("CUR-MATCH-11", "preToolUse", None, finished(0), false),
        ("CUR-MATCH-11", "afterShellExecution", None, shell("ls"), false),
        ("CUR-MATCH-11", "beforeReadFile", None, before(r#"{"read":{"path":"a"}}"#), false),
        ("CUR-MATCH-11", "beforeShellExecution", None, mcp(), false),
        ("CUR-MATCH-12", "afterShellExecution", None, finished(3), true),
        ("CUR-MATCH-12", "afterShellExecution", None, ran("make", r#"{"shell":{"stdout":""}}"#), true),
        ("CUR-MATCH-12", "afterShellExecution", None, ran("make", r#"{"shell":{"state":"running"}}"#), false),
        ("CUR-MATCH-12", "afterShellExecution", None, ran("make", r#"{"shell":{"state":"background"}}"#), false),
        (
            "CUR-MATCH-12",
            "afterShellExecution",
            None,
            result(r#"{"shell":{"command":"make","background":true}}"#, r#"{"shell":{"stdout":""}}"#),
            false,
        ),
        ("CUR-MATCH-12", "afterShellExecution", None, failed(), false),
        ("CUR-MATCH-12", "afterShellExecution", None, denied(), false),
        ("CUR-MATCH-13", "beforeMCPExecution", None, shell("ls"), false),
        ("CUR-MATCH-13", "beforeMCPExecution", None, resource(), false),
        ("CUR-MATCH-13", "preToolUse", None, resource(), true),
        ("CUR-MATCH-13", "afterMCPExecution", None, called(true), true),
        ("CUR-EVT-03", "afterFileEdit", None, result(r#"{"delete":{"path":"a"}}"#, r#"{"text":""}"#), false),
        ("CUR-EVT-03", "afterFileEdit", None, result(r#"{"patch":{"text":"p"}}"#, r#"{"text":""}"#), true),
        ("CUR-EVT-05", "postToolUse", None, finished(3), true),
        ("CUR-EVT-05", "postToolUseFailure", None, finished(3), false),
        ("CUR-EVT-05", "postToolUseFailure", None, failed(), true),
        ("CUR-EVT-05", "postToolUseFailure", None, denied(), true),
        ("CUR-EVT-05", "postToolUse", None, failed(), false),
    ];
    let wrong =
        questions.iter().filter(|(_, event, matcher, envelope, runs)| self::runs(event, *matcher, envelope) != *runs);
    let wrong: Vec<_> = wrong
        .map(|(rule, event, matcher, envelope, runs)| {
            let targets = Cursor::new().targets(common::event(event), envelope);
            format!("{rule}: {event} {matcher:?} against {targets:?} should {}run", if *runs { "" } else { "not " })
        })
        .collect();
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// CUR-MATCH-07: the bare name and `MCP:<tool>` here, `MCP:<tool>` alone in Cursor's own way.
#[test]
fn an_mcp_matcher_sees_both_names() {
    let arguments = r#"{"mcp":{"server":"db","tool":"query","arguments":{}}}"#;
    let after = result(arguments, r#"{"mcp":{"result":{"content":[]}}}"#);
    for (matcher, cursors) in [("^query$", false), ("^MCP:query$", true), ("query$", true)] {
        for (event, envelope) in [("beforeMCPExecution", &mcp()), ("afterMCPExecution", &after)] {
            assert!(runs_in(Fidelity::Guarded, event, Some(matcher), envelope), "{event} {matcher}");
            assert_eq!(runs_in(Fidelity::Vendor, event, Some(matcher), envelope), cursors, "{event} {matcher}");
        }
    }
}

/// CUR-EVT-05: a command that ended with exit 3 is told twice, each once, and is no failure.
#[test]
fn a_failing_command_is_a_result() {
    let document = r#"{"version":1,"hooks":{"postToolUse":[{"command":"result"}],"postToolUseFailure":[{"command":"failure"}],"afterShellExecution":[{"command":"shell"}]}}"#;
    let snapshot = common::snapshot(common::acme(), document);
    let exit_3 = ran("make", r#"{"shell":{"stdout":"","exit_code":3}}"#);
    assert_eq!(common::commands(&snapshot, &exit_3, &Outcome::new(Exit::Code(0))), [["result", "shell"]]);
}

/// CUR-MATCH-04: a guard that cannot be evaluated runs, and says so.
#[test]
fn a_matcher_that_cannot_be_evaluated_counts_as_a_match() {
    let document =
        r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"a","matcher":"(?=(a+)+$)(a|aa)+\\1$"}]}}"#;
    let snapshot = common::snapshot(common::acme(), document);
    let envelope = shell(&format!("{}!", "a".repeat(5000)));
    let mut firing = snapshot.begin(&envelope, harness_hooks_core::SessionState::new());
    let stage = firing.next_stage().expect("it runs");
    assert_eq!(stage.invocations.len(), 1);
    assert_eq!(stage.diagnostics.len(), 1, "{:?}", stage.diagnostics);
}

/// CUR-MATCH-11: an event asked about an envelope that is not its own has no targets at all.
#[test]
fn targets_of_another_boundary_are_none() {
    let occurrences = [shell("ls"), mcp(), failed(), denied(), envelope(r#"{"turn.stop":{}}"#)];
    for (n, spec) in Cursor::new().events().iter().enumerate() {
        for envelope in &occurrences {
            let happens = spec.moment(envelope.boundary(), envelope.payload.facet()).is_some();
            let targets = Cursor::new().targets(harness_hooks_core::EventId(n as u16), envelope);
            assert_eq!(targets == Targets::NotThisEvent, !happens, "{} at {}", spec.name, envelope.boundary());
        }
    }
}
