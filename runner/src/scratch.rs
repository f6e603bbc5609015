//! Files that hooks are given to write in: a folder for each session, which nobody but its owner
//! can open, and in it a file for each hook that wants one.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use harness_hooks_core::Scratch;
use tempfile::TempDir;

/// A session's folder. It is made for the first hook that wants a file, and removed with its
/// session.
#[derive(Debug, Default)]
pub(crate) struct Folder(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    Unused,
    /// The folder, and how many files were made in it.
    Used(TempDir, usize),
    Removed,
}

impl Folder {
    /// An empty file, in the session's folder below this one.
    pub(crate) fn file(&self, below: &Path) -> io::Result<PathBuf> {
        let mut state = self.state();
        if let State::Unused = *state {
            *state = State::Used(folder(below)?, 0);
        }
        let State::Used(folder, files) = &mut *state else {
            return Err(io::Error::other("its session is closed"));
        };
        let path = folder.path().join(format!("hook-{files}"));
        *files += 1;
        created(&path)?;
        Ok(path)
    }

    /// Removes it with everything in it, for good.
    pub(crate) fn remove(&self) {
        let removed = std::mem::replace(&mut *self.state(), State::Removed);
        drop(removed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a hook left in its file: nothing where it is empty, or no file any more. An empty one is
/// removed, so that a long session does not fill a disk with them.
pub(crate) fn left(path: &Path, cap: usize) -> Option<Scratch> {
    match content(path, cap) {
        Ok(bytes) if bytes.is_empty() => {
            let _ = fs::remove_file(path);
            None
        }
        Ok(bytes) => Some(Scratch::new(path, bytes)),
        Err(_) => None,
    }
}

fn content(path: &Path, cap: usize) -> io::Result<Vec<u8>> {
    let file = opened(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(u64::try_from(cap).unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Nobody else's: made by nobody else before, and opened by nobody else after.
fn created(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The hook may have put something else in its place: no link is followed, and no writer of a
/// pipe waited for.
fn opened(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use nix::fcntl::OFlag;
        let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits());
    }
    options.open(path)
}

fn folder(below: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("harness-hooks-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(below)
}
