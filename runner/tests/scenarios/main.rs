//! Whole scenarios: `hooks.json` files of a workspace, a home and a machine are read from disk,
//! envelopes are fired, and hooks in plain POSIX sh answer. Each expectation is a rule of
//! `docs/rules/` or of `docs/merging.md`. What an answer may say in detail is the adapters' tests; how
//! a process ends, `it`. What several vendors' hooks do in one workspace is in the second half.

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

mod composition;
mod disagreement;
mod duplicates;
mod explanations;
mod islands;
mod laws;
mod loops;
mod news;
mod second_rounds;
