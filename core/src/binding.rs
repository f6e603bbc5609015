//! One hook definition of a source, with everything needed to decide whether it runs.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize, Serializer};

use crate::{
    Capabilities, Diagnostic, EventId, EventSpec, Json, Matcher, Occasion, Place, Severity, Source, Text, Vendor,
};

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
    /// A line for the vendor's shell, and another in its place on Windows.
    PerSystem {
        /// The line as it was written.
        line: Text,
        /// The line for Windows as it was written.
        windows: Text,
    },
    /// A line for a shell the definition names.
    NamedShell {
        /// The shell, as the definition names it.
        shell: Text,
        /// The line as it was written.
        line: Text,
    },
    /// A program with its arguments, without a shell.
    Exec {
        /// The program, as it was written.
        program: Text,
        /// Its arguments, as they were written.
        args: Vec<Text>,
    },
    /// A request to a server.
    Http {
        /// The address.
        url: Text,
        /// Further headers, as they were written. Values may be secrets: only names are serialised.
        #[serde(serialize_with = "names")]
        headers: BTreeMap<String, String>,
        /// Variables whose values may become part of a header.
        variables: Vec<Text>,
    },
    /// A call of a tool of an MCP server the host is connected to.
    McpTool {
        /// Server and tool: `server/tool`.
        name: Text,
        /// The server.
        server: Text,
        /// The tool.
        tool: Text,
        /// Its arguments, in which parts of standard input may be named.
        input: Option<Json>,
    },
    /// A question to a model.
    Prompt(Question),
    /// Work for an agent, which answers like a model.
    Agent(Question),
    /// One that cannot be carried out as its vendor's configuration stands. It counts as not
    /// started, so that a guard of this kind refuses where its failure does.
    Unusable {
        /// What a person recognises it by.
        text: Text,
        /// Why it cannot be carried out, in a sentence.
        why: Text,
    },
}

/// What a model or an agent is asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Question {
    /// The text, in which standard input may be named.
    pub prompt: Text,
    /// The model that answers; the host's choice where it is not said.
    pub model: Option<Text>,
    /// The turn goes on after a refusal.
    pub continue_on_block: bool,
}

impl Question {
    /// A question to any model, whose refusal ends the turn.
    pub fn new(prompt: impl Into<Text>) -> Self {
        Question { prompt: prompt.into(), model: None, continue_on_block: false }
    }

    /// The model that answers.
    pub fn model(mut self, model: Option<Text>) -> Self {
        self.model = model;
        self
    }

    /// Whether the turn goes on after a refusal.
    pub fn continue_on_block(mut self, on: bool) -> Self {
        self.continue_on_block = on;
        self
    }
}

fn names<S: Serializer>(headers: &BTreeMap<String, String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(headers.keys())
}

impl Handler {
    /// What a person recognises it by.
    pub fn text(&self) -> &Text {
        match self {
            Handler::Shell { line } | Handler::PerSystem { line, .. } | Handler::NamedShell { line, .. } => line,
            Handler::Exec { program, .. } => program,
            Handler::Http { url, .. } => url,
            Handler::McpTool { name, .. } => name,
            Handler::Prompt(question) | Handler::Agent(question) => &question.prompt,
            Handler::Unusable { text, .. } => text,
        }
    }
}

/// What must hold beside the matcher for a binding to run. Made by an adapter when it reads a
/// definition.
pub trait Condition: fmt::Debug + Send + Sync {
    /// As its author wrote it.
    fn text(&self) -> &str;

    /// Whether it holds. One that cannot be evaluated holds: the guard runs.
    fn holds(&self, occasion: Occasion<'_>) -> bool;
}

/// A binding nobody waits for. What it says comes too late to decide anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Background {
    /// A refusal of it wakes the agent.
    pub wakes: bool,
}

impl Background {
    /// Nobody waits for it; its refusal wakes the agent or not.
    pub const fn new(wakes: bool) -> Self {
        Background { wakes }
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
    /// What must hold beside the matcher.
    pub condition: Option<Arc<dyn Condition>>,
    /// What it runs.
    pub handler: Handler,
    /// Variables its vendor's configuration sets for its hooks.
    pub env: Arc<BTreeMap<String, String>>,
    /// Nobody waits for it.
    pub background: Option<Background>,
    /// It runs once in a session.
    pub once: bool,
    /// Of bindings of one event that would run at one occurrence and have the same text here, only
    /// the last runs.
    pub duplicate: Option<Text>,
    /// How long it may run, if it says so.
    pub timeout: Option<Duration>,
    /// How long all hooks of its event have together, counted from the start of their stage.
    pub budget: Option<Duration>,
    /// What it means if it fails.
    pub failure: FailureMode,
    /// It is not started once its vendor's hooks made the agent go on this often since the user's
    /// last prompt; [`Binding::UNLIMITED`] where its author asked for no limit, `None` where the
    /// event knows none.
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
            condition: None,
            handler,
            env: Arc::default(),
            background: None,
            once: false,
            duplicate: None,
            timeout: None,
            budget: None,
            failure: FailureMode::Open,
            loop_limit: None,
            standing: Standing::Active,
        }
    }

    /// Whose contract it follows.
    pub fn vendor(&self) -> &Vendor {
        &self.source.vendor
    }

    /// What it can do at its event: nothing but tell, where nobody waits for it.
    pub fn capabilities(&self, spec: &EventSpec) -> Capabilities {
        const TELLING: Capabilities = Capabilities::CONTEXT.and(Capabilities::NOTICE);
        match self.background {
            Some(_) => spec.capabilities.among(TELLING),
            None => spec.capabilities,
        }
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
