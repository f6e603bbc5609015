//! A line of a POSIX shell as the simple commands it is made of, without running it. CLA-MATCH-17,
//! CLA-MATCH-18
//!
//! This is no shell. It knows quotes, separators, redirections, assignments, comments and
//! substitutions, because where a command begins depends on them; where anything else does (loops,
//! subshells, here-documents, arithmetic, expansions with an operator) it gives up, and the guard
//! runs. One pass, no backtracking, and no deeper than [`DEEPEST`].

use std::{iter::Peekable, str::Chars};

use super::simple::{Command, Open, is_of_name};

/// How deep substitutions may stand in each other.
const DEEPEST: u32 = 32;

/// A line taken apart.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Its commands, those inside substitutions before the one around them.
    pub(super) commands: Vec<Command>,
    /// Something in it stands for text that is only known when it runs.
    pub(super) expands: bool,
}

/// Takes a line apart; nothing where that cannot be done.
pub(super) fn take_apart(line: &str) -> Option<Script> {
    let mut script = Script::default();
    Scanner { rest: line.chars().peekable(), script: &mut script, depth: 0 }.commands(End::OfText)?;
    Some(script)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    OfText,
    Bracket,
}

struct Scanner<'t, 's> {
    rest: Peekable<Chars<'t>>,
    script: &'s mut Script,
    depth: u32,
}

impl Scanner<'_, '_> {
    /// Commands up to an end. `None`, here and below: it cannot be taken apart.
    fn commands(&mut self, end: End) -> Option<()> {
        let mut open = Open::default();
        while let Some(c) = self.rest.next() {
            match c {
                ')' if end == End::Bracket => return self.close(&mut open),
                '(' | ')' => return None,
                ' ' | '\t' => open.blank(c)?,
                // before a line end it is part of that to some, and of the last word to others
                '\r' if matches!(self.rest.peek(), None | Some('\n')) => open.blank(c)?,
                // no shell is ever given one, or each drops it in its own way
                '\r' | '\0' => return None,
                '&' if self.rest.peek() == Some(&'>') => open.fork()?,
                '\n' | ';' | '|' | '&' => self.close(&mut open)?,
                '<' | '>' => self.redirection(c, &mut open)?,
                '#' if open.word.is_none() => self.comment(),
                '\'' => self.single_quotes(&mut open)?,
                '"' => self.double_quotes(&mut open)?,
                '`' => self.back_quotes(&mut open, false)?,
                '$' => self.dollar(&mut open, false)?,
                '\\' => self.backslash(&mut open)?,
                '{' if self.rest.peek() != Some(&'}') => self.braces(&mut open),
                c => open.plain(c),
            }
        }
        if end == End::Bracket {
            return None;
        }
        self.close(&mut open)
    }

    /// The command under way is over.
    fn close(&mut self, open: &mut Open) -> Option<()> {
        let command = std::mem::take(open).done()?;
        self.script.commands.extend(command);
        Some(())
    }

    fn eat(&mut self, c: char) -> bool {
        self.rest.next_if_eq(&c).is_some()
    }

    fn comment(&mut self) {
        while self.rest.next_if(|c| *c != '\n').is_some() {}
    }

    /// A here-document is text that may look like anything, and where it ends is another matter.
    fn redirection(&mut self, c: char, open: &mut Open) -> Option<()> {
        open.redirection(c)?;
        if c == '<' && self.eat('<') {
            return self.eat('<').then_some(());
        }
        let more: &[char] = if c == '<' { &['&', '>'] } else { &['>', '&', '|'] };
        let Some(more) = self.rest.next_if(|c| more.contains(c)) else { return Some(()) };
        open.command.written.push(more);
        if more == '&' { self.descriptor(open) } else { Some(()) }
    }

