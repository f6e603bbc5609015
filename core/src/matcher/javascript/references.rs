//! Back-references for an engine that keeps captures.
//!
//! ECMAScript forgets a group whenever the repetition around it starts over, and a reference to a
//! group that took no part matches the empty text. `fancy-regex` keeps the old capture. So each
//! reference is settled here, before anything is written: its group never took part, and the
//! reference becomes empty; or a capture of the group is never stale, and it stays. A tree with any
//! other reference is [`Reason::BackReference`].

use std::collections::{BTreeMap, BTreeSet};

use super::super::Reason;
use super::tree::Node;

/// A group that may have taken part, and whether its capture may be stale: one that an engine keeps
/// and ECMAScript forgot.
type Group = (u32, bool);

/// Settles every reference in the tree. Returns the groups that are still referred to.
pub(super) fn settle(root: &mut Node) -> Result<BTreeSet<u32>, Reason> {
    let mut settler = Settler::default();
    settler.walk(root, Around::default())?;
    Ok(settler.referred)
}

/// What is around a node.
#[derive(Clone, Copy, Default)]
struct Around {
    /// A repetition that may start over.
    again: bool,
    /// A look-behind. It is matched from its end to its start: other captures, set in another
    /// order.
    behind: bool,
}

#[derive(Default)]
struct Settler {
    /// The groups that may have taken part where the walk is.
    known: BTreeMap<u32, bool>,
    referred: BTreeSet<u32>,
}

impl Settler {
    /// Settles a node. Returns its groups as they are after it and leaves `known` as it was.
    fn walk(&mut self, node: &mut Node, around: Around) -> Result<Vec<Group>, Reason> {
        match node {
            Node::Repeat { max: Some(0), .. }
            | Node::Empty
            | Node::Unit(_)
            | Node::Set(_)
            | Node::Start { .. }
            | Node::End { .. }
            | Node::Boundary { .. } => Ok(Vec::new()),
            Node::Back { groups, ignore_case } => {
                groups.retain(|group| self.known.contains_key(group));
                match groups.as_slice() {
                    [] => *node = Node::Empty,
                    [group] if !*ignore_case && self.known.get(group) == Some(&false) => {
                        self.referred.insert(*group);
                    }
                    _ => return Err(Reason::BackReference),
                }
                Ok(Vec::new())
            }
            Node::Capture { group, body } => {
                let mut groups = self.walk(body, around)?;
                groups.push((*group, around.behind));
                Ok(groups)
            }
            Node::Sequence(nodes) => {
                let mut groups = Vec::new();
                for node in nodes {
                    let own = self.walk(node, around)?;
                    self.known.extend(own.iter().copied());
                    groups.extend(own);
                }
                self.forget(&groups);
                Ok(groups)
            }
            Node::Choice(nodes) => {
                let mut groups = Vec::new();
                for node in nodes {
                    groups.extend(self.walk(node, around)?);
                }
                // The next round may take another choice and find the captures of this one.
                Ok(aged(groups, around.again))
            }
            Node::Repeat { body, min, max, .. } => {
                let again = around.again || *max != Some(1);
                let groups = self.walk(body, Around { again, ..around })?;
                // ECMAScript undoes a round that matched nothing; an engine that does not has other
                // captures then.
                Ok(aged(groups, body.may_be_empty() || (around.again && *min == 0)))
            }
            Node::Look { behind: true, negated, body } => {
                let inside: Vec<Group> = body.groups().into_iter().map(|group| (group, true)).collect();
                self.known.extend(inside.iter().copied());
                self.walk(body, Around { behind: true, ..around })?;
                self.forget(&inside);
                Ok(if *negated { Vec::new() } else { inside })
            }
            Node::Look { behind: false, negated, body } => {
                let groups = self.walk(body, around)?;
                Ok(if *negated { Vec::new() } else { groups })
            }
        }
    }

    fn forget(&mut self, groups: &[Group]) {
        for (group, _) in groups {
            self.known.remove(group);
        }
    }
}

/// The groups, stale from here on if so.
fn aged(groups: Vec<Group>, stale: bool) -> Vec<Group> {
    groups.into_iter().map(|(group, was)| (group, was || stale)).collect()
}
