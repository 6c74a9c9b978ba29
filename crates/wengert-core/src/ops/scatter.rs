//! Scatter: an array with some of its windows combined with updates, at places given by an array of indices.

use super::check;
use super::gather::{Gather, Indexing};
use super::reduce::combining_program;
use super::{Combiner, Direction};
use crate::attr::{Attr, ProgramMap};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules, no_rule};
use crate::program::{Program, Var};
use crate::text::{Parser, Printer};
use crate::transform::{Batched, Batcher, Operand, linear_tangents};
use crate::types::{DType, Dims, Type};
use std::sync::Arc;

/// What an update does to the element it meets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// It takes its place. Of several updates to one element the one with the last index stays.
    Set,
    /// It is combined with it.
    Combine(Combiner),
}

impl Attr for Update {
    fn print(&self, p: &mut Printer) {
        match self {
            Update::Set => p.word("set"),
            Update::Combine(c) => c.print(p),
        }
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        if p.accept("set") { Ok(Update::Set) } else { Ok(Update::Combine(Attr::parse(p)?)) }
    }
    fn programs<'a>(&'a self, out: &mut Vec<&'a Arc<Program>>) {
        if let Update::Combine(c) = self {
            c.programs(out);
        }
    }
    fn map_programs(&self, f: ProgramMap<'_>) -> Self {
        match self {
            Update::Set => Update::Set,
            Update::Combine(c) => Update::Combine(c.map_programs(f)),
        }
    }
}

attributes! {
    /// `scatter(operand, indices, updates)`: the operand with updates in the windows that index vectors point at. A
    /// window that does not lie within the operand is dropped, all of it. With a program there may be `n` operands, then
    /// the indices, then the updates of each.
    "scatter" => pub struct Scatter {
        /// How the indices point at windows.
        pub indexing: Indexing,
        /// What an update does to the element it meets.
        pub update: Update,
        /// A promise that the index vectors are in order.
        pub indices_are_sorted: bool,
        /// A promise that no two windows overlap.
        pub unique_indices: bool,
    }
}

impl Scatter {
    fn with(&self, update: Update) -> Scatter {
        Scatter { update, ..self.clone() }
    }

    fn add(&self) -> Scatter {
        self.with(Update::Combine(Combiner::Add))
    }

    /// The windows of `x` where the updates, which have the type of `like`, go.
    fn read(&self, b: &mut Builder, x: Var, indices: Var, like: Var) -> Var {
        let gather = Gather::inverse(self, b.ty(x), b.shape(like));
        b.one(gather, &[x, indices])
    }

    /// Which elements of the operand are written, and which updates stay: none that another one overwrites. Each update
    /// gets a number of its own, and the numbers are scattered as the updates are.
    fn written_and_kept(&self, b: &mut Builder, x: &[Var]) -> (Var, Var) {
        let (operand, indices, updates) = (b.shape(x[0]).clone(), x[1], b.shape(x[2]).clone());
        let numbers = b.one(super::Iota { ty: Type::new(DType::I64, [updates.size()]), dim: 0 }, &[]);
        let numbers = b.offset(numbers, 1.0);
        let numbers = b.reshape(numbers, &updates);
        let none = b.zeros(&Type::new(DType::I64, operand));
        let last = b.one(self.clone(), &[none, indices, numbers]);
        let written = b.compare(Direction::Ne, last, none);
        let back = self.read(b, last, indices, numbers);
        (written, b.compare(Direction::Eq, back, numbers))
    }

    /// The tangent where a minimum or maximum is kept: shared evenly by all that reach it.
    fn extreme_tangent(&self, b: &mut Builder, x: &[Var], y: Var, t: &[Option<Var>]) -> Var {
        let (operand, indices, updates) = (x[0], x[1], x[2]);
        let dtype = b.dtype(y);
        let reached = self.read(b, y, indices, updates);
        let [operand_here, updates_here] = [(operand, y), (updates, reached)].map(|(x, extreme)| {
            let here = b.compare(Direction::Eq, x, extreme);
            b.convert(here, dtype)
        });
        let count = b.one(self.add(), &[operand_here, indices, updates_here]);
        let [t, u] = [(t[0], operand_here), (t[2], updates_here)].map(|(t, here)| match t {
            Some(t) => b.mul(t, here),
            None => b.full_like(here, 0.0),
        });
        let sum = b.one(self.add(), &[t, indices, u]);
        b.div(sum, count)
    }
}

