//! The event table: every fact about an event that another room needs is in its row, and nowhere
//! else. A `match` on the event in another room only picks code of that event's own.

use std::time::Duration;

use harness_hooks_core::{Boundary, Capabilities, Control, EventId, EventSpec, Moment};

/// The 12 events, in the order in which Codex declares them. CDX-EVT-01
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    PreToolUse,
    PermissionRequest,
    PostToolUse,
    PreCompact,
    PostCompact,
    SessionStart,
    SessionEnd,
    UserPromptSubmit,
    SubagentStart,
    SubagentStop,
    Stop,
    Interrupt,
}

/// What a matcher is tested against. CDX-MATCH-08
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The tool's name and its aliases.
    Tool,
    /// Why the session began.
    StartSource,
    /// What kind of subagent it is.
    AgentKind,
    /// Who asked for the compaction.
    CompactTrigger,
    /// Always this word.
    Word(&'static str),
    /// Nothing: a matcher there is ignored.
    Nothing,
}

/// What a refusal does at an event, however it is said. CDX-EVT-04
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It denies the operation.
    Denies,
    /// It halts the prompt.
    HaltsPrompt,
    /// Its text takes the place of the result.
    ReplacesResult,
    /// It makes the agent go on.
    Continues,
    /// Nothing.
    Nothing,
}

/// What `continue: false` does at an event. CDX-OUT-47 to CDX-OUT-52
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// What a refusal does.
    Refuses,
    /// It ends the turn.
    HaltsTurn,
    /// Nothing; the key is known.
    Ignored,
    /// It is a field of another event.
    Foreign,
}

/// A key of an answer. What it holds and does is `decode/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Continue,
    StopReason,
    SuppressOutput,
    SystemMessage,
    Decision,
    Reason,
    HookSpecificOutput,
    HookEventName,
    PermissionDecision,
    PermissionDecisionReason,
    UpdatedInput,
    AdditionalContext,
    UpdatedMcpToolOutput,
    /// The object `decision` of a permission request.
    Permission,
    Behavior,
    Message,
    UpdatedPermissions,
    Interrupt,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) spec: EventSpec,
    pub(crate) event: Event,
    /// When it happens, beyond its boundary; `happens` in `matcher.rs` holds it. CDX-EVT-06,
    /// CDX-EVT-07
    only_when: &'static str,
    pub(crate) target: Target,
    pub(crate) refusal: Refusal,
    pub(crate) stop: Stop,
    /// Exit 2 refuses; elsewhere it is a failure like any other. CDX-OUT-09 to CDX-OUT-14
    pub(crate) exit_2: bool,
    /// What a reason written by us calls the thing that was refused. CDX-EVT-10
    pub(crate) noun: &'static str,
    /// The keys Codex knows at the top of an answer. CDX-EVT-03
    pub(crate) top: &'static [Key],
    /// The keys Codex knows in `hookSpecificOutput`; none where the event has no such object.
    pub(crate) specific: &'static [Key],
    /// `approve` is a word of its `decision`. CDX-EVT-03
    pub(crate) approves: bool,
    /// A `reason` that nothing stands beside breaks the form. CDX-OUT-29
    pub(crate) reason_needs_decision: bool,
    /// `suppressOutput: true` breaks the form. CDX-OUT-29
    pub(crate) shows_output: bool,
    /// What plain text on standard output is. CDX-OUT-21 to CDX-OUT-24
    pub(crate) plain_text: PlainText,
    /// The longest a hook may run. CDX-EVT-09
    pub(crate) longest: Option<Duration>,
    /// stdin has `turn_id`. CDX-ENC-05
    pub(crate) shows_turn: bool,
    /// stdin has `model`. CDX-ENC-09
    pub(crate) shows_model: bool,
    /// stdin has `permission_mode`. CDX-ENC-07
    pub(crate) shows_mode: bool,
    /// stdin names the subagent it happens in. CDX-ENC-06
    pub(crate) shows_agent: bool,
    /// Nothing happens after it: no hook goes on behind it, and no server is asked. CDX-CFG-10,
    /// CDX-CFG-11
    pub(crate) last: bool,
    /// As a handler's state and hash spell it. CDX-TRUST-05
    pub(crate) snake: &'static str,
}

