//! Ops that give their operands back.

use crate::ops::common::*;
use wengert_core::transform::vjp;
use wengert_eval::run;

#[test]
fn barrier_and_stop_gradient() {
    let text = "program (x: f64[2], y: f64[], n: i32[]) {
      a: f64[2], m: i32[], b: f64[] = barrier(x, n, y)
      %6: f64[2] = sin(a)
      %7: f64[] = exp(b)
      return %6, m, %7
    }";
    check_op(text, &[random("f64[2]", 1), random("f64[]", 2), tensor("i32[]", &[3.0])]);
    let text = "program (x: f64[2]) {
      %1: f64[2] = stop_gradient(x)
      %2: f64[2] = mul(x, %1)
      return %2
    }";
    let p = parse(text);
    let x = tensor("f64[2]", &[3.0, -2.0]);
    check_text(&p);
    check_batch(&p, std::slice::from_ref(&x));
    let y = run(&vjp(&p, &[true]).unwrap(), vec![x.clone(), tensor("f64[2]", &[1.0, 1.0])]).unwrap();
    close(&y[1], &x, 0.0, &|| "x·stop(x)".into());
}
