//! Reductions: what combines two elements, and an array reduced over some axes.

use super::check;
use super::{Binary, Direction};
use crate::attr::{Attr, ProgramMap};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules, no_rule};
use crate::program::{Program, Var};
use crate::tensor::Scalar;
use crate::text::{Parser, Printer};
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{DType, Dims, Type};
use num_complex::Complex;
use std::sync::Arc;

/// What combines two elements. The named ones start from their identity; a program starts from given values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Combiner {
    Add,
    Mul,
    Max,
    Min,
    And,
    Or,
    Xor,
    /// Any computation on scalars: `2n` inputs (the values so far, then the next ones), `n` outputs.
    Program(Arc<Program>),
}

impl Combiner {
    const NAMED: [(Combiner, Binary); 7] = [
        (Combiner::Add, Binary::Add),
        (Combiner::Mul, Binary::Mul),
        (Combiner::Max, Binary::Max),
        (Combiner::Min, Binary::Min),
        (Combiner::And, Binary::And),
        (Combiner::Or, Binary::Or),
        (Combiner::Xor, Binary::Xor),
    ];

    /// The elementwise op that combines two arrays, for the named ones.
    pub fn binary(&self) -> Option<Binary> {
        Combiner::NAMED.iter().find(|(c, _)| c == self).map(|(_, b)| *b)
    }

    /// The named combiner of an elementwise op.
    pub fn from_binary(op: Binary) -> Option<Combiner> {
        Combiner::NAMED.iter().find(|(_, b)| *b == op).map(|(c, _)| c.clone())
    }

    /// The value that changes nothing, for the named ones.
    pub fn identity(&self, d: DType) -> Option<Scalar> {
        let float = |x: f64| {
            Scalar::from_complex(d, Complex::new(x, if d.is_complex() && x != 0.0 && x != 1.0 { x } else { 0.0 }))
        };
        Some(match self {
            Combiner::Add | Combiner::Or | Combiner::Xor => Scalar::from_i64(d, 0),
            Combiner::Mul => Scalar::from_i64(d, 1),
            Combiner::And if d == DType::Bool => Scalar::Bool(true),
            Combiner::And => Scalar::from_i64(d, -1),
            Combiner::Max if d.is_differentiable() => float(f64::NEG_INFINITY),
            Combiner::Min if d.is_differentiable() => float(f64::INFINITY),
            Combiner::Max | Combiner::Min => {
                let bits = d.bits() as u32;
                let top = (1i128 << (bits - d.is_signed() as u32)) - 1;
                let low = if d.is_signed() { -top - 1 } else { 0 };
                // Through i64, wrapping: the bits of u64::MAX are those of -1.
                Scalar::from_i64(d, if *self == Combiner::Max { low } else { top } as i64)
            }
            Combiner::Program(_) => return None,
        })
    }
}

impl Attr for Combiner {
    fn print(&self, p: &mut Printer) {
        match self {
            Combiner::Program(program) => p.program(program),
            named => p.word(named.binary().expect("named").as_str()),
        }
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        let at = p.position();
        if p.next_is("program") {
            return Ok(Combiner::Program(Attr::parse(p)?));
        }
        let word = p.ident()?;
        Binary::from_name(word)
            .and_then(Combiner::from_binary)
            .ok_or_else(|| p.error_at(at, format!("`{word}` does not combine two elements")))
    }
    fn programs<'a>(&'a self, out: &mut Vec<&'a Arc<Program>>) {
        if let Combiner::Program(p) = self {
            out.push(p);
        }
    }
    fn map_programs(&self, f: ProgramMap<'_>) -> Self {
        match self {
            Combiner::Program(p) => Combiner::Program(f(p)),
            named => named.clone(),
        }
    }
}

attributes! {
    /// Combines all elements along some axes, which disappear. A named combiner takes one operand; a program takes `n`
    /// operands, then `n` scalars to start from.
    "reduce" => pub struct Reduce {
        /// What combines two elements.
        pub combiner: Combiner,
        /// The axes reduced over.
        pub dims: Dims,
    }
}

