//! What a settings file says beside its hooks and matters to the hooks of every file. What becomes
//! of it is `settle.rs`.

use std::collections::BTreeMap;

use harness_hooks_core::{
    Json, Parsed, Place, Scope,
    document::{Array, Item, Kind as Value, Object},
};
use serde::{Serialize, de::DeserializeOwned};

use super::{Kind, Parse};

/// A setting, under the name it is kept by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// No hook runs: [`Switched`]. CLA-SRC-09
    DisableAll,
    /// Managed hooks alone run: [`Switched`]. CLA-SRC-10
    ManagedOnly,
    /// Variables for hooks. CLA-RUN-07
    Env,
    /// Where hooks may be sent. CLA-RUN-13
    AllowedUrls,
    /// The files of hooks a manifest names. CLA-SRC-05
    Named,
}

impl Setting {
    /// As a file spells it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Setting::DisableAll => "disableAllHooks",
            Setting::ManagedOnly => "allowManagedHooksOnly",
            Setting::Env => "env",
            Setting::AllowedUrls => "allowedHttpHookUrls",
            Setting::Named => "hooks",
        }
    }

    /// What a document said of it.
    pub(crate) fn of<T: DeserializeOwned>(self, parsed: &Parsed) -> Option<T> {
        parsed.setting(self.name())?.read().ok()
    }
}

/// Which way a switch stands, and where it is written.
#[derive(Serialize, serde::Deserialize)]
pub(crate) struct Switched {
    pub(crate) on: bool,
    line: u32,
    column: u32,
}

impl Switched {
    /// Where its key is written.
    pub(crate) const fn place(&self) -> Place {
        Place::new(self.line, self.column)
    }
}

impl Parse<'_> {
    /// Other settings are not looked at. CLA-CFG-26
    pub(super) fn settings(&mut self, top: Object<'_>) {
        if self.kind != Kind::Settings {
            return;
        }
        if let Some(switched) = self.switch(top, Setting::DisableAll) {
            self.keep(Setting::DisableAll, &switched);
        }
        if let Some(switched) = self.switch(top, Setting::ManagedOnly) {
            self.managed_only(top, &switched);
        }
        if let Some(item) = top.get(Setting::Env.name()) {
            self.env(item);
        }
        if let Some(item) = top.get(Setting::AllowedUrls.name()) {
            self.allowed_urls(item);
        }
    }

    pub(super) fn keep<T: Serialize>(&mut self, setting: Setting, value: &T) {
        self.parsed.settings.push((setting.name(), Json::of(value)));
    }

    fn switch(&mut self, top: Object<'_>, setting: Setting) -> Option<Switched> {
        let mut found = Vec::new();
        let item = top.get(setting.name())?;
        let on = item.expect_flag(&mut found, "true or false");
        self.warn_all(found);
        let Place { line, column } = item.key_place();
        on.map(|on| Switched { on, line, column })
    }

    /// CLA-SRC-10
    fn managed_only(&mut self, top: Object<'_>, switched: &Switched) {
        if self.source.scope == Scope::Managed {
            self.keep(Setting::ManagedOnly, switched);
        } else if let (true, Some(item)) = (switched.on, top.get(Setting::ManagedOnly.name())) {
            let message = "`allowManagedHooksOnly` counts in managed settings only; here it does nothing";
            self.warn("managed-only", item, message, "leave it out");
        }
    }

    /// Texts, numbers and booleans, as they are written. CLA-CFG-26
    fn env(&mut self, item: Item<'_>) {
        let mut found = Vec::new();
        let object = item.expect_object(&mut found, "an object of texts");
        let mut variables = BTreeMap::new();
        for (name, item) in object.map(Object::entries).unwrap_or_default() {
            let value = match item.kind() {
                Value::Number | Value::Flag => Some(item.raw().into()),
                _ => item.expect_text(&mut found, "a text"),
            };
            variables.extend(value.map(|value| (name.into_owned(), value.into_owned())));
        }
        self.warn_all(found);
        self.keep(Setting::Env, &variables);
    }

    /// What cannot be read admits nothing, so that a slip opens no way out.
    fn allowed_urls(&mut self, item: Item<'_>) {
        let mut found = Vec::new();
        let list = item.expect_array(&mut found, "a list of addresses, in which `*` stands for any text");
        let items = list.into_iter().flat_map(Array::items);
        let urls: Vec<_> = items.filter_map(|item| item.expect_text(&mut found, "an address")).collect();
        self.warn_all(found);
        self.keep(Setting::AllowedUrls, &urls);
    }
}
