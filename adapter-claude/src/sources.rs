//! Where Claude Code's settings live, in merge order. Reading one is `config`.
//!
//! A source's `cwd` is the project root the session started in, and for a plugin its own directory:
//! what `CLAUDE_PROJECT_DIR` and `CLAUDE_PLUGIN_ROOT` name. Hooks of every source run in the
//! session's working directory (CLA-RUN-04).

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use harness_hooks_core::{
    Files, Places, Platform, Scope, SessionDocument, Source,
    document::{Item, Reading, Tree},
};

use crate::CLAUDE;

/// Where a plugin's manifest is, below its directory.
pub(crate) const MANIFEST: &str = ".claude-plugin/plugin.json";

/// Where a plugin's hooks are by convention.
const CONVENTION: &str = "hooks/hooks.json";

/// Every file that may hold hooks, whether it exists or not. CLA-SRC-01
pub(crate) fn sources(places: &Places, files: &dyn Files) -> Vec<Source> {
    let root = root(places);
    let mut sources: Vec<Source> =
        places.plugins.iter().enumerate().flat_map(|(n, plugin)| plugin_files(n, plugin, files)).collect();
    sources.extend(user(places, root, files));
    sources.extend(project(root, files));
    sources.extend(places.session_of(&CLAUDE).enumerate().filter_map(|(n, document)| session(n, document, places)));
    if let Some(machine) = places.machine.as_deref() {
        sources.extend(managed(machine, places.platform, root, files));
    }
    sources
}

/// The folder the session started in. There is one, however many folders a workspace has, and no
/// parent and no folder below it is searched. CLA-SRC-02
fn root(places: &Places) -> &Path {
    places.folders().first().unwrap_or(&places.cwd)
}

/// The file by convention, the manifest, and what the manifest names. Where they are the same file
/// it is read once. CLA-SRC-05, CLA-SRC-06
fn plugin_files(n: usize, plugin: &Path, files: &dyn Files) -> Vec<Source> {
    let named = named(&plugin.join(MANIFEST), files);
    let paths = [PathBuf::from(CONVENTION), PathBuf::from(MANIFEST)].into_iter().chain(named);
    let source = |path: PathBuf| {
        let label = Source::numbered("plugin", n, &slashed(&path));
        Source::new(CLAUDE, Scope::Plugin, plugin.join(path), label, plugin)
    };
    let hooks = paths.map(source);
    let below = frontmatter(plugin, files).into_iter().map(|path| {
        let label = Source::numbered("plugin", n, &slashed(path.strip_prefix(plugin).unwrap_or(&path)));
        Source::new(CLAUDE, Scope::Plugin, path, label, plugin)
    });
    hooks.chain(below).collect()
}

/// The paths a manifest names that lie below its plugin. What is wrong with others is said where the
/// manifest is read.
fn named(manifest: &Path, files: &dyn Files) -> Vec<PathBuf> {
    let Ok(bytes) = files.read(manifest) else { return Vec::new() };
    let (tree, _) = Tree::read(&bytes, &Reading::new("claude").without_comments());
    let hooks = tree.as_ref().and_then(|tree| tree.root().as_object()?.get("hooks"));
    let Some(hooks) = hooks else { return Vec::new() };
    let items: Vec<Item<'_>> = hooks.as_array().map_or_else(|| vec![hooks], |list| list.items().collect());
    items.into_iter().filter_map(|item| below(&item.as_text()?)).collect()
}

