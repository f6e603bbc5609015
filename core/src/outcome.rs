//! What came back from an invocation, before any vendor's rule reads it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It ran longer than it might.
    TimedOut,
    /// The host gave it up.
    Cancelled,
    /// It never ran, or how it ended cannot be found out; why, in a sentence a person can act on.
    NotStarted(String),
    /// It was asked and gave no answer: a server that refused, a call the host could not make; why,
    /// in a clause after "it".
    Failed(String),
}

impl Exit {
    /// What a shell means by its exit code, where it means something.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Exit::Code(126) => Some("a shell exits with 126 when it finds a command and may not execute it"),
            Exit::Code(127) => Some(
                "a shell exits with 127 when it does not find a command; is it in PATH, and the path right from where the hook runs?",
            ),
            _ => None,
        }
    }
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// How it ended.
    pub exit: Exit,
    /// Standard output, at most the runner's cap.
    pub stdout: Vec<u8>,
    /// Standard error, at most the runner's cap.
    pub stderr: Vec<u8>,
    /// There was more standard output than the cap.
    pub stdout_truncated: bool,
    /// A child kept its pipes open after it ended, so that there may have been more.
    pub leaked: bool,
    /// How long it ran, in milliseconds.
    pub elapsed_ms: u64,
    /// What it wrote into the file it was given.
    pub scratch: Option<Scratch>,
}

impl Outcome {
    /// It ended like this and printed nothing.
    pub fn new(exit: Exit) -> Self {
        Outcome {
            exit,
            stdout: Vec::new(),
            stderr: Vec::new(),
            stdout_truncated: false,
            leaked: false,
            elapsed_ms: 0,
            scratch: None,
        }
    }

    /// It printed this on standard output.
    pub fn stdout(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdout = bytes.into();
        self
    }

    /// It printed this on standard error.
    pub fn stderr(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stderr = bytes.into();
        self
    }

    /// Its standard output was cut off.
    pub fn truncated(mut self, truncated: bool) -> Self {
        self.stdout_truncated = truncated;
        self
    }

    /// A child kept its pipes open.
    pub fn leaked(mut self, leaked: bool) -> Self {
        self.leaked = leaked;
        self
    }

    /// It ran this long.
    pub fn elapsed_ms(mut self, elapsed_ms: u64) -> Self {
        self.elapsed_ms = elapsed_ms;
        self
    }

    /// What it wrote into the file it was given.
    pub fn scratch(mut self, scratch: impl Into<Option<Scratch>>) -> Self {
        self.scratch = scratch.into();
        self
    }
}

/// A file that was given to a hook, as the hook left it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scratch {
    /// Where it is, for as long as the session lasts.
    pub path: PathBuf,
    /// What is in it, at most the runner's cap.
    pub bytes: Vec<u8>,
}

impl Scratch {
    /// A file with what is in it.
    pub fn new(path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        Scratch { path: path.into(), bytes: bytes.into() }
    }
}
