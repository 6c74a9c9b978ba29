//! The vectors of x86-64. Their functions are called by those alone that are compiled for these instructions, and that run
//! where the machine has them: this is why every block here is sound.

use super::lanes::Lanes;
use std::arch::x86_64::*;

macro_rules! lanes {
    ($t:ty, $v:ty, $order:ty, $n:expr, $square:expr, $splat:ident $add:ident $sub:ident $mul:ident $fma:ident $fms:ident $fnma:ident
     $load:ident $store:ident $mask:ident $load_some:ident $store_some:ident $reversed:ident $order_of:ident $load_pairs:ident $store_pairs:ident $turn:ident) => {
        impl Lanes for $v {
            type T = $t;
            type Order = $order;
            const N: usize = $n;
            const SQUARE: usize = $square;

            #[inline(always)]
            fn splat(x: $t) -> $v {
                // SAFETY: as the module says.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            fn add(self, b: $v) -> $v {
                // SAFETY: as the module says.
                unsafe { $add(self, b) }
            }
            #[inline(always)]
            fn sub(self, b: $v) -> $v {
                // SAFETY: as the module says.
                unsafe { $sub(self, b) }
            }
            #[inline(always)]
            fn mul(self, b: $v) -> $v {
                // SAFETY: as the module says.
                unsafe { $mul(self, b) }
            }
            #[inline(always)]
            fn mul_add(self, b: $v, c: $v) -> $v {
                // SAFETY: as the module says.
                unsafe { $fma(self, b, c) }
            }
            #[inline(always)]
            fn mul_sub(self, b: $v, c: $v) -> $v {
                // SAFETY: as the module says.
                unsafe { $fms(self, b, c) }
            }
            #[inline(always)]
            fn negative_mul_add(self, b: $v, c: $v) -> $v {
                // SAFETY: as the module says.
                unsafe { $fnma(self, b, c) }
            }
            #[inline(always)]
            fn reversed(self) -> $v {
                // SAFETY: as the module says.
                unsafe { $reversed(self) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $t) -> $v {
                // SAFETY: the caller's word.
                unsafe { $load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $t) {
                // SAFETY: the caller's word.
                unsafe { $store(to, self) }
            }
            #[inline(always)]
            fn order(swap: bool) -> $order {
                // SAFETY: as the module says.
                unsafe { $order_of(swap) }
            }
            #[inline(always)]
            unsafe fn load_pairs(from: *const $t, order: $order) -> [$v; 2] {
                // SAFETY: the caller's word.
                unsafe { $load_pairs($load(from), $load(from.add($n)), order) }
            }
            #[inline(always)]
            unsafe fn store_pairs(re: $v, im: $v, to: *mut $t, order: $order) {
                // SAFETY: the caller's word.
                unsafe {
                    let [low, high] = $store_pairs(re, im, order);
                    $store(to, low);
                    $store(to.add($n), high);
                }
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $t, count: usize, order: $order) -> [$v; 2] {
                // SAFETY: the caller's word; lanes that are not asked for are not read.
                unsafe {
                    let low = $load_some($mask(2 * count), from);
                    let high = $load_some($mask((2 * count).saturating_sub($n)), from.wrapping_add($n));
                    $load_pairs(low, high, order)
                }
            }
            #[inline(always)]
            unsafe fn store_some(re: $v, im: $v, to: *mut $t, count: usize, order: $order) {
                // SAFETY: the caller's word; lanes that are not asked for are not written.
                unsafe {
                    let [low, high] = $store_pairs(re, im, order);
                    $store_some(to, $mask(2 * count), low);
                    $store_some(to.wrapping_add($n), $mask((2 * count).saturating_sub($n)), high);
                }
            }
            #[inline(always)]
            unsafe fn turn(from: *const $t, from_step: usize, to: *mut $t, to_step: usize) {
                // SAFETY: the caller's word.
                unsafe { $turn(from, from_step, to, to_step) }
            }
        }
    };
}
lanes!(f32, __m512, [__m512i; 4], 16, 8, _mm512_set1_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_fmadd_ps _mm512_fmsub_ps
       _mm512_fnmadd_ps _mm512_loadu_ps _mm512_storeu_ps first_of_16 _mm512_maskz_loadu_ps _mm512_mask_storeu_ps
       reversed_f32x16 order_f32x16 parts_f32x16 pairs_f32x16 turn_wide_f32);
lanes!(f64, __m512d, [__m512i; 4], 8, 4, _mm512_set1_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_fmadd_pd _mm512_fmsub_pd
       _mm512_fnmadd_pd _mm512_loadu_pd _mm512_storeu_pd first_of_8 _mm512_maskz_loadu_pd _mm512_mask_storeu_pd
       reversed_f64x8 order_f64x8 parts_f64x8 pairs_f64x8 turn_wide_f64);
lanes!(f32, __m256, __m256, 8, 4, _mm256_set1_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_fmadd_ps _mm256_fmsub_ps
       _mm256_fnmadd_ps _mm256_loadu_ps _mm256_storeu_ps first_of_8_words load_some_f32x8 _mm256_maskstore_ps
       reversed_f32x8 order_f32x8 parts_f32x8 pairs_f32x8 turn_f32);
lanes!(f64, __m256d, __m256d, 4, 2, _mm256_set1_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_fmadd_pd _mm256_fmsub_pd
       _mm256_fnmadd_pd _mm256_loadu_pd _mm256_storeu_pd first_of_4_words load_some_f64x4 _mm256_maskstore_pd
       reversed_f64x4 order_f64x4 parts_f64x4 pairs_f64x4 turn_f64);

/// Masks of the first lanes, of all if there are as many.
#[inline(always)]
fn first_of_16(count: usize) -> __mmask16 {
    ((1u32 << count.min(16)) - 1) as __mmask16
}
#[inline(always)]
fn first_of_8(count: usize) -> __mmask8 {
    ((1u32 << count.min(8)) - 1) as __mmask8
}
#[inline(always)]
unsafe fn first_of_8_words(count: usize) -> __m256i {
    // SAFETY: as the module says.
    unsafe { _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)) }
}
#[inline(always)]
unsafe fn first_of_4_words(count: usize) -> __m256i {
    // SAFETY: as the module says.
    unsafe { _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_set_epi64x(3, 2, 1, 0)) }
}
#[inline(always)]
unsafe fn load_some_f32x8(mask: __m256i, from: *const f32) -> __m256 {
    // SAFETY: the caller's word.
    unsafe { _mm256_maskload_ps(from, mask) }
}
#[inline(always)]
unsafe fn load_some_f64x4(mask: __m256i, from: *const f64) -> __m256d {
    // SAFETY: the caller's word.
    unsafe { _mm256_maskload_pd(from, mask) }
}

