//! Ops on what lies under a moving window: it is reduced ([`ReduceWindow`]), or one element of it is selected, to write
//! to ([`SelectAndScatter`]) or to read ([`SelectAndGather`]).

use super::reduce::combined_operands;
use super::window::Window;
use super::{Combiner, Direction, Pad, Slice, check};
use crate::attr::{Attr, ProgramMap};
use crate::attributes;
use crate::builder::Builder;
use crate::error::{Error, Result};
use crate::op::{Rules, no_rule};
use crate::program::{Program, Var};
use crate::text::{Parser, Printer};
use crate::transform::{self, Batched, Batcher, Dual, Mode, Operand};
use crate::types::{DType, Dims, Shape, Type};
use std::sync::Arc;

attributes! {
    /// Combines all elements under each position of a window. Places without an element (in the padding and between
    /// dilated elements) are left out. A named combiner takes one operand; a program takes `n` operands, then `n`
    /// scalars to start from.
    "reduce_window" => pub struct ReduceWindow {
        /// What combines two elements.
        pub combiner: Combiner,
        /// How the window moves.
        pub window: Window,
    }
}

impl ReduceWindow {
    /// The same computation place by place of the window, on slices of the padded operands. It has derivatives
    /// whatever the combiner is.
    fn decomposed(&self, x: &[Type]) -> Result<Program> {
        let n = x.len().div_ceil(2);
        let out = self.window.positions(&x[0].shape);
        let mut b = Builder::new();
        let args = b.inputs(x);
        if out.size() == 0 {
            let empty: Vec<Var> = x[..n].iter().map(|t| b.zeros(&t.with_shape(out.clone()))).collect();
            return Ok(b.finish(&empty));
        }
        let flat = Shape::from([out.size()]);
        let all = |n: usize| vec![true; n];
        let (start, combine): (Vec<Var>, Program) = match &self.combiner {
            Combiner::Program(p) => {
                (args[n..].to_vec(), transform::batch(p, out.size(), None, &all(2 * n), &all(n))?.0)
            }
            named => {
                let ty = Type::new(x[0].dtype, flat.clone());
                let mut inner = Builder::new();
                let pair = inner.inputs(&[ty.clone(), ty]);
                let y = inner.binary(named.binary().expect("named"), pair[0], pair[1]);
                let identity = named.identity(x[0].dtype).expect("named");
                (vec![b.constant(crate::Tensor::splat(Shape::scalar(), identity))], inner.finish(&[y]))
            }
        };
        let pad = Pad {
            low: self.window.padding.iter().map(|p| p.0).collect(),
            high: self.window.padding.iter().map(|p| p.1).collect(),
            interior: self.window.base_dilation.iter().map(|d| d - 1).collect(),
        };
        let padded: Vec<Var> = (0..n).map(|i| b.one(pad.clone(), &[args[i], start[i]])).collect();
        // Holes are filled with the start, which is no harm if that is the identity.
        let program = matches!(self.combiner, Combiner::Program(_));
        let there = (program && self.window.has_holes()).then(|| {
            let element = b.full(&Type::new(DType::Bool, x[0].shape.clone()), 1.0);
            let hole = b.zeros(&Type::scalar(DType::Bool));
            b.one(pad.clone(), &[element, hole])
        });
        let mut sofar: Vec<Var> = start.iter().map(|&s| b.broadcast(s, &flat, &[])).collect();
        for place in places(&self.window.size) {
            let first: Dims = place.iter().zip(&self.window.window_dilation).map(|(k, d)| k * d).collect();
            let slice = Slice {
                limit: (0..out.rank()).map(|i| first[i] + (out[i] - 1) * self.window.strides[i] + 1).collect(),
                start: first,
                strides: self.window.strides.clone(),
            };
            let under = |b: &mut Builder, x: Var| {
                let s = b.one(slice.clone(), &[x]);
                b.reshape(s, &flat)
            };
            let next: Vec<Var> = padded.iter().map(|&x| under(&mut b, x)).collect();
            let combined = b.inline(&combine, &[sofar.clone(), next].concat());
            let there = there.map(|t| under(&mut b, t));
            for (old, new) in sofar.iter_mut().zip(combined) {
                *old = there.map_or(new, |there| b.select(there, new, *old));
            }
        }
        let outputs: Vec<Var> = sofar.iter().map(|&y| b.reshape(y, &out)).collect();
        Ok(b.finish(&outputs))
    }

