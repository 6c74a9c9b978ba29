//! Ops that move elements about: values, derivatives and batching.

mod common;
use common::*;

#[test]
fn transpose_and_reshape() {
    check_op(
        "program (x: f64[2,3]) {
          y: f64[3,2] = transpose[perm=[1, 0]](x)
          z: f64[6] = reshape[shape=[6]](y)
          return z
        }",
        &[random("f64[2,3]", 1)],
    );
}
