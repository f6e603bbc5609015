//! What to start for a handler: a process with its shell, folder and variables, a request, or a call
//! of the host's. What placeholders stand for is `placeholders.rs`.
//!
//! It is a function of the machine and the occasion, and looks at no disk. So a process runs in the
//! session's directory as it is named: whether that is still there only the runner can see, which is
//! told what stands in for one that is gone (CLA-RUN-04).

mod placeholders;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use harness_hooks_core::{
    Binding, Handler, HostCall, Http, Json, Launch, Machine, Occasion, Process, Scope, Text, shell::powershell,
    template,
};

use crate::events::Row;

/// What to start for a binding.
pub(crate) fn launch(row: &Row, binding: &Binding, occasion: Occasion<'_>, stdin: &[u8]) -> Launch {
    let machine = &occasion.host.machine;
    let document = stdin.strip_suffix(b"\n").unwrap_or(stdin); // CLA-ENC-01
    match &binding.handler {
        Handler::Http { url, headers, variables } => Launch::Http(request(url, headers, variables, machine, document)),
        Handler::McpTool { server, tool, input, .. } => Launch::Call(HostCall::McpTool {
            server: server.clone(),
            tool: tool.clone(),
            input: arguments(input.as_ref(), document),
        }),
        Handler::Prompt(question) => {
            let prompt = placeholders::asked(&question.prompt, document).into();
            Launch::Call(HostCall::Prompt { prompt, model: question.model.clone() })
        }
        Handler::Agent(question) => {
            let prompt = placeholders::asked(&question.prompt, document).into();
            Launch::Call(HostCall::Agent { prompt, model: question.model.clone() })
        }
        Handler::Unusable { why, .. } => Launch::Refused(why.clone()),
        handler => match program(handler, machine, &folders(binding, occasion)) {
            Ok((program, args)) => Launch::Process(process(row, binding, occasion, program, args)),
            Err(why) => Launch::Refused(why),
        },
    }
}

/// A program and its arguments, or why there is none to start.
type Program = Result<(PathBuf, Vec<String>), Text>;

fn program(handler: &Handler, machine: &Machine, folders: &Folders) -> Program {
    match handler {
        Handler::Shell { line } if !machine.windows => Ok(sh(line)),
        // Git Bash where there is one, else PowerShell: CLA-RUN-03
        Handler::Shell { line } if machine.bash.is_some() => in_bash(machine, line),
        Handler::Shell { line } => in_powershell(machine, line),
        Handler::NamedShell { shell, line } if *shell == "powershell" => in_powershell(machine, line),
        // `/bin/sh` whatever the name says: CLA-RUN-01
        Handler::NamedShell { shell, line } if *shell == "bash" && !machine.windows => Ok(sh(line)),
        Handler::NamedShell { shell, line } if *shell == "bash" => in_bash(machine, line),
        Handler::NamedShell { shell, .. } => Err(format!("Claude Code knows no shell `{shell}`").into()),
        Handler::Exec { program, args } => {
            let replaced = |text: &Text| placeholders::replaced(text, folders);
            Ok((replaced(program).into(), args.iter().map(replaced).collect()))
        }
        _ => Err("Claude Code has no handlers of this kind".into()),
    }
}

fn sh(line: &str) -> (PathBuf, Vec<String>) {
    minus_c(Path::new("/bin/sh"), line)
}

/// Not a login shell, and the line as it was written. CLA-RUN-01
fn minus_c(shell: &Path, line: &str) -> (PathBuf, Vec<String>) {
    (shell.to_path_buf(), vec!["-c".into(), line.into()])
}

fn in_bash(machine: &Machine, line: &str) -> Program {
    let missing = || Text::from("this machine has no Git Bash, and the hook is written for bash");
    machine.bash.as_deref().map(|bash| minus_c(bash, line)).ok_or_else(missing)
}

/// To PowerShell `${NAME}` is a variable of its own, so it is told to look in the environment.
fn in_powershell(machine: &Machine, line: &str) -> Program {
    let missing = || Text::from("this machine has no PowerShell, neither `pwsh` nor `powershell`");
    let program = machine.powershell.as_deref().ok_or_else(missing)?;
    let from_environment = FOLDERS.map(|name| (name, format!("${{env:{name}}}")));
    Ok(powershell(program, &placeholders::replaced(line, &from_environment.into())))
}

