//! A `hooks.json` as bindings and diagnostics. What is skipped and what refuses the whole file is
//! decided here; reading JSON is core's.

use std::{borrow::Cow, sync::Arc, time::Duration};

use harness_hooks_core::{
    Binding, Control, Diagnostic, Dropped, FailureMode, Handler, Matcher, Parsed, Severity, Source,
    document::{Array, Item, Number, Object, Reading, Tree},
    matcher::Patterns,
    unguarded,
};

use crate::{
    departures::{Way, Ways},
    events::{self, Row, Target},
    matcher,
};

/// How often in a row a `stop` hook may make the agent go on if its definition does not say.
/// CUR-CFG-11
const DEFAULT_LOOP_LIMIT: u32 = 5;

/// A timeout from which the author probably meant milliseconds, in seconds. CUR-CFG-09
const LONG_TIMEOUT: f64 = 1000.0;

/// Reads a document. Total. CUR-CFG-01
pub(crate) fn parse(ways: Ways, source: &Arc<Source>, bytes: &[u8]) -> Parsed {
    let path = source.path.display().to_string();
    let reading = Reading::new("cursor").source(&path);
    let (tree, diagnostics) =
        if ways.cursors(Way::Jsonc) { as_cursor_reads_it(bytes, &path) } else { Tree::read(bytes, &reading) };
    let mut parse = Parse { ways, source, diagnostics, bindings: Vec::new(), dropped: Vec::new(), skipped: false };
    if let Some(tree) = &tree {
        parse.link(tree);
        if !ways.cursors(Way::Jsonc) {
            parse.form(tree);
            parse.marks_in_texts(tree);
        } else if let (Some(whole), _) = Tree::read(bytes, &reading)
            && has_comments(bytes)
        {
            parse.marks_in_texts(&whole);
        }
        parse.document(tree.root());
    }
    parse.finish(tree.as_ref())
}

/// Cursor's own program cuts comments out without reading the JSON, takes no byte order mark, and
/// an empty file as none. Places are those of what is left.
fn as_cursor_reads_it(bytes: &[u8], path: &str) -> (Option<Tree>, Vec<Diagnostic>) {
    let refused = |code: &'static str, message: &str| {
        let error = Diagnostic::error(code, message).source(path).help("save it as UTF-8 without a byte order mark");
        (None, vec![error])
    };
    match bytes {
        [] => return (None, Vec::new()),
        [0xEF, 0xBB, 0xBF, ..] => {
            return refused("cursor/bom", "a byte order mark stands before the text, and Cursor refuses such a file");
        }
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            return refused("cursor/utf16", "the file is in UTF-16, and Cursor reads UTF-8 only");
        }
        _ => {}
    }
    let text = without_comments(&String::from_utf8_lossy(bytes));
    let (tree, mut diagnostics) = Tree::read(text.as_bytes(), &Reading::new("cursor").source(path).without_comments());
    if tree.is_some() && std::str::from_utf8(bytes).is_err() {
        let message = "the file is not UTF-8; what cannot be read stands as U+FFFD";
        diagnostics.push(Diagnostic::warning("cursor/invalid-utf8", message).source(path).help("save it as UTF-8"));
    }
    (tree, diagnostics)
}

/// Something in it is cut out as a comment.
fn has_comments(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    without_comments(&text) != text
}

/// `//` to the end of the line first, then `/* */`, wherever they stand.
fn without_comments(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| match line.find("//") {
        Some(start) if line.ends_with('\n') => format!("{}\n", &line[..start]),
        Some(start) => line[..start].to_owned(),
        None => line.to_owned(),
    });
    let mut text: String = lines.collect();
    while let Some(start) = text.find("/*") {
        let Some(length) = text[start..].find("*/") else { break };
        text.replace_range(start..start + length + 2, "");
    }
    text
}

struct Parse<'s> {
    ways: Ways,
    source: &'s Arc<Source>,
    diagnostics: Vec<Diagnostic>,
    bindings: Vec<Binding>,
    dropped: Vec<Dropped>,
    /// Something that looks like a hook was left out.
    skipped: bool,
}

