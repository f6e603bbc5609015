//! What an author is told, with a place; and definitions and documents one by one, where no
//! configuration case has the value.

use harness_hooks_core::{Adapter, Diagnostic, Severity};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{ConfigCase, codes, configs, of};

use crate::common;

/// Findings about the form of the whole file: they point at no value.
const OF_THE_FILE: &[&str] = &["cursor/bom", "cursor/utf16", "cursor/comments", "cursor/invalid-utf8"];

fn each() -> Vec<ConfigCase> {
    configs(&of("cursor")).unwrap()
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

/// One definition, and what becomes of it: bound, skipped or refused with the file.
#[test]
fn definitions_one_by_one() {
    for (rule, event, definition, bound, refused, warnings) in [
        ("CUR-CFG-06", "stop", r#"{"command":"a","type":"Command"}"#, 0, true, 0),
        ("CUR-CFG-07", "stop", r#"{"type":"prompt","prompt":5,"timeout":-1,"matcher":"("}"#, 0, false, 2),
        ("CUR-CFG-09", "stop", r#"{"command":"a","timeout":1e400}"#, 0, true, 0),
        ("CUR-CFG-09", "stop", r#"{"command":"a","timeout":1e-9}"#, 1, false, 0),
        ("CUR-CFG-09", "stop", r#"{"command":"a","timeout":true}"#, 0, true, 0),
        ("CUR-CFG-10", "stop", r#"{"command":"a","matcher":5}"#, 0, true, 0),
        ("CUR-CFG-10", "stop", r#"{"command":"a","failClosed":1}"#, 0, true, 0),
        ("CUR-CFG-12", "stop", r#"{"command":"a","loop_limit":true}"#, 0, true, 0),
        ("CUR-CFG-12", "stop", r#"{"command":"a","loop_limit":5.0}"#, 1, false, 0),
        ("CUR-CFG-13", "preToolUse", r#"{"command":"a","loop_limit":"many"}"#, 1, false, 1),
        ("CUR-CFG-13", "preToolUse", r#"{"command":"a","loop_limit":-1}"#, 1, false, 1),
        ("CUR-CFG-14", "preToolUse", r#"{"command":"a","matcher":"a{2,1}"}"#, 0, false, 2),
        ("CUR-CFG-15", "preCompact", r#"{"command":"a","matcher":"("}"#, 1, false, 1),
        ("CUR-CFG-15", "sessionEnd", r#"{"command":"a","matcher":"*"}"#, 1, false, 0),
        ("CUR-CFG-16", "stop", r#"{"command":"a","prompt":5,"model":null}"#, 1, false, 0),
        ("CUR-CFG-16", "stop", r#"{"command":"a","env":{"A":[null]},"Timeout":5}"#, 1, false, 2),
        ("CUR-CFG-20", "stop", r#"{"command":5,"command":"a"}"#, 1, false, 1),
    ] {
        let parsed = common::parse(format!(r#"{{"version":1,"hooks":{{"{event}":[{definition}]}}}}"#));
        let warned = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Warning).count();
        let got = (parsed.bindings.len(), parsed.refused.is_some(), warned);
        assert_eq!(got, (bound, refused, warnings), "{rule}: {event} {definition}: {:#?}", parsed.diagnostics);
    }
}

/// CUR-CFG-07: on every event, and what stands after it keeps its place in the array.
#[test]
fn prompt_hooks_are_skipped_everywhere() {
    for spec in Cursor::new().events() {
        let hooks = r#"[{"type":"prompt","prompt":"p"},{"command":"a"}]"#;
        let parsed = common::parse(format!(r#"{{"version":1,"hooks":{{"{}":{hooks}}}}}"#, spec.name));
        let [binding] = parsed.bindings.as_slice() else { panic!("{}: {:?}", spec.name, parsed.bindings) };
        assert_eq!(binding.pointer, format!("/hooks/{}/1", spec.name));
        assert!(binding.id.as_str().ends_with(&format!("#{}[1]", spec.name)), "{}", binding.id);
        assert_eq!(codes(&parsed.diagnostics), ["warning cursor/prompt-hook"]);
    }
}

/// CUR-CFG-04: what is no document of hooks is never empty in silence.
#[test]
fn documents_that_define_nothing() {
    for (document, silent) in [
        (r#"{"version":1,"hooks":{}}"#, true),
        (r#"{"version":1,"hooks":{"stop":[],"preToolUse":[]}}"#, true),
        (r#"{"version":1,"hooks":{"postCompact":[]}}"#, false),
        (r#"{"version":1,"hooks":{"stop":[{"type":"prompt"}]}}"#, false),
        ("{}", false),
        ("", false),
        ("[]", false),
    ] {
        let parsed = common::parse(document);
        assert_eq!(parsed.bindings.len(), 0);
        assert_eq!(parsed.diagnostics.is_empty(), silent, "{document}: {:?}", parsed.diagnostics);
    }
}
