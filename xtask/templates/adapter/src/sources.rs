//! Where the vendor's configuration lives, in merge order, and where its hooks run. Reading a
//! document is `config.rs`.

use std::path::Path;

use harness_hooks_core::{Files, Places, Scope, Source};

use crate::__CONST__;

/// Every file that may hold hooks, whether it exists or not. __ABC__-SRC-01
pub(crate) fn sources(places: &Places, files: &dyn Files) -> Vec<Source> {
    places.folders().iter().enumerate().map(|(n, root)| project(n, root, files)).collect()
}

/// It came with the workspace, and its hooks run in its folder. __ABC__-SRC-01
fn project(n: usize, root: &Path, files: &dyn Files) -> Source {
    let label = match n {
        0 => "project/.__vendor__/hooks.json".to_owned(),
        n => format!("project-{}/.__vendor__/hooks.json", n + 1),
    };
    let path = root.join(".__vendor__/hooks.json");
    Source::new(__CONST__, Scope::Project, path, label, root).needs_trust().follow_links(root, files)
}
