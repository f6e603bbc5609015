//! Where hooks may run: the one list of dotted names, the facets of tool calls, and the moments an
//! event of a vendor happens at. What happens there is the payload's.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! boundaries {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A point in the host's agent loop where hooks may run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Boundary {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Boundary {
            /// Every boundary, in the order of a session.
            pub const ALL: &'static [Boundary] = &[$(Boundary::$variant),*];

            /// The dotted name used in JSON, on the command line and in documents.
            pub const fn name(self) -> &'static str {
                match self { $(Boundary::$variant => $name),* }
            }
        }
    };
}

boundaries! {
    /// A session begins.
    SessionStart = "session.start",
    /// A session ends.
    SessionEnd = "session.end",
    /// A workspace is opened, or its set of folders changes.
    WorkspaceOpen = "workspace.open",
    /// A prompt is about to be sent.
    PromptSubmit = "prompt.submit",
    /// The model wants to run a tool.
    ToolBefore = "tool.before",
    /// A tool call was refused before it ran.
    ToolDenied = "tool.denied",
    /// A tool ran and returned, whatever its success.
    ToolResult = "tool.result",
    /// A tool never returned: it threw, timed out, was cancelled, or its arguments were bad.
    ToolFailure = "tool.failure",
    /// A file's content is about to reach the model.
    FileRead = "file.read",
    /// The agent loop ends.
    TurnStop = "turn.stop",
    /// A message of the model is complete.
    AgentResponse = "agent.response",
    /// A thinking block of the model is complete.
    AgentThought = "agent.thought",
    /// A subagent is about to start.
    SubagentStart = "subagent.start",
    /// A subagent ended.
    SubagentStop = "subagent.stop",
    /// The conversation is about to be compacted.
    CompactBefore = "compact.before",
    /// An inline completion is about to read a file.
    TabRead = "tab.read",
    /// An inline completion edited a file.
    TabEdit = "tab.edit",
}

impl Boundary {
    /// Something is about to happen that a refusal here prevents. A wish the host cannot carry out
    /// is a refusal at these, because the operation would otherwise run as the hook did not want
    /// it.
    pub const fn precedes_operation(self) -> bool {
        matches!(self, Boundary::ToolBefore | Boundary::FileRead | Boundary::SubagentStart | Boundary::TabRead)
    }

    /// A hook can keep what happens from happening: an operation, or the sending of a prompt.
    pub const fn can_be_refused(self) -> bool {
        self.precedes_operation() || matches!(self, Boundary::PromptSubmit)
    }

    /// The boundary of this dotted name.
    pub fn from_name(name: &str) -> Option<Boundary> {
        Boundary::ALL.iter().copied().find(|boundary| boundary.name() == name)
    }
}

impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What kind of tool call a boundary is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Facet {
    /// A shell command.
    Shell,
    /// A call of an MCP tool.
    Mcp,
    /// A call that writes a file.
    FileEdit,
}

impl Facet {
    /// The name used in JSON and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Facet::Shell => "shell",
            Facet::Mcp => "mcp",
            Facet::FileEdit => "file_edit",
        }
    }
}

/// Where an event happens: a boundary, or only its part about one facet, and a stage. Stages of a
/// boundary run one after another, lowest first; a later one sees what an earlier one rewrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment {
    /// The boundary.
    pub boundary: Boundary,
    /// Only calls of this facet; `None` means all.
    pub facet: Option<Facet>,
    /// The stage. Vendors leave gaps so that others fit between.
    pub stage: u16,
}

impl Moment {
    /// Stage 0 of a boundary, whatever the facet.
    pub const fn of(boundary: Boundary) -> Self {
        Moment { boundary, facet: None, stage: 0 }
    }

    /// Only calls of this facet.
    pub const fn facet(mut self, facet: Facet) -> Self {
        self.facet = Some(facet);
        self
    }

    /// At this stage.
    pub const fn stage(mut self, stage: u16) -> Self {
        self.stage = stage;
        self
    }
}

/// `tool.before/shell@100`: boundary, facet, stage where it is not 0.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.boundary.name())?;
        if let Some(facet) = self.facet {
            write!(f, "/{}", facet.name())?;
        }
        if self.stage > 0 {
            write!(f, "@{}", self.stage)?;
        }
        Ok(())
    }
}
