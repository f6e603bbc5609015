//! `plan`: which hooks would run for an envelope, what they would read and what would be started.
//! Later stages are planned as if nothing were rewritten or refused.

use harness_hooks_core::{Envelope, Invocation, Launch, Matcher, Skipped, Snapshot, Stage, Targets, Tested};

use crate::{
    args::{Format, PlanArgs},
    failure::Failure,
    host,
    human::{DOUBT, FAINT, Fields, GOOD, STRONG, columns, diagnostic, line, painted, refused},
    input,
    json::{LaunchShape, Plan, PlanLine, stdin},
    out,
};

/// More of a hook's standard input is not shown to people: `--format json` has it whole.
const SHOWN: usize = 4096;

pub(crate) fn run(args: &PlanArgs) -> Result<u8, Failure> {
    let (strict, headless) = (args.common.policy.strict, args.situation.headless);
    let places = host::places(&args.looking)?;
    let envelope = input::envelope(&args.envelope)?;
    let state = input::state(args.situation.state.as_deref())?;
    let host = host::host(strict, headless, args.looking.surface.surface.as_deref());
    let snapshot = host::load(host::adapters(None, args.common.policy.fidelity), host, &places)?;

    let mut findings = Vec::new();
    let mut stages = Vec::new();
    let mut firing = snapshot.begin(&envelope, state).explaining();
    while let Some(stage) = firing.next_stage() {
        stages.push((stage.number, lines(&snapshot, firing.envelope(), &stage)));
        findings.extend(stage.diagnostics);
        firing.pass();
    }
    let refused_sources = snapshot.refused(&envelope);
    match args.common.format {
        Format::Human => {
            let mut text = refused(&refused_sources) + &super::head(&envelope, &snapshot);
            text.push_str(&page(&stages, columns()));
            text.push_str(&findings.iter().map(diagnostic).collect::<String>());
            out::text(&text)?;
        }
        Format::Json => {
            out::aside(&findings.iter().map(diagnostic).collect::<String>());
            let stages = stages.into_iter().map(|(_, lines)| lines).collect();
            out::json(&Plan { boundary: envelope.boundary().name(), stages, refused_sources })?;
        }
    }
    Ok(0)
}

/// Those that run and those that do not, in binding order.
fn lines(snapshot: &Snapshot, envelope: &Envelope, stage: &Stage) -> Vec<PlanLine> {
    let running = stage.invocations.iter().map(|i| (i.binding.id.as_str(), running(snapshot, envelope, i)));
    let skipped = stage.skipped.iter().map(|s| (s.binding.id.as_str(), skipped(s)));
    let mut lines: Vec<_> = running.chain(skipped).collect();
    let order = |id: &str| snapshot.bindings().iter().position(|binding| binding.id.as_str() == id);
    lines.sort_by_key(|(id, _)| order(id));
    lines.into_iter().map(|(_, line)| line).collect()
}

fn running(snapshot: &Snapshot, envelope: &Envelope, invocation: &Invocation) -> PlanLine {
    let binding = &invocation.binding;
    let (runs, why) = match &invocation.launch {
        Launch::Refused(why) => (false, format!("it cannot be started: {why}")),
        _ => (true, why(snapshot, envelope, invocation)),
    };
    PlanLine {
        binding: binding.id.to_string(),
        runs,
        why,
        event: binding.event_name,
        stdin: stdin(&invocation.stdin),
        launch: LaunchShape::of(invocation),
    }
}

/// What its matcher matches.
fn why(snapshot: &Snapshot, envelope: &Envelope, invocation: &Invocation) -> String {
    let binding = &invocation.binding;
    let (matcher, event) = (&binding.matcher, binding.event_name);
    if matches!(matcher, Matcher::Any) {
        return format!("it is about every {event}");
    }
    let adapter = snapshot.adapters().iter().find(|adapter| adapter.vendor() == *binding.vendor());
    let targets = adapter.map(|adapter| adapter.targets(binding.event, envelope));
    let tested = targets.iter().flat_map(Targets::texts);
    let mut hits = tested.map(|text| (text, matcher.test(&Targets::one(text)))).filter(|(_, hit)| hit.is_hit());
    match hits.next() {
        Some((text, Tested::Unevaluated(why))) => {
            format!("its matcher `{matcher}` could not be evaluated on `{text}`, so it runs: {why}")
        }
        Some((text, _)) => format!("its matcher `{matcher}` matches `{text}`"),
        None => format!("{event} has nothing its matcher `{matcher}` could be tested against here"),
    }
}

fn skipped(skipped: &Skipped) -> PlanLine {
    PlanLine {
        binding: skipped.binding.id.to_string(),
        runs: false,
        why: skipped.why.to_string(),
        event: skipped.binding.event_name,
        stdin: None,
        launch: None,
    }
}

fn page(stages: &[(u16, Vec<PlanLine>)], columns: Option<usize>) -> String {
    if stages.is_empty() {
        return "\nNo hook is bound here.\n".into();
    }
    let stage = |(number, lines): &(u16, Vec<PlanLine>)| {
        let lines: String = lines.iter().map(|line| entry(line, columns)).collect();
        format!("\n{}\n{lines}", painted(STRONG, &format!("Stage {number}")))
    };
    stages.iter().map(stage).collect()
}

fn entry(planned: &PlanLine, columns: Option<usize>) -> String {
    let word = if planned.runs { painted(GOOD, "runs") } else { painted(DOUBT, "does not run") };
    let mut fields = Fields::default();
    fields.say("why", line(&planned.why));
    if let Some(launch) = &planned.launch {
        let words = std::iter::once(&launch.program).chain(&launch.args).map(|word| quoted(word));
        fields.say("starts", words.collect::<Vec<_>>().join(" "));
        fields.say("in", line(&launch.cwd));
        launch.env.iter().for_each(|(name, value)| fields.say("with", format!("{name}={}", line(value))));
        fields.say("at most", format!("{} ms", launch.timeout_ms));
    }
    if let Some(stdin) = &planned.stdin {
        fields.say_in(FAINT, "stdin", cut(stdin.get()));
    }
    format!("  {word}: {}\n{}", line(&planned.binding), fields.render(4, columns))
}

/// A word as a person would write it for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    let word = line(word);
    if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn cut(stdin: &str) -> String {
    if stdin.len() <= SHOWN {
        return line(stdin);
    }
    let start: String = stdin.chars().take(SHOWN).collect();
    format!("{}… ({} bytes in all)", line(&start), stdin.len())
}
