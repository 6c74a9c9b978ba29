//! Ops over a named axis: mapped over it, over another axis, and under derivatives. Values are JAX's.

use crate::ops::common::*;
use wengert_core::Tensor;
use wengert_core::transform::{batch, vjp};
use wengert_eval::run;

/// Checks the results of a program mapped over axis `i`, for an operand that is mapped, and one that is the same for
/// all members.
#[track_caller]
fn check_axis(op: &str, each: &str, out: &str, x: &[f64], mapped: &[f64], same: &[f64]) {
    let text = format!("program (x: {each}) {{\n  y: {out} = {op}(x)\n  return y\n}}\n");
    let p = parse(&text);
    check_text(&p);
    let n = mapped.len() / tensor_size(out);
    for (on, expected) in [(true, mapped), (false, same)] {
        let (over, _) = batch(&p, n, Some("i"), &[on], &[true]).unwrap();
        let x = if on { wide(each, n, x) } else { wide(each, 1, &x[..tensor_size(each)]).reshaped(shape(each)) };
        assert_eq!(reals(&run(&over, vec![x]).unwrap()[0]), expected, "{over}");
    }
    let e = run(&p, vec![random(each, 1)]).unwrap_err().to_string();
    assert!(e.contains("axis `i` is not bound"), "{e}");

    // Over another axis it is the same for each member: batching first by it and then by `i`, or the other way round.
    let (other, _) = batch(&p, 2, Some("j"), &[true], &[true]).unwrap();
    let (over, _) = batch(&other, n, Some("i"), &[true], &[true]).unwrap();
    let both: Vec<f64> = (0..n)
        .flat_map(|m| {
            let s = tensor_size(each);
            let row = x[m * s..(m + 1) * s].to_vec();
            [row.clone(), row.iter().map(|x| 2.0 * x).collect()].concat()
        })
        .collect();
    let shape_both = shape(each).with_axis(0, 2).with_axis(0, n);
    let found = reals(&run(&over, vec![Tensor::new(shape_both, both).unwrap()]).unwrap()[0]);
    let s = tensor_size(out);
    for m in 0..n {
        for k in 0..s {
            let at = |j: usize| found[(m * 2 + j) * s + k];
            assert_eq!((at(0), at(1)), (mapped[m * s + k], 2.0 * mapped[m * s + k]), "{over}");
        }
    }
}

fn shape(of: &str) -> wengert_core::Shape {
    random(of, 0).shape().clone()
}

fn tensor_size(of: &str) -> usize {
    shape(of).size()
}

fn wide(of: &str, n: usize, x: &[f64]) -> Tensor {
    Tensor::new(shape(of).with_axis(0, n), x.to_vec()).unwrap()
}

#[test]
fn reductions() {
    let op = |r: &str| format!("all_reduce[axis=\"i\", size=3, reduction={r}]");
    let x = [1.0, 5.0, 2.0, 3.0, 4.0, -1.0];
    check_axis(&op("add"), "f64[2]", "f64[2]", &x, &[7.0, 7.0, 7.0, 7.0, 7.0, 7.0], &[3.0, 15.0, 3.0, 15.0, 3.0, 15.0]);
    check_axis(&op("max"), "f64[2]", "f64[2]", &x, &[4.0, 5.0, 4.0, 5.0, 4.0, 5.0], &[1.0, 5.0, 1.0, 5.0, 1.0, 5.0]);
    check_axis(&op("min"), "f64[2]", "f64[2]", &x, &[1.0, -1.0, 1.0, -1.0, 1.0, -1.0], &[1.0, 5.0, 1.0, 5.0, 1.0, 5.0]);
}

#[test]
fn exchanges() {
    let at = |op: &str| format!("{op}[axis=\"i\", size=2]");
    let x = [1.0, 2.0, 3.0, 4.0];
    let twice = |x: [f64; 4]| [x, x].concat();
    check_axis(&at("all_gather"), "f64[2]", "f64[2,2]", &x, &twice(x), &twice([1.0, 2.0, 1.0, 2.0]));
    check_axis(&at("reduce_scatter"), "f64[2]", "f64[]", &x, &[4.0, 6.0], &[2.0, 4.0]);
    check_axis(&at("all_to_all"), "f64[2]", "f64[2]", &x, &[1.0, 3.0, 2.0, 4.0], &[1.0, 1.0, 2.0, 2.0]);
    let op = "collective_permute[axis=\"i\", size=3, pairs=[(0, 1), (2, 0)]]";
    check_axis(op, "f64[]", "f64[]", &x[..3], &[3.0, 1.0, 0.0], &[1.0, 1.0, 0.0]);
}

