//! Every decode vector, expanded: each group under all its events, failure modes and policies.

use harness_hooks_core::{Adapter, Asked, Exit, Outcome};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{Group, Run, relative, vectors};

use crate::common;

fn wrong(run: Run<'_>) -> Option<String> {
    let got = Cursor::new().decode(run.asked(common::event(run.event)), &run.group.outcome.outcome());
    run.mismatch(&got)
}

#[test]
fn every_vector_decodes_as_written() {
    let (mut runs, mut faults) = (0, Vec::new());
    for file in vectors("cursor").unwrap() {
        for run in file.groups.iter().flat_map(Group::runs) {
            runs += 1;
            faults.extend(wrong(run).map(|fault| format!("{}: {fault}", relative(&file.path))));
        }
    }
    assert!(faults.is_empty(), "{} of {runs} vectors differ:\n{}", faults.len(), faults.join("\n"));
}

/// CUR-OUT-54: a command of which cleaning leaves nothing still gives a reason that names the host.
#[test]
fn a_hook_without_a_name_is_refused_by_the_hosts() {
    let asked = Asked::new(common::event("preToolUse"), "Acme", "\u{1b}\u{7}");
    let effects = Cursor::new().decode(asked, &Outcome::new(Exit::Code(2)));
    assert!(effects.reasons[0].contains("Acme") && !effects.reasons[0].contains('\u{1b}'), "{:?}", effects.reasons);
}
