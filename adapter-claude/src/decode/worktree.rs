//! What a hook prints that makes a worktree: the path of it, and no answer. CLA-OUT-58

use harness_hooks_core::{Effects, Exit, Extra, Handler, Json, Outcome, answer::Field};

use super::{
    Failure, Hook, failure,
    printed::{Printed, Stdout, trimmed},
    written::Fault,
};
use crate::{departures::Way, events::Key};

impl Hook<'_> {
    pub(super) fn worktree(self, outcome: &Outcome) -> Effects {
        if outcome.exit == Exit::Code(2) {
            let clause = format!("the hook {} exited with code 2 and gave no reason", self.label());
            let reason = self.stderr(&outcome.stderr).unwrap_or_else(|| self.written(&clause));
            return self.noting_leak(self.refuse(reason), outcome);
        }
        if outcome.exit != Exit::Code(0) {
            return self.failed(&failure(&outcome.exit), outcome);
        }
        if outcome.stdout_truncated {
            return self.cut_off(outcome);
        }
        let stdout = String::from_utf8_lossy(&outcome.stdout);
        if outcome.leaked && trimmed(&stdout).is_empty() {
            return self.failed(&Failure::new("left a child holding its output, and printed nothing"), outcome);
        }
        let from_a_server = matches!(self.asked.handler, Some(Handler::Http { .. }));
        let path = if from_a_server { self.answered_path(&stdout) } else { self.printed_path(&stdout) };
        // a path with replaced bytes is that of another folder
        let exact = self.ways.claudes(Way::WorktreePath) || std::str::from_utf8(&outcome.stdout).is_ok();
        let effects = match path.filter(|path| exact && self.is_usable(path)) {
            Some(path) => {
                let extra = Extra::vendor(Key::WorktreePath.name(), Json::of(&path));
                let mut effects = Effects::default();
                effects.extras.push(extra);
                effects
            }
            None => self.no_path(from_a_server),
        };
        self.noting_leak(effects, outcome)
    }

    fn printed_path(self, stdout: &str) -> Option<String> {
        if !self.ways.claudes(Way::WorktreePath) {
            return Some(trimmed(stdout).to_owned());
        }
        let lines = stdout.lines().rev().map(without_escapes);
        lines.map(|line| trimmed(&line).to_owned()).find(|line| !line.is_empty())
    }

    /// CLA-RUN-14
    fn answered_path(self, body: &str) -> Option<String> {
        let Printed::Object(answer) = Stdout::read(body).printed else { return None };
        let own = answer.get("hookSpecificOutput").and_then(Field::object)?;
        let here = own.get("hookEventName").and_then(Field::text).is_some_and(|name| name == self.row.name());
        let path = own.get(Key::WorktreePath.name()).filter(|_| here).and_then(Field::text)?;
        Some(trimmed(&path).to_owned())
    }

    fn is_usable(self, path: &str) -> bool {
        let absolute = is_absolute(path);
        let steps = || path.split(['/', if cfg!(windows) { '\\' } else { '/' }]);
        if absolute && steps().any(|step| matches!(step, "." | "..")) {
            return false;
        }
        self.ways.claudes(Way::WorktreePath) || (absolute && !path.chars().any(char::is_control))
    }

    fn no_path(self, from_a_server: bool) -> Effects {
        let what = if from_a_server {
            "must answer with an absolute path, without steps of dots, as `worktreePath` in `hookSpecificOutput`"
        } else {
            "must print one line with an absolute path, without steps of dots, and nothing else"
        };
        let effects = self.refuse(self.written(&format!("the hook {} {what}", self.label())));
        self.with(effects, self.rejected_output(&Fault::new("is no path", format!(": a hook of this event {what}"))))
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || (cfg!(windows) && std::path::Path::new(path).is_absolute())
}

/// A line without the sequences by which a terminal is steered.
fn without_escapes(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            // ends with the first of these, after any parameters
            Some('[') => drop(rest.find(|c| ('@'..='~').contains(c))),
            // a text, which ends with a bell or with an escape and what follows it
            Some(']') if rest.find(|c| matches!(c, '\u{7}' | '\u{1b}')) == Some('\u{1b}') => drop(rest.next()),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLA-OUT-58
    #[test]
    fn a_line_loses_what_steers_a_terminal() {
        for (line, plain) in [
            ("\u{1b}[32m/wt\u{1b}[0m", "/wt"),
            ("\u{1b}]0;title\u{7}/wt", "/wt"),
            ("\u{1b}]8;;u\u{1b}\\/wt\u{1b}]8;;\u{1b}\\", "/wt"),
            ("\u{1b}7/wt\u{1b}", "/wt"),
            ("\u{1b}[", ""),
        ] {
            assert_eq!(without_escapes(line), plain, "{line:?}");
        }
    }
}
