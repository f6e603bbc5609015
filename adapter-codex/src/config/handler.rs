//! One handler: its type, what that type needs, and its options.

use std::{borrow::Cow, time::Duration};

use harness_hooks_core::{
    Background, Binding, Capabilities, Diagnostic, Handler, Json, Severity, Standing, Text,
    document::{Item, Kind as Value, Object},
};

use super::{Parse, group::Group};
use crate::trust::{Hashed, Identity};

/// CDX-CFG-08 to CDX-CFG-10
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Command,
    McpTool,
    /// Codex knows it and does not run it yet.
    NotRun,
}

impl Type {
    fn named(name: &str) -> Option<Type> {
        match name {
            "command" => Some(Type::Command),
            "mcp_tool" => Some(Type::McpTool),
            "prompt" | "agent" => Some(Type::NotRun),
            _ => None,
        }
    }

    const fn keys(self) -> &'static [&'static str] {
        match self {
            Type::Command => &[
                "type",
                "command",
                "commandWindows",
                "command_windows",
                "timeout",
                "async",
                "statusMessage",
                "additionalContextLimit",
            ],
            Type::McpTool => &["type", "server", "tool", "input", "timeout", "statusMessage"],
            Type::NotRun => &[],
        }
    }
}

impl Parse<'_> {
    /// Binds the handler, or leaves it out. `n` is its place in its group.
    pub(super) fn handler(&mut self, group: Group<'_>, n: usize, item: Item<'_>) {
        let mut found = Vec::new();
        let Some(object) = item.expect_object(&mut found, "a handler: an object with a `type`") else {
            return self.defects(group.row, "this hook", item, found);
        };
        self.duplicates(object);
        let mut entry = Entry { parse: self, group, object, wrong: None };
        let bound = entry.binding(n);
        match (bound, entry.wrong.take()) {
            (Some((binding, identity)), None) => {
                self.identities.insert(binding.id.as_str().to_owned(), identity);
                self.parsed.bindings.push(binding);
            }
            (None, None) => {}
            (_, Some(why)) => self.leave_out(group.row, item, why),
        }
    }
}

/// A handler being read. What is wrong with it is said at once and all of it, and keeps it from being
/// bound.
struct Entry<'p, 's, 'g, 'd> {
    parse: &'p mut Parse<'s>,
    group: Group<'g>,
    object: Object<'d>,
    /// What was wrong first.
    wrong: Option<Text>,
}

/// What runs, and what of it Codex knows again.
struct Runs {
    handler: Handler,
    hashed: Option<Hashed>,
    background: Option<Background>,
}

