//! A helper that shows each shell command and each MCP call to a person and waits for the answer,
//! with hooks that fail closed: a helper that crashes or stays silent lets nothing through.

use std::{process::Command, sync::mpsc, thread, time::Duration};

use harness_hooks_core::{Action, Envelope, Exit, Host, Json, Mcp, ToolBefore, ToolCall};
use harness_hooks_runner::{Cancel, Dispatcher};
use serde_json::{Value, json};

use crate::scene::{ALLOW, Gate, Happened, PROJECT, Scene, USER, codes, fire, host};

const COMMAND: &str = "git push --force origin main";

/// The helper, its request and the answer it waits for.
struct Island {
    scene: Scene,
    request: Gate,
    answer: Gate,
}

impl Island {
    fn new() -> Self {
        let scene = Scene::new();
        let (request, answer) = (scene.gate("request"), scene.gate("answer"));
        let script = format!(
            "payload=$(cat)\nprintf '%s %s\\n' $$ \"$payload\" >{}\nread -r answer <{}\nprintf '%s' \"$answer\"\n",
            request.at(),
            answer.at()
        );
        // `exec`, so that no shell stands between the helper and us
        let line = format!("exec {}", scene.script("bin/island", &script));
        let definition = json!([{ "command": line, "failClosed": true, "timeout": 60 }]);
        scene.hooks(USER, &json!({ "beforeShellExecution": definition, "beforeMCPExecution": definition }));
        Island { scene, request, answer }
    }

    /// A shell command and an MCP call.
    fn occasions(&self) -> [Envelope; 2] {
        let query = Mcp::new("db", "drop_table", Json::of(&json!({ "name": "users" })));
        let call = ToolBefore::new(ToolCall::new("c2", "drop_table", query));
        [self.scene.shell(COMMAND), self.scene.envelope(call)]
    }

    /// Fires while a person reads the request and does something about it. Gives what the person
    /// read, too.
    async fn fire(
        &self,
        dispatcher: &Dispatcher,
        envelope: &Envelope,
        act: impl FnOnce(&str, &Gate) + Send + 'static,
    ) -> (Happened, Value) {
        let (request, answer) = (self.request.again(), self.answer.again());
        let (read, shown) = mpsc::channel();
        thread::spawn(move || {
            let request = request.receive();
            let (pid, payload) = request.split_once(' ').unwrap();
            act(pid, &answer);
            read.send(serde_json::from_str(payload).unwrap()).unwrap();
        });
        let happened = fire(dispatcher, envelope).await;
        (happened, shown.recv_timeout(Duration::from_secs(10)).unwrap())
    }

    async fn answered(&self, host: Host, envelope: &Envelope, answer: &str) -> (Happened, Value) {
        let answer = answer.to_owned();
        self.fire(&self.scene.dispatcher(host), envelope, move |_, gate| gate.send(&answer)).await
    }
}

