//! JSON in whose texts parts of another document are named, as arguments of MCP tools name parts of
//! standard input.

use crate::{Fields, Json};

/// How deep a template is looked through; deeper values stay as they are.
const DEEPEST: usize = 512;

/// The template with each `${path}` in its texts replaced by the value at that path of the document:
/// keys, and indexes of lists, separated by dots. A text that is nothing else becomes the value
/// itself; within a text a text is put in as it is and any other value as its JSON. What is not there
/// is `absent` alone, and nothing within a text. What is put in is never looked through again.
///
/// ```
/// use harness_hooks_core::{Json, template::filled};
///
/// let template: Json = serde_json::from_str(r#"{"n": "${tool_input.timeout}", "say": "ran ${tool_name}!"}"#)?;
/// let document = br#"{"tool_name": "Bash", "tool_input": {"timeout": 5}}"#;
/// assert_eq!(filled(&template, document, &Json::default()).as_str(), r#"{"n":5,"say":"ran Bash!"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn filled(template: &Json, document: &[u8], absent: &Json) -> Json {
    let document = serde_json::from_slice(document).unwrap_or_default();
    fill(template, &Values { document, absent }, DEEPEST)
}

struct Values<'a> {
    document: Json,
    absent: &'a Json,
}

impl Values<'_> {
    fn at(&self, path: &str) -> Option<Json> {
        path.split('.').try_fold(self.document.clone(), |value, step| match value.fields() {
            Some(fields) => fields.get(step).cloned(),
            None => value.read::<Vec<Json>>().ok()?.into_iter().nth(step.parse().ok()?),
        })
    }

    /// As part of a text.
    fn within(&self, path: &str) -> String {
        let value = self.at(path);
        value.map(|value| value.text().map_or_else(|| value.to_string(), |text| text.to_string())).unwrap_or_default()
    }
}

fn fill(value: &Json, values: &Values<'_>, depth: usize) -> Json {
    let Some(depth) = depth.checked_sub(1) else { return value.clone() };
    let filled = match value.as_str().chars().next() {
        Some('"') => value.text().and_then(|text| fill_text(&text, values)),
        Some('[') => value.read::<Vec<Json>>().ok().map(|items| {
            let items: Vec<_> = items.iter().map(|item| fill(item, values, depth)).collect();
            Json::of(&items)
        }),
        Some('{') => value.fields().map(|fields| {
            let mut filled = Fields::default();
            fields.into_iter().for_each(|(key, value)| filled.set(key, fill(&value, values, depth)));
            Json::of(&filled)
        }),
        _ => None,
    };
    filled.unwrap_or_else(|| value.clone())
}

/// `None` where nothing in it stands for anything.
fn fill_text(text: &str, values: &Values<'_>) -> Option<Json> {
    let whole = text.strip_prefix("${").and_then(|rest| rest.split_once('}'));
    if let Some((path, "")) = whole {
        return Some(values.at(path).unwrap_or_else(|| values.absent.clone()));
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once("${") {
        let Some((path, after)) = behind.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&values.within(path));
        rest = after;
    }
    (rest.len() < text.len()).then(|| Json::of(&(out + rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(template: &str, document: &[u8], absent: &Json) -> String {
        let template: Json = serde_json::from_str(template).unwrap();
        filled(&template, document, absent).to_string()
    }

    #[test]
    fn texts_name_values_of_the_document() {
        let document = br#"{"tool":"Write","n":12345678901234567890123,"in":{"path":"/a \"b\"","edits":[{"old":"x"}],"all":true},"none":null,"dollar":"${n}"}"#;
        for (template, expected) in [
            (r#"{"b":"${tool}","a":1}"#, r#"{"b":"Write","a":1}"#),
            (r#"["${n}","n=${n}"]"#, r#"[12345678901234567890123,"n=12345678901234567890123"]"#),
            (r#""${in.all}""#, "true"),
            (r#""${none}""#, "null"),
            (r#""${in.edits}""#, r#"[{"old":"x"}]"#),
            (r#""${in.edits.0.old}""#, r#""x""#),
            (r#""in ${in.edits}: ${in.path}""#, r#""in [{\"old\":\"x\"}]: /a \"b\"""#),
            (r#""${tool}${tool}""#, r#""WriteWrite""#),
            (r#""<${gone.far}>""#, r#""<>""#),
            (r#""${dollar}""#, r#""${n}""#),
            (r#""<${dollar}>""#, r#""<${n}>""#),
            (r#""$tool ${tool""#, r#""$tool ${tool""#),
            (r#""${tool} ${tool""#, r#""Write ${tool""#),
            (r#"{"${tool}":["\u00e9",1.50,null,false]}"#, r#"{"${tool}":["\u00e9",1.50,null,false]}"#),
        ] {
            assert_eq!(of(template, document, &Json::default()), expected, "{template}");
        }
    }

    #[test]
    fn what_is_not_there_is_as_the_caller_says() {
        for (absent, alone) in [(Json::default(), "null"), (Json::of(""), "\"\"")] {
            assert_eq!(of(r#"["${a.b}","${x.1}","${x.0}"]"#, br#"{"x":[2]}"#, &absent), format!("[{alone},{alone},2]"));
            assert_eq!(of(r#""${a}""#, b"not json", &absent), alone);
        }
    }

    #[test]
    fn templates_of_any_depth_are_filled_or_left() {
        let nested = |depth: usize, inner: &str| format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
        for (depth, expected) in [(500, "1"), (2_000, "\"${a}\"")] {
            let got = of(&nested(depth, "\"${a}\""), br#"{"a":1}"#, &Json::default());
            assert_eq!(got, nested(depth, expected));
        }
    }
}
