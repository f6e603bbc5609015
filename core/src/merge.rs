//! Every wish of every hook, in binding order, with its author. Nothing is decided here: merging
//! is appending.

use serde::Serialize;

use crate::{
    BindingId, By, Continuation, Diagnostic, Effects, EnvWish, Extra, Halt, InputRewrite, ResultRewrite, Text,
    Unsupported, Verdict,
};

macro_rules! merged {
    (
        one { $($(#[$one_doc:meta])* $many: ident from $one:ident: $one_type:ty,)* }
        list { $($(#[$list_doc:meta])* $list:ident: $list_type:ty,)* }
    ) => {
        /// All effects of a firing, each with its author, in binding order: adapters as they were
        /// registered, sources as the vendor merges them, events as in the table, definitions as
        /// in the document. The order hooks finish in never matters.
        #[derive(Clone, Debug, Default, PartialEq, Serialize)]
        #[non_exhaustive]
        pub struct Merged {
            $($(#[$one_doc])* pub $many: Vec<By<$one_type>>,)*
            $($(#[$list_doc])* pub $list: Vec<By<$list_type>>,)*
            /// Hooks that were there to decide and did not.
            pub undecided: Vec<BindingId>,
        }

        impl Merged {
            /// The effects of several hooks, in this order. Each list is reserved once.
            pub fn all(said: Vec<By<Effects>>) -> Self {
                let mut merged = Merged::default();
                $(merged.$many.reserve_exact(said.iter().filter(|e| e.value.$one.is_some()).count());)*
                $(merged.$list.reserve_exact(said.iter().map(|e| e.value.$list.len()).sum());)*
                for By { by, value } in said {
                    $(if let Some(value) = value.$one {
                        merged.$many.push(By::new(by.clone(), value));
                    })*
                    $(merged.$list.extend(value.$list.into_iter().map(|value| By::new(by.clone(), value)));)*
                    if value.undecided {
                        merged.undecided.push(by);
                    }
                }
                merged
            }

            /// These, then those. Associative, with `Merged::default()` as its identity.
            pub fn then(mut self, later: Merged) -> Self {
                $(self.$many.extend(later.$many);)*
                $(self.$list.extend(later.$list);)*
                self.undecided.extend(later.undecided);
                self
            }
        }
    };
}

merged! {
    one {
        /// What hooks said of the operation.
        verdicts from verdict: Verdict,
        /// Inputs they wanted instead.
        rewrites from replacement_input: InputRewrite,
        /// Results they wanted instead.
        results from replacement_result: ResultRewrite,
        /// What they wanted to stop.
        halts from halt: Halt,
        /// How they wanted the agent to go on.
        continuations from continuation: Continuation,
    }
    list {
        /// Why, for the model.
        reasons: Text,
        /// What the user should see.
        notices: Text,
        /// What the model should know.
        context: Text,
        /// What they have against what just happened.
        feedback: Text,
        /// Variables for the rest of the session.
        session_env: EnvWish,
        /// Wishes only some hosts can do anything with.
        extras: Extra,
        /// Wishes that mean nothing at their event.
        unsupported: Unsupported,
        /// What the hooks' authors should know.
        diagnostics: Diagnostic,
    }
}

impl Merged {
    /// The most restrictive verdict.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdicts.iter().map(|verdict| verdict.value).max()
    }

    /// Takes out of what a hook says once more all that it said before word for word.
    pub(crate) fn leave_out_said(&self, by: &BindingId, effects: &mut Effects) {
        fn new<T: PartialEq>(said: &[By<T>], by: &BindingId, now: &mut Vec<T>) {
            now.retain(|value| !said.iter().any(|said| said.by == *by && said.value == *value));
        }
        new(&self.reasons, by, &mut effects.reasons);
        new(&self.notices, by, &mut effects.notices);
        new(&self.context, by, &mut effects.context);
        new(&self.feedback, by, &mut effects.feedback);
        new(&self.extras, by, &mut effects.extras);
        new(&self.diagnostics, by, &mut effects.diagnostics);
    }
}
