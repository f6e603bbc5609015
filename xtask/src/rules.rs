//! `cargo xtask rules`: every rule has an id, every id has a rule, and every rule is shown by a
//! vector, a fixture or a test.
//!
//! A rule is defined where a line of `docs/rules/*.md` begins with `- **ID**`. Any other mention is
//! a citation. Citations count as evidence in the JSON of fixtures, in `tests/`, and in the part of
//! a source file below `#[cfg(test)]`.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use harness_hooks_core::Fidelity;
use harness_hooks_fixtures::{relative, repository};
use regex::Regex;

use crate::{Ended, adapters::adapters};

/// Three letters, a room, two digits.
#[expect(clippy::unwrap_used, reason = "a constant pattern, compiled by the tests below")]
static ID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[A-Z]{3}-[A-Z]{2,6}-[0-9]{2}\b").unwrap());

pub(crate) fn run(check: bool) -> Ended {
    let mut rules = Rules::default();
    for path in documents(repository())? {
        if let Ok(text) = fs::read_to_string(&path) {
            rules.read(&relative(&path), &text);
        }
    }
    if !check {
        print!("{}", rules.table());
    }
    let mut faults = rules.faults();
    faults.extend(unshown()?);
    for fault in &faults {
        println!("{fault}");
    }
    if !faults.is_empty() {
        return Err(format!("{} faults in rule ids", faults.len()).into());
    }
    println!("{} rules, each defined once and shown at least once", rules.defined.len());
    Ok(())
}

/// A departure that no vector can show names the test that does, and that test is there.
fn unshown() -> io::Result<Vec<String>> {
    let code = documents(repository())?.into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let code: Vec<String> = code.filter_map(|path| fs::read_to_string(path).ok()).collect();
    let there = |test: &str| code.iter().any(|text| text.contains(&format!("fn {test}(")));
    let departures = adapters(Fidelity::Guarded).iter().flat_map(|adapter| adapter.departures()).collect::<Vec<_>>();
    let named = departures.iter().filter_map(|departure| {
        let test = departure.not_in_vectors?.strip_prefix('`')?.strip_suffix('`')?;
        Some((departure.id, test))
    });
    let missing = named.filter(|(_, test)| !there(test));
    Ok(missing
        .map(|(id, test)| format!("the departure {id} is shown by `{test}`, and there is no such test"))
        .collect())
}

/// Every text people write: not what is built, not what is hidden.
fn documents(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = path.extension().is_some_and(|e| ["rs", "md", "json", "toml", "sh"].iter().any(|known| e == *known));
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            found.extend(documents(&path)?);
        } else if text {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mention {
    file: String,
    line: usize,
}

#[derive(Debug, Default)]
struct Rules {
    defined: BTreeMap<String, Vec<Mention>>,
    /// Named by a vector, a fixture or a test.
    shown: BTreeMap<String, Vec<Mention>>,
    /// Named by code or a document.
    mentioned: BTreeMap<String, Vec<Mention>>,
}

impl Rules {
    fn read(&mut self, file: &str, text: &str) {
        let sheet = file.starts_with("docs/rules/");
        let mut evidence = is_evidence(file);
        for (n, line) in text.lines().enumerate() {
            evidence |= file.ends_with(".rs") && line.trim_start().starts_with("#[cfg(test)]");
            let defined = sheet.then(|| line.strip_prefix("- **")).flatten().and_then(|rest| rest.split_once("**"));
            for id in ID.find_iter(line) {
                let of = match defined {
                    Some((first, _)) if id.as_str() == first && id.start() == "- **".len() => &mut self.defined,
                    _ if evidence => &mut self.shown,
                    _ => &mut self.mentioned,
                };
                let mention = Mention { file: file.to_owned(), line: n + 1 };
                of.entry(id.as_str().to_owned()).or_default().push(mention);
            }
        }
    }

    fn faults(&self) -> Vec<String> {
        let place = |mention: &Mention| format!("{}:{}", mention.file, mention.line);
        let mut faults = Vec::new();
        for (id, places) in &self.defined {
            if let [first, again, ..] = places.as_slice() {
                faults.push(format!(
                    "{}: {id} is defined a second time; it is defined at {}",
                    place(again),
                    place(first)
                ));
            }
            if !self.shown.contains_key(id) {
                faults.push(format!("{}: no vector, fixture or test names {id}", place(&places[0])));
            }
        }
        for (id, places) in self.shown.iter().chain(&self.mentioned) {
            if !self.defined.contains_key(id) {
                faults.extend(places.iter().map(|at| format!("{}: {id} is no rule", place(at))));
            }
        }
        faults
    }

    /// `ID  file (times), file`.
    fn table(&self) -> String {
        let mut table = String::new();
        for id in self.defined.keys() {
            let mut files: BTreeMap<&str, usize> = BTreeMap::new();
            for mention in self.shown.get(id).into_iter().flatten() {
                *files.entry(&mention.file).or_default() += 1;
            }
            let files = files.iter().map(|(file, n)| if *n > 1 { format!("{file} ({n})") } else { (*file).to_owned() });
            table += &format!("{id:<14} {}\n", files.collect::<Vec<_>>().join(", "));
        }
        table
    }
}

/// What is written to show that rules hold. Derived files show nothing by themselves.
fn is_evidence(file: &str) -> bool {
    let derived = ["/bindings.json", "/diagnostics.json"].iter().any(|name| file.ends_with(name));
    let fixture = file.starts_with("fixtures/") && file.ends_with(".json") && !derived;
    let test = file.ends_with(".rs") && (file.contains("/tests/") || file.ends_with("/tests.rs"));
    fixture || test
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An id that the scan of this very file does not see.
    fn id(number: u8) -> String {
        ["ABC", "OUT", &format!("{number:02}")].join("-")
    }

    fn read(files: &[(&str, String)]) -> Rules {
        let mut rules = Rules::default();
        for (file, text) in files {
            rules.read(file, text);
        }
        rules
    }

    #[test]
    fn a_rule_needs_evidence() {
        let sheet = format!("- **{}** As {} says.\n", id(1), id(1));
        for (file, text, faults) in [
            ("fixtures/abc/vectors/a.json", format!("\"{}\"", id(1)), 0),
            ("abc/tests/a.rs", format!("// {}", id(1)), 0),
            ("abc/src/a.rs", format!("#[cfg(test)]\nmod tests {{ // {}\n}}", id(1)), 0),
            ("abc/src/a.rs", format!("// {}", id(1)), 1),
            ("fixtures/abc/config/a/diagnostics.json", format!("\"{}\"", id(1)), 1),
            ("docs/other.md", id(1), 1),
        ] {
            let rules = read(&[("docs/rules/abc.md", sheet.clone()), (file, text)]);
            assert_eq!(rules.faults().len(), faults, "{file}: {:?}", rules.faults());
        }
    }

    #[test]
    fn an_id_needs_one_rule() {
        let sheet = ("docs/rules/abc.md", format!("- **{}** One.\n- **{}** Two.\n", id(1), id(1)));
        let test = ("abc/tests/a.rs", format!("// {} {}", id(1), id(2)));
        let faults = read(&[sheet, test]).faults();
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains("a second time") && faults[1].contains("is no rule"), "{faults:?}");
    }
}
