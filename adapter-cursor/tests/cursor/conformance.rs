//! What every adapter must hold: fixtures, vectors and laws, in both fidelities.

use harness_hooks_core::{Fidelity, testing::conformance};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{events, of};

#[test]
fn the_adapter_holds_what_every_adapter_holds() {
    conformance::assert(&Cursor::new(), &Cursor::with_fidelity(Fidelity::Vendor), &of("cursor"));
}

/// The rules each event folder shows, its standard input byte for byte.
const FOLDERS: &[(&str, &[&str])] = &[
    ("afterAgentResponse", &["CUR-ENC-17"]),
    ("afterAgentThought", &["CUR-ENC-17"]),
    ("afterFileEdit", &["CUR-ENC-06", "CUR-ENC-15"]),
    ("afterMCPExecution", &["CUR-ENC-06", "CUR-ENC-13"]),
    ("afterShellExecution", &["CUR-ENC-06", "CUR-ENC-12"]),
    ("afterTabFileEdit", &["CUR-ENC-19"]),
    ("beforeMCPExecution", &["CUR-ENC-06", "CUR-ENC-13", "CUR-EVT-03"]),
    ("beforeReadFile", &["CUR-ENC-14"]),
    ("beforeShellExecution", &["CUR-ENC-06", "CUR-ENC-12", "CUR-EVT-03"]),
    ("beforeSubmitPrompt", &["CUR-ENC-16"]),
    ("beforeTabFileRead", &["CUR-ENC-19"]),
    ("postToolUse", &["CUR-ENC-06", "CUR-ENC-09", "CUR-TOOL-10", "CUR-TOOL-11"]),
    ("postToolUseFailure", &["CUR-ENC-06", "CUR-ENC-10", "CUR-EVT-05"]),
    ("preCompact", &["CUR-ENC-16"]),
    ("preToolUse", &["CUR-ENC-01", "CUR-ENC-08", "CUR-TOOL-01", "CUR-TOOL-02", "CUR-TOOL-03", "CUR-TOOL-04"]),
    ("sessionEnd", &["CUR-ENC-07"]),
    ("sessionStart", &["CUR-ENC-02", "CUR-ENC-03", "CUR-ENC-04", "CUR-ENC-07"]),
    ("stop", &["CUR-ENC-17", "CUR-READ-01"]),
    ("subagentStart", &["CUR-ENC-11"]),
    ("subagentStop", &["CUR-ENC-11"]),
    ("workspaceOpen", &["CUR-ENC-05"]),
];

#[test]
fn every_folder_shows_rules() {
    let folders = events(&of("cursor")).unwrap();
    let shown: Vec<&str> = FOLDERS.iter().map(|(event, _)| *event).collect();
    assert_eq!(folders.iter().map(|folder| folder.event.as_str()).collect::<Vec<_>>(), shown);
}
