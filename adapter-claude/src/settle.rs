//! What one settings file says about the hooks of every other: switches, variables, addresses, and
//! how long hooks may take. Reading a file is `config.rs`.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use harness_hooks_core::{
    Binding, Control, Diagnostic, Document, EventId, FailureMode, Handler, Place, Places, Scope, Severity, Standing,
    Text,
};

use crate::{
    config::{Kind, Setting, Switched, address},
    departures::{Way, Ways},
    events, sources,
};

/// How long a prompt handler may take, and an agent, on every event. CLA-EVT-11
const PROMPT: Duration = Duration::from_secs(30);
const AGENT: Duration = Duration::from_secs(60);

/// The most a definition can raise a time that hooks share to. CLA-EVT-12
const MOST_SHARED: Duration = Duration::from_secs(60);

/// What replaces that time, in milliseconds.
const SHARED: &str = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";

/// How often in a row hooks make the agent go on in Claude Code itself. CLA-RUN-18
const CONTINUATIONS: u32 = 8;

/// Settles the documents of a session with each other.
pub(crate) fn settle(ways: Ways, documents: &mut [Document], places: &Places) {
    switch(documents, places);
    let said = Said::by(documents, places);
    for document in documents.iter_mut() {
        let mut told = Vec::new();
        for binding in &mut document.parsed.bindings {
            binding.env = said.env.clone();
            said.check_address(binding, &mut told);
            set_timeout(binding);
            if ways.claudes(Way::StopCap) && events::row(binding.event).spec.control == Control::Continuation {
                binding.loop_limit = Some(CONTINUATIONS);
            }
        }
        document.parsed.diagnostics.append(&mut told);
    }
    if !ways.claudes(Way::WeakerCopy) {
        strengthen_copies(documents, places);
    }
    share_time(documents, places);
    missing_files(documents);
}

/// Of several copies of a hook the last runs, and it is no weaker than any of them: it blocks where one
/// of them does, and is waited for where one of them is. Else a project's copy could take the edge off
/// a user's guard. CLA-SRC-07
fn strengthen_copies(documents: &mut [Document], places: &Places) {
    let counting = || documents.iter().filter(|document| counts(document, places));
    let bindings = || counting().flat_map(|document| &document.parsed.bindings);
    let copy = |binding: &Binding| Some((binding.event, binding.duplicate.clone()?));
    let takes_part = |binding: &&Binding| binding.standing == Standing::Active;
    let of = |holds: fn(&Binding) -> bool| -> BTreeSet<(EventId, Text)> {
        bindings().filter(takes_part).filter(|binding| holds(binding)).filter_map(copy).collect()
    };
    let closed = of(|binding| binding.failure == FailureMode::Closed);
    let awaited = of(|binding| binding.background.is_none());
    for binding in documents.iter_mut().flat_map(|document| &mut document.parsed.bindings) {
        let Some(copy) = copy(binding) else { continue };
        if closed.contains(&copy) {
            binding.failure = FailureMode::Closed;
        }
        if awaited.contains(&copy) {
            binding.background = None;
        }
    }
}

/// Its settings count: it is no plugin's, and it is trusted, so that no workspace switches off what
/// its user wrote. A refused document has none.
fn counts(document: &Document, places: &Places) -> bool {
    Kind::of(&document.source) == Kind::Settings && (places.trusted || !document.source.needs_trust)
}

/// What documents say that counts for all of them.
struct Said {
    env: Arc<BTreeMap<String, String>>,
    /// Where hooks may be sent; `None` where no document says it.
    urls: Option<Vec<String>>,
}

impl Said {
    /// The later source wins a variable; lists of addresses are one list. CLA-RUN-07, CLA-RUN-13
    fn by(documents: &[Document], places: &Places) -> Said {
        let counting = || documents.iter().filter(|document| counts(document, places)).map(|document| &document.parsed);
        let env = counting().filter_map(|parsed| Setting::Env.of::<BTreeMap<_, _>>(parsed)).flatten().collect();
        let lists: Vec<Vec<String>> = counting().filter_map(|parsed| Setting::AllowedUrls.of(parsed)).collect();
        let urls = (!lists.is_empty()).then(|| lists.concat());
        Said { env: Arc::new(env), urls }
    }

    /// A hook that may not be sent where it says cannot run, and refuses if its failure does.
    /// CLA-RUN-13
    fn check_address(&self, binding: &mut Binding, told: &mut Vec<Diagnostic>) {
        let (Handler::Http { url, .. }, Some(allowed)) = (&binding.handler, &self.urls) else { return };
        if allowed.iter().any(|allowed| address::admits(allowed, url)) {
            return;
        }
        let why = format!("`{}` does not admit {url}, so nothing is sent there", Setting::AllowedUrls.name());
        told.push(binding.diagnostic(Severity::Warning, "url-not-allowed", why.as_str()));
        binding.handler = Handler::Unusable { text: url.clone(), why: why.into() };
    }
}

