//! What an event's matcher is tested against, and what a matcher's text means. Testing itself is
//! core's.

use harness_hooks_core::{Envelope, Matcher, Targets, matcher::Patterns};

use crate::events::Row;

/// The matcher of a group.
pub(crate) fn compile(row: &Row, text: &str, patterns: &Patterns) -> Matcher {
    let _ = (row, text, patterns);
    Matcher::Any
}

/// What matchers of an event are tested against in this envelope.
pub(crate) fn targets<'e>(row: &Row, envelope: &'e Envelope) -> Targets<'e> {
    let _ = (row, envelope);
    Targets::Everything
}
