//! Calls only the host can make.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use harness_hooks_core::{Action, Exit, HostCall, Invocation, Json, Launch, Outcome};
use harness_hooks_runner::{Answer, Cancel, Dispatcher, HostCalls, Limits, Progress, run};

use crate::{
    common::{Scene, launch, ms, soon},
    tiny::{context, session_start, snapshot, tool_before},
};

/// A host that does what the question says, and counts the calls that are under way.
#[derive(Default)]
struct Obedient {
    under_way: Arc<AtomicUsize>,
    dispatcher: Option<Dispatcher>,
}

/// A call that is under way, until it is answered or dropped.
struct UnderWay(Arc<AtomicUsize>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl HostCalls for Obedient {
    fn call<'a>(&'a self, call: &'a HostCall, invocation: &'a Invocation) -> Answer<'a> {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let under_way = UnderWay(self.under_way.clone());
        Box::pin(async move {
            let _under_way = under_way;
            let HostCall::Prompt { prompt, .. } = call else { return Err("is of another kind".into()) };
            match &**prompt {
                "hang" => pending().await,
                "who" => Ok(format!("{} at {}", invocation.binding.id, invocation.binding.event_name)),
                "long" => Ok("x".repeat(5000)),
                "hooks" => {
                    let dispatcher = self.dispatcher.as_ref().unwrap();
                    Ok(context(&dispatcher.fire(&tool_before("s")).await.decision).join(" "))
                }
                other => Err(format!("is about `{other}`, which nobody can answer")),
            }
        })
    }
}

async fn outcome(dispatcher: &Dispatcher) -> Outcome {
    let mut outcome = None;
    let envelope = tool_before("s");
    let fired = dispatcher.fire_with(&envelope, |progress| {
        if let Progress::Finished { outcome: ended, .. } = progress {
            outcome = Some(ended.clone());
        }
    });
    fired.await;
    outcome.unwrap()
}

async fn asked(scene: &Scene, hook: &str) -> Outcome {
    outcome(&Dispatcher::new(snapshot(scene, &[hook])).calls(Arc::new(Obedient::default()))).await
}

#[tokio::test]
async fn an_answer_is_standard_output_and_none_is_a_failure() {
    let scene = Scene::new();
    let answered = asked(&scene, "first+ask who").await;
    assert_eq!((answered.exit, &*answered.stdout), (Exit::Code(0), &b"tiny:hooks#first0 at first"[..]));
    let failed = asked(&scene, "first+ask life").await;
    assert_eq!(failed.exit, Exit::Failed("is about `life`, which nobody can answer".into()));
}

#[tokio::test]
async fn a_host_that_makes_none_says_so() {
    let scene = Scene::new();
    let dispatcher = Dispatcher::new(snapshot(&scene, &["first+ask who"]));
    let why = "is a call of the host's (`prompt`), and this host makes none for hooks";
    assert_eq!(outcome(&dispatcher).await.exit, Exit::Failed(why.into()));

    let (server, tool, input) = ("db".into(), "query".into(), Json::default());
    let hook = launch(Launch::Call(HostCall::McpTool { server, tool, input }));
    let why = "is a call of the host's (`mcp_tool`), and this host makes none for hooks";
    let outcome = run(&hook, &Limits::default(), &Cancel::never()).await;
    assert_eq!(outcome.exit, Exit::Failed(why.into()));
}

#[tokio::test]
async fn a_call_ends_at_its_timeout_and_with_its_turn() {
    let scene = Scene::new();
    let calls = Arc::new(Obedient::default());
    let dispatcher = Dispatcher::new(snapshot(&scene, &["first+ask+within=200 hang"])).calls(calls.clone());
    let ended = outcome(&dispatcher).await;
    assert_eq!((ended.exit, calls.under_way.load(Ordering::SeqCst)), (Exit::TimedOut, 0));
    assert!(ended.elapsed_ms >= 200, "{}", ended.elapsed_ms);

    dispatcher.replace(snapshot(&scene, &["first+ask hang"]));
    let (cancel, under_way) = (Cancel::new(), calls.under_way.clone());
    let turn = dispatcher.clone().cancelled_by(&cancel);
    let (ended, ()) = tokio::join!(outcome(&turn), async {
        while under_way.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    assert_eq!((ended.exit, under_way.load(Ordering::SeqCst)), (Exit::Cancelled, 0));

    let dropped = tokio::time::timeout(ms(50), outcome(&dispatcher)).await;
    assert_eq!((dropped.is_err(), under_way.load(Ordering::SeqCst)), (true, 0));
}

#[tokio::test]
async fn an_answer_is_kept_up_to_the_cap() {
    let scene = Scene::new();
    let dispatcher = Dispatcher::new(snapshot(&scene, &["first+ask long"])).calls(Arc::new(Obedient::default()));
    let cut = outcome(&dispatcher.clone().limits(Limits::default().stdout_bytes(4999))).await;
    assert_eq!((cut.stdout.len(), cut.stdout_truncated), (4999, true));
    let whole = outcome(&dispatcher.limits(Limits::default().stdout_bytes(5000))).await;
    assert_eq!((whole.stdout.len(), whole.stdout_truncated), (5000, false));
}

/// An agent whose own hooks run while the hook it is waits for it.
#[tokio::test]
async fn a_call_takes_no_place_from_the_hooks_it_causes() {
    let scene = Scene::new();
    let limits = Limits::default().concurrency(1);
    let inner = Dispatcher::new(snapshot(&scene, &["first echo inner"])).limits(limits);
    let calls = Obedient { dispatcher: Some(inner.clone()), ..Obedient::default() };
    let outer = inner.calls(Arc::new(calls));
    outer.replace(snapshot(&scene, &["start+ask hooks", "first echo inner"]));
    let envelope = session_start("s");
    let fired = soon(outer.fire(&envelope)).await;
    assert_eq!((fired.decision.action, context(&fired.decision)), (Action::Proceed, vec!["inner"]));
}

#[tokio::test]
async fn a_call_may_be_late() {
    let scene = Scene::new();
    let (sender, heard) = std::sync::mpsc::channel();
    let dispatcher = Dispatcher::new(snapshot(&scene, &["first+ask+late who", "first+ask+late+within=100 hang"]))
        .calls(Arc::new(Obedient::default()))
        .late(move |late| sender.send(late.outcome.exit).unwrap());
    dispatcher.fire(&tool_before("s")).await;
    soon(dispatcher.quiet()).await;
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), [Exit::Code(0), Exit::TimedOut]);
}
