//! Where the JSON is in what a hook printed, and what the rest is where there is none.

use harness_hooks_core::answer::{Answer, Read};
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};

use super::written::Fault;
use crate::departures::{Way, Ways};

/// What was printed. CDX-OUT-16 to CDX-OUT-19
pub(super) enum Printed<'a> {
    /// Nothing but white space, and in our own way byte order marks.
    Blank,
    /// One JSON object.
    Object(Answer<'a>),
    /// It begins as an object or a list does, and is no object.
    Broken(Fault),
    /// Anything else.
    Text,
}

/// Standard output and what it is.
pub(super) struct Stdout<'a> {
    /// Trimmed, without the marks that are skipped.
    pub(super) text: &'a str,
    /// Byte order marks stood before it.
    pub(super) marked: bool,
    pub(super) printed: Printed<'a>,
}

impl<'a> Stdout<'a> {
    /// Reads what was printed, bytes that are not UTF-8 already replaced. CDX-OUT-27
    pub(super) fn read(ways: Ways, stdout: &'a str) -> Self {
        let trimmed = stdout.trim();
        let text = if ways.codexs(Way::TextBeforeJson) { trimmed } else { without_marks(trimmed) };
        let printed = match text.chars().next() {
            None => Printed::Blank,
            Some('{' | '[') => begun(ways, text),
            Some(_) => Printed::Text,
        };
        Stdout { text, marked: trimmed.starts_with(MARK), printed }
    }

    /// The object at the end of text that is no JSON. CDX-OUT-20
    pub(super) fn behind_text(&self, ways: Ways) -> Option<Answer<'a>> {
        if ways.codexs(Way::TextBeforeJson) || self.text.starts_with('{') {
            return None;
        }
        let (start, answer) = Answer::at_the_end(self.text)?;
        let before = self.text.get(..start)?;
        (!is_json_values(before)).then_some(answer)
    }
}

/// What begins as JSON does.
fn begun(ways: Ways, text: &str) -> Printed<'_> {
    match Answer::read(text.as_bytes()) {
        Read::Object(answer) if codex_reads(ways, text) => Printed::Object(answer),
        Read::Object(_) => {
            let detail = ": half a surrogate pair, 128 levels of nesting or a number too large for a float";
            Printed::Broken(Fault::not_json("is not JSON", detail))
        }
        Read::NotJson { reason, .. } => Printed::Broken(Fault::not_json("is not JSON", format!(": {reason}"))),
        Read::NotAnObject(_) | Read::Blank => Printed::Broken(Fault::not_json("is not JSON that is an object", "")),
    }
}

/// Codex's own reader takes it, too. CDX-OUT-28
fn codex_reads(ways: Ways, text: &str) -> bool {
    !ways.codexs(Way::JsonReading) || serde_json::from_str::<Value>(text).is_ok()
}

fn is_json_values(text: &str) -> bool {
    Deserializer::from_str(text).into_iter::<IgnoredAny>().all(|value| value.is_ok())
}

const MARK: char = '\u{feff}';

/// White space, or a byte order mark, which stands for it.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || c == MARK
}

/// Without two marks at the start and any at the end. A third is text. CDX-OUT-19
fn without_marks(text: &str) -> &str {
    let mut marks = 0;
    text.trim_end_matches(is_space).trim_start_matches(|c| {
        marks += u32::from(c == MARK);
        is_space(c) && marks <= 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_hooks_core::Fidelity;

    fn kind(fidelity: Fidelity, stdout: &str) -> &'static str {
        match Stdout::read(Ways::of(fidelity), stdout).printed {
            Printed::Blank => "blank",
            Printed::Object(_) => "object",
            Printed::Broken(_) => "broken",
            Printed::Text => "text",
        }
    }

    /// CDX-OUT-16, CDX-OUT-19, CDX-OUT-28
    #[test]
    fn what_was_printed_is_one_of_four_things() {
        let cases = [
            ("\u{85}\u{2028} {} \u{3000}", "object", "object"),
            ("\u{feff} \u{feff}", "blank", "text"),
            ("\u{feff}\u{feff}\u{feff}", "blank", "text"),
            ("\u{feff}{}", "object", "text"),
            ("\u{feff}\u{feff}{}", "object", "text"),
            ("\u{feff}\u{feff}\u{feff}{}", "text", "text"),
            ("{}\u{feff}\u{feff}\u{feff}", "object", "broken"),
            ("\u{feff}[", "broken", "text"),
            ("\u{200b}{}", "text", "text"),
            (r#"{"a":1e400}"#, "object", "broken"),
            (r#"{"a":{"\udc00":1}}"#, "object", "broken"),
            ("[1]", "broken", "broken"),
            ("{}{}", "broken", "broken"),
            ("null", "text", "text"),
        ];
        for (stdout, guarded, vendor) in cases {
            assert_eq!(kind(Fidelity::Guarded, stdout), guarded, "{stdout:?}");
            assert_eq!(kind(Fidelity::Vendor, stdout), vendor, "{stdout:?}, Vendor");
        }
    }

    /// CDX-OUT-28: the object is the first level.
    #[test]
    fn codex_reads_127_levels() {
        let nested = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
        assert_eq!(kind(Fidelity::Vendor, &nested(127)), "object");
        assert_eq!(kind(Fidelity::Vendor, &nested(128)), "broken");
        assert_eq!(kind(Fidelity::Guarded, &nested(512)), "object");
        assert_eq!(kind(Fidelity::Guarded, &nested(513)), "broken");
    }

    /// CDX-OUT-20
    #[test]
    fn an_object_counts_behind_text_and_not_behind_json() {
        let cases = [
            ("log {\"a\":1}", true),
            ("[INFO] {\"a\":1}", true),
            ("loaded {a: 1} and {}\n{\"a\":1}", true),
            ("\u{feff}log {\"a\":1}", true),
            ("[{\"a\":1}", true),
            ("{note} log {\"a\":1}", false),
            ("\u{feff}{note} {\"a\":1}", false),
            ("[1] \"x\" 2\n{\"a\":1}", false),
            ("log {\"a\":1} end", false),
            ("[{\"a\":1}]", false),
            ("log", false),
        ];
        for (stdout, found) in cases {
            let behind = |fidelity| {
                let ways = Ways::of(fidelity);
                Stdout::read(ways, stdout).behind_text(ways).is_some()
            };
            assert_eq!(behind(Fidelity::Guarded), found, "{stdout:?}");
            assert!(!behind(Fidelity::Vendor), "{stdout:?}, Vendor");
        }
    }
}
