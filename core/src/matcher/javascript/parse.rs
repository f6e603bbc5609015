//! ECMAScript pattern syntax, read into a tree. No engine and no matching here.
//!
//! The grammar is the one of `new RegExp(text)` without flags: ECMA-262 (2025) with Annex B.1.2, over UTF-16 code units. So
//! `{` may be literal, `\1` may be octal, `\u{61}` is `u` sixty-one times, and `(?i:…)` and a name used in two alternatives
//! are valid. A look-behind takes no quantifier, a look-ahead does.

use std::borrow::Cow;
use std::collections::btree_map::{BTreeMap, Entry};

use super::units::{Cases, UnitSet};

/// How deep groups may nest, the pattern itself included. JavaScript's own limit is its stack; the engines stop at 64 and
/// at 250, counting more than groups.
const MAX_DEPTH: u32 = 32;
/// A number of times as good as any number; V8 counts as far.
const INFINITE: u32 = i32::MAX as u32;

const NAME_RULE: &str = "a group name is letters, digits, `_` and `$`, no digit first, between `<` and `>`";

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Empty,
    Unit(u16),
    Set(UnitSet),
    /// `^`; `lines` under `(?m:…)`.
    Start {
        lines: bool,
    },
    /// `$`; `lines` under `(?m:…)`.
    End {
        lines: bool,
    },
    /// `\b`, or `\B` when negated.
    Boundary {
        negated: bool,
    },
    Capture {
        group: u32,
        body: Box<Node>,
    },
    /// The text of the one of these groups that took part; several when they share a name.
    Back {
        groups: Vec<u32>,
        ignore_case: bool,
    },
    Look {
        behind: bool,
        negated: bool,
        body: Box<Node>,
    },
    /// `max` is `None` for any number of times.
    Repeat {
        body: Box<Node>,
        min: u32,
        max: Option<u32>,
        greedy: bool,
    },
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
}

/// What was read.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Node,
    /// The pattern respelled for the referee, see [`Parser::respell`].
    pub(super) plain: Vec<u32>,
    /// Where the first group name stands that is not plain ASCII: the referee has the tables for those.
    pub(super) foreign_name: Option<usize>,
}

impl Parsed {
    /// The referee does not accept what we do.
    pub(super) fn refused(self, problem: String) -> Stop {
        match self.foreign_name {
            Some(at) => Stop::Syntax { at, problem: NAME_RULE.into() },
            None => Stop::Syntax { at: 0, problem: problem.into() },
        }
    }
}

/// Why nothing was read.
#[derive(Debug)]
pub(super) enum Stop {
    /// Not in the grammar: what is wrong, and at which code unit.
    Syntax { at: usize, problem: Cow<'static, str> },
    /// Deeper than [`MAX_DEPTH`].
    TooDeep,
}

type Read<T> = Result<T, Stop>;
/// Group names with where they stand.
type Names = BTreeMap<String, usize>;

fn wrong<T>(at: usize, problem: impl Into<Cow<'static, str>>) -> Read<T> {
    Err(Stop::Syntax { at, problem: problem.into() })
}

pub(super) fn parse(text: &str) -> Read<Parsed> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut parser = Parser::new(&units);
    parser.survey();
    let root = parser.disjunction()?.0;
    if parser.peek().is_some() {
        // Only `)` ends a disjunction early.
        return wrong(parser.at, "this `)` closes nothing; a literal one is written `\\)`");
    }
    parser.respell(units.len(), []);
    Ok(Parsed { root, plain: parser.plain, foreign_name: parser.foreign_name })
}

/// What `(?ims-ims:…)` switches.
#[derive(Clone, Copy, Default)]
struct Modifiers {
    ignore_case: bool,
    lines: bool,
    dot_all: bool,
}

struct Parser<'p> {
    units: &'p [u16],
    at: usize,
    depth: u32,
    modifiers: Modifiers,
    /// Groups opened so far, and in the whole pattern.
    groups: u32,
    all_groups: u32,
    /// Every name in the whole pattern with its groups.
    names: BTreeMap<String, Vec<u32>>,
    foreign_name: Option<usize>,
    cases: Option<Cases>,
    plain: Vec<u32>,
    /// Up to where `plain` is written.
    respelled: usize,
}

