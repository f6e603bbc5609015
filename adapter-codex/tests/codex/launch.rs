//! What is started for a hook, on every machine.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_codex::Codex;
use harness_hooks_core::{
    Adapter, Binding, Boundary, Envelope, Exit, Host, HostCall, Invocation, Json, Launch, Machine, Occasion, Outcome,
    Places, Process, SessionState, Snapshot, template,
};

use crate::{common::envelope, sources};

const USER: &str = "/home/dev/.codex/hooks.json";

fn bash() -> Machine {
    Machine::new().bash(PathBuf::from("/bin/bash"))
}

fn windows() -> Machine {
    Machine::new().windows(true).powershell(PathBuf::from("pwsh.exe"))
}

fn shell() -> Envelope {
    envelope(r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#)
}

/// What is started for the first hook of a file, which stands in the user's folder or in a plugin.
fn launched(machine: Machine, path: &str, handler: &str, envelope: &Envelope, stdin: &[u8]) -> Launch {
    let binding = binding(path, handler);
    let (host, state) = (Host::new("Acme", "1").machine(machine), SessionState::new());
    Codex::new().launch(&binding, Occasion::new(envelope, &host, &state), stdin)
}

fn binding(path: &str, handler: &str) -> Arc<Binding> {
    let document = format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{handler}]}}]}}}}"#);
    let host = Host::new("Acme", "1").fires(Boundary::ALL.iter().copied());
    let plugin = Path::new(path).parent().and_then(Path::parent).expect("it stands in a folder of one");
    let places = Places::new("/home/dev/project").home(Some("/home/dev".into())).plugins([plugin.to_owned()]);
    let files = BTreeMap::from([(PathBuf::from(path), document.into_bytes())]);
    let snapshot = Snapshot::load(vec![Arc::new(Codex::new())], host, &places, &files);
    snapshot.bindings()[0].clone()
}

fn process(machine: Machine, path: &str, handler: &str) -> Process {
    match launched(machine, path, handler, &shell(), b"{}") {
        Launch::Process(process) => process,
        other => panic!("{other:?}"),
    }
}

fn command(line: &str) -> String {
    serde_json::json!({"type": "command", "command": line}).to_string()
}

/// CDX-RUN-01: bash where there is one, else `/bin/sh`, never a login shell, and the text unchanged,
/// whatever `SHELL` says.
#[test]
fn the_shell_is_a_function_of_the_machine() {
    let line = "a \"b\" | c ${HOME} $PLUGIN_ROOT ${PLUGIN_ROOT}\n# end";
    for shell in [None, Some("/bin/sh"), Some("/bin/dash"), Some("/nonsense"), Some("/usr/bin/python3")] {
        for (machine, program) in [(bash(), "/bin/bash"), (Machine::new(), "/bin/sh")] {
            let process = process(machine.shell(shell.map(PathBuf::from)), USER, &command(line));
            assert_eq!(process.program, Path::new(program));
            assert_eq!(process.args, ["-c", line]);
        }
    }
    let other = Machine::new().bash(PathBuf::from("/usr/local/bin/bash")).powershell(PathBuf::from("pwsh"));
    assert_eq!(process(other, USER, &command(line)).program, Path::new("/usr/local/bin/bash"));
}

