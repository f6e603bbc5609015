//! One process, from its start to its outcome: when it has to end, and what it then ended as.

use std::{io, process::ExitStatus, time::Duration};

use harness_hooks_core::{Exit, Outcome, Process, Stdin};
use tokio::{
    select,
    time::{Instant, sleep, timeout},
};

use crate::{
    Cancel, Environment, Limits,
    group::Group,
    pipes::{Feed, FirstLine, Kept, Pipes},
    reason,
    run::milliseconds,
};

/// How long the pipes of a group that was ended are read. Whoever holds them open then has left
/// the group, and its hook is given up already.
const AFTERMATH: Duration = Duration::from_millis(100);
/// How long a script that somebody is still writing is waited for, each time longer.
const BUSY_MS: [u64; 7] = [5, 10, 20, 40, 80, 160, 320];

pub(crate) struct Running {
    group: Group,
    pipes: Pipes,
    since: Instant,
}

impl Running {
    /// Starts it, or says why it cannot be.
    pub(crate) async fn start(
        process: &Process,
        environment: &Environment,
        stdin: &Stdin,
        limits: &Limits,
        first_line: Option<FirstLine>,
    ) -> Result<Self, String> {
        reason::unfit(process)?;
        let started = started(process, environment).await;
        let mut group = started.map_err(|error| reason::of(process, environment, &error))?;
        let since = Instant::now();
        let (feed, stdout, stderr) = group.pipes();
        let pipes = Pipes {
            stdin: Feed::new(feed, stdin.clone()),
            stdout: Kept::new(stdout, limits.stdout_bytes).first_line(first_line),
            stderr: Kept::new(stderr, limits.stderr_bytes),
        };
        Ok(Running { group, pipes, since })
    }

    pub(crate) async fn outcome(mut self, allowed: Duration, limits: &Limits, cancel: &Cancel) -> Outcome {
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
            .elapsed_ms(milliseconds(ran))
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

/// A script that is open for writing cannot be started. It may be so for a moment only, also
/// because another thread of this program, which writes it, is just starting something else.
async fn started(process: &Process, environment: &Environment) -> io::Result<Group> {
    for wait in BUSY_MS.map(Duration::from_millis) {
        match Group::start(process, environment) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => sleep(wait).await,
            started => return started,
        }
    }
    Group::start(process, environment)
}

fn ended_by_itself(exit: &Exit) -> bool {
    matches!(exit, Exit::Code(_) | Exit::Signal(_))
}

#[cfg(unix)]
fn exit_of(status: ExitStatus) -> Exit {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    status.code().map(Exit::Code).or(signal.map(Exit::Signal)).unwrap_or(Exit::Code(-1))
}

#[cfg(not(unix))] // never compiled by us
fn exit_of(status: ExitStatus) -> Exit {
    Exit::Code(status.code().unwrap_or(-1)) // there is always one
}