impl<'d> Entry<'_, '_, '_, 'd> {
    /// `None` if there is nothing to bind, which was said.
    fn binding(&mut self, n: usize) -> Option<(Binding, Identity)> {
        let kind = self.kind()?;
        if kind == Type::NotRun {
            return self.not_run();
        }
        let timeout = self.timeout();
        let status: Option<Text> = self.text("statusMessage", "a text").map(Into::into);
        let runs = match kind {
            Type::Command => self.command(timeout, status),
            _ => self.mcp_tool(),
        };
        self.unknown_keys(kind);
        let (runs, matcher) = (runs?, self.group.matcher?);

        let (row, item) = (self.group.row, self.object.item());
        let (number, group) = self.group.at;
        let identity = Identity {
            object: number,
            place: format!("{}:{group}:{n}", row.snake),
            event: row.snake.to_owned(),
            matcher: self.group.written.map(str::to_owned),
            handler: runs.hashed,
        };
        let index = if number == 0 { format!("[{group}][{n}]") } else { format!("[{number}][{group}][{n}]") };
        let mut binding = Binding::new(self.parse.source, row.id(), &row.spec, index, runs.handler);
        binding.pointer = item.pointer();
        binding.place = Some(item.place());
        binding.matcher = matcher.clone();
        binding.background = runs.background;
        binding.timeout = timeout.map(|seconds| Duration::from_secs(seconds).min(LONGEST));
        if kind == Type::McpTool && row.last {
            binding.standing = Standing::Skipped(self.not_at_the_end());
        }
        Some((binding, identity))
    }

    fn wrong(&mut self, diagnostic: Diagnostic) {
        self.wrong.get_or_insert_with(|| diagnostic.message.as_str().into());
        self.parse.defect(self.group.row, "this hook", diagnostic);
    }

    fn bad(&mut self, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        self.wrong(item.diagnostic(Severity::Error, format!("codex/{code}"), message).help(help));
    }

    /// The value of an optional key as its reader sees it; one of another type is a defect. CDX-CFG-08
    fn read<T>(&mut self, key: &str, reader: impl FnOnce(Item<'d>, &mut Vec<Diagnostic>) -> Option<T>) -> Option<T> {
        let item = self.object.get(key).filter(|item| !item.is_null())?;
        let mut found = Vec::new();
        let value = reader(item, &mut found);
        found.into_iter().for_each(|diagnostic| self.wrong(diagnostic));
        value
    }

    fn text(&mut self, key: &str, what: &str) -> Option<Cow<'d, str>> {
        self.read(key, |item, found| item.expect_text(found, what))
    }

    /// A text the handler cannot do without.
    fn needed(&mut self, key: &str, what: &str) -> Option<Cow<'d, str>> {
        let Some(item) = self.object.get(key) else {
            let message = format!("this handler needs `{key}`, {what}");
            self.bad(&format!("missing-{key}"), self.object.item(), message, &format!("write `{key}` into it"));
            return None;
        };
        let mut found = Vec::new();
        let text = item.expect_text(&mut found, what);
        found.into_iter().for_each(|diagnostic| self.wrong(diagnostic));
        text
    }

    fn kind(&mut self) -> Option<Type> {
        const HELP: &str = "Codex runs handlers of type `command` and `mcp_tool`";
        let Some(item) = self.object.get("type") else {
            self.bad("missing-type", self.object.item(), "a handler needs a `type`", HELP);
            return None;
        };
        let name = self.needed("type", "the type of the handler")?;
        let kind = Type::named(&name);
        if kind.is_none() {
            self.bad("unknown-type", item, format!("there is no type `{name}`"), HELP);
        }
        kind
    }

    /// CDX-CFG-09
    fn not_run<T>(&mut self) -> Option<T> {
        let item = self.object.item();
        let name = self.object.get("type").and_then(Item::as_text).unwrap_or_default();
        let message = format!("Codex does not run handlers of type `{name}` yet; this one is left out");
        self.parse.leave_out(self.group.row, item, format!("it is of type `{name}`, which is not run"));
        self.parse.warn("handler-not-run", item, message, "write a `command` that decides");
        None
    }

    /// CDX-CFG-08
    fn command(&mut self, timeout: Option<u64>, status: Option<Text>) -> Option<Runs> {
        let line = self.needed("command", "a shell command in one text");
        let windows = self.windows();
        let asynchronous =
            self.read("async", |item, found| item.expect_flag(found, "true or false")).unwrap_or_default();
        let limit = self.context_limit();
        let background = self.background(asynchronous);
        let line = self.not_blank(line?)?;
        let hashed = Hashed {
            command: line.as_str().to_owned(),
            windows: windows.as_deref().map(str::to_owned),
            timeout: timeout.unwrap_or_else(|| self.group.row.spec.timeout.unwrap_or_default().as_secs()),
            asynchronous,
            status: status.map(|status| status.as_str().to_owned()),
            limit,
        };
        let handler = match windows {
            Some(windows) => Handler::PerSystem { line, windows },
            None => Handler::Shell { line },
        };
        Some(Runs { handler, hashed: Some(hashed), background })
    }

    /// CDX-CFG-09
    fn not_blank(&mut self, line: Cow<'d, str>) -> Option<Text> {
        if !is_blank(&line) {
            return Some(line.into());
        }
        let item = self.object.item();
        self.parse.leave_out(self.group.row, item, "its command is blank");
        let message = "`command` is blank; this hook is left out";
        self.parse.warn("blank-command", self.object.get("command").unwrap_or(item), message, "write a shell command");
        None
    }

    /// The line for Windows, in either spelling. A blank one is none. CDX-CFG-08
    fn windows(&mut self) -> Option<Text> {
        let (camel, snake) = ("commandWindows", "command_windows");
        let lines = [camel, snake].map(|key| self.text(key, "a shell command for Windows in one text"));
        if let ([Some(_), Some(_)], Some(item)) = (&lines, self.object.get(snake)) {
            let message = format!("`{camel}` and `{snake}` are one key, and the first counts");
            self.parse.warn("duplicate-key", item, message, "keep one of them");
        }
        let line = lines.into_iter().flatten().next()?;
        if is_blank(&line) {
            let message = "the command for Windows is blank and is ignored; `command` runs there too";
            self.parse.warn("blank-command", self.object.item(), message, "leave it out");
            return None;
        }
        Some(line.into())
    }

    /// CDX-CFG-11
    fn background(&mut self, asynchronous: bool) -> Option<Background> {
        let item = self.object.get("async").filter(|_| asynchronous)?;
        if !self.group.row.last {
            return Some(Background::new(false));
        }
        let message = format!("`async` is ignored on {}, whose hooks are waited for", self.group.row.name());
        self.parse.warn("async-ignored", item, message, "leave it out");
        None
    }

    /// CDX-CFG-12
    fn context_limit(&mut self) -> Option<u64> {
        let limit = self.read("additionalContextLimit", |item, found| {
            let limit = whole(item);
            if limit.is_none() {
                let message = format!("`additionalContextLimit` must be a whole number, found {}", item.brief());
                let wrong = item.diagnostic(Severity::Error, "codex/wrong-type", message);
                found.push(wrong.help("write for example `2500`, or `0` for no limit"));
            }
            limit
        })?;
        if self.group.row.spec.capabilities.has(Capabilities::CONTEXT) {
            return Some(limit);
        }
        let message =
            format!("{} hooks give no context, so `additionalContextLimit` is ignored", self.group.row.name());
        let item = self.object.get("additionalContextLimit").unwrap_or(self.object.item());
        self.parse.warn("context-limit-ignored", item, message, "leave it out");
        None
    }

    /// CDX-CFG-10
    fn mcp_tool(&mut self) -> Option<Runs> {
        let server = self.needed("server", "the name of an MCP server");
        let tool = self.needed("tool", "the name of a tool of that server");
        let input = self.read("input", |item, found| item.expect_object(found, "an object"));
        let input = input.map(|input| json(input.item()));
        let (server, tool): (Text, Text) = (server?.into(), tool?.into());
        let handler = Handler::McpTool { name: format!("{server}/{tool}").into(), server, tool, input };
        Some(Runs { handler, hashed: None, background: None })
    }

    fn not_at_the_end(&mut self) -> Text {
        let why = format!("{} hooks of type `mcp_tool` are never run", self.group.row.name());
        self.parse.warn("handler-not-for-event", self.object.item(), why.as_str(), "write a command");
        why.into()
    }

    /// Whole seconds, at least one. CDX-CFG-08, CDX-CFG-11
    fn timeout(&mut self) -> Option<u64> {
        let item = self.object.get("timeout").filter(|item| !item.is_null())?;
        let Some(seconds) = whole(item) else {
            let message = format!("`timeout` must be a whole number of seconds, found {}", item.brief());
            self.bad("bad-timeout", item, message, "write for example `30`, or leave it out");
            return None;
        };
        let seconds = seconds.max(1);
        let Some(longest) = self.group.row.longest.map(|longest| longest.as_secs()).filter(|most| seconds > *most)
        else {
            return Some(seconds);
        };
        let event = self.group.row.name();
        let message = format!("{event} hooks may run {longest} s at most, so `timeout` counts as {longest}");
        self.parse.warn("timeout-clamped", item, message, &format!("write `{longest}` or less"));
        Some(longest)
    }

    /// CDX-CFG-15
    fn unknown_keys(&mut self, kind: Type) {
        let known = kind.keys();
        for (key, item) in self.object.entries() {
            if !known.contains(&&*key) {
                let message = format!("`{key}` is not a key of this handler and does nothing");
                self.parse.warn("unknown-key", item, message, &format!("the keys are `{}`", known.join("`, `")));
            }
        }
    }
}

