//! What this machine can do at most: how fast it copies, and how fast it multiplies and adds. Workloads are held against it.

use std::hint::black_box;
use std::time::Instant;
use wengert_core::ops::{Convolution, DotGeneral};
use wengert_core::{Op, Program, Type, Var};

/// Measures both with all threads for about a tenth of a second, as a line of JSON: gigabytes read and written in a second
/// by a copy into memory that was written before, and thousands of millions of operations in a second, a product and a sum
/// being two.
pub fn measure() -> String {
    format!("{{\"name\": \"machine\", \"copy_gb_s\": {:.2}, \"f32_gflop_s\": {:.1}}}", copy(), multiply_add())
}

/// The median of several tries, each on all threads at once: units of work in a second.
fn median(tries: usize, units: f64, one: &(dyn Fn(usize) + Sync)) -> f64 {
    let threads = wengert::threads();
    let try_one = |_| {
        let start = Instant::now();
        std::thread::scope(|s| (0..threads).for_each(|i| _ = s.spawn(move || one(i))));
        threads as f64 * units / start.elapsed().as_secs_f64()
    };
    let mut all: Vec<f64> = (0..tries).map(try_one).collect();
    all.sort_by(f64::total_cmp);
    all[tries / 2]
}

fn copy() -> f64 {
    const BYTES: usize = 32 << 20;
    const TIMES: usize = 4;
    let threads = wengert::threads();
    let rooms: Vec<_> = (0..threads).map(|i| std::sync::Mutex::new((vec![i as u8; BYTES], vec![1u8; BYTES]))).collect();
    let one = |i: usize| {
        let mut room = rooms[i].lock().expect("one thread each");
        let (from, to) = &mut *room;
        for _ in 0..TIMES {
            to.copy_from_slice(black_box(from));
            black_box(&mut *to);
        }
    };
    median(7, (2 * TIMES * BYTES) as f64 / 1e9, &one)
}

/// Turns of the loop that multiplies and adds.
const TURNS: usize = 1_000_000;
/// Vectors that are summed side by side: enough to hide how long one sum takes.
const SUMS: usize = 24;

fn multiply_add() -> f64 {
    median(7, 2.0 * per_turn() * TURNS as f64 / 1e9, &|_| multiply_and_add(TURNS))
}

/// Thousands of millions of operations in a second, of all threads for about half a millisecond: at the clock that the machine
/// has just then, which what ran before decides.
pub fn moment() -> f64 {
    const TURNS: usize = 100_000;
    let one = || {
        let start = Instant::now();
        multiply_and_add(TURNS);
        2.0 * per_turn() * TURNS as f64 / 1e9 / start.elapsed().as_secs_f64()
    };
    std::thread::scope(|s| {
        let all: Vec<_> = (0..wengert::threads()).map(|_| s.spawn(one)).collect();
        all.into_iter().map(|thread| thread.join().expect("it adds")).sum()
    })
}

/// How many numbers a turn multiplies and adds.
fn per_turn() -> f64 {
    (SUMS * lanes()) as f64
}

#[cfg(target_arch = "x86_64")]
fn lanes() -> usize {
    match () {
        _ if is_x86_feature_detected!("avx512f") => 16,
        _ if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") => 8,
        _ => 1,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn lanes() -> usize {
    1
}

/// Multiplies and adds so many turns.
fn multiply_and_add(turns: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::*;
        #[target_feature(enable = "avx512f")]
        unsafe fn avx512(turns: usize) -> f32 {
            let (x, y) = (_mm512_set1_ps(black_box(0.999)), _mm512_set1_ps(black_box(1e-3)));
            let mut sums = [_mm512_set1_ps(1.0); SUMS];
            for _ in 0..turns {
                sums.iter_mut().for_each(|s| *s = _mm512_fmadd_ps(*s, x, y));
            }
            sums.iter().map(|s| _mm512_reduce_add_ps(*s)).sum()
        }
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2(turns: usize) -> f32 {
            let (x, y) = (_mm256_set1_ps(black_box(0.999)), _mm256_set1_ps(black_box(1e-3)));
            // Half as many registers.
            let mut sums = [_mm256_set1_ps(1.0); SUMS / 2];
            for _ in 0..2 * turns {
                sums.iter_mut().for_each(|s| *s = _mm256_fmadd_ps(*s, x, y));
            }
            sums.iter().map(|s| _mm256_cvtss_f32(*s)).sum()
        }
        let sum = match lanes() {
            // SAFETY: the machine has the instructions.
            16 => Some(unsafe { avx512(turns) }),
            // SAFETY: as above.
            8 => Some(unsafe { avx2(turns) }),
            _ => None,
        };
        if black_box(sum).is_some() {
            return;
        }
    }
    let mut sums = [1.0f32; SUMS];
    for _ in 0..turns {
        sums.iter_mut().for_each(|s| *s = *s * black_box(0.999) + 1e-3);
    }
    black_box(sums);
}

/// The operations of all products and convolutions in a program, a product and a sum being two. Loops whose steps are not
/// known count as one step.
pub fn operations(program: &Program) -> f64 {
    let size = |v: Var| program.ty(v).shape.size() as f64;
    let each = program.equations().iter().map(|e| {
        let ty = |i: usize| -> &Type { program.ty(e.inputs[i]) };
        let inside = || e.op.programs().iter().map(|p| operations(p)).sum::<f64>();
        match &e.op {
            Op::DotGeneral(DotGeneral { contract, .. }) => {
                2.0 * size(e.outputs[0]) * contract.0.iter().map(|&d| ty(0).shape[d] as f64).product::<f64>()
            }
            Op::Convolution(op @ Convolution { rhs, .. }) => {
                // Gaps between elements of a dilated operand are not multiplied.
                let gaps: f64 = op.lhs_dilation.iter().map(|&n| n as f64).product();
                2.0 * size(e.outputs[0]) * ty(1).shape.size() as f64 / ty(1).shape[rhs[0]] as f64 / gaps
            }
            Op::Scan(scan) => scan.length as f64 * inside(),
            _ => inside(),
        }
    });
    each.fold(0.0, |sum, n| sum + n)
}
