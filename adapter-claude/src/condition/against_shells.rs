//! Lines that were taken apart, run by a real shell: no command it runs was missed.
//!
//! The lines are random and the same in every run. They run with an empty environment, in a folder of
//! their own, and know no program and no path but three functions that say they were called.

#![cfg(unix)]

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use super::{command::Commands, shell::take_apart};

const NAMES: [&str; 3] = ["git", "rm", "cat"];

#[rustfmt::skip]
const PIECES: [&str; 56] = [
    "git ", "rm ", "cat ", "git", "rm", "cat", "git", " ", " ", " ", "\n", ";", "&", "|", "&&", "||", "|&", "\t", "\r",
    "'", "\"", "`", "$(", ")", "\\", "\\\n", "#", "<", ">", ">out", "&>out", "2>", ">&1", "<<E", "\nE\n", "<<<", "A=1 ",
    "A=", "A+=", "a[1]=2 ", "-", "=", "!", "{", "}", "{}", "{git,rm}", "$A", "${A}", "${A:-git}", "$'", "$\"", "*", "[",
    "time ", "if ",
];

/// Enough chance for a test.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    /// A part of a line, with quotes and substitutions that are closed more often than not.
    fn piece(&mut self, depth: usize) -> String {
        match self.below(if depth > 3 { 8 } else { 16 }) {
            0..=7 => PIECES[self.below(PIECES.len())].to_owned(),
            8 | 9 => format!("'{}'", self.pieces(depth)),
            10 | 11 => format!("\"{}\"", self.pieces(depth)),
            12 => format!("$({})", self.pieces(depth)),
            13 => {
                let inner = self.pieces(depth).replace('\\', "\\\\").replace('`', "\\`").replace('$', "\\$");
                format!("`{inner}`")
            }
            14 => format!("# {}\n", self.pieces(depth)),
            _ => format!("git {}; ", self.pieces(depth)),
        }
    }

    fn pieces(&mut self, depth: usize) -> String {
        (0..=self.below(5)).map(|_| self.piece(depth + 1)).collect()
    }
}

/// The names of the commands a shell ran.
fn ran(shell: &str, line: &str, folder: &Path, n: usize) -> Vec<&'static str> {
    let log = folder.join(format!("log{n}"));
    let functions = NAMES.map(|name| format!("{name}() {{ echo {name} >&9; }}; ")).concat();
    let script = format!("exec 9>log{n}; {functions} eval \"$1\"; wait");
    let mut command = Command::new(shell);
    command.args(["-c", &script, "sh", line]).current_dir(folder).env_clear().env("PATH", "/nonexistent");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().unwrap();
    let said = fs::read_to_string(&log).unwrap_or_default();
    NAMES.into_iter().filter(|name| said.lines().any(|line| line == *name)).collect()
}

// CLA-MATCH-17, CLA-MATCH-18
#[test]
fn no_command_a_shell_runs_is_missed() {
    let folder = std::env::temp_dir().join(format!("harness-hooks-lines-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let shells: Vec<_> = ["/bin/sh", "/bin/bash"].into_iter().filter(|shell| Path::new(shell).exists()).collect();
    let (mut random, mut lines, mut runs) = (Random(2026), 0, 0);
    while lines < 300 {
        let line = random.pieces(0);
        if take_apart(&line).is_none_or(|script| script.commands.is_empty()) {
            continue;
        }
        lines += 1;
        for (n, shell) in shells.iter().enumerate() {
            for name in ran(shell, &line, &folder, 2 * lines + n) {
                runs += 1;
                assert!(Commands::new(&format!("{name} *")).hold(&line), "{shell} runs {name} in {line:?}");
            }
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(shells.is_empty() || runs > 100, "only {runs} commands were run");
}
