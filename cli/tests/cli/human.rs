//! Pages for people, as they are.

use crate::common::{Place, demo, hooks, in_demo, in_order, redacted, shell_envelope};

fn in_the_demo(args: &[&str]) -> String {
    let ran = Place::new().run(args.iter().map(|arg| (*arg).to_owned()).chain(in_demo()));
    assert_eq!(ran.stderr, "");
    in_order(&redacted(&ran.stdout))
}

#[test]
fn fire() {
    insta::assert_snapshot!("fire_denied", in_the_demo(&["fire", "--envelope", &demo("rm-rf.json")]));
    insta::assert_snapshot!("fire_proceeds", in_the_demo(&["fire", "--envelope", &demo("ls.json")]));
    insta::assert_snapshot!(
        "fire_with_nobody_to_ask",
        in_the_demo(&["fire", "--envelope", &demo("push.json"), "--headless"])
    );
}

#[test]
fn plan() {
    insta::assert_snapshot!("plan", in_the_demo(&["plan", "--envelope", &demo("rm-rf.json")]));
}

#[test]
fn list() {
    insta::assert_snapshot!("list", squeezed(&in_the_demo(&["list"])));
}

/// Columns are as wide as the path of this checkout; here, two spaces stand between them.
fn squeezed(page: &str) -> String {
    let line = |line: &str| {
        let cells = line.trim_start().split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        let indent = line.len() - line.trim_start().len();
        " ".repeat(indent) + &cells.collect::<Vec<_>>().join("  ")
    };
    page.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn check() {
    insta::assert_snapshot!("check_clean", in_the_demo(&["check"]));
    let place = Place::with(
        r#"{
  "version": 1,
  "hooks": {
    "preTooluse": [],
    "sessionStart": [{ "command": "a", "matcher": "x" }],
    "stop": [{ "command": "b", "loop_limit": 10 }]
  }
}"#,
    );
    place.write("home/.cursor/hooks.json", "{\"version\": 2}");
    insta::assert_snapshot!("check_findings", place.redacted(&place.here(&["check"]).stdout));
    insta::assert_snapshot!("list_with_findings", place.redacted(&place.here(&["list"]).stdout));
    insta::assert_snapshot!("check_nothing", Place::new().here(&["check"]).stdout);
}

#[test]
fn events() {
    let rows = |start: &str, args: &[&str]| {
        let page = Place::new().run([&["events"], args].concat()).stdout;
        page.lines().filter(|line| line.starts_with(start)).count()
    };
    let one_table_of_each = (1 + 21) + (1 + 34) + (1 + 12);
    assert_eq!(rows("  ", &[]), one_table_of_each);
    assert_eq!(rows("| ", &["--format", "markdown"]), 2 * one_table_of_each);
    for (vendor, events) in [("cursor", 21), ("claude", 34), ("codex", 12)] {
        assert_eq!(rows("  ", &["--vendor", vendor]), 2 * (1 + events), "{vendor}");
    }
    let page = Place::new().run(["events"]).stdout;
    assert!(page.lines().all(|line| line.len() <= 121), "without wide columns: {page}");
    let shell = "  beforeShellExecution  tool.before/shell@100      yes      verdict, notice                 30 s";
    assert!(page.lines().any(|line| line == shell), "{page}");
}

#[test]
fn envelope() {
    let place = Place::new();
    insta::assert_snapshot!("envelope", place.redacted(&place.run(["envelope", "tool.before"]).stdout));
}

/// What is missing stands before anything else: a refused file, and a workspace nobody trusts.
#[test]
fn what_does_not_take_part_is_said_first() {
    let place = Place::with(&hooks("preToolUse", "exit 2"));
    place.write("home/.cursor/hooks.json", "[]");
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let (cwd, home) = (place.path("workspace").display().to_string(), place.path("home").display().to_string());
    let ran = place.run(["fire", "--envelope", &envelope, "--cwd", &cwd, "--home", &home]);
    insta::assert_snapshot!("what_does_not_take_part_is_said_first", place.redacted(&ran.stdout));
}

#[test]
fn nothing_a_hook_prints_steers_the_terminal() {
    let place = Place::with(&hooks("preToolUse", r"printf '\033]0;title\007 \233 no' >&2; exit 2"));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let ran = place.here(&["fire", "--envelope", &envelope]);
    let steers = |c: char| c.is_control() && c != '\n';
    assert!(!ran.stdout.contains(steers), "{:?}", ran.stdout);
    assert!(ran.stdout.contains("]0;title"), "{}", ran.stdout);
}

#[test]
fn nothing_hides_or_turns_what_stands_beside_it() {
    let place = Place::with(&hooks("preToolUse", "printf 'a\u{200b}\u{202e}b' >&2; exit 2 # \u{2066}"));
    let envelope = place.write("e.json", &shell_envelope("ls \u{202e}fr- mr\u{feff}"));
    for command in ["fire", "plan", "list"] {
        let looking = if command == "list" { &[command][..] } else { &[command, "--envelope", &envelope] };
        let page = place.here(looking).stdout;
        assert!(!page.contains(['\u{200b}', '\u{202e}', '\u{2066}', '\u{feff}']), "{page:?}");
        assert!(page.contains(r"\u{2066}"), "{page}");
    }
    let page = place.here(&["fire", "--envelope", &envelope]).stdout;
    assert!(page.starts_with(r"tool.before: ls \u{202e}fr- mr\u{feff}"), "{page}");
    assert!(page.contains(r"stderr  a\u{200b}\u{202e}b"), "{page}");
    let json = place.here(&["fire", "--envelope", &envelope, "--format", "json"]).json();
    assert_eq!(json["stages"][0][0]["outcome"]["stderr"], "a\u{200b}\u{202e}b");
}

