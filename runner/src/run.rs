//! One invocation, from its start to its outcome: when it has to end, and what it then ended as.

use std::{process::ExitStatus, time::Duration};

use harness_hooks_core::{Exit, Invocation, Launch, Outcome, Process, Stdin};
use tokio::{
    select,
    task::coop::unconstrained,
    time::{Instant, sleep, timeout},
};

use crate::{
    Cancel, Limits,
    group::Group,
    pipes::{Feed, Kept, Pipes},
    reason,
};

/// How long the pipes of a group that was ended are read. Whoever holds them open then has left
/// the group, and its hook is given up already.
const AFTERMATH: Duration = Duration::from_millis(100);

/// Runs one invocation. Total: whatever happens is an outcome.
///
/// Its timeout counts from the start of its process. At the timeout, and when `cancel` is
/// cancelled before the outcome is there, its process group gets TERM, and KILL after
/// [`Limits::kill_grace`] (on Windows its job object is terminated at once). When it ends by
/// itself its pipes are read on for [`Limits::grace`], then the outcome is leaked, and what it
/// left behind is left alone. The concurrency of `limits` is a dispatcher's; here it is unused.
///
/// Dropping the future kills the group.
///
/// # Panics
/// Outside a tokio runtime with I/O and time enabled.
pub async fn run(invocation: &Invocation, limits: &Limits, cancel: &Cancel) -> Outcome {
    if cancel.is_cancelled() {
        return Outcome::new(Exit::Cancelled);
    }
    let process = match &invocation.launch {
        Launch::Process(process) => process,
        Launch::Refused(why) => return Outcome::new(Exit::NotStarted(why.to_string())),
        _ => return Outcome::new(Exit::NotStarted("this runner does not know how to start it".into())),
    };
    match Running::start(process, &invocation.stdin, limits) {
        // Fairness is the pipes' own. With a budget shared by a whole stage, hooks that flood
        // would keep the clocks of the others from ticking.
        Ok(running) => unconstrained(running.outcome(invocation.timeout, limits, cancel)).await,
        Err(why) => Outcome::new(Exit::NotStarted(why)),
    }
}

struct Running {
    group: Group,
    pipes: Pipes,
    since: Instant,
}

impl Running {
    fn start(process: &Process, stdin: &Stdin, limits: &Limits) -> Result<Self, String> {
        reason::unfit(process)?;
        let mut group = Group::start(process).map_err(|error| reason::of(process, &error))?;
        let since = Instant::now();
        let (feed, stdout, stderr) = group.pipes();
        let pipes = Pipes {
            stdin: Feed::new(feed, stdin.clone()),
            stdout: Kept::new(stdout, limits.stdout_bytes),
            stderr: Kept::new(stderr, limits.stderr_bytes),
        };
        Ok(Running { group, pipes, since })
    }

    async fn outcome(mut self, allowed: Duration, limits: &Limits, cancel: &Cancel) -> Outcome {
        let mut exit = self.exit(allowed, cancel).await;
        let mut ran = self.since.elapsed();
        let mut emptied = false;
        if ended_by_itself(&exit) {
            select! {
                biased;
                () = self.pipes.emptied() => emptied = true,
                () = sleep(limits.grace) => {}
                () = cancel.cancelled() => exit = Exit::Cancelled,
            }
        }
        if ended_by_itself(&exit) {
            self.group.release();
        } else {
            self.end(limits.kill_grace).await;
            ran = self.since.elapsed();
            emptied = timeout(AFTERMATH, self.pipes.emptied()).await.is_ok();
        }
        let Pipes { stdout, stderr, .. } = self.pipes;
        Outcome::new(exit)
            .stdout(stdout.bytes)
            .stderr(stderr.bytes)
            .truncated(stdout.cut)
            .leaked(!emptied)
            .elapsed_ms(u64::try_from(ran.as_millis()).unwrap_or(u64::MAX))
    }

    /// Waits until it ends, or has to.
    async fn exit(&mut self, allowed: Duration, cancel: &Cancel) -> Exit {
        select! {
            biased;
            status = self.group.leader() => match status {
                Ok(status) => exit_of(status),
                Err(error) => Exit::NotStarted(format!("it ran, and how it ended cannot be found out: {error}")),
            },
            () = cancel.cancelled() => Exit::Cancelled,
            () = sleep(allowed.saturating_sub(self.since.elapsed())) => Exit::TimedOut,
            never = self.pipes.flow() => match never {},
        }
    }

    /// Ends the group. Its pipes go on meanwhile, so that nobody in it waits for us.
    async fn end(&mut self, grace: Duration) {
        select! {
            biased;
            () = self.group.end(grace) => {}
            never = self.pipes.flow() => match never {},
        }
    }
}

fn ended_by_itself(exit: &Exit) -> bool {
    matches!(exit, Exit::Code(_) | Exit::Signal(_))
}

#[cfg(unix)]
fn exit_of(status: ExitStatus) -> Exit {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    status.code().map(Exit::Code).or(signal.map(Exit::Signal)).unwrap_or(Exit::Code(-1))
}

#[cfg(not(unix))]
fn exit_of(status: ExitStatus) -> Exit {
    Exit::Code(status.code().unwrap_or(-1)) // there is always one
}
