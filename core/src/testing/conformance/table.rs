//! The event table agrees with itself, and in both fidelities.

use super::subject::{Subject, rows};
use crate::{Boundary, Capabilities, Control, EventSpec, Moment};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    let (guarded, vendor) = (subject.guarded(), subject.vendor());
    let mut faults = Vec::new();
    if guarded.vendor() != vendor.vendor() {
        faults.push(format!("the fidelities are of two vendors, {} and {}", guarded.vendor(), vendor.vendor()));
    }
    if guarded.events().len() != vendor.events().len() || guarded.events().len() > usize::from(u16::MAX) {
        faults.push(format!(
            "{} events guarded and {} as the vendor has them; both need the same, and ids are 16 bits",
            guarded.events().len(),
            vendor.events().len()
        ));
    }
    for (one, other) in guarded.events().iter().zip(vendor.events()) {
        let same = (one.name, one.moments, one.control) == (other.name, other.moments, other.control);
        if !same {
            let (one, other) = (row(one), row(other));
            faults.push(format!("{one}\nis another row in the vendor's fidelity: {other}\nname, moments and control are the same in both"));
        }
    }
    for (fidelity, adapter) in subject.each() {
        let mut names = Vec::new();
        for (id, spec) in rows(adapter) {
            if names.contains(&spec.name) {
                faults.push(format!("{} ({}) stands twice", spec.name, fidelity.name()));
            }
            names.push(spec.name);
            let wrong = of_a_row(spec, adapter.surfaces());
            faults.extend(wrong.into_iter().map(|what| format!("{} ({}) {what}", spec.name, fidelity.name())));
            adapter.facts(id); // total
        }
    }
    faults
}

fn row(spec: &EventSpec) -> String {
    let moments = spec.moments.iter().map(Moment::to_string).collect::<Vec<_>>().join(", ");
    format!("{} at {moments}, {:?}", spec.name, spec.control)
}

fn of_a_row(spec: &EventSpec, surfaces: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    let can = |capability| spec.capabilities.has(capability);
    let verdict = spec.control == Control::Verdict;
    if verdict != can(Capabilities::VERDICT) {
        faults.push(format!("has control {:?}, and its capabilities are `{}`", spec.control, spec.capabilities));
    }
    if spec.control == Control::PromptHalt && !can(Capabilities::HALT) {
        faults.push("halts prompts, and `halt` is none of its capabilities".into());
    }
    if spec.control == Control::Continuation && !can(Capabilities::CONTINUATION) {
        faults.push("makes the agent go on, and `continuation` is none of its capabilities".into());
    }
    if spec.control == Control::Observe && can(Capabilities::CONTINUATION) {
        faults.push("only observes, and `continuation` is one of its capabilities".into());
    }
    let at_prompts = spec.moments.iter().any(|moment| moment.boundary == Boundary::PromptSubmit);
    if spec.control == Control::Observe && at_prompts && can(Capabilities::HALT) {
        faults.push("only observes prompts, and `halt` is one of its capabilities".into());
    }
    if spec.matcher && spec.moments.is_empty() {
        faults.push("has a matcher and happens nowhere".into());
    }
    for surface in spec.not_on.iter().filter(|surface| !surfaces.contains(surface)) {
        faults.push(format!("does not happen on `{surface}`, which is none of the vendor's surfaces"));
    }
    faults
}
