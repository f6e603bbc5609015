//! `hooks.json`, nearly right.

use std::collections::HashSet;

use harness_hooks_core::{Adapter, Parsed, SessionState, Severity};
use harness_hooks_cursor::Cursor;
use proptest::{collection::vec, prelude::*, sample::select};

use super::cases;
use crate::common;

/// A key of a definition with its value, as they are written.
fn entry() -> impl Strategy<Value = String> {
    let value = |key: &'static str, values: &'static [&'static str]| {
        select(values).prop_map(move |value| format!("{key}:{value}"))
    };
    prop_oneof![
        6 => value(r#""command""#, &[r#""./a.sh""#, r#""""#, r#""a // b""#, "5", "null", r#"["a"]"#]),
        3 => value(r#""matcher""#, &[r#""Shell""#, r#""*""#, r#""""#, r#""(""#, r#""(?i)x""#, "null", r#""(a)\\1""#]),
        2 => value(r#""timeout""#, &["5", "0.25", "0", "-1", "1e30", "1e400", "null", r#""5""#, "5000"]),
        2 => value(r#""failClosed""#, &["true", "false", "null", r#""true""#]),
        2 => value(r#""loop_limit""#, &["3", "0", "null", "10", "-1", "1.5", r#""3""#, "true"]),
        1 => value(r#""type""#, &[r#""command""#, r#""prompt""#, r#""http""#, "null"]),
        1 => value(r#""prompt""#, &[r#""Is it safe?""#]),
        1 => value(r#""FailClosed""#, &["true"]),
        1 => value(r#""env""#, &["{}", r#"{"a":[1,{"b":null}]}"#]),
    ]
}

/// A definition; most have a command of the right type.
fn definition() -> impl Strategy<Value = String> {
    let odd = select(vec!["null", "[]", "5", r#""./a.sh""#]).prop_map(str::to_owned);
    let entries = (any::<bool>(), vec(entry(), 0..4)).prop_map(|(sure, mut entries)| {
        if sure {
            entries.retain(|entry| !entry.starts_with(r#""command""#));
            entries.push(r#""command":"./sure.sh""#.to_owned());
        }
        format!("{{{}}}", entries.join(","))
    });
    prop_oneof![1 => odd, 24 => entries]
}

/// An event's name with its definitions.
fn event() -> impl Strategy<Value = (String, Vec<String>)> {
    let names: Vec<&str> = Cursor::new().events().iter().map(|spec| spec.name).collect();
    let odd = vec!["PreToolUse", "postCompact", "", "pre\\u0054oolUse"];
    let name = prop_oneof![12 => select(names), 1 => select(odd)];
    (name.prop_map(str::to_owned), vec(definition(), 0..4))
}

/// A document, and how many definitions stand in it.
fn document() -> impl Strategy<Value = (String, usize)> {
    let version = prop_oneof![
        12 => Just(r#""version":1"#),
        1 => select(vec![r#""version":1.0"#, r#""version":2"#, r#""version":"1""#, r#""version":null"#, r#""other":1"#]),
    ];
    let more = select(vec!["", "", "", r#","$schema":"x""#, r#","stop_hook_loop_limit":3"#, r#","version":1"#]);
    let space = select(vec!["", " ", "\n  ", "\r\n\t", " // note\n", " /* note */ "]);
    (version, vec(event(), 0..4), more, space).prop_map(|(version, mut events, more, space)| {
        let mut seen = HashSet::new();
        events.retain(|(name, _)| seen.insert(name.clone()));
        let written =
            events.iter().map(|(name, each)| format!("{space}\"{name}\":[{}]", each.join(&format!(",{space}"))));
        let hooks = written.collect::<Vec<_>>().join(",");
        let count = events.iter().map(|(_, each)| each.len()).sum();
        (format!("{{{version},{space}\"hooks\":{{{hooks}}}{more}}}"), count)
    })
}

/// What must hold of any document, beside what holds of any vendor's.
fn check(parsed: &Parsed) -> Result<(), TestCaseError> {
    let errors = || parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    if parsed.refused.is_some() {
        prop_assert!(errors().any(|d| d.place.is_some()), "refused without a place: {:?}", parsed.diagnostics);
    }
    for binding in &parsed.bindings {
        prop_assert!(binding.place.is_some() && binding.pointer.starts_with("/hooks/"), "{:?}", binding);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    /// CUR-CFG-01, CUR-CFG-04, CUR-CFG-17: a definition that is not bound does not go in silence.
    #[test]
    fn nothing_is_left_out_in_silence((document, definitions) in document()) {
        let parsed = common::parse(&document);
        check(&parsed)?;
        if parsed.bindings.len() < definitions {
            prop_assert!(!parsed.diagnostics.is_empty(), "{definitions} definitions, {} bound", parsed.bindings.len());
        }
        prop_assert!(parsed.bindings.len() <= definitions);
    }

    /// What is read can be loaded, planned and decided. That any bytes can be read is what every
    /// adapter must hold: CUR-CFG-21.
    #[test]
    fn what_is_read_can_be_fired((document, _) in document(), strict in any::<bool>()) {
        let refused = common::parse(&document).refused;
        let snapshot = common::snapshot(common::acme().strict(strict), &document);
        let call = common::before(r#"{"shell":{"command":"ls"}}"#);
        let mut firing = snapshot.begin(&call, SessionState::new()).explaining();
        while firing.next_stage().is_some() {}
        let decision = firing.finish().decision;
        if refused.is_some() {
            prop_assert_eq!(decision.refused_sources.len(), 1); // CUR-SRC-08
        }
    }
}
