//! Slices at computed positions: values against loops over indices, derivatives, batching, errors.

use crate::ops::common::*;
use wengert_core::ops::DynamicUpdateSlice;
use wengert_core::{Scalar, Tensor};
use wengert_eval::run_op;

/// The element of a row-major array at an index.
fn at<T: Copy>(v: &[T], shape: &[usize], index: &[usize]) -> T {
    v[index.iter().zip(shape).fold(0, |p, (i, n)| p * n + i)]
}

#[test]
fn dynamic_slice() {
    let shape = [4, 5];
    let x = random("f64[4,5]", 1);
    let text = "program (x: f64[4,5], i: i32[], j: i32[]) {
      y: f64[2,3] = dynamic_slice[sizes=[2, 3]](x, i, j)
      return y
    }";
    for i in -1..5 {
        for j in -1..6 {
            let y = eval(text, &[x.clone(), tensor("i32[]", &[i as f64]), tensor("i32[]", &[j as f64])]);
            let (i, j) = (i.clamp(0, 2) as usize, j.clamp(0, 2) as usize);
            let expected: Vec<f64> =
                indices(&[2, 3]).iter().map(|k| at(&reals(&x), &shape, &[i + k[0], j + k[1]])).collect();
            assert_eq!(reals(&y[0]), expected);
        }
    }
    check_op(text, &[x, tensor("i32[]", &[1.0]), tensor("i32[]", &[0.0])]);
    check_op("program (x: f64[]) { y: f64[] = dynamic_slice[sizes=[]](x) return y }", &[random("f64[]", 1)]);
    // An unsigned start past all limits.
    let y = eval(
        "program (x: i8[4], i: u64[]) { y: i8[3] = dynamic_slice[sizes=[3]](x, i) return y }",
        &[tensor("i8[4]", &[1., 2., 3., 4.]), Tensor::scalar(u64::MAX)],
    );
    assert_eq!(reals(&y[0]), [2., 3., 4.]);
}

#[test]
fn dynamic_update_slice() {
    let text = "program (x: f64[3,4], u: f64[2,2], i: u8[], j: u8[]) {
      y: f64[3,4] = dynamic_update_slice(x, u, i, j)
      return y
    }";
    let inputs = [random("f64[3,4]", 1), random("f64[2,2]", 2), tensor("u8[]", &[9.0]), tensor("u8[]", &[1.0])];
    let y = eval(text, &inputs);
    for k in indices(&[3, 4]) {
        let inside = (1..3).contains(&k[0]) && (1..3).contains(&k[1]);
        let expected = match inside {
            true => at(&reals(&inputs[1]), &[2, 2], &[k[0] - 1, k[1] - 1]),
            false => at(&reals(&inputs[0]), &[3, 4], &k),
        };
        assert_eq!(at(&reals(&y[0]), &[3, 4], &k), expected);
    }
    check_op(text, &[&inputs[..3], &[tensor("u8[]", &[1.0])]].concat());
    // A start type that can't count to the limits.
    check_op(
        "program (x: f64[300], u: f64[2], i: i8[]) { y: f64[300] = dynamic_update_slice(x, u, i) return y }",
        &[random("f64[300]", 1), random("f64[2]", 2), tensor("i8[]", &[5.0])],
    );
}

#[test]
fn an_array_nothing_else_holds_is_updated_in_place() {
    let address = |t: &Tensor| t.elements::<f32>().as_ptr();
    let x = Tensor::new([8], vec![0f32; 8]).unwrap();
    let (before, shared) = (address(&x), x.clone());
    let update = |x: Tensor| {
        let one = Tensor::splat([2], Scalar::F32(1.0));
        let y = run_op(&DynamicUpdateSlice {}.into(), vec![x, one, Tensor::scalar(5i32)]).unwrap().remove(0);
        assert_eq!(y.to_vec::<f32>().unwrap(), [0., 0., 0., 0., 0., 1., 1., 0.]);
        y
    };
    assert_ne!(address(&update(x)), before);
    assert_eq!(shared.get(5), Scalar::F32(0.0));
    assert_eq!(address(&update(shared)), before);
}

#[test]
fn mistakes() {
    for (text, expected) in [
        (
            "program (x: f32[2], i: f32[]) { y: f32[1] = dynamic_slice[sizes=[1]](x, i) return y }",
            "takes integers for its starts, and got elements of type f32",
        ),
        (
            "program (x: f32[2], i: i32[1]) { y: f32[1] = dynamic_slice[sizes=[1]](x, i) return y }",
            "needs scalars for its starts, and got i32[1]",
        ),
        (
            "program (x: f32[2]) { y: f32[1] = dynamic_slice[sizes=[1]](x) return y }",
            "needs one start for each of the 1 axes of f32[2], and got 0",
        ),
        (
            "program (x: f32[2], u: f32[3], i: i32[]) { y: f32[2] = dynamic_update_slice(x, u, i) return y }",
            "a slice of shape [3] does not fit in f32[2]",
        ),
    ] {
        let message = refused(text);
        assert!(message.contains(expected), "{message}");
    }
}
