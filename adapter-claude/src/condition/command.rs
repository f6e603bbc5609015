//! What a specification of `Bash` says of a command. CLA-MATCH-16 to CLA-MATCH-18

use super::{shell, wildcard::Wildcard};

/// Commands a specification is about.
#[derive(Debug)]
pub(super) struct Commands {
    /// A command is one of them if any of these is the whole of it.
    forms: Vec<Wildcard>,
    /// It says no more than which program, or how its name begins.
    name_only: bool,
}

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
        Commands { forms: written.chain(escaped).collect(), name_only: name.is_some_and(|name| !has_more(name)) }
    }

    /// Whether a line runs one of them, or might.
    pub(super) fn hold(&self, line: &str) -> bool {
        let Some(script) = shell::take_apart(line) else { return true };
        if script.expands && !self.name_only {
            return true;
        }
        script.commands.iter().any(|command| command.unknown || command.texts().any(|text| self.fit(text)))
    }

    fn fit(&self, text: &str) -> bool {
        self.forms.iter().any(|form| form.matches(text))
    }
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
