//! Products of matrices of `f32` and `f64`.
//!
//! What a product means is said by its sizes alone ([`chains`]): each result is the sum of its products in their order, every
//! one multiplied and added with one rounding. Where there are more than [`CHAIN`], they are cut in chains of one length
//! ([`chain`]), each with a sum of its own, which is added to those before it when it is complete. Where results are few there are 16 or 64 sums side by side instead, of any length, which take the
//! products in turns and are added by halves. A sum of no products is zero. So width of vectors, order of results, blocks
//! and number of threads change no bit.

mod lanes;
mod pack;
mod panels;
mod pieces;
mod segments;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::by_rule;
mod tile;
mod vector;

use super::parallel::{each, threads};
use super::scratch::Scratch;
use lanes::{Lanes, Plain};
use panels::Layout;
pub use segments::Sums;
use segments::SumsKernel;
use std::mem::MaybeUninit;
use std::ops::{Add, Mul, Range};
pub use tile::Segment;
use wengert_core::Element;

/// The most products that a sum has before another begins.
pub const CHAIN: usize = 384;

/// How many products a sum has before another begins, of so many in all: as many as others, but for the last.
pub const fn chain(products: usize) -> usize {
    match products.div_ceil(CHAIN) {
        0 | 1 => CHAIN,
        chains => products.div_ceil(chains),
    }
}

/// The sums of a result that is alone.
pub(crate) const LONE: usize = 64;
/// The sums of results that are few.
pub(crate) const SIDE_BY_SIDE: usize = 16;
/// The bytes of a room on the stack for numbers that are laid out anew: one panel and the rows of a tile.
const ROOM: usize = 80 << 10;
/// Products of more pairs than this are shared among threads, and those with a vector, which are as slow as memory, from
/// fewer on.
const MANY: usize = 3 << 20;
/// Those of more pairs than this are shared in more pieces than there are threads, one of which may come late.
const VERY_LARGE: usize = 1 << 24;
const MANY_WITH_VECTOR: usize = 1 << 19;
/// Pieces of more rows than this are cut before those of few columns are.
const HIGH: usize = 192;

/// How many sums a result has, in a product of `m` by `k` and `k` by `n` numbers: the products are taken in turns, and the
/// sums are added by halves in the end, the first half with the second. Always a power of two.
pub fn chains(m: usize, n: usize, k: usize) -> usize {
    let few = m.min(n);
    match () {
        _ if m.max(n) == 1 => LONE,
        _ if few == 1 || few <= 4 && m.max(n) <= 16 && k > SIDE_BY_SIDE => SIDE_BY_SIDE,
        _ => 1,
    }
}

/// Numbers whose products are computed here.
pub trait Real: Element + Add<Output = Self> + Mul<Output = Self> {
    /// `self · x + y`, rounded once.
    fn fused(self, x: Self, y: Self) -> Self;
    /// What computes with them on this machine.
    fn kernels() -> Kernels<Self>;
}

/// Functions that are compiled for the instructions of a machine.
#[derive(Clone, Copy)]
pub struct Kernels<T> {
    product: Kernel<T>,
    sums: SumsKernel<T>,
    lay: unsafe fn(*const T, [isize; 2], [usize; 2], *mut T, usize),
}

impl<T: Real> Kernels<T> {
    fn of<L: Lanes<T = T>>() -> Kernels<T> {
        Kernels { product: L::product, sums: L::sums, lay: L::lay }
    }
}

/// Copies numbers that lie at these steps along columns and rows, so that the columns of a row are neighbours; the next
/// row lies `row` further.
///
/// # Safety
/// There are as many numbers as `columns` and `rows` say, and there is room for them.
pub unsafe fn lay<T: Real>(from: *const T, steps: [isize; 2], [columns, rows]: [usize; 2], to: *mut T, row: usize) {
    // SAFETY: the caller's word; the function is one for this machine.
    unsafe { (T::kernels().lay)(from, steps, [columns, rows], to, row) }
}

/// Computes a part of a product. All numbers that the part names lie at these places.
type Kernel<T> = unsafe fn(&Part, *const T, *const T, *mut T);

/// A product, or some rows and columns of one: `out[i, j] = Σ x[i, p] · y[j, p]`.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    m: usize,
    n: usize,
    k: usize,
    /// The steps along rows and products.
    x: [isize; 2],
    y: [isize; 2],
    /// The steps along rows and columns.
    out: [isize; 2],
    /// How many sums a result has.
    chains: usize,
    /// How many products a sum has before another begins, where a result has one sum.
    chain: usize,
    /// Whether the first sum of a result goes on from what is there, where a result has one sum.
    goes_on: bool,
}

/// A zero that changes nothing when it is added to.
pub(crate) fn nothing<T: Element>() -> T {
    T::from_f64(-0.0)
}

/// Ranges that a number of things is shared in, as evenly as can be.
struct Shares {
    at: usize,
    left: usize,
    size: usize,
    larger: usize,
}