/// CUR-OUT-26, CUR-OUT-27, CUR-OUT-28, CUR-ENC-12, CUR-ENC-13
#[tokio::test]
async fn the_persons_answer_is_the_decision() {
    for (answer, action) in [
        (r#"{"permission":"allow"}"#, Action::Proceed),
        (r#"{"permission":"deny","agent_message":"not on a Friday","user_message":"refused"}"#, Action::Deny),
        (r#"{"permission":"ask","agent_message":"not on a Friday","user_message":"refused"}"#, Action::Ask),
    ] {
        let island = Island::new();
        for envelope in island.occasions() {
            let (happened, request) = island.answered(host(), &envelope, answer).await;
            if request["hook_event_name"] == "beforeShellExecution" {
                assert_eq!(request["command"], COMMAND, "the whole command is shown");
            } else {
                assert_eq!(
                    (&request["hook_event_name"], &request["tool_name"]),
                    (&json!("beforeMCPExecution"), &json!("drop_table"))
                );
                assert_eq!(request["tool_input"], r#"{"name":"users"}"#);
            }
            let decision = &happened.decision;
            assert_eq!((decision.action, decision.pre_approved), (action, action == Action::Proceed));
            let said = if action == Action::Proceed { ("", 0) } else { ("not on a Friday", 1) };
            assert_eq!((happened.reasons().as_str(), decision.notices.len()), said);
            assert!(decision.diagnostics.is_empty());
        }
    }
}

/// CUR-OUT-28: an ask that nobody can answer is a denial which keeps its reasons.
#[tokio::test]
async fn an_ask_of_nobody_is_a_denial() {
    let island = Island::new();
    for envelope in island.occasions() {
        let ask = r#"{"permission":"ask","agent_message":"not on a Friday","user_message":"look at this"}"#;
        let (happened, _) = island.answered(host().attended(false), &envelope, ask).await;
        assert_eq!(happened.decision.action, Action::Deny);
        let reasons: Vec<_> = happened.decision.reasons.iter().map(|reason| reason.value.as_str()).collect();
        assert_eq!((reasons.len(), reasons[0]), (2, "not on a Friday"));
        for part in ["nobody", "Acme", &happened.only().id] {
            assert!(reasons[1].contains(part), "`{part}` is not in: {}", reasons[1]);
        }
        assert_eq!(happened.decision.notices[0].value, "look at this");
    }
}

/// CUR-OUT-07, CUR-OUT-55
#[tokio::test]
async fn a_helper_that_is_killed_lets_nothing_through() {
    let island = Island::new();
    for envelope in island.occasions() {
        let kill = |pid: &str, _: &Gate| assert!(Command::new("kill").args(["-KILL", pid]).status().unwrap().success());
        let (happened, _) = island.fire(&island.scene.dispatcher(host()), &envelope, kill).await;
        assert_eq!(happened.only().outcome.exit, Exit::Signal(9));
        assert_refused(&happened, "was killed by signal 9");
    }
}

/// CUR-OUT-07, CUR-OUT-13: nor one that gives up without an answer.
#[tokio::test]
async fn an_empty_answer_lets_nothing_through() {
    let island = Island::new();
    for envelope in island.occasions() {
        let (happened, _) = island.answered(host(), &envelope, "").await;
        assert_eq!(happened.decision.action, Action::Deny);
        assert!(happened.reasons().contains("printed nothing"), "{}", happened.reasons());
    }
}

/// CUR-RUN-08, CUR-OUT-07: nor one that waits for an answer until its time is over.
#[tokio::test]
async fn a_silent_helper_lets_nothing_through() {
    let island = Island::new();
    let short = island.scene.read(USER).replace(r#""timeout":60"#, r#""timeout":0.5"#);
    island.scene.write(USER, short);
    for envelope in island.occasions() {
        let happened = fire(&island.scene.dispatcher(host()), &envelope).await;
        let outcome = &happened.only().outcome;
        assert!(outcome.exit == Exit::TimedOut && outcome.elapsed_ms < 20_000, "{outcome:?}");
        assert_refused(&happened, "timed out");
    }
}

/// CUR-OUT-10: nor a turn that is given up while the person thinks, or before anybody is asked.
#[tokio::test]
async fn a_turn_given_up_lets_nothing_through() {
    let island = Island::new();
    for envelope in island.occasions() {
        let cancel = Cancel::new();
        let dispatcher = island.scene.dispatcher(host()).cancelled_by(&cancel);
        let (asked, _) = island.fire(&dispatcher, &envelope, move |_, _| cancel.cancel()).await;
        for happened in [asked, fire(&dispatcher, &envelope).await] {
            assert_eq!(happened.only().outcome.exit, Exit::Cancelled);
            assert_eq!(happened.decision.action, Action::Deny);
            assert_eq!(codes(&happened.decision.diagnostics), ["cursor/cancelled"]);
            assert!(happened.reasons().contains("was cancelled"), "{}", happened.reasons());
        }
    }
}

fn assert_refused(happened: &Happened, what: &str) {
    assert_eq!(happened.decision.action, Action::Deny);
    assert_eq!(codes(&happened.decision.diagnostics), ["cursor/hook-failed"]);
    let reasons = happened.reasons();
    for part in ["Acme", &happened.only().command, what] {
        assert!(reasons.contains(part), "`{part}` is not in: {reasons}");
    }
}

/// CUR-SRC-01: a person's allow does not outvote a guard of the project.
#[tokio::test]
async fn the_project_may_still_refuse() {
    let island = Island::new();
    let guards = json!([{ "command": "echo no force here; exit 2", "matcher": "--force" }, { "command": ALLOW }]);
    island.scene.hooks(PROJECT, &json!({ "beforeShellExecution": guards }));
    let (happened, _) = island.answered(host(), &island.scene.shell(COMMAND), r#"{"permission":"allow"}"#).await;
    assert_eq!(happened.runs.len(), 3);
    assert_eq!((happened.decision.action, happened.reasons().as_str()), (Action::Deny, "no force here"));
}
