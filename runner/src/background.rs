//! Hooks nobody waits for: at most so many side by side, ended with their session, and what they
//! say handed out late. And hooks that are waited for until they say that they go on alone.

use std::{
    future::pending,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::future::BoxFuture;
use harness_hooks_core::{By, Effects, Envelope, Exit, Invocation, Outcome, Snapshot};
use tokio::{
    select,
    sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch},
    time::Instant,
};

use crate::{Cancel, Limits, means::Means, pipes::FirstLine, run::Run, sessions::Common};

/// What came of a hook nobody waited for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Late {
    /// The session it ran in, which is not closed.
    pub session: String,
    /// What it was asked about, as the hooks before it left it.
    pub envelope: Arc<Envelope>,
    /// The hook.
    pub invocation: Arc<Invocation>,
    /// What came back.
    pub outcome: Outcome,
    /// What of it still means something: what it tells, and what it has against it if it wakes the
    /// agent.
    pub effects: By<Effects>,
}

impl Late {
    /// Whether the agent should go on because of it: its feedback is what woke it.
    pub fn wakes(&self) -> bool {
        self.invocation.binding.background.is_some_and(|background| background.wakes)
            && !self.effects.value.feedback.is_empty()
    }
}

/// Who is told of hooks that end late.
pub(crate) type Listener = Arc<dyn Fn(Late) + Send + Sync>;

/// One hook with everything its run needs, so that it can go on when its firing is over.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) invocation: Arc<Invocation>,
    pub(crate) stage: Arc<JobStage>,
}

/// What the jobs of a stage share.
pub(crate) struct JobStage {
    pub(crate) session: String,
    pub(crate) envelope: Arc<Envelope>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) means: Arc<Means>,
    pub(crate) common: Common,
    pub(crate) below: Arc<Path>,
    pub(crate) started: Instant,
}

impl Job {
    async fn outcome(self, cancel: Cancel, first_line: Option<FirstLine>) -> Outcome {
        let JobStage { means, common, below, started, .. } = &*self.stage;
        let mut run = Run::new(&self.invocation, means, &cancel).of_stage(*started).files(&common.folder, below);
        if let Some(told) = first_line {
            run = run.first_line(told);
        }
        run.outcome().await
    }

    /// Runs it to its outcome, or until it says in its first line that it goes on alone. Then that
    /// line is the outcome, and the rest comes late. Dropping the future ends it, unless it does.
    pub(crate) async fn run(self, background: &Background, cancel: &Cancel) -> Outcome {
        let own = Cancel::new(); // of its run, which may go on when `cancel` means it no longer
        if cancel.is_cancelled() {
            own.cancel();
        }
        let (first_line, said) = self.asks_to_go_on();
        let mut running: BoxFuture<'static, Outcome> = Box::pin(self.clone().outcome(own.clone(), Some(first_line)));
        let alone = async {
            let Ok(line) = said.await else { pending().await };
            (line, background.place().await)
        };
        select! {
            biased;
            outcome = &mut running => outcome,
            () = cancel.cancelled() => {
                own.cancel();
                running.await
            }
            (line, place) = alone => {
                background.go_on(self, running, own, line.len(), place);
                Outcome::new(Exit::Code(0)).stdout(line)
            }
        }
    }

    /// Who is told its first line, and the line if it says that nobody needs to wait.
    fn asks_to_go_on(&self) -> (FirstLine, oneshot::Receiver<Vec<u8>>) {
        let (tell, told) = oneshot::channel();
        let (tell, job) = (Mutex::new(Some(tell)), self.clone());
        let first_line = move |line: &[u8]| {
            let tell = tell.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(tell) = tell.filter(|_| job.stage.snapshot.detaches(&job.invocation, line)) {
                let _ = tell.send(line.to_owned()); // nobody listens once it has ended
            }
        };
        (Arc::new(first_line), told)
    }
}

/// Where hooks run that nobody waits for.
#[derive(Clone)]
pub(crate) struct Background {
    places: Arc<Semaphore>,
    /// How many run and wait at most.
    most: usize,
    /// How many there are, over all dispatchers that are clones of one.
    count: Arc<watch::Sender<usize>>,
    pub(crate) listener: Option<Listener>,
}

/// One of those that are counted.
struct Counted(Arc<watch::Sender<usize>>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Background {
    pub(crate) fn new(limits: &Limits) -> Self {
        Background { places: places(limits), most: most(limits), count: Arc::default(), listener: None }
    }

    pub(crate) fn limit(&mut self, limits: &Limits) {
        self.places = places(limits);
        self.most = most(limits);
    }

    /// Starts a hook as soon as there is a place for it.
    pub(crate) fn start(&self, job: Job) {
        let (counted, this) = (self.count(), self.clone());
        let room = *self.count.borrow() <= self.most;
        tokio::spawn(async move {
            let _counted = counted;
            let closed = job.stage.common.closed.clone();
            let outcome = if room {
                let _place = select! {
                    biased;
                    () = closed.cancelled() => return,
                    place = this.place() => place,
                };
                job.clone().outcome(closed, None).await
            } else {
                let why = format!("{} hooks that nobody waits for run or wait already", this.most);
                Outcome::new(Exit::NotStarted(why))
            };
            this.tell(&job, outcome);
        });
    }

    /// Lets a hook that runs go on. What it printed up to here was read.
    fn go_on(
        &self,
        job: Job,
        mut running: BoxFuture<'static, Outcome>,
        cancel: Cancel,
        read: usize,
        place: Option<OwnedSemaphorePermit>,
    ) {
        let (counted, this) = (self.count(), self.clone());
        tokio::spawn(async move {
            let (_counted, _place) = (counted, place);
            let mut outcome = select! {
                biased;
                () = job.stage.common.closed.cancelled() => {
                    cancel.cancel();
                    running.await
                }
                outcome = &mut running => outcome,
            };
            outcome.stdout.drain(..read.min(outcome.stdout.len()));
            this.tell(&job, outcome);
        });
    }

    /// Waits until none is left.
    pub(crate) async fn ended(&self) {
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await; // its sender is here
    }

    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        self.places.clone().acquire_owned().await.ok()
    }

    fn count(&self) -> Counted {
        self.count.send_modify(|count| *count += 1);
        Counted(self.count.clone())
    }

    /// Of a session that was closed nobody wants to know.
    fn tell(&self, job: &Job, outcome: Outcome) {
        let Job { invocation, stage } = job;
        let Some(listener) = self.listener.as_ref().filter(|_| !stage.common.closed.is_cancelled()) else { return };
        let effects = stage.snapshot.afterwards(invocation, &stage.envelope, &outcome);
        let (session, envelope) = (stage.session.clone(), stage.envelope.clone());
        listener(Late { session, envelope, invocation: invocation.clone(), outcome, effects });
    }
}

fn places(limits: &Limits) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(limits.background.clamp(1, Semaphore::MAX_PERMITS)))
}

fn most(limits: &Limits) -> usize {
    limits.background.max(1).saturating_add(limits.background_waiting)
}
