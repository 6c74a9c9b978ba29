//! Eigenvalues and eigenvectors.

use super::matrix::{
    adjoint, batch_leading, diagonal, matmul, mirrored, on_diagonal, real, solve, spread, square, transposed,
};
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Rules, no_rule};
use crate::ops::check;
use crate::program::Var;
use crate::transform::{Batched, Batcher, Dual};
use crate::types::Type;
use crate::{attributes, named_attr, names};

/// The type of one value for each column of a matrix.
fn values(x: &Type) -> Type {
    x.with_shape(x.shape.without_axes(&[x.rank() - 1]))
}

/// `1 / (w[j] - w[i])` off the diagonal, and zero on it.
fn reciprocal_gaps(b: &mut Builder, w: Var, like: Var) -> Var {
    let shape = b.shape(like).clone();
    let (i, j) = (spread(b, w, &shape, shape.rank() - 2), spread(b, w, &shape, shape.rank() - 1));
    let gap = b.sub(j, i);
    let diagonal = on_diagonal(b, gap);
    let (zero, one) = (b.full_like(gap, 0.0), b.full_like(gap, 1.0));
    let gap = b.select(diagonal, one, gap);
    let reciprocal = b.div(one, gap);
    b.select(diagonal, zero, reciprocal)
}

attributes! {
    /// The eigenvalues of Hermitian matrices in ascending order, and their eigenvectors as columns of length 1. On the CPU
    /// these have the signs (or phases) that LAPACK gives if there are no more than 25 rows, as far as roundings do not
    /// decide on them; of larger matrices the largest element of each is positive.
    "eigh" => pub struct Eigh {
        /// Which triangle is read: the other is its mirror image.
        pub lower: bool,
    }
}

impl Rules for Eigh {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("eigh", x)?;
        square("eigh", x)?;
        Ok(vec![values(x).with_dtype(x.dtype.real()), x.clone()])
    }

    fn tangents(&self, b: &mut Builder, _: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        // With p = vᴴ·a'·v: w' is its diagonal, and v' = v·(p / (wⱼ - wᵢ)) off the diagonal. Defined for distinct w.
        let (w, v) = (y[0], y[1]);
        let t = mirrored(b, t[0].expect("called with a tangent"), self.lower);
        let vh = adjoint(b, v);
        let p = matmul(b, vh, t);
        let p = matmul(b, p, v);
        let moved = diagonal(b, p);
        let moved = real(b, moved);
        let gaps = reciprocal_gaps(b, w, v);
        let dtype = b.dtype(v);
        let gaps = b.convert(gaps, dtype);
        let turn = b.mul(gaps, p);
        Ok(vec![Some(moved), Some(matmul(b, v, turn))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        batch_leading(self, b, x)
    }
}

names! {
    /// Which eigenvectors are given after the eigenvalues.
    pub enum Eigenvectors {
        /// None.
        None = "false",
        /// `v`, with `a·v = v·w`.
        Right = "true",
        /// Before these `u`, with `uᴴ·a = w·uᴴ`.
        Both = "both",
    }
}
named_attr!(Eigenvectors);

attributes! {
    /// The eigenvalues of square matrices, and their eigenvectors if asked: columns of length 1 whose largest element is real.
    /// All complex. On the CPU the order, and the signs (or phases), are those that LAPACK gives if there are no more than 25
    /// rows, as far as roundings do not decide on them; of larger matrices the largest element of each column is positive, and
    /// eigenvalues have no order.
    "eig" => pub struct Eig {
        /// Whether eigenvectors are given too, and which.
        pub compute_v: Eigenvectors,
    }
}

impl Rules for Eig {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("eig", x)?;
        check::dtype("eig", x.dtype, "f32, f64 and complex numbers", x.dtype.complex().is_some())?;
        square("eig", x)?;
        let v = x.with_dtype(x.dtype.complex().expect("checked"));
        let w = values(&v);
        Ok(match self.compute_v {
            Eigenvectors::None => vec![w],
            Eigenvectors::Right => vec![w, v],
            Eigenvectors::Both => vec![w, v.clone(), v],
        })
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        if self.compute_v != Eigenvectors::None {
            return Err(no_rule("eig", "differentiated", "only its eigenvalues alone have a derivative rule"));
        }
        // w' is the diagonal of v⁻¹·a'·v.
        let y = b.push(Eig { compute_v: Eigenvectors::Right }, x);
        let (w, v) = (y[0], y[1]);
        let dtype = b.dtype(v);
        let t = b.convert(t[0].expect("called with a tangent"), dtype);
        let p = solve(b, v, t);
        let vt = transposed(b, v);
        let p = b.mul(p, vt);
        let last = b.shape(v).rank() - 1;
        Ok(Dual { primals: vec![w], tangents: vec![Some(b.sum(p, &[last]))] })
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        batch_leading(self, b, x)
    }
}
