//! Contractions: matrix products, one for each index of the batch axes. Operands are read where they lie if their free
//! and their contracted axes each lie at one step, and are copied into order otherwise. A product of complex numbers is one of
//! their parts: of `m` by `2 k` and `2 k` by `2 n` numbers, where each product with a real part is followed by that with
//! the imaginary part.

use super::elementwise::{convert, converted};
use super::number::Accumulate;
use super::parallel::{PARALLEL, blocks};
use super::product::{Products, Real};
use super::scratch::Scratch;
use super::shape::{for_each_offset, made, strides, transpose};
use std::borrow::Cow;
use std::ops::Neg;
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
            return Acc::multiply(&x, &y, out.elements());
        }
        let sums = Tensor::write(out.shape().clone(), |sums: &mut [Acc]| Acc::multiply(&x, &y, sums));
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
    /// Writes the products of all matrices.
    #[doc(hidden)]
    fn multiply(x: &Matrices<'_>, y: &Matrices<'_>, out: &mut [Self]);
}

macro_rules! reals {
    ($($t:ty)*) => {$(
        impl Product for $t {
            fn multiply(x: &Matrices<'_>, y: &Matrices<'_>, out: &mut [$t]) {
                let products = of_matrices::<$t>(
                    (&x.starts, x.free, x.contracted),
                    (&y.starts, y.free, y.contracted),
                );
                assert!(x.is_inside::<$t>() && y.is_inside::<$t>());
                assert_eq!(out.len(), x.starts.len() * x.free.size * y.free.size);
                // SAFETY: every number that is named lies in the operands, as asserted; `out` is borrowed mutably.
                unsafe { products.run(x.all::<$t>().as_ptr(), y.all::<$t>().as_ptr(), out.as_mut_ptr()) };
            }
        }

        impl Product for Complex<$t> {
            fn multiply(x: &Matrices<'_>, y: &Matrices<'_>, out: &mut [Complex<$t>]) {
                assert!(x.is_inside::<Complex<$t>>() && y.is_inside::<Complex<$t>>());
                assert_eq!(out.len(), x.starts.len() * x.free.size * y.free.size);
                let (m, n, k) = (x.free.size, 2 * y.free.size, 2 * x.contracted.size);
                let right = right_parts::<$t>(y);
                let left = (x.contracted.step != 1).then(|| left_in_order::<$t>(x));
                let (numbers, row): (&[Complex<$t>], usize) = match &left {
                    Some(left) => (left, k),
                    None => (x.all(), 2 * x.free.step as usize),
                };
                let start = |i: usize| if left.is_some() { i * m * k } else { 2 * x.starts[i] as usize };
                let starts = (0..x.starts.len()).map(|i| [start(i) as isize, (i * k * n) as isize]).collect();
                let products = Products::<$t>::new([m, n, k], [row as isize, 1], [1, n as isize], starts);
                // SAFETY: every part of a number that is named lies in the operands, as asserted; a complex number is its
                // two parts; `out` is borrowed mutably.
                unsafe { products.run(numbers.as_ptr().cast(), right.as_ptr(), out.as_mut_ptr().cast()) };
            }
        }
    )*};
}
reals! { f32 f64 }

