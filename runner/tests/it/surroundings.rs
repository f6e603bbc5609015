//! What a hook finds around it: the variables it inherits, and the file it is given.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use harness_hooks_core::{EnvReader, Exit, Outcome, SessionState};
use harness_hooks_runner::{Cancel, Dispatcher, Environment, Limits, Progress, run};

use crate::{
    common::{Scene, TAG, text},
    tiny::{context, session_start, snapshot, tool_before},
};

/// The names of the variables a hook has.
async fn names(scene: &Scene, environment: Environment) -> Vec<String> {
    let hooks = snapshot(scene, &["first /usr/bin/env -0 | tr '\\0' '\\n' | grep -o '^[A-Za-z_]*='"]);
    let fired = Dispatcher::new(hooks).environment(environment).fire(&tool_before("s")).await;
    let mut names: Vec<_> = context(&fired.decision).iter().map(|name| name.trim_end_matches('=').to_owned()).collect();
    names.sort();
    names
}

/// Shells set some of their own.
const OF_SHELLS: [&str; 5] = ["PWD", "OLDPWD", "SHLVL", "_", "PPID"];

#[tokio::test]
async fn all_variables_are_inherited_or_only_some() {
    let scene = Scene::new();
    let has = |names: &[String], name: &str| names.iter().any(|known| known == name);

    let all = names(&scene, Environment::Inherit).await;
    assert!(["PATH", "CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", TAG].iter().all(|name| has(&all, name)), "{all:?}");

    let open = names(&scene, Environment::WithoutSecrets).await;
    assert!(has(&open, "PATH") && has(&open, TAG), "{open:?}");
    assert!(open.iter().all(|name| Environment::WithoutSecrets.admits(name)), "{open:?}");

    let some = names(&scene, Environment::only(["PATH", "CARGO_PKG_NAME"])).await;
    let some: Vec<_> = some.iter().filter(|name| !OF_SHELLS.contains(&name.as_str())).collect();
    assert_eq!(some, ["CARGO_PKG_NAME", TAG, "PATH"]);
}

#[tokio::test]
async fn what_is_set_for_a_hook_is_set_under_any_policy() {
    let scene = Scene::new();
    let dispatcher = Dispatcher::new(snapshot(&scene, &["start echo env API_TOKEN=t", "first echo $API_TOKEN"]));
    for environment in [Environment::WithoutSecrets, Environment::only([""; 0])] {
        let dispatcher = dispatcher.clone().environment(environment);
        dispatcher.fire(&session_start("s")).await;
        assert_eq!(context(&dispatcher.fire(&tool_before("s")).await.decision), ["t"]);
    }
}

/// Variables for the model's commands are the host's to set, and no hook's to see.
#[tokio::test]
async fn variables_for_tools_are_handed_to_the_host() {
    let scene = Scene::new();
    let hooks = ["start echo tools A=1; echo env B=2", "first echo ${A-unset} ${B-unset}"];
    let dispatcher = Dispatcher::new(snapshot(&scene, &hooks));
    let decision = dispatcher.fire(&session_start("s")).await.decision;
    let told: Vec<_> = decision.session_env.iter().map(|wish| (&*wish.value.name, wish.value.reader)).collect();
    assert_eq!(told, [("A", EnvReader::Tools), ("B", EnvReader::Hooks)]);
    assert_eq!(context(&dispatcher.fire(&tool_before("s")).await.decision), ["unset 2"]);
}

/// Fires, and gives what came of the only hook.
async fn only(dispatcher: &Dispatcher, session: &str) -> Outcome {
    let mut outcome = None;
    let envelope = tool_before(session);
    let fired = dispatcher.fire_with(&envelope, |progress| {
        if let Progress::Finished { outcome: ended, .. } = progress {
            outcome = Some(ended.clone());
        }
    });
    fired.await;
    outcome.unwrap()
}

