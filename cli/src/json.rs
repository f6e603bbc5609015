//! The shapes of `--format json`. Other programs rely on them: every key is always there, `null` or
//! empty where there is nothing. What core writes the same way is core's.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use harness_hooks_core::{
    Binding, Capabilities, Decision, Diagnostic, Effects, EventSpec, Exit, FailureMode, Handler, HostCall, Http,
    Invocation, Launch, Matcher, Outcome, Process, RefusedSource, Scope, Snapshot, SourceReport, Standing, Status,
    Text, Vendor,
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

/// `check` and `list`.
#[derive(Serialize)]
pub(crate) struct Configuration<'a> {
    pub(crate) sources: Vec<SourceLine<'a>>,
    pub(crate) bindings: Vec<BindingLine<'a>>,
    pub(crate) diagnostics: Vec<&'a Diagnostic>,
}

#[derive(Serialize)]
pub(crate) struct SourceLine<'a> {
    vendor: &'a Vendor,
    scope: Scope,
    path: Cow<'a, str>,
    status: Status,
    bindings: usize,
}

#[derive(Serialize)]
pub(crate) struct BindingLine<'a> {
    id: &'a str,
    vendor: &'a Vendor,
    event: &'static str,
    moments: Vec<String>,
    matcher: Option<String>,
    condition: Option<&'a str>,
    handler: &'a Handler,
    background: Option<BackgroundShape>,
    timeout_ms: Option<u64>,
    failure: FailureMode,
    loop_limit: Option<u32>,
    capabilities: Capabilities,
    standing: &'static str,
    why: Option<Text>,
}

/// Of a hook nobody waits for.
#[derive(Serialize)]
struct BackgroundShape {
    wakes: bool,
}

impl<'a> Configuration<'a> {
    pub(crate) fn of(snapshot: &'a Snapshot) -> Self {
        Configuration {
            sources: snapshot.sources().iter().map(SourceLine::of).collect(),
            bindings: snapshot.bindings().iter().filter_map(|binding| BindingLine::of(snapshot, binding)).collect(),
            diagnostics: snapshot.diagnostics().iter().collect(),
        }
    }

    /// Of a snapshot that was loaded as if the workspace were trusted: says what is not.
    pub(crate) fn untrusted(mut self, snapshot: &Snapshot) -> Self {
        for (line, report) in self.sources.iter_mut().zip(snapshot.sources()) {
            if line.status == Status::Loaded && report.source.needs_trust {
                line.status = Status::Untrusted;
            }
        }
        self
    }

    /// With these findings before all others.
    pub(crate) fn noting(mut self, notes: &'a [Diagnostic]) -> Self {
        self.diagnostics.splice(..0, notes);
        self
    }
}

impl<'a> SourceLine<'a> {
    fn of(report: &'a SourceReport) -> Self {
        let SourceReport { source, status, bindings, .. } = report;
        SourceLine {
            vendor: &source.vendor,
            scope: source.scope,
            path: source.path.to_string_lossy(),
            status: *status,
            bindings: *bindings,
        }
    }
}

impl<'a> BindingLine<'a> {
    fn of(snapshot: &Snapshot, binding: &'a Binding) -> Option<Self> {
        let spec = spec(snapshot, binding)?;
        let (standing, why) = standing(&binding.standing);
        Some(BindingLine {
            id: binding.id.as_str(),
            vendor: binding.vendor(),
            event: binding.event_name,
            moments: moments(spec),
            matcher: matcher(&binding.matcher),
            condition: binding.condition.as_ref().map(|condition| condition.text()),
            handler: &binding.handler,
            background: binding.background.map(|background| BackgroundShape { wakes: background.wakes }),
            timeout_ms: binding.timeout.map(milliseconds),
            failure: binding.failure,
            loop_limit: binding.loop_limit,
            capabilities: binding.capabilities(spec),
            standing,
            why,
        })
    }
}

/// The row of a binding's event.
fn spec(snapshot: &Snapshot, binding: &Binding) -> Option<&'static EventSpec> {
    let adapter = snapshot.adapters().iter().find(|adapter| adapter.vendor() == *binding.vendor())?;
    adapter.events().get(binding.event.index())
}

/// The moments of an event, as documents write them.
pub(crate) fn moments(spec: &EventSpec) -> Vec<String> {
    spec.moments.iter().map(ToString::to_string).collect()
}

/// What a definition is about; nothing where it is about everything.
pub(crate) fn matcher(matcher: &Matcher) -> Option<String> {
    (!matches!(matcher, Matcher::Any)).then(|| matcher.to_string())
}

/// Whether a binding takes part, and why it does not.
pub(crate) fn standing(standing: &Standing) -> (&'static str, Option<Text>) {
    match standing {
        Standing::Active => ("active", None),
        Standing::Planned => ("planned", Some("the host does not fire its boundary yet".into())),
        Standing::Skipped(why) => ("skipped", Some(why.clone())),
        _ => ("skipped", Some("for a reason this command does not know".into())),
    }
}