/// What the parts of complex numbers are multiplied with: for each number of the right operand a row for the real part, and
/// one for the imaginary part; each gives both parts of a result.
fn right_parts<T: Real + Neg<Output = T>>(y: &Matrices<'_>) -> Scratch<T>
where
    Complex<T>: Element,
{
    let (n, k) = (y.free.size, y.contracted.size);
    let mut parts = Scratch::new(4 * n * k * y.starts.len());
    for (i, rows) in parts.chunks_exact_mut((4 * n).max(1)).enumerate() {
        let numbers = y.matrix::<Complex<T>>(i / k);
        let (real, imaginary) = rows.split_at_mut(2 * n);
        for (j, (a, b)) in real.chunks_exact_mut(2).zip(imaginary.chunks_exact_mut(2)).enumerate() {
            let Complex { re, im } = numbers.v[numbers.at(j, i % k)];
            a.copy_from_slice(&[re, im]);
            b.copy_from_slice(&[-im, re]);
        }
    }
    parts
}

/// The left operand with the contracted elements of each free one next to each other.
fn left_in_order<T: Real>(x: &Matrices<'_>) -> Scratch<Complex<T>>
where
    Complex<T>: Element,
{
    let (m, k) = (x.free.size, x.contracted.size);
    let mut all = Scratch::new(m * k * x.starts.len());
    for (i, row) in all.chunks_exact_mut(k.max(1)).enumerate() {
        let numbers = x.matrix::<Complex<T>>(i / m);
        row.iter_mut().enumerate().for_each(|(p, to)| *to = numbers.v[numbers.at(i % m, p)]);
    }
    all
}

/// Whole numbers and booleans: sums of their products are the same in any order.
trait Whole: Copy + Default + Send + Sync {
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
        let row = |i: usize| &rows[if i < count { i * n } else { 0 }..][..n];
        let ([a, b, c, d], [p, q, r, s]) = (std::array::from_fn(factor), std::array::from_fn(row));
        // All slices are known to be as long, so this is done by vectors.
        for j in 0..n {
            sums[j] = sums[j].with_product(a, p[j]).with_product(b, q[j]).with_product(c, r[j]).with_product(d, s[j]);
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

fn rows_by_rows<T: Element, W: Whole>(x: &Matrices<'_>, y: &Matrices<'_>, out: &mut [T]) {
    out.fill(T::default());
    let (m, n, k) = (x.free.size, y.free.size, x.contracted.size);
    if out.is_empty() || k == 0 {
        return;
    }
    let one = |i: usize, out: &mut [T], work: usize| {
        let (x, y) = (x.matrix::<T>(i), y.matrix::<T>(i));
        let y = y.rows();
        blocks(out, n, work, &|i, row| {
            add_rows_here(whole_mut::<T, W>(row), whole(&x.v[x.at(i, 0)..]), x.contracted.step as usize, whole(&y))
        });
    };
    let work = m.saturating_mul(n).saturating_mul(k);
    let all = work.saturating_mul(x.starts.len());
    if work > PARALLEL || all <= PARALLEL {
        return out.chunks_mut(m * n).enumerate().for_each(|(i, out)| one(i, out, work));
    }
    let some = (PARALLEL / work / 4).max(1);
    blocks(out, some * m * n, all, &|block, out| {
        out.chunks_mut(m * n).enumerate().for_each(|(i, out)| one(block * some + i, out, 0));
    });
}

macro_rules! by_loop {
    ($($t:ty as $w:ty),*) => {$(
        impl Product for $t {
            fn multiply(x: &Matrices<'_>, y: &Matrices<'_>, out: &mut [$t]) {
                rows_by_rows::<$t, $w>(x, y, out);
            }
        }
    )*};
}
by_loop! {
    i8 as i8, i16 as i16, i32 as i32, i64 as i64, u8 as u8, u16 as u16, u32 as u32, u64 as u64, bool as Truth
}

macro_rules! whole {
    ($($t:ty)*) => {$(
        impl Whole for $t {
            #[inline(always)]
            fn with_product(self, x: $t, y: $t) -> $t {
                self.wrapping_add(x.wrapping_mul(y))
            }
        }
    )*};
}
whole! { i8 i16 i32 i64 u8 u16 u32 u64 }

/// A boolean as the byte that it is: of those there are vectors.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
struct Truth(u8);

impl Whole for Truth {
    #[inline(always)]
    fn with_product(self, x: Truth, y: Truth) -> Truth {
        Truth(self.0 | x.0 & y.0)
    }
}

/// Elements as the whole numbers they are computed as, which are the same bytes.
fn whole<T: Element, W: Whole>(x: &[T]) -> &[W] {
    const { assert!(size_of::<T>() == size_of::<W>() && align_of::<T>() == align_of::<W>()) };
    // SAFETY: as many of the same size; integers as themselves, or booleans as bytes.
    unsafe { std::slice::from_raw_parts(x.as_ptr().cast(), x.len()) }
}

/// The same of elements that are written.
fn whole_mut<T: Element, W: Whole>(x: &mut [T]) -> &mut [W] {
    const { assert!(size_of::<T>() == size_of::<W>() && align_of::<T>() == align_of::<W>()) };
    // SAFETY: as for `whole`; what is combined of bytes that are zero or one is zero or one.
    unsafe { std::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::product::{by_rule, chains};
    use wengert_core::Type;

    /// A product of complex numbers against that of their parts, in the order of the rule.
    #[test]
    fn complex_products_are_those_of_their_parts() {
        let number = |i: usize| Complex::new((i * 37 % 101) as f32 / 7.0 - 6.0, (i * 53 % 89) as f32 / 3.0 - 13.0);
        for (m, n, k) in [(1, 1, 3), (3, 2, 5), (9, 20, 140), (30, 7, 257), (2, 3, 0)] {
            for (left, right) in [(1, 0), (0, 0), (1, 1), (0, 1)] {
                let shape = |contracted: usize, free: usize| if contracted == 1 { [free, k] } else { [k, free] };
                let tensor = |shape: [usize; 2]| {
                    Tensor::write(Shape::from(shape), |v: &mut [Complex<f32>]| {
                        v.iter_mut().enumerate().for_each(|(i, v)| *v = number(i))
                    })
                };
                let (x, y) = (tensor(shape(left, m)), tensor(shape(right, n)));
                let op = DotGeneral {
                    batch: Default::default(),
                    contract: ([left].into_iter().collect(), [right].into_iter().collect()),
                };
                let out =
                    made(&Type::new(Complex::<f32>::DTYPE, [m, n]), |out| dot_general(&op, x.view(), y.view(), out));
                let at = |v: &Tensor, contracted: usize, free: usize, i: usize, p: usize| {
                    v.elements::<Complex<f32>>()[if contracted == 1 { i * k + p } else { p * free + i }]
                };
                let chains = chains(m, 2 * n, 2 * k);
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let pair = |p: usize| (at(&x, left, m, i, p), at(&y, right, n, j, p));
                    let real = (0..k).flat_map(|p| {
                        let (x, y) = pair(p);
                        [(x.re, y.re), (x.im, -y.im)]
                    });
                    let imaginary = (0..k).flat_map(|p| {
                        let (x, y) = pair(p);
                        [(x.re, y.im), (x.im, y.re)]
                    });
                    let expected =
                        [by_rule(&real.collect::<Vec<_>>(), chains), by_rule(&imaginary.collect::<Vec<_>>(), chains)];
                    let got = out.elements::<Complex<f32>>()[i * n + j];
                    assert_eq!(
                        [got.re, got.im].map(f32::to_bits),
                        expected.map(|x| if k == 0 { 0 } else { x.to_bits() })
                    );
                }
            }
        }
    }
}
