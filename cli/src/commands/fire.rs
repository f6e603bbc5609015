//! `fire`: runs the hooks for an envelope. People see each hook as it finishes; programs get the
//! whole in binding order. Then it stays until those have ended that nobody waits for. Running is
//! the runner's, deciding is core's.

use std::sync::Arc;

use harness_hooks_core::{
    Action, Decision, Effects, Envelope, Exit, Fired, Invocation, Outcome, SessionState, Skipped, Snapshot, Stage, Why,
};
use harness_hooks_runner::{Late, Progress};

use crate::{
    args::{FireArgs, Format},
    failure::Failure,
    human::{
        self, FAINT, Fields, STRONG, about_stages, columns, count, decision, diagnostic, effects, handler, line,
        outcome, painted, paragraph, refused, shown, verdict,
    },
    input,
    json::{Fire, FireLine, OutcomeShape, SkippedLine},
    out,
    running::Running,
};

/// Lines of a hook's standard error shown to people: `--format json` has them all.
const STDERR_LINES: usize = 20;

/// Whether all of the result reached standard output.
type Written = Result<(), Failure>;

/// Exits with 0 where the operation may proceed, 2 where it is denied or halted, 3 where someone
/// has to decide.
pub(crate) fn run(args: &FireArgs) -> Result<u8, Failure> {
    let FireArgs { occurrence: args, explain } = args;
    let (snapshot, envelope, state) = super::occurrence(args)?;
    let people = args.common.format == Format::Human;
    let mut running = Running::new(&snapshot, people || *explain)?;
    let (fired, written) = if people {
        for_people(&mut running, &snapshot, &envelope, &state, *explain)
    } else {
        for_programs(&mut running, &envelope, &state, *explain)
    };
    let kept = match args.situation.state.as_deref() {
        Some(path) => input::change_state(path, |state| state.apply(fired.change.clone())),
        None => Ok(()),
    };
    let code = code_with(code(&fired.decision), [written, kept]);
    let columns = columns();
    running.rest(|late| {
        if people {
            let _ = out::text(&page_late(late, columns)); // what counts is written
        }
    });
    Ok(code)
}

/// What is not permitted stays so where a result or the state could not be written; a permission
/// does not, since its conditions may be lost.
fn code_with(decided: u8, writing: [Result<(), Failure>; 2]) -> u8 {
    let failures = writing.into_iter().filter_map(Result::err);
    let failed = failures.map(|failure| {
        out::aside(&human::failure(&failure));
        failure.code
    });
    match (decided, failed.max()) {
        (0, Some(failed)) => failed,
        _ => decided,
    }
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
    running: &mut Running,
    snapshot: &Arc<Snapshot>,
    envelope: &Envelope,
    state: &SessionState,
    explain: bool,
) -> (Fired, Written) {
    let columns = columns();
    let head = refused(&snapshot.refused(envelope), columns) + &super::head(envelope, snapshot, columns);
    let mut written = out::text(&head);
    let mut write = |text: &str| {
        if written.is_ok() {
            written = out::text(text);
        }
    };
    let worth_a_line = |skipped: &Skipped| explain || is_worth_a_line(skipped);
    let mut staged = false;
    let mut ran = false;
    let mut ended_early = false;
    let mut behind = 0;
    let mut told = Vec::new();
    let fired = running.decide(envelope, state, |progress| match progress {
        Progress::Stage(stage) => {
            behind += stage.background.len();
            if !has_a_page(stage, worth_a_line) {
                return;
            }
            if !std::mem::replace(&mut staged, true) {
                write(&about_stages(columns));
            }
            write(&page_stage(stage));
        }
        Progress::Finished { invocation, outcome, effects, .. } => {
            ran = true;
            told.extend(effects.diagnostics.iter().cloned());
            write(&page_hook(invocation, outcome, effects, columns));
        }
        Progress::Skipped(skipped) if explain => write(&page_explained(skipped, columns)),
        Progress::Skipped(skipped) if worth_a_line(skipped) => write(&page_skipped(skipped, columns)),
        Progress::NeverReached(never) if explain => {
            if !std::mem::replace(&mut ended_early, true) {
                write(&format!("\n{}\n", painted(STRONG, "Later stages")));
            }
            write(&page_explained(never, columns));
        }
        _ => {}
    });
    // the head names these documents, and what makes their hooks run
    told.extend(fired.decision.diagnostics.iter().filter(|finding| finding.code.ends_with("/untrusted")).cloned());
    if !ran && behind == 0 {
        write(
            "\nNo hook ran. `harness-hooks plan` says why of each hook, `harness-hooks list` shows where they were looked for.\n",
        );
    }
    write(&format!("\n{}", decision(&fired.decision, &told, columns)));
    if behind > 0 {
        let said = format!(
            "\nThe decision did not wait for {}; what it says comes too late to count:\n",
            count(behind, "hook")
        );
        write(&said);
    }
    (fired, written)
}