/// Whole milliseconds, as many as a number holds.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A row of `events`: the vendor's own columns follow those of every vendor.
pub(crate) struct EventLine {
    pub(crate) vendor: Vendor,
    pub(crate) spec: &'static EventSpec,
    pub(crate) facts: Vec<(&'static str, String)>,
}

impl Serialize for EventLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("vendor", &self.vendor)?;
        map.serialize_entry("event", self.spec.name)?;
        map.serialize_entry("moments", &moments(self.spec))?;
        map.serialize_entry("matcher", &self.spec.matcher)?;
        map.serialize_entry("capabilities", &self.spec.capabilities)?;
        map.serialize_entry("timeout_ms", &self.spec.timeout.map(milliseconds))?;
        for (name, value) in &self.facts {
            map.serialize_entry(&key(name), value)?;
        }
        map.end()
    }
}

/// The heading of a column as a key: its letters and digits, and one underscore for what stands
/// between them or before a capital.
fn key(heading: &str) -> String {
    let mut key = String::with_capacity(heading.len());
    let mut small = false; // the last one was a small letter or a digit
    for c in heading.chars() {
        let part_of_a_word = c.is_ascii_alphanumeric();
        if (!part_of_a_word || small && c.is_ascii_uppercase()) && !key.is_empty() && !key.ends_with('_') {
            key.push('_');
        }
        if part_of_a_word {
            key.push(c.to_ascii_lowercase());
        }
        small = part_of_a_word && !c.is_ascii_uppercase();
    }
    key.truncate(key.trim_end_matches('_').len());
    key
}

/// `plan`.
#[derive(Serialize)]
pub(crate) struct Plan {
    pub(crate) boundary: &'static str,
    pub(crate) stages: Vec<Vec<PlanLine>>,
    pub(crate) refused_sources: Vec<RefusedSource>,
}

#[derive(Serialize)]
pub(crate) struct PlanLine {
    pub(crate) binding: String,
    pub(crate) runs: bool,
    pub(crate) why: String,
    pub(crate) event: &'static str,
    pub(crate) stdin: Option<Box<RawValue>>,
    pub(crate) launch: Option<LaunchShape>,
}

/// What is started: a process, a request, or a call of the host's. Told apart by their keys.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum LaunchShape {
    Process {
        program: String,
        args: Vec<String>,
        cwd: String,
        env: BTreeMap<String, String>,
        timeout_ms: u64,
    },
    /// Values of headers may be secrets, so only their names are shown.
    Http {
        url: String,
        headers: Vec<String>,
        timeout_ms: u64,
    },
    Call {
        call: HostCall,
        timeout_ms: u64,
    },
}

impl LaunchShape {
    /// What an invocation starts; nothing where it can start nothing.
    pub(crate) fn of(invocation: &Invocation) -> Option<Self> {
        let timeout_ms = milliseconds(invocation.timeout);
        match &invocation.launch {
            Launch::Process(Process { program, args, cwd, env, .. }) => Some(LaunchShape::Process {
                program: program.display().to_string(),
                args: args.clone(),
                cwd: cwd.display().to_string(),
                env: env.clone(),
                timeout_ms,
            }),
            Launch::Http(Http { url, headers, .. }) => {
                Some(LaunchShape::Http { url: url.clone(), headers: headers.keys().cloned().collect(), timeout_ms })
            }
            Launch::Call(call) => Some(LaunchShape::Call { call: call.clone(), timeout_ms }),
            _ => None,
        }
    }
}

/// Standard input as the value it is. An encoder writes JSON; what is not would be shown as text.
pub(crate) fn stdin(bytes: &[u8]) -> Option<Box<RawValue>> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    RawValue::from_string(text.clone()).or_else(|_| serde_json::value::to_raw_value(&text)).ok()
}

/// `fire`.
#[derive(Serialize)]
pub(crate) struct Fire<'a> {
    pub(crate) boundary: &'static str,
    pub(crate) stages: &'a [Vec<FireLine>],
    /// Nothing unless it was asked for.
    pub(crate) skipped: Option<&'a [SkippedLine]>,
    /// Those nobody waits for.
    pub(crate) background: &'a [String],
    pub(crate) decision: &'a Decision,
}

#[derive(Serialize)]
pub(crate) struct SkippedLine {
    pub(crate) binding: String,
    pub(crate) why: String,
}

#[derive(Serialize)]
pub(crate) struct FireLine {
    pub(crate) binding: String,
    pub(crate) outcome: OutcomeShape,
    pub(crate) effects: Effects,
}

#[derive(Serialize)]
pub(crate) struct OutcomeShape {
    exit: Exit,
    stdout: String,
    stderr: String,
    stdout_truncated: bool,
    leaked: bool,
    elapsed_ms: u64,
}

impl From<&Outcome> for OutcomeShape {
    fn from(outcome: &Outcome) -> Self {
        OutcomeShape {
            exit: outcome.exit.clone(),
            stdout: String::from_utf8_lossy(&outcome.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&outcome.stderr).into_owned(),
            stdout_truncated: outcome.stdout_truncated,
            leaked: outcome.leaked,
            elapsed_ms: outcome.elapsed_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn headings_become_keys() {
        for (heading, expected) in [
            ("exit 2", "exit_2"),
            ("`onFailure`", "on_failure"),
            ("continue: false", "continue_false"),
            ("tool  /  MCP calls", "tool_mcp_calls"),
            ("(HTTP) body", "http_body"),
            ("plain", "plain"),
        ] {
            assert_eq!(key(heading), expected);
        }
    }
}
