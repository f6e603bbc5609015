//! What a hook may do at its event, and what a host can carry out: one set for both, so that one
//! can be asked of the other.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! capabilities {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $text:literal;)*) => {
        impl Capabilities {
            $($(#[$doc])* pub const $name: Capabilities = Capabilities(1 << $bit);)*
            /// Everything.
            pub const ALL: Capabilities = Capabilities($(1 << $bit)|*);
            const NAMES: &'static [(Capabilities, &'static str)] = &[$((Capabilities::$name, $text)),*];
        }
    };
}

/// A set of capabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capabilities(u16);

capabilities! {
    /// Allow, ask or deny what is about to happen.
    VERDICT = 0, "verdict";
    /// Change the input of a tool call.
    REWRITE_INPUT = 1, "rewrite_input";
    /// Change what a tool returned.
    REWRITE_RESULT = 2, "rewrite_result";
    /// Tell the model something.
    CONTEXT = 3, "context";
    /// Object to what just happened.
    FEEDBACK = 4, "feedback";
    /// Show the user something.
    NOTICE = 5, "notice";
    /// Set variables for what runs later in the session.
    SESSION_ENV = 6, "session_env";
    /// Stop a prompt, a turn or a session.
    HALT = 7, "halt";
    /// Make the agent go on after it stopped.
    CONTINUATION = 8, "continuation";
    /// Put a decision off.
    DEFER = 9, "defer";
    /// Name folders of plugins to load.
    PLUGIN_PATHS = 10, "plugin_paths";
}

impl Capabilities {
    /// Nothing.
    pub const NONE: Capabilities = Capabilities(0);

    /// These and those.
    pub const fn and(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 | other.0)
    }

    /// These without those.
    pub const fn without(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 & !other.0)
    }

    /// Those of these that are also among those.
    pub const fn among(self, those: Capabilities) -> Capabilities {
        Capabilities(self.0 & those.0)
    }

    /// All of those are among these.
    pub const fn has(self, other: Capabilities) -> bool {
        self.0 & other.0 == other.0
    }

    /// There are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their names, in a fixed order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Capabilities::NAMES.iter().filter(move |(one, _)| self.has(*one)).map(|(_, name)| *name)
    }
}

impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, name) in self.names().enumerate() {
            write!(f, "{}{name}", if n == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Serialize for Capabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}
