//! One group: its matcher, and the list of its handlers.

use std::borrow::Cow;

use harness_hooks_core::{
    Diagnostic, Matcher,
    document::{Array, Item, Object},
};

use super::Parse;
use crate::{
    events::{Row, Target},
    matcher,
};

/// What only a handler has. CDX-CFG-07
const OF_A_HANDLER: [&str; 4] = ["type", "command", "server", "prompt"];

/// A group as its handlers see it.
#[derive(Clone, Copy)]
pub(super) struct Group<'g> {
    pub(super) row: &'static Row,
    /// Which object of a manifest it stands in, and the how-manieth of its event it is there.
    pub(super) at: (usize, usize),
    /// As it is written; `None` where the event has nothing to match.
    pub(super) written: Option<&'g str>,
    /// `None` where the group is left out.
    pub(super) matcher: Option<&'g Matcher>,
}

impl Parse<'_> {
    /// CDX-CFG-04, CDX-CFG-06
    pub(super) fn group(&mut self, row: &'static Row, at: (usize, usize), item: Item<'_>) {
        let mut found = Vec::new();
        let Some(group) = item.expect_object(&mut found, "a group: an object with a list `hooks`") else {
            return self.defects(row, "this group", item, found);
        };
        self.duplicates(group);
        if group.get("hooks").is_none() && OF_A_HANDLER.iter().any(|key| group.get(key).is_some()) {
            return self.flat_handler(row, item);
        }
        let said = group.get("matcher").filter(|matcher| !matcher.is_null());
        let text = said.and_then(|item| item.expect_text(&mut found, "one text"));
        let handlers = group.get("hooks").and_then(|hooks| hooks.expect_array(&mut found, "a list of handlers"));
        self.unknown_group_keys(group);
        let matcher = self.matcher(row, item, said, text.as_deref(), found);
        let written = text.as_deref().filter(|_| row.target != Target::Nothing);
        let group = Group { row, at, written, matcher: matcher.as_ref() };
        for (n, handler) in handlers.into_iter().flat_map(Array::items).enumerate() {
            self.handler(group, n, handler);
        }
    }

    /// Codex takes it for a group without handlers. CDX-CFG-07
    fn flat_handler(&mut self, row: &'static Row, item: Item<'_>) {
        let message = "this is a handler where a group is expected; Codex takes it for a group without handlers";
        self.leave_out(row, item, "it stands outside of a group");
        let help = if self.kind.is_toml() {
            format!("write `[[hooks.{0}]]`, and below it `[[hooks.{0}.hooks]]` with the handler", row.name())
        } else {
            "write `{\"hooks\": […]}` around the handler; a `matcher` stands beside `hooks`".into()
        };
        self.warn("missing-hooks-list", item, message, &help);
    }

    /// CDX-CFG-15
    fn unknown_group_keys(&mut self, group: Object<'_>) {
        for (key, item) in group.entries() {
            if !["matcher", "hooks"].contains(&&*key) {
                let message = format!("`{key}` is not a key of a group and does nothing");
                self.warn("unknown-key", item, message, "the keys are `matcher` and `hooks`");
            }
        }
    }

    /// The matcher of a group; `None` if the group is left out. Its handlers are read all the same, so
    /// that everything that is wrong is said at once.
    fn matcher(
        &mut self,
        row: &'static Row,
        group: Item<'_>,
        said: Option<Item<'_>>,
        text: Option<&str>,
        found: Vec<Diagnostic>,
    ) -> Option<Matcher> {
        if !found.is_empty() {
            self.defects(row, "this group", group, found);
            return None;
        }
        let (Some(item), Some(text)) = (said, text) else { return Some(Matcher::Any) };
        let matcher = matcher::compile(row, text, &self.patterns);
        if let Matcher::Pattern(pattern) = &matcher
            && let Err(error) = pattern.check()
        {
            let message = format!("the matcher is no regular expression of Rust: {error}; this group is left out");
            self.warn("bad-matcher", item, message, &mended(text));
            self.leave_out(row, group, format!("its matcher `{text}` does not compile"));
            return None;
        }
        if row.target == Target::Tool
            && let Some((message, help)) = suspicious(text, &matcher)
        {
            self.warn("suspicious-matcher", item, message, &help);
        }
        Some(matcher)
    }
}

