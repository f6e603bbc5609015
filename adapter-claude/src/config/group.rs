//! One group: its matcher, and the list of its handlers.

use harness_hooks_core::{
    Diagnostic, Matcher, Severity, Tested, Text,
    document::{Array, Item, Object},
};

use super::Parse;
use crate::{
    events::{Row, Target},
    matcher,
};

impl Parse<'_> {
    /// CLA-CFG-03, CLA-CFG-08
    pub(super) fn group(&mut self, row: &'static Row, n: usize, item: Item<'_>) {
        let mut found = Vec::new();
        let Some(group) = item.expect_object(&mut found, "a group: an object with a list `hooks`") else {
            return self.bad_group(row, item, found);
        };
        self.duplicates(group);
        let handlers = handlers(group, &mut found);
        let matcher = group
            .get("matcher")
            .map(|matcher| (matcher, matcher.expect_text(&mut found, "a text such as `Bash|Edit`")));
        let handlers = match handlers {
            Some(handlers) if found.is_empty() => handlers,
            _ => return self.bad_group(row, item, found),
        };
        let matcher = match matcher {
            Some((item, Some(text))) => self.matcher(row, item, &text),
            _ => Ok(Matcher::Any),
        };
        match matcher {
            Ok(matcher) => {
                for (index, handler) in handlers.items().enumerate() {
                    self.handler(row, (n, index), &matcher, handler);
                }
            }
            Err(why) => self.leave_out(row, item, why),
        }
    }

    fn bad_group(&mut self, row: &'static Row, item: Item<'_>, found: Vec<Diagnostic>) {
        if let Some(first) = found.first() {
            self.leave_out(row, item, first.message.as_str());
        }
        for diagnostic in found {
            self.defect(row, "this group", diagnostic);
        }
    }

    /// The matcher of a group, or why the group can never fire. Where nothing is matched it is not
    /// looked at. CLA-CFG-21, CLA-CFG-22
    fn matcher(&mut self, row: &'static Row, item: Item<'_>, text: &str) -> Result<Matcher, Text> {
        if row.target == Target::Nothing {
            return Ok(Matcher::Any);
        }
        let compiled = matcher::compile(row, text, &self.patterns);
        if let Matcher::Pattern(pattern) = &compiled
            && let Err(error) = pattern.check()
        {
            let message = format!(
                "the matcher is no JavaScript regular expression: {error}; Claude Code never fires such a group, and \
                 it is left out"
            );
            let help = match tool_of_a_rule(text) {
                Some(tool) => as_a_rule(row, tool, text),
                None => "mend the expression, or write `*` to match everything".into(),
            };
            self.warn("bad-matcher", item, message, &help);
            return Err(format!("its matcher `{text}` does not compile").into());
        }
        if row.is_about_tools() {
            self.suspicious(row, item, text, &compiled);
        }
        Ok(compiled)
    }

    /// Matchers that look right and never match a tool. CLA-CFG-23
    fn suspicious(&mut self, row: &Row, item: Item<'_>, text: &str, matcher: &Matcher) {
        match matcher {
            Matcher::Names(names) => {
                for server in names.iter().filter_map(|name| whole_server(name)) {
                    let message =
                        format!("a plain name is compared whole, so `mcp__{server}` matches no tool of this server");
                    let help = format!("write `mcp__{server}__.*` for all of its tools");
                    self.warn("suspicious-matcher", item, message, &help);
                }
                for (name, known) in names.iter().filter_map(|name| Some((name, meant(name)?))) {
                    let message = format!("names are compared exactly, and Claude Code has no tool `{name}`");
                    self.warn("suspicious-matcher", item, message, &format!("write `{known}`"));
                }
            }
            Matcher::Pattern(pattern) => {
                if let Some(tool) = tool_of_a_rule(text)
                    && pattern.test(tool) == Tested::Miss
                {
                    let message = format!(
                        "a matcher is compared with the tool's name alone, and in an expression parentheses only \
                         group: this does not match `{tool}`"
                    );
                    self.warn("suspicious-matcher", item, message, &as_a_rule(row, tool, text));
                }
            }
            _ => {}
        }
    }
}

/// The list of handlers. A handler straight below its event is a common slip.
fn handlers<'d>(group: Object<'d>, found: &mut Vec<Diagnostic>) -> Option<Array<'d>> {
    if let Some(item) = group.get("hooks") {
        return item.expect_array(found, "a list of handlers");
    }
    let flat = ["type", "command", "url", "prompt"].iter().any(|key| group.get(key).is_some());
    let (message, help) = if flat {
        let help = "write `{\"hooks\": […]}` around the handler; a `matcher` stands beside `hooks`";
        ("this is a handler, and a group is expected here", help)
    } else {
        ("a group needs a list `hooks`", "write `\"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]`")
    };
    let missing = group.item().diagnostic(Severity::Error, "claude/missing-hooks-list", message);
    found.push(missing.help(help));
    None
}

/// The server, if the name is that of a server and not of one of its tools.
fn whole_server(name: &str) -> Option<&str> {
    let server = name.strip_prefix("mcp__")?;
    let server = server.strip_suffix("__").unwrap_or(server);
    (!server.is_empty() && !server.contains("__")).then_some(server)
}

/// The tool that was meant by its name in another case, or by what another vendor calls it.
fn meant(name: &str) -> Option<&'static str> {
    if matcher::TOOLS.contains(&name) {
        return None;
    }
    let known = matcher::TOOLS.iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
    known.or_else(|| matcher::FOREIGN.iter().find(|(foreign, _)| *foreign == name).map(|(_, known)| *known))
}

/// The tool, if the text has the form of a permission rule: `Bash(git *)`.
fn tool_of_a_rule(text: &str) -> Option<&str> {
    let (tool, rest) = text.split_once('(')?;
    let named = !tool.is_empty() && tool.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (named && rest.ends_with(')')).then_some(tool)
}

fn as_a_rule(row: &Row, tool: &str, text: &str) -> String {
    let condition =
        if row.conditions { format!(", and `\"if\": \"{text}\"` into its handlers") } else { String::new() };
    format!("write the matcher `{tool}`{condition}")
}
