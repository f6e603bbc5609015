//! Every event folder: envelopes become standard input byte for byte, a documented answer has its
//! effects, and the folder's document binds one hook of the event that its own envelope fires.

use harness_hooks_core::{Adapter, Asked, Exit, Occasion, Outcome, SessionState, Tested};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{EventFolder, events};

use crate::common;

/// Each folder with the rules its cases show.
const FOLDERS: &[(&str, &[&str])] = &[
    ("afterAgentResponse", &["CUR-ENC-17"]),
    ("afterAgentThought", &["CUR-ENC-17"]),
    ("afterFileEdit", &["CUR-ENC-06", "CUR-ENC-15"]),
    ("afterMCPExecution", &["CUR-ENC-06", "CUR-ENC-13"]),
    ("afterShellExecution", &["CUR-ENC-06", "CUR-ENC-12"]),
    ("afterTabFileEdit", &["CUR-ENC-19"]),
    ("beforeMCPExecution", &["CUR-ENC-06", "CUR-ENC-13"]),
    ("beforeReadFile", &["CUR-ENC-14"]),
    ("beforeShellExecution", &["CUR-ENC-06", "CUR-ENC-12"]),
    ("beforeSubmitPrompt", &["CUR-ENC-16"]),
    ("beforeTabFileRead", &["CUR-ENC-19"]),
    ("postToolUse", &["CUR-ENC-06", "CUR-ENC-09", "CUR-TOOL-10", "CUR-TOOL-11"]),
    ("postToolUseFailure", &["CUR-ENC-06", "CUR-ENC-10", "CUR-EVT-05"]),
    ("preCompact", &["CUR-ENC-16"]),
    ("preToolUse", &["CUR-ENC-01", "CUR-ENC-08", "CUR-TOOL-01", "CUR-TOOL-02", "CUR-TOOL-03", "CUR-TOOL-04"]),
    ("sessionEnd", &["CUR-ENC-07"]),
    ("sessionStart", &["CUR-ENC-02", "CUR-ENC-03", "CUR-ENC-04", "CUR-ENC-07"]),
    ("stop", &["CUR-ENC-17"]),
    ("subagentStart", &["CUR-ENC-11"]),
    ("subagentStop", &["CUR-ENC-11"]),
    ("workspaceOpen", &["CUR-ENC-05"]),
];

fn each() -> Vec<(EventFolder, &'static [&'static str])> {
    let folders = events("cursor").unwrap();
    assert_eq!(folders.len(), FOLDERS.len());
    let rules = |event: &str| FOLDERS.iter().find(|(known, _)| *known == event).unwrap().1;
    folders.into_iter().map(|folder| (rules(&folder.event), folder)).map(|(rules, folder)| (folder, rules)).collect()
}

#[test]
fn every_envelope_becomes_its_standard_input() {
    let (cursor, host, state) = (Cursor::new(), common::acme(), SessionState::new());
    let mut faults = Vec::new();
    for (folder, rules) in each() {
        let event = common::event(&folder.event);
        for case in &folder.cases {
            let mut got = Vec::new();
            let diagnostics = cursor.encode(event, Occasion::new(&case.envelope, &host, &state), &mut got);
            if got != case.stdin || !diagnostics.is_empty() {
                let (expected, got) = (String::from_utf8_lossy(&case.stdin), String::from_utf8_lossy(&got));
                let name = format!("{}/{} ({})", folder.event, case.name, rules.join(" "));
                faults.push(format!("{name}\n  expected {expected}\n  got      {got}\n  {diagnostics:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} envelopes differ:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_documented_answer_has_its_effects() {
    let mut faults = Vec::new();
    for (folder, _) in each() {
        let parsed = common::parse(&folder.config);
        let asked = Asked::new(common::event(&folder.event), "Acme", "./guard.sh")
            .failure(parsed.bindings[0].failure)
            .loop_limit(parsed.bindings[0].loop_limit)
            .envelope(&folder.cases[0].envelope);
        let outcome = Outcome::new(Exit::Code(0)).stdout(folder.stdout.clone());
        let got = Cursor::new().decode(asked, &outcome);
        faults.extend(folder.effects.compare_all(&got).iter().map(|fault| format!("{}: {fault}", folder.event)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// CUR-EVT-03: the folder's envelope is an occurrence of the event, and its hook is asked.
#[test]
fn every_configuration_binds_the_event_of_its_envelope() {
    for (folder, _) in each() {
        let parsed = common::parse(&folder.config);
        assert_eq!(parsed.refused, None, "{}", folder.event);
        let [binding] = parsed.bindings.as_slice() else { panic!("{}: {:?}", folder.event, parsed.bindings) };
        assert_eq!(binding.event_name, folder.event);
        let main = folder.cases.iter().find(|case| case.name.is_empty()).unwrap();
        let targets = Cursor::new().targets(binding.event, &main.envelope);
        assert_eq!(binding.matcher.test(&targets), Tested::Hit, "{}", folder.event);
        let spec = &Cursor::new().events()[binding.event.index()];
        let moment = spec.moment(main.envelope.boundary(), main.envelope.payload.facet());
        assert!(moment.is_some(), "{} does not happen at {}", folder.event, main.envelope.boundary());
    }
}
