//! Inputs and results that hooks want instead: what fits, what does not, and what is kept.

use harness_hooks_core::{
    Action, Adapter, Exit, Fidelity, InputRewrite, Json, Outcome, SessionState, ToolCall, ToolOutput,
};
use harness_hooks_cursor::Cursor;
use serde_json::{Value, json};

use crate::common;

fn call(tool: &Value) -> ToolCall {
    let extra = json!({"rationale": "because"});
    serde_json::from_value(json!({"id": "c1", "host_name": "host_tool", "tool": tool, "extra": extra})).unwrap()
}

fn value<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap()
}

/// The tool after a patch, without what is null; or why it does not fit.
fn patched(tool: &Value, patch: Value) -> Result<Value, String> {
    let before = call(tool);
    let after =
        Cursor::new().rewrite(&before, &InputRewrite::Patch(patch.into())).map_err(|misfit| misfit.0.to_string())?;
    assert_eq!((&after.id, &after.host_name, &after.extra), (&before.id, &before.host_name, &before.extra));
    assert_eq!(after.tool.kind(), before.tool.kind(), "a rewrite never changes which tool is called");
    Ok(value(&after.tool))
}

/// The same, as the fixture of a whole tool would read.
fn same(got: &Value, expected: &Value) -> bool {
    let read = |tool: &Value| serde_json::from_value::<harness_hooks_core::Tool>(tool.clone()).unwrap();
    read(got) == read(expected)
}

#[test]
fn patches_that_fit() {
    let shell = json!({"shell": {"command": "npm install", "cwd": "/w", "background": true, "sandboxed": false}});
    let changed = |key: &str, to: Value| {
        let mut tool = shell.clone();
        tool["shell"][key] = to;
        tool
    };
    let write = json!({"write": {"path": "/w/a", "content": "x"}});
    let edit = json!({"edit": {"path": "/w/a", "edits": [{"old": "a", "new": "b"}]}});
    let mcp = json!({"mcp": {"server": "db", "tool": "query", "arguments": {"sql": "select 1"}, "server_id": "s1"}});
    let with = |key: &str, to: Value| {
        let mut tool = mcp.clone();
        tool["mcp"]["arguments"][key] = to;
        tool
    };
    let task = json!({"task": {"kind": "explore", "prompt": "p"}});
    for (rule, tool, patch, expected) in [
        ("CUR-TOOL-05", &shell, json!({"command": "npm ci"}), changed("command", "npm ci".into())),
        ("CUR-TOOL-05", &shell, json!({}), shell.clone()),
        ("CUR-TOOL-07", &shell, json!({"command": "npm install", "cwd": "/w"}), shell.clone()),
        (
            "CUR-TOOL-07",
            &shell,
            json!({"rationale": "because", "command": "npm ci"}),
            changed("command", "npm ci".into()),
        ),
        ("CUR-TOOL-08", &shell, json!({"timeout": 30000}), changed("timeout_ms", 30000.into())),
        ("CUR-TOOL-08", &shell, json!({"cwd": "/x"}), changed("cwd", "/x".into())),
        ("CUR-TOOL-08", &shell, json!({"description": "d"}), changed("description", "d".into())),
        ("CUR-TOOL-08", &write, json!({"content": "y"}), json!({"write": {"path": "/w/a", "content": "y"}})),
        ("CUR-TOOL-08", &write, json!({"file_path": "/w/b"}), json!({"write": {"path": "/w/b", "content": "x"}})),
        (
            "CUR-TOOL-08",
            &edit,
            json!({"edits": [{"old_string": "a", "new_string": "c", "replace_all": true}]}),
            json!({"edit": {"path": "/w/a", "edits": [{"old": "a", "new": "c", "replace_all": true}]}}),
        ),
        ("CUR-TOOL-08", &mcp, json!({"sql": "select 2"}), with("sql", "select 2".into())),
        ("CUR-TOOL-08", &mcp, json!({"limit": 10}), with("limit", 10.into())),
        ("CUR-TOOL-08", &mcp, json!({"limit": null}), with("limit", Value::Null)),
        ("CUR-TOOL-08", &json!({"other": {"a": 1}}), json!({"b": [2]}), json!({"other": {"a": 1, "b": [2]}})),
        (
            "CUR-TOOL-02",
            &task,
            json!({"model": "m"}),
            json!({"task": {"kind": "explore", "prompt": "p", "model": "m"}}),
        ),
        (
            "CUR-TOOL-01",
            &json!({"read": {"path": "a"}}),
            json!({"limit": 5}),
            json!({"read": {"path": "a", "limit": 5}}),
        ),
        ("CUR-TOOL-01", &json!({"delete": {"path": "a"}}), json!({"file_path": "b"}), json!({"delete": {"path": "b"}})),
        (
            "CUR-TOOL-01",
            &json!({"grep": {"pattern": "a"}}),
            json!({"pattern": "b", "glob": "*.rs"}),
            json!({"grep": {"pattern": "b", "glob": "*.rs"}}),
        ),
        (
            "CUR-TOOL-02",
            &json!({"web_fetch": {"url": "https://a"}}),
            json!({"url": "https://b"}),
            json!({"web_fetch": {"url": "https://b"}}),
        ),
    ] {
        match patched(tool, patch.clone()) {
            Ok(got) => assert!(same(&got, &expected), "{rule}: {patch} gave {got}"),
            Err(why) => panic!("{rule}: {patch} does not fit {tool}: {why}"),
        }
    }
}

