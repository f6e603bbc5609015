//! Hooks of three vendors end as they like and finish in whatever order: the decision, as it is
//! written down, is the same to the byte.

use std::sync::Arc;

use harness_hooks_core::{Decision, Envelope, Exit, Outcome, SessionState, Snapshot};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::json;

use crate::scene::{Scene, Vendor, host};

/// Hooks of each vendor at a shell call: two that judge it at once, and a guard of the shell.
const HOOKS: usize = 7;

fn scene() -> Scene {
    let scene = Scene::new();
    let command = |n: usize| json!({ "command": format!("hook {n}") });
    let cursor = json!({
        "preToolUse": [command(0), { "command": "hook 1", "failClosed": true }],
        "beforeShellExecution": [command(2)],
    });
    scene.hooks_of(Vendor::Cursor, &cursor);
    let mut closed = command(4);
    closed["onFailure"] = json!("block");
    scene.hooks_of(Vendor::Claude, &Vendor::Claude.event("PreToolUse", &[command(3), closed]));
    scene.hooks_of(Vendor::Codex, &Vendor::Codex.event("PreToolUse", &[command(5), command(6)]));
    scene
}

/// How a hook ends, and what it said before: answers of every vendor, whoever gives them, so that
/// some are understood, some are not, and some are refusals in another's words.
fn outcome() -> impl Strategy<Value = Option<Outcome>> {
    let decision = |fields: &str| {
        format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{fields},"additionalContext":"known"}}}}"#)
    };
    let said = vec![
        String::new(),
        "{}".into(),
        "not JSON".into(),
        r#"{"permission":"allow"}"#.into(),
        r#"{"permission":"ask","user_message":"really?"}"#.into(),
        r#"{"permission":"deny","agent_message":"no"}"#.into(),
        r#"{"permission":"allow","updated_input":{"command":"ls -a"}}"#.into(),
        r#"{"permission":"allow","updated_input":{"command":7}}"#.into(),
        r#"{"continue":false,"stopReason":"enough","systemMessage":"look"}"#.into(),
        decision(r#""permissionDecision":"allow""#),
        decision(r#""permissionDecision":"ask","permissionDecisionReason":"sure?""#),
        decision(r#""permissionDecision":"deny","permissionDecisionReason":"never""#),
        decision(r#""permissionDecision":"allow","updatedInput":{"command":"ls -b"}"#),
    ];
    let exit = prop_oneof![
        8 => Just(Exit::Code(0)),
        1 => Just(Exit::Code(2)),
        1 => Just(Exit::Code(1)),
        1 => Just(Exit::Signal(9)),
        1 => Just(Exit::TimedOut),
        1 => Just(Exit::NotStarted("no such program".into())),
    ];
    let outcome = (exit, select(said), select(vec!["", "because"]));
    option::weighted(0.9, outcome.prop_map(|(exit, out, err)| Outcome::new(exit).stdout(out).stderr(err)))
}

/// A firing whose hooks finish in this order of their vendors, within a vendor forwards or backwards.
fn fire(snapshot: &Arc<Snapshot>, envelope: &Envelope, outcomes: &[Option<Outcome>], order: [Vendor; 3]) -> Decision {
    let mut firing = snapshot.begin(envelope, SessionState::new());
    while let Some(stage) = firing.next_stage() {
        let mut finished: Vec<_> = stage.invocations.iter().collect();
        let place = |vendor: &str| order.iter().position(|known| known.name() == vendor);
        finished.sort_by_key(|invocation| place(invocation.binding.vendor().as_str()));
        if order[0] == Vendor::Codex {
            finished.reverse();
        }
        for invocation in finished {
            let number: usize = invocation.binding.handler.text().trim_start_matches("hook ").parse().unwrap();
            if let Some(outcome) = &outcomes[number] {
                firing.report(invocation, outcome);
            }
        }
    }
    firing.finish().decision
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]

    #[test]
    fn the_order_in_which_vendors_finish_changes_nothing(
        cases in vec(vec(outcome(), HOOKS), 4),
        rejudge in any::<bool>(),
        strict in any::<bool>(),
        attended in any::<bool>(),
    ) {
        let scene = scene();
        let snapshot = scene.load_all(host().rejudge(rejudge).strict(strict).attended(attended));
        prop_assert_eq!(snapshot.bindings().len(), HOOKS);
        let envelope = scene.shell("ls");
        for outcomes in cases {
            let written = |order| serde_json::to_string(&fire(&snapshot, &envelope, &outcomes, order)).unwrap();
            let first = written(Vendor::ORDERS[0]);
            for order in &Vendor::ORDERS[1..] {
                prop_assert_eq!(&written(*order), &first, "{:?}", order);
            }
        }
    }
}
