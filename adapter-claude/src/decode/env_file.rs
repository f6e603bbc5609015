//! The file a hook was given for variables of the model's commands: its literal assignments are read,
//! and nothing in it is evaluated. CLA-RUN-08, CLA-OUT-69, CLA-OUT-70

use harness_hooks_core::{Effects, EnvReader, EnvWish, Exit, Extra, Json, Outcome};

use super::Hook;

/// Takes what a hook that ended wrote into its file.
pub(super) fn read(hook: Hook<'_>, outcome: &Outcome, effects: &mut Effects) {
    let ended = matches!(outcome.exit, Exit::Code(_) | Exit::Signal(_));
    let Some(scratch) = outcome.scratch.as_ref().filter(|_| ended) else { return };
    let text = String::from_utf8_lossy(&scratch.bytes);
    let file = EnvFile::read(&text);
    let mut room = ROOM;
    for (name, value) in file.variables {
        match forbidden(hook, &name).or((value.len() > room).then_some("it and those before it hold more than 128 KiB"))
        {
            None => {
                room -= value.len();
                effects.session_env.push(EnvWish { name, value, reader: EnvReader::Tools });
            }
            Some(why) => {
                let message = format!("the variable `{name}` is not set for the model's commands: {why}");
                effects.diagnostics.push(hook.warning("session-env-name", &message));
            }
        }
    }
    let Some(line) = file.not_read else { return };
    let shown: String = line.trim().chars().take(80).collect();
    let message =
        format!("a line of the hook's file of variables is no literal assignment: `{}`", shown.escape_debug());
    let help = "write `export NAME='value'`; a host that knows the vendor may still source the file itself";
    effects.diagnostics.push(hook.warning("env-file", &message).help(help));
    effects.extras.push(Extra::vendor("envFile", Json::of(&scratch.path.to_string_lossy())));
}

/// How many bytes of values one file may set. A system starts nothing that is given much more.
const ROOM: usize = 128 << 10;

/// Variables by which every command would run something else before itself. `PATH`, and where
/// libraries lie, are what such a file is for. CLA-OUT-70
const STEERING: [&str; 8] =
    ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"];

fn forbidden(hook: Hook<'_>, name: &str) -> Option<&'static str> {
    let steers = STEERING.contains(&name) && !hook.asked.allowed_env.iter().any(|known| known == name);
    steers.then_some("it would run something before each of them")
}

/// What such a file says.
#[derive(Default)]
struct EnvFile<'a> {
    variables: Vec<(String, String)>,
    /// The first line that is no literal assignment.
    not_read: Option<&'a str>,
}

impl<'a> EnvFile<'a> {
    fn read(text: &'a str) -> Self {
        let mut file = EnvFile::default();
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\n', ';']);
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            if rest.is_empty() {
                return file;
            } else if line.starts_with('#') {
                rest = after;
            } else if let Some((variables, after)) = export(rest) {
                file.variables.extend(variables);
                rest = after;
            } else {
                file.not_read.get_or_insert(line);
                if !stands_alone(line) {
                    return file;
                }
                rest = after;
            }
        }
    }
}

/// The assignments of one `export`, and what follows it. `declare -x` is what a shell prints when it
/// is asked what it exports.
fn export(text: &str) -> Option<(Vec<(String, String)>, &str)> {
    let mut rest = text.strip_prefix("export ").or_else(|| text.strip_prefix("declare -x "))?;
    let mut variables = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        if rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            break;
        }
        if rest.is_empty() || rest.starts_with(['\n', ';']) {
            break;
        }
        let (name, after) = rest.split_once('=').filter(|(name, _)| is_name(name))?;
        let (value, after) = literal(after)?;
        variables.push((name.to_owned(), value));
        rest = after;
    }
    (!variables.is_empty()).then_some((variables, rest))
}

fn is_name(name: &str) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(begins) && name.chars().all(|c| begins(c) || c.is_ascii_digit())
}

/// A word of a shell in which nothing is to be expanded, and what follows it.
fn literal(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text.chars();
    loop {
        let follows = rest.as_str();
        match rest.next() {
            None | Some(' ' | '\t' | '\n' | ';') => {
                let exact = !value.contains(['\0', char::REPLACEMENT_CHARACTER]);
                return exact.then_some((value, follows));
            }
            Some('\'') => {
                let (quoted, after) = rest.as_str().split_once('\'')?;
                value.push_str(quoted);
                rest = after.chars();
            }
            Some('"') => rest = double_quoted(rest.as_str(), &mut value)?.chars(),
            Some('\\') => value.push(rest.next().filter(|c| *c != '\n')?),
            Some(c) if is_plain(c) => value.push(c),
            Some(_) => return None,
        }
    }
}

/// What follows the closing quote.
fn double_quoted<'a>(text: &'a str, value: &mut String) -> Option<&'a str> {
    let mut rest = text.chars();
    loop {
        match rest.next()? {
            '"' => return Some(rest.as_str()),
            '$' | '`' => return None,
            '\\' => match rest.next()? {
                c @ ('"' | '\\' | '$' | '`') => value.push(c),
                '\n' => {}
                c => value.extend(['\\', c]),
            },
            c => value.push(c),
        }
    }
}

/// It stands for itself outside of quotes.
fn is_plain(c: char) -> bool {
    !c.is_control() && !c.is_whitespace() && !"$`\"'\\*?[{~&|<>()".contains(c)
}

/// It is a whole command, so that the next line begins another.
fn stands_alone(line: &str) -> bool {
    const LEADS: [&str; 10] = ["if", "for", "while", "until", "case", "select", "function", "exit", "return", "exec"];
    let count = |wanted: char| line.chars().filter(|c| *c == wanted).count();
    let leads = line.split_whitespace().next().is_some_and(|word| LEADS.contains(&word));
    let balanced = |open, close| count(open) == count(close);
    let even = |quote| count(quote) % 2 == 0;
    !leads
        && !line.contains("<<")
        && !["\\", "|", "&&"].iter().any(|end| line.trim_end().ends_with(end))
        && balanced('(', ')')
        && balanced('{', '}')
        && even('\'')
        && even('"')
        && even('`')
}
