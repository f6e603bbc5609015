//! Probes of how a command is run: four stop hooks that write down what reached them, beside what
//! the same lines do under `sh -c` and without a shell.

use std::{env, path::Path, process::Command};

use harness_hooks_core::{
    AgentResponse, Envelope, Exit, Host, Machine, PromptSubmit, SessionStart, Standing, TurnStop,
};
use harness_hooks_runner::machine;
use serde_json::json;

use crate::scene::{PROJECT, Scene, fire, host};

struct Probes {
    control: String,
    tilde: String,
    env: String,
    argv: String,
}

impl Probes {
    fn write(scene: &Scene) -> Self {
        let out = scene.at("out");
        let control = scene.script("bin/probe-control.sh", &format!("date >>{out}/control.out\n"));
        let env = format!("printf '%s\\n' \"FOO=${{FOO-}} set=${{FOO+yes}}\" >{out}/env.out\n");
        let argv =
            format!("{{ printf 'argc=%s' $#; for arg; do printf ' [%s]' \"$arg\"; done; echo; }} >{out}/argv.out\n");
        Probes {
            control,
            tilde: format!("printf '%s' ~ > {out}/tilde.out"),
            env: scene.script("bin/probe-env.sh", &env),
            argv: scene.script("bin/probe-argv.sh", &argv),
        }
    }

    /// The four lines, as a document has them.
    fn lines(&self) -> [String; 4] {
        let Probes { control, tilde, env, argv } = self;
        [control.clone(), tilde.clone(), format!("FOO=bar {env}"), format!("{argv} ~ '$HOME' \"two words\"")]
    }
}

fn definitions(lines: &[String]) -> serde_json::Value {
    lines.iter().map(|line| json!({ "command": line })).collect()
}

/// The home directory as a shell has it.
fn home() -> String {
    let output = Command::new("/bin/sh").args(["-c", "printf '%s' ~"]).output().unwrap();
    let home = String::from_utf8(output.stdout).unwrap();
    assert_eq!(env::var("HOME").unwrap_or_else(|_| home.clone()), home);
    home
}

/// This machine's bash, if it has one, and the shell of a machine without.
fn shells() -> Vec<(Machine, String)> {
    let bash = machine().bash.map(|bash| (machine(), bash.to_str().unwrap().to_owned()));
    bash.into_iter().chain([(Machine::new(), "/bin/sh".into())]).collect()
}

/// CUR-RUN-01, CUR-RUN-04, CUR-OUT-14: in the editor and, of a session that starts, in the command
/// line too.
#[tokio::test]
async fn a_command_is_a_line_for_a_shell() {
    let home = home();
    for (machine, _) in shells() {
        for event in ["stop", "sessionStart"] {
            let scene = Scene::new();
            let lines = Probes::write(&scene).lines();
            scene.hooks(PROJECT, &json!({ event: definitions(&lines) }));
            let dispatcher = scene.dispatcher(host().machine(machine.clone()));
            let envelope = if event == "stop" { scene.stop() } else { scene.envelope(SessionStart::new()) };
            let happened = fire(&dispatcher, &envelope).await;

            let mut ran: Vec<_> = happened.runs.iter().map(|run| (run.id.as_str(), &run.outcome.exit)).collect();
            ran.sort_unstable_by_key(|(id, _)| *id);
            let id = |n: usize| format!("cursor:project/.cursor/hooks.json#{event}[{n}]");
            assert_eq!(ran, [0, 1, 2, 3].map(id).each_ref().map(|id| (id.as_str(), &Exit::Code(0))));
            assert!(happened.decision.continuation.is_none() && happened.decision.diagnostics.is_empty());

            assert_eq!(scene.read("out/control.out").lines().count(), 1);
            assert_eq!(scene.read("out/tilde.out"), home);
            assert_eq!(scene.read("out/env.out"), "FOO=bar set=yes\n");
            assert_eq!(scene.read("out/argv.out"), format!("argc=3 [{home}] [$HOME] [two words]\n"));
        }
    }
}

