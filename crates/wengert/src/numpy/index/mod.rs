//! Indexing: integers, ranges with steps, ellipsis, new axes, and arrays of integers or bools, to read and to write.

mod apply;
mod resolve;

use super::operators::{Operand, broadcast_to, convert};
use crate::array::Array;
use crate::fail::ok;
use crate::watch;
use apply::Writing;
use resolve::resolve;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};
use wengert_core::ops::{Broadcast, Combiner, Update};
use wengert_core::{DType, Error, Place, Result};

/// One part of an index; see [`s!`](crate::s).
#[derive(Clone, Debug)]
pub enum Index {
    /// One position; negative ones count from the end. The axis disappears.
    At(isize),
    /// A range with a step; ends may be left open, negative ones count from the end.
    Range(Option<isize>, Option<isize>, isize),
    /// As many whole axes as are needed.
    Ellipsis,
    /// A new axis of size 1.
    NewAxis,
    /// Positions that stand in the code, as `At` has them: `[2, 0]`, `vec![2, 0]`.
    List(Vec<isize>),
    /// Integers that choose positions, or bools that choose elements.
    Array(Array),
}

/// As many whole axes as are needed: NumPy's `...`.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis;

/// A new axis of size 1.
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;

impl Index {
    /// The same range with a step.
    ///
    /// ```
    /// use wengert::{Array, Index};
    /// let x = Array::from([0, 1, 2, 3, 4]);
    /// assert_eq!(x.get(Index::from(1..).step(2)).to_vec::<i32>(), [1, 3]);
    /// ```
    #[track_caller]
    pub fn step(self, step: isize) -> Index {
        match self {
            Index::Range(a, b, _) if step != 0 => Index::Range(a, b, step),
            other => crate::fail::fail(
                Error::shape(format!("{other:?} can't be walked in steps of {step}")).at(Place::caller()),
            ),
        }
    }
}

macro_rules! index {
    ($($from:ty, |$x:ident| $to:expr;)*) => {$(
        impl From<$from> for Index {
            fn from($x: $from) -> Index {
                $to
            }
        }
    )*};
}
/// An array of Rust, whose length is part of its type.
macro_rules! single_of_any_length {
    ($t:ty) => {
        impl<const N: usize> IntoIndices for [$t; N] {
            fn indices(self) -> Vec<Index> {
                vec![self.into()]
            }
        }
    };
}
macro_rules! integer_index {
    ($($t:ty)*) => { index! {$(
        $t, |i| Index::At(i as isize);
        Range<$t>, |r| Index::Range(Some(r.start as isize), Some(r.end as isize), 1);
        RangeFrom<$t>, |r| Index::Range(Some(r.start as isize), None, 1);
        RangeTo<$t>, |r| Index::Range(None, Some(r.end as isize), 1);
        RangeInclusive<$t>, |r| {
            let end = *r.end() as isize + 1;
            Index::Range(Some(*r.start() as isize), (end != 0).then_some(end), 1)
        };
        Vec<$t>, |v| Index::from(&v[..]);
        &[$t], |v| Index::List(v.iter().map(|&i| i as isize).collect());
    )*} $(
        impl<const N: usize> From<[$t; N]> for Index {
            fn from(v: [$t; N]) -> Index {
                Index::from(&v[..])
            }
        }
        single_of_any_length!($t);
    )* };
}
integer_index!(i32 i64 isize usize);
index! {
    RangeFull, |_r| Index::Range(None, None, 1);
    Ellipsis, |_e| Index::Ellipsis;
    NewAxis, |_n| Index::NewAxis;
    Array, |x| Index::Array(x);
    &Array, |x| Index::Array(x.clone());
    Vec<bool>, |v| Index::Array(v.into());
    &[bool], |v| Index::Array(v.into());
}
impl<const N: usize> From<[bool; N]> for Index {
    fn from(v: [bool; N]) -> Index {
        Index::Array(v.into())
    }
}
single_of_any_length!(bool);

/// What can stand between the brackets: one index, a tuple of them, or what [`s!`](crate::s) makes.
pub trait IntoIndices {
    /// The parts in order.
    fn indices(self) -> Vec<Index>;
}

impl IntoIndices for Vec<Index> {
    fn indices(self) -> Vec<Index> {
        self
    }
}
macro_rules! single {
    ($($t:ty)*) => {$(
        impl IntoIndices for $t {
            fn indices(self) -> Vec<Index> {
                vec![self.into()]
            }
        }
    )*};
}
single!(i32 isize usize Range<i32> Range<isize> Range<usize> RangeFrom<i32> RangeFrom<isize> RangeFrom<usize>
    RangeTo<i32> RangeTo<isize> RangeTo<usize> RangeFull Ellipsis NewAxis Array &Array Index
    Vec<i32> Vec<i64> Vec<isize> Vec<usize> Vec<bool> &[i32] &[i64] &[isize] &[usize] &[bool]);
