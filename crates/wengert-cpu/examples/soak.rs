//! Runs the compiler for a long time, and says what it found.
//!
//!     cargo run --release -p wengert-cpu --example soak -- programs 1000000 [SEED]
//!     cargo run --release -p wengert-cpu --example soak -- rows 10000 [SEED]
//!     cargo run --release -p wengert-cpu --example soak -- calls 100000
//!     cargo run --release -p wengert-cpu --example soak -- compile 100000
//!     cargo run --release -p wengert-cpu --example soak -- sizes
//!
//! `programs` draws random programs, half of them awkward, and `rows` such that combine large arrays along axes and spread
//! them again; each is compiled in three ways and held against the evaluator to the bit. `calls` runs one program as often,
//! `compile` compiles as many different small ones, and both say how much memory the process has as they go on. `sizes`
//! compiles programs of ten thousand to a hundred thousand equations, deep nests and switches. Each ends with 1 if something
//! is wrong.

#[path = "../tests/compiled/agree.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod agree;

use agree::{ALL, check};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use wengert_core::ops::{Binary, Cond, Reduce, Scan, Unary};
use wengert_core::run::Device;
use wengert_core::{Builder, DType, Program, Tensor, Type};
use wengert_cpu::CPU;
use wengert_testing::{Choices, Recipe, random_program, random_rows, random_values, varied_values};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, usual: usize| args.get(i).map_or(Some(usual), |s| s.parse().ok());
    let fine = match (args.first().map(String::as_str), number(1, 100_000), number(2, 0)) {
        (Some("programs"), Some(count), Some(seed)) => programs(count, seed as u64, any_program),
        (Some("rows"), Some(count), Some(seed)) => programs(count, seed as u64, rows),
        (Some("calls"), Some(count), _) => calls(count),
        (Some("compile"), Some(count), _) => compile(count),
        (Some("sizes"), _, _) => sizes(),
        _ => {
            eprintln!("usage: soak programs COUNT [SEED] | rows COUNT [SEED] | calls COUNT | compile COUNT | sizes");
            return ExitCode::from(2);
        }
    };
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Numbers for choices that depend on these two alone.
fn numbers(seed: u64, case: u64) -> Vec<u16> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ case.wrapping_mul(0xD1B5_4A32_D192_ED03);
    let mut next = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) >> 16
    };
    let count = 40 + next() % 560;
    (0..count).map(|_| next() as u16).collect()
}

/// The program that these numbers make, with its inputs.
type Draw = fn(usize, &[u16]) -> (Arc<Program>, Vec<Tensor>);

fn any_program(case: usize, numbers: &[u16]) -> (Arc<Program>, Vec<Tensor>) {
    let mut choices = Choices::new(numbers);
    let recipe = if case.is_multiple_of(2) { Recipe::awkward() } else { Recipe::any() };
    let program = Arc::new(random_program(&recipe, &mut choices));
    let x = random_values(&program.input_types(), &mut choices, false);
    (program, x)
}

fn rows(case: usize, numbers: &[u16]) -> (Arc<Program>, Vec<Tensor>) {
    let mut choices = Choices::new(numbers);
    let program = Arc::new(random_rows(&mut choices));
    let x = varied_values(&program.input_types(), &mut choices, case.is_multiple_of(2));
    (program, x)
}

/// Checks what these numbers make in three of all ways.
fn check_one(draw: Draw, case: usize, numbers: &[u16]) -> Result<(), String> {
    let ways: Vec<_> = (0..3).map(|i| ALL[(case / 2 + 4 * i + i) % ALL.len()]).collect();
    let checked = catch_unwind(AssertUnwindSafe(|| {
        let (program, x) = draw(case, numbers);
        check(&program, &x, &ways)
    }));
    checked.unwrap_or_else(|p| {
        let text = p.downcast_ref::<String>().map(String::as_str).or(p.downcast_ref::<&str>().copied());
        Err(format!("panics: {}", text.unwrap_or("?")))
    })
}

