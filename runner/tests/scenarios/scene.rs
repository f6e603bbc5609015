//! A machine, a home and a workspace in a directory of their own, with real hook files and scripts
//! in them, and what came of an envelope fired there.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use harness_hooks_claude::Claude;
use harness_hooks_codex::Codex;
use harness_hooks_core::{
    Adapter, Boundary, Decision, Diagnostic, Envelope, Host, Outcome, Payload, Places, Platform, Session, Shell,
    Snapshot, Text, ToolBefore, ToolCall, Turn, TurnStop,
};
use harness_hooks_cursor::Cursor;
use harness_hooks_runner::{Disk, Dispatcher, Progress, machine};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const PROJECT: &str = "project/.cursor/hooks.json";
pub(crate) const USER: &str = "home/.cursor/hooks.json";
pub(crate) const CLAUDE: &str = "project/.claude/settings.json";
pub(crate) const CODEX: &str = "project/.codex/hooks.json";
pub(crate) const ALLOW: &str = r#"printf '{"permission":"allow"}'"#;

/// Whose hooks are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vendor {
    Cursor,
    Claude,
    Codex,
}

impl Vendor {
    pub(crate) const ALL: [Vendor; 3] = [Vendor::Cursor, Vendor::Claude, Vendor::Codex];

    /// Every order in which their adapters can be registered.
    pub(crate) const ORDERS: [[Vendor; 3]; 6] = {
        use Vendor::{Claude, Codex, Cursor};
        [
            [Cursor, Claude, Codex],
            [Cursor, Codex, Claude],
            [Claude, Cursor, Codex],
            [Claude, Codex, Cursor],
            [Codex, Cursor, Claude],
            [Codex, Claude, Cursor],
        ]
    };

    pub(crate) fn name(self) -> &'static str {
        match self {
            Vendor::Cursor => "cursor",
            Vendor::Claude => "claude",
            Vendor::Codex => "codex",
        }
    }

    fn adapter(self) -> Arc<dyn Adapter> {
        match self {
            Vendor::Cursor => Arc::new(Cursor::new()),
            Vendor::Claude => Arc::new(Claude::new()),
            Vendor::Codex => Arc::new(Codex::new()),
        }
    }

    /// The project's file.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Vendor::Cursor => PROJECT,
            Vendor::Claude => CLAUDE,
            Vendor::Codex => CODEX,
        }
    }

    /// One event with these definitions, in a group of their own where the vendor has groups.
    pub(crate) fn event(self, name: &str, definitions: &[Value]) -> Value {
        let definitions = definitions.iter().cloned().map(|mut definition| {
            if self != Vendor::Cursor {
                definition["type"] = json!("command");
            }
            definition
        });
        let definitions: Vec<Value> = definitions.collect();
        match self {
            Vendor::Cursor => json!({ name: definitions }),
            _ => json!({ name: [{ "hooks": definitions }] }),
        }
    }
}

/// A host that fires everywhere, with somebody to ask.
pub(crate) fn host() -> Host {
    Host::new("Acme", "1.4").fires(Boundary::ALL.iter().copied()).attended(true).machine(machine())
}

