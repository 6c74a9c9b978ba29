//! Elementwise ops of one operand. Each states its element types and its derivative; the family gives the rest.

use super::check;
use super::{Binary, Direction};
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules, no_rule};
use crate::program::Var;
use crate::transform::Operand;
use crate::types::{DType, Type};
use crate::{named_ops, names};
use Unary::*;

names! {
    /// An elementwise op of one operand.
    #[allow(missing_docs)]
    pub enum Unary {
        Abs = "abs",
        Sign = "sign",
        Neg = "neg",
        Exp = "exp",
        Expm1 = "expm1",
        Log = "log",
        Log1p = "log1p",
        Logistic = "logistic",
        Tanh = "tanh",
        Sin = "sin",
        Cos = "cos",
        Tan = "tan",
        Asin = "asin",
        Acos = "acos",
        Atan = "atan",
        Sinh = "sinh",
        Cosh = "cosh",
        Asinh = "asinh",
        Acosh = "acosh",
        Atanh = "atanh",
        Sqrt = "sqrt",
        Rsqrt = "rsqrt",
        Cbrt = "cbrt",
        Floor = "floor",
        Ceil = "ceil",
        /// To the nearest integer, halves away from zero.
        Round = "round",
        /// To the nearest integer, halves to the even one.
        RoundEven = "round_even",
        IsFinite = "is_finite",
        /// Logical on `bool`, bitwise on integers.
        Not = "not",
        /// The number of bits set.
        Popcnt = "popcnt",
        /// The number of leading zero bits.
        Clz = "clz",
        Erf = "erf",
        Erfc = "erfc",
        ErfInv = "erf_inv",
        Lgamma = "lgamma",
        Digamma = "digamma",
        /// The exponentially scaled modified Bessel function of order 0.
        BesselI0e = "bessel_i0e",
        /// The exponentially scaled modified Bessel function of order 1.
        BesselI1e = "bessel_i1e",
        Real = "real",
        Imag = "imag",
        Conj = "conj",
    }
}
named_ops!(Unary);

impl Unary {
    /// The element type of the result.
    pub fn result(self, d: DType) -> Result<DType> {
        let (takes, ok) = match self {
            Abs => ("signed integers, floats and complex numbers", d.is_signed() || d.is_differentiable()),
            Sign | Neg => ("numbers", d != DType::Bool),
            Exp | Expm1 | Log | Log1p | Logistic | Tanh | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
            | Asinh | Acosh | Atanh | Sqrt | Rsqrt => ("floats and complex numbers", d.is_differentiable()),
            Cbrt | Floor | Ceil | Round | RoundEven | IsFinite | Erf | Erfc | ErfInv | Lgamma | Digamma | BesselI0e
            | BesselI1e => ("floats", d.is_float()),
            Not => ("bool and integers", d == DType::Bool || d.is_integer()),
            Popcnt | Clz => ("integers", d.is_integer()),
            Real | Imag => ("floats and complex numbers", d.is_differentiable()),
            Conj => ("complex numbers", d.is_complex()),
        };
        check::dtype(self.as_str(), d, takes, ok)?;
        Ok(match self {
            IsFinite => DType::Bool,
            Abs | Real | Imag => d.real(),
            _ => d,
        })
    }

