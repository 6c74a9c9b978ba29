//! Arrays from nothing.

use crate::ops::common::*;

#[test]
fn counting() {
    check_op(
        "program (x: f64[2,3]) { i: f64[2,3] = iota[ty=f64[2,3], dim=1]() y: f64[2,3] = mul(x, i) return y }",
        &[random("f64[2,3]", 5)],
    );
}
