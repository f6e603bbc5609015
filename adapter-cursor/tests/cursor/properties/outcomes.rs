//! What hooks print, nearly right.

use harness_hooks_core::{Adapter, Asked, Control, Effects, EventId, Exit, FailureMode, Outcome, Verdict};
use harness_hooks_cursor::Cursor;
use proptest::{collection::vec, prelude::*, sample::select};

use super::{cases, mutations::damage};
use crate::common;

/// A key of an answer with its value, as they are written.
fn entry() -> impl Strategy<Value = String> {
    let value = |key: &'static str, values: &'static [&'static str]| {
        select(values).prop_map(move |value| format!("\"{key}\":{value}"))
    };
    let texts: &[&str] = &[r#""no""#, r#""""#, r#"" \u0007 ""#, r#""\ud800""#, "5", "null"];
    prop_oneof![
        8 => value("permission", &[r#""allow""#, r#""deny""#, r#""ask""#, r#""Deny""#, r#"" deny""#, r#""block""#, "null", "1"]),
        4 => value("continue", &["true", "false", r#""false""#, "null", "0"]),
        2 => value("user_message", texts),
        2 => value("agent_message", texts),
        1 => value("userMessage", texts),
        1 => value("agentMessage", texts),
        2 => value("updated_input", &[r#"{"command":"ls"}"#, "{}", "[]", "null", r#"{"a":{"b":[1e400]}}"#]),
        2 => value("additional_context", texts),
        2 => value("followup_message", texts),
        1 => value("env", &[r#"{"A":"1"}"#, r#"{"PATH":"x","B":"2"}"#, r#"{"A":1}"#, "[]", "null"]),
        1 => value("updated_mcp_tool_output", &[r#""x""#, "null", r#"{"content":[]}"#]),
        1 => value("pluginPaths", &[r#"["/a"]"#, r#"[" "]"#, "[]", r#""/a""#]),
        2 => value("decision", &[r#""block""#, r#""approve""#, "null", "1"]),
        1 => value("reason", texts),
        3 => value("hookSpecificOutput", &[
            r#"{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}"#,
            r#"{"permissionDecision":"ask","updatedInput":{"command":"ls"}}"#,
            r#"{"decision":"block","reason":"again"}"#,
            r#"{"permissionDecision":"DENY"}"#,
            "{}",
            "null",
            r#""deny""#,
        ]),
        1 => value("suppressOutput", &["true"]),
    ]
}

fn answer() -> impl Strategy<Value = Vec<u8>> {
    let object = vec(entry(), 0..5).prop_map(|entries| format!("{{{}}}", entries.join(",")));
    let odd = select(vec!["", " \n", "[]", "null", r#""deny""#, "deny", "```json\n{\"permission\":\"deny\"}\n```"]);
    let text = prop_oneof![12 => object, 2 => odd.prop_map(str::to_owned)];
    (text, damage()).prop_map(|(text, damage)| damage.of(&text))
}

fn exit() -> impl Strategy<Value = Exit> {
    prop_oneof![
        10 => Just(Exit::Code(0)),
        4 => Just(Exit::Code(2)),
        2 => any::<i32>().prop_map(Exit::Code),
        1 => (1..65).prop_map(Exit::Signal),
        1 => Just(Exit::TimedOut),
        1 => Just(Exit::Cancelled),
        1 => Just(Exit::NotStarted("No such file or directory".into())),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let stderr = select(vec!["", "why\n", "\u{1b}[31mred"]);
    let rarely = || proptest::bool::weighted(0.1);
    (exit(), answer(), stderr, rarely(), rarely()).prop_map(|(exit, stdout, stderr, truncated, leaked)| {
        Outcome::new(exit).stdout(stdout).stderr(stderr).truncated(truncated).leaked(leaked)
    })
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

/// What must hold of the effects of any outcome.
fn check(event: EventId, outcome: &Outcome, effects: &Effects) -> Result<(), TestCaseError> {
    let spec = &Cursor::new().events()[event.index()];
    let allowed = match spec.control {
        Control::Verdict => effects.halt.is_none(),
        Control::PromptHalt => effects.verdict.is_none(),
        _ => effects.verdict.is_none() && effects.halt.is_none(),
    };
    prop_assert!(allowed, "{} said more than it can: {:?}", spec.name, effects);
    prop_assert!(effects.continuation.is_none() || spec.control == Control::Continuation);

    let clean = |text: &str| {
        text == text.trim() && !text.is_empty() && !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    };
    let halted = effects.halt.iter().filter_map(|halt| halt.reason.as_ref());
    for text in effects.reasons.iter().chain(&effects.notices).chain(halted) {
        prop_assert!(clean(text), "not cleaned (CUR-OUT-53): {:?}", text);
    }
    if matches!(effects.verdict, Some(Verdict::Deny | Verdict::Ask)) {
        prop_assert!(!effects.reasons.is_empty(), "refused without a reason");
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
    #![proptest_config(cases(2000))]

    /// CUR-OUT-57: any bytes on any exit give effects, and they are what the event can give.
    #[test]
    fn any_outcome_has_effects(event in event(), outcome in outcome()) {
        for (failure, strict) in MODES {
            check(event, &outcome, &decode(event, failure, strict, &outcome))?;
        }
    }

    /// CUR-OUT-57: also random bytes.
    #[test]
    fn any_bytes_have_effects(event in event(), exit in exit(), stdout in vec(any::<u8>(), 0..100), stderr in vec(any::<u8>(), 0..20)) {
        let outcome = Outcome::new(exit).stdout(stdout).stderr(stderr);
        for (failure, strict) in MODES {
            check(event, &outcome, &decode(event, failure, strict, &outcome))?;
        }
    }

    /// CUR-OUT-07, CUR-OUT-08, CUR-OUT-18: who asks for more caution never gets less, and where
    /// nothing can be refused caution changes nothing.
    #[test]
    fn closed_and_strict_are_never_weaker(event in event(), outcome in outcome()) {
        let [open, closed, strict, both] = MODES.map(|(failure, strict)| decode(event, failure, strict, &outcome));
        for (weaker, stronger) in [(&open, &closed), (&open, &strict), (&closed, &both), (&strict, &both)] {
            prop_assert!(weight(weaker) <= weight(stronger), "{:?} became {:?}", weaker, stronger);
        }
        if !Cursor::new().events()[event.index()].control.can_block() {
            prop_assert_eq!(&open, &closed);
            prop_assert_eq!(&open, &both);
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
