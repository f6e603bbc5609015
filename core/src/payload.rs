//! What happens at a boundary: one struct for each that carries something of its own.

use std::{fmt, path::PathBuf};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{EnumAccess, Error, VariantAccess, Visitor},
};

use crate::{Boundary, Decimal, Facet, Json, Text, ToolCall, ToolOutput, record::record};

macro_rules! payloads {
    ($($variant:ident,)*) => {
        /// What happens, tagged from outside with the boundary's name (`{"tool.before": {…}}`):
        /// the only form that is read without buffering, so that raw JSON and large texts pass
        /// through.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Payload {
            $(#[doc = concat!("At [`Boundary::", stringify!($variant), "`].")] $variant($variant),)*
            /// At a boundary that only one vendor has hooks for.
            Other(Other),
        }

        impl Payload {
            /// The boundary it belongs to.
            pub const fn boundary(&self) -> Boundary {
                match self {
                    $(Payload::$variant(_) => Boundary::$variant,)*
                    Payload::Other(other) => other.boundary,
                }
            }
        }

        impl Serialize for Payload {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let name = self.boundary().name();
                match self {
                    $(Payload::$variant(payload) => serializer.serialize_newtype_variant("Payload", 0, name, payload),)*
                    Payload::Other(other) => serializer.serialize_newtype_variant("Payload", 0, name, &other.fields),
                }
            }
        }

        impl<'de> Visitor<'de> for PayloadVisitor {
            type Value = Payload;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with one key, the boundary's name")
            }
            fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Payload, A::Error> {
                let (Name(boundary), payload) = data.variant()?;
                match boundary {
                    $(Boundary::$variant => payload.newtype_variant().map(Payload::$variant),)*
                    boundary => Ok(Payload::Other(Other { boundary, fields: payload.newtype_variant()? })),
                }
            }
        }

        $(impl From<$variant> for Payload {
            fn from(payload: $variant) -> Self {
                Payload::$variant(payload)
            }
        })*
    };
}

payloads! {
    SessionStart,
    SessionEnd,
    PromptSubmit,
    ToolBefore,
    ToolPermission,
    ToolDenied,
    ToolResult,
    ToolFailure,
    FileRead,
    TurnStop,
    AgentResponse,
    AgentThought,
    SubagentStart,
    SubagentStop,
    CompactBefore,
    CompactAfter,
}

struct PayloadVisitor;

/// A boundary as a key. Read as an identifier, it is part of the pointer of an error.
struct Name(Boundary);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Known;
        impl Visitor<'_> for Known {
            type Value = Name;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a boundary")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Name, E> {
                let unknown = || E::custom(format_args!("there is no boundary `{name}`"));
                Boundary::from_name(name).map(Name).ok_or_else(unknown)
            }
        }
        deserializer.deserialize_identifier(Known)
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum("Payload", &[], PayloadVisitor)
    }
}

impl From<Other> for Payload {
    fn from(other: Other) -> Self {
        Payload::Other(other)
    }
}

impl Payload {
    /// The tool call it is about, if it is about one.
    pub fn call(&self) -> Option<&ToolCall> {
        match self {
            Payload::ToolBefore(payload) => Some(&payload.call),
            Payload::ToolPermission(payload) => Some(&payload.call),
            Payload::ToolDenied(payload) => Some(&payload.call),
            Payload::ToolResult(payload) => Some(&payload.call),
            Payload::ToolFailure(payload) => Some(&payload.call),
            _ => None,
        }
    }

