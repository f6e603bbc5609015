//! Any outcome can be decoded, with and without an envelope, and is the same each time; whoever
//! refuses says why.

use proptest::{option, strategy::Strategy};

use super::{
    super::generate::{envelope, outcome},
    subject::{self, Subject, modes, rows},
};
use crate::{Effects, Envelope, Outcome, Verdict};

/// What any law about decoding generates: what came back, and what the hook was asked about.
pub(super) type Case = (Outcome, Option<Envelope>);

pub(super) fn cases(subject: &Subject<'_>) -> impl Strategy<Value = Case> + use<> {
    (outcome(&subject.printed()), option::weighted(0.3, envelope()))
}

pub(super) fn shown((outcome, envelope): &Case) -> String {
    let envelope = envelope.as_ref().and_then(|envelope| serde_json::to_string(envelope).ok());
    let envelope = envelope.map(|envelope| format!("\nabout {envelope}")).unwrap_or_default();
    format!("{}{envelope}", subject::outcome(outcome))
}

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    subject.generated(&cases(subject), shown, |(outcome, envelope)| {
        for (fidelity, adapter) in subject.each() {
            for (id, spec) in rows(adapter) {
                for (mode, asked) in modes(id) {
                    let decode = || adapter.decode(asked.envelope(envelope.as_ref()), outcome);
                    let effects = decode();
                    if effects != decode() {
                        return Err(format!("{} {}, {mode}: decoded twice it is another", fidelity.name(), spec.name));
                    }
                    if let Some(what) = unsaid(&effects) {
                        return Err(format!(
                            "{} {}, {mode}: {what}: {}",
                            fidelity.name(),
                            spec.name,
                            subject::effects(&effects)
                        ));
                    }
                }
            }
        }
        Ok(())
    })
}

fn unsaid(effects: &Effects) -> Option<&'static str> {
    let refused = effects.verdict == Some(Verdict::Deny);
    if refused && effects.reasons.is_empty() {
        return Some("a refusal gives no reason");
    }
    let texts = [&effects.reasons, &effects.notices, &effects.context, &effects.feedback];
    texts.into_iter().flatten().any(|text| text.trim().is_empty()).then_some("a text is blank")
}
