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
fn the_machine_is_this_one() {
    let machine = machine();
    assert!(!machine.windows);
    assert_eq!(machine.bash.is_some(), Path::new("/bin/bash").is_file());
}
