//! Running sums, products, extremes and log-sums.

mod side_by_side;

use super::number::{self, Arg, Real, Zip, zip};
use super::parallel::blocks;
use num_traits::Float;
use side_by_side::{SideBySide, Summed};
use std::ops::Range;
use wengert_core::ops::{Binary, Cumulative, CumulativeKind};
use wengert_core::{Complex, DType, Element, View, ViewMut, bf16, f16, with_dtype};

/// The result may lie where the operand does.
pub(crate) fn cumulative(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>) {
    let binary = match op.kind {
        CumulativeKind::LogSumExp => {
            return match x.dtype() {
                DType::F16 => scan(op, x, y, zip!(log_add_exp::<f16>)),
                DType::BF16 => scan(op, x, y, zip!(log_add_exp::<bf16>)),
                DType::F32 => scan(op, x, y, zip!(log_add_exp::<f32>)),
                DType::F64 => scan(op, x, y, zip!(log_add_exp::<f64>)),
                DType::C64 => scan(op, x, y, zip!(complex_log_add_exp::<f32>)),
                _ => scan(op, x, y, zip!(complex_log_add_exp::<f64>)),
            };
        }
        CumulativeKind::Sum => Binary::Add,
        CumulativeKind::Prod => Binary::Mul,
        CumulativeKind::Max => Binary::Max,
        CumulativeKind::Min => Binary::Min,
    };
    if op.kind == CumulativeKind::Sum {
        // What programs have most of, with loops of its own where lines are long.
        match x.dtype() {
            DType::F32 => return scan_with(op, x, y, number::binary::<f32>(binary), Some(f32::side_by_side())),
            DType::F64 => return scan_with(op, x, y, number::binary::<f64>(binary), Some(f64::side_by_side())),
            DType::I32 => return scan_with(op, x, y, number::binary::<i32>(binary), Some(i32::side_by_side())),
            DType::I64 => return scan_with(op, x, y, number::binary::<i64>(binary), Some(i64::side_by_side())),
            _ => {}
        }
    }
    with_dtype!(x.dtype(), T => scan(op, x, y, number::binary::<T>(binary)))
}

fn scan<T: Element>(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>, f: Zip<T, T>) {
    scan_with(op, x, y, f, None);
}

/// Combines rows along the axis, in the order of [`BLOCK`].
fn scan_with<T: Element>(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>, f: Zip<T, T>, fast: Option<SideBySide<T>>) {
    let n = x.shape()[op.dim];
    let width: usize = x.shape()[op.dim + 1..].iter().product();
    let work = y.size();
    if work == 0 {
        return;
    }
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
    if n == 1 {
        return to.copy_from_slice(from);
    }
    let line = Line { f, width, reverse: op.reverse, fast };
    // Lines of single elements go side by side, if they are not long.
    let lines = if width == 1 && n <= PANEL { BLOCK } else { 1 };
    let piece = lines * n * width;
    blocks(to, piece, work, &|i, y| {
        let x = &from[i * piece..i * piece + y.len()];
        match lines {
            1 => line.scan(x, y),
            _ if n <= BLOCK => line.running(&Tile { steps: n, step: 1, lanes: y.len() / n, lane: n }, x, None, y),
            _ => line.scan_panel(x, y, n),
        }
    });
}

/// Rows that are combined along one axis.
struct Line<T: 'static> {
    f: Zip<T, T>,
    width: usize,
    reverse: bool,
    fast: Option<SideBySide<T>>,
}

/// Elements that are combined side by side: a few steps in each of at most [`BLOCK`] lanes, which lie at these distances.
struct Tile {
    steps: usize,
    step: usize,
    lanes: usize,
    lane: usize,
}

impl Tile {
    /// Whether these are as many whole blocks of single elements as go at once.
    fn is_full(&self) -> bool {
        (self.steps, self.step, self.lanes, self.lane) == (BLOCK, 1, BLOCK, BLOCK)
    }

    /// The elements of all lanes at a step.
    fn row<'a, T: Element>(&self, x: &'a [T], step: usize, room: &'a mut [T; BLOCK]) -> &'a [T] {
        let x = &x[step * self.step..];
        if self.lane == 1 {
            return &x[..self.lanes];
        }
        room.iter_mut().zip(x.iter().step_by(self.lane)).take(self.lanes).for_each(|(room, x)| *room = *x);
        &room[..self.lanes]
    }
}

impl<T: Element> Line<T> {
    fn scan(&self, x: &[T], y: &mut [T]) {
        let (block, width) = (BLOCK * self.width, self.width);
        let count = x.len().div_ceil(block);
        let mut beside = Vec::new();
        if count > 1 {
            let mut totals = vec![T::default(); count * width];
            blocks(&mut totals, SHARE * width, x.len(), &|share, totals| {
                let start = share * SHARE;
                self.tiles(x.len(), start..start + totals.len() / width, &mut |at, lane, tile| {
                    let lane = lane - start * width;
                    self.total(tile, &x[at..], &mut totals[lane..lane + tile.lanes]);
                });
            });
            beside = vec![T::default(); totals.len()];
            self.scan(&totals, &mut beside);
        }
        blocks(y, SHARE * block, x.len(), &|share, y| {
            let start = share * SHARE;
            self.tiles(x.len(), start..start + y.len().div_ceil(block), &mut |at, lane, tile| {
                let next = if self.reverse { Some(lane + width) } else { lane.checked_sub(width) };
                let beside = next.and_then(|next| beside.get(next..next + tile.lanes));
                self.running(tile, &x[at..], beside, &mut y[at - start * block..]);
            });
        });
    }

