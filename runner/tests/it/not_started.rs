//! What keeps a hook from starting, as people read it; and odd things that do not.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
};

use harness_hooks_core::{Exit, Http, Launch, Process};
use harness_hooks_runner::{Cancel, Limits, run};

use crate::common::{Scene, invocation, text};

fn script(name: &str) -> PathBuf {
    // in the repository with their modes: a script that was just written may still be open for
    // writing in a process another test is starting, and then it cannot be executed
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripts").join(name)
}

async fn why(process: Process) -> String {
    match run(&invocation(process), &Limits::default(), &Cancel::never()).await.exit {
        Exit::NotStarted(why) => why,
        exit => panic!("it started: {exit:?}"),
    }
}

#[tokio::test]
async fn the_directory() {
    let scene = Scene::new();
    fs::write(scene.path("file"), "").unwrap();
    let gone = tempfile::tempdir().unwrap().path().to_path_buf(); // deleted right here
    for (cwd, said) in [
        (scene.path("nowhere"), format!("its working directory `{}` does not exist", scene.path("nowhere").display())),
        (scene.path("file"), format!("its working directory `{}` is not a directory", scene.path("file").display())),
        (gone.clone(), format!("its working directory `{}` does not exist", gone.display())),
        (PathBuf::new(), "it has no working directory".to_owned()),
    ] {
        assert_eq!(why(Process::new("/bin/sh", ["-c", "exit 0"], cwd)).await, said);
    }
}

/// CLA-RUN-04: the first directory that is there stands in for one that is gone.
#[tokio::test]
async fn directories_that_stand_in() {
    let scene = Scene::new();
    for name in ["gone", "first", "second"] {
        fs::create_dir(scene.path(name)).unwrap();
    }
    fs::write(scene.path("file"), "").unwrap();
    let root = scene.dir().canonicalize().unwrap();
    let ran_in = async |cwd: &str, instead: &[&str]| {
        let directories = instead.iter().map(|name| scene.path(name));
        let process = Process::new("/bin/sh", ["-c", "pwd -P"], scene.path(cwd)).instead(directories);
        let outcome = run(&invocation(process), &Limits::default(), &Cancel::never()).await;
        text(&outcome.stdout).trim().strip_prefix(root.to_str().unwrap()).map(str::to_owned).ok_or(outcome.exit)
    };
    assert_eq!(ran_in("gone", &["first"]).await.unwrap(), "/gone");
    fs::remove_dir(scene.path("gone")).unwrap();
    for (cwd, instead, expected) in [
        ("gone", &["first", "second"][..], "/first"),
        ("gone/below", &["nowhere", "file", "second"], "/second"),
        ("file", &["first"], "/first"),
        ("first", &["second"], "/first"),
    ] {
        assert_eq!(ran_in(cwd, instead).await.unwrap(), expected, "{cwd} {instead:?}");
    }
    let said = format!("its working directory `{}` does not exist", scene.path("gone").display());
    assert_eq!(ran_in("gone", &["nowhere", "file"]).await, Err(Exit::NotStarted(said)));
}

#[tokio::test]
async fn the_program() {
    let scene = Scene::new();
    let dir = scene.dir().display().to_string();
    let shown = |name| script(name).display().to_string();
    for (program, said) in [
        (scene.path("nothing"), format!("there is no program `{dir}/nothing`")),
        ("./nothing".into(), "there is no program `./nothing`".to_owned()),
        ("nothing/".into(), "there is no program `nothing/`".to_owned()),
        (PathBuf::new(), "it names no program".to_owned()),
        (scene.dir().into(), format!("`{dir}` is a directory, not a program")),
        (script("not-executable"), format!("`{}` is not executable (`chmod +x` makes it so)", shown("not-executable"))),
        (
            script("no-interpreter"),
            format!(
                "the interpreter that the first line of `{}` names does not exist: #!/nowhere/interpreter --flag",
                shown("no-interpreter")
            ),
        ),
        (
            script("no-first-line"),
            format!(
                "`{}` is neither a program of this machine nor a script whose first line names its interpreter, as in `#!/bin/sh`",
                shown("no-first-line")
            ),
        ),
    ] {
        assert_eq!(why(scene.process(program, &[])).await, said);
    }
}

#[tokio::test]
async fn a_bare_name_is_looked_for_on_the_path_it_would_have() {
    let scene = Scene::new();
    let said = why(scene.process("no-such-tool", &[])).await;
    let path = std::env::var("PATH").unwrap();
    assert_eq!(said, format!("there is no program `no-such-tool` on the PATH ({path})"));
    let said = why(scene.process("no-such-tool", &[]).env("PATH", "/a:/b")).await;
    assert_eq!(said, "there is no program `no-such-tool` on the PATH (/a:/b)");
    let said = why(scene.process("not-executable", &[]).env("PATH", script("").display().to_string())).await;
    assert!(said.ends_with("not-executable` is not executable (`chmod +x` makes it so)"), "{said}");

    let found = scene.process("runs", &["found"]).env("PATH", format!("{}:{path}", script("").display()));
    let outcome = run(&invocation(found), &Limits::default(), &Cancel::never()).await;
    assert!(text(&outcome.stdout).starts_with("found in "), "{outcome:?}");
}

