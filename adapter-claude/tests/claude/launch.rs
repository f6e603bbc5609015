//! What is started for a handler: its shell, where it runs and its variables, the request, the call.
//! Machines are values, so that every system's choice is tested on any.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use harness_hooks_claude::{CLAUDE, Claude};
use harness_hooks_core::{
    Adapter, Binding, Envelope, Handler, Host, HostCall, Http, Json, Launch, Machine, Occasion, Process, Question,
    Scope, SessionState, Source, Text,
};
use serde_json::{Value, json};

const PROJECT: &str = "/home/dev/project";
const STDIN: &[u8] = b"{\"tool_name\":\"Bash\",\"n\":1}\n";

fn source(scope: Scope, cwd: &str) -> Arc<Source> {
    Arc::new(Source::new(CLAUDE, scope, format!("{cwd}/file.json"), "a", cwd))
}

fn binding(event: &str, handler: Handler) -> Binding {
    binding_of(&source(Scope::Project, PROJECT), event, handler)
}

fn binding_of(source: &Arc<Source>, event: &str, handler: Handler) -> Binding {
    let event = Claude::new().event(event).unwrap_or_else(|| panic!("{event} is no event"));
    Binding::new(source, event, &Claude::new().events()[event.index()], 0, handler)
}

/// The session moved on from where it started.
fn session() -> Value {
    json!({"id": "s1", "cwd": format!("{PROJECT}/sub"), "roots": [PROJECT, "/srv/other"], "effort": "medium"})
}

