//! The event table: every fact about an event that another room needs is in its row, and nowhere
//! else. A `match` on the event in another room only picks code of that event's own.

use harness_hooks_core::{Boundary, Capabilities, Control, EventId, EventSpec, Facet, Fidelity, Moment};

use crate::departures::{Ways, as_cursor_has_it};

/// The 21 events, in Cursor's order of categories. CUR-EVT-01
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    SessionStart,
    SessionEnd,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    SubagentStart,
    SubagentStop,
    BeforeShellExecution,
    AfterShellExecution,
    BeforeMcpExecution,
    AfterMcpExecution,
    BeforeReadFile,
    AfterFileEdit,
    BeforeSubmitPrompt,
    PreCompact,
    Stop,
    AfterAgentResponse,
    AfterAgentThought,
    BeforeTabFileRead,
    AfterTabFileEdit,
    WorkspaceOpen,
}

/// What a matcher is tested against. CUR-MATCH-05 to CUR-MATCH-10
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The tool's name as Cursor spells it.
    ToolName,
    /// The whole command.
    Command,
    /// An MCP tool, with and without `MCP:` before it.
    McpTool,
    /// An MCP tool, with `MCP:` before it.
    McpName,
    /// What kind of subagent it is.
    SubagentKind,
    /// Always this word.
    Word(&'static str),
    /// Nothing: a matcher there is ignored.
    Nothing,
}

/// What `permission: "ask"` means. CUR-OUT-28 to CUR-OUT-31
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// The user decides.
    Honoured,
    /// Accepted and not enforced, unless the host is strict.
    NotEnforced,
    /// A denial.
    Denies,
    /// Not one of the event's words.
    NotAWord,
}

/// A key of an answer that some event reads. What it holds and does is `decode/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Permission,
    UserMessage,
    AgentMessage,
    UpdatedInput,
    UpdatedMcpToolOutput,
    AdditionalContext,
    Env,
    Continue,
    FollowupMessage,
    PluginPaths,
    /// Claude's nested object, where Cursor translates it.
    HookSpecificOutput,
    /// Claude's flat `decision` and `reason`, where Cursor translates them.
    Decision,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) spec: EventSpec,
    pub(crate) event: Event,
    pub(crate) target: Target,
    /// What a reason written by us calls the thing that was refused. CUR-EVT-09
    pub(crate) noun: &'static str,
    pub(crate) ask: Ask,
    /// A `user_message` beside an allow is shown. CUR-OUT-27
    pub(crate) notice_on_allow: bool,
    /// The keys of an answer it reads.
    pub(crate) reads: &'static [Key],
    /// The key that decides must be there.
    pub(crate) required: bool,
    /// What Claude calls it, where Cursor reads Claude's object for it by name. CUR-OUT-35
    pub(crate) claudes_name: Option<&'static str>,
    /// A plugin's hook runs in the project, not in the plugin's directory. CUR-SRC-05
    pub(crate) plugins_in_project: bool,
    /// Where this table departs from Cursor's program.
    pub(crate) ways: Ways,
}

/// Where hooks of an event may run in Cursor. CUR-EVT-12
pub(crate) const SURFACES: &[&str] = &["editor", "cli", "print", "cloud"];
const NOT_CLOUD: &[&str] = &["cloud"];
const NOT_PRINT: &[&str] = &["print"];
const EDITOR_ONLY: &[&str] = &["cli", "print", "cloud"];

/// The stage of tool.before at which Cursor shows a call once more, by what it is. CUR-EVT-04
const BY_FACET: u16 = 100;

const PERMISSION: Capabilities = Capabilities::VERDICT.and(Capabilities::NOTICE);
const PERMISSION_KEYS: &[Key] = &[Key::Permission, Key::UserMessage, Key::AgentMessage];
const FOLLOW_UP_KEYS: &[Key] = &[Key::FollowupMessage, Key::Decision, Key::HookSpecificOutput];

impl Row {
    const fn new(event: Event, name: &'static str, moments: &'static [Moment], target: Target) -> Self {
        let spec = EventSpec::new(name, moments);
        let spec = if matches!(target, Target::Nothing) { spec } else { spec.matches() };
        Row {
            spec,
            event,
            target,
            noun: "",
            ask: Ask::NotAWord,
            notice_on_allow: false,
            reads: &[],
            required: false,
            claudes_name: None,
            plugins_in_project: false,
            ways: Ways::of(Fidelity::Guarded),
        }
    }

