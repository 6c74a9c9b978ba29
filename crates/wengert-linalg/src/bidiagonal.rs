//! The QR algorithm for bidiagonal matrices, with implicit shifts, or none where that is more exact (Demmel and Kahan).

use super::rotation::Rotation;
use super::turns::{Turns, Vectors};
use super::two::{least_singular_value, singular_values};
use super::{Limits, Matrix, Tools};

/// Sweeps for each singular value, more than any matrix is known to take.
const SWEEPS: usize = 6;

/// A square matrix with a diagonal and the elements above it, or under it.
pub(super) struct Bidiagonal {
    pub main: Vec<f64>,
    pub beside: Vec<f64>,
    pub lower: bool,
    pub limits: Limits,
}

/// Where a sweep starts.
#[derive(Clone, Copy, PartialEq)]
enum From {
    Top,
    Bottom,
}

impl Bidiagonal {
    /// Makes it diagonal, with the singular values in descending order, and gives the left and right vectors; nothing if
    /// that takes too long.
    pub(super) fn diagonalize(&mut self, tools: Tools<'_>) -> Option<[Matrix<f64>; 2]> {
        let n = self.main.len();
        let turns = if self.lower { self.make_upper() } else { Vec::new() };
        let mut x = Vectors::new(Some([Turns::identity(n, tools), Turns::identity(n, tools)]));
        self.sweep_all(&mut x)?;
        let (signs, order) = self.sort();
        let mut both = x.both?.map(|x| x.ordered(&order));
        let [u, v] = &mut both;
        // Of a single value the left vector has the sign.
        let signed = if n == 1 { &mut *u } else { v };
        (0..n).filter(|&j| signs[j] < 0.0).for_each(|j| signed.column_mut(j).iter_mut().for_each(|x| *x = -*x));
        turns.iter().enumerate().rev().for_each(|(i, turn)| turn.inverse().rows(u, i));
        Some(both)
    }

    /// The singular values in descending order; nothing if that takes too long.
    pub(super) fn values(mut self) -> Option<Vec<f64>> {
        self.sweep_all(&mut Vectors::new(None))?;
        self.sort();
        Some(self.main)
    }

    /// Turns rows so that the elements beside the diagonal are above it.
    fn make_upper(&mut self) -> Vec<Rotation> {
        let mut turns = Vec::new();
        for i in 0..self.beside.len() {
            let (turn, r) = Rotation::of(self.main[i], self.beside[i]);
            self.main[i] = r;
            self.beside[i] = turn.s * self.main[i + 1];
            self.main[i + 1] *= turn.c;
            turns.push(turn);
        }
        turns
    }

    /// Makes singular values positive and puts them in descending order; says which sign each had, and where it was.
    fn sort(&mut self) -> (Vec<f64>, Vec<usize>) {
        let n = self.main.len();
        let mut order: Vec<usize> = (0..n).collect();
        for end in (1..n).rev() {
            let size = |j: usize| self.main[j].abs();
            let least = (1..=end).fold(0, |k, j| if size(j) <= size(k) { j } else { k });
            self.main.swap(least, end);
            order.swap(least, end);
        }
        let signs = self.main.iter().map(|s| if *s < 0.0 { -1.0 } else { 1.0 }).collect();
        self.main.iter_mut().for_each(|s| *s = s.abs());
        (signs, order)
    }

