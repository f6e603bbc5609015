//! A pattern with its text and, from its first test on, its program. Nothing here knows a dialect.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use once_cell::sync::OnceCell;

use super::dialect::Program;
use super::{Dialect, PatternError, Reason, Tested};

/// A pattern in a dialect. Clones share the program, which is built by the first test. Equal means
/// same text, same dialect.
#[derive(Clone)]
pub struct Pattern(Arc<Inner>);

struct Inner {
    text: Arc<str>,
    dialect: Dialect,
    program: OnceCell<Result<Program, Reason>>,
}

impl Pattern {
    /// A pattern of its own; through [`Patterns`] equal ones share their program. Builds nothing
    /// and accepts any text.
    pub fn new(text: impl Into<Arc<str>>, dialect: Dialect) -> Self {
        Self(Arc::new(Inner { text: text.into(), dialect, program: OnceCell::new() }))
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whose rules it follows.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.0.dialect
    }

    /// Whether the dialect accepts the pattern. Reads it anew, runs nothing.
    ///
    /// For [`Dialect::JavaScript`] an ECMAScript parser decides, for [`Dialect::Rust`] the one of
    /// the `regex` crate, so that look-around is an error there. A pattern too long or too deep to
    /// be read passes; testing it is [`Tested::Unevaluated`].
    ///
    /// # Errors
    /// What is wrong and where, for the person who wrote the pattern.
    ///
    /// ```
    /// use harness_hooks_core::matcher::{Dialect, Pattern};
    ///
    /// assert!(Pattern::new("^(?!Bash)", Dialect::JavaScript).check().is_ok());
    /// assert!(Pattern::new("^(?!Bash)", Dialect::Rust).check().is_err());
    /// assert!(Pattern::new("(?i)bash", Dialect::JavaScript).check().is_err());
    /// assert!(Pattern::new("(?i)bash", Dialect::Rust).check().is_ok());
    /// ```
    pub fn check(&self) -> Result<(), PatternError> {
        self.0.dialect.check(&self.0.text)
    }

    /// Whether the pattern is found anywhere in the text, upper and lower case told apart.
    ///
    /// In [`Dialect::JavaScript`] a text with a character above U+FFFF is copied; otherwise a test
    /// allocates nothing once the program is built and its scratch space has grown.
    ///
    /// ```
    /// use harness_hooks_core::matcher::{Dialect, Pattern, Tested};
    ///
    /// let pattern = Pattern::new("Write", Dialect::JavaScript);
    /// assert_eq!(pattern.test("WriteShellStdin"), Tested::Hit);
    /// assert_eq!(pattern.test("write"), Tested::Miss);
    /// ```
    #[must_use]
    pub fn test(&self, text: &str) -> Tested {
        match self.0.program.get_or_init(|| self.0.dialect.compile(&self.0.text)) {
            Ok(program) => program.test(text),
            Err(reason) => Tested::Unevaluated(*reason),
        }
    }

    /// Whether both are clones of one pattern, or came from one [`Patterns`].
    #[must_use]
    pub fn shares_program(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.dialect == other.0.dialect && self.0.text == other.0.text
    }
}

impl Eq for Pattern {}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern").field("text", &self.0.text).field("dialect", &self.0.dialect).finish()
    }
}

/// Patterns made so far, so that bindings with the same text and dialect share one program.
///
/// Holds every pattern until it is dropped itself; one per loaded configuration is meant.
///
/// ```
/// use harness_hooks_core::matcher::{Dialect, Patterns};
///
/// let patterns = Patterns::default();
/// let (one, other) = (patterns.get("Ba.*", Dialect::Rust), patterns.get("Ba.*", Dialect::Rust));
/// assert!(one.shares_program(&other));
/// assert!(!one.shares_program(&patterns.get("Ba.*", Dialect::JavaScript)));
/// ```
#[derive(Debug, Default)]
pub struct Patterns(Mutex<HashMap<Dialect, HashMap<Arc<str>, Pattern>>>);

impl Patterns {
    /// The pattern with this text in this dialect.
    pub fn get(&self, text: &str, dialect: Dialect) -> Pattern {
        // A map is whole even if another thread died holding it.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.entry(dialect).or_default();
        if let Some(pattern) = known.get(text) {
            return pattern.clone();
        }
        let pattern = Pattern::new(text, dialect);
        known.insert(Arc::clone(&pattern.0.text), pattern.clone());
        pattern
    }
}
