//! A stop hook that hands a sink of messages to the agent and empties it, with a loop limit above
//! the host's cap: turns that go on once, not at all, and until a limit ends them. The tests are
//! the host's loop: a turn that is told to go on stops again, without a prompt in between.

use std::fs;

use harness_hooks_core::{Exit, PromptSubmit, Severity, Standing, TurnStop, WorkEnd};
use harness_hooks_runner::Dispatcher;
use serde_json::json;

use crate::scene::{Happened, PROJECT, Scene, USER, codes, fire, host, size};

/// Quotes, a backslash, a tab and letters beyond ASCII, as a message may hold them.
const DIRECTIVE: &str = "[directive] desk#7: \"probe\" C:\\tmp\tgrüß from a session without a name\n";
/// What the agent is told of it: the script's bytes and nothing else.
const FOLLOW_UP: &str =
    "News from the fleet:\n[directive] desk#7: \"probe\" C:\\tmp\tgrüß from a session without a name";

/// The hook: what it is told goes to `out/inputs`. Without an order to stop that it understands it
/// leaves the sink alone; an empty sink ends the turn in silence.
fn stop_hook(scene: &Scene) -> String {
    let script = r#"
payload=$(cat)
printf '%s\n' "$payload" >>OUT/inputs
payload=${payload#"$(printf '\357\273\277')"}
case $payload in
  *'"stop_hook_active":true'*) exit 0 ;;
  '{'*'"hook_event_name":"stop"'*) ;;
  *) exit 0 ;;
esac
[ -s OUT/sink ] || exit 0
news=$(sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e "s/$(printf '\t')/\\\\t/g" OUT/sink | awk '{ printf "\\n%s", $0 }')
printf '{"followup_message":"News from the fleet:%s"}\n' "$news"
: >OUT/sink
"#;
    scene.script("bin/stop-hook", &script.replace("OUT", &scene.at("out")))
}

fn configured() -> Scene {
    let scene = Scene::new();
    let command = stop_hook(&scene);
    scene.hooks(PROJECT, &json!({ "stop": [{ "command": command, "loop_limit": 10 }] }));
    scene
}

/// One turn, from a stop to the stop nobody objects to.
async fn turn(scene: &Scene, dispatcher: &Dispatcher) -> Vec<Happened> {
    let mut stops = Vec::new();
    loop {
        let happened = fire(dispatcher, &scene.stop()).await;
        let goes_on = happened.decision.continuation.is_some();
        stops.push(happened);
        if !goes_on {
            return stops;
        }
        assert!(stops.len() < 20, "the turn does not end");
    }
}

fn executions(stops: &[Happened]) -> usize {
    stops.iter().map(|stop| stop.runs.len()).sum()
}

/// What the agent was told, stop by stop.
fn told(stops: &[Happened]) -> Vec<Option<&str>> {
    stops.iter().map(|stop| stop.decision.continuation.as_ref().map(|c| c.message.as_str())).collect()
}

/// CUR-CFG-12
#[test]
fn a_limit_above_the_cap_is_the_cap() {
    let snapshot = configured().load(host());
    let [binding] = snapshot.bindings() else { panic!("{} bindings", snapshot.bindings().len()) };
    assert_eq!((binding.loop_limit, &binding.standing), (Some(8), &Standing::Active));
    let [warning] = snapshot.diagnostics() else { panic!("{:?}", snapshot.diagnostics()) };
    assert_eq!((warning.severity, warning.pointer.as_deref()), (Severity::Warning, Some("/hooks/stop/0")));
    assert!(warning.message.contains("10") && warning.message.contains('8'), "{warning}");
}

/// CUR-OUT-45, CUR-OUT-53, CUR-ENC-01, CUR-ENC-17, CUR-ENC-18: one message, two executions.
#[tokio::test]
async fn a_sink_is_drained_once_and_verbatim() {
    let scene = configured();
    scene.write("out/sink", DIRECTIVE);
    let stops = turn(&scene, &scene.dispatcher(host())).await;
    assert_eq!((executions(&stops), told(&stops)), (2, vec![Some(FOLLOW_UP), None]));
    assert_eq!(size(&scene.path("out/sink")), 0);
    assert!(stops.iter().all(|stop| stop.only().outcome.exit == Exit::Code(0)));
    assert_eq!(stops[1].only().outcome.stdout, b"");
    assert!(stops.iter().all(|stop| stop.decision.diagnostics.is_empty()));
    assert_eq!(stops[0].decision.continuation.as_ref().unwrap().parts[0].limit, Some(8));

    assert!(scene.read("out/inputs").starts_with('{'), "no byte order mark");
    let inputs = scene.inputs("out/inputs");
    assert_eq!(inputs.iter().map(|input| &input["loop_count"]).collect::<Vec<_>>(), [0, 1]);
    for input in inputs {
        assert_eq!((&input["hook_event_name"], &input["status"]), (&json!("stop"), &json!("completed")));
        assert!(input.get("stop_hook_active").is_none());
    }
}

