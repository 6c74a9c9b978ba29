//! Running sums, products, extremes and log-sums.

use crate::ops::common::*;

fn text(ty: &str, kind: &str, dim: usize, reverse: bool) -> String {
    format!(
        "program f(x: {ty}) {{ y: {ty} = cumulative[kind={kind}, dim={dim}, reverse={reverse}](x)
        return y }}"
    )
}

#[test]
fn every_kind_under_every_transform() {
    for kind in ["sum", "prod", "max", "min", "logsumexp"] {
        for (ty, dim) in [("f64[5]", 0), ("f64[2,4,3]", 1), ("f64[3,1]", 1), ("f64[2,0]", 0), ("f64[2,0]", 1)] {
            for reverse in [false, true] {
                check_op(&text(ty, kind, dim, reverse), &[random(ty, 3)]);
            }
        }
    }
    for kind in ["sum", "prod", "max", "min", "logsumexp"] {
        check_op(&text("c128[4]", kind, 0, false), &[random("c128[4]", 5)]);
    }
}

#[test]
fn values() {
    let run =
        |ty: &str, kind: &str, reverse: bool, x: &[f64]| reals(&eval(&text(ty, kind, 0, reverse), &[tensor(ty, x)])[0]);
    assert_eq!(run("i8[3]", "sum", false, &[100.0, 27.0, 1.0]), [100.0, 127.0, -128.0]);
    assert_eq!(run("u8[3]", "prod", true, &[16.0, 16.0, 3.0]), [0.0, 48.0, 3.0]);
    // Rounded at each step, and long ones by blocks, as XLA does it.
    assert_eq!(run("bf16[4]", "sum", false, &[256.0, 1.0, 1.0, 1.0]), [256.0; 4]);
    assert_eq!(run("bf16[3]", "sum", true, &[1.0, 1.0, 256.0]), [258.0, 256.0, 256.0]);
    let long = run("bf16[4096]", "sum", false, &[1.0; 4096]);
    assert_eq!((long[255], long[4095]), (256.0, 4096.0));
    let long = run("i32[1000]", "sum", true, &[1.0; 1000]);
    assert!(long.iter().enumerate().all(|(i, y)| *y == (1000 - i) as f64));
    assert_eq!(run("i32[4]", "max", false, &[1.0, 3.0, 2.0, 4.0]), [1.0, 3.0, 3.0, 4.0]);
    let y = run("f32[3]", "max", false, &[1.0, f64::NAN, 3.0]);
    assert!(y[0] == 1.0 && y[1].is_nan() && y[2].is_nan());
    let inf = f64::INFINITY;
    let y = run("f64[7]", "logsumexp", false, &[-inf, -inf, 1.0, inf, 2.0, f64::NAN, 3.0]);
    assert_eq!(y[..5], [-inf, -inf, 1.0, inf, inf]);
    assert!(y[5].is_nan() && y[6].is_nan());
}

/// Where formulas that divide would fail: products with zeros, ties of logsumexp, to second order.
#[test]
fn derivatives_at_awkward_points() {
    let p = parse(&text("f64[5]", "prod", 0, false));
    check_program(&p, &[tensor("f64[5]", &[2.0, 0.0, 3.0, 0.0, 5.0])]);
    let p = parse(&text("f64[5]", "logsumexp", 0, false));
    check_program(&p, &[tensor("f64[5]", &[1.0; 5])]);
    let back = wengert_core::transform::vjp(&p, &[true]).unwrap();
    let inf = f64::INFINITY;
    let x = tensor("f64[5]", &[-inf, -inf, 1.0, 2.0, -inf]);
    let y = wengert_eval::run(&back, vec![x, tensor("f64[5]", &[0.0, 0.0, 0.0, 0.0, 1.0])]).unwrap();
    let g = reals(&y[1]);
    assert!(g.iter().all(|g| g.is_finite()), "{g:?}");
    assert!((g[3] - 1.0 / (1.0 + (-1f64).exp())).abs() < 1e-12, "{g:?}");
}

#[test]
fn refusals() {
    let because = |ty: &str, kind: &str, dim| refused(&text(ty, kind, dim, false));
    assert!(because("bool[3]", "sum", 0).contains("takes numbers"));
    assert!(because("i32[3]", "logsumexp", 0).contains("floats for logsumexp"));
    assert!(because("f32[3]", "sum", 1).contains("axis 1 is out of range"));
    assert!(because("f32[3]", "median", 0).contains("`median` is not one of sum, prod, max, min, logsumexp"));
}

/// Lines side by side are combined as each is alone.
#[test]
fn many_lines_are_as_one() {
    for (n, reverse) in [(5, false), (16, true), (700, false), (700, true), (5000, false)] {
        let (all, one) = (format!("f32[20,{n}]"), format!("f32[1,{n}]"));
        let x = random(&all, 7);
        let y = reals(&eval(&text(&all, "sum", 1, reverse), std::slice::from_ref(&x))[0]);
        for (row, v) in reals(&x).chunks(n).enumerate() {
            let alone = reals(&eval(&text(&one, "sum", 1, reverse), &[tensor(&one, v)])[0]);
            assert_eq!(y[row * n..(row + 1) * n], alone, "{n} {reverse}");
        }
    }
}
