//! Cursor's hook contract: `hooks.json`, 21 events, the JSON a hook reads and the answers it may
//! give.
//!
//! The rules have ids (`CUR-OUT-07`) and stand in `docs/rules/cursor.md`. What this crate is not:
//! it starts nothing, writes nothing, and does not read Claude Code's files, which Cursor also
//! imports; the Claude adapter does.
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
//! input, `launch.rs` says what to start, `decode.rs` reads what came back.

mod config;
mod decode;
mod encode;
mod events;
mod launch;
mod matcher;
mod sources;
mod tools;

use std::sync::Arc;

use harness_hooks_core::{
    Adapter, Asked, Binding, Diagnostic, Effects, Envelope, EventId, EventSpec, Files, InputRewrite, Json, Launch,
    Misfit, Occasion, Outcome, Parsed, Places, Source, Targets, ToolCall, ToolOutput, Vendor,
};

/// The vendor's name.
pub const CURSOR: Vendor = Vendor::new("cursor");

/// Cursor's hook contract.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Cursor {}

impl Cursor {
    /// The contract, read so that a guard is never weaker than its author asked for.
    pub fn new() -> Self {
        Cursor {}
    }

    /// The event of this name, spelled as `hooks.json` spells it.
    pub fn event(self, name: &str) -> Option<EventId> {
        events::by_name(name).map(events::Row::id)
    }
}

impl Adapter for Cursor {
    fn vendor(&self) -> Vendor {
        CURSOR
    }

    fn events(&self) -> &'static [EventSpec] {
        &events::SPECS
    }

    fn surfaces(&self) -> &'static [&'static str] {
        events::SURFACES
    }

    fn sources(&self, places: &Places, files: &dyn Files) -> Vec<Source> {
        sources::sources(places, files)
    }

    fn parse(&self, source: &Arc<Source>, document: &[u8]) -> Parsed {
        config::parse(source, document)
    }

    fn targets<'e>(&self, event: EventId, envelope: &'e Envelope) -> Targets<'e> {
        matcher::targets(events::row(event), envelope)
    }

    fn encode(&self, event: EventId, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
        encode::encode(events::row(event), occasion, out)
    }

    fn launch(&self, binding: &Binding, occasion: Occasion<'_>, _stdin: &[u8]) -> Launch {
        launch::launch(binding, occasion)
    }

    fn decode(&self, asked: Asked<'_>, outcome: &Outcome) -> Effects {
        decode::decode(events::row(asked.event), asked, outcome)
    }

    fn rewrite(&self, call: &ToolCall, wish: &InputRewrite) -> Result<ToolCall, Misfit> {
        tools::rewrite(call, wish)
    }

    fn rewrite_result(&self, call: &ToolCall, _output: &ToolOutput, wish: &Json) -> Result<ToolOutput, Misfit> {
        tools::rewrite_result(call, wish)
    }

    fn facts(&self, event: EventId) -> Vec<(&'static str, String)> {
        events::facts(events::row(event))
    }
}
