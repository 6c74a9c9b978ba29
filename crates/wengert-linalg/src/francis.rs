//! Sweeps over real matrices with two shifts at a time, which are conjugates of each other or equal (Francis); and blocks of
//! two rows.

use super::number::hypotenuse;
use super::reflection::Reflection;
use super::rotation::Rotation;
use super::schur::{Schur, Sweep};
use super::{Matrix, Number, Tools};
use std::ops::Range;
use wengert_core::Complex;

impl Sweep for f64 {
    const BLOCK: usize = 2;

    fn sweep(a: &mut Schur<f64>, block: Range<usize>, count: usize) {
        let shift = shift(&a.t, &block, count);
        let (start, lead) = lead(&a.t, &block, shift, a.limits.spacing());
        let reach = a.reach(&block);
        for k in start..block.end - 1 {
            let some = k..block.end.min(k + 3);
            let (h, beta) = match k == start {
                true => Reflection::of(&lead, k),
                false => Reflection::of(&a.t.column(k - 1)[some.clone()], k),
            };
            if k > start {
                a.t.column_mut(k - 1)[some.clone()].fill(0.0);
                a.t[(k, k - 1)] = beta;
            } else if k > block.start {
                // Of what stands before it the first element alone stays, and it is next to nothing.
                a.t[(k, k - 1)] *= 1.0 - h.tau;
            }
            a.reflect(&h, &reach, k, block.end.min(k + 4));
        }
    }

    fn lead(t: &Matrix<f64>, [x, y]: [Complex<f64>; 2]) -> Vec<f64> {
        let (here, under) = (t[(0, 0)], t[(1, 0)]);
        let size = (x - here).parts() + (y - here).parts() + under.abs();
        if size == 0.0 {
            return vec![0.0; 3];
        }
        let under = under / size;
        let first = ((here - x) / size * (here - y)).re + under * t[(0, 1)];
        vec![first, under * (here + t[(1, 1)] - x.re - y.re), under * t[(2, 1)]]
    }

    fn settle(_: &mut Schur<f64>, _: &Range<usize>, _: &Range<usize>) {}

    fn times_complex(q: &Matrix<f64>, x: &Matrix<Complex<f64>>, tools: Tools<'_>) -> Matrix<Complex<f64>> {
        let part = |f: &dyn Fn(&Complex<f64>) -> f64| {
            let part = Matrix::of_columns(x.rows, x.columns, x.elements().iter().map(f).collect());
            Matrix::product(q.all(), part.all(), tools)
        };
        let (re, im) = (part(&|x| x.re), part(&|x| x.im));
        let all = re.elements().iter().zip(im.elements()).map(|(&re, &im)| Complex { re, im }).collect();
        Matrix::of_columns(q.rows, x.columns, all)
    }

    fn finish(a: &mut Schur<f64>, block: Range<usize>) {
        if block.len() < 2 {
            return;
        }
        let (i, j) = (block.start, block.start + 1);
        let old = [a.t[(i, i)], a.t[(i, j)], a.t[(j, i)], a.t[(j, j)]];
        let (turn, [p, q, r, s]) = standard(old, a.limits.spacing());
        if let Some(z) = &mut a.q {
            turn.rows(&mut a.t, i);
            turn.columns(&mut a.t, i);
            turn.columns(z, i);
        }
        (a.t[(i, i)], a.t[(i, j)], a.t[(j, i)], a.t[(j, j)]) = (p, q, r, s);
    }
}

/// Real and imaginary part of the shifts: the eigenvalues of the last two rows and columns; if these are real, the nearer to
/// the last element twice. From time to time something else, should that lead nowhere.
fn shift(t: &Matrix<f64>, block: &Range<usize>, count: usize) -> (f64, f64) {
    let last = block.end - 1;
    let [p, q, r, s] = if count.is_multiple_of(10) {
        let (size, near) = match count.is_multiple_of(20) {
            true => (t[(last, last - 1)].abs() + t[(last - 1, last - 2)].abs(), t[(last, last)]),
            false => {
                let first = block.start;
                (t[(first + 1, first)].abs() + t[(first + 2, first + 1)].abs(), t[(first, first)])
            }
        };
        let raised = 0.75 * size + near;
        [raised, -0.4375 * size, size, raised]
    } else {
        [t[(last - 1, last - 1)], t[(last - 1, last)], t[(last, last - 1)], t[(last, last)]]
    };
    let size = p.abs() + q.abs() + r.abs() + s.abs();
    if size == 0.0 {
        return (0.0, 0.0);
    }
    let [p, q, r, s] = [p, q, r, s].map(|x| x / size);
    let mean = (p + s) / 2.0;
    let inside = (p - mean) * (s - mean) - q * r;
    let root = inside.abs().sqrt();
    if inside >= 0.0 {
        return (mean * size, root * size);
    }
    let (upper, lower) = (mean + root, mean - root);
    (if (upper - s).abs() <= (lower - s).abs() { upper } else { lower } * size, 0.0)
}

