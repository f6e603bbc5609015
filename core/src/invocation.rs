//! A binding about to run: its standard input and what to start.

use std::{collections::BTreeMap, fmt, ops::Deref, path::PathBuf, sync::Arc, time::Duration};

use crate::{Binding, Text};

/// Standard input. Encoded once per vendor and event, shared by every binding of it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Stdin(Arc<Vec<u8>>); // not Arc<[u8]>: from a Vec that would copy 10 MiB

impl From<Vec<u8>> for Stdin {
    fn from(bytes: Vec<u8>) -> Self {
        Stdin(Arc::new(bytes))
    }
}

impl Deref for Stdin {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Stdin {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Stdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stdin({} bytes)", self.len())
    }
}

/// What to start.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Launch {
    /// A process.
    Process(Process),
    /// Nothing: it cannot be started, and this is why. It counts as
    /// [`Exit::NotStarted`](crate::Exit::NotStarted).
    Refused(Text),
}

/// A process to start, with [`Invocation::stdin`] on its standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Process {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Variables over those the host lets through.
    pub env: BTreeMap<String, String>,
}

impl Process {
    /// A program without variables of its own.
    pub fn new(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = impl Into<String>>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Process {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            env: BTreeMap::new(),
        }
    }

    /// Sets a variable.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }
}

/// A binding about to run for an envelope.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Invocation {
    /// The binding.
    pub binding: Arc<Binding>,
    /// Its standard input.
    pub stdin: Stdin,
    /// What to start.
    pub launch: Launch,
    /// How long it may run, counted from its start.
    pub timeout: Duration,
    pub(crate) ticket: Ticket,
}

/// Which invocation of which firing it is.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    /// The firing: the same allocation for all of its invocations.
    pub(crate) firing: Arc<()>,
    /// Counted in binding order, through all stages.
    pub(crate) number: usize,
}

impl Invocation {
    /// One that no firing planned, for those who write their own runners and tests. A firing that
    /// is told of it learns nothing.
    pub fn new(binding: Arc<Binding>, stdin: impl Into<Stdin>, launch: Launch, timeout: Duration) -> Self {
        Invocation { binding, stdin: stdin.into(), launch, timeout, ticket: Ticket { firing: Arc::new(()), number: 0 } }
    }
}
