//! A helper that shows each shell command and each MCP call to a person and waits for the answer, in
//! every vendor's words: Cursor's guards fail closed, Claude Code's say `onFailure: "block"`, and
//! Codex's can say neither, so that a strict host closes them. A helper that crashes or stays silent
//! lets nothing through.

use std::{process::Command, sync::mpsc, thread, time::Duration};

use harness_hooks_core::{Action, Envelope, Exit, Host, Json, Mcp, ToolBefore, ToolCall};
use serde_json::{Value, json};

use crate::scene::{Gate, Happened, Scene, Vendor, codes, fire, host};

const COMMAND: &str = "git push --force origin main";

struct Island {
    scene: Scene,
    vendor: Vendor,
    request: Gate,
    answer: Gate,
}

impl Island {
    fn new(vendor: Vendor, seconds: f64) -> Self {
        let scene = Scene::new();
        let (request, answer) = (scene.gate("request"), scene.gate("answer"));
        let script = format!(
            "payload=$(cat)\nprintf '%s %s\\n' $$ \"$payload\" >{}\nread -r answer <{}\nprintf '%s' \"$answer\"\n",
            request.at(),
            answer.at()
        );
        // `exec`, so that no shell stands between the helper and us
        let line = format!("exec {}", scene.script("bin/island", &script));
        let hooks = match vendor {
            Vendor::Cursor => {
                let definition = json!([{ "command": line, "timeout": seconds, "failClosed": true }]);
                json!({ "beforeShellExecution": definition, "beforeMCPExecution": definition })
            }
            Vendor::Claude => {
                let definition = json!({ "command": line, "timeout": seconds, "onFailure": "block" });
                vendor.event("PreToolUse", &[definition])
            }
            // whole seconds only
            Vendor::Codex => {
                vendor.event("PreToolUse", &[json!({ "command": line, "timeout": seconds.ceil() as u64 })])
            }
        };
        scene.hooks_of(vendor, &hooks);
        Island { scene, vendor, request, answer }
    }

    /// The host under which its failure refuses.
    fn host(&self) -> Host {
        host().strict(self.vendor == Vendor::Codex)
    }

    fn occasions(&self) -> [Envelope; 2] {
        let query = Mcp::new("db", "drop_table", Json::of(&json!({ "name": "users" })));
        let call = ToolBefore::new(ToolCall::new("c2", "drop_table", query));
        [self.scene.shell(COMMAND), self.scene.envelope(call)]
    }

    /// Fires while a person reads the request and does something about it. Gives what the person
    /// read, too.
    async fn fire(
        &self,
        host: Host,
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
        let happened = fire(&self.scene.council(host), envelope).await;
        (happened, shown.recv_timeout(Duration::from_secs(10)).unwrap())
    }

    /// The person's answer in the vendor's words.
    fn says(&self, word: &str) -> String {
        let why = if word == "allow" { None } else { Some("not on a Friday") };
        let answer = match (self.vendor, why) {
            (Vendor::Cursor, None) => json!({ "permission": word }),
            (Vendor::Cursor, Some(why)) => json!({ "permission": word, "agent_message": why }),
            (_, None) => json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": word } }),
            (_, Some(why)) => json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": why,
            } }),
        };
        answer.to_string()
    }
}

/// CUR-OUT-26 to CUR-OUT-28, CLA-OUT-46, CLA-OUT-47, CDX-OUT-40, CDX-OUT-43, CDX-OUT-44: Codex knows no
/// allow that saves a question; there it is no opinion, which is noted.
#[tokio::test]
async fn the_persons_answer_is_the_decision() {
    for vendor in Vendor::ALL {
        let island = Island::new(vendor, 60.0);
        for (word, action) in [("allow", Action::Proceed), ("deny", Action::Deny), ("ask", Action::Ask)] {
            for envelope in island.occasions() {
                let answer = island.says(word);
                let act = move |_: &str, gate: &Gate| gate.send(&answer);
                let (happened, request) = island.fire(island.host(), &envelope, act).await;
                assert!(request["tool_name"].is_string() || request["command"] == COMMAND, "{request}");
                let decision = &happened.decision;
                let approves = action == Action::Proceed && vendor != Vendor::Codex;
                assert_eq!((decision.action, decision.pre_approved), (action, approves), "{vendor:?}");
                let reasons = if action == Action::Proceed { "" } else { "not on a Friday" };
                assert_eq!(happened.reasons(), reasons, "{vendor:?}");
                let noted: &[&str] =
                    if (vendor, word) == (Vendor::Codex, "allow") { &["codex/bare-allow"] } else { &[] };
                assert_eq!(codes(&decision.diagnostics), noted);
            }
        }
    }
}

