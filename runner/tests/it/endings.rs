//! How a hook can end: by itself, by a signal, at its timeout, or because it was given up.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness_hooks_core::{Exit, Launch};
use harness_hooks_runner::{Cancel, Limits, run};

use crate::common::{EVER, Scene, exists, launch, ms, text, told, until, within};

#[tokio::test]
async fn codes() {
    let scene = Scene::new();
    for codes in (0..=255).collect::<Vec<_>>().chunks(32) {
        let hooks: Vec<_> = codes.iter().map(|code| scene.sh(&format!("exit {code}"))).collect();
        let (limits, never) = (Limits::default(), Cancel::never());
        let outcomes = join_all(hooks.iter().map(|hook| run(hook, &limits, &never))).await;
        let exits: Vec<_> = outcomes.into_iter().map(|outcome| outcome.exit).collect();
        assert_eq!(exits, codes.iter().map(|code| Exit::Code(*code)).collect::<Vec<_>>());
    }
}

/// All that end a process, those of real time too. What stops it is no end.
#[tokio::test]
async fn signals() {
    let scene = Scene::new();
    for signal in (1..=16).chain(24..=27).chain(29..=31).chain([34, 50, 64]) {
        let outcome = scene.run(&format!("ulimit -c 0; echo before; kill -{signal} $$; echo after")).await;
        assert_eq!((outcome.exit, text(&outcome.stdout)), (Exit::Signal(signal), "before\n"), "{signal}");
    }
}

#[tokio::test]
async fn a_missing_command_is_an_exit_of_the_shell() {
    let scene = Scene::new();
    for (line, code) in [("no-such-command-anywhere", 127), ("/etc/passwd", 126), ("sh /no/such/script", 2)] {
        let outcome = scene.run(line).await;
        assert_eq!(outcome.exit, Exit::Code(code), "{line}");
        assert!(!outcome.stderr.is_empty(), "{line}");
    }
}

