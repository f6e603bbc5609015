//! The Cursor adapter held to its rules, fixtures and named tests. One program, so that it is linked
//! once.

#![allow(clippy::unwrap_used, reason = "what helpers of tests cannot do fails the test")]

mod common;
mod config;
mod conformance;
mod contract;
mod encoding;
mod kit;
mod launch;
mod matching;
mod properties;
mod reading;
mod rewriting;
mod snapshots;
mod sources;
mod stages;
mod table;
