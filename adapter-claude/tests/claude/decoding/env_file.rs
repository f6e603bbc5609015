//! The file a hook was given for variables.

use harness_hooks_core::{Effects, EnvReader, Exit, Extra, Outcome, Scratch};

use super::{asked, both, codes, nothing_but};

const PATH: &str = "/run/acme/env-1";

fn ended(exit: Exit, text: impl AsRef<[u8]>) -> Outcome {
    Outcome::new(exit).scratch(Scratch::new(PATH, text.as_ref()))
}

fn wrote(text: impl AsRef<[u8]>) -> Outcome {
    ended(Exit::Code(0), text)
}

fn read(text: impl AsRef<[u8]>) -> Effects {
    both(asked("SessionStart"), &wrote(text))
}

fn variables(effects: &Effects) -> Vec<(&str, &str)> {
    assert!(effects.session_env.iter().all(|wish| wish.reader == EnvReader::Tools));
    effects.session_env.iter().map(|wish| (wish.name.as_str(), wish.value.as_str())).collect()
}

/// CLA-RUN-08, CLA-OUT-69
#[test]
fn literal_assignments_are_variables() {
    let cases: [(&str, &[(&str, &str)]); 19] = [
        ("export FOO=bar\n", &[("FOO", "bar")]),
        ("export FOO=bar", &[("FOO", "bar")]),
        ("\n# for the build\n  export FOO=bar   # yes\n\n", &[("FOO", "bar")]),
        ("export FOO=\nexport BAR=''\nexport BAZ=\"\"\n", &[("FOO", ""), ("BAR", ""), ("BAZ", "")]),
        ("export FOO='a b $HOME `x` \\n'\n", &[("FOO", "a b $HOME `x` \\n")]),
        ("export FOO=\"a 'b' \\\"c\\\" \\\\ \\$HOME \\n é\"\n", &[("FOO", "a 'b' \"c\" \\ $HOME \\n é")]),
        ("export FOO=a\\ b\\'c\n", &[("FOO", "a b'c")]),
        ("export FOO='it'\"'\"'s'\n", &[("FOO", "it's")]),
        ("export FOO=\"two\nlines\"\nexport BAR=1\n", &[("FOO", "two\nlines"), ("BAR", "1")]),
        ("export FOO='\nexport BAR=1\n'\n", &[("FOO", "\nexport BAR=1\n")]),
        ("export FOO=1 BAR=2\n", &[("FOO", "1"), ("BAR", "2")]),
        ("export FOO=1; export BAR=2;\n", &[("FOO", "1"), ("BAR", "2")]),
        ("export FOO=1\nexport FOO=2\n", &[("FOO", "1"), ("FOO", "2")]),
        ("declare -x FOO=\"bar\"\n", &[("FOO", "bar")]),
        ("export\u{20}\u{20}_F9=a=b:/c,%+@#!^é\n", &[("_F9", "a=b:/c,%+@#!^é")]),
        (
            "export PATH=/opt/bin:/usr/bin LD_LIBRARY_PATH=/opt/lib\n",
            &[("PATH", "/opt/bin:/usr/bin"), ("LD_LIBRARY_PATH", "/opt/lib")],
        ),
        ("export CLAUDE_PLUGIN_ROOT='/p'\n", &[("CLAUDE_PLUGIN_ROOT", "/p")]),
        ("# nothing", &[]),
        ("", &[]),
    ];
    for (text, expected) in cases {
        let effects = read(text);
        assert_eq!(variables(&effects), expected, "{text:?}");
        assert!(effects.diagnostics.is_empty() && effects.extras.is_empty(), "{text:?}: {effects:?}");
    }
}

