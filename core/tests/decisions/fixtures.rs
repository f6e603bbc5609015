//! Every decision fixture: what hooks asked for, and what the host must do.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use harness_hooks_core::{Circumstances, Host, Places, RefusedSource, Snapshot, resolve};
use harness_hooks_fixtures::{DecisionCase, GivenSource, decisions, of};

use crate::tiny;

/// What a snapshot says of documents that cannot be used.
fn refused(host: &Host, sources: &[GivenSource], case: &DecisionCase) -> Vec<RefusedSource> {
    let document = |given: &GivenSource| (PathBuf::from(&given.path), format!("refuse: {}", given.why).into_bytes());
    let files: BTreeMap<_, _> = sources.iter().map(document).collect();
    let places = sources.iter().fold(Places::new("/"), |places, given| places.only(tiny::TEST, &given.path));
    let snapshot = Snapshot::load(vec![Arc::new(tiny::Tiny)], host.clone(), &places, &files);
    let json = format!(
        r#"{{"id":"e","at_ms":0,"session":{{"id":"s","cwd":"/"}},"payload":{{"{}":{}}}}}"#,
        case.boundary,
        match case.boundary.name() {
            "tool.before" => r#"{"call":{"id":"c","host_name":"t","tool":{"other":{}}}}"#,
            "tool.result" => r#"{"call":{"id":"c","host_name":"t","tool":{"other":{}}},"output":{"text":""}}"#,
            other => panic!("{}: no envelope for {other}", case.id),
        }
    );
    let envelope = harness_hooks_core::Envelope::read(json.as_bytes()).unwrap();
    snapshot.refused(&envelope)
}

fn check(case: &DecisionCase) -> Option<String> {
    let host = case.host();
    let given = case.given.clone();
    let mut circumstances = Circumstances::new(&host, case.boundary).continued(given.continued);
    if !given.refused.is_empty() {
        circumstances = circumstances.refused(refused(&host, &given.refused, case));
    }
    circumstances.rewritten = given.rewritten.map(|rewrite| (rewrite.from, rewrite.to));
    circumstances.output = given.output;
    circumstances.judged_earlier = given.judged_earlier;
    case.mismatch(&resolve(case.merged(), circumstances))
}

#[test]
fn every_decision_is_as_written() {
    let files = decisions(&of("decisions")).unwrap();
    let wrong: Vec<_> = files.iter().flat_map(|file| &file.cases).filter_map(check).collect();
    assert!(wrong.is_empty(), "{} decisions differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(files.iter().map(|file| file.cases.len()).sum::<usize>() >= 25);
}
