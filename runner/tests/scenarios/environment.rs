//! Where a hook runs and what its environment says: the folder of each source, the project, and
//! what earlier hooks of the session left.

use std::env;

use harness_hooks_core::{Action, Places, Session, SessionStart, Shell, ToolBefore, ToolCall, TurnStop};
use harness_hooks_runner::Dispatcher;
use serde_json::json;

use crate::scene::{ALLOW, PROJECT, Scene, USER, codes, envelope_in, fire, fire_watched, host, load};

const ENTERPRISE: &str = "machine/etc/cursor/hooks.json";
const TEAM: &str = "home/.cursor/managed/active-team-hooks/hooks.json";
const PLUGIN: &str = "plugin/hooks/hooks.json";

/// CUR-OUT-47, CUR-OUT-48, CUR-RUN-06: what `sessionStart` sets reaches later hooks of the same
/// session, and no other; names that steer processes do not.
#[tokio::test]
async fn what_a_session_starts_with_reaches_its_later_hooks() {
    let scene = Scene::new();
    let start = r#"printf '{"env":{"FLEET":"north","PATH":"/nowhere","CURSOR_VERSION":"0","LD_PRELOAD":"x.so"}}'"#;
    let beside = format!("printf '%s' \"${{FLEET-unset}}\" >{}", scene.at("out/beside"));
    let guard = scene.script(
        "bin/guard",
        &format!(
            "printf '%s\\n' \"${{FLEET-unset}}\" \"$CURSOR_VERSION\" \"$PATH\" >{}\n{ALLOW}\n",
            scene.at("out/guard")
        ),
    );
    let hooks = json!({
        "sessionStart": [{ "command": start }, { "command": beside }],
        "beforeShellExecution": [{ "command": guard }],
    });
    scene.hooks(PROJECT, &hooks);
    let dispatcher = scene.dispatcher(host());
    let seen = |fleet: &str| format!("{fleet}\n1.4\n{}\n", env::var("PATH").unwrap());

    fire(&dispatcher, &scene.shell("ls")).await;
    assert_eq!(scene.read("out/guard"), seen("unset"));

    let decision = fire(&dispatcher, &scene.envelope(SessionStart::new())).await.decision;
    assert_eq!(scene.read("out/beside"), "unset", "hooks of one event run side by side");
    let set: Vec<_> = decision.session_env.iter().map(|wish| (&*wish.value.name, &*wish.value.value)).collect();
    assert_eq!(set, [("FLEET", "north")]);
    assert_eq!(codes(&decision.diagnostics), ["cursor/session-env-name"; 3]);

    fire(&dispatcher, &scene.shell("ls")).await;
    assert_eq!(scene.read("out/guard"), seen("north"));

    let call = ToolBefore::new(ToolCall::new("c1", "terminal", Shell::new("ls")));
    fire(&dispatcher, &envelope_in(scene.session("s2"), call)).await;
    assert_eq!(scene.read("out/guard"), seen("unset"));
}

/// CUR-OUT-48, CUR-RUN-06: a name the host allows overrides what would stand there.
#[tokio::test]
async fn a_host_may_allow_a_name() {
    let scene = Scene::new();
    let show = format!("printf '%s' \"$CURSOR_VERSION\" >{}", scene.at("out/version"));
    let start = r#"printf '{"env":{"CURSOR_VERSION":"0","A=B":"c"}}'"#;
    scene.hooks(PROJECT, &json!({ "sessionStart": [{ "command": start }], "stop": [{ "command": show }] }));
    let dispatcher = scene.dispatcher(host().allows_env("CURSOR_VERSION").allows_env("A=B"));
    let decision = fire(&dispatcher, &scene.envelope(SessionStart::new())).await.decision;
    assert_eq!(codes(&decision.diagnostics), ["cursor/session-env-name"]);
    fire(&dispatcher, &scene.stop()).await;
    assert_eq!(scene.read("out/version"), "0");
}

