//! What the tests of this crate share.

use harness_hooks_core::Envelope;

/// An envelope of a session in `/home/dev/project` with this payload.
#[allow(dead_code, reason = "each module uses what it needs")]
pub(crate) fn envelope(payload: &str) -> Envelope {
    let json = format!(
        r#"{{"id":"e1","at_ms":0,"session":{{"id":"s1","cwd":"/home/dev/project","roots":["/home/dev/project"]}},"payload":{payload}}}"#
    );
    Envelope::read(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"))
}
