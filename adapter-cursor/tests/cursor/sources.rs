//! Where `hooks.json` files are looked for, in which order, whom they need the trust of, and where
//! their hooks run.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_core::{
    Adapter, Exit, Fidelity, Files, Launch, Outcome, Places, Platform, Scope, SessionState, Severity, Snapshot,
    Standing, Status,
};
use harness_hooks_cursor::Cursor;

use crate::common;

const HOOK: &str = r#"{"version":1,"hooks":{"preToolUse":[{"command":"a"}],"stop":[{"command":"b"}]}}"#;

fn everywhere() -> Places {
    Places::new(common::PROJECT)
        .home(Some("/home/dev".into()))
        .machine("/", Platform::Linux)
        .plugins([PathBuf::from("/opt/one"), PathBuf::from("/opt/two")])
        .trusted(true)
}

fn no_files() -> BTreeMap<PathBuf, Vec<u8>> {
    BTreeMap::new()
}

/// CUR-SRC-01, CUR-SRC-02, CUR-SRC-05: scope, path and working directory, in merge order.
#[test]
fn files_are_looked_for_in_merge_order() {
    let sources = Cursor::new().sources(&everywhere(), &no_files());
    let got: Vec<_> = sources.iter().map(|s| (s.scope, s.path.to_str().unwrap(), s.cwd.to_str().unwrap())).collect();
    let team = "/home/dev/.cursor/managed/active-team-hooks";
    let team_file = format!("{team}/hooks.json");
    assert_eq!(
        got,
        [
            (Scope::Managed, "/etc/cursor/hooks.json", "/etc/cursor"),
            (Scope::Team, team_file.as_str(), team),
            (Scope::Project, "/home/dev/project/.cursor/hooks.json", "/home/dev/project"),
            (Scope::User, "/home/dev/.cursor/hooks.json", "/home/dev/.cursor"),
            (Scope::Plugin, "/opt/one/hooks/hooks.json", "/opt/one"),
            (Scope::Plugin, "/opt/two/hooks/hooks.json", "/opt/two"),
        ]
    );
}

/// CUR-SRC-02: the machine's file by its system.
#[test]
fn each_system_has_its_own_enterprise_file() {
    for (platform, path) in [
        (Platform::Linux, "/m/etc/cursor/hooks.json"),
        (Platform::MacOs, "/m/Library/Application Support/Cursor/hooks.json"),
        (Platform::Windows, "/m/ProgramData/Cursor/hooks.json"),
    ] {
        let sources = Cursor::new().sources(&Places::new("/w").machine("/m", platform), &no_files());
        assert_eq!(sources[0].path, Path::new(path));
    }
}

/// Nothing outside the given places is ever looked at.
#[test]
fn without_a_home_and_a_machine_only_the_workspace_is_looked_into() {
    let sources = Cursor::new().sources(&Places::new("/w").roots(["/w/a".into(), "/w/b".into()]), &no_files());
    let paths: Vec<_> = sources.iter().map(|source| source.path.to_str().unwrap()).collect();
    assert_eq!(paths, ["/w/a/.cursor/hooks.json", "/w/b/.cursor/hooks.json"]);
}

/// CUR-SRC-06: what Cursor imports from Claude's files is not read here.
#[test]
fn no_file_of_another_vendor_is_looked_for() {
    let sources = Cursor::new().sources(&everywhere(), &no_files());
    assert!(sources.iter().all(|source| !source.path.to_str().unwrap().contains(".claude")));
}

fn each_source() -> Vec<(&'static str, &'static [u8])> {
    [
        "/etc/cursor/hooks.json",
        "/home/dev/.cursor/managed/active-team-hooks/hooks.json",
        common::DOCUMENT,
        "/home/dev/.cursor/hooks.json",
        "/opt/one/hooks/hooks.json",
    ]
    .map(|path| (path, HOOK.as_bytes()))
    .to_vec()
}

/// CUR-SRC-01, CUR-SRC-05: every hook of every source runs, each where it belongs.
#[test]
fn hooks_of_every_source_run_in_their_directory() {
    let snapshot = common::load(common::acme(), &everywhere(), each_source());
    let cwds = |payload: &str| -> Vec<String> {
        let envelope = common::envelope(payload);
        let mut firing = snapshot.begin(&envelope, SessionState::new());
        let stage = firing.next_stage().unwrap();
        let cwd = |launch: &Launch| match launch {
            Launch::Process(process) => process.cwd.display().to_string(),
            other => panic!("{other:?}"),
        };
        stage.invocations.iter().map(|invocation| cwd(&invocation.launch)).collect()
    };
    let team = "/home/dev/.cursor/managed/active-team-hooks";
    let tool = r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#;
    assert_eq!(cwds(tool), ["/etc/cursor", team, common::PROJECT, "/home/dev/.cursor", "/opt/one"]);
    let stop = r#"{"turn.stop":{"end":"completed"}}"#;
    assert_eq!(cwds(stop), ["/etc/cursor", team, common::PROJECT, "/home/dev/.cursor", common::PROJECT]);
}