/// What text that is no JSON object means. CDX-OUT-21 to CDX-OUT-24
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainText {
    /// Context.
    Context,
    /// Nothing, and said.
    Ignored,
    /// A failed hook.
    Fails,
    /// Nothing on standard output is read.
    Unread,
}

const MINUTES: Duration = Duration::from_secs(600);
const THREE: Duration = Duration::from_secs(3);

const UNIVERSAL: &[Key] = &[Key::Continue, Key::StopReason, Key::SuppressOutput, Key::SystemMessage];
const DECIDING: &[Key] =
    &[Key::Continue, Key::StopReason, Key::SuppressOutput, Key::SystemMessage, Key::Decision, Key::Reason];
const CONTEXT_ONLY: &[Key] = &[Key::HookEventName, Key::AdditionalContext];
/// The keys of the object `decision` of a permission request.
pub(crate) const PERMISSION: &[Key] =
    &[Key::Behavior, Key::Message, Key::UpdatedInput, Key::UpdatedPermissions, Key::Interrupt];

impl Row {
    /// An event that is observed, has the four common keys, and ignores plain text.
    const fn new(
        event: Event,
        name: &'static str,
        snake: &'static str,
        moments: &'static [Moment],
        target: Target,
    ) -> Self {
        let spec = EventSpec::new(name, moments).timeout(MINUTES);
        let spec = if matches!(target, Target::Nothing) { spec } else { spec.matches() };
        Row {
            spec,
            event,
            only_when: "",
            target,
            refusal: Refusal::Nothing,
            stop: Stop::Foreign,
            exit_2: false,
            noun: "",
            top: UNIVERSAL,
            specific: &[],
            approves: false,
            reason_needs_decision: false,
            shows_output: matches!(target, Target::Tool),
            plain_text: PlainText::Ignored,
            longest: None,
            shows_turn: true,
            shows_model: true,
            shows_mode: true,
            shows_agent: false,
            last: false,
            snake,
        }
    }

