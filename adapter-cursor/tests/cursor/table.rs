//! The facts of the event table, one line per event, and how a host's surface and boundaries decide
//! what becomes of a binding.

use std::time::Duration;

use harness_hooks_core::{
    Adapter, Boundary, Capabilities, Control, Fidelity, Host, Moment, Outcome, Places, SessionState, Standing,
};
use harness_hooks_cursor::Cursor;

use crate::common;

/// CUR-EVT-01, CUR-EVT-03, CUR-EVT-06, CUR-EVT-07: name, where it happens, what its hooks can do at
/// most, and everything they can do.
const TABLE: [(&str, &str, Control, &str); 21] = [
    ("sessionStart", "session.start", Control::Observe, "context, session_env"),
    ("sessionEnd", "session.end", Control::Observe, ""),
    ("preToolUse", "tool.before", Control::Verdict, "verdict, rewrite_input, notice"),
    ("postToolUse", "tool.result", Control::Observe, "rewrite_result, context"),
    ("postToolUseFailure", "tool.failure tool.denied", Control::Observe, "context"),
    ("subagentStart", "subagent.start", Control::Verdict, "verdict, notice"),
    ("subagentStop", "subagent.stop", Control::Continuation, "continuation"),
    ("beforeShellExecution", "tool.before/shell@100", Control::Verdict, "verdict, notice"),
    ("afterShellExecution", "tool.result/shell", Control::Observe, ""),
    ("beforeMCPExecution", "tool.before/mcp@100", Control::Verdict, "verdict, notice"),
    ("afterMCPExecution", "tool.result/mcp", Control::Observe, ""),
    ("beforeReadFile", "file.read", Control::Verdict, "verdict, notice"),
    ("afterFileEdit", "tool.result/file_edit", Control::Observe, ""),
    ("beforeSubmitPrompt", "prompt.submit", Control::PromptHalt, "notice, halt"),
    ("preCompact", "compact.before", Control::Observe, "notice"),
    ("stop", "turn.stop", Control::Continuation, "continuation"),
    ("afterAgentResponse", "agent.response", Control::Observe, ""),
    ("afterAgentThought", "agent.thought", Control::Observe, ""),
    ("beforeTabFileRead", "tab.read", Control::Verdict, "verdict, notice"),
    ("afterTabFileEdit", "tab.edit", Control::Observe, ""),
    ("workspaceOpen", "workspace.open", Control::Observe, "plugin_paths"),
];

