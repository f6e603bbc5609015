//! The embedding the README shows: a host asks before it runs a tool call.

#![expect(clippy::print_stdout, reason = "an example has nothing else to do")]

use std::sync::Arc;

use harness_hooks_claude::Claude;
use harness_hooks_codex::Codex;
use harness_hooks_core::{
    Action, Adapter, Boundary, Envelope, Host, Places, Platform, Session, Shell, Snapshot, ToolBefore, ToolCall,
};
use harness_hooks_cursor::Cursor;
use harness_hooks_runner::{Disk, Dispatcher, machine};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    // at the start, and again when a hook file changes
    let project = std::env::current_dir()?;
    let machine = machine();
    // the user's own hooks, those of the machine's administrator, and the project's once the user trusts it
    let trusted = std::env::args().any(|argument| argument == "--trust");
    let places = Places::new(&project).home(std::env::home_dir()).trusted(trusted).machine("/", Platform::current());
    let places = places.env(machine.env.clone()); // vendors have variables that say where their folders are
    let host = Host::new("Acme", "1.4").fires([Boundary::ToolBefore]).attended(true).machine(machine);
    let vendors: Vec<Arc<dyn Adapter>> = vec![Arc::new(Cursor::new()), Arc::new(Claude::new()), Arc::new(Codex::new())];
    let snapshot = Snapshot::load(vendors, host, &places, &Disk);
    snapshot.diagnostics().iter().for_each(|finding| println!("{finding}"));
    let hooks = Dispatcher::new(snapshot);

    // for each tool call of the model
    let session = Arc::new(Session::new("session_1", project));
    let call = ToolCall::new("call_1", "terminal", Shell::new("rm -rf build"));
    let envelope = Envelope::new("envelope_1", 1_764_500_000_000, session, ToolBefore::new(call.clone()));
    let decision = hooks.fire(&envelope).await.decision;
    // guards that should have been asked and could not be; `Host::strict` makes them a denial
    for missing in &decision.refused_sources {
        println!("not guarded by {}: {}", missing.place(), missing.why);
    }
    // what else the user should know: that hooks of this project are off until it is trusted, for one
    decision.diagnostics.iter().for_each(|finding| println!("{finding}"));
    match decision.action {
        Action::Proceed => println!("run {:?}", decision.call.unwrap_or(call)),
        Action::Ask => println!("ask the user: {:?}", decision.notices),
        _ => decision.reasons.iter().for_each(|reason| println!("refused: {} ({})", reason.value, reason.by)),
    }
    Ok(())
}
