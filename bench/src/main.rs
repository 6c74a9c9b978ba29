//! Runs the reference workloads and prints one JSON line for each, as `peer_jax.py` does.
//!
//! `cargo run --release -p wengert-bench -- [OPTION …] [NAME …]`, where an option is one of
//! `--check`, `--machine`, `--staging`, `--tape`, `--summaries`, `--tape-file`, `--stablehlo`, `--backend B`, `--seconds S`, `--size Q`, `--serve`,
//! `--modules DIR`. The size is 0.25, 1 or 4.
//!
//! `run_us` is the median time of one call until its results are there, `dispatch_us` until it returns. `cpu.py` and
//! `xla.py` run this beside JAX on the same device: with `--serve` they ask for workloads by name, a line for each, as often
//! as they like, for what the machine can do by `machine`, and for the share of it that a workload has, call by call, by
//! `beside NAME`.

use std::collections::HashMap;
use std::io::BufRead;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wengert::{Array, Device};
use wengert_bench::machine::{self, operations};
use wengert_bench::{CHECKS, Workload, check, set_quarters, staging, workloads};
use wengert_core::MemoryUse;
use wengert_core::simplify::shrink_residuals;
use wengert_stablehlo::{Options, Platform, Precision, export_with};

/// Sums of single-precision results in another order differ by this much at the most.
const TOLERANCE: f64 = 1e-4;

/// The sizes of workloads by name, in quarters.
const SIZES: [(&str, usize); 3] = [("0.25", 1), ("1", 4), ("4", 16)];

/// What to do with the workloads.
#[derive(PartialEq)]
enum Task {
    Time,
    Check,
    Serve,
    Write(String),
}

fn main() -> ExitCode {
    let mut names = Vec::new();
    let (mut task, mut seconds, mut quarters) = (Task::Time, 1.5, 4);
    let mut device = Device::cpu();
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        match a.as_str() {
            "--check" => task = Task::Check,
            "--serve" => task = Task::Serve,
            "--modules" => match args.next() {
                Some(folder) => task = Task::Write(folder),
                None => return usage("--modules takes a folder"),
            },
            "--machine" => {
                println!("{}", machine::measure());
                return ExitCode::SUCCESS;
            }
            "--staging" => {
                print_staging();
                return ExitCode::SUCCESS;
            }
            "--tape" => {
                wengert_bench::tape::print();
                return ExitCode::SUCCESS;
            }
            "--summaries" => {
                wengert_bench::summaries::print();
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
            "--size" => match args.next().as_deref().and_then(|s| SIZES.iter().find(|(name, _)| *name == s)) {
                Some(&(_, n)) => quarters = n,
                None => return usage("--size takes 0.25, 1 or 4"),
            },
            "--backend" => {
                let start = Instant::now();
                match args.next().map(|name| wengert::device(&name)) {
                    Some(Ok(d)) => device = d,
                    Some(Err(e)) => return usage(&e.to_string()),
                    None => return usage("--backend takes a name"),
                }
                println!("{{\"client_ms\": {:.1}}}", start.elapsed().as_secs_f64() * 1e3);
            }
            a if a.starts_with('-') => return usage(&format!("there is no option {a}")),
            name if CHECKS.iter().any(|(n, _)| *n == name) => names.push(a),
            name => return usage(&format!("there is no workload {name}")),
        }
    }
    if task == Task::Check && quarters != 4 {
        return usage("the sums are known for the size 1 alone");
    }
    set_quarters(quarters);
    let mut all = workloads();
    all.retain(|w| names.is_empty() || names.iter().any(|n| n == w.name));
    match task {
        Task::Serve => serve(&all, &device, seconds),
        Task::Write(folder) => write(&all, &folder),
        task => time(&all, &device, (task == Task::Time).then_some(seconds), quarters == 4),
    }
}

