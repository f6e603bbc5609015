//! The adapters of this workspace, in the order documents list them.

use harness_hooks_core::Adapter;
use harness_hooks_cursor::Cursor;

pub(crate) fn adapters() -> Vec<Box<dyn Adapter>> {
    vec![Box::new(Cursor::new())]
}
