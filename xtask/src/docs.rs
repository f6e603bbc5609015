//! `cargo xtask docs`: documents that say what the code says, written from it.

use std::{fs, path::Path};

use harness_hooks_core::{Adapter, Capabilities, Control, EventId, EventSpec, Fidelity, Host, Moment};
use harness_hooks_fixtures::repository;

use crate::{Ended, adapters::adapters, derived::Derived, faults, merging, trust};

pub(crate) fn run(check: bool) -> Ended {
    let mut derived = Derived::new("docs", check);
    let docs = repository().join("docs");
    for (guarded, vendor) in both() {
        derived.file(&docs.join(format!("events-{}.md", guarded.vendor())), &events(&*guarded, &*vendor))?;
    }
    derived.file(&docs.join("capabilities.md"), &capabilities())?;
    derived.file(&docs.join("departures.md"), &departures())?;
    derived.file(&docs.join("merging.md"), &merging::document()?)?;
    derived.file(&docs.join("trust.md"), &trust::document()?)?;
    let runner = docs.join("runner.md");
    derived.file(&runner, &with_block(&runner, &faults::sections())?)?;
    derived.finish()
}

/// What stands around the derived part of a document that is written by hand otherwise.
const BLOCK: [&str; 2] = ["<!-- written by `cargo xtask docs` -->\n", "<!-- up to here -->\n"];

/// A document with this as its derived part.
fn with_block(path: &Path, block: &str) -> Result<String, String> {
    let there = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let [start, end] = BLOCK;
    let parts = there.split_once(start).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let missing = || format!("{}: nothing stands between {} and {}", path.display(), start.trim(), end.trim());
    let (before, after) = parts.ok_or_else(missing)?;
    Ok([before, start, block, "\n", end, after].concat())
}

/// Every adapter in both fidelities.
fn both() -> impl Iterator<Item = (Box<dyn Adapter>, Box<dyn Adapter>)> {
    adapters(Fidelity::Guarded).into_iter().zip(adapters(Fidelity::Vendor))
}

/// What hooks may do at each event of each vendor.
fn capabilities() -> String {
    let mut document = "# Capabilities\n\n\
        Written by `cargo xtask docs` from the adapters' event tables: what hooks of each event may do. \
        `vendor` is what they may do in that fidelity only, where hooks are read as the vendor's own program reads them. \
        What a host cannot carry out of it, `harness-hooks check` says.\n"
        .to_owned();
    let names: Vec<&str> = Capabilities::ALL.names().collect();
    for (guarded, vendor) in both() {
        let rows = guarded.events().iter().zip(vendor.events()).map(|(guarded, vendor)| {
            let can = |spec: &EventSpec, name: &str| spec.capabilities.names().any(|one| one == name);
            let cells = names.iter().map(|name| match (can(guarded, name), can(vendor, name)) {
                (true, true) => "yes",
                (true, false) => "guarded",
                (false, true) => "vendor",
                (false, false) => "",
            });
            std::iter::once(code(guarded.name)).chain(cells.map(str::to_owned)).collect()
        });
        let columns: Vec<String> = std::iter::once("event".to_owned()).chain(names.iter().map(|n| code(n))).collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        document += &format!("\n## {}\n\n{}", guarded.vendor(), table(&columns, rows));
    }
    document
}

/// Where each vendor's default differs from what its program was measured to do.
fn departures() -> String {
    let mut document = "# Departures\n\n\
        Written by `cargo xtask docs` from the adapters' tables. Each row is a place where the default fidelity, `guarded`, \
        differs from what the vendor's program was measured to do; `vendor` does as the program does.\n"
        .to_owned();
    for adapter in adapters(Fidelity::Guarded) {
        let rows = adapter.departures().iter().map(|departure| {
            let events = match departure.events {
                [] => "all".to_owned(),
                events => events.iter().map(|event| code(event)).collect::<Vec<_>>().join(", "),
            };
            let cells = [departure.vendor, departure.guarded, departure.evidence].map(str::to_owned);
            [vec![code(departure.id), events], cells.to_vec()].concat()
        });
        let columns = ["id", "events", "the vendor", "the default", "known from"];
        document += &format!("\n## {}\n\n{}", adapter.vendor(), table(&columns, rows));
    }
    document
}

