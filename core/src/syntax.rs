//! The JSON grammar: text in, a flat list of nodes out, or the one fault that a person should mend first.
//!
//! The tokens are `jsonc-parser`'s. Its parser is not used: it counts an object twice against its nesting limit (so
//! 257 nested objects are too many), and its tree borrows from the text and is recursive. Its scanner is laxer than
//! JSON in two ways that are refused here: control characters inside text and white space other than JSON's.
//!
//! Nothing here knows files, vendors or lines; places are byte offsets. The offsets are 32 bit: a text of 4 GiB is a fault.

use crate::json::{DEEPEST, Kind, Number, is_js_space};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::Token;
use jsonc_parser::{ParseStringErrorKind, Scanner, ScannerOptions};
use std::ops::Range;

/// No node.
const NONE: u32 = u32::MAX;

/// One value or key. The nodes of a text are in the order of the text: behind an object come its first key, that key's
/// value with everything inside it, the second key; behind a list come its items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    start: u32,
    end: u32,
    parent: u32,
    next: u32,
    slot: u32,
}

impl Node {
    /// Where it is in the text.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The object or list it is in. A key and its value are both in the object.
    pub(crate) fn parent(&self) -> Option<usize> {
        (self.parent != NONE).then_some(self.parent as usize)
    }

    /// The first node behind it and everything inside it.
    pub(crate) fn next(&self) -> usize {
        self.next as usize
    }

    /// The how-manieth it is in its parent, from 0.
    pub(crate) fn slot(&self) -> usize {
        self.slot as usize
    }
}

/// What a text consists of, and what was noticed on the way.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    /// The first is the value of the whole text.
    pub(crate) nodes: Vec<Node>,
    /// The first comment.
    pub(crate) comment: Option<usize>,
    /// The first `//` inside text.
    pub(crate) slashes_in_text: Option<usize>,
    /// The first `/*` inside text.
    pub(crate) star_in_text: Option<usize>,
    /// The first number too large for a double.
    pub(crate) infinite: Option<usize>,
    /// How many objects and lists are nested at the deepest point.
    pub(crate) depth: usize,
}

/// What is wrong with a text, for the person who has to mend it.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The byte offset of the place to look at.
    pub(crate) at: usize,
    /// What was expected and what was found.
    pub(crate) message: String,
    /// What to write instead.
    pub(crate) help: Option<String>,
    /// Whether it is JSON, nested deeper than we read.
    pub(crate) too_deep: bool,
}

