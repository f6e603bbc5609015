//! The kit finds what is wrong: an adapter that breaks every law is told so, law by law.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Arc, LazyLock},
};

use harness_hooks_core::{
    Adapter, Asked, Binding, Capabilities, Departure, Diagnostic, Effects, Envelope, EventId, EventSpec, FailureMode,
    Files, Launch, Occasion, Outcome, Parsed, Places, ReadError, Reading, Source, Targets, Vendor, Verdict,
    testing::conformance,
};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::of;

/// Cursor's rows, the first of which decides nothing and says it does.
static EVENTS: LazyLock<Vec<EventSpec>> = LazyLock::new(|| {
    let mut events = Cursor::new().events().to_vec();
    events[0].capabilities = events[0].capabilities.and(Capabilities::VERDICT);
    events
});

/// Cursor's contract with something wrong in every room.
#[derive(Debug)]
struct Bent(Cursor);

impl Adapter for Bent {
    fn vendor(&self) -> Vendor {
        self.0.vendor()
    }

    fn events(&self) -> &'static [EventSpec] {
        &EVENTS
    }

    fn surfaces(&self) -> &'static [&'static str] {
        self.0.surfaces()
    }

    fn sources(&self, places: &Places, files: &dyn Files) -> Vec<Source> {
        self.0.sources(places, files)
    }

    fn parse(&self, source: &Arc<Source>, document: &[u8]) -> Parsed {
        let mut parsed = self.0.parse(source, document);
        parsed.diagnostics.push(Diagnostic::note("cursor/lost", "it has no place"));
        parsed
    }

    fn targets<'e>(&self, event: EventId, envelope: &'e Envelope) -> Targets<'e> {
        self.0.targets(event, envelope)
    }

    fn encode(&self, event: EventId, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
        let diagnostics = self.0.encode(event, occasion, out);
        out.push(b'\n');
        diagnostics
    }

    fn launch(&self, binding: &Binding, occasion: Occasion<'_>, stdin: &[u8]) -> Launch {
        self.0.launch(binding, occasion, stdin)
    }

    /// Caution makes it weaker, and an open one denies everything without a reason.
    fn decode(&self, asked: Asked<'_>, outcome: &Outcome) -> Effects {
        let mut effects = self.0.decode(asked, outcome);
        if asked.failure == FailureMode::Open {
            effects.verdict = Some(Verdict::Deny);
            effects.reasons.clear();
        }
        effects
    }

    fn read(&self, document: &[u8]) -> Result<Reading, ReadError> {
        let mut reading = self.0.read(document)?;
        reading.ignored.push("/lost".into());
        Ok(reading)
    }

    fn departures(&self) -> &'static [Departure] {
        &[]
    }
}

#[test]
fn an_adapter_that_breaks_every_law_is_told_so() {
    let bent = Bent(Cursor::new());
    let report = conformance::check(&bent, &bent, &of("cursor"));
    let laws: BTreeSet<&str> = report.faults.iter().map(|fault| fault.law).collect();
    assert_eq!(laws.len(), 11, "{laws:#?}");
    let text = report.to_string();
    assert!(laws.iter().all(|law| text.contains(law)), "{text}");
}

#[test]
fn fixtures_that_cannot_be_read_are_a_fault() {
    let report = conformance::check(&Cursor::new(), &Cursor::new(), Path::new("nowhere"));
    assert_eq!(report.faults.len(), 1);
    assert!(report.to_string().contains("nowhere"), "{report}");
}
