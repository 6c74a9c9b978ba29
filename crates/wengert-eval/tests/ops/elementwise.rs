//! Elementwise ops of two and three operands.

use crate::ops::common::*;
use wengert_core::ops::{Binary, Direction};
use wengert_core::{DType, Tensor};

#[test]
fn every_binary_op() {
    for op in Binary::ALL {
        for d in [DType::F64, DType::C128] {
            let Ok(result) = op.result(d) else { continue };
            if matches!(op, Binary::Nextafter | Binary::Polygamma) {
                continue;
            }
            let text =
                format!("program (x: {d}[4], y: {d}[4]) {{\n z: {result}[4] = {}(x, y)\n return z\n}}", op.as_str());
            let x = match (op, d) {
                (Binary::Pow, DType::F64) => tensor("f64[4]", &[0.3, 1.2, 2.0, 0.9]),
                _ => random(&format!("{d}[4]"), 1),
            };
            check_op(&text, &[x, random(&format!("{d}[4]"), 2)]);
        }
    }
    // In its order, polygamma has no derivative.
    check_op(
        "program (x: f64[3]) {\n y: f64[3] = polygamma(2.0:f64[3], x)\n return y\n}",
        &[tensor("f64[3]", &[0.5, 1.5, 4.0])],
    );
}

#[test]
fn conversions_and_comparisons() {
    for (from, to) in [("f64", "c128"), ("c128", "f64"), ("f64", "i32"), ("i32", "f64"), ("bool", "i8")] {
        let text = format!("program (x: {from}[4]) {{\n y: {to}[4] = convert[dtype={to}](x)\n return y\n}}");
        check_op(&text, &[random(&format!("{from}[4]"), 1)]);
    }
    for direction in Direction::ALL {
        let text = format!(
            "program (x: f64[4], y: f64[4]) {{\n z: bool[4] = compare[direction={}](x, y)\n return z\n}}",
            direction.as_str()
        );
        check_op(&text, &[random("f64[4]", 1), random("f64[4]", 2)]);
    }
}

#[test]
fn products_with_sums() {
    let text = "program (x: f64[4], y: f64[4], z: f64[4]) {\n w: f64[4] = mul_add(x, y, z)\n return w\n}";
    check_op(text, &[random("f64[4]", 1), random("f64[4]", 2), random("f64[4]", 3)]);
    // Twice rounded, this would be zero.
    let one = f64::EPSILON + 1.0;
    let text = "program (x: f64[], z: f64[]) {\n w: f64[] = mul_add(x, x, z)\n return w\n}";
    let w = eval(text, &[Tensor::scalar(one), Tensor::scalar(-(one * one))]);
    assert_eq!(reals(&w[0]), [f64::EPSILON * f64::EPSILON]);
    assert_eq!(
        refused("program (x: i32[]) {\n y: i32[] = mul_add(x, x, x)\n return y\n}"),
        "line 2, column 13: `mul_add` takes f32 and f64, and got elements of type i32"
    );
}

#[test]
fn select_and_clamp() {
    for p in ["bool[4]", "bool[]"] {
        check_op(
            &format!("program (p: {p}, x: f64[4], y: f64[4]) {{\n z: f64[4] = select(p, x, y)\n return z\n}}"),
            &[random(p, 3), random("f64[4]", 4), random("f64[4]", 5)],
        );
    }
    for bound in ["f64[5]", "f64[]"] {
        let n = if bound == "f64[]" { 1 } else { 5 };
        check_op(
            &format!("program (a: {bound}, x: f64[5], b: {bound}) {{\n z: f64[5] = clamp(a, x, b)\n return z\n}}"),
            &[
                tensor(bound, &vec![-0.5; n]),
                tensor("f64[5]", &[-1.0, -0.2, 0.1, 0.9, 3.0]),
                tensor(bound, &vec![0.7; n]),
            ],
        );
    }
    let clamp = |x: f64| {
        let text = "program (x: f64[]) {\n z: f64[] = clamp(0.0:f64[], x, 1.0:f64[])\n return z\n}";
        reals(&eval(text, &[Tensor::scalar(x)])[0])[0]
    };
    assert_eq!([clamp(-1.0), clamp(0.5), clamp(9.0)], [0.0, 0.5, 1.0]);
    assert!(clamp(f64::NAN).is_nan());
    assert_eq!(
        refused("program (a: f32[2], x: f32[3]) {\n z: f32[3] = clamp(a, x, a)\n return z\n}"),
        "line 2, column 14: `clamp` needs bounds that are scalars or have the shape [3], and got f32[2]"
    );
}
