//! What one document says about the hooks of every other: switches, what the user trusts, and what a
//! plugin is called. Reading a document is `config.rs`, hashing a handler `trust.rs`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_core::{Binding, Diagnostic, Document, Handler, Places, Platform, Scope, Severity, Standing, Text};

use crate::{
    config::{Kind, Setting, Switched},
    sources,
    trust::{Identity, State, Trust},
};

/// Settles the documents of a session with each other. Nothing here differs between the fidelities.
pub(crate) fn settle(documents: &mut [Document], places: &Places) {
    untrusted(documents, places);
    ignored_states(documents, places);
    twice_in_a_layer(documents, places);
    missing_files(documents);
    plugin_variables(documents, places);
    if !switched_off(documents, places) {
        managed_only(documents);
        Gate::of(documents, places).close(documents);
    }
}

/// Its settings and hooks count: it is trusted, so that no workspace switches off what its user
/// wrote.
fn counts(document: &Document, places: &Places) -> bool {
    places.trusted || !document.source.needs_trust
}

fn folder(document: &Document) -> &Path {
    document.source.path.parent().unwrap_or(&document.source.path)
}

fn warn(document: &mut Document, code: &str, message: String, help: impl Into<String>) {
    let warning = Diagnostic::warning(format!("codex/{code}"), message).help(help);
    document.parsed.diagnostics.push(warning);
}

/// One warning for each folder of a project nobody trusts. CDX-TRUST-01
fn untrusted(documents: &mut [Document], places: &Places) {
    let mut named: Option<PathBuf> = None;
    for document in documents.iter_mut() {
        let folder = folder(document).to_owned();
        if counts(document, places) || document.parsed.bindings.is_empty() || named.as_ref() == Some(&folder) {
            continue;
        }
        let message = format!("the workspace is not trusted, so no hook of {} runs", folder.display());
        warn(document, "untrusted", message, "read them, and then tell the host that you trust the workspace");
        named = Some(folder);
    }
}

/// Only the user says what the user trusts. CDX-TRUST-04
fn ignored_states(documents: &mut [Document], places: &Places) {
    for document in documents.iter_mut().filter(|document| counts(document, places)) {
        if is_the_users(document) || Setting::State.of::<BTreeMap<String, State>>(&document.parsed).is_none() {
            continue;
        }
        let scope = document.source.scope;
        let message = format!("`hooks.state` of a {scope} source is ignored: only the user says what is trusted");
        warn(document, "state-ignored", message, "write it into `config.toml` of the user");
    }
}

fn is_the_users(document: &Document) -> bool {
    matches!(document.source.scope, Scope::User | Scope::Session)
}

/// CDX-SRC-07
fn twice_in_a_layer(documents: &mut [Document], places: &Places) {
    let written = |document: &&Document| Setting::Written.of::<bool>(&document.parsed).is_some();
    let layer = |document: &Document| (document.source.scope, folder(document).to_owned());
    let counting = || documents.iter().filter(|document| counts(document, places)).filter(written);
    let json: Vec<_> = counting().filter(|document| Kind::of(&document.source) == Kind::Hooks).map(layer).collect();
    for document in documents.iter_mut() {
        let here = counts(document, places) && written(&&*document) && Kind::of(&document.source) == Kind::Config;
        if here && document.source.inline.is_none() && json.contains(&layer(document)) {
            let folder = folder(document).display();
            let message = format!("{folder} has hooks in both hooks.json and config.toml; both run, the JSON first");
            warn(document, "two-representations", message, "keep them in one of the two");
        }
    }
}

/// Files a manifest names and nobody found. CDX-SRC-06
fn missing_files(documents: &mut [Document]) {
    let there: Vec<PathBuf> = documents.iter().map(|document| document.source.path.clone()).collect();
    for document in documents.iter_mut() {
        let named: Vec<String> = Setting::Named.of(&document.parsed).unwrap_or_default();
        let plugin = document.source.cwd.clone();
        let found = |path: &str| sources::below(path).is_some_and(|below| there.contains(&plugin.join(below)));
        for path in named.iter().filter(|path| !found(path)) {
            let message = format!("the manifest names `{path}`, and no hooks were read from there");
            warn(document, "missing-file", message, "put the file there, or leave it out");
        }
    }
}

