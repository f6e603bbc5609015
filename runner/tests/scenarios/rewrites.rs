//! A shell call that a `preToolUse` hook rewrites: who sees which command, whoever finishes first,
//! and what becomes of a rewrite nobody can use.

use harness_hooks_core::{Action, Capabilities, Decision, Host, Shell, Tool, ToolBefore, ToolCall};
use serde_json::{Value, json};

use crate::scene::{ALLOW, Happened, PROJECT, Run, Scene, fire, fire_watched, host};

const BEFORE: &str = "npm install";
const AFTER: &str = "npm ci";

/// Two `preToolUse` hooks, of which the first makes `npm ci` of `npm install`, and a guard of the
/// shell. Each puts down what it reads.
struct Rewriting {
    scene: Scene,
    rewriter: String,
    judge: String,
    shell: String,
}

impl Rewriting {
    /// With a judge that answers like this where `$payload` is what it reads.
    fn new(judge: &str) -> Self {
        let scene = Scene::new();
        let script = |name: &str, answer: &str| {
            let inputs = scene.at(&format!("out/{name}"));
            scene.script(
                &format!("bin/{name}"),
                &format!("payload=$(cat)\nprintf '%s\\n' \"$payload\" >>{inputs}\n{answer}\n"),
            )
        };
        let rewrite = format!(r#"printf '{{"permission":"allow","updated_input":{{"command":"{AFTER}"}}}}'"#);
        let (rewriter, judge, shell) = (script("rewriter", &rewrite), script("judge", judge), script("shell", ALLOW));
        Rewriting { scene, rewriter, judge, shell }
    }

    async fn fire(&self, host: Host) -> Happened {
        self.write(&self.rewriter, &self.judge);
        fire(&self.scene.dispatcher(host), &self.scene.shell(BEFORE)).await
    }

    fn write(&self, rewriter: &str, judge: &str) {
        let hooks = json!({
            "preToolUse": [{ "command": rewriter }, { "command": judge }],
            "beforeShellExecution": [{ "command": self.shell, "matcher": format!("^{AFTER}$"), "failClosed": true }],
        });
        self.scene.hooks(PROJECT, &hooks);
    }

    /// Commands that a `preToolUse` hook was asked about.
    fn judged(&self, name: &str) -> Vec<Value> {
        let inputs = self.scene.inputs(&format!("out/{name}")).into_iter();
        inputs.map(|input| input["tool_input"]["command"].clone()).collect()
    }
}

fn command(call: Option<&ToolCall>) -> Option<&str> {
    match &call?.tool {
        Tool::Shell(shell) => Some(&shell.command),
        other => panic!("{other:?}"),
    }
}

/// CUR-EVT-04, CUR-EVT-02: the guard of the shell is shown the new command, and only that, in both
/// orders in which the two hooks can finish. An allow of what will run, by everyone, approves it.
#[tokio::test]
async fn the_shells_guard_sees_the_new_command_whoever_finishes_first() {
    let mut decisions: Vec<Decision> = Vec::new();
    for last in ["rewriter", "judge"] {
        let hooks = Rewriting::new(ALLOW);
        let gate = hooks.scene.gate("gate");
        // the one that is to finish last waits until another has finished
        let waiting = |name: &str, line: &str| {
            if name == last { format!("read -r go <{}; {line}", gate.at()) } else { line.to_owned() }
        };
        hooks.write(&waiting("rewriter", &hooks.rewriter), &waiting("judge", &hooks.judge));
        let dispatcher = hooks.scene.dispatcher(host());
        let happened = fire_watched(&dispatcher, &hooks.scene.shell(BEFORE), |_: &Run| gate.send("go")).await;

        let ran: Vec<_> = happened.runs.iter().map(|run| run.command.rsplit('/').next().unwrap()).collect();
        let first = if last == "judge" { "rewriter" } else { "judge" };
        assert_eq!(ran, [first, last, "judge", "shell"]);
        assert_eq!(hooks.judged("rewriter"), [BEFORE]);
        assert_eq!(hooks.judged("judge"), [BEFORE, AFTER]);
        let [guarded] = hooks.scene.inputs("out/shell").try_into().unwrap();
        assert_eq!((&guarded["hook_event_name"], &guarded["command"]), (&json!("beforeShellExecution"), &json!(AFTER)));

        let decision = happened.decision;
        assert_eq!((decision.action, decision.pre_approved), (Action::Proceed, true));
        assert_eq!(command(decision.call.as_ref()), Some(AFTER));
        assert_eq!(command(decision.original_call.as_ref()), Some(BEFORE));
        assert!(decision.judged_earlier_input.is_empty());
        decisions.push(decision);
    }
    assert_eq!(decisions[0], decisions[1]);
}

/// CUR-EVT-02, CUR-TOOL-05: of two rewrites the later definition's holds, whoever finishes first.
#[tokio::test]
async fn rewrites_are_applied_in_the_order_of_the_file() {
    for last in [0, 1] {
        let scene = Scene::new();
        let gate = scene.gate("gate");
        let wish = |n: usize, flag: &str| {
            let rewrite = format!(r#"printf '{{"permission":"allow","updated_input":{{"command":"npm ci {flag}"}}}}'"#);
            let line = format!(r#"case $(cat) in *'{BEFORE}"'*) {rewrite} ;; *) {ALLOW} ;; esac"#);
            json!({ "command": if n == last { format!("read -r go <{}; {line}", gate.at()) } else { line } })
        };
        let read = json!([{ "command": format!("cat >{}; {ALLOW}", scene.at("out/shell")) }]);
        let wishes = json!([wish(0, "--offline"), wish(1, "--ignore-scripts")]);
        scene.hooks(PROJECT, &json!({ "preToolUse": wishes, "beforeShellExecution": read }));
        let happened = fire_watched(&scene.dispatcher(host()), &scene.shell(BEFORE), |_| gate.send("go")).await;
        assert_eq!(happened.decision.action, Action::Proceed, "{}", happened.reasons());
        assert_eq!(command(happened.decision.call.as_ref()), Some("npm ci --ignore-scripts"));
        assert_eq!(scene.inputs("out/shell")[0]["command"], "npm ci --ignore-scripts");
        let [conflict] = happened.decision.conflicts.as_slice() else { panic!("{:?}", happened.decision.conflicts) };
        assert!(
            conflict.winner.as_str().ends_with("preToolUse[1]") && conflict.loser.as_str().ends_with("preToolUse[0]")
        );
    }
}

/// Says no to the new command, and to that alone.
const NO_CI: &str = r#"case $payload in
  *'"npm ci"'*) printf '{"permission":"deny","agent_message":"no ci here"}' ;;
  *) printf '{"permission":"allow"}' ;;
esac"#;

/// CUR-EVT-04: what a guard of the same stage judged was another command, so it is asked once more
/// and its denial counts.
#[tokio::test]
async fn a_guard_that_judged_the_old_command_is_asked_again() {
    let hooks = Rewriting::new(NO_CI);
    let happened = hooks.fire(host()).await;
    assert_eq!(hooks.judged("judge"), [BEFORE, AFTER]);
    assert_eq!((happened.decision.action, happened.reasons().as_str()), (Action::Deny, "no ci here"));
    assert!(happened.decision.call.is_none() && happened.decision.original_call.is_none());
    assert!(!hooks.scene.path("out/shell").exists(), "a denial ends the firing");
}

/// CUR-EVT-04: a host that does not ask again is told who judged something else.
#[tokio::test]
async fn without_asking_again_it_is_listed() {
    let hooks = Rewriting::new(NO_CI);
    let happened = hooks.fire(host().rejudge(false)).await;
    assert_eq!(hooks.judged("judge"), [BEFORE]);
    assert_eq!(hooks.scene.inputs("out/shell")[0]["command"], AFTER);
    let decision = happened.decision;
    assert_eq!((decision.action, decision.pre_approved), (Action::Proceed, false));
    assert_eq!(command(decision.call.as_ref()), Some(AFTER));
    let judge = "cursor:project/.cursor/hooks.json#preToolUse[1]";
    assert_eq!(decision.judged_earlier_input, [judge.into()]);
}

/// CUR-EVT-04: a denial of the first stage keeps the call as it is, and the second from being asked.
#[tokio::test]
async fn a_denial_beside_a_rewrite_ends_it() {
    let hooks = Rewriting::new("echo not today; exit 2");
    let happened = hooks.fire(host()).await;
    assert_eq!((happened.decision.action, happened.reasons().as_str()), (Action::Deny, "not today"));
    assert!(happened.decision.call.is_none());
    assert!(!hooks.scene.path("out/shell").exists());
}

/// CUR-TOOL-06, CUR-OUT-25, CUR-OUT-54: a wish that cannot be granted is a denial which says so,
/// and never the original call.
#[tokio::test]
async fn a_rewrite_that_does_not_fit_is_a_denial() {
    for (answer, said) in [
        (r#"{"permission":"allow","updated_input":{"command":5}}"#, "`command`"),
        (r#"{"permission":"allow","updated_input":{"command":null}}"#, "`command`"),
        (r#"{"permission":"allow","updated_input":{"nonsense":1}}"#, "`nonsense`"),
        (r#"{"permission":"allow","updated_input":{"command":"ls","nonsense":1}}"#, "`nonsense`"),
        (r#"{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":5}}}"#, "`command`"),
        (r#"{"permission":"allow","updated_input":"ls"}"#, "`updated_input`"),
        (r#"{"permission":"allow","updated_input":null}"#, "`updated_input`"),
        // there is no rewrite without a permission
        (r#"{"updated_input":{"command":"ls"}}"#, "has no `permission`"),
        (r#"{"updated_input":{"command":5}}"#, "has no `permission`"),
        (r#"{"nonsense":1}"#, "has no `permission`"),
    ] {
        let scene = Scene::new();
        let line = format!("printf '%s' '{answer}'");
        let touch = format!("touch {}; {ALLOW}", scene.at("out/asked"));
        let hooks = json!({ "preToolUse": [{ "command": line }], "beforeShellExecution": [{ "command": touch }] });
        scene.hooks(PROJECT, &hooks);
        let happened = fire(&scene.dispatcher(host()), &scene.shell("rm -rf build")).await;
        assert_eq!(happened.decision.action, Action::Deny, "{answer}");
        assert!(happened.decision.call.is_none() && !scene.path("out/asked").exists());
        let reasons = happened.reasons();
        for part in [said, "Acme", &format!("`{line}`")] {
            assert!(reasons.contains(part), "`{part}` is not in: {reasons}");
        }
    }
}

/// CUR-OUT-33: the shell's own guards cannot rewrite; one that wants to has its command refused.
#[tokio::test]
async fn a_rewrite_where_there_is_none_is_a_denial() {
    let answer = r#"printf '{"permission":"allow","updated_input":{"command":"ls"}}'"#;
    let scene = Scene::with(&json!({ "beforeShellExecution": [{ "command": answer }] }));
    let happened = fire(&scene.dispatcher(host()), &scene.shell("rm -rf build")).await;
    assert_eq!(happened.decision.action, Action::Deny);
    let [unsupported] = happened.decision.unsupported.as_slice() else { panic!("not reported") };
    assert_eq!((&*unsupported.value.field, &*unsupported.value.event), ("updated_input", "beforeShellExecution"));
    let reasons = happened.reasons();
    for part in ["`updated_input`", "Acme", &happened.only().id] {
        assert!(reasons.contains(part), "`{part}` is not in: {reasons}");
    }
}

/// CUR-EVT-08: nor does a host that cannot rewrite run what its hook did not want to run.
#[tokio::test]
async fn a_rewrite_the_host_cannot_do_is_a_denial() {
    let hooks = Rewriting::new(ALLOW);
    let unable = host().honours(Capabilities::ALL.without(Capabilities::REWRITE_INPUT));
    let happened = hooks.fire(unable).await;
    assert_eq!((happened.runs.len(), happened.decision.action), (2, Action::Deny));
    assert!(happened.decision.call.is_none() && !hooks.scene.path("out/shell").exists());
    let reasons = happened.reasons();
    for part in ["Acme", "cannot change inputs", "cursor:project/.cursor/hooks.json#preToolUse[0]"] {
        assert!(reasons.contains(part), "`{part}` is not in: {reasons}");
    }
}

/// CUR-TOOL-05, CUR-TOOL-07: the whole input may be sent back; what hooks are not shown is kept.
#[tokio::test]
async fn a_rewrite_keeps_what_it_does_not_name() {
    let scene = Scene::new();
    let answer = r#"input=$(sed -n 's/.*"tool_input":\({[^}]*}\).*/\1/p' | sed 's/npm install/npm ci/')
printf '{"permission":"allow","updated_input":%s}' "$input""#;
    scene.hooks(PROJECT, &json!({ "preToolUse": [{ "command": answer }] }));
    let call = |command| {
        let shell = Shell::new(command).cwd(Some("/tmp".into())).timeout_ms(Some(1500)).background(true);
        ToolCall::new("c1", "terminal", shell)
    };
    let envelope = scene.envelope(ToolBefore::new(call(BEFORE)));
    let decision = fire(&scene.dispatcher(host()), &envelope).await.decision;
    assert_eq!((decision.action, decision.call), (Action::Proceed, Some(call(AFTER))));
    assert_eq!(decision.original_call, Some(call(BEFORE)));
}
