//! A binding about to run: its standard input and what to start.

use std::{collections::BTreeMap, fmt, ops::Deref, path::PathBuf, sync::Arc, time::Duration};

use crate::{Binding, Json, Text};

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
    /// A request.
    Http(Http),
    /// A call only the host can make.
    Call(HostCall),
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
    /// Where it runs instead if there is no directory `cwd` any more: in the first of these that is
    /// there. Where none is, it does not start.
    pub instead: Vec<PathBuf>,
    /// Variables over those the host lets through.
    pub env: BTreeMap<String, String>,
    /// The variable that holds the path of an empty file of its own, where it is given one. Only its
    /// owner may read the file; what the hook wrote there is [`Outcome::scratch`](crate::Outcome::scratch).
    pub scratch: Option<String>,
}

/// A request to send: a POST of `application/json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Http {
    /// The address.
    pub url: String,
    /// Further headers.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Http {
    /// A request without further headers.
    pub fn new(url: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Http { url: url.into(), headers: BTreeMap::new(), body: body.into() }
    }

    /// Sets a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }
}

/// A call the host makes for a hook. What comes back is an outcome like any other: the answer as
/// standard output, at exit code 0.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HostCall {
    /// A tool of an MCP server; the answer is the text of its result.
    McpTool {
        /// The server.
        server: Text,
        /// The tool.
        tool: Text,
        /// Its arguments.
        input: Json,
    },
    /// A question to a model, without tools; the answer is what it says.
    Prompt {
        /// The question.
        prompt: Text,
        /// The model; the host's choice where it is not said.
        model: Option<Text>,
    },
    /// Work for an agent; the answer is what it says last.
    Agent {
        /// The work.
        prompt: Text,
        /// The model; the host's choice where it is not said.
        model: Option<Text>,
    },
}

impl HostCall {
    /// What it is, in the words of definitions.
    pub const fn kind(&self) -> &'static str {
        match self {
            HostCall::McpTool { .. } => "mcp_tool",
            HostCall::Prompt { .. } => "prompt",
            HostCall::Agent { .. } => "agent",
        }
    }
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
            instead: Vec::new(),
            env: BTreeMap::new(),
            scratch: None,
        }
    }

    /// Directories that stand in for a working directory that is gone, the first that is there
    /// before the others.
    pub fn instead(mut self, directories: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.instead = directories.into_iter().map(Into::into).collect();
        self
    }

    /// The variable that holds the path of a file of its own.
    pub fn scratch(mut self, variable: impl Into<String>) -> Self {
        self.scratch = Some(variable.into());
        self
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
    /// How long it may run, counted from the start of its stage; whichever ends first.
    pub budget: Option<Duration>,
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
        let ticket = Ticket { firing: Arc::new(()), number: 0 };
        Invocation { binding, stdin: stdin.into(), launch, timeout, budget: None, ticket }
    }
}
