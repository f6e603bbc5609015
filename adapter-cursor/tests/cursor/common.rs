//! What the tests of this crate share: hosts, sources, envelopes and loading a snapshot from
//! texts.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use harness_hooks_core::{
    Adapter, Boundary, Effects, Envelope, EventId, Facet, Fidelity, Host, Outcome, Parsed, Places, Scope, SessionState,
    Snapshot, Source, Support,
};
use harness_hooks_cursor::{CURSOR, Cursor};

pub(crate) const PROJECT: &str = "/home/dev/project";
pub(crate) const DOCUMENT: &str = "/home/dev/project/.cursor/hooks.json";

/// The event of this name.
pub(crate) fn event(name: &str) -> EventId {
    Cursor::new().event(name).unwrap_or_else(|| panic!("{name} is no event"))
}

/// The project's document.
pub(crate) fn source() -> Arc<Source> {
    Arc::new(Source::new(CURSOR, Scope::Project, DOCUMENT, "project/.cursor/hooks.json", PROJECT))
}

/// What a document of the project defines.
pub(crate) fn parse(document: impl AsRef<[u8]>) -> Parsed {
    Cursor::new().parse(&source(), document.as_ref())
}

/// The host of the event fixtures, which fires everywhere.
pub(crate) fn acme() -> Host {
    Host::new("Acme", "1.2.3").fires(Boundary::ALL.iter().copied())
}

/// The host the contract is about: twelve events fire, six are planned, three it does not have.
pub(crate) fn twelve_event_host() -> Host {
    use Boundary::{
        AgentResponse, AgentThought, CompactBefore, FileRead, PromptSubmit, SessionEnd, SessionStart, SubagentStart,
        SubagentStop, ToolBefore, ToolDenied, ToolFailure, ToolResult, TurnStop,
    };
    Host::new("Acme", "1.2.3")
        .fires([SessionStart, PromptSubmit, ToolBefore, ToolDenied, ToolResult, ToolFailure])
        .fires([TurnStop, AgentResponse, AgentThought])
        .plans([SessionEnd, SubagentStart, SubagentStop, FileRead, CompactBefore])
        .facet(ToolResult, Facet::FileEdit, Support::Planned)
}

/// A snapshot of the project's document alone.
pub(crate) fn snapshot(host: Host, document: impl AsRef<[u8]>) -> Arc<Snapshot> {
    snapshot_in(Fidelity::Guarded, host, document)
}

/// The same at a fidelity.
pub(crate) fn snapshot_in(fidelity: Fidelity, host: Host, document: impl AsRef<[u8]>) -> Arc<Snapshot> {
    let files = BTreeMap::from([(PathBuf::from(DOCUMENT), document.as_ref().to_vec())]);
    let adapter = Arc::new(Cursor::with_fidelity(fidelity));
    Snapshot::load(vec![adapter], host, &Places::new(PROJECT).trusted(true), &files)
}

/// A snapshot of several documents.
pub(crate) fn load<'d>(
    host: Host,
    places: &Places,
    documents: impl IntoIterator<Item = (&'d str, &'d [u8])>,
) -> Arc<Snapshot> {
    let files: BTreeMap<PathBuf, Vec<u8>> =
        documents.into_iter().map(|(path, document)| (path.into(), document.to_vec())).collect();
    Snapshot::load(vec![Arc::new(Cursor::new())], host, places, &files)
}

/// An envelope with this payload, in a turn of a session in the project.
pub(crate) fn envelope(payload: &str) -> Envelope {
    let json = format!(
        r#"{{"id":"e1","at_ms":1764500000000,"session":{{"id":"s1","cwd":"{PROJECT}"}},"turn":{{"id":"t1"}},"payload":{payload}}}"#
    );
    Envelope::read(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {payload}"))
}

/// A tool call about to run.
pub(crate) fn before(tool: &str) -> Envelope {
    envelope(&format!(r#"{{"tool.before":{{"call":{{"id":"c1","host_name":"host_tool","tool":{tool}}}}}}}"#))
}

/// A tool call that returned.
pub(crate) fn result(tool: &str, output: &str) -> Envelope {
    let call = format!(r#"{{"id":"c1","host_name":"host_tool","tool":{tool}}}"#);
    envelope(&format!(r#"{{"tool.result":{{"call":{call},"output":{output}}}}}"#))
}

/// The commands a firing starts, stage by stage, when every hook ends like this.
pub(crate) fn commands(snapshot: &Arc<Snapshot>, envelope: &Envelope, outcome: &Outcome) -> Vec<Vec<String>> {
    let mut firing = snapshot.begin(envelope, SessionState::new());
    let mut stages = Vec::new();
    while let Some(stage) = firing.next_stage() {
        stages.push(stage.invocations.iter().map(|i| i.binding.handler.text().to_string()).collect());
        for invocation in &stage.invocations {
            let _: Effects = firing.report(invocation, outcome);
        }
    }
    stages
}
