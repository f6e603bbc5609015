//! Back-references for an engine that keeps captures.
//!
//! ECMAScript forgets a group whenever the repetition around it starts over, and a reference to a group that took no part
//! matches the empty text. `fancy-regex` keeps the old capture. So each reference is settled here, before anything is
//! written: its group never took part, and the reference becomes empty; or a capture of the group is never stale, and it
//! stays. A tree with any other reference is [`Reason::BackReference`].

use std::collections::{BTreeMap, BTreeSet};

use super::super::Reason;
use super::parse::Node;

/// How a group stands where a reference is reached. A group that is not known there took no part.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    /// Set in this very round of every repetition around it.
    Set,
    /// Set like that, or never touched.
    Open,
    /// Perhaps set for an engine that keeps captures and not for ECMAScript.
    Stale,
}

type Known = BTreeMap<u32, Standing>;

/// Settles every reference in the tree. Returns the groups that are still referred to.
pub(super) fn settle(root: &mut Node) -> Result<BTreeSet<u32>, Reason> {
    let mut groups = BTreeSet::new();
    walk(root, false, &mut Known::new(), &mut groups)?;
    Ok(groups)
}

/// `again`: a repetition around the node may start over. `known` gains the groups of the node.
fn walk(node: &mut Node, again: bool, known: &mut Known, referred: &mut BTreeSet<u32>) -> Result<(), Reason> {
    match node {
        Node::Empty | Node::Unit(_) | Node::Set(_) | Node::Start { .. } | Node::End { .. } | Node::Boundary { .. } => {}
        Node::Back { groups, ignore_case } => {
            groups.retain(|group| known.contains_key(group));
            match groups.as_slice() {
                [] => *node = Node::Empty,
                [group] if !*ignore_case && known.get(group) != Some(&Standing::Stale) => {
                    referred.insert(*group);
                }
                _ => return Err(Reason::BackReference),
            }
        }
        Node::Capture { group, body } => {
            walk(body, again, known, referred)?;
            // Known already inside a look-behind, as stale.
            known.entry(*group).or_insert(Standing::Set);
        }
        Node::Sequence(nodes) => nodes.iter_mut().try_for_each(|node| walk(node, again, known, referred))?,
        Node::Choice(nodes) => {
            let before = known.clone();
            for node in nodes {
                let mut own = before.clone();
                walk(node, again, &mut own, referred)?;
                gain(known, own, |standing| optional(standing, again));
            }
        }
        Node::Repeat { max: Some(0), .. } => {}
        Node::Repeat { body, min, max, .. } => {
            let mut own = known.clone();
            walk(body, again || *max != Some(1), &mut own, referred)?;
            // ECMAScript undoes a round that matched nothing, an engine that does not is left with other captures.
            let undone = may_be_empty(body);
            gain(known, own, |standing| match standing {
                _ if undone => Standing::Stale,
                _ if *min > 0 => standing,
                _ => optional(standing, again),
            });
        }
        Node::Look { behind, negated, body } => {
            let mut own = known.clone();
            if *behind {
                // Matched from its end to its start: other captures, set in another order.
                own.extend(groups_in(body).into_iter().map(|group| (group, Standing::Stale)));
            }
            walk(body, again, &mut own, referred)?;
            if !*negated {
                gain(known, own, |standing| if *behind { Standing::Stale } else { standing });
            }
        }
    }
    Ok(())
}

/// The group once more, where it might have been passed by.
fn optional(standing: Standing, again: bool) -> Standing {
    match standing {
        Standing::Stale => Standing::Stale,
        // The next round may pass by it and find the capture of this one.
        _ if again => Standing::Stale,
        _ => Standing::Open,
    }
}

/// Adds what `own` knows beyond `known`, as seen from outside.
fn gain(known: &mut Known, own: Known, seen: impl Fn(Standing) -> Standing) {
    for (group, standing) in own {
        known.entry(group).or_insert_with(|| seen(standing));
    }
}

fn groups_in(node: &Node) -> Vec<u32> {
    match node {
        Node::Capture { group, body } => [*group].into_iter().chain(groups_in(body)).collect(),
        Node::Look { body, .. } | Node::Repeat { body, .. } => groups_in(body),
        Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter().flat_map(groups_in).collect(),
        _ => Vec::new(),
    }
}

fn may_be_empty(node: &Node) -> bool {
    match node {
        Node::Unit(_) | Node::Set(_) => false,
        Node::Empty
        | Node::Start { .. }
        | Node::End { .. }
        | Node::Boundary { .. }
        | Node::Back { .. }
        | Node::Look { .. } => true,
        Node::Capture { body, .. } => may_be_empty(body),
        Node::Repeat { body, min, .. } => *min == 0 || may_be_empty(body),
        Node::Sequence(nodes) => nodes.iter().all(may_be_empty),
        Node::Choice(nodes) => nodes.iter().any(may_be_empty),
    }
}
