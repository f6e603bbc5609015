//! From the top of a document to the groups below its events.

use harness_hooks_core::{
    Dropped, Severity,
    document::{Array, Item, Object},
};

use super::{Kind, Parse, Setting};
use crate::{
    events::{self, Row},
    sources,
};

/// Where the names of events are listed.
const LISTED: &str = "the 34 events are listed by `harness-hooks events --vendor claude`";

impl Parse<'_> {
    /// CLA-CFG-01
    pub(super) fn document(&mut self, root: Item<'_>) {
        let mut found = Vec::new();
        let Some(top) = root.expect_object(&mut found, "an object") else {
            found.into_iter().for_each(|diagnostic| self.refuse(diagnostic));
            return;
        };
        self.duplicates(top);
        self.settings(top);
        match top.get("hooks") {
            Some(hooks) => {
                self.misplaced(top);
                self.hooks(hooks);
            }
            None if self.kind == Kind::Plugin => self.no_wrapper(top),
            None => self.misplaced(top),
        }
    }

    /// A plugin's file needs the wrapper. CLA-SRC-05, CLA-CFG-20
    fn no_wrapper(&mut self, top: Object<'_>) {
        let message = "a plugin's file of hooks needs an object `hooks`";
        let missing = top.item().diagnostic(Severity::Error, "claude/missing-hooks", message);
        self.refuse(missing.help("write `{\"hooks\": {…}}` around the events"));
    }

    /// Events beside or instead of `hooks` are not read. CLA-CFG-20
    fn misplaced(&mut self, top: Object<'_>) {
        for (name, item) in top.entries() {
            let Some(row) = events::by_name(&name) else { continue };
            let message = format!("`{name}` stands outside of `hooks`, where it is not read");
            let misplaced = item.diagnostic(Severity::Warning, "claude/misplaced-event", &message);
            self.defect(row, "it", misplaced.help(format!("write `\"hooks\": {{\"{name}\": […]}}`")));
            self.leave_out(row, item, message);
        }
    }

    /// A list is another program's shape; anything else that is no object is ignored, and the file's
    /// other settings count. CLA-CFG-03
    fn hooks(&mut self, item: Item<'_>) {
        if self.kind == Kind::Manifest && (item.as_text().is_some() || item.as_array().is_some()) {
            return self.named_files(item);
        }
        let mut found = Vec::new();
        match item.expect_object(&mut found, "an object of events") {
            Some(hooks) => self.events(hooks),
            None if item.as_array().is_some() || self.kind == Kind::Manifest => {
                found.into_iter().for_each(|diagnostic| self.refuse(diagnostic));
            }
            None => self.warn_all(found),
        }
    }

    /// The files a manifest names are sources of their own; one outside of the plugin is not.
    /// CLA-SRC-05
    fn named_files(&mut self, item: Item<'_>) {
        let items: Vec<Item<'_>> = item.as_array().map_or_else(|| vec![item], |list| list.items().collect());
        let mut named = Vec::new();
        for item in items {
            let mut found = Vec::new();
            let Some(path) = item.expect_text(&mut found, "the path of a file of hooks") else {
                found.into_iter().for_each(|diagnostic| self.refuse(diagnostic));
                continue;
            };
            if sources::below(&path).is_some() {
                named.push(path);
            } else {
                let message = format!("`{path}` is not below the plugin's directory, so it is not read");
                let outside = item.diagnostic(Severity::Error, "claude/outside-plugin", message);
                self.refuse(outside.help("write a path such as `./hooks/more.json`"));
            }
        }
        self.keep(Setting::Named, &named);
    }

    /// In the order of the table, whatever the order of the file. CLA-EVT-05
    pub(super) fn events(&mut self, hooks: Object<'_>) {
        self.duplicates(hooks);
        let mut known = Vec::new();
        for (name, item) in hooks.entries() {
            match events::by_name(&name) {
                Some(row) if self.kind == Kind::Agent => known.push((row.in_agent_file(), item)),
                Some(row) => known.push((row, item)),
                None => self.unknown_event(&name, item),
            }
        }
        known.sort_by_key(|(row, _)| row.id());
        let mut written = false;
        let mut earlier: Option<(&Row, usize)> = None;
        for (row, item) in known {
            let first = earlier.filter(|(same, _)| same.id() == row.id()).map_or(0, |(_, groups)| groups);
            let Some(groups) = self.groups(row, item) else { continue };
            let mut next = first;
            for group in groups.items() {
                self.group(row, next, group);
                next += 1;
            }
            written |= next > first;
            earlier = Some((row, next));
        }
        if written && self.parsed.bindings.is_empty() && !self.left_out {
            let message = "no hook of this file is bound: its groups hold no handlers";
            self.warn("no-bindings", hooks.item(), message, "write a handler into the list `hooks` of a group");
        }
    }

    /// CLA-CFG-07
    fn groups<'d>(&mut self, row: &'static Row, item: Item<'d>) -> Option<Array<'d>> {
        if item.is_null() {
            let message = format!("`{}` is null and is ignored", row.name());
            self.left_out = true;
            self.warn("wrong-type", item, message, "leave it out, or write a list of groups");
            return None;
        }
        let mut found = Vec::new();
        let groups = item.expect_array(&mut found, "a list of groups");
        for diagnostic in found {
            self.leave_out(row, item, diagnostic.message.as_str());
            self.defect(row, "this event", diagnostic);
        }
        groups
    }

    /// What stands below it is not looked at, but for guards, which are then missing. CLA-CFG-04
    fn unknown_event(&mut self, name: &str, item: Item<'_>) {
        self.left_out = true;
        let guards: Vec<_> = item.as_object().map(guards).unwrap_or_default();
        let help = match (guards.first(), events::nearly(name)) {
            (Some((row, _)), _) => format!("`{}` belongs straight into `hooks`", row.name()),
            (None, Some(row)) => format!("did you mean `{}`?", row.name()),
            (None, None) => LISTED.into(),
        };
        let severity = if guards.is_empty() { Severity::Warning } else { Severity::Error };
        let empty = item.is_null() || item.as_array().is_some_and(|list| list.items().next().is_none());
        if let Some(row) = events::nearly(name).filter(|_| guards.is_empty() && !empty) {
            self.leave_out(row, item, format!("`{name}` is no event; `{}` is", row.name()));
        }
        let message = format!("Claude Code has no event `{name}`; what stands below it is not read");
        self.say(severity, "unknown-event", item, message, &help);
        let missing = guards.into_iter().map(|(row, item)| {
            let why = format!("it stands below `{name}`, which is no event");
            Dropped::new(row.id(), item.pointer(), why)
        });
        self.parsed.dropped.extend(missing);
    }
}

/// The guard events among the keys of an object.
fn guards(object: Object<'_>) -> Vec<(&'static Row, Item<'_>)> {
    let entries = object.entries().into_iter();
    let rows = entries.filter_map(|(name, item)| events::by_name(&name).map(|row| (row, item)));
    rows.filter(|(row, _)| row.guard).collect()
}
