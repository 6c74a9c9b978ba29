//! Eigenvalues and eigenvectors of Hermitian matrices: reflections make them tridiagonal, and the QL or QR algorithm with
//! implicit shifts, whichever starts at the smaller end, diagonal.

use super::block::Block;
use super::number::hypotenuse;
use super::reflection::Reflection;
use super::rotation::Rotation;
use super::turns::Turns;
use super::{Limits, Matrix, Number, Tools, turn};

/// Sweeps for each eigenvalue, more than any matrix is known to take.
const SWEEPS: usize = 30;

/// Eigenvalues in ascending order, and eigenvectors, of the Hermitian matrix of which one triangle is read; nothing if an
/// element is not finite.
pub(super) fn eigh<T: Number>(
    a: Matrix<T>,
    lower: bool,
    limits: Limits,
    tools: Tools<'_>,
) -> Option<(Vec<f64>, Matrix<T>)> {
    let n = a.rows;
    let whole = hermitian(a, lower);
    if !whole.finite() {
        return None;
    }
    let (whole, scale) = whole.scaled();
    let is_small = n <= super::SMALL;
    let (mut t, reflections) = match is_small {
        true => tridiagonal(whole, lower, limits),
        false => {
            let (main, beside, reflections) = super::tridiagonal::tridiagonal(whole, tools);
            (Tridiagonal { main, beside, limits }, reflections)
        }
    };
    let mut z = Turns::identity(n, tools);
    t.diagonalize(&mut z)?;
    let z = z.ordered(&t.sort());
    let mut v = Matrix::of_columns(n, n, z.elements().iter().map(|&z| T::real(z)).collect());
    match is_small {
        true => reflections.iter().rev().for_each(|r| r.left(&mut v, 0..n)),
        false => {
            Block::all(&reflections, n, tools).iter().rev().for_each(|b| b.left(&mut v, 0..n, tools));
            turn(&mut v);
        }
    }
    Some((t.main.iter().map(|&w| w * scale).collect(), v))
}

/// The Hermitian matrix that one triangle stands for.
pub(super) fn hermitian<T: Number>(mut a: Matrix<T>, lower: bool) -> Matrix<T> {
    let adjoint = a.adjoint();
    for j in 0..a.columns {
        let other = if lower { 0..j } else { j + 1..a.rows };
        a.column_mut(j)[other.clone()].copy_from_slice(&adjoint.column(j)[other]);
        a[(j, j)] = T::real(a[(j, j)].re());
    }
    a
}

/// A symmetric matrix with three diagonals.
struct Tridiagonal {
    main: Vec<f64>,
    beside: Vec<f64>,
    limits: Limits,
}

/// The Hermitian matrix made tridiagonal, `a = q·t·qᴴ`, and the reflections whose product is `q`: from the first column
/// on, or from the last.
fn tridiagonal<T: Number>(mut a: Matrix<T>, lower: bool, limits: Limits) -> (Tridiagonal, Vec<Reflection<T>>) {
    let n = a.rows;
    let mut beside = vec![0.0; n.saturating_sub(1)];
    let mut reflections = Vec::new();
    for step in 1..n {
        let (reflection, beta) = match lower {
            true => Reflection::of(&a.column(step - 1)[step..], step),
            false => Reflection::of_last(&a.column(n - step)[..n - step]),
        };
        beside[if lower { step - 1 } else { n - 1 - step }] = beta;
        both_sides(&mut a, &reflection);
        reflections.push(reflection);
    }
    (Tridiagonal { main: (0..n).map(|i| a[(i, i)].re()).collect(), beside, limits }, reflections)
}

/// `hᴴ·a·h` in the rows and columns that the reflection `h` acts on.
fn both_sides<T: Number>(a: &mut Matrix<T>, h: &Reflection<T>) {
    let (first, k) = (h.first, h.v.len());
    let mut x = vec![T::zero(); k];
    for (j, v) in h.v.iter().enumerate() {
        let column = &a.column(first + j)[first..first + k];
        x.iter_mut().zip(column).for_each(|(x, a)| *x += *a * *v);
    }
    x.iter_mut().for_each(|x| *x *= h.tau);
    let dot = x.iter().zip(&h.v).fold(T::zero(), |s, (x, v)| s + x.conj() * *v);
    let half = -(h.tau * dot).times(0.5);
    x.iter_mut().zip(&h.v).for_each(|(x, v)| *x += *v * half);
    for j in 0..k {
        let (xj, vj) = (x[j].conj(), h.v[j].conj());
        let column = &mut a.column_mut(first + j)[first..first + k];
        column.iter_mut().zip(&h.v).zip(&x).for_each(|((a, v), x)| *a -= *v * xj + *x * vj);
    }
}

impl Tridiagonal {
    /// Makes it diagonal, and turns the columns of `z` along; nothing if that takes too long.
    fn diagonalize(&mut self, z: &mut Turns<'_>) -> Option<()> {
        let n = self.main.len();
        let mut left = SWEEPS * n;
        let mut first = 0;
        while first < n {
            // A block that is separate from the others.
            let together = |m: usize| {
                let limit = self.main[m].abs().sqrt() * self.main[m + 1].abs().sqrt() * self.limits.rounding;
                self.beside[m].abs() > limit
            };
            let last = (first..n - 1).find(|&m| !together(m)).unwrap_or(n - 1);
            if last + 1 < n {
                self.beside[last] = 0.0;
            }
            match self.main[last].abs() < self.main[first].abs() {
                true => self.upwards(first, last, z, &mut left)?,
                false => self.downwards(first, last, z, &mut left)?,
            }
            first = last + 1;
        }
        Some(())
    }

