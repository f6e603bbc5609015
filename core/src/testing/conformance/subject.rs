//! The adapter under test in both fidelities, its fixtures, and how generated cases are run on it.
//! What must hold is in the files of the laws.

use std::{env, path::Path, sync::Arc};

use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner},
};

use super::super::{ConfigCase, EventFolder, LoadError, VectorFile, codes, configs, events, vectors};
use crate::{Adapter, Asked, Effects, EventId, EventSpec, FailureMode, Fidelity, Outcome, Parsed, Scope, Source};

/// How many cases are generated where the environment does not say.
const CASES: u32 = 128;

pub(super) struct Subject<'a> {
    each: [(Fidelity, &'a dyn Adapter); 2],
    folder: &'a Path,
    pub(super) vectors: Vec<VectorFile>,
    pub(super) events: Vec<EventFolder>,
    pub(super) configs: Vec<ConfigCase>,
    cases: u32,
}

impl<'a> Subject<'a> {
    pub(super) fn load(guarded: &'a dyn Adapter, vendor: &'a dyn Adapter, folder: &'a Path) -> Result<Self, LoadError> {
        let cases = env::var("HARNESS_HOOKS_CASES").ok().and_then(|cases| cases.parse().ok());
        Ok(Subject {
            each: [(Fidelity::Guarded, guarded), (Fidelity::Vendor, vendor)],
            folder,
            vectors: vectors(folder)?,
            events: events(folder)?,
            configs: configs(folder)?,
            cases: cases.unwrap_or(CASES),
        })
    }

    /// Both fidelities.
    pub(super) fn each(&self) -> impl Iterator<Item = (Fidelity, &'a dyn Adapter)> {
        self.each.into_iter()
    }

    /// The default.
    pub(super) fn guarded(&self) -> &'a dyn Adapter {
        self.each[0].1
    }

    /// The vendor's own program.
    pub(super) fn vendor(&self) -> &'a dyn Adapter {
        self.each[1].1
    }

    /// The event of this name.
    pub(super) fn event(&self, name: &str) -> Option<EventId> {
        rows(self.guarded()).find(|(_, spec)| spec.name == name).map(|(id, _)| id)
    }

    /// A path as faults write it: below the vendor's folder.
    pub(super) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.folder).unwrap_or(path).display().to_string()
    }

    /// Everything a golden case has a hook print.
    pub(super) fn printed(&self) -> Vec<Vec<u8>> {
        let groups = self.vectors.iter().flat_map(|file| &file.groups).map(|group| group.outcome.outcome().stdout);
        let mut printed: Vec<Vec<u8>> = groups.chain(self.events.iter().map(|folder| folder.stdout.clone())).collect();
        printed.sort();
        printed.dedup();
        printed
    }

    /// Runs a test on generated values, the same in every run. What fails is made as small as it can
    /// be before it is a fault.
    pub(super) fn generated<S: Strategy>(
        &self,
        strategy: &S,
        show: impl Fn(&S::Value) -> String,
        test: impl Fn(&S::Value) -> Result<(), String>,
    ) -> Vec<String> {
        let config = Config { cases: self.cases, failure_persistence: None, ..Config::default() };
        let same = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let run =
            TestRunner::new_with_rng(config, same).run(strategy, |value| test(&value).map_err(TestCaseError::fail));
        match run {
            Ok(()) => Vec::new(),
            Err(TestError::Fail(why, value)) => vec![format!("{why}\ngenerated: {}", show(&value))],
            Err(TestError::Abort(why)) => vec![format!("nothing could be generated: {why}")],
        }
    }
}

/// The rows of an event table, each with its place.
pub(super) fn rows(adapter: &dyn Adapter) -> impl Iterator<Item = (EventId, &'static EventSpec)> {
    (0..=u16::MAX).map(EventId).zip(adapter.events())
}

/// What a document of a trusted project defines. Its name is part of it: some vendors have files in
/// more than one syntax.
pub(super) fn parsed(adapter: &dyn Adapter, name: &str, document: &[u8]) -> Parsed {
    let (project, label) = ("/home/dev/project", format!("project/{name}"));
    let source = Source::new(adapter.vendor(), Scope::Project, format!("{project}/{name}"), label, project);
    adapter.parse(&Arc::new(source), document)
}

/// A hook of an event, more and more cautious: open, closed, strict, both.
pub(super) fn modes(event: EventId) -> [(&'static str, Asked<'static>); 4] {
    let asked = Asked::new(event, "Acme", "./guard.sh").loop_limit(Some(5));
    let closed = asked.failure(FailureMode::Closed);
    [("open", asked), ("closed", closed), ("strict", asked.strict(true)), ("closed and strict", closed.strict(true))]
}

/// Bytes as people read them, long ones cut off.
pub(super) fn text(bytes: &[u8]) -> String {
    const MOST: usize = 400;
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}… ({} bytes)", &text[..end], bytes.len()),
        None => format!("{text:?}"),
    }
}

/// Effects as JSON, without what is empty.
pub(super) fn effects(effects: &Effects) -> String {
    let mut json = serde_json::to_value(effects).unwrap_or_default();
    if let Some(entries) = json.as_object_mut() {
        entries.retain(|_, value| !value.is_null() && !value.as_array().is_some_and(Vec::is_empty));
        entries.extend(effects.undecided.then(|| ("undecided".to_owned(), true.into())));
        if let Some(told) = entries.get_mut("diagnostics") {
            *told = codes(&effects.diagnostics).into();
        }
    }
    json.to_string()
}

/// An outcome as people read it.
pub(super) fn outcome(outcome: &Outcome) -> String {
    let Outcome { exit, stdout, stderr, stdout_truncated, leaked, .. } = outcome;
    let cut = if *stdout_truncated { ", cut off" } else { "" };
    let leaked = if *leaked { ", leaked" } else { "" };
    format!("{exit:?}{cut}{leaked}, printed {}, on standard error {}", text(stdout), text(stderr))
}
