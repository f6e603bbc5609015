//! Tests of matchers as a whole: what a person writes against what a vendor's engine would say.
//!
//! `table` holds hand-written cases, `generated` compares with another ECMAScript engine.

mod generated;
mod table;

use std::sync::Arc;

use super::{Dialect, Matcher, Pattern, Patterns, Reason, Targets, Tested};

fn javascript(pattern: &str) -> Matcher {
    Matcher::Pattern(Pattern::new(pattern, Dialect::JavaScript))
}

fn names(names: &[&str]) -> Matcher {
    Matcher::Names(Arc::new(names.iter().map(ToString::to_string).collect()))
}

#[test]
fn not_this_event_never_hits_and_everything_always_does() {
    for matcher in [Matcher::Any, names(&["Bash"]), names(&[]), javascript(".*"), javascript("("), javascript("x")] {
        assert_eq!(matcher.test(&Targets::NotThisEvent), Tested::Miss, "{matcher:?}");
        assert_eq!(matcher.test(&Targets::Everything), Tested::Hit, "{matcher:?}");
    }
}

#[test]
fn names_are_exact() {
    let matcher = names(&["Bash", "Write"]);
    assert_eq!(matcher.test(&Targets::one("Bash")), Tested::Hit);
    for other in ["bash", "Bas", "Bash ", "", "BashOutput"] {
        assert_eq!(matcher.test(&Targets::one(other)), Tested::Miss, "{other}");
    }
    assert_eq!(Matcher::Any.test(&Targets::one("")), Tested::Hit);
}

#[test]
fn one_of_several_texts_is_enough() {
    let agent = Targets::of("Agent", ["Task".into()]);
    assert_eq!(names(&["Task"]).test(&agent), Tested::Hit);
    assert_eq!(javascript("^T.sk$").test(&agent), Tested::Hit);
    assert_eq!(javascript("^agent$").test(&agent), Tested::Miss);
    let mcp = Targets::of("search", ["MCP:search".into()]);
    assert_eq!(javascript("^search$").test(&mcp), Tested::Hit);
    assert_eq!(javascript("^MCP:").test(&mcp), Tested::Hit);
}

#[test]
fn a_hit_outweighs_what_could_not_be_told() {
    // Catastrophic on a row of `a`, settled at once elsewhere.
    let matcher = javascript(r"^(a+)+\1b|^x");
    let row = "a".repeat(64);
    let slow = Tested::Unevaluated(Reason::StepLimit);
    assert_eq!(matcher.test(&Targets::one(&row)), Tested::Miss, "misses for want of a `b`");
    let row = row + "cb";
    assert_eq!(matcher.test(&Targets::one(&row)), slow);
    assert_eq!(matcher.test(&Targets::of(&row, ["y".into()])), slow);
    assert_eq!(matcher.test(&Targets::of("y", [row.as_str().into(), "y".into()])), slow);
    assert_eq!(matcher.test(&Targets::of(&row, ["x".into()])), Tested::Hit);
    assert!(slow.is_hit());
    assert_eq!(slow.reason(), Some(Reason::StepLimit));
}

#[test]
fn equal_patterns_of_one_interner_share_their_program() {
    let patterns = Patterns::default();
    let one = patterns.get("a+", Dialect::JavaScript);
    assert!(one.shares_program(&patterns.get("a+", Dialect::JavaScript)));
    assert!(one.shares_program(&one.clone()));
    for other in [
        patterns.get("a+", Dialect::Rust),
        patterns.get("a", Dialect::JavaScript),
        Patterns::default().get("a+", Dialect::JavaScript),
        Pattern::new("a+", Dialect::JavaScript),
    ] {
        assert!(!one.shares_program(&other), "{other:?}");
    }
    assert_eq!(one, Pattern::new("a+", Dialect::JavaScript));
    assert_ne!(one, patterns.get("a+", Dialect::Rust));
}

#[test]
fn patterns_go_to_other_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Pattern>();
    shared::<Patterns>();
    shared::<Matcher>();
}

#[test]
fn what_is_too_much_is_not_evaluated_and_takes_no_time() {
    let nested = |open: &str, depth: usize| format!("{}a{}", open.repeat(depth), ")".repeat(depth));
    let cases = [
        ("a".repeat(1 << 20), Reason::PatternTooLong),
        ("(".repeat(1 << 20), Reason::PatternTooLong),
        ("(a{1000}){1000}".to_owned(), Reason::TooLarge),
        ("((a{0,1000}){0,1000}){0,1000}".to_owned(), Reason::TooLarge),
        ("(?=b)([^a]{1000}){1000}".to_owned(), Reason::TooLarge),
        ("[^a]{99999999999}".to_owned(), Reason::TooLarge),
        (nested("(", 100), Reason::TooDeep),
        (nested("(?=", 3000), Reason::TooDeep),
        ("(".repeat(16000), Reason::TooDeep),
        ("(?:(a)|b)*\\1".to_owned(), Reason::BackReference),
    ];
    for (text, reason) in cases {
        let pattern = Pattern::new(text.as_str(), Dialect::JavaScript);
        assert_eq!(pattern.check(), Ok(()), "{reason:?}");
        assert_eq!(pattern.test("rm -rf / && echo b"), Tested::Unevaluated(reason));
    }
    let rust = Pattern::new("(a{1000}){1000}", Dialect::Rust);
    assert_eq!((rust.check(), rust.test("a")), (Ok(()), Tested::Unevaluated(Reason::TooLarge)));
}

