//! Indexing: integers, ranges with steps, ellipsis, new axes, and arrays of integers or bools, to read and to write.

use super::operators::{Operand, broadcast_shapes, broadcast_to, convert, unify};
use crate::array::Array;
use crate::fail::ok;
use crate::trace::try_bind;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};
use wengert_core::ops::{Combiner, DynamicUpdateSlice, Gather, Indexing, OutOfBounds, Reverse, Scatter, Slice, Update};
use wengert_core::{DType, Dims, Error, Place, Result, Shape, Tensor, Type};

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
        Vec<$t>, |v| Index::Array(Array::from(v.iter().map(|&i| i as i64).collect::<Vec<i64>>()));
    )*} };
}
integer_index!(i32 i64 isize usize);
index! {
    RangeFull, |_r| Index::Range(None, None, 1);
    Ellipsis, |_e| Index::Ellipsis;
    NewAxis, |_n| Index::NewAxis;
    Array, |x| Index::Array(x);
    &Array, |x| Index::Array(x.clone());
}

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
    RangeTo<i32> RangeTo<isize> RangeTo<usize> RangeFull Ellipsis NewAxis Array &Array Index);
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

/// What is chosen along one axis of the array.
#[derive(Clone)]
enum Choice {
    All,
    /// From, step, count.
    Every(usize, isize, usize),
    One(usize),
    Array(Array),
}

/// An index resolved against a shape. New axes are part of `shape`, as axes taken whole.
struct Resolved {
    shape: Shape,
    choices: Vec<Choice>,
}

fn out_of_range(i: isize, axis: usize, shape: &Shape) -> Error {
    Error::shape(format!("index {i} is out of range for axis {axis} of an array of shape {shape}"))
}

/// A range as NumPy reads it: start, step and number of elements.
fn range(start: Option<isize>, end: Option<isize>, step: isize, n: usize) -> Choice {
    let n = n as isize;
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let place = |i: Option<isize>, open: isize| match i {
        None => open,
        Some(i) => (if i < 0 { i + n } else { i }).clamp(low, high),
    };
    let (a, b) = if step > 0 { (place(start, 0), place(end, n)) } else { (place(start, n - 1), place(end, -1)) };
    let span = if step > 0 { b - a } else { a - b };
    let count = if span <= 0 { 0 } else { (span - 1) / step.abs() + 1 };
    if step == 1 && count == n { Choice::All } else { Choice::Every(a.max(0) as usize, step, count as usize) }
}

fn resolve(x: &Array, index: Vec<Index>, place: &Place) -> Result<Resolved> {
    let mut parts = Vec::new();
    for i in index {
        match i {
            Index::Array(m) if m.dtype() == DType::Bool => parts.extend(mask(&m, x.shape(), &parts)?),
            other => parts.push(other),
        }
    }
    let takes = |i: &Index| !matches!(i, Index::Ellipsis | Index::NewAxis);
    let used = parts.iter().filter(|i| takes(i)).count();
    let gaps = parts.iter().filter(|i| matches!(i, Index::Ellipsis)).count();
    if used > x.rank() || gaps > 1 {
        let why = if gaps > 1 { "more than one ellipsis".into() } else { format!("{used} indices") };
        return Err(Error::shape(format!("{why} for an array of shape {}", x.shape())));
    }
    if gaps == 0 {
        parts.push(Index::Ellipsis);
    }
    let mut shape = Dims::new();
    let mut choices = Vec::new();
    let mut axis = 0;
    for i in parts {
        if let Index::Ellipsis = i {
            for _ in 0..x.rank() - used {
                shape.push(x.shape()[axis]);
                choices.push(Choice::All);
                axis += 1;
            }
            continue;
        }
        if let Index::NewAxis = i {
            shape.push(1);
            choices.push(Choice::All);
            continue;
        }
        let n = x.shape()[axis];
        choices.push(match i {
            Index::At(i) => {
                let at = if i < 0 { i + n as isize } else { i };
                if at < 0 || at >= n as isize {
                    return Err(out_of_range(i, axis, x.shape()));
                }
                Choice::One(at as usize)
            }
            Index::Range(a, b, step) => range(a, b, step, n),
            Index::Array(i) => Choice::Array(positions(i, axis, n, x.shape(), place)?),
            Index::Ellipsis | Index::NewAxis => unreachable!("done above"),
        });
        shape.push(n);
        axis += 1;
    }
    Ok(Resolved { shape: Shape(shape), choices })
}

