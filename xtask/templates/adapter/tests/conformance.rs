//! What every adapter must hold, and what is particular to this one.

use std::{collections::BTreeMap, path::PathBuf};

use __crate__::__Type__;
use harness_hooks_core::{
    Adapter, Binding, Boundary, Envelope, EventId, Fidelity, Handler, Host, Launch, Occasion, Places, Process,
    SessionState, testing::conformance,
};
use harness_hooks_fixtures::of;

/// __ABC__-ENC-01 among others: fixtures and vectors are part of it.
#[test]
fn the_adapter_holds_what_every_adapter_holds() {
    conformance::assert(&__Type__::new(), &__Type__::with_fidelity(Fidelity::Vendor), &of("__vendor__"));
}

/// __ABC__-EVT-01
#[test]
fn the_table_is_as_agreed() {
    let names: Vec<&str> = __Type__::new().events().iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["beforeShell"]);
    assert_eq!(__Type__::new().event("beforeShell"), Some(EventId(0)));
    assert_eq!(__Type__::new().event("BeforeShell"), None);
}

/// __ABC__-SRC-01, __ABC__-RUN-01
#[test]
fn hooks_run_in_the_folder_of_their_file() {
    let vendor = __Type__::new();
    let places = Places::new("/home/dev/one").roots(["/home/dev/one", "/home/dev/two"].map(PathBuf::from));
    let sources = vendor.sources(&places, &BTreeMap::new());
    let paths: Vec<String> = sources.iter().map(|source| source.path.display().to_string()).collect();
    assert_eq!(paths, ["/home/dev/one/.__vendor__/hooks.json", "/home/dev/two/.__vendor__/hooks.json"]);
    assert!(sources.iter().all(|source| source.needs_trust));

    let source = sources.into_iter().nth(1).unwrap().into();
    let handler = Handler::Shell { line: "./guard.sh".into() };
    let binding = Binding::new(&source, EventId(0), &vendor.events()[0], "[0]", handler);
    let envelope = r#"{"id":"e1","at_ms":0,"session":{"id":"s1","cwd":"/home/dev/one"},"payload":{"session.start":{}}}"#;
    let envelope = Envelope::read(envelope.as_bytes()).unwrap();
    let (host, state) = (Host::new("Acme", "1.2.3").fires([Boundary::ToolBefore]), SessionState::new());
    let launch = vendor.launch(&binding, Occasion::new(&envelope, &host, &state), b"{}");
    assert_eq!(launch, Launch::Process(Process::new("/bin/sh", ["-c", "./guard.sh"], "/home/dev/two")));
}