/// Checks that `x` is `n` arrays, then the `n` scalars a combining program starts from; gives `n`.
pub(super) fn combined_operands(op: &str, combiner: &Combiner, x: &[Type]) -> Result<usize> {
    let Combiner::Program(program) = combiner else {
        let [x] = check::operands(op, x)?;
        combiner.binary().expect("named").result(x.dtype)?;
        return Ok(1);
    };
    let n = x.len() / 2;
    check::that(n > 0 && x.len() == 2 * n, || {
        format!("`{op}` with a program takes as many starting values as arrays, and got {} operands", x.len())
    })?;
    let scalars = combining_program(op, program, &x[..n])?;
    check::that(x[n..] == scalars, || {
        format!("`{op}` starts from scalars of types {}, and got {}", check::list(&scalars), check::list(&x[n..]))
    })?;
    check::that(x[..n].windows(2).all(|w| w[0].shape == w[1].shape), || {
        format!("`{op}` needs arrays of one shape, and got {}", check::list(&x[..n]))
    })?;
    Ok(n)
}

/// Checks that a program combines elements of these arrays; gives the types of one element each.
pub(super) fn combining_program(op: &str, program: &Program, x: &[Type]) -> Result<Vec<Type>> {
    let scalars: Vec<Type> = x.iter().map(|t| Type::scalar(t.dtype)).collect();
    let twice = [scalars.clone(), scalars.clone()].concat();
    check::that(program.input_types() == twice && program.output_types() == scalars, || {
        format!("`{op}`: the combining program must take {} and give {}", check::list(&twice), check::list(&scalars))
    })?;
    Ok(scalars)
}

impl Rules for Reduce {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let n = combined_operands("reduce", &self.combiner, x)?;
        check::axes("reduce", "axis", &self.dims, x[0].rank())?;
        Ok(x[..n].iter().map(|t| t.with_shape(t.shape.without_axes(&self.dims))).collect())
    }

    fn linearity(&self) -> Linearity {
        match self.combiner {
            Combiner::Add => Linearity::Jointly(|_| true),
            _ => Linearity::None,
        }
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        match self.combiner {
            Combiner::Max | Combiner::Min => {
                // The mean of the tangents at the places that hold the extreme.
                let (x, t) = (x[0], t[0].expect("called with a tangent"));
                let kept: Dims = (0..b.shape(x).rank()).filter(|d| !self.dims.contains(d)).collect();
                let shape = b.shape(x).clone();
                let spread = b.broadcast(y[0], &shape, &kept);
                let here = b.compare(Direction::Eq, x, spread);
                let dtype = b.dtype(x);
                let here = b.convert(here, dtype);
                let count = b.sum(here, &self.dims);
                let moved = b.mul(t, here);
                let moved = b.sum(moved, &self.dims);
                Ok(vec![Some(b.div(moved, count))])
            }
            Combiner::Add => crate::transform::linear_tangents(self.clone().into(), self.linearity(), b, x, t),
            _ => Err(no_rule("reduce", "differentiated", "its combiner has no derivative rule")),
        }
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (Operand::Linear(ty), Some(ct)) = (&x[0], ct[0]) else { return Ok(vec![None]) };
        let kept: Dims = (0..ty.rank()).filter(|d| !self.dims.contains(d)).collect();
        Ok(vec![Some(b.broadcast(ct, &ty.shape, &kept))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let op = Reduce { combiner: self.combiner.clone(), dims: self.dims.iter().map(|d| d + 1).collect() };
        if matches!(self.combiner, Combiner::Program(_)) && x[x.len() / 2..].iter().any(|x| x.batched) {
            return Err(no_rule("reduce", "batched", "its starting values depend on the batch"));
        }
        let n = x.len().div_ceil(2);
        let mut v = b.broadcast_together(&x[..n]);
        v.extend(x[n..].iter().map(|x| x.var));
        Ok(b.push(op, &v).iter().map(|&v| Batched::yes(v)).collect())
    }
}
