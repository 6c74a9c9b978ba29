//! Contractions: matrix products, one for each index of the batch axes. Operands are read where they lie if their free
//! and their contracted axes each lie at one step, and are copied into order otherwise.

use super::elementwise::{PARALLEL, convert};
use super::number::Accumulate;
use super::shape::{for_each_offset, strides, transpose};
use rayon::prelude::*;
use std::borrow::Cow;
use wengert_core::ops::DotGeneral;
use wengert_core::{Complex, Dims, Element, Rules, Tensor, with_dtype};

pub(crate) fn dot_general(op: &DotGeneral, x: &Tensor, y: &Tensor) -> Tensor {
    let ty = op.infer(&[x.ty(), y.ty()]).expect("operands the op takes").remove(0);
    let (xf, yf) = (op.lhs_free(x.shape().rank()), op.rhs_free(y.shape().rank()));
    with_dtype!(ty.dtype, T => {
        type Acc = <T as Accumulate>::Acc;
        let wide = |t: &Tensor| convert(t, Acc::DTYPE);
        let x = Matrices::new(&wide(x), &op.batch.0, &xf, &op.contract.0);
        let y = Matrices::new(&wide(y), &op.batch.1, &yf, &op.contract.1);
        let out = Tensor::new(ty.shape, products::<Acc>(&x, &y)).expect("one element for each free index");
        convert(&out, ty.dtype)
    })
}

/// An operand as matrices of free by contracted elements.
struct Matrices {
    x: Tensor,
    /// Where each matrix starts.
    starts: Vec<isize>,
    free: Axis,
    contracted: Axis,
}

/// Elements that lie at one step.
#[derive(Clone, Copy)]
pub(crate) struct Axis {
    pub(crate) size: usize,
    pub(crate) step: isize,
}

impl Matrices {
    fn new(x: &Tensor, batch: &[usize], free: &[usize], contract: &[usize]) -> Matrices {
        let steps = strides(x.shape());
        let (Some(f), Some(k)) = (line(x, &steps, free), line(x, &steps, contract)) else {
            let order: Dims = batch.iter().chain(free).chain(contract).copied().collect();
            let axes: Vec<usize> = (0..order.len()).collect();
            let (batch, rest) = axes.split_at(batch.len());
            let (free, contract) = rest.split_at(free.len());
            return Matrices::new(&transpose(x, &order), batch, free, contract);
        };
        let sizes: Dims = batch.iter().map(|&d| x.shape()[d]).collect();
        let batch_steps: Vec<isize> = batch.iter().map(|&d| steps[d]).collect();
        let mut starts = Vec::new();
        for_each_offset(&sizes, 0, &batch_steps, |at| starts.push(at));
        Matrices { x: x.dense(), starts, free: f, contracted: k }
    }

    fn view<T: Element>(&self, i: usize) -> View<'_, T> {
        let v = T::unwrap(self.x.stored()).expect("elements of this type");
        View { v: &v[self.starts[i] as usize..], free: self.free, contracted: self.contracted }
    }
}

/// These axes as one, if their elements lie at one step.
fn line(x: &Tensor, steps: &[isize], axes: &[usize]) -> Option<Axis> {
    let mut line = Axis { size: 1, step: 1 };
    for &d in axes.iter().rev().filter(|d| x.shape()[**d] != 1) {
        if line.size == 1 {
            line.step = steps[d];
        } else if steps[d] != line.step * line.size as isize {
            return None;
        }
        line.size *= x.shape()[d];
    }
    Some(line)
}

fn products<T: Product>(x: &Matrices, y: &Matrices) -> Vec<T> {
    let (batch, each) = (x.starts.len(), x.free.size * y.free.size);
    let mut out = vec![T::default(); batch * each];
    if out.is_empty() || x.contracted.size == 0 {
        return out;
    }
    let work = each.saturating_mul(x.contracted.size);
    let one = |threads| move |(i, out): (usize, &mut [T])| T::product(x.view(i), y.view(i), out, threads);
    if batch == 1 || work > gemm::DEFAULT_THREADING_THRESHOLD || batch.saturating_mul(work) <= PARALLEL {
        out.chunks_mut(each).enumerate().for_each(one(true));
    } else {
        out.par_chunks_mut(each).enumerate().with_min_len((PARALLEL / work / 4).max(1)).for_each(one(false));
    }
    out
}

