//! What every reader of JSON here shares: the kinds of value, white space and lone surrogates as JavaScript sees them,
//! and "the last of equal keys wins". The grammar is in `syntax`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

/// How many objects and lists may be nested in each other.
pub(crate) const DEEPEST: usize = 512;

/// What kind of JSON value something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    Text,
    /// `12`, `-0.5`, `1e3`
    Number,
    /// `true` or `false`
    Flag,
    /// `null`
    Null,
}

impl Kind {
    /// The word a person reads: `object`, `list`, `text`, `number`, `true or false`, `null`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Object => "object",
            Kind::Array => "list",
            Kind::Text => "text",
            Kind::Number => "number",
            Kind::Flag => "true or false",
            Kind::Null => "null",
        }
    }

    /// The kind of a value whose JSON starts with this byte; only for text that was read as JSON before.
    pub(crate) fn of(first: u8) -> Kind {
        match first {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::Text,
            b't' | b'f' => Kind::Flag,
            b'n' => Kind::Null,
            _ => Kind::Number,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A number as it was written: `12` stays `12`, and `1e400` is no error before somebody needs its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Number<'a>(&'a str);

impl<'a> Number<'a> {
    /// `text` must be a JSON number.
    pub(crate) fn new(text: &'a str) -> Self {
        Number(text)
    }

    /// The number as written.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// The nearest value JavaScript has for it; `1e400` is infinite.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        // Every JSON number is a number to Rust; the fallback is never used.
        self.0.parse().unwrap_or(f64::NAN)
    }
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Whether `String.prototype.trim` takes the character away. Rust's idea differs in two: U+0085 and the byte order mark.
pub(crate) fn is_js_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && c != '\u{85}')
}

/// Where escapes of lone surrogates (`\ud800` without its other half) start, in texts only: not in comments, and not
/// where the backslash is itself escaped.
pub(crate) fn lone_surrogates(json: &str, comments: bool) -> Vec<usize> {
    let mut lone = Vec::new();
    let bytes = json.as_bytes();
    if !bytes.contains(&b'\\') || !(json.contains("\\ud") || json.contains("\\uD")) {
        return lone;
    }
    let (mut at, mut inside) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'"' => {
                inside = !inside;
                1
            }
            b'\\' if inside => match (code_unit(bytes, at), code_unit(bytes, at + 6)) {
                (None, _) => 2,
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
                (Some(0xD800..=0xDFFF), _) => {
                    lone.push(at);
                    6
                }
                (Some(_), _) => 6,
            },
            b'/' if comments && !inside => comment_length(&bytes[at..]),
            _ => 1,
        };
    }
    lone
}

/// The value of the `\uXXXX` at this offset.
fn code_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

