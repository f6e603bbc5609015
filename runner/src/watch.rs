//! Hook files that change while the host runs: read again when one is written, replaced, made or
//! removed. A file that is gone is an empty one; a file that can no longer be read keeps what it said
//! last, and that is told loudly.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use harness_hooks_core::{Diagnostic, Files, Severity, Snapshot, Status};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher, event::ModifyKind};

use crate::{Disk, Dispatcher};

/// Files are read again once nothing happened to them for this long: an editor writes one in several
/// steps.
const QUIET: Duration = Duration::from_millis(50);
/// And at the latest after this long.
const PATIENCE: Duration = Duration::from_secs(1);

/// What became of hook files that changed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reload {
    /// What the dispatcher uses from now on. Firings under way keep theirs.
    pub snapshot: Arc<Snapshot>,
    /// Files that cannot be used as they are now, and still count as they were.
    pub kept: Vec<Kept>,
}

/// A file that cannot be used as it is now.
#[derive(Debug)]
#[non_exhaustive]
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub errors: Vec<Diagnostic>,
}

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
#[error("hook files cannot be watched: {0}")]
pub struct WatchError(#[from] notify::Error);

/// Keeps a dispatcher's snapshot as new as its files, for as long as it lives.
#[derive(Debug)]
pub struct Watch {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

enum Message {
    Changed(notify::Result<notify::Event>),
    Stop,
}

impl Watch {
    /// Loads a snapshot, gives it to the dispatcher, and does so again whenever one of its files
    /// changes; each time `tell` is called. `load` reads with the [`Files`] it is given, which hand
    /// it the last usable content of a file that is broken.
    ///
    /// A directory that is not there yet is watched for by its nearest one that is.
    ///
    /// # Errors
    /// When the system watches no files for this process.
    pub fn start(
        dispatcher: Dispatcher,
        load: impl Fn(&dyn Files) -> Arc<Snapshot> + Send + 'static,
        tell: impl FnMut(Reload) + Send + 'static,
    ) -> Result<Watch, WatchError> {
        let (messages, received) = channel();
        let of_watcher = messages.clone();
        // a receiver that is gone belongs to a watch that ended
        let watcher = notify::recommended_watcher(move |event| drop(of_watcher.send(Message::Changed(event))))?;
        let mut watching =
            Watching { dispatcher, load, tell, watcher, watched: BTreeSet::new(), good: BTreeMap::new(), received };
        let thread = thread::Builder::new().name("harness-hooks-watch".into()).spawn(move || watching.run());
        let thread = thread.map_err(|error| WatchError(notify::Error::io(error)))?;
        Ok(Watch { messages, thread: Some(thread) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.messages.send(Message::Stop).is_ok()
            && let Some(thread) = self.thread.take()
        {
            drop(thread.join()); // one that panicked has nothing left to end
        }
    }
}

struct Watching<L, T> {
    dispatcher: Dispatcher,
    load: L,
    tell: T,
    watcher: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
    /// What each file said when it could last be used.
    good: BTreeMap<PathBuf, Vec<u8>>,
    received: Receiver<Message>,
}

impl<L: Fn(&dyn Files) -> Arc<Snapshot>, T: FnMut(Reload)> Watching<L, T> {
    fn run(&mut self) {
        loop {
            self.reload();
            if !self.wait() {
                return;
            }
        }
    }

    /// Reads everything. What is watched is brought up to date first, and everything read once more
    /// where that changed: no change in between is missed.
    fn reload(&mut self) {
        let reload = loop {
            let reload = self.read();
            if !self.watch(&reload.snapshot) {
                break reload;
            }
        };
        self.dispatcher.replace(reload.snapshot.clone());
        (self.tell)(reload);
    }

    fn read(&mut self) -> Reload {
        let remembering = Remembering::default();
        let snapshot = (self.load)(&remembering);
        let broken: Vec<PathBuf> = broken(&snapshot).filter(|path| self.good.contains_key(*path)).cloned().collect();
        let errors = |path: &PathBuf| Kept { path: path.clone(), errors: errors(&snapshot, path) };
        let kept: Vec<Kept> = broken.iter().map(errors).collect();
        let read = remembering.into_read();
        for report in snapshot.sources() {
            let path = &report.source.path;
            match (report.status, read.get(path)) {
                (Status::Loaded | Status::Untrusted, Some(bytes)) => {
                    self.good.insert(path.clone(), bytes.clone());
                }
                (Status::Missing, _) => {
                    self.good.remove(path);
                }
                _ => {}
            }
        }
        if broken.is_empty() {
            return Reload { snapshot, kept };
        }
        let last =
            broken.into_iter().filter_map(|path| self.good.get(&path).map(|bytes| (path.clone(), bytes.clone())));
        Reload { snapshot: (self.load)(&LastGood(last.collect())), kept }
    }

    /// Watches the directories of the snapshot's files; true if one was not watched before.
    fn watch(&mut self, snapshot: &Snapshot) -> bool {
        let files =
            snapshot.sources().iter().flat_map(|report| [Some(&report.source.path), report.source.linked_to.as_ref()]);
        let wanted: BTreeSet<PathBuf> = files.flatten().filter_map(|path| nearest_directory(path)).collect();
        for gone in self.watched.difference(&wanted) {
            drop(self.watcher.unwatch(gone)); // it may be gone from the disk, too
        }
        self.watched.retain(|path| wanted.contains(path));
        let mut begun = false;
        for new in wanted {
            // one that is gone again is looked for once more at the next change above it
            if !self.watched.contains(&new) && self.watcher.watch(&new, RecursiveMode::NonRecursive).is_ok() {
                self.watched.insert(new);
                begun = true;
            }
        }
        begun
    }

    /// Waits until something happened and then nothing for a while. False: it is to end.
    fn wait(&mut self) -> bool {
        let mut since = None;
        loop {
            let message = match since {
                None => self.received.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(_) => self.received.recv_timeout(QUIET),
            };
            match message {
                Ok(Message::Changed(event)) => {
                    self.forget_moved(&event);
                    if since.is_some() || self.concerns(event) {
                        since.get_or_insert_with(Instant::now);
                    }
                }
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => return true,
            }
            if since.is_some_and(|since| since.elapsed() > PATIENCE) {
                return true;
            }
        }
    }

    /// A directory that was removed or renamed is watched no more, also where another stands in its
    /// place by now.
    fn forget_moved(&mut self, event: &notify::Result<notify::Event>) {
        let moved = |kind: &EventKind| kind.is_remove() || matches!(kind, EventKind::Modify(ModifyKind::Name(_)));
        for path in event.iter().filter(|event| moved(&event.kind)).flat_map(|event| &event.paths) {
            self.watched.remove(path);
        }
    }

    /// Whether an event is about one of the files, or a directory on the way to one. What the system
    /// could not tell counts.
    fn concerns(&self, event: notify::Result<notify::Event>) -> bool {
        let Ok(event) = event else { return true };
        if event.kind.is_access() {
            return false;
        }
        let snapshot = self.dispatcher.snapshot();
        let ours = |path: &Path| {
            let sources = snapshot.sources().iter().map(|report| &report.source);
            sources.into_iter().any(|source| {
                source.path.starts_with(path) || source.linked_to.as_ref().is_some_and(|real| real.starts_with(path))
            })
        };
        event.need_rescan() || event.paths.is_empty() || event.paths.iter().any(|path| ours(path))
    }
}

fn broken(snapshot: &Snapshot) -> impl Iterator<Item = &PathBuf> {
    let refused = snapshot.sources().iter().filter(|report| report.status == Status::Refused);
    refused.map(|report| &report.source.path)
}

fn errors(snapshot: &Snapshot, path: &Path) -> Vec<Diagnostic> {
    let shown = path.display().to_string();
    let of_file =
        |finding: &&Diagnostic| finding.source.as_ref() == Some(&shown) && finding.severity == Severity::Error;
    snapshot.diagnostics().iter().filter(of_file).cloned().collect()
}

/// The nearest directory above a path that is there.
fn nearest_directory(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find(|above| above.is_dir()).map(Path::to_path_buf)
}

/// The disk, and what was read of it.
#[derive(Default)]
struct Remembering(Mutex<BTreeMap<PathBuf, Vec<u8>>>);

impl Remembering {
    fn into_read(self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for Remembering {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = Disk.read(path)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf(), bytes.clone());
        Ok(bytes)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Disk.resolve(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        Disk.list(directory)
    }
}

/// The disk, but for files that are broken.
struct LastGood(BTreeMap<PathBuf, Vec<u8>>);

impl Files for LastGood {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).map_or_else(|| Disk.read(path), |bytes| Ok(bytes.clone()))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Disk.resolve(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        Disk.list(directory)
    }
}