impl Fault {
    fn new(at: usize, message: impl Into<String>) -> Self {
        Fault { at, message: message.into(), help: None, too_deep: false }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Reads a text as one JSON value. Escapes of lone surrogates must have been replaced.
pub(crate) fn parse(text: &str, comments: bool) -> Result<Tape, Fault> {
    if u32::try_from(text.len()).is_err() {
        return Err(Fault::new(0, "larger than 4 GiB").help("keep it small"));
    }
    let mut reader = Reader {
        text,
        scanner: Scanner::new(text, &strict()),
        comments,
        tape: Tape::default(),
        open: Vec::new(),
        want: Want::Value,
        key: 0..0,
        last: 0..0,
        gap: 0,
    };
    while reader.step()? {}
    Ok(reader.tape)
}

/// A piece of source for use inside a message: one line, not long, nothing invisible.
pub(crate) fn shown(source: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown = String::new();
    for (count, c) in source.chars().enumerate() {
        if count == LONGEST {
            shown.push('…');
            break;
        }
        if c.is_control() || is_invisible(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

fn strict() -> ScannerOptions {
    ScannerOptions {
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// `parse` refuses texts whose offsets do not fit.
fn small(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(NONE)
}

/// What the grammar wants next.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    Value,
    FirstItem,
    FirstKey,
    Key,
    Colon,
    /// A comma, or the end of the object or list.
    More,
    /// The end of the text.
    Nothing,
}

/// An object or list that is not closed yet.
struct Open {
    node: u32,
    slot: u32,
    kind: Kind,
}

struct Reader<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
    comments: bool,
    tape: Tape,
    open: Vec<Open>,
    want: Want,
    /// The key of the value that is being read or was read last.
    key: Range<usize>,
    /// The token before, comments not counted.
    last: Range<usize>,
    /// Where the white space before the next token starts.
    gap: usize,
}

impl<'t> Reader<'t> {
    /// One token. Returns whether there is more to read.
    fn step(&mut self) -> Result<bool, Fault> {
        let token = self.token()?;
        let range = self.scanner.token_start()..self.scanner.token_end();
        let inside = self.open.last().map(|open| open.kind);
        self.want = match (self.want, token) {
            (Want::Value | Want::FirstItem, Some(Token::OpenBrace)) => {
                self.enter(&range, Kind::Object, Want::FirstKey)?
            }
            (Want::Value | Want::FirstItem, Some(Token::OpenBracket)) => {
                self.enter(&range, Kind::Array, Want::FirstItem)?
            }
            (Want::Value | Want::FirstItem, Some(Token::Number(source))) => self.number(source, &range),
            (Want::Value | Want::FirstItem, Some(Token::String(_) | Token::Boolean(_) | Token::Null)) => {
                self.leaf(&range)
            }
            (Want::Key | Want::FirstKey, Some(Token::String(_))) => {
                self.key = range.clone();
                self.push(&range);
                Want::Colon
            }
            (Want::More, Some(Token::Comma)) if inside == Some(Kind::Object) => Want::Key,
            (Want::More, Some(Token::Comma)) | (Want::Colon, Some(Token::Colon)) => Want::Value,
            (Want::More | Want::FirstKey, Some(Token::CloseBrace)) if inside == Some(Kind::Object) => {
                self.leave(range.end)
            }
            (Want::More | Want::FirstItem, Some(Token::CloseBracket)) if inside == Some(Kind::Array) => {
                self.leave(range.end)
            }
            (Want::Nothing, None) => return Ok(false),
            _ => return Err(self.unexpected(range.start)),
        };
        self.last = range;
        Ok(true)
    }

    /// The next token that is no comment.
    fn token(&mut self) -> Result<Option<Token<'t>>, Fault> {
        loop {
            let scanned = self.scanner.scan();
            let start = self.scanner.token_start();
            self.check_gap(start)?;
            let token = scanned.map_err(|error| self.misread(&error, start))?;
            let end = self.scanner.token_end();
            self.gap = end;
            match token {
                Some(Token::CommentLine(_) | Token::CommentBlock(_)) => {
                    if !self.comments {
                        return Err(no_comments(start));
                    }
                    self.tape.comment.get_or_insert(start);
                }
                Some(Token::String(_)) => {
                    self.check_text(start..end)?;
                    return Ok(token);
                }
                _ => return Ok(token),
            }
        }
    }

    /// The scanner skips all white space Unicode knows; JSON has four characters of it.
    fn check_gap(&self, until: usize) -> Result<(), Fault> {
        let gap = &self.text[self.gap..until];
        match gap.char_indices().find(|(_, c)| !matches!(c, ' ' | '\t' | '\n' | '\r')) {
            Some((at, _)) => Err(self.unexpected(self.gap + at)),
            None => Ok(()),
        }
    }

    /// The scanner takes control characters in text; JSON wants them escaped.
    fn check_text(&mut self, literal: Range<usize>) -> Result<(), Fault> {
        let source = &self.text[literal.clone()];
        if source.bytes().fold(b' ', u8::min) < b' ' {
            return Err(control_in_text(source, literal.start));
        }
        if source.as_bytes().contains(&b'/') {
            let find = |what| source.find(what).map(|at| literal.start + at);
            self.tape.slashes_in_text = self.tape.slashes_in_text.or_else(|| find("//"));
            self.tape.star_in_text = self.tape.star_in_text.or_else(|| find("/*"));
        }
        Ok(())
    }

    fn enter(&mut self, range: &Range<usize>, kind: Kind, want: Want) -> Result<Want, Fault> {
        if self.open.len() == DEEPEST {
            let fault = Fault::new(range.start, format!("nested deeper than {DEEPEST} levels"));
            return Err(Fault { too_deep: true, ..fault.help("write it flatter") });
        }
        self.push(range);
        self.open.push(Open { node: small(self.tape.nodes.len() - 1), slot: 0, kind });
        self.tape.depth = self.tape.depth.max(self.open.len());
        Ok(want)
    }

    fn leave(&mut self, end: usize) -> Want {
        let next = small(self.tape.nodes.len());
        if let Some(open) = self.open.pop() {
            let node = open.node as usize;
            self.tape.nodes[node].end = small(end);
            self.tape.nodes[node].next = next;
            if self.open.last().is_some_and(|outer| outer.kind == Kind::Object) {
                // A value stands right behind its key.
                self.key = self.tape.nodes[node - 1].range();
            }
        }
        self.after_value()
    }

    /// A value without anything inside it.
    fn leaf(&mut self, range: &Range<usize>) -> Want {
        self.push(range);
        self.after_value()
    }

    fn number(&mut self, source: &str, range: &Range<usize>) -> Want {
        let may_be_large = source.len() > 300 || source.contains(['e', 'E']);
        if may_be_large && self.tape.infinite.is_none() && Number::new(source).as_f64().is_infinite() {
            self.tape.infinite = Some(range.start);
        }
        self.leaf(range)
    }

    fn push(&mut self, range: &Range<usize>) {
        let (parent, slot) = match self.open.last_mut() {
            Some(open) => {
                let slot = open.slot;
                // A key has the slot of its value.
                if open.kind == Kind::Array || self.want == Want::Value {
                    open.slot += 1;
                }
                (open.node, slot)
            }
            None => (NONE, 0),
        };
        let next = small(self.tape.nodes.len() + 1);
        let node = Node { start: small(range.start), end: small(range.end), parent, next, slot };
        self.tape.nodes.push(node);
    }

    fn after_value(&self) -> Want {
        if self.open.is_empty() { Want::Nothing } else { Want::More }
    }
}

/// Faults: what was wanted, what was found, what to write.
impl Reader<'_> {
    /// A token, or the end of the text, where the grammar wants something else.
    fn unexpected(&self, at: usize) -> Fault {
        if at >= self.text.len() {
            return self.unclosed();
        }
        if self.is_inside_number(at) {
            return bad_number(self.text, self.last.start);
        }
        let rest = &self.text[at..];
        let closes = rest.starts_with(['}', ']']);
        if closes && self.text[self.last.clone()] == *"," {
            let bracket = &rest[..1];
            return Fault::new(
                self.last.start,
                format!("found a comma before `{bracket}`: JSON has no trailing commas"),
            )
            .help("remove the comma");
        }
        let fault = Fault::new(at, format!("expected {}, found {}", self.wanted(), found(rest)));
        match self.advice(rest) {
            Some(help) => fault.help(help),
            None => fault,
        }
    }

    /// The text ends too early. The place to look at is what was left open.
    fn unclosed(&self) -> Fault {
        let wanted = self.wanted();
        let Some(open) = self.open.last() else {
            return Fault::new(self.text.len(), format!("expected {wanted}, found the end of the text"))
                .help("write a value, such as `{}`");
        };
        let (name, bracket) = if open.kind == Kind::Object { ("object", '}') } else { ("list", ']') };
        let at = self.tape.nodes[open.node as usize].range().start;
        Fault::new(at, format!("this {name} is not closed: expected {wanted}, found the end of the text"))
            .help(format!("add the missing `{bracket}`, or what was cut off"))
    }

    /// What the scanner could not read.
    fn misread(&self, error: &ParseError, start: usize) -> Fault {
        use ParseErrorKind as E;
        match error.kind() {
            E::UnterminatedCommentBlock if self.comments => {
                Fault::new(start, "this comment is not closed").help("end it with `*/`")
            }
            E::UnterminatedCommentBlock | E::CommentsNotAllowed => no_comments(start),
            E::String(kind) => bad_text(self.text, start, error.range().start, kind),
            E::BareDecimalPointNumbersNotAllowed
            | E::ExpectedDigit
            | E::ExpectedDigitFollowingNegativeSign
            | E::ExpectedPlusMinusOrDigitInNumberLiteral
            | E::HexadecimalNumbersNotAllowed
            | E::NonFiniteNumbersNotAllowed
            | E::UnaryPlusNumbersNotAllowed
                if matches!(self.want, Want::Value | Want::FirstItem) =>
            {
                bad_number(self.text, start)
            }
            _ => self.unexpected(start),
        }
    }

    /// The middle of the sentence "expected …, found …".
    fn wanted(&self) -> String {
        let inside = self.open.last().map(|open| open.kind);
        let key = || shown(unquoted(&self.text[self.key.clone()]));
        match (self.want, inside) {
            (Want::Value, Some(Kind::Object)) => format!("the value of `{}`", key()),
            (Want::Value, Some(_)) => "another list item".into(),
            (Want::Value, None) => "a JSON value".into(),
            (Want::FirstItem, _) => "a list item or `]`".into(),
            (Want::FirstKey, _) => "a key in double quotes or `}`".into(),
            (Want::Key, _) => "another key in double quotes".into(),
            (Want::Colon, _) => format!("`:` after the key `{}`", key()),
            (Want::More, Some(Kind::Object)) => format!("`,` or `}}` after the value of `{}`", key()),
            (Want::More, _) => "`,` or `]` after the list item".into(),
            (Want::Nothing, _) => "nothing more after the value".into(),
        }
    }

    /// What to write instead of what `rest` starts with.
    fn advice(&self, rest: &str) -> Option<String> {
        let wants_value = matches!(self.want, Want::Value | Want::FirstItem);
        let wants_key = matches!(self.want, Want::Key | Want::FirstKey);
        let after_text = self.want == Want::More && self.text[self.last.clone()].starts_with('"');
        let first = rest.chars().next()?;
        if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|marker| rest.starts_with(marker)) {
            return Some("there is an unresolved merge conflict here: resolve it".into());
        }
        let help = match first {
            '\0' => "this is not UTF-8 text (UTF-16 without a byte order mark, or binary data): save it as UTF-8",
            '.' | '…' if rest.starts_with("...") || first == '…' => "write out what the dots stand for",
            '\'' => "write text and keys in double quotes",
            '“' | '”' | '„' | '‘' | '’' | '«' | '»' => {
                "replace the typographic quotes with plain ones: `\"`"
            }
            '#' if self.comments => "start a comment with `//`",
            '#' => "JSON has no comments: remove it",
            ',' => "remove the comma",
            '=' if self.want == Want::Colon => "write `:` between a key and its value",
            ';' if self.want == Want::More => "write `,` between values",
            ':' if self.want == Want::More => "keys belong into an object: `{\"key\": value}`",
            ':' if self.want == Want::Nothing => "put `{` before the first key and `}` at the end",
            '}' if matches!(self.want, Want::More | Want::FirstItem) => "close the list with `]` first",
            ']' if matches!(self.want, Want::More | Want::FirstKey) => "close the object with `}` first",
            c if is_invisible(c) => "delete the invisible character",
            c if after_text && is_word(c) => "a `\"` inside text is written `\\\"`",
            c if is_word(c) && wants_key => return Some(format!("put the key in double quotes: `\"{}\"`", word(rest))),
            c if is_word(c) && wants_value => return Some(self.instead_of(word(rest))),
            '"' | '{' | '[' if self.want == Want::More => "put a comma between them",
            c if self.want == Want::More && is_word(c) => "put a comma between them",
            c if after_text && !c.is_ascii_punctuation() => "a `\"` inside text is written `\\\"`",
            '{' | '[' if self.want == Want::Nothing => "there can be only one value: join the two or remove one",
            _ if self.want == Want::Nothing => "remove what follows the value",
            _ if after_text => "a `\"` inside text is written `\\\"`",
            _ if wants_value && self.open.is_empty() => ONLY_JSON,
            _ => return None,
        };
        Some(help.into())
    }

    /// What to write instead of a bare word where a value is wanted.
    fn instead_of(&self, word: &str) -> String {
        match word {
            "True" | "TRUE" | "yes" | "on" => "write `true`".into(),
            "False" | "FALSE" | "no" | "off" => "write `false`".into(),
            "None" | "Null" | "NULL" | "nil" | "undefined" => "write `null`, or leave it out".into(),
            "NaN" | "Infinity" => "write an ordinary number".into(),
            _ if self.open.is_empty() => ONLY_JSON.into(),
            _ => format!("text is written in double quotes: `\"{}\"`", shown(word)),
        }
    }

    /// Whether what starts here continues the number before it: `01`, `12px`, `1.2.3`.
    fn is_inside_number(&self, at: usize) -> bool {
        let last = self.text[self.last.clone()].bytes().next();
        let rest = self.text[at..].bytes().next();
        at == self.last.end
            && last.is_some_and(|byte| byte == b'-' || byte.is_ascii_digit())
            && rest.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'+' | b'-'))
    }
}

