//! How close an adapter keeps to its vendor's program, and the places where it does not.

use serde::{Deserialize, Serialize};

/// How close an adapter keeps to its vendor's program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fidelity {
    /// The vendor's contract, read so that a guard is never weaker than its author asked for.
    #[default]
    Guarded,
    /// What the vendor's program was measured to do.
    Vendor,
}

impl Fidelity {
    /// Both.
    pub const ALL: [Fidelity; 2] = [Fidelity::Guarded, Fidelity::Vendor];

    /// The word used in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Fidelity::Guarded => "guarded",
            Fidelity::Vendor => "vendor",
        }
    }
}

/// A place where [`Fidelity::Guarded`] differs from what the vendor's program was measured to do. A
/// difference that is no departure is a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Departure {
    /// Its name, which vectors and documents use.
    pub id: &'static str,
    /// The events it shows at; empty for all of them, or where it is not about events.
    pub events: &'static [&'static str],
    /// What the vendor does.
    pub vendor: &'static str,
    /// What this library does instead.
    pub guarded: &'static str,
    /// How the vendor's behaviour is known.
    pub evidence: &'static str,
    /// Why no decode vector can show it; `None` where one does.
    pub not_in_vectors: Option<&'static str>,
}

impl Departure {
    /// A departure that decode vectors show.
    pub const fn new(
        id: &'static str,
        events: &'static [&'static str],
        vendor: &'static str,
        guarded: &'static str,
        evidence: &'static str,
    ) -> Self {
        Departure { id, events, vendor, guarded, evidence, not_in_vectors: None }
    }

    /// No decode vector can show it; something else does.
    pub const fn shown_by(mut self, what: &'static str) -> Self {
        self.not_in_vectors = Some(what);
        self
    }
}
