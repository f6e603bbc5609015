//! Text from hooks and their files made fit for a terminal, and broken into lines that fit.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Without the characters that steer a terminal; lines and tabs stay.
pub(crate) fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// On one line, whatever it holds: the ends of lines and tabs are spelled out.
pub(crate) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
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
        ] {
            assert_eq!(shown(text), kept);
            assert_eq!(line(text), on_one_line);
        }
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
