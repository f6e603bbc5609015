//! What an author is told, with a place; and handlers and documents one by one, where no
//! configuration case has the value.

use std::{path::Path, sync::Arc};

use harness_hooks_codex::{CODEX, Codex};
use harness_hooks_core::{
    Adapter, Boundary, Capabilities, Diagnostic, Fidelity, Handler, Host, Parsed, Scope, Severity, Source, Standing,
};
use harness_hooks_fixtures::{ConfigCase, codes, configs, of};

use crate::sources;

/// What a document of a project makes, by its file's name.
pub(crate) fn parse_in(fidelity: Fidelity, file: &str, document: impl AsRef<[u8]>) -> Parsed {
    let path = Path::new("/home/dev/project/.codex").join(file);
    let source = Source::new(CODEX, Scope::Project, path, format!("project/.codex/{file}"), "/home/dev/project");
    Codex::with_fidelity(fidelity).parse(&Arc::new(source), document.as_ref())
}

pub(crate) fn parse(file: &str, document: impl AsRef<[u8]>) -> Parsed {
    parse_in(Fidelity::Guarded, file, document)
}

/// A `hooks.json` with one handler.
fn handler(event: &str, handler: &str) -> String {
    format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{handler}]}}]}}}}"#)
}

fn each() -> Vec<(ConfigCase, String)> {
    let cases = configs(&of("codex")).expect("the cases can be read");
    let named = |case: ConfigCase| {
        let file = case.document.file_name().expect("it is a file").to_string_lossy().into_owned();
        (case, file)
    };
    cases.into_iter().map(named).collect()
}

fn count(parsed: &Parsed, severity: Severity) -> usize {
    parsed.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
}

/// An author can go to where the fault is: every finding names the file, and every finding about
/// something in it its line and column. Only a warning of the encoding is of the whole file; every
/// refusal has a place.
#[test]
fn every_diagnostic_has_a_place() {
    let lost = |d: &Diagnostic| d.source.is_none() || d.place.is_none() && d.code != "codex/utf16";
    for (case, file) in each() {
        for fidelity in Fidelity::ALL {
            let diagnostics = parse_in(fidelity, &file, &case.bytes).diagnostics;
            let lost: Vec<_> = diagnostics.iter().filter(|d| lost(d)).collect();
            assert!(lost.is_empty(), "{}: {lost:#?}", case.name);
            let error = |d: &&Diagnostic| d.severity == Severity::Error;
            assert!(diagnostics.iter().filter(error).all(|d| d.place.is_some()), "{}: {diagnostics:#?}", case.name);
        }
    }
}

/// CDX-CFG-20
#[test]
fn half_a_unit_of_utf16_is_refused_with_a_place() {
    for file in ["hooks.json", "config.toml"] {
        for fidelity in Fidelity::ALL {
            let parsed = parse_in(fidelity, file, [0xFF, 0xFE, b'{', 0, b'}']);
            let [error] = parsed.diagnostics.as_slice() else { panic!("{:?}", parsed.diagnostics) };
            assert_eq!((error.code.as_ref(), error.place.is_some()), ("codex/invalid-utf16", true));
            assert!(parsed.refused.is_some());
        }
    }
}

/// CDX-CFG-05, CDX-SRC-13: an error refuses the file or drops an entry, and the vendor's way is to
/// refuse for any.
#[test]
fn an_error_is_never_without_a_consequence() {
    for (case, file) in each() {
        let parsed = parse(&file, &case.bytes);
        let errors = count(&parsed, Severity::Error);
        assert!(errors == 0 || parsed.refused.is_some() || !parsed.dropped.is_empty(), "{}", case.name);
        assert!(parsed.refused.is_none() || parsed.bindings.is_empty() && parsed.dropped.is_empty(), "{}", case.name);
        let vendor = parse_in(Fidelity::Vendor, &file, &case.bytes);
        assert_eq!(vendor.refused.is_some(), count(&vendor, Severity::Error) > 0, "{}", case.name);
        assert!(vendor.refused.is_none() || vendor.settings.is_empty(), "{}: its settings do not count", case.name);
    }
}

