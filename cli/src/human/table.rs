//! Columns: as wide as what stands in them, narrowed from the widest down where the terminal has
//! not so many, as far as words stay whole; where even that does not fit, a row is a block of
//! fields.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::{Fields, STRONG, painted, wrapped};

const GAP: usize = 2;

/// One cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Text in a style.
    pub(crate) fn styled(style: Style, text: impl Into<String>) -> Self {
        Cell { text: text.into(), style }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell { text: text.into(), style: Style::new() }
    }
}

/// Rows of cells, with or without a head.
#[derive(Debug, Default)]
pub(crate) struct Table {
    indent: usize,
    head: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without a head.
    pub(crate) fn new(indent: usize) -> Self {
        Table { indent, head: Vec::new(), rows: Vec::new() }
    }

    /// Names the columns.
    pub(crate) fn head(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.head = names.into_iter().map(Into::into).collect();
        self
    }

    /// One more row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines.
    pub(crate) fn render(&self, columns: Option<usize>) -> String {
        let mut widths = self.widths(UnicodeWidthStr::width);
        if let Some(columns) = columns {
            let room = columns.saturating_sub(self.indent + GAP * widths.len().saturating_sub(1));
            let words = self.widths(|text| text.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0));
            if !narrow(&mut widths, &words, room) && !self.head.is_empty() {
                return self.blocks(columns);
            }
        }
        let head: Vec<_> = self.head.iter().map(|name| Cell::styled(STRONG, name)).collect();
        let rows = Some(&head).filter(|head| !head.is_empty()).into_iter().chain(&self.rows);
        rows.map(|row| self.render_row(row, &widths, columns.is_some())).collect()
    }

    /// How wide each column is, if texts are as wide as that.
    fn widths(&self, width: impl Fn(&str) -> usize) -> Vec<usize> {
        let count = self.rows.iter().map(Vec::len).chain([self.head.len()]).max().unwrap_or(0);
        let widest = |n: usize| self.rows.iter().filter_map(|row| row.get(n)).map(|cell| width(&cell.text)).max();
        let head = |n: usize| self.head.get(n).map_or(0, |name| width(name));
        (0..count).map(|n| widest(n).unwrap_or(0).max(head(n))).collect()
    }

    /// Each row as fields under what stands in its first column.
    fn blocks(&self, columns: usize) -> String {
        let block = |row: &Vec<Cell>| {
            let mut fields = Fields::default();
            for (name, cell) in self.head.iter().zip(row).filter(|(_, cell)| !cell.text.is_empty()) {
                fields.say_in(cell.style, name, &cell.text);
            }
            fields.render(self.indent, Some(columns))
        };
        self.rows.iter().map(block).collect::<Vec<_>>().join("\n")
    }

    fn render_row(&self, row: &[Cell], widths: &[usize], wrap: bool) -> String {
        let cells: Vec<_> = row.iter().zip(widths).map(|(c, w)| wrapped(&c.text, wrap.then_some(*w))).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = String::new();
        for n in 0..height {
            let mut text = " ".repeat(self.indent);
            for ((lines, cell), width) in cells.iter().zip(row).zip(widths) {
                let part = lines.get(n).map_or("", String::as_str);
                let pad = width.saturating_sub(part.width()) + GAP;
                if !part.is_empty() {
                    text.push_str(&painted(cell.style, part));
                }
                text.push_str(&" ".repeat(pad));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        out
    }
}

/// Takes from the widest that can still give until they fit; false if they cannot.
fn narrow(widths: &mut [usize], least: &[usize], room: usize) -> bool {
    while widths.iter().sum::<usize>() > room {
        let spare = widths.iter_mut().zip(least).filter(|(width, least)| **width > **least);
        match spare.map(|(width, _)| width).max() {
            Some(widest) => *widest -= 1,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(table: &Table, columns: Option<usize>) -> String {
        anstream::adapter::strip_str(&table.render(columns)).to_string()
    }

    #[test]
    fn columns_are_as_wide_as_needed_and_as_narrow_as_must_be() {
        let mut table = Table::new(1).head(["who", "what"]);
        table.row(["日本".into(), "short".into()]);
        table.row(["b".into(), "a text of several words".into()]);
        assert_eq!(plain(&table, None), " who   what\n 日本  short\n b     a text of several words\n");
        assert_eq!(plain(&table, Some(22)), " who   what\n 日本  short\n b     a text of\n       several words\n");
        let blocks = " who   日本\n what  short\n\n who   b\n what  a text of several\n       words\n";
        assert_eq!(plain(&table, Some(13)), blocks);
    }
}
