//! JSON objects key by key, for adapters: [`Keys`] writes them in a vendor's order, [`Object`] takes
//! them one by one, so that what is wrong has a key and what is left over can be named.

use std::path::PathBuf;

use serde::{Serialize, ser::SerializeMap};

use crate::{Decimal, Json, Misfit, ReadError, Text, syntax::shown};

/// Writes the keys of an object one after another.
pub struct Keys<M>(pub M);

impl<M: SerializeMap> Keys<M> {
    /// A key.
    ///
    /// # Errors
    /// When the value cannot be written.
    pub fn put<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), M::Error> {
        self.0.serialize_entry(key, value)
    }

    /// A key that is left out where there is nothing to say.
    ///
    /// # Errors
    /// When the value cannot be written.
    pub fn put_some<T: Serialize>(&mut self, key: &str, value: Option<T>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.put(key, &value))
    }
}

/// What is wrong with a value, in a sentence that names its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong(pub Text);

impl Wrong {
    /// This is wrong.
    pub fn new(why: impl Into<Text>) -> Self {
        Wrong(why.into())
    }

    /// A key that must be there and is not.
    pub fn missing(key: &str) -> Self {
        Wrong::new(format!("`{key}` is missing"))
    }
}

impl From<Wrong> for ReadError {
    fn from(Wrong(why): Wrong) -> Self {
        ReadError(why)
    }
}

impl From<Wrong> for Misfit {
    fn from(Wrong(why): Wrong) -> Self {
        Misfit(why)
    }
}

/// The keys that nobody took yet, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Object(Vec<(String, Json)>);

impl Object {
    /// The object this is; `None` if it is none.
    pub fn of(json: &Json) -> Option<Self> {
        json.fields().map(|fields| Object(fields.into_iter().collect()))
    }

    /// The value of a key, if it is there.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Takes a key out, whatever it holds.
    pub fn take(&mut self, key: &str) -> Option<Json> {
        let at = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.remove(at).1)
    }

    /// A key that may be absent. `null` is no way of leaving it out.
    ///
    /// # Errors
    /// When it holds something else.
    pub fn optional<T: Value>(&mut self, key: &str) -> Result<Option<T>, Wrong> {
        self.take(key).map(|value| fit(key, &value)).transpose()
    }

    /// A key that may be absent. `null` says nothing, and is left over.
    ///
    /// # Errors
    /// When it holds something else.
    pub fn known<T: Value>(&mut self, key: &str) -> Result<Option<T>, Wrong> {
        match self.get(key) {
            Some(value) if !value.is_null() => self.optional(key),
            _ => Ok(None),
        }
    }

    /// A key that must be there.
    ///
    /// # Errors
    /// When it is missing or holds something else.
    pub fn required<T: Value>(&mut self, key: &str) -> Result<T, Wrong> {
        self.optional(key)?.ok_or_else(|| Wrong::missing(key))
    }

    /// A key that must be there, and is `null` where nothing is known.
    ///
    /// # Errors
    /// When it is missing or holds something else.
    pub fn nullable<T: Value>(&mut self, key: &str) -> Result<Option<T>, Wrong> {
        let value = self.take(key).ok_or_else(|| Wrong::missing(key))?;
        if value.is_null() { Ok(None) } else { fit(key, &value).map(Some) }
    }

    /// Takes every key out but these.
    pub fn take_all_but(&mut self, kept: &[&str]) -> Vec<(String, Json)> {
        let (kept, taken) = std::mem::take(&mut self.0).into_iter().partition(|(key, _)| kept.contains(&key.as_str()));
        self.0 = kept;
        taken
    }

    /// What is left over.
    pub fn rest(self) -> Vec<(String, Json)> {
        self.0
    }

    /// JSON pointers of what is left over in an object at a pointer.
    pub fn pointers(&self, at: &str) -> Vec<String> {
        let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
        self.0.iter().map(|(key, _)| format!("{at}/{}", escaped(key))).collect()
    }
}

/// What a key can hold.
pub trait Value: Sized {
    /// In words, for who wrote something else: "text".
    const WHAT: &'static str;

