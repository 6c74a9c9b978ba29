//! Some of the planted faults, reduced: `cargo test -p wengert-faults --features faults`. Those that take long wait for
//! `-- --include-ignored`; `faults bench` does it with all.

use std::path::Path;
use std::process::Command;
use std::time::Duration;
use wengert_core::{Program, Tensor};
use wengert_faults::measure::{VARIABLE, measure};
use wengert_faults::table::{need, start};
use wengert_repro::{Case, Reduction, Symptom, WorkerPool, WorkerTest, reduce};
use wengert_x86::faults::Fault;

fn check(fault: Fault) -> Reduction {
    let own = Path::new(env!("CARGO_BIN_EXE_faults"));
    let case = start(fault);
    assert!(case.size().equations >= 300, "{}", case.size());
    let m = measure(own, fault, case, Duration::from_secs(300), |_| true).unwrap();
    let (best, text) = (m.found.best.size(), m.found.best.program().to_string());
    assert!(m.is_minimal() && best.equations <= need(fault) + 3, "{}: {best}\n{text}", fault.name());
    assert!(m.still_fails && !m.fails_without, "{}: {} {}\n{text}", fault.name(), m.still_fails, m.fails_without);
    m.found
}

#[test]
fn e5_wrong_machine_code_is_reduced_to_one_op() {
    check(Fault::AbsOfDoubles);
}

#[test]
fn e5_a_crash_is_reduced() {
    check(Fault::CrashOfClamp);
}

#[test]
#[ignore = "each candidate is run fifteen times: a minute"]
fn e5_a_fault_of_one_run_in_five_is_reduced() {
    check(Fault::FlakyProduct);
}

#[test]
#[ignore = "each candidate that hangs takes a second: half a minute"]
fn e5_a_compiler_that_hangs_is_reduced() {
    check(Fault::HangOfArgReduce);
}

/// Faults that no equation shows alone: `diff` names those that must be together, and the loop whose results change places.
#[test]
fn d5_equations_that_are_wrong_only_together_are_named() {
    let faults = [Fault::NarrowSigned, Fault::InPlaceHazard, Fault::ThreeCarries];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_faults"));
    let out = command.arg("diff").args(faults.map(Fault::name)).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.ends_with("3 of 3 named\n"), "{text}");
}

/// The compiler panics, and the message matches a pattern.
#[test]
fn e6_an_error_that_matches_is_reduced() {
    check(Fault::PanicOfPad);
}

/// Roots of negative numbers, where the fault makes these: two equations. A quotient of zeros, which is NaN everywhere, is one.
#[test]
fn e8_a_nan_of_our_compiler_alone_stays_one() {
    let text = "program (x: f64[100]) {
        a: f64[100] = abs(x) s: f64[100] = sqrt(a) d: f64[100] = div(s, s) return d
    }";
    let x = Tensor::new([100], (1..=100).map(f64::from).collect()).unwrap();
    let case = Case::new(Program::parse(text).unwrap(), vec![x]).unwrap();
    let worker = || {
        // What is looked for are numbers that are not finite, and the fault is another.
        let mut command = Command::new(env!("CARGO_BIN_EXE_faults"));
        command.args(["serve", Fault::LogisticOverflow.name()]).env(VARIABLE, Fault::AbsOfDoubles.name());
        command
    };
    let test = WorkerTest::new(worker, Symptom::NonFinite.sign(), Duration::from_secs(60));
    let mut pool = WorkerPool::new(test, 2, || worker);
    pool.learn(&case, None).unwrap();
    let found = reduce(case, &mut pool, &mut |_| true).unwrap();
    let (size, text) = (found.best.size(), found.best.program().to_string());
    assert!(size.equations == 2 && text.contains("= abs(") && text.contains("= sqrt("), "{text}");
}

#[test]
fn e5_an_array_that_is_overwritten_too_early_is_reduced() {
    check(Fault::InPlaceHazard);
}

#[test]
fn e5_a_product_of_odd_sizes_is_reduced() {
    check(Fault::OddTransposedProduct);
}

/// One element of 32,770 is wrong: the size stays, and hardly more than it. On a machine that does other work, a smaller one may have
/// taken longer than a candidate may.
#[test]
fn e5_a_fault_of_large_arrays_keeps_their_size() {
    let found = check(Fault::LaneBeyond32768);
    let size = found.best.program().output_types()[0].shape.size();
    assert!((32_770..32_800).contains(&size), "{size}");
}

/// Many candidates are loops without an end.
#[test]
#[ignore = "loops without an end take the time they are given: half a minute where a machine does other work"]
fn e5_a_loop_that_is_too_long_is_reduced() {
    check(Fault::LongWhile);
}
