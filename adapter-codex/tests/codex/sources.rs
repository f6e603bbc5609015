//! Where configuration is looked for, in which order, whom it needs the trust of, and what one
//! document says about the hooks of another.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_codex::{CODEX, Codex};
use harness_hooks_core::{
    Adapter, Boundary, Envelope, Files, Host, Place, Places, Platform, Scope, SessionDocument, SessionState, Snapshot,
    Source, Standing, Status,
};
use harness_hooks_fixtures::codes;

use crate::common;

pub(crate) fn envelope(payload: &str) -> Envelope {
    common::envelope(payload)
}

/// The trusted project alone.
pub(crate) fn project() -> Places {
    Places::new("/home/dev/project").trusted(true)
}

/// A session below the project of a user, on a machine with managed files and two plugins.
fn everywhere() -> Places {
    Places::new("/home/dev/project/a/b")
        .roots(["/home/dev/project".into()])
        .home(Some("/home/dev".into()))
        .machine("/", Platform::Linux)
        .session(CODEX, SessionDocument::Text("[[hooks.Stop]]\nhooks=[{type='command',command='session'}]".into()))
        .plugins([PathBuf::from("/opt/one"), PathBuf::from("/opt/two")])
        .trusted(true)
}

type Memory = BTreeMap<PathBuf, Vec<u8>>;

fn memory<'d>(documents: impl IntoIterator<Item = (&'d str, &'d str)>) -> Memory {
    documents.into_iter().map(|(path, document)| (path.into(), document.into())).collect()
}

pub(crate) fn load_in<'d>(
    host: Host,
    places: &Places,
    documents: impl IntoIterator<Item = (&'d str, &'d str)>,
) -> Arc<Snapshot> {
    Snapshot::load(vec![Arc::new(Codex::new())], host, places, &memory(documents))
}

pub(crate) fn load<'d>(places: &Places, documents: impl IntoIterator<Item = (&'d str, &'d str)>) -> Arc<Snapshot> {
    load_in(Host::new("Acme", "1.2.3").fires(Boundary::ALL.iter().copied()), places, documents)
}

fn paths(sources: &[Source]) -> Vec<String> {
    sources.iter().map(|source| source.path.display().to_string()).collect()
}

fn sources_of(places: &Places, files: &Memory) -> Vec<String> {
    paths(&Codex::new().sources(places, files))
}

/// A `hooks.json` with one hook.
pub(crate) fn json(command: &str) -> String {
    format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"{command}"}}]}}]}}}}"#)
}

/// A `config.toml` with one hook.
pub(crate) fn toml(command: &str) -> String {
    format!("[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = 'command'\ncommand = '{command}'\n")
}

/// The commands of hooks that would run, in binding order.
fn active(snapshot: &Snapshot) -> Vec<&str> {
    let active = snapshot.bindings().iter().filter(|binding| binding.standing == Standing::Active);
    active.map(|binding| binding.handler.text().as_str()).collect()
}

