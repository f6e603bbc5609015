//! What one hook asked for, in no vendor's words.

use serde::{Deserialize, Deserializer, Serialize, de::Error};

use crate::{Diagnostic, Json, Text};

/// What a hook says of an operation, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing stands against it.
    Allow,
    /// The user should decide.
    Ask,
    /// Someone should decide later.
    Defer,
    /// It must not run.
    Deny,
}

impl Verdict {
    /// The word used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Defer => "defer",
            Verdict::Deny => "deny",
        }
    }
}

/// Another input for a tool call, in the vendor's shape.
/// [`Adapter::rewrite`](crate::Adapter::rewrite) makes a neutral call of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputRewrite {
    /// This instead of the whole input.
    Replace(Json),
    /// These keys instead of the same keys.
    Patch(Json),
}

/// Another result for a tool call, in the vendor's shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultRewrite {
    /// The result.
    pub value: Json,
}

/// How much stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HaltScope {
    /// This prompt is not sent.
    Prompt,
    /// The turn ends.
    Turn,
    /// The session ends.
    Session,
}

/// A wish that something stops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Halt {
    /// How much stops.
    pub scope: HaltScope,
    /// Why.
    pub reason: Option<Text>,
}

impl Halt {
    /// A halt with a reason.
    pub fn new(scope: HaltScope, reason: impl Into<Option<Text>>) -> Self {
        Halt { scope, reason: reason.into() }
    }
}

/// A wish that the agent goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Continuation {
    /// What the model is told, as it stands.
    pub message: Text,
    /// How often since the user's last prompt this hook may ask for it.
    pub limit: Option<u32>,
}

/// Who reads a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnvReader {
    /// Later hooks of the same vendor.
    Hooks,
    /// The model's later shell commands.
    Tools,
}

/// A variable for the rest of the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvWish {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Who reads it.
    pub reader: EnvReader,
}

/// A wish only some hosts can do anything with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Extra {
    /// Folders of plugins to load.
    PluginPaths {
        /// The folders.
        paths: Vec<String>,
    },
    /// Something only hosts that know the vendor can do anything with.
    Vendor {
        /// What, as the vendor spells it.
        name: String,
        /// How, as the hook said it.
        value: Json,
    },
}

impl Extra {
    /// Something in the vendor's own words.
    pub fn vendor(name: impl Into<String>, value: impl Into<Json>) -> Self {
        Extra::Vendor { name: name.into(), value: value.into() }
    }
}

/// By hand, because what is tagged from inside is buffered, and raw JSON cannot be.
impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Keys {
            kind: String,
            paths: Option<Vec<String>>,
            name: Option<String>,
            value: Option<Json>,
        }
        match Keys::deserialize(deserializer)? {
            Keys { kind, paths: Some(paths), name: None, value: None } if kind == "plugin_paths" => {
                Ok(Extra::PluginPaths { paths })
            }
            Keys { kind, paths: None, name: Some(name), value } if kind == "vendor" => {
                Ok(Extra::Vendor { name, value: value.unwrap_or_default() })
            }
            Keys { kind, .. } => Err(D::Error::custom(format_args!("no extra of the kind `{kind}` has these keys"))),
        }
    }
}

/// A wish that means something at another event, not at this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsupported {
    /// The key, as the vendor spells it.
    pub field: String,
    /// The event.
    pub event: String,
}

/// What one hook asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Effects {
    /// What it says of the operation.
    pub verdict: Option<Verdict>,
    /// Why, for the model.
    pub reasons: Vec<Text>,
    /// What the user should see.
    pub notices: Vec<Text>,
    /// What the model should know.
    pub context: Vec<Text>,
    /// What it has against what just happened.
    pub feedback: Vec<Text>,
    /// Another input.
    pub replacement_input: Option<InputRewrite>,
    /// Another result.
    pub replacement_result: Option<ResultRewrite>,
    /// Variables for the rest of the session.
    pub session_env: Vec<EnvWish>,
    /// What should stop.
    pub halt: Option<Halt>,
    /// How the agent should go on.
    pub continuation: Option<Continuation>,
    /// Wishes only some hosts can do anything with.
    pub extras: Vec<Extra>,
    /// Wishes that mean nothing at this event.
    pub unsupported: Vec<Unsupported>,
    /// What the hook's author should know.
    pub diagnostics: Vec<Diagnostic>,
    /// It was there to decide and did not: it failed, or its decision is missing. Such a hook
    /// keeps an allow of another from counting as an approval.
    #[serde(skip)]
    pub undecided: bool,
}

impl Effects {
    /// A denial for this reason.
    pub fn deny(reason: impl Into<Text>) -> Self {
        Effects { verdict: Some(Verdict::Deny), reasons: vec![reason.into()], ..Effects::default() }
    }

    /// A wish that something stops.
    pub fn halt(scope: HaltScope, reason: impl Into<Text>) -> Self {
        Effects { halt: Some(Halt { scope, reason: Some(reason.into()) }), ..Effects::default() }
    }

    /// What is left of it once what it was asked about is over: what it tells, and for a hook that
    /// [wakes](crate::Background::wakes) the agent what it has against it.
    pub fn after_the_fact(self, wakes: bool) -> Self {
        let objection = || {
            let halt = self.halt.as_ref().and_then(|halt| halt.reason.clone());
            let onward = self.continuation.as_ref().map(|wish| wish.message.clone());
            self.reasons.iter().chain(&self.feedback).cloned().chain(halt).chain(onward).collect()
        };
        Effects {
            feedback: if wakes { objection() } else { Vec::new() },
            notices: self.notices,
            context: self.context,
            diagnostics: self.diagnostics,
            ..Effects::default()
        }
    }

    /// Nothing, of a hook that was there to decide.
    pub fn undecided() -> Self {
        Effects { undecided: true, ..Effects::default() }
    }
}
