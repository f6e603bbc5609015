//! Three vendors' rewrites of one call, each in its own words: Cursor patches keys, Claude Code
//! replaces the input, Codex rewrites the text of a patch. They are applied one after another to the
//! neutral call, in the order in which the adapters were registered. What comes of each order was
//! worked out by hand.

use harness_hooks_core::{Action, Edit, TextEdit, Tool, ToolBefore, ToolCall, Write};
use harness_hooks_runner::Dispatcher;
use serde_json::{Value, json};

use crate::{
    disagreement::answer,
    scene::{ALLOW, Scene, Vendor, fire, host},
};

/// Adapters as they were registered, the path, the text or the edits, and which wish covered which.
type Case<'c, T> = (&'c [Vendor], &'c str, T, &'c [(Vendor, Vendor)]);

/// What is in the call as the model made it, and in none that a hook made.
const MARK: &str = "original";

/// Rewrites what the model made, and lets alone what a hook made of it.
fn rewrites(scene: &Scene, vendor: Vendor, wish: &Value) {
    let (line, otherwise) = match vendor {
        Vendor::Cursor => (format!("printf '%s' '{}'", json!({ "permission": "allow", "updated_input": wish })), ALLOW),
        _ => (answer(&json!({ "permissionDecision": "allow", "updatedInput": wish })), ":"),
    };
    let line = format!("case $(cat) in *{MARK}*) {line} ;; *) {otherwise} ;; esac");
    let event = if vendor == Vendor::Cursor { "preToolUse" } else { "PreToolUse" };
    scene.hooks_of(vendor, &vendor.event(event, &[json!({ "command": line })]));
}

/// What becomes of a call, and which wish was covered by which, by their vendors.
async fn composed(scene: &Scene, order: &[Vendor], call: &ToolCall) -> (Tool, Vec<(String, String)>) {
    let dispatcher = Dispatcher::new(scene.load_as(host(), order.iter().copied()));
    let happened = fire(&dispatcher, &scene.envelope(ToolBefore::new(call.clone()))).await;
    let decision = happened.decision;
    assert_eq!(decision.action, Action::Proceed, "{order:?}: {:?}", decision.reasons);
    assert_eq!(decision.original_call.as_ref(), Some(call));
    let name = |id: &harness_hooks_core::BindingId| id.vendor().to_owned();
    let conflicts = decision.conflicts.iter();
    let lost = conflicts.map(|c| (name(&c.winner), name(&c.loser))).collect();
    (decision.call.unwrap().tool, lost)
}

fn lost(conflicts: &[(Vendor, Vendor)]) -> Vec<(String, String)> {
    conflicts.iter().map(|(winner, loser)| (winner.name().to_owned(), loser.name().to_owned())).collect()
}

fn patch(change: &str, lines: &[&str]) -> Value {
    json!({ "command": format!("*** Begin Patch\n{change}\n{}\n*** End Patch\n", lines.join("\n")) })
}

/// CUR-TOOL-05, CLA-TOOL-16, CDX-TOOL-10. A patch of Codex's does not show whether the last line has an
/// end, so that it ends as what it found does.
#[tokio::test]
async fn a_written_file() {
    use Vendor::{Claude, Codex, Cursor};
    let scene = Scene::new();
    rewrites(&scene, Cursor, &json!({ "file_path": "/w/cursor.txt" }));
    rewrites(&scene, Claude, &json!({ "file_path": "/w/claude.txt", "content": "two\n" }));
    rewrites(&scene, Codex, &patch("*** Add File: /w/codex.txt", &["+three"]));
    let call = ToolCall::new("c1", "write_file", Write::new("/w/original.txt", "one"));
    let cases: [Case<'_, &str>; 8] = [
        (&[Cursor, Claude, Codex], "/w/codex.txt", "three\n", &[(Codex, Cursor), (Codex, Claude)]),
        (&[Cursor, Codex, Claude], "/w/claude.txt", "two\n", &[(Claude, Cursor), (Claude, Codex)]),
        (&[Claude, Cursor, Codex], "/w/codex.txt", "three\n", &[(Codex, Claude), (Codex, Cursor)]),
        (&[Claude, Codex, Cursor], "/w/cursor.txt", "three\n", &[(Codex, Claude)]),
        (&[Codex, Cursor, Claude], "/w/claude.txt", "two\n", &[(Claude, Codex), (Claude, Cursor)]),
        (&[Codex, Claude, Cursor], "/w/cursor.txt", "two\n", &[(Claude, Codex)]),
        // without Claude Code's the file ends as the model let it end
        (&[Cursor, Codex], "/w/codex.txt", "three", &[(Codex, Cursor)]),
        (&[Codex, Cursor], "/w/cursor.txt", "three", &[]),
    ];
    for (order, path, content, conflicts) in cases {
        let expected = (Write::new(path, content).into(), lost(conflicts));
        assert_eq!(composed(&scene, order, &call).await, expected, "{order:?}");
    }
}

