//! A document's bytes as a tree, and what Codex's own readers would make of the bytes.

use harness_hooks_core::{
    Diagnostic, Severity,
    document::{Facts, Reading, Tree, text},
};

use super::{Kind, toml};
use crate::departures::{Way, Ways};

/// There is a tree, or an error that says why there is none.
pub(super) fn read(ways: Ways, kind: Kind, bytes: &[u8], path: &str) -> (Option<Tree>, Vec<Diagnostic>) {
    let reading = Reading::new("codex").source(path);
    if !kind.is_toml() {
        return json(ways, bytes, reading);
    }
    let (text, mut diagnostics) = text(bytes, &reading);
    if ways.codexs(Way::Jsonc) && refused(&mut diagnostics) {
        return (None, diagnostics);
    }
    let tree = text.and_then(|text| toml::tree(&text, &reading, &mut diagnostics));
    (tree, diagnostics)
}

fn json(ways: Ways, bytes: &[u8], reading: Reading<'_>) -> (Option<Tree>, Vec<Diagnostic>) {
    let strictly = ways.codexs(Way::Jsonc);
    let reading = if strictly { reading.without_comments() } else { reading };
    let (tree, mut diagnostics) = Tree::read(bytes, &reading);
    let tree = tree.filter(|_| !(strictly && refused(&mut diagnostics)));
    let tree = tree.filter(|tree| form(tree, strictly, &mut diagnostics));
    let tree = tree.filter(|tree| !ways.codexs(Way::JsonReading) || is_for_serde(tree, &mut diagnostics));
    (tree, diagnostics)
}

/// Codex reads UTF-8 only: what core warns of there is an error. CDX-CFG-20
fn refused(diagnostics: &mut Vec<Diagnostic>) -> bool {
    let encoding = |d: &Diagnostic| d.severity == Severity::Warning;
    let Some(n) = diagnostics.iter().position(encoding) else { return false };
    let mut diagnostic = diagnostics.swap_remove(n);
    diagnostic.severity = Severity::Error;
    diagnostic.message += "; Codex refuses such a file";
    *diagnostics = vec![diagnostic];
    true
}

/// What is read here and refused by Codex. Comments were an error already where it counts.
/// CDX-CFG-19
fn form(tree: &Tree, strictly: bool, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let facts = *tree.facts();
    let marked = facts.boms > 0 && !facts.utf16;
    if marked {
        let severity = if strictly { Severity::Error } else { Severity::Warning };
        let message = "a byte order mark stands before the text; Codex refuses such a file";
        let mark = tree.diagnostic(severity, "codex/bom", message).at(tree.root().place());
        diagnostics.push(mark.help("save it as UTF-8 without a byte order mark"));
    }
    if let Some(place) = facts.comment {
        let message = "comments are read here, and Codex refuses a file that has some";
        let comments = tree.diagnostic(Severity::Warning, "codex/comments", message);
        diagnostics.push(comments.help("leave them out").at(place));
    }
    !(marked && strictly)
}

/// What Codex's reader of JSON refuses and JavaScript's does not.
fn is_for_serde(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) -> bool {
    const DEEPEST: usize = 127;
    let Facts { lone_surrogate, infinite_number, depth, .. } = *tree.facts();
    let too_deep = (depth > DEEPEST).then(|| tree.root().place());
    let found = [
        (lone_surrogate, "half a surrogate pair is no character"),
        (infinite_number, "this number is too large"),
        (too_deep, "it is nested 128 levels deep or more"),
    ];
    let before = diagnostics.len();
    diagnostics.extend(found.into_iter().filter_map(|(place, what)| {
        let message = format!("{what}; Codex refuses such a file");
        Some(tree.diagnostic(Severity::Error, "codex/invalid-json", message).at(place?))
    }));
    diagnostics.len() == before
}
