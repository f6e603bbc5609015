//! The disk, as adapters see it: regular files, and a word for everything else.

use std::{fs, io::ErrorKind, os::unix::fs::symlink, os::unix::net::UnixListener, path::Path, process::Command};

use harness_hooks_core::Files;
use harness_hooks_runner::{Disk, machine};

#[test]
fn regular_files_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hooks.json");
    fs::write(&path, b"{}\xff\0").unwrap();
    symlink(&path, dir.path().join("link")).unwrap();
    assert_eq!(Disk.read(&path).unwrap(), b"{}\xff\0");
    assert_eq!(Disk.read(&dir.path().join("link")).unwrap(), b"{}\xff\0");
    assert_eq!(Disk.resolve(&dir.path().join("link")).unwrap(), fs::canonicalize(&path).unwrap());
}

#[test]
fn nothing_else_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("directory")).unwrap();
    assert!(Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
    let _socket = UnixListener::bind(at("socket")).unwrap();
    symlink(at("fifo"), at("link")).unwrap();
    fs::File::create(at("large")).unwrap().set_len(65 * 1024 * 1024).unwrap();
    for (path, kind, said) in [
        (at("directory"), ErrorKind::IsADirectory, "it is a directory, not a file"),
        (at("fifo"), ErrorKind::Other, "it is a named pipe, not a file"),
        (at("link"), ErrorKind::Other, "it is a named pipe, not a file"),
        (at("socket"), ErrorKind::Other, "it is a socket, not a file"),
        ("/dev/zero".into(), ErrorKind::Other, "it is a device, not a file"),
        (at("large"), ErrorKind::FileTooLarge, "it is larger than 64 MiB"),
    ] {
        let error = Disk.read(&path).unwrap_err();
        assert_eq!((error.kind(), &*error.to_string()), (kind, said), "{}", path.display());
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    let dir = tempfile::tempdir().unwrap();
    symlink(dir.path().join("nowhere"), dir.path().join("dangling")).unwrap();
    for name in ["nothing", "dangling", "nothing/below"] {
        assert_eq!(Disk.read(&dir.path().join(name)).unwrap_err().kind(), ErrorKind::NotFound, "{name}");
        assert_eq!(Disk.resolve(&dir.path().join(name)).unwrap_err().kind(), ErrorKind::NotFound, "{name}");
    }
}

#[test]
fn a_directory_is_listed_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for name in ["b.json", "a", "C"] {
        fs::write(at(name), "").unwrap();
    }
    fs::create_dir(at("below")).unwrap();
    fs::write(at("below/not-listed"), "").unwrap();
    symlink(at("nowhere"), at("dangling")).unwrap();
    let names = ["C", "a", "b.json", "below", "dangling"];
    assert_eq!(Disk.list(dir.path()).unwrap(), names.map(at));
    symlink(at("below"), at("link")).unwrap();
    assert_eq!(Disk.list(&at("link")).unwrap(), [at("link").join("not-listed")]);
}

#[test]
fn only_directories_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    assert_eq!(Disk.list(&at("nothing")).unwrap(), [""; 0].map(at), "nothing is no error");
    fs::write(at("file"), "").unwrap();
    assert!(Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
    for (name, said) in [("file", "it is a file, not a directory"), ("fifo", "it is a named pipe, not a directory")] {
        let error = Disk.list(&at(name)).unwrap_err();
        assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::NotADirectory, said));
    }
    assert_eq!(Disk.list(&at("file/below")).unwrap_err().kind(), ErrorKind::NotADirectory);
}

#[test]
fn the_machine_is_this_one() {
    let machine = machine();
    assert!(!machine.windows);
    assert_eq!(machine.bash.is_some(), Path::new("/bin/bash").is_file());
    let pwsh = Command::new("sh").args(["-c", "command -v pwsh || command -v powershell"]).output().unwrap();
    assert_eq!(machine.powershell.is_some(), pwsh.status.success());
    assert_eq!(machine.env["PATH"], std::env::var("PATH").unwrap());
    assert_eq!(machine.env["CARGO_PKG_NAME"], "harness-hooks-runner");
}
