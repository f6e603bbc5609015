//! Pages for people, as they are.

mod common;

use common::{Place, demo, hooks, in_demo, in_order, redacted, shell_envelope};

fn in_the_demo(args: &[&str]) -> String {
    let ran = Place::new().run(args.iter().map(|arg| (*arg).to_owned()).chain(in_demo()));
    assert_eq!(ran.stderr, "");
    in_order(&redacted(&ran.stdout))
}

#[test]
fn fire() {
    insta::assert_snapshot!(in_the_demo(&["fire", "--envelope", &demo("rm-rf.json")]));
    insta::assert_snapshot!(in_the_demo(&["fire", "--envelope", &demo("ls.json")]));
    insta::assert_snapshot!(in_the_demo(&["fire", "--envelope", &demo("push.json"), "--headless"]));
}

#[test]
fn plan() {
    insta::assert_snapshot!(in_the_demo(&["plan", "--envelope", &demo("rm-rf.json")]));
}

#[test]
fn list() {
    insta::assert_snapshot!(in_the_demo(&["list"]));
}

#[test]
fn check() {
    insta::assert_snapshot!(in_the_demo(&["check"]));
    let place = Place::with(
        r#"{
  "version": 1,
  "hooks": {
    "preTooluse": [],
    "preToolUse": [{ "command": "a", "matcher": "(" }],
    "stop": [{ "command": "b", "loop_limit": 10 }]
  }
}"#,
    );
    place.write("home/.cursor/hooks.json", "{\"version\": 2}");
    insta::assert_snapshot!(place.redacted(&place.here(&["check"]).stdout));
    insta::assert_snapshot!(place.redacted(&place.here(&["list"]).stdout));
    insta::assert_snapshot!(Place::new().here(&["check"]).stdout);
}

#[test]
fn events() {
    insta::assert_snapshot!(Place::new().run(["events"]).stdout);
    let markdown = Place::new().run(["events", "--format", "markdown"]).stdout;
    let rows = markdown.lines().filter(|line| line.starts_with("| ")).count();
    assert_eq!(rows, 2 * (1 + 21), "{markdown}");
}

#[test]
fn envelope() {
    insta::assert_snapshot!(Place::new().run(["envelope", "tool.before"]).stdout);
}

/// What is missing stands before anything else: a refused file, and a workspace nobody trusts.
#[test]
fn what_does_not_take_part_is_said_first() {
    let place = Place::with(&hooks("preToolUse", "exit 2"));
    place.write("home/.cursor/hooks.json", "[]");
    let envelope = place.write("e.json", &shell_envelope("ls"));
    let (cwd, home) = (place.path("workspace").display().to_string(), place.path("home").display().to_string());
    let ran = place.run(["fire", "--envelope", &envelope, "--cwd", &cwd, "--home", &home]);
    insta::assert_snapshot!(place.redacted(&ran.stdout));
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

/// The README shows what its first command prints.
#[test]
fn the_readme_is_true() {
    let readme = std::fs::read_to_string(common::repository().join("README.md")).unwrap();
    let shown = readme.split("```text\n").nth(1).and_then(|text| text.split("```").next()).unwrap();
    assert_eq!(in_order(&redacted(shown)), in_the_demo(&["fire", "--envelope", &demo("rm-rf.json")]));
}
