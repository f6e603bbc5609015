//! The JavaScript dialect: what it accepts, and which engine runs it.
//!
//! A pattern is read into a tree (`parse`), its back-references are settled (`references`) and the
//! tree is written as a pattern of `regex`, or of `fancy-regex` when it has look-around or
//! back-references (`translate`). Everything counts in UTF-16 code units (`units`). The tree is
//! written from scratch, so nothing a JavaScript pattern spells can mean something else to the
//! engine.

mod escape;
mod input;
mod parse;
mod references;
mod translate;
mod tree;
mod units;

use self::parse::{Parsed, Stop};
use self::translate::Form;
use super::{PatternError, Reason, Tested};

/// The largest machine that is built for a pattern, in bytes.
const MAX_BUILT: usize = 2 << 20;
/// The most instructions `fancy-regex` may make of a pattern.
const MAX_INSTRUCTIONS: usize = 64 << 10;
/// How often `fancy-regex` may go back to try another way. One such try may read the rest of the
/// text, hence [`LONG`].
const MAX_BACKTRACKS: usize = 128 << 10;
/// The longest text it sees, in bytes. `(?=.*a)b` reads the rest of the text at every character.
const LONG: usize = 16 << 10;

/// Whether ECMAScript accepts the pattern. Deeper than we read counts as accepted.
pub(super) fn check(text: &str) -> Result<(), PatternError> {
    match read(text) {
        Ok(_) | Err(Stop::TooDeep) => Ok(()),
        Err(Stop::Syntax { at, problem }) => {
            let offset = text.chars().scan(0, |units, c| {
                *units += c.len_utf16();
                (*units <= at).then(|| c.len_utf8())
            });
            Err(PatternError::new(text, offset.sum(), problem))
        }
    }
}

pub(super) fn compile(text: &str) -> Result<Program, Reason> {
    let mut root = match read(text) {
        Ok(parsed) => parsed.root,
        Err(Stop::TooDeep) => return Err(Reason::TooDeep),
        Err(Stop::Syntax { .. }) => return Err(Reason::Invalid),
    };
    let referred = references::settle(&mut root)?;
    if !translate::needs_backtracking(&root) {
        return linear(&translate::write(&root, Form::Exact)).map(Program::Linear);
    }
    let sieve = linear(&translate::write(&root, Form::Sieve)).ok();
    let exact = backtracking(&translate::write(&root, Form::Backtracking(&referred)))?;
    Ok(Program::Backtracking { sieve, exact })
}

/// Our parser, which knows where, and `regress`, which decides.
fn read(text: &str) -> Result<Parsed, Stop> {
    let parsed = parse::parse(text)?;
    let flags = regress::Flags { no_opt: true, ..regress::Flags::default() };
    match regress::Regex::from_unicode(parsed.plain.iter().copied(), flags) {
        Ok(_) => Ok(parsed),
        Err(error) => Err(parsed.refused(error.text)),
    }
}

/// What we write is valid, so it can only be too much; for [`backtracking`] likewise.
fn linear(pattern: &str) -> Result<regex::Regex, Reason> {
    regex::RegexBuilder::new(pattern).size_limit(MAX_BUILT).build().map_err(|_| Reason::TooLarge)
}

fn backtracking(pattern: &str) -> Result<fancy_regex::Regex, Reason> {
    fancy_regex::RegexBuilder::new(pattern)
        .backtrack_limit(MAX_BACKTRACKS)
        .delegate_size_limit(MAX_BUILT)
        .delegate_dfa_size_limit(MAX_BUILT)
        .max_prog_size(MAX_INSTRUCTIONS)
        // Its rewrites have changed verdicts in more than one release.
        .optimize(false)
        .build()
        .map_err(|_| Reason::TooLarge)
}

/// A pattern ready to run.
#[derive(Debug)]
pub(super) enum Program {
    /// Time grows with the text only.
    Linear(regex::Regex),
    /// Look-around or back-references.
    Backtracking {
        /// The pattern without them: what this misses, the pattern misses. Spares most texts the
        /// rest.
        sieve: Option<regex::Regex>,
        exact: fancy_regex::Regex,
    },
}

impl Program {
    pub(super) fn test(&self, text: &str) -> Tested {
        let text = units::spell_text(text);
        match self {
            Self::Linear(program) => program.is_match(&text).into(),
            Self::Backtracking { sieve, .. } if sieve.as_ref().is_some_and(|sieve| !sieve.is_match(&text)) => {
                Tested::Miss
            }
            Self::Backtracking { .. } if text.len() > LONG => Tested::Unevaluated(Reason::TextTooLong),
            Self::Backtracking { exact, .. } => match exact.is_match(text.as_ref()) {
                Ok(hit) => hit.into(),
                Err(_) => Tested::Unevaluated(Reason::StepLimit),
            },
        }
    }
}