/// One member of a class.
enum Atom {
    Unit(u16),
    Set(UnitSet),
}

fn ascii(unit: u16) -> Option<char> {
    u8::try_from(unit).ok().filter(u8::is_ascii).map(char::from)
}

fn is_digit(unit: u16) -> bool {
    ascii(unit).is_some_and(|c| c.is_ascii_digit())
}

impl<'p> Parser<'p> {
    fn new(units: &'p [u16]) -> Self {
        Self {
            units,
            at: 0,
            depth: 0,
            modifiers: Modifiers::default(),
            groups: 0,
            all_groups: 0,
            names: BTreeMap::new(),
            foreign_name: None,
            cases: None,
            plain: Vec::with_capacity(units.len()),
            respelled: 0,
        }
    }

    fn peek(&self) -> Option<u16> {
        self.units.get(self.at).copied()
    }

    /// The next unit as ASCII; what is not ASCII is never syntax and comes as U+FFFD.
    fn look(&self) -> Option<char> {
        self.peek().map(|unit| ascii(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn bump(&mut self) -> Option<u16> {
        let unit = self.peek()?;
        self.at += 1;
        Some(unit)
    }

    fn starts_with(&self, text: &str) -> bool {
        let rest = self.units.get(self.at..).unwrap_or_default();
        rest.len() >= text.len() && text.bytes().zip(rest).all(|(byte, unit)| u16::from(byte) == *unit)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Copies the pattern for the referee up to `from`, then `instead` for what was read since.
    ///
    /// The referee is `regress`, which reads some spellings unlike ECMAScript; each is replaced by one it reads alike.
    fn respell(&mut self, from: usize, instead: impl IntoIterator<Item = u32>) {
        let copied = self.units.get(self.respelled..from).unwrap_or_default();
        self.plain.extend(copied.iter().map(|unit| u32::from(*unit)));
        self.plain.extend(instead);
        self.respelled = self.at;
    }

    /// Counts the groups and collects their names before the first back-reference is read: `\1` is a reference only if
    /// there is a group 1, `\k` only if there is a name.
    fn survey(&mut self) {
        let mut in_class = false;
        while let Some(c) = self.look() {
            self.at += 1;
            match c {
                '\\' => self.at += 1,
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => {
                    let named = self.starts_with("?<") && !self.starts_with("?<=") && !self.starts_with("?<!");
                    if named || !self.starts_with("?") {
                        self.all_groups += 1;
                    }
                    if named {
                        self.at += 1;
                        // A bad name is reported when it is read for good.
                        if let Ok(name) = self.group_name() {
                            self.names.entry(name).or_default().push(self.all_groups);
                        }
                    }
                }
                _ => {}
            }
        }
        self.at = 0;
        self.foreign_name = None;
    }

    /// Alternatives between `|`, with the group names inside.
    fn disjunction(&mut self) -> Read<(Node, Names)> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Stop::TooDeep);
        }
        let (first, mut names) = self.alternative()?;
        let mut choices = vec![first];
        while self.eat("|") {
            // A name may come again here: only one alternative takes part.
            let (choice, own) = self.alternative()?;
            choices.push(choice);
            names.extend(own);
        }
        self.depth -= 1;
        Ok((if choices.len() == 1 { choices.swap_remove(0) } else { Node::Choice(choices) }, names))
    }

    fn alternative(&mut self) -> Read<(Node, Names)> {
        let mut names = Names::new();
        let mut terms = Vec::new();
        while let Some(c) = self.look().filter(|c| !matches!(c, '|' | ')')) {
            terms.push(if c == '(' { self.group(&mut names)? } else { self.term(c)? });
        }
        let node = match terms.len() {
            0 => Node::Empty,
            1 => terms.swap_remove(0),
            _ => Node::Sequence(terms),
        };
        Ok((node, names))
    }

    /// Anything but a group, with its quantifier. `c` is next.
    fn term(&mut self, c: char) -> Read<Node> {
        let start = self.at;
        self.at += 1;
        let node = match c {
            '^' => {
                return self.unquantified(Node::Start { lines: self.modifiers.lines });
            }
            '$' => {
                return self.unquantified(Node::End { lines: self.modifiers.lines });
            }
            '\\' if self.eat("b") => return self.unquantified(Node::Boundary { negated: false }),
            '\\' if self.eat("B") => return self.unquantified(Node::Boundary { negated: true }),
            '\\' => self.escape(start)?,
            '.' if self.modifiers.dot_all => Node::Set(UnitSet::everything()),
            '.' => Node::Set(UnitSet::line_ends().complement()),
            '[' => self.class(start)?,
            '*' | '+' | '?' => return nothing_to_repeat(start, &c.to_string()),
            '{' => {
                self.at = start;
                if self.braces()?.is_some() {
                    return nothing_to_repeat(start, "{…}");
                }
                self.at = start;
                self.literal()
            }
            _ => {
                self.at = start;
                self.literal()
            }
        };
        self.quantified(node)
    }

    /// The next unit as itself.
    fn literal(&mut self) -> Node {
        self.bump().map_or(Node::Empty, |unit| self.unit(unit))
    }

    fn unit(&mut self, unit: u16) -> Node {
        self.cases().and_then(|cases| cases.of(unit)).map_or(Node::Unit(unit), Node::Set)
    }

    /// The set as the modifiers see it.
    fn closed(&mut self, set: UnitSet) -> UnitSet {
        self.cases().map(|cases| cases.close(&set)).unwrap_or(set)
    }

    /// The cases of letters, where the modifiers ignore them.
    fn cases(&mut self) -> Option<&Cases> {
        self.modifiers.ignore_case.then(|| &*self.cases.get_or_insert_with(Cases::new))
    }

    /// `(…)` of any kind, with its quantifier.
    fn group(&mut self, names: &mut Names) -> Read<Node> {
        let start = self.at;
        self.at += 1;
        if self.eat("?<=") || self.eat("?<!") {
            let negated = self.units.get(self.at - 1) == Some(&u16::from(b'!'));
            let body = Box::new(self.group_body(start, names)?);
            return self.unquantified(Node::Look { behind: true, negated, body });
        }
        let node = if self.eat("?=") || self.eat("?!") {
            let negated = self.units.get(self.at - 1) == Some(&u16::from(b'!'));
            Node::Look { behind: false, negated, body: Box::new(self.group_body(start, names)?) }
        } else if self.eat("?:") {
            self.group_body(start, names)?
        } else if self.starts_with("?<") {
            self.at += 1;
            let at = self.at;
            let name = self.name()?;
            add_name(names, name, at)?;
            self.capture(start, names)?
        } else if self.starts_with("?") {
            let outer = self.modifiers;
            self.modifiers = self.modifier_flags(start)?;
            self.respell(start, "(?:".bytes().map(u32::from));
            let body = self.group_body(start, names)?;
            self.modifiers = outer;
            body
        } else {
            self.capture(start, names)?
        };
        self.quantified(node)
    }

    fn capture(&mut self, start: usize, names: &mut Names) -> Read<Node> {
        self.groups += 1;
        let group = self.groups;
        Ok(Node::Capture { group, body: Box::new(self.group_body(start, names)?) })
    }

    /// The rest of the group that opened at `start`.
    fn group_body(&mut self, start: usize, names: &mut Names) -> Read<Node> {
        let (body, inner) = self.disjunction()?;
        if !self.eat(")") {
            return wrong(start, "this `(` is never closed; a literal one is written `\\(`");
        }
        for (name, at) in inner {
            add_name(names, name, at)?;
        }
        Ok(body)
    }

    /// `?i-s:` after the `(` at `start`.
    fn modifier_flags(&mut self, start: usize) -> Read<Modifiers> {
        let mut modifiers = self.modifiers;
        let mut seen = String::new();
        let mut on = true;
        self.at += 1;
        loop {
            match self.look() {
                Some(flag @ ('i' | 'm' | 's')) if !seen.contains(flag) => {
                    seen.push(flag);
                    *match flag {
                        'i' => &mut modifiers.ignore_case,
                        'm' => &mut modifiers.lines,
                        _ => &mut modifiers.dot_all,
                    } = on;
                }
                Some('-') if on => on = false,
                Some(':') if !seen.is_empty() => {
                    self.at += 1;
                    return Ok(modifiers);
                }
                Some(')') if seen == "i" && on => {
                    return wrong(start, "JavaScript has no `(?i)`; spell both cases, as in `[Bb]ash`");
                }
                _ => {
                    return wrong(
                        start,
                        "JavaScript has no group that starts like this; a literal `(` is written `\\(`",
                    );
                }
            }
            self.at += 1;
        }
    }

    /// `<name>`, here at the `<`.
    fn group_name(&mut self) -> Read<String> {
        let start = self.at;
        let bad = || wrong(start, NAME_RULE);
        if !self.eat("<") {
            return bad();
        }
        let mut name = String::new();
        let mut foreign = false;
        while !self.eat(">") {
            let Some(letter) = self.name_letter() else {
                return bad();
            };
            let fits = !letter.is_ascii() || letter.is_ascii_alphabetic() || matches!(letter, '$' | '_');
            if !fits && (name.is_empty() || !letter.is_ascii_digit()) {
                return bad();
            }
            foreign |= !letter.is_ascii();
            name.push(letter);
        }
        if name.is_empty() {
            return bad();
        }
        if foreign {
            self.foreign_name.get_or_insert(start);
        }
        Ok(name)
    }

    /// One character of a group name, which may be a surrogate pair or an escape.
    fn name_letter(&mut self) -> Option<char> {
        let mut unit = || {
            let escaped = self.eat("\\u");
            if escaped && self.eat("{") {
                let mut code = 0_u32;
                while !self.eat("}") {
                    code = code.checked_mul(16)?.checked_add(self.hex_digit()?)?;
                }
                return Some(Err(char::from_u32(code)?));
            }
            Some(Ok(if escaped { self.hex(4)? } else { self.bump().filter(|unit| *unit != u16::from(b'\\'))? }))
        };
        let first = match unit()? {
            Err(letter) => return Some(letter),
            Ok(first) => first,
        };
        if let Some(letter) = char::from_u32(u32::from(first)) {
            return Some(letter);
        }
        let Ok(second) = unit()? else { return None };
        char::decode_utf16([first, second]).next()?.ok()
    }

    /// `(?<name>` and `\k<name>`, here at the `<`.
    fn name(&mut self) -> Read<String> {
        let start = self.at;
        let name = self.group_name()?;
        if !name.is_ascii() {
            let letters = name.chars().flat_map(|letter| {
                let code = u32::from(letter);
                let escaped = if code > 0xFFFF { format!("\\u{{{code:X}}}") } else { letter.to_string() };
                escaped.chars().map(u32::from).collect::<Vec<_>>()
            });
            let spelled: Vec<u32> = [u32::from('<')].into_iter().chain(letters).chain([u32::from('>')]).collect();
            self.respell(start, spelled);
        }
        Ok(name)
    }

    /// After an assertion that takes no quantifier.
    fn unquantified(&mut self, node: Node) -> Read<Node> {
        let at = self.at;
        match self.quantifier()? {
            Some(_) => {
                nothing_to_repeat(at, &String::from_utf16_lossy(self.units.get(at..self.at).unwrap_or_default()))
            }
            None => Ok(node),
        }
    }

    fn quantified(&mut self, node: Node) -> Read<Node> {
        let Some((min, max)) = self.quantifier()? else {
            return Ok(node);
        };
        let greedy = !self.eat("?");
        Ok(Node::Repeat { body: Box::new(node), min, max, greedy })
    }

    fn quantifier(&mut self) -> Read<Option<(u32, Option<u32>)>> {
        let bounds = match self.look() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.braces(),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(bounds))
    }

