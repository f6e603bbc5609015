//! One invocation, from its start to its outcome: whatever it is that runs, how long it may take,
//! and who may give it up. How a process ends is `process`'s.

use std::{
    borrow::Cow,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use harness_hooks_core::{Exit, Invocation, Launch, Outcome, Process};
use tokio::{
    select,
    task::coop::unconstrained,
    time::{Instant, sleep},
};

use crate::{
    Cancel, Limits, calls,
    means::Means,
    pipes::FirstLine,
    process::Running,
    scratch::{self, Folder},
};

/// Runs one invocation. Total: whatever happens is an outcome.
///
/// Its timeout counts from the start of its process, its budget from this call. When one of them is
/// over, and when `cancel` is cancelled before the outcome is there, its process group gets TERM,
/// and KILL after [`Limits::kill_grace`] (on Windows its job object is terminated at once). When it
/// ends by itself its pipes are read on for [`Limits::grace`], then the outcome is leaked, and what
/// it left behind is left alone. The concurrency of `limits` is a dispatcher's; here it is unused.
///
/// What only a [`Dispatcher`](crate::Dispatcher) has is missing here: hooks inherit the whole
/// environment and are given no file of their own, and no host makes calls for them.
///
/// Dropping the future kills the group.
///
/// # Panics
/// Outside a tokio runtime with I/O and time enabled.
pub async fn run(invocation: &Invocation, limits: &Limits, cancel: &Cancel) -> Outcome {
    Run::new(invocation, &Means::of(limits), cancel).outcome().await
}

/// One run, with everything it may use.
pub(crate) struct Run<'a> {
    invocation: &'a Invocation,
    means: &'a Means,
    cancel: &'a Cancel,
    stage: Instant,
    files: Option<(&'a Folder, &'a Path)>,
    first_line: Option<FirstLine>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(invocation: &'a Invocation, means: &'a Means, cancel: &'a Cancel) -> Self {
        Run { invocation, means, cancel, stage: Instant::now(), files: None, first_line: None }
    }

    /// Its stage started then, from when its budget counts.
    pub(crate) fn of_stage(mut self, started: Instant) -> Self {
        self.stage = started;
        self
    }

    /// Files it is given are made in this folder, below this one.
    pub(crate) fn files(mut self, folder: &'a Folder, below: &'a Path) -> Self {
        self.files = Some((folder, below));
        self
    }

    /// Is told its first line of standard output.
    pub(crate) fn first_line(mut self, told: FirstLine) -> Self {
        self.first_line = Some(told);
        self
    }

    pub(crate) async fn outcome(self) -> Outcome {
        if self.cancel.is_cancelled() {
            return Outcome::new(Exit::Cancelled);
        }
        if let Some(budget) = self.invocation.budget.filter(|_| self.budget_left().is_zero()) {
            let seconds = budget.as_secs_f64();
            let why = format!("the {seconds} s that the hooks of its event share were over before it could start");
            return Outcome::new(Exit::NotStarted(why));
        }
        // Fairness is the pipes' own. With a budget shared by a whole stage, hooks that flood
        // would keep the clocks of the others from ticking.
        match &self.invocation.launch {
            Launch::Process(process) => unconstrained(self.process(process)).await,
            Launch::Call(call) => {
                let calls = self.means.calls.as_deref();
                let answer = calls::call(calls, call, self.invocation, &self.means.limits);
                unconstrained(self.answered(answer)).await
            }
            #[cfg(feature = "http")]
            Launch::Http(request) => {
                let answer = crate::http::send(request, &self.means.limits, &self.means.web);
                unconstrained(self.answered(answer)).await
            }
            #[cfg(not(feature = "http"))]
            Launch::Http(_) => {
                let why = "it is a request, and this program was built without the feature `http`";
                Outcome::new(Exit::NotStarted(why.into()))
            }
            Launch::Refused(why) => Outcome::new(Exit::NotStarted(why.to_string())),
            _ => Outcome::new(Exit::NotStarted("this runner does not know how to start it".into())),
        }
    }

    async fn process(&self, process: &Process) -> Outcome {
        let process = somewhere(process);
        let (process, file) = match self.with_file(&process) {
            Ok(prepared) => prepared,
            Err(why) => return Outcome::new(Exit::NotStarted(why)),
        };
        let process = process.as_ref();
        let (stdin, limits) = (&self.invocation.stdin, &self.means.limits);
        let outcome =
            match Running::start(process, &self.means.environment, stdin, limits, self.first_line.clone()).await {
                Ok(running) => running.outcome(self.allowed(), limits, self.cancel).await,
                Err(why) => Outcome::new(Exit::NotStarted(why)),
            };
        let left = file.and_then(|file| scratch::left(&file, limits.stdout_bytes));
        outcome.scratch(left)
    }

    /// The process with the file it wants, where there is a folder for it.
    fn with_file<'p>(&self, process: &'p Process) -> Result<(Cow<'p, Process>, Option<PathBuf>), String> {
        let (Some(variable), Some((folder, below))) = (&process.scratch, self.files) else {
            return Ok((Cow::Borrowed(process), None));
        };
        let file = folder.file(below).map_err(|error| {
            let below = below.to_string_lossy();
            format!("the file that `{variable}` should name cannot be made in `{}`: {error}", below.escape_debug())
        })?;
        let name = file.to_str().ok_or_else(|| format!("the path that `{variable}` should hold is no text"))?;
        Ok((Cow::Owned(process.clone().env(variable, name)), Some(file)))
    }

    /// Waits for an answer, as long as it may take.
    async fn answered(&self, answer: impl Future<Output = Outcome>) -> Outcome {
        let since = Instant::now();
        let outcome = select! {
            biased;
            () = self.cancel.cancelled() => Outcome::new(Exit::Cancelled),
            outcome = answer => outcome,
            () = sleep(self.allowed()) => Outcome::new(Exit::TimedOut),
        };
        outcome.elapsed_ms(milliseconds(since.elapsed()))
    }

    /// How long it may run from now on: its timeout, and no longer than its budget lasts.
    fn allowed(&self) -> Duration {
        self.invocation.timeout.min(self.budget_left())
    }

    fn budget_left(&self) -> Duration {
        let left = |budget: Duration| budget.saturating_sub(self.stage.elapsed());
        self.invocation.budget.map_or(Duration::MAX, left)
    }
}

/// The process in a directory that is there, as far as it names one. One that is there and cannot be
/// entered is not gone: nothing stands in for it.
fn somewhere(process: &Process) -> Cow<'_, Process> {
    let gone = match fs::metadata(&process.cwd) {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    };
    let Some(directory) = process.instead.iter().find(|directory| gone && directory.is_dir()) else {
        return Cow::Borrowed(process);
    };
    let mut moved = process.clone();
    moved.cwd.clone_from(directory);
    Cow::Owned(moved)
}

/// For an outcome.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
