//! Inputs that hooks want instead: what fits, what does not, and what is kept. Results are
//! `results.rs`.

mod results;

use harness_hooks_claude::Claude;
use harness_hooks_core::{Adapter, Envelope, InputRewrite, Json, Occasion, Payload, SessionState, ToolCall};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{acme, generate::envelope};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common;

fn call_with(tool: &Value, extra: &Value) -> ToolCall {
    serde_json::from_value(json!({"id": "c1", "host_name": "host_tool", "tool": tool, "extra": extra})).unwrap()
}

fn value<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap()
}

/// The call with this input instead; or why it does not fit.
fn replaced(call: &ToolCall, wish: &Value) -> Result<ToolCall, String> {
    let wish = InputRewrite::Replace(Json::of(wish));
    let after = Claude::new().rewrite(call, &wish).map_err(|misfit| misfit.0.to_string())?;
    assert_eq!((&after.id, &after.host_name), (&call.id, &call.host_name));
    assert_eq!(after.tool.kind(), call.tool.kind(), "a rewrite never changes which tool is called");
    Ok(after)
}

/// Whether the call is of this tool.
fn is(call: &ToolCall, tool: &Value) -> bool {
    call.tool == serde_json::from_value(tool.clone()).unwrap()
}

/// Every tool: what it was, what a hook wants, what it is then. Keys that are left out are gone.
/// CLA-TOOL-16, CLA-TOOL-17
#[test]
fn an_input_is_replaced_whole() {
    let edits = json!({"edit": {"path": "/a", "edits": [{"old": "a", "new": "b", "replace_all": true}]}});
    for (tool, wish, expected) in [
        (
            json!({"shell": {"command": "npm i", "timeout_ms": 5, "description": "d", "background": true}}),
            json!({"command": "npm ci"}),
            json!({"shell": {"command": "npm ci"}}),
        ),
        (
            json!({"shell": {"command": "npm i"}}),
            json!({"run_in_background": true, "description": "d", "timeout": 30000, "command": "npm ci"}),
            json!({"shell": {"command": "npm ci", "timeout_ms": 30000, "description": "d", "background": true}}),
        ),
        (
            json!({"read": {"path": "/a", "offset": 2, "limit": 1}}),
            json!({"file_path": "/b", "limit": 9}),
            json!({"read": {"path": "/b", "limit": 9}}),
        ),
        (
            json!({"write": {"path": "/a", "content": "x"}}),
            json!({"file_path": "/b", "content": ""}),
            json!({"write": {"path": "/b", "content": ""}}),
        ),
        (
            edits,
            json!({"file_path": "/b", "old_string": "c", "new_string": "d"}),
            json!({"edit": {"path": "/b", "edits": [{"old": "c", "new": "d"}]}}),
        ),
        (
            json!({"grep": {"pattern": "x", "path": "src", "glob": "*.rs", "output_mode": "content"}}),
            json!({"pattern": "y", "path": "/src"}),
            json!({"grep": {"pattern": "y", "path": "/src"}}),
        ),
        (
            json!({"glob": {"pattern": "*", "path": "a"}}),
            json!({"pattern": "*.rs"}),
            json!({"glob": {"pattern": "*.rs"}}),
        ),
        (
            json!({"web_fetch": {"url": "https://a", "prompt": "p"}}),
            json!({"url": "https://b", "prompt": "q"}),
            json!({"web_fetch": {"url": "https://b", "prompt": "q"}}),
        ),
        (
            json!({"web_fetch": {"url": "https://a"}}),
            json!({"url": "https://b"}),
            json!({"web_fetch": {"url": "https://b"}}),
        ),
        (json!({"web_search": {"query": "a"}}), json!({"query": "b"}), json!({"web_search": {"query": "b"}})),
        (
            json!({"task": {"kind": "Explore", "prompt": "p", "description": "d", "model": "m", "background": true}}),
            json!({"description": "e", "prompt": "q"}),
            json!({"task": {"kind": "", "prompt": "q", "description": "e"}}),
        ),
        (
            json!({"task": {"kind": "", "prompt": "p"}}),
            json!({"prompt": "q", "subagent_type": "Plan", "model": "m", "run_in_background": false}),
            json!({"task": {"kind": "Plan", "prompt": "q", "model": "m", "background": false}}),
        ),
        (
            json!({"mcp": {"server": "db", "tool": "query", "arguments": {"sql": "x", "limit": 1}}}),
            json!({"sql": null}),
            json!({"mcp": {"server": "db", "tool": "query", "arguments": {"sql": null}}}),
        ),
        (
            json!({"mcp_resource": {"server": "s", "uri": "s://a"}}),
            json!({"server": "t", "uri": "t://b"}),
            json!({"mcp_resource": {"server": "t", "uri": "t://b"}}),
        ),
        (json!({"other": {"a": 1, "b": 2}}), json!({}), json!({"other": {}})),
        (json!({"other": "text"}), json!({"a": [1]}), json!({"other": {"a": [1]}})),
        (json!({"delete": {"path": "/a"}}), json!({"file_path": "/b"}), json!({"delete": {"path": "/b"}})),
        (json!({"list": {"path": "/a", "ignore": ["x"]}}), json!({"file_path": "/b"}), json!({"list": {"path": "/b"}})),
        (
            json!({"patch": {"text": "p", "paths": ["/a"]}}),
            json!({"text": "q", "file_paths": ["/b", "/c"]}),
            json!({"patch": {"text": "q", "paths": ["/b", "/c"]}}),
        ),
        (json!({"patch": {"text": "p", "paths": ["/a"]}}), json!({"text": "q"}), json!({"patch": {"text": "q"}})),
    ] {
        let after = replaced(&call_with(&tool, &json!({})), &wish).unwrap_or_else(|why| panic!("{wish}: {why}"));
        assert!(is(&after, &expected), "{wish} of {tool} gave {}", value(&after.tool));
        assert!(after.extra.is_empty());
    }
}

