//! What a JavaScript pattern says, as a tree. How it was spelled and how it is run is not here.

use super::units::UnitSet;

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Matches the empty text.
    Empty,
    /// One code unit.
    Unit(u16),
    /// One code unit of these.
    Set(UnitSet),
    /// `^`: the start of the text, under `(?m:…)` of a line.
    Start { lines: bool },
    /// `$`: the end of the text, under `(?m:…)` of a line.
    End { lines: bool },
    /// `\b`, or `\B` when negated.
    Boundary { negated: bool },
    /// `(…)`
    Capture { group: u32, body: Box<Node> },
    /// The text of the one of these groups that took part; several when they share a name.
    Back { groups: Vec<u32>, ignore_case: bool },
    /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`
    Look { behind: bool, negated: bool, body: Box<Node> },
    /// `max` is `None` for any number of times.
    Repeat { body: Box<Node>, min: u32, max: Option<u32>, greedy: bool },
    /// One after the other.
    Sequence(Vec<Node>),
    /// One or another.
    Choice(Vec<Node>),
}

impl Node {
    /// Whether it may match the empty text.
    pub(super) fn may_be_empty(&self) -> bool {
        match self {
            Self::Unit(_) | Self::Set(_) => false,
            Self::Capture { body, .. } => body.may_be_empty(),
            Self::Repeat { body, min, .. } => *min == 0 || body.may_be_empty(),
            Self::Sequence(nodes) => nodes.iter().all(Self::may_be_empty),
            Self::Choice(nodes) => nodes.iter().any(Self::may_be_empty),
            _ => true,
        }
    }

    /// Whether it matches nothing but the empty text.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Unit(_) | Self::Set(_) | Self::Back { .. } => false,
            Self::Capture { body, .. } => body.is_empty(),
            Self::Repeat { body, max, .. } => *max == Some(0) || body.is_empty(),
            Self::Sequence(nodes) | Self::Choice(nodes) => nodes.iter().all(Self::is_empty),
            _ => true,
        }
    }

    /// The groups inside, in their order.
    pub(super) fn groups(&self) -> Vec<u32> {
        match self {
            Self::Capture { group, body } => [*group].into_iter().chain(body.groups()).collect(),
            Self::Look { body, .. } | Self::Repeat { body, .. } => body.groups(),
            Self::Sequence(nodes) | Self::Choice(nodes) => nodes.iter().flat_map(Self::groups).collect(),
            _ => Vec::new(),
        }
    }
}
