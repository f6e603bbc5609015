//! Hooks nobody waits for: beside everything, a few at a time, heard late, and gone with their
//! session.

use std::{fs, sync::mpsc};

use harness_hooks_core::{Action, Exit, SessionState};
use harness_hooks_runner::{Cancel, Dispatcher, Late, Limits};

use crate::{
    common::{EVER, Scene, lives, ms, soon, until},
    tiny::{context, session_start, snapshot, tool_before},
};

/// A dispatcher, and what is heard late.
fn listening(scene: &Scene, hooks: &[impl AsRef<str>]) -> (Dispatcher, mpsc::Receiver<Late>) {
    let (sender, receiver) = mpsc::channel();
    let dispatcher = Dispatcher::new(snapshot(scene, hooks)).late(move |late| sender.send(late).unwrap());
    (dispatcher, receiver)
}

/// A line that waits until a file is there, and says when it began.
fn waits_for(file: &str, then: &str) -> String {
    format!("echo $$ >>began; until [ -e {file} ]; do sleep 0.02; done; {then}")
}

fn open(scene: &Scene, file: &str) {
    fs::write(scene.path(file), "").unwrap();
}

fn lines(scene: &Scene, file: &str) -> usize {
    fs::read_to_string(scene.path(file)).unwrap_or_default().lines().count()
}

fn said(late: &Late) -> Vec<&str> {
    late.effects.value.context.iter().map(|text| &**text).collect()
}

#[tokio::test]
async fn nobody_waits_and_what_it_tells_comes_late() {
    let scene = Scene::new();
    let hook = waits_for("go", "echo news; echo env A=1; echo no >&2; exit 2");
    let (dispatcher, heard) = listening(&scene, &[format!("first+late {hook}"), "first echo now".into()]);
    let fired = dispatcher.fire(&tool_before("s")).await;
    assert_eq!((fired.decision.action, context(&fired.decision)), (Action::Proceed, vec!["now"]));
    assert!(heard.try_recv().is_err());

    open(&scene, "go");
    soon(dispatcher.quiet()).await;
    let late = heard.try_recv().unwrap();
    assert_eq!((late.session.as_str(), &*late.envelope.id), ("s", "e2"));
    assert_eq!(late.effects.by.as_str(), "tiny:hooks#first0");
    assert_eq!((&late.outcome.exit, said(&late)), (&Exit::Code(2), vec!["news"]));
    // what it was asked about is over
    assert_eq!((late.effects.value.verdict, late.effects.value.feedback.len(), late.wakes()), (None, 0, false));
    assert!(late.effects.value.session_env.is_empty());
    assert_eq!(dispatcher.state("s"), SessionState::new());
    assert!(heard.try_recv().is_err());
}

#[tokio::test]
async fn a_refusal_wakes_the_agent_where_it_may() {
    let scene = Scene::new();
    let hooks = ["first+wakes echo look again >&2; exit 2", "first+wakes exit 0", "first+late echo no >&2; exit 2"];
    let (dispatcher, heard) = listening(&scene, &hooks);
    dispatcher.fire(&tool_before("s")).await;
    soon(dispatcher.quiet()).await;
    let mut late: Vec<_> = heard.try_iter().collect();
    late.sort_by(|a, b| a.effects.by.cmp(&b.effects.by));
    let feedback = |late: &Late| late.effects.value.feedback.iter().map(ToString::to_string).collect::<Vec<_>>();
    let told: Vec<_> = late.iter().map(|late| (late.wakes(), feedback(late))).collect();
    assert_eq!(told, [(true, vec!["look again".to_owned()]), (false, vec![]), (false, vec![])]);
}

