//! Tiles of a result: some rows and vectors of columns, whose sums stay in registers from the first product of a chain to the
//! last. Products lie in segments: those of a matrix in one, those of a convolution in many.

// Loops over rows and vectors are written with their numbers: iterators would be functions of their own, without the
// instructions of the tile, where a compiler does not take them in.
#![allow(clippy::needless_range_loop)]

use super::lanes::Lanes;

/// The most vectors of a row of a tile.
pub(super) const WIDTH: usize = 4;
/// The most vectors of tiles where there are many.
const USUAL: usize = 3;

/// How many products ahead vectors that lie one after the other are fetched from the second cache: cores that are shared with
/// others see too few instructions ahead to do so by themselves.
const LAID_AHEAD: usize = 8;

/// How many panels so many vectors of columns are shared in, as evenly as can be: panels of three, or of four where one or
/// two are enough, so that rows go through fewer.
#[inline(always)]
pub(super) fn panels<L: Lanes>(vectors: usize) -> usize {
    let wide = vectors.div_ceil(WIDTH);
    if wide <= 2 && L::ROWS[WIDTH - 1] > 0 { wide } else { vectors.div_ceil(USUAL) }
}

/// The rows of tiles of one to four vectors, and of those whose left operand has a number for each column: few
/// sizes, since each is a function of its own.
const ROWS: [Sizes; WIDTH] = [
    Sizes::of(&[1, 2, 3, 4, 6, 8, 12, 16]),
    Sizes::of(&[1, 2, 3, 4, 5, 6, 8, 10, 12]),
    Sizes::of(&[1, 2, 3, 4, 5, 6, 7, 8]),
    Sizes::of(&[1, 2, 3, 4, 5, 6]),
];
/// See [`ROWS`].
const SPREAD: Sizes = Sizes::of(&[1, 2, 4, 8]);

/// Numbers of rows, each a bit.
#[derive(Clone, Copy)]
struct Sizes(u32);

impl Sizes {
    const fn of(sizes: &[usize]) -> Sizes {
        let (mut bits, mut i) = (0, 0);
        while i < sizes.len() {
            bits |= 1 << sizes[i];
            i += 1;
        }
        Sizes(bits)
    }

    /// How many of so many rows are computed next, at most `most`: as evenly as the sizes allow.
    #[inline(always)]
    fn next(self, rows: usize, most: usize) -> usize {
        let even = if rows <= most { rows } else { rows.div_ceil(rows.div_ceil(most)) };
        let fit = self.0 & ((2 << rows.min(most)) - 1);
        match fit >> even {
            0 => fit.ilog2() as usize,
            more => even + more.trailing_zeros() as usize,
        }
    }
}

/// Products that follow each other at one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where the first number lies in the left operand, and in the right one.
    pub x: isize,
    /// See `x`.
    pub y: isize,
    /// How many products there are.
    pub k: usize,
}

/// How many of so many rows are computed next, at most `most`, by tiles of the one number of vectors and of the other.
#[inline(always)]
pub(super) fn next_rows(rows: usize, vectors: [usize; 2], most: usize) -> usize {
    Sizes(ROWS[vectors[0] - 1].0 & ROWS[vectors[1] - 1].0).next(rows, most)
}

/// The same for tiles whose left operand has a number for each column.
#[inline(always)]
pub(super) fn next_spread_rows(rows: usize) -> usize {
    SPREAD.next(rows, 8)
}

/// The rows of the first tile of panels that are laid out anew, the widest of which has so many vectors.
#[inline(always)]
pub(super) const fn laying_rows<L: Lanes>(widest: usize) -> usize {
    L::ROWS[if widest < USUAL { USUAL } else { widest } - 1]
}

