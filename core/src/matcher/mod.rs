//! Stand-in until the real one lands.
use std::{borrow::Cow, collections::BTreeSet, fmt, sync::Arc};
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    JavaScript,
    Rust,
}
#[derive(Clone, Debug)]
pub struct Pattern(Arc<String>);
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(String);
impl Pattern {
    pub fn new(text: impl Into<String>, _d: Dialect) -> Self {
        Pattern(Arc::new(text.into()))
    }
    pub fn text(&self) -> &str {
        &self.0
    }
    pub fn check(&self) -> Result<(), PatternError> {
        regex::Regex::new(&self.0).map(drop).map_err(|e| PatternError(e.to_string()))
    }
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hit {
    Yes,
    No,
    Unevaluated(String),
}
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Matcher {
    Any,
    Names(Arc<BTreeSet<String>>),
    Pattern(Pattern),
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets<'e> {
    NotThisEvent,
    Everything,
    Of(Cow<'e, str>, Vec<Cow<'e, str>>),
}
impl<'e> Targets<'e> {
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (a, b): (Option<&str>, &[Cow<'e, str>]) = match self {
            Targets::Of(a, b) => (Some(a), b),
            _ => (None, &[]),
        };
        a.into_iter().chain(b.iter().map(|c| &**c))
    }
}
impl Matcher {
    pub fn hits(&self, t: &Targets<'_>) -> Hit {
        match t {
            Targets::NotThisEvent => return Hit::No,
            Targets::Everything => return Hit::Yes,
            _ => {}
        }
        let hit = match self {
            Matcher::Any => true,
            Matcher::Names(n) => t.texts().any(|x| n.contains(x)),
            Matcher::Pattern(p) => regex::Regex::new(p.text()).is_ok_and(|r| t.texts().any(|x| r.is_match(x))),
        };
        if hit { Hit::Yes } else { Hit::No }
    }
}
impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Matcher::Any => f.write_str("*"),
            Matcher::Names(n) => f.write_str(&n.iter().cloned().collect::<Vec<_>>().join("|")),
            Matcher::Pattern(p) => f.write_str(p.text()),
        }
    }
}
#[derive(Default, Debug)]
pub struct Patterns;
impl Patterns {
    pub fn get(&mut self, t: &str, d: Dialect) -> Pattern {
        Pattern::new(t, d)
    }
}
impl<'e> Targets<'e> {
    pub fn one(t: impl Into<Cow<'e, str>>) -> Self {
        Targets::Of(t.into(), Vec::new())
    }
    pub fn of(t: impl Into<Cow<'e, str>>, u: impl IntoIterator<Item = Cow<'e, str>>) -> Self {
        Targets::Of(t.into(), u.into_iter().collect())
    }
}
