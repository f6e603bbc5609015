//! The event table: every fact about an event that another room needs is in its row, and nowhere
//! else. A `match` on the event in another room only picks code of that event's own.

use std::time::Duration;

use harness_hooks_core::{Boundary, Capabilities, Control, EventId, EventSpec, Moment};

/// The 34 events, in the order of Claude Code's documentation; the three it added last stand last.
/// CLA-EVT-01
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    SessionStart,
    Setup,
    InstructionsLoaded,
    UserPromptSubmit,
    UserPromptExpansion,
    MessageDisplay,
    PreToolUse,
    PermissionRequest,
    PostToolUse,
    PostToolUseFailure,
    PostToolBatch,
    PermissionDenied,
    Notification,
    SubagentStart,
    SubagentStop,
    TaskCreated,
    TaskCompleted,
    Stop,
    StopFailure,
    TeammateIdle,
    ConfigChange,
    CwdChanged,
    DirectoryAdded,
    FileChanged,
    WorktreeCreate,
    WorktreeRemove,
    PreCompact,
    PostCompact,
    SessionEnd,
    Elicitation,
    ElicitationResult,
    PreModelSwitch,
    PostModelSwitch,
    PreSkillShellCommand,
}

/// What a matcher is tested against. CLA-MATCH-09 to CLA-MATCH-13
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The tool's name, and the names it had before.
    Tool,
    /// Why the session began.
    StartSource,
    /// What kind of subagent it is.
    AgentKind,
    /// Who asked for the compaction.
    CompactTrigger,
    /// Why the session ended.
    EndReason,
    /// A text among the free fields.
    Field(&'static str),
    /// The last part of a path among the free fields.
    FileName(&'static str),
    /// Nothing: a matcher there is ignored.
    Nothing,
}

/// Which handlers an event takes. CLA-EVT-02, CLA-CFG-19
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handlers {
    /// Every kind.
    All,
    /// None that asks a model: command, http and mcp_tool.
    WithoutModel,
    /// command and mcp_tool.
    Local,
}

/// Whether `onFailure: "block"` counts at an event. CLA-CFG-14
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closes {
    /// For every handler that has it.
    Yes,
    /// For every one but an mcp_tool.
    NotForTools,
    /// For none.
    Never,
}

/// What a refusal does at an event, however it is said: by exit 2, by JSON, or by a failure of a
/// hook that is to block. CLA-EVT-04, CLA-OUT-09 to CLA-OUT-14
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It denies the operation.
    Denies,
    /// It halts the prompt.
    HaltsPrompt,
    /// It objects to what happened.
    Objects,
    /// It objects, and ends the turn.
    ObjectsAndHalts,
    /// It makes the agent go on.
    Continues,
    /// Nothing.
    Nothing,
}

/// A key of an answer that some event reads. What it holds and does is `decode/`. CLA-EVT-03
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// At the top: `block` or `approve`, with its `reason`.
    Decision,
    /// At the top: whether the turn goes on, with its `stopReason`.
    Continue,
    /// At the top: what the user sees.
    SystemMessage,
    /// With its reason.
    PermissionDecision,
    UpdatedInput,
    AdditionalContext,
    /// The object `decision` of a permission request.
    Permission,
    UpdatedToolOutput,
    UpdatedMcpToolOutput,
    ClassifierContext,
    InitialUserMessage,
    SessionTitle,
    WatchPaths,
    ReloadSkills,
    SuppressOriginalPrompt,
    DisplayContent,
    Retry,
    Action,
    Content,
    /// Where no process can print one: the path of a worktree.
    WorktreePath,
}

/// What `permissionDecision` may say where it is read, and what that comes to. CLA-OUT-46,
/// CLA-OUT-53, CLA-OUT-54
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stances {
    /// `allow`, `deny`, `ask` and `defer`.
    All,
    /// `allow`, `deny` and `ask`.
    WithoutDefer,
    /// All four words; `allow` adds nothing and the others deny. Another input denies too.
    OnlyDenials,
}

