//! Why a binding does not run, for people.

use std::{fmt, sync::Arc};

use crate::{Binding, BindingId, Facet, Text};

/// A binding on the boundary that does not run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Skipped {
    /// The binding.
    pub binding: Arc<Binding>,
    /// Why not.
    pub why: Why,
}

/// Why a binding does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// It is about another kind of tool call.
    Facet(Facet),
    /// This occurrence is not its event.
    NotThisEvent,
    /// Its matcher matches none of these.
    Matcher {
        /// What it says.
        matcher: Text,
        /// What it was tested against.
        tested: Vec<Text>,
    },
    /// Its condition does not hold.
    Condition(Text),
    /// Another definition of the same hook runs in its place.
    Duplicate(BindingId),
    /// It ran in this session already, and runs once.
    Once,
    /// It never runs in this host.
    Standing(Text),
    /// Its vendor's hooks made the agent go on as often as it lets them.
    LoopLimit {
        /// How often it lets them.
        limit: u32,
        /// How often they did.
        count: u32,
    },
    /// Hooks of whatever vendor made the agent go on as often as the host lets them.
    ContinuationCap(u32),
    /// A stage before its own refused what it would have been asked about.
    EarlierStage,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Facet(facet) => write!(f, "it is about {} calls only", facet.name().replace('_', " ")),
            Why::NotThisEvent => f.write_str("this occurrence is not its event"),
            Why::Matcher { matcher, tested } => {
                write!(f, "its matcher `{matcher}` does not match ")?;
                for (n, text) in tested.iter().enumerate() {
                    write!(f, "{}`{text}`", if n == 0 { "" } else { " or " })?;
                }
                Ok(())
            }
            Why::Condition(condition) => write!(f, "its condition `{condition}` does not hold"),
            Why::Duplicate(other) => write!(f, "{other} is the same hook and runs in its place"),
            Why::Once => f.write_str("it ran in this session already, and runs once"),
            Why::Standing(why) => f.write_str(why),
            Why::LoopLimit { limit, count } => {
                write!(
                    f,
                    "hooks made the agent go on {count} times since the user's last prompt and its loop limit is {limit}"
                )
            }
            Why::ContinuationCap(cap) => {
                write!(
                    f,
                    "hooks made the agent go on {cap} times since the user's last prompt, as often as the host lets them"
                )
            }
            Why::EarlierStage => f.write_str("an earlier stage refused it"),
        }
    }
}
