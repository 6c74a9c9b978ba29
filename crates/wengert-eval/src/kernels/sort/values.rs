//! Elements sorted by their keys alone: no positions go along where elements with equal keys have equal bits.

use super::super::parallel::{blocks, fill, threads};
use super::super::scratch::Scratch;
use super::radix::{DIGIT, DIGITS, FEW, Key};
use wengert_core::{DType, Element, View, ViewMut};

/// Threads share lines of more keys than this.
const SHARED: usize = 1 << 16;

/// What the bits of an element are.
#[derive(Clone, Copy, PartialEq)]
enum Bits {
    Unsigned,
    Signed,
    Float,
}

/// The bits of an element, and keys, which compare as elements do.
trait Word: Key + Element {
    /// The key of an element.
    fn key(self, bits: Bits) -> Self;
    /// The element of a key.
    fn element(self, bits: Bits) -> Self;
    /// Whether no other float is equal to this one: it is not NaN, and not the negative zero.
    fn is_alone(self) -> bool;
    /// Bits of a key from this one on.
    fn digit(self, from: u32) -> usize;
}

macro_rules! word {
    ($($t:ident $float:ident)*) => {$(
        impl Word for $t {
            #[inline(always)]
            fn key(self, bits: Bits) -> $t {
                let top = 1 << ($t::BITS - 1);
                match bits {
                    Bits::Unsigned => self,
                    Bits::Signed => self ^ top,
                    Bits::Float => self ^ (((self as <$t as Signed>::T) >> ($t::BITS - 1)) as $t | top),
                }
            }
            #[inline(always)]
            fn element(self, bits: Bits) -> $t {
                let top = 1 << ($t::BITS - 1);
                match bits {
                    Bits::Unsigned => self,
                    Bits::Signed => self ^ top,
                    Bits::Float => self ^ ((!self as <$t as Signed>::T >> ($t::BITS - 1)) as $t | top),
                }
            }
            #[inline(always)]
            fn is_alone(self) -> bool {
                let top = 1 << ($t::BITS - 1);
                (self & !top) <= $float::INFINITY.to_bits() && self != top
            }
            #[inline(always)]
            fn digit(self, from: u32) -> usize {
                (self >> from) as usize & (DIGITS - 1)
            }
        }
    )*};
}
word! { u32 f32 u64 f64 }

/// The integer with a sign of as many bits.
trait Signed {
    type T;
}
impl Signed for u32 {
    type T = i32;
}
impl Signed for u64 {
    type T = i64;
}

/// Sorts lines of so many neighbours; `false`, and nothing is done, if equal elements may have other bits.
pub(super) fn sort(x: View<'_>, length: usize, y: &mut ViewMut<'_>) -> bool {
    let bits = match x.dtype() {
        DType::F32 | DType::F64 => Bits::Float,
        DType::I32 | DType::I64 => Bits::Signed,
        DType::U32 | DType::U64 => Bits::Unsigned,
        _ => return false,
    };
    if x.is_splat() {
        return false;
    }
    match x.dtype().size() {
        4 => lines::<u32>(x.words(), bits, length, || {
            // SAFETY: what is written are elements of the operand, which has the type of the result.
            unsafe { y.words() }
        }),
        _ => lines::<u64>(x.words(), bits, length, || {
            // SAFETY: as above.
            unsafe { y.words() }
        }),
    }
}

fn lines<'y, W: Word>(x: &[W], bits: Bits, length: usize, y: impl FnOnce() -> &'y mut [W]) -> bool {
    if bits == Bits::Float && x.iter().fold(false, |some, w| some | !w.is_alone()) {
        return false;
    }
    blocks(y(), length, 16 * x.len(), &|line, y| {
        let x = &x[line * length..][..y.len()];
        let (mut keys, mut other) = (Scratch::<W>::new(y.len()), Scratch::<W>::new(y.len()));
        fill(&mut keys, &|range, keys| keys.iter_mut().zip(&x[range]).for_each(|(k, x)| *k = x.key(bits)));
        let sorted = ascending(&mut keys, &mut other);
        fill(y, &|range, y| y.iter_mut().zip(&sorted[range]).for_each(|(y, k)| *y = k.element(bits)));
    });
    true
}

/// Places that threads write, each at most once.
struct Places<T>(*mut T, usize);