/// What the answers and failures of one event do, and those of no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// `decision: "approve"` allows. CLA-OUT-45
    ApproveAllows,
    /// `continue: false` also denies. CLA-OUT-49
    StopDenies,
    /// `systemMessage` is for the model. CLA-OUT-63
    MessageInforms,
    /// A hook that timed out denies, open too. CLA-OUT-53
    LateDenies,
    /// Exit 2 is no refusal in the vendor's program. CLA-OUT-17
    Exit2InDoubt,
    /// A model that says no also ends the turn. CLA-RUN-17
    ModelHalts,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) spec: EventSpec,
    pub(crate) event: Event,
    /// When it happens, beyond its boundary; `happens` in `matcher.rs` holds it. CLA-EVT-06 to
    /// CLA-EVT-08
    only_when: &'static str,
    pub(crate) target: Target,
    pub(crate) handlers: Handlers,
    pub(crate) closes: Closes,
    pub(crate) refusal: Refusal,
    /// Who reads standard error at exit 2, in the vendor's program.
    reader: &'static str,
    /// What a reason written by us calls the thing that was refused. CLA-EVT-13
    pub(crate) noun: &'static str,
    /// The keys of an answer it reads.
    pub(crate) reads: &'static [Key],
    /// It has an object `hookSpecificOutput` of its own. CLA-OUT-40
    pub(crate) specific: bool,
    /// What `permissionDecision` may say, where it is read.
    pub(crate) stances: Stances,
    /// What its answers and failures do nowhere else.
    oddities: &'static [Oddity],
    /// Plain text is context. CLA-OUT-26
    pub(crate) plain_text: bool,
    /// A defect below it is an error, because it may be what guards the rest. CLA-CFG-06
    pub(crate) guard: bool,
    /// `if` counts. CLA-MATCH-15
    pub(crate) conditions: bool,
    /// Names in a matcher are separated by `|` alone. CLA-MATCH-11
    pub(crate) bars_only: bool,
    /// stdin has `permission_mode`. CLA-ENC-06
    pub(crate) shows_mode: bool,
    /// stdin has `effort`. CLA-ENC-08
    pub(crate) shows_effort: bool,
    /// Hooks may set variables for the model's commands. CLA-RUN-08
    pub(crate) env_file: bool,
    /// Its timeout is for all of its hooks together. CLA-EVT-12
    pub(crate) shares_time: bool,
    /// What the event stands for in the frontmatter of an agent. CLA-SRC-15
    in_agent: Event,
}

const MINUTES: Duration = Duration::from_secs(600);

impl Row {
    /// An event that is observed: all but asking a model, no keys, no matcher.
    const fn new(event: Event, name: &'static str, moments: &'static [Moment], target: Target) -> Self {
        let spec = EventSpec::new(name, moments).timeout(MINUTES);
        let spec = if matches!(target, Target::Nothing) { spec } else { spec.matches() };
        Row {
            spec,
            event,
            only_when: "",
            target,
            handlers: Handlers::WithoutModel,
            closes: Closes::Yes,
            refusal: Refusal::Nothing,
            reader: "nobody",
            noun: "",
            reads: &[],
            specific: true,
            stances: Stances::All,
            oddities: &[],
            plain_text: false,
            guard: false,
            conditions: false,
            bars_only: false,
            shows_mode: false,
            shows_effort: false,
            env_file: false,
            shares_time: false,
            in_agent: event,
        }
    }

    /// A refusal here does this, and this is what it refuses.
    const fn refuses(mut self, refusal: Refusal, noun: &'static str) -> Self {
        let control = match refusal {
            Refusal::Denies => Control::Verdict,
            Refusal::HaltsPrompt => Control::PromptHalt,
            Refusal::Continues => Control::Continuation,
            Refusal::Objects | Refusal::ObjectsAndHalts | Refusal::Nothing => Control::Observe,
        };
        self.spec = self.spec.control(control);
        self.refusal = refusal;
        self.noun = noun;
        self
    }

    const fn only_when(mut self, when: &'static str) -> Self {
        self.only_when = when;
        self
    }

    const fn read_by(mut self, reader: &'static str) -> Self {
        self.reader = reader;
        self
    }

