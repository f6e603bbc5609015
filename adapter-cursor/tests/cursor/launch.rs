//! What is started for a definition: its shell, where it runs and its variables.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use harness_hooks_core::{
    Adapter, Envelope, Exit, Host, Launch, Machine, Occasion, Outcome, Process, Scope, SessionState, Source,
};
use harness_hooks_cursor::{CURSOR, Cursor};

use crate::common;

fn launched(source: &Source, line: &str, host: &Host, envelope: &Envelope, state: &SessionState) -> Process {
    let line = serde_json::to_string(line).unwrap();
    let document = format!(r#"{{"version":1,"hooks":{{"preToolUse":[{{"command":{line}}}]}}}}"#);
    let parsed = Cursor::new().parse(&Arc::new(source.clone()), document.as_bytes());
    match Cursor::new().launch(&parsed.bindings[0], Occasion::new(envelope, host, state), b"{}") {
        Launch::Process(process) => process,
        other => panic!("{other:?}"),
    }
}

fn of_project(host: &Host, envelope: &Envelope) -> Process {
    launched(&common::source(), "./guard.sh --fast", host, envelope, &SessionState::new())
}

fn shell() -> Envelope {
    common::before(r#"{"shell":{"command":"ls"}}"#)
}

/// CUR-RUN-01: bash where there is one, whatever the user's shell, and never a login shell.
#[test]
fn the_shell_is_the_machines() {
    let zsh = Some(PathBuf::from("/bin/zsh"));
    for (bash, program) in [(Some(PathBuf::from("/bin/bash")), "/bin/bash"), (None, "/bin/sh")] {
        let host = common::acme().machine(Machine::new().bash(bash).shell(zsh.clone()));
        let process = of_project(&host, &shell());
        assert_eq!(process.program, PathBuf::from(program));
        assert_eq!(process.args, ["-c", "./guard.sh --fast"]);
    }
}

/// CUR-RUN-02
#[test]
fn on_windows_it_is_powershell() {
    let host = common::acme().machine(Machine::new().windows(true));
    for (line, begins) in [("./guard.ps1", "./guard.ps1"), ("\"C:\\a b\\g.exe\" x", "& \"C:\\a b\\g.exe\" x")] {
        let process = launched(&common::source(), line, &host, &shell(), &SessionState::new());
        assert_eq!(process.args[..5], ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"]);
        assert!(process.args[5].starts_with(begins), "{}", process.args[5]);
        assert!(process.args[5].contains("LASTEXITCODE"), "the exit code is passed on: {}", process.args[5]);
    }
}

/// CUR-RUN-04: the address and the transcript only where they are known.
#[test]
fn variables_say_what_is_known() {
    let names = ["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "CURSOR_VERSION"];
    let env = of_project(&common::acme(), &shell()).env;
    assert_eq!(env.keys().collect::<Vec<_>>(), names);
    assert_eq!(env["CURSOR_PROJECT_DIR"], common::PROJECT);
    assert_eq!(env["CLAUDE_PROJECT_DIR"], common::PROJECT);
    assert_eq!(env["CURSOR_VERSION"], "1.2.3");

    let known = r#"{"id":"e","at_ms":0,"session":{"id":"s","cwd":"/home/dev/project","user_email":"dev@example.com","transcript":"/t.jsonl"},"payload":{"turn.stop":{}}}"#;
    let env = of_project(&common::acme(), &Envelope::read(known.as_bytes()).unwrap()).env;
    assert_eq!(env["CURSOR_USER_EMAIL"], "dev@example.com");
    assert_eq!(env["CURSOR_TRANSCRIPT_PATH"], "/t.jsonl");
    assert_eq!(env.len(), 5);
}

/// CUR-RUN-05
#[test]
fn plugins_know_their_folder() {
    let plugin = Source::new(CURSOR, Scope::Plugin, "/opt/one/hooks/hooks.json", "plugin/hooks/hooks.json", "/opt/one");
    let line = "sh ${CURSOR_PLUGIN_ROOT}/a.sh ${CLAUDE_PLUGIN_ROOT} $CURSOR_PLUGIN_ROOT";
    let process = launched(&plugin, line, &common::acme(), &shell(), &SessionState::new());
    assert_eq!(process.args[1], "sh /opt/one/a.sh /opt/one $CURSOR_PLUGIN_ROOT");
    assert_eq!(process.env["CURSOR_PLUGIN_ROOT"], "/opt/one");
    assert_eq!(process.env["CLAUDE_PLUGIN_ROOT"], "/opt/one");
    assert_eq!(process.env["CURSOR_PROJECT_DIR"], common::PROJECT);
    let process = launched(&common::source(), line, &common::acme(), &shell(), &SessionState::new());
    assert_eq!(process.args[1], line, "braces mean nothing in other files");
}

/// CUR-RUN-06: what earlier hooks set overrides what stands there.
#[test]
fn variables_of_the_session_come_last() {
    let document = r#"{"version":1,"hooks":{"sessionStart":[{"command":"a"}]}}"#;
    let snapshot = common::snapshot(common::acme().allows_env("CURSOR_VERSION"), document);
    let start = common::envelope(r#"{"session.start":{}}"#);
    let mut firing = snapshot.begin(&start, SessionState::new());
    let stage = firing.next_stage().unwrap();
    let answer = r#"{"env":{"STAGE":"dev","CURSOR_VERSION":"9"}}"#;
    firing.report(&stage.invocations[0], &Outcome::new(Exit::Code(0)).stdout(answer));
    let mut state = SessionState::new();
    state.apply(firing.finish().change);
    let env = launched(&common::source(), "b", &common::acme(), &shell(), &state).env;
    assert_eq!((env["STAGE"].as_str(), env["CURSOR_VERSION"].as_str()), ("dev", "9"));
}

/// CUR-RUN-03, CUR-RUN-08: a command is passed on as it was written, and the payload never.
#[test]
fn the_line_is_as_written() {
    for line in ["", "hooks/../x.sh '$(a)' ~ \"b c\"\nsecond", "größe 🦀"] {
        let process = launched(&common::source(), line, &common::acme(), &shell(), &SessionState::new());
        assert_eq!(process.args, ["-c", line]);
        assert_eq!(process.cwd, PathBuf::from(common::PROJECT));
    }
    let _: BTreeMap<String, String> = of_project(&common::acme(), &shell()).env;
}
