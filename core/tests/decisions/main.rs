//! Core without any vendor: decisions as written, and the laws of merging and resolving. One program,
//! so that it is linked once.

#![allow(clippy::unwrap_used, reason = "what helpers of tests cannot do fails the test")]

mod fixtures;
mod laws;
mod tiny;