    const fn can(mut self, capabilities: Capabilities) -> Self {
        self.spec = self.spec.can(capabilities);
        self
    }

    const fn timeout(mut self, timeout: Duration) -> Self {
        self.spec = self.spec.timeout(timeout);
        self
    }

    const fn reads(mut self, keys: &'static [Key]) -> Self {
        self.reads = keys;
        self
    }

    const fn handlers(mut self, handlers: Handlers) -> Self {
        self.handlers = handlers;
        self
    }

    const fn closes(mut self, closes: Closes) -> Self {
        self.closes = closes;
        self
    }

    /// It has no object of its own in an answer.
    const fn flat(mut self) -> Self {
        self.specific = false;
        self
    }

    const fn stances(mut self, stances: Stances) -> Self {
        self.stances = stances;
        self
    }

    const fn oddities(mut self, oddities: &'static [Oddity]) -> Self {
        self.oddities = oddities;
        self
    }

    const fn plain_text(mut self) -> Self {
        self.plain_text = true;
        self
    }

    const fn guard(mut self) -> Self {
        self.guard = true;
        self
    }

    const fn conditions(mut self) -> Self {
        self.conditions = true;
        self
    }

    const fn bars_only(mut self) -> Self {
        self.bars_only = true;
        self
    }

    const fn shows_mode(mut self) -> Self {
        self.shows_mode = true;
        self
    }

    const fn shows_effort(mut self) -> Self {
        self.shows_effort = true;
        self
    }

    const fn env_file(mut self) -> Self {
        self.env_file = true;
        self
    }

    const fn shares_time(mut self) -> Self {
        self.shares_time = true;
        self
    }

    /// In an agent's frontmatter it stands for this event.
    const fn in_agent(mut self, event: Event) -> Self {
        self.in_agent = event;
        self
    }

    /// Its place in the table.
    pub(crate) const fn id(&self) -> EventId {
        EventId(self.event as u16)
    }

    /// As settings spell it.
    pub(crate) const fn name(&self) -> &'static str {
        self.spec.name
    }

    /// A hook can keep something from happening.
    pub(crate) const fn can_block(&self) -> bool {
        self.spec.control.can_block()
    }

    /// Its matcher is tested against the name of a tool.
    pub(crate) fn is_about_tools(&self) -> bool {
        matches!(self.target, Target::Tool | Target::Field("tool_name"))
    }

    /// The row it stands for in the frontmatter of an agent. CLA-SRC-15
    pub(crate) fn in_agent_file(&self) -> &'static Row {
        row(EventId(self.in_agent as u16))
    }

    /// Whether it does what is odd.
    pub(crate) fn is(&self, oddity: Oddity) -> bool {
        self.oddities.contains(&oddity)
    }

    /// What a definition says of failures counts. CLA-OUT-05, CLA-OUT-06
    pub(crate) fn heeds_failure(&self) -> bool {
        self.closes != Closes::Never && !matches!(self.refusal, Refusal::Continues | Refusal::Nothing)
    }

    /// A wish that means nothing here refuses what the hook was asked about. CLA-OUT-44
    pub(crate) fn refuses_what_is_not_done(&self) -> bool {
        self.spec.moments.iter().any(|moment| moment.boundary.refuses_what_is_not_done())
    }

    /// Whether it reads this key of an answer.
    pub(crate) fn reads_key(&self, key: Key) -> bool {
        self.reads.contains(&key)
    }
}

const VERDICT: Capabilities = Capabilities::VERDICT;
const CONTEXT: Capabilities = Capabilities::CONTEXT;
const NOTICE: Capabilities = Capabilities::NOTICE;
const HALT: Capabilities = Capabilities::HALT;
const FEEDBACK: Capabilities = Capabilities::FEEDBACK;
const CONTINUATION: Capabilities = Capabilities::CONTINUATION;
const SESSION_ENV: Capabilities = Capabilities::SESSION_ENV;
const INPUT: Capabilities = Capabilities::REWRITE_INPUT;
const RESULT: Capabilities = Capabilities::REWRITE_RESULT;

const fn at(boundary: Boundary) -> Moment {
    Moment::of(boundary)
}

