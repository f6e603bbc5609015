//! Whole firings: order, stages, the concurrency limit, states, cancellation, dropping, reloads.

use std::{
    collections::BTreeSet,
    future::Future,
    pin::pin,
    time::{Duration, Instant},
};

use harness_hooks_core::{Action, Decision, Exit, SessionState, Vendor};
use harness_hooks_runner::{Cancel, Dispatcher, Limits, Progress};

use crate::{
    common::{Scene, until},
    tiny::{context, session_start, snapshot, tool_before},
};

/// What has happened, one word each: `started 0`, `finished 1`.
fn words(said: &mut Vec<String>) -> impl FnMut(Progress<'_>) + Send {
    |progress| {
        said.push(match progress {
            Progress::Stage(stage) => format!("stage {}", stage.number),
            Progress::Skipped(skipped) => {
                format!("skipped {}: {}", skipped.binding.handler.text().as_str(), skipped.why)
            }
            Progress::Started(invocation) => format!("started {}", invocation.binding.handler.text().as_str()),
            Progress::Finished { invocation, outcome, .. } => {
                format!("finished {}: {:?}", invocation.binding.handler.text().as_str(), outcome.exit)
            }
            _ => "something else".into(),
        });
    }
}

#[tokio::test]
async fn results_are_reported_as_they_come_and_merged_in_binding_order() {
    let scene = Scene::new();
    let slow = "until [ -e go ]; do sleep 0.02; done; sleep 0.5; echo slow"; // time for the other to end
    let quick = "cat; echo; touch go";
    let dispatcher = Dispatcher::new(snapshot(&scene, &[format!("first {slow}"), format!("first {quick}")]));
    let mut said = Vec::new();
    let fired = dispatcher.fire_with(&tool_before("s"), words(&mut said)).await;
    assert_eq!(context(&fired.decision), ["slow", "e2"]);
    assert_eq!(
        said,
        [
            "stage 0".to_owned(),
            format!("started {slow}"),
            format!("started {quick}"),
            format!("finished {quick}: Code(0)"),
            format!("finished {slow}: Code(0)"),
        ]
    );
}

#[tokio::test]
async fn a_denial_ends_the_firing() {
    let scene = Scene::new();
    let dispatcher = Dispatcher::new(snapshot(&scene, &["first exit 2", "first echo beside", "second echo late"]));
    let mut said = Vec::new();
    let fired = dispatcher.fire_with(&tool_before("s"), words(&mut said)).await;
    assert_eq!(fired.decision.action, Action::Deny);
    assert!(said.iter().all(|word| !word.contains("late")), "{said:?}");
}

#[tokio::test]
async fn stages_run_one_after_another() {
    let scene = Scene::new();
    let dispatcher = Dispatcher::new(snapshot(&scene, &["second ls up", "first sleep 0.1; touch up"]));
    assert_eq!(context(&dispatcher.fire(&tool_before("s")).await.decision), ["up"]);
}

#[tokio::test]
async fn a_dispatcher_that_explains_says_what_does_not_run() {
    let scene = Scene::new();
    let hooks = snapshot(&scene, &["first exit 0"]);
    let mut said = Vec::new();
    Dispatcher::new(hooks).explaining(true).fire_with(&tool_before("s"), words(&mut said)).await;
    assert_eq!(said, ["stage 0", "started exit 0", "finished exit 0: Code(0)"]);
}

#[tokio::test]
async fn later_hooks_of_the_session_see_what_earlier_ones_left() {
    let scene = Scene::new();
    let dispatcher =
        Dispatcher::new(snapshot(&scene, &["start echo env A=one", "start echo env B=two", "first echo $A-$B"]));
    assert!(dispatcher.fire(&session_start("s")).await.decision.context.is_empty());
    assert_eq!(context(&dispatcher.fire(&tool_before("s")).await.decision), ["one-two"]);
    assert_eq!(context(&dispatcher.fire(&tool_before("another")).await.decision), ["-"]);

    let state = dispatcher.state("s");
    assert_eq!(state.env[&Vendor::new("tiny")].len(), 2);
    dispatcher.close("s");
    assert_eq!(dispatcher.state("s"), SessionState::new());
    assert_eq!(context(&dispatcher.fire(&tool_before("s")).await.decision), ["-"]);
    dispatcher.set_state("resumed", state);
    assert_eq!(context(&dispatcher.fire(&tool_before("resumed")).await.decision), ["one-two"]);
}

