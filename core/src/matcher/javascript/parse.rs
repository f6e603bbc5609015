//! ECMAScript pattern syntax, read into a tree: alternatives, groups and quantifiers. What a `\` or
//! a `[` starts is read in `escape`.
//!
//! The grammar is the one of `new RegExp(text)` without flags: ECMA-262 (2025) with Annex B.1.2,
//! over UTF-16 code units. So `{` may be literal, `\1` may be octal, `\u{61}` is `u` sixty-one
//! times, and `(?i:…)` and a name used in two alternatives are valid.

use std::borrow::Cow;
use std::collections::btree_map::{BTreeMap, Entry};

use super::input::{INFINITE, Input};
use super::tree::Node;
use super::units::{Cases, UnitSet};

/// How deep groups may nest, the pattern itself included. JavaScript's own limit is its stack; here
/// the deepest pattern has to fit the 2 MiB of a thread in every engine, built for debugging.
const MAX_DEPTH: u32 = 32;

const NAME_RULE: &str = "a group name is letters, digits, `_` and `$`, no digit first, between `<` and `>`";

/// What was read.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Node,
    /// The pattern respelled for the referee, see [`Parser::respell`].
    pub(super) plain: Vec<u32>,
    /// Where the first group name beyond ASCII stands: the referee has the tables for those.
    foreign_name: Option<usize>,
}

impl Parsed {
    /// The referee refuses what was read here.
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

pub(super) type Read<T> = Result<T, Stop>;

pub(super) fn wrong<T>(at: usize, problem: impl Into<Cow<'static, str>>) -> Read<T> {
    Err(Stop::Syntax { at, problem: problem.into() })
}

pub(super) fn parse(text: &str) -> Read<Parsed> {
    let mut parser = Parser::new(text);
    parser.survey();
    let root = parser.disjunction()?.0;
    let end = parser.input.at;
    if parser.input.peek().is_some() {
        // Only `)` ends a disjunction early.
        return wrong(end, r"this `)` closes nothing; a literal one is written `\)`");
    }
    parser.respell(end, []);
    Ok(Parsed { root, plain: parser.plain, foreign_name: parser.foreign_name })
}

/// Group names with where they stand.
type Names = BTreeMap<String, usize>;
/// How often: at least, and at most unless any number of times.
type Times = (u32, Option<u32>);

/// What `(?ims-ims:…)` switches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Modifiers {
    pub(super) ignore_case: bool,
    lines: bool,
    dot_all: bool,
}

#[derive(Debug)]
pub(super) struct Parser {
    pub(super) input: Input,
    pub(super) modifiers: Modifiers,
    /// Groups in the whole pattern.
    pub(super) all_groups: u32,
    /// Every name in the whole pattern with its groups.
    pub(super) names: BTreeMap<String, Vec<u32>>,
    /// Groups opened so far.
    groups: u32,
    depth: u32,
    foreign_name: Option<usize>,
    cases: Option<Cases>,
    plain: Vec<u32>,
    /// Up to where `plain` is written.
    respelled: usize,
}

impl Parser {
    fn new(text: &str) -> Self {
        Self {
            input: Input::new(text),
            modifiers: Modifiers::default(),
            all_groups: 0,
            names: BTreeMap::new(),
            groups: 0,
            depth: 0,
            foreign_name: None,
            cases: None,
            plain: Vec::with_capacity(text.len()),
            respelled: 0,
        }
    }

    /// Copies the pattern for the referee up to `from`, then `instead` for what was read since.
    ///
    /// `regress` 0.12 reads `\u{61}` and `\u+061` as `a` though there is no `u` flag, joins two
    /// escaped surrogates, and knows no surrogate pair in a name. What it would read otherwise is
    /// replaced by what it reads alike.
    pub(super) fn respell(&mut self, from: usize, instead: impl IntoIterator<Item = u32>) {
        let copied = self.input.slice(self.respelled, from);
        self.plain.extend(copied.iter().map(|unit| u32::from(*unit)));
        self.plain.extend(instead);
        self.respelled = self.input.at;
    }

    /// Counts the groups and collects their names before anything is read: `\1` is a reference
    /// only if there is a group 1, `\k` only if there is a name.
    fn survey(&mut self) {
        let mut in_class = false;
        while let Some(c) = self.input.peek() {
            self.input.at += 1;
            match c {
                '\\' => self.input.at += 1,
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => self.survey_group(),
                _ => {}
            }
        }
        self.input.at = 0;
        self.foreign_name = None;
    }