/// The positions a mask holds at, one list of integers for each of its axes.
fn mask(m: &Array, shape: &Shape, before: &[Index]) -> Result<Vec<Index>> {
    let axis = before.iter().filter(|i| !matches!(i, Index::Ellipsis | Index::NewAxis)).count();
    let covered = shape.get(axis..axis + m.rank());
    let after_gap = before.iter().any(|i| matches!(i, Index::Ellipsis));
    if !after_gap && covered != Some(&m.shape()[..]) {
        return Err(Error::shape(format!(
            "a mask of shape {} does not fit axis {axis} and on of an array of shape {shape}",
            m.shape()
        )));
    }
    let t = m
        .concretize("a mask that decides a shape")
        .map_err(|e| e.note("`where_(mask, x, y)` keeps the shape; `.at(mask).set(value)` takes a traced mask"))?;
    let flat: Vec<i64> = t.to_vec::<bool>()?.iter().enumerate().filter(|(_, b)| **b).map(|(i, _)| i as i64).collect();
    let strides = m.shape().strides();
    let along = |d: usize| flat.iter().map(|i| i / strides[d] as i64 % m.shape()[d] as i64).collect::<Vec<i64>>();
    Ok((0..m.rank()).map(|d| Index::Array(Array::from(along(d)))).collect())
}

/// Integer positions counted from the front. Those known now are checked.
fn positions(i: Array, axis: usize, n: usize, shape: &Shape, place: &Place) -> Result<Array> {
    if !i.dtype().is_integer() {
        return Err(Error::dtype(format!("an array of type {} can't be an index: integers and bools can", i.ty())));
    }
    if let Some(t) = i.value() {
        let bad = (0..t.size()).filter_map(|k| t.get(k).as_i64()).find(|&k| k < -(n as i64) || k >= n as i64);
        if let Some(k) = bad {
            return Err(out_of_range(k as isize, axis, shape));
        }
    }
    let i = if i.dtype().bits() < 32 { convert(&i, DType::I32, place)? } else { i };
    if i.dtype().is_unsigned() {
        return Ok(i);
    }
    Ok(super::where_(i.lt(0), &i + n as i64, &i))
}

impl Resolved {
    fn arrays(&self) -> bool {
        self.choices.iter().any(|c| matches!(c, Choice::Array(_)))
    }

    /// Single positions stand with the arrays where there are any.
    fn is_advanced(&self, d: usize) -> bool {
        match self.choices[d] {
            Choice::Array(_) => true,
            Choice::One(_) => self.arrays(),
            _ => false,
        }
    }

    /// The index arrays of the advanced axes, broadcast together.
    fn advanced(&self, place: &Place) -> Result<(Vec<usize>, Vec<Array>, Shape)> {
        let axes: Vec<usize> = (0..self.choices.len()).filter(|&d| self.is_advanced(d)).collect();
        let arrays = axes.iter().map(|&d| match &self.choices[d] {
            Choice::Array(a) => Operand::Array(a.clone()),
            Choice::One(i) => Operand::Int(*i as i64),
            _ => unreachable!("advanced"),
        });
        let arrays = unify(arrays.collect(), place)?;
        let shape = arrays.first().map_or(Shape::scalar(), |a| a.shape().clone());
        Ok((axes, arrays, shape))
    }

    /// Where the axes of the index arrays go in the result: in place if they stand side by side, else in front.
    fn block_position(&self, axes: &[usize]) -> usize {
        let adjacent = axes.windows(2).all(|w| w[1] == w[0] + 1);
        if adjacent { axes.first().map_or(0, |&first| first) } else { 0 }
    }

