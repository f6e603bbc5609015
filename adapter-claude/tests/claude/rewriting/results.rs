//! Results that hooks want instead.

use harness_hooks_claude::Claude;
use harness_hooks_core::{Adapter, Json, ToolOutput};
use serde_json::{Value, json};

use super::{call_with, value};

fn result_of(tool: &Value, output: &Value, wish: &Value) -> Result<Value, String> {
    let output: ToolOutput = serde_json::from_value(output.clone()).unwrap();
    let call = call_with(tool, &json!({}));
    let result =
        Claude::new().rewrite_result(&call, &output, &Json::of(wish)).map_err(|misfit| misfit.0.to_string())?;
    Ok(value(&result))
}

/// CLA-TOOL-19: a command's result takes the shape of a command's result.
#[test]
fn a_commands_result_is_replaced_by_one_of_its_shape() {
    let shell = json!({"shell": {"command": "x"}});
    let output =
        json!({"shell": {"combined": "secret\n", "exit_code": 0, "pid": 7, "state": "background", "shell_id": "s1"}});
    let shape = |stdout: &str, stderr: &str| json!({"stdout": stdout, "stderr": stderr, "interrupted": false, "isImage": false});
    let result = |wish: &Value| result_of(&shell, &output, wish);

    let plain = result(&shape("hidden", "")).unwrap();
    let plain = &plain["shell"];
    assert_eq!((&plain["combined"], &plain["stdout"], &plain["stderr"]), (&json!("hidden"), &json!(""), &json!("")));
    assert_eq!((&plain["exit_code"], &plain["pid"], &plain["shell_id"]), (&json!(0), &json!(7), &json!("s1")));
    let both = result(&shape("a", "b")).unwrap();
    assert_eq!(
        (&both["shell"]["combined"], &both["shell"]["stdout"], &both["shell"]["stderr"]),
        (&Value::Null, &json!("a"), &json!("b"))
    );
    let mut more = shape("a", "");
    (more["interrupted"], more["noOutputExpected"], more["zz"]) = (json!(true), json!(true), json!(1));
    let more = result(&more).unwrap();
    assert_eq!((&more["shell"]["interrupted"], &more["shell"]["silent"]), (&json!(true), &json!(true)));

    for wish in [
        json!("hidden"),
        json!(null),
        json!([shape("a", "")]),
        json!({}),
        json!({"stdout": "a"}),
        json!({"stdout": 1, "stderr": "", "interrupted": false, "isImage": false}),
        json!({"content": [{"type": "text", "text": "a"}]}),
        json!(["a", "b", false, false]),
    ] {
        let why = result(&wish).unwrap_err();
        assert!(why.contains("`stdout`, `stderr`, `interrupted`, `isImage`"), "{wish}: {why}");
    }
}

