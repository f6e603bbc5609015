//! One row of a vendor's event table: the part core needs. Adapters keep their own richer rows
//! beside it.

use std::time::Duration;

use crate::{Boundary, Capabilities, Facet, Moment};

/// The place of an event in its adapter's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u16);

impl EventId {
    /// The index into [`Adapter::events`](crate::Adapter::events).
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The strongest thing an event's hooks can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Control {
    /// Allow, ask or deny an operation.
    Verdict,
    /// Keep a prompt from being sent.
    PromptHalt,
    /// Make the agent go on.
    Continuation,
    /// Nothing: they watch.
    Observe,
}

impl Control {
    /// Whether a hook here can keep something from happening. A continuation keeps nothing from
    /// happening.
    pub const fn can_block(self) -> bool {
        matches!(self, Control::Verdict | Control::PromptHalt)
    }
}

/// One event of a vendor.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EventSpec {
    /// As the vendor spells it.
    pub name: &'static str,
    /// Every moment it happens at.
    pub moments: &'static [Moment],
    /// The strongest thing its hooks can do.
    pub control: Control,
    /// All its hooks can do.
    pub capabilities: Capabilities,
    /// It has something a matcher is tested against.
    pub matcher: bool,
    /// The vendor's own default timeout; `None` leaves it to the host.
    pub timeout: Option<Duration>,
    /// The vendor's surfaces it does not happen on.
    pub not_on: &'static [&'static str],
}

impl EventSpec {
    /// An event whose hooks watch, that has no matcher and happens on every surface.
    pub const fn new(name: &'static str, moments: &'static [Moment]) -> Self {
        EventSpec {
            name,
            moments,
            control: Control::Observe,
            capabilities: Capabilities::NONE,
            matcher: false,
            timeout: None,
            not_on: &[],
        }
    }

    /// Its hooks can do this at most.
    pub const fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    /// Its hooks can do these things.
    pub const fn can(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// It has something a matcher is tested against.
    pub const fn matches(mut self) -> Self {
        self.matcher = true;
        self
    }

    /// The vendor's own default timeout.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// It does not happen on these surfaces.
    pub const fn not_on(mut self, surfaces: &'static [&'static str]) -> Self {
        self.not_on = surfaces;
        self
    }

    /// The moment at which it happens on this boundary for this kind of call.
    pub fn moment(&self, boundary: Boundary, facet: Option<Facet>) -> Option<Moment> {
        self.moments.iter().copied().find(|m| m.boundary == boundary && (m.facet.is_none() || m.facet == facet))
    }
}
