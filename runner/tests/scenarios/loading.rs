//! What takes part: an empty configuration, a workspace nobody trusts, files that cannot be used,
//! and the sources that run beside each other.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    process::Command,
    sync::Arc,
};

use harness_hooks_core::{Action, Fidelity, Places, SessionStart, Severity, Snapshot, SourceReport, Standing, Status};
use harness_hooks_cursor::Cursor;
use harness_hooks_runner::{Disk, Dispatcher};
use serde_json::{Value, json};

use crate::scene::{ALLOW, PROJECT, Scene, USER, codes, fire, host, load};

fn status(sources: &[SourceReport], end: &str) -> Status {
    sources.iter().find(|report| report.source.path.ends_with(end)).unwrap().status
}

/// A guard that says in `out/ran` that it ran.
fn marking(scene: &Scene) -> Value {
    json!({ "beforeShellExecution": [{ "command": format!("echo >>{}; {ALLOW}", scene.at("out/ran")) }] })
}

/// CUR-CFG-04, CUR-SRC-03: nothing to run and nothing to say, as without a file.
#[tokio::test]
async fn an_empty_configuration_disables() {
    for written in [true, false] {
        let scene = Scene::new();
        if written {
            scene.write(PROJECT, r#"{"version":1,"hooks":{}}"#);
        }
        for strict in [false, true] {
            let snapshot = scene.load(host().strict(strict));
            let expected = if written { Status::Loaded } else { Status::Missing };
            assert_eq!(status(snapshot.sources(), PROJECT), expected);
            assert!(snapshot.bindings().is_empty() && snapshot.diagnostics().is_empty());
            for envelope in [scene.shell("rm -rf build"), scene.stop()] {
                let happened = fire(&Dispatcher::new(snapshot.clone()), &envelope).await;
                assert_eq!((happened.runs.len(), happened.decision.action), (0, Action::Proceed));
                assert!(happened.decision.refused_sources.is_empty() && happened.decision.diagnostics.is_empty());
            }
        }
    }
}

/// CUR-SRC-03: the project's hooks are listed and do not run; the user's do.
#[tokio::test]
async fn hooks_of_an_untrusted_workspace_are_listed_only() {
    let scene = Scene::new();
    scene.hooks(PROJECT, &marking(&scene));
    scene.hooks(USER, &json!({ "beforeShellExecution": [{ "command": ALLOW }] }));
    let snapshot = load(host(), &scene.places().trusted(false));
    assert_eq!(status(snapshot.sources(), PROJECT), Status::Untrusted);
    assert_eq!(status(snapshot.sources(), USER), Status::Loaded);
    let [project, user] = snapshot.bindings() else { panic!("{} bindings", snapshot.bindings().len()) };
    assert!(matches!(&project.standing, Standing::Skipped(why) if why.contains("not trusted")));
    assert_eq!(user.standing, Standing::Active);

    let happened = fire(&Dispatcher::new(snapshot), &scene.shell("ls")).await;
    assert_eq!(happened.only().id, "cursor:user/.cursor/hooks.json#beforeShellExecution[0]");
    assert!(!scene.path("out/ran").exists());
    assert!(happened.decision.pre_approved && happened.decision.refused_sources.is_empty());
}

/// Puts something that is no usable configuration in the place of the project's.
fn spoil(scene: &Scene, how: &str) {
    let path = scene.path(PROJECT);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match how {
        "directory" => fs::create_dir(&path).unwrap(),
        // opening it would wait for a writer
        "pipe" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
        "socket" => drop(UnixListener::bind(&path).unwrap()),
        text => scene.write(PROJECT, text),
    }
}

/// CUR-SRC-07, CUR-SRC-08, CUR-CFG-01, CUR-CFG-02, CUR-CFG-17: the decision says which guards it
/// is made without, and a strict host does not go on without them. The other files are not
/// affected.
#[tokio::test]
async fn a_refused_file_is_part_of_the_decision() {
    let guard = r#""beforeShellExecution":[{"command":"exit 2"}]"#;
    let documents = [
        "directory".to_owned(),
        "pipe".to_owned(),
        "socket".to_owned(),
        String::new(),
        format!(r#"{{"version":1,"hooks":{{{guard}"#),
        format!(r#"{{"hooks":{{{guard}}}}}"#),
        format!(r#"{{"version":2,"hooks":{{{guard}}}}}"#),
        format!(r#"{{"version":1,"hooks":{{{guard},"stop":[{{"command":"true","timeout":0}}]}}}}"#),
    ];
    for document in documents {
        let scene = Scene::new();
        spoil(&scene, &document);
        scene.hooks(USER, &marking(&scene));
        for (strict, action) in [(false, Action::Proceed), (true, Action::Deny)] {
            let snapshot = scene.load(host().strict(strict));
            assert_eq!(status(snapshot.sources(), PROJECT), Status::Refused, "{document}");
            let [error] = snapshot.diagnostics() else { panic!("{document}: {:?}", snapshot.diagnostics()) };
            assert_eq!(error.severity, Severity::Error);
            assert_eq!(error.source, Some(scene.at(PROJECT)));

            let happened = fire(&Dispatcher::new(snapshot.clone()), &scene.shell("ls")).await;
            assert_eq!(happened.only().id, "cursor:user/.cursor/hooks.json#beforeShellExecution[0]");
            assert_eq!((happened.decision.action, happened.decision.pre_approved), (action, false), "{document}");
            let [refused] = happened.decision.refused_sources.as_slice() else { panic!("{document}") };
            assert_eq!((&refused.path, &refused.pointer), (&scene.path(PROJECT), &None));
            let reasons = happened.reasons();
            assert!(!strict || [&*scene.at(PROJECT), "Acme"].iter().all(|part| reasons.contains(part)), "{reasons}");

            // nothing it holds could have kept a turn from ending
            let happened = fire(&Dispatcher::new(snapshot), &scene.stop()).await;
            assert_eq!(happened.decision.action, Action::Proceed);
            assert!(happened.decision.refused_sources.is_empty());
        }
    }
}

/// CUR-SRC-04: a link between the project and its file is loaded with a warning, one elsewhere
/// without.
#[tokio::test]
async fn a_linked_file_runs() {
    let real = json!({ "beforeShellExecution": [{ "command": "exit 2" }] });
    for (link, target, file, warnings) in [
        (PROJECT, "elsewhere.json", "elsewhere.json", 1),
        ("project/.cursor", "elsewhere", "elsewhere/hooks.json", 1),
        (USER, "elsewhere.json", "elsewhere.json", 0),
        ("home/.cursor", "elsewhere", "elsewhere/hooks.json", 0),
    ] {
        let scene = Scene::new();
        scene.hooks(file, &real);
        fs::create_dir_all(scene.path(link).parent().unwrap()).unwrap();
        symlink(scene.path(target), scene.path(link)).unwrap();
        let snapshot = scene.load(host());
        let severities: Vec<_> = snapshot.diagnostics().iter().map(|d| d.severity).collect();
        assert_eq!(severities, vec![Severity::Warning; warnings], "{link}");
        assert_eq!(fire(&Dispatcher::new(snapshot), &scene.shell("ls")).await.decision.action, Action::Deny, "{link}");
    }
    // the project itself may be reached by one
    let scene = Scene::with(&real);
    symlink(scene.path("project"), scene.path("link")).unwrap();
    let snapshot = load(host(), &Places::new(scene.path("link")).trusted(true));
    assert_eq!((snapshot.bindings().len(), snapshot.diagnostics().len()), (1, 0));
}

/// Work in the home directory: the file of the user and of the project is one, and runs once,
/// whether the workspace is trusted or not.
#[tokio::test]
async fn one_file_runs_once() {
    let scene = Scene::new();
    scene.hooks(USER, &marking(&scene));
    for trusted in [true, false] {
        let snapshot = load(host(), &Places::new(scene.path("home")).home(scene.path("home")).trusted(trusted));
        assert_eq!(snapshot.diagnostics().iter().map(|d| d.severity).collect::<Vec<_>>(), [Severity::Note]);
        let happened = fire(&Dispatcher::new(snapshot), &scene.shell("ls")).await;
        assert_eq!((happened.runs.len(), happened.decision.pre_approved), (1, true));
    }
    assert_eq!(scene.read("out/ran"), "\n\n");
}

/// CUR-SRC-03: a workspace whose file is a link to the user's cannot take the user's guard away,
/// nor have it started in the workspace, where a file of the guard's name waits.
#[tokio::test]
async fn a_link_to_the_users_file_disarms_nothing() {
    let scene = Scene::new();
    scene.hooks(USER, &json!({ "beforeShellExecution": [{ "command": "sh ./guard.sh" }] }));
    scene.write("home/.cursor/guard.sh", "exit 2");
    scene.write("project/guard.sh", ALLOW);
    fs::create_dir_all(scene.path(PROJECT).parent().unwrap()).unwrap();
    symlink(scene.path(USER), scene.path(PROJECT)).unwrap();
    for fidelity in [Fidelity::Guarded, Fidelity::Vendor] {
        for places in [scene.places().trusted(true), scene.places().trusted(false)] {
            let snapshot = Snapshot::load(vec![Arc::new(Cursor::with_fidelity(fidelity))], host(), &places, &Disk);
            let happened = fire(&Dispatcher::new(snapshot), &scene.shell("ls")).await;
            assert_eq!(happened.only().id, "cursor:user/.cursor/hooks.json#beforeShellExecution[0]");
            assert_eq!(happened.decision.action, Action::Deny, "{fidelity:?}");
        }
    }
}

/// CUR-CFG-14, CUR-SRC-08: of a definition that was left out the decisions say so that it could
/// have had a part in.
#[tokio::test]
async fn a_skipped_guard_is_part_of_the_decision() {
    let guards = json!([{ "command": "exit 2", "matcher": "(" }, { "command": ALLOW }]);
    let scene = Scene::with(&json!({ "beforeShellExecution": guards, "beforeSubmitPrompt": [] }));
    for (strict, action) in [(false, Action::Proceed), (true, Action::Deny)] {
        let snapshot = scene.load(host().strict(strict));
        assert_eq!(status(snapshot.sources(), PROJECT), Status::Loaded);
        let [warning] = snapshot.diagnostics() else { panic!("{:?}", snapshot.diagnostics()) };
        assert_eq!(warning.severity, Severity::Warning);
        let happened = fire(&Dispatcher::new(snapshot.clone()), &scene.shell("ls")).await;
        assert_eq!(happened.only().id, "cursor:project/.cursor/hooks.json#beforeShellExecution[1]");
        assert_eq!((happened.decision.action, happened.decision.pre_approved), (action, false));
        let [refused] = happened.decision.refused_sources.as_slice() else { panic!("not listed") };
        assert_eq!(refused.event, Some("beforeShellExecution"));
        assert!(refused.pointer.as_deref().is_some_and(|at| at.starts_with("/hooks/beforeShellExecution/0")));

        let happened = fire(&Dispatcher::new(snapshot), &scene.envelope(SessionStart::new())).await;
        assert!(happened.decision.refused_sources.is_empty());
    }
}

/// CUR-SRC-01, CUR-SRC-06: every source runs, also twice the same command; deny wins over ask and
/// ask over allow, whoever says it.
#[tokio::test]
async fn the_most_restrictive_of_all_sources_wins() {
    let says = |permission: &str| {
        let line = format!(r#"printf '{{"permission":"{permission}"}}'"#);
        json!({ "beforeShellExecution": [{ "command": line }] })
    };
    for (enterprise, project, user, action) in [
        ("allow", "allow", "allow", Action::Proceed),
        ("allow", "ask", "allow", Action::Ask),
        ("allow", "ask", "deny", Action::Deny),
        ("deny", "allow", "ask", Action::Deny),
    ] {
        let scene = Scene::new();
        scene.hooks("machine/etc/cursor/hooks.json", &says(enterprise));
        scene.hooks(PROJECT, &says(project));
        scene.hooks(USER, &says(user));
        let happened = fire(&scene.dispatcher(host()), &scene.shell("ls")).await;
        assert_eq!(happened.runs.len(), 3);
        assert_eq!(happened.decision.action, action, "{enterprise}, {project}, {user}");
        assert_eq!(happened.decision.pre_approved, action == Action::Proceed);
        assert!(codes(&happened.decision.diagnostics).is_empty());
    }
}

/// CUR-MATCH-06, CUR-MATCH-02: a matcher of a shell hook is tested against the whole command.
#[tokio::test]
async fn a_matcher_reads_the_whole_command() {
    let hooks = json!({ "beforeShellExecution": [{ "command": "exit 2", "matcher": "rm -rf|push --force" }] });
    let scene = Scene::with(&hooks);
    let dispatcher = scene.dispatcher(host());
    for (command, action) in [
        ("git status", Action::Proceed),
        ("cd /tmp &&\n  rm -rf build", Action::Deny),
        ("git push --force origin main", Action::Deny),
        ("RM -RF build", Action::Proceed),
    ] {
        assert_eq!(fire(&dispatcher, &scene.shell(command)).await.decision.action, action, "{command}");
    }
}
