//! Where the extremes are.

use crate::ops::common::*;

fn arg(extreme: &str, ty: &str, to: &str, dim: usize) -> String {
    let d = to.split('[').next().unwrap();
    format!("program (x: {ty}) {{ y: {to} = arg_reduce[extreme={extreme}, dim={dim}, dtype={d}](x) return y }}")
}

#[test]
fn arg_reduce() {
    for extreme in ["max", "min"] {
        for (ty, to, dim) in [("f64[5]", "i32[]", 0), ("i32[2,4,3]", "i64[2,3]", 1), ("f32[3,0]", "u8[0]", 0)] {
            check_op(&arg(extreme, ty, to, dim), &[random(ty, 3)]);
        }
    }
    let run = |extreme: &str, ty: &str, x: &[f64]| reals(&eval(&arg(extreme, ty, "i32[]", 0), &[tensor(ty, x)])[0])[0];
    let nan = f64::NAN;
    assert_eq!(run("max", "f32[4]", &[1.0, nan, 3.0, nan]), 1.0);
    assert_eq!(run("min", "f32[4]", &[1.0, -nan, 3.0, nan]), 1.0);
    assert_eq!(run("max", "f32[3]", &[-0.0, 0.0, -1.0]), 0.0);
    assert_eq!(run("min", "f32[3]", &[1.0, 0.0, -0.0]), 1.0);
    assert_eq!(run("min", "u8[3]", &[255.0, 0.0, 0.0]), 1.0);
    assert_eq!(run("max", "bool[3]", &[0.0, 1.0, 1.0]), 1.0);
    assert_eq!(run("min", "f16[3]", &[1.0, f64::NEG_INFINITY, f64::INFINITY]), 1.0);
    let x: Vec<f64> = (0..300).map(f64::from).collect();
    assert_eq!(reals(&eval(&arg("max", "f32[300]", "i8[]", 0), &[tensor("f32[300]", &x)])[0]), [43.0]);
}

#[test]
fn refusals() {
    for (text, reason) in [
        (arg("max", "c64[3]", "i32[]", 0), "takes types with an order"),
        (arg("max", "f32[3]", "f32[]", 0), "takes integers for its result"),
        (arg("max", "f32[2,0]", "i32[2]", 1), "something to choose from along axis 1 of f32[2,0]"),
        (arg("mode", "f32[2]", "i32[2]", 1), "`mode` is not one of max, min"),
    ] {
        let found = refused(&text);
        assert!(found.contains(reason), "{found}");
    }
}
