//! Which handlers run where a record of what the user trusts is asked for, by the hashes the program
//! was seen to print.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use harness_hooks_codex::{CODEX, Codex};
use harness_hooks_core::{
    Boundary, Host, Launch, Machine, Places, Platform, SessionDocument, SessionState, Severity, Snapshot, Standing,
};
use harness_hooks_fixtures::{codes, of};
use serde_json::{Value, json};

use crate::sources;

const HOOKS: &str = "/home/dev/.codex/hooks.json";
const CONFIG: &str = "/home/dev/.codex/config.toml";

/// A user's machine, where the record is asked for.
fn gated() -> Places {
    Places::new("/home/dev/project").home(Some("/home/dev".into())).trusted(true).recorded_trust(true)
}

fn load(places: &Places, files: &[(&str, String)]) -> Arc<Snapshot> {
    sources::load(places, files.iter().map(|(path, text)| (*path, text.as_str())))
}

/// `hooks.state` with one entry.
fn state(key: &str, fields: &str) -> String {
    format!("[hooks.state.{}]\n{fields}\n", Value::from(key))
}

fn trusted(key: &str, hash: &str) -> String {
    state(key, &format!("trusted_hash = '{hash}'"))
}

/// A `hooks.json` in which the handler stands in its group at the places of the key; what stands
/// before it is not run.
fn document(event: &str, place: &str, group: &Value, handler: &Value) -> String {
    let at: Vec<usize> = place.split(':').skip(1).map(|n| n.parse().expect("an index")).collect();
    let mut handlers = vec![json!({"type": "prompt"}); at[1]];
    handlers.push(handler.clone());
    let mut group = group.clone();
    group["hooks"] = handlers.into();
    let mut groups = vec![json!({"matcher": "[", "hooks": [{"type": "command", "command": "x"}]}); at[0]];
    groups.push(group);
    json!({"hooks": {event: groups}}).to_string()
}

/// Whether the handler of a place runs with this record, by its file's path.
fn runs(places: &Places, path: &str, document: &str, record: &str) -> bool {
    let snapshot = load(places, &[(path, document.to_owned()), (CONFIG, record.to_owned())]);
    let here: Vec<_> = snapshot.bindings().iter().filter(|b| b.source.path == Path::new(path)).collect();
    let [binding] = here.as_slice() else { panic!("{path}: {here:?}") };
    binding.standing == Standing::Active
}

/// CDX-TRUST-02, CDX-TRUST-05 to CDX-TRUST-07: the hash the program printed for each handler is that
/// of the same handler in a document, and no other hash is.
#[test]
fn recorded_hashes() {
    let text = fs::read_to_string(of("codex").join("recorded/trust-hash.json")).unwrap();
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let shapes = recorded["shapes"].as_array().unwrap();
    assert_eq!(shapes.len(), 13);
    for shape in shapes {
        let [event, place, hash] = ["event", "key", "currentHash"].map(|key| shape[key].as_str().unwrap());
        let document = document(event, place, &shape["group"], &shape["handler"]);
        let key = format!("{HOOKS}:{place}");
        assert!(runs(&gated(), HOOKS, &document, &trusted(&key, hash)), "{shape}");
        assert!(!runs(&gated(), HOOKS, &document, &trusted(&key, &hash.replace("sha256:", "sha256:0"))), "{shape}");
        assert!(!runs(&gated(), HOOKS, &document, &trusted(&format!("{key}9"), hash)), "{shape}");

        let snapshot = load(&gated(), &[(HOOKS, document)]);
        let help = snapshot.diagnostics().iter().find(|d| d.code == "codex/untrusted-hook").unwrap().help.as_deref();
        assert!(help.unwrap().contains(hash), "{help:?}");
    }
}

