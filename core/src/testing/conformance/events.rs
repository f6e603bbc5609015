//! Every event folder is as written: an envelope becomes its standard input byte for byte, the
//! folder's document binds one hook that its envelope fires, and a documented answer has its effects.

use super::{
    super::{EventCase, EventFolder, Mismatch},
    subject::{Subject, parsed, text},
};
use crate::{Adapter, Asked, EventId, Exit, Fidelity, Occasion, Outcome, SessionState, Tested};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let has_folder = |name: &str| subject.events.iter().any(|folder| folder.event == name);
    for spec in subject.guarded().events().iter().filter(|spec| !has_folder(spec.name)) {
        faults.push(format!("events/{} is missing", spec.name));
    }
    for folder in &subject.events {
        let path = subject.shown(&folder.path);
        let Some(event) = subject.event(&folder.event) else {
            faults.push(format!("{path}: {} is no event", folder.event));
            continue;
        };
        for (fidelity, adapter) in subject.each() {
            let cases = folder.cases.iter().filter_map(|case| encoded(adapter, fidelity, event, case));
            let wrong = cases.chain(hook(adapter, fidelity, event, folder));
            faults.extend(wrong.map(|what| format!("{path}, {}: {what}", fidelity.name())));
        }
    }
    faults
}

fn encoded(adapter: &dyn Adapter, fidelity: Fidelity, event: EventId, case: &EventCase) -> Option<String> {
    let expected = case.stdin(fidelity)?;
    let (mut got, state) = (Vec::new(), SessionState::new());
    let diagnostics = adapter.encode(event, Occasion::new(&case.envelope, &case.host, &state), &mut got);
    (got != expected || !diagnostics.is_empty()).then(|| {
        let name = if case.name.is_empty() { "envelope.json" } else { &case.name };
        let [expected, got] = [expected, &got].map(String::from_utf8_lossy);
        format!("{name} becomes another standard input\nexpected {expected}\ngot      {got}\n{diagnostics:?}")
    })
}

/// The folder's one hook: that it is asked about the folder's envelope, and what its answer comes to.
fn hook(adapter: &dyn Adapter, fidelity: Fidelity, event: EventId, folder: &EventFolder) -> Vec<String> {
    let parsed = parsed(adapter, "hooks.json", &folder.config);
    let (Some(main), [binding], None) = (folder.cases.first(), parsed.bindings.as_slice(), &parsed.refused) else {
        return vec![format!("config.json must bind one hook; it is {:?}", parsed.refused)];
    };
    let mut faults = Vec::new();
    if binding.event != event {
        faults.push(format!("config.json binds a hook of {}", binding.event_name));
    }
    let happens = adapter.events()[event.index()].moment(main.envelope.boundary(), main.envelope.payload.facet());
    if happens.is_none() {
        faults.push(format!("it does not happen at {}", main.envelope.boundary()));
    }
    let targets = adapter.targets(event, &main.envelope);
    if binding.matcher.test(&targets) != Tested::Hit {
        faults.push(format!("the matcher {} of config.json does not match {targets:?}", binding.matcher));
    }
    let asked = Asked::new(event, "Acme", binding.handler.text())
        .handler(&binding.handler)
        .failure(binding.failure)
        .loop_limit(binding.loop_limit)
        .envelope(&main.envelope);
    let got = adapter.decode(asked, &Outcome::new(Exit::Code(0)).stdout(folder.stdout.clone()));
    let differ = folder.expected(fidelity).compare_all(&got);
    let differ = differ.iter().map(Mismatch::to_string).collect::<Vec<_>>().join("\n");
    if !differ.is_empty() {
        faults.push(format!("stdout.json asks for something else, printed {}\n{differ}", text(&folder.stdout)));
    }
    faults
}
