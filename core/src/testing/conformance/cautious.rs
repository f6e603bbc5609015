//! Who asks for more caution never gets less: a hook that fails closed, and a strict host, refuse at
//! least what an open hook refuses. Where nothing can be refused, nobody is undecided and the strict
//! policy changes nothing.

use super::{
    decoding::{cases, shown},
    subject::{Subject, effects as shown_effects, modes, rows},
};
use crate::{Effects, Verdict};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    subject.generated(&cases(subject), shown, |(outcome, envelope)| {
        for (fidelity, adapter) in subject.each() {
            for (id, spec) in rows(adapter) {
                let asked =
                    modes(id).map(|(mode, asked)| (mode, adapter.decode(asked.envelope(envelope.as_ref()), outcome)));
                if let Some(what) = wrong(spec.control.can_block(), &asked) {
                    return Err(format!("{} {}: {what}", fidelity.name(), spec.name));
                }
            }
        }
        Ok(())
    })
}

fn wrong(can_block: bool, asked: &[(&str, Effects); 4]) -> Option<String> {
    let [open, closed, strict, both] = asked;
    for ((less, weaker), (more, stronger)) in [(open, closed), (open, strict), (closed, both), (strict, both)] {
        let both = || format!("\n{less}: {}\n{more}: {}", shown_effects(weaker), shown_effects(stronger));
        if strength(stronger) < strength(weaker) {
            return Some(format!("{more} is weaker than {less}{}", both()));
        }
        let more_strict = more.ends_with("strict") && !less.ends_with("strict");
        if !can_block && more_strict && weaker != stronger {
            return Some(format!("it blocks nothing, and {more} is not {less}{}", both()));
        }
    }
    let undecided = asked.iter().find(|(_, effects)| effects.undecided && !can_block);
    undecided.map(|(mode, effects)| format!("it blocks nothing, and {mode} is undecided: {}", shown_effects(effects)))
}

/// How much it stands in the way. An approval is less than no word.
fn strength(effects: &Effects) -> (u8, bool) {
    let verdict = match effects.verdict {
        Some(Verdict::Allow) => 0,
        None => 1,
        Some(Verdict::Ask) => 2,
        Some(Verdict::Defer) => 3,
        Some(Verdict::Deny) => 4,
    };
    (verdict, effects.halt.is_some())
}
