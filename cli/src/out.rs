//! Where results go: standard output, whole or not at all. A reader that went away is no failure.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Text for people. Styles are taken out where there is no terminal, or where NO_COLOR says so.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// One JSON document on one line.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> Result<(), Failure> {
    let mut line = serde_json::to_vec(value).map_err(|error| Failure::output("the result", &error.into()))?;
    line.push(b'\n');
    bytes(&line)
}

/// These bytes and nothing else.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// What people should know beside the result.
pub(crate) fn aside(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes()); // nowhere is left to say that it failed
}

fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::output("to standard output", &error)),
        _ => Ok(()),
    }
}
