//! An agent loop that obeys hooks, to copy from: a session, prompts, tool calls, a subagent, stops that
//! hooks answer, and the end. A script stands in for the model and for the user; what each would see
//! is printed.
//!
//!     cargo run -p harness-hooks-runner --example agent_loop

use std::{fmt::Write as _, path::Path, sync::Arc};

use harness_hooks_claude::Claude;
use harness_hooks_codex::Codex;
use harness_hooks_core::{
    Action, Boundary, By, Decision, EnvReader, Envelope, Fired, Halt, HaltScope, Host, Payload, Places, PromptSubmit,
    Session, SessionEnd, SessionStart, Shell, ShellOutput, Snapshot, SubagentStart, SubagentStop, Text, ToolBefore,
    ToolCall, ToolDenied, ToolOutput, ToolPermission, ToolResult, Turn, TurnStop,
};
use harness_hooks_cursor::Cursor;
use harness_hooks_runner::{Disk, Dispatcher, machine};

/// What the model does: runs a command, which prints something, or hands work to a subagent.
enum Step {
    Run(&'static str, &'static str),
    Delegate(&'static str, &'static str),
}

/// What the user says, and what the model does then.
const SCRIPT: [(&str, &[Step]); 3] = [
    ("Deploy with the key sk-demo1234", &[]),
    (
        "Tidy up the build folder",
        &[
            Step::Run("ls build", "a.o\nb.o"),
            Step::Run("rm -rf build", ""),
            Step::Run("mv build trash/", ""),
            Step::Run("git push origin main", "done"),
            Step::Run("git push backup", "done"),
            Step::Delegate("Find out who uses the build folder", "Nobody does."),
        ],
    ),
    ("Build it again", &[Step::Run("make", "cc: No space left on device"), Step::Run("make install", "")]),
];

struct Agent<'f> {
    session: Arc<Session>,
    fire: &'f mut dyn FnMut(&Envelope) -> Fired,
    transcript: String,
    turn: Option<Turn>,
    envelopes: u32,
    /// A hook wants the turn to end, or the session.
    halted: Option<By<Halt>>,
}

