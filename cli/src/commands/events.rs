//! `events`: the event table of each vendor.

use harness_hooks_core::{Adapter, EventId, EventSpec, Host};

use crate::{
    args::{EventsArgs, TableFormat},
    failure::Failure,
    host,
    human::{Cell, Table, columns, line},
    json::{EventLine, milliseconds, moments, timeout},
    out,
};

pub(crate) fn run(args: &EventsArgs) -> Result<u8, Failure> {
    let host = host::host(args.policy.strict, false, None);
    let rows: Vec<_> = host::adapters(args.vendor).iter().flat_map(|adapter| rows(&**adapter, &host)).collect();
    match args.format {
        TableFormat::Json => out::json(&rows)?,
        TableFormat::Human => out::text(&human(&rows).render(columns()))?,
        TableFormat::Markdown => out::text(&markdown(&rows))?,
    }
    Ok(0)
}

fn rows(adapter: &dyn Adapter, host: &Host) -> Vec<EventLine> {
    let ids = (0..).map(EventId);
    let row = |(id, spec): (EventId, &'static EventSpec)| EventLine {
        vendor: adapter.vendor(),
        spec,
        timeout_ms: milliseconds(timeout(spec, host)),
        facts: adapter.facts(id),
    };
    ids.zip(adapter.events()).map(row).collect()
}

fn human(rows: &[EventLine]) -> Table {
    let mut table = Table::new(0).head(heads(rows));
    rows.iter().for_each(|row| table.row(cells(rows, row).into_iter().map(Cell::from)));
    table
}

fn markdown(rows: &[EventLine]) -> String {
    let written = |cells: Vec<String>| {
        let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let heads = heads(rows);
    let rule = format!("|{}\n", "---|".repeat(heads.len()));
    written(heads) + &rule + &rows.iter().map(|row| written(cells(rows, row))).collect::<String>()
}

fn heads(rows: &[EventLine]) -> Vec<String> {
    let common = ["vendor", "event", "moments", "matcher", "capabilities", "timeout"];
    common.into_iter().chain(facts(rows)).map(str::to_owned).collect()
}

/// The vendors' own columns, in the order they are first met.
fn facts(rows: &[EventLine]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| &row.facts) {
        if !names.contains(name) {
            names.push(*name);
        }
    }
    names
}

fn cells(rows: &[EventLine], row: &EventLine) -> Vec<String> {
    let seconds = format!("{} s", row.timeout_ms / 1000);
    let common = [
        row.vendor.to_string(),
        row.spec.name.to_owned(),
        moments(row.spec).join(", "),
        if row.spec.matcher { "yes" } else { "no" }.to_owned(),
        row.spec.capabilities.to_string(),
        seconds,
    ];
    let fact = |name| row.facts.iter().find(|(known, _)| *known == name).map_or(String::new(), |(_, text)| line(text));
    common.into_iter().chain(facts(rows).into_iter().map(fact)).collect()
}