fn programs(count: usize, seed: u64, draw: Draw) -> bool {
    let (next, wrong, start) = (AtomicUsize::new(0), AtomicUsize::new(0), Instant::now());
    std::panic::set_hook(Box::new(|_| {}));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| {
                loop {
                    let case = next.fetch_add(1, Ordering::Relaxed);
                    if case >= count || wrong.load(Ordering::Relaxed) >= 10 {
                        return;
                    }
                    let mut choices = numbers(seed, case as u64);
                    if let Err(mut message) = check_one(draw, case, &choices) {
                        wrong.fetch_add(1, Ordering::Relaxed);
                        // Fewer numbers make smaller programs.
                        let mut cut = choices.len() / 2;
                        while cut > 0 {
                            let fewer = choices[..choices.len() - cut].to_vec();
                            match check_one(draw, case, &fewer) {
                                Err(m) => (choices, message) = (fewer, m),
                                Ok(()) => cut /= 2,
                            }
                            cut = cut.min(choices.len().saturating_sub(1));
                        }
                        println!("\ncase {case} of seed {seed}: {message}\n");
                    }
                    if case.is_multiple_of(1000) {
                        progress(case, count, start, "programs");
                    }
                }
            });
        }
    });
    let (wrong, done) = (wrong.into_inner(), next.into_inner().min(count));
    println!("\n{done} programs, {wrong} wrong, {:.0} s", start.elapsed().as_secs_f64());
    wrong == 0
}

fn progress(done: usize, of: usize, start: Instant, what: &str) {
    eprint!("\r{done} of {of} {what}, {:.0} s, {} MB ", start.elapsed().as_secs_f64(), resident() >> 20);
    let _ = std::io::stderr().flush();
}

/// How much memory this process has, in bytes; 0 where that can't be known.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap_or(0) * 4096
}

/// A program that has loops over lanes, scalars, a kernel call and a loop of its own.
fn small_program(i: usize) -> Arc<Program> {
    let mut step = Builder::new();
    let x = step.input(Type::new(DType::F32, [4]));
    let y = step.one(Unary::Tanh, &[x]);
    let step = Arc::new(step.finish(&[y]));
    let mut b = Builder::new();
    let x = b.input(Type::new(DType::F32, [100 + i % 7]));
    let y = b.offset(x, i as f64);
    let s = b.one(Reduce { combiner: wengert_core::ops::Combiner::Add, dims: [0].as_slice().into() }, &[y]);
    let four = b.one(wengert_core::ops::Broadcast { shape: [4].into(), dims: Default::default() }, &[s]);
    let out = b.push(Scan { length: 3, consts: 0, carries: 1, reverse: false, body: step }, &[four]);
    Arc::new(b.finish_all(&[y, out[0]]))
}

/// Memory must not grow once a tenth is done.
fn without_growth(count: usize, what: &str, mut each: impl FnMut(usize)) -> bool {
    let (start, mut early) = (Instant::now(), 0);
    for i in 0..count {
        each(i);
        if i == count / 10 {
            early = resident();
        }
        if i.is_multiple_of((count / 100).max(1)) {
            progress(i, count, start, what);
        }
    }
    let grown = resident().saturating_sub(early);
    println!(
        "\n{count} {what}, {:.1} s: {} KB more than after the first tenth",
        start.elapsed().as_secs_f64(),
        grown >> 10
    );
    grown < 4 << 20
}

fn input(program: &Program) -> Vec<Tensor> {
    program
        .input_types()
        .iter()
        .map(|t| Tensor::splat(t.shape.clone(), wengert_core::Scalar::from_f64(t.dtype, 0.5)).dense())
        .collect()
}

fn calls(count: usize) -> bool {
    let program = small_program(0);
    let executable = CPU.compile(program.clone(), &[]).expect("it compiles");
    let x = input(&program);
    without_growth(count, "calls", |_| drop(executable.run_on_host(x.clone()).expect("it runs")))
}