fn stop(session: &Value) -> Envelope {
    let json = json!({"id": "e1", "at_ms": 0, "session": session, "payload": {"turn.stop": {}}});
    Envelope::read(json.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn launched_in(session: &Value, machine: &Machine, binding: &Binding) -> Launch {
    let host = Host::new("Acme", "1").machine(machine.clone());
    Claude::new().launch(binding, Occasion::new(&stop(session), &host, &SessionState::new()), STDIN)
}

fn launched(machine: &Machine, handler: Handler) -> Launch {
    launched_in(&session(), machine, &binding("PreToolUse", handler))
}

fn process(launch: Launch) -> Process {
    match launch {
        Launch::Process(process) => process,
        other => panic!("{other:?}"),
    }
}

fn shell(line: &str) -> Handler {
    Handler::Shell { line: line.into() }
}

fn named(shell: &str, line: &str) -> Handler {
    Handler::NamedShell { shell: shell.into(), line: line.into() }
}

fn linux() -> Machine {
    Machine::new().bash(PathBuf::from("/bin/bash")).shell(PathBuf::from("/bin/zsh"))
}

fn macos() -> Machine {
    Machine::new().bash(PathBuf::from("/bin/bash")).shell(PathBuf::from("/bin/zsh"))
}

fn windows(bash: Option<&str>, powershell: Option<&str>) -> Machine {
    Machine::new().windows(true).bash(bash.map(PathBuf::from)).powershell(powershell.map(PathBuf::from))
}

const GIT_BASH: &str = "C:\\Program Files\\Git\\bin\\bash.exe";

/// CLA-RUN-01: `/bin/sh`, whatever `shell` and the user's shell are, and the line as it was written.
#[test]
fn a_line_is_for_the_shell_of_the_system() {
    for machine in [Machine::new(), linux(), macos()] {
        for line in ["./guard.sh --fast", "", "\"${CLAUDE_PROJECT_DIR}\"/a $X '~'\nb", "größe 🦀"] {
            for handler in [shell(line), named("bash", line)] {
                let process = process(launched(&machine, handler));
                assert_eq!(process.program, PathBuf::from("/bin/sh"));
                assert_eq!(process.args, ["-c", line]);
            }
        }
    }
}

/// CLA-RUN-03
#[test]
fn on_windows_it_is_git_bash_or_powershell() {
    let both = windows(Some(GIT_BASH), Some("pwsh.exe"));
    for handler in [shell("./a.sh ${CLAUDE_PROJECT_DIR}"), named("bash", "./a.sh ${CLAUDE_PROJECT_DIR}")] {
        let process = process(launched(&both, handler));
        assert_eq!(process.program, PathBuf::from(GIT_BASH));
        assert_eq!(process.args, ["-c", "./a.sh ${CLAUDE_PROJECT_DIR}"]);
    }
    let process = process(launched(&windows(None, Some("powershell.exe")), shell("./a.ps1")));
    assert_eq!(process.program, PathBuf::from("powershell.exe"));
    assert!(process.args[5].starts_with("./a.ps1\n"), "{}", process.args[5]);
}

/// CLA-RUN-03
#[test]
fn a_definition_may_ask_for_powershell() {
    let flags = ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"];
    for machine in [linux().powershell(PathBuf::from("/usr/bin/pwsh")), windows(Some(GIT_BASH), Some("pwsh.exe"))] {
        let program = machine.powershell.clone().unwrap();
        let line = "& \"${CLAUDE_PROJECT_DIR}/a.ps1\" ${CLAUDE_PLUGIN_ROOT} ${OTHER} $CLAUDE_PROJECT_DIR";
        let process = process(launched(&machine, named("powershell", line)));
        assert_eq!(process.program, program);
        assert_eq!(process.args[..5], flags);
        let expected = "& \"${env:CLAUDE_PROJECT_DIR}/a.ps1\" ${env:CLAUDE_PLUGIN_ROOT} ${OTHER} $CLAUDE_PROJECT_DIR\n";
        assert!(process.args[5].starts_with(expected), "{}", process.args[5]);
        assert!(process.args[5].contains("exit $LASTEXITCODE"), "the exit code is passed on: {}", process.args[5]);
    }
}

/// CLA-RUN-03: "could not be started", and why; never in another shell than the one it is written for.
#[test]
fn a_shell_that_is_not_there_is_said() {
    for (machine, handler, missing) in [
        (linux(), named("powershell", "a"), "PowerShell"),
        (windows(Some(GIT_BASH), None), named("powershell", "a"), "PowerShell"),
        (windows(None, Some("pwsh.exe")), named("bash", "a"), "Git Bash"),
        (windows(None, None), shell("a"), "PowerShell"),
        (linux(), named("zsh", "a"), "`zsh`"),
    ] {
        match launched(&machine, handler) {
            Launch::Refused(why) => assert!(why.contains(missing), "{why}"),
            other => panic!("{missing}: {other:?}"),
        }
    }
}

/// CLA-RUN-02
#[test]
fn a_program_is_started_with_its_arguments() {
    let args = ["${CLAUDE_PROJECT_DIR}/a b", "$CLAUDE_PROJECT_DIR", "${FOO}", "*", "${CLAUDE_PLUGIN_ROOT}", ""];
    let handler = Handler::Exec {
        program: "${CLAUDE_PROJECT_DIR}/guard".into(),
        args: args.into_iter().map(Text::from).collect(),
    };
    for machine in [linux(), macos(), windows(Some(GIT_BASH), Some("pwsh.exe"))] {
        let process = process(launched(&machine, handler.clone()));
        assert_eq!(process.program, PathBuf::from("/home/dev/project/guard"));
        let expected = ["/home/dev/project/a b", "$CLAUDE_PROJECT_DIR", "${FOO}", "*", "${CLAUDE_PLUGIN_ROOT}", ""];
        assert_eq!(process.args, expected, "what is not known stays");
    }
    let bare = Handler::Exec { program: "a program with spaces".into(), args: Vec::new() };
    let process = process(launched(&linux(), bare));
    assert_eq!((process.program, process.args), (PathBuf::from("a program with spaces"), vec![]));
}

/// CLA-RUN-04, CLA-RUN-05: it runs where the session is, and knows where the session started.
#[test]
fn the_directory_follows_the_session_and_the_project_stays() {
    let process = process(launched(&linux(), shell("a")));
    assert_eq!(process.cwd, PathBuf::from("/home/dev/project/sub"));
    assert_eq!(process.env["CLAUDE_PROJECT_DIR"], PROJECT);
}

/// CLA-RUN-04: what stands in for a directory that is gone.
#[test]
fn the_project_stands_in_and_then_the_home() {
    let stand_ins = |machine: &Machine| process(launched(machine, shell("a"))).instead;
    let without = Machine::new();
    let home = Machine::new().env([("HOME".to_owned(), "/home/dev".to_owned())]);
    let profile = Machine::new().env([("HOME".to_owned(), String::new()), ("USERPROFILE".to_owned(), "/u".to_owned())]);
    assert_eq!(stand_ins(&without), [PathBuf::from(PROJECT)]);
    assert_eq!(stand_ins(&home), [PathBuf::from(PROJECT), "/home/dev".into()]);
    assert_eq!(stand_ins(&profile), [PathBuf::from(PROJECT), "/u".into()]);
}

/// CLA-RUN-05: where no folder of the workspace is said, it is the one the settings were looked for in.
#[test]
fn the_project_is_known_without_roots() {
    let session = json!({"id": "s1", "cwd": "/home/dev/project/sub"});
    let started = process(launched_in(&session, &linux(), &binding("PreToolUse", shell("a"))));
    assert_eq!(started.env["CLAUDE_PROJECT_DIR"], PROJECT);
    let plugin = binding_of(&source(Scope::Plugin, "/opt/fmt"), "PreToolUse", shell("a"));
    let started = process(launched_in(&session, &linux(), &plugin));
    assert_eq!(started.env["CLAUDE_PROJECT_DIR"], "/home/dev/project/sub");
}

/// CLA-RUN-05, CLA-RUN-08: each variable on its events, and no other.
#[test]
fn variables_of_events() {
    for spec in Claude::new().events() {
        let process = process(launched_in(&session(), &linux(), &binding(spec.name, shell("a"))));
        let mut names = vec!["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"];
        let effort = [
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "PermissionDenied",
            "Stop",
            "SubagentStop",
            "StopFailure",
            "PreSkillShellCommand",
        ];
        if effort.contains(&spec.name) {
            names.insert(2, "CLAUDE_EFFORT");
            assert_eq!(process.env["CLAUDE_EFFORT"], "medium");
        }
        assert_eq!(process.env.keys().collect::<Vec<_>>(), names, "{}", spec.name);
        assert_eq!((process.env["CLAUDECODE"].as_str(), process.env["CLAUDE_CODE_SESSION_ID"].as_str()), ("1", "s1"));
        let file = ["SessionStart", "Setup", "CwdChanged", "FileChanged"].contains(&spec.name);
        assert_eq!(process.scratch.as_deref(), file.then_some("CLAUDE_ENV_FILE"), "{}", spec.name);
    }
    let quiet = json!({"id": "s1", "cwd": PROJECT});
    let process = process(launched_in(&quiet, &linux(), &binding("PreToolUse", shell("a"))));
    assert!(!process.env.contains_key("CLAUDE_EFFORT"), "the session has none");
}

/// CLA-RUN-06
#[test]
fn plugins_know_their_folders() {
    let home = |name: &str, value: &str| [(name.to_owned(), value.to_owned())];
    let source = source(Scope::Plugin, "/opt/plug ins/fmt");
    let exec = Handler::Exec {
        program: "${CLAUDE_PLUGIN_ROOT}/run".into(),
        args: vec!["${CLAUDE_PLUGIN_DATA}".into(), "${CLAUDE_PROJECT_DIR}".into()],
    };
    for (machine, data) in [
        (linux().env(home("HOME", "/home/dev")), "/home/dev/.claude/plugins/data/-opt-plug-ins-fmt"),
        (linux().env(home("CLAUDE_CONFIG_DIR", "/etc/c")), "/etc/c/plugins/data/-opt-plug-ins-fmt"),
    ] {
        let process = process(launched_in(&session(), &machine, &binding_of(&source, "Stop", exec.clone())));
        assert_eq!(process.env["CLAUDE_PLUGIN_ROOT"], "/opt/plug ins/fmt");
        assert_eq!(process.env["CLAUDE_PLUGIN_DATA"], data);
        assert_eq!(process.env["CLAUDE_PROJECT_DIR"], PROJECT);
        assert_eq!(process.program, PathBuf::from("/opt/plug ins/fmt/run"));
        assert_eq!(process.args, [data, PROJECT]);
    }
    let line = "sh \"${CLAUDE_PLUGIN_ROOT}/a.sh\"";
    let process = process(launched_in(&session(), &linux(), &binding_of(&source, "Stop", shell(line))));
    assert_eq!(process.args[1], line, "left to the shell");
    assert!(!process.env.contains_key("CLAUDE_PLUGIN_DATA"), "no home is known");
}

/// CLA-RUN-07
#[test]
fn variables_of_settings_override_some() {
    let mut binding = binding_of(&source(Scope::Plugin, "/opt/fmt"), "SessionStart", shell("a"));
    let env = [
        ("STAGE", "dev"),
        ("CLAUDECODE", "0"),
        ("CLAUDE_PROJECT_DIR", "/elsewhere"),
        ("CLAUDE_PLUGIN_ROOT", "/elsewhere"),
        ("CLAUDE_ENV_FILE", "/elsewhere"),
        ("", "x"),
        ("A=B", "x"),
        ("NUL", "a\0b"),
    ];
    binding.env = Arc::new(env.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    let process = process(launched_in(&session(), &linux(), &binding));
    let env: Vec<_> = process.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let expected = [
        ("CLAUDECODE", "0"),
        ("CLAUDE_CODE_SESSION_ID", "s1"),
        ("CLAUDE_PLUGIN_ROOT", "/opt/fmt"),
        ("CLAUDE_PROJECT_DIR", PROJECT),
        ("STAGE", "dev"),
    ];
    assert_eq!(env, expected);
    assert_eq!(process.scratch.as_deref(), Some("CLAUDE_ENV_FILE"));
}

/// CLA-ENC-01, CLA-RUN-13
#[test]
fn a_request_has_the_document_and_its_headers() {
    let headers = [
        ("Authorization", "Bearer $TOKEN"),
        ("X-User", "${USER}/$HOME"),
        ("Content-Length", "5"),
        ("transfer-encoding", "chunked"),
    ];
    let handler = Handler::Http {
        url: "https://hooks.example/${TOKEN}".into(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        variables: vec!["TOKEN".into(), "USER".into()],
    };
    let env = [("TOKEN", "t0p"), ("HOME", "/home/dev")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let expected = Http::new("https://hooks.example/${TOKEN}", &STDIN[..STDIN.len() - 1])
        .header("Authorization", "Bearer t0p")
        .header("X-User", "/");
    assert_eq!(launched(&linux().env(env), handler), Launch::Http(expected));
}

/// CLA-RUN-16
#[test]
fn the_host_makes_calls() {
    let tool = |input: Option<Value>| Handler::McpTool {
        name: "guard/check".into(),
        server: "guard".into(),
        tool: "check".into(),
        input: input.map(Json::from),
    };
    let called = |input: Value| {
        Launch::Call(HostCall::McpTool { server: "guard".into(), tool: "check".into(), input: Json::from(input) })
    };
    let input = json!({"tool": "${tool_name}", "n": "${n}", "text": "n=${n}", "all": [true, "${gone}"]});
    let filled = json!({"tool": "Bash", "n": 1, "text": "n=1", "all": [true, ""]});
    assert_eq!(launched(&linux(), tool(Some(input))), called(filled));
    assert_eq!(launched(&linux(), tool(None)), called(json!({})));

    let question = Question::new("Is $ARGUMENTS fine?").model(Some("fast".into()));
    let prompt: Text = "Is {\"tool_name\":\"Bash\",\"n\":1} fine?".into();
    let model: Option<Text> = Some("fast".into());
    let asked = Launch::Call(HostCall::Prompt { prompt: prompt.clone(), model: model.clone() });
    assert_eq!(launched(&linux(), Handler::Prompt(question.clone())), asked);
    assert_eq!(launched(&linux(), Handler::Agent(question)), Launch::Call(HostCall::Agent { prompt, model }));
    let appended = "Is it fine?\n\n{\"tool_name\":\"Bash\",\"n\":1}".into();
    let asked = Launch::Call(HostCall::Prompt { prompt: appended, model: None });
    assert_eq!(launched(&linux(), Handler::Prompt(Question::new("Is it fine?"))), asked);
}

/// CLA-RUN-13: what settings do not admit counts as a hook that could not be started.
#[test]
fn what_cannot_be_carried_out_is_refused() {
    let handler = Handler::Unusable { text: "https://x".into(), why: "the settings do not admit it".into() };
    assert_eq!(launched(&linux(), handler), Launch::Refused("the settings do not admit it".into()));
}

/// The standard input of one hook never reaches another's command line or environment.
#[test]
fn the_document_stays_on_standard_input() {
    let process = process(launched(&linux(), shell("a")));
    let whole = format!("{:?} {:?}", process.args, process.env.into_iter().collect::<BTreeMap<_, _>>());
    assert!(!whole.contains("tool_name"), "{whole}");
}
