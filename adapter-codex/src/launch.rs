//! What to start for a handler: a process, a request, or a call of the host's.

use harness_hooks_core::{Binding, Launch, Occasion};

use crate::events::Row;

/// What to start for a binding.
pub(crate) fn launch(row: &Row, binding: &Binding, occasion: Occasion<'_>, stdin: &[u8]) -> Launch {
    let _ = (row, binding, occasion, stdin);
    Launch::Refused("not yet".into())
}
