//! `cargo xtask schemas`: what hooks read, held to the JSON Schemas a vendor publishes of it. The
//! schemas stay where they are. Run by hand: the validator takes most of a minute to build, so it is
//! behind the feature `schemas`, which the task turns on itself.

use std::path::Path;

use crate::Ended;

#[cfg(not(feature = "schemas"))]
pub(crate) fn run(dir: &Path, vendor: &str) -> Ended {
    let dir = std::path::absolute(dir)?;
    let dir = dir.to_str().ok_or("the name of the folder is no text")?;
    let with_it = ["run", "--package", "xtask", "--features", "schemas", "--", "schemas", dir, "--vendor", vendor];
    crate::ci::cargo(&with_it, &[])
}

#[cfg(feature = "schemas")]
pub(crate) fn run(dir: &Path, vendor: &str) -> Ended {
    held::run(dir, vendor)
}

#[cfg(feature = "schemas")]
mod held {
    use std::{fs, path::Path};

    use harness_hooks_core::{Adapter, EventId, Fidelity, Occasion, SessionState};
    use harness_hooks_fixtures::{EventCase, EventFolder, events, of};
    use jsonschema::Validator;
    use serde_json::Value;

    use crate::{Ended, adapters::adapters};

    pub(super) fn run(dir: &Path, vendor: &str) -> Ended {
        let folders = events(&of(vendor))?;
        let (mut documents, mut faults) = (0, 0);
        for fidelity in Fidelity::ALL {
            let adapters = adapters(fidelity);
            let adapter = adapters.iter().find(|adapter| adapter.vendor().as_str() == vendor);
            let adapter = &**adapter.ok_or_else(|| format!("no adapter for {vendor}"))?;
            for (event, spec) in (0..).map(EventId).zip(adapter.events()) {
                let schema = schema(dir, spec.name)?;
                for (folder, case) in cases(&folders, spec.name) {
                    documents += 1;
                    for fault in held(&schema, &encoded(adapter, event, case)?) {
                        faults += 1;
                        println!("{}, {} {}: {fault}", fidelity.name(), folder.event, case.name);
                    }
                }
            }
        }
        if faults > 0 {
            return Err(format!("{faults} faults in {documents} documents").into());
        }
        println!("{documents} documents are as the schemas say");
        Ok(())
    }

    fn cases<'f>(folders: &'f [EventFolder], event: &str) -> impl Iterator<Item = (&'f EventFolder, &'f EventCase)> {
        let of_event = move |folder: &&EventFolder| folder.event == event;
        folders.iter().filter(of_event).flat_map(|folder| folder.cases.iter().map(move |case| (folder, case)))
    }

    /// The schema of what hooks of an event read.
    fn schema(dir: &Path, event: &str) -> Result<Validator, String> {
        let path = dir.join(format!("{}.command.input.schema.json", kebab(event)));
        let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| fault(&error))?;
        let schema: Value = serde_json::from_str(&text).map_err(|error| fault(&error))?;
        jsonschema::validator_for(&schema).map_err(|error| fault(&error))
    }

    /// `pre-tool-use` of `PreToolUse`.
    fn kebab(event: &str) -> String {
        let mut name = String::new();
        for c in event.chars() {
            if c.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }

    fn encoded(adapter: &dyn Adapter, event: EventId, case: &EventCase) -> Result<Value, serde_json::Error> {
        let (mut stdin, state) = (Vec::new(), SessionState::new());
        adapter.encode(event, Occasion::new(&case.envelope, &case.host, &state), &mut stdin);
        serde_json::from_slice(&stdin)
    }

    fn held(schema: &Validator, document: &Value) -> Vec<String> {
        let fault =
            |error: jsonschema::ValidationError<'_>| format!("at {:?}: {error}", error.instance_path().as_str());
        schema.iter_errors(document).map(fault).collect()
    }

    #[cfg(test)]
    mod tests {
        use serde_json::json;

        use super::*;

        #[test]
        fn a_document_is_held_to_its_schema() {
            let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"const": "x"}}});
            let schema = jsonschema::validator_for(&schema).unwrap();
            assert_eq!(held(&schema, &json!({"a": "x"})), [""; 0]);
            assert_eq!(held(&schema, &json!({})).len(), 1);
            assert!(held(&schema, &json!({"a": "y"}))[0].starts_with("at \"/a\": "));
        }

        #[test]
        fn events_are_spelled_as_file_names() {
            assert_eq!(kebab("PreToolUse"), "pre-tool-use");
            assert_eq!(kebab("Stop"), "stop");
        }
    }
}