    /// Whether the element beside `main[m]` and the next is next to nothing.
    fn vanishes(&self, m: usize) -> bool {
        let e = self.beside[m];
        let (d, next) = (self.main[m].abs(), self.main[m + 1].abs());
        e * e <= (self.limits.rounding * self.limits.rounding * d) * next + self.limits.least
    }

    /// QL: the eigenvalues of a block from its first row on.
    fn downwards(&mut self, first: usize, last: usize, z: &mut Turns<'_>, left: &mut usize) -> Option<()> {
        let (mut l, mut turns) = (first, Vec::new());
        while l <= last {
            let m = (l..last).find(|&m| self.vanishes(m)).unwrap_or(last);
            if m < last {
                self.beside[m] = 0.0;
            }
            if m == l {
                l += 1;
                continue;
            }
            if m == l + 1 {
                self.two(l, z);
                l += 2;
                continue;
            }
            *left = left.checked_sub(1)?;
            let (mut g, mut p) = (self.shifted(l, l + 1, l, m), 0.0);
            let mut turn = Rotation { c: 1.0, s: 1.0 };
            turns.clear();
            for i in (l..m).rev() {
                let (f, b) = (turn.s * self.beside[i], turn.c * self.beside[i]);
                let r;
                (turn, r) = Rotation::of(g, f);
                if i + 1 != m {
                    self.beside[i + 1] = r;
                }
                g = self.main[i + 1] - p;
                let r = (self.main[i] - g) * turn.s + 2.0 * turn.c * b;
                p = turn.s * r;
                self.main[i + 1] = g + p;
                g = turn.c * r - b;
                turns.push(turn.inverse());
            }
            z.sweep(l, false, &turns);
            self.main[l] -= p;
            self.beside[l] = g;
        }
        Some(())
    }

    /// QR: the eigenvalues of a block from its last row on.
    fn upwards(&mut self, first: usize, last: usize, z: &mut Turns<'_>, left: &mut usize) -> Option<()> {
        // One more than the row, so that there is one before the first.
        let (mut l, mut turns) = (last + 1, Vec::new());
        while l > first {
            let at = l - 1;
            let m = (first + 1..=at).rev().find(|&m| self.vanishes(m - 1)).unwrap_or(first);
            if m > first {
                self.beside[m - 1] = 0.0;
            }
            if m == at {
                l -= 1;
                continue;
            }
            if m + 1 == at {
                self.two(m, z);
                l -= 2;
                continue;
            }
            *left = left.checked_sub(1)?;
            let (mut g, mut p) = (self.shifted(at, at - 1, at - 1, m), 0.0);
            let mut turn = Rotation { c: 1.0, s: 1.0 };
            turns.clear();
            for i in m..at {
                let (f, b) = (turn.s * self.beside[i], turn.c * self.beside[i]);
                let r;
                (turn, r) = Rotation::of(g, f);
                if i != m {
                    self.beside[i - 1] = r;
                }
                g = self.main[i] - p;
                let r = (self.main[i + 1] - g) * turn.s + 2.0 * turn.c * b;
                p = turn.s * r;
                self.main[i] = g + p;
                g = turn.c * r - b;
                turns.push(turn);
            }
            z.sweep(m, true, &turns);
            self.main[at] -= p;
            self.beside[at - 1] = g;
        }
        Some(())
    }

    /// `main[m]` less the shift: the eigenvalue near `main[l]` of the two rows `l` and `next`, with `e` beside them.
    fn shifted(&self, l: usize, next: usize, e: usize, m: usize) -> f64 {
        let (p, e) = (self.main[l], self.beside[e]);
        let g = (self.main[next] - p) / (2.0 * e);
        let r = hypotenuse(g, 1.0);
        self.main[m] - p + e / (g + r.copysign(g))
    }

    /// Makes the rows `l` and `l + 1`, which are a block of their own, diagonal.
    fn two(&mut self, l: usize, z: &mut Turns<'_>) {
        let (values, turn) = two_by_two(self.main[l], self.beside[l], self.main[l + 1]);
        z.sweep(l, true, &[turn]);
        (self.main[l], self.main[l + 1]) = values;
        self.beside[l] = 0.0;
    }

    /// Puts eigenvalues in ascending order, and says where each was.
    fn sort(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.main.len()).collect();
        for i in 0..self.main.len() {
            let least = (i..self.main.len()).fold(i, |k, j| if self.main[j] < self.main[k] { j } else { k });
            self.main.swap(i, least);
            order.swap(i, least);
        }
        order
    }
}

/// The eigenvalues of `[[a, b], [b, c]]`, the larger in size first, and the turn whose first row is its eigenvector.
fn two_by_two(a: f64, b: f64, c: f64) -> ((f64, f64), Rotation) {
    let (sum, apart, twice) = (a + c, a - c, b + b);
    let (most, least) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    let root = hypotenuse(apart, twice);
    let half = 0.5;
    let down = sum < 0.0;
    let values = if sum == 0.0 {
        (half * root, -half * root)
    } else {
        let first = half * (if down { sum - root } else { sum + root });
        // In this order nothing is lost when they are far apart.
        (first, (most / first) * least - (b / first) * b)
    };
    let opposite = apart < 0.0;
    let cs = if opposite { apart - root } else { apart + root };
    let (c1, s1) = if cs.abs() > twice.abs() {
        let cotangent = -twice / cs;
        let s = 1.0 / (1.0 + cotangent * cotangent).sqrt();
        (cotangent * s, s)
    } else if twice == 0.0 {
        (1.0, 0.0)
    } else {
        let tangent = -cs / twice;
        let c = 1.0 / (1.0 + tangent * tangent).sqrt();
        (c, tangent * c)
    };
    (values, if down == opposite { Rotation { c: -s1, s: c1 } } else { Rotation { c: c1, s: s1 } })
}
