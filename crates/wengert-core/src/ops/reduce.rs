//! Reductions: what combines two elements, and an array reduced over some axes.

use super::check;
use super::{Binary, Concatenate, Direction, Slice};
use crate::attr::{Attr, ProgramMap};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::host::{Scalar, Tensor};
use crate::op::{Linearity, Rules};
use crate::program::{Program, Var};
use crate::text::{Parser, Printer};
use crate::transform::{Batched, Batcher, Mode, Operand, differentiate};
use crate::types::{DType, Dims, Shape, Type};
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

    /// Combines arrays of one shape element by element.
    fn combine(&self, b: &mut Builder, x: &[Var], y: &[Var]) -> Result<Vec<Var>> {
        let Combiner::Program(program) = self else {
            return Ok(vec![b.binary(self.binary().expect("named"), x[0], y[0])]);
        };
        let shape = b.shape(x[0]).clone();
        let flat: Shape = [shape.size()].into();
        let args: Vec<Batched> = x.iter().chain(y).map(|&v| Batched::yes(b.reshape(v, &flat))).collect();
        let mut batcher = Batcher::new(b, shape.size(), None);
        let out = batcher.batch_inline(program, &args)?;
        let out = batcher.broadcast_together(&out);
        Ok(out.iter().map(|&v| b.reshape(v, &shape)).collect())
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

impl Reduce {
    /// The same reduction as a program without it: neighbours are combined pair by pair until one is left. What holds
    /// for the combiner holds for this: it has a derivative, and starting values may depend on a batch.
    fn tree(&self, x: &[Type]) -> Result<Program> {
        let mut b = Builder::new();
        let args = b.inputs(x);
        let (arrays, starts) = args.split_at(x.len().div_ceil(2));
        let shape = x[0].shape.without_axes(&self.dims);
        let each = shape.size();
        let mut count: usize = self.dims.iter().map(|&d| x[0].shape[d]).product();
        // A row for each index of the reduced axes, in their order in the array.
        let mut order: Dims = (0..x[0].rank()).collect();
        order.sort_by_key(|d| (!self.dims.contains(d), *d));
        let mut rows: Vec<Var> = Vec::new();
        for &v in arrays {
            let v = b.transpose(v, &order);
            rows.push(b.reshape(v, &[count, each].into()));
        }
        let slice = |b: &mut Builder, rows: &[Var], start: usize, limit: usize, stride: usize| -> Vec<Var> {
            let [start, limit, strides] = [[start, 0], [limit, each], [stride, 1]].map(|d| d.as_slice().into());
            let op = Slice { start, limit, strides };
            rows.iter().map(|&v| b.one(op.clone(), &[v])).collect()
        };
        while count > 1 {
            let even = count / 2 * 2;
            let (left, right) = (slice(&mut b, &rows, 0, even, 2), slice(&mut b, &rows, 1, even, 2));
            let odd = slice(&mut b, &rows, even, count, 1);
            rows = self.combiner.combine(&mut b, &left, &right)?;
            if even < count {
                rows = rows.iter().zip(odd).map(|(&v, odd)| b.one(Concatenate { dim: 0 }, &[v, odd])).collect();
            }
            count = count.div_ceil(2);
        }
        let row: Shape = [1, each].into();
        let first: Vec<Var> = match self.combiner.identity(x[0].dtype) {
            Some(identity) => vec![b.constant(Tensor::splat(row, identity))],
            None => starts.iter().map(|&v| b.broadcast(v, &row, &[])).collect(),
        };
        let all = if count == 0 { first } else { self.combiner.combine(&mut b, &first, &rows)? };
        let outputs: Vec<Var> = all.iter().map(|&v| b.reshape(v, &shape)).collect();
        Ok(b.finish(&outputs))
    }
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
            _ => {
                let types: Vec<Type> = x.iter().map(|&v| b.ty(v).clone()).collect();
                Ok(differentiate(b, Mode::Linearize, &self.tree(&types)?, x, t)?.tangents)
            }
        }
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (Operand::Linear(ty), Some(ct)) = (&x[0], ct[0]) else { return Ok(vec![None]) };
        let kept: Dims = (0..ty.rank()).filter(|d| !self.dims.contains(d)).collect();
        Ok(vec![Some(b.broadcast(ct, &ty.shape, &kept))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let n = x.len().div_ceil(2);
        if x[n..].iter().any(|x| x.batched) {
            let types: Vec<Type> = x.iter().map(|x| b.inner_type(*x)).collect();
            return b.batch_inline(&self.tree(&types)?, x);
        }
        let op = Reduce { combiner: self.combiner.clone(), dims: self.dims.iter().map(|d| d + 1).collect() };
        let mut v = b.broadcast_together(&x[..n]);
        v.extend(x[n..].iter().map(|x| x.var));
        Ok(b.push(op, &v).iter().map(|&v| Batched::yes(v)).collect())
    }
}
