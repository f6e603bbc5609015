//! Claude Code's hook contract: the `hooks` of its settings files, 34 events, the JSON a hook reads
//! and the answers it may give.
//!
//! **What it is.** One [`Adapter`], [`Claude`], for
//! [`Snapshot::load`](harness_hooks_core::Snapshot::load). By default a refusal that a hook managed
//! to say is never lost to a detail of its form; [`Claude::with_fidelity`] keeps to what the program
//! was measured to do. The rules have ids (`CLA-OUT-07`) and stand in `docs/rules/claude.md`, the
//! events in `docs/events-claude.md`, the differences in `docs/departures.md`.
//!
//! **What it is not.** It starts nothing, sends nothing, writes nothing, and reads files only through
//! [`Files`]. What becomes of several answers is [`harness_hooks_core`]'s, and
//! `harness-hooks-runner` starts the processes.
//!
//! ```
//! use harness_hooks_core::{Adapter, Asked, Exit, Outcome, Verdict};
//! use harness_hooks_claude::Claude;
//!
//! let claude = Claude::new();
//! let event = claude.event("PreToolUse").expect("one of the 34");
//! let outcome = Outcome::new(Exit::Code(2)).stderr("not on a Friday");
//! let effects = claude.decode(Asked::new(event, "Acme", "./guard.sh"), &outcome);
//! assert_eq!(effects.verdict, Some(Verdict::Deny));
//! assert_eq!(effects.reasons[0], "not on a Friday");
//! ```
//!
//! Every rule has one room. Facts of events are rows of the table in `events.rs`; files are found in
//! `sources.rs` and read in `config`, and what they say about each other is `settle.rs`;
//! `matcher.rs` says what a matcher is tested against and `condition` whether an `if` holds;
//! `tools` shows tool calls as Claude Code does, and reads them back; `encode` writes standard
//! input, `launch` says what to start, `decode` reads what came back, and `read` standard input
//! itself. Where the default differs from Claude Code's own way is a row of `departures.rs`.
//!
//! The feature `frontmatter` also reads the hooks in the frontmatter of skills and agents.

mod condition;
mod config;
mod decode;
mod departures;
mod encode;
mod events;
mod launch;
mod matcher;
mod read;
mod settle;
mod sources;
mod tools;

use std::sync::Arc;

use harness_hooks_core::{
    Adapter, Asked, Binding, Departure, Diagnostic, Document, Effects, Envelope, EventId, EventSpec, Fidelity, Files,
    InputRewrite, Json, Launch, Misfit, Occasion, Outcome, Parsed, Places, ReadError, Reading, Source, Targets,
    ToolCall, ToolOutput, Vendor,
};

use departures::Ways;

/// The vendor's name.
pub const CLAUDE: Vendor = Vendor::new("claude");

/// Claude Code's hook contract.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claude {
    ways: Ways,
}

impl Claude {
    /// The contract, read so that no refusal is lost to its form.
    pub fn new() -> Self {
        Claude::default()
    }

    /// The contract, or what Claude Code itself was measured to do. `docs/departures.md` lists every
    /// difference.
    pub fn with_fidelity(fidelity: Fidelity) -> Self {
        Claude { ways: Ways::of(fidelity) }
    }

    /// The event of this name, spelled as settings spell it.
    pub fn event(self, name: &str) -> Option<EventId> {
        events::by_name(name).map(events::Row::id)
    }
}

impl Adapter for Claude {
    fn vendor(&self) -> Vendor {
        CLAUDE
    }

    fn events(&self) -> &'static [EventSpec] {
        &events::SPECS
    }

    fn sources(&self, places: &Places, files: &dyn Files) -> Vec<Source> {
        sources::sources(places, files)
    }

    fn parse(&self, source: &Arc<Source>, document: &[u8]) -> Parsed {
        config::parse(self.ways, source, document)
    }

    fn settle(&self, documents: &mut [Document], places: &Places) {
        settle::settle(self.ways, documents, places);
    }

    fn targets<'e>(&self, event: EventId, envelope: &'e Envelope) -> Targets<'e> {
        matcher::targets(events::row(event), envelope)
    }

    fn encode(&self, event: EventId, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
        encode::encode(events::row(event), occasion, out)
    }

    fn launch(&self, binding: &Binding, occasion: Occasion<'_>, stdin: &[u8]) -> Launch {
        launch::launch(events::row(binding.event), binding, occasion, stdin)
    }

    fn decode(&self, asked: Asked<'_>, outcome: &Outcome) -> Effects {
        decode::decode(events::row(asked.event), self.ways, asked, outcome)
    }

    fn detaches(&self, _: EventId, line: &[u8]) -> bool {
        decode::detaches(line)
    }

    fn rewrite(&self, call: &ToolCall, wish: &InputRewrite) -> Result<ToolCall, Misfit> {
        tools::rewrite(call, wish)
    }

    fn rewrite_result(&self, call: &ToolCall, output: &ToolOutput, wish: &Json) -> Result<ToolOutput, Misfit> {
        tools::rewrite_result(call, output, wish)
    }

    fn read(&self, document: &[u8]) -> Result<Reading, ReadError> {
        read::read(document)
    }

    fn departures(&self) -> &'static [Departure] {
        &departures::DEPARTURES
    }

    fn facts(&self, event: EventId) -> Vec<(&'static str, String)> {
        events::facts(events::row(event))
    }
}
