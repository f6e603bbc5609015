//! What holds of any output, beside what the kit holds every adapter to.

use harness_hooks_claude::Claude;
use harness_hooks_core::{
    Adapter, Asked, Control, Effects, EventId, Exit, FailureMode, Fidelity, HaltScope, Handler, Outcome, Question,
    Scratch, Verdict,
};
use harness_hooks_fixtures::{generate, of, vectors};
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};

use super::{BOTH, decode, event, http};

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Outcomes that are nearly those of the vectors.
fn outcome() -> impl Strategy<Value = Outcome> {
    let groups = vectors(&of("claude")).expect("the vectors can be read").into_iter().flat_map(|file| file.groups);
    generate::outcome(&groups.map(|group| group.outcome.outcome().stdout).collect::<Vec<_>>())
}

fn any_event() -> impl Strategy<Value = EventId> {
    (0..34u16).prop_map(EventId)
}

fn handler() -> impl Strategy<Value = Option<Handler>> {
    let tool = Handler::McpTool { name: "s/t".into(), server: "s".into(), tool: "t".into(), input: None };
    let question = || Question::new("safe?");
    select(vec![
        None,
        Some(http()),
        Some(tool),
        Some(Handler::Prompt(question())),
        Some(Handler::Agent(question().continue_on_block(true))),
    ])
}

const MODES: [(FailureMode, bool); 4] =
    [(FailureMode::Open, false), (FailureMode::Closed, false), (FailureMode::Open, true), (FailureMode::Closed, true)];

/// It was refused: denied, or its prompt halted.
fn refused(effects: &Effects) -> bool {
    let halted = effects.halt.as_ref().is_some_and(|halt| halt.scope == HaltScope::Prompt);
    effects.verdict == Some(Verdict::Deny) || halted
}

/// What must hold of the effects of any outcome.
fn check(event: EventId, effects: &Effects) -> Result<(), TestCaseError> {
    let clean = |text: &str| {
        text == text.trim() && !text.is_empty() && !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    };
    let halted = effects.halt.iter().filter_map(|halt| halt.reason.as_ref());
    for text in effects.reasons.iter().chain(&effects.notices).chain(&effects.feedback).chain(halted) {
        prop_assert!(clean(text), "not cleaned (CLA-OUT-65): {:?}", text);
    }
    let continuation = effects.continuation.iter().map(|continuation| &continuation.message);
    for text in effects.context.iter().chain(continuation) {
        prop_assert!(text.trim() == &**text && !text.is_empty(), "not trimmed (CLA-OUT-65): {:?}", text);
    }
    if Claude::new().events()[event.index()].control == Control::PromptHalt {
        prop_assert!(effects.reasons.is_empty(), "a halt leaves reasons empty (CLA-OUT-56)");
    }
    let codes: Vec<&str> = effects.diagnostics.iter().map(|told| &*told.code).collect();
    let order = codes.iter().map(|code| ORDER.iter().position(|known| known == code));
    let order: Option<Vec<usize>> = order.collect();
    prop_assert!(order.is_some_and(|order| order.is_sorted()), "out of order (CLA-OUT-67): {:?}", codes);
    for (n, code) in codes.iter().enumerate() {
        let once = *code == "claude/unsupported-effect" || !codes[..n].contains(code);
        prop_assert!(once, "said twice (CLA-OUT-67): {:?}", codes);
    }
    if codes.contains(&"claude/rejected-output") {
        prop_assert!(
            codes.iter().all(|code| matches!(*code, "claude/leaked" | "claude/rejected-output")),
            "{:?}",
            codes
        );
        prop_assert!(effects.context.is_empty() && effects.notices.is_empty() && effects.replacement_input.is_none());
    }
    Ok(())
}

