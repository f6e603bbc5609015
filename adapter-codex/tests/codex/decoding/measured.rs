//! What Codex itself was measured to do with each answer, in fidelity `Vendor`: a line for each, and
//! what it came to in a few words.

use harness_hooks_core::{Effects, Exit, InputRewrite, Outcome, Verdict};

use super::{asked, printed, vendor};

/// What the program did, in the words of the tables below.
fn did(effects: &Effects) -> String {
    let mut did = Vec::new();
    match effects.verdict {
        Some(Verdict::Deny) => did
            .push(format!("denied {}", effects.reasons.iter().map(|reason| &**reason).collect::<Vec<_>>().join("; "))),
        Some(verdict) => did.push(verdict.name().to_owned()),
        None => {}
    }
    did.extend(effects.halt.iter().map(|halt| {
        let reason = halt.reason.as_deref().unwrap_or("for no reason");
        format!("halted {reason}")
    }));
    did.extend(effects.continuation.iter().map(|wish| format!("goes on {}", wish.message)));
    did.extend(effects.replacement_result.iter().map(|wish| format!("result {}", wish.value)));
    did.extend(effects.replacement_input.iter().map(|wish| match wish {
        InputRewrite::Replace(input) => format!("runs {input}"),
        InputRewrite::Patch(input) => format!("patched {input}"),
    }));
    did.extend(effects.context.iter().map(|text| format!("context {text}")));
    did.extend(effects.notices.iter().map(|text| format!("notice {text}")));
    let failed = ["codex/rejected-output", "codex/hook-failed", "codex/exit-code"];
    if effects.diagnostics.iter().any(|told| failed.contains(&&*told.code)) {
        did.push("failed".into());
    }
    assert!(effects.unsupported.is_empty() && effects.feedback.is_empty(), "{effects:?}");
    if did.is_empty() { "nothing".into() } else { did.join(", ") }
}

