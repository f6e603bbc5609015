//! `events`: the event table of each vendor, what every vendor has first, then the vendor's own. For
//! people the latter only where one vendor is named: its columns are wide.

use harness_hooks_core::{Adapter, EventId, EventSpec, Host};

use crate::{
    args::{EventsArgs, TableFormat},
    failure::Failure,
    host,
    human::{Cell, FAINT, STRONG, Table, columns, line, painted, paragraph},
    json::{EventLine, moments},
    out,
};

pub(crate) fn run(args: &EventsArgs) -> Result<u8, Failure> {
    let vendors: Vec<_> =
        host::adapters(args.vendor, args.policy.fidelity).iter().map(|adapter| rows(&**adapter)).collect();
    if args.format == TableFormat::Json {
        out::json(&vendors.iter().flatten().collect::<Vec<_>>())?;
        return Ok(0);
    }
    let host = host::host(args.policy.strict, false, None);
    let columns = columns();
    let page = |rows: &Vec<EventLine>| {
        let name = rows.first().map_or("", |row| row.vendor.as_str());
        if args.format == TableFormat::Markdown {
            return format!("## {name}\n\n{}", [common(rows, &host), own(rows)].map(markdown).join("\n"));
        }
        let own = args.vendor.map(|_| own(rows));
        let tables = [common(rows, &host)].into_iter().chain(own).map(|table| human(table).render(columns));
        format!("{}\n{}", painted(STRONG, name), tables.collect::<Vec<_>>().join("\n"))
    };
    let mut pages: Vec<_> = vendors.iter().map(page).collect();
    if args.format == TableFormat::Human && args.vendor.is_none() {
        let more = "With `--vendor` there is a second table: what that vendor's events have of their own.";
        pages.push(paragraph(more, (more, FAINT), 0, columns));
    }
    out::text(&pages.join("\n"))?;
    Ok(0)
}

/// The head, then the rows.
type Cells = Vec<Vec<String>>;

fn rows(adapter: &dyn Adapter) -> Vec<EventLine> {
    let ids = (0..).map(EventId);
    let row = |(id, spec): (EventId, &'static EventSpec)| EventLine {
        vendor: adapter.vendor(),
        spec,
        facts: adapter.facts(id),
    };
    ids.zip(adapter.events()).map(row).collect()
}

/// What every vendor's events have.
fn common(rows: &[EventLine], host: &Host) -> Cells {
    let head = ["event", "moments", "matcher", "capabilities", "timeout"].map(str::to_owned);
    let row = |EventLine { spec, .. }: &EventLine| {
        vec![
            spec.name.to_owned(),
            moments(spec).join(", "),
            if spec.matcher { "yes" } else { "no" }.to_owned(),
            spec.capabilities.to_string(),
            timeout(spec, host),
        ]
    };
    std::iter::once(head.to_vec()).chain(rows.iter().map(row)).collect()
}

/// How long a hook may run whose definition says nothing: as long as its event, or else this host,
/// says.
fn timeout(spec: &EventSpec, host: &Host) -> String {
    let of_the_host = || spec.moments.first().map(|moment| host.default_timeout(moment.boundary));
    format!("{} s", spec.timeout.or_else(of_the_host).unwrap_or_default().as_secs_f64())
}

/// The vendor's own facts.
fn own(rows: &[EventLine]) -> Cells {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| &row.facts) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let head = std::iter::once("event").chain(names.iter().copied()).map(str::to_owned).collect();
    let row = |row: &EventLine| {
        let fact = |name: &&str| row.facts.iter().find(|(known, _)| known == name).map_or("", |(_, fact)| fact);
        std::iter::once(row.spec.name).chain(names.iter().map(fact)).map(str::to_owned).collect()
    };
    std::iter::once(head).chain(rows.iter().map(row)).collect()
}

fn human(cells: Cells) -> Table {
    let mut rows = cells.into_iter();
    let mut table = Table::new(2).head(rows.next().unwrap_or_default());
    rows.for_each(|row| table.row(row.iter().map(|cell| Cell::from(line(cell)))));
    table
}

fn markdown(cells: Cells) -> String {
    let rule = format!("|{}", "---|".repeat(cells.first().map_or(0, Vec::len)));
    let written = |cells: Vec<String>| {
        let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut lines: Vec<_> = cells.into_iter().map(written).collect();
    lines.insert(1, rule);
    lines.join("\n") + "\n"
}
