//! Elementwise ops of one operand, member by member.

use crate::ops::common::*;
use wengert_core::DType;
use wengert_core::ops::Unary;

/// Real arguments inside the domain of an op, away from where it jumps or bends.
fn domain(op: Unary) -> Vec<f64> {
    match op {
        Unary::Acosh => vec![1.3, 2.5, 7.0],
        Unary::Log | Unary::Sqrt | Unary::Rsqrt | Unary::Cbrt | Unary::Lgamma | Unary::Digamma => vec![0.4, 1.7, 3.1],
        Unary::Log1p => vec![-0.4, 0.2, 3.0],
        Unary::Asin | Unary::Acos | Unary::Atanh | Unary::ErfInv => vec![-0.7, 0.1, 0.5],
        _ => vec![-1.3, 0.4, 2.2],
    }
}

#[test]
fn every_unary_op_on_floats() {
    for op in Unary::ALL.iter().filter(|op| op.result(DType::F64).is_ok_and(|d| d == DType::F64)) {
        let text = format!("program (x: f64[3]) {{\n y: f64[3] = {}(x)\n return y\n}}", op.as_str());
        let x = tensor("f64[3]", &domain(*op));
        let y = eval(&text, std::slice::from_ref(&x));
        assert!(reals(&y[0]).iter().all(|y| y.is_finite()), "`{}` needs a line in `domain`", op.as_str());
        check_op(&text, &[x]);
    }
}

#[test]
fn every_unary_op_on_complex_numbers() {
    for op in Unary::ALL {
        let Ok(result) = op.result(DType::C128) else { continue };
        // |x| has a second derivative, but not one that is holomorphic: real steps do not see it.
        let text = format!("program (x: c128[3]) {{\n y: {result}[3] = {}(x)\n return y\n}}", op.as_str());
        check_op(&text, &[random("c128[3]", 5)]);
    }
}
