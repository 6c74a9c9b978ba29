//! What is kept of values: nothing but their types, a few numbers, or all of them.

mod hash;
mod statistics;

use crate::plain::plain;
use hash::{BLOCK, BlockSums, Hasher, STRIPE};
use statistics::{LANES, Statistics, StatisticsLanes};
use std::fmt;
use wengert_core::{Complex, DType, Element, Shape, Tensor, bf16, f16};

/// What a tape keeps of the values of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capture {
    /// Element types and shapes.
    #[default]
    Shapes,
    /// A [`Summary`] of each value.
    Summaries,
    /// The values themselves.
    Values,
}

/// A value in a few numbers. Of complex numbers, the magnitude counts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Summary {
    /// The least element that is a number; infinity if there is none.
    pub min: f64,
    /// The greatest element that is a number; minus infinity if there is none.
    pub max: f64,
    /// The mean of the elements that are numbers; NaN if there is none.
    pub mean: f64,
    /// How many elements are not numbers.
    pub nans: u64,
    /// A hash of all bits: equal values have equal hashes.
    pub hash: u64,
}

plain! {
    Summary: min max mean nans hash;
}

/// Bytes whose elements are added up apart from others: whole blocks of the hash.
const PIECE: usize = 16 * BLOCK;

/// The number that an `f16` with these bits is.
fn half(bits: u16) -> f64 {
    let magnitude = u32::from(bits & 0x7fff) << 13;
    // The exponents of `f32` have 112 more below zero; those of all ones stay so.
    let scaled = f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23);
    let endless = f32::from_bits(magnitude | 0xff << 23);
    let x = if bits & 0x7c00 == 0x7c00 { endless } else { scaled };
    f64::from(if bits & 0x8000 == 0 { x } else { -x })
}

/// The magnitude of a complex number. An infinite part makes it infinite, whatever the other is.
fn magnitude(re: f64, im: f64) -> f64 {
    let square = re * re + im * im;
    // Squares of what is very large or small are not numbers of this type.
    if (1e-280..1e280).contains(&square) { square.sqrt() } else { re.hypot(im) }
}