#[inline(always)]
unsafe fn reversed_f32x16(v: __m512) -> __m512 {
    // SAFETY: as the module says.
    unsafe { _mm512_permutexvar_ps(_mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), v) }
}
#[inline(always)]
unsafe fn reversed_f64x8(v: __m512d) -> __m512d {
    // SAFETY: as the module says.
    unsafe { _mm512_permutexvar_pd(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), v) }
}
#[inline(always)]
unsafe fn reversed_f32x8(v: __m256) -> __m256 {
    // SAFETY: as the module says.
    unsafe { _mm256_permutevar8x32_ps(v, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7)) }
}
#[inline(always)]
unsafe fn reversed_f64x4(v: __m256d) -> __m256d {
    // SAFETY: as the module says.
    unsafe { _mm256_permute4x64_pd::<0x1B>(v) }
}

/// Where real and imaginary parts lie in two vectors of complex numbers, and complex numbers in vectors of both parts.
#[inline(always)]
unsafe fn order_f32x16(swap: bool) -> [__m512i; 4] {
    // SAFETY: as the module says.
    unsafe {
        let re = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        let low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
        // The part beside, and the same part of the other vector.
        let (first, second) = (_mm512_set1_epi32(i32::from(swap)), _mm512_set1_epi32(16 * i32::from(swap)));
        let re = _mm512_xor_si512(re, first);
        let low = _mm512_xor_si512(low, second);
        [re, _mm512_xor_si512(re, _mm512_set1_epi32(1)), low, _mm512_add_epi32(low, _mm512_set1_epi32(8))]
    }
}
#[inline(always)]
unsafe fn order_f64x8(swap: bool) -> [__m512i; 4] {
    // SAFETY: as the module says.
    unsafe {
        let re = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
        let low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
        let (first, second) = (_mm512_set1_epi64(i64::from(swap)), _mm512_set1_epi64(8 * i64::from(swap)));
        let re = _mm512_xor_si512(re, first);
        let low = _mm512_xor_si512(low, second);
        [re, _mm512_xor_si512(re, _mm512_set1_epi64(1)), low, _mm512_add_epi64(low, _mm512_set1_epi64(4))]
    }
}
/// A mask of the lanes that are exchanged: all or none.
#[inline(always)]
unsafe fn order_f32x8(swap: bool) -> __m256 {
    // SAFETY: as the module says.
    unsafe { _mm256_castsi256_ps(_mm256_set1_epi32(-i32::from(swap))) }
}
#[inline(always)]
unsafe fn order_f64x4(swap: bool) -> __m256d {
    // SAFETY: as the module says.
    unsafe { _mm256_castsi256_pd(_mm256_set1_epi64x(-i64::from(swap))) }
}

