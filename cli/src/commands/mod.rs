//! One file for each command: what it does, and its page for people. Options are in `args.rs`,
//! shapes of JSON in `json.rs`.

pub(crate) mod check;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod envelope;
pub(crate) mod events;
pub(crate) mod fire;
pub(crate) mod list;
pub(crate) mod plan;

use std::{path::Path, sync::Arc};

use harness_hooks_core::{Diagnostic, Envelope, Payload, SessionState, Snapshot, Tool};

use crate::{
    args::OccurrenceArgs,
    failure::Failure,
    host,
    human::{DOUBT, STRONG, brief, diagnostic, line, paragraph, tally},
    input,
};

/// What `plan` looks at and `fire` runs.
fn occurrence(args: &OccurrenceArgs) -> Result<(Arc<Snapshot>, Envelope, SessionState), Failure> {
    let places = host::places(&args.looking)?;
    let envelope = input::envelope(&args.envelope)?;
    let envelope = input::placed(envelope, &places.cwd);
    let state = input::state(args.situation.state.as_deref())?;
    let (strict, headless) = (args.common.policy.strict, args.situation.headless);
    let host = host::host(strict, headless, args.looking.surface.surface.as_deref());
    let snapshot = host::load(host::adapters(None, args.common.policy.fidelity), host, &places)?;
    Ok((snapshot, envelope, state))
}

/// The first lines of a page about an envelope: what happens, and why hooks may be missing although
/// their files are there.
fn head(envelope: &Envelope, snapshot: &Snapshot, columns: Option<usize>) -> String {
    let boundary = envelope.boundary().name();
    let gist = gist(envelope).map_or_else(String::new, |gist| format!(": {gist}"));
    let mut text: String = no_directory(envelope).iter().map(diagnostic).collect();
    text.push_str(&paragraph(&format!("{boundary}{gist}"), (boundary, STRONG), 0, columns));
    text.push_str(&untrusted(host::untrusted(snapshot), columns));
    text + &findings(snapshot)
}

/// Hooks start in the session's working directory, or in the project's.
fn no_directory(envelope: &Envelope) -> Option<Diagnostic> {
    let cwd = &envelope.session.cwd;
    if cwd.is_dir() {
        return None;
    }
    let message = format!("the working directory of the session, {}, is not there: hooks may not start", cwd.display());
    let help = "name a directory that is there as `session.cwd` of the envelope";
    Some(Diagnostic::warning("cli/no-directory", message).help(help))
}

/// Files whose hooks do not run because the workspace is not trusted.
fn untrusted<'s>(paths: impl Iterator<Item = &'s Path>, columns: Option<usize>) -> String {
    let word = "not trusted";
    let said = paths.map(|path| {
        let said = format!("{word}: {}; its hooks run with `--trust workspace`", line(&path.display().to_string()));
        paragraph(&said, (word, DOUBT), 0, columns)
    });
    said.collect()
}

/// That there is something to know about the hook files, where there is.
fn findings(snapshot: &Snapshot) -> String {
    let tally = tally(&host::findings(snapshot));
    if tally.is_empty() { tally } else { format!("{tally}: `harness-hooks check` shows what to mend\n") }
}

/// What it is about, in a few words.
fn gist(envelope: &Envelope) -> Option<String> {
    if let Some(call) = envelope.payload.call() {
        return Some(match &call.tool {
            Tool::Shell(shell) => brief(&shell.command),
            Tool::Mcp(mcp) => format!("{} of {}", brief(&mcp.tool), brief(&mcp.server)),
            Tool::Other(_) => brief(&call.host_name),
            tool => tool.kind().to_owned(),
        });
    }
    match &envelope.payload {
        Payload::PromptSubmit(submit) => Some(brief(&submit.prompt)),
        Payload::FileRead(read) => Some(line(&read.path.display().to_string())),
        Payload::SubagentStart(start) => Some(brief(&start.kind)),
        Payload::SubagentStop(stop) => Some(brief(&stop.kind)),
        _ => None,
    }
}
