//! `encode` and `envelope`: one writes what the other's samples become.

use crate::common::{Place, demo};
use harness_hooks_core::Boundary;

#[test]
fn the_bytes_and_nothing_else() {
    let args = ["encode", "--vendor", "cursor", "--event", "beforeShellExecution", "--envelope", &demo("rm-rf.json")];
    for format in ["human", "json"] {
        let ran = Place::new().run(args.iter().chain(&["--format", format]));
        assert!(ran.stdout.starts_with(r#"{"conversation_id":"session_1","#), "{}", ran.stdout);
        assert!(!ran.stdout.ends_with('\n'));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert_eq!(ran.json()["command"], "rm -rf build");
    }
}

#[test]
fn an_event_of_another_boundary_is_told_of() {
    let args = ["encode", "--vendor", "cursor", "--event", "stop", "--envelope", &demo("rm-rf.json")];
    let ran = Place::new().run(args);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.json()["hook_event_name"], "stop");
    assert!(ran.stderr.contains("stop does not happen at this tool.before"), "{}", ran.stderr);
}

/// Every sample can be fired, and hooks of some event read it.
#[test]
fn every_sample_is_an_envelope_something_can_be_planned_for() {
    let place = Place::new();
    for boundary in Boundary::ALL {
        for format in ["human", "json"] {
            let sample = place.run(["envelope", boundary.name(), "--format", format]);
            let args = ["plan", "--format", "json", "--envelope", "-"].map(str::to_owned);
            let ran = place.run_with(args.into_iter().chain(place.looking()), &sample.stdout);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            assert_eq!(ran.json()["boundary"], boundary.name());
        }
    }
}
