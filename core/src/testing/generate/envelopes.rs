//! Envelopes of every boundary, with any optional field there or not. All they hold is text, so that
//! nothing of them is unwritable.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use crate::{Boundary, Envelope};

/// Text that is awkward in JSON, on a terminal, or in a shell.
fn text() -> impl Strategy<Value = Value> {
    let odd =
        select(vec!["", " ", "a\nb", "\"quoted\"", "back\\slash", "größe 🦀", "\u{0}\u{1b}[2J", "\u{2028}", "a/b"]);
    prop_oneof![odd.prop_map(Value::from), "[a-z ]{1,12}".prop_map(Value::from)]
}

fn number() -> impl Strategy<Value = Value> {
    select(vec![json!(0), json!(12), json!(5432.1), json!(3_600_000)])
}

fn count() -> impl Strategy<Value = Value> {
    select(vec![json!(0), json!(7), json!(200_000)])
}

fn flag() -> impl Strategy<Value = Value> {
    any::<bool>().prop_map(Value::from)
}

type Field = (&'static str, bool, BoxedStrategy<Value>);

fn must(key: &'static str, value: impl Strategy<Value = Value> + 'static) -> Field {
    (key, true, value.boxed())
}

fn may(key: &'static str, value: impl Strategy<Value = Value> + 'static) -> Field {
    (key, false, value.boxed())
}

/// An object with every required field, and any of the others.
fn object(fields: Vec<Field>) -> BoxedStrategy<Value> {
    let each = fields.into_iter().map(|(key, required, value)| {
        let there = if required { Just(true).boxed() } else { any::<bool>().boxed() };
        (Just(key), there, value).boxed()
    });
    let keep = |fields: Vec<(&str, bool, Value)>| {
        fields.into_iter().filter(|(_, there, _)| *there).map(|(key, _, value)| (key.to_owned(), value)).collect()
    };
    each.collect::<Vec<_>>().prop_map(move |fields| Value::Object(keep(fields))).boxed()
}

fn tagged(tag: &'static str, value: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    value.prop_map(move |value| json!({ tag: value })).boxed()
}

fn any_json() -> impl Strategy<Value = Value> {
    select(vec![json!(null), json!("x"), json!([1, 2.5]), json!({"command": "x", "z": {"a": []}}), json!(12)])
}

fn shell() -> BoxedStrategy<Value> {
    let fields = vec![
        must("command", text()),
        may("cwd", text()),
        may("timeout_ms", count()),
        may("description", text()),
        may("background", flag()),
        may("sandboxed", flag()),
    ];
    tagged("shell", object(fields))
}

fn mcp() -> BoxedStrategy<Value> {
    let arguments = select(vec![json!({}), json!({"tool_name": 1, "sql": "x"}), json!({"rationale": "own"})]);
    let fields = vec![
        must("server", text()),
        must("tool", text()),
        must("arguments", arguments),
        may("server_id", text()),
        may("command_line", text()),
        may("url", text()),
    ];
    tagged("mcp", object(fields))
}

fn edits() -> impl Strategy<Value = Value> {
    let edit = object(vec![must("old", text()), must("new", text()), may("replace_all", flag())]);
    vec(edit, 0..3).prop_map(Value::from)
}

fn file_edit() -> BoxedStrategy<Value> {
    prop_oneof![
        tagged("write", object(vec![must("path", text()), must("content", text())])),
        tagged("edit", object(vec![must("path", text()), must("edits", edits())])),
        tagged("patch", object(vec![must("text", text()), may("paths", vec(text(), 0..3).prop_map(Value::from))])),
    ]
    .boxed()
}

fn tool() -> BoxedStrategy<Value> {
    prop_oneof![
        4 => shell(),
        4 => mcp(),
        3 => file_edit(),
        1 => tagged("read", object(vec![must("path", text()), may("offset", count()), may("limit", count())])),
        1 => tagged("delete", object(vec![must("path", text())])),
        1 => tagged("grep", object(vec![must("pattern", text()), may("path", text()), may("glob", text())])),
        1 => tagged("glob", object(vec![must("pattern", text()), may("path", text())])),
        1 => tagged("list", object(vec![must("path", text())])),
        1 => tagged("web_fetch", object(vec![must("url", text()), may("prompt", text())])),
        1 => tagged("web_search", object(vec![must("query", text())])),
        1 => tagged("task", object(vec![must("kind", text()), must("prompt", text()), may("model", text())])),
        1 => tagged("mcp_resource", object(vec![must("server", text()), must("uri", text()), may("name", text())])),
        1 => tagged("other", any_json().boxed()),
    ]
    .boxed()
}

/// A call; what a host shows beside the tool's own keys may have the same names.
fn call() -> BoxedStrategy<Value> {
    let extra = object(vec![may("rationale", text()), may("command", text()), may("file_path", any_json())]);
    object(vec![must("id", text()), must("host_name", text()), must("tool", tool()), may("extra", extra)])
}

fn output() -> BoxedStrategy<Value> {
    let state = select(vec![json!("finished"), json!("running"), json!("background")]);
    let shell = object(vec![
        may("stdout", text()),
        may("stderr", text()),
        may("combined", text()),
        may("exit_code", select(vec![json!(0), json!(3), json!(-1)])),
        may("state", state),
        may("shell_id", text()),
    ]);
    let result =
        select(vec![json!({"content": []}), json!({"kind": "x", "isError": true}), json!("bare"), json!(null)]);
    prop_oneof![
        tagged("shell", shell),
        tagged("mcp", object(vec![must("result", result), may("is_error", flag())])),
        tagged("text", text().boxed()),
        tagged("json", any_json().boxed()),
        tagged("binary", object(vec![must("bytes", count()), must("media_type", text())])),
    ]
    .boxed()
}

fn attachments() -> impl Strategy<Value = Value> {
    let kind = select(vec![json!("file"), json!("rule")]);
    vec(object(vec![must("kind", kind), must("path", text())]), 0..3).prop_map(Value::from)
}

fn tokens() -> BoxedStrategy<Value> {
    object(vec![may("input", count()), may("output", count()), may("cache_read", count()), may("cache_write", count())])
}

/// A payload of this boundary.
fn payload(boundary: Boundary) -> BoxedStrategy<Value> {
    let end = || select(vec![json!("completed"), json!("aborted"), json!("error")]);
    let fields = match boundary {
        Boundary::SessionStart => object(vec![may("background", flag()), may("mode", text())]),
        Boundary::SessionEnd => {
            object(vec![must("reason", text()), may("duration_ms", number()), may("error", text())])
        }
        Boundary::WorkspaceOpen => object(vec![]),
        Boundary::PromptSubmit => object(vec![must("prompt", text()), may("attachments", attachments())]),
        Boundary::ToolBefore => object(vec![must("call", call())]),
        Boundary::ToolDenied => object(vec![must("call", call()), must("reason", text())]),
        Boundary::ToolResult => {
            object(vec![must("call", call()), must("output", output()), may("duration_ms", number())])
        }
        Boundary::ToolFailure => {
            let kind = select(vec![json!("error"), json!("timeout"), json!("cancelled"), json!("bad_arguments")]);
            object(vec![
                must("call", call()),
                must("error", text()),
                may("kind", kind),
                may("cancellation", text()),
                may("duration_ms", number()),
            ])
        }
        Boundary::FileRead => {
            object(vec![must("path", text()), may("content", text()), may("attachments", attachments())])
        }
        Boundary::TurnStop => object(vec![may("end", end()), may("last_message", text()), may("tokens", tokens())]),
        Boundary::AgentResponse => object(vec![must("text", text()), may("tokens", tokens())]),
        Boundary::AgentThought => object(vec![must("text", text()), may("duration_ms", number())]),
        Boundary::SubagentStart => object(vec![
            must("id", text()),
            must("kind", text()),
            must("task", text()),
            may("call_id", text()),
            may("model", text()),
            may("parallel", flag()),
            may("git_branch", text()),
        ]),
        Boundary::SubagentStop => object(vec![
            must("id", text()),
            must("kind", text()),
            may("end", end()),
            may("task", text()),
            may("summary", text()),
            may("duration_ms", number()),
            may("message_count", count()),
            may("transcript", text()),
            may("error", text()),
        ]),
        Boundary::CompactBefore => object(vec![
            must("trigger", select(vec![json!("manual"), json!("auto")])),
            may("usage_percent", number()),
            may("tokens", count()),
            may("window", count()),
            may("message_count", count()),
            may("messages_to_compact", count()),
            may("first", flag()),
        ]),
        Boundary::TabRead | Boundary::TabEdit => object(vec![
            may("file_path", text()),
            may("content", text()),
            may("model", text()),
            may("range", any_json()),
        ]),
    };
    tagged(boundary.name(), fields)
}

/// An envelope of any boundary; of those with a tool call more often.
pub fn envelope() -> impl Strategy<Value = Envelope> {
    let each = Boundary::ALL.iter().map(|boundary| {
        let often = matches!(boundary, Boundary::ToolBefore | Boundary::ToolResult);
        (if often { 5 } else { 1 }, envelope_of(*boundary).boxed())
    });
    proptest::strategy::Union::new_weighted(each.collect())
}

/// An envelope of this boundary, with any optional field there or not.
pub fn envelope_of(boundary: Boundary) -> impl Strategy<Value = Envelope> {
    let session = object(vec![
        must("id", text()),
        must("cwd", Just(json!("/home/dev/project"))),
        may("roots", vec(text(), 0..3).prop_map(Value::from)),
        may("model", text()),
        may("model_id", text()),
        may("transcript", text()),
        may("user_email", text()),
    ]);
    let turn = object(vec![must("id", text())]);
    let whole = vec![
        must("id", text()),
        must("at_ms", Just(json!(1_764_500_000_000_u64))),
        must("session", session),
        may("turn", turn),
        must("payload", payload(boundary)),
    ];
    object(whole).prop_map(|json| match Envelope::read(json.to_string().as_bytes()) {
        Ok(envelope) => envelope,
        Err(error) => unreachable!("{error}: {json}"), // the fields above are those of the payloads
    })
}
