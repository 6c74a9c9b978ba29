//! `while_in_blocks`: a loop over many lanes that stop at different times, which is what `vmap` of a loop of scalars gives,
//! becomes a loop over blocks of lanes. What a block carries stays in the nearest cache, and a block ends when its own
//! lanes are done, not when all are. No value changes:
//!
//! - the loop goes on while any lane does, and which lanes do is computed lane by lane;
//! - everything else in the loop is computed lane by lane, or is the same for all lanes and not carried;
//! - a lane that is done keeps what it carries: every carry is chosen by the very flags that the condition looks at, or is
//!   these flags themselves, which only go from true to false.

use super::walk::{Budget, rebuilt};
use std::collections::HashMap;
use std::sync::Arc;
use wengert_core::ops::{Binary, Broadcast, Combiner, Concatenate, Constant, Reduce, Reshape, Scan, Slice, While};
use wengert_core::{Builder, Equation, Op, Program, Shape, Tensor, Type, Var, Vars};

/// About how many bytes the loop takes and carries for the lanes of a block.
const BLOCK_BYTES: usize = 12 << 10;
/// The fewest and the most lanes of a block: fewer would be scalars, and more be done together for nothing.
const LANES: std::ops::RangeInclusive<usize> = 128..=1024;

pub(super) fn while_in_blocks(program: &Program, budget: &mut Budget) -> Option<Program> {
    let of = |e: &Equation| match &e.op {
        Op::While(op) => Lanes::of(op).filter(|l| l.count > l.block && budget.take()),
        _ => None,
    };
    let found: Vec<Option<Lanes>> = program.equations().iter().map(of).collect();
    if found.iter().all(Option::is_none) {
        return None;
    }
    let mut found = found.into_iter();
    Some(rebuilt(program, |b, env, e| {
        let lanes = found.next().flatten()?;
        let Op::While(op) = &e.op else { return None };
        let x: Vec<Var> = e.inputs.iter().map(|v| env[v.index()]).collect();
        Some(lanes.write(b, op, &x))
    }))
}

/// A loop whose lanes are apart from each other.
struct Lanes {
    /// The shape of what has a value for each lane.
    shape: Shape,
    /// How many there are.
    count: usize,
    /// How many a block has.
    block: usize,
    /// Which operands of the loop have a value for each lane.
    over: Vec<bool>,
}

impl Lanes {
    /// The lanes of a loop, if it has some and they are apart.
    fn of(op: &While) -> Option<Lanes> {
        let any = defining(&op.cond, op.cond.outputs()[0])?;
        let flags = any.inputs[0];
        let shape = op.cond.ty(flags).shape.clone();
        let any_of_all = matches!(&any.op, Op::Reduce(r) if r.combiner == Combiner::Or && r.dims.len() == shape.rank());
        let types = op.body.input_types();
        let over: Vec<bool> = types.iter().map(|t| t.shape == shape).collect();
        if !any_of_all || shape.rank() == 0 || !over[op.consts..].iter().all(|o| *o) {
            return None;
        }
        let mut numbers = Numbers::default();
        let in_cond = numbers.of(&op.cond, &over, &shape, Some(any))?;
        let in_body = numbers.of(&op.body, &over, &shape, None)?;
        let flags = in_cond[flags.index()];
        let number = |v: Var| in_body[v.index()];
        let keeps = |(&new, &old): (&Var, &Var)| match defining(&op.body, new).map(|e| (&e.op, &e.inputs[..])) {
            None => new == old,
            Some((Op::Select(_), &[p, _, kept])) => number(p) == flags && kept == old,
            Some((Op::Binary(Binary::And), x)) => number(old) == flags && x.contains(&old),
            Some(_) => false,
        };
        if !op.body.outputs().iter().zip(&op.body.inputs()[op.consts..]).all(keeps) {
            return None;
        }
        let bytes: usize = types.iter().zip(&over).filter(|(_, o)| **o).map(|(t, _)| t.dtype.size()).sum();
        let most = (BLOCK_BYTES / bytes.max(1)).clamp(*LANES.start(), *LANES.end());
        let count = shape.size();
        // No lanes are left over where blocks of about this size divide them.
        let divides = |n: &usize| count.is_multiple_of(*n);
        let block = (most / 2..=most).rev().find(divides).unwrap_or(most / 64 * 64);
        Some(Lanes { shape, count, block, over })
    }

