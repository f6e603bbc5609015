//! `cargo xtask docs`: documents that say what the code says, written from it.

use harness_hooks_core::{Adapter, Control, EventId, EventSpec, Moment};
use harness_hooks_fixtures::repository;

use crate::{Ended, adapters::adapters, derived::Derived};

pub(crate) fn run(check: bool) -> Ended {
    let mut derived = Derived::new("docs", check);
    for adapter in adapters() {
        let path = repository().join(format!("docs/events-{}.md", adapter.vendor()));
        derived.file(&path, &events(&*adapter))?;
    }
    derived.file(&repository().join("docs/departures.md"), &departures())?;
    derived.finish()
}

/// Where each vendor's default differs from what its program was measured to do.
fn departures() -> String {
    let mut document = "# Departures\n\n\
        Written by `cargo xtask docs` from the adapters' tables. Each row is a place where the default fidelity, `guarded`, \
        differs from what the vendor's program was measured to do; `vendor` does as the program does.\n"
        .to_owned();
    for adapter in adapters() {
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

/// A vendor's event table: what core knows of each event, then what the vendor says of it.
fn events(adapter: &dyn Adapter) -> String {
    let vendor = adapter.vendor();
    let specs = adapter.events();
    let own = |n: usize| adapter.facts(EventId(u16::try_from(n).unwrap_or(u16::MAX)));

    let core =
        specs.iter().map(|spec| vec![code(spec.name), moments(spec), control(spec), capabilities(spec), timeout(spec)]);
    let core = table(&["event", "happens at", "its hooks", "and may", "default timeout"], core);
    let columns: Vec<&str> = own(0).iter().map(|(column, _)| *column).collect();
    let facts = specs.iter().enumerate().map(|(n, spec)| {
        let cells = own(n).into_iter().map(|(_, cell)| cell);
        std::iter::once(code(spec.name)).chain(cells).collect()
    });
    let facts = table(&[&["event"], columns.as_slice()].concat(), facts);

    format!(
        "# Events of {vendor}\n\n\
         Written by `cargo xtask docs` from the adapter's event table. The rules behind it are in [rules/{vendor}.md](rules/{vendor}.md).\n\n\
         ## Where they happen\n\n\
         `boundary/facet@stage`: only calls of that facet, at that stage; stages of a boundary run one after another, lowest first.\n\n\
         {core}\n## What {vendor} says of them\n\n{facts}"
    )
}

fn table(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = line(columns.iter().map(|column| (*column).to_owned()).collect());
    let rule = format!("|{}\n", "---|".repeat(columns.len()));
    let rows = rows.map(|cells| line(cells.iter().map(|cell| cell.replace('|', "\\|")).collect()));
    head + &rule + &rows.collect::<String>()
}

fn code(text: &str) -> String {
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

fn capabilities(spec: &EventSpec) -> String {
    spec.capabilities.names().map(code).collect::<Vec<_>>().join(", ")
}

fn timeout(spec: &EventSpec) -> String {
    spec.timeout.map_or_else(|| "the host's".to_owned(), |timeout| format!("{} s", timeout.as_secs_f64()))
}
