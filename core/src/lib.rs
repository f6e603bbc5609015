//! The vendor-neutral core of Harness Hooks: boundaries, envelopes, capabilities, bindings,
//! effects, and how they become one decision.

pub mod diagnostic;
pub mod matcher;

pub mod answer;
pub mod document;

#[cfg(feature = "testing")]
pub mod testing;

mod adapter;
mod binding;
mod boundary;
mod capability;
mod decision;
mod effects;
mod envelope;
mod event;
mod explain;
mod fidelity;
mod firing;
mod host;
mod invocation;
mod json;
mod merge;
mod outcome;
mod payload;
mod record;
mod snapshot;
mod source;
mod state;
mod syntax;
mod tool;
mod value;

pub use adapter::{Adapter, Asked, Misfit, Occasion, ReadError, Reading};
pub use binding::{Binding, BindingId, FailureMode, Handler, Standing};
pub use boundary::{Boundary, Facet, Moment};
pub use capability::Capabilities;
pub use decision::{Action, Circumstances, Conflict, Continue, Decision, Part, resolve};
pub use diagnostic::{Diagnostic, Place, Severity};
pub use effects::{
    Continuation, Effects, EnvReader, EnvWish, Extra, Halt, HaltScope, InputRewrite, ResultRewrite, Unsupported,
    Verdict,
};
pub use envelope::{Agent, Envelope, EnvelopeError, Session, Turn};
pub use event::{Control, EventId, EventSpec};
pub use explain::{Skipped, Why};
pub use fidelity::{Departure, Fidelity};
pub use firing::{Fired, Firing, Stage};
pub use host::{Host, Machine, Support};
pub use invocation::{Invocation, Launch, Process, Stdin};
pub use matcher::{Dialect, Matcher, Pattern, PatternError, Targets, Tested};
pub use merge::Merged;
pub use outcome::{Exit, Outcome};
pub use payload::{
    AgentResponse, AgentThought, Attachment, AttachmentKind, CompactBefore, CompactTrigger, FailureKind, FileRead,
    Other, Payload, PromptOrigin, PromptSubmit, SessionEnd, SessionStart, StartSource, SubagentStart, SubagentStop,
    Tokens, ToolBefore, ToolDenied, ToolFailure, ToolResult, TurnStop, WorkEnd,
};
pub use snapshot::{RefusedSource, Snapshot, SourceReport, Status};
pub use source::{Document, Dropped, Files, Parsed, Places, Platform, Scope, Source, Vendor};
pub use state::{Change, Continuations, SessionState};
pub use tool::{
    Binary, Delete, Edit, Glob, Grep, List, Mcp, McpOutput, McpResource, Patch, Read, Shell, ShellOutput, ShellState,
    Task, TextEdit, Tool, ToolCall, ToolOutput, WebFetch, WebSearch, Write,
};
pub use value::{By, Decimal, Fields, Json, Text, cleaned};