/// The row to start from, and the elements from there on of its column of `(t - shift)·(t - shift's conjugate)`, up to a
/// factor. Rows before the start are left out if what that neglects is next to nothing.
fn lead(t: &Matrix<f64>, block: &Range<usize>, (re, im): (f64, f64), spacing: f64) -> (usize, [f64; 3]) {
    let mut m = block.end - 3;
    loop {
        let (here, next) = (t[(m, m)], t[(m + 1, m + 1)]);
        let under = t[(m + 1, m)];
        let size = (here - re).abs() + im.abs() + under.abs();
        let under = under / size;
        let first = under * t[(m, m + 1)] + (here - re) * ((here - re) / size) + im * (im / size);
        let lead = [first, under * (here + next - re - re), under * t[(m + 2, m + 1)]];
        let size: f64 = lead.iter().map(|x| x.abs()).sum();
        let lead = lead.map(|x| x / size);
        if m == block.start {
            return (m, lead);
        }
        let neglected = t[(m, m - 1)].abs() * (lead[1].abs() + lead[2].abs());
        let near = t[(m - 1, m - 1)].abs() + here.abs() + next.abs();
        if neglected <= spacing * lead[0].abs() * near {
            return (m, lead);
        }
        m -= 1;
    }
}

/// The turn that makes `[[p, q], [r, s]]` triangular, or equal on the diagonal and of different signs beside it if it can't
/// be; and what that gives.
fn standard([p, q, r, s]: [f64; 4], spacing: f64) -> (Rotation, [f64; 4]) {
    let same_sign = |x: f64, y: f64| x.is_sign_negative() == y.is_sign_negative();
    if r == 0.0 || q != 0.0 && p == s && !same_sign(q, r) {
        return (Rotation { c: 1.0, s: 0.0 }, [p, q, r, s]);
    }
    if q == 0.0 {
        return (Rotation { c: 0.0, s: 1.0 }, [s, -r, 0.0, p]);
    }
    let half = 0.5 * (p - s);
    let (most, least) = (q.abs().max(r.abs()), q.abs().min(r.abs()));
    let least = if same_sign(q, r) { least } else { -least };
    let size = half.abs().max(most);
    let inside = (half / size) * half + (most / size) * least;
    if inside >= 4.0 * spacing {
        // Two real eigenvalues.
        let z = half + (size.sqrt() * inside.sqrt()).copysign(half);
        let length = hypotenuse(r, z);
        return (Rotation { c: z / length, s: r / length }, [s + z, q - r, 0.0, s - (most / z) * least]);
    }
    // Conjugates, or real ones too close to tell: the diagonal becomes equal.
    let sum = q + r;
    let length = hypotenuse(sum, p - s);
    let c = (0.5 * (1.0 + sum.abs() / length)).sqrt();
    let turn = Rotation { c, s: -(half / (length * c)) * 1f64.copysign(sum) };
    let ((p1, q1), (r1, s1)) = (turn.turn(p, q), turn.turn(r, s));
    let ((p2, r2), (q2, s2)) = (turn.turn(p1, r1), turn.turn(q1, s1));
    let mean = 0.5 * (p2 + s2);
    if r2 == 0.0 {
        return (turn, [mean, q2, 0.0, mean]);
    }
    if q2 == 0.0 {
        return (Rotation { c: -turn.s, s: turn.c }, [mean, -r2, 0.0, mean]);
    }
    if !same_sign(q2, r2) {
        return (turn, [mean, q2, r2, mean]);
    }
    // Real after all.
    let roots = (q2.abs().sqrt(), r2.abs().sqrt());
    let apart = (roots.0 * roots.1).copysign(r2);
    let inverse = 1.0 / (q2 + r2).abs().sqrt();
    let (c, s) = (roots.0 * inverse, roots.1 * inverse);
    let turn = Rotation { c: turn.c * c - turn.s * s, s: turn.c * s + turn.s * c };
    (turn, [mean + apart, q2 - r2, 0.0, mean - apart])
}
