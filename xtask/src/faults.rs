//! What each vendor's hooks that fail come to: the table in `docs/runner.md`, written by asking
//! each adapter.

use harness_hooks_core::{
    Adapter, Asked, Effects, EventId, Exit, FailureMode, Fidelity, HaltScope, Handler, Outcome, Severity, Verdict,
};

use crate::{
    adapters::adapters,
    docs::{code, table},
};

/// What can go wrong, how the runner says it, and an outcome of the kind.
fn faults() -> Vec<(&'static str, &'static str, Outcome)> {
    let ended = |code| Outcome::new(Exit::Code(code));
    vec![
        ("its program or its folder is not there", "`not_started`", Outcome::new(Exit::NotStarted("why".into()))),
        ("it crashes", "`signal` 11", Outcome::new(Exit::Signal(11))),
        ("it ends with a code that means nothing", "`code` 1", ended(1)),
        ("its shell finds no such command", "`code` 127", ended(127)),
        ("its timeout is over, or its event's budget", "`timed_out`", Outcome::new(Exit::TimedOut)),
        ("the host gives it up", "`cancelled`", Outcome::new(Exit::Cancelled)),
        ("it says nothing", "`code` 0", ended(0)),
        ("it says nothing, and a child holds its output", "`code` 0, leaked", ended(0).leaked(true)),
        ("it says too much", "`code` 0, truncated", ended(0).stdout("{\"").truncated(true)),
        ("what it says is plain text", "`code` 0", ended(0).stdout("all is well")),
        ("what it says is broken JSON", "`code` 0", ended(0).stdout("{a}")),
        ("what it says is no text", "`code` 0", ended(0).stdout(b"\xff\xfe\xfd".as_slice())),
        ("a server or the host has no answer", "`failed`", Outcome::new(Exit::Failed("got no answer".into()))),
    ]
}

/// The policies a failure is judged by: a column each.
const POLICIES: [(&str, FailureMode, bool); 3] = [
    ("open", FailureMode::Open, false),
    ("failClosed", FailureMode::Closed, false),
    ("strict", FailureMode::Open, true),
];

/// A section for each vendor, in it a table for all events of which the same is true.
pub(crate) fn sections() -> String {
    adapters(Fidelity::Guarded).iter().map(|adapter| section(&**adapter)).collect()
}

fn section(adapter: &dyn Adapter) -> String {
    let mut groups: Vec<(Vec<String>, Vec<Vec<String>>)> = Vec::new();
    for (id, spec) in (0..=u16::MAX).map(EventId).zip(adapter.events()) {
        let rows = rows(adapter, id);
        let name = code(spec.name);
        match groups.iter_mut().find(|(_, known)| *known == rows) {
            Some((names, _)) => names.push(name),
            None => groups.push((vec![name], rows)),
        }
    }
    let columns: Vec<&str> = ["fault", "state"].into_iter().chain(POLICIES.map(|(name, ..)| name)).collect();
    let tables = groups
        .into_iter()
        .map(|(names, rows)| format!("\nAt {}:\n\n{}", names.join(", "), table(&columns, rows.into_iter())));
    format!("\n### {}\n{}", adapter.vendor(), tables.collect::<String>())
}

fn rows(adapter: &dyn Adapter, event: EventId) -> Vec<Vec<String>> {
    let row = |(fault, state, outcome): (&str, &str, Outcome)| {
        let effects = POLICIES.map(|(_, failure, strict)| effects(adapter, event, failure, strict, &outcome));
        [fault.to_owned(), state.to_owned()].into_iter().chain(effects.iter().map(said)).collect()
    };
    faults().into_iter().map(row).collect()
}

fn effects(adapter: &dyn Adapter, event: EventId, failure: FailureMode, strict: bool, outcome: &Outcome) -> Effects {
    let request = Handler::Http { url: "http://localhost/".into(), headers: Default::default(), variables: Vec::new() };
    let asked = Asked::new(event, "Acme", "guard.sh").failure(failure).strict(strict);
    let asked = if matches!(outcome.exit, Exit::Failed(_)) { asked.handler(&request) } else { asked };
    adapter.decode(asked, outcome)
}

/// In a few words: what happens to that about which the hook was asked, and what is said of it.
fn said(effects: &Effects) -> String {
    let halt = effects.halt.as_ref().map(|halt| match halt.scope {
        HaltScope::Prompt => "prompt halted",
        HaltScope::Turn => "turn halted",
        HaltScope::Session => "session halted",
    });
    let verdict = effects.verdict.map(|verdict| match verdict {
        Verdict::Allow => "allowed",
        Verdict::Ask => "asked",
        Verdict::Defer => "deferred",
        Verdict::Deny => "**denied**",
    });
    let onward = effects.continuation.as_ref().map(|_| "the agent goes on");
    let result = effects.replacement_result.as_ref().map(|_| "result replaced");
    let done: Vec<&str> = [verdict, halt, onward, result].into_iter().flatten().collect();
    let told = [
        (!effects.feedback.is_empty()).then_some("objection"),
        (!effects.context.is_empty()).then_some("text is context"),
    ];
    if !done.is_empty() {
        return done.into_iter().chain(told.into_iter().flatten()).collect::<Vec<_>>().join(", ");
    }
    let nothing = if effects.undecided { "goes on unapproved" } else { "goes on" };
    let severities = effects.diagnostics.iter().map(|diagnostic| diagnostic.severity);
    let severity = severities.min_by_key(|severity| rank(*severity)).map(|severity| severity.to_string());
    let told = told.into_iter().flatten().map(str::to_owned);
    [nothing.to_owned()].into_iter().chain(told).chain(severity).collect::<Vec<_>>().join(", ")
}

fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        _ => 2,
    }
}
