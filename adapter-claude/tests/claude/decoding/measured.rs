//! What the program did with each answer to `PreToolUse`, version 2.1.332, and the same of the
//! decoder that keeps to it. The vectors say this one by one; here it is one table, written from the
//! measurements alone.

use harness_hooks_claude::Claude;
use harness_hooks_core::{Adapter, Effects, Exit, Fidelity, HaltScope, InputRewrite, Outcome, Severity, Verdict};

use super::asked;

/// What became of the tool.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tool {
    /// It ran, and nobody was told anything.
    Ran,
    /// It ran, and the user was told that the hook gave no usable answer.
    RanUnchecked,
    /// It ran without being asked about.
    Granted,
    /// It did not run, for this reason.
    Denied(&'static str),
    /// It did not run, and the program wrote the reason.
    DeniedBare,
    Asked,
    Deferred,
    /// It ran, and then the turn ended.
    RanAndEnded,
    /// It did not run, and the turn ended.
    DeniedAndEnded,
}
use Tool::{Asked, Deferred, Denied, DeniedAndEnded, DeniedBare, Granted, Ran, RanAndEnded, RanUnchecked};

fn became(effects: &Effects) -> Tool {
    let ended = effects.halt.as_ref().is_some_and(|halt| halt.scope == HaltScope::Turn);
    let unchecked = effects.diagnostics.iter().any(|told| told.severity == Severity::Warning);
    match effects.verdict {
        Some(Verdict::Deny) if ended => DeniedAndEnded,
        Some(Verdict::Deny) if effects.reasons[0].contains("./guard.sh") => DeniedBare,
        Some(Verdict::Deny) => Denied(effects.reasons[0].to_string().leak()),
        Some(Verdict::Ask) => Asked,
        Some(Verdict::Defer) => Deferred,
        Some(Verdict::Allow) | None if ended => RanAndEnded,
        Some(Verdict::Allow) => Granted,
        None if unchecked => RanUnchecked,
        None => Ran,
    }
}

/// An answer with this in its object.
fn own(fields: &str) -> String {
    format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{fields}}}}}"#)
}

fn of(exit: Exit, stdout: &str, stderr: &str) -> Effects {
    let outcome = Outcome::new(exit).stdout(stdout).stderr(stderr);
    Claude::with_fidelity(Fidelity::Vendor).decode(asked("PreToolUse"), &outcome)
}

const DENY: &str = r#""permissionDecision":"deny","permissionDecisionReason":"R-DENY""#;