fn no_comments(at: usize) -> Fault {
    Fault::new(at, "found a comment: this must be plain JSON").help("remove the comment")
}

/// A text with a raw control character. Of a line end the place to look at is where the text starts: most often its
/// closing quote is missing.
fn control_in_text(literal: &str, start: usize) -> Fault {
    let Some((at, c)) = literal.char_indices().find(|(_, c)| *c < ' ') else {
        return Fault::new(start, "found a control character in text");
    };
    match c {
        '\n' | '\r' => Fault::new(start, "this text runs over the end of its line")
            .help("close it with `\"` on the same line; a line end inside text is written `\\n`"),
        '\t' => Fault::new(start + at, "found a tab inside text").help("write it as `\\t`"),
        _ => Fault::new(start + at, format!("found the control character U+{:04X} inside text", c as u32))
            .help(format!("write it as `\\u{:04x}`, or delete it", c as u32)),
    }
}

fn bad_text(text: &str, start: usize, at: usize, kind: &ParseStringErrorKind) -> Fault {
    use ParseStringErrorKind as E;
    let unterminated = matches!(kind, E::UnterminatedStringLiteral);
    let read = if unterminated { &text[start..] } else { &text[start..at] };
    if read.bytes().any(|byte| byte < b' ') {
        return control_in_text(read, start);
    }
    if unterminated {
        return Fault::new(start, "this text is not closed: expected `\"`, found the end of the text")
            .help("add the missing `\"`, or what was cut off");
    }
    if matches!(kind, E::ExpectedFourHexDigits) {
        return Fault::new(at, "`\\u` needs four hexadecimal digits")
            .help("write `\\u00e9`, or the character itself; a backslash is written `\\\\`");
    }
    let escape: String = text[at..].chars().take(2).collect();
    let help = if escape == "\\'" {
        "write `'` without a backslash"
    } else {
        "a backslash inside text is written `\\\\`, as in `C:\\\\tools`"
    };
    Fault::new(at, format!("`{}` inside text is no escape JSON knows", shown(&escape))).help(help)
}

