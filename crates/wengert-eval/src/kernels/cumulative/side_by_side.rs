//! Sums of sixteen whole blocks at once, which do not wait for each other.
//!
//! A block is one vector of a machine with AVX-512, and each of its elements is added to the one before: so a square of sixteen
//! blocks is turned in registers, summed down, and turned back.

use super::BLOCK;

/// Sums of [`BLOCK`] whole blocks: the totals of each, and what is running in each with what is beside it.
#[derive(Clone, Copy)]
pub(super) struct SideBySide<T> {
    pub(super) totals: fn(&[T], &mut [T]),
    pub(super) running: fn(&[T], &[T], &mut [T]),
}

/// Elements whose running sums have loops of their own.
pub(super) trait Summed: Sized {
    /// The fastest here. All give the same bits.
    fn side_by_side() -> SideBySide<Self>;
}

macro_rules! summed {
    ($($t:ty, $f:expr, $wide:ident;)*) => {$(
        impl Summed for $t {
            fn side_by_side() -> SideBySide<$t> {
                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("avx512f") {
                    return SideBySide {
                        // SAFETY: the machine has it.
                        totals: |x, totals| unsafe { wide::$wide::totals(x, totals) },
                        // SAFETY: the machine has it.
                        running: |x, beside, y| unsafe { wide::$wide::running(x, beside, y) },
                    };
                }
                plain::$wide
            }
        }
    )*
    mod plain {
        use super::{BLOCK, SideBySide};
        $(
            #[allow(non_upper_case_globals)]
            pub(super) const $wide: SideBySide<$t> = SideBySide {
                totals: |x, totals| {
                    let f = $f;
                    let (x, totals) = (&x[..BLOCK * BLOCK], &mut totals[..BLOCK]);
                    let mut sums: [$t; BLOCK] = std::array::from_fn(|b| x[b * BLOCK]);
                    for i in 1..BLOCK {
                        (0..BLOCK).for_each(|b| sums[b] = f(sums[b], x[b * BLOCK + i]));
                    }
                    totals.copy_from_slice(&sums);
                },
                running: |x, beside, y| {
                    let f = $f;
                    let (x, beside, y) = (&x[..BLOCK * BLOCK], &beside[..BLOCK], &mut y[..BLOCK * BLOCK]);
                    let mut sums: [$t; BLOCK] = std::array::from_fn(|b| x[b * BLOCK]);
                    (0..BLOCK).for_each(|b| y[b * BLOCK] = f(beside[b], sums[b]));
                    for i in 1..BLOCK {
                        for b in 0..BLOCK {
                            sums[b] = f(sums[b], x[b * BLOCK + i]);
                            y[b * BLOCK + i] = f(beside[b], sums[b]);
                        }
                    }
                },
            };
        )*
    }
    };
}
summed! {
    f32, |a: f32, b: f32| a + b, of_f32;
    f64, |a: f64, b: f64| a + b, of_f64;
    i32, |a: i32, b: i32| a.wrapping_add(b), of_i32;
    i64, |a: i64, b: i64| a.wrapping_add(b), of_i64;
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::BLOCK;
    use std::arch::x86_64::*;

    /// The columns of sixteen rows.
    #[target_feature(enable = "avx512f")]
    fn turned_32(r: [__m512; 16]) -> [__m512; 16] {
        let (mut pairs, mut fours) = (r, r);
        for i in (0..16).step_by(2) {
            pairs[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
            pairs[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
        }
        for i in (0..16).step_by(4) {
            for half in 0..2 {
                let (a, b) = (_mm512_castps_pd(pairs[i + half]), _mm512_castps_pd(pairs[i + 2 + half]));
                fours[i + 2 * half] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
                fours[i + 2 * half + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
            }
        }
        let mut out = r;
        for c in 0..4 {
            let mut quarters = [_mm512_setzero_pd(); 4];
            for (i, q) in quarters.iter_mut().enumerate() {
                *q = _mm512_castps_pd(fours[4 * i + c]);
            }
            for (i, q) in turned_quarters(quarters).into_iter().enumerate() {
                out[4 * i + c] = _mm512_castpd_ps(q);
            }
        }
        out
    }

    /// The columns of eight rows.
    #[target_feature(enable = "avx512f")]
    fn turned_64(r: [__m512d; 8]) -> [__m512d; 8] {
        let (mut pairs, mut out) = (r, r);
        for i in (0..8).step_by(2) {
            pairs[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
            pairs[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
        }
        for c in 0..2 {
            let turned = turned_quarters([pairs[c], pairs[2 + c], pairs[4 + c], pairs[6 + c]]);
            (0..4).for_each(|i| out[2 * i + c] = turned[i]);
        }
        out
    }

    /// The columns of four rows of four quarters.
    #[target_feature(enable = "avx512f")]
    fn turned_quarters([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
        const EVEN: i32 = 0x88;
        const ODD: i32 = 0xdd;
        let (e, f) = (_mm512_shuffle_f64x2::<EVEN>(a, b), _mm512_shuffle_f64x2::<EVEN>(c, d));
        let (g, h) = (_mm512_shuffle_f64x2::<ODD>(a, b), _mm512_shuffle_f64x2::<ODD>(c, d));
        [
            _mm512_shuffle_f64x2::<EVEN>(e, f),
            _mm512_shuffle_f64x2::<EVEN>(g, h),
            _mm512_shuffle_f64x2::<ODD>(e, f),
            _mm512_shuffle_f64x2::<ODD>(g, h),
        ]
    }

    /// One element type: its vectors as floats of its size, by which they are turned, and how they are added.
    macro_rules! element {
        ($($name:ident: $t:ty, $v:ty, $lanes:expr, $turned:ident, $zero:ident, $load:ident, $store:ident, $add:expr;)*) => {$(
            pub(super) mod $name {
                use super::*;
                const LANES: usize = $lanes;

                /// The square of this row and column of squares, with columns for rows.
                #[target_feature(enable = "avx512f")]
                fn columns(x: &[$t; BLOCK * BLOCK], [row, column]: [usize; 2]) -> [$v; LANES] {
                    let mut rows = [$zero(); LANES];
                    for (i, r) in rows.iter_mut().enumerate() {
                        let from = x[(row * LANES + i) * BLOCK + column * LANES..][..LANES].as_ptr();
                        // SAFETY: as many elements as a vector has are there.
                        *r = unsafe { $load(from.cast()) };
                    }
                    $turned(rows)
                }

                #[target_feature(enable = "avx512f")]
                fn added(a: $v, b: $v) -> $v {
                    $add(a, b)
                }

                #[target_feature(enable = "avx512f")]
                pub(in super::super) fn totals(x: &[$t], totals: &mut [$t]) {
                    let x: &[$t; BLOCK * BLOCK] = x[..BLOCK * BLOCK].try_into().expect("as many");
                    for row in 0..BLOCK / LANES {
                        let mut sums = None;
                        for column in 0..BLOCK / LANES {
                            for c in columns(x, [row, column]) {
                                sums = Some(match sums {
                                    None => c,
                                    Some(sums) => added(sums, c),
                                });
                            }
                        }
                        let to = totals[row * LANES..][..LANES].as_mut_ptr();
                        if let Some(sums) = sums {
                            // SAFETY: as many elements as a vector has are there.
                            unsafe { $store(to.cast(), sums) };
                        }
                    }
                }

                #[target_feature(enable = "avx512f")]
                pub(in super::super) fn running(x: &[$t], beside: &[$t], y: &mut [$t]) {
                    let x: &[$t; BLOCK * BLOCK] = x[..BLOCK * BLOCK].try_into().expect("as many");
                    let y: &mut [$t; BLOCK * BLOCK] = (&mut y[..BLOCK * BLOCK]).try_into().expect("as many");
                    for row in 0..BLOCK / LANES {
                        // SAFETY: as many elements as a vector has are there.
                        let beside = unsafe { $load(beside[row * LANES..][..LANES].as_ptr().cast()) };
                        let mut sums = None;
                        for column in 0..BLOCK / LANES {
                            let mut square = columns(x, [row, column]);
                            for c in &mut square {
                                let now = match sums {
                                    None => *c,
                                    Some(sums) => added(sums, *c),
                                };
                                (sums, *c) = (Some(now), added(beside, now));
                            }
                            for (i, c) in $turned(square).into_iter().enumerate() {
                                let to = y[(row * LANES + i) * BLOCK + column * LANES..][..LANES].as_mut_ptr();
                                // SAFETY: as many elements as a vector has are there.
                                unsafe { $store(to.cast(), c) };
                            }
                        }
                    }
                }
            }
        )*};
    }
    element! {
        of_f32: f32, __m512, 16, turned_32, _mm512_setzero_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps;
        of_f64: f64, __m512d, 8, turned_64, _mm512_setzero_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd;
        of_i32: i32, __m512, 16, turned_32, _mm512_setzero_ps, _mm512_loadu_ps, _mm512_storeu_ps,
            |a, b| _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b)));
        of_i64: i64, __m512d, 8, turned_64, _mm512_setzero_pd, _mm512_loadu_pd, _mm512_storeu_pd,
            |a, b| _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(a), _mm512_castpd_si512(b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways give the same bits.
    fn agree<T: Summed + Copy + Default + PartialEq + std::fmt::Debug>(
        plain: SideBySide<T>,
        value: impl Fn(usize) -> T,
    ) {
        let x: Vec<T> = (0..BLOCK * BLOCK).map(&value).collect();
        let beside: Vec<T> = (0..BLOCK).map(|i| value(i * 7 + 3)).collect();
        let totals = |f: SideBySide<T>| {
            let mut out = vec![T::default(); BLOCK];
            (f.totals)(&x, &mut out);
            out
        };
        let running = |f: SideBySide<T>| {
            let mut out = vec![T::default(); BLOCK * BLOCK];
            (f.running)(&x, &beside, &mut out);
            out
        };
        assert_eq!(totals(T::side_by_side()), totals(plain));
        assert_eq!(running(T::side_by_side()), running(plain));
    }

    #[test]
    fn vectors_give_the_same_bits() {
        let float = |i: usize| (i as f64 * 0.7).sin() * 10f64.powi((i % 13) as i32 - 6);
        agree::<f64>(plain::of_f64, float);
        agree::<f32>(plain::of_f32, |i| float(i) as f32);
        let int = |i: usize| (i as i64).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64);
        agree::<i64>(plain::of_i64, int);
        agree::<i32>(plain::of_i32, |i| (int(i) >> 16) as i32);
    }
}