    /// Writes the loop over blocks, and a loop over the lanes that are left over.
    fn write(&self, b: &mut Builder, op: &While, x: &[Var]) -> Vars {
        let (blocks, rest) = (self.count / self.block, self.count % self.block);
        // All lanes along one axis.
        let flat = |b: &mut Builder, v: Var, over: bool| if over { reshape(b, v, [self.count]) } else { v };
        let x: Vec<Var> = x.iter().zip(&self.over).map(|(&v, &over)| flat(b, v, over)).collect();
        let part = |b: &mut Builder, v: Var, from: usize, to: usize| {
            if (from, to) == (0, self.count) {
                return v;
            }
            let one = |n: usize| std::iter::once(n).collect();
            b.one(Slice { start: one(from), limit: one(to), strides: one(1) }, &[v])
        };
        let over: Vec<Var> = x.iter().zip(&self.over).filter(|(_, o)| **o).map(|(v, _)| *v).collect();
        let same: Vec<Var> = x.iter().zip(&self.over).filter(|(_, o)| !**o).map(|(v, _)| *v).collect();
        let stacked = |b: &mut Builder, v: Var| {
            let whole = part(b, v, 0, blocks * self.block);
            reshape(b, whole, [blocks, self.block])
        };
        let stacks: Vec<Var> = over.iter().map(|&v| stacked(b, v)).collect();
        let mut inner = Builder::new();
        let types = |vars: &[Var]| -> Vec<Type> { vars.iter().map(|&v| b.ty(v).clone()).collect() };
        let lane_types = types(&over).into_iter().map(|t| t.with_shape([self.block]));
        let mut inside = inner.inputs(&types(&same)).into_iter();
        let mut lanes = inner.inputs(&lane_types.collect::<Vec<_>>()).into_iter();
        let operands: Vec<Option<Var>> =
            self.over.iter().map(|over| if *over { lanes.next() } else { inside.next() }).collect();
        let operands: Vec<Var> = operands.into_iter().flatten().collect();
        let results = inner.push(self.resized(op, self.block), &operands);
        let body = Arc::new(inner.finish_all(&results));
        let scan = Scan { length: blocks, consts: same.len(), carries: 0, reverse: false, body };
        let whole = b.push(scan, &[same, stacks].concat());
        let left: Option<Vars> = (rest > 0).then(|| {
            let from = self.count - rest;
            let end = |b: &mut Builder, v: Var, over: bool| if over { part(b, v, from, self.count) } else { v };
            let x: Vec<Var> = x.iter().zip(&self.over).map(|(&v, &over)| end(b, v, over)).collect();
            b.push(self.resized(op, rest), &x)
        });
        let joined = |(i, &whole): (usize, &Var)| {
            let mut all = reshape(b, whole, [self.count - rest]);
            if let Some(left) = &left {
                all = b.one(Concatenate { dim: 0 }, &[all, left[i]]);
            }
            reshape(b, all, self.shape.clone())
        };
        whole.iter().enumerate().map(joined).collect()
    }

    /// The loop over so many lanes.
    fn resized(&self, op: &While, lanes: usize) -> While {
        let program = |p: &Program| Arc::new(self.resized_program(p, lanes));
        While { consts: op.consts, cond: program(&op.cond), body: program(&op.body) }
    }

