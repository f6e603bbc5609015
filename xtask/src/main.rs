//! `cargo xtask`: what keeps this workspace in order. Derived files are written or compared, rule
//! ids and their evidence are counted, a corpus of other people's files is surveyed, tests are run
//! until luck is ruled out, and `ci` runs the checks in the order CI does. Nothing here is shipped.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

mod adapters;
mod bench_floor;
mod ci;
mod corpus;
mod derived;
mod docs;
mod faults;
mod fixtures;
mod merging;
mod new_adapter;
mod rules;
mod soak;
mod trust;

use std::{error::Error, path::PathBuf, process::ExitCode};

use clap::Parser;

/// What keeps this workspace in order.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Checks hand-written fixtures and writes those derived from the code
    Fixtures {
        /// Writes nothing; fails where a derived file is not what it should be
        #[arg(long)]
        check: bool,
    },
    /// Lists every rule id with the vectors, fixtures and tests that name it
    Rules {
        /// Lists only what is wrong; fails if something is
        #[arg(long)]
        check: bool,
    },
    /// Writes the documents derived from the code
    Docs {
        /// Writes nothing; fails where a document is not what it should be
        #[arg(long)]
        check: bool,
    },
    /// Parses every file of a folder and decodes every answer of a file, and says what came of it
    Corpus {
        /// A folder of configuration files
        dir: PathBuf,
        /// A file with one answer of a hook per line, in JSON
        #[arg(long, value_name = "FILE")]
        shapes: Option<PathBuf>,
        /// Whose files they are
        #[arg(long, default_value = "cursor")]
        vendor: String,
    },
    /// Writes a crate for another vendor: the rooms, one event, fixtures, rules, and tests that pass
    NewAdapter {
        /// The vendor's name: `demo-vendor`
        name: String,
        /// Adds it to the command line too, whose tests then show one more vendor
        #[arg(long)]
        command: bool,
    },
    /// Runs the benches and prints how far each is from its floor
    BenchFloor,
    /// Runs the tests of a crate again and again, and says which failed
    Soak {
        /// The crate's folder
        #[arg(default_value = "runner")]
        name: String,
        /// How often
        #[arg(long, default_value_t = 20)]
        times: usize,
        /// How many threads keep the processors busy meanwhile
        #[arg(long, default_value_t = 0)]
        load: usize,
    },
    /// Runs everything CI checks beside the commands of the README
    Ci,
}

/// What a task ends in.
type Ended = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let ended = match Task::parse() {
        Task::Fixtures { check } => fixtures::run(check),
        Task::Rules { check } => rules::run(check),
        Task::Docs { check } => docs::run(check),
        Task::Corpus { dir, shapes, vendor } => corpus::run(&dir, shapes.as_deref(), &vendor),
        Task::NewAdapter { name, command } => new_adapter::run(&name, command),
        Task::BenchFloor => bench_floor::run(),
        Task::Soak { name, times, load } => soak::run(&name, times, load),
        Task::Ci => ci::run(),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
