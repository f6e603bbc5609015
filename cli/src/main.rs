//! The `harness-hooks` command: what the library knows and does, for a person whose hook does not
//! run and for runtimes in other languages. Every command is a file in `commands/`; none of them
//! knows a rule of a vendor, and none writes a user's configuration.

mod args;
mod commands;
mod failure;
mod host;
mod human;
mod input;
mod json;
mod out;
mod running;
mod vendors;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use commands::{check, decode, encode, envelope, events, fire, list, plan};
use failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print(); // nowhere is left to say that it failed
            return ExitCode::from(if error.use_stderr() { Failure::USAGE } else { 0 });
        }
    };
    let code = run(cli.command).unwrap_or_else(|failure| {
        out::aside(&human::failure(&failure));
        failure.code
    });
    ExitCode::from(code)
}

/// The exit code, unless the command could not do its work.
fn run(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Check(args) => check::run(args),
        Command::List(args) => list::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Fire(args) => fire::run(&args),
        Command::Decode(args) => decode::run(&args),
        Command::Encode(args) => encode::run(&args),
        Command::Envelope(args) => envelope::run(&args),
        Command::Events(args) => events::run(&args),
    }
}
