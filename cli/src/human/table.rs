//! Columns: as wide as what stands in them, narrowed from the widest down where the terminal has
//! not so many.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::{STRONG, painted, wrapped};

/// Narrower than this no column gets; a row that does not fit then is cut by the terminal.
const NARROWEST: usize = 12;
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
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without a head.
    pub(crate) fn new(indent: usize) -> Self {
        Table { indent, rows: Vec::new() }
    }

    /// Names the columns.
    pub(crate) fn head(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.rows.insert(0, names.into_iter().map(|name| Cell::styled(STRONG, name)).collect());
        self
    }

    /// One more row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines.
    pub(crate) fn render(&self, columns: Option<usize>) -> String {
        let widths = self.widths(columns);
        self.rows.iter().map(|row| self.render_row(row, &widths, columns.is_some())).collect()
    }

    fn widths(&self, columns: Option<usize>) -> Vec<usize> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let natural = |n: usize| self.rows.iter().filter_map(|row| row.get(n)).map(|c| c.text.width()).max();
        let mut widths: Vec<usize> = (0..count).map(|n| natural(n).unwrap_or(0)).collect();
        let Some(columns) = columns else { return widths };
        let room = columns.saturating_sub(self.indent + GAP * count.saturating_sub(1));
        while widths.iter().sum::<usize>() > room {
            let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > NARROWEST) else { break };
            *widest -= 1;
        }
        widths
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
    }
}
