//! Servers, tools of servers, models and agents: what is asked and is no process.

use harness_hooks_core::{
    Asked, Continuation, Effects, Exit, Extra, FailureMode, Halt, HaltScope, Handler, Outcome, Question, Verdict,
};

use super::{asked, both, codes, decode, http, nothing_but, printed};

const DENIAL: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}"#;

fn deny(reason: &str) -> Effects {
    Effects::deny(reason)
}

// ---- servers ----

/// CLA-RUN-14: the body is read as what a command prints.
#[test]
fn a_servers_answer_is_read_as_a_commands() {
    let http = http();
    let asked = |event| asked(event).handler(&http);
    assert_eq!(both(asked("PreToolUse"), &printed(DENIAL)), deny("R"));
    assert_eq!(both(asked("PreToolUse"), &printed("")), Effects::default());
    let rewritten = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}"#;
    assert!(both(asked("PreToolUse"), &printed(rewritten)).replacement_input.is_some());
    let rejected = both(asked("PreToolUse"), &printed("{a}"));
    assert!(nothing_but(&rejected, &["warning claude/rejected-output"]) && rejected.undecided);
}

/// CLA-RUN-14: where a command's plain text is context, a server's is not; its JSON is.
#[test]
fn a_servers_plain_text_is_never_context() {
    let http = http();
    for event in ["UserPromptSubmit", "UserPromptExpansion", "PostModelSwitch", "PreCompact", "SessionStart"] {
        let text = printed("<html>busy</html>");
        assert!(nothing_but(&both(asked(event).handler(&http), &text), &["note claude/plain-text"]), "{event}");
        assert_eq!(both(asked(event), &text).context, ["<html>busy</html>"], "{event}");
    }
    let context = r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}"#;
    assert_eq!(both(asked("UserPromptSubmit").handler(&http), &printed(context)).context, ["c"]);
}

/// CLA-OUT-03 to CLA-OUT-05, CLA-OUT-66: a server that refuses the connection, or answers 500 with
/// a denial in its body.
#[test]
fn no_answer_is_a_failure() {
    let http = http();
    let outcome = Outcome::new(Exit::Failed("answered with status 500".into())).stdout(DENIAL);
    let open = both(asked("PreToolUse").handler(&http), &outcome);
    assert!(nothing_but(&open, &["warning claude/hook-failed"]) && open.undecided);
    for asked in [asked("PreToolUse").failure(FailureMode::Closed), asked("PreToolUse").strict(true)] {
        let effects = both(asked.handler(&http), &outcome);
        assert_eq!(effects.verdict, Some(Verdict::Deny));
        let says = ["Acme", "./guard.sh", "tool call", "gave no answer (it answered with status 500)"];
        assert!(says.iter().all(|part| effects.reasons[0].contains(part)), "{:?}", effects.reasons);
    }
    let feedback = both(asked("PostToolUse").handler(&http).failure(FailureMode::Closed), &outcome).feedback;
    assert!(feedback[0].contains("gave no answer"), "{feedback:?}");
    assert!(nothing_but(&both(asked("Stop").failure(FailureMode::Closed), &outcome), &["warning claude/hook-failed"]));
}

/// CLA-OUT-05: a handler that cannot be carried out comes as not started, and says why.
#[test]
fn an_unusable_handler_is_not_started() {
    let unusable = Handler::Unusable { text: "echo".into(), why: "there is no such shell".into() };
    let outcome = Outcome::new(Exit::NotStarted("there is no such shell".into()));
    let closed = both(asked("PreToolUse").handler(&unusable).failure(FailureMode::Closed), &outcome);
    assert!(closed.reasons[0].contains("could not be started (there is no such shell)"), "{:?}", closed.reasons);
    assert!(nothing_but(&both(asked("PreToolUse").handler(&unusable), &outcome), &["warning claude/hook-failed"]));
}

