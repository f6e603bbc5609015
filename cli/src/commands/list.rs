//! `list`: every file looked for, every hook, and what will never run and why.

use anstyle::Style;
use harness_hooks_core::{Binding, Snapshot, SourceReport, Standing, Status};

use crate::{
    args::{Format, ListArgs},
    failure::Failure,
    host,
    human::{BAD, Cell, DOUBT, FAINT, GOOD, STRONG, Table, brief, columns, line, painted},
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
    let mut text = painted(STRONG, "Files") + "\n" + &sources(snapshot).render(columns);
    text.push_str(&format!("\n{}\n", painted(STRONG, "Hooks")));
    match snapshot.bindings() {
        [] => text.push_str("  none\n"),
        bindings => text.push_str(&hooks(bindings).render(columns)),
    }
    let findings = super::findings(snapshot);
    if findings.is_empty() { text } else { text + "\n" + &findings }
}

fn sources(snapshot: &Snapshot) -> Table {
    let mut table = Table::new(2).head(["status", "vendor", "scope", "file", "hooks"]);
    for SourceReport { source, status, bindings, .. } in snapshot.sources() {
        let (style, word) = status_word(*status);
        let hooks = if *status == Status::Missing { String::new() } else { bindings.to_string() };
        table.row([
            Cell::styled(style, word),
            source.vendor.to_string().into(),
            source.scope.to_string().into(),
            line(&source.path.display().to_string()).into(),
            hooks.into(),
        ]);
    }
    table
}

fn status_word(status: Status) -> (Style, &'static str) {
    match status {
        Status::Loaded => (GOOD, "loaded"),
        Status::Refused => (BAD, "refused"),
        Status::Missing => (FAINT, "missing"),
        Status::Untrusted => (DOUBT, "untrusted"),
        _ => (DOUBT, "unknown"),
    }
}

fn hooks<'b>(bindings: impl IntoIterator<Item = &'b std::sync::Arc<Binding>>) -> Table {
    let mut table = Table::new(2).head(["status", "hook", "matcher", "command", "why not"]);
    for binding in bindings {
        let (word, why) = standing(&binding.standing);
        let style = if binding.standing == Standing::Active { GOOD } else { DOUBT };
        table.row([
            Cell::styled(style, word),
            line(binding.id.as_str()).into(),
            matcher(&binding.matcher).map_or_else(|| "*".into(), |text| line(&text)).into(),
            brief(binding.handler.text()).into(),
            why.map(|why| line(&why)).unwrap_or_default().into(),
        ]);
    }
    table
}
