//! Passes: a transform is one for each of its factors, from one room to another, and the last leaves its numbers in order.
//!
//! A pass of radix `R` after passes whose radices multiply to `s`, before ones whose radices multiply to `m`, takes the rows
//! `q + s (p + m k)` for all `k` below `R`, transforms these `R` numbers, turns them by roots of order `R m`, and writes them
//! to the rows `q + s (R p + k)`. A row is a vector of real parts and one of imaginary parts.

use super::lanes::{Float, Lanes, Level, Pair, Task};
use super::plan::BESIDE;
use super::roots::root;

/// The largest prime that a pass is made for.
pub const LARGEST: usize = 61;

/// One pass, as it is planned.
pub struct Pass<T> {
    radix: usize,
    m: usize,
    s: usize,
    /// For each `p`, the roots that the numbers after the first are turned by; those of the last pass are ones.
    roots: Vec<T>,
    /// Cosine and sine of each multiple of a turn divided by the radix.
    turn: Vec<T>,
}

impl<T: Float> Pass<T> {
    /// The passes of these factors.
    pub fn plan(factors: &[usize]) -> Vec<Pass<T>> {
        let mut passes = Vec::new();
        let (mut m, mut s) = (factors.iter().product::<usize>(), 1);
        for &radix in factors {
            m /= radix;
            let (roots, turn) = tables(radix, m);
            passes.push(Pass { radix, m, s, roots: numbers(&roots), turn: numbers(&turn) });
            s *= radix;
        }
        passes
    }

    /// The bytes it takes.
    pub fn bytes(&self) -> usize {
        (self.roots.len() + self.turn.len()) * size_of::<T>()
    }

    /// Whether the first pass can read an array itself, and the last one write it.
    pub fn reaches(&self, level: Level) -> bool {
        matches!(self.radix, 4 | 8) && level != Level::Plain
    }

    /// Runs it from rows of a block to rows of another.
    ///
    /// # Safety
    /// The machine has these instructions, the rows are there, and nothing else uses those that are written.
    pub unsafe fn run(&self, level: Level, from: Rows<T>, to: Rows<T>) {
        let ends = Ends { from, to, swap: false, scale: T::default(), twist: std::ptr::null() };
        macro_rules! run {
            ($($radix:literal)*) => {
                match (self.radix, self.m == 1) {
                    (4, true) => T::run(level, &Running::<T, 4, BLOCK, BLOCK> { pass: self, ends }),
                    (8, true) => T::run(level, &Running::<T, 8, BLOCK, BLOCK> { pass: self, ends }),
                    $(($radix, _) => T::run(level, &Running::<T, $radix, BLOCK, TURNED> { pass: self, ends }),)*
                    _ => T::run(level, &RunningAny { pass: self, from, to }),
                }
            };
        }
        // SAFETY: the caller's word.
        unsafe { run!(2 3 4 5 7 8) }
    }

    /// Runs it, which [reaches](Self::reaches) and is not the last one, from rows of complex numbers; parts are exchanged if
    /// `swap`.
    ///
    /// # Safety
    /// As for [`Self::run`].
    pub unsafe fn run_from_array(&self, level: Level, from: Rows<T>, swap: bool, to: Rows<T>) {
        let ends = Ends { from, to, swap, scale: T::default(), twist: std::ptr::null() };
        // SAFETY: the caller's word.
        unsafe {
            match self.radix {
                4 => T::run(level, &Running::<T, 4, ARRAY, TURNED> { pass: self, ends }),
                _ => T::run(level, &Running::<T, 8, ARRAY, TURNED> { pass: self, ends }),
            }
        }
    }

    /// Runs it, which [reaches](Self::reaches) and is the last one, to rows of complex numbers: turned by a root for each
    /// lane, if there are any, or scaled, and parts exchanged if `swap`.
    ///
    /// # Safety
    /// As for [`Self::run`]; there are `BESIDE` real and imaginary parts of roots for each row.
    pub unsafe fn run_to_array(&self, level: Level, from: Rows<T>, to: Rows<T>, leave: Leave<T>) {
        let Leave { swap, scale, twist } = leave;
        let ends = Ends { from, to, swap, scale, twist: twist.unwrap_or(std::ptr::null()) };
        // SAFETY: the caller's word.
        unsafe {
            match (self.radix, twist) {
                (4, None) => T::run(level, &Running::<T, 4, BLOCK, ARRAY> { pass: self, ends }),
                (4, Some(_)) => T::run(level, &Running::<T, 4, BLOCK, TWISTED> { pass: self, ends }),
                (_, None) => T::run(level, &Running::<T, 8, BLOCK, ARRAY> { pass: self, ends }),
                (_, Some(_)) => T::run(level, &Running::<T, 8, BLOCK, TWISTED> { pass: self, ends }),
            }
        }
    }
}