/// CUR-SRC-03
#[test]
fn only_the_projects_file_needs_trust() {
    let snapshot = common::load(common::acme(), &everywhere().trusted(false), each_source());
    let status: Vec<_> = snapshot.sources().iter().filter(|s| s.status != Status::Missing).map(|s| s.status).collect();
    assert_eq!(status, [Status::Loaded, Status::Loaded, Status::Untrusted, Status::Loaded, Status::Loaded]);
    let skipped = snapshot.bindings().iter().filter(|binding| matches!(binding.standing, Standing::Skipped(_)));
    assert!(skipped.clone().all(|binding| binding.source.scope == Scope::Project));
    assert_eq!(skipped.count(), 2);
}

/// CUR-SRC-03: nothing is said of a file that is not there.
#[test]
fn missing_files_are_no_finding() {
    let snapshot = common::load(common::acme(), &everywhere(), []);
    assert_eq!(snapshot.diagnostics(), []);
    assert!(snapshot.sources().iter().all(|source| source.status == Status::Missing));
}

/// CUR-SRC-06
#[test]
fn the_same_command_twice_runs_twice() {
    let documents = [(common::DOCUMENT, HOOK.as_bytes()), ("/home/dev/.cursor/hooks.json", HOOK.as_bytes())];
    let snapshot = common::load(common::acme(), &everywhere(), documents);
    let allowed = Outcome::new(Exit::Code(0)).stdout(r#"{"permission":"allow"}"#);
    let started = common::commands(&snapshot, &common::before(r#"{"shell":{"command":"ls"}}"#), &allowed);
    assert_eq!(started, [["a", "a"]]);
}

/// A disk on which one path leads elsewhere, and one holds no regular file.
struct Odd {
    files: BTreeMap<PathBuf, Vec<u8>>,
    link: (PathBuf, PathBuf),
    directory: PathBuf,
}

impl Files for Odd {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.directory {
            return Err(io::Error::other("it is a directory"));
        }
        Files::read(&self.files, path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        match path.strip_prefix(&self.link.0) {
            Ok(below) if below.as_os_str().is_empty() => Ok(self.link.1.clone()),
            Ok(below) => Ok(self.link.1.join(below)),
            Err(_) => Ok(path.to_path_buf()),
        }
    }
}

fn load(disk: &Odd, places: &Places) -> Arc<Snapshot> {
    load_in(Fidelity::Guarded, disk, places)
}

fn load_in(fidelity: Fidelity, disk: &Odd, places: &Places) -> Arc<Snapshot> {
    Snapshot::load(vec![Arc::new(Cursor::with_fidelity(fidelity))], common::acme(), places, disk)
}

/// CUR-SRC-04: a link below the project's root is followed with a warning; one above it, or in the
/// user's home, is nobody's business.
#[test]
fn links_below_the_project_are_said() {
    for (link, to, warned) in [
        (common::DOCUMENT, "/elsewhere/hooks.json", true),
        ("/home/dev/project/.cursor", "/elsewhere", true),
        (common::PROJECT, "/real/project", false),
        ("/home/dev/.cursor", "/elsewhere", false),
    ] {
        let files = [common::DOCUMENT, "/home/dev/.cursor/hooks.json"].map(|path| (path.into(), HOOK.into()));
        let disk = Odd { files: files.into(), link: (link.into(), to.into()), directory: "/none".into() };
        let snapshot = load(&disk, &everywhere());
        assert_eq!(snapshot.bindings().len(), 4, "{link}");
        let warnings: Vec<_> = snapshot.diagnostics().iter().map(|d| (d.severity, d.source.clone().unwrap())).collect();
        let expected = if warned { vec![(Severity::Warning, common::DOCUMENT.to_owned())] } else { vec![] };
        assert_eq!(warnings, expected, "{link}: {:?}", snapshot.diagnostics());
    }
}

/// CUR-SRC-04: what is said here refuses the file in Cursor's own way, a project's and no other.
#[test]
fn a_link_in_the_project_is_refused_by_cursor_only() {
    for (link, to, refused) in [
        (common::DOCUMENT, "/elsewhere/hooks.json", true),
        ("/home/dev/project/.cursor", "/elsewhere", true),
        ("/home/dev/.cursor", "/elsewhere", false),
    ] {
        let files = [common::DOCUMENT, "/home/dev/.cursor/hooks.json"].map(|path| (path.into(), HOOK.into()));
        let disk = Odd { files: files.into(), link: (link.into(), to.into()), directory: "/none".into() };
        let [guarded, vendor] = Fidelity::ALL.map(|fidelity| load_in(fidelity, &disk, &everywhere()));
        assert_eq!(guarded.bindings().len(), 4, "{link}");
        assert_eq!(vendor.bindings().len(), if refused { 2 } else { 4 }, "{link}");
        let errors: Vec<_> = vendor.diagnostics().iter().filter(|d| d.severity == Severity::Error).collect();
        assert_eq!(errors.len(), usize::from(refused), "{link}: {errors:?}");
        assert!(errors.iter().all(|error| error.code == "cursor/symlink"), "{link}: {errors:?}");
        let missing = vendor.refused(&common::before(r#"{"shell":{"command":"ls"}}"#));
        assert_eq!(missing.len(), usize::from(refused), "{link}");
    }
}

/// CUR-SRC-07, CUR-SRC-08: what is there and no file is refused with one error, and every decision
/// it could have guarded says so.
#[test]
fn what_is_no_file_is_refused() {
    let disk =
        Odd { files: BTreeMap::new(), link: ("/none".into(), "/none".into()), directory: common::DOCUMENT.into() };
    let snapshot = load(&disk, &everywhere());
    let [error] = snapshot.diagnostics() else { panic!("{:?}", snapshot.diagnostics()) };
    assert_eq!(error.severity, Severity::Error);
    assert!(error.message.contains("it is a directory"), "{error}");
    let refused = snapshot.refused(&common::before(r#"{"shell":{"command":"ls"}}"#));
    assert_eq!(refused.len(), 1);
    assert_eq!(snapshot.refused(&common::envelope(r#"{"turn.stop":{}}"#)), []);
}

/// CUR-SRC-08, CUR-CFG-05, CUR-CFG-07: a file that is refused, a guard whose matcher does not
/// compile, that asks a prompt, or whose event's name has a slip in it, is missing from the decisions of the moments it could have guarded, and from no others.
#[test]
fn missing_guards_are_part_of_the_decision() {
    let shell = || common::before(r#"{"shell":{"command":"ls"}}"#);
    let read = || common::envelope(r#"{"file.read":{"path":"a"}}"#);
    let stop = || common::envelope(r#"{"turn.stop":{"end":"completed"}}"#);
    let bad = r#"{"version":1,"hooks":{"preToolUse":[{"command":"a","matcher":"("}],"stop":[{"command":"b","matcher":"("}]}}"#;
    let prompt = r#"{"version":1,"hooks":{"beforeShellExecution":[{"type":"prompt","prompt":"Safe?"}]}}"#;
    let slip = r#"{"version":1,"hooks":{"beforeShelExecutions":[{"command":"a"}]}}"#;
    let claude = r#"{"version":1,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"command":"a"}]}]}}"#;
    let empty = r#"{"version":1,"hooks":{"PreToolUse":[]}}"#;
    let other = r#"{"version":1,"hooks":{"beforeFileWrite":[{"command":"a"}],"postCompact":[{"command":"b"}]}}"#;
    for (document, envelope, missing, denied) in [
        ("{}", shell(), 1, true),
        ("{}", read(), 1, true),
        ("{}", stop(), 0, false),
        (bad, shell(), 1, true),
        (prompt, shell(), 1, true),
        (prompt, read(), 0, false),
        (slip, shell(), 1, true),
        (slip, read(), 0, false),
        (claude, shell(), 1, true),
        (empty, shell(), 0, false),
        (other, shell(), 0, false),
        (bad, read(), 0, false),
        (bad, stop(), 0, false),
    ] {
        for strict in [false, true] {
            let snapshot = common::snapshot(common::acme().strict(strict), document);
            let decision = snapshot.begin(&envelope, SessionState::new()).finish().decision;
            assert_eq!(decision.refused_sources.len(), missing, "{document} at {}", envelope.boundary());
            let refused = decision.action == harness_hooks_core::Action::Deny;
            assert_eq!(refused, strict && denied, "{document} at {}, strict {strict}", envelope.boundary());
        }
    }
}
