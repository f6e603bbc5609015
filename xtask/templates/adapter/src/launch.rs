//! What to start for a definition: the shell, where it runs, and its variables.

use harness_hooks_core::{Binding, Handler, Launch, Occasion, Process};

/// `sh -c` in the folder of the source. Never a login shell: what a profile prints would stand
/// before the answer. __ABC__-RUN-01
pub(crate) fn launch(binding: &Binding, occasion: Occasion<'_>) -> Launch {
    let Handler::Shell { line, .. } = &binding.handler else {
        return Launch::Refused("hooks of this vendor are shell lines".into());
    };
    if occasion.host.machine.windows {
        return Launch::Refused("how this vendor starts hooks on Windows is not known yet".into());
    }
    Launch::Process(Process::new("/bin/sh", ["-c", line.as_str()], &binding.source.cwd))
}
