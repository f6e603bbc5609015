//! Standard input back to an envelope.

use harness_hooks_core::{ReadError, Reading};

/// Reads standard input of any event.
pub(crate) fn read(document: &[u8]) -> Result<Reading, ReadError> {
    let _ = document;
    Err(ReadError("not yet".into()))
}
