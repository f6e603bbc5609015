//! Dropping a future kills what it started, children included, and reaps it.

use std::{future::Future, pin::pin};

use harness_hooks_core::SessionState;
use harness_hooks_runner::{Cancel, Dispatcher, Limits, run};

use crate::{
    common::{EVER, Scene, exists, lives, ms, until},
    tiny::{session_start, snapshot},
};

/// Polls a future until a file is there, then drops it.
async fn dropped_once<T>(future: impl Future<Output = T>, scene: &Scene, file: &str) -> Vec<u32> {
    let mut future = pin!(future);
    let line = tokio::select! {
        _ = &mut future => panic!("it ended"),
        line = scene.line(file) => line,
    };
    line.split(' ').map(|pid| pid.parse().unwrap()).collect()
}

#[tokio::test]
async fn while_it_runs() {
    let scene = Scene::new();
    let hook = scene.sh("trap '' TERM; sleep 60 & echo $$ $! >pids; wait; sleep 60");
    let pids = dropped_once(run(&hook, &Limits::default(), &Cancel::never()), &scene, "pids").await;
    until("it is dead and reaped", || !exists(pids[0])).await;
    until("its child is dead", || !lives(pids[1])).await;
}

#[tokio::test]
async fn while_a_child_holds_the_pipes() {
    let scene = Scene::new();
    let hook = scene.sh("(sleep 60 & echo $! >pids; sleep 60) & exit 0");
    let limits = Limits::default().grace(EVER);
    let pids = dropped_once(run(&hook, &limits, &Cancel::never()), &scene, "pids").await;
    until("the child is dead", || !lives(pids[0])).await;
    scene.is_empty().await;
}

#[tokio::test]
async fn while_it_is_given_time_to_end() {
    let scene = Scene::new();
    let hook = scene.sh("trap 'echo $$ >pids' TERM; echo up >up; while :; do sleep 0.02; done");
    let cancel = Cancel::new();
    let limits = Limits::default().kill_grace(EVER);
    let ending = async {
        tokio::join!(run(&hook, &limits, &cancel), async {
            scene.line("up").await;
            cancel.cancel();
        })
    };
    let pids = dropped_once(ending, &scene, "pids").await;
    until("it is dead and reaped", || !exists(pids[0])).await;
    scene.is_empty().await;
}

#[tokio::test]
async fn before_it_was_polled() {
    let scene = Scene::new();
    let hook = scene.sh("echo up >up");
    drop(run(&hook, &Limits::default(), &Cancel::never()));
    assert!(!scene.path("up").exists());
}

/// Wherever a firing is, dropping it ends its hooks and leaves the state as it was.
#[tokio::test]
async fn a_firing_at_any_moment() {
    let scene = Scene::new();
    let hooks =
        ["start cat >/dev/null; sleep 0.02; (sleep 0.02; echo env A=1) & exit 0", "start+file echo env B=1; sleep 60"];
    let dispatcher = Dispatcher::new(snapshot(&scene, &hooks)).limits(Limits::default().grace(ms(30)));
    dispatcher.set_state("s", SessionState::new());
    for delay in (0..120).step_by(4) {
        let envelope = session_start("s");
        let fired = tokio::time::timeout(ms(delay), dispatcher.fire(&envelope)).await;
        assert!(fired.is_err());
        scene.is_empty().await;
        assert_eq!(dispatcher.state("s"), SessionState::new(), "after {delay} ms");
    }
}
