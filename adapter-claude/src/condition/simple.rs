//! A simple command of a shell, built up character by character: its words, and what of them is an
//! assignment, its name, or where a redirection leads. `None`, here as in `shell.rs`: the line cannot
//! be taken apart.

/// Words that are not a command's name, but say what becomes of the commands behind them.
const RESERVED: [&str; 20] = [
    "!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "select", "then",
    "time", "until", "while", "{", "}",
];

/// A simple command. In the place of each expansion stands a `$`.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) written: String,
    /// Where in it the assignments end.
    behind_assignments: usize,
    pub(super) words: String,
    /// Which program it is is only known when it runs.
    pub(super) unknown: bool,
}

impl Command {
    /// The texts it may be known by: as it was written, without the assignments before it, and its
    /// words without quotes and redirections, one space apart.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let behind = self.written.get(self.behind_assignments..).unwrap_or_default();
        [self.written.trim(), behind.trim(), &self.words].into_iter()
    }
}

/// A command under way.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) command: Command,
    pub(super) word: Option<Word>,
    /// Its name is there.
    named: bool,
    /// The next word is where a redirection leads.
    redirecting: bool,
    /// `&>` was there: to some shells a redirection, to others the end of a command and the beginning
    /// of one, which is the same only where no word of a command follows.
    forked: bool,
}

/// A word under way.
#[derive(Debug, Default)]
pub(super) struct Word {
    text: String,
    /// Something in it was quoted, or is an expansion.
    quoted: bool,
    /// It is an assignment, if it stands before the name.
    assigns: bool,
    /// It holds an expansion.
    pub(super) unknown: bool,
    /// It is a pattern of file names.
    pattern: bool,
}

impl Open {
    pub(super) fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    /// A character that stands for itself, or means something to the word it is in.
    pub(super) fn plain(&mut self, c: char) {
        self.command.written.push(c);
        let word = self.word();
        word.assigns |= c == '=' && !word.quoted && is_name(word.text.trim_end_matches('+'));
        word.pattern |= matches!(c, '*' | '?' | '[');
        word.text.push(c);
    }

    pub(super) fn quoted(&mut self, c: char) {
        self.command.written.push(c);
        self.word().text.push(c);
    }

    pub(super) fn escaped(&mut self, c: char) {
        self.command.written.push('\\');
        self.quoted(c);
        self.word().quoted = true;
    }

    pub(super) fn quote(&mut self, quote: char) {
        self.command.written.push(quote);
        self.word().quoted = true;
    }

    pub(super) fn expansion(&mut self) {
        self.quoted('$');
        let word = self.word();
        word.quoted = true;
        word.unknown = true;
    }

    pub(super) fn blank(&mut self, c: char) -> Option<()> {
        self.end_word()?;
        self.command.written.push(c);
        Some(())
    }

    pub(super) fn fork(&mut self) -> Option<()> {
        self.blank('&')?;
        self.forked = true;
        Some(())
    }

    /// The number in front of a redirection is part of it.
    pub(super) fn redirection(&mut self, c: char) -> Option<()> {
        let number = |word: &Word| !word.quoted && word.text.chars().all(|c| c.is_ascii_digit());
        if self.word.as_ref().is_some_and(number) {
            self.word = None;
        }
        self.end_word()?;
        if std::mem::replace(&mut self.redirecting, true) {
            return None;
        }
        self.command.written.push(c);
        Some(())
    }

    fn end_word(&mut self) -> Option<()> {
        let Some(word) = self.word.take() else { return Some(()) };
        if std::mem::take(&mut self.redirecting) {
            return Some(());
        }
        if self.forked {
            return None;
        }
        if !self.named && word.assigns {
            self.command.behind_assignments = self.command.written.len();
            return Some(());
        }
        if self.named {
            self.command.words.push(' ');
        } else if !word.quoted && RESERVED.contains(&word.text.as_str()) {
            return None;
        } else {
            self.command.unknown = word.unknown || (word.pattern && word.text != "[");
        }
        self.named = true;
        self.command.words.push_str(&word.text);
        Some(())
    }

    /// The command, if there is anything of one.
    pub(super) fn done(mut self) -> Option<Option<Command>> {
        self.end_word()?;
        if self.redirecting {
            return None;
        }
        Some((!self.command.written.trim().is_empty()).then_some(self.command))
    }
}

fn is_name(text: &str) -> bool {
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && text.chars().all(is_of_name)
}

/// A character of a variable's name.
pub(super) fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
