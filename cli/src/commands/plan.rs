//! `plan`: which hooks would run for an envelope, what they would read and what would be started.
//! Later stages are planned as if nothing were rewritten or refused.

use harness_hooks_core::{
    Envelope, Invocation, Json, Launch, Matcher, Process, Skipped, Snapshot, Stage, Targets, Tested,
};

use crate::{
    args::{Format, OccurrenceArgs},
    failure::Failure,
    human::{
        DOUBT, FAINT, Fields, GOOD, STRONG, about_stages, columns, diagnostic, line, line_of, painted, paragraph,
        quoted, refused,
    },
    json::{LaunchShape, Plan, PlanLine, stdin},
    out,
};

/// More bytes of a hook's standard input are not shown to people: `--format json` has it whole.
const SHOWN: usize = 4096;

pub(crate) fn run(args: &OccurrenceArgs) -> Result<u8, Failure> {
    let (snapshot, envelope, state) = super::occurrence(args)?;

    let mut findings = Vec::new();
    let mut stages = Vec::new();
    let mut preview = snapshot.preview(&envelope, state);
    while let Some(stage) = preview.next_stage() {
        stages.push((stage.number, lines(&snapshot, preview.envelope(), &stage)));
        findings.extend(stage.diagnostics);
    }
    let refused_sources = snapshot.refused(&envelope);
    match args.common.format {
        Format::Human => {
            let mut text = refused(&refused_sources, columns()) + &super::head(&envelope, &snapshot, columns());
            text.push_str(&page(&stages, columns()));
            text.push_str(&findings.iter().map(diagnostic).collect::<String>());
            out::text(&text)?;
        }
        Format::Json => {
            let said = super::no_directory(&envelope).into_iter().chain(findings);
            out::aside(&said.map(|finding| diagnostic(&finding)).collect::<String>());
            let stages = stages.into_iter().map(|(_, lines)| lines).collect();
            out::json(&Plan { boundary: envelope.boundary().name(), stages, refused_sources })?;
        }
    }
    Ok(0)
}

/// Those that run and those that do not, in binding order.
fn lines(snapshot: &Snapshot, envelope: &Envelope, stage: &Stage) -> Vec<PlanLine> {
    let started = stage.invocations.iter().chain(&stage.background);
    let running = started.map(|i| (i.binding.id.as_str(), running(snapshot, envelope, i)));
    let skipped = stage.skipped.iter().map(|s| (s.binding.id.as_str(), skipped(s)));
    let mut lines: Vec<_> = running.chain(skipped).collect();
    let order = |id: &str| snapshot.bindings().iter().position(|binding| binding.id.as_str() == id);
    lines.sort_by_key(|(id, _)| order(id));
    lines.into_iter().map(|(_, line)| line).collect()
}

fn running(snapshot: &Snapshot, envelope: &Envelope, invocation: &Invocation) -> PlanLine {
    let binding = &invocation.binding;
    let unfit = match &invocation.launch {
        Launch::Refused(why) => Some(why.to_string()),
        Launch::Process(process) => unfit(process),
        _ => None,
    };
    let launch = if unfit.is_some() { None } else { LaunchShape::of(invocation) };
    let (runs, why) = match unfit {
        Some(why) => (false, format!("it cannot be started: {why}")),
        None => (true, why(snapshot, envelope, invocation) + &beside(invocation)),
    };
    PlanLine {
        binding: binding.id.to_string(),
        runs,
        why,
        event: binding.event_name,
        stdin: stdin(&invocation.stdin),
        launch,
    }
}

/// What else is to know of one that runs.
fn beside(invocation: &Invocation) -> String {
    let binding = &invocation.binding;
    let mut text = String::new();
    if let Some(condition) = &binding.condition {
        text.push_str(&format!(", and its condition `{}` holds", condition.text()));
    }
    if binding.background.is_some() {
        text.push_str("; nobody waits for it");
    }
    if matches!(invocation.launch, Launch::Call(_)) {
        text.push_str("; only a host that can make this call can run it, and `fire` cannot");
    }
    text
}

/// What no system can start, whatever is on its disk. The runner says the same of one that runs.
fn unfit(process: &Process) -> Option<String> {
    let nul = |text: &str| text.contains('\0');
    if nul(&process.program.to_string_lossy()) || process.args.iter().any(|arg| nul(arg)) {
        return Some("its command contains a NUL byte".into());
    }
    if nul(&process.cwd.to_string_lossy()) {
        return Some("the name of its working directory contains a NUL byte".into());
    }
    let (name, _) =
        process.env.iter().find(|(name, value)| name.is_empty() || name.contains(['\0', '=']) || nul(value))?;
    Some(format!("the variable `{}` has a name or a value that no process can be given", name.escape_default()))
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
        return "\nNo hook is bound here. `harness-hooks list` shows where hooks were looked for.\n".into();
    }
    let stage = |(number, lines): &(u16, Vec<PlanLine>)| {
        let lines: String = lines.iter().map(|line| entry(line, columns)).collect();
        format!("\n{}\n{lines}", painted(STRONG, &format!("Stage {number}")))
    };
    about_stages(columns) + &stages.iter().map(stage).collect::<String>()
}

fn entry(planned: &PlanLine, columns: Option<usize>) -> String {
    let (word, style) = if planned.runs { ("runs", GOOD) } else { ("does not run", DOUBT) };
    let mut fields = Fields::default();
    fields.say("why", line(&planned.why));
    if let Some(launch) = &planned.launch {
        started(&mut fields, launch);
    }
    if let Some(stdin) = &planned.stdin {
        fields.say_in(FAINT, "stdin", line_of(stdin.get(), SHOWN));
    }
    let head = paragraph(&format!("{word}: {}", line(&planned.binding)), (word, style), 2, columns);
    head + &fields.render(4, columns)
}

fn started(fields: &mut Fields, launch: &LaunchShape) {
    let timeout_ms = match launch {
        LaunchShape::Process { program, args, cwd, env, timeout_ms } => {
            let words = std::iter::once(program).chain(args).map(|word| quoted(word));
            fields.say("starts", words.collect::<Vec<_>>().join(" "));
            fields.say("in", line(cwd));
            env.iter().for_each(|(name, value)| fields.say("with", format!("{name}={}", line(value))));
            timeout_ms
        }
        LaunchShape::Http { url, headers, timeout_ms } => {
            fields.say("posts to", line(url));
            headers.iter().for_each(|name| fields.say("header", line(name)));
            timeout_ms
        }
        LaunchShape::Call { call, timeout_ms } => {
            fields.say("asks host", line(Json::of(call).as_str()));
            timeout_ms
        }
    };
    fields.say("at most", format!("{timeout_ms} ms"));
}