/// What is below the folder that folders of sessions are made in.
fn folders(scene: &Scene) -> Vec<PathBuf> {
    let entries = fs::read_dir(scene.path("scratch")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn with_files(scene: &Scene, hook: &str) -> Dispatcher {
    fs::create_dir(scene.path("scratch")).unwrap();
    Dispatcher::new(snapshot(scene, &[hook])).scratch(scene.path("scratch"))
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn a_file_is_empty_nobody_elses_and_its_content_comes_back() {
    let scene = Scene::new();
    let hook = "first+file [ -f \"$HOOK_FILE\" ] && wc -c <\"$HOOK_FILE\"; ls -l \"$HOOK_FILE\" >>\"$HOOK_FILE\"";
    let dispatcher = with_files(&scene, hook);
    let one = only(&dispatcher, "s").await;
    assert_eq!(text(&one.stdout).trim(), "0");
    let file = one.scratch.unwrap();
    assert!(text(&file.bytes).starts_with("-rw-------"), "{}", text(&file.bytes));
    assert_eq!(file.bytes, fs::read(&file.path).unwrap());

    // the next hook has its own, in the same folder; another session another
    let next = only(&dispatcher, "s").await.scratch.unwrap();
    let others = only(&dispatcher, "t").await.scratch.unwrap();
    assert_eq!(file.path.parent(), next.path.parent());
    assert_ne!(file.path, next.path);
    assert_ne!(file.path.parent(), others.path.parent());
    assert_eq!(folders(&scene).len(), 2);
    let ours = fs::metadata(scene.dir()).unwrap().uid();
    for folder in folders(&scene) {
        assert_eq!((mode(&folder), fs::metadata(&folder).unwrap().uid()), (0o700, ours));
    }

    dispatcher.close("s");
    assert_eq!(folders(&scene), [others.path.parent().unwrap()]);
    drop(dispatcher);
    assert!(folders(&scene).is_empty());
}

#[tokio::test]
async fn whatever_a_hook_makes_of_its_file() {
    let scene = Scene::new();
    fs::write(scene.path("secret"), "of somebody else").unwrap();
    let dispatcher = with_files(&scene, "first exit 0");
    for (line, left) in [
        ("exit 0", None),
        ("rm \"$HOOK_FILE\"", None),
        ("rm \"$HOOK_FILE\"; mkdir \"$HOOK_FILE\"", None),
        ("rm \"$HOOK_FILE\"; mkfifo \"$HOOK_FILE\"", None),
        ("rm \"$HOOK_FILE\"; ln -s \"$PWD/secret\" \"$HOOK_FILE\"", None),
        ("chmod 644 \"$HOOK_FILE\"; printf open >\"$HOOK_FILE\"", Some(&b"open"[..])),
        ("printf '\\377\\0' >\"$HOOK_FILE\"", Some(b"\xff\0")),
        ("head -c 2000 /dev/zero >\"$HOOK_FILE\"", Some(&[0; 1000])),
        ("printf before >\"$HOOK_FILE\"; exit 3", Some(b"before")),
        ("printf before >\"$HOOK_FILE\"; kill -9 $$", Some(b"before")),
    ] {
        dispatcher.replace(snapshot(&scene, &[format!("first+file {line}")]));
        let limited = dispatcher.clone().limits(Limits::default().stdout_bytes(1000));
        let outcome = only(&limited, "s").await;
        assert_eq!(outcome.scratch.as_ref().map(|file| &*file.bytes), left, "{line}");
    }
    // those that were left empty are gone, so that a long session does not collect them
    let [folder] = <[_; 1]>::try_from(folders(&scene)).unwrap();
    let kept = |entry: fs::DirEntry| entry.metadata().unwrap().is_file() && entry.metadata().unwrap().len() == 0;
    assert!(!fs::read_dir(folder).unwrap().any(|entry| kept(entry.unwrap())));
}

#[tokio::test]
async fn where_no_file_can_be_made_the_hook_is_not_started() {
    let scene = Scene::new();
    let hooks = snapshot(&scene, &["first+file touch ran"]);
    let dispatcher = Dispatcher::new(hooks).scratch(scene.path("nowhere"));
    let Exit::NotStarted(why) = only(&dispatcher, "s").await.exit else { panic!("it started") };
    let said = format!("the file that `HOOK_FILE` should name cannot be made in `{}`", scene.path("nowhere").display());
    assert!(why.starts_with(&said), "{why}");
    assert!(!scene.path("ran").exists());
}

#[tokio::test]
async fn after_its_session_was_closed_no_file_is_made() {
    let scene = Scene::new();
    let dispatcher = with_files(&scene, "first exit 0");
    dispatcher.replace(snapshot(
        &scene,
        &["first echo up >up; until [ -e go ]; do sleep 0.02; done", "second+file touch ran"],
    ));
    let envelope = tool_before("s");
    let (fired, ()) = tokio::join!(dispatcher.fire(&envelope), async {
        scene.line("up").await;
        dispatcher.close("s");
        fs::write(scene.path("go"), "").unwrap();
    });
    assert!(context(&fired.decision)[0].contains("its session is closed"), "{:?}", fired.decision.context);
    assert!(folders(&scene).is_empty() && !scene.path("ran").exists());
    assert_eq!(dispatcher.state("s"), SessionState::new());
}

#[tokio::test]
async fn run_alone_gives_no_file() {
    let scene = Scene::new();
    let process = scene.process("/bin/sh", &["-c", "echo ${HOOK_FILE-unset}"]).scratch("HOOK_FILE");
    let outcome = run(&crate::common::invocation(process), &Limits::default(), &Cancel::never()).await;
    assert_eq!((text(&outcome.stdout), outcome.scratch), ("unset\n", None));
}

/// Where a program is looked for is what it would inherit.
#[tokio::test]
async fn a_missing_program_is_told_with_the_path_it_would_have() {
    let scene = Scene::new();
    let why = async |environment| {
        let dispatcher = Dispatcher::new(snapshot(&scene, &["first+program no-such-tool"])).environment(environment);
        let Exit::NotStarted(why) = only(&dispatcher, "s").await.exit else { panic!("it started") };
        why
    };
    let path = std::env::var("PATH").unwrap();
    let said = why(Environment::Inherit).await;
    assert_eq!(said, format!("there is no program `no-such-tool` on the PATH ({path})"));
    let said = why(Environment::only(["HOME"])).await;
    assert_eq!(said, "there is no program `no-such-tool`, and no PATH to look for it on");
}
