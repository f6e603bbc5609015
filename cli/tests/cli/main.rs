//! The command line as a caller meets it: every test runs the built binary.

#![cfg(unix)] // hooks of the tests are lines for a POSIX shell
#![allow(clippy::unwrap_used, reason = "what helpers of tests cannot do fails the test")]

mod claude;
mod codex;
mod common;
mod decode;
mod encode;
mod errors;
mod exit_codes;
mod fidelity;
mod hermetic;
mod human;
mod json;
mod processes;
mod reading;
mod state;
mod vendors;
