//! The dialects a pattern can be written in, and what their limits have in common. What each of
//! them accepts and how it runs is in `javascript` and `rust`.

use super::{PatternError, Reason, Tested, javascript, rust};

/// The longest pattern that is looked at, in bytes.
const MAX_PATTERN: usize = 16 << 10;

/// Whose rules a pattern follows. Both search anywhere in the text and tell upper from lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `new RegExp(text).test(…)` of ECMA-262 (2025), without flags: Annex B syntax, UTF-16 code
    /// units.
    ///
    /// A character above U+FFFF is two of those, so `^.$` misses `😀` and `^..$` hits it. `(?i:…)`
    /// and a name used in two alternatives are in that edition and accepted, though V8 has them
    /// only from 12.5.
    JavaScript,
    /// The syntax of the `regex` crate: no look-around, no back-references, Unicode classes.
    Rust,
}

impl Dialect {
    pub(super) fn check(self, text: &str) -> Result<(), PatternError> {
        match self {
            _ if text.len() > MAX_PATTERN => Ok(()),
            Self::JavaScript => javascript::check(text),
            Self::Rust => rust::check(text),
        }
    }

    pub(super) fn compile(self, text: &str) -> Result<Program, Reason> {
        match self {
            _ if text.len() > MAX_PATTERN => Err(Reason::PatternTooLong),
            Self::JavaScript => javascript::compile(text).map(Program::JavaScript),
            Self::Rust => rust::compile(text).map(Program::Rust),
        }
    }
}

/// A pattern ready to run.
#[derive(Debug)]
pub(super) enum Program {
    JavaScript(javascript::Program),
    Rust(regex::Regex),
}

impl Program {
    pub(super) fn test(&self, text: &str) -> Tested {
        match self {
            Self::JavaScript(program) => program.test(text),
            Self::Rust(program) => program.is_match(text).into(),
        }
    }
}
