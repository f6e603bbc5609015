//! The shapes of `--format json`: every key of every command, exactly.

use crate::common::{Place, demo, envelope, hooks, in_demo, keys, shell_envelope};
use serde_json::{Value, json};

const DIAGNOSTIC: [&str; 8] = ["code", "column", "help", "line", "message", "path", "pointer", "severity"];
const EFFECTS: [&str; 13] = [
    "context",
    "continuation",
    "diagnostics",
    "extras",
    "feedback",
    "halt",
    "notices",
    "reasons",
    "replacement_input",
    "replacement_result",
    "session_env",
    "unsupported",
    "verdict",
];

fn demo_json(command: &[&str]) -> Value {
    let args = command.iter().map(|arg| (*arg).to_owned()).chain(in_demo());
    Place::new().run(args.chain(["--format".to_owned(), "json".to_owned()])).json()
}

#[test]
fn check_and_list() {
    let bad = r#"{"version":1,"hooks":{"stop":[{"command":"a","loop_limit":9,"matcher":"x"}],"nope":[]}}"#;
    let place = Place::with(bad);
    for command in ["check", "list"] {
        let ran = place.here(&[command, "--format", "json"]);
        let value = ran.json();
        assert_eq!(keys(&value), ["bindings", "diagnostics", "sources"]);
        let sources = value["sources"].as_array().unwrap();
        let of = |vendor: &str| sources.iter().filter(|source| source["vendor"] == vendor).count();
        assert_eq!((of("cursor"), of("claude"), of("codex")), (3, 3, 4), "no place of the machine's own with --home");
        for source in sources {
            assert_eq!(keys(source), ["bindings", "path", "scope", "status", "vendor"]);
        }
        let path = place.path("workspace/.cursor/hooks.json");
        let project = json!({"vendor": "cursor", "scope": "project", "path": path, "status": "loaded", "bindings": 1});
        assert!(sources.contains(&project), "{sources:?}");
        assert_eq!(
            value["bindings"],
            json!([{
                "id": "cursor:project/.cursor/hooks.json#stop[0]",
                "vendor": "cursor",
                "event": "stop",
                "moments": ["turn.stop"],
                "matcher": "x",
                "condition": null,
                "handler": {"shell": {"line": "a"}},
                "background": null,
                "timeout_ms": null,
                "failure": "open",
                "loop_limit": 8,
                "capabilities": ["continuation"],
                "standing": "active",
                "why": null,
            }])
        );
        let diagnostics = value["diagnostics"].as_array().unwrap();
        assert_eq!(diagnostics.len(), 2);
        for diagnostic in diagnostics {
            assert_eq!(keys(diagnostic), DIAGNOSTIC);
        }
    }
}

#[test]
fn every_status_and_standing() {
    let place = Place::with(&hooks("preToolUse", "a"));
    place.write("home/.cursor/hooks.json", "{");
    let cwd = place.path("workspace").display().to_string();
    let home = place.path("home").display().to_string();
    let value = place.run(["list", "--cwd", &cwd, "--home", &home, "--format", "json"]).json();
    let cursors = value["sources"].as_array().unwrap().iter().filter(|source| source["vendor"] == "cursor");
    let statuses: Vec<_> = cursors.map(|source| source["status"].clone()).collect();
    assert_eq!(statuses, ["missing", "untrusted", "refused"]);
    assert_eq!(value["bindings"][0]["standing"], "skipped");
    assert_eq!(value["bindings"][0]["why"], "the workspace is not trusted");

    let value = place.here(&["list", "--format", "json", "--surface", "editor"]).json();
    assert_eq!(value["bindings"][0]["standing"], "active");
    let tab = Place::with(&hooks("beforeTabFileRead", "a"));
    let value = tab.here(&["list", "--format", "json", "--surface", "cli"]).json();
    assert_eq!(value["bindings"][0]["standing"], "skipped");
    assert!(value["bindings"][0]["why"].as_str().unwrap().contains("cli"));
}

