//! `cargo xtask new-adapter NAME`: a crate with the room plan, one event, fixtures, rules and tests
//! that pass, from the files of `templates/adapter`, and its name where the workspace lists adapters.
//! Nothing is written unless all of it can be.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use harness_hooks_fixtures::{relative, repository};
use regex::Regex;

use crate::Ended;

type Found<T> = Result<T, String>;

/// `command`: in the command line too.
pub(crate) fn run(name: &str, command: bool) -> Ended {
    let root = repository();
    let templates = templates(&root.join("xtask/templates/adapter"))?;
    let names = Names::of(name, &prefixes(root)?)?;
    names.collide(root, &templates)?;
    let new = templates.into_iter().map(|(path, text)| (names.place(&path), names.fill(&text)));
    let listed = registered(root, &names)?;
    let listed = listed.into_iter().filter(|(path, _)| command || !path.starts_with("cli"));
    let files: Vec<(PathBuf, String)> = new.chain(listed).collect();
    for (path, text) in &files {
        write(&root.join(path), text)?;
    }
    let package = format!("harness-hooks-{name}");
    let status = Command::new("cargo").args(["fmt", "--package", &package]).current_dir(root).status()?;
    if !status.success() {
        return Err(format!("`cargo fmt --package {package}` ended with {status}").into());
    }
    println!("\nadapter-{name}, its rules {}-… and its fixtures are there. Next:\n", names.prefix);
    println!("    cargo xtask fixtures && cargo xtask docs    # what is derived from them");
    println!("    cargo test --package {package}\n");
    if !command {
        println!("The command line does not know it yet: once its rules are the vendor's, add to cli/Cargo.toml\n");
        println!("    {package}.workspace = true\n");
        println!("and to `vendors!` in cli/src/vendors.rs\n\n{}", names.vendors_line());
    }
    println!("docs/adding-an-adapter.md says what comes then.");
    Ok(())
}

/// The names of an adapter.
#[derive(Debug, PartialEq, Eq)]
struct Names {
    /// `demo-vendor`
    vendor: String,
    /// `DemoVendor`
    of_type: String,
    /// `DEM`, which its rule ids begin with.
    prefix: String,
}

impl Names {
    fn of(vendor: &str, taken: &BTreeSet<String>) -> Found<Names> {
        let words: Vec<&str> = vendor.split('-').collect();
        let good = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        if !words.iter().all(good) {
            return Err(format!(
                "`{vendor}` is no name of a vendor: write words of a to z and digits, as in `demo-vendor`"
            ));
        }
        let capital = |word: &&str| format!("{}{}", word[..1].to_uppercase(), &word[1..]);
        let of_type = words.iter().map(capital).collect();
        Ok(Names { vendor: vendor.to_owned(), of_type, prefix: prefix(vendor, taken)? })
    }

    /// What it would overwrite, or be confused with.
    fn collide(&self, root: &Path, templates: &[(String, String)]) -> Ended {
        let Names { vendor, of_type, .. } = self;
        let manifest = read(&root.join("Cargo.toml"))?;
        if manifest.lines().any(|line| line.starts_with(&format!("harness-hooks-{vendor} "))) {
            return Err(format!("there is a crate harness-hooks-{vendor} already").into());
        }
        let places = [format!("adapter-{vendor}"), format!("fixtures/{vendor}"), format!("docs/rules/{vendor}.md")];
        if let Some(place) = places.iter().find(|place| root.join(place).exists()) {
            return Err(format!("{place} is there already").into());
        }
        for name in [of_type, &self.constant()] {
            let word = Regex::new(&format!(r"\b{name}\b"))?;
            if name == "Self" || templates.iter().any(|(path, text)| path.ends_with(".rs") && word.is_match(text)) {
                return Err(
                    format!("`{name}` is a name in every adapter's code: choose another than `{vendor}`").into()
                );
            }
        }
        Ok(())
    }

    fn constant(&self) -> String {
        self.vendor.replace('-', "_").to_uppercase()
    }

    fn crate_name(&self) -> String {
        format!("harness_hooks_{}", self.vendor.replace('-', "_"))
    }

    fn path(&self) -> String {
        format!("{}::{}", self.crate_name(), self.of_type)
    }

    /// Its entry in the table of the command line.
    fn vendors_line(&self) -> String {
        let Names { vendor, of_type, .. } = self;
        format!("    /// {of_type}'s `.{vendor}/hooks.json`\n    {of_type} = {},\n", self.path())
    }

    /// Where a template goes.
    fn place(&self, template: &str) -> PathBuf {
        let vendor = &self.vendor;
        match template.split_once('/') {
            Some(("fixtures", rest)) => format!("fixtures/{vendor}/{rest}").into(),
            Some(("docs", "rules.md")) => format!("docs/rules/{vendor}.md").into(),
            _ => format!("adapter-{vendor}/{template}").into(),
        }
    }

