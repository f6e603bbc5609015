//! Everything bound, immutable and shared: loading it, where each binding stands in this host, and
//! the index that finds the bindings of a boundary.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Serialize, Serializer};

use crate::{
    Adapter, Binding, BindingId, Boundary, Capabilities, Diagnostic, Document, Dropped, Envelope, EventSpec, Files,
    Firing, Host, Moment, Parsed, Places, Preview, Scope, SessionState, Severity, Source, Standing, Support, Text,
    Vendor,
};

/// Everything bound. Immutable: a reload makes another.
#[derive(Debug)]
pub struct Snapshot {
    adapters: Vec<Arc<dyn Adapter>>,
    host: Host,
    sources: Vec<SourceReport>,
    bindings: Vec<Arc<Binding>>,
    diagnostics: Vec<Diagnostic>,
    index: HashMap<Boundary, Vec<Entry>>,
    refused: Vec<(RefusedSource, Vec<Moment>)>,
    /// Documents whose hooks do not run for want of trust, with the moments they are for.
    untrusted: Vec<(Arc<Source>, Vec<Moment>)>,
}

/// A binding at one of its moments.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) adapter: usize,
    pub(crate) moment: Moment,
    pub(crate) order: u32,
    pub(crate) binding: Arc<Binding>,
}

/// What became of a document that was looked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SourceReport {
    /// The document.
    pub source: Arc<Source>,
    /// What became of it.
    pub status: Status,
    /// How many definitions of it are bound.
    pub bindings: usize,
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// It was read.
    Loaded,
    /// It is there and cannot be used.
    Refused,
    /// There is none. Neither a warning nor an error.
    Missing,
    /// It was read; its hooks do not run because the workspace is not trusted.
    Untrusted,
}

/// A document, or one definition of it, whose guards are missing from a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RefusedSource {
    /// Whose contract it follows.
    pub vendor: Vendor,
    /// Who it speaks for.
    pub scope: Scope,
    /// The document.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The definition, where only one is missing.
    pub pointer: Option<String>,
    /// The definition's event, where only one is missing.
    pub event: Option<&'static str>,
    /// Why, in a sentence.
    pub why: Text,
    #[serde(skip)]
    id: BindingId,
}

/// A path that is not text is written as near as text comes.
fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

impl RefusedSource {
    fn new(source: &Source, why: Text) -> Self {
        RefusedSource {
            vendor: source.vendor.clone(),
            scope: source.scope,
            path: source.path.clone(),
            pointer: None,
            event: None,
            why,
            id: BindingId::of_source(source),
        }
    }

    fn of_definition(source: &Source, spec: &EventSpec, dropped: Dropped) -> Self {
        let whole = RefusedSource::new(source, dropped.why);
        RefusedSource { pointer: Some(dropped.pointer), event: Some(spec.name), ..whole }
    }

    /// The id reasons about it are given under.
    pub fn id(&self) -> BindingId {
        self.id.clone()
    }

    /// Where it is: the path, and the pointer of a definition.
    pub fn place(&self) -> String {
        let path = self.path.display();
        self.pointer.as_ref().map_or_else(|| path.to_string(), |pointer| format!("{path} at {pointer}"))
    }
}

impl Snapshot {
    /// Reads every document, binds what it defines, and finds out where each binding stands in
    /// this host. Total: what cannot be read or used is a diagnostic, and the rest is bound.
    pub fn load(adapters: Vec<Arc<dyn Adapter>>, host: Host, places: &Places, files: &dyn Files) -> Arc<Snapshot> {
        let mut snapshot = Snapshot {
            adapters: Vec::new(),
            host,
            sources: Vec::new(),
            bindings: Vec::new(),
            diagnostics: Vec::new(),
            index: HashMap::new(),
            refused: Vec::new(),
            untrusted: Vec::new(),
        };
        for adapter in adapters {
            snapshot.add(adapter, places, files);
        }
        snapshot.note_same_commands();
        for entries in snapshot.index.values_mut() {
            entries.sort_by_key(|entry| (entry.moment.stage, entry.order));
        }
        Arc::new(snapshot)
    }

