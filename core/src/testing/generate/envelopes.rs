//! Envelopes with any optional field there or not, and the standard input they become.

use harness_hooks_core::{Adapter, Envelope, EventId, Occasion, SessionState, Targets};
use harness_hooks_cursor::Cursor;
use proptest::{collection::vec, prelude::*, sample::select};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};

use super::cases;
use crate::common;

/// The keys before and after an event's own; `?` where a key may be absent.
const BEFORE: &[&str] = &["conversation_id", "generation_id", "model?", "model_id?", "model_params"];
const AFTER: &[&str] = &[
    "session_id",
    "hook_event_name",
    "cursor_version",
    "acme_version",
    "workspace_roots",
    "user_email",
    "transcript_path",
];
const TOKENS: &[&str] = &["input_tokens?", "output_tokens?", "cache_read_tokens?", "cache_write_tokens?"];

/// CUR-ENC-02, CUR-ENC-05 to CUR-ENC-17: each event's own keys, in order.
fn own(event: &str) -> Vec<&'static str> {
    match event {
        "sessionStart" => vec!["is_background_agent", "composer_mode"],
        "sessionEnd" => vec!["reason", "duration_ms?", "is_background_agent", "final_status", "error_message?"],
        "preToolUse" => vec!["tool_name", "tool_input", "tool_use_id", "cwd?"],
        "postToolUse" => vec!["tool_name", "tool_input", "tool_output", "duration?", "tool_use_id", "cwd?"],
        "postToolUseFailure" => vec![
            "tool_name",
            "tool_input",
            "error_message",
            "failure_type",
            "duration?",
            "tool_use_id",
            "is_interrupt",
            "cwd?",
            "cancellation_reason?",
        ],
        "subagentStart" => vec![
            "subagent_id",
            "subagent_type",
            "task",
            "parent_conversation_id",
            "tool_call_id?",
            "subagent_model?",
            "is_parallel_worker",
            "git_branch?",
        ],
        "subagentStop" => vec![
            "subagent_id",
            "subagent_type",
            "status",
            "task?",
            "description?",
            "summary?",
            "duration_ms?",
            "message_count?",
            "tool_call_count?",
            "loop_count",
            "modified_files",
            "agent_transcript_path",
            "parent_conversation_id",
            "error_message?",
            "git_branch?",
        ],
        "beforeShellExecution" => vec!["command", "cwd", "sandbox?", "tool_use_id"],
        "afterShellExecution" => vec!["command", "output", "duration?", "exit_code?", "sandbox?", "tool_use_id"],
        "beforeMCPExecution" => vec![
            "tool_name",
            "tool_input",
            "mcp_server_name",
            "mcp_server_id?",
            "url?",
            "mcp_server_url?",
            "command?",
            "tool_use_id",
        ],
        "afterMCPExecution" => vec![
            "tool_name",
            "tool_input",
            "mcp_server_name",
            "mcp_server_id?",
            "mcp_server_url?",
            "result_json",
            "duration?",
            "tool_use_id",
        ],
        "beforeReadFile" => vec!["file_path", "content", "attachments"],
        "afterFileEdit" => vec!["file_path", "edits", "tool_use_id"],
        "beforeSubmitPrompt" => vec!["prompt", "attachments"],
        "preCompact" => vec![
            "trigger",
            "context_usage_percent?",
            "context_tokens?",
            "context_window_size?",
            "message_count?",
            "messages_to_compact?",
            "is_first_compaction?",
        ],
        "stop" => [&["status", "loop_count"], TOKENS].concat(),
        "afterAgentResponse" => [&["text"], TOKENS].concat(),
        "afterAgentThought" => vec!["text", "duration_ms?"],
        other => panic!("{other} has no keys of its own"),
    }
}

