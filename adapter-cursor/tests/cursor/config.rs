//! Every configuration case: what is bound, what is refused, and what its author is told, with a
//! place.

use harness_hooks_core::{Adapter, Asked, Binding, Diagnostic, Exit, Matcher, Outcome, Severity};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{ConfigCase, ExpectedBinding, codes, configs};

use crate::common;

/// Findings about the form of the whole file: they point at no value.
const OF_THE_FILE: &[&str] = &["cursor/bom", "cursor/utf16", "cursor/comments", "cursor/invalid-utf8"];

fn each() -> Vec<ConfigCase> {
    configs("cursor").unwrap()
}

/// What a definition became, in the words of the fixture.
fn bound(binding: &Binding) -> String {
    let Binding { event_name, handler, matcher, timeout, failure, loop_limit, .. } = binding;
    let matcher = (!matches!(matcher, Matcher::Any)).then(|| matcher.to_string());
    let timeout = timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
    let command = handler.text();
    format!("{event_name} {command:?}: {matcher:?}, {timeout:?} ms, fails {failure:?}, at most {loop_limit:?}")
}

fn expected(binding: &ExpectedBinding) -> String {
    let ExpectedBinding { event, command, matcher, timeout_ms, failure, loop_limit, .. } = binding;
    format!("{event} {command:?}: {matcher:?}, {timeout_ms:?} ms, fails {failure:?}, at most {loop_limit:?}")
}

#[test]
fn every_document_is_read_as_written() {
    let mut faults = Vec::new();
    for case in each() {
        let parsed = common::parse(&case.bytes);
        let mut differ = |what: &str, expected: &[String], got: &[String]| {
            if expected != got {
                let rules = case.rules.join(" ");
                let (expected, got) = (expected.join("\n      "), got.join("\n      "));
                let head = format!("{} ({rules}): {what}", case.name);
                faults.push(format!("{head}\n    expected\n      {expected}\n    got\n      {got}"));
            }
        };
        differ("refused", &[case.refused.to_string()], &[parsed.refused.is_some().to_string()]);
        let bound: Vec<_> = parsed.bindings.iter().map(bound).collect();
        differ("bindings", &case.bindings.iter().map(expected).collect::<Vec<_>>(), &bound);
        differ("diagnostics", &case.diagnostics, &codes(&parsed.diagnostics));
    }
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
}

/// An author can go to where the fault is: every finding names the file, and every finding about a
/// value its line and column.
#[test]
fn every_diagnostic_has_a_place() {
    let lost = |d: &Diagnostic| d.source.is_none() || d.place.is_none() && !OF_THE_FILE.contains(&&*d.code);
    for case in each() {
        let diagnostics = common::parse(&case.bytes).diagnostics;
        let lost: Vec<_> = diagnostics.iter().filter(|d| lost(d)).collect();
        assert!(lost.is_empty(), "{}: {lost:#?}", case.name);
    }
}

/// CUR-CFG-01, CUR-CFG-04: a refused document has one error, and one that binds nothing says why.
#[test]
fn nothing_is_dropped_in_silence() {
    for case in each() {
        let parsed = common::parse(&case.bytes);
        let errors = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        assert_eq!(errors, usize::from(parsed.refused.is_some()), "{}", case.name);
        if parsed.bindings.is_empty() && !["empty_hooks", "empty_arrays"].contains(&case.name.as_str()) {
            assert!(!parsed.diagnostics.is_empty(), "{}", case.name);
        }
        assert!(parsed.refused.is_none() || parsed.bindings.is_empty(), "{}", case.name);
    }
}

/// CUR-OUT-34 to CUR-OUT-38: what hooks of the Claude-shaped document print.
#[test]
fn every_answer_has_its_effects() {
    let mut faults = Vec::new();
    for (case, answer) in each().iter().flat_map(|case| case.answers.iter().map(move |answer| (case, answer))) {
        let binding = common::parse(&case.bytes).bindings.into_iter().find(|b| b.event_name == answer.event).unwrap();
        let asked = Asked::new(binding.event, "Acme", binding.handler.text())
            .failure(binding.failure)
            .loop_limit(binding.loop_limit);
        let got = Cursor::new().decode(asked, &Outcome::new(Exit::Code(0)).stdout(answer.stdout.clone()));
        let differ = answer.effects.compare_all(&got);
        faults.extend(differ.iter().map(|fault| format!("{}/{}: {fault}", case.name, answer.name)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
