//! One handler: its type, what that type needs, and its options.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc, time::Duration};

use harness_hooks_core::{
    Background, Binding, Condition, Diagnostic, FailureMode, Handler, Json, Matcher, Question, Severity, Standing,
    Text,
    document::{Array, Item, Number, Object},
};

use super::{Kind, Parse, address};
use crate::{
    condition::{self, Rule},
    events::{Closes, Handlers, Row},
};

/// A timeout from which the author probably meant milliseconds, in seconds. CLA-CFG-10
const LONG_TIMEOUT: f64 = 1000.0;

/// CLA-CFG-09
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Command,
    Http,
    McpTool,
    Prompt,
    Agent,
}

impl Type {
    const ALL: [Type; 5] = [Type::Command, Type::Http, Type::McpTool, Type::Prompt, Type::Agent];

    /// As a handler spells it.
    const fn name(self) -> &'static str {
        match self {
            Type::Command => "command",
            Type::Http => "http",
            Type::McpTool => "mcp_tool",
            Type::Prompt => "prompt",
            Type::Agent => "agent",
        }
    }

    const fn asks_a_model(self) -> bool {
        matches!(self, Type::Prompt | Type::Agent)
    }

    /// Whether an event takes it. CLA-CFG-19
    const fn runs_at(self, row: &Row) -> bool {
        match row.handlers {
            Handlers::All => true,
            Handlers::WithoutModel => !self.asks_a_model(),
            Handlers::Local => matches!(self, Type::Command | Type::McpTool),
        }
    }
}

impl Parse<'_> {
    /// Binds the handler, or leaves it out. `at` is the place of its group and its own in the group.
    pub(super) fn handler(&mut self, row: &'static Row, at: (usize, usize), matcher: &Matcher, item: Item<'_>) {
        let mut found = Vec::new();
        let Some(object) = item.expect_object(&mut found, "a handler: an object with a `type`") else {
            for diagnostic in found {
                self.leave_out(row, item, diagnostic.message.as_str());
                self.defect(row, "this hook", diagnostic);
            }
            return;
        };
        self.duplicates(object);
        let mut entry = Entry { parse: self, row, object, wrong: None };
        let binding = entry.binding(at, matcher);
        match (binding, entry.wrong.take()) {
            (Some(binding), None) => self.parsed.bindings.push(binding),
            (_, why) => self.leave_out(row, item, why.unwrap_or_default()),
        }
    }
}

/// A handler being read. What is wrong with it is said at once and all of it, and keeps it from being
/// bound.
struct Entry<'p, 's, 'd> {
    parse: &'p mut Parse<'s>,
    row: &'static Row,
    object: Object<'d>,
    /// What was wrong first.
    wrong: Option<Text>,
}

impl<'d> Entry<'_, '_, 'd> {
    fn binding(&mut self, (group, index): (usize, usize), matcher: &Matcher) -> Option<Binding> {
        let (kind, said) = self.kind()?;
        let handler = self.runs(kind);
        let background = self.background(kind);
        let failure = self.failure(kind, background);
        let timeout = self.timeout();
        let once = self.once();
        self.text("statusMessage", "a text");
        let (condition, never) = self.condition();
        let elsewhere = self.not_for_event(kind, said);

        let (row, item) = (self.row, self.object.item());
        let index = format_args!("[{group}][{index}]");
        let mut binding = Binding::new(self.parse.source, row.id(), &row.spec, index, handler?);
        binding.pointer = item.pointer();
        binding.place = Some(item.place());
        binding.matcher = matcher.clone();
        binding.duplicate = self.parse.duplicate(&binding.handler, condition.as_deref());
        binding.condition = condition;
        binding.background = background;
        binding.failure = failure;
        binding.timeout = timeout;
        binding.once = once;
        if let Some(why) = elsewhere.or(never) {
            binding.standing = Standing::Skipped(why);
        }
        Some(binding)
    }

    fn wrong(&mut self, diagnostic: Diagnostic) {
        self.wrong.get_or_insert_with(|| diagnostic.message.as_str().into());
        self.parse.defect(self.row, "this hook", diagnostic);
    }

