//! A settings file as bindings and diagnostics. What is left out and what refuses the whole file is
//! decided here; reading JSON is core's, and what one file says about another is `settle.rs`.
//!
//! `document.rs` goes from the top of a file to its groups, `group.rs` reads a group and its matcher,
//! `handler.rs` a handler, `settings.rs` what counts beside hooks, and `address.rs` knows addresses.
//! `frontmatter.rs` finds hooks in Markdown, and `yaml.rs` writes YAML as JSON.

pub(crate) mod address;
mod document;
#[cfg(feature = "frontmatter")]
mod frontmatter;
mod group;
mod handler;
mod settings;
#[cfg(feature = "frontmatter")]
mod yaml;

use std::sync::Arc;

#[cfg(not(feature = "frontmatter"))]
use harness_hooks_core::Place;
use harness_hooks_core::{
    Diagnostic, Dropped, Parsed, Scope, Severity, Source, Text,
    document::{Item, Object, Reading, Tree},
    matcher::Patterns,
};

use crate::{
    departures::{Way, Ways},
    events::{self, Row},
    sources,
};

pub(crate) use settings::{Setting, Switched};

/// What kind of document a source is. It is known by its path, because a source says no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A settings file.
    Settings,
    /// A plugin's file of hooks.
    Plugin,
    /// A plugin's manifest, which may name such files.
    Manifest,
    /// The frontmatter of a skill.
    Skill,
    /// The frontmatter of an agent.
    Agent,
}

impl Kind {
    pub(crate) fn of(source: &Source) -> Kind {
        let path = &source.path;
        match () {
            () if path.ends_with("SKILL.md") => Kind::Skill,
            () if path.extension().is_some_and(|extension| extension == "md") => Kind::Agent,
            () if source.scope != Scope::Plugin => Kind::Settings,
            () if path.ends_with(sources::MANIFEST) => Kind::Manifest,
            () => Kind::Plugin,
        }
    }
}

/// Reads a document. Total. CLA-CFG-01, CLA-CFG-25
pub(crate) fn parse(ways: Ways, source: &Arc<Source>, bytes: &[u8]) -> Parsed {
    match Kind::of(source) {
        Kind::Skill | Kind::Agent => markdown(ways, source, bytes),
        Kind::Settings | Kind::Plugin | Kind::Manifest => json(ways, source, bytes),
    }
}

#[cfg(feature = "frontmatter")]
use frontmatter::parse as markdown;

/// Such files are not looked for without the feature, but one may be named.
#[cfg(not(feature = "frontmatter"))]
fn markdown(_: Ways, source: &Arc<Source>, _: &[u8]) -> Parsed {
    let message = "hooks in frontmatter are not read by this program";
    let error = Diagnostic::error("claude/frontmatter", message).source(source.path.display().to_string());
    let mut parsed = Parsed::default();
    parsed.refused = Some(message.into());
    parsed.diagnostics.push(error.at(Place::new(1, 1)).help("build it with the feature `frontmatter`"));
    parsed
}

/// Reads a document that is JSON. A byte order mark is nothing to speak of. CLA-CFG-24
fn json(ways: Ways, source: &Arc<Source>, bytes: &[u8]) -> Parsed {
    let path = source.path.display().to_string();
    let reading = Reading::new("claude").source(&path).without_comments().blank(Severity::Note);
    let (tree, diagnostics) = Tree::read(bytes, &reading);
    let mut parse = Parse::new(ways, source, diagnostics);
    match &tree {
        Some(tree) => parse.document(tree.root()),
        None => parse.unreadable(),
    }
    parse.finish(tree.as_ref())
}

struct Parse<'s> {
    ways: Ways,
    source: &'s Arc<Source>,
    kind: Kind,
    patterns: Patterns,
    parsed: Parsed,
    /// Something that looks like a hook was left out, and that was said.
    left_out: bool,
}

impl<'s> Parse<'s> {
    fn new(ways: Ways, source: &'s Arc<Source>, diagnostics: Vec<Diagnostic>) -> Self {
        let mut parsed = Parsed::default();
        parsed.diagnostics = diagnostics;
        Parse { ways, source, kind: Kind::of(source), patterns: Patterns::default(), parsed, left_out: false }
    }

    /// It is no JSON, which was said, or blank.
    fn unreadable(&mut self) {
        let error = self.parsed.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        self.parsed.refused = error.map(|error| error.message.as_str().into());
    }

    fn say(&mut self, severity: Severity, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        let diagnostic = item.diagnostic(severity, format!("claude/{code}"), message);
        self.parsed.diagnostics.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    fn warn(&mut self, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        self.say(Severity::Warning, code, item, message, help);
    }

    fn push(&mut self, severity: Severity, mut diagnostic: Diagnostic) {
        diagnostic.severity = severity;
        self.parsed.diagnostics.push(diagnostic);
    }

    /// What core calls an error and does no harm here.
    fn warn_all(&mut self, found: Vec<Diagnostic>) {
        found.into_iter().for_each(|diagnostic| self.push(Severity::Warning, diagnostic));
    }

    /// The whole document is not used.
    fn refuse(&mut self, diagnostic: Diagnostic) {
        self.parsed.refused.get_or_insert_with(|| diagnostic.message.as_str().into());
        self.push(Severity::Error, diagnostic);
    }

    /// Something below an event is wrong: an error under a guard event, which refuses the file in
    /// Claude Code's own way; a warning elsewhere. CLA-CFG-05, CLA-CFG-06
    fn defect(&mut self, row: &Row, part: &str, mut diagnostic: Diagnostic) {
        self.left_out = true;
        if !row.guard {
            diagnostic.message += &format!("; {part} is left out");
            self.push(Severity::Warning, diagnostic);
        } else if self.refuses_bad_entries() {
            diagnostic.message += "; Claude Code refuses the whole file for it";
            self.refuse(diagnostic);
        } else {
            diagnostic.message += &format!("; {part} is left out, and guards nothing until this is put right");
            self.push(Severity::Error, diagnostic);
        }
    }

    /// A managed file never is refused for them.
    fn refuses_bad_entries(&self) -> bool {
        self.ways.claudes(Way::BadEntry) && self.source.scope != Scope::Managed
    }

    /// What is left out below a guard event is missing from its decisions. CLA-SRC-14
    fn leave_out(&mut self, row: &Row, item: Item<'_>, why: impl Into<Text>) {
        self.left_out = true;
        if row.guard {
            self.parsed.dropped.push(Dropped::new(row.id(), item.pointer(), why));
        }
    }

    /// CLA-CFG-24
    fn duplicates(&mut self, object: Object<'_>) {
        for (key, item) in object.duplicates() {
            let message = format!("`{key}` stands here again further down, and the last one counts");
            self.warn("duplicate-key", item, message, "keep one of them");
        }
    }

    /// A refused document binds nothing, and none of its other settings count. The refusal says what
    /// is unguarded now.
    fn finish(mut self, tree: Option<&Tree>) -> Parsed {
        self.parsed.diagnostics.sort_by_key(|diagnostic| diagnostic.place);
        if self.parsed.refused.is_none() {
            return self.parsed;
        }
        self.parsed.void_if_refused(tree, |name| events::by_name(name).is_some_and(Row::can_block));
        self.parsed
    }
}
