//! A document as bindings and diagnostics. What is left out and what refuses the whole file is
//! decided here; reading JSON is core's, and what one document says about another is `settle.rs`.
//!
//! `syntax.rs` makes a tree of bytes, `toml.rs` of TOML; `document.rs` goes from the top of a tree to
//! its groups, `group.rs` reads a group and its matcher, `handler.rs` a handler, and `settings.rs`
//! what counts beside hooks.

mod document;
mod group;
mod handler;
mod settings;
mod syntax;
mod toml;

use std::{collections::BTreeMap, sync::Arc};

use harness_hooks_core::{
    Diagnostic, Dropped, Parsed, Place, Scope, Severity, Source, Text,
    document::{Item, Object, Tree},
    matcher::Patterns,
};

use crate::{
    departures::{Way, Ways},
    events::{self, Row},
    sources,
    trust::Identity,
};

pub(crate) use settings::{Setting, Switched};

/// What kind of document a source is. It is known by its path, because a source says no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A `hooks.json`.
    Hooks,
    /// A `config.toml`.
    Config,
    /// The managed `requirements.toml`.
    Requirements,
    /// A plugin's manifest, which may hold hooks or name files of them.
    Manifest,
}

impl Kind {
    pub(crate) fn of(source: &Source) -> Kind {
        let toml = source.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
        match (source.scope, toml) {
            (Scope::Plugin, _) if source.path.ends_with(sources::MANIFEST) => Kind::Manifest,
            // whatever its name: a plugin's settings are nobody's
            (Scope::Plugin, _) => Kind::Hooks,
            (Scope::Managed, true) => Kind::Requirements,
            (_, true) => Kind::Config,
            (_, false) => Kind::Hooks,
        }
    }

    const fn is_toml(self) -> bool {
        matches!(self, Kind::Config | Kind::Requirements)
    }
}

/// Reads a document. Total. CDX-CFG-01, CDX-CFG-02
pub(crate) fn parse(ways: Ways, source: &Arc<Source>, bytes: &[u8]) -> Parsed {
    let kind = Kind::of(source);
    let (tree, diagnostics) = syntax::read(ways, kind, bytes, &source.path.display().to_string());
    let mut parse = Parse::new(ways, source, kind, diagnostics);
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
    /// By what Codex knows each bound handler again, by its binding's id.
    identities: BTreeMap<String, Identity>,
    /// Something that looks like a hook was left out, and that was said.
    left_out: bool,
}

impl<'s> Parse<'s> {
    fn new(ways: Ways, source: &'s Arc<Source>, kind: Kind, diagnostics: Vec<Diagnostic>) -> Self {
        let mut parsed = Parsed::default();
        parsed.diagnostics = diagnostics;
        let (patterns, identities) = (Patterns::default(), BTreeMap::new());
        Parse { ways, source, kind, patterns, parsed, identities, left_out: false }
    }

    /// There is no tree, and that was said. What is wrong with all of a file is wrong from its start.
    fn unreadable(&mut self) {
        for diagnostic in &mut self.parsed.diagnostics {
            diagnostic.place.get_or_insert(Place::new(1, 1));
        }
        let error = self.parsed.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        self.parsed.refused = error.map(|error| error.message.as_str().into());
    }

    fn warn(&mut self, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        let diagnostic = item.diagnostic(Severity::Warning, format!("codex/{code}"), message);
        self.parsed.diagnostics.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
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

    fn refuse_all(&mut self, found: Vec<Diagnostic>) {
        found.into_iter().for_each(|diagnostic| self.refuse(diagnostic));
    }

    /// Something below an event is wrong: its part is left out, and the whole file is refused in
    /// Codex's own way. CDX-CFG-05
    fn defect(&mut self, row: &Row, part: &str, mut diagnostic: Diagnostic) {
        if self.ways.codexs(Way::BadEntry) {
            diagnostic.message += "; Codex refuses the whole file for it";
            return self.refuse(diagnostic);
        }
        let guards = if row.can_block() { ", and guards nothing until this is put right" } else { "" };
        diagnostic.message += &format!("; {part} is left out{guards}");
        self.push(Severity::Error, diagnostic);
    }

    /// Several things that are wrong with one part, which is missing from the event's decisions.
    fn defects(&mut self, row: &Row, part: &str, item: Item<'_>, found: Vec<Diagnostic>) {
        if let Some(first) = found.first() {
            self.leave_out(row, item, first.message.as_str());
        }
        for diagnostic in found {
            self.defect(row, part, diagnostic);
        }
    }

    /// What is left out is missing from decisions. CDX-SRC-13
    fn leave_out(&mut self, row: &Row, item: Item<'_>, why: impl Into<Text>) {
        self.left_out = true;
        self.parsed.dropped.push(Dropped::new(row.id(), item.pointer(), why));
    }

    /// CDX-CFG-21
    fn duplicates(&mut self, object: Object<'_>) {
        for (key, item) in object.duplicates() {
            self.duplicate(&key, item);
        }
    }

    fn duplicate(&mut self, key: &str, item: Item<'_>) {
        let message = format!("`{key}` stands here again further down, and the last one counts");
        self.warn("duplicate-key", item, message, "keep one of them");
    }

    /// A refused document binds nothing, and none of its settings count. The refusal says what is
    /// unguarded now.
    fn finish(mut self, tree: Option<&Tree>) -> Parsed {
        self.parsed.diagnostics.sort_by_key(|diagnostic| diagnostic.place);
        if self.parsed.refused.is_none() {
            let identities = std::mem::take(&mut self.identities);
            self.keep(Setting::Identities, &identities);
            return self.parsed;
        }
        self.parsed.void_if_refused(tree, |name| events::by_name(name).is_some_and(Row::can_block));
        self.parsed
    }
}
