//! Why a process did not start, in a sentence a person can act on. The system's own error names
//! neither the program nor the directory it is about.

use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use harness_hooks_core::Process;

use crate::Environment;

/// What no process can be given.
pub(crate) fn unfit(process: &Process) -> Result<(), String> {
    let nul = |text: &[u8]| text.contains(&0);
    if nul(process.program.as_os_str().as_encoded_bytes()) {
        return Err(format!("the name of its program, `{}`, contains a NUL byte", shown(&process.program)));
    }
    if nul(process.cwd.as_os_str().as_encoded_bytes()) {
        return Err(format!("the name of its working directory, `{}`, contains a NUL byte", shown(&process.cwd)));
    }
    if let Some(n) = process.args.iter().position(|arg| nul(arg.as_bytes())) {
        return Err(format!("argument {} of `{}` contains a NUL byte", n + 1, shown(&process.program)));
    }
    for (name, value) in &process.env {
        // with a `=` in its name it would set another variable than the one it is called
        if name.is_empty() || name.contains(['\0', '=']) {
            let name = name.escape_default();
            return Err(format!("`{name}` cannot be the name of a variable: it is empty, or has a NUL byte or a `=`"));
        }
        if nul(value.as_bytes()) {
            return Err(format!("the value of the variable `{name}` contains a NUL byte"));
        }
    }
    Ok(())
}

/// Why the system did not start it.
pub(crate) fn of(process: &Process, environment: &Environment, error: &io::Error) -> String {
    wrong_directory(&process.cwd)
        .or_else(|| wrong_program(process, environment.variable(process, "PATH").as_ref(), error))
        .unwrap_or_else(|| format!("`{}` cannot be started: {error}", shown(&process.program)))
}

fn wrong_directory(cwd: &Path) -> Option<String> {
    if cwd.as_os_str().is_empty() {
        return Some("it has no working directory".into());
    }
    let shown = shown(cwd);
    match fs::metadata(cwd) {
        Ok(metadata) if metadata.is_dir() => None,
        Ok(_) => Some(format!("its working directory `{shown}` is not a directory")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some(format!("its working directory `{shown}` does not exist"))
        }
        Err(error) => Some(format!("its working directory `{shown}` cannot be entered: {error}")),
    }
}

fn wrong_program(process: &Process, search_path: Option<&OsString>, error: &io::Error) -> Option<String> {
    let Some(path) = located(process, search_path) else { return Some(missing(process, search_path)) };
    let shown = shown(&path);
    let metadata = fs::metadata(&path).ok()?;
    if metadata.is_dir() {
        return Some(format!("`{shown}` is a directory, not a program"));
    }
    if !executable(&metadata) {
        return Some(format!("`{shown}` is not executable (`chmod +x` makes it so)"));
    }
    match error.kind() {
        io::ErrorKind::NotFound => Some(match interpreter(&path) {
            Some(line) => format!("the interpreter that the first line of `{shown}` names does not exist: {line}"),
            None => format!("`{shown}` needs a program loader or interpreter that this machine does not have"),
        }),
        io::ErrorKind::ArgumentListTooLong => {
            Some(format!("the arguments and variables of `{shown}` are longer than this system allows"))
        }
        _ if error.raw_os_error() == Some(NOT_A_PROGRAM) => Some(format!(
            "`{shown}` is neither a program of this machine nor a script whose first line names its interpreter, as in `#!/bin/sh`"
        )),
        _ => None,
    }
}

/// The file a program is: beside the working directory, or on the PATH the process would have had
/// if it is a bare name.
fn located(process: &Process, search_path: Option<&OsString>) -> Option<PathBuf> {
    if !is_bare(&process.program) {
        return Some(process.cwd.join(&process.program)).filter(|path| path.exists());
    }
    env::split_paths(search_path?).map(|dir| dir.join(&process.program)).find(|path| path.is_file())
}

fn missing(process: &Process, search_path: Option<&OsString>) -> String {
    let program = shown(&process.program);
    if process.program.as_os_str().is_empty() {
        return "it names no program".into();
    }
    if !is_bare(&process.program) {
        return format!("there is no program `{program}`");
    }
    match search_path {
        Some(path) => format!("there is no program `{program}` on the PATH ({})", shown(Path::new(path))),
        None => format!("there is no program `{program}`, and no PATH to look for it on"),
    }
}

fn is_bare(program: &Path) -> bool {
    !program.to_string_lossy().contains(std::path::is_separator)
}

/// The first line of a script, if it names an interpreter.
fn interpreter(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(256).read_to_end(&mut start).ok()?; // a file: executing it was tried
    let line = start.strip_prefix(b"#!").map(|_| start.split(|byte| *byte == b'\n').next())??;
    Some(String::from_utf8_lossy(line).trim_end().escape_debug().to_string())
}

/// For a sentence: a name may hold a newline, or steer a terminal.
fn shown(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}

#[cfg(unix)]
fn executable(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))] // never compiled by us
fn executable(_: &fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
const NOT_A_PROGRAM: i32 = nix::errno::Errno::ENOEXEC as i32;
#[cfg(not(unix))] // never compiled by us
const NOT_A_PROGRAM: i32 = 193; // ERROR_BAD_EXE_FORMAT
