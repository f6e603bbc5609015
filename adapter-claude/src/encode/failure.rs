//! `error` of a tool that went wrong: the exit code before what a command printed, and a long text
//! without its middle. CLA-TOOL-14

use harness_hooks_core::{ToolOutput, ToolResult};

use crate::tools::{self, Merged};

/// What stands before an exit code.
const EXIT: &str = "Exit code ";
/// What Claude Code prints behind the exit code of a command that took too long.
pub(crate) const TIMED_OUT: &str = "Command timed out";

/// The error of a command that ended badly.
pub(super) fn of_exit(result: &ToolResult) -> String {
    let code = tools::bad_exit(result).unwrap_or_default();
    let ToolOutput::Shell(shell) = &result.output else { return format!("{EXIT}{code}") };
    match Merged::of(shell) {
        Merged("", "") => format!("{EXIT}{code}"),
        Merged(text, "") => shortened(&format!("{EXIT}{code}\n"), text),
        both => shortened(&format!("{EXIT}{code}\n"), &both.to_string()),
    }
}

/// The exit code an error begins with, and what was printed.
pub(crate) fn exit_code(error: &str) -> Option<(i32, Option<&str>)> {
    let rest = error.strip_prefix(EXIT)?;
    let (digits, printed) = rest.split_once('\n').map_or((rest, None), |(digits, printed)| (digits, Some(printed)));
    let code: i32 = digits.parse().ok()?;
    (code != 0 && code.to_string() == digits).then_some((code, printed))
}

/// How long an error may be, in UTF-16 units.
const MOST: usize = 10_000;
/// What is left of a longer one at either end.
const HALF: usize = MOST / 2;

/// Two texts one after the other, without the middle where that is longer than an error may be. What
/// lost its middle before is left as it is.
pub(super) fn shortened(before: &str, text: &str) -> String {
    let all = units(before) + units(text);
    if all <= MOST || (all <= 2 * MOST && is_short(&format!("{before}{text}"))) {
        return format!("{before}{text}");
    }
    let start = text.get(..upto(text.chars(), HALF.saturating_sub(units(before)))).unwrap_or_default();
    let end = text.get(text.len() - upto(text.chars().rev(), HALF)..).unwrap_or_default();
    let lost = all - units(before) - units(start) - units(end);
    format!("{before}{start}{}{end}", mark(lost))
}

fn mark(lost: usize) -> String {
    format!("{MARK}{lost}{MARK_END}")
}

const MARK: &str = "\n\n... [";
const MARK_END: &str = " characters truncated] ...\n\n";

/// It is two halves with the mark between them. At most one unit of a half is missing, so that no
/// character is cut in two.
fn is_short(text: &str) -> bool {
    let half = |text: &str| (HALF - 1..=HALF).contains(&units(text));
    text.match_indices(MARK).any(|(at, _)| {
        let (start, rest) = (text.get(..at).unwrap_or_default(), text.get(at + MARK.len()..).unwrap_or_default());
        let digits = |lost: &str| !lost.is_empty() && lost.bytes().all(|byte| byte.is_ascii_digit());
        rest.split_once(MARK_END).is_some_and(|(lost, end)| digits(lost) && half(start) && half(end))
    })
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// How many bytes the characters take that fit into this many units.
fn upto(chars: impl Iterator<Item = char>, most: usize) -> usize {
    let mut units = 0;
    let fits = chars.take_while(|c| {
        units += c.len_utf16();
        units <= most
    });
    fits.map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLA-TOOL-14
    #[test]
    fn a_long_error_loses_its_middle_once() {
        for (text, start, lost, end) in [
            ("a".repeat(10_000), 10_000, 0, 0),
            ("a".repeat(10_001), 5_000, 1, 5_000),
            ("🦀".repeat(5_001), 5_000, 2, 5_000),
            (format!("a{}b", "🦀".repeat(5_000)), 4_999, 4, 4_999),
        ] {
            let short = shortened("", &text);
            let whole = lost == 0;
            let expected = if whole { start } else { start + units(&mark(lost)) + end };
            assert_eq!(units(&short), expected, "{lost}");
            assert_eq!(short.contains(&mark(lost)), !whole);
            assert_eq!(shortened("", &short), short, "what is short stays so");
        }
        let printed = "x".repeat(20_000);
        let short = shortened("Exit code 3\n", &printed);
        assert!(short.starts_with("Exit code 3\nxx"), "the code is never lost");
        let (before, after) = short.split_once(&mark(10_012)).unwrap();
        assert_eq!((before.len(), after.len()), (5_000, 5_000));
        assert_eq!(shortened("Exit code 3\n", short.strip_prefix("Exit code 3\n").unwrap()), short);
    }

    #[test]
    fn an_exit_code_is_read_only_where_it_would_be_written_so() {
        for (error, read) in [
            ("Exit code 3\nbefore", Some((3, Some("before")))),
            ("Exit code 1", Some((1, None))),
            ("Exit code -1\na\nb", Some((-1, Some("a\nb")))),
            ("Exit code 0\nfine", None),
            ("Exit code 03", None),
            ("Exit code +3", None),
            ("Exit code 3 \n", None),
            ("exit code 3", None),
        ] {
            assert_eq!(exit_code(error), read, "{error}");
        }
    }
}
