//! What can be wrong with a pattern, in words for the person who wrote it: [`PatternError`] for one
//! the dialect refuses, [`Reason`] for one that could not be run.

use std::borrow::Cow;

/// A pattern its dialect does not accept.
///
/// ```
/// use harness_hooks_core::matcher::{Dialect, Pattern};
///
/// let error = Pattern::new("Bash(", Dialect::JavaScript).check().unwrap_err();
/// assert_eq!(error.to_string(), r"this `(` is never closed; a literal one is written `\(` (at character 5)");
/// assert_eq!(error.offset(), 4);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} (at character {character})")]
pub struct PatternError {
    problem: Cow<'static, str>,
    offset: usize,
    character: usize,
}

impl PatternError {
    /// `offset` in bytes; one inside a character means its start.
    pub(super) fn new(text: &str, offset: usize, problem: impl Into<Cow<'static, str>>) -> Self {
        let offset = text.floor_char_boundary(offset);
        let character = text.char_indices().take_while(|(at, _)| *at < offset).count() + 1;
        Self { problem: problem.into(), offset, character }
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// Where it is wrong, in bytes from the start of the pattern.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

/// Why a test could not be carried out. The display is a clause, "the pattern …" or "the text …".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The dialect refuses the pattern, see [`Pattern::check`](super::Pattern::check).
    #[error("the pattern is not valid")]
    Invalid,
    /// Over 16 KiB; whether the dialect accepts it was not looked at.
    #[error("the pattern is longer than 16 KiB")]
    PatternTooLong,
    /// A JavaScript pattern whose groups nest 32 deep.
    #[error("the groups of the pattern nest too deep")]
    TooDeep,
    /// Repetitions multiply to more than is worth building.
    #[error("the repetitions of the pattern multiply to too much")]
    TooLarge,
    /// A back-reference whose group JavaScript may have forgotten when a repetition started over,
    /// was set from right to left in a look-behind, or is compared whatever the case.
    #[error("the pattern refers back to a group in a way that cannot be followed")]
    BackReference,
    /// The pattern has look-around or back-references and could match, but the text is over 16 KiB.
    #[error("the text is longer than 16 KiB, too long for look-around and back-references")]
    TextTooLong,
    /// The limit for trying alternatives was reached.
    #[error("the pattern took too many steps on this text")]
    StepLimit,
}
