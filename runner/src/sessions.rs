//! What is kept of each session: what its hooks left behind for those to come, the files they were
//! given, and the token that ends those nobody waits for.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use harness_hooks_core::{Change, SessionState};

use crate::{Cancel, scratch::Folder};

/// The sessions that are not closed.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, Session>>);

/// What a session's hooks share beside its state. It stays whole after the session was closed: its
/// token is cancelled then, and its folder gone.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    pub(crate) folder: Arc<Folder>,
    pub(crate) closed: Cancel,
}

#[derive(Debug)]
struct Session {
    state: SessionState,
    common: Common,
}

impl Session {
    fn new(state: SessionState) -> Self {
        Session { state, common: Common { folder: Arc::default(), closed: Cancel::new() } }
    }
}

/// Whatever ends a session, nothing of it stays.
impl Drop for Session {
    fn drop(&mut self) {
        self.common.closed.cancel();
        self.common.folder.remove();
    }
}

impl Sessions {
    /// A session as a firing begins, which it does with its first.
    pub(crate) fn begin(&self, session: &str) -> (SessionState, Common) {
        let mut sessions = self.lock();
        let session = sessions.entry(session.to_owned()).or_insert_with(|| Session::new(SessionState::default()));
        (session.state.clone(), session.common.clone())
    }

    pub(crate) fn state(&self, session: &str) -> SessionState {
        self.lock().get(session).map(|session| session.state.clone()).unwrap_or_default()
    }

    pub(crate) fn set_state(&self, session: &str, state: SessionState) {
        let mut sessions = self.lock();
        match sessions.get_mut(session) {
            Some(known) => known.state = state,
            None => drop(sessions.insert(session.to_owned(), Session::new(state))),
        }
    }

    /// Unless the session was closed meanwhile, also if another of its name began since.
    pub(crate) fn apply(&self, session: &str, common: &Common, change: Change) {
        if let Some(session) = self.lock().get_mut(session)
            && !common.closed.is_cancelled()
        {
            session.state.apply(change);
        }
    }

    pub(crate) fn close(&self, session: &str) {
        let closed = self.lock().remove(session);
        drop(closed); // not under the lock: it removes files
    }

    pub(crate) fn close_all(&self) {
        let closed = std::mem::take(&mut *self.lock());
        drop(closed);
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// What is behind the lock is whole at every moment, so that a panic elsewhere spoils nothing.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
