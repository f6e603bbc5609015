//! The event table: every fact about an event that another room needs is in its row, and nowhere
//! else. A `match` on the event in another room only picks code of that event's own.

use harness_hooks_core::{Boundary, Capabilities, Control, EventId, EventSpec, Facet, Moment};

/// The events, in the vendor's order. __ABC__-EVT-01
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    BeforeShell,
}

/// What a matcher is tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The whole command. __ABC__-MATCH-01
    Command,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) spec: EventSpec,
    event: Event,
    pub(crate) target: Target,
    /// What a reason written by us calls the thing that was refused.
    pub(crate) noun: &'static str,
}

impl Row {
    const fn new(event: Event, name: &'static str, moments: &'static [Moment], target: Target) -> Self {
        Row { spec: EventSpec::new(name, moments).matches(), event, target, noun: "" }
    }

    /// It allows, asks or denies.
    const fn decides(mut self, noun: &'static str) -> Self {
        self.spec = self.spec.control(Control::Verdict).can(Capabilities::VERDICT);
        self.noun = noun;
        self
    }

    /// Its place in the table.
    pub(crate) const fn id(&self) -> EventId {
        EventId(self.event as u16)
    }

    /// As the configuration spells it.
    pub(crate) const fn name(&self) -> &'static str {
        self.spec.name
    }
}

const SHELL: Moment = Moment::of(Boundary::ToolBefore).facet(Facet::Shell);

static TABLE: [Row; 1] =
    [Row::new(Event::BeforeShell, "beforeShell", &[SHELL], Target::Command).decides("shell command")];

/// The part of each row that core needs.
pub(crate) static SPECS: [EventSpec; TABLE.len()] = {
    let mut specs = [TABLE[0].spec; TABLE.len()];
    let mut n = 0;
    while n < specs.len() {
        assert!(TABLE[n].event as usize == n, "the table is in the order of the enum");
        specs[n] = TABLE[n].spec;
        n += 1;
    }
    specs
};

/// The row of an event. Ids come from this table; one of another vendor's reads as the last row.
pub(crate) fn row(id: EventId) -> &'static Row {
    &TABLE[id.index().min(TABLE.len() - 1)]
}

/// The row of this name, compared exactly.
pub(crate) fn by_name(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name() == name)
}

/// The vendor's own columns of the printed table.
pub(crate) fn facts(row: &Row) -> Vec<(&'static str, String)> {
    let target = match row.target {
        Target::Command => "command",
    };
    vec![
        ("matcher target", target.into()),
        ("reads", "decision, reason".into()),
        ("malformed output", "denies".into()),
        ("blank output", "missing decision: failClosed or strict denies".into()),
    ]
}