/// What to write for a matcher that does not compile.
fn mended(text: &str) -> String {
    match tool_of_a_rule(text) {
        Some(tool) => format!("write `{tool}`; what the tool is called with is for the hook to look at"),
        None if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|around| text.contains(around)) => {
            "there is no look-around: match more, and have the hook decide for the rest".into()
        }
        None => "mend the expression, or write `*` to match everything".into(),
    }
}

/// A matcher that looks right and never matches what it seems to mean, and what to write. CDX-CFG-18
fn suspicious(text: &str, matcher: &Matcher) -> Option<(Cow<'static, str>, String)> {
    if let Matcher::Names(names) = matcher {
        let nothing = || {
            let none = names.is_empty().then_some("there is no name between these `|`, so this matches no tool")?;
            Some((none.into(), "write `*` to match every tool".to_owned()))
        };
        return names.iter().find_map(|name| whole_server(name).or_else(|| another_case(name))).or_else(nothing);
    }
    if let Some(found) = server_with_a_hyphen(text) {
        return Some(found);
    }
    if let Some(rest) = text.strip_prefix('!') {
        let help = format!("write `*`, and have the hook let `{rest}` pass");
        return Some(("a matcher cannot say what it does not match".into(), help));
    }
    if let Some(tool) = tool_of_a_rule(text) {
        let message = "a matcher is compared with the tool's name alone, and parentheses only group";
        return Some((message.into(), format!("write `{tool}`")));
    }
    let names: Vec<_> = text.split(['|', ',', ' ', '\t', '\n', '\r']).filter(|name| !name.is_empty()).collect();
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let apart = text.contains([',', ' ', '\t', '\n', '\r']);
    (apart && names.iter().all(plain)).then(|| {
        let help = if names.is_empty() { "*".into() } else { names.join("|") };
        let message = "only `|` parts names: a comma or white space makes this a pattern that a name must hold";
        (message.into(), format!("write `{help}`"))
    })
}

/// The name of a server and of none of its tools.
fn whole_server(name: &str) -> Option<(Cow<'static, str>, String)> {
    let server = name.strip_prefix("mcp__")?;
    let server = server.strip_suffix("__").unwrap_or(server);
    if server.is_empty() || server.contains("__") {
        return None;
    }
    let message = format!("a plain name is compared whole, so `{name}` matches no tool of this server");
    Some((message.into(), format!("write `mcp__{server}__.*` for all of its tools")))
}

/// The name of a server as it is configured, not as it stands in names of its tools. CDX-TOOL-01
fn server_with_a_hyphen(text: &str) -> Option<(Cow<'static, str>, String)> {
    text.split("mcp__").skip(1).find_map(|rest| {
        let name = rest.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).next()?;
        let server = name.split("__").next().filter(|server| server.contains('-'))?;
        let message = format!("in the name of a tool its server is `{0}`, never `{server}`", server.replace('-', "_"));
        Some((message.into(), format!("write `mcp__{}__.*` for all of its tools", server.replace('-', "_"))))
    })
}

/// The name of a tool but for its case.
fn another_case(name: &str) -> Option<(Cow<'static, str>, String)> {
    let known = matcher::TOOLS.iter().find(|known| known.eq_ignore_ascii_case(name))?;
    (*known != name).then(|| {
        let message = format!("names are compared exactly, and there is no tool `{name}`");
        (message.into(), format!("write `{known}`"))
    })
}

/// The tool, if the text has the form of a permission rule: `Bash(git *)`.
fn tool_of_a_rule(text: &str) -> Option<&'static str> {
    let (tool, rest) = text.split_once('(')?;
    let known = matcher::TOOLS.iter().find(|known| known.eq_ignore_ascii_case(tool))?;
    rest.ends_with(')').then_some(known)
}
