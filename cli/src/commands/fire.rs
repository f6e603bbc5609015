//! `fire`: runs the hooks for an envelope. People see each hook as it finishes; programs get the
//! whole in binding order. Running is the runner's, deciding is core's.

use std::sync::Arc;

use harness_hooks_core::{
    Action, Decision, Effects, Envelope, Fired, Invocation, Outcome, SessionState, Skipped, Snapshot, Stage, Why,
};
use harness_hooks_runner::{Cancel, Dispatcher, Progress};

use crate::{
    args::{FireArgs, Format},
    failure::Failure,
    host,
    human::{
        FAINT, Fields, STRONG, columns, decision, diagnostic, effects, line, outcome, painted, refused, shown, verdict,
    },
    input,
    json::{Fire, FireLine, OutcomeShape},
    out,
};

/// Lines of a hook's standard error shown to people: `--format json` has them all.
const STDERR_LINES: usize = 20;

/// Exits with 0 where the operation may proceed, 2 where it is denied or halted, 3 where someone
/// has to decide.
pub(crate) fn run(args: &FireArgs) -> Result<u8, Failure> {
    let (strict, headless) = (args.common.policy.strict, args.situation.headless);
    let places = host::places(&args.looking)?;
    let envelope = input::envelope(&args.envelope)?;
    let state = input::state(args.situation.state.as_deref())?;
    let host = host::host(strict, headless, args.looking.surface.surface.as_deref());
    let snapshot = host::load(host::adapters(None, args.common.policy.fidelity), host, &places)?;
    let (fired, after) = match args.common.format {
        Format::Human => for_people(&snapshot, &envelope, &state)?,
        Format::Json => for_programs(&snapshot, &envelope, &state)?,
    };
    if let Some(path) = args.situation.state.as_deref() {
        input::keep_state(path, &state, &after)?;
    }
    Ok(code(&fired.decision))
}

fn code(decision: &Decision) -> u8 {
    match decision.action {
        _ if decision.halt.is_some() => 2,
        Action::Proceed => 0,
        Action::Ask | Action::Defer => 3,
        _ => 2,
    }
}

fn for_people(
    snapshot: &Arc<Snapshot>,
    envelope: &Envelope,
    state: &SessionState,
) -> Result<(Fired, SessionState), Failure> {
    let columns = columns();
    out::text(&(refused(&snapshot.refused(envelope)) + &super::head(envelope, snapshot)))?;
    let mut written = Ok(());
    let mut ran = false;
    let (fired, after) = fire(snapshot, envelope, state, true, |progress| {
        let text = match progress {
            Progress::Stage(stage) => page_stage(stage),
            Progress::Finished { invocation, outcome, effects, .. } => {
                ran = true;
                page_hook(invocation, outcome, effects, columns)
            }
            Progress::Skipped(skipped) => page_skipped(skipped),
            _ => String::new(),
        };
        if written.is_ok() {
            written = out::text(&text);
        }
    })?;
    written?;
    if !ran {
        out::text("\nNo hook ran.\n")?;
    }
    out::text(&format!("\n{}", decision(&fired.decision, columns)))?;
    Ok((fired, after))
}

fn for_programs(
    snapshot: &Arc<Snapshot>,
    envelope: &Envelope,
    state: &SessionState,
) -> Result<(Fired, SessionState), Failure> {
    let mut stages: Vec<Vec<(String, Option<FireLine>)>> = Vec::new();
    let (fired, after) = fire(snapshot, envelope, state, false, |progress| match progress {
        Progress::Stage(stage) => {
            out::aside(&stage.diagnostics.iter().map(diagnostic).collect::<String>());
            stages.push(stage.invocations.iter().map(|i| (i.binding.id.to_string(), None)).collect());
        }
        Progress::Finished { invocation, outcome, effects, .. } => {
            let id = invocation.binding.id.as_str();
            let open =
                stages.last_mut().and_then(|stage| stage.iter_mut().find(|(of, line)| of == id && line.is_none()));
            if let Some((of, line)) = open {
                let (binding, outcome) = (of.clone(), OutcomeShape::from(outcome));
                *line = Some(FireLine { binding, outcome, effects: effects.clone() });
            }
        }
        _ => {}
    })?;
    let stages = stages.into_iter().map(|stage| stage.into_iter().filter_map(|(_, line)| line).collect::<Vec<_>>());
    let stages: Vec<_> = stages.filter(|stage| !stage.is_empty()).collect();
    out::json(&Fire { boundary: envelope.boundary().name(), stages: &stages, decision: &fired.decision })?;
    Ok((fired, after))
}