    fn survey_group(&mut self) {
        let input = &self.input;
        let look_behind = input.starts_with("?<=") || input.starts_with("?<!");
        let named = input.starts_with("?<") && !look_behind;
        if named || !input.starts_with("?") {
            self.all_groups += 1;
        }
        if named {
            self.input.at += 1;
            // A bad name is reported when it is read for good.
            if let Ok(name) = self.group_name() {
                self.names.entry(name).or_default().push(self.all_groups);
            }
        }
    }

    /// Alternatives between `|`, with the group names inside.
    fn disjunction(&mut self) -> Read<(Node, Names)> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Stop::TooDeep);
        }
        let (first, mut names) = self.alternative()?;
        let mut choices = vec![first];
        while self.input.eat("|") {
            // A name may come again here: only one alternative takes part.
            let (choice, own) = self.alternative()?;
            choices.push(choice);
            names.extend(own);
        }
        self.depth -= 1;
        let node = if choices.len() == 1 { choices.swap_remove(0) } else { Node::Choice(choices) };
        Ok((node, names))
    }

    fn alternative(&mut self) -> Read<(Node, Names)> {
        let mut names = Names::new();
        let mut terms = Vec::new();
        while let Some(c) = self.input.peek().filter(|c| !matches!(c, '|' | ')')) {
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
        let start = self.input.at;
        let lines = self.modifiers.lines;
        match c {
            '*' | '+' | '?' => {
                self.input.at += 1;
                return self.nothing_to_repeat(start);
            }
            '{' if self.braces()?.is_some() => return self.nothing_to_repeat(start),
            _ => self.input.at += 1,
        }
        let node = match c {
            '^' => return self.unquantified(Node::Start { lines }),
            '$' => return self.unquantified(Node::End { lines }),
            '\\' if self.input.eat("b") => {
                return self.unquantified(Node::Boundary { negated: false });
            }
            '\\' if self.input.eat("B") => {
                return self.unquantified(Node::Boundary { negated: true });
            }
            '\\' => self.escape(start)?,
            '[' => self.class(start)?,
            '.' if self.modifiers.dot_all => Node::Set(UnitSet::everything()),
            '.' => Node::Set(UnitSet::line_ends().complement()),
            _ => {
                self.input.at = start;
                self.input.bump().map_or(Node::Empty, |unit| self.unit(unit))
            }
        };
        self.quantified(node)
    }

    /// The unit as the modifiers see it.
    pub(super) fn unit(&mut self, unit: u16) -> Node {
        self.cases().and_then(|cases| cases.of(unit)).map_or(Node::Unit(unit), Node::Set)
    }

    /// The set as the modifiers see it.
    pub(super) fn closed(&mut self, set: UnitSet) -> UnitSet {
        self.cases().map(|cases| cases.close(&set)).unwrap_or(set)
    }

    /// The cases of letters, where the modifiers ignore them.
    fn cases(&mut self) -> Option<&Cases> {
        self.modifiers.ignore_case.then(|| &*self.cases.get_or_insert_with(Cases::new))
    }

    /// `(…)` of any kind, with its quantifier.
    fn group(&mut self, names: &mut Names) -> Read<Node> {
        let start = self.input.at;
        self.input.at += 1;
        for (open, behind, negated) in
            [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)]
        {
            if self.input.eat(open) {
                let body = Box::new(self.group_body(start, names)?);
                let node = Node::Look { behind, negated, body };
                return if behind { self.unquantified(node) } else { self.quantified(node) };
            }
        }
        let node = if self.input.eat("?:") {
            self.group_body(start, names)?
        } else if self.input.starts_with("?<") {
            self.input.at += 1;
            let at = self.input.at;
            let name = self.name()?;
            add_name(names, name, at)?;
            self.capture(start, names)?
        } else if self.input.starts_with("?") {
            let outer = self.modifiers;
            self.modifiers = self.modifier_flags(start)?;
            self.respell(start, "(?:".chars().map(u32::from));
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
        if !self.input.eat(")") {
            return wrong(start, r"this `(` is never closed; a literal one is written `\(`");
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
        self.input.at += 1;
        loop {
            match self.input.peek() {
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
                    self.input.at += 1;
                    return Ok(modifiers);
                }
                Some(')') if seen == "i" && on => {
                    return wrong(start, "JavaScript has no `(?i)`; spell both cases, as in `[Bb]ash`");
                }
                _ => {
                    return wrong(
                        start,
                        r"JavaScript has no group that starts like this; a literal `(` is written `\(`",
                    );
                }
            }
            self.input.at += 1;
        }
    }

    /// The `<name>` of `(?<name>` and `\k<name>`.
    pub(super) fn name(&mut self) -> Read<String> {
        let start = self.input.at;
        let name = self.group_name()?;
        if !name.is_ascii() {
            let mut spelled = String::from("<");
            for letter in name.chars() {
                if letter > '\u{FFFF}' {
                    spelled.extend(letter.escape_unicode());
                } else {
                    spelled.push(letter);
                }
            }
            spelled.push('>');
            self.respell(start, spelled.chars().map(u32::from));
        }
        Ok(name)
    }

    /// `<name>`, whoever reads it.
    fn group_name(&mut self) -> Read<String> {
        let start = self.input.at;
        let mut name = String::new();
        let mut letters = self.input.eat("<");
        while letters && !self.input.eat(">") {
            let letter = self.name_letter().filter(|letter| {
                let first = !letter.is_ascii() || letter.is_ascii_alphabetic() || "$_".contains(*letter);
                first || (letter.is_ascii_digit() && !name.is_empty())
            });
            letters = letter.is_some();
            name.extend(letter);
        }
        if !letters || name.is_empty() {
            return wrong(start, NAME_RULE);
        }
        if !name.is_ascii() {
            self.foreign_name.get_or_insert(start);
        }
        Ok(name)
    }

    /// One character of a group name: itself, a surrogate pair, or an escape of either.
    fn name_letter(&mut self) -> Option<char> {
        if self.input.eat(r"\u{") {
            let mut code = 0_u32;
            while !self.input.eat("}") {
                code = code.checked_mul(16)?.checked_add(self.input.hex_digit()?)?;
            }
            return char::from_u32(code);
        }
        let first = self.name_unit()?;
        match char::from_u32(u32::from(first)) {
            Some(letter) => Some(letter),
            None => char::decode_utf16([first, self.name_unit()?]).next()?.ok(),
        }
    }

    fn name_unit(&mut self) -> Option<u16> {
        if self.input.eat(r"\u") { self.input.hex(4) } else { self.input.bump() }
    }

    /// After an assertion that takes no quantifier.
    fn unquantified(&mut self, node: Node) -> Read<Node> {
        let at = self.input.at;
        match self.quantifier()? {
            Some(_) => self.nothing_to_repeat(at),
            None => Ok(node),
        }
    }

    fn quantified(&mut self, node: Node) -> Read<Node> {
        let Some((min, max)) = self.quantifier()? else {
            return Ok(node);
        };
        let greedy = !self.input.eat("?");
        Ok(Node::Repeat { body: Box::new(node), min, max, greedy })
    }

    fn quantifier(&mut self) -> Read<Option<Times>> {
        let times = match self.input.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.braces(),
            _ => return Ok(None),
        };
        self.input.at += 1;
        Ok(Some(times))
    }

    /// `{n}`, `{n,}` or `{n,m}`; any other brace is a literal one and is left.
    fn braces(&mut self) -> Read<Option<Times>> {
        let start = self.input.at;
        self.input.at += 1;
        let min = self.input.number();
        let max = if self.input.eat(",") { self.input.number().unwrap_or(INFINITE) } else { min.unwrap_or(INFINITE) };
        let (Some(min), true) = (min, self.input.eat("}")) else {
            self.input.at = start;
            return Ok(None);
        };
        if max < min {
            return wrong(start, format!("from {min} to {max} times runs backwards"));
        }
        Ok(Some((min, Some(max).filter(|max| *max != INFINITE))))
    }

    /// The quantifier read since `at` follows nothing.
    fn nothing_to_repeat<T>(&self, at: usize) -> Read<T> {
        let quantifier = self.input.text_from(at);
        wrong(at, format!("there is nothing for this `{quantifier}` to repeat; \"anything\" is written `.*`"))
    }
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
