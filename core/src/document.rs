//! A configuration document: JSON a person wrote, read so that everything said about it names a place.
//!
//! [`Tree::read`] takes any bytes and never fails: it returns the document, or none and the one diagnostic that says
//! why. What some vendors tolerate and others refuse (byte order marks, comments, …) is read and reported as
//! [`Facts`]; the adapter decides what to say about them. [`Item`], [`Object`] and [`Array`] walk the document. A plain
//! getter (`as_text`) answers `None` to another kind of value, an expecting one (`expect_text`) also pushes a diagnostic
//! with a pointer, a place and a remedy.
//!
//! Strings are read as JavaScript reads them, numbers stay as they were written, of equal keys the last wins. No key of
//! any vendor is known here, and no file is opened.
//!
//! ```
//! use harness_hooks_core::document::{Tree, Reading};
//!
//! let text = br#"{ "timeout": "5" } // seconds"#;
//! let (document, mut diagnostics) = Tree::read(text, &Reading::new("cursor").source("hooks.json"));
//! let document = document.expect("it is JSON");
//! let timeout = document.root().as_object().and_then(|top| top.get("timeout")).expect("it is there");
//! assert!(timeout.expect_number(&mut diagnostics, "a number of seconds").is_none());
//! assert_eq!(
//!     diagnostics[0].to_string(),
//!     "hooks.json:1:14: error[cursor/wrong-type]: `timeout` must be a number of seconds, found text `\"5\"`\n  \
//!      help: remove the quotes: `5`"
//! );
//! assert_eq!(diagnostics[0].pointer.as_deref(), Some("/timeout"));
//! assert_eq!(document.facts().comment.map(|place| place.column), Some(20));
//! ```

use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::json::{self, is_js_space, unquote};
use crate::syntax::{self, Fault, Node, Tape, shown};
use once_cell::sync::OnceCell;
use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

pub use crate::json::{Kind, Number};

/// How a document is to be read: whose it is, and what its vendor tolerates.
#[derive(Clone, Debug)]
pub struct Reading<'a> {
    vendor: &'a str,
    source: Option<&'a str>,
    comments: bool,
    blank: Severity,
}

impl<'a> Reading<'a> {
    /// A document of this vendor, whose name starts the codes of all diagnostics. Comments are read; a blank document
    /// is an error.
    #[must_use]
    pub fn new(vendor: &'a str) -> Self {
        Reading { vendor, source: None, comments: true, blank: Severity::Error }
    }

    /// The path or label all diagnostics carry.
    #[must_use]
    pub fn source(mut self, source: &'a str) -> Self {
        self.source = Some(source);
        self
    }

    /// Comments are a syntax error.
    #[must_use]
    pub fn without_comments(mut self) -> Self {
        self.comments = false;
        self
    }

    /// How bad a document of nothing but white space is. It is read as no document in any case.
    #[must_use]
    pub fn blank(mut self, severity: Severity) -> Self {
        self.blank = severity;
        self
    }

    fn diagnostic(&self, severity: Severity, code: &str, message: impl Into<String>) -> Diagnostic {
        let diagnostic = Diagnostic::new(severity, format!("{}/{code}", self.vendor), message);
        match self.source {
            Some(source) => diagnostic.source(source),
            None => diagnostic,
        }
    }
}

/// What was noticed while reading: each is fine with some vendor and not with another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// How many byte order marks stood at the start and were skipped, UTF-16's own not counted: 0 to 2.
    pub boms: usize,
    /// Whether the bytes were UTF-16 (then there is a `<vendor>/utf16` warning too).
    pub utf16: bool,
    /// The first comment.
    pub comment: Option<Place>,
    /// The first `//` inside text. A program that strips comments without reading the JSON cuts the text there.
    pub slashes_in_string: Option<Place>,
    /// The first `/*` inside text, likewise.
    pub star_in_string: Option<Place>,
    /// The first escape of half a surrogate pair; it was read as U+FFFD.
    pub lone_surrogate: Option<Place>,
    /// The first number too large for a double (`1e400`).
    pub infinite_number: Option<Place>,
    /// How many objects and lists are nested at the deepest point: 0 to 512.
    pub depth: usize,
}

/// A configuration document that is JSON.
#[derive(Debug)]
pub struct Tree {
    vendor: String,
    source: Option<String>,
    text: String,
    tape: Tape,
    facts: Facts,
    lines: OnceCell<Lines>,
    original: Option<Original>,
}

/// What a document in another syntax looked like.
#[derive(Debug)]
struct Original {
    text: String,
    /// Where a token of the JSON begins, and where it stood in the original: in the order of the JSON.
    tokens: Vec<(usize, usize)>,
}

/// A document in another syntax (TOML, YAML), written again as JSON value by value, so that one reader serves both and
/// every place is still one of the original.
///
/// ```
/// use harness_hooks_core::document::{Reading, Translation, Tree};
///
/// let toml = "# guard\ntimeout = '5'\n";
/// let mut json = Translation::default();
/// json.write("{");
/// json.token(8, "\"timeout\"");
/// json.write(":");
/// json.token(18, "\"5\"");
/// json.write("}");
/// let (document, _) = Tree::translated(toml, json, &Reading::new("codex").source("config.toml"));
/// let document = document.expect("what was written is JSON");
/// let timeout = document.root().as_object().and_then(|top| top.get("timeout")).expect("it is there");
/// assert_eq!((timeout.place().line, timeout.place().column), (2, 11));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Translation {
    json: String,
    tokens: Vec<(usize, usize)>,
}

impl Translation {
    /// Writes JSON that stands for nothing in particular: brackets, commas, colons.
    pub fn write(&mut self, json: &str) {
        self.json.push_str(json);
    }

    /// Writes a key or value, or the bracket that opens one, that begins at this byte of the original.
    pub fn token(&mut self, offset: usize, json: &str) {
        self.tokens.push((self.json.len(), offset));
        self.json.push_str(json);
    }
}

