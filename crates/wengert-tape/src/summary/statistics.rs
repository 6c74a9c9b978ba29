//! The least, the greatest and the sum of elements, in independent lanes: loops that vectorise.

/// Elements beside each other that have a least, a greatest and a sum of their own.
pub(super) const LANES: usize = 16;

/// Memory that is so many bytes further on is asked for: it is on its way while other elements are computed with.
const AHEAD: usize = 1 << 14;

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

    /// Those of one number. What is not one is counted later.
    #[inline(always)]
    fn of_one(x: f64) -> Statistics {
        let none = Statistics::NONE;
        Statistics {
            min: if x < none.min { x } else { none.min },
            max: if x > none.max { x } else { none.max },
            sum: x,
            nans: 0,
        }
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

/// The statistics of elements that come block by block.
pub(super) struct StatisticsLanes {
    min: [f64; LANES],
    max: [f64; LANES],
    sum: [f64; LANES],
}

impl StatisticsLanes {
    /// Those of no elements.
    pub(super) const NONE: StatisticsLanes =
        StatisticsLanes { min: [f64::INFINITY; LANES], max: [f64::NEG_INFINITY; LANES], sum: [0.0; LANES] };

    /// Adds rows of elements that are these numbers.
    #[inline(always)]
    pub(super) fn add<T: Copy>(&mut self, rows: &[[T; LANES]], number: impl Fn(T) -> f64 + Copy) {
        // In registers meanwhile.
        let StatisticsLanes { mut min, mut max, mut sum } = *self;
        for row in rows {
            ask_for(row.as_ptr_range().start.wrapping_byte_add(AHEAD).cast(), size_of_val(row));
            for (l, element) in row.iter().enumerate() {
                let x = number(*element);
                // No comparison with NaN is true.
                min[l] = if x < min[l] { x } else { min[l] };
                max[l] = if x > max[l] { x } else { max[l] };
                sum[l] += x;
            }
        }
        *self = StatisticsLanes { min, max, sum };
    }

    /// The statistics of these elements, of which all whole rows were added.
    #[inline(always)]
    pub(super) fn finish<T: Copy>(&self, elements: &[T], number: impl Fn(T) -> f64 + Copy) -> Statistics {
        let lane = |l: usize| Statistics { min: self.min[l], max: self.max[l], sum: self.sum[l], nans: 0 };
        let rows = (0..LANES).map(lane).fold(Statistics::NONE, Statistics::and);
        let rest = elements.as_chunks::<LANES>().1.iter().map(|&x| Statistics::of_one(number(x)));
        let all = rest.fold(rows, Statistics::and);
        // A sum is NaN if an element is. Few arrays have any, and to look at each element for them takes longer.
        if all.sum.is_nan() { Statistics { nans: 0, sum: 0.0, ..all }.and(without_nans(elements, number)) } else { all }
    }
}

/// The sum of the elements that are numbers, and how many are not.
fn without_nans<T: Copy>(elements: &[T], number: impl Fn(T) -> f64 + Copy) -> Statistics {
    let (mut sum, mut numbers) = ([0.0; LANES], [0.0; LANES]);
    for row in elements.chunks(LANES) {
        for (l, element) in row.iter().enumerate() {
            let x = number(*element);
            sum[l] += if x.is_nan() { 0.0 } else { x };
            numbers[l] += if x.is_nan() { 0.0 } else { 1.0 };
        }
    }
    let nans = elements.len() as u64 - numbers.iter().sum::<f64>() as u64;
    Statistics { sum: sum.iter().sum(), nans, ..Statistics::NONE }
}

/// Asks for so many bytes of memory, wherever they are.
#[inline(always)]
fn ask_for(memory: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: all machines of this kind have the instruction, and an address where nothing is does no harm.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(memory.wrapping_add(line).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (memory, bytes);
}
