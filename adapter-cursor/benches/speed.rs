//! How fast the hot paths are, each beside its floor in the same run. `cargo xtask bench-floor`
//! prints the ratios; `docs/speed.md` says what they should be.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use divan::{Bencher, black_box};
use harness_hooks_core::{
    Adapter, Asked, Boundary, By, Circumstances, Effects, Envelope, Exit, Host, Merged, Occasion, Outcome, Places,
    Session, SessionState, Shell, Snapshot, ToolBefore, ToolCall, Turn, resolve,
};
use harness_hooks_cursor::Cursor;
use serde::{Deserialize, Serialize};

fn main() {
    divan::main();
}

fn host() -> Host {
    Host::new("Acme", "1.2.3").fires(Boundary::ALL.iter().copied())
}

fn session() -> Arc<Session> {
    Arc::new(
        Session::new("c-7f3a", PathBuf::from("/home/dev/project"))
            .roots([PathBuf::from("/home/dev/project")])
            .model(harness_hooks_core::Text::from("gpt-5")),
    )
}

fn shell() -> ToolCall {
    ToolCall::new("call_1", "terminal", Shell::new("cargo test --workspace --all-features"))
}

fn envelope() -> Envelope {
    Envelope::new("e1", 0, session(), ToolBefore::new(shell())).turn(Turn::new("g-01"))
}

fn event(name: &str) -> harness_hooks_core::EventId {
    Cursor::new().event(name).expect("one of the 21")
}

// ---- encode ----

#[derive(Serialize)]
struct Stdin<'a> {
    conversation_id: &'a str,
    generation_id: &'a str,
    model: &'a str,
    model_id: &'a str,
    model_params: [(); 0],
    command: &'a str,
    cwd: &'a str,
    tool_use_id: &'a str,
    session_id: &'a str,
    hook_event_name: &'a str,
    cursor_version: &'a str,
    acme_version: &'a str,
    workspace_roots: [&'a str; 1],
    user_email: Option<&'a str>,
    transcript_path: Option<&'a str>,
}

fn stdin() -> Stdin<'static> {
    Stdin {
        conversation_id: "c-7f3a",
        generation_id: "g-01",
        model: "gpt-5",
        model_id: "gpt-5",
        model_params: [],
        command: "cargo test --workspace --all-features",
        cwd: "/home/dev/project",
        tool_use_id: "call_1",
        session_id: "c-7f3a",
        hook_event_name: "beforeShellExecution",
        cursor_version: "1.2.3",
        acme_version: "1.2.3",
        workspace_roots: ["/home/dev/project"],
        user_email: None,
        transcript_path: None,
    }
}

#[divan::bench(sample_size = 500)]
fn encode(bencher: Bencher<'_, '_>) {
    let (host, state, envelope, event) = (host(), SessionState::new(), envelope(), event("beforeShellExecution"));
    let occasion = Occasion::new(&envelope, &host, &state);
    let mut out = Vec::with_capacity(4096);
    Cursor::new().encode(event, occasion, &mut out);
    assert_eq!(out, serde_json::to_vec(&stdin()).expect("plain fields"), "both write the same bytes");
    bencher.bench_local(|| {
        out.clear();
        black_box(Cursor::new().encode(event, black_box(occasion), &mut out));
        out.len()
    });
}

#[divan::bench(sample_size = 500)]
fn encode_floor(bencher: Bencher<'_, '_>) {
    let mut out = Vec::with_capacity(4096);
    bencher.bench_local(|| {
        out.clear();
        serde_json::to_writer(&mut out, &black_box(stdin())).expect("writes to memory");
        out.len()
    });
}

// ---- decode ----

const ANSWER: &str = r#"{"permission":"deny","user_message":"This would delete the build folder.","agent_message":"Do not remove build/, run the clean target instead."}"#;

#[derive(Deserialize)]
struct Answer {
    permission: Option<String>,
    user_message: Option<String>,
    agent_message: Option<String>,
}

#[divan::bench(sample_size = 500)]
fn decode(bencher: Bencher<'_, '_>) {
    let (event, outcome) = (event("beforeShellExecution"), Outcome::new(Exit::Code(0)).stdout(ANSWER));
    bencher.bench_local(|| Cursor::new().decode(black_box(Asked::new(event, "Acme", "./guard.sh")), &outcome));
}

/// Every key is kept until it is known whether the event reads it.
#[divan::bench(sample_size = 500)]
fn decode_floor(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| serde_json::from_slice::<serde_json::Value>(black_box(ANSWER.as_bytes())));
}

/// For comparison: only the three keys, every other dropped in silence.
#[divan::bench(sample_size = 500)]
fn three_keys_of_the_same_answer(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let answer: Answer = serde_json::from_slice(black_box(ANSWER.as_bytes())).expect("it is JSON");
        (answer.permission, answer.user_message, answer.agent_message)
    });
}

// ---- one stage ----

/// A hundred definitions on the boundary, five of which match, and some on another.
fn snapshot(elsewhere: usize) -> Arc<Snapshot> {
    let here = (0..100).map(|n| {
        let matcher = if n % 20 == 0 { "cargo test".into() } else { format!("never-{n}-.*x") };
        serde_json::json!({"command": format!("./guard-{n}.sh"), "matcher": matcher})
    });
    let elsewhere = (0..elsewhere).map(|n| serde_json::json!({"command": format!("./log-{n}.sh")}));
    let document = serde_json::json!({"version": 1, "hooks": {
        "beforeShellExecution": here.collect::<Vec<_>>(), "stop": elsewhere.collect::<Vec<_>>(),
    }});
    let files = BTreeMap::from([(PathBuf::from("/w/.cursor/hooks.json"), document.to_string().into_bytes())]);
    let places = Places::new("/w").trusted(true);
    Snapshot::load(vec![Arc::new(Cursor::new())], host(), &places, &files)
}

fn plan(bencher: Bencher<'_, '_>, snapshot: &Arc<Snapshot>) {
    let envelope = envelope();
    let stage = snapshot.begin(&envelope, SessionState::new()).next_stage().expect("hooks match");
    assert_eq!(stage.invocations.len(), 5);
    bencher.bench_local(|| snapshot.begin(black_box(&envelope), SessionState::new()).next_stage());
}

#[divan::bench]
fn stage(bencher: Bencher<'_, '_>) {
    plan(bencher, &snapshot(9_900));
}

#[divan::bench]
fn stage_floor(bencher: Bencher<'_, '_>) {
    plan(bencher, &snapshot(0));
}

// ---- merge and resolve ----

fn effects() -> Vec<By<Effects>> {
    let said = |n: usize| {
        let mut effects = Effects::deny("Do not remove build/, run the clean target instead.");
        effects.notices.push("This would delete the build folder.".into());
        By::new(format!("cursor:project/.cursor/hooks.json#preToolUse[{n}]").as_str().into(), effects)
    };
    (0..5).map(said).collect()
}

#[divan::bench(sample_size = 500)]
fn merge_and_resolve(bencher: Bencher<'_, '_>) {
    let (effects, host) = (effects(), host());
    bencher.bench_local(|| {
        let merged = Merged::all(black_box(&effects).clone());
        resolve(merged, Circumstances::new(&host, Boundary::ToolBefore))
    });
}

/// Copying the same five effects.
#[divan::bench(sample_size = 500)]
fn merge_and_resolve_floor(bencher: Bencher<'_, '_>) {
    let effects = effects();
    bencher.bench_local(|| black_box(&effects).clone());
}