#[rustfmt::skip]
static TABLE: [Row; 34] = [
    Row::new(Event::SessionStart, "SessionStart", &[at(Boundary::SessionStart)], Target::StartSource)
        .can(CONTEXT.and(NOTICE).and(SESSION_ENV)).handlers(Handlers::Local).closes(Closes::NotForTools).read_by("the user")
        .reads(&[Key::SystemMessage, Key::AdditionalContext, Key::InitialUserMessage, Key::SessionTitle, Key::WatchPaths, Key::ReloadSkills])
        .plain_text().env_file(),
    Row::new(Event::Setup, "Setup", &[at(Boundary::SessionSetup)], Target::Field("trigger"))
        .can(CONTEXT.and(NOTICE).and(HALT).and(SESSION_ENV)).handlers(Handlers::Local).closes(Closes::NotForTools).read_by("the user")
        .reads(&[Key::Continue, Key::SystemMessage, Key::AdditionalContext])
        .env_file(),
    Row::new(Event::InstructionsLoaded, "InstructionsLoaded", &[at(Boundary::InstructionsLoaded)], Target::Field("load_reason"))
        .flat(),
    Row::new(Event::UserPromptSubmit, "UserPromptSubmit", &[at(Boundary::PromptSubmit)], Target::Nothing)
        .refuses(Refusal::HaltsPrompt, "prompt").can(HALT.and(CONTEXT).and(NOTICE)).handlers(Handlers::All).read_by("the user")
        .timeout(Duration::from_secs(30))
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage, Key::AdditionalContext, Key::SessionTitle, Key::SuppressOriginalPrompt])
        .plain_text().shows_mode(),
    Row::new(Event::UserPromptExpansion, "UserPromptExpansion", &[at(Boundary::PromptExpand)], Target::Field("command_name"))
        .refuses(Refusal::HaltsPrompt, "prompt").can(HALT.and(CONTEXT).and(NOTICE)).handlers(Handlers::All).read_by("the user")
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage, Key::AdditionalContext, Key::SuppressOriginalPrompt])
        .plain_text().shows_mode(),
    Row::new(Event::MessageDisplay, "MessageDisplay", &[at(Boundary::MessageDisplay)], Target::Nothing)
        .timeout(Duration::from_secs(10))
        .reads(&[Key::DisplayContent]),
    Row::new(Event::PreToolUse, "PreToolUse", &[at(Boundary::ToolBefore)], Target::Tool)
        .refuses(Refusal::Denies, "tool call").handlers(Handlers::All).read_by("the model")
        .can(VERDICT.and(Capabilities::DEFER).and(INPUT).and(CONTEXT).and(NOTICE).and(HALT))
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage, Key::PermissionDecision, Key::UpdatedInput, Key::AdditionalContext])
        .oddities(&[Oddity::ApproveAllows, Oddity::StopDenies, Oddity::ModelHalts])
        .guard().conditions().shows_mode().shows_effort(),
    Row::new(Event::PermissionRequest, "PermissionRequest", &[at(Boundary::ToolPermission)], Target::Tool)
        .refuses(Refusal::Denies, "tool call").handlers(Handlers::All).read_by("the model")
        .can(VERDICT.and(INPUT).and(NOTICE).and(HALT))
        .reads(&[Key::Continue, Key::SystemMessage, Key::Permission])
        .oddities(&[Oddity::Exit2InDoubt]).guard().conditions().shows_mode().shows_effort(),
    Row::new(Event::PostToolUse, "PostToolUse", &[at(Boundary::ToolResult)], Target::Tool)
        .only_when("it is not a shell command that ended with a code other than 0")
        .refuses(Refusal::Objects, "").can(FEEDBACK.and(RESULT).and(CONTEXT).and(NOTICE).and(HALT)).handlers(Handlers::All).read_by("the model")
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage, Key::AdditionalContext, Key::UpdatedToolOutput, Key::UpdatedMcpToolOutput, Key::ClassifierContext])
        .conditions().shows_mode().shows_effort(),
    Row::new(Event::PostToolUseFailure, "PostToolUseFailure", &[at(Boundary::ToolResult), at(Boundary::ToolFailure)], Target::Tool)
        .only_when("a shell command ended with a code other than 0, or the call failed, but not of bad arguments")
        .refuses(Refusal::Objects, "").can(FEEDBACK.and(CONTEXT).and(NOTICE)).handlers(Handlers::All).read_by("the model")
        .reads(&[Key::Decision, Key::SystemMessage, Key::AdditionalContext])
        .conditions().shows_mode().shows_effort(),
    Row::new(Event::PostToolBatch, "PostToolBatch", &[at(Boundary::ToolBatch)], Target::Nothing)
        .refuses(Refusal::ObjectsAndHalts, "").can(FEEDBACK.and(HALT).and(CONTEXT).and(NOTICE)).handlers(Handlers::All).read_by("the user and the model")
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage, Key::AdditionalContext])
        .shows_mode().shows_effort(),
    Row::new(Event::PermissionDenied, "PermissionDenied", &[at(Boundary::ToolDenied)], Target::Tool)
        .only_when("the permission mode is `auto`")
        .can(NOTICE.and(HALT)).handlers(Handlers::All)
        .reads(&[Key::Continue, Key::SystemMessage, Key::Retry])
        .conditions().shows_mode().shows_effort(),
    Row::new(Event::Notification, "Notification", &[at(Boundary::Notification)], Target::Field("notification_type")),
    Row::new(Event::SubagentStart, "SubagentStart", &[at(Boundary::SubagentStart)], Target::AgentKind)
        .can(CONTEXT.and(NOTICE).and(HALT)).read_by("the user")
        .reads(&[Key::Continue, Key::SystemMessage, Key::AdditionalContext]),
    Row::new(Event::SubagentStop, "SubagentStop", &[at(Boundary::SubagentStop)], Target::AgentKind)
        .refuses(Refusal::Continues, "").can(CONTINUATION.and(HALT).and(NOTICE)).handlers(Handlers::All).read_by("the subagent")
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage, Key::AdditionalContext])
        .closes(Closes::Never).shows_mode().shows_effort(),
    Row::new(Event::TaskCreated, "TaskCreated", &[at(Boundary::TaskCreated)], Target::Nothing)
        .refuses(Refusal::Denies, "task").can(VERDICT.and(NOTICE)).handlers(Handlers::All).read_by("the model")
        .reads(&[Key::Decision, Key::SystemMessage]).flat(),
    Row::new(Event::TaskCompleted, "TaskCompleted", &[at(Boundary::TaskCompleted)], Target::Nothing)
        .refuses(Refusal::Denies, "task").can(VERDICT.and(HALT).and(NOTICE)).handlers(Handlers::All).read_by("the model")
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage]).flat().closes(Closes::Never),
    Row::new(Event::Stop, "Stop", &[at(Boundary::TurnStop)], Target::Nothing)
        .only_when("the turn completed, and is no subagent's")
        .refuses(Refusal::Continues, "").can(CONTINUATION.and(HALT).and(NOTICE)).handlers(Handlers::All).read_by("the model")
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage, Key::AdditionalContext])
        .closes(Closes::Never).in_agent(Event::SubagentStop).shows_mode().shows_effort(),
    Row::new(Event::StopFailure, "StopFailure", &[at(Boundary::TurnFailure)], Target::Field("error"))
        .flat().bars_only().shows_effort(),
    Row::new(Event::TeammateIdle, "TeammateIdle", &[at(Boundary::TeammateIdle)], Target::Nothing)
        .refuses(Refusal::Continues, "teammate").can(CONTINUATION.and(HALT).and(NOTICE)).handlers(Handlers::All).read_by("the teammate")
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage]).flat().closes(Closes::Never).shows_mode(),
    Row::new(Event::ConfigChange, "ConfigChange", &[at(Boundary::ConfigChanged)], Target::Field("source"))
        .refuses(Refusal::Denies, "configuration change").can(VERDICT)
        .reads(&[Key::Decision]).flat(),
    Row::new(Event::CwdChanged, "CwdChanged", &[at(Boundary::CwdChanged)], Target::Nothing)
        .can(NOTICE.and(SESSION_ENV)).read_by("the user")
        .reads(&[Key::SystemMessage, Key::WatchPaths]).env_file(),
    Row::new(Event::DirectoryAdded, "DirectoryAdded", &[at(Boundary::DirectoryAdded)], Target::Field("source"))
        .can(CONTEXT).reads(&[Key::SystemMessage]).flat().oddities(&[Oddity::MessageInforms]),
    Row::new(Event::FileChanged, "FileChanged", &[at(Boundary::FileChanged)], Target::FileName("file_path"))
        .can(NOTICE.and(SESSION_ENV)).read_by("the user")
        .reads(&[Key::SystemMessage, Key::WatchPaths]).bars_only().env_file(),
    Row::new(Event::WorktreeCreate, "WorktreeCreate", &[at(Boundary::WorktreeCreate)], Target::Nothing)
        .refuses(Refusal::Denies, "worktree").can(VERDICT)
        .reads(&[Key::WorktreePath]),
    Row::new(Event::WorktreeRemove, "WorktreeRemove", &[at(Boundary::WorktreeRemove)], Target::Nothing)
        .flat(),
    Row::new(Event::PreCompact, "PreCompact", &[at(Boundary::CompactBefore)], Target::CompactTrigger)
        .refuses(Refusal::Denies, "compaction").can(VERDICT.and(CONTEXT)).read_by("the user")
        .reads(&[Key::Decision]).flat().plain_text(),
    Row::new(Event::PostCompact, "PostCompact", &[at(Boundary::CompactAfter)], Target::CompactTrigger)
        .read_by("the user").flat(),
    Row::new(Event::SessionEnd, "SessionEnd", &[at(Boundary::SessionEnd)], Target::EndReason)
        .timeout(Duration::from_millis(1500)).shares_time().read_by("the user").flat(),
    Row::new(Event::Elicitation, "Elicitation", &[at(Boundary::Elicitation)], Target::Field("mcp_server_name"))
        .refuses(Refusal::Denies, "elicitation").can(VERDICT)
        .reads(&[Key::Decision, Key::Action, Key::Content]),
    Row::new(Event::ElicitationResult, "ElicitationResult", &[at(Boundary::ElicitationResult)], Target::Field("mcp_server_name"))
        .refuses(Refusal::Denies, "elicitation").can(VERDICT)
        .reads(&[Key::Decision, Key::Action, Key::Content]),
    Row::new(Event::PreModelSwitch, "PreModelSwitch", &[at(Boundary::ModelSwitchBefore)], Target::Field("to_model"))
        .refuses(Refusal::Denies, "model switch").can(VERDICT.and(NOTICE).and(HALT)).read_by("the user")
        .timeout(Duration::from_secs(30))
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage, Key::PermissionDecision])
        .stances(Stances::WithoutDefer).oddities(&[Oddity::LateDenies]),
    Row::new(Event::PostModelSwitch, "PostModelSwitch", &[at(Boundary::ModelSwitchAfter)], Target::Field("to_model"))
        .can(CONTEXT.and(NOTICE).and(HALT)).read_by("the user").timeout(Duration::from_secs(30))
        .reads(&[Key::Continue, Key::SystemMessage, Key::AdditionalContext]).plain_text(),
    Row::new(Event::PreSkillShellCommand, "PreSkillShellCommand", &[at(Boundary::SkillShell)], Target::Field("tool_name"))
        .refuses(Refusal::Denies, "skill command").can(VERDICT.and(NOTICE).and(HALT)).handlers(Handlers::All).read_by("the user and the model")
        .reads(&[Key::Decision, Key::Continue, Key::SystemMessage, Key::PermissionDecision])
        .stances(Stances::OnlyDenials).guard().shows_mode().shows_effort(),
];

