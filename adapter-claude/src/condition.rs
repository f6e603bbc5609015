//! Whether an `if` holds: one permission rule, of a tool and what it is called with.

use harness_hooks_core::{Condition, Occasion, Source, Text};

/// A permission rule.
#[derive(Debug)]
pub(crate) struct Rule {
    text: Text,
    holds: bool,
}

/// Reads a rule of a source.
///
/// # Errors
/// Why it can never hold, in a sentence.
pub(crate) fn compile(text: &str, source: &Source) -> Result<Rule, String> {
    let _ = source;
    let tool = text.split('(').next().unwrap_or_default();
    let named = tool.chars().all(|c| c.is_ascii_alphanumeric() || "_-*".contains(c));
    let closed = text.len() == tool.len() || text.ends_with(')');
    if named && closed { Ok(Rule { text: text.into(), holds: true }) } else { Err("it is no permission rule".into()) }
}

impl Rule {
    /// One that never holds.
    pub(crate) fn never(text: &str) -> Rule {
        Rule { text: text.into(), holds: false }
    }
}

impl Condition for Rule {
    fn text(&self) -> &str {
        &self.text
    }

    fn holds(&self, _: Occasion<'_>) -> bool {
        self.holds
    }
}
