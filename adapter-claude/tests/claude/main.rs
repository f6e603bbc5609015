//! What every adapter must hold, and what is particular to this one.

#![allow(clippy::unwrap_used, reason = "what helpers of tests cannot do fails the test")]

mod common;
mod config;
mod decoding;
mod encoding;
#[cfg(feature = "frontmatter")]
mod frontmatter;
mod launch;
mod matching;
mod reading;
mod rewriting;
mod settling;
mod sources;

use harness_hooks_claude::Claude;
use harness_hooks_core::{Fidelity, testing::conformance};
use harness_hooks_fixtures::of;

/// CLA-ENC-01 among others: fixtures and vectors are part of it.
#[test]
fn the_adapter_holds_what_every_adapter_holds() {
    conformance::assert(&Claude::new(), &Claude::with_fidelity(Fidelity::Vendor), &of("claude"));
}
