//! The smallest adapter there can be, for tests of what no vendor decides. Its document is one
//! line per hook, `EVENT COMMAND`, or `refuse: WHY`; its hooks answer in the JSON of decision
//! fixtures.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use harness_hooks_core::{
    Adapter, Asked, Binding, Boundary, Capabilities, Control, Diagnostic, Effects, Envelope, EventId, EventSpec, Exit,
    Files, Handler, Host, InputRewrite, Launch, Misfit, Moment, Occasion, Outcome, Parsed, Places, Process,
    PromptSubmit, Session, Shell, Snapshot, Source, Targets, Tool, ToolBefore, ToolCall, ToolOutput, ToolResult,
    Vendor,
};
use harness_hooks_fixtures::GivenEffects;

pub(crate) const TEST: Vendor = Vendor::new("test");
pub(crate) const DOCUMENT: &str = "/home/dev/project/hooks.json";

const EVERYWHERE: &[Moment] = &[
    Moment::of(Boundary::ToolBefore),
    Moment::of(Boundary::ToolResult),
    Moment::of(Boundary::FileRead),
    Moment::of(Boundary::SubagentStart),
    Moment::of(Boundary::PromptSubmit),
];

static EVENTS: &[EventSpec] = &[
    EventSpec::new("early", EVERYWHERE).control(Control::Verdict).can(Capabilities::VERDICT),
    EventSpec::new("late", &[Moment::of(Boundary::ToolBefore).stage(100)])
        .control(Control::Verdict)
        .can(Capabilities::VERDICT),
];

#[derive(Debug)]
pub(crate) struct Tiny;

impl Adapter for Tiny {
    fn vendor(&self) -> Vendor {
        TEST
    }

    fn events(&self) -> &'static [EventSpec] {
        EVENTS
    }

    fn sources(&self, _: &Places, _: &dyn Files) -> Vec<Source> {
        Vec::new()
    }

    fn parse(&self, source: &Arc<Source>, document: &[u8]) -> Parsed {
        let mut parsed = Parsed::default();
        let text = String::from_utf8_lossy(document);
        for (n, line) in text.lines().enumerate() {
            let (event, command) = line.split_once(' ').unwrap_or((line, ""));
            match EVENTS.iter().position(|spec| spec.name == event) {
                Some(index) => {
                    let line = command.into();
                    let (event, handler) = (EventId(index as u16), Handler::Shell { line });
                    parsed.bindings.push(Binding::new(source, event, &EVENTS[index], n, handler));
                }
                None => parsed.refused = Some(command.into()),
            }
        }
        parsed
    }

    fn targets<'e>(&self, _: EventId, _: &'e Envelope) -> Targets<'e> {
        Targets::Everything
    }

    fn encode(&self, _: EventId, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
        if let Some(Tool::Shell(shell)) = occasion.envelope.payload.call().map(|call| &call.tool) {
            out.extend_from_slice(shell.command.as_bytes());
        }
        Vec::new()
    }

    fn launch(&self, binding: &Binding, _: Occasion<'_>, _: &[u8]) -> Launch {
        Launch::Process(Process::new("sh", [binding.handler.text().as_str()], "/"))
    }

    /// A hook that was cancelled was there to decide and did not.
    fn decode(&self, _: Asked<'_>, outcome: &Outcome) -> Effects {
        let mut effects = match serde_json::from_slice::<GivenEffects>(&outcome.stdout) {
            Ok(given) => given.effects(),
            Err(_) => Effects::default(),
        };
        effects.undecided |= outcome.exit == Exit::Cancelled;
        effects
    }

    /// Only a shell command can be another.
    fn rewrite(&self, call: &ToolCall, wish: &InputRewrite) -> Result<ToolCall, Misfit> {
        let (InputRewrite::Patch(wish) | InputRewrite::Replace(wish)) = wish;
        let fields = wish.fields().ok_or_else(|| Misfit("it is no object".into()))?;
        let mut call = call.clone();
        for (key, value) in fields {
            match (&mut call.tool, key.as_str(), value.text()) {
                (Tool::Shell(shell), "command", Some(command)) => shell.command = command,
                (Tool::Shell(shell), "description", Some(description)) => shell.description = Some(description),
                _ => return Err(Misfit(format!("`{key}` is no text it has").into())),
            }
        }
        Ok(call)
    }
}

/// A snapshot of one document.
pub(crate) fn snapshot(host: Host, document: &str) -> Arc<Snapshot> {
    let files = BTreeMap::from([(PathBuf::from(DOCUMENT), document.as_bytes().to_vec())]);
    let places = Places::new("/home/dev/project").only(TEST, DOCUMENT);
    Snapshot::load(vec![Arc::new(Tiny)], host, &places, &files)
}

/// A prompt about to be sent.
pub(crate) fn prompt() -> Envelope {
    Envelope::new("e1", 0, Arc::new(Session::new("s1", "/home/dev/project")), PromptSubmit::new("hello"))
}

/// A shell command that has run.
pub(crate) fn ran(command: &str) -> Envelope {
    let call = ToolCall::new("c1", "terminal", Shell::new(command));
    let result = ToolResult::new(call, ToolOutput::Text("done".into()));
    Envelope::new("e1", 0, Arc::new(Session::new("s1", "/home/dev/project")), result)
}

/// A shell command about to run.
pub(crate) fn shell(command: &str) -> Envelope {
    let session = Arc::new(Session::new("s1", "/home/dev/project"));
    Envelope::new("e1", 0, session, ToolBefore::new(ToolCall::new("c1", "terminal", Shell::new(command))))
}
