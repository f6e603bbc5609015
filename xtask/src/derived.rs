//! Files derived from the code: written, or compared with what they should be.

use std::{fs, path::Path};

use harness_hooks_fixtures::relative;
use similar::TextDiff;

use crate::Ended;

/// Derived files under way.
pub(crate) struct Derived {
    /// The task that writes them.
    task: &'static str,
    check: bool,
    drifted: usize,
}

impl Derived {
    pub(crate) fn new(task: &'static str, check: bool) -> Self {
        Derived { task, check, drifted: 0 }
    }

    /// Says what a file should be.
    pub(crate) fn file(&mut self, path: &Path, text: &str) -> Ended {
        let there = fs::read_to_string(path).unwrap_or_default();
        if there == text {
            return Ok(());
        }
        let name = relative(path);
        if self.check {
            self.drifted += 1;
            let diff = TextDiff::from_lines(there.as_str(), text);
            println!(
                "{}",
                diff.unified_diff().context_radius(3).header(&name, &format!("{name}, as the code gives it"))
            );
        } else {
            fs::write(path, text).map_err(|error| format!("{name}: {error}"))?;
            println!("wrote {name}");
        }
        Ok(())
    }

    /// An error if a file is not what it should be.
    pub(crate) fn finish(self) -> Ended {
        let Derived { task, drifted, .. } = self;
        if drifted == 0 {
            return Ok(());
        }
        Err(format!(
            "{drifted} derived files are not what the code gives: if the change is meant, run `cargo xtask {task}`"
        )
        .into())
    }
}
