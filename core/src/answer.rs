//! What a hook printed, read the way JavaScript reads JSON.
//!
//! [`Answer::read`] takes any bytes. It says whether they are an object, and if not, what they are instead; which of
//! that is an answer, a mistake or plain text is for the vendor's adapter to decide. Fields keep their JSON until
//! somebody asks for their value, so a field nobody reads may hold anything JSON allows.
//!
//! - Bytes that are not UTF-8 become U+FFFD, and so do escapes of half a surrogate pair.
//! - White space around the value is skipped, as `String.prototype.trim` does, and up to two byte order marks before
//!   it, which is what shells and pipes put there. More are text.
//! - Of equal keys the last value counts. Numbers may be of any size. 512 levels of nesting are the most.
//! - Otherwise the grammar is JSON's own: no comments, no trailing commas, no `NaN`.
//!
//! ```
//! use harness_hooks_core::answer::{Answer, Read};
//!
//! let Read::Object(answer) = Answer::read(b"\xEF\xBB\xBF{\"permission\":\"deny\",\"tries\":1e400}\n") else {
//!     panic!("it is an object");
//! };
//! assert_eq!(answer.get("permission").and_then(|field| field.text()).as_deref(), Some("deny"));
//! assert_eq!(answer.get("tries").map(|field| field.raw()), Some("1e400"));
//! assert!(matches!(Answer::read(b" \n"), Read::Blank));
//! ```

use crate::json::{self, is_js_space};
use crate::syntax;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

pub use crate::json::Kind;

/// What was printed.
#[derive(Debug)]
pub enum Read<'a> {
    /// Nothing, or nothing but white space.
    Blank,
    /// Something that is not JSON.
    NotJson {
        /// What was expected and what was found, without the place: "expected `,` or `}` after …, found …".
        reason: String,
        /// What to print instead, where that can be said.
        help: Option<String>,
        /// Where, in bytes of the text after decoding, which are those of stdout if that is UTF-8.
        offset: usize,
    },
    /// JSON, but a list, a text, a number, `true`, `false` or `null`.
    NotAnObject(Kind),
    /// A JSON object.
    Object(Answer<'a>),
}

/// A JSON object whose values are not read yet.
#[derive(Debug)]
pub struct Answer<'a> {
    fields: Vec<(Cow<'a, str>, Cow<'a, RawValue>)>,
}

impl<'a> Answer<'a> {
    /// Reads what was printed.
    #[must_use]
    pub fn read(stdout: &'a [u8]) -> Read<'a> {
        // nearly everything is UTF-8, and checking that first is many times faster than replacing
        match std::str::from_utf8(stdout) {
            Ok(text) => match lone_surrogates_replaced(text) {
                None => read(text),
                Some(mended) => read(&mended).into_owned(),
            },
            Err(_) => {
                let text = String::from_utf8_lossy(stdout);
                read(lone_surrogates_replaced(&text).as_deref().unwrap_or(&text)).into_owned()
            }
        }
    }

    /// The object at the end of a text, and the byte it begins at: the `{` from which all of the rest is one object.
    /// There is at most one, and finding it takes one look at the text, however many braces it has.
    #[must_use]
    pub fn at_the_end(text: &'a str) -> Option<(usize, Answer<'a>)> {
        let start = last_opening(text.trim_end_matches(is_js_space))?;
        match Answer::read(text.as_bytes().get(start..)?) {
            Read::Object(answer) => Some((start, answer)),
            _ => None,
        }
    }

    /// The field with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Field<'_>> {
        self.fields().find(|field| field.key == key)
    }

    /// Each field once, in the order in which the keys are first mentioned (as in JavaScript).
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        self.fields.iter().map(|(key, value)| Field { key, value })
    }

    /// Whether it is `{}`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    fn into_owned(self) -> Answer<'static> {
        let owned = |(key, value): (Cow<'_, str>, Cow<'_, RawValue>)| {
            (Cow::Owned(key.into_owned()), Cow::Owned(value.into_owned()))
        };
        Answer { fields: self.fields.into_iter().map(owned).collect() }
    }
}