    /// The number of an open file, or `-`. Of a name there bash 5.2 takes the quotes away and runs
    /// what substitutions were in them.
    fn descriptor(&mut self, open: &mut Open) -> Option<()> {
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_digit() || *c == '-') {
            open.plain(c);
        }
        open.word.as_ref()?;
        let ends = |c: &char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '<' | '>' | ')');
        self.rest.peek().is_none_or(ends).then_some(())
    }

    fn single_quotes(&mut self, open: &mut Open) -> Option<()> {
        open.quote('\'');
        loop {
            match self.rest.next()? {
                '\'' => break,
                c => open.quoted(c),
            }
        }
        open.quote('\'');
        Some(())
    }

    fn double_quotes(&mut self, open: &mut Open) -> Option<()> {
        open.quote('"');
        loop {
            match self.rest.next()? {
                '"' => break,
                '`' => self.back_quotes(open, true)?,
                '$' => self.dollar(open, true)?,
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => open.escaped(c),
                    c => {
                        open.quoted('\\');
                        open.quoted(c);
                    }
                },
                c => open.quoted(c),
            }
        }
        open.quote('"');
        Some(())
    }

    fn backslash(&mut self, open: &mut Open) -> Option<()> {
        match self.rest.next()? {
            '\n' => {}
            c => open.escaped(c),
        }
        Some(())
    }

    fn braces(&mut self, open: &mut Open) {
        self.script.expands = true;
        open.plain('{');
        open.word().unknown = true;
    }

    fn dollar(&mut self, open: &mut Open, quoted: bool) -> Option<()> {
        match self.rest.peek().copied() {
            Some('(') => {
                self.rest.next();
                // arithmetic, or a subshell: the shells themselves try both
                if self.rest.peek() == Some(&'(') {
                    return None;
                }
                self.deeper()?;
                self.commands(End::Bracket)?;
                self.depth -= 1;
            }
            Some('{') => {
                self.rest.next();
                self.parameter();
                // an operator may hold anything
                if !self.eat('}') {
                    return None;
                }
            }
            // arithmetic of old; and an end of line taken away may make it anything
            Some('[' | '\\') => return None,
            // in some shells a text of its own
            Some('\'' | '"') if !quoted => return None,
            Some(c) if is_parameter(c) => self.parameter(),
            _ => {
                if quoted {
                    open.quoted('$');
                } else {
                    open.plain('$');
                }
                return Some(());
            }
        }
        self.script.expands = true;
        open.expansion();
        Some(())
    }

    /// A name, or one of the characters that are a parameter.
    fn parameter(&mut self) {
        if self.rest.next_if(|c| is_parameter(*c) && !is_of_name(*c)).is_none() {
            while self.rest.next_if(|c| is_of_name(*c)).is_some() {}
        }
    }

    /// In back-quotes a backslash before a quote of theirs, a dollar or a backslash is taken away
    /// first; what is left is read from its beginning.
    fn back_quotes(&mut self, open: &mut Open, quoted: bool) -> Option<()> {
        let mut inner = String::new();
        loop {
            match self.rest.next()? {
                '`' => break,
                '\\' => match self.rest.next()? {
                    c @ ('`' | '\\' | '$') => inner.push(c),
                    '"' if quoted => inner.push('"'),
                    c => inner.extend(['\\', c]),
                },
                c => inner.push(c),
            }
        }
        self.deeper()?;
        Scanner { rest: inner.chars().peekable(), script: self.script, depth: self.depth }.commands(End::OfText)?;
        self.depth -= 1;
        self.script.expands = true;
        open.expansion();
        Some(())
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }
}

