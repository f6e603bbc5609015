//! `cargo xtask fixtures`: the hand-written cases are read and checked, never written; beside each
//! configuration case the bindings and diagnostics that come of it are derived.

use std::{path::Path, sync::Arc};

use harness_hooks_core::{
    Adapter, Binding, Diagnostic, FailureMode, Fidelity, Handler, Matcher, Moment, Scope, Source, Standing,
};
use harness_hooks_fixtures::{ConfigCase, configs, decisions, events, of, relative, vectors};
use serde::Serialize;

use crate::{Ended, adapters::adapters, derived::Derived};

pub(crate) fn run(check: bool) -> Ended {
    let mut derived = Derived::new("fixtures", check);
    let mut cases = 0;
    for adapter in adapters(Fidelity::Guarded) {
        cases += hand_written(&*adapter)?;
        for case in configs(&of(adapter.vendor().as_str()))? {
            derive(&*adapter, &case, &mut derived)?;
            cases += 1;
        }
    }
    cases += decisions(&of("decisions"))?.iter().map(|file| file.cases.len()).sum::<usize>();
    derived.finish()?;
    println!("{cases} cases are well-formed and what is derived from them is up to date");
    Ok(())
}

/// Reads what people wrote, and finds every event it names in the vendor's table.
fn hand_written(adapter: &dyn Adapter) -> Result<usize, Box<dyn std::error::Error>> {
    let vendor = adapter.vendor();
    let known = |event: &str| adapter.events().iter().any(|spec| spec.name == event);
    let mut cases = 0;
    for file in vectors(&of(vendor.as_str()))? {
        for group in &file.groups {
            if let Some(unknown) = group.events.iter().find(|event| !known(event)) {
                return Err(format!("{}: group {} names no event: {unknown}", relative(&file.path), group.id).into());
            }
            cases += group.runs().count();
        }
    }
    let folders = events(&of(vendor.as_str()))?;
    for folder in &folders {
        if !known(&folder.event) {
            return Err(format!("{}: {vendor} has no such event", relative(&folder.path)).into());
        }
        cases += folder.cases.len();
    }
    match adapter.events().iter().find(|spec| !folders.iter().any(|folder| folder.event == spec.name)) {
        Some(spec) => Err(format!("fixtures/{vendor}/events/{} is missing", spec.name).into()),
        None => Ok(cases),
    }
}

fn derive(adapter: &dyn Adapter, case: &ConfigCase, derived: &mut Derived) -> Ended {
    let path = relative(&case.document);
    let cwd = Path::new("/home/dev/project");
    let source = Arc::new(Source::new(adapter.vendor(), Scope::Project, &path, path.as_str(), cwd));
    let mut parsed = adapter.parse(&source, &case.bytes);
    for diagnostic in &mut parsed.diagnostics {
        diagnostic.source.get_or_insert_with(|| path.clone());
    }
    let bindings: Vec<_> = parsed.bindings.iter().map(|binding| Row::of(adapter, binding)).collect();
    derived.file(&case.path.join("bindings.json"), &pretty(&bindings)?)?;
    derived.file(&case.path.join("diagnostics.json"), &pretty::<[Diagnostic]>(&parsed.diagnostics)?)
}

fn pretty<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value).map(|text| text + "\n")
}

/// A binding, as far as its document alone decides it.
#[derive(Serialize)]
struct Row<'b> {
    id: &'b str,
    pointer: &'b str,
    line: Option<u32>,
    column: Option<u32>,
    event: &'b str,
    moments: Vec<String>,
    matcher: Option<String>,
    handler: &'b Handler,
    timeout_ms: Option<u64>,
    failure: FailureMode,
    loop_limit: Option<u32>,
    why_skipped: Option<&'b str>,
}

impl<'b> Row<'b> {
    fn of(adapter: &dyn Adapter, binding: &'b Binding) -> Self {
        let spec = &adapter.events()[binding.event.index()];
        Row {
            id: binding.id.as_str(),
            pointer: &binding.pointer,
            line: binding.place.map(|place| place.line),
            column: binding.place.map(|place| place.column),
            event: binding.event_name,
            moments: spec.moments.iter().map(Moment::to_string).collect(),
            matcher: match &binding.matcher {
                Matcher::Any => None,
                matcher => Some(matcher.to_string()),
            },
            handler: &binding.handler,
            timeout_ms: binding.timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
            failure: binding.failure,
            loop_limit: binding.loop_limit,
            why_skipped: match &binding.standing {
                Standing::Skipped(why) => Some(why),
                _ => None,
            },
        }
    }
}