/// Real and imaginary parts of complex numbers in two vectors.
#[inline(always)]
unsafe fn parts_f32x16(a: __m512, b: __m512, order: [__m512i; 4]) -> [__m512; 2] {
    // SAFETY: as the module says.
    unsafe { [_mm512_permutex2var_ps(a, order[0], b), _mm512_permutex2var_ps(a, order[1], b)] }
}
/// Complex numbers in two vectors, of real and imaginary parts.
#[inline(always)]
unsafe fn pairs_f32x16(re: __m512, im: __m512, order: [__m512i; 4]) -> [__m512; 2] {
    // SAFETY: as the module says.
    unsafe { [_mm512_permutex2var_ps(re, order[2], im), _mm512_permutex2var_ps(re, order[3], im)] }
}
#[inline(always)]
unsafe fn parts_f64x8(a: __m512d, b: __m512d, order: [__m512i; 4]) -> [__m512d; 2] {
    // SAFETY: as the module says.
    unsafe { [_mm512_permutex2var_pd(a, order[0], b), _mm512_permutex2var_pd(a, order[1], b)] }
}
#[inline(always)]
unsafe fn pairs_f64x8(re: __m512d, im: __m512d, order: [__m512i; 4]) -> [__m512d; 2] {
    // SAFETY: as the module says.
    unsafe { [_mm512_permutex2var_pd(re, order[2], im), _mm512_permutex2var_pd(re, order[3], im)] }
}
#[inline(always)]
unsafe fn parts_f32x8(a: __m256, b: __m256, order: __m256) -> [__m256; 2] {
    // SAFETY: as the module says.
    unsafe {
        let (re, im) = (_mm256_shuffle_ps::<0x88>(a, b), _mm256_shuffle_ps::<0xDD>(a, b));
        let re = _mm256_castpd_ps(_mm256_permute4x64_pd::<0xD8>(_mm256_castps_pd(re)));
        let im = _mm256_castpd_ps(_mm256_permute4x64_pd::<0xD8>(_mm256_castps_pd(im)));
        [_mm256_blendv_ps(re, im, order), _mm256_blendv_ps(im, re, order)]
    }
}
#[inline(always)]
unsafe fn pairs_f32x8(re: __m256, im: __m256, order: __m256) -> [__m256; 2] {
    // SAFETY: as the module says.
    unsafe {
        let (re, im) = (_mm256_blendv_ps(re, im, order), _mm256_blendv_ps(im, re, order));
        let (a, b) = (_mm256_unpacklo_ps(re, im), _mm256_unpackhi_ps(re, im));
        [_mm256_permute2f128_ps::<0x20>(a, b), _mm256_permute2f128_ps::<0x31>(a, b)]
    }
}
#[inline(always)]
unsafe fn parts_f64x4(a: __m256d, b: __m256d, order: __m256d) -> [__m256d; 2] {
    // SAFETY: as the module says.
    unsafe {
        let (re, im) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (re, im) = (_mm256_permute4x64_pd::<0xD8>(re), _mm256_permute4x64_pd::<0xD8>(im));
        [_mm256_blendv_pd(re, im, order), _mm256_blendv_pd(im, re, order)]
    }
}
#[inline(always)]
unsafe fn pairs_f64x4(re: __m256d, im: __m256d, order: __m256d) -> [__m256d; 2] {
    // SAFETY: as the module says.
    unsafe {
        let (re, im) = (_mm256_blendv_pd(re, im, order), _mm256_blendv_pd(im, re, order));
        let (a, b) = (_mm256_unpacklo_pd(re, im), _mm256_unpackhi_pd(re, im));
        [_mm256_permute2f128_pd::<0x20>(a, b), _mm256_permute2f128_pd::<0x31>(a, b)]
    }
}

