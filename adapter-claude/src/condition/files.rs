//! What a specification says of files, written as in `.gitignore`. CLA-MATCH-19
//!
//! A line of `.gitignore` becomes a regular expression for the engine matchers run on. A crate of
//! globs would not be shorter: `globset` reads `{a,b}` as two patterns, where here it is a name, and
//! knows neither what a line is relative to nor that a folder's line holds for all below it.
//!
//! Paths are texts, so that those of every system can be compared on any. Upper and lower case are
//! the same, as they are on most disks: a guard must not miss `Secrets/` for `secrets/`.

use std::path::Path;

use harness_hooks_core::{Dialect, Machine, Pattern};

/// Files a pattern is about.
#[derive(Debug)]
pub(super) struct Files {
    base: Base,
    /// What their path below the base looks like. Nothing: the line says nothing of any file.
    below: Option<Pattern>,
    /// It is meant only where a backslash separates the parts of a path.
    windows: bool,
}

/// What a pattern is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Session,
    Settings,
    Home,
    Top,
}

/// Where bases are.
#[derive(Debug)]
pub(super) struct Place<'p> {
    /// The session's working directory.
    pub(super) session: &'p Path,
    /// The root of the settings file.
    pub(super) settings: &'p Path,
    /// The user's home.
    pub(super) home: Option<&'p str>,
    /// The machine, which says how paths are written.
    pub(super) machine: &'p Machine,
}

impl Files {
    /// What a specification may mean: one pattern, and where it has backslashes the path it is on
    /// Windows.
    pub(super) fn of(specification: &str) -> Vec<Files> {
        let mut files = vec![Files::new(specification, false)];
        if specification.contains('\\') {
            files.push(Files::new(&specification.replace('\\', "/"), true));
        }
        files
    }

    fn new(specification: &str, windows: bool) -> Self {
        let (base, line) = based(specification);
        Files { base, below: expression(&line).map(|text| Pattern::new(text, Dialect::Rust)), windows }
    }

    /// Whether a path is one of them, or might be.
    pub(super) fn hold(&self, path: &Path, place: &Place<'_>) -> bool {
        let windows = place.machine.windows;
        if self.windows && !windows {
            return false;
        }
        let session = place.session.to_string_lossy();
        let base = match self.base {
            Base::Session => session.clone(),
            Base::Settings => place.settings.to_string_lossy(),
            Base::Top => "/".into(),
            Base::Home => match place.home {
                Some(home) => home.into(),
                None => return true,
            },
        };
        let (base, path) = (steps(&session, &base, windows), steps(&session, &path.to_string_lossy(), windows));
        let Some(below) = below(&path, &base) else { return false };
        self.below.as_ref().is_none_or(|pattern| pattern.test(&below).is_hit())
    }
}

/// What it is relative to, and the line of `.gitignore` it is there.
fn based(specification: &str) -> (Base, String) {
    if let Some(rest) = specification.strip_prefix("//") {
        return (Base::Top, format!("/{}", without_colon(rest)));
    }
    if let Some(rest) = specification.strip_prefix("~/") {
        return (Base::Home, format!("/{rest}"));
    }
    if let Some(rest) = specification.strip_prefix("./") {
        return (Base::Session, format!("/{rest}"));
    }
    if has_drive(specification) {
        return (Base::Top, format!("/{}", without_colon(specification)));
    }
    let base = if specification.starts_with('/') { Base::Settings } else { Base::Session };
    (base, specification.to_owned())
}

/// `C:/` or `C:\`.
fn has_drive(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && matches!(chars.next(), Some('/' | '\\'))
}

fn without_colon(path: &str) -> String {
    if has_drive(path) { path.replacen(':', "", 1) } else { path.to_owned() }
}

/// The steps of a path from the top, a drive being the first. A relative path stands below the
/// working directory (CLA-TOOL-06).
fn steps(session: &str, path: &str, windows: bool) -> Vec<String> {
    let slashes = |path: &str| if windows { path.replace('\\', "/") } else { path.to_owned() };
    let (session, path) = (slashes(session), slashes(path));
    let absolute = path.starts_with('/') || (windows && has_drive(&path));
    let whole = if absolute { path } else { format!("{session}/{path}") };
    let whole = if windows { without_colon(whole.trim_start_matches("//?/")) } else { whole };
    whole.split('/').fold(Vec::new(), |mut steps, step| {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step.to_owned()),
        }
        steps
    })
}

/// The rest of a path below a folder, if it is there.
fn below(path: &[String], base: &[String]) -> Option<String> {
    let (above, rest) = path.split_at_checked(base.len())?;
    let same = above.iter().zip(base).all(|(one, other)| one.to_lowercase() == other.to_lowercase());
    same.then(|| rest.join("/"))
}

/// A line of `.gitignore` as a regular expression. None where it is a comment, or takes something
/// out again.
fn expression(line: &str) -> Option<String> {
    if line.starts_with(['#', '!']) {
        return None;
    }
    let line = if line.ends_with("\\ ") { line } else { line.trim_end_matches(' ') };
    let line = line.trim_end_matches('/');
    let (anywhere, line) = match line.strip_prefix('/') {
        Some(line) => ("", line),
        None if line.is_empty() => ("", "**"), // the base itself
        None if line.contains('/') => ("", line),
        None => ("(?:.*/)?", line),
    };
    // what holds for a folder holds for all below it
    Some(format!("(?is)^{anywhere}{}(?:/.*)?$", body(line)))
}

fn body(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    let mut begins = true; // a part of the path
    while let Some(c) = rest.chars().next() {
        let (text, length) = match c {
            '*' if begins && rest.starts_with("**/") => ("(?:.*/)?".into(), 3),
            '*' if begins && rest == "**" => (".*".into(), 2),
            '*' => ("[^/]*".into(), rest.len() - rest.trim_start_matches('*').len()),
            '?' => ("[^/]".into(), 1),
            '[' => class(rest).unwrap_or_else(|| (literal('['), 1)),
            '\\' => match rest.chars().nth(1) {
                Some(next) => (literal(next), 1 + next.len_utf8()),
                None => (literal('\\'), 1),
            },
            c => (literal(c), c.len_utf8()),
        };
        out.push_str(&text);
        let (done, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        begins = done.ends_with('/');
        rest = behind;
    }
    out
}

fn literal(c: char) -> String {
    if "\\.+*?()|[]{}^$#&-~".contains(c) { format!("\\{c}") } else { c.to_string() }
}

/// `[a-z]` or `[!a-z]`, and how long it is; none where it is not closed.
fn class(text: &str) -> Option<(String, usize)> {
    let inner = text.strip_prefix('[')?;
    let negated = inner.starts_with(['!', '^']);
    let items = if negated { inner.get(1..)? } else { inner };
    let (mut out, mut rest) = (String::new(), items);
    loop {
        let c = rest.chars().next()?;
        let (text, length) = match c {
            ']' if rest.len() < items.len() => break,
            '[' if rest.starts_with("[:") => match rest.find(":]") {
                Some(end) => (rest.get(..end + 2)?.to_owned(), end + 2),
                None => (literal('['), 1),
            },
            '\\' => {
                let next = rest.chars().nth(1)?;
                (literal(next), 1 + next.len_utf8())
            }
            '-' => ("-".into(), 1),
            c => (literal(c), c.len_utf8()),
        };
        out.push_str(&text);
        rest = rest.get(length..)?;
    }
    let class = if negated { format!("[^[{out}]/]") } else { format!("[[{out}]&&[^/]]") };
    Some((class, text.len() - rest.len() + 1))
}
