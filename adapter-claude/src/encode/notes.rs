//! What could not be written on standard input, and was `null` or left out. CLA-ENC-31

use harness_hooks_core::{Decimal, Diagnostic, Json, Occasion, Payload};

use super::{COMMON, goes_on};
use crate::{
    events::{Event, Row},
    matcher,
    tools::{self, shown},
};

/// A note for each value that is `null` because no JSON can hold it, and for each free field that a
/// common one has the name of.
pub(super) fn notes(row: &Row, occasion: Occasion<'_>) -> Vec<Diagnostic> {
    let session = &occasion.envelope.session;
    let mut lost = Vec::new();
    if session.transcript.as_deref().is_some_and(|path| shown(path).is_none()) {
        lost.push("transcript_path");
    }
    if shown(&session.cwd).is_none() {
        lost.push("cwd");
    }
    let mut unwritten = Vec::new();
    if matcher::happens(row, occasion.envelope) {
        lost.extend(paths(occasion));
        let payload = &occasion.envelope.payload;
        lost.extend(numbers(row, payload).into_iter().filter(|(_, n)| is_lost(*n)).map(|(key, _)| key));
        if let Payload::Other(other) = payload {
            unwritten = unwritten_fields(&other.fields);
        }
    }
    let null = |key: &str| format!("`{key}` is null: its value cannot be written as JSON");
    lost.into_iter()
        .map(null)
        .chain(unwritten)
        .map(|message| Diagnostic::note("claude/unwritable-value", message))
        .collect()
}

/// The paths of the payload that are not text.
fn paths(occasion: Occasion<'_>) -> Vec<&'static str> {
    let cwd = &occasion.envelope.session.cwd;
    match &occasion.envelope.payload {
        Payload::SubagentStop(stop) => {
            let lost = stop.transcript.as_deref().is_some_and(|path| shown(path).is_none());
            lost.then_some("agent_transcript_path").into_iter().collect()
        }
        payload => {
            let paths = payload.call().map(|call| tools::paths(&call.tool)).unwrap_or_default();
            let written = |key: &str, path| {
                if key == "path" { shown(path).is_some() } else { tools::file(path, Some(cwd)).is_some() }
            };
            paths.into_iter().filter(|(key, path)| !written(key, path)).map(|(key, _)| key).collect()
        }
    }
}

/// The numbers of the payload that may have a fraction.
fn numbers(row: &Row, payload: &Payload) -> Vec<(&'static str, Option<Decimal>)> {
    match (row.event, payload) {
        (Event::SessionStart, Payload::SessionStart(start)) if goes_on(start) => vec![
            ("seconds_since_last_response", start.idle_seconds),
            ("estimated_cache_write_usd", start.cache_write_usd),
        ],
        (_, Payload::ToolResult(result)) => vec![("duration_ms", result.duration_ms)],
        (_, Payload::ToolFailure(failure)) => vec![("duration_ms", failure.duration_ms)],
        _ => Vec::new(),
    }
}

fn is_lost(number: Option<Decimal>) -> bool {
    number.is_some_and(|number| !number.as_f64().is_finite())
}

/// Free fields that are not written, because a common field has their name.
fn unwritten_fields(fields: &Json) -> Vec<String> {
    let Some(fields) = fields.fields() else {
        return vec!["the envelope's fields are no object, so none of them is written".into()];
    };
    let taken = fields.iter().filter(|(key, _)| COMMON.contains(key));
    taken.map(|(key, _)| format!("the field `{key}` is not written: a common field has its name")).collect()
}