#[test]
fn what_nests_as_deep_as_allowed_fits_the_stack_of_a_thread() {
    let run = || {
        for open in ["(", "(?:x|", "(?=", "(?<!b|", "(?<n>"] {
            let depth = if open == "(?<n>" { 1 } else { 31 };
            let text = format!("{}a\\b{}", open.repeat(depth), ")".repeat(depth));
            let tested = Pattern::new(text.as_str(), Dialect::JavaScript).test("a");
            assert_eq!(tested.reason(), None, "{open}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    thread.unwrap().join().unwrap();
}

#[test]
fn nested_quantifiers_take_time_by_the_length_of_the_text() {
    let text = "a".repeat(100_000) + "b";
    for pattern in [r"^(a+)+$", r"^(a|a)*$", r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(a*)*c", r"^(a?){50}a{50}$"] {
        assert_eq!(Pattern::new(pattern, Dialect::JavaScript).test(&text), Tested::Miss, "{pattern}");
    }
}

#[test]
fn a_long_text_is_left_to_look_around_only_where_it_could_hit() {
    let long = "echo hello ".repeat(10_000);
    let tested = |pattern: &str| Pattern::new(pattern, Dialect::JavaScript).test(&long);
    assert_eq!(tested("rm (?!-i)"), Tested::Miss);
    assert_eq!(tested("(?<!sudo )rm"), Tested::Miss);
    assert_eq!(tested("echo (?!hello)"), Tested::Unevaluated(Reason::TextTooLong));
    assert_eq!(tested("echo hell"), Tested::Hit);
}

fn message(text: &str, dialect: Dialect) -> Result<(), String> {
    Pattern::new(text, dialect).check().map_err(|error| error.to_string())
}

#[test]
fn errors_say_what_and_where() {
    let refused = [
        ("Bash(", r"this `(` is never closed; a literal one is written `\(` (at character 5)"),
        ("Bash)", r"this `)` closes nothing; a literal one is written `\)` (at character 5)"),
        ("é[", r"this `[` is never closed; a literal one is written `\[` (at character 2)"),
        ("*Bash", "there is nothing for this `*` to repeat; \"anything\" is written `.*` (at character 1)"),
        ("a**", "there is nothing for this `*` to repeat; \"anything\" is written `.*` (at character 3)"),
        (r"😀\b{2}", "there is nothing for this `{2}` to repeat; \"anything\" is written `.*` (at character 4)"),
        ("a{3,2}", "from 3 to 2 times runs backwards (at character 2)"),
        ("[a-z]|[z-a]", "the range `z-a` runs backwards; a literal `-` goes last, before the `]` (at character 8)"),
        ("(?i)bash", "JavaScript has no `(?i)`; spell both cases, as in `[Bb]ash` (at character 1)"),
        ("x(?P<n>a)", r"JavaScript has no group that starts like this; a literal `(` is written `\(` (at character 2)"),
        ("a\\", r"a `\` at the very end escapes nothing (at character 2)"),
        (
            "(?<1>a)",
            "a group name is letters, digits, `_` and `$`, no digit first, between `<` and `>` (at character 3)",
        ),
        (
            "(?<😀>a)",
            "a group name is letters, digits, `_` and `$`, no digit first, between `<` and `>` (at character 3)",
        ),
        ("(?<n>a)(?<n>b)", "the group name `n` is taken (at character 10)"),
        (r"(?<n>a)\k<m>", "no group is called `m` (at character 8)"),
        (r"(?<n>a)\k", r"`\k` needs a group name here, as in `\k<name>` (at character 8)"),
    ];
    for (text, expected) in refused {
        assert_eq!(message(text, Dialect::JavaScript), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn errors_of_the_rust_dialect_say_what_and_where() {
    let refused = [
        ("Bash(", "unclosed group (at character 5)"),
        ("é*|*Bash", "repetition operator missing expression (at character 4)"),
        ("^(?!Bash)", "look-around, including look-ahead and look-behind, is not supported (at character 2)"),
        (r"(a)\1", "backreferences are not supported (at character 4)"),
    ];
    for (text, expected) in refused {
        assert_eq!(message(text, Dialect::Rust), Err(expected.to_owned()), "{text}");
    }
    assert_eq!(Pattern::new("é[", Dialect::JavaScript).check().unwrap_err().offset(), 2);
}

#[test]
fn the_rust_dialect_is_the_crate_as_it_is() {
    // Codex's measured list of matchers for `Bash`.
    let cases = [
        ("^Bash$", true),
        ("Ba.*", true),
        ("B.sh", true),
        (r"\bBash\b", true),
        ("(?i)bash", true),
        (".*", true),
        ("  ", false),
        ("Bash\n", false),
        ("^$", false),
        ("Bash,Edit", false),
        ("Bash(echo:*)", false),
        ("!Bash", false),
        (r"^[[:alpha:]]+$", true),
        (r"^[a-zA-Z&&[^x]]+$", true),
        (r"^\pL+$", true),
        ("(?x) B a s h", true),
    ];
    for (pattern, hit) in cases {
        let pattern = Pattern::new(pattern, Dialect::Rust);
        assert_eq!((pattern.check(), pattern.test("Bash")), (Ok(()), hit.into()), "{pattern:?}");
    }
    for pattern in ["Bash(", "Bash(*)", "[", "^(?!Bash).*$", "*Bash", "**"] {
        let pattern = Pattern::new(pattern, Dialect::Rust);
        assert!(pattern.check().is_err(), "{pattern:?}");
        assert_eq!(pattern.test("Bash"), Tested::Unevaluated(Reason::Invalid), "{pattern:?}");
    }
    // Whole characters, Unicode classes: not JavaScript.
    assert_eq!(Pattern::new(r"^.$", Dialect::Rust).test("😀"), Tested::Hit);
    assert_eq!(Pattern::new(r"^\w\d$", Dialect::Rust).test("é٣"), Tested::Hit);
}