/// CDX-SRC-01 to CDX-SRC-05, CDX-SRC-11: scope, path and label, in merge order.
#[test]
fn files_are_looked_for_in_merge_order() {
    let sources = Codex::new().sources(&everywhere(), &memory([("/home/dev/project/.git/HEAD", "")]));
    let got: Vec<_> = sources.iter().map(|s| (s.scope, s.path.to_str().unwrap(), s.label.as_str())).collect();
    assert_eq!(
        got,
        [
            (Scope::Managed, "/etc/codex/requirements.toml", "managed/requirements.toml"),
            (Scope::System, "/etc/codex/hooks.json", "system/hooks.json"),
            (Scope::System, "/etc/codex/config.toml", "system/config.toml"),
            (Scope::User, "/home/dev/.codex/hooks.json", "user/.codex/hooks.json"),
            (Scope::User, "/home/dev/.codex/config.toml", "user/.codex/config.toml"),
            (Scope::Project, "/home/dev/project/.codex/hooks.json", "project/.codex/hooks.json"),
            (Scope::Project, "/home/dev/project/.codex/config.toml", "project/.codex/config.toml"),
            (Scope::Project, "/home/dev/project/a/.codex/hooks.json", "project/a/.codex/hooks.json"),
            (Scope::Project, "/home/dev/project/a/.codex/config.toml", "project/a/.codex/config.toml"),
            (Scope::Project, "/home/dev/project/a/b/.codex/hooks.json", "project/a/b/.codex/hooks.json"),
            (Scope::Project, "/home/dev/project/a/b/.codex/config.toml", "project/a/b/.codex/config.toml"),
            (Scope::Session, "/<session-flags>/config.toml", "session/config.toml"),
            (Scope::Plugin, "/opt/one/.codex-plugin/plugin.json", "plugin/.codex-plugin/plugin.json"),
            (Scope::Plugin, "/opt/one/hooks/hooks.json", "plugin/hooks/hooks.json"),
            (Scope::Plugin, "/opt/two/.codex-plugin/plugin.json", "plugin-2/.codex-plugin/plugin.json"),
            (Scope::Plugin, "/opt/two/hooks/hooks.json", "plugin-2/hooks/hooks.json"),
        ]
    );
    for source in &sources {
        assert_eq!(source.needs_trust, source.scope == Scope::Project, "{}", source.label);
    }
    let labels: std::collections::BTreeSet<_> = sources.iter().map(|source| source.label.as_str()).collect();
    assert_eq!(labels.len(), sources.len());
}

/// CDX-SRC-01: every hook of every source is bound, the order of sources before that of events.
#[test]
fn every_source_adds_up() {
    let files = [
        ("/etc/codex/requirements.toml", toml("managed")),
        ("/etc/codex/hooks.json", json("system json")),
        ("/etc/codex/config.toml", toml("system toml")),
        ("/home/dev/.codex/hooks.json", json("user json")),
        ("/home/dev/.codex/config.toml", toml("user toml")),
        ("/home/dev/project/.codex/hooks.json", json("project json")),
        ("/home/dev/project/.codex/config.toml", toml("project toml")),
        ("/home/dev/project/a/.codex/config.toml", toml("a toml")),
        ("/home/dev/project/a/b/.codex/hooks.json", json("b json")),
        ("/opt/one/hooks/hooks.json", json("one")),
        ("/opt/two/hooks/hooks.json", json("two")),
    ];
    let snapshot = load(&everywhere(), files.iter().map(|(path, document)| (*path, document.as_str())));
    assert_eq!(
        active(&snapshot),
        [
            "managed",
            "system json",
            "system toml",
            "user json",
            "user toml",
            "project json",
            "project toml",
            "a toml",
            "b json",
            "session",
            "one",
            "two"
        ]
    );
    let twice = json("same");
    let snapshot =
        load(&everywhere(), [("/home/dev/.codex/hooks.json", &*twice), ("/opt/one/hooks/hooks.json", &*twice)]);
    assert_eq!(active(&snapshot), ["same", "session", "same"]);
}

/// CDX-SRC-02
#[test]
fn codex_home_takes_the_place_of_the_home() {
    for (value, folder) in [("/srv/codex", "/srv/codex"), ("own", "/home/dev/project/own"), ("", "/home/dev/.codex")] {
        let places = project().home(Some("/home/dev".into())).env([("CODEX_HOME".to_owned(), value.to_owned())]);
        let sources = sources_of(&places, &Memory::new());
        assert_eq!(sources[..2], ["hooks.json", "config.toml"].map(|file| format!("{folder}/{file}")), "{value}");
    }
    let nowhere = sources_of(&project(), &Memory::new());
    assert_eq!(nowhere, ["/home/dev/project/.codex/hooks.json", "/home/dev/project/.codex/config.toml"]);
}