    /// `{n}`, `{n,}` or `{n,m}`; any other brace is a literal one and stays.
    fn braces(&mut self) -> Read<Option<(u32, Option<u32>)>> {
        let start = self.at;
        self.at += 1;
        let min = self.number();
        let max = if self.eat(",") { self.number().unwrap_or(INFINITE) } else { min.unwrap_or(INFINITE) };
        let (Some(min), true) = (min, self.eat("}")) else {
            self.at = start;
            return Ok(None);
        };
        if max < min {
            return wrong(start, format!("from {min} to {max} times runs backwards"));
        }
        Ok(Some((min, Some(max).filter(|max| *max != INFINITE))))
    }

    /// Decimal digits; beyond [`INFINITE`] they mean that.
    fn number(&mut self) -> Option<u32> {
        let mut number = None;
        while let Some(digit) = self.look().and_then(|c| c.to_digit(10)) {
            number = Some(number.unwrap_or(0_u32).saturating_mul(10).saturating_add(digit).min(INFINITE));
            self.at += 1;
        }
        number
    }

    /// What follows a `\` outside a class.
    fn escape(&mut self, start: usize) -> Read<Node> {
        let ignore_case = self.modifiers.ignore_case;
        if self.starts_with("k") && !self.names.is_empty() {
            self.at += 1;
            if !self.starts_with("<") {
                return wrong(start, "`\\k` needs a group name here, as in `\\k<name>`");
            }
            let name = self.name()?;
            let Some(groups) = self.names.get(&name) else {
                return wrong(start, format!("no group is called `{name}`"));
            };
            return Ok(Node::Back { groups: groups.clone(), ignore_case });
        }
        if self.look().is_some_and(|c| matches!(c, '1'..='9')) {
            let from = self.at;
            if let Some(group) = self.number().filter(|group| *group <= self.all_groups) {
                return Ok(Node::Back { groups: vec![group], ignore_case });
            }
            self.at = from;
        }
        Ok(match self.character_escape(start)? {
            Atom::Unit(unit) => self.unit(unit),
            Atom::Set(set) => Node::Set(self.closed(set)),
        })
    }

