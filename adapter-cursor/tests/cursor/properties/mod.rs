//! What holds for any document, any outcome and any envelope. The generators make what is nearly
//! right, because that is what people write: valid ones with a wrong type, an unknown or doubled
//! key, an odd word, a byte order mark, an end cut off, or bytes that belong to nobody.

mod documents;
mod envelopes;
mod mutations;
mod outcomes;

use proptest::prelude::ProptestConfig;

/// Enough cases to find what is there to find in seconds; a failing one is printed, not kept.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}