    /// It decides: `permission` is required. CUR-EVT-06
    const fn permission(mut self, noun: &'static str, ask: Ask) -> Self {
        self.spec = self.spec.control(Control::Verdict).can(PERMISSION);
        self.noun = noun;
        self.ask = ask;
        self.reads = PERMISSION_KEYS;
        self.required = true;
        self
    }

    const fn follow_up(mut self) -> Self {
        self.spec = self.spec.control(Control::Continuation).can(Capabilities::CONTINUATION);
        self.reads = FOLLOW_UP_KEYS;
        self.plugins_in_project = true;
        self
    }

    const fn prompt(mut self, noun: &'static str) -> Self {
        self.spec = self.spec.control(Control::PromptHalt);
        self.noun = noun;
        self.required = true;
        self
    }

    const fn notice_on_allow(mut self) -> Self {
        self.notice_on_allow = true;
        self
    }

    const fn claudes_name(mut self, name: &'static str) -> Self {
        self.claudes_name = Some(name);
        self
    }

    const fn reads(mut self, keys: &'static [Key]) -> Self {
        self.reads = keys;
        self
    }

    const fn can(mut self, capabilities: Capabilities) -> Self {
        self.spec = self.spec.can(capabilities);
        self
    }

    const fn not_on(mut self, surfaces: &'static [&'static str]) -> Self {
        self.spec = self.spec.not_on(surfaces);
        self
    }

    /// Its place in the table.
    pub(crate) const fn id(&self) -> EventId {
        EventId(self.event as u16)
    }

    /// As `hooks.json` spells it.
    pub(crate) const fn name(&self) -> &'static str {
        self.spec.name
    }

    /// A hook can keep something from happening.
    pub(crate) const fn can_block(&self) -> bool {
        self.spec.control.can_block()
    }

    /// Whether it reads this key of an answer.
    pub(crate) fn reads_key(&self, key: Key) -> bool {
        self.reads.contains(&key)
    }
}

