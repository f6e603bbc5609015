//! What people read, kept as text so that a change is seen: the event table, what becomes of the
//! document with everything in it, and what authors are told.

use harness_hooks_core::{Adapter, Diagnostic, EventId, Fidelity, Moment, Standing};
use harness_hooks_cursor::Cursor;
use harness_hooks_fixtures::{ConfigCase, configs, of, relative};

use crate::common;

fn case(name: &str) -> ConfigCase {
    configs(&of("cursor")).unwrap().into_iter().find(|case| case.name == name).unwrap()
}

#[test]
fn the_event_table() {
    insta::assert_snapshot!(table(Cursor::new()));
}

/// The same as Cursor's own program has it.
#[test]
fn the_event_table_of_cursor_itself() {
    insta::assert_snapshot!(table(Cursor::with_fidelity(Fidelity::Vendor)));
}

fn table(cursor: Cursor) -> String {
    let mut table = String::new();
    for (n, spec) in cursor.events().iter().enumerate() {
        let moments = spec.moments.iter().map(Moment::to_string).collect::<Vec<_>>().join(", ");
        let timeout = spec.timeout.map(|timeout| format!("; {timeout:?}")).unwrap_or_default();
        table += &format!("{}: {moments}; {:?}; may {}{timeout}\n", spec.name, spec.control, spec.capabilities);
        let facts = cursor.facts(EventId(u16::try_from(n).unwrap()));
        for (column, fact) in facts.iter().filter(|(_, fact)| !fact.is_empty()) {
            table += &format!("    {column}: {fact}\n");
        }
    }
    table
}

#[test]
fn the_bindings_of_the_full_document() {
    let snapshot = common::snapshot(common::twelve_event_host(), case("full_config").bytes);
    let mut list = String::new();
    for binding in snapshot.bindings() {
        let timeout = binding.timeout.map_or_else(|| "the host's".to_owned(), |timeout| format!("{timeout:?}"));
        let limit = binding.loop_limit.map(|limit| format!(", at most {limit} in a row")).unwrap_or_default();
        let standing = match &binding.standing {
            Standing::Active => "runs",
            Standing::Planned => "will never run yet",
            _ => "is skipped",
        };
        list += &format!("{} {standing}\n    {}\n", binding.id, binding.handler.text());
        list += &format!("    matcher {}, timeout {timeout}, fails {:?}{limit}\n", binding.matcher, binding.failure);
    }
    insta::assert_snapshot!(list);
}

fn told(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

#[test]
fn what_the_author_of_the_full_document_is_told() {
    insta::assert_snapshot!(told(
        common::snapshot(common::twelve_event_host(), case("full_config").bytes).diagnostics()
    ));
}

/// One of each kind of mistake people make.
#[test]
fn what_authors_are_told() {
    let cases = [
        "version_missing",
        "version_string",
        "events_at_top_level",
        "event_name_case",
        "command_missing",
        "command_array",
        "timeout_string",
        "timeout_ms_mistake",
        "loop_limit_fraction",
        "fail_closed_misspelled",
        "matcher_inline_flag",
        "matcher_object",
        "prompt_hook",
        "trailing_comma",
        "truncated_json",
        "bom_and_comment",
        "url_in_command",
        "duplicate_event_key",
        "every_definition_skipped",
        "flat_claude_groups",
    ];
    let mut text = String::new();
    for name in cases {
        let case = case(name);
        let mut parsed = common::parse(&case.bytes);
        for diagnostic in &mut parsed.diagnostics {
            diagnostic.source = Some(relative(&case.document));
        }
        text += &format!("# {}\n{}\n", case.about, told(&parsed.diagnostics));
    }
    insta::assert_snapshot!(text);
}
