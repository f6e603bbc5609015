//! What the runtime says about itself: where it fires hooks, what it can carry out, how it wants
//! doubtful cases decided, and the machine it runs on.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use crate::{Boundary, Capabilities, Facet};

/// How far a host is with a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Support {
    /// It runs hooks there.
    Fires,
    /// It will one day: hooks are bound, never run, and their authors told so.
    Planned,
}

/// The agent runtime that embeds this library.
///
/// ```
/// use harness_hooks_core::{Boundary, Capabilities, Host};
/// let host = Host::new("Acme", "1.4")
///     .fires([Boundary::ToolBefore, Boundary::TurnStop])
///     .honours(Capabilities::ALL.without(Capabilities::DEFER))
///     .attended(true);
/// assert!(host.support(Boundary::SessionStart, None).is_none());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Host {
    /// Its name, as people know it; reasons written by this library carry it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it can carry out. All but [`Capabilities::DEFER`] by default.
    pub honours: Capabilities,
    /// Someone is there to answer an ask. No by default: an ask is then a denial.
    pub attended: bool,
    /// How often hooks may make the agent go on after it stopped, over all vendors and in total
    /// since the last prompt a user caused; 8 by default.
    pub continuation_cap: u32,
    /// A guard that fails, or does not decide, denies. Off by default.
    pub strict: bool,
    /// A call changed by a hook is shown once more to the hooks that judged what it was before. On
    /// by default.
    pub rejudge: bool,
    /// The vendor's surface it stands for; none by default, where every event happens.
    pub surface: Option<String>,
    /// Names hooks may set in later hooks' environment although they are protected (`PATH`, …).
    pub allowed_env: Vec<String>,
    /// The machine hooks run on.
    pub machine: Machine,
    /// A few, looked through for every document that is written: a list is faster than a map.
    moments: Vec<(Boundary, Option<Facet>, Support)>,
    timeouts: BTreeMap<Boundary, Duration>,
}

/// What choosing a shell depends on. A value, so that every system's choice is testable on any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// It runs Windows.
    pub windows: bool,
    /// Its bash, if it has one.
    pub bash: Option<PathBuf>,
    /// The user's shell (`$SHELL`).
    pub shell: Option<PathBuf>,
    /// Its PowerShell, if it has one.
    pub powershell: Option<PathBuf>,
    /// The environment hooks inherit, for what is not a process: where a header names a variable.
    pub env: BTreeMap<String, String>,
}

impl Machine {
    /// A machine that runs neither Windows nor has a bash.
    pub fn new() -> Self {
        Machine::default()
    }

    /// It runs Windows.
    pub fn windows(mut self, windows: bool) -> Self {
        self.windows = windows;
        self
    }

    /// Its bash.
    pub fn bash(mut self, bash: impl Into<Option<PathBuf>>) -> Self {
        self.bash = bash.into();
        self
    }

    /// Its PowerShell.
    pub fn powershell(mut self, powershell: impl Into<Option<PathBuf>>) -> Self {
        self.powershell = powershell.into();
        self
    }

    /// The environment hooks inherit.
    pub fn env(mut self, env: impl IntoIterator<Item = (String, String)>) -> Self {
        self.env = env.into_iter().collect();
        self
    }

    /// The user's shell.
    pub fn shell(mut self, shell: impl Into<Option<PathBuf>>) -> Self {
        self.shell = shell.into();
        self
    }
}

impl Host {
    /// A host that fires nothing yet.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Host {
            name: name.into(),
            version: version.into(),
            honours: Capabilities::ALL.without(Capabilities::DEFER),
            attended: false,
            continuation_cap: 8,
            strict: false,
            rejudge: true,
            surface: None,
            allowed_env: Vec::new(),
            machine: Machine::default(),
            moments: Vec::new(),
            timeouts: BTreeMap::new(),
        }
    }

    /// It runs hooks at these boundaries.
    pub fn fires(self, boundaries: impl IntoIterator<Item = Boundary>) -> Self {
        self.supports(boundaries, Support::Fires)
    }

    /// It will one day run hooks at these boundaries.
    pub fn plans(self, boundaries: impl IntoIterator<Item = Boundary>) -> Self {
        self.supports(boundaries, Support::Planned)
    }

    fn supports(mut self, boundaries: impl IntoIterator<Item = Boundary>, support: Support) -> Self {
        boundaries.into_iter().for_each(|boundary| self.set(boundary, None, support));
        self
    }

    fn set(&mut self, boundary: Boundary, facet: Option<Facet>, support: Support) {
        self.moments.retain(|(b, f, _)| (*b, *f) != (boundary, facet));
        self.moments.push((boundary, facet, support));
    }

    /// Says it of one facet only; a facet of which nothing is said is as its boundary.
    pub fn facet(mut self, boundary: Boundary, facet: Facet, support: Support) -> Self {
        self.set(boundary, Some(facet), support);
        self
    }

    /// What it can carry out.
    pub fn honours(mut self, capabilities: Capabilities) -> Self {
        self.honours = capabilities;
        self
    }

    /// Whether someone is there to answer an ask.
    pub fn attended(mut self, attended: bool) -> Self {
        self.attended = attended;
        self
    }

    /// How often hooks may make the agent go on since the user's last prompt.
    pub fn continuation_cap(mut self, cap: u32) -> Self {
        self.continuation_cap = cap;
        self
    }

    /// Whether a guard that fails, or does not decide, denies.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether a changed call is judged once more.
    pub fn rejudge(mut self, rejudge: bool) -> Self {
        self.rejudge = rejudge;
        self
    }

    /// The vendor's surface it stands for.
    pub fn surface(mut self, surface: impl Into<Option<String>>) -> Self {
        self.surface = surface.into();
        self
    }

    /// Lets hooks set this protected name in later hooks' environment.
    pub fn allows_env(mut self, name: impl Into<String>) -> Self {
        self.allowed_env.push(name.into());
        self
    }

    /// The machine hooks run on.
    pub fn machine(mut self, machine: Machine) -> Self {
        self.machine = machine;
        self
    }

    /// The timeout at a boundary for hooks whose definition and vendor say none.
    pub fn timeout(mut self, boundary: Boundary, timeout: Duration) -> Self {
        self.timeouts.insert(boundary, timeout);
        self
    }

    /// How far it is with a boundary, or with its part about one facet; `None`: it has no such
    /// moment.
    pub fn support(&self, boundary: Boundary, facet: Option<Facet>) -> Option<Support> {
        let said = |facet| self.moments.iter().find(|(b, f, _)| (*b, *f) == (boundary, facet)).map(|(_, _, s)| *s);
        let special = facet.and_then(|facet| said(Some(facet)));
        special.or_else(|| said(None))
    }

    /// The timeout at a boundary: 30 s before an operation or a prompt, 5 s at the end of a
    /// session, 60 s elsewhere, unless the host says another.
    pub fn default_timeout(&self, boundary: Boundary) -> Duration {
        let seconds = match boundary {
            Boundary::SessionEnd => 5,
            boundary if boundary.precedes_operation() || boundary.precedes_prompt() => 30,
            _ => 60,
        };
        self.timeouts.get(&boundary).copied().unwrap_or(Duration::from_secs(seconds))
    }
}
