//! The vendor-neutral core of Harness Hooks: what happens in an agent runtime, which hooks of its
//! users are about it, what they asked for, and the one decision that makes.
//!
//! # The flow
//!
//! 1. [`Snapshot::load`] reads the documents in [`Places`] through each vendor's [`Adapter`]; the
//!    [`Host`] says what the runtime fires and can carry out.
//! 2. An occurrence is an [`Envelope`], and [`Snapshot::begin`] makes a [`Firing`] of it.
//! 3. [`Firing::next_stage`] plans the hooks that run side by side: an [`Invocation`] for each.
//! 4. Whoever drives it runs them, and says what came back with [`Firing::report`], in any order.
//! 5. [`Firing::finish`] merges what they asked for into a [`Decision`], and says what it leaves
//!    behind for the session.
//!
//! This crate starts nothing, reads no disk but through [`Files`], has no clock, and knows no rule
//! of a vendor. Adapters are crates of their own (`harness-hooks-cursor`,
//! `harness-hooks-claude`, `harness-hooks-codex`). Processes, and a
//! dispatcher that does steps 2 to 5 in one call, are in `harness-hooks-runner`.
//!
//! ```
//! use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
//!
//! use harness_hooks_core::{
//!     Action, Boundary, Envelope, Exit, Host, Outcome, Places, SessionState, Snapshot,
//! };
//! use harness_hooks_cursor::Cursor;
//!
//! // a map in the place of a disk
//! let document = br#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "./guard.sh"}]}}"#;
//! let files = BTreeMap::from([(PathBuf::from("/project/.cursor/hooks.json"), document.to_vec())]);
//! let places = Places::new("/project").trusted(true);
//! let host = Host::new("Acme", "1.4").fires([Boundary::ToolBefore]);
//! let snapshot = Snapshot::load(vec![Arc::new(Cursor::new())], host, &places, &files);
//! assert!(snapshot.diagnostics().is_empty());
//!
//! let envelope = Envelope::read(
//!     br#"{
//!         "id": "e1", "at_ms": 0, "session": {"id": "s1", "cwd": "/project"},
//!         "payload": {"tool.before": {
//!             "call": {"id": "c1", "host_name": "terminal", "tool": {"shell": {"command": "rm -rf /"}}}
//!         }}
//!     }"#,
//! )?;
//!
//! let mut firing = snapshot.begin(&envelope, SessionState::new());
//! while let Some(stage) = firing.next_stage() {
//!     for invocation in &stage.invocations {
//!         // a host runs `invocation.launch` here, with `invocation.stdin` on its standard input
//!         let outcome = Outcome::new(Exit::Code(0)).stdout(r#"{"permission": "deny"}"#);
//!         firing.report(invocation, &outcome);
//!     }
//! }
//! let fired = firing.finish();
//! assert_eq!(fired.decision.action, Action::Deny);
//! assert_eq!(fired.decision.reasons[0].by.vendor(), "cursor");
//! # Ok::<(), harness_hooks_core::EnvelopeError>(())
//! ```
//!
//! # The types
//!
//! - **What a host says of itself:** [`Host`], [`Machine`], [`Support`], [`Capabilities`], and where
//!   to look: [`Places`], [`Platform`], [`Files`].
//! - **What happens:** [`Envelope`] with its [`Session`], [`Turn`] and [`Agent`]; a [`Payload`] for
//!   each [`Boundary`]; a [`ToolCall`] with its [`Tool`], and a [`ToolOutput`].
//! - **What is configured:** [`Snapshot`], [`Source`], [`SourceReport`], [`RefusedSource`],
//!   [`Binding`] with its [`Matcher`], [`Condition`], [`Handler`], [`Standing`] and [`FailureMode`];
//!   what its author should know: [`Diagnostic`].
//! - **What runs:** [`Firing`], [`Stage`], [`Invocation`], [`Launch`]: a [`Process`], a request
//!   ([`Http`]) or a [`HostCall`]; [`Outcome`], [`Exit`]; what does not, and why: [`Skipped`], [`Why`].
//! - **What hooks asked for:** [`Effects`]: a [`Verdict`], [`Halt`], [`Continuation`],
//!   [`InputRewrite`], [`ResultRewrite`], [`EnvWish`], [`Extra`]; together [`Merged`].
//! - **What is decided:** [`Fired`], [`Decision`], [`Action`], [`Conflict`], by [`resolve`] alone.
//!   Each part says [by](By) whom.
//! - **What stays for the session:** [`SessionState`], [`Change`].
//! - **What an adapter is made of:** [`Adapter`], [`Vendor`], [`EventSpec`], [`Moment`], [`Facet`],
//!   [`Parsed`], [`Targets`], [`Occasion`], [`Asked`], [`Reading`]; how close it keeps to its vendor's
//!   program: [`Fidelity`], [`Departure`]. [`document`] and [`answer`] read JSON with places,
//!   [`object`] reads and writes it key by key, [`matcher`] tests patterns, [`shell`] hands a line to
//!   PowerShell, [`template`] fills in arguments; the feature `testing` has a conformance kit.

pub mod diagnostic;
pub mod matcher;

pub mod answer;
pub mod document;
pub mod object;
pub mod shell;
pub mod template;

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
mod plain;
mod planner;
mod record;
mod room;
mod snapshot;
mod source;
mod state;
mod syntax;
mod tool;
mod value;

pub use adapter::{Adapter, Asked, Misfit, Occasion, ReadError, Reading};
pub use binding::{Background, Binding, BindingId, Condition, FailureMode, Handler, Question, Standing};
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
pub use firing::{Fired, Firing, Preview, Stage};
pub use host::{Host, Machine, Support};
pub use invocation::{HostCall, Http, Invocation, Launch, Process, Stdin};
pub use matcher::{Dialect, Matcher, Pattern, PatternError, Targets, Tested};
pub use merge::Merged;
pub use outcome::{Exit, Outcome, Scratch};
pub use payload::{
    AgentResponse, AgentThought, Attachment, AttachmentKind, BackgroundTask, CompactAfter, CompactBefore,
    CompactTrigger, FailureKind, FileFacts, FileRead, Hunk, Other, Payload, PromptOrigin, PromptSubmit, Schedule,
    SessionEnd, SessionStart, StartSource, SubagentStart, SubagentStop, Tokens, ToolBefore, ToolDenied, ToolFailure,
    ToolPermission, ToolResult, TurnStop, WorkEnd,
};
pub use snapshot::{RefusedSource, Snapshot, SourceReport, Status};
pub use source::{
    Document, Dropped, Files, Parsed, Places, Platform, Scope, SessionDocument, Source, Vendor, unguarded,
};
pub use state::{Change, Continuations, SessionState};
pub use tool::{
    Binary, Delete, Edit, Glob, Grep, List, Mcp, McpOutput, McpResource, Patch, Printed, Read, Shell, ShellOutput,
    ShellState, Task, TextEdit, Tool, ToolCall, ToolOutput, WebFetch, WebSearch, Write,
};
pub use value::{By, Decimal, Fields, Json, Text, cleaned};
