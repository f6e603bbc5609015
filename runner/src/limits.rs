//! How much of everything a hook may take. Not how long it may run: that is the invocation's.

use std::time::Duration;

/// How much of everything a hook may take.
///
/// ```
/// use std::time::Duration;
/// use harness_hooks_runner::Limits;
/// let limits = Limits::default().concurrency(8).grace(Duration::from_millis(500));
/// assert_eq!(limits.stdout_bytes, 16 * 1024 * 1024);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many processes and requests of a dispatcher run side by side, over all its firings; 64
    /// by default, at least 1. Calls of the host are the host's to limit.
    pub concurrency: usize,
    /// How many hooks of a dispatcher that nobody waits for run side by side, beside the others; 8
    /// by default, at least 1.
    pub background: usize,
    /// How many more of those wait for a place; 256 by default. What comes then is not started.
    pub background_waiting: usize,
    /// How many bytes of standard output, of an answer, or of a scratch file are kept; 16 MiB by
    /// default. What comes after on standard output is read and thrown away. More than this makes
    /// the outcome truncated.
    pub stdout_bytes: usize,
    /// How many bytes of standard error are kept; 16 MiB by default. What comes after is read and
    /// thrown away.
    pub stderr_bytes: usize,
    /// How long the pipes of a hook that ended are read while a child of its holds them open; 2 s
    /// by default. Then the outcome is leaked, with what was read so far.
    pub grace: Duration,
    /// How long a hook that timed out or was cancelled has between TERM and KILL; 2 s by default.
    /// On Windows there is no TERM and it is killed at once.
    pub kill_grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        Limits {
            concurrency: 64,
            background: 8,
            background_waiting: 256,
            stdout_bytes: 16 * MIB,
            stderr_bytes: 16 * MIB,
            grace: Duration::from_secs(2),
            kill_grace: Duration::from_secs(2),
        }
    }
}

impl Limits {
    /// How many hooks run side by side.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency;
        self
    }

    /// How many hooks that nobody waits for run side by side.
    pub fn background(mut self, background: usize) -> Self {
        self.background = background;
        self
    }

    /// How many more of those wait for a place.
    pub fn background_waiting(mut self, waiting: usize) -> Self {
        self.background_waiting = waiting;
        self
    }

    /// How many bytes of standard output are kept.
    pub fn stdout_bytes(mut self, bytes: usize) -> Self {
        self.stdout_bytes = bytes;
        self
    }

    /// How many bytes of standard error are kept.
    pub fn stderr_bytes(mut self, bytes: usize) -> Self {
        self.stderr_bytes = bytes;
        self
    }

    /// How long the pipes of a hook that ended are read.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How long a hook has between TERM and KILL.
    pub fn kill_grace(mut self, grace: Duration) -> Self {
        self.kill_grace = grace;
        self
    }
}