/// CLA-OUT-19 to CLA-OUT-51
#[test]
fn exit_0_is_as_measured() {
    let deny = own(DENY);
    let cases: Vec<(String, Tool)> = vec![
        // silence and what is no answer
        ("".into(), Ran),
        ("all is well".into(), Ran),
        ("{}".into(), Ran),
        (r#"{"note":1}"#.into(), Ran),
        ("null".into(), Ran),
        ("5".into(), Ran),
        (r#""deny""#.into(), Ran),
        (format!("[{deny}]"), Ran),
        // verdicts
        (own(r#""permissionDecision":"allow""#), Granted),
        (r#"{"decision":"approve"}"#.into(), Granted),
        (deny.clone(), Denied("R-DENY")),
        (own(r#""permissionDecision":"deny""#), DeniedBare),
        (own(r#""permissionDecision":"deny","permissionDecisionReason":"""#), DeniedBare),
        (own(r#""permissionDecision":"ask","permissionDecisionReason":"R-ASK""#), Asked),
        (own(r#""permissionDecision":"ask""#), Asked),
        (own(r#""permissionDecision":"defer""#), Deferred),
        (r#"{"decision":"block","reason":"R-BLOCK"}"#.into(), Denied("R-BLOCK")),
        (
            format!(r#"{{"decision":"block","reason":"R-BLOCK",{}"#, &own(r#""permissionDecision":"allow""#)[1..]),
            Denied("R-BLOCK"),
        ),
        (format!(r#"{{"decision":"approve",{}"#, &deny[1..]), Denied("R-DENY")),
        (r#"{"decision":"approve","decision":"block","reason":"R-BLOCK"}"#.into(), Denied("R-BLOCK")),
        (r#"{"continue":false}"#.into(), RanAndEnded),
        (format!(r#"{{"continue":false,{}"#, &own(r#""permissionDecision":"allow""#)[1..]), RanAndEnded),
        // one word or type that is wrong takes everything
        (own(r#""permissionDecision":"maybe""#), RanUnchecked),
        (own(r#""permissionDecision":"DENY""#), RanUnchecked),
        (own(r#""permissionDecision":5"#), RanUnchecked),
        (own(r#""permissionDecision":null"#), RanUnchecked),
        (own(r#""permissionDecision":"deny","permissionDecisionReason":5"#), RanUnchecked),
        (own(r#""permissionDecision":"deny","permissionDecisionReason":null"#), RanUnchecked),
        (own(&format!(r#"{DENY},"updatedInput":"ls""#)), RanUnchecked),
        (own(&format!(r#"{DENY},"additionalContext":["c"]"#)), RanUnchecked),
        (r#"{"continue":"false"}"#.into(), RanUnchecked),
        (r#"{"hookSpecificOutput":"deny"}"#.into(), RanUnchecked),
        (format!(r#"{{"suppressOutput":"yes",{}"#, &deny[1..]), RanUnchecked),
        (format!(r#"{{"systemMessage":5,{}"#, &deny[1..]), RanUnchecked),
        (r#"{"decision":"zzz"}"#.into(), RanUnchecked),
        (r#"{"decision":"deny"}"#.into(), RanUnchecked),
        // the name of the event
        (format!(r#"{{"hookSpecificOutput":{{{DENY}}}}}"#), RanUnchecked),
        (deny.replace("PreToolUse", "PostToolUse"), RanUnchecked),
        (
            format!(r#"{{"decision":"block","reason":"R-BLK",{}"#, &deny.replace("PreToolUse", "PostToolUse")[1..]),
            Denied("R-BLK"),
        ),
        // where JSON begins and ends
        (format!("hello\n{deny}"), Ran),
        (format!("{deny}\nbye"), Ran),
        (format!("{deny} bye"), Ran),
        (format!("\0{deny}"), Ran),
        (deny[..deny.len() - 2].into(), Ran),
        ("{}\n{}".into(), Ran),
        (format!("\r\n \t{deny}\r\n"), Denied("R-DENY")),
        (deny.replace(",", ",\n  "), Denied("R-DENY")),
        (format!("\u{feff}{deny}"), Denied("R-DENY")),
        (format!("{{\"systemMessage\":\"m\"}}\n{deny}"), RanUnchecked),
        (format!("{{\"systemMessage\":\"m\"}} {deny}"), RanUnchecked),
        ("{\"a\":1}\n{\"b\":2}".into(), Ran),
        ("{a}".into(), RanUnchecked),
        (r#"{"a":1}}"#.into(), RanUnchecked),
        (r#"{"decision":"block","reason":"C:\path"}"#.into(), RanUnchecked),
        ("{decision:'block'}".into(), RanUnchecked),
        // keys nobody knows
        (format!(r#"{{"x":1,"y":{{}},{}"#, &own(&format!(r#"{DENY},"z":[]"#))[1..]), Denied("R-DENY")),
        (own(r#""additionalContext":"CTX-A""#), Ran),
        (r#"{"additionalContext":"CTX-A"}"#.into(), Ran),
        (own(r#""updatedInput":{"command":"ls"}"#), Ran),
        (r#"{"systemMessage":"SYSMSG"}"#.into(), Ran),
        (r#"{"suppressOutput":true}"#.into(), Ran),
    ];
    for (stdout, expected) in cases {
        assert_eq!(became(&of(Exit::Code(0), &stdout, "")), expected, "{stdout}");
    }
}

/// CLA-OUT-09, CLA-OUT-15, CLA-OUT-16
#[test]
fn exit_2_is_as_measured() {
    let deny = own(DENY);
    let cases: Vec<(String, &str, Tool)> = vec![
        ("".into(), "E2-STDERR\n", Denied("E2-STDERR")),
        ("".into(), "", DeniedBare),
        ("this is not read".into(), "", DeniedBare),
        (deny.clone(), "E2", Denied("R-DENY")),
        (own(r#""permissionDecision":"allow""#), "E2", Denied("E2")),
        (own(r#""additionalContext":"c""#), "E2", Denied("E2")),
        (r#"{"continue":false}"#.into(), "E2", DeniedAndEnded),
        ("{bad}".into(), "E2", Denied("E2")),
        (r#"{"decision":"zz"}"#.into(), "E2", Denied("E2")),
        (deny.replace("PreToolUse", "PostToolUse"), "E2", Denied("E2")),
    ];
    for (stdout, stderr, expected) in cases {
        assert_eq!(became(&of(Exit::Code(2), &stdout, stderr)), expected, "{stdout}");
    }
}

/// CLA-OUT-04, CLA-OUT-30
#[test]
fn other_exits_are_as_measured() {
    let quiet = [1, 3, 4, 64, 100, 124, 125, 128].map(Exit::Code);
    let loud = [126, 127, 129, 130, 137, 143, 200, 254, 255].map(Exit::Code);
    for exit in &quiet {
        assert_eq!(became(&of(exit.clone(), "", "why")), Ran, "{exit:?}");
    }
    for exit in loud.iter().chain(&[Exit::Signal(9), Exit::Signal(15)]) {
        assert_eq!(became(&of(exit.clone(), "", "why")), RanUnchecked, "{exit:?}");
    }
    // an answer counts whatever the exit
    let block = r#"{"decision":"block","reason":"R-BLOCK"}"#;
    for exit in quiet.into_iter().chain(loud).chain([Exit::Signal(15)]) {
        assert_eq!(became(&of(exit.clone(), &own(DENY), "")), Denied("R-DENY"), "{exit:?}");
        assert_eq!(became(&of(exit.clone(), block, "")), Denied("R-BLOCK"), "{exit:?}");
        assert_eq!(became(&of(exit.clone(), r#"{"continue":false}"#, "")), RanAndEnded, "{exit:?}");
        assert_eq!(of(exit, &own(r#""additionalContext":"c""#), "").context, ["c"]);
    }
    // what was printed before a timeout does not
    assert_eq!(became(&of(Exit::TimedOut, &own(DENY), "")), RanUnchecked);
}

/// CLA-OUT-15, CLA-OUT-43, CLA-OUT-48, CLA-OUT-61, CLA-OUT-63: what is delivered beside a verdict.
#[test]
fn what_else_is_delivered_is_as_measured() {
    let context = of(Exit::Code(0), &own(&format!(r#"{DENY},"additionalContext":"CTX-A""#)), "");
    assert_eq!((context.verdict, &*context.context[0]), (Some(Verdict::Deny), "CTX-A"));
    assert!(of(Exit::Code(0), r#"{"additionalContext":"CTX-A"}"#, "").context.is_empty());
    assert_eq!(of(Exit::Code(0), r#"{"systemMessage":"SYSMSG"}"#, "").notices, ["SYSMSG"]);

    let input = |verdict: &str| own(&format!(r#"{verdict}"updatedInput":{{"command":"ls","extra":1}}"#));
    for (verdict, expected) in [("", None), (r#""permissionDecision":"allow","#, Some(Verdict::Allow))] {
        let effects = of(Exit::Code(0), &input(verdict), "");
        assert_eq!(effects.verdict, expected);
        let Some(InputRewrite::Replace(input)) = effects.replacement_input else { panic!("it replaces the input") };
        assert_eq!(input.as_str(), r#"{"command":"ls","extra":1}"#);
    }

    let beside_2 = format!(r#"{{"systemMessage":"m",{}"#, &own(r#""additionalContext":"c""#)[1..]);
    let effects = of(Exit::Code(2), &beside_2, "E2");
    assert_eq!((&*effects.reasons[0], &*effects.context[0], &*effects.notices[0]), ("E2", "c", "m"));
}
