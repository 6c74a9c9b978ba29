//! `associative_scan`: all running combinations in a logarithmic number of steps.

use super::body::FlatTree;
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::{fail, ok};
use crate::tree::{Tree, mismatch};
use wengert_core::ops::{Concatenate, Reshape, Reverse, Slice};
use wengert_core::{Error, Op, Place, Result, Type};

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
        let types: Vec<Type> = a.iter().map(Array::ty).collect();
        let tree = |v: Vec<Array>| X::unflatten(&structure, &mut v.into_iter());
        let out = FlatTree::new(&f(tree(a), tree(b)));
        if out.structure != structure {
            return Err(mismatch::<X>("operands and result of `associative_scan`", &structure, &out.structure)
                .at(place.clone()));
        }
        match types.iter().zip(&out.leaves).find(|(wanted, got)| **wanted != got.ty()) {
            None => Ok(out.leaves),
            Some((wanted, got)) => {
                let m = format!(
                    "the function of `associative_scan` must give what it is given, {wanted}, and gave {}",
                    got.ty()
                );
                let note =
                    "what to do: it combines many slices at once, stacked along the first axis, each with its own";
                Err(Error::shape(m).at(place.clone()).note(note))
            }
        }
    };
    let steps = Steps { combine: &combine, place: &place };
    let flip = |v: Vec<Array>| match reverse {
        true => v.iter().map(|x| steps.one(Reverse { dims: [0].as_slice().into() }, &[x])).collect(),
        false => Ok(v),
    };
    let y = ok(flip(leaves).and_then(|x| steps.running(x, length)).and_then(flip));
    X::unflatten(&structure, &mut y.into_iter())
}

type Combine<'a> = &'a dyn Fn(Vec<Array>, Vec<Array>) -> Result<Vec<Array>>;

/// What combines slices, and the place of the user's call, which all ops here have.
struct Steps<'a> {
    combine: Combine<'a>,
    place: &'a Place,
}

impl Steps<'_> {
    fn one(&self, op: impl Into<Op>, x: &[&Array]) -> Result<Array> {
        Ok(try_bind(op.into(), x, self.place.clone())?.remove(0))
    }

    /// Slices `from`, `from + step`, … before `to`.
    fn slices(&self, x: &Array, from: usize, to: usize, step: usize) -> Result<Array> {
        let rank = x.rank();
        let (mut start, mut limit, mut strides) = (vec![0; rank], x.shape().to_vec(), vec![1; rank]);
        (start[0], limit[0], strides[0]) = (from, to, step);
        self.one(Slice { start: start.into(), limit: limit.into(), strides: strides.into() }, &[x])
    }

    fn all_slices(&self, v: &[Array], from: usize, to: usize, step: usize) -> Result<Vec<Array>> {
        v.iter().map(|x| self.slices(x, from, to, step)).collect()
    }

    fn joined(&self, x: &[&Array], dim: usize) -> Result<Array> {
        self.one(Concatenate { dim }, x)
    }

    /// Neighbours are combined in pairs, the pairs are scanned, and what lies between is filled in from them.
    fn running(&self, x: Vec<Array>, n: usize) -> Result<Vec<Array>> {
        if n < 2 {
            return Ok(x);
        }
        let pairs = (self.combine)(self.all_slices(&x, 0, n - 1, 2)?, self.all_slices(&x, 1, n, 2)?)?;
        let odd = self.running(pairs, n / 2)?;
        let filled = (self.combine)(self.all_slices(&odd, 0, (n - 1) / 2, 1)?, self.all_slices(&x, 2, n, 2)?)?;
        let first = self.all_slices(&x, 0, 1, 1)?;
        let even = first.iter().zip(&filled).map(|(a, b)| self.joined(&[a, b], 0));
        even.zip(&odd).map(|(even, odd)| self.interleaved(&even?, odd, n)).collect()
    }

    /// `even` at positions 0, 2, …, `odd` at 1, 3, ….
    fn interleaved(&self, even: &Array, odd: &Array, n: usize) -> Result<Array> {
        let half = n / 2;
        let column = |x: &Array| {
            let x = self.slices(x, 0, half, 1)?;
            let shape = x.shape().with_axis(1, 1);
            self.one(Reshape { shape }, &[&x])
        };
        let mut shape = even.shape().clone();
        shape.0[0] = half * 2;
        let both = self.joined(&[&column(even)?, &column(odd)?], 1)?;
        let both = self.one(Reshape { shape }, &[&both])?;
        match n.is_multiple_of(2) {
            true => Ok(both),
            false => self.joined(&[&both, &self.slices(even, half, even.shape()[0], 1)?], 0),
        }
    }
}
