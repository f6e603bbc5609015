//! What hooks did and asked for, and what is decided, in labels and words.

use anstyle::Style;
use harness_hooks_core::{
    Action, BindingId, By, Conflict, Continuation, Decision, Diagnostic, Effects, EnvReader, EnvWish, Exit, Extra,
    Halt, HaltScope, Handler, InputRewrite, Json, Outcome, Text, ToolOutput, Unsupported, Verdict,
};

use super::{BAD, DOUBT, FAINT, Fields, GOOD, brief, diagnostic, line, painted, quoted, shown};

/// What a hook runs, as short as tells it from another. What is no process is said to be what it is.
pub(crate) fn handler(handler: &Handler) -> String {
    let text = handler.text();
    match handler {
        Handler::Exec { program, args } => {
            let words: Vec<_> = std::iter::once(program).chain(args).map(|word| quoted(word)).collect();
            brief(&words.join(" "))
        }
        Handler::McpTool { .. } => format!("mcp tool {}", brief(text)),
        Handler::Prompt(_) => format!("prompt: {}", brief(text)),
        Handler::Agent(_) => format!("agent: {}", brief(text)),
        _ => brief(text),
    }
}

/// How a hook ended and how long it took.
pub(crate) fn outcome(outcome: &Outcome) -> String {
    let end = match &outcome.exit {
        Exit::Code(code) => format!("exit {code}"),
        Exit::Signal(signal) => format!("killed by signal {signal}"),
        Exit::TimedOut => "timed out".into(),
        Exit::Cancelled => "cancelled".into(),
        Exit::Failed(why) => return painted(BAD, &format!("gave no answer: it {}", line(why))),
        Exit::NotStarted(why) => return painted(BAD, &format!("not started: {}", line(why))),
        _ => "ended".into(),
    };
    let style = if outcome.exit == Exit::Code(0) { Style::new() } else { DOUBT };
    let cut = if outcome.stdout_truncated { ", output cut off" } else { "" };
    let leaked = if outcome.leaked { ", left a child holding its output" } else { "" };
    format!("{} after {} ms{cut}{leaked}", painted(style, &end), outcome.elapsed_ms)
}

/// The strongest thing a hook asked for, in a word or two.
pub(crate) fn verdict(effects: &Effects) -> String {
    match effects.verdict {
        Some(Verdict::Allow) => painted(GOOD, "allow"),
        Some(Verdict::Deny) => painted(BAD, "deny"),
        Some(other) => painted(DOUBT, other.name()),
        None if effects.halt.is_some() => painted(BAD, "halt"),
        None if effects.continuation.is_some() => painted(DOUBT, "continue"),
        None if wishes(effects).is_empty() => painted(FAINT, "asks for nothing"),
        None => painted(FAINT, "no verdict"),
    }
}

/// Everything a hook asked for beside its verdict, and what its author should know.
pub(crate) fn effects(effects: &Effects, indent: usize, columns: Option<usize>) -> String {
    let mut text = wishes(effects).render(indent, columns);
    for finding in &effects.diagnostics {
        for line in diagnostic(finding).lines() {
            text.push_str(&format!("{:indent$}{line}\n", ""));
        }
    }
    text
}

fn wishes(effects: &Effects) -> Fields {
    let mut fields = Fields::default();
    let mut all = |label, texts: &[Text]| texts.iter().for_each(|text| fields.say(label, shown(text)));
    all("reason", &effects.reasons);
    all("notice", &effects.notices);
    all("context", &effects.context);
    all("feedback", &effects.feedback);
    match &effects.replacement_input {
        Some(InputRewrite::Replace(input)) => fields.say("input", line(input.as_str())),
        Some(InputRewrite::Patch(patch)) => fields.say("input", format!("with {}", line(patch.as_str()))),
        None => {}
    }
    if let Some(result) = &effects.replacement_result {
        fields.say("result", line(result.value.as_str()));
    }
    effects.session_env.iter().for_each(|wish| fields.say("env", env(wish)));
    if let Some(wish) = &effects.halt {
        fields.say("halt", halt(wish));
    }
    if let Some(Continuation { message, .. }) = &effects.continuation {
        fields.say("continue", shown(message));
    }
    effects.extras.iter().for_each(|wish| fields.say("extra", extra(wish)));
    effects.unsupported.iter().for_each(|wish| fields.say_in(DOUBT, "ignored", unsupported(wish)));
    fields
}

