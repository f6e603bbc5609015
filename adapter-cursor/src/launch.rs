//! What to start for a definition: the shell, where it runs, and its variables.

use std::path::PathBuf;

use harness_hooks_core::{Binding, Handler, Launch, Machine, Occasion, Process, Scope};

use crate::{
    CURSOR,
    departures::{Way, Ways},
    events::Row,
};

/// CUR-SRC-05, CUR-RUN-01 to CUR-RUN-06
pub(crate) fn launch(row: &Row, binding: &Binding, occasion: Occasion<'_>) -> Launch {
    let Handler::Shell { line, .. } = &binding.handler else {
        return Launch::Refused("Cursor's hooks are shell lines".into());
    };
    let source = &binding.source;
    let session = &occasion.envelope.session;
    let workspace = session.roots.first().unwrap_or(&session.cwd);
    let project = if source.scope == Scope::Project { &source.cwd } else { workspace };
    let cwd = if source.scope == Scope::Plugin && row.plugins_in_project { workspace } else { &source.cwd };

    let plugin = (source.scope == Scope::Plugin).then_some(&source.cwd);
    let line = plugin_line(line, plugin, occasion.host.machine.windows);
    let (program, args) = shell(row.ways, &occasion.host.machine, &line);
    let mut process = Process::new(program, args, cwd);
    let mut set = |name: &str, value: &str| drop(process.env.insert(name.into(), value.into()));
    for name in ["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"] {
        set(name, &project.to_string_lossy());
    }
    set("CURSOR_VERSION", &occasion.host.version);
    if let Some(email) = &session.user_email {
        set("CURSOR_USER_EMAIL", email);
    }
    if let Some(transcript) = &session.transcript {
        set("CURSOR_TRANSCRIPT_PATH", &transcript.to_string_lossy());
    }
    if source.scope == Scope::Plugin {
        for name in PLUGIN_ROOTS {
            set(name, &source.cwd.to_string_lossy());
        }
    }
    let usable = |name: &str, value: &str| !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0');
    for (name, value) in occasion.state.env_of(&CURSOR).filter(|(name, value)| usable(name, value)) {
        set(name, value);
    }
    Launch::Process(process)
}

const PLUGIN_ROOTS: [&str; 2] = ["CURSOR_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];

/// A plugin's line may name the plugin's folder. Where the folder's name means nothing to a shell
/// it is put in its place; a POSIX shell is left to find any other in its variables, because text
/// from a path must never become part of a command. CUR-RUN-05
fn plugin_line(line: &str, root: Option<&PathBuf>, windows: bool) -> String {
    let Some(root) = root.and_then(|root| root.to_str()) else { return line.to_owned() };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@' | ':' | '\\');
    PLUGIN_ROOTS.iter().fold(line.to_owned(), |line, name| match (root.chars().all(plain), windows) {
        (true, _) => line.replace(&format!("${{{name}}}"), root),
        (false, true) => line.replace(&format!("${{{name}}}"), &format!("${{env:{name}}}")),
        (false, false) => line,
    })
}

/// The shell of a machine. Not a login shell, since what a profile prints would stand before the
/// answer; Cursor's own way is the user's login shell. CUR-RUN-01, CUR-RUN-02
fn shell(ways: Ways, machine: &Machine, line: &str) -> (PathBuf, Vec<String>) {
    if machine.windows {
        let call = if line.starts_with(['"', '\'']) { "& " } else { "" };
        // `-Command` alone turns every exit code but 0 into 1, and a denial is exit code 2
        let script = format!(
            "{call}{line}\n$ok = $?; if ($null -ne $LASTEXITCODE) {{ exit $LASTEXITCODE }}; if (-not $ok) {{ exit 1 }}"
        );
        let flags = ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"];
        let args = flags.into_iter().map(str::to_owned).chain([script]).collect();
        return ("powershell.exe".into(), args);
    }
    let login = ways.cursors(Way::Shell);
    let shell = if login { &machine.shell } else { &machine.bash };
    let shell = shell.clone().unwrap_or_else(|| "/bin/sh".into());
    (shell, vec![if login { "-lc" } else { "-c" }.into(), line.to_owned()])
}

#[cfg(test)]
mod tests {
    use harness_hooks_core::Fidelity;

    use super::*;

    // CUR-RUN-01, CUR-RUN-02
    #[test]
    fn the_shell_is_a_function_of_the_machine() {
        let line = "./guard.sh";
        let machine = Machine::new().bash(PathBuf::from("/bin/bash")).shell(PathBuf::from("/bin/zsh"));
        let args = |flag: &str| vec![flag.to_owned(), line.to_owned()];
        for (fidelity, machine, program, flag) in [
            (Fidelity::Guarded, Machine::new(), "/bin/sh", "-c"),
            (Fidelity::Guarded, machine.clone(), "/bin/bash", "-c"),
            (Fidelity::Vendor, Machine::new(), "/bin/sh", "-lc"),
            (Fidelity::Vendor, machine, "/bin/zsh", "-lc"),
        ] {
            assert_eq!(shell(Ways::of(fidelity), &machine, line), (program.into(), args(flag)));
        }
        for fidelity in Fidelity::ALL {
            let machine = Machine::new().windows(true);
            let (program, args) = shell(Ways::of(fidelity), &machine, "\"C:\\x y.exe\" a");
            assert_eq!(program, PathBuf::from("powershell.exe"));
            assert_eq!(args[..5], ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"]);
            assert!(args[5].starts_with("& \"C:\\x y.exe\" a\n"), "{}", args[5]);
            assert!(args[5].contains("exit $LASTEXITCODE"), "{}", args[5]);
        }
    }

    // CUR-RUN-05
    #[test]
    fn a_plugin_line_may_name_its_folder() {
        let line = "sh \"${CURSOR_PLUGIN_ROOT}/a.sh\" $CURSOR_PLUGIN_ROOT ${CLAUDE_PLUGIN_ROOT}";
        let plain = PathBuf::from("/opt/plug-in");
        assert_eq!(plugin_line(line, Some(&plain), false), "sh \"/opt/plug-in/a.sh\" $CURSOR_PLUGIN_ROOT /opt/plug-in");
        for odd in ["/opt/plug in", "/opt/$(touch x)", "/opt/it's", "/opt/a;b"] {
            assert_eq!(plugin_line(line, Some(&PathBuf::from(odd)), false), line, "left to the shell");
            let windows = plugin_line(line, Some(&PathBuf::from(odd)), true);
            assert!(windows.contains("\"${env:CURSOR_PLUGIN_ROOT}/a.sh\""), "{windows}");
        }
        assert_eq!(plugin_line(line, None, false), line);
    }
}
