//! What holds for any hooks, whatever they ask for: generated effects, merged, resolved and driven
//! through a firing.

use harness_hooks_core::{
    Action, Boundary, By, Capabilities, Circumstances, Decision, Effects, Exit, Fired, Halt, HaltScope, Host,
    InputRewrite, Json, Merged, Outcome, SessionState, Unsupported, Verdict, Why, resolve,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

use crate::tiny;

fn verdict() -> impl Strategy<Value = Option<Verdict>> {
    option::of(select(vec![Verdict::Allow, Verdict::Ask, Verdict::Defer, Verdict::Deny]))
}

/// What one hook may ask for, near enough to what hooks do ask for.
fn effects() -> impl Strategy<Value = Effects> {
    let patch = option::weighted(0.3, select(vec![r#"{"command":"a"}"#, r#"{"command":"b"}"#, r#"{"cwd":"/x"}"#]));
    let halt = option::weighted(0.1, select(vec![HaltScope::Prompt, HaltScope::Turn, HaltScope::Session]));
    let rest = (any::<bool>(), option::weighted(0.1, Just("continue")), option::weighted(0.2, Just("ctx")));
    (verdict(), option::of("[a-c]{1,3}"), patch, halt, rest).prop_map(|(verdict, reason, patch, halt, rest)| {
        let (undecided, unsupported, context) = rest;
        let mut effects = Effects::default();
        effects.verdict = verdict;
        effects.reasons = reason.into_iter().map(Into::into).collect();
        effects.replacement_input = patch.map(|patch| InputRewrite::Patch(Json::of(&raw(patch))));
        effects.halt = halt.map(|scope| Halt::new(scope, None));
        effects.context = context.into_iter().map(Into::into).collect();
        let event = "early".to_owned();
        effects.unsupported =
            unsupported.into_iter().map(|f: &str| Unsupported { field: f.into(), event: event.clone() }).collect();
        effects.undecided = undecided && verdict.is_none();
        effects
    })
}

fn raw(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn host() -> impl Strategy<Value = Host> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(attended, strict, defers, rewrites)| {
        let lacking = |has: bool, capability| if has { Capabilities::NONE } else { capability };
        let lacks = lacking(defers, Capabilities::DEFER).and(lacking(rewrites, Capabilities::REWRITE_INPUT));
        Host::new("Acme", "1.2.3").attended(attended).strict(strict).honours(Capabilities::ALL.without(lacks))
    })
}

fn boundary() -> impl Strategy<Value = Boundary> {
    select(vec![Boundary::ToolBefore, Boundary::ToolResult, Boundary::PromptSubmit, Boundary::TurnStop])
}

fn named(effects: &[Effects]) -> Vec<By<Effects>> {
    effects.iter().enumerate().map(|(n, e)| By::new(format!("test:hooks#{n}").as_str().into(), e.clone())).collect()
}

fn decided(said: Vec<By<Effects>>, host: &Host, boundary: Boundary) -> Decision {
    resolve(Merged::all(said), Circumstances::new(host, boundary))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// One more hook may refuse more, never less; and it never approves for one that did not
    /// decide.
    #[test]
    fn one_more_hook_never_weakens(
        said in vec(effects(), 0..5),
        more in effects(),
        place in any::<prop::sample::Index>(),
        host in host(),
        boundary in boundary(),
    ) {
        let mut with = named(&said);
        with.insert(place.index(said.len() + 1), By::new("test:hooks#more".into(), more));
        let before = decided(named(&said), &host, boundary);
        let after = decided(with, &host, boundary);
        if before.action != Action::Proceed {
            prop_assert_ne!(after.action, Action::Proceed);
        }
        if said.iter().any(|e| e.verdict == Some(Verdict::Deny)) {
            prop_assert_eq!(after.action, Action::Deny); // not every denial: an ask nobody answers may become a defer
        }
        if said.iter().any(|e| e.undecided || e.verdict.is_some_and(|v| v > Verdict::Allow)) {
            prop_assert!(!after.pre_approved);
        }
        prop_assert!(before.halt.is_none() || after.halt.is_some());
    }

    /// Silence changes nothing, wherever it stands.
    #[test]
    fn merging_nothing_changes_nothing(
        said in vec(effects(), 0..5),
        place in any::<prop::sample::Index>(),
        host in host(),
        boundary in boundary(),
    ) {
        let mut with = named(&said);
        with.insert(place.index(said.len() + 1), By::new("test:hooks#quiet".into(), Effects::default()));
        let merged = Merged::all(named(&said));
        prop_assert_eq!(&Merged::all(with.clone()), &merged);
        prop_assert_eq!(&merged.clone().then(Merged::default()), &merged);
        prop_assert_eq!(&Merged::default().then(merged.clone()), &merged);
        prop_assert_eq!(decided(with, &host, boundary), decided(named(&said), &host, boundary));
    }

    /// Stages are merged one after another, and it does not matter where one ends.
    #[test]
    fn grouping_does_not_matter(
        said in vec(effects(), 0..6),
        first in any::<prop::sample::Index>(),
        second in any::<prop::sample::Index>(),
    ) {
        let said = named(&said);
        let mut cuts = [first.index(said.len() + 1), second.index(said.len() + 1)];
        cuts.sort_unstable();
        let part = |range: std::ops::Range<usize>| Merged::all(said[range].to_vec());
        let (a, b, c) = (part(0..cuts[0]), part(cuts[0]..cuts[1]), part(cuts[1]..said.len()));
        let whole = Merged::all(said.clone());
        prop_assert_eq!(&a.clone().then(b.clone()).then(c.clone()), &whole);
        prop_assert_eq!(&a.then(b.then(c)), &whole);
    }
}

/// What a hook of the tiny adapter prints, or that it is never heard of.
fn answer() -> impl Strategy<Value = Option<Value>> {
    let verdict = select(vec![Value::Null, json!("allow"), json!("ask"), json!("deny")]);
    let patch = select(vec![
        Value::Null,
        Value::Null,
        json!({"patch": {"command": "a"}}),
        json!({"patch": {"command": "b"}}),
        json!({"patch": {"description": "d"}}),
        json!({"patch": {"timeout": 1}}),
    ]);
    let texts = vec("[a-c]{1,2}", 0..2);
    let whole = (verdict, patch, texts).prop_map(
        |(verdict, patch, texts)| json!({"by": "x", "verdict": verdict, "replacement_input": patch, "context": texts}),
    );
    option::weighted(0.9, whole)
}

/// Runs a firing to its end; `order` gives a place for every report, by the hook's command.
fn fire(host: &Host, answers: &[Option<Value>], order: &[usize]) -> (Fired, Vec<String>) {
    let line = |n: usize| format!("{} {n}\n", if n.is_multiple_of(2) { "early" } else { "late" });
    let document: String = (0..answers.len()).map(line).collect();
    let snapshot = tiny::snapshot(host.clone(), &document);
    let envelope = tiny::shell("start");
    let mut firing = snapshot.begin(&envelope, SessionState::new());
    let mut stages = Vec::new();
    while let Some(stage) = firing.next_stage() {
        let number = |command: &str| command.parse::<usize>().unwrap();
        let mut running: Vec<_> = stage.invocations.iter().collect();
        running.sort_by_key(|invocation| order[number(invocation.binding.handler.text())]);
        for invocation in running {
            if let Some(answer) = &answers[number(invocation.binding.handler.text())] {
                firing.report(invocation, &Outcome::new(Exit::Code(0)).stdout(answer.to_string()));
            }
        }
        let seen = stage.invocations.first().map(|i| String::from_utf8_lossy(&i.stdin).into_owned());
        stages.push(format!("{} {} {:?}", stage.number, stage.rejudging, seen));
    }
    (firing.finish(), stages)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// CUR-EVT-02: hooks finish in any order, and some never do; nothing depends on it.
    #[test]
    fn the_decision_does_not_depend_on_completion_order(
        answers in vec(answer(), 1..6),
        order in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
        rejudge in any::<bool>(),
        attended in any::<bool>(),
    ) {
        let host = Host::new("Acme", "1.2.3").fires([Boundary::ToolBefore]).rejudge(rejudge).attended(attended);
        let (in_order, planned) = fire(&host, &answers, &[0, 1, 2, 3, 4, 5]);
        let (shuffled, planned_again) = fire(&host, &answers, &order);
        prop_assert_eq!(in_order.decision, shuffled.decision);
        prop_assert_eq!(in_order.merged, shuffled.merged);
        prop_assert_eq!(in_order.change, shuffled.change);
        prop_assert_eq!(planned, planned_again);
    }
}

/// A hook that wants another input where nothing is about to be called is refused or said to have
/// been, never left out in silence.
#[test]
fn an_input_nobody_calls_with_is_said() {
    let host = Host::new("Acme", "1.2.3")
        .fires([Boundary::PromptSubmit, Boundary::ToolResult])
        .honours(Capabilities::REWRITE_INPUT);
    let answer = json!({"by": "x", "replacement_input": {"patch": {"command": "a"}}}).to_string();
    for (envelope, action) in [(tiny::prompt(), Action::Deny), (tiny::ran("start"), Action::Proceed)] {
        let snapshot = tiny::snapshot(host.clone(), "early 0\n");
        let mut firing = snapshot.begin(&envelope, SessionState::new());
        while let Some(stage) = firing.next_stage() {
            firing.report(&stage.invocations[0], &Outcome::new(Exit::Code(0)).stdout(answer.clone()));
        }
        let decision = firing.finish().decision;
        assert_eq!(decision.action, action, "{}", envelope.boundary());
        assert!(decision.call.is_none());
        assert!(decision.diagnostics.iter().any(|d| d.message.contains("early")), "{:?}", decision.diagnostics);
    }
}

/// What looks ahead sees every stage, and asks no hook.
#[test]
fn a_preview_shows_every_stage() {
    let host = Host::new("Acme", "1.2.3").fires([Boundary::ToolBefore]);
    let snapshot = tiny::snapshot(host, "early 0\nlate 1\n");
    let envelope = tiny::shell("start");
    let mut preview = snapshot.preview(&envelope, SessionState::new());
    let mut stages = Vec::new();
    while let Some(stage) = preview.next_stage() {
        stages.push((stage.number, stage.invocations.len()));
    }
    assert_eq!(stages, [(0, 1), (100, 1)]);
}

/// What a refusal keeps from being planned is known, and only then.
#[test]
fn what_is_never_reached_is_known() {
    let host = Host::new("Acme", "1.2.3").fires([Boundary::ToolBefore]);
    let snapshot = tiny::snapshot(host, "late 0\nearly 1\nlate 2\n");
    let envelope = tiny::shell("start");
    for (verdict, expected) in [("deny", &["late0", "late2"][..]), ("allow", &[])] {
        let answer = json!({"by": "x", "verdict": verdict}).to_string();
        let mut firing = snapshot.begin(&envelope, SessionState::new());
        while let Some(stage) = firing.next_stage() {
            assert!(firing.never_reached().is_empty(), "something may follow");
            for invocation in &stage.invocations {
                firing.report(invocation, &Outcome::new(Exit::Code(0)).stdout(answer.clone()));
            }
        }
        assert!(firing.next_stage().is_none());
        let never = firing.never_reached();
        assert!(never.iter().all(|never| never.why == Why::EarlierStage), "{never:?}");
        let ids = never.iter().filter_map(|never| never.binding.id.as_str().rsplit('#').next());
        assert_eq!(ids.collect::<Vec<_>>(), expected, "{verdict}");
    }
}
