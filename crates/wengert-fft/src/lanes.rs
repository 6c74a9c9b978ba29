//! Vectors of floats, one number to a lane, and the instruction sets that have them.
//!
//! What computes is a [`Task`], written once for any [`Lanes`], and compiled for each instruction set by [`Float::run`]. All
//! that it calls is inlined into a function of that set: it has loops instead of closures, which might be compiled apart.

use super::plain::{PLAIN, Plain};
use std::ops::{Add, Mul, Neg, Sub};

/// A float type with vectors: `f32` and `f64`.
pub trait Float:
    Copy
    + Send
    + Sync
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// Lanes of the widest vectors there are: what lengths are split for.
    const WIDEST: usize;
    /// The nearest number.
    fn of(x: f64) -> Self;
    /// `self * b + c`, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;
    /// Lanes of the vectors of an instruction set.
    fn lanes(level: Level) -> usize;
    /// Runs a task with the vectors of an instruction set.
    ///
    /// # Safety
    /// The machine has these instructions, and what the task asks for holds.
    unsafe fn run<K: Task<Self>>(level: Level, task: &K);
    /// The plans that are kept.
    fn plans() -> &'static crate::plan::Kept<Self>;
}

/// Instruction sets that tasks are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What every machine has.
    Plain,
    /// Vectors of 256 bits, with fused products and sums.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Vectors of 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The best that this machine has.
    pub fn detect() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return Level::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Level::Avx2;
            }
        }
        Level::Plain
    }
}

/// Work that is compiled for each instruction set.
pub trait Task<T> {
    /// Whether it runs with vectors alone, so that nothing is compiled for [`Level::Plain`].
    const IS_WIDE: bool = false;
    /// Does it.
    ///
    /// # Safety
    /// Each task says what it asks for. The caller is compiled for the instructions of `L`, and inlines this.
    unsafe fn run<L: Lanes<T = T>>(&self);
}

/// A vector. Its functions are called where the machine has its instructions, and only there.
pub trait Lanes: Copy {
    /// What a lane holds.
    type T: Float;
    /// See [`Lanes::order`].
    type Order: Copy;
    /// The number of lanes.
    const N: usize;
    /// The sides of the square of complex numbers that [`Lanes::turn`] turns.
    const SQUARE: usize;

    /// The same number in all lanes.
    fn splat(x: Self::T) -> Self;
    /// `self + b`.
    fn add(self, b: Self) -> Self;
    /// `self - b`.
    fn sub(self, b: Self) -> Self;
    /// `self * b`.
    fn mul(self, b: Self) -> Self;
    /// `self * b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `self * b - c`, rounded once.
    fn mul_sub(self, b: Self, c: Self) -> Self;
    /// `c - self * b`, rounded once.
    fn negative_mul_add(self, b: Self, c: Self) -> Self;
    /// The lanes from the last to the first.
    fn reversed(self) -> Self;
    /// Reads `N` numbers.
    ///
    /// # Safety
    /// They are there.
    unsafe fn load(from: *const Self::T) -> Self;
    /// Writes `N` numbers.
    ///
    /// # Safety
    /// There is room.
    unsafe fn store(self, to: *mut Self::T);
    /// How parts of complex numbers are told apart and put together: exchanged if `swap`.
    fn order(swap: bool) -> Self::Order;
    /// Reads `N` complex numbers: real and imaginary parts.
    ///
    /// # Safety
    /// They are there.
    unsafe fn load_pairs(from: *const Self::T, order: Self::Order) -> [Self; 2];
    /// Reads fewer than `N` complex numbers; the other lanes hold zeros.
    ///
    /// # Safety
    /// They are there.
    unsafe fn load_some(from: *const Self::T, count: usize, order: Self::Order) -> [Self; 2];
    /// Writes fewer than `N` complex numbers.
    ///
    /// # Safety
    /// There is room.
    unsafe fn store_some(re: Self, im: Self, to: *mut Self::T, count: usize, order: Self::Order);
    /// Writes `N` complex numbers.
    ///
    /// # Safety
    /// There is room.
    unsafe fn store_pairs(re: Self, im: Self, to: *mut Self::T, order: Self::Order);
    /// Writes a square of complex numbers with rows as columns; steps are those from row to row, in numbers of `T`.
    ///
    /// # Safety
    /// The square is there, and there is room for it elsewhere.
    unsafe fn turn(from: *const Self::T, from_step: usize, to: *mut Self::T, to_step: usize);
}

/// Complex numbers, one to a lane.
#[derive(Clone, Copy)]
pub struct Pair<L> {
    /// Real parts.
    pub re: L,
    /// Imaginary parts.
    pub im: L,
}

