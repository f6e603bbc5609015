//! `docs/merging.md`: the rules of merging, with every decision fixture as a row.

use harness_hooks_fixtures::{DecisionCase, decisions, of, repository};
use serde_json::{Map, Value};

use crate::docs::{code, table};

/// The prose, then a table for each file of cases.
pub(crate) fn document() -> Result<String, Box<dyn std::error::Error>> {
    let prose = std::fs::read_to_string(repository().join("xtask/templates/docs/merging.md"))?;
    let mut document = format!(
        "{}\n## Cases\n\nWritten by `cargo xtask docs` from `fixtures/decisions/`. Nobody is there to answer unless the host says so.\n",
        prose.trim_end().to_owned() + "\n"
    );
    for file in decisions(&of("decisions"))? {
        let columns = ["case", "at", "what is different", "what hooks say", "what the host does", "because"];
        let rows = file.cases.iter().map(row);
        let (head, rest) = file.about.split_once(". ").unwrap_or((file.about.trim_end_matches('.'), ""));
        let rest = if rest.is_empty() { String::new() } else { format!("{rest}\n\n") };
        document += &format!("\n### {head}\n\n{rest}{}", table(&columns, rows));
    }
    Ok(document)
}

fn row(case: &DecisionCase) -> Vec<String> {
    let said = case.effects.iter().map(|given| {
        let effects = serde_json::to_value(given.effects()).unwrap_or_default();
        let wishes = told(effects.as_object());
        let wishes = if given.effects().undecided { "fails to decide".into() } else { wishes };
        format!("{}: {}", code(given.by.as_str()), if wishes.is_empty() { "nothing".into() } else { wishes })
    });
    let decided = told(Some(&case.decision));
    vec![
        case.id.clone(),
        code(case.boundary.name()),
        circumstances(case),
        said.collect::<Vec<_>>().join("<br>"),
        decided,
        case.why.clone(),
    ]
}

/// What is different about the host, and what else.
fn circumstances(case: &DecisionCase) -> String {
    let host = &case.host;
    let flags = [
        (host.attended, "somebody is there"),
        (host.strict, "strict"),
        (host.defers, "can put off"),
        (!case.given.refused.is_empty(), "a guard is missing"),
        (case.given.rewritten.is_some(), "the call was changed"),
        (!case.given.judged_earlier.is_empty(), "not all judged it"),
    ];
    let mut parts: Vec<String> = flags.iter().filter(|(on, _)| *on).map(|(_, what)| (*what).to_owned()).collect();
    parts.extend(host.lacks.iter().map(|what| format!("cannot {}", what.replace('_', " "))));
    parts.extend((case.given.continued > 0).then(|| format!("went on {} times", case.given.continued)));
    parts.extend(host.continuation_cap.map(|cap| format!("at most {cap} times")));
    parts.join(", ")
}

/// Every key that is not empty, the word that decides first and bare.
fn told(keys: Option<&Map<String, Value>>) -> String {
    let empty =
        |value: &Value| value.is_null() || *value == Value::Bool(false) || value.as_array().is_some_and(Vec::is_empty);
    let keys: Vec<_> = keys.into_iter().flatten().filter(|(_, value)| !empty(value)).collect();
    let decides = |key: &str| matches!(key, "action" | "verdict");
    let word = keys.iter().filter(|(key, _)| decides(key)).filter_map(|(_, value)| value.as_str()).map(code);
    let rest = keys.iter().filter(|(key, _)| !decides(key)).map(|(key, value)| match value {
        Value::Bool(true) => key.replace('_', " "),
        value => format!("{} {}", key.replace('_', " "), shown(value)),
    });
    word.chain(rest).collect::<Vec<_>>().join(", ")
}

/// A value as people read it: texts quoted, who said what behind it, of a call only the tool.
fn shown(value: &Value) -> String {
    let Value::Object(keys) = value else {
        return match value {
            Value::String(text) => format!("\u{201c}{}\u{201d}", text.replace('\n', " \u{21b5} ")),
            Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join("; "),
            other => code(&other.to_string()),
        };
    };
    let get = |key: &str| keys.get(key).filter(|value| !value.is_null());
    match (get("by"), get("value"), get("says"), get("about"), get("tool"), get("message")) {
        (Some(by), Some(value), ..) => format!("{} ({})", shown(value), word(by)),
        (_, _, Some(says), ..) => format!("a written one with {}", shown(says)),
        (_, _, _, Some(about), ..) => {
            let side = |key: &str| get(key).map(word).unwrap_or_default();
            format!("{}: {} wins over {}", word(about), side("winner"), side("loser"))
        }
        (_, _, _, _, Some(tool), _) => code(&tool.to_string()),
        (_, _, _, _, _, Some(message)) => match get("parts").and_then(Value::as_array) {
            Some(parts) => parts.iter().map(shown).collect::<Vec<_>>().join("; "),
            None => limited(&shown(message), get("limit")),
        },
        _ => code(&value.to_string()),
    }
}

fn limited(message: &str, limit: Option<&Value>) -> String {
    limit.map_or_else(|| message.to_owned(), |limit| format!("{message}, at most {limit} times"))
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