impl Read<'_> {
    fn into_owned(self) -> Read<'static> {
        match self {
            Read::Blank => Read::Blank,
            Read::NotJson { reason, help, offset } => Read::NotJson { reason, help, offset },
            Read::NotAnObject(kind) => Read::NotAnObject(kind),
            Read::Object(answer) => Read::Object(answer.into_owned()),
        }
    }
}

/// A key and its value.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    key: &'a str,
    value: &'a RawValue,
}

impl<'a> Field<'a> {
    /// The key; empty for an item of a list.
    #[must_use]
    pub fn key(self) -> &'a str {
        self.key
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(self) -> Kind {
        Kind::of(self.raw().bytes().next().unwrap_or_default())
    }

    /// The value's JSON as printed, escapes of lone surrogates replaced by `\ufffd`.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.value.get()
    }

    /// The value as printed, cut where it is long: for a message.
    #[must_use]
    pub fn brief(self) -> String {
        const MOST: usize = 40;
        match self.raw().char_indices().nth(MOST).and_then(|(end, _)| self.raw().get(..end)) {
            Some(start) => format!("{start}…"),
            None => self.raw().to_owned(),
        }
    }

    /// The value's JSON, to keep.
    #[must_use]
    pub fn json(self) -> Box<RawValue> {
        self.value.to_owned()
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        (self.kind() == Kind::Text).then(|| json::unquote(self.raw()))
    }

    /// `true` or `false`, if it is one of them.
    #[must_use]
    pub fn flag(self) -> Option<bool> {
        match self.raw() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.raw() == "null"
    }

    /// The object, if it is one.
    #[must_use]
    pub fn object(self) -> Option<Answer<'a>> {
        if self.kind() == Kind::Object { parse_object(self.raw()) } else { None }
    }

    /// The items, if it is a list; their keys are empty.
    #[must_use]
    pub fn list(self) -> Option<Vec<Field<'a>>> {
        if self.kind() != Kind::Array {
            return None;
        }
        let items: Vec<&'a RawValue> = serde_json::from_str(self.raw()).ok()?;
        Some(items.into_iter().map(|value| Field { key: "", value }).collect())
    }
}

/// What follows the white space at the start, at most two byte order marks among it.
fn after_space(text: &str) -> &str {
    let mut marks = 0;
    text.trim_start_matches(|c| {
        marks += usize::from(c == '\u{feff}');
        is_js_space(c) && marks <= 2
    })
}

fn read(text: &str) -> Read<'_> {
    let begun = after_space(text);
    // a mark too many is text, not white space behind nothing
    let json = if begun.starts_with('\u{feff}') { begun } else { begun.trim_end_matches(is_js_space) };
    if json.is_empty() {
        return Read::Blank;
    }
    if json.starts_with('{')
        && !may_be_too_deep(json)
        && let Some(answer) = parse_object(json)
    {
        return Read::Object(answer);
    }
    // Everything rare: what exactly is wrong, what else it is, or an object that was only suspected to be too deep.
    match syntax::parse(json, false) {
        Ok(_) => match Kind::of(json.as_bytes()[0]) {
            Kind::Object => parse_object(json).map_or(Read::NotAnObject(Kind::Object), Read::Object),
            kind => Read::NotAnObject(kind),
        },
        Err(fault) => {
            Read::NotJson { reason: fault.message, help: fault.help, offset: text.len() - begun.len() + fault.at }
        }
    }
}

