//! A `config.toml` or `requirements.toml` as the tree its JSON would be, with the places of the TOML.
//! Only what matters to hooks is taken over: other settings are not looked at.

use harness_hooks_core::{
    Diagnostic, Severity,
    document::{Reading, Translation, Tree},
};
use toml::de::{DeFloat, DeInteger, DeTable, DeValue, Error};
use toml_parser::{
    ErrorSink, Span,
    decoder::Encoding,
    parser::{EventReceiver, parse_document},
};

use super::Setting;
use crate::events;

/// How deep tables, arrays and dotted keys may nest in each other. CDX-CFG-22
const DEEPEST: usize = 511; // a date becomes one level more

/// There is a tree, or an error that says why there is none.
pub(super) fn tree(text: &str, reading: &Reading<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Tree> {
    let depth = Depth::of(text);
    if depth.deepest > DEEPEST {
        let message = "this is nested too deep to be read";
        diagnostics.push(refusal(text, depth.at, reading, "nested-too-deep", message).help("write it flatter"));
        return None;
    }
    match DeTable::parse(text) {
        Ok(table) => {
            let (tree, more) = Tree::translated(text, document(table.get_ref()), reading);
            diagnostics.extend(more);
            tree
        }
        Err(error) => {
            diagnostics.push(broken(text, &error, depth.at, reading));
            None
        }
    }
}

fn broken(text: &str, error: &Error, deepest: usize, reading: &Reading<'_>) -> Diagnostic {
    let at = error.span().map_or(deepest, |span| span.start); // only what nests too deep has no span
    let message = format!("this is not TOML: {}", error.message());
    refusal(text, at, reading, "invalid-toml", &message).help("`codex` itself does not start with such a file")
}

fn refusal(text: &str, at: usize, reading: &Reading<'_>, code: &str, message: &str) -> Diagnostic {
    let mut spot = Translation::default();
    spot.token(at, "null");
    let code = format!("codex/{code}");
    match Tree::translated(text, spot, reading).0 {
        Some(spot) => spot.diagnostic(Severity::Error, code, message).at(spot.root().place()),
        None => Diagnostic::error(code, message),
    }
}

/// What is read of a document.
fn counts(key: &str) -> bool {
    key == "hooks" || Setting::TOP.contains(&key) || events::by_name(key).is_some()
}

fn document(top: &DeTable<'_>) -> Translation {
    let mut json = Translation::default();
    entries(&mut json, 0, top, counts);
    json
}

/// A table as an object, its keys in the order of the text.
fn entries(json: &mut Translation, at: usize, table: &DeTable<'_>, wanted: fn(&str) -> bool) {
    let mut entries: Vec<_> = table.iter().filter(|(key, _)| wanted(key.get_ref())).collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    json.token(at, "{");
    for (n, (key, item)) in entries.into_iter().enumerate() {
        json.write(if n == 0 { "" } else { "," });
        json.token(key.span().start, &quoted(key.get_ref()));
        json.write(":");
        value(json, item.span().start, item.get_ref());
    }
    json.write("}");
}

fn value(json: &mut Translation, at: usize, item: &DeValue<'_>) {
    match item {
        DeValue::String(text) => json.token(at, &quoted(text)),
        DeValue::Integer(number) => json.token(at, &integer(number)),
        DeValue::Float(number) => json.token(at, &float(number)),
        DeValue::Boolean(flag) => json.token(at, if *flag { "true" } else { "false" }),
        DeValue::Datetime(date) => json.token(at, &format!("{{\"date\":{}}}", quoted(&date.to_string()))),
        DeValue::Table(table) => entries(json, at, table, |_| true),
        DeValue::Array(items) => {
            json.token(at, "[");
            for (n, item) in items.iter().enumerate() {
                json.write(if n == 0 { "" } else { "," });
                value(json, item.span().start, item.get_ref());
            }
            json.write("]");
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// In decimal digits; one that no integer holds is left as it is.
fn integer(number: &DeInteger<'_>) -> String {
    match i128::from_str_radix(number.as_str(), number.radix()) {
        Ok(number) => number.to_string(),
        Err(_) if number.radix() == 10 => number.as_str().trim_start_matches('+').to_owned(),
        Err(_) => quoted(&number.to_string()),
    }
}

/// JSON has no word for what is no number, and none for what has no end.
fn float(number: &DeFloat<'_>) -> String {
    let value = number.as_str().parse().ok().and_then(serde_json::Number::from_f64);
    value.map_or_else(|| quoted(number.as_str()), |value| value.to_string())
}

/// How deep a document nests, counted on its grammar alone: what the parser builds of a document that
/// nests without end cannot even be dropped.
#[derive(Default)]
struct Depth {
    /// How deep the table is whose keys are being read.
    table: usize,
    in_header: bool,
    /// The parts of the key that is being read, or whose value is.
    key: usize,
    /// For each open bracket, the levels it adds.
    open: Vec<usize>,
    deepest: usize,
    /// Where that is.
    at: usize,
}

impl Depth {
    fn of(text: &str) -> Depth {
        let mut depth = Depth::default();
        let tokens = toml_parser::Source::new(text).lex().into_vec();
        parse_document(&tokens, &mut depth, &mut ());
        depth
    }

    fn here(&self) -> usize {
        self.table + self.open.iter().sum::<usize>() + self.key
    }

    fn reach(&mut self, span: Span) {
        let here = self.here();
        if here > self.deepest {
            (self.deepest, self.at) = (here, span.start());
        }
    }

    fn header(&mut self) {
        (self.table, self.key, self.in_header) = (0, 0, true);
        self.open.clear();
    }

    /// Whether what is inside is to be read at all.
    fn open(&mut self, span: Span) -> bool {
        self.open.push(self.key + 1);
        self.key = 0;
        self.reach(span);
        self.deepest <= DEEPEST
    }

    fn close(&mut self) {
        self.open.pop();
        self.key = 0;
    }
}

impl EventReceiver for Depth {
    fn std_table_open(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.header();
    }

    fn std_table_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.in_header = false;
    }

    fn array_table_open(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.header();
    }

    fn array_table_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.in_header = false;
    }

    fn inline_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.open(span)
    }

    fn inline_table_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.close();
    }

    fn array_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.open(span)
    }

    fn array_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.close();
    }

    fn simple_key(&mut self, span: Span, _: Option<Encoding>, _: &mut dyn ErrorSink) {
        // each part of a header may name an array, of which it means the last table
        let (table, key) = if self.in_header { (2, 0) } else { (0, 1) };
        self.table += table;
        self.key += key;
        self.reach(span);
    }

    fn scalar(&mut self, _: Span, _: Option<Encoding>, _: &mut dyn ErrorSink) {
        self.key = 0;
    }

    fn value_sep(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.key = 0;
    }

    fn newline(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.key = 0;
    }
}