/// A tile of the result.
pub(super) struct Tile<'a, L: Lanes> {
    /// The products of each sum.
    pub segments: &'a [Segment],
    /// The first number of the left operand, and its step along products.
    pub x: *const L::T,
    /// See `x`.
    pub x_step: isize,
    /// The steps along none to four of its rows.
    pub rows: &'a [isize; 5],
    /// The first number of the right operand, whose columns are neighbours, and its step along products.
    pub y: *const L::T,
    /// See `y`.
    pub y_step: isize,
    /// The distance to the numbers of the right operand that are fetched ahead, where it is laid out by
    /// [`Tile::run_laying`] or read where it lies.
    pub ahead: isize,
    /// Where [`Tile::run_laying`] lays out the right operand.
    pub laid: *mut L::T,
    /// The first result, whose columns are neighbours, and the step along rows.
    pub out: *mut L::T,
    /// See `out`.
    pub row: isize,
    /// The columns of the last vector of each row.
    pub last: L::Mask,
    /// Whether the sums are added to what is there.
    pub add: bool,
    /// Whether the sums go on from what is there; not of tiles whose left operand has a number for each column.
    pub goes_on: bool,
}

impl<L: Lanes> Tile<'_, L> {
    /// Computes a tile of so many rows and vectors.
    ///
    /// # Safety
    /// All numbers that rows, columns, segments and steps name lie at these places, and there is room for the results; where
    /// the sums are added there are numbers.
    #[inline(always)]
    pub(super) unsafe fn run_any(&self, rows: usize, vectors: usize) {
        macro_rules! sizes {
            ($($c:literal: $($r:literal)*;)*) => {
                match (rows, vectors) {
                    $($(($r, $c) => L::tile::<$r, $c>(self),)*)*
                    _ => unreachable!("a tile of so many rows and vectors"),
                }
            };
        }
        // SAFETY: the caller's word.
        unsafe {
            sizes! {
                1: 1 2 3 4 6 8 12 16;
                2: 1 2 3 4 5 6 8 10 12;
                3: 1 2 3 4 5 6 7 8;
                4: 1 2 3 4 5 6;
            }
        }
    }

    /// The same, of one vector of columns that have numbers of their own in the left operand.
    ///
    /// # Safety
    /// As [`Tile::run_any`].
    #[inline(always)]
    pub(super) unsafe fn run_any_spread(&self, rows: usize) {
        // SAFETY: the caller's word.
        unsafe {
            match rows {
                1 => L::spread::<1>(self),
                2 => L::spread::<2>(self),
                4 => L::spread::<4>(self),
                8 => L::spread::<8>(self),
                _ => unreachable!("so many rows"),
            }
        }
    }

    /// Computes the first tile of some columns, of [`laying_rows`], and lays the columns out anew as it reads them: the
    /// machine has nothing else to store meanwhile.
    ///
    /// # Safety
    /// As [`Tile::run_any`], and there is room for as many numbers as there are products, times whole vectors.
    #[inline(always)]
    pub(super) unsafe fn run_laying(&self, rows: usize, vectors: usize) {
        macro_rules! sizes {
            ($($r:literal: $($c:literal)*;)*) => {
                match (rows, vectors) {
                    $($(($r, $c) => L::laying::<$r, $c>(self),)*)*
                    _ => unreachable!("a tile of so many rows and vectors"),
                }
            };
        }
        // SAFETY: the caller's word.
        unsafe {
            sizes! {
                8: 1 2 3;
                6: 3 4;
                4: 1 2 3;
                1: 1 2 3 4;
            }
        }
    }

    /// Computes a tile of this many rows and vectors.
    ///
    /// # Safety
    /// As [`Tile::run_any`], or [`Tile::run_laying`].
    #[inline(always)]
    pub(super) unsafe fn run<const R: usize, const C: usize, const LAYING: bool>(&self) {
        // What constants decide is decided before there is code for it.
        if const { R > L::ROWS[C - 1] || LAYING && R != laying_rows::<L>(C) && R != laying_rows::<L>(WIDTH) } {
            return;
        }
        // Results that sums are added to may lie far away: they are fetched while the sums are computed.
        if const { R * C > 3 } && self.add {
            for r in 0..R {
                for c in 0..C {
                    L::prefetch(self.out.wrapping_offset(r as isize * self.row).wrapping_add(c * L::N));
                }
            }
        }
        // Nothing changes when it is added to this zero.
        let mut sums = [[L::splat(super::nothing()); C]; R];
        if self.goes_on {
            for r in 0..R {
                let row = self.out.wrapping_offset(r as isize * self.row);
                for c in 0..C {
                    // SAFETY: the caller's word.
                    sums[r][c] = unsafe { self.some::<C>(row, c) };
                }
            }
        }
        let is_laid = self.y_step == (C * L::N) as isize;
        // SAFETY: numbers of the operands, as the caller says.
        unsafe {
            for segment in self.segments {
                let (x, y) = (self.x.offset(segment.x), self.y.offset(segment.y));
                // Most time is spent in tiles that are as high as can be.
                if const { R == L::ROWS[C - 1] && !LAYING } {
                    if is_laid && self.x_step == 1 {
                        self.add_laid::<R, C>(&mut sums, [x, y], self.rows, 1, segment.k);
                        continue;
                    }
                    if is_laid && self.rows[1] == 1 {
                        self.add_laid::<R, C>(&mut sums, [x, y], &[0, 1, 2, 3, 4], self.x_step, segment.k);
                        continue;
                    }
                }
                self.add_any::<R, C, LAYING>(&mut sums, [x, y], segment.k);
            }
        }
        for r in 0..R {
            for c in 0..C {
                // SAFETY: the caller's word.
                unsafe { self.put::<C>(r, c, sums[r][c]) };
            }
        }
    }

    /// Adds some products, wherever the operands lie.
    ///
    /// # Safety
    /// As [`Tile::run`].
    #[inline(always)]
    unsafe fn add_any<const R: usize, const C: usize, const LAYING: bool>(
        &self,
        sums: &mut [[L::V; C]; R],
        [x, mut y]: [*const L::T; 2],
        k: usize,
    ) {
        let (mut x, mut laid) = (Rows::new(x, self.rows), self.laid);
        for _ in 0..k {
            // Narrow operands lie in few lines, which the machine fetches by itself.
            let mut v = [L::splat(super::nothing()); C];
            // SAFETY: numbers of the operands, and room for them, as the caller says.
            unsafe {
                for c in 0..C {
                    if const { C >= USUAL || LAYING } {
                        L::prefetch(y.wrapping_offset(self.ahead).wrapping_add(c * L::N));
                    }
                    v[c] = self.some::<C>(y, c);
                    if const { LAYING } {
                        L::store(laid.add(c * L::N), v[c]);
                    }
                }
                laid = laid.wrapping_add(C * L::N);
                x.add_products::<L, R, C>(sums, &v, self.rows, 0);
            }
            x.go::<L, R>(self.x_step);
            y = y.wrapping_offset(self.y_step);
        }
    }

    /// Adds some products where vectors of the right operand are neighbours, and the left operand's products or rows are:
    /// four at a time.
    ///
    /// # Safety
    /// As [`Tile::run`].
    #[inline(always)]
    unsafe fn add_laid<const R: usize, const C: usize>(
        &self,
        sums: &mut [[L::V; C]; R],
        [x, y]: [*const L::T; 2],
        rows: &[isize; 5],
        step: isize,
        k: usize,
    ) {
        let (mut x, mut y) = (Rows::new(x, rows), y);
        // SAFETY: numbers of the operands, as the caller says.
        unsafe {
            for _ in 0..k / 4 {
                for p in 0..4 {
                    for c in 0..C {
                        L::prefetch(y.wrapping_add(((LAID_AHEAD + p) * C + c) * L::N));
                    }
                    x.add_vectors::<L, R, C>(sums, y.add(p * C * L::N), rows, p as isize * step);
                }
                x.go::<L, R>(4 * step);
                y = y.wrapping_add(4 * C * L::N);
            }
            for _ in 0..k % 4 {
                x.add_vectors::<L, R, C>(sums, y, rows, 0);
                x.go::<L, R>(step);
                y = y.wrapping_add(C * L::N);
            }
        }
    }

    /// The same, of columns that have numbers of their own in the left operand.
    ///
    /// # Safety
    /// As [`Tile::run_any`].
    #[inline(always)]
    pub(super) unsafe fn run_spread<const R: usize>(&self) {
        let mut sums = [L::splat(super::nothing()); R];
        // SAFETY: numbers of the operands, as the caller says.
        unsafe {
            for segment in self.segments {
                let (mut x, mut y) = (self.x.offset(segment.x), self.y.offset(segment.y));
                for _ in 0..segment.k {
                    let v = L::load_some(y, self.last);
                    for (r, sum) in sums.iter_mut().enumerate() {
                        let a = L::load_some(x.offset(r as isize * self.rows[1]), self.last);
                        *sum = L::mul_add(a, v, *sum);
                    }
                    (x, y) = (x.wrapping_offset(self.x_step), y.wrapping_offset(self.y_step));
                }
            }
        }
        for (r, &sum) in sums.iter().enumerate() {
            // SAFETY: the caller's word.
            unsafe { self.put::<1>(r, 0, sum) };
        }
    }

    /// A vector of a row: all columns, but for the last vector.
    ///
    /// # Safety
    /// The columns lie there.
    #[inline(always)]
    unsafe fn some<const C: usize>(&self, row: *const L::T, c: usize) -> L::V {
        // SAFETY: the caller's word.
        unsafe {
            match c + 1 < C {
                true => L::load(row.add(c * L::N)),
                false => L::load_some(row.add(c * L::N), self.last),
            }
        }
    }

    /// Writes a vector of the result, or adds it to what is there.
    ///
    /// # Safety
    /// As [`Tile::run_any`].
    #[inline(always)]
    unsafe fn put<const C: usize>(&self, r: usize, c: usize, sum: L::V) {
        // SAFETY: the caller's word.
        unsafe {
            let row = self.out.offset(r as isize * self.row);
            let sum = if self.add { L::add(self.some::<C>(row, c), sum) } else { sum };
            match c + 1 < C {
                true => L::store(row.add(c * L::N), sum),
                false => L::store_some(row.add(c * L::N), sum, self.last),
            }
        }
    }
}

