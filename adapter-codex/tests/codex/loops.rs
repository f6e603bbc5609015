//! Hooks that make the agent go on, driven as a host does.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use harness_hooks_codex::Codex;
use harness_hooks_core::{Adapter, Boundary, Exit, Fidelity, Host, Outcome, SessionState, Snapshot};
use harness_hooks_fixtures::codes;
use serde_json::Value;

use crate::{common::envelope, sources};

/// CDX-RUN-10, CDX-ENC-16: at the cap the hook is not started any more, and
/// people are told; there is no cap of the vendor's, in both fidelities.
#[test]
fn the_hosts_cap_ends_a_loop() {
    let document = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"again"}]}]}}"#;
    let files = BTreeMap::from([(PathBuf::from("/home/dev/project/.codex/hooks.json"), document.into())]);
    let stop = envelope(r#"{"turn.stop":{}}"#);
    for (fidelity, cap) in Fidelity::ALL.into_iter().flat_map(|fidelity| [0, 1, 3, 40].map(|cap| (fidelity, cap))) {
        let host = Host::new("Acme", "1").fires(Boundary::ALL.iter().copied()).continuation_cap(cap);
        let adapters: Vec<Arc<dyn Adapter>> = vec![Arc::new(Codex::with_fidelity(fidelity))];
        let snapshot = Snapshot::load(adapters, host, &sources::project(), &files);
        assert!(snapshot.diagnostics().is_empty(), "{:?}", snapshot.diagnostics());
        let (mut state, mut active) = (SessionState::new(), Vec::new());
        let last = loop {
            let mut firing = snapshot.begin(&stop, state.clone());
            while let Some(stage) = firing.next_stage() {
                for invocation in &stage.invocations {
                    let stdin: Value = serde_json::from_slice(&invocation.stdin).unwrap();
                    active.push(stdin["stop_hook_active"].as_bool().unwrap());
                    firing.report(invocation, &Outcome::new(Exit::Code(2)).stderr("again"));
                }
            }
            let fired = firing.finish();
            let Some(onward) = &fired.decision.continuation else { break fired.decision };
            assert_eq!((onward.message.as_str(), fired.decision.diagnostics.len()), ("again", 0));
            state.apply(fired.change);
        };
        let expected: Vec<bool> = (0..cap).map(|n| n > 0).collect();
        assert_eq!(active, expected, "{fidelity:?}, {cap}");
        assert_eq!(codes(&last.diagnostics), ["warning host/continuation-cap"]);
        assert!(last.conflicts.is_empty());
    }
}