/// One handler, and what becomes of it: bound, left out with an error or with warnings, and whether
/// Codex refuses the file for it.
#[test]
fn handlers_one_by_one() {
    for (rule, event, text, bound, errors, warnings) in [
        ("CDX-CFG-08", "Stop", r#"{"type":"command","command":"a","timeout":5.0}"#, 1, 0, 0),
        ("CDX-CFG-08", "Stop", r#"{"type":"command","command":"a","timeout":1e400}"#, 1, 0, 0),
        ("CDX-CFG-08", "Stop", r#"{"type":"command","command":"a","timeout":1e30}"#, 1, 0, 0),
        ("CDX-CFG-08", "Stop", r#"{"type":"command","command":"a","timeout":-0}"#, 1, 0, 0),
        ("CDX-CFG-08", "Stop", r#"{"type":"command","command":"a","timeout":-1e400}"#, 0, 1, 0),
        ("CDX-CFG-08", "Stop", r#"{"type":"command","command":"a","timeout":[5]}"#, 0, 1, 0),
        ("CDX-CFG-08", "Stop", r#"{"type":"command","command":"a","timeout":"5","async":1}"#, 0, 2, 0),
        (
            "CDX-CFG-08",
            "Stop",
            r#"{"type":"command","command":"a","commandWindows":"b","command_windows":"c"}"#,
            1,
            0,
            1,
        ),
        ("CDX-CFG-08", "Stop", r#"{"type":"command","command":"a","commandWindows":" "}"#, 1, 0, 1),
        ("CDX-CFG-08", "Stop", r#"{"type":"command","command":"a","statusMessage":[]}"#, 0, 1, 0),
        ("CDX-CFG-06", "Stop", r#"{"type":"","command":"a"}"#, 0, 1, 0),
        ("CDX-CFG-06", "Stop", r#"{}"#, 0, 1, 0),
        ("CDX-CFG-06", "Stop", r#"[]"#, 0, 1, 0),
        ("CDX-CFG-09", "Stop", r#"{"type":"command","command":"\ufeff \n"}"#, 0, 0, 1),
        ("CDX-CFG-09", "Stop", r#"{"type":"prompt","command":5,"timeout":"x","zzz":1}"#, 0, 0, 1),
        ("CDX-CFG-09", "Stop", r#"{"type":"agent"}"#, 0, 0, 1),
        ("CDX-CFG-10", "Stop", r#"{"type":"mcp_tool","server":"s","tool":"t","input":null}"#, 1, 0, 0),
        ("CDX-CFG-10", "Stop", r#"{"type":"mcp_tool","server":"s","tool":5}"#, 0, 1, 0),
        ("CDX-CFG-10", "Stop", r#"{"type":"mcp_tool"}"#, 0, 2, 0),
        ("CDX-CFG-10", "Stop", r#"{"type":"mcp_tool","server":"s","tool":"t","timeout":0.5}"#, 0, 1, 0),
        ("CDX-CFG-10", "SessionEnd", r#"{"type":"mcp_tool","server":"s","tool":"t"}"#, 1, 0, 1),
        ("CDX-CFG-11", "SessionEnd", r#"{"type":"mcp_tool","server":"s","tool":"t","timeout":9}"#, 1, 0, 2),
        ("CDX-CFG-11", "Interrupt", r#"{"type":"command","command":"a","async":true}"#, 1, 0, 0),
        ("CDX-CFG-11", "SessionEnd", r#"{"type":"command","command":"a","async":false}"#, 1, 0, 0),
        ("CDX-CFG-12", "Stop", r#"{"type":"command","command":"a","additionalContextLimit":1.5}"#, 0, 1, 0),
        ("CDX-CFG-15", "Stop", r#"{"type":"command","command":"a","server":"s","Timeout":5,"if":null}"#, 1, 0, 3),
        ("CDX-CFG-15", "Stop", r#"{"type":"mcp_tool","server":"s","tool":"t","async":true,"command":"a"}"#, 1, 0, 2),
        ("CDX-CFG-21", "Stop", r#"{"type":"command","command":5,"command":"a"}"#, 1, 0, 1),
    ] {
        let parsed = parse("hooks.json", handler(event, text));
        let got = (parsed.bindings.len(), count(&parsed, Severity::Error), count(&parsed, Severity::Warning));
        assert_eq!(got, (bound, errors, warnings), "{rule}: {event} {text}: {:#?}", parsed.diagnostics);
        assert!(parsed.refused.is_none(), "{rule}: {text}");
        if !text.contains("e400") {
            let vendor = parse_in(Fidelity::Vendor, "hooks.json", handler(event, text));
            assert_eq!(vendor.refused.is_some(), errors > 0, "{rule}: {text}");
        }
    }
}

/// CDX-CFG-09: on every event, and what stands behind it keeps its place.
#[test]
fn what_is_not_run_is_left_out_everywhere() {
    for spec in Codex::new().events() {
        let hooks = r#"{"type":"agent","prompt":"p"},{"type":"command","command":"a"}"#;
        let parsed = parse("hooks.json", handler(spec.name, hooks));
        let [binding] = parsed.bindings.as_slice() else { panic!("{}: {:?}", spec.name, parsed.bindings) };
        assert_eq!(binding.pointer, format!("/hooks/{}/0/hooks/1", spec.name));
        assert!(binding.id.as_str().ends_with(&format!("#{}[0][1]", spec.name)), "{}", binding.id);
        assert_eq!(codes(&parsed.diagnostics), ["warning codex/handler-not-run"]);
        assert_eq!(parsed.dropped.len(), 1);
    }
}

/// CDX-SRC-13: what is left out under an event that can block is missing from its decisions; under
/// any other event it is not.
#[test]
fn guards_left_out_are_missing_from_decisions() {
    let guard = |group: &str| format!(r#"{{"hooks":{{"PreToolUse":[{group}]}}}}"#);
    let one = |handler: &str| guard(&format!(r#"{{"hooks":[{handler}]}}"#));
    let bash = r#"{"tool.before":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#;
    for (document, pointer) in [
        (guard(r#"{"matcher":"[","hooks":[{"type":"command","command":"a"}]}"#), "/hooks/PreToolUse/0"),
        (guard(r#"{"matcher":5,"hooks":[{"type":"command","command":"a"}]}"#), "/hooks/PreToolUse/0"),
        (guard(r#"{"type":"command","command":"a"}"#), "/hooks/PreToolUse/0"),
        (guard("7"), "/hooks/PreToolUse/0"),
        (one(r#"{"type":"command","command":" "}"#), "/hooks/PreToolUse/0/hooks/0"),
        (one(r#"{"type":"prompt"}"#), "/hooks/PreToolUse/0/hooks/0"),
        (one(r#"{"type":"command"}"#), "/hooks/PreToolUse/0/hooks/0"),
        (one("null"), "/hooks/PreToolUse/0/hooks/0"),
        (r#"{"hooks":{"PreToolUse":null}}"#.into(), "/hooks/PreToolUse"),
        (r#"{"hooks":{"pre_tool_use":[{"hooks":[{"type":"command","command":"a"}]}]}}"#.into(), "/hooks/pre_tool_use"),
        (r#"{"hooks":{"PreTolUse":[{"hooks":[{"type":"command","command":"a"}]}]}}"#.into(), "/hooks/PreTolUse"),
        (r#"{"PreToolUse":[],"hooks":{}}"#.into(), "/PreToolUse"),
    ] {
        let snapshot = sources::load(&sources::project(), [("/home/dev/project/.codex/hooks.json", document.as_str())]);
        let missing: Vec<_> = snapshot.refused(&sources::envelope(bash)).into_iter().map(|r| r.pointer).collect();
        assert_eq!(missing, [Some(pointer.to_owned())], "{document}");
        let stop = snapshot.refused(&sources::envelope(r#"{"turn.stop":{}}"#));
        assert!(stop.is_empty(), "{document}");
        let other = document
            .replace("PreToolUse", "PostToolUse")
            .replace("pre_tool_use", "post_tool_use")
            .replace("PreTolUse", "PostTolUse");
        let snapshot = sources::load(&sources::project(), [("/home/dev/project/.codex/hooks.json", other.as_str())]);
        assert!(snapshot.refused(&sources::envelope(bash)).is_empty(), "{other}");
    }
    let unknown = r#"{"hooks":{"Future":[{"hooks":[]}],"preToolUse":[],"PreTlUs":[{"hooks":[]}]}}"#;
    assert!(parse("hooks.json", unknown).dropped.is_empty());
}

/// CDX-CFG-08: which line runs depends on the machine, so both are kept; the one for Windows in
/// either spelling.
#[test]
fn both_lines_are_kept() {
    let both = Handler::PerSystem { line: "a".into(), windows: "b".into() };
    for key in ["commandWindows", "command_windows"] {
        let text = format!(r#"{{"type":"command","command":"a","{key}":"b"}}"#);
        assert_eq!(parse("hooks.json", handler("Stop", &text)).bindings[0].handler, both);
    }
    let twice = r#"{"type":"command","command":"a","command_windows":"c","commandWindows":"b"}"#;
    assert_eq!(parse("hooks.json", handler("Stop", twice)).bindings[0].handler, both);
    let blank = r#"{"type":"command","command":"a","commandWindows":"\t"}"#;
    assert_eq!(parse("hooks.json", handler("Stop", blank)).bindings[0].handler, Handler::Shell { line: "a".into() });
}

/// CDX-CFG-10: the arguments in the order of the file, in both syntaxes and without comments.
#[test]
fn the_input_of_an_mcp_tool_is_kept_as_it_is_written() {
    let text =
        r#"{"type":"mcp_tool","server":"s","tool":"t","input":{"z":[1.50,{"b":"${a}"}], /* c */ "a":"é\u0001"}}"#;
    let json = parse("hooks.json", handler("Stop", text));
    let toml = parse(
        "config.toml",
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype='mcp_tool'\nserver='s'\ntool='t'\n[hooks.Stop.hooks.input]\nz=[1.50,{b='${a}'}]\na=\"é\\u0001\"\n",
    );
    for (parsed, expected) in [
        (json, "{\"z\":[1.50,{\"b\":\"${a}\"}],\"a\":\"é\\u0001\"}"),
        (toml, "{\"z\":[1.5,{\"b\":\"${a}\"}],\"a\":\"é\\u0001\"}"),
    ] {
        let [binding] = parsed.bindings.as_slice() else { panic!("{:?}", parsed.diagnostics) };
        let Handler::McpTool { name, input: Some(input), .. } = &binding.handler else { panic!("{binding:?}") };
        assert_eq!((name.as_str(), input.as_str()), ("s/t", expected));
    }
}

/// CDX-CFG-11: a hook nobody waits for tells, and controls nothing.
#[test]
fn an_async_hook_has_no_control() {
    let text = r#"{"type":"command","command":"a","async":true}"#;
    for spec in Codex::new().events().iter().filter(|spec| spec.name != "SessionEnd") {
        let parsed = parse("hooks.json", handler(spec.name, text));
        let can = parsed.bindings[0].capabilities(spec);
        assert!(!parsed.bindings[0].background.expect("nobody waits for it").wakes);
        for control in [
            Capabilities::VERDICT,
            Capabilities::HALT,
            Capabilities::CONTINUATION,
            Capabilities::REWRITE_INPUT,
            Capabilities::REWRITE_RESULT,
        ] {
            assert!(!can.has(control), "{}: {can}", spec.name);
        }
        assert_eq!(can.has(Capabilities::CONTEXT), spec.capabilities.has(Capabilities::CONTEXT), "{}", spec.name);
    }
}

/// CDX-EVT-11: what the host only plans never matches and what it has not is not bound, each with one
/// warning for each definition.
#[test]
fn events_the_host_does_not_fire() {
    let two = r#"{"type":"command","command":"a"},{"type":"command","command":"b"}"#;
    let host = Host::new("Acme", "1").fires([Boundary::ToolBefore]).plans([Boundary::TurnStop]);
    for (event, standing, code) in [
        ("PreToolUse", Some(Standing::Active), None),
        ("Stop", Some(Standing::Planned), Some("warning codex/planned-event")),
        ("SessionEnd", None, Some("warning codex/absent-event")),
    ] {
        let document = handler(event, two);
        let files = [("/home/dev/project/.codex/hooks.json", document.as_str())];
        let snapshot = sources::load_in(host.clone(), &sources::project(), files);
        let standings: Vec<_> = snapshot.bindings().iter().map(|binding| binding.standing.clone()).collect();
        assert_eq!(standings, vec![standing; 2].into_iter().flatten().collect::<Vec<_>>(), "{event}");
        assert_eq!(codes(snapshot.diagnostics()), [code, code].into_iter().flatten().collect::<Vec<_>>(), "{event}");
    }
}

/// CDX-CFG-02: everything said about TOML names the line and column in the TOML.
#[test]
fn places_in_toml() {
    let head = "# é hooks\r\nmodel = 'x'\n";
    for (body, code, line, column) in [
        ("[[hooks.Stop]]\nmatcher = 5\n", "error codex/wrong-type", 4, 11),
        ("[[hooks.Stop]]\n  hooks = [{ type = 'command', command = 7 }]\n", "error codex/wrong-type", 4, 42),
        ("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\n", "error codex/missing-command", 4, 1),
        (
            "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = ''\n",
            "warning codex/blank-command",
            6,
            11,
        ),
        ("[hooks]\nStop = 'a'\n", "error codex/wrong-type", 4, 8),
        ("hooks.Stop = [{ hooks = [{ type = 'http' }] }]\n", "error codex/unknown-type", 3, 35),
        ("[[hooks.stop]]\n", "warning codex/unknown-event", 3, 1),
        ("[[Stop]]\n", "warning codex/misplaced-event", 3, 1),
        ("[[hooks.PreToolUse]]\nmatcher = '''\n[a'''\nhooks = []\n", "warning codex/bad-matcher", 4, 11),
        ("[features]\ncodex_hooks = true\n", "warning codex/deprecated-key", 4, 15),
        ("[features]\nhooks = 'no'\n", "warning codex/wrong-type", 4, 9),
        ("[hooks.state.\"a:stop:0:0\"]\nenabled = 1\n", "warning codex/wrong-type", 4, 11),
        ("a = \n", "error codex/invalid-toml", 3, 5),
        ("a = 'é\n", "error codex/invalid-toml", 3, 7),
        ("a = 1\na = 2\n", "error codex/invalid-toml", 4, 1),
        ("[[hooks.Stop]\n", "error codex/invalid-toml", 3, 14),
    ] {
        let parsed = parse("config.toml", format!("{head}{body}"));
        let [first, ..] = parsed.diagnostics.as_slice() else { panic!("{body}: nothing is said") };
        let place = first.place.expect("it has a place");
        assert_eq!((codes(&parsed.diagnostics)[0].as_str(), place.line, place.column), (code, line, column), "{body}");
        let told = codes(&parsed.diagnostics);
        assert_eq!(told.len(), 1, "{body}: {told:?}");
        assert_eq!(parsed.refused.is_some(), code.ends_with("toml"), "{body}");
    }
}

/// CDX-CFG-02: the reader is one for both syntaxes, so what it makes of them is one.
#[test]
fn toml_binds_what_its_json_binds() {
    let json = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"s","timeout":7}]}],"PreToolUse":[{"matcher":"a|b","hooks":[{"type":"command","command":"x","async":true}]},{"matcher":"^c","hooks":[{"type":"command","command":"y"},{"type":"mcp_tool","server":"s","tool":"t"}]}]}}"#;
    let toml = r#"
        hooks.Stop = [{ hooks = [{ type = "command", command = "s", timeout = 7 }] }]
        [[hooks.PreToolUse]]
        matcher = "a|b"
        hooks = [{ type = "command", command = "x", async = true }]
        [[hooks.PreToolUse]]
        matcher = '^c'
        [[hooks.PreToolUse.hooks]]
        type = "command"
        command = "y"
        [[hooks.PreToolUse.hooks]]
        type = "mcp_tool"
        server = "s"
        tool = "t"
    "#;
    let made = |parsed: Parsed| -> Vec<_> {
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let of =
            |b: harness_hooks_core::Binding| (b.pointer, b.event_name, b.matcher, b.handler, b.timeout, b.background);
        parsed.bindings.into_iter().map(of).collect()
    };
    let (json, toml) = (made(parse("hooks.json", json)), made(parse("config.toml", toml)));
    assert_eq!(json.len(), 4);
    assert_eq!(json, toml);
}

/// CDX-CFG-22: nesting without end ends no thread, whatever it is made of.
#[test]
fn deep_documents_are_refused_with_a_place() {
    let keys = |n: usize| vec!["a"; n].join(".");
    let inline = |keys: &str, n: usize| format!("{}1{}", format!("{{ {keys} = ").repeat(n), " }".repeat(n));
    for document in [
        format!("{} = 1", keys(200_000)),
        format!("[{}]", keys(200_000)),
        format!("[[{}]]", keys(5_000)),
        format!("hooks = {}{}", "[".repeat(200_000), "]".repeat(200_000)),
        format!("hooks = {}", "[".repeat(200_000)),
        format!("hooks = {}", inline("a", 20_000)),
        format!("[{0}]\n{0} = {1}", keys(79), inline(&keys(79), 78)),
        format!("hooks.{} = {}", keys(70), inline(&keys(70), 70)),
        "hooks = {a=[{".repeat(50_000),
    ] {
        let parsed = parse("config.toml", &document);
        let told = codes(&parsed.diagnostics);
        assert!(parsed.refused.is_some(), "{told:?}");
        assert!(parsed.diagnostics.iter().all(|diagnostic| diagnostic.place.is_some()), "{told:?}");
    }
    let deep = parse("hooks.json", format!("{{\"hooks\":{}", "[".repeat(200_000)));
    assert_eq!(codes(&deep.diagnostics), ["error codex/nested-too-deep"]);
    let fine = format!("[{}]\n{} = {}", keys(79), keys(79), inline(&keys(70), 3));
    assert_eq!(codes(&parse("config.toml", fine).diagnostics), <[&str; 0]>::default());
    let wide = format!(
        "[[hooks.Stop]]\nhooks = [{}]",
        "{ type = 'command', command = 'a', b.c.d = [[1], [2]] }, ".repeat(2_000)
    );
    assert_eq!(parse("config.toml", wide).bindings.len(), 2_000);
}

/// CDX-CFG-22: Codex reads JSON as serde does; here it is read as JavaScript reads it.
#[test]
fn json_of_other_readers() {
    let surrogate = handler("Stop", r#"{"type":"command","command":"\ud800"}"#);
    let number = handler("Stop", r#"{"type":"command","command":"a","timeout":1e400}"#);
    let deep =
        handler("Stop", &format!(r#"{{"type":"command","command":"a","x":{}{}}}"#, "[".repeat(200), "]".repeat(200)));
    for document in [surrogate, number, deep] {
        assert_eq!(parse("hooks.json", &document).bindings.len(), 1, "{document}");
        let vendor = parse_in(Fidelity::Vendor, "hooks.json", &document);
        assert!(codes(&vendor.diagnostics).contains(&"error codex/invalid-json".into()), "{document}");
        assert!(vendor.refused.is_some(), "{document}");
    }
}

/// CDX-CFG-03: what is no document of hooks is never empty in silence.
#[test]
fn documents_that_define_nothing() {
    for (file, document, silent) in [
        ("hooks.json", r#"{"hooks":{}}"#, true),
        ("hooks.json", r#"{"hooks":{"Stop":[],"PreToolUse":[]}}"#, true),
        ("hooks.json", r#"{"description":"d","hooks":{}}"#, true),
        ("hooks.json", r#"{"hooks":{"Stop":[{}]}}"#, false),
        ("hooks.json", r#"{"hooks":{"Future":[]}}"#, false),
        ("hooks.json", r#"{"hooks":{"state":{}}}"#, false),
        ("hooks.json", r#"{"version":1}"#, false),
        ("hooks.json", "{}", false),
        ("hooks.json", "", false),
        ("hooks.json", "[]", false),
        ("config.toml", "", true),
        ("config.toml", "\u{feff}# nothing", true),
        ("config.toml", "model = 'm'\nnotify = ['a']", true),
        ("config.toml", "[hooks]", true),
        ("config.toml", "[hooks.state]", true),
        ("config.toml", "[[hooks.Stop]]", false),
        ("config.toml", "[[hooks.Future]]", false),
        ("config.toml", "[[PreToolUse]]", false),
        ("config.toml", "[hooks]\nmanaged_dir = 'a'", false),
    ] {
        let parsed = parse(file, document);
        assert_eq!(parsed.bindings.len(), 0);
        assert_eq!(parsed.diagnostics.is_empty(), silent, "{document}: {:?}", parsed.diagnostics);
    }
}

/// CDX-CFG-18: what never matches what it seems to mean, and what is fine.
#[test]
fn suspicious_matchers_are_named() {
    let told = |event: &str, matcher: &str| {
        let matcher = serde_json::Value::from(matcher);
        let group = format!(
            r#"{{"hooks":{{"{event}":[{{"matcher":{matcher},"hooks":[{{"type":"command","command":"a"}}]}}]}}}}"#
        );
        let parsed = parse("hooks.json", group);
        assert_eq!(parsed.bindings.len(), 1, "{matcher}: {:?}", parsed.diagnostics);
        parsed.diagnostics
    };
    for (matcher, write) in [
        ("mcp__srv", "`mcp__srv__.*`"),
        ("mcp__srv__", "`mcp__srv__.*`"),
        ("Bash|mcp__srv", "`mcp__srv__.*`"),
        ("Bash(git *)", "`Bash`"),
        ("bash(echo)", "`Bash`"),
        ("Bash,Edit", "`Bash|Edit`"),
        ("Bash, Edit", "`Bash|Edit`"),
        ("Bash |Edit", "`Bash|Edit`"),
        ("Bash\n", "`Bash`"),
        ("  ", "`*`"),
        ("!Bash", "`Bash`"),
        ("bash", "`Bash`"),
        ("Bash|EDIT", "`Edit`"),
        ("Apply_Patch", "`apply_patch`"),
        ("mcp__my-srv", "`mcp__my_srv__.*`"),
        ("mcp__my-srv__echo", "`mcp__my_srv__.*`"),
        ("^mcp__my-srv__.*$", "`mcp__my_srv__.*`"),
        ("Bash|mcp__srv__.*|mcp__a-b-c__.*", "`mcp__a_b_c__.*`"),
        ("|", "`*`"),
        ("||", "`*`"),
    ] {
        let diagnostics = told("PermissionRequest", matcher);
        assert_eq!(codes(&diagnostics), ["warning codex/suspicious-matcher"], "{matcher}");
        let help = diagnostics[0].help.as_deref().unwrap();
        assert!(help.contains(write), "{matcher}: {help}");
    }
    for matcher in [
        "Bash",
        "Edit|Write",
        "",
        "*",
        "mcp__srv__echo",
        "mcp__srv__.*",
        "mcp__srv__my-tool",
        "mcp__[a-z]-?srv__.*",
        "my-tool",
        "^Bash$",
        "(Bash|Edit)",
        "mcp__(a|b)__.*",
        "shell",
        "Read",
        "Ba[, ]sh",
        "apply(_patch)?",
    ] {
        assert_eq!(codes(&told("PreToolUse", matcher)), <[&str; 0]>::default(), "{matcher}");
    }
    for event in ["SessionStart", "PreCompact", "SubagentStop"] {
        assert_eq!(codes(&told(event, "bash")), <[&str; 0]>::default(), "{event}");
    }
}
