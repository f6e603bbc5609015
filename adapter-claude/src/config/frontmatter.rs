//! The frontmatter of a skill or an agent: the YAML block at the top of a Markdown file, whose key
//! `hooks` is that of a settings file. It is written as JSON and read like one. CLA-SRC-15
//!
//! An agent's hooks are for that agent alone. A skill's count from the start of the session, because
//! nobody here is told when a skill is invoked: a guard rather begins too early than too late.

use std::{borrow::Cow, sync::Arc};

use harness_hooks_core::{
    Condition, Diagnostic, Occasion, Parsed, Payload, Place, Scope, Severity, Source, Text,
    document::{Item, Object, Reading, Tree},
};

use super::{
    Kind, Parse,
    yaml::{self, Fault},
};
use crate::departures::Ways;

/// Reads the hooks of a Markdown file; one without any is none of ours, whatever else is in it.
pub(super) fn parse(ways: Ways, source: &Arc<Source>, bytes: &[u8]) -> Parsed {
    let path = source.path.display().to_string();
    let text = String::from_utf8_lossy(bytes);
    let Some(line) = hooks_line(&text) else { return Parsed::default() };
    if Kind::of(source) == Kind::Agent && source.scope == Scope::Plugin {
        return of_a_plugin(Place::new(line, 1), path);
    }
    let (json, places) = match written(&text, line) {
        Ok(written) => written,
        Err(fault) => return refused(fault, path),
    };
    let reading = Reading::new("claude").source(&path).without_comments().blank(Severity::Note);
    let (tree, diagnostics) = Tree::read(json.as_bytes(), &reading);
    let mut parse = Parse::new(ways, source, diagnostics);
    match &tree {
        Some(tree) => parse.document(tree.root()),
        None => parse.unreadable(),
    }
    if let Some(top) = tree.as_ref().and_then(|tree| tree.root().as_object())
        && parse.kind == Kind::Agent
    {
        parse.of_an_agent(top);
    }
    parse.put_back(&places);
    if matches!(text, Cow::Owned(_)) {
        let message = "the file is not UTF-8; what cannot be read stands as U+FFFD";
        let warning = Diagnostic::warning("claude/invalid-utf8", message).source(&path);
        parse.parsed.diagnostics.push(warning.help("save it as UTF-8"));
    }
    parse.finish(tree.as_ref())
}

/// The block as JSON, with the places of its values in the file.
fn written(text: &str, line: u32) -> Result<(String, Vec<Place>), Fault> {
    let Some(block) = block(text) else {
        let message = "the block at the top of the file is not closed: a line `---` is missing below it".into();
        return Err(Fault { message, place: Place::new(line, 1) });
    };
    let below_the_mark = |place: Place| Place::new(place.line.saturating_add(1), place.column);
    match yaml::as_json(block) {
        Ok((json, places)) => Ok((json, places.into_iter().map(below_the_mark).collect())),
        Err(fault) => Err(Fault { place: below_the_mark(fault.place), ..fault }),
    }
}

/// A document that is not used, and why.
fn refused(fault: Fault, path: String) -> Parsed {
    let mut parsed = Parsed::default();
    parsed.refused = Some(fault.message.as_str().into());
    let error = Diagnostic::error("claude/invalid-yaml", fault.message).source(path).at(fault.place);
    parsed.diagnostics.push(error.help("until then no hook in this file runs; JSON is YAML, too"));
    parsed
}

/// An agent that a plugin brings has no hooks. CLA-SRC-15
fn of_a_plugin(place: Place, path: String) -> Parsed {
    let message = "hooks of an agent that a plugin brings are not read";
    let warning = Diagnostic::warning("claude/plugin-agent", message).source(path).pointer("/hooks").at(place);
    let mut parsed = Parsed::default();
    parsed.diagnostics.push(warning.help("write them into the plugin's `hooks/hooks.json`"));
    parsed
}

/// What stands between the first line, `---`, and the next such line.
fn block(text: &str) -> Option<&str> {
    let (_, text) = opened(text)?.split_once('\n')?;
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return text.get(..length);
        }
        length += line.len();
    }
    None
}

/// The file, if it begins with the mark.
fn opened(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{FEFF}');
    (text.lines().next()?.trim_end() == "---").then_some(text)
}

/// The line at which the block's hooks begin, as far as one can see without reading YAML.
fn hooks_line(text: &str) -> Option<u32> {
    let begins = |line: &str| {
        ["hooks", "\"hooks\"", "'hooks'"].iter().any(|key| {
            line.trim_start_matches(['{', ' ']).strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'))
        })
    };
    let within = block(text).or_else(|| opened(text)?.split_once('\n').map(|(_, rest)| rest))?;
    within.lines().zip(2..).find(|(line, _)| begins(line)).map(|(_, n)| n)
}

impl Parse<'_> {
    /// Places in the JSON become those in the file: each value has a line of its own.
    fn put_back(&mut self, places: &[Place]) {
        let in_file = |place: Place| places.get((place.line as usize).checked_sub(1)?).copied();
        for diagnostic in &mut self.parsed.diagnostics {
            diagnostic.place = diagnostic.place.and_then(in_file);
        }
        for binding in &mut self.parsed.bindings {
            binding.place = binding.place.and_then(in_file);
        }
    }

    /// Its hooks are for that agent alone.
    fn of_an_agent(&mut self, top: Object<'_>) {
        let stem = || self.source.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = top.get("name").and_then(Item::as_text);
        let name: Text = name.map_or_else(stem, Cow::into_owned).into();
        for binding in &mut self.parsed.bindings {
            let rule = binding.condition.take();
            let text = rule.as_ref().map_or_else(|| format!("agent {name}").into(), |rule| rule.text().into());
            binding.condition = Some(Arc::new(OfAgent { name: name.clone(), text, rule }));
        }
    }
}

/// It is about what happens in an agent of this kind, or to one.
#[derive(Debug)]
struct OfAgent {
    name: Text,
    /// What stands in the file, or what is meant where nothing does.
    text: Text,
    rule: Option<Arc<dyn Condition>>,
}

impl Condition for OfAgent {
    fn text(&self) -> &str {
        &self.text
    }

    fn holds(&self, occasion: Occasion<'_>) -> bool {
        let kind = match &occasion.envelope.payload {
            Payload::SubagentStart(payload) => Some(&payload.kind),
            Payload::SubagentStop(payload) => Some(&payload.kind),
            _ => occasion.envelope.agent.as_ref().and_then(|agent| agent.kind.as_ref()),
        };
        kind == Some(&self.name) && self.rule.as_ref().is_none_or(|rule| rule.holds(occasion))
    }
}
