//! One hook definition of a source, with everything needed to decide whether it runs.

use std::{fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{Diagnostic, EventId, EventSpec, Matcher, Place, Severity, Source, Text, Vendor};

/// `cursor:project/.cursor/hooks.json#preToolUse[2]`: vendor, source, event, index.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BindingId(Text);

impl BindingId {
    /// The id of a definition.
    pub fn new(source: &Source, event: &str, index: impl fmt::Display) -> Self {
        BindingId(format!("{}:{}#{event}{index}", source.vendor, source.label).into())
    }

    /// The id that stands for a whole source, where what is said comes from no single definition.
    pub fn of_source(source: &Source) -> Self {
        BindingId(format!("{}:{}", source.vendor, source.label).into())
    }

    /// The id under which the host's own decisions are given.
    pub fn host() -> Self {
        BindingId("host".into())
    }

    /// Everything before the first colon.
    pub fn vendor(&self) -> &str {
        self.0.split(':').next().unwrap_or_default()
    }

    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for BindingId {
    fn from(id: &str) -> Self {
        BindingId(id.into())
    }
}

impl fmt::Display for BindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a hook that fails means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureMode {
    /// What it was asked about goes on.
    #[default]
    Open,
    /// It is refused.
    Closed,
}

/// What a definition runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Handler {
    /// A line for the vendor's shell.
    Shell {
        /// The line as it was written.
        line: Text,
    },
}

impl Handler {
    /// What a person recognises it by.
    pub fn text(&self) -> &Text {
        match self {
            Handler::Shell { line } => line,
        }
    }
}

/// Whether a binding takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It runs when it matches.
    #[default]
    Active,
    /// Its boundary is one the host does not fire yet.
    Planned,
    /// It never runs; why, in a sentence.
    Skipped(Text),
}

/// One hook definition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Binding {
    /// Its id.
    pub id: BindingId,
    /// The document it stands in.
    pub source: Arc<Source>,
    /// Where in the document: a JSON pointer.
    pub pointer: String,
    /// Where in the document: line and column.
    pub place: Option<Place>,
    /// Its event, in the adapter's table.
    pub event: EventId,
    /// The event's name.
    pub event_name: &'static str,
    /// What it is about.
    pub matcher: Matcher,
    /// What it runs.
    pub handler: Handler,
    /// How long it may run, if it says so.
    pub timeout: Option<Duration>,
    /// What it means if it fails.
    pub failure: FailureMode,
    /// It is not started once its vendor's hooks made the agent go on this often in a row;
    /// [`Binding::UNLIMITED`] where its author asked for no limit, `None` where the event knows
    /// none.
    pub loop_limit: Option<u32>,
    /// Whether it takes part.
    pub standing: Standing,
}

impl Binding {
    /// A loop limit of none.
    pub const UNLIMITED: u32 = u32::MAX;

    /// A definition that matches everything, fails open, and takes part.
    pub fn new(
        source: &Arc<Source>,
        event: EventId,
        spec: &EventSpec,
        index: impl fmt::Display,
        handler: Handler,
    ) -> Self {
        Binding {
            id: BindingId::new(source, spec.name, index),
            source: source.clone(),
            pointer: String::new(),
            place: None,
            event,
            event_name: spec.name,
            matcher: Matcher::Any,
            handler,
            timeout: None,
            failure: FailureMode::Open,
            loop_limit: None,
            standing: Standing::Active,
        }
    }

    /// Whose contract it follows.
    pub fn vendor(&self) -> &Vendor {
        &self.source.vendor
    }

    /// A diagnostic about it, with its place.
    pub fn diagnostic(&self, severity: Severity, code: impl fmt::Display, message: impl Into<String>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(severity, format!("{}/{code}", self.vendor()), message);
        diagnostic.source = Some(self.source.path.display().to_string());
        diagnostic.pointer = Some(self.pointer.clone());
        diagnostic.place = self.place;
        diagnostic
    }
}