    /// The call a rewrite may still change: only before it runs.
    pub(crate) fn pending_call(&self) -> Option<&ToolCall> {
        match self {
            Payload::ToolBefore(payload) => Some(&payload.call),
            Payload::ToolPermission(payload) => Some(&payload.call),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn pending_call_mut(&mut self) -> Option<&mut ToolCall> {
        match self {
            Payload::ToolBefore(payload) => Some(&mut payload.call),
            Payload::ToolPermission(payload) => Some(&mut payload.call),
            _ => None,
        }
    }

    /// What the tool returned, if it did.
    pub fn output(&self) -> Option<&ToolOutput> {
        match self {
            Payload::ToolResult(payload) => Some(&payload.output),
            _ => None,
        }
    }

    /// What kind of subagent starts or ended.
    pub fn agent_kind(&self) -> Option<&Text> {
        match self {
            Payload::SubagentStart(payload) => Some(&payload.kind),
            Payload::SubagentStop(payload) => Some(&payload.kind),
            _ => None,
        }
    }

    /// Who asked for the compaction that is about to happen or did.
    pub fn compact_trigger(&self) -> Option<CompactTrigger> {
        match self {
            Payload::CompactBefore(payload) => Some(payload.trigger),
            Payload::CompactAfter(payload) => Some(payload.trigger),
            _ => None,
        }
    }

    /// The kind of tool call it is about.
    pub fn facet(&self) -> Option<Facet> {
        self.call().and_then(ToolCall::facet)
    }
}

/// What happens at a boundary that only one vendor has hooks for, in fields of that vendor's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Other {
    /// The boundary.
    pub boundary: Boundary,
    /// An object; its keys reach the hook as they are.
    pub fields: Json,
}

impl Other {
    /// Fields at a boundary.
    pub fn new(boundary: Boundary, fields: impl Into<Json>) -> Self {
        Other { boundary, fields: fields.into() }
    }
}

record! {
    /// A session begins.
    SessionStart {
        ;
        /// Why.
        source: StartSource,
        /// Nobody watches it.
        background: bool,
        /// The host's mode of work (`agent`, `ask`, …).
        mode: Option<Text>,
        /// How long the conversation rested, in seconds.
        idle_seconds: Option<Decimal>,
        /// How many tokens of context it holds.
        context_tokens: Option<u64>,
        /// What the model provider kept of it in a cache is likely gone.
        cache_expired: Option<bool>,
        /// What writing that cache anew will cost, in US dollars.
        cache_write_usd: Option<Decimal>,
    }
}

/// Why a session begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StartSource {
    /// A new conversation.
    #[default]
    Startup,
    /// An old one goes on.
    Resume,
    /// The user emptied it.
    Clear,
    /// It was compacted.
    Compact,
    /// It was copied from another.
    Fork,
}

impl StartSource {
    /// The word used in JSON, and by every vendor.
    pub const fn name(self) -> &'static str {
        match self {
            StartSource::Startup => "startup",
            StartSource::Resume => "resume",
            StartSource::Clear => "clear",
            StartSource::Compact => "compact",
            StartSource::Fork => "fork",
        }
    }
}

record! {
    /// A session ends.
    SessionEnd {
        /// Why, in the host's words.
        reason: Text,
        ;
        /// How long it lasted, in milliseconds.
        duration_ms: Option<Decimal>,
        /// Nobody watched it.
        background: bool,
        /// What went wrong, if something did.
        error: Option<Text>,
    }
}

record! {
    /// A prompt is about to be sent.
    PromptSubmit {
        /// Its text.
        prompt: Text,
        ;
        /// Files and rules sent with it.
        attachments: Vec<Attachment>,
        /// Who caused it.
        origin: PromptOrigin,
        /// What caused it, in the host's words.
        cause: Option<Text>,
    }
}

/// Who caused a prompt. Only a user's starts the count of continuations anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PromptOrigin {
    /// A person, or a program in a person's place.
    #[default]
    User,
    /// The host itself.
    Host,
}

record! {
    /// A file or a rule sent with a prompt.
    Attachment {
        /// Which of the two.
        kind: AttachmentKind,
        /// Where it is.
        path: PathBuf,
        ;
    }
}

/// What an attachment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttachmentKind {
    /// A file.
    File,
    /// A rule of the workspace.
    Rule,
}

record! {
    /// The model wants to run a tool.
    ToolBefore {
        /// The call.
        call: ToolCall,
        ;
    }
}

