//! Vectors that are arrays, on any machine.

use super::lanes::{Float, Lanes};

/// Lanes on any machine. Where other vectors are the rule this is there to be right, and little code.
pub const PLAIN: usize = if cfg!(target_arch = "x86_64") { 1 } else { 4 };

/// Numbers in an array.
#[derive(Clone, Copy)]
pub struct Plain<T, const N: usize>([T; N]);

impl<T: Float, const N: usize> Lanes for Plain<T, N> {
    type T = T;
    /// Where the real part lies.
    type Order = usize;
    const N: usize = N;
    const SQUARE: usize = 1;

    #[inline(always)]
    fn splat(x: T) -> Self {
        Plain([x; N])
    }
    #[inline(always)]
    fn add(mut self, b: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i] + b.0[i];
        }
        self
    }
    #[inline(always)]
    fn sub(mut self, b: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i] - b.0[i];
        }
        self
    }
    #[inline(always)]
    fn mul(mut self, b: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i] * b.0[i];
        }
        self
    }
    #[inline(always)]
    fn mul_add(mut self, b: Self, c: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].fused(b.0[i], c.0[i]);
        }
        self
    }
    #[inline(always)]
    fn mul_sub(mut self, b: Self, c: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].fused(b.0[i], -c.0[i]);
        }
        self
    }
    #[inline(always)]
    fn negative_mul_add(mut self, b: Self, c: Self) -> Self {
        for i in 0..N {
            self.0[i] = (-self.0[i]).fused(b.0[i], c.0[i]);
        }
        self
    }
    #[inline(always)]
    fn reversed(mut self) -> Self {
        let x = self.0;
        for i in 0..N {
            self.0[i] = x[N - 1 - i];
        }
        self
    }
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller's word.
        Plain(unsafe { from.cast::<[T; N]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: the caller's word.
        unsafe { to.cast::<[T; N]>().write(self.0) }
    }
    #[inline(always)]
    fn order(swap: bool) -> usize {
        usize::from(swap)
    }
    #[inline(always)]
    unsafe fn load_pairs(from: *const T, order: usize) -> [Self; 2] {
        let (mut re, mut im) = ([T::default(); N], [T::default(); N]);
        for i in 0..N {
            // SAFETY: the caller's word.
            unsafe { (re[i], im[i]) = (*from.add(2 * i + order), *from.add(2 * i + 1 - order)) };
        }
        [Plain(re), Plain(im)]
    }
    #[inline(always)]
    unsafe fn store_pairs(re: Self, im: Self, to: *mut T, order: usize) {
        for i in 0..N {
            // SAFETY: the caller's word.
            unsafe { (*to.add(2 * i + order), *to.add(2 * i + 1 - order)) = (re.0[i], im.0[i]) }
        }
    }
    #[inline(always)]
    unsafe fn load_some(from: *const T, count: usize, order: usize) -> [Self; 2] {
        let (mut re, mut im) = ([T::default(); N], [T::default(); N]);
        for i in 0..count.min(N) {
            // SAFETY: the caller's word.
            unsafe { (re[i], im[i]) = (*from.add(2 * i + order), *from.add(2 * i + 1 - order)) };
        }
        [Plain(re), Plain(im)]
    }
    #[inline(always)]
    unsafe fn store_some(re: Self, im: Self, to: *mut T, count: usize, order: usize) {
        for i in 0..count.min(N) {
            // SAFETY: the caller's word.
            unsafe { (*to.add(2 * i + order), *to.add(2 * i + 1 - order)) = (re.0[i], im.0[i]) }
        }
    }
    #[inline(always)]
    unsafe fn turn(from: *const T, _: usize, to: *mut T, _: usize) {
        // SAFETY: the caller's word.
        unsafe { to.cast::<[T; 2]>().write(from.cast::<[T; 2]>().read()) }
    }
}
