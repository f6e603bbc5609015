//! Decoding, beyond what the fixtures hold.

#![allow(clippy::unwrap_used, reason = "what helpers of tests cannot do fails the test")]

mod measured;
mod properties;

use harness_hooks_codex::Codex;
use harness_hooks_core::{
    Adapter, Asked, Effects, Exit, FailureMode, Fidelity, HaltScope, Handler, Outcome, Verdict, testing::codes,
};

const EVENTS: [&str; 12] = [
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
];

fn asked<'a>(event: &str) -> Asked<'a> {
    let event = Codex::new().event(event).unwrap_or_else(|| panic!("{event} is no event"));
    Asked::new(event, "Acme", "./guard.sh")
}

fn guarded(asked: Asked<'_>, outcome: &Outcome) -> Effects {
    Codex::new().decode(asked, outcome)
}

fn vendor(asked: Asked<'_>, outcome: &Outcome) -> Effects {
    Codex::with_fidelity(Fidelity::Vendor).decode(asked, outcome)
}

fn printed(stdout: impl Into<Vec<u8>>) -> Outcome {
    Outcome::new(Exit::Code(0)).stdout(stdout)
}

/// CDX-RUN-09: what a tool says is read as what a command prints, and named by server and tool.
#[test]
fn the_answer_of_an_mcp_tool_is_read_as_standard_output() {
    let handler =
        Handler::McpTool { name: "policy/check".into(), server: "policy".into(), tool: "check".into(), input: None };
    let ask = |event| {
        let event = Codex::new().event(event).unwrap();
        Asked::new(event, "Acme", handler.text()).handler(&handler)
    };
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}"#;
    let effects = guarded(ask("PreToolUse"), &printed(deny));
    assert_eq!((effects.verdict, effects.reasons[0].as_ref()), (Some(Verdict::Deny), "R"));

    let bare = guarded(ask("PreToolUse"), &printed(r#"{"decision":"block"}"#));
    assert!(bare.reasons[0].contains("`policy/check`") && bare.reasons[0].contains("Acme"), "{:?}", bare.reasons);

    let text = guarded(ask("UserPromptSubmit"), &printed("the branch is frozen\n"));
    assert_eq!(text.context, ["the branch is frozen"]);
    let text = guarded(ask("PreToolUse"), &printed("fine"));
    assert_eq!((text.verdict, codes(&text.diagnostics)), (None, vec!["note codex/plain-text".to_owned()]));
    let nothing = guarded(ask("PreToolUse").strict(true).failure(FailureMode::Closed), &printed(""));
    assert_eq!(nothing, Effects::default());
}

/// CDX-OUT-03 to CDX-OUT-08, CDX-RUN-09
#[test]
fn a_call_without_an_answer_is_a_failure() {
    let failed =
        Outcome::new(Exit::Failed("was told that there is no tool `check`".into())).stdout("{\"continue\":false}");
    for event in EVENTS {
        for decode in [guarded, vendor] {
            let open = decode(asked(event), &failed);
            assert_eq!(codes(&open.diagnostics), ["warning codex/hook-failed"], "{event}");
            assert!(open.diagnostics[0].message.contains("no tool `check`"), "{:?}", open.diagnostics);
            let mut rest = open.clone();
            rest.diagnostics.clear();
            rest.undecided = false;
            assert_eq!(rest, Effects::default(), "{event}");

            let closed = decode(asked(event).failure(FailureMode::Closed), &failed);
            let strict = decode(asked(event).strict(true), &failed);
            match event {
                "PreToolUse" | "PermissionRequest" | "PreCompact" => {
                    for effects in [closed, strict] {
                        assert_eq!(effects.verdict, Some(Verdict::Deny), "{event}");
                        let reason = &effects.reasons[0];
                        assert!(reason.contains("gave no answer") && reason.contains("Acme"), "{event}: {reason}");
                    }
                    assert!(open.undecided, "{event}: no approval of another's counts");
                }
                "UserPromptSubmit" => {
                    for effects in [closed, strict] {
                        let halt = effects.halt.unwrap();
                        assert_eq!(halt.scope, HaltScope::Prompt);
                        assert!(halt.reason.unwrap().contains("gave no answer"));
                    }
                }
                "PostToolUse" => {
                    let value = closed.replacement_result.unwrap().value;
                    let text = r#""Acme: `./guard.sh` gave no answer; this tool result is withheld.""#;
                    assert_eq!(value.to_string(), text);
                    assert_eq!(strict, open);
                }
                _ => assert!(closed == open && strict == open, "{event}"),
            }
        }
    }
}

/// CDX-RUN-08: of a hook nobody waits for, only what it tells is left.
#[test]
fn a_hook_nobody_waits_for_decides_nothing() {
    let late = |event, outcome: &Outcome| {
        let effects = guarded(asked(event), outcome).after_the_fact(false);
        let informs = (effects.context.clone(), effects.notices.clone());
        let mut rest = effects;
        (rest.context, rest.notices, rest.diagnostics) = Default::default();
        assert_eq!(rest, Effects::default(), "{event}");
        informs.0.iter().chain(&informs.1).map(ToString::to_string).collect::<Vec<_>>()
    };
    let deny = r#"{"systemMessage":"M","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R","additionalContext":"C"}}"#;
    assert_eq!(late("PreToolUse", &printed(deny)), ["C", "M"]);
    let rewrite = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"},"additionalContext":"C"}}"#;
    assert_eq!(late("PreToolUse", &printed(rewrite)), ["C"]);
    let block = r#"{"decision":"block","reason":"R"}"#;
    for event in ["PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop"] {
        assert!(late(event, &printed(block)).is_empty(), "{event}");
        assert!(late(event, &printed(r#"{"continue":false}"#)).is_empty(), "{event}");
        assert!(late(event, &Outcome::new(Exit::Code(2)).stderr("E")).is_empty(), "{event}");
    }
    assert_eq!(late("UserPromptSubmit", &printed("plain\n")), ["plain"]);
}

/// CDX-OUT-59: a command of which cleaning leaves nothing still gives a reason that names the host,
/// and an unknown key does not spoil it.
#[test]
fn written_reasons_can_be_shown() {
    let event = asked("PreToolUse").event;
    let effects = guarded(Asked::new(event, "Acme", "\u{1b}\u{7}"), &Outcome::new(Exit::Code(2)));
    let reason = &effects.reasons[0];
    assert!(reason.contains("Acme") && reason.contains("exited with code 2"), "{reason}");

    let long = format!("{{\"\\u001b{}\":1}}", "k".repeat(5000));
    let effects = guarded(asked("PreToolUse").failure(FailureMode::Closed), &printed(long));
    let reason = &effects.reasons[0];
    assert!(reason.len() < 300 && !reason.contains('\u{1b}') && reason.contains("`kkk"), "{reason}");

    let why = Exit::NotStarted("no such file:\u{7}\nx".into());
    let effects = guarded(asked("PreToolUse").failure(FailureMode::Closed), &Outcome::new(why));
    assert!(effects.reasons[0].contains("could not be started (no such file:\nx)"), "{:?}", effects.reasons);
}

/// CDX-OUT-35: whoever uses another's words is shown the event's own.
#[test]
fn the_right_form_is_shown() {
    let forms = [
        ("PreToolUse", r#"{"permission":"deny"}"#, "permissionDecisionReason"),
        ("PermissionRequest", r#"{"decision":"deny"}"#, r#""behavior":"deny""#),
        ("UserPromptSubmit", r#"{"decision":"deny"}"#, r#"{"decision":"block","reason":"why"}"#),
        ("PreCompact", r#"{"decision":"deny"}"#, r#"{"continue":false,"stopReason":"why"}"#),
    ];
    for (event, stdout, form) in forms {
        let effects = guarded(asked(event), &printed(stdout));
        assert_eq!(codes(&effects.diagnostics), ["warning codex/decision-word"], "{event}");
        let help = effects.diagnostics[0].help.as_deref().unwrap();
        assert!(help.contains(form), "{event}: {help}");
        // and what is shown is right
        let shown = help.split('`').nth(1).unwrap();
        assert!(guarded(asked(event), &printed(shown)).diagnostics.is_empty(), "{event}: {shown}");
    }
}

/// CDX-OUT-29: the first field that is wrong is named, in the order in which they were printed.
#[test]
fn the_first_wrong_field_is_named() {
    let named = [
        (r#"{"suppressOutput":true,"extra":1}"#, "`suppressOutput`"),
        (r#"{"extra":1,"suppressOutput":true}"#, "`extra`"),
        (r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","extra":1},"continue":null}"#, "`extra`"),
        (r#"{"hookSpecificOutput":{"extra":1}}"#, "`hookEventName`"),
        (r#"{"hookSpecificOutput":{"hookEventName":"pre_tool_use"}}"#, "`hookEventName`"),
        (r#"{"decision":"zzz","reason":5}"#, "`decision`"),
    ];
    for (stdout, field) in named {
        let effects = guarded(asked("PreToolUse").failure(FailureMode::Closed), &printed(stdout));
        let (reason, told) = (&effects.reasons[0], &effects.diagnostics[0].message);
        assert!(reason.contains(field) && told.contains(field), "{stdout}\n{reason}\n{told}");
    }
}

/// CDX-OUT-37, CDX-OUT-61: what is not done is listed from the top of the answer inwards.
#[test]
fn what_is_not_done_is_listed_from_the_top() {
    let stdout = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","updatedInput":{},"permissionDecision":"ask"},"continue":false}"#;
    let effects = guarded(asked("PermissionRequest"), &printed(stdout));
    let fields: Vec<&str> = effects.unsupported.iter().map(|entry| &*entry.field).collect();
    assert_eq!(fields, ["continue", "updatedInput", "permissionDecision"]);
    assert!(effects.unsupported.iter().all(|entry| entry.event == "PermissionRequest"));
}

/// CDX-OUT-58: what the model is told is limited, a reason is not.
#[test]
fn a_long_reason_is_not_long_context() {
    let long = Outcome::new(Exit::Code(2)).stderr("x".repeat(10_001));
    let noted = |event| codes(&guarded(asked(event), &long).diagnostics);
    for event in ["PreToolUse", "PermissionRequest", "UserPromptSubmit"] {
        assert!(noted(event).is_empty(), "{event}");
    }
    for event in ["PostToolUse", "SubagentStop", "Stop"] {
        assert_eq!(noted(event), ["note codex/long-context"], "{event}");
    }
}

/// CDX-OUT-19, CDX-OUT-56, CDX-OUT-57: a byte order mark is as good as white space, but not to Codex,
/// which takes it for a reason.
#[test]
fn a_text_of_a_byte_order_mark_is_blank() {
    let deny = "{\"decision\":\"block\",\"reason\":\"\u{feff}\",\"systemMessage\":\"\u{feff} \"}";
    let ours = guarded(asked("PreToolUse"), &printed(deny));
    assert!(ours.reasons[0].contains("Acme") && ours.notices.is_empty() && ours.diagnostics.is_empty(), "{ours:?}");
    let codexs = vendor(asked("PreToolUse"), &printed(deny));
    assert_eq!((codexs.reasons[0].as_ref(), codexs.diagnostics.len()), ("\u{feff}", 0));

    let silent = Outcome::new(Exit::Code(2)).stderr("\u{feff}\n");
    assert!(guarded(asked("Stop"), &silent).continuation.unwrap().message.contains("gives no reason"));
    assert_eq!(vendor(asked("Stop"), &silent).continuation.unwrap().message, "\u{feff}");
}

/// CDX-OUT-16, CDX-OUT-22: hooks of public fault reports: a crash, a timeout, and words that are no
/// JSON are told apart.
#[test]
fn each_kind_of_failure_is_told_apart() {
    let kind = |outcome: Outcome| codes(&guarded(asked("PreToolUse"), &outcome).diagnostics);
    assert_eq!(kind(Outcome::new(Exit::Code(3))), ["note codex/exit-code"]);
    assert_eq!(kind(Outcome::new(Exit::TimedOut)), ["warning codex/hook-failed"]);
    assert_eq!(kind(printed("not json {")), ["note codex/plain-text"]);
    assert_eq!(kind(printed("{not json")), ["warning codex/rejected-output"]);
}
