//! Whether an `if` holds: one permission rule, of a tool and what it is called with. How a shell
//! command is taken apart is `shell.rs`, what a specification says of one `command.rs`, and of files
//! `files.rs`.
//!
//! What cannot be told holds, so that the guard runs: a command that cannot be taken apart, a home
//! that is not known, a specification of a tool that knows none.

#[cfg(test)]
mod against_shells;
mod command;
mod files;
mod shell;
mod simple;
mod wildcard;

use std::path::PathBuf;

use harness_hooks_core::{Condition, Machine, Occasion, Source, Text, Tool, ToolCall};

use crate::tools;
use command::Commands;
use files::{Files, Place};
use wildcard::Wildcard;

/// A condition of a handler.
#[derive(Debug)]
pub(crate) struct Rule {
    text: Text,
    holds: Holds,
}

#[derive(Debug)]
enum Holds {
    Always,
    Never,
    /// For calls of a tool, all of them or those it is specified for.
    For(Name, Option<Specification>),
}

/// Which tool it is about.
#[derive(Debug)]
enum Name {
    /// The one of this name.
    Tool(String),
    /// Tools of MCP servers. CLA-MATCH-20
    OfServers { whole: Wildcard, server: Wildcard },
}

/// What a tool is called with.
#[derive(Debug)]
enum Specification {
    Commands(Commands),
    Files {
        settings: PathBuf,
        files: Vec<Files>,
    },
    Domain(Wildcard),
    Agent(Wildcard),
    /// Nothing that can be compared: it holds for every call of its tool.
    Untold,
}

/// Reads a condition. The error says to its author why it can never hold. CLA-MATCH-14
pub(crate) fn compile(text: &str, source: &Source) -> Result<Rule, String> {
    let holds = match text {
        "" => Holds::Always,
        text => {
            let (name, specification) = split(text)?;
            let specification = specification.map(|text| specify(name, text, source));
            Holds::For(named(name)?, specification)
        }
    };
    Ok(Rule { text: text.into(), holds })
}

impl Rule {
    /// One that never holds, as its author wrote it.
    pub(crate) fn never(text: &str) -> Self {
        Rule { text: text.into(), holds: Holds::Never }
    }
}

impl Condition for Rule {
    fn text(&self) -> &str {
        &self.text
    }

    fn holds(&self, occasion: Occasion<'_>) -> bool {
        let (name, specification) = match &self.holds {
            Holds::Always => return true,
            Holds::Never => return false,
            Holds::For(name, specification) => (name, specification),
        };
        let Some(call) = occasion.envelope.payload.call() else { return false };
        name.is_of(call) && specification.as_ref().is_none_or(|specification| specification.fits(call, occasion))
    }
}

/// The tool, and what stands in brackets behind it; nothing where that says every call.
/// CLA-MATCH-16
fn split(text: &str) -> Result<(&str, Option<&str>), String> {
    let Some((tool, rest)) = text.split_once('(') else { return Ok((text, None)) };
    let Some(specification) = rest.strip_suffix(')') else {
        return Err(format!("`{text}` does not end with the `)` that closes its `(`"));
    };
    let every = matches!(specification.trim(), "" | "*" | ":*");
    Ok((tool, (!every).then_some(specification)))
}

fn named(tool: &str) -> Result<Name, String> {
    if let Some(rest) = tool.strip_prefix("mcp__").filter(|rest| is_name(&rest.replace('*', "_"))) {
        let below = format!("mcp__{}__*", rest.trim_end_matches("__"));
        return Ok(Name::OfServers { whole: Wildcard::new(tool), server: Wildcard::new(&below) });
    }
    match tool {
        tool if is_name(tool) => Ok(Name::Tool(tool.to_owned())),
        "" => Err("it names no tool".into()),
        tool if tool.contains(['|', ',']) => Err(format!("it is about one tool, and `{tool}` is more than one")),
        tool => Err(format!("`{tool}` is not the name of a tool")),
    }
}

/// What hosts and servers call tools.
fn is_name(tool: &str) -> bool {
    !tool.is_empty() && tool.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/'))
}