/// CUR-OUT-14
#[tokio::test]
async fn an_empty_sink_ends_the_turn() {
    let scene = configured();
    scene.write("out/sink", "");
    let stops = turn(&scene, &scene.dispatcher(host())).await;
    assert_eq!((executions(&stops), told(&stops)), (1, vec![None]));
    assert_eq!(size(&scene.path("out/sink")), 0);
}

/// CUR-CFG-04, CUR-SRC-03: the control of both. An empty configuration and a file that is gone
/// disable the hook alike, also for a dispatcher that ran it before.
#[tokio::test]
async fn without_the_hook_the_sink_stays_full() {
    let scene = configured();
    let dispatcher = scene.dispatcher(host());
    scene.write("out/sink", "");
    assert_eq!(executions(&turn(&scene, &dispatcher).await), 1);

    let aside = scene.path("project/.cursor/hooks.json.aside");
    let written = scene.read(PROJECT);
    for removed in [true, false] {
        scene.write("out/sink", DIRECTIVE);
        if removed {
            fs::rename(scene.path(PROJECT), &aside).unwrap();
        } else {
            scene.write(PROJECT, r#"{"version":1,"hooks":{}}"#);
        }
        dispatcher.replace(scene.load(host()));
        assert!(dispatcher.snapshot().bindings().is_empty() && dispatcher.snapshot().diagnostics().is_empty());
        let stops = turn(&scene, &dispatcher).await;
        assert_eq!((executions(&stops), told(&stops)), (0, vec![None]));
        assert_eq!(scene.read("out/sink"), DIRECTIVE);
    }

    scene.write(PROJECT, written);
    dispatcher.replace(scene.load(host()));
    assert_eq!(told(&turn(&scene, &dispatcher).await), [Some(FOLLOW_UP), None]);
}

/// CUR-RUN-07, CUR-CFG-11, CUR-CFG-12: a hook that never has enough is bounded by its limit alone.
#[tokio::test]
async fn a_loop_ends_at_its_limit() {
    for (limit, times) in [(json!(10), 8), (json!(null), 8), (json!(2), 2), (json!(0), 0), (json!("absent"), 5)] {
        let scene = Scene::new();
        let line = format!(r#"cat >>{0}; echo >>{0}; printf '{{"followup_message":"go on"}}'"#, scene.at("out/inputs"));
        let mut definition = json!({ "command": line, "loop_limit": limit });
        if limit == "absent" {
            definition.as_object_mut().unwrap().remove("loop_limit");
        }
        scene.hooks(PROJECT, &json!({ "stop": [definition] }));
        let dispatcher = scene.dispatcher(host());
        let stops = turn(&scene, &dispatcher).await;
        // at the stop that ends the turn it is not even started
        assert_eq!((stops.len(), executions(&stops)), (times + 1, times), "limit {limit}");
        if times > 0 {
            let counts: Vec<_> =
                scene.inputs("out/inputs").into_iter().map(|input| input["loop_count"].clone()).collect();
            assert_eq!(counts, (0..times).collect::<Vec<_>>());
        }
        // what the user says next starts the count anew
        fire(&dispatcher, &scene.envelope(PromptSubmit::new("again"))).await;
        assert_eq!(executions(&turn(&scene, &dispatcher).await), times, "limit {limit}");
    }
}

/// CUR-RUN-07: limits are each hook's own, the count is the vendor's. What several say is one
/// message.
#[tokio::test]
async fn each_hook_has_its_own_limit() {
    let says = |text: &str, limit| {
        let line = format!(r#"printf '{{"followup_message":"{text}"}}'"#);
        json!([{ "command": line, "loop_limit": limit }])
    };
    let scene = Scene::with(&json!({ "stop": says("lint", 1) }));
    scene.hooks(USER, &json!({ "stop": says("test", 3) }));
    let stops = turn(&scene, &scene.dispatcher(host())).await;
    assert_eq!(told(&stops), [Some("lint\n\ntest"), Some("test"), Some("test"), None]);
    assert_eq!(executions(&stops), 4);
}

/// CUR-OUT-46: work that was stopped is not taken up again.
#[tokio::test]
async fn an_aborted_turn_does_not_go_on() {
    let scene = configured();
    scene.write("out/sink", DIRECTIVE);
    let happened = fire(&scene.dispatcher(host()), &scene.envelope(TurnStop::new().end(WorkEnd::Aborted))).await;
    assert!(happened.decision.continuation.is_none());
    assert_eq!(codes(&happened.decision.diagnostics), ["cursor/ignored-field"]);
    assert_eq!(scene.inputs("out/inputs")[0]["status"], "aborted");
}