/// CDX-SRC-03: the root is the nearest repository, no higher than the workspace folder that holds the
/// working directory.
#[test]
fn the_project_root_is_looked_for_within_the_workspace() {
    let folders = |cwd: &str, roots: &[&str], git: &[&str]| -> Vec<String> {
        let places = Places::new(cwd).roots(roots.iter().map(PathBuf::from));
        let files = memory(git.iter().map(|path| (*path, "")));
        let json = |path: &String| path.strip_suffix("/.codex/hooks.json").map(str::to_owned);
        sources_of(&places, &files).iter().filter_map(json).collect()
    };
    for (cwd, roots, git, expected) in [
        ("/w/p/a", &["/w/p"][..], &["/w/p/.git/HEAD"][..], &["/w/p", "/w/p/a"][..]),
        ("/w/p/a/b", &["/w/p"], &["/w/p/.git/HEAD", "/w/p/a/.git"], &["/w/p/a", "/w/p/a/b"]),
        ("/w/p/a", &["/w/p"], &["/w/.git/HEAD"], &["/w/p", "/w/p/a"]),
        ("/w/p/a", &["/w/p"], &[], &["/w/p", "/w/p/a"]),
        ("/w/p/a", &["/w/p/a", "/w"], &["/w/p/.git"], &["/w/p", "/w/p/a"]),
        ("/w/p/a", &[], &["/w/p/.git/HEAD"], &["/w/p/a"]),
        ("/w/p/a", &["/elsewhere"], &["/w/p/.git/HEAD"], &["/w/p/a"]),
        ("/w/tree", &["/w/tree"], &["/w/tree/.git"], &["/w/tree"]),
        ("/w/pa", &["/w/p", "/w/pa"], &["/w/p/.git/HEAD"], &["/w/pa"]),
    ] {
        assert_eq!(folders(cwd, roots, git), expected, "{cwd} in {roots:?} with {git:?}");
    }
}

/// CDX-SRC-04
#[test]
fn each_system_has_its_own_managed_folder() {
    for (platform, folder) in [
        (Platform::Linux, "/m/etc/codex"),
        (Platform::MacOs, "/m/etc/codex"),
        (Platform::Windows, "/m/ProgramData/OpenAI/Codex"),
    ] {
        let sources = sources_of(&Places::new("/w").machine("/m", platform), &Memory::new());
        assert_eq!(sources[..3], ["requirements.toml", "hooks.json", "config.toml"].map(|f| format!("{folder}/{f}")));
    }
}

/// CDX-SRC-05: TOML as on the command line, JSON where it begins as an object, or a file.
#[test]
fn the_session_hands_in_documents() {
    let text = |text: String| SessionDocument::Text(text.into());
    let places = project()
        .session(CODEX, text("hooks.PreToolUse = [{ hooks = [{ type = 'command', command = 'flag' }] }]".into()))
        .session(CODEX, text(format!("\n {}", json("object"))))
        .session(CODEX, SessionDocument::File("own/more.toml".into()))
        .session(harness_hooks_core::Vendor::new("other"), text(json("of another")));
    let more = toml("file");
    let snapshot = load(&places, [("/home/dev/project/own/more.toml", &*more)]);
    assert_eq!(active(&snapshot), ["flag", "object", "file"]);
    let ids: Vec<_> = snapshot.bindings().iter().map(|binding| binding.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "codex:session/config.toml#PreToolUse[0][0]",
            "codex:session-2/hooks.json#PreToolUse[0][0]",
            "codex:session-3/more.toml#PreToolUse[0][0]"
        ]
    );
    assert!(snapshot.diagnostics().is_empty(), "{:?}", snapshot.diagnostics());
    let broken = load(&project().session(CODEX, text("hooks = ".into())), []);
    assert_eq!(codes(broken.diagnostics()), ["error codex/invalid-toml"]);
}

const MANIFEST: &str = "/opt/one/.codex-plugin/plugin.json";

