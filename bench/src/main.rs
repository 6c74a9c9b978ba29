//! Runs the reference workloads and prints one JSON line for each, as `peer_jax.py` does.
//!
//!     cargo run --release -p wengert-bench -- [--check] [--staging] [--tape] [--tape-file] [--stablehlo] [--backend B]
//!         [--seconds S] [NAME …]
//!
//! `run_us` is the median time of one call until its results are there, `dispatch_us` until it returns. `xla.py` runs
//! this beside JAX on the same device.

use std::process::ExitCode;
use std::time::{Duration, Instant};
use wengert::Array;
use wengert_bench::{CHECKS, check, staging, workloads};

/// Sums of single-precision results in another order differ by this much at the most.
const TOLERANCE: f64 = 1e-4;

fn main() -> ExitCode {
    let mut names = Vec::new();
    let (mut only_check, mut only_staging, mut seconds) = (false, false, 1.5);
    let mut backend = wengert::Backend::cpu();
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        match a.as_str() {
            "--check" => only_check = true,
            "--staging" => only_staging = true,
            "--tape" => {
                wengert_bench::tape::print();
                return ExitCode::SUCCESS;
            }
            "--tape-file" => {
                wengert_bench::tape_file::print(&[1_000_000, 3_000_000, 10_000_000]);
                return ExitCode::SUCCESS;
            }
            "--stablehlo" => {
                wengert_bench::stablehlo::print();
                return ExitCode::SUCCESS;
            }
            "--seconds" => match args.next().and_then(|s| s.parse().ok()) {
                Some(s) => seconds = s,
                None => return usage("--seconds takes a number"),
            },
            "--backend" => match args.next().map(|name| wengert::backend(&name)) {
                Some(Ok(b)) => backend = b,
                Some(Err(e)) => return usage(&e.to_string()),
                None => return usage("--backend takes a name"),
            },
            a if a.starts_with('-') => return usage(&format!("there is no option {a}")),
            name if CHECKS.iter().any(|(n, _)| *n == name) => names.push(a),
            name => return usage(&format!("there is no workload {name}")),
        }
    }
    if only_staging {
        print_staging();
        return ExitCode::SUCCESS;
    }
    let mut failed = 0;
    for w in workloads().iter().filter(|w| names.is_empty() || names.iter().any(|n| n == w.name)) {
        let start = Instant::now();
        let run = (w.stage)(&backend);
        let results = run();
        wait(&results);
        let first = start.elapsed();
        let got = check(&results);
        let want = CHECKS.iter().find(|(n, _)| *n == w.name).expect("listed").1;
        let error = (got - want).abs() / want.abs();
        if error.is_nan() || error > TOLERANCE {
            failed += 1;
        }
        if only_check {
            let verdict = if error <= TOLERANCE { "ok" } else { "WRONG" };
            println!("{:24} {verdict:5} check {got:.9e} peer {want:.9e} relative difference {error:.1e}", w.name);
            continue;
        }
        drop(results);
        let (mut times, mut returns) = (Vec::new(), Vec::new());
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        while times.len() < 5 || Instant::now() < end {
            let start = Instant::now();
            let results = run();
            returns.push(start.elapsed());
            wait(&results);
            times.push(start.elapsed());
            drop(results);
        }
        println!(
            "{{\"name\": \"{}\", \"first_ms\": {:.1}, \"run_us\": {:.2}, \"dispatch_us\": {:.2}, \"runs\": {}, \
             \"check\": {got}}}",
            w.name,
            first.as_secs_f64() * 1e3,
            median(&mut times),
            median(&mut returns),
            times.len()
        );
    }
    if failed > 0 {
        eprintln!("{failed} workloads differ from the peer by more than {TOLERANCE:e}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn wait(results: &[Array]) {
    results.iter().for_each(|x| x.wait().expect("the device works"));
}

/// In microseconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn usage(problem: &str) -> ExitCode {
    eprintln!(
        "{problem}\nusage: wengert-bench [--check] [--staging] [--tape] [--tape-file] [--stablehlo] [--backend B] \
         [--seconds S] [NAME …]"
    );
    ExitCode::from(2)
}

fn print_staging() {
    let (time, equations) = staging::transformer();
    println!(
        "transformer block: trace + gradient + simplify {:.2} ms, {equations} equations",
        time.as_secs_f64() * 1e3
    );
    for n in [10_000, 30_000, 100_000] {
        let (time, equations) = staging::chain(n);
        let each = time.as_secs_f64() * 1e6 / n as f64;
        println!("{n:7} traced equations: {:8.1} ms, {each:.2} µs each, {equations} after", time.as_secs_f64() * 1e3);
    }
    println!("a call that finds its program: {:.0} ns", staging::cache_hit().as_secs_f64() * 1e9);
}