/// Something that starts like a number and is none.
fn bad_number(text: &str, start: usize) -> Fault {
    let rest = &text[start..];
    let end = rest.find(|c: char| !is_word(c) && !matches!(c, '+' | '.')).unwrap_or(rest.len());
    let run = &rest[..end];
    let digits = run.trim_start_matches(['+', '-']);
    let help = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        match u64::from_str_radix(hex, 16) {
            Ok(value) => format!("write it in decimal: `{}{value}`", if run.starts_with('-') { "-" } else { "" }),
            Err(_) => "write it in decimal".into(),
        }
    } else if digits.starts_with("Infinity") || digits.starts_with("NaN") {
        "write an ordinary number".into()
    } else if run.starts_with('+') {
        "write it without the `+`".into()
    } else if digits.starts_with('.') || digits.ends_with('.') {
        "write a digit on both sides of the point".into()
    } else if digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit()) {
        "write it without leading zeros".into()
    } else if digits.contains('_') {
        "write it without `_`".into()
    } else if digits.is_empty()
        || digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        "a number looks like `12`, `-0.5` or `1e3`".into()
    } else {
        format!("write a plain number, or text in double quotes: `\"{}\"`", shown(run))
    };
    Fault::new(start, format!("`{}` is not a JSON number", shown(run))).help(help)
}

