//! What an author is told, with a place; and documents and handlers one by one, where no
//! configuration case has the value.

use std::sync::Arc;

use harness_hooks_claude::{CLAUDE, Claude};
use harness_hooks_core::{
    Adapter, Background, Binding, Diagnostic, FailureMode, Fidelity, Handler, Parsed, Scope, Severity, Source, Standing,
};
use harness_hooks_fixtures::{ConfigCase, codes, configs, of};

/// Findings about the form of the whole file: they point at no value.
const OF_THE_FILE: &[&str] = &["claude/utf16", "claude/invalid-utf8"];

fn each() -> Vec<ConfigCase> {
    configs(&of("claude")).unwrap()
}

fn source(scope: Scope, path: &str) -> Arc<Source> {
    Arc::new(Source::new(CLAUDE, scope, path, format!("{scope}/x"), "/home/dev/project"))
}

fn parse_in(fidelity: Fidelity, scope: Scope, path: &str, document: impl AsRef<[u8]>) -> Parsed {
    Claude::with_fidelity(fidelity).parse(&source(scope, path), document.as_ref())
}

/// A settings file of the project.
fn parse(document: impl AsRef<[u8]>) -> Parsed {
    parse_in(Fidelity::Guarded, Scope::Project, "/home/dev/project/.claude/settings.json", document)
}

fn plugin(document: &str) -> Parsed {
    parse_in(Fidelity::Guarded, Scope::Plugin, "/opt/p/hooks/hooks.json", document)
}

fn manifest(document: &str) -> Parsed {
    parse_in(Fidelity::Guarded, Scope::Plugin, "/opt/p/.claude-plugin/plugin.json", document)
}

/// A settings file with one handler.
fn with(event: &str, handler: &str) -> String {
    format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{handler}]}}]}}}}"#)
}

fn dropped(parsed: &Parsed) -> Vec<&str> {
    parsed.dropped.iter().map(|dropped| dropped.pointer.as_str()).collect()
}

/// An author can go to where the fault is: every finding names the file, and every finding about a
/// value its line and column.
#[test]
fn every_diagnostic_has_a_place() {
    let lost = |d: &Diagnostic| d.source.is_none() || d.place.is_none() && !OF_THE_FILE.contains(&&*d.code);
    for case in each() {
        let diagnostics = parse(&case.bytes).diagnostics;
        let lost: Vec<_> = diagnostics.iter().filter(|d| lost(d)).collect();
        assert!(lost.is_empty(), "{}: {lost:#?}", case.name);
    }
}

/// CLA-CFG-02: a document that binds nothing says why, but for one in which nobody wrote a hook.
#[test]
fn nothing_is_dropped_in_silence() {
    let silent = ["no_hooks", "empty_object", "empty_hooks", "empty_arrays"];
    for case in each() {
        let parsed = parse(&case.bytes);
        let told = !parsed.diagnostics.is_empty();
        let quiet = silent.contains(&case.name.as_str());
        assert!(if quiet { !told } else { told || !parsed.bindings.is_empty() }, "{}", case.name);
    }
    for document in ["{}", r#"{"hooks":{}}"#, r#"{"hooks":{"Stop":[]},"model":"m"}"#] {
        assert_eq!(parse(document).diagnostics, [], "{document}");
    }
}

