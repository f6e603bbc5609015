//! What an event's matcher is tested against, and what a matcher's text means. Testing itself is
//! core's.

use harness_hooks_core::{Dialect, Envelope, Matcher, Targets, matcher::Patterns};

use crate::{
    events::{Row, Target},
    tools,
};

/// Nothing, `""` and `"*"` match everything, anything else is a regular expression. __ABC__-MATCH-01
pub(crate) fn compile(text: &str, patterns: &Patterns) -> Matcher {
    match text {
        "" | "*" => Matcher::Any,
        text => Matcher::Pattern(patterns.get(text, Dialect::JavaScript)),
    }
}

/// What matchers of an event are tested against in this envelope.
pub(crate) fn targets<'e>(row: &Row, envelope: &'e Envelope) -> Targets<'e> {
    if row.spec.moment(envelope.boundary(), envelope.payload.facet()).is_none() {
        return Targets::NotThisEvent;
    }
    match row.target {
        Target::Command => {
            let shell = envelope.payload.call().and_then(tools::shell);
            shell.map_or(Targets::NotThisEvent, |shell| Targets::one(shell.command.as_str()))
        }
    }
}
