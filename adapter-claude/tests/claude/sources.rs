//! Where settings are looked for, in which order, whom they need the trust of, and what is missing
//! from a decision where one cannot be used.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_claude::{CLAUDE, Claude};
use harness_hooks_core::{
    Action, Adapter, Boundary, Capabilities, Files, Host, Places, Platform, Scope, SessionDocument, SessionState,
    Severity, Snapshot, Source, Standing, Status,
};

use crate::common;

const PROJECT: &str = "/home/dev/project";
const HOOK: &str = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}],"Stop":[{"hooks":[{"type":"command","command":"b"}]}]}}"#;

type Disk = BTreeMap<PathBuf, Vec<u8>>;

fn disk<'d>(documents: impl IntoIterator<Item = (&'d str, &'d str)>) -> Disk {
    documents.into_iter().map(|(path, document)| (path.into(), document.into())).collect()
}

fn everywhere() -> Places {
    Places::new(PROJECT)
        .home(Some("/home/dev".into()))
        .machine("/", Platform::Linux)
        .plugins([PathBuf::from("/opt/one"), PathBuf::from("/opt/two")])
        .session(CLAUDE, SessionDocument::File("extra.json".into()))
        .session(CLAUDE, SessionDocument::Text(HOOK.into()))
        .trusted(true)
}

fn acme() -> Host {
    Host::new("Acme", "1.2.3").fires(Boundary::ALL.iter().copied()).honours(Capabilities::ALL)
}

fn load(host: Host, places: &Places, files: &dyn Files) -> Arc<Snapshot> {
    Snapshot::load(vec![Arc::new(Claude::new())], host, places, files)
}

fn paths(sources: &[Source]) -> Vec<(Scope, &str)> {
    sources.iter().map(|source| (source.scope, source.path.to_str().unwrap())).collect()
}

/// CLA-SRC-01 to CLA-SRC-05: low to high. The later source wins a scalar.
#[test]
fn files_are_looked_for_in_merge_order() {
    let files = disk([
        ("/etc/claude-code/managed-settings.d/20-b.json", "{}"),
        ("/etc/claude-code/managed-settings.d/10-a.json", "{}"),
        ("/etc/claude-code/managed-settings.d/.hidden.json", "{}"),
        ("/etc/claude-code/managed-settings.d/README.md", "{}"),
        ("/etc/claude-code/managed-settings.d/deeper/30.json", "{}"),
        ("/opt/two/.claude-plugin/plugin.json", r#"{"hooks":["./x/more.json","../outside.json"]}"#),
    ]);
    let sources = Claude::new().sources(&everywhere(), &files);
    assert_eq!(
        paths(&sources),
        [
            (Scope::Plugin, "/opt/one/hooks/hooks.json"),
            (Scope::Plugin, "/opt/one/.claude-plugin/plugin.json"),
            (Scope::Plugin, "/opt/two/hooks/hooks.json"),
            (Scope::Plugin, "/opt/two/.claude-plugin/plugin.json"),
            (Scope::Plugin, "/opt/two/x/more.json"),
            (Scope::User, "/home/dev/.claude/settings.json"),
            (Scope::Project, "/home/dev/project/.claude/settings.json"),
            (Scope::Local, "/home/dev/project/.claude/settings.local.json"),
            (Scope::Session, "/home/dev/project/extra.json"),
            (Scope::Session, "--settings"),
            (Scope::Managed, "/etc/claude-code/managed-settings.json"),
            (Scope::Managed, "/etc/claude-code/managed-settings.d/10-a.json"),
            (Scope::Managed, "/etc/claude-code/managed-settings.d/20-b.json"),
        ]
    );
    let labels: Vec<&str> = sources.iter().map(|source| source.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "plugin/hooks/hooks.json",
            "plugin/.claude-plugin/plugin.json",
            "plugin-2/hooks/hooks.json",
            "plugin-2/.claude-plugin/plugin.json",
            "plugin-2/x/more.json",
            "user/.claude/settings.json",
            "project/.claude/settings.json",
            "local/.claude/settings.local.json",
            "session/--settings",
            "session-2/--settings",
            "managed/managed-settings.json",
            "managed/managed-settings.d/10-a.json",
            "managed/managed-settings.d/20-b.json",
        ]
    );
}