/// The part of each row that core needs.
pub(crate) static SPECS: [EventSpec; TABLE.len()] = {
    let mut specs = [TABLE[0].spec; TABLE.len()];
    let mut n = 0;
    while n < specs.len() {
        assert!(TABLE[n].event as usize == n, "the table is in the order of the enum");
        specs[n] = TABLE[n].spec;
        n += 1;
    }
    specs
};

/// The row of an event. Ids come from this table; one of another vendor's reads as the last row.
pub(crate) fn row(id: EventId) -> &'static Row {
    &TABLE[id.index().min(TABLE.len() - 1)]
}

/// Every row, in order.
pub(crate) fn all() -> impl Iterator<Item = &'static Row> {
    TABLE.iter()
}

/// The row of this name, compared exactly.
pub(crate) fn by_name(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name() == name)
}

/// The row that was meant by a name with a slip: another case, underscores or hyphens, or two
/// letters wrong. CLA-CFG-04
pub(crate) fn nearly(name: &str) -> Option<&'static Row> {
    const MOST: usize = 2;
    let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let meant = plain(name);
    let slips = |row: &&Row| strsim::osa_distance(&plain(row.name()), &meant);
    let near = |row: &&Row| slips(row) <= MOST && slips(row) * 2 < row.name().len();
    TABLE.iter().min_by_key(slips).filter(near)
}

