//! Contractions: matrix products, one for each index of the batch axes. Operands are read where they lie if their free
//! and their contracted axes each lie at one step, and are copied into order otherwise.

use super::elementwise::{convert, converted};
use super::number::Accumulate;
use super::parallel::{PARALLEL, blocks};
use super::product::{Products, Real};
use super::shape::{for_each_offset, made, strides, transpose};
use std::borrow::Cow;
use wengert_core::ops::DotGeneral;
use wengert_core::{Complex, Dims, Element, Shape, Tensor, View, ViewMut, with_dtype};

pub(crate) fn dot_general(op: &DotGeneral, x: View<'_>, y: View<'_>, out: &mut ViewMut<'_>) {
    let (xf, yf) = (op.lhs_free(x.shape().rank()), op.rhs_free(y.shape().rank()));
    with_dtype!(out.dtype(), T => {
        type Acc = <T as Accumulate>::Acc;
        let wide = |x: View<'_>| made(&x.ty().with_dtype(Acc::DTYPE), |y| convert(x, y));
        // What has the type of the sums is read where it lies.
        let copies = [x, y].map(|x| (x.dtype() != Acc::DTYPE || x.is_splat()).then(|| wide(x)));
        let [x, y] = [(x, &copies[0]), (y, &copies[1])].map(|(x, copy)| copy.as_ref().map_or(x, Tensor::view));
        let x = Matrices::new(x, &op.batch.0, &xf, &op.contract.0);
        let y = Matrices::new(y, &op.batch.1, &yf, &op.contract.1);
        if T::DTYPE == Acc::DTYPE {
            return multiply::<Acc>(&x, &y, out.elements());
        }
        let sums = Tensor::write(out.shape().clone(), |sums: &mut [Acc]| multiply(&x, &y, sums));
        out.copy_from(converted(&sums, T::DTYPE).view());
    })
}

/// An operand as matrices of free by contracted elements.
pub struct Matrices<'a> {
    x: View<'a>,
    /// The operand in order, where it did not lie so.
    copy: Option<Tensor>,
    /// Where each matrix starts.
    starts: Vec<isize>,
    free: Axis,
    contracted: Axis,
}

/// Elements that lie at one step.
#[derive(Clone, Copy)]
pub struct Axis {
    /// How many.
    pub size: usize,
    /// The distance from one to the next.
    pub step: isize,
}

impl<'a> Matrices<'a> {
    fn new(x: View<'a>, batch: &[usize], free: &[usize], contract: &[usize]) -> Matrices<'a> {
        let in_place = Matrices::lying(x.shape(), batch, free, contract);
        if let Some((starts, free, contracted)) = in_place {
            return Matrices { x, copy: None, starts, free, contracted };
        }
        let order: Dims = batch.iter().chain(free).chain(contract).copied().collect();
        let axes: Vec<usize> = (0..order.len()).collect();
        let (batch, rest) = axes.split_at(batch.len());
        let (free, contract) = rest.split_at(free.len());
        let shape: Shape = order.iter().map(|&d| x.shape()[d]).collect();
        let copy = made(&x.ty().with_shape(shape), |y| transpose(&order, x, y));
        let (starts, free, contracted) = Matrices::lying(copy.shape(), batch, free, contract).expect("in order");
        Matrices { x, copy: Some(copy), starts, free, contracted }
    }

    /// Where matrices start and how their elements lie, if both axes lie at one step.
    fn lying(shape: &Shape, batch: &[usize], free: &[usize], contract: &[usize]) -> Option<(Vec<isize>, Axis, Axis)> {
        let steps = strides(shape);
        let (free, contracted) = (line(shape, &steps, free)?, line(shape, &steps, contract)?);
        let sizes: Dims = batch.iter().map(|&d| shape[d]).collect();
        let batch_steps: Vec<isize> = batch.iter().map(|&d| steps[d]).collect();
        let mut starts = Vec::new();
        for_each_offset(&sizes, 0, &batch_steps, |at| starts.push(at));
        Some((starts, free, contracted))
    }

    fn all<T: Element>(&self) -> &[T] {
        self.copy.as_ref().map_or_else(|| self.x.elements(), |copy| copy.elements())
    }

    fn matrix<T: Element>(&self, i: usize) -> Matrix<'_, T> {
        Matrix { v: &self.all()[self.starts[i] as usize..], free: self.free, contracted: self.contracted }
    }