    fn bad(&mut self, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        self.wrong(item.diagnostic(Severity::Error, format!("claude/{code}"), message).help(help));
    }

    /// The value of a key as its reader sees it; one of another type is a defect, null too.
    fn read<T>(&mut self, key: &str, reader: impl FnOnce(Item<'d>, &mut Vec<Diagnostic>) -> Option<T>) -> Option<T> {
        let mut found = Vec::new();
        let value = reader(self.object.get(key)?, &mut found);
        found.into_iter().for_each(|diagnostic| self.wrong(diagnostic));
        value
    }

    fn text(&mut self, key: &str, what: &str) -> Option<Cow<'d, str>> {
        self.read(key, |item, found| item.expect_text(found, what))
    }

    fn flag(&mut self, key: &str) -> bool {
        self.read(key, |item, found| item.expect_flag(found, "true or false")).unwrap_or_default()
    }

    fn texts(&mut self, key: &str, what: &str) -> Option<Vec<Text>> {
        let list: Array<'d> = self.read(key, |item, found| item.expect_array(found, what))?;
        let mut found = Vec::new();
        let texts = list.items().filter_map(|item| item.expect_text(&mut found, "a text").map(Into::into)).collect();
        found.into_iter().for_each(|diagnostic| self.wrong(diagnostic));
        Some(texts)
    }