/// CLA-TOOL-16, CLA-TOOL-18: a misfit names the key.
#[test]
fn what_is_missing_or_of_a_wrong_type_does_not_fit() {
    let shell = json!({"shell": {"command": "ls", "timeout_ms": 5}});
    let read = json!({"read": {"path": "/a"}});
    let write = json!({"write": {"path": "/a", "content": "x"}});
    let edit = json!({"edit": {"path": "/a", "edits": [{"old": "a", "new": "b"}]}});
    let grep = json!({"grep": {"pattern": "x"}});
    let glob = json!({"glob": {"pattern": "x"}});
    let fetch = json!({"web_fetch": {"url": "https://a", "prompt": "p"}});
    let search = json!({"web_search": {"query": "x"}});
    let task = json!({"task": {"kind": "k", "prompt": "p", "description": "d"}});
    let resource = json!({"mcp_resource": {"server": "s", "uri": "u"}});
    let patch = json!({"patch": {"text": "p", "paths": ["/a"]}});
    for (tool, wish, named) in [
        (&shell, json!({}), "`command` is missing"),
        (&shell, json!({"description": "d"}), "`command` is missing"),
        (&shell, json!({"command": 5}), "`command` must be text, not 5"),
        (&shell, json!({"command": null}), "`command` must be text, not null"),
        (&shell, json!({"command": ["ls"]}), "`command` must be text, not [\"ls\"]"),
        (&shell, json!({"command": "ls", "timeout": "5"}), "`timeout` must be a whole number"),
        (&shell, json!({"command": "ls", "timeout": -1}), "`timeout` must be a whole number, not -1"),
        (&shell, json!({"command": "ls", "timeout": 1.5}), "`timeout` must be a whole number, not 1.5"),
        (&shell, json!({"command": "ls", "timeout": null}), "`timeout` must be a whole number, not null"),
        (&shell, json!({"command": "ls", "description": 5}), "`description` must be text"),
        (&shell, json!({"command": "ls", "run_in_background": "yes"}), "`run_in_background` must be true or false"),
        (&read, json!({"offset": 1}), "`file_path` is missing"),
        (&read, json!({"file_path": 1}), "`file_path` must be a path"),
        (&read, json!({"file_path": "/a", "limit": true}), "`limit` must be a whole number"),
        (&write, json!({"file_path": "/a"}), "`content` is missing"),
        (&write, json!({"content": "x"}), "`file_path` is missing"),
        (&write, json!({"file_path": "/a", "content": {}}), "`content` must be text, not {}"),
        (&edit, json!({"file_path": "/a", "old_string": "a"}), "`new_string` is missing"),
        (&edit, json!({"file_path": "/a", "new_string": "a"}), "`old_string` is missing"),
        (&edit, json!({"old_string": "a", "new_string": "a"}), "`file_path` is missing"),
        (&edit, json!({"file_path": "/a", "old_string": "a", "new_string": "b", "replace_all": 1}), "`replace_all`"),
        (
            &edit,
            json!({"file_path": "/a", "old_string": "a", "new_string": "b", "edits": {}}),
            "`edits` must be a list",
        ),
        (&grep, json!({"path": "a"}), "`pattern` is missing"),
        (&grep, json!({"pattern": "x", "output_mode": []}), "`output_mode` must be text"),
        (&glob, json!({"path": "a"}), "`pattern` is missing"),
        (&glob, json!({"pattern": "x", "path": 1}), "`path` must be a path"),
        (&fetch, json!({"prompt": "p"}), "`url` is missing"),
        (&fetch, json!({"url": "https://a"}), "`prompt` is missing"),
        (&search, json!({}), "`query` is missing"),
        (&task, json!({"description": "d"}), "`prompt` is missing"),
        (&task, json!({"prompt": "p"}), "`description` is missing"),
        (&task, json!({"description": "d", "prompt": "p", "subagent_type": 1}), "`subagent_type` must be text"),
        (&resource, json!({"server": "s"}), "`uri` is missing"),
        (&resource, json!({"uri": "u"}), "`server` is missing"),
        (&patch, json!({"file_paths": ["/a"]}), "`text` is missing"),
        (&patch, json!({"text": "p", "file_paths": "/a"}), "`file_paths` must be a list of paths"),
        (&json!({"delete": {"path": "/a"}}), json!({"path": "/b"}), "`file_path` is missing"),
        (
            &json!({"list": {"path": "/a"}}),
            json!({"file_path": "/b", "ignore": "x"}),
            "`ignore` must be a list of texts",
        ),
        (
            &json!({"mcp": {"server": "s", "tool": "t", "arguments": {}}}),
            json!([1]),
            "`updatedInput` must be an object",
        ),
        (&json!({"other": [1]}), json!("x"), "`updatedInput` must be an object"),
    ] {
        match replaced(&call_with(tool, &json!({})), &wish) {
            Ok(after) => panic!("{wish} fits {tool}: {}", value(&after.tool)),
            Err(why) => assert!(why.contains(named), "{wish}: {why}"),
        }
    }
    let long = replaced(&call_with(&shell, &json!({})), &json!({"command": ["x".repeat(5_000)]})).unwrap_err();
    assert!(long.len() < 120, "{long}");
}

