//! What keeps a command from doing its work: a sentence for the person who can put it right, and
//! the exit code. What hooks do wrong is no failure of a command.

use std::{fmt, io, path::Path};

/// Why a command did not do its work.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: u8,
    message: String,
    help: Option<String>,
}

impl Failure {
    /// The command line does not say what to do.
    pub(crate) const USAGE: u8 = 64;
    /// A file that was named cannot be used.
    pub(crate) const INPUT: u8 = 65;
    /// A result could not be written.
    pub(crate) const OUTPUT: u8 = 74;

    /// The command line is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { code: Self::USAGE, message: message.into(), help: None }
    }

    /// A file is wrong.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Failure { code: Self::INPUT, message: message.into(), help: None }
    }

    /// A file cannot be read.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Failure::input(format!("cannot read {}: {}", path.display(), reason(error)))
    }

    /// A result cannot be written.
    pub(crate) fn output(what: impl fmt::Display, error: &io::Error) -> Self {
        Failure { code: Self::OUTPUT, message: format!("cannot write {what}: {}", reason(error)), help: None }
    }

    /// What to do instead.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The message on the first line, the help on those after it.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.iter().try_for_each(|help| write!(f, "\n  help: {help}"))
    }
}

/// A system error without its number, which says nothing to most people.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.find(" (os error").map_or(text.clone(), |end| text[..end].to_owned())
}

/// The known name nearest to an unknown one, if one is near.
pub(crate) fn nearest<'n>(unknown: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let folded = unknown.to_lowercase();
    let likeness = |name: &&str| strsim::jaro_winkler(&folded, &name.to_lowercase());
    let scored = known.into_iter().map(|name| (likeness(&name), name)).filter(|(likeness, _)| *likeness > 0.8);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_only_when_it_is_near() {
        let known = ["preToolUse", "postToolUse", "beforeShellExecution", "stop"];
        for (unknown, near) in [
            ("PreToolUse", Some("preToolUse")),
            ("pretooluse", Some("preToolUse")),
            ("beforeShell", Some("beforeShellExecution")),
            ("Stop", Some("stop")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(unknown, known), near, "{unknown}");
        }
    }
}
