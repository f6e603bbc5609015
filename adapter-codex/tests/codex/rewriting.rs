//! Inputs and results that hooks want instead: what fits, what does not, and what is kept. The cases
//! of inputs are data, `fixtures/codex/rewrites.json`.

use harness_hooks_codex::Codex;
use harness_hooks_core::{
    Adapter, Edit, Fidelity, Fields, InputRewrite, Json, Misfit, Occasion, SessionState, TextEdit, Tool, ToolCall,
    ToolOutput, Write, testing::acme,
};
use harness_hooks_fixtures::of;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::common;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "about")]
    _about: String,
    #[serde(rename = "rules")]
    _rules: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    call: Tool,
    #[serde(default)]
    extra: Fields,
    wish: Json,
    ok: Option<Tool>,
    extra_after: Option<Fields>,
    misfit: Option<String>,
    #[serde(default)]
    why: String,
}

fn call(tool: Tool) -> ToolCall {
    ToolCall::new("c1", "host_tool", tool)
}

fn replaced(call: &ToolCall, wish: Json) -> Result<ToolCall, Misfit> {
    Codex::new().rewrite(call, &InputRewrite::Replace(wish))
}

/// CDX-TOOL-06, CDX-TOOL-08 to CDX-TOOL-10
#[test]
fn inputs_fit_or_the_misfit_names_the_key() {
    let path = of("codex").join("rewrites.json");
    let file: File = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(file.cases.len() >= 75, "{} cases", file.cases.len());
    for Case { call: tool, extra, wish, ok, extra_after, misfit, why } in file.cases {
        let shown = format!("{tool:?} wanted as {wish} ({why})");
        let mut before = call(tool);
        before.extra = extra;
        match (replaced(&before, wish), ok, misfit) {
            (Ok(after), Some(tool), None) => {
                assert_eq!(after.tool, tool, "{shown}");
                assert_eq!(after.extra, extra_after.unwrap_or(before.extra), "{shown}");
                assert_eq!((after.id, after.host_name), (before.id, before.host_name), "{shown}");
            }
            (Err(Misfit(said)), None, Some(key)) => {
                assert!(said.contains("`updatedInput`") && said.contains(&format!("`{key}`")), "{shown}: {said}");
                assert_eq!(said.starts_with("`updatedInput` must be"), key == "updatedInput", "{shown}: {said}");
            }
            (got, ..) => panic!("{shown}: {got:?}"),
        }
    }
}

/// CDX-TOOL-10: who has to mend a patch is told what is wrong with it.
#[test]
fn what_cannot_be_read_back_says_why() {
    let write = || Tool::from(Write::new("a", "one\n"));
    let edit = || Tool::from(Edit::new("a", [TextEdit::new("one\n", "1\n")]));
    let patch = |inside: &str| format!("*** Begin Patch\n{inside}*** End Patch\n");
    for (tool, text, why) in [
        (write(), "echo hi".to_owned(), "is no patch: one begins with `*** Begin Patch`"),
        (write(), patch(""), "changes no file"),
        (write(), patch("*** Add File: a\n+x\n*** Delete File: b\n"), "changes a second file"),
        (write(), patch("*** Delete File: a\n"), "deletes a file, where this call adds a file"),
        (write(), patch("*** Add File:  \n+x\n"), "does not say which file"),
        (write(), patch("*** Add File: a\nx\n"), "does not begin with `+`"),
        (write(), patch("*** Environment ID: x\n*** Add File: a\n"), "has `*** Environment ID: x` where"),
        (edit(), patch("*** Update File: a\n*** Move to: b\n@@\n-one\n+2\n"), "gives the file another name"),
        (edit(), patch("*** Update File: a\n@@ fn main()\n-one\n+2\n"), "has `@@ fn main()`, for which"),
        (edit(), patch("*** Update File: a\n@@\n-one\n+2\n*** End of File\n"), "has `*** End of File`, for which"),
        (edit(), patch("*** Update File: a\n"), "changes nothing"),
        (edit(), patch("*** Update File: a\n@@\n+x\n"), "without saying where"),
    ] {
        let Misfit(said) = replaced(&call(tool), json!({"command": text}).into()).unwrap_err();
        assert!(said.contains(why), "{text}: {said}");
    }
}

/// CDX-TOOL-08: Codex's hooks have no way of asking for single keys.
#[test]
fn single_keys_are_never_replaced() {
    let call = call(json_tool(&json!({"shell": {"command": "a"}})));
    Codex::new().rewrite(&call, &InputRewrite::Patch(json!({"command": "b"}).into())).unwrap_err();
}

fn json_tool(tool: &Value) -> Tool {
    serde_json::from_value(tool.clone()).unwrap()
}

/// CDX-ENC-17, CDX-TOOL-09: the rewritten call is what hooks of later events see, and what they do
/// not see of it is as it was.
#[test]
fn later_hooks_see_the_rewritten_call() {
    let before = call(json_tool(&json!({"shell": {"command": "a", "description": "d", "timeout_ms": 5}})));
    let after = serde_json::to_value(replaced(&before, json!({"command": "b"}).into()).unwrap()).unwrap();
    for (event, payload, seen) in [
        ("PermissionRequest", json!({"tool.permission": {"call": after}}), json!({"command": "b", "description": "d"})),
        ("PostToolUse", json!({"tool.result": {"call": after, "output": {"text": ""}}}), json!({"command": "b"})),
    ] {
        let envelope = common::envelope(&payload.to_string());
        let (mut stdin, host, state) = (Vec::new(), acme(), SessionState::new());
        let codex = Codex::with_fidelity(Fidelity::Vendor);
        codex.encode(codex.event(event).unwrap(), Occasion::new(&envelope, &host, &state), &mut stdin);
        let stdin: Value = serde_json::from_slice(&stdin).unwrap();
        assert_eq!(stdin["tool_input"], seen, "{event}");
    }
}