/// CLA-CFG-06, CLA-SRC-14: what is left out below a guard event is missing from its decisions, at the
/// smallest part that holds the defect; an invalid matcher is such a part. Elsewhere nothing is.
#[test]
fn what_guards_is_missed_where_it_stood() {
    let good = r#"{"type":"command","command":"g"}"#;
    for (document, missing, bound) in [
        (with("PreToolUse", r#"{"type":"command"}"#), vec!["/hooks/PreToolUse/0/hooks/0"], 0),
        (with("PreToolUse", &format!("5,{good}")), vec!["/hooks/PreToolUse/0/hooks/0"], 1),
        // two defects of one handler are one hook that is missing
        (with("PreToolUse", r#"{"type":"command","timeout":0}"#), vec!["/hooks/PreToolUse/0/hooks/0"], 0),
        (r#"{"hooks":{"PreToolUse":[{"matcher":5,"hooks":[]}]}}"#.into(), vec!["/hooks/PreToolUse/0"], 0),
        (
            format!(r#"{{"hooks":{{"PermissionRequest":[{{"matcher":"[","hooks":[{good}]}}]}}}}"#),
            vec!["/hooks/PermissionRequest/0"],
            0,
        ),
        (r#"{"hooks":{"PreSkillShellCommand":"x"}}"#.into(), vec!["/hooks/PreSkillShellCommand"], 0),
        (r#"{"hooks":{"PreToolUse":null}}"#.into(), vec![], 0),
        (r#"{"PreToolUse":[],"hooks":{}}"#.into(), vec!["/PreToolUse"], 0),
        (
            r#"{"hooks":{"all":{"PreToolUse":[],"Stop":[],"PermissionRequest":[]}}}"#.into(),
            vec!["/hooks/all/PreToolUse", "/hooks/all/PermissionRequest"],
            0,
        ),
        (with("PostToolUse", r#"{"type":"command"}"#), vec![], 0),
        (with("UserPromptSubmit", r#"{"type":"command"}"#), vec![], 0),
    ] {
        let parsed = parse(&document);
        assert_eq!((dropped(&parsed), parsed.bindings.len()), (missing.clone(), bound), "{document}");
        assert_eq!(parsed.refused, None, "{document}");
        let errors = parsed.diagnostics.iter().any(|d| d.severity == Severity::Error);
        let of_a_matcher = document.contains("\"[\"");
        assert_eq!(errors, !missing.is_empty() && !of_a_matcher, "{document}: {:?}", parsed.diagnostics);
    }
}

/// CLA-CFG-06: Claude Code's own way refuses the file, and nothing else it says counts; a managed
/// file never is refused for such an entry, and what it lacks is missed as it is here.
#[test]
fn a_bad_entry_refuses_the_file_in_claudes_own_way() {
    let document = r#"{"disableAllHooks":true,"env":{"A":"1"},"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}],"Stop":[{"hooks":[{"type":"command","command":"s"}]}]}}"#;
    for (scope, path, refused) in [
        (Scope::User, "/home/dev/.claude/settings.json", true),
        (Scope::Local, "/home/dev/project/.claude/settings.local.json", true),
        (Scope::Session, "--settings", true),
        (Scope::Plugin, "/opt/p/hooks/hooks.json", true),
        (Scope::Managed, "/etc/claude-code/managed-settings.json", false),
    ] {
        let parsed = parse_in(Fidelity::Vendor, scope, path, document);
        assert_eq!(parsed.refused.is_some(), refused, "{scope}");
        assert_eq!(parsed.bindings.len(), usize::from(!refused), "{scope}");
        assert_eq!(parsed.dropped.len(), usize::from(!refused), "{scope}");
        assert_eq!(parsed.settings.is_empty(), refused, "{scope}");
        assert_eq!(codes(&parsed.diagnostics), ["error claude/missing-command"], "{scope}");
        let error = parsed.diagnostics[0].to_string();
        assert_eq!(error.contains("these are unguarded: PreToolUse"), refused, "{error}");
    }
}

/// CLA-CFG-04, CLA-SRC-14: a slip of a guard event's name is a guard that is missing; a name that is
/// too far from any, and a slip of an event that guards nothing, are not.
#[test]
fn a_slip_of_a_guards_event_is_a_missing_guard() {
    for (name, missing) in [
        ("pretooluse", true),
        ("pre_tool-use", true),
        ("PreTooUse", true),
        ("PreToolsUses", true),
        ("PreToolUsages", false),
        ("PermisionReqest", true),
        ("PostTooUse", false),
        ("Stpo", false),
    ] {
        let parsed = parse(with(name, r#"{"type":"command","command":"a"}"#));
        assert_eq!(codes(&parsed.diagnostics), ["warning claude/unknown-event"], "{name}");
        assert_eq!(!dropped(&parsed).is_empty(), missing, "{name}");
    }
}

/// One handler, and what becomes of it.
#[test]
fn handlers_one_by_one() {
    for (rule, event, handler, told) in [
        ("CLA-CFG-09", "Stop", r#"{"type":"Command","command":"a"}"#, "warning claude/unknown-type"),
        ("CLA-CFG-09", "Stop", r#"{"type":null,"command":"a"}"#, "warning claude/wrong-type"),
        ("CLA-CFG-10", "Stop", r#"{"type":"command","command":"a","timeout":-0.0}"#, "warning claude/bad-timeout"),
        ("CLA-CFG-10", "Stop", r#"{"type":"command","command":"a","timeout":1e-300}"#, ""),
        ("CLA-CFG-10", "Stop", r#"{"type":"command","command":"a","timeout":1000}"#, "warning claude/long-timeout"),
        ("CLA-CFG-10", "Stop", r#"{"type":"prompt","prompt":"a","timeout":"1"}"#, "warning claude/bad-timeout"),
        ("CLA-CFG-11", "Stop", r#"{"type":"command","args":[]}"#, "warning claude/missing-command"),
        ("CLA-CFG-11", "Stop", r#"{"type":"command","command":"a","args":null}"#, "warning claude/wrong-type"),
        ("CLA-CFG-12", "Stop", r#"{"type":"command","command":"a","shell":"Bash"}"#, "warning claude/unknown-shell"),
        (
            "CLA-CFG-12",
            "Stop",
            r#"{"type":"command","command":"a","args":[],"shell":"zsh"}"#,
            "warning claude/unknown-shell",
        ),
        ("CLA-CFG-13", "Stop", r#"{"type":"http","url":5}"#, "warning claude/wrong-type"),
        ("CLA-CFG-13", "Stop", r#"{"type":"http","url":"ftp://example.com/"}"#, "warning claude/bad-url"),
        ("CLA-CFG-13", "Stop", r#"{"type":"http","url":"https://a/","headers":["x"]}"#, "warning claude/wrong-type"),
        (
            "CLA-CFG-13",
            "Stop",
            r#"{"type":"http","url":"https://a/","allowedEnvVars":[1]}"#,
            "warning claude/wrong-type",
        ),
        ("CLA-CFG-13", "Stop", r#"{"type":"mcp_tool","server":"s","tool":"t","input":{}}"#, ""),
        (
            "CLA-CFG-13",
            "Stop",
            r#"{"type":"mcp_tool","server":"s","tool":"t","input":null}"#,
            "warning claude/wrong-type",
        ),
        ("CLA-CFG-13", "Stop", r#"{"type":"prompt","prompt":"p","continueOnBlock":1}"#, "warning claude/wrong-type"),
        (
            "CLA-CFG-14",
            "PostToolUse",
            r#"{"type":"http","url":"https://a/","onFailure":"deny"}"#,
            "warning claude/bad-failure",
        ),
        (
            "CLA-CFG-14",
            "PostToolUse",
            r#"{"type":"command","command":"a","onFailure":null}"#,
            "warning claude/wrong-type",
        ),
        (
            "CLA-CFG-14",
            "TeammateIdle",
            r#"{"type":"command","command":"a","onFailure":"block"}"#,
            "warning claude/on-failure-ignored",
        ),
        ("CLA-CFG-14", "TaskCompleted", r#"{"type":"command","command":"a","onFailure":"continue"}"#, ""),
        ("CLA-CFG-14", "Setup", r#"{"type":"command","command":"a","onFailure":"block"}"#, ""),
        (
            "CLA-CFG-14",
            "Stop",
            r#"{"type":"prompt","prompt":"p","onFailure":"block"}"#,
            "warning claude/on-failure-ignored",
        ),
        ("CLA-CFG-14", "Stop", r#"{"type":"prompt","prompt":"p","onFailure":5}"#, ""),
        ("CLA-CFG-15", "Stop", r#"{"type":"http","url":"https://a/","async":"yes"}"#, ""),
        ("CLA-CFG-16", "Stop", r#"{"type":"command","command":"a","once":false}"#, ""),
        ("CLA-CFG-17", "Stop", r#"{"type":"command","command":"a","if":""}"#, ""),
        ("CLA-CFG-18", "Stop", r#"{"type":"command","command":"a","url":5,"prompt":null,"holdsTools":"x"}"#, ""),
        ("CLA-CFG-19", "Setup", r#"{"type":"http","url":"https://a/"}"#, "warning claude/handler-not-for-event"),
        (
            "CLA-CFG-24",
            "Stop",
            r#"{"type":"http","url":"https://a/","headers":{"A":"1","A":"2"}}"#,
            "warning claude/duplicate-key",
        ),
    ] {
        let parsed = parse(with(event, handler));
        let told: Vec<_> = Some(told).filter(|told| !told.is_empty()).into_iter().collect();
        assert_eq!(codes(&parsed.diagnostics), told, "{rule}: {handler}");
        let defect =
            told.iter().any(|code| ["wrong-", "bad-", "missing-", "unknown-"].iter().any(|part| code.contains(part)));
        assert_eq!(parsed.bindings.len(), usize::from(!defect), "{rule}: {handler}");
    }
}

fn one(parsed: &Parsed) -> &Binding {
    let [binding] = parsed.bindings.as_slice() else { panic!("{:?}", parsed.bindings) };
    binding
}

/// CLA-CFG-13: what a handler holds reaches core as it was written.
#[test]
fn handlers_are_kept_whole() {
    let parsed = parse(with(
        "PreToolUse",
        r#"{"type":"http","url":"https://a/","headers":{"B":"$T","A":"x"},"allowedEnvVars":["T"],"onFailure":"block"}"#,
    ));
    let Handler::Http { url, headers, variables } = &one(&parsed).handler else { panic!() };
    assert_eq!((url.as_str(), variables.as_slice()), ("https://a/", ["T".into()].as_slice()));
    assert_eq!(headers.iter().collect::<Vec<_>>(), [(&"A".to_owned(), &"x".to_owned()), (&"B".into(), &"$T".into())]);
    assert_eq!(one(&parsed).failure, FailureMode::Closed);

    let parsed =
        parse(with("PreToolUse", r#"{"type":"mcp_tool","server":"s","tool":"t","input":{"b":1.50,"a":[ 2 ]}}"#));
    let Handler::McpTool { server, tool, input, .. } = &one(&parsed).handler else { panic!() };
    assert_eq!((server.as_str(), tool.as_str()), ("s", "t"));
    assert_eq!(input.as_ref().unwrap().as_str(), r#"{"b":1.50,"a":[2]}"#);

    let parsed = parse(with("PreToolUse", r#"{"type":"agent","prompt":"p","model":"m","continueOnBlock":true}"#));
    let Handler::Agent(question) = &one(&parsed).handler else { panic!() };
    assert_eq!(
        (question.prompt.as_str(), question.model.as_deref(), question.continue_on_block),
        ("p", Some("m"), true)
    );
}

/// CLA-CFG-15, CLA-CFG-16
#[test]
fn hooks_nobody_waits_for() {
    for (keys, background) in [
        (r#""async":true"#, Some(Background::new(false))),
        (r#""asyncRewake":true"#, Some(Background::new(true))),
        (r#""async":false,"asyncRewake":true"#, Some(Background::new(true))),
        (r#""async":false"#, None),
        (r#""once":true"#, None),
    ] {
        let parsed = parse(with("PreToolUse", &format!(r#"{{"type":"command","command":"a",{keys}}}"#)));
        assert_eq!((one(&parsed).background, one(&parsed).once), (background, false), "{keys}");
    }
}

/// CLA-CFG-17, CLA-CFG-19: a hook that never runs says why, and so does its standing.
#[test]
fn hooks_that_never_run_are_bound_and_explained() {
    for (event, handler, why) in [
        ("Stop", r#"{"type":"command","command":"a","if":"Bash"}"#, "`if`"),
        ("SessionStart", r#"{"type":"http","url":"https://a/"}"#, "`http`"),
        ("Notification", r#"{"type":"agent","prompt":"p"}"#, "`agent`"),
    ] {
        let parsed = parse(with(event, handler));
        let Standing::Skipped(skipped) = &one(&parsed).standing else { panic!("{event}") };
        assert!(skipped.contains(why) && skipped.contains(event), "{skipped}");
        assert_eq!(parsed.diagnostics.len(), 1, "{event}");
    }
}

/// CLA-SRC-07, CLA-SRC-08: what makes two hooks of settings files the same one.
#[test]
fn copies_are_known_by_what_they_run() {
    let key = |scope, path, handler: &str| {
        let parsed = parse_in(Fidelity::Guarded, scope, path, with("PreToolUse", handler));
        one(&parsed).duplicate.clone()
    };
    let settings = |handler: &str| key(Scope::Project, "/p/.claude/settings.json", handler);
    let plain = settings(r#"{"type":"command","command":"a"}"#);
    for (same, handler) in [
        (true, r#"{"type":"command","command":"a","timeout":9,"statusMessage":"x","async":true,"shell":"bash"}"#),
        (true, r#"{"type":"command","command":"a","onFailure":"block"}"#),
        (false, r#"{"type":"command","command":"a "}"#),
        (false, r#"{"type":"command","command":"a","args":[]}"#),
        (false, r#"{"type":"command","command":"a","if":"Bash"}"#),
        (false, r#"{"type":"command","command":"a","shell":"powershell"}"#),
    ] {
        assert_eq!(settings(handler) == plain, same, "{handler}");
    }
    let exec = |args: &str| settings(&format!(r#"{{"type":"command","command":"a","args":{args}}}"#));
    assert_ne!(exec(r#"["b c"]"#), exec(r#"["b","c"]"#));
    let http = |url: &str, more: &str| settings(&format!(r#"{{"type":"http","url":"{url}"{more}}}"#));
    assert_eq!(http("https://a/", ""), http("https://a/", r#","headers":{"A":"1"},"timeout":3"#));
    assert_ne!(http("https://a/", ""), http("https://b/", ""));
    let elsewhere = key(Scope::Plugin, "/opt/p/hooks/hooks.json", r#"{"type":"command","command":"a"}"#);
    assert_eq!((plain.is_some(), elsewhere), (true, None));
}

/// CLA-SRC-05, CLA-CFG-20: a plugin's file needs the wrapper, and what stands beside it is nobody's
/// business but an event's.
#[test]
fn a_plugins_file_needs_the_wrapper() {
    let event = r#""PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}]"#;
    for (document, told, bound) in [
        (format!(r#"{{"description":"d","hooks":{{{event}}}}}"#), vec![], 1),
        (format!("{{{event}}}"), vec!["error claude/missing-hooks"], 0),
        ("{}".into(), vec!["error claude/missing-hooks"], 0),
        (format!(r#"{{"hooks":{{}},{event}}}"#), vec!["error claude/misplaced-event"], 0),
        (format!(r#"{{"disableAllHooks":5,"hooks":{{{event}}}}}"#), vec![], 1),
    ] {
        let parsed = plugin(&document);
        assert_eq!(
            (codes(&parsed.diagnostics), parsed.bindings.len()),
            (told.iter().map(ToString::to_string).collect(), bound),
            "{document}"
        );
        assert_eq!(parsed.refused.is_some(), told == ["error claude/missing-hooks"], "{document}");
        assert_eq!(parsed.settings.len(), 0);
    }
}

/// CLA-SRC-05: what `hooks` of a manifest may be.
#[test]
fn a_manifest_names_files_or_has_hooks() {
    let events = r#"{"PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}]}"#;
    for (hooks, told, bound) in [
        (events, "", 1),
        (r#""./more.json""#, "", 0),
        (r#"["./a.json","b/c.json"]"#, "", 0),
        (r#""../more.json""#, "error claude/outside-plugin", 0),
        (r#"["a.json","/etc/b.json"]"#, "error claude/outside-plugin", 0),
        (r#"["a.json",{}]"#, "error claude/wrong-type", 0),
        ("5", "error claude/wrong-type", 0),
        ("null", "error claude/wrong-type", 0),
    ] {
        let parsed = manifest(&format!(r#"{{"name":"p","version":"1","hooks":{hooks}}}"#));
        let told: Vec<_> = Some(told).filter(|told| !told.is_empty()).into_iter().collect();
        assert_eq!(
            (codes(&parsed.diagnostics), parsed.bindings.len()),
            (told.iter().map(ToString::to_string).collect(), bound),
            "{hooks}"
        );
        assert_eq!(parsed.refused.is_some(), !told.is_empty(), "{hooks}");
    }
    assert_eq!(manifest(r#"{"name":"p"}"#).diagnostics, []);
    assert!(manifest("{").refused.is_some());
}

/// CLA-CFG-26, CLA-SRC-10: what else a settings file says, and what of it is kept.
#[test]
fn settings_beside_hooks() {
    for (document, setting, kept, told) in [
        (r#"{"env":{"A":"x","B":3,"C":true,"D":1.50}}"#, "env", r#"{"A":"x","B":"3","C":"true","D":"1.50"}"#, ""),
        (r#"{"env":{"A":null,"B":"y"}}"#, "env", r#"{"B":"y"}"#, "warning claude/wrong-type"),
        (r#"{"env":"A=1"}"#, "env", "{}", "warning claude/wrong-type"),
        (r#"{"disableAllHooks":false}"#, "disableAllHooks", r#"{"on":false,"line":1,"column":2}"#, ""),
        (r#"{"disableAllHooks":"true"}"#, "disableAllHooks", "", "warning claude/wrong-type"),
        (r#"{"allowManagedHooksOnly":false}"#, "allowManagedHooksOnly", "", ""),
        (r#"{"allowedHttpHookUrls":["https://a/*"]}"#, "allowedHttpHookUrls", r#"["https://a/*"]"#, ""),
        (r#"{"allowedHttpHookUrls":"https://a/*"}"#, "allowedHttpHookUrls", "[]", "warning claude/wrong-type"),
        (r#"{"permissions":5,"model":null,"statusLine":[]}"#, "permissions", "", ""),
    ] {
        let parsed = parse(document);
        let told: Vec<_> = Some(told).filter(|told| !told.is_empty()).into_iter().collect();
        assert_eq!(codes(&parsed.diagnostics), told, "{document}");
        assert_eq!(parsed.setting(setting).map_or("", |json| json.as_str()), kept, "{document}");
    }
}

/// CLA-CFG-04, CLA-CFG-08, CLA-CFG-23: the help is what to write.
#[test]
fn help_says_what_to_write() {
    let group = |matcher: &str| format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"{matcher}","hooks":[]}}]}}}}"#);
    for (document, help) in [
        (r#"{"hooks":{"pretooluse":[]}}"#.into(), "`PreToolUse`?"),
        (r#"{"hooks":{"PreTooUse":[]}}"#.into(), "`PreToolUse`?"),
        (r#"{"hooks":{"Foo":[]}}"#.into(), "harness-hooks events --vendor claude"),
        (r#"{"hooks":{"hooks":{"PreToolUse":[]}}}"#.into(), "straight into `hooks`"),
        (r#"{"hooks":{"Stop":[{"type":"command","command":"a"}]}}"#.into(), "around the handler"),
        (group("Bash(git *)"), r#""if": "Bash(git *)""#),
        (group("Bash(*)"), r#""if": "Bash(*)""#),
        (group("Edit|mcp__db"), "`mcp__db__.*`"),
        (group("bash"), "`Bash`"),
        (group("Edit|Shell"), "`Bash`"),
        (group("spawn_agent"), "`Agent`"),
        (r#"{"Stop":[]}"#.into(), r#""hooks": {"Stop": […]}"#),
    ] {
        let document: String = document;
        let diagnostics = parse(&document).diagnostics;
        let said = diagnostics.iter().filter_map(|d| d.help.as_deref()).find(|said| said.contains(help));
        assert!(said.is_some(), "{document}: {diagnostics:?}");
    }
    for fine in ["Notebook(Edit)?", "Bash()", "mcp__db__.*", "mcp__db__query", "mcp__", "Bash|Task", "shells", "bash.*"]
    {
        assert_eq!(codes(&parse(group(fine)).diagnostics), ["warning claude/no-bindings"], "{fine}");
    }
}

/// CLA-EVT-01, CLA-EVT-05: every event of the table can be bound, and a binding leads back to where
/// it stands.
#[test]
fn every_event_can_be_bound() {
    for spec in Claude::new().events() {
        let handler = r#"{"type":"command","command":"a"}"#;
        let document = format!(r#"{{"hooks":{{"{}":[{{"hooks":[]}},{{"hooks":[{handler},{handler}]}}]}}}}"#, spec.name);
        let parsed = parse(&document);
        let [_, last] = parsed.bindings.as_slice() else { panic!("{}: {:?}", spec.name, parsed.bindings) };
        assert_eq!(last.pointer, format!("/hooks/{}/1/hooks/1", spec.name));
        assert_eq!(last.id.as_str(), format!("claude:project/x#{}[1][1]", spec.name));
        assert!(last.place.is_some());
    }
}