/// The statistics and the hash of elements, which are these bytes and these numbers.
fn over<T: Element>(t: &Tensor, number: impl Fn(T) -> f64 + Copy) -> (Statistics, u64) {
    let elements = t.elements::<T>();
    let bytes = &t.raw()[..size_of_val(elements)];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: this machine has what the function was compiled for.
        return unsafe { over_avx512(elements, bytes, number) };
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the same.
        return unsafe { over_avx2(elements, bytes, number) };
    }
    over_lanes(elements, bytes, number)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn over_avx512<T: Element>(elements: &[T], bytes: &[u8], number: impl Fn(T) -> f64 + Copy) -> (Statistics, u64) {
    over_lanes(elements, bytes, number)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn over_avx2<T: Element>(elements: &[T], bytes: &[u8], number: impl Fn(T) -> f64 + Copy) -> (Statistics, u64) {
    over_lanes(elements, bytes, number)
}

/// Both of an array in one loop: sums of the hash are added up while those of the statistics wait for each other.
#[inline(always)]
fn over_lanes<T: Element>(elements: &[T], bytes: &[u8], number: impl Fn(T) -> f64 + Copy) -> (Statistics, u64) {
    // Stripes of the hash beside whole rows of the statistics. Where numbers are what elements are, as few as make one row;
    // where they are computed first, a block of each, which has registers of its own.
    let stripes = if matches!(T::DTYPE, DType::F32 | DType::F64) { LANES * 8 / STRIPE } else { BLOCK / STRIPE };
    let (mut statistics, mut hash) = (Statistics::NONE, Hasher::default());
    for (v, bytes) in elements.chunks(PIECE / size_of::<T>()).zip(bytes.chunks(PIECE)) {
        let mut lanes = StatisticsLanes::NONE;
        // By their numbers: iterators are not always compiled into a function that is for a machine of its own.
        let (blocks, per_block) = (bytes.as_chunks::<BLOCK>().0, BLOCK / size_of::<T>());
        for b in 0..blocks.len() {
            let (mut sums, v) = (BlockSums::NONE, &v[b * per_block..][..per_block]);
            let rows = stripes * STRIPE / size_of::<T>();
            for i in 0..per_block / rows {
                sums.add(i * stripes, &blocks[b].as_chunks().0[i * stripes..][..stripes]);
                lanes.add(v[i * rows..][..rows].as_chunks().0, number);
            }
            hash.block(sums);
        }
        lanes.add(v[blocks.len() * per_block..].as_chunks().0, number);
        statistics = statistics.and(lanes.finish(v, number));
    }
    (statistics, hash.finish(&bytes[bytes.len() / BLOCK * BLOCK..], elements.len()))
}

/// Those of the elements of an array that is not a splat.
fn of_elements(t: &Tensor) -> (Statistics, u64) {
    match t.dtype() {
        DType::Bool => over::<bool>(t, |x| f64::from(u8::from(x))),
        DType::I8 => over::<i8>(t, f64::from),
        DType::I16 => over::<i16>(t, f64::from),
        DType::I32 => over::<i32>(t, f64::from),
        DType::I64 => over::<i64>(t, |x| x as f64),
        DType::U8 => over::<u8>(t, f64::from),
        DType::U16 => over::<u16>(t, f64::from),
        DType::U32 => over::<u32>(t, f64::from),
        DType::U64 => over::<u64>(t, |x| x as f64),
        DType::F16 => over::<f16>(t, |x| half(x.to_bits())),
        DType::BF16 => over::<bf16>(t, |x| f64::from(f32::from_bits(u32::from(x.to_bits()) << 16))),
        DType::F32 => over::<f32>(t, f64::from),
        DType::F64 => over::<f64>(t, |x| x),
        DType::C64 => over::<Complex<f32>>(t, |x| magnitude(x.re.into(), x.im.into())),
        DType::C128 => over::<Complex<f64>>(t, |x| magnitude(x.re, x.im)),
    }
}

/// The hash of one element repeated, which is that of its elements spelled out.
fn repeated(element: &Tensor, times: usize) -> u64 {
    let (element, mut block) = (element.raw(), [0; BLOCK]);
    block.chunks_exact_mut(element.len()).for_each(|place| place.copy_from_slice(element));
    let per_block = BLOCK / element.len();
    let mut hash = Hasher::default();
    hash.repeated(&block, times / per_block);
    hash.finish(&block[..times % per_block * element.len()], times)
}

impl Summary {
    fn new(s: Statistics, count: usize, hash: u64) -> Summary {
        let numbers = count as u64 - s.nans;
        let mean = if numbers == 0 { f64::NAN } else { s.sum / numbers as f64 };
        Summary { min: s.min, max: s.max, mean, nans: s.nans, hash }
    }

    /// The summary of a value.
    pub fn of(t: &Tensor) -> Summary {
        let count = t.size();
        let (s, hash) = match t.splat_value() {
            _ if count == 0 => (Statistics::NONE, Hasher::default().finish(&[], 0)),
            None => of_elements(t),
            Some(s) => {
                let element = Tensor::splat(Shape::scalar(), s).dense();
                // Its mean is itself, without the rounding of a sum.
                let (one, _) = of_elements(&element);
                let (hash, nans) = (repeated(&element, count), one.nans * count as u64);
                return Summary { nans, ..Summary::new(one, 1, hash) };
            }
        };
        Summary::new(s, count, hash)
    }
}

impl fmt::Display for Summary {
    /// `in 0.0000..2.5000, mean 1.2000, 3 NaN`; numbers that would need many zeros have a power of ten.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |x: f64| match x.abs() {
            a if a == 0.0 || (1e-3..1e6).contains(&a) || !a.is_finite() => format!("{x:.4}"),
            _ => format!("{x:.4e}"),
        };
        match self.min > self.max {
            true => f.write_str("no numbers")?,
            false => write!(f, "in {}..{}, mean {}", short(self.min), short(self.max), short(self.mean))?,
        }
        if self.nans > 0 { write!(f, ", {} NaN", self.nans) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wengert_core::bytes::{from_bytes, to_bytes};
    use wengert_core::{Scalar, with_dtype};

    #[test]
    fn small_and_large_numbers_are_not_lost() {
        let text = |x: &[f64]| Summary::of(&Tensor::new([x.len()], x.to_vec()).unwrap()).to_string();
        assert_eq!(text(&[0.0, 1.5]), "in 0.0000..1.5000, mean 0.7500");
        assert_eq!(text(&[2e-7, 4e-7]), "in 2.0000e-7..4.0000e-7, mean 3.0000e-7");
        assert_eq!(text(&[-1e300, f64::INFINITY]), "in -1.0000e300..inf, mean inf");
        assert_eq!(text(&[f64::NAN; 2]), "no numbers, 2 NaN");
    }

    #[test]
    fn a_value_repeated_has_the_summary_of_its_elements() {
        fn check<T: Element>() {
            for n in [1usize, 2, 3, 15, 64, 255, 256, 257, 1024, 5000] {
                let splat = Tensor::splat([n], T::from_f64(2.5).scalar());
                assert_eq!(Summary::of(&splat), Summary::of(&splat.dense()), "{n} of {}", T::DTYPE);
            }
        }
        for dtype in DType::ALL {
            with_dtype!(dtype, T => check::<T>());
        }
        // In no time, however large.
        Summary::of(&Tensor::splat([1 << 55], 2.5f32.scalar()));
    }

    /// Tapes of other versions have hashes too, which are held against ours.
    #[test]
    fn hashes_are_those_of_other_versions() {
        fn all<T: Element>() -> u64 {
            let hash = |n: usize| Summary::of(&sample::<T>(n, true)).hash;
            [1, 16, 300, 5001, 40_000].into_iter().fold(0, |all: u64, n| all.rotate_left(9) ^ hash(n))
        }
        let said: Vec<u64> = DType::ALL.iter().map(|&dtype| with_dtype!(dtype, T => all::<T>())).collect();
        let known = [
            0x14ff_6330_dc1a_37a0,
            0xecaa_44d4_9b43_9adc,
            0xb3b5_9b2f_8f46_1060,
            0x3124_103c_ed43_273c,
            0x8eaa_374a_938f_979d,
            0x2062_79f9_d169_67d0,
            0xc53b_0b0d_fb08_f69f,
            0xa796_5fdd_c3e9_07f4,
            0xa1d5_c462_41dd_c30f,
            0xd92c_d3a8_9493_a56d,
            0x24a1_d6c4_9ef4_a955,
            0xcd0c_0cc3_0c62_c446,
            0x5d10_8cf8_da38_8f21,
            0x3358_4348_6ea2_a7fb,
            0x2826_d98d_0438_360f,
        ];
        assert_eq!(said, known);
    }

    /// What a summary says, element by element; of the hash nothing.
    fn plainly(t: &Tensor) -> (f64, f64, f64, u64) {
        let number = |s: Scalar| s.as_f64().unwrap_or_else(|| s.as_complex().norm());
        let all: Vec<f64> = (0..t.size()).map(|i| number(t.get(i))).collect();
        let numbers: Vec<f64> = all.iter().copied().filter(|x| !x.is_nan()).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let (min, max) = (numbers.iter().copied().reduce(f64::min), numbers.iter().copied().reduce(f64::max));
        (min.unwrap_or(f64::INFINITY), max.unwrap_or(f64::NEG_INFINITY), mean, (all.len() - numbers.len()) as u64)
    }

    /// Elements of all sizes of numbers, with NaN and infinities in some of the arrays.
    fn sample<T: Element>(n: usize, special: bool) -> Tensor {
        let mut state = n as u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 40
        };
        let element = |_| match next() % 50 {
            0 if special => T::from_f64(f64::NAN),
            1 if special => T::from_f64(f64::INFINITY),
            2 => T::from_f64(6e-8),
            _ => T::from_f64(next() as f64 / 1000.0 - 8000.0),
        };
        Tensor::new([n], (0..n).map(element).collect()).unwrap()
    }

    #[test]
    fn summaries_say_what_is_there_and_hashes_differ() {
        fn check<T: Element>() {
            let mut hashes = std::collections::BTreeSet::new();
            for n in [2usize, 16, 17, 300, 5001] {
                for special in [false, true] {
                    let t = sample::<T>(n, special);
                    let (s, (min, max, mean, nans)) = (Summary::of(&t), plainly(&t));
                    let close =
                        |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * max.abs();
                    assert!(
                        close(s.min, min) && close(s.max, max) && close(s.mean, mean),
                        "{n} {s:?} {min} {max} {mean}"
                    );
                    assert_eq!(s.nans, nans);
                    assert_eq!(s, Summary::of(&t), "the same once more");
                    // Any change is seen: a bit, the order, the length.
                    let mut bytes = to_bytes(&t);
                    let mut changed = |at: usize, bytes: &mut Vec<u8>| {
                        bytes[at] ^= 1;
                        let other = from_bytes(T::DTYPE, [n].into(), bytes, false).unwrap();
                        (other != t).then(|| hashes.insert(Summary::of(&other).hash));
                        bytes[at] ^= 1;
                    };
                    (0..bytes.len()).step_by(bytes.len().div_ceil(3)).for_each(|at| changed(at, &mut bytes));
                    assert!(!hashes.contains(&s.hash), "{n} of {}", T::DTYPE);
                    let cut = Tensor::new([n - 1], t.elements::<T>()[1..].to_vec()).unwrap();
                    assert_ne!(Summary::of(&cut).hash, s.hash);
                    let mut v = t.elements::<T>().to_vec();
                    v.rotate_left(1);
                    let turned = Tensor::new([n], v).unwrap();
                    assert!(turned == t || Summary::of(&turned).hash != s.hash, "{n} of {}", T::DTYPE);
                }
            }
        }
        for dtype in DType::ALL {
            with_dtype!(dtype, T => check::<T>());
        }
    }

    #[test]
    fn halves_are_the_numbers_they_are() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (half(bits), f16::from_bits(bits).to_f64());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{bits:x}");
        }
    }
}
