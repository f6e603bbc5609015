//! Hook files that are written, replaced, broken and removed while a host runs: real files, and the
//! system's own word that they changed. What one says is read by the Cursor adapter.

#![cfg(feature = "watch")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, mpsc},
    time::Duration,
};

use harness_hooks_core::{Boundary, Files, Host, Places, Snapshot};
use harness_hooks_cursor::Cursor;
use harness_hooks_runner::{Disk, Dispatcher, Reload, Watch};
use tempfile::TempDir;

/// Longer than any of it takes.
const PATIENCE: Duration = Duration::from_secs(20);

fn document(commands: &[&str]) -> String {
    let hooks: Vec<_> = commands.iter().map(|command| format!(r#"{{"command":"{command}"}}"#)).collect();
    format!(r#"{{"version":1,"hooks":{{"beforeShellExecution":[{}]}}}}"#, hooks.join(","))
}

/// A workspace that is watched.
struct Watched {
    folder: TempDir,
    dispatcher: Dispatcher,
    reloads: mpsc::Receiver<Reload>,
    _watch: Watch,
}

impl Watched {
    fn with(files: &[(&str, &str)]) -> Watched {
        let folder = TempDir::new().unwrap();
        for (path, text) in files {
            write(&folder, path, text);
        }
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(&home).unwrap();
        let load = move |files: &dyn Files| {
            let places = Places::new(&project).home(home.clone()).trusted(true);
            let host = Host::new("Acme", "1").fires([Boundary::ToolBefore]);
            Snapshot::load(vec![Arc::new(Cursor::new())], host, &places, files)
        };
        let dispatcher = Dispatcher::new(load(&Disk));
        let (tell, reloads) = mpsc::channel();
        let watch = Watch::start(dispatcher.clone(), load, move |reload| drop(tell.send(reload))).unwrap();
        let watched = Watched { folder, dispatcher, reloads, _watch: watch };
        watched.reloads.recv_timeout(PATIENCE).expect("it loads once when it starts");
        watched
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Waits until the commands that are bound are these; gives the reload that did it.
    fn until(&self, commands: &[&str]) -> Reload {
        loop {
            let reload = self.reloads.recv_timeout(PATIENCE).expect("a change is noticed");
            let bound: Vec<_> = reload.snapshot.bindings().iter().map(|b| b.handler.text().to_string()).collect();
            if bound == commands {
                assert!(Arc::ptr_eq(&self.dispatcher.snapshot(), &reload.snapshot), "it is what the dispatcher uses");
                return reload;
            }
        }
    }
}

fn write(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const PROJECT: &str = "project/.cursor/hooks.json";
const USER: &str = "home/.cursor/hooks.json";

#[test]
fn a_file_is_made_changed_replaced_and_removed() {
    let watched = Watched::with(&[]);
    assert!(watched.dispatcher.snapshot().bindings().is_empty());

    // not even its folder was there
    write(&watched.folder, PROJECT, &document(&["./one.sh"]));
    watched.until(&["./one.sh"]);
    write(&watched.folder, PROJECT, &document(&["./two.sh"]));
    watched.until(&["./two.sh"]);

    // as editors save: a new file in the place of the old
    let beside = watched.at("project/.cursor/hooks.json.tmp");
    fs::write(&beside, document(&["./three.sh"])).unwrap();
    fs::rename(&beside, watched.at(PROJECT)).unwrap();
    watched.until(&["./three.sh"]);

    // a file that is gone is an empty one, and so is one whose folder is gone
    fs::remove_file(watched.at(PROJECT)).unwrap();
    let reload = watched.until(&[]);
    assert!(reload.kept.is_empty());
    write(&watched.folder, PROJECT, &document(&["./four.sh"]));
    watched.until(&["./four.sh"]);
    fs::remove_dir_all(watched.at("project/.cursor")).unwrap();
    watched.until(&[]);
    write(&watched.folder, PROJECT, &document(&["./five.sh"]));
    watched.until(&["./five.sh"]);
}

#[test]
fn a_broken_file_keeps_what_it_said_and_the_others_go_on() {
    let watched = Watched::with(&[(PROJECT, &document(&["./project.sh"])), (USER, &document(&["./user.sh"]))]);
    fs::write(watched.at(PROJECT), "{ \"version\": 1, ").unwrap();
    let broken = loop {
        let reload = watched.reloads.recv_timeout(PATIENCE).expect("a change is noticed");
        if !reload.kept.is_empty() {
            break reload;
        }
    };
    let [kept] = broken.kept.as_slice() else { panic!("{:?}", broken.kept) };
    assert_eq!(kept.path, watched.at(PROJECT));
    assert!(kept.errors.iter().any(|error| error.code == "cursor/invalid-json" && error.place.is_some()), "{kept:?}");

    // another file is read as it is now, beside what the broken one said last
    fs::write(watched.at(USER), document(&["./user-2.sh"])).unwrap();
    let reload = watched.until(&["./project.sh", "./user-2.sh"]);
    assert_eq!(reload.kept.len(), 1);

    fs::write(watched.at(PROJECT), document(&["./mended.sh"])).unwrap();
    let reload = watched.until(&["./mended.sh", "./user-2.sh"]);
    assert!(reload.kept.is_empty());
}

/// One that was never good has nothing to keep: it is refused, and decisions say so.
#[test]
fn a_file_that_was_always_broken_is_refused() {
    let watched = Watched::with(&[(PROJECT, "[]")]);
    fs::create_dir_all(watched.at("home/.cursor")).unwrap();
    fs::write(watched.at(USER), document(&["./user.sh"])).unwrap();
    let reload = watched.until(&["./user.sh"]);
    assert!(reload.kept.is_empty());
    assert!(!reload.snapshot.diagnostics().is_empty());
}

#[test]
fn a_firing_under_way_keeps_its_snapshot() {
    let watched = Watched::with(&[(PROJECT, &document(&["./one.sh"]))]);
    let before = watched.dispatcher.snapshot();
    write(&watched.folder, PROJECT, &document(&["./two.sh"]));
    watched.until(&["./two.sh"]);
    assert_eq!(before.bindings()[0].handler.text(), &"./one.sh");
}
