//! `envelope --from`: what a vendor's hook read, as an envelope that writes the same again.

use std::fs;

use crate::common::{Place, keys, repository};
use serde_json::{Value, json};

const READ: [&str; 5] = ["envelope", "--vendor", "cursor", "--from", "-"];

/// Each event with the envelope of its fixture.
fn events() -> Vec<(String, String)> {
    let folders = fs::read_dir(repository().join("fixtures/cursor/events")).unwrap().map(Result::unwrap);
    let event = |folder: fs::DirEntry| {
        let envelope = folder.path().join("envelope.json").display().to_string();
        (folder.file_name().into_string().unwrap(), envelope)
    };
    let mut events: Vec<_> = folders.map(event).collect();
    events.sort();
    events
}

#[test]
fn what_encode_wrote_is_written_again() {
    let place = Place::new();
    let counted = r#"{"continuations":{"total":2,"by_vendor":{"cursor":2}}}"#;
    let given = place.write("given.json", counted);
    assert_eq!(events().len(), 21);
    for fidelity in ["guarded", "vendor"] {
        for (event, envelope) in events() {
            let encode = |envelope: &str, state: &str| {
                let event = ["encode", "--vendor", "cursor", "--event", &event, "--fidelity", fidelity];
                place.run(event.iter().chain(&["--envelope", envelope, "--state", state]))
            };
            let first = encode(&envelope, &given);
            let kept = place.path(&format!("{fidelity}.{event}.state.json")).display().to_string();
            let options = ["--fidelity", fidelity, "--state", &kept, "--format", "json"];
            let read = place.run_with(READ.iter().chain(&options), &first.stdout);
            assert_eq!((read.code, read.stderr.as_str()), (0, ""), "{event} {fidelity}");
            let again = encode(&place.write("again.json", &read.stdout), &kept);
            assert_eq!(again.stdout, first.stdout, "{event} {fidelity}");
            assert_eq!((again.code, again.stderr), (0, first.stderr), "{event} {fidelity}");
        }
    }
}

#[test]
fn it_is_an_envelope_in_both_formats() {
    let place = Place::new();
    let stdin =
        r#"{"hook_event_name":"beforeShellExecution","conversation_id":"c1","generation_id":"g1","command":"ls"}"#;
    let from = place.write("stdin.json", stdin);
    let read = |format: &str| place.run(["envelope", "--from", &from, "--vendor", "cursor", "--format", format]);
    let (human, json) = (read("human"), read("json"));
    assert_eq!((human.stderr.as_str(), json.stderr.as_str()), ("", ""));
    assert_eq!(json.stdout.lines().count(), 1);
    assert_eq!(human.json(), json.json());
    assert_eq!(keys(&json.json()), ["agent", "at_ms", "id", "payload", "session", "turn"]);
    assert_eq!(json.json()["payload"]["tool.before"]["call"]["tool"]["shell"]["command"], "ls");
    insta::assert_snapshot!("read_for_people", human.stdout);
}

#[test]
fn nothing_it_reads_steers_the_terminal() {
    let place = Place::new();
    let text = "\u{1b}[2J\u{7f}\u{9b}2J\n日本";
    let stdin = json!({"hook_event_name": "afterAgentResponse", "text": text}).to_string();
    for format in ["human", "json"] {
        let ran = place.run_with(READ.iter().chain(&["--format", format]), &stdin);
        assert_eq!(ran.json()["payload"]["agent.response"]["text"], text, "{format}");
        let steers = |c: char| c.is_control() && c != '\n';
        assert!(format == "json" || !ran.stdout.contains(steers), "{:?}", ran.stdout);
    }
}

#[test]
fn what_no_envelope_holds_is_told_of() {
    let place = Place::new();
    let stdin = r#"{"hook_event_name":"stop","conversation_id":"c1","loop_count":2,"later_key":1,"another":{"a":2}}"#;
    for format in ["human", "json"] {
        let ran = place.run_with(READ.iter().chain(&["--format", format]), stdin);
        assert_eq!(ran.code, 0);
        assert_eq!(keys(&ran.json()), ["agent", "at_ms", "id", "payload", "session", "turn"]);
        insta::assert_snapshot!("notes_of_reading", ran.stderr);
    }
    let never = r#"{"hook_event_name":"stop","conversation_id":"c1","loop_count":0}"#;
    assert_eq!(place.run_with(READ, never).stderr, "", "it is the empty state");
}

#[test]
fn what_it_shows_of_the_state_goes_into_the_file() {
    let place = Place::new();
    let env = json!({"cursor": {"TEAM": "blue"}});
    let before = json!({"env": env, "continuations": {"total": 3, "by_vendor": {"cursor": 3}}});
    let state = place.write("state.json", &before.to_string());
    let after = |stdin: &str| -> Value {
        let ran = place.run_with(READ.iter().chain(&["--state", &state]), stdin);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{stdin}");
        serde_json::from_slice(&fs::read(&state).unwrap()).unwrap()
    };
    assert_eq!(after(r#"{"hook_event_name":"afterAgentResponse","text":"done"}"#), before, "it shows none");
    for count in [1, 0] {
        let continuations = json!({"total": count, "by_vendor": {"cursor": count}});
        let stdin = format!(r#"{{"hook_event_name":"stop","loop_count":{count}}}"#);
        assert_eq!(after(&stdin), json!({"env": env, "continuations": continuations}));
    }
}
