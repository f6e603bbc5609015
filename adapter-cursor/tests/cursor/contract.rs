//! The named host tests of the agreed design: the document with everything in it, on the host that
//! fires twelve events, plans six and lacks three.

use harness_hooks_core::{Adapter, Capabilities, Diagnostic, Host, Severity, Snapshot, Standing};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{configs, events, of};

use crate::common;

/// The document of a configuration case.
fn document(name: &str) -> Vec<u8> {
    let case = configs(&of("cursor")).unwrap().into_iter().find(|case| case.name == name);
    case.unwrap_or_else(|| panic!("no case {name}")).bytes
}

fn full(host: Host) -> std::sync::Arc<Snapshot> {
    common::snapshot(host, document("full_config"))
}

/// The event a diagnostic is about: the second part of its pointer.
fn event_of(diagnostic: &Diagnostic) -> String {
    let pointer = diagnostic.pointer.as_deref().unwrap_or_default();
    pointer.split('/').nth(2).unwrap_or_default().to_owned()
}

fn found(snapshot: &Snapshot, code: &str) -> Vec<String> {
    snapshot.diagnostics().iter().filter(|d| d.code == code).map(event_of).collect()
}

/// CUR-EVT-02, CUR-EVT-10
#[test]
fn full_config_declares_eighteen_bindings_in_table_order() {
    let snapshot = full(common::twelve_event_host());
    let bound: Vec<&str> = snapshot.bindings().iter().map(|binding| binding.event_name).collect();
    let three = ["beforeTabFileRead", "afterTabFileEdit", "workspaceOpen"];
    let table: Vec<&str> = Cursor::new().events().iter().map(|s| s.name).filter(|name| !three.contains(name)).collect();
    assert_eq!(bound, table);
    assert_eq!(bound.len(), 18);

    let planned = snapshot.bindings().iter().filter(|binding| binding.standing == Standing::Planned);
    assert_eq!(planned.map(|binding| binding.event_name).collect::<Vec<_>>(), SIX_PLANNED);
    let active = snapshot.bindings().iter().filter(|binding| binding.standing == Standing::Active);
    assert_eq!(active.count(), 12);
}

const SIX_PLANNED: [&str; 6] =
    ["sessionEnd", "subagentStart", "subagentStop", "beforeReadFile", "afterFileEdit", "preCompact"];

/// CUR-CFG-12, CUR-CFG-15, CUR-EVT-10
#[test]
fn full_config_gives_eleven_warnings() {
    let snapshot = full(common::twelve_event_host());
    let all = snapshot.diagnostics();
    assert!(all.iter().all(|d| d.severity == Severity::Warning), "{all:#?}");

    assert_eq!(found(&snapshot, "cursor/planned-event"), SIX_PLANNED);
    let absent = found(&snapshot, "cursor/absent-event");
    assert_eq!(absent, ["beforeTabFileRead", "afterTabFileEdit", "workspaceOpen"]);
    assert_eq!(found(&snapshot, "cursor/loop-limit-capped"), ["stop"]);
    assert_eq!(found(&snapshot, "cursor/matcher-ignored"), ["preCompact"]);
    assert_eq!(all.len(), 6 + 3 + 1 + 1);

    let stop = snapshot.bindings().iter().find(|binding| binding.event_name == "stop").unwrap();
    assert_eq!(stop.loop_limit, Some(8));
}

/// CUR-EVT-10: what will never run says so, and names the host.
#[test]
fn planned_and_absent_events_say_what_will_not_happen() {
    let snapshot = full(common::twelve_event_host());
    for diagnostic in snapshot.diagnostics() {
        let says = match &*diagnostic.code {
            "cursor/planned-event" => "will never run",
            "cursor/absent-event" => "not bound",
            _ => continue,
        };
        let message = &diagnostic.message;
        assert!(
            message.contains(says) && message.contains("Acme") && message.contains(&event_of(diagnostic)),
            "{message}"
        );
        assert!(diagnostic.source.is_some() && diagnostic.place.is_some(), "{diagnostic:?}");
    }
}

/// CUR-EVT-08: one warning per binding that may ask for what the host cannot do; it still loads.
#[test]
fn a_host_without_rewrites_and_context_warns_for_four_events() {
    let lacking = Capabilities::REWRITE_INPUT.and(Capabilities::REWRITE_RESULT).and(Capabilities::CONTEXT);
    let honours = Capabilities::ALL.without(Capabilities::DEFER).without(lacking);
    let snapshot = full(common::twelve_event_host().honours(honours));
    let warned = found(&snapshot, "cursor/lacking-capability");
    assert_eq!(warned, ["sessionStart", "preToolUse", "postToolUse", "postToolUseFailure"]);
    assert_eq!(snapshot.diagnostics().len(), 11 + 4);
    assert_eq!(snapshot.bindings().len(), 18);
}

/// CUR-EVT-08: once per binding, not once per event.
#[test]
fn lacking_capabilities_are_said_once_per_binding() {
    let document =
        r#"{"version":1,"hooks":{"sessionStart":[{"command":"a"},{"command":"b"}],"stop":[{"command":"c"}]}}"#;
    let honours = Capabilities::ALL.without(Capabilities::CONTEXT);
    let snapshot = common::snapshot(common::twelve_event_host().honours(honours), document);
    let pointers: Vec<_> = snapshot.diagnostics().iter().map(|d| d.pointer.clone().unwrap()).collect();
    assert_eq!(pointers, ["/hooks/sessionStart/0", "/hooks/sessionStart/1"]);
}

/// CUR-CFG-12: the cap is the host's.
#[test]
fn the_hosts_cap_is_what_counts() {
    let document = r#"{"version":1,"hooks":{"stop":[{"command":"a","loop_limit":null},{"command":"b","loop_limit":3},{"command":"c"},{"command":"d","loop_limit":0}]}}"#;
    for (cap, limits, warned) in [(8, [8, 3, 5, 0], 1), (4, [4, 3, 4, 0], 2), (20, [20, 3, 5, 0], 1)] {
        let snapshot = common::snapshot(common::acme().continuation_cap(cap), document);
        let got: Vec<u32> = snapshot.bindings().iter().filter_map(|binding| binding.loop_limit).collect();
        assert_eq!(got, limits, "cap {cap}");
        assert_eq!(found(&snapshot, "cursor/loop-limit-capped").len(), warned, "cap {cap}");
    }
}

/// Every fixture the agreed design names is there: five documents, and a folder for each of the
/// twelve events with a document, an envelope, its standard input and a documented answer.
#[test]
fn every_named_fixture_exists() {
    let cases = configs(&of("cursor")).unwrap();
    for name in ["full_config", "invalid_matcher", "unknown_event", "prompt_hook", "claude_shape_output"] {
        assert!(cases.iter().any(|case| case.name == name), "{name}");
    }
    let folders = events(&of("cursor")).unwrap();
    let host = common::twelve_event_host();
    let fired = Cursor::new().events().iter().filter(|spec| {
        spec.moments.iter().any(|m| host.support(m.boundary, m.facet) == Some(harness_hooks_core::Support::Fires))
    });
    let fired: Vec<&str> = fired.map(|spec| spec.name).collect();
    assert_eq!(fired.len(), 12, "{fired:?}");
    for event in fired {
        assert!(folders.iter().any(|folder| folder.event == event), "{event}");
    }
}
