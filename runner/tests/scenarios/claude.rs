//! Settings of Claude Code whose hooks really run: their standard input, when they end, who waits
//! for them, and what is never started. Each expectation is a rule of `docs/rules/claude.md`.

use std::{fs, net::TcpListener, sync::mpsc, time::Duration};

use harness_hooks_claude::Claude;
use harness_hooks_core::{
    Action, Decision, Envelope, Exit, Fidelity, Host, PromptOrigin, PromptSubmit, Session, SessionStart, Shell,
    Snapshot, ToolBefore, ToolCall, TurnStop,
};
use harness_hooks_runner::{Disk, Dispatcher, Late, machine};
use serde_json::{Value, json};

use crate::scene::{Happened, Scene, codes, envelope_in, fire, host};

/// A dispatcher of the project's settings, whose groups hold one hook each.
fn dispatcher_in(scene: &Scene, fidelity: Fidelity, host: Host, event: &str, handlers: &[Value]) -> Dispatcher {
    let groups: Vec<_> = handlers.iter().map(|handler| json!({"hooks": [handler]})).collect();
    scene.write("project/.claude/settings.json", json!({"hooks": {event: groups}}).to_string());
    let claude = std::sync::Arc::new(Claude::with_fidelity(fidelity));
    Dispatcher::new(Snapshot::load(vec![claude], host, &scene.places(), &Disk))
}

fn dispatcher(scene: &Scene, event: &str, handlers: &[Value]) -> Dispatcher {
    dispatcher_in(scene, Fidelity::Guarded, host(), event, handlers)
}

fn command(line: impl Into<String>) -> Value {
    json!({"type": "command", "command": line.into()})
}

fn with(mut handler: Value, key: &str, value: impl Into<Value>) -> Value {
    handler[key] = value.into();
    handler
}

async fn before_a_tool(scene: &Scene, handlers: &[Value]) -> Happened {
    fire(&dispatcher(scene, "PreToolUse", handlers), &scene.shell("ls")).await
}

