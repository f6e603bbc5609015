//! Turns that hooks make go on, again and again: each limit bounds its own hook, the host's cap bounds
//! all of them together and says so, and only a prompt of the user's starts the count anew.

use harness_hooks_core::{Envelope, PromptOrigin, PromptSubmit, SessionStart, SessionState, Turn, Why};
use harness_hooks_runner::Dispatcher;
use serde_json::json;

use crate::scene::{Happened, PROJECT, Scene, Vendor, codes, fire, host};

/// A line that always has more to do.
fn more(vendor: Vendor) -> String {
    match vendor {
        Vendor::Cursor => r#"printf '{"followup_message":"cursor"}'"#.to_owned(),
        _ => format!(r#"printf '{{"decision":"block","reason":"{}"}}'"#, vendor.name()),
    }
}

/// Stop hooks of all three; Cursor's may ask three times since the user's last prompt.
fn council() -> Scene {
    let scene = Scene::new();
    scene.hooks(PROJECT, &json!({ "stop": [{ "command": more(Vendor::Cursor), "loop_limit": 3 }] }));
    for vendor in [Vendor::Claude, Vendor::Codex] {
        scene.hooks_of(vendor, &vendor.event("Stop", &[json!({ "command": more(vendor) })]));
    }
    scene
}

/// A stop of a turn that has an id of its own, as hosts do that start a turn for every continuation.
fn stop(scene: &Scene, n: usize) -> Envelope {
    scene.stop().turn(Turn::new(format!("turn_{n}")))
}

/// Stops until nobody wants to go on.
async fn until_the_end(scene: &Scene, dispatcher: &Dispatcher) -> Vec<Happened> {
    let mut stops = Vec::new();
    loop {
        let happened = fire(dispatcher, &stop(scene, stops.len())).await;
        let goes_on = happened.decision.continuation.is_some();
        stops.push(happened);
        if !goes_on {
            return stops;
        }
        assert!(stops.len() < 30, "it never ends");
    }
}

fn counts(dispatcher: &Dispatcher) -> (u32, Vec<(String, u32)>) {
    let counts = dispatcher.state("s1").continuations;
    (counts.total, counts.by_vendor.into_iter().map(|(vendor, n)| (vendor.as_str().to_owned(), n)).collect())
}

/// CUR-RUN-07, CLA-RUN-18, CDX-RUN-10: Cursor's hook ends at its own limit and the others go on; the
/// host's cap ends them all, none of them is started then, and that it ends there is said. Other turn
/// ids change nothing.
#[tokio::test]
async fn each_limit_bounds_its_own_and_the_cap_all() {
    let scene = council();
    let dispatcher = scene.council(host());
    let stops = until_the_end(&scene, &dispatcher).await;
    let told: Vec<_> = stops.iter().map(|stop| stop.decision.continuation.as_ref().map(|c| &*c.message)).collect();
    let mut expected = vec![Some("cursor\n\nclaude\n\ncodex"); 3];
    expected.extend([Some("claude\n\ncodex"); 5]);
    expected.push(None);
    assert_eq!(told, expected);
    let runs: Vec<_> = stops.iter().map(|stop| stop.runs.len()).collect();
    assert_eq!(runs, [3, 3, 3, 2, 2, 2, 2, 2, 0]);
    let both = [("claude", 8), ("codex", 8), ("cursor", 3)].map(|(vendor, n)| (vendor.to_owned(), n));
    assert_eq!(counts(&dispatcher), (8, both.to_vec()));
    let (last, before) = stops.split_last().unwrap();
    assert!(before.iter().all(|stop| stop.decision.diagnostics.is_empty()));
    assert_eq!(codes(&last.decision.diagnostics), ["host/continuation-cap"]);
    let said = &last.decision.diagnostics[0].message;
    assert!(said.contains("8 times") && said.contains("Acme"), "{said}");

    // it stays ended, and says so each time
    let again = fire(&dispatcher, &stop(&scene, 9)).await;
    assert!(again.runs.is_empty() && codes(&again.decision.diagnostics) == ["host/continuation-cap"]);
}

/// The cap counts continuations, whoever's they are: vendors that take turns reach it together, each
/// far from a limit of its own.
#[tokio::test]
async fn vendors_that_take_turns_share_the_cap() {
    let scene = Scene::new();
    for vendor in Vendor::ALL {
        let name = vendor.name();
        let line = format!("[ \"$(cat {})\" != {name} ] || {}", scene.at("out/turn"), more(vendor));
        let event = if vendor == Vendor::Cursor { "stop" } else { "Stop" };
        scene.hooks_of(vendor, &vendor.event(event, &[json!({ "command": line })]));
    }
    let dispatcher = scene.council(host().continuation_cap(4));
    let turns = ["claude", "cursor", "codex", "claude", "cursor"];
    let mut told = Vec::new();
    for (n, turn) in turns.into_iter().enumerate() {
        scene.write("out/turn", turn);
        let happened = fire(&dispatcher, &stop(&scene, n)).await;
        told.push(happened.decision.continuation.map(|onward| onward.message.to_string()));
    }
    let told: Vec<_> = told.iter().map(Option::as_deref).collect();
    assert_eq!(told, [Some("claude"), Some("cursor"), Some("codex"), Some("claude"), None]);
    let each = [("claude", 2), ("codex", 1), ("cursor", 1)].map(|(vendor, n)| (vendor.to_owned(), n));
    assert_eq!(counts(&dispatcher), (4, each.to_vec()));
}

/// Neither a prompt of the host's own, nor a session that starts again, nor a new turn starts the
/// count anew; a prompt of the user's does, and so does a host that fires none and says so itself.
#[tokio::test]
async fn only_the_users_prompt_starts_the_count_anew() {
    let scene = council();
    let dispatcher = scene.council(host());
    until_the_end(&scene, &dispatcher).await;
    for unmoved in [
        scene.envelope(PromptSubmit::new("a task has ended").origin(PromptOrigin::Host)),
        scene.envelope(SessionStart::new()),
        stop(&scene, 20),
    ] {
        fire(&dispatcher, &unmoved).await;
        assert_eq!(counts(&dispatcher).0, 8, "{}", unmoved.boundary());
    }
    fire(&dispatcher, &scene.envelope(PromptSubmit::new("go on"))).await;
    assert_eq!(counts(&dispatcher), (0, vec![]));
    assert_eq!(until_the_end(&scene, &dispatcher).await.len(), 9);

    let mut state = dispatcher.state("s1");
    state.new_prompt();
    dispatcher.set_state("s1", state);
    assert_eq!(until_the_end(&scene, &dispatcher).await.len(), 9);
}

/// CLA-RUN-18, CDX-RUN-10: a hook that empties what it hands over is not started where nobody would
/// read it. What it had to say is still there after the user's next prompt.
#[tokio::test]
async fn nothing_is_handed_over_at_the_cap() {
    for vendor in Vendor::ALL {
        let scene = Scene::new();
        let line = format!("[ -s {0} ] || exit 0; : >{0}; {1}", scene.at("out/sink"), more(vendor));
        let event = if vendor == Vendor::Cursor { "stop" } else { "Stop" };
        scene.hooks_of(vendor, &vendor.event(event, &[json!({ "command": line })]));
        scene.write("out/sink", "news");
        let dispatcher = scene.council(host());
        let mut state = SessionState::new();
        state.continuations.total = 8; // by hooks of others
        dispatcher.set_state("s1", state);
        let happened = fire(&dispatcher, &scene.stop()).await;
        assert!(happened.runs.is_empty() && happened.decision.continuation.is_none(), "{vendor:?}");
        assert_eq!(scene.read("out/sink"), "news", "{vendor:?}");

        fire(&dispatcher, &scene.envelope(PromptSubmit::new("go on"))).await;
        let happened = fire(&dispatcher, &scene.stop()).await;
        assert_eq!(happened.decision.continuation.unwrap().message, vendor.name());
        assert_eq!(scene.read("out/sink"), "");
    }
}

/// A hook nobody waits for cannot make the agent go on, so the cap is none of its concern.
#[tokio::test]
async fn a_hook_nobody_waits_for_runs_at_the_cap() {
    let scene = Scene::new();
    let gate = scene.gate("gate");
    let line = format!("echo told >{}", gate.at());
    let hooks = Vendor::Claude.event("Stop", &[json!({ "command": line, "async": true })]);
    scene.hooks_of(Vendor::Claude, &hooks);
    let dispatcher = scene.council(host().continuation_cap(0));
    let happened = fire(&dispatcher, &scene.stop()).await;
    assert!(happened.decision.diagnostics.is_empty());
    dispatcher.quiet().await;
    assert_eq!(gate.receive(), "told");
}

/// Why a stop hook was not started: its own limit, or the host's cap.
#[tokio::test]
async fn the_reason_tells_a_limit_from_the_cap() {
    let scene = council();
    let snapshot = scene.load_all(host());
    let mut state = SessionState::new();
    state.continuations.total = 8;
    state.continuations.by_vendor.insert(harness_hooks_cursor::CURSOR, 3);
    let envelope = scene.stop();
    let stage = snapshot.begin(&envelope, state).explaining().next_stage().unwrap();
    let whys: Vec<_> = stage.skipped.iter().map(|skipped| skipped.why.clone()).collect();
    assert_eq!(whys, [Why::LoopLimit { limit: 3, count: 3 }, Why::ContinuationCap(8), Why::ContinuationCap(8)]);
}