/// The text a literal stands for, quotes included in the literal. Half a surrogate pair becomes U+FFFD.
pub(crate) fn unquote(literal: &str) -> Cow<'_, str> {
    let inner = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    if !inner.as_bytes().contains(&b'\\') {
        return Cow::Borrowed(inner);
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        let (c, length) = unescape(&rest.as_bytes()[at..]);
        text.push_str(&rest[..at]);
        text.push(c);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character an escape stands for and how long the escape is. What is no escape JSON knows is left as it is.
fn unescape(bytes: &[u8]) -> (char, usize) {
    let c = match bytes.get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(&c @ (b'"' | b'\\' | b'/')) => char::from(c),
        _ => {
            return match (code_unit(bytes, 0), code_unit(bytes, 6)) {
                (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
                    (character(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12)
                }
                (Some(unit), _) => (character(unit), 6),
                (None, _) => ('\\', 1),
            };
        }
    };
    (c, 2)
}

fn character(code: u32) -> char {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// How long the comment at the start is; 1 if there is none.
fn comment_length(bytes: &[u8]) -> usize {
    let end = match bytes.get(1) {
        Some(b'/') => bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')),
        Some(b'*') => bytes[2..].windows(2).position(|two| two == b"*/").map(|at| at + 4),
        _ => return 1,
    };
    end.unwrap_or(bytes.len())
}

/// The text with the escapes at these offsets replaced by `\ufffd`, which is as long: no other offset moves.
pub(crate) fn without_lone_surrogates(json: &str, lone: &[usize]) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut from = 0;
    for &at in lone {
        mended.push_str(&json[from..at]);
        mended.push_str("\\ufffd");
        from = at + 6;
    }
    mended.push_str(&json[from..]);
    mended
}

/// Up to here comparing every key with every other is cheaper than hashing them.
const FEW: usize = 16;

/// Whether a key is there more than once.
pub(crate) fn repeats<K: Eq + Hash, V>(entries: &[(K, V)]) -> bool {
    if entries.len() <= FEW {
        let before = |at: usize| entries[..at].iter().any(|(key, _)| *key == entries[at].0);
        return (1..entries.len()).any(before);
    }
    let mut seen = std::collections::HashSet::with_capacity(entries.len());
    !entries.iter().all(|(key, _)| seen.insert(key))
}

/// Reads repeated keys as JavaScript does: the last value counts, at the place where the key was first mentioned.
/// Returns what counts, then what lost, both in document order.
#[expect(clippy::type_complexity, reason = "two lists of the same pairs; a name would hide that")]
pub(crate) fn last_wins<K: Clone + Eq + Hash, V>(entries: Vec<(K, V)>) -> (Vec<(K, V)>, Vec<(K, V)>) {
    if !repeats(&entries) {
        return (entries, Vec::new());
    }
    let (mut kept, mut lost): (Vec<(K, V)>, Vec<(K, V)>) = (Vec::with_capacity(entries.len()), Vec::new());
    let mut position = HashMap::with_capacity(entries.len());
    for (key, value) in entries {
        if let Some(&at) = position.get(&key) {
            let slot: &mut (K, V) = &mut kept[at];
            lost.push((key, std::mem::replace(&mut slot.1, value)));
        } else {
            position.insert(key.clone(), kept.len());
            kept.push((key, value));
        }
    }
    (kept, lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_what_javascript_trims() {
        // ECMA-262: WhiteSpace and LineTerminator.
        let spaces = "\t\u{b}\u{c} \u{a0}\u{feff}\n\r\u{2028}\u{2029}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\
                      \u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{202f}\u{205f}\u{3000}";
        assert!(spaces.chars().all(is_js_space));
        let others = "\0\u{1c}\u{1f}\u{85}\u{180e}\u{200b}\u{200c}\u{200d}\u{2060}\u{ad}a";
        assert!(!others.chars().any(is_js_space));
    }

    #[test]
    fn finds_lone_surrogates() {
        let cases: [(&str, &[usize]); 18] = [
            (r#""\ud800""#, &[1]),
            (r#""\uDFFF""#, &[1]),
            (r#""\ud83d\ude00""#, &[]),
            (r#""\uD83D\uDE00\ude00""#, &[13]),
            (r#""\ud83d\ud83d\ude00""#, &[1]),
            (r#""\ude00\ud83d""#, &[1, 7]),
            (r#""\\ud800""#, &[]),
            (r#""\\\ud800""#, &[3]),
            (r#""\"\ud800""#, &[3]),
            (r#""\ud800x\udc00""#, &[1, 8]),
            (r#""\ud80""#, &[]),
            (r#""\ud800\uzzzz""#, &[1]),
            (r#""\ue000\ud7ff""#, &[]),
            (r"\ud800", &[]),
            (r#"{"\ud800":1}"#, &[2]),
            ("// \"\n\"\\ud800\"", &[6]),
            (r#"/* " */"\ud800""#, &[8]),
            (r#""//\ud800"/*\ud800"#, &[3]),
        ];
        for (json, at) in cases {
            assert_eq!(lone_surrogates(json, true), at, "{json}");
        }
        // Without comments a quote behind slashes is a quote.
        assert_eq!(lone_surrogates("//\"\\ud800", false), [3]);
        assert_eq!(lone_surrogates("//\"\\ud800", true), [0usize; 0]);
    }

    #[test]
    fn replaces_them_in_place() {
        let json = r#"["a\ud800","\udc00b"]"#;
        let mended = without_lone_surrogates(json, &lone_surrogates(json, false));
        assert_eq!(mended, r#"["a\ufffd","\ufffdb"]"#);
        assert_eq!(mended.len(), json.len());
    }

    #[test]
    fn the_last_of_equal_keys_wins_where_the_first_stood() {
        let (kept, lost) = last_wins(vec![("a", 1), ("b", 2), ("a", 3), ("c", 4), ("a", 5)]);
        assert_eq!(kept, [("a", 5), ("b", 2), ("c", 4)]);
        assert_eq!(lost, [("a", 1), ("a", 3)]);
        let many: Vec<(usize, usize)> = (0..1000).map(|n| (n % 300, n)).collect();
        let (kept, lost) = last_wins(many);
        let expected: Vec<(usize, usize)> =
            (0..300).map(|key| (key, if key < 100 { key + 900 } else { key + 600 })).collect();
        assert_eq!(kept, expected);
        assert_eq!(lost.len(), 700);
    }

    #[test]
    fn unquotes() {
        let cases = [
            (r#""""#, ""),
            (r#""a b""#, "a b"),
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r#""caf\u00e9\u0000!""#, "café\0!"),
            (r#""\uD83D\uDE00\ud83d\ude00""#, "😀😀"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\ud800\n\udc00""#, "\u{fffd}\n\u{fffd}"),
            (r#""\\ud800""#, r"\ud800"),
            (r#""\\\\""#, r"\\"),
            (r#""é\té""#, "é\té"),
            // Not JSON; only that it is total matters.
            (r#""\x\u12""#, r"\x\u12"),
            ("", ""),
            ("\"", ""),
        ];
        for (literal, text) in cases {
            assert_eq!(unquote(literal), text, "{literal}");
        }
        assert!(matches!(unquote("\"plain\""), Cow::Borrowed("plain")));
    }

    #[test]
    fn numbers_stay_as_written() {
        for (text, value) in
            [("12", 12.0), ("12.0", 12.0), ("-0.5e-1", -0.05), ("1e400", f64::INFINITY), ("-1E+400", f64::NEG_INFINITY)]
        {
            let number = Number::new(text);
            assert_eq!((number.to_string().as_str(), number.as_str()), (text, text));
            assert_eq!(number.as_f64().to_bits(), f64::to_bits(value), "{text}");
        }
    }
}
