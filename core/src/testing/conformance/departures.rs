//! The fidelities differ where a departure says so, and nowhere else; and every departure is shown.

use super::{
    super::{Group, codes},
    subject::{Subject, effects},
};
use crate::{Departure, Effects};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    let departures = subject.guarded().departures();
    let mut faults = of_the_table(departures);
    if departures != subject.vendor().departures() {
        faults.push("the fidelities list different departures; both list all of them".into());
    }
    let groups = || subject.vectors.iter().flat_map(|file| file.groups.iter().map(move |group| (file, group)));
    for departure in departures.iter().filter(|departure| departure.not_in_vectors.is_none()) {
        if !groups().any(|(_, group)| shows(group, departure)) {
            let help = "name it in `departures` of a group that has `vendor` too, or say `shown_by` what shows it";
            faults.push(format!("`{}` is shown by no vector: {help}", departure.id));
        }
    }
    for (file, group) in groups() {
        let wrong = of_a_group(subject, group);
        faults.extend(wrong.into_iter().map(|what| format!("{}: {}: {what}", subject.shown(&file.path), group.id)));
    }
    faults
}

fn of_the_table(departures: &[Departure]) -> Vec<String> {
    let mut faults = Vec::new();
    for (n, departure) in departures.iter().enumerate() {
        let id = departure.id;
        if departures[..n].iter().any(|earlier| earlier.id == id) {
            faults.push(format!("`{id}` stands twice"));
        }
        let said = [departure.vendor, departure.guarded, departure.evidence];
        if said.into_iter().chain(departure.not_in_vectors).any(|text| text.trim().is_empty()) {
            faults.push(format!("`{id}` must say what the vendor does, what is done here, and how that is known"));
        }
    }
    faults
}

/// It names the departure, has both fidelities, and is about an event at which the departure shows.
fn shows(group: &Group, departure: &Departure) -> bool {
    let here = departure.events.is_empty() || group.events.iter().any(|event| departure.events.contains(&&**event));
    here && group.vendor.is_some() && group.departures.iter().any(|id| id == departure.id)
}

fn of_a_group(subject: &Subject<'_>, group: &Group) -> Vec<String> {
    let known = subject.guarded().departures();
    let mut faults = Vec::new();
    for id in &group.departures {
        match known.iter().find(|departure| departure.id == id) {
            None => faults.push(format!("names the departure `{id}`, and there is none")),
            Some(departure) if !shows(group, departure) => {
                faults.push(format!("names the departure `{id}`, but has no `vendor` or no event of it"));
            }
            Some(_) => {}
        }
    }
    if !group.departures.is_empty() {
        return faults;
    }
    if group.vendor.is_some() {
        faults.push("says what the vendor's program does otherwise, and names no departure for it".into());
    }
    let outcome = group.outcome.outcome();
    let differ = group.runs().find_map(|run| {
        let event = subject.event(run.event)?;
        let [guarded, vendor] = [subject.guarded(), subject.vendor()].map(|a| a.decode(run.asked(event), &outcome));
        (asked(&guarded) != asked(&vendor)).then(|| {
            let on = format!("on {}, {:?}, strict {}", run.event, run.failure, run.strict);
            let both = format!("guarded {}\nvendor  {}", effects(&guarded), effects(&vendor));
            format!("the fidelities differ {on}, and no departure is named\n{both}")
        })
    });
    faults.extend(differ);
    faults
}

/// All but the sentences of diagnostics, which may name what a fidelity does.
fn asked(effects: &Effects) -> (Effects, Vec<String>) {
    let told = codes(&effects.diagnostics);
    let mut effects = effects.clone();
    effects.diagnostics.clear();
    (effects, told)
}