/// As long as a clock can count.
const LONGEST: Duration = Duration::from_millis(u64::MAX);

/// Nothing but white space and byte order marks.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\u{FEFF}')
}

/// A whole number from 0 upward; one that nothing holds is the largest.
fn whole(item: Item<'_>) -> Option<u64> {
    let number = item.as_number()?;
    if let Ok(exact) = number.as_str().parse() {
        return Some(exact);
    }
    let value = number.as_f64();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and clamped to what fits")]
    (value >= 0.0 && (value.is_infinite() || value.fract() == 0.0)).then_some(value as u64)
}

/// A value without the comments in it; of equal keys the last.
fn json(item: Item<'_>) -> Json {
    let mut text = String::new();
    write(item, &mut text);
    serde_json::from_str(&text).unwrap_or_default()
}

fn write(item: Item<'_>, out: &mut String) {
    match (item.kind(), item.as_object(), item.as_array()) {
        (Value::Object, Some(object), _) => {
            out.push('{');
            for (n, (key, item)) in object.entries().into_iter().enumerate() {
                out.push_str(if n == 0 { "" } else { "," });
                out.push_str(&serde_json::Value::from(key).to_string());
                out.push(':');
                write(item, out);
            }
            out.push('}');
        }
        (Value::Array, _, Some(array)) => {
            out.push('[');
            for (n, item) in array.items().enumerate() {
                out.push_str(if n == 0 { "" } else { "," });
                write(item, out);
            }
            out.push(']');
        }
        _ => out.push_str(item.raw()),
    }
}