/// The folders a hook is told of, by the variables that hold them.
type Folders = BTreeMap<&'static str, String>;

const PROJECT: &str = "CLAUDE_PROJECT_DIR";
const FOLDERS: [&str; 3] = [PROJECT, "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"];

/// The project's folder is the one the session started in, wherever it is now; where no envelope
/// says it, the one its settings were looked for in. CLA-RUN-05, CLA-RUN-06
fn folders(binding: &Binding, occasion: Occasion<'_>) -> Folders {
    let [project, plugin_root, plugin_data] = FOLDERS;
    let session = &occasion.envelope.session;
    let source = &binding.source;
    let of_plugin = source.scope == Scope::Plugin;
    let root = session.roots.first().unwrap_or(if of_plugin { &session.cwd } else { &source.cwd });
    let mut folders = Folders::from([(project, root.to_string_lossy().into_owned())]);
    if of_plugin {
        let root = source.cwd.to_string_lossy().into_owned();
        folders.extend(data_of_plugin(&root, &occasion.host.machine).map(|data| (plugin_data, data)));
        folders.insert(plugin_root, root);
    }
    folders
}

/// Where a plugin may keep things: a folder of its own below Claude Code's, named after the plugin's,
/// as a project's conversations are after the project's. Nobody makes it but the plugin.
fn data_of_plugin(root: &str, machine: &Machine) -> Option<String> {
    let variable = |name: &str| variable(machine, name);
    let ours =
        variable("CLAUDE_CONFIG_DIR").cloned().or_else(|| home(machine).map(|home| format!("{home}/.claude")))?;
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' };
    Some(format!("{ours}/plugins/data/{}", root.chars().map(plain).collect::<String>()))
}

fn variable<'m>(machine: &'m Machine, name: &str) -> Option<&'m String> {
    machine.env.get(name).filter(|value| !value.is_empty())
}

fn home(machine: &Machine) -> Option<&String> {
    variable(machine, "HOME").or_else(|| variable(machine, "USERPROFILE"))
}

/// The variable that names the file for session environment. CLA-RUN-08
const ENV_FILE: &str = "CLAUDE_ENV_FILE";

/// CLA-RUN-04 to CLA-RUN-08
fn process(row: &Row, binding: &Binding, occasion: Occasion<'_>, program: PathBuf, args: Vec<String>) -> Process {
    let session = &occasion.envelope.session;
    let folders = folders(binding, occasion);
    let stand_ins = folders.get(PROJECT).into_iter().chain(home(&occasion.host.machine));
    let mut process = Process::new(program, args, &session.cwd).instead(stand_ins);
    let mut set = |name: &str, value: &str| drop(process.env.insert(name.into(), value.into()));
    set("CLAUDECODE", "1");
    set("CLAUDE_CODE_SESSION_ID", &session.id);
    if let Some(effort) = session.effort.as_deref().filter(|_| row.shows_effort) {
        set("CLAUDE_EFFORT", effort);
    }
    // a name no process can be given would keep the hook from starting
    let usable = |name: &str, value: &str| !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0');
    for (name, value) in binding.env.iter().filter(|(name, value)| *name != ENV_FILE && usable(name, value)) {
        set(name, value);
    }
    for (name, folder) in &folders {
        set(name, folder);
    }
    if row.env_file { process.scratch(ENV_FILE) } else { process }
}

/// CLA-RUN-13
fn request(
    url: &str,
    headers: &BTreeMap<String, String>,
    variables: &[Text],
    machine: &Machine,
    document: &[u8],
) -> Http {
    // how long the body is and how it is sent is not the author's to say
    let ours = |name: &str| ["content-length", "transfer-encoding"].iter().any(|ours| name.eq_ignore_ascii_case(ours));
    headers.iter().filter(|(name, _)| !ours(name)).fold(Http::new(url, document), |request, (name, value)| {
        request.header(name, placeholders::in_header(value, variables, &machine.env))
    })
}

/// The arguments of an MCP tool. CLA-RUN-16
fn arguments(input: Option<&Json>, document: &[u8]) -> Json {
    match input {
        Some(input) => template::filled(input, document, &Json::of("")),
        None => Json::of(&BTreeMap::<String, Json>::new()),
    }
}