/// CLA-SRC-03
#[test]
fn each_system_has_its_own_managed_files() {
    for (platform, folder) in [
        (Platform::Linux, "/m/etc/claude-code"),
        (Platform::MacOs, "/m/Library/Application Support/ClaudeCode"),
        (Platform::Windows, "/m/Program Files/ClaudeCode"),
    ] {
        let more = format!("{folder}/managed-settings.d/a.json");
        let sources = Claude::new().sources(&Places::new("/w").machine("/m", platform), &disk([(&*more, "{}")]));
        let managed: Vec<_> = sources.iter().filter(|source| source.scope == Scope::Managed).map(|s| &s.path).collect();
        assert_eq!(managed, [&Path::new(folder).join("managed-settings.json"), Path::new(&more)]);
    }
}

/// CLA-SRC-02
#[test]
fn the_users_folder_can_be_elsewhere() {
    let user = |places: Places| -> Vec<PathBuf> {
        let sources = Claude::new().sources(&places, &Disk::new());
        sources.into_iter().filter(|source| source.scope == Scope::User).map(|source| source.path).collect()
    };
    let config = |folder: &str| [("CLAUDE_CONFIG_DIR".to_owned(), folder.to_owned())];
    assert_eq!(user(everywhere().env(config("/cfg"))), [Path::new("/cfg/settings.json")]);
    assert_eq!(user(everywhere().env(config(""))), [Path::new("/home/dev/.claude/settings.json")]);
    assert_eq!(user(Places::new("/w").env(config("/cfg"))), [Path::new("/cfg/settings.json")]);
    assert_eq!(user(Places::new("/w")), [] as [&Path; 0]);
}

/// CLA-SRC-02, CLA-SRC-12: there is one project root, nothing above or below it is searched, and
/// nothing outside of the given places.
#[test]
fn no_other_file_is_looked_for() {
    let places = Places::new("/w/a/deep").roots(["/w/a".into(), "/w/b".into()]);
    let sources = Claude::new().sources(&places, &Disk::new());
    let expected = [(Scope::Project, "/w/a/.claude/settings.json"), (Scope::Local, "/w/a/.claude/settings.local.json")];
    assert_eq!(paths(&sources), expected);
    let sources = Claude::new().sources(&everywhere(), &Disk::new());
    for other in [".claude/hooks.json", ".claude/hooks/hooks.json", ".claude.json"] {
        assert!(sources.iter().all(|source| !source.path.ends_with(other)), "{other}");
    }
}

/// Where a source speaks of its root: the project's, a plugin's own.
#[test]
fn a_source_knows_its_root() {
    for source in Claude::new().sources(&everywhere(), &Disk::new()) {
        let root = if source.scope == Scope::Plugin {
            source.path.starts_with(&source.cwd)
        } else {
            source.cwd == Path::new(PROJECT)
        };
        assert!(root, "{source:?}");
    }
}

/// CLA-SRC-12: nothing is said of a file that is not there.
#[test]
fn missing_files_are_no_finding() {
    let places = Places::new(PROJECT).home(Some("/home/dev".into())).machine("/", Platform::Linux);
    let snapshot = load(acme(), &places, &Disk::new());
    assert_eq!(snapshot.diagnostics(), []);
    assert!(snapshot.sources().iter().all(|source| source.status == Status::Missing));
}

