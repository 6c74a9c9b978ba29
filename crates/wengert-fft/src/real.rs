//! Transforms of real lines, and the inverse ones that give real lines.
//!
//! The spectrum of a real line is conjugate to its own reverse, so that half of it is all of it. A line of even length is read
//! as complex numbers of half the length; the halves of its numbers are told apart in their spectrum. A line of odd length
//! becomes a complex one.

use super::axis::group;
use super::lanes::{Float, Lanes, Level, Pair, Task};
use super::line::{self, Sense};
use super::plain::Plain;
use super::plan::Plan;
use super::room::Room;
use super::{Place, Spread};
use num_complex::Complex;

/// Pairs of numbers that a thread takes at a time of one line.
const PAIRS: usize = 1 << 14;

/// See [`Transform::to_half`](crate::Transform::to_half).
pub fn to_half<T: Float>(n: usize, from: &[T], to: &mut [Complex<T>], level: Level, spread: Spread<'_>) {
    if n == 0 {
        return;
    }
    let (half, count) = (n / 2 + 1, from.len() / n);
    assert!(from.len() == count * n && to.len() == count * half, "lines of {n} numbers, and room for {half} each");
    let sense = Sense { inverse: false, scale: T::of(1.0) };
    let (start, to) = (Place(from.as_ptr().cast_mut()), Place(to.as_mut_ptr().cast::<T>()));
    if !n.is_multiple_of(2) {
        let plan = T::plans().get(n);
        return each(count, n, T::lanes(level), spread, &|at, some, spread| {
            let mut room = Room::new::<T>(4 * n * some);
            let room = room.start::<T>();
            // SAFETY: each piece has lines of its own, and room of its own.
            unsafe {
                let other = room.add(2 * n * some);
                for i in 0..n * some {
                    room.add(2 * i).cast::<[T; 2]>().write([*start.at(n * at + i), T::default()]);
                }
                lines(&plan, level, sense, (room, 2 * n), (other, 2 * n), some, spread);
                for i in 0..some {
                    std::ptr::copy_nonoverlapping(other.add(2 * n * i), to.at(2 * half * (at + i)), 2 * half);
                }
            }
        });
    }
    let plan = T::plans().get(n / 2);
    each(count, n, T::lanes(level), spread, &|at, some, spread| {
        // SAFETY: each piece has lines of its own.
        unsafe {
            let to = Place(to.at(2 * half * at));
            lines(&plan, level, sense, (start.at(n * at), n), (to.0, 2 * half), some, spread);
            for i in 0..some {
                let line = to.at(2 * half * i);
                apart(&plan, level, line, line, false, spread);
            }
        }
    });
}

/// See [`Transform::from_half`](crate::Transform::from_half).
pub fn from_half<T: Float>(n: usize, from: &[Complex<T>], to: &mut [T], level: Level, spread: Spread<'_>) {
    if n == 0 {
        return;
    }
    let (half, count) = (n / 2 + 1, to.len() / n);
    assert!(to.len() == count * n && from.len() == count * half, "lines of {half} numbers, and room for {n} each");
    let sense = Sense { inverse: true, scale: T::of(1.0 / n as f64) };
    let (start, to) = (Place(from.as_ptr().cast_mut().cast::<T>()), Place(to.as_mut_ptr()));
    if !n.is_multiple_of(2) {
        let plan = T::plans().get(n);
        return each(count, n, T::lanes(level), spread, &|at, some, spread| {
            let mut room = Room::new::<T>(4 * n * some);
            let room = room.start::<T>();
            // SAFETY: each piece has lines of its own, and room of its own.
            unsafe {
                let other = room.add(2 * n * some);
                for i in 0..some {
                    let (from, to) =
                        (start.at(2 * half * (at + i)).cast::<[T; 2]>(), room.add(2 * n * i).cast::<[T; 2]>());
                    to.write([(*from)[0], T::default()]);
                    for k in 1..half {
                        let [re, im] = *from.add(k);
                        to.add(k).write([re, im]);
                        to.add(n - k).write([re, -im]);
                    }
                }
                lines(&plan, level, sense, (room, 2 * n), (other, 2 * n), some, spread);
                for i in 0..n * some {
                    *to.at(n * at + i) = *other.add(2 * i);
                }
            }
        });
    }
    let plan = T::plans().get(n / 2);
    each(count, n, T::lanes(level), spread, &|at, some, spread| {
        let mut room = Room::new::<T>(n * some);
        let room = room.start::<T>();
        // SAFETY: each piece has lines of its own, and room of its own.
        unsafe {
            let room = Place(room);
            for i in 0..some {
                apart(&plan, level, start.at(2 * half * (at + i)), room.at(n * i), true, spread);
            }
            lines(&plan, level, sense, (room.0, n), (to.at(n * at), n), some, spread);
        }
    });
}

