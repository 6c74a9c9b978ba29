//! Discrete Fourier transforms against their definition, and under every transform.

use crate::ops::common::*;
use std::f64::consts::TAU;
use wengert_core::compare::{ComplexRule, Tolerance};
use wengert_core::{Complex, Tensor};

fn text(kind: &str, lengths: &str, from: &str, to: &str) -> String {
    format!("program (x: {from}) {{ y: {to} = fft[kind={kind}, lengths=[{lengths}]](x) return y }}")
}

const CASES: [(&str, &str, &str, &str); 16] = [
    ("fft", "5", "c128[5]", "c128[5]"),
    ("ifft", "4", "c128[2,4]", "c128[2,4]"),
    ("fft", "2, 3", "c128[2,2,3]", "c128[2,2,3]"),
    ("ifft", "2, 1, 3", "c128[2,1,3]", "c128[2,1,3]"),
    ("rfft", "5", "f64[5]", "c128[3]"),
    ("rfft", "6", "f64[2,6]", "c128[2,4]"),
    ("rfft", "3, 4", "f64[3,4]", "c128[3,3]"),
    ("rfft", "1", "f64[1]", "c128[1]"),
    ("irfft", "5", "c128[3]", "f64[5]"),
    ("irfft", "6", "c128[2,4]", "f64[2,6]"),
    ("irfft", "3, 4", "c128[3,3]", "f64[3,4]"),
    ("irfft", "2, 2, 1", "c128[2,2,1]", "f64[2,2,1]"),
    ("fft", "0", "c128[3,0]", "c128[3,0]"),
    ("rfft", "0", "f64[3,0]", "c128[3,0]"),
    ("irfft", "0", "c128[3,0]", "f64[3,0]"),
    ("fft", "4", "c128[0,4]", "c128[0,4]"),
];

#[test]
fn every_transform() {
    for (kind, lengths, from, to) in CASES {
        check_op(&text(kind, lengths, from, to), &[random(from, 3)]);
    }
}

/// The sum that defines the transform of one line.
fn defined(x: &[Complex<f64>], sign: f64) -> Vec<Complex<f64>> {
    let n = x.len();
    let turn = |j: usize| Complex::from_polar(1.0, sign * TAU * (j % n) as f64 / n as f64);
    (0..n).map(|k| (0..n).map(|j| x[j] * turn(j * k)).sum()).collect()
}

fn near(found: &Tensor, expected: &[Complex<f64>], absolute: f64) {
    let expected = from_numbers(&found.ty(), |i| expected[i]);
    let tolerance = Tolerance { absolute, complex: ComplexRule::Distance, ..Tolerance::EXACT };
    tolerance.check(found, &expected).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn values() {
    for n in [1, 2, 7, 16, 30] {
        let c = |d: &str, m: usize| format!("{d}[{m}]");
        let half = n / 2 + 1;
        let x = random(&c("c128", n), 5);
        let y = eval(&text("fft", &n.to_string(), &c("c128", n), &c("c128", n)), std::slice::from_ref(&x));
        near(&y[0], &defined(&numbers(&x), -1.0), 1e-12);
        let y = eval(&text("ifft", &n.to_string(), &c("c128", n), &c("c128", n)), std::slice::from_ref(&x));
        let scaled: Vec<_> = defined(&numbers(&x), 1.0).iter().map(|y| y / n as f64).collect();
        near(&y[0], &scaled, 1e-12);
        let x = random(&c("f32", n), 5);
        let y = eval(&text("rfft", &n.to_string(), &c("f32", n), &c("c64", half)), std::slice::from_ref(&x));
        near(&y[0], &defined(&numbers(&x), -1.0)[..half], 1e-4);
        let back = eval(&text("irfft", &n.to_string(), &c("c64", half), &c("f32", n)), &y);
        near(&back[0], &numbers(&x), 1e-5);
    }
    // The imaginary parts of the ends of a half spectrum do not count.
    let ty = text("irfft", "4", "c128[3]", "f64[4]");
    let ends = Tensor::new([3], vec![Complex::new(1.0, 7.0), Complex::new(2.0, 3.0), Complex::new(4.0, 9.0)]).unwrap();
    let real = Tensor::new([3], vec![Complex::new(1.0, 0.0), Complex::new(2.0, 3.0), Complex::new(4.0, 0.0)]).unwrap();
    assert_eq!(reals(&eval(&ty, &[ends])[0]), reals(&eval(&ty, &[real])[0]));
}

#[test]
fn refusals() {
    for (kind, lengths, from, reason) in [
        ("fft", "3", "f32[3]", "takes complex numbers, and got elements of type f32"),
        ("rfft", "3", "c64[3]", "takes f32 and f64 for rfft"),
        ("rfft", "3", "f16[3]", "takes f32 and f64 for rfft"),
        ("fft", "", "c64[3]", "one to three axes"),
        ("fft", "3, 3", "c64[3]", "one to three axes"),
        ("fft", "4", "c64[3]", "lengths [4] takes the shape [4], and got c64[3]"),
        ("irfft", "5", "c64[2,2]", "lengths [5] takes the shape [2,3], and got c64[2,2]"),
    ] {
        let found = refused(&text(kind, lengths, from, from));
        assert!(found.contains(reason), "{found}");
    }
}
