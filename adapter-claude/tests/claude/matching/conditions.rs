//! Which hooks run: a handler's `if` against a call.

use std::sync::Arc;

use harness_hooks_claude::Claude;
use harness_hooks_core::{Adapter, Boundary, Condition, Envelope, Host, Machine, Occasion, SessionState};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{PROJECT, agent, bash, before, echo_it, happens, source, write};

/// A condition of a hook at an event.
fn condition(event: &str, text: &str) -> Arc<dyn Condition> {
    let handler = json!({"type": "command", "command": "a", "if": text});
    let document = json!({"hooks": {event: [{"hooks": [handler]}]}}).to_string();
    let parsed = Claude::new().parse(&source(), document.as_bytes());
    let condition = parsed.bindings.first().and_then(|binding| binding.condition.clone());
    condition.unwrap_or_else(|| panic!("{text:?} at {event} is no condition: {:?}", parsed.diagnostics))
}

fn linux() -> Machine {
    Machine::new().env([("HOME".to_owned(), "/home/dev".to_owned())])
}

fn holds_on(machine: &Machine, event: &str, text: &str, envelope: &Envelope) -> bool {
    let host = Host::new("Acme", "1").fires(Boundary::ALL.iter().copied()).machine(machine.clone());
    let condition = condition(event, text);
    assert_eq!(condition.text(), text);
    condition.holds(Occasion::new(envelope, &host, &SessionState::new()))
}

fn holds(text: &str, envelope: &Envelope) -> bool {
    holds_on(&linux(), "PreToolUse", text, envelope)
}

fn assert_holds(rule: &str, envelope: &Envelope, texts: &[&str], expected: bool) {
    let wrong: Vec<_> = texts.iter().filter(|text| holds(text, envelope) != expected).collect();
    let not = if expected { "" } else { "not " };
    assert!(wrong.is_empty(), "{rule}: should {not}hold for {:?}: {wrong:?}", envelope.payload.call());
}

/// CLA-MATCH-14, CLA-MATCH-16: what Claude Code was measured to do.
#[test]
#[rustfmt::skip]
fn conditions_of_a_command() {
    let echo = bash("echo hi");
    assert_holds("CLA-MATCH-16", &echo, &[
        "Bash(echo *)", "Bash(echo:*)", "Bash", "Bash(*)", "Bash()", "Bash(echo hi)", "Bash(ech*)", "Bash(* hi)", "",
    ], true);
    assert_holds("CLA-MATCH-16", &echo, &[
        "Bash(git *)", "Bash(echo h)", "bash(echo *)", "*", "Write", "Bash(", "A|B", "Bash|Write", "Bash, Write",
        "some garbage", "Bash(echo *) ", " Bash", "Bash(echo *)x", "(echo *)", "()", "Write(echo *)",
    ], false);
    for event in ["PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"] {
        assert!(holds_on(&linux(), event, "Bash(echo *)", &echo), "CLA-MATCH-15: {event}");
        assert!(!holds_on(&linux(), event, "Bash(git *)", &echo), "CLA-MATCH-15: {event}");
    }
}

#[test]
#[rustfmt::skip]
fn conditions_look_at_every_command_of_a_line() {
    for (rule, text, command, expected) in [
        ("CLA-MATCH-17", "Bash(git *)", "echo a && git status", true),
        ("CLA-MATCH-17", "Bash(git *)", "FOO=1 git status", true),
        ("CLA-MATCH-17", "Bash(git *)", "$(git status)", true),
        ("CLA-MATCH-17", "Bash(git *)", "FOO=1 git push", true),
        ("CLA-MATCH-17", "Bash(git *)", "npm t && git push", true),
        ("CLA-MATCH-17", "Bash(git *)", "npm t || git push", true),
        ("CLA-MATCH-17", "Bash(git *)", "npm t; git push", true),
        ("CLA-MATCH-17", "Bash(git *)", "npm t | git apply", true),
        ("CLA-MATCH-17", "Bash(git *)", "npm t\ngit push", true),
        ("CLA-MATCH-17", "Bash(git *)", "echo `git push`", true),
        ("CLA-MATCH-17", "Bash(git *)", "echo 'a && git push'", false),
        ("CLA-MATCH-17", "Bash(git *)", "echo \"a; git push\"", false),
        ("CLA-MATCH-17", "Bash(git *)", "npm run git push", false),
        ("CLA-MATCH-17", "Bash(rm *)", "echo $(rm -rf /)", true),
        ("CLA-MATCH-17", "Bash(rm *)", "echo $(date)", false),
        ("CLA-MATCH-18", "Bash(git *)", "echo \"unclosed", true),
        ("CLA-MATCH-18", "Bash(git push *)", "echo \"unclosed", true),
        ("CLA-MATCH-18", "Bash(git push *)", "echo $(date)", true),
        ("CLA-MATCH-18", "Bash(git push *)", "echo `date`", true),
        ("CLA-MATCH-18", "Bash(git push *)", "echo $HOME", true),
        ("CLA-MATCH-18", "Bash(git push *)", "echo home", false),
        ("CLA-MATCH-18", "Bash(git *)", "$TOOL git push", true),
        ("CLA-MATCH-18", "Bash(cat *)", "echo before $(date) after", false),
        ("CLA-MATCH-18", "Bash(git *)", "for f in *; do git add \"$f\"; done", true),
    ] {
        assert_eq!(holds(text, &bash(command)), expected, "{rule}: {text} on {command:?}");
    }
}

