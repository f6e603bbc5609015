//! Where the default differs from what Cursor's own program was measured to do: one row each, and
//! the only place that looks at the fidelity. Other rooms ask for a row by its [`Way`], or read an
//! event's facts from the table of their fidelity.

use std::time::Duration;

use harness_hooks_core::{Capabilities, Departure, Fidelity};

use crate::events::{Ask, Event, Key, Row, Target};

/// A departure that some room asks for. The others are facts of events, and stand in the table of
/// each fidelity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Exit2Text,
    Version,
    BadItems,
    Reason,
    Context,
    ControlElsewhere,
    ClaudeShape,
    LoopLimit,
    WireKeys,
    ToolOutput,
    Shell,
    JsonSuffix,
    Signal,
    Jsonc,
    Symlink,
    EnvNames,
    OldSpelling,
    RewriteKeys,
}

/// The ways of one fidelity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ways(Fidelity);

impl Ways {
    pub(crate) const fn of(fidelity: Fidelity) -> Self {
        Ways(fidelity)
    }

    /// Whether Cursor's own way is taken, not ours.
    pub(crate) const fn cursors(self, _: Way) -> bool {
        matches!(self.0, Fidelity::Vendor)
    }

    /// The one of two tables that is this fidelity's.
    pub(crate) const fn pick<T: ?Sized>(self, guarded: &'static T, vendor: &'static T) -> &'static T {
        match self.0 {
            Fidelity::Guarded => guarded,
            Fidelity::Vendor => vendor,
        }
    }
}

const PERMISSION: &[&str] = &[
    "preToolUse",
    "subagentStart",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
];
const CONFIG: &str = "a configuration case in both fidelities";
const STDIN: &str = "stdin.json and stdin.vendor.json of every event";

/// Every departure.
#[rustfmt::skip]
pub(crate) static DEPARTURES: [Departure; 23] = [
    Departure::new("missing-permission", PERMISSION,
        "an object without `permission`, `{}` too, is no opinion and the operation goes on",
        "a denial that says what to print",
        "measured on the engine of SDK 1.0.32; a study of CLI 2026.09.10 agrees"),
    Departure::new("exit-2-text", &[],
        "stdout is the reason as it stands, JSON too; else stderr; else a general sentence",
        "the messages of a JSON object on stdout; else stdout; else stderr; else a written reason",
        "measured on the engine of SDK 1.0.32"),
    Departure::new("version", &[],
        "any whole number from 1 upward is read",
        "only 1, so that a later schema is not read with today's meanings",
        "measured on the engine of SDK 1.0.32").shown_by(CONFIG),
    Departure::new("bad-items", &[],
        "one unknown event, bad matcher or bad definition refuses the whole file; prompt definitions are valid",
        "an unknown event, a prompt definition or a matcher that does not compile is skipped with a warning and the rest of the file guards on; a wrong value refuses the file here too",
        "measured on the engine of SDK 1.0.32 and, by a user, on CLI 2026.09.10").shown_by(CONFIG),
    Departure::new("mcp-target", &["beforeMCPExecution", "afterMCPExecution"],
        "matchers are tested against `MCP:<tool>` only",
        "against the bare name too: authors wrote both, and neither guard may go silent",
        "measured on the engine of SDK 1.0.32").shown_by("`an_mcp_matcher_sees_both_names`"),
    Departure::new("mcp-ask", &["beforeMCPExecution"],
        "an ask has no effect and the call runs",
        "the user is asked, as the documentation says",
        "measured on the engine of SDK 1.0.32"),
    Departure::new("reason", PERMISSION,
        "`user_message` is what the model reads; `agent_message` is dropped, and nothing is shown beside an allow",
        "the model reads `agent_message`, else `user_message`; the user sees `user_message`",
        "measured on the engine of SDK 1.0.32; the documentation says what we do"),
    Departure::new("missing-continue", &["beforeSubmitPrompt"],
        "an answer without `continue` lets the prompt go",
        "it breaks the schema and follows `failClosed`",
        "measured on the engine of SDK 1.0.32"),
    Departure::new("context", &["sessionStart", "preToolUse", "postToolUse", "postToolUseFailure", "beforeSubmitPrompt"],
        "`additional_context` is read on preToolUse and beforeSubmitPrompt too; one of more than 10 000 characters is dropped whole",
        "read where it is documented, whole",
        "measured on the engine of SDK 1.0.32"),
    Departure::new("control-elsewhere", &[],
        "a key that controls something at another event is ignored",
        "it is reported, and before an operation it denies",
        "measured on the engine of SDK 1.0.32"),
    Departure::new("claude-shape", &["sessionStart", "preToolUse", "postToolUse", "postToolUseFailure", "beforeSubmitPrompt", "subagentStop", "stop"],
        "Claude's object counts only where no flat key is there and its `hookEventName` fits; its context is read at four events",
        "each nested field stands in for its flat field when that one is absent, at preToolUse, stop and subagentStop",
        "measured on the engine of SDK 1.0.32 with the switch that the CLI turns on"),
    Departure::new("loop-limit", &["stop", "subagentStop"],
        "null is no limit, 0 refuses the file, and the key is checked on every event",
        "the host's cap holds and says so, 0 never continues, and on other events the key is ignored",
        "measured on the engine of SDK 1.0.32").shown_by(CONFIG),
    Departure::new("timeout", &[],
        "60 s at every event",
        "the host's: 30 s before an operation, 60 s elsewhere, 5 s at the end of a session",
        "measured on the engine of SDK 1.0.32 and in a study of CLI 2026.09.10").shown_by("`timeouts_differ_by_fidelity`"),
    Departure::new("wire-keys", &[],
        "only keys seen on the wire: no empty `model_params`, no `exit_code`, no second version, `tool_use_id` on the tool events only",
        "the contract's further keys",
        "captures of the editor 3.7.21 and 3.17.19, of several CLI builds, and the engine of SDK 1.0.32").shown_by(STDIN),
    Departure::new("tool-output", &["postToolUse"],
        "`tool_output` has a few keys of each tool and no file's content",
        "it also says the kind of tool and carries contents whole",
        "measured on the engine of SDK 1.0.32").shown_by(STDIN),
    Departure::new("shell", &[],
        "the user's login shell: `$SHELL -lc`",
        "bash, else sh, and no login: what a profile prints would stand before the answer",
        "measured on the engine of SDK 1.0.32; the editor 3.17.19 was seen to use /bin/bash").shown_by("`the_shell_is_a_function_of_the_machine`"),
    Departure::new("json-suffix", &[],
        "of output that does not parse, the last `{…}` at its end that does counts",
        "text around the JSON is malformed",
        "measured on the engine of SDK 1.0.32"),
    Departure::new("signal", &[],
        "a hook killed by a signal is read as if it had ended well",
        "a failure",
        "measured on the engine of SDK 1.0.32"),
    Departure::new("jsonc", &[],
        "comments are cut out of the text, also inside strings; a byte order mark refuses the file; an empty file is none",
        "read as JSON with comments, with a warning of what Cursor would do",
        "measured on the engine of SDK 1.0.32").shown_by(CONFIG),
    Departure::new("symlink", &[],
        "a project's file behind a symbolic link is refused",
        "it is read, with a warning",
        "measured on the engine of SDK 1.0.32").shown_by("`a_link_in_the_project_is_refused_by_cursor_only`"),
    Departure::new("env-names", &["sessionStart"],
        "any variable is set for later hooks, over the built-in ones",
        "names that steer how hooks run are dropped unless the host lets them through",
        "measured on the engine of SDK 1.0.32"),
    Departure::new("old-spelling", &[],
        "`userMessage` and `agentMessage` are unknown keys",
        "read as `user_message` and `agent_message`, with a warning",
        "measured on the engine of SDK 1.0.32; reported by users of 2.0.64"),
    Departure::new("rewrite-keys", &["preToolUse"],
        "a few keys of an input can be changed, the others are ignored and the original value runs",
        "every key the tool shows, and a key it has not is a denial",
        "measured on the engine of SDK 1.0.32").shown_by("`a_key_that_does_not_fit_denies_here_and_is_ignored_by_cursor`"),
];

