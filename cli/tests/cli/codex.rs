//! Hooks of Codex: two syntaxes, and the record of what a user reviewed.

use crate::common::{Place, command_group, shell_envelope};
use serde_json::{Value, json};

const TOML: &str = r#"
model = "gpt-5.2"

[[hooks.PreToolUse]]
matcher = "^Bash$"

[[hooks.PreToolUse.hooks]]
type = "command"
command = "echo no >&2; exit 2"
"#;

#[test]
fn a_config_is_a_hook_file_too() {
    let place = Place::new();
    let path = place.write("workspace/.codex/config.toml", TOML);
    let envelope = place.write("e.json", &shell_envelope("ls"));
    assert_eq!(place.here(&["fire", "--envelope", &envelope]).code, 2);
    let checked = place.run(["check", &path]);
    assert_eq!((checked.code, checked.stdout.as_str()), (0, "clean: 1 hook in 1 file (codex 1)\n"));
    let misspelt = place.write("workspace/.codex/config.toml", &TOML.replace("PreToolUse", "PreTooluse"));
    let found = place.run(["check", &misspelt, "--format", "json"]).json()["diagnostics"][0].clone();
    assert_eq!((&found["code"], &found["line"]), (&json!("codex/unknown-event"), &json!(4)), "{found}");
}

/// The record is the user's, and only a host that wants it kept asks for it.
#[test]
fn recorded_trust() {
    let place = Place::new();
    // recorded of Codex 0.171.0: fixtures/codex/recorded/trust-hash.json
    let reviewed = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}});
    let hash = "sha256:9895404babd7fa6a0b3e60f261e5e10c668cfc5c268d6a39a2c23b5b0fe94219";
    let file = place.write("home/.codex/hooks.json", &reviewed.to_string());
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let hook = |args: &[&str]| -> (Value, Value) {
        let hook = place.here(&[args, &["--format", "json"]].concat()).json()["bindings"][0].clone();
        (hook["standing"].clone(), hook["why"].clone())
    };
    assert_eq!(hook(&["list"]).0, "active", "nobody asked for it");
    let unreviewed = "configured, not run, because nobody has reviewed it yet";
    for command in ["list", "check"] {
        assert_eq!(hook(&[command, "--recorded-trust"]), (json!("skipped"), json!(unreviewed)));
    }
    let planned = place.here(&["plan", "--recorded-trust", "--envelope", &envelope, "--format", "json"]).json();
    assert_eq!(planned["stages"][0][0]["why"], unreviewed);
    let fired = place.here(&["fire", "--recorded-trust", "--explain", "--envelope", &envelope, "--format", "json"]);
    assert_eq!(fired.json()["skipped"][0]["why"], unreviewed);

    let record = format!("[hooks.state.\"{file}:pre_tool_use:0:0\"]\ntrusted_hash = \"{hash}\"\n");
    place.write("home/.codex/config.toml", &record);
    assert_eq!(hook(&["list", "--recorded-trust"]), (json!("active"), Value::Null));
    place.write("home/.codex/hooks.json", &reviewed.to_string().replace("guard", "other"));
    let changed = "configured, not run, because it is not what was reviewed";
    assert_eq!(hook(&["list", "--recorded-trust"]), (json!("skipped"), json!(changed)));
    let page = place.here(&["check", "--recorded-trust"]).stdout;
    let snippet = format!("\n    [hooks.state.\"{file}:pre_tool_use:0:0\"]\n    trusted_hash = \"sha256:");
    assert!(page.contains("codex/modified-hook") && page.contains(&snippet), "it can be pasted: {page}");
}

#[test]
fn a_config_of_a_session() {
    let place = Place::new();
    let given = format!("codex:{}", place.write("given.toml", TOML));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    assert_eq!(place.here(&["fire", "--envelope", &envelope, "--settings", &given]).code, 2);
    let listed = place.here(&["list", "--format", "json", "--settings", &given]).json();
    assert_eq!(listed["bindings"][0]["id"], "codex:session/given.toml#PreToolUse[0][0]");
}

/// `exit-2-silent`: a refusal without a word is one here.
#[test]
fn a_silent_refusal_refuses_here_and_not_in_codex() {
    let place = Place::new();
    place.write("workspace/.codex/hooks.json", &command_group("PreToolUse", "exit 2"));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    for (fidelity, code) in [("guarded", 2), ("vendor", 0)] {
        let fired = place.here(&["fire", "--envelope", &envelope, "--fidelity", fidelity]);
        assert_eq!(fired.code, code, "{fidelity}: {}", fired.stdout);
    }
}

/// What one file says about another is checked before anyone trusts the workspace.
#[test]
fn check_looks_as_if_the_workspace_were_trusted() {
    for (config, code) in [("[features]\nhooks = false\n", "codex/hooks-off"), (TOML, "codex/two-representations")] {
        let place = Place::new();
        place.write("workspace/.codex/hooks.json", &command_group("PreToolUse", "exit 2"));
        let config = place.write("workspace/.codex/config.toml", config);
        let (cwd, home) = (place.path("workspace").display().to_string(), place.path("home").display().to_string());
        let looking = ["--cwd", &cwd, "--home", &home];
        let checked = place.run([&["check", "--format", "json"], &looking[..]].concat()).json();
        let found = &checked["diagnostics"][0];
        assert_eq!((&found["code"], &found["path"]), (&json!(code), &json!(config)), "{checked}");
        let of_the_workspace = checked["sources"].as_array().unwrap().iter().filter(|s| s["scope"] == "project");
        let statuses: Vec<_> = of_the_workspace.map(|source| source["status"].clone()).collect();
        assert!(statuses.contains(&json!("untrusted")) && !statuses.contains(&json!("loaded")), "{checked}");
        let page = place.run([&["check"], &looking[..]].concat()).stdout;
        assert_eq!(page.contains("config.toml:2:1: ") && page.contains("keeps 1 hook from"), code == "codex/hooks-off");
        assert!(page.contains(code) && page.contains("not trusted: ") && page.contains("1 warning: "), "{page}");
        assert_eq!(place.run([&["check", "--deny", "warnings"], &looking[..]].concat()).code, 1);
        let trusted = place.here(&["check", "--format", "json"]).json();
        assert_eq!(trusted["diagnostics"], checked["diagnostics"]);
    }
}
