//! When everything is over this program has no child, not even a dead one. A program of its own,
//! since children are a program's.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
#[allow(dead_code, reason = "each test program uses its part")]
#[path = "it/tiny.rs"]
mod tiny;

use std::fs;

use common::{Scene, ms, told, until, within};
use harness_hooks_core::{Launch, Process};
use harness_hooks_runner::{Cancel, Dispatcher, Limits, run};

fn children() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    let children: Vec<_> = tasks.map(|task| of(task.unwrap())).collect();
    children.iter().flat_map(|children| children.split_whitespace()).map(str::to_owned).collect()
}

#[tokio::test]
async fn no_child_is_left() {
    let scene = Scene::new();
    let limits = Limits::default().grace(ms(50)).kill_grace(ms(50));
    let lines = [
        "exit 0",
        "kill -9 $$",
        "sleep 60",
        "sleep 60 & exit 3",
        "trap '' TERM; sleep 60",
        "setsid sleep 60 & exit 0",
        "kill -STOP $$",
        "yes",
        "sh -c 'sleep 60 & sleep 60' & wait",
    ];
    let hooks: Vec<_> = lines.iter().map(|line| told(within(scene.sh(line), ms(300)), vec![b'x'; 1 << 20])).collect();
    let (cancel, never) = (Cancel::new(), Cancel::never());
    for hook in &hooks {
        run(hook, &limits, &never).await;
    }
    for hook in &hooks {
        tokio::select! {
            _ = run(hook, &limits, &never) => {}
            () = tokio::time::sleep(ms(20)) => {} // dropped
        }
        tokio::join!(run(hook, &limits, &cancel), async { cancel.cancel() });
    }
    let lost = common::launch(Launch::Process(Process::new("/no/such/program", [""; 0], "/")));
    run(&lost, &limits, &never).await;

    until("no child is left", || children().is_empty()).await;
}

/// Nor one that nobody waited for, however its session ends.
#[tokio::test]
async fn no_child_is_left_in_the_background() {
    let scene = Scene::new();
    let hooks: Vec<_> = ["first+late", "first+late+within=200", "first"]
        .iter()
        .flat_map(|words| {
            let lines = ["echo alone; sleep 60 & wait", "echo alone; trap '' TERM; sleep 60; sleep 60", "echo alone"];
            lines.map(|line| format!("{words} {line}"))
        })
        .collect();
    let limits = Limits::default().grace(ms(50)).kill_grace(ms(50)).background(4);
    for how in ["closed", "all closed", "dropped"] {
        let dispatcher = Dispatcher::new(tiny::snapshot(&scene, &hooks)).limits(limits.clone());
        dispatcher.fire(&tiny::tool_before("s")).await;
        match how {
            "closed" => dispatcher.close("s"),
            "all closed" => dispatcher.close_all(),
            _ => {}
        }
        drop(dispatcher);
        scene.is_empty().await;
        until("no child is left", || children().is_empty()).await;
    }
}
