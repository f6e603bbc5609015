//! The Rust dialect: the `regex` crate reads and runs the pattern as it is. Nothing is translated.

use super::{PatternError, Reason};

/// The crate's own limit for a built pattern, in bytes.
const MAX_BUILT: usize = 10 << 20;

/// The reader `regex` itself uses, with the settings it uses, because its own error has no place in
/// it.
pub(super) fn check(text: &str) -> Result<(), PatternError> {
    let Err(error) = regex_syntax::parse(text) else {
        return Ok(());
    };
    let (offset, problem) = match &error {
        regex_syntax::Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
        regex_syntax::Error::Translate(error) => (error.span().start.offset, error.kind().to_string()),
        _ => (0, "not valid".to_owned()),
    };
    Err(PatternError::new(text, offset, problem))
}

pub(super) fn compile(text: &str) -> Result<regex::Regex, Reason> {
    regex::RegexBuilder::new(text).size_limit(MAX_BUILT).build().map_err(|error| match error {
        regex::Error::Syntax(_) => Reason::Invalid,
        _ => Reason::TooLarge,
    })
}
