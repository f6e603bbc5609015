//! The hash by which Codex knows a handler again, the key of its state, and what the two say of it.
//! Whose hooks they keep from running is `settle.rs`.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What is left out of the hash because it is what counts where nothing is said. CDX-TRUST-07
const USUAL_LIMIT: u64 = 2500;

/// By what Codex knows a handler again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// Which of the objects in a plugin's manifest it stands in.
    pub(crate) object: usize,
    /// Event, group and handler, counting what was dropped too: `pre_tool_use:0:1`. CDX-TRUST-05
    pub(crate) place: String,
    /// The event in snake case.
    pub(crate) event: String,
    /// As it is written; `None` where there is none, or the event has nothing to match.
    pub(crate) matcher: Option<String>,
    /// `None` for a handler whose hash is not known.
    pub(crate) handler: Option<Hashed>,
}

/// What of a command is part of its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hashed {
    pub(crate) command: String,
    pub(crate) windows: Option<String>,
    /// The effective one, in seconds.
    pub(crate) timeout: u64,
    /// As it is written.
    pub(crate) asynchronous: bool,
    pub(crate) status: Option<String>,
    /// Where the event has context.
    pub(crate) limit: Option<u64>,
}

/// What Codex hashes. The fields stand in the order of their names, because keys are sorted.
/// CDX-TRUST-06
#[derive(Serialize)]
struct Canonical<'a> {
    event_name: &'a str,
    hooks: [CanonicalHandler<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'a str>,
}

#[derive(Serialize)]
struct CanonicalHandler<'a> {
    #[serde(rename = "additionalContextLimit", skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
    #[serde(rename = "async")]
    asynchronous: bool,
    command: &'a str,
    #[serde(rename = "statusMessage", skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    timeout: u64,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl Identity {
    /// The hash, on Windows or elsewhere; `None` where it is not known what it is made of.
    /// CDX-TRUST-06, CDX-TRUST-07
    pub(crate) fn hash(&self, windows: bool) -> Option<String> {
        let handler = self.handler.as_ref()?;
        let hooks = [CanonicalHandler {
            limit: handler.limit.filter(|limit| *limit != USUAL_LIMIT),
            asynchronous: handler.asynchronous,
            command: handler.windows.as_deref().filter(|_| windows).unwrap_or(&handler.command),
            status: handler.status.as_deref(),
            timeout: handler.timeout,
            kind: "command",
        }];
        let canonical = Canonical { event_name: &self.event, hooks, matcher: self.matcher.as_deref() };
        let json = serde_json::to_vec(&canonical).ok()?;
        Some(Sha256::digest(json).iter().fold("sha256:".to_owned(), |mut hash, byte| {
            _ = write!(hash, "{byte:02x}"); // writing to a String does not fail
            hash
        }))
    }
}

/// What a user said of one handler: an entry of `hooks.state`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) enabled: Option<bool>,
    pub(crate) trusted_hash: Option<String>,
}

impl State {
    /// What a later source says counts, field by field. CDX-TRUST-04
    pub(crate) fn merge(&mut self, later: State) {
        self.enabled = later.enabled.or(self.enabled);
        self.trusted_hash = later.trusted_hash.or(self.trusted_hash.take());
    }
}

/// What a user's record says of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It is the handler that was trusted.
    Trusted,
    /// Nobody trusted it.
    Untrusted,
    /// Another one was trusted in its place.
    Modified,
    /// It was switched off.
    Disabled,
}

impl Trust {
    /// A handler whose hash is not known is never the one that was trusted. CDX-TRUST-02,
    /// CDX-TRUST-03
    pub(crate) fn of(state: Option<&State>, hash: Option<&str>) -> Trust {
        let recorded = state.and_then(|state| state.trusted_hash.as_deref());
        match (state.and_then(|state| state.enabled), recorded) {
            (Some(false), _) => Trust::Disabled,
            (_, None) => Trust::Untrusted,
            (_, recorded) if recorded == hash => Trust::Trusted,
            _ => Trust::Modified,
        }
    }
}
