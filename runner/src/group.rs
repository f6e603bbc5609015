//! A hook's process with everything it started: a process group on Unix, a job object on Windows.
//! Starting it and ending it. Not its pipes, and not when it has to end.

use std::{io, process::ExitStatus, process::Stdio, time::Duration};

use harness_hooks_core::Process;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout},
    time::{sleep, timeout},
};

use crate::Environment;

/// How long the system may take to end what was killed.
const DYING: Duration = Duration::from_secs(1);
/// How soon to look again whether anybody of the group is left, at first and at last.
const LOOKS: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(80)];

/// A running group. Dropping it kills it, unless it was released.
pub(crate) struct Group {
    child: Box<dyn ChildWrapper>,
    #[cfg(unix)]
    id: Option<nix::unistd::Pid>,
    released: bool,
}

impl Group {
    pub(crate) fn start(process: &Process, environment: &Environment) -> io::Result<Self> {
        let mut command = CommandWrap::with_new(&process.program, |command| {
            if let Some(inherited) = environment.selection() {
                command.env_clear().envs(inherited);
            }
            command.args(&process.args).current_dir(&process.cwd).envs(&process.env);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        });
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)] // never compiled by us
        command.wrap(process_wrap::tokio::JobObject);
        let child = command.spawn()?;
        Ok(Group {
            #[cfg(unix)]
            id: child.id().and_then(|id| i32::try_from(id).ok()).map(nix::unistd::Pid::from_raw),
            child,
            released: false,
        })
    }

    pub(crate) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin().take(), self.child.stdout().take(), self.child.stderr().take())
    }

    /// How the process that was started ended.
    pub(crate) async fn leader(&mut self) -> io::Result<ExitStatus> {
        // the child's own wait: the group's waits for the others too where this program is their
        // reaper, as it is when it is the first process of a container
        self.child.inner_mut().wait().await
    }

    /// Asks everyone of the group to end, and kills who is left after `grace`.
    pub(crate) async fn end(&mut self, grace: Duration) {
        self.released = self.terminate() && timeout(grace, self.gone()).await.is_ok();
        if !self.released {
            let _ = self.child.start_kill();
            self.released = timeout(DYING, self.gone()).await.is_ok();
        }
    }

    /// Leaves what is left of the group alone: the leader ended, and what it left behind may be
    /// meant to stay.
    pub(crate) fn release(&mut self) {
        self.released = true;
    }

    /// Waits until nobody is left.
    async fn gone(&mut self) {
        let _ = self.leader().await;
        let [mut soon, last] = LOOKS;
        while self.lives() {
            sleep(soon).await;
            soon = last.min(soon * 2);
        }
    }
}

#[cfg(unix)]
impl Group {
    /// False if they cannot be asked.
    fn terminate(&self) -> bool {
        self.child.signal(nix::sys::signal::Signal::SIGTERM as i32).is_ok()
    }

    /// Whether anybody is left, once the leader ended.
    fn lives(&self) -> bool {
        self.id.is_some_and(crate::members::anybody)
    }
}

#[cfg(not(unix))] // never compiled by us
impl Group {
    fn terminate(&self) -> bool {
        false
    }

    fn lives(&self) -> bool {
        false
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.released {
            let _ = self.child.start_kill();
        }
    }
}
