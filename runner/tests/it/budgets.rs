//! Time that the hooks of an event share: counted from the start of their stage, whoever waits in
//! the queue meanwhile.

use std::time::Instant;

use harness_hooks_core::Exit;
use harness_hooks_runner::{Cancel, Dispatcher, Limits, Progress, run};

use crate::{
    common::{EVER, Scene, ms},
    tiny::{context, snapshot, tool_before},
};

/// How each ended, by what it runs.
async fn ends(dispatcher: &Dispatcher) -> Vec<(String, Exit)> {
    let mut ends = Vec::new();
    let envelope = tool_before("s");
    let fired = dispatcher.fire_with(&envelope, |progress| {
        if let Progress::Finished { invocation, outcome, .. } = progress {
            ends.push((invocation.binding.handler.text().to_string(), outcome.exit.clone()));
        }
    });
    fired.await;
    ends.sort_by(|a, b| a.0.cmp(&b.0));
    ends
}

#[tokio::test]
async fn one_budget_for_all() {
    let scene = Scene::new();
    let hooks = ["first+budget=400 exit 0", "first+budget=400 sleep 60", "first+budget=400 sleep 61"];
    let began = Instant::now();
    let ends = ends(&Dispatcher::new(snapshot(&scene, &hooks))).await;
    assert_eq!(
        ends.iter().map(|(_, exit)| exit).collect::<Vec<_>>(),
        [&Exit::Code(0), &Exit::TimedOut, &Exit::TimedOut]
    );
    assert!((ms(400)..EVER).contains(&began.elapsed()));
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn those_that_wait_for_it_to_end_are_not_started() {
    let scene = Scene::new();
    let hooks = ["first+budget=300 sleep 60", "first+budget=300 touch never", "first touch always"];
    let dispatcher = Dispatcher::new(snapshot(&scene, &hooks)).limits(Limits::default().concurrency(1));
    let why = "the 0.3 s that the hooks of its event share were over before it could start";
    let [first, second, third] = <[_; 3]>::try_from(ends(&dispatcher).await).unwrap();
    assert_eq!(first, ("sleep 60".into(), Exit::TimedOut));
    assert_eq!(second, ("touch always".into(), Exit::Code(0)), "it shares none");
    assert_eq!(third, ("touch never".into(), Exit::NotStarted(why.into())));
    assert!(scene.path("always").exists() && !scene.path("never").exists());
}

#[tokio::test]
async fn whichever_ends_first() {
    let scene = Scene::new();
    for (words, timed_out) in [
        ("within=200+budget=30000", true),
        ("within=30000+budget=200", true),
        ("within=30000+budget=30000", false),
        ("within=200", true),
        ("budget=18446744073709551615", false),
    ] {
        let line = if timed_out { "sleep 60" } else { "echo done" };
        let dispatcher = Dispatcher::new(snapshot(&scene, &[format!("first+{words} {line}")]));
        let fired = dispatcher.fire(&tool_before("s")).await;
        let said = if timed_out { "TimedOut" } else { "done" };
        assert_eq!(context(&fired.decision), [said], "{words}");
    }
}

#[tokio::test]
async fn each_stage_has_its_own() {
    let scene = Scene::new();
    // more than the second's budget goes by in the first
    let hooks = ["first sleep 3.1", "second+budget=3000 echo in time"];
    let fired = Dispatcher::new(snapshot(&scene, &hooks)).fire(&tool_before("s")).await;
    assert_eq!(context(&fired.decision), ["in time"]);
}

#[tokio::test]
async fn without_a_stage_it_counts_from_the_call() {
    let scene = Scene::new();
    let mut hook = scene.sh("sleep 60");
    hook.budget = Some(ms(200));
    let began = Instant::now();
    let outcome = run(&hook, &Limits::default(), &Cancel::never()).await;
    assert_eq!(outcome.exit, Exit::TimedOut);
    assert!((ms(200)..EVER).contains(&began.elapsed()));
}
