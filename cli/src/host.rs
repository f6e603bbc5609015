//! The host this command is, and the places it looks in: what the options of `args.rs` mean for
//! core. Reading the files they name is `input.rs`'s.

use std::{
    env, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_core::{
    Adapter, Boundary, Diagnostic, EventId, EventSpec, Host, Places, Platform, SessionDocument, Snapshot, Status,
};
use harness_hooks_runner::{Disk, machine};

use crate::{
    args::{Event, Fidelity, Looking, Trust},
    failure::{Failure, nearest},
    vendors::Vendor,
};

/// The name of the host in reasons it writes and in what hooks read.
pub(crate) const NAME: &str = env!("CARGO_PKG_NAME");

/// The adapter of one vendor, or of each.
pub(crate) fn adapters(vendor: Option<Vendor>, fidelity: Fidelity) -> Vec<Arc<dyn Adapter>> {
    let all = <Vendor as clap::ValueEnum>::value_variants();
    all.iter().filter(|one| vendor.is_none_or(|vendor| vendor == **one)).map(|one| one.adapter(fidelity)).collect()
}

/// The surfaces of every vendor.
pub(crate) fn surfaces() -> Vec<&'static str> {
    let adapters = adapters(None, Fidelity::default());
    let mut surfaces: Vec<_> = adapters.iter().flat_map(|adapter| adapter.surfaces()).copied().collect();
    surfaces.sort_unstable();
    surfaces.dedup();
    surfaces
}

/// A host that fires every boundary and carries out everything but a deferral: a command has no
/// later in which someone could decide.
pub(crate) fn host(strict: bool, headless: bool, surface: Option<&str>) -> Host {
    Host::new(NAME, env!("CARGO_PKG_VERSION"))
        .fires(Boundary::ALL.iter().copied())
        .strict(strict)
        .attended(!headless)
        .surface(surface.map(str::to_owned))
        .machine(machine())
}

/// An event and its adapter.
pub(crate) fn event(
    named: &Event,
    fidelity: Fidelity,
) -> Result<(Arc<dyn Adapter>, EventId, &'static EventSpec), Failure> {
    let adapter = named.vendor.adapter(fidelity);
    let events = adapter.events();
    let known = (0..).map(EventId).zip(events).find(|(_, spec)| spec.name == named.event);
    let Some((id, spec)) = known else {
        let names = || events.iter().map(|spec| spec.name);
        let vendor = adapter.vendor();
        let near = nearest(&named.event, names()).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let list = names().collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(format!("{vendor} has no event `{}`{near}", named.event))
            .help(format!("the events of {vendor} are {list}")));
    };
    Ok((adapter, id, spec))
}

/// Where to look. Without `--home` that is the real home and the machine's own directories too;
/// with it, nothing outside the given directories.
pub(crate) fn places(looking: &Looking) -> Result<Places, Failure> {
    let cwd = match &looking.cwd {
        Some(cwd) => directory("--cwd", cwd)?,
        None => current_directory()?,
    };
    let places = Places::new(cwd).trusted(looking.trust == Trust::Workspace).recorded_trust(looking.recorded_trust);
    let mut places = match &looking.home {
        Some(home) => places.home(directory("--home", home)?),
        None => places.home(env::home_dir()).machine(machine_root(), Platform::current()).env(machine().env),
    };
    for (vendor, path) in &looking.config {
        places = places.only(vendor.name(), absolute(path)?);
    }
    for (vendor, path) in &looking.settings {
        places = places.session(vendor.name(), SessionDocument::File(absolute(path)?));
    }
    Ok(places)
}

/// The directory this command was started in.
pub(crate) fn current_directory() -> Result<PathBuf, Failure> {
    env::current_dir().map_err(|error| Failure::unreadable(Path::new("."), &error))
}

/// The kinds of places hooks are looked for in, to tell whose file one is.
pub(crate) fn kinds_of_places(looking: &Looking) -> Places {
    let root = machine_root();
    let places = Places::new(root.clone()).home(root.clone()).machine(root, Platform::current());
    if looking.home.is_some() { places } else { places.env(machine().env) }
}

fn machine_root() -> PathBuf {
    if cfg!(windows) {
        let drive = env::var("SystemDrive").unwrap_or_else(|_| "C:".into());
        PathBuf::from(drive + "\\")
    } else {
        PathBuf::from("/")
    }
}

fn directory(option: &str, path: &Path) -> Result<PathBuf, Failure> {
    let wrong = |what: &str| Failure::input(format!("{option} {}: {what}", path.display()));
    let path = absolute(path)?;
    match path.metadata() {
        Ok(found) if found.is_dir() => Ok(path),
        Ok(_) => Err(wrong("this is not a directory").help("name the directory, not a file in it")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(wrong("there is no such directory")),
        Err(error) => Err(Failure::unreadable(&path, &error)),
    }
}

/// The path from the root; symbolic links stay as they are, so that messages show what was given.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::unreadable(path, &error))
}

/// Reads every document. A file that was named and is not there is a failure; one that is only
/// looked for is not.
pub(crate) fn load(adapters: Vec<Arc<dyn Adapter>>, host: Host, places: &Places) -> Result<Arc<Snapshot>, Failure> {
    let session = places.session.iter().filter_map(|(vendor, document)| match document {
        SessionDocument::File(path) => Some((vendor, path)),
        _ => None,
    });
    for path in places.only.iter().map(|(_, path)| path).chain(session.clone().map(|(_, path)| path)) {
        let found = path.metadata().map_err(|error| Failure::unreadable(path, &error))?;
        if found.is_dir() {
            return Err(Failure::input(format!("{} is a directory", path.display()))
                .help("name the file in it, or give the directory as --cwd to look for what it holds"));
        }
    }
    let snapshot = Snapshot::load(adapters, host, places, &Disk);
    for (vendor, path) in session {
        let mut sources = snapshot.sources().iter().map(|report| &report.source);
        if !sources.any(|source| source.vendor == *vendor && source.path == *path) {
            return Err(Failure::usage(format!("a session of {vendor} is started with no hook files"))
                .help(format!("name {} with --config to read it instead of everything else", path.display())));
        }
    }
    Ok(snapshot)
}

/// What is to be said of the files. That a workspace is not trusted is said beside its files, and is
/// nothing to mend in them.
pub(crate) fn findings(snapshot: &Snapshot) -> Vec<&Diagnostic> {
    snapshot.diagnostics().iter().filter(|finding| !finding.code.ends_with("/untrusted")).collect()
}

/// Documents whose hooks do not run because the workspace is not trusted.
pub(crate) fn untrusted(snapshot: &Snapshot) -> impl Iterator<Item = &Path> {
    let untrusted = snapshot.sources().iter().filter(|report| report.status == Status::Untrusted);
    untrusted.filter(|report| report.bindings > 0).map(|report| &*report.source.path)
}
