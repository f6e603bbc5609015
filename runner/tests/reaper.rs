//! Where this program is the one that orphans fall to, as the first process of a container is.
//! A program of its own, since what orphans fall to is a program.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::time::Instant;

use common::{EVER, Scene, exists, kill, lives, ms};
use harness_hooks_core::Exit;
use harness_hooks_runner::{Cancel, Limits, run};

#[tokio::test]
async fn orphans_hold_up_nothing_and_do_not_stay_as_zombies() {
    nix::sys::prctl::set_child_subreaper(true).unwrap();
    let scene = Scene::new();
    let began = Instant::now();

    let hook = scene.sh("sleep 60 & echo $! >child; exit 3");
    let outcome = run(&hook, &Limits::default().grace(ms(100)), &Cancel::never()).await;
    assert_eq!((outcome.exit, outcome.leaked), (Exit::Code(3), true));
    let child = scene.line("child").await.parse().unwrap();
    assert!(lives(child), "what it left behind is left alone");
    kill(child);

    let hook = scene.sh("(while :; do sleep 0.02; done) & echo $! >orphan; wait");
    let (cancel, limits) = (Cancel::new(), Limits::default().kill_grace(EVER));
    let (outcome, orphan) = tokio::join!(run(&hook, &limits, &cancel), async {
        let orphan = scene.line("orphan").await.parse().unwrap();
        cancel.cancel();
        orphan
    });
    assert_eq!((outcome.exit, outcome.leaked), (Exit::Cancelled, false));
    assert!(!exists(orphan), "it is reaped");
    assert!(began.elapsed() < EVER);
}
