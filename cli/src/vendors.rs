//! Whose hook contracts this command knows: one line for each adapter, and `cargo xtask new-adapter`
//! adds one.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use clap::ValueEnum;
use harness_hooks_core::{Adapter, Places};

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
    /// Claude Code's `settings.json`
    Claude = harness_hooks_claude::Claude,
    /// Codex's `hooks.json` and `config.toml`
    Codex = harness_hooks_codex::Codex,
}

impl Vendor {
    /// Its name in core.
    pub(crate) fn name(self) -> harness_hooks_core::Vendor {
        self.adapter(Fidelity::default()).vendor()
    }

    /// Whose file lies at such a path: the first vendor's that looks for one there, below a project or
    /// a home.
    pub(crate) fn of_file(path: &Path) -> Option<Vendor> {
        let places = Places::new("/").home(Path::new("/").to_path_buf());
        let looks_there = |vendor: &&Vendor| {
            let sources = vendor.adapter(Fidelity::default()).sources(&places, &BTreeMap::new());
            sources.iter().any(|source| source.path.strip_prefix("/").is_ok_and(|below| path.ends_with(below)))
        };
        Vendor::value_variants().iter().find(looks_there).copied()
    }
}
