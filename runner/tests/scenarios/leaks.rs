//! Hooks that end and leave a child behind that holds their standard output. The child stays as
//! long as the scene does, so a hook that is waited for to the end of its output never comes back.

use std::time::{Duration, Instant};

use harness_hooks_core::{Action, Envelope, Exit};
use harness_hooks_runner::Limits;
use serde_json::{Value, json};

use crate::scene::{ALLOW, Happened, PROJECT, Scene, codes, fire, host};

const GRACE: Duration = Duration::from_millis(200);
const DENY: &str = r#"printf '{"permission":"deny","agent_message":"no"}'"#;

/// Fires at a hook that leaves a child with its output behind and then goes on with `line`.
async fn leaking(event: &str, line: &str, closed: bool, envelope: impl Fn(&Scene) -> Envelope) -> Happened {
    let scene = Scene::new();
    let child = format!("(while [ -d {} ]; do sleep 1; done) & {line}", scene.at("out"));
    scene.hooks(PROJECT, &json!({ event: [{ "command": child, "failClosed": closed }] }));
    let dispatcher = scene.dispatcher(host()).limits(Limits::default().grace(GRACE));
    let began = Instant::now();
    let happened = fire(&dispatcher, &envelope(&scene)).await;
    let took = began.elapsed();
    assert!(happened.only().outcome.leaked);
    // a hook that does nothing else ends at once; the rest is for a machine under load
    assert!((GRACE..GRACE + Duration::from_secs(5)).contains(&took), "{took:?}");
    happened
}

/// CUR-OUT-12
#[tokio::test]
async fn an_answer_counts() {
    for (line, action, approved) in [(ALLOW, Action::Proceed, true), (DENY, Action::Deny, false)] {
        for closed in [false, true] {
            let happened = leaking("beforeShellExecution", line, closed, |scene| scene.shell("ls")).await;
            assert_eq!(happened.only().outcome.exit, Exit::Code(0));
            assert_eq!((happened.decision.action, happened.decision.pre_approved), (action, approved));
            assert_eq!(codes(&happened.decision.diagnostics), ["cursor/leaked"]);
        }
    }
}

/// CUR-OUT-02, CUR-OUT-12
#[tokio::test]
async fn a_refusal_by_exit_2_counts() {
    let happened = leaking("beforeShellExecution", "echo no; exit 2", false, |scene| scene.shell("ls")).await;
    assert_eq!((happened.decision.action, happened.reasons().as_str()), (Action::Deny, "no"));
    assert_eq!(codes(&happened.decision.diagnostics), ["cursor/leaked"]);
}

/// CUR-OUT-06, CUR-OUT-07: a guard that said nothing may have meant to say it later.
#[tokio::test]
async fn a_guard_that_said_nothing_failed() {
    for (closed, action) in [(false, Action::Proceed), (true, Action::Deny)] {
        let happened = leaking("beforeShellExecution", "true", closed, |scene| scene.shell("ls")).await;
        assert_eq!((happened.decision.action, happened.decision.pre_approved), (action, false));
        assert_eq!(codes(&happened.decision.diagnostics), ["cursor/hook-failed"]);
        let reasons = happened.reasons();
        let command = &happened.only().command;
        let said = ["Acme", "shell command", command.as_str(), "left a child holding its output"];
        assert!(!closed || said.iter().all(|part| reasons.contains(part)), "{reasons}");
    }
}

/// CUR-OUT-12: elsewhere silence is a good answer, and a follow-up counts.
#[tokio::test]
async fn elsewhere_it_is_a_note() {
    for (line, message) in [("true", None), (r#"printf '{"followup_message":"go on"}'"#, Some("go on"))] {
        let decision = leaking("stop", line, true, Scene::stop).await.decision;
        assert_eq!(decision.continuation.as_ref().map(|c| c.message.as_str()), message);
        assert_eq!(codes(&decision.diagnostics), ["cursor/leaked"]);
    }
}

/// A child with an output of its own holds up nothing.
#[tokio::test]
async fn a_child_with_its_own_output_is_none_of_our_business() {
    let scene = Scene::new();
    let line = format!("(while [ -d {} ]; do sleep 1; done) >/dev/null 2>&1 & {ALLOW}", scene.at("out"));
    let hooks: Value = json!({ "beforeShellExecution": [{ "command": line, "failClosed": true }] });
    scene.hooks(PROJECT, &hooks);
    let happened = fire(&scene.dispatcher(host()), &scene.shell("ls")).await;
    assert!(!happened.only().outcome.leaked);
    assert!(happened.decision.pre_approved && happened.decision.diagnostics.is_empty());
}
