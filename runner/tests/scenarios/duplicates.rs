//! The same command in several vendors' files, and one file reached by two paths: everything that is
//! bound runs as its own vendor's hook, and its author is told.

use std::os::unix::fs::symlink;

use harness_hooks_core::{Severity, Snapshot};
use harness_hooks_runner::Dispatcher;
use serde_json::json;

use crate::scene::{Scene, Vendor, codes, fire, host, load_as};

fn before(vendor: Vendor) -> &'static str {
    if vendor == Vendor::Cursor { "preToolUse" } else { "PreToolUse" }
}

/// One line for every vendor, as often as it is said.
fn scene(copies: usize) -> Scene {
    let scene = Scene::new();
    let line = json!({ "command": format!("echo ran >>{}", scene.at("out/ran")) });
    for vendor in Vendor::ALL {
        scene.hooks_of(vendor, &vendor.event(before(vendor), &vec![line.clone(); copies]));
    }
    scene
}

fn times(scene: &Scene) -> usize {
    scene.read("out/ran").lines().count()
}

/// Two vendors' bindings of one command at one boundary: a note for each after the first, which it
/// names, and all run.
#[tokio::test]
async fn one_command_of_three_vendors_runs_three_times() {
    let scene = scene(1);
    for order in Vendor::ORDERS {
        let snapshot = scene.load_as(host(), order);
        let [first, second, third] = order.map(Vendor::name);
        let told = [format!("{second}/same-command"), format!("{third}/same-command")];
        assert_eq!(codes(snapshot.diagnostics()), told);
        for note in snapshot.diagnostics() {
            assert_eq!(note.severity, Severity::Note);
            assert!(note.message.starts_with(&format!("{first}:")) && note.message.contains("both run"), "{note}");
            assert!(note.source.is_some() && note.place.is_some(), "{note:?}");
        }
    }
    let happened = fire(&scene.council(host()), &scene.shell("ls")).await;
    assert_eq!((happened.runs.len(), times(&scene)), (3, 3));
}

/// CUR-SRC-06, CLA-SRC-07, CDX-SRC-01: within one vendor it is that vendor's own rule: Claude Code runs
/// it once, the others as often as it stands there. That is no matter between vendors.
#[tokio::test]
async fn copies_of_one_vendor_are_that_vendors_matter() {
    for (vendor, runs) in [(Vendor::Cursor, 2), (Vendor::Claude, 1), (Vendor::Codex, 2)] {
        let scene = scene(2);
        let snapshot = scene.load_as(host(), [vendor]);
        assert_eq!((snapshot.bindings().len(), snapshot.diagnostics().len()), (2, 0), "{vendor:?}");
        let happened = fire(&Dispatcher::new(snapshot), &scene.shell("ls")).await;
        assert_eq!((happened.runs.len(), times(&scene)), (runs, runs), "{vendor:?}");
    }
}

/// At different boundaries the same command is nobody's concern.
#[tokio::test]
async fn elsewhere_it_is_no_duplicate() {
    let scene = Scene::new();
    let line = |_: Vendor| json!({ "command": "sh notify.sh" });
    for (vendor, event) in
        [(Vendor::Cursor, "stop"), (Vendor::Claude, "PreToolUse"), (Vendor::Codex, "UserPromptSubmit")]
    {
        scene.hooks_of(vendor, &vendor.event(event, &[line(vendor)]));
    }
    assert_eq!(codes(scene.load_all(host()).diagnostics()), Vec::<&str>::new());
}

fn user_file(vendor: Vendor) -> String {
    vendor.file().replacen("project", "home", 1)
}

fn same_file(snapshot: &Snapshot) -> Vec<&str> {
    codes(snapshot.diagnostics()).into_iter().filter(|code| code.ends_with("/same-file")).collect()
}

/// CLA-SRC-06, CDX-SRC-08: a user's file that is a link to the project's is read once, with a note. It
/// stays the user's, so that it runs in a workspace nobody trusts as it does everywhere.
#[tokio::test]
async fn a_file_reached_by_two_paths_is_read_once() {
    for vendor in Vendor::ALL {
        let scene = scene(1);
        let user = scene.path(&user_file(vendor));
        std::fs::create_dir_all(user.parent().unwrap()).unwrap();
        symlink(scene.path(vendor.file()), user).unwrap();
        for trusted in [true, false] {
            let snapshot = load_as(host(), &scene.places().trusted(trusted), [vendor]);
            assert_eq!(same_file(&snapshot), [format!("{}/same-file", vendor.name())]);
            let ids: Vec<_> = snapshot.bindings().iter().map(|binding| binding.id.as_str()).collect();
            assert!(ids.len() == 1 && ids[0].contains(":user/"), "{ids:?}");
            let happened = fire(&Dispatcher::new(snapshot), &scene.shell("ls")).await;
            assert_eq!(happened.runs.len(), 1, "{vendor:?}, trusted: {trusted}");
        }
        assert_eq!(times(&scene), 2, "{vendor:?}");
    }
}

/// The home directory as a project is the same.
#[tokio::test]
async fn so_is_that_of_a_home_opened_as_a_project() {
    let scene = scene(1);
    let places = scene.places().home(scene.path("project"));
    let snapshot = load_as(host(), &places, Vendor::ALL);
    assert_eq!(same_file(&snapshot), ["cursor/same-file", "claude/same-file", "codex/same-file"]);
    let happened = fire(&Dispatcher::new(snapshot), &scene.shell("ls")).await;
    assert_eq!((happened.runs.len(), times(&scene)), (3, 3));
}

/// One file under two vendors' names is each vendor's own: both read it, and what it binds twice is
/// said.
#[tokio::test]
async fn a_file_of_two_vendors_is_read_by_both() {
    let scene = Scene::new();
    let line = json!({ "command": format!("echo ran >>{}", scene.at("out/ran")) });
    scene.hooks_of(Vendor::Codex, &Vendor::Codex.event("PreToolUse", &[line]));
    let claudes = scene.path(Vendor::Claude.file());
    std::fs::create_dir_all(claudes.parent().unwrap()).unwrap();
    symlink(scene.path(Vendor::Codex.file()), claudes).unwrap();
    let snapshot = scene.load_all(host());
    assert_eq!(same_file(&snapshot), Vec::<&str>::new());
    assert!(codes(snapshot.diagnostics()).contains(&"codex/same-command"));
    let happened = fire(&Dispatcher::new(snapshot), &scene.shell("ls")).await;
    let vendors: Vec<_> = happened.ran().iter().map(|id| id.split(':').next().unwrap().to_owned()).collect();
    assert_eq!((vendors, times(&scene)), (vec!["claude".to_owned(), "codex".to_owned()], 2));
}