    /// Whether the last number of the last matrix is an element.
    fn is_inside<T: Element>(&self) -> bool {
        let last = |a: Axis| (a.size.max(1) - 1) as isize * a.step;
        let start = self.starts.iter().max().copied().unwrap_or(0);
        let none = self.free.size == 0 || self.contracted.size == 0 || self.starts.is_empty();
        none || start + last(self.free) + last(self.contracted) < self.all::<T>().len() as isize
    }
}

/// These axes as one, if their elements lie at one step.
fn line(shape: &Shape, steps: &[isize], axes: &[usize]) -> Option<Axis> {
    let mut line = Axis { size: 1, step: 1 };
    for &d in axes.iter().rev().filter(|d| shape[**d] != 1) {
        if line.size == 1 {
            line.step = steps[d];
        } else if steps[d] != line.step * line.size as isize {
            return None;
        }
        line.size *= shape[d];
    }
    Some(line)
}

/// The products of an op on operands of these shapes; none if an operand is to be copied into order first.
pub fn products<T: Real>(op: &DotGeneral, x: &Shape, y: &Shape) -> Option<Products<T>> {
    let (xf, yf) = (op.lhs_free(x.rank()), op.rhs_free(y.rank()));
    let x = Matrices::lying(x, &op.batch.0, &xf, &op.contract.0)?;
    let y = Matrices::lying(y, &op.batch.1, &yf, &op.contract.1)?;
    Some(of_matrices((&x.0, x.1, x.2), (&y.0, y.1, y.2)))
}

fn of_matrices<T: Real>(x: (&[isize], Axis, Axis), y: (&[isize], Axis, Axis)) -> Products<T> {
    let starts = x.0.iter().zip(y.0).map(|(&x, &y)| [x, y]).collect();
    Products::new([x.1.size, y.1.size, x.2.size], [x.1.step, x.2.step], [y.1.step, y.2.step], starts)
}

fn multiply<T: Product>(x: &Matrices<'_>, y: &Matrices<'_>, out: &mut [T]) {
    if T::all_products(x, y, out) {
        return;
    }
    out.fill(T::default());
    let (batch, size) = (x.starts.len(), x.free.size * y.free.size);
    if out.is_empty() || x.contracted.size == 0 {
        return;
    }
    let work = size.saturating_mul(x.contracted.size);
    if batch == 1 || work > gemm::DEFAULT_THREADING_THRESHOLD || batch.saturating_mul(work) <= PARALLEL {
        for (i, out) in out.chunks_mut(size).enumerate() {
            T::product(x.matrix(i), y.matrix(i), out, true);
        }
    } else {
        let some = (PARALLEL / work / 4).max(1);
        blocks(out, some * size, batch.saturating_mul(work), &|block, out| {
            for (i, out) in out.chunks_mut(size).enumerate() {
                T::product(x.matrix(block * some + i), y.matrix(block * some + i), out, false);
            }
        });
    }
}

/// One matrix of free by contracted elements.
pub struct Matrix<'a, T> {
    /// The elements, from the first of the matrix on.
    pub v: &'a [T],
    /// The axis of the result.
    pub free: Axis,
    /// The axis that is summed over.
    pub contracted: Axis,
}

impl<T> Matrix<'_, T> {
    /// The distance of an element from the first.
    fn at(&self, i: usize, k: usize) -> usize {
        i * self.free.step as usize + k * self.contracted.step as usize
    }

    fn last(&self) -> usize {
        self.at(self.free.size - 1, self.contracted.size - 1)
    }
}

