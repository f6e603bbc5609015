//! A vendor as small as can be, for what only a dispatcher does. Its document has one hook a
//! line, `event line`; a hook denies by exit 2, with standard error as its reason, prints
//! `env NAME=VALUE` to set a variable for later hooks, `tools NAME=VALUE` for the model's commands,
//! `alone` in its first line to go on alone, and anything else is context.
//!
//! Words after the event, as in `first+late+within=200 line`, say more of a hook: nobody waits for
//! it (`late`), and it wakes the agent (`wakes`); its timeout and its budget in milliseconds
//! (`within=`, `budget=`); it is given a file, whose content is context too (`file`); or the line
//! is no shell's but a program (`program`), a question to a model (`ask`) or an address (`post`).

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use harness_hooks_core::{
    Adapter, Asked, Background, Binding, Boundary, Control, Diagnostic, Effects, EnvReader, EnvWish, Envelope, EventId,
    EventSpec, Exit, Files, Handler, Host, HostCall, Http, Launch, Moment, Occasion, Outcome, Parsed, Places, Process,
    Question, Scope, Session, SessionStart, Shell, Snapshot, Source, Targets, ToolBefore, ToolCall, Vendor, Verdict,
};

use crate::common::{Scene, TAG};

static EVENTS: [EventSpec; 3] = [
    EventSpec::new("start", &[Moment::of(Boundary::SessionStart)]),
    EventSpec::new("first", &[Moment::of(Boundary::ToolBefore)]).control(Control::Verdict),
    EventSpec::new("second", &[Moment::of(Boundary::ToolBefore).stage(100)]).control(Control::Verdict),
];

/// The variable that names the file a hook is given.
const FILE: &str = "HOOK_FILE";

#[derive(Debug)]
struct Tiny {
    tag: String,
}

impl Tiny {
    fn binding(source: &Arc<Source>, n: usize, line: &str) -> Binding {
        let (words, line) = line.split_once(' ').unwrap();
        let mut words = words.split('+');
        let event = words.next().unwrap();
        let event = EVENTS.iter().position(|spec| spec.name == event).unwrap();
        let handler = Handler::Shell { line: line.into() };
        let mut binding = Binding::new(source, EventId(event as u16), &EVENTS[event], n, handler);
        for word in words {
            let (word, value) = word.split_once('=').unwrap_or((word, "0"));
            let time = Duration::from_millis(value.parse().unwrap());
            match word {
                "late" => binding.background = Some(Background::new(false)),
                "wakes" => binding.background = Some(Background::new(true)),
                "within" => binding.timeout = Some(time),
                "budget" => binding.budget = Some(time),
                "file" => binding.pointer = FILE.into(), // for want of a better place
                "program" => binding.handler = Handler::Exec { program: line.into(), args: Vec::new() },
                "ask" => binding.handler = Handler::Prompt(Question::new(line)),
                "post" => {
                    let (headers, variables) = (BTreeMap::new(), Vec::new());
                    binding.handler = Handler::Http { url: line.into(), headers, variables };
                }
                other => panic!("{other}"),
            }
        }
        binding
    }
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
        let lines = std::str::from_utf8(document).unwrap().lines().enumerate();
        parsed.bindings.extend(lines.map(|(n, line)| Tiny::binding(source, n, line)));
        parsed
    }

    fn targets<'e>(&self, _: EventId, _: &'e Envelope) -> Targets<'e> {
        Targets::Everything
    }

    fn encode(&self, _: EventId, occasion: Occasion<'_>, out: &mut Vec<u8>) -> Vec<Diagnostic> {
        out.extend_from_slice(occasion.envelope.id.as_bytes());
        Vec::new()
    }

    fn launch(&self, binding: &Binding, occasion: Occasion<'_>, stdin: &[u8]) -> Launch {
        match &binding.handler {
            Handler::Prompt(question) => {
                return Launch::Call(HostCall::Prompt { prompt: question.prompt.clone(), model: None });
            }
            Handler::Http { url, .. } => return Launch::Http(Http::new(url.as_str(), stdin)),
            _ => {}
        }
        let mut process = match &binding.handler {
            Handler::Exec { program, .. } => Process::new(program.as_str(), [""; 0], &binding.source.cwd),
            line => Process::new("/bin/sh", ["-c", line.text()], &binding.source.cwd),
        };
        process = process.env(TAG, &self.tag);
        for (name, value) in occasion.state.env_of(&self.vendor()) {
            process = process.env(name, value);
        }
        if binding.pointer == FILE {
            process = process.scratch(FILE);
        }
        Launch::Process(process)
    }

    fn decode(&self, _: Asked<'_>, outcome: &Outcome) -> Effects {
        let mut effects = Effects::default();
        let file = outcome.scratch.as_ref().map(|scratch| &*scratch.bytes).unwrap_or_default();
        for line in String::from_utf8_lossy(&[&outcome.stdout, file].concat()).lines() {
            let wish = |reader, pair: &str| {
                let (name, value) = pair.split_once('=').unwrap();
                EnvWish { name: name.into(), value: value.into(), reader }
            };
            match line.split_once(' ') {
                Some(("env", pair)) => effects.session_env.push(wish(EnvReader::Hooks, pair)),
                Some(("tools", pair)) => effects.session_env.push(wish(EnvReader::Tools, pair)),
                _ if line == "alone" => {}
                _ => effects.context.push(line.into()),
            }
        }
        match &outcome.exit {
            Exit::Code(0) => {}
            Exit::Code(2) => {
                effects.verdict = Some(Verdict::Deny);
                effects.reasons.push(String::from_utf8_lossy(&outcome.stderr).trim().into());
            }
            exit => effects.context.push(format!("{exit:?}").into()),
        }
        effects
    }

    fn detaches(&self, _: EventId, line: &[u8]) -> bool {
        line == b"alone\n"
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

/// What hooks told the model.
pub(crate) fn context(decision: &harness_hooks_core::Decision) -> Vec<&str> {
    decision.context.iter().map(|said| &*said.value).collect()
}