    fn resized_program(&self, program: &Program, lanes: usize) -> Program {
        let mut b = Builder::new();
        let shape = Shape::from([lanes]);
        let ty = |t: Type| if t.shape == self.shape { t.with_shape(shape.clone()) } else { t };
        let mut env: Vec<Var> = program.input_types().into_iter().map(|t| b.input(ty(t))).collect();
        for (&v, &new) in program.inputs().iter().zip(&env) {
            b.copy_name(program, v, new);
        }
        for e in program.equations() {
            b.set_place(e.place.clone());
            let x: Vars = e.inputs.iter().map(|v| env[v.index()]).collect();
            let over = e.outputs.first().is_some_and(|&v| program.ty(v).shape == self.shape);
            let op: Op = match &e.op {
                Op::Constant(c) if over => {
                    let value = c.value.splat_value().expect("the same for all lanes");
                    Constant { value: Tensor::splat(shape.clone(), value) }.into()
                }
                Op::Broadcast(_) if over => Broadcast { shape: shape.clone(), dims: Default::default() }.into(),
                Op::Reduce(r) if program.ty(e.inputs[0]).shape == self.shape => {
                    Reduce { combiner: r.combiner.clone(), dims: std::iter::once(0).collect() }.into()
                }
                op => op.clone(),
            };
            let y = b.push(op, &x);
            e.outputs.iter().zip(&y).for_each(|(&v, &new)| b.copy_name(program, v, new));
            env.extend(y);
        }
        let outputs: Vec<Var> = program.outputs().iter().map(|v| env[v.index()]).collect();
        b.finish_all(&outputs).with_name(program.name())
    }
}

fn reshape(b: &mut Builder, v: Var, shape: impl Into<Shape>) -> Var {
    let shape = shape.into();
    if *b.shape(v) == shape { v } else { b.one(Reshape { shape }, &[v]) }
}

/// The equation that defines a variable; none for inputs.
fn defining(program: &Program, v: Var) -> Option<&Equation> {
    program.equations().iter().find(|e| e.outputs.contains(&v))
}

/// Numbers for what variables of several programs on the same inputs are: equal numbers are equal values.
#[derive(Default)]
struct Numbers {
    /// The number of the first result of each op on operands of these numbers.
    known: HashMap<(Op, Vec<usize>), usize>,
    given: usize,
}

impl Numbers {
    /// The numbers of a program's variables, if every equation but `any` is done lane by lane or is the same for all lanes.
    fn of(&mut self, program: &Program, over: &[bool], lanes: &Shape, any: Option<&Equation>) -> Option<Vec<usize>> {
        // Inputs have the numbers of their positions; results others, the results of one equation one after the other.
        let mut numbers: Vec<usize> = (0..over.len()).collect();
        self.given = self.given.max(over.len());
        let mut over = over.to_vec();
        for e in program.equations() {
            let shape = |v: Var| &program.ty(v).shape;
            let results_over = e.outputs.iter().all(|&v| shape(v) == lanes);
            let is_any = any.is_some_and(|a| std::ptr::eq(a, e));
            let fits = match e.inputs.iter().any(|v| over[v.index()]) {
                _ if is_any => true,
                true => {
                    let by_lane = e.op.rules().elementwise() || matches!(e.op, Op::Select(_) | Op::Clamp(_));
                    let operand = |v: &Var| over[v.index()] || shape(*v).rank() == 0;
                    by_lane && e.op.programs().is_empty() && results_over && e.inputs.iter().all(operand)
                }
                // The same for all lanes, and spread over them by these alone.
                false if e.outputs.iter().any(|&v| shape(v) == lanes) => match &e.op {
                    Op::Constant(c) => c.value.splat_value().is_some(),
                    Op::Broadcast(_) => shape(e.inputs[0]).rank() == 0,
                    _ => false,
                },
                false => !e.op.is_opaque(),
            };
            if !fits {
                return None;
            }
            let key = (e.op.clone(), e.inputs.iter().map(|v| numbers[v.index()]).collect());
            let first = *self.known.entry(key).or_insert(self.given);
            self.given = self.given.max(first + e.outputs.len());
            for k in 0..e.outputs.len() {
                numbers.push(first + k);
                over.push(results_over && !is_any);
            }
        }
        Some(numbers)
    }
}
