//! `envelope`: a complete sample of what happens at a boundary, in which what is unknown is null, so
//! that every key can be seen; or what a vendor's hook read, as an envelope. Reading is the adapter's.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_core::{
    AgentResponse, AgentThought, Attachment, AttachmentKind, BackgroundTask, Boundary, CompactAfter, CompactBefore,
    CompactTrigger, Continuations, Decimal, Diagnostic, Envelope, FailureKind, FileFacts, FileRead, Hunk, Json, Other,
    Payload, PromptSubmit, Reading, Schedule, Session, SessionEnd, SessionStart, SessionState, Shell, ShellOutput,
    SubagentStart, SubagentStop, Text, Tokens, ToolBefore, ToolCall, ToolDenied, ToolFailure, ToolOutput,
    ToolPermission, ToolResult, Turn, TurnStop,
};
use serde_json::json;

use crate::{
    args::{EnvelopeArgs, Format},
    failure::Failure,
    host,
    human::{diagnostic, is_unseen},
    input, out,
    vendors::Vendor,
};

const AT_MS: u64 = 1_764_500_000_000;

pub(crate) fn run(args: &EnvelopeArgs) -> Result<u8, Failure> {
    let envelope = match (args.from.as_deref(), args.vendor) {
        (Some(file), Some(vendor)) => read(file, vendor, args)?,
        _ => sample(boundary(args.boundary.as_deref().unwrap_or_default())?, &host::current_directory()?),
    };
    match args.common.format {
        Format::Json => out::json(&envelope)?,
        Format::Human => {
            let pretty = serde_json::to_string_pretty(&envelope);
            let pretty = pretty.map_err(|error| Failure::output("the envelope", &error.into()))?;
            out::text(&(spelled_out(&pretty) + "\n"))?;
        }
    }
    Ok(0)
}

/// The same JSON without the characters that steer a terminal or cannot be seen, which only its
/// texts can hold.
fn spelled_out(json: &str) -> String {
    let hidden = |c: char| (c.is_control() && c != '\n') || is_unseen(c);
    let spelled = |c: char| if hidden(c) { format!("\\u{:04x}", u32::from(c)) } else { c.into() };
    json.chars().map(spelled).collect()
}

fn boundary(name: &str) -> Result<Boundary, Failure> {
    Boundary::from_name(name).ok_or_else(|| Failure::usage(format!("there is no boundary `{name}`")))
}

/// What a hook read, as an envelope. What that cannot hold is kept where `--state` says, or told of.
fn read(file: &Path, vendor: Vendor, args: &EnvelopeArgs) -> Result<Envelope, Failure> {
    let adapter = vendor.adapter(args.common.policy.fidelity);
    let (name, shown) = (adapter.vendor(), input::shown(file));
    let reading = adapter.read(&input::bytes(file)?).map_err(|error| {
        Failure::input(format!("{shown} is not what a hook of {name} reads: {error}"))
            .help(format!("`harness-hooks encode --vendor {name}` writes it from an envelope"))
    })?;
    let Reading { envelope, state, ignored, .. } = reading;
    let note = |what: &str, message: String| Diagnostic::note(format!("{name}/{what}"), message).source(&*shown);
    let mut notes = Vec::new();
    if !ignored.is_empty() {
        notes.push(note("not-in-envelope", format!("no envelope holds `{}`", ignored.join("`, `"))));
    }
    match args.state.as_deref() {
        Some(path) => keep(path, &state)?,
        None if state.continuations.total > 0 || !state.env.is_empty() => {
            let message = format!("no envelope holds the state of the session: {}", Json::of(&state).as_str());
            notes.push(note("state", message).help("`--state FILE` keeps it where other commands read it"));
        }
        None => {}
    }
    out::aside(&notes.iter().map(diagnostic).collect::<String>());
    Ok(envelope)
}

