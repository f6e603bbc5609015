//! What it takes to hand a line to a shell that does not pass on how the line ended.

use std::path::{Path, PathBuf};

/// A line for a PowerShell: the program and its arguments. No profile is read, nobody is asked
/// anything, scripts may run, and the exit code is the line's: of the last program it ran, or of an
/// `exit` in it; 1 where neither is there and its last command failed. `-Command` alone would turn
/// every code but 0 into 1, and to hooks of every vendor a 2 is a refusal.
///
/// A line that begins with a quote is a text to PowerShell; here it is the program to call.
///
/// ```
/// use std::path::Path;
/// use harness_hooks_core::shell::powershell;
///
/// let (program, args) = powershell(Path::new("pwsh"), "'C:\\Program Files\\guard.exe' --fast");
/// assert_eq!(program, Path::new("pwsh"));
/// assert_eq!(args[..5], ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"]);
/// assert!(args[5].starts_with("& 'C:\\Program Files\\guard.exe' --fast\n"));
/// ```
#[must_use]
pub fn powershell(program: &Path, line: &str) -> (PathBuf, Vec<String>) {
    let flags = ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"];
    let call = if line.trim_start().starts_with(['"', '\'']) { "& " } else { "" };
    // on a line of its own, so that a comment at the end of the line does not hide it
    let script = format!("{call}{line}\n{PASS_ON}");
    let args = flags.into_iter().map(str::to_owned).chain([script]).collect();
    (program.to_path_buf(), args)
}

const PASS_ON: &str = "$ok = $?; if ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE }; if (-not $ok) { exit 1 }";

#[cfg(test)]
mod tests {
    use super::*;

    fn script(line: &str) -> String {
        powershell(Path::new("pwsh"), line).1.pop().unwrap()
    }

    #[test]
    fn a_quoted_program_is_called() {
        for (line, begins) in [
            ("./guard.ps1 -Fast", "./guard.ps1 -Fast\n"),
            ("\"C:\\a b\\g.exe\" x", "& \"C:\\a b\\g.exe\" x\n"),
            ("'C:\\a b\\g.exe' x", "& 'C:\\a b\\g.exe' x\n"),
            ("  'g.exe'", "&   'g.exe'\n"),
            ("& 'g.exe'", "& 'g.exe'\n"),
            ("", "\n"),
        ] {
            assert!(script(line).starts_with(begins), "{line:?}: {:?}", script(line));
        }
    }

    #[test]
    fn the_exit_code_is_passed_on() {
        let script = script("g.exe # a comment");
        let (line, rest) = script.split_once('\n').unwrap();
        assert_eq!(line, "g.exe # a comment");
        assert_eq!(rest, "$ok = $?; if ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE }; if (-not $ok) { exit 1 }");
    }
}