impl Tree {
    /// Reads a document that was written again as JSON. Places are those of the original; the facts are those of the
    /// JSON.
    #[must_use]
    pub fn translated(
        original: &str,
        translation: Translation,
        reading: &Reading<'_>,
    ) -> (Option<Tree>, Vec<Diagnostic>) {
        let Translation { json, tokens } = translation;
        let (mut tree, diagnostics) = Tree::read(json.as_bytes(), reading);
        if let Some(tree) = &mut tree {
            tree.original = Some(Original { text: original.to_owned(), tokens });
        }
        (tree, diagnostics)
    }

    /// Reads any bytes. There is a document, or an error that says why there is none (`invalid-utf16`,
    /// `invalid-json`, `nested-too-deep`, `blank`; behind the vendor and a slash).
    ///
    /// Places are counted in the decoded text behind the byte order marks.
    #[must_use]
    pub fn read(bytes: &[u8], reading: &Reading<'_>) -> (Option<Tree>, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let document = read(bytes, reading, &mut diagnostics);
        (document, diagnostics)
    }

    /// The value of the whole document.
    pub fn root(&self) -> Item<'_> {
        Item { document: self, node: 0 }
    }

    /// What was noticed while reading.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// A diagnostic about the document as a whole or about one of its [`facts`](Self::facts); `code` is the full code.
    /// It has the document's source.
    pub fn diagnostic(
        &self,
        severity: Severity,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Diagnostic {
        let diagnostic = Diagnostic::new(severity, code, message);
        match &self.source {
            Some(source) => diagnostic.source(source.as_str()),
            None => diagnostic,
        }
    }

    fn place(&self, offset: usize) -> Place {
        let (text, offset) = match &self.original {
            None => (&self.text, offset),
            Some(Original { text, tokens }) => {
                let behind = tokens.partition_point(|(json, _)| *json <= offset);
                (text, behind.checked_sub(1).map_or(0, |token| tokens[token].1))
            }
        };
        self.lines.get_or_init(|| Lines::of(text)).place(text, offset.min(text.len()))
    }

    fn node(&self, index: usize) -> &Node {
        &self.tape.nodes[index]
    }
}

const BOM: char = '\u{FEFF}';

/// The text of a document in another syntax, before it is a [`Translation`]: decoded as [`Tree::read`] decodes, without
/// the byte order marks before it. There is a text, or the error that says why there is none.
#[must_use]
pub fn text<'b>(bytes: &'b [u8], reading: &Reading<'_>) -> (Option<Cow<'b, str>>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let decoded = decode(bytes, reading, &mut diagnostics);
    let text = decoded.map(|text| match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[marks(text)..]),
        Cow::Owned(text) if marks(&text) == 0 => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text[marks(&text)..].to_owned()),
    });
    (text, diagnostics)
}

/// How many bytes of byte order marks stand before a text; more than two are part of it.
fn marks(text: &str) -> usize {
    text.chars().take(2).take_while(|c| *c == BOM).count() * BOM.len_utf8()
}

fn read(bytes: &[u8], reading: &Reading<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Tree> {
    let decoded = decode(bytes, reading, diagnostics)?;
    let boms = decoded.chars().take(2).take_while(|c| *c == BOM).count();
    let mut text = match decoded {
        Cow::Owned(text) if boms == 0 => text,
        decoded => decoded[boms * BOM.len_utf8()..].to_owned(),
    };
    if text.chars().all(is_js_space) {
        diagnostics.push(blank(&text, reading));
        return None;
    }
    let lone = json::lone_surrogates(&text, reading.comments);
    if !lone.is_empty() {
        text = json::without_lone_surrogates(&text, &lone);
    }
    let tape = match syntax::parse(&text, reading.comments) {
        Ok(tape) => tape,
        Err(fault) => {
            diagnostics.push(refusal(&text, fault, reading));
            return None;
        }
    };
    let place = |offset| place_in(&text, offset);
    let facts = Facts {
        boms,
        utf16: is_utf16(bytes),
        comment: tape.comment.map(place),
        slashes_in_string: tape.slashes_in_text.map(place),
        star_in_string: tape.star_in_text.map(place),
        lone_surrogate: lone.first().copied().map(place),
        infinite_number: tape.infinite.map(place),
        depth: tape.depth,
    };
    let (vendor, source) = (reading.vendor.to_owned(), reading.source.map(str::to_owned));
    Some(Tree { vendor, source, text, tape, facts, lines: OnceCell::new(), original: None })
}

fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
}

fn decode<'b>(bytes: &'b [u8], reading: &Reading<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Cow<'b, str>> {
    if is_utf16(bytes) {
        return decode_utf16(bytes, reading, diagnostics).map(Cow::Owned);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(Cow::Borrowed(text)),
        Err(error) => {
            diagnostics.push(not_utf8(bytes, error.valid_up_to(), reading));
            Some(String::from_utf8_lossy(bytes))
        }
    }
}