    /// The array with ranges cut out, its other axes whole; axes of single positions go unless arrays need them.
    fn slice(&self, x: Array, place: &Place) -> Result<Array> {
        let x = x.try_reshape(self.shape.clone(), place)?;
        let rank = self.shape.rank();
        let (mut start, mut limit) = (Dims::from_elem(0, rank), self.shape.0.clone());
        let mut strides = Dims::from_elem(1, rank);
        let (mut reversed, mut gone) = (Dims::new(), Dims::new());
        for (d, c) in self.choices.iter().enumerate() {
            match *c {
                Choice::Every(_, _, 0) => (start[d], limit[d]) = (0, 0),
                Choice::Every(from, step, count) => {
                    let size = step.unsigned_abs();
                    let first = if step > 0 { from } else { from - (count - 1) * size };
                    (start[d], limit[d], strides[d]) = (first, first + (count - 1) * size + 1, size);
                    if step < 0 {
                        reversed.push(d);
                    }
                }
                Choice::One(i) if !self.arrays() => {
                    (start[d], limit[d]) = (i, i + 1);
                    gone.push(d);
                }
                _ => {}
            }
        }
        let whole = start.iter().all(|&s| s == 0) && limit == self.shape.0 && strides.iter().all(|&s| s == 1);
        let mut y = if whole { x } else { one(Slice { start, limit, strides }.into(), &[&x], place)? };
        if !reversed.is_empty() {
            y = one(Reverse { dims: reversed }.into(), &[&y], place)?;
        }
        let shape = y.shape().without_axes(&gone);
        y.try_reshape(shape, place)
    }

    fn get(&self, x: &Array, place: &Place) -> Result<Array> {
        let x = self.slice(x.clone(), place)?;
        if !self.arrays() {
            return Ok(x);
        }
        let (axes, arrays, shape) = self.advanced(place)?;
        let at = self.block_position(&axes);
        let indices = stack_last(&arrays, &shape, place)?;
        let windows = x.rank() - axes.len();
        let mut slice_sizes = x.shape().0.clone();
        axes.iter().for_each(|&d| slice_sizes[d] = slice_sizes[d].min(1));
        let op = Gather {
            indexing: Indexing {
                window_dims: (0..at).chain(at + shape.rank()..windows + shape.rank()).collect(),
                collapsed_dims: axes.iter().copied().collect(),
                operand_batching_dims: Dims::new(),
                indices_batching_dims: Dims::new(),
                index_map: axes.iter().copied().collect(),
                index_vector_dim: shape.rank(),
            },
            slice_sizes,
            out_of_bounds: OutOfBounds::Clip,
            indices_are_sorted: false,
            unique_indices: false,
        };
        one(op.into(), &[&x, &indices], place)
    }