#[tokio::test]
async fn firings_that_overlap_lose_nothing_of_each_other() {
    let scene = Scene::new();
    let rendezvous = "touch $$.here; until [ $(ls | grep -c here) = 2 ]; do sleep 0.02; done; echo env V$$=1";
    let dispatcher = Dispatcher::new(snapshot(&scene, &[format!("start {rendezvous}")]));
    let (one, two) = (session_start("s"), session_start("s"));
    tokio::join!(dispatcher.fire(&one), dispatcher.fire(&two));
    assert_eq!(dispatcher.state("s").env[&Vendor::new("tiny")].len(), 2);
}

#[tokio::test]
async fn a_session_closed_meanwhile_stays_closed() {
    let scene = Scene::new();
    let line = "start echo up >up; until [ -e go ]; do sleep 0.02; done; echo env A=1";
    let dispatcher = Dispatcher::new(snapshot(&scene, &[line]));
    let envelope = session_start("s");
    tokio::join!(dispatcher.fire(&envelope), async {
        scene.line("up").await;
        dispatcher.close("s");
        std::fs::write(scene.path("go"), "").unwrap();
    });
    assert_eq!(dispatcher.state("s"), SessionState::new());
}

#[tokio::test]
async fn a_reload_does_not_touch_firings_under_way() {
    let scene = Scene::new();
    let wait = "first echo up >up; until [ -e go ]; do sleep 0.02; done; echo old one";
    let dispatcher = Dispatcher::new(snapshot(&scene, &[wait, "second echo old two"]));
    let envelope = tool_before("s");
    let (fired, ()) = tokio::join!(dispatcher.fire(&envelope), async {
        scene.line("up").await;
        dispatcher.replace(snapshot(&scene, &["first echo new"]));
        std::fs::write(scene.path("go"), "").unwrap();
    });
    assert_eq!(context(&fired.decision), ["old one", "old two"]);
    assert_eq!(context(&dispatcher.fire(&envelope).await.decision), ["new"]);
    assert_eq!(dispatcher.snapshot().bindings().len(), 1);
}

/// The most hooks that saw each other run.
fn most(decision: &Decision) -> usize {
    context(decision).iter().map(|count| count.parse().unwrap()).max().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_hooks_under_a_limit_of_sixteen() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("running")).unwrap();
    // its timeout is far below what the last ones wait in the queue
    let line = "first touch running/$$; sleep 0.2; ls running | wc -l; rm running/$$";
    let dispatcher = Dispatcher::new(snapshot(&scene, &[line; 200])).limits(Limits::default().concurrency(16));
    let (mut running, mut peak, mut slowest) = (0, 0, 0);
    let began = Instant::now();
    let fired = dispatcher
        .fire_with(&tool_before("s"), |progress| match progress {
            Progress::Started(_) => {
                running += 1;
                peak = peak.max(running);
            }
            Progress::Finished { outcome, .. } => {
                running -= 1;
                slowest = slowest.max(outcome.elapsed_ms);
                assert_eq!(outcome.exit, Exit::Code(0));
            }
            _ => {}
        })
        .await;
    assert_eq!((fired.decision.context.len(), running, peak), (200, 0, 16));
    assert!((2..=16).contains(&most(&fired.decision)), "{}", most(&fired.decision));
    let (slowest, all) = (Duration::from_millis(slowest), began.elapsed());
    assert!(slowest * 2 < all, "a hook's clock ran for {slowest:?} of {all:?}: it ran in the queue");
}