/// CLA-OUT-69: what is no literal is not evaluated, and is said once.
#[test]
fn anything_else_is_left_to_the_host() {
    let lines = [
        "export PATH=\"/opt/bin:$PATH\"",
        "export FOO=`date`",
        "export FOO=\"`date`\"",
        "export FOO=$(date)",
        "export FOO=~/bin",
        "export FOO=*",
        "export FOO=a&",
        "export FOO=a|b",
        "export FOO={a,b}",
        "export FOO=a\tb",
        "export FOO",
        "export FOO BAR=1",
        "export 1FOO=1",
        "export F-O=1",
        "export =1",
        "export FOO =1",
        "export -p",
        "exportFOO=1",
        "FOO=1",
        "unset FOO",
        "source ~/.nvm/nvm.sh",
        "export FOO=\r",
        "export FOO=a\0b",
        "export FOO='a\0b'",
    ];
    for line in lines {
        let effects = read(format!("export A=1\n{line}\nexport B=2\nunset C\n"));
        assert_eq!(variables(&effects), [("A", "1"), ("B", "2")], "{line:?}");
        assert_eq!(codes(&effects.diagnostics), ["warning claude/env-file"], "{line:?}");
        let shown = line.trim().escape_debug().to_string();
        assert!(effects.diagnostics[0].message.contains(&shown), "{:?}", effects.diagnostics);
        assert_eq!(effects.extras, [Extra::vendor("envFile", serde_json::json!(PATH))], "{line:?}");
    }
    let mut not_utf8 = read(b"export FOO=a\xff\n");
    not_utf8.extras.clear();
    assert!(nothing_but(&not_utf8, &["warning claude/env-file"]));
}

/// CLA-OUT-69: an assignment that may be inside of something, or behind an end, is not one.
#[test]
fn nothing_is_read_behind_what_stays_open() {
    let lines = [
        "if test -f .env; then",
        "for f in a b; do",
        "case $x in",
        "cat <<END",
        "f() {",
        "(",
        "echo \"a",
        "echo 'a",
        "test -f .env &&",
        "echo a \\",
        "exit 0",
        "return",
        "export FOO='a",
        "export FOO=\"a",
    ];
    for line in lines {
        let effects = read(format!("export A=1\n{line}\nexport B=2\n"));
        assert_eq!(variables(&effects), [("A", "1")], "{line:?}");
        assert_eq!(codes(&effects.diagnostics), ["warning claude/env-file"], "{line:?}");
    }
}

/// CLA-OUT-70
#[test]
fn variables_that_run_something_first_need_the_host() {
    let names = ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"];
    let text: String = names.iter().map(|name| format!("export {name}=x\n")).collect();
    let effects = read(format!("{text}export A=1\n"));
    assert_eq!(variables(&effects), [("A", "1")]);
    assert_eq!(codes(&effects.diagnostics), ["warning claude/session-env-name"; 8]);
    assert!(effects.extras.is_empty(), "all of it was read");

    let allowed = ["BASH_ENV".to_owned()];
    let effects = both(asked("SessionStart").allowed_env(&allowed), &wrote("export BASH_ENV=/w/env.sh\n"));
    assert_eq!(variables(&effects), [("BASH_ENV", "/w/env.sh")]);
}

/// CLA-OUT-70
#[test]
fn values_that_leave_no_room_are_dropped() {
    let (half, most) = ("x".repeat(64 << 10), "x".repeat(128 << 10));
    assert_eq!(read(format!("export A={most}\n")).session_env.len(), 1);
    let effects = read(format!("export A={half} B={half} C=1\nexport D=\n"));
    let names: Vec<&str> = variables(&effects).iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["A", "B", "D"]);
    assert_eq!(codes(&effects.diagnostics), ["warning claude/session-env-name"]);
}

/// CLA-RUN-08, CLA-OUT-69: where there is such a file, and when it counts.
#[test]
fn the_file_is_read_where_it_is_given_and_the_hook_ended() {
    let text = "export A=1\n";
    for event in ["SessionStart", "Setup", "CwdChanged", "FileChanged"] {
        for exit in [Exit::Code(0), Exit::Code(2), Exit::Code(1), Exit::Signal(15)] {
            assert_eq!(variables(&both(asked(event), &ended(exit, text))), [("A", "1")], "{event}");
        }
        for exit in [Exit::TimedOut, Exit::Cancelled, Exit::NotStarted("ENOENT".into())] {
            assert!(both(asked(event), &ended(exit, text)).session_env.is_empty(), "{event}");
        }
    }
    assert_eq!(both(asked("PreToolUse"), &wrote(text)), Effects::default());
}

/// CLA-OUT-67: what is said of the file stands last.
#[test]
fn the_file_is_spoken_of_last() {
    let effects = both(asked("SessionStart"), &wrote("export PS4=x\nunset B\n").stdout("[1]").leaked(true));
    let told =
        ["note claude/leaked", "note claude/plain-text", "warning claude/session-env-name", "warning claude/env-file"];
    assert_eq!(codes(&effects.diagnostics), told);
    assert_eq!(effects.context, ["[1]"]);
}
