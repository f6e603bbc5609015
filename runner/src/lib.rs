//! Runs what [`harness_hooks_core`] plans: each [invocation](harness_hooks_core::Invocation) as a
//! real process, a request, or a call of the host's, and all of them for one occurrence through a
//! [`Dispatcher`], the one call a host needs.
//!
//! **What it is.** The only crate that touches the world. A hook runs in a process group (Unix) or
//! job object (Windows) of its own; its standard input is written and closed at once; what it
//! prints is kept up to a cap and read to the end; its timeout counts from its start. At the
//! timeout, on cancellation and when a future is dropped, the whole group ends, not only the
//! process that was started. Every way to end is an [`Exit`](harness_hooks_core::Exit): nothing a
//! hook does is an error of the caller's.
//!
//! **What it is not.** It knows no vendor: what to start is the adapter's
//! [`launch`](harness_hooks_core::Adapter::launch), and what the outcome means its
//! [`decode`](harness_hooks_core::Adapter::decode). It chooses no shell, is no sandbox, and prints
//! nothing. A host with its own process runner needs none of it:
//! [`Firing`](harness_hooks_core::Firing) is a plain machine.
//!
//! **Where to start.** [`Dispatcher::fire`] for a decision, [`Dispatcher::fire_with`] to watch it
//! come about, [`run`] for one process; [`Limits`], [`Environment`] and [`Cancel`] bound them.
//! [`Dispatcher::late`] hears of hooks nobody waited for, [`HostCalls`] makes the calls only a host
//! can make. [`Disk`] and [`machine`] are what [`Snapshot::load`](harness_hooks_core::Snapshot::load)
//! and [`Host::machine`](harness_hooks_core::Host::machine) want to know of this machine. What a
//! decision asks of a host is in [`Decision`](harness_hooks_core::Decision).
//!
//! **Feature `http`**, off by default: hooks that are requests. Without it they are not started and
//! say so.
//!
//! **Feature `watch`**, off by default: hook files are read again when they change. [`Watch`] keeps a
//! dispatcher's snapshot as new as its files, for as long as it lives:
//!
//! ```
//! # #[cfg(feature = "watch")]
//! # mod example {
//! use std::sync::Arc;
//! use harness_hooks_core::{Adapter, Files, Host, Places, Snapshot};
//! use harness_hooks_runner::{Disk, Dispatcher, Watch, WatchError};
//!
//! fn watched(adapters: Vec<Arc<dyn Adapter>>, host: Host, places: Places) -> Result<(Dispatcher, Watch), WatchError> {
//!     let dispatcher = Dispatcher::new(Snapshot::load(adapters.clone(), host.clone(), &places, &Disk));
//!     // with the files it is given, which remember what a file said before it was broken
//!     let load = move |files: &dyn Files| Snapshot::load(adapters.clone(), host.clone(), &places, files);
//!     let watch = Watch::start(dispatcher.clone(), load, |reload| {
//!         for kept in reload.kept {
//!             eprintln!("{} counts as it was: {:?}", kept.path.display(), kept.errors);
//!         }
//!     })?;
//!     Ok((dispatcher, watch))
//! }
//! # }
//! ```
//!
//! It needs a tokio runtime with I/O and time enabled, of any flavour. A host whose `main` is not
//! Rust's must ignore `SIGPIPE` itself, since a hook may close its standard input unread.
//!
//! ```
//! use std::sync::Arc;
//! use harness_hooks_core::{Adapter, Envelope, Host, Places, Snapshot};
//! use harness_hooks_runner::{Dispatcher, Disk, Progress, machine};
//!
//! async fn judge(adapters: Vec<Arc<dyn Adapter>>, places: &Places, envelope: &Envelope) {
//!     let host = Host::new("Acme", "1.4").fires([envelope.boundary()]).machine(machine());
//!     let dispatcher = Dispatcher::new(Snapshot::load(adapters, host, places, &Disk));
//!     let fired = dispatcher.fire_with(envelope, |progress| {
//!         if let Progress::Finished { invocation, outcome, .. } = progress {
//!             println!("{}: {:?} after {} ms", invocation.binding.id, outcome.exit, outcome.elapsed_ms);
//!         }
//!     });
//!     println!("{}", fired.await.decision.action.name());
//! }
//! ```

mod background;
mod calls;
mod cancel;
mod disk;
mod dispatcher;
mod environment;
mod group;
#[cfg(feature = "http")]
mod http;
mod limits;
mod machine;
mod means;
#[cfg(unix)]
mod members;
mod pipes;
mod process;
mod reason;
mod run;
mod scratch;
mod sessions;
#[cfg(feature = "watch")]
mod watch;

pub use background::Late;
pub use calls::{Answer, HostCalls};
pub use cancel::Cancel;
pub use disk::Disk;
pub use dispatcher::{Dispatcher, Progress};
pub use environment::Environment;
pub use limits::Limits;
pub use machine::machine;
pub use run::run;
#[cfg(feature = "watch")]
pub use watch::{Kept, Reload, Watch, WatchError};
