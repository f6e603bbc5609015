//! Calls and results as Claude Code's tools show them, where no event folder does.

use serde_json::{Value, json};

use super::{before, call, encoded, result, value};
use crate::common;

/// CLA-TOOL-08: where an MCP tool comes from is said before it runs and after it returned.
#[test]
fn the_server_of_an_mcp_tool_stands_on_two_events() {
    let mcp = json!({"mcp": {"server": "s", "tool": "t", "arguments": {}}});
    let call = call(&mcp);
    let of = |payload: Value| common::envelope(&payload.to_string());
    for (event, envelope, there) in [
        ("PreToolUse", before(&mcp), true),
        ("PostToolUse", result(&mcp, &json!({"text": ""})), true),
        ("PermissionRequest", of(json!({"tool.permission": {"call": call}})), false),
        ("PostToolUseFailure", of(json!({"tool.failure": {"call": call, "error": "e"}})), false),
        ("PermissionDenied", of(json!({"tool.denied": {"call": call, "reason": "r"}})), false),
        ("PreToolUse", before(&json!({"other": {}})), false),
    ] {
        let server = there.then(|| json!({"name": "s", "source": "dynamic"}));
        assert_eq!(value(event, &envelope).get("mcp_server"), server.as_ref(), "{event}");
    }
}