/// UTF-16 behind its byte order mark. Lone surrogates become U+FFFD.
fn decode_utf16(bytes: &[u8], reading: &Reading<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    let (units, odd) = bytes[2..].as_chunks::<2>();
    if !odd.is_empty() {
        let message = format!("this is UTF-16, but its length is odd: {} bytes", bytes.len());
        diagnostics.push(reading.diagnostic(Severity::Error, "invalid-utf16", message).help("save it as UTF-8"));
        return None;
    }
    let message = "this is UTF-16: it was decoded, but other programs expect UTF-8";
    diagnostics.push(reading.diagnostic(Severity::Warning, "utf16", message).help("save it as UTF-8"));
    let read_unit = if bytes[0] == 0xFF { u16::from_le_bytes } else { u16::from_be_bytes };
    let units = units.iter().copied().map(read_unit);
    Some(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

fn not_utf8(bytes: &[u8], at: usize, reading: &Reading<'_>) -> Diagnostic {
    // Everything before the offset is valid, so nothing is replaced here.
    let before = String::from_utf8_lossy(&bytes[..at]);
    let boms = before.chars().take(2).take_while(|c| *c == BOM).count();
    let before = &before[boms * BOM.len_utf8()..];
    let message =
        format!("this is not UTF-8: the byte 0x{:02X} at offset {at}, and any other, is read as U+FFFD", bytes[at]);
    reading
        .diagnostic(Severity::Warning, "invalid-utf8", message)
        .at(place_in(before, before.len()))
        .help("save it as UTF-8; it may be in an older encoding such as Windows-1252, or cut off")
}

fn blank(text: &str, reading: &Reading<'_>) -> Diagnostic {
    let message = if text.is_empty() { "this is empty" } else { "this holds nothing but white space" };
    reading
        .diagnostic(reading.blank, "blank", message)
        .at(START)
        .help("write a JSON object, such as `{}`, or delete the file")
}

fn refusal(text: &str, fault: Fault, reading: &Reading<'_>) -> Diagnostic {
    let code = if fault.too_deep { "nested-too-deep" } else { "invalid-json" };
    let diagnostic = reading.diagnostic(Severity::Error, code, fault.message).at(place_in(text, fault.at));
    match fault.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// A value in a document: a handle that is copied freely.
#[derive(Clone, Copy)]
pub struct Item<'d> {
    document: &'d Tree,
    node: usize,
}

impl<'d> Item<'d> {
    /// What kind of value it is.
    #[must_use]
    pub fn kind(self) -> Kind {
        Kind::of(self.document.text.as_bytes()[self.node().range().start])
    }

    /// Its JSON as written, comments inside it included, escapes of lone surrogates replaced by `\ufffd`.
    #[must_use]
    pub fn raw(self) -> &'d str {
        &self.document.text[self.node().range()]
    }

    /// Its kind and the first 40 characters of what is written, for a message.
    #[must_use]
    pub fn brief(self) -> String {
        const MOST: usize = 40;
        let raw = self.raw();
        let cut = raw.char_indices().nth(MOST).map_or(raw.len(), |(end, _)| end);
        format!("{} `{}{}`", self.kind(), &raw[..cut], if cut < raw.len() { "…" } else { "" })
    }

    /// Where it starts.
    #[must_use]
    pub fn place(self) -> Place {
        self.document.place(self.node().range().start)
    }

    /// Where its key is, for a value of an object; otherwise where it starts.
    #[must_use]
    pub fn key_place(self) -> Place {
        self.document.place(self.key().unwrap_or(self.node()).range().start)
    }

    /// Its JSON pointer (RFC 6901); empty for the whole document.
    #[must_use]
    pub fn pointer(self) -> String {
        let mut path = vec![self];
        while let Some(parent) = path.last().and_then(|item| item.parent()) {
            path.push(parent);
        }
        let mut pointer = String::new();
        for item in path.iter().rev().skip(1) {
            pointer.push('/');
            match item.key() {
                Some(key) => {
                    let key = unquote(&self.document.text[key.range()]);
                    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                }
                // Writing to a String does not fail.
                None => _ = write!(pointer, "{}", item.node().slot()),
            }
        }
        pointer
    }

    /// A diagnostic about this value, with its pointer and place and the document's source; `code` is the full code.
    pub fn diagnostic(
        self,
        severity: Severity,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Diagnostic {
        self.document.diagnostic(severity, code, message).pointer(self.pointer()).at(self.place())
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(self) -> Option<Cow<'d, str>> {
        (self.kind() == Kind::Text).then(|| unquote(self.raw()))
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_number(self) -> Option<Number<'d>> {
        (self.kind() == Kind::Number).then(|| Number::new(self.raw()))
    }

    /// `true` or `false`, if it is one of them.
    #[must_use]
    pub fn as_flag(self) -> Option<bool> {
        (self.kind() == Kind::Flag).then(|| self.raw() == "true")
    }

    /// The object, if it is one.
    #[must_use]
    pub fn as_object(self) -> Option<Object<'d>> {
        (self.kind() == Kind::Object).then_some(Object { item: self })
    }

    /// The list, if it is one.
    #[must_use]
    pub fn as_array(self) -> Option<Array<'d>> {
        (self.kind() == Kind::Array).then_some(Array { item: self })
    }

    /// The text, or a `<vendor>/wrong-type` error. `what` completes the sentence "`key` must be …": "a shell command".
    pub fn expect_text(self, sink: &mut Vec<Diagnostic>, what: &str) -> Option<Cow<'d, str>> {
        self.expect(self.as_text(), Kind::Text, sink, what)
    }

    /// The number, or a `<vendor>/wrong-type` error. `what` completes "`key` must be …": "a number of seconds".
    pub fn expect_number(self, sink: &mut Vec<Diagnostic>, what: &str) -> Option<Number<'d>> {
        self.expect(self.as_number(), Kind::Number, sink, what)
    }

    /// `true` or `false`, or a `<vendor>/wrong-type` error. `what` completes "`key` must be …": "true or false".
    pub fn expect_flag(self, sink: &mut Vec<Diagnostic>, what: &str) -> Option<bool> {
        self.expect(self.as_flag(), Kind::Flag, sink, what)
    }

    /// The object, or a `<vendor>/wrong-type` error. `what` completes "`key` must be …": "an object of events".
    pub fn expect_object(self, sink: &mut Vec<Diagnostic>, what: &str) -> Option<Object<'d>> {
        self.expect(self.as_object(), Kind::Object, sink, what)
    }

    /// The list, or a `<vendor>/wrong-type` error. `what` completes "`key` must be …": "a list of hooks".
    pub fn expect_array(self, sink: &mut Vec<Diagnostic>, what: &str) -> Option<Array<'d>> {
        self.expect(self.as_array(), Kind::Array, sink, what)
    }

    fn expect<T>(self, value: Option<T>, wanted: Kind, sink: &mut Vec<Diagnostic>, what: &str) -> Option<T> {
        if value.is_none() {
            sink.push(self.wrong_type(wanted, what));
        }
        value
    }

    fn wrong_type(self, wanted: Kind, what: &str) -> Diagnostic {
        let raw = shown(self.raw());
        let found = match self.kind() {
            Kind::Object => "an object".into(),
            Kind::Array => "a list".into(),
            kind @ (Kind::Text | Kind::Number) => format!("{kind} `{raw}`"),
            Kind::Flag | Kind::Null => format!("`{raw}`"),
        };
        let message = format!("{} must be {what}, found {found}", self.name());
        let code = format!("{}/wrong-type", self.document.vendor);
        self.diagnostic(Severity::Error, code, message).help(self.remedy(wanted, what, &raw))
    }

    fn remedy(self, wanted: Kind, what: &str, raw: &str) -> String {
        match (self.kind(), wanted) {
            (Kind::Text, Kind::Number | Kind::Flag | Kind::Object | Kind::Array) if self.holds(wanted) => {
                let inner = unquote(self.raw());
                format!("remove the quotes: `{}`", shown(&inner))
            }
            (Kind::Number | Kind::Flag, Kind::Text) => format!("put it in double quotes: `\"{raw}\"`"),
            (Kind::Null, _) if self.key().is_some() => format!("leave {} out, or write {what}", self.name()),
            (Kind::Text | Kind::Object, Kind::Array) => "put it in a list: `[…]`".into(),
            (_, Kind::Flag) => "write `true` or `false`".into(),
            _ => format!("write {what}"),
        }
    }

    /// Whether the text is itself JSON of this kind.
    fn holds(self, wanted: Kind) -> bool {
        let inner = unquote(self.raw());
        let first = inner.bytes().next();
        first.is_some_and(|first| Kind::of(first) == wanted)
            && syntax::parse(&inner, false).is_ok_and(|tape| tape.nodes[0].range() == (0..inner.len()))
    }

    /// What a message calls it, back-ticks included: `key`, `key[0]` for an item of its list, `[0]` where there is no
    /// key; "the document" for the whole.
    #[must_use]
    pub fn name(self) -> String {
        let mut positions = String::new();
        let mut item = self;
        let key = loop {
            match (item.key(), item.parent()) {
                (Some(key), _) => break shown(self.document.text[key.range()].trim_matches('"')),
                (None, Some(list)) => {
                    positions = format!("[{}]{positions}", item.node().slot());
                    item = list;
                }
                (None, None) if positions.is_empty() => return "the document".into(),
                (None, None) => break String::new(),
            }
        };
        format!("`{key}{positions}`")
    }

    fn node(self) -> &'d Node {
        self.document.node(self.node)
    }

    fn parent(self) -> Option<Item<'d>> {
        self.node().parent().map(|node| Item { node, ..self })
    }

    /// The node of its key, if it is in an object: the one right before it.
    fn key(self) -> Option<&'d Node> {
        let in_object = self.parent().is_some_and(|parent| parent.kind() == Kind::Object);
        in_object.then(|| self.document.node(self.node - 1))
    }

    fn children(self) -> Children<'d> {
        Children { document: self.document, next: self.node + 1, end: self.node().next() }
    }
}

