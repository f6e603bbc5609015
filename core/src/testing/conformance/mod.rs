//! The laws every adapter must hold, whoever its vendor is. An adapter's tests are one call of
//! [`assert()`], and what is particular to its vendor:
//!
//! ```no_run
//! # fn adapters() -> (Box<dyn harness_hooks_core::Adapter>, Box<dyn harness_hooks_core::Adapter>) { unimplemented!() }
//! # let (guarded, vendor) = adapters();
//! use harness_hooks_core::testing::conformance;
//!
//! conformance::assert(&*guarded, &*vendor, "fixtures/cursor".as_ref());
//! ```
//!
//! Each law is a file of this folder. What is generated is the same in every run; the variable
//! `HARNESS_HOOKS_CASES` says how many cases, 128 where it says nothing.

mod answers;
mod cautious;
mod configs;
mod decoding;
mod departures;
mod encoding;
mod events;
mod parsing;
mod reading;
mod subject;
mod table;
mod vectors;

use std::{fmt, path::Path};

use crate::Adapter;
use subject::Subject;

/// A law: what holds, and what is wrong where it does not.
struct Law {
    /// In a sentence.
    holds: &'static str,
    faults: fn(&Subject<'_>) -> Vec<String>,
}

#[rustfmt::skip]
const LAWS: [Law; 11] = [
    Law { holds: "the event table agrees with itself, and in both fidelities", faults: table::faults },
    Law { holds: "every vector decodes as written", faults: vectors::faults },
    Law { holds: "the fidelities differ where a departure says so, and nowhere else", faults: departures::faults },
    Law { holds: "every event folder is as written", faults: events::faults },
    Law { holds: "every configuration case is as written", faults: configs::faults },
    Law { holds: "standard input reads back to the same bytes", faults: reading::faults },
    Law { holds: "any document can be parsed", faults: parsing::faults },
    Law { holds: "any outcome can be decoded", faults: decoding::faults },
    Law { holds: "hooks ask for what their event can do, and for no more", faults: answers::faults },
    Law { holds: "who asks for more caution never gets less", faults: cautious::faults },
    Law { holds: "any envelope can be encoded for any event", faults: encoding::faults },
];

/// What is wrong with an adapter, and the law it breaks by that.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The law, in a sentence.
    pub law: &'static str,
    /// Where it is broken and how; further lines are indented.
    pub what: String,
}

/// Everything that is wrong with an adapter. Its text lists the faults law by law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// In the order of the laws.
    pub faults: Vec<Fault>,
}

/// Holds an adapter to the laws. `guarded` and `vendor` are the two fidelities of it, and `fixtures`
/// is its vendor's folder.
pub fn check(guarded: &dyn Adapter, vendor: &dyn Adapter, fixtures: &Path) -> Report {
    let subject = match Subject::load(guarded, vendor, fixtures) {
        Ok(subject) => subject,
        Err(error) => {
            let fault = Fault { law: "the fixtures can be read", what: error.to_string() };
            return Report { faults: vec![fault] };
        }
    };
    let faults = LAWS.iter().flat_map(|law| {
        let faults = (law.faults)(&subject);
        faults.into_iter().map(|what| Fault { law: law.holds, what })
    });
    Report { faults: faults.collect() }
}

/// Panics with the report where an adapter breaks a law.
///
/// # Panics
/// When there is a fault.
pub fn assert(guarded: &dyn Adapter, vendor: &dyn Adapter, fixtures: &Path) {
    let report = check(guarded, vendor, fixtures);
    assert!(report.faults.is_empty(), "{report}");
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} faults", self.faults.len())?;
        let mut law = "";
        for fault in &self.faults {
            if fault.law != law {
                law = fault.law;
                let faults = self.faults.iter().filter(|fault| fault.law == law).count();
                write!(f, "\n\nLaw: {law}. {faults} faults:")?;
            }
            write!(f, "\n- {}", fault.what.replace('\n', "\n  "))?;
        }
        Ok(())
    }
}
