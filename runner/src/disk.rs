//! The disk, as adapters may look at it. Nothing is ever written, and nothing but a regular file
//! is ever opened: configuration comes with workspaces, and so does a FIFO of its name.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read},
    path::{Path, PathBuf},
};

use harness_hooks_core::Files;

/// More than any configuration, and little enough for memory: 64 MiB.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The disk of this machine. Reads regular files of at most 64 MiB; for anything else the error
/// says what it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        readable(&fs::metadata(path)?)?; // before opening: opening a device can do something
        let file = open(path)?;
        let metadata = file.metadata()?;
        readable(&metadata)?; // it may have been replaced in between
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST { Err(too_large()) } else { Ok(bytes) }
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let metadata = match fs::metadata(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            metadata => metadata?,
        };
        if !metadata.is_dir() {
            let (_, what) = other_than_a_file(&metadata).unwrap_or((io::ErrorKind::Other, "file"));
            return Err(io::Error::new(io::ErrorKind::NotADirectory, format!("it is a {what}, not a directory")));
        }
        let entries = fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
        let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
        entries.sort_unstable();
        Ok(entries)
    }
}

/// Opens without waiting for a writer, should it have become a FIFO.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NONBLOCK.bits());
    options.open(path)
}

fn readable(metadata: &Metadata) -> io::Result<()> {
    match other_than_a_file(metadata) {
        Some((kind, what)) => Err(io::Error::new(kind, format!("it is a {what}, not a file"))),
        None if metadata.len() > LARGEST => Err(too_large()),
        None => Ok(()),
    }
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", LARGEST / (1024 * 1024)))
}

fn other_than_a_file(metadata: &Metadata) -> Option<(io::ErrorKind, &'static str)> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        return Some((io::ErrorKind::IsADirectory, "directory"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some((io::ErrorKind::Other, "named pipe"));
        }
        if kind.is_socket() {
            return Some((io::ErrorKind::Other, "socket"));
        }
    }
    Some((io::ErrorKind::Other, "device"))
}