    /// Which of two elements is selected under a window, if the result is one of those.
    fn selector(&self, d: DType) -> Option<Selector> {
        let direction = match self.combiner {
            Combiner::Max => Direction::Ge,
            Combiner::Min => Direction::Le,
            _ => return None,
        };
        (!d.is_complex()).then_some(Selector::Named(direction))
    }

    fn differentiate(&self, b: &mut Builder, mode: Mode, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        if self.combiner != Combiner::Add && self.selector(b.dtype(x[0])).is_none() {
            let types: Vec<Type> = x.iter().map(|&v| b.ty(v).clone()).collect();
            return transform::differentiate(b, mode, &self.decomposed(&types)?, x, t);
        }
        let y = b.one(self.clone(), x);
        Ok(Dual { primals: vec![y], tangents: self.tangents(b, x, &[y], t)? })
    }
}

/// Every place of a window of this size, in row-major order.
fn places(size: &[usize]) -> Vec<Dims> {
    size.iter().fold(vec![Dims::new()], |places, &n| {
        let longer = |p: &Dims, k: usize| p.iter().copied().chain([k]).collect::<Dims>();
        places.iter().flat_map(|p| (0..n).map(move |k| longer(p, k))).collect()
    })
}

impl Rules for ReduceWindow {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let n = combined_operands("reduce_window", &self.combiner, x)?;
        let shape = self.window.check("reduce_window", &x[0])?;
        Ok(x[..n].iter().map(|t| t.with_shape(shape.clone())).collect())
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], _y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        Ok(vec![t[0].map(|t| match self.selector(b.dtype(x[0])) {
            Some(select) => b.one(SelectAndGather { select, window: self.window.clone() }, &[x[0], t]),
            None => b.one(self.clone(), &[t]),
        })])
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        self.differentiate(b, Mode::Jvp, x, t)
    }

    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        self.differentiate(b, Mode::Linearize, x, t)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (Operand::Linear(ty), Some(ct)) = (&x[0], ct[0]) else { return Ok(vec![None; x.len()]) };
        let back = ReduceWindow { combiner: Combiner::Add, window: self.window.adjoint(&ty.shape) };
        Ok(vec![Some(b.one(back, &[ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let n = x.len().div_ceil(2);
        if x[n..].iter().any(|x| x.batched) {
            return b.in_loop(self.clone(), x);
        }
        let mut v = b.broadcast_together(&x[..n]);
        v.extend(x[n..].iter().map(|x| x.var));
        let op = ReduceWindow { combiner: self.combiner.clone(), window: self.window.over_batch() };
        Ok(b.push(op, &v).iter().map(|&v| Batched::yes(v)).collect())
    }
}

/// Which of two elements under a window is selected: the first if this holds for them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Selector {
    /// A comparison.
    Named(Direction),
    /// Any computation from two scalars to a `bool`.
    Program(Arc<Program>),
}

impl Attr for Selector {
    fn print(&self, p: &mut Printer) {
        match self {
            Selector::Named(d) => d.print(p),
            Selector::Program(program) => program.print(p),
        }
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        Ok(if p.next_is("program") { Selector::Program(Attr::parse(p)?) } else { Selector::Named(Attr::parse(p)?) })
    }
    fn programs<'a>(&'a self, out: &mut Vec<&'a Arc<Program>>) {
        if let Selector::Program(p) = self {
            out.push(p);
        }
    }
    fn map_programs(&self, f: ProgramMap<'_>) -> Self {
        match self {
            Selector::Program(p) => Selector::Program(f(p)),
            named => named.clone(),
        }
    }
}

impl Selector {
    fn check(&self, op: &str, d: DType) -> Result<()> {
        match self {
            Selector::Named(_) => check::dtype(op, d, "real numbers to compare", !d.is_complex()),
            Selector::Program(p) => {
                let (wants, gives) = (vec![Type::scalar(d); 2], [Type::scalar(DType::Bool)]);
                check::that(p.input_types() == wants && p.output_types() == gives, || {
                    format!("`{op}`: the selecting program must take {} and give bool[]", check::list(&wants))
                })
            }
        }
    }
}

attributes! {
    /// `select_and_scatter(operand, source)`: each position of a window over the operand selects one element under it,
    /// and the value of `source` at that position is combined into the result there. Everything else is as the
    /// combination starts. A combining program takes the scalar to start from as a third operand.
    "select_and_scatter" => pub struct SelectAndScatter {
        /// Which of two elements is selected.
        pub select: Selector,
        /// How the window moves.
        pub window: Window,
        /// What combines the values that meet in one element.
        pub combiner: Combiner,
    }
}

impl Rules for SelectAndScatter {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let op = "select_and_scatter";
        check::that(x.len() >= 2, || format!("`{op}` takes an operand and a source, and got {} operands", x.len()))?;
        let (operand, source) = (&x[0], &x[1]);
        self.select.check(op, operand.dtype)?;
        combined_operands(op, &self.combiner, &x[1..])?;
        let positions = self.window.check(op, operand)?;
        check::that(source.shape == positions, || {
            format!("`{op}` has windows at {positions} positions over {operand}, and a source of type {source}")
        })?;
        Ok(vec![source.with_shape(operand.shape.clone())])
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], _y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        if self.combiner != Combiner::Add {
            return Err(no_rule("select_and_scatter", "differentiated", "its combiner has no derivative rule"));
        }
        // What is selected does not move with the operand.
        Ok(vec![t[1].map(|t| b.one(self.clone(), &[x[0], t]))])
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let gather = SelectAndGather { select: self.select.clone(), window: self.window.clone() };
        Ok(vec![None, ct[0].map(|ct| b.one(gather, &[x[0].known(), ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        if x[2..].iter().any(|x| x.batched) {
            return b.in_loop(self.clone(), x);
        }
        let mut v = b.broadcast_together(&x[..2]);
        v.extend(x[2..].iter().map(|x| x.var));
        let op = SelectAndScatter { window: self.window.over_batch(), ..self.clone() };
        Ok(vec![Batched::yes(b.one(op, &v))])
    }
}

attributes! {
    /// `select_and_gather(operand, source)`: each position of a window over the operand selects one element under it,
    /// and the result has the element of `source` at the same place; zero if there is nothing under the window.
    "select_and_gather" => pub struct SelectAndGather {
        /// Which of two elements is selected.
        pub select: Selector,
        /// How the window moves.
        pub window: Window,
    }
}

impl Rules for SelectAndGather {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let op = "select_and_gather";
        let [operand, source] = check::operands(op, x)?;
        self.select.check(op, operand.dtype)?;
        if operand.shape != source.shape {
            return Err(Error::shape(format!("`{op}` needs operands of one shape, and got {operand} and {source}")));
        }
        Ok(vec![source.with_shape(self.window.check(op, operand)?)])
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], _y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        // What is selected does not move with the operand.
        Ok(vec![t[1].map(|t| b.one(self.clone(), &[x[0], t]))])
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let scatter =
            SelectAndScatter { select: self.select.clone(), window: self.window.clone(), combiner: Combiner::Add };
        Ok(vec![None, ct[0].map(|ct| b.one(scatter, &[x[0].known(), ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let v = b.broadcast_together(x);
        let op = SelectAndGather { select: self.select.clone(), window: self.window.over_batch() };
        Ok(vec![Batched::yes(b.one(op, &v))])
    }
}