    /// Some lines of `n` single elements, as rows that have an element of each.
    fn scan_panel(&self, x: &[T], y: &mut [T], n: usize) {
        let lines = x.len() / n;
        let mut rows = vec![T::default(); x.len()];
        for (l, x) in x.chunks_exact(n).enumerate() {
            rows[l..].iter_mut().step_by(lines).zip(x).for_each(|(row, x)| *row = *x);
        }
        let mut sums = vec![T::default(); x.len()];
        Line { width: lines, ..*self }.scan(&rows, &mut sums);
        for (l, y) in y.chunks_exact_mut(n).enumerate() {
            y.iter_mut().zip(sums[l..].iter().step_by(lines)).for_each(|(y, sum)| *y = *sum);
        }
    }

    /// The tiles of some blocks of a line of so many elements: calls `f` with the place of each, and its first lane, of
    /// which each block has as many as rows have elements. All lanes of a tile have a block beside them, or none has.
    fn tiles(&self, n: usize, mut range: Range<usize>, f: &mut dyn FnMut(usize, usize, &Tile)) {
        let (block, width) = (BLOCK * self.width, self.width);
        let last = n.div_ceil(block) - 1;
        while !range.is_empty() {
            let at = range.start * block;
            let steps = (n - at).min(block) / width;
            let alone = range.start == 0 || range.start == last;
            let many = if alone || width > 1 { 1 } else { range.end.min(last).min(range.start + BLOCK) - range.start };
            match width {
                1 => f(at, range.start, &Tile { steps, step: 1, lanes: many, lane: BLOCK }),
                _ => (0..width).step_by(BLOCK).for_each(|j| {
                    let tile = Tile { steps, step: width, lanes: BLOCK.min(width - j), lane: 1 };
                    f(at + j, range.start * width + j, &tile);
                }),
            }
            range.start += many;
        }
    }

    /// What the elements of each lane have together: in one order, forward and in reverse.
    fn total(&self, tile: &Tile, x: &[T], out: &mut [T]) {
        if let Some(fast) = self.fast.filter(|_| tile.is_full()) {
            return (fast.totals)(x, out);
        }
        let (mut room, mut sums) = ([T::default(); BLOCK], [T::default(); BLOCK]);
        out.copy_from_slice(tile.row(x, 0, &mut room));
        for step in 1..tile.steps {
            let row = tile.row(x, step, &mut room);
            sums[..tile.lanes].copy_from_slice(out);
            (self.f)(Arg::Each(&sums[..tile.lanes]), Arg::Each(row), out);
        }
    }

    /// The elements of each lane with all before them, or behind them, and with what is beside the lane.
    fn running(&self, tile: &Tile, x: &[T], beside: Option<&[T]>, y: &mut [T]) {
        if let (Some(fast), Some(beside), true, false) = (self.fast, beside, tile.is_full(), self.reverse) {
            return (fast.running)(x, beside, y);
        }
        let lanes = tile.lanes;
        let (mut room, mut before) = ([T::default(); BLOCK], [T::default(); BLOCK]);
        let mut sums = [T::default(); BLOCK];
        for step in 0..tile.steps {
            let row = tile.row(x, step, &mut room);
            if step == 0 || self.reverse {
                sums[..lanes].copy_from_slice(row);
            } else {
                before = sums;
                (self.f)(Arg::Each(&before[..lanes]), Arg::Each(row), &mut sums[..lanes]);
            }
            for behind in step + 1..if self.reverse { tile.steps } else { 0 } {
                before = sums;
                let row = tile.row(x, behind, &mut room);
                (self.f)(Arg::Each(&before[..lanes]), Arg::Each(row), &mut sums[..lanes]);
            }
            let row = match beside {
                Some(beside) => {
                    (self.f)(Arg::Each(beside), Arg::Each(&sums[..lanes]), &mut before[..lanes]);
                    &before
                }
                None => &sums,
            };
            let y = y[step * tile.step..].iter_mut().step_by(tile.lane);
            y.zip(&row[..lanes]).for_each(|(y, x)| *y = *x);
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

/// So many rows are combined one after the other, then what such blocks have together: the order of XLA on the CPU. Sums
/// are its own to the bit then, and long ones of short floats lose little.
const BLOCK: usize = 16;
/// Lines of at most this many elements are taken some at a time.
const PANEL: usize = 4096;
/// Blocks that a thread takes at a time.
const SHARE: usize = 1 << 10;
