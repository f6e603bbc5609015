//! `check`: what is wrong with hook files, where, and what to write instead; with
//! `--fidelity vendor`, what the vendor itself makes of them.

use harness_hooks_core::{Adapter, Severity, Snapshot, SourceReport, Status};

use crate::{
    args::{CheckArgs, Deny, Format},
    failure::Failure,
    host,
    human::{GOOD, columns, count, diagnostic, painted, tally},
    json::Configuration,
    out,
    vendors::Vendor,
};

/// Exits with 1 where there is an error, or what `--deny` makes one.
pub(crate) fn run(mut args: CheckArgs) -> Result<u8, Failure> {
    let kinds = host::kinds_of_places(&args.looking);
    for path in args.paths.drain(..) {
        let vendor = match args.vendor {
            Some(vendor) => vendor,
            None => Vendor::of_file(&host::absolute(&path)?, &kinds),
        };
        args.looking.config.push((vendor, path));
    }
    let places = host::places(&args.looking)?;
    let host = host::host(args.common.policy.strict, false, args.looking.surface.surface.as_deref());
    let snapshot = host::load(host::adapters(args.vendor, args.common.policy.fidelity), host, &places)?;
    match args.common.format {
        Format::Json => out::json(&Configuration::of(&snapshot))?,
        Format::Human => out::text(&page(&snapshot, columns()))?,
    }
    let denied =
        |severity| severity == Severity::Error || args.deny == Some(Deny::Warnings) && severity == Severity::Warning;
    Ok(u8::from(host::findings(&snapshot).iter().any(|finding| denied(finding.severity))))
}

fn page(snapshot: &Snapshot, columns: Option<usize>) -> String {
    let mut text: String = host::findings(snapshot).into_iter().map(diagnostic).collect();
    text.push_str(&super::untrusted(snapshot, columns));
    if !text.is_empty() {
        text.push('\n');
    }
    text + &summary(snapshot)
}

fn summary(snapshot: &Snapshot) -> String {
    let read = snapshot.sources().iter().filter(|report| report.status != Status::Missing).count();
    if read == 0 {
        let looked = count(snapshot.sources().len(), "place");
        return format!("no hook file found in {looked}: `harness-hooks list` shows them\n");
    }
    let hooks: usize = snapshot.sources().iter().map(|report| report.bindings).sum();
    let tally = tally(&host::findings(snapshot));
    let verdict = if tally.is_empty() { painted(GOOD, "clean") } else { tally };
    let (hooks, files) = (count(hooks, "hook"), count(read, "file"));
    format!("{verdict}: {hooks} in {files} ({})\n", vendors(snapshot).join(", "))
}

/// How many hooks each vendor has whose files were read.
fn vendors(snapshot: &Snapshot) -> Vec<String> {
    let count = |adapter: &std::sync::Arc<dyn Adapter>| {
        let vendor = adapter.vendor();
        let read = |report: &&SourceReport| report.status != Status::Missing && report.source.vendor == vendor;
        let mut hooks = snapshot.sources().iter().filter(read).map(|report| report.bindings).peekable();
        hooks.peek().is_some().then(|| format!("{vendor} {}", hooks.sum::<usize>()))
    };
    snapshot.adapters().iter().filter_map(count).collect()
}
