//! What an answer says, all in all: whether it refuses, and whether it counts in spite of what is not
//! right about its fields, which is `form.rs`. What it comes to is `effects.rs`.

use super::{
    Hook,
    form::{Form, Slip, Slipped},
    view::View,
    words::is_reason_of,
    written::Fault,
};
use crate::{departures::Way, events::Key};

/// What makes an answer a refusal. CDX-OUT-31
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Refuses {
    /// It does not refuse.
    No,
    /// It says so, as Codex knows it or in other words.
    Plainly,
    /// It wants another input and may not have it, or not in this form. CDX-OUT-36
    ByItsRewrite,
    /// It wants what is not done here. CDX-OUT-37
    ByItsControls,
}

/// An answer that counts.
pub(super) struct Said<'a> {
    pub(super) hook: Hook<'a>,
    pub(super) form: Form<'a>,
    pub(super) slips: Vec<Slipped<'a>>,
    pub(super) refuses: Refuses,
    /// What breaks the form beside a refusal or an ask. CDX-OUT-32, CDX-OUT-44
    pub(super) lost: Option<Fault>,
}

impl<'a> Said<'a> {
    /// Holds an answer to the form of its event. The first fault is what rejects it. CDX-OUT-30
    pub(super) fn read(hook: Hook<'a>, view: &'a View<'a>) -> Result<Self, Fault> {
        let form = Form { row: hook.row, ways: hook.ways, view };
        let mut said = Said { hook, form, slips: form.slips(), refuses: Refuses::No, lost: None };
        said.refuses = said.refusal();
        if said.loses_its_rewrite() {
            said.refuses = Refuses::ByItsRewrite;
        }
        match said.first_fault() {
            Some(fault) if !said.counts() || hook.ways.codexs(Way::LostForm) => Err(fault),
            fault => Ok(Said { lost: fault, ..said }),
        }
    }

    pub(super) fn refuses(&self) -> bool {
        self.refuses != Refuses::No
    }

    /// It asks, and does not refuse. CDX-OUT-44
    pub(super) fn asks(&self) -> bool {
        let ask = self.slips.iter().any(|slipped| matches!(slipped.slip, Slip::Ask));
        ask && !self.refuses() && !self.hook.ways.codexs(Way::Ask)
    }

    /// It counts whatever its form is: a refusal is not lost with it, and neither is an ask but where
    /// every failure refuses.
    fn counts(&self) -> bool {
        self.refuses() || (self.asks() && !self.hook.is_cautious())
    }

    /// What breaks the form takes an allowed rewrite with it, and the original may not run in its
    /// place. CDX-OUT-36
    fn loses_its_rewrite(&self) -> bool {
        let ours = !self.hook.ways.codexs(Way::RewriteDropped);
        ours && !self.refuses() && self.form.replaces_input() && self.first_fault().is_some()
    }

    fn first_fault(&self) -> Option<Fault> {
        self.slips.iter().find_map(|slipped| self.fault(slipped))
    }

    fn refusal(&self) -> Refuses {
        let ways = self.hook.ways;
        let has = |way, is: fn(&Slip) -> bool| !ways.codexs(way) && self.slips.iter().any(|slipped| is(&slipped.slip));
        if self.form.refuses() || has(Way::DecisionWords, |slip| matches!(slip, Slip::Word)) {
            Refuses::Plainly
        } else if has(Way::RewriteDropped, |slip| matches!(slip, Slip::Rewrite)) {
            Refuses::ByItsRewrite
        } else if has(Way::ControlElsewhere, |slip| matches!(slip, Slip::Control)) {
            Refuses::ByItsControls
        } else {
            Refuses::No
        }
    }

    /// Why a slip breaks the form, if it does.
    fn fault(&self, slipped: &Slipped<'_>) -> Option<Fault> {
        let (refuses, name) = (self.refuses(), slipped.name);
        let codexs = |way| self.hook.ways.codexs(way);
        let fault = |detail: &str| Fault::field(name, detail);
        match &slipped.slip {
            Slip::Form(fault) => Some(fault.clone()),
            Slip::Reason(fault) => (!self.is_excused(slipped)).then(|| fault.clone()),
            Slip::Name => {
                let missing = || Fault::field(Key::HookEventName.name(), ", which is missing");
                (!self.counts() || codexs(Way::MissingEventName)).then(missing)
            }
            Slip::Word => codexs(Way::DecisionWords).then(|| fault(", which is not how this event is refused")),
            Slip::Control if self.form.is_ignored_stop(name) => None,
            Slip::Control => {
                (self.refuses != Refuses::ByItsControls).then(|| fault(", which this event does not read"))
            }
            Slip::Ask => (refuses || codexs(Way::Ask)).then(|| fault(", which may not ask")),
            Slip::BareAllow => (refuses || codexs(Way::BareAllow)).then(|| fault(", which allows nothing by itself")),
            Slip::Rewrite => {
                (self.refuses != Refuses::ByItsRewrite).then(|| fault(", which counts beside an allow only"))
            }
        }
    }

    /// The reason of a word or of a control field that stands beside it. CDX-OUT-35, CDX-OUT-37
    fn is_excused(&self, reason: &Slipped<'_>) -> bool {
        self.slips.iter().any(|speaker| {
            let counts = match speaker.slip {
                Slip::Word => !self.hook.ways.codexs(Way::DecisionWords),
                Slip::Control => self.refuses == Refuses::ByItsControls,
                _ => false,
            };
            counts && speaker.place == reason.place && is_reason_of(speaker.name, reason.name)
        })
    }
}
