//! What Cursor's contract says of any document, any outcome and any envelope. What holds for every
//! vendor is in the conformance kit.

mod documents;
mod envelopes;
mod outcomes;

use proptest::prelude::ProptestConfig;

/// Enough cases to find what is there to find in seconds; a failing one is printed, not kept.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}
