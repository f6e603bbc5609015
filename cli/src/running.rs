//! Running the hooks of one envelope: until everything is decided, and then those nobody waits for,
//! which would end with this process. What `fire` shows of it is its own.

use std::{pin::Pin, sync::Arc};

use harness_hooks_core::{Envelope, Fired, SessionState, Snapshot};
use harness_hooks_runner::{Cancel, Dispatcher, Late, Progress};
use tokio::{
    runtime::{Builder, Runtime},
    sync::mpsc::{self, UnboundedReceiver},
};

use crate::failure::Failure;

/// Asked to end, it ends the hooks first, which run in groups of their own and would otherwise be
/// left behind.
pub(crate) struct Running {
    runtime: Runtime,
    dispatcher: Dispatcher,
    cancel: Cancel,
    late: UnboundedReceiver<Late>,
    asked_to_end: Pin<Box<dyn Future<Output = ()>>>,
    /// It was.
    ending: bool,
}

impl Running {
    /// Nothing runs yet.
    pub(crate) fn new(snapshot: &Arc<Snapshot>, explaining: bool) -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::output("to the hooks", &error))?;
        let inside = runtime.enter();
        let asked_to_end = Box::pin(asked_to_end()); // before the first hook starts
        drop(inside);
        let (sender, late) = mpsc::unbounded_channel();
        let cancel = Cancel::new();
        let dispatcher = Dispatcher::new(snapshot.clone()).explaining(explaining).cancelled_by(&cancel);
        let dispatcher = dispatcher.late(move |ended| _ = sender.send(ended));
        Ok(Running { runtime, dispatcher, cancel, late, asked_to_end, ending: false })
    }

    /// Runs all that a decision waits for.
    pub(crate) fn decide(
        &mut self,
        envelope: &Envelope,
        state: &SessionState,
        observer: impl FnMut(Progress<'_>) + Send,
    ) -> Fired {
        let Running { runtime, dispatcher, cancel, asked_to_end, ending, .. } = self;
        dispatcher.set_state(&envelope.session.id, state.clone());
        runtime.block_on(async {
            let firing = dispatcher.fire_with(envelope, observer);
            tokio::pin!(firing);
            tokio::select! {
                fired = &mut firing => fired,
                () = asked_to_end.as_mut() => {
                    *ending = true;
                    cancel.cancel();
                    firing.await
                }
            }
        })
    }

    /// Waits for those nobody waited for, and tells of each as it ends.
    pub(crate) fn rest(self, mut told: impl FnMut(&Late)) {
        let Running { runtime, dispatcher, mut late, mut asked_to_end, mut ending, .. } = self;
        runtime.block_on(async {
            if ending {
                dispatcher.close_all();
            }
            loop {
                tokio::select! {
                    biased;
                    () = asked_to_end.as_mut(), if !ending => {
                        ending = true;
                        dispatcher.close_all();
                    }
                    Some(ended) = late.recv() => told(&ended),
                    () = dispatcher.quiet() => break,
                }
            }
            while let Ok(ended) = late.try_recv() {
                told(&ended);
            }
        });
    }
}

/// Listens from now on; ready when this process is asked to end.
#[cfg(unix)]
fn asked_to_end() -> impl Future<Output = ()> {
    use std::task::Poll;
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    std::future::poll_fn(move |context| {
        let asked = signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if asked { Poll::Ready(()) } else { Poll::Pending }
    })
}

#[cfg(windows)] // never compiled by us
fn asked_to_end() -> impl Future<Output = ()> {
    let signal = tokio::signal::windows::ctrl_c();
    async {
        match signal {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    }
}
