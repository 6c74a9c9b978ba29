//! Whether a program compiled gives the evaluator's bits.

use std::sync::Arc;
use wengert_core::run::{Device, Executable};
use wengert_core::{Program, Tensor};
use wengert_cpu::{Cpu, Native, Rewrites};
use wengert_testing::{Choices, random_values, same_bits};

/// A way to compile: with this much machine code, arrays of up to so many elements as scalars, and loops in the smallest
/// pieces there are for so many threads. With few scalars, small arrays are loops over lanes.
pub type Way = (Native, usize, usize);

pub const ALL: [Way; 12] = {
    use Native::*;
    [
        (Best, 64, 1),
        (Best, 2, 2),
        (Best, 0, 7),
        (Avx2, 64, 7),
        (Avx2, 2, 1),
        (Avx2, 0, 2),
        (Sse2, 64, 2),
        (Sse2, 2, 7),
        (Sse2, 0, 1),
        (Off, 64, 1),
        (Off, 2, 2),
        (Off, 0, 7),
    ]
};

/// Checks a program compiled in these ways, with all rewrites and with none: it gives what the evaluator gives on the
/// rewritten one.
pub fn check(program: &Arc<Program>, x: &[Tensor], ways: &[Way]) -> Result<(), String> {
    [Rewrites::ALL, Rewrites::NONE].into_iter().try_for_each(|rewrites| check_rewritten(program, x, ways, rewrites))
}

fn check_rewritten(program: &Arc<Program>, x: &[Tensor], ways: &[Way], rewrites: Rewrites) -> Result<(), String> {
    let rewritten = rewrites.rewrite(program, |_, _, _| ());
    if rewrites == Rewrites::ALL && Arc::ptr_eq(&rewritten, program) {
        return Ok(());
    }
    let expected = wengert_eval::run(&rewritten, x.to_vec());
    for &(native, small, threads) in ways {
        let cpu = Cpu::with(native).with_scalars_up_to(small).with_threads(threads, 0).with_rewrites(rewrites);
        let compiled: Arc<dyn Executable> = cpu.compile(program.clone(), &[]).map_err(|e| e.to_string())?;
        // Twice: the second run finds memory that the first one left.
        for _ in 0..2 {
            match (&expected, compiled.run_on_host(x.to_vec())) {
                (Ok(want), Ok(got)) => {
                    for (k, (want, got)) in want.iter().zip(&got).enumerate() {
                        if !same_bits(want, got) {
                            return Err(format!(
                                "{native:?}, {small}, {threads} threads, result {k}:\n{want:?}\n{got:?}\n{program}\n{x:?}"
                            ));
                        }
                    }
                }
                (Err(_), Err(_)) => {}
                (want, got) => return Err(format!("{native:?}: {want:?} and {got:?}")),
            }
        }
    }
    Ok(())
}

/// Checks a program on numbers that are no round ones.
pub fn check_text(text: &str) {
    let program = Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let numbers: Vec<u16> = (0..2000u32).map(|i| (i.wrapping_mul(40503) >> 3) as u16).collect();
    let x = random_values(&program.input_types(), &mut Choices::new(&numbers), false);
    check(&program, &x, &ALL).unwrap_or_else(|m| panic!("{m}"));
}

/// How often each rewrite is made in a program.
pub fn made(text: &str, rewrites: Rewrites) -> Vec<(&'static str, usize)> {
    let program = Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let mut made = Vec::new();
    rewrites.rewrite(&program, |rewrite, _, count| made.push((rewrite.as_str(), count)));
    made
}

/// Checks that the evaluator gives the bits of a program on the rewritten one, which is another.
pub fn check_values_stay(text: &str) {
    let program = Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let rewritten = Rewrites::ALL.rewrite(&program, |_, _, _| ());
    assert_ne!(program, rewritten, "nothing was rewritten:\n{text}");
    let numbers: Vec<u16> = (0..2000u32).map(|i| (i.wrapping_mul(40503) >> 3) as u16).collect();
    let x = random_values(&program.input_types(), &mut Choices::new(&numbers), false);
    let [want, got] = [&program, &rewritten].map(|p| wengert_eval::run(p, x.clone()).unwrap());
    assert!(want.iter().zip(&got).all(|(want, got)| same_bits(want, got)), "{text}\n{want:?}\n{got:?}");
}