    /// A text the handler cannot do without.
    fn needed(&mut self, key: &str, kind: Type, what: &str) -> Option<Cow<'d, str>> {
        if self.object.get(key).is_none() {
            let message = format!("a handler of type `{}` needs `{key}`, {what}", kind.name());
            self.bad(&format!("missing-{key}"), self.object.item(), message, &format!("write `\"{key}\": \"…\"`"));
            return None;
        }
        self.text(key, what)
    }

    /// The type and where it stands.
    fn kind(&mut self) -> Option<(Type, Item<'d>)> {
        const HELP: &str = "the types are `command`, `http`, `mcp_tool`, `prompt` and `agent`";
        let Some(item) = self.object.get("type") else {
            self.bad("missing-type", self.object.item(), "a handler needs a `type`", HELP);
            return None;
        };
        let name = self.text("type", "the type of the handler")?;
        let kind = Type::ALL.into_iter().find(|kind| kind.name() == name);
        if kind.is_none() {
            self.bad("unknown-type", item, format!("there is no type `{name}`"), HELP);
        }
        kind.map(|kind| (kind, item))
    }

    fn runs(&mut self, kind: Type) -> Option<Handler> {
        match kind {
            Type::Command => self.command(),
            Type::Http => self.http(),
            Type::McpTool => self.mcp_tool(),
            Type::Prompt => self.question(kind).map(Handler::Prompt),
            Type::Agent => self.question(kind).map(Handler::Agent),
        }
    }

    /// Arguments select the exec form, in which a shell does nothing. CLA-CFG-11, CLA-CFG-12
    fn command(&mut self) -> Option<Handler> {
        let line = self.needed("command", Type::Command, "a shell command or a program");
        let args = self.texts("args", "a list of arguments");
        let shell = self.text("shell", "`\"bash\"` or `\"powershell\"`");
        if let (Some(shell), Some(item)) = (&shell, self.object.get("shell"))
            && !["bash", "powershell"].contains(&&**shell)
        {
            let message = format!("`shell` must be `\"bash\"` or `\"powershell\"`, found {}", item.brief());
            self.bad("unknown-shell", item, message, "another shell is started by the command itself: `zsh -c '…'`");
        }
        let line: Text = line?.into();
        Some(match (args, shell) {
            (Some(args), _) => Handler::Exec { program: line, args },
            (None, Some(shell)) => Handler::NamedShell { shell: shell.into(), line },
            (None, None) => Handler::Shell { line },
        })
    }

    /// CLA-CFG-13
    fn http(&mut self) -> Option<Handler> {
        let url = self.needed("url", Type::Http, "an address");
        if let (Some(url), Some(item)) = (&url, self.object.get("url"))
            && !address::is_valid(url)
        {
            let message = format!("`url` must be an address, found {}", item.brief());
            self.bad("bad-url", item, message, "write for example `https://example.com/hooks`");
        }
        let headers = self.headers();
        let variables = self.texts("allowedEnvVars", "a list of names of variables").unwrap_or_default();
        Some(Handler::Http { url: url?.into(), headers, variables })
    }

    fn headers(&mut self) -> BTreeMap<String, String> {
        let object = self.read("headers", |item, found| item.expect_object(found, "an object of texts"));
        let Some(object) = object else { return BTreeMap::new() };
        self.parse.duplicates(object);
        let mut found = Vec::new();
        let headers = object.entries().into_iter().filter_map(|(name, item)| {
            let value = item.expect_text(&mut found, "a text")?;
            Some((name.into_owned(), value.into_owned()))
        });
        let headers = headers.collect();
        found.into_iter().for_each(|diagnostic| self.wrong(diagnostic));
        headers
    }

    /// CLA-CFG-13
    fn mcp_tool(&mut self) -> Option<Handler> {
        let server = self.needed("server", Type::McpTool, "the name of an MCP server");
        let tool = self.needed("tool", Type::McpTool, "the name of a tool of that server");
        let input = self.read("input", |item, found| item.expect_object(found, "an object"));
        let input = input.and_then(|input| serde_json::from_str::<Json>(input.item().raw()).ok());
        let (server, tool): (Text, Text) = (server?.into(), tool?.into());
        Some(Handler::McpTool { name: format!("{server}/{tool}").into(), server, tool, input })
    }

    /// CLA-CFG-13
    fn question(&mut self, kind: Type) -> Option<Question> {
        let prompt = self.needed("prompt", kind, "what is asked");
        let model = self.text("model", "the name of a model").map(Into::into);
        let goes_on = self.flag("continueOnBlock");
        Some(Question::new(prompt?).model(model).continue_on_block(goes_on))
    }

    /// CLA-CFG-15
    fn background(&mut self, kind: Type) -> Option<Background> {
        if kind != Type::Command {
            return None;
        }
        let (unawaited, wakes) = (self.flag("async"), self.flag("asyncRewake"));
        (unawaited || wakes).then(|| Background::new(wakes))
    }

    /// CLA-CFG-14
    fn failure(&mut self, kind: Type, background: Option<Background>) -> FailureMode {
        let Some(item) = self.object.get("onFailure") else { return FailureMode::Open };
        if !self.closes(kind, item) {
            return FailureMode::Open;
        }
        let event = self.row.name();
        let why = match self.row.closes {
            _ if kind.asks_a_model() => {
                format!("it counts on command, http and mcp_tool handlers, not on {}", kind.name())
            }
            _ if background.is_some() => "nobody waits for an async hook".into(),
            Closes::Never => format!("{event} hooks cannot keep anything from happening by failing"),
            Closes::NotForTools if kind == Type::McpTool => format!("it does not count for mcp_tool on {event}"),
            Closes::NotForTools | Closes::Yes => return FailureMode::Closed,
        };
        let message = format!("`onFailure` is ignored here: {why}");
        self.parse.warn("on-failure-ignored", item, message, "leave it out");
        FailureMode::Open
    }

    /// Whether it says `block`. Of an mcp_tool all but `continue` does; a handler that asks a model
    /// has no such key, so that anything may stand there.
    fn closes(&mut self, kind: Type, item: Item<'d>) -> bool {
        let said = item.as_text();
        match kind {
            Type::McpTool => said.as_deref() != Some("continue"),
            Type::Prompt | Type::Agent => said.as_deref() == Some("block"),
            Type::Command | Type::Http => match self.text("onFailure", "`\"continue\"` or `\"block\"`").as_deref() {
                Some("block") => true,
                Some("continue") | None => false,
                Some(_) => {
                    let message = format!("`onFailure` must be `\"continue\"` or `\"block\"`, found {}", item.brief());
                    self.bad("bad-failure", item, message, "write `\"block\"` if a failure is to refuse");
                    false
                }
            },
        }
    }

    /// Seconds, fractions allowed. CLA-CFG-10
    fn timeout(&mut self) -> Option<Duration> {
        const SHORTEST: Duration = Duration::from_millis(1);
        const LONGEST: Duration = Duration::from_millis(u64::MAX);
        let item = self.object.get("timeout")?;
        let seconds = item.as_number().map(Number::as_f64);
        let Some(seconds) = seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0) else {
            let message = format!("`timeout` must be a number of seconds above 0, found {}", item.brief());
            self.bad("bad-timeout", item, message, "write for example `30`, or leave it out");
            return None;
        };
        if seconds >= LONG_TIMEOUT {
            let message = format!("`timeout` is in seconds, so this is {:.1} hours", seconds / 3600.0);
            self.parse.warn("long-timeout", item, message, "if milliseconds were meant, divide by 1000");
        }
        Some(Duration::try_from_secs_f64(seconds).map_or(LONGEST, |timeout| timeout.clamp(SHORTEST, LONGEST)))
    }

    /// It counts in skills. CLA-CFG-16
    fn once(&mut self) -> bool {
        let once = self.flag("once");
        let counts = self.parse.kind == Kind::Skill;
        if let (true, false, Some(item)) = (once, counts, self.object.get("once")) {
            let message = "`once` counts in the frontmatter of skills only; here the hook fires every time";
            self.parse.say(Severity::Note, "once-ignored", item, message, "");
        }
        once && counts
    }

    /// What must hold beside the matcher, and why the hook can never run for it. The empty text
    /// always holds, so it keeps no hook from running. CLA-CFG-17, CLA-MATCH-14, CLA-MATCH-15
    fn condition(&mut self) -> (Option<Arc<dyn Condition>>, Option<Text>) {
        let (Some(text), Some(item)) = (self.text("if", "a permission rule"), self.object.get("if")) else {
            return (None, None);
        };
        if !self.row.conditions && !text.is_empty() {
            let event = self.row.name();
            let why = format!("it has an `if`, and {event} is about no tool call an `if` could hold for");
            let message = format!("an `if` never holds on {event}, so this hook never runs");
            self.parse.warn("if-never-holds", item, message, "leave the `if` out");
            return (Some(Arc::new(Rule::never(&text))), Some(why.into()));
        }
        let rule = condition::compile(&text, self.parse.source).unwrap_or_else(|why| {
            let message = format!("this `if` never holds, so the hook never runs: {why}");
            self.parse.warn("bad-if", item, message, "write one rule such as `Bash(git *)`");
            Rule::never(&text)
        });
        (Some(Arc::new(rule)), None)
    }

    /// CLA-CFG-19
    fn not_for_event(&mut self, kind: Type, item: Item<'d>) -> Option<Text> {
        if kind.runs_at(self.row) {
            return None;
        }
        let why = format!("{} hooks of type `{}` are never run", self.row.name(), kind.name());
        self.parse.warn("handler-not-for-event", item, why.as_str(), "use a handler of type `command`");
        Some(why.into())
    }
}

impl Parse<'_> {
    /// What makes another hook of settings files the same one. A copy elsewhere is another hook.
    /// CLA-SRC-07, CLA-SRC-08
    fn duplicate(&self, handler: &Handler, condition: Option<&dyn Condition>) -> Option<Text> {
        let condition = condition.map(Condition::text);
        let key = match handler {
            _ if self.kind != Kind::Settings => return None,
            Handler::Shell { line } => Json::of(&(line, condition)),
            Handler::NamedShell { shell, line } if *shell == "bash" => Json::of(&(line, condition)),
            Handler::NamedShell { shell, line } => Json::of(&(line, condition, shell)),
            Handler::Exec { program, args } => Json::of(&(program, condition, args)),
            Handler::Http { url, .. } => return Some(url.clone()),
            _ => return None,
        };
        Some(key.as_str().into())
    }
}
