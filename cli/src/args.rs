//! What may stand on the command line: one struct for each command, and the options several of
//! them share. What the options mean is `host.rs`'s.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, builder::PossibleValuesParser};
use harness_hooks_core::Boundary;

use crate::{host, vendors::Vendor};

/// Check, explain and run the hooks your users wrote for Cursor, Claude Code and Codex.
#[derive(Debug, Parser)]
#[command(name = "harness-hooks", version, max_term_width = 100)]
#[command(after_help = "\
Exit codes: check 0 clean, 1 errors; fire 0 proceed, 2 denied or halted, 3 ask or defer; \
64 wrong usage, 65 bad input file, 74 a result or the state could not be written. \
Where `fire` cannot write, 2 and 3 stay as they are, and 0 becomes 74.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Finds what is wrong with hook files, with line and column, and says what to write instead
    Check(CheckArgs),
    /// Shows every file looked for and every hook, and which will never run and why
    List(ListArgs),
    /// Says which hooks would run for an envelope and why the others would not, and starts none
    Plan(OccurrenceArgs),
    /// Runs the hooks for an envelope and shows what each did and what is decided
    Fire(FireArgs),
    /// Says what the answer of a hook means
    Decode(DecodeArgs),
    /// Writes what a hook of an event reads on its standard input
    Encode(EncodeArgs),
    /// Prints a complete sample of the envelope at a boundary, or the one a hook was told of
    Envelope(EnvelopeArgs),
    /// Prints the event table of each vendor
    Events(EventsArgs),
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Human,
    /// For programs: one JSON document on one line
    Json,
}

/// Options of every command but `events`.
#[derive(Debug, Args)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) policy: Policy,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// How close an adapter keeps to its vendor's program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fidelity {
    /// As the vendor's contract, so that a guard is never weaker than its author asked for
    #[default]
    Guarded,
    /// As the vendor's own program was measured to do
    Vendor,
}

impl From<Fidelity> for harness_hooks_core::Fidelity {
    fn from(fidelity: Fidelity) -> Self {
        match fidelity {
            Fidelity::Guarded => harness_hooks_core::Fidelity::Guarded,
            Fidelity::Vendor => harness_hooks_core::Fidelity::Vendor,
        }
    }
}

/// How doubtful cases are decided.
#[derive(Debug, Args)]
pub(crate) struct Policy {
    /// How close to keep to what the vendor's own program does
    #[arg(long, value_enum, default_value_t)]
    pub(crate) fidelity: Fidelity,
    /// A guard that fails, is missing, or does not decide, denies
    #[arg(long)]
    pub(crate) strict: bool,
}

/// Where hook files are looked for.
#[derive(Debug, Args)]
pub(crate) struct Looking {
    /// The session's working directory and the root of the project [default: the current directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// The user's home. Nothing outside the given directories is read then, not even `/etc`
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Files to read instead of everything else; each counts as a trusted project's
    #[arg(long, value_name = "VENDOR:PATH", num_args = 1.., value_parser = named_file)]
    pub(crate) config: Vec<(Vendor, PathBuf)>,
    /// Files the session was started with, beside those that are found
    #[arg(long, value_name = "VENDOR:PATH", num_args = 1.., value_parser = named_file, conflicts_with = "config")]
    pub(crate) settings: Vec<(Vendor, PathBuf)>,
    /// What is trusted: hooks of a workspace that is not are listed and never run
    #[arg(long, value_enum, default_value_t)]
    pub(crate) trust: Trust,
    /// Hooks of a vendor that records which of them the user reviewed run only where its record says so
    #[arg(long)]
    pub(crate) recorded_trust: bool,
    #[command(flatten)]
    pub(crate) surface: Surface,
}

/// Which of a vendor's surfaces the host stands for.
#[derive(Debug, Args)]
pub(crate) struct Surface {
    /// The vendor's surface to stand for [default: none, where every event happens]
    #[arg(long, value_name = "SURFACE", value_parser = PossibleValuesParser::new(host::surfaces()))]
    pub(crate) surface: Option<String>,
}

/// What is trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trust {
    /// The workspace, with the hooks that came with it
    Workspace,
    /// Nothing
    #[default]
    None,
}

/// The session something happens in.
#[derive(Debug, Args)]
pub(crate) struct Situation {
    /// Nobody is there to answer: an ask is a denial
    #[arg(long)]
    pub(crate) headless: bool,
    /// What earlier hooks of the session left behind, as JSON; a file that is not there is an empty
    /// state, and `fire` writes what changed back to it
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Hook files to check [default: those `list` finds]
    #[arg(value_name = "PATH", conflicts_with_all = ["config", "settings"])]
    pub(crate) paths: Vec<PathBuf>,
    /// Whose hook files PATH names [default: whose lie at such a path or have such a name]; without
    /// PATH, whose files to look for [default: every vendor's]
    #[arg(long, value_name = "VENDOR", value_enum)]
    pub(crate) vendor: Option<Vendor>,
    /// What is an error beside errors
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Option<Deny>,
    #[command(flatten)]
    pub(crate) looking: Looking,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What is an error beside errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    /// Warnings are
    Warnings,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) looking: Looking,
    #[command(flatten)]
    pub(crate) situation: Situation,
    #[command(flatten)]
    pub(crate) common: Common,
}