#[tokio::test]
async fn timeout() {
    let scene = Scene::new();
    let hook = within(scene.sh("echo said; echo why >&2; sleep 60"), ms(200));
    let outcome = run(&hook, &Limits::default(), &Cancel::never()).await;
    assert_eq!(outcome.exit, Exit::TimedOut);
    assert_eq!((text(&outcome.stdout), text(&outcome.stderr)), ("said\n", "why\n"));
    assert!((200..5000).contains(&outcome.elapsed_ms), "{}", outcome.elapsed_ms);
    assert!(!outcome.leaked);
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn timeouts_of_any_length() {
    let scene = Scene::new();
    for (timeout, exit) in [
        (Duration::ZERO, Exit::TimedOut),
        (Duration::from_nanos(1), Exit::TimedOut),
        (Duration::from_secs(60_000), Exit::Code(0)),
        (Duration::from_secs(u64::MAX / 1000), Exit::Code(0)),
        (Duration::from_secs(u64::MAX), Exit::Code(0)),
        (Duration::MAX, Exit::Code(0)),
    ] {
        let line = if exit == Exit::TimedOut { "sleep 60" } else { "exit 0" };
        let limits = Limits::default().grace(timeout.max(ms(100))).kill_grace(Duration::MAX);
        let outcome = run(&within(scene.sh(line), timeout), &limits, &Cancel::never()).await;
        assert_eq!(outcome.exit, exit, "{timeout:?}");
    }
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn a_hook_that_hears_term_can_say_good_bye() {
    let scene = Scene::new();
    let hook = within(scene.sh("trap 'echo bye; exit 3' TERM; echo up; sleep 60 & wait"), ms(300));
    let outcome = run(&hook, &Limits::default(), &Cancel::never()).await;
    assert_eq!((outcome.exit, text(&outcome.stdout)), (Exit::TimedOut, "up\nbye\n"));
    assert!(!outcome.leaked);
}

#[tokio::test]
async fn a_hook_that_ignores_term_is_killed() {
    let scene = Scene::new();
    let hook = within(scene.sh("trap '' TERM; while :; do sleep 0.05; done"), ms(200));
    let outcome = run(&hook, &Limits::default().kill_grace(ms(300)), &Cancel::never()).await;
    assert_eq!(outcome.exit, Exit::TimedOut);
    assert!((500..5000).contains(&outcome.elapsed_ms), "{}", outcome.elapsed_ms);
    assert!(!outcome.leaked);
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn a_stopped_hook_is_timed_out_and_killed() {
    let scene = Scene::new();
    let hook = within(scene.sh("kill -STOP $$"), ms(200));
    let outcome = run(&hook, &Limits::default().kill_grace(ms(200)), &Cancel::never()).await;
    assert_eq!(outcome.exit, Exit::TimedOut);
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn children_are_killed_although_the_one_that_was_started_ended() {
    let scene = Scene::new();
    let hook = scene.sh("(trap '' TERM; echo up >child; while :; do sleep 0.05; done) & wait");
    let (cancel, limits) = (Cancel::new(), Limits::default().kill_grace(ms(300)));
    let (outcome, ()) = tokio::join!(run(&hook, &limits, &cancel), async {
        scene.line("child").await;
        cancel.cancel();
    });
    assert_eq!(outcome.exit, Exit::Cancelled);
    assert!(outcome.elapsed_ms >= 300, "{}", outcome.elapsed_ms);
    assert!(!outcome.leaked);
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn children_have_the_grace_too_and_no_more_of_it_than_they_need() {
    let scene = Scene::new();
    let tidying = "trap 'sleep 0.2; echo tidy >tidied; exit' TERM; echo up >child; while :; do sleep 0.02; done";
    let hook = scene.sh(&format!("({tidying}) & wait"));
    let (cancel, limits, began) = (Cancel::new(), Limits::default().kill_grace(EVER), Instant::now());
    let (outcome, ()) = tokio::join!(run(&hook, &limits, &cancel), async {
        scene.line("child").await;
        cancel.cancel();
    });
    assert_eq!(outcome.exit, Exit::Cancelled);
    assert_eq!(scene.line("tidied").await, "tidy");
    assert!(scene.left().is_empty());
    assert!(began.elapsed() < EVER);
}

#[tokio::test]
async fn the_dead_that_nobody_reaps_are_not_waited_for() {
    let scene = Scene::new();
    // the parent leaves the group and never asks for its child, which stays in it as a zombie
    let parent = "sleep 60 & echo $! $$ >pids; exec setsid sleep 60 >/dev/null 2>&1";
    let hook = scene.sh(&format!("sh -c '{parent}' & wait"));
    let (cancel, limits, began) = (Cancel::new(), Limits::default().kill_grace(EVER), Instant::now());
    let sleeps = |pid: &str| std::fs::read(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm == b"sleep\n");
    let (outcome, ()) = tokio::join!(run(&hook, &limits, &cancel), async {
        let pids = scene.line("pids").await;
        until("both sleep", || pids.split(' ').all(sleeps)).await;
        cancel.cancel();
    });
    assert_eq!((outcome.exit, outcome.leaked), (Exit::Cancelled, false));
    assert!(began.elapsed() < EVER);
}

/// Three levels below the hook, ten processes on each, all of which ignore TERM.
#[tokio::test]
async fn a_tree_of_processes_is_gone_after_the_timeout() {
    let scene = Scene::new();
    let leaf = "echo up >leaf.$$; while :; do sleep 60; done";
    let branch = |below: &str| format!("sh -c {} & wait", quoted(below));
    let tree =
        format!("trap '' TERM; for n in 0 1 2 3 4 5 6 7 8 9; do sh -c {} & done; wait", quoted(&branch(&branch(leaf))));
    let (cancel, limits) = (Cancel::new(), Limits::default().kill_grace(ms(200)));
    let hook = scene.sh(&tree);
    let (outcome, ()) = tokio::join!(run(&hook, &limits, &cancel), async {
        until("there are ten leaves", || std::fs::read_dir(scene.dir()).unwrap().count() == 10).await;
        assert!(scene.left().len() > 30);
        cancel.cancel();
    });
    assert_eq!((outcome.exit, outcome.leaked), (Exit::Cancelled, false));
    assert!(scene.left().is_empty());

    let hook = within(hook, ms(1500));
    let outcome = run(&hook, &limits, &Cancel::never()).await;
    assert_eq!((outcome.exit, outcome.leaked), (Exit::TimedOut, false));
    assert!(scene.left().is_empty());
}

fn quoted(line: &str) -> String {
    format!("'{}'", line.replace('\'', "'\\''"))
}

#[tokio::test]
async fn cancelled_before_it_starts() {
    let scene = Scene::new();
    let cancel = Cancel::new();
    cancel.clone().cancel();
    assert_eq!(run(&scene.sh("echo up >up"), &Limits::default(), &cancel).await.exit, Exit::Cancelled);
    assert!(!scene.path("up").exists());
}

#[tokio::test]
async fn cancelled_at_any_moment() {
    let scene = Scene::new();
    let line = "cat >/dev/null; echo one; sleep 0.03 & wait; echo two; (sleep 0.03; echo three) & exit 4";
    let (hook, limits) = (told(scene.sh(line), vec![b'x'; 200_000]), Limits::default());
    for delay in (0..120).step_by(4) {
        let cancel = Cancel::new();
        let (outcome, ()) = tokio::join!(run(&hook, &limits, &cancel), async {
            tokio::time::sleep(ms(delay)).await;
            cancel.cancel();
        });
        match outcome.exit {
            Exit::Cancelled => assert!(b"one\ntwo\nthree\n".starts_with(&outcome.stdout)),
            Exit::Code(4) => assert_eq!((text(&outcome.stdout), outcome.leaked), ("one\ntwo\nthree\n", false)),
            exit => panic!("{exit:?} after {delay} ms"),
        }
        assert!(scene.left().is_empty(), "after {delay} ms");
    }
}

#[tokio::test]
async fn cancelled_while_a_child_holds_the_pipes() {
    let scene = Scene::new();
    let hook = scene.sh("sleep 60 & echo $$ >leader; exit 0");
    let cancel = Cancel::new();
    let limits = Limits::default().grace(EVER);
    let (outcome, ()) = tokio::join!(run(&hook, &limits, &cancel), async {
        let leader: u32 = scene.line("leader").await.parse().unwrap();
        until("the hook ended", || !exists(leader)).await;
        cancel.cancel();
    });
    assert_eq!(outcome.exit, Exit::Cancelled);
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn a_refused_launch_says_why() {
    let hook = launch(Launch::Refused("the shell is missing".into()));
    let outcome = run(&hook, &Limits::default(), &Cancel::never()).await;
    assert_eq!(outcome.exit, Exit::NotStarted("the shell is missing".into()));
}
