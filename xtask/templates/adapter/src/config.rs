//! A document as bindings and diagnostics. What is left out and what refuses the whole file is
//! decided here; reading JSON is core's.

use std::{sync::Arc, time::Duration};

use harness_hooks_core::{
    Binding, Diagnostic, FailureMode, Handler, Matcher, Parsed, Severity, Source,
    document::{Array, Item, Number, Object, Reading, Tree},
    matcher::Patterns,
};

use crate::{
    __CONST__,
    events::{self, Row},
    matcher,
};

const KEYS: [&str; 4] = ["command", "matcher", "timeout", "failClosed"];

/// Reads a document. Total. __ABC__-CFG-01
pub(crate) fn parse(source: &Arc<Source>, bytes: &[u8]) -> Parsed {
    let path = source.path.display().to_string();
    let (tree, diagnostics) = Tree::read(bytes, &Reading::new(__CONST__.as_str()).source(&path));
    let mut parse = Parse { source, diagnostics, bindings: Vec::new() };
    if let Some(tree) = &tree {
        parse.document(tree.root());
    }
    parse.finish()
}

struct Parse<'s> {
    source: &'s Arc<Source>,
    diagnostics: Vec<Diagnostic>,
    bindings: Vec<Binding>,
}

impl Parse<'_> {
    fn say(&mut self, severity: Severity, code: &str, item: Item<'_>, message: impl Into<String>, help: &str) {
        self.diagnostics.push(item.diagnostic(severity, format!("{__CONST__}/{code}"), message).help(help));
    }

    fn document(&mut self, root: Item<'_>) {
        let Some(top) = root.expect_object(&mut self.diagnostics, "an object with `hooks`") else { return };
        self.unknown_keys(top, &["hooks"]);
        let Some(hooks) = top.get("hooks") else {
            let message = "`hooks` is missing";
            return self.say(Severity::Error, "missing-hooks", root, message, "write `\"hooks\": {}` if there are none");
        };
        if let Some(hooks) = hooks.expect_object(&mut self.diagnostics, "an object of events") {
            self.events(hooks);
        }
    }

    /// In the order of the table, whatever the order of the file. __ABC__-CFG-02
    fn events(&mut self, hooks: Object<'_>) {
        let patterns = Patterns::default();
        let mut known = Vec::new();
        for (name, item) in hooks.entries() {
            match events::by_name(&name) {
                Some(row) => known.push((row, item)),
                None => {
                    let message = format!("{} has no event `{name}`; its definitions are left out", "__Type__");
                    let help = "the events are listed by `harness-hooks events`";
                    self.say(Severity::Warning, "unknown-event", item, message, help);
                }
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

    fn definition(&mut self, row: &'static Row, n: usize, item: Item<'_>, patterns: &Patterns) {
        let Some(object) = item.expect_object(&mut self.diagnostics, "an object with a `command`") else { return };
        self.unknown_keys(object, &KEYS);
        let matcher = self.matcher(object, patterns);
        let timeout = self.timeout(object);
        let failure = self.failure(object);
        let Some(command) = object.get("command") else {
            let message = "a definition needs a `command`";
            return self.say(Severity::Error, "missing-command", item, message, "write `\"command\": \"…\"`");
        };
        let Some(line) = command.expect_text(&mut self.diagnostics, "a shell command") else { return };
        let handler = Handler::Shell { line: line.into() };
        let mut binding = Binding::new(self.source, row.id(), &row.spec, format_args!("[{n}]"), handler);
        binding.pointer = item.pointer();
        binding.place = Some(item.place());
        binding.matcher = matcher;
        binding.timeout = timeout;
        binding.failure = failure;
        self.bindings.push(binding);
    }

    /// __ABC__-MATCH-01
    fn matcher(&mut self, object: Object<'_>, patterns: &Patterns) -> Matcher {
        let Some(item) = object.get("matcher") else { return Matcher::Any };
        let text = item.expect_text(&mut self.diagnostics, "a regular expression");
        let compiled = text.map_or(Matcher::Any, |text| matcher::compile(&text, patterns));
        if let Matcher::Pattern(pattern) = &compiled
            && let Err(error) = pattern.check()
        {
            let message = format!("the matcher is no regular expression: {error}");
            self.say(Severity::Error, "bad-matcher", item, message, "mend it, or write `*` to match everything");
        }
        compiled
    }

    /// Seconds, fractions allowed. __ABC__-CFG-03
    fn timeout(&mut self, object: Object<'_>) -> Option<Duration> {
        let item = object.get("timeout")?;
        let seconds = item.as_number().map(Number::as_f64).filter(|seconds| *seconds > 0.0);
        let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let timeout = timeout.filter(|timeout| !timeout.is_zero());
        if timeout.is_none() {
            let message = "`timeout` must be a number of seconds above 0";
            self.say(Severity::Error, "bad-timeout", item, message, "write for example `30`, or leave it out");
        }
        timeout
    }

    /// __ABC__-CFG-04
    fn failure(&mut self, object: Object<'_>) -> FailureMode {
        let item = object.get("failClosed");
        let closed = item.and_then(|item| item.expect_flag(&mut self.diagnostics, "true or false"));
        if closed == Some(true) { FailureMode::Closed } else { FailureMode::Open }
    }

    /// __ABC__-CFG-02
    fn unknown_keys(&mut self, object: Object<'_>, known: &[&str]) {
        for (key, item) in object.entries() {
            if !known.contains(&&*key) {
                let message = format!("`{key}` is not known here and is ignored");
                self.say(Severity::Warning, "unknown-key", item, message, &format!("known are {}", known.join(", ")));
            }
        }
    }

    /// One error refuses the file: nobody should believe that half of it guards. __ABC__-CFG-01
    fn finish(mut self) -> Parsed {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.place);
        let mut parsed = Parsed::default();
        match self.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            Some(first) => parsed.refused = Some(first.message.as_str().into()),
            None => parsed.bindings = self.bindings,
        }
        parsed.diagnostics = self.diagnostics;
        parsed
    }
}