    /// Sweeps until nothing is left beside the diagonal.
    fn sweep_all(&mut self, x: &mut Vectors<'_>) -> Option<()> {
        let n = self.main.len();
        let tolerance = self.limits.rounding.powf(-0.125).clamp(10.0, 100.0) * self.limits.rounding;
        let threshold = self.threshold(tolerance);
        let mut left = SWEEPS * n * n;
        // The block of the sweep before, and where that started.
        let mut before: Option<(usize, usize)> = None;
        let mut from = From::Top;
        // The rows after `last` are done.
        let mut last = n - 1;
        while last > 0 {
            let end = (0..last).rev().find(|&i| self.beside[i].abs() <= threshold);
            let first = end.map_or(0, |i| i + 1);
            if let Some(i) = end {
                self.beside[i] = 0.0;
            }
            if first == last {
                last -= 1;
                continue;
            }
            if first + 1 == last {
                self.two(first, x);
                if first == 0 {
                    break;
                }
                last = first - 1;
                continue;
            }
            if before.is_none_or(|(f, l)| first > l || last < f) {
                from = if self.main[first].abs() >= self.main[last].abs() { From::Top } else { From::Bottom };
            }
            let Some(least) = self.converges(first, last, from, tolerance) else { continue };
            before = Some((first, last));
            left = left.checked_sub(last - first)?;
            let most = self.largest(first, last);
            let shift = match n as f64 * tolerance * (least / most) <= self.limits.rounding.max(0.01 * tolerance) {
                true => 0.0,
                false => self.shift(first, last, from),
            };
            match (shift == 0.0, from) {
                (true, From::Top) => self.down(first, last, x),
                (true, From::Bottom) => self.up(first, last, x),
                (false, From::Top) => self.shifted_down(first, last, shift, x),
                (false, From::Bottom) => self.shifted_up(first, last, shift, x),
            }
            let end = if from == From::Top { last - 1 } else { first };
            if self.beside[end].abs() <= threshold {
                self.beside[end] = 0.0;
            }
        }
        Some(())
    }

    /// What is next to nothing beside the diagonal: small against a bound of the least singular value.
    fn threshold(&self, tolerance: f64) -> f64 {
        let n = self.main.len() as f64;
        let mut mu = self.main[0].abs();
        let mut least = mu;
        for (d, e) in self.main[1..].iter().zip(&self.beside) {
            if least == 0.0 {
                break;
            }
            mu = d.abs() * (mu / (mu + e.abs()));
            least = least.min(mu);
        }
        (tolerance * (least / n.sqrt())).max(SWEEPS as f64 * (n * (n * self.limits.least)))
    }

    /// Sets an element to zero that is next to nothing for the values at the end where the sweep starts; if there is none,
    /// gives a bound of the least singular value of the block.
    fn converges(&mut self, first: usize, last: usize, from: From, tolerance: f64) -> Option<f64> {
        let (start, near) = match from {
            From::Top => (first, (last - 1, last)),
            From::Bottom => (last, (first, first)),
        };
        if self.beside[near.0].abs() <= tolerance * self.main[near.1].abs() {
            self.beside[near.0] = 0.0;
            return None;
        }
        let mut mu = self.main[start].abs();
        let mut least = mu;
        for step in 0..last - first {
            let (i, next) = match from {
                From::Top => (first + step, first + step + 1),
                From::Bottom => (last - 1 - step, last - 1 - step),
            };
            let e = self.beside[i].abs();
            if e <= tolerance * mu {
                self.beside[i] = 0.0;
                return None;
            }
            mu = self.main[next].abs() * (mu / (mu + e));
            least = least.min(mu);
        }
        Some(least)
    }

    /// The largest element of a block, in size.
    fn largest(&self, first: usize, last: usize) -> f64 {
        let all = self.main[first..=last].iter().chain(&self.beside[first..last]);
        all.fold(0.0, |m, x| m.max(x.abs()))
    }

    /// The shift for a block: near its least singular value, or zero if it would be lost.
    fn shift(&self, first: usize, last: usize, from: From) -> f64 {
        let (start, at) = if from == From::Top { (first, last - 1) } else { (last, first) };
        let shift = least_singular_value(self.main[at], self.beside[at], self.main[at + 1]);
        let part = shift / self.main[start].abs();
        if part * part < self.limits.rounding { 0.0 } else { shift }
    }

