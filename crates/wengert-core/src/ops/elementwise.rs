//! Elementwise ops of two and three operands: arithmetic, comparison, selection, conversion.

use super::Unary;
use super::check;
use crate::builder::Builder;
use crate::error::{Error, Result};
use crate::op::{Linearity, Rules, no_rule};
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{DType, Dims, Type};
use crate::{attributes, named_attr, named_ops, names};
use Binary::*;

names! {
    /// An elementwise op of two operands of one type.
    #[allow(missing_docs)]
    pub enum Binary {
        Add = "add",
        Sub = "sub",
        Mul = "mul",
        Div = "div",
        /// The remainder, with the sign of the dividend.
        Rem = "rem",
        Pow = "pow",
        Max = "max",
        Min = "min",
        Atan2 = "atan2",
        And = "and",
        Or = "or",
        Xor = "xor",
        Shl = "shift_left",
        /// Right shift that copies the sign bit in.
        ShrArithmetic = "shift_right_arithmetic",
        /// Right shift that brings zeros in.
        ShrLogical = "shift_right_logical",
        /// A complex number from its parts.
        Complex = "complex",
        /// The next float after the first operand in the direction of the second.
        Nextafter = "nextafter",
        /// The derivative of order `n` (first operand) of `digamma`.
        Polygamma = "polygamma",
    }
}
named_ops!(Binary);

impl Binary {
    /// The element type of the result.
    pub fn result(self, d: DType) -> Result<DType> {
        let (takes, ok) = match self {
            Add | Mul | Max | Min => ("any type", true),
            Sub | Div | Pow => ("numbers", d != DType::Bool),
            Rem => ("integers and floats", d != DType::Bool && !d.is_complex()),
            Atan2 => ("floats and complex numbers", d.is_differentiable()),
            And | Or | Xor => ("bool and integers", d == DType::Bool || d.is_integer()),
            Shl | ShrArithmetic | ShrLogical => ("integers", d.is_integer()),
            Complex => ("f32 and f64", d.is_float() && d.complex().is_some()),
            Nextafter | Polygamma => ("floats", d.is_float()),
        };
        check::dtype(self.as_str(), d, takes, ok)?;
        Ok(if self == Complex { d.complex().expect("checked above") } else { d })
    }
}