// SAFETY: who writes says that no two write the same place.
unsafe impl<T: Send> Sync for Places<T> {}

impl<T> Places<T> {
    /// # Safety
    /// Nobody else writes or reads this place meanwhile.
    #[inline(always)]
    unsafe fn set(&self, i: usize, x: T) {
        debug_assert!(i < self.1);
        // SAFETY: the caller's word.
        unsafe { *self.0.add(i) = x }
    }
}

/// Sorts keys by their digits, the last digit first; they are in one list or the other then. Threads have a part of the list
/// each, and write their keys of a digit behind those of the parts before.
fn ascending<'r, W: Word>(mut keys: &'r mut [W], mut other: &'r mut [W]) -> &'r mut [W] {
    let n = keys.len();
    if n < FEW || u32::try_from(n).is_err() {
        keys.sort_unstable();
        return keys;
    }
    let parts = if n > SHARED { threads() } else { 1 };
    let size = n.div_ceil(parts);
    let mut counts = vec![[0u32; DIGITS]; parts];
    for from in (0..W::BITS).step_by(DIGIT as usize) {
        let part = |i: usize| &keys[(i * size).min(n)..((i + 1) * size).min(n)];
        blocks(&mut counts, 1, n, &|i, count| {
            count[0].fill(0);
            part(i).iter().for_each(|k| count[0][k.digit(from)] += 1);
        });
        let (mut next, mut all_equal) = (0, false);
        for digit in 0..DIGITS {
            let before = next;
            for count in &mut counts {
                (count[digit], next) = (next, next + count[digit]);
            }
            all_equal |= (next - before) as usize == n;
        }
        if all_equal {
            continue;
        }
        let places = Places(other.as_mut_ptr(), n);
        blocks(&mut counts, 1, n, &|i, next| {
            for &k in part(i) {
                let place = &mut next[0][k.digit(from)];
                // SAFETY: each key has a place of its own.
                unsafe { places.set(*place as usize, k) };
                *place += 1;
            }
        });
        std::mem::swap(&mut keys, &mut other);
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::{Bits, Word, lines};

    fn check<W: Word>(bits: Bits, x: &[W], length: usize, before: &dyn Fn(&W, &W) -> std::cmp::Ordering) {
        let mut expected = x.to_vec();
        expected.chunks_mut(length).for_each(|line| line.sort_by(before));
        let mut found = x.to_vec();
        assert!(lines(x, bits, length, || &mut found));
        assert!(found == expected, "lines of {length}");
    }

    #[test]
    fn lines_are_sorted_whatever_their_length() {
        let mut state = 88172645463325252u64;
        let mut draw = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for (count, length) in [(3, 5), (2, 700), (1, 70_001), (3, 66_000)] {
            for spread in [u64::MAX, 1000] {
                let wide: Vec<u64> = (0..count * length).map(|_| draw() % spread).collect();
                let narrow: Vec<u32> = wide.iter().map(|x| (x >> 3) as u32).collect();
                check(Bits::Unsigned, &wide, length, &|a, b| a.cmp(b));
                check(Bits::Signed, &wide, length, &|a, b| (*a as i64).cmp(&(*b as i64)));
                check(Bits::Signed, &narrow, length, &|a, b| (*a as i32).cmp(&(*b as i32)));
                let float: Vec<u32> = wide.iter().map(|&x| (x as i64 as f32 * 1e-3 - 0.25).to_bits()).collect();
                check(Bits::Float, &float, length, &|a, b| f32::from_bits(*a).total_cmp(&f32::from_bits(*b)));
                let float: Vec<u64> = wide.iter().map(|&x| (x as i64 as f64 * 1e-3 - 0.25).to_bits()).collect();
                check(Bits::Float, &float, length, &|a, b| f64::from_bits(*a).total_cmp(&f64::from_bits(*b)));
            }
        }
    }

    #[test]
    fn floats_that_are_equal_to_others_are_left() {
        for odd in [-0.0f32, f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001)] {
            let x = [1.0f32, f32::INFINITY, odd, f32::NEG_INFINITY].map(f32::to_bits);
            let mut y = x;
            assert!(!lines(&x, Bits::Float, 4, || &mut y));
            assert_eq!(x, y);
        }
    }
}