    /// Writes `value`, which broadcasts to the chosen part.
    fn put(&self, x: &Array, update: Update, value: Operand, place: &Place) -> Result<Array> {
        let target = x.try_reshape(self.shape.clone(), place)?;
        let (axes, arrays, block) = self.advanced(place)?;
        let at = self.block_position(&axes);

        // The axes of the chosen part, in order, and which of them an index array tells.
        let mut parts: Vec<Dims> = Vec::new();
        let mut whole: Vec<bool> = Vec::new();
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for (d, c) in self.choices.iter().enumerate() {
            match c {
                Choice::All => {
                    parts.push([self.shape[d]].as_slice().into());
                    whole.push(true);
                }
                Choice::Every(_, _, count) => {
                    ranges.push((d, parts.len()));
                    parts.push([*count].as_slice().into());
                    whole.push(false);
                }
                _ => {}
            }
        }
        if !axes.is_empty() {
            let at = at.min(parts.len());
            parts.insert(at, block.0.clone());
            whole.insert(at, false);
            ranges.iter_mut().filter(|(_, p)| *p >= at).for_each(|(_, p)| *p += 1);
        }
        let singles: Vec<(usize, usize)> = self
            .choices
            .iter()
            .enumerate()
            .filter_map(|(d, c)| match c {
                Choice::One(i) if !self.arrays() => Some((d, *i)),
                _ => None,
            })
            .collect();
        let shape: Shape = parts.iter().flatten().copied().collect();
        let value = convert(&value.array(x.dtype())?, x.dtype(), place)?;
        let joint = broadcast_shapes(&[value.shape(), &shape])?;
        if joint != shape {
            return Err(Error::shape(format!(
                "a value of shape {} can't be written to a part of shape {shape}",
                value.shape()
            )));
        }
        let value = broadcast_to(&value, &shape, place)?;

        if let (true, Update::Set) = (axes.is_empty(), &update) {
            if let Some(starts) = self.contiguous() {
                let sizes: Shape = self
                    .choices
                    .iter()
                    .zip(self.shape.iter())
                    .map(|(c, &n)| match c {
                        Choice::All => n,
                        Choice::Every(_, _, count) => *count,
                        _ => 1,
                    })
                    .collect();
                let value = value.try_reshape(sizes, place)?;
                let starts: Vec<Array> = starts.iter().map(|&i| Array::from(i as i64)).collect();
                let operands: Vec<&Array> = [&target, &value].into_iter().chain(&starts).collect();
                return one(DynamicUpdateSlice {}.into(), &operands, place)?.try_reshape(x.shape().clone(), place);
            }
        }

        // One index vector for each element of the parts that are not whole.
        let places: Shape = parts.iter().zip(&whole).filter(|(_, w)| !**w).flat_map(|(p, _)| p.clone()).collect();
        let offset =
            |part: usize| parts[..part].iter().zip(&whole).filter(|(_, w)| !**w).map(|(p, _)| p.len()).sum::<usize>();
        let mut components: Vec<(usize, Array)> = Vec::new();
        let spread = |a: &Array, first: usize| -> Result<Array> {
            let dims: Dims = (first..first + a.rank()).collect();
            let op = wengert_core::ops::Broadcast { shape: places.clone(), dims };
            one(op.into(), &[a], place)
        };
        let block_part = if axes.is_empty() { 0 } else { at.min(parts.len() - 1) };
        for (d, a) in axes.iter().zip(&arrays) {
            components.push((*d, spread(a, offset(block_part))?));
        }
        for (d, part) in ranges {
            let Choice::Every(from, step, count) = self.choices[d] else { unreachable!("a range") };
            let line: Vec<i64> = (0..count as i64).map(|k| from as i64 + k * step as i64).collect();
            components.push((d, spread(&Array::from(line), offset(part))?));
        }
        for (d, i) in singles {
            components.push((d, spread(&Array::from(i as i64), 0)?));
        }
        components.sort_by_key(|(d, _)| *d);
        let index_map: Dims = components.iter().map(|(d, _)| *d).collect();
        let arrays: Vec<Array> =
            components.into_iter().map(|(_, a)| convert(&a, DType::I64, place)).collect::<Result<_>>()?;
        let indices = stack_last(&arrays, &places, place)?;
        let mut window_dims = Dims::new();
        let mut position = 0;
        for (p, w) in parts.iter().zip(&whole) {
            if *w {
                window_dims.push(position);
            }
            position += p.len();
        }
        let op = Scatter {
            indexing: Indexing {
                window_dims,
                collapsed_dims: index_map.clone(),
                operand_batching_dims: Dims::new(),
                indices_batching_dims: Dims::new(),
                index_map,
                index_vector_dim: places.rank(),
            },
            update,
            indices_are_sorted: false,
            unique_indices: false,
        };
        one(op.into(), &[&target, &indices, &value], place)?.try_reshape(x.shape().clone(), place)
    }

    /// The first position along each axis, if the part is one contiguous window that is not empty.
    fn contiguous(&self) -> Option<Vec<usize>> {
        self.choices
            .iter()
            .map(|c| match *c {
                Choice::All => Some(0),
                Choice::One(i) => Some(i),
                Choice::Every(from, 1, count) if count > 0 => Some(from),
                _ => None,
            })
            .collect()
    }
}