/// CLA-TOOL-11: what the host does not know is empty or null, the keys stay.
#[test]
fn unknown_facts_of_a_file_are_empty() {
    let facts = [r#""structuredPatch":[]"#, r#""originalFile":null"#, r#""userModified":false"#];
    for tool in [
        json!({"write": {"path": "/a", "content": "x"}}),
        json!({"edit": {"path": "/a", "edits": [{"old": "a", "new": "b"}]}}),
    ] {
        let (stdin, _) = encoded("PostToolUse", &result(&tool, &json!({"text": ""})));
        assert!(facts.iter().all(|fact| stdin.contains(fact)), "{stdin}");
    }
}

/// CLA-TOOL-15: the host says what the model got, and it is written as it is.
#[test]
fn a_batch_is_written_as_the_host_has_it() {
    let calls = r#"[{"tool_name":"Edit","tool_input":{"replace_all":false,"file_path":"/a"},"tool_use_id":"1","tool_response":"done"},{"tool_name":"mcp__s__t","tool_input":{},"tool_use_id":"2","tool_response":[{"type":"text","text":"x"}]}]"#;
    let (stdin, _) =
        encoded("PostToolBatch", &common::envelope(&format!(r#"{{"tool.batch":{{"tool_calls":{calls}}}}}"#)));
    assert!(stdin.ends_with(&format!("\"hook_event_name\":\"PostToolBatch\",\"tool_calls\":{calls}}}\n")), "{stdin}");
}

/// CLA-TOOL-01, CLA-TOOL-02, CLA-TOOL-05, where no event folder shows it.
#[test]
fn inputs_of_rarer_calls() {
    for (rule, tool, name, input) in [
        (
            "CLA-TOOL-05",
            json!({"patch": {"text": "*** Begin Patch", "paths": ["a", "/b"]}}),
            "host_tool",
            r#"{"text":"*** Begin Patch","file_paths":["/home/dev/project/a","/b"]}"#,
        ),
        ("CLA-TOOL-05", json!({"patch": {"text": "x"}}), "host_tool", r#"{"text":"x"}"#),
        ("CLA-TOOL-02", json!({"shell": {"command": "x", "background": false}}), "Bash", r#"{"command":"x"}"#),
        ("CLA-TOOL-05", json!({"list": {"path": "."}}), "host_tool", r#"{"file_path":"/home/dev/project"}"#),
        (
            "CLA-TOOL-06",
            json!({"delete": {"path": "./a/../b"}}),
            "host_tool",
            r#"{"file_path":"/home/dev/project/a/../b"}"#,
        ),
        (
            "CLA-TOOL-03",
            json!({"edit": {"path": "/a", "edits": []}}),
            "Edit",
            r#"{"file_path":"/a","old_string":"","new_string":"","replace_all":false,"edits":[]}"#,
        ),
        ("CLA-TOOL-04", json!({"grep": {"pattern": "x", "path": "src"}}), "Grep", r#"{"pattern":"x","path":"src"}"#),
        ("CLA-TOOL-04", json!({"glob": {"pattern": "*", "path": "."}}), "Glob", r#"{"pattern":"*","path":"."}"#),
        ("CLA-TOOL-04", json!({"web_fetch": {"url": "https://a"}}), "WebFetch", r#"{"url":"https://a"}"#),
        ("CLA-TOOL-01", json!({"other": "text"}), "host_tool", r#""text""#),
        (
            "CLA-TOOL-01",
            json!({"mcp": {"server": "größe", "tool": "a.b c", "arguments": null}}),
            "mcp__gr__e__a_b_c",
            "null",
        ),
    ] {
        let (stdin, _) = encoded("PreToolUse", &before(&tool));
        let expected = format!(r#""tool_name":"{name}","tool_input":{input},"tool_use_id":"c1""#);
        assert!(stdin.contains(&expected), "{rule}: {stdin}");
    }
}

/// CLA-TOOL-09 to CLA-TOOL-13, where no event folder shows it.
#[test]
fn responses_of_rarer_results() {
    let shell = json!({"shell": {"command": "x"}});
    let read = json!({"read": {"path": "a"}});
    let grep = |mode: Value| json!({"grep": {"pattern": "x", "output_mode": mode}});
    let mcp = json!({"mcp": {"server": "s", "tool": "t", "arguments": {}}});
    let bash = |stdout: &str| {
        format!(r#"{{"stdout":{stdout},"stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}"#)
    };
    for (rule, tool, output, response) in [
        ("CLA-TOOL-09", &shell, json!({"shell": {"stdout": "a\n\n"}}), bash(r#""a\n""#)),
        ("CLA-TOOL-09", &shell, json!({"shell": {"stdout": "a\r\n"}}), bash(r#""a""#)),
        ("CLA-TOOL-09", &shell, json!({"shell": {"stderr": "e\n"}}), bash(r#""e""#)),
        ("CLA-TOOL-09", &shell, json!({"shell": {"combined": "c\n", "stdout": "a", "stderr": "b"}}), bash(r#""c""#)),
        ("CLA-TOOL-09", &shell, json!({"shell": {"stdout": "a", "shell_id": "7", "state": "running"}}), bash(r#""a""#)),
        ("CLA-TOOL-13", &shell, json!({"text": "a\n"}), r#""a\n""#.into()),
        ("CLA-TOOL-13", &shell, json!({"json": {"a": 1}}), r#"{"a":1}"#.into()),
        (
            "CLA-TOOL-10",
            &read,
            json!({"text": ""}),
            r#"{"type":"text","file":{"filePath":"/home/dev/project/a","content":"","numLines":1,"startLine":1,"totalLines":1}}"#.into(),
        ),
        (
            "CLA-TOOL-10",
            &read,
            json!({"binary": {"bytes": 7, "media_type": "application/zip"}}),
            r#"{"type":"binary","file":{"type":"application/zip","originalSize":7}}"#.into(),
        ),
        (
            "CLA-TOOL-12",
            &grep(json!("count")),
            json!({"text": "a.rs:3\nb.rs:1\n"}),
            r#"{"mode":"count","numFiles":0,"filenames":[],"content":"a.rs:3\nb.rs:1\n","numLines":2}"#.into(),
        ),
        (
            "CLA-TOOL-12",
            &grep(json!(null)),
            json!({"text": ""}),
            r#"{"mode":"files_with_matches","numFiles":0,"filenames":[]}"#.into(),
        ),
        ("CLA-TOOL-13", &mcp, json!({"mcp": {"result": {"content": 5, "x": 1}}}), "5".into()),
        ("CLA-TOOL-13", &mcp, json!({"mcp": {"result": [[1]]}}), "[[1]]".into()),
        ("CLA-TOOL-13", &mcp, json!({"mcp": {"result": null}}), "null".into()),
        ("CLA-TOOL-13", &mcp, json!({"text": "t"}), r#""t""#.into()),
        ("CLA-TOOL-13", &json!({"delete": {"path": "a"}}), json!({"text": "gone"}), r#""gone""#.into()),
    ] {
        let (stdin, _) = encoded("PostToolUse", &result(tool, &output));
        let expected = format!(r#""tool_response":{response},"tool_use_id":"c1","duration_ms":250"#);
        assert!(stdin.contains(&expected), "{rule}: {stdin}\nnot {expected}");
    }
}

/// CLA-TOOL-14: an error of more than 10 000 UTF-16 units loses its middle, never the exit code.
#[test]
fn long_errors_lose_their_middle() {
    let error = |printed: &str| {
        let output = json!({"shell": {"stdout": printed, "exit_code": 3}});
        let stdin = value("PostToolUseFailure", &result(&json!({"shell": {"command": "x"}}), &output));
        stdin["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(error(&"a".repeat(9_988)), format!("Exit code 3\n{}", "a".repeat(9_988)));
    let short = error(&format!("{}END", "a".repeat(9_986)));
    assert!(short.starts_with("Exit code 3\naaa") && short.ends_with("aEND"), "{short}");
    assert!(short.contains("\n\n... [1 characters truncated] ...\n\n"), "{short}");
    let failure = json!({"tool.failure": {"call": call(&json!({"other": {}})), "error": "é".repeat(10_001)}});
    let stdin = value("PostToolUseFailure", &common::envelope(&failure.to_string()));
    assert!(stdin["error"].as_str().unwrap().contains("[1 characters truncated]"));
}