/// Runs `f` on pieces of so many lines: the first line, how many there are, and what spreads the work on one of them.
fn each(count: usize, n: usize, lanes: usize, spread: Spread<'_>, f: &(dyn Fn(usize, usize, Spread<'_>) + Sync)) {
    if count == 1 {
        return f(0, 1, spread);
    }
    let group = group(n, lanes);
    spread(count.div_ceil(group), 8 * n * count, &|i| f(i * group, group.min(count - i * group), &line::alone));
}

/// Transforms so many lines; a single one with the help of other threads. A line of one number is its own transform.
///
/// # Safety
/// As for [`line::some`].
unsafe fn lines<T: Float>(
    plan: &Plan<T>,
    level: Level,
    sense: Sense<T>,
    from: (*const T, usize),
    to: (*mut T, usize),
    count: usize,
    spread: Spread<'_>,
) {
    // SAFETY: the caller's word.
    unsafe {
        if plan.n == 1 {
            for i in 0..count {
                let [re, im] = from.0.add(i * from.1).cast::<[T; 2]>().read();
                to.0.add(i * to.1).cast::<[T; 2]>().write([re * sense.scale, im * sense.scale]);
            }
        } else if count == 1 {
            line::one(plan, level, sense, from.0, to.0, spread);
        } else {
            line::some(plan, level, sense, from, to, count);
        }
    }
}

/// Makes half a spectrum of the spectrum of a line that is read as complex, or the other way, for lines of twice the plan's
/// length.
///
/// # Safety
/// The machine has these instructions, the numbers are there, and there is room, which may be that of the numbers.
unsafe fn apart<T: Float>(plan: &Plan<T>, level: Level, from: *const T, to: *mut T, back: bool, spread: Spread<'_>) {
    let m = plan.n;
    // SAFETY: the caller's word; the ends are read before they are written.
    unsafe {
        match back {
            false => {
                let [re, im] = from.cast::<[T; 2]>().read();
                to.cast::<[T; 2]>().write([re + im, T::default()]);
                to.add(2 * m).cast::<[T; 2]>().write([re - im, T::default()]);
            }
            true => {
                let (first, last) = (*from, *from.add(2 * m));
                to.cast::<[T; 2]>().write([first + last, first - last]);
            }
        }
    }
    let pairs = m / 2;
    let (from, to) = (Place(from.cast_mut()), Place(to));
    spread(pairs.div_ceil(PAIRS), 8 * m, &|i| {
        let range = (1 + i * PAIRS, (pairs + 1).min(1 + (i + 1) * PAIRS));
        // SAFETY: the caller's word; each pair is of one piece.
        unsafe { T::run(level, &Apart { m, roots: plan.half(), from: from.at(0), to: to.at(0), back, range }) }
    });
}

/// Tells the halves of pairs of numbers apart, or puts them together: those at the same distance from both ends.
///
/// Asks for the numbers, and for room, which may be that of the numbers.
struct Apart<'a, T> {
    m: usize,
    roots: &'a [T],
    from: *const T,
    to: *mut T,
    back: bool,
    range: (usize, usize),
}

impl<T: Float> Apart<'_, T> {
    /// One vector of pairs.
    #[inline(always)]
    unsafe fn at<L: Lanes<T = T>>(&self, k: usize) {
        // The numbers at the other end, and where they begin.
        let far = self.m + 1 - k - L::N;
        let order = L::order(false);
        // What is told apart is halved. What is put together is turned the other way, by the root's negative conjugate.
        let (sign, scale) = if self.back { (-1.0, 1.0) } else { (1.0, 0.5) };
        let (sign, scale) = (L::splat(T::of(sign)), L::splat(T::of(scale)));
        // SAFETY: the caller's word.
        unsafe {
            let a = Pair::<L>::gather(self.from.add(2 * k), order);
            let b = Pair::<L>::gather(self.from.add(2 * far), order);
            let b = Pair { re: b.re.reversed(), im: b.im.reversed() };
            let root = self.roots.as_ptr().add(k);
            let root = Pair { re: L::load(root).mul(sign), im: L::load(root.add(self.m / 2 + 1)) };
            // a + conj b, and a - conj b turned.
            let sum = Pair { re: a.re.add(b.re), im: a.im.sub(b.im) };
            let difference = Pair { re: a.re.sub(b.re), im: a.im.add(b.im) };
            let turned = difference.mul(root);
            let (y, z) = (sum.sub_i(turned).scale(scale), sum.add_i(turned).scale(scale));
            // The number at the far end is the conjugate.
            let z = Pair { re: z.re.reversed(), im: L::splat(T::default()).sub(z.im).reversed() };
            y.scatter(self.to.add(2 * k), order);
            z.scatter(self.to.add(2 * far), order);
        }
    }
}

impl<T: Float> Task<T> for Apart<'_, T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T = T>>(&self) {
        let (mut k, end) = self.range;
        // SAFETY: as the task asks; both vectors of pairs are apart, but for a single number in the middle.
        unsafe {
            while k + L::N <= end {
                self.at::<L>(k);
                k += L::N;
            }
            while k < end {
                self.at::<Plain<T, 1>>(k);
                k += 1;
            }
        }
    }
}