fn one(op: wengert_core::Op, x: &[&Array], place: &Place) -> Result<Array> {
    Ok(try_bind(op, x, place.clone())?.remove(0))
}

/// Index arrays of one shape put side by side along a new last axis.
fn stack_last(arrays: &[Array], shape: &Shape, place: &Place) -> Result<Array> {
    if arrays.is_empty() {
        let ty = Type::new(DType::I64, shape.with_axis(shape.rank(), 0));
        return Ok(Array::from_tensor(Tensor::zeros(&ty)));
    }
    let columns = arrays
        .iter()
        .map(|a| a.try_reshape(shape.with_axis(shape.rank(), 1), place))
        .collect::<Result<Vec<Array>>>()?;
    if let [only] = &columns[..] {
        return Ok(only.clone());
    }
    let x: Vec<&Array> = columns.iter().collect();
    one(wengert_core::ops::Concatenate { dim: shape.rank() }.into(), &x, place)
}

impl Array {
    /// Part of the array; see [`s!`](crate::s) for what an index can be.
    ///
    /// ```
    /// # use wengert::{s, Array};
    /// let x = Array::from([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.get(1).to_vec::<i32>(), [4, 5, 6]);
    /// assert_eq!(x.get((.., -1)).to_vec::<i32>(), [3, 6]);
    /// assert_eq!(x.get(s![.., vec![2, 0]]).to_vec::<i32>(), [3, 1, 6, 4]);
    /// assert_eq!(x.get(&x.gt(3)).to_vec::<i32>(), [4, 5, 6]);
    /// ```
    #[track_caller]
    pub fn get(&self, index: impl IntoIndices) -> Array {
        let place = Place::caller();
        ok(resolve(self, index.indices(), &place).and_then(|r| r.get(self, &place)).map_err(|e| e.at(place.clone())))
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
        At { array: self, index: index.indices() }
    }
}

/// Part of an array to be changed; see [`Array::at`].
#[derive(Clone, Debug)]
pub struct At<'a> {
    array: &'a Array,
    index: Vec<Index>,
}

impl At<'_> {
    fn update(self, update: Update, value: Operand, place: Place) -> Result<Array> {
        let x = self.array;
        // A mask that is the whole index keeps the shape, so it need not be known.
        if let [Index::Array(m)] = &self.index[..] {
            if m.dtype() == DType::Bool && m.is_traced() && m.shape() == x.shape() {
                let value = broadcast_to(&convert(&value.array(x.dtype())?, x.dtype(), &place)?, x.shape(), &place)?;
                let changed = match &update {
                    Update::Set => value,
                    Update::Combine(c) => {
                        let op = c.binary().expect("only named combiners are offered");
                        one(op.into(), &[x, &value], &place)?
                    }
                };
                return Ok(super::where_(m, changed, x));
            }
        }
        resolve(x, self.index, &place).and_then(|r| r.put(x, update, value, &place)).map_err(|e| e.at(place))
    }
}

macro_rules! updates {
    ($($name:ident $update:expr, $what:literal;)*) => {
        impl At<'_> {
            $(#[doc = $what]
            #[track_caller]
            pub fn $name(self, value: impl Into<Operand>) -> Array {
                ok(self.update($update, value.into(), Place::caller()))
            })*
        }
    };
}
updates! {
    set Update::Set, "The array with `value` there; of several values for one element, the last stays.";
    add Update::Combine(Combiner::Add), "The array with `value` added there; repeated positions add up.";
    mul Update::Combine(Combiner::Mul), "The array with that part multiplied by `value`.";
    min Update::Combine(Combiner::Min), "The array with the smaller of the old elements and `value` there.";
    max Update::Combine(Combiner::Max), "The array with the larger of the old elements and `value` there.";
}

impl At<'_> {
    /// The part itself.
    #[track_caller]
    pub fn get(self) -> Array {
        self.array.get(self.index)
    }
}
