//! UTF-16 code units: sets of them, their upper-case pairs, and how they are written for engines
//! that read UTF-8.
//!
//! JavaScript without the `u` flag matches code units, so `^.$` misses `😀` and `^..$` hits it.
//! Nothing here knows pattern syntax.
//!
//! The engines read Rust strings, which cannot hold half a surrogate pair. A text that holds a
//! character above U+FFFF is therefore spelled one character per code unit ([`spell_text`]), and a
//! surrogate in a pattern is spelled the same way ([`spell`]): the unit 0xD83D becomes U+10D83D.
//! Such a text holds no other character above U+FFFF, so nothing collides.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The first high surrogate.
const SURROGATES: u16 = 0xD800;
/// The last low surrogate.
const SURROGATES_END: u16 = 0xDFFF;
/// Added to a surrogate to make it a character.
const SPELLING: u32 = 0x10_0000;

/// The character that stands for one code unit.
pub(super) fn spell(unit: u16) -> char {
    // A unit that is no scalar value is a surrogate, and those moved by 0x100000 are scalar values.
    char::from_u32(u32::from(unit)).or_else(|| char::from_u32(SPELLING + u32::from(unit))).unwrap_or(char::MAX)
}

/// The text with one character per code unit; the text itself (nothing allocated) when it already
/// is that.
pub(super) fn spell_text(text: &str) -> Cow<'_, str> {
    // In UTF-8 the characters above U+FFFF are the ones that start with 0xF0 or more.
    if text.bytes().all(|byte| byte < 0xF0) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.encode_utf16().map(spell).collect())
    }
}

/// A set of code units: inclusive ranges, ascending and apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitSet {
    ranges: Vec<(u16, u16)>,
}

impl UnitSet {
    pub(super) fn new(ranges: impl Into<Vec<(u16, u16)>>) -> Self {
        let mut ranges = ranges.into();
        ranges.sort_unstable();
        ranges.dedup_by(|next, kept| {
            let touches = u32::from(next.0) <= u32::from(kept.1) + 1;
            if touches {
                kept.1 = kept.1.max(next.1);
            }
            touches
        });
        Self { ranges }
    }

    pub(super) fn everything() -> Self {
        Self::new([(0, u16::MAX)])
    }

    /// `\d`
    pub(super) fn digits() -> Self {
        Self::new([(0x30, 0x39)])
    }

