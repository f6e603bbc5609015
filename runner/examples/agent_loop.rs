//! An agent loop that obeys hooks, to copy from: a session, a prompt, three tool calls, a subagent,
//! a stop that hooks answer, and the end. A script stands in for the model and for the user; what
//! each would see is printed.
//!
//!     cargo run -p harness-hooks-runner --example agent_loop

use std::{fmt::Write as _, path::Path, sync::Arc};

use harness_hooks_claude::Claude;
use harness_hooks_codex::Codex;
use harness_hooks_core::{
    Action, Boundary, Decision, Envelope, Fired, Host, Payload, Places, PromptSubmit, Session, SessionEnd,
    SessionStart, Shell, ShellOutput, Snapshot, SubagentStart, SubagentStop, ToolBefore, ToolCall, ToolDenied,
    ToolOutput, ToolPermission, ToolResult, Turn, TurnStop,
};
use harness_hooks_cursor::Cursor;
use harness_hooks_runner::{Disk, Dispatcher, machine};

/// What fires an envelope: a dispatcher, or a host's own runner (`own_runner.rs`).
pub(crate) type Fire<'f> = dyn FnMut(&Envelope) -> Fired + 'f;

pub(crate) struct Agent<'f> {
    pub(crate) session: Arc<Session>,
    pub(crate) fire: Box<Fire<'f>>,
    pub(crate) transcript: String,
    pub(crate) turn: Option<Turn>,
    pub(crate) envelopes: u32,
}

impl Agent<'_> {
    fn say(&mut self, line: impl AsRef<str>) {
        writeln!(self.transcript, "{}", line.as_ref()).expect("a text can be written to");
    }

    /// Asks the hooks, and does what every decision asks for wherever it is made.
    fn hooks(&mut self, payload: impl Into<Payload>) -> Decision {
        self.envelopes += 1;
        let id = format!("envelope_{}", self.envelopes);
        let envelope = Envelope::new(id, 1_764_500_000_000, self.session.clone(), payload).turn(self.turn.clone());
        let decision = (self.fire)(&envelope).decision;
        // guards that should have been asked and could not be: a user wants to know
        decision.refused_sources.iter().for_each(|missing| self.say(format!("    not guarded by {}", missing.place())));
        decision.notices.iter().for_each(|notice| self.say(format!("    user sees: {} [{}]", notice.value, notice.by)));
        let told = decision.context.iter().chain(&decision.feedback);
        told.for_each(|context| self.say(format!("    model is told: {} [{}]", context.value, context.by)));
        decision
    }

    /// A whole session: what the model would do stands here as a script.
    pub(crate) fn run(&mut self) {
        self.say("session starts");
        self.hooks(SessionStart::new());
        self.prompt("Tidy up the build folder", |agent| {
            agent.tool("call_1", "ls build", "a.o\nb.o");
            agent.tool("call_2", "rm -rf build", "");
            agent.tool("call_3", "git push origin main", "done");
            agent.delegate("Find out who uses the build folder", "Nobody does.");
        });
        self.say("session ends");
        self.hooks(SessionEnd::new("completed"));
    }

    fn prompt(&mut self, prompt: &str, work: impl Fn(&mut Self)) {
        self.turn = Some(Turn::new("turn_1"));
        self.say(format!("user: {prompt}"));
        let decision = self.hooks(PromptSubmit::new(prompt));
        if decision.action == Action::Deny {
            let reason = decision.halt.and_then(|halt| halt.value.reason).unwrap_or_default();
            return self.say(format!("    not sent: {reason}"));
        }
        work(self);
        // hooks may send the model on, as often as the host lets them; that is no prompt of the user's
        while let Some(onward) = self.hooks(TurnStop::new()).continuation {
            self.say(format!("hooks: {}", onward.message));
        }
        self.say("turn ends");
        self.turn = None;
    }

    fn tool(&mut self, id: &str, command: &str, prints: &str) {
        self.say(format!("model runs: {command}"));
        let call = ToolCall::new(id, "terminal", Shell::new(command));
        let decision = self.hooks(ToolBefore::new(call.clone()));
        let call = decision.call.clone().unwrap_or(call); // as hooks want it
        if !self.permitted(&decision, &call) {
            let said: Vec<String> = decision.reasons.iter().map(|r| format!("{} [{}]", r.value, r.by)).collect();
            self.say(format!("    refused: {}", said.join("; ")));
            self.hooks(ToolDenied::new(call, said.join("\n")));
            return;
        }
        let output = ToolOutput::Shell(ShellOutput::new().stdout(prints).exit_code(0));
        let decision = self.hooks(ToolResult::new(call, output.clone()));
        match decision.output.unwrap_or(output) {
            ToolOutput::Shell(shell) => self.say(format!("    result: {:?}", shell.text())),
            other => self.say(format!("    result, as hooks want it: {other:?}")),
        }
    }

    /// Whether a call may run. Only `Proceed` lets it; an ask is the user's, unless a hook answers in
    /// the user's place.
    fn permitted(&mut self, decision: &Decision, call: &ToolCall) -> bool {
        match decision.action {
            Action::Proceed => true,
            Action::Ask => {
                decision.reasons.iter().for_each(|r| self.say(format!("    user is asked: {} [{}]", r.value, r.by)));
                let answer = self.hooks(ToolPermission::new(call.clone()));
                let answered = answer.pre_approved;
                self.say(if answered { "    a hook says yes" } else { "    user says yes" });
                answer.action == Action::Proceed
            }
            _ => false,
        }
    }

    fn delegate(&mut self, task: &str, result: &str) {
        self.say(format!("model delegates: {task}"));
        if self.hooks(SubagentStart::new("subagent_1", "explore", task)).action == Action::Deny {
            return self.say("    not started");
        }
        self.hooks(SubagentStop::new("subagent_1", "explore").last_message(Some(result.into())));
        self.say(format!("    subagent: {result}"));
    }
}

/// Every hook of a workspace and a home, whoever's it is.
pub(crate) fn load(workspace: &Path, home: &Path) -> Arc<Snapshot> {
    let host = Host::new("Acme", "1.4").fires(Boundary::ALL.iter().copied()).attended(true).machine(machine());
    let places = Places::new(workspace).home(home.to_path_buf()).trusted(true);
    Snapshot::load(vec![Arc::new(Cursor::new()), Arc::new(Claude::new()), Arc::new(Codex::new())], host, &places, &Disk)
}

pub(crate) fn session(workspace: &Path) -> Arc<Session> {
    Arc::new(Session::new("session_1", workspace).roots([workspace.to_path_buf()]))
}

/// The transcript of a session in a workspace, with a dispatcher.
#[allow(dead_code, reason = "`own_runner.rs` has another")]
pub(crate) fn transcript(workspace: &Path, home: &Path) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let dispatcher = Dispatcher::new(load(workspace, home));
    let fire = |envelope: &Envelope| runtime.block_on(dispatcher.fire(envelope));
    let session = session(workspace);
    let mut agent = Agent { session, fire: Box::new(fire), transcript: String::new(), turn: None, envelopes: 0 };
    agent.run();
    dispatcher.close("session_1");
    std::mem::take(&mut agent.transcript)
}

#[allow(dead_code, reason = "a test runs the rest of it")]
fn main() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo");
    let demo = demo.canonicalize().expect("the demo is part of the repository");
    print!("{}", transcript(&demo.join("workspace"), &demo.join("home")));
}
