//! Guards that take their time: whose timeout holds, and what a guard that ran out of it means.

use std::time::Duration;

use harness_hooks_core::{Action, Boundary, Exit, Host};
use serde_json::{Value, json};

use crate::scene::{ALLOW, Happened, Scene, codes, fire, host};

const SLOW: &str = r#"sleep 1; printf '{"permission":"deny","agent_message":"looked closely"}'"#;
const ENDLESS: &str = "sleep 60";

/// Whose default before a tool call is this, in milliseconds.
fn default(ms: u64) -> Host {
    host().timeout(Boundary::ToolBefore, Duration::from_millis(ms))
}

async fn guarded(host: Host, definition: Value) -> Happened {
    let scene = Scene::with(&json!({ "beforeShellExecution": [definition] }));
    fire(&scene.dispatcher(host), &scene.shell("ls")).await
}

/// CUR-RUN-08: a guard that takes longer than the host's default, inside its own timeout.
#[tokio::test]
async fn a_timeout_of_its_own_outlasts_the_hosts() {
    let happened = guarded(default(300), json!({ "command": SLOW, "timeout": 30 })).await;
    let run = happened.only();
    assert_eq!(run.outcome.exit, Exit::Code(0));
    // not the whole second: its clock starts when the system says it has started, which it then has
    assert!(run.outcome.elapsed_ms > 300, "{}", run.outcome.elapsed_ms);
    assert_eq!((happened.decision.action, happened.reasons().as_str()), (Action::Deny, "looked closely"));
    assert!(happened.decision.diagnostics.is_empty());
}

/// CUR-RUN-08, CUR-EVT-11: the same guard without a timeout of its own.
#[tokio::test]
async fn without_one_the_hosts_default_holds() {
    let happened = guarded(default(300), json!({ "command": SLOW })).await;
    assert_eq!(happened.only().outcome.exit, Exit::TimedOut);
    assert_eq!(happened.decision.action, Action::Proceed);
}

/// CUR-RUN-08, CUR-CFG-09, CUR-OUT-06, CUR-OUT-07: a guard that stays inside the host's default
/// and not inside its own timeout, which is a fraction of a second.
#[tokio::test]
async fn a_timeout_of_its_own_ends_before_the_hosts() {
    // what it printed by then is not read
    let denies = format!(r#"printf '{{"permission":"deny"}}'; {ENDLESS}"#);
    for line in [ENDLESS, &denies] {
        for (closed, action) in [(false, Action::Proceed), (true, Action::Deny)] {
            let definition = json!({ "command": line, "timeout": 0.3, "failClosed": closed });
            let happened = guarded(default(30_000), definition).await;
            let outcome = &happened.only().outcome;
            assert!(outcome.exit == Exit::TimedOut && outcome.elapsed_ms < 20_000, "{outcome:?}");
            assert_eq!((happened.decision.action, happened.decision.pre_approved), (action, false));
            assert_eq!(codes(&happened.decision.diagnostics), ["cursor/hook-failed"]);
            let reasons = happened.reasons();
            assert!(!closed || [line, "Acme", "timed out"].iter().all(|part| reasons.contains(part)), "{reasons}");
        }
    }
}

/// CUR-CFG-09: longer than any clock runs, and milliseconds that were meant as seconds.
#[tokio::test]
async fn a_timeout_of_any_length() {
    for timeout in [json!(1e30), json!(60_000), json!(1e18)] {
        let happened = guarded(host(), json!({ "command": ALLOW, "timeout": timeout })).await;
        assert_eq!(happened.only().outcome.exit, Exit::Code(0));
        assert!(happened.decision.pre_approved);
    }
    let happened = guarded(host(), json!({ "command": ENDLESS, "timeout": 0.2 })).await;
    assert_eq!(happened.only().outcome.exit, Exit::TimedOut);
}

/// CUR-RUN-08: each guard's clock is its own.
#[tokio::test]
async fn one_that_runs_out_of_time_takes_none_from_another() {
    let definitions = json!([{ "command": ENDLESS, "timeout": 0.3 }, { "command": SLOW, "timeout": 30 }]);
    let scene = Scene::with(&json!({ "beforeShellExecution": definitions }));
    let happened = fire(&scene.dispatcher(host()), &scene.shell("ls")).await;
    for (line, exit) in [(ENDLESS, Exit::TimedOut), (SLOW, Exit::Code(0))] {
        assert!(happened.runs.iter().any(|run| run.command == line && run.outcome.exit == exit), "{line}");
    }
    assert_eq!((happened.decision.action, happened.reasons().as_str()), (Action::Deny, "looked closely"));
}
