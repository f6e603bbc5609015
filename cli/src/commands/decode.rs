//! `decode`: what the answer of a hook means.

use std::collections::BTreeMap;

use harness_hooks_core::{Asked, Effects, Exit, FailureMode, Handler, Outcome, Question};

use crate::{
    args::{DecodeArgs, ExitArgs, Format, HandlerKind},
    failure::Failure,
    host,
    human::{columns, effects, verdict},
    input, out,
};

pub(crate) fn run(args: &DecodeArgs) -> Result<u8, Failure> {
    let (stdout, stderr, envelope) = (args.stdout.as_deref(), args.stderr.as_deref(), args.envelope.as_deref());
    let (adapter, event, _) = host::event(&args.event, args.common.policy.fidelity)?;
    input::one_standard_input(&[stdout, stderr, envelope])?;
    let outcome = Outcome::new(exit(&args.exit))
        .stdout(stdout.map(input::bytes).transpose()?.unwrap_or_default())
        .stderr(stderr.map(input::bytes).transpose()?.unwrap_or_default())
        .truncated(args.truncated)
        .leaked(args.leaked);
    let envelope = envelope.map(input::envelope).transpose()?;
    let handler = handler(args);
    let asked = Asked::new(event, &args.host, &args.command)
        .failure(if args.fail_closed { FailureMode::Closed } else { FailureMode::Open })
        .strict(args.common.policy.strict)
        .loop_limit(args.loop_limit)
        .handler(&handler)
        .envelope(envelope.as_ref());
    let effects = adapter.decode(asked, &outcome);
    match args.common.format {
        Format::Json => out::json(&effects)?,
        Format::Human => out::text(&page(&effects, columns()))?,
    }
    Ok(0)
}

/// A handler of this kind that is known by the command's text.
fn handler(args: &DecodeArgs) -> Handler {
    let text = || args.command.as_str().into();
    let question = || Question::new(args.command.as_str()).continue_on_block(args.continue_on_block);
    match args.handler {
        HandlerKind::Command => Handler::Shell { line: text() },
        HandlerKind::Http => Handler::Http { url: text(), headers: BTreeMap::new(), variables: Vec::new() },
        HandlerKind::McpTool => Handler::McpTool { name: text(), server: "".into(), tool: text(), input: None },
        HandlerKind::Prompt => Handler::Prompt(question()),
        HandlerKind::Agent => Handler::Agent(question()),
    }
}

fn exit(args: &ExitArgs) -> Exit {
    match args {
        ExitArgs { signal: Some(signal), .. } => Exit::Signal(*signal),
        ExitArgs { timed_out: true, .. } => Exit::TimedOut,
        ExitArgs { cancelled: true, .. } => Exit::Cancelled,
        ExitArgs { not_started: Some(why), .. } => Exit::NotStarted(why.clone()),
        ExitArgs { failed: Some(why), .. } => Exit::Failed(why.clone()),
        ExitArgs { exit, .. } => Exit::Code(exit.unwrap_or(0)),
    }
}

fn page(said: &Effects, columns: Option<usize>) -> String {
    format!("{}\n{}", verdict(said), effects(said, 2, columns))
}