    /// The derivative at `x`, where the result is `y`, for ops with `y' = derivative · x'`.
    fn derivative(self, b: &mut Builder, x: Var, y: Var) -> Result<Var> {
        let square = |b: &mut Builder, v: Var| b.mul(v, v);
        Ok(match self {
            Exp => y,
            Expm1 => b.offset(y, 1.0),
            Log => {
                let one = b.full_like(x, 1.0);
                b.div(one, x)
            }
            Log1p => {
                let one = b.full_like(x, 1.0);
                let d = b.add(x, one);
                b.div(one, d)
            }
            Logistic => {
                // y(1-y) loses everything for large x; y·logistic(-x) does not.
                let n = b.neg(x);
                let other = b.unary(Logistic, n);
                b.mul(y, other)
            }
            Tanh => {
                let one = b.full_like(y, 1.0);
                let y2 = square(b, y);
                b.sub(one, y2)
            }
            Sin => b.unary(Cos, x),
            Cos => {
                let s = b.unary(Sin, x);
                b.neg(s)
            }
            Tan => {
                let y2 = square(b, y);
                b.offset(y2, 1.0)
            }
            Asin | Acos => {
                let one = b.full_like(x, 1.0);
                let x2 = square(b, x);
                let r = b.sub(one, x2);
                let d = b.unary(Rsqrt, r);
                if self == Acos { b.neg(d) } else { d }
            }
            Atan => {
                let one = b.full_like(x, 1.0);
                let x2 = square(b, x);
                let r = b.add(x2, one);
                b.div(one, r)
            }
            Sinh => b.unary(Cosh, x),
            Cosh => b.unary(Sinh, x),
            Asinh => {
                let x2 = square(b, x);
                let r = b.offset(x2, 1.0);
                b.unary(Rsqrt, r)
            }
            Acosh => {
                // Two square roots keep the branch of complex arguments.
                let m = b.offset(x, -1.0);
                let p = b.offset(x, 1.0);
                let (m, p) = (b.unary(Rsqrt, m), b.unary(Rsqrt, p));
                b.mul(m, p)
            }
            Atanh => {
                let one = b.full_like(x, 1.0);
                let x2 = square(b, x);
                let r = b.sub(one, x2);
                b.div(one, r)
            }
            Sqrt => {
                let half = b.full_like(y, 0.5);
                b.div(half, y)
            }
            Rsqrt => {
                let d = b.div(y, x);
                b.scale(d, -0.5)
            }
            Cbrt => {
                let y2 = square(b, y);
                let third = b.full_like(y, 1.0 / 3.0);
                b.div(third, y2)
            }
            Erf | Erfc => {
                let x2 = square(b, x);
                let e = b.neg(x2);
                let e = b.unary(Exp, e);
                let c = std::f64::consts::FRAC_2_SQRT_PI;
                b.scale(e, if self == Erf { c } else { -c })
            }
            ErfInv => {
                let y2 = square(b, y);
                let e = b.unary(Exp, y2);
                b.scale(e, 1.0 / std::f64::consts::FRAC_2_SQRT_PI)
            }
            Lgamma => b.unary(Digamma, x),
            Digamma => {
                let one = b.full_like(x, 1.0);
                b.binary(Binary::Polygamma, one, x)
            }
            BesselI0e => {
                // i0e' = i1e - sign(x) i0e
                let i1 = b.unary(BesselI1e, x);
                let s = b.unary(Sign, x);
                let sy = b.mul(s, y);
                b.sub(i1, sy)
            }
            BesselI1e => {
                // i1e' = i0e - i1e (sign(x) + 1/x), and 1/2 at 0.
                let zero = b.full_like(x, 0.0);
                let at_zero = b.compare(Direction::Eq, x, zero);
                let one = b.full_like(x, 1.0);
                let safe = b.select(at_zero, one, x);
                let i0 = b.unary(BesselI0e, safe);
                let s = b.unary(Sign, safe);
                let r = b.div(one, safe);
                let f = b.add(s, r);
                let i1 = b.unary(BesselI1e, safe);
                let f = b.mul(i1, f);
                let d = b.sub(i0, f);
                let half = b.full_like(x, 0.5);
                b.select(at_zero, half, d)
            }
            Abs | Sign | Neg | Floor | Ceil | Round | RoundEven | IsFinite | Not | Popcnt | Clz | Real | Imag
            | Conj => {
                return Err(no_rule(self.as_str(), "differentiated", "it has no derivative"));
            }
        })
    }
}

impl Rules for Unary {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands(self.as_str(), x)?;
        Ok(vec![x.with_dtype(self.result(x.dtype)?)])
    }

    fn elementwise(&self) -> bool {
        true
    }

    fn linearity(&self) -> Linearity {
        match self {
            Neg | Real | Imag | Conj => Linearity::Jointly(|_| true),
            _ => Linearity::None,
        }
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some(t0) = t[0] else { return Ok(vec![None]) };
        let (x, y) = (x[0], y[0]);
        Ok(vec![match self {
            Neg | Real | Imag | Conj => {
                return crate::transform::linear_tangents((*self).into(), self.linearity(), b, &[x], t);
            }
            // Constant but for jumps.
            Floor | Ceil | Round | RoundEven => None,
            Sign if !b.dtype(x).is_complex() => None,
            Sign => {
                // x/|x| turns, and does not grow: y' = i y Im(conj(y) x') / |x|.
                let yc = b.unary(Conj, y);
                let p = b.mul(yc, t0);
                let im = b.unary(Imag, p);
                let r = b.unary(Abs, x);
                let turn = b.div(im, r);
                let zero = b.full_like(turn, 0.0);
                let i = b.binary(Binary::Complex, zero, turn);
                Some(b.mul(i, y))
            }
            Abs if b.dtype(x).is_complex() => {
                // Re(conj(x/|x|) x'), zero at zero.
                let s = b.unary(Sign, x);
                let s = b.unary(Conj, s);
                let p = b.mul(s, t0);
                Some(b.unary(Real, p))
            }
            // One at zero, as JAX has it.
            Abs => {
                let [zero, one, minus] = [0.0, 1.0, -1.0].map(|v| b.full_like(x, v));
                let rises = b.compare(Direction::Ge, x, zero);
                let s = b.select(rises, one, minus);
                Some(b.mul(t0, s))
            }
            op => {
                let d = op.derivative(b, x, y)?;
                Some(b.mul(t0, d))
            }
        }])
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (Operand::Linear(ty), Some(ct)) = (&x[0], ct[0]) else { return Ok(vec![None]) };
        let zero = |b: &mut Builder| b.full_like(ct, 0.0);
        // The pairing is Re(a·b), without conjugation: that of `imag` is with -i.
        Ok(vec![match self {
            Neg => Some(b.neg(ct)),
            Conj => Some(b.unary(Conj, ct)),
            Real if !ty.dtype.is_complex() => Some(ct),
            Imag if !ty.dtype.is_complex() => None,
            Real => {
                let z = zero(b);
                Some(b.binary(Binary::Complex, ct, z))
            }
            Imag => {
                let z = zero(b);
                let n = b.neg(ct);
                Some(b.binary(Binary::Complex, z, n))
            }
            _ => return Err(no_rule(self.as_str(), "transposed", "it is not linear")),
        }])
    }
}
