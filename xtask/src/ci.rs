//! `cargo xtask ci`: what CI checks beside the commands of the README, in the order in which a
//! fault is cheapest to find.

use std::{
    env,
    process::{Command, Stdio},
};

use harness_hooks_fixtures::repository;

use crate::{Ended, docs, fixtures, rules};

pub(crate) fn run() -> Ended {
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--locked", "--", "-D", "warnings"], &[])?;
    let rustdoc = [("RUSTDOCFLAGS", "-D warnings")];
    cargo(&["doc", "--workspace", "--all-features", "--no-deps", "--locked"], &rustdoc)?;
    fixtures::run(true)?;
    rules::run(true)?;
    docs::run(true)
}

fn cargo(args: &[&str], env: &[(&str, &str)]) -> Ended {
    println!("cargo {}", args.join(" "));
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    let status =
        command.args(args).envs(env.iter().copied()).current_dir(repository()).stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("`cargo {}` ended with {status}", args.join(" ")).into()) }
}