    /// What `\` means in a class and, unless it is a reference or an assertion, outside.
    fn character_escape(&mut self, start: usize) -> Read<Atom> {
        let Some(c) = self.look() else {
            return wrong(start, "a `\\` at the very end escapes nothing");
        };
        if c == 'c' && !self.units.get(self.at + 1).copied().and_then(ascii).is_some_and(|c| c.is_ascii_alphabetic()) {
            // A `\` that stands for itself; the `c` comes next.
            return Ok(Atom::Unit(u16::from(b'\\')));
        }
        let from = self.at;
        let Some(itself) = self.bump() else {
            return wrong(start, "a `\\` at the very end escapes nothing");
        };
        Ok(match c {
            'd' => Atom::Set(UnitSet::digits()),
            'D' => Atom::Set(UnitSet::digits().complement()),
            'w' => Atom::Set(UnitSet::word()),
            'W' => Atom::Set(UnitSet::word().complement()),
            's' => Atom::Set(UnitSet::space()),
            'S' => Atom::Set(UnitSet::space().complement()),
            't' => Atom::Unit(0x09),
            'n' => Atom::Unit(0x0A),
            'v' => Atom::Unit(0x0B),
            'f' => Atom::Unit(0x0C),
            'r' => Atom::Unit(0x0D),
            'c' => Atom::Unit(self.bump().unwrap_or_default() % 32),
            'x' => Atom::Unit(self.hex(2).unwrap_or(itself)),
            'u' => {
                let unit = self.hex(4);
                match unit {
                    None => self.respell(start, [u32::from('u')]),
                    Some(half @ 0xD800..=0xDFFF) => self.respell(start, [u32::from(half)]),
                    Some(_) => {}
                }
                Atom::Unit(unit.unwrap_or(itself))
            }
            '0'..='7' => {
                self.at = from;
                Atom::Unit(self.octal())
            }
            _ => Atom::Unit(itself),
        })
    }

