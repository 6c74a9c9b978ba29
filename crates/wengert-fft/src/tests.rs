//! Transforms against their definition, and the same bits however they are computed.

use super::lanes::{Float, Level};
use super::line::alone;
use super::roots::root;
use super::{Axis, Spread, axis, real};
use num_complex::Complex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lengths of every way: products of small primes, primes of passes, large primes, and twice those.
const AWKWARD: [usize; 14] = [187, 243, 256, 997, 1000, 1024, 1994, 2187, 2310, 3721, 3599, 15625, 10007, 4096];

/// What the definition is computed for at some places only.
const LONG: [usize; 5] = [30030, 19683, 1 << 16, 65537, 2 * 10007];

/// The instruction sets of this machine.
fn levels() -> Vec<Level> {
    #[cfg(target_arch = "x86_64")]
    let all = [Level::Plain, Level::Avx2, Level::Avx512];
    #[cfg(not(target_arch = "x86_64"))]
    let all = [Level::Plain];
    let best = all.iter().position(|&l| l == Level::detect()).expect("one of them");
    all[..=best].to_vec()
}

/// Numbers without a pattern between -1 and 1.
fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn complex_noise<T: Float>(count: usize, seed: u64) -> Vec<Complex<T>> {
    noise(2 * count, seed).chunks(2).map(|x| Complex::new(T::of(x[0]), T::of(x[1]))).collect()
}

fn wide<T: Float + Into<f64>>(x: &[Complex<T>]) -> Vec<Complex<f64>> {
    x.iter().map(|x| Complex::new(x.re.into(), x.im.into())).collect()
}

/// The sum that defines the number at one place of a transform, in blocks, so that few roundings add up.
fn defined(x: &[Complex<f64>], roots: &[Complex<f64>], k: usize) -> Complex<f64> {
    let n = x.len();
    let mut at = 0;
    let blocks = x.chunks(256).map(|block| {
        let mut sum = Complex::new(0.0, 0.0);
        for x in block {
            sum += x * roots[at];
            at = (at + k) % n;
        }
        sum
    });
    blocks.sum()
}

fn roots(n: usize, inverse: bool) -> Vec<Complex<f64>> {
    let sign = if inverse { -1.0 } else { 1.0 };
    (0..n).map(|k| root(k, n)).map(|[re, im]| Complex::new(re, sign * im)).collect()
}

/// How far numbers at some places are from the definition, relative to what such numbers are in the mean.
fn error(x: &[Complex<f64>], y: &[Complex<f64>], inverse: bool, places: usize) -> f64 {
    let n = x.len();
    let roots = roots(n, inverse);
    let scale = if inverse { 1.0 / n as f64 } else { 1.0 };
    let places: Vec<usize> =
        if places >= y.len() { (0..y.len()).collect() } else { (0..places).map(|i| i * 7919 % y.len()).collect() };
    let apart: f64 = places.iter().map(|&k| (y[k] - defined(x, &roots, k) * scale).norm_sqr()).sum();
    let mean = x.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt() * scale;
    (apart / places.len() as f64).sqrt() / mean
}

fn bound<T>(n: usize) -> f64 {
    (if size_of::<T>() == 4 { 1e-6 } else { 1e-15 }) * (n as f64).log2().max(1.0)
}

/// A line against the definition: complex and real, both ways, and there and back.
fn check<T: Float + Into<f64> + std::fmt::Debug>(n: usize, places: usize) {
    let level = Level::detect();
    let zero = Complex::new(T::default(), T::default());
    let x = complex_noise::<T>(n, n as u64);
    for inverse in [false, true] {
        let mut y = vec![zero; n];
        axis::complex(n, inverse, &x, &mut y, level, &alone);
        let found = error(&wide(&x), &wide(&y), inverse, places);
        assert!(found <= bound::<T>(n), "{n} numbers, inverse {inverse}: off by {found:e}");
    }
    let x: Vec<T> = x.iter().map(|x| x.re).collect();
    let mut half = vec![zero; n / 2 + 1];
    real::to_half(n, &x, &mut half, level, &alone);
    let line: Vec<Complex<f64>> = x.iter().map(|&x| Complex::from(x.into())).collect();
    let found = error(&line, &wide(&half), false, places);
    assert!(found <= bound::<T>(n), "{n} real numbers: off by {found:e}");
    let mut back = vec![T::default(); n];
    real::from_half(n, &half, &mut back, level, &alone);
    let apart: f64 = back.iter().zip(&x).map(|(&a, &b)| (a.into() - b.into()).powi(2)).sum();
    let found = (apart / line.iter().map(|x| x.norm_sqr()).sum::<f64>()).sqrt();
    assert!(found <= bound::<T>(n), "{n} real numbers there and back: off by {found:e}");
}

#[test]
fn short_lines() {
    for n in 1..=130 {
        check::<f32>(n, n);
        check::<f64>(n, n);
    }
}

#[test]
fn awkward_lines() {
    for n in AWKWARD {
        check::<f32>(n, 100);
        check::<f64>(n, 100);
    }
}

#[test]
fn long_lines() {
    for n in LONG {
        check::<f32>(n, 20);
        check::<f64>(n, 20);
    }
}

