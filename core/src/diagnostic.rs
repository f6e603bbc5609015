//! What a person should know: one finding, how bad it is, where it is and what to do about it.
//!
//! A diagnostic is data. Libraries collect them and return them; nothing here prints, and nothing here knows how a
//! place in a file is found (that is [`document`](crate::document)).
//!
//! ```
//! use harness_hooks_core::diagnostic::{Diagnostic, Place};
//!
//! let finding = Diagnostic::error("cursor/wrong-type", "`timeout` must be a number of seconds, found text `\"5\"`")
//!     .source("/home/dev/project/.cursor/hooks.json")
//!     .pointer("/hooks/stop/0/timeout")
//!     .at(Place::new(7, 18))
//!     .help("remove the quotes: `5`");
//! assert_eq!(
//!     finding.to_string(),
//!     "/home/dev/project/.cursor/hooks.json:7:18: error[cursor/wrong-type]: `timeout` must be a number of seconds, \
//!      found text `\"5\"`\n  help: remove the quotes: `5`"
//! );
//! ```

use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::borrow::Cow;
use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Something was refused: a file, a definition that is none, an answer.
    Error,
    /// It was read, but it probably does not do what its author meant.
    Warning,
    /// Good to know; nothing needs to change.
    Note,
}

impl Severity {
    /// The word used in text and in JSON: `error`, `warning`, `note`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Severity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A place in a text, as an editor shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The line, counted from 1. `\n`, `\r\n` and a lone `\r` end a line.
    pub line: u32,
    /// The column, counted from 1 in characters (Unicode scalar values): a tab and an emoji are one each. Byte order
    /// marks at the start of a file are not counted.
    pub column: u32,
}

impl Place {
    /// A place from its line and column, both counted from 1.
    #[must_use]
    pub const fn new(line: u32, column: u32) -> Self {
        Place { line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// One finding.
///
/// Serialized, every key is always there and `null` when unknown:
/// `{"severity","code","message","help","path","pointer","line","column"}` (`path` is [`source`](Self::source)).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of finding it is: `vendor/kebab-case`, stable across versions.
    pub code: Cow<'static, str>,
    /// What was found and what was expected, one sentence without a full stop.
    pub message: String,
    /// What it was found in: a path, or a label for something that is no file.
    pub source: Option<String>,
    /// Which value it is about, as a JSON pointer (RFC 6901); the empty text is the whole document.
    pub pointer: Option<String>,
    /// What to write instead.
    pub help: Option<String>,
    /// Where in the text it is.
    pub place: Option<Place>,
}

impl Diagnostic {
    /// A finding that so far has a code and a message only.
    #[must_use]
    pub fn new(severity: Severity, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            code: code.into(),
            message: message.into(),
            source: None,
            pointer: None,
            help: None,
            place: None,
        }
    }

    /// An error.
    #[must_use]
    pub fn error(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning.
    #[must_use]
    pub fn warning(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note.
    #[must_use]
    pub fn note(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Says what it was found in: a path or a label.
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Says which value it is about, as a JSON pointer.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says where in the text it is.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}

/// `path:line:column: error[cursor/wrong-type]: message`, and a second line with the help. What is unknown is left out.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(source) = &self.source {
            write!(f, "{source}:")?;
        }
        if let Some(Place { line, column }) = self.place {
            write!(f, "{line}:{column}:")?;
        }
        if self.source.is_some() || self.place.is_some() {
            f.write_str(" ")?;
        }
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Diagnostic", 8)?;
        object.serialize_field("severity", &self.severity)?;
        object.serialize_field("code", &self.code)?;
        object.serialize_field("message", &self.message)?;
        object.serialize_field("help", &self.help)?;
        object.serialize_field("path", &self.source)?;
        object.serialize_field("pointer", &self.pointer)?;
        object.serialize_field("line", &self.place.map(|place| place.line))?;
        object.serialize_field("column", &self.place.map(|place| place.column))?;
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Diagnostic {
        Diagnostic::warning("v/code", "what").source("a/b.json").pointer("/x/0").help("do this").at(Place::new(3, 14))
    }

    #[test]
    fn displays_what_is_known() {
        let bare = Diagnostic::note("v/code", "what");
        let cases = [
            (full(), "a/b.json:3:14: warning[v/code]: what\n  help: do this"),
            (bare.clone(), "note[v/code]: what"),
            (bare.clone().source("a"), "a: note[v/code]: what"),
            (bare.clone().at(Place::new(1, 2)), "1:2: note[v/code]: what"),
            (bare.help("h"), "note[v/code]: what\n  help: h"),
        ];
        for (diagnostic, text) in cases {
            assert_eq!(diagnostic.to_string(), text);
        }
    }

    #[test]
    fn serializes_every_key_in_order() {
        assert_eq!(
            serde_json::to_string(&full()).unwrap(),
            r#"{"severity":"warning","code":"v/code","message":"what","help":"do this","path":"a/b.json","pointer":"/x/0","line":3,"column":14}"#
        );
        assert_eq!(
            serde_json::to_string(&Diagnostic::error("v/code", "what")).unwrap(),
            r#"{"severity":"error","code":"v/code","message":"what","help":null,"path":null,"pointer":null,"line":null,"column":null}"#
        );
    }

    #[test]
    fn names_severities_and_places() {
        assert_eq!(Severity::Note.to_string(), "note");
        assert_eq!(Place::new(3, 5).to_string(), "line 3, column 5");
        assert!(Place::new(1, 9) < Place::new(2, 1));
    }
}
