//! `list`: every file looked for, every hook, and what will never run and why.

use anstyle::Style;
use harness_hooks_core::{Binding, Snapshot, SourceReport, Standing, Status};

use crate::{
    args::{Format, ListArgs},
    failure::Failure,
    host,
    human::{BAD, Cell, DOUBT, GOOD, STRONG, Table, columns, handler, line, painted},
    input,
    json::{Configuration, matcher, standing},
    out,
};

pub(crate) fn run(args: &ListArgs) -> Result<u8, Failure> {
    let (strict, headless) = (args.common.policy.strict, args.situation.headless);
    let places = host::places(&args.looking)?;
    input::state(args.situation.state.as_deref())?; // taken as `fire` takes it, so that a broken one is told of here
    let host = host::host(strict, headless, args.looking.surface.surface.as_deref());
    let snapshot = host::load(host::adapters(None, args.common.policy.fidelity), host, &places)?;
    match args.common.format {
        Format::Json => out::json(&Configuration::of(&snapshot))?,
        Format::Human => out::text(&page(&snapshot, columns()))?,
    }
    Ok(0)
}

fn page(snapshot: &Snapshot, columns: Option<usize>) -> String {
    let is_missing = |report: &&SourceReport| report.status == Status::Missing;
    let (missing, found): (Vec<_>, Vec<_>) = snapshot.sources().iter().partition(is_missing);
    let part = |head: &str, empty: bool, table: Table| {
        let rows = if empty { "  none\n".into() } else { table.render(columns) };
        format!("{}\n{rows}", painted(STRONG, head))
    };
    let bindings = snapshot.bindings();
    let mut parts =
        vec![part("Files", found.is_empty(), files(&found)), part("Hooks", bindings.is_empty(), hooks(bindings))];
    if !missing.is_empty() {
        parts.push(part("Looked for, and not there", false, places(&missing)));
    }
    let findings = super::findings(snapshot);
    if !findings.is_empty() {
        parts.push(findings);
    }
    parts.join("\n")
}

fn files(found: &[&SourceReport]) -> Table {
    let mut table = Table::new(2).head(["status", "vendor", "scope", "file", "hooks"]);
    for report in found {
        let (style, word) = status_word(report.status);
        let [vendor, scope, path] = place(report);
        table.row([Cell::styled(style, word), vendor, scope, path, report.bindings.to_string().into()]);
    }
    table
}

fn places(missing: &[&SourceReport]) -> Table {
    let mut table = Table::new(2);
    missing.iter().for_each(|report| table.row(place(report)));
    table
}

fn place(SourceReport { source, .. }: &SourceReport) -> [Cell; 3] {
    [source.vendor.to_string(), source.scope.to_string(), line(&source.path.display().to_string())].map(Cell::from)
}

fn status_word(status: Status) -> (Style, &'static str) {
    match status {
        Status::Loaded => (GOOD, "loaded"),
        Status::Refused => (BAD, "refused"),
        Status::Untrusted => (DOUBT, "untrusted"),
        _ => (DOUBT, "unknown"),
    }
}

fn hooks<'b>(bindings: impl IntoIterator<Item = &'b std::sync::Arc<Binding>>) -> Table {
    let mut table = Table::new(2).head(["status", "hook", "matcher", "what it runs", "why not"]);
    for binding in bindings {
        let (word, why) = standing(&binding.standing);
        let style = if binding.standing == Standing::Active { GOOD } else { DOUBT };
        table.row([
            Cell::styled(style, word),
            line(binding.id.as_str()).into(),
            about(binding).into(),
            runs(binding).into(),
            why.map(|why| line(&why)).unwrap_or_default().into(),
        ]);
    }
    table
}

/// What it is about: its matcher, and its condition.
fn about(binding: &Binding) -> String {
    let matcher = matcher(&binding.matcher).map_or_else(|| "*".into(), |text| line(&text));
    match &binding.condition {
        Some(condition) => format!("{matcher} if {}", line(condition.text())),
        None => matcher,
    }
}

fn runs(binding: &Binding) -> String {
    let beside = if binding.background.is_some() { " (in the background)" } else { "" };
    handler(&binding.handler) + beside
}