/// Rows of a block or of an array: where they begin, and the step from row to row, in numbers of `T`.
pub type Rows<T> = (*mut T, usize);

/// What is done with the numbers of a transform besides.
#[derive(Clone, Copy)]
pub struct Leave<T> {
    /// Whether parts are exchanged.
    pub swap: bool,
    /// What they are multiplied by, unless they are turned.
    pub scale: T,
    /// What they are turned by, if they are.
    pub twist: Option<*const T>,
}

/// Rows of a block; as results, neither turned nor scaled.
const BLOCK: usize = 0;
/// Results that go into a block, turned by the roots of the pass.
const TURNED: usize = 1;
/// Rows of complex numbers as arrays hold them; as results, scaled.
const ARRAY: usize = 2;
/// Results that go into an array, turned by a root for each lane.
const TWISTED: usize = 3;

/// The roots of a pass, and its cosines and sines.
fn tables(radix: usize, m: usize) -> (Vec<f64>, Vec<f64>) {
    let mut roots = Vec::new();
    for p in 0..m {
        (1..radix).for_each(|k| roots.extend(root(p * k, radix * m)));
    }
    let mut turn = Vec::new();
    for k in 0..radix {
        let [cos, sin] = root(k, radix);
        turn.extend([cos, -sin]);
    }
    (roots, turn)
}

/// The nearest numbers.
pub fn numbers<T: Float>(x: &[f64]) -> Vec<T> {
    x.iter().map(|&x| T::of(x)).collect()
}

/// What a pass reads and writes.
#[derive(Clone, Copy)]
struct Ends<T> {
    from: Rows<T>,
    to: Rows<T>,
    swap: bool,
    scale: T,
    twist: *const T,
}

/// A pass of a radix that is known, from and to places that are known.
struct Running<'a, T, const R: usize, const FROM: usize, const TO: usize> {
    pass: &'a Pass<T>,
    ends: Ends<T>,
}