    fn fill(&self, template: &str) -> String {
        let names = [
            ("__vendor__", self.vendor.as_str()),
            ("__Type__", &self.of_type),
            ("__CONST__", &self.constant()),
            ("__crate__", &self.crate_name()),
            ("__ABC__", &self.prefix),
        ];
        names.iter().fold(template.to_owned(), |text, (token, name)| text.replace(token, name))
    }
}

/// Three letters of the name, in their order, that no other vendor's rules begin with.
fn prefix(vendor: &str, taken: &BTreeSet<String>) -> Found<String> {
    let letters: Vec<char> = vendor.to_uppercase().chars().filter(char::is_ascii_uppercase).collect();
    for second in 1..letters.len() {
        for third in second + 1..letters.len() {
            let prefix = String::from_iter([letters[0], letters[second], letters[third]]);
            if !taken.contains(&prefix) {
                return Ok(prefix);
            }
        }
    }
    Err(format!("rule ids begin with three letters of the name, and `{vendor}` has none that are free"))
}

/// What rule ids begin with so far.
fn prefixes(root: &Path) -> Result<BTreeSet<String>, Box<dyn std::error::Error>> {
    let defined = Regex::new(r"(?m)^- \*\*([A-Z]{3})-")?;
    let mut prefixes = BTreeSet::new();
    for entry in fs::read_dir(root.join("docs/rules"))? {
        let text = read(&entry?.path())?;
        prefixes.extend(defined.captures_iter(&text).map(|found| found[1].to_owned()));
    }
    Ok(prefixes)
}

/// The templates with their paths below the folder, by name.
fn templates(folder: &Path) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(&inside)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(folder)?.iter().map(|part| part.to_string_lossy());
                found.push((below.collect::<Vec<_>>().join("/"), read(&path)?));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The files in which the workspace lists its adapters, with one more.