/// CLA-MATCH-18: a program that runs another one hides no command.
#[test]
#[rustfmt::skip]
fn conditions_look_behind_programs_that_run_others() {
    for (text, command, expected) in [
        ("Bash(rm *)", "env FOO=1 rm x", true),
        ("Bash(rm *)", "FOO=1 env -i rm x", true),
        ("Bash(rm *)", "sudo rm x", true),
        ("Bash(rm *)", "/usr/bin/sudo -u root rm x", true),
        ("Bash(rm *)", "nohup rm x", true),
        ("Bash(rm *)", "timeout 5 rm x", true),
        ("Bash(rm *)", "nice -n 5 rm x", true),
        ("Bash(rm *)", "echo x | xargs rm", true),
        ("Bash(rm *)", "command rm x", true),
        ("Bash(rm *)", "exec rm x", true),
        ("Bash(rm *)", "bash -c 'rm x'", true),
        ("Bash(rm *)", "sh -c \"cd a && rm x\"", true),
        ("Bash(rm *)", "sh -c 'r\\m x'", true),
        ("Bash(rm x)", "bash -c 'rm x; ls'", true),
        ("Bash(rm *)", "eval 'rm x'", true),
        ("Bash(rm *)", "eval \"$LINE\"", true),
        ("Bash(rm *)", "sudo bash -c 'rm x'", true),
        ("Bash(git push *)", "env A=1 git push", true),
        ("Bash(rm *)", "sudo ls", false),
        ("Bash(rm *)", "bash -c 'ls; echo \"x\"'", false),
        ("Bash(rm *)", "bash rm.sh", false),
        ("Bash(rm *)", "npm run rm x", false),
        ("Bash(rm *)", "echo 'sudo rm x'", false),
        ("Bash(rm *)", "sudo", false),
    ] {
        assert_eq!(holds(text, &bash(command)), expected, "{text} on {command:?}");
    }
    let long = format!("sudo {}", "a ".repeat(1_000_000));
    assert!(holds("Bash(rm *)", &bash(&long)), "more than anybody looks through");
    assert!(holds("Bash(rm *)", &bash("echo a\0b")), "no shell is given such a line");
}

/// CLA-MATCH-16: a specification that names what stands between commands.
#[test]
#[rustfmt::skip]
fn conditions_of_a_whole_line() {
    for (text, command, expected) in [
        ("Bash(curl * | sh)", "curl https://example.com | sh", true),
        ("Bash(curl * | sh)", "curl https://example.com", false),
        ("Bash(curl * | sh)", "sh", false),
        ("Bash(* && git push *)", "make && git push origin", true),
        ("Bash(* && git push *)", "make; git push origin", false),
    ] {
        assert_eq!(holds(text, &bash(command)), expected, "{text} on {command:?}");
    }
}

/// CLA-MATCH-15
#[test]
fn conditions_of_other_events_never_hold() {
    for (event, envelope) in [
        ("Stop", happens("turn.stop", json!({}))),
        ("UserPromptSubmit", happens("prompt.submit", json!({"prompt": "p"}))),
        ("PostToolBatch", happens("tool.batch", json!({"tool_calls": []}))),
    ] {
        for text in ["Bash", "Bash(*)", "Write(*.ts)"] {
            assert!(!holds_on(&linux(), event, text, &envelope), "{event} {text}");
        }
    }
}