impl Shares {
    #[inline(always)]
    fn new(things: usize, shares: usize) -> Shares {
        // One share is the most frequent number of them.
        let (size, larger) = if shares <= 1 { (things, 0) } else { (things / shares, things % shares) };
        Shares { at: 0, left: shares, size, larger }
    }
}

impl Iterator for Shares {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        self.left = self.left.checked_sub(1)?;
        let end = self.at + self.size + (self.larger > 0) as usize;
        self.larger = self.larger.saturating_sub(1);
        Some(std::mem::replace(&mut self.at, end)..end)
    }
}

/// # Safety
/// As for [`Kernel`].
#[inline(always)]
unsafe fn product<L: Lanes>(p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T) {
    // SAFETY: the caller's word.
    unsafe {
        match p.chains {
            1 if p.k <= p.chain && !Layout::new::<L>(p).columns => panels::near::<L>(p, x, y, out),
            1 => L::by_panels(p, x, y, out),
            _ => many_sums::<L>(p, x, y, out),
        }
    }
}

/// # Safety
/// As for [`Kernel`]; results have one sum each.
#[inline(always)]
unsafe fn by_panels<L: Lanes>(p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T) {
    let mut room = Room::new(Layout::new::<L>(p).room::<L>());
    // SAFETY: the caller's word, and the room has the size that is asked for.
    unsafe { panels::product::<L>(p, x, y, out, room.start()) };
}

/// # Safety
/// As for [`Kernel`]; results have many sums each.
#[inline(always)]
unsafe fn many_sums<L: Lanes>(p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T) {
    let (p, x, y) = vector::fewer_left(p, x, y);
    // SAFETY: the caller's word.
    unsafe {
        match vector::room::<L>(&p) {
            0 => L::by_vectors(&p, x, y, out, std::ptr::null_mut()),
            count => in_room::<L>(count, &p, x, y, out),
        }
    }
}

/// # Safety
/// As [`many_sums`].
#[inline(never)]
unsafe fn in_room<L: Lanes>(count: usize, p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T) {
    let mut room = Room::new(count);
    // SAFETY: the caller's word, and the room has the size that is asked for.
    unsafe { L::by_vectors(p, x, y, out, room.start()) };
}

/// Room for numbers that are laid out anew, at the start of a line of the cache: vectors then lie in one line each.
struct Room<T> {
    near: Near,
    /// Where there is more than fits on the stack.
    far: Option<Scratch<T>>,
}

#[repr(align(64))]
struct Near(MaybeUninit<[u64; ROOM / 8]>);

impl<T: Real> Room<T> {
    /// Room for so many numbers.
    #[inline(always)]
    fn new(count: usize) -> Room<T> {
        let far = (count * size_of::<T>() > ROOM).then(|| Scratch::new(count));
        Room { near: Near(MaybeUninit::uninit()), far }
    }

    #[inline(always)]
    fn start(&mut self) -> *mut T {
        self.far.as_mut().map_or(self.near.0.as_mut_ptr().cast(), |room| room.as_mut_ptr())
    }
}

macro_rules! real {
    ($($t:ty)*) => {$(
        impl Real for $t {
            #[inline(always)]
            fn fused(self, x: $t, y: $t) -> $t {
                self.mul_add(x, y)
            }

            #[cfg(target_arch = "x86_64")]
            fn kernels() -> Kernels<$t> {
                if is_x86_feature_detected!("avx512f") {
                    Kernels::of::<lanes::Avx512<$t>>()
                } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    Kernels::of::<lanes::Avx2<$t>>()
                } else {
                    Kernels::of::<Plain<$t>>()
                }
            }

            #[cfg(not(target_arch = "x86_64"))]
            fn kernels() -> Kernels<$t> {
                Kernels::of::<Plain<$t>>()
            }
        }
    )*};
}
real! { f32 f64 }

/// Products of matrices one by one, ready to be computed any number of times.
pub struct Products<T> {
    part: Part,
    /// Where the matrices of both operands start.
    starts: Vec<[isize; 2]>,
    kernel: Kernel<T>,
    /// Pairs of numbers that are multiplied in all.
    pairs: usize,
}

impl<T: Real> Products<T> {
    /// Products of `m` by `k` and `k` by `n` numbers, with these steps along rows (columns, on the right) and along what is
    /// summed over; matrices start at these places.
    pub fn new([m, n, k]: [usize; 3], x: [isize; 2], y: [isize; 2], starts: Vec<[isize; 2]>) -> Products<T> {
        let part =
            Part { m, n, k, x, y, out: [n as isize, 1], chains: chains(m, n, k), chain: chain(k), goes_on: false };
        let pairs = [m, n, k].into_iter().fold(starts.len(), usize::saturating_mul);
        let is_tiny = part.chains == SIDE_BY_SIDE && k <= vector::TINY && starts.len() > 1;
        let kernel = if is_tiny { vector::tiny } else { T::kernels().product };
        Products { part, pairs, starts, kernel }
    }

