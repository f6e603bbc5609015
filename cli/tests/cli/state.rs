//! `--state`: what hooks leave behind goes into the caller's file and comes back out of it.

use std::fs;

use crate::common::{Place, envelope, hooks, shell_envelope};
use serde_json::{Value, json};

fn read(place: &Place) -> Value {
    serde_json::from_slice(&fs::read(place.path("state.json")).unwrap()).unwrap()
}

#[test]
fn environment_goes_round() {
    let document = json!({"version": 1, "hooks": {
        "sessionStart": [{"command": r#"printf '{"env":{"TEAM":"blue"}}'"#}],
        "preToolUse": [{"command": r#"test "$TEAM" = blue || exit 2; printf '{"permission":"allow"}'"#}],
    }});
    let place = Place::with(&document.to_string());
    let start = place.write("start.json", &envelope("session.start", &json!({})));
    let tool = place.write("tool.json", &shell_envelope("ls"));
    let state = place.path("state.json").display().to_string();
    assert_eq!(place.here(&["fire", "--envelope", &tool, "--state", &state]).code, 2, "nothing is set yet");
    assert!(!place.path("state.json").exists(), "nothing changed, so nothing is written");
    assert_eq!(place.here(&["fire", "--envelope", &start, "--state", &state]).code, 0);
    assert_eq!(read(&place)["env"], json!({"cursor": {"TEAM": "blue"}}));
    assert_eq!(place.here(&["fire", "--envelope", &tool, "--state", &state]).code, 0);
    let plan = place.here(&["plan", "--envelope", &tool, "--state", &state, "--format", "json"]).json();
    assert_eq!(plan["stages"][0][0]["launch"]["env"]["TEAM"], "blue");
}

#[test]
fn continuations_are_counted_until_a_user_speaks() {
    let place = Place::with(
        &json!({"version": 1, "hooks": {
            "stop": [{"command": r#"printf '{"followup_message":"more"}'"#, "loop_limit": 2}],
            "beforeSubmitPrompt": [{"command": r#"printf '{"continue":true}'"#}],
        }})
        .to_string(),
    );
    let stop = place.write("stop.json", &envelope("turn.stop", &json!({})));
    let prompt = place.write("prompt.json", &envelope("prompt.submit", &json!({"prompt": "hello"})));
    let state = place.path("state.json").display().to_string();
    let fire =
        |envelope: &str| place.here(&["fire", "--envelope", envelope, "--state", &state, "--format", "json"]).json();
    for count in 1..=2 {
        assert_eq!(fire(&stop)["decision"]["continuation"]["message"], "more");
        assert_eq!(read(&place)["continuations"], json!({"total": count, "by_vendor": {"cursor": count}}));
    }
    assert_eq!(fire(&stop)["stages"], json!([]), "its limit is reached");
    let encoded =
        place.run(["encode", "--vendor", "cursor", "--event", "stop", "--envelope", &stop, "--state", &state]);
    assert_eq!(encoded.json()["loop_count"], 2);
    fire(&prompt);
    assert_eq!(read(&place)["continuations"]["total"], 0);
    assert_eq!(fire(&stop)["decision"]["continuation"]["message"], "more");
}

#[test]
fn only_the_named_file_is_written() {
    let place = Place::with(&hooks("sessionStart", r#"printf '{"env":{"A":"1"}}'"#));
    let start = place.write("start.json", &envelope("session.start", &json!({})));
    let before = files(&place);
    place.here(&["fire", "--envelope", &start]);
    assert_eq!(files(&place), before);
    place.here(&["fire", "--envelope", &start, "--state", &place.path("state.json").display().to_string()]);
    assert_eq!(files(&place).len(), before.len() + 1);
}

fn files(place: &Place) -> Vec<std::path::PathBuf> {
    let (mut folders, mut files) = (vec![place.path("")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let list = if entry.path().is_dir() { &mut folders } else { &mut files };
            list.push(entry.path());
        }
    }
    files.sort();
    files
}

/// What one process writes while another's hooks run is not lost.
#[test]
fn processes_side_by_side_lose_nothing() {
    let command = r#"sleep 0.1; printf '{"env":{"%s":"set"}}' "$NAME""#;
    let place = Place::with(&hooks("sessionStart", command));
    let start = place.write("start.json", &envelope("session.start", &json!({})));
    let state = place.path("state.json").display().to_string();
    let fire = |n: usize| {
        let mut command = place.command();
        command.args(["fire", "--envelope", &start, "--state", &state]).args(place.looking());
        command.env("NAME", format!("V{n}")).stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let running: Vec<_> = (0..20).map(fire).collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(read(&place)["env"]["cursor"].as_object().unwrap().len(), 20);
}

/// A shorter state leaves nothing of a longer one.
#[test]
fn the_file_is_written_whole() {
    let place = Place::with(&hooks("beforeSubmitPrompt", "exit 0"));
    let long = r#"{"env":{},"continuations":{"total":3,"by_vendor":{"cursor":3}}}"#;
    let state = place.write("state.json", &format!("{long}{}", " ".repeat(100)));
    let prompt = place.write("prompt.json", &envelope("prompt.submit", &json!({"prompt": "hello"})));
    assert_eq!(place.here(&["fire", "--envelope", &prompt, "--state", &state]).code, 0);
    assert_eq!(read(&place), json!({"env": {}, "continuations": {"total": 0, "by_vendor": {}}}));
}