#[test]
fn conditions_of_files() {
    let here = format!("Write(/{PROJECT}/**)");
    let settings = format!("Write({PROJECT}/**)");
    for path in ["a.ts", &format!("{PROJECT}/a.ts")] {
        let file = write(path);
        let texts = ["Write(*.ts)", "Write(**/*.ts)", "Write(./a.ts)", &here, "Write", "Write()", "Write(*)"];
        assert_holds("CLA-MATCH-19", &file, &texts, true);
        assert_holds("CLA-MATCH-19", &file, &[&settings, "Edit(*.ts)", "Edit", "Read(*.ts)", "Write(src/**)"], false);
    }
    for (text, path, expected) in [
        ("Write(*.ts)", "sub/a.ts", true),
        ("Write(src/**)", "src/a.ts", true),
        ("Write(src/**)", "src/deep/a.ts", true),
        ("Write(src/**)", "lib/src/a.ts", false),
        ("Write(**/src/**)", "lib/src/a.ts", true),
        ("Write(src)", "src/a.ts", true),
        ("Write(src/)", "lib/src/a.ts", true),
        ("Write(./src)", "lib/src/a.ts", false),
        ("Write(./a.ts)", "sub/a.ts", false),
        ("Write(a/**/b.ts)", "a/b.ts", true),
        ("Write(a/**/b.ts)", "a/x/y/b.ts", true),
        ("Write(a/*/b.ts)", "a/x/y/b.ts", false),
        ("Write(*.ts)", "/etc/a.ts", false),
        ("Write(//etc/*.ts)", "/etc/a.ts", true),
        ("Write(//etc/**)", "/etc/a/b.ts", true),
        ("Write(//**/.env)", "/srv/x/.env", true),
        ("Write(~/.ssh/**)", "/home/dev/.ssh/config", true),
        ("Write(~/.ssh/**)", "/home/other/.ssh/config", false),
        ("Write(~/)", "/home/dev/x", true),
        ("Write(/src/**)", "src/a.ts", true),
        ("Write(/src/**)", "lib/src/a.ts", false),
        ("Write(secrets/**)", "x/../secrets/a", true),
        ("Write(secrets/**)", "./Secrets/a", true),
        ("Write(src/**)", "src/../a.ts", false),
        ("Write(a?.ts)", "ab.ts", true),
        ("Write(a?.ts)", "a/.ts", false),
        ("Write([a-c]x.ts)", "bx.ts", true),
        ("Write([a-c]x.ts)", "dx.ts", false),
        ("Write([!a-c]x.ts)", "dx.ts", true),
        ("Write([!a-c]x.ts)", "bx.ts", false),
        ("Write([!a]x.ts)", "y/x.ts", false),
        ("Write([]-]x)", "]x", true),
        ("Write([[:digit:]]x)", "7x", true),
        ("Write(a[x)", "a[x", true),
        ("Write(*.{ts,js})", "a.ts", false),
        ("Write(*.{ts,js})", "a.{ts,js}", true),
        (r"Write(\*.ts)", "*.ts", true),
        (r"Write(\*.ts)", "a.ts", false),
        ("Write(a.b+(c))", "a.b+(c)", true),
        ("Write(a.b)", "aXb", false),
        // a line that says nothing of any file
        ("Write(!a.ts)", "b.ts", true),
        ("Write(#a)", "b.ts", true),
        // a set that cannot be
        ("Write([z-a])", "b.ts", true),
    ] {
        assert_eq!(holds(text, &write(path)), expected, "CLA-MATCH-19: {text} on {path:?}");
    }
    assert!(holds_on(&Machine::new(), "PreToolUse", "Write(~/x)", &write("/etc/a")), "no home is known");
}

/// CLA-MATCH-19: `/` is the root of the settings file and `./` the session's directory, wherever
/// either is.
#[test]
fn files_are_relative_to_two_folders() {
    let mut envelope = write("a.ts");
    let mut session = (*envelope.session).clone();
    session.cwd = format!("{PROJECT}/sub").into();
    envelope.session = Arc::new(session);
    assert_holds("CLA-MATCH-19", &envelope, &["Write(a.ts)", "Write(./a.ts)", "Write(/sub/a.ts)"], true);
    assert_holds("CLA-MATCH-19", &envelope, &["Write(/a.ts)", "Write(sub/a.ts)"], false);
}