// What `plan` and `fire` share: one occurrence, and who looks at it where.
#[derive(Debug, Args)]
pub(crate) struct OccurrenceArgs {
    /// What happens: a file, or `-` for standard input; `harness-hooks envelope` prints samples
    #[arg(long, value_name = "FILE")]
    pub(crate) envelope: PathBuf,
    #[command(flatten)]
    pub(crate) looking: Looking,
    #[command(flatten)]
    pub(crate) situation: Situation,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct FireArgs {
    #[command(flatten)]
    pub(crate) occurrence: OccurrenceArgs,
    /// Says of each hook bound at the boundary why it does not run
    #[arg(long)]
    pub(crate) explain: bool,
}

/// A vendor's event.
#[derive(Debug, Args)]
pub(crate) struct Event {
    /// Whose hook it is
    #[arg(long, value_name = "VENDOR", value_enum)]
    pub(crate) vendor: Vendor,
    /// The event, as the vendor spells it; `harness-hooks events` lists them
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: String,
}

#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    pub(crate) event: Event,
    #[command(flatten)]
    pub(crate) exit: ExitArgs,
    /// What the hook printed on standard output: a file, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) stdout: Option<PathBuf>,
    /// What the hook printed on standard error: a file, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) stderr: Option<PathBuf>,
    /// What ran
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub(crate) handler: HandlerKind,
    /// Its definition says that the turn goes on after a refusal of the model that was asked
    #[arg(long)]
    pub(crate) continue_on_block: bool,
    /// Its definition says that a failure is a refusal
    #[arg(long)]
    pub(crate) fail_closed: bool,
    /// Its standard output was cut off
    #[arg(long)]
    pub(crate) truncated: bool,
    /// It left a child that kept its output open
    #[arg(long)]
    pub(crate) leaked: bool,
    /// Its command, or what else it is known by, for written reasons
    #[arg(long, value_name = "TEXT", default_value = "hook")]
    pub(crate) command: String,
    /// The name of the host, for written reasons
    #[arg(long, value_name = "NAME", default_value = host::NAME)]
    pub(crate) host: String,
    /// Its definition's loop limit
    #[arg(long, value_name = "N")]
    pub(crate) loop_limit: Option<u32>,
    /// What it was asked about, where that is known: a file, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) envelope: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What a hook is, where what came back means something else for one than for another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum HandlerKind {
    /// A process
    #[default]
    Command,
    /// A request; standard output is the body of the response
    Http,
    /// A call of an MCP server's tool; standard output is what the tool returned
    McpTool,
    /// A question to a model; standard output is its answer
    Prompt,
    /// Work for an agent; standard output is its answer
    Agent,
}

/// How a hook ended; by itself with code 0 unless one of these says otherwise.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct ExitArgs {
    /// It ended by itself with this code [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) exit: Option<i32>,
    /// It was killed by this signal
    #[arg(long, value_name = "N")]
    pub(crate) signal: Option<i32>,
    /// It ran longer than it might
    #[arg(long)]
    pub(crate) timed_out: bool,
    /// The host gave it up
    #[arg(long)]
    pub(crate) cancelled: bool,
    /// It never ran, for this reason
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "the reason is not known")]
    pub(crate) not_started: Option<String>,
    /// It was asked and gave no answer, because it did this: a clause after "it"
    #[arg(long, value_name = "TEXT")]
    pub(crate) failed: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    #[command(flatten)]
    pub(crate) event: Event,
    /// What happens: a file, or `-` for standard input; `harness-hooks envelope` prints samples
    #[arg(long, value_name = "FILE")]
    pub(crate) envelope: PathBuf,
    /// What earlier hooks of the session left behind, as JSON; a file that is not there is an empty
    /// state
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
#[command(override_usage = "\
harness-hooks envelope [OPTIONS] <BOUNDARY>
       harness-hooks envelope [OPTIONS] --from <FILE> --vendor <VENDOR>")]
pub(crate) struct EnvelopeArgs {
    /// The boundary of the sample
    #[arg(value_name = "BOUNDARY", value_parser = PossibleValuesParser::new(Boundary::ALL.iter().map(|b| b.name())))]
    #[arg(required_unless_present_any = ["from", "vendor", "state"], conflicts_with = "from")]
    pub(crate) boundary: Option<String>,
    /// What a hook read on its standard input, instead of a sample: a file, or `-` for standard input
    #[arg(long, value_name = "FILE", requires = "vendor")]
    pub(crate) from: Option<PathBuf>,
    /// Whose hook read it
    #[arg(long, value_name = "VENDOR", value_enum, requires = "from", conflicts_with = "boundary")]
    pub(crate) vendor: Option<Vendor>,
    /// Where to put what it shows of the session's state, which no envelope holds: the file `--state`
    /// of other commands reads; what else stands in it stays
    #[arg(long, value_name = "FILE", requires = "from", conflicts_with = "boundary")]
    pub(crate) state: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Whose events [default: every vendor's]
    #[arg(long, value_name = "VENDOR", value_enum)]
    pub(crate) vendor: Option<Vendor>,
    #[command(flatten)]
    pub(crate) policy: Policy,
    /// How they are printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: TableFormat,
}

/// How a table is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// For people
    #[default]
    Human,
    /// For programs: one JSON document on one line
    Json,
    /// For documents
    Markdown,
}

/// `VENDOR:PATH`. Only the first colon separates, so that a Windows path may follow.
fn named_file(text: &str) -> Result<(Vendor, PathBuf), String> {
    let example = "write the vendor in front, as in `cursor:.cursor/hooks.json`";
    let (vendor, path) = text.split_once(':').ok_or(example)?;
    let vendor = Vendor::from_str(vendor, false).map_err(|_| {
        let known: Vec<_> = Vendor::value_variants().iter().filter_map(Vendor::to_possible_value).collect();
        let known: Vec<_> = known.iter().map(clap::builder::PossibleValue::get_name).collect();
        format!("there is no vendor `{vendor}`; there is {}", known.join(", "))
    })?;
    if path.is_empty() { Err(example.into()) } else { Ok((vendor, path.into())) }
}
