//! The leaf values everything else is made of: shared text, JSON passed through as it came,
//! decimals, and a value with the name of the binding that asked for it.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::BTreeMap,
    fmt,
    hash::{Hash, Hasher},
    ops::Deref,
    sync::Arc,
    time::Duration,
};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    BindingId,
    json::{lone_surrogates, without_lone_surrogates},
    plain::plain,
};

/// Text that may be large. Cloning shares it; building it from a large `String` moves it.
#[derive(Clone)]
pub struct Text(Shared);

/// A short text is copied into one allocation; a long one is moved, which costs a second.
#[derive(Clone)]
enum Shared {
    Copied(Arc<str>),
    Moved(Arc<String>),
}

/// From this length on, in bytes, moving is cheaper than copying.
const LONG: usize = 1024;

impl Text {
    /// The text itself.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Shared::Copied(text) => text,
            Shared::Moved(text) => text,
        }
    }
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Default for Text {
    fn default() -> Self {
        "".into()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text(if text.len() < LONG { Shared::Copied(text.into()) } else { Shared::Moved(Arc::new(text)) })
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(Shared::Copied(text.into()))
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Self {
        match text {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Into::into)
    }
}

/// JSON a host or a hook gave, kept as it was written: key order, big numbers, escapes. Only
/// white space between tokens is dropped when it is read, because stdin is one line for every
/// vendor.
#[derive(Clone)]
pub struct Json(Arc<RawValue>);

impl Json {
    /// The JSON of any serialisable value; `null` if it cannot be written (a map whose keys are
    /// not text).
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        serde_json::value::to_raw_value(value).map_or_else(|_| Json::default(), |raw| Json(raw.into()))
    }

    /// The JSON text, without white space between tokens.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Reads it into a type.
    ///
    /// # Errors
    /// When the JSON does not fit the type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }

    /// The keys of an object with their values; `None` if it is not an object.
    pub fn fields(&self) -> Option<Fields> {
        self.read().ok()
    }

    /// The text, if it is a JSON string.
    pub fn text(&self) -> Option<Text> {
        self.read::<Text>().ok()
    }

    /// It is `null`.
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }

    /// The same value as a program writes it that read it first: in texts only what must be escaped
    /// is, and of equal keys the last counts, in the place of the first. Numbers stay as they were
    /// written, and so does everything where something is nested deeper than 512 levels.
    pub fn plain(&self) -> Json {
        match plain(self.as_str()).map(RawValue::from_string) {
            Some(Ok(plain)) => Json(plain.into()),
            _ => self.clone(),
        }
    }
}

/// The keys of a JSON object with their values, in the order they were written; of equal keys the
/// last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(String, Json)>);

impl Fields {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Sets a key: in its place if it is there, else behind the others.
    pub fn set(&mut self, key: String, value: Json) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, earlier)) => *earlier = value,
            None => self.0.push((key, value)),
        }
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl IntoIterator for Fields {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some((key, value)) = map.next_entry()? {
                    fields.set(key, value);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Equal as values: neither the order of keys nor the escapes of a text count. Numbers are equal if
/// they are written alike, since two that are not may differ beyond what any type can hold.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        const DEEPEST: usize = 128;
        same(self.as_str(), other.as_str(), DEEPEST)
    }
}

/// Two documents, compared to a depth; what lies deeper is equal only if it is written alike.
fn same(left: &str, right: &str, depth: usize) -> bool {
    type Keys<'a> = BTreeMap<String, &'a RawValue>;
    let both = |a: &RawValue, b: &RawValue| same(a.get(), b.get(), depth - 1);
    match left.as_bytes().first() {
        _ if left == right => true,
        Some(b'{') if depth > 0 => {
            match (serde_json::from_str::<Keys<'_>>(left), serde_json::from_str::<Keys<'_>>(right)) {
                (Ok(left), Ok(right)) => {
                    left.len() == right.len()
                        && left.iter().zip(&right).all(|((key, a), (other, b))| key == other && both(a, b))
                }
                _ => false,
            }
        }
        Some(b'[') if depth > 0 => {
            match (serde_json::from_str::<Vec<&RawValue>>(left), serde_json::from_str::<Vec<&RawValue>>(right)) {
                (Ok(left), Ok(right)) => left.len() == right.len() && left.iter().zip(&right).all(|(a, b)| both(a, b)),
                _ => false,
            }
        }
        Some(b'"') => match (serde_json::from_str::<String>(left), serde_json::from_str::<String>(right)) {
            (Ok(left), Ok(right)) => left == right,
            _ => false,
        },
        _ => false,
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Default for Json {
    fn default() -> Self {
        Json(RawValue::NULL.to_owned().into())
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        Json::of(&value)
    }
}

/// Escapes of half a surrogate pair become U+FFFD, as JavaScript would write them.
impl From<Box<RawValue>> for Json {
    fn from(raw: Box<RawValue>) -> Self {
        let lone = lone_surrogates(raw.get(), false);
        let raw = match lone.as_slice() {
            [] => raw,
            lone => RawValue::from_string(without_lone_surrogates(raw.get(), lone)).unwrap_or(raw),
        };
        Json(compact(raw).into())
    }
}

impl From<&RawValue> for Json {
    fn from(raw: &RawValue) -> Self {
        raw.to_owned().into()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Into::into)
    }
}

/// Drops white space between tokens.
fn compact(raw: Box<RawValue>) -> Box<RawValue> {
    let white = |b: u8| matches!(b, b' ' | b'\n' | b'\r' | b'\t');
    if !raw.get().bytes().any(white) {
        return raw;
    }
    let mut out = String::with_capacity(raw.get().len());
    let (mut inside, mut escaped) = (false, false);
    for c in raw.get().chars() {
        if inside {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => inside = false,
                _ => {}
            }
        } else if c == '"' {
            inside = true;
        } else if c.is_ascii_whitespace() {
            continue;
        }
        out.push(c);
    }
    RawValue::from_string(out).unwrap_or(raw)
}