#[rustfmt::skip]
const ROWS: [Row; 21] = [
    Row::new(Event::SessionStart, "sessionStart", &[Moment::of(Boundary::SessionStart)], Target::Nothing)
        .can(Capabilities::SESSION_ENV.and(Capabilities::CONTEXT))
        .reads(&[Key::Env, Key::AdditionalContext, Key::Continue, Key::UserMessage])
        .claudes_name("SessionStart")
        .not_on(NOT_CLOUD),
    Row::new(Event::SessionEnd, "sessionEnd", &[Moment::of(Boundary::SessionEnd)], Target::Nothing)
        .not_on(NOT_CLOUD),
    Row::new(Event::PreToolUse, "preToolUse", &[Moment::of(Boundary::ToolBefore)], Target::ToolName)
        .permission("tool call", Ask::NotEnforced)
        .can(PERMISSION.and(Capabilities::REWRITE_INPUT))
        .reads(&[Key::Permission, Key::UserMessage, Key::AgentMessage, Key::UpdatedInput, Key::HookSpecificOutput])
        .claudes_name("PreToolUse"),
    Row::new(Event::PostToolUse, "postToolUse", &[Moment::of(Boundary::ToolResult)], Target::ToolName)
        .can(Capabilities::REWRITE_RESULT.and(Capabilities::CONTEXT))
        .reads(&[Key::UpdatedMcpToolOutput, Key::AdditionalContext])
        .claudes_name("PostToolUse"),
    Row::new(Event::PostToolUseFailure, "postToolUseFailure", &[Moment::of(Boundary::ToolFailure), Moment::of(Boundary::ToolDenied)], Target::ToolName)
        .can(Capabilities::CONTEXT)
        .reads(&[Key::AdditionalContext]),
    Row::new(Event::SubagentStart, "subagentStart", &[Moment::of(Boundary::SubagentStart)], Target::SubagentKind)
        .permission("subagent", Ask::Denies),
    Row::new(Event::SubagentStop, "subagentStop", &[Moment::of(Boundary::SubagentStop)], Target::SubagentKind)
        .follow_up(),
    Row::new(Event::BeforeShellExecution, "beforeShellExecution", &[Moment::of(Boundary::ToolBefore).facet(Facet::Shell).stage(BY_FACET)], Target::Command)
        .permission("shell command", Ask::Honoured)
        .notice_on_allow(),
    Row::new(Event::AfterShellExecution, "afterShellExecution", &[Moment::of(Boundary::ToolResult).facet(Facet::Shell)], Target::Command),
    Row::new(Event::BeforeMcpExecution, "beforeMCPExecution", &[Moment::of(Boundary::ToolBefore).facet(Facet::Mcp).stage(BY_FACET)], Target::McpTool)
        .permission("MCP call", Ask::Honoured)
        .notice_on_allow()
        .not_on(NOT_CLOUD),
    Row::new(Event::AfterMcpExecution, "afterMCPExecution", &[Moment::of(Boundary::ToolResult).facet(Facet::Mcp)], Target::McpTool)
        .not_on(NOT_CLOUD),
    Row::new(Event::BeforeReadFile, "beforeReadFile", &[Moment::of(Boundary::FileRead)], Target::Word("Read"))
        .permission("file read", Ask::NotAWord),
    Row::new(Event::AfterFileEdit, "afterFileEdit", &[Moment::of(Boundary::ToolResult).facet(Facet::FileEdit)], Target::Word("Write")),
    Row::new(Event::BeforeSubmitPrompt, "beforeSubmitPrompt", &[Moment::of(Boundary::PromptSubmit)], Target::Word("UserPromptSubmit"))
        .prompt("prompt")
        .can(Capabilities::HALT.and(Capabilities::NOTICE))
        .reads(&[Key::Continue, Key::UserMessage])
        .claudes_name("UserPromptSubmit")
        .not_on(NOT_PRINT),
    Row::new(Event::PreCompact, "preCompact", &[Moment::of(Boundary::CompactBefore)], Target::Nothing)
        .can(Capabilities::NOTICE)
        .reads(&[Key::UserMessage]),
    Row::new(Event::Stop, "stop", &[Moment::of(Boundary::TurnStop)], Target::Word("Stop"))
        .follow_up()
        .not_on(NOT_PRINT),
    Row::new(Event::AfterAgentResponse, "afterAgentResponse", &[Moment::of(Boundary::AgentResponse)], Target::Word("AgentResponse"))
        .not_on(NOT_PRINT),
    Row::new(Event::AfterAgentThought, "afterAgentThought", &[Moment::of(Boundary::AgentThought)], Target::Word("AgentThought"))
        .not_on(NOT_PRINT),
    Row::new(Event::BeforeTabFileRead, "beforeTabFileRead", &[Moment::of(Boundary::TabRead)], Target::Word("TabRead"))
        .permission("file read", Ask::NotAWord)
        .not_on(EDITOR_ONLY),
    Row::new(Event::AfterTabFileEdit, "afterTabFileEdit", &[Moment::of(Boundary::TabEdit)], Target::Word("TabWrite"))
        .not_on(EDITOR_ONLY),
    Row::new(Event::WorkspaceOpen, "workspaceOpen", &[Moment::of(Boundary::WorkspaceOpen)], Target::Nothing)
        .can(Capabilities::PLUGIN_PATHS)
        .reads(&[Key::PluginPaths])
        .not_on(NOT_CLOUD),
];

static TABLE: [Row; 21] = ROWS;

/// The same with Cursor's own ways.
static CURSORS_TABLE: [Row; 21] = {
    let mut rows = ROWS;
    let mut n = 0;
    while n < rows.len() {
        assert!(rows[n].event as usize == n, "the table is in the order of the enum");
        rows[n] = as_cursor_has_it(rows[n]);
        rows[n].ways = Ways::of(Fidelity::Vendor);
        n += 1;
    }
    rows
};

static SPECS: [EventSpec; 21] = specs(&TABLE);
static CURSORS_SPECS: [EventSpec; 21] = specs(&CURSORS_TABLE);

const fn specs(rows: &[Row; 21]) -> [EventSpec; 21] {
    let mut specs = [rows[0].spec; 21];
    let mut n = 0;
    while n < rows.len() {
        specs[n] = rows[n].spec;
        n += 1;
    }
    specs
}

/// The part of each row that core needs.
pub(crate) fn events(ways: Ways) -> &'static [EventSpec] {
    ways.pick(&SPECS, &CURSORS_SPECS)
}

fn table(ways: Ways) -> &'static [Row; 21] {
    ways.pick(&TABLE, &CURSORS_TABLE)
}

