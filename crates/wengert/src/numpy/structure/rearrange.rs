//! Elements moved, padded or picked along axes: flip, roll, pad, diagonals, triangles, differences.

use super::concatenate;
use crate::array::Array;
use crate::dispatch::{bind_one, try_bind};
use crate::fail::{fail, ok};
use crate::numpy::axes::{Axes, resolve_axis};
use crate::numpy::creation::grid;
use crate::numpy::operators::Operand;
use crate::numpy::where_;
use crate::tape::composite;
use wengert_core::ops::{OutOfBounds, Pad, Reverse};
use wengert_core::{DType, Dims, Error, Place, Result, counted};

/// How much to pad at both ends of each axis: `2` or `(1, 2)` for every axis, `[(1, 2), (0, 0)]` for each its own.
#[derive(Clone, Debug)]
pub enum Widths {
    /// The same for every axis.
    Every((usize, usize)),
    /// One for each axis.
    Each(Vec<(usize, usize)>),
}

impl From<usize> for Widths {
    fn from(n: usize) -> Widths {
        Widths::Every((n, n))
    }
}
impl From<(usize, usize)> for Widths {
    fn from(ends: (usize, usize)) -> Widths {
        Widths::Every(ends)
    }
}
impl<const N: usize> From<[(usize, usize); N]> for Widths {
    fn from(ends: [(usize, usize); N]) -> Widths {
        Widths::Each(ends.to_vec())
    }
}
impl From<Vec<(usize, usize)>> for Widths {
    fn from(ends: Vec<(usize, usize)>) -> Widths {
        Widths::Each(ends)
    }
}

impl Widths {
    pub(crate) fn resolve(self, rank: usize, place: &Place) -> Result<Vec<(usize, usize)>> {
        match self {
            Widths::Every(ends) => Ok(vec![ends; rank]),
            Widths::Each(ends) if ends.len() == rank => Ok(ends),
            Widths::Each(ends) => {
                let message =
                    format!("{} pairs of widths can't pad an array with {}", ends.len(), counted(rank, "axis"));
                Err(Error::shape(message).at(place.clone()))
            }
        }
    }
}

/// What padding repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PadMode {
    /// The element at the end.
    Edge,
    /// The elements mirrored at the one at the end, which is not repeated.
    Reflect,
    /// The elements mirrored at the end, that one included.
    Symmetric,
    /// The elements from the other end.
    Wrap,
}

impl PadMode {
    /// The element of `n` that stands at position `i`, which may lie outside.
    fn source(self, i: i64, n: i64) -> i64 {
        match self {
            PadMode::Edge => i.clamp(0, n - 1),
            PadMode::Wrap => i.rem_euclid(n),
            PadMode::Reflect if n == 1 => 0,
            PadMode::Reflect => {
                let i = i.rem_euclid(2 * (n - 1));
                i.min(2 * (n - 1) - i)
            }
            PadMode::Symmetric => {
                let i = i.rem_euclid(2 * n);
                i.min(2 * n - 1 - i)
            }
        }
    }
}