/// One matrix of free by contracted elements.
pub(crate) struct View<'a, T> {
    pub(crate) v: &'a [T],
    pub(crate) free: Axis,
    pub(crate) contracted: Axis,
}

impl<T> View<'_, T> {
    /// The distance of an element from the first.
    fn at(&self, i: usize, k: usize) -> usize {
        i * self.free.step as usize + k * self.contracted.step as usize
    }

    fn last(&self) -> usize {
        self.at(self.free.size - 1, self.contracted.size - 1)
    }
}

impl<'a, T: Copy> View<'a, T> {
    /// The free elements of each contracted one, next to each other.
    fn rows(&self) -> Cow<'a, [T]> {
        let (n, depth) = (self.free.size, self.contracted.size);
        match (self.free.step, self.contracted.step) {
            (1, step) if step == n as isize => self.v[..n * depth].into(),
            _ => (0..depth).flat_map(|k| (0..n).map(move |j| self.v[self.at(j, k)])).collect(),
        }
    }
}

/// A type with matrix products.
pub(crate) trait Product: Element {
    /// Adds `x yᵀ` to `out`. No size is zero.
    fn product(x: View<'_, Self>, y: View<'_, Self>, out: &mut [Self], threads: bool);
}

macro_rules! through_gemm {
    ($($t:ty)*) => {$(
        impl Product for $t {
            fn product(x: View<'_, $t>, y: View<'_, $t>, out: &mut [$t], threads: bool) {
                let (m, n, k) = (x.free.size, y.free.size, x.contracted.size);
                assert!(x.last() < x.v.len() && y.last() < y.v.len() && out.len() == m * n);
                let threads = if threads { gemm::Parallelism::Rayon(0) } else { gemm::Parallelism::None };
                let one = <$t as Element>::from_i64(1);
                // SAFETY: with these sizes and steps every index stays in the three slices, as asserted above; `out`
                // is borrowed mutably, so it shares nothing with the others.
                unsafe {
                    gemm::gemm(
                        m, n, k,
                        out.as_mut_ptr(), 1, n as isize, true,
                        x.v.as_ptr(), x.contracted.step, x.free.step,
                        y.v.as_ptr(), y.free.step, y.contracted.step,
                        one, one, false, false, false, threads,
                    );
                }
            }
        }
    )*};
}
through_gemm! { f32 f64 Complex<f32> Complex<f64> }

macro_rules! by_loop {
    ($($t:ty)*, |$sum:ident, $x:ident, $y:ident| $f:expr) => {$(
        impl Product for $t {
            fn product(x: View<'_, $t>, y: View<'_, $t>, out: &mut [$t], threads: bool) {
                let (n, depth) = (y.free.size, x.contracted.size);
                let y = y.rows();
                let row = |(i, row): (usize, &mut [$t])| {
                    for (k, y) in y.chunks(n).enumerate() {
                        let $x = x.v[x.at(i, k)];
                        for (sum, &$y) in row.iter_mut().zip(y) {
                            let $sum = *sum;
                            *sum = $f;
                        }
                    }
                };
                if threads && out.len().saturating_mul(depth) > PARALLEL {
                    out.par_chunks_mut(n).enumerate().for_each(row);
                } else {
                    out.chunks_mut(n).enumerate().for_each(row);
                }
            }
        }
    )*};
}
by_loop! { i8 i16 i32 i64 u8 u16 u32 u64, |sum, x, y| sum.wrapping_add(x.wrapping_mul(y)) }
by_loop! { bool, |sum, x, y| sum | (x & y) }