/// Turns a square of four by four complex numbers.
#[inline(always)]
unsafe fn turn_f32(from: *const f32, from_step: usize, to: *mut f32, to_step: usize) {
    // SAFETY: the caller's word, and the module's.
    unsafe {
        let (a, b) = (_mm256_loadu_pd(from.cast()), _mm256_loadu_pd(from.add(from_step).cast()));
        let from = from.add(2 * from_step);
        let (c, d) = (_mm256_loadu_pd(from.cast()), _mm256_loadu_pd(from.add(from_step).cast()));
        let (p, q) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (r, s) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        _mm256_storeu_pd(to.cast(), _mm256_permute2f128_pd::<0x20>(p, r));
        _mm256_storeu_pd(to.add(to_step).cast(), _mm256_permute2f128_pd::<0x20>(q, s));
        let to = to.add(2 * to_step);
        _mm256_storeu_pd(to.cast(), _mm256_permute2f128_pd::<0x31>(p, r));
        _mm256_storeu_pd(to.add(to_step).cast(), _mm256_permute2f128_pd::<0x31>(q, s));
    }
}

/// Turns a square of two by two complex numbers.
#[inline(always)]
unsafe fn turn_f64(from: *const f64, from_step: usize, to: *mut f64, to_step: usize) {
    // SAFETY: the caller's word, and the module's.
    unsafe {
        let (a, b) = (_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(from_step)));
        _mm256_storeu_pd(to, _mm256_permute2f128_pd::<0x20>(a, b));
        _mm256_storeu_pd(to.add(to_step), _mm256_permute2f128_pd::<0x31>(a, b));
    }
}

/// Turns a square of eight by eight complex numbers: pairs of them, then pairs of pairs, then halves of vectors.
#[inline(always)]
unsafe fn turn_wide_f32(from: *const f32, from_step: usize, to: *mut f32, to_step: usize) {
    // SAFETY: the caller's word, and the module's.
    unsafe {
        let mut x = [_mm512_setzero_pd(); 8];
        for i in 0..4 {
            let from = from.add(2 * i * from_step);
            let (a, b) = (_mm512_loadu_pd(from.cast()), _mm512_loadu_pd(from.add(from_step).cast()));
            (x[i], x[4 + i]) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        }
        // The first four have the even columns, two rows to a quarter; the others have the odd ones.
        for odd in 0..2 {
            let [a, b, c, d] = [x[4 * odd], x[4 * odd + 1], x[4 * odd + 2], x[4 * odd + 3]];
            let (p, q) = (_mm512_shuffle_f64x2::<0x44>(a, b), _mm512_shuffle_f64x2::<0x44>(c, d));
            let (r, s) = (_mm512_shuffle_f64x2::<0xEE>(a, b), _mm512_shuffle_f64x2::<0xEE>(c, d));
            let to = to.add(odd * to_step);
            _mm512_storeu_pd(to.cast(), _mm512_shuffle_f64x2::<0x88>(p, q));
            _mm512_storeu_pd(to.add(2 * to_step).cast(), _mm512_shuffle_f64x2::<0xDD>(p, q));
            _mm512_storeu_pd(to.add(4 * to_step).cast(), _mm512_shuffle_f64x2::<0x88>(r, s));
            _mm512_storeu_pd(to.add(6 * to_step).cast(), _mm512_shuffle_f64x2::<0xDD>(r, s));
        }
    }
}

/// Turns a square of four by four complex numbers.
#[inline(always)]
unsafe fn turn_wide_f64(from: *const f64, from_step: usize, to: *mut f64, to_step: usize) {
    // SAFETY: the caller's word, and the module's.
    unsafe {
        let (a, b) = (_mm512_loadu_pd(from), _mm512_loadu_pd(from.add(from_step)));
        let (c, d) = (_mm512_loadu_pd(from.add(2 * from_step)), _mm512_loadu_pd(from.add(3 * from_step)));
        let (p, q) = (_mm512_shuffle_f64x2::<0x44>(a, b), _mm512_shuffle_f64x2::<0x44>(c, d));
        let (r, s) = (_mm512_shuffle_f64x2::<0xEE>(a, b), _mm512_shuffle_f64x2::<0xEE>(c, d));
        _mm512_storeu_pd(to, _mm512_shuffle_f64x2::<0x88>(p, q));
        _mm512_storeu_pd(to.add(to_step), _mm512_shuffle_f64x2::<0xDD>(p, q));
        _mm512_storeu_pd(to.add(2 * to_step), _mm512_shuffle_f64x2::<0x88>(r, s));
        _mm512_storeu_pd(to.add(3 * to_step), _mm512_shuffle_f64x2::<0xDD>(r, s));
    }
}