/// Standard input shows a part of a state: that part is put into the file, the rest stays.
fn keep(path: &Path, shown: &SessionState) -> Result<(), Failure> {
    input::state(Some(path))?; // a broken one is a wrong input file here, not an output that failed
    input::change_state(path, |state| {
        state.env.extend(shown.env.clone());
        if shown.continuations != Continuations::default() {
            state.continuations = shown.continuations.clone();
        }
    })
}

/// An occurrence of a boundary with everything a host may know about it, in a project that is there,
/// since hooks start in it.
fn sample(boundary: Boundary, project: &Path) -> Envelope {
    let session = Session::new("session_1", project)
        .roots([project.to_path_buf()])
        .model(text("model-1"))
        .model_id(text("model-1-2026-01-01"))
        .transcript(path("/home/dev/.host/session_1.jsonl"))
        .permission_mode(text("default"))
        .effort(text("medium"))
        .title(text("Tidy up"))
        .user_email(text("dev@example.com"));
    let envelope = Envelope::new("envelope_1", AT_MS, Arc::new(session), payload(boundary, project));
    let outside_a_turn = matches!(
        boundary,
        Boundary::SessionSetup | Boundary::SessionStart | Boundary::SessionEnd | Boundary::WorkspaceOpen
    );
    if outside_a_turn { envelope } else { envelope.turn(Turn::new("turn_1")) }
}

fn payload(boundary: Boundary, project: &Path) -> Payload {
    match boundary {
        Boundary::SessionStart => session_start().into(),
        Boundary::SessionEnd => SessionEnd::new("completed").duration_ms(ms(754_321)).into(),
        Boundary::PromptSubmit => {
            PromptSubmit::new("Remove the build folder").attachments(attachments(project)).cause(text("user")).into()
        }
        Boundary::ToolBefore => ToolBefore::new(call(project)).into(),
        Boundary::ToolPermission => {
            let suggestions = json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
            ToolPermission::new(call(project)).suggestions(Some(suggestions.into())).into()
        }
        Boundary::ToolDenied => ToolDenied::new(call(project), "the user refused").into(),
        Boundary::ToolResult => {
            ToolResult::new(call(project), output()).file(Some(file_facts())).duration_ms(ms(42)).into()
        }
        Boundary::ToolFailure => ToolFailure::new(call(project), "no answer within 120 s")
            .kind(FailureKind::Timeout)
            .duration_ms(ms(120_000))
            .into(),
        Boundary::FileRead => FileRead::new(project.join("README.md"))
            .content(text("# Project\n"))
            .attachments(attachments(project))
            .into(),
        Boundary::TurnStop => TurnStop::new()
            .last_message(text("The build folder is gone."))
            .tokens(tokens())
            .background_tasks([task()])
            .schedules([schedule()])
            .into(),
        Boundary::AgentResponse => AgentResponse::new("The build folder is gone.").tokens(tokens()).into(),
        Boundary::AgentThought => AgentThought::new("The folder holds nothing of worth.").duration_ms(ms(1200)).into(),
        Boundary::SubagentStart => subagent_start().into(),
        Boundary::SubagentStop => subagent_stop(project).into(),
        Boundary::CompactBefore => compact_before().into(),
        Boundary::CompactAfter => {
            CompactAfter::new().trigger(CompactTrigger::Auto).summary(text("The build folder was removed.")).into()
        }
        other => Other::new(other, fields(other, project)).into(),
    }
}

fn session_start() -> SessionStart {
    SessionStart::new()
        .mode(text("agent"))
        .idle_seconds(Decimal::from(42))
        .context_tokens(18_500)
        .cache_expired(false)
        .cache_write_usd(Decimal::from(0.25))
}

fn file_facts() -> FileFacts {
    let hunk = Hunk::new(1_u64, 1_u64, 1_u64, 1_u64, [Text::from("-# Project"), Text::from("+# The project")]);
    FileFacts::new().total_lines(12).original(text("# Project\n")).hunks([hunk]).unseen(false)
}