/// A number that may have a fraction, written as a whole one where it is one: `12`, not `12.0`.
/// The field that holds it says the unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Decimal(f64);

impl Decimal {
    /// The number.
    pub fn as_f64(self) -> f64 {
        self.0
    }
}

impl From<u64> for Decimal {
    fn from(number: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, which is 285 000 years of milliseconds")]
        Decimal(number as f64)
    }
}

impl From<f64> for Decimal {
    fn from(number: f64) -> Self {
        Decimal(number)
    }
}

/// In milliseconds.
impl From<Duration> for Decimal {
    fn from(duration: Duration) -> Self {
        Decimal(duration.as_secs_f64() * 1000.0)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53: every whole number below it is exact
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Decimal)
    }
}

/// A value and the binding that asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct By<T> {
    /// Who.
    pub by: BindingId,
    /// What.
    pub value: T,
}

impl<T> By<T> {
    /// Attributes a value.
    pub fn new(by: BindingId, value: T) -> Self {
        By { by, value }
    }
}

/// Text from a hook, cleaned for people: trimmed, control characters other than newline and tab
/// removed, so that a hook cannot steer a terminal. `None` if nothing is left.
pub fn cleaned(text: &str) -> Option<Text> {
    let text = text.trim();
    // 0xC2 leads the two-byte characters among which the other control characters are; folding
    // looks at many bytes at once
    let doubtful = |byte: u8| (byte < 0x20 && byte != b'\n' && byte != b'\t') || byte == 0x7f || byte == 0xc2;
    if !text.bytes().fold(false, |any, byte| any | doubtful(byte)) {
        return (!text.is_empty()).then(|| text.into());
    }
    let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_drops_white_space_only_between_tokens() {
        for (written, kept) in [
            ("{ \"a b\" :\n [1, \" \\\" x\"] }", r#"{"a b":[1," \" x"]}"#),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            (r#"{"z":1,"a":1.10}"#, r#"{"z":1,"a":1.10}"#),
            (r#""\ud800""#, r#""\ufffd""#),
        ] {
            let json: Json = serde_json::from_str(written).unwrap();
            assert_eq!(json.as_str(), kept);
        }
    }

    #[test]
    fn json_is_equal_by_value_and_numbers_by_what_is_written() {
        let json = |text: &str| serde_json::from_str::<Json>(text).unwrap();
        for (left, right) in [
            (r#"{"a":1,"b":[2,"x"]}"#, r#"{ "b": [2, "\u0078"], "a": 1 }"#),
            ("12345678901234567890123", "12345678901234567890123"),
        ] {
            assert_eq!(json(left), json(right));
        }
        let deep = |inner: &str| json(&format!("{}{inner}{}", "[".repeat(1000), "]".repeat(1000)));
        assert_eq!(deep("1"), deep("1"));
        for (left, right) in [
            (r#"{"id":12345678901234567890123}"#, r#"{"id":12345678901234567890124}"#),
            ("0.1", "0.10000000000000000001"),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#),
            ("[1,2]", "[1]"),
            ("1", "\"1\""),
        ] {
            assert_ne!(json(left), json(right));
        }
        assert_ne!(deep("1"), deep("2"));
    }

    #[test]
    fn fields_keep_their_order_and_the_last_of_two() {
        let json: Json = serde_json::from_str(r#"{"b":1,"a":2,"b":3}"#).unwrap();
        assert_eq!(Json::of(&json.fields().unwrap()).as_str(), r#"{"b":3,"a":2}"#);
        assert!(Json::of(&[1]).fields().is_none());
    }

    #[test]
    fn decimals_are_whole_where_they_are() {
        for (number, written) in [(12.0, "12"), (12.5, "12.5"), (0.0, "0"), (5432.1, "5432.1")] {
            assert_eq!(serde_json::to_string(&Decimal::from(number)).unwrap(), written);
        }
    }

    #[test]
    fn cleaning_removes_what_could_steer_a_terminal() {
        for (said, kept) in [
            ("  no \n", Some("no")),
            ("\u{1b}[31mred\u{7}", Some("[31mred")),
            ("a\n\tb", Some("a\n\tb")),
            ("\u{0}\u{9b}", None),
            ("", None),
        ] {
            assert_eq!(cleaned(said).as_deref(), kept);
        }
    }
}
