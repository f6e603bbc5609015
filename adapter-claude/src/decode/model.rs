//! What a model or an agent answers: `{"ok", "reason", "impossible"}`. CLA-RUN-17

use harness_hooks_core::{
    Effects, Exit, Halt, HaltScope, Outcome, Question, Text,
    answer::{Answer, Field},
};

use super::{
    Failure, Hook, failure,
    printed::{Printed, Stdout},
};
use crate::{
    departures::Way,
    events::{Oddity, Refusal},
};

impl Hook<'_> {
    pub(super) fn model(self, question: &Question, outcome: &Outcome) -> Effects {
        if outcome.exit != Exit::Code(0) {
            return self.failed(&failure(&outcome.exit), outcome);
        }
        if outcome.stdout_truncated {
            return self.cut_off(outcome);
        }
        let text = String::from_utf8_lossy(&outcome.stdout);
        let stdout = Stdout::read(&text);
        let behind = || stdout.object_at_the_end().filter(|_| !self.ways.claudes(Way::TextBeforeJson));
        match &stdout.printed {
            Printed::Object(answer) => match answer.get("ok").and_then(Field::flag) {
                Some(true) => Effects::default(),
                Some(false) => self.disapproved(question, answer),
                None => self.no_answer(outcome),
            },
            _ => match behind().filter(|answer| answer.get("ok").and_then(Field::flag) == Some(false)) {
                Some(answer) => self.with(self.disapproved(question, &answer), self.text_before_json()),
                None => self.no_answer(outcome),
            },
        }
    }

    fn disapproved(self, question: &Question, answer: &Answer<'_>) -> Effects {
        let impossible = answer.get("impossible").and_then(Field::flag) == Some(true);
        if impossible && self.row.refusal == Refusal::Continues {
            return Effects::default();
        }
        let said = answer.get("reason").and_then(Field::text).and_then(|reason| self.said(&reason));
        let written = || self.written(&format!("the hook {} said no and gave no reason", self.label()));
        let reason: Text = said.unwrap_or_else(written);
        let mut effects = self.refuse(reason.clone());
        if self.row.is(Oddity::ModelHalts) && !question.continue_on_block {
            effects.halt = Some(Halt::new(HaltScope::Turn, reason));
        }
        effects
    }

    fn no_answer(self, outcome: &Outcome) -> Effects {
        self.failed(&Failure::new("gave no answer of the form {\"ok\":true} or {\"ok\":false,\"reason\":…}"), outcome)
    }
}
