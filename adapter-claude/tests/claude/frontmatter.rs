//! Hooks in the frontmatter of skills and agents. CLA-SRC-15

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use harness_hooks_claude::{CLAUDE, Claude};
use harness_hooks_core::{
    Adapter, Boundary, Capabilities, Envelope, Fidelity, Host, Parsed, Place, Places, Scope, SessionState, Severity,
    Snapshot, Source,
};
use harness_hooks_fixtures::codes;
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};

use crate::common;

const PROJECT: &str = "/home/dev/project";
const SKILL: &str = "/home/dev/project/.claude/skills/deploy/SKILL.md";
const AGENT: &str = "/home/dev/project/.claude/agents/reviewer.md";

fn parse_in(scope: Scope, path: &str, document: &str) -> Parsed {
    let source = Source::new(CLAUDE, scope, path, format!("{scope}/x"), PROJECT);
    Claude::new().parse(&Arc::new(source), document.as_bytes())
}

fn load(places: &Places, documents: &[(&str, &str)]) -> Arc<Snapshot> {
    let files: BTreeMap<PathBuf, Vec<u8>> =
        documents.iter().map(|(path, document)| (path.into(), document.as_bytes().to_vec())).collect();
    let host = Host::new("Acme", "1.2.3").fires(Boundary::ALL.iter().copied()).honours(Capabilities::ALL);
    Snapshot::load(vec![Arc::new(Claude::new())], host, places, &files)
}

const GUARD: &str = "\
---
name: deploy
description: Deploys. Never on a Friday
hooks:
  PreToolUse:
    - matcher: \"Bash\"
      hooks:
        - type: command
          command: ./guard.sh
          timeout: 2.5
          once: true
  Stop:
    - hooks:
        - {type: command, command: 'it''s over'}
---
# Deploying

hooks: these are not any
";

/// The same shape as a settings file; `once` counts in a skill, and places are those of the file.
#[test]
fn a_skills_hooks() {
    let parsed = parse_in(Scope::Project, SKILL, GUARD);
    assert_eq!(codes(&parsed.diagnostics), [] as [&str; 0]);
    let got: Vec<_> =
        parsed.bindings.iter().map(|b| (b.event_name, b.handler.text().as_str(), b.once, b.place.unwrap())).collect();
    assert_eq!(
        got,
        [("PreToolUse", "./guard.sh", true, Place::new(8, 11)), ("Stop", "it's over", false, Place::new(14, 11))]
    );
    assert_eq!(parsed.bindings[0].timeout.unwrap().as_millis(), 2500);
    assert_eq!(parsed.bindings[0].pointer, "/hooks/PreToolUse/0/hooks/0");
    // CLA-SRC-08: a copy of another hook is another hook
    assert_eq!(parsed.bindings[0].duplicate, None);
    assert_eq!(parsed.settings.len(), 0);
}

/// In an agent's file `Stop` means `SubagentStop`, and `once` does not count.
#[test]
fn an_agents_hooks() {
    let parsed = parse_in(Scope::Project, AGENT, GUARD);
    assert_eq!(codes(&parsed.diagnostics), ["note claude/once-ignored"]);
    let events: Vec<_> = parsed.bindings.iter().map(|b| (b.event_name, b.once)).collect();
    assert_eq!(events, [("PreToolUse", false), ("SubagentStop", false)]);

    let both = "---\nhooks:\n  Stop: [{hooks: [{type: command, command: a}]}]\n  SubagentStop: [{hooks: [{type: command, command: b}]}]\n---\n";
    let parsed = parse_in(Scope::Project, AGENT, both);
    let ids: Vec<_> = parsed.bindings.iter().map(|b| (b.id.as_str(), b.pointer.as_str())).collect();
    assert_eq!(
        ids,
        [
            ("claude:project/x#SubagentStop[0][0]", "/hooks/Stop/0/hooks/0"),
            ("claude:project/x#SubagentStop[1][0]", "/hooks/SubagentStop/0/hooks/0"),
        ]
    );
}

fn before(agent: &str) -> Envelope {
    let json = format!(
        r#"{{"id":"e1","at_ms":0,"session":{{"id":"s1","cwd":"{PROJECT}"}}{agent},"payload":{{"tool.before":{{"call":{{"id":"c","host_name":"h","tool":{{"shell":{{"command":"ls"}}}}}}}}}}}}"#
    );
    Envelope::read(json.as_bytes()).unwrap()
}

