//! Where configuration comes from: vendors, scopes, the places to look in, the only way to look,
//! and what reading one document gave.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::{
    Binding, Diagnostic, EventId, Json, Severity, Text,
    document::{Item, Object, Tree},
};

/// Whose hook contract it is. An open set: an adapter crate adds one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Vendor(Cow<'static, str>);

impl Vendor {
    /// A vendor by its lower-case name.
    pub const fn new(name: &'static str) -> Self {
        Vendor(Cow::Borrowed(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Who a document speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Scope {
    /// The organisation, by means of the machine.
    Managed,
    /// A team, by means of the vendor's service.
    Team,
    /// The machine, for all of its users.
    System,
    /// The project.
    Project,
    /// The project, for this user alone.
    Local,
    /// The user.
    User,
    /// The session: what the host was started with.
    Session,
    /// A plugin.
    Plugin,
}

impl Scope {
    /// The name used in JSON and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Managed => "managed",
            Scope::Team => "team",
            Scope::System => "system",
            Scope::Project => "project",
            Scope::Local => "local",
            Scope::User => "user",
            Scope::Session => "session",
            Scope::Plugin => "plugin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One configuration document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// Whose contract it follows.
    pub vendor: Vendor,
    /// Who it speaks for.
    pub scope: Scope,
    /// Where it is.
    pub path: PathBuf,
    /// Short and unique in a snapshot; the middle of every binding id.
    pub label: Text,
    /// Where its hooks run.
    pub cwd: PathBuf,
    /// It came with the workspace, so its hooks run only where the workspace is trusted.
    pub needs_trust: bool,
    /// The file it really is, where a symbolic link led there.
    pub linked_to: Option<PathBuf>,
    /// The vendor's surfaces on which no hook of it runs.
    pub not_on: &'static [&'static str],
    /// The document itself, where it is part of another or was handed in; the file is then not read.
    pub inline: Option<Text>,
}

impl Source {
    /// A document that needs no trust.
    pub fn new(
        vendor: Vendor,
        scope: Scope,
        path: impl Into<PathBuf>,
        label: impl Into<Text>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Source {
            vendor,
            scope,
            path: path.into(),
            label: label.into(),
            cwd: cwd.into(),
            needs_trust: false,
            linked_to: None,
            not_on: &[],
            inline: None,
        }
    }

    /// The label of the n-th file of a kind: `project/…` for the first, `project-2/…` for the second.
    pub fn numbered(scope: &str, n: usize, path: &str) -> String {
        if n == 0 { format!("{scope}/{path}") } else { format!("{scope}-{}/{path}", n + 1) }
    }

    /// It came with the workspace.
    pub fn needs_trust(mut self) -> Self {
        self.needs_trust = true;
        self
    }

    /// The document itself, which is no file of its own.
    pub fn inline(mut self, document: impl Into<Text>) -> Self {
        self.inline = Some(document.into());
        self
    }

    /// No hook of it runs on these surfaces.
    pub fn not_on(mut self, surfaces: &'static [&'static str]) -> Self {
        self.not_on = surfaces;
        self
    }

    /// Notes the file it really is, where a symbolic link below `root` leads somewhere else.
    pub fn follow_links(mut self, root: &Path, files: &dyn Files) -> Self {
        let below = self.path.strip_prefix(root).map(Path::to_path_buf);
        if let (Ok(below), Ok(root), Ok(real)) = (below, files.resolve(root), files.resolve(&self.path))
            && real != root.join(below)
        {
            self.linked_to = Some(real);
        }
        self
    }
}

/// Where adapters start to look. Nothing outside the given directories is ever read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Places {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The root of the machine's own directories (`/` for `/etc`); `None`: none is looked into.
    pub machine: Option<PathBuf>,
    /// Which system's directories there are below [`machine`](Self::machine).
    pub platform: Platform,
    /// The session's working directory.
    pub cwd: PathBuf,
    /// The workspace's folders; the working directory alone if there are none.
    pub roots: Vec<PathBuf>,
    /// Directories of plugins the host has loaded, in order.
    pub plugins: Vec<PathBuf>,
    /// The user trusts this workspace.
    pub trusted: bool,
    /// Hooks of vendors that record which of them the user trusts run only where such a record says so.
    pub recorded_trust: bool,
    /// The host's environment, in which vendors say where their folders are.
    pub env: BTreeMap<String, String>,
    /// Documents the session was started with, beside those that are found.
    pub session: Vec<(Vendor, SessionDocument)>,
    /// Documents to read instead of everything else. Each counts as a project's, trusted.
    pub only: Vec<(Vendor, PathBuf)>,
}

/// A document a session was started with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionDocument {
    /// A file.
    File(PathBuf),
    /// The document itself.
    Text(Text),
}

/// Which system's directories a machine has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Platform {
    /// Linux and other Unixes.
    #[default]
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The system this program was built for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Platform::Windows
        } else if cfg!(target_os = "macos") {
            Platform::MacOs
        } else {
            Platform::Linux
        }
    }
}

