//! Where the JSON is in what a hook printed, and what the rest is where there is none.

use harness_hooks_core::answer::{Answer, Read};
use serde_json::value::RawValue;

/// What was printed. CLA-OUT-19 to CLA-OUT-24
pub(super) enum Printed<'a> {
    /// Nothing but white space and byte order marks.
    Blank,
    /// One JSON object.
    Object(Answer<'a>),
    /// Several whole objects, and nothing else.
    Objects(Vec<Answer<'a>>),
    /// It begins and ends as an object does and is none: what is wrong with it.
    Broken(String),
    /// Anything else.
    Text,
}

/// Standard output and what it is.
pub(super) struct Stdout<'a> {
    /// Trimmed.
    pub(super) text: &'a str,
    pub(super) printed: Printed<'a>,
}

impl<'a> Stdout<'a> {
    /// Reads what was printed, bytes that are not UTF-8 already replaced. CLA-OUT-28
    pub(super) fn read(stdout: &'a str) -> Self {
        let text = trimmed(stdout);
        let json = stdout.trim_matches(is_js_space);
        let printed = if text.is_empty() {
            Printed::Blank
        } else if json.starts_with('{') && json.ends_with('}') {
            braces(json)
        } else {
            Printed::Text
        };
        Stdout { text, printed }
    }

    /// An object at the end of a text that is no JSON. Whole objects before it are JSON, and a part
    /// of an object that is cut off is no object. CLA-OUT-25
    pub(super) fn object_at_the_end(&self) -> Option<Answer<'a>> {
        match self.printed {
            Printed::Broken(_) | Printed::Text => object_at_the_end(self.text),
            Printed::Blank | Printed::Object(_) | Printed::Objects(_) => None,
        }
    }
}

fn braces(json: &str) -> Printed<'_> {
    match Answer::read(json.as_bytes()) {
        Read::Object(answer) => Printed::Object(answer),
        Read::NotJson { reason, .. } => objects(json).map_or(Printed::Broken(reason), Printed::Objects),
        Read::NotAnObject(_) | Read::Blank => Printed::Text,
    }
}

/// The objects of a text that is nothing else.
fn objects(text: &str) -> Option<Vec<Answer<'_>>> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    values.map(|value| object(value.ok()?.get())).collect()
}

fn object(text: &str) -> Option<Answer<'_>> {
    match Answer::read(text.as_bytes()) {
        Read::Object(answer) => Some(answer),
        _ => None,
    }
}

/// The outermost object that ends where the text ends. Each opening brace is tried in turn; once that
/// has cost as much as reading the text, what broke off is skipped whole, so that no text is read
/// again and again.
fn object_at_the_end(text: &str) -> Option<Answer<'_>> {
    let (mut at, mut cost) = (0, 0);
    while let Some(from) = text.as_bytes().get(at..)?.iter().position(|byte| *byte == b'{') {
        at += from;
        let rest = text.get(at..)?;
        match value(rest) {
            Value::Whole(length) if length == rest.len() => return object(rest),
            Value::Whole(length) => at += length,
            Value::Broken(length) => {
                cost += length;
                at += if cost <= text.len() { 1 } else { length.max(1) };
            }
            Value::CutOff => return None,
        }
    }
    None
}

/// How far JSON goes at the beginning of a text.
enum Value {
    Whole(usize),
    /// At least so far.
    Broken(usize),
    /// All of the text begins a value, and it has no end.
    CutOff,
}

fn value(text: &str) -> Value {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(value)) => Value::Whole(value.get().len()),
        Some(Err(error)) if !error.is_eof() => {
            let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
            let before: usize = lines.map(str::len).sum();
            Value::Broken((before + error.column()).saturating_sub(1))
        }
        _ => Value::CutOff,
    }
}

/// Without white space and byte order marks at its ends.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// What `String.prototype.trim` takes away: byte order marks, and not U+0085.
fn is_js_space(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_the_end(text: &str) -> Option<usize> {
        let found = Stdout::read(text).object_at_the_end()?;
        Some(found.fields().count())
    }

    /// CLA-OUT-24, CLA-OUT-25
    #[test]
    fn an_object_counts_behind_text_and_not_behind_objects() {
        let cases: [(&str, Option<usize>); 16] = [
            ("text {\"a\":1}", Some(1)),
            ("{12} {0.1 s}\n{\"a\":1,\"b\":{\"c\":2}}", Some(2)),
            ("{12 aliases}\n{\"a\":1}", Some(1)),
            ("{\"level\":\"info\"} done\n{\"a\":1}", Some(1)),
            ("0\n{\"a\":1}", Some(1)),
            ("she said {\"a\n{\"a\":1}", Some(1)),
            ("log {\"x\": \"it's {\"a\":1}", Some(1)),
            ("function f() {\n{\"a\":1}", Some(1)),
            ("{}{\"a\":1}", None),
            ("{\"level\":\"info\"}\n{\"a\":1}", None),
            ("text {\"a\":1} text", None),
            ("text {\"o\":{\"a\":1}", None),
            ("{\"o\":{\"a\":1}", None),
            ("{\"a\":1}}", None),
            ("{\"o\":{\"a\":1},}", None),
            ("[{\"a\":1}]", None),
        ];
        for (text, fields) in cases {
            assert_eq!(at_the_end(text), fields, "{text}");
        }
    }

    /// CLA-OUT-68: every brace of a long text begins something that breaks off at its end.
    #[test]
    fn a_long_text_of_braces_is_not_read_again_and_again() {
        for unit in ["{\"a\":", "{\"a\":\"", "{", "{\"a\":{}} ", "{\"a\":1} x"] {
            let mut text = unit.repeat(40_000);
            text.push_str("x}");
            assert_eq!(at_the_end(&text), None, "{unit}");
        }
    }
}
