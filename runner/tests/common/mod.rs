//! A scene for hooks: a directory of its own, invocations of real programs in it, and a look at
//! which of their processes are left. Nothing here is a mock.

#![allow(dead_code, reason = "each test program uses its part")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use harness_hooks_core::{
    Binding, Boundary, Control, EventId, EventSpec, Handler, Invocation, Launch, Moment, Outcome, Process, Scope,
    Source, Stdin, Vendor,
};
use harness_hooks_runner::{Cancel, Limits, run};
use tempfile::TempDir;

/// Long enough for anything that will happen, on any machine.
pub(crate) const EVER: Duration = Duration::from_secs(30);
/// The variable every process of a scene has, children included.
pub(crate) const TAG: &str = "HARNESS_HOOKS_SCENE";

pub(crate) static BEFORE: EventSpec =
    EventSpec::new("before", &[Moment::of(Boundary::ToolBefore)]).control(Control::Verdict);

pub(crate) struct Scene {
    dir: TempDir,
    tag: String,
}

impl Scene {
    pub(crate) fn new() -> Self {
        static SCENES: AtomicUsize = AtomicUsize::new(0);
        let tag = format!("{}-{}", std::process::id(), SCENES.fetch_add(1, Ordering::Relaxed));
        Scene { dir: tempfile::tempdir().unwrap(), tag }
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    pub(crate) fn process(&self, program: impl Into<PathBuf>, args: &[&str]) -> Process {
        Process::new(program, args.iter().copied(), self.dir()).env(TAG, &self.tag)
    }

    /// A line for the shell, with no standard input.
    pub(crate) fn sh(&self, line: &str) -> Invocation {
        invocation(self.process("/bin/sh", &["-c", line]))
    }

    /// What a line prints and how it ends, with the default limits.
    pub(crate) async fn run(&self, line: &str) -> Outcome {
        run(&self.sh(line), &Limits::default(), &Cancel::never()).await
    }

    /// The first line of a file, as soon as there is one.
    pub(crate) async fn line(&self, name: &str) -> String {
        let path = self.path(name);
        let read = || fs::read_to_string(&path).ok().and_then(|text| Some(text.split_once('\n')?.0.to_owned()));
        until(&format!("there is a line in {name}"), || read().is_some()).await;
        read().unwrap()
    }

    /// The processes of this scene that run.
    pub(crate) fn left(&self) -> BTreeSet<u32> {
        let tag = format!("{TAG}={}\0", self.tag);
        let tagged = |pid: &u32| {
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.windows(tag.len()).any(|window| window == tag.as_bytes())
        };
        let names = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
        names.filter_map(|name| name.parse().ok()).filter(tagged).collect()
    }

    /// None of its processes is left, at once or very soon.
    pub(crate) async fn is_empty(&self) {
        until("no process is left", || self.left().is_empty()).await;
    }
}

/// What a test forgot to end would outlive it.
impl Drop for Scene {
    fn drop(&mut self) {
        for pid in self.left() {
            kill(pid);
        }
    }
}

pub(crate) fn invocation(process: Process) -> Invocation {
    launch(Launch::Process(process))
}

pub(crate) fn launch(launch: Launch) -> Invocation {
    let source = Source::new(Vendor::new("test"), Scope::Project, "/hooks", "hooks", "/").into();
    let binding = Binding::new(&source, EventId(0), &BEFORE, 0, Handler::Shell { line: "line".into() });
    Invocation::new(binding.into(), Stdin::default(), launch, EVER)
}

pub(crate) fn told(mut invocation: Invocation, stdin: Vec<u8>) -> Invocation {
    invocation.stdin = stdin.into();
    invocation
}

pub(crate) fn within(mut invocation: Invocation, timeout: Duration) -> Invocation {
    invocation.timeout = timeout;
    invocation
}

pub(crate) const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Waits for something that is about to happen.
pub(crate) async fn until(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + EVER;
    while !happened() {
        assert!(std::time::Instant::now() < deadline, "in {EVER:?} it never came about that {what}");
        tokio::time::sleep(ms(5)).await;
    }
}

/// What is about to come, or a test that fails instead of one that hangs.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(EVER, future).await.unwrap_or_else(|_| panic!("in {EVER:?} it never came"))
}

/// Whether there is such a process, a dead one that nobody reaped included.
pub(crate) fn exists(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Whether such a process runs. Dead children of a dead hook are not ours to reap.
pub(crate) fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
}

pub(crate) fn kill(pid: u32) {
    let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).output();
}