fn compile(count: usize) -> bool {
    without_growth(count, "programs compiled", |i| {
        let program = small_program(i);
        let executable = CPU.compile(program.clone(), &[]).expect("it compiles");
        if i.is_multiple_of(100) {
            drop(executable.run_on_host(input(&program)).expect("it runs"));
        }
    })
}

/// A chain of this many equations on arrays of `n` elements.
fn chain(equations: usize, n: usize) -> Program {
    let mut b = Builder::new();
    let ty = Type::new(DType::F32, [n]);
    let (x, y) = (b.input(ty.clone()), b.input(ty));
    let (mut x, mut y) = (x, y);
    for i in 0..equations {
        let op = [Binary::Add, Binary::Mul, Binary::Sub][i % 3];
        (x, y) = (b.one(op, &[x, y]), x);
    }
    b.finish(&[x])
}

/// Scans inside of scans.
fn nest(depth: usize) -> Program {
    let ty = Type::new(DType::F32, [2]);
    let mut inner = Builder::new();
    let x = inner.input(ty.clone());
    let y = inner.one(Unary::Sin, &[x]);
    let mut program = inner.finish(&[y]);
    for _ in 0..depth {
        let mut b = Builder::new();
        let x = b.input(ty.clone());
        let scan = Scan { length: 1, consts: 0, carries: 1, reverse: false, body: Arc::new(program) };
        let y = b.push(scan, &[x]);
        program = b.finish(&y);
    }
    program
}

/// A switch of this many branches.
fn switch(branches: usize) -> Program {
    let ty = Type::new(DType::F32, [3]);
    let branch = |i: usize| {
        let mut b = Builder::new();
        let x = b.input(ty.clone());
        let y = b.offset(x, i as f64);
        Arc::new(b.finish(&[y]))
    };
    let mut b = Builder::new();
    let (i, x) = (b.input(Type::scalar(DType::I32)), b.input(ty.clone()));
    let y = b.push(Cond { branches: (0..branches).map(branch).collect() }, &[i, x]);
    b.finish(&y)
}

fn sizes() -> bool {
    let mut fine = true;
    let mut report = |name: &str, count: usize, program: Program, most: &mut Option<f64>| {
        let (before, start) = (resident(), Instant::now());
        let program = Arc::new(program);
        match CPU.compile(program.clone(), &[]) {
            Ok(executable) => {
                let seconds = start.elapsed().as_secs_f64();
                let x = input(&program);
                let expected = wengert_eval::run(&program, x.clone()).map(|y| y[0].get(0).bits());
                let got = executable.run_on_host(x).map(|y| y[0].get(0).bits());
                let right = matches!((&expected, &got), (Ok(a), Ok(b)) if a == b);
                let each = seconds / count as f64;
                // Linear: no more for each than three times what the smallest took.
                let linear = each <= 3.0 * *most.get_or_insert(each);
                fine &= right && linear;
                println!(
                    "{name} {count:7}: {:8.1} ms, {:6.2} µs each, {} MB{}{}",
                    seconds * 1e3,
                    each * 1e6,
                    resident().saturating_sub(before) >> 20,
                    if right { "" } else { ", WRONG" },
                    if linear { "" } else { ", NOT LINEAR" },
                );
            }
            Err(e) => println!("{name} {count:7}: {e}"),
        }
    };
    for n in [1, 3, 40, 1000, 100_000] {
        let mut least = None;
        for equations in [10_000, 30_000, 100_000] {
            report(&format!("equations on {n:6} elements,"), equations, chain(equations, n), &mut least);
        }
    }
    let mut least = None;
    for branches in [1000, 3000, 10_000] {
        report("branches of a switch,", branches, switch(branches), &mut least);
    }
    for depth in [10, 50, 200, 1000] {
        report("scans one in the other,", depth, nest(depth), &mut None);
    }
    fine
}
