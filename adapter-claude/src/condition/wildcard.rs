//! Text in which `*` stands for any text.

/// A text with stars.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wildcard(Vec<String>);

impl Wildcard {
    /// Every `*` is one.
    pub(super) fn new(text: &str) -> Self {
        Wildcard(text.split('*').map(str::to_owned).collect())
    }

    /// What follows a backslash stands for itself.
    pub(super) fn escaped(text: &str) -> Self {
        let mut parts = vec![String::new()];
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let c = match c {
                '*' => {
                    parts.push(String::new());
                    continue;
                }
                '\\' => chars.next().unwrap_or('\\'),
                c => c,
            };
            if let Some(part) = parts.last_mut() {
                part.push(c);
            }
        }
        Wildcard(parts)
    }

    /// Whether it is the whole of a text. Each part is looked for behind the one before it, and never
    /// again.
    pub(super) fn matches(&self, text: &str) -> bool {
        let [first, between @ .., last] = self.0.as_slice() else {
            return self.0.first().is_some_and(|only| only == text);
        };
        let Some(mut rest) = text.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str())) else {
            return false;
        };
        between.iter().all(|part| match rest.split_once(part.as_str()) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text, matches) in [
            ("", "", true),
            ("", "a", false),
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("*", "a b\nc", true),
            ("a*", "a", true),
            ("a*", "ba", false),
            ("*a", "ba", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("*b*", "abc", true),
            ("**", "x", true),
            ("a**b", "ab", true),
            ("é*", "éa", true),
        ] {
            assert_eq!(Wildcard::new(pattern).matches(text), matches, "{pattern:?} {text:?}");
        }
    }

    #[test]
    fn a_backslash_takes_the_meaning_of_what_follows() {
        for (pattern, text, matches) in [
            (r"a\*", "a*", true),
            (r"a\*", "ab", false),
            (r"a\(b\)", "a(b)", true),
            (r"a\\*", r"a\x", true),
            (r"a\", r"a\", true),
        ] {
            assert_eq!(Wildcard::escaped(pattern).matches(text), matches, "{pattern:?} {text:?}");
        }
        assert!(!Wildcard::new(r"a\*").matches("ab"));
        assert!(Wildcard::new(r"a\*").matches(r"a\b"));
    }

    #[test]
    fn many_stars_take_no_longer() {
        let pattern = Wildcard::new(&"*a".repeat(1000));
        assert!(!pattern.matches(&("a".repeat(999) + &"b".repeat(100_000))));
        assert!(pattern.matches(&"ab".repeat(999).as_str().replace("ab", "ba").repeat(2)));
    }
}