/// CLA-TOOL-19: every other built-in tool, too.
#[test]
fn a_built_in_tools_result_keeps_its_shape() {
    let text = json!({"text": "old"});
    let kept = json!({"json": {"old": true}});
    let read = json!({"read": {"path": "/a"}});
    let lines = json!({"type": "text", "file": {"filePath": "/a", "content": "new", "numLines": 1, "startLine": 1, "totalLines": 1}});
    let image = json!({"type": "image", "file": {"base64": "AA", "type": "image/png", "originalSize": 1}});
    let written = json!({"type": "create", "filePath": "/a", "content": "new", "structuredPatch": [], "originalFile": null, "userModified": false});
    let edited = json!({"filePath": "/a", "oldString": "a", "newString": "b", "originalFile": "a", "structuredPatch": [], "userModified": false, "replaceAll": false});
    let globbed = json!({"filenames": ["a", "b"], "durationMs": 1, "numFiles": 2, "truncated": false});
    let grepped = json!({"mode": "content", "numFiles": 0, "filenames": [], "content": "new", "numLines": 1});
    let fetched =
        json!({"bytes": 3, "code": 200, "codeText": "OK", "result": "new", "durationMs": 1, "url": "https://a"});
    let found = json!({"query": "q", "results": ["new"], "durationSeconds": 1});
    let worked = json!({"status": "completed", "prompt": "p", "content": [{"type": "text", "text": "new"}]});
    let blocks = json!({"status": "completed", "prompt": "p", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
    let new = json!({"text": "new"});
    let write = json!({"write": {"path": "/a", "content": "x"}});
    let edit = json!({"edit": {"path": "/a", "edits": [{"old": "a", "new": "b"}]}});
    let glob = json!({"glob": {"pattern": "*"}});
    let grep = json!({"grep": {"pattern": "x"}});
    let fetch = json!({"web_fetch": {"url": "https://a"}});
    let search = json!({"web_search": {"query": "q"}});
    let task = json!({"task": {"kind": "k", "prompt": "p"}});
    let resource = json!({"mcp_resource": {"server": "s", "uri": "u"}});
    let contents = json!({"contents": [{"uri": "u", "text": "new"}]});
    for (tool, output, wish, expected) in [
        (&read, &text, &lines, new.clone()),
        (&read, &kept, &lines, json!({"json": lines})),
        (&read, &text, &image, json!({"json": image})),
        (&write, &text, &written, json!({"json": written})),
        (&edit, &text, &edited, json!({"json": edited})),
        (&glob, &text, &globbed, json!({"text": "a\nb"})),
        (&grep, &text, &grepped, new.clone()),
        (&fetch, &text, &fetched, new.clone()),
        (&search, &text, &found, new.clone()),
        (&task, &text, &worked, new.clone()),
        (&task, &text, &blocks, json!({"json": blocks})),
        (&resource, &kept, &contents, json!({"json": contents})),
    ] {
        let got = result_of(tool, output, wish).unwrap_or_else(|why| panic!("{wish}: {why}"));
        assert_eq!(got, expected, "{wish} of {tool}");
        for other in [
            json!("text"),
            json!(null),
            json!({}),
            json!([wish]),
            json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false}),
        ] {
            let why = result_of(tool, output, &other).unwrap_err();
            assert!(why.contains("must be an object with `"), "{other} of {tool}: {why}");
        }
    }
}

/// CLA-TOOL-19: a tool Claude Code does not have takes any value.
#[test]
fn a_hosts_own_tool_takes_any_result() {
    for tool in [json!({"other": {}}), json!({"delete": {"path": "/a"}}), json!({"patch": {"text": "p"}})] {
        for (wish, expected) in [
            (json!("a"), json!({"text": "a"})),
            (json!({"a": 1}), json!({"json": {"a": 1}})),
            (json!([1]), json!({"json": [1]})),
            (json!(null), json!({"json": null})),
        ] {
            assert_eq!(result_of(&tool, &json!({"text": "old"}), &wish).unwrap(), expected, "{tool}");
        }
    }
}

/// CLA-TOOL-20
#[test]
fn an_mcp_result_is_made_of_any_value() {
    let mcp = json!({"mcp": {"server": "s", "tool": "t", "arguments": {}}});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let image = json!([{"type": "image", "data": "AA"}]);
    for (wish, content) in [
        (json!("hidden"), text("hidden")),
        (json!(""), text("")),
        (image.clone(), image),
        (json!([]), json!([])),
        (json!({"rows": 3}), text(r#"{"rows":3}"#)),
        (json!(12), text("12")),
        (json!(null), text("null")),
        (json!(true), text("true")),
    ] {
        for (failed, output) in [
            (false, json!({"mcp": {"result": {"content": [], "structuredContent": {"secret": 1}}}})),
            (true, json!({"mcp": {"result": {"content": [], "isError": true}, "is_error": true}})),
            (false, json!({"json": {"secret": 1}})),
        ] {
            let mut result = json!({"content": content});
            if failed {
                result["isError"] = json!(true);
            }
            let got = result_of(&mcp, &output, &wish).unwrap();
            assert_eq!(got, json!({"mcp": {"result": result, "is_error": failed}}), "{wish}");
        }
    }
    for (wish, failed) in [
        (json!({"content": text("a"), "isError": true, "_meta": {}}), true),
        (json!({"content": text("a")}), false),
        (json!({"content": "odd", "isError": "yes"}), false),
    ] {
        let output = json!({"mcp": {"result": {"content": [], "isError": true}, "is_error": true}});
        assert_eq!(result_of(&mcp, &output, &wish).unwrap(), json!({"mcp": {"result": wish, "is_error": failed}}));
    }
}
