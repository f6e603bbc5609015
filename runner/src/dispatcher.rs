//! The one call a host needs: drives a firing through its stages, runs what each plans, and keeps
//! what hooks leave behind for those to come. How one hook runs is `run`'s; what it means is
//! core's.

use std::{
    collections::HashMap,
    fmt,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::stream::{FuturesUnordered, StreamExt};
use harness_hooks_core::{
    Effects, Envelope, Fired, Firing, Invocation, Outcome, SessionState, Skipped, Snapshot, Stage,
};
use tokio::{
    select,
    sync::{OwnedSemaphorePermit, Semaphore},
};

use crate::{Cancel, Limits, run};

/// How far a firing is.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A stage was planned.
    Stage(&'a Stage),
    /// A binding does not run. Only of a dispatcher that explains.
    Skipped(&'a Skipped),
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
/// Clones share the snapshot, the session states and the concurrency limit; whether it explains
/// and what cancels it are each clone's own, so that a turn can have its own token:
/// `dispatcher.clone().cancelled_by(&turn).fire(&envelope)`.
#[derive(Clone)]
pub struct Dispatcher {
    shared: Arc<Shared>,
    limits: Arc<Limits>,
    permits: Arc<Semaphore>,
    cancel: Cancel,
    explaining: bool,
}

#[derive(Debug)]
struct Shared {
    snapshot: Mutex<Arc<Snapshot>>,
    sessions: Mutex<HashMap<String, SessionState>>,
}

impl Dispatcher {
    /// A dispatcher with the default limits, that is never cancelled and explains nothing.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        let shared = Shared { snapshot: Mutex::new(snapshot), sessions: Mutex::default() };
        let limits = Limits::default();
        Dispatcher {
            shared: Arc::new(shared),
            permits: permits(&limits),
            limits: Arc::new(limits),
            cancel: Cancel::never(),
            explaining: false,
        }
    }

    /// How much of everything hooks may take. Clones made before keep theirs.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.permits = permits(&limits);
        self.limits = Arc::new(limits);
        self
    }

    /// Gives up what it fires when this token is cancelled: hooks that run end as cancelled, those
    /// that would start do not, and a decision is made of that.
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
        lock(&self.shared.sessions).get(session).cloned().unwrap_or_default()
    }

    /// Sets what hooks left behind in a session, as when one is resumed.
    pub fn set_state(&self, session: &str, state: SessionState) {
        lock(&self.shared.sessions).insert(session.to_owned(), state);
    }

    /// Forgets a session. What firings under way would leave behind is forgotten too.
    pub fn close(&self, session: &str) {
        lock(&self.shared.sessions).remove(session);
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
        let state = lock(&self.shared.sessions).entry(session.to_owned()).or_default().clone();
        let snapshot = self.snapshot();
        let mut firing = snapshot.begin(envelope, state);
        if self.explaining {
            firing = firing.explaining();
        }
        while let Some(stage) = firing.next_stage() {
            observer(Progress::Stage(&stage));
            stage.skipped.iter().for_each(|skipped| observer(Progress::Skipped(skipped)));
            self.run_stage(&stage, &mut firing, &mut observer).await;
        }
        let fired = firing.finish();
        // last, and to the state as it is now: firings of a session overlap
        if let Some(state) = lock(&self.shared.sessions).get_mut(session) {
            state.apply(fired.change.clone());
        }
        fired
    }

    async fn run_stage(
        &self,
        stage: &Stage,
        firing: &mut Firing<'_>,
        observer: &mut (impl FnMut(Progress<'_>) + Send),
    ) {
        let mut waiting = stage.invocations.iter();
        let mut running = FuturesUnordered::new();
        let mut admission = pin!(self.admission()); // kept over rounds: it holds a place in a queue
        loop {
            select! {
                biased; // start all that may before any is waited for
                permit = &mut admission, if !waiting.as_slice().is_empty() => {
                    let Some(invocation) = waiting.next() else { continue };
                    if permit.is_some() {
                        observer(Progress::Started(invocation));
                    }
                    running.push(self.run_one(invocation, permit));
                    admission.set(self.admission());
                }
                Some((invocation, outcome)) = running.next() => {
                    let effects = firing.report(invocation, &outcome);
                    observer(Progress::Finished { invocation, outcome: &outcome, effects: &effects });
                }
                else => return,
            }
        }
    }

    /// Waits for a place among those that run; none once cancelled.
    async fn admission(&self) -> Option<OwnedSemaphorePermit> {
        select! {
            biased;
            () = self.cancel.cancelled() => None,
            permit = self.permits.clone().acquire_owned() => permit.ok(),
        }
    }

    async fn run_one<'i>(
        &self,
        invocation: &'i Invocation,
        permit: Option<OwnedSemaphorePermit>,
    ) -> (&'i Invocation, Outcome) {
        let outcome = run(invocation, &self.limits, &self.cancel).await;
        drop(permit);
        (invocation, outcome)
    }
}

fn permits(limits: &Limits) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(limits.concurrency.clamp(1, Semaphore::MAX_PERMITS)))
}

/// What is behind the locks is whole at every moment, so that a panic elsewhere spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher")
            .field("limits", &self.limits)
            .field("sessions", &lock(&self.shared.sessions).len())
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
        send(run(invocation, limits, &dispatcher.cancel));
    }
    let _ = futures;
};
