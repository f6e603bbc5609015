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

use harness_hooks_core::{Envelope, Payload, Snapshot, Tool};

use crate::{
    host,
    human::{DOUBT, STRONG, line, painted, tally},
};

/// The first lines of a page about an envelope: what happens, and why hooks may be missing although
/// their files are there.
fn head(envelope: &Envelope, snapshot: &Snapshot) -> String {
    let boundary = painted(STRONG, envelope.boundary().name());
    let mut text = gist(envelope).map_or_else(|| format!("{boundary}\n"), |gist| format!("{boundary}: {gist}\n"));
    for path in host::untrusted(snapshot) {
        let word = painted(DOUBT, "not trusted");
        let path = line(&path.display().to_string());
        text.push_str(&format!("{word}: {path}; its hooks run with `--trust workspace`\n"));
    }
    text + &findings(snapshot)
}

/// That there is something to know about the hook files, where there is.
fn findings(snapshot: &Snapshot) -> String {
    let tally = tally(snapshot.diagnostics());
    if tally.is_empty() { tally } else { format!("{tally}: `harness-hooks check` shows what to mend\n") }
}

/// What it is about, in a few words.
fn gist(envelope: &Envelope) -> Option<String> {
    if let Some(call) = envelope.payload.call() {
        return Some(match &call.tool {
            Tool::Shell(shell) => line(&shell.command),
            Tool::Mcp(mcp) => format!("{} of {}", line(&mcp.tool), line(&mcp.server)),
            Tool::Other(_) => line(&call.host_name),
            tool => tool.kind().to_owned(),
        });
    }
    match &envelope.payload {
        Payload::PromptSubmit(submit) => Some(line(&submit.prompt)),
        Payload::FileRead(read) => Some(line(&read.path.display().to_string())),
        Payload::SubagentStart(start) => Some(line(&start.kind)),
        Payload::SubagentStop(stop) => Some(line(&stop.kind)),
        _ => None,
    }
}
