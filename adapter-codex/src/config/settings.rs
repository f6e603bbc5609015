//! What a document says beside its hooks and matters to the hooks of every document. What becomes of
//! it is `settle.rs`.

use std::collections::BTreeMap;

use harness_hooks_core::{
    Json, Parsed, Place,
    document::{Item, Object},
};
use serde::{Serialize, de::DeserializeOwned};

use super::{Kind, Parse};
use crate::trust::State;

/// A setting, under the name it is kept by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// Whether hooks run at all: [`Switched`]. CDX-SRC-09
    Switch,
    /// Managed hooks alone run: [`Switched`]. CDX-SRC-10
    ManagedOnly,
    /// What the user said of single handlers. CDX-TRUST-04
    State,
    /// By what Codex knows each handler again. CDX-TRUST-06
    Identities,
    /// There are hooks in it, good or bad. CDX-SRC-07
    Written,
    /// A plugin's name. CDX-TRUST-05
    Name,
    /// The files of hooks a manifest names. CDX-SRC-06
    Named,
}

/// Which way a switch stands, in whose words, and where they are.
#[derive(Serialize, serde::Deserialize)]
pub(crate) struct Switched {
    pub(crate) on: bool,
    pub(crate) key: String,
    pub(crate) pointer: String,
    line: u32,
    column: u32,
}

impl Switched {
    fn by(item: Item<'_>, on: bool, key: impl Into<String>) -> Self {
        let Place { line, column } = item.key_place();
        Switched { on, key: key.into(), pointer: item.pointer(), line, column }
    }

    /// Where its key is written.
    pub(crate) const fn place(&self) -> Place {
        Place::new(self.line, self.column)
    }
}

impl Setting {
    /// Keys at the top of a TOML document that are settings here.
    pub(super) const TOP: [&str; 2] = ["features", "allow_managed_hooks_only"];

    const fn name(self) -> &'static str {
        match self {
            Setting::Switch => "features.hooks",
            Setting::ManagedOnly => "allow_managed_hooks_only",
            Setting::State => "hooks.state",
            Setting::Identities => "identities",
            Setting::Written => "written",
            Setting::Name => "name",
            Setting::Named => "named",
        }
    }

    /// What a document said of it.
    pub(crate) fn of<T: DeserializeOwned>(self, parsed: &Parsed) -> Option<T> {
        parsed.setting(self.name())?.read().ok()
    }
}

impl Parse<'_> {
    pub(super) fn keep<T: Serialize>(&mut self, setting: Setting, value: &T) {
        self.parsed.settings.push((setting.name(), Json::of(value)));
    }

    /// Other settings are not looked at. CDX-CFG-02
    pub(super) fn settings(&mut self, top: Object<'_>) {
        if let Some(item) = top.get("features") {
            self.features(item);
        }
        if let Some(item) = top.get(Setting::ManagedOnly.name()) {
            self.managed_only(item);
        }
    }

    /// CDX-SRC-09
    fn features(&mut self, item: Item<'_>) {
        let mut found = Vec::new();
        let features = item.expect_object(&mut found, "a table of switches");
        let former = features.and_then(|features| features.get("codex_hooks"));
        if let Some(item) = former {
            let message = "`features.codex_hooks` is out of use; it is read as `features.hooks`";
            self.warn("deprecated-key", item, message, "write `hooks` in its place");
        }
        let present = features.and_then(|features| features.get("hooks"));
        for (key, item) in [("codex_hooks", former), ("hooks", present)] {
            let Some(item) = item else { continue };
            if let Some(on) = item.expect_flag(&mut found, "true or false") {
                self.keep(Setting::Switch, &Switched::by(item, on, format!("features.{key}")));
            }
        }
        self.warn_all(found);
    }

    /// CDX-SRC-10
    fn managed_only(&mut self, item: Item<'_>) {
        let mut found = Vec::new();
        let on = item.expect_flag(&mut found, "true or false");
        self.warn_all(found);
        match (self.kind, on) {
            (Kind::Requirements, Some(on)) => {
                self.keep(Setting::ManagedOnly, &Switched::by(item, on, Setting::ManagedOnly.name()));
            }
            (Kind::Config, Some(true)) => {
                let message =
                    "`allow_managed_hooks_only` counts in the managed requirements only; here it does nothing";
                self.warn("managed-only", item, message, "leave it out");
            }
            _ => {}
        }
    }

    /// The table beside the events that says which handlers the user trusts. CDX-TRUST-04
    pub(super) fn state(&mut self, item: Item<'_>) {
        let mut found = Vec::new();
        let table = item.expect_object(&mut found, "a table of handlers");
        let mut states = BTreeMap::new();
        for (key, item) in table.map(Object::entries).unwrap_or_default() {
            let Some(state) = item.expect_object(&mut found, "a table") else { continue };
            let enabled = state.get("enabled").and_then(|item| item.expect_flag(&mut found, "true or false"));
            let trusted_hash = state.get("trusted_hash").and_then(|item| item.expect_text(&mut found, "a hash"));
            states.insert(key.into_owned(), State { enabled, trusted_hash: trusted_hash.map(Into::into) });
        }
        self.warn_all(found);
        self.keep(Setting::State, &states);
    }
}
