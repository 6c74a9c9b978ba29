//! A choice between programs.

use super::{cotangents, known, masked, present, spread, union, with_zeros};
use crate::attributes;
use crate::builder::Builder;
use crate::error::{Error, Result};
use crate::host::{Scalar, Tensor};
use crate::op::Rules;
use crate::ops::{Direction, Select, check};
use crate::program::{Program, Var};
use crate::simplify::{NarrowedOp, Narrower};
use crate::transform::{self, Batched, Batcher, Dual, Linearized, Operand, Residual};
use crate::types::{DType, Type};
use std::ops::Range;
use std::sync::Arc;

attributes! {
    /// Runs one of several programs on the operands after the first. The first chooses: an `i32` scalar by position,
    /// taken into range; or, of two, a `bool` scalar, where `false` is the first.
    "cond" => pub struct Cond {
        /// The programs; all take and give the same types.
        pub branches: Vec<Arc<Program>>,
    }
}

impl Cond {
    fn of(branches: impl IntoIterator<Item = Program>) -> Cond {
        Cond { branches: branches.into_iter().map(Arc::new).collect() }
    }

    fn map<T>(&self, f: impl FnMut(&Arc<Program>) -> Result<T>) -> Result<Vec<T>> {
        self.branches.iter().map(f).collect()
    }

    fn output_types(&self) -> Vec<Type> {
        self.branches[0].output_types()
    }
}

impl Rules for Cond {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let n = self.branches.len();
        let Some((index, args)) = x.split_first() else {
            return Err(Error::shape("`cond` takes an index or a bool first, and got no operand"));
        };
        let fits = match index.dtype {
            DType::Bool => n == 2,
            DType::I32 => n > 0,
            _ => false,
        };
        check::that(fits && index.rank() == 0, || {
            format!("`cond` chooses one of {n} branches by an i32 scalar, or one of two by a bool scalar; got {index}")
        })?;
        let out = self.output_types();
        for (i, branch) in self.branches.iter().enumerate() {
            let wants = branch.input_types();
            check::that(wants == args, || {
                format!("`cond`: branch {i} takes {}, and would get {}", check::list(&wants), check::list(args))
            })?;
            let gives = branch.output_types();
            check::that(gives == out, || {
                format!(
                    "`cond`: all branches must give the same types; branch 0 gives {}, and branch {i} {}",
                    check::list(&out),
                    check::list(&gives)
                )
            })?;
        }
        Ok(out)
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let duals = self.map(|p| transform::jvp(p, &present(&t[1..])))?;
        let moving = union(duals.iter().map(|(_, moving)| moving));
        let types = self.output_types();
        let n = types.len();
        let branches = duals.into_iter().map(|(p, have)| with_zeros(p, n, &have, &moving, &types));
        let operands: Vec<Var> = x.iter().chain(t.iter().flatten()).copied().collect();
        let y = b.push(Cond::of(branches), &operands);
        Ok(Dual { primals: y[..n].to_vec(), tangents: spread(&moving, &y[n..]) })
    }

    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let types = self.output_types();
        let n = types.len();
        let halves = self.map(|p| transform::linearize(p, &present(&t[1..]), &vec![false; n]))?;
        let moving = union(halves.iter().map(|h| &h.moving));
        let joined = JoinedResiduals::of(&halves);
        let y = b.push(Cond::of(halves.iter().enumerate().map(|(i, h)| joined.forward(i, h, n))), x);
        let linear = halves.iter().enumerate().map(|(i, h)| {
            let args = &self.branches[i].input_types();
            with_zeros(joined.linear(i, h, args), 0, &h.moving, &moving, &types)
        });
        let mut operands = vec![x[0]];
        operands.extend(joined.inputs.iter().map(|&i| x[i + 1]));
        operands.extend(&y[n..]);
        operands.extend(t.iter().flatten());
        let moved = b.push(Cond::of(linear), &operands);
        Ok(Dual { primals: y[..n].to_vec(), tangents: spread(&moving, &moved) })
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let linear: Vec<bool> = x[1..].iter().map(Operand::is_linear).collect();
        let backs = self.map(|p| transform::transpose(p, &linear, &present(ct)))?;
        let have = union(backs.iter().map(|(_, have)| have));
        let types: Vec<Type> = masked(&self.branches[0].input_types(), &linear).collect();
        let branches = backs.into_iter().map(|(p, h)| with_zeros(p, 0, &h, &have, &types));
        let operands: Vec<Var> = known(x).into_iter().chain(ct.iter().copied().flatten()).collect();
        let y = b.push(Cond::of(branches), &operands);
        Ok([vec![None], cotangents(&linear, &have, &y)].concat())
    }

    fn passed(&self) -> Range<usize> {
        1..self.branches[0].inputs().len() + 1
    }

    fn narrow(&self, wanted: &[bool], n: &mut Narrower<'_>) -> Option<NarrowedOp> {
        let branches: Vec<Arc<Program>> = self.branches.iter().map(|p| n.outputs(p, wanted)).collect();
        let used = union(branches.iter().map(|p| p.used_inputs()).collect::<Vec<_>>().iter());
        let branches = branches.iter().map(|p| n.inputs(p, &used)).collect();
        let operands = [vec![true], used].concat();
        Some(NarrowedOp { op: Cond { branches }.into(), operands, results: wanted.to_vec() })
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let (index, args) = (x[0], &x[1..]);
        if index.batched {
            return self.batch_all(b, index, args);
        }
        let batched: Vec<bool> = args.iter().map(|x| x.batched).collect();
        let none = vec![false; self.output_types().len()];
        let which = self.map(|p| Ok(b.batch_program(p, &batched, &none)?.1))?;
        let which = union(which.iter());
        let branches = self.map(|p| Ok(b.batch_program(p, &batched, &which)?.0))?;
        let operands: Vec<Var> = x.iter().map(|x| x.var).collect();
        let y = b.push(Cond::of(branches), &operands);
        Ok(y.iter().zip(which).map(|(&var, batched)| Batched { var, batched }).collect())
    }
}

