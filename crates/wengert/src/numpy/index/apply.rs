//! Reading and writing the part of an array that an index chooses.

use super::IndexMode;
use super::resolve::{Choice, Resolved};
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::numpy::gather::absent;
use crate::numpy::operators::{Operand, broadcast_shapes, broadcast_to, convert, try_binary, unify};
use wengert_core::ops::{
    Binary, Broadcast, Concatenate, DynamicUpdateSlice, Gather, Indexing, OutOfBounds, Reverse, Scatter, Slice, Update,
};
use wengert_core::{DType, Dims, Error, Op, Place, Result, Shape, Tensor, Type};

/// One or several axes of the chosen part.
enum Part {
    /// An axis taken whole, of this size.
    Whole(usize),
    /// A range along this axis of the array, of this many elements.
    Range(usize, usize),
    /// The axes of the index arrays.
    Block(Shape),
}

impl Part {
    fn sizes(&self) -> Dims {
        match self {
            Part::Whole(n) | Part::Range(_, n) => [*n].as_slice().into(),
            Part::Block(s) => s.0.clone(),
        }
    }
}

/// How a part is written.
pub(super) struct Writing {
    pub(super) update: Update,
    pub(super) mode: Option<IndexMode>,
    /// Whether no position is there twice.
    pub(super) unique: bool,
}

impl Writing {
    /// Positions along an axis of `n`, as the mode has them.
    fn within(&self, at: Array, n: usize, place: &Place) -> Result<Array> {
        if self.mode != Some(IndexMode::Clip) || n == 0 {
            return Ok(at);
        }
        let low = try_binary(Binary::Max, (&at).into(), 0.into(), place.clone())?;
        try_binary(Binary::Min, low.into(), (n as i64 - 1).into(), place.clone())
    }
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

