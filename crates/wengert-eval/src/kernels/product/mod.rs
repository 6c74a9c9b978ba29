//! Products of matrices of `f32` and `f64`.
//!
//! What a product means is said by its sizes alone ([`chains`]): each result is the sum of its products in their order, every
//! one multiplied and added with one rounding, from the first product on; where results are few there are 16 or 64 such
//! sums side by side, which take the products in turns and are added by halves. So width of vectors, order of results and
//! number of threads change no bit. Large products are those of the library `gemm`.

mod lanes;
mod pack;
mod segments;
#[cfg(test)]
mod tests;
mod tile;
mod vector;

use super::parallel::{each, threads};
use lanes::{Lanes, Plain};
use segments::SumsKernel;
pub use segments::{Segment, Sums};
use std::mem::MaybeUninit;
use std::ops::{Add, Range};
use wengert_core::Element;

/// The sums of a result that is alone.
pub(crate) const LONE: usize = 64;
/// The sums of results that are few.
pub(crate) const SIDE_BY_SIDE: usize = 16;
/// The bytes of a room for numbers that are laid out anew: it should stay in the nearest cache.
const ROOM: usize = 30 << 10;
/// Products of more pairs than this go to the library, but for those of few rows or columns.
const LARGE: usize = 1 << 23;
/// Those of more pairs than this are shared in more pieces than there are threads, one of which may come late.
const VERY_LARGE: usize = 1 << 24;
/// A piece of a large product has more rows or columns than this.
const SIDE: usize = 64;
const FEW: usize = 48;
/// Products of more pairs than this are shared among threads, and those with a vector, which are as slow as memory, from
/// fewer on.
const MANY: usize = 3 << 20;
const MANY_WITH_VECTOR: usize = 1 << 19;

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
pub trait Real: Element + Add<Output = Self> {
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
    let none = std::ptr::null_mut();
    // SAFETY: the caller's word, and rooms of the size that is asked for.
    unsafe {
        if p.chains == 1 {
            return match tile::needs_room::<L>(p) {
                true => L::in_room(p, x, y, out),
                false => L::with_room(p, x, y, out, none),
            };
        }
        let (p, x, y) = vector::fewer_left(p, x, y);
        match vector::room::<L>(&p) {
            0 => L::with_room(&p, x, y, out, none),
            n if n * size_of::<L::T>() <= ROOM => L::in_room(&p, x, y, out),
            n => L::with_room(&p, x, y, out, vec![L::T::default(); n].as_mut_ptr()),
        }
    }
}

/// The same, with the room that it needs, if it needs any.
///
/// # Safety
/// As for [`Kernel`].
#[inline(always)]
unsafe fn with_room<L: Lanes>(p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T, room: *mut L::T) {
    // SAFETY: the caller's word.
    unsafe {
        match p.chains {
            1 => tile::product::<L>(p, x, y, out, room),
            _ => vector::product::<L>(p, x, y, out, room),
        }
    }
}

/// A room on the stack, at the start of a line of the cache: vectors then lie in one line each.
#[repr(align(64))]
struct Room(MaybeUninit<[u64; ROOM / 8]>);

/// The same, with a room on the stack.
///
/// # Safety
/// As for [`Kernel`].
#[inline(always)]
unsafe fn in_room<L: Lanes>(p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T) {
    let mut room = Room(MaybeUninit::uninit());
    // SAFETY: the caller's word, and the room has the size that is asked for.
    unsafe { L::with_room(p, x, y, out, room.0.as_mut_ptr().cast::<L::T>()) }
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
        let part = Part { m, n, k, x, y, out: [n as isize, 1], chains: chains(m, n, k) };
        let pairs = [m, n, k].into_iter().fold(starts.len(), usize::saturating_mul);
        Products { part, pairs, starts, kernel: T::kernels().product }
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
            if self.pairs / self.starts.len() > LARGE && m.min(n) >= FEW {
                let places = self.starts.iter().enumerate();
                return places.for_each(|(i, s)| self.large(x.offset(s[0]), y.offset(s[1]), out.add(i * m * n)));
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
            let tasks = 4 * threads();
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

    /// Rows and columns of a matrix in pieces of whole tiles: about so many in all, as far as there are tiles.
    fn pieces(&self, count: usize) -> [Vec<Range<usize>>; 2] {
        let Part { m, n, .. } = self.part;
        // Rows and columns that are not taken apart: those of a tile, or the vectors of a product with one.
        let line = 64 / size_of::<T>();
        let unit = if self.part.chains == 1 { [24, 3 * line] } else { [8 * line; 2] };
        let units = [m.div_ceil(unit[0]), n.div_ceil(unit[1])];
        let mut pieces = [1, 1];
        while pieces[0] * pieces[1] < count {
            let longer = (m * pieces[1] < n * pieces[0]) as usize;
            match [longer, 1 - longer].into_iter().find(|&i| pieces[i] < units[i]) {
                Some(i) => pieces[i] += 1,
                None => break,
            }
        }
        std::array::from_fn(|i| {
            let whole = |r: Range<usize>| r.start * unit[i]..(r.end * unit[i]).min([m, n][i]);
            Shares::new(units[i], pieces[i]).map(whole).collect()
        })
    }

    /// A large product, by the library. Threads share its rows and columns: the library's own way of sharing makes them wait
    /// for each other many times. How many products it sums before it adds to a result depends on their number alone, so
    /// pieces change no bit.
    ///
    /// # Safety
    /// As [`Products::run`].
    unsafe fn large(&self, x: *const T, y: *const T, out: *mut T) {
        let Part { m, n, .. } = self.part;
        let count = threads() * if self.pairs > VERY_LARGE { 2 } else { 1 };
        let [mut rows, mut columns] = [1, 1];
        while rows * columns < count {
            // The longer side is cut; for matrices of up to this size the library has another rule.
            match m / rows >= n / columns {
                true if m / (rows + 1) > SIDE => rows += 1,
                _ if n / (columns + 1) > SIDE => columns += 1,
                _ if m / (rows + 1) > SIDE => rows += 1,
                _ => break,
            }
        }
        let cut = |n: usize, count: usize| -> Vec<Range<usize>> { Shares::new(n, count).collect() };
        let (rows, columns) = (cut(m, rows), cut(n, columns));
        let one = |task: usize| {
            let (rows, columns) = (rows[task % rows.len()].clone(), columns[task / rows.len()].clone());
            let (row, column) = (rows.start as isize, columns.start as isize);
            let Part { k, x: xs, y: ys, out: to, .. } = self.part;
            // SAFETY: the caller's word; pieces of the result do not overlap.
            unsafe {
                let (x, y) = (x.offset(row * xs[0]), y.offset(column * ys[0]));
                let out = out.offset(row * to[0] + column);
                let (m, n, zero, unit) = (rows.len(), columns.len(), T::default(), T::from_i64(1));
                let alone = gemm::Parallelism::None;
                gemm::gemm(
                    m, n, k, out, 1, to[0], false, x, xs[1], xs[0], y, ys[0], ys[1], zero, unit, false, false, false,
                    alone,
                );
            }
        };
        let (one, count) = (Shared(&one), rows.len() * columns.len());
        each(count, usize::MAX, &|task| one.get()(task));
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