    /// `None` if the JSON is something else.
    fn of(json: &Json) -> Option<Self>;
}

/// The value of a key.
///
/// # Errors
/// When it is something else.
pub fn fit<T: Value>(key: &str, value: &Json) -> Result<T, Wrong> {
    let wrong = || Wrong::new(format!("`{key}` must be {}, not {}", T::WHAT, shown(value.as_str())));
    T::of(value).ok_or_else(wrong)
}

impl Value for Json {
    const WHAT: &'static str = "JSON";

    fn of(json: &Json) -> Option<Self> {
        Some(json.clone())
    }
}

impl Value for Object {
    const WHAT: &'static str = "an object";

    fn of(json: &Json) -> Option<Self> {
        Object::of(json)
    }
}

/// `5000.0` is as whole as `5000`: many languages write it so.
impl Value for u64 {
    const WHAT: &'static str = "a whole number";

    fn of(json: &Json) -> Option<Self> {
        json.read().ok().or_else(|| json.as_str().strip_suffix(".0")?.parse().ok())
    }
}

impl Value for Vec<Object> {
    const WHAT: &'static str = "a list of objects";

    fn of(json: &Json) -> Option<Self> {
        let items: Vec<Json> = json.read().ok()?;
        items.iter().map(Object::of).collect()
    }
}

macro_rules! read {
    ($($type:ty = $what:literal,)*) => {
        $(impl Value for $type {
            const WHAT: &'static str = $what;

            fn of(json: &Json) -> Option<Self> {
                json.read().ok()
            }
        })*
    };
}

read! {
    Text = "text",
    PathBuf = "a path",
    bool = "true or false",
    Decimal = "a number",
    Vec<Text> = "a list of texts",
    Vec<PathBuf> = "a list of paths",
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: &str) -> Object {
        Object::of(&serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn keys_are_taken_once_and_the_rest_is_named() {
        let mut object = object(r#"{"a":"x","n":5000.0,"b/c":1,"d~":[],"z":null}"#);
        assert_eq!(object.required::<Text>("a").unwrap(), "x");
        assert_eq!(object.required::<Text>("a"), Err(Wrong::missing("a")));
        assert_eq!(object.required::<u64>("n"), Ok(5000));
        assert_eq!(object.pointers("/in"), ["/in/b~1c", "/in/d~0", "/in/z"]);
        assert_eq!(object.clone().take_all_but(&["b/c", "z"]), [("d~".to_owned(), Json::of::<[u8]>(&[]))]);
        let rest: Vec<String> = object.rest().into_iter().map(|(key, _)| key).collect();
        assert_eq!(rest, ["b/c", "d~", "z"]);
    }

    /// Where `null` stands says what it means.
    #[test]
    fn null_is_nothing_only_where_that_is_asked_for() {
        let null = || object(r#"{"a":null}"#);
        assert_eq!(null().nullable::<Text>("a"), Ok(None));
        assert_eq!(null().known::<Text>("a"), Ok(None));
        for wrong in [null().optional::<Text>("a").map(drop), null().required::<Text>("a").map(drop)] {
            assert_eq!(wrong, Err(Wrong::new("`a` must be text, not null")));
        }
        assert_eq!(object("{}").nullable::<Text>("a"), Err(Wrong::missing("a")));
        assert_eq!(object("{}").optional::<Text>("a"), Ok(None));
    }

    #[test]
    fn what_does_not_fit_is_shown() {
        for (taken, why) in [
            (object(r#"{"a":5}"#).optional::<Text>("a").map(drop), "`a` must be text, not 5"),
            (object(r#"{"a":"x"}"#).optional::<bool>("a").map(drop), r#"`a` must be true or false, not "x""#),
            (object(r#"{"a":-1}"#).optional::<u64>("a").map(drop), "`a` must be a whole number, not -1"),
            (object(r#"{"a":[1]}"#).optional::<Vec<Object>>("a").map(drop), "`a` must be a list of objects, not [1]"),
        ] {
            assert_eq!(taken, Err(Wrong::new(why)));
        }
    }
}
