//! Testing a matcher: does a binding want this occurrence.
//!
//! A vendor's adapter reads its own matcher grammar (what is a list of names, what is a pattern,
//! what means "all") and hands over a [`Matcher`]; an event says what it is tested against as
//! [`Targets`]. Here they meet. Reading a grammar, choosing targets and wording diagnostics is not
//! done here.
//!
//! A guard that cannot be evaluated runs: [`Tested::Unevaluated`] counts as a hit and says why.
//!
//! ```
//! use harness_hooks_core::matcher::{Dialect, Matcher, Patterns, Targets, Tested};
//!
//! let patterns = Patterns::default();
//! let matcher = Matcher::Pattern(patterns.get(r"^mcp__.*__(?!read)", Dialect::JavaScript));
//! assert_eq!(matcher.test(&Targets::one("mcp__files__write")), Tested::Hit);
//! assert_eq!(matcher.test(&Targets::one("mcp__files__read")), Tested::Miss);
//! assert_eq!(matcher.test(&Targets::NotThisEvent), Tested::Miss);
//!
//! // A pattern the dialect refuses is for the adapter to report and leave out.
//! let refused = patterns.get("Bash(git *)|*", Dialect::JavaScript).check().unwrap_err();
//! assert_eq!(refused.offset(), 12);
//! ```

mod dialect;
mod error;
mod javascript;
mod pattern;
mod rust;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

pub use dialect::Dialect;
pub use error::{PatternError, Reason};
pub use pattern::{Pattern, Patterns};

/// What a binding is bound to within its event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Matcher {
    /// Every occurrence of the event.
    Any,
    /// One of these names, exactly.
    Names(Arc<BTreeSet<String>>),
    /// A pattern found anywhere in a target.
    Pattern(Pattern),
}

impl Matcher {
    /// Tests the targets in their order; one hit is enough.
    ///
    /// [`Tested::Unevaluated`] only if no target is a hit and one could not be tested. Allocates
    /// only where [`Pattern::test`] does.
    ///
    /// ```
    /// use harness_hooks_core::matcher::{Dialect, Matcher, Pattern, Reason, Targets, Tested};
    ///
    /// let matcher = Matcher::Pattern(Pattern::new("(a{1000}){1000}", Dialect::JavaScript));
    /// let tested = matcher.test(&Targets::one("Bash"));
    /// assert_eq!(tested, Tested::Unevaluated(Reason::TooLarge));
    /// assert!(tested.is_hit());
    /// ```
    #[must_use]
    pub fn test(&self, targets: &Targets<'_>) -> Tested {
        let (first, also) = match targets {
            Targets::NotThisEvent => return Tested::Miss,
            Targets::Everything => return Tested::Hit,
            Targets::Of { first, also } => (first, also),
        };
        let mut tested = self.test_one(first);
        for target in also {
            if tested == Tested::Hit {
                break;
            }
            match self.test_one(target) {
                Tested::Miss => {}
                other => tested = other,
            }
        }
        tested
    }

    fn test_one(&self, target: &str) -> Tested {
        match self {
            Matcher::Any => Tested::Hit,
            Matcher::Names(names) => names.contains(target).into(),
            Matcher::Pattern(pattern) => pattern.test(target),
        }
    }
}

/// As its author wrote it, names joined by `|`.
impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Matcher::Any => f.write_str("*"),
            Matcher::Names(names) => {
                for (n, name) in names.iter().enumerate() {
                    write!(f, "{}{name}", if n == 0 { "" } else { "|" })?;
                }
                Ok(())
            }
            Matcher::Pattern(pattern) => f.write_str(pattern.text()),
        }
    }
}

/// What a matcher is tested against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets<'e> {
    /// This occurrence is not this event (a poll of a running command, say): no matcher hits,
    /// [`Matcher::Any`] neither.
    NotThisEvent,
    /// The event takes no matcher: every matcher hits, whatever it says.
    Everything,
    /// One text or several, any of which may hit.
    Of {
        /// The text itself, for a tool its name.
        first: Cow<'e, str>,
        /// Other names of the same thing; an empty list allocates nothing.
        also: Vec<Cow<'e, str>>,
    },
}

impl<'e> Targets<'e> {
    /// One text.
    pub fn one(text: impl Into<Cow<'e, str>>) -> Self {
        Self::of(text, [])
    }

    /// A text with its other names.
    ///
    /// ```
    /// use harness_hooks_core::matcher::Targets;
    ///
    /// let tool = String::from("search");
    /// let targets = Targets::of(&tool, [format!("MCP:{tool}").into()]);
    /// assert_eq!(targets.texts().collect::<Vec<_>>(), ["search", "MCP:search"]);
    /// ```
    pub fn of(first: impl Into<Cow<'e, str>>, also: impl IntoIterator<Item = Cow<'e, str>>) -> Self {
        Self::Of { first: first.into(), also: also.into_iter().collect() }
    }

    /// The texts in their order; none for [`Targets::NotThisEvent`] and [`Targets::Everything`].
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (first, also) = match self {
            Self::Of { first, also } => (Some(first), also.as_slice()),
            Self::NotThisEvent | Self::Everything => (None, [].as_slice()),
        };
        first.into_iter().chain(also).map(AsRef::as_ref)
    }
}

/// What came of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tested {
    /// It matches.
    Hit,
    /// It does not.
    Miss,
    /// It could not be told. Counts as a hit: a guard that cannot be evaluated runs.
    Unevaluated(Reason),
}

impl Tested {
    /// Whether the hook runs.
    #[must_use]
    pub fn is_hit(self) -> bool {
        self != Self::Miss
    }

    /// Why it could not be told, for a diagnostic.
    #[must_use]
    pub fn reason(self) -> Option<Reason> {
        match self {
            Self::Unevaluated(reason) => Some(reason),
            Self::Hit | Self::Miss => None,
        }
    }
}

impl From<bool> for Tested {
    /// `true` is a hit.
    fn from(hit: bool) -> Self {
        if hit { Self::Hit } else { Self::Miss }
    }
}
