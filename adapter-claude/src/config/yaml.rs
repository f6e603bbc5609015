//! YAML as JSON: each value on a line of its own, and for each line the place of the value in the
//! YAML. What YAML has and JSON has not (anchors, keys that are no text) is a fault.

use std::fmt::Write as _;

use harness_hooks_core::Place;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};

/// Why it cannot be written as JSON, and where.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) place: Place,
}

/// The JSON, and the place of what stands on each of its lines.
pub(super) fn as_json(yaml: &str) -> Result<(String, Vec<Place>), Fault> {
    let mut writer = Writer::default();
    for event in Parser::new_from_str(yaml) {
        let (event, span) =
            event.map_err(|error| Fault { message: error.info().to_owned(), place: place(*error.marker()) })?;
        writer.event(&event, span)?;
    }
    Ok((writer.json, writer.places))
}

/// Columns count from 1 here.
fn place(marker: Marker) -> Place {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Place::new(number(marker.line().max(1)), number(marker.col().saturating_add(1)))
}

#[derive(Default)]
struct Writer {
    json: String,
    places: Vec<Place>,
    open: Vec<Open>,
    /// How many documents began.
    documents: usize,
}

/// A list or an object being written.
struct Open {
    object: bool,
    /// How many items, or keys and values, it has so far.
    written: usize,
}

impl Writer {
    fn event(&mut self, event: &Event<'_>, span: Span) -> Result<(), Fault> {
        let fault = |message: &str| Err(Fault { message: message.to_owned(), place: place(span.start) });
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return fault("there is a second document in the block");
                }
            }
            Event::Alias(_) => return fault("an alias stands for another value, which is not read here"),
            Event::Scalar(text, style, _, tag) => self.scalar(text, *style, tag.as_deref(), span),
            Event::SequenceStart(..) | Event::MappingStart(..) if self.expects_key() => {
                return fault("a key must be a text");
            }
            Event::SequenceStart(..) => self.open(false, span),
            Event::MappingStart(..) => self.open(true, span),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn expects_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.object && open.written % 2 == 0)
    }

    fn open(&mut self, object: bool, span: Span) {
        self.begin(span);
        self.json.push(if object { '{' } else { '[' });
        self.open.push(Open { object, written: 0 });
    }

    fn close(&mut self) {
        let object = self.open.pop().is_some_and(|open| open.object);
        self.json.push(if object { '}' } else { ']' });
    }

    /// What stands before a key or a value, and the line it stands on.
    fn begin(&mut self, span: Span) {
        if let Some(open) = self.open.last_mut() {
            match open.written {
                0 => {}
                written if open.object && written % 2 == 1 => self.json.push(':'),
                _ => self.json.push(','),
            }
            open.written += 1;
            self.json.push('\n');
        }
        self.places.push(place(span.start));
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) {
        let says_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
        let quoted = says_text || style != ScalarStyle::Plain || self.expects_key();
        self.begin(span);
        match plain(text).filter(|_| !quoted) {
            Some(json) => self.json.push_str(&json),
            None => self.string(text),
        }
    }

    fn string(&mut self, text: &str) {
        // a text can always be written
        let _ = write!(self.json, "{}", serde_json::Value::from(text));
    }
}

/// What a text without quotes stands for, if it is not the text. Hexadecimal and octal numbers are
/// texts here: nothing of a hook is written so.
fn plain(text: &str) -> Option<String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some("null".into()),
        "true" | "True" | "TRUE" => return Some("true".into()),
        "false" | "False" | "FALSE" => return Some("false".into()),
        _ => {}
    }
    let numeric = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if !numeric || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok() {
        return Some(text.to_owned());
    }
    let number: f64 = text.parse().ok()?;
    serde_json::Number::from_f64(number).map(|number| number.to_string())
}