    pub(super) fn get(&self, x: &Array, mode: Option<IndexMode>, place: &Place) -> Result<Array> {
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
            out_of_bounds: match mode {
                Some(IndexMode::Fill | IndexMode::Drop) => OutOfBounds::Fill(absent(x.dtype())),
                Some(IndexMode::Clip) | None => OutOfBounds::Clip,
            },
            indices_are_sorted: false,
            unique_indices: false,
        };
        one(op.into(), &[&x, &indices], place)
    }

    /// The axes of the chosen part, in order.
    fn parts(&self, advanced: &[usize], block: &Shape) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (d, c) in self.choices.iter().enumerate() {
            match c {
                Choice::All => parts.push(Part::Whole(self.shape[d])),
                Choice::Every(_, _, count) => parts.push(Part::Range(d, *count)),
                Choice::One(_) | Choice::Array(_) => {}
            }
        }
        if !advanced.is_empty() {
            parts.insert(self.block_position(advanced), Part::Block(block.clone()));
        }
        parts
    }

    /// Writes `value`, which broadcasts to the chosen part.
    pub(super) fn put(&self, x: &Array, how: &Writing, value: Operand, place: &Place) -> Result<Array> {
        let target = x.try_reshape(self.shape.clone(), place)?;
        let (advanced, arrays, block) = self.advanced(place)?;
        let parts = self.parts(&advanced, &block);
        let shape: Shape = parts.iter().flat_map(Part::sizes).collect();
        let value = convert(&value.array(x.dtype())?, x.dtype(), place)?;
        if broadcast_shapes(&[value.shape(), &shape]).ok().as_ref() != Some(&shape) {
            let m = format!("a value of shape {} can't be written to a part of shape {shape}", value.shape());
            return Err(Error::shape(m));
        }
        let value = broadcast_to(&value, &shape, place)?;
        let done = match (&how.update, self.contiguous()) {
            (Update::Set, Some(starts)) => self.put_window(&target, &value, &starts, place)?,
            _ => {
                let advanced = advanced.iter().copied().zip(arrays);
                let advanced = advanced.map(|(d, a)| Ok((d, how.within(a, self.shape[d], place)?)));
                self.scatter(&target, how, &value, &parts, advanced.collect::<Result<_>>()?, place)?
            }
        };
        done.try_reshape(x.shape().clone(), place)
    }

    /// Writes one contiguous window.
    fn put_window(&self, target: &Array, value: &Array, starts: &[usize], place: &Place) -> Result<Array> {
        let size = |(c, &n): (&Choice, &usize)| match c {
            Choice::All => n,
            Choice::Every(_, _, count) => *count,
            Choice::One(_) | Choice::Array(_) => 1,
        };
        let sizes: Shape = self.choices.iter().zip(self.shape.iter()).map(size).collect();
        let value = value.try_reshape(sizes, place)?;
        let starts: Vec<Array> = starts.iter().map(|&i| Array::from(i as i64)).collect();
        let operands: Vec<&Array> = [target, &value].into_iter().chain(&starts).collect();
        one(DynamicUpdateSlice {}.into(), &operands, place)
    }

    /// Writes by index vectors: one for each element of the axes that are not whole.
    fn scatter(
        &self,
        target: &Array,
        how: &Writing,
        value: &Array,
        parts: &[Part],
        advanced: Vec<(usize, Array)>,
        place: &Place,
    ) -> Result<Array> {
        let advanced_count = advanced.len();
        let told: Vec<&Part> = parts.iter().filter(|p| !matches!(p, Part::Whole(_))).collect();
        let places: Shape = told.iter().flat_map(|p| p.sizes()).collect();
        let spread = |a: &Array, part: usize| -> Result<Array> {
            let first = told[..part].iter().map(|p| p.sizes().len()).sum::<usize>();
            let dims: Dims = (first..first + a.rank()).collect();
            let a = one(Broadcast { shape: places.clone(), dims }.into(), &[a], place)?;
            convert(&a, DType::I64, place)
        };
        // For each axis of the target that an index tells, the positions along it.
        let mut columns: Vec<(usize, Array)> = Vec::new();
        for (k, part) in told.iter().enumerate() {
            match part {
                Part::Block(_) => {
                    for (d, a) in &advanced {
                        columns.push((*d, spread(a, k)?));
                    }
                }
                Part::Range(d, _) => {
                    let Choice::Every(from, step, count) = self.choices[*d] else { unreachable!("a range") };
                    let line: Vec<i64> = (0..count as i64).map(|k| from as i64 + k * step as i64).collect();
                    columns.push((*d, spread(&Array::from(line), k)?));
                }
                Part::Whole(_) => unreachable!("left out above"),
            }
        }
        if advanced.is_empty() {
            for (d, c) in self.choices.iter().enumerate() {
                if let Choice::One(i) = c {
                    columns.push((d, spread(&Array::from(*i as i64), 0)?));
                }
            }
        }
        columns.sort_by_key(|(d, _)| *d);
        let index_map: Dims = columns.iter().map(|(d, _)| *d).collect();
        let columns: Vec<Array> = columns.into_iter().map(|(_, a)| a).collect();
        let indices = stack_last(&columns, &places, place)?;
        let mut window_dims = Dims::new();
        let mut position = 0;
        for p in parts {
            if let Part::Whole(_) = p {
                window_dims.push(position);
            }
            position += p.sizes().len();
        }
        let indexing = Indexing {
            window_dims,
            collapsed_dims: index_map.clone(),
            operand_batching_dims: Dims::new(),
            indices_batching_dims: Dims::new(),
            index_map,
            index_vector_dim: places.rank(),
        };
        // Ranges meet no element twice.
        let unique_indices = how.unique || advanced_count == 0;
        let op = Scatter { indexing, update: how.update.clone(), indices_are_sorted: false, unique_indices };
        one(op.into(), &[target, &indices, value], place)
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

pub(super) fn one(op: Op, x: &[&Array], place: &Place) -> Result<Array> {
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
    one(Concatenate { dim: shape.rank() }.into(), &x, place)
}
