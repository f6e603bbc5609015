//! Text for people: plain, aligned, coloured only on a terminal. What is said of effects and
//! decisions is in `said.rs`; each command puts its own page together.
//!
//! Text from hooks and their files goes through `shown` or `line`, so that none of it steers the
//! terminal.

mod said;
mod table;
mod text;

use anstyle::{AnsiColor, Style};
use harness_hooks_core::{Diagnostic, RefusedSource, Severity};

use crate::failure::Failure;

pub(crate) use said::{decision, effects, handler, outcome, verdict};
pub(crate) use table::{Cell, Table};
pub(crate) use text::{brief, is_unseen, line, line_of, paragraph, quoted, shown, wrapped};

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const DOUBT: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Text in a style. `out` takes the style out again where there is no terminal.
pub(crate) fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// How many columns the terminal has; `None` where the text goes elsewhere and is not wrapped.
pub(crate) fn columns() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// `1 hook`, `2 hooks`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// What is said about something: labels in one column, what they say in another.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(String, String, Style)>);

impl Fields {
    /// One more.
    pub(crate) fn say(&mut self, label: impl Into<String>, text: impl Into<String>) {
        self.0.push((label.into(), text.into(), Style::new()));
    }

    /// One more, in a style.
    pub(crate) fn say_in(&mut self, style: Style, label: impl Into<String>, text: impl Into<String>) {
        self.0.push((label.into(), text.into(), style));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lines, each field's own below each other.
    pub(crate) fn render(&self, indent: usize, columns: Option<usize>) -> String {
        let longest = self.0.iter().map(|(label, ..)| label.len()).max().unwrap_or(0);
        let left = indent + longest + 2;
        let room = columns.map(|columns| columns.saturating_sub(left).max(20));
        let mut out = String::new();
        for (label, text, style) in &self.0 {
            let label = format!("{:indent$}{}{:pad$}", "", painted(FAINT, label), "", pad = longest - label.len() + 2);
            for (n, row) in wrapped(text, room).iter().enumerate() {
                let start = if n == 0 { label.clone() } else { " ".repeat(left) };
                out.push_str(format!("{start}{}", painted(*style, row)).trim_end());
                out.push('\n');
            }
        }
        out
    }
}

/// `path:line:column: error[code]: message`, and what to write instead.
pub(crate) fn diagnostic(diagnostic: &Diagnostic) -> String {
    let mut place = diagnostic.source.as_deref().map(line).unwrap_or_default();
    if let Some(at) = diagnostic.place {
        place.push_str(&format!(":{}:{}", at.line, at.column));
    }
    if !place.is_empty() {
        place.push_str(": ");
    }
    let style = match diagnostic.severity {
        Severity::Error => BAD,
        Severity::Warning => DOUBT,
        Severity::Note => FAINT,
    };
    let kind = painted(style, &format!("{}[{}]", diagnostic.severity, diagnostic.code));
    let mut text = format!("{place}{kind}: {}\n", line(&diagnostic.message));
    if let Some(help) = &diagnostic.help {
        let rows: Vec<_> = help.split('\n').map(line).collect();
        text.push_str(&format!("  help: {}\n", rows.join("\n    "))); // further ones can be pasted
    }
    text
}

/// What kept a command from doing its work.
pub(crate) fn failure(failure: &Failure) -> String {
    format!("{}: {}\n", painted(BAD, "error"), shown(&failure.to_string()))
}

/// What the numbers are, said once above them.
pub(crate) fn about_stages(columns: Option<usize>) -> String {
    let text = "Stages run one after another, the lowest first; the hooks of a stage run side by side.";
    paragraph(text, (text, FAINT), 0, columns)
}

/// How many findings of each severity there are, the worst first; empty where there are none.
pub(crate) fn tally(findings: &[&Diagnostic]) -> String {
    let severities = [(Severity::Error, BAD), (Severity::Warning, DOUBT), (Severity::Note, FAINT)];
    let counted = severities.into_iter().filter_map(|(severity, style)| {
        let number = findings.iter().filter(|finding| finding.severity == severity).count();
        (number > 0).then(|| painted(style, &count(number, severity.name())))
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// Guards that are missing: said before anything else.
pub(crate) fn refused(sources: &[RefusedSource], columns: Option<usize>) -> String {
    let said = sources.iter().map(|refused| {
        let head = "not guarded by";
        let text = format!("{head} {}: {}", line(&refused.place()), line(&refused.why));
        paragraph(&text, (head, BAD), 0, columns)
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_below_each_other_and_wrap_where_they_began() {
        let mut fields = Fields::default();
        fields.say("reason", "one two three four five six seven");
        fields.say("by", "a\nb");
        let plain = |columns| anstream::adapter::strip_str(&fields.render(2, columns)).to_string();
        assert_eq!(plain(None), "  reason  one two three four five six seven\n  by      a\n          b\n");
        assert_eq!(
            plain(Some(30)),
            "  reason  one two three four\n          five six seven\n  by      a\n          b\n"
        );
    }

    #[test]
    fn things_are_counted() {
        assert_eq!([count(0, "hook"), count(1, "hook"), count(2, "hook")], ["0 hooks", "1 hook", "2 hooks"]);
    }
}