record! {
    /// The user is about to be asked whether a tool may run.
    ToolPermission {
        /// The call.
        call: ToolCall,
        ;
        /// What the user could allow once and for all, in the host's words.
        suggestions: Option<Json>,
    }
}

record! {
    /// A tool call was refused before it ran.
    ToolDenied {
        /// The call.
        call: ToolCall,
        /// Why.
        reason: Text,
        ;
    }
}

record! {
    /// A tool ran and returned, whatever its success.
    ToolResult {
        /// The call.
        call: ToolCall,
        /// What it returned.
        output: ToolOutput,
        ;
        /// What the host knows of the file it read or changed.
        file: Option<FileFacts>,
        /// How long it took, in milliseconds.
        duration_ms: Option<Decimal>,
    }
}

record! {
    /// What a host knows of a file that a tool read or changed.
    FileFacts {
        ;
        /// How many lines it has.
        total_lines: Option<u64>,
        /// Its text before the change; absent where there was no file.
        original: Option<Text>,
        /// What changed.
        hunks: Vec<Hunk>,
        /// The user changed what the model wanted to write.
        user_modified: bool,
        /// The model has not seen what it holds now.
        unseen: Option<bool>,
    }
}

record! {
    /// Lines of a file before and after a change, as a unified diff has them.
    Hunk {
        /// The first line it is about, before.
        old_start: u64,
        /// How many lines, before.
        old_lines: u64,
        /// The first line it is about, after.
        new_start: u64,
        /// How many lines, after.
        new_lines: u64,
        /// The lines, each with ` `, `-` or `+` in front.
        lines: Vec<Text>,
        ;
    }
}

record! {
    /// A tool never returned.
    ToolFailure {
        /// The call.
        call: ToolCall,
        /// What happened, for a person.
        error: Text,
        ;
        /// What happened, for a program.
        kind: FailureKind,
        /// Who or what cancelled it.
        cancellation: Option<Text>,
        /// How long it took, in milliseconds.
        duration_ms: Option<Decimal>,
    }
}

/// Why a tool never returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// It threw.
    #[default]
    Error,
    /// It took too long.
    Timeout,
    /// It was interrupted.
    Cancelled,
    /// Its arguments were not what it takes.
    BadArguments,
}

record! {
    /// A file's content is about to reach the model.
    FileRead {
        /// The file.
        path: PathBuf,
        ;
        /// Its text; absent where it is not text.
        content: Option<Text>,
        /// Files and rules that come with it.
        attachments: Vec<Attachment>,
    }
}

record! {
    /// The agent loop ends.
    TurnStop {
        ;
        /// How.
        end: WorkEnd,
        /// What the model said last.
        last_message: Option<Text>,
        /// What it cost.
        tokens: Tokens,
        /// What goes on after it.
        background_tasks: Vec<BackgroundTask>,
        /// What will run later.
        schedules: Vec<Schedule>,
    }
}

record! {
    /// Something that goes on in the background of a conversation.
    BackgroundTask {
        /// Its id.
        id: Text,
        /// What it is: a shell command, a subagent, …, in the host's words.
        kind: Text,
        /// How it is doing, in the host's words.
        status: Text,
        ;
        /// What it is for.
        description: Option<Text>,
        /// The command, where it is one.
        command: Option<Text>,
        /// What kind of agent, where it is one.
        agent_kind: Option<Text>,
        /// The MCP server, where it is a call of one.
        server: Option<Text>,
        /// The MCP tool, where it is a call of one.
        tool: Option<Text>,
        /// What people call it.
        name: Option<Text>,
    }
}

record! {
    /// A prompt that will be sent at set times.
    Schedule {
        /// Its id.
        id: Text,
        /// When, as cron has it.
        schedule: Text,
        /// More than once.
        recurring: bool,
        /// The prompt.
        prompt: Text,
        ;
    }
}

/// How a turn or a subagent ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkEnd {
    /// It did what it was for.
    #[default]
    Completed,
    /// It was stopped.
    Aborted,
    /// It failed.
    Error,
}

