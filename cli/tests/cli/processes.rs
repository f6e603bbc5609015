//! What the world does to a run: readers that go away, requests to end, hooks that hang.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::common::{Place, group, hooks, shell_envelope};

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::new();
    let mut child = place.command().arg("events").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn asked_to_end_it_ends_its_hooks_and_refuses() {
    let place = Place::with(&hooks("beforeShellExecution", "echo $$ >started; sleep 60"));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let mut command = place.command();
    command.args(["fire", "--envelope", &envelope]).args(place.looking()).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    let hook = wait_for(|| std::fs::read_to_string(place.path("workspace/started")).ok().filter(|pid| !pid.is_empty()));
    assert!(kill("-TERM", &child.id().to_string()));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("cancelled"));
    assert!(!kill("-0", hook.trim()), "the hook is still there");
}

/// The decision stays what it was; nobody is left behind.
#[cfg(unix)]
#[test]
fn asked_to_end_it_ends_hooks_nobody_waits_for() {
    let slow = serde_json::json!([{"type": "command", "command": "echo $$ >started; sleep 60", "async": true}]);
    let place = Place::new();
    place.write("workspace/.claude/settings.json", &group("PreToolUse", &slow));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let mut command = place.command();
    command.args(["fire", "--envelope", &envelope]).args(place.looking()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let hook = wait_for(|| std::fs::read_to_string(place.path("workspace/started")).ok().filter(|pid| !pid.is_empty()));
    let mut decided = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(decided.any(|line| line == "Decision: proceed"), "it is printed before the hook ends");
    assert!(kill("-TERM", &child.id().to_string()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!kill("-0", hook.trim()), "the hook is still there");
}

#[cfg(unix)]
fn kill(signal: &str, pid: &str) -> bool {
    Command::new("kill").args([signal, pid]).stderr(Stdio::null()).status().unwrap().success()
}

fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = ready() {
            return value;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "nothing happened");
        sleep(Duration::from_millis(10));
    }
}

/// What a hook inherits: the environment of the caller, and the vendor's variables over it.
#[test]
fn hooks_see_the_callers_environment() {
    let command = r#"test "$FROM_CALLER" = yes && test -n "$CURSOR_PROJECT_DIR" && printf '{"permission":"allow"}'"#;
    let place = Place::with(&hooks("beforeShellExecution", command));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let mut run = place.command();
    run.args(["fire", "--strict", "--envelope", &envelope]).args(place.looking()).env("FROM_CALLER", "yes");
    assert_eq!(run.output().unwrap().status.code(), Some(0));
}