/// CDX-RUN-01, CDX-RUN-02, CDX-CFG-08: PowerShell, else cmd; the line for Windows there and nowhere
/// else.
#[test]
fn windows_has_its_own_shell_and_line() {
    let both = r#"{"type":"command","command":"a.sh","commandWindows":"a.ps1"}"#;
    let alone = command("a.sh");
    for (handler, there, elsewhere) in [(both, "a.ps1", "a.sh"), (alone.as_str(), "a.sh", "a.sh")] {
        let process = |machine| self::process(machine, USER, handler);
        let started = process(windows());
        assert_eq!(started.program, Path::new("pwsh.exe"));
        assert_eq!(started.args[..5], ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"]);
        assert!(started.args[5].starts_with(&format!("{there}\n")), "{}", started.args[5]);
        assert!(started.args[5].contains("exit $LASTEXITCODE"), "{}", started.args[5]);
        let cmd = process(Machine::new().windows(true).bash(PathBuf::from("C:\\bash.exe")));
        assert_eq!((cmd.program.as_path(), cmd.args), (Path::new("cmd.exe"), vec!["/C".into(), there.into()]));
        assert_eq!(process(bash()).args, ["-c", elsewhere]);
    }
    let quoted = process(windows(), USER, &command("\"C:\\x y.exe\" a"));
    assert!(quoted.args[5].starts_with("& \"C:\\x y.exe\" a\n"), "{}", quoted.args[5]);
}

/// CDX-RUN-03, CDX-RUN-04: the session's directory, in a subagent and for a command with a directory
/// of its own too, and not one variable.
#[test]
fn a_hook_runs_where_the_session_is_with_the_hosts_environment() {
    let elsewhere = envelope(
        r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls","cwd":"/tmp"}}}}}"#,
    );
    let mut inside = shell();
    inside.agent = Some(harness_hooks_core::Agent::new("a1"));
    for envelope in [shell(), elsewhere, inside] {
        let Launch::Process(process) = launched(bash(), USER, &command("a"), &envelope, b"{}") else { panic!() };
        assert_eq!(process.cwd, Path::new("/home/dev/project"));
        assert!(process.env.is_empty(), "{:?}", process.env);
        assert_eq!(process.scratch, None);
    }
}

/// CDX-RUN-04: a plugin's folders as variables and in its lines.
#[test]
fn a_plugin_finds_its_folders() {
    let line = "sh ${PLUGIN_ROOT}/a ${CLAUDE_PLUGIN_ROOT} $PLUGIN_ROOT ${OTHER} ${PLUGIN_DATA}/d ${CLAUDE_PLUGIN_DATA}";
    let process = process(bash(), "/opt/plug-in/hooks/hooks.json", &command(line));
    let data = "/home/dev/.codex/plugins/data/plug-in";
    let expected = [
        ("CLAUDE_PLUGIN_DATA", data),
        ("CLAUDE_PLUGIN_ROOT", "/opt/plug-in"),
        ("PLUGIN_DATA", data),
        ("PLUGIN_ROOT", "/opt/plug-in"),
    ];
    assert_eq!(process.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>(), expected);
    let filled = format!("sh /opt/plug-in/a /opt/plug-in $PLUGIN_ROOT ${{OTHER}} {data}/d {data}");
    assert_eq!(process.args[1], filled);
    assert_eq!(process.cwd, Path::new("/home/dev/project"));
}

/// CDX-RUN-04: no name leads out of the folder plugins keep their data in.
#[test]
fn a_plugin_keeps_its_data_below_the_users_folder() {
    for (name, folder) in [("demo@market", "demo@market"), ("../../x", "------x"), ("/etc", "-etc"), ("..", "--")] {
        let document = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}]}}"#;
        let manifest = serde_json::json!({"name": name}).to_string();
        let places = sources::project().home(Some("/home/dev".into())).plugins([PathBuf::from("/opt/one")]);
        let files = [("/opt/one/.codex-plugin/plugin.json", &*manifest), ("/opt/one/hooks/hooks.json", document)];
        let snapshot = sources::load(&places, files);
        let data = &snapshot.bindings()[0].env["PLUGIN_DATA"];
        assert_eq!(*data, format!("/home/dev/.codex/plugins/data/{folder}"));
    }
}

/// CDX-RUN-04: a folder's name never becomes part of a command.
#[test]
fn a_folder_is_no_shell_syntax() {
    let line = "\"${PLUGIN_ROOT}/a.sh\"";
    for odd in [
        "/opt/a b",
        "/opt/$(touch x)",
        "/opt/it's",
        "/opt/a;b",
        "/opt/`x`",
        "/opt/a\\b",
        "/opt/${PLUGIN_DATA}",
        "/opt/é",
    ] {
        let path = format!("{odd}/hooks/hooks.json");
        let posix = process(bash(), &path, &command(line));
        assert_eq!(posix.args[1], line, "left to the shell, which finds it in");
        assert_eq!(posix.env["PLUGIN_ROOT"], odd);
        let there = process(windows(), &path, &command(line));
        let expected = if odd == "/opt/a\\b" { "\"/opt/a\\b/a.sh\"\n" } else { "\"${env:PLUGIN_ROOT}/a.sh\"\n" };
        assert!(there.args[5].contains(expected), "{odd}: {}", there.args[5]);
        let cmd = launched(Machine::new().windows(true), &path, &command(line), &shell(), b"{}");
        match odd {
            "/opt/a b" | "/opt/a\\b" => {
                let Launch::Process(process) = cmd else { panic!("{odd}: {cmd:?}") };
                assert_eq!(process.args[1], format!("\"{odd}/a.sh\""));
            }
            _ => assert!(matches!(&cmd, Launch::Refused(why) if why.contains("PLUGIN_ROOT")), "{odd}: {cmd:?}"),
        }
        let unnamed = launched(Machine::new().windows(true), &path, &command("a"), &shell(), b"{}");
        assert!(matches!(unnamed, Launch::Process(_)), "{odd}: nothing of it is in the line");
    }
}

