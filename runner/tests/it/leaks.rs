//! What a hook leaves behind: children that hold its pipes, and children that do not.

use std::time::Instant;

use harness_hooks_core::Exit;
use harness_hooks_runner::{Cancel, Limits, run};

use crate::common::{EVER, Scene, exists, kill, lives, ms, text, told, until, within};

#[tokio::test]
async fn a_child_that_holds_the_pipes_costs_no_more_than_the_grace() {
    let scene = Scene::new();
    let began = Instant::now();
    let hook = scene.sh("echo said; echo why >&2; sleep 60 & echo $! >child; exit 2");
    let outcome = run(&hook, &Limits::default().grace(ms(300)), &Cancel::never()).await;
    assert_eq!((outcome.exit, outcome.leaked), (Exit::Code(2), true));
    assert_eq!((text(&outcome.stdout), text(&outcome.stderr)), ("said\n", "why\n"));
    assert!((ms(300)..ms(5000)).contains(&began.elapsed()));

    let child = scene.line("child").await.parse().unwrap();
    assert!(lives(child), "what it left behind is left alone");
    kill(child);
    scene.is_empty().await;
}

#[tokio::test]
async fn what_a_child_prints_within_the_grace_counts() {
    let scene = Scene::new();
    let hook = scene.sh("(sleep 0.1; echo late) & echo early");
    let outcome = run(&hook, &Limits::default().grace(EVER), &Cancel::never()).await;
    assert_eq!((outcome.exit, outcome.leaked, text(&outcome.stdout)), (Exit::Code(0), false, "early\nlate\n"));
}

#[tokio::test]
async fn a_child_with_pipes_of_its_own_costs_nothing_and_stays() {
    let scene = Scene::new();
    let hook = scene.sh("sleep 60 <&0 >/dev/null 2>&1 & echo $!");
    let limits = Limits::default().grace(EVER);
    let began = Instant::now();
    // it does hold standard input, and never reads it
    let outcome = run(&told(hook, vec![b'x'; 1 << 20]), &limits, &Cancel::never()).await;
    assert_eq!((outcome.exit, outcome.leaked), (Exit::Code(0), false));
    assert!(began.elapsed() < EVER);
    let child = text(&outcome.stdout).trim().parse().unwrap();
    assert!(lives(child));
    kill(child);
}

#[tokio::test]
async fn a_child_that_left_the_group_holds_the_pipes_no_longer_than_the_grace() {
    let scene = Scene::new();
    let hook =
        scene.sh("setsid sh -c 'echo $$ >child; exec sleep 60' & until [ -s child ]; do sleep 0.01; done; echo said");
    let began = Instant::now();
    let outcome = run(&hook, &Limits::default().grace(ms(300)), &Cancel::never()).await;
    assert_eq!((outcome.exit, outcome.leaked, text(&outcome.stdout)), (Exit::Code(0), true, "said\n"));
    assert!((ms(300)..ms(10_000)).contains(&began.elapsed()));
    kill(scene.line("child").await.parse().unwrap());
    scene.is_empty().await;
}

#[tokio::test]
async fn a_child_that_left_the_group_survives_and_holds_up_nothing() {
    let scene = Scene::new();
    let hook = scene.sh("setsid sh -c 'echo $$ >child; exec sleep 60' & wait");
    let cancel = Cancel::new();
    let limits = Limits::default().grace(EVER).kill_grace(EVER);
    let began = Instant::now();
    let (outcome, child) = tokio::join!(run(&hook, &limits, &cancel), async {
        let child: u32 = scene.line("child").await.parse().unwrap();
        cancel.cancel();
        child
    });
    assert_eq!((outcome.exit, outcome.leaked), (Exit::Cancelled, true));
    assert!(began.elapsed() < EVER);
    assert!(lives(child));
    kill(child);
    scene.is_empty().await;
}

#[tokio::test]
async fn no_zombie_stays() {
    let scene = Scene::new();
    for (line, timeout) in [("echo $$", EVER), ("echo $$; sleep 60", ms(200)), ("echo $$; kill -9 $$", EVER)] {
        let outcome = run(&within(scene.sh(line), timeout), &Limits::default(), &Cancel::never()).await;
        let pid: u32 = text(&outcome.stdout).trim().parse().unwrap();
        until("it is reaped", || !exists(pid)).await;
    }
}