impl Array {
    /// The elements in reverse order along some axes.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).flip(0), Array::from([[3, 4], [1, 2]]));
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).flip(..), Array::from([[4, 3], [2, 1]]));
    /// ```
    #[track_caller]
    pub fn flip(&self, axes: impl Into<Axes>) -> Array {
        let place = Place::caller();
        let dims = ok(axes.into().resolve(self.rank(), &place));
        ok(try_bind(Reverse { dims }.into(), &[self], place)).remove(0)
    }

    /// The elements moved along an axis; those that leave at one end come in at the other.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2, 3, 4]).roll(1, 0), Array::from([4, 1, 2, 3]));
    /// assert_eq!(Array::from([1, 2, 3, 4]).roll(-1, 0), Array::from([2, 3, 4, 1]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn roll(&self, shift: isize, axis: isize) -> Array {
        let dim = ok(resolve_axis(axis, self.rank(), &Place::caller()));
        let n = self.shape()[dim];
        if n == 0 {
            return self.clone();
        }
        let cut = (-shift).rem_euclid(n as isize) as usize;
        if cut == 0 {
            return self.clone();
        }
        concatenate([self.slice_axis(dim, cut, n), self.slice_axis(dim, 0, cut)], dim as isize)
    }

    /// Turned `k` times by a quarter in the plane of two axes, from the first towards the second.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).rot90(1, [0, 1]), Array::from([[2, 4], [1, 3]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn rot90(&self, k: isize, axes: [isize; 2]) -> Array {
        let place = Place::caller();
        let dims = ok(Axes::from(axes).resolve(self.rank(), &place));
        let [a, b] = [dims[0] as isize, dims[1] as isize];
        match k.rem_euclid(4) {
            0 => self.clone(),
            1 => self.flip(b).swap_axes(a, b),
            2 => self.flip([a, b]),
            _ => self.swap_axes(a, b).flip(b),
        }
    }

    /// With a value put around the elements.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).pad((1, 2), 0), Array::from([0, 1, 2, 0, 0]));
    /// assert_eq!(Array::from([[1]]).pad([(0, 1), (1, 0)], 7), Array::from([[7, 1], [7, 7]]));
    /// ```
    #[track_caller]
    pub fn pad(&self, widths: impl Into<Widths>, value: impl Into<Operand>) -> Array {
        let place = Place::caller();
        let ends = ok(widths.into().resolve(self.rank(), &place));
        let value = ok(value.into().array(self.dtype()).map_err(|e| e.at(place.clone()))).to(self.dtype());
        let (low, high) = ends.iter().map(|&(a, b)| (a as i64, b as i64)).unzip();
        let op = Pad { low, high, interior: smallvec::smallvec![0; self.rank()] };
        ok(try_bind(op.into(), &[self, &value], place)).remove(0)
    }

    /// With the array's own elements repeated around it.
    ///
    /// ```
    /// # use wengert::{Array, PadMode};
    /// let x = Array::from([1, 2, 3]);
    /// assert_eq!(x.pad_mode(2, PadMode::Edge), Array::from([1, 1, 1, 2, 3, 3, 3]));
    /// assert_eq!(x.pad_mode(2, PadMode::Reflect), Array::from([3, 2, 1, 2, 3, 2, 1]));
    /// assert_eq!(x.pad_mode(2, PadMode::Symmetric), Array::from([2, 1, 1, 2, 3, 3, 2]));
    /// assert_eq!(x.pad_mode(2, PadMode::Wrap), Array::from([2, 3, 1, 2, 3, 1, 2]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn pad_mode(&self, widths: impl Into<Widths>, mode: PadMode) -> Array {
        let place = Place::caller();
        let ends = ok(widths.into().resolve(self.rank(), &place));
        let mut x = self.clone();
        for (d, (low, high)) in ends.into_iter().enumerate() {
            let n = self.shape()[d] as i64;
            if (low, high) == (0, 0) {
                continue;
            }
            if n == 0 {
                let message = format!("axis {d} of an array of type {} has no elements to repeat", self.ty());
                fail(Error::shape(message).at(place));
            }
            let sources: Array = (-(low as i64)..n + high as i64).map(|i| mode.source(i, n)).collect();
            x = x.gather_axis(&sources, d, OutOfBounds::Clip);
        }
        x
    }

    /// What lies on and below the diagonal `k` above the main one of each matrix, zeros elsewhere.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).tril(0), Array::from([[1, 0], [3, 4]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn tril(&self, k: i64) -> Array {
        let (rows, columns) = self.matrix_sizes("tril");
        let (i, j) = grid(rows, columns);
        where_((i + k).ge(j), self, self.zeros_like())
    }

    /// What lies on and above the diagonal `k` above the main one of each matrix, zeros elsewhere.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).triu(0), Array::from([[1, 2], [0, 4]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn triu(&self, k: i64) -> Array {
        let (rows, columns) = self.matrix_sizes("triu");
        let (i, j) = grid(rows, columns);
        where_((i + k).le(j), self, self.zeros_like())
    }

    /// The sizes of the last two axes, for a function on matrices.
    #[track_caller]
    pub(crate) fn matrix_sizes(&self, name: &str) -> (usize, usize) {
        match self.shape()[..] {
            [.., rows, columns] => (rows, columns),
            _ => {
                let message = format!("`{name}` takes a matrix, or an array of them, and got {}", self.ty());
                fail(Error::shape(message).at(Place::caller()))
            }
        }
    }

    /// The diagonal `k` above the main one of the matrices in the plane of two axes; it is the last axis of the result.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.diagonal(0, [0, 1]), Array::from([1, 5]));
    /// assert_eq!(x.diagonal(1, [0, 1]), Array::from([2, 6]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn diagonal(&self, k: i64, axes: [isize; 2]) -> Array {
        let place = Place::caller();
        let dims = ok(Axes::from(axes).resolve(self.rank(), &place));
        let mut order: Vec<usize> = (0..self.rank()).filter(|d| !dims.contains(d)).collect();
        order.extend(dims);
        let x = self.transpose(order);
        let (rows, columns) = x.matrix_sizes("diagonal");
        let (row, column) = ((-k).max(0) as usize, k.max(0) as usize);
        let length = rows.saturating_sub(row).min(columns.saturating_sub(column));
        // In a matrix laid out flat, one step along the diagonal is a row and one more.
        let batch = self.rank() - 2;
        let flat = x.reshape([&x.shape()[..batch], &[rows * columns]].concat());
        if length == 0 {
            return flat.slice_axis(batch, 0, 0);
        }
        let start = row * columns + column;
        flat.slice_axis_by(batch, start, start + (length - 1) * (columns + 1) + 1, columns + 1)
    }

    /// The sum of the diagonal of each matrix.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1.0f32, 2.0], [3.0, 4.0]]).trace().item::<f32>(), 5.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn trace(&self) -> Array {
        self.matrix_sizes("trace");
        self.diagonal(0, [-2, -1]).sum(-1)
    }

    /// Of a vector, the matrix with it on the diagonal `k` above the main one; of a matrix, that diagonal.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).diag(0), Array::from([[1, 0], [0, 2]]));
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).diag(-1), Array::from([3]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn diag(&self, k: i64) -> Array {
        match self.rank() {
            1 => {
                let (length, n) = (self.size() as i64, self.size() as i64 + k.abs());
                let start = (-k).max(0) * n + k.max(0);
                let end = start + ((length - 1) * (n + 1) + 1).max(0);
                let op = Pad { low: vec![start], high: vec![n * n - end], interior: Dims::from_slice(&[n as usize]) };
                bind_one(op, &[self, &Array::zeros((), self.dtype())]).reshape([n, n])
            }
            2 => self.diagonal(k, [0, 1]),
            _ => {
                let message = format!("`diag` takes a vector or a matrix, and got {}", self.ty());
                fail(Error::shape(message).at(Place::caller()))
            }
        }
    }

    /// The differences of neighbours along an axis, taken `n` times over.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 4, 9, 16]).diff(1, 0), Array::from([3, 5, 7]));
    /// assert_eq!(Array::from([1, 4, 9, 16]).diff(2, 0), Array::from([2, 2]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn diff(&self, n: usize, axis: isize) -> Array {
        let dim = ok(resolve_axis(axis, self.rank(), &Place::caller()));
        let mut x = self.clone();
        for _ in 0..n {
            let size = x.shape()[dim];
            let (after, before) = (x.slice_axis(dim, 1.min(size), size), x.slice_axis(dim, 0, size.saturating_sub(1)));
            x = if self.dtype() == DType::Bool { after ^ before } else { after - before };
        }
        x
    }

    /// The integral along an axis by the trapezoidal rule; `dx` is the distance between neighbours, one number or (the
    /// axis being the last) an array, such as `x.diff(1, -1)`.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 2.0, 3.0]).trapezoid(0.5, -1).item::<f32>(), 2.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn trapezoid(&self, dx: impl Into<Operand>, axis: isize) -> Array {
        let y = self.to_inexact().move_axis(axis, -1);
        let (dim, n) = (y.rank() - 1, y.shape()[y.rank() - 1]);
        let pairs = y.slice_axis(dim, 1.min(n), n) + y.slice_axis(dim, 0, n.saturating_sub(1));
        (pairs * dx).sum(-1) * 0.5
    }
}
