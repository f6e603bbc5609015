//! What comes back from hooks, nearly right.

use proptest::{bool::weighted, collection::vec, prelude::*, sample::select};

use super::{damage, json};
use crate::{Exit, Outcome};

/// What stands where an answer should, whatever the vendor.
const ODD: [&str; 7] = ["", " \n", "[]", "null", "\"deny\"", "deny", "```json\n{\"a\":1}\n```"];

/// An outcome whose standard output is nearly one of the seeds, and now and then bytes of nobody.
pub fn outcome(seeds: &[Vec<u8>]) -> impl Strategy<Value = Outcome> + use<> {
    let damaged = (json::near(seeds), damage()).prop_map(|(seed, damage)| damage.of(&seed));
    let odd = select(ODD.to_vec()).prop_map(|text| text.as_bytes().to_vec());
    let stdout = prop_oneof![12 => damaged, 2 => odd, 1 => vec(any::<u8>(), 0..100)];
    let stderr = select(vec!["", "why\n", "\u{1b}[31mred"]);
    (exit(), stdout, stderr, weighted(0.1), weighted(0.1)).prop_map(|(exit, stdout, stderr, truncated, leaked)| {
        Outcome::new(exit).stdout(stdout).stderr(stderr).truncated(truncated).leaked(leaked)
    })
}

fn exit() -> impl Strategy<Value = Exit> {
    prop_oneof![
        10 => Just(Exit::Code(0)),
        4 => Just(Exit::Code(2)),
        2 => any::<i32>().prop_map(Exit::Code),
        1 => (1..65).prop_map(Exit::Signal),
        1 => Just(Exit::TimedOut),
        1 => Just(Exit::Cancelled),
        1 => Just(Exit::NotStarted("No such file or directory".into())),
    ]
}
