//! Turns of two rows or columns.

use super::number::hypotenuse;
use super::{Matrix, Number};

/// `[[c, s], [-s, c]]`.
#[derive(Clone, Copy)]
pub(super) struct Rotation {
    pub c: f64,
    pub s: f64,
}

impl Rotation {
    /// The rotation that takes `(f, g)` to `(r, 0)`, and `r`, which has the sign of `f`.
    pub(super) fn of(f: f64, g: f64) -> (Rotation, f64) {
        if g == 0.0 {
            return (Rotation { c: 1.0, s: 0.0 }, f);
        }
        if f == 0.0 {
            return (Rotation { c: 0.0, s: 1f64.copysign(g) }, g.abs());
        }
        let in_range = |x: f64| x * x > f64::MIN_POSITIVE && (x * x).is_finite();
        let length = if in_range(f) && in_range(g) { (f * f + g * g).sqrt() } else { hypotenuse(f, g) };
        let r = length.copysign(f);
        (Rotation { c: f.abs() / length, s: g / r }, r)
    }

    pub(super) fn inverse(self) -> Rotation {
        Rotation { c: self.c, s: -self.s }
    }

    /// Turns the columns `j` and `j + 1`.
    pub(super) fn columns<T: Number>(self, a: &mut Matrix<T>, j: usize) {
        let (x, y) = a.two_columns(j, j + 1);
        for (x, y) in x.iter_mut().zip(y) {
            (*x, *y) = (x.times(self.c) + y.times(self.s), y.times(self.c) - x.times(self.s));
        }
    }

    /// Turns the rows `i` and `i + 1`.
    pub(super) fn rows<T: Number>(self, a: &mut Matrix<T>, i: usize) {
        for j in 0..a.columns {
            let (x, y) = (a[(i, j)], a[(i + 1, j)]);
            a[(i, j)] = x.times(self.c) + y.times(self.s);
            a[(i + 1, j)] = y.times(self.c) - x.times(self.s);
        }
    }

    /// What becomes of a pair of numbers.
    pub(super) fn turn(self, x: f64, y: f64) -> (f64, f64) {
        (self.c * x + self.s * y, self.c * y - self.s * x)
    }
}