/// Which kind of specification it is depends on the tool. CLA-MATCH-16, CLA-MATCH-19, CLA-MATCH-20
fn specify(tool: &str, text: &str, source: &Source) -> Specification {
    match tool {
        "Bash" => Specification::Commands(Commands::new(text)),
        "WebFetch" => match text.strip_prefix("domain:") {
            Some(domain) => Specification::Domain(Wildcard::new(&domain.trim().to_ascii_lowercase())),
            None => Specification::Untold,
        },
        "Agent" | "Task" => Specification::Agent(Wildcard::new(text.trim())),
        tool if tool.starts_with("mcp__") => Specification::Untold,
        _ => Specification::Files { settings: source.cwd.clone(), files: Files::of(text) },
    }
}

impl Name {
    /// Also where it is the name a tool had before: a guard written for that is still one.
    fn is_of(&self, call: &ToolCall) -> bool {
        let name = tools::name(call);
        match self {
            Name::Tool(tool) => *tool == name || tools::aliases(&name).contains(&tool.as_str()),
            Name::OfServers { whole, server } => whole.matches(&name) || server.matches(&name),
        }
    }
}

impl Specification {
    fn fits(&self, call: &ToolCall, occasion: Occasion<'_>) -> bool {
        match (self, &call.tool) {
            (Specification::Commands(commands), Tool::Shell(shell)) => commands.hold(&shell.command),
            (Specification::Domain(domain), Tool::WebFetch(fetch)) => {
                host(&fetch.url).is_none_or(|host| domain.matches(&host))
            }
            // the kind of an agent that is asked for by none is the host's choice
            (Specification::Agent(kind), Tool::Task(task)) => task.kind.is_empty() || kind.matches(&task.kind),
            (Specification::Files { settings, files }, _) => {
                let paths = paths(call);
                let machine = &occasion.host.machine;
                let place = Place { session: &occasion.envelope.session.cwd, settings, home: home(machine), machine };
                paths.is_empty() || paths.iter().any(|path| files.iter().any(|files| files.hold(path, &place)))
            }
            _ => true,
        }
    }
}

/// The files a call is about; none where it is about none, or nobody knows.
fn paths(call: &ToolCall) -> Vec<PathBuf> {
    match &call.tool {
        Tool::Read(tool) => vec![tool.path.clone()],
        Tool::Write(tool) => vec![tool.path.clone()],
        Tool::Edit(tool) => vec![tool.path.clone()],
        Tool::Delete(tool) => vec![tool.path.clone()],
        Tool::List(tool) => vec![tool.path.clone()],
        Tool::Patch(tool) => tool.paths.clone(),
        Tool::Other(input) => {
            let Some(input) = input.fields() else { return Vec::new() };
            let path = |key: &str| input.get(key)?.text();
            ["file_path", "notebook_path"].into_iter().filter_map(path).map(|path| path.as_str().into()).collect()
        }
        _ => Vec::new(),
    }
}

fn home(machine: &Machine) -> Option<&str> {
    ["HOME", "USERPROFILE"].into_iter().find_map(|name| machine.env.get(name)).map(String::as_str)
}

/// The host of an address, in lower case; nothing where two readers of the address could take it for
/// different ones.
fn host(url: &str) -> Option<String> {
    let (_, rest) = url.trim().split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().filter(|text| !text.contains('\\'))?;
    let (_, place) = authority.rsplit_once('@').unwrap_or(("", authority));
    let host = match place.strip_prefix('[') {
        Some(address) => address.split_once(']')?.0,
        None => place.split(':').next()?,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    (!host.is_empty() && host.chars().all(plain)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_addresses() {
        for (url, expected) in [
            ("https://example.com/a?b#c", Some("example.com")),
            ("https://Example.COM:8443", Some("example.com")),
            ("https://user:pw@example.com/", Some("example.com")),
            ("https://evil.example@example.com/", Some("example.com")),
            ("https://example.com./", Some("example.com")),
            ("http://[::1]:8080/x", Some("::1")),
            ("https://example.com?x=https://other.org/", Some("example.com")),
            ("example.com/a", None),
            ("https:\\\\example.com", None),
            ("https://example.com\\@other.org", None),
            ("https://exa\nmple.com/", None),
            ("https://ex%61mple.com/", None),
            ("https://bücher.example/", None),
            ("https://", None),
            ("", None),
        ] {
            assert_eq!(host(url).as_deref(), expected, "{url:?}");
        }
    }
}