pub(crate) struct Scene {
    root: PathBuf,
    _dir: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap(); // as `pwd -P` has it
        for below in ["project", "home", "machine", "bin", "out"] {
            fs::create_dir(root.join(below)).unwrap();
        }
        Scene { root, _dir: dir }
    }

    /// With these hooks in the project, by event.
    pub(crate) fn with(hooks: &Value) -> Self {
        let scene = Scene::new();
        scene.hooks(PROJECT, hooks);
        scene
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// The same as text, for a hook's line.
    pub(crate) fn at(&self, below: &str) -> String {
        self.path(below).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, below: &str, text: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn hooks(&self, below: &str, hooks: &Value) {
        self.write(below, json!({"version": 1, "hooks": hooks}).to_string());
    }

    /// Hooks of any vendor's in the project, by event.
    pub(crate) fn hooks_of(&self, vendor: Vendor, hooks: &Value) {
        match vendor {
            Vendor::Cursor => self.hooks(PROJECT, hooks),
            _ => self.write(vendor.file(), json!({ "hooks": hooks }).to_string()),
        }
    }

    /// A script that can be run by its path, which this gives. A shell writes it: were it open for
    /// writing here while another test starts a process, running it could fail with "text file
    /// busy".
    pub(crate) fn script(&self, below: &str, text: &str) -> String {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut writer = Command::new("/bin/sh");
        writer.args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(&path).stdin(Stdio::piped());
        let mut writer = writer.spawn().unwrap();
        writer.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{text}").as_bytes()).unwrap();
        assert!(writer.wait().unwrap().success());
        self.at(below)
    }

    /// What is in a file that hooks wrote.
    pub(crate) fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap_or_else(|error| panic!("{below}: {error}"))
    }

    /// Standard inputs that hooks put down, one a line.
    pub(crate) fn inputs(&self, below: &str) -> Vec<Value> {
        self.read(below).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A pipe with a name.
    pub(crate) fn gate(&self, name: &str) -> Gate {
        Gate::new(self.path(name))
    }

    pub(crate) fn places(&self) -> Places {
        let machine = self.path("machine");
        Places::new(self.path("project")).home(self.path("home")).machine(machine, Platform::Linux).trusted(true)
    }

    pub(crate) fn load(&self, host: Host) -> Arc<Snapshot> {
        load(host, &self.places())
    }

    pub(crate) fn dispatcher(&self, host: Host) -> Dispatcher {
        Dispatcher::new(self.load(host))
    }

    /// With the hooks of all three vendors.
    pub(crate) fn load_all(&self, host: Host) -> Arc<Snapshot> {
        self.load_as(host, Vendor::ALL)
    }

    /// With adapters registered in this order.
    pub(crate) fn load_as(&self, host: Host, vendors: impl IntoIterator<Item = Vendor>) -> Arc<Snapshot> {
        load_as(host, &self.places(), vendors)
    }

    /// With the hooks of all three vendors.
    pub(crate) fn council(&self, host: Host) -> Dispatcher {
        Dispatcher::new(self.load_all(host))
    }

    pub(crate) fn session(&self, id: &str) -> Session {
        Session::new(id, self.path("project"))
    }

    /// In a turn of the session `s1`.
    pub(crate) fn envelope(&self, payload: impl Into<Payload>) -> Envelope {
        envelope_in(self.session("s1"), payload)
    }

    pub(crate) fn shell(&self, command: &str) -> Envelope {
        self.envelope(ToolBefore::new(ToolCall::new("c1", "terminal", Shell::new(command))))
    }

    pub(crate) fn stop(&self) -> Envelope {
        self.envelope(TurnStop::new())
    }
}

pub(crate) fn envelope_in(session: Session, payload: impl Into<Payload>) -> Envelope {
    Envelope::new("e1", 1_764_500_000_000, Arc::new(session), payload).turn(Turn::new("t1"))
}

pub(crate) fn load(host: Host, places: &Places) -> Arc<Snapshot> {
    load_as(host, places, [Vendor::Cursor])
}

pub(crate) fn load_as(host: Host, places: &Places, vendors: impl IntoIterator<Item = Vendor>) -> Arc<Snapshot> {
    Snapshot::load(vendors.into_iter().map(Vendor::adapter).collect(), host, places, &Disk)
}

/// A pipe with a name, by which a test and its hooks wait for each other, a line at a time. The
/// test holds both ends, so that nobody waits for it to be opened.
pub(crate) struct Gate {
    path: PathBuf,
    pipe: File,
}

impl Gate {
    fn new(path: PathBuf) -> Self {
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let pipe = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        Gate { path, pipe }
    }

    pub(crate) fn at(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// The same pipe, for another thread.
    pub(crate) fn again(&self) -> Self {
        Gate { path: self.path.clone(), pipe: self.pipe.try_clone().unwrap() }
    }

    /// Lets a hook go on that waits with `read -r line <gate`.
    pub(crate) fn send(&self, line: &str) {
        (&self.pipe).write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Waits for a line of a hook.
    pub(crate) fn receive(&self) -> String {
        let mut line = String::new();
        BufReader::new(&self.pipe).read_line(&mut line).unwrap();
        line.trim_end_matches('\n').to_owned()
    }
}

/// One hook that ran.
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) command: String,
    pub(crate) outcome: Outcome,
}

/// What came of an envelope: the hooks that ran, in the order in which they finished.
pub(crate) struct Happened {
    pub(crate) runs: Vec<Run>,
    pub(crate) decision: Decision,
}

impl Happened {
    /// The only hook that ran.
    pub(crate) fn only(&self) -> &Run {
        let [run] = self.runs.as_slice() else { panic!("{} hooks ran", self.runs.len()) };
        run
    }

    /// The hooks that ran, by their ids, in order.
    pub(crate) fn ran(&self) -> Vec<&str> {
        let mut ran: Vec<_> = self.runs.iter().map(|run| run.id.as_str()).collect();
        ran.sort_unstable();
        ran
    }

    /// Reasons, and those of a halt, one a line.
    pub(crate) fn reasons(&self) -> String {
        let halt = self.decision.halt.iter().filter_map(|halt| halt.value.reason.as_ref());
        let reasons = self.decision.reasons.iter().map(|reason| &reason.value).chain(halt);
        reasons.map(Text::as_str).collect::<Vec<_>>().join("\n")
    }
}

pub(crate) async fn fire(dispatcher: &Dispatcher, envelope: &Envelope) -> Happened {
    fire_watched(dispatcher, envelope, |_| {}).await
}

/// The same; `watch` is told of each hook that finished before the next is looked at.
pub(crate) async fn fire_watched(
    dispatcher: &Dispatcher,
    envelope: &Envelope,
    mut watch: impl FnMut(&Run) + Send,
) -> Happened {
    let mut runs = Vec::new();
    let fired = dispatcher.fire_with(envelope, |progress| {
        let Progress::Finished { invocation, outcome, .. } = progress else { return };
        let run = Run {
            id: invocation.binding.id.to_string(),
            command: invocation.binding.handler.text().to_string(),
            outcome: outcome.clone(),
        };
        watch(&run);
        runs.push(run);
    });
    let decision = fired.await.decision;
    Happened { runs, decision }
}

pub(crate) fn codes(diagnostics: &[Diagnostic]) -> Vec<&str> {
    diagnostics.iter().map(|diagnostic| &*diagnostic.code).collect()
}

/// How many bytes a file has.
pub(crate) fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}
