//! What goes on or will run after a turn, as Claude Code lists it. CLA-ENC-20

use harness_hooks_core::{BackgroundTask, Schedule, Text};
use serde::{Serialize, Serializer};

/// `background_tasks`.
pub(super) struct Tasks<'a>(pub(super) &'a [BackgroundTask]);

#[derive(Serialize)]
struct TaskView<'a> {
    id: &'a Text,
    r#type: &'a Text,
    status: &'a Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_type: Option<&'a Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a Text>,
}

impl Serialize for Tasks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|task| TaskView {
            id: &task.id,
            r#type: &task.kind,
            status: &task.status,
            description: task.description.as_ref(),
            command: task.command.as_ref(),
            agent_type: task.agent_kind.as_ref(),
            server: task.server.as_ref(),
            tool: task.tool.as_ref(),
            name: task.name.as_ref(),
        }))
    }
}

/// `session_crons`.
pub(super) struct Schedules<'a>(pub(super) &'a [Schedule]);

#[derive(Serialize)]
struct ScheduleView<'a> {
    id: &'a Text,
    schedule: &'a Text,
    recurring: bool,
    prompt: &'a Text,
}

impl Serialize for Schedules<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|schedule| ScheduleView {
            id: &schedule.id,
            schedule: &schedule.schedule,
            recurring: schedule.recurring,
            prompt: &schedule.prompt,
        }))
    }
}
