//! `cargo xtask soak`: the tests of a crate again and again, also while something else keeps the
//! processors busy. What passes once may have been lucky.

use std::{
    env, fs,
    hint::black_box,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Instant,
};

use harness_hooks_fixtures::repository;

use crate::Ended;

pub(crate) fn run(name: &str, times: usize, load: usize) -> Ended {
    let package = format!("harness-hooks-{name}");
    if !repository().join(name).is_dir() {
        return Err(format!("there is no crate in {name}/").into());
    }
    let built = tests(&package).arg("--no-run").status()?;
    if !built.success() {
        return Err(format!("the tests of {package} do not build").into());
    }
    let over = AtomicBool::new(false);
    let failed = thread::scope(|scope| {
        for _ in 0..load {
            scope.spawn(|| busy(&over));
        }
        let failed = (1..=times).filter(|n| !passes(&package, *n)).count();
        over.store(true, Ordering::Relaxed);
        failed
    });
    match failed {
        0 => Ok(()),
        failed => Err(format!("{failed} of {times} runs failed").into()),
    }
}

/// Runs all tests once, and says how that went.
fn passes(package: &str, n: usize) -> bool {
    let began = Instant::now();
    let output = match tests(package).stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => {
            println!("run {n}: {error}");
            return false;
        }
    };
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    let passed = output.status.success();
    println!("run {n}: {} in {:.1} s", if passed { "passed" } else { "FAILED" }, began.elapsed().as_secs_f64());
    if !passed {
        printed
            .lines()
            .filter(|line| line.starts_with("test ") && line.ends_with("FAILED"))
            .for_each(|line| println!("  {line}"));
        let file = env::temp_dir().join(format!("{package}-run-{n}.log"));
        match fs::write(&file, &*printed) {
            Ok(()) => println!("  all of it is in {}", file.display()),
            Err(error) => println!("  {}: {error}", file.display()),
        }
    }
    passed
}

fn tests(package: &str) -> Command {
    let mut command = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    command.args(["test", "--package", package, "--all-features", "--locked", "--no-fail-fast"]);
    command.current_dir(repository());
    command
}

fn busy(over: &AtomicBool) {
    let mut n = 0_u64;
    while !over.load(Ordering::Relaxed) {
        n = black_box(n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
}
