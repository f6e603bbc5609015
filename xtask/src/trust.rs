//! `docs/trust.md`: which files each vendor's hooks come from, and whose hooks run where nobody said
//! that the workspace is trusted. Every cell is asked of the adapter.

use std::{collections::BTreeMap, error::Error, fs, path::PathBuf, sync::Arc};

use harness_hooks_core::{
    Adapter, Fidelity, Host, Places, Platform, SessionDocument, Severity, Snapshot, Source, Standing,
};
use harness_hooks_fixtures::of;

use crate::{
    adapters::adapters,
    docs::{code, table},
};

const PROSE: &str = "# Trust\n\n\
    Written by `cargo xtask docs` from the adapters.\n\n\
    A workspace may bring hooks with it, and hooks are programs. The host says whether the user trusts the workspace \
    (`Places::trusted`, `--trust workspace`). Every file is always read and its hooks are always listed, with the reason \
    where they do not run; what cannot be read is part of each decision it could have guarded, once its workspace is trusted.\n\n\
    Whether somebody is there to answer changes nothing about which hooks run: without anybody an ask is a denial \
    (`Host::attended`, `--headless`). A host that runs without a person decides for itself whether that counts as trust.\n\n\
    Not in the tables: hooks in the frontmatter of Claude Code's skills and agents (feature `frontmatter`), which need trust \
    where their file lies in the workspace. The plugins are those the host names (`Places::plugins`), and their hooks need no \
    trust beyond that; the command has no flag for them.\n\n\
    Codex keeps a record of each hook a user reviewed. A host that wants it kept asks for it with `Places::recorded_trust`: \
    then a hook of Codex runs only where the record has its hash, the workspace's as well as the user's, and never the \
    workspace's own record.\n";

/// The prose, then a table for each vendor.
pub(crate) fn document() -> Result<String, Box<dyn Error>> {
    let mut document = PROSE.to_owned();
    for (guarded, vendor) in adapters(Fidelity::Guarded).into_iter().zip(adapters(Fidelity::Vendor)) {
        let name = guarded.vendor();
        let sources = guarded.sources(&places(&*guarded), &BTreeMap::new());
        let hook = fs::read(of(name.as_str()).join("events").join(guarded.events()[0].name).join("config.json"))?;
        let (guarded, vendor): (Arc<dyn Adapter>, Arc<dyn Adapter>) = (guarded.into(), vendor.into());
        let rows = sources.iter().map(|source| {
            let runs = |trusted| if runs(&guarded, source, &hook, trusted) { "runs" } else { "listed, does not run" };
            let linked = if source.needs_trust { linked(&*guarded, &*vendor, source, &hook) } else { String::new() };
            let (trusted, untrusted) = (runs(true).to_owned(), runs(false).to_owned());
            vec![code(&source.label), source.scope.name().to_owned(), trusted, untrusted.clone(), untrusted, linked]
        });
        let columns = [
            "file",
            "scope",
            "trusted workspace",
            "untrusted",
            "untrusted, nobody there",
            "behind a symbolic link that leads elsewhere",
        ];
        document += &format!("\n## {name}\n\n{}", table(&columns, rows));
    }
    Ok(document)
}

/// Everything an adapter may look for is there.
fn places(adapter: &dyn Adapter) -> Places {
    Places::new("/home/dev/project")
        .home(PathBuf::from("/home/dev"))
        .machine("/", Platform::Linux)
        .plugins([PathBuf::from("/home/dev/plugins/one")])
        .session(adapter.vendor(), SessionDocument::File("/home/dev/session".into()))
}

/// Whether a hook of this file stands to run.
fn runs(adapter: &Arc<dyn Adapter>, source: &Source, hook: &[u8], trusted: bool) -> bool {
    let host = Host::new("Acme", "1.2.3").fires(harness_hooks_core::Boundary::ALL.iter().copied());
    let files = BTreeMap::from([(source.path.clone(), document_of(source, hook))]);
    let places = places(&**adapter).trusted(trusted);
    let snapshot = Snapshot::load(vec![adapter.clone()], host, &places, &files);
    snapshot.bindings().iter().any(|binding| binding.standing == Standing::Active)
}

/// The hook in the syntax of the file: TOML has JSON's tables in a line of its own.
fn document_of(source: &Source, hook: &[u8]) -> Vec<u8> {
    if source.path.extension().is_none_or(|extension| extension != "toml") {
        return hook.to_vec();
    }
    let value: serde_json::Value = serde_json::from_slice(hook).unwrap_or_default();
    format!("hooks = {}\n", inline(&value["hooks"])).into_bytes()
}

/// A JSON value as TOML writes it in a line.
fn inline(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Object(keys) => {
            let pairs: Vec<_> = keys.iter().map(|(key, value)| format!("{key:?} = {}", inline(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        serde_json::Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// What becomes of a file behind a link, in both fidelities.
fn linked(guarded: &dyn Adapter, vendor: &dyn Adapter, source: &Source, hook: &[u8]) -> String {
    let mut source = source.clone();
    source.linked_to = Some("/srv/shared/hooks".into());
    let source = Arc::new(source);
    let read = |adapter: &dyn Adapter| {
        let parsed = adapter.parse(&source, &document_of(&source, hook));
        let warned = parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Warning);
        match (parsed.refused, warned) {
            (Some(_), _) => "refused",
            (None, true) => "read, with a warning",
            (None, false) => "read",
        }
    };
    match (read(guarded), read(vendor)) {
        (both, vendors) if both == vendors => both.to_owned(),
        (ours, vendors) => format!("{ours}; `vendor`: {vendors}"),
    }
}