/// CLA-OUT-67
const ORDER: [&str; 16] = [
    "claude/leaked",
    "claude/text-before-json",
    "claude/missing-event-name",
    "claude/other-event",
    "claude/lost-form",
    "claude/rejected-output",
    "claude/decision-word",
    "claude/unsupported-effect",
    "claude/ignored-field",
    "claude/long-context",
    "claude/plain-text",
    "claude/exit-code",
    "claude/hook-failed",
    "claude/permission-exit-2",
    "claude/cancelled",
    "claude/session-env-name",
];

proptest! {
    #![proptest_config(cases(800))]

    /// CLA-OUT-65, CLA-OUT-67, CLA-OUT-68: whatever ran, in both fidelities.
    #[test]
    fn any_outcome_has_effects(event in any_event(), outcome in outcome(), handler in handler()) {
        for fidelity in BOTH {
            for (failure, strict) in MODES {
                let asked = Asked::new(event, "Acme", "./guard.sh").failure(failure).strict(strict);
                check(event, &Claude::with_fidelity(fidelity).decode(asked.handler(handler.as_ref()), &outcome))?;
            }
        }
    }

    /// CLA-OUT-68, CLA-OUT-69
    #[test]
    fn any_file_of_variables_is_read(bytes in prop_oneof![
        vec(any::<u8>(), 0..80),
        "(export |declare -x |A=|B=|'|\"|\\\\|\\$|;|#|\n| |x|é|\\(|\\{|if |<<){0,20}".prop_map(String::into_bytes),
    ]) {
        let outcome = Outcome::new(Exit::Code(0)).scratch(Scratch::new("/run/env", bytes));
        for wish in decode(Asked::new(event("Setup"), "Acme", "x"), &outcome).session_env {
            let plain = wish.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            prop_assert!(plain && !wish.name.is_empty() && !wish.value.contains('\0'), "{:?}", wish);
        }
    }

    /// CLA-OUT-66: a reason of ours is about this hook, in this host, and no other product.
    #[test]
    fn reasons_name_nobody_else(event in any_event(), outcome in outcome()) {
        let asked = Asked::new(event, "Acme", "./guard.sh").failure(FailureMode::Closed).strict(true);
        let effects = decode(asked, &outcome);
        let halted = effects.halt.iter().filter_map(|halt| halt.reason.as_ref());
        for reason in effects.reasons.iter().chain(&effects.feedback).chain(halted).filter(|text| text.contains("Acme")) {
            prop_assert!(reason.contains("./guard.sh"), "{}", reason);
            prop_assert!(!reason.contains("Claude") && !reason.contains("Cursor"), "{}", reason);
        }
    }
}

// ---- a refusal is not lost ----