/// CDX-TRUST-06, CDX-TRUST-07: by the same recipe, computed apart from this code.
#[test]
fn hashes_by_the_recipe() {
    let command = |more: Value| {
        let mut handler = json!({"type": "command", "command": "x"});
        handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        handler
    };
    let bash = json!({"matcher": "Bash"});
    for (what, event, group, handler, hash) in [
        (
            "statusMessage is kept",
            "pre_tool_use",
            bash.clone(),
            command(json!({"statusMessage": "Looking…"})),
            "28b8f5f4e22828923e807a90ca4346ffb8c32b4a36e67219e7b5079ec08df862",
        ),
        (
            "additionalContextLimit 2500 is dropped",
            "pre_tool_use",
            bash.clone(),
            command(json!({"additionalContextLimit": 2500})),
            "8b3de0db500a24df6d2c8ddb5e04090edd5f3066951d7e252357fb79bb6bbd16",
        ),
        (
            "additionalContextLimit 0 is kept",
            "post_tool_use",
            json!({}),
            command(json!({"additionalContextLimit": 0})),
            "80af497592fd83954d9665f4e75bdf9656d268ea2a512a2a5b400cda3d241bbe",
        ),
        (
            "SessionEnd timeout 10 counts as 3",
            "session_end",
            json!({"matcher": "other"}),
            command(json!({"timeout": 10})),
            "d1ab83531968c53651bc5e3ba2de334c45d90fb56816a40de575b241bd2b61ac",
        ),
        (
            "SessionEnd timeout 0 counts as 1",
            "session_end",
            json!({}),
            command(json!({"timeout": 0})),
            "f3041eae9d0be5faed5367060d633bb905ed83825e2f4d9c7bc7f5ef19fe4bc7",
        ),
        (
            "Interrupt drops its matcher",
            "interrupt",
            json!({"matcher": "zzz"}),
            command(json!({})),
            "62ff3f22d466214a78ee1c476871d1929af10e332f3b32e22b856433017c72fe",
        ),
        (
            "async on SessionEnd keeps the raw value",
            "session_end",
            json!({}),
            command(json!({"async": true})),
            "26c07be7a2ae7ad02412d4f394fdec061c2ee2867de79036ef270e9762eea445",
        ),
        (
            "unknown keys are dropped",
            "pre_tool_use",
            json!({"matcher": "Bash", "if": "x"}),
            command(json!({"zzz": 1, "commandWindows": "w"})),
            "8b3de0db500a24df6d2c8ddb5e04090edd5f3066951d7e252357fb79bb6bbd16",
        ),
        (
            "null is absent",
            "pre_tool_use",
            bash,
            command(json!({"timeout": null, "async": null, "statusMessage": null, "additionalContextLimit": null})),
            "8b3de0db500a24df6d2c8ddb5e04090edd5f3066951d7e252357fb79bb6bbd16",
        ),
    ] {
        let name = NAMES.iter().find(|(snake, _)| *snake == event).unwrap().1;
        let place = format!("{event}:0:0");
        let document = document(name, &place, &group, &handler);
        let record = trusted(&format!("{HOOKS}:{place}"), &format!("sha256:{hash}"));
        assert!(runs(&gated(), HOOKS, &document, &record), "{what}");
    }
}

const NAMES: [(&str, &str); 12] = [
    ("pre_tool_use", "PreToolUse"),
    ("permission_request", "PermissionRequest"),
    ("post_tool_use", "PostToolUse"),
    ("pre_compact", "PreCompact"),
    ("post_compact", "PostCompact"),
    ("session_start", "SessionStart"),
    ("session_end", "SessionEnd"),
    ("user_prompt_submit", "UserPromptSubmit"),
    ("subagent_start", "SubagentStart"),
    ("subagent_stop", "SubagentStop"),
    ("stop", "Stop"),
    ("interrupt", "Interrupt"),
];

/// CDX-TRUST-07: on Windows the command for Windows takes the place of the other.
#[test]
fn the_hash_of_a_command_for_windows() {
    let handler = json!({"type": "command", "command": "p", "commandWindows": "w.cmd"});
    let document = document("PermissionRequest", "permission_request:0:0", &json!({"matcher": "Bash"}), &handler);
    let key = format!("{HOOKS}:permission_request:0:0");
    let windows = "sha256:b26b57a08e3dee7704abf1631e9f63eb6961037791442f68e68a2a9530a6259d";
    let elsewhere = "sha256:e4c8a1197b31e218eaae428b2a7ef0846780d5b3149135f3910ee3a3f848cc82";
    for (platform, hash, other) in [
        (Platform::Windows, windows, elsewhere),
        (Platform::Linux, elsewhere, windows),
        (Platform::MacOs, elsewhere, windows),
    ] {
        let places = gated().machine("/none", platform);
        assert!(runs(&places, HOOKS, &document, &trusted(&key, hash)), "{platform:?}");
        assert!(!runs(&places, HOOKS, &document, &trusted(&key, other)), "{platform:?}");
    }
}