fn is_parameter(c: char) -> bool {
    is_of_name(c) || matches!(c, '@' | '*' | '#' | '?' | '-' | '$' | '!')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of its commands.
    fn commands(line: &str) -> Option<Vec<String>> {
        take_apart(line).map(|script| script.commands.into_iter().map(|command| command.words).collect())
    }

    // CLA-MATCH-17
    #[test]
    fn commands_are_told_apart() {
        for (line, expected) in [
            ("", &[][..]),
            ("  \n ; ", &[]),
            ("echo hi", &["echo hi"]),
            ("echo a && git status", &["echo a", "git status"]),
            ("a || b; c | d |& e & f\ng\r\nh", &["a", "b", "c", "d", "e", "f", "g", "h"]),
            ("FOO=1 BAR+=2 git status", &["git status"]),
            ("FOO='a b'\"c\"$D git status", &["git status"]),
            ("FOO=1", &[""]),
            ("echo FOO=1", &["echo FOO=1"]),
            ("'FOO'=1 git", &["FOO=1 git"]),
            ("1=2 git", &["1=2 git"]),
            ("echo 'a && git status'", &["echo a && git status"]),
            ("echo \"a && $(git status) | b\"", &["git status", "echo a && $ | b"]),
            ("echo `git log`x", &["git log", "echo $x"]),
            (r"echo `a \`b \\\`c\\\`\``", &["c", "b $", "a $", "echo $"]),
            (r#"echo "`a \"b c\"`""#, &["a b c", "echo $"]),
            ("echo $(a $(b) \"$(c)\")", &["b", "c", "a $ $", "echo $"]),
            (r#"echo "a\"; git status""#, &["echo a\"; git status"]),
            (r"echo a\;b \' c", &["echo a;b ' c"]),
            ("git \\\n  push", &["git push"]),
            ("gi\\\nt push", &["git push"]),
            ("echo a # don't; git status\nmake", &["echo a", "make"]),
            ("# only a comment", &[]),
            ("echo a#b;c", &["echo a#b", "c"]),
            ("\"rm\" -rf 'x y'", &["rm -rf x y"]),
            (r"r\m -rf x", &["rm -rf x"]),
            ("git   log\t-1", &["git log -1"]),
            ("git log>out 2>&1 <in", &["git log"]),
            (">out 2>/dev/null git log", &["git log"]),
            ("git log -1 &>out 2>&1", &["git log -1"]),
            ("a &>>out; b", &["a", "b"]),
            ("git log 2>| out 3>&- <&3 <> both", &["git log"]),
            ("cat <<< 'a; b'; c", &["cat", "c"]),
            ("echo 2 >out", &["echo 2"]),
            ("echo a2>out", &["echo a2"]),
            ("find . -exec rm {} +", &["find . -exec rm {} +"]),
            ("echo $", &["echo $"]),
            ("echo \"$\"", &["echo $"]),
            ("echo ${HOME}/$1$?$$x", &["echo $/$$$x"]),
            ("echo if then", &["echo if then"]),
            (r"\if x", &["if x"]),
        ] {
            assert_eq!(commands(line).as_deref(), Some(expected.map_strings().as_slice()), "{line:?}");
        }
    }

    trait MapStrings {
        fn map_strings(&self) -> Vec<String>;
    }

    impl MapStrings for &[&str] {
        fn map_strings(&self) -> Vec<String> {
            self.iter().map(|text| (*text).to_owned()).collect()
        }
    }

    // CLA-MATCH-18
    #[test]
    fn what_cannot_be_taken_apart() {
        for line in [
            "echo \"unclosed",
            "echo 'unclosed",
            "echo `unclosed",
            "echo $(unclosed",
            "echo $(a 'b)",
            "echo ${x",
            "echo \\",
            "echo a)",
            "(cd x; git push)",
            "for f in *; do git add $f; done",
            "if true; then git push; fi",
            "while read x\ndo git push\ndone",
            "{ git push; }",
            "! git push",
            "time git push",
            "f() { git push; }",
            "case x in a) git push;; esac",
            "[[ -f x && git ]]",
            "cat <<EOF\ndon't\nEOF\ngit push\necho 'x'",
            "cat <<-EOF\nEOF",
            "diff <(git show) x",
            "tee >(git push)",
            "a=(1 2)",
            "echo $((1 + 2))",
            "echo $[1 + 2]",
            "echo ${x:-$(git push)}",
            "echo ${x#'}; git push; echo '}",
            r"echo $'it\'s'; git push; echo '",
            "git push >",
            "git > > x",
            "git > \r\nx",
            "git log &>out -1",
            "echo >&'`git push`'",
            "echo >& out",
            "git\rpush",
        ] {
            assert!(commands(line).is_none(), "{line:?}: {:?}", commands(line));
        }
    }

    #[test]
    fn a_command_is_known_by_three_texts() {
        let script = take_apart("FOO=1  git commit -m \"a  b\"   >out").unwrap();
        let texts: Vec<_> = script.commands[0].texts().collect();
        let expected = ["FOO=1  git commit -m \"a  b\"   >out", "git commit -m \"a  b\"   >out", "git commit -m a  b"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn the_deepest_that_is_read() {
        let nested = |depth: usize| format!("{}a{}", "echo $(".repeat(depth), ")".repeat(depth));
        let deepest = DEEPEST as usize;
        assert_eq!(commands(&nested(deepest)).map(|commands| commands.len()), Some(deepest + 1));
        assert_eq!(commands(&nested(deepest + 1)), None);
        assert_eq!(commands(&nested(1_000_000)), None);
    }
}
