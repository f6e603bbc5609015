//! Where the default differs from what Codex itself was measured to do: one row each, and the only
//! place that looks at the fidelity. Other rooms ask for a row by its [`Way`].

use harness_hooks_core::{Departure, Fidelity};

/// A departure that some room asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    LostForm,
    MissingEventName,
    DecisionWords,
    TextBeforeJson,
    Exit2Silent,
    Ask,
    BareAllow,
    RewriteDropped,
    ControlElsewhere,
    JsonReading,
    BadEntry,
    TopLevelKey,
    Jsonc,
    DuplicateEvent,
}

/// The ways of one fidelity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ways(Fidelity);

impl Ways {
    pub(crate) const fn of(fidelity: Fidelity) -> Self {
        Ways(fidelity)
    }

    /// Whether Codex's own way is taken, not ours.
    pub(crate) const fn codexs(self, _: Way) -> bool {
        matches!(self.0, Fidelity::Vendor)
    }
}

const MEASURED: &str = "measured on 0.171.0";
const CONFIG: &str = "configuration cases in both fidelities";
const NO_SWITCH: &str = "nothing: it is a row to know, not a switch";

/// Every departure.
#[rustfmt::skip]
pub(crate) static DEPARTURES: [Departure; 18] = [
    Departure::new("lost-form", &[],
        "a missing reason, an unknown key, a wrong type or a reserved field beside a refusal or an ask rejects the whole answer, and the tool runs",
        "the refusal or the ask counts",
        MEASURED),
    Departure::new("missing-event-name", &[],
        "`hookSpecificOutput` without `hookEventName` rejects the answer",
        "beside a refusal or an ask it is read",
        MEASURED),
    Departure::new("decision-words", &["PreToolUse", "PermissionRequest", "PreCompact", "UserPromptSubmit"],
        "`\"Deny\"`, `decision: \"deny\"`, a top-level `permissionDecision`, a `decision` outside its wrapper and the like reject the answer",
        "they refuse, and the right form is shown",
        MEASURED),
    Departure::new("text-before-json", &[],
        "a byte order mark or a line of log text before the object makes all of it plain text",
        "a byte order mark is skipped, and so is text before a refusal",
        MEASURED),
    Departure::new("exit-2-silent", &["PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "SubagentStop", "Stop"],
        "exit 2 with empty stderr is a failed hook, and the tool runs",
        "it refuses with a written reason",
        MEASURED),
    Departure::new("ask", &["PreToolUse"],
        "`ask` is a failed hook, and the tool runs",
        "the user is asked",
        MEASURED),
    Departure::new("bare-allow", &["PreToolUse"],
        "`allow` without a rewrite, and `approve`, are a failed hook, whose context is lost",
        "no opinion, and the rest of the answer counts",
        MEASURED),
    Departure::new("rewrite-dropped", &["PreToolUse"],
        "`updatedInput` without `allow`, or beside a break of form, is a failed hook, and the original runs",
        "the call is denied, because the original is not what the hook wanted to run",
        MEASURED),
    Departure::new("control-elsewhere", &["PreToolUse", "PermissionRequest", "UserPromptSubmit", "SubagentStart"],
        "a control field its event does not know is a failed hook, or ignored",
        "it is reported, and refuses",
        MEASURED),
    Departure::new("json-reading", &[],
        "half a surrogate pair, nesting of 128 levels and more, and `1e400` reject the answer, and refuse a `hooks.json`",
        "read as JavaScript reads them",
        "read in the source, not measured"),
    Departure::new("bad-entry", &[],
        "one bad entry refuses the whole file; in `config.toml` the program does not start",
        "the entry is left out with an error, and a strict host refuses until it is put right",
        MEASURED).shown_by(CONFIG),
    Departure::new("top-level-key", &[],
        "another key at the top of `hooks.json` refuses the file",
        "it is ignored with a warning",
        MEASURED).shown_by(CONFIG),
    Departure::new("jsonc", &[],
        "a byte order mark, comments and bytes that are not UTF-8 refuse the file",
        "it is read, with a warning that Codex would not",
        MEASURED).shown_by(CONFIG),
    Departure::new("duplicate-event", &[],
        "an event that stands twice refuses the file",
        "the last counts, with a warning",
        MEASURED).shown_by(CONFIG),
    Departure::new("hook-trust", &[],
        "a handler without a recorded hash is skipped in silence unless a flag says otherwise",
        "the gate is the host's to switch on, in both fidelities, and says what it skips",
        MEASURED).shown_by(NO_SWITCH),
    Departure::new("stop-cap", &["SubagentStop", "Stop"],
        "continuations without end",
        "the host's cap, in both fidelities",
        MEASURED).shown_by(NO_SWITCH),
    Departure::new("rewrite-race", &["PreToolUse"],
        "of several rewrites the one whose process ends last counts",
        "binding order, in both fidelities",
        MEASURED).shown_by(NO_SWITCH),
    Departure::new("long-context", &[],
        "long context is written to a file and shown by its ends",
        "it is kept whole with a note, in both fidelities",
        MEASURED).shown_by(NO_SWITCH),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that no room asks for changes nothing, and a way without a row is undocumented.
    #[test]
    fn every_way_is_a_row_and_every_other_row_says_that_it_is_none() {
        let asked = [
            (Way::LostForm, "lost-form"),
            (Way::MissingEventName, "missing-event-name"),
            (Way::DecisionWords, "decision-words"),
            (Way::TextBeforeJson, "text-before-json"),
            (Way::Exit2Silent, "exit-2-silent"),
            (Way::Ask, "ask"),
            (Way::BareAllow, "bare-allow"),
            (Way::RewriteDropped, "rewrite-dropped"),
            (Way::ControlElsewhere, "control-elsewhere"),
            (Way::JsonReading, "json-reading"),
            (Way::BadEntry, "bad-entry"),
            (Way::TopLevelKey, "top-level-key"),
            (Way::Jsonc, "jsonc"),
            (Way::DuplicateEvent, "duplicate-event"),
        ];
        let to_know = DEPARTURES.iter().filter(|row| row.not_in_vectors == Some(NO_SWITCH)).map(|row| row.id);
        let mut named: Vec<&str> = asked.iter().map(|(_, id)| *id).chain(to_know).collect();
        let mut rows: Vec<&str> = DEPARTURES.iter().map(|row| row.id).collect();
        named.sort_unstable();
        rows.sort_unstable();
        assert_eq!(named, rows);
        let last = Way::DuplicateEvent as usize;
        assert!(asked.iter().map(|(way, _)| *way as usize).eq(0..=last), "each way once, in order");
    }
}
