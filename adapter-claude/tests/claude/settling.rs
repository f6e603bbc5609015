//! What one settings file says about the hooks of another: switches, copies, variables, addresses,
//! and how long hooks may take.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use harness_hooks_claude::{CLAUDE, Claude};
use harness_hooks_core::{
    Action, Binding, Boundary, Capabilities, Exit, FailureMode, Fidelity, Handler, Host, Launch, Outcome, Places,
    Platform, Scope, SessionDocument, SessionState, Severity, Snapshot, Standing,
};

use crate::common;

const PROJECT: &str = "/home/dev/project";
const PLUGIN: &str = "/opt/one/hooks/hooks.json";
const USER: &str = "/home/dev/.claude/settings.json";
const SHARED: &str = "/home/dev/project/.claude/settings.json";
const LOCAL: &str = "/home/dev/project/.claude/settings.local.json";
const MANAGED: &str = "/etc/claude-code/managed-settings.json";
const MORE: &str = "/etc/claude-code/managed-settings.d/10.json";

fn places() -> Places {
    Places::new(PROJECT)
        .home(Some("/home/dev".into()))
        .machine("/", Platform::Linux)
        .plugins([PathBuf::from("/opt/one")])
        .trusted(true)
}

fn acme() -> Host {
    Host::new("Acme", "1.2.3").fires(Boundary::ALL.iter().copied()).honours(Capabilities::ALL)
}

fn load_in(fidelity: Fidelity, host: Host, places: &Places, documents: &[(&str, String)]) -> Arc<Snapshot> {
    let files: BTreeMap<PathBuf, Vec<u8>> =
        documents.iter().map(|(path, document)| (path.into(), document.as_bytes().to_vec())).collect();
    Snapshot::load(vec![Arc::new(Claude::with_fidelity(fidelity))], host, places, &files)
}

fn load(places: &Places, documents: &[(&str, String)]) -> Arc<Snapshot> {
    load_in(Fidelity::Guarded, acme(), places, documents)
}