#[tokio::test]
async fn eight_at_a_time_and_none_at_the_cost_of_the_others() {
    let scene = Scene::new();
    let hook = format!("first+late {}", waits_for("go", "exit 0"));
    let hooks: Vec<_> = std::iter::repeat_n(hook, 20).chain(["first echo on".into()]).collect();
    let (dispatcher, heard) = listening(&scene, &hooks);
    let dispatcher = dispatcher.limits(Limits::default().concurrency(1));
    let fired = dispatcher.fire(&tool_before("s")).await;
    assert_eq!(context(&fired.decision), ["on"]);
    until("eight run", || lines(&scene, "began") == 8).await;
    // the others had their chance while this ran to its end
    dispatcher.fire(&tool_before("another")).await;
    assert_eq!(lines(&scene, "began"), 8);

    open(&scene, "go");
    soon(dispatcher.quiet()).await;
    assert_eq!((heard.try_iter().count(), lines(&scene, "began")), (40, 40));
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn what_is_too_much_is_not_started_and_says_so() {
    let scene = Scene::new();
    let hook = format!("first+late {}", waits_for("go", "exit 0"));
    let (dispatcher, heard) = listening(&scene, &vec![hook; 6]);
    let dispatcher = dispatcher.limits(Limits::default().background(2).background_waiting(3));
    dispatcher.fire(&tool_before("s")).await;
    let late = tokio::task::spawn_blocking(move || (heard.recv_timeout(EVER).unwrap(), heard));
    let (late, heard) = late.await.unwrap();
    let why = "5 hooks that nobody waits for run or wait already";
    assert_eq!(late.outcome.exit, Exit::NotStarted(why.into()));
    open(&scene, "go");
    soon(dispatcher.quiet()).await;
    assert!(heard.try_iter().all(|late| late.outcome.exit == Exit::Code(0)));
    assert_eq!(lines(&scene, "began"), 5);
}

#[tokio::test]
async fn closing_a_session_ends_its_own() {
    let scene = Scene::new();
    let hook = "first+late trap '' TERM; echo $$ >>began; sleep 60 & echo $! >>began; wait; sleep 60";
    let (dispatcher, heard) = listening(&scene, &[hook]);
    let dispatcher = dispatcher.limits(Limits::default().background(1).kill_grace(ms(100)));
    dispatcher.fire(&tool_before("s")).await;
    dispatcher.fire(&tool_before("s")).await; // this one is waiting when it is closed
    until("it runs", || lines(&scene, "began") == 2).await;
    dispatcher.close("s");
    soon(dispatcher.quiet()).await;
    assert!(scene.left().is_empty());
    assert_eq!((lines(&scene, "began"), heard.try_iter().count()), (2, 0));

    // the next of that name is another, and closing others is no concern of its own
    dispatcher.fire(&tool_before("s")).await;
    until("it runs again", || lines(&scene, "began") == 4).await;
    dispatcher.close("another");
    assert!(!scene.left().is_empty());
    dispatcher.close_all();
    soon(dispatcher.quiet()).await;
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn closed_while_its_firing_is_under_way() {
    let scene = Scene::new();
    let hooks = ["first echo up >up; until [ -e go ]; do sleep 0.02; done", "second+late echo never >never"];
    let (dispatcher, heard) = listening(&scene, &hooks);
    let envelope = tool_before("s");
    tokio::join!(dispatcher.fire(&envelope), async {
        scene.line("up").await;
        dispatcher.close("s");
        open(&scene, "go");
    });
    soon(dispatcher.quiet()).await;
    assert!(!scene.path("never").exists() && heard.try_recv().is_err());
}

#[tokio::test]
async fn they_outlast_the_turn_and_its_firing() {
    let scene = Scene::new();
    let hooks = [format!("first+late {}", waits_for("go", "echo on")), "first echo up >up; sleep 60".into()];
    let (dispatcher, heard) = listening(&scene, &hooks);
    let cancel = Cancel::new();
    let turn = dispatcher.clone().cancelled_by(&cancel);
    let envelope = tool_before("s");
    tokio::join!(turn.fire(&envelope), async {
        scene.line("up").await;
        cancel.cancel();
    });
    fs::remove_file(scene.path("up")).unwrap();
    tokio::select! {
        _ = dispatcher.fire(&envelope) => panic!("it ended"),
        _ = scene.line("up") => {} // dropped
    }
    until("both began", || lines(&scene, "began") == 2).await;
    open(&scene, "go");
    soon(dispatcher.quiet()).await;
    let late: Vec<_> = heard.try_iter().collect();
    assert_eq!(late.iter().map(said).collect::<Vec<_>>(), [["on"], ["on"]]);
}

#[tokio::test]
async fn they_end_with_the_last_dispatcher() {
    let scene = Scene::new();
    let (dispatcher, heard) = listening(&scene, &["first+late echo $$ >>began; sleep 60"]);
    let clone = dispatcher.clone();
    dispatcher.fire(&tool_before("s")).await;
    until("it runs", || lines(&scene, "began") == 1).await;
    drop(dispatcher);
    assert!(!scene.left().is_empty());
    drop(clone);
    scene.is_empty().await;
    let ended = tokio::task::spawn_blocking(move || heard.recv_timeout(EVER)).await.unwrap();
    assert_eq!(ended.unwrap_err(), mpsc::RecvTimeoutError::Disconnected, "nothing is heard, and nobody is left to say");
}

#[test]
fn they_end_with_the_runtime() {
    let scene = Scene::new();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let dispatcher = Dispatcher::new(snapshot(&scene, &["first+late trap '' TERM; echo $$ >began; sleep 60 & wait"]));
    let first = runtime();
    let pid = first.block_on(async {
        dispatcher.fire(&tool_before("s")).await;
        scene.line("began").await.parse().unwrap()
    });
    drop(first);
    runtime().block_on(async {
        until("it is dead", || !lives(pid)).await;
        scene.is_empty().await;
        soon(dispatcher.quiet()).await; // also here
    });
}

#[tokio::test]
async fn a_timeout_counts_from_the_start_of_each() {
    let scene = Scene::new();
    let (dispatcher, heard) = listening(&scene, &["first+late+within=20000 sleep 0.3; echo on"; 3]);
    let dispatcher = dispatcher.limits(Limits::default().background(1));
    dispatcher.fire(&tool_before("s")).await;
    soon(dispatcher.quiet()).await;
    let slowest = heard.try_iter().map(|late| late.outcome.elapsed_ms).max().unwrap();
    assert!(slowest < 20_000, "{slowest}");

    dispatcher.replace(snapshot(&scene, &["first+late+within=100 sleep 60"]));
    dispatcher.fire(&tool_before("s")).await;
    soon(dispatcher.quiet()).await;
    assert_eq!(heard.try_recv().unwrap().outcome.exit, Exit::TimedOut);
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn one_that_says_so_goes_on_alone() {
    let scene = Scene::new();
    let hook = waits_for("go", "echo news; echo no >&2; exit 2");
    let (dispatcher, heard) = listening(&scene, &[format!("first echo alone; {hook}"), "first echo now".into()]);
    let fired = dispatcher.fire(&tool_before("s")).await;
    assert_eq!((fired.decision.action, context(&fired.decision)), (Action::Proceed, vec!["now"]));
    // the firing's end is not its own
    open(&scene, "go");
    soon(dispatcher.quiet()).await;
    let late = heard.try_recv().unwrap();
    assert_eq!((&late.outcome.exit, said(&late), late.wakes()), (&Exit::Code(2), vec!["news"], false));
    assert_eq!(late.outcome.stdout, b"news\n", "its first line was heard already");
}

#[tokio::test]
async fn one_that_goes_on_alone_is_ended_like_the_others() {
    let scene = Scene::new();
    let (dispatcher, heard) = listening(&scene, &["first+within=20000 echo alone; sleep 60 & wait"]);
    let cancel = Cancel::new();
    dispatcher.clone().cancelled_by(&cancel).fire(&tool_before("s")).await;
    cancel.cancel(); // of its turn
    assert!(!scene.left().is_empty());
    dispatcher.close("s");
    soon(dispatcher.quiet()).await;
    assert!(scene.left().is_empty() && heard.try_recv().is_err());

    dispatcher.replace(snapshot(&scene, &["first+within=300 echo alone; sleep 60 & wait"]));
    dispatcher.fire(&tool_before("s")).await;
    soon(dispatcher.quiet()).await;
    assert_eq!(heard.try_recv().unwrap().outcome.exit, Exit::TimedOut);
    assert!(scene.left().is_empty());
}

#[tokio::test]
async fn one_goes_on_alone_only_where_there_is_a_place() {
    let scene = Scene::new();
    let hooks = [
        format!("first echo alone; {}", waits_for("one", "exit 0")),
        format!("second echo alone; {}", waits_for("two", "exit 0")),
    ];
    let (dispatcher, heard) = listening(&scene, &hooks);
    let dispatcher = dispatcher.limits(Limits::default().background(1));
    let envelope = tool_before("s");
    let mut firing = std::pin::pin!(dispatcher.fire(&envelope));
    tokio::select! {
        _ = &mut firing => panic!("the second went on without a place"),
        () = until("both run", || lines(&scene, "began") == 2) => {}
    }
    open(&scene, "one"); // its place is the other's
    soon(firing).await;
    assert_eq!(heard.try_iter().count(), 1);
    open(&scene, "two");
    soon(dispatcher.quiet()).await;
    assert_eq!(heard.try_iter().count(), 1);
}

#[tokio::test]
async fn only_a_whole_first_line_that_says_so() {
    let scene = Scene::new();
    for line in ["printf alone", "echo; echo alone", "echo 'alone '", "echo alone; exit 0"] {
        let (dispatcher, heard) = listening(&scene, &[format!("first {line}")]);
        let fired = dispatcher.fire(&tool_before("s")).await;
        soon(dispatcher.quiet()).await;
        assert_eq!(fired.decision.action, Action::Proceed, "{line}");
        let ended = "echo alone; exit 0" == line; // whether it ended first or was heard first
        assert!(ended || heard.try_recv().is_err(), "{line}");
    }
    // a dropped firing ends those it still waits for
    let (dispatcher, heard) = listening(&scene, &["first echo up >up; sleep 60"]);
    let envelope = tool_before("s");
    tokio::select! {
        _ = dispatcher.fire(&envelope) => panic!("it ended"),
        _ = scene.line("up") => {}
    }
    scene.is_empty().await;
    soon(dispatcher.quiet()).await;
    assert!(heard.try_recv().is_err());
}

#[tokio::test]
async fn without_a_listener_they_run_all_the_same() {
    let scene = Scene::new();
    let dispatcher = Dispatcher::new(snapshot(&scene, &["start+late echo done >done"]));
    dispatcher.fire(&session_start("s")).await;
    soon(dispatcher.quiet()).await;
    assert_eq!(scene.line("done").await, "done");
}

#[tokio::test]
async fn a_listener_that_panics_harms_nobody() {
    let scene = Scene::new();
    let (sender, heard) = mpsc::channel();
    let snapshot = snapshot(&scene, &["first+late exit 0"]);
    let dispatcher = Dispatcher::new(snapshot).limits(Limits::default().background(1)).late(move |late| {
        sender.send(late.outcome.exit).unwrap();
        panic!("the host's fault, and meant to be seen in this test's output");
    });
    for _ in 0..3 {
        dispatcher.fire(&tool_before("s")).await;
    }
    soon(dispatcher.quiet()).await;
    assert_eq!(heard.try_iter().count(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sessions_at_once() {
    let scene = Scene::new();
    let (dispatcher, heard) = listening(&scene, &["first+late cat; exit 0"]);
    let firings = (0..50).map(|n| {
        let dispatcher = dispatcher.clone();
        tokio::spawn(async move { dispatcher.fire(&tool_before(&format!("s{n}"))).await })
    });
    for firing in firings.collect::<Vec<_>>() {
        firing.await.unwrap();
    }
    soon(dispatcher.quiet()).await;
    let sessions: std::collections::BTreeSet<_> = heard.try_iter().map(|late| late.session).collect();
    assert_eq!(sessions.len(), 50);
    assert!(scene.left().is_empty());
}