#[test]
fn events() {
    let value = Place::new().run(["events", "--format", "json"]).json();
    let rows = value.as_array().unwrap();
    let vendors: Vec<_> = rows.chunk_by(|a, b| a["vendor"] == b["vendor"]).map(<[Value]>::len).collect();
    assert_eq!(vendors, [21, 34, 12]);
    let common = ["capabilities", "event", "matcher", "moments", "timeout_ms", "vendor"];
    for row in rows {
        assert!(common.iter().all(|key| keys(row).contains(key)), "{row}");
        let first = rows.iter().find(|first| first["vendor"] == row["vendor"]).unwrap();
        assert_eq!(keys(row), keys(first), "every key is in every row of a vendor");
        let plain = |key: &&str| key.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'));
        assert!(keys(row).iter().all(plain), "{row}");
    }
    let shell = rows.iter().find(|row| row["event"] == "beforeShellExecution").unwrap();
    assert_eq!(shell["moments"], json!(["tool.before/shell@100"]));
    assert_eq!(shell["matcher"], true);
    assert_eq!(shell["capabilities"], json!(["verdict", "notice"]));
}

#[test]
fn plan() {
    let value = demo_json(&["plan", "--envelope", &demo("rm-rf.json")]);
    assert_eq!(keys(&value), ["boundary", "refused_sources", "stages"]);
    assert_eq!(value["boundary"], "tool.before");
    assert_eq!(value["refused_sources"], json!([]));
    let stages = value["stages"].as_array().unwrap();
    assert_eq!(stages.len(), 2);
    for entry in stages.iter().flat_map(|stage| stage.as_array().unwrap()) {
        assert_eq!(keys(entry), ["binding", "event", "launch", "runs", "stdin", "why"]);
    }
    let runs = |stage: usize| {
        let lines = stages[stage].as_array().unwrap().iter();
        lines.map(|line| (line["binding"].as_str().unwrap(), line["runs"].as_bool().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(
        runs(0),
        [
            ("cursor:project/.cursor/hooks.json#preToolUse[0]", true),
            ("cursor:project/.cursor/hooks.json#preToolUse[1]", false),
            ("claude:project/.claude/settings.json#PreToolUse[0][0]", true),
            ("codex:project/.codex/hooks.json#PreToolUse[0][0]", true),
        ]
    );
    assert_eq!(
        runs(1),
        [
            ("cursor:project/.cursor/hooks.json#beforeShellExecution[0]", true),
            ("cursor:project/.cursor/hooks.json#beforeShellExecution[1]", false),
            ("cursor:user/.cursor/hooks.json#beforeShellExecution[0]", true),
        ]
    );
    let guard = &stages[1][0];
    assert_eq!(keys(&guard["launch"]), ["args", "cwd", "env", "program", "timeout_ms"]);
    assert_eq!(guard["launch"]["args"], json!(["-c", "sh .cursor/hooks/guard-rm.sh"]));
    assert_eq!(guard["launch"]["timeout_ms"], 5000);
    assert_eq!(guard["stdin"]["command"], "rm -rf build");
    let unmatched = &stages[1][1];
    assert_eq!(unmatched["stdin"], Value::Null);
    assert_eq!(unmatched["launch"], Value::Null);
    assert_eq!(unmatched["why"], "its matcher `^git push` does not match `rm -rf build`");
}

#[test]
fn plan_says_what_a_matcher_matched() {
    let place = Place::with(r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"a","matcher":"^rm"}]}}"#);
    let envelope = place.write("e.json", &shell_envelope("rm x"));
    let value = place.here(&["plan", "--envelope", &envelope, "--format", "json"]).json();
    assert_eq!(value["stages"][0][0]["why"], "its matcher `^rm` matches `rm x`");
}