/// CDX-RUN-09: a call of the host's, its arguments filled in from standard input.
#[test]
fn an_mcp_tool_is_a_call_of_the_hosts() {
    let handler = r#"{"type":"mcp_tool","server":"s","tool":"t","input":{"cmd":"${tool_input.command}","n":"${tool_input.timeout}","msg":"ran ${tool_name}!","gone":"${tool_input.zzz}","part":"<${zzz}>","list":[{"x":"${tool_input}"}],"plain":5}}"#;
    let stdin = br#"{"tool_name":"Bash","tool_input":{"timeout":5,"command":"ls"}}"#;
    let expected = r#"{"cmd":"ls","n":5,"msg":"ran Bash!","gone":null,"part":"<>","list":[{"x":{"timeout":5,"command":"ls"}}],"plain":5}"#;
    let call = launched(bash(), USER, handler, &shell(), stdin);
    let Launch::Call(HostCall::McpTool { server, tool, input }) = call else { panic!("{call:?}") };
    assert_eq!((server.as_str(), tool.as_str(), input.as_str()), ("s", "t", expected));

    let bare = r#"{"type":"mcp_tool","server":"s","tool":"t"}"#;
    let call = launched(windows(), USER, bare, &shell(), stdin);
    let Launch::Call(HostCall::McpTool { input, .. }) = call else { panic!("{call:?}") };
    assert_eq!(input.as_str(), "{}");
}

/// CDX-RUN-09: what is named stands in the standard input of this firing.
#[test]
fn a_firing_hands_the_tool_its_arguments() {
    let handler = r#"{"type":"mcp_tool","server":"s","tool":"t","input":{"event":"${hook_event_name}"}}"#;
    let document = format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{handler}]}}]}}}}"#);
    let snapshot = sources::load(&sources::project(), [("/home/dev/project/.codex/hooks.json", document.as_str())]);
    let tool = shell();
    let mut firing = snapshot.begin(&tool, SessionState::new());
    let stage = firing.next_stage().unwrap();
    let Launch::Call(HostCall::McpTool { input, .. }) = &stage.invocations[0].launch else { panic!("{stage:?}") };
    let template: Json = serde_json::from_str(r#"{"event":"${hook_event_name}"}"#).unwrap();
    assert_eq!(*input, template::filled(&template, &stage.invocations[0].stdin, &Json::default()));
}

/// CDX-RUN-06, CDX-EVT-02, CDX-EVT-09: 600 s or a second where nothing is said, else what is said, as
/// far as the event lets it.
#[test]
fn timeouts_of_invocations() {
    let end = r#"{"session.end":{"reason":"exit"}}"#;
    let stop = r#"{"turn.stop":{}}"#;
    let interrupt = r#"{"turn.interrupt":{}}"#;
    for (event, payload, timeout, seconds) in [
        ("Stop", stop, "", 600),
        ("Stop", stop, r#","timeout":5"#, 5),
        ("Stop", stop, r#","timeout":0"#, 1),
        ("Stop", stop, r#","timeout":7200"#, 7200),
        ("SessionEnd", end, "", 1),
        ("SessionEnd", end, r#","timeout":2"#, 2),
        ("SessionEnd", end, r#","timeout":60"#, 3),
        ("Interrupt", interrupt, "", 1),
        ("Interrupt", interrupt, r#","timeout":60"#, 3),
    ] {
        let handler = format!(r#"{{"type":"command","command":"a"{timeout}}}"#);
        let document = format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{handler}]}}]}}}}"#);
        let snapshot = sources::load(&sources::project(), [("/home/dev/project/.codex/hooks.json", &*document)]);
        let happens = envelope(payload);
        let mut firing = snapshot.begin(&happens, SessionState::new());
        let stage = firing.next_stage().expect("it runs");
        assert_eq!(stage.invocations[0].timeout.as_secs(), seconds, "{event}{timeout}");
        assert_eq!(stage.invocations[0].budget, None);
    }
}

/// CDX-RUN-07, CDX-RUN-08: all hooks of an event are one stage; those nobody waits for stand beside
/// it, by the same matcher and with the same standard input.
#[test]
fn all_hooks_of_an_event_start_together() {
    let hooks = r#"{"hooks":{"PreToolUse":[
        {"matcher":"Bash","hooks":[{"type":"command","command":"a"},{"type":"command","command":"b","async":true}]},
        {"matcher":"Edit","hooks":[{"type":"command","command":"c"},{"type":"command","command":"d","async":true}]},
        {"hooks":[{"type":"command","command":"e"},{"type":"mcp_tool","server":"s","tool":"t"}]}]}}"#;
    let snapshot = sources::load(&sources::project(), [("/home/dev/project/.codex/hooks.json", hooks)]);
    let bash = shell();
    let mut firing = snapshot.begin(&bash, SessionState::new());
    let stage = firing.next_stage().expect("it runs");
    let text = |invocation: &Invocation| invocation.binding.handler.text().to_string();
    assert_eq!(stage.invocations.iter().map(text).collect::<Vec<_>>(), ["a", "e", "s/t"]);
    assert_eq!(stage.background.iter().map(text).collect::<Vec<_>>(), ["b"]);
    assert!(stage.background[0].stdin == stage.invocations[0].stdin);
    let finished = Outcome::new(Exit::Code(0));
    for invocation in &stage.invocations {
        firing.report(invocation, &finished);
    }
    assert!(firing.next_stage().is_none());
}
