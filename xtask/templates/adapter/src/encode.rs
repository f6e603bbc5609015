//! An envelope as the JSON a hook reads on standard input. Tool calls inside it are `tools.rs`.

use std::path::Path;

use harness_hooks_core::{Diagnostic, Occasion};
use serde::Serialize;

use crate::{__CONST__, events::Row, tools};

/// The keys in the vendor's order. __ABC__-ENC-01
#[derive(Serialize)]
struct Stdin<'a> {
    event: &'static str,
    session: &'a str,
    cwd: Option<&'a str>,
    command: Option<&'a str>,
}

/// Writes standard input for an event. Total: an envelope the event is not about has `command` null.
pub(crate) fn encode(row: &Row, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
    let session = &occasion.envelope.session;
    let shell = occasion.envelope.payload.call().and_then(tools::shell);
    let cwd: &Path = shell.and_then(|shell| shell.cwd.as_deref()).unwrap_or(&session.cwd);
    let command = shell.map(|shell| shell.command.as_str());
    let stdin = Stdin { event: row.name(), session: &session.id, cwd: cwd.to_str(), command };
    if serde_json::to_writer(&mut *out, &stdin).is_err() {
        // only a value with keys that are not text could do this, and there is none
        out.extend_from_slice(b"null");
    }
    let unwritable = || {
        let message = format!("`cwd` is null: {} is not valid text", cwd.display());
        Diagnostic::note(format!("{__CONST__}/unwritable-value"), message)
    };
    cwd.to_str().is_none().then(unwritable).into_iter().collect()
}