#[test]
fn fire() {
    let value = demo_json(&["fire", "--envelope", &demo("rm-rf.json")]);
    assert_eq!(keys(&value), ["background", "boundary", "decision", "skipped", "stages"]);
    assert_eq!((&value["background"], &value["skipped"]), (&json!([]), &Value::Null));
    let stages = value["stages"].as_array().unwrap();
    let bindings = |stage: usize| {
        stages[stage].as_array().unwrap().iter().map(|line| line["binding"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(
        bindings(0),
        [
            "cursor:project/.cursor/hooks.json#preToolUse[0]",
            "claude:project/.claude/settings.json#PreToolUse[0][0]",
            "codex:project/.codex/hooks.json#PreToolUse[0][0]",
        ]
    );
    assert_eq!(
        bindings(1),
        [
            "cursor:project/.cursor/hooks.json#beforeShellExecution[0]",
            "cursor:user/.cursor/hooks.json#beforeShellExecution[0]",
        ]
    );
    for line in stages.iter().flat_map(|stage| stage.as_array().unwrap()) {
        assert_eq!(keys(line), ["binding", "effects", "outcome"]);
        let outcome = ["elapsed_ms", "exit", "leaked", "stderr", "stdout", "stdout_truncated"];
        assert_eq!(keys(&line["outcome"]), outcome);
        assert_eq!(line["outcome"]["exit"], json!({"code": 0}));
        assert_eq!(keys(&line["effects"]), EFFECTS);
    }
    let decision = &value["decision"];
    assert_eq!(
        keys(decision),
        [
            "action",
            "call",
            "conflicts",
            "context",
            "continuation",
            "diagnostics",
            "extras",
            "feedback",
            "halt",
            "judged_earlier_input",
            "notices",
            "original_call",
            "output",
            "pre_approved",
            "reasons",
            "refused_sources",
            "session_env",
            "unsupported",
        ]
    );
    assert_eq!(decision["action"], "deny");
    let asked = json!({
        "by": "claude:project/.claude/settings.json#PreToolUse[0][0]",
        "value": "This removes files. Is there a copy of them?",
    });
    let reason = json!({
        "by": "cursor:project/.cursor/hooks.json#beforeShellExecution[0]",
        "value": "Do not use rm -rf here. Move what is in the way to trash/ instead.",
    });
    assert_eq!(decision["reasons"], json!([asked, reason]));
}

#[test]
fn fire_shows_a_rewritten_call_and_a_refused_source() {
    let rewrite = r#"printf '{"permission":"allow","updated_input":{"command":"ls"}}'"#;
    let place = Place::with(&hooks("preToolUse", rewrite));
    place.write("home/.cursor/hooks.json", "[]");
    let envelope = place.write("e.json", &shell_envelope("rm x"));
    let decision = place.here(&["fire", "--envelope", &envelope, "--format", "json"]).json()["decision"].clone();
    assert_eq!(decision["call"]["tool"]["shell"]["command"], "ls");
    assert_eq!(decision["original_call"]["tool"]["shell"]["command"], "rm x");
    assert_eq!(keys(&decision["refused_sources"][0]), ["event", "path", "pointer", "scope", "vendor", "why"]);
}

#[test]
fn fire_shows_a_continuation() {
    let place = Place::with(&hooks("stop", r#"printf '{"followup_message":"more"}'"#));
    let envelope = place.write("e.json", &envelope("turn.stop", &json!({})));
    let decision = place.here(&["fire", "--envelope", &envelope, "--format", "json"]).json()["decision"].clone();
    let part = json!({"by": "cursor:project/.cursor/hooks.json#stop[0]", "value": "more", "limit": 5});
    assert_eq!(decision["continuation"], json!({"message": "more", "parts": [part]}));
}

#[test]
fn decode() {
    let place = Place::new();
    let value = place.run(["decode", "--vendor", "cursor", "--event", "stop", "--format", "json"]).json();
    assert_eq!(keys(&value), EFFECTS);
    assert_eq!(value["verdict"], Value::Null);
    for list in ["reasons", "notices", "context", "feedback", "session_env", "extras", "unsupported", "diagnostics"] {
        assert_eq!(value[list], json!([]), "{list}");
    }
    for single in ["replacement_input", "replacement_result", "halt", "continuation"] {
        assert_eq!(value[single], Value::Null, "{single}");
    }
}

#[test]
fn envelope_on_one_line() {
    let ran = Place::new().run(["envelope", "tool.before", "--format", "json"]);
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(keys(&ran.json()), ["agent", "at_ms", "id", "payload", "session", "turn"]);
}
