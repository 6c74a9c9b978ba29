//! What is kept of values: nothing but their types, a few numbers, or all of them.

use crate::plain::plain;
use std::fmt;
use wengert_core::{Element, Shape, Tensor, with_elements};

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

/// What becomes of a hash when the same word is added again and again: `h ← (h + word) · K`, in as many steps as the
/// number of times has bits. A value repeated so has the hash of its elements spelled out.
fn hashed(hash: u64, word: u64, mut times: usize) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    // `h ← h · m + a` done twice is `h ← h · m² + a · (m + 1)`.
    let (mut h, mut m, mut a) = (hash, K, word.wrapping_mul(K));
    while times > 0 {
        if times & 1 == 1 {
            h = h.wrapping_mul(m).wrapping_add(a);
        }
        (m, a) = (m.wrapping_mul(m), a.wrapping_mul(m.wrapping_add(1)));
        times >>= 1;
    }
    h
}

impl Summary {
    /// The summary of a value.
    pub fn of(t: &Tensor) -> Summary {
        fn over<T: Element>(v: &[T], times: usize) -> Summary {
            let (mut min, mut max, mut sum, mut count, mut nans) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0u64, 0u64);
            let mut hash = 0u64;
            for x in v {
                let s = x.scalar();
                let bits = s.bits();
                hash = hashed(hash, bits as u64 ^ (bits >> 64) as u64, times);
                let x = s.as_f64().unwrap_or_else(|| s.as_complex().norm());
                if x.is_nan() {
                    nans += 1;
                } else {
                    (min, max, sum, count) = (min.min(x), max.max(x), sum + x, count + 1);
                }
            }
            let mean = if count == 0 { f64::NAN } else { sum / count as f64 };
            Summary { min, max, mean, nans: nans * times as u64, hash }
        }
        match t.splat_value() {
            Some(s) if t.size() > 0 => with_elements!(Tensor::splat(Shape::scalar(), s), v => over(v, t.size())),
            Some(_) => over::<f64>(&[], 1),
            None => with_elements!(*t, v => over(v, 1)),
        }
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

    #[test]
    fn small_and_large_numbers_are_not_lost() {
        let text = |x: &[f64]| Summary::of(&Tensor::new([x.len()], x.to_vec()).unwrap()).to_string();
        assert_eq!(text(&[0.0, 1.5]), "in 0.0000..1.5000, mean 0.7500");
        assert_eq!(text(&[2e-7, 4e-7]), "in 2.0000e-7..4.0000e-7, mean 3.0000e-7");
        assert_eq!(text(&[-1e300, f64::INFINITY]), "in -1.0000e300..inf, mean inf");
        assert_eq!(text(&[f64::NAN; 2]), "no numbers, 2 NaN");
    }

    #[test]
    fn a_value_repeated_has_the_hash_of_its_elements() {
        for n in [1usize, 2, 3, 7, 64, 1000] {
            let splat = Tensor::splat([n], 2.5f32.scalar());
            assert_eq!(Summary::of(&splat).hash, Summary::of(&splat.dense()).hash, "{n}");
        }
        // In no time, however large.
        Summary::of(&Tensor::splat([1 << 55], 2.5f32.scalar()));
    }
}
