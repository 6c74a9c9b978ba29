//! Products summed over axes: matrix products and their kin.

use super::axes::resolve_axis;
use super::operators::{Operand, broadcast_shapes, broadcast_to, unify_dtypes};
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::{fail, ok};
use crate::tape::composite;
use crate::watch;
use wengert_core::ops::DotGeneral;
use wengert_core::{Dims, Error, Place, Result, Shape};

/// Which axes [`Array::tensordot`] sums over: the last `n` of the left with the first `n` of the right, or pairs given
/// as two lists.
#[derive(Clone, Debug)]
pub enum Contraction {
    /// This many axes at the end of the left and the start of the right.
    Inner(usize),
    /// These axes of the left, and of the right in the same order.
    Pairs(Vec<isize>, Vec<isize>),
}

impl From<usize> for Contraction {
    fn from(n: usize) -> Contraction {
        Contraction::Inner(n)
    }
}
impl<const N: usize> From<([isize; N], [isize; N])> for Contraction {
    fn from((l, r): ([isize; N], [isize; N])) -> Contraction {
        Contraction::Pairs(l.to_vec(), r.to_vec())
    }
}
impl From<(Vec<isize>, Vec<isize>)> for Contraction {
    fn from((l, r): (Vec<isize>, Vec<isize>)) -> Contraction {
        Contraction::Pairs(l, r)
    }
}

pub(crate) fn dot_general(
    x: &Array,
    y: &Array,
    contract: (Dims, Dims),
    batch: (Dims, Dims),
    place: &Place,
) -> Result<Array> {
    Ok(try_bind(DotGeneral { contract, batch }.into(), &[x, y], place.clone())?.remove(0))
}

/// Two operands of one element type, each with its own shape.
#[track_caller]
fn pair(x: &Array, other: impl Into<Operand>) -> [Array; 2] {
    let place = Place::caller();
    let mut v = ok(unify_dtypes(vec![x.into(), other.into()], &place).map_err(|e| e.at(place)));
    let y = v.pop().expect("two");
    [v.pop().expect("two"), y]
}

fn range(start: usize, end: usize) -> Dims {
    (start..end).collect()
}

/// The matrix product; ranks are at least 1, element types equal.
#[track_caller]
fn try_matmul(x: &Array, y: &Array, place: &Place) -> Result<Array> {
    let unfit = |why: &str| {
        let message = format!("`matmul` can't multiply {} and {}: {why}", x.ty(), y.ty());
        Err(Error::shape(message).at(place.clone()))
    };
    if x.rank() == 0 || y.rank() == 0 {
        return unfit("a scalar is not a matrix; use `*`");
    }
    let inner = y.rank().saturating_sub(2);
    if x.shape()[x.rank() - 1] != y.shape()[inner] {
        return unfit("the last axis of the left and the second to last of the right differ");
    }
    let last = |x: &Array| Dims::from_slice(&[x.rank() - 1]);
    let at = Dims::from_slice(&[inner]);
    if x.rank() <= 2 || y.rank() <= 2 {
        // One side has no batch: its free axis goes in place of the contracted one.
        let z = dot_general(x, y, (last(x), at), Default::default(), place)?;
        if x.rank() == 2 && y.rank() > 2 {
            let perm: Vec<usize> = (1..inner + 1).chain([0, inner + 1]).collect();
            return Ok(z.transpose(perm));
        }
        return Ok(z);
    }
    let (xb, yb) = (x.rank() - 2, y.rank() - 2);
    let batch = match broadcast_shapes(&[&Shape::from(&x.shape()[..xb]), &Shape::from(&y.shape()[..yb])]) {
        Ok(batch) => batch,
        Err(_) => return unfit("the axes before the last two do not broadcast together"),
    };
    let spread = |x: &Array| {
        let shape = batch.iter().chain(&x.shape()[x.rank() - 2..]).copied().collect();
        broadcast_to(x, &shape, place)
    };
    let (x, y, n) = (spread(x)?, spread(y)?, batch.rank());
    dot_general(&x, &y, (Dims::from_slice(&[n + 1]), Dims::from_slice(&[n])), (range(0, n), range(0, n)), place)
}

fn try_tensordot(x: &Array, y: &Array, axes: Contraction, place: &Place) -> Result<Array> {
    let contract = match axes {
        Contraction::Inner(n) if n > x.rank() || n > y.rank() => {
            let message = format!("`tensordot` can't sum over {n} axes of {} and {}", x.ty(), y.ty());
            return Err(Error::shape(message).at(place.clone()));
        }
        Contraction::Inner(n) => (range(x.rank() - n, x.rank()), range(0, n)),
        Contraction::Pairs(l, r) => {
            let resolve =
                |axes: &[isize], rank| -> Result<Dims> { axes.iter().map(|&a| resolve_axis(a, rank, place)).collect() };
            (resolve(&l, x.rank())?, resolve(&r, y.rank())?)
        }
    };
    dot_general(x, y, contract, Default::default(), place)
}

