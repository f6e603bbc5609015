//! Where it looks: with `--home`, nowhere but in the given directories.

use crate::common::{Place, hooks, shell_envelope};

fn paths(place: &Place, args: &[&str]) -> Vec<String> {
    let value = place.run([&["list", "--format", "json"], args].concat()).json();
    let sources = value["sources"].as_array().unwrap().iter();
    sources.map(|source| place.redacted(source["path"].as_str().unwrap())).collect()
}

#[test]
fn a_named_home_is_the_only_home() {
    let place = Place::with(&hooks("preToolUse", "exit 0"));
    place.write("home/.cursor/hooks.json", &hooks("preToolUse", "exit 0"));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    for args in [&["list"][..], &["check"], &["plan", "--envelope", &envelope], &["fire", "--envelope", &envelope]] {
        for format in ["human", "json"] {
            let ran = place.here(&[args, &["--format", format]].concat());
            assert!(!ran.stdout.contains("poison"), "{args:?}: {}", ran.stdout);
            assert!(!ran.stdout.contains("/etc/"), "{args:?}: {}", ran.stdout);
        }
    }
}

#[test]
fn without_one_it_is_the_real_one_and_the_machine() {
    let place = Place::new();
    let found = paths(&place, &[]);
    let expected = [
        "/etc/cursor/hooks.json",
        "[place]/poison/.cursor/managed/active-team-hooks/hooks.json",
        "[place]/workspace/.cursor/hooks.json",
        "[place]/poison/.cursor/hooks.json",
        "[place]/poison/.claude/settings.json",
        "[place]/workspace/.claude/settings.json",
        "[place]/workspace/.claude/settings.local.json",
        "/etc/claude-code/managed-settings.json",
        "/etc/codex/requirements.toml",
        "/etc/codex/hooks.json",
        "/etc/codex/config.toml",
        "[place]/poison/.codex/hooks.json",
        "[place]/poison/.codex/config.toml",
        "[place]/workspace/.codex/hooks.json",
        "[place]/workspace/.codex/config.toml",
    ];
    if cfg!(target_os = "linux") {
        assert_eq!(found, expected);
    }
    assert!(place.run(["list"]).stdout.contains("poison"));
}

#[test]
fn relative_paths_are_made_absolute() {
    let place = Place::new();
    place.write("workspace/hooks.json", &hooks("preToolUse", "a"));
    let expected = [
        "[place]/workspace/../home/.cursor/managed/active-team-hooks/hooks.json",
        "[place]/workspace/.cursor/hooks.json",
        "[place]/workspace/../home/.cursor/hooks.json",
        "[place]/workspace/../home/.claude/settings.json",
        "[place]/workspace/.claude/settings.json",
        "[place]/workspace/.claude/settings.local.json",
        "[place]/workspace/../home/.codex/hooks.json",
        "[place]/workspace/../home/.codex/config.toml",
        "[place]/workspace/.codex/hooks.json",
        "[place]/workspace/.codex/config.toml",
    ];
    assert_eq!(paths(&place, &["--cwd", ".", "--home", "../home"]), expected);
    assert_eq!(paths(&place, &["--config", "cursor:hooks.json"]), ["[place]/workspace/hooks.json"]);
}

#[test]
fn named_files_are_read_instead_of_everything_else() {
    let place = Place::with(&hooks("preToolUse", "in the workspace"));
    let first = place.write("first.json", &hooks("preToolUse", "exit 2"));
    let second = place.write("second.json", &hooks("preToolUse", "exit 0"));
    let (first, second) = (format!("cursor:{first}"), format!("cursor:{second}"));
    let named = ["[place]/first.json", "[place]/second.json"];
    assert_eq!(paths(&place, &["--config", &first, &second]), named);
    assert_eq!(paths(&place, &["--config", &first, "--config", &second]), named);
    // a file that was named is trusted
    let envelope = place.write("e.json", &shell_envelope("ls"));
    assert_eq!(place.run(["fire", "--config", &first, "--envelope", &envelope]).code, 2);
}

/// Folders that variables name are the real ones' part: a named home leaves them out.
#[test]
fn variables_name_folders_only_without_a_home() {
    let place = Place::new();
    place.write("elsewhere/settings.json", "{}");
    let elsewhere = place.path("elsewhere").display().to_string();
    let listed = |args: &[String]| {
        let mut command = place.command();
        command.args(["list", "--format", "json"]).args(args).env("CLAUDE_CONFIG_DIR", &elsewhere);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(listed(&[]).contains("/elsewhere/settings.json"));
    assert!(!listed(&place.looking()).contains("elsewhere"));
}
