//! JSON that is nearly another: a seed with values, keys and entries of other seeds in it.

use std::collections::BTreeSet;

use proptest::{collection::vec, prelude::*, sample::Index, sample::select};
use serde_json::Value;

/// Larger seeds are taken as they are: changing them shows nothing a small one does not.
const LARGEST: usize = 16 * 1024;

/// What no golden case needs and somebody prints all the same.
const ODD: [&str; 10] = ["null", "true", "0", "-1", "1.5", "\"\"", "\" \"", "\"5\"", "[]", "{}"];

/// One change to a value, at the place an index picks.
#[derive(Clone, Debug)]
enum Change {
    Replace(Index, Value),
    Remove(Index),
    Add(Index, String, Value),
}

/// Texts of seeds, and of seeds with changes; all of them where a seed is no JSON.
pub(super) fn near(seeds: &[Vec<u8>]) -> BoxedStrategy<Vec<u8>> {
    let parsed: Vec<Value> = seeds
        .iter()
        .filter(|seed| seed.len() <= LARGEST)
        .filter_map(|seed| serde_json::from_slice(seed).ok())
        .collect();
    let as_they_are = select(if seeds.is_empty() { vec![Vec::new()] } else { seeds.to_vec() }).boxed();
    let entries = entries(&parsed);
    if entries.is_empty() {
        return as_they_are;
    }
    let written = vec(select(entries.clone()), 0..5).prop_map(|entries| object(&entries).into_bytes());
    let changed = (select(parsed), vec(change(entries), 1..4)).prop_map(|(seed, changes)| {
        changes.iter().fold(seed, |value, change| change.of(value)).to_string().into_bytes()
    });
    prop_oneof![2 => as_they_are, 3 => changed, 2 => written].boxed()
}

/// The entries as they are written, equal keys too.
fn object(entries: &[(String, Value)]) -> String {
    let entries = entries.iter().map(|(key, value)| format!("{}:{value}", Value::from(key.as_str())));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
}

/// Every key of the seeds with every value it has there.
fn entries(seeds: &[Value]) -> Vec<(String, Value)> {
    fn collect(value: &Value, found: &mut BTreeSet<(String, String)>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Object(entries) => entries.iter().for_each(|(key, value)| {
                found.insert((key.clone(), value.to_string()));
                collect(value, found);
            }),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    seeds.iter().for_each(|seed| collect(seed, &mut found));
    found.into_iter().filter_map(|(key, text)| Some((key, serde_json::from_str(&text).ok()?))).collect()
}

fn change(entries: Vec<(String, Value)>) -> impl Strategy<Value = Change> {
    let odd = select(ODD.to_vec()).prop_map(|text| serde_json::from_str(text).unwrap_or_default());
    let value = prop_oneof![select(entries.clone()).prop_map(|(_, value)| value), odd];
    let index = any::<Index>;
    prop_oneof![
        3 => (index(), value).prop_map(|(at, value)| Change::Replace(at, value)),
        2 => index().prop_map(Change::Remove),
        3 => (index(), select(entries)).prop_map(|(at, (key, value))| Change::Add(at, key, value)),
    ]
}

impl Change {
    fn of(&self, mut value: Value) -> Value {
        let mut places = Vec::new();
        pointers(&value, &mut String::new(), &mut places);
        let (Change::Replace(at, _) | Change::Remove(at) | Change::Add(at, ..)) = self;
        let place = at.get(&places);
        match self {
            Change::Replace(_, other) => {
                if let Some(there) = value.pointer_mut(place) {
                    *there = other.clone();
                }
            }
            Change::Remove(_) => remove(&mut value, place),
            Change::Add(_, key, other) => match value.pointer_mut(place) {
                Some(Value::Object(entries)) => drop(entries.insert(key.clone(), other.clone())),
                Some(Value::Array(items)) => items.push(other.clone()),
                _ => {}
            },
        }
        value
    }
}

/// A JSON pointer of every value, the whole one first.
fn pointers(value: &Value, here: &mut String, found: &mut Vec<String>) {
    found.push(here.clone());
    let mut below = |token: String, value: &Value| {
        let length = here.len();
        here.push('/');
        here.push_str(&token);
        pointers(value, here, found);
        here.truncate(length);
    };
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(n, item)| below(n.to_string(), item)),
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| below(key.replace('~', "~0").replace('/', "~1"), value));
        }
        _ => {}
    }
}

fn remove(value: &mut Value, place: &str) {
    let Some((parent, token)) = place.rsplit_once('/') else { return };
    match value.pointer_mut(parent) {
        Some(Value::Object(entries)) => drop(entries.remove(&token.replace("~1", "/").replace("~0", "~"))),
        Some(Value::Array(items)) => {
            if let Some(n) = token.parse().ok().filter(|n| *n < items.len()) {
                items.remove(n);
            }
        }
        _ => {}
    }
}