    /// `\w`
    pub(super) fn word() -> Self {
        Self::new([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
    }

    /// `\s`: ECMAScript's `WhiteSpace` and `LineTerminator`.
    pub(super) fn space() -> Self {
        Self::new([
            (0x09, 0x0D),
            (0x20, 0x20),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
            (0xFEFF, 0xFEFF),
        ])
    }

    /// What `.` stops at, and what `^` and `$` look for under `(?m:…)`.
    pub(super) fn line_ends() -> Self {
        Self::new([(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])
    }

    pub(super) fn ranges(&self) -> &[(u16, u16)] {
        &self.ranges
    }

    pub(super) fn contains(&self, unit: u16) -> bool {
        let after = self.ranges.partition_point(|range| range.0 <= unit);
        after.checked_sub(1).and_then(|at| self.ranges.get(at)).is_some_and(|range| unit <= range.1)
    }

    pub(super) fn complement(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut from = Some(0_u16);
        for &(first, last) in &self.ranges {
            if let Some(start) = from
                && start < first
            {
                ranges.push((start, first - 1));
            }
            from = last.checked_add(1);
        }
        ranges.extend(from.map(|start| (start, u16::MAX)));
        Self { ranges }
    }
}

/// Which units are the same letter to ECMAScript's `Canonicalize` without the `u` flag: equal after
/// full upper-casing, unless that is more than one unit or takes a unit into ASCII.
#[derive(Debug)]
pub(super) struct Cases {
    families: Vec<Vec<u16>>,
    /// Which family a unit is in.
    index: BTreeMap<u16, usize>,
}

impl Cases {
    pub(super) fn new() -> Self {
        let mut families: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
        for (unit, upper) in (0..=u16::MAX).map(|unit| (unit, canonical(unit))).filter(|(unit, upper)| unit != upper) {
            families.entry(upper).or_insert_with(|| vec![upper]).push(unit);
        }
        let families: Vec<_> = families.into_values().collect();
        let members = families.iter().enumerate().flat_map(|(at, family)| family.iter().map(move |unit| (*unit, at)));
        Self { index: members.collect(), families }
    }

    /// The cases of one unit, itself included; `None` when it has no other.
    pub(super) fn of(&self, unit: u16) -> Option<UnitSet> {
        let family = self.families.get(*self.index.get(&unit)?)?;
        Some(UnitSet::new(family.iter().map(|unit| (*unit, *unit)).collect::<Vec<_>>()))
    }

    /// The set with every other case of its members.
    pub(super) fn close(&self, set: &UnitSet) -> UnitSet {
        let touched = self.families.iter().filter(|family| family.iter().any(|unit| set.contains(*unit)));
        let mut ranges = set.ranges.clone();
        ranges.extend(touched.flatten().map(|unit| (*unit, *unit)));
        UnitSet::new(ranges)
    }
}

fn canonical(unit: u16) -> u16 {
    let Some(letter) = char::from_u32(u32::from(unit)) else {
        return unit;
    };
    let mut upper = letter.to_uppercase();
    match (upper.next().map(u32::from).map(u16::try_from), upper.next()) {
        (Some(Ok(single)), None) if unit < 0x80 || single >= 0x80 => single,
        _ => unit,
    }
}

/// Writes one unit as a pattern of `regex` and `fancy-regex`.
pub(super) fn write_unit(unit: u16, out: &mut String) {
    write_char(spell(unit), out);
}

/// Writes a set as a class of `regex` and `fancy-regex`.
pub(super) fn write_set(set: &UnitSet, out: &mut String) {
    let holds_surrogates = set.ranges.iter().any(|range| range.0 <= SURROGATES && range.1 >= SURROGATES_END);
    let (open, ranges) = if set.ranges == [(0, u16::MAX)] {
        ("[", vec![('\0', char::MAX)])
    } else if set.ranges.is_empty() {
        ("[^", vec![('\0', char::MAX)])
    } else if holds_surrogates {
        // The complement is shorter and makes a smaller machine: what is above U+FFFF stands for a
        // surrogate or does not occur in a text.
        ("[^", joined(spelled(&set.complement())))
    } else {
        ("[", spelled(set))
    };
    out.push_str(open);
    for (first, last) in ranges {
        write_char(first, out);
        if first < last {
            out.push('-');
            write_char(last, out);
        }
    }
    out.push(']');
}

/// The ranges, cut where surrogates begin and end: those are spelled elsewhere.
fn spelled(set: &UnitSet) -> Vec<(char, char)> {
    let mut ranges = Vec::with_capacity(set.ranges.len());
    for &(first, last) in &set.ranges {
        for (low, high) in [(0, SURROGATES - 1), (SURROGATES, SURROGATES_END), (SURROGATES_END + 1, u16::MAX)] {
            let (first, last) = (first.max(low), last.min(high));
            if first <= last {
                ranges.push((spell(first), spell(last)));
            }
        }
    }
    ranges
}

/// The ranges with U+D7FF and U+E000 side by side, as they are without surrogates. `regex-syntax`
/// 0.8.12 does not see that and negates `[^\x{0}-\x{D7FF}\x{E000}-\x{FFFF}]` into a class that
/// holds both.
fn joined(mut ranges: Vec<(char, char)>) -> Vec<(char, char)> {
    ranges.dedup_by(|next, kept| {
        let neighbours = kept.1 == '\u{D7FF}' && next.0 == '\u{E000}';
        if neighbours {
            kept.1 = next.1;
        }
        neighbours
    });
    ranges
}

fn write_char(letter: char, out: &mut String) {
    if letter.is_ascii_alphanumeric() || letter == '_' {
        out.push(letter);
    } else {
        // Writing to a `String` does not fail.
        let _ = write!(out, "\\x{{{:X}}}", u32::from(letter));
    }
}