/// CLA-MATCH-19: paths of Windows, on any machine.
#[test]
fn files_of_windows() {
    let machine = Machine::new().windows(true).env([("USERPROFILE".to_owned(), "C:\\Users\\dev".to_owned())]);
    let mut envelope = write("C:\\work\\app\\src\\a.ts");
    let mut session = (*envelope.session).clone();
    session.cwd = "C:\\work\\app".into();
    envelope.session = Arc::new(session);
    for (text, expected) in [
        ("Write(*.ts)", true),
        ("Write(src/**)", true),
        (r"Write(src\**)", true),
        ("Write(./src/a.ts)", true),
        ("Write(//c/work/**)", true),
        ("Write(//C:/work/**)", true),
        ("Write(C:/work/**)", true),
        (r"Write(C:\work\**)", true),
        ("Write(//d/work/**)", false),
        ("Write(~/**)", false),
        ("Write(lib/**)", false),
    ] {
        assert_eq!(holds_on(&machine, "PreToolUse", text, &envelope), expected, "{text}");
    }
    let mut at_home = envelope;
    at_home.payload = write(r"\\?\C:\Users\dev\.ssh\id").payload;
    assert!(holds_on(&machine, "PreToolUse", "Write(~/.ssh/*)", &at_home));
}

/// Which tools have which specification, and that others hold for every call of their tool.
#[test]
fn conditions_of_other_tools() {
    let fetch = |url: &str| before(json!({"web_fetch": {"url": url}}));
    let other = |name: &str, input: Value| {
        let call = json!({"id": "c1", "host_name": name, "tool": {"other": input}});
        happens("tool.before", json!({ "call": call }))
    };
    let edit = before(json!({"edit": {"path": "src/a.ts", "edits": []}}));
    let read = before(json!({"read": {"path": "src/a.ts"}}));
    let patch = |paths: Value| {
        let call = json!({"id": "c1", "host_name": "Patch", "tool": {"patch": {"text": "", "paths": paths}}});
        happens("tool.before", json!({ "call": call }))
    };
    let notebook = || other("NotebookEdit", json!({"notebook_path": "/home/dev/project/a.ipynb"}));
    for (rule, text, envelope, expected) in [
        ("CLA-MATCH-20", "WebFetch(domain:example.com)", fetch("https://example.com/a"), true),
        ("CLA-MATCH-20", "WebFetch(domain:example.com)", fetch("https://EXAMPLE.com:443"), true),
        ("CLA-MATCH-20", "WebFetch(domain:example.com)", fetch("https://api.example.com/"), false),
        ("CLA-MATCH-20", "WebFetch(domain:*.example.com)", fetch("https://api.example.com/"), true),
        ("CLA-MATCH-20", "WebFetch(domain:example.com)", fetch("https://other.org/example.com"), false),
        ("CLA-MATCH-20", "WebFetch(domain:example.com)", fetch("https://example.com@other.org/"), false),
        ("CLA-MATCH-20", "WebFetch(domain:example.com)", fetch("no address"), true),
        ("CLA-MATCH-20", "WebFetch", fetch("https://other.org"), true),
        ("CLA-MATCH-20", "WebFetch(x)", fetch("https://other.org"), true),
        ("CLA-MATCH-20", "Agent(Explore)", agent("Explore"), true),
        ("CLA-MATCH-20", "Agent(Explore)", agent("Plan"), false),
        ("CLA-MATCH-20", "Agent(Explore)", agent(""), true),
        ("CLA-MATCH-20", "Agent", agent("Plan"), true),
        ("CLA-MATCH-06", "Task", agent("Plan"), true),
        ("CLA-MATCH-06", "Task(Plan)", agent("Plan"), true),
        ("CLA-MATCH-06", "Task(Explore)", agent("Plan"), false),
        ("CLA-MATCH-20", "mcp__my-srv", echo_it(), true),
        ("CLA-MATCH-20", "mcp__my-srv__", echo_it(), true),
        ("CLA-MATCH-20", "mcp__my-srv__*", echo_it(), true),
        ("CLA-MATCH-20", "mcp__my-srv__echo-it", echo_it(), true),
        ("CLA-MATCH-20", "mcp__my-srv__other", echo_it(), false),
        ("CLA-MATCH-20", "mcp__my", echo_it(), false),
        ("CLA-MATCH-20", "mcp__db__*", echo_it(), false),
        ("CLA-MATCH-20", "mcp__my-srv__echo-it(x)", echo_it(), true),
        ("CLA-MATCH-20", "mcp__my-srv", bash("ls"), false),
        ("CLA-MATCH-19", "Edit(src/**)", edit.clone(), true),
        ("CLA-MATCH-19", "Edit(lib/**)", edit, false),
        ("CLA-MATCH-19", "Read(*.ts)", read.clone(), true),
        ("CLA-MATCH-19", "Write(*.ts)", read, false),
        ("CLA-MATCH-19", "NotebookEdit(*.ipynb)", notebook(), true),
        ("CLA-MATCH-19", "NotebookEdit(src/**)", notebook(), false),
        ("CLA-MATCH-19", "Patch(src/**)", patch(json!(["a", "src/b"])), true),
        ("CLA-MATCH-19", "Patch(src/**)", patch(json!(["a", "b"])), false),
        ("CLA-MATCH-19", "Patch(src/**)", patch(json!([])), true),
        ("CLA-MATCH-14", "Skill(review)", other("Skill", json!({"skill": "other"})), true),
        ("CLA-MATCH-14", "Skill", other("Skills", json!({})), false),
        ("CLA-MATCH-14", "Glob(*.ts)", before(json!({"glob": {"pattern": "x"}})), true),
        ("CLA-MATCH-14", "Bash(git *)", other("Bash", json!(5)), true),
    ] {
        assert_eq!(holds(text, &envelope), expected, "{rule}: {text} on {:?}", envelope.payload.call());
    }
}

