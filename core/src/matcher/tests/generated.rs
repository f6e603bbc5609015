//! Generated JavaScript patterns, judged by `regress` as well.
//!
//! Some things `regress` 0.12 reads otherwise than ECMAScript; they are not generated here, and
//! `table` has them with the answer of V8. Its default engine is no judge: it forgets counts and
//! captures when it goes back, so `(?:(?:a+){2}){2}` misses `aaaa` and `(?:(?:b?)?){2,}c` on `b`
//! takes all memory. The second engine it brings for verification is used instead; that one has no
//! limit either, hence the short texts.
//!
//! The same cases every time. Others, and more: `PROPTEST_CASES=20000 cargo test generated`.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use super::super::{Dialect, Pattern, Reason};

/// Stands for an opening parenthesis that captures, until it is known whether the first one gets a
/// name.
const OPEN: char = '\u{1}';
/// Stands for a reference by that name.
const BY_NAME: char = '\u{2}';

/// Why a small pattern may stay without a verdict.
const MAY_STAY_OPEN: [Reason; 2] = [Reason::BackReference, Reason::StepLimit];

const LITERALS: &[&str] = &[
    "a", "b", "a", "b", "c", "A", "0", "1", "_", "-", " ", ",", ":", "&", "~", "/", "#", "é", "ſ", "😀", "\n",
    "\u{2028}", "\u{feff}", "]", "}", "{}", "{,2}", "{a", "\u{d7ff}", "\u{e000}", "\u{ffff}",
];
const ESCAPES: &[&str] = &[
    r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\n", r"\t", r"\0", r"\cA", r"\cj", r"\c", r"\c1", r"\-", r"\/", r"\.",
    r"\(", r"\[", r"\\", r"\{", r"\a", r"\e", r"\x61", r"\x6", r"\u0061", r"\u00e9", r"\1", r"\2", r"\1", r"\7", r"\8",
    r"\10", r"\101", r"\377", r"\400", r"\p", r"\p{L}", r"\P", r"\A", r"\z", r"\Q", r"\h", r"\é", r"\😀", r"\_",
];
const MEMBERS: &[&str] = &[
    "a", "b", "c", "a-c", "b-z", "A-Z", "0-9", "-", "--", "&&", "~~", "[", "[:alpha:", "^", ".", "$", "|", "(", ")",
    "*", "{", "}", ",", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\B", r"\-", r"\]", r"\[", r"\\", r"\/",
    r"\n", r"\0", r"\1", r"\8", r"\12", r"\cA", r"\c", r"\c1", r"\c_", r"\x61", r"\u0061", r"\p{L}", "é", "ſ", "😀",
    "\n", r"a-\d", r"\w-a", "z-a", "!-~",
];
const QUANTIFIERS: &[&str] = &[
    "", "", "", "", "*", "+", "?", "{0}", "{1}", "{2}", "{1,2}", "{0,1}", "{2,}", "{0,}", "{2,3}", "*?", "+?", "??",
    "{1,2}?", "{2,}?", "{2,1}",
];
const GROUPS: &[(&str, bool)] = &[
    ("\u{1}", true),
    ("\u{1}", true),
    ("\u{1}", true),
    ("(?:", true),
    ("(?:", true),
    ("(?=", true),
    ("(?!", true),
    ("(?<=", false),
    ("(?<!", false),
];
/// What anything may be made of, right or wrong.
const SOUP: &[&str] = &[
    "a", "c", "1", "(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?<m>", "(?<", "(?", "[", "]", "[^", "{",
    "}", "{1", "{1,", "{2,1}", ",", "*", "+", "?", "|", "^", "$", ".", "-", "\\", r"\1", r"\c", r"\x", r"\d", "😀",
    "<", ">", "=", "!", ":",
];
const LETTERS: &[&str] = &[
    "a", "a", "b", "b", "c", "A", "0", "1", "_", "-", " ", "é", "ſ", "😀", "\n", "\u{2028}", "\u{feff}", "\u{1}", "\\",
    "]", "[", "{", "}", "&", "~", "^", ":", "c1", "\u{d7ff}", "\u{e000}", "\u{ffff}", "8", "p{L}", "@", ",", "{,2}",
];

fn joined(parts: impl Strategy<Value = Vec<String>>, by: &'static str) -> impl Strategy<Value = String> {
    parts.prop_map(move |parts| parts.join(by))
}

