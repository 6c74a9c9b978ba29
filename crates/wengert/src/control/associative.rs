//! `associative_scan`: all running combinations in a logarithmic number of steps.

use super::body::FlatTree;
use crate::array::Array;
use crate::fail::{fail, ok};
use crate::tree::{Tree, mismatch};
use crate::{concatenate, s};
use wengert_core::{Error, Place, Result};

/// The running combinations of the slices along the leading axis, by a function that is associative.
///
/// `f` combines two trees of slices stacked along their leading axes, slice by slice. Unlike [`scan`](crate::scan) it
/// takes a number of steps that grows with the logarithm of the length.
///
/// ```
/// use wengert::{associative_scan, Array};
/// let y = associative_scan(|a: Array, b: Array| a * b, Array::from([1.0f32, 2.0, 3.0, 4.0]), false);
/// assert_eq!(y.to_vec::<f32>(), [1.0, 2.0, 6.0, 24.0]);
/// ```
#[track_caller]
pub fn associative_scan<X: Tree>(f: impl Fn(X, X) -> X, xs: X, reverse: bool) -> X {
    let place = Place::caller();
    let FlatTree { leaves, structure } = FlatTree::new(&xs);
    let length = leaves.first().map_or(0, |x| x.shape().first().copied().unwrap_or(0));
    if let Some(x) = leaves.iter().find(|x| x.shape().first() != Some(&length)) {
        let m = format!("`associative_scan` over {length} slices can't walk along an array of type {}", x.ty());
        fail(Error::shape(m).at(place));
    }
    let combine = |a: Vec<Array>, b: Vec<Array>| -> Result<Vec<Array>> {
        let tree = |v: Vec<Array>| X::unflatten(&structure, &mut v.into_iter());
        let out = FlatTree::new(&f(tree(a), tree(b)));
        if out.structure != structure {
            return Err(mismatch::<X>("operands and result of `associative_scan`", &structure, &out.structure)
                .at(place.clone()));
        }
        Ok(out.leaves)
    };
    let flip = |v: Vec<Array>| match reverse {
        true => v.iter().map(|x| x.get(s![..; -1])).collect(),
        false => v,
    };
    let y = flip(ok(running(&combine, flip(leaves), length)));
    X::unflatten(&structure, &mut y.into_iter())
}

type Combine<'a> = &'a dyn Fn(Vec<Array>, Vec<Array>) -> Result<Vec<Array>>;

/// Neighbours are combined in pairs, the pairs are scanned, and what lies between is filled in from them.
fn running(combine: Combine<'_>, x: Vec<Array>, n: usize) -> Result<Vec<Array>> {
    if n < 2 {
        return Ok(x);
    }
    let part = |v: &[Array], from: usize, to: usize, step: isize| -> Vec<Array> {
        v.iter().map(|x| x.get(s![from..to; step])).collect()
    };
    let pairs = combine(part(&x, 0, n - 1, 2), part(&x, 1, n, 2))?;
    let odd = running(combine, pairs, n / 2)?;
    let filled = combine(part(&odd, 0, (n - 1) / 2, 1), part(&x, 2, n, 2))?;
    let first = part(&x, 0, 1, 1);
    let even = first.into_iter().zip(filled).map(|(a, b)| concatenate(&[a, b], 0));
    Ok(even.zip(&odd).map(|(even, odd)| interleave(&even, odd, n)).collect())
}

/// `even` at positions 0, 2, …, `odd` at 1, 3, ….
fn interleave(even: &Array, odd: &Array, n: usize) -> Array {
    let half = n / 2;
    let column = |x: &Array| {
        let x = x.get(s![0..half]);
        x.reshape(x.shape().with_axis(1, 1))
    };
    let mut shape = even.shape().clone();
    shape.0[0] = half * 2;
    let both = concatenate(&[column(even), column(odd)], 1).reshape(shape);
    if n.is_multiple_of(2) { both } else { concatenate(&[both, even.get(s![half..])], 0) }
}