impl fmt::Debug for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Item({})", shown(self.raw()))
    }
}

/// An object in a document.
#[derive(Clone, Copy, Debug)]
pub struct Object<'d> {
    item: Item<'d>,
}

impl<'d> Object<'d> {
    /// The object as a value.
    #[must_use]
    pub fn item(self) -> Item<'d> {
        self.item
    }

    /// Whether it has no keys.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.item.children().next().is_none()
    }

    /// The value of this key; of equal keys the last counts.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Item<'d>> {
        self.pairs().filter(|(other, _)| other == key).last().map(|(_, item)| item)
    }

    /// Each key once with the value that counts, in the order in which the keys are first mentioned (as in JavaScript).
    #[must_use]
    pub fn entries(self) -> Vec<(Cow<'d, str>, Item<'d>)> {
        json::last_wins(self.pairs().collect()).0
    }

    /// Each key once, in the order of [`entries`](Self::entries).
    pub fn keys(self) -> impl Iterator<Item = Cow<'d, str>> {
        self.entries().into_iter().map(|(key, _)| key)
    }

    /// The values that do not count because their key is there again further down, in document order. A diagnostic of
    /// such a value has its own place; [`Item::key_place`] is that of its key.
    #[must_use]
    pub fn duplicates(self) -> Vec<(Cow<'d, str>, Item<'d>)> {
        json::last_wins(self.pairs().collect()).1
    }

    fn pairs(self) -> impl Iterator<Item = (Cow<'d, str>, Item<'d>)> {
        let text = &self.item.document.text;
        let mut children = self.item.children();
        std::iter::from_fn(move || {
            let (key, value) = (children.next()?, children.next()?);
            Some((unquote(&text[key.node().range()]), value))
        })
    }
}

/// A list in a document.
#[derive(Clone, Copy, Debug)]
pub struct Array<'d> {
    item: Item<'d>,
}

impl<'d> Array<'d> {
    /// The list as a value.
    #[must_use]
    pub fn item(self) -> Item<'d> {
        self.item
    }

    /// Whether it has no items.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.items().next().is_none()
    }

    /// Its items in order.
    pub fn items(self) -> impl Iterator<Item = Item<'d>> {
        self.item.children()
    }
}

/// The nodes directly inside an object (keys and values in turn) or a list.
struct Children<'d> {
    document: &'d Tree,
    next: usize,
    end: usize,
}

impl<'d> Iterator for Children<'d> {
    type Item = Item<'d>;

    fn next(&mut self) -> Option<Item<'d>> {
        let node = self.next;
        (node < self.end).then(|| {
            self.next = self.document.node(node).next();
            Item { document: self.document, node }
        })
    }
}

const START: Place = Place::new(1, 1);

/// The place of every so-manieth byte, so that finding one more place is cheap however long the lines are.
#[derive(Debug)]
struct Lines(Vec<Place>);

impl Lines {
    const STEP: usize = 1024;

    fn of(text: &str) -> Lines {
        let mut places = vec![START];
        let mut place = START;
        for from in (0..text.len()).step_by(Self::STEP) {
            place = advance(text.as_bytes(), place, from, from + Self::STEP);
            places.push(place);
        }
        Lines(places)
    }

    fn place(&self, text: &str, offset: usize) -> Place {
        let block = offset / Self::STEP;
        advance(text.as_bytes(), self.0[block], block * Self::STEP, offset)
    }
}

/// The place of this byte, found without [`Lines`].
fn place_in(text: &str, offset: usize) -> Place {
    advance(text.as_bytes(), START, 0, offset)
}