#[tokio::test]
async fn what_no_process_can_be_given() {
    let scene = Scene::new();
    let plain = || scene.process("/bin/sh", &["-c", "exit 0"]);
    let variable =
        |name: &str| format!("`{name}` cannot be the name of a variable: it is empty, or has a NUL byte or a `=`");
    for (process, said) in [
        (scene.process("/bin/s\0h", &[]), r"the name of its program, `/bin/s\0h`, contains a NUL byte".to_owned()),
        (scene.process("/bin/sh", &["-c", "a\0b"]), "argument 2 of `/bin/sh` contains a NUL byte".to_owned()),
        (
            Process::new("/bin/sh", ["-c", ""], "/tm\0p"),
            r"the name of its working directory, `/tm\0p`, contains a NUL byte".to_owned(),
        ),
        (plain().env("A", "b\0"), "the value of the variable `A` contains a NUL byte".to_owned()),
        (plain().env("A\0", "b"), variable(r"A\u{0}")),
        (plain().env("PATH=/evil:", "b"), variable("PATH=/evil:")),
        (plain().env("", "b"), variable("")),
        (
            plain().env("A", "b".repeat(1 << 20)),
            "the arguments and variables of `/bin/sh` are longer than this system allows".to_owned(),
        ),
    ] {
        assert_eq!(why(process).await, said);
    }
}

#[tokio::test]
async fn names_with_spaces_quotes_and_newlines_are_names() {
    let scene = Scene::new();
    let dir = scene.path("it's a \"dir\" $HOME\n`x`");
    fs::create_dir(&dir).unwrap();
    symlink(script("runs"), dir.join("the 'script'; exit 3")).unwrap();
    let process = Process::new(dir.join("the 'script'; exit 3"), ["a 'b' \"c\"\n$d"], &dir);
    let outcome = run(&invocation(process), &Limits::default(), &Cancel::never()).await;
    assert_eq!(outcome.exit, Exit::Code(0));
    assert_eq!(text(&outcome.stdout), format!("a 'b' \"c\"\n$d in {}\n", dir.display()));

    let relative = Process::new("./the 'script'; exit 3", ["x"], &dir);
    let outcome = run(&invocation(relative), &Limits::default(), &Cancel::never()).await;
    assert_eq!(outcome.exit, Exit::Code(0));

    let outcome = scene.run("echo one\necho two\nexit 3\n").await;
    assert_eq!((outcome.exit, text(&outcome.stdout)), (Exit::Code(3), "one\ntwo\n"));
}

/// A script that is still being written is waited for, but not for long.
#[tokio::test]
async fn a_script_somebody_is_writing() {
    let scene = Scene::new();
    let path = scene.path("script");
    fs::write(&path, "#!/bin/sh\necho ran\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let writer = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let said = why(scene.process(&path, &[])).await;
    assert!(said.starts_with(&format!("`{}` cannot be started: ", path.display())) && said.contains("busy"), "{said}");

    let hook = invocation(scene.process(&path, &[]));
    let (limits, never) = (Limits::default(), Cancel::never());
    let closing = async {
        tokio::time::sleep(crate::common::ms(20)).await; // while it is being tried
        drop(writer);
    };
    let (outcome, ()) = tokio::join!(run(&hook, &limits, &never), closing);
    assert_eq!((outcome.exit, text(&outcome.stdout)), (Exit::Code(0), "ran\n"));
}

#[tokio::test]
async fn a_request_without_the_feature() {
    let hook = crate::common::launch(Launch::Http(Http::new("http://127.0.0.1:1/", "{}")));
    let exit = run(&hook, &Limits::default(), &Cancel::never()).await.exit;
    let why = "it is a request, and this program was built without the feature `http`";
    assert_eq!(exit == Exit::NotStarted(why.into()), cfg!(not(feature = "http")), "{exit:?}");
}

#[tokio::test]
async fn the_environment_is_inherited_and_overlaid() {
    let scene = Scene::new();
    let line = r#"printf '%s|%s|%s' "$PATH" "$CARGO_MANIFEST_DIR" "$NEW""#;
    let process = scene.process("/bin/sh", &["-c", line]).env("NEW", "n=w\n").env("CARGO_MANIFEST_DIR", "ours");
    let outcome = run(&invocation(process), &Limits::default(), &Cancel::never()).await;
    assert_eq!(text(&outcome.stdout), format!("{}|ours|n=w\n", std::env::var("PATH").unwrap()));
}
