//! What holds of any outcome beside what holds of any vendor's, and what a refusal survives.

use harness_hooks_codex::Codex;
use harness_hooks_core::testing::{generate, vectors};
use harness_hooks_core::{Adapter, Effects, EventId, Exit, FailureMode, Outcome, Verdict};
use harness_hooks_fixtures::of;
use proptest::{
    prelude::*,
    sample::{select, subsequence},
};
use serde_json::{Map, Value, json};

use super::{EVENTS, asked, guarded, vendor};

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Outcomes that are nearly those of the vectors.
fn outcome() -> impl Strategy<Value = Outcome> {
    let groups = vectors(&of("codex")).unwrap().into_iter().flat_map(|file| file.groups);
    generate::outcome(&groups.map(|group| group.outcome.outcome().stdout).collect::<Vec<_>>())
}

/// CDX-OUT-61, in order.
const ORDER: [&str; 15] = [
    "leaked",
    "text-before-json",
    "missing-event-name",
    "other-event",
    "lost-form",
    "rejected-output",
    "rewrite-dropped",
    "decision-word",
    "unsupported-effect",
    "bare-allow",
    "ignored-field",
    "long-context",
    "plain-text",
    "exit-code",
    "hook-failed",
];

fn check(event: &str, outcome: &Outcome, effects: &Effects) -> Result<(), TestCaseError> {
    let spec = &Codex::new().events()[asked(event).event.index()];
    let place = |code: &str| ORDER.iter().position(|known| code == format!("codex/{known}"));
    let places: Vec<Option<usize>> = effects.diagnostics.iter().map(|told| place(&told.code)).collect();
    if outcome.exit != Exit::Cancelled {
        prop_assert!(places.iter().all(Option::is_some), "a code of its own: {:?}", effects.diagnostics);
    }
    let again = |pair: &[Option<usize>]| pair[0] == pair[1] && pair[0] == place("codex/unsupported-effect");
    let ordered = places.windows(2).all(|pair| pair[0] < pair[1] || again(pair));
    prop_assert!(ordered, "out of order (CDX-OUT-61): {:?}", effects.diagnostics);

    let rejected = effects.diagnostics.iter().any(|told| told.code == "codex/rejected-output");
    if rejected {
        let alone =
            effects.diagnostics.iter().all(|told| ["codex/leaked", "codex/rejected-output"].contains(&&*told.code));
        prop_assert!(alone, "rejected and that alone (CDX-OUT-30): {:?}", effects.diagnostics);
        prop_assert!(effects.context.is_empty() && effects.notices.is_empty() && effects.replacement_input.is_none());
    }
    let clean = |text: &str| {
        text == text.trim() && !text.is_empty() && !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    };
    let halted = effects.halt.iter().filter_map(|halt| halt.reason.as_ref());
    for text in effects.reasons.iter().chain(&effects.notices).chain(halted) {
        prop_assert!(clean(text), "not cleaned (CDX-OUT-56): {:?}", text);
    }
    if effects.halt.is_some() {
        prop_assert!(effects.reasons.is_empty(), "a halt leaves reasons empty (CDX-OUT-48)");
    }
    if spec.control.can_block() && outcome.exit == Exit::Cancelled {
        prop_assert!(refuses(effects), "a cancelled hook refuses (CDX-OUT-02)");
    }
    if outcome.exit != Exit::Code(0) {
        let quiet = effects.replacement_input.is_none() && effects.context.is_empty() && effects.notices.is_empty();
        prop_assert!(quiet && effects.unsupported.is_empty(), "nothing printed is read (CDX-OUT-01)");
    }
    Ok(())
}

fn refuses(effects: &Effects) -> bool {
    effects.verdict == Some(Verdict::Deny)
        || effects.halt.is_some()
        || effects.continuation.is_some()
        || effects.replacement_result.is_some()
}

/// Each way of refusing, where it stands, and where its reason stands.
fn refusals() -> Vec<(&'static str, Value)> {
    let specific = |event: &str, rest: Value| {
        let mut specific = json!({"hookEventName": event});
        specific.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        json!({"hookSpecificOutput": specific})
    };
    let mut refusals = vec![
        ("PreToolUse", specific("PreToolUse", json!({"permissionDecision": "deny", "permissionDecisionReason": "R"}))),
        ("PermissionRequest", specific("PermissionRequest", json!({"decision": {"behavior": "deny", "message": "R"}}))),
    ];
    let block = json!({"decision": "block", "reason": "R"});
    let stop = json!({"continue": false, "stopReason": "R"});
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SubagentStop", "Stop"] {
        refusals.push((event, block.clone()));
    }
    for event in
        ["PostToolUse", "PreCompact", "PostCompact", "SessionStart", "UserPromptSubmit", "SubagentStop", "Stop"]
    {
        refusals.push((event, stop.clone()));
    }
    refusals
}

