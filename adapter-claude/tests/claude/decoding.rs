//! What came back from hooks, beside what the vectors say: what is no process, the file of variables,
//! what the program was measured to do, and what holds of any output.

mod env_file;
mod handlers;
mod measured;
mod properties;

use harness_hooks_claude::Claude;
use harness_hooks_core::{Adapter, Asked, Effects, EventId, Exit, Fidelity, Handler, Outcome};
use harness_hooks_fixtures::codes;

const BOTH: [Fidelity; 2] = [Fidelity::Guarded, Fidelity::Vendor];

fn event(name: &str) -> EventId {
    Claude::new().event(name).unwrap_or_else(|| panic!("{name} is no event"))
}

/// A hook of an event, in a host that is called Acme.
fn asked(name: &str) -> Asked<'static> {
    Asked::new(event(name), "Acme", "./guard.sh")
}

/// It ended by itself, and printed this.
fn printed(stdout: impl AsRef<[u8]>) -> Outcome {
    Outcome::new(Exit::Code(0)).stdout(stdout.as_ref())
}

fn decode(asked: Asked<'_>, outcome: &Outcome) -> Effects {
    Claude::new().decode(asked, outcome)
}

/// The same in both fidelities.
fn both(asked: Asked<'_>, outcome: &Outcome) -> Effects {
    let [guarded, vendor] = BOTH.map(|fidelity| Claude::with_fidelity(fidelity).decode(asked, outcome));
    assert_eq!(guarded, vendor, "the fidelities differ: {outcome:?}");
    guarded
}

/// Effects that are nothing but what the hook's author is told.
fn nothing_but(effects: &Effects, diagnostics: &[&str]) -> bool {
    let mut rest = effects.clone();
    rest.diagnostics.clear();
    rest.undecided = false;
    rest == Effects::default() && codes(&effects.diagnostics) == diagnostics
}

fn http() -> Handler {
    Handler::Http { url: "https://hooks.example/guard".into(), headers: Default::default(), variables: Vec::new() }
}

/// CLA-OUT-30, CLA-OUT-68: 8 MiB of a reason are a reason, and of the hook's own input are nothing.
#[test]
fn large_output_is_read_whole() {
    let long = "x".repeat(8 << 20);
    let effects = both(asked("PreToolUse"), &printed(format!(r#"{{"decision":"block","reason":"{long}"}}"#)));
    assert_eq!(effects.reasons, [long.as_str()]);

    let echo = format!(r#"{{"session_id":"s","hook_event_name":"PreToolUse","tool_input":{{"content":"{long}"}}}}"#);
    assert!(nothing_but(&both(asked("PreToolUse"), &printed(&echo)), &["note claude/ignored-field"]));
    let cut = &echo[..300 << 10];
    assert!(nothing_but(&both(asked("PreToolUse"), &printed(cut)), &["note claude/plain-text"]));
    let cut_at_a_brace = format!("{cut}\"}}");
    assert!(nothing_but(&both(asked("PreToolUse"), &printed(cut_at_a_brace)), &["warning claude/rejected-output"]));
}

/// CLA-OUT-66: a command of which cleaning leaves nothing still gives a reason that names the host.
#[test]
fn a_hook_without_a_name_is_refused_by_the_host() {
    let asked = Asked::new(event("PreToolUse"), "Acme", "\u{1b}\u{7}");
    let effects = both(asked, &Outcome::new(Exit::Code(2)));
    assert!(effects.reasons[0].contains("Acme") && !effects.reasons[0].contains('\u{1b}'), "{:?}", effects.reasons);
}

/// CLA-OUT-43: a key of a hook's is shown as it is in a message, and cannot steer a terminal.
#[test]
fn ignored_keys_are_named() {
    let keys: String = (0..20).map(|n| format!(r#""\u001b[3{n}m":1,"#)).collect();
    let effects = both(asked("Stop"), &printed(format!(r#"{{{keys}"last":1}}"#)));
    let message = &effects.diagnostics[0].message;
    assert_eq!(effects.diagnostics.len(), 1);
    assert!(
        message.contains("`\\u{1b}[30m`") && message.contains("others") && !message.contains('\u{1b}'),
        "{message}"
    );
    assert!(message.len() < 400, "{message}");
}
