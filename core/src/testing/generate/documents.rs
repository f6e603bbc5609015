//! Configuration documents, nearly right.

use proptest::{collection::vec, prelude::*};

use super::{damage, json};

/// A document that is nearly one of the seeds, damaged up to twice, and now and then bytes of
/// nobody.
pub fn documents(seeds: &[Vec<u8>]) -> impl Strategy<Value = Vec<u8>> + use<> {
    let damaged = (json::near(seeds), damage(), damage()).prop_map(|(seed, first, second)| second.of(&first.of(&seed)));
    prop_oneof![6 => json::near(seeds), 6 => damaged, 1 => vec(any::<u8>(), 0..200)]
}