/// CLA-SRC-06: the home directory as a project: its file needs no trust, because the user wrote it.
/// A manifest that names the file loaded by convention.
#[test]
fn a_file_is_read_once() {
    let home = Places::new("/home/dev").home(Some("/home/dev".into()));
    let snapshot = load(acme(), &home, &disk([("/home/dev/.claude/settings.json", HOOK)]));
    let bound: Vec<_> = snapshot.bindings().iter().map(|binding| binding.source.scope).collect();
    assert_eq!(bound, [Scope::User, Scope::User]);
    assert!(snapshot.bindings().iter().all(|binding| binding.standing == Standing::Active));

    let plugin = [
        ("/opt/one/hooks/hooks.json", HOOK),
        ("/opt/one/.claude-plugin/plugin.json", r#"{"hooks":"./hooks/./hooks.json"}"#),
    ];
    let snapshot = load(acme(), &everywhere(), &disk(plugin));
    let of_plugin = snapshot.bindings().iter().filter(|binding| binding.source.scope == Scope::Plugin);
    assert_eq!(of_plugin.count(), 2);
    let told: Vec<_> = snapshot.diagnostics().iter().map(|d| (d.severity, &*d.code)).collect();
    assert_eq!(told, [(Severity::Note, "claude/same-file")]);
}

/// CLA-SRC-04: a document that was handed in is read like a file.
#[test]
fn a_session_can_bring_its_settings() {
    let snapshot = load(acme(), &everywhere(), &disk([("/home/dev/project/extra.json", HOOK)]));
    let ids: Vec<_> = snapshot.bindings().iter().map(|binding| binding.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "claude:session/--settings#PreToolUse[0][0]",
            "claude:session/--settings#Stop[0][0]",
            "claude:session-2/--settings#PreToolUse[0][0]",
            "claude:session-2/--settings#Stop[0][0]",
        ]
    );
}

/// CLA-SRC-11
#[test]
fn only_the_projects_files_need_trust() {
    let files = disk([
        ("/opt/one/hooks/hooks.json", HOOK),
        ("/home/dev/.claude/settings.json", HOOK),
        ("/home/dev/project/.claude/settings.json", HOOK),
        ("/home/dev/project/.claude/settings.local.json", HOOK),
        ("/home/dev/project/extra.json", HOOK),
        ("/etc/claude-code/managed-settings.json", HOOK),
    ]);
    let snapshot = load(acme(), &everywhere().trusted(false), &files);
    for report in snapshot.sources().iter().filter(|report| report.status != Status::Missing) {
        let of_project = [Scope::Project, Scope::Local].contains(&report.source.scope);
        let expected = if of_project { Status::Untrusted } else { Status::Loaded };
        assert_eq!(report.status, expected, "{}", report.source.label);
        let skipped = |binding: &&Arc<harness_hooks_core::Binding>| matches!(binding.standing, Standing::Skipped(_));
        let of_it = snapshot.bindings().iter().filter(|binding| binding.source.path == report.source.path);
        assert_eq!(of_it.filter(skipped).count(), if of_project { 2 } else { 0 }, "{}", report.source.label);
    }
}