/// A document with settings, and hooks of one event.
fn document(settings: &str, event: &str, handlers: &[&str]) -> String {
    let comma = if settings.is_empty() { "" } else { "," };
    format!(r#"{{{settings}{comma}"hooks":{{"{event}":[{{"hooks":[{}]}}]}}}}"#, handlers.join(","))
}

fn command(command: &str, more: &str) -> String {
    format!(r#"{{"type":"command","command":"{command}"{more}}}"#)
}

/// A document with settings, and one hook before tools.
fn guard(settings: &str, name: &str) -> String {
    document(settings, "PreToolUse", &[&command(name, "")])
}

/// The commands of the hooks that take part.
fn active(snapshot: &Snapshot) -> Vec<&str> {
    let active = snapshot.bindings().iter().filter(|binding| binding.standing == Standing::Active);
    active.map(|binding| binding.handler.text().as_str()).collect()
}

fn shell() -> harness_hooks_core::Envelope {
    common::envelope(r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#)
}

/// What runs before a shell command.
fn runs(snapshot: &Arc<Snapshot>) -> Vec<(String, Duration)> {
    let envelope = shell();
    let stage = snapshot.begin(&envelope, SessionState::new()).next_stage();
    let invocations = stage.map(|stage| stage.invocations).unwrap_or_default();
    invocations.iter().map(|i| (i.binding.handler.text().to_string(), i.timeout)).collect()
}

/// CLA-SRC-09: the highest source that says it counts; managed hooks go on unless a managed file
/// says it.
#[test]
fn who_disables_all_hooks() {
    const ON: &str = r#""disableAllHooks":true"#;
    const OFF: &str = r#""disableAllHooks":false"#;
    let everybody = ["plugin", "user", "shared", "local", "managed"];
    // what each file says: user, shared, local, managed, and the folder of managed files
    for (user, shared, local, managed, more, expected) in [
        ("", "", "", "", "", &everybody[..]),
        (ON, "", "", "", "", &["managed"]),
        ("", ON, "", "", "", &["managed"]),
        ("", "", ON, "", "", &["managed"]),
        (ON, OFF, "", "", "", &everybody),
        (OFF, ON, "", "", "", &["managed"]),
        (OFF, "", ON, "", "", &["managed"]),
        ("", ON, OFF, "", "", &everybody),
        ("", "", "", ON, "", &[]),
        ("", OFF, "", ON, "", &[]),
        (ON, "", "", OFF, "", &everybody),
        ("", "", "", ON, OFF, &everybody),
        ("", "", "", OFF, ON, &[]),
    ] {
        let snapshot = load(
            &places(),
            &[
                (PLUGIN, guard("", "plugin")),
                (USER, guard(user, "user")),
                (SHARED, guard(shared, "shared")),
                (LOCAL, guard(local, "local")),
                (MANAGED, guard(managed, "managed")),
                (MORE, format!("{{{more}}}")),
            ],
        );
        assert_eq!(active(&snapshot), expected, "{:?}", (user, shared, local, managed, more));
        let off: Vec<&Arc<Binding>> = snapshot.bindings().iter().filter(|b| b.standing != Standing::Active).collect();
        for binding in &off {
            let Standing::Skipped(why) = &binding.standing else { panic!("{:?}", binding.standing) };
            assert!(why.contains("disableAllHooks") && why.contains("settings"), "{why}");
        }
        for told in snapshot.diagnostics() {
            let hooks = if off.len() == 1 { "1 hook".into() } else { format!("{} hooks", off.len()) };
            assert!(told.message.contains(&format!("keeps {hooks} from running")), "{}", told.message);
            assert_eq!(told.place.map(|place| place.line), Some(1), "each document is one line");
            assert_eq!(told.place.map(|place| place.column), Some(2), "after the brace");
        }
        let told: Vec<_> = snapshot.diagnostics().iter().map(|d| (d.severity, &*d.code)).collect();
        let expected = if off.is_empty() { vec![] } else { vec![(Severity::Note, "claude/hooks-disabled")] };
        assert_eq!(told, expected);
    }
}

/// CLA-SRC-09: `--settings` is above the local file and below managed ones. A plugin has no say.
#[test]
fn the_session_and_plugins_disable_hooks_in_their_place() {
    let on = |name| guard(r#""disableAllHooks":true"#, name);
    let session = |on: bool| SessionDocument::Text(format!(r#"{{"disableAllHooks":{on}}}"#).into());
    let documents = [(LOCAL, on("local")), (MANAGED, guard("", "managed"))];
    assert_eq!(active(&load(&places().session(CLAUDE, session(false)), &documents)), ["local", "managed"]);
    let documents = [(USER, guard("", "user")), (MANAGED, guard("", "managed"))];
    assert_eq!(active(&load(&places().session(CLAUDE, session(true)), &documents)), ["managed"]);
    let documents = [(PLUGIN, on("plugin")), (USER, guard("", "user"))];
    assert_eq!(active(&load(&places(), &documents)), ["plugin", "user"]);
}

/// CLA-SRC-09, CLA-SRC-11, CLA-RUN-07, CLA-RUN-13: a workspace nobody trusts says nothing about what
/// its user wrote; nor does a file that is refused.
#[test]
fn what_does_not_count_changes_nothing() {
    let settings = r#""disableAllHooks":true,"env":{"A":"1"},"allowedHttpHookUrls":[]"#;
    let http = document("", "PreToolUse", &[r#"{"type":"http","url":"https://a/"}"#]);
    let untrusted = load(&places().trusted(false), &[(USER, http.clone()), (SHARED, guard(settings, "shared"))]);
    let bad = format!(r#"{{{settings},"hooks":[]}}"#);
    let refused = load(&places(), &[(USER, http.clone()), (SHARED, bad)]);
    let bad = document(settings, "PreToolUse", &["5"]);
    let dropped = load_in(Fidelity::Vendor, acme(), &places(), &[(USER, http), (SHARED, bad)]);
    for snapshot in [untrusted, refused, dropped] {
        assert_eq!(active(&snapshot), ["https://a/"]);
        assert!(snapshot.bindings()[0].env.is_empty());
        assert!(matches!(snapshot.bindings()[0].handler, Handler::Http { .. }));
    }
}

/// CLA-SRC-10
#[test]
fn managed_hooks_only() {
    let only = r#""allowManagedHooksOnly":true"#;
    let documents = |user, managed| {
        [(PLUGIN, guard("", "plugin")), (USER, guard(user, "user")), (MANAGED, guard(managed, "managed"))]
    };
    assert_eq!(active(&load(&places(), &documents("", only))), ["managed"]);
    let snapshot = load(&places(), &documents(only, ""));
    assert_eq!(active(&snapshot), ["plugin", "user", "managed"]);
    assert_eq!(snapshot.diagnostics()[0].code, "claude/managed-only");
    let both = r#""allowManagedHooksOnly":true,"disableAllHooks":true"#;
    assert_eq!(active(&load(&places(), &documents("", both))), [] as [&str; 0]);
    assert_eq!(
        active(&load(&places(), &documents("", r#""allowManagedHooksOnly":false"#))),
        ["plugin", "user", "managed"]
    );
}

/// CLA-SRC-07, CLA-SRC-08: the last copy runs, with its timeout; a plugin's copy is another hook.
#[test]
fn of_copies_the_last_runs() {
    let timed = |seconds: u64| document("", "PreToolUse", &[&command("a", &format!(r#","timeout":{seconds}"#))]);
    let seconds = |seconds: u64| ("a".to_owned(), Duration::from_secs(seconds));
    for (documents, expected) in [
        (vec![(USER, timed(1)), (SHARED, timed(9))], vec![seconds(9)]),
        (vec![(USER, timed(9)), (SHARED, timed(1))], vec![seconds(1)]),
        (vec![(USER, timed(1)), (SHARED, timed(2)), (LOCAL, timed(3)), (MANAGED, timed(4))], vec![seconds(4)]),
        (vec![(PLUGIN, timed(5)), (USER, timed(1))], vec![seconds(5), seconds(1)]),
        (vec![(PLUGIN, timed(5)), (USER, timed(1)), (LOCAL, timed(2))], vec![seconds(5), seconds(2)]),
    ] {
        assert_eq!(runs(&load(&places(), &documents)), expected, "{documents:?}");
    }
    let twice = document("", "PreToolUse", &[&command("a", r#","timeout":9"#), &command("a", r#","timeout":1"#)]);
    assert_eq!(runs(&load(&places(), &[(SHARED, twice)])), [seconds(1)]);
    // a copy that does not take part is none
    let off = load(&places().trusted(false), &[(USER, timed(1)), (SHARED, timed(9))]);
    assert_eq!(runs(&off), [seconds(1)]);
    let http = |seconds: u64| {
        document("", "PreToolUse", &[&format!(r#"{{"type":"http","url":"https://a/","timeout":{seconds}}}"#)])
    };
    let expected = [("https://a/".to_owned(), Duration::from_secs(2))];
    assert_eq!(runs(&load(&places(), &[(USER, http(1)), (SHARED, http(2))])), expected);
}

/// CLA-RUN-07, CLA-CFG-26: variables of all settings reach every hook; the later source wins a name,
/// and a plugin sets none.
#[test]
fn variables_of_settings_reach_every_hook() {
    let snapshot = load(
        &places(),
        &[
            (PLUGIN, guard(r#""env":{"D":"plugin"}"#, "plugin")),
            (USER, guard(r#""env":{"A":"user","B":1}"#, "user")),
            (LOCAL, format!(r#"{{{}}}"#, r#""env":{"A":"local","C":true}"#)),
        ],
    );
    for binding in snapshot.bindings() {
        let env: Vec<_> = binding.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(env, [("A", "local"), ("B", "1"), ("C", "true")], "{}", binding.id);
    }
}

/// CLA-RUN-13: lists of allowed addresses are one list; a hook that may not be sent is there, cannot
/// run, and its author is told.
#[test]
fn http_hooks_are_sent_where_they_may() {
    let allowed = |urls: &str| format!(r#""allowedHttpHookUrls":{urls}"#);
    let http = |settings: &str, more: &str| {
        document(settings, "PreToolUse", &[&format!(r#"{{"type":"http","url":"https://hooks.example.com/x"{more}}}"#)])
    };
    for (user, managed, usable) in [
        ("", "", true),
        (r#"["https://hooks.example.com/*"]"#, "", true),
        ("", r#"["https://HOOKS.example.com/*"]"#, true),
        (r#"["https://a/*"]"#, r#"["https://hooks.example.com/*"]"#, true),
        (r#"["https://a/*"]"#, "", false),
        ("[]", "", false),
        ("", "[]", false),
        ("5", "", false),
    ] {
        let said = |urls: &str| if urls.is_empty() { String::new() } else { allowed(urls) };
        let documents = [
            (PLUGIN, http("", r#","onFailure":"block""#)),
            (USER, http(&said(user), "")),
            (MANAGED, format!("{{{}}}", said(managed))),
        ];
        let snapshot = load(&places(), &documents);
        for binding in snapshot.bindings() {
            assert_eq!(matches!(binding.handler, Handler::Http { .. }), usable, "{user} {managed}");
            assert_eq!(binding.handler.text(), "https://hooks.example.com/x");
            assert_eq!(binding.standing, Standing::Active);
        }
        let told = snapshot.diagnostics().iter().filter(|d| d.code == "claude/url-not-allowed");
        assert!(told.clone().all(|d| d.severity == Severity::Warning && d.place.is_some()));
        assert_eq!(told.count(), if usable { 0 } else { 2 }, "{user} {managed}");
    }
    let snapshot = load(&places(), &[(USER, http(&allowed("[]"), ""))]);
    let envelope = shell();
    let stage = snapshot.begin(&envelope, SessionState::new()).next_stage().unwrap();
    assert!(matches!(stage.invocations[0].launch, Launch::Refused(_)), "{:?}", stage.invocations[0].launch);
}

/// CLA-EVT-11
#[test]
fn who_asks_a_model_has_a_time_of_its_own() {
    let handlers = [
        r#"{"type":"prompt","prompt":"p"}"#,
        r#"{"type":"agent","prompt":"a"}"#,
        r#"{"type":"prompt","prompt":"q","timeout":7}"#,
        r#"{"type":"mcp_tool","server":"s","tool":"t"}"#,
    ];
    let snapshot = load(&places(), &[(USER, document("", "PreToolUse", &handlers))]);
    let timeouts: Vec<u64> = runs(&snapshot).into_iter().map(|(_, timeout)| timeout.as_secs()).collect();
    assert_eq!(timeouts, [30, 60, 7, 600]);
}

/// CLA-EVT-12: one budget for all, which settings raise and plugins do not, and the host's
/// environment replaces.
#[test]
fn the_hooks_of_a_sessions_end_share_their_time() {
    let end = |more: &str| document("", "SessionEnd", &[&command("a", more)]);
    let timed = |seconds: &str| end(&format!(r#","timeout":{seconds}"#));
    let env = |value: &str| places().env([("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS".to_owned(), value.to_owned())]);
    for (places, documents, budget, timeouts) in [
        (places(), vec![(USER, end(""))], 1500, vec![1500]),
        (places(), vec![(USER, timed("5")), (SHARED, timed("20"))], 20_000, vec![5000, 20_000]),
        (places(), vec![(USER, timed("0.5"))], 1500, vec![500]),
        (places(), vec![(USER, timed("300"))], 60_000, vec![300_000]),
        (places(), vec![(PLUGIN, timed("20")), (USER, end(""))], 1500, vec![20_000, 1500]),
        (places().trusted(false), vec![(USER, end("")), (SHARED, timed("20"))], 1500, vec![1500, 20_000]),
        (env("4000"), vec![(USER, end("")), (SHARED, timed("20"))], 4000, vec![4000, 20_000]),
        (env("90000"), vec![(USER, end(""))], 90_000, vec![90_000]),
        (env("soon"), vec![(USER, end(""))], 1500, vec![1500]),
        (env("0"), vec![(USER, end(""))], 1500, vec![1500]),
    ] {
        let snapshot = load(&places, &documents);
        let millis = |duration: Option<Duration>| duration.map(|duration| duration.as_millis());
        for binding in snapshot.bindings() {
            assert_eq!(millis(binding.budget), Some(budget), "{documents:?}");
        }
        let got: Vec<_> = snapshot.bindings().iter().map(|binding| millis(binding.timeout).unwrap()).collect();
        assert_eq!(got, timeouts, "{documents:?}");
    }
    assert_eq!(load(&places(), &[(USER, guard("", "a"))]).bindings()[0].budget, None);
}

/// CLA-RUN-18: the departure `stop-cap`. The host's cap holds for both.
#[test]
fn stop_hooks_have_a_limit_of_their_own_only_in_claude_code() {
    for (event, counts) in
        [("Stop", true), ("SubagentStop", true), ("TeammateIdle", true), ("PreToolUse", false), ("SessionEnd", false)]
    {
        for (fidelity, cap, limit) in [
            (Fidelity::Guarded, 20, None),
            (Fidelity::Vendor, 20, counts.then_some(8)),
            (Fidelity::Vendor, 3, counts.then_some(3)),
        ] {
            let documents = [(USER, document("", event, &[&command("a", "")]))];
            let snapshot = load_in(fidelity, acme().continuation_cap(cap), &places(), &documents);
            assert_eq!(snapshot.bindings()[0].loop_limit, limit, "{event}, {fidelity:?}");
        }
    }
}

/// CLA-EVT-14: what a host does not do yet, never does, or cannot carry out.
#[test]
fn what_a_host_cannot_do_is_said_of_each_definition() {
    let hooks = |event: &str| [(USER, document("", event, &[&command("a", ""), &command("b", "")]))];
    let others = || Boundary::ALL.iter().copied().filter(|boundary| *boundary != Boundary::TurnStop);
    let host = || Host::new("Acme", "1").honours(Capabilities::ALL).fires(others());
    let lacks_rewrites = || host().honours(Capabilities::ALL.without(Capabilities::REWRITE_INPUT));
    for (host, event, standing, code) in [
        (host().plans([Boundary::TurnStop]), "Stop", Some(Standing::Planned), Some("claude/planned-event")),
        (host(), "Stop", None, Some("claude/absent-event")),
        (host().fires([Boundary::TurnStop]), "Stop", Some(Standing::Active), None),
        (lacks_rewrites(), "PreToolUse", Some(Standing::Active), Some("claude/lacking-capability")),
        (lacks_rewrites(), "SessionStart", Some(Standing::Active), None),
    ] {
        let snapshot = load_in(Fidelity::Guarded, host, &places(), &hooks(event));
        let standings: Vec<_> = snapshot.bindings().iter().map(|binding| binding.standing.clone()).collect();
        assert_eq!(standings, standing.into_iter().cycle().take(standings.len()).collect::<Vec<_>>(), "{event}");
        assert!(matches!(standings.len(), 0 | 2), "{event}");
        let told: Vec<_> = snapshot.diagnostics().iter().map(|d| (d.severity, &*d.code)).collect();
        assert_eq!(told, code.map_or(Vec::new(), |code| vec![(Severity::Warning, code); 2]), "{event}");
    }
    let stop = common::envelope(r#"{"turn.stop":{"end":"completed"}}"#);
    let planned = load_in(Fidelity::Guarded, host().plans([Boundary::TurnStop]), &places(), &hooks("Stop"));
    assert!(planned.begin(&stop, SessionState::new()).next_stage().is_none(), "it never matches");
}

/// CLA-EVT-15: a refusal is one whatever changed; of policy it is the host that does not honour it.
#[test]
fn hooks_are_asked_about_policy_like_about_other_settings() {
    for source in ["user_settings", "project_settings", "local_settings", "policy_settings", "skills"] {
        let envelope = common::envelope(&format!(r#"{{"config.changed":{{"source":"{source}"}}}}"#));
        let snapshot = load(&places(), &[(USER, document("", "ConfigChange", &[&command("a", "")]))]);
        let mut firing = snapshot.begin(&envelope, SessionState::new());
        let stage = firing.next_stage().unwrap_or_else(|| panic!("{source}: nobody is asked"));
        let refused = Outcome::new(Exit::Code(2)).stderr("no");
        stage.invocations.iter().for_each(|invocation| drop(firing.report(invocation, &refused)));
        assert_eq!(firing.finish().decision.action, Action::Deny, "{source}");
    }
}

/// CLA-SRC-05: a manifest that names a file which is not there.
#[test]
fn a_file_a_manifest_names_in_vain_is_said() {
    let manifest = "/opt/one/.claude-plugin/plugin.json";
    for (named, there, told) in [
        (r#""./more.json""#, "/opt/one/more.json", 0),
        (r#"["./more.json","x/y.json"]"#, "/opt/one/more.json", 1),
        (r#""./more.json""#, USER, 1),
    ] {
        let documents = [(manifest, format!(r#"{{"name":"p","hooks":{named}}}"#)), (there, guard("", "a"))];
        let snapshot = load(&places(), &documents);
        assert_eq!(active(&snapshot), ["a"]);
        let codes: Vec<_> = snapshot.diagnostics().iter().map(|d| &*d.code).collect();
        assert_eq!(codes, vec!["claude/missing-file"; told], "{named}");
        let missing = snapshot.diagnostics().iter().all(|d| d.source.as_deref() == Some(manifest));
        assert!(missing);
    }
    let scopes: Vec<_> =
        load(&places(), &[(manifest, guard("", "a"))]).bindings().iter().map(|b| b.source.scope).collect();
    assert_eq!(scopes, [Scope::Plugin]);
}

/// CLA-SRC-07: a copy in the workspace neither opens a user's guard nor sends it to the background, but
/// in Claude Code itself.
#[test]
fn a_copy_takes_no_edge_off_a_guard() {
    let strong = command("guard", r#","onFailure":"block""#);
    for weaker in [command("guard", ""), command("guard", r#","async":true"#)] {
        let documents =
            [(USER, document("", "PreToolUse", &[&strong])), (SHARED, document("", "PreToolUse", &[&weaker]))];
        for (fidelity, trusted, closed) in
            [(Fidelity::Guarded, true, true), (Fidelity::Guarded, false, true), (Fidelity::Vendor, true, false)]
        {
            let snapshot = load_in(fidelity, acme(), &places().trusted(trusted), &documents);
            let envelope = shell();
            let mut firing = snapshot.begin(&envelope, SessionState::new());
            let stage = firing.next_stage().unwrap();
            let awaited: Vec<_> = stage.invocations.iter().map(|i| i.binding.failure).collect();
            let expected = if closed { vec![FailureMode::Closed] } else { vec![FailureMode::Open] };
            let background = !closed && weaker.contains("async");
            assert_eq!(awaited, if background { Vec::new() } else { expected }, "{weaker}, {fidelity:?}");
            assert_eq!(stage.background.len(), usize::from(background));
        }
    }
}
