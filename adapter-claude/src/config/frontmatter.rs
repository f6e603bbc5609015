//! The frontmatter of a skill or an agent.

use std::sync::Arc;

use harness_hooks_core::{Parsed, Source};

use crate::departures::Ways;

pub(super) fn parse(ways: Ways, source: &Arc<Source>, bytes: &[u8]) -> Parsed {
    let _ = (ways, source, bytes);
    Parsed::default()
}
