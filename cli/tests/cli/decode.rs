//! `decode`: outcomes of every kind, as the options say them.

use crate::common::{Place, envelope};
use serde_json::{Value, json};

fn decode(args: &[&str], stdout: &str) -> Value {
    let place = Place::new();
    let given = ["decode", "--vendor", "cursor", "--format", "json", "--stdout", "-"];
    let ran = place.run_with(given.iter().chain(args), stdout);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ran.json()
}

#[test]
fn verdicts_follow_the_outcome() {
    let allow = r#"{"permission":"allow"}"#;
    let shell = ["--event", "beforeShellExecution"];
    for (args, stdout, verdict) in [
        (&[][..], allow, json!("allow")),
        (&[], r#"{"permission":"ask"}"#, json!("ask")),
        (&[], r#"{"permission":"deny"}"#, json!("deny")),
        (&[], "", Value::Null),
        (&["--fail-closed"], "", json!("deny")),
        (&["--strict"], "", json!("deny")),
        (&["--exit", "2"], allow, json!("deny")),
        (&["--exit", "1"], allow, Value::Null),
        (&["--exit", "-1"], allow, Value::Null),
        (&["--exit", "1", "--fail-closed"], allow, json!("deny")),
        (&["--signal", "9", "--fail-closed"], allow, json!("deny")),
        (&["--timed-out", "--fail-closed"], allow, json!("deny")),
        (&["--not-started", "--fail-closed"], allow, json!("deny")),
        (&["--not-started", "no such file", "--fail-closed"], allow, json!("deny")),
        (&["--cancelled"], allow, json!("deny")),
        (&["--truncated"], allow, json!("deny")),
        (&["--leaked"], allow, json!("allow")),
        (&["--leaked", "--fail-closed"], "", json!("deny")),
    ] {
        let value = decode(&[&shell[..], args].concat(), stdout);
        assert_eq!(value["verdict"], verdict, "{args:?} {stdout}");
    }
}

#[test]
fn reasons_name_the_hook_and_the_host() {
    let args = ["--event", "preToolUse", "--exit", "1", "--fail-closed", "--command", "./guard.sh", "--host", "Acme"];
    let reason = decode(&args, "")["reasons"][0].as_str().unwrap().to_owned();
    for part in ["./guard.sh", "Acme", "exited with code 1"] {
        assert!(reason.contains(part), "{reason}");
    }
    let reason = decode(&["--event", "preToolUse", "--not-started", "no such file", "--fail-closed"], "");
    assert!(reason["reasons"][0].as_str().unwrap().contains("could not be started"), "{reason}");
}

#[test]
fn standard_error_speaks_at_exit_2() {
    let place = Place::new();
    let stderr = place.write("stderr", "not here\n");
    let args = ["decode", "--vendor", "cursor", "--event", "preToolUse", "--exit", "2", "--stderr", &stderr];
    let ran = place.run(args.iter().chain(&["--format", "json"]));
    assert_eq!(ran.json()["reasons"], json!(["not here"]));
}

#[test]
fn a_continuation_has_the_limit_that_was_given() {
    let stdout = r#"{"followup_message":"more"}"#;
    let value = decode(&["--event", "stop", "--loop-limit", "3"], stdout);
    assert_eq!(value["continuation"], json!({"message": "more", "limit": 3}));
    assert_eq!(decode(&["--event", "stop"], stdout)["continuation"], json!({"message": "more", "limit": null}));
}

#[test]
fn an_envelope_tells_more() {
    let place = Place::new();
    let aborted = place.write("e.json", &envelope("turn.stop", &json!({"end": "aborted"})));
    let value = decode(&["--event", "stop", "--envelope", &aborted], r#"{"followup_message":"more"}"#);
    assert_eq!(value["continuation"], Value::Null);
}

#[test]
fn for_people() {
    let place = Place::new();
    let said = r#"{"permission":"deny","agent_message":"no\u001b[31m","updated_input":{"command":"ls"}}"#;
    let page = |event: &str, stdout: &str| {
        let args = ["decode", "--vendor", "cursor", "--stdout", "-", "--event", event];
        place.run_with(args, stdout).stdout
    };
    insta::assert_snapshot!("deny_and_rewrite", page("preToolUse", said));
    insta::assert_snapshot!("unsupported_rewrite", page("beforeShellExecution", said));
    insta::assert_snapshot!("malformed", page("preToolUse", "no JSON"));
    insta::assert_snapshot!(
        "session_start",
        page("sessionStart", r#"{"env":{"A":"1","PATH":"x"},"additional_context":"two\nlines"}"#)
    );
    insta::assert_snapshot!("halted_prompt", page("beforeSubmitPrompt", r#"{"continue":false,"user_message":"no"}"#));
    insta::assert_snapshot!("nothing", page("stop", ""));
}

/// What ran decides what its words mean: a server's text is no context, a model answers in its own
/// form, and a refused question ends the turn unless its definition says otherwise.
#[test]
fn what_ran_matters() {
    let place = Place::new();
    let claude = |event: &str, args: &[&str], stdout: &str| {
        let given = ["decode", "--vendor", "claude", "--event", event, "--format", "json", "--stdout", "-"];
        let ran = place.run_with(given.iter().chain(args), stdout);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
        ran.json()
    };
    let context = |handler: &str| claude("UserPromptSubmit", &["--handler", handler], "a word")["context"].clone();
    assert_eq!(context("command"), json!(["a word"]));
    assert_eq!(context("mcp_tool"), json!(["a word"]));
    assert_eq!(context("http"), json!([]));
    let refusal = r#"{"ok": false, "reason": "not now"}"#;
    let verdict = |handler: &str| claude("PreToolUse", &["--handler", handler], refusal)["verdict"].clone();
    assert_eq!((verdict("command"), verdict("http")), (Value::Null, Value::Null));
    assert_eq!((verdict("prompt"), verdict("agent")), (json!("deny"), json!("deny")));
    let halt = |args: &[&str]| {
        let args = [&["--handler", "prompt"], args].concat();
        claude("PreToolUse", &args, refusal)["halt"]["scope"].clone()
    };
    assert_eq!((halt(&[]), halt(&["--continue-on-block"])), (json!("turn"), Value::Null));
}

/// Asked, and no answer: a failure like any other.
#[test]
fn no_answer_is_a_failure() {
    let place = Place::new();
    let failed = |vendor: &str, args: &[&str]| {
        let given = ["decode", "--vendor", vendor, "--event", "PreToolUse", "--format", "json", "--stdout", "-"];
        let asked = ["--failed", "got no answer from the server", "--handler", "mcp_tool"];
        place.run_with([&given[..], &asked, args].concat(), "").json()
    };
    assert_eq!(failed("codex", &[])["verdict"], Value::Null);
    assert_eq!(failed("claude", &[])["verdict"], Value::Null);
    let closed = failed("claude", &["--fail-closed"]);
    assert_eq!(closed["verdict"], "deny");
    assert!(closed["reasons"][0].as_str().unwrap().contains("it got no answer from the server"), "{closed}");
    let twice = place.run(["decode", "--vendor", "cursor", "--event", "stop", "--failed", "x", "--exit", "1"]);
    assert_eq!(twice.code, 64);
}