/// Where hooks of a plugin find its files and may keep their own. CDX-RUN-04
fn plugin_variables(documents: &mut [Document], places: &Places) {
    let names = plugin_names(documents);
    for document in documents.iter_mut().filter(|document| document.source.scope == Scope::Plugin) {
        let root = &document.source.cwd;
        let data = names.get(root).and_then(|name| data_folder(name, places));
        let roots = ["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"].map(|name| (name, Some(root)));
        let data = ["PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"].map(|name| (name, data.as_ref()));
        let known = roots.into_iter().chain(data).filter_map(|(name, path)| Some((name, path?)));
        let env = Arc::new(known.map(|(name, path)| (name.into(), path.to_string_lossy().into_owned())).collect());
        for binding in &mut document.parsed.bindings {
            binding.env = Arc::clone(&env);
        }
    }
}

/// A folder of its own below the user's. Its name is no path, whatever the plugin calls itself.
fn data_folder(name: &str, places: &Places) -> Option<PathBuf> {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '@') { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    Some(sources::home(places)?.join("plugins/data").join(name))
}

/// What each plugin calls itself, by its directory; the directory's own name where it does not say.
fn plugin_names(documents: &[Document]) -> BTreeMap<PathBuf, String> {
    let plugins = documents.iter().filter(|document| document.source.scope == Scope::Plugin);
    let mut names = BTreeMap::new();
    for document in plugins {
        let root = &document.source.cwd;
        let own = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = names.entry(root.clone()).or_insert(own);
        if let Some(said) = Setting::Name.of::<String>(&document.parsed).filter(|said| !said.trim().is_empty()) {
            *name = said;
        }
    }
    names
}

/// Whether the switch is off; then no hook of any source runs. The highest source that has it counts,
/// but before all others the managed requirements, which pin it. CDX-SRC-09
fn switched_off(documents: &mut [Document], places: &Places) -> bool {
    let counting = documents.iter().enumerate().filter(|(_, document)| counts(document, places));
    let said = counting.filter_map(|(n, document)| Some((n, Setting::Switch.of::<Switched>(&document.parsed)?)));
    let pins = |n: usize| documents.get(n).is_some_and(|document| document.source.scope == Scope::Managed);
    let Some((by, switched)) = said.max_by_key(|(n, _)| (pins(*n), *n)).filter(|(_, switched)| !switched.on) else {
        return false;
    };
    keep_from_running(documents, by, &switched, |_| true);
    true
}

/// CDX-SRC-10
fn managed_only(documents: &mut [Document]) {
    let said = documents.iter().map(|document| Setting::ManagedOnly.of::<Switched>(&document.parsed));
    let on = said.enumerate().find_map(|(n, switched)| Some((n, switched.filter(|switched| switched.on)?)));
    if let Some((by, switched)) = on {
        keep_from_running(documents, by, &switched, |scope| scope != Scope::Managed);
    }
}

/// Keeps hooks of some scopes from running, and says so where it is written. What was dropped there
/// is missing from no decision.
fn keep_from_running(documents: &mut [Document], by: usize, switched: &Switched, of: fn(Scope) -> bool) {
    let setting = format!("{} = {}", switched.key, switched.on);
    let Some(path) = documents.get(by).map(|document| document.source.path.clone()) else { return };
    let why: Text = format!("`{setting}` of {} keeps it from running", path.display()).into();
    let mut hooks = 0;
    for document in documents.iter_mut().filter(|document| of(document.source.scope)) {
        document.parsed.dropped.clear();
        for binding in &mut document.parsed.bindings {
            hooks += 1;
            skip(binding, &why);
        }
    }
    if let Some(document) = documents.get_mut(by).filter(|_| hooks > 0) {
        let (hooks, they) =
            if hooks == 1 { ("1 hook".into(), "it is") } else { (format!("{hooks} hooks"), "they are") };
        let message = format!("`{setting}` keeps {hooks} from running");
        let warning = Diagnostic::warning("codex/hooks-off", message).help(format!("leave it out if {they} to run"));
        document.parsed.diagnostics.push(warning.pointer(switched.pointer.as_str()).at(switched.place()));
    }
}

fn skip(binding: &mut Binding, why: &Text) {
    if binding.standing == Standing::Active {
        binding.standing = Standing::Skipped(why.clone());
    }
}

/// What the user said of single handlers, and whether that is asked for. CDX-TRUST-02 to
/// CDX-TRUST-04
struct Gate<'p> {
    places: &'p Places,
    states: BTreeMap<String, State>,
    plugins: BTreeMap<PathBuf, String>,
}