macro_rules! several {
    ($($T:ident)*) => {
        impl<$($T: Into<Index>),*> IntoIndices for ($($T,)*) {
            #[allow(non_snake_case)]
            fn indices(self) -> Vec<Index> {
                let ($($T,)*) = self;
                vec![$($T.into()),*]
            }
        }
    };
}
several!(A);
several!(A B);
several!(A B C);
several!(A B C D);
several!(A B C D E);
several!(A B C D E F);

/// An index of several parts, with steps after a semicolon: `s![0, 1..5; 2, .., -1, NewAxis, Ellipsis, &rows]`.
///
/// ```
/// use wengert::{s, Array, NewAxis};
/// let x = Array::from([[0, 1, 2, 3], [4, 5, 6, 7]]);
/// assert_eq!(x.get(s![1, ..; 2]).to_vec::<i32>(), [4, 6]);
/// assert_eq!(x.get(s![.., ..; -1]).to_vec::<i32>()[..4], [3, 2, 1, 0]);
/// assert_eq!(x.get(s![NewAxis, 0]).shape()[..], [1, 4]);
/// ```
#[macro_export]
macro_rules! s {
    ($($i:expr $(; $step:expr)?),* $(,)?) => {
        vec![$($crate::Index::from($i)$(.step($step))?),*]
    };
}

impl Array {
    /// Part of the array; see [`s!`](crate::s) for what an index can be. Of positions in index arrays that are not there, the
    /// nearest is meant; [`At::mode`] says otherwise.
    ///
    /// ```
    /// # use wengert::{s, Array};
    /// let x = Array::from([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.get(1).to_vec::<i32>(), [4, 5, 6]);
    /// assert_eq!(x.get((.., -1)).to_vec::<i32>(), [3, 6]);
    /// assert_eq!(x.get(s![.., vec![2, 0]]).to_vec::<i32>(), [3, 1, 6, 4]);
    /// assert_eq!(x.get((1, [2, 0])).to_vec::<i32>(), [6, 4]);
    /// assert_eq!(x.get([false, true]).to_vec::<i32>(), [4, 5, 6]);
    /// assert_eq!(x.get(&x.gt(3)).to_vec::<i32>(), [4, 5, 6]);
    /// ```
    #[track_caller]
    pub fn get(&self, index: impl IntoIndices) -> Array {
        let place = Place::caller();
        let index = index.indices();
        let at = match index[..] {
            [Index::At(i)] => Some(i),
            _ => None,
        };
        ok(resolve(self, index, &place).and_then(|r| r.get(self, None, &place)).map_err(|e| {
            let e = e.at(place.clone());
            at.iter().fold(e, |e, i| watch::failed_call("get", &[self], Some(&i.to_string()), &place, e))
        }))
    }

    /// The array with part of it changed: `x.at(i).set(v)`, `.add(v)`, `.mul(v)`, `.min(v)`, `.max(v)`.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1.0f32, 2.0, 3.0]);
    /// assert_eq!(x.at(0).set(9.0).to_vec::<f32>(), [9.0, 2.0, 3.0]);
    /// assert_eq!(x.at(Array::from([1, 1])).add(1.0).to_vec::<f32>(), [1.0, 4.0, 3.0]);
    /// ```
    pub fn at(&self, index: impl IntoIndices) -> At<'_> {
        At { array: self, index: index.indices(), mode: None, unique: false }
    }
}

/// Part of an array to be changed; see [`Array::at`].
#[derive(Clone, Debug)]
pub struct At<'a> {
    array: &'a Array,
    index: Vec<Index>,
    mode: Option<IndexMode>,
    unique: bool,
}

/// What positions in index arrays mean that are not there. Positions in the code itself, as in `x.get(7)`, are an error then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexMode {
    /// The nearest that is there.
    Clip,
    /// NaN is read (of integers the smallest, of unsigned ones the largest), and nothing written. `WENGERT_CHECK=nan` takes such a
    /// NaN for what was asked for.
    Fill,
    /// The same as `Fill`.
    Drop,
}