/// CUR-TOOL-06: a misfit names the key.
#[test]
fn patches_that_do_not_fit() {
    let shell = json!({"shell": {"command": "npm install", "cwd": "/w"}});
    let patch = json!({"patch": {"text": "*** Begin Patch", "paths": ["/w/a"]}});
    let edit = json!({"edit": {"path": "/w/a", "edits": [{"old": "a", "new": "b"}]}});
    for (rule, tool, wish, named) in [
        ("CUR-TOOL-06", &shell, json!({"cmd": "ls"}), "`cmd`"),
        ("CUR-TOOL-06", &shell, json!({"command": 5}), "`command`"),
        ("CUR-TOOL-06", &shell, json!({"command": null}), "`command`"),
        ("CUR-TOOL-06", &shell, json!({"command": "ls", "timeout": "soon"}), "`timeout`"),
        ("CUR-TOOL-06", &shell, json!({"timeout": null}), "`timeout`"),
        ("CUR-TOOL-06", &shell, json!({"rationale": "another"}), "`rationale`"),
        ("CUR-TOOL-05", &shell, json!({"background": false}), "`background`"),
        ("CUR-TOOL-05", &shell, json!({"tool_name": "Read"}), "`tool_name`"),
        ("CUR-TOOL-06", &edit, json!({"edits": [{"old_string": "a"}]}), "`edits`"),
        ("CUR-TOOL-06", &edit, json!({"content": "x"}), "`content`"),
        ("CUR-TOOL-08", &patch, json!({"file_path": "/w/b"}), "`file_path`"),
        ("CUR-TOOL-08", &json!({"read": {"path": "a"}}), json!({"limit": -1}), "`limit`"),
        ("CUR-TOOL-03", &json!({"mcp_resource": {"server": "db", "uri": "db://a"}}), json!({"tool": "x"}), "`tool`"),
    ] {
        match patched(tool, wish.clone()) {
            Ok(got) => panic!("{rule}: {wish} fits {tool}: {got}"),
            Err(why) => assert!(why.contains(named), "{rule}: {wish}: {why}"),
        }
    }
}