/// The two possible answers of the argument probe look different, and `sh -c` gives the expected
/// one.
#[test]
fn the_argument_probe_tells_a_shell_from_none() {
    let scene = Scene::new();
    let probes = Probes::write(&scene);
    let [_, _, _, line] = probes.lines();
    assert!(Command::new("/bin/sh").args(["-c", &line]).status().unwrap().success());
    assert_eq!(scene.read("out/argv.out"), format!("argc=3 [{}] [$HOME] [two words]\n", home()));
    let mut words = line.split(' ');
    assert!(Command::new(words.next().unwrap()).args(words).status().unwrap().success());
    assert_eq!(scene.read("out/argv.out"), "argc=4 [~] ['$HOME'] [\"two] [words\"]\n");
}

/// CUR-RUN-01, CUR-RUN-04: which shell it is; substitution and `;` work; a variable nobody set is
/// not set.
#[tokio::test]
async fn the_shell_names_itself() {
    for (machine, program) in shells() {
        let scene = Scene::new();
        let Probes { control, env: unprefixed, .. } = Probes::write(&scene);
        let out = scene.at("out/shell.out");
        let line = format!("echo \"zero=$0 comm=$(ps -o comm= -p $$) sub=$(echo ok)\" > {out}; echo seq=ok >> {out}");
        scene.hooks(PROJECT, &json!({ "stop": definitions(&[control, unprefixed, line]) }));
        let happened = fire(&scene.dispatcher(host().machine(machine)), &scene.stop()).await;
        assert!(happened.runs.iter().all(|run| run.outcome.exit == Exit::Code(0)) && happened.runs.len() == 3);

        let inherited = env::var("FOO").map_or("FOO= set=\n".into(), |foo| format!("FOO={foo} set=yes\n"));
        assert_eq!(scene.read("out/env.out"), inherited);
        let said = scene.read("out/shell.out");
        let (zero, rest) = said.split_once(" comm=").unwrap();
        let (comm, rest) = rest.split_once(" sub=").unwrap();
        assert_eq!((zero, rest), (format!("zero={program}").as_str(), "ok\nseq=ok\n"));
        // its name or its path, as the system has it; nothing where there is no `ps`
        let name = Path::new(&program).file_name();
        assert!(comm.is_empty() || Path::new(comm).file_name() == name, "{comm}");
    }
}

/// CUR-EVT-12, CUR-EVT-13: without the editor, of four markers only the session's is written.
#[tokio::test]
async fn the_print_surface_starts_sessions_and_stops_nothing() {
    let scene = Scene::new();
    let marker = |event: &str| json!([{ "command": format!("touch {}", scene.at(&format!("out/{event}"))) }]);
    let events = ["sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "stop"];
    let hooks = events.map(|event| (event.to_owned(), marker(event)));
    scene.hooks(PROJECT, &hooks.into_iter().collect());
    let envelopes: [Envelope; 4] = [
        scene.envelope(SessionStart::new()),
        scene.envelope(PromptSubmit::new("Say one word and stop.")),
        scene.envelope(AgentResponse::new("READY")),
        scene.envelope(TurnStop::new()),
    ];
    let written = async |host: Host| {
        let dispatcher = scene.dispatcher(host);
        for envelope in &envelopes {
            fire(&dispatcher, envelope).await;
        }
        events.map(|event| scene.path(&format!("out/{event}")).exists())
    };
    let print = host().surface("print".to_owned());
    assert_eq!(written(print.clone()).await, [true, false, false, false]);
    let silent = scene.load(print);
    let silent = silent.bindings().iter().filter(|b| matches!(b.standing, Standing::Skipped(_)));
    assert_eq!(silent.map(|b| b.event_name).collect::<Vec<_>>(), ["beforeSubmitPrompt", "stop", "afterAgentResponse"]);
    assert_eq!(written(host().surface("editor".to_owned())).await, [true; 4]);
}