impl<L: Lanes> Pair<L> {
    /// The same complex number in all lanes, from where its parts lie.
    ///
    /// # Safety
    /// Two numbers lie there.
    #[inline(always)]
    pub unsafe fn splat(from: *const L::T) -> Pair<L> {
        // SAFETY: the caller's word.
        unsafe { Pair { re: L::splat(*from), im: L::splat(*from.add(1)) } }
    }
    /// Reads a row of a block: all real parts, then all imaginary parts.
    ///
    /// # Safety
    /// The row is there.
    #[inline(always)]
    pub unsafe fn load(from: *const L::T) -> Pair<L> {
        // SAFETY: the caller's word.
        unsafe { Pair { re: L::load(from), im: L::load(from.add(L::N)) } }
    }
    /// Writes a row of a block.
    ///
    /// # Safety
    /// There is room.
    #[inline(always)]
    pub unsafe fn store(self, to: *mut L::T) {
        // SAFETY: the caller's word.
        unsafe {
            self.re.store(to);
            self.im.store(to.add(L::N));
        }
    }
    /// Reads `N` complex numbers as arrays hold them.
    ///
    /// # Safety
    /// They are there.
    #[inline(always)]
    pub unsafe fn gather(from: *const L::T, order: L::Order) -> Pair<L> {
        // SAFETY: the caller's word.
        let [re, im] = unsafe { L::load_pairs(from, order) };
        Pair { re, im }
    }
    /// Writes `N` complex numbers as arrays hold them.
    ///
    /// # Safety
    /// There is room.
    #[inline(always)]
    pub unsafe fn scatter(self, to: *mut L::T, order: L::Order) {
        // SAFETY: the caller's word.
        unsafe { L::store_pairs(self.re, self.im, to, order) }
    }
    /// `self + b`.
    #[inline(always)]
    pub fn add(self, b: Pair<L>) -> Pair<L> {
        Pair { re: self.re.add(b.re), im: self.im.add(b.im) }
    }
    /// `self - b`.
    #[inline(always)]
    pub fn sub(self, b: Pair<L>) -> Pair<L> {
        Pair { re: self.re.sub(b.re), im: self.im.sub(b.im) }
    }
    /// `self - i b`.
    #[inline(always)]
    pub fn sub_i(self, b: Pair<L>) -> Pair<L> {
        Pair { re: self.re.add(b.im), im: self.im.sub(b.re) }
    }
    /// `self + i b`.
    #[inline(always)]
    pub fn add_i(self, b: Pair<L>) -> Pair<L> {
        Pair { re: self.re.sub(b.im), im: self.im.add(b.re) }
    }
    /// `self * b`.
    #[inline(always)]
    pub fn mul(self, b: Pair<L>) -> Pair<L> {
        Pair { re: self.re.mul_sub(b.re, self.im.mul(b.im)), im: self.re.mul_add(b.im, self.im.mul(b.re)) }
    }
    /// `self` times a real number.
    #[inline(always)]
    pub fn scale(self, by: L) -> Pair<L> {
        Pair { re: self.re.mul(by), im: self.im.mul(by) }
    }
    /// `self * by + c`, for a real factor.
    #[inline(always)]
    pub fn scale_add(self, by: L, c: Pair<L>) -> Pair<L> {
        Pair { re: self.re.mul_add(by, c.re), im: self.im.mul_add(by, c.im) }
    }
}

macro_rules! float {
    ($t:ty, $widest:expr, $half:ty, $wide:ty) => {
        impl Float for $t {
            const WIDEST: usize = $widest;
            #[inline(always)]
            fn of(x: f64) -> $t {
                x as $t
            }
            #[inline(always)]
            fn fused(self, b: $t, c: $t) -> $t {
                self.mul_add(b, c)
            }
            fn lanes(level: Level) -> usize {
                match level {
                    Level::Plain => PLAIN,
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => <$half>::N,
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => <$wide>::N,
                }
            }
            #[inline(never)]
            unsafe fn run<K: Task<$t>>(level: Level, task: &K) {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2,fma")]
                unsafe fn half<K: Task<$t>>(task: &K) {
                    // SAFETY: the caller's word.
                    unsafe { task.run::<$half>() }
                }
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx512f")]
                unsafe fn wide<K: Task<$t>>(task: &K) {
                    // SAFETY: the caller's word.
                    unsafe { task.run::<$wide>() }
                }
                // SAFETY: the caller's word.
                unsafe {
                    match level {
                        Level::Plain if K::IS_WIDE => unreachable!("a task of vectors"),
                        Level::Plain => task.run::<Plain<$t, PLAIN>>(),
                        #[cfg(target_arch = "x86_64")]
                        Level::Avx2 => half(task),
                        #[cfg(target_arch = "x86_64")]
                        Level::Avx512 => wide(task),
                    }
                }
            }
            fn plans() -> &'static crate::plan::Kept<$t> {
                static KEPT: crate::plan::Kept<$t> = crate::plan::Kept::new();
                &KEPT
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
float!(f32, 16, __m256, __m512);
float!(f64, 8, __m256d, __m512d);