impl Rules for Binary {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [a, _] = check::operands(self.as_str(), x)?;
        check::same_types(self.as_str(), x)?;
        Ok(vec![a.with_dtype(self.result(a.dtype)?)])
    }

    fn elementwise(&self) -> bool {
        true
    }

    fn linearity(&self) -> Linearity {
        match self {
            Add | Sub | Complex => Linearity::Jointly(|_| true),
            Mul => Linearity::Each(|_| true),
            _ => Linearity::None,
        }
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (p, q, y) = (x[0], x[1], y[0]);
        let term = |b: &mut Builder, t: Option<Var>, f: &dyn Fn(&mut Builder, Var) -> Var| t.map(|t| f(b, t));
        let (l, r) = match self {
            // One zero tangent needs no equation.
            Add => return Ok(vec![b.add_some(t[0], t[1])]),
            Sub => match (t[0], t[1]) {
                (Some(u), Some(v)) => return Ok(vec![Some(b.sub(u, v))]),
                (u, v) => (u, v.map(|v| b.neg(v))),
            },
            Complex | Mul => {
                return crate::transform::linear_tangents((*self).into(), self.linearity(), b, x, t);
            }
            Div => (
                term(b, t[0], &|b, t| b.div(t, q)),
                term(b, t[1], &|b, t| {
                    // -(p/q)/q · t
                    let d = b.div(y, q);
                    let d = b.neg(d);
                    b.mul(t, d)
                }),
            ),
            Rem => (
                t[0],
                term(b, t[1], &|b, t| {
                    // p rem q = p - q·trunc(p/q)
                    let ratio = b.div(p, q);
                    let sign = b.unary(Unary::Sign, ratio);
                    let whole = b.unary(Unary::Abs, ratio);
                    let whole = b.unary(Unary::Floor, whole);
                    let n = b.mul(sign, whole);
                    let n = b.neg(n);
                    b.mul(t, n)
                }),
            ),
            Pow => (
                term(b, t[0], &|b, t| {
                    // q · p^(q-1), and exactly zero where q is zero.
                    let zero = b.full_like(q, 0.0);
                    let flat = b.compare(Direction::Eq, q, zero);
                    let one = b.full_like(q, 1.0);
                    let less = b.sub(q, one);
                    let exponent = b.select(flat, one, less);
                    let power = b.binary(Pow, p, exponent);
                    let d = b.mul(q, power);
                    b.mul(t, d)
                }),
                term(b, t[1], &|b, t| {
                    // log(p) · p^q, with 0·log 0 taken as zero.
                    let zero = b.full_like(p, 0.0);
                    let at_zero = b.compare(Direction::Eq, p, zero);
                    let one = b.full_like(p, 1.0);
                    let safe = b.select(at_zero, one, p);
                    let log = b.unary(Unary::Log, safe);
                    let d = b.mul(log, y);
                    b.mul(t, d)
                }),
            ),
            Max | Min => {
                // Which operand the result is, by equality: complex numbers have no other comparison. Ties share.
                let side = |b: &mut Builder, here: Var, other: Var| {
                    let wins = b.compare(Direction::Eq, here, y);
                    let ties = b.compare(Direction::Eq, here, other);
                    let [one, half, zero] = [1.0, 0.5, 0.0].map(|c| b.full_like(here, c));
                    let share = b.select(ties, half, one);
                    b.select(wins, share, zero)
                };
                (
                    term(b, t[0], &|b, t| {
                        let d = side(b, p, q);
                        b.mul(t, d)
                    }),
                    term(b, t[1], &|b, t| {
                        let d = side(b, q, p);
                        b.mul(t, d)
                    }),
                )
            }
            Atan2 => {
                let norm = |b: &mut Builder| {
                    let (p2, q2) = (b.mul(p, p), b.mul(q, q));
                    b.add(p2, q2)
                };
                (
                    term(b, t[0], &|b, t| {
                        let n = norm(b);
                        let d = b.div(q, n);
                        b.mul(t, d)
                    }),
                    term(b, t[1], &|b, t| {
                        let n = norm(b);
                        let d = b.div(p, n);
                        let d = b.neg(d);
                        b.mul(t, d)
                    }),
                )
            }
            Polygamma => {
                if t[0].is_some() {
                    return Err(no_rule("polygamma", "differentiated", "it has no derivative in its order"));
                }
                (
                    None,
                    term(b, t[1], &|b, t| {
                        let n = b.offset(p, 1.0);
                        let d = b.binary(Polygamma, n, q);
                        b.mul(t, d)
                    }),
                )
            }
            And | Or | Xor | Shl | ShrArithmetic | ShrLogical | Nextafter => {
                return Err(no_rule(self.as_str(), "differentiated", "it has no derivative"));
            }
        };
        Ok(vec![b.add_some(l, r)])
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some(ct) = ct[0] else { return Ok(vec![None, None]) };
        let lin = [x[0].is_linear(), x[1].is_linear()];
        Ok(match self {
            Add => vec![lin[0].then_some(ct), lin[1].then_some(ct)],
            Sub => vec![lin[0].then_some(ct), lin[1].then(|| b.neg(ct))],
            Mul if lin[0] => vec![Some(b.mul(ct, x[1].known())), None],
            Mul => vec![None, Some(b.mul(x[0].known(), ct))],
            Div if !lin[1] => vec![Some(b.div(ct, x[1].known())), None],
            Complex => {
                let im = b.unary(Unary::Imag, ct);
                vec![lin[0].then(|| b.unary(Unary::Real, ct)), lin[1].then(|| b.neg(im))]
            }
            _ => return Err(no_rule(self.as_str(), "transposed", "it is not linear")),
        })
    }
}

names! {
    /// A comparison.
    #[allow(missing_docs)]
    pub enum Direction { Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge" }
}
named_attr!(Direction);

attributes! {
    /// Elementwise comparison, to `bool`. Comparisons with NaN are false, but for `ne`.
    "compare" => pub struct Compare {
        /// Which comparison.
        pub direction: Direction,
    }
}

impl Rules for Compare {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [a, _] = check::operands("compare", x)?;
        check::same_types("compare", x)?;
        let ordered = !matches!(self.direction, Direction::Eq | Direction::Ne);
        check::dtype("compare", a.dtype, "complex numbers only for equality", !(ordered && a.dtype.is_complex()))?;
        Ok(vec![a.with_dtype(DType::Bool)])
    }
    fn elementwise(&self) -> bool {
        true
    }
}

attributes! {
    /// `select(pred, on_true, on_false)`: the predicate is a scalar or has the shape of both.
    "select" => pub struct Select {}
}