/// Who keeps hooks from running, and whose.
struct Switch {
    /// The document that says it.
    by: usize,
    setting: Setting,
    /// Where its key is written.
    place: Place,
    /// Hooks of managed files run all the same.
    spares_managed: bool,
}

/// Switches hooks off. CLA-SRC-09, CLA-SRC-10
fn switch(documents: &mut [Document], places: &Places) {
    for switch in [disabled(documents, places), managed_only(documents, places)].into_iter().flatten() {
        let Some(label) = documents.get(switch.by).map(|document| document.source.label.clone()) else { continue };
        let why: Text = format!("`{}` of {label} keeps it from running", switch.setting.name()).into();
        let mut hooks = 0;
        for document in documents.iter_mut() {
            if switch.spares_managed && document.source.scope == Scope::Managed {
                continue;
            }
            for binding in &mut document.parsed.bindings {
                hooks += 1;
                if binding.standing == Standing::Active {
                    binding.standing = Standing::Skipped(why.clone());
                }
            }
        }
        if let Some(document) = documents.get_mut(switch.by).filter(|_| hooks > 0) {
            let spared = if switch.spares_managed { "; managed hooks run" } else { "" };
            let hooks = if hooks == 1 { "1 hook".into() } else { format!("{hooks} hooks") };
            let message = format!("`{}` keeps {hooks} from running{spared}", switch.setting.name());
            let note = Diagnostic::note("claude/hooks-disabled", message).at(switch.place);
            document.parsed.diagnostics.push(note.pointer(format!("/{}", switch.setting.name())));
        }
    }
}

/// The highest source that has the switch, and what it says there.
fn highest(documents: &[Document], places: &Places, setting: Setting) -> Option<(usize, Switched)> {
    let mut counting = documents.iter().enumerate().rev().filter(|(_, document)| counts(document, places));
    counting.find_map(|(n, document)| Some((n, setting.of(&document.parsed)?)))
}

fn disabled(documents: &[Document], places: &Places) -> Option<Switch> {
    let (by, switched) = highest(documents, places, Setting::DisableAll).filter(|(_, switched)| switched.on)?;
    let spares_managed = documents.get(by)?.source.scope != Scope::Managed;
    Some(Switch { by, setting: Setting::DisableAll, place: switched.place(), spares_managed })
}

fn managed_only(documents: &[Document], places: &Places) -> Option<Switch> {
    let (by, switched) = highest(documents, places, Setting::ManagedOnly).filter(|(_, switched)| switched.on)?;
    Some(Switch { by, setting: Setting::ManagedOnly, place: switched.place(), spares_managed: true })
}

/// The default of what asks a model. CLA-EVT-11
fn set_timeout(binding: &mut Binding) {
    let default = match binding.handler {
        Handler::Prompt(_) => PROMPT,
        Handler::Agent(_) => AGENT,
        _ => return,
    };
    binding.timeout.get_or_insert(default);
}

/// The hooks of an event that share their time. A definition of settings raises it for all, a
/// plugin's does not, and the host's environment replaces it. CLA-EVT-12
fn share_time(documents: &mut [Document], places: &Places) {
    let replaced = places.variable(SHARED).and_then(|text| text.trim().parse().ok()).filter(|ms| *ms > 0);
    for row in events::all().filter(|row| row.shares_time) {
        let counting = documents.iter().filter(|document| counts(document, places));
        let bindings = counting.flat_map(|document| &document.parsed.bindings);
        let raising = bindings.filter(|b| b.event == row.id() && b.standing == Standing::Active);
        let raised = raising.filter_map(|binding| binding.timeout).max().unwrap_or_default().min(MOST_SHARED);
        let time = replaced.map_or_else(|| row.spec.timeout.unwrap_or_default().max(raised), Duration::from_millis);
        let all = documents.iter_mut().flat_map(|document| &mut document.parsed.bindings);
        for binding in all.filter(|binding| binding.event == row.id()) {
            binding.budget = Some(time);
            binding.timeout.get_or_insert(time);
        }
    }
}

/// Files a manifest names and nobody found. CLA-SRC-05
fn missing_files(documents: &mut [Document]) {
    let there: BTreeSet<PathBuf> = documents.iter().map(|document| document.source.path.clone()).collect();
    for document in documents.iter_mut() {
        let plugin: &Path = &document.source.cwd;
        let named: Vec<String> = Setting::Named.of(&document.parsed).unwrap_or_default();
        let missing =
            named.iter().filter(|path| sources::below(path).is_some_and(|below| !there.contains(&plugin.join(below))));
        let warnings: Vec<_> = missing
            .map(|path| {
                let message = format!("the manifest names `{path}`, and no hooks were read from there");
                Diagnostic::warning("claude/missing-file", message)
                    .pointer("/hooks")
                    .help("put the file there, or leave it out")
            })
            .collect();
        document.parsed.diagnostics.extend(warnings);
    }
}