    /// One to three octal digits that stay below 256.
    fn octal(&mut self) -> u16 {
        let mut value = 0;
        for _ in 0..3 {
            let digit = self.look().and_then(|c| c.to_digit(8)).and_then(|digit| u16::try_from(digit).ok());
            let Some(longer) = digit.map(|digit| value * 8 + digit).filter(|longer| *longer < 256) else {
                break;
            };
            value = longer;
            self.at += 1;
        }
        value
    }

    /// Exactly `digits` hexadecimal digits; without them nothing is read.
    fn hex(&mut self, digits: usize) -> Option<u16> {
        let from = self.at;
        let mut value = 0_u16;
        for _ in 0..digits {
            let Some(digit) = self.hex_digit().and_then(|digit| u16::try_from(digit).ok()) else {
                self.at = from;
                return None;
            };
            value = value * 16 + digit;
        }
        Some(value)
    }

    fn hex_digit(&mut self) -> Option<u32> {
        let digit = self.look()?.to_digit(16)?;
        self.at += 1;
        Some(digit)
    }

    /// The class that opened at `start`.
    fn class(&mut self, start: usize) -> Read<Node> {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        while !self.eat("]") {
            let from = self.at;
            let first = self.class_atom(start)?;
            if !self.starts_with("-") || self.units.get(self.at + 1) == Some(&u16::from(b']')) {
                first.add_to(&mut ranges);
                continue;
            }
            self.at += 1;
            match (first, self.class_atom(start)?) {
                (Atom::Unit(first), Atom::Unit(last)) if first <= last => ranges.push((first, last)),
                (Atom::Unit(_), Atom::Unit(_)) => {
                    let range = String::from_utf16_lossy(self.units.get(from..self.at).unwrap_or_default());
                    return wrong(
                        from,
                        format!("the range `{range}` runs backwards; a literal `-` goes last, before the `]`"),
                    );
                }
                (first, second) => {
                    // `[\w-.]`: no range, the three on their own.
                    first.add_to(&mut ranges);
                    Atom::Unit(u16::from(b'-')).add_to(&mut ranges);
                    second.add_to(&mut ranges);
                }
            }
        }
        let set = self.closed(UnitSet::new(ranges));
        Ok(Node::Set(if negated { set.complement() } else { set }))
    }