fn registered(root: &Path, names: &Names) -> Found<Vec<(PathBuf, String)>> {
    let Names { vendor, .. } = names;
    let (package, path) = (format!("harness-hooks-{vendor}"), names.path());
    let dependency = format!("{package}.workspace = true");
    let edit = |file: &str, edits: &[(Place<'_>, String)]| -> Found<(PathBuf, String)> {
        let text = edits.iter().try_fold(read(&root.join(file))?, |text, (place, new)| {
            place.insert(&text, new).ok_or_else(|| format!("{file}: the place of `{}` is not found", new.trim()))
        })?;
        Ok((PathBuf::from(file), text))
    };
    Ok(vec![
        edit(
            "Cargo.toml",
            &[
                (Place::After(r#"(?m)^members = \[.*"adapter-[a-z0-9-]+""#), format!(r#", "adapter-{vendor}""#)),
                (
                    Place::After(r#"(?ms).*^harness-hooks-[a-z0-9-]+ = \{ path = "adapter-[^\n]*\n"#),
                    format!("{package} = {{ path = \"adapter-{vendor}\", version = \"0.1.0\" }}\n"),
                ),
            ],
        )?,
        edit("cli/Cargo.toml", &[(Place::Sorted("harness-hooks-"), dependency.clone())])?,
        edit("xtask/Cargo.toml", &[(Place::Sorted("harness-hooks-"), dependency)])?,
        edit("cli/src/vendors.rs", &[(Place::After(r"(?m)^vendors! \{\n(?:    .*\n)+"), names.vendors_line())])?,
        edit(
            "xtask/src/adapters.rs",
            &[(
                Place::After(r"(?m)^    vec!\[\n(?:        .*\n)+"),
                format!("        Box::new({path}::with_fidelity(fidelity)),\n"),
            )],
        )?,
    ])
}

/// Where something is inserted.
enum Place<'a> {
    /// Right behind the first match.
    After(&'a str),
    /// As a line of the dependencies that begin like this, in their order.
    Sorted(&'a str),
}

impl Place<'_> {
    fn insert(&self, text: &str, new: &str) -> Option<String> {
        let (at, new) = match self {
            Place::After(pattern) => (Regex::new(pattern).ok()?.find(text)?.end(), new.to_owned()),
            Place::Sorted(start) => {
                let from = text.find("[dependencies]\n")?;
                let section = &text[from..];
                let section = &section[..section.find("\n\n").map_or(section.len(), |end| end + 1)];
                let lines = section.split_inclusive('\n').scan(from, |at, line| {
                    *at += line.len();
                    Some((*at, line))
                });
                let before = lines.filter(|(_, line)| line.starts_with(start) && *line < new);
                (before.last()?.0, format!("{new}\n"))
            }
        };
        Some(format!("{}{new}{}", &text[..at], &text[at..]))
    }
}

fn read(path: &Path) -> Found<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", relative(path)))
}

fn write(path: &Path, text: &str) -> Found<()> {
    let fault = |error| format!("{}: {error}", relative(path));
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(fault)?;
    fs::write(path, text).map_err(fault)?;
    println!("wrote {}", relative(path));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    fn taken(prefixes: &[&str]) -> BTreeSet<String> {
        prefixes.iter().map(|&prefix| prefix.to_owned()).collect()
    }

    #[test]
    fn a_name_gives_all_others() {
        for (vendor, of_type, prefix, used) in [
            ("demo-vendor", "DemoVendor", "DEM", &[][..]),
            ("curtain", "Curtain", "CUT", &["CUR"]),
            ("a1-b2c", "A1B2c", "ABC", &[]),
        ] {
            let names = Names { vendor: vendor.into(), of_type: of_type.into(), prefix: prefix.into() };
            assert_eq!(Names::of(vendor, &taken(used)), Ok(names));
        }
        for bad in ["", "Demo", "demo_vendor", "demo--vendor", "-demo", "demo-", "1demo", "démo", "demo/x", "ab", "cur"]
        {
            assert!(Names::of(bad, &taken(&["CUR"])).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_name_that_is_there_is_refused() {
        let templates = templates(&repository().join("xtask/templates/adapter")).unwrap();
        let refused = |vendor: &str| {
            let names = Names::of(vendor, &taken(&[])).unwrap();
            names.collide(repository(), &templates).map_err(|error| error.to_string())
        };
        for (vendor, why) in [
            ("cursor", "harness-hooks-cursor"),
            ("runner", "harness-hooks-runner"),
            ("demo", "fixtures/demo"),
            ("source", "`Source`"),
            ("table", "`TABLE`"),
            ("self", "`Self`"),
        ] {
            let error = refused(vendor).expect_err(vendor);
            assert!(error.contains(why), "{vendor}: {error}");
        }
        assert_eq!(refused("no-such-vendor"), Ok(()));
    }

    #[test]
    fn every_list_of_adapters_has_a_place() {
        let names = Names::of("no-such-vendor", &taken(&[])).unwrap();
        for (path, text) in registered(repository(), &names).unwrap() {
            let lines = text.lines().count() - read(&repository().join(&path)).unwrap().lines().count();
            let expected = if path.ends_with("vendors.rs") { 2 } else { 1 };
            assert_eq!(lines, expected, "{}", path.display());
            assert!(text.contains("no-such-vendor") || text.contains("harness_hooks_no_such_vendor"), "{text}");
        }
    }

    #[test]
    fn nothing_is_left_to_fill_in() {
        let names = Names::of("demo-vendor", &taken(&[])).unwrap();
        let token = Regex::new("__[A-Za-z]+__").unwrap();
        for (path, text) in templates(&repository().join("xtask/templates/adapter")).unwrap() {
            let text = names.fill(&text);
            assert!(token.find(&text).is_none(), "{path}: {:?}", token.find(&text));
        }
    }

    /// In a copy of the repository, with a target folder of its own: programs of a copy must not take
    /// the place of this workspace's.
    #[test]
    #[ignore = "takes minutes: cargo test --package xtask -- --ignored"]
    fn a_new_adapter_builds_and_passes() {
        let copy = tempfile::tempdir().unwrap();
        copy_tree(repository(), copy.path());
        let target = env::current_exe().unwrap().ancestors().nth(3).unwrap().join("new-adapter");
        let cargo = |args: &[&str]| {
            let mut command = Command::new("cargo");
            let status = command.args(args).env("CARGO_TARGET_DIR", &target).current_dir(copy.path()).status().unwrap();
            assert!(status.success(), "cargo {}", args.join(" "));
        };
        for args in [
            &["xtask", "new-adapter", "demo-vendor", "--command"][..],
            &["xtask", "fixtures"],
            &["xtask", "docs"],
            &["test", "--package", "harness-hooks-demo-vendor"],
            &["clippy", "--package", "harness-hooks-demo-vendor", "--all-targets", "--", "-D", "warnings"],
            &["fmt", "--all", "--check"],
            &["xtask", "fixtures", "--check"],
            &["xtask", "rules", "--check"],
            &["xtask", "docs", "--check"],
            &["run", "--package", "harness-hooks", "--", "events", "--vendor", "demo-vendor"],
        ] {
            cargo(args);
        }
    }

    /// All that people wrote: not what is built, not what is hidden but Cargo's own.
    fn copy_tree(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            match path.is_dir() {
                _ if name == "target" || (name.starts_with('.') && name != ".cargo") => {}
                true => copy_tree(&path, &to.join(name)),
                false => drop(fs::copy(&path, to.join(name)).unwrap()),
            }
        }
    }
}
