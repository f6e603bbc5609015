//! Any envelope can be encoded for any event: one JSON object, no key of it twice, the same bytes
//! each time, with the keys and the end that all standard input of the vendor has. An event handed a
//! payload that is none of its own writes an object too, and so does one its host does not fire.

use std::{collections::BTreeSet, fmt};

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{
    super::{acme, generate::envelope},
    subject::{Subject, rows},
};
use crate::{Adapter, EventId, Fidelity, Host, Occasion, SessionState};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    let forms: Vec<_> = subject.each().map(|(fidelity, adapter)| (adapter, Form::of(subject, fidelity))).collect();
    let planned = Host::new("Acme", "1.2.3");
    subject.generated(
        &envelope(),
        |envelope| serde_json::to_string(envelope).unwrap_or_default(),
        |envelope| {
            for (adapter, form) in &forms {
                for (id, spec) in rows(*adapter) {
                    for host in [&acme(), &planned] {
                        let state = SessionState::new();
                        let stdin = twice(*adapter, id, Occasion::new(envelope, host, &state));
                        let wrong = stdin.and_then(|stdin| form.check(&stdin));
                        wrong.map_err(|what| format!("{} {}: {what}", form.fidelity.name(), spec.name))?;
                    }
                }
            }
            Ok(())
        },
    )
}

fn twice(adapter: &dyn Adapter, event: EventId, occasion: Occasion<'_>) -> Result<Vec<u8>, String> {
    let [mut first, mut again] = [Vec::new(), Vec::new()];
    let same = adapter.encode(event, occasion, &mut first) == adapter.encode(event, occasion, &mut again);
    if same && first == again { Ok(first) } else { Err("encoded twice it is another".into()) }
}

/// What all standard input of a fidelity has in common, as its fixtures show it.
struct Form {
    fidelity: Fidelity,
    keys: BTreeSet<String>,
    newline: bool,
}

impl Form {
    fn of(subject: &Subject<'_>, fidelity: Fidelity) -> Form {
        let stdin = || subject.events.iter().flat_map(|folder| &folder.cases).filter_map(|case| case.stdin(fidelity));
        let acmes = || stdin().filter_map(|stdin| serde_json::from_slice(stdin).ok()).map(|Object(keys)| keys);
        let keys = acmes().reduce(|common, keys| &common & &keys).unwrap_or_default();
        Form { fidelity, keys, newline: stdin().next().is_some_and(|stdin| stdin.ends_with(b"\n")) }
    }

    fn check(&self, stdin: &[u8]) -> Result<(), String> {
        let shown = || String::from_utf8_lossy(stdin);
        let Object(keys) =
            serde_json::from_slice(stdin).map_err(|error| format!("{error} in standard input {}", shown()))?;
        if let Some(key) = self.keys.iter().find(|key| !keys.contains(*key)) {
            return Err(format!("`{key}`, which is in all standard input, is missing in {}", shown()));
        }
        let end = if self.newline { stdin.strip_suffix(b"\n") } else { Some(stdin) };
        match end {
            Some(object) if object.starts_with(b"{") && object.ends_with(b"}") => Ok(()),
            _ => Err(format!("standard input ends otherwise than in the fixtures, or begins so: {:?}", shown())),
        }
    }
}

/// The keys of an object in which no key stands twice, at any depth.
struct Object(BTreeSet<String>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Unique).map(Object)
    }
}

/// Any value in which no key stands twice.
struct Value;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Unique).map(|_| Value)
    }
}

struct Unique;

macro_rules! scalars {
    ($($visit:ident: $type:ty),*) => {
        $(fn $visit<E: de::Error>(self, _: $type) -> Result<Self::Value, E> {
            Ok(BTreeSet::new())
        })*
    };
}

impl<'de> Visitor<'de> for Unique {
    type Value = BTreeSet<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without a key twice")
    }

    scalars!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(BTreeSet::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<Value>()?.is_some() {}
        Ok(BTreeSet::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            entries.next_value::<Value>()?;
            if !keys.insert(key.clone()) {
                return Err(de::Error::custom(format_args!("`{key}` stands twice")));
            }
        }
        Ok(keys)
    }
}