impl<'p> Gate<'p> {
    fn of(documents: &[Document], places: &'p Places) -> Self {
        let mut states: BTreeMap<String, State> = BTreeMap::new();
        let said = documents.iter().filter(|document| is_the_users(document));
        let said = said.filter_map(|document| Setting::State.of::<BTreeMap<String, State>>(&document.parsed));
        for (key, state) in said.flatten() {
            states.entry(key).or_default().merge(state);
        }
        Gate { places, states, plugins: plugin_names(documents) }
    }

    /// Managed hooks heed no state, and those of an untrusted workspace do not run in any case.
    fn close(&self, documents: &mut [Document]) {
        let gated = |document: &&mut Document| counts(document, self.places) && document.source.scope != Scope::Managed;
        for document in documents.iter_mut().filter(gated) {
            let identities: BTreeMap<String, Identity> = Setting::Identities.of(&document.parsed).unwrap_or_default();
            let mut told = Vec::new();
            for binding in &mut document.parsed.bindings {
                let identity = identities.get(binding.id.as_str());
                told.extend(identity.and_then(|identity| self.check(binding, identity)));
            }
            document.parsed.diagnostics.append(&mut told);
        }
    }

    /// Keeps a handler from running that is switched off, or that the user did not trust. One that is
    /// kept from running by something else is not asked about.
    fn check(&self, binding: &mut Binding, identity: &Identity) -> Option<Diagnostic> {
        if binding.standing != Standing::Active {
            return None;
        }
        let key = self.key(binding, identity);
        let hash = identity.hash(self.places.platform == Platform::Windows);
        let trust = Trust::of(self.states.get(&key), hash.as_deref());
        let (code, because) = match trust {
            Trust::Disabled => {
                let why = "configured, not run, because it was switched off: `enabled = false`";
                binding.standing = Standing::Skipped(why.into());
                let note = binding.diagnostic(Severity::Note, "disabled-hook", why);
                return Some(note.help(format!("it is the entry {} of `hooks.state`", quoted(&key))));
            }
            _ if !self.places.recorded_trust => return None,
            Trust::Trusted => {
                self.pin(binding);
                return None;
            }
            Trust::Untrusted => ("untrusted-hook", "nobody has reviewed it yet"),
            Trust::Modified if hash.is_none() => ("modified-hook", "a handler of this type cannot be compared"),
            Trust::Modified => ("modified-hook", "it is not what was reviewed"),
        };
        let why = format!("configured, not run, because {because}");
        binding.standing = Standing::Skipped(why.as_str().into());
        let warning = binding.diagnostic(Severity::Warning, code, why);
        Some(warning.help(self.review(&key, hash.as_deref(), trust)))
    }

    /// What was reviewed is what runs, whatever machine a host starts it on.
    fn pin(&self, binding: &mut Binding) {
        if let Handler::PerSystem { line, windows } = &binding.handler {
            let line = if self.places.platform == Platform::Windows { windows } else { line };
            binding.handler = Handler::Shell { line: line.clone() };
        }
    }

    /// The key of a handler's state. CDX-TRUST-05
    fn key(&self, binding: &Binding, identity: &Identity) -> String {
        let source = &binding.source;
        let name = self.plugins.get(&source.cwd).filter(|_| source.scope == Scope::Plugin);
        let file = match (name, Kind::of(source)) {
            (Some(name), Kind::Manifest) => format!("{name}:plugin.json#hooks[{}]", identity.object),
            (Some(name), _) => {
                let below = source.path.strip_prefix(&source.cwd).unwrap_or(&source.path);
                format!("{name}:{}", sources::slashed(below))
            }
            (None, _) => source.path.display().to_string(),
        };
        format!("{file}:{}", identity.place)
    }

    /// What to write for it to run.
    fn review(&self, key: &str, hash: Option<&str>, trust: Trust) -> String {
        let Some(hash) = hash else { return "write a `command` instead, whose hash can be recorded".into() };
        let home = sources::home(self.places);
        let file =
            home.map_or_else(|| "the user's config.toml".into(), |home| home.join("config.toml").display().to_string());
        let write = if trust == Trust::Modified { "change its entry in" } else { "add to" };
        format!("review it, then {write} {file}:\n[hooks.state.{}]\ntrusted_hash = {}", quoted(key), quoted(hash))
    }
}

/// As TOML writes a text.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7F}', "\\u007F")
}