/// The path without `.` and `..` steps, if it stays below the directory it starts from.
pub(crate) fn below(path: &str) -> Option<PathBuf> {
    let mut steps: Vec<&std::ffi::OsStr> = Vec::new();
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

/// CLA-SRC-02
fn user(places: &Places, root: &Path, files: &dyn Files) -> Vec<Source> {
    let own = places.variable("CLAUDE_CONFIG_DIR").map(|folder| (places.cwd.join(folder), "user"));
    let usual = || Some((places.home.as_deref()?.join(".claude"), "user/.claude"));
    let Some((folder, label)) = own.or_else(usual) else { return Vec::new() };
    let paths = std::iter::once(folder.join("settings.json")).chain(frontmatter(&folder, files));
    let source = |path: PathBuf| {
        let label = format!("{label}/{}", slashed(path.strip_prefix(&folder).unwrap_or(&path)));
        Source::new(CLAUDE, Scope::User, path, label, root)
    };
    paths.map(source).collect()
}

/// CLA-SRC-02, CLA-SRC-11
fn project(root: &Path, files: &dyn Files) -> Vec<Source> {
    let folder = root.join(".claude");
    let project = std::iter::once((Scope::Project, folder.join("settings.json")));
    let local = std::iter::once((Scope::Local, folder.join("settings.local.json")));
    let below = frontmatter(&folder, files).into_iter().map(|path| (Scope::Project, path));
    let source = |(scope, path): (Scope, PathBuf)| {
        let label = format!("{scope}/{}", slashed(path.strip_prefix(root).unwrap_or(&path)));
        Source::new(CLAUDE, scope, path, label, root).needs_trust().follow_links(root, files)
    };
    project.chain(local).chain(below).map(source).collect()
}

/// The skills and agents of a folder. CLA-SRC-15
fn frontmatter(folder: &Path, files: &dyn Files) -> Vec<PathBuf> {
    if !cfg!(feature = "frontmatter") {
        return Vec::new();
    }
    let list = |name: &str, or: &str| {
        let folder = folder.join(name);
        // where it cannot be listed a file in it is looked for, so that it is refused like one
        files.list(&folder).unwrap_or_else(|_| vec![folder.join(or)])
    };
    let skills = list("skills", "*").into_iter().map(|skill| skill.join("SKILL.md"));
    let agents = list("agents", "*.md").into_iter().filter(|agent| agent.extension().is_some_and(|e| e == "md"));
    let unknown = |path: &PathBuf| files.resolve(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    skills.filter(|path| !unknown(path)).chain(agents).collect()
}

/// What was given with `--settings`: a file, or the document itself. CLA-SRC-04
fn session(n: usize, document: &SessionDocument, places: &Places) -> Option<Source> {
    let label = Source::numbered("session", n, "--settings");
    let source = |path: PathBuf| Source::new(CLAUDE, Scope::Session, path, label.as_str(), root(places));
    match document {
        SessionDocument::File(path) => Some(source(places.cwd.join(path))),
        SessionDocument::Text(text) => Some(source("--settings".into()).inline(text.clone())),
        _ => None,
    }
}

/// The file, and the files of the folder beside it in the order of their names. CLA-SRC-03
fn managed(machine: &Path, platform: Platform, root: &Path, files: &dyn Files) -> Vec<Source> {
    let folder = machine.join(match platform {
        Platform::MacOs => "Library/Application Support/ClaudeCode",
        Platform::Windows => "Program Files/ClaudeCode",
        _ => "etc/claude-code",
    });
    let more = folder.join("managed-settings.d");
    let mut dropped = match files.list(&more) {
        Ok(paths) => settings_among(&paths),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Vec::new(),
        Err(_) => vec![more], // looked for like a file, so that it is refused like one
    };
    dropped.sort();
    let paths = std::iter::once(folder.join("managed-settings.json")).chain(dropped);
    let source = |path: PathBuf| {
        let label = format!("managed/{}", slashed(path.strip_prefix(&folder).unwrap_or(&path)));
        Source::new(CLAUDE, Scope::Managed, path, label, root)
    };
    paths.map(source).collect()
}

/// What a shell would list as `*.json`.
fn settings_among(paths: &[PathBuf]) -> Vec<PathBuf> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let settings = paths.iter().filter(|path| name(path).ends_with(".json") && !name(path).starts_with('.'));
    settings.cloned().collect()
}

/// A path as labels write it, on every system.
fn slashed(path: &Path) -> String {
    let steps: Vec<_> = path.iter().map(|step| step.to_string_lossy()).collect();
    steps.join("/")
}
