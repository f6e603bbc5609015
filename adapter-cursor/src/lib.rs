//! Cursor's hook contract: `hooks.json`, 21 events, the JSON a hook reads and the answers it may
//! give.
//!
//! **What it is.** One [`Adapter`], [`Cursor`], for
//! [`Snapshot::load`](harness_hooks_core::Snapshot::load). By default it reads a guard as no weaker
//! than its author asked for; [`Cursor::with_fidelity`] keeps to what Cursor's own program was
//! measured to do. The rules have ids (`CUR-OUT-07`) and stand in `docs/rules/cursor.md`, the events
//! in `docs/events-cursor.md`, the differences in `docs/departures.md`.
//!
//! **What it is not.** It starts nothing, writes nothing, and does not read Claude Code's files,
//! which Cursor also imports; the Claude adapter does. What becomes of several answers is
//! [`harness_hooks_core`]'s, and `harness-hooks-runner` starts the processes.
//!
//! ```
//! use harness_hooks_core::{Adapter, Asked, Exit, Outcome, Verdict};
//! use harness_hooks_cursor::Cursor;
//!
//! let cursor = Cursor::new();
//! let event = cursor.event("beforeShellExecution").expect("one of the 21");
//! let outcome = Outcome::new(Exit::Code(0)).stdout(r#"{"permission":"deny","agent_message":"no"}"#);
//! let effects = cursor.decode(Asked::new(event, "Acme", "./guard.sh"), &outcome);
//! assert_eq!(effects.verdict, Some(Verdict::Deny));
//! ```
//!
//! Every rule has one room. Facts of events are rows of the table in `events.rs`; files are found in
//! `sources.rs` and read in `config.rs`; `matcher.rs` says what a matcher is tested against;
//! `tools.rs` shows tool calls as Cursor does, and reads them back; `encode.rs` writes standard
//! input, `launch.rs` says what to start, `decode` reads what came back, and `read.rs` standard input
//! itself. Where the default differs from Cursor's own program is a row of `departures.rs`.

mod config;
mod decode;
mod departures;
mod encode;
mod events;
mod launch;
mod matcher;
mod read;
mod sources;
mod tools;

use std::sync::Arc;

use harness_hooks_core::{
    Adapter, Asked, Binding, Departure, Diagnostic, Effects, Envelope, EventId, EventSpec, Fidelity, Files,
    InputRewrite, Json, Launch, Misfit, Occasion, Outcome, Parsed, Places, ReadError, Reading, Source, Targets,
    ToolCall, ToolOutput, Vendor,
};

use departures::Ways;

/// The vendor's name.
pub const CURSOR: Vendor = Vendor::new("cursor");

/// Cursor's hook contract.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    ways: Ways,
}

impl Cursor {
    /// The contract, read so that a guard is never weaker than its author asked for.
    pub fn new() -> Self {
        Cursor::default()
    }

    /// The contract, or what Cursor's own program was measured to do. `docs/departures.md` lists
    /// every difference.
    pub fn with_fidelity(fidelity: Fidelity) -> Self {
        Cursor { ways: Ways::of(fidelity) }
    }

    /// The event of this name, spelled as `hooks.json` spells it.
    pub fn event(self, name: &str) -> Option<EventId> {
        events::by_name(self.ways, name).map(events::Row::id)
    }
}

impl Adapter for Cursor {
    fn vendor(&self) -> Vendor {
        CURSOR
    }

    fn events(&self) -> &'static [EventSpec] {
        events::events(self.ways)
    }

    fn surfaces(&self) -> &'static [&'static str] {
        events::SURFACES
    }

    fn sources(&self, places: &Places, files: &dyn Files) -> Vec<Source> {
        sources::sources(places, files)
    }

    fn parse(&self, source: &Arc<Source>, document: &[u8]) -> Parsed {
        config::parse(self.ways, source, document)
    }

    fn targets<'e>(&self, event: EventId, envelope: &'e Envelope) -> Targets<'e> {
        matcher::targets(events::row(self.ways, event), envelope)
    }

    fn encode(&self, event: EventId, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
        encode::encode(events::row(self.ways, event), occasion, out)
    }

    fn launch(&self, binding: &Binding, occasion: Occasion<'_>, _stdin: &[u8]) -> Launch {
        launch::launch(events::row(self.ways, binding.event), binding, occasion)
    }

    fn decode(&self, asked: Asked<'_>, outcome: &Outcome) -> Effects {
        decode::decode(events::row(self.ways, asked.event), asked, outcome)
    }

    fn rewrite(&self, call: &ToolCall, wish: &InputRewrite) -> Result<ToolCall, Misfit> {
        tools::rewrite(self.ways, call, wish)
    }

    fn rewrite_result(&self, call: &ToolCall, _output: &ToolOutput, wish: &Json) -> Result<ToolOutput, Misfit> {
        tools::rewrite_result(call, wish)
    }

    fn read(&self, document: &[u8]) -> Result<Reading, ReadError> {
        read::read(self.ways, document)
    }

    fn departures(&self) -> &'static [Departure] {
        &departures::DEPARTURES
    }

    fn facts(&self, event: EventId) -> Vec<(&'static str, String)> {
        events::facts(events::row(self.ways, event))
    }
}