fn class() -> impl Strategy<Value = String> {
    (any::<bool>(), prop::collection::vec(select(MEMBERS), 0..4))
        .prop_map(|(negated, members)| format!("[{}{}]", if negated { "^" } else { "" }, members.concat()))
}

fn structured() -> impl Strategy<Value = String> {
    let assertion = select(&["^", "$", r"\b", r"\B"][..]).prop_map(str::to_owned);
    let atom = prop_oneof![
        6 => select(LITERALS).prop_map(str::to_owned),
        3 => select(ESCAPES).prop_map(str::to_owned),
        2 => class(),
        1 => Just(".".to_owned()),
        1 => Just(BY_NAME.to_string()),
    ];
    let quantified = (atom, select(QUANTIFIERS)).prop_map(|(atom, quantifier)| atom + quantifier);
    let leaf = prop_oneof![1 => assertion, 8 => quantified];
    let nested = leaf.prop_recursive(4, 24, 4, |inner| {
        let sequence = joined(prop::collection::vec(inner, 0..4), "");
        let choice = joined(prop::collection::vec(sequence, 1..3), "|");
        (select(GROUPS), choice, select(QUANTIFIERS)).prop_map(|((open, quantifiable), body, quantifier)| {
            format!("{open}{body}){}", if quantifiable { quantifier } else { "" })
        })
    });
    let sequence = joined(prop::collection::vec(nested, 0..5), "");
    let choice = joined(prop::collection::vec(sequence, 1..3), "|");
    (choice, any::<bool>(), any::<bool>()).prop_map(|(pattern, named, whole)| {
        let named = named && pattern.contains(OPEN);
        let pattern = if named { pattern.replacen(OPEN, "(?<n>", 1) } else { pattern };
        let pattern = pattern.replace(OPEN, "(").replace(BY_NAME, if named { r"\k<n>" } else { r"\k" });
        if whole { format!("^(?:{pattern})$") } else { pattern }
    })
}

fn pattern() -> impl Strategy<Value = String> {
    let soup = prop::collection::vec(select(SOUP), 0..12).prop_map(|parts| parts.concat());
    prop_oneof![4 => structured(), 1 => soup]
}

fn text() -> impl Strategy<Value = String> {
    let letters = prop::collection::vec(select(LETTERS), 0..6);
    letters.prop_map(|parts| parts.concat().chars().take(6).collect())
}

/// `new RegExp(pattern)` of `regress`, for the text as [`halves`] spells it.
fn referee(pattern: &str) -> Option<regress::Regex> {
    let accepted = regress::Regex::from_unicode(pattern.encode_utf16().map(u32::from), regress::Flags::default());
    accepted.ok().and_then(|_| regress::Regex::new(&halves(pattern)).ok())
}

fn referee_hits(regex: &regress::Regex, text: &str) -> bool {
    use regress::backends::{PikeVMExecutor, find};
    find::<PikeVMExecutor<'_, '_>>(regex, &halves(text), 0).next().is_some()
}

/// One character per UTF-16 code unit: that engine reads UTF-8 only.
fn halves(text: &str) -> String {
    let half = |unit: u16| char::from_u32(u32::from(unit)).or_else(|| char::from_u32(0xF_0000 + u32::from(unit)));
    text.encode_utf16().filter_map(half).collect()
}

fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return config;
    }
    ProptestConfig { cases: 500, rng_seed: RngSeed::Fixed(1), ..config }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn verdicts_are_those_of_another_engine(
        pattern in pattern(),
        texts in prop::collection::vec(text(), 6),
    ) {
        let ours = Pattern::new(pattern.as_str(), Dialect::JavaScript);
        let theirs = referee(&pattern);
        let checked = ours.check();
        prop_assert_eq!(checked.is_ok(), theirs.is_some(), "{:?}: {:?}", pattern, checked);
        for text in texts {
            let tested = ours.test(&text);
            match (&theirs, tested.reason()) {
                (Some(_), Some(reason)) => {
                    prop_assert!(MAY_STAY_OPEN.contains(&reason), "{pattern:?}: {reason}");
                }
                (Some(theirs), None) => {
                    let expected = referee_hits(theirs, &text);
                    prop_assert_eq!(tested.is_hit(), expected, "{:?} on {:?}", pattern, text);
                }
                (None, reason) => prop_assert_eq!(reason, Some(Reason::Invalid), "{:?}", pattern),
            }
        }
    }
}
