//! Every configuration case is as written: what is bound, what is refused, what its author is told,
//! and what answers of its hooks come to.

use super::{
    super::{ConfigCase, ExpectedBinding, codes},
    subject::{Subject, parsed, text},
};
use crate::{Adapter, Asked, Binding, Exit, Fidelity, Handler, Matcher, Outcome, Parsed, Standing, Text};

pub(super) fn faults(subject: &Subject<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for case in &subject.configs {
        for (fidelity, adapter) in subject.each() {
            let parsed = parsed(adapter, &case.file(), &case.bytes);
            let wrong = made(case, fidelity, &parsed).into_iter().chain(answers(adapter, fidelity, case, &parsed));
            let head = format!("{}, {} ({})", subject.shown(&case.path), fidelity.name(), case.rules.join(" "));
            faults.extend(wrong.map(|what| format!("{head}: {what}")));
        }
    }
    faults
}

fn made(case: &ConfigCase, fidelity: Fidelity, parsed: &Parsed) -> Vec<String> {
    let expected = case.expected(fidelity);
    let bound = |bindings: &mut dyn Iterator<Item = String>| bindings.collect::<Vec<_>>();
    let differ = |what: &str, expected: &[String], got: &[String]| {
        let lines = |lines: &[String]| lines.iter().map(|line| format!("\n    {line}")).collect::<String>();
        (expected != got).then(|| format!("{what}\n  expected{}\n  got{}", lines(expected), lines(got)))
    };
    let (refused, got) = (expected.refused.to_string(), parsed.refused.is_some().to_string());
    let refused = differ("refused", &[refused], &[got]);
    let bindings = differ(
        "bindings",
        &bound(&mut expected.bindings.iter().map(wanted)),
        &bound(&mut parsed.bindings.iter().map(self::bound)),
    );
    let told = differ("diagnostics", &expected.diagnostics, &codes(&parsed.diagnostics));
    let lost = parsed.diagnostics.iter().filter(|diagnostic| diagnostic.source.is_none());
    let lost = lost.map(|diagnostic| format!("{} names no file", diagnostic.code));
    [refused, bindings, told].into_iter().flatten().chain(lost).collect()
}

/// A binding in the terms of a case.
fn bound(binding: &Binding) -> String {
    let text = |text: &Text| text.to_string();
    let (handler, args, shell) = match &binding.handler {
        Handler::Shell { .. } | Handler::PerSystem { .. } => ("shell", None, None),
        Handler::NamedShell { shell, .. } => ("shell", None, Some(text(shell))),
        Handler::Exec { args, .. } => ("exec", Some(args.iter().map(text).collect()), None),
        Handler::Http { .. } => ("http", None, None),
        Handler::McpTool { .. } => ("mcp_tool", None, None),
        Handler::Prompt(_) => ("prompt", None, None),
        Handler::Agent(_) => ("agent", None, None),
        Handler::Unusable { .. } => ("unusable", None, None),
    };
    wanted(&ExpectedBinding {
        event: binding.event_name.to_owned(),
        command: text(binding.handler.text()),
        matcher: (!matches!(binding.matcher, Matcher::Any)).then(|| binding.matcher.to_string()),
        timeout_ms: binding.timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
        failure: binding.failure,
        loop_limit: binding.loop_limit,
        handler: handler.to_owned(),
        args,
        shell,
        condition: binding.condition.as_ref().map(|condition| condition.text().to_owned()),
        background: binding.background.is_some(),
        wakes: binding.background.is_some_and(|background| background.wakes),
        skipped: matches!(binding.standing, Standing::Skipped(_)),
    })
}

fn wanted(binding: &ExpectedBinding) -> String {
    format!("{binding:?}")
}

/// What hooks of the document print, and what that comes to.
fn answers(adapter: &dyn Adapter, fidelity: Fidelity, case: &ConfigCase, parsed: &Parsed) -> Vec<String> {
    let mut faults = Vec::new();
    for answer in &case.answers {
        let Some(binding) = parsed.bindings.iter().find(|binding| binding.event_name == answer.event) else {
            faults.push(format!("{}: no hook of {} is bound that could print it", answer.name, answer.event));
            continue;
        };
        let asked = Asked::new(binding.event, "Acme", binding.handler.text())
            .handler(&binding.handler)
            .failure(binding.failure)
            .loop_limit(binding.loop_limit);
        let got = adapter.decode(asked, &Outcome::new(Exit::Code(0)).stdout(answer.stdout.clone()));
        let differ = answer.expected(fidelity).compare_all(&got);
        let printed = text(&answer.stdout);
        faults.extend(differ.iter().map(|fault| format!("{}, printed {printed}\n{fault}", answer.name)));
    }
    faults
}