/// Where the object begins that ends where the text ends, if it is one. Read backwards: an object's quotes and braces
/// are paired from both ends alike, and outside of texts it has no backslash.
fn last_opening(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if !bytes.ends_with(b"}") {
        return None;
    }
    let (mut depth, mut inside) = (0_usize, false);
    for (at, byte) in bytes.iter().enumerate().rev() {
        match byte {
            b'"' if !is_escaped(bytes, at) => inside = !inside,
            b'}' if !inside => depth += 1,
            b'{' if !inside && depth == 1 => return Some(at),
            b'{' if !inside => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether an odd number of backslashes stands before a byte.
fn is_escaped(bytes: &[u8], at: usize) -> bool {
    let before = bytes.iter().take(at).rev();
    before.take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Whether there are enough brackets for more levels than we read. They may be next to each other or inside text.
fn may_be_too_deep(json: &str) -> bool {
    json.len() > json::DEEPEST && json.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count() > json::DEEPEST
}

fn lone_surrogates_replaced(text: &str) -> Option<String> {
    let lone = json::lone_surrogates(text, false);
    (!lone.is_empty()).then(|| json::without_lone_surrogates(text, &lone))
}

/// An object, or nothing if it is not exactly one. Values are skipped without recursion and without a look at the size
/// of numbers.
fn parse_object(json: &str) -> Option<Answer<'_>> {
    let Fields(fields) = serde_json::from_str(json).ok()?;
    Some(Answer { fields: json::last_wins(fields).0 })
}

/// The fields as printed, equal keys included.
struct Fields<'a>(Vec<(Cow<'a, str>, Cow<'a, RawValue>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::with_capacity(4);
        while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
            fields.push((key, Cow::Borrowed(value)));
        }
        Ok(Fields(fields))
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Key(Cow::Borrowed(key)))
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Key(Cow::Owned(key.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn object(stdout: &[u8]) -> Answer<'_> {
        match Answer::read(stdout) {
            Read::Object(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    /// The fields as `key=JSON`.
    fn fields(stdout: impl AsRef<[u8]>) -> Vec<String> {
        object(stdout.as_ref()).fields().map(|field| format!("{}={}", field.key(), field.raw())).collect()
    }

    fn said(stdout: &[u8]) -> String {
        match Answer::read(stdout) {
            Read::Blank => "blank".into(),
            Read::NotAnObject(kind) => format!("a {kind}"),
            Read::Object(answer) => format!("an object of {}", answer.fields().count()),
            Read::NotJson { reason, help, offset } => {
                let help = help.map(|help| format!(" | {help}")).unwrap_or_default();
                format!("{offset}: {reason}{help}")
            }
        }
    }

    #[test]
    fn white_space_is_blank() {
        for text in ["", " ", "\r\n\t\u{b}\u{c}", "\u{feff}", "\u{feff}\u{feff}\n", "\u{a0}\u{2028}\u{2029}\u{3000}"] {
            assert_eq!(said(text.as_bytes()), "blank", "{text:?}");
        }
        // JavaScript does not trim these.
        assert_ne!(said("\u{85}".as_bytes()), "blank");
        assert_ne!(said("\u{200b}".as_bytes()), "blank");
        assert_ne!(said(b"\0"), "blank");
    }

    #[test]
    fn skips_white_space_around_the_object() {
        let spaces = [
            "",
            "\n",
            " \r\n",
            "\u{feff}",
            "\u{feff}\u{feff}",
            "\u{feff} \n\u{feff} ",
            "\u{b}\u{c}\u{a0}\u{2028}\u{3000}",
        ];
        for before in spaces {
            for behind in spaces {
                assert_eq!(fields(format!("{before}{{ \"a\" : 1 }}{behind}")), ["a=1"], "{before:?} {behind:?}");
            }
        }
    }

    #[test]
    fn a_third_byte_order_mark_is_text() {
        for text in ["\u{feff}\u{feff}\u{feff}{}", "\u{feff} \u{feff}\n\u{feff}{}", "\u{feff}\u{feff}\u{feff}"] {
            assert!(
                matches!(Answer::read(text.as_bytes()), Read::NotJson { .. }),
                "{text:?}: {}",
                said(text.as_bytes())
            );
        }
    }

    #[test]
    fn reads_objects() {
        assert!(object(b"{}").is_empty());
        assert!(!object(b"{\"a\":1}").is_empty());
        let stdout = br#"{"permission":"deny","n":12.0,"big":1e400,"o":{"x" : [1, 2]},"l":[],"t":true,"f":false,"z":null,"caf\u00e9":""}"#;
        assert_eq!(
            fields(stdout),
            [
                "permission=\"deny\"",
                "n=12.0",
                "big=1e400",
                "o={\"x\" : [1, 2]}",
                "l=[]",
                "t=true",
                "f=false",
                "z=null",
                "café=\"\""
            ]
        );
        let answer = object(stdout);
        assert!(answer.get("permission").is_some() && answer.get("Permission").is_none());
        assert_eq!(answer.get("café").unwrap().text().unwrap(), "");
    }

    #[test]
    fn getters_answer_to_their_kind_only() {
        let answer = object(br#"{"o":{},"l":[1,"b",{"c":2}],"t":"true","n":-1.50,"y":true,"f":false,"z":null}"#);
        let seen: Vec<_> = answer
            .fields()
            .map(|field| {
                let got = [
                    field.object().is_some(),
                    field.list().is_some(),
                    field.text().is_some(),
                    field.flag().is_some(),
                    field.is_null(),
                ];
                (field.kind().name(), got.iter().position(|yes| *yes), got.iter().filter(|yes| **yes).count())
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("object", Some(0), 1),
                ("list", Some(1), 1),
                ("text", Some(2), 1),
                ("number", None, 0),
                ("true or false", Some(3), 1),
                ("true or false", Some(3), 1),
                ("null", Some(4), 1),
            ]
        );
        assert_eq!((answer.get("y").unwrap().flag(), answer.get("f").unwrap().flag()), (Some(true), Some(false)));
        assert_eq!(answer.get("n").unwrap().json().get(), "-1.50");
        let items = answer.get("l").unwrap().list().unwrap();
        assert_eq!(
            items.iter().map(|item| (item.key(), item.raw())).collect::<Vec<_>>(),
            [("", "1"), ("", "\"b\""), ("", "{\"c\":2}")]
        );
        assert_eq!(items[2].object().unwrap().get("c").unwrap().raw(), "2");
    }

    #[test]
    fn reads_text_with_escapes() {
        let answer = object(br#"{"a":"plain","b":"l1\nl2 \"q\" \\ \/ \u00e9 \ud83d\ude00"}"#);
        assert!(matches!(answer.get("a").unwrap().text(), Some(Cow::Borrowed("plain"))));
        assert_eq!(answer.get("b").unwrap().text().unwrap(), "l1\nl2 \"q\" \\ / é 😀");
    }

    #[test]
    fn reads_nested_objects() {
        let answer =
            object(br#"{"hookSpecificOutput": {"permissionDecision": "deny", "a": 1, "a": {"b": "\ud800"}} }"#);
        let inner = answer.get("hookSpecificOutput").unwrap().object().unwrap();
        assert_eq!(inner.get("permissionDecision").unwrap().text().unwrap(), "deny");
        assert_eq!(inner.fields().count(), 2);
        let innermost = inner.get("a").unwrap().object().unwrap();
        assert_eq!(innermost.get("b").unwrap().text().unwrap(), "\u{fffd}");
    }

    #[test]
    fn of_equal_keys_the_last_wins() {
        assert_eq!(fields(r#"{"a":1,"b":2,"\u0061":3,"c":4,"a":"x"}"#), ["a=\"x\"", "b=2", "c=4"]);
        let many: Vec<String> = (0..2000).map(|n| format!("\"k{}\":{n}", n % 900)).collect();
        let stdout = format!("{{{}}}", many.join(","));
        let answer = object(stdout.as_bytes());
        assert_eq!(answer.fields().count(), 900);
        assert_eq!(answer.get("k0").unwrap().raw(), "1800");
        assert_eq!(answer.get("k899").unwrap().raw(), "1799");
    }

    #[test]
    fn replaces_what_is_not_utf8() {
        assert_eq!(
            fields(b"{\"a\xFF\":\"b\xE9\",\"c\":\"\xED\xA0\x80\"}"),
            ["a\u{fffd}=\"b\u{fffd}\"", "c=\"\u{fffd}\u{fffd}\u{fffd}\""]
        );
        assert_eq!(
            said(b"caf\xE9"),
            "0: expected a JSON value, found `caf` | only a JSON value can stand here, such as `{}`"
        );
    }

    #[test]
    fn replaces_lone_surrogates() {
        let stdout = br#"{"\ud800":"\udc00 \ud83d\ude00 \\ud800 \uD83D","n":{"\ud800":["\ud800"]},"p":"deny"}"#;
        let answer = object(stdout);
        let lone = answer.get("\u{fffd}").unwrap();
        assert_eq!(lone.text().unwrap(), "\u{fffd} 😀 \\ud800 \u{fffd}");
        assert_eq!(lone.raw(), r#""\ufffd \ud83d\ude00 \\ud800 \ufffd""#);
        assert_eq!(answer.get("p").unwrap().text().unwrap(), "deny");
        let nested = answer.get("n").unwrap();
        assert_eq!(nested.object().unwrap().get("\u{fffd}").unwrap().list().unwrap()[0].text().unwrap(), "\u{fffd}");
        // What is kept can be read again by stricter readers.
        let kept: Value = serde_json::from_str(nested.json().get()).unwrap();
        assert_eq!(kept, serde_json::json!({"\u{fffd}": ["\u{fffd}"]}));
        // Two keys that become equal are equal keys.
        assert_eq!(fields(r#"{"\ud800":1,"\udfff":2}"#), ["\u{fffd}=2"]);
        assert_eq!(fields(b"{\"\\ud800\":\"\xFF\"}"), ["\u{fffd}=\"\u{fffd}\""]);
    }

    #[test]
    fn says_what_else_it_is() {
        let cases = [
            ("[]", "a list"),
            (" [{\"permission\":\"deny\"}] ", "a list"),
            ("\"deny\"", "a text"),
            ("\"\\ud800\"", "a text"),
            ("12", "a number"),
            ("1e400", "a number"),
            ("true", "a true or false"),
            ("\u{feff}null\n", "a null"),
        ];
        for (text, expected) in cases {
            assert_eq!(said(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn says_why_it_is_not_json() {
        let cases = [
            ("ok", "0: expected a JSON value, found `ok` | only a JSON value can stand here, such as `{}`"),
            (
                "profile\n{\"a\":1}",
                "0: expected a JSON value, found `profile` | only a JSON value can stand here, such as `{}`",
            ),
            (
                "{\"a\":1}\n{\"b\":2}",
                "8: expected nothing more after the value, found `{` | there can be only one value: join the two or remove one",
            ),
            (
                "{\"a\":1} done",
                "8: expected nothing more after the value, found `done` | remove what follows the value",
            ),
            ("\u{feff} {\"a\":1,}\n", "10: found a comma before `}`: JSON has no trailing commas | remove the comma"),
            ("{\"a\":1} // c", "8: found a comment: this must be plain JSON | remove the comment"),
            ("{'a':1}", "1: expected a key in double quotes or `}`, found `'` | write text and keys in double quotes"),
            ("{a:1}", "1: expected a key in double quotes or `}`, found `a` | put the key in double quotes: `\"a\"`"),
            ("{\"a\":NaN}", "5: expected the value of `a`, found `NaN` | write an ordinary number"),
            ("{\"a\":-Infinity}", "5: `-Infinity` is not a JSON number | write an ordinary number"),
            ("{\"a\":01}", "5: `01` is not a JSON number | write it without leading zeros"),
            (
                "{\"a\":\"b\nc\"}",
                "5: this text runs over the end of its line | close it with `\"` on the same line; a line end inside text is written `\\n`",
            ),
            (
                "{\"a\":\"b",
                "5: this text is not closed: expected `\"`, found the end of the text | add the missing `\"`, or what was cut off",
            ),
            (
                "{\"a\":{\"b\":1}",
                "0: this object is not closed: expected `,` or `}` after the value of `a`, found the end of the text | add the missing `}`, or what was cut off",
            ),
            (
                "{\u{a0}}",
                "1: expected a key in double quotes or `}`, found the invisible character U+00A0 | delete the invisible character",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(said(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn reads_512_levels_and_not_one_more() {
        let nested = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
        assert_eq!(said(nested(512).as_bytes()), "an object of 1");
        assert_eq!(said(nested(513).as_bytes()), "516: nested deeper than 512 levels | write it flatter");
        let objects = |levels: usize| ["{\"a\":".repeat(levels), "1".into(), "}".repeat(levels)].concat();
        assert_eq!(said(objects(512).as_bytes()), "an object of 1");
        assert_eq!(said(objects(513).as_bytes()), "2560: nested deeper than 512 levels | write it flatter");
        assert_eq!(
            said("{\"a\":".repeat(1_000_000).as_bytes()),
            "2560: nested deeper than 512 levels | write it flatter"
        );
        assert_eq!(said("[".repeat(1_000_000).as_bytes()), "512: nested deeper than 512 levels | write it flatter");
        // Many brackets that are not nested, or no brackets at all.
        assert_eq!(said(format!("{{\"a\":[{}[]]}}", "[],".repeat(2000)).as_bytes()), "an object of 1");
        assert_eq!(said(format!("{{\"a\":\"{}\"}}", "[{".repeat(2000)).as_bytes()), "an object of 1");
        let deep = nested(512);
        let answer = object(deep.as_bytes());
        let mut list = answer.get("a").unwrap().list();
        let mut levels = 1;
        while let Some(items) = list {
            levels += 1;
            list = items.first().and_then(|item| item.list());
        }
        assert_eq!(levels, 512);
    }

    /// Each brace tried in turn.
    fn at_the_end_by_trying(text: &str) -> Option<usize> {
        let mut braces = text.match_indices('{').map(|(at, _)| at);
        braces.find(|at| matches!(Answer::read(&text.as_bytes()[*at..]), Read::Object(_)))
    }

    #[test]
    fn finds_the_object_at_the_end() {
        let cases = [
            ("log {\"a\":1}", Some(4)),
            ("{\"a\":1}", Some(0)),
            ("{} {\"a\":{\"b\":\"}{\"}} \n\u{feff}", Some(3)),
            ("he said \"no {\"a\":\"\\\"{\\\\\"}", Some(12)),
            ("é{\"a\":{\"b\":1}", Some(7)),
            ("log {\"a\":1} done", None),
            ("{\"a\":1}}", None),
            ("log {a}", None),
            ("}", None),
            ("log", None),
            ("", None),
        ];
        for (text, at) in cases {
            assert_eq!(Answer::at_the_end(text).map(|(at, _)| at), at, "{text}");
            assert_eq!(at_the_end_by_trying(text), at, "{text}, by trying");
        }
        let (_, answer) = Answer::at_the_end("[1] {\"a\":1,\"b\":2}").unwrap();
        assert_eq!(answer.fields().count(), 2);
        let braces = format!("{}}}", "{\"a\":".repeat(400_000));
        assert!(Answer::at_the_end(&braces).is_none());
        let backslashes = format!("{{\"{}\"}}", "\\".repeat(400_000));
        assert!(Answer::at_the_end(&backslashes).is_none());
    }

    #[test]
    fn a_value_in_a_message_is_brief() {
        let answer = object(br#"{"a":"short","b":"0123456789012345678901234567890123456789"}"#);
        assert_eq!(answer.get("a").unwrap().brief(), "\"short\"");
        assert_eq!(answer.get("b").unwrap().brief(), "\"012345678901234567890123456789012345678…");
    }

    fn check(stdout: &[u8]) -> Result<(), TestCaseError> {
        let text = String::from_utf8_lossy(stdout);
        match Answer::read(stdout) {
            Read::Blank => prop_assert!(text.chars().all(is_js_space)),
            Read::NotAnObject(kind) => prop_assert_ne!(kind, Kind::Object),
            Read::NotJson { reason, offset, .. } => {
                prop_assert!(text.is_char_boundary(offset) && !reason.is_empty());
                prop_assert!(serde_json::from_str::<Value>(text.trim_matches(is_js_space)).is_err());
            }
            Read::Object(answer) => {
                for field in answer.fields() {
                    prop_assert_eq!(answer.get(field.key()).unwrap().raw(), field.raw());
                    prop_assert!(field.json().get() == field.raw());
                    prop_assert_eq!(field.text().is_some(), field.kind() == Kind::Text);
                    prop_assert_eq!(field.object().is_some(), field.kind() == Kind::Object);
                    prop_assert_eq!(field.list().is_some(), field.kind() == Kind::Array);
                    prop_assert_eq!(field.flag().is_some(), field.kind() == Kind::Flag);
                    prop_assert_eq!(field.is_null(), field.kind() == Kind::Null);
                }
                if let Ok(Value::Object(expected)) = serde_json::from_str(text.trim_matches(is_js_space)) {
                    prop_assert_eq!(answer.fields().count(), expected.len());
                    for (key, value) in &expected {
                        let field = answer.get(key).unwrap();
                        prop_assert_eq!(&serde_json::from_str::<Value>(field.raw()).unwrap(), value);
                        prop_assert!(field.text().as_deref() == value.as_str());
                        prop_assert_eq!(field.flag(), value.as_bool());
                    }
                }
            }
        }
        Ok(())
    }

    fn nearly_an_answer() -> impl Strategy<Value = String> {
        let values = [
            "\"deny\"",
            "\"a\\n\\u00e9\"",
            "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "\"\\x\"",
            "1",
            "-0.5e9",
            "1e400",
            "01",
            "true",
            "nul",
            "null",
            "{}",
            "[]",
            "[1,{\"a\":[]}]",
            "{\"b\":{\"c\":1}}",
            "{\"b\":1,\"b\":2}",
            "\"\u{1}\"",
            "\"é\"",
            "x",
            "",
        ];
        let keys = ["\"a\"", "\"b\"", "\"\\u0061\"", "\"\\udfff\"", "\"\"", "\"é\"", "a"];
        let pair = (
            prop::sample::select(keys.to_vec()),
            prop::sample::select(vec![":", ":", ":", ": ", " ", ""]),
            prop::sample::select(values.to_vec()),
        );
        let edge = prop::sample::select(vec!["", "", "", " ", "\n", "\u{feff}", "x", "{}", "//"]);
        let comma = prop::sample::select(vec![",", ",", ",", " , ", ",,", ""]);
        (edge.clone(), prop::collection::vec((pair, comma), 0..5), any::<bool>(), edge).prop_map(
            |(before, pairs, trailing, behind)| {
                let mut text = format!("{before}{{");
                for (at, ((key, colon, value), comma)) in pairs.iter().enumerate() {
                    text.extend([
                        *key,
                        colon,
                        value,
                        if at + 1 < pairs.len() {
                            comma
                        } else if trailing {
                            ""
                        } else {
                            comma.trim_matches(',')
                        },
                    ]);
                }
                text + "}" + behind
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn reads_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            check(&bytes)?;
        }

        #[test]
        fn finds_the_object_at_the_end_as_trying_does(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "\"", "\\", ":", ",", "a", "\"a\":", "{\"b\":1}", "[", "]", " ", "\"{\"", "{\"c\":\"}\\\"\"}", "é", "\n",
                ]),
                0..12,
            )
        ) {
            let text = parts.concat();
            prop_assert_eq!(Answer::at_the_end(&text).map(|(at, _)| at), at_the_end_by_trying(&text));
        }

        #[test]
        fn agrees_with_serde_json(text in nearly_an_answer(), cut in any::<prop::sample::Index>()) {
            check(text.as_bytes())?;
            check(&text.as_bytes()[..cut.index(text.len() + 1)])?;
        }
    }
}
