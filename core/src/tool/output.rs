//! What a tool returned.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::{Json, Text, record::record};

/// What a tool returned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolOutput {
    /// Of a shell command.
    Shell(ShellOutput),
    /// Of an MCP tool.
    Mcp(McpOutput),
    /// Text of any other tool.
    Text(Text),
    /// JSON of any other tool.
    Json(Json),
    /// Bytes that are not text; only their size is shown to hooks.
    Binary(Binary),
}

record! {
    /// What came of a shell command.
    ShellOutput {
        ;
        /// Standard output.
        stdout: Text,
        /// Standard error.
        stderr: Text,
        /// Both as they came, where the host has them together.
        combined: Option<Text>,
        /// The exit code, where the shell reported one.
        exit_code: Option<i32>,
        /// Whether it is over.
        state: ShellState,
        /// The host's name for a shell that goes on.
        shell_id: Option<Text>,
        /// Its process id.
        pid: Option<u32>,
        /// The user stopped it.
        interrupted: bool,
        /// What it printed is an image.
        image: bool,
        /// It is meant to print nothing.
        silent: bool,
    }
}

impl ShellOutput {
    /// Both outputs: as they came, else standard output followed by standard error.
    pub fn text(&self) -> Text {
        match &self.combined {
            Some(combined) => combined.clone(),
            None if self.stderr.is_empty() => self.stdout.clone(),
            None if self.stdout.is_empty() => self.stderr.clone(),
            None => self.printed().to_string().into(),
        }
    }

    /// The same, to be written without building it.
    pub fn printed(&self) -> Printed<'_> {
        Printed(self)
    }
}

/// What a shell command printed: [`ShellOutput::text`], written piece by piece.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a>(&'a ShellOutput);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.combined {
            Some(combined) => f.write_str(combined),
            None => {
                f.write_str(&self.0.stdout)?;
                f.write_str(&self.0.stderr)
            }
        }
    }
}

impl Serialize for Printed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.combined {
            Some(combined) => serializer.serialize_str(combined),
            None if self.0.stderr.is_empty() => serializer.serialize_str(&self.0.stdout),
            None => serializer.collect_str(self),
        }
    }
}

/// Whether a shell command is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShellState {
    /// It ended; the output is whole.
    #[default]
    Finished,
    /// A look at a command that goes on.
    Running,
    /// It was put into the background and is not waited for.
    Background,
}

record! {
    /// What an MCP tool returned.
    McpOutput {
        /// The result as the server gave it.
        result: Json,
        ;
        /// The server says that the call failed.
        is_error: bool,
    }
}

record! {
    /// Bytes that are not text.
    Binary {
        /// How many.
        bytes: u64,
        /// Their media type.
        media_type: Text,
        ;
    }
}