/// CUR-RUN-04: the project and what is known of the session, over what the host has.
#[tokio::test]
async fn the_environment_names_the_project() {
    let names = [
        "CURSOR_PROJECT_DIR",
        "CLAUDE_PROJECT_DIR",
        "CURSOR_VERSION",
        "CURSOR_USER_EMAIL",
        "CURSOR_TRANSCRIPT_PATH",
        "HOME",
    ];
    let inherited = |name: &str| env::var(name).unwrap_or_else(|_| "unset".into());
    for file in [PROJECT, USER, ENTERPRISE] {
        let scene = Scene::new();
        let shown: String = names.iter().map(|name| format!(" \"${{{name}-unset}}\"")).collect();
        let line = format!("printf '%s\\n'{shown} >{}", scene.at("out/env"));
        scene.hooks(file, &json!({ "stop": [{ "command": line }] }));
        let project = scene.at("project");
        let dispatcher = scene.dispatcher(host());

        fire(&dispatcher, &scene.stop()).await;
        let unknown = ["CURSOR_USER_EMAIL", "CURSOR_TRANSCRIPT_PATH", "HOME"].map(inherited);
        let said = scene.read("out/env");
        let said: Vec<_> = said.lines().collect();
        assert_eq!(
            (&said[..3], &said[3..]),
            (&[&*project, &*project, "1.4"][..], &unknown.each_ref().map(|v| &**v)[..])
        );

        // somewhere below the project, with everything known
        let session = scene.session("s1").roots(vec![scene.path("project")]).user_email(Some("dev@example.com".into()));
        let mut session = session.transcript(Some(scene.path("out/transcript.jsonl")));
        session.cwd = scene.path("project/src");
        fire(&dispatcher, &envelope_in(session, TurnStop::new())).await;
        let transcript = scene.at("out/transcript.jsonl");
        let expected = [&*project, &*project, "1.4", "dev@example.com", &*transcript, &*inherited("HOME")];
        assert_eq!(scene.read("out/env").lines().collect::<Vec<_>>(), expected, "{file}");
    }
}

