//! What the hooks of a session left behind for those to come. Plain data: a plan is a function of
//! it. Firings of a session may overlap, so a firing hands out a change, never a state.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{BindingId, Decision, EnvReader, Envelope, Payload, PromptOrigin, Vendor};

/// What earlier hooks of a session left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SessionState {
    /// Variables for later hooks, by the vendor whose hooks set them.
    pub env: BTreeMap<Vendor, BTreeMap<String, String>>,
    /// How often hooks made the agent go on.
    pub continuations: Continuations,
    /// Hooks that run once in a session, and did.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub once: BTreeSet<BindingId>,
}

/// How often hooks made the agent go on since the last prompt a user caused. A continuation is no
/// prompt, whatever id its turn gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Continuations {
    /// By whatever vendor's hooks: what the host's cap applies to.
    pub total: u32,
    /// By each vendor's hooks: what its loop limits apply to.
    pub by_vendor: BTreeMap<Vendor, u32>,
}

impl Continuations {
    /// This often by one vendor's hooks.
    pub fn by(vendor: Vendor, times: u32) -> Self {
        Continuations { total: times, by_vendor: BTreeMap::from([(vendor, times)]) }
    }

    /// How often this vendor's hooks made the agent go on.
    pub fn of(&self, vendor: &Vendor) -> u32 {
        self.by_vendor.get(vendor).copied().unwrap_or(0)
    }
}

impl SessionState {
    /// Nothing has happened yet.
    pub fn new() -> Self {
        SessionState::default()
    }

    /// The variables this vendor's hooks set for its later hooks.
    pub fn env_of(&self, vendor: &Vendor) -> impl Iterator<Item = (&String, &String)> {
        self.env.get(vendor).into_iter().flatten()
    }

    /// Applies what a firing changed. Under the caller's lock, since firings overlap.
    pub fn apply(&mut self, change: Change) {
        if change.new_prompt {
            self.new_prompt();
        }
        for (vendor, name, value) in change.env {
            self.env.entry(vendor).or_default().insert(name, value);
        }
        if !change.continued.is_empty() {
            self.continuations.total += 1;
        }
        self.once.extend(change.once);
        for vendor in change.continued {
            *self.continuations.by_vendor.entry(vendor).or_default() += 1;
        }
    }

    /// Starts the count of continuations anew. For a host that fires no `prompt.submit`.
    pub fn new_prompt(&mut self) {
        self.continuations = Continuations::default();
    }
}

/// What a firing changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Variables set for later hooks: vendor, name, value.
    pub env: Vec<(Vendor, String, String)>,
    /// The vendors whose hooks made the agent go on.
    pub continued: BTreeSet<Vendor>,
    /// A user caused a prompt.
    pub new_prompt: bool,
    /// Hooks that run once in a session, and did now.
    pub once: Vec<BindingId>,
}

impl Change {
    /// What this decision on this envelope changes.
    pub fn of(envelope: &Envelope, decision: &Decision, vendor_of: impl Fn(&crate::BindingId) -> Vendor) -> Self {
        let env = decision
            .session_env
            .iter()
            .filter(|wish| wish.value.reader == EnvReader::Hooks)
            .map(|wish| (vendor_of(&wish.by), wish.value.name.clone(), wish.value.value.clone()))
            .collect();
        let continued = decision.continuation.iter().flat_map(|c| &c.parts).map(|part| vendor_of(&part.by)).collect();
        let new_prompt = matches!(&envelope.payload, Payload::PromptSubmit(p) if p.origin == PromptOrigin::User);
        Change { env, continued, new_prompt, once: Vec::new() }
    }
}
