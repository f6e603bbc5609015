//! Where the default differs from what Claude Code itself was measured to do: one row each, and the
//! only place that looks at the fidelity. Other rooms ask for a row by its [`Way`].

use harness_hooks_core::{Departure, Fidelity};

/// A departure that some room asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    LostForm,
    MissingEventName,
    DecisionWords,
    TextBeforeJson,
    PermissionExit2,
    ContinueFalse,
    BadEntry,
    WorktreePath,
    StopCap,
    ControlElsewhere,
    WeakerCopy,
}

/// The ways of one fidelity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ways(Fidelity);

impl Ways {
    pub(crate) const fn of(fidelity: Fidelity) -> Self {
        Ways(fidelity)
    }

    /// Whether Claude Code's own way is taken, not ours.
    pub(crate) const fn claudes(self, _: Way) -> bool {
        matches!(self.0, Fidelity::Vendor)
    }
}

const MEASURED: &str = "measured on 2.1.332";
/// Where a control field that is not read refuses.
const BEFORE: &[&str] = &["PreToolUse", "PermissionRequest", "UserPromptSubmit", "SubagentStart"];

/// Every departure.
#[rustfmt::skip]
pub(crate) static DEPARTURES: [Departure; 12] = [
    Departure::new("lost-form", &[],
        "a wrong type, an unknown word of another field or a bad message beside a refusal or an ask rejects the whole answer, and the tool runs",
        "the refusal or the ask counts",
        MEASURED),
    Departure::new("missing-event-name", &[],
        "`hookSpecificOutput` without `hookEventName` rejects the answer",
        "beside a refusal or an ask it is read",
        MEASURED),
    Departure::new("decision-words", &[],
        "`\"DENY\"`, `\"block\"`, `decision: \"deny\"` and a `decision` outside its wrapper reject the answer; a top-level `permissionDecision` and Cursor's `permission` are ignored",
        "they refuse, and the right form is shown",
        MEASURED),
    Departure::new("text-before-json", &[],
        "text before an object that refuses makes all of it plain text; several objects with a key of an answer are rejected",
        "the refusal counts where it is the last thing printed; several objects are plain text",
        MEASURED),
    Departure::new("permission-exit-2", &["PermissionRequest"],
        "exit 2 does nothing",
        "it denies, as it does before a tool runs",
        MEASURED),
    Departure::new("continue-false", &["PreToolUse"],
        "`continue: false` lets the tool run, then ends the turn",
        "it also denies the call",
        MEASURED),
    Departure::new("bad-entry", &["PreToolUse", "PermissionRequest", "PreSkillShellCommand"],
        "a bad entry refuses the whole file, with its other hooks",
        "the entry is left out with an error, and a strict host refuses until it is put right",
        "measured on 2.1.332; PreSkillShellCommand documented").shown_by("configuration cases in both fidelities"),
    Departure::new("worktree-path", &["WorktreeCreate"],
        "the last line that is not blank is the path",
        "exactly one line with an absolute path is",
        "documented; the program was seen to fail without a path"),
    Departure::new("stop-cap", &["Stop", "SubagentStop", "TeammateIdle"],
        "8 continuations in a row, counted anew after a tool call, and the host's cap still holds",
        "the host's cap, in total since the user's prompt",
        "measured on 2.1.332, where a ninth hook is started and not heeded; that a tool call starts the count again is not done here in either fidelity").shown_by("`stop_hooks_have_a_limit_of_their_own_only_in_claude_code`"),
    Departure::new("control-elsewhere", BEFORE,
        "a control field that the event does not read is ignored",
        "it is reported, and refuses",
        MEASURED),
    Departure::new("weaker-copy", &[],
        "of several copies of a hook the last counts with its own `async` and `onFailure`, so that a project's copy weakens a user's guard",
        "it blocks where one of them does, and is waited for where one of them is",
        "measured on 2.1.332 for `async`").shown_by("`a_copy_takes_no_edge_off_a_guard`"),
    Departure::new("pipes", &[],
        "hooks read and write unix sockets, so that `/dev/stdin` cannot be opened",
        "pipes, in both fidelities: a row to know, not a switch",
        MEASURED).shown_by("nothing: what works on sockets works on pipes"),
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
            (Way::PermissionExit2, "permission-exit-2"),
            (Way::ContinueFalse, "continue-false"),
            (Way::BadEntry, "bad-entry"),
            (Way::WorktreePath, "worktree-path"),
            (Way::StopCap, "stop-cap"),
            (Way::ControlElsewhere, "control-elsewhere"),
            (Way::WeakerCopy, "weaker-copy"),
        ];
        let mut named: Vec<&str> = asked.iter().map(|(_, id)| *id).chain(["pipes"]).collect();
        let mut rows: Vec<&str> = DEPARTURES.iter().map(|row| row.id).collect();
        named.sort_unstable();
        rows.sort_unstable();
        assert_eq!(named, rows);
        let last = Way::WeakerCopy as usize;
        assert!(asked.iter().map(|(way, _)| *way as usize).eq(0..=last), "each way once, in order");
    }
}