/// Where rows of the left operand lie: every fourth one.
struct Rows<T>([*const T; 4]);

impl<T: super::Real> Rows<T> {
    #[inline(always)]
    fn new(first: *const T, rows: &[isize; 5]) -> Rows<T> {
        Rows([0, 1, 2, 3].map(|r| first.wrapping_offset(r * rows[4])))
    }

    /// Adds the products of one number of each row, `at` further on, with a row of vectors.
    ///
    /// # Safety
    /// The numbers lie there.
    #[inline(always)]
    unsafe fn add_products<L: Lanes<T = T>, const R: usize, const C: usize>(
        &self,
        sums: &mut [[L::V; C]; R],
        v: &[L::V; C],
        rows: &[isize; 5],
        at: isize,
    ) {
        for r in 0..R {
            // The places of many rows, computed one after the other, would be there too late.
            let place = match const { R > 8 } {
                true => self.0[r / 4].wrapping_offset(rows[r % 4]),
                false => self.0[0].wrapping_offset(r as isize * rows[1]),
            };
            // SAFETY: the caller's word.
            let a = L::splat(unsafe { *place.offset(at) });
            for c in 0..C {
                sums[r][c] = L::mul_add(a, v[c], sums[r][c]);
            }
        }
    }

    /// The same of vectors that are neighbours.
    ///
    /// # Safety
    /// All numbers lie there.
    #[inline(always)]
    unsafe fn add_vectors<L: Lanes<T = T>, const R: usize, const C: usize>(
        &self,
        sums: &mut [[L::V; C]; R],
        y: *const T,
        rows: &[isize; 5],
        at: isize,
    ) {
        let mut v = [L::splat(super::nothing()); C];
        // SAFETY: the caller's word.
        unsafe {
            for c in 0..C {
                v[c] = L::load(y.add(c * L::N));
            }
            self.add_products::<L, R, C>(sums, &v, rows, at);
        }
    }

    /// Goes on along the products.
    #[inline(always)]
    fn go<L: Lanes<T = T>, const R: usize>(&mut self, step: isize) {
        for i in 0..4 {
            self.0[i] = self.0[i].wrapping_offset(step);
            if const { R > 8 } {
                self.0[i] = L::kept(self.0[i]);
            }
        }
    }
}