/// Refusals in the right form, and in others that count by default.
fn refusal() -> impl Strategy<Value = (&'static str, &'static str)> {
    select(vec![
        ("PreToolUse", r#""hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}"#),
        ("PreToolUse", r#""decision":"block""#),
        ("PreToolUse", r#""continue":false"#),
        ("PreToolUse", r#""decision":"Deny""#),
        ("PreToolUse", r#""permission":"deny""#),
        ("PreToolUse", r#""hookSpecificOutput":{"permissionDecision":"BLOCK"}"#),
        (
            "PermissionRequest",
            r#""hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}"#,
        ),
        ("PermissionRequest", r#""decision":"block""#),
        ("UserPromptSubmit", r#""decision":"block""#),
        ("UserPromptSubmit", r#""continue":false"#),
        ("PreCompact", r#""permissionDecision":"deny""#),
        ("Elicitation", r#""hookSpecificOutput":{"hookEventName":"Elicitation","action":"cancel"}"#),
        ("PreModelSwitch", r#""hookSpecificOutput":{"permissionDecision":"deny"}"#),
    ])
}

/// What is printed beside a refusal, right or wrong, and never another decision.
fn beside() -> impl Strategy<Value = Vec<&'static str>> {
    let keys = select(vec![
        r#""systemMessage":5"#,
        r#""systemMessage":"m""#,
        r#""suppressOutput":"yes""#,
        r#""stopReason":null"#,
        r#""reason":["r"]"#,
        r#""reason":"r""#,
        r#""note":1e400"#,
        r#""terminalSequence":{}"#,
        r#""async":true"#,
    ]);
    vec(keys, 0..4)
}

fn exit() -> impl Strategy<Value = Exit> {
    prop_oneof![3 => Just(Exit::Code(0)), 2 => any::<i32>().prop_map(Exit::Code), 1 => (1..65).prop_map(Exit::Signal)]
}

/// What stands around an answer and does not matter.
fn space() -> impl Strategy<Value = String> {
    vec(select(vec![" ", "\n", "\r\n", "\t", "\u{feff}", "\u{a0}", "\u{2028}"]), 0..4).prop_map(|parts| parts.concat())
}

/// What a profile, a tool or a log prints.
fn noise() -> impl Strategy<Value = String> {
    let part = select(vec![
        "Loading nvm…",
        "{12 aliases}",
        "0",
        "[info] up",
        "it's {ready",
        "a \"quoted\" word",
        "\u{0}",
        "\u{1b}[31m",
        "}",
        "null",
        "{\"level\":\"info\"} up",
        "{\"a\":\"b",
        "C:\\path",
        "function f() {",
        "```json",
    ]);
    vec(part, 1..4).prop_map(|parts| parts.join("\n"))
}

fn object(refusal: &str, beside: &[&str], at: Index) -> String {
    let mut fields = beside.to_vec();
    fields.insert(at.index(beside.len() + 1), refusal);
    format!("{{{}}}", fields.join(","))
}

proptest! {
    #![proptest_config(cases(2000))]

    /// CLA-OUT-20, CLA-OUT-25, CLA-OUT-30, CLA-OUT-37, CLA-OUT-38, CLA-OUT-41: white space, text
    /// before it, wrong fields beside it, any exit.
    #[test]
    fn a_refusal_is_not_lost((name, refusal) in refusal(), beside in beside(), at in any::<Index>(),
        before in prop_oneof![space(), (noise(), space()).prop_map(|(noise, space)| format!("{noise}\n{space}"))],
        behind in space(), exit in exit())
    {
        let stdout = format!("{before}{}{behind}", object(refusal, &beside, at));
        let effects = decode(Asked::new(event(name), "Acme", "x"), &Outcome::new(exit).stdout(stdout.as_str()));
        prop_assert!(refused(&effects), "{}: {:?}", stdout, effects);
    }

    /// CLA-OUT-20, CLA-OUT-30: what the program itself honours, with white space around it and at
    /// any exit, is honoured in its own way too.
    #[test]
    fn a_refusal_in_its_right_form_is_not_lost_in_claudes_way(
        stdout in select(vec![
            r#"{"decision":"block"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","x":1},"y":2}"#,
        ]),
        before in space(), behind in space(), exit in exit())
    {
        let outcome = Outcome::new(exit).stdout(format!("{before}{stdout}{behind}"));
        let effects = Claude::with_fidelity(Fidelity::Vendor).decode(Asked::new(event("PreToolUse"), "Acme", "x"), &outcome);
        prop_assert!(refused(&effects), "{:?}", effects);
    }

    /// CLA-OUT-22, CLA-OUT-24: text behind it, or whole objects before it, make it plain text.
    #[test]
    fn a_refusal_before_text_or_behind_objects_is_none((name, refusal) in refusal(), space in space(),
        behind in prop_oneof![Just("done"), Just("\u{0}"), Just("5"), Just("]")])
    {
        let asked = Asked::new(event(name), "Acme", "x");
        for stdout in [format!("{{{refusal}}}{space}{behind}"), format!("{{\"a\":1}}\n{{{refusal}}}{space}")] {
            let effects = decode(asked, &Outcome::new(Exit::Code(0)).stdout(stdout.as_str()));
            prop_assert!(!refused(&effects), "{}: {:?}", stdout, effects);
        }
    }
}