/// CDX-TOOL-11
#[test]
fn a_replaced_result_is_a_text_for_every_tool() {
    let shell = json!({"shell": {"command": "ls"}});
    let mcp = json!({"mcp": {"server": "srv", "tool": "echo", "arguments": {}}});
    let patch = json!({"patch": {"text": "x"}});
    let read = json!({"read": {"path": "a"}});
    let items = json!({"content": [{"type": "text", "text": "T"}]});
    for (tool, output, expected) in [
        (
            &shell,
            json!({"shell": {"stdout": "a", "stderr": "b", "exit_code": 3, "image": true, "pid": 7}}),
            json!({"shell": {"combined": "T", "exit_code": 3, "pid": 7}}),
        ),
        (
            &shell,
            json!({"shell": {"combined": "a", "state": "background", "shell_id": "s"}}),
            json!({"shell": {"combined": "T", "state": "background", "shell_id": "s"}}),
        ),
        (&shell, json!({"text": "a"}), json!({"text": "T"})),
        (&mcp, json!({"mcp": {"result": {"content": []}}}), json!({"mcp": {"result": items}})),
        (
            &mcp,
            json!({"mcp": {"result": {"isError": true}, "is_error": true}}),
            json!({"mcp": {"result": items, "is_error": true}}),
        ),
        (&mcp, json!({"json": [1]}), json!({"mcp": {"result": items}})),
        (&patch, json!({"json": {"ok": true}}), json!({"text": "T"})),
        (&read, json!({"text": "a"}), json!({"text": "T"})),
        (&read, json!({"binary": {"bytes": 1, "media_type": "image/png"}}), json!({"text": "T"})),
    ] {
        let output: ToolOutput = serde_json::from_value(output).unwrap();
        let expected: ToolOutput = serde_json::from_value(expected).unwrap();
        let call = call(json_tool(tool));
        assert_eq!(Codex::new().rewrite_result(&call, &output, &Json::of("T")), Ok(expected), "{tool}: {output:?}");
    }
}

/// CDX-TOOL-11
#[test]
fn a_replaced_result_that_is_no_text_does_not_fit() {
    let call = call(json_tool(&json!({"shell": {"command": "ls"}})));
    for wish in [json!(null), json!({"stdout": "x"}), json!(["x"]), json!(5), json!(true)] {
        let Misfit(said) = Codex::new().rewrite_result(&call, &ToolOutput::Text("a".into()), &wish.into()).unwrap_err();
        assert!(said.contains("must be text"), "{said}");
    }
}

/// Lines of a file: anything but a line end, above all what looks like a part of the grammar.
fn line() -> impl Strategy<Value = String> {
    let odd = ["", " ", "*** End Patch", "*** Add File: b", "@@", "-x", "+x", "*** End of File", "größe\r", "\u{feff}"];
    prop_oneof![proptest::sample::select(odd.to_vec()).prop_map(str::to_owned), "[ -~\t]{0,12}"]
}

fn whole_lines(least: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(line(), least..4).prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

fn change() -> impl Strategy<Value = Tool> {
    let edit = (whole_lines(1), whole_lines(0)).prop_map(|(old, new)| TextEdit::new(old, new));
    let path = || "[a-z/. é]{0,8}[a-z]".prop_map(|path| path.trim().to_owned());
    prop_oneof![
        (path(), whole_lines(0)).prop_map(|(path, content)| Tool::from(Write::new(path, content))),
        (path(), proptest::collection::vec(edit, 1..4)).prop_map(|(path, edits)| Tool::from(Edit::new(path, edits))),
    ]
}

fn shown(tool: &Tool) -> Json {
    let call = serde_json::to_value(call(tool.clone())).unwrap();
    let envelope = common::envelope(&json!({"tool.before": {"call": call}}).to_string());
    let (mut stdin, host, state) = (Vec::new(), acme(), SessionState::new());
    let event = Codex::new().event("PreToolUse").unwrap();
    Codex::new().encode(event, Occasion::new(&envelope, &host, &state), &mut stdin);
    let stdin: Json = serde_json::from_slice(&stdin).unwrap();
    stdin.fields().unwrap().get("tool_input").unwrap().clone()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// CDX-TOOL-04, CDX-TOOL-10: what a call shows reads back to that call, from any call of its kind
    /// whose lines all have ends; as it is shown it changes nothing, whatever the call.
    #[test]
    fn a_patch_that_is_shown_reads_back(wanted in change(), own in change()) {
        let command = shown(&wanted);
        prop_assert_eq!(replaced(&call(wanted.clone()), command.clone()).unwrap().tool, wanted.clone());
        match replaced(&call(own.clone()), command) {
            Ok(after) => prop_assert_eq!(after.tool, wanted),
            Err(_) => prop_assert_ne!(own.kind(), wanted.kind()),
        }
    }
}