fn holds(event: &str, table: &[(&str, &str)]) {
    for (stdout, expected) in table {
        // the tables leave out what every line would say
        let stdout = stdout.replace("HSO", &format!(r#""hookSpecificOutput":{{"hookEventName":"{event}""#));
        let stdout = stdout.replace("PD", r#""permissionDecision""#).replace("WHY", r#""permissionDecisionReason""#);
        assert_eq!(did(&vendor(asked(event), &printed(&*stdout))), *expected, "{event}: {stdout}");
    }
}

#[test]
fn before_a_tool_runs() {
    holds(
        "PreToolUse",
        &[
            // a denial, in either form, with its reason
            (r#"{HSO,PD:"deny",WHY:"R"}}"#, "denied R"),
            (r#"{HSO,PD:"deny"}}"#, "failed"),
            (r#"{HSO,PD:"deny",WHY:" \t"}}"#, "failed"),
            (r#"{"decision":"block","reason":"R"}"#, "denied R"),
            (r#"{"decision":"block"}"#, "failed"),
            (r#"{"decision":"block","reason":""}"#, "failed"),
            // an allow is a rewrite or nothing
            (r#"{HSO,PD:"allow"}}"#, "failed"),
            (r#"{HSO,PD:"allow",WHY:"R"}}"#, "failed"),
            (r#"{HSO,PD:"allow","additionalContext":"C"}}"#, "failed"),
            (r#"{HSO,PD:"allow","updatedInput":{"command":"ls"}}}"#, r#"runs {"command":"ls"}"#),
            (r#"{HSO,PD:"allow","updatedInput":"ls"}}"#, r#"runs "ls""#),
            (r#"{HSO,"updatedInput":{"command":"ls"}}}"#, "failed"),
            (r#"{HSO,PD:"deny",WHY:"R","updatedInput":{"command":"ls"}}}"#, "failed"),
            (r#"{HSO,PD:"ask","updatedInput":{"command":"ls"}}}"#, "failed"),
            // what it knows and does not do, alone and beside a denial
            (r#"{HSO,PD:"ask",WHY:"R"}}"#, "failed"),
            (r#"{"decision":"approve"}"#, "failed"),
            (r#"{"continue":false}"#, "failed"),
            (r#"{"stopReason":"S"}"#, "failed"),
            (r#"{"suppressOutput":true}"#, "failed"),
            (r#"{"continue":false,HSO,PD:"deny",WHY:"R"}}"#, "failed"),
            (r#"{"stopReason":"S",HSO,PD:"deny",WHY:"R"}}"#, "failed"),
            (r#"{"suppressOutput":true,HSO,PD:"deny",WHY:"R"}}"#, "failed"),
            // reasons of nothing
            (r#"{"reason":"R"}"#, "failed"),
            (r#"{HSO,WHY:"R"}}"#, "failed"),
            // words and keys it does not know
            (r#"{HSO,PD:"defer"}}"#, "failed"),
            (r#"{HSO,PD:"Deny",WHY:"R"}}"#, "failed"),
            (r#"{HSO,PD:"banana"}}"#, "failed"),
            (r#"{"decision":"deny","reason":"R"}"#, "failed"),
            (r#"{"decision":"allow"}"#, "failed"),
            (r#"{HSO,PD:"deny",WHY:"R","denyReason":"R"}}"#, "failed"),
            (r#"{HSO,PD:"deny",WHY:5}}"#, "failed"),
            (r#"{HSO,"permission_decision":"deny"}}"#, "failed"),
            // what it adds
            (r#"{HSO,"additionalContext":"C"}}"#, "context C"),
            (r#"{HSO,PD:"deny",WHY:"R","additionalContext":"C"}}"#, "denied R, context C"),
            (r#"{"decision":"block","reason":"R",HSO,"additionalContext":"C"}}"#, "denied R, context C"),
            (r#"{HSO,PD:"allow","updatedInput":{},"additionalContext":"C"}}"#, "runs {}, context C"),
            (r#"{"systemMessage":"M"}"#, "notice M"),
            (r#"{"systemMessage":"M",HSO,PD:"deny",WHY:"R"}}"#, "denied R, notice M"),
            (r#"{HSO,PD:"deny",WHY:"R","systemMessage":"M"}}"#, "failed"),
            // the old word is not read beside the new ones
            (r#"{"decision":"block","reason":"R",HSO,PD:"allow","updatedInput":{}}}"#, "runs {}"),
            (r#"{"decision":"block","reason":"OLD",HSO,PD:"deny",WHY:"R"}}"#, "denied R"),
            ("{}", "nothing"),
        ],
    );
}

/// Which event is named does not matter, as long as it is one.
#[test]
fn the_name_of_the_event() {
    let answer = |name: &str| {
        format!(r#"{{"hookSpecificOutput":{{{name}"permissionDecision":"deny","permissionDecisionReason":"R"}}}}"#)
    };
    for (name, expected) in [
        (r#""hookEventName":"PreToolUse","#, "denied R"),
        (r#""hookEventName":"PostToolUse","#, "denied R"),
        (r#""hookEventName":"Notification","#, "failed"),
        (r#""hookEventName":"pre_tool_use","#, "failed"),
        (r#""hookEventName":null,"#, "failed"),
        ("", "failed"),
    ] {
        assert_eq!(did(&vendor(asked("PreToolUse"), &printed(answer(name)))), expected, "{name}");
    }
}

#[test]
fn before_the_user_is_asked() {
    holds(
        "PermissionRequest",
        &[
            (r#"{HSO,"decision":{"behavior":"allow"}}}"#, "allow"),
            (r#"{HSO,"decision":{"behavior":"deny","message":"R"}}}"#, "denied R"),
            (r#"{HSO,"decision":{"behavior":"deny","message":"R","updatedInput":{}}}}"#, "failed"),
            (r#"{HSO,"decision":{"behavior":"allow","updatedInput":{}}}}"#, "failed"),
            (r#"{HSO,"decision":{"behavior":"allow","updatedInput":null}}}"#, "allow"),
            (r#"{HSO,"decision":{"behavior":"allow","updatedPermissions":[]}}}"#, "failed"),
            (r#"{HSO,"decision":{"behavior":"allow","interrupt":true}}}"#, "failed"),
            (r#"{HSO,"decision":{"behavior":"allow","interrupt":false}}}"#, "allow"),
            (r#"{HSO,"decision":{"behavior":"ask"}}}"#, "failed"),
            (r#"{HSO,"decision":{}}}"#, "failed"),
            (r#"{"continue":false,HSO,"decision":{"behavior":"allow"}}}"#, "failed"),
            (r#"{"stopReason":"S"}"#, "failed"),
            (r#"{"suppressOutput":true}"#, "failed"),
            (r#"{HSO,PD:"deny",WHY:"R"}}"#, "failed"),
            (r#"{HSO,"additionalContext":"C"}}"#, "failed"),
            (r#"{HSO}}"#, "nothing"),
        ],
    );
    let silent = did(&vendor(
        asked("PermissionRequest"),
        &printed(r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}"#),
    ));
    assert!(silent.starts_with("denied Acme "), "{silent}");
}

#[test]
fn after_a_tool_ran() {
    holds(
        "PostToolUse",
        &[
            (r#"{"decision":"block","reason":"R"}"#, r#"result "R""#),
            (r#"{"decision":"block"}"#, "failed"),
            (r#"{"continue":false,"reason":"R","stopReason":"S"}"#, r#"result "R""#),
            (r#"{"continue":false,"stopReason":"S"}"#, r#"result "S""#),
            (r#"{"continue":false}"#, r#"result "Acme: `./guard.sh` rejects this tool result and gives no reason.""#),
            (r#"{"decision":"block","reason":"R",HSO,"additionalContext":"C"}}"#, r#"result "R", context C"#),
            (r#"{"reason":"R"}"#, "failed"),
            (r#"{"continue":true,"reason":"R"}"#, "failed"),
            (r#"{"suppressOutput":true}"#, "failed"),
            (r#"{HSO,"updatedMCPToolOutput":{}}}"#, "failed"),
            (r#"{HSO,"updatedToolOutput":"x"}}"#, "failed"),
        ],
    );
}

#[test]
fn when_the_agent_would_stop() {
    for event in ["Stop", "SubagentStop"] {
        holds(
            event,
            &[
                (r#"{"decision":"block","reason":"R"}"#, "goes on R"),
                (r#"{"decision":"block"}"#, "failed"),
                (r#"{"decision":"block","reason":"R","continue":false,"stopReason":"S"}"#, "halted S"),
                (r#"{"continue":false}"#, "halted for no reason"),
                (r#"{"reason":"R"}"#, "nothing"),
                (r#"{"stopReason":"S","suppressOutput":true}"#, "nothing"),
                (r#"{"decision":"approve"}"#, "failed"),
                (r#"{HSO}}"#, "failed"),
            ],
        );
    }
}

#[test]
fn everywhere_else() {
    holds(
        "UserPromptSubmit",
        &[
            (r#"{"decision":"block","reason":"R"}"#, "halted R"),
            (r#"{"decision":"block"}"#, "failed"),
            (r#"{"continue":false,"stopReason":"S"}"#, "halted S"),
            (r#"{"decision":"block","reason":"R",HSO,"additionalContext":"C"}}"#, "halted R, context C"),
            (r#"{"suppressOutput":true,"stopReason":"S","reason":"R"}"#, "nothing"),
        ],
    );
    holds(
        "SessionStart",
        &[
            (r#"{"continue":false,"stopReason":"S",HSO,"additionalContext":"C"}}"#, "halted S, context C"),
            (r#"{"suppressOutput":true,"stopReason":"S"}"#, "nothing"),
            (r#"{"reason":"R"}"#, "failed"),
        ],
    );
    holds("SubagentStart", &[(r#"{"continue":false,HSO,"additionalContext":"C"}}"#, "context C")]);
    holds("PreCompact", &[(r#"{"continue":false,"stopReason":"S"}"#, "denied S"), (r#"{HSO}}"#, "failed")]);
    holds("PostCompact", &[(r#"{"continue":false,"stopReason":"S"}"#, "halted S"), (r#"{HSO}}"#, "failed")]);
    holds(
        "Interrupt",
        &[(r#"{"systemMessage":"M"}"#, "notice M"), (r#"{"continue":true}"#, "failed"), ("{}", "nothing")],
    );
    holds("SessionEnd", &[(r#"{"systemMessage":"M"}"#, "nothing"), ("[1]", "nothing"), ("bye", "nothing")]);
}

/// What is no object, and the start of it: each event's word for text.
#[test]
fn what_is_no_answer() {
    let objects = ["PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact"];
    let informed = ["SessionStart", "SubagentStart", "UserPromptSubmit"];
    let strict = ["SubagentStop", "Stop", "Interrupt"];
    for text in ["all good", "\"str\"", "5", "null", "\u{feff}{}", "log\n{\"decision\":\"block\",\"reason\":\"R\"}"] {
        let told = |event| did(&vendor(asked(event), &printed(text)));
        for event in objects {
            assert_eq!(told(event), "nothing", "{event}: {text}");
        }
        for event in informed {
            assert_eq!(told(event), format!("context {text}"), "{event}");
        }
        for event in strict {
            assert_eq!(told(event), "failed", "{event}: {text}");
        }
    }
    for json in ["{a}", "[]", "[{\"decision\":\"block\",\"reason\":\"R\"}]", "{}{}", " \n{\"a\":1", "[log] x"] {
        for event in objects.into_iter().chain(informed).chain(strict) {
            assert_eq!(did(&vendor(asked(event), &printed(json))), "failed", "{event}: {json}");
        }
    }
}

/// Exit 2 with a word and without, and any other exit, with a denial on standard output.
#[test]
fn exits() {
    let told = |event, exit, stderr: &str| {
        let stdout = r#"{"decision":"block","reason":"OUT"}"#;
        did(&vendor(asked(event), &Outcome::new(exit).stdout(stdout).stderr(stderr)))
    };
    let refusing = [
        ("PreToolUse", "denied one\ntwo"),
        ("PermissionRequest", "denied one\ntwo"),
        ("PostToolUse", "result \"one\\ntwo\""),
        ("UserPromptSubmit", "halted one\ntwo"),
        ("SubagentStop", "goes on one\ntwo"),
        ("Stop", "goes on one\ntwo"),
    ];
    for (event, refused) in refusing {
        assert_eq!(told(event, Exit::Code(2), " one\ntwo \n"), refused, "{event}");
        assert_eq!(told(event, Exit::Code(2), " \n"), "failed", "{event}");
    }
    for event in ["PreCompact", "PostCompact", "SessionStart", "SubagentStart", "Interrupt"] {
        assert_eq!(told(event, Exit::Code(2), "E"), "failed", "{event}");
    }
    for event in super::EVENTS {
        for exit in [Exit::Code(1), Exit::Code(127), Exit::Signal(9), Exit::TimedOut, Exit::NotStarted("x".into())] {
            assert_eq!(told(event, exit, "E"), "failed", "{event}");
        }
    }
}