impl<'a, T: Copy> Matrix<'a, T> {
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
pub trait Product: Element {
    /// Writes the products of all matrices; `false` if the type has only [`Product::product`].
    #[doc(hidden)]
    fn all_products(_: &Matrices<'_>, _: &Matrices<'_>, _: &mut [Self]) -> bool {
        false
    }
    /// Adds `x yᵀ` to `out`. No size is zero.
    fn product(x: Matrix<'_, Self>, y: Matrix<'_, Self>, out: &mut [Self], threads: bool);
}

macro_rules! through_gemm {
    ($($t:ty $(, $real:literal)?;)*) => {$(
        impl Product for $t {
            $(fn all_products(x: &Matrices<'_>, y: &Matrices<'_>, out: &mut [$t]) -> bool {
                let _ = $real;
                let products = of_matrices::<$t>(
                    (&x.starts, x.free, x.contracted),
                    (&y.starts, y.free, y.contracted),
                );
                assert!(x.is_inside::<$t>() && y.is_inside::<$t>());
                assert_eq!(out.len(), x.starts.len() * x.free.size * y.free.size);
                // SAFETY: every number that is named lies in the operands, as asserted; `out` is borrowed mutably.
                unsafe { products.run(x.all::<$t>().as_ptr(), y.all::<$t>().as_ptr(), out.as_mut_ptr()) };
                true
            })?

            fn product(x: Matrix<'_, $t>, y: Matrix<'_, $t>, out: &mut [$t], threads: bool) {
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
through_gemm! { f32, true; f64, true; Complex<f32>; Complex<f64>; }

/// Whole numbers and booleans: sums of their products are the same in any order.
trait Whole: Element {
    /// The sum with one more product.
    fn with_product(self, x: Self, y: Self) -> Self;
}

/// Adds products to a row of sums: of numbers at this step, each with a row. Four rows are read for each sum.
#[inline(always)]
fn add_rows<T: Whole>(sums: &mut [T], x: &[T], step: usize, y: &[T]) {
    let n = sums.len();
    for (k, rows) in y.chunks(4 * n).enumerate() {
        let count = rows.len() / n;
        // Where there are fewer rows, zero times the first one is added.
        let factor = |i: usize| if i < count { x[(4 * k + i) * step] } else { T::default() };
        let row = |i: usize| rows[if i < count { i * n } else { 0 }..].iter().take(n);
        let [a, b, c, d] = std::array::from_fn(factor);
        for ((((sum, &p), &q), &r), &s) in sums.iter_mut().zip(row(0)).zip(row(1)).zip(row(2)).zip(row(3)) {
            *sum = sum.with_product(a, p).with_product(b, q).with_product(c, r).with_product(d, s);
        }
    }
}

/// The same, compiled for vectors of 256 bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_rows_avx2<T: Whole>(sums: &mut [T], x: &[T], step: usize, y: &[T]) {
    add_rows(sums, x, step, y);
}

fn add_rows_here<T: Whole>(sums: &mut [T], x: &[T], step: usize, y: &[T]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has these instructions.
        return unsafe { add_rows_avx2(sums, x, step, y) };
    }
    add_rows(sums, x, step, y);
}

macro_rules! by_loop {
    ($($t:ty)*, |$sum:ident, $x:ident, $y:ident| $f:expr) => {$(
        impl Whole for $t {
            #[inline(always)]
            fn with_product(self, $x: $t, $y: $t) -> $t {
                let $sum = self;
                $f
            }
        }

        impl Product for $t {
            fn product(x: Matrix<'_, $t>, y: Matrix<'_, $t>, out: &mut [$t], threads: bool) {
                let (n, depth) = (y.free.size, x.contracted.size);
                let y = y.rows();
                let work = if threads { out.len().saturating_mul(depth) } else { 0 };
                blocks(out, n, work, &|i, row| add_rows_here(row, &x.v[x.at(i, 0)..], x.contracted.step as usize, &y));
            }
        }
    )*};
}
by_loop! { i8 i16 i32 i64 u8 u16 u32 u64, |sum, x, y| sum.wrapping_add(x.wrapping_mul(y)) }
by_loop! { bool, |sum, x, y| sum | (x & y) }