    /// A refusal here does this, and this is what it refuses.
    const fn refuses(mut self, refusal: Refusal, noun: &'static str) -> Self {
        let control = match refusal {
            Refusal::Denies => Control::Verdict,
            Refusal::HaltsPrompt => Control::PromptHalt,
            Refusal::Continues => Control::Continuation,
            Refusal::ReplacesResult | Refusal::Nothing => Control::Observe,
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

    const fn exit_2(mut self) -> Self {
        self.exit_2 = true;
        self
    }

    const fn stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    const fn can(mut self, capabilities: Capabilities) -> Self {
        self.spec = self.spec.can(capabilities);
        self
    }

    const fn knows(mut self, top: &'static [Key], specific: &'static [Key]) -> Self {
        self.top = top;
        self.specific = specific;
        self
    }

    const fn approves(mut self) -> Self {
        self.approves = true;
        self
    }

    const fn reason_needs_decision(mut self) -> Self {
        self.reason_needs_decision = true;
        self
    }

    const fn plain_text(mut self, meaning: PlainText) -> Self {
        self.plain_text = meaning;
        self
    }

    /// It has a second unless a definition says otherwise, and three at most.
    const fn brief(mut self) -> Self {
        self.spec = self.spec.timeout(Duration::from_secs(1));
        self.longest = Some(THREE);
        self
    }

    const fn last(mut self) -> Self {
        self.last = true;
        self
    }

    const fn without_turn(mut self) -> Self {
        self.shows_turn = false;
        self
    }

    const fn without_model(mut self) -> Self {
        self.shows_model = false;
        self
    }

    const fn without_mode(mut self) -> Self {
        self.shows_mode = false;
        self
    }

    const fn shows_agent(mut self) -> Self {
        self.shows_agent = true;
        self
    }

    /// Its place in the table.
    pub(crate) const fn id(&self) -> EventId {
        EventId(self.event as u16)
    }

    /// As the configuration spells it.
    pub(crate) const fn name(&self) -> &'static str {
        self.spec.name
    }

    /// A hook can keep something from happening.
    pub(crate) const fn can_block(&self) -> bool {
        self.spec.control.can_block()
    }

    /// What a hook wants here and cannot have keeps something from happening. CDX-OUT-37
    pub(crate) fn refuses_what_is_not_done(&self) -> bool {
        self.spec.moments.iter().any(|moment| moment.boundary.refuses_what_is_not_done())
    }
}

const VERDICT: Capabilities = Capabilities::VERDICT;
const CONTEXT: Capabilities = Capabilities::CONTEXT;
const NOTICE: Capabilities = Capabilities::NOTICE;
const HALT: Capabilities = Capabilities::HALT;

const fn at(boundary: Boundary) -> Moment {
    Moment::of(boundary)
}

#[rustfmt::skip]
static TABLE: [Row; 12] = [
    Row::new(Event::PreToolUse, "PreToolUse", "pre_tool_use", &[at(Boundary::ToolBefore)], Target::Tool)
        .refuses(Refusal::Denies, "tool call").exit_2().shows_agent()
        .can(VERDICT.and(Capabilities::REWRITE_INPUT).and(CONTEXT).and(NOTICE))
        .knows(DECIDING, &[Key::HookEventName, Key::PermissionDecision, Key::PermissionDecisionReason, Key::UpdatedInput, Key::AdditionalContext])
        .approves().reason_needs_decision(),
    Row::new(Event::PermissionRequest, "PermissionRequest", "permission_request", &[at(Boundary::ToolPermission)], Target::Tool)
        .refuses(Refusal::Denies, "tool call").exit_2().shows_agent()
        .can(VERDICT.and(NOTICE))
        .knows(UNIVERSAL, &[Key::HookEventName, Key::Permission]),
    Row::new(Event::PostToolUse, "PostToolUse", "post_tool_use", &[at(Boundary::ToolResult)], Target::Tool)
        .only_when("it is no shell command that still runs or went to the background, and no MCP result that says `isError`")
        .refuses(Refusal::ReplacesResult, "tool result").exit_2().stop(Stop::Refuses).shows_agent()
        .can(Capabilities::REWRITE_RESULT.and(CONTEXT).and(NOTICE))
        .knows(DECIDING, &[Key::HookEventName, Key::AdditionalContext, Key::UpdatedMcpToolOutput])
        .reason_needs_decision(),
    Row::new(Event::PreCompact, "PreCompact", "pre_compact", &[at(Boundary::CompactBefore)], Target::CompactTrigger)
        .refuses(Refusal::Denies, "compaction").stop(Stop::Refuses).shows_agent()
        .can(VERDICT.and(NOTICE)).without_mode(),
    Row::new(Event::PostCompact, "PostCompact", "post_compact", &[at(Boundary::CompactAfter)], Target::CompactTrigger)
        .stop(Stop::HaltsTurn).shows_agent().can(HALT.and(NOTICE)).without_mode(),
    Row::new(Event::SessionStart, "SessionStart", "session_start", &[at(Boundary::SessionStart)], Target::StartSource)
        .stop(Stop::HaltsTurn).can(HALT.and(CONTEXT).and(NOTICE))
        .knows(UNIVERSAL, CONTEXT_ONLY).plain_text(PlainText::Context).without_turn(),
    Row::new(Event::SessionEnd, "SessionEnd", "session_end", &[at(Boundary::SessionEnd)], Target::Word("other"))
        .knows(&[], &[]).plain_text(PlainText::Unread).brief().last().without_turn().without_model().without_mode(),
    Row::new(Event::UserPromptSubmit, "UserPromptSubmit", "user_prompt_submit", &[at(Boundary::PromptSubmit)], Target::Nothing)
        .refuses(Refusal::HaltsPrompt, "prompt").exit_2().stop(Stop::Refuses).shows_agent()
        .can(HALT.and(CONTEXT).and(NOTICE))
        .knows(DECIDING, CONTEXT_ONLY).plain_text(PlainText::Context),
    Row::new(Event::SubagentStart, "SubagentStart", "subagent_start", &[at(Boundary::SubagentStart)], Target::AgentKind)
        .stop(Stop::Ignored).can(CONTEXT.and(NOTICE))
        .knows(UNIVERSAL, CONTEXT_ONLY).plain_text(PlainText::Context),
    Row::new(Event::SubagentStop, "SubagentStop", "subagent_stop", &[at(Boundary::SubagentStop)], Target::AgentKind)
        .refuses(Refusal::Continues, "subagent").exit_2().stop(Stop::HaltsTurn)
        .can(Capabilities::CONTINUATION.and(HALT).and(NOTICE))
        .knows(DECIDING, &[]).plain_text(PlainText::Fails),
    Row::new(Event::Stop, "Stop", "stop", &[at(Boundary::TurnStop)], Target::Nothing)
        .only_when("the turn completed, and is no subagent's")
        .refuses(Refusal::Continues, "turn").exit_2().stop(Stop::HaltsTurn)
        .can(Capabilities::CONTINUATION.and(HALT).and(NOTICE))
        .knows(DECIDING, &[]).plain_text(PlainText::Fails),
    Row::new(Event::Interrupt, "Interrupt", "interrupt", &[at(Boundary::TurnInterrupt)], Target::Nothing)
        .only_when("the turn is no subagent's")
        .can(NOTICE).knows(&[Key::SystemMessage], &[]).plain_text(PlainText::Fails).brief(),
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

/// The row of this name, compared exactly.
pub(crate) fn by_name(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name() == name)
}

/// The row that was meant by a name with a slip: another case, underscores or hyphens, or two
/// letters wrong. CDX-CFG-13
pub(crate) fn nearly(name: &str) -> Option<&'static Row> {
    const MOST: usize = 2;
    let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let meant = plain(name);
    let slips = |row: &&Row| strsim::osa_distance(&plain(row.name()), &meant);
    let near = |row: &&Row| slips(row) <= MOST && slips(row) * 2 < row.name().len();
    TABLE.iter().min_by_key(slips).filter(near)
}

