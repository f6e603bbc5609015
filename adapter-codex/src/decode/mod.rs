//! What came back from a hook as effects. What differs between events is read from their rows.

use harness_hooks_core::{Asked, Effects, Outcome};

use crate::{departures::Ways, events::Row};

/// Reads an outcome. Total.
pub(crate) fn decode(row: &Row, ways: Ways, asked: Asked<'_>, outcome: &Outcome) -> Effects {
    let _ = (row, ways, asked, outcome);
    Effects::default()
}
