//! `check`: what is wrong with hook files, where, and what to write instead; with
//! `--fidelity vendor`, what the vendor itself makes of them.

use harness_hooks_core::{Severity, Snapshot, Status};

use crate::{
    args::{CheckArgs, Deny, Format},
    failure::Failure,
    host,
    human::{GOOD, count, diagnostic, painted, tally},
    json::Configuration,
    out,
    vendors::Vendor,
};

/// Exits with 1 where there is an error, or what `--deny` makes one.
pub(crate) fn run(mut args: CheckArgs) -> Result<u8, Failure> {
    for path in args.paths.drain(..) {
        let vendor = args.vendor.or_else(|| Vendor::of_file(&host::absolute(&path).ok()?));
        args.looking.config.push((vendor.unwrap_or(Vendor::Cursor), path));
    }
    let places = host::places(&args.looking)?;
    let host = host::host(args.common.policy.strict, false, args.looking.surface.surface.as_deref());
    let snapshot = host::load(host::adapters(args.vendor, args.common.policy.fidelity), host, &places)?;
    match args.common.format {
        Format::Json => out::json(&Configuration::of(&snapshot))?,
        Format::Human => out::text(&page(&snapshot))?,
    }
    let denied =
        |severity| severity == Severity::Error || args.deny == Some(Deny::Warnings) && severity == Severity::Warning;
    Ok(u8::from(snapshot.diagnostics().iter().any(|finding| denied(finding.severity))))
}

fn page(snapshot: &Snapshot) -> String {
    let mut text: String = snapshot.diagnostics().iter().map(diagnostic).collect();
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
    let tally = tally(snapshot.diagnostics());
    let verdict = if tally.is_empty() { painted(GOOD, "clean") } else { tally };
    format!("{verdict}: {} in {}\n", count(hooks, "hook"), count(read, "file"))
}
