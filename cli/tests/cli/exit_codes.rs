//! Exit codes: what a caller that reads nothing else relies on.

use crate::common::{Place, envelope, hooks, shell_envelope};
use serde_json::json;

#[test]
fn check() {
    let clean = hooks("preToolUse", "a");
    let warning = r#"{"version":1,"hooks":{"nope":[]}}"#;
    for (document, args, code) in [
        (clean.as_str(), &[][..], 0),
        (&clean, &["--deny", "warnings"], 0),
        (warning, &[], 0),
        (warning, &["--deny", "warnings"], 1),
        ("{", &[], 1),
        ("{", &["--deny", "warnings"], 1),
        (r#"{"version":1,"hooks":{}}"#, &["--deny", "warnings"], 0),
    ] {
        let place = Place::with(document);
        for format in ["human", "json"] {
            let found = place.here(&[&["check", "--format", format], args].concat());
            assert_eq!(found.code, code, "{document} {args:?}: {}", found.stdout);
            let path = place.path("workspace/.cursor/hooks.json").display().to_string();
            let named = place.run([&["check", "--format", format, &path], args].concat());
            assert_eq!(named.code, code, "{document} {args:?}: {}", named.stdout);
        }
    }
    assert_eq!(Place::new().here(&["check"]).code, 0);
}

#[test]
fn fire() {
    let say = |answer: &str| format!("printf '{answer}'");
    let shell = shell_envelope("ls");
    let prompt = envelope("prompt.submit", &json!({"prompt": "hello"}));
    let stop = envelope("turn.stop", &json!({}));
    for (event, command, envelope, args, code) in [
        ("beforeShellExecution", say(r#"{"permission":"allow"}"#), &shell, &[][..], 0),
        ("beforeShellExecution", say(r#"{"permission":"deny"}"#), &shell, &[], 2),
        ("beforeShellExecution", say(r#"{"permission":"ask"}"#), &shell, &[], 3),
        ("beforeShellExecution", say(r#"{"permission":"ask"}"#), &shell, &["--headless"], 2),
        ("beforeShellExecution", "exit 2".into(), &shell, &[], 2),
        ("beforeShellExecution", "exit 1".into(), &shell, &[], 0),
        ("beforeShellExecution", "exit 1".into(), &shell, &["--strict"], 2),
        ("beforeShellExecution", "exit 2".into(), &shell, &["--trust", "none"], 0),
        ("beforeSubmitPrompt", say(r#"{"continue":false}"#), &prompt, &[], 2),
        ("stop", say(r#"{"followup_message":"more"}"#), &stop, &[], 0),
        ("stop", "exit 2".into(), &stop, &[], 0),
    ] {
        let place = Place::with(&hooks(event, &command));
        let envelope = place.write("e.json", envelope);
        let trust = if args.contains(&"--trust") { 4 } else { 6 };
        let looking = place.looking();
        for format in ["human", "json"] {
            let given = ["fire", "--envelope", &envelope, "--format", format];
            let ran =
                place.run(given.iter().chain(args).copied().chain(looking.iter().take(trust).map(String::as_str)));
            assert_eq!(ran.code, code, "{event} {command} {args:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn wrong_usage_is_64() {
    let place = Place::new();
    for args in [
        &[][..],
        &["nope"],
        &["check", "--nope"],
        &["check", "--deny", "notes"],
        &["check", "--vendor", "nope"],
        &["check", "--surface", "nope"],
        &["check", "a", "--config", "cursor:b"],
        &["plan"],
        &["fire"],
        &["fire", "--envelope", "e.json", "--trust", "everyone"],
        &["list", "--config", "nope:a"],
        &["list", "--config", "a"],
        &["list", "--format", "markdown"],
        &["decode", "--vendor", "cursor"],
        &["decode", "--vendor", "cursor", "--event", "nope"],
        &["decode", "--vendor", "cursor", "--event", "stop", "--exit", "1", "--signal", "9"],
        &["decode", "--vendor", "cursor", "--event", "stop", "--stdout", "-", "--stderr", "-"],
        &["encode", "--vendor", "cursor", "--event", "Stop", "--envelope", "-"],
        &["envelope"],
        &["envelope", "tool.nope"],
        &["envelope", "turn.stop", "--vendor", "cursor"],
        &["envelope", "turn.stop", "--state", "state.json"],
        &["envelope", "turn.stop", "--from", "-", "--vendor", "cursor"],
        &["envelope", "--from", "-"],
        &["envelope", "--from", "-", "--vendor", "nope"],
        &["envelope", "--vendor", "cursor"],
        &["events", "--fidelity", "nope"],
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 64, "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn help_is_0() {
    for args in [&["--help"][..], &["-h"], &["--version"], &["help", "fire"], &["decode", "--help"]] {
        let ran = Place::new().run(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn bad_input_files_are_65() {
    let place = Place::new();
    let folder = place.path("workspace").display().to_string();
    let no_envelope = place.write("no.json", "{}");
    let good = place.write("e.json", &shell_envelope("ls"));
    let bad_state = place.write("state.json", r#"{"continuation":1}"#);
    let stop = place.write("stop.json", r#"{"hook_event_name":"stop","loop_count":1}"#);
    for args in [
        &["check", "nope.json"][..],
        &["check", &folder],
        &["list", "--config", "cursor:nope.json"],
        &["list", "--cwd", "nope"],
        &["list", "--cwd", &good],
        &["list", "--home", "nope"],
        &["list", "--state", &bad_state],
        &["plan", "--envelope", "nope.json"],
        &["plan", "--envelope", &folder],
        &["fire", "--envelope", &no_envelope],
        &["fire", "--envelope", &good, "--state", &bad_state],
        &["fire", "--envelope", &good, "--state", "no/such/folder/state.json"],
        &["decode", "--vendor", "cursor", "--event", "stop", "--stdout", "nope"],
        &["decode", "--vendor", "cursor", "--event", "stop", "--envelope", &no_envelope],
        &["encode", "--vendor", "cursor", "--event", "stop", "--envelope", &no_envelope],
        &["envelope", "--vendor", "cursor", "--from", "nope.json"],
        &["envelope", "--vendor", "cursor", "--from", &folder],
        &["envelope", "--vendor", "cursor", "--from", &no_envelope],
        &["envelope", "--vendor", "cursor", "--from", &stop, "--state", &bad_state],
        &["envelope", "--vendor", "cursor", "--from", &stop, "--state", "no/such/folder/state.json"],
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 65, "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.is_empty() && ran.stderr.starts_with("error: "), "{args:?}");
    }
}

/// A denial is one whether or not anybody could be told of it; a permission is not.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_hides_no_decision() {
    for (answer, code) in [("allow", 74), ("deny", 2), ("ask", 3)] {
        let place = Place::with(&hooks("beforeShellExecution", &format!(r#"printf '{{"permission":"{answer}"}}'"#)));
        let envelope = place.write("e.json", &shell_envelope("ls"));
        for format in ["human", "json"] {
            let mut command = place.command();
            command.args(["fire", "--envelope", &envelope, "--format", format]).args(place.looking());
            let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
            let output = command.stdout(full).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(code), "{answer} {format}: {stderr}");
            assert!(stderr.contains("cannot write to standard output"), "{answer} {format}: {stderr}");
        }
    }
}

#[test]
fn nor_does_a_state_that_cannot_be_written() {
    let document = json!({"version": 1, "hooks": {
        "beforeSubmitPrompt": [{"command": r#"rm -f "$STATE"; mkdir "$STATE"; printf "{\"continue\":$ANSWER}""#}],
    }});
    for (answer, code) in [("true", 74), ("false", 2)] {
        let place = Place::with(&document.to_string());
        let prompt = place.write("e.json", &envelope("prompt.submit", &json!({"prompt": "hello"})));
        let state = place.write("state.json", "");
        let mut command = place.command();
        command.args(["fire", "--envelope", &prompt, "--state", &state]).args(place.looking());
        let output = command.env("STATE", &state).env("ANSWER", answer).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.starts_with("error: cannot write the state to "), "{stderr}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("Decision: "));
    }
}
