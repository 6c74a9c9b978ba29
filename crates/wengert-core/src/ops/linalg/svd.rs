//! The singular value decomposition.

use super::matrix::{adjoint, batch_leading, diagonal, matmul, matrix, on_diagonal, real, sizes, spread, with_last};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Rules, no_rule};
use crate::ops::{Direction, check};
use crate::program::Var;
use crate::transform::{Batched, Batcher, Dual};
use crate::types::Type;

attributes! {
    /// The singular values `s` in descending order; or `u`, `s`, `vᴴ`, whose product with `s` as a diagonal is the
    /// operand. On the CPU the vectors have the signs (or phases) that LAPACK gives if there are no more than 25 rows or
    /// no more than 25 columns, as far as roundings do not decide on them; of larger matrices the largest element of each
    /// column of `u` is positive.
    "svd" => pub struct Svd {
        /// Whether `u` and `vᴴ` are square, or only have a column (row) for each singular value.
        pub full_matrices: bool,
        /// Whether `u` and `vᴴ` are given.
        pub compute_uv: bool,
    }
}

impl Rules for Svd {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("svd", x)?;
        let [m, n] = matrix("svd", x)?;
        let k = m.min(n);
        let s = with_last(x, &[k]).with_dtype(x.dtype.real());
        if !self.compute_uv {
            return Ok(vec![s]);
        }
        let (p, q) = if self.full_matrices { (m, n) } else { (k, k) };
        Ok(vec![with_last(x, &[m, p]), s, with_last(x, &[q, n])])
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let [m, n] = sizes(b, x[0]);
        if self.compute_uv && self.full_matrices && m != n {
            return Err(no_rule("svd", "differentiated", "the columns past the singular values are not determined")
                .note("ask for `full_matrices = false`"));
        }
        // The vectors are needed even if the values alone are asked for.
        let y = b.push(Svd { full_matrices: false, compute_uv: true }, x);
        let (u, s, vh) = (y[0], y[1], y[2]);
        let t = t[0].expect("called with a tangent");
        let (uh, v) = (adjoint(b, u), adjoint(b, vh));
        let tv = matmul(b, t, v);
        let p = matmul(b, uh, tv);
        let ds = diagonal(b, p);
        let ds = real(b, ds);
        if !self.compute_uv {
            return Ok(Dual { primals: vec![s], tangents: vec![Some(ds)] });
        }
        let dtype = b.dtype(u);
        let shape = b.shape(p).clone();
        let (row, column) = (shape.rank() - 2, shape.rank() - 1);
        let (si, sj) = (spread(b, s, &shape, row), spread(b, s, &shape, column));

        // f = 1 / (sⱼ² - sᵢ²) off the diagonal, as a product of sum and difference.
        let (sum, difference) = (b.add(sj, si), b.sub(sj, si));
        let gap = b.mul(sum, difference);
        let on = on_diagonal(b, gap);
        let (zero, one) = (b.full_like(gap, 0.0), b.full_like(gap, 1.0));
        let gap = b.select(on, one, gap);
        let f = b.div(one, gap);
        let f = b.select(on, zero, f);
        // 1 / (2s) on the diagonal: how a complex phase turns.
        let vanishing = b.compare(Direction::Eq, sj, zero);
        let safe = b.select(vanishing, one, sj);
        let half = b.full_like(sj, 0.5);
        let g = b.div(half, safe);
        let g = b.select(vanishing, zero, g);
        let g = b.select(on, g, zero);
        let [si, sj, f, g] = [si, sj, f, g].map(|v| b.convert(v, dtype));

        let hermitian = |b: &mut Builder, x: Var| {
            let h = adjoint(b, x);
            b.add(x, h)
        };
        let ps = b.mul(p, sj);
        let ps = hermitian(b, ps);
        let turn_u = b.mul(f, ps);
        let ph = adjoint(b, p);
        let skew = b.sub(p, ph);
        let phase = b.mul(g, skew);
        let turn_u = b.add(turn_u, phase);
        let mut du = matmul(b, u, turn_u);
        let sp = b.mul(si, p);
        let sp = hermitian(b, sp);
        let turn_v = b.mul(f, sp);
        let mut dv = matmul(b, v, turn_v);

        // What leaves the space the columns span.
        if m > n {
            du = leave(b, du, u, uh, tv, s);
        }
        if n > m {
            let th = adjoint(b, t);
            let tu = matmul(b, th, u);
            dv = leave(b, dv, v, vh, tu, s);
        }
        let dvh = adjoint(b, dv);
        Ok(Dual { primals: vec![u, s, vh], tangents: vec![Some(du), Some(ds), Some(dvh)] })
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        batch_leading(self, b, x)
    }
}

/// `d + (1 - u·uᴴ)·t / s`.
fn leave(b: &mut Builder, d: Var, u: Var, uh: Var, t: Var, s: Var) -> Var {
    let inside = matmul(b, uh, t);
    let inside = matmul(b, u, inside);
    let outside = b.sub(t, inside);
    let shape = b.shape(outside).clone();
    let s = spread(b, s, &shape, shape.rank() - 1);
    let dtype = b.dtype(outside);
    let s = b.convert(s, dtype);
    let outside = b.div(outside, s);
    b.add(d, outside)
}