    /// One product that is added to what is there, in rows that lie this far apart: each result is one sum, which goes on
    /// from there. There is at least one pair of numbers.
    pub(super) fn adding([m, n, k]: [usize; 3], x: [isize; 2], y: [isize; 2], row: usize) -> Products<T> {
        let part = Part { m, n, k, x, y, out: [row as isize, 1], chains: 1, chain: chain(k), goes_on: true };
        let pairs = m.saturating_mul(n).saturating_mul(k);
        Products { part, pairs, starts: vec![[0, 0]], kernel: T::kernels().product }
    }

    /// How many rows and columns a matrix of the result has, and products each result.
    pub fn sizes(&self) -> [usize; 3] {
        [self.part.m, self.part.n, self.part.k]
    }

    /// Computes the products.
    ///
    /// # Safety
    /// All numbers that sizes, steps and starts name lie at these places, and there is room for the results, which lie
    /// apart from the operands.
    #[inline]
    pub unsafe fn run(&self, x: *const T, y: *const T, out: *mut T) {
        // SAFETY: the caller's word.
        unsafe {
            match &self.starts[..] {
                [[a, b]] if self.pairs <= MANY_WITH_VECTOR && self.pairs > 0 => {
                    (self.kernel)(&self.part, x.offset(*a), y.offset(*b), out)
                }
                _ => self.run_any(x, y, out),
            }
        }
    }

    /// # Safety
    /// As [`Products::run`].
    unsafe fn run_any(&self, x: *const T, y: *const T, out: *mut T) {
        let Part { m, n, .. } = self.part;
        // SAFETY: the caller's word; parts of the result do not overlap.
        unsafe {
            if self.pairs == 0 {
                return (0..self.starts.len() * m * n).for_each(|i| *out.add(i) = T::default());
            }
            let one = |i: usize, rows: Range<usize>, columns: Range<usize>| {
                let part = Part { m: rows.len(), n: columns.len(), ..self.part };
                let [a, b] = self.starts[i];
                let (row, column) = (rows.start as isize, columns.start as isize);
                let (x, y) = (x.offset(a + row * part.x[0]), y.offset(b + column * part.y[0]));
                (self.kernel)(&part, x, y, out.add(i * m * n).offset(row * part.out[0] + column));
            };
            let many = if m.min(n) == 1 { MANY_WITH_VECTOR } else { MANY };
            if self.pairs <= many {
                return (0..self.starts.len()).for_each(|i| one(i, 0..m, 0..n));
            }
            let is_one = self.part.chains == 1 && self.starts.len() == 1;
            let tasks = threads()
                * match () {
                    _ if !is_one => 4,
                    _ if self.pairs > VERY_LARGE => 2,
                    _ => 1,
                };
            let batches: Vec<_> = Shares::new(self.starts.len(), self.starts.len().min(tasks)).collect();
            let [rows, columns] = self.pieces(tasks.div_ceil(batches.len()));
            let one = Shared(&one);
            each(batches.len() * rows.len() * columns.len(), usize::MAX, &|task| {
                let (column, task) = (task % columns.len(), task / columns.len());
                let (row, batch) = (task % rows.len(), task / rows.len());
                batches[batch].clone().for_each(|i| one.get()(i, rows[row].clone(), columns[column].clone()));
            });
        }
    }

    /// Rows and columns of a matrix in pieces of whole tiles: about so many in all, as far as there are tiles. Columns are
    /// laid out anew for each piece: they are cut first, while there are more than are laid out at a time.
    fn pieces(&self, count: usize) -> [Vec<Range<usize>>; 2] {
        let Part { m, n, chains, .. } = self.part;
        // Rows and columns that are not taken apart: a vector of them, or the vectors of a product with one.
        let line = 64 / size_of::<T>();
        let unit = if chains == 1 { [8, line] } else { [8 * line; 2] };
        let units = [m.div_ceil(unit[0]), n.div_ceil(unit[1])];
        let mut pieces = [1, 1];
        while pieces[0] * pieces[1] < count {
            let first = match () {
                _ if chains == 1 && n > pieces[1] * panels::PANELS * 3 * line => 1,
                _ if chains == 1 && m > pieces[0] * HIGH => 0,
                _ => (m * pieces[1] < n * pieces[0]) as usize,
            };
            match [first, 1 - first].into_iter().find(|&i| pieces[i] < units[i]) {
                Some(i) => pieces[i] += 1,
                None => break,
            }
        }
        std::array::from_fn(|i| {
            let whole = |r: Range<usize>| r.start * unit[i]..(r.end * unit[i]).min([m, n][i]);
            Shares::new(units[i], pieces[i]).map(whole).collect()
        })
    }
}

/// A function that threads may call although it has pointers.
struct Shared<F>(F);

// SAFETY: what it is called with on one thread is not what it is called with on another, as `run_any` sees to.
unsafe impl<F> Sync for Shared<F> {}

impl<F> Shared<F> {
    fn get(&self) -> &F {
        &self.0
    }
}