/// CDX-TRUST-07: the line that was reviewed is the line that runs, also where a host says one thing of
/// its folders and another of its machine.
#[test]
fn what_was_reviewed_is_what_runs() {
    let handler = json!({"type": "command", "command": "p", "commandWindows": "w.cmd"});
    let document = document("PermissionRequest", "permission_request:0:0", &json!({"matcher": "Bash"}), &handler);
    let hash = "sha256:e4c8a1197b31e218eaae428b2a7ef0846780d5b3149135f3910ee3a3f848cc82";
    let files = [(HOOKS, document), (CONFIG, trusted(&format!("{HOOKS}:permission_request:0:0"), hash))];
    let call = r#"{"tool.permission":{"call":{"id":"c","host_name":"h","tool":{"shell":{"command":"ls"}}}}}"#;
    let envelope = sources::envelope(call);
    for (gate, line) in [(true, "p"), (false, "w.cmd")] {
        let host = Host::new("Acme", "1").fires(Boundary::ALL.iter().copied()).machine(Machine::new().windows(true));
        let files = files.iter().map(|(path, text)| (*path, text.as_str()));
        let snapshot = sources::load_in(host, &gated().recorded_trust(gate), files);
        let mut firing = snapshot.begin(&envelope, SessionState::new());
        let stage = firing.next_stage().expect("it runs");
        let Launch::Process(process) = &stage.invocations[0].launch else { panic!("{stage:?}") };
        assert_eq!(process.args, ["/C", line]);
    }
}

/// The measured handler of each document here: `./guard.sh` for `Bash`, before a tool.
const GUARD: &str =
    r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"./guard.sh"}]}]}}"#;
const GUARD_TOML: &str =
    "[[hooks.PreToolUse]]\nmatcher = 'Bash'\nhooks = [{ type = 'command', command = './guard.sh' }]\n";
const HASH: &str = "sha256:9895404babd7fa6a0b3e60f261e5e10c668cfc5c268d6a39a2c23b5b0fe94219";
const PLACE: &str = "pre_tool_use:0:0";

/// CDX-TRUST-01 to CDX-TRUST-03, CDX-TRUST-05: every kind of source with every state, the gate on and
/// off, the workspace trusted and not.
#[test]
fn the_gates() {
    let session = "/<session-flags>/hooks.json";
    let sources = [
        ("managed", "/etc/codex/requirements.toml", "/etc/codex/requirements.toml"),
        ("system", "/etc/codex/hooks.json", "/etc/codex/hooks.json"),
        ("user", HOOKS, HOOKS),
        ("project", "/home/dev/project/.codex/hooks.json", "/home/dev/project/.codex/hooks.json"),
        ("project", "/home/dev/project/.codex/config.toml", "/home/dev/project/.codex/config.toml"),
        ("plugin", "/opt/one/hooks/hooks.json", "one:hooks/hooks.json"),
        ("session", session, session),
    ];
    // the state, and whether the handler runs with the gate on and off
    let other = format!("trusted_hash = '{}'", HASH.replace('9', "8"));
    let equal = format!("trusted_hash = '{HASH}'");
    let states = [
        ("untrusted", String::new(), false, true, Some("warning codex/untrusted-hook")),
        ("enabled alone", "enabled = true".to_owned(), false, true, Some("warning codex/untrusted-hook")),
        ("trusted", equal.clone(), true, true, None),
        ("trusted and enabled", format!("{equal}\nenabled = true"), true, true, None),
        ("modified", other.clone(), false, true, Some("warning codex/modified-hook")),
        ("switched off", "enabled = false".to_owned(), false, false, Some("note codex/disabled-hook")),
        (
            "trusted and switched off",
            format!("{equal}\nenabled = false"),
            false,
            false,
            Some("note codex/disabled-hook"),
        ),
        (
            "modified and switched off",
            format!("{other}\nenabled = false"),
            false,
            false,
            Some("note codex/disabled-hook"),
        ),
    ];
    for (scope, path, source) in sources {
        for (name, fields, on, off, code) in &states {
            for (gate, workspace) in [(true, true), (true, false), (false, true), (false, false)] {
                let mut places = Places::new("/home/dev/project")
                    .home(Some("/home/dev".into()))
                    .machine("/", Platform::Linux)
                    .plugins([PathBuf::from("/opt/one")])
                    .trusted(workspace)
                    .recorded_trust(gate);
                let text = if path.ends_with("toml") { GUARD_TOML } else { GUARD };
                let mut files = vec![(CONFIG, state(&format!("{source}:{PLACE}"), fields))];
                if scope == "session" {
                    places = places.session(CODEX, SessionDocument::Text(text.into()));
                } else {
                    files.push((path, text.to_owned()));
                }
                let snapshot = load(&places, &files);
                let [binding] = snapshot.bindings() else { panic!("{:?}", snapshot.bindings()) };
                let here = format!("{path}, {name}, gate {gate}, workspace trusted {workspace}");
                let dark = scope == "project" && !workspace;
                let expected = scope == "managed" || (!dark && if gate { *on } else { *off });
                assert_eq!(binding.standing == Standing::Active, expected, "{here}: {:?}", binding.standing);
                let told = match code {
                    _ if dark => vec!["warning codex/untrusted"],
                    Some(code) if !expected => vec![*code],
                    _ => vec![],
                };
                assert_eq!(codes(snapshot.diagnostics()), told, "{here}");
            }
        }
    }
}

