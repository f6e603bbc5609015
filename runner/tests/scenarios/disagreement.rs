//! One `rm -rf build` seen by hooks of all three vendors, of which one allows, one asks, one wants
//! another command and one crashes: what becomes of it, why, and who lost.

use harness_hooks_core::{Action, Conflict, Exit, HaltScope, Shell, Tool, ToolCall};
use serde_json::{Value, json};

use crate::scene::{ALLOW, Happened, Scene, Vendor, codes, fire, host};

const ALLOWS: &str = "cursor:project/.cursor/hooks.json#preToolUse[0]";
const ASKS: &str = "claude:project/.claude/settings.json#PreToolUse[0][0]";
const CRASHES: &str = "claude:project/.claude/settings.json#PreToolUse[0][1]";
const REWRITES: &str = "codex:project/.codex/hooks.json#PreToolUse[0][0]";
const BEFORE: &str = "rm -rf build";
const AFTER: &str = "mv build trash/";

/// A line that prints an answer about a tool call.
pub(crate) fn answer(fields: &Value) -> String {
    let mut output = json!({ "hookEventName": "PreToolUse" });
    output.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    format!("printf '%s' '{}'", json!({ "hookSpecificOutput": output }))
}

fn scene(crash: &Value) -> Scene {
    let scene = Scene::new();
    scene.hooks_of(Vendor::Cursor, &Vendor::Cursor.event("preToolUse", &[json!({ "command": ALLOW })]));
    let asks =
        answer(&json!({ "permissionDecision": "ask", "permissionDecisionReason": "This removes files. A copy?" }));
    scene.hooks_of(Vendor::Claude, &Vendor::Claude.event("PreToolUse", &[json!({ "command": asks }), crash.clone()]));
    let rewrites = answer(&json!({ "permissionDecision": "allow", "updatedInput": { "command": AFTER } }));
    scene.hooks_of(Vendor::Codex, &Vendor::Codex.event("PreToolUse", &[json!({ "command": rewrites })]));
    scene
}

async fn happened(crash: &Value) -> Happened {
    let scene = scene(crash);
    fire(&scene.council(host()), &scene.shell(BEFORE)).await
}

fn conflicts(happened: &Happened) -> Vec<(&str, &str, &str)> {
    let one = |c: &'static str| c;
    let about = |conflict: &Conflict| match &*conflict.about {
        "verdict" => one("verdict"),
        "input" => one("input"),
        other => panic!("{other}"),
    };
    let conflicts = happened.decision.conflicts.iter();
    conflicts.map(|c| (about(c), c.winner.as_str(), c.loser.as_str())).collect()
}

fn by(happened: &Happened) -> Vec<(&str, &str)> {
    happened.decision.reasons.iter().map(|reason| (reason.by.as_str(), reason.value.as_str())).collect()
}

/// A crash that is open is told and takes the approval away; the ask wins over the allow, and the
/// user is asked about the command that would run. Those that judged the old one are asked again, and
/// what they say again counts once.
#[tokio::test]
async fn the_user_is_asked_about_the_new_command() {
    let happened = happened(&json!({ "command": "kill -KILL $$" })).await;
    assert_eq!(happened.ran(), [ASKS, ASKS, CRASHES, CRASHES, REWRITES, ALLOWS, ALLOWS]);
    let decision = &happened.decision;
    assert_eq!((decision.action, decision.pre_approved), (Action::Ask, false));
    let call = |command| Some(ToolCall::new("c1", "terminal", Shell::new(command)));
    assert_eq!((&decision.call, &decision.original_call), (&call(AFTER), &call(BEFORE)));
    assert_eq!(by(&happened), [(ASKS, "This removes files. A copy?")]);
    assert_eq!(conflicts(&happened), [("verdict", ASKS, ALLOWS)]);
    assert!(decision.judged_earlier_input.is_empty() && decision.halt.is_none());
    assert_eq!(codes(&decision.diagnostics), ["claude/hook-failed"]);
    assert!(decision.diagnostics[0].message.contains("signal 9"), "{}", decision.diagnostics[0]);
    let crashed = happened.runs.iter().filter(|run| run.id == CRASHES);
    assert!(crashed.into_iter().all(|run| run.outcome.exit == Exit::Signal(9)));
}

