//! One occurrence of a boundary: who, when, where, and the payload.

use std::{path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    Boundary, Payload, Text,
    json::{lone_surrogates, without_lone_surrogates},
    record::record,
};

record! {
    /// A conversation of a user with an agent.
    Session {
        /// Its id.
        id: Text,
        /// The current working directory.
        cwd: PathBuf,
        ;
        /// The workspace's folders.
        roots: Vec<PathBuf>,
        /// The model's name.
        model: Option<Text>,
        /// The model's identifier, where it differs from the name.
        model_id: Option<Text>,
        /// The file the conversation is written to, once it exists.
        transcript: Option<PathBuf>,
        /// How far the user trusts the agent, in the host's words.
        permission_mode: Option<Text>,
        /// How hard the model thinks, in the host's words.
        effort: Option<Text>,
        /// What people call the conversation.
        title: Option<Text>,
        /// The user's address, where the user lets hooks see it.
        user_email: Option<Text>,
    }
}

record! {
    /// What happens between a prompt and the end of the agent's answer.
    Turn {
        /// Its id.
        id: Text,
        ;
    }
}

record! {
    /// The subagent something happens in; absent in the main conversation.
    Agent {
        /// Its id.
        id: Text,
        ;
        /// What kind of agent.
        kind: Option<Text>,
        /// The agent or session that started it.
        parent: Option<Text>,
        /// The file its own conversation is written to.
        transcript: Option<PathBuf>,
    }
}

/// One occurrence of a boundary, in no vendor's words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Envelope {
    /// The occurrence's id.
    pub id: Text,
    /// When: milliseconds since 1970-01-01 UTC.
    pub at_ms: u64,
    /// In which conversation.
    #[serde(with = "shared")]
    pub session: Arc<Session>,
    /// In which turn, if in one.
    #[serde(default)]
    pub turn: Option<Turn>,
    /// In which subagent, if in one.
    #[serde(default)]
    pub agent: Option<Agent>,
    /// What happens.
    pub payload: Payload,
}

impl Envelope {
    /// An occurrence outside a turn, in the main conversation.
    pub fn new(id: impl Into<Text>, at_ms: u64, session: Arc<Session>, payload: impl Into<Payload>) -> Self {
        Envelope { id: id.into(), at_ms, session, turn: None, agent: None, payload: payload.into() }
    }

    /// In this turn.
    pub fn turn(mut self, turn: impl Into<Option<Turn>>) -> Self {
        self.turn = turn.into();
        self
    }

    /// In this subagent.
    pub fn agent(mut self, agent: impl Into<Option<Agent>>) -> Self {
        self.agent = agent.into();
        self
    }

    /// Which boundary it is an occurrence of.
    pub fn boundary(&self) -> Boundary {
        self.payload.boundary()
    }

    /// Reads an envelope from JSON. A byte order mark before it is skipped. Half a surrogate pair in
    /// a text, which JavaScript can write and no text can hold, becomes U+FFFD.
    ///
    /// # Errors
    /// When the text is not JSON, a required key is missing, a value has another type, or a key is
    /// unknown; the error names the pointer.
    pub fn read(json: &[u8]) -> Result<Self, EnvelopeError> {
        let json = json.strip_prefix("\u{feff}".as_bytes()).unwrap_or(json);
        Envelope::parse(json).or_else(|error| {
            let text = std::str::from_utf8(json).unwrap_or_default();
            match lone_surrogates(text, false).as_slice() {
                [] => Err(error),
                lone => Envelope::parse(without_lone_surrogates(text, lone).as_bytes()),
            }
        })
    }

    fn parse(json: &[u8]) -> Result<Self, EnvelopeError> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let envelope = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let pointer = pointer(error.path());
            EnvelopeError { pointer, why: error.into_inner().to_string() }
        })?;
        reader.end().map_err(|error| EnvelopeError { pointer: String::new(), why: error.to_string() })?;
        Ok(envelope)
    }
}

/// A document that is no envelope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an envelope: at {}: {why}", if pointer.is_empty() { "the top" } else { pointer.as_str() })]
pub struct EnvelopeError {
    /// JSON pointer of the value at fault; empty for the document itself.
    pub pointer: String,
    /// What is wrong with it.
    pub why: String,
}

/// `/payload/tool.before/call` of a path of serde's.
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |mut pointer, segment| {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Unknown => {}
        }
        pointer
    })
}

/// A session is shared by every envelope of a conversation and written as itself.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Session;

    pub(super) fn serialize<S: Serializer>(session: &Arc<Session>, serializer: S) -> Result<S::Ok, S::Error> {
        session.as_ref().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Session>, D::Error> {
        Session::deserialize(deserializer).map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;

    fn read(shell: &str) -> Result<Envelope, EnvelopeError> {
        let call = format!(r#"{{"id":"c","host_name":"x","tool":{{"shell":{shell}}}}}"#);
        let payload = format!(r#"{{"tool.before":{{"call":{call}}}}}"#);
        let whole = format!(r#"{{"id":"e","at_ms":0,"session":{{"id":"s","cwd":"/"}},"payload":{payload}}}"#);
        Envelope::read(whole.as_bytes()).inspect(|_| {
            let marked = format!("\u{feff}{whole}");
            assert!(Envelope::read(marked.as_bytes()).is_ok(), "a byte order mark before it is skipped");
        })
    }

    #[test]
    fn an_error_points_to_the_value() {
        for (shell, pointer) in [
            (r#"{"command":"a","zz":1}"#, "/payload/tool.before/call/tool/shell/zz"),
            (r#"{"command":1}"#, "/payload/tool.before/call/tool/shell/command"),
            (r#"{}"#, "/payload/tool.before/call/tool/shell"),
        ] {
            assert_eq!(read(shell).unwrap_err().pointer, pointer);
        }
    }

    #[test]
    fn half_a_surrogate_pair_keeps_no_envelope_from_the_guards() {
        let envelope = read(r#"{"command":"rm \ud83d -rf"}"#).unwrap();
        let Some(Tool::Shell(shell)) = envelope.payload.call().map(|call| &call.tool) else { panic!("no shell") };
        assert_eq!(shell.command, "rm \u{fffd} -rf");
    }
}