impl Places {
    /// A workspace of one folder, nothing else, not trusted.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Places { cwd: cwd.into(), ..Places::default() }
    }

    /// The user's home.
    pub fn home(mut self, home: impl Into<Option<PathBuf>>) -> Self {
        self.home = home.into();
        self
    }

    /// The root of the machine's own directories, and which system's they are.
    pub fn machine(mut self, root: impl Into<PathBuf>, platform: Platform) -> Self {
        self.machine = Some(root.into());
        self.platform = platform;
        self
    }

    /// The workspace's folders.
    pub fn roots(mut self, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        self.roots = roots.into_iter().collect();
        self
    }

    /// Directories of plugins.
    pub fn plugins(mut self, plugins: impl IntoIterator<Item = PathBuf>) -> Self {
        self.plugins = plugins.into_iter().collect();
        self
    }

    /// Whether the user trusts this workspace.
    pub fn trusted(mut self, trusted: bool) -> Self {
        self.trusted = trusted;
        self
    }

    /// Whether hooks run only where their vendor's own record says that the user trusts them.
    pub fn recorded_trust(mut self, demanded: bool) -> Self {
        self.recorded_trust = demanded;
        self
    }

    /// The host's environment.
    pub fn env(mut self, env: impl IntoIterator<Item = (String, String)>) -> Self {
        self.env = env.into_iter().collect();
        self
    }

    /// A document the session was started with; may be said again.
    pub fn session(mut self, vendor: Vendor, document: SessionDocument) -> Self {
        self.session.push((vendor, document));
        self
    }

    /// The documents of a vendor the session was started with.
    pub fn session_of(&self, vendor: &Vendor) -> impl Iterator<Item = &SessionDocument> {
        self.session.iter().filter(move |(of, _)| of == vendor).map(|(_, document)| document)
    }

    /// A variable of the host's environment, if it is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// One document to read instead of everything else; may be said again.
    pub fn only(mut self, vendor: Vendor, path: impl Into<PathBuf>) -> Self {
        self.only.push((vendor, path.into()));
        self
    }

    /// The folders projects are looked for in.
    pub fn folders(&self) -> &[PathBuf] {
        if self.roots.is_empty() { std::slice::from_ref(&self.cwd) } else { &self.roots }
    }
}

/// The only way adapters look at a disk.
pub trait Files {
    /// The bytes of a regular file.
    ///
    /// # Errors
    /// `NotFound` where there is nothing; any other error where something is there that cannot be
    /// read as a file: a directory, a pipe, no permission.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The file a path really leads to, every symbolic link followed.
    ///
    /// # Errors
    /// When there is nothing there.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// The entries of a directory, sorted by name. None where nobody can say.
    ///
    /// # Errors
    /// When it is there and is no directory, or may not be read.
    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let _ = directory;
        Ok(Vec::new())
    }
}

/// What one document gave.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Parsed {
    /// Its hooks, in table order and then in the order of the document.
    pub bindings: Vec<Binding>,
    /// What its author should know.
    pub diagnostics: Vec<Diagnostic>,
    /// The document as a whole is not used; why, in a sentence. Its guards are missing from every
    /// decision, which says so.
    pub refused: Option<Text>,
    /// Definitions left out although they could have kept something from happening.
    pub dropped: Vec<Dropped>,
    /// What it says beside hooks that matters to other documents of its vendor, for
    /// [`Adapter::settle`](crate::Adapter::settle).
    pub settings: Vec<(&'static str, Json)>,
}

impl Parsed {
    /// A setting of this name.
    pub fn setting(&self, name: &str) -> Option<&Json> {
        self.settings.iter().rfind(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Nothing of a refused document counts, and each of its errors says so, with the guards of
    /// `tree` ([`unguarded`]). A document that is used is left as it is.
    pub fn void_if_refused(&mut self, tree: Option<&Tree>, is_guard: impl Fn(&str) -> bool) {
        if self.refused.is_none() {
            return;
        }
        let lost = tree.map_or(String::new(), |tree| unguarded(tree, is_guard));
        for diagnostic in self.diagnostics.iter_mut().filter(|d| d.severity == Severity::Error) {
            let help = diagnostic.help.take().map_or(String::new(), |help| format!("{help}; "));
            diagnostic.help = Some(format!("{help}until then nothing in this file counts{lost}"));
        }
        self.bindings.clear();
        self.dropped.clear();
        self.settings.clear();
    }
}

/// The guards a refused file defines under `hooks`, as far as it can be read: the end of a sentence,
/// empty if there are none.
pub fn unguarded(tree: &Tree, is_guard: impl Fn(&str) -> bool) -> String {
    let hooks = tree.root().as_object().and_then(|top| top.get("hooks")).and_then(Item::as_object);
    let names: Vec<_> = hooks.into_iter().flat_map(Object::keys).filter(|name| is_guard(name)).collect();
    if names.is_empty() { String::new() } else { format!(", and these are unguarded: {}", names.join(", ")) }
}

/// A definition left out although it could have kept something from happening.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dropped {
    /// The event it was for.
    pub event: EventId,
    /// Where it stands: a JSON pointer.
    pub pointer: String,
    /// Why, in a sentence.
    pub why: Text,
}

impl Dropped {
    /// A definition left out.
    pub fn new(event: EventId, pointer: impl Into<String>, why: impl Into<Text>) -> Self {
        Dropped { event, pointer: pointer.into(), why: why.into() }
    }
}

/// A source, its bytes and what came of them, as [`Adapter::settle`](crate::Adapter::settle) sees
/// it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Document {
    /// Where it came from.
    pub source: Arc<Source>,
    /// What was read.
    pub bytes: Vec<u8>,
    /// What was made of it.
    pub parsed: Parsed,
}

/// A map of paths in the place of a disk, for tests and for hosts that have the documents already.
impl Files for BTreeMap<PathBuf, Vec<u8>> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let known = self.keys().any(|known| known.starts_with(path));
        if known { Ok(path.to_path_buf()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let below = self.keys().filter_map(|path| path.strip_prefix(directory).ok());
        let mut names: Vec<_> = below.filter_map(|path| path.iter().next()).map(|name| directory.join(name)).collect();
        names.dedup();
        Ok(names)
    }
}
