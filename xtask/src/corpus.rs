//! `cargo xtask corpus`: other people's configuration files and other people's answers, and what
//! this workspace makes of them. The files stay where they are.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_core::{Adapter, Asked, Effects, EventId, Exit, Fidelity, Outcome, Parsed, Scope, Source};
use harness_hooks_fixtures::codes;
use serde::Deserialize;

use crate::{Ended, adapters::adapters};

pub(crate) fn run(dir: &Path, shapes: Option<&Path>, vendor: &str) -> Ended {
    let adapters = adapters(Fidelity::Guarded);
    let adapter = adapters.iter().find(|adapter| adapter.vendor().as_str() == vendor);
    let adapter = &**adapter.ok_or_else(|| format!("no adapter for {vendor}"))?;
    let mut survey = Survey::default();
    for path in files(dir)? {
        survey.document(&path, &parse(adapter, &path)?);
    }
    for shape in shapes.map(read).transpose()?.unwrap_or_default() {
        if shape.vendor == vendor {
            survey.answer(&shape, decode(adapter, &shape).as_ref());
        }
    }
    survey.finish()
}

/// The files of a folder, by name.
fn files(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let fault = |error| format!("{}: {error}", dir.display());
    let entries: Result<Vec<_>, _> = fs::read_dir(dir).map_err(fault)?.collect();
    let mut files: Vec<PathBuf> =
        entries.map_err(fault)?.iter().map(fs::DirEntry::path).filter(|p| p.is_file()).collect();
    files.sort();
    Ok(files)
}

fn parse(adapter: &dyn Adapter, path: &Path) -> Result<Parsed, String> {
    let document = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let label = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let source = Arc::new(Source::new(adapter.vendor(), Scope::Project, path, label, "/home/dev/project"));
    Ok(adapter.parse(&source, &document))
}

/// One answer of a hook.
#[derive(Deserialize)]
struct Shape {
    id: String,
    vendor: String,
    event: String,
    exit: i32,
    stdout: String,
    stderr: String,
    note: String,
}

fn read(path: &Path) -> Result<Vec<Shape>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let shape = |(n, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), n + 1))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(shape).collect()
}

/// `None` where the vendor has no such event.
fn decode(adapter: &dyn Adapter, shape: &Shape) -> Option<Effects> {
    let index = adapter.events().iter().position(|spec| spec.name == shape.event)?;
    let outcome = Outcome::new(Exit::Code(shape.exit)).stdout(shape.stdout.as_str()).stderr(shape.stderr.as_str());
    let event = EventId(u16::try_from(index).ok()?);
    Some(adapter.decode(Asked::new(event, "Acme", "./hook.sh"), &outcome))
}

/// What came of everything so far.
#[derive(Default)]
struct Survey {
    loaded: usize,
    refused: usize,
    bindings: usize,
    diagnostics: usize,
    answers: usize,
    /// Refused files whose author is not told where.
    silent: Vec<String>,
}

impl Survey {
    fn document(&mut self, path: &Path, parsed: &Parsed) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bindings = parsed.bindings.len();
        let status = match &parsed.refused {
            None => format!("loaded, {bindings} bindings"),
            Some(why) => format!("refused: {why}"),
        };
        println!("{name}: {status}");
        for diagnostic in &parsed.diagnostics {
            println!("  {}", diagnostic.to_string().replace('\n', "\n  "));
        }
        self.bindings += bindings;
        self.diagnostics += parsed.diagnostics.len();
        match parsed.refused {
            None => self.loaded += 1,
            Some(_) => self.refused += 1,
        }
        if parsed.refused.is_some() && parsed.diagnostics.iter().all(|diagnostic| diagnostic.place.is_none()) {
            self.silent.push(name.into_owned());
        }
    }

    fn answer(&mut self, shape: &Shape, effects: Option<&Effects>) {
        self.answers += 1;
        println!("{} {} exit {} {:?}", shape.id, shape.event, shape.exit, shape.stdout);
        match effects {
            Some(effects) => println!("  -> {}", told(effects)),
            None => println!("  -> no such event"),
        }
        println!("     ({})", shape.note);
    }

    fn finish(self) -> Ended {
        let Survey { loaded, refused, bindings, diagnostics, answers, silent } = self;
        println!(
            "{loaded} files loaded, {refused} refused, {bindings} bindings, {diagnostics} diagnostics, {answers} answers"
        );
        if silent.is_empty() {
            return Ok(());
        }
        Err(format!("refused without a diagnostic that has a place: {}", silent.join(", ")).into())
    }
}

/// Everything that was asked for, and the codes of what its author is told.
fn told(effects: &Effects) -> String {
    let keys = serde_json::to_value(effects).unwrap_or_default();
    let empty = |value: &serde_json::Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let asked = keys.as_object().into_iter().flatten().filter(|(key, value)| *key != "diagnostics" && !empty(value));
    let mut parts: Vec<String> = asked.map(|(key, value)| format!("{key} {value}")).collect();
    parts.extend(codes(&effects.diagnostics).into_iter().map(|code| format!("[{code}]")));
    if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
}
