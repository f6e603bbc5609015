//! Any document can be parsed: bytes give bindings, diagnostics, or both, the same each time, and
//! what is not used says so.

use std::collections::BTreeSet;

use super::{
    super::{codes, generate::documents},
    subject::{Subject, parsed, text},
};
use crate::{Adapter, Parsed, Severity};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    let seeds: Vec<Vec<u8>> = subject.configs.iter().map(|case| case.bytes.clone()).collect();
    let names: BTreeSet<String> = subject.configs.iter().map(super::super::ConfigCase::file).collect();
    let show = |document: &Vec<u8>| text(document);
    subject.generated(&documents(&seeds), show, |document| {
        for (name, (fidelity, adapter)) in names.iter().flat_map(|name| subject.each().map(move |each| (name, each))) {
            let (first, again) = (parsed(adapter, name, document), parsed(adapter, name, document));
            let said = |parsed: &Parsed| (parsed.diagnostics.clone(), parsed.refused.clone(), parsed.bindings.len());
            if said(&first) != said(&again) {
                return Err(format!("{name}, {}: parsed twice it is another", fidelity.name()));
            }
            of(adapter, &first).map_err(|what| format!("{name}, {}: {what}", fidelity.name()))?;
        }
        Ok(())
    })
}

fn of(adapter: &dyn Adapter, parsed: &Parsed) -> Result<(), String> {
    let Parsed { bindings, diagnostics, refused, dropped, .. } = parsed;
    let shown = || {
        let told = codes(diagnostics);
        format!("{} bindings, {} dropped, refused {refused:?}, told {told:?}", bindings.len(), dropped.len())
    };
    let ensure = |holds: bool, what: &str| if holds { Ok(()) } else { Err(format!("{what}: {}", shown())) };
    let prefix = format!("{}/", adapter.vendor());
    let well_made = |d: &crate::Diagnostic| d.code.starts_with(&prefix) && !d.message.is_empty() && d.source.is_some();
    ensure(diagnostics.iter().all(well_made), "a diagnostic lacks a message, the file, or the vendor in its code")?;
    let errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    ensure(errors || refused.is_none(), "it is refused without an error")?;
    let missing = refused.is_some() || !dropped.is_empty();
    ensure(!errors || missing, "there is an error, and neither the document nor a definition is missing for it")?;
    ensure(refused.is_none() || dropped.is_empty(), "it is refused, and a part of it once more")?;
    ensure(refused.is_none() || bindings.is_empty(), "it is refused, and bound all the same")?;
    ensure(bindings.iter().map(|b| b.event).is_sorted(), "bindings are not in the order of the event table")?;
    let ids: BTreeSet<_> = bindings.iter().map(|binding| binding.id.as_str()).collect();
    ensure(ids.len() == bindings.len(), "one id stands for two bindings")?;
    for binding in bindings {
        let spec = adapter.events().get(binding.event.index());
        ensure(spec.is_some_and(|spec| spec.name == binding.event_name), "a binding's event is not that of its id")?;
        ensure(binding.timeout.is_none_or(|timeout| !timeout.is_zero()), "a binding has no time to run")?;
    }
    Ok(())
}
