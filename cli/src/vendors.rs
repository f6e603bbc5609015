//! Whose hook contracts this command knows: one line for each adapter, and `cargo xtask new-adapter`
//! adds one.

use std::sync::Arc;

use clap::ValueEnum;
use harness_hooks_core::Adapter;

use crate::args::Fidelity;

macro_rules! vendors {
    ($($(#[$doc:meta])* $name:ident = $adapter:path,)*) => {
        /// Whose hook contract it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(crate) enum Vendor {
            $($(#[$doc])* $name,)*
        }

        impl Vendor {
            /// Its contract, kept to this closely.
            pub(crate) fn adapter(self, fidelity: Fidelity) -> Arc<dyn Adapter> {
                let fidelity = fidelity.into();
                match self {
                    $(Vendor::$name => Arc::new(<$adapter>::with_fidelity(fidelity)),)*
                }
            }
        }
    };
}

vendors! {
    /// Cursor's `hooks.json`
    Cursor = harness_hooks_cursor::Cursor,
    /// Claude's `.claude/hooks.json`
    Claude = harness_hooks_claude::Claude,
    /// Codex's `.codex/hooks.json`
    Codex = harness_hooks_codex::Codex,
}

impl Vendor {
    /// Its name in core.
    pub(crate) fn name(self) -> harness_hooks_core::Vendor {
        self.adapter(Fidelity::default()).vendor()
    }
}