/// One thing that Codex rejects an answer for.
#[derive(Clone, Copy, Debug)]
enum Break {
    KeyAtTheTop,
    KeyInside,
    KeyInTheDecision,
    NumberForAMessage,
    TextForASwitch,
    NullForASwitch,
    SpecificOfText,
    NoName,
    WrongName,
    NoReason,
    BlankReason,
    NumberForAReason,
    Context,
    Rewrite,
    Permissions,
    Ask,
}

const BREAKS: [Break; 16] = [
    Break::KeyAtTheTop,
    Break::KeyInside,
    Break::KeyInTheDecision,
    Break::NumberForAMessage,
    Break::TextForASwitch,
    Break::NullForASwitch,
    Break::SpecificOfText,
    Break::NoName,
    Break::WrongName,
    Break::NoReason,
    Break::BlankReason,
    Break::NumberForAReason,
    Break::Context,
    Break::Rewrite,
    Break::Permissions,
    Break::Ask,
];

impl Break {
    fn of(self, answer: &mut Value) {
        let top = answer.as_object_mut().unwrap();
        let set = |object: &mut Map<String, Value>, key: &str, value: Value| drop(object.insert(key.into(), value));
        match self {
            Break::KeyAtTheTop => set(top, "extra", json!({"continue": true})),
            Break::NumberForAMessage => set(top, "systemMessage", json!(1e300)),
            Break::TextForASwitch => set(top, "suppressOutput", json!("true")),
            Break::NullForASwitch => set(top, "suppressOutput", Value::Null),
            Break::NoReason => reasons(answer, |object, key| drop(object.remove(key))),
            Break::BlankReason => reasons(answer, |object, key| drop(object.insert(key.into(), json!(" \n")))),
            Break::NumberForAReason => reasons(answer, |object, key| drop(object.insert(key.into(), json!(5)))),
            Break::SpecificOfText => {
                top.entry("hookSpecificOutput").or_insert(json!("deny"));
            }
            Break::KeyInTheDecision | Break::Permissions => {
                let key = if matches!(self, Break::Permissions) { "updatedPermissions" } else { "extra" };
                let decision = answer.pointer_mut("/hookSpecificOutput/decision").and_then(Value::as_object_mut);
                decision.into_iter().for_each(|decision| set(decision, key, json!([])));
            }
            _ => {
                let Some(specific) = answer.pointer_mut("/hookSpecificOutput").and_then(Value::as_object_mut) else {
                    return;
                };
                match self {
                    Break::NoName => drop(specific.remove("hookEventName")),
                    Break::WrongName => set(specific, "hookEventName", json!("preToolUse")),
                    Break::Context => set(specific, "additionalContext", json!(["C"])),
                    Break::Rewrite => set(specific, "updatedInput", json!({"command": "ls"})),
                    Break::Ask => drop(specific.entry("permissionDecision").or_insert(json!("ask"))),
                    _ => set(specific, "extra", json!(null)),
                }
            }
        }
    }
}

/// Does something with every reason of an answer.
fn reasons(answer: &mut Value, mut with: impl FnMut(&mut Map<String, Value>, &str)) {
    for (object, key) in [
        ("", "reason"),
        ("", "stopReason"),
        ("/hookSpecificOutput", "permissionDecisionReason"),
        ("/hookSpecificOutput/decision", "message"),
    ] {
        let object = answer.pointer_mut(object).and_then(Value::as_object_mut);
        object.into_iter().filter(|object| object.contains_key(key)).for_each(|object| with(object, key));
    }
}

fn around() -> impl Strategy<Value = (&'static str, &'static str)> {
    let before =
        ["", "", "\n ", "\u{feff}", "\u{feff}\n\u{feff}", "nvm: {v22}\n", "[INFO] \"x\" ", "\u{feff}log\r\n", "it's {"];
    (select(before.to_vec()), select(vec!["", "\n", " \r\n\n", "\u{feff}", "\u{3000}"]))
}

