//! Sorting, and the largest elements.

use crate::ops::common::*;

fn sorted(ty: &str, dim: usize, order: &str) -> String {
    format!("program (x: {ty}) {{ y: {ty} = sort[dim={dim}, stable=true, order={order}](x) return y }}")
}

/// The order of JAX programs reversed: a comparison that is a program.
const GREATER: &str = "program (p: f64[], q: f64[]) { %2: bool[] = compare[direction=gt](p, q) return %2 }";

#[test]
fn sort_under_every_transform() {
    for (ty, dim) in [("f64[6]", 0), ("f64[2,5,3]", 1), ("f64[3,1]", 1), ("f64[0]", 0), ("f64[2,0]", 0)] {
        check_op(&sorted(ty, dim, "1"), &[random(ty, 3)]);
        check_op(&sorted(ty, dim, GREATER), &[random(ty, 3)]);
    }
    check_op(&sorted("c128[5]", 0, "1"), &[random("c128[5]", 3)]);
    let text = "program (k: i32[2,6], x: f64[2,6], y: f64[2,6]) {
        a: i32[2,6], b: f64[2,6], c: f64[2,6] = sort[dim=1, stable=true, order=2](k, x, y)
        return a, b, c }";
    let k = tensor("i32[2,6]", &[1., 0., 1., 0., 1., 1., 2., 2., 2., 1., 1., 1.]);
    check_op(text, &[k, random("f64[2,6]", 3), random("f64[2,6]", 4)]);
}

#[test]
fn sort_values() {
    let sort = |ty: &str, x: &[f64]| reals(&eval(&sorted(ty, 0, "1"), &[tensor(ty, x)])[0]);
    let inf = f64::INFINITY;
    let y = sort("f32[6]", &[3.0, -0.0, 0.0, -f64::NAN, f64::NAN, -inf]);
    assert_eq!(y[..4], [-inf, 0.0, 0.0, 3.0]);
    assert!(y[1].is_sign_negative() && y[2].is_sign_positive() && y[4].is_nan() && y[5].is_nan());
    assert_eq!(sort("i8[4]", &[3.0, -128.0, 127.0, -1.0]), [-128.0, -1.0, 3.0, 127.0]);
    assert_eq!(sort("u8[3]", &[200.0, 3.0, 127.0]), [3.0, 127.0, 200.0]);
    assert_eq!(sort("bool[3]", &[1.0, 0.0, 1.0]), [0.0, 1.0, 1.0]);
    assert_eq!(sort("bf16[3]", &[1.0, -2.0, 0.5]), [-2.0, 0.5, 1.0]);
    // Equal keys keep the order of what goes with them.
    let text = "program (k: u8[5], i: i32[5]) {
        a: u8[5], b: i32[5] = sort[dim=0, stable=true, order=1](k, i)
        return a, b }";
    let y = eval(text, &[tensor("u8[5]", &[1., 0., 1., 0., 1.]), tensor("i32[5]", &[0., 1., 2., 3., 4.])]);
    assert_eq!(reals(&y[1]), [1., 3., 0., 2., 4.]);
    // A comparison that is no order still gives a permutation.
    let always = "program (p: f64[], q: f64[]) { %2: bool[] = compare[direction=eq](p, p) return %2 }";
    let mut y = reals(&eval(&sorted("f64[9]", 0, always), &[random("f64[9]", 1)])[0]);
    let mut x = reals(&random("f64[9]", 1));
    x.sort_by(f64::total_cmp);
    y.sort_by(f64::total_cmp);
    assert_eq!(x, y);
}

fn top(ty: &str, to: &str, k: usize) -> String {
    let i = to.trim_start_matches(char::is_alphanumeric);
    format!("program (x: {ty}) {{ v: {to}, i: i32{i} = top_k[k={k}](x) return v, i }}")
}

/// Many equal elements: the first of them come first, as after a stable sort.
#[test]
fn top_k_of_long_rows_is_a_stable_sort() {
    for k in [1, 5, 37, 150, 300] {
        let (ty, to) = ("i32[2,300]", format!("i32[2,{k}]"));
        let x: Vec<f64> = (0..600).map(|i| ((i * 7919) % 1009 % 23) as f64).collect();
        let text = format!("program (x: {ty}) {{ v: {to}, i: {to} = top_k[k={k}](x) return v, i }}");
        let y = eval(&text, &[tensor(ty, &x)]);
        for row in 0..2 {
            let mut at: Vec<usize> = (0..300).collect();
            at.sort_by_key(|i| -x[row * 300 + i] as i64);
            let want: Vec<f64> = at[..k].iter().map(|i| *i as f64).collect();
            assert_eq!(reals(&y[1])[row * k..(row + 1) * k], want);
        }
    }
}

#[test]
fn top_k() {
    for (ty, to, k) in [("f64[6]", "f64[3]", 3), ("f64[2,4]", "f64[2,4]", 4), ("f64[3,2]", "f64[3,0]", 0)] {
        check_op(&top(ty, to, k), &[random(ty, 3)]);
    }
    let run = |ty: &str, n: usize, x: &[f64]| {
        let y = eval(
            &top(&format!("{ty}[{}]", x.len()), &format!("{ty}[{n}]"), n),
            &[tensor(&format!("{ty}[{}]", x.len()), x)],
        );
        (reals(&y[0]), reals(&y[1]))
    };
    let (v, i) = run("f32", 7, &[1.0, f64::NAN, 3.0, -f64::NAN, f64::INFINITY, -0.0, 0.0]);
    assert!(v[0].is_nan() && v[6].is_nan() && v[4].is_sign_positive() && v[5].is_sign_negative());
    assert_eq!(i, [1., 4., 2., 0., 6., 5., 3.]);
    assert_eq!(run("i32", 3, &[5., 1., 5., 7.]), (vec![7., 5., 5.], vec![3., 0., 2.]));
    assert_eq!(run("bool", 3, &[1., 0., 1.]), (vec![1., 1., 0.], vec![0., 2., 1.]));
}

#[test]
fn refusals() {
    for (text, reason) in [
        (sorted("f32[3]", 1, "1"), "axis 1 is out of range"),
        (sorted("f32[3]", 0, "0"), "can't sort 1 operands by 0 of them"),
        (sorted("f32[3]", 0, GREATER), "the comparing program must take f32[] and f32[] and give bool[]"),
        (
            "program (x: f32[3], y: f32[4]) { a: f32[3], b: f32[4] = sort[dim=0, stable=true, order=1](x, y) return a, b }"
                .into(),
            "operands of one shape, and got f32[3] and f32[4]",
        ),
        ("program () { a: f32[3] = sort[dim=0, stable=true, order=1]() return a }".into(), "at least one operand"),
        (top("f32[3]", "f32[4]", 4), "can't take 4 elements along the last axis of f32[3]"),
        (top("f32[]", "f32[1]", 1), "can't take 1 elements along the last axis of f32[]"),
        (top("c64[3]", "c64[1]", 1), "takes types with an order, and got elements of type c64"),
    ] {
        let found = refused(&text);
        assert!(found.contains(reason), "{found}");
    }
}