/// The row of an event as Cursor's program has it.
pub(crate) const fn as_cursor_has_it(mut row: Row) -> Row {
    row.spec = row.spec.timeout(Duration::from_secs(60));
    row.required = false;
    row.notice_on_allow = false;
    match row.event {
        Event::PreToolUse => {
            row.spec = row.spec.can(row.spec.capabilities.and(Capabilities::CONTEXT));
            row.reads = &[
                Key::Permission,
                Key::UserMessage,
                Key::AgentMessage,
                Key::UpdatedInput,
                Key::AdditionalContext,
                Key::HookSpecificOutput,
            ];
        }
        Event::BeforeSubmitPrompt => {
            row.spec = row.spec.can(row.spec.capabilities.and(Capabilities::CONTEXT));
            row.reads = &[Key::Continue, Key::UserMessage, Key::AdditionalContext, Key::HookSpecificOutput];
        }
        Event::PostToolUse => {
            row.reads = &[Key::UpdatedMcpToolOutput, Key::AdditionalContext, Key::HookSpecificOutput];
        }
        Event::SessionStart => {
            row.reads = &[Key::Env, Key::AdditionalContext, Key::Continue, Key::UserMessage, Key::HookSpecificOutput];
        }
        Event::BeforeMcpExecution => {
            row.ask = Ask::NotEnforced;
            row.target = Target::McpName;
        }
        Event::AfterMcpExecution => row.target = Target::McpName,
        _ => {}
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that no room asks for changes nothing, and a way without a row is undocumented.
    #[test]
    fn every_way_is_a_row_and_every_other_row_is_a_fact_of_events() {
        let asked = [
            (Way::Exit2Text, "exit-2-text"),
            (Way::Version, "version"),
            (Way::BadItems, "bad-items"),
            (Way::Reason, "reason"),
            (Way::Context, "context"),
            (Way::ControlElsewhere, "control-elsewhere"),
            (Way::ClaudeShape, "claude-shape"),
            (Way::LoopLimit, "loop-limit"),
            (Way::WireKeys, "wire-keys"),
            (Way::ToolOutput, "tool-output"),
            (Way::Shell, "shell"),
            (Way::JsonSuffix, "json-suffix"),
            (Way::Signal, "signal"),
            (Way::Jsonc, "jsonc"),
            (Way::Symlink, "symlink"),
            (Way::EnvNames, "env-names"),
            (Way::OldSpelling, "old-spelling"),
            (Way::RewriteKeys, "rewrite-keys"),
        ];
        let facts = ["missing-permission", "mcp-target", "mcp-ask", "missing-continue", "timeout"];
        let mut named: Vec<&str> = asked.iter().map(|(_, id)| *id).chain(facts).collect();
        let mut rows: Vec<&str> = DEPARTURES.iter().map(|row| row.id).collect();
        named.sort_unstable();
        rows.sort_unstable();
        assert_eq!(named, rows);
        let last = Way::RewriteKeys as usize;
        assert!(asked.iter().map(|(way, _)| *way as usize).eq(0..=last), "each way once, in order");
    }
}