/// Tokens used, where they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Tokens {
    /// Read by the model.
    pub input: Option<u64>,
    /// Written by the model.
    pub output: Option<u64>,
    /// Read from a cache.
    pub cache_read: Option<u64>,
    /// Written to a cache.
    pub cache_write: Option<u64>,
}

impl Tokens {
    /// Tokens read and written, nothing known of a cache.
    pub const fn new(input: u64, output: u64) -> Self {
        Tokens { input: Some(input), output: Some(output), cache_read: None, cache_write: None }
    }

    /// Tokens read from and written to a cache.
    pub const fn cache(mut self, read: u64, write: u64) -> Self {
        self.cache_read = Some(read);
        self.cache_write = Some(write);
        self
    }
}

record! {
    /// A message of the model is complete.
    AgentResponse {
        /// The message.
        text: Text,
        ;
        /// What it cost.
        tokens: Tokens,
    }
}

record! {
    /// A thinking block of the model is complete.
    AgentThought {
        /// The thought.
        text: Text,
        ;
        /// How long it took, in milliseconds.
        duration_ms: Option<Decimal>,
    }
}

record! {
    /// A subagent is about to start.
    SubagentStart {
        /// Its id.
        id: Text,
        /// What kind of agent.
        kind: Text,
        /// Its work.
        task: Text,
        ;
        /// The tool call that asks for it.
        call_id: Option<Text>,
        /// The model it runs on.
        model: Option<Text>,
        /// It runs beside others.
        parallel: bool,
        /// The branch it works on.
        git_branch: Option<Text>,
        /// The file its conversation will be written to.
        transcript: Option<PathBuf>,
    }
}

record! {
    /// A subagent ended.
    SubagentStop {
        /// Its id.
        id: Text,
        /// What kind of agent.
        kind: Text,
        ;
        /// How it ended.
        end: WorkEnd,
        /// Its work.
        task: Option<Text>,
        /// Its work in a few words.
        description: Option<Text>,
        /// What came of it.
        summary: Option<Text>,
        /// What it said last.
        last_message: Option<Text>,
        /// What goes on after it.
        background_tasks: Vec<BackgroundTask>,
        /// What will run later.
        schedules: Vec<Schedule>,
        /// How long it took, in milliseconds.
        duration_ms: Option<Decimal>,
        /// How many messages it exchanged.
        message_count: Option<u64>,
        /// How many tools it called.
        tool_call_count: Option<u64>,
        /// The files it changed.
        modified_files: Vec<PathBuf>,
        /// The file its conversation was written to.
        transcript: Option<PathBuf>,
        /// What went wrong, if something did.
        error: Option<Text>,
        /// The branch it worked on.
        git_branch: Option<Text>,
    }
}

record! {
    /// The conversation is about to be compacted.
    CompactBefore {
        ;
        /// Who asked.
        trigger: CompactTrigger,
        /// How full the window is, in percent.
        usage_percent: Option<Decimal>,
        /// How many tokens it holds.
        tokens: Option<u64>,
        /// How many it could hold.
        window: Option<u64>,
        /// How many messages there are.
        message_count: Option<u64>,
        /// How many of them are compacted.
        messages_to_compact: Option<u64>,
        /// It is the first time in this session.
        first: Option<bool>,
        /// What the summary should keep, in the user's words.
        instructions: Option<Text>,
    }
}

record! {
    /// The conversation was compacted.
    CompactAfter {
        ;
        /// Who asked.
        trigger: CompactTrigger,
        /// What is left of it.
        summary: Option<Text>,
    }
}

/// Who asked for a compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactTrigger {
    /// The host, because the window is full.
    #[default]
    Auto,
    /// The user.
    Manual,
}

impl CompactTrigger {
    /// The word used in JSON, and by every vendor.
    pub const fn name(self) -> &'static str {
        match self {
            CompactTrigger::Auto => "auto",
            CompactTrigger::Manual => "manual",
        }
    }
}