/// An agent's hooks are for that agent alone, by its name, which is the file's where it says none.
#[test]
fn an_agents_hooks_are_for_that_agent() {
    let places = Places::new(PROJECT).trusted(true);
    let runs = |document: &str, envelope: &Envelope| {
        let snapshot = load(&places, &[(AGENT, document)]);
        let stage = snapshot.begin(envelope, SessionState::new()).next_stage();
        stage.map_or(0, |stage| stage.invocations.len())
    };
    let unnamed = GUARD.replace("name: deploy\n", "");
    let agent = |kind: &str| before(&format!(r#","agent":{{"id":"a1","kind":"{kind}"}}"#));
    for (document, envelope, expected) in [
        (GUARD, agent("deploy"), 1),
        (GUARD, agent("reviewer"), 0),
        (GUARD, before(""), 0),
        (&unnamed, agent("reviewer"), 1),
        (GUARD, common::envelope(r#"{"subagent.stop":{"id":"a1","kind":"deploy"}}"#), 1),
        (GUARD, common::envelope(r#"{"subagent.stop":{"id":"a1","kind":"other"}}"#), 0),
        (GUARD, common::envelope(r#"{"turn.stop":{"end":"completed"}}"#), 0),
    ] {
        assert_eq!(runs(document, &envelope), expected, "{} {:?}", envelope.boundary(), envelope.agent);
    }
}

/// What is wrong is said where it stands, and what is no hook is nobody's business.
#[test]
fn what_is_wrong_has_a_place() {
    let bad = "---\nname: x\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: a\n          timeout: soon\n---\n";
    for (document, told, place, refused) in [
        (bad, "error claude/bad-timeout", Some(Place::new(8, 20)), false),
        ("---\nhooks:\n  Foo: []\n---\n", "warning claude/unknown-event", Some(Place::new(3, 8)), false),
        ("---\nhooks: [a]\n---\n", "error claude/wrong-type", Some(Place::new(2, 8)), true),
        ("---\nhooks: {a: [}\n---\n", "error claude/invalid-yaml", None, true),
        ("---\nx: &a {}\nhooks: *a\n---\n", "error claude/invalid-yaml", Some(Place::new(3, 8)), true),
        ("---\nhooks:\n  Stop: []\n", "error claude/invalid-yaml", Some(Place::new(2, 1)), true),
        ("---\nhooks:\n  ? [a]\n  : b\n---\n", "error claude/invalid-yaml", Some(Place::new(3, 5)), true),
    ] {
        let parsed = parse_in(Scope::Project, SKILL, document);
        assert_eq!(codes(&parsed.diagnostics), [told], "{document}");
        assert!(parsed.diagnostics[0].place.is_some(), "{document}");
        if place.is_some() {
            assert_eq!(parsed.diagnostics[0].place, place, "{document}");
        }
        assert_eq!(parsed.refused.is_some(), refused, "{document}");
    }
    for document in [
        "",
        "# Title\n\nhooks: none\n",
        "---\nname: x\n---\nhooks:\n",
        "---\ndescription: a: b: [\n---\n",
        "---\nhooks: {}\n---\n",
    ] {
        let parsed = parse_in(Scope::Project, SKILL, document);
        assert_eq!((codes(&parsed.diagnostics).len(), parsed.bindings.len()), (0, 0), "{document:?}");
    }
}

/// Values that YAML writes in its own ways.
#[test]
fn values_of_yaml() {
    for (value, bound) in [
        ("timeout: 5", true),
        ("timeout: +5", true),
        ("timeout: .5", true),
        ("timeout: '5'", false),
        ("timeout: !!str 5", false),
        ("timeout: ~", false),
        ("async: True", true),
        ("async: yes", false),
        ("statusMessage: |\n            two\n            lines", true),
        ("statusMessage: 5", false),
    ] {
        let document = format!(
            "---\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: a\n          {value}\n---\n"
        );
        assert_eq!(parse_in(Scope::Project, SKILL, &document).bindings.len(), usize::from(bound), "{value}");
    }
}

/// Skills and agents of the user, the project and plugins; a plugin's agent has no hooks.
#[test]
fn skills_and_agents_are_looked_for() {
    let places =
        Places::new(PROJECT).home(Some("/home/dev".into())).plugins([PathBuf::from("/opt/one")]).trusted(false);
    let documents = [
        "/home/dev/.claude/skills/a/SKILL.md",
        "/home/dev/.claude/skills/a/other.md",
        "/home/dev/.claude/skills/b/README.txt",
        "/home/dev/.claude/agents/c.md",
        "/home/dev/.claude/agents/d.txt",
        SKILL,
        AGENT,
        "/opt/one/skills/e/SKILL.md",
        "/opt/one/agents/f.md",
    ]
    .map(|path| (path, GUARD));
    let snapshot = load(&places, &documents);
    let found: Vec<_> = snapshot
        .sources()
        .iter()
        .filter(|report| report.source.path.extension().is_some_and(|e| e == "md"))
        .map(|report| (report.source.label.as_str(), report.bindings, report.source.needs_trust))
        .collect();
    assert_eq!(
        found,
        [
            ("plugin/skills/e/SKILL.md", 2, false),
            ("plugin/agents/f.md", 0, false),
            ("user/.claude/skills/a/SKILL.md", 2, false),
            ("user/.claude/agents/c.md", 2, false),
            ("project/.claude/skills/deploy/SKILL.md", 2, true),
            ("project/.claude/agents/reviewer.md", 2, true),
        ]
    );
    let ignored: Vec<_> = snapshot.diagnostics().iter().filter(|d| d.code == "claude/plugin-agent").collect();
    assert_eq!(ignored.len(), 1, "{:?}", snapshot.diagnostics());
    assert_eq!(ignored[0].place, Some(Place::new(4, 1)));
}

/// CLA-CFG-06: Claude Code's own way refuses the file.
#[test]
fn a_bad_guard_in_frontmatter() {
    let document = "---\nhooks:\n  PreToolUse: [{}]\n  Stop: [{hooks: [{type: command, command: a}]}]\n---\n";
    for (fidelity, refused) in [(Fidelity::Guarded, false), (Fidelity::Vendor, true)] {
        let source = Arc::new(Source::new(CLAUDE, Scope::User, "/h/.claude/skills/a/SKILL.md", "user/x", PROJECT));
        let parsed = Claude::with_fidelity(fidelity).parse(&source, document.as_bytes());
        assert_eq!(
            (parsed.refused.is_some(), parsed.bindings.len(), parsed.dropped.len()),
            if refused { (true, 0, 0) } else { (false, 1, 1) }
        );
    }
}

proptest! {
    /// Any bytes are read, the same each time; what is said has a place in the file.
    #[test]
    fn any_markdown_can_be_parsed(
        mut bytes in prop_oneof![
            Just(GUARD.as_bytes().to_vec()),
            "(---\n)?hooks:[-\\[\\]{}:?&*!|>%@'\" \n\tab#,.0-9]{0,60}(\n---\n)?".prop_map(String::into_bytes),
        ],
        changes in vec((any::<Index>(), prop_oneof![any::<u8>(), select(b"-[]{}:?&*!|>%@'\"# \n\t,".to_vec())]), 0..6),
        skill in any::<bool>(),
    ) {
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let path = if skill { SKILL } else { AGENT };
        let source = Arc::new(Source::new(CLAUDE, Scope::Project, path, "project/x", PROJECT));
        for fidelity in Fidelity::ALL {
            let parse = || Claude::with_fidelity(fidelity).parse(&source, &bytes);
            let (first, again) = (parse(), parse());
            prop_assert_eq!(&first.diagnostics, &again.diagnostics);
            prop_assert_eq!(first.bindings.len(), again.bindings.len());
            let lines = String::from_utf8_lossy(&bytes).split('\n').count();
            for place in first.diagnostics.iter().filter_map(|d| d.place).chain(first.bindings.iter().filter_map(|b| b.place)) {
                prop_assert!(place.line as usize <= lines + 1, "{:?}", place);
            }
            let error = first.diagnostics.iter().any(|d| d.severity == Severity::Error);
            // a guard is missing with no more than a warning where its pattern or its event's name is wrong
            let warned = |why: &str| why.contains("does not compile") || why.contains("is no event; ");
            prop_assert_eq!(error, first.refused.is_some() || first.dropped.iter().any(|d| !warned(&d.why)));
        }
    }
}