    fn class_atom(&mut self, start: usize) -> Read<Atom> {
        let at = self.at;
        let Some(unit) = self.bump() else {
            return wrong(start, "this `[` is never closed; a literal one is written `\\[`");
        };
        if unit != u16::from(b'\\') {
            return Ok(Atom::Unit(unit));
        }
        match self.look() {
            Some('b') => {
                self.at += 1;
                Ok(Atom::Unit(0x08))
            }
            Some('k') if !self.names.is_empty() => {
                wrong(at, "`\\k` means nothing in a class when a group has a name; a literal one is written `k`")
            }
            Some('c') => match self.units.get(self.at + 1).copied() {
                Some(unit) if is_digit(unit) || unit == u16::from(b'_') => {
                    self.at += 2;
                    Ok(Atom::Unit(unit % 32))
                }
                _ => self.character_escape(at),
            },
            _ => self.character_escape(at),
        }
    }
}

impl Atom {
    fn add_to(&self, ranges: &mut Vec<(u16, u16)>) {
        match self {
            Atom::Unit(unit) => ranges.push((*unit, *unit)),
            Atom::Set(set) => ranges.extend_from_slice(set.ranges()),
        }
    }
}

fn nothing_to_repeat<T>(at: usize, quantifier: &str) -> Read<T> {
    wrong(at, format!("there is nothing for this `{quantifier}` to repeat; \"anything\" is written `.*`"))
}

fn add_name(names: &mut Names, name: String, at: usize) -> Read<()> {
    match names.entry(name) {
        Entry::Occupied(taken) => wrong(at, format!("the group name `{}` is taken", taken.key())),
        Entry::Vacant(free) => {
            free.insert(at);
            Ok(())
        }
    }
}
