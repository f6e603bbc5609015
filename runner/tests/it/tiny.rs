//! A vendor as small as can be, for what only a dispatcher does. Its document has one hook a
//! line, `event line`; a hook denies by exit 2, prints `env NAME=VALUE` to set a variable for later hooks, and
//! anything else is context.

use std::{collections::BTreeMap, sync::Arc};

use harness_hooks_core::{
    Adapter, Asked, Binding, Boundary, Control, Diagnostic, Effects, EnvReader, EnvWish, Envelope, EventId, EventSpec,
    Exit, Files, Handler, Host, Launch, Moment, Occasion, Outcome, Parsed, Places, Process, Scope, Session,
    SessionStart, Shell, Snapshot, Source, Targets, ToolBefore, ToolCall, Vendor, Verdict,
};

use crate::common::{Scene, TAG};

static EVENTS: [EventSpec; 3] = [
    EventSpec::new("start", &[Moment::of(Boundary::SessionStart)]),
    EventSpec::new("first", &[Moment::of(Boundary::ToolBefore)]).control(Control::Verdict),
    EventSpec::new("second", &[Moment::of(Boundary::ToolBefore).stage(100)]).control(Control::Verdict),
];

#[derive(Debug)]
struct Tiny {
    tag: String,
}

impl Adapter for Tiny {
    fn vendor(&self) -> Vendor {
        Vendor::new("tiny")
    }

    fn events(&self) -> &'static [EventSpec] {
        &EVENTS
    }

    fn sources(&self, places: &Places, _: &dyn Files) -> Vec<Source> {
        vec![Source::new(self.vendor(), Scope::Project, places.cwd.join("hooks"), "hooks", &places.cwd)]
    }

    fn parse(&self, source: &Arc<Source>, document: &[u8]) -> Parsed {
        let mut parsed = Parsed::default();
        for (n, line) in std::str::from_utf8(document).unwrap().lines().enumerate() {
            let (event, line) = line.split_once(' ').unwrap();
            let event = EVENTS.iter().position(|spec| spec.name == event).unwrap();
            let handler = Handler::Shell { line: line.into() };
            parsed.bindings.push(Binding::new(source, EventId(event as u16), &EVENTS[event], n, handler));
        }
        parsed
    }

    fn targets<'e>(&self, _: EventId, _: &'e Envelope) -> Targets<'e> {
        Targets::Everything
    }

    fn encode(&self, _: EventId, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
        out.extend_from_slice(occasion.envelope.id.as_bytes());
        Vec::new()
    }

    fn launch(&self, binding: &Binding, occasion: Occasion<'_>, _: &[u8]) -> Launch {
        let mut process = Process::new("/bin/sh", ["-c", binding.handler.text()], &binding.source.cwd);
        process = process.env(TAG, &self.tag);
        for (name, value) in occasion.state.env_of(&self.vendor()) {
            process = process.env(name, value);
        }
        Launch::Process(process)
    }

    fn decode(&self, _: Asked<'_>, outcome: &Outcome) -> Effects {
        let mut effects = Effects::default();
        for line in String::from_utf8_lossy(&outcome.stdout).lines() {
            match line.strip_prefix("env ").and_then(|pair| pair.split_once('=')) {
                Some((name, value)) => effects.session_env.push(EnvWish {
                    name: name.into(),
                    value: value.into(),
                    reader: EnvReader::Hooks,
                }),
                None => effects.context.push(line.into()),
            }
        }
        match &outcome.exit {
            Exit::Code(0) => {}
            Exit::Code(2) => effects.verdict = Some(Verdict::Deny),
            exit => effects.context.push(format!("{exit:?}").into()),
        }
        effects
    }
}

/// What these hooks make a snapshot of.
pub(crate) fn snapshot(scene: &Scene, hooks: &[impl AsRef<str>]) -> Arc<Snapshot> {
    let document = hooks.iter().map(|hook| format!("{}\n", hook.as_ref())).collect::<String>();
    let files = BTreeMap::from([(scene.path("hooks"), document.into_bytes())]);
    let host = Host::new("Acme", "1").fires([Boundary::SessionStart, Boundary::ToolBefore]);
    let tiny = Arc::new(Tiny { tag: scene.tag().to_owned() });
    let snapshot = Snapshot::load(vec![tiny], host, &Places::new(scene.dir()), &files);
    assert_eq!(snapshot.bindings().len(), hooks.len());
    snapshot
}

pub(crate) fn session_start(session: &str) -> Envelope {
    Envelope::new("e1", 0, Arc::new(Session::new(session, "/")), SessionStart::new())
}

pub(crate) fn tool_before(session: &str) -> Envelope {
    let call = ToolCall::new("c1", "terminal", Shell::new("rm -rf build"));
    Envelope::new("e2", 0, Arc::new(Session::new(session, "/")), ToolBefore::new(call))
}
