//! A JSON object whose keys are taken one by one, so that what is left over can be named.

use std::path::PathBuf;

use harness_hooks_core::{Decimal, Json, Misfit, ReadError, Text};

/// What is wrong with a value, in a sentence that names its key.
#[derive(Debug)]
pub(crate) struct Wrong(pub(crate) Text);

impl Wrong {
    pub(crate) fn new(why: impl Into<Text>) -> Self {
        Wrong(why.into())
    }

    /// A key that must be there and is not.
    pub(crate) fn missing(key: &str) -> Self {
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
pub(crate) struct Object(Vec<(String, Json)>);

impl Object {
    /// The object this is; `None` if it is none.
    pub(crate) fn of(json: &Json) -> Option<Self> {
        json.fields().map(|fields| Object(fields.into_iter().collect()))
    }

    /// The value of a key, if it is there.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Takes a key out, whatever it holds.
    pub(crate) fn take(&mut self, key: &str) -> Option<Json> {
        let at = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.remove(at).1)
    }

    /// A key that may be absent. `null` is no way of leaving it out.
    pub(crate) fn optional<T: Value>(&mut self, key: &str) -> Result<Option<T>, Wrong> {
        self.take(key).map(|value| fit(key, &value)).transpose()
    }

    /// A key that may be absent. `null` says nothing, and is left over.
    pub(crate) fn known<T: Value>(&mut self, key: &str) -> Result<Option<T>, Wrong> {
        match self.get(key) {
            Some(value) if value.as_str() != "null" => self.optional(key),
            _ => Ok(None),
        }
    }

    /// A key that must be there.
    pub(crate) fn required<T: Value>(&mut self, key: &str) -> Result<T, Wrong> {
        self.optional(key)?.ok_or_else(|| Wrong::missing(key))
    }

    /// Takes every key out but these.
    pub(crate) fn take_all_but(&mut self, kept: &[&str]) -> Vec<(String, Json)> {
        let (kept, taken) = std::mem::take(&mut self.0).into_iter().partition(|(key, _)| kept.contains(&key.as_str()));
        self.0 = kept;
        taken
    }

    /// What is left over.
    pub(crate) fn rest(self) -> Vec<(String, Json)> {
        self.0
    }

    /// JSON pointers of what is left over in an object at a pointer.
    pub(crate) fn pointers(&self, at: &str) -> Vec<String> {
        let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
        self.0.iter().map(|(key, _)| format!("{at}/{}", escaped(key))).collect()
    }
}

/// What a key can hold.
pub(crate) trait Value: Sized {
    /// In words, for who wrote something else.
    const WHAT: &'static str;

    fn of(json: &Json) -> Option<Self>;
}

/// A value, or what is wrong with it.
pub(crate) fn fit<T: Value>(key: &str, value: &Json) -> Result<T, Wrong> {
    T::of(value).ok_or_else(|| Wrong::new(format!("`{key}` must be {}, not {}", T::WHAT, glimpse(value))))
}

/// The beginning of a value.
fn glimpse(value: &Json) -> String {
    const MOST: usize = 40;
    let whole = value.as_str();
    match whole.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", whole.get(..end).unwrap_or_default()),
        None => whole.to_owned(),
    }
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

impl Value for Text {
    const WHAT: &'static str = "text";

    fn of(json: &Json) -> Option<Self> {
        json.text()
    }
}

impl Value for PathBuf {
    const WHAT: &'static str = "a path";

    fn of(json: &Json) -> Option<Self> {
        json.read::<PathBuf>().ok()
    }
}

impl Value for bool {
    const WHAT: &'static str = "true or false";

    fn of(json: &Json) -> Option<Self> {
        json.read().ok()
    }
}

/// `5000.0` is as whole as `5000`: many languages write it so.
impl Value for u64 {
    const WHAT: &'static str = "a whole number";

    fn of(json: &Json) -> Option<Self> {
        json.read::<u64>().ok().or_else(|| {
            let number = json.as_str().strip_suffix(".0")?;
            number.parse().ok()
        })
    }
}

impl Value for Decimal {
    const WHAT: &'static str = "a number";

    fn of(json: &Json) -> Option<Self> {
        json.read().ok()
    }
}

impl Value for Vec<Text> {
    const WHAT: &'static str = "a list of texts";

    fn of(json: &Json) -> Option<Self> {
        json.read().ok()
    }
}

impl Value for Vec<PathBuf> {
    const WHAT: &'static str = "a list of paths";

    fn of(json: &Json) -> Option<Self> {
        json.read().ok()
    }
}

impl Value for Vec<Object> {
    const WHAT: &'static str = "a list of objects";

    fn of(json: &Json) -> Option<Self> {
        let items: Vec<Json> = json.read().ok()?;
        items.iter().map(Object::of).collect()
    }
}
