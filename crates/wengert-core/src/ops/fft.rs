//! Discrete Fourier transforms.

use super::{Direction, Iota, Unary, check};
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules};
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{DType, Dims, Shape, Type};
use crate::{attributes, named_attr, names};

names! {
    /// Which transform.
    pub enum FftKind {
        /// Complex to complex.
        Fft = "fft",
        /// The inverse of `fft`.
        Ifft = "ifft",
        /// Of a real array: the half of the spectrum that tells the rest.
        Rfft = "rfft",
        /// The inverse of `rfft`.
        Irfft = "irfft",
    }
}
named_attr!(FftKind);

attributes! {
    /// The discrete Fourier transform over the last axes, as many as there are lengths: one to three.
    "fft" => pub struct Fft {
        /// Which transform.
        pub kind: FftKind,
        /// The lengths of the transform along those axes, on the side that is not halved.
        pub lengths: Dims,
    }
}

impl Fft {
    /// For each element of a half spectrum of this type, how often it stands in the whole one: once at both ends (the
    /// second only if the length is even), else twice.
    fn multiplicity(&self, b: &mut Builder, half: &Type) -> Var {
        let n = *self.lengths.last().expect("checked");
        let line = Type::new(DType::I64, [n / 2 + 1]);
        let i = b.one(Iota { ty: line.clone(), dim: 0 }, &[]);
        let [zero, end] = [0.0, if n.is_multiple_of(2) { n as f64 / 2.0 } else { 0.0 }].map(|x| b.full(&line, x));
        let first = b.compare(Direction::Eq, i, zero);
        let last = b.compare(Direction::Eq, i, end);
        let [once, twice] = [1.0, 2.0].map(|x| b.full(&line.with_dtype(half.dtype), x));
        let m = b.select(last, once, twice);
        let m = b.select(first, once, m);
        b.broadcast(m, &half.shape, &[half.rank() - 1])
    }
}

impl Rules for Fft {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("fft", x)?;
        let rank = self.lengths.len();
        check::that((1..=3).contains(&rank) && rank <= x.rank(), || {
            format!("`fft` goes over one to three axes that the operand has; got {rank} lengths and {x}")
        })?;
        let real = self.kind == FftKind::Rfft;
        let takes = if real { "f32 and f64 for rfft" } else { "complex numbers" };
        let ok = if real { matches!(x.dtype, DType::F32 | DType::F64) } else { x.dtype.is_complex() };
        check::dtype("fft", x.dtype, takes, ok)?;
        let outer = &x.shape[..x.rank() - rank];
        let whole = Shape::from([outer, &self.lengths].concat());
        let n = *self.lengths.last().expect("at least one");
        let mut half = whole.clone();
        // An array without elements has a spectrum without elements.
        *half.0.last_mut().expect("at least one") = if n == 0 { 0 } else { n / 2 + 1 };
        let (from, to) = match self.kind {
            FftKind::Fft | FftKind::Ifft => (&whole, whole.clone()),
            FftKind::Rfft => (&whole, half),
            FftKind::Irfft => (&half, whole.clone()),
        };
        check::that(x.shape == *from, || {
            format!(
                "`fft` of kind {} and lengths {} takes the shape {from}, and got {x}",
                self.kind.as_str(),
                Shape(self.lengths.clone())
            )
        })?;
        let dtype = match self.kind {
            FftKind::Rfft => x.dtype.complex().expect("checked above"),
            FftKind::Irfft => x.dtype.real(),
            _ => x.dtype,
        };
        Ok(vec![Type::new(dtype, to)])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (Operand::Linear(ty), Some(ct)) = (&x[0], ct[0]) else { return Ok(vec![None]) };
        let n: f64 = self.lengths.iter().map(|&n| n as f64).product();
        let other = |kind| Fft { kind, lengths: self.lengths.clone() };
        Ok(vec![Some(match self.kind {
            // The matrices are symmetric.
            _ if ty.shape.size() == 0 || n == 0.0 => b.zeros(ty),
            FftKind::Fft | FftKind::Ifft => b.one(self.clone(), &[ct]),
            FftKind::Rfft => {
                let half = b.ty(ct).clone();
                let m = self.multiplicity(b, &half);
                let c = b.unary(Unary::Conj, ct);
                let c = b.div(c, m);
                let y = b.one(other(FftKind::Irfft), &[c]);
                b.scale(y, n)
            }
            FftKind::Irfft => {
                let y = b.one(other(FftKind::Rfft), &[ct]);
                let m = self.multiplicity(b, ty);
                let y = b.mul(y, m);
                let y = b.scale(y, 1.0 / n);
                b.unary(Unary::Conj, y)
            }
        })])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        Ok(vec![Batched::yes(b.one(self.clone(), &[x[0].var]))])
    }
}