fn denial(reason: &str) -> String {
    format!(r#"printf '{{"decision":"block","reason":"{reason}"}}'"#)
}

fn reasons(decision: &Decision) -> Vec<&str> {
    decision.reasons.iter().map(|reason| &*reason.value).collect()
}

/// CLA-RUN-09: it ends, can be opened by name, and need not be read.
#[tokio::test]
async fn standard_input_is_a_pipe_that_ends() {
    let scene = Scene::new();
    let shown = scene.at("out/shown");
    let reads = command(format!("cat /dev/stdin >{shown} && echo no >/dev/stderr && exit 2"));
    let happened = before_a_tool(&scene, &[reads]).await;
    assert_eq!((happened.decision.action, reasons(&happened.decision)), (Action::Deny, vec!["no"]));
    assert_eq!(scene.inputs("out/shown")[0]["tool_input"], json!({"command": "ls"}));
    assert!(scene.read("out/shown").ends_with("}\n"));

    let dispatcher = dispatcher(&scene, "PreToolUse", &[command("exit 0")]);
    let happened = fire(&dispatcher, &scene.shell(&"x".repeat(3 << 20))).await;
    assert_eq!((happened.only().outcome.exit.clone(), happened.decision.action), (Exit::Code(0), Action::Proceed));
    assert!(happened.decision.diagnostics.is_empty());
}

/// CLA-RUN-10: a hook ends when its process does, and not when the last to hold its output does.
#[tokio::test]
async fn a_hook_ends_with_its_process() {
    let scene = Scene::new();
    let gate = scene.gate("gate");
    let leaves = format!("(read -r line <{}) & {}", gate.at(), denial("no"));
    let happened = before_a_tool(&scene, &[command(leaves)]).await;
    assert_eq!((happened.decision.action, reasons(&happened.decision)), (Action::Deny, vec!["no"]));
    assert!(happened.only().outcome.leaked);
    gate.send("go");
}

/// CLA-RUN-10: what ran out of time is ended with its children, and what it printed is not read.
#[tokio::test]
async fn a_timeout_throws_away_what_was_printed() {
    let scene = Scene::new();
    let child = scene.at("out/child");
    let slow = command(format!("{}; sleep 60 & echo $! >{child}; trap '' TERM; wait; sleep 60", denial("early")));
    let happened = before_a_tool(&scene, &[with(slow, "timeout", 0.5)]).await;
    let outcome = &happened.only().outcome;
    assert_eq!((outcome.exit.clone(), happened.decision.action), (Exit::TimedOut, Action::Proceed));
    assert!((500..20_000).contains(&outcome.elapsed_ms), "{outcome:?}");
    assert_eq!(codes(&happened.decision.diagnostics), ["claude/hook-failed"]);
    let stat = fs::read_to_string(format!("/proc/{}/stat", scene.read("out/child").trim())).unwrap_or_default();
    assert!(stat.rsplit_once(") ").is_none_or(|(_, state)| state.starts_with('Z')), "{stat}");
}

/// CLA-RUN-11, CLA-EVT-05: each of them ends only if the others run, and all of them are heard.
#[tokio::test]
async fn all_start_together_and_all_are_awaited() {
    let scene = Scene::new();
    let out = scene.at("out");
    let meets = |name: &str, then: &str| {
        let others = format!("[ -e {out}/a ] && [ -e {out}/b ] && [ -e {out}/c ]");
        let waits = format!("n=0; until {others} || [ $n = 500 ]; do n=$((n+1)); sleep 0.02; done");
        command(format!(": >{out}/{name}; {waits}; {others} && {then}"))
    };
    let slow = format!("sleep 0.3 && {}", denial("slow"));
    let happened = before_a_tool(&scene, &[meets("a", &slow), meets("b", &denial("quick")), meets("c", "true")]).await;
    assert_eq!(happened.runs.len(), 3);
    assert!(happened.runs.iter().all(|run| run.outcome.exit == Exit::Code(0)));
    assert_eq!(reasons(&happened.decision), ["slow", "quick"], "in the order of the file");
}

/// What is heard late of one hook at a time.
fn listening(dispatcher: Dispatcher) -> (Dispatcher, mpsc::Receiver<Late>) {
    let (tell, told) = mpsc::channel();
    (dispatcher.late(move |late| drop(tell.send(late))), told)
}

/// CLA-RUN-12: they are told the same, decide nothing, and what they tell comes late.
#[tokio::test]
async fn nobody_waits_for_asynchronous_hooks() {
    let scene = Scene::new();
    let gate = scene.gate("gate");
    let waits = format!("cat >{}; read -r line <{}", scene.at("out/input"), gate.at());
    let context = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","additionalContext":"late"}}"#;
    let first_line = format!(r#"echo '{{"async":true}}'; {waits}; printf '{context}'"#);
    for (handler, wakes) in [
        (with(command(format!("{waits}; printf '{context}'")), "async", true), false),
        (command(first_line), false),
        (with(command(format!("{waits}; echo look >&2; exit 2")), "asyncRewake", true), true),
    ] {
        let (dispatcher, late) = listening(dispatcher(&scene, "PreToolUse", std::slice::from_ref(&handler)));
        // it waits for a line that comes when the decision is there
        let happened = tokio::time::timeout(Duration::from_secs(30), fire(&dispatcher, &scene.shell("ls"))).await;
        let decision = happened.unwrap_or_else(|_| panic!("{handler} was waited for")).decision;
        assert_eq!((decision.action, decision.context.len(), decision.diagnostics.len()), (Action::Proceed, 0, 0));

        gate.send("go");
        dispatcher.quiet().await;
        let late = late.try_recv().unwrap();
        let effects = &late.effects.value;
        let said: Vec<_> = effects.context.iter().chain(&effects.feedback).map(|text| &**text).collect();
        assert_eq!((late.wakes(), said), (wakes, vec![if wakes { "look" } else { "late" }]), "{handler}");
        assert_eq!(effects.verdict, None);
        assert_eq!(scene.inputs("out/input")[0]["tool_input"], json!({"command": "ls"}));
    }
}

/// CLA-RUN-12, CLA-OUT-29: nothing but those words in the first line ends the waiting.
#[tokio::test]
async fn other_first_lines_are_waited_for() {
    let scene = Scene::new();
    for line in [r#"{"async":false}"#, r#"{"async":true,"decision":"approve"}"#, r#"{"async":"true"}"#, "async"] {
        let hook = command(format!("echo '{line}'; sleep 0.2; echo no >&2; exit 2"));
        let happened = before_a_tool(&scene, &[hook]).await;
        assert_eq!((happened.decision.action, reasons(&happened.decision)), (Action::Deny, vec!["no"]), "{line}");
    }
}

/// CLA-RUN-15: nobody is asked where a session starts; the same address is asked before a tool.
#[tokio::test]
async fn no_request_is_sent_where_a_session_starts() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let url = format!("http://{}/hook", server.local_addr().unwrap());
    let asks = with(json!({"type": "http", "url": url}), "timeout", 0.5);
    let scene = Scene::new();

    let dispatcher_of = |event| dispatcher(&scene, event, std::slice::from_ref(&asks));
    let starts = dispatcher_of("SessionStart");
    assert_eq!(codes(starts.snapshot().diagnostics()), ["claude/handler-not-for-event"]);
    let happened = fire(&starts, &scene.envelope(SessionStart::new())).await;
    assert!(happened.runs.is_empty());
    let setup = dispatcher_of("Setup");
    assert_eq!(codes(setup.snapshot().diagnostics()), ["claude/handler-not-for-event"]);
    let told = json!({"id": "e1", "at_ms": 0, "session": {"id": "s1", "cwd": scene.path("project")}, "payload": {"session.setup": {"trigger": "init"}}});
    assert!(fire(&setup, &Envelope::read(told.to_string().as_bytes()).unwrap()).await.runs.is_empty());
    assert!(server.accept().is_err(), "somebody was asked");

    fire(&dispatcher_of("PreToolUse"), &scene.shell("ls")).await;
    assert!(server.accept().is_ok(), "nobody was asked");
}

/// CLA-RUN-04: directories that are really deleted, the session's and then the project's.
#[tokio::test]
async fn a_directory_that_is_gone_has_stand_ins() {
    let scene = Scene::new();
    let machine = machine().env([("HOME".to_owned(), scene.at("home"))]);
    let hooks = [command(format!("pwd -P >{}", scene.at("out/cwd")))];
    let dispatcher = dispatcher_in(&scene, Fidelity::Guarded, host().machine(machine), "PreToolUse", &hooks);
    let below = scene.path("project/sub");
    fs::create_dir(&below).unwrap();
    let session = Session::new("s1", &below).roots([scene.path("project")]);
    let call = || ToolBefore::new(ToolCall::new("c1", "terminal", Shell::new("ls")));
    for (gone, expected) in [(None, "project/sub"), (Some(&below), "project"), (Some(&scene.path("project")), "home")] {
        if let Some(gone) = gone {
            fs::remove_dir_all(gone).unwrap();
        }
        let happened = fire(&dispatcher, &envelope_in(session.clone(), call())).await;
        assert_eq!(happened.only().outcome.exit, Exit::Code(0));
        assert_eq!(scene.read("out/cwd").trim(), scene.at(expected));
    }
}

/// CLA-RUN-18: the hook that would be one too many is not started, and where it is the host's cap that
/// ends it, that is said.
#[tokio::test]
async fn hooks_make_the_agent_go_on_so_often() {
    for (fidelity, cap, granted, said) in [
        (Fidelity::Guarded, 8, 8, 1),
        (Fidelity::Guarded, 12, 12, 1),
        (Fidelity::Guarded, 3, 3, 1),
        (Fidelity::Vendor, 12, 8, 0), // its own limit
        (Fidelity::Vendor, 3, 3, 0),  // which the host's cap makes smaller
    ] {
        let scene = Scene::new();
        let started = scene.at("out/started");
        let again = command(format!("echo >>{started}; echo again >&2; exit 2"));
        let dispatcher = dispatcher_in(&scene, fidelity, host().continuation_cap(cap), "Stop", &[again]);
        let (mut went_on, mut last) = (0, None);
        for _ in 0..=granted {
            let decision = fire(&dispatcher, &scene.envelope(TurnStop::new())).await.decision;
            went_on += usize::from(decision.continuation.is_some());
            last = Some(decision);
        }
        let starts = scene.read("out/started").lines().count();
        assert_eq!((starts, went_on), (granted, granted), "{fidelity:?}, {cap}");
        let last = last.unwrap();
        assert!(last.continuation.is_none(), "{fidelity:?}, {cap}: {last:?}");
        assert_eq!(codes(&last.diagnostics), vec!["host/continuation-cap"; said], "{fidelity:?}, {cap}");

        // a prompt of the user's starts the count anew
        fire(&dispatcher, &scene.envelope(PromptSubmit::new("once more"))).await;
        assert!(fire(&dispatcher, &scene.envelope(TurnStop::new())).await.decision.continuation.is_some());
    }
}

/// CLA-EVT-09: a prompt the host made itself is one; that the agent goes on is none.
#[tokio::test]
async fn prompts_of_the_hosts_own_are_prompts() {
    let scene = Scene::new();
    let seen = scene.at("out/seen");
    let groups = |line: String| json!([{"hooks": [command(line)]}]);
    let hooks = json!({
        "UserPromptSubmit": groups(format!("cat >>{seen}")),
        "Stop": groups(r#"printf '{"decision":"block","reason":"go on"}'"#.into()),
    });
    scene.write("project/.claude/settings.json", json!({ "hooks": hooks }).to_string());
    let snapshot = Snapshot::load(vec![std::sync::Arc::new(Claude::new())], host(), &scene.places(), &Disk);
    let dispatcher = Dispatcher::new(snapshot);
    let ended = "<task-notification>done</task-notification>";
    for origin in [PromptOrigin::User, PromptOrigin::Host] {
        fire(&dispatcher, &scene.envelope(PromptSubmit::new(ended).origin(origin))).await;
    }
    let happened = fire(&dispatcher, &scene.envelope(TurnStop::new())).await;
    assert_eq!((happened.runs.len(), happened.decision.continuation.is_some()), (1, true));
    let prompts: Vec<_> = scene.inputs("out/seen").iter().map(|input| input["prompt"].clone()).collect();
    assert_eq!(prompts, [ended, ended]);
}