/// The place of the byte at `to`, from the place of the byte at `from`. Only first bytes of characters count.
fn advance(bytes: &[u8], mut place: Place, from: usize, to: usize) -> Place {
    for at in from..to.min(bytes.len()) {
        match bytes[at] {
            b'\n' => place = Place::new(place.line.saturating_add(1), 1),
            b'\r' if bytes.get(at + 1) != Some(&b'\n') => place = Place::new(place.line.saturating_add(1), 1),
            0x80..=0xBF => {}
            _ => place.column = place.column.saturating_add(1),
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_all(bytes: &[u8]) -> (Option<Tree>, Vec<Diagnostic>) {
        Tree::read(bytes, &Reading::new("v"))
    }

    fn document(text: &str) -> Tree {
        let (document, diagnostics) = read_all(text.as_bytes());
        assert_eq!(diagnostics, [], "{text}");
        document.unwrap()
    }

    /// The one diagnostic of bytes that are no document.
    fn refused(bytes: &[u8]) -> Diagnostic {
        let (document, mut diagnostics) = read_all(bytes);
        assert!(document.is_none());
        let last = diagnostics.pop().unwrap();
        assert_eq!(diagnostics.iter().filter(|diagnostic| diagnostic.code != "v/utf16").count(), 0);
        last
    }

    const fn at(line: u32, column: u32) -> Place {
        Place::new(line, column)
    }

    fn utf16(text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
    }

    #[test]
    fn a_document_is_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Tree>();
    }

    #[test]
    fn skips_byte_order_marks_and_says_how_many() {
        for (text, boms) in [("[7]", 0), ("\u{feff}[7]", 1), ("\u{feff}\u{feff}[7]", 2)] {
            let document = document(text);
            assert_eq!(document.facts().boms, boms);
            assert!(!document.facts().utf16);
            assert_eq!(document.root().as_array().unwrap().items().next().unwrap().place(), Place::new(1, 2));
        }
        let third = refused("\u{feff}\u{feff}\u{feff}{}".as_bytes());
        assert_eq!(third.code, "v/invalid-json");
        assert_eq!(third.message, "expected a JSON value, found a byte order mark");
        assert_eq!(third.place, Some(at(1, 1)));
    }

    #[test]
    fn decodes_utf16_and_warns() {
        let text = "{\"é😀\": [1]}";
        let marks = [utf16(text, [0xFF, 0xFE], u16::to_le_bytes), utf16(text, [0xFE, 0xFF], u16::to_be_bytes)];
        for bytes in marks {
            let (document, diagnostics) = Tree::read(&bytes, &Reading::new("cursor").source("h.json"));
            let document = document.unwrap();
            assert!(document.facts().utf16);
            assert_eq!(document.facts().boms, 0);
            assert_eq!(document.root().raw(), text);
            assert_eq!(document.root().as_object().unwrap().get("é😀").unwrap().place(), Place::new(1, 8));
            let warning =
                Diagnostic::warning("cursor/utf16", "this is UTF-16: it was decoded, but other programs expect UTF-8");
            assert_eq!(diagnostics, [warning.source("h.json").help("save it as UTF-8")]);
        }
        let two_marks = utf16("\u{feff}{}", [0xFF, 0xFE], u16::to_le_bytes);
        assert_eq!(read_all(&two_marks).0.unwrap().facts().boms, 1);
        let lone = [0xFF, 0xFE, b'"', 0, 0x00, 0xD8, b'"', 0];
        assert_eq!(read_all(&lone).0.unwrap().root().as_text().unwrap(), "\u{fffd}");
        let odd = refused(&[0xFF, 0xFE, b'{', 0, b'}', 0, b'\n']);
        assert_eq!((odd.code.as_ref(), odd.severity), ("v/invalid-utf16", Severity::Error));
        assert_eq!(odd.message, "this is UTF-16, but its length is odd: 7 bytes");
        let (none, diagnostics) = read_all(&[0xFE, 0xFF]);
        assert!(none.is_none());
        assert_eq!(diagnostics.iter().map(|found| found.code.as_ref()).collect::<Vec<_>>(), ["v/utf16", "v/blank"]);
        let unmarked = utf16("{}", [b'{', 0], u16::to_le_bytes);
        assert!(refused(&unmarked).help.unwrap().contains("UTF-16 without a byte order mark"));
    }

    #[test]
    fn warns_of_what_is_not_utf8_with_the_place_of_the_first_byte() {
        let cases: [(&[u8], &str, Place); 3] = [
            (b"{\n  \"caf\xE9\": 1}", "0xE9 at offset 8", at(2, 7)),
            (b"\xEF\xBB\xBF[\"\xFF\xFE\"]", "0xFF at offset 5", at(1, 3)),
            (b"\"\xED\xA0\x80\"", "0xED at offset 1", at(1, 2)),
        ];
        for (bytes, what, place) in cases {
            let (document, diagnostics) = read_all(bytes);
            assert!(document.is_some(), "{what}: the rest of the document is read");
            let [warning] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
            assert_eq!((warning.severity, warning.code.as_ref()), (Severity::Warning, "v/invalid-utf8"));
            assert!(warning.message.contains(what), "{}", warning.message);
            assert_eq!(warning.place, Some(place), "{what}");
            assert!(warning.help.as_ref().unwrap().starts_with("save it as UTF-8"));
        }
        let (document, _) = read_all(b"\"caf\xE9\"");
        assert_eq!(document.unwrap().root().as_text().unwrap(), "caf\u{FFFD}");
    }

    #[test]
    fn a_blank_document_is_as_bad_as_the_vendor_says() {
        for (text, message) in [
            ("", "this is empty"),
            ("\u{feff}", "this is empty"),
            (" \r\n\t\u{a0}\u{feff}", "this holds nothing but white space"),
        ] {
            let diagnostic = refused(text.as_bytes());
            assert_eq!(
                diagnostic,
                Diagnostic::error("v/blank", message)
                    .at(START)
                    .help("write a JSON object, such as `{}`, or delete the file")
            );
        }
        let (none, diagnostics) = Tree::read(b"\n", &Reading::new("claude").blank(Severity::Note));
        assert!(none.is_none());
        assert_eq!((diagnostics[0].severity, diagnostics[0].code.as_ref()), (Severity::Note, "claude/blank"));
    }

    #[test]
    fn reports_comments_and_what_a_naive_stripper_would_cut() {
        let facts = *document("{\n \"url\": \"http://x\", // see\n \"glob\": \"src/**/*.ts\" /* b */\n}").facts();
        assert_eq!(facts.comment, Some(at(2, 21)));
        assert_eq!(facts.slashes_in_string, Some(at(2, 15)));
        assert_eq!(facts.star_in_string, Some(at(3, 14)));
        assert_eq!(*document(r#"{"a": "b/c\/\/d"}"#).facts(), Facts { depth: 1, ..Facts::default() });
        let (none, diagnostics) = Tree::read(b"{}\n// a", &Reading::new("v").without_comments());
        assert!(none.is_none());
        assert_eq!(
            diagnostics[0].to_string(),
            "2:1: error[v/invalid-json]: found a comment: this must be plain JSON\n  help: remove the comment"
        );
    }

    #[test]
    fn reads_lone_surrogates_and_large_numbers_as_javascript_does() {
        let document =
            document("{ // \"\\ud800\n \"\\ud800\": \"a\\uDC00\\\\ud800\", \"n\": -1e400, \"e\": \"\\ud83d\\ude00\"}");
        let top = document.root().as_object().unwrap();
        assert_eq!(top.keys().collect::<Vec<_>>(), ["\u{fffd}", "n", "e"]);
        let mended = top.get("\u{fffd}").unwrap();
        assert_eq!(mended.as_text().unwrap(), "a\u{fffd}\\ud800");
        assert_eq!(mended.raw(), r#""a\ufffd\\ud800""#);
        assert_eq!(mended.pointer(), "/\u{fffd}");
        assert_eq!(top.get("e").unwrap().as_text().unwrap(), "😀");
        let number = top.get("n").unwrap().as_number().unwrap();
        assert_eq!(number.to_string(), "-1e400");
        assert!(number.as_f64().is_infinite());
        assert_eq!(document.facts().lone_surrogate, Some(at(2, 3)));
        assert_eq!(document.facts().infinite_number, Some(at(2, 35)));
    }

    #[test]
    fn refuses_what_is_not_json_with_place_and_source() {
        let reading = Reading::new("cursor").source(".cursor/hooks.json");
        let cases = [
            (
                "{\n  \"version\": 1,\n  \"hooks\": {},\n}",
                "3:14: error[cursor/invalid-json]: found a comma before `}`: JSON has no trailing commas\n  help: remove the comma",
            ),
            (
                "{\r\n\t\"a\": 'b'\r\n}",
                "2:7: error[cursor/invalid-json]: expected the value of `a`, found `'`\n  help: write text and keys in double quotes",
            ),
            (
                "{\"é😀\": 1} {}",
                "1:11: error[cursor/invalid-json]: expected nothing more after the value, found `{`\n  help: there can be only one value: join the two or remove one",
            ),
            (
                "\u{feff}\r\r{\0",
                "3:2: error[cursor/invalid-json]: expected a key in double quotes or `}`, found a NUL byte\n  help: this is not UTF-8 text (UTF-16 without a byte order mark, or binary data): save it as UTF-8",
            ),
        ];
        for (text, expected) in cases {
            let (none, diagnostics) = Tree::read(text.as_bytes(), &reading);
            assert!(none.is_none());
            assert_eq!(diagnostics.len(), 1);
            assert_eq!(diagnostics[0].to_string(), format!(".cursor/hooks.json:{expected}"));
        }
        let deep = refused("[".repeat(100_000).as_bytes());
        assert_eq!(
            deep.to_string(),
            "1:513: error[v/nested-too-deep]: nested deeper than 512 levels\n  help: write it flatter"
        );
        let levels = document(&["[".repeat(512), "]".repeat(512)].concat()).facts().depth;
        assert_eq!(levels, 512);
    }

    #[test]
    fn counts_lines_and_characters() {
        let text = "[\n1,\r\n2,\r3,\t4, \"é😀\", 5,\n\n6]";
        let document = document(text);
        let places: Vec<_> =
            document.root().as_array().unwrap().items().map(|item| (item.place().line, item.place().column)).collect();
        assert_eq!(places, [(2, 1), (3, 1), (4, 1), (4, 4), (4, 7), (4, 13), (6, 1)]);
    }

    #[test]
    fn finds_places_in_long_lines_and_across_blocks() {
        for padding in [1, 1020, 1021, 1022, 1023, 1024, 1025, 4096, 100_000] {
            let text = format!("[\"{}é\", 1,\r\n\"{}\", 2]", "x".repeat(padding), "é".repeat(padding));
            let document = document(&text);
            let places: Vec<_> = document.root().as_array().unwrap().items().map(Item::place).collect();
            let wide = u32::try_from(padding).unwrap();
            assert_eq!(places, [Place::new(1, 2), Place::new(1, wide + 7), Place::new(2, 1), Place::new(2, wide + 5)]);
        }
    }

    #[test]
    fn points_at_values() {
        let document = document(r#"{"a/b": [{"~": 1}, [null]], "": {"\u0063": true}}"#);
        let mut pointers = Vec::new();
        walk(document.root(), &mut |item| pointers.push((item.pointer(), item.raw().to_owned())));
        let expected = [
            ("", document.root().raw()),
            ("/a~1b", r#"[{"~": 1}, [null]]"#),
            ("/a~1b/0", r#"{"~": 1}"#),
            ("/a~1b/0/~0", "1"),
            ("/a~1b/1", "[null]"),
            ("/a~1b/1/0", "null"),
            ("/", r#"{"\u0063": true}"#),
            ("//c", "true"),
        ];
        assert_eq!(pointers, expected.map(|(pointer, raw)| (pointer.to_owned(), raw.to_owned())));
    }

    #[test]
    fn of_equal_keys_the_last_wins() {
        let document = document("{\"a\": 1, \"b\": 2,\n \"\\u0061\": 3, \"c\": {}, \"a\": 4}");
        let top = document.root().as_object().unwrap();
        assert_eq!(top.get("a").unwrap().raw(), "4");
        assert!(top.get("d").is_none());
        let entries: Vec<_> = top.entries().into_iter().map(|(key, item)| format!("{key}={}", item.raw())).collect();
        assert_eq!(entries, ["a=4", "b=2", "c={}"]);
        assert_eq!(top.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
        let lost: Vec<_> =
            top.duplicates().into_iter().map(|(key, item)| (key, item.raw(), item.key_place(), item.place())).collect();
        assert_eq!(
            lost,
            [
                ("a".into(), "1", Place::new(1, 2), Place::new(1, 7)),
                ("a".into(), "3", Place::new(2, 2), Place::new(2, 12)),
            ]
        );
        assert!(top.get("c").unwrap().as_object().unwrap().is_empty());
        assert!(!top.is_empty());
    }

    #[test]
    fn plain_getters_answer_to_their_kind_only() {
        let document = document(r#"[{"a":1}, [2], "t", 12.50, true, false, null]"#);
        let items: Vec<_> = document.root().as_array().unwrap().items().collect();
        let seen: Vec<_> = items
            .iter()
            .map(|item| {
                let got = [
                    item.as_object().is_some(),
                    item.as_array().is_some(),
                    item.as_text().is_some(),
                    item.as_number().is_some(),
                    item.as_flag().is_some(),
                    item.is_null(),
                ];
                (item.kind().name(), got.iter().position(|yes| *yes), got.iter().filter(|yes| **yes).count())
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("object", Some(0), 1),
                ("list", Some(1), 1),
                ("text", Some(2), 1),
                ("number", Some(3), 1),
                ("true or false", Some(4), 1),
                ("true or false", Some(4), 1),
                ("null", Some(5), 1),
            ]
        );
        assert_eq!(items[3].as_number().unwrap().to_string(), "12.50");
        assert_eq!((items[4].as_flag(), items[5].as_flag()), (Some(true), Some(false)));
        assert!(!items[1].as_array().unwrap().is_empty());
        assert_eq!(items[1].as_array().unwrap().item().raw(), "[2]");
        assert_eq!(items[0].as_object().unwrap().item().raw(), r#"{"a":1}"#);
    }

    #[test]
    fn expecting_getters_say_what_is_wrong() {
        let text = r#"{"timeout": "5", "command": 12, "failClosed": "true", "loop": 1, "flag": null, "stop": {"a": 1},
            "list": ["a", [null]], "words": "soon", "env": "{\"a\":1}", "matcher": {"tool": "Shell"}, "long": "0123456789012345678901234567890123456789012345"}"#;
        let document = document(text);
        let top = document.root().as_object().unwrap();
        let get = |key: &str| top.get(key).unwrap();
        let item = |key: &str, position| get(key).as_array().unwrap().items().nth(position).unwrap();
        let mut sink = Vec::new();
        assert!(get("timeout").expect_number(&mut sink, "a number of seconds").is_none());
        assert!(get("command").expect_text(&mut sink, "a shell command").is_none());
        assert!(get("failClosed").expect_flag(&mut sink, "true or false").is_none());
        assert!(get("loop").expect_flag(&mut sink, "true or false").is_none());
        assert!(get("flag").expect_flag(&mut sink, "true or false").is_none());
        assert!(get("stop").expect_array(&mut sink, "a list of hooks").is_none());
        assert!(item("list", 0).expect_object(&mut sink, "an object that defines a hook").is_none());
        assert!(item("list", 1).as_array().unwrap().items().next().unwrap().expect_text(&mut sink, "a path").is_none());
        assert!(get("words").expect_number(&mut sink, "a number of seconds").is_none());
        assert!(get("env").expect_object(&mut sink, "an object of texts").is_none());
        assert!(get("matcher").expect_text(&mut sink, "a pattern").is_none());
        assert!(get("list").expect_text(&mut sink, "a pattern").is_none());
        assert!(get("long").expect_number(&mut sink, "a number").is_none());
        assert!(document.root().expect_array(&mut sink, "a list").is_none());
        let said: Vec<_> = sink
            .iter()
            .map(|found| {
                format!(
                    "{} | {} | {}",
                    found.pointer.as_deref().unwrap(),
                    found.message,
                    found.help.as_deref().unwrap()
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                r#"/timeout | `timeout` must be a number of seconds, found text `"5"` | remove the quotes: `5`"#,
                r#"/command | `command` must be a shell command, found number `12` | put it in double quotes: `"12"`"#,
                r#"/failClosed | `failClosed` must be true or false, found text `"true"` | remove the quotes: `true`"#,
                r"/loop | `loop` must be true or false, found number `1` | write `true` or `false`",
                r"/flag | `flag` must be true or false, found `null` | leave `flag` out, or write true or false",
                r"/stop | `stop` must be a list of hooks, found an object | put it in a list: `[…]`",
                r#"/list/0 | `list[0]` must be an object that defines a hook, found text `"a"` | write an object that defines a hook"#,
                r"/list/1/0 | `list[1][0]` must be a path, found `null` | write a path",
                r#"/words | `words` must be a number of seconds, found text `"soon"` | write a number of seconds"#,
                r#"/env | `env` must be an object of texts, found text `"{\"a\":1}"` | remove the quotes: `{"a":1}`"#,
                r"/matcher | `matcher` must be a pattern, found an object | write a pattern",
                r"/list | `list` must be a pattern, found a list | write a pattern",
                r#"/long | `long` must be a number, found text `"012345678901234567890123456789012345678…` | write a number"#,
                r" | the document must be a list, found an object | put it in a list: `[…]`",
            ]
        );
        assert!(
            sink.iter().all(|found| found.code == "v/wrong-type"
                && found.severity == Severity::Error
                && found.place.is_some())
        );
        assert_eq!(sink[1].place, Some(at(1, 29)));
        let mut none = Vec::new();
        assert_eq!(get("timeout").expect_text(&mut none, "a text").unwrap(), "5");
        assert_eq!(get("command").expect_number(&mut none, "a number").unwrap().as_str(), "12");
        assert!(get("stop").expect_object(&mut none, "an object").is_some());
        assert!(get("list").expect_array(&mut none, "a list").is_some());
        assert_eq!(none, []);
    }

    #[test]
    fn names_an_item_without_a_key() {
        let document = document("[[1]]");
        let inner =
            document.root().as_array().unwrap().items().next().unwrap().as_array().unwrap().items().next().unwrap();
        let mut sink = Vec::new();
        inner.expect_text(&mut sink, "a text");
        assert_eq!(sink[0].message, "`[0][0]` must be a text, found number `1`");
    }

    #[test]
    fn diagnostics_of_items_have_pointer_place_and_source() {
        let (document, _) = Tree::read(b"{\n \"a\": [1]}", &Reading::new("v").source("x.json"));
        let document = document.unwrap();
        let item = document.root().as_object().unwrap().get("a").unwrap();
        let expected = Diagnostic::note("v/some", "m").source("x.json");
        assert_eq!(document.diagnostic(Severity::Note, "v/some", "m"), expected);
        assert_eq!(item.diagnostic(Severity::Note, "v/some", "m"), expected.pointer("/a").at(Place::new(2, 7)));
        assert_eq!(item.key_place(), Place::new(2, 2));
        assert_eq!(item.as_array().unwrap().items().next().unwrap().key_place(), Place::new(2, 8));
        assert_eq!(document.root().key_place(), Place::new(1, 1));
    }

    #[test]
    fn raw_keeps_what_is_inside() {
        let document = document("{\"a\": [1, /* two */ 2.0]} // end");
        assert_eq!(document.root().raw(), "{\"a\": [1, /* two */ 2.0]}");
        assert_eq!(document.root().as_object().unwrap().get("a").unwrap().raw(), "[1, /* two */ 2.0]");
    }

    #[test]
    fn large_documents_are_read_in_time() {
        let started = std::time::Instant::now();
        let many = |open: &str, unit: &str, close: &str| [open, &unit.repeat((4 << 20) / unit.len()), close].concat();
        for (text, is_document) in [
            (many("[", "{\"command\":\"./x\",\"timeout\":1},", "0]"), true),
            (many("\"", "x\\n", "\""), true),
            (many("\"", "\\ud800", "\""), true),
            (many("", "\n", "{}"), true),
            (many("", "// x\n", "{}"), true),
            (many("{", "\"a\":1,", "\"a\":2}"), true),
            (many("", " ", ""), false),
            (many("", "[", ""), false),
            (many("", "\"", ""), false),
            (many("\"", "x", ""), false),
            (many("", "\0", ""), false),
            (many("/*", "x", ""), false),
            (many("[", "1,", "]"), false),
        ] {
            let (document, diagnostics) = read_all(text.as_bytes());
            assert_eq!((document.is_some(), diagnostics.len()), (is_document, usize::from(!is_document)));
        }
        let wrong = document(&many("[", "1,", "1]"));
        let mut sink = Vec::new();
        for item in wrong.root().as_array().unwrap().items().take(20_000) {
            item.expect_text(&mut sink, "a text");
        }
        assert_eq!(sink.last().unwrap().place, Some(at(1, 40_000)));
        // Generous: without optimization, on a busy machine. Quadratic work would take hours.
        assert!(started.elapsed().as_secs() < 120);
    }

    fn walk<'d>(item: Item<'d>, visit: &mut impl FnMut(Item<'d>)) {
        visit(item);
        for (_, value) in item.as_object().map(Object::entries).unwrap_or_default() {
            walk(value, visit);
        }
        for value in item.as_array().into_iter().flat_map(Array::items) {
            walk(value, visit);
        }
    }

    /// JSON values, and the text of one with a few characters changed.
    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i32>().prop_map(Into::into),
            "[a-c\"\\\\/~\u{0}-\u{1f}é😀]{0,4}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let key = "[a-c/~é]{0,2}";
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::vec((key, inner), 0..4).prop_map(|pairs| pairs.into_iter().collect()),
            ]
        })
    }

    fn changed(text: &str, changes: &[(prop::sample::Index, char)]) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        for (index, c) in changes {
            let at = index.index(chars.len() + 1);
            if at < chars.len() && c.is_alphabetic() {
                chars.remove(at);
            } else {
                chars.insert(at, *c);
            }
        }
        chars.into_iter().collect()
    }

    fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
        let (document, diagnostics) = read_all(bytes);
        let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
        prop_assert_eq!(errors, usize::from(document.is_none()));
        let text = String::from_utf8_lossy(bytes);
        let lines = 1 + text.matches(['\n', '\r']).count();
        let in_range = |place: Place| place.line as usize <= lines && place.column as usize <= text.chars().count() + 1;
        prop_assert!(
            diagnostics.iter().filter(|found| found.code != "v/utf16").filter_map(|found| found.place).all(in_range)
        );
        if let Some(document) = document {
            let mut fine = true;
            walk(document.root(), &mut |item| {
                fine &= document.facts().utf16 || in_range(item.place()) && in_range(item.key_place());
                fine &= item.pointer().len() <= 4 * document.text.len() && !item.name().is_empty();
                fine &= Lines::of(&document.text).place(&document.text, item.node().range().start)
                    == place_in(&document.text, item.node().range().start);
            });
            prop_assert!(fine);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn reads_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            check(&bytes)?;
        }

        #[test]
        fn reads_nearly_json(value in json(), changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec!['{', '}', '[', ']', '"', ',', ':', '/', '*', '\\', 'u', 'd', '8', '0', '\n', '\r', '\u{feff}', 'é'])), 0..3)) {
            let text = changed(&value.to_string(), &changes);
            check(text.as_bytes())?;
            check(&utf16(&text, [0xFF, 0xFE], u16::to_le_bytes))?;
        }

        #[test]
        fn reads_json_as_serde_json_does(value in json()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let document = document(&text);
                let mut same = true;
                walk(document.root(), &mut |item| {
                    let expected = value.pointer(&item.pointer());
                    same &= expected == serde_json::from_str(item.raw()).ok().as_ref();
                    same &= expected.and_then(|value| value.as_str()) == item.as_text().as_deref();
                    same &= expected.and_then(serde_json::Value::as_bool) == item.as_flag();
                    same &= expected.and_then(serde_json::Value::as_f64) == item.as_number().map(Number::as_f64);
                    same &= expected.and_then(|value| Some(value.as_object()?.len())) == item.as_object().map(|object| object.entries().len());
                    same &= expected.and_then(|value| Some(value.as_array()?.len())) == item.as_array().map(|array| array.items().count());
                });
                prop_assert!(same);
            }
        }
    }
}