/// A vendor's event table: what core knows of each event, what the vendor says of it, and what is
/// otherwise in the vendor's fidelity.
fn events(guarded: &dyn Adapter, vendor: &dyn Adapter) -> String {
    let name = guarded.vendor();
    let columns = ["event", "happens at", "its hooks", "and may", "default timeout", "in fidelity `vendor`"];
    let core = guarded.events().iter().zip(vendor.events()).map(|(spec, vendors)| {
        let timeouts = [timeout(spec), timeout(vendors)];
        [vec![code(spec.name), moments(spec), control(spec), may(spec)], timeouts.to_vec()].concat()
    });
    let core = table(&columns, core);

    let ids = || (0..=u16::MAX).map(EventId).zip(guarded.events());
    let columns: Vec<&str> = guarded.facts(EventId(0)).iter().map(|(column, _)| *column).collect();
    let facts = ids().map(|(id, spec)| {
        let cells = guarded.facts(id).into_iter().map(|(_, cell)| cell);
        std::iter::once(code(spec.name)).chain(cells).collect()
    });
    let facts = table(&[&["event"], columns.as_slice()].concat(), facts);

    let otherwise: Vec<Vec<String>> = ids().flat_map(|(id, _)| otherwise(guarded, vendor, id)).collect();
    let columns = ["event", "what", "the default", "the vendor"];
    let otherwise = match otherwise.as_slice() {
        [] => "Nothing of the above.\n".to_owned(),
        rows => table(&columns, rows.iter().cloned()),
    };

    format!(
        "# Events of {name}\n\n\
         Written by `cargo xtask docs` from the adapter's event table. The rules behind it are in [rules/{name}.md](rules/{name}.md).\n\n\
         ## Where they happen\n\n\
         `boundary/facet@stage`: only calls of that facet, at that stage; stages of a boundary run one after another, lowest first. \
         A timeout is for hooks whose definition says none; where it is the host's, it is that of a host that says no other.\n\n\
         {core}\n## What {name} says of them\n\n{facts}\n\
         ## What is otherwise in fidelity `vendor`\n\n\
         Beside the timeouts, as far as it shows in the table; [departures.md](departures.md) lists all of it.\n\n{otherwise}"
    )
}

/// The cells of an event that are others in the vendor's fidelity.
fn otherwise(guarded: &dyn Adapter, vendor: &dyn Adapter, id: EventId) -> Vec<Vec<String>> {
    let cells = |adapter: &dyn Adapter| {
        let spec = &adapter.events()[id.index()];
        let own = adapter.facts(id);
        let core = [("happens at", moments(spec)), ("its hooks", control(spec)), ("and may", may(spec))];
        core.into_iter().chain(own).collect::<Vec<_>>()
    };
    let differ = cells(guarded).into_iter().zip(cells(vendor)).filter(|(ours, theirs)| ours != theirs);
    let event = code(guarded.events()[id.index()].name);
    differ.map(|((what, ours), (_, theirs))| vec![event.clone(), what.to_owned(), ours, theirs]).collect()
}

pub(crate) fn table(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = line(columns.iter().map(|column| (*column).to_owned()).collect());
    let rule = format!("|{}\n", "---|".repeat(columns.len()));
    let rows = rows.map(|cells| line(cells.iter().map(|cell| cell.replace('|', "\\|")).collect()));
    head + &rule + &rows.collect::<String>()
}

pub(crate) fn code(text: &str) -> String {
    format!("`{text}`")
}

fn moments(spec: &EventSpec) -> String {
    spec.moments.iter().map(Moment::to_string).map(|moment| code(&moment)).collect::<Vec<_>>().join(", ")
}

fn control(spec: &EventSpec) -> String {
    let control = match spec.control {
        Control::Verdict => "allow, ask or deny",
        Control::PromptHalt => "halt the prompt",
        Control::Continuation => "make the agent go on",
        _ => "watch",
    };
    control.to_owned()
}

fn may(spec: &EventSpec) -> String {
    spec.capabilities.names().map(code).collect::<Vec<_>>().join(", ")
}

fn timeout(spec: &EventSpec) -> String {
    let host = Host::new("", "");
    let hosts = || spec.moments.first().map(|moment| host.default_timeout(moment.boundary));
    match (spec.timeout, hosts()) {
        (Some(timeout), _) => format!("{} s", timeout.as_secs_f64()),
        (None, Some(timeout)) => format!("the host's, {} s", timeout.as_secs_f64()),
        (None, None) => "the host's".to_owned(),
    }
}