#[test]
fn roots_are_right_to_the_last_place() {
    for (k, n, re, im) in [
        (1, 3, -0.5, -0.8660254037844386),
        (1, 7, 0.6234898018587335, -0.7818314824680298),
        (5, 9, -0.9396926207859084, 0.3420201433256687),
        (5, 4097, 0.9999706007877401, -0.00766795671649101),
        (123456, 1000003, 0.7139348402268504, -0.7002121420757152),
        (999999, 1048576, 0.9579348193280236, 0.2869858566532274),
        (77, 100, 0.12533323356430426, 0.9921147013144779),
        (549755813889, 1099511627791, -1.0, -3.714440435588599e-11),
        (11, 16, -0.3826834323650898, 0.9238795325112867),
    ] {
        let found = root(k, n);
        for (found, right) in found.into_iter().zip([re, im]) {
            let apart = (found.to_bits() as i64 - f64::to_bits(right) as i64).abs();
            assert!(apart <= 1, "exp(-2 pi i {k} / {n}): {found} for {right}");
        }
    }
    assert_eq!(root(0, 5), [1.0, -0.0]);
    assert_eq!(root(2, 8).map(f64::abs), [0.0, 1.0]);
    assert_eq!(root(4, 8)[0], -1.0);
}

/// Two threads, which take pieces as they come.
fn shared(count: usize, _: usize, f: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            match next.fetch_add(1, Ordering::Relaxed) {
                i if i < count => f(i),
                _ => break,
            }
        }
    };
    std::thread::scope(|s| {
        s.spawn(work);
        work();
    });
}

fn bits<T: Float + Into<f64>>(x: &[Complex<T>]) -> Vec<[u64; 2]> {
    x.iter().map(|x| [x.re.into(), x.im.into()].map(f64::to_bits)).collect()
}

/// All transforms of an array of `lines` lines of `n` numbers, in one list.
fn everything<T: Float>(n: usize, lines: usize, level: Level, spread: Spread<'_>) -> Vec<Vec<Complex<T>>> {
    let zero = Complex::new(T::default(), T::default());
    let x = complex_noise::<T>(n * lines, 1);
    let mut all = Vec::new();
    for inverse in [false, true] {
        let mut y = vec![zero; x.len()];
        axis::complex(n, inverse, &x, &mut y, level, spread);
        // The same lines as columns.
        let mut columns: Vec<Complex<T>> = (0..x.len()).map(|i| x[i % lines * n + i / lines]).collect();
        axis::complex_over(Axis { outer: 1, n, inner: lines }, inverse, &mut columns, level, spread);
        all.push(y);
        all.push((0..x.len()).map(|i| columns[i % n * lines + i / n]).collect());
    }
    let reals: Vec<T> = x.iter().map(|x| x.re).collect();
    let mut half = vec![zero; (n / 2 + 1) * lines];
    real::to_half(n, &reals, &mut half, level, spread);
    let mut back = reals;
    real::from_half(n, &half, &mut back, level, spread);
    all.push(half);
    all.push(back.into_iter().map(|x| Complex::new(x, T::default())).collect());
    all
}

fn check_bits<T: Float + Into<f64>>(n: usize, lines: usize) {
    let expected = everything::<T>(n, lines, Level::Plain, &alone);
    assert!(bits(&expected[0]) == bits(&expected[1]) && bits(&expected[2]) == bits(&expected[3]), "columns of {n}");
    let first = everything::<T>(n, 1, Level::Plain, &alone);
    let x = complex_noise::<T>(n * lines, 1);
    assert!(bits(&x[..n]) == bits(&complex_noise::<T>(n, 1)), "the same first line");
    for (all, one) in expected.iter().zip(&first) {
        assert!(bits(&all[..one.len()]) == bits(one), "one line of {n}, alone and beside {lines}");
    }
    for level in levels() {
        for spread in [&alone as Spread<'_>, &shared] {
            let found = everything::<T>(n, lines, level, spread);
            for (found, expected) in found.iter().zip(&expected) {
                assert!(bits(found) == bits(expected), "{lines} lines of {n} numbers on {level:?}");
            }
        }
    }
}

#[test]
fn the_same_bits_everywhere() {
    for n in [1, 2, 3, 8, 11, 12, 61, 67, 100, 128, 130, 210, 256, 360, 1000] {
        for lines in [1, 3, 17] {
            check_bits::<f32>(n, lines);
            check_bits::<f64>(n, lines);
        }
    }
    for n in [8192, 30030, 1009] {
        check_bits::<f32>(n, 2);
        check_bits::<f64>(n, 2);
    }
}

#[test]
fn nan_and_infinity_reach_every_number_of_their_line() {
    for (n, bad) in [(8, f64::NAN), (60, f64::INFINITY), (256, f64::NEG_INFINITY), (997, f64::NAN)] {
        let mut x = complex_noise::<f64>(3 * n, 2);
        x[n + n / 3].im = bad;
        let mut y = x.clone();
        axis::complex(n, false, &x, &mut y, Level::detect(), &alone);
        let is_finite = |x: &Complex<f64>| x.re.is_finite() && x.im.is_finite();
        assert!(y[..n].iter().chain(&y[2 * n..]).all(is_finite), "lines beside it are as they were");
        assert!(!y[n..2 * n].iter().any(is_finite), "{n} numbers");
    }
}

#[test]
fn plans_are_kept_and_bounded() {
    let kept = super::plan::Kept::<f32>::new();
    let plan = kept.get(360);
    assert!(std::sync::Arc::ptr_eq(&plan, &kept.get(360)));
    (1..200).for_each(|n| drop(kept.get(n)));
    assert_eq!(kept.held().0, 64);
    assert!(!std::sync::Arc::ptr_eq(&plan, &kept.get(360)), "the one that was used last long ago is gone");
    (0..12).for_each(|i| drop(kept.get(1 << 20 | i << 12)));
    let (count, bytes) = kept.held();
    assert!(count < 12 && bytes <= 64 << 20, "{count} plans of {bytes} bytes");
}
