//! One stop hook for every vendor: a script that hands a sink of messages to the agent and empties
//! it, told by a variable in whose words to say so. With each vendor's adapter it runs as often and
//! says the same.

use harness_hooks_runner::Dispatcher;
use serde_json::{Value, json};

use crate::scene::{Happened, Scene, Vendor, fire, host, size};

/// Quotes, a backslash, a tab and letters beyond ASCII, as a message may hold them.
const DIRECTIVE: &str = "[directive] desk#7: \"probe\" C:\\tmp\tgrüß from a session without a name\n";
/// What the agent is told of it: the script's bytes and nothing else.
const FOLLOW_UP: &str =
    "News from the fleet:\n[directive] desk#7: \"probe\" C:\\tmp\tgrüß from a session without a name";

/// What it is told goes to `out/VENDOR.inputs`. A turn that hooks already made go on ends, where the
/// vendor says that it is one; so does one with an empty sink.
const SCRIPT: &str = r#"
payload=$(cat)
printf '%s\n' "$payload" >>OUT/$NEWS_FOR.inputs
payload=${payload#"$(printf '\357\273\277')"}
case $payload in
  *'"stop_hook_active":true'*) exit 0 ;;
  '{'*'"hook_event_name":"'[Ss]'top"'*) ;;
  *) exit 0 ;;
esac
sink=${1:-OUT/sink}
[ -s "$sink" ] || exit 0
news=$(sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e "s/$(printf '\t')/\\\\t/g" "$sink" | awk '{ printf "\\n%s", $0 }')
case $NEWS_FOR in
  cursor) printf '{"followup_message":"News from the fleet:%s"}\n' "$news" ;;
  claude | codex) printf '{"decision":"block","reason":"News from the fleet:%s"}\n' "$news" ;;
esac
: >"$sink"
"#;

fn stop_event(vendor: Vendor) -> &'static str {
    if vendor == Vendor::Cursor { "stop" } else { "Stop" }
}

/// The hook in a vendor's file, in that vendor's words.
fn configure(scene: &Scene, vendor: Vendor, argument: &str) {
    let script = scene.script("bin/news", &SCRIPT.replace("OUT", &scene.at("out")));
    let command = format!("NEWS_FOR={} {script} {argument}", vendor.name());
    scene.hooks_of(vendor, &vendor.event(stop_event(vendor), &[json!({ "command": command })]));
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

fn told(stops: &[Happened]) -> Vec<Option<&str>> {
    stops.iter().map(|stop| stop.decision.continuation.as_ref().map(|c| c.message.as_str())).collect()
}

/// CUR-OUT-45, CLA-OUT-59, CDX-ENC-16: one message is two executions and arrives as it is; nothing
/// to say is one; without the hook there is none, and the sink stays full.
#[tokio::test]
async fn one_script_serves_every_vendor() {
    for vendor in Vendor::ALL {
        let scene = Scene::new();
        configure(&scene, vendor, "");
        scene.write("out/sink", DIRECTIVE);
        let stops = turn(&scene, &scene.council(host())).await;
        assert_eq!((executions(&stops), told(&stops)), (2, vec![Some(FOLLOW_UP), None]), "{vendor:?}");
        assert_eq!(size(&scene.path("out/sink")), 0, "{vendor:?}");
        let diagnostics: Vec<_> = stops.iter().flat_map(|stop| &stop.decision.diagnostics).collect();
        assert!(diagnostics.is_empty(), "{diagnostics:?}");

        // a new session, whose sink is empty
        let stops = turn(&scene, &scene.council(host())).await;
        assert_eq!((executions(&stops), told(&stops)), (1, vec![None]), "{vendor:?}");

        scene.write("out/sink", DIRECTIVE);
        scene.hooks_of(vendor, &json!({}));
        let stops = turn(&scene, &scene.council(host())).await;
        assert_eq!((executions(&stops), told(&stops)), (0, vec![None]), "{vendor:?}");
        assert_eq!(scene.read("out/sink"), DIRECTIVE);
    }
}

/// CUR-ENC-18, CLA-ENC-21, CDX-ENC-16: each vendor says in its own way that hooks made the agent go
/// on: a count, or a flag.
#[tokio::test]
async fn the_second_stop_says_that_it_is_one() {
    for vendor in Vendor::ALL {
        let scene = Scene::new();
        configure(&scene, vendor, "");
        scene.write("out/sink", DIRECTIVE);
        turn(&scene, &scene.council(host())).await;
        let inputs = scene.inputs(&format!("out/{}.inputs", vendor.name()));
        let said = |key: &str| inputs.iter().map(|input| input[key].clone()).collect::<Vec<Value>>();
        match vendor {
            Vendor::Cursor => assert_eq!(said("loop_count"), [json!(0), json!(1)]),
            _ => assert_eq!(said("stop_hook_active"), [json!(false), json!(true)], "{vendor:?}"),
        }
        assert_eq!(said("hook_event_name"), vec![json!(stop_event(vendor)); 2]);
    }
}

/// Three vendors' copies of it in one workspace, each with a sink: one stop tells all, in the order of
/// the adapters, and the next none.
#[tokio::test]
async fn three_sinks_are_drained_by_one_stop() {
    for order in Vendor::ORDERS {
        let scene = Scene::new();
        for vendor in Vendor::ALL {
            configure(&scene, vendor, &scene.at(&format!("out/{}.sink", vendor.name())));
            scene.write(&format!("out/{}.sink", vendor.name()), format!("for {}\n", vendor.name()));
        }
        let dispatcher = Dispatcher::new(scene.load_as(host(), order));
        let stops = turn(&scene, &dispatcher).await;
        let news: Vec<String> =
            order.iter().map(|vendor| format!("News from the fleet:\nfor {}", vendor.name())).collect();
        assert_eq!(told(&stops), [Some(news.join("\n\n").as_str()), None], "{order:?}");
        assert_eq!(executions(&stops), 6);
        let parts = &stops[0].decision.continuation.as_ref().unwrap().parts;
        let by: Vec<_> = parts.iter().map(|part| part.by.vendor()).collect();
        assert_eq!(by, order.map(Vendor::name));
        let state = dispatcher.state("s1").continuations;
        assert_eq!(state.total, 1, "one continuation, whoever asked for it");
        assert!(state.by_vendor.values().all(|count| *count == 1) && state.by_vendor.len() == 3);
    }
}