/// An object's keys as they are written, equal ones too.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Keys;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

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
        shell(),
        mcp(),
        file_edit(),
        tagged("read", object(vec![must("path", text()), may("offset", count()), may("limit", count())])),
        tagged("delete", object(vec![must("path", text())])),
        tagged("grep", object(vec![must("pattern", text()), may("path", text()), may("glob", text())])),
        tagged("glob", object(vec![must("pattern", text()), may("path", text())])),
        tagged("list", object(vec![must("path", text())])),
        tagged("web_fetch", object(vec![must("url", text()), may("prompt", text())])),
        tagged("web_search", object(vec![must("query", text())])),
        tagged("task", object(vec![must("kind", text()), must("prompt", text()), may("model", text())])),
        tagged("mcp_resource", object(vec![must("server", text()), must("uri", text()), may("name", text())])),
        tagged("other", any_json().boxed()),
    ]
    .boxed()
}

/// A call; what a host shows beside the tool's own keys may have the same names.
fn call(tool: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let extra = object(vec![may("rationale", text()), may("command", text()), may("file_path", any_json())]);
    object(vec![must("id", text()), must("host_name", text()), must("tool", tool), may("extra", extra)])
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

fn payload() -> BoxedStrategy<Value> {
    let end = || select(vec![json!("completed"), json!("aborted"), json!("error")]);
    let kind = select(vec![json!("error"), json!("timeout"), json!("cancelled"), json!("bad_arguments")]);
    let trigger = select(vec![json!("manual"), json!("auto")]);
    let free =
        object(vec![may("file_path", text()), may("content", text()), may("model", text()), may("range", any_json())]);
    let after = |tool: BoxedStrategy<Value>| {
        tagged(
            "tool.result",
            object(vec![must("call", call(tool)), must("output", output()), may("duration_ms", number())]),
        )
    };
    prop_oneof![
        1 => tagged("session.start", object(vec![may("background", flag()), may("mode", text())])),
        1 => tagged("session.end", object(vec![must("reason", text()), may("duration_ms", number()), may("error", text())])),
        1 => tagged("prompt.submit", object(vec![must("prompt", text()), may("attachments", attachments())])),
        3 => tagged("tool.before", object(vec![must("call", call(tool()))])),
        1 => tagged("tool.before", object(vec![must("call", call(shell()))])),
        1 => tagged("tool.before", object(vec![must("call", call(mcp()))])),
        2 => after(tool()),
        1 => after(shell()),
        1 => after(mcp()),
        1 => after(file_edit()),
        1 => tagged("tool.denied", object(vec![must("call", call(tool())), must("reason", text())])),
        1 => tagged("tool.failure", object(vec![
            must("call", call(tool())), must("error", text()), may("kind", kind), may("cancellation", text()),
            may("duration_ms", number()),
        ])),
        1 => tagged("turn.stop", object(vec![may("end", end()), may("last_message", text()), may("tokens", tokens())])),
        1 => tagged("agent.response", object(vec![must("text", text()), may("tokens", tokens())])),
        1 => tagged("agent.thought", object(vec![must("text", text()), may("duration_ms", number())])),
        1 => tagged("subagent.start", object(vec![
            must("id", text()), must("kind", text()), must("task", text()), may("call_id", text()),
            may("model", text()), may("parallel", flag()), may("git_branch", text()),
        ])),
        1 => tagged("subagent.stop", object(vec![
            must("id", text()), must("kind", text()), may("end", end()), may("task", text()), may("summary", text()),
            may("duration_ms", number()), may("message_count", count()), may("transcript", text()), may("error", text()),
        ])),
        1 => tagged("file.read", object(vec![must("path", text()), may("content", text()), may("attachments", attachments())])),
        1 => tagged("compact.before", object(vec![
            must("trigger", trigger), may("usage_percent", number()), may("tokens", count()), may("window", count()),
            may("message_count", count()), may("messages_to_compact", count()), may("first", flag()),
        ])),
        1 => tagged("workspace.open", object(vec![])),
        1 => tagged("tab.read", free.clone()),
        1 => tagged("tab.edit", free),
    ]
    .boxed()
}

fn envelope() -> impl Strategy<Value = Envelope> {
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
        must("payload", payload()),
    ];
    object(whole)
        .prop_map(|json| Envelope::read(json.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}")))
}

fn encoded(event: EventId, envelope: &Envelope) -> String {
    let (host, state, mut out) = (common::acme(), SessionState::new(), Vec::new());
    let diagnostics = Cursor::new().encode(event, Occasion::new(envelope, &host, &state), &mut out);
    assert_eq!(diagnostics, [], "what is text can be written");
    String::from_utf8(out).unwrap()
}

/// The events an envelope is an occurrence of.
fn happening(envelope: &Envelope) -> Vec<(EventId, &'static str)> {
    let specs = Cursor::new().events().iter().enumerate().map(|(n, spec)| (EventId(n as u16), spec.name));
    specs.filter(|(event, _)| Cursor::new().targets(*event, envelope) != Targets::NotThisEvent).collect()
}

/// Keys are these, in this order; only those with a `?` may be absent.
fn as_listed(keys: &[String], listed: &[&str]) -> Result<(), String> {
    let mut rest = keys.iter().peekable();
    for key in listed {
        let (name, optional) = key.strip_suffix('?').map_or((*key, false), |name| (name, true));
        if rest.next_if(|found| *found == name).is_none() && !optional {
            return Err(format!("{name} is not where it belongs in {keys:?}"));
        }
    }
    rest.next().map_or(Ok(()), |more| Err(format!("{more} is no key of it: {keys:?}")))
}

proptest! {
    #![proptest_config(cases(1000))]

    /// CUR-ENC-01, CUR-ENC-02: one line of JSON whose keys are the event's, in order, each once.
    #[test]
    fn standard_input_is_as_listed(envelope in envelope()) {
        for (event, name) in happening(&envelope) {
            let stdin = encoded(event, &envelope);
            prop_assert!(!stdin.contains('\n') && stdin.starts_with('{') && stdin.ends_with('}'), "{}", stdin);
            let Keys(keys) = serde_json::from_str(&stdin).unwrap();
            if name == "workspaceOpen" {
                prop_assert_eq!(keys, ["hook_event_name", "cursor_version", "workspace_roots", "user_email"]);
                continue;
            }
            let unique: std::collections::HashSet<_> = keys.iter().collect();
            prop_assert_eq!(unique.len(), keys.len(), "a key stands twice: {:?}", keys);
            if !name.contains("Tab") {
                let listed = [BEFORE, own(name).as_slice(), AFTER].concat();
                prop_assert_eq!(as_listed(&keys, &listed), Ok(()), "{}", name);
            }
            let stdin: Value = serde_json::from_str(&stdin).unwrap();
            prop_assert_eq!(&stdin["hook_event_name"], name);
        }
    }

    /// CUR-TOOL-04: what the host shows beside a tool's keys stands behind them, and never twice.
    #[test]
    fn no_key_of_an_input_stands_twice(envelope in envelope()) {
        let Some(call) = envelope.payload.call() else { return Ok(()) };
        for (event, name) in happening(&envelope).into_iter().filter(|(_, name)| name.contains("ToolUse")) {
            let raw: Raw = serde_json::from_str(&encoded(event, &envelope)).unwrap();
            let Ok(Keys(keys)) = serde_json::from_str(raw.tool_input.get()) else { continue };
            let unique: std::collections::HashSet<_> = keys.iter().collect();
            prop_assert_eq!(unique.len(), keys.len(), "{}: {}", name, raw.tool_input);
            if call.tool.kind() != "other" && call.extra.get("rationale").is_some() {
                prop_assert!(keys.iter().any(|key| key == "rationale"), "{:?}", keys);
            }
        }
    }

    /// CUR-ENC-19: an event handed an envelope it is not about writes the common fields.
    #[test]
    fn other_events_write_the_common_fields(envelope in envelope()) {
        for (n, spec) in Cursor::new().events().iter().enumerate() {
            let event = EventId(n as u16);
            if spec.moment(envelope.boundary(), envelope.payload.facet()).is_some() || spec.name == "workspaceOpen" {
                continue;
            }
            let Keys(keys) = serde_json::from_str(&encoded(event, &envelope)).unwrap();
            prop_assert_eq!(as_listed(&keys, &[BEFORE, AFTER].concat()), Ok(()), "{} at {}", spec.name, envelope.boundary());
        }
    }
}

#[derive(serde::Deserialize)]
struct Raw {
    tool_input: Box<serde_json::value::RawValue>,
}