const ONLY_JSON: &str = "only a JSON value can stand here, such as `{}`";

/// The end of the sentence "expected …, found …".
fn found(rest: &str) -> String {
    let Some(first) = rest.chars().next() else {
        return "the end of the text".into();
    };
    match first {
        '"' => {
            let end = rest[1..].find(['"', '\n', '\r']).map_or(rest.len(), |at| at + 1);
            let close = if rest[end..].starts_with('"') { "\"" } else { "" };
            format!("text `{}{close}`", shown(&rest[..end]))
        }
        '`' => "a backtick".into(),
        '\0' => "a NUL byte".into(),
        '\u{FEFF}' => "a byte order mark".into(),
        c if c.is_control() || is_invisible(c) => format!("the invisible character U+{:04X}", c as u32),
        c if is_word(c) => format!("`{}`", shown(word(rest))),
        c => format!("`{c}`"),
    }
}

/// The word at the start.
fn word(rest: &str) -> &str {
    let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    &rest[..end]
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '$')
}

/// White space beyond JSON's, joiners, direction marks, byte order marks.
fn is_invisible(c: char) -> bool {
    let ordinary = matches!(c, ' ' | '\t' | '\n' | '\r');
    !ordinary
        && (is_js_space(c)
            || matches!(c, '\u{85}' | '\u{AD}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'))
}

