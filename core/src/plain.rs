//! JSON as a program writes it that read it first. What is meant stays; what two readers could take
//! for different things is gone.

use std::borrow::Cow;

use crate::{
    json::{last_wins, repeats, unquote},
    syntax::{Node, Tape, parse},
};

/// The same value with only those escapes that must be, and each key once; `None` where it is written
/// so already, or nested deeper than what is read anywhere here.
pub(crate) fn plain(text: &str) -> Option<String> {
    let written = Written { text, tape: parse(text, false).ok()? };
    let escapes = text.contains("\\u") || text.contains("\\/");
    if !escapes && !(0..written.tape.nodes.len()).any(|node| repeats(&written.entries(node))) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    written.write(0, &mut out);
    (out != text).then_some(out)
}

struct Written<'a> {
    text: &'a str,
    tape: Tape,
}

impl<'a> Written<'a> {
    fn of(&self, node: usize) -> &'a str {
        self.tape.nodes.get(node).and_then(|node| self.text.get(node.range())).unwrap_or_default()
    }

    fn next(&self, node: usize) -> usize {
        self.tape.nodes.get(node).map_or(usize::MAX, Node::next)
    }

    /// The keys of an object with the nodes of their values; none of anything else.
    fn entries(&self, object: usize) -> Vec<(Cow<'a, str>, usize)> {
        let mut entries = Vec::new();
        if self.of(object).starts_with('{') {
            let (mut key, end) = (object + 1, self.next(object));
            while key < end {
                entries.push((unquote(self.of(key)), key + 1));
                key = self.next(key + 1);
            }
        }
        entries
    }

    fn items(&self, list: usize) -> impl Iterator<Item = usize> {
        let (first, end) = (list + 1, self.next(list));
        std::iter::successors(Some(first), |item| Some(self.next(*item))).take_while(move |item| *item < end)
    }

    fn write(&self, node: usize, out: &mut String) {
        let text = self.of(node);
        match text.as_bytes().first() {
            Some(b'{') => {
                let (kept, _) = last_wins(self.entries(node));
                let entry = |(n, (key, value)): (usize, (Cow<'_, str>, usize))| {
                    out.push(if n == 0 { '{' } else { ',' });
                    quote(&key, out);
                    out.push(':');
                    self.write(value, out);
                };
                let empty = kept.is_empty();
                kept.into_iter().enumerate().for_each(entry);
                out.push_str(if empty { "{}" } else { "}" });
            }
            Some(b'[') => {
                out.push('[');
                for (n, item) in self.items(node).enumerate() {
                    out.push_str(if n == 0 { "" } else { "," });
                    self.write(item, out);
                }
                out.push(']');
            }
            Some(b'"') if text.contains('\\') => quote(&unquote(text), out),
            _ => out.push_str(text),
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_two_readers_could_misunderstand_changes() {
        for (written, plainly) in [
            (r#"{"a":"caf\u00e9\/\u001B\u2028\"\\"}"#, Some("{\"a\":\"café/\\u001b\u{2028}\\\"\\\\\"}")),
            (r#"{"command":"rm","x":[1.50,1e400,-0],"command":"ls"}"#, Some(r#"{"command":"ls","x":[1.50,1e400,-0]}"#)),
            (r#"{"a":[{"b":1,"\u0062":2}],"c":{}}"#, Some(r#"{"a":[{"b":2}],"c":{}}"#)),
            (r#"{"\ud83d\ude00":[],"b":[[],{}]}"#, Some(r#"{"😀":[],"b":[[],{}]}"#)),
            (r#""\u0041""#, Some(r#""A""#)),
            (r#"{"a":"\n\t\u0007","b":[true,null,12345678901234567890]}"#, None),
            (r#""a\\u0041""#, None),
            ("1.0", None),
        ] {
            assert_eq!(plain(written).as_deref(), plainly, "{written}");
        }
    }

    /// Deeper than anything here is read, and as it came.
    #[test]
    fn no_depth_is_too_deep() {
        let deep = |levels: usize| format!("{}\"\\u0041\"{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(plain(&deep(400)), Some(deep(400).replace("\\u0041", "A")));
        assert_eq!(plain(&deep(100_000)), None);
    }
}