    /// Makes two rows, which are a block of their own, diagonal.
    fn two(&mut self, i: usize, x: &mut Vectors<'_>) {
        let y = singular_values(self.main[i], self.beside[i], self.main[i + 1], self.limits);
        (self.main[i], self.main[i + 1]) = (y.most, y.least);
        self.beside[i] = 0.0;
        x.push(y.left, y.right);
        x.sweep(i, true);
    }

    /// A sweep without a shift.
    fn down(&mut self, first: usize, last: usize, x: &mut Vectors<'_>) {
        let (mut right, mut left) = (Rotation { c: 1.0, s: 0.0 }, Rotation { c: 1.0, s: 0.0 });
        for i in first..last {
            let r;
            (right, r) = Rotation::of(self.main[i] * right.c, self.beside[i]);
            if i > first {
                self.beside[i - 1] = left.s * r;
            }
            (left, self.main[i]) = Rotation::of(left.c * r, self.main[i + 1] * right.s);
            x.push(left, right);
        }
        x.sweep(first, true);
        let h = self.main[last] * right.c;
        (self.main[last], self.beside[last - 1]) = (h * left.c, h * left.s);
    }

    fn up(&mut self, first: usize, last: usize, x: &mut Vectors<'_>) {
        let (mut left, mut right) = (Rotation { c: 1.0, s: 0.0 }, Rotation { c: 1.0, s: 0.0 });
        for i in (first..last).rev() {
            let r;
            (left, r) = Rotation::of(self.main[i + 1] * left.c, self.beside[i]);
            if i + 1 < last {
                self.beside[i + 1] = right.s * r;
            }
            (right, self.main[i + 1]) = Rotation::of(right.c * r, self.main[i] * left.s);
            x.push(left.inverse(), right.inverse());
        }
        x.sweep(first, false);
        let h = self.main[first] * left.c;
        (self.main[first], self.beside[first]) = (h * right.c, h * right.s);
    }

    fn shifted_down(&mut self, first: usize, last: usize, shift: f64, x: &mut Vectors<'_>) {
        let (d, e) = (&mut self.main, &mut self.beside);
        let (mut f, mut g) = (start(d[first], shift), e[first]);
        for i in first..last {
            let (right, r) = Rotation::of(f, g);
            if i > first {
                e[i - 1] = r;
            }
            (f, e[i]) = right.turn(d[i], e[i]);
            (g, d[i + 1]) = (right.s * d[i + 1], right.c * d[i + 1]);
            let left;
            (left, d[i]) = Rotation::of(f, g);
            (f, d[i + 1]) = left.turn(e[i], d[i + 1]);
            if i + 1 < last {
                (g, e[i + 1]) = (left.s * e[i + 1], left.c * e[i + 1]);
            }
            x.push(left, right);
        }
        x.sweep(first, true);
        e[last - 1] = f;
    }

    fn shifted_up(&mut self, first: usize, last: usize, shift: f64, x: &mut Vectors<'_>) {
        let (d, e) = (&mut self.main, &mut self.beside);
        let (mut f, mut g) = (start(d[last], shift), e[last - 1]);
        for i in (first..last).rev() {
            let (left, r) = Rotation::of(f, g);
            if i + 1 < last {
                e[i + 1] = r;
            }
            (f, e[i]) = left.turn(d[i + 1], e[i]);
            (g, d[i]) = (left.s * d[i], left.c * d[i]);
            let right;
            (right, d[i + 1]) = Rotation::of(f, g);
            (f, d[i]) = right.turn(e[i], d[i]);
            if i > first {
                (g, e[i - 1]) = (right.s * e[i - 1], right.c * e[i - 1]);
            }
            x.push(left.inverse(), right.inverse());
        }
        x.sweep(first, false);
        e[first] = f;
    }
}

/// `(d² - shift²) / d`.
fn start(d: f64, shift: f64) -> f64 {
    (d.abs() - shift) * (1f64.copysign(d) + shift / d)
}
