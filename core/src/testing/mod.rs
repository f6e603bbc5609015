//! What an adapter is tested with: golden cases as data, generators of what hooks and people write,
//! and the laws every adapter must hold ([`conformance`]). Behind the feature `testing`; nothing of
//! it is compiled into a host.
//!
//! | below a vendor's folder | cases | read by |
//! |---|---|---|
//! | `vectors/*.json` | what a hook printed, and what it asked for by that | [`vectors`] |
//! | `events/<event>/` | an envelope and its standard input; an answer and its effects | [`events`] |
//! | `config/<case>/` | a document, its bindings and diagnostics | [`configs`] |
//!
//! [`decisions`] reads what several hooks asked for, and what the host must do; no vendor has a part
//! in that.
//!
//! A file with a key nobody reads, or without one that is needed, is an error that names the file:
//! a case that silently tests nothing is worse than none.

pub mod conformance;
pub mod generate;

mod configs;
mod decisions;
mod events;
mod expect;
mod read;
mod vectors;

use crate::{Boundary, Host};

pub use configs::{Answer, ConfigCase, ExpectedBinding, ExpectedParsed, configs};
pub use decisions::{DecisionCase, DecisionFile, Given, GivenEffects, GivenHost, GivenRewrite, GivenSource, decisions};
pub use events::{EventCase, EventFolder, events};
pub use expect::{ExpectedContinuation, ExpectedEffects, ExpectedHalt, Mismatch, Said, codes};
pub use read::LoadError;
pub use vectors::{GivenOutcome, Group, OwnWay, Run, VectorFile, vectors};

/// A host of tests, which fires everywhere.
pub fn host(name: &str, version: &str) -> Host {
    Host::new(name, version).fires(Boundary::ALL.iter().copied())
}

/// The host of fixtures that name no other.
pub fn acme() -> Host {
    host("Acme", "1.2.3")
}