/// CDX-TRUST-02: the warning names the handler's place and shows what to write; written there, it
/// runs.
#[test]
fn what_is_shown_can_be_written() {
    for (path, document) in [
        (HOOKS.to_owned(), GUARD),
        ("/srv/project/.codex/hooks.json".to_owned(), GUARD),
        ("/srv/odd \"é\\\u{7f}\"/.codex/config.toml".to_owned(), GUARD_TOML),
    ] {
        let cwd = path.split("/.codex").next().filter(|cwd| cwd.starts_with("/srv")).unwrap_or("/srv");
        let places = Places::new(cwd).home(Some("/home/dev".into())).trusted(true).recorded_trust(true);
        let snapshot = load(&places, &[(path.as_str(), document.to_owned())]);
        let [warning] = snapshot.diagnostics() else { panic!("{:?}", snapshot.diagnostics()) };
        assert_eq!((warning.severity, warning.source.as_deref()), (Severity::Warning, Some(path.as_str())));
        assert!(warning.place.is_some());
        let Standing::Skipped(why) = &snapshot.bindings()[0].standing else { panic!("it runs") };
        assert!(why.starts_with("configured, not run, because "), "{why}");
        let help = warning.help.as_deref().unwrap();
        let (where_to, line) = help.split_once(":\n").unwrap();
        assert!(where_to.contains(CONFIG), "{where_to}");
        let snapshot = load(&places, &[(path.as_str(), document.to_owned()), (CONFIG, line.to_owned())]);
        assert_eq!(snapshot.diagnostics(), [], "{line}");
        assert_eq!(snapshot.bindings()[0].standing, Standing::Active, "{line}");
    }
}

/// CDX-TRUST-04: fields of the user's and the session's records are merged, the session's last. Only
/// `config.toml` of the user has one.
#[test]
fn states_are_merged_field_by_field() {
    let key = format!("{HOOKS}:{PLACE}");
    let equal = format!("trusted_hash = '{HASH}'");
    let other = "trusted_hash = 'sha256:00'";
    for (user, session, active) in [
        (equal.as_str(), "", true),
        ("", equal.as_str(), true),
        (equal.as_str(), "enabled = true", true),
        (equal.as_str(), "enabled = false", false),
        ("enabled = false", equal.as_str(), false),
        ("enabled = false", "enabled = true", false),
        (&format!("{equal}\nenabled = false"), "enabled = true", true),
        (other, equal.as_str(), true),
        (equal.as_str(), other, false),
        (&format!("{equal}\nenabled = 'no'"), "", true),
    ] {
        let flags = SessionDocument::Text(state(&key, session).into());
        let files = [(HOOKS, GUARD.to_owned()), (CONFIG, state(&key, user))];
        let snapshot = load(&gated().session(CODEX, flags), &files);
        assert_eq!(snapshot.bindings()[0].standing == Standing::Active, active, "user {user}, session {session}");
    }
}

/// CDX-TRUST-04: a project cannot trust itself, nor can the machine or a plugin.
#[test]
fn only_the_user_says_what_is_trusted() {
    let project = "/home/dev/project/.codex/config.toml";
    for (path, places) in [
        (project, gated()),
        ("/etc/codex/config.toml", gated().machine("/", Platform::Linux)),
        (project, gated().recorded_trust(false)),
    ] {
        let own = format!("{GUARD_TOML}{}", trusted(&format!("{path}:{PLACE}"), HASH));
        let snapshot = load(&places, &[(path, own)]);
        let told = codes(snapshot.diagnostics());
        assert!(told.contains(&"warning codex/state-ignored".into()), "{told:?}");
        assert_eq!(snapshot.bindings()[0].standing == Standing::Active, !places.recorded_trust);
    }
    let disabling = state(&format!("{HOOKS}:{PLACE}"), "enabled = false");
    let snapshot = load(&gated().recorded_trust(false), &[(HOOKS, GUARD.to_owned()), (project, disabling)]);
    assert_eq!(snapshot.bindings()[0].standing, Standing::Active, "no project switches off what a user wrote");
}

