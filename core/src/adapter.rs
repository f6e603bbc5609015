//! A vendor's contract, as core asks about it. What the answers are is the adapters'.

use std::{fmt, sync::Arc};

use crate::{
    Binding, Departure, Diagnostic, Document, Effects, Envelope, EventId, EventSpec, FailureMode, Files, Handler, Host,
    InputRewrite, Json, Launch, Outcome, Parsed, Places, SessionState, Source, Targets, Text, ToolCall, ToolOutput,
    Vendor,
};

/// All an encoder or a launcher may look at.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Occasion<'a> {
    /// What happens.
    pub envelope: &'a Envelope,
    /// The runtime it happens in.
    pub host: &'a Host,
    /// What earlier hooks of the session left behind.
    pub state: &'a SessionState,
}

impl<'a> Occasion<'a> {
    /// An occasion.
    pub fn new(envelope: &'a Envelope, host: &'a Host, state: &'a SessionState) -> Self {
        Occasion { envelope, host, state }
    }
}

/// All a decoder may look at. It needs no binding, so that one can be asked from the command line.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Asked<'a> {
    /// The event.
    pub event: EventId,
    /// The host's name, for reasons written by us.
    pub host: &'a str,
    /// What the definition says a failure means.
    pub failure: FailureMode,
    /// The host's strict policy.
    pub strict: bool,
    /// The definition's loop limit.
    pub loop_limit: Option<u32>,
    /// How reasons written by us name the hook: its command, as it was written.
    pub label: &'a str,
    /// Protected names that hooks may set in later hooks' environment all the same.
    pub allowed_env: &'a [String],
    /// What the hook was asked about, where it is known.
    pub envelope: Option<&'a Envelope>,
    /// What ran, where it is known; a process otherwise.
    pub handler: Option<&'a Handler>,
}

impl<'a> Asked<'a> {
    /// A hook of an event that fails open, in a host that is not strict.
    pub fn new(event: EventId, host: &'a str, label: &'a str) -> Self {
        Asked {
            event,
            host,
            failure: FailureMode::Open,
            strict: false,
            loop_limit: None,
            label,
            allowed_env: &[],
            envelope: None,
            handler: None,
        }
    }

    /// What a failure means.
    pub fn failure(mut self, failure: FailureMode) -> Self {
        self.failure = failure;
        self
    }

    /// The host's strict policy.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// The definition's loop limit.
    pub fn loop_limit(mut self, limit: Option<u32>) -> Self {
        self.loop_limit = limit;
        self
    }

    /// Protected names hooks may set all the same.
    pub fn allowed_env(mut self, names: &'a [String]) -> Self {
        self.allowed_env = names;
        self
    }

    /// What ran.
    pub fn handler(mut self, handler: impl Into<Option<&'a Handler>>) -> Self {
        self.handler = handler.into();
        self
    }

    /// What the hook was asked about.
    pub fn envelope(mut self, envelope: impl Into<Option<&'a Envelope>>) -> Self {
        self.envelope = envelope.into();
        self
    }
}

/// A rewrite that is no call of this tool any more, or no result: why, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(pub Text);

/// What a hook's standard input says, in no vendor's words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// Which event it is of.
    pub event: EventId,
    /// What happens. Its time is 0: no vendor says when.
    pub envelope: Envelope,
    /// What earlier hooks of the session left behind, as far as it shows.
    pub state: SessionState,
    /// Keys that say nothing an envelope could hold: JSON pointers.
    pub ignored: Vec<String>,
}

impl Reading {
    /// Nothing ignored.
    pub fn new(event: EventId, envelope: Envelope, state: SessionState) -> Self {
        Reading { event, envelope, state, ignored: Vec::new() }
    }
}

/// Why a document is no hook's standard input of this vendor, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(pub Text);

/// One vendor's contract. Object-safe and stateless; it reads files only through [`Files`].
pub trait Adapter: fmt::Debug + Send + Sync {
    /// Whose contract it is.
    fn vendor(&self) -> Vendor;

    /// The event table, in the vendor's order.
    fn events(&self) -> &'static [EventSpec];

    /// The surfaces of the vendor that events tell apart.
    fn surfaces(&self) -> &'static [&'static str] {
        &[]
    }

    /// Every document that may hold hooks, whether it exists or not, in merge order.
    fn sources(&self, places: &Places, files: &dyn Files) -> Vec<Source>;

    /// What a document defines. Total: any bytes give bindings, diagnostics, or both.
    fn parse(&self, source: &Arc<Source>, document: &[u8]) -> Parsed;

    /// What one document says about another.
    fn settle(&self, documents: &mut [Document], places: &Places) {
        let _ = (documents, places);
    }

    /// What matchers of an event are tested against in this envelope.
    fn targets<'e>(&self, event: EventId, envelope: &'e Envelope) -> Targets<'e>;

    /// Writes standard input for an event. Total: a value that cannot be written is `null` and a
    /// note; an event handed an envelope it is not about gets the common fields.
    fn encode(&self, event: EventId, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic>;

    /// What to start for a binding.
    fn launch(&self, binding: &Binding, occasion: Occasion<'_>, stdin: &[u8]) -> Launch;

    /// What a hook asked for. Total: any bytes, any exit.
    fn decode(&self, asked: Asked<'_>, outcome: &Outcome) -> Effects;

    /// Whether a hook whose first line on standard output is this, its end included, wants nobody to
    /// wait for it any longer. Then that line is its answer, and what comes later goes to
    /// [`Snapshot::afterwards`](crate::Snapshot::afterwards).
    fn detaches(&self, event: EventId, line: &[u8]) -> bool {
        let _ = (event, line);
        false
    }

    /// The call as a hook wants it. What the vendor's view of the call does not show is kept.
    ///
    /// # Errors
    /// When the wish is no call of this tool any more.
    fn rewrite(&self, call: &ToolCall, wish: &InputRewrite) -> Result<ToolCall, Misfit> {
        let _ = (call, wish);
        Err(Misfit("hooks of this vendor rewrite no input".into()))
    }

    /// The result as a hook wants it.
    ///
    /// # Errors
    /// When the wish is no result of this tool.
    fn rewrite_result(&self, call: &ToolCall, output: &ToolOutput, wish: &Json) -> Result<ToolOutput, Misfit> {
        let _ = (call, output, wish);
        Err(Misfit("hooks of this vendor rewrite no result".into()))
    }

    /// Reads a hook's standard input back: what [`encode`](Self::encode) wrote, or the vendor's
    /// program.
    ///
    /// # Errors
    /// When it is not standard input of one of this vendor's events.
    fn read(&self, document: &[u8]) -> Result<Reading, ReadError> {
        let _ = document;
        Err(ReadError("standard input of this vendor's hooks cannot be read back".into()))
    }

    /// Where this adapter's default differs from what the vendor's program was measured to do.
    fn departures(&self) -> &'static [Departure] {
        &[]
    }

    /// The vendor's own columns of the printed event table.
    fn facts(&self, event: EventId) -> Vec<(&'static str, String)> {
        let _ = event;
        Vec::new()
    }
}

const _: fn(&dyn Adapter) = |_| {}; // object safety, checked where the trait is declared
