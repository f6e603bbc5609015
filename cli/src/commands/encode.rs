//! `encode`: what a hook of an event reads on its standard input.

use std::io::{self, IsTerminal};

use harness_hooks_core::{Occasion, Severity};

use crate::{args::EncodeArgs, failure::Failure, host, human::diagnostic, input, out};

/// The bytes are the same in every format; what could not be written is said on standard error.
pub(crate) fn run(args: &EncodeArgs) -> Result<u8, Failure> {
    let (adapter, event, spec) = host::event(&args.event, args.common.policy.fidelity)?;
    let envelope = input::envelope(&args.envelope)?;
    let state = input::state(args.state.as_deref())?;
    let host = host::host(args.common.policy.strict, false, None);
    let mut bytes = Vec::new();
    let mut findings = adapter.encode(event, Occasion::new(&envelope, &host, &state), &mut bytes);
    if spec.moment(envelope.boundary(), envelope.payload.facet()).is_none() {
        let message = format!(
            "{} does not happen at this {}, so only the fields that every event has are written",
            spec.name,
            envelope.boundary()
        );
        let code = format!("{}/other-event", adapter.vendor());
        findings.push(harness_hooks_core::Diagnostic::new(Severity::Note, code, message));
    }
    out::aside(&findings.iter().map(diagnostic).collect::<String>());
    if io::stdout().is_terminal() {
        bytes.push(b'\n');
    }
    out::bytes(&bytes)?;
    Ok(0)
}
