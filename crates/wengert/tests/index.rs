//! Indexing, to read and to write, with expected values from NumPy.

#![allow(clippy::reversed_empty_ranges)] // Ranges of indices may go backward.

use wengert::*;

fn x() -> Array {
    Array::from((0..24).collect::<Vec<i32>>()).reshape([2, 3, 4])
}

/// Shape and elements.
fn check(y: Array, shape: &[usize], elements: &[i32]) {
    assert_eq!(&y.shape()[..], shape);
    assert_eq!(y.to_vec::<i32>(), elements);
}

#[test]
fn integers_and_ranges() {
    check(x().get(s![1, 2, 3]), &[], &[23]);
    check(x().get(s![-1, -3]), &[4], &[12, 13, 14, 15]);
    check(x().get(s![.., 1, 1..3]), &[2, 2], &[5, 6, 17, 18]);
    check(x().get(s![0, ..; -1, -1]), &[3], &[11, 7, 3]);
    check(x().get(s![0, 0, 3..0; -2]), &[2], &[3, 1]);
    check(x().get(s![0, 0, 1..=2]), &[2], &[1, 2]);
    check(x().get(s![0, 0, 10..20]), &[0], &[]);
    check(x().get(s![Ellipsis, 0]), &[2, 3], &[0, 4, 8, 12, 16, 20]);
    check(x().get(s![0, NewAxis, .., 0]), &[1, 3], &[0, 4, 8]);
    check(x().get((0, 1, ..)), &[4], &[4, 5, 6, 7]);
}

#[test]
fn arrays_of_integers() {
    let i = Array::from([1, 0, 1]);
    let j = Array::from([2, -1, 0]);
    check(x().get(s![&i, &j, 0]), &[3], &[20, 8, 12]);
    // Side by side: in place.
    check(x().get(s![0, &j]), &[3, 4], &[8, 9, 10, 11, 8, 9, 10, 11, 0, 1, 2, 3]);
    check(x().get(s![.., vec![0, 2], 1]), &[2, 2], &[1, 9, 13, 21]);
    // Apart: in front.
    check(x().get(s![&i, .., vec![0, 1, 2]]), &[3, 3], &[12, 16, 20, 1, 5, 9, 14, 18, 22]);
    // Broadcast together.
    let rows = Array::from([[0], [1]]);
    check(x().get(s![rows, vec![0, 2]]).get(s![.., .., 0]), &[2, 2], &[0, 8, 12, 20]);
    check(x().get(s![0, .., ..; 2]).get(s![vec![2, 0]]), &[2, 2], &[8, 10, 0, 2]);
}

#[test]
fn masks() {
    check(x().get(x().ge(22)), &[2], &[22, 23]);
    check(x().get(s![.., Array::from([true, false, true]), 0]), &[2, 2], &[0, 8, 12, 20]);
}

#[test]
fn traced_indices() {
    let f = jit(|x: Array, i: Array| x.get(s![.., &i, 0]));
    check(f(x(), Array::from([2, 0])), &[2, 2], &[8, 0, 20, 12]);
    check(f(x(), Array::from([-1, 9])), &[2, 2], &[8, 8, 20, 20]);
    let g = jit(|x: Array, i: Array| x.get(&i));
    check(g(x(), Array::from(1)).get((0, 0)), &[], &[12]);
    let h = vmap(|x: Array, i: Array| x.get(i)).in_axes([None, Some(0)]);
    check(h(Array::from([5, 6, 7]), Array::from([2, 0])), &[2], &[7, 5]);
}

#[test]
fn writing() {
    let z = || Array::from([[0; 3]; 2]);
    check(z().at(s![1, 2]).set(5), &[2, 3], &[0, 0, 0, 0, 0, 5]);
    check(z().at(s![.., 1..]).set(5), &[2, 3], &[0, 5, 5, 0, 5, 5]);
    check(z().at(s![.., ..; 2]).set(Array::from([1, 2])), &[2, 3], &[1, 0, 2, 1, 0, 2]);
    check(z().at(s![0, ..; -1]).set(Array::from([1, 2, 3])), &[2, 3], &[3, 2, 1, 0, 0, 0]);
    check(z().at(vec![0, 0, 1]).add(1), &[2, 3], &[2, 2, 2, 1, 1, 1]);
    check(z().at(s![.., vec![2, 0]]).add(Array::from([[1], [2]])), &[2, 3], &[1, 0, 1, 2, 0, 2]);
    check(z().at(s![vec![0, 1], vec![2, 0]]).max(4), &[2, 3], &[0, 0, 4, 4, 0, 0]);
    check(z().at(s![vec![0, 1], 1..]).set(Array::from([[1, 2], [3, 4]])), &[2, 3], &[0, 1, 2, 0, 3, 4]);
    check((z() + 2).at(s![1]).mul(3), &[2, 3], &[2, 2, 2, 6, 6, 6]);
    check((z() + 2).at(s![Ellipsis, 0]).min(1), &[2, 3], &[1, 2, 2, 1, 2, 2]);
    let f = jit(|x: Array| x.at(x.gt(2)).set(0));
    check(f(Array::from([1, 2, 3, 4])), &[4], &[1, 2, 0, 0]);
    let y = Array::from([1, 2, 3, 4]);
    check(y.at(y.gt(2)).add(10), &[4], &[1, 2, 13, 14]);
}

#[test]
fn derivatives_of_reading_and_writing() {
    let v = Array::from([1.0f64, 2.0, 3.0]);
    let g = grad(|x: Array| (x.get(vec![0, 0, 2]) * Array::from([1.0, 10.0, 100.0])).sum(..))(v.clone());
    assert_eq!(g.to_vec::<f64>(), [11.0, 0.0, 100.0]);
    let w = Array::from([5.0, 7.0, 9.0]);
    let f = |x: Array, y: Array| (x.at(s![1..]).set(y) * &w).sum(..);
    let (dx, dy) = grad(f).wrt(All)(v.clone(), Array::from([1.0, 1.0]));
    assert_eq!((dx.to_vec::<f64>(), dy.to_vec::<f64>()), (vec![5.0, 0.0, 0.0], vec![7.0, 9.0]));
    let (dx, dy) =
        grad(|x: Array, y: Array| (x.at(vec![2, 2]).add(y) * &w).sum(..)).wrt(All)(v, Array::from([1.0, 1.0]));
    assert_eq!((dx.to_vec::<f64>(), dy.to_vec::<f64>()), (vec![5.0, 7.0, 9.0], vec![9.0, 9.0]));
}

#[test]
fn mistakes() {
    let message = |f: &dyn Fn() -> Array| try_run(f).unwrap_err().message().to_string();
    assert_eq!(message(&|| x().get(2)), "index 2 is out of range for axis 0 of an array of shape [2,3,4]");
    assert_eq!(message(&|| x().get(s![0, 0, 0, 0])), "4 indices for an array of shape [2,3,4]");
    assert_eq!(message(&|| x().get(vec![0, 5])), "index 5 is out of range for axis 0 of an array of shape [2,3,4]");
    assert_eq!(
        message(&|| x().get(Array::from([0.5f32]))),
        "an array of type f32[1] can't be an index: integers and bools can"
    );
    assert_eq!(
        message(&|| x().get(Array::from([true, false, true]))),
        "a mask of shape [3] does not fit axis 0 and on of an array of shape [2,3,4]"
    );
    assert_eq!(
        message(&|| x().at(0).set(Array::from([1, 2, 3]))),
        "a value of shape [3] can't be written to a part of shape [3,4]"
    );
    assert!(message(&|| jit(|x: Array| x.get(x.gt(0)))(x())).contains("read as a mask"));
}