/// CLA-TOOL-18: a number that is whole fits however it is written.
#[test]
fn a_whole_number_may_have_a_point() {
    let call = call_with(&json!({"shell": {"command": "ls"}}), &json!({}));
    let wish = InputRewrite::Replace(serde_json::from_str(r#"{"command":"ls","timeout":5000.0}"#).unwrap());
    let after = Claude::new().rewrite(&call, &wish).unwrap();
    assert!(is(&after, &json!({"shell": {"command": "ls", "timeout_ms": 5000}})));
}

/// CLA-TOOL-16: keys a tool does not have are fine, and are shown to the hooks that follow.
#[test]
fn other_keys_of_an_input_stand_beside_it() {
    let call = call_with(&json!({"shell": {"command": "ls"}}), &json!({"rationale": "because", "n": 1}));
    for (wish, extra) in [
        (json!({"command": "ls", "rationale": "because", "n": 1}), json!({"rationale": "because", "n": 1})),
        (json!({"command": "ls", "rationale": 7, "cwd": "/x"}), json!({"rationale": 7, "cwd": "/x"})),
        (json!({"command": "ls"}), json!({})),
    ] {
        let after = replaced(&call, &wish).unwrap();
        assert_eq!(value(&after.extra), extra, "{wish}");
        assert!(is(&after, &json!({"shell": {"command": "ls"}})), "{wish} moves no command to another folder");
    }
}

/// CLA-TOOL-17: arguments that are passed on as they are get no key of the host's.
#[test]
fn what_stood_beside_the_arguments_stays_beside_them() {
    let mcp = json!({"mcp": {"server": "db", "tool": "query", "arguments": {"sql": "x"}}});
    let call = call_with(&mcp, &json!({"rationale": "because"}));
    let after = replaced(&call, &json!({"sql": "y", "rationale": "because", "limit": 1})).unwrap();
    assert_eq!(value(&after.extra), json!({"rationale": "because"}));
    assert_eq!(value(&after.tool)["mcp"]["arguments"], json!({"sql": "y", "limit": 1}));

    let raw: Json = serde_json::from_str(r#"{"n":1.50,"big":123456789012345678901234567890}"#).unwrap();
    let call = call_with(&mcp, &json!({}));
    let after = Claude::new().rewrite(&call, &InputRewrite::Replace(raw.clone())).unwrap();
    let harness_hooks_core::Tool::Mcp(mcp) = after.tool else { panic!("no MCP tool") };
    assert_eq!(mcp.arguments.as_str(), raw.as_str(), "not a digit is another");
}

/// CLA-TOOL-17
#[test]
fn what_the_view_does_not_show_is_kept() {
    for (tool, wish, expected) in [
        (
            json!({"shell": {"command": "ls", "cwd": "/w/sub", "sandboxed": true, "background": true}}),
            json!({"command": "pwd"}),
            json!({"shell": {"command": "pwd", "cwd": "/w/sub", "sandboxed": true, "background": false}}),
        ),
        (
            json!({"mcp": {"server": "db", "tool": "q", "arguments": {}, "server_source": "user", "server_id": "7", "url": "https://db", "command_line": "db"}}),
            json!({"sql": "x"}),
            json!({"mcp": {"server": "db", "tool": "q", "arguments": {"sql": "x"}, "server_source": "user", "server_id": "7", "url": "https://db", "command_line": "db"}}),
        ),
        (
            json!({"mcp_resource": {"server": "s", "uri": "u", "name": "api"}}),
            json!({"server": "s", "uri": "u"}),
            json!({"mcp_resource": {"server": "s", "uri": "u", "name": "api"}}),
        ),
        (
            json!({"mcp_resource": {"server": "s", "uri": "u", "name": "api"}}),
            json!({"server": "s", "uri": "another"}),
            json!({"mcp_resource": {"server": "s", "uri": "another"}}),
        ),
    ] {
        let after = replaced(&call_with(&tool, &json!({})), &wish).unwrap();
        assert!(is(&after, &expected), "{wish} of {tool} gave {}", value(&after.tool));
    }
}

/// CLA-TOOL-03, CLA-TOOL-17: the first edit stands twice; the hook's change counts wherever it made it.
#[test]
fn an_edit_among_several_can_change() {
    let edit = |old: &str, new: &str| json!({"old": old, "new": new});
    let view = |old: &str, new: &str| json!({"old_string": old, "new_string": new});
    let call = call_with(&json!({"edit": {"path": "/f", "edits": [edit("a", "b"), edit("c", "d")]}}), &json!({}));
    let wish = |old: &str, new: &str, edits: Value| {
        let mut wish = json!({"file_path": "/f", "old_string": old, "new_string": new, "replace_all": false});
        if !edits.is_null() {
            wish["edits"] = edits;
        }
        wish
    };
    for (what, wish, expected) in [
        ("nothing", wish("a", "b", json!([view("a", "b"), view("c", "d")])), Ok(vec![edit("a", "b"), edit("c", "d")])),
        (
            "the first keys",
            wish("a", "x", json!([view("a", "b"), view("c", "d")])),
            Ok(vec![edit("a", "x"), edit("c", "d")]),
        ),
        ("the list", wish("a", "b", json!([view("a", "x"), view("c", "y")])), Ok(vec![edit("a", "x"), edit("c", "y")])),
        (
            "both alike",
            wish("a", "x", json!([view("a", "x"), view("c", "y")])),
            Ok(vec![edit("a", "x"), edit("c", "y")]),
        ),
        ("fewer", wish("a", "b", json!([view("a", "b")])), Ok(vec![edit("a", "b")])),
        ("one only", wish("a", "x", Value::Null), Ok(vec![edit("a", "x")])),
        ("both, unlike", wish("a", "x", json!([view("a", "y"), view("c", "d")])), Err("`edits`")),
        ("a broken one", wish("a", "b", json!([view("a", "b"), {"old_string": "c"}])), Err("`new_string` is missing")),
        ("no object", wish("a", "b", json!(["a"])), Err("`edits` must be a list of objects")),
    ] {
        match (replaced(&call, &wish), expected) {
            (Ok(after), Ok(edits)) => {
                assert!(is(&after, &json!({"edit": {"path": "/f", "edits": edits}})), "{what}: {}", value(&after.tool));
            }
            (Err(why), Err(named)) => assert!(why.contains(named), "{what}: {why}"),
            (got, expected) => panic!("{what}: {got:?} is not {expected:?}"),
        }
    }
}

/// CLA-TOOL-16: a wish of another vendor's form is no wish of Claude Code's.
#[test]
fn single_keys_are_never_replaced() {
    let call = call_with(&json!({"shell": {"command": "ls"}}), &json!({}));
    let misfit = Claude::new().rewrite(&call, &InputRewrite::Patch(Json::of(&json!({"command": "x"})))).unwrap_err();
    assert!(misfit.0.contains("replaces all"), "{misfit}");
}

fn stdin(adapter: &dyn Adapter, event: &str, envelope: &Envelope) -> Value {
    let (host, state, mut out) = (acme(), SessionState::new(), Vec::new());
    let id = adapter.events().iter().position(|spec| spec.name == event).unwrap();
    let id = harness_hooks_core::EventId(u16::try_from(id).unwrap());
    adapter.encode(id, Occasion::new(envelope, &host, &state), &mut out);
    serde_json::from_slice(&out).unwrap()
}

fn about(call: ToolCall) -> Envelope {
    let mut envelope = common::envelope(r#"{"turn.stop":{}}"#);
    envelope.payload = harness_hooks_core::ToolBefore::new(call).into();
    envelope
}

/// CLA-TOOL-16, CLA-TOOL-17: hooks of another vendor see the call as it will run.
#[test]
fn other_vendors_see_the_rewritten_call() {
    let shell = call_with(
        &json!({"shell": {"command": "npm i", "cwd": "/w/sub", "timeout_ms": 9, "sandboxed": true}}),
        &json!({"rationale": "because"}),
    );
    let shell = about(replaced(&shell, &json!({"command": "npm ci", "description": "d"})).unwrap());
    let seen = stdin(&Cursor::new(), "preToolUse", &shell);
    assert_eq!(seen["tool_input"], json!({"command": "npm ci", "cwd": "/w/sub", "description": "d"}));
    let seen = stdin(&Cursor::new(), "beforeShellExecution", &shell);
    assert_eq!((&seen["command"], &seen["cwd"], &seen["sandbox"]), (&json!("npm ci"), &json!("/w/sub"), &json!(true)));

    let edit = json!({"edit": {"path": "/f", "edits": [{"old": "a", "new": "b"}, {"old": "c", "new": "d"}]}});
    let edit = replaced(
        &call_with(&edit, &json!({})),
        &json!({"file_path": "/g", "old_string": "x", "new_string": "y", "replace_all": true}),
    );
    let seen = stdin(&Cursor::new(), "preToolUse", &about(edit.unwrap()));
    let edits = json!([{"old_string": "x", "new_string": "y", "replace_all": true}]);
    assert_eq!(
        (&seen["tool_name"], &seen["tool_input"]),
        (&json!("Write"), &json!({"file_path": "/g", "edits": edits}))
    );

    let mcp = json!({"mcp": {"server": "db", "tool": "query", "arguments": {"sql": "x"}, "url": "https://db"}});
    let mcp = replaced(&call_with(&mcp, &json!({})), &json!({"sql": "y"})).unwrap();
    let seen = stdin(&Cursor::new(), "beforeMCPExecution", &about(mcp));
    assert_eq!((&seen["tool_input"], &seen["url"]), (&json!(r#"{"sql":"y"}"#), &json!("https://db")));

    let resource = json!({"mcp_resource": {"server": "s", "uri": "s://a", "name": "harmless"}});
    let resource = replaced(&call_with(&resource, &json!({})), &json!({"server": "s", "uri": "s://secret"})).unwrap();
    let seen = stdin(&Cursor::new(), "preToolUse", &about(resource));
    assert_eq!(seen["tool_name"], "MCPResource:s://secret", "it is not called by the name of what it was");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// CLA-TOOL-16, CLA-TOOL-17: a hook that sends back what it was shown changes nothing.
    #[test]
    fn what_is_shown_fits(envelope in envelope()) {
        let Payload::ToolBefore(payload) = &envelope.payload else { return Ok(()) };
        let shown = stdin(&Claude::new(), "PreToolUse", &envelope);
        if !shown["tool_input"].is_object() {
            return Ok(());
        }
        let after = replaced(&payload.call, &shown["tool_input"]);
        prop_assert!(after.is_ok(), "{:?} of {}", after, shown);
        let mut again = envelope.clone();
        again.payload = harness_hooks_core::ToolBefore::new(after.unwrap()).into();
        prop_assert_eq!(&stdin(&Claude::new(), "PreToolUse", &again), &shown);
        let extra = |envelope: &Envelope| value(&envelope.payload.call().unwrap().extra);
        prop_assert_eq!(extra(&again), extra(&envelope));
    }
}

/// A text that a hook wrote is not copied once it is read: the call shares it.
#[test]
fn a_rewritten_text_is_shared() {
    let content = "x".repeat(10 << 20);
    let call = call_with(&json!({"write": {"path": "/a", "content": ""}}), &json!({}));
    let after = replaced(&call, &json!({"file_path": "/a", "content": content})).unwrap();
    let text = |call: &ToolCall| match &call.tool {
        harness_hooks_core::Tool::Write(write) => write.content.clone(),
        tool => panic!("{tool:?}"),
    };
    assert_eq!(text(&after).len(), 10 << 20);
    assert_eq!(text(&after.clone()).as_ptr(), text(&after).as_ptr());
    let json = Json::of(&json!({"data": content}));
    let mcp = call_with(&json!({"mcp": {"server": "s", "tool": "t", "arguments": {}}}), &json!({}));
    let after = Claude::new().rewrite(&mcp, &InputRewrite::Replace(json.clone())).unwrap();
    let harness_hooks_core::Tool::Mcp(mcp) = after.tool else { panic!("no MCP tool") };
    assert_eq!(mcp.arguments.as_str().as_ptr(), json.as_str().as_ptr());
}