impl Cond {
    /// Members of the batch choose differently: all branches run, and each member keeps what it chose.
    fn batch_all(&self, b: &mut Batcher<'_>, index: Batched, args: &[Batched]) -> Result<Vec<Batched>> {
        let mut branches = self.branches.iter().enumerate();
        let (_, first) = branches.next().expect("checked");
        let mut chosen = b.batch_inline(first, args)?;
        for (i, branch) in branches {
            let out = b.batch_inline(branch, args)?;
            let here = match b.dtype(index.var) {
                DType::Bool => index.var,
                // This branch, or a later one, whose `select` follows.
                d => {
                    let shape = b.shape(index.var).clone();
                    let i = b.constant(Tensor::splat(shape, Scalar::from_i64(d, i as i64)));
                    b.compare(Direction::Ge, index.var, i)
                }
            };
            for (old, new) in chosen.iter_mut().zip(out) {
                *old = Select {}.batch(b, &[Batched::yes(here), new, *old])?[0];
            }
        }
        Ok(chosen)
    }
}

/// The residuals of all branches together: inputs that any of them reads, then slots for what each computes. A slot
/// holds a residual of at most one type, of any branch; branches that do not use it fill it with zeros.
struct JoinedResiduals {
    inputs: Vec<usize>,
    slots: Vec<Type>,
    /// For each branch, for each of its residuals, the position among inputs and slots.
    places: Vec<Vec<usize>>,
}

impl JoinedResiduals {
    fn of(halves: &[Linearized]) -> JoinedResiduals {
        let residuals = halves.iter().flat_map(|h| &h.residuals);
        let mut inputs: Vec<usize> = residuals
            .filter_map(|r| match *r {
                Residual::Input(i) => Some(i),
                Residual::Output(_) => None,
            })
            .collect();
        inputs.sort();
        inputs.dedup();
        let mut joined = JoinedResiduals { inputs, slots: Vec::new(), places: Vec::new() };
        for h in halves {
            let mut used = Vec::new();
            for r in &h.residuals {
                used.push(match *r {
                    Residual::Input(i) => joined.inputs.binary_search(&i).expect("collected above"),
                    Residual::Output(i) => joined.slot(h.forward.ty(h.forward.outputs()[i]), &used),
                });
            }
            joined.places.push(used);
        }
        joined
    }

    /// The position of a slot of this type that is not in use.
    fn slot(&mut self, ty: &Type, used: &[usize]) -> usize {
        let first = self.inputs.len();
        let free = (0..self.slots.len()).find(|&s| self.slots[s] == *ty && !used.contains(&(first + s)));
        first
            + free.unwrap_or_else(|| {
                self.slots.push(ty.clone());
                self.slots.len() - 1
            })
    }

    /// The forward half of branch `i`: its `n` results, then the slots.
    fn forward(&self, i: usize, half: &Linearized, n: usize) -> Program {
        let mut b = Builder::new();
        let args = b.inputs_of(&half.forward);
        let y = b.inline(&half.forward, &args);
        let mut outputs = y[..n].to_vec();
        for (s, ty) in self.slots.iter().enumerate() {
            let held = self.places[i].iter().position(|&p| p == self.inputs.len() + s);
            let held = held.map(|k| match half.residuals[k] {
                Residual::Output(o) => y[o],
                Residual::Input(_) => unreachable!("slots hold what was computed"),
            });
            outputs.push(b.or_zeros(held, ty));
        }
        b.finish(&outputs).with_name(half.forward.name())
    }

    /// The linear half of branch `i`, over the residuals of all branches; `args` are the types of the branch's inputs.
    fn linear(&self, i: usize, half: &Linearized, args: &[Type]) -> Program {
        let mut b = Builder::new();
        let held: Vec<Type> = self.inputs.iter().map(|&i| args[i].clone()).chain(self.slots.iter().cloned()).collect();
        let held = b.inputs(&held);
        let tangents = b.inputs(&half.linear.input_types()[half.residuals.len()..]);
        let args: Vec<Var> = self.places[i].iter().map(|&p| held[p]).chain(tangents).collect();
        let outputs = b.inline(&half.linear, &args);
        b.finish(&outputs).with_name(half.linear.name())
    }
}