/// CLA-RUN-14, CLA-OUT-58
#[test]
fn a_server_names_a_worktree_in_json() {
    let http = http();
    let asked = asked("WorktreeCreate").handler(&http);
    let body = |name: &str, path: &str| {
        printed(format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{name}","worktreePath":"{path}"}}}}"#))
    };
    let made = both(asked, &body("WorktreeCreate", " /wt/a "));
    assert_eq!(made.extras, [Extra::vendor("worktreePath", serde_json::json!("/wt/a"))]);
    assert_eq!((made.verdict, made.diagnostics.len()), (None, 0));

    let bad = [
        body("PreToolUse", "/wt/a"),
        body("WorktreeCreate", "/wt/../a"),
        body("WorktreeCreate", ""),
        printed(r#"{"hookSpecificOutput":{"worktreePath":"/wt/a"}}"#),
        printed(r#"{"hookSpecificOutput":{"hookEventName":"WorktreeCreate","worktreePath":["/wt/a"]}}"#),
        printed("/wt/a"),
        printed("{}"),
        printed(""),
    ];
    for outcome in bad {
        let effects = decode(asked, &outcome);
        assert_eq!(effects.verdict, Some(Verdict::Deny), "{outcome:?}");
        let says = ["Acme", "./guard.sh", "worktree", "absolute path", "`worktreePath`"];
        assert!(says.iter().all(|part| effects.reasons[0].contains(part)), "{:?}", effects.reasons);
        assert_eq!(codes(&effects.diagnostics), ["warning claude/rejected-output"]);
    }
    assert_eq!(decode(asked, &body("WorktreeCreate", "wt/a")).verdict, Some(Verdict::Deny));
    let failed = decode(asked, &Outcome::new(Exit::Failed("was not there".into())));
    assert!(failed.reasons[0].contains("gave no answer (it was not there)"), "{:?}", failed.reasons);
}

// ---- tools of servers ----

/// CLA-RUN-16: what a tool answers is read as what a command prints, plain text too.
#[test]
fn a_tools_answer_is_read_as_a_commands() {
    let tool = Handler::McpTool { name: "db/check".into(), server: "db".into(), tool: "check".into(), input: None };
    assert_eq!(both(asked("PreToolUse").handler(&tool), &printed(DENIAL)), deny("R"));
    assert_eq!(both(asked("UserPromptSubmit").handler(&tool), &printed("3 open issues\n")).context, ["3 open issues"]);
    let worktree = both(asked("WorktreeCreate").handler(&tool), &printed("/wt/a\n"));
    assert_eq!(worktree.extras, [Extra::vendor("worktreePath", serde_json::json!("/wt/a"))]);
}

// ---- models and agents ----

fn models(continue_on_block: bool) -> [Handler; 2] {
    let question = Question::new("Is $ARGUMENTS safe?").continue_on_block(continue_on_block);
    [Handler::Prompt(question.clone()), Handler::Agent(question)]
}

fn of_models(event: &str, continue_on_block: bool, answer: &str) -> Vec<Effects> {
    let models = models(continue_on_block);
    models.iter().map(|model| both(asked(event).handler(model), &printed(answer))).collect()
}

/// CLA-RUN-17
#[test]
fn a_model_that_says_yes_asks_for_nothing() {
    for event in ["PreToolUse", "Stop", "UserPromptSubmit", "PostToolUse", "PermissionRequest"] {
        for answer in [r#"{"ok":true}"#, "\n{\"ok\":true,\"reason\":\"fine\",\"impossible\":true}\n"] {
            assert!(of_models(event, false, answer).iter().all(|got| *got == Effects::default()), "{event}");
        }
    }
}

/// CLA-RUN-17: before a tool it also ends the turn, unless the definition says that it goes on.
#[test]
fn a_model_that_says_no_refuses() {
    let no = r#"{"ok":false,"reason":" it deletes \u001b[31mthe home "}"#;
    let reason = "it deletes [31mthe home";
    for got in of_models("PreToolUse", false, no) {
        let mut expected = deny(reason);
        expected.halt = Some(Halt::new(HaltScope::Turn, Some(reason.into())));
        assert_eq!(got, expected);
    }
    for got in of_models("PreToolUse", true, no) {
        assert_eq!(got, deny(reason));
    }
    for got in of_models("PermissionRequest", false, no) {
        assert_eq!(got, deny(reason));
    }
    for got in of_models("UserPromptSubmit", false, no) {
        assert_eq!(got, Effects::halt(HaltScope::Prompt, reason));
    }
    for got in of_models("PostToolUse", false, no) {
        assert_eq!((got.feedback, got.halt), (vec![reason.into()], None));
    }
    for got in of_models("Stop", false, r#"{"ok":false,"reason":" the tests fail "}"#) {
        assert_eq!(got.continuation, Some(Continuation { message: "the tests fail".into(), limit: None }));
    }
    for got in of_models("PermissionDenied", false, no) {
        assert_eq!(got, Effects::default());
    }
}

/// CLA-RUN-17: what can never be done keeps nobody going; before a tool it changes nothing.
#[test]
fn what_is_impossible_lets_the_turn_end() {
    let no = r#"{"ok":false,"reason":"there is no network","impossible":true}"#;
    assert!(of_models("Stop", false, no).iter().all(|got| *got == Effects::default()));
    assert!(of_models("PreToolUse", false, no).iter().all(|got| got.verdict == Some(Verdict::Deny)));
}

/// CLA-RUN-17, CLA-OUT-66
#[test]
fn a_model_without_a_reason_gets_one() {
    for answer in [r#"{"ok":false}"#, r#"{"ok":false,"reason":" "}"#, r#"{"ok":false,"reason":5}"#] {
        for got in of_models("PreToolUse", true, answer) {
            assert!(["Acme", "./guard.sh", "tool call"].iter().all(|part| got.reasons[0].contains(part)), "{got:?}");
        }
    }
}

/// CLA-RUN-17: anything but the answer is a failed hook; a refusal in the usual form too, since a
/// model was not asked for one.
#[test]
fn another_answer_of_a_model_is_a_failure() {
    for answer in ["", "no", "{}", r#"{"ok":"false"}"#, r#"{"ok":null}"#, "{a}", "[]", r#"{"decision":"block"}"#] {
        for got in of_models("PreToolUse", false, answer) {
            assert!(nothing_but(&got, &["warning claude/hook-failed"]) && got.undecided, "{answer}: {got:?}");
        }
        for model in &models(false) {
            let strict = both(asked("PreToolUse").strict(true).handler(model), &printed(answer));
            assert!(strict.reasons[0].contains("gave no answer"), "{:?}", strict.reasons);
        }
    }
    let [model, _] = models(false);
    let ask = |asked: Asked<'static>, outcome| both(asked.handler(&model), &outcome);
    let failed = Outcome::new(Exit::Failed("is not connected".into()));
    assert!(nothing_but(&ask(asked("PreToolUse"), failed), &["warning claude/hook-failed"]));
    let cut = printed(r#"{"ok":true}"#).truncated(true);
    assert_eq!(ask(asked("PreToolUse"), cut).verdict, Some(Verdict::Deny));
}

/// CLA-RUN-17, CLA-OUT-25: a model that talks before it says no.
#[test]
fn a_no_behind_words_counts() {
    let [model, _] = models(true);
    let asked = asked("PreToolUse").handler(&model);
    let got = decode(asked, &printed("Let me see.\n{\"ok\":false,\"reason\":\"R\"}"));
    assert_eq!(
        (got.verdict, codes(&got.diagnostics)),
        (Some(Verdict::Deny), vec!["warning claude/text-before-json".into()])
    );
    let yes = decode(asked, &printed("Let me see.\n{\"ok\":true}"));
    assert!(nothing_but(&yes, &["warning claude/hook-failed"]));
}