impl At<'_> {
    fn update(self, update: Update, value: Operand, place: Place) -> Result<Array> {
        let x = self.array;
        // A mask that is the whole index keeps the shape, so it need not be known.
        if let [Index::Array(m)] = &self.index[..]
            && m.dtype() == DType::Bool
            && m.is_traced()
            && x.shape().starts_with(m.shape())
        {
            let one = convert(&value.clone().array(x.dtype())?, x.dtype(), &place)?;
            // Of a mask of leading axes, one value for each element that it may choose.
            let is_one = m.rank() == x.rank() || one.rank() <= x.rank() - m.rank();
            match is_one.then(|| broadcast_to(&one, x.shape(), &place)) {
                Some(Ok(value)) => return masked(x, m, &update, value, &place),
                _ if m.value().is_some() => {}
                _ => {
                    let m = format!(
                        "how many elements a traced mask {} chooses is not known, and values of shape {} are one for each",
                        m.shape(),
                        one.shape()
                    );
                    let todo = "what to do: `where_(mask, values, x)`, with values of the shape of `x` or one for all";
                    return Err(Error::shape(m).at(place).note(todo));
                }
            }
        }
        let how = Writing { update, mode: self.mode, unique: self.unique };
        resolve(x, self.index, &place).and_then(|r| r.put(x, &how, value, &place)).map_err(|e| e.at(place))
    }
}

/// An array changed where a mask of its leading axes holds, by a value for each of its elements.
fn masked(x: &Array, m: &Array, update: &Update, value: Array, place: &Place) -> Result<Array> {
    let changed = match update {
        Update::Set => value,
        Update::Combine(c) => {
            let op = c.binary().expect("only named combiners are offered");
            apply::one(op.into(), &[x, &value], place)?
        }
    };
    let whole = Broadcast { shape: x.shape().clone(), dims: (0..m.rank()).collect() };
    let m = if m.rank() == x.rank() { m.clone() } else { apply::one(whole.into(), &[m], place)? };
    Ok(crate::where_(&m, changed, x))
}

macro_rules! updates {
    ($($name:ident $update:expr, $what:literal: $value:expr;)*) => {
        // The names of JAX's updates, which are also those of operators.
        #[allow(clippy::should_implement_trait)]
        impl At<'_> {
            $(#[doc = $what]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let x = Array::from([1, 2, 3]).at(1..).", stringify!($name), "(Array::from([0, 5]));")]
            #[doc = concat!("assert_eq!(x.to_vec::<i32>(), ", stringify!($value), ");")]
            /// ```
            #[track_caller]
            pub fn $name(self, value: impl Into<Operand>) -> Array {
                ok(self.update($update, value.into(), Place::caller()))
            })*
        }
    };
}
updates! {
    set Update::Set, "The array with `value` there; of several values for one element, the last stays.": [1, 0, 5];
    add Update::Combine(Combiner::Add), "The array with `value` added there; repeated positions add up.": [1, 2, 8];
    mul Update::Combine(Combiner::Mul), "The array with that part multiplied by `value`.": [1, 0, 15];
    min Update::Combine(Combiner::Min), "The array with the smaller of the old elements and `value` there.": [1, 0, 3];
    max Update::Combine(Combiner::Max), "The array with the larger of the old elements and `value` there.": [1, 2, 5];
}

impl At<'_> {
    /// What positions in index arrays mean that are not there, the same eager and staged. Otherwise the nearest is read, and
    /// nothing written.
    ///
    /// ```
    /// use wengert::{Array, IndexMode};
    /// let (x, i) = (Array::from([1.0f32, 2.0, 3.0]), Array::from([1, 7]));
    /// assert_eq!(x.at(&i).set(0.0).to_vec::<f32>(), [1.0, 0.0, 3.0]);
    /// assert_eq!(x.at(&i).mode(IndexMode::Clip).set(0.0).to_vec::<f32>(), [1.0, 0.0, 0.0]);
    /// assert_eq!(x.get(&i).to_vec::<f32>(), [2.0, 3.0]);
    /// assert!(x.at(&i).mode(IndexMode::Fill).get().to_vec::<f32>()[1].is_nan());
    /// ```
    pub fn mode(self, mode: IndexMode) -> Self {
        At { mode: Some(mode), ..self }
    }

    /// Declares that no element is chosen twice: updates are then faster in places, and `mul` has a derivative in its factors.
    /// It is known of ranges; if it is declared and does not hold, what comes out is not said.
    ///
    /// ```
    /// use wengert::{grad, Array};
    /// let (x, i) = (Array::from([1.0f32, 2.0, 3.0]), Array::from([2, 0]));
    /// let f = |by: Array| x.at(&i).unique().mul(by).sum(..);
    /// assert_eq!(grad(f)(Array::from([5.0f32, 7.0])).to_vec::<f32>(), [3.0, 1.0]);
    /// ```
    pub fn unique(self) -> Self {
        At { unique: true, ..self }
    }

    /// The part itself.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([0, 10, 20]).at(1).get().item::<i32>(), 10);
    /// ```
    #[track_caller]
    pub fn get(self) -> Array {
        let place = Place::caller();
        let got = resolve(self.array, self.index, &place).and_then(|r| r.get(self.array, self.mode, &place));
        ok(got.map_err(|e| e.at(place.clone())))
    }
}
