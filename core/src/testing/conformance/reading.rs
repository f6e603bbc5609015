//! Standard input reads back to the same bytes. An adapter that reads none of its own need not; one
//! that reads some reads all.

use super::{
    super::{EventCase, EventFolder},
    subject::Subject,
};
use crate::{Adapter, Fidelity, Occasion, Reading};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for (fidelity, adapter) in subject.each() {
        let cases = || subject.events.iter().flat_map(|folder| folder.cases.iter().map(move |case| (folder, case)));
        let stdin = |case: &EventCase| case.stdin(fidelity).map(|stdin| adapter.read(stdin));
        if !cases().any(|(_, case)| stdin(case).is_some_and(|read| read.is_ok())) {
            continue;
        }
        for (folder, case) in cases() {
            let Some(read) = stdin(case) else { continue };
            let wrong = match read {
                Err(error) => Some(error.to_string()),
                Ok(reading) => wrong(adapter, fidelity, folder, case, &reading),
            };
            let name = if case.name.is_empty() { "" } else { "/" };
            let head = format!("{}{name}{}, {}", subject.shown(&folder.path), case.name, fidelity.name());
            faults.extend(wrong.map(|what| format!("{head}: {what}")));
        }
    }
    faults
}

fn wrong(
    adapter: &dyn Adapter,
    fidelity: Fidelity,
    folder: &EventFolder,
    case: &EventCase,
    reading: &Reading,
) -> Option<String> {
    let Reading { event, envelope, state, ignored } = reading;
    let name = adapter.events().get(event.index()).map(|spec| spec.name);
    if name != Some(folder.event.as_str()) {
        return Some(format!("reads as an event {name:?}"));
    }
    if !ignored.is_empty() {
        return Some(format!("no envelope holds {}", ignored.join(", ")));
    }
    let stdin = case.stdin(fidelity)?;
    let mut again = Vec::new();
    adapter.encode(*event, Occasion::new(envelope, &case.host, state), &mut again);
    (again != stdin).then(|| {
        let [stdin, again] = [stdin, &again].map(String::from_utf8_lossy);
        format!("is not the same once read and written\nwas {stdin}\nis  {again}")
    })
}
