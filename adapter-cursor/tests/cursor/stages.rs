//! Cursor's hooks in a firing: two stages before a tool, a rewrite seen by the second, loops that
//! end.

use std::sync::Arc;

use harness_hooks_core::{
    Action, Envelope, Exit, Fired, Host, Invocation, Outcome, Payload, SessionState, Snapshot, Tool,
};
use serde_json::Value;

use crate::common;

const GUARDS: &str = r#"{"version":1,"hooks":{
    "beforeShellExecution":[{"command":"shell","matcher":"npm ci"},{"command":"other","matcher":"npm install"}],
    "preToolUse":[{"command":"first"},{"command":"second"}]}}"#;

fn install() -> Envelope {
    common::before(r#"{"shell":{"command":"npm install"}}"#)
}

/// What was started and what it read, stage by stage; answers are given by the hook's command.
fn drive(
    snapshot: &Arc<Snapshot>,
    envelope: &Envelope,
    backwards: bool,
    answer: impl Fn(&str) -> &'static str,
) -> (Fired, Vec<Vec<(String, Value)>>) {
    let mut firing = snapshot.begin(envelope, SessionState::new());
    let mut stages = Vec::new();
    while let Some(stage) = firing.next_stage() {
        let command = |invocation: &Invocation| invocation.binding.handler.text().to_string();
        let read = |invocation: &Invocation| (command(invocation), serde_json::from_slice(&invocation.stdin).unwrap());
        stages.push(stage.invocations.iter().map(read).collect());
        let mut running: Vec<_> = stage.invocations.iter().collect();
        if backwards {
            running.reverse();
        }
        for invocation in running {
            firing.report(invocation, &Outcome::new(Exit::Code(0)).stdout(answer(&command(invocation))));
        }
    }
    (firing.finish(), stages)
}

const ALLOW: &str = r#"{"permission":"allow"}"#;
const REWRITE: &str = r#"{"permission":"allow","updated_input":{"command":"npm ci"}}"#;

fn commands(stages: &[Vec<(String, Value)>]) -> Vec<Vec<&str>> {
    stages.iter().map(|stage| stage.iter().map(|(command, _)| command.as_str()).collect()).collect()
}

/// CUR-EVT-04: the second stage matches and reads the call as the first rewrote it, in both
/// completion orders.
#[test]
fn a_rewrite_is_what_the_shell_guard_sees() {
    for backwards in [false, true] {
        let snapshot = common::snapshot(common::acme(), GUARDS);
        let answer = |command: &str| if command == "first" { REWRITE } else { ALLOW };
        let (fired, stages) = drive(&snapshot, &install(), backwards, answer);
        let (last, before) = stages.split_last().unwrap();
        let [(command, stdin)] = last.as_slice() else { panic!("{last:?}") };
        assert_eq!(command, "shell", "its matcher reads the new command");
        assert_eq!(stdin["command"], "npm ci");
        assert_eq!(before[0][0].1["tool_input"]["command"], "npm install");
        let decision = fired.decision;
        assert_eq!(decision.action, Action::Proceed);
        let Some(Tool::Shell(shell)) = decision.call.map(|call| call.tool) else { panic!("no call") };
        assert_eq!(shell.command, "npm ci");
    }
}

/// CUR-EVT-04: what another hook judged is shown to it once more.
#[test]
fn hooks_that_judged_another_input_judge_once_more() {
    let answer = |command: &str| if command == "first" { REWRITE } else { ALLOW };
    let snapshot = common::snapshot(common::acme(), GUARDS);
    let (fired, stages) = drive(&snapshot, &install(), false, answer);
    assert_eq!(commands(&stages), [vec!["first", "second"], vec!["second"], vec!["shell"]]);
    assert_eq!(stages[1][0].1["tool_input"]["command"], "npm ci");
    assert!(fired.decision.pre_approved && fired.decision.judged_earlier_input.is_empty());

    let snapshot = common::snapshot(common::acme().rejudge(false), GUARDS);
    let (fired, stages) = drive(&snapshot, &install(), false, answer);
    assert_eq!(commands(&stages), [vec!["first", "second"], vec!["shell"]]);
    assert!(!fired.decision.pre_approved);
    assert_eq!(fired.decision.judged_earlier_input.len(), 1);
}

/// CUR-EVT-04: a denial ends it.
#[test]
fn a_denial_in_the_first_stage_ends_it() {
    let snapshot = common::snapshot(common::acme(), GUARDS);
    let deny = |command: &str| if command == "second" { r#"{"permission":"deny"}"# } else { ALLOW };
    let (fired, stages) = drive(&snapshot, &install(), false, deny);
    assert_eq!(commands(&stages), [vec!["first", "second"]]);
    assert_eq!(fired.decision.action, Action::Deny);
}

/// CUR-TOOL-06: a rewrite that does not fit is a denial that names the key; the original never runs.
#[test]
fn a_rewrite_that_does_not_fit_is_a_denial() {
    let snapshot = common::snapshot(common::acme(), GUARDS);
    let misfit = |command: &str| match command {
        "first" => r#"{"permission":"allow","updated_input":{"cmd":"npm ci"}}"#,
        _ => ALLOW,
    };
    let (fired, stages) = drive(&snapshot, &install(), false, misfit);
    assert_eq!(stages.len(), 1);
    let decision = fired.decision;
    assert_eq!((decision.action, decision.call), (Action::Deny, None));
    assert!(decision.reasons.iter().any(|reason| reason.value.contains("`cmd`")), "{:?}", decision.reasons);
}

/// CUR-TOOL-05: two patches, one after another, and what the hooks were not shown is kept.
#[test]
fn patches_are_applied_in_binding_order() {
    let snapshot = common::snapshot(common::acme().rejudge(false), GUARDS);
    let call = common::before(r#"{"shell":{"command":"npm install","background":true}}"#);
    let answer = |command: &str| match command {
        "first" => r#"{"permission":"allow","updated_input":{"command":"npm test"}}"#,
        "second" => r#"{"permission":"allow","updated_input":{"command":"npm ci","timeout":5000}}"#,
        _ => ALLOW,
    };
    for backwards in [false, true] {
        let (fired, _) = drive(&snapshot, &call, backwards, answer);
        let Some(Tool::Shell(shell)) = fired.decision.call.map(|call| call.tool) else { panic!("no call") };
        assert_eq!((shell.command.as_str(), shell.background), ("npm ci", true));
        assert!(shell.timeout_ms.is_some());
    }
}

/// CUR-OUT-33: a rewrite outside preToolUse is reported, and the call refused.
#[test]
fn a_rewrite_by_the_shell_guard_refuses_the_call() {
    let snapshot = common::snapshot(common::acme(), GUARDS);
    let (fired, _) = drive(&snapshot, &install(), false, |command| if command == "other" { REWRITE } else { ALLOW });
    assert_eq!(fired.decision.action, Action::Deny);
    assert_eq!(fired.decision.unsupported.len(), 1);
    assert!(fired.decision.reasons[0].value.contains("updated_input"), "{:?}", fired.decision.reasons);
}

/// The stop hook of this limit, driven as a host does until nobody wants to go on: what it read.
fn loop_counts(limit: &str, host: Host) -> Vec<u64> {
    let document = format!(r#"{{"version":1,"hooks":{{"stop":[{{"command":"drain","loop_limit":{limit}}}]}}}}"#);
    let snapshot = common::snapshot(host, document);
    let stop = common::envelope(r#"{"turn.stop":{"end":"completed"}}"#);
    let (mut state, mut counts) = (SessionState::new(), Vec::new());
    for _ in 0..20 {
        let mut firing = snapshot.begin(&stop, state.clone());
        while let Some(stage) = firing.next_stage() {
            for invocation in &stage.invocations {
                let stdin: Value = serde_json::from_slice(&invocation.stdin).unwrap();
                counts.push(stdin["loop_count"].as_u64().unwrap());
                firing.report(invocation, &Outcome::new(Exit::Code(0)).stdout(r#"{"followup_message":"again\n"}"#));
            }
        }
        let fired = firing.finish();
        let Some(onward) = &fired.decision.continuation else { break };
        assert_eq!(onward.message.trim(), "again");
        state.apply(fired.change);
    }
    counts
}

/// CUR-RUN-07, CUR-ENC-18: `loop_count` starts at 0, and a hook whose limit it has reached is not
/// started.
#[test]
fn loops_end() {
    assert_eq!(loop_counts("0", common::acme()), [0; 0]);
    assert_eq!(loop_counts("1", common::acme()), [0]);
    assert_eq!(loop_counts("2", common::acme()), [0, 1]);
    assert_eq!(loop_counts("10", common::acme()), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(loop_counts("null", common::acme().continuation_cap(3)), [0, 1, 2]);
}

/// CUR-ENC-18: a prompt of the user starts the count anew; one of the host does not.
#[test]
fn only_a_users_prompt_starts_the_count_anew() {
    let snapshot = common::snapshot(common::acme(), r#"{"version":1,"hooks":{}}"#);
    for (origin, count) in [("user", 0), ("host", 3)] {
        let mut state = SessionState::new();
        state.continuations.total = 3;
        let prompt = common::envelope(&format!(r#"{{"prompt.submit":{{"prompt":"p","origin":"{origin}"}}}}"#));
        assert!(matches!(prompt.payload, Payload::PromptSubmit(_)));
        state.apply(snapshot.begin(&prompt, state.clone()).finish().change);
        assert_eq!(state.continuations.total, count, "{origin}");
    }
}

/// CUR-OUT-10: whoever is never heard of was there to decide.
#[test]
fn a_guard_that_was_given_up_denies() {
    let snapshot = common::snapshot(common::acme(), GUARDS);
    let call = install();
    let mut firing = snapshot.begin(&call, SessionState::new());
    assert!(firing.next_stage().is_some());
    assert_eq!(firing.finish().decision.action, Action::Deny);
}

/// CUR-OUT-54: a command of which nothing can be shown is named by the definition's id.
#[test]
fn a_hook_without_a_name_is_named_by_its_id() {
    let hooks = r#"{"version":1,"hooks":{"preToolUse":[{"command":"\u001b \u0007"}]}}"#;
    let snapshot = common::snapshot(common::acme(), hooks);
    let (fired, _) = drive(&snapshot, &install(), false, |_| r#"{"permission":"deny"}"#);
    let reason = &fired.decision.reasons[0].value;
    assert!(reason.contains("`cursor:project/.cursor/hooks.json#preToolUse[0]`"), "{reason}");
}