impl<T: Float, const R: usize, const FROM: usize, const TO: usize> Task<T> for Running<'_, T, R, FROM, TO> {
    const IS_WIDE: bool = FROM == ARRAY || TO == ARRAY || TO == TWISTED;

    #[inline(always)]
    unsafe fn run<L: Lanes<T = T>>(&self) {
        let Pass { m, s, roots, turn, .. } = self.pass;
        let Ends { from: (from, from_step), to: (to, to_step), swap, scale, twist } = self.ends;
        let (m, s, order, scale) = (*m, *s, L::order(swap), L::splat(scale));
        let (apart, beside) = (s * m * from_step, s * to_step);
        // SAFETY: as `Pass::run` asks; there are `R - 1` roots for each `p`, and a root for each lane and row.
        unsafe {
            for p in 0..m {
                let roots = roots.as_ptr().add(if TO == TURNED { p * 2 * (R - 1) } else { 0 });
                for q in 0..s {
                    let (from, to) = (from.add((q + s * p) * from_step), to.add((q + s * R * p) * to_step));
                    let mut x = [Pair { re: scale, im: scale }; R];
                    for (k, x) in x.iter_mut().enumerate() {
                        let from = from.add(k * apart);
                        *x = if FROM == ARRAY { Pair::gather(from, order) } else { Pair::load(from) };
                    }
                    let y = butterfly::<L, R>(x, turn.as_ptr());
                    for k in 0..R {
                        let (y, to) = (y[k], to.add(k * beside));
                        match TO {
                            BLOCK => y.store(to),
                            TURNED if k == 0 => y.store(to),
                            TURNED => y.mul(Pair::splat(roots.add(2 * k - 2))).store(to),
                            ARRAY => y.scale(scale).scatter(to, order),
                            _ => {
                                let twist = twist.add((q + k * s) * 2 * BESIDE);
                                let by = Pair { re: L::load(twist), im: L::load(twist.add(BESIDE)) };
                                y.mul(by).scatter(to, order);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The transform of `R` numbers.
///
/// # Safety
/// There are `R` cosines and sines.
#[inline(always)]
unsafe fn butterfly<L: Lanes, const R: usize>(x: [Pair<L>; R], turn: *const L::T) -> [Pair<L>; R] {
    let mut y = x;
    match R {
        2 => (y[0], y[1]) = (x[0].add(x[1]), x[0].sub(x[1])),
        4 => [y[0], y[1], y[2], y[3]] = four([x[0], x[1], x[2], x[3]]),
        8 => {
            let a = four([x[0], x[2], x[4], x[6]]);
            let [b0, b1, b2, b3] = four([x[1], x[3], x[5], x[7]]);
            let half = L::splat(L::T::of(std::f64::consts::FRAC_1_SQRT_2));
            let (b1_re, b1_im) = (b1.re.add(b1.im), b1.im.sub(b1.re));
            let (b3_re, b3_im) = (b3.im.sub(b3.re), b3.re.add(b3.im));
            y[0] = a[0].add(b0);
            y[4] = a[0].sub(b0);
            y[1] = Pair { re: b1_re.mul_add(half, a[1].re), im: b1_im.mul_add(half, a[1].im) };
            y[5] = Pair { re: b1_re.negative_mul_add(half, a[1].re), im: b1_im.negative_mul_add(half, a[1].im) };
            y[2] = a[2].sub_i(b2);
            y[6] = a[2].add_i(b2);
            // The third root is -(1 + i) / √2.
            y[3] = Pair { re: b3_re.mul_add(half, a[3].re), im: b3_im.negative_mul_add(half, a[3].im) };
            y[7] = Pair { re: b3_re.negative_mul_add(half, a[3].re), im: b3_im.mul_add(half, a[3].im) };
        }
        _ => {
            // An odd number: sums and differences of numbers at the same distance from both ends.
            let half = R / 2;
            let (mut sums, mut differences) = (x, x);
            for j in 1..half + 1 {
                (sums[j], differences[j]) = (x[j].add(x[R - j]), x[j].sub(x[R - j]));
                y[0] = y[0].add(sums[j]);
            }
            for k in 1..half + 1 {
                let zero = L::splat(L::T::default());
                let (mut even, mut odd) = (x[0], Pair { re: zero, im: zero });
                for j in 1..half + 1 {
                    // SAFETY: the caller's word.
                    let by = unsafe { Pair::<L>::splat(turn.add(2 * (j * k % R))) };
                    even = sums[j].scale_add(by.re, even);
                    odd = if j == 1 { differences[j].scale(by.im) } else { differences[j].scale_add(by.im, odd) };
                }
                (y[k], y[R - k]) = (even.sub_i(odd), even.add_i(odd));
            }
        }
    }
    y
}

#[inline(always)]
fn four<L: Lanes>([a, b, c, d]: [Pair<L>; 4]) -> [Pair<L>; 4] {
    let (p, q, r, s) = (a.add(c), a.sub(c), b.add(d), b.sub(d));
    [p.add(r), q.sub_i(s), p.sub(r), q.add_i(s)]
}

/// A pass of any odd radix.
struct RunningAny<'a, T> {
    pass: &'a Pass<T>,
    from: Rows<T>,
    to: Rows<T>,
}

impl<T: Float> Task<T> for RunningAny<'_, T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T = T>>(&self) {
        let &RunningAny {
            pass: &Pass { radix, m, s, ref roots, ref turn },
            from: (from, from_step),
            to: (to, to_step),
        } = self;
        let half = radix / 2;
        let zero = L::splat(T::default());
        let mut pairs = [[Pair { re: zero, im: zero }; 2]; LARGEST / 2];
        let pairs = &mut pairs[..half];
        // SAFETY: as `Pass::run` asks; there are `radix - 1` roots for each `p`.
        unsafe {
            for p in 0..m {
                for q in 0..s {
                    let from = from.add((q + s * p) * from_step);
                    let to = to.add((q + s * radix * p) * to_step);
                    let x = Pair::<L>::load(from);
                    let mut y = x;
                    for (j, pair) in pairs.iter_mut().enumerate() {
                        let j = j + 1;
                        let near = Pair::load(from.add(j * s * m * from_step));
                        let far = Pair::load(from.add((radix - j) * s * m * from_step));
                        *pair = [near.add(far), near.sub(far)];
                        y = y.add(pair[0]);
                    }
                    y.store(to);
                    for k in 1..=half {
                        let (mut even, mut odd) = (x, Pair { re: zero, im: zero });
                        let mut at = 0;
                        for [sum, difference] in &*pairs {
                            at += k;
                            at -= if at >= radix { radix } else { 0 };
                            even = sum.scale_add(L::splat(*turn.as_ptr().add(2 * at)), even);
                            odd = difference.scale_add(L::splat(*turn.as_ptr().add(2 * at + 1)), odd);
                        }
                        let roots = roots.as_ptr().add(2 * p * (radix - 1));
                        let y = even.sub_i(odd).mul(Pair::splat(roots.add(2 * (k - 1))));
                        let z = even.add_i(odd).mul(Pair::splat(roots.add(2 * (radix - k - 1))));
                        y.store(to.add(k * s * to_step));
                        z.store(to.add((radix - k) * s * to_step));
                    }
                }
            }
        }
    }
}