#[test]
fn the_table_is_as_agreed() {
    let events = Cursor::new().events();
    assert_eq!(events.len(), TABLE.len());
    for (spec, (name, moments, control, capabilities)) in events.iter().zip(TABLE) {
        let got = spec.moments.iter().map(Moment::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!((spec.name, got.as_str(), spec.control), (name, moments, control));
        assert_eq!(spec.capabilities.to_string(), capabilities, "{name}");
    }
}

/// CUR-EVT-01: every name leads back to its row, and none stands there twice.
#[test]
fn every_name_is_its_own() {
    for (n, (name, ..)) in TABLE.iter().enumerate() {
        assert_eq!(common::event(name).index(), n);
    }
    for unknown in ["", "PreToolUse", "pretooluse", "preToolUse ", "postCompact", "notification", "permissionRequest"] {
        assert_eq!(Cursor::new().event(unknown), None, "{unknown:?}");
    }
}

/// CUR-EVT-07: no guard declares context, since a message beside an allow has no documented meaning.
#[test]
fn guards_declare_no_context() {
    let guards = Cursor::new().events().iter().filter(|spec| spec.control == Control::Verdict);
    assert_eq!(guards.clone().count(), 6);
    assert!(guards.clone().all(|spec| !spec.capabilities.has(Capabilities::CONTEXT)));
}

/// A document with one hook per event, its command the event's name.
fn one_of_each() -> String {
    let hooks: Vec<_> = TABLE.iter().map(|(name, ..)| format!(r#""{name}":[{{"command":"{name}"}}]"#)).collect();
    format!(r#"{{"version":1,"hooks":{{{}}}}}"#, hooks.join(","))
}

/// CUR-EVT-12, CUR-EVT-13: what each surface leaves out.
#[test]
fn surfaces_leave_events_out() {
    let tab = ["beforeTabFileRead", "afterTabFileEdit"];
    let print = ["beforeSubmitPrompt", "stop", "afterAgentResponse", "afterAgentThought"];
    let cloud = ["sessionStart", "sessionEnd", "beforeMCPExecution", "afterMCPExecution", "workspaceOpen"];
    let print = [tab.as_slice(), &print].concat();
    let cloud = [tab.as_slice(), &cloud].concat();
    for (surface, without) in
        [(None, &[][..]), (Some("editor"), &[]), (Some("cli"), &tab), (Some("print"), &print), (Some("cloud"), &cloud)]
    {
        let host = common::acme().surface(surface.map(str::to_owned));
        let snapshot = common::snapshot(host, one_of_each());
        assert_eq!(snapshot.bindings().len(), 21, "every definition is declared on {surface:?}");
        for binding in snapshot.bindings() {
            let skipped = match &binding.standing {
                Standing::Skipped(why) => why.contains(binding.event_name) && why.contains(surface.unwrap()),
                _ => false,
            };
            assert_eq!(skipped, without.contains(&binding.event_name), "{} on {surface:?}", binding.event_name);
        }
    }
    assert_eq!(Cursor::new().surfaces(), ["editor", "cli", "print", "cloud"]);
}

/// CUR-EVT-13: hooks of user scope never run in the cloud, whatever the event.
#[test]
fn user_hooks_do_not_run_in_the_cloud() {
    let document = r#"{"version":1,"hooks":{"preToolUse":[{"command":"a"}]}}"#;
    let places = Places::new(common::PROJECT).home(Some("/home/dev".into())).trusted(true);
    let documents = [(common::DOCUMENT, document.as_bytes()), ("/home/dev/.cursor/hooks.json", document.as_bytes())];
    for (surface, running) in [("cloud", 1), ("cli", 2)] {
        let snapshot = common::load(common::acme().surface(surface.to_owned()), &places, documents);
        let started = common::commands(&snapshot, &common::before(r#"{"shell":{"command":"ls"}}"#), &allowed());
        assert_eq!(started.concat().len(), running, "{surface}");
    }
}

fn allowed() -> Outcome {
    Outcome::new(harness_hooks_core::Exit::Code(0)).stdout(r#"{"permission":"allow"}"#)
}

/// CUR-EVT-11, CUR-RUN-08: the definition's timeout, else the host's for the boundary.
#[test]
fn timeouts_are_the_definitions_or_the_hosts() {
    for (event, payload, seconds) in [
        ("preToolUse", r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#, 30),
        ("subagentStart", r#"{"subagent.start":{"id":"a","kind":"explore","task":"t"}}"#, 30),
        ("beforeReadFile", r#"{"file.read":{"path":"a"}}"#, 30),
        ("beforeTabFileRead", r#"{"tab.read":{"file_path":"a"}}"#, 30),
        ("beforeSubmitPrompt", r#"{"prompt.submit":{"prompt":"p"}}"#, 30),
        ("sessionStart", r#"{"session.start":{}}"#, 60),
        ("stop", r#"{"turn.stop":{}}"#, 60),
        ("afterAgentResponse", r#"{"agent.response":{"text":"t"}}"#, 60),
        ("sessionEnd", r#"{"session.end":{"reason":"exit"}}"#, 5),
    ] {
        let timeout = |host: Host, definition: &str| {
            let document = format!(r#"{{"version":1,"hooks":{{"{event}":[{{"command":"a"{definition}}}]}}}}"#);
            let envelope = common::envelope(payload);
            let snapshot = common::snapshot(host, document);
            let mut firing = snapshot.begin(&envelope, SessionState::new());
            firing.next_stage().unwrap_or_else(|| panic!("{event} does not run")).invocations[0].timeout
        };
        assert_eq!(timeout(common::acme(), ""), Duration::from_secs(seconds), "{event}");
        assert_eq!(timeout(common::acme(), r#","timeout":0.25"#), Duration::from_millis(250), "{event}");
        let boundary = common::envelope(payload).boundary();
        let own = common::acme().timeout(boundary, Duration::from_secs(90));
        assert_eq!(timeout(own, ""), Duration::from_secs(90), "{event}");
    }
}

/// CUR-EVT-11: the host's here, 60 s at every event in Cursor's own way; a definition's own in both.
#[test]
fn timeouts_differ_by_fidelity() {
    for (event, payload, seconds) in [
        ("preToolUse", r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#, 30),
        ("beforeSubmitPrompt", r#"{"prompt.submit":{"prompt":"p"}}"#, 30),
        ("stop", r#"{"turn.stop":{}}"#, 60),
        ("sessionEnd", r#"{"session.end":{"reason":"exit"}}"#, 5),
    ] {
        let timeout = |fidelity: Fidelity, definition: &str| {
            let document = format!(r#"{{"version":1,"hooks":{{"{event}":[{{"command":"a"{definition}}}]}}}}"#);
            let envelope = common::envelope(payload);
            let snapshot = common::snapshot_in(fidelity, common::acme(), document);
            let mut firing = snapshot.begin(&envelope, SessionState::new());
            firing.next_stage().unwrap_or_else(|| panic!("{event} does not run")).invocations[0].timeout
        };
        assert_eq!(timeout(Fidelity::Guarded, ""), Duration::from_secs(seconds), "{event}");
        assert_eq!(timeout(Fidelity::Vendor, ""), Duration::from_secs(60), "{event}");
        for fidelity in Fidelity::ALL {
            assert_eq!(timeout(fidelity, r#","timeout":7"#), Duration::from_secs(7), "{event} {fidelity:?}");
        }
    }
    let rows = Cursor::with_fidelity(Fidelity::Vendor).events();
    assert!(rows.iter().all(|spec| spec.timeout == Some(Duration::from_secs(60))));
}

/// CUR-EVT-10: an event may be planned while its boundary fires for others.
#[test]
fn a_planned_event_never_runs() {
    let host = common::twelve_event_host();
    let document = r#"{"version":1,"hooks":{"afterFileEdit":[{"command":"format"}],"postToolUse":[{"command":"audit"}],"workspaceOpen":[{"command":"open"}]}}"#;
    let snapshot = common::snapshot(host, document);
    let edit = common::result(r#"{"write":{"path":"a","content":"b"}}"#, r#"{"text":"ok"}"#);
    assert_eq!(common::commands(&snapshot, &edit, &allowed()), [["audit"]]);
    assert_eq!(snapshot.bindings().len(), 2);
    assert!(snapshot.host().support(Boundary::WorkspaceOpen, None).is_none());
}
