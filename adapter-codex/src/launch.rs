//! What to start for a handler: a process with its shell, folder and variables, or a call of the
//! host's. It is a function of the machine and the occasion, and looks at no disk.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use harness_hooks_core::{
    Binding, Handler, HostCall, Json, Launch, Machine, Occasion, Process, Text, shell::powershell, template,
};

/// What to start for a binding. CDX-RUN-03, CDX-RUN-04, CDX-RUN-09
pub(crate) fn launch(binding: &Binding, occasion: Occasion<'_>, stdin: &[u8]) -> Launch {
    let machine = &occasion.host.machine;
    let line = match &binding.handler {
        Handler::PerSystem { windows, .. } if machine.windows => windows,
        Handler::Shell { line } | Handler::PerSystem { line, .. } => line,
        Handler::McpTool { server, tool, input, .. } => {
            let (server, tool) = (server.clone(), tool.clone());
            return Launch::Call(HostCall::McpTool { server, tool, input: arguments(input.as_ref(), stdin) });
        }
        Handler::Unusable { why, .. } => return Launch::Refused(why.clone()),
        _ => return Launch::Refused("Codex runs shell lines and tools of MCP servers".into()),
    };
    let interpreter = Interpreter::of(machine);
    match interpreter.filled(line, &binding.env) {
        Ok(line) => {
            let (program, args) = interpreter.start(line);
            let mut process = Process::new(program, args, &occasion.envelope.session.cwd);
            process.env = binding.env.as_ref().clone();
            Launch::Process(process)
        }
        Err(why) => Launch::Refused(why),
    }
}

/// What runs a line. CDX-RUN-01
#[derive(Clone, Copy)]
enum Interpreter<'m> {
    Posix(&'m Path),
    PowerShell(&'m Path),
    Cmd,
}

impl<'m> Interpreter<'m> {
    /// Never the user's own shell, whatever `SHELL` says.
    fn of(machine: &'m Machine) -> Self {
        match (machine.windows, &machine.powershell, &machine.bash) {
            (true, Some(powershell), _) => Interpreter::PowerShell(powershell),
            (true, None, _) => Interpreter::Cmd,
            (false, _, Some(bash)) => Interpreter::Posix(bash),
            (false, _, None) => Interpreter::Posix(Path::new("/bin/sh")),
        }
    }

    /// Never a login shell: what a profile prints would stand before the answer. CDX-RUN-01,
    /// CDX-RUN-02
    fn start(self, line: String) -> (PathBuf, Vec<String>) {
        match self {
            Interpreter::Posix(shell) => (shell.to_owned(), vec!["-c".into(), line]),
            Interpreter::PowerShell(program) => powershell(program, &line),
            Interpreter::Cmd => ("cmd.exe".into(), vec!["/C".into(), line]),
        }
    }

    /// The line with a plugin's folders in the places of their names. Text from a path must never
    /// become part of a command, so a folder whose name means something to the shell is left for the
    /// shell to find in its variables. CDX-RUN-04
    fn filled(self, line: &str, folders: &BTreeMap<String, String>) -> Result<String, Text> {
        let mut line = line.to_owned();
        for (name, folder) in folders {
            let named = format!("${{{name}}}");
            if !line.contains(&named) {
                continue;
            }
            match self {
                _ if folder.chars().all(|c| self.is_plain(c)) => line = line.replace(&named, folder),
                Interpreter::Posix(_) => {}
                Interpreter::PowerShell(_) => line = line.replace(&named, &format!("${{env:{name}}}")),
                Interpreter::Cmd => {
                    return Err(format!("`{name}` holds characters that cmd would take for part of the command").into());
                }
            }
        }
        Ok(line)
    }

    /// A character of a path that means itself, in quotes and out of them.
    fn is_plain(self, c: char) -> bool {
        let everywhere = c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | ':');
        everywhere
            || (c == '\\' && !matches!(self, Interpreter::Posix(_)))
            || (c == ' ' && matches!(self, Interpreter::Cmd))
    }
}

/// The arguments of an MCP tool. What its author names and is not there is null. CDX-RUN-09
fn arguments(input: Option<&Json>, stdin: &[u8]) -> Json {
    match input {
        Some(input) => template::filled(input, stdin, &Json::default()),
        None => Json::of(&BTreeMap::<String, Json>::new()),
    }
}
