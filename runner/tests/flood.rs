//! Hooks that flood: memory stays bounded, and the others of the stage do not wait for them. A
//! program of its own, since memory is a program's.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{Scene, ms, within};
use harness_hooks_core::Exit;
use harness_hooks_runner::{Cancel, Limits, run};

/// The most memory this program has had, in MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[tokio::test]
async fn a_flood_fills_neither_memory_nor_time() {
    let scene = Scene::new();
    let limits = Limits::default().stdout_bytes(1 << 20).stderr_bytes(1 << 20).kill_grace(ms(300));
    let never = Cancel::never();
    let flood = |line: &str| within(scene.sh(line), ms(2000));
    let (out, both, deaf) = (flood("exec yes"), flood("yes & exec yes >&2"), flood("trap '' TERM; yes"));
    let quick = within(scene.sh("n=0; while [ $n -lt 50 ]; do echo; n=$((n+1)); done"), ms(60_000));
    let short = within(scene.sh("exec sleep 60"), ms(200));
    let before = peak();
    let (out, both, deaf, quick, short) = tokio::join!(
        run(&out, &limits, &never),
        run(&both, &limits, &never),
        run(&deaf, &limits, &never),
        run(&quick, &limits, &never),
        run(&short, &limits, &never),
    );
    for outcome in [&out, &both, &deaf] {
        assert_eq!((&outcome.exit, outcome.leaked), (&Exit::TimedOut, false));
        assert_eq!((outcome.stdout_truncated, outcome.stdout.len()), (true, 1 << 20));
        assert!(outcome.elapsed_ms < 10_000, "{}", outcome.elapsed_ms);
    }
    assert_eq!((both.stderr.len(), &quick.exit), (1 << 20, &Exit::Code(0)));
    assert_eq!(quick.stdout.len(), 50);
    assert_eq!(short.exit, Exit::TimedOut);
    assert!(quick.elapsed_ms < 2000 && short.elapsed_ms < 2000, "{} and {}", quick.elapsed_ms, short.elapsed_ms);
    let grown = peak() - before;
    assert!(grown < 32, "memory grew by {grown} MiB");
    assert!(scene.left().is_empty());
}
