//! Keys in ascending order, by their digits: the last digit first, so that equal keys stay in the order they had.

/// Bits of a digit.
const DIGIT: u32 = 11;
const DIGITS: usize = 1 << DIGIT;
/// Fewer keys than this are compared.
const FEW: usize = 600;

/// An unsigned integer with a position.
pub(super) trait Key: Copy + Ord + Default + Send + Sync + std::ops::Not<Output = Self> {
    /// The key and its position in one, which compare as keys do, then as positions.
    type Pair: Copy + Ord + Default;
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
    type Pair = (u64, u32);
    const BITS: u32 = 64;
    const NAN: u64 = f64::NAN.to_bits() | 1 << 63;
    fn pair(self, position: u32) -> (u64, u32) {
        (self, position)
    }
    fn position(pair: (u64, u32)) -> u32 {
        pair.1
    }
    fn digit(pair: (u64, u32), from: u32) -> usize {
        (pair.0 >> from) as usize & (DIGITS - 1)
    }
}

/// The positions of the keys, in the order of keys; those of equal keys ascend.
pub(super) fn order<K: Key>(keys: impl ExactSizeIterator<Item = K>, out: &mut [usize]) {
    let mut pairs: Vec<K::Pair> = keys.zip(0u32..).map(|(k, i)| k.pair(i)).collect();
    assert!(pairs.len() == out.len() && u32::try_from(out.len()).is_ok(), "positions are numbers of 32 bits");
    if pairs.len() < FEW {
        pairs.sort_unstable();
    } else {
        by_digits::<K>(&mut pairs);
    }
    out.iter_mut().zip(pairs).for_each(|(o, p)| *o = K::position(p) as usize);
}

fn by_digits<K: Key>(pairs: &mut Vec<K::Pair>) {
    let starts: Vec<u32> = (0..K::BITS).step_by(DIGIT as usize).collect();
    let mut counts = vec![[0u32; DIGITS]; starts.len()];
    for &p in pairs.iter() {
        for (count, &from) in counts.iter_mut().zip(&starts) {
            count[K::digit(p, from)] += 1;
        }
    }
    let mut other = vec![K::Pair::default(); pairs.len()];
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
        std::mem::swap(pairs, &mut other);
    }
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
                let (mut got, mut expected) = (vec![0; n], (0..n).collect::<Vec<usize>>());
                order(wide.iter().copied(), &mut got);
                expected.sort_by_key(|&i| wide[i]);
                assert_eq!(got, expected);
                order(narrow.iter().copied(), &mut got);
                expected.sort_unstable();
                expected.sort_by_key(|&i| narrow[i]);
                assert_eq!(got, expected);
            }
        }
    }
}
