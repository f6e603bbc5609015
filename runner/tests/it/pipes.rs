//! What a hook is told, and what it prints.

use std::time::Instant;

use harness_hooks_core::{Exit, Outcome};
use harness_hooks_runner::{Cancel, Limits, run};

use crate::common::{EVER, Scene, ms, text, told, within};

const MIB: usize = 1 << 20;

async fn tell(scene: &Scene, line: &str, stdin: Vec<u8>) -> Outcome {
    run(&told(scene.sh(line), stdin), &Limits::default(), &Cancel::never()).await
}

/// Bytes no text decoder lets through.
fn every_byte(len: usize) -> Vec<u8> {
    (0..len).map(|n| (n % 251) as u8 ^ (n / 65_536) as u8).chain(0..=255).collect()
}

#[tokio::test]
async fn standard_input_is_what_was_encoded_and_ends() {
    let scene = Scene::new();
    for stdin in [Vec::new(), b"{}".to_vec(), every_byte(1), every_byte(65_536), every_byte(10 * MIB)] {
        let outcome = tell(&scene, "cat", stdin.clone()).await;
        assert_eq!(outcome.exit, Exit::Code(0));
        assert!(outcome.stdout == stdin, "{} bytes became {}", stdin.len(), outcome.stdout.len());
        assert!(!outcome.stdout_truncated && !outcome.leaked);
    }
}

/// CDX-RUN-05
#[tokio::test]
async fn standard_input_need_not_be_read() {
    let scene = Scene::new();
    let began = Instant::now();
    for (line, said) in [
        ("echo hi", "hi\n"),
        ("exec <&-; sleep 0.1; echo hi", "hi\n"),
        ("exec </dev/null; cat; echo hi", "hi\n"),
        ("head -c 3 >/dev/null; echo hi", "hi\n"),
        ("echo hi; sleep 0.2", "hi\n"),
    ] {
        let outcome = tell(&scene, line, vec![b'x'; 10 * MIB]).await;
        assert_eq!((outcome.exit, text(&outcome.stdout), outcome.leaked), (Exit::Code(0), said, false), "{line}");
    }
    let outcome = tell(&scene, "head -c 3000000 /dev/zero; exit 2", vec![b'x'; 10 * MIB]).await;
    assert_eq!((outcome.exit, outcome.stdout.len()), (Exit::Code(2), 3_000_000));
    assert!(began.elapsed() < EVER);
}

/// CDX-RUN-05
#[tokio::test]
async fn standard_input_is_closed_while_the_hook_runs() {
    let scene = Scene::new();
    let outcome = tell(&scene, "wc -c; echo still here", vec![b'x'; 10 * MIB]).await;
    assert_eq!(text(&outcome.stdout), "10485760\nstill here\n");
}

#[tokio::test]
async fn a_hook_that_never_reads_times_out_all_the_same() {
    let scene = Scene::new();
    let hook = within(told(scene.sh("exec sleep 60"), vec![b'x'; 10 * MIB]), ms(200));
    let outcome = run(&hook, &Limits::default(), &Cancel::never()).await;
    assert_eq!((outcome.exit, outcome.leaked), (Exit::TimedOut, false));
}

#[tokio::test]
async fn output_is_kept_as_it_was_printed() {
    let scene = Scene::new();
    let bytewise = "n=0; while [ $n -lt 300 ]; do printf x; n=$((n+1)); done";
    for (line, stdout) in [
        (r"printf '\377\000\376'", b"\xff\0\xfe".to_vec()),
        (r"printf '\303'; sleep 0.05; printf '\251'", "é".into()),
        (bytewise, vec![b'x'; 300]),
        ("exec >&-; sleep 0.05", Vec::new()),
        ("exec 2>&-; echo a", b"a\n".to_vec()),
    ] {
        let outcome = scene.run(line).await;
        assert_eq!((outcome.exit, outcome.stdout), (Exit::Code(0), stdout), "{line}");
    }
}

#[tokio::test]
async fn output_is_kept_up_to_a_cap_and_read_to_its_end() {
    let scene = Scene::new();
    let limits = Limits::default().stdout_bytes(1000).stderr_bytes(10);
    for (line, stdout, cut, stderr) in [
        ("head -c 999 /dev/zero", 999, false, 0),
        ("head -c 1000 /dev/zero", 1000, false, 0),
        ("head -c 1001 /dev/zero", 1000, true, 0),
        ("head -c 9000000 /dev/zero", 1000, true, 0),
        ("head -c 9000000 /dev/zero >&2; echo", 1, false, 10),
    ] {
        let outcome = run(&scene.sh(line), &limits, &Cancel::never()).await;
        assert_eq!(outcome.exit, Exit::Code(0), "{line}");
        assert_eq!((outcome.stdout.len(), outcome.stdout_truncated, outcome.stderr.len()), (stdout, cut, stderr));
    }
    let nothing = Limits::default().stdout_bytes(0).stderr_bytes(0);
    let outcome = run(&scene.sh("echo; echo >&2"), &nothing, &Cancel::never()).await;
    assert_eq!((outcome.stdout.len(), outcome.stdout_truncated, outcome.stderr.len()), (0, true, 0));
}