/// Claude Code's own columns of the printed table.
pub(crate) fn facts(row: &Row) -> Vec<(&'static str, String)> {
    let target = match row.target {
        Target::Tool => "tool name".into(),
        Target::StartSource => "`source`".into(),
        Target::AgentKind => "`agent_type`".into(),
        Target::CompactTrigger => "`trigger`".into(),
        Target::EndReason => "`reason`".into(),
        Target::Field(field) => format!("`{field}`"),
        Target::FileName(field) => format!("last part of `{field}`"),
        Target::Nothing => "nothing".into(),
    };
    let handlers = match row.handlers {
        Handlers::All => "all",
        Handlers::WithoutModel => "command, http, mcp_tool",
        Handlers::Local => "command, mcp_tool",
    };
    let closes = match row.closes {
        Closes::Yes => "counts",
        Closes::NotForTools => "not of mcp_tool",
        Closes::Never => "ignored",
    };
    let refusal = match row.refusal {
        Refusal::Denies => format!("{} denied", row.noun),
        Refusal::HaltsPrompt => "prompt halted".into(),
        Refusal::Objects => "objection".into(),
        Refusal::ObjectsAndHalts => "objection, and the turn ends".into(),
        Refusal::Continues => "the agent goes on".into(),
        Refusal::Nothing => "nothing".into(),
    };
    let keys = row.reads.iter().map(|key| key.name()).collect::<Vec<_>>();
    vec![
        ("only when", row.only_when.into()),
        ("matcher target", target),
        ("handlers", handlers.into()),
        ("`onFailure`", closes.into()),
        ("exit 2", refusal),
        ("stderr at exit 2", format!("to {}", row.reader)),
        ("reads", keys.join(", ")),
        ("plain text", if row.plain_text { "context" } else { "" }.into()),
    ]
}

impl Key {
    /// It stands at the top of an answer, not in its `hookSpecificOutput`.
    pub(crate) const fn at_the_top(self) -> bool {
        matches!(self, Key::Decision | Key::Continue | Key::SystemMessage)
    }

    /// As an answer spells it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Key::Decision | Key::Permission => "decision",
            Key::Continue => "continue",
            Key::SystemMessage => "systemMessage",
            Key::PermissionDecision => "permissionDecision",
            Key::UpdatedInput => "updatedInput",
            Key::AdditionalContext => "additionalContext",
            Key::UpdatedToolOutput => "updatedToolOutput",
            Key::UpdatedMcpToolOutput => "updatedMCPToolOutput",
            Key::ClassifierContext => "classifierContext",
            Key::InitialUserMessage => "initialUserMessage",
            Key::SessionTitle => "sessionTitle",
            Key::WatchPaths => "watchPaths",
            Key::ReloadSkills => "reloadSkills",
            Key::SuppressOriginalPrompt => "suppressOriginalPrompt",
            Key::DisplayContent => "displayContent",
            Key::Retry => "retry",
            Key::Action => "action",
            Key::Content => "content",
            Key::WorktreePath => "worktreePath",
        }
    }
}
