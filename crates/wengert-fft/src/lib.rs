//! Discrete Fourier transforms of arrays: along any axis, of complex and of real numbers, for every length.
//!
//! A length whose primes are small is transformed by butterflies of these primes ([`passes`]), up to some hundred numbers
//! at once ([`plan::Direct`]) and beyond that as a matrix, first along its columns, then along its rows
//! ([`plan::Split`]); any other length is a convolution ([`plan::Chirp`]). What is computed for a length once is its plan,
//! and plans are kept for the process.
//!
//! **The bits of a line depend on its numbers and its length alone**: each instruction set does the same operations in the
//! same order, and so does a line that is transformed alone, beside others, or shared among threads. A product and a sum
//! that stand in one expression are fused everywhere. Lanes of vectors hold the same number of several lines
//! ([`block`]), or of several columns of one line ([`line`]).

mod axis;
mod block;
mod lanes;
mod line;
mod moves;
mod passes;
mod plain;
mod plan;
mod real;
mod room;
mod roots;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use axis::Axis;

use lanes::Level;
use num_complex::Complex;

/// What runs a function on each number below a count, on many threads if the work, in numbers touched, is large.
pub type Spread<'a> = &'a dyn Fn(usize, usize, &(dyn Fn(usize) + Sync));

/// A float type with transforms: `f32` and `f64`. Functions panic if there is more or less room than their results take.
pub trait Transform: Sized {
    /// The transforms of lines of `n` numbers, one after the other; the inverse one is divided by `n`.
    fn complex(n: usize, inverse: bool, from: &[Complex<Self>], to: &mut [Complex<Self>], spread: Spread<'_>);

    /// The transforms of lines along an axis, in place of the lines; the inverse one is divided by their length.
    fn complex_over(axis: Axis, inverse: bool, numbers: &mut [Complex<Self>], spread: Spread<'_>);

    /// The halves of the spectra of real lines of `n` numbers: `n / 2 + 1` numbers each.
    fn to_half(n: usize, from: &[Self], to: &mut [Complex<Self>], spread: Spread<'_>);

    /// The real lines of `n` numbers that these are the halves of the spectra of: `n / 2 + 1` numbers each. The imaginary
    /// parts of the first of them, and of the last for an even length, do not count. They are divided by `n`.
    fn from_half(n: usize, from: &[Complex<Self>], to: &mut [Self], spread: Spread<'_>);
}

// Not generic: compiled here, and not where it is called.
macro_rules! transform {
    ($($t:ty)*) => {$(
        impl Transform for $t {
            fn complex(n: usize, inverse: bool, from: &[Complex<$t>], to: &mut [Complex<$t>], spread: Spread<'_>) {
                axis::complex(n, inverse, from, to, Level::detect(), spread);
            }
            fn complex_over(axis: Axis, inverse: bool, numbers: &mut [Complex<$t>], spread: Spread<'_>) {
                axis::complex_over(axis, inverse, numbers, Level::detect(), spread);
            }
            fn to_half(n: usize, from: &[$t], to: &mut [Complex<$t>], spread: Spread<'_>) {
                real::to_half(n, from, to, Level::detect(), spread);
            }
            fn from_half(n: usize, from: &[Complex<$t>], to: &mut [$t], spread: Spread<'_>) {
                real::from_half(n, from, to, Level::detect(), spread);
            }
        }
    )*};
}
transform! { f32 f64 }

/// A place in memory that threads write parts of: the functions that hand it out say that no two parts overlap.
#[derive(Clone, Copy)]
struct Place<T>(*mut T);

// SAFETY: a place is an address; those who use it answer for what lies there.
unsafe impl<T> Send for Place<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Place<T> {}

impl<T> Place<T> {
    /// The place so many elements further.
    ///
    /// # Safety
    /// It is inside the same memory, or just behind it.
    #[inline]
    unsafe fn at(self, i: usize) -> *mut T {
        // SAFETY: the caller's word.
        unsafe { self.0.add(i) }
    }
}