#[tokio::test]
async fn firings_share_the_limit() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("running")).unwrap();
    let line = "first touch running/$$; sleep 0.05; ls running | wc -l; rm running/$$";
    let dispatcher = Dispatcher::new(snapshot(&scene, &[line; 6])).limits(Limits::default().concurrency(2));
    let (a, b) = (tool_before("a"), tool_before("b"));
    let (one, two) = tokio::join!(dispatcher.fire(&a), dispatcher.fire(&b));
    assert!(most(&one.decision).max(most(&two.decision)) <= 2);

    let dispatcher = dispatcher.limits(Limits::default().concurrency(0));
    assert_eq!(most(&dispatcher.fire(&a).await.decision), 1);
    let dispatcher = dispatcher.limits(Limits::default().concurrency(usize::MAX));
    assert_eq!(dispatcher.fire(&a).await.decision.context.len(), 6);
}

#[tokio::test]
async fn cancelling_ends_what_runs_and_starts_nothing_more() {
    let scene = Scene::new();
    let hooks = ["first echo up >up; sleep 60", "first echo never >queued", "second echo never >stage2"];
    let cancel = Cancel::new();
    let dispatcher = Dispatcher::new(snapshot(&scene, &hooks)).limits(Limits::default().concurrency(1));
    let turn = dispatcher.clone().cancelled_by(&cancel);
    let envelope = tool_before("s");
    let mut said = Vec::new();
    let (fired, ()) = tokio::join!(turn.fire_with(&envelope, words(&mut said)), async {
        scene.line("up").await;
        cancel.cancel();
    });
    assert_eq!(context(&fired.decision), ["Cancelled"; 3]);
    assert_eq!(said.iter().filter(|word| word.starts_with("started")).count(), 1, "{said:?}");
    assert!(!scene.path("queued").exists() && !scene.path("stage2").exists());
    assert!(scene.left().is_empty());

    dispatcher.replace(snapshot(&scene, &["first echo on"]));
    assert_eq!(context(&turn.fire(&envelope).await.decision), ["Cancelled"]);
    assert_eq!(context(&dispatcher.fire(&envelope).await.decision), ["on"]);
}

/// Polls a firing until a file is there, then drops it.
async fn dropped_once(firing: impl Future, scene: &Scene, file: &str) {
    let mut firing = pin!(firing);
    tokio::select! {
        _ = &mut firing => panic!("it ended"),
        _ = scene.line(file) => {}
    }
}

#[tokio::test]
async fn dropping_a_firing_kills_its_hooks_and_leaves_the_state() {
    let scene = Scene::new();
    let hooks = ["start echo env A=1", "start sleep 60 & sleep 60", "start echo env A=2; echo up >up; sleep 60 & wait"];
    let dispatcher = Dispatcher::new(snapshot(&scene, &hooks));
    dispatcher.set_state("s", SessionState::new());
    dropped_once(dispatcher.fire(&session_start("s")), &scene, "up").await;
    scene.is_empty().await;
    assert_eq!(dispatcher.state("s"), SessionState::new());
}

#[tokio::test]
async fn dropping_a_firing_gives_its_places_back() {
    let scene = Scene::new();
    let dispatcher =
        Dispatcher::new(snapshot(&scene, &["first echo up >up; sleep 60", "first exit 0", "first exit 0"]))
            .limits(Limits::default().concurrency(1));
    dropped_once(dispatcher.fire(&tool_before("s")), &scene, "up").await;
    dispatcher.replace(snapshot(&scene, &["first echo on"]));
    assert_eq!(context(&dispatcher.fire(&tool_before("s")).await.decision), ["on"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn firings_run_on_any_thread() {
    let scene = Scene::new();
    let dispatcher = Dispatcher::new(snapshot(&scene, &["first echo $PPID; cat"]));
    let firings = (0..20).map(|n| {
        let dispatcher = dispatcher.clone();
        tokio::spawn(async move { dispatcher.fire(&tool_before(&format!("s{n}"))).await.decision })
    });
    let mut said = BTreeSet::new();
    for firing in firings.collect::<Vec<_>>() {
        said.insert(context(&firing.await.unwrap()).join(" "));
    }
    assert_eq!(said.len(), 1);
    until("nothing is left", || scene.left().is_empty()).await;
}
