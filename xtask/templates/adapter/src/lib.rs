//! __Type__'s hook contract: `.__vendor__/hooks.json`, one event, the JSON a hook reads and the
//! answers it may give.
//!
//! The rules have ids (`__ABC__-OUT-01`) and stand in `docs/rules/__vendor__.md`. This crate starts
//! nothing and writes nothing.
//!
//! ```
//! use harness_hooks_core::{Adapter, Asked, Exit, Outcome, Verdict};
//! use __crate__::__Type__;
//!
//! let vendor = __Type__::new();
//! let event = vendor.event("beforeShell").expect("one of its events");
//! let outcome = Outcome::new(Exit::Code(0)).stdout(r#"{"decision":"deny","reason":"no"}"#);
//! let effects = vendor.decode(Asked::new(event, "Acme", "./guard.sh"), &outcome);
//! assert_eq!(effects.verdict, Some(Verdict::Deny));
//! ```
//!
//! Every rule has one room. Facts of events are rows of the table in `events.rs`; files are found in
//! `sources.rs` and read in `config.rs`; `matcher.rs` says what a matcher is tested against;
//! `tools.rs` shows tool calls as the vendor does; `encode.rs` writes standard input, `launch.rs`
//! says what to start, and `decode.rs` reads what came back. Where the default differs from the
//! vendor's own program is a row of `departures.rs`.

mod config;
mod decode;
mod departures;
mod encode;
mod events;
mod launch;
mod matcher;
mod sources;
mod tools;

use std::sync::Arc;

use harness_hooks_core::{
    Adapter, Asked, Binding, Departure, Diagnostic, Effects, Envelope, EventId, EventSpec, Fidelity, Files, Launch,
    Occasion, Outcome, Parsed, Places, Source, Targets, Vendor,
};

use departures::Ways;

/// The vendor's name.
pub const __CONST__: Vendor = Vendor::new("__vendor__");

/// __Type__'s hook contract.
#[derive(Clone, Copy, Debug, Default)]
pub struct __Type__ {
    ways: Ways,
}

impl __Type__ {
    /// The contract, read so that a guard is never weaker than its author asked for.
    pub fn new() -> Self {
        __Type__::default()
    }

    /// The contract, or what the vendor's own program was measured to do. `docs/departures.md` lists
    /// every difference.
    pub fn with_fidelity(fidelity: Fidelity) -> Self {
        __Type__ { ways: Ways::of(fidelity) }
    }

    /// The event of this name, spelled as the configuration spells it.
    pub fn event(self, name: &str) -> Option<EventId> {
        events::by_name(name).map(events::Row::id)
    }
}

impl Adapter for __Type__ {
    fn vendor(&self) -> Vendor {
        __CONST__
    }

    fn events(&self) -> &'static [EventSpec] {
        &events::SPECS
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
        decode::decode(events::row(asked.event), self.ways, asked, outcome)
    }

    fn departures(&self) -> &'static [Departure] {
        &departures::DEPARTURES
    }

    fn facts(&self, event: EventId) -> Vec<(&'static str, String)> {
        events::facts(events::row(event))
    }
}