/// A literal without its quotes, escapes left as they are.
fn unquoted(literal: &str) -> &str {
    literal.trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{lone_surrogates, without_lone_surrogates};
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    fn said(text: &str) -> String {
        match parse(text, true) {
            Ok(_) => "fine".into(),
            Err(fault) => format!("{}: {} | {}", fault.at, fault.message, fault.help.unwrap_or_default()),
        }
    }

    #[test]
    fn accepts_json_and_comments() {
        let texts = [
            "{}",
            "[]",
            "null",
            "true",
            "false",
            "\"\"",
            "0",
            "-0",
            "1.5e+3",
            "1E5",
            "1e400",
            " \t\r\n{ } \n",
            r#"{"a":[1,"b",{"c":null}],"":{}}"#,
            r#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#,
            "\"\u{7f}\u{a0}\u{feff}\"",
            "// a\n{} // b",
            "/* a */ { /* b */ \"a\" /* c */ : /* d */ 1 /* e */ } /**/",
            "{}//",
            "[1,//]\n2]",
            "//\r{}",
        ];
        for text in texts {
            assert_eq!(said(text), "fine", "{text}");
        }
    }

    const FAULTS: &[(&str, &str)] = &[
        // The text ends too early.
        ("", "0: expected a JSON value, found the end of the text | write a value, such as `{}`"),
        ("// only", "7: expected a JSON value, found the end of the text | write a value, such as `{}`"),
        (
            "{",
            "0: this object is not closed: expected a key in double quotes or `}`, found the end of the text | add the missing `}`, or what was cut off",
        ),
        (
            r#"{"a""#,
            "0: this object is not closed: expected `:` after the key `a`, found the end of the text | add the missing `}`, or what was cut off",
        ),
        (
            r#"{"a":"#,
            "0: this object is not closed: expected the value of `a`, found the end of the text | add the missing `}`, or what was cut off",
        ),
        (
            r#"{"a":{"b":1}"#,
            "0: this object is not closed: expected `,` or `}` after the value of `a`, found the end of the text | add the missing `}`, or what was cut off",
        ),
        (
            "[[1]",
            "0: this list is not closed: expected `,` or `]` after the list item, found the end of the text | add the missing `]`, or what was cut off",
        ),
        (
            "[1,",
            "0: this list is not closed: expected another list item, found the end of the text | add the missing `]`, or what was cut off",
        ),
        (
            r#"["a"#,
            "1: this text is not closed: expected `\"`, found the end of the text | add the missing `\"`, or what was cut off",
        ),
        ("{} /* a", "3: this comment is not closed | end it with `*/`"),
        // Commas.
        (r#"{"a":1,}"#, "6: found a comma before `}`: JSON has no trailing commas | remove the comma"),
        ("[1, // more\n]", "2: found a comma before `]`: JSON has no trailing commas | remove the comma"),
        ("[,1]", "1: expected a list item or `]`, found `,` | remove the comma"),
        ("[1,,2]", "3: expected another list item, found `,` | remove the comma"),
        (r#"{"a":1,,}"#, "7: expected another key in double quotes, found `,` | remove the comma"),
        (
            r#"{"a":1 "b":2}"#,
            "7: expected `,` or `}` after the value of `a`, found text `\"b\"` | put a comma between them",
        ),
        ("[1 2]", "3: expected `,` or `]` after the list item, found `2` | put a comma between them"),
        ("[{} {}]", "4: expected `,` or `]` after the list item, found `{` | put a comma between them"),
        (r#"{"a":1;"b":2}"#, "6: expected `,` or `}` after the value of `a`, found `;` | write `,` between values"),
        // Brackets and colons.
        (r#"{"a":[1}"#, "7: expected `,` or `]` after the list item, found `}` | close the list with `]` first"),
        (r#"[{"a":1]"#, "7: expected `,` or `}` after the value of `a`, found `]` | close the object with `}` first"),
        (
            r#"{"a":{"b":1]}"#,
            "11: expected `,` or `}` after the value of `b`, found `]` | close the object with `}` first",
        ),
        (r#"{"a" = 1}"#, "5: expected `:` after the key `a`, found `=` | write `:` between a key and its value"),
        (r#"{"a":}"#, "5: expected the value of `a`, found `}` | "),
        (
            r#"["a":1]"#,
            "4: expected `,` or `]` after the list item, found `:` | keys belong into an object: `{\"key\": value}`",
        ),
        ("}", "0: expected a JSON value, found `}` | only a JSON value can stand here, such as `{}`"),
        // Behind the value.
        ("{} x", "3: expected nothing more after the value, found `x` | remove what follows the value"),
        (
            "{}\n{}",
            "3: expected nothing more after the value, found `{` | there can be only one value: join the two or remove one",
        ),
        ("{}}", "2: expected nothing more after the value, found `}` | remove what follows the value"),
        // Keys.
        ("{a:1}", "1: expected a key in double quotes or `}`, found `a` | put the key in double quotes: `\"a\"`"),
        ("{1:1}", "1: expected a key in double quotes or `}`, found `1` | put the key in double quotes: `\"1\"`"),
        ("{'a':1}", "1: expected a key in double quotes or `}`, found `'` | write text and keys in double quotes"),
        (
            r#"{"a":1,null:2}"#,
            "7: expected another key in double quotes, found `null` | put the key in double quotes: `\"null\"`",
        ),
        // Words and quotes.
        ("['a']", "1: expected a list item or `]`, found `'` | write text and keys in double quotes"),
        ("[True]", "1: expected a list item or `]`, found `True` | write `true`"),
        ("[None]", "1: expected a list item or `]`, found `None` | write `null`, or leave it out"),
        ("[undefined]", "1: expected a list item or `]`, found `undefined` | write `null`, or leave it out"),
        ("NaN", "0: expected a JSON value, found `NaN` | write an ordinary number"),
        ("Infinity", "0: expected a JSON value, found `Infinity` | write an ordinary number"),
        (r#"{"a":deny}"#, "5: expected the value of `a`, found `deny` | text is written in double quotes: `\"deny\"`"),
        ("[“a”]", "1: expected a list item or `]`, found `“` | replace the typographic quotes with plain ones: `\"`"),
        ("[`a`]", "1: expected a list item or `]`, found a backtick | "),
        (
            r#"{"a":"echo "hi" there"}"#,
            "12: expected `,` or `}` after the value of `a`, found `hi` | a `\"` inside text is written `\\\"`",
        ),
        (
            r#"{"a":"echo "$HOME""}"#,
            "12: expected `,` or `}` after the value of `a`, found `$HOME` | a `\"` inside text is written `\\\"`",
        ),
        (
            r#"{"a":"[ "/tmp" ]"}"#,
            "9: expected `,` or `}` after the value of `a`, found `/` | a `\"` inside text is written `\\\"`",
        ),
        // Numbers.
        ("[01]", "1: `01` is not a JSON number | write it without leading zeros"),
        ("[-012.5]", "1: `-012.5` is not a JSON number | write it without leading zeros"),
        ("[0x1F]", "1: `0x1F` is not a JSON number | write it in decimal: `31`"),
        ("[-0xZ]", "1: `-0xZ` is not a JSON number | write it in decimal"),
        ("[+1]", "1: `+1` is not a JSON number | write it without the `+`"),
        ("[.5]", "1: `.5` is not a JSON number | write a digit on both sides of the point"),
        ("[5.]", "1: `5.` is not a JSON number | write a digit on both sides of the point"),
        ("[1.2.3]", "1: `1.2.3` is not a JSON number | a number looks like `12`, `-0.5` or `1e3`"),
        ("[1e]", "1: `1e` is not a JSON number | a number looks like `12`, `-0.5` or `1e3`"),
        ("[-]", "1: `-` is not a JSON number | a number looks like `12`, `-0.5` or `1e3`"),
        ("[-Infinity]", "1: `-Infinity` is not a JSON number | write an ordinary number"),
        ("[1_000]", "1: `1_000` is not a JSON number | write it without `_`"),
        (
            r#"{"timeout": 60s}"#,
            "12: `60s` is not a JSON number | write a plain number, or text in double quotes: `\"60s\"`",
        ),
        // Inside text.
        (
            "[\"a\n\"]",
            "1: this text runs over the end of its line | close it with `\"` on the same line; a line end inside text is written `\\n`",
        ),
        (
            "{\"a\": \"b,\n\"c\": 1}",
            "6: this text runs over the end of its line | close it with `\"` on the same line; a line end inside text is written `\\n`",
        ),
        (
            "{\"a\": \"b\n}",
            "6: this text runs over the end of its line | close it with `\"` on the same line; a line end inside text is written `\\n`",
        ),
        ("[\"a\tb\"]", "3: found a tab inside text | write it as `\\t`"),
        ("[\"a\u{1}b\"]", "3: found the control character U+0001 inside text | write it as `\\u0001`, or delete it"),
        (
            r#"["C:\Users"]"#,
            "4: `\\U` inside text is no escape JSON knows | a backslash inside text is written `\\\\`, as in `C:\\\\tools`",
        ),
        (r#"["it\'s"]"#, "4: `\\'` inside text is no escape JSON knows | write `'` without a backslash"),
        (
            r#"["\x41"]"#,
            "2: `\\x` inside text is no escape JSON knows | a backslash inside text is written `\\\\`, as in `C:\\\\tools`",
        ),
        (
            r#"["C:\users"]"#,
            "4: `\\u` needs four hexadecimal digits | write `\\u00e9`, or the character itself; a backslash is written `\\\\`",
        ),
        // What cannot be seen.
        (
            "[1,\u{a0}2]",
            "3: expected another list item, found the invisible character U+00A0 | delete the invisible character",
        ),
        (
            "{\u{2028}}",
            "1: expected a key in double quotes or `}`, found the invisible character U+2028 | delete the invisible character",
        ),
        (
            "[\u{c}1]",
            "1: expected a list item or `]`, found the invisible character U+000C | delete the invisible character",
        ),
        (
            "{}\u{b}",
            "2: expected nothing more after the value, found the invisible character U+000B | delete the invisible character",
        ),
        ("\u{feff}{}", "0: expected a JSON value, found a byte order mark | delete the invisible character"),
        (
            "{\0}\0",
            "1: expected a key in double quotes or `}`, found a NUL byte | this is not UTF-8 text (UTF-16 without a byte order mark, or binary data): save it as UTF-8",
        ),
        // Other languages.
        ("# hooks\n{}", "0: expected a JSON value, found `#` | start a comment with `//`"),
        (
            "{\n<<<<<<< HEAD\n",
            "2: expected a key in double quotes or `}`, found `<` | there is an unresolved merge conflict here: resolve it",
        ),
        (
            "{\"a\":1\n=======\n",
            "7: expected `,` or `}` after the value of `a`, found `=` | there is an unresolved merge conflict here: resolve it",
        ),
        ("hooks:\n  - a", "0: expected a JSON value, found `hooks` | only a JSON value can stand here, such as `{}`"),
        ("<html>", "0: expected a JSON value, found `<` | only a JSON value can stand here, such as `{}`"),
    ];

    #[test]
    fn says_what_is_wrong() {
        let wrong: Vec<_> = FAULTS.iter().filter(|(text, expected)| said(text) != *expected).collect();
        for (text, expected) in &wrong {
            eprintln!("{text}\n  expected {expected}\n  said     {}", said(text));
        }
        assert!(wrong.is_empty());
    }

    #[test]
    fn refuses_comments_where_they_are_not_wanted() {
        for text in ["// a\n{}", "{} // a", "[1, /* a */ 2]", "{} /* a"] {
            let fault = parse(text, false).unwrap_err();
            assert_eq!(Some(fault.at), text.find('/'));
            assert_eq!(fault.message, "found a comment: this must be plain JSON");
            assert_eq!(fault.help.as_deref(), Some("remove the comment"));
        }
        assert!(
            parse("# a\n{}", false).unwrap_err().help.is_some_and(|help| help == "JSON has no comments: remove it")
        );
    }

    #[test]
    fn reads_512_levels_and_not_one_more() {
        let nested = |open: &str, inner: &str, close: &str, levels| {
            [open.repeat(levels), inner.into(), close.repeat(levels)].concat()
        };
        for (open, inner, close) in [("[", "", "]"), ("{\"a\":", "1", "}"), ("[", "{}", "]")] {
            let levels = if inner == "{}" { 511 } else { 512 };
            let tape = parse(&nested(open, inner, close, levels), false).unwrap();
            assert_eq!(tape.depth, 512, "{open}");
            let fault = parse(&nested(open, inner, close, levels + 1), false).unwrap_err();
            assert!(fault.too_deep, "{open}");
            assert_eq!(fault.message, "nested deeper than 512 levels");
            assert_eq!(fault.at, 512 * open.len());
        }
        assert!(parse(&"[".repeat(1_000_000), false).unwrap_err().too_deep);
        assert_eq!(parse("{\"a\":[[]],\"b\":{}}", false).unwrap().depth, 3);
        assert_eq!(parse("1", false).unwrap().depth, 0);
    }

    #[test]
    fn notices() {
        let noticed = |text: &str| {
            let tape = parse(text, true).unwrap();
            [tape.comment, tape.slashes_in_text, tape.star_in_text, tape.infinite]
        };
        let cases = [
            ("{}", [None; 4]),
            ("{} // a // b", [Some(3), None, None, None]),
            ("/**/[] // b", [Some(0), None, None, None]),
            (r#"{"a":"http://x","b//":1}"#, [None, Some(11), None, None]),
            (r#"["a\/\/b", "a/b", "src/**/*.ts"]"#, [None, None, Some(22), None]),
            (r#"["/*", "//"]"#, [None, Some(8), Some(2), None]),
            ("[1e308, 1e309, -1e999]", [None, None, None, Some(8)]),
        ];
        for (text, expected) in cases {
            assert_eq!(noticed(text), expected, "{text}");
        }
        let digits = "9".repeat(400);
        assert_eq!(parse(&digits, true).unwrap().infinite, Some(0));
    }

    #[test]
    fn nodes_are_in_the_order_of_the_text() {
        let text = r#"{"a":[1,{}],"b":null}"#;
        let tape = parse(text, true).unwrap();
        let seen: Vec<_> =
            tape.nodes.iter().map(|node| (&text[node.range()], node.parent(), node.next(), node.slot())).collect();
        assert_eq!(
            seen,
            [
                (text, None, 7, 0),
                ("\"a\"", Some(0), 2, 0),
                ("[1,{}]", Some(0), 5, 0),
                ("1", Some(2), 4, 0),
                ("{}", Some(2), 5, 1),
                ("\"b\"", Some(0), 6, 1),
                ("null", Some(0), 7, 1),
            ]
        );
    }

    #[test]
    fn shows_sources_in_one_short_line() {
        assert_eq!(shown("\"a\""), "\"a\"");
        assert_eq!(shown(&"x".repeat(41)), format!("{}…", "x".repeat(40)));
        assert_eq!(shown("a\nb\u{202e}\u{1b}"), "a\\u{a}b\\u{202e}\\u{1b}");
    }

    /// Pieces of JSON and of what is nearly JSON.
    fn nearly_json() -> impl Strategy<Value = String> {
        let pieces = [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"a\"",
            "\"b\":",
            "\"a\":1",
            "{\"a\":",
            "[1,",
            "1",
            "-0.5e1",
            "01",
            "1e400",
            "true",
            "null",
            "nul",
            "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "\"\\n\\u00e9\"",
            "\"\\x\"",
            "\"",
            "\\",
            " ",
            "\n",
            "\t",
            "\u{a0}",
            "\u{feff}",
            "\0",
            "\u{1}",
            "// c\n",
            "/* c */",
            "/",
            "'",
            "é",
            "😀",
            ".",
            "-",
            "+",
            "Infinity",
            "x",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..12).prop_map(|pieces| pieces.concat())
    }

    fn mended(text: &str, comments: bool) -> String {
        without_lone_surrogates(text, &lone_surrogates(text, comments))
    }

    fn check(text: &str) -> Result<(), TestCaseError> {
        for comments in [true, false] {
            let text = mended(text, comments);
            match parse(&text, comments) {
                Ok(tape) => {
                    prop_assert_eq!(tape.nodes[0].next(), tape.nodes.len());
                    for (index, node) in tape.nodes.iter().enumerate() {
                        prop_assert!(serde_json::from_str::<&RawValue>(&text[node.range()]).is_ok() || comments);
                        prop_assert!(
                            node.parent().is_none_or(|parent| parent < index && index < tape.nodes[parent].next())
                        );
                    }
                }
                Err(fault) => {
                    prop_assert!(text.is_char_boundary(fault.at));
                    prop_assert!(!fault.message.is_empty() && !fault.message.contains('\n'));
                }
            }
        }
        let plain = mended(text, false);
        prop_assert_eq!(parse(&plain, false).is_ok(), serde_json::from_str::<&RawValue>(&plain).is_ok());
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn agrees_with_serde_json_on_what_is_json(text in nearly_json()) {
            check(&text)?;
        }

        #[test]
        fn reads_any_text(text in any::<String>()) {
            check(&text)?;
        }
    }
}
