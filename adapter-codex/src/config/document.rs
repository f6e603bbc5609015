//! From the top of a document to the groups below its events.

use std::borrow::Cow;

use harness_hooks_core::{
    Diagnostic, Severity,
    document::{Array, Item, Object},
};

use super::{Kind, Parse, Setting};
use crate::{
    departures::Way,
    events::{self, Row},
    sources,
};

/// Where the names of events are listed.
const LISTED: &str = "the 12 events are listed by `harness-hooks events --vendor codex`";

/// What to write into a file without hooks.
const EXAMPLE: &str = "write `{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \
                       \"command\": \"…\"}]}]}}`, or `{\"hooks\": {}}` if there are to be none";

impl Parse<'_> {
    /// CDX-CFG-01, CDX-CFG-02
    pub(super) fn document(&mut self, root: Item<'_>) {
        let mut found = Vec::new();
        let Some(top) = root.expect_object(&mut found, "an object with `hooks`") else {
            return self.refuse_all(found);
        };
        self.duplicates(top);
        match self.kind {
            Kind::Hooks => self.top_keys(top),
            Kind::Config | Kind::Requirements => {
                self.settings(top);
                self.misplaced(top, Severity::Warning);
            }
            Kind::Manifest => return self.manifest(top),
        }
        match top.get("hooks") {
            Some(hooks) => self.hooks(hooks, 0),
            None if self.kind == Kind::Hooks && !self.left_out => {
                self.warn("missing-hooks", top.item(), "`hooks` is missing, so no hook is defined here", EXAMPLE);
            }
            None => {}
        }
        self.in_table_order();
    }

    /// CDX-CFG-14
    fn top_keys(&mut self, top: Object<'_>) {
        let severity = if self.ways.codexs(Way::TopLevelKey) { Severity::Error } else { Severity::Warning };
        self.misplaced(top, severity);
        for (key, item) in top.entries() {
            match &*key {
                "hooks" => {}
                "description" => self.description(item, severity),
                key if events::by_name(key).is_some() => {}
                key => {
                    let message = format!("`{key}` is not a key of a hooks file and is ignored");
                    let unknown = item.diagnostic(severity, "codex/unknown-key", message);
                    self.top(severity, unknown.help("the keys are `hooks` and `description`"));
                }
            }
        }
    }

    fn description(&mut self, item: Item<'_>, severity: Severity) {
        let mut found = Vec::new();
        if !item.is_null() {
            item.expect_text(&mut found, "a text");
        }
        found.into_iter().for_each(|diagnostic| self.top(severity, diagnostic));
    }

    /// Events beside or instead of `hooks` are not read. CDX-CFG-14
    fn misplaced(&mut self, top: Object<'_>, severity: Severity) {
        for (name, item) in top.entries() {
            let Some(row) = events::by_name(&name) else { continue };
            let message = format!("`{name}` stands outside of `hooks`, where it is not read");
            let help = if self.kind.is_toml() {
                format!("write `[[hooks.{name}]]`")
            } else {
                format!("write `\"hooks\": {{\"{name}\": […]}}`")
            };
            self.leave_out(row, item, message.as_str());
            self.top(severity, item.diagnostic(severity, "codex/misplaced-event", message).help(help));
        }
    }

    /// Something that stands at the top and does not belong there.
    fn top(&mut self, severity: Severity, diagnostic: Diagnostic) {
        if severity == Severity::Error {
            return self.refuse(diagnostic);
        }
        self.push(severity, diagnostic);
    }

    /// CDX-CFG-04
    fn hooks(&mut self, item: Item<'_>, number: usize) {
        let mut found = Vec::new();
        let what = if self.kind.is_toml() { "a table of events" } else { "an object of events" };
        match item.expect_object(&mut found, what) {
            Some(hooks) => self.events(hooks, number),
            None => self.refuse_all(found),
        }
    }

    fn events(&mut self, hooks: Object<'_>, number: usize) {
        self.events_twice(hooks);
        let mut written = false;
        for (name, item) in hooks.entries() {
            match (events::by_name(&name), &*name) {
                (Some(row), _) => {
                    let groups = self.groups(row, item);
                    for (n, group) in groups.into_iter().flat_map(Array::items).enumerate() {
                        written = true;
                        self.group(row, (number, n), group);
                    }
                }
                (None, "state") if self.kind == Kind::Config => self.state(item),
                // what the program needs to find managed scripts, which are no business of ours
                (None, "managed_dir" | "windows_managed_dir") if self.kind == Kind::Requirements => {}
                (None, name) => self.unknown_event(name, item),
            }
        }
        if written {
            self.keep(Setting::Written, &true);
        }
        if written && self.parsed.bindings.is_empty() && !self.left_out {
            let message = "no hook of this file is bound: its groups hold no handlers";
            self.warn("no-bindings", hooks.item(), message, "write a handler into the list `hooks` of a group");
        }
    }

    /// CDX-CFG-21
    fn events_twice(&mut self, hooks: Object<'_>) {
        for (name, item) in hooks.duplicates() {
            if self.ways.codexs(Way::DuplicateEvent) && events::by_name(&name).is_some() {
                let message = format!("`{name}` stands here twice, and Codex refuses such a file");
                let twice = item.diagnostic(Severity::Error, "codex/duplicate-key", message);
                self.refuse(twice.help("join the two lists"));
            } else {
                self.duplicate(&name, item);
            }
        }
    }

    /// CDX-CFG-06
    fn groups<'d>(&mut self, row: &'static Row, item: Item<'d>) -> Option<Array<'d>> {
        let mut found = Vec::new();
        let groups = item.expect_array(&mut found, "a list of groups");
        if self.kind.is_toml() {
            found.iter_mut().for_each(|wrong| wrong.help = Some(format!("write `[[hooks.{}]]`", row.name())));
        }
        self.defects(row, "this event", item, found);
        groups
    }

    /// What stands under it is not looked at. CDX-CFG-13
    fn unknown_event(&mut self, name: &str, item: Item<'_>) {
        self.left_out = true;
        let meant = events::nearly(name);
        let help = match (meant, name) {
            (Some(row), _) => Cow::from(format!("did you mean `{}`?", row.name())),
            (None, "state") => "what the user trusts is said in `config.toml` of the user".into(),
            (None, _) => LISTED.into(),
        };
        let empty = item.as_array().is_some_and(Array::is_empty);
        if let Some(row) = meant.filter(|_| !empty) {
            self.leave_out(row, item, format!("`{name}` is no event; `{}` is", row.name()));
        }
        let message = format!("Codex has no event `{name}`; what stands under it is not read");
        self.warn("unknown-event", item, message, &help);
    }

    /// Whatever the order of the file. Groups and handlers stay as they stand in it. CDX-EVT-05
    fn in_table_order(&mut self) {
        self.parsed.bindings.sort_by_key(|binding| binding.event);
    }

    /// A plugin's manifest: its hooks are files it names, or stand in it. CDX-SRC-06
    fn manifest(&mut self, top: Object<'_>) {
        if let Some(name) = top.get("name").and_then(Item::as_text) {
            self.keep(Setting::Name, &name);
        }
        let Some(hooks) = top.get("hooks") else { return };
        let items: Vec<Item<'_>> = hooks.as_array().map_or_else(|| vec![hooks], |list| list.items().collect());
        let mut named = Vec::new();
        for (n, item) in items.into_iter().enumerate() {
            match (item.as_text(), item.as_object()) {
                (Some(path), _) if sources::below(&path).is_some() => named.push(path),
                (Some(path), _) => {
                    let message = format!("`{path}` is not below the plugin's directory, so it is not read");
                    let outside = item.diagnostic(Severity::Error, "codex/outside-plugin", message);
                    self.refuse(outside.help("write a path such as `./hooks/more.json`"));
                }
                (None, Some(object)) => {
                    self.duplicates(object);
                    self.hooks(object.get("hooks").unwrap_or(item), n);
                }
                (None, None) => {
                    let mut found = Vec::new();
                    item.expect_text(&mut found, "the path of a file of hooks, or an object with `hooks`");
                    self.refuse_all(found);
                }
            }
        }
        self.keep(Setting::Named, &named);
        self.in_table_order();
    }
}
