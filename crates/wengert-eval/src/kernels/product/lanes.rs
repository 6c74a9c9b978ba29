//! Vectors of numbers, for products: several widths, chosen when the process runs. Every operation on a lane is the one
//! on a number, so the width changes no result.

use super::segments::Sums;
use super::tile::{Tile, WIDTH};
use super::{Part, Real};

/// Vectors of one width. Their operations are compiled into a function that may use the instructions of that width.
pub(super) trait Lanes: Copy {
    /// The number in a lane.
    type T: Real;
    type V: Copy;
    /// The first lanes, as many as are asked for.
    type Mask: Copy;
    /// How many lanes there are.
    const N: usize;
    /// How many rows of a result are computed at once, of one to four vectors each: they fit into the registers.
    const ROWS: [usize; WIDTH];

    fn splat(x: Self::T) -> Self::V;
    fn mask(n: usize) -> Self::Mask;
    fn add(a: Self::V, b: Self::V) -> Self::V;
    /// `a · b + c`, rounded once.
    fn mul_add(a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The same in the first lanes, and `c` in the others.
    fn mul_add_some(a: Self::V, b: Self::V, c: Self::V, some: Self::Mask) -> Self::V;
    /// # Safety
    /// There are `N` numbers.
    unsafe fn load(p: *const Self::T) -> Self::V;
    /// # Safety
    /// There are as many numbers as the mask has lanes.
    unsafe fn load_some(p: *const Self::T, some: Self::Mask) -> Self::V;
    /// # Safety
    /// There is room for `N` numbers.
    unsafe fn store(p: *mut Self::T, v: Self::V);
    /// # Safety
    /// There is room for as many numbers as the mask has lanes.
    unsafe fn store_some(p: *mut Self::T, v: Self::V, some: Self::Mask);
    /// Writes a square of `BLOCK` numbers with rows and columns exchanged; rows lie at these distances.
    ///
    /// # Safety
    /// They lie there, and there is room.
    unsafe fn turn(from: *const Self::T, from_step: isize, to: *mut Self::T, to_step: usize);
    /// The size of the squares that are turned at once.
    const BLOCK: usize;
    /// The lanes added by halves, the first half with the second.
    fn sum(v: Self::V) -> Self::T;
    /// Brings the numbers around this place nearer; there need not be any.
    fn prefetch(_: *const Self::T) {}
    /// The same place, of which the compiler knows nothing: it would count the places of many rows from one, and run out of
    /// registers for their distances.
    #[inline(always)]
    fn kept(p: *const Self::T) -> *const Self::T {
        p
    }

    /// Computes a tile of a result, with the instructions of this width.
    ///
    /// # Safety
    /// The machine has them; the rest as [`Tile::run`].
    unsafe fn tile<const R: usize, const C: usize>(tile: &Tile<'_, Self>);
    /// The same of the first tile of some columns, which are laid out anew.
    ///
    /// # Safety
    /// The machine has the instructions; the rest as [`Tile::run_laying`].
    unsafe fn laying<const R: usize, const C: usize>(tile: &Tile<'_, Self>);
    /// Computes a product, with the instructions of this width.
    ///
    /// # Safety
    /// The machine has them; the rest as [`super::product`].
    unsafe fn product(p: &Part, x: *const Self::T, y: *const Self::T, out: *mut Self::T);
    /// The same for long rows, of a product that [`super::vector`] computes by columns.
    ///
    /// # Safety
    /// As [`Lanes::product`].
    unsafe fn wide_columns(p: &Part, x: *const Self::T, y: *const Self::T, out: *mut Self::T);
    /// The same where results have one sum each, but are not computed where operands lie, chain by chain.
    ///
    /// # Safety
    /// As [`Lanes::product`].
    unsafe fn by_panels(p: &Part, x: *const Self::T, y: *const Self::T, out: *mut Self::T);
    /// The same where results have many sums each, with a room for numbers that are laid out anew.
    ///
    /// # Safety
    /// The machine has the instructions; the rest as [`super::vector::product`].
    unsafe fn by_vectors(p: &Part, x: *const Self::T, y: *const Self::T, out: *mut Self::T, room: *mut Self::T);
    /// Computes sums over segments, with the instructions of this width.
    ///
    /// # Safety
    /// The machine has them; the rest as [`Sums::run`].
    unsafe fn sums(p: &Sums<'_>, x: *const Self::T, y: *const Self::T, out: *mut Self::T);
    /// The same of a tile whose left operand has a number for each column.
    ///
    /// # Safety
    /// As [`Lanes::tile`].
    unsafe fn spread<const R: usize>(tile: &Tile<'_, Self>);
    /// Copies columns so that those of each product are neighbours, with the instructions of this width.
    ///
    /// # Safety
    /// The machine has them; the rest as [`super::lay`].
    unsafe fn lay(from: *const Self::T, steps: [isize; 2], sizes: [usize; 2], to: *mut Self::T, row: usize);
    /// Copies the rows of some tiles, with the instructions of this width.
    ///
    /// # Safety
    /// The machine has them; the rest as [`super::pack::rows`].
    unsafe fn lay_rows(from: *const Self::T, steps: [isize; 2], heights: &[usize], k: usize, to: *mut Self::T);
}

/// The functions that are compiled for the instructions of a width.
macro_rules! compiled_for {
    ($t:ty, $chains:literal, $vectors:literal $(, $features:literal)?) => {
        $(#[target_feature(enable = $features)])?
        unsafe fn tile<const R: usize, const C: usize>(tile: &Tile<'_, Self>) {
            // SAFETY: the caller's word.
            unsafe { tile.run::<R, C, false>() }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn laying<const R: usize, const C: usize>(tile: &Tile<'_, Self>) {
            // SAFETY: the caller's word.
            unsafe { tile.run::<R, C, true>() }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn product(p: &Part, x: *const $t, y: *const $t, out: *mut $t) {
            // SAFETY: the caller's word.
            unsafe { $crate::kernels::product::product::<Self>(p, x, y, out) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn wide_columns(p: &Part, x: *const $t, y: *const $t, out: *mut $t) {
            // SAFETY: the caller's word; no room is needed.
            unsafe {
                $crate::kernels::product::vector::columns::<Self, $chains, $vectors>(p, x, y, out, std::ptr::null_mut())
            }
        }
        $(#[target_feature(enable = $features)])?
        #[inline(never)]
        unsafe fn by_panels(p: &Part, x: *const $t, y: *const $t, out: *mut $t) {
            // SAFETY: the caller's word.
            unsafe { $crate::kernels::product::by_panels::<Self>(p, x, y, out) }
        }
        $(#[target_feature(enable = $features)])?
        #[inline(never)]
        unsafe fn by_vectors(p: &Part, x: *const $t, y: *const $t, out: *mut $t, room: *mut $t) {
            // SAFETY: the caller's word.
            unsafe { $crate::kernels::product::vector::product::<Self>(p, x, y, out, room) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn sums(p: &Sums<'_>, x: *const $t, y: *const $t, out: *mut $t) {
            // SAFETY: the caller's word.
            unsafe { $crate::kernels::product::segments::sums::<Self>(p, x, y, out) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn spread<const R: usize>(tile: &Tile<'_, Self>) {
            // SAFETY: the caller's word.
            unsafe { tile.run_spread::<R>() }
        }
        $(#[target_feature(enable = $features)])?
        #[inline(never)]
        unsafe fn lay(from: *const $t, steps: [isize; 2], sizes: [usize; 2], to: *mut $t, row: usize) {
            // SAFETY: the caller's word.
            unsafe { $crate::kernels::product::pack::panel::<Self>(from, steps, sizes, to, row) }
        }
        $(#[target_feature(enable = $features)])?
        #[inline(never)]
        unsafe fn lay_rows(from: *const $t, steps: [isize; 2], heights: &[usize], k: usize, to: *mut $t) {
            // SAFETY: the caller's word.
            unsafe { $crate::kernels::product::pack::rows::<Self>(from, steps, heights, k, to) }
        }
    };
}

/// Four numbers one by one, on any machine.
#[derive(Clone, Copy)]
pub(super) struct Plain<T>(std::marker::PhantomData<T>);

impl<T: Real> Lanes for Plain<T> {
    type T = T;
    type V = [T; 4];
    type Mask = usize;
    const N: usize = 4;
    // Where other vectors are the rule this is there to be right, and little code.
    const ROWS: [usize; WIDTH] = [1; WIDTH];
    const BLOCK: usize = 1;

    #[inline(always)]
    fn splat(x: T) -> [T; 4] {
        [x; 4]
    }
    #[inline(always)]
    fn mask(n: usize) -> usize {
        n
    }
    #[inline(always)]
    fn add(a: [T; 4], b: [T; 4]) -> [T; 4] {
        std::array::from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn mul_add(a: [T; 4], b: [T; 4], c: [T; 4]) -> [T; 4] {
        std::array::from_fn(|i| a[i].fused(b[i], c[i]))
    }
    #[inline(always)]
    fn mul_add_some(a: [T; 4], b: [T; 4], c: [T; 4], some: usize) -> [T; 4] {
        std::array::from_fn(|i| if i < some { a[i].fused(b[i], c[i]) } else { c[i] })
    }
    #[inline(always)]
    unsafe fn load(p: *const T) -> [T; 4] {
        // SAFETY: the caller's word.
        unsafe { p.cast::<[T; 4]>().read() }
    }
    #[inline(always)]
    unsafe fn load_some(p: *const T, some: usize) -> [T; 4] {
        // SAFETY: the caller's word.
        std::array::from_fn(|i| if i < some { unsafe { *p.add(i) } } else { T::default() })
    }
    #[inline(always)]
    unsafe fn store(p: *mut T, v: [T; 4]) {
        // SAFETY: the caller's word.
        unsafe { p.cast::<[T; 4]>().write(v) }
    }
    #[inline(always)]
    unsafe fn store_some(p: *mut T, v: [T; 4], some: usize) {
        // SAFETY: the caller's word.
        v.iter().take(some).enumerate().for_each(|(i, &x)| unsafe { *p.add(i) = x });
    }
    #[inline(always)]
    unsafe fn turn(from: *const T, _: isize, to: *mut T, _: usize) {
        // SAFETY: the caller's word.
        unsafe { *to = *from }
    }
    #[inline(always)]
    fn sum(v: [T; 4]) -> T {
        (v[0] + v[2]) + (v[1] + v[3])
    }
    compiled_for!(T, 2, 1);
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! The vectors of x86-64. Their functions are called by those alone that are compiled for these instructions, and
    //! that run where the machine has them: this is why every block here is sound.

    use super::{Lanes, Part, Sums, Tile, WIDTH};
    use std::arch::x86_64::*;
    use std::marker::PhantomData;

    /// Vectors of 512 bits.
    #[derive(Clone, Copy)]
    pub struct Avx512<T>(PhantomData<T>);
    /// Vectors of 256 bits.
    #[derive(Clone, Copy)]
    pub struct Avx2<T>(PhantomData<T>);

    macro_rules! wide {
        ($t:ty, $v:ty, $n:expr, $mask:ty, $splat:ident, $add:ident, $fma:ident, $fma_some:ident, $load:ident, $load_some:ident,
         $store:ident, $store_some:ident, $turn:ident, $block:expr, $sum:ident) => {
            impl Lanes for Avx512<$t> {
                type T = $t;
                type V = $v;
                type Mask = $mask;
                const N: usize = $n;
                const ROWS: [usize; WIDTH] = [16, 12, 8, 6];
                const BLOCK: usize = $block;

                #[inline(always)]
                fn splat(x: $t) -> $v {
                    // SAFETY: as the module says.
                    unsafe { $splat(x) }
                }
                #[inline(always)]
                fn mask(n: usize) -> $mask {
                    ((1u32 << n) - 1) as $mask
                }
                #[inline(always)]
                fn add(a: $v, b: $v) -> $v {
                    // SAFETY: as the module says.
                    unsafe { $add(a, b) }
                }
                #[inline(always)]
                fn mul_add(a: $v, b: $v, c: $v) -> $v {
                    // SAFETY: as the module says.
                    unsafe { $fma(a, b, c) }
                }
                #[inline(always)]
                fn mul_add_some(a: $v, b: $v, c: $v, some: $mask) -> $v {
                    // SAFETY: as the module says.
                    unsafe { $fma_some(a, b, c, some) }
                }
                #[inline(always)]
                unsafe fn load(p: *const $t) -> $v {
                    // SAFETY: the caller's word.
                    unsafe { $load(p) }
                }
                #[inline(always)]
                unsafe fn load_some(p: *const $t, some: $mask) -> $v {
                    // SAFETY: lanes that are not asked for are not read.
                    unsafe { $load_some(some, p) }
                }
                #[inline(always)]
                unsafe fn store(p: *mut $t, v: $v) {
                    // SAFETY: the caller's word.
                    unsafe { $store(p, v) }
                }
                #[inline(always)]
                unsafe fn store_some(p: *mut $t, v: $v, some: $mask) {
                    // SAFETY: lanes that are not asked for are not written.
                    unsafe { $store_some(p, some, v) }
                }
                #[inline(always)]
                unsafe fn turn(from: *const $t, from_step: isize, to: *mut $t, to_step: usize) {
                    // SAFETY: the caller's word.
                    unsafe { $turn(from, from_step, to, to_step) }
                }
                #[inline(always)]
                fn sum(v: $v) -> $t {
                    // SAFETY: as the module says.
                    unsafe { $sum(v) }
                }
                #[inline(always)]
                fn prefetch(p: *const $t) {
                    // SAFETY: any place may be prefetched.
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
                }
                #[inline(always)]
                // The place is neither read nor written.
                #[allow(clippy::pointers_in_nomem_asm_block)]
                fn kept(mut p: *const $t) -> *const $t {
                    // SAFETY: it does nothing.
                    unsafe { std::arch::asm!("/* {0} */", inout(reg) p, options(pure, nomem, nostack, preserves_flags)) };
                    p
                }
                compiled_for!($t, 2, 8, "avx512f");
            }
        };
    }
    wide!(
        f32,
        __m512,
        16,
        __mmask16,
        _mm512_set1_ps,
        _mm512_add_ps,
        _mm512_fmadd_ps,
        _mm512_mask3_fmadd_ps,
        _mm512_loadu_ps,
        _mm512_maskz_loadu_ps,
        _mm512_storeu_ps,
        _mm512_mask_storeu_ps,
        turn_f32,
        8,
        sum_f32x16
    );
    wide!(
        f64,
        __m512d,
        8,
        __mmask8,
        _mm512_set1_pd,
        _mm512_add_pd,
        _mm512_fmadd_pd,
        _mm512_mask3_fmadd_pd,
        _mm512_loadu_pd,
        _mm512_maskz_loadu_pd,
        _mm512_storeu_pd,
        _mm512_mask_storeu_pd,
        turn_f64,
        4,
        sum_f64x8
    );

    macro_rules! half {
        ($t:ty, $v:ty, $n:expr, $splat:ident, $add:ident, $fma:ident, $blend:ident, $as_float:ident, $load:ident,
         $load_some:ident, $store:ident, $store_some:ident, $masks:expr, $turn:ident, $block:expr, $sum:ident) => {
            impl Lanes for Avx2<$t> {
                type T = $t;
                type V = $v;
                type Mask = __m256i;
                const N: usize = $n;
                const ROWS: [usize; WIDTH] = [8, 6, 4, 0];
                const BLOCK: usize = $block;

                #[inline(always)]
                fn splat(x: $t) -> $v {
                    // SAFETY: as the module says.
                    unsafe { $splat(x) }
                }
                #[inline(always)]
                fn mask(n: usize) -> __m256i {
                    // SAFETY: as the module says; of 2 N numbers, N from some of the first N + 1 on.
                    unsafe { _mm256_loadu_si256($masks[$n - n.min($n)..].as_ptr().cast()) }
                }
                #[inline(always)]
                fn add(a: $v, b: $v) -> $v {
                    // SAFETY: as the module says.
                    unsafe { $add(a, b) }
                }
                #[inline(always)]
                fn mul_add(a: $v, b: $v, c: $v) -> $v {
                    // SAFETY: as the module says.
                    unsafe { $fma(a, b, c) }
                }
                #[inline(always)]
                fn mul_add_some(a: $v, b: $v, c: $v, some: __m256i) -> $v {
                    // SAFETY: as the module says.
                    unsafe { $blend(c, $fma(a, b, c), $as_float(some)) }
                }
                #[inline(always)]
                unsafe fn load(p: *const $t) -> $v {
                    // SAFETY: the caller's word.
                    unsafe { $load(p) }
                }
                #[inline(always)]
                unsafe fn load_some(p: *const $t, some: __m256i) -> $v {
                    // SAFETY: lanes that are not asked for are not read.
                    unsafe { $load_some(p, some) }
                }
                #[inline(always)]
                unsafe fn store(p: *mut $t, v: $v) {
                    // SAFETY: the caller's word.
                    unsafe { $store(p, v) }
                }
                #[inline(always)]
                unsafe fn store_some(p: *mut $t, v: $v, some: __m256i) {
                    // SAFETY: lanes that are not asked for are not written.
                    unsafe { $store_some(p, some, v) }
                }
                #[inline(always)]
                unsafe fn turn(from: *const $t, from_step: isize, to: *mut $t, to_step: usize) {
                    // SAFETY: the caller's word.
                    unsafe { $turn(from, from_step, to, to_step) }
                }
                #[inline(always)]
                fn sum(v: $v) -> $t {
                    // SAFETY: as the module says.
                    unsafe { $sum(v) }
                }
                #[inline(always)]
                fn prefetch(p: *const $t) {
                    // SAFETY: any place may be prefetched.
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
                }
                compiled_for!($t, 2, 4, "avx2,fma");
            }
        };
    }
    static FIRST_OF_8: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
    static FIRST_OF_4: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];
    half!(
        f32,
        __m256,
        8,
        _mm256_set1_ps,
        _mm256_add_ps,
        _mm256_fmadd_ps,
        _mm256_blendv_ps,
        _mm256_castsi256_ps,
        _mm256_loadu_ps,
        _mm256_maskload_ps,
        _mm256_storeu_ps,
        _mm256_maskstore_ps,
        FIRST_OF_8,
        turn_f32,
        8,
        sum_f32x8
    );
    half!(
        f64,
        __m256d,
        4,
        _mm256_set1_pd,
        _mm256_add_pd,
        _mm256_fmadd_pd,
        _mm256_blendv_pd,
        _mm256_castsi256_pd,
        _mm256_loadu_pd,
        _mm256_maskload_pd,
        _mm256_storeu_pd,
        _mm256_maskstore_pd,
        FIRST_OF_4,
        turn_f64,
        4,
        sum_f64x4
    );

    #[inline(always)]
    unsafe fn sum_f32x16(v: __m512) -> f32 {
        // SAFETY: as the module says.
        unsafe {
            let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(v)));
            sum_f32x8(_mm256_add_ps(_mm512_castps512_ps256(v), high))
        }
    }

    #[inline(always)]
    unsafe fn sum_f32x8(v: __m256) -> f32 {
        // SAFETY: as the module says.
        unsafe {
            let v = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
            let v = _mm_add_ps(v, _mm_movehl_ps(v, v));
            _mm_cvtss_f32(_mm_add_ss(v, _mm_movehdup_ps(v)))
        }
    }

    #[inline(always)]
    unsafe fn sum_f64x8(v: __m512d) -> f64 {
        // SAFETY: as the module says.
        unsafe { sum_f64x4(_mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd::<1>(v))) }
    }

    #[inline(always)]
    unsafe fn sum_f64x4(v: __m256d) -> f64 {
        // SAFETY: as the module says.
        unsafe {
            let v = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd::<1>(v));
            _mm_cvtsd_f64(_mm_add_sd(v, _mm_unpackhi_pd(v, v)))
        }
    }

    /// Turns a square of eight: halves of rows are put together as they are read, then pairs and pairs of pairs.
    #[inline(always)]
    unsafe fn turn_f32(from: *const f32, from_step: isize, to: *mut f32, to_step: usize) {
        // SAFETY: the caller's word, and the module's.
        unsafe {
            let half = |row: isize, at: usize| _mm_loadu_ps(from.offset(row * from_step).add(at));
            let both = |row: isize, at: usize| _mm256_set_m128(half(row + 4, at), half(row, at));
            for at in [0, 4] {
                let r = [both(0, at), both(1, at), both(2, at), both(3, at)];
                let (a, b) = (_mm256_unpacklo_ps(r[0], r[1]), _mm256_unpackhi_ps(r[0], r[1]));
                let (c, d) = (_mm256_unpacklo_ps(r[2], r[3]), _mm256_unpackhi_ps(r[2], r[3]));
                _mm256_storeu_ps(to.add(at * to_step), _mm256_shuffle_ps::<0x44>(a, c));
                _mm256_storeu_ps(to.add((at + 1) * to_step), _mm256_shuffle_ps::<0xEE>(a, c));
                _mm256_storeu_ps(to.add((at + 2) * to_step), _mm256_shuffle_ps::<0x44>(b, d));
                _mm256_storeu_ps(to.add((at + 3) * to_step), _mm256_shuffle_ps::<0xEE>(b, d));
            }
        }
    }

    /// Turns a square of four.
    #[inline(always)]
    unsafe fn turn_f64(from: *const f64, from_step: isize, to: *mut f64, to_step: usize) {
        // SAFETY: the caller's word, and the module's.
        unsafe {
            let half = |row: isize, at: usize| _mm_loadu_pd(from.offset(row * from_step).add(at));
            let both = |row: isize, at: usize| _mm256_set_m128d(half(row + 2, at), half(row, at));
            for at in [0, 2] {
                let (a, b) = (both(0, at), both(1, at));
                _mm256_storeu_pd(to.add(at * to_step), _mm256_unpacklo_pd(a, b));
                _mm256_storeu_pd(to.add((at + 1) * to_step), _mm256_unpackhi_pd(a, b));
            }
        }
    }
}
