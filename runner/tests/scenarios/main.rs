//! Whole scenarios: `hooks.json` files of a workspace, a home and a machine are read from disk,
//! envelopes are fired, and hooks in plain POSIX sh answer. Each expectation is a rule of
//! `docs/rules/cursor.md`, in `claude.rs` of `docs/rules/claude.md`. What an answer may say in detail is the adapter's tests; how a process
//! ends, `it`.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod approvals;
mod claude;
mod environment;
mod failures;
mod leaks;
mod loading;
mod probes;
mod rewrites;
mod scene;
mod sink;
mod timeouts;