impl Array {
    /// The matrix product. A vector on the left is a row, on the right a column; axes before the last two are batches,
    /// and broadcast together.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// let x = Array::from([[1, 2], [3, 4]]);
    /// assert_eq!(x.matmul(&x), Array::from([[7, 10], [15, 22]]));
    /// assert_eq!(x.matmul(Array::from([1, 1])), Array::from([3, 7]));
    /// let batch = Array::ones([5, 1, 2, 3], DType::F32);
    /// assert_eq!(batch.matmul(Array::ones([4, 3, 6], DType::F32)).shape()[..], [5, 4, 2, 6]);
    /// ```
    #[track_caller]
    pub fn matmul(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = pair(self, other);
        let place = Place::caller();
        ok(try_matmul(&x, &y, &place).map_err(|e| watch::failed_call("matmul", &[&x, &y], None, &place, e)))
    }

    /// NumPy's `dot`: the product of scalars, the inner product of vectors, else the sum over the last axis of the left
    /// and the second to last of the right.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1, 2, 3]);
    /// assert_eq!(x.dot(&x).item::<i32>(), 14);
    /// ```
    #[track_caller]
    pub fn dot(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = pair(self, other);
        if x.rank() == 0 || y.rank() == 0 {
            return x * y;
        }
        let at = if y.rank() == 1 { 0 } else { -2 };
        let (axes, place) = (Contraction::Pairs(vec![-1], vec![at]), Place::caller());
        ok(try_tensordot(&x, &y, axes, &place).map_err(|e| watch::failed_call("dot", &[&x, &y], None, &place, e)))
    }

    /// The sum of the products of all elements, those of the left conjugated.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[1, 2], [3, 4]]);
    /// assert_eq!(x.vdot(&x).item::<i32>(), 30);
    /// ```
    #[composite]
    #[track_caller]
    pub fn vdot(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = pair(self, other);
        x.conj().ravel().dot(y.ravel())
    }

    /// The sum over the last axis of both.
    ///
    /// ```
    /// # use wengert::Array;
    /// let (x, y) = (Array::from([[1, 2], [3, 4]]), Array::from([1, 10]));
    /// assert_eq!(x.inner(y), Array::from([21, 43]));
    /// ```
    #[track_caller]
    pub fn inner(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = pair(self, other);
        if x.rank() == 0 || y.rank() == 0 {
            return x * y;
        }
        ok(try_tensordot(&x, &y, Contraction::Pairs(vec![-1], vec![-1]), &Place::caller()))
    }

    /// Every element of the left, flat, times every element of the right.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).outer(Array::from([3, 4])), Array::from([[3, 4], [6, 8]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn outer(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = pair(self, other);
        x.ravel().expand_dims(1) * y.ravel()
    }

    /// The sum of products over chosen axes: the last `n` of the left and first `n` of the right, or pairs.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// let (x, y) = (Array::ones([2, 3, 4], DType::F32), Array::ones([3, 4, 5], DType::F32));
    /// assert_eq!(x.tensordot(&y, 2).shape()[..], [2, 5]);
    /// assert_eq!(x.tensordot(&y, ([1], [0])).shape()[..], [2, 4, 4, 5]);
    /// ```
    #[track_caller]
    pub fn tensordot(&self, other: impl Into<Operand>, axes: impl Into<Contraction>) -> Array {
        let [x, y] = pair(self, other);
        ok(try_tensordot(&x, &y, axes.into(), &Place::caller()))
    }

    /// The Kronecker product: each element of the left times the whole right, in its place.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 10]).kron(Array::from([1, 2])), Array::from([1, 2, 10, 20]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn kron(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = pair(self, other);
        let rank = x.rank().max(y.rank());
        let (x, y) = (x.at_least(rank), y.at_least(rank));
        let odd: Vec<usize> = (0..rank).map(|d| 2 * d + 1).collect();
        let even: Vec<usize> = (0..rank).map(|d| 2 * d).collect();
        let shape: Shape = x.shape().iter().zip(y.shape().iter()).map(|(a, b)| a * b).collect();
        (x.expand_dims(odd) * y.expand_dims(even)).reshape(shape)
    }

    /// The cross product of vectors of three along an axis.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 0, 0]).cross(Array::from([0, 1, 0]), -1), Array::from([0, 0, 1]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn cross(&self, other: impl Into<Operand>, axis: isize) -> Array {
        let place = Place::caller();
        let [x, y] = pair(self, other);
        let v = super::broadcast_arrays([x, y]);
        let dim = ok(resolve_axis(axis, v[0].rank(), &place));
        if v[0].shape()[dim] != 3 {
            let message = format!("`cross` needs 3 elements along axis {dim}, and got arrays of type {}", v[0].ty());
            fail(Error::shape(message).at(place));
        }
        // The part i of the product is x[i+1] y[i+2] - x[i+2] y[i+1].
        let axis = dim as isize;
        v[0].roll(-1, axis) * v[1].roll(-2, axis) - v[0].roll(-2, axis) * v[1].roll(-1, axis)
    }
}
