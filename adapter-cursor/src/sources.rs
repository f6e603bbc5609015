//! Where Cursor's `hooks.json` files live, in merge order, and where their hooks run. Reading one
//! is `config.rs`.

use std::path::Path;

use harness_hooks_core::{Files, Places, Platform, Scope, Source};

use crate::CURSOR;

/// Every file that may hold hooks, whether it exists or not. CUR-SRC-01, CUR-SRC-02
pub(crate) fn sources(places: &Places, files: &dyn Files) -> Vec<Source> {
    let enterprise = places.machine.as_deref().map(|root| enterprise(root, places.platform));
    let team = places.home.as_deref().map(team);
    let projects = places.folders().iter().enumerate().map(|(n, root)| project(n, root, files));
    let user = places.home.as_deref().map(user);
    let plugins = places.plugins.iter().enumerate().map(|(n, root)| plugin(n, root));
    enterprise.into_iter().chain(team).chain(projects).chain(user).chain(plugins).collect()
}

fn enterprise(root: &Path, platform: Platform) -> Source {
    let folder = root.join(match platform {
        Platform::MacOs => "Library/Application Support/Cursor",
        Platform::Windows => "ProgramData/Cursor",
        _ => "etc/cursor",
    });
    Source::new(CURSOR, Scope::Managed, folder.join("hooks.json"), "enterprise/hooks.json", folder)
}

fn team(home: &Path) -> Source {
    let folder = home.join(".cursor/managed/active-team-hooks");
    Source::new(CURSOR, Scope::Team, folder.join("hooks.json"), "team/hooks.json", folder)
}

/// Its hooks run in the project. A symbolic link on the way is noted. CUR-SRC-03, CUR-SRC-04
fn project(n: usize, root: &Path, files: &dyn Files) -> Source {
    let label = Source::numbered("project", n, ".cursor/hooks.json");
    let path = root.join(".cursor/hooks.json");
    Source::new(CURSOR, Scope::Project, path, label, root).needs_trust().follow_links(root, files)
}

/// Its hooks run in `~/.cursor`, and never in Cursor's cloud. CUR-SRC-05, CUR-EVT-13
fn user(home: &Path) -> Source {
    let folder = home.join(".cursor");
    Source::new(CURSOR, Scope::User, folder.join("hooks.json"), "user/.cursor/hooks.json", folder).not_on(&["cloud"])
}

fn plugin(n: usize, root: &Path) -> Source {
    let label = Source::numbered("plugin", n, "hooks/hooks.json");
    Source::new(CURSOR, Scope::Plugin, root.join("hooks/hooks.json"), label, root)
}