impl Parse<'_> {
    fn say(&mut self, severity: Severity, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        let diagnostic = item.diagnostic(severity, format!("cursor/{code}"), message);
        self.diagnostics.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    fn error(&mut self, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        self.say(Severity::Error, code, item, message, help);
    }

    fn warn(&mut self, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        self.say(Severity::Warning, code, item, message, help);
    }

    /// Something that leaves one definition out here and refuses the whole file in Cursor.
    fn skip(&mut self, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        self.skipped = true;
        let refuses = self.ways.cursors(Way::BadItems);
        self.say(if refuses { Severity::Error } else { Severity::Warning }, code, item, message, help);
    }

    /// What comes of such a thing, in words.
    fn outcome(&self, here: &'static str) -> &'static str {
        if self.ways.cursors(Way::BadItems) { "Cursor refuses the whole file for it" } else { here }
    }

    /// What leads to the file. CUR-SRC-04
    fn link(&mut self, tree: &Tree) {
        if self.source.linked_to.is_some() {
            let refuses = self.ways.cursors(Way::Symlink);
            let severity = if refuses { Severity::Error } else { Severity::Warning };
            let message = "a symbolic link leads to this file; Cursor refuses a project's file behind one";
            let link = tree.diagnostic(severity, "cursor/symlink", message);
            self.diagnostics.push(link.help("put the file itself into the project"));
        }
    }

    /// What is read here and would trouble Cursor itself. CUR-CFG-18, CUR-CFG-19
    fn form(&mut self, tree: &Tree) {
        let facts = *tree.facts();
        if facts.boms > 0 && !facts.utf16 {
            let message = "a byte order mark stands before the text; Cursor refuses such a file";
            let mark = tree.diagnostic(Severity::Warning, "cursor/bom", message);
            self.diagnostics.push(mark.help("save it as UTF-8 without a byte order mark"));
        }
        if let Some(place) = facts.comment {
            let message =
                "comments are read here, but Cursor strips them without reading the JSON and may misread the file";
            let comments = tree.diagnostic(Severity::Warning, "cursor/comments", message);
            self.diagnostics.push(comments.help("leave them out").at(place));
        }
    }

    /// Texts that Cursor itself takes for comments. CUR-CFG-18
    fn marks_in_texts(&mut self, tree: &Tree) {
        let facts = *tree.facts();
        let Some(place) = [facts.slashes_in_string, facts.star_in_string].into_iter().flatten().min() else { return };
        let message =
            "a text holds `//` or `/*`, which Cursor takes for the start of a comment and cuts the file there";
        let marks = tree.diagnostic(Severity::Warning, "cursor/slashes-in-string", message);
        self.diagnostics.push(marks.help("write `\\/\\/`, or move the command into a script").at(place));
    }

    fn document(&mut self, root: Item<'_>) {
        let Some(top) = root.expect_object(&mut self.diagnostics, "an object with `version` and `hooks`") else {
            return;
        };
        self.duplicates(top);
        self.version(top);
        self.top_keys(top);
        let Some(hooks) = top.get("hooks") else { return self.no_hooks(top) };
        if let Some(hooks) = hooks.expect_object(&mut self.diagnostics, "an object of events") {
            self.duplicates(hooks);
            self.events(hooks);
            let refused = self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
            if self.bindings.is_empty() && self.skipped && !refused {
                let message = "no hook of this file is bound: each definition was left out";
                self.warn("no-bindings", hooks.item(), message, "see the other diagnostics");
            }
        }
    }

    /// Only version 1, so that a later schema is not read with today's meanings. CUR-CFG-02
    fn version(&mut self, top: Object<'_>) {
        const HELP: &str = "write `\"version\": 1`";
        match top.get("version") {
            None => self.error("missing-version", top.item(), "`version` is missing", HELP),
            Some(version) if version.as_number().is_some_and(|number| self.is_version(number.as_f64())) => {}
            Some(version) => {
                let message = format!("`version` must be the number 1, found {}", version.brief());
                self.error("unsupported-version", version, message, HELP);
            }
        }
    }

    fn is_version(&self, number: f64) -> bool {
        number == 1.0 || (self.ways.cursors(Way::Version) && number > 1.0 && number.fract() == 0.0)
    }

    /// CUR-CFG-05
    fn top_keys(&mut self, top: Object<'_>) {
        for (key, item) in top.entries() {
            match &*key {
                "version" | "hooks" | "$schema" => {}
                "stop_hook_loop_limit" => {
                    let message = "`stop_hook_loop_limit` is out of use and ignored";
                    self.warn(
                        "deprecated-key",
                        item,
                        message,
                        "write `loop_limit` into the definition of the stop hook",
                    );
                }
                key if events::by_name(self.ways, key).is_some() => {} // said once, where `hooks` is missed
                key => {
                    let message = format!("`{key}` is not a key of a hooks file and is ignored");
                    self.warn("unknown-key", item, message, "the keys are `version` and `hooks`");
                }
            }
        }
    }

    /// CUR-CFG-03
    fn no_hooks(&mut self, top: Object<'_>) {
        let misplaced = top.keys().find(|key| events::by_name(self.ways, key).is_some());
        let help = match misplaced {
            Some(event) => format!("`{event}` belongs into it: {{\"version\": 1, \"hooks\": {{\"{event}\": […]}}}}"),
            None => "write `\"hooks\": {}` if there are to be none".into(),
        };
        self.error("missing-hooks", top.item(), "`hooks` is missing", &help);
    }

    /// In the order of the table, whatever the order of the file. CUR-EVT-02
    fn events(&mut self, hooks: Object<'_>) {
        let patterns = Patterns::default();
        let mut known = Vec::new();
        for (name, item) in hooks.entries() {
            match events::by_name(self.ways, &name) {
                Some(row) => known.push((row, item)),
                None => self.unknown_event(&name, item),
            }
        }
        known.sort_by_key(|(row, _)| row.id());
        for (row, item) in known {
            let definitions = item.expect_array(&mut self.diagnostics, "a list of definitions");
            for (n, definition) in definitions.into_iter().flat_map(Array::items).enumerate() {
                self.definition(row, n, definition, &patterns);
            }
        }
    }

    fn unknown_event(&mut self, name: &str, item: Item<'_>) {
        let meant = events::nearly_named(name);
        let help = meant.map_or_else(
            || "the 21 events are listed by `harness-hooks events`".into(),
            |row| format!("did you mean `{}`?", row.name()),
        );
        let holds = item.as_array().is_none_or(|list| list.items().next().is_some());
        if let Some(row) = meant.filter(|_| holds) {
            let why = format!("`{name}` is no event; `{}` is", row.name());
            self.dropped.push(Dropped::new(row.id(), item.pointer(), why));
        }
        let message = format!("Cursor has no event `{name}`; {}", self.outcome("its definitions are skipped"));
        self.skip("unknown-event", item, message, &help);
    }

    fn definition(&mut self, row: &'static Row, n: usize, item: Item<'_>, patterns: &Patterns) {
        let Some(object) = item.expect_object(&mut self.diagnostics, "an object with a `command`") else { return };
        self.duplicates(object);
        match self.kind(object) {
            Some(Type::Prompt) => self.prompt(row, object, patterns),
            Some(Type::Command) => self.command(row, n, object, patterns),
            None => {}
        }
    }

    /// CUR-CFG-06
    fn kind(&mut self, object: Object<'_>) -> Option<Type> {
        let Some(item) = object.get("type") else { return Some(Type::Command) };
        match item.expect_text(&mut self.diagnostics, "`\"command\"` or `\"prompt\"`")?.as_ref() {
            "command" => Some(Type::Command),
            "prompt" => Some(Type::Prompt),
            other => {
                let message = format!("`type` must be `\"command\"` or `\"prompt\"`, found `\"{other}\"`");
                self.error("unknown-type", item, message, "Cursor runs commands and asks prompts, nothing else");
                None
            }
        }
    }

    /// Nobody here asks a model, so it is skipped. CUR-CFG-07
    fn prompt(&mut self, row: &'static Row, object: Object<'_>, patterns: &Patterns) {
        self.skipped = true;
        if self.ways.cursors(Way::BadItems) && self.refuses_prompt(row, object, patterns) {
            return;
        }
        let message = "prompt hooks are not run here; this definition is skipped";
        self.warn("prompt-hook", object.item(), message, "write a command hook that decides");
        self.dropped.push(Dropped::new(row.id(), object.item().pointer(), "it asks a prompt, which is not done here"));
    }

    /// Cursor's own program checks it as any definition, and that it has a prompt.
    fn refuses_prompt(&mut self, row: &'static Row, object: Object<'_>, patterns: &Patterns) -> bool {
        let errors = |parse: &Self| parse.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        let before = errors(self);
        let prompt = object.get("prompt").and_then(Item::as_text);
        if prompt.is_none_or(|prompt| prompt.trim().is_empty()) {
            let message = "a prompt definition needs a `prompt`";
            self.error("missing-prompt", object.item(), message, "write `\"prompt\": \"…\"`");
        }
        self.matcher(row, object, patterns);
        self.timeout(object);
        self.failure(object);
        self.loop_limit(row, object);
        errors(self) > before
    }

    fn command(&mut self, row: &'static Row, n: usize, object: Object<'_>, patterns: &Patterns) {
        let line = self.line(object);
        let matcher = self.matcher(row, object, patterns);
        let timeout = self.timeout(object);
        let failure = self.failure(object);
        let loop_limit = self.loop_limit(row, object);
        self.unknown_keys(object);
        let (Some(line), Some(matcher)) = (line, matcher) else { return };
        let handler = Handler::Shell { line: line.into() };
        let mut binding = Binding::new(self.source, row.id(), &row.spec, format_args!("[{n}]"), handler);
        binding.pointer = object.item().pointer();
        binding.place = Some(object.item().place());
        binding.matcher = matcher;
        binding.timeout = timeout;
        binding.failure = failure;
        binding.loop_limit = loop_limit;
        self.bindings.push(binding);
    }

    /// CUR-CFG-08
    fn line<'d>(&mut self, object: Object<'d>) -> Option<Cow<'d, str>> {
        match object.get("command") {
            Some(item) => item.expect_text(&mut self.diagnostics, "a shell command"),
            None => {
                let message = "a definition needs a `command`";
                let help = match object.get("hooks") {
                    Some(_) => "Cursor has no groups of hooks: write each of them into the event's own list",
                    None => "write `\"command\": \"…\"`",
                };
                self.error("missing-command", object.item(), message, help);
                None
            }
        }
    }

    /// `None` if the definition has to be skipped. CUR-CFG-10, CUR-CFG-14, CUR-CFG-15
    fn matcher(&mut self, row: &'static Row, object: Object<'_>, patterns: &Patterns) -> Option<Matcher> {
        let Some(item) = object.get("matcher") else { return Some(Matcher::Any) };
        let text = item.expect_text(&mut self.diagnostics, "a regular expression")?;
        let ignored = row.target == Target::Nothing && !matches!(&*text, "" | "*");
        let compiled = matcher::compile(&text, patterns);
        let error = match &compiled {
            Matcher::Pattern(pattern) if !ignored || self.ways.cursors(Way::BadItems) => pattern.check().err(),
            _ => None,
        };
        let Some(error) = error else {
            if !ignored {
                return Some(compiled);
            }
            let message = format!("{} has nothing a matcher could be tested against; it is ignored", row.name());
            self.warn("matcher-ignored", item, message, "leave it out");
            return Some(Matcher::Any);
        };
        let outcome = self.outcome("this definition is skipped");
        let message = format!("the matcher is no JavaScript regular expression: {error}; {outcome}");
        self.skip("bad-matcher", item, message, "mend the expression, or write `*` to match everything");
        let why = format!("its matcher `{text}` does not compile");
        self.dropped.push(Dropped::new(row.id(), object.item().pointer(), why));
        None
    }

    /// Seconds, fractions allowed. CUR-CFG-09
    fn timeout(&mut self, object: Object<'_>) -> Option<Duration> {
        const CLAMP: Duration = Duration::from_millis(u64::MAX);
        let item = object.get("timeout")?;
        let seconds = item.as_number().map(Number::as_f64);
        let Some(seconds) = seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0) else {
            let message = format!("`timeout` must be a number of seconds above 0, found {}", item.brief());
            self.error("bad-timeout", item, message, "write for example `30`, or leave it out");
            return None;
        };
        if seconds >= LONG_TIMEOUT {
            let message = format!("`timeout` is in seconds, so this is {:.1} hours", seconds / 3600.0);
            self.warn("long-timeout", item, message, "if milliseconds were meant, divide by 1000");
        }
        Some(Duration::try_from_secs_f64(seconds).map_or(CLAMP, |timeout| timeout.min(CLAMP)))
    }

    /// CUR-CFG-10
    fn failure(&mut self, object: Object<'_>) -> FailureMode {
        let item = object.get("failClosed");
        let closed = item.and_then(|item| item.expect_flag(&mut self.diagnostics, "true or false"));
        if closed == Some(true) { FailureMode::Closed } else { FailureMode::Open }
    }

    /// Only where hooks can make the agent go on. The host's cap is applied when the host is
    /// known. CUR-CFG-11 to CUR-CFG-13
    fn loop_limit(&mut self, row: &'static Row, object: Object<'_>) -> Option<u32> {
        let counts = row.spec.control == Control::Continuation;
        let Some(item) = object.get("loop_limit") else { return counts.then_some(DEFAULT_LOOP_LIMIT) };
        let checked = counts || self.ways.cursors(Way::LoopLimit);
        let limit = if checked { self.limit(item) } else { None };
        if counts || (checked && limit.is_none()) {
            return limit;
        }
        let message = format!("`loop_limit` counts on stop and subagentStop only; on {} it is ignored", row.name());
        self.warn("loop-limit-ignored", item, message, "leave it out");
        None
    }

    fn limit(&mut self, item: Item<'_>) -> Option<u32> {
        if item.is_null() {
            return Some(Binding::UNLIMITED);
        }
        let least = if self.ways.cursors(Way::LoopLimit) { 1.0 } else { 0.0 };
        let number = item.as_number().map(Number::as_f64);
        let Some(number) = number.filter(|number| number.fract() == 0.0 && *number >= least) else {
            let message =
                format!("`loop_limit` must be a whole number from {least} upward, or null, found {}", item.brief());
            self.error("bad-loop-limit", item, message, "write for example `5`, or leave it out");
            return None;
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and clamped to what fits")]
        Some(number.min(f64::from(Binding::UNLIMITED - 1)) as u32)
    }

    /// CUR-CFG-16
    fn unknown_keys(&mut self, object: Object<'_>) {
        const KEYS: [&str; 8] =
            ["type", "command", "timeout", "matcher", "failClosed", "loop_limit", "prompt", "model"];
        for (key, item) in object.entries() {
            if !KEYS.contains(&&*key) {
                let message = format!("`{key}` is not a key of a definition and is ignored");
                let help = "the keys are `type`, `command`, `timeout`, `matcher`, `failClosed` and `loop_limit`";
                self.warn("unknown-key", item, message, help);
            }
        }
    }

    /// CUR-CFG-20
    fn duplicates(&mut self, object: Object<'_>) {
        for (key, item) in object.duplicates() {
            let message = format!("`{key}` stands here again further down, and the last one counts");
            self.warn("duplicate-key", item, message, "keep one of them");
        }
    }

    /// One error refuses the file; the refusal says what is unguarded now. CUR-CFG-17
    fn finish(mut self, tree: Option<&Tree>) -> Parsed {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.place);
        let mut parsed = Parsed::default();
        let first = self.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        if let Some(first) = first {
            parsed.refused = Some(first.message.as_str().into());
            let lost = tree.map_or(String::new(), |tree| {
                unguarded(tree, |name| events::by_name(self.ways, name).is_some_and(Row::can_block))
            });
            for diagnostic in self.diagnostics.iter_mut().filter(|d| d.severity == Severity::Error) {
                let help = diagnostic.help.take().map_or(String::new(), |help| format!("{help}; "));
                diagnostic.help = Some(format!("{help}until then nothing in this file runs{lost}"));
            }
        } else {
            parsed.bindings = self.bindings;
            parsed.dropped = self.dropped;
        }
        parsed.diagnostics = self.diagnostics;
        parsed
    }
}

enum Type {
    Command,
    Prompt,
}
