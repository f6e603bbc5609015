//! Every vector decodes as written: each group under all its events, failure modes and policies, in
//! both fidelities.

use super::{super::Group, subject::Subject};
use crate::{Adapter, Fidelity};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for file in &subject.vectors {
        let path = subject.shown(&file.path);
        for group in &file.groups {
            for (fidelity, adapter) in subject.each() {
                let wrong = of_a_group(subject, group, fidelity, adapter);
                faults.extend(wrong.map(|what| format!("{path}: {what}")));
            }
        }
    }
    faults
}

/// The first combination that differs, and how many more do: they mostly do for one reason.
fn of_a_group(subject: &Subject<'_>, group: &Group, fidelity: Fidelity, adapter: &dyn Adapter) -> Option<String> {
    let outcome = group.outcome.outcome();
    let mut wrong = group.runs().filter_map(|run| match subject.event(run.event) {
        Some(event) => run.mismatch(fidelity, &adapter.decode(run.asked(event), &outcome)),
        None => Some(format!("{} is about {}, which is no event", group.id, run.event)),
    });
    let first = wrong.next()?;
    match wrong.count() {
        0 => Some(first),
        more => Some(format!("{first}\n    and so on, {more} more of this group")),
    }
}