/// CUR-OUT-28, CLA-OUT-47, CDX-OUT-44: an ask that nobody can answer is a denial which keeps its
/// reason and names the hook.
#[tokio::test]
async fn an_ask_of_nobody_is_a_denial() {
    for vendor in Vendor::ALL {
        let island = Island::new(vendor, 60.0);
        for envelope in island.occasions() {
            let answer = island.says("ask");
            let act = move |_: &str, gate: &Gate| gate.send(&answer);
            let (happened, _) = island.fire(island.host().attended(false), &envelope, act).await;
            assert_eq!(happened.decision.action, Action::Deny);
            let reasons = happened.reasons();
            for part in ["not on a Friday", "nobody", "Acme", &happened.only().id] {
                assert!(reasons.contains(part), "`{part}` is not in: {reasons}");
            }
        }
    }
}

/// CUR-OUT-07, CLA-OUT-05, CDX-OUT-08: a helper that is killed while the person thinks lets nothing
/// through, and the refusal says what happened.
#[tokio::test]
async fn a_killed_helper_lets_nothing_through() {
    for vendor in Vendor::ALL {
        let island = Island::new(vendor, 60.0);
        for envelope in island.occasions() {
            let (happened, _) = island.fire(island.host(), &envelope, |pid, _| kill(pid)).await;
            assert_eq!(happened.only().outcome.exit, Exit::Signal(9));
            assert_refused(vendor, &happened, "signal 9");
        }
    }
}

/// CUR-OUT-07, CLA-OUT-05, CDX-OUT-08: nor does one that waits until its time is over.
#[tokio::test]
async fn a_silent_helper_lets_nothing_through() {
    for vendor in Vendor::ALL {
        let island = Island::new(vendor, 0.5);
        for envelope in island.occasions() {
            let happened = fire(&island.scene.council(island.host()), &envelope).await;
            let outcome = &happened.only().outcome;
            assert!(outcome.exit == Exit::TimedOut && outcome.elapsed_ms < 20_000, "{outcome:?}");
            assert_refused(vendor, &happened, "timed out");
        }
    }
}

/// CDX-OUT-04: what the strict host is for. Without it Codex's helper is open, as Codex has it: the
/// call goes on, nobody approved it, and people are told.
#[tokio::test]
async fn codexs_helper_is_open_by_nature() {
    let island = Island::new(Vendor::Codex, 60.0);
    for envelope in island.occasions() {
        let (happened, _) = island.fire(host(), &envelope, |pid, _| kill(pid)).await;
        let decision = &happened.decision;
        assert_eq!((decision.action, decision.pre_approved), (Action::Proceed, false));
        assert_eq!(codes(&decision.diagnostics), ["codex/hook-failed"]);
    }
}

fn kill(pid: &str) {
    assert!(Command::new("kill").args(["-KILL", pid]).status().unwrap().success());
}

fn assert_refused(vendor: Vendor, happened: &Happened, what: &str) {
    assert_eq!(happened.decision.action, Action::Deny, "{vendor:?}");
    assert_eq!(codes(&happened.decision.diagnostics), [format!("{}/hook-failed", vendor.name())]);
    let reasons = happened.reasons();
    for part in ["Acme", &happened.only().command, what] {
        assert!(reasons.contains(part), "`{part}` is not in: {reasons}");
    }
}
