//! Whose hook contracts this command knows: one line for each adapter, and `cargo xtask new-adapter`
//! adds one.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use clap::ValueEnum;
use harness_hooks_core::{Adapter, Places, Scope, Source};
use harness_hooks_runner::Disk;

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

    /// Whose file this is: the first vendor's that looks for one where it lies.
    pub(crate) fn of_file(path: &Path, places: &Places) -> Option<Vendor> {
        let all = Vendor::value_variants();
        let of_a_plugin = || all.iter().find(|vendor| vendor.has_plugin(path));
        let lies_there = || all.iter().find(|vendor| vendor.looks(places, |source| lies_at(path, source)));
        of_a_plugin().or_else(lies_there).copied()
    }

    /// Whose file this may be: the first vendor's whose files have its name, else Cursor's.
    pub(crate) fn guessed(path: &Path, places: &Places) -> Vendor {
        let is_named = |vendor: &&Vendor| vendor.looks(places, |s| s.path.file_name() == path.file_name());
        Vendor::value_variants().iter().find(is_named).copied().unwrap_or(Vendor::Cursor)
    }

    /// The file belongs to a plugin that has a file of this vendor's beside it.
    fn has_plugin(self, path: &Path) -> bool {
        let mut roots = path.ancestors().skip(1).take(2);
        roots.any(|root| {
            let places = Places::new(root).plugins([root.to_path_buf()]);
            let sources = self.adapter(Fidelity::default()).sources(&places, &Disk);
            let mut sources = sources.iter().filter(|source| source.scope == Scope::Plugin).map(|source| &*source.path);
            sources.clone().any(|source| source == path) && sources.any(|source| source != path && source.is_file())
        })
    }

    fn looks(self, places: &Places, at: impl Fn(&Source) -> bool) -> bool {
        self.adapter(Fidelity::default()).sources(places, &BTreeMap::new()).iter().any(at)
    }
}

/// It is the file, or lies in such a folder below a project or a home.
fn lies_at(path: &Path, source: &Source) -> bool {
    let of_a_folder = matches!(source.scope, Scope::Project | Scope::Local | Scope::User | Scope::Team);
    source.path == path || of_a_folder && path.iter().rev().take(2).eq(source.path.iter().rev().take(2))
}
