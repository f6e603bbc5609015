//! Where Codex's configuration lives, in merge order. Reading one is `config.rs`.
//!
//! A source's `cwd` is the session's working directory, where hooks of every source run
//! (CDX-RUN-03); a plugin's is its own directory, which `PLUGIN_ROOT` names.

use std::{
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use harness_hooks_core::{
    Files, Places, Platform, Scope, SessionDocument, Source,
    document::{Item, Reading, Tree},
};

use crate::CODEX;

/// Where a plugin's manifest is, below its directory.
pub(crate) const MANIFEST: &str = ".codex-plugin/plugin.json";

/// Where a plugin's hooks are by convention.
const CONVENTION: &str = "hooks/hooks.json";

/// The two files of a layer, in their order. CDX-SRC-02
const LAYER: [&str; 2] = ["hooks.json", "config.toml"];

/// Every file that may hold hooks, whether it exists or not. CDX-SRC-01
pub(crate) fn sources(places: &Places, files: &dyn Files) -> Vec<Source> {
    let mut sources = Vec::new();
    if let Some(machine) = places.machine.as_deref() {
        sources.extend(of_the_machine(machine, places));
    }
    if let Some(folder) = home(places) {
        let label = if places.variable(HOME).is_some() { "user" } else { "user/.codex" };
        sources.extend(layer(Scope::User, &folder, label, places));
    }
    sources.extend(project(places, files));
    sources.extend(places.session_of(&CODEX).enumerate().filter_map(|(n, document)| session(n, document, places)));
    sources.extend(places.plugins.iter().enumerate().flat_map(|(n, plugin)| plugin_files(n, plugin, files)));
    sources
}

/// What says where the user's folder is.
const HOME: &str = "CODEX_HOME";

/// The user's folder. CDX-SRC-02
pub(crate) fn home(places: &Places) -> Option<PathBuf> {
    let own = places.variable(HOME).map(|folder| places.cwd.join(folder));
    own.or_else(|| Some(places.home.as_deref()?.join(".codex")))
}

fn layer(scope: Scope, folder: &Path, label: &str, places: &Places) -> [Source; 2] {
    LAYER.map(|file| Source::new(CODEX, scope, folder.join(file), format!("{label}/{file}"), &places.cwd))
}

/// CDX-SRC-04
fn of_the_machine(machine: &Path, places: &Places) -> impl Iterator<Item = Source> {
    let folder = machine.join(match places.platform {
        Platform::Windows => "ProgramData/OpenAI/Codex",
        _ => "etc/codex",
    });
    let path = folder.join("requirements.toml");
    let managed = Source::new(CODEX, Scope::Managed, path, "managed/requirements.toml", &places.cwd);
    std::iter::once(managed).chain(layer(Scope::System, &folder, "system", places))
}

/// Each `.codex` from the project root down to the working directory. CDX-SRC-02, CDX-SRC-03
fn project(places: &Places, files: &dyn Files) -> Vec<Source> {
    let root = root(places, files);
    let mut folders: Vec<&Path> = places.cwd.ancestors().take_while(|folder| folder.starts_with(&root)).collect();
    folders.reverse();
    let sources = folders.into_iter().flat_map(|folder| {
        let below = slashed(&folder.strip_prefix(&root).unwrap_or(folder).join(".codex"));
        layer(Scope::Project, &folder.join(".codex"), &format!("project/{below}"), places)
    });
    sources.map(|source| source.needs_trust().follow_links(&root, files)).collect()
}

/// The nearest directory with `.git` from the working directory upward, but none outside of the
/// workspace folder that holds it; that folder if there is none. CDX-SRC-03
fn root(places: &Places, files: &dyn Files) -> PathBuf {
    let holding = places.folders().iter().filter(|folder| places.cwd.starts_with(folder));
    let workspace = holding.min_by_key(|folder| folder.components().count()).unwrap_or(&places.cwd);
    let within = places.cwd.ancestors().take_while(|folder| folder.starts_with(workspace));
    let mut repositories = within.filter(|folder| files.resolve(&folder.join(".git")).is_ok());
    repositories.next().unwrap_or(workspace).to_owned()
}

/// What the program takes on its command line, which is TOML; a document that begins as an object is
/// JSON. It has no file, so it is given the name of one that nobody has. CDX-SRC-05
fn session(n: usize, document: &SessionDocument, places: &Places) -> Option<Source> {
    let source = |path: PathBuf| {
        let file = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        let label = Source::numbered("session", n, &file);
        Source::new(CODEX, Scope::Session, path, label, &places.cwd)
    };
    match document {
        SessionDocument::File(path) => Some(source(places.cwd.join(path))),
        SessionDocument::Text(text) => {
            let file = if text.trim_start().starts_with('{') { "hooks.json" } else { "config.toml" };
            let path = format!("/{}", Source::numbered("<session-flags", n, file).replacen('/', ">/", 1));
            Some(source(path.into()).inline(text.clone()))
        }
        _ => None,
    }
}

/// The manifest, and the files of hooks it names; the file by convention where it names none.
/// CDX-SRC-06
fn plugin_files(n: usize, plugin: &Path, files: &dyn Files) -> Vec<Source> {
    let named = named(&plugin.join(MANIFEST), files).unwrap_or_else(|| vec![CONVENTION.into()]);
    let source = |path: PathBuf| {
        let label = Source::numbered("plugin", n, &slashed(&path));
        Source::new(CODEX, Scope::Plugin, plugin.join(path), label, plugin)
    };
    std::iter::once(MANIFEST.into()).chain(named).map(source).collect()
}

/// The paths a manifest names that lie below its plugin; `None` where it says nothing of hooks. What
/// is wrong with it is said where it is read.
fn named(manifest: &Path, files: &dyn Files) -> Option<Vec<PathBuf>> {
    let bytes = files.read(manifest).ok()?;
    let (tree, _) = Tree::read(&bytes, &Reading::new("codex"));
    let hooks = tree.as_ref()?.root().as_object()?.get("hooks")?;
    let items: Vec<Item<'_>> = hooks.as_array().map_or_else(|| vec![hooks], |list| list.items().collect());
    Some(items.into_iter().filter_map(|item| below(&item.as_text()?)).collect())
}

/// The path without `.` and `..` steps, if it stays below the directory it starts from.
pub(crate) fn below(path: &str) -> Option<PathBuf> {
    let mut steps: Vec<&OsStr> = Vec::new();
    for step in Path::new(path).components() {
        match step {
            Component::CurDir => {}
            Component::Normal(step) => steps.push(step),
            Component::ParentDir => _ = steps.pop()?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!steps.is_empty()).then(|| steps.into_iter().collect())
}

/// A path as labels and keys write it, on every system.
pub(crate) fn slashed(path: &Path) -> String {
    let steps: Vec<_> = path.iter().map(|step| step.to_string_lossy()).collect();
    steps.join("/")
}