/// CLA-OUT-05: a crash that is closed refuses. The first round's denial stands, so nobody is asked
/// again; what others wanted lost against it, each by its name.
#[tokio::test]
async fn a_closed_crash_outvotes_them_all() {
    let happened = happened(&json!({ "command": "exit 3", "onFailure": "block" })).await;
    assert_eq!(happened.ran(), [ASKS, CRASHES, REWRITES, ALLOWS]);
    let decision = &happened.decision;
    assert_eq!((decision.action, decision.call.is_none()), (Action::Deny, true));
    let [(asked, _), (refused, why)] = by(&happened).try_into().unwrap();
    assert_eq!((asked, refused), (ASKS, CRASHES));
    for part in ["exited with code 3", "`exit 3`", "Acme"] {
        assert!(why.contains(part), "`{part}` is not in: {why}");
    }
    assert_eq!(
        conflicts(&happened),
        [("verdict", CRASHES, ALLOWS), ("verdict", CRASHES, ASKS), ("input", CRASHES, REWRITES)]
    );
}

/// CLA-OUT-49: a hook that ends the turn refuses the call too, and its halt stands beside that.
#[tokio::test]
async fn a_halt_stands_beside_the_denial() {
    let stop = r#"printf '{"continue":false,"stopReason":"enough for today"}'"#;
    let happened = happened(&json!({ "command": stop })).await;
    let halt = happened.decision.halt.as_ref().unwrap();
    assert_eq!((halt.by.as_str(), halt.value.scope), (CRASHES, HaltScope::Turn));
    assert_eq!(halt.value.reason.as_deref(), Some("enough for today"));
    assert_eq!(happened.decision.action, Action::Deny);
    assert_eq!(by(&happened), [(ASKS, "This removes files. A copy?"), (CRASHES, "enough for today")]);
}

/// What each vendor's hook is shown of the same call, first as the model made it, then as it became.
#[tokio::test]
async fn each_sees_the_call_in_its_vendors_words() {
    let scene = Scene::new();
    let keep = |name: &str| format!("printf '%s\\n' \"$(cat)\" >>{}", scene.at(&format!("out/{name}")));
    let rewrites = answer(&json!({ "permissionDecision": "allow", "updatedInput": { "command": AFTER } }));
    let lines = [format!("{}; {ALLOW}", keep("cursor")), keep("claude"), format!("{}; {rewrites}", keep("codex"))];
    for (vendor, line) in Vendor::ALL.into_iter().zip(lines) {
        let event = if vendor == Vendor::Cursor { "preToolUse" } else { "PreToolUse" };
        scene.hooks_of(vendor, &vendor.event(event, &[json!({ "command": line })]));
    }
    let decision = fire(&scene.council(host()), &scene.shell(BEFORE)).await.decision;
    assert!(matches!(decision.call.map(|call| call.tool), Some(Tool::Shell(shell)) if shell.command == AFTER));
    for (vendor, tool, commands) in [
        (Vendor::Cursor, "Shell", &[BEFORE, AFTER][..]),
        (Vendor::Claude, "Bash", &[BEFORE, AFTER]),
        (Vendor::Codex, "Bash", &[BEFORE]), // the one whose command it is
    ] {
        let inputs = scene.inputs(&format!("out/{}", vendor.name()));
        assert!(inputs.iter().all(|input| input["tool_name"] == tool), "{vendor:?}");
        let seen: Vec<_> = inputs.iter().map(|input| input["tool_input"]["command"].as_str().unwrap()).collect();
        assert_eq!(seen, commands, "{vendor:?}");
    }
}