/// Texts of the characters that mean something to a shell, to a file pattern or to a rule.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        "git", "rm", " ", "\n", ";", "&&", "|", "'", "\"", "`", "$(", ")", "(", "\\", "#", "<", ">", "<<", "A=", "{",
        "}", "$x", "${x}", "*", "**", "?", "[", "]", "!", "/", "..", "~", ":", "é", "\u{0}", "\r", "-", "^", "&",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any condition on any call ends with an answer.
    #[test]
    fn any_condition_can_be_asked(specification in hostile(), subject in hostile()) {
        for (text, envelope) in [
            (format!("Bash({specification})"), bash(&subject)),
            (format!("Write({specification})"), write(&subject)),
            (format!("WebFetch(domain:{specification})"), before(json!({"web_fetch": {"url": subject}}))),
            (specification.clone(), bash(&subject)),
        ] {
            holds(&text, &envelope);
        }
    }

    /// A command among others is found, whatever is around it: `Bash(git *)` holds for every line that
    /// has one between separators, outside quotes.
    #[test]
    fn a_command_between_others_is_found(before in "[a-z $(){};|&<>=*]{0,30}", separator in "(;|&&|\\|\\||\\||\n|&) ?") {
        let line = format!("true {before}\n{separator}git push origin");
        prop_assert!(holds("Bash(git *)", &bash(&line)), "{line:?}");
    }
}

/// Long and deep commands take no longer than their length.
#[test]
fn hostile_commands_end() {
    let many = 100_000;
    for (command, expected) in [
        (format!("echo {}", "$(".repeat(many)), true),
        (format!("echo {}x{}", "$(".repeat(many), ")".repeat(many)), true),
        (format!("echo {}", "`".repeat(many)), false),
        (format!("echo {}", "\\".repeat(many)), false),
        (format!("echo {}", "\"$(".repeat(many)), true),
        (format!("echo {}", "'a' ".repeat(many)), false),
        (format!("echo {}", "$(date) ".repeat(many)), false),
        (format!("echo {}", "a;".repeat(many)), false),
        (format!("echo {}; git x", "a;".repeat(many)), true),
        ("(".repeat(many), true),
        ("A=1 ".repeat(many), false),
    ] {
        let shown: String = command.chars().take(20).collect();
        assert_eq!(holds("Bash(git *)", &bash(&command)), expected, "{shown}");
        holds(&format!("Bash({})", "*a".repeat(1000)), &bash(&command));
    }
}