#[test]
fn long_texts_are_cut_for_people_only() {
    let place = Place::with(&hooks("preToolUse", "head -c 5000 /dev/zero | tr '\\0' x >&2; exit 2"));
    let envelope = place.write("e.json", &shell_envelope(&"y".repeat(1000)));
    let page = place.here(&["fire", "--envelope", &envelope]).stdout;
    assert!(page.contains("x… (3000 more bytes)") && page.contains("y… (760 more bytes)"), "{page}");
    assert!(page.len() < 8000, "{page}");
    let json = place.here(&["fire", "--envelope", &envelope, "--format", "json"]).json();
    assert_eq!(json["stages"][0][0]["outcome"]["stderr"].as_str().unwrap().len(), 5000);
}

/// What a hook's author should know is said once, with the hook.
#[test]
fn warnings_are_said_once() {
    let place = Place::with(&hooks("preToolUse", r#"printf '{"permission":"deny","nope":1}'"#));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let found = place.here(&["fire", "--envelope", &envelope, "--format", "json"]).json();
    let code = found["decision"]["diagnostics"][0]["code"].as_str().unwrap();
    let page = place.here(&["fire", "--envelope", &envelope]).stdout;
    assert_eq!(page.matches(code).count(), 1, "{page}");
}

#[test]
fn a_command_no_system_starts_does_not_run() {
    let place = Place::with(&hooks("preToolUse", "exit 2\0"));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let plan = place.here(&["plan", "--envelope", &envelope, "--format", "json"]).json();
    let hook = &plan["stages"][0][0];
    assert_eq!(hook["runs"], false, "{plan}");
    assert_eq!(hook["why"], "it cannot be started: its command contains a NUL byte");
    assert!(hook["launch"].is_null() && hook["stdin"].is_object(), "{plan}");
}

/// A hook of another kind of tool is not worth a line, nor is a stage of such hooks.
#[test]
fn hooks_of_other_tools_are_left_out() {
    let place = Place::with(&hooks("beforeMCPExecution", "exit 2"));
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let page = place.here(&["fire", "--envelope", &envelope]).stdout;
    let hint = "`harness-hooks plan` says why of each hook, `harness-hooks list` shows where they were looked for";
    assert_eq!(page, format!("tool.before: ls\n\nNo hook ran. {hint}.\n\nDecision: proceed\n"));
}

#[test]
fn colour_is_for_terminals() {
    let page = |name: &str, value: &str| {
        let place = Place::new();
        let output = place.command().arg("events").env(name, value).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!page("TERM", "xterm-256color").contains('\u{1b}'));
    assert!(page("CLICOLOR_FORCE", "1").contains('\u{1b}'));
}

/// The README shows what its first command prints, and a program that compiles.
#[test]
fn the_readme_is_true() {
    let read = |path: &str| std::fs::read_to_string(crate::common::repository().join(path)).unwrap();
    let readme = read("README.md");
    let block = |kind: &str| {
        let start = readme.split(&format!("```{kind}\n")).nth(1).unwrap();
        start.split("```").next().unwrap().to_owned()
    };
    let printed = in_the_demo(&["fire", "--envelope", &demo("rm-rf.json")]);
    assert_eq!(in_order(&redacted(&block("text"))), printed);
    assert!(read("cli/examples/embed.rs").ends_with(&block("rust")), "cli/examples/embed.rs is another program");
}

/// The README's program says that guards are off for want of trust. It is built with all tests of the
/// crate, and here where only some are asked for.
#[test]
fn the_readmes_program_says_what_is_off() {
    let built = std::path::Path::new(env!("CARGO_BIN_EXE_harness-hooks")).with_file_name("examples").join("embed");
    if !built.exists() {
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", "harness-hooks", "--example", "embed"]);
        assert!(cargo.status().unwrap().success());
    }
    let place = Place::with(&hooks("preToolUse", "echo no >&2; exit 2"));
    let printed = |args: &[&str]| {
        let mut embed = std::process::Command::new(&built);
        embed.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        embed.env("HOME", place.path("home")).current_dir(place.path("workspace"));
        String::from_utf8(embed.args(args).output().unwrap().stdout).unwrap()
    };
    let (alone, trusted) = (printed(&[]), printed(&["--trust"]));
    assert!(alone.contains("[cursor/untrusted]: the workspace is not trusted") && alone.contains("\nrun "), "{alone}");
    assert!(!trusted.contains("untrusted") && trusted.contains("refused: no"), "{trusted}");
}

/// What the README says to try on one's own hooks works in any project.
#[test]
fn the_readme_can_be_followed() {
    let readme = std::fs::read_to_string(crate::common::repository().join("README.md")).unwrap();
    let block = readme.split("```console\n").nth(1).unwrap().split("```").next().unwrap();
    let place = Place::with(&hooks("preToolUse", "exit 2"));
    let lines: Vec<_> = block.lines().filter_map(|line| line.strip_prefix("$ harness-hooks ")).collect();
    assert_eq!(lines.len(), 3);
    for line in lines {
        let (args, file) = line.split_once(" > ").unwrap_or((line, ""));
        let ran = place.run(args.split(' '));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}: {}", ran.stdout);
        if !file.is_empty() {
            place.write(&format!("workspace/{file}"), &ran.stdout);
        }
    }
}
