//! Solutions with the derivatives of their equation.

use crate::ops::common::*;
use wengert_core::transform::{batch, jvp, vjp};
use wengert_eval::run;

/// `a·x + y = p`, `3·y = q`.
const LINEAR_SOLVE: &str = "program (a: f64[2], p: f64[2], q: f64[2]) {
  x: f64[2], y: f64[2] = linear_solve[solve=program (a: f64[2], p: f64[2], q: f64[2]) {
    y: f64[2] = div(q, 3.0:f64[2])
    %4: f64[2] = sub(p, y)
    x: f64[2] = div(%4, a)
    return x, y
  }, matvec=program (a: f64[2], x: f64[2], y: f64[2]) {
    %3: f64[2] = mul(a, x)
    p: f64[2] = add(%3, y)
    q: f64[2] = mul(y, 3.0:f64[2])
    return p, q
  }, transpose_solve=program (a: f64[2], p: f64[2], q: f64[2]) {
    x: f64[2] = div(p, a)
    %4: f64[2] = sub(q, x)
    y: f64[2] = div(%4, 3.0:f64[2])
    return x, y
  }, shared=1](a, p, q)
  return x, y
}";

#[test]
fn linear_solve() {
    check_op(LINEAR_SOLVE, &[tensor("f64[2]", &[1.5, -2.0]), random("f64[2]", 1), random("f64[2]", 2)]);
}

#[test]
fn linear_solve_backward_needs_a_transposed_solver() {
    let start = LINEAR_SOLVE.find("transpose_solve=").expect("it has one");
    let end = LINEAR_SOLVE.find(", shared").expect("and what is shared");
    let p = parse(&format!("{}transpose_solve=none{}", &LINEAR_SOLVE[..start], &LINEAR_SOLVE[end..]));
    check_text(&p);
    let x = [tensor("f64[2]", &[1.5, -2.0]), random("f64[2]", 1), random("f64[2]", 2)];
    check_batch(&p, &x);
    jvp(&p, &[true; 3]).unwrap();
    let e = vjp(&p, &[true; 3]).unwrap_err().to_string();
    assert!(e.contains("transposed system") && e.contains("custom_linear_solve"), "{e}");
}

/// The positive `x` with `x² = a`; what the solver does to its guess has no derivative.
const ROOT: &str = "program (a: f64[2], guess: f64[2]) {
  x: f64[2] = root[solve=program (a: f64[2], guess: f64[2]) {
    %2: f64[2] = sqrt(a)
    %3: f64[2] = sign(guess)
    %4: f64[2] = abs(%3)
    x: f64[2] = mul(%2, %4)
    return x
  }, f=program (a: f64[2], x: f64[2]) {
    %2: f64[2] = mul(x, x)
    y: f64[2] = sub(%2, a)
    return y
  }, tangent_solve=program (a: f64[2], x: f64[2], y: f64[2]) {
    %3: f64[2] = add(x, x)
    v: f64[2] = div(y, %3)
    return v
  }, shared=1](a, guess)
  return x
}";

#[test]
fn root() {
    check_op(ROOT, &[tensor("f64[2]", &[1.5, 4.0]), tensor("f64[2]", &[1.0, 2.0])]);
}

#[test]
fn solutions_that_depend_on_no_batch_are_not_batched() {
    let p = parse(ROOT);
    let (p, batched) = batch(&p, 3, None, &[false, false], &[false]).unwrap();
    assert_eq!(batched, [false]);
    let x = run(&p, vec![tensor("f64[2]", &[9.0, 4.0]), tensor("f64[2]", &[1.0, 1.0])]).unwrap();
    assert_eq!(reals(&x[0]), [3.0, 2.0]);
}

#[test]
fn what_does_not_fit_is_said() {
    let refused = |text: &str, said: &str| {
        let e = wengert_core::Program::parse(text).unwrap_err().to_string();
        assert!(e.contains(said), "{e}");
    };
    refused(&LINEAR_SOLVE.replace("shared=1", "shared=9"), "shares 9 operands, and has 3");
    refused(&LINEAR_SOLVE.replace("shared=1", "shared=2"), "must give");
    refused(&LINEAR_SOLVE.replace("return p, q", "return p"), "the linear function must give");
    refused(&ROOT.replace("v: f64[2] = div(y, %3)\n    return v", "return"), "the solver of tangents must give");
    refused(&LINEAR_SOLVE.replace("f64", "i32").replace("3.0", "3"), "floats or complex numbers");
}
