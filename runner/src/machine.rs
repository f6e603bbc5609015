//! The machine this program runs on, as a value for the host. The only place that looks.

use std::path::{Path, PathBuf};

use harness_hooks_core::Machine;

/// The machine this program runs on: whether it is Windows, the bash at `/bin/bash` if there is
/// one, and the user's shell (`$SHELL`).
pub fn machine() -> Machine {
    let bash = Path::new("/bin/bash");
    let shell = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
    Machine::new()
        .windows(cfg!(windows))
        .bash(bash.is_file().then(|| bash.to_path_buf()))
        .shell(shell.map(PathBuf::from))
}
