//! What a specification of `Bash` says of a command. CLA-MATCH-16 to CLA-MATCH-18

use super::{
    shell::{self, Script},
    simple::Command,
    wildcard::Wildcard,
};

/// Commands a specification is about.
#[derive(Debug)]
pub(super) struct Commands {
    /// A command is one of them if any of these is the whole of it.
    forms: Vec<Wildcard>,
    /// It says no more than which program, or how its name begins.
    name_only: bool,
    /// It names what stands between commands, so that no single command is one of them.
    joins: bool,
}

/// Programs that run another one, whose name is then one of the words behind theirs.
const RUNNERS: [&str; 22] = [
    "bash", "builtin", "chroot", "command", "dash", "doas", "env", "eval", "exec", "ionice", "ksh", "nice", "nohup",
    "setsid", "sh", "stdbuf", "su", "sudo", "time", "timeout", "xargs", "zsh",
];

/// How many words behind such a program are looked at; behind more of them the guard runs.
const MOST_WORDS: usize = 64;

impl Commands {
    pub(super) fn new(specification: &str) -> Self {
        let prefix = specification.strip_suffix(":*").or_else(|| specification.strip_suffix(" *"));
        let texts = match prefix {
            Some(prefix) => vec![prefix.to_owned(), format!("{prefix} *")],
            None => vec![specification.to_owned()],
        };
        let name = prefix.or_else(|| specification.strip_suffix('*'));
        let has_more =
            |name: &str| name.is_empty() || name.contains(['*', '$', '`']) || name.contains(char::is_whitespace);
        // whether a backslash is one or takes the meaning of what follows was never measured
        let written = texts.iter().map(|text| Wildcard::new(text));
        let escaped = texts.iter().filter(|text| text.contains('\\')).map(|text| Wildcard::escaped(text));
        Commands {
            forms: written.chain(escaped).collect(),
            name_only: name.is_some_and(|name| !has_more(name)),
            joins: specification.contains([';', '|', '&', '\n']),
        }
    }

    /// Whether a line runs one of them, or might.
    pub(super) fn hold(&self, line: &str) -> bool {
        let Some(script) = shell::take_apart(line) else { return true };
        (self.joins && self.fit(line.trim()))
            || self.among(&script)
            || script.commands.iter().any(|command| runs_another(&command.words) && self.behind(&command.words))
    }

    fn among(&self, script: &Script) -> bool {
        let is_one = |command: &Command| command.unknown || command.texts().any(|text| self.fit(text));
        (script.expands && !self.name_only) || script.commands.iter().any(is_one)
    }

    /// Whether a program that runs another one runs one of them, or might: behind it stand its own
    /// options, and what it runs is a command or the text of a whole script. CLA-MATCH-18
    fn behind(&self, words: &str) -> bool {
        let tails = words.match_indices(char::is_whitespace).filter_map(|(at, _)| words.get(at + 1..));
        let might = |tail: &str| shell::take_apart(tail).is_none_or(|script| self.among(&script));
        words.contains('$') || tails.enumerate().any(|(n, tail)| n >= MOST_WORDS || might(tail))
    }

    fn fit(&self, text: &str) -> bool {
        self.forms.iter().any(|form| form.matches(text))
    }
}

fn runs_another(words: &str) -> bool {
    let name = words.split(char::is_whitespace).next().unwrap_or_default();
    RUNNERS.contains(&name.rsplit('/').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(specification: &str, line: &str) -> bool {
        Commands::new(specification).hold(line)
    }

    // CLA-MATCH-16
    #[test]
    fn a_trailing_star_ends_a_word() {
        for (specification, line, expected) in [
            ("ls *", "ls", true),
            ("ls *", "ls -la", true),
            ("ls *", "lsof", false),
            ("ls:*", "ls", true),
            ("ls:*", "ls -la", true),
            ("ls:*", "lsof", false),
            ("ls*", "lsof", true),
            ("ls", "ls -la", false),
            ("npm run * --fix", "npm run lint --fix", true),
            ("npm run * --fix", "npm run lint", false),
            ("* push *", "git push", true),
            ("* push *", "git pushed", false),
            ("git * main", "git merge main", true),
            (r"find . -name \*.js", "find . -name '*.js'", true),
            (r"find . -name \*.js", "find . -name x.js", false),
            (r"grep \(a\)", "grep '(a)'", true),
        ] {
            assert_eq!(holds(specification, line), expected, "Bash({specification}) on {line:?}");
        }
    }

    // CLA-MATCH-18
    #[test]
    fn what_an_expansion_could_be() {
        for (specification, line, expected) in [
            ("git push *", "echo $(date)", true),
            ("git push *", "echo `date`", true),
            ("git push *", "echo $HOME", true),
            ("git push *", "echo \"$HOME\"", true),
            ("git push *", "echo '$HOME'", false),
            ("git push *", "echo \\$HOME", false),
            ("git push *", "echo {push,x}", true),
            ("git", "echo $X", true),
            ("* push", "echo $X", true),
            ("git *", "$TOOL git push", true),
            ("git *", "$(which git) push", true),
            ("git *", "`which git` push", true),
            ("git *", "g$X push", true),
            ("git *", "gi? push", true),
            ("git *", "{git,push}", true),
            ("git *", "FOO=$(date) make", false),
            ("git *", "make *.o", false),
            ("git *", "[ -f x ]", false),
            ("gi*", "echo $X", false),
            ("git:*", "echo $X", false),
        ] {
            assert_eq!(holds(specification, line), expected, "Bash({specification}) on {line:?}");
        }
    }
}
