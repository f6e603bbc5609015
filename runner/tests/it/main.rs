//! The runner with real processes. `/proc` tells which of them are left, so this is for Linux.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../common/mod.rs"]
mod common;

mod background;
mod budgets;
mod calls;
mod disk;
mod dispatcher;
mod dropped;
mod endings;
mod leaks;
mod not_started;
mod pipes;
mod surroundings;
mod tiny;
