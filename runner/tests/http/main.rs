//! Hooks that are requests, against a real server on this machine.

#![cfg(all(feature = "http", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod asking;
mod ends;
mod server;
mod tls;

use harness_hooks_core::{Http, Invocation, Launch, Outcome};
use harness_hooks_runner::{Cancel, Limits, run};

/// A hook that is this request.
fn hook(request: Http) -> Invocation {
    common::launch(Launch::Http(request))
}

async fn asked(request: Http) -> Outcome {
    run(&hook(request), &Limits::default(), &Cancel::never()).await
}
