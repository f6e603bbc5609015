//! `--fidelity`: every command takes it, and `vendor` is what the vendor's own program does.

use crate::common::{Place, demo, hooks, shell_envelope};
use serde_json::{Value, json};

#[test]
fn every_command_takes_it_and_guarded_is_the_default() {
    let place = Place::with(&hooks("beforeShellExecution", r#"printf '{"permission":"allow"}'"#));
    let (cwd, home) = (place.path("workspace").display().to_string(), place.path("home").display().to_string());
    let looking = ["--cwd", &cwd, "--home", &home, "--trust", "workspace"];
    let event = ["--vendor", "cursor", "--event", "beforeShellExecution"];
    let envelope = demo("ls.json");
    for args in [
        [&["check"], &looking[..]].concat(),
        [&["list"], &looking[..]].concat(),
        [&["plan", "--envelope", &envelope], &looking[..]].concat(),
        [&["fire", "--envelope", &envelope, "--format", "json"], &looking[..]].concat(),
        [&["decode"], &event[..]].concat(),
        [&["encode", "--envelope", &envelope], &event[..]].concat(),
        vec!["envelope", "tool.before"],
        vec!["events"],
    ] {
        let run = |fidelity: &[&str]| place.run([&args, fidelity].concat());
        let (plain, guarded) = (run(&[]), run(&["--fidelity", "guarded"]));
        assert_eq!((plain.code, guarded.code), (0, 0), "{args:?}: {}{}", plain.stderr, guarded.stderr);
        if args[0] != "fire" {
            assert_eq!(plain.stdout, guarded.stdout, "{args:?}");
        }
        let vendor = run(&["--fidelity", "vendor"]);
        assert_eq!(vendor.code, 0, "{args:?}: {}", vendor.stderr);
        assert_eq!(run(&["--fidelity", "nope"]).code, 64, "{args:?}");
    }
}

#[test]
fn events_has_a_table_of_each() {
    let rows = |fidelity: &str| {
        let args = ["events", "--vendor", "cursor", "--format", "json", "--fidelity", fidelity];
        let value = Place::new().run(args).json();
        value.as_array().unwrap().clone()
    };
    let (guarded, vendor) = (rows("guarded"), rows("vendor"));
    let named = |rows: &[Value], name: &str| rows.iter().find(|row| row["event"] == name).unwrap().clone();
    assert_eq!((guarded.len(), vendor.len()), (21, 21));
    assert!(guarded.iter().all(|row| row["timeout_ms"].is_null()));
    assert!(vendor.iter().all(|row| row["timeout_ms"] == 60_000));
    assert_eq!(named(&guarded, "preToolUse")["capabilities"], json!(["verdict", "rewrite_input", "notice"]));
    assert_eq!(named(&vendor, "preToolUse")["capabilities"], json!(["verdict", "rewrite_input", "context", "notice"]));
}

#[test]
fn check_says_what_the_vendor_makes_of_a_file() {
    let two = r#"{"version":2,"hooks":{"stop":[{"command":"a"}]}}"#;
    let unknown = r#"{"version":1,"hooks":{"stop":[{"command":"a"}],"nope":[{"command":"b"}]}}"#;
    let never = r#"{"version":1,"hooks":{"stop":[{"command":"a","loop_limit":0}]}}"#;
    for (document, fidelity, code, status, bindings) in [
        (two, "guarded", 1, "refused", 0),
        (two, "vendor", 0, "loaded", 1),
        (unknown, "guarded", 0, "loaded", 1),
        (unknown, "vendor", 1, "refused", 0),
        (never, "guarded", 0, "loaded", 1),
        (never, "vendor", 1, "refused", 0),
    ] {
        let place = Place::new();
        let path = place.write("hooks.json", document);
        for format in ["human", "json"] {
            let ran = place.run(["check", &path, "--fidelity", fidelity, "--format", format]);
            assert_eq!(ran.code, code, "{document} {fidelity}: {}", ran.stdout);
            if format == "json" {
                let source = &ran.json()["sources"][0];
                assert_eq!((&source["status"], &source["bindings"]), (&json!(status), &json!(bindings)), "{document}");
            }
        }
    }
}

#[test]
fn check_for_people() {
    let place = Place::with(
        r#"{
  "version": 1,
  "hooks": {
    "beforeShellExecution": [{ "command": "sh guard.sh" }],
    "stop": [{ "command": "b", "loop_limit": 0 }]
  }
}"#,
    );
    let page = |fidelity: &str| place.redacted(&place.here(&["check", "--fidelity", fidelity]).stdout);
    insta::assert_snapshot!("check_guarded", page("guarded"));
    insta::assert_snapshot!("check_vendor", page("vendor"));
}

#[test]
fn an_answer_without_a_permission_refuses_here_and_not_in_cursor() {
    let place = Place::with(&hooks("beforeShellExecution", "echo '{}'"));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    for (fidelity, code, verdict) in [("guarded", 2, json!("deny")), ("vendor", 0, Value::Null)] {
        let fired = place.here(&["fire", "--envelope", &envelope, "--fidelity", fidelity]);
        assert_eq!(fired.code, code, "{fidelity}: {}", fired.stdout);
        let event = ["--vendor", "cursor", "--event", "beforeShellExecution", "--format", "json"];
        let args = [&["decode", "--stdout", "-", "--fidelity", fidelity], &event[..]].concat();
        assert_eq!(place.run_with(args, "{}").json()["verdict"], verdict, "{fidelity}");
    }
}

#[test]
fn plan_starts_the_shell_of_each() {
    let place = Place::with(&hooks("beforeShellExecution", "a"));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    for (fidelity, flag, timeout_ms) in [("guarded", "-c", 30_000), ("vendor", "-lc", 60_000)] {
        let args = ["plan", "--envelope", &envelope, "--fidelity", fidelity, "--format", "json"];
        let planned = place.here(&args).json()["stages"][0][0].clone();
        assert_eq!(planned["launch"]["args"], json!([flag, "a"]));
        assert_eq!(planned["launch"]["timeout_ms"], timeout_ms);
        assert_eq!(planned["stdin"].get("tool_use_id").is_some(), fidelity == "guarded");
    }
}

/// The host's name and version are this command's; everything else is the fixture.
#[test]
fn encode_writes_the_keys_of_each() {
    let place = Place::new();
    let folder = crate::common::repository().join("fixtures/cursor/events/beforeShellExecution");
    let envelope = folder.join("envelope.json").display().to_string();
    for (fidelity, expected) in [("guarded", "stdin.json"), ("vendor", "stdin.vendor.json")] {
        let args = ["encode", "--vendor", "cursor", "--event", "beforeShellExecution", "--envelope", &envelope];
        let ran = place.run(args.iter().chain(&["--fidelity", fidelity]));
        let document = std::fs::read_to_string(folder.join(expected)).unwrap();
        let version = format!(r#""cursor_version":"{}""#, env!("CARGO_PKG_VERSION"));
        let host = format!(r#""harness_hooks_version":"{}""#, env!("CARGO_PKG_VERSION"));
        let document = document.trim_end().replace(r#""cursor_version":"1.2.3""#, &version);
        assert_eq!(ran.stdout, document.replace(r#""acme_version":"1.2.3""#, &host), "{fidelity}");
    }
}
