//! The one call a host needs: drives a firing through its stages, runs what each plans, and keeps
//! what hooks leave behind for those to come. How one hook runs is `run`'s; what it means is
//! core's.

use std::{
    fmt,
    path::{Path, PathBuf},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::stream::{FuturesUnordered, StreamExt};
use harness_hooks_core::{
    Effects, Envelope, Fired, Firing, Invocation, Launch, Outcome, SessionState, Skipped, Snapshot, Stage,
};
use tokio::{
    select,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use crate::{
    Cancel, Environment, HostCalls, Late, Limits,
    background::{Background, Job, JobStage},
    means::Means,
    sessions::{Common, Sessions},
};

/// How far a firing is.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A stage was planned.
    Stage(&'a Stage),
    /// A binding does not run. Only of a dispatcher that explains.
    Skipped(&'a Skipped),
    /// A binding of a stage that is never planned, because an earlier one refused. Only of a
    /// dispatcher that explains.
    NeverReached(&'a Skipped),
    /// A hook leaves the queue and starts.
    Started(&'a Invocation),
    /// A hook ended, or never started.
    #[non_exhaustive]
    Finished {
        /// The hook.
        invocation: &'a Invocation,
        /// What came back.
        outcome: &'a Outcome,
        /// What it is taken to mean.
        effects: &'a Effects,
    },
}

/// Fires envelopes at a snapshot.
///
/// Clones share the snapshot, the sessions and the concurrency limits; whether it explains and what
/// cancels it are each clone's own, so that a turn can have its own token:
/// `dispatcher.clone().cancelled_by(&turn).fire(&envelope)`.
///
/// Hooks nobody waits for belong to their session: they outlast the firing that started them, also
/// one that was dropped, and end when the session is [closed](Self::close) or the last clone is
/// dropped. With the runtime they end at once.
#[derive(Clone)]
pub struct Dispatcher {
    shared: Arc<Shared>,
    means: Arc<Means>,
    permits: Arc<Semaphore>,
    background: Background,
    scratch: Arc<Path>,
    cancel: Cancel,
    explaining: bool,
}

#[derive(Debug)]
struct Shared {
    snapshot: Mutex<Arc<Snapshot>>,
    sessions: Sessions,
}

impl Dispatcher {
    /// A dispatcher with the default limits, whose hooks inherit the whole environment, that makes
    /// no calls for them, is never cancelled and explains nothing.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        let means = Means::default();
        Dispatcher {
            shared: Arc::new(Shared { snapshot: Mutex::new(snapshot), sessions: Sessions::default() }),
            permits: permits(&means.limits),
            background: Background::new(&means.limits),
            means: Arc::new(means),
            scratch: std::env::temp_dir().into(),
            cancel: Cancel::never(),
            explaining: false,
        }
    }

    /// How much of everything hooks may take. Clones made before keep theirs.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.permits = permits(&limits);
        self.background.limit(&limits);
        Arc::make_mut(&mut self.means).limits = limits;
        self
    }

    /// Which of the host's variables hooks inherit; all of them by default.
    pub fn environment(mut self, environment: Environment) -> Self {
        Arc::make_mut(&mut self.means).environment = environment;
        self
    }

    /// Who makes the calls only the host can make: tools of MCP servers, questions to models, work
    /// for agents. Without it a hook that is one fails and says so.
    pub fn calls(mut self, calls: Arc<dyn HostCalls>) -> Self {
        Arc::make_mut(&mut self.means).calls = Some(calls);
        self
    }

    /// Where the folders of scratch files are made, one for each session that needs one; the
    /// system's folder for such files by default.
    pub fn scratch(mut self, below: impl Into<PathBuf>) -> Self {
        self.scratch = below.into().into();
        self
    }

    /// Who is told of hooks nobody waited for, when they have ended; without it what they say is
    /// lost. It is called from their tasks and must not wait for anything. A clone of the dispatcher
    /// in it would keep itself alive: send what comes through a channel instead.
    pub fn late(mut self, listener: impl Fn(Late) + Send + Sync + 'static) -> Self {
        self.background.listener = Some(Arc::new(listener));
        self
    }

    /// Gives up what it fires when this token is cancelled: hooks that run end as cancelled, those
    /// that would start do not, and a decision is made of that. Hooks nobody waits for go on.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Whether progress also says of each binding on the boundary why it does not run.
    pub fn explaining(mut self, explaining: bool) -> Self {
        self.explaining = explaining;
        self
    }

    /// The snapshot the next firing will use.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        lock(&self.shared.snapshot).clone()
    }

    /// Swaps the snapshot at once. Firings under way keep theirs; session states stay.
    pub fn replace(&self, snapshot: Arc<Snapshot>) {
        *lock(&self.shared.snapshot) = snapshot;
    }

    /// What hooks left behind in a session: nothing if it is not known.
    pub fn state(&self, session: &str) -> SessionState {
        self.shared.sessions.state(session)
    }

    /// Sets what hooks left behind in a session, as when one is resumed.
    pub fn set_state(&self, session: &str, state: SessionState) {
        self.shared.sessions.set_state(session, state);
    }

    /// Forgets a session: ends its hooks that nobody waits for, removes the files its hooks were
    /// given, and what firings under way would leave behind is forgotten too. Nothing more is heard
    /// of it. It waits for nothing; [`quiet`](Self::quiet) does.
    pub fn close(&self, session: &str) {
        self.shared.sessions.close(session);
    }

    /// Closes every session.
    pub fn close_all(&self) {
        self.shared.sessions.close_all();
    }

    /// Waits until no hook runs or is about to that nobody waits for, of any session.
    pub async fn quiet(&self) {
        self.background.ended().await;
    }

    /// Runs the hooks of one occurrence and says what the host must do.
    ///
    /// Dropping the future kills what it started before the drop returns, and leaves the session's
    /// state as it was.
    pub async fn fire(&self, envelope: &Envelope) -> Fired {
        self.fire_with(envelope, |_| {}).await
    }

    /// The same, and tells `observer` how far it is. Hooks of a stage start in binding order and
    /// finish in any.
    pub async fn fire_with(&self, envelope: &Envelope, mut observer: impl FnMut(Progress<'_>) + Send) -> Fired {
        let session = &*envelope.session.id;
        let (state, common) = self.shared.sessions.begin(session);
        let snapshot = self.snapshot();
        let mut firing = snapshot.begin(envelope, state);
        if self.explaining {
            firing = firing.explaining();
        }
        while let Some(stage) = firing.next_stage() {
            observer(Progress::Stage(&stage));
            stage.skipped.iter().for_each(|skipped| observer(Progress::Skipped(skipped)));
            let shared = self.job_stage(session, firing.envelope().clone(), &snapshot, &common);
            self.run_stage(stage, &shared, &mut firing, &mut observer).await;
        }
        if self.explaining {
            firing.never_reached().iter().for_each(|never| observer(Progress::NeverReached(never)));
        }
        let fired = firing.finish();
        // last, and to the state as it is now: firings of a session overlap
        self.shared.sessions.apply(session, &common, fired.change.clone());
        fired
    }

    fn job_stage(&self, session: &str, envelope: Envelope, snapshot: &Arc<Snapshot>, common: &Common) -> Arc<JobStage> {
        Arc::new(JobStage {
            session: session.to_owned(),
            envelope: Arc::new(envelope),
            snapshot: snapshot.clone(),
            means: self.means.clone(),
            common: common.clone(),
            below: self.scratch.clone(),
            started: Instant::now(),
        })
    }

    async fn run_stage(
        &self,
        stage: Stage,
        shared: &Arc<JobStage>,
        firing: &mut Firing<'_>,
        observer: &mut (impl FnMut(Progress<'_>) + Send),
    ) {
        let jobs = |invocations: Vec<Invocation>| {
            let job = |invocation| Job { invocation: Arc::new(invocation), stage: shared.clone() };
            invocations.into_iter().map(job).collect::<Vec<_>>()
        };
        let Stage { invocations, background, .. } = stage;
        jobs(background).into_iter().for_each(|job| self.background.start(job));
        let mut waiting = jobs(invocations).into_iter();
        let mut running = FuturesUnordered::new();
        // kept over rounds: it holds a place in a queue
        let mut admission = pin!(self.admission(waiting.as_slice().first()));
        loop {
            select! {
                biased; // start all that may before any is waited for
                place = &mut admission, if !waiting.as_slice().is_empty() => {
                    let Some(job) = waiting.next() else { continue };
                    if place.is_some() {
                        observer(Progress::Started(&job.invocation));
                    }
                    running.push(self.run_one(job, place));
                    admission.set(self.admission(waiting.as_slice().first()));
                }
                Some((invocation, outcome)) = running.next() => {
                    let effects = firing.report(&invocation, &outcome);
                    observer(Progress::Finished { invocation: &invocation, outcome: &outcome, effects: &effects });
                }
                else => return,
            }
        }
    }

    /// Waits for a place among those that run; none once cancelled. A call needs none: were it
    /// counted, an agent's own hooks could wait for the hook that is that agent.
    fn admission(&self, next: Option<&Job>) -> impl Future<Output = Option<Place>> + Send + use<'_> {
        let counts = next.is_none_or(|next| !matches!(next.invocation.launch, Launch::Call(_)));
        self.place(counts)
    }

    async fn place(&self, counts: bool) -> Option<Place> {
        let place = async {
            let permit = if counts { Some(self.permits.clone().acquire_owned().await.ok()?) } else { None };
            Some(Place { _permit: permit })
        };
        select! {
            biased;
            () = self.cancel.cancelled() => None,
            place = place => place,
        }
    }

    async fn run_one(&self, job: Job, place: Option<Place>) -> (Arc<Invocation>, Outcome) {
        let invocation = job.invocation.clone();
        let outcome = job.run(&self.background, &self.cancel).await;
        drop(place);
        (invocation, outcome)
    }
}

/// Held by a hook while it runs.
struct Place {
    _permit: Option<OwnedSemaphorePermit>,
}

fn permits(limits: &Limits) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(limits.concurrency.clamp(1, Semaphore::MAX_PERMITS)))
}

/// What is behind the lock is whole at every moment, so that a panic elsewhere spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher")
            .field("means", &self.means)
            .field("sessions", &self.shared.sessions.len())
            .field("explaining", &self.explaining)
            .finish_non_exhaustive()
    }
}

const _: () = {
    const fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<Dispatcher>();
    shared::<Cancel>();
    fn send<F: Future + Send>(_: F) {}
    fn futures(dispatcher: &Dispatcher, envelope: &Envelope, invocation: &Invocation, limits: &Limits) {
        send(dispatcher.fire(envelope));
        send(dispatcher.fire_with(envelope, |_| {}));
        send(crate::run(invocation, limits, &dispatcher.cancel));
    }
    let _ = futures;
};