/// CDX-SRC-06: the file by convention, or what the manifest names, or what stands in it.
#[test]
fn a_plugin_brings_hooks() {
    let places = project().plugins([PathBuf::from("/opt/one")]);
    let (convention, first, second) = (json("convention"), json("first"), json("second"));
    let object = json("inline");
    let files = |manifest: &str| -> Vec<(&str, String)> {
        vec![
            (MANIFEST, manifest.to_owned()),
            ("/opt/one/hooks/hooks.json", convention.clone()),
            ("/opt/one/first.json", first.clone()),
            ("/opt/one/more/second.json", second.clone()),
        ]
    };
    let events = r#"{"PreToolUse":[{"hooks":[{"type":"command","command":"events"}]}]}"#;
    for (hooks, expected) in [
        (None, vec!["convention"]),
        (Some(r#""./first.json""#.to_owned()), vec!["first"]),
        (Some(r#"["first.json","./more/../more/second.json"]"#.to_owned()), vec!["first", "second"]),
        (Some(object.clone()), vec!["inline"]),
        (Some(events.to_owned()), vec!["events"]),
        (Some(format!("[{object},{events}]")), vec!["inline", "events"]),
        (Some("[]".to_owned()), vec![]),
    ] {
        let hooks = hooks.map_or(String::new(), |hooks| format!(r#","hooks":{hooks}"#));
        let manifest = format!(r#"{{"name":"demo","version":"1"{hooks}}}"#);
        let files = files(&manifest);
        let snapshot = load(&places, files.iter().map(|(path, text)| (*path, text.as_str())));
        assert_eq!(active(&snapshot), expected, "{manifest}: {:?}", snapshot.diagnostics());
        assert!(snapshot.diagnostics().is_empty(), "{:?}", snapshot.diagnostics());
        let ids: std::collections::BTreeSet<_> = snapshot.bindings().iter().map(|binding| &binding.id).collect();
        assert_eq!(ids.len(), expected.len());
    }
    for (hooks, code) in [
        (r#""../out.json""#, "error codex/outside-plugin"),
        (r#"["first.json","/etc/out.json"]"#, "error codex/outside-plugin"),
        ("5", "error codex/wrong-type"),
        ("null", "error codex/wrong-type"),
        (r#""gone.json""#, "warning codex/missing-file"),
    ] {
        let manifest = format!(r#"{{"name":"demo","hooks":{hooks}}}"#);
        let files = files(&manifest);
        let snapshot = load(&places, files.iter().map(|(path, text)| (*path, text.as_str())));
        assert_eq!(codes(snapshot.diagnostics()), [code], "{manifest}");
        let status = snapshot.sources().iter().find(|report| report.source.path == Path::new(MANIFEST)).unwrap().status;
        assert_eq!(status == Status::Refused, code.starts_with("error"), "{manifest}");
    }
    // a file it names is a hooks.json, whatever its name, so that no plugin switches hooks off
    let user = places.clone().home(Some("/home/dev".into()));
    for name in ["settings.toml", "config.toml"] {
        let (manifest, file) = (format!(r#"{{"name":"demo","hooks":"./{name}"}}"#), format!("/opt/one/{name}"));
        let files =
            [(MANIFEST, &*manifest), (&*file, "features.hooks = false\n"), ("/home/dev/.codex/hooks.json", &*first)];
        let snapshot = load(&user, files);
        assert_eq!(codes(snapshot.diagnostics()), ["error codex/invalid-json"]);
        assert_eq!(active(&snapshot), ["first"]);
    }
    let files = [(MANIFEST, r#"{"hooks":"hooks.toml"}"#), ("/opt/one/hooks.toml", &*second)];
    assert_eq!(active(&load(&user, files)), ["second"]);
    let snapshot = load(&places, [(MANIFEST, "{"), ("/opt/one/hooks/hooks.json", &convention)]);
    assert_eq!(codes(snapshot.diagnostics()), ["error codex/invalid-json"]);
    assert_eq!(active(&snapshot), ["convention"]);
}

/// CDX-SRC-07
#[test]
fn hooks_in_both_files_of_a_layer_are_named_once() {
    let (good, good_toml) = (json("json"), toml("toml"));
    let bad = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}"#;
    let user = ["/home/dev/.codex/hooks.json", "/home/dev/.codex/config.toml"];
    let project = ["/home/dev/project/.codex/hooks.json", "/home/dev/project/.codex/config.toml"];
    for (files, told) in
        [([user[0], user[1]], 1), ([project[0], project[1]], 1), ([user[0], project[1]], 0), ([project[0], user[1]], 0)]
    {
        let snapshot = load(&everywhere(), [(files[0], &*good), (files[1], &*good_toml)]);
        assert_eq!(snapshot.diagnostics().len(), told, "{files:?}: {:?}", snapshot.diagnostics());
        assert!(codes(snapshot.diagnostics()).iter().all(|code| code == "warning codex/two-representations"));
        assert_eq!(active(&snapshot).len(), 3);
    }
    let snapshot = load(&everywhere(), [(user[0], &*good), (user[1], &*good_toml)]);
    assert_eq!(active(&snapshot)[..2], ["json", "toml"]);
    for (json, toml, told) in [
        (r#"{"hooks":{}}"#, &*good_toml, false),
        (r#"{"hooks":{"Stop":[]}}"#, &*good_toml, false),
        (&*good, "model = 'm'", false),
        (&*good, "[hooks.state.\"x\"]\nenabled = true", false),
        (bad, &*good_toml, true),
        ("{", &*good_toml, false),
    ] {
        let snapshot = load(&everywhere(), [(user[0], json), (user[1], toml)]);
        let codes = codes(snapshot.diagnostics());
        assert_eq!(codes.contains(&"warning codex/two-representations".into()), told, "{json} {toml}: {codes:?}");
    }
    let snapshot = load(&everywhere().trusted(false), [(project[0], &*good), (project[1], &*good_toml)]);
    assert_eq!(codes(snapshot.diagnostics()), ["warning codex/untrusted"], "nothing of it runs");
}

/// CDX-SRC-08: as the one that needs no trust, whichever comes first.
#[test]
fn the_same_file_is_read_once() {
    let files = [("/home/dev/.codex/hooks.json", json("once")), ("/home/dev/.codex/config.toml", toml("twice"))];
    for trusted in [true, false] {
        let places = Places::new("/home/dev").home(Some("/home/dev".into())).trusted(trusted);
        let snapshot = load(&places, files.iter().map(|(path, text)| (*path, text.as_str())));
        assert_eq!(active(&snapshot), ["once", "twice"]);
        assert!(snapshot.bindings().iter().all(|binding| binding.source.scope == Scope::User));
    }
}

/// Each path is a link to what stands beside it.
struct Links(Memory, BTreeMap<PathBuf, PathBuf>);

impl Files for Links {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.read(self.1.get(path).map_or(path, PathBuf::as_path))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.resolve(self.1.get(path).map_or(path, PathBuf::as_path))
    }
}

/// CDX-SRC-08: two names of one file, and what a link of a project leads to.
#[test]
fn links_are_followed_to_the_file() {
    let user = "/home/dev/.codex/hooks.json";
    let linked = "/home/dev/project/.codex/hooks.json";
    let files = Links(
        memory([(user, &*json("one")), ("/home/dev/project/.git/HEAD", "")]),
        BTreeMap::from([(linked.into(), user.into())]),
    );
    let places = everywhere().home(Some("/home/dev".into()));
    let host = Host::new("Acme", "1").fires(Boundary::ALL.iter().copied());
    let snapshot = Snapshot::load(vec![Arc::new(Codex::new())], host, &places, &files);
    assert_eq!(active(&snapshot), ["one", "session"]);
    assert_eq!(codes(snapshot.diagnostics()), ["note codex/same-file"]);
    let sources = Codex::new().sources(&places, &files);
    let source = sources.iter().find(|source| source.path == Path::new(linked)).unwrap();
    assert_eq!(source.linked_to.as_deref(), Some(Path::new(user)));
}

/// CDX-SRC-09: the highest source that says it counts, in either spelling; an untrusted project's
/// word does not, and the managed requirements pin it.
#[test]
fn hooks_can_be_switched_off() {
    let (off, on) = ("[features]\nhooks = false\n", "[features]\nhooks = true\n");
    let former = "[features]\ncodex_hooks = false\n";
    let user = "/home/dev/.codex/config.toml";
    let project = "/home/dev/project/.codex/config.toml";
    let managed = "/etc/codex/requirements.toml";
    let guard = json("guard");
    for (documents, trusted, by) in [
        (vec![(user, off)], true, Some(user)),
        (vec![(user, former)], true, Some(user)),
        (vec![(user, "[features]\ncodex_hooks = false\nhooks = true\n")], true, None),
        (vec![("/etc/codex/config.toml", off)], true, Some("/etc/codex/config.toml")),
        (vec![("/etc/codex/config.toml", off), (user, on)], true, None),
        (vec![(user, on), (project, off)], true, Some(project)),
        (vec![(user, off), (project, on)], true, None),
        (vec![(user, off), (project, on)], false, Some(user)),
        (vec![(project, off)], false, None),
        (vec![(user, "[features]\nhooks = 'off'\n")], true, None),
        (vec![(managed, on), (user, off)], true, None),
        (vec![(managed, off), (user, on)], true, Some(managed)),
        (vec![(user, "[features]\nhooks = false\n[[hooks.Stop]\n")], true, None),
    ] {
        let files = documents.iter().copied().chain([("/home/dev/.codex/hooks.json", &*guard)]);
        let snapshot = load(&everywhere().trusted(trusted), files);
        let told: Vec<_> = snapshot.diagnostics().iter().filter(|d| d.code == "codex/hooks-off").collect();
        assert_eq!(active(&snapshot).is_empty(), by.is_some(), "{documents:?}, trusted {trusted}");
        assert_eq!(told.iter().map(|d| d.source.as_deref()).next().flatten(), by, "{documents:?}, trusted {trusted}");
        assert_eq!(told.len(), usize::from(by.is_some()));
        for told in told {
            let hooks = snapshot.bindings().len();
            assert!(told.message.ends_with(&format!("keeps {hooks} hooks from running")), "{}", told.message);
            let (source, place) = (told.source.as_deref().unwrap(), told.place.unwrap());
            let text = documents.iter().find(|(path, _)| *path == source).unwrap().1;
            let line = text.lines().nth(place.line as usize - 1).unwrap();
            assert!(line[place.column as usize - 1..].contains("hooks = false"), "{documents:?}: {place}");
            assert!(told.pointer.as_deref().unwrap().starts_with("/features/"), "{:?}", told.pointer);
        }
        for binding in snapshot.bindings() {
            let Standing::Skipped(why) = &binding.standing else { continue };
            assert!(why.contains(by.unwrap()) && why.contains("hooks = false"), "{why}");
        }
    }
    let session = everywhere().session(CODEX, SessionDocument::Text("features.hooks = false".into()));
    let snapshot = load(&session, [("/home/dev/.codex/hooks.json", &*guard)]);
    assert!(active(&snapshot).is_empty());
}

/// CDX-SRC-10
#[test]
fn managed_hooks_only() {
    let requirement = format!("allow_managed_hooks_only = true\n{}", toml("managed"));
    let files = [
        ("/etc/codex/hooks.json", json("system")),
        ("/home/dev/.codex/config.toml", toml("user")),
        ("/home/dev/project/.codex/hooks.json", json("project")),
        ("/opt/one/hooks/hooks.json", json("plugin")),
    ];
    let with = |requirements: &str| {
        let files = files.iter().map(|(path, text)| (*path, text.as_str()));
        load(&everywhere(), files.chain([("/etc/codex/requirements.toml", requirements)]))
    };
    let snapshot = with(&requirement);
    assert_eq!(active(&snapshot), ["managed"]);
    assert_eq!(codes(snapshot.diagnostics()), ["warning codex/hooks-off"]);
    let told = &snapshot.diagnostics()[0];
    assert_eq!(told.place, Some(Place::new(1, 1)));
    assert_eq!(told.pointer.as_deref(), Some("/allow_managed_hooks_only"));
    assert_eq!(active(&with(&requirement.replace("true", "false"))).len(), 6);
    assert_eq!(active(&with(&requirement.replace("true", "'yes'"))).len(), 6);

    let elsewhere = format!("allow_managed_hooks_only = true\n{}", toml("user"));
    let snapshot = load(&everywhere(), [("/home/dev/.codex/config.toml", &*elsewhere)]);
    assert_eq!(active(&snapshot), ["user", "session"]);
    assert_eq!(codes(snapshot.diagnostics()), ["warning codex/managed-only"]);
}

/// What is left out of a source whose hooks are off is missing from no decision.
#[test]
fn nothing_is_missing_where_hooks_are_off() {
    let files = [
        ("/home/dev/.codex/config.toml", "[features]\nhooks = false\n"),
        ("/home/dev/.codex/hooks.json", r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}"#),
    ];
    let tool = r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#;
    assert!(load(&everywhere(), files).refused(&envelope(tool)).is_empty());
    assert_eq!(load(&everywhere(), [files[1]]).refused(&envelope(tool)).len(), 1);
}

/// CDX-TRUST-01: listed, not run, and one warning for each folder names it.
#[test]
fn an_untrusted_project_is_listed_and_does_not_run() {
    let files = [
        ("/home/dev/.codex/hooks.json", json("user")),
        ("/etc/codex/requirements.toml", toml("managed")),
        ("/opt/one/hooks/hooks.json", json("plugin")),
        ("/home/dev/project/.codex/hooks.json", json("project")),
        ("/home/dev/project/.codex/config.toml", toml("project")),
        ("/home/dev/project/a/.codex/hooks.json", json("a")),
        ("/home/dev/project/a/b/.codex/config.toml", "model = 'm'".to_owned()),
    ];
    let snapshot = load(&everywhere().trusted(false), files.iter().map(|(path, text)| (*path, text.as_str())));
    assert_eq!(active(&snapshot), ["managed", "user", "session", "plugin"]);
    let warnings: Vec<_> = snapshot.diagnostics().iter().filter(|d| d.code == "codex/untrusted").collect();
    assert_eq!(warnings.len(), 2, "{:?}", snapshot.diagnostics());
    assert!(warnings[0].message.contains("/home/dev/project/.codex "), "{}", warnings[0].message);
    assert!(warnings[1].message.contains("/home/dev/project/a/.codex "), "{}", warnings[1].message);
    for report in snapshot.sources().iter().filter(|report| report.source.scope == Scope::Project) {
        assert!(matches!(report.status, Status::Untrusted | Status::Missing), "{report:?}");
    }
}

/// CDX-SRC-11: nothing is said of a file that is not there.
#[test]
fn missing_files_are_no_finding() {
    let snapshot = load(&everywhere(), []);
    assert_eq!(snapshot.diagnostics(), []);
    let missing = snapshot.sources().iter().filter(|report| report.source.scope != Scope::Session);
    assert!(missing.clone().count() > 10);
    assert!(missing.clone().all(|report| report.status == Status::Missing));
}

/// Something is there that is no file.
struct Unreadable;

impl Files for Unreadable {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::IsADirectory.into())
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }
}

/// CDX-SRC-12, CDX-SRC-13: it is refused with one error, and is missing from what it could have
/// guarded.
#[test]
fn what_is_no_file_is_refused() {
    let host = Host::new("Acme", "1").fires(Boundary::ALL.iter().copied());
    let snapshot = Snapshot::load(vec![Arc::new(Codex::new())], host, &project(), &Unreadable);
    assert_eq!(codes(snapshot.diagnostics()), ["error codex/unreadable", "error codex/unreadable"]);
    let prompt = envelope(r#"{"prompt.submit":{"prompt":"p"}}"#);
    assert_eq!(snapshot.refused(&prompt).len(), 2);
    assert!(snapshot.refused(&envelope(r#"{"turn.stop":{}}"#)).is_empty());
}

/// CDX-SRC-14: what a session loaded is a snapshot; another load is another one.
#[test]
fn a_load_is_a_snapshot() {
    let path = "/home/dev/project/.codex/hooks.json";
    let (before, after) = (json("before"), json("after"));
    let first = load(&project(), [(path, &*before)]);
    let second = load(&project(), [(path, &*after)]);
    assert_eq!((active(&first), active(&second)), (vec!["before"], vec!["after"]));
}

/// CDX-RUN-03: hooks of every source run in the session's directory.
#[test]
fn every_hook_runs_where_the_session_is() {
    let files = [("/home/dev/.codex/hooks.json", json("user")), ("/opt/one/hooks/hooks.json", json("plugin"))];
    let snapshot = load(&everywhere(), files.iter().map(|(path, text)| (*path, text.as_str())));
    let tool = envelope(r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#);
    let mut firing = snapshot.begin(&tool, SessionState::new());
    let stage = firing.next_stage().unwrap();
    assert_eq!(stage.invocations.len(), 2);
    for invocation in &stage.invocations {
        let harness_hooks_core::Launch::Process(process) = &invocation.launch else { panic!("{invocation:?}") };
        assert_eq!(process.cwd, Path::new("/home/dev/project"));
    }
}
