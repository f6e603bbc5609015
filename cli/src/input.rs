//! The files a command is given: envelopes, states, what a hook read or printed; and a state on its
//! way back into its file. Hook files are read by core.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_core::{Boundary, Envelope, Payload, SessionState, Tool, ToolBefore, ToolCall};

use crate::failure::{Failure, nearest};

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        return read.map(|_| bytes).map_err(|error| Failure::unreadable(Path::new("standard input"), &error));
    }
    fs::read(path).map_err(|error| Failure::unreadable(path, &error))
}

/// How messages name a file.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".into() } else { path.display().to_string() }
}

/// Standard input can be read once.
pub(crate) fn one_standard_input(paths: &[Option<&Path>]) -> Result<(), Failure> {
    let named = paths.iter().flatten().filter(|path| **path == Path::new("-")).count();
    if named < 2 {
        return Ok(());
    }
    Err(Failure::usage("standard input (`-`) is named twice and can be read once").help("name a file for one of them"))
}

/// The envelope in a file.
pub(crate) fn envelope(path: &Path) -> Result<Envelope, Failure> {
    let bytes = bytes(path)?;
    Envelope::read(&bytes).map_err(|error| {
        let shown = shown(path);
        let boundary = boundary_of(&bytes);
        let sample = boundary.as_deref().and_then(Boundary::from_name).map_or("BOUNDARY", Boundary::name);
        let help = format!("`harness-hooks envelope {sample}` prints a complete one");
        let Some(unknown) = boundary.filter(|name| Boundary::from_name(name).is_none()) else {
            return Failure::input(format!("{shown} is {error}")).help(help);
        };
        let names = || Boundary::ALL.iter().map(|boundary| boundary.name());
        let near = nearest(&unknown, names()).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let list = names().collect::<Vec<_>>().join(", ");
        Failure::input(format!("{shown} is not an envelope: at /payload: there is no boundary `{unknown}`{near}"))
            .help(format!("the boundaries are {list}"))
    })
}

/// The envelope in a working directory: a relative one of its session, its roots and its command
/// stands below it, so that an envelope can be kept beside a workspace.
pub(crate) fn placed(mut envelope: Envelope, cwd: &Path) -> Envelope {
    let absolute = |path: &mut PathBuf| *path = cwd.join(&*path).components().collect();
    let session = Arc::make_mut(&mut envelope.session);
    absolute(&mut session.cwd);
    session.roots.iter_mut().for_each(absolute);
    if let Payload::ToolBefore(ToolBefore { call: ToolCall { tool: Tool::Shell(shell), .. }, .. }) =
        &mut envelope.payload
    {
        shell.cwd.iter_mut().for_each(absolute);
    }
    envelope
}

/// The boundary a document means to be an envelope of, whatever else is wrong with it.
fn boundary_of(bytes: &[u8]) -> Option<String> {
    let document: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    document.get("payload")?.as_object()?.keys().next().cloned()
}

/// A file can be made there.
fn has_folder(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder == Path::new("") || folder.is_dir())
}

/// What earlier hooks of the session left behind; nothing where there is no such file.
pub(crate) fn state(path: Option<&Path>) -> Result<SessionState, Failure> {
    let Some(path) = path else { return Ok(SessionState::new()) };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound && has_folder(path) => return Ok(SessionState::new()),
        Err(error) => return Err(Failure::unreadable(path, &error)),
    };
    let mut bytes = Vec::new();
    let read = locked(file.lock_shared()).and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(|error| Failure::unreadable(path, &error))?;
    parsed(&bytes).map_err(|error| {
        Failure::input(format!("{} is not the state of a session: {error}", path.display()))
            .help("remove the file to begin with an empty state; `fire --state` writes it anew")
    })
}

/// Changes the state in a file, which may be another by now than the one that was read: it is read
/// again and written while nobody else has it. A change that would do nothing to an empty state
/// makes no file.
pub(crate) fn change_state(path: &Path, change: impl Fn(&mut SessionState)) -> Result<(), Failure> {
    let mut alone = SessionState::new();
    change(&mut alone);
    let makes_one = alone != SessionState::new();
    let written = match File::options().read(true).write(true).create(makes_one).truncate(false).open(path) {
        Ok(file) => rewrite_state(file, change),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !makes_one => Ok(()),
        Err(error) => Err(error),
    };
    written.map_err(|error| Failure::output(format!("the state to {}", path.display()), &error))
}

/// Closing the file gives the lock back.
fn rewrite_state(mut file: File, change: impl Fn(&mut SessionState)) -> io::Result<()> {
    locked(file.lock())?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let before = parsed(&bytes).map_err(|error| io::Error::other(format!("it is no state any more: {error}")))?;
    let mut after = before.clone();
    change(&mut after);
    if after == before {
        return Ok(());
    }
    let mut text = serde_json::to_vec(&after)?;
    text.push(b'\n');
    file.rewind()?;
    file.write_all(&text)?;
    file.set_len(u64::try_from(text.len()).unwrap_or(u64::MAX))
}

/// An empty file is one that was made and is not written yet.
fn parsed(bytes: &[u8]) -> serde_json::Result<SessionState> {
    if bytes.is_empty() { Ok(SessionState::new()) } else { serde_json::from_slice(bytes) }
}

/// Where the file system has no locks, the last to write wins.
fn locked(lock: io::Result<()>) -> io::Result<()> {
    lock.or_else(|error| if error.kind() == io::ErrorKind::Unsupported { Ok(()) } else { Err(error) })
}
