//! The same agent loop without tokio and without this crate's dispatcher: core plans and decides, and
//! a host runs the processes as it always did. Here each hook is a thread and a `Command`.
//!
//!     cargo run -p harness-hooks-runner --example own_runner

#[path = "agent_loop.rs"]
#[allow(dead_code, reason = "its dispatcher is not used here")]
mod agent_loop;

use std::{
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, mpsc},
    thread,
};

use agent_loop::{Agent, load, session};
use harness_hooks_core::{Envelope, Exit, Fired, Invocation, Launch, Outcome, Process, SessionState, Snapshot};

/// One occurrence, stage by stage. The state is the host's to keep, and changes last.
fn fire(snapshot: &Arc<Snapshot>, envelope: &Envelope, state: &mut SessionState) -> Fired {
    let mut firing = snapshot.begin(envelope, state.clone());
    while let Some(stage) = firing.next_stage() {
        let (done, outcomes) = mpsc::channel();
        thread::scope(|scope| {
            for invocation in &stage.invocations {
                let done = done.clone();
                scope.spawn(move || done.send((invocation, run(invocation))).expect("the stage waits"));
            }
        });
        drop(done);
        outcomes.iter().for_each(|(invocation, outcome)| drop(firing.report(invocation, &outcome)));
    }
    let fired = firing.finish();
    state.apply(fired.change.clone());
    fired
}

fn run(invocation: &Invocation) -> Outcome {
    let Launch::Process(process) = &invocation.launch else {
        return Outcome::new(Exit::NotStarted("this host starts processes only".into()));
    };
    start(process, invocation).unwrap_or_else(|error| Outcome::new(Exit::NotStarted(error.to_string())))
}

/// Starts the process, writes what it reads, and waits for its end or its timeout. A host that has to
/// bear hostile hooks also ends their children, which takes a process group.
fn start(process: &Process, invocation: &Invocation) -> std::io::Result<Outcome> {
    let mut command = Command::new(&process.program);
    command.args(&process.args).current_dir(&process.cwd).envs(&process.env);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (mut stdin, stdin_bytes) = (child.stdin.take().expect("it is piped"), invocation.stdin.clone());
    thread::spawn(move || drop(stdin.write_all(&stdin_bytes))); // a hook need not read
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let Ok(stdout) = stdout.recv_timeout(invocation.timeout) else {
        child.kill()?;
        child.wait()?;
        return Ok(Outcome::new(Exit::TimedOut));
    };
    let status = child.wait()?;
    let exit = status.code().map_or(Exit::Signal(0), Exit::Code);
    Ok(Outcome::new(exit).stdout(stdout).stderr(stderr.recv().unwrap_or_default()))
}

/// Reads a pipe to its end beside the rest.
fn read(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (done, whole) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let ended = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        drop((ended, done.send(bytes))); // nobody may wait any more
    });
    whole
}

/// The transcript of a session in a workspace.
pub(crate) fn transcript(workspace: &Path, home: &Path) -> String {
    let (snapshot, mut state) = (load(workspace, home), SessionState::new());
    let fire = |envelope: &Envelope| fire(&snapshot, envelope, &mut state);
    let session = session(workspace);
    let mut agent = Agent { session, fire: Box::new(fire), transcript: String::new(), turn: None, envelopes: 0 };
    agent.run();
    std::mem::take(&mut agent.transcript)
}

#[allow(dead_code, reason = "a test runs the rest of it")]
fn main() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo");
    let demo = demo.canonicalize().expect("the demo is part of the repository");
    print!("{}", transcript(&demo.join("workspace"), &demo.join("home")));
}