/// CUR-TOOL-06, CUR-TOOL-08: a wish that does not fit is a denial here. Cursor's own program knows a
/// few keys of each tool and runs the call without the others, whatever they hold.
#[test]
fn a_key_that_does_not_fit_denies_here_and_is_ignored_by_cursor() {
    let decided = |fidelity: Fidelity, tool: &Value, wish: &Value| {
        let document = r#"{"version":1,"hooks":{"preToolUse":[{"command":"a"}]}}"#;
        let snapshot = common::snapshot_in(fidelity, common::acme(), document);
        let envelope = common::before(&tool.to_string());
        let mut firing = snapshot.begin(&envelope, SessionState::new());
        let stage = firing.next_stage().unwrap();
        let answer = json!({"permission": "allow", "updated_input": wish}).to_string();
        firing.report(&stage.invocations[0], &Outcome::new(Exit::Code(0)).stdout(answer));
        let decision = firing.finish().decision;
        (decision.action, decision.call.map_or_else(|| tool.clone(), |call| value(&call.tool)))
    };
    let shell = json!({"shell": {"command": "npm install"}});
    let write = json!({"write": {"path": "/w/a", "content": "x"}});
    let moved = json!({"write": {"path": "/w/b", "content": "x"}});
    let rewritten = json!({"write": {"path": "/w/b", "content": "y"}});
    let ci = json!({"shell": {"command": "npm ci"}});
    for (tool, wish, guarded, cursors) in [
        (&shell, json!({"command": "npm ci", "cmd": "ls"}), None, &ci),
        (&shell, json!({"command": "npm ci", "description": 5}), None, &ci),
        (&shell, json!({"background": true}), None, &shell),
        (&write, json!({"file_path": "/w/b", "content": 5}), None, &moved),
        (&write, json!({"file_path": "/w/b", "content": "y"}), Some(&rewritten), &moved),
    ] {
        let (action, call) = decided(Fidelity::Guarded, tool, &wish);
        assert_eq!(action, if guarded.is_some() { Action::Proceed } else { Action::Deny }, "{wish}");
        assert!(guarded.is_none_or(|expected| same(&call, expected)), "{wish}");
        let (action, call) = decided(Fidelity::Vendor, tool, &wish);
        assert_eq!(action, Action::Proceed, "{wish}");
        assert!(same(&call, cursors), "{wish}");
    }
}

/// CUR-TOOL-08: what is no object has no keys.
#[test]
fn an_input_that_is_no_object_cannot_be_patched() {
    for tool in [json!({"other": "text"}), json!({"other": [1]}), json!({"other": null})] {
        patched(&tool, json!({"a": 1})).unwrap_err();
    }
}

/// CUR-TOOL-09
#[test]
fn results_become_items_of_text() {
    let call = call(&json!({"mcp": {"server": "db", "tool": "query", "arguments": {}}}));
    let output: ToolOutput = serde_json::from_value(json!({"mcp": {"result": {"content": []}}})).unwrap();
    let text = |text: &str| json!({"type": "text", "text": text});
    for (wish, content, is_error) in [
        (json!("x"), vec![text("x")], None),
        (json!({"content": [text("a"), text("b")]}), vec![text("a"), text("b")], None),
        (json!({"content": [text("a")], "isError": true}), vec![text("a")], Some(true)),
        (json!({"content": [{"type": "image", "data": "AA"}]}), vec![text(r#"{"type":"image","data":"AA"}"#)], None),
        (json!(12), vec![text("12")], None),
        (json!([1, 2]), vec![text("[1,2]")], None),
        (json!({"rows": 3}), vec![text(r#"{"rows":3}"#)], None),
        (json!(null), vec![text("null")], None),
    ] {
        let raw: Json = serde_json::from_str(
            &wish.to_string().replace(r#"{"data":"AA","type":"image"}"#, r#"{"type":"image","data":"AA"}"#),
        )
        .unwrap();
        let got = value(&Cursor::new().rewrite_result(&call, &output, &raw).unwrap());
        assert_eq!(got["mcp"]["result"]["content"], json!(content), "{wish}");
        let error = got["mcp"]["is_error"] == json!(true) || got["mcp"]["result"]["isError"] == json!(true);
        assert_eq!(error, is_error.unwrap_or(false), "{wish}");
    }
}

/// CUR-OUT-50: only the result of an MCP tool can be another.
#[test]
fn results_of_other_tools_stay() {
    let call = call(&json!({"shell": {"command": "ls"}}));
    let output: ToolOutput = serde_json::from_value(json!({"text": "a"})).unwrap();
    Cursor::new().rewrite_result(&call, &output, &Json::of("b")).unwrap_err();
}
