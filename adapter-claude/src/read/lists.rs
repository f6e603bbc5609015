//! What goes on or will run after a turn, read back. CLA-ENC-20

use harness_hooks_core::{BackgroundTask, Schedule, Text};

use super::Document;
use crate::tools::{Object, Wrong};

impl Document {
    pub(super) fn tasks(&mut self) -> Result<Vec<BackgroundTask>, Wrong> {
        self.list("background_tasks", |task| {
            Ok(BackgroundTask::new(
                task.required::<Text>("id")?,
                task.required::<Text>("type")?,
                task.required::<Text>("status")?,
            )
            .description(task.known::<Text>("description")?)
            .command(task.known::<Text>("command")?)
            .agent_kind(task.known::<Text>("agent_type")?)
            .server(task.known::<Text>("server")?)
            .tool(task.known::<Text>("tool")?)
            .name(task.known::<Text>("name")?))
        })
    }

    pub(super) fn schedules(&mut self) -> Result<Vec<Schedule>, Wrong> {
        self.list("session_crons", |schedule| {
            Ok(Schedule::new(
                schedule.required::<Text>("id")?,
                schedule.required::<Text>("schedule")?,
                schedule.required::<bool>("recurring")?,
                schedule.required::<Text>("prompt")?,
            ))
        })
    }

    /// A list of objects; what is left over of each is named.
    fn list<T>(&mut self, key: &str, read: impl Fn(&mut Object) -> Result<T, Wrong>) -> Result<Vec<T>, Wrong> {
        let mut items = self.keys.known::<Vec<Object>>(key)?.unwrap_or_default();
        let read = items.iter_mut().map(read).collect();
        for (n, item) in items.iter().enumerate() {
            self.ignored.extend(item.pointers(&format!("/{key}/{n}")));
        }
        read
    }
}