impl Rules for Select {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [p, a, _] = check::operands("select", x)?;
        check::dtype("select", p.dtype, "a predicate of bool", p.dtype == DType::Bool)?;
        check::same_types("select", &x[1..])?;
        check::that(p.rank() == 0 || p.shape == a.shape, || {
            format!("`select` needs a predicate that is a scalar or has the shape {}, and got {p}", a.shape)
        })?;
        Ok(vec![a.clone()])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|i| i > 0)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some(ct) = ct[0] else { return Ok(vec![None; 3]) };
        let p = x[0].known();
        let zero = b.full_like(ct, 0.0);
        Ok(vec![None, x[1].is_linear().then(|| b.select(p, ct, zero)), x[2].is_linear().then(|| b.select(p, zero, ct))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let scalar = b.shape(x[0].var).rank() == x[0].batched as usize;
        if scalar && !x[0].batched {
            let (t, f) = (b.materialize(x[1]), b.materialize(x[2]));
            return Ok(vec![Batched::yes(b.select(x[0].var, t, f))]);
        }
        let v = b.broadcast_together(&x[1..]);
        let shape = b.shape(v[0]).clone();
        let p = b.materialize(x[0]);
        // A scalar predicate over the batch is spread over the other axes.
        let dims: Dims = (0..b.shape(p).rank()).collect();
        let p = b.broadcast(p, &shape, &dims);
        Ok(vec![Batched::yes(b.select(p, v[0], v[1]))])
    }
}

attributes! {
    /// `clamp(min, x, max)`: `x` where it lies between, else the bound it passed. Bounds are scalars or have its shape.
    "clamp" => pub struct Clamp {}
}

impl Rules for Clamp {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [min, x, max] = check::operands("clamp", x)?;
        check::same_dtypes("clamp", &[min.clone(), x.clone(), max.clone()])?;
        check::dtype("clamp", x.dtype, "types with an order", !x.dtype.is_complex())?;
        for bound in [min, max] {
            check::that(bound.rank() == 0 || bound.shape == x.shape, || {
                format!("`clamp` needs bounds that are scalars or have the shape {}, and got {bound}", x.shape)
            })?;
        }
        Ok(vec![x.clone()])
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], _: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let shape = b.shape(x[1]).clone();
        let spread = |b: &mut Builder, v: Var| if b.shape(v).rank() == 0 { b.broadcast(v, &shape, &[]) } else { v };
        let [min, v, max] = [x[0], x[1], x[2]].map(|x| spread(b, x));
        // Where each operand is the result; at a tie, none of them moves it.
        let mut sum = None;
        for (i, t) in t.iter().enumerate() {
            let Some(t) = *t else { continue };
            let here = match i {
                0 => [b.compare(Direction::Gt, min, v), b.compare(Direction::Lt, min, max)],
                1 => [b.compare(Direction::Gt, v, min), b.compare(Direction::Lt, v, max)],
                _ => [b.compare(Direction::Lt, max, v); 2],
            };
            let here = b.binary(And, here[0], here[1]);
            let t = spread(b, t);
            let zero = b.full_like(t, 0.0);
            let term = b.select(here, t, zero);
            sum = b.add_some(sum, Some(term));
        }
        Ok(vec![sum])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let v = b.materialize(x[1]);
        let shape = b.shape(v).clone();
        let bound = |b: &mut Batcher<'_>, x: Batched| {
            if !x.batched && b.shape(x.var).rank() == 0 {
                return x.var;
            }
            // A scalar bound over the batch is spread over the other axes.
            let x = b.materialize(x);
            let dims: Dims = (0..b.shape(x).rank()).collect();
            b.broadcast(x, &shape, &dims)
        };
        let (min, max) = (bound(b, x[0]), bound(b, x[2]));
        Ok(vec![Batched::yes(b.one(Clamp {}, &[min, v, max]))])
    }
}

attributes! {
    /// `mul_add(x, y, z)`: `x·y + z`, rounded once.
    "mul_add" => pub struct MulAdd {}
}

impl Rules for MulAdd {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [a, ..] = check::operands::<3>("mul_add", x)?;
        check::same_types("mul_add", x)?;
        check::dtype("mul_add", a.dtype, "f32 and f64", matches!(a.dtype, DType::F32 | DType::F64))?;
        Ok(vec![a.clone()])
    }

    fn elementwise(&self) -> bool {
        true
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], _: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let left = t[0].map(|t| b.mul(t, x[1]));
        let right = t[1].map(|t| b.mul(x[0], t));
        let product = b.add_some(left, right);
        Ok(vec![b.add_some(product, t[2])])
    }
}

attributes! {
    /// Another element type. Floats go to integers by truncation, complex numbers to real ones by their real part.
    "convert" => pub struct Convert {
        /// The element type of the result.
        pub dtype: DType,
    }
}

impl Rules for Convert {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("convert", x)?;
        Ok(vec![x.with_dtype(self.dtype)])
    }
    fn elementwise(&self) -> bool {
        true
    }
    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }
    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (Operand::Linear(ty), Some(ct)) = (&x[0], ct[0]) else { return Ok(vec![None]) };
        if !ty.dtype.is_differentiable() {
            return Err(Error::malformed("a tangent can't be an integer"));
        }
        Ok(vec![Some(b.convert(ct, ty.dtype))])
    }
}
