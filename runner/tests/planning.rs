//! What it costs to find out that no hook is about an occurrence: not one allocation for a binding
//! that does not match, whoever's it is. A program of its own, because it has an allocator that
//! counts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use allocation_counter::measure;
use harness_hooks_claude::Claude;
use harness_hooks_codex::Codex;
use harness_hooks_core::{
    Adapter, Boundary, Envelope, Host, Json, Mcp, Places, Session, SessionState, Shell, Snapshot, ToolBefore, ToolCall,
    Write,
};
use harness_hooks_cursor::Cursor;
use serde_json::{Value, json};

/// Matchers that match no call of these tests: names, and expressions that need no look-around.
const ELSEWHERE: [&str; 2] = ["Nothing", "^No(thing)?$"];

/// A snapshot with this many bindings of each vendor, over several events and groups.
fn snapshot(bindings: usize) -> Arc<Snapshot> {
    let matcher = |n: usize| ELSEWHERE[n % ELSEWHERE.len()];
    let flat = |of: usize| -> Vec<Value> {
        (0..of).map(|n| json!({ "command": format!("hook {n}"), "matcher": matcher(n) })).collect()
    };
    let group =
        |n: usize| json!({ "matcher": matcher(n), "hooks": [{ "type": "command", "command": format!("hook {n}") }] });
    let groups: Vec<Value> = (0..bindings).map(group).collect();
    let grouped = json!({ "hooks": { "PreToolUse": groups } });
    let cursor = json!({ "version": 1, "hooks": {
        "preToolUse": flat(bindings / 2), "beforeShellExecution": flat(bindings - bindings / 2),
    } });
    let files: BTreeMap<PathBuf, Vec<u8>> = [
        ("/w/.cursor/hooks.json", cursor),
        ("/w/.claude/settings.json", grouped.clone()),
        ("/w/.codex/hooks.json", grouped),
    ]
    .map(|(path, document)| (path.into(), document.to_string().into_bytes()))
    .into();
    let host = Host::new("Acme", "1.4").fires(Boundary::ALL.iter().copied());
    let adapters: Vec<Arc<dyn Adapter>> =
        vec![Arc::new(Cursor::new()), Arc::new(Claude::new()), Arc::new(Codex::new())];
    let snapshot = Snapshot::load(adapters, host, &Places::new("/w").trusted(true), &files);
    assert_eq!(snapshot.bindings().len(), 3 * bindings);
    snapshot
}

fn before(call: ToolCall) -> Envelope {
    Envelope::new("e1", 0, Arc::new(Session::new("s1", "/w")), ToolBefore::new(call))
}

/// How many allocations it takes to plan every stage, the state at hand. Matchers are compiled when
/// they are first tested, so the first time does not count.
fn allocations(snapshot: &Arc<Snapshot>, envelope: &Envelope) -> u64 {
    let plan = || {
        let mut firing = snapshot.begin(envelope, SessionState::new());
        assert!(firing.next_stage().is_none(), "nothing matches");
    };
    plan();
    measure(plan).count_total
}

#[test]
fn a_binding_that_does_not_match_allocates_nothing() {
    let (none, hundred) = (snapshot(0), snapshot(100));
    let shell = before(ToolCall::new("c1", "terminal", Shell::new("rm -rf build")));
    assert_eq!(allocations(&hundred, &shell), allocations(&none, &shell));
}

/// A tool with several names, or with a name that is put together, costs that once for its event, not
/// once for each binding.
#[test]
fn a_tools_names_are_made_once_for_an_event() {
    let (few, many) = (snapshot(2), snapshot(100));
    let query = Mcp::new("db", "query", Json::of(&json!({ "sql": "select 1" })));
    let calls = [ToolCall::new("c1", "write_file", Write::new("/w/a.txt", "a")), ToolCall::new("c1", "query", query)];
    for envelope in calls.map(before) {
        assert_eq!(allocations(&many, &envelope), allocations(&few, &envelope), "{:?}", envelope.payload);
    }
}
