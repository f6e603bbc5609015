//! Hooks ask for what their event can do, and for no more: control effects agree with the row, every
//! other effect with its capabilities.

use super::{
    decoding::{cases, shown},
    subject::{Subject, effects as shown_effects, modes, rows},
};
use crate::{Capabilities, Control, Effects, EventSpec, Extra, HaltScope, Verdict};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    subject.generated(&cases(subject), shown, |(outcome, envelope)| {
        for (fidelity, adapter) in subject.each() {
            for (id, spec) in rows(adapter) {
                for (mode, asked) in modes(id) {
                    let effects = adapter.decode(asked.envelope(envelope.as_ref()), outcome);
                    if let Some(what) = beyond(spec, &effects) {
                        let head = format!("{} {}, {mode}", fidelity.name(), spec.name);
                        return Err(format!("{head}: it {what} and cannot: {}", shown_effects(&effects)));
                    }
                }
            }
        }
        Ok(())
    })
}

/// What the effects do that the event cannot.
fn beyond(spec: &EventSpec, effects: &Effects) -> Option<&'static str> {
    let halts_a_prompt = effects.halt.as_ref().is_some_and(|halt| halt.scope == HaltScope::Prompt);
    let plugins = effects.extras.iter().any(|extra| matches!(extra, Extra::PluginPaths { .. }));
    [
        ("decides", effects.verdict.is_some(), Capabilities::VERDICT),
        ("puts off", effects.verdict == Some(Verdict::Defer), Capabilities::DEFER),
        ("halts", effects.halt.is_some(), Capabilities::HALT),
        ("makes the agent go on", effects.continuation.is_some(), Capabilities::CONTINUATION),
        ("rewrites the input", effects.replacement_input.is_some(), Capabilities::REWRITE_INPUT),
        ("rewrites the result", effects.replacement_result.is_some(), Capabilities::REWRITE_RESULT),
        ("informs the model", !effects.context.is_empty(), Capabilities::CONTEXT),
        ("objects", !effects.feedback.is_empty(), Capabilities::FEEDBACK),
        ("shows a notice", !effects.notices.is_empty(), Capabilities::NOTICE),
        ("sets variables", !effects.session_env.is_empty(), Capabilities::SESSION_ENV),
        ("names plugins", plugins, Capabilities::PLUGIN_PATHS),
    ]
    .into_iter()
    .find(|(_, does, capability)| *does && !spec.capabilities.has(*capability))
    .map(|(what, ..)| what)
    .or((halts_a_prompt && spec.control != Control::PromptHalt).then_some("halts a prompt"))
}
