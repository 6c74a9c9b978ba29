//! The least, the greatest and the sum of elements, in independent lanes: loops that vectorise.

/// Elements beside each other that have a least, a greatest and a sum of their own.
const LANES: usize = 16;

/// Of elements that are numbers, and how many are not.
#[derive(Clone, Copy)]
pub(super) struct Statistics {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) sum: f64,
    pub(super) nans: u64,
}

impl Statistics {
    /// Those of no elements.
    pub(super) const NONE: Statistics = Statistics { min: f64::INFINITY, max: f64::NEG_INFINITY, sum: 0.0, nans: 0 };

    /// Those of elements that are these numbers.
    pub(super) fn of<T: Copy>(elements: &[T], number: impl Fn(T) -> f64 + Copy) -> Statistics {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: this machine has what the function was compiled for.
            return unsafe { of_avx2(elements, number) };
        }
        of_lanes(elements, number)
    }

    /// Those of both.
    #[inline(always)]
    pub(super) fn and(self, other: Statistics) -> Statistics {
        Statistics {
            min: if other.min < self.min { other.min } else { self.min },
            max: if other.max > self.max { other.max } else { self.max },
            sum: self.sum + other.sum,
            nans: self.nans + other.nans,
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn of_avx2<T: Copy>(elements: &[T], number: impl Fn(T) -> f64 + Copy) -> Statistics {
    of_lanes(elements, number)
}

#[inline(always)]
fn of_lanes<T: Copy>(elements: &[T], number: impl Fn(T) -> f64 + Copy) -> Statistics {
    let (mut min, mut max, mut sum) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES], [0.0; LANES]);
    each(elements, |l, element| {
        let x = number(element);
        // No comparison with NaN is true.
        min[l] = if x < min[l] { x } else { min[l] };
        max[l] = if x > max[l] { x } else { max[l] };
        sum[l] += x;
    });
    let lane = |l: usize| Statistics { min: min[l], max: max[l], sum: sum[l], nans: 0 };
    let all = (0..LANES).map(lane).fold(Statistics::NONE, Statistics::and);
    // A sum is NaN if an element is. Few arrays have any, and to look at each element for them takes longer.
    if !all.sum.is_nan() {
        return all;
    }
    let (mut sum, mut numbers) = ([0.0; LANES], [0.0; LANES]);
    each(elements, |l, element| {
        let x = number(element);
        sum[l] += if x.is_nan() { 0.0 } else { x };
        numbers[l] += if x.is_nan() { 0.0 } else { 1.0 };
    });
    let nans = elements.len() as u64 - numbers.iter().sum::<f64>() as u64;
    Statistics { sum: sum.iter().sum(), nans, ..all }
}

/// Calls a function for each element, with its lane.
#[inline(always)]
fn each<T: Copy>(elements: &[T], mut f: impl FnMut(usize, T)) {
    let (rows, rest) = elements.as_chunks::<LANES>();
    for row in rows {
        for (l, x) in row.iter().enumerate() {
            f(l, *x);
        }
    }
    for (l, x) in rest.iter().enumerate() {
        f(l, *x);
    }
}
