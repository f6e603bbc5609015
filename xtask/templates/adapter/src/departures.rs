//! Where the default differs from what the vendor's own program was measured to do: one row each,
//! and the only place that looks at the fidelity. Other rooms ask for a row by its [`Way`].

use harness_hooks_core::{Departure, Fidelity};

/// A departure that some room asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    MalformedOutput,
}

/// The ways of one fidelity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ways(Fidelity);

impl Ways {
    pub(crate) const fn of(fidelity: Fidelity) -> Self {
        Ways(fidelity)
    }

    /// Whether the vendor's own way is taken, not ours.
    pub(crate) const fn vendors(self, _: Way) -> bool {
        matches!(self.0, Fidelity::Vendor)
    }
}

/// Every departure.
pub(crate) static DEPARTURES: [Departure; 1] = [Departure::new(
    "malformed-output",
    &["beforeShell"],
    "output that is not the agreed JSON is no opinion and the command runs",
    "a denial that says what to print",
    "assumed; to be measured",
)];
