//! Runs of the built command in directories of their own: its environment is empty but for what a
//! shell needs, and its home is poisoned, so that a hook from there would be seen.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// What a run left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr))
    }
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

pub(crate) fn demo(file: &str) -> String {
    repository().join("fixtures/demo").join(file).display().to_string()
}

/// Options that look nowhere but in the demo.
pub(crate) fn in_demo() -> Vec<String> {
    ["--cwd", &demo("workspace"), "--home", &demo("home"), "--trust", "workspace"].map(str::to_owned).to_vec()
}

/// A workspace, a home, and a second home that nobody named.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        place.write("home/.keep", "");
        place.write("workspace/.keep", "");
        place.write("poison/.cursor/hooks.json", &hooks("preToolUse", "echo poison"));
        for file in [".claude/settings.json", ".codex/hooks.json"] {
            place.write(&format!("poison/{file}"), &command_group("PreToolUse", "echo poison"));
        }
        place
    }

    /// With these hooks in the workspace.
    pub(crate) fn with(hooks: &str) -> Self {
        let place = Place::new();
        place.write("workspace/.cursor/hooks.json", hooks);
        place
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub(crate) fn write(&self, below: &str, text: &str) -> String {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Options that look nowhere but here.
    pub(crate) fn looking(&self) -> Vec<String> {
        let (cwd, home) = (self.path("workspace").display().to_string(), self.path("home").display().to_string());
        ["--cwd", &cwd, "--home", &home, "--trust", "workspace"].map(str::to_owned).to_vec()
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harness-hooks"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path("poison")).current_dir(self.path("workspace"));
        command
    }

    pub(crate) fn run<I: IntoIterator<Item = S>, S: AsRef<str>>(&self, args: I) -> Ran {
        self.run_with(args, "")
    }

    /// With this on standard input.
    pub(crate) fn run_with<I: IntoIterator<Item = S>, S: AsRef<str>>(&self, args: I, stdin: &str) -> Ran {
        let mut command = self.command();
        command.args(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes()); // it may not be read
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// A command that looks here: its name and options, then where to look.
    pub(crate) fn here(&self, args: &[&str]) -> Ran {
        self.run(args.iter().map(|arg| (*arg).to_owned()).chain(self.looking()))
    }

    /// The text without what differs from run to run.
    pub(crate) fn redacted(&self, text: &str) -> String {
        let text = text.replace(&self.folder.path().display().to_string(), "[place]");
        redacted(&text)
    }
}

pub(crate) fn redacted(text: &str) -> String {
    let text = text.replace(&repository().display().to_string(), "[repository]");
    let text = text.replace("/bin/bash -c", "[shell] -c").replace("/bin/sh -c", "[shell] -c");
    let timed = text.split(" after ").enumerate().map(|(n, part)| match part.split_once(" ms") {
        Some((number, rest)) if n > 0 && number.bytes().all(|b| b.is_ascii_digit()) => format!("[n] ms{rest}"),
        _ => part.to_owned(),
    });
    timed.collect::<Vec<_>>().join(" after ")
}

/// Hooks of a stage stand in the order in which they finish; here, in the order of their text.
pub(crate) fn in_order(page: &str) -> String {
    let mut sorted = String::new();
    for paragraph in page.split("\n\n") {
        let mut lines = paragraph.lines();
        if !paragraph.trim_start().starts_with("Stage ") {
            sorted.push_str(paragraph.trim_end());
            sorted.push_str("\n\n");
            continue;
        }
        sorted.push_str(lines.next().unwrap_or_default());
        let mut hooks: Vec<String> = Vec::new();
        for line in lines {
            match hooks.last_mut() {
                Some(hook) if line.starts_with("   ") => *hook = format!("{hook}\n{line}"),
                _ => hooks.push(line.to_owned()),
            }
        }
        hooks.sort();
        hooks.iter().for_each(|hook| sorted.push_str(&format!("\n{hook}")));
        sorted.push_str("\n\n");
    }
    sorted.trim().to_owned() + "\n"
}

/// Hooks of one event in the form Claude Code and Codex share, each a handler.
pub(crate) fn group(event: &str, handlers: &Value) -> String {
    serde_json::json!({"hooks": {event: [{"hooks": handlers}]}}).to_string()
}

/// The same with one command.
pub(crate) fn command_group(event: &str, command: &str) -> String {
    group(event, &serde_json::json!([{"type": "command", "command": command}]))
}

/// A file with one hook.
pub(crate) fn hooks(event: &str, command: &str) -> String {
    serde_json::json!({"version": 1, "hooks": {event: [{"command": command}]}}).to_string()
}

/// An envelope of a shell command that is about to run.
pub(crate) fn shell_envelope(command: &str) -> String {
    envelope(
        "tool.before",
        &serde_json::json!({
            "call": {"id": "call_1", "host_name": "terminal", "tool": {"shell": {"command": command}}}
        }),
    )
}

pub(crate) fn envelope(boundary: &str, payload: &Value) -> String {
    serde_json::json!({
        "id": "e1", "at_ms": 1, "session": {"id": "s1", "cwd": "."}, "turn": {"id": "t1"},
        "payload": {boundary: payload},
    })
    .to_string()
}

/// The keys of an object.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("not an object: {value}")).keys().map(String::as_str).collect()
}