/// CUR-SRC-01, CUR-SRC-02, CUR-SRC-05: each source has its folder, whatever the session's is.
#[tokio::test]
async fn each_source_runs_in_its_folder() {
    let scene = Scene::new();
    let places = [
        (ENTERPRISE, "machine/etc/cursor", "machine/etc/cursor"),
        (TEAM, "home/.cursor/managed/active-team-hooks", "home/.cursor/managed/active-team-hooks"),
        (PROJECT, "project", "project"),
        (USER, "home/.cursor", "home/.cursor"),
        (PLUGIN, "plugin", "project"), // where a turn ends, a plugin's hooks run in the project
    ];
    let gate = scene.gate("gate");
    for (n, (file, ..)) in places.iter().enumerate() {
        let out = scene.at("out");
        let line = format!(r#"pwd -P >{out}/start.{n}; printf '{{"additional_context":"{n}"}}'"#);
        // the first is not the first to finish
        let line = if n == 0 { format!("read -r go <{}; {line}", gate.at()) } else { line };
        let stop = json!([{ "command": format!("pwd -P >{out}/stop.{n}") }]);
        scene.hooks(file, &json!({ "sessionStart": [{ "command": line }], "stop": stop }));
    }
    let snapshot = load(host(), &scene.places().plugins([scene.path("plugin")]));
    assert!(snapshot.diagnostics().is_empty(), "{:?}", snapshot.diagnostics());
    let dispatcher = Dispatcher::new(snapshot);
    let mut session = scene.session("s1").roots(vec![scene.path("project")]);
    session.cwd = scene.path("project/src");
    let start = envelope_in(session.clone(), SessionStart::new());
    let decision = fire_watched(&dispatcher, &start, |_| gate.send("go")).await.decision;
    fire(&dispatcher, &envelope_in(session, TurnStop::new())).await;
    for (n, (file, folder, at_a_stop)) in places.into_iter().enumerate() {
        assert_eq!(scene.read(&format!("out/start.{n}")).trim_end(), scene.at(folder), "{file}");
        assert_eq!(scene.read(&format!("out/stop.{n}")).trim_end(), scene.at(at_a_stop), "{file}");
    }
    let context: Vec<_> = decision.context.iter().map(|said| said.value.as_str()).collect();
    assert_eq!(context, ["0", "1", "2", "3", "4"], "in the order of the sources, whoever finished first");
}

/// CUR-SRC-05, CUR-RUN-04: of a workspace with several folders each has its hooks; a hook of the
/// user's is told of the first.
#[tokio::test]
async fn each_folder_of_a_workspace_is_a_project() {
    let scene = Scene::new();
    for (file, name) in [(PROJECT, "one"), ("other/.cursor/hooks.json", "two"), (USER, "user")] {
        let out = scene.at(&format!("out/{name}"));
        let line = format!("{{ pwd -P; printf '%s\\n' \"$CURSOR_PROJECT_DIR\"; }} >{out}");
        scene.hooks(file, &json!({ "stop": [{ "command": line }] }));
    }
    let roots = [scene.path("project"), scene.path("other")];
    let dispatcher = Dispatcher::new(load(host(), &scene.places().roots(roots.clone())));
    fire(&dispatcher, &envelope_in(scene.session("s1").roots(roots.to_vec()), TurnStop::new())).await;
    for (name, cwd, project) in
        [("one", "project", "project"), ("two", "other", "other"), ("user", "home/.cursor", "project")]
    {
        let said = format!("{}\n{}\n", scene.at(cwd), scene.at(project));
        assert_eq!(scene.read(&format!("out/{name}")), said, "{name}");
    }
}

/// CUR-RUN-03, CUR-SRC-05: a relative command is found from its source's folder.
#[tokio::test]
async fn a_relative_command_starts_from_its_sources_folder() {
    let scene = Scene::new();
    for (file, script, line) in [
        (PROJECT, "project/.cursor/hooks/guard.sh", ".cursor/hooks/guard.sh"),
        (USER, "home/.cursor/hooks/guard.sh", "./hooks/guard.sh"),
        (ENTERPRISE, "machine/etc/cursor/guard.sh", "./guard.sh"),
    ] {
        scene.script(script, &format!("{ALLOW}\n"));
        scene.hooks(file, &json!({ "beforeShellExecution": [{ "command": line, "failClosed": true }] }));
    }
    let happened = fire(&scene.dispatcher(host()), &scene.shell("ls")).await;
    assert_eq!(happened.runs.len(), 3);
    assert_eq!((happened.decision.action, happened.decision.pre_approved), (Action::Proceed, true));
}

/// CUR-RUN-01, CUR-RUN-03, CUR-RUN-04: the project's path may hold what a shell would take for its
/// own. Only a line that quotes it can use it whole.
#[tokio::test]
async fn a_project_may_be_called_anything() {
    let scene = Scene::new();
    let project = "d: GitHub Repos/it's $HOME; grüß";
    scene.script(&format!("{project}/.cursor/hooks/guard.sh"), &format!("{ALLOW}\n"));
    let lines = [".cursor/hooks/guard.sh", r#""$CURSOR_PROJECT_DIR/.cursor/hooks/guard.sh""#];
    let definitions = lines.map(|line| json!({ "command": line, "failClosed": true }));
    scene.hooks(&format!("{project}/.cursor/hooks.json"), &json!({ "beforeShellExecution": definitions }));
    let root = scene.path(project);
    let dispatcher = Dispatcher::new(load(host(), &Places::new(&root).trusted(true)));
    let call = ToolBefore::new(ToolCall::new("c1", "terminal", Shell::new("ls")));
    let happened = fire(&dispatcher, &envelope_in(Session::new("s1", root), call)).await;
    assert_eq!((happened.runs.len(), happened.decision.pre_approved), (2, true), "{}", happened.reasons());
}