fn shell() -> harness_hooks_core::Envelope {
    common::envelope(r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#)
}

/// CLA-SRC-14: a file that is refused, and an entry that is dropped below a guard event, are missing
/// from the decisions of the moments they could have guarded, and from no others; the strict policy
/// denies there.
#[test]
fn missing_guards_are_part_of_the_decision() {
    let prompt = || common::envelope(r#"{"prompt.submit":{"prompt":"hi"}}"#);
    let stop = || common::envelope(r#"{"turn.stop":{"end":"completed"}}"#);
    let bad = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}"#;
    let matcher = r#"{"hooks":{"PreToolUse":[{"matcher":"[","hooks":[{"type":"command","command":"a"}]}]}}"#;
    let flat = r#"{"PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}]}"#;
    let [lower, upper, nothing, other] = ["preToolUse", "Pretooluse", "preToolUse", "userPromptSubmit"].map(|event| {
        let group = r#"{"hooks":[{"type":"command","command":"a"}]}"#;
        format!(r#"{{"hooks":{{"{event}":[{group}]}}}}"#)
    });
    let nothing = nothing.replace(r#"[{"hooks":[{"type":"command","command":"a"}]}]"#, "[]");
    let elsewhere = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command"}]}]}}"#;
    let off = r#"{"disableAllHooks":true,"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}"#;
    for (document, envelope, missing) in [
        ("[]", shell(), 1),
        ("[]", prompt(), 1),
        ("[]", stop(), 0),
        (bad, shell(), 1),
        (bad, prompt(), 0),
        (bad, stop(), 0),
        (matcher, shell(), 1),
        (matcher, prompt(), 0),
        (flat, shell(), 1),
        (&lower, shell(), 1),
        (&upper, shell(), 1),
        (&lower, prompt(), 0),
        (&nothing, shell(), 0),
        (&other, prompt(), 0),
        (elsewhere, prompt(), 0),
        (off, shell(), 1),
        ("", shell(), 0),
        ("{}", shell(), 0),
    ] {
        for strict in [false, true] {
            let places = Places::new(PROJECT).trusted(true);
            let snapshot =
                load(acme().strict(strict), &places, &disk([("/home/dev/project/.claude/settings.json", document)]));
            let decision = snapshot.begin(&envelope, SessionState::new()).finish().decision;
            assert_eq!(decision.refused_sources.len(), missing, "{document} at {}", envelope.boundary());
            let stopped = decision.action == Action::Deny;
            assert_eq!(stopped, strict && missing > 0, "{document} at {}, strict {strict}", envelope.boundary());
        }
    }
}

/// A disk on which one path leads elsewhere, and one cannot be read.
struct Odd {
    files: Disk,
    link: (PathBuf, PathBuf),
    closed: PathBuf,
}

impl Files for Odd {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.closed {
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

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        if directory == self.closed { Err(io::Error::other("no permission")) } else { self.files.list(directory) }
    }
}

/// CLA-SRC-06, CLA-SRC-11: a project whose settings are a link to the user's own file runs them as
/// the user's, trusted or not. Any other link is followed, and the file it leads to is known.
#[test]
fn links_are_followed() {
    let (project, user) = ("/home/dev/project/.claude/settings.json", "/home/dev/.claude/settings.json");
    let elsewhere = "/elsewhere/settings.json";
    for (to, loaded, linked) in [
        (user, vec![(Scope::User, Status::Loaded)], None),
        (elsewhere, vec![(Scope::User, Status::Loaded), (Scope::Project, Status::Untrusted)], Some(elsewhere)),
    ] {
        let files = disk([(project, HOOK), (user, HOOK)]);
        let disk = Odd { files, link: (project.into(), to.into()), closed: "/none".into() };
        let snapshot = load(acme(), &Places::new(PROJECT).home(Some("/home/dev".into())), &disk);
        let there = snapshot.sources().iter().filter(|report| report.status != Status::Missing);
        assert_eq!(there.clone().map(|report| (report.source.scope, report.status)).collect::<Vec<_>>(), loaded);
        let known = there.filter_map(|report| report.source.linked_to.clone()).next();
        assert_eq!(known, linked.map(PathBuf::from));
    }
}

/// CLA-SRC-13: what is there and cannot be read is refused with one error, wherever it is, the folder
/// of managed settings included.
#[test]
fn what_is_no_file_is_refused() {
    for closed in [
        "/home/dev/project/.claude/settings.json",
        "/home/dev/.claude/settings.json",
        "/etc/claude-code/managed-settings.json",
        "/etc/claude-code/managed-settings.d",
        "/opt/one/hooks/hooks.json",
        "/opt/one/.claude-plugin/plugin.json",
    ] {
        let disk = Odd { files: Disk::new(), link: ("/none".into(), "/none".into()), closed: closed.into() };
        let snapshot = load(acme(), &everywhere(), &disk);
        let [error] = snapshot.diagnostics() else { panic!("{closed}: {:?}", snapshot.diagnostics()) };
        assert_eq!((error.severity, &*error.code), (Severity::Error, "claude/unreadable"));
        assert!(error.message.contains(closed), "{error}");
        assert_eq!(snapshot.refused(&shell()).len(), 1, "{closed}");
    }
}

/// CLA-SRC-16: a load is a snapshot of its own; what was loaded before is as it was.
#[test]
fn a_change_counts_from_the_next_load() {
    let path = "/home/dev/project/.claude/settings.json";
    let places = Places::new(PROJECT).trusted(true);
    let before = load(acme(), &places, &disk([(path, HOOK)]));
    let after = load(acme(), &places, &disk([(path, "{")]));
    assert_eq!((before.bindings().len(), before.diagnostics().len()), (2, 0));
    assert_eq!((after.bindings().len(), after.diagnostics().len()), (0, 1));
}
