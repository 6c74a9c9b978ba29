//! Running sums, products, extremes and log-sums.

use super::number::{self, Arg, Real, Zip, zip};
use super::parallel::blocks;
use num_traits::{Float, WrappingAdd, WrappingMul};
use wengert_core::ops::{Binary, Cumulative, CumulativeKind};
use wengert_core::{Complex, DType, Element, View, ViewMut, bf16, f16, with_dtype};

/// The result may lie where the operand does.
pub(crate) fn cumulative(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>) {
    let binary = match op.kind {
        CumulativeKind::LogSumExp => {
            return match x.dtype() {
                DType::F16 => accumulate(op, x, y, zip!(log_add_exp::<f16>)),
                DType::BF16 => accumulate(op, x, y, zip!(log_add_exp::<bf16>)),
                DType::F32 => accumulate(op, x, y, zip!(log_add_exp::<f32>)),
                DType::F64 => accumulate(op, x, y, zip!(log_add_exp::<f64>)),
                DType::C64 => accumulate(op, x, y, zip!(complex_log_add_exp::<f32>)),
                _ => accumulate(op, x, y, zip!(complex_log_add_exp::<f64>)),
            };
        }
        CumulativeKind::Sum => Binary::Add,
        CumulativeKind::Prod => Binary::Mul,
        CumulativeKind::Max => Binary::Max,
        CumulativeKind::Min => Binary::Min,
    };
    match x.dtype() {
        DType::F32 => of_floats::<f32>(op, x, y),
        DType::F64 => of_floats::<f64>(op, x, y),
        DType::I32 => of_integers::<i32>(op, x, y),
        DType::I64 => of_integers::<i64>(op, x, y),
        _ => with_dtype!(x.dtype(), T => accumulate(op, x, y, number::binary::<T>(binary))),
    }
}

/// The kinds of floats that programs have most of, with loops of their own.
fn of_floats<T: Real + number::Float>(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>) {
    match op.kind {
        CumulativeKind::Sum => lines(op, x, y, |a: T, b: T| a + b),
        CumulativeKind::Prod => lines(op, x, y, |a: T, b: T| a * b),
        CumulativeKind::Max => lines(op, x, y, number::max::<T>),
        CumulativeKind::Min => lines(op, x, y, number::min::<T>),
        CumulativeKind::LogSumExp => unreachable!("it is done"),
    }
}

/// The same for integers.
fn of_integers<T: Element + Ord + WrappingAdd + WrappingMul>(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>) {
    match op.kind {
        CumulativeKind::Sum => lines(op, x, y, |a: T, b: T| a.wrapping_add(&b)),
        CumulativeKind::Prod => lines(op, x, y, |a: T, b: T| a.wrapping_mul(&b)),
        CumulativeKind::Max => lines(op, x, y, T::max),
        CumulativeKind::Min => lines(op, x, y, T::min),
        CumulativeKind::LogSumExp => unreachable!("integers have none"),
    }
}

/// Combines rows along the axis, in the order of [`BLOCK`].
fn lines<T: Element>(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>, f: impl Fn(T, T) -> T + Copy + Sync) {
    let n = x.shape()[op.dim];
    let width: usize = x.shape()[op.dim + 1..].iter().product();
    let work = y.size();
    if work == 0 {
        return;
    }
    let line = Line { f, width, reverse: op.reverse };
    let copied: Vec<T>;
    let (splat, same) = (x.is_splat() && work != 1, x.start() == y.start().cast_const());
    let from: &[T] = match splat || same {
        true => {
            copied = if splat { vec![x.elements()[0]; work] } else { x.elements().to_vec() };
            &copied
        }
        false => x.elements(),
    };
    let to = y.elements::<T>();
    match from.len() == n * width {
        true => line.scan(from, to),
        false => blocks(to, n * width, work, &|i, y| line.scan(&from[i * n * width..(i + 1) * n * width], y)),
    }
}

/// Rows that are combined along one axis.
#[derive(Clone, Copy)]
struct Line<F> {
    f: F,
    width: usize,
    reverse: bool,
}

impl<F: Copy + Sync> Line<F> {
    fn scan<T: Element>(&self, x: &[T], y: &mut [T])
    where
        F: Fn(T, T) -> T,
    {
        let block = BLOCK * self.width;
        if x.len() <= block {
            return self.in_order(x, y);
        }
        let count = x.len().div_ceil(block);
        let of = |i: usize| i * block..x.len().min((i + 1) * block);
        let mut totals = vec![T::default(); count * self.width];
        blocks(&mut totals, SHARE * self.width, x.len(), &|share, totals| {
            let first = share * SHARE;
            let done = if self.width == 1 { self.totals_together(&x[first * block..], totals) } else { 0 };
            for (i, total) in totals.chunks_exact_mut(self.width).enumerate().skip(done) {
                self.total(&x[of(first + i)], total);
            }
        });
        let mut beside = vec![T::default(); totals.len()];
        self.scan(&totals, &mut beside);
        drop(totals);
        blocks(y, SHARE * block, x.len(), &|share, y| {
            let first = share * SHARE;
            let together = self.width == 1 && !self.reverse && first > 0;
            let done = if together { self.blocks_together(&x[first * block..], &beside[first - 1..], y) } else { 0 };
            for (i, y) in y.chunks_mut(block).enumerate().skip(done) {
                let i = first + i;
                self.in_order(&x[of(i)], y);
                let next = if self.reverse { i + 1 } else { i.wrapping_sub(1) };
                if next < count {
                    self.with(&beside[next * self.width..(next + 1) * self.width], y);
                }
            }
        });
    }