fn for_programs(running: &mut Running, envelope: &Envelope, state: &SessionState, explain: bool) -> (Fired, Written) {
    let mut skipped = explain.then(Vec::new);
    let mut stages: Vec<Vec<(String, Option<FireLine>)>> = Vec::new();
    let mut background = Vec::new();
    out::aside(&super::no_directory(envelope).iter().map(diagnostic).collect::<String>());
    let fired = running.decide(envelope, state, |progress| match progress {
        Progress::Stage(stage) => {
            out::aside(&stage.diagnostics.iter().map(diagnostic).collect::<String>());
            background.extend(stage.background.iter().map(|i| i.binding.id.to_string()));
            stages.push(stage.invocations.iter().map(|i| (i.binding.id.to_string(), None)).collect());
        }
        Progress::Skipped(left_out) | Progress::NeverReached(left_out) => {
            let line = || SkippedLine { binding: left_out.binding.id.to_string(), why: left_out.why.to_string() };
            skipped.iter_mut().for_each(|skipped| skipped.push(line()));
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
    });
    let stages = stages.into_iter().map(|stage| stage.into_iter().filter_map(|(_, line)| line).collect::<Vec<_>>());
    let stages: Vec<_> = stages.filter(|stage| !stage.is_empty()).collect();
    let (boundary, decision) = (envelope.boundary().name(), &fired.decision);
    let skipped = skipped.as_deref();
    let written = out::json(&Fire { boundary, stages: &stages, skipped, background: &background, decision });
    (fired, written)
}

fn has_a_page(stage: &Stage, worth_a_line: impl Fn(&Skipped) -> bool) -> bool {
    !stage.invocations.is_empty() || stage.skipped.iter().any(worth_a_line)
}

fn page_stage(stage: &Stage) -> String {
    let again = if stage.rejudging { ", once more with the changed call" } else { "" };
    let head = painted(STRONG, &format!("Stage {}{again}", stage.number));
    format!("\n{head}\n{}", stage.diagnostics.iter().map(diagnostic).collect::<String>())
}

fn page_hook(invocation: &Invocation, ended: &Outcome, said: &Effects, columns: Option<usize>) -> String {
    let binding = &invocation.binding;
    let command = handler(&binding.handler);
    let mut text = paragraph(&command, (&command, STRONG), 2, columns);
    let ended_in_a_sentence = matches!(ended.exit, Exit::NotStarted(_) | Exit::Failed(_));
    let then = if ended_in_a_sentence { ";" } else { ":" };
    text.push_str(&format!("    {}{then} {}\n", outcome(ended), verdict(said)));
    let mut fields = Fields::default();
    fields.say_in(FAINT, "hook", line(binding.id.as_str()));
    let stderr = stderr(&ended.stderr);
    if !stderr.is_empty() {
        fields.say_in(FAINT, "stderr", stderr);
    }
    text + &fields.render(4, columns) + &effects(said, 4, columns)
}

fn page_late(late: &Late, columns: Option<usize>) -> String {
    let mut text = page_hook(&late.invocation, &late.outcome, &late.effects.value, columns);
    if late.wakes() {
        text.push_str("    wakes the agent\n");
    }
    text
}

fn stderr(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<_> = text.trim_end().lines().collect();
    let left = lines.len().saturating_sub(STDERR_LINES);
    let shown = shown(&lines[..lines.len() - left].join("\n"));
    if left == 0 { shown } else { format!("{shown}\n… {left} more lines") }
}

fn page_skipped(skipped: &Skipped, columns: Option<usize>) -> String {
    let text = format!("{}: not run, {}", handler(&skipped.binding.handler), line(&skipped.why.to_string()));
    paragraph(&text, (&text, FAINT), 2, columns)
}

/// The same with its name, since commands may be the same.
fn page_explained(skipped: &Skipped, columns: Option<usize>) -> String {
    let mut fields = Fields::default();
    fields.say_in(FAINT, "hook", line(skipped.binding.id.as_str()));
    page_skipped(skipped, columns) + &fields.render(4, columns)
}

/// Hooks of other tools and events are not, unless they are asked for.
fn is_worth_a_line(skipped: &Skipped) -> bool {
    !matches!(skipped.why, Why::Facet(_) | Why::NotThisEvent)
}