    fn add(&mut self, adapter: Arc<dyn Adapter>, places: &Places, files: &dyn Files) {
        let sources = self.distinct(sources(&*adapter, places, files), files);
        let bytes = |source: &Source| match &source.inline {
            Some(document) => Ok(document.as_bytes().to_vec()),
            None => files.read(&source.path),
        };
        let read = |source: &Arc<Source>| match bytes(source) {
            Ok(bytes) => {
                let parsed = adapter.parse(source, &bytes);
                Some(Document { source: source.clone(), bytes, parsed })
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
            Err(error) => Some(unreadable(source.clone(), &error)),
        };
        let (mut found, mut documents) = (Vec::with_capacity(sources.len()), Vec::new());
        for source in &sources {
            let document = read(source);
            found.push(document.is_some());
            documents.extend(document);
        }
        adapter.settle(&mut documents, places);
        let number = self.adapters.len();
        self.adapters.push(adapter);
        let mut documents = documents.into_iter();
        for (source, found) in sources.into_iter().zip(found) {
            match found.then(|| documents.next()).flatten() {
                Some(document) => self.bind(number, document, places),
                None => self.sources.push(SourceReport { source, status: Status::Missing, bindings: 0 }),
            }
        }
    }

    /// Each file once. Where two paths lead to the same one, the source that needs no trust stays:
    /// what a user wrote for all projects runs as it does in all projects.
    fn distinct(&mut self, sources: Vec<Source>, files: &dyn Files) -> Vec<Arc<Source>> {
        let mut kept: Vec<(Option<PathBuf>, Source)> = Vec::new();
        for source in sources {
            let real = files.resolve(&source.path).ok().filter(|_| source.inline.is_none());
            let same = real.as_ref().and_then(|real| kept.iter_mut().find(|(known, _)| known.as_ref() == Some(real)));
            let Some((_, first)) = same else {
                kept.push((real, source));
                continue;
            };
            let trustless = first.needs_trust && !source.needs_trust;
            let (kept, left) = if trustless { (source.clone(), first.clone()) } else { (first.clone(), source) };
            let message =
                format!("{} is the same file as {}; it is read once", left.path.display(), kept.path.display());
            let mut note = Diagnostic::note(format!("{}/same-file", left.vendor), message);
            note.source = Some(left.path.display().to_string());
            self.diagnostics.push(note);
            *first = kept;
        }
        kept.into_iter().map(|(_, source)| Arc::new(source)).collect()
    }

    fn bind(&mut self, adapter: usize, document: Document, places: &Places) {
        let Document { source, parsed, .. } = document;
        let Parsed { bindings, mut diagnostics, refused, dropped, .. } = parsed;
        let events = self.adapters[adapter].events();
        for diagnostic in &mut diagnostics {
            diagnostic.source.get_or_insert_with(|| source.path.display().to_string());
        }
        self.diagnostics.append(&mut diagnostics);

        let trusted = places.trusted || !source.needs_trust;
        let here = |surfaces: &[&str]| self.host.surface.as_deref().is_none_or(|s| !surfaces.contains(&s));
        let status = match (&refused, trusted) {
            (Some(_), _) => Status::Refused,
            (None, false) => Status::Untrusted,
            (None, true) => Status::Loaded,
        };
        if trusted && here(source.not_on) {
            let guards = |spec: &&EventSpec| spec.control.can_block();
            let whole = refused.map(|why| {
                let moments = events.iter().filter(guards).flat_map(|spec| spec.moments).copied().collect();
                (RefusedSource::new(&source, why), moments)
            });
            let single = dropped.into_iter().filter_map(|dropped| {
                let spec = events.get(dropped.event.index()).filter(guards)?;
                Some((RefusedSource::of_definition(&source, spec, dropped), spec.moments.to_vec()))
            });
            self.refused.extend(whole.into_iter().chain(single));
        }

        if !trusted {
            let moments = bindings.iter().filter_map(|b| events.get(b.event.index())).flat_map(|spec| spec.moments);
            self.untrusted.push((source.clone(), moments.copied().collect()));
        }
        let before = self.bindings.len();
        for mut binding in bindings {
            let Some(spec) = events.get(binding.event.index()) else {
                let message = "its adapter has no such event; this hook is not bound, which is a fault of the adapter";
                self.diagnostics.push(binding.diagnostic(Severity::Error, "no-such-event", message));
                continue;
            };
            if !self.stand(&mut binding, spec, trusted) {
                continue;
            }
            let order = u32::try_from(self.bindings.len()).unwrap_or(u32::MAX);
            let binding = Arc::new(binding);
            for moment in spec.moments {
                let entry = Entry { adapter, moment: *moment, order, binding: binding.clone() };
                self.index.entry(moment.boundary).or_default().push(entry);
            }
            self.bindings.push(binding);
        }
        let bindings = self.bindings.len() - before;
        self.sources.push(SourceReport { source, status, bindings });
    }

    /// The same command bound by two vendors at one boundary: both run, each as its vendor's hook,
    /// and their author should know.
    fn note_same_commands(&mut self) {
        let mut notes = Vec::new();
        let mut boundaries: Vec<_> = self.index.iter().collect();
        boundaries.sort_by_key(|(boundary, _)| **boundary);
        for (boundary, entries) in boundaries {
            let mut known: HashMap<&Text, &Binding> = HashMap::new();
            for Entry { binding, .. } in entries.iter().filter(|entry| entry.binding.standing == Standing::Active) {
                let first = *known.entry(binding.handler.text()).or_insert(binding);
                if first.vendor() != binding.vendor() {
                    let message = format!(
                        "{} runs the same command at {boundary}; both run, each as its own vendor's hook",
                        first.id
                    );
                    notes.push(binding.diagnostic(Severity::Note, "same-command", message));
                }
            }
        }
        self.diagnostics.append(&mut notes);
    }

    /// Where a binding stands in this host; false if the host has no such moment at all.
    fn stand(&mut self, binding: &mut Binding, spec: &EventSpec, trusted: bool) -> bool {
        let host = &self.host;
        let support = spec.moments.iter().filter_map(|m| host.support(m.boundary, m.facet));
        let support: Vec<Support> = support.collect();
        let (name, event) = (&host.name, spec.name);
        if support.is_empty() {
            let message = format!("{name} has no moment for {event}; this hook is not bound");
            self.diagnostics.push(binding.diagnostic(Severity::Warning, "absent-event", message));
            return false;
        }
        if !support.contains(&Support::Fires) {
            let message = format!("{name} does not fire {event} yet; this hook will never run");
            self.diagnostics.push(binding.diagnostic(Severity::Warning, "planned-event", message));
            if binding.standing == Standing::Active {
                binding.standing = Standing::Planned;
            }
        }
        if let Some(limit) = binding.loop_limit
            && limit > host.continuation_cap
        {
            let cap = host.continuation_cap;
            let asked = if limit == Binding::UNLIMITED { "none".into() } else { limit.to_string() };
            let message = format!(
                "{name} lets hooks make the agent go on {cap} times since the user's last prompt; a loop limit of {asked} \
                 counts as {cap}"
            );
            self.diagnostics.push(binding.diagnostic(Severity::Warning, "loop-limit-capped", message));
            binding.loop_limit = Some(cap);
        }
        if binding.standing == Standing::Active {
            binding.standing = self.standing(binding, spec, trusted);
        }
        let fallback = Capabilities::DEFER; // an ask stands in for it
        let lacking = binding.capabilities(spec).without(self.host.honours).without(fallback);
        if binding.standing == Standing::Active && !lacking.is_empty() {
            let name = &self.host.name;
            let message = format!("{name} cannot do all that {event} hooks may ask for; it lacks: {lacking}");
            self.diagnostics.push(binding.diagnostic(Severity::Warning, "lacking-capability", message));
        }
        true
    }

    fn standing(&self, binding: &Binding, spec: &EventSpec, trusted: bool) -> Standing {
        if !trusted {
            return Standing::Skipped("the workspace is not trusted".into());
        }
        let Some(surface) = self.host.surface.as_deref() else { return Standing::Active };
        if binding.source.not_on.contains(&surface) {
            let scope = binding.source.scope;
            return Standing::Skipped(format!("hooks of {scope} scope do not run on the {surface} surface").into());
        }
        if spec.not_on.contains(&surface) {
            let event = spec.name;
            return Standing::Skipped(format!("{event} does not happen on the {surface} surface").into());
        }
        Standing::Active
    }

    /// The runtime it was loaded for.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The adapters, as they were registered.
    pub fn adapters(&self) -> &[Arc<dyn Adapter>] {
        &self.adapters
    }

    /// Every document looked for.
    pub fn sources(&self) -> &[SourceReport] {
        &self.sources
    }

    /// Every binding, in binding order.
    pub fn bindings(&self) -> &[Arc<Binding>] {
        &self.bindings
    }

    /// What people should know of it.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// A warning for each document whose hooks on this envelope do not run for want of trust.
    pub(crate) fn untrusted(&self, envelope: &Envelope) -> impl Iterator<Item = Diagnostic> {
        let (boundary, facet) = (envelope.boundary(), envelope.payload.facet());
        let concerns = move |m: &Moment| m.boundary == boundary && (m.facet.is_none() || m.facet == facet);
        let here = self.untrusted.iter().filter(move |(_, moments)| moments.iter().any(concerns));
        here.map(|(source, _)| {
            let message = format!("the workspace is not trusted, so hooks of {} did not run", source.path.display());
            Diagnostic::warning(format!("{}/untrusted", source.vendor), message)
                .source(source.path.display().to_string())
        })
    }

    /// The guards missing from decisions on this envelope.
    pub fn refused(&self, envelope: &Envelope) -> Vec<RefusedSource> {
        let (boundary, facet) = (envelope.boundary(), envelope.payload.facet());
        let concerns = |m: &Moment| m.boundary == boundary && (m.facet.is_none() || m.facet == facet);
        self.refused.iter().filter(|(_, moments)| moments.iter().any(concerns)).map(|(r, _)| r.clone()).collect()
    }

    /// Starts one occurrence, with what earlier hooks of the session left behind.
    pub fn begin<'e>(self: &Arc<Self>, envelope: &'e Envelope, state: SessionState) -> Firing<'e> {
        Firing::new(self.clone(), envelope, state)
    }

    /// What would run at one occurrence. Nothing is started and nothing decided.
    pub fn preview<'e>(self: &Arc<Self>, envelope: &'e Envelope, state: SessionState) -> Preview<'e> {
        Preview::new(self.begin(envelope, state))
    }

    pub(crate) fn entries(&self, boundary: Boundary) -> &[Entry] {
        self.index.get(&boundary).map_or(&[], Vec::as_slice)
    }
}

/// The documents to look for: those that were named, else those the adapter knows of.
fn sources(adapter: &dyn Adapter, places: &Places, files: &dyn Files) -> Vec<Source> {
    if places.only.is_empty() {
        return adapter.sources(places, files);
    }
    let vendor = adapter.vendor();
    let cwd = &places.folders()[0];
    let named = places.only.iter().filter(|(of, _)| *of == vendor);
    named
        .map(|(vendor, path)| {
            Source::new(vendor.clone(), Scope::Project, path, path.display().to_string().as_str(), cwd)
        })
        .collect()
}

fn unreadable(source: Arc<Source>, error: &io::Error) -> Document {
    let (path, vendor) = (source.path.display(), &source.vendor);
    let why = format!("it is there and cannot be read: {error}");
    let diagnostic =
        Diagnostic::error(format!("{vendor}/unreadable"), format!("{path} is there and cannot be read: {error}"))
            .help("hooks are read from a regular file that this user may read; what it guards is unguarded until then");
    let parsed = Parsed { diagnostics: vec![diagnostic], refused: Some(why.into()), ..Parsed::default() };
    Document { source, bytes: Vec::new(), parsed }
}
