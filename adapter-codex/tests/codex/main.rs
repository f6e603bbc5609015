//! What every adapter must hold, and what is particular to this one.

#![allow(clippy::unwrap_used, reason = "what helpers of tests cannot do fails the test")]

mod common;
mod config;
mod decoding;
mod encoding;
mod launch;
mod loops;
mod matching;
mod reading;
mod rewriting;
mod sources;
mod trust;

use harness_hooks_codex::Codex;
use harness_hooks_core::{Fidelity, testing::conformance};
use harness_hooks_fixtures::of;

/// CDX-ENC-01 among others: fixtures and vectors are part of it.
#[test]
fn the_adapter_holds_what_every_adapter_holds() {
    conformance::assert(&Codex::new(), &Codex::with_fidelity(Fidelity::Vendor), &of("codex"));
}
