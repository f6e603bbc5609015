//! Text from hooks and their files made fit for a terminal, and broken into lines that fit.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// More bytes of a text are not shown to people: `--format json` has it whole.
const LONG: usize = 2000;

/// More bytes of what only says which one is meant.
const BRIEF: usize = 240;

/// Fit for a terminal: what would steer it is taken out, what nobody would see is spelled out.
/// Lines and tabs stay.
pub(crate) fn shown(text: &str) -> String {
    fit(text, LONG, |c| matches!(c, '\n' | '\t').then(|| c.to_string()))
}

/// The same on one line, whatever it holds: the ends of lines and tabs are spelled out.
pub(crate) fn line(text: &str) -> String {
    line_of(text, LONG)
}

/// The same, only as long as is needed to know which one is meant.
pub(crate) fn brief(text: &str) -> String {
    line_of(text, BRIEF)
}

/// The same, this many bytes of it.
pub(crate) fn line_of(text: &str, bytes: usize) -> String {
    fit(text, bytes, |c| match c {
        '\n' => Some("\\n".into()),
        '\t' => Some("\\t".into()),
        _ => None,
    })
}

fn fit(text: &str, bytes: usize, control: impl Fn(char) -> Option<String>) -> String {
    let kept = &text[..text.floor_char_boundary(bytes)];
    let mut out = String::with_capacity(kept.len());
    for c in kept.chars() {
        match c {
            c if c.is_control() => out.extend(control(c)),
            c if is_unseen(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    if kept.len() < text.len() {
        out.push_str(&format!("… ({} more bytes)", text.len() - kept.len()));
    }
    out
}

/// A word as a person would write it for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    let word = line(word);
    if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// It has no shape of its own, or turns the order of those around it.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// One paragraph: rows after the first stand deeper. A part of the first row, or all, is in a style.
pub(crate) fn paragraph(text: &str, (part, style): (&str, Style), indent: usize, columns: Option<usize>) -> String {
    let deeper = indent + 2;
    let rows = wrapped(text, columns.map(|columns| columns.saturating_sub(deeper).max(20)));
    let row = |(n, row): (usize, &String)| {
        let left = if n == 0 { indent } else { deeper };
        let row = match n {
            _ if part == text => super::painted(style, row),
            0 => row.replacen(part, &super::painted(style, part), 1),
            _ => row.clone(),
        };
        format!("{:left$}{row}\n", "")
    };
    rows.iter().enumerate().map(row).collect()
}

/// The lines of a text, none wider than the columns there are. Words stay whole where they fit.
pub(crate) fn wrapped(text: &str, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else { return text.split('\n').map(str::to_owned).collect() };
    text.split('\n').flat_map(|line| wrapped_line(line, columns.max(1))).collect()
}

fn wrapped_line(line: &str, columns: usize) -> Vec<String> {
    if line.width() <= columns {
        return vec![line.to_owned()];
    }
    let mut lines = Vec::new();
    let mut current = String::new();
    for word in line.split(' ').flat_map(|word| pieces(word, columns)) {
        if !current.is_empty() && current.width() + 1 + word.width() > columns {
            lines.push(std::mem::take(&mut current));
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(&word);
    }
    lines.push(current);
    lines
}

/// A word that fits is one piece; a longer one is cut.
fn pieces(word: &str, columns: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for c in word.chars() {
        let width = c.width().unwrap_or(0);
        if used + width > columns && used > 0 {
            pieces.push(String::new());
            used = 0;
        }
        used += width;
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        for (text, kept, on_one_line) in [
            ("a\nb\tc", "a\nb\tc", "a\\nb\\tc"),
            ("\u{1b}[31mred\u{7}", "[31mred", "[31mred"),
            ("\u{9b}2J\r", "2J", "2J"),
            ("日本 ", "日本 ", "日本 "),
            ("a\u{202e}b\u{200b}", "a\\u{202e}b\\u{200b}", "a\\u{202e}b\\u{200b}"),
            ("\u{2028}\u{2066}\u{feff}", "\\u{2028}\\u{2066}\\u{feff}", "\\u{2028}\\u{2066}\\u{feff}"),
        ] {
            assert_eq!(shown(text), kept);
            assert_eq!(line(text), on_one_line);
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(line_of("日本", 6), "日本");
        assert_eq!(line_of("日本", 5), "日… (3 more bytes)");
        assert_eq!(shown(&"a".repeat(LONG + 7)), format!("{}… (7 more bytes)", "a".repeat(LONG)));
        assert_eq!(brief(&"\n".repeat(BRIEF + 1)), format!("{}… (1 more bytes)", "\\n".repeat(BRIEF)));
    }

    #[test]
    fn paragraphs_hang() {
        let plain = |columns| {
            let text = paragraph("head: one two three four five", ("head", Style::new().bold()), 2, columns);
            anstream::adapter::strip_str(&text).to_string()
        };
        assert_eq!(plain(None), "  head: one two three four five\n");
        assert_eq!(plain(Some(26)), "  head: one two three\n    four five\n");
    }

    #[test]
    fn lines_fit() {
        for (text, columns, lines) in [
            ("one two three", None, vec!["one two three"]),
            ("one two three", Some(7), vec!["one two", "three"]),
            ("a\n\nb", Some(7), vec!["a", "", "b"]),
            ("abcdefgh ij", Some(3), vec!["abc", "def", "gh", "ij"]),
            ("日本語 x", Some(4), vec!["日本", "語 x"]),
            ("", Some(5), vec![""]),
            ("ab", Some(0), vec!["a", "b"]),
        ] {
            assert_eq!(wrapped(text, columns), lines, "{text:?} in {columns:?}");
        }
    }
}