#[test]
fn index() {
    let p = parse("program () {\n  i: i32[] = axis_index[axis=\"i\", size=3]()\n  return i\n}\n");
    let (over, which) = batch(&p, 3, Some("i"), &[], &[false]).unwrap();
    assert_eq!(which, [true]);
    assert_eq!(reals(&run(&over, vec![]).unwrap()[0]), [0.0, 1.0, 2.0]);
    let e = batch(&p, 4, Some("i"), &[], &[true]).unwrap_err().to_string();
    assert!(e.contains("size 3") && e.contains("4 members"), "{e}");
}

/// The gradient of each member's first result, and the gradient of the sum over members, are the same: what a member
/// gets from others it gives back to them.
#[test]
fn derivatives() {
    let cases = [
        ("all_reduce[axis=\"i\", size=4, reduction=add]", [8.0, 16.0, 24.0, 32.0]),
        ("all_reduce[axis=\"i\", size=4, reduction=max]", [0.0, 0.0, 0.0, 32.0]),
        ("collective_permute[axis=\"i\", size=4, pairs=[(0, 1), (1, 2), (2, 3), (3, 0)]]", [2.0, 4.0, 6.0, 8.0]),
        ("collective_permute[axis=\"i\", size=4, pairs=[(0, 1)]]", [2.0, 0.0, 0.0, 0.0]),
    ];
    let x = tensor("f64[4]", &[1.0, 2.0, 3.0, 4.0]);
    let ones = tensor("f64[4]", &[1.0; 4]);
    for (op, expected) in cases {
        let text = format!("program (x: f64[]) {{\n  %1: f64[] = mul(x, x)\n  y: f64[] = {op}(%1)\n  return y\n}}\n");
        let p = parse(&text);
        let back = vjp(&p, &[true]).unwrap();
        let (inside, _) = batch(&back, 4, Some("i"), &[true, true], &[true; 2]).unwrap();
        let (over, _) = batch(&p, 4, Some("i"), &[true], &[true]).unwrap();
        let outside = vjp(&over, &[true]).unwrap();
        for p in [inside, outside] {
            assert_eq!(reals(&run(&p, vec![x.clone(), ones.clone()]).unwrap()[1]), expected, "{p}");
        }
        check_op(&over.to_text(), std::slice::from_ref(&x));
    }
    let gather = "program (x: f64[]) {
      %1: f64[] = mul(x, x)
      y: f64[4] = all_gather[axis=\"i\", size=4](%1)
      z: f64[4] = all_to_all[axis=\"i\", size=4](y)
      s: f64[] = reduce_scatter[axis=\"i\", size=4](z)
      return s
    }";
    let back = vjp(&parse(gather), &[true]).unwrap();
    let (inside, _) = batch(&back, 4, Some("i"), &[true, true], &[true; 2]).unwrap();
    assert_eq!(reals(&run(&inside, vec![x, ones]).unwrap()[1]), [8.0, 16.0, 24.0, 32.0]);
}

/// Members that talk inside loops and branches, among them one whose length they agree on.
#[test]
fn within_programs() {
    let text = "program (x: f64[]) {
      y: f64[] = while[consts=0, cond=program (x: f64[]) {
        m: f64[] = all_reduce[axis=\"i\", size=2, reduction=max](x)
        p: bool[] = compare[direction=lt](m, 10.0:f64[])
        return p
      }, body=program (x: f64[]) {
        s: f64[] = all_reduce[axis=\"i\", size=2, reduction=add](x)
        y: f64[] = add(x, s)
        return y
      }](x)
      i: i32[] = axis_index[axis=\"i\", size=2]()
      z: f64[] = cond[branches=[program (y: f64[]) {
        return y
      }, program (y: f64[]) {
        s: f64[] = all_reduce[axis=\"i\", size=2, reduction=add](y)
        return s
      }]](i, y)
      return z
    }";
    let (over, _) = batch(&parse(text), 2, Some("i"), &[true], &[true]).unwrap();
    let x = tensor("f64[2]", &[1.0, 2.0]);
    // (1, 2) → (4, 5) → (13, 14); the second member gets the sum.
    assert_eq!(reals(&run(&over, vec![x.clone()]).unwrap()[0]), [13.0, 27.0]);
    check_op(&over.to_text(), &[x]);
}
