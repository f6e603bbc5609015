//! `cargo xtask ci`: what CI checks beside the commands of the README, in the order in which a
//! fault is cheapest to find.

use std::{
    env,
    process::{Command, Stdio},
};

use harness_hooks_core::Fidelity;
use harness_hooks_fixtures::repository;

use crate::{Ended, adapters::adapters, docs, fixtures, rules};

pub(crate) fn run() -> Ended {
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--locked", "--", "-D", "warnings"], &[])?;
    let rustdoc = [("RUSTDOCFLAGS", "-D warnings")];
    cargo(&["doc", "--workspace", "--all-features", "--no-deps", "--locked"], &rustdoc)?;
    fixtures::run(true)?;
    rules::run(true)?;
    docs::run(true)?;
    vectors()
}

/// A sample of the vectors of every vendor the command line knows, by the script that is there for
/// other implementations. All of them, in one process, are a test of each adapter.
fn vectors() -> Ended {
    const SAMPLE: &str = "300";
    let python = |args: &[&str]| Command::new("python3").args(args).stdin(Stdio::null()).status();
    if !python(&["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).is_ok_and(|status| status.success()) {
        println!("no python3 from 3.9 on: fixtures/run_vectors.py is left out");
        return Ok(());
    }
    cargo(&["build", "--package", "harness-hooks", "--locked"], &[])?;
    let command = env::current_exe()?.with_file_name(format!("harness-hooks{}", env::consts::EXE_SUFFIX));
    let quoted = format!("'{}'", command.display());
    let script = repository().join("fixtures/run_vectors.py").display().to_string();
    for adapter in adapters(Fidelity::Guarded) {
        let vendor = adapter.vendor();
        let known = Command::new(&command).args(["events", "--vendor", vendor.as_str()]).output()?.status.success();
        for fidelity in Fidelity::ALL.into_iter().filter(|_| known) {
            let of = ["--vendor", vendor.as_str(), "--fidelity", fidelity.name(), "--sample", SAMPLE];
            let status = python(&[&[script.as_str(), "--command", &quoted], of.as_slice()].concat())?;
            if !status.success() {
                return Err(format!("fixtures/run_vectors.py ended with {status}").into());
            }
        }
    }
    Ok(())
}

pub(crate) fn cargo(args: &[&str], env: &[(&str, &str)]) -> Ended {
    println!("cargo {}", args.join(" "));
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    let status =
        command.args(args).envs(env.iter().copied()).current_dir(repository()).stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("`cargo {}` ended with {status}", args.join(" ")).into()) }
}
