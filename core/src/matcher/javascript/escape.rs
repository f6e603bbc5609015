//! ECMAScript pattern syntax: what a `\` and a `[` start. The rest of the grammar is in `parse`.

use super::parse::{Parser, Read, wrong};
use super::tree::Node;
use super::units::UnitSet;

const NOTHING_ESCAPED: &str = r"a `\` at the very end escapes nothing";

/// What stands for one code unit.
enum Atom {
    Unit(u16),
    Set(UnitSet),
}

impl Atom {
    fn ascii(byte: u8) -> Self {
        Self::Unit(u16::from(byte))
    }

    fn add_to(&self, ranges: &mut Vec<(u16, u16)>) {
        match self {
            Self::Unit(unit) => ranges.push((*unit, *unit)),
            Self::Set(set) => ranges.extend_from_slice(set.ranges()),
        }
    }
}

impl Parser {
    /// What follows the `\` at `start`, outside a class.
    pub(super) fn escape(&mut self, start: usize) -> Read<Node> {
        let ignore_case = self.modifiers.ignore_case;
        if !self.names.is_empty() && self.input.eat("k") {
            if !self.input.starts_with("<") {
                return wrong(start, r"`\k` needs a group name here, as in `\k<name>`");
            }
            let name = self.name()?;
            return match self.names.get(&name) {
                Some(groups) => Ok(Node::Back { groups: groups.clone(), ignore_case }),
                None => wrong(start, format!("no group is called `{name}`")),
            };
        }
        if self.input.peek().is_some_and(|c| matches!(c, '1'..='9')) {
            let from = self.input.at;
            if let Some(group) = self.input.number().filter(|group| *group <= self.all_groups) {
                return Ok(Node::Back { groups: vec![group], ignore_case });
            }
            self.input.at = from;
        }
        Ok(match self.character_escape(start)? {
            Atom::Unit(unit) => self.unit(unit),
            Atom::Set(set) => Node::Set(self.closed(set)),
        })
    }

    /// What the `\` at `start` means in a class and, unless it is a reference or an assertion,
    /// outside.
    fn character_escape(&mut self, start: usize) -> Read<Atom> {
        let Some(c) = self.input.peek() else {
            return wrong(start, NOTHING_ESCAPED);
        };
        match c {
            'c' if !self.input.peek_at(1).is_some_and(|c| c.is_ascii_alphabetic()) => {
                // The `\` stands for itself and the `c` comes next.
                return Ok(Atom::ascii(b'\\'));
            }
            '0'..='7' => return Ok(Atom::Unit(self.input.octal())),
            _ => {}
        }
        let Some(itself) = self.input.bump() else {
            return wrong(start, NOTHING_ESCAPED);
        };
        Ok(match c {
            'd' => Atom::Set(UnitSet::digits()),
            'D' => Atom::Set(UnitSet::digits().complement()),
            'w' => Atom::Set(UnitSet::word()),
            'W' => Atom::Set(UnitSet::word().complement()),
            's' => Atom::Set(UnitSet::space()),
            'S' => Atom::Set(UnitSet::space().complement()),
            't' => Atom::ascii(b'\t'),
            'n' => Atom::ascii(b'\n'),
            'v' => Atom::ascii(0x0B),
            'f' => Atom::ascii(0x0C),
            'r' => Atom::ascii(b'\r'),
            'c' => Atom::Unit(self.input.bump().unwrap_or_default() % 32),
            'x' => Atom::Unit(self.input.hex(2).unwrap_or(itself)),
            'u' => Atom::Unit(self.unit_escape(start).unwrap_or(itself)),
            _ => Atom::Unit(itself),
        })
    }

    /// The digits of the `\u` at `start`.
    fn unit_escape(&mut self, start: usize) -> Option<u16> {
        let unit = self.input.hex(4);
        match unit {
            None => self.respell(start, [u32::from('u')]),
            Some(half @ 0xD800..=0xDFFF) => self.respell(start, [u32::from(half)]),
            Some(_) => {}
        }
        unit
    }

    /// The class that opened at `start`.
    pub(super) fn class(&mut self, start: usize) -> Read<Node> {
        let negated = self.input.eat("^");
        let mut ranges = Vec::new();
        while !self.input.eat("]") {
            self.class_member(start, &mut ranges)?;
        }
        let set = self.closed(UnitSet::new(ranges));
        Ok(Node::Set(if negated { set.complement() } else { set }))
    }

    /// One atom, or two with a `-` between them.
    fn class_member(&mut self, start: usize, ranges: &mut Vec<(u16, u16)>) -> Read<()> {
        let from = self.input.at;
        let first = self.class_atom(start)?;
        if !self.input.starts_with("-") || self.input.peek_at(1) == Some(']') {
            first.add_to(ranges);
            return Ok(());
        }
        self.input.at += 1;
        match (first, self.class_atom(start)?) {
            (Atom::Unit(first), Atom::Unit(last)) if first <= last => ranges.push((first, last)),
            (Atom::Unit(_), Atom::Unit(_)) => {
                let range = self.input.text_from(from);
                return wrong(
                    from,
                    format!("the range `{range}` runs backwards; a literal `-` goes last, before the `]`"),
                );
            }
            (first, second) => {
                // `[\w-.]` is no range but the three on their own.
                for atom in [first, Atom::ascii(b'-'), second] {
                    atom.add_to(ranges);
                }
            }
        }
        Ok(())
    }

    /// One unit or escape of the class that opened at `start`.
    fn class_atom(&mut self, start: usize) -> Read<Atom> {
        let at = self.input.at;
        let Some(unit) = self.input.bump() else {
            return wrong(start, r"this `[` is never closed; a literal one is written `\[`");
        };
        if unit != u16::from(b'\\') {
            return Ok(Atom::Unit(unit));
        }
        match (self.input.peek(), self.input.peek_at(1)) {
            (Some('b'), _) => {
                self.input.at += 1;
                Ok(Atom::ascii(0x08))
            }
            (Some('k'), _) if !self.names.is_empty() => {
                wrong(at, r"`\k` means nothing in a class where a group has a name; write `k`")
            }
            (Some('c'), Some('0'..='9' | '_')) => {
                self.input.at += 1;
                Ok(Atom::Unit(self.input.bump().unwrap_or_default() % 32))
            }
            _ => self.character_escape(at),
        }
    }
}
