//! What is said to the person who can put it right: what is wrong, where, what to do instead.

use crate::common::Place;

fn said(place: &Place, args: &[&str], stdin: &str) -> String {
    let ran = place.run_with(args, stdin);
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    place.redacted(&ran.stderr)
}

#[test]
fn unknown_names_list_the_known_ones() {
    let place = Place::new();
    insta::assert_snapshot!("unknown_boundary", said(&place, &["envelope", "tool.befor"], ""));
    insta::assert_snapshot!("unknown_vendor", said(&place, &["events", "--vendor", "curser"], ""));
    insta::assert_snapshot!(
        "unknown_event",
        said(&place, &["decode", "--vendor", "cursor", "--event", "PreToolUse"], "")
    );
    insta::assert_snapshot!("config_of_unknown_vendor", said(&place, &["list", "--config", "curser:a.json"], ""));
    insta::assert_snapshot!("config_without_vendor", said(&place, &["list", "--config", ".cursor/hooks.json"], ""));
}

#[test]
fn an_envelope_error_has_a_place() {
    let place = Place::new();
    let plan = |stdin: &str| said(&place, &["plan", "--envelope", "-"], stdin);
    let with =
        |payload: &str| format!(r#"{{"id":"e","at_ms":1,"session":{{"id":"s","cwd":"/"}},"payload":{payload}}}"#);
    insta::assert_snapshot!("envelope_cut_off", plan("{"));
    insta::assert_snapshot!("envelope_empty", plan("{}"));
    insta::assert_snapshot!("envelope_unknown_boundary", plan(&with(r#"{"tool.befor":{}}"#)));
    insta::assert_snapshot!("envelope_missing_key", plan(&with(r#"{"tool.before":{}}"#)));
    insta::assert_snapshot!("envelope_unknown_key", plan(&with(r#"{"turn.stop":{"ended":"completed"}}"#)));
}

#[test]
fn what_no_hook_reads_has_a_place() {
    let place = Place::new();
    let read = |stdin: &str| said(&place, &["envelope", "--vendor", "cursor", "--from", "-"], stdin);
    insta::assert_snapshot!("stdin_cut_off", read(r#"{"hook_event_name":"stop""#));
    insta::assert_snapshot!("stdin_of_no_event", read("{}"));
    insta::assert_snapshot!("stdin_of_unknown_event", read(r#"{"hook_event_name":"PreToolUse"}"#));
    insta::assert_snapshot!("stdin_missing_key", read(r#"{"hook_event_name":"beforeShellExecution"}"#));
    insta::assert_snapshot!("stdin_wrong_type", read(r#"{"hook_event_name":"stop","loop_count":"many"}"#));
    insta::assert_snapshot!("envelope_of_nothing", said(&place, &["envelope"], ""));
    insta::assert_snapshot!("envelope_from_nothing", said(&place, &["envelope", "--vendor", "cursor"], ""));
}

#[test]
fn files_are_named() {
    let place = Place::new();
    let state = place.write("state.json", r#"{"continuation":1}"#);
    let folder = place.path("workspace").display().to_string();
    insta::assert_snapshot!("file_missing", said(&place, &["plan", "--envelope", "nope.json"], ""));
    insta::assert_snapshot!("state_wrong", said(&place, &["list", "--state", &state], ""));
    insta::assert_snapshot!("check_of_a_directory", said(&place, &["check", &folder], ""));
    insta::assert_snapshot!("cwd_no_directory", said(&place, &["list", "--cwd", &state], ""));
    insta::assert_snapshot!("home_missing", said(&place, &["list", "--home", "/no/such/home"], ""));
    insta::assert_snapshot!(
        "standard_input_twice",
        said(&place, &["decode", "--vendor", "cursor", "--event", "stop", "--stdout", "-", "--envelope", "-"], "")
    );
}