/// CUR-TOOL-05, CLA-TOOL-03, CLA-TOOL-16, CDX-TOOL-10. Claude Code's hook leaves out the list of edits,
/// so that the second is gone; a patch of Codex's keeps of each edit it finds whether it is for all
/// places.
#[tokio::test]
async fn an_edited_file() {
    use Vendor::{Claude, Codex, Cursor};
    let scene = Scene::new();
    let edits = json!([
        { "old_string": "a", "new_string": "A", "replace_all": false },
        { "old_string": "c\n", "new_string": "C\n", "replace_all": true },
    ]);
    rewrites(&scene, Cursor, &json!({ "edits": edits }));
    let whole = json!({ "file_path": "/w/claude.rs", "old_string": "a", "new_string": "L", "replace_all": true });
    rewrites(&scene, Claude, &whole);
    rewrites(&scene, Codex, &patch("*** Update File: /w/codex.rs", &["@@", "-a", "+X1", "+X2"]));

    let cursors = [TextEdit::new("a", "A"), TextEdit::new("c\n", "C\n").replace_all(true)];
    let claudes = [TextEdit::new("a", "L").replace_all(true)];
    let codexs = |all: bool| [TextEdit::new("a", "X1\nX2").replace_all(all)];
    let (once, everywhere) = (codexs(false), codexs(true));
    let own = [TextEdit::new("a", MARK), TextEdit::new("c\n", "d\n").replace_all(true)];
    let call = ToolCall::new("c1", "edit_file", Edit::new("/w/a.rs", own));
    let cases: [Case<'_, &[TextEdit]>; 6] = [
        (&[Cursor, Claude, Codex], "/w/codex.rs", &everywhere, &[(Codex, Cursor), (Codex, Claude)]),
        (&[Cursor, Codex, Claude], "/w/claude.rs", &claudes, &[(Claude, Cursor), (Claude, Codex)]),
        (&[Claude, Cursor, Codex], "/w/codex.rs", &once, &[(Codex, Claude), (Codex, Cursor)]),
        (&[Claude, Codex, Cursor], "/w/codex.rs", &cursors, &[(Codex, Claude)]),
        (&[Codex, Cursor, Claude], "/w/claude.rs", &claudes, &[(Claude, Codex), (Claude, Cursor)]),
        (&[Codex, Claude, Cursor], "/w/claude.rs", &cursors, &[(Claude, Codex)]),
    ];
    for (order, path, edits, conflicts) in cases {
        let expected = (Edit::new(path, edits).into(), lost(conflicts));
        assert_eq!(composed(&scene, order, &call).await, expected, "{order:?}");
    }
}

/// CLA-TOOL-16, CDX-TOOL-10: what fits no call of the tool is a denial by who wanted it, in every
/// order, and never a call of half the wishes.
#[tokio::test]
async fn a_wish_that_does_not_fit_spoils_the_rest() {
    let scene = Scene::new();
    rewrites(&scene, Vendor::Cursor, &json!({ "file_path": "/w/cursor.txt" }));
    rewrites(&scene, Vendor::Claude, &json!({ "file_path": "/w/claude.txt", "content": "two\n" }));
    rewrites(&scene, Vendor::Codex, &patch("*** Delete File: /w/original.txt", &[]));
    let call = ToolCall::new("c1", "write_file", Write::new("/w/original.txt", "one"));
    for order in Vendor::ORDERS {
        let dispatcher = Dispatcher::new(scene.load_as(host(), order));
        let decision = fire(&dispatcher, &scene.envelope(ToolBefore::new(call.clone()))).await.decision;
        assert_eq!((decision.action, decision.call), (Action::Deny, None), "{order:?}");
        let [reason] = decision.reasons.as_slice() else { panic!("{:?}", decision.reasons) };
        assert_eq!(reason.by.vendor(), "codex");
        assert!(reason.value.contains("deletes a file") && reason.value.contains("Acme"), "{}", reason.value);
    }
}