/// Runs the hooks; the state afterwards comes with what is decided. Asked to end, it ends the hooks
/// first, which run in groups of their own and would otherwise be left behind.
fn fire(
    snapshot: &Arc<Snapshot>,
    envelope: &Envelope,
    state: &SessionState,
    explaining: bool,
    observer: impl FnMut(Progress<'_>) + Send,
) -> Result<(Fired, SessionState), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::output("to the hooks", &error))?;
    runtime.block_on(async {
        let cancel = Cancel::new();
        let dispatcher = Dispatcher::new(snapshot.clone()).explaining(explaining).cancelled_by(&cancel);
        let session = &envelope.session.id;
        dispatcher.set_state(session, state.clone());
        let asked_to_end = asked_to_end(); // before the first hook starts
        let fired = {
            let firing = dispatcher.fire_with(envelope, observer);
            tokio::pin!(firing);
            tokio::select! {
                fired = &mut firing => fired,
                () = asked_to_end => {
                    cancel.cancel();
                    firing.await
                }
            }
        };
        Ok((fired, dispatcher.state(session)))
    })
}

/// Listens from now on; ready when this process is asked to end.
#[cfg(unix)]
fn asked_to_end() -> impl Future<Output = ()> {
    use std::task::Poll;
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    std::future::poll_fn(move |context| {
        let asked = signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if asked { Poll::Ready(()) } else { Poll::Pending }
    })
}

#[cfg(windows)]
fn asked_to_end() -> impl Future<Output = ()> {
    let signal = tokio::signal::windows::ctrl_c();
    async {
        match signal {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    }
}

fn page_stage(stage: &Stage) -> String {
    if stage.invocations.is_empty() && !stage.skipped.iter().any(is_worth_a_line) {
        return String::new();
    }
    let again = if stage.rejudging { ", once more with the changed call" } else { "" };
    let head = painted(STRONG, &format!("Stage {}{again}", stage.number));
    format!("\n{head}\n{}", stage.diagnostics.iter().map(diagnostic).collect::<String>())
}

fn page_hook(invocation: &Invocation, ended: &Outcome, said: &Effects, columns: Option<usize>) -> String {
    let binding = &invocation.binding;
    let mut text = format!("  {}\n", painted(STRONG, &line(binding.handler.text())));
    text.push_str(&format!("    {}: {}\n", outcome(ended), verdict(said)));
    let mut fields = Fields::default();
    fields.say_in(FAINT, "hook", line(binding.id.as_str()));
    let stderr = stderr(&ended.stderr);
    if !stderr.is_empty() {
        fields.say_in(FAINT, "stderr", stderr);
    }
    text + &fields.render(4, columns) + &effects(said, 4, columns)
}

fn stderr(bytes: &[u8]) -> String {
    let text = shown(&String::from_utf8_lossy(bytes));
    let lines: Vec<_> = text.trim_end().lines().collect();
    let left = lines.len().saturating_sub(STDERR_LINES);
    let shown = lines[..lines.len() - left].join("\n");
    if left == 0 { shown } else { format!("{shown}\n… {left} more lines") }
}

fn page_skipped(skipped: &Skipped) -> String {
    if !is_worth_a_line(skipped) {
        return String::new();
    }
    let command = line(skipped.binding.handler.text());
    format!("  {}\n", painted(FAINT, &format!("{command}: not run, {}", line(&skipped.why.to_string()))))
}

/// Hooks of other tools and events are not: `plan` shows them.
fn is_worth_a_line(skipped: &Skipped) -> bool {
    !matches!(skipped.why, Why::Facet(_) | Why::NotThisEvent)
}