/// What is decided, why, and who said so. Guards that are missing are said before, by
/// [`refused`](super::refused), and so was what is `told`, each with its hook.
pub(crate) fn decision(decision: &Decision, told: &[Diagnostic], columns: Option<usize>) -> String {
    let style = match decision.action {
        Action::Proceed => GOOD,
        Action::Deny => BAD,
        _ => DOUBT,
    };
    let head = format!("Decision: {}\n", painted(style, decision.action.name()));
    let untold = decision.diagnostics.iter().filter(|finding| !told.contains(finding));
    head + &settled(decision).render(2, columns) + &untold.map(diagnostic).collect::<String>()
}

fn settled(decision: &Decision) -> Fields {
    let mut fields = Fields::default();
    let mut said = |label, texts: &[By<Text>]| {
        for By { by, value } in texts {
            fields.say(label, shown(value));
            fields.say_in(FAINT, "", author(by));
        }
    };
    said("reason", &decision.reasons);
    said("notice", &decision.notices);
    said("context", &decision.context);
    said("feedback", &decision.feedback);
    if let Some(By { by, value }) = &decision.halt {
        fields.say("halt", halt(value));
        fields.say_in(FAINT, "", author(by));
    }
    if let Some(call) = &decision.call {
        fields.say("call", line(Json::of(&call.tool).as_str()));
    }
    if let Some(call) = &decision.original_call {
        fields.say("instead of", line(Json::of(&call.tool).as_str()));
    }
    if let Some(output) = &decision.output {
        fields.say("result", result(output));
    }
    for By { by, value } in &decision.session_env {
        fields.say("env", env(value));
        fields.say_in(FAINT, "", author(by));
    }
    for part in decision.continuation.iter().flat_map(|continuation| &continuation.parts) {
        fields.say("continue", shown(&part.value));
        fields.say_in(FAINT, "", author(&part.by));
    }
    decision.extras.iter().for_each(|wish| fields.say("extra", extra(&wish.value)));
    if decision.pre_approved {
        fields.say("approved", "every hook that decides allowed exactly this");
    }
    for by in &decision.judged_earlier_input {
        fields.say_in(DOUBT, "earlier", line(&format!("{by} judged another input than the one that will run")));
    }
    conflicts(&mut fields, &decision.conflicts);
    for By { by, value } in &decision.unsupported {
        fields.say_in(DOUBT, "ignored", format!("{} ({})", unsupported(value), line(by.as_str())));
    }
    fields
}

/// One field for each winner: the wishes that lost against it stand below each other.
fn conflicts(fields: &mut Fields, conflicts: &[Conflict]) {
    let same = |a: &Conflict, b: &Conflict| a.about == b.about && a.winner == b.winner;
    for lost in conflicts.chunk_by(same) {
        let Some(first) = lost.first() else { continue };
        let losers = lost.iter().map(|conflict| line(conflict.loser.as_str())).collect::<Vec<_>>().join("\n  ");
        fields
            .say("conflict", format!("{}: {} wins over\n  {losers}", line(&first.about), line(first.winner.as_str())));
    }
}

fn author(by: &BindingId) -> String {
    format!("by {}", line(by.as_str()))
}

fn halt(halt: &Halt) -> String {
    let scope = match halt.scope {
        HaltScope::Prompt => "the prompt is not sent",
        HaltScope::Turn => "the turn ends",
        HaltScope::Session => "the session ends",
    };
    halt.reason.as_ref().map_or_else(|| scope.into(), |reason| format!("{scope}: {}", shown(reason)))
}

fn env(wish: &EnvWish) -> String {
    let reader = match wish.reader {
        EnvReader::Hooks => "for later hooks",
        EnvReader::Tools => "for the model's commands",
    };
    format!("{}={} {reader}", line(&wish.name), line(&wish.value))
}

fn extra(wish: &Extra) -> String {
    match wish {
        Extra::PluginPaths { paths } => format!("plugins in {}", line(&paths.join(", "))),
        Extra::Vendor { name, value } => line(&format!("{name} {}", value.as_str())),
        _ => "of a kind this command does not know".into(),
    }
}

fn unsupported(wish: &Unsupported) -> String {
    line(&format!("`{}` means nothing on {}", wish.field, wish.event))
}

fn result(output: &ToolOutput) -> String {
    line(Json::of(output).as_str())
}