fn task() -> BackgroundTask {
    BackgroundTask::new("task_1", "shell", "running")
        .description(text("Watch the tests"))
        .command(text("npm test -- --watch"))
        .agent_kind(text("explore"))
        .server(text("files"))
        .tool(text("search"))
        .name(text("watcher"))
}

fn schedule() -> Schedule {
    Schedule::new("schedule_1", "0 9 * * 1", true, "Look at the open issues")
}

fn call(project: &Path) -> ToolCall {
    let shell = Shell::new("rm -rf build")
        .cwd(project.to_path_buf())
        .timeout_ms(120_000)
        .description(text("Remove the build folder"))
        .sandboxed(false);
    ToolCall::new("call_1", "terminal", shell)
}

fn output() -> ToolOutput {
    ToolOutput::Shell(ShellOutput::new().stdout("removed\n").combined(text("removed\n")).exit_code(0))
}

fn subagent_start() -> SubagentStart {
    SubagentStart::new("subagent_1", "explore", "Find out who uses the build folder")
        .call_id(text("call_1"))
        .model(text("model-1"))
        .parallel(false)
        .git_branch(text("main"))
        .transcript(path("/home/dev/.host/subagent_1.jsonl"))
}

fn subagent_stop(project: &Path) -> SubagentStop {
    SubagentStop::new("subagent_1", "explore")
        .task(text("Find out who uses the build folder"))
        .description(text("Users of the build folder"))
        .summary(text("Nobody does."))
        .last_message(text("Nobody uses the build folder."))
        .background_tasks([task()])
        .schedules([schedule()])
        .duration_ms(ms(8500))
        .message_count(6)
        .tool_call_count(4)
        .modified_files([project.join("NOTES.md")])
        .transcript(path("/home/dev/.host/subagent_1.jsonl"))
        .git_branch(text("main"))
}

fn compact_before() -> CompactBefore {
    CompactBefore::new()
        .trigger(CompactTrigger::Auto)
        .usage_percent(Decimal::from(92.5))
        .tokens(185_000)
        .window(200_000)
        .message_count(120)
        .messages_to_compact(100)
        .first(true)
        .instructions(text("Keep the list of files."))
}

/// What only one vendor has hooks for, in that vendor's words.
fn fields(boundary: Boundary, project: &Path) -> Json {
    let file = |name: &str| project.join(name).display().to_string();
    let path = file("src/main.rs");
    let fields = match boundary {
        Boundary::SessionSetup => json!({"trigger": "init"}),
        Boundary::PromptExpand => json!({"expansion_type": "slash_command", "command_name": "review",
            "command_args": "src", "command_source": "project", "prompt": "Review src"}),
        Boundary::ToolBatch => json!({"tool_calls": [{"tool_name": "Bash", "tool_input": {"command": "ls"},
            "tool_use_id": "call_1", "tool_response": "README.md"}]}),
        Boundary::SkillShell => json!({"tool_name": "Bash", "tool_input": {"command": "git log -1"},
            "tool_use_id": "call_1", "command_name": "release", "command_source": "project", "invoked_by": "user"}),
        Boundary::TurnFailure => json!({"error": "rate_limit", "error_details": "429", "last_assistant_message": ""}),
        Boundary::TurnInterrupt => json!({}),
        Boundary::MessageDisplay => json!({"turn_id": "turn_1", "message_id": "message_1", "index": 0, "final": false,
            "delta": "The build"}),
        Boundary::ModelSwitchBefore | Boundary::ModelSwitchAfter => json!({"from_model": "model-1",
            "to_model": "model-2", "requested_model": "model-2", "source": "command", "context_tokens": 18500,
            "prompt_cache_warm": true, "cache_ttl": "5m", "estimated_cache_write_usd": 0.25, "pricing": null}),
        Boundary::InstructionsLoaded => json!({"file_path": file("AGENTS.md"), "memory_type": "Project",
            "load_reason": "session_start"}),
        Boundary::CwdChanged => json!({"old_cwd": project.display().to_string(), "new_cwd": file("src")}),
        Boundary::DirectoryAdded => json!({"directory": "/home/dev/other", "source": "slash_command"}),
        Boundary::FileChanged => json!({"file_path": file(".env"), "event": "change"}),
        Boundary::WorktreeCreate => json!({"name": "fix-build"}),
        Boundary::WorktreeRemove => json!({"worktree_path": "/home/dev/worktrees/fix-build"}),
        Boundary::ConfigChanged => json!({"source": "project_settings",
            "file_path": file(".claude/settings.json")}),
        Boundary::TaskCreated | Boundary::TaskCompleted => json!({"task_id": "task_1",
            "task_subject": "Remove the build folder", "task_description": "And nothing else",
            "teammate_name": "ann", "team_name": "builders"}),
        Boundary::TeammateIdle => json!({"teammate_name": "ann", "team_name": "builders"}),
        Boundary::Notification => json!({"message": "The agent waits for you", "title": "Acme",
            "notification_type": "idle_prompt"}),
        Boundary::Elicitation => json!({"mcp_server_name": "files", "message": "Which folder?", "mode": "form",
            "elicitation_id": "ask_1", "requested_schema": {"type": "object", "properties": {}}}),
        Boundary::ElicitationResult => json!({"mcp_server_name": "files", "elicitation_id": "ask_1", "mode": "form",
            "action": "accept", "content": {}}),
        Boundary::TabRead => json!({"file_path": path, "content": "fn main() {}\n"}),
        Boundary::TabEdit => json!({"file_path": path, "edits": [{"old_string": "{}", "new_string": "{ run() }"}]}),
        _ => json!({}),
    };
    fields.into()
}