/// Codex's own columns of the printed table.
pub(crate) fn facts(row: &Row) -> Vec<(&'static str, String)> {
    let target = match row.target {
        Target::Tool => "tool name and aliases".into(),
        Target::StartSource => "`source`".into(),
        Target::AgentKind => "`agent_type`".into(),
        Target::CompactTrigger => "`trigger`".into(),
        Target::Word(word) => format!("`{word}`"),
        Target::Nothing => "nothing".into(),
    };
    let refusal = match row.refusal {
        Refusal::Denies => format!("{} denied", row.noun),
        Refusal::HaltsPrompt => "prompt halted".into(),
        Refusal::ReplacesResult => "its text replaces the result".into(),
        Refusal::Continues => "the agent goes on".into(),
        Refusal::Nothing => String::new(),
    };
    let exit_2 = if row.exit_2 { refusal.clone() } else { "a failure".into() };
    let stop = match row.stop {
        Stop::Refuses => refusal,
        Stop::HaltsTurn => "the turn ends".into(),
        Stop::Ignored => "nothing".into(),
        Stop::Foreign => "not known".into(),
    };
    let plain_text = match row.plain_text {
        PlainText::Context => "context",
        PlainText::Ignored => "ignored",
        PlainText::Fails => "a failed hook",
        PlainText::Unread => "not read",
    };
    let keys = |keys: &[Key]| keys.iter().map(|key| key.name()).collect::<Vec<_>>().join(", ");
    vec![
        ("only when", row.only_when.into()),
        ("matcher target", target),
        ("exit 2", exit_2),
        ("continue: false", stop),
        ("knows at the top", keys(row.top)),
        ("in hookSpecificOutput", keys(row.specific)),
        ("plain text", plain_text.into()),
        ("longest timeout", row.longest.map_or_else(String::new, |longest| format!("{} s", longest.as_secs()))),
    ]
}

impl Key {
    /// As an answer spells it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Key::Continue => "continue",
            Key::StopReason => "stopReason",
            Key::SuppressOutput => "suppressOutput",
            Key::SystemMessage => "systemMessage",
            Key::Decision | Key::Permission => "decision",
            Key::Reason => "reason",
            Key::HookSpecificOutput => "hookSpecificOutput",
            Key::HookEventName => "hookEventName",
            Key::PermissionDecision => "permissionDecision",
            Key::PermissionDecisionReason => "permissionDecisionReason",
            Key::UpdatedInput => "updatedInput",
            Key::AdditionalContext => "additionalContext",
            Key::UpdatedMcpToolOutput => "updatedMCPToolOutput",
            Key::Behavior => "behavior",
            Key::Message => "message",
            Key::UpdatedPermissions => "updatedPermissions",
            Key::Interrupt => "interrupt",
        }
    }
}
