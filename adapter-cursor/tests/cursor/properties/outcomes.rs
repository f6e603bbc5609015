//! What hooks print, nearly right, and what Cursor's contract makes of it beside what holds of any
//! vendor.

use harness_hooks_core::{Adapter, Asked, Effects, EventId, Exit, FailureMode, Outcome, Verdict};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{generate, of, vectors};
use proptest::prelude::*;

use super::cases;
use crate::common;

/// Outcomes that are nearly those of the vectors.
fn outcome() -> impl Strategy<Value = Outcome> {
    let groups = vectors(&of("cursor")).unwrap().into_iter().flat_map(|file| file.groups);
    generate::outcome(&groups.map(|group| group.outcome.outcome().stdout).collect::<Vec<_>>())
}

fn event() -> impl Strategy<Value = EventId> {
    (0..21u16).prop_map(EventId)
}

fn decode(event: EventId, failure: FailureMode, strict: bool, outcome: &Outcome) -> Effects {
    let asked = Asked::new(event, "Acme", "./guard.sh").failure(failure).strict(strict).loop_limit(Some(5));
    Cursor::new().decode(asked, outcome)
}

/// How much it stands in the way: nothing, an ask, a refusal.
fn weight(effects: &Effects) -> u8 {
    match (effects.verdict, &effects.halt) {
        (Some(Verdict::Deny), _) | (_, Some(_)) => 2,
        (Some(Verdict::Ask | Verdict::Defer), _) => 1,
        _ => 0,
    }
}

const MODES: [(FailureMode, bool); 4] =
    [(FailureMode::Open, false), (FailureMode::Closed, false), (FailureMode::Open, true), (FailureMode::Closed, true)];

/// What must hold of the effects of any outcome, beside what holds of any vendor's.
fn check(event: EventId, outcome: &Outcome, effects: &Effects) -> Result<(), TestCaseError> {
    let spec = &Cursor::new().events()[event.index()];
    let clean = |text: &str| {
        text == text.trim() && !text.is_empty() && !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    };
    let halted = effects.halt.iter().filter_map(|halt| halt.reason.as_ref());
    for text in effects.reasons.iter().chain(&effects.notices).chain(halted) {
        prop_assert!(clean(text), "not cleaned (CUR-OUT-53): {:?}", text);
    }
    prop_assert!(effects.halt.as_ref().is_none_or(|halt| halt.reason.is_some()), "halted without a reason");
    if effects.halt.is_some() {
        prop_assert!(effects.reasons.is_empty(), "a halt leaves reasons empty (CUR-OUT-43)");
    }

    let malformed = effects.diagnostics.iter().any(|d| d.code == "cursor/malformed-output");
    if malformed {
        prop_assert_eq!(effects.diagnostics.len(), 1, "malformed and that alone (CUR-OUT-15)");
        let mut rest = effects.clone();
        (rest.verdict, rest.halt, rest.undecided) = (None, None, false);
        (rest.reasons, rest.diagnostics) = (Vec::new(), Vec::new());
        prop_assert_eq!(rest, Effects::default(), "no other part of it is used (CUR-OUT-15)");
    }
    if spec.control.can_block() && matches!(outcome.exit, Exit::Code(2) | Exit::Cancelled) {
        prop_assert_eq!(weight(effects), 2, "exit 2 and a cancelled guard refuse (CUR-OUT-02, CUR-OUT-10)");
    }
    if outcome.exit != Exit::Code(0) {
        prop_assert!(
            effects.replacement_input.is_none() && effects.context.is_empty() && effects.session_env.is_empty()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    /// CUR-OUT-57: any bytes on any exit give effects.
    #[test]
    fn any_outcome_has_effects(event in event(), outcome in outcome()) {
        for (failure, strict) in MODES {
            check(event, &outcome, &decode(event, failure, strict, &outcome))?;
        }
    }

    /// CUR-OUT-07, CUR-OUT-08, CUR-OUT-18: where nothing can be refused caution changes nothing, what
    /// the definition asks for no more than what the host does.
    #[test]
    fn closed_changes_nothing_where_nothing_can_be_refused(event in event(), outcome in outcome()) {
        let [open, rest @ ..] = MODES.map(|(failure, strict)| decode(event, failure, strict, &outcome));
        if !Cursor::new().events()[event.index()].control.can_block() {
            prop_assert!(rest.iter().all(|effects| *effects == open), "{:?} or {:?}", open, rest);
        }
    }

    /// CUR-OUT-54: a reason of ours is about this hook, in this host, and no other product.
    #[test]
    fn reasons_name_nobody_else(event in event(), outcome in outcome()) {
        let effects = decode(event, FailureMode::Closed, true, &outcome);
        let halted = effects.halt.iter().filter_map(|halt| halt.reason.as_ref());
        for reason in effects.reasons.iter().chain(halted).filter(|reason| reason.contains("Acme")) {
            prop_assert!(reason.contains("./guard.sh"), "{}", reason);
            prop_assert!(!reason.contains("Cursor") && !reason.contains("Claude"), "{}", reason);
        }
    }
}

/// The events of the generators are all events there are.
#[test]
fn the_table_has_as_many_events_as_are_generated() {
    assert_eq!(Cursor::new().events().len(), 21);
    assert_eq!(common::event("workspaceOpen").index(), 20);
}

/// CUR-OUT-54: a command of which cleaning leaves nothing still gives a reason that names the host.
#[test]
fn a_hook_without_a_name_is_refused_by_the_hosts() {
    let asked = Asked::new(common::event("preToolUse"), "Acme", "\u{1b}\u{7}");
    let effects = Cursor::new().decode(asked, &Outcome::new(Exit::Code(2)));
    assert!(effects.reasons[0].contains("Acme") && !effects.reasons[0].contains('\u{1b}'), "{:?}", effects.reasons);
}
