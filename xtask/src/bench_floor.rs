//! `cargo xtask bench-floor`: every bench that has a floor beside it (`decode` and `decode_floor`),
//! and how far it is from it. Both run in the same process, so their ratio means something where
//! their times do not.

use std::{
    env,
    process::{Command, Stdio},
};

use harness_hooks_fixtures::repository;

use crate::Ended;

pub(crate) fn run() -> Ended {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    let benches =
        command.args(["bench", "--workspace", "--bench", "*"]).current_dir(repository()).stderr(Stdio::inherit());
    let output = benches.output()?;
    if !output.status.success() {
        return Err(format!("`cargo bench` ended with {}", output.status).into());
    }
    let ratios = ratios(&medians(&String::from_utf8_lossy(&output.stdout)));
    for (name, ratio) in &ratios {
        println!("{name:<40} {ratio:>6.2} times its floor");
    }
    if ratios.is_empty() { Err("no bench has a floor".into()) } else { Ok(()) }
}

/// The median of every bench, in seconds, from the tree divan prints:
/// `├─ decode   1.2 µs │ 3.4 µs │ 1.3 µs │ 1.4 µs │ 100 │ 100`.
fn medians(printed: &str) -> Vec<(String, f64)> {
    printed.lines().filter_map(median).collect()
}

fn median(line: &str) -> Option<(String, f64)> {
    let line = line.trim_start_matches(['├', '╰', '│', '─', ' ']);
    let cells: Vec<&str> = line.split('│').map(str::trim).collect();
    let [first, _slowest, median, ..] = cells.as_slice() else { return None };
    let name = first.split_whitespace().next()?;
    seconds(first.strip_prefix(name)?.trim())?; // a bench has its fastest time beside its name
    Some((name.to_owned(), seconds(median)?))
}

fn seconds(time: &str) -> Option<f64> {
    let (number, unit) = time.split_once(' ')?;
    let scale = match unit {
        "ps" => 1e-12,
        "ns" => 1e-9,
        "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * scale)
}

fn ratios(medians: &[(String, f64)]) -> Vec<(String, f64)> {
    let floor = |name: &str| {
        let floor = format!("{name}_floor");
        medians.iter().find(|(other, _)| *other == floor).map(|(_, seconds)| *seconds)
    };
    medians.iter().filter_map(|(name, seconds)| Some((name.clone(), seconds / floor(name)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_divan_prints() {
        let printed = "\
cursor           fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ decode        1.5 µs        │ 9 µs          │ 2.5 µs        │ 3 µs          │ 100     │ 100
├─ decode_floor  900 ns        │ 9 µs          │ 1 µs          │ 2 µs          │ 100     │ 100
╰─ lonely        1 ms          │ 2 ms          │ 1 ms          │ 1 ms          │ 100     │ 100
";
        assert_eq!(medians(printed).len(), 3);
        let ratios = ratios(&medians(printed));
        assert_eq!(ratios.len(), 1);
        assert_eq!(ratios[0].0, "decode");
        assert!((ratios[0].1 - 2.5).abs() < 1e-9, "{ratios:?}");
    }
}
