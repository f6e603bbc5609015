//! The adapters of this workspace, in the order documents list them. `cargo xtask new-adapter` adds
//! a line.

use harness_hooks_core::{Adapter, Fidelity};

#[rustfmt::skip]
pub(crate) fn adapters(fidelity: Fidelity) -> Vec<Box<dyn Adapter>> {
    vec![
        Box::new(harness_hooks_cursor::Cursor::with_fidelity(fidelity)),
        Box::new(harness_hooks_claude::Claude::with_fidelity(fidelity)),
        Box::new(harness_hooks_codex::Codex::with_fidelity(fidelity)),
    ]
}
