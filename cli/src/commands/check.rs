//! `check`: what is wrong with hook files, where, and what to write instead; with
//! `--fidelity vendor`, what the vendor itself makes of them. It runs nothing, so it reads them as if
//! the workspace were trusted: what one file says about another is said before anyone trusts them.

use std::path::Path;

use harness_hooks_core::{Adapter, Diagnostic, Severity, Snapshot, SourceReport, Status};

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
    let mut guesses = Vec::new();
    for path in args.paths.drain(..) {
        let absolute = host::absolute(&path)?;
        let known = args.vendor.or_else(|| Vendor::of_file(&absolute, &kinds));
        let vendor = known.unwrap_or_else(|| {
            let vendor = Vendor::guessed(&absolute, &kinds);
            guesses.push(guess(&absolute, vendor));
            vendor
        });
        args.looking.config.push((vendor, path));
    }
    let places = host::places(&args.looking)?;
    let trusted = places.trusted;
    let places = places.trusted(true);
    let host = host::host(args.common.policy.strict, false, args.looking.surface.surface.as_deref());
    let snapshot = host::load(host::adapters(args.vendor, args.common.policy.fidelity), host, &places)?;
    match args.common.format {
        Format::Json => {
            let shape = Configuration::of(&snapshot).noting(&guesses);
            out::json(&if trusted { shape } else { shape.untrusted(&snapshot) })?;
        }
        Format::Human => out::text(&page(&snapshot, &guesses, trusted, columns()))?,
    }
    let denied =
        |severity| severity == Severity::Error || args.deny == Some(Deny::Warnings) && severity == Severity::Warning;
    Ok(u8::from(host::findings(&snapshot).iter().any(|finding| denied(finding.severity))))
}

/// Where it lies does not say whose file it is.
fn guess(path: &Path, vendor: Vendor) -> Diagnostic {
    let message = format!("where this file lies does not say whose it is; it was read as one of {}", vendor.name());
    Diagnostic::note("cli/guessed-vendor", message)
        .source(path.display().to_string())
        .help("name its vendor with `--vendor`")
}

fn page(snapshot: &Snapshot, guesses: &[Diagnostic], trusted: bool, columns: Option<usize>) -> String {
    let mut text: String = guesses.iter().chain(host::findings(snapshot)).map(diagnostic).collect();
    let untrusted = snapshot.sources().iter().filter(|report| {
        !trusted && report.source.needs_trust && report.status == Status::Loaded && report.bindings > 0
    });
    text.push_str(&super::untrusted(untrusted.map(|report| &*report.source.path), columns));
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
