//! A tree written as a pattern of `regex` or `fancy-regex`. What the tree means is settled before;
//! here it only gets its spelling.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::tree::Node;
use super::units::{write_set, write_unit};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form<'r> {
    /// For `regex`; the tree needs no backtracking.
    Exact,
    /// For `regex`; without look-around and with anything for a back-reference, so that it hits
    /// wherever the tree does.
    Sieve,
    /// For `fancy-regex`, with the groups that are referred to.
    Backtracking(&'r BTreeSet<u32>),
}

/// Whether `regex` has no words for some of the tree.
pub(super) fn needs_backtracking(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Unit(_) | Node::Set(_) | Node::Boundary { .. } => false,
        Node::Back { .. } | Node::Look { .. } => true,
        // The line ends of `regex` are others.
        Node::Start { lines } | Node::End { lines } => *lines,
        Node::Capture { body, .. } | Node::Repeat { body, .. } => needs_backtracking(body),
        Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter().any(needs_backtracking),
    }
}

pub(super) fn write(root: &Node, form: Form<'_>) -> String {
    let mut writer = Writer { out: String::new(), form, numbers: BTreeMap::new() };
    writer.node(root, Place::Choice);
    writer.out
}

/// `^` and `$` under `(?m:…)`: ECMAScript knows four line ends.
const LINE_START: &str = r"(?:\A|(?<=[\n\r\x{2028}\x{2029}]))";
const LINE_END: &str = r"(?:\z|(?=[\n\r\x{2028}\x{2029}]))";
/// `\b` and `\B` of ASCII, which `fancy-regex` has not.
const BOUNDARY: &str = "(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))";
const NO_BOUNDARY: &str = "(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))";

/// Where a node stands, loosest first: what binds looser than its place goes into `(?:…)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Choice,
    Sequence,
    Repeat,
}

struct Writer<'r> {
    out: String,
    form: Form<'r>,
    /// The numbers of the groups written so far: only those that are referred to capture.
    numbers: BTreeMap<u32, usize>,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node, place: Place) {
        let backtracking = matches!(self.form, Form::Backtracking(_));
        match node {
            Node::Unit(unit) => write_unit(*unit, &mut self.out),
            Node::Set(set) => write_set(set, &mut self.out),
            Node::Start { lines: false } => self.out.push_str(r"\A"),
            Node::End { lines: false } => self.out.push_str(r"\z"),
            Node::Start { .. } if backtracking => self.out.push_str(LINE_START),
            Node::End { .. } if backtracking => self.out.push_str(LINE_END),
            Node::Boundary { negated: false } if backtracking => self.out.push_str(BOUNDARY),
            Node::Boundary { negated: true } if backtracking => self.out.push_str(NO_BOUNDARY),
            Node::Boundary { negated: false } => self.out.push_str(r"(?-u:\b)"),
            Node::Boundary { negated: true } => self.out.push_str(r"(?-u:\B)"),
            Node::Capture { group, body } if self.captures(*group) => {
                self.wrapped("(", |writer| writer.node(body, Place::Choice));
            }
            Node::Capture { body, .. } => self.node(body, place),
            Node::Back { groups, .. } if backtracking => self.reference(groups),
            Node::Look { behind, negated, body } if backtracking => {
                let open = match (behind, negated) {
                    (false, false) => "(?=",
                    (false, true) => "(?!",
                    (true, false) => "(?<=",
                    (true, true) => "(?<!",
                };
                self.wrapped(open, |writer| writer.node(body, Place::Choice));
            }
            Node::Back { .. } => self.out.push_str(r"(?:[\x{0}-\x{10FFFF}]*)"),
            // Nothing, and in a sieve what only narrows.
            Node::Empty | Node::Look { .. } | Node::Start { .. } | Node::End { .. } => {}
            Node::Repeat { body, min, max, greedy } => self.repeat(body, (*min, *max, *greedy), place),
            Node::Sequence(nodes) => self.placed(place > Place::Sequence, |writer| {
                for node in nodes {
                    writer.node(node, Place::Sequence);
                }
            }),
            Node::Choice(nodes) => self.placed(place > Place::Choice, |writer| {
                for (at, node) in nodes.iter().enumerate() {
                    if at > 0 {
                        writer.out.push('|');
                    }
                    writer.node(node, Place::Sequence);
                }
            }),
        }
    }

    /// Whether the group that opens here captures.
    fn captures(&mut self, group: u32) -> bool {
        let captures = matches!(self.form, Form::Backtracking(referred) if referred.contains(&group));
        if captures {
            self.numbers.insert(group, self.numbers.len() + 1);
        }
        captures
    }

    fn repeat(&mut self, body: &Node, (min, max, greedy): (u32, Option<u32>, bool), place: Place) {
        if max == Some(0) {
            return;
        }
        if body.is_empty() {
            // Once or more is once, and an optional round that matches nothing is undone.
            if min > 0 {
                self.node(body, place);
            }
            return;
        }
        let counts = match (min, max) {
            (0, None) => "*".to_owned(),
            (1, None) => "+".to_owned(),
            (0, Some(1)) => "?".to_owned(),
            (min, None) => format!("{{{min},}}"),
            (min, Some(max)) => format!("{{{min},{max}}}"),
        };
        self.placed(place == Place::Repeat, |writer| {
            writer.node(body, Place::Repeat);
            writer.out.push_str(&counts);
            if !greedy {
                writer.out.push('?');
            }
        });
    }

    /// A reference that matches nothing when its group is not set.
    fn reference(&mut self, groups: &[u32]) {
        for number in groups.iter().filter_map(|group| self.numbers.get(group)) {
            // Writing to a `String` does not fail.
            let _ = write!(self.out, r"(?({number})\{number}|)");
        }
    }

    fn placed(&mut self, wrap: bool, inside: impl FnOnce(&mut Self)) {
        if wrap {
            self.wrapped("(?:", inside);
        } else {
            inside(self);
        }
    }

    fn wrapped(&mut self, open: &str, inside: impl FnOnce(&mut Self)) {
        self.out.push_str(open);
        inside(self);
        self.out.push(')');
    }
}