/// The row of an event. Ids come from this table; one of another vendor's reads as the last row.
pub(crate) fn row(ways: Ways, id: EventId) -> &'static Row {
    let table = table(ways);
    &table[id.index().min(table.len() - 1)]
}

/// The row of this name, compared exactly.
pub(crate) fn by_name(ways: Ways, name: &str) -> Option<&'static Row> {
    table(ways).iter().find(|row| row.name() == name)
}

/// The row that was meant by a name with a slip: another case, two letters wrong, or the name that
/// Claude Code has for it. CUR-CFG-05
pub(crate) fn nearly_named(name: &str) -> Option<&'static Row> {
    const MOST: usize = 2;
    let folded = name.to_ascii_lowercase();
    let slips = |row: &&Row| strsim::osa_distance(&row.name().to_ascii_lowercase(), &folded);
    let near = |row: &&Row| slips(row) <= MOST && slips(row) * 2 < row.name().len();
    let claudes = TABLE.iter().find(|row| row.claudes_name == Some(name));
    claudes.or_else(|| TABLE.iter().min_by_key(slips).filter(near))
}

/// Cursor's own columns of the printed table.
pub(crate) fn facts(row: &Row) -> Vec<(&'static str, String)> {
    let target = match row.target {
        Target::ToolName => "tool name".into(),
        Target::Command => "command".into(),
        Target::McpTool => "MCP tool, with and without `MCP:`".into(),
        Target::McpName => "MCP tool, with `MCP:`".into(),
        Target::SubagentKind => "kind of subagent".into(),
        Target::Word(word) => format!("`{word}`"),
        Target::Nothing => "nothing".into(),
    };
    let ask = match (row.spec.control, row.ask) {
        (Control::Verdict, Ask::Honoured) => "the user decides",
        (Control::Verdict, Ask::NotEnforced) => "not enforced; strict: the user decides",
        (Control::Verdict, Ask::Denies) => "denies",
        (Control::Verdict, Ask::NotAWord) => "not a word of the event: denies",
        _ => "",
    };
    let (malformed, blank) = match row.spec.control {
        Control::Verdict => ("denies", "missing decision: failClosed or strict denies"),
        Control::PromptHalt => ("failClosed or strict halts", "missing decision: failClosed or strict halts"),
        _ => ("no effect", "a good answer"),
    };
    let surfaces = SURFACES.iter().filter(|s| !row.spec.not_on.contains(s)).copied().collect::<Vec<_>>();
    let keys = row.reads.iter().map(|key| key.name()).collect::<Vec<_>>();
    vec![
        ("matcher target", target),
        ("reads", keys.join(", ")),
        ("ask", ask.into()),
        ("malformed output", malformed.into()),
        ("blank output", blank.into()),
        ("surfaces", surfaces.join(", ")),
    ]
}

impl Key {
    /// Every key that some event reads.
    pub(crate) const ALL: &[Key] = &[
        Key::Permission,
        Key::UserMessage,
        Key::AgentMessage,
        Key::UpdatedInput,
        Key::UpdatedMcpToolOutput,
        Key::AdditionalContext,
        Key::Env,
        Key::Continue,
        Key::FollowupMessage,
        Key::PluginPaths,
        Key::HookSpecificOutput,
        Key::Decision,
    ];

    /// As an answer spells it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Key::Permission => "permission",
            Key::UserMessage => "user_message",
            Key::AgentMessage => "agent_message",
            Key::UpdatedInput => "updated_input",
            Key::UpdatedMcpToolOutput => "updated_mcp_tool_output",
            Key::AdditionalContext => "additional_context",
            Key::Env => "env",
            Key::Continue => "continue",
            Key::FollowupMessage => "followup_message",
            Key::PluginPaths => "pluginPaths",
            Key::HookSpecificOutput => "hookSpecificOutput",
            Key::Decision => "decision",
        }
    }

    /// The key of this name.
    pub(crate) fn by_name(name: &str) -> Option<Key> {
        Key::ALL.iter().copied().find(|key| key.name() == name)
    }

    /// It names a control effect, so where it is not read it is reported, not only noted.
    /// CUR-OUT-38
    pub(crate) const fn controls(self) -> bool {
        matches!(
            self,
            Key::Permission
                | Key::HookSpecificOutput
                | Key::UpdatedInput
                | Key::UpdatedMcpToolOutput
                | Key::Continue
                | Key::FollowupMessage
                | Key::Decision
        )
    }
}