/// CDX-TRUST-05: a group before it shifts the index, so that trust is lost; what was dropped counts.
#[test]
fn indexes_count_everything_in_the_document() {
    let bad = r#"{"matcher":"[","hooks":[]}"#;
    let shifted = GUARD.replacen("[{", &format!("[{bad},{{"), 1);
    let record = |place: &str| trusted(&format!("{HOOKS}:{place}"), HASH);
    assert!(runs(&gated(), HOOKS, GUARD, &record("pre_tool_use:0:0")));
    assert!(!runs(&gated(), HOOKS, &shifted, &record("pre_tool_use:0:0")));
    assert!(runs(&gated(), HOOKS, &shifted, &record("pre_tool_use:1:0")));
    let behind = GUARD.replacen(r#""hooks":[{"type""#, r#""hooks":[5,{"type":"command","command":" "},{"type""#, 1);
    assert!(runs(&gated(), HOOKS, &behind, &record("pre_tool_use:0:2")));
}

/// CDX-TRUST-05: a plugin's name takes the place of the path, wherever it lies.
#[test]
fn a_plugin_is_known_by_its_name() {
    let manifest = |hooks: &str| format!(r#"{{"name":"demo@market"{hooks}}}"#);
    let inline = format!(r#","hooks":[{{"hooks":{{}}}},{GUARD}]"#);
    for (hooks, key) in [
        ("", "demo@market:hooks/hooks.json"),
        (r#","hooks":"./more/guards.json""#, "demo@market:more/guards.json"),
        (inline.as_str(), "demo@market:plugin.json#hooks[1]"),
    ] {
        for root in ["/opt/one", "/srv/two"] {
            let at = |path: &str| PathBuf::from(format!("{root}/{path}"));
            let files = BTreeMap::from([
                (at(".codex-plugin/plugin.json"), manifest(hooks).into_bytes()),
                (at("hooks/hooks.json"), GUARD.into()),
                (at("more/guards.json"), GUARD.into()),
                (PathBuf::from(CONFIG), trusted(&format!("{key}:{PLACE}"), HASH).into_bytes()),
            ]);
            let host = Host::new("Acme", "1").fires(Boundary::ALL.iter().copied());
            let places = gated().plugins([PathBuf::from(root)]);
            let snapshot = Snapshot::load(vec![Arc::new(Codex::new())], host, &places, &files);
            let [binding] = snapshot.bindings() else { panic!("{:?}", snapshot.bindings()) };
            assert_eq!(binding.standing, Standing::Active, "{key}: {:?}", snapshot.diagnostics());
        }
    }
}

/// CDX-CFG-10: what never runs is not asked about.
#[test]
fn what_never_runs_needs_no_trust() {
    let document = r#"{"hooks":{"SessionEnd":[{"hooks":[{"type":"mcp_tool","server":"s","tool":"t"}]}]}}"#;
    let snapshot = load(&gated(), &[(HOOKS, document.to_owned())]);
    assert_eq!(codes(snapshot.diagnostics()), ["warning codex/handler-not-for-event"]);
}

/// CDX-TRUST-02: what an MCP tool's hash is made of is not known, so that no record makes it run.
#[test]
fn an_mcp_tool_is_never_the_one_that_was_trusted() {
    let document = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"mcp_tool","server":"s","tool":"t"}]}]}}"#;
    let key = format!("{HOOKS}:{PLACE}");
    for (record, code) in [
        (String::new(), "warning codex/untrusted-hook"),
        (trusted(&key, HASH), "warning codex/modified-hook"),
        (trusted(&key, ""), "warning codex/modified-hook"),
    ] {
        let snapshot = load(&gated(), &[(HOOKS, document.to_owned()), (CONFIG, record.clone())]);
        assert_eq!(codes(snapshot.diagnostics()), [code], "{record}");
        let open = load(&gated().recorded_trust(false), &[(HOOKS, document.to_owned()), (CONFIG, record)]);
        assert_eq!(open.bindings()[0].standing, Standing::Active);
    }
}