impl Rules for Scatter {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let n = match &self.update {
            Update::Combine(Combiner::Program(program)) => {
                let n = x.len() / 2;
                check::that(n > 0 && x.len() == 2 * n + 1, || {
                    let got = x.len();
                    format!("`scatter` takes arrays, indices and as many updates as arrays, and got {got} operands")
                })?;
                combining_program("scatter", program, &x[..n])?;
                n
            }
            update => {
                let [x, _, _] = check::operands("scatter", x)?;
                if let Update::Combine(c) = update {
                    c.binary().expect("named").result(x.dtype)?;
                }
                1
            }
        };
        let (operands, indices, updates) = (&x[..n], &x[n], &x[n + 1..]);
        for (operand, update) in operands.iter().zip(updates) {
            check::same_dtypes("scatter", &[operand.clone(), update.clone()])?;
            check::that(operand.shape == operands[0].shape, || {
                format!("`scatter` needs arrays of one shape, and got {}", check::list(operands))
            })?;
            check::axes("scatter", "window axis", &self.indexing.window_dims, update.rank())?;
            let window: Dims = self.indexing.window_dims.iter().map(|&d| update.shape[d]).collect();
            let shape = self.indexing.check("scatter", operand, indices, &window)?;
            check::that(shape == update.shape, || {
                format!("`scatter`: updates at indices {indices} must have the shape {shape}, and got {update}")
            })?;
        }
        Ok(operands.to_vec())
    }

    fn linearity(&self) -> Linearity {
        match self.update {
            Update::Combine(Combiner::Add) => Linearity::Jointly(|i| i != 1),
            Update::Set if self.unique_indices => Linearity::Jointly(|i| i != 1),
            _ => Linearity::None,
        }
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let tangent = match &self.update {
            Update::Set if !self.unique_indices => {
                let (written, kept) = self.written_and_kept(b, x);
                let masked = |b: &mut Builder, t: Option<Var>, like: Var, mask: Var, keep: bool| {
                    let zero = b.full_like(like, 0.0);
                    match t {
                        None => zero,
                        Some(t) if keep => b.select(mask, t, zero),
                        Some(t) => b.select(mask, zero, t),
                    }
                };
                let operand = masked(b, t[0], x[0], written, false);
                let updates = masked(b, t[2], x[2], kept, true);
                b.one(self.add(), &[operand, x[1], updates])
            }
            Update::Combine(Combiner::Mul) => {
                let operand = t[0].map(|t| b.one(self.clone(), &[t, x[1], x[2]]));
                let updates = match t[2] {
                    None => None,
                    Some(_) if !self.unique_indices => {
                        let why = "factors that may meet in one element have no derivative rule";
                        return Err(no_rule("scatter", "differentiated", why)
                            .note("unique indices have one: `x.at(i).unique().mul(y)` declares that they are"));
                    }
                    Some(t) => {
                        let met = self.read(b, x[0], x[1], x[2]);
                        let moved = b.mul(t, met);
                        let zeros = b.full_like(x[0], 0.0);
                        Some(b.one(self.add(), &[zeros, x[1], moved]))
                    }
                };
                return Ok(vec![b.add_some(operand, updates)]);
            }
            Update::Combine(Combiner::Min | Combiner::Max) => self.extreme_tangent(b, x, y[0], t),
            Update::Combine(Combiner::Program(_)) => {
                return Err(no_rule("scatter", "differentiated", "its combiner has no derivative rule"));
            }
            _ => return linear_tangents(self.clone().into(), self.linearity(), b, x, t),
        };
        Ok(vec![Some(tangent)])
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some(ct) = ct[0] else { return Ok(vec![None; x.len()]) };
        let indices = x[1].known();
        let updates = x[2].ty(b).clone();
        let operand = x[0].is_linear().then(|| match self.update {
            Update::Combine(Combiner::Mul) => b.one(self.clone(), &[ct, indices, x[2].known()]),
            Update::Set => {
                let zeros = b.zeros(&updates);
                b.one(self.clone(), &[ct, indices, zeros])
            }
            _ => ct,
        });
        let gather = Gather::inverse(self, b.ty(ct), &updates.shape);
        Ok(vec![operand, None, x[2].is_linear().then(|| b.one(gather, &[ct, indices]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let n = x.len() / 2;
        let indices = x[n];
        let v: Vec<Var> = (0..x.len()).map(|i| if i == n { indices.var } else { b.materialize(x[i]) }).collect();
        let op = Scatter {
            indexing: self.indexing.over_batch(true, indices.batched),
            indices_are_sorted: self.indices_are_sorted && !indices.batched,
            ..self.clone()
        };
        Ok(b.push(op, &v).iter().map(|&v| Batched::yes(v)).collect())
    }
}