    /// What the elements of whole blocks have together, [`BLOCK`] blocks at a time: their sums do not wait for each other.
    /// Gives how many blocks are done.
    fn totals_together<T: Element>(&self, x: &[T], totals: &mut [T]) -> usize
    where
        F: Fn(T, T) -> T,
    {
        let many = x.chunks_exact(BLOCK * BLOCK).zip(totals.chunks_exact_mut(BLOCK));
        many.map(|(x, totals)| {
            (0..BLOCK).for_each(|b| totals[b] = x[b * BLOCK]);
            for i in 1..BLOCK {
                (0..BLOCK).for_each(|b| totals[b] = (self.f)(totals[b], x[b * BLOCK + i]));
            }
            BLOCK
        })
        .sum()
    }

    /// The elements of whole blocks in their order, with what is beside each, [`BLOCK`] blocks at a time. Gives how many
    /// blocks are done.
    fn blocks_together<T: Element>(&self, x: &[T], beside: &[T], y: &mut [T]) -> usize
    where
        F: Fn(T, T) -> T,
    {
        let many = x.chunks_exact(BLOCK * BLOCK).zip(y.chunks_exact_mut(BLOCK * BLOCK)).zip(beside.chunks(BLOCK));
        many.map(|((x, y), beside)| {
            let mut sums = [T::default(); BLOCK];
            for i in 0..BLOCK {
                for b in 0..BLOCK {
                    let at = b * BLOCK + i;
                    sums[b] = if i == 0 { x[at] } else { (self.f)(sums[b], x[at]) };
                    y[at] = (self.f)(beside[b], sums[b]);
                }
            }
            BLOCK
        })
        .sum()
    }

    /// What the rows of a block have together: in one order, forward and in reverse.
    fn total<T: Element>(&self, x: &[T], total: &mut [T])
    where
        F: Fn(T, T) -> T,
    {
        if self.width == 1 {
            total[0] = x[1..].iter().fold(x[0], |sum, &x| (self.f)(sum, x));
            return;
        }
        let mut rows = x.chunks_exact(self.width);
        total.copy_from_slice(rows.next().expect("no block is empty"));
        for row in rows {
            total.iter_mut().zip(row).for_each(|(t, &x)| *t = (self.f)(*t, x));
        }
    }

    /// Each row with the one of the blocks beside.
    fn with<T: Element>(&self, beside: &[T], y: &mut [T])
    where
        F: Fn(T, T) -> T,
    {
        match *beside {
            [one] => y.iter_mut().for_each(|y| *y = (self.f)(one, *y)),
            _ => y.chunks_exact_mut(self.width).for_each(|row| {
                row.iter_mut().zip(beside).for_each(|(y, &b)| *y = (self.f)(b, *y));
            }),
        }
    }

    fn in_order<T: Element>(&self, x: &[T], y: &mut [T])
    where
        F: Fn(T, T) -> T,
    {
        let w = self.width;
        if self.reverse {
            y.copy_from_slice(x);
            for i in 1..x.len() / w {
                y.iter_mut().zip(&x[i * w..]).for_each(|(y, &x)| *y = (self.f)(*y, x));
            }
        } else if w == 1 {
            let mut sum = x[0];
            y[0] = sum;
            for (y, &x) in y.iter_mut().zip(x).skip(1) {
                sum = (self.f)(sum, x);
                *y = sum;
            }
        } else {
            y[..w].copy_from_slice(&x[..w]);
            for i in 1..x.len() / w {
                let (before, here) = y.split_at_mut(i * w);
                let rows = before[(i - 1) * w..].iter().zip(&x[i * w..]);
                here.iter_mut().zip(rows).for_each(|(y, (&before, &x))| *y = (self.f)(before, x));
            }
        }
    }
}

fn log_add_exp<R: Float>(x: R, y: R) -> R {
    let less = -(x - y).abs();
    // NaN stays; equal infinities have no difference.
    if less.is_nan() { x + y } else { x.max(y) + less.exp().ln_1p() }
}

fn complex_log_add_exp<R: Real>(x: Complex<R>, y: Complex<R>) -> Complex<R> {
    let (high, low) = if x.re > y.re { (x, y) } else { (y, x) };
    let sum = high + (Complex::from(R::one()) + (low - high).exp()).ln();
    // The argument lies in the half-open turn around zero, as that of a logarithm does.
    let turn = R::TAU();
    Complex::new(sum.re, sum.im - turn * ((sum.im - R::PI()) / turn).ceil())
}

/// The same for types that programs have fewer of: the function that the ops of arrays have, called for each element.
fn accumulate<T: Element>(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>, f: Zip<T, T>) {
    lines(op, x, y, move |a: T, b: T| {
        let mut out = [a];
        f(Arg::One(a), Arg::One(b), &mut out);
        out[0]
    });
}

/// So many rows are combined one after the other, then what such blocks have together: the order of XLA on the CPU. Sums
/// are its own to the bit then, and long ones of short floats lose little.
const BLOCK: usize = 16;
/// Blocks that a thread takes at a time.
const SHARE: usize = 1 << 10;
