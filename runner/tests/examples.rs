//! The two examples in a copy of the demo: an agent loop with this crate's dispatcher, and the same
//! with a host's own runner. They say the same, and what they say is kept for people to read.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../examples/own_runner.rs"]
#[allow(dead_code, reason = "its main is not run")]
mod own_runner; // which has the other in it

use std::{fs, path::Path};

/// The demo, at a place whose path stands in no snapshot.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() { copy(&from, &to) } else { fs::write(to, fs::read(&from).unwrap()).unwrap() }
    }
}

#[test]
fn both_examples_tell_the_same_story() {
    let dir = tempfile::tempdir().unwrap();
    let demo = dir.path().canonicalize().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo"), &demo);
    let (workspace, home) = (demo.join("workspace"), demo.join("home"));
    let with_dispatcher = own_runner::agent_loop::transcript(&workspace, &home);
    let with_own = own_runner::transcript(&workspace, &home);
    assert_eq!(with_dispatcher, with_own);
    insta::assert_snapshot!("transcript", with_dispatcher.replace(demo.to_str().unwrap(), "[demo]"));
}
