//! The same agent loop without tokio and without this crate's dispatcher: core plans and decides, and
//! a host runs the processes as it always did. Here each hook is a thread and a `Command`.
//!
//!     cargo run -p harness-hooks-runner --example own_runner

#[path = "agent_loop.rs"]
#[allow(dead_code, reason = "its dispatcher is not used here")]
pub(crate) mod agent_loop;

use std::{
    io::{self, Read, Write},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use agent_loop::{converse, load};
use harness_hooks_core::{Envelope, Exit, Fired, Invocation, Launch, Outcome, Process, SessionState, Snapshot};

/// How long the pipes of a hook that ended are read on, in case a child of it holds them.
const GRACE: Duration = Duration::from_secs(2);

/// One occurrence, stage by stage. The state is the host's to keep, and changes last.
fn fire(snapshot: &Arc<Snapshot>, envelope: &Envelope, state: &mut SessionState) -> Fired {
    let mut firing = snapshot.begin(envelope, state.clone());
    while let Some(stage) = firing.next_stage() {
        // nobody waits for these; what they say goes to `Snapshot::afterwards` in a host that listens
        stage.background.into_iter().for_each(|invocation| drop(thread::spawn(move || run(&invocation))));
        let (done, outcomes) = mpsc::channel();
        thread::scope(|scope| {
            for invocation in &stage.invocations {
                let done = done.clone();
                scope.spawn(move || done.send((invocation, run(invocation))).expect("the stage waits"));
            }
        });
        drop(done);
        // in the order in which they finished, which changes nothing
        outcomes.iter().for_each(|(invocation, outcome)| drop(firing.report(invocation, &outcome)));
    }
    let fired = firing.finish();
    state.apply(fired.change.clone());
    fired
}

/// Total: whatever happens to a hook is an outcome, and what it means is the vendor's to say.
fn run(invocation: &Invocation) -> Outcome {
    match &invocation.launch {
        Launch::Process(process) => {
            start(process, invocation).unwrap_or_else(|error| Outcome::new(Exit::NotStarted(error.to_string())))
        }
        Launch::Refused(why) => Outcome::new(Exit::NotStarted(why.to_string())),
        _ => Outcome::new(Exit::NotStarted("this host starts processes only".into())),
    }
}

/// Starts the process, writes what it reads, and waits for its end or its timeout. A host that has to
/// bear hostile hooks also ends their children, which takes a process group, and reads no pipe
/// without a limit.
fn start(process: &Process, invocation: &Invocation) -> io::Result<Outcome> {
    let allowed = invocation.budget.map_or(invocation.timeout, |budget| budget.min(invocation.timeout));
    let mut command = Command::new(&process.program);
    command.args(&process.args).current_dir(&process.cwd).envs(&process.env);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let deadline = Instant::now() + allowed;
    let (mut stdin, bytes) = (child.stdin.take().expect("it is piped"), invocation.stdin.clone());
    thread::spawn(move || drop(stdin.write_all(&bytes))); // a hook need not read
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(Outcome::new(Exit::TimedOut)); // what it printed does not count
        }
        thread::sleep(Duration::from_millis(2));
    };
    let (stdout, stderr) = (stdout.recv_timeout(GRACE), stderr.recv_timeout(GRACE));
    let leaked = stdout.is_err() || stderr.is_err();
    Ok(Outcome::new(exit(status)).stdout(stdout.unwrap_or_default()).stderr(stderr.unwrap_or_default()).leaked(leaked))
}

fn exit(status: ExitStatus) -> Exit {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Exit::Signal(signal);
    }
    status.code().map_or_else(|| Exit::NotStarted("how it ended is not known".into()), Exit::Code)
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
    converse(workspace, &mut |envelope| fire(&snapshot, envelope, &mut state))
}

#[allow(clippy::print_stdout, reason = "it is what an example is for")]
pub(crate) fn main() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo");
    let demo = demo.canonicalize().expect("the demo is part of the repository");
    print!("{}", transcript(&demo.join("workspace"), &demo.join("home")));
}