proptest! {
    #![proptest_config(cases(1000))]

    /// CDX-OUT-62: any bytes on any exit give effects, in both fidelities.
    #[test]
    fn any_outcome_has_effects(event in select(EVENTS.to_vec()), outcome in outcome(), closed: bool, strict: bool) {
        let failure = if closed { FailureMode::Closed } else { FailureMode::Open };
        let asked = asked(event).failure(failure).strict(strict);
        for decode in [guarded, vendor] {
            check(event, &outcome, &decode(asked, &outcome))?;
        }
    }

    /// CDX-OUT-59: a reason of ours is about this hook, in this host, and no other product.
    #[test]
    fn reasons_name_nobody_else(event in select(EVENTS.to_vec()), outcome in outcome()) {
        let effects = guarded(asked(event).failure(FailureMode::Closed).strict(true), &outcome);
        let halted = effects.halt.iter().filter_map(|halt| halt.reason.as_ref());
        for reason in effects.reasons.iter().chain(halted).filter(|reason| reason.contains("Acme")) {
            prop_assert!(reason.contains("./guard.sh"), "{}", reason);
            let named = ["Codex", "Claude", "Cursor"].iter().any(|product| reason.contains(product));
            prop_assert!(!named, "{}", reason);
        }
    }

    /// CDX-OUT-19, CDX-OUT-20, CDX-OUT-32, CDX-OUT-33: a refusal is never lost to a detail of its
    /// form, nor to what stands around it; and its reason is not lost to another detail.
    #[test]
    fn a_refusal_survives_what_is_wrong_beside_it(
        (event, answer) in select(refusals()),
        breaks in subsequence(BREAKS.to_vec(), 0..4),
        (before, behind) in around(),
        pretty: bool,
    ) {
        let mut broken = answer;
        breaks.iter().for_each(|one| one.of(&mut broken));
        let text = if pretty { serde_json::to_string_pretty(&broken) } else { serde_json::to_string(&broken) }.unwrap();
        let stdout = format!("{before}{text}{behind}");
        let effects = guarded(asked(event), &Outcome::new(Exit::Code(0)).stdout(stdout.clone()));
        prop_assert!(refuses(&effects), "{event}: {stdout}\n{effects:?}");

        let mut keeps_its_reason = true;
        let mut seen = broken.clone();
        reasons(&mut seen, |object, key| keeps_its_reason &= object[key] == "R");
        let silenced = breaks.iter().any(|one| matches!(one, Break::NoReason));
        if keeps_its_reason && !silenced {
            let said = format!("{:?}{:?}{:?}{:?}", effects.reasons, effects.halt, effects.continuation, effects.replacement_result);
            prop_assert!(said.contains("\"R\""), "{event}: {stdout}\n{effects:?}");
        }
    }

    /// CDX-OUT-35: the words refuse in any case and under each other's names.
    #[test]
    fn the_words_refuse_wherever_they_are_looked_for(
        event in select(vec!["PreToolUse", "PermissionRequest", "PreCompact", "UserPromptSubmit"]),
        word in select(vec!["deny", "DENY", "Deny", "block", "Block", "bLOCK"]),
        place in select(vec!["/decision", "/permissionDecision", "/permission", "/inside/decision", "/inside/permissionDecision"]),
        breaks in subsequence(vec![Break::KeyAtTheTop, Break::NullForASwitch, Break::NoName, Break::KeyInside], 0..3),
        (before, behind) in around(),
    ) {
        let mut answer = match place.strip_prefix("/inside/") {
            Some(key) => json!({"hookSpecificOutput": {"hookEventName": event, key: word}}),
            None => json!({&place[1..]: word}),
        };
        breaks.iter().for_each(|one| one.of(&mut answer));
        let stdout = format!("{before}{answer}{behind}");
        let effects = guarded(asked(event), &Outcome::new(Exit::Code(0)).stdout(stdout.clone()));
        prop_assert!(refuses(&effects), "{event}: {stdout}\n{effects:?}");
    }
}

/// The events of the tests are all events there are.
#[test]
fn every_event_is_tested() {
    let ids: Vec<EventId> = EVENTS.iter().map(|event| asked(event).event).collect();
    assert_eq!(ids, (0..12).map(EventId).collect::<Vec<_>>());
    assert_eq!(Codex::new().events().len(), 12);
}