impl Agent<'_> {
    fn say(&mut self, line: impl AsRef<str>) {
        writeln!(self.transcript, "{}", line.as_ref()).expect("a text can be written to");
    }

    fn say_all(&mut self, what: &str, said: &[By<Text>]) {
        said.iter().for_each(|said| self.say(format!("    {what}: {} [{}]", said.value, said.by)));
    }

    /// Asks the hooks, and does what a decision asks for wherever it is made.
    fn hooks(&mut self, payload: impl Into<Payload>) -> Decision {
        self.envelopes += 1;
        let id = format!("envelope_{}", self.envelopes);
        let envelope = Envelope::new(id, 1_764_500_000_000, self.session.clone(), payload).turn(self.turn.clone());
        let decision = (self.fire)(&envelope).decision;
        // guards that should have been asked and could not be: a user wants to know
        decision.refused_sources.iter().for_each(|missing| self.say(format!("    not guarded by {}", missing.place())));
        decision.diagnostics.iter().for_each(|finding| self.say(format!("    log: {finding}")));
        self.say_all("user sees", &decision.notices);
        self.say_all("model is told", &decision.context);
        self.say_all("model is told", &decision.feedback);
        for wish in decision.session_env.iter().filter(|wish| wish.value.reader == EnvReader::Tools) {
            self.say(format!("    commands get {}={} [{}]", wish.value.name, wish.value.value, wish.by));
        }
        // a halt of the prompt is its refusal; the others wait for what is under way
        let halt = decision.halt.clone().filter(|halt| halt.value.scope > HaltScope::Prompt);
        self.halted = halt.or_else(|| self.halted.take());
        decision
    }

    fn run(&mut self) {
        self.say("session starts");
        self.hooks(SessionStart::new());
        for (n, (prompt, steps)) in SCRIPT.iter().enumerate() {
            self.turn = Some(Turn::new(format!("turn_{}", n + 1)));
            self.prompt(prompt, steps);
            if self.halted.take().is_some_and(|halt| halt.value.scope == HaltScope::Session) {
                break;
            }
        }
        self.turn = None;
        self.say("session ends");
        self.hooks(SessionEnd::new("completed"));
    }

    fn prompt(&mut self, prompt: &str, steps: &[Step]) {
        self.say(format!("user: {prompt}"));
        let decision = self.hooks(PromptSubmit::new(prompt));
        // a halt of the turn where the session started is one of its first turn
        if decision.action != Action::Proceed || self.halted.is_some() {
            let halt = decision.halt.or(self.halted.clone());
            return self.say(format!("    not sent: {}", ended(halt.as_ref())));
        }
        for step in steps {
            match step {
                Step::Run(command, prints) => self.tool(command, prints),
                Step::Delegate(task, result) => self.delegate(task, result),
            }
            if self.halted.is_some() {
                // and no hook is asked whether it may
                return self.say(format!("turn ends: {}", ended(self.halted.as_ref())));
            }
        }
        // hooks may send the model on, as often as the host lets them; that is no prompt of the user's
        while let Some(onward) = self.hooks(TurnStop::new()).continuation {
            self.say(format!("hooks to model: {}", onward.message));
        }
        self.say("turn ends");
    }

    fn tool(&mut self, command: &str, prints: &str) {
        self.say(format!("model runs: {command}"));
        let call = ToolCall::new(format!("call_{}", self.envelopes), "terminal", Shell::new(command));
        let call = match self.permitted(call.clone()) {
            Ok(permitted) => permitted,
            Err(why) => {
                self.say(format!("    refused: {why}"));
                self.hooks(ToolDenied::new(call, why));
                return;
            }
        };
        let output = ToolOutput::Shell(ShellOutput::new().stdout(prints).exit_code(0));
        let decision = self.hooks(ToolResult::new(call, output.clone()));
        match decision.output.unwrap_or(output) {
            ToolOutput::Shell(shell) => self.say(format!("    result: {:?}", shell.text())),
            other => self.say(format!("    result, as a hook wants it: {other:?}")),
        }
    }

    /// The call to run, as hooks want it, or why none may. Only `Proceed` lets it run.
    fn permitted(&mut self, call: ToolCall) -> Result<ToolCall, String> {
        let decision = self.hooks(ToolBefore::new(call.clone()));
        let call = decision.call.unwrap_or(call);
        match decision.action {
            Action::Proceed => Ok(call),
            Action::Ask => self.ask(call, &decision.reasons),
            Action::Defer => Err("put off until someone decides".into()),
            _ => Err(why(&decision.reasons)),
        }
    }

    /// An ask is the user's, unless a hook answers in the user's place.
    fn ask(&mut self, call: ToolCall, reasons: &[By<Text>]) -> Result<ToolCall, String> {
        self.say_all("user is to be asked", reasons);
        let answer = self.hooks(ToolPermission::new(call.clone()));
        if !matches!(answer.action, Action::Proceed | Action::Ask) {
            return Err(why(&answer.reasons));
        }
        self.say(if answer.pre_approved { "    a hook says yes" } else { "    user says yes" });
        Ok(answer.call.unwrap_or(call))
    }

    fn delegate(&mut self, task: &str, result: &str) {
        self.say(format!("model delegates: {task}"));
        let decision = self.hooks(SubagentStart::new("subagent_1", "explore", task));
        if decision.action != Action::Proceed {
            return self.say(format!("    not started: {}", why(&decision.reasons)));
        }
        self.say(format!("    subagent: {result}"));
        let stop = || SubagentStop::new("subagent_1", "explore").last_message(Some(result.into()));
        while let Some(onward) = self.hooks(stop()).continuation {
            self.say(format!("    hooks to subagent: {}", onward.message));
        }
    }
}

fn ended(halt: Option<&By<Halt>>) -> String {
    halt.map(|halt| format!("{} [{}]", halt.value.reason.as_deref().unwrap_or_default(), halt.by)).unwrap_or_default()
}

fn why(reasons: &[By<Text>]) -> String {
    reasons.iter().map(|reason| format!("{} [{}]", reason.value, reason.by)).collect::<Vec<_>>().join("; ")
}

/// Every hook of a workspace and a home, whoever's it is.
pub(crate) fn load(workspace: &Path, home: &Path) -> Arc<Snapshot> {
    let host = Host::new("Acme", "1.4").fires(Boundary::ALL.iter().copied()).attended(true).machine(machine());
    let places = Places::new(workspace).home(home.to_path_buf()).trusted(true);
    Snapshot::load(vec![Arc::new(Cursor::new()), Arc::new(Claude::new()), Arc::new(Codex::new())], host, &places, &Disk)
}

/// The transcript of a session in a workspace, whatever fires its envelopes.
pub(crate) fn converse(workspace: &Path, fire: &mut dyn FnMut(&Envelope) -> Fired) -> String {
    let session = Arc::new(Session::new("session_1", workspace).roots([workspace.to_path_buf()]));
    let mut agent = Agent { session, fire, transcript: String::new(), turn: None, envelopes: 0, halted: None };
    agent.run();
    agent.transcript
}

/// With a dispatcher.
pub(crate) fn transcript(workspace: &Path, home: &Path) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let dispatcher = Dispatcher::new(load(workspace, home));
    let transcript = converse(workspace, &mut |envelope| runtime.block_on(dispatcher.fire(envelope)));
    dispatcher.close("session_1");
    transcript
}

#[allow(clippy::print_stdout, reason = "it is what an example is for")]
pub(crate) fn main() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo");
    let demo = demo.canonicalize().expect("the demo is part of the repository");
    print!("{}", transcript(&demo.join("workspace"), &demo.join("home")));
}
