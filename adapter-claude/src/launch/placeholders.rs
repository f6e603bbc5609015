//! What stands for something else in a command, a header and a question; in the arguments of a tool it
//! is core's. What is put in is never looked through again.

use std::collections::BTreeMap;

use harness_hooks_core::Text;

use super::Folders;

/// A text in which `${NAME}` stands for a folder; any other placeholder stays. CLA-RUN-02
pub(super) fn replaced(text: &str, folders: &Folders) -> String {
    each(text, |rest| {
        let name = braced(rest)?;
        Some((folders.get(name)?.clone(), name.len() + 2))
    })
}

/// A header's value, in which `$NAME` and `${NAME}` stand for variables: those its author listed,
/// else for nothing. A line end in a variable would end the header. CLA-RUN-13
pub(super) fn in_header(value: &str, listed: &[Text], env: &BTreeMap<String, String>) -> String {
    let filled = each(value, |rest| {
        let (name, length) = match braced(rest) {
            Some(name) => (name, name.len() + 2),
            None => {
                let end = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
                (rest.get(..end)?, end)
            }
        };
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_of_name) {
            return None;
        }
        let listed = listed.iter().any(|listed| *listed == *name);
        Some((env.get(name).filter(|_| listed).cloned().unwrap_or_default(), length))
    });
    filled.chars().filter(|c| !matches!(c, '\r' | '\n' | '\0')).collect()
}

/// A question in which `$ARGUMENTS` stands for standard input, unless a backslash stands before it;
/// behind a question without it standard input is appended. CLA-RUN-16
pub(super) fn asked(prompt: &str, document: &[u8]) -> String {
    let document = String::from_utf8_lossy(document);
    let mut parts = prompt.split(ARGUMENTS);
    let mut question = parts.next().unwrap_or_default().to_owned();
    let mut named = false;
    for part in parts {
        if question.ends_with('\\') {
            question.pop();
            question.push_str(ARGUMENTS);
        } else {
            question.push_str(&document);
            named = true;
        }
        question.push_str(part);
    }
    if named { question } else { format!("{question}\n\n{document}") }
}

const ARGUMENTS: &str = "$ARGUMENTS";

/// A text with each `$` and what belongs to it replaced, where `find` knows what by: it is given what
/// follows the `$`, and says how much of that belongs to it.
fn each(text: &str, mut find: impl FnMut(&str) -> Option<(String, usize)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before);
        rest = behind;
        match find(behind) {
            Some((found, length)) => {
                out.push_str(&found);
                rest = behind.get(length..).unwrap_or_default();
            }
            None => out.push('$'),
        }
    }
    out.push_str(rest);
    out
}

/// What stands in the braces a text begins with.
fn braced(rest: &str) -> Option<&str> {
    rest.strip_prefix('{')?.split_once('}').map(|(name, _)| name)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    // CLA-RUN-02
    #[test]
    fn folders_in_braces_are_replaced_once() {
        let folders = Folders::from([("CLAUDE_PROJECT_DIR", "/p/${CLAUDE_PROJECT_DIR}".to_owned())]);
        for (text, expected) in [
            ("${CLAUDE_PROJECT_DIR}/a", "/p/${CLAUDE_PROJECT_DIR}/a"),
            ("a${CLAUDE_PROJECT_DIR}${CLAUDE_PROJECT_DIR}", "a/p/${CLAUDE_PROJECT_DIR}/p/${CLAUDE_PROJECT_DIR}"),
            ("$CLAUDE_PROJECT_DIR", "$CLAUDE_PROJECT_DIR"),
            ("${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_ROOT}"),
            ("${FOO} $HOME * $", "${FOO} $HOME * $"),
            ("${CLAUDE_PROJECT_DIR", "${CLAUDE_PROJECT_DIR"),
            ("$${CLAUDE_PROJECT_DIR}", "$/p/${CLAUDE_PROJECT_DIR}"),
        ] {
            assert_eq!(replaced(text, &folders), expected);
        }
    }

    // CLA-RUN-13
    #[test]
    fn headers_hold_listed_variables_alone() {
        let env = BTreeMap::from([("KEY", "s3cret"), ("HOME", "/root"), ("CUT", "a\r\nX-Other: b")]);
        let env = env.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let listed = ["KEY", "UNSET", "CUT"].map(Text::from);
        for (value, expected) in [
            ("Bearer $KEY", "Bearer s3cret"),
            ("Bearer ${KEY}!", "Bearer s3cret!"),
            ("$KEY$KEY", "s3crets3cret"),
            ("$KEYS", ""),
            ("<$HOME>", "<>"),
            ("<${HOME}>", "<>"),
            ("<$UNSET>", "<>"),
            ("$CUT", "aX-Other: b"),
            ("5 $ $1 ${a-b} ${", "5 $ $1 ${a-b} ${"),
        ] {
            assert_eq!(in_header(value, &listed, &env), expected, "{value}");
        }
    }

    // CLA-RUN-16
    #[test]
    fn questions_name_standard_input_or_get_it_appended() {
        for (prompt, expected) in [
            ("Is $ARGUMENTS fine?", "Is {\"a\":1} fine?"),
            ("$ARGUMENTS$ARGUMENTS", "{\"a\":1}{\"a\":1}"),
            ("Is it fine?", "Is it fine?\n\n{\"a\":1}"),
            ("", "\n\n{\"a\":1}"),
            ("\\$ARGUMENTS is $ARGUMENTS", "$ARGUMENTS is {\"a\":1}"),
            ("What is \\$ARGUMENTS?", "What is $ARGUMENTS?\n\n{\"a\":1}"),
        ] {
            assert_eq!(asked(prompt, b"{\"a\":1}"), expected);
        }
        assert_eq!(asked("$ARGUMENTS", b"{\"prompt\":\"$ARGUMENTS\"}"), "{\"prompt\":\"$ARGUMENTS\"}");
    }
}
