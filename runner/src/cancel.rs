//! The token by which a host gives hooks up. What happens to their processes then is `run`'s.

use std::{future::pending, sync::Arc};

use tokio::sync::watch;

/// Gives hooks up, once and for good. Clones are the same token.
///
/// ```
/// use harness_hooks_runner::Cancel;
/// let cancel = Cancel::new();
/// let shared = cancel.clone();
/// cancel.cancel();
/// assert!(shared.is_cancelled());
/// ```
#[derive(Clone, Debug)]
pub struct Cancel(Option<Arc<watch::Sender<bool>>>);

impl Cancel {
    /// A token nobody has cancelled yet.
    #[expect(clippy::new_without_default, reason = "a default could as well be the one that never cancels")]
    pub fn new() -> Self {
        Cancel(Some(Arc::new(watch::Sender::new(false))))
    }

    /// A token for what is never given up; cancelling it does nothing.
    pub const fn never() -> Self {
        Cancel(None)
    }

    /// Gives up everything that runs, or will be run, under this token.
    pub fn cancel(&self) {
        if let Some(sender) = &self.0 {
            sender.send_replace(true);
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|sender| *sender.borrow())
    }

    /// Waits until it is cancelled.
    pub async fn cancelled(&self) {
        if let Some(sender) = &self.0
            && sender.subscribe().wait_for(|cancelled| *cancelled).await.is_ok()
        {
            return;
        }
        pending::<()>().await;
    }
}