/// Runs each workload, checks its results if they are known and, if asked to, times it for so long.
fn time(all: &[Workload], device: &Device, seconds: Option<f64>, known: bool) -> ExitCode {
    let mut failed = 0;
    for w in all {
        let (run, first, got) = begin(w, device);
        let want = CHECKS.iter().find(|(n, _)| *n == w.name).expect("listed").1;
        let error = (got - want).abs() / want.abs();
        if known && (error.is_nan() || error > TOLERANCE) {
            failed += 1;
        }
        match seconds {
            Some(seconds) => println!("{{\"name\": \"{}\", {first}, {}}}", w.name, measure(&run, seconds)),
            None => {
                let verdict = if error <= TOLERANCE { "ok" } else { "WRONG" };
                println!("{:24} {verdict:5} check {got:.9e} peer {want:.9e} relative difference {error:.1e}", w.name);
            }
        }
    }
    if failed > 0 {
        eprintln!("{failed} workloads differ from the peer by more than {TOLERANCE:e}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// For each name on a line of the input, times that workload. What was compiled is kept.
fn serve(all: &[Workload], device: &Device, seconds: f64) -> ExitCode {
    let mut begun = HashMap::new();
    for name in std::io::stdin().lock().lines().map_while(Result::ok) {
        if name == "machine" {
            println!("{}", machine::measure());
            continue;
        }
        let (name, beside) = match name.strip_prefix("beside ") {
            Some(name) => (name.to_string(), true),
            None => (name, false),
        };
        let Some(w) = all.iter().find(|w| w.name == name) else {
            return usage(&format!("there is no workload {name}"));
        };
        let (run, first, _) = begun.entry(w.name).or_insert_with(|| begin(w, device));
        match beside {
            true => println!("{{\"name\": \"{name}\", {}}}", beside_the_peak(run, operations(&(w.program)()), seconds)),
            false => println!("{{\"name\": \"{name}\", {first}, {}}}", measure(run, seconds)),
        }
    }
    ExitCode::SUCCESS
}

/// Writes each workload's program as an XLA device gets it.
fn write(all: &[Workload], folder: &str) -> ExitCode {
    let how = Options { platform: Platform::Portable, precision: Precision::Highest, locations: false };
    for w in all {
        let written = export_with(&shrink_residuals(&(w.program)()), &how)
            .map_err(|e| e.to_string())
            .and_then(|text| std::fs::write(format!("{folder}/{}.mlir", w.name), text).map_err(|e| e.to_string()));
        if let Err(e) = written {
            eprintln!("{}: {e}", w.name);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

type Run = Box<dyn Fn() -> Vec<Array>>;

/// A workload ready to be called again; how long the first call took and the sum of its results, as fields of JSON; and
/// that sum.
fn begin(w: &Workload, device: &Device) -> (Run, String, f64) {
    let run = (w.stage)(device);
    let start = Instant::now();
    let results = run();
    wait(&results);
    let first = start.elapsed().as_secs_f64() * 1e3;
    let got = check(&results);
    let program = Arc::new((w.program)());
    let operations = operations(&program);
    let planned = device.compile(program).ok().and_then(|e| e.memory());
    let memory = planned.map_or(String::new(), |m| {
        let MemoryUse { inputs, results, temporaries, moved, .. } = m;
        let moved = moved.map_or(String::new(), |n| format!(", \"moved\": {n}"));
        format!(", \"temporaries\": {temporaries}, \"outputs\": {results}, \"least\": {}{moved}", inputs + results)
    });
    let memory = format!("{memory}, \"operations\": {operations:.0}");
    (run, format!("\"first_ms\": {first:.1}, \"check\": {got}{memory}"), got)
}

/// The medians of calls over so many seconds, as fields of JSON.
fn measure(run: &Run, seconds: f64) -> String {
    let (mut times, mut returns) = (Vec::new(), Vec::new());
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while times.len() < 3 || Instant::now() < end {
        let start = Instant::now();
        let results = run();
        returns.push(start.elapsed());
        wait(&results);
        times.push(start.elapsed());
        drop(results);
    }
    let (run, dispatch) = (median(&mut times), median(&mut returns));
    format!("\"run_us\": {run:.2}, \"dispatch_us\": {dispatch:.2}, \"runs\": {}", times.len())
}

/// The share of what the machine could multiply and add right after each call, as a field of JSON: the median of the calls.
fn beside_the_peak(run: &Run, operations: f64, seconds: f64) -> String {
    let mut shares = Vec::new();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while shares.len() < 3 || Instant::now() < end {
        let start = Instant::now();
        wait(&run());
        let rate = operations / start.elapsed().as_secs_f64() / 1e9;
        shares.push(rate / machine::moment());
    }
    shares.sort_by(f64::total_cmp);
    format!("\"beside\": {:.4}", shares[shares.len() / 2])
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
        "{problem}\nusage: wengert-bench [--check] [--machine] [--staging] [--tape] [--summaries] [--tape-file] [--stablehlo] [--backend B] \
         [--seconds S] [--size 0.25|1|4] [--serve] [--modules DIR] [NAME …]"
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
