//! Keys in ascending order, by their digits: the last digit first, so that equal keys stay in the order they had.

use super::super::scratch::Scratch;

/// Bits of a digit.
pub(super) const DIGIT: u32 = 11;
pub(super) const DIGITS: usize = 1 << DIGIT;
/// Fewer keys than this are compared.
pub(super) const FEW: usize = 600;

/// An unsigned integer with a position.
pub(super) trait Key: Copy + Ord + Send + Sync + std::ops::Not<Output = Self> {
    /// The key and its position in one, which compare as keys do, then as positions.
    type Pair: Copy + Ord + 'static;
    const BITS: u32;
    /// The key of a float that is none.
    const NAN: Self;
    fn pair(self, position: u32) -> Self::Pair;
    fn position(pair: Self::Pair) -> u32;
    /// The bits of the key from this one on.
    fn digit(pair: Self::Pair, from: u32) -> usize;
}

impl Key for u32 {
    type Pair = u64;
    const BITS: u32 = 32;
    const NAN: u32 = f32::NAN.to_bits() | 1 << 31;
    fn pair(self, position: u32) -> u64 {
        (self as u64) << 32 | position as u64
    }
    fn position(pair: u64) -> u32 {
        pair as u32
    }
    fn digit(pair: u64, from: u32) -> usize {
        (pair >> (32 + from)) as usize & (DIGITS - 1)
    }
}

impl Key for u64 {
    type Pair = [u64; 2];
    const BITS: u32 = 64;
    const NAN: u64 = f64::NAN.to_bits() | 1 << 63;
    fn pair(self, position: u32) -> [u64; 2] {
        [self, position as u64]
    }
    fn position(pair: [u64; 2]) -> u32 {
        pair[1] as u32
    }
    fn digit(pair: [u64; 2], from: u32) -> usize {
        (pair[0] >> from) as usize & (DIGITS - 1)
    }
}

/// The positions of the keys, in the order of keys; those of equal keys ascend.
pub(super) fn order<K: Key>(keys: impl ExactSizeIterator<Item = K>, out: &mut [u32]) {
    let count = keys.len();
    assert!(u32::try_from(count).is_ok() && out.len() == count, "positions are numbers of 32 bits");
    let mut words = Scratch::<u64>::new(2 * count * size_of::<K::Pair>() / 8);
    let start = words.as_mut_ptr().cast::<K::Pair>();
    // SAFETY: there is room for twice as many pairs, which are aligned as words are, and of which all bits are some.
    let (pairs, other) = unsafe {
        (std::slice::from_raw_parts_mut(start, count), std::slice::from_raw_parts_mut(start.add(count), count))
    };
    pairs.iter_mut().zip(keys.zip(0u32..)).for_each(|(p, (k, i))| *p = k.pair(i));
    let sorted = match count < FEW {
        true => {
            pairs.sort_unstable();
            pairs
        }
        false => by_digits::<K>(pairs, other),
    };
    out.iter_mut().zip(sorted).for_each(|(o, p)| *o = K::position(*p));
}

/// Sorts pairs; they are in one list or the other then.
fn by_digits<'r, K: Key>(mut pairs: &'r mut [K::Pair], mut other: &'r mut [K::Pair]) -> &'r mut [K::Pair] {
    let starts: Vec<u32> = (0..K::BITS).step_by(DIGIT as usize).collect();
    let mut counts = vec![[0u32; DIGITS]; starts.len()];
    for &p in pairs.iter() {
        for (count, &from) in counts.iter_mut().zip(&starts) {
            count[K::digit(p, from)] += 1;
        }
    }
    for (count, &from) in counts.iter_mut().zip(&starts) {
        // All keys have this digit.
        if count.contains(&(pairs.len() as u32)) {
            continue;
        }
        let mut next = 0;
        for c in count.iter_mut() {
            (*c, next) = (next, next + *c);
        }
        for &p in pairs.iter() {
            let place = &mut count[K::digit(p, from)];
            other[*place as usize] = p;
            *place += 1;
        }
        std::mem::swap(&mut pairs, &mut other);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn positions_of_equal_keys_ascend() {
        for n in [0usize, 1, 5, 599, 600, 5000] {
            for spread in [1u64, 7, 1 << 20, u64::MAX] {
                let mut state = 88172645463325252u64;
                let mut draw = || {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state % spread
                };
                let wide: Vec<u64> = (0..n).map(|_| draw()).collect();
                let narrow: Vec<u32> = wide.iter().map(|&k| (k >> 7) as u32).collect();
                let (mut got, mut expected) = (vec![0; n], (0..n as u32).collect::<Vec<u32>>());
                order(wide.iter().copied(), &mut got);
                expected.sort_by_key(|&i| wide[i as usize]);
                assert_eq!(got, expected);
                order(narrow.iter().copied(), &mut got);
                expected.sort_unstable();
                expected.sort_by_key(|&i| narrow[i as usize]);
                assert_eq!(got, expected);
            }
        }
    }
}