fn attachments(project: &Path) -> Vec<Attachment> {
    vec![
        Attachment::new(AttachmentKind::File, project.join("README.md")),
        Attachment::new(AttachmentKind::Rule, project.join(".cursor/rules/style.mdc")),
    ]
}

fn tokens() -> Tokens {
    Tokens::new(1800, 240).cache(1500, 300)
}

fn text(text: &str) -> Option<Text> {
    Some(text.into())
}

fn path(path: &str) -> Option<PathBuf> {
    Some(path.into())
}

fn ms(milliseconds: u64) -> Option<Decimal> {
    Some(milliseconds.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROJECT: &str = "/home/dev/project";

    #[test]
    fn every_boundary_has_a_sample_that_reads_back() {
        for boundary in Boundary::ALL {
            let envelope = sample(*boundary, Path::new(PROJECT));
            assert_eq!(envelope.boundary(), *boundary);
            let written = serde_json::to_vec(&envelope).unwrap();
            assert_eq!(Envelope::read(&written).unwrap(), envelope, "{boundary}");
        }
    }

    /// Null is only what would contradict the rest.
    #[test]
    fn samples_are_complete() {
        let mut nulls = Vec::new();
        for boundary in Boundary::ALL {
            let value = serde_json::to_value(sample(*boundary, Path::new(PROJECT))).unwrap();
            collect_nulls(&value["payload"], String::new(), &mut nulls);
        }
        nulls.sort();
        nulls.dedup();
        assert_eq!(
            nulls,
            [
                "/model.switch.after/pricing",
                "/model.switch.before/pricing",
                "/session.end/error",
                "/subagent.stop/error",
                "/tool.failure/cancellation",
                "/tool.result/output/shell/pid",
                "/tool.result/output/shell/shell_id",
            ]
        );
    }

    fn collect_nulls(value: &serde_json::Value, pointer: String, nulls: &mut Vec<String>) {
        match value {
            serde_json::Value::Null => nulls.push(pointer),
            serde_json::Value::Object(map) => {
                map.iter().for_each(|(key, value)| collect_nulls(value, format!("{pointer}/{key}"), nulls));
            }
            _ => {}
        }
    }
}
