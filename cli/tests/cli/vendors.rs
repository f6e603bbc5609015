//! What every command does for every vendor.

use std::fs;

use crate::common::{Place, command_group, hooks, repository, shell_envelope};
use serde_json::{Value, json};

/// A vendor, where its file lies, an event before a shell command, and a hook of it that refuses.
fn refusals() -> [(&'static str, &'static str, &'static str, String); 3] {
    let command = "echo no >&2; exit 2";
    [
        ("cursor", ".cursor/hooks.json", "preToolUse", hooks("preToolUse", command)),
        ("claude", ".claude/settings.json", "PreToolUse", command_group("PreToolUse", command)),
        ("codex", ".codex/hooks.json", "PreToolUse", command_group("PreToolUse", command)),
    ]
}

#[test]
fn hook_files_of_each_are_found_planned_and_fired() {
    for (vendor, file, event, document) in refusals() {
        let place = Place::new();
        let path = place.write(&format!("workspace/{file}"), &document);
        let envelope = place.write("e.json", &shell_envelope("ls"));
        let named = format!("{vendor}:{path}");
        let found = place.looking();
        for looking in [found, vec!["--config".to_owned(), named]] {
            let json = |args: &[&str]| {
                let args = args.iter().map(|arg| (*arg).to_owned()).chain(looking.clone());
                place.run(args.chain(["--format".to_owned(), "json".to_owned()])).json()
            };
            for command in ["check", "list"] {
                let value = json(&[command]);
                assert_eq!(value["bindings"].as_array().unwrap().len(), 1, "{vendor} {command}: {value}");
                assert_eq!(value["bindings"][0]["vendor"], vendor);
                assert_eq!(value["diagnostics"], json!([]), "{vendor}");
            }
            let planned = json(&["plan", "--envelope", &envelope])["stages"][0][0].clone();
            assert_eq!((&planned["event"], &planned["runs"]), (&json!(event), &json!(true)), "{vendor}");
            assert_eq!(planned["stdin"]["hook_event_name"], event, "{vendor}");
            let decision = json(&["fire", "--envelope", &envelope])["decision"].clone();
            assert_eq!(decision["action"], "deny", "{vendor}");
            assert_eq!(decision["reasons"][0]["value"], "no", "{vendor}");
        }
        let fired = place.here(&["fire", "--envelope", &envelope]);
        assert_eq!(fired.code, 2, "{vendor}: {}", fired.stdout);
    }
}

/// What `encode` writes is what `plan` shows, and reads back to an envelope that writes it again.
#[test]
fn standard_input_of_each_goes_both_ways() {
    for (vendor, file, event, document) in refusals() {
        let place = Place::new();
        place.write(&format!("workspace/{file}"), &document);
        let envelope = place.write("e.json", &shell_envelope("ls"));
        let encode = |envelope: &str| {
            let ran = place.run(["encode", "--vendor", vendor, "--event", event, "--envelope", envelope]);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{vendor}");
            ran.stdout
        };
        let stdin = encode(&envelope);
        let planned = place.here(&["plan", "--envelope", &envelope, "--format", "json"]).json();
        let planned = &planned["stages"][0][0]["stdin"]["tool_input"]["command"];
        let written: Value = serde_json::from_str(&stdin).unwrap();
        assert_eq!(*planned, written["tool_input"]["command"], "{vendor}");
        let read = place.run_with(["envelope", "--vendor", vendor, "--from", "-"], &stdin);
        assert_eq!((read.code, read.stderr.as_str()), (0, ""), "{vendor}");
        assert_eq!(read.json()["payload"]["tool.before"]["call"]["tool"]["shell"]["command"], "ls", "{vendor}");
        assert_eq!(encode(&place.write("again.json", &read.stdout)), stdin, "{vendor}");
    }
}

/// Standard input that the vendors' own programs wrote is read, and written as it was.
#[test]
fn recorded_standard_input_is_written_again() {
    for (vendor, file, command) in
        [("claude", "PreToolUse.Bash.json", "echo hi; echo err >&2"), ("codex", "PreToolUse.Bash.json", "echo hi; pwd")]
    {
        let place = Place::new();
        let recorded = repository().join("fixtures").join(vendor).join("recorded").join(file);
        let from = recorded.display().to_string();
        let read = place.run(["envelope", "--vendor", vendor, "--from", &from]);
        assert_eq!((read.code, read.stderr.as_str()), (0, ""), "{vendor}");
        assert_eq!(read.json()["payload"]["tool.before"]["call"]["tool"]["shell"]["command"], command);
        let envelope = place.write("e.json", &read.stdout);
        let written = place.run(["encode", "--vendor", vendor, "--event", "PreToolUse", "--envelope", &envelope]);
        assert_eq!(written.stdout, fs::read_to_string(recorded).unwrap(), "{vendor}");
    }
}

#[test]
fn check_knows_whose_file_it_is_by_where_it_lies() {
    let place = Place::new();
    let vendor = |path: &str| {
        let path = place.write(path, "{}");
        place.run(["check", &path, "--format", "json"]).json()["sources"][0]["vendor"].clone()
    };
    for (path, expected) in [
        ("a/.cursor/hooks.json", "cursor"),
        ("a/.claude/settings.json", "claude"),
        ("a/.claude/settings.local.json", "claude"),
        ("a/.codex/hooks.json", "codex"),
        ("a/.codex/config.toml", "codex"),
        // by its name alone
        ("b/hooks.json", "cursor"),
        ("b/settings.json", "claude"),
        ("b/config.toml", "codex"),
        ("b/managed-settings.json", "claude"),
        ("b/requirements.toml", "codex"),
        ("b/other.json", "cursor"),
    ] {
        assert_eq!(vendor(path), expected, "{path}");
    }
    // a plugin is whose manifest it has
    for (plugin, manifest, expected) in
        [("p1", ".claude-plugin/plugin.json", "claude"), ("p2", ".codex-plugin/plugin.json", "codex")]
    {
        assert_eq!(vendor(&format!("{plugin}/hooks/hooks.json")), "cursor");
        place.write(&format!("{plugin}/{manifest}"), "{}");
        assert_eq!(vendor(&format!("{plugin}/hooks/hooks.json")), expected);
        assert_eq!(vendor(&format!("{plugin}/{manifest}")), expected);
    }
    // where it was a guess, it is said
    for (path, guessed) in
        [("a/.codex/hooks.json", None), ("b/hooks.json", Some("cursor")), ("b/settings.json", Some("claude"))]
    {
        let path = place.path(path).display().to_string();
        let page = place.run(["check", &path]).stdout;
        let found = place.run(["check", &path, "--format", "json"]).json();
        let said = |found: &Value| found["code"] == "cli/guessed-vendor";
        assert_eq!(said(&found["diagnostics"][0]), guessed.is_some(), "{found}");
        assert_eq!(page.contains("cli/guessed-vendor"), guessed.is_some(), "{page}");
        let Some(guessed) = guessed else { continue };
        let found = &found["diagnostics"][0];
        assert_eq!((&found["severity"], &found["path"]), (&json!("note"), &json!(path)));
        assert!(found["message"].as_str().unwrap().ends_with(guessed), "{found}");
        assert!(found["help"].as_str().unwrap().contains("--vendor"), "{found}");
        let named = place.run(["check", &path, "--vendor", guessed, "--format", "json"]).json();
        assert!(!named["diagnostics"].as_array().unwrap().iter().any(said), "{named}");
    }
    let named = place.run(["check", "a/.cursor/hooks.json", "--vendor", "nope"]);
    assert_eq!(named.code, 64);
    let path = place.path("b/hooks.json").display().to_string();
    let said = place.run(["check", &path, "--vendor", "codex", "--format", "json"]).json();
    assert_eq!(said["sources"][0]["vendor"], "codex");
}

#[test]
fn named_files_of_several_are_one_configuration() {
    let place = Place::new();
    let named: Vec<_> = refusals()
        .into_iter()
        .map(|(vendor, file, _, document)| format!("{vendor}:{}", place.write(file, &document)))
        .collect();
    let listed = place.run(
        [&["list", "--format", "json", "--config"], &*named.iter().map(String::as_str).collect::<Vec<_>>()].concat(),
    );
    let vendors: Vec<_> = listed.json()["bindings"].as_array().unwrap().iter().map(|b| b["vendor"].clone()).collect();
    assert_eq!(vendors, ["cursor", "claude", "codex"]);
}

/// A workspace nobody trusts has its hooks listed, whoever they are for, and none of them runs. That
/// is no fault of its files.
#[test]
fn no_workspace_is_trusted_unasked() {
    for (vendor, file, _, document) in refusals() {
        let place = Place::new();
        place.write(&format!("workspace/{file}"), &document);
        let envelope = place.write("e.json", &shell_envelope("ls"));
        let (cwd, home) = (place.path("workspace").display().to_string(), place.path("home").display().to_string());
        let looking = ["--cwd", &cwd, "--home", &home];
        let run = |args: &[&str]| place.run([args, &looking].concat());
        assert_eq!(run(&["fire", "--envelope", &envelope]).code, 0, "{vendor}");
        let hook = run(&["list", "--format", "json"]).json()["bindings"][0].clone();
        assert_eq!(hook["standing"], "skipped", "{vendor}");
        let checked = run(&["check", "--deny", "warnings"]);
        assert_eq!(checked.code, 0, "{vendor}: {}", checked.stdout);
        let path = place.path(&format!("workspace/{file}")).display().to_string();
        let said = format!(
            "not trusted: {path}; its hooks run with `--trust workspace`\n\nclean: 1 hook in 1 file ({vendor} 1)\n"
        );
        assert_eq!(checked.stdout, said);
        let page = run(&["fire", "--explain", "--envelope", &envelope]).stdout;
        assert!(page.contains("not run, the workspace is not trusted"), "{vendor}: {page}");
        let skipped = run(&["fire", "--explain", "--envelope", &envelope, "--format", "json"]).json();
        assert_eq!(skipped["skipped"], json!([{"binding": hook["id"], "why": "the workspace is not trusted"}]));
    }
}

/// A sample is of the directory it was printed in, where hooks can start.
#[test]
fn hooks_refuse_what_a_sample_shows() {
    for (vendor, file, _, document) in refusals() {
        let place = Place::new();
        place.write(&format!("workspace/{file}"), &document);
        let sample = place.run(["envelope", "tool.before", "--format", "json"]);
        let here = place.path("workspace").canonicalize().unwrap();
        assert_eq!(sample.json()["session"]["cwd"], json!(here), "{vendor}");
        assert_eq!(sample.json()["session"]["roots"], json!([here]), "{vendor}");
        assert_eq!(sample.json()["payload"]["tool.before"]["call"]["tool"]["shell"]["cwd"], json!(here), "{vendor}");
        let fired = place.here(&["fire", "--envelope", &place.write("e.json", &sample.stdout)]);
        assert_eq!((fired.code, fired.stderr.as_str()), (2, ""), "{vendor}: {}", fired.stdout);
    }
}

#[test]
fn a_session_in_a_directory_that_is_not_there_is_told_of() {
    let place = Place::with(&hooks("preToolUse", "exit 0"));
    let mut envelope: Value = serde_json::from_str(&shell_envelope("ls")).unwrap();
    envelope["session"]["cwd"] = json!("/home/nobody/gone");
    let gone = place.write("gone.json", &envelope.to_string());
    let there = place.write("e.json", &shell_envelope("ls"));
    let warning = "warning[cli/no-directory]: the working directory of the session, /home/nobody/gone, is not there";
    for command in ["plan", "fire"] {
        let page = place.here(&[command, "--envelope", &gone]);
        assert!(page.stdout.starts_with(warning), "{command}: {}", page.stdout);
        let json = place.here(&[command, "--envelope", &gone, "--format", "json"]);
        assert!(json.stderr.starts_with(warning) && json.stdout.starts_with('{'), "{command}: {}", json.stderr);
        for format in ["human", "json"] {
            let fine = place.here(&[command, "--envelope", &there, "--format", format]);
            assert!(!(fine.stdout + &fine.stderr).contains("no-directory"), "{command}");
        }
    }
}

/// The command is built with what the library can do: hooks in skill files are hooks.
#[test]
fn hooks_in_skill_files_are_listed() {
    let place = Place::new();
    let skill = "---\nname: tidy\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: exit 2\n---\n";
    let path = place.write("workspace/.claude/skills/tidy/SKILL.md", skill);
    let listed = place.here(&["list", "--format", "json"]).json();
    let sources = listed["sources"].as_array().unwrap();
    assert!(sources.iter().any(|source| source["path"] == path.as_str() && source["bindings"] == 1), "{listed}");
}

/// What a refusal kept from being asked is explained too, and which of it would not have run anyway.
#[test]
fn later_stages_a_refusal_kept_away_are_explained() {
    let document = json!({"version": 1, "hooks": {
        "preToolUse": [{"command": "exit 2"}],
        "beforeShellExecution": [{"command": "echo one"}, {"command": "echo two", "matcher": "^git"}],
    }});
    let place = Place::with(&document.to_string());
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let hook = |n: usize| format!("cursor:project/.cursor/hooks.json#beforeShellExecution[{n}]");
    let refused = "an earlier stage refused it";
    let fired = place.here(&["fire", "--explain", "--envelope", &envelope, "--format", "json"]).json();
    assert_eq!(
        fired["skipped"],
        json!([
            {"binding": hook(0), "why": refused},
            {"binding": hook(1), "why": "its matcher `^git` does not match `ls`"},
        ])
    );
    let page = place.here(&["fire", "--explain", "--envelope", &envelope]).stdout;
    let first = format!("  echo one: not run, {refused}\n    hook  {}\n", hook(0));
    let second = format!("  echo two: not run, its matcher `^git` does not match `ls`\n    hook  {}\n", hook(1));
    let said = format!("\nLater stages\n{first}{second}");
    assert!(page.contains(&said), "{page}");
    let page = place.here(&["fire", "--envelope", &envelope]).stdout;
    assert!(!page.contains(refused), "nobody asked: {page}");
}
