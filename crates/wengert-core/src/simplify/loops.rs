//! Loops: loop-invariant equations are hoisted, and constants move into the programs that use them.

use super::rewrite::{Candidate, Rewrite, Rewriter};
use crate::builder::Builder;
use crate::host::{Scalar, Tensor};
use crate::op::{LoopOperands, Op};
use crate::ops::{Broadcast, Scan};
use crate::program::{Equation, Program, Var, Vars};
use crate::types::{Dims, Type};
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub(super) const REWRITES: &[Rewrite] = &[
    Rewrite::any("loop of no steps", no_steps),
    Rewrite::any("loop of one step", one_step),
    Rewrite::any("operand known inside", known_inside),
    Rewrite::any("carry that never changes", fixed_carries),
    Rewrite::any("slices that are all the same", same_slices),
    Rewrite::any("equations that give the same at every step", hoisted),
    Rewrite::any("stacked value that never changes", same_stacked),
];

fn programs(op: &Op) -> Vec<Arc<Program>> {
    op.programs().into_iter().cloned().collect()
}

/// The op with other programs, in the same order.
fn with_programs(op: &Op, programs: Vec<Arc<Program>>) -> Op {
    let mut programs = programs.into_iter();
    op.map_programs(&mut |_| programs.next().expect("as many as before"))
}

fn no_steps(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    match c.op {
        Op::Scan(scan) if scan.length == 0 => {
            let carries = &c.x[scan.consts..scan.consts + scan.carries];
            // What is stacked has no elements.
            let stacked = c.types[scan.carries..].iter().map(|t| r.constant(Tensor::zeros(t)));
            Some(carries.iter().copied().chain(stacked).collect())
        }
        Op::While(op) => {
            let never = constant_outputs(&op.cond) == [Some(Scalar::Bool(false))];
            never.then(|| c.x[op.consts..].into())
        }
        _ => None,
    }
}

/// The outputs of a program that are one value everywhere.
fn constant_outputs(program: &Program) -> Vec<Option<Scalar>> {
    let mut constants: FxHashMap<Var, Scalar> = FxHashMap::default();
    for e in program.equations() {
        if let Op::Constant(constant) = &e.op {
            constants.extend(constant.value.splat_value().map(|value| (e.outputs[0], value)));
        }
    }
    program.outputs().iter().map(|v| constants.get(v).copied()).collect()
}

fn one_step(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let Op::Scan(scan) = c.op else { return None };
    if scan.length != 1 {
        return None;
    }
    let (args, xs) = c.x.split_at(scan.consts + scan.carries);
    let mut args = args.to_vec();
    for &x in xs {
        let slice = r.shape(x).without_axes(&[0]);
        args.push(r.reshape(x, &slice));
    }
    let mut y = r.inline(&scan.body, &args);
    for (y, ty) in y.iter_mut().zip(c.types).skip(scan.carries) {
        *y = r.reshape(*y, &ty.shape);
    }
    Some(y.into())
}

/// What an input of a program is known to be.
#[derive(Clone)]
enum KnownInput {
    Constant(Tensor),
    /// The same as this other input.
    Input(usize),
}

/// The program with what is known of its inputs used inside; the inputs are left, unused.
fn knowing(program: &Program, known: &[Option<KnownInput>]) -> Program {
    let mut b = Builder::new();
    let inputs = b.inputs_of(program);
    let mut args = inputs.clone();
    for (i, known) in known.iter().enumerate() {
        match known {
            Some(KnownInput::Constant(value)) => args[i] = b.constant(value.clone()),
            Some(KnownInput::Input(other)) => args[i] = inputs[*other],
            None => {}
        }
    }
    let y = b.inline(program, &args);
    b.finish(&y).with_name(program.name())
}

/// An operand that the programs get as it is, and that is one value, or the same as another. The programs then do not
/// use that input any more, which leaves it to the next pass.
fn known_inside(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let range = c.op.rules().passed();
    let programs = programs(c.op);
    if range.is_empty() || programs.iter().any(|p| r.pass.holders_of(Arc::as_ptr(p)) > 1) {
        return None;
    }
    let mut seen: FxHashMap<Var, usize> = FxHashMap::default();
    let known = |(i, &v): (usize, &Var)| match r.constant_splat(v) {
        Some(value) => Some(KnownInput::Constant(Tensor::splat(r.shape(v).clone(), value))),
        None => Some(*seen.entry(v).or_insert(i)).filter(|&first| first < i).map(KnownInput::Input),
    };
    let known: Vec<Option<KnownInput>> = c.x[range].iter().enumerate().map(known).collect();
    if known.iter().all(Option::is_none) {
        return None;
    }
    let used = |p: &Program| p.used_inputs().iter().zip(&known).any(|(used, known)| *used && known.is_some());
    if !programs.iter().any(|p| used(p)) {
        return None;
    }
    let programs = programs.iter().map(|p| Arc::new(knowing(p, &known))).collect();
    Some(r.add(with_programs(c.op, programs), c.x))
}

/// The program with its inputs in another order.
fn reordered(program: &Program, order: &[usize]) -> Program {
    let mut program = program.clone();
    program.inputs = order.iter().map(|&i| program.inputs[i]).collect();
    program.renumbered()
}

/// A carry that the body gives back as it got it is a constant.
fn fixed_carries(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let LoopOperands { consts, carries } = c.op.rules().as_loop()?;
    let mut programs = programs(c.op);
    let body = programs.last()?;
    let fixed: Vec<bool> = (0..carries).map(|i| body.outputs()[i] == body.inputs()[consts + i]).collect();
    let count = fixed.iter().filter(|f| **f).count();
    if count == 0 {
        return None;
    }
    let pick = |which: bool| (0..carries).zip(&fixed).filter(move |(_, f)| **f == which).map(move |(i, _)| consts + i);
    let order: Vec<usize> =
        (0..consts).chain(pick(true)).chain(pick(false)).chain(consts + carries..c.x.len()).collect();
    let last = programs.len() - 1;
    for (k, p) in programs.iter_mut().enumerate() {
        let mut new = reordered(p, &order);
        if k == last {
            let mut fixed = fixed.iter().copied().chain(std::iter::repeat(false));
            new.outputs.retain(|_| fixed.next() == Some(false));
        }
        *p = Arc::new(new);
    }
    let op = c.op.rules().with_loop(LoopOperands { consts: consts + count, carries: carries - count }, programs)?;
    let x: Vars = order.iter().map(|&i| c.x[i]).collect();
    let y = r.add(op, &x);
    let mut rest = y.iter().copied();
    let results = (0..c.types.len()).map(|i| match fixed.get(i) {
        Some(true) => c.x[consts + i],
        _ => rest.next().expect("one for each other result"),
    });
    Some(results.collect())
}

/// The slice at every step, if all slices are the same.
fn same_slice(r: &mut Rewriter<'_, '_>, x: Var) -> Option<Var> {
    let slice = r.shape(x).without_axes(&[0]);
    if let Some(value) = r.constant_splat(x) {
        let ty = r.ty(x).with_shape(slice);
        return Some(r.splat(&ty, value));
    }
    let (Op::Broadcast(b), &[y]) = r.defined(x)? else { return None };
    let repeated = !b.dims.contains(&0);
    let dims: Dims = b.dims.iter().map(|d| d.wrapping_sub(1)).collect();
    repeated.then(|| r.add_one(Broadcast { shape: slice, dims }, &[y]))
}

/// An array that is repeated along the axis it is walked along is a constant of the loop.
fn same_slices(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let Op::Scan(scan) = c.op else { return None };
    let first = scan.consts + scan.carries;
    let slices: Vec<Option<Var>> = (first..c.x.len()).map(|i| same_slice(r, c.x[i])).collect();
    let (same, others): (Vec<usize>, Vec<usize>) = (first..c.x.len()).partition(|&i| slices[i - first].is_some());
    if same.is_empty() {
        return None;
    }
    let order: Vec<usize> =
        (0..scan.consts).chain(same.iter().copied()).chain(scan.consts..first).chain(others).collect();
    let x: Vars = order.iter().map(|&i| i.checked_sub(first).and_then(|k| slices[k]).unwrap_or(c.x[i])).collect();
    let body = Arc::new(reordered(&scan.body, &order));
    Some(r.add(Scan { consts: scan.consts + same.len(), body, ..scan.clone() }, &x))
}

/// A stacked result that is a constant of the loop, or one value.
fn same_stacked(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let Op::Scan(scan) = c.op else { return None };
    let constants = constant_outputs(&scan.body);
    let same = |r: &mut Rewriter<'_, '_>, i: usize| match scan.body.outputs()[i].index() {
        v if v < scan.consts => Some(r.broadcast_leading(c.x[v], scan.length)),
        _ => constants[i].map(|value| r.splat(&c.types[i], value)),
    };
    let stacked: Vec<Option<Var>> = (scan.carries..c.types.len()).map(|i| same(r, i)).collect();
    if stacked.iter().all(Option::is_none) {
        return None;
    }
    // The loop stays as it is: the next pass drops the result, which nothing uses then.
    let mut y = r.push(c.op.clone(), c.x);
    for (y, same) in y[scan.carries..].iter_mut().zip(stacked) {
        *y = same.unwrap_or(*y);
    }
    Some(y)
}

/// A program of a loop cut in two: the equations that are hoisted, which depend on the constants of the loop alone, and the
/// rest.
struct SplitProgram<'a> {
    program: &'a Program,
    /// Which variables are hoisted.
    hoisted: Vec<bool>,
    /// The hoisted variables that the rest needs.
    values: Vec<Var>,
}

impl SplitProgram<'_> {
    fn new(program: &Program, constants: usize) -> SplitProgram<'_> {
        let mut same = vec![false; program.var_count()];
        same[..constants].fill(true);
        for e in program.equations() {
            if e.inputs.iter().all(|v| same[v.index()]) && !e.op.is_opaque() {
                e.outputs.iter().for_each(|v| same[v.index()] = true);
            }
        }
        // From the end: a result that is larger than its operands is better computed at each step, unless a hoisted
        // equation needs it. Equations without operands cost nothing where they are.
        let mut hoisted = vec![false; program.var_count()];
        let mut wanted = vec![false; program.var_count()];
        let bytes = |vars: &[Var]| vars.iter().filter_map(|&v| program.ty(v).bytes()).max().unwrap_or(0);
        for e in program.equations().iter().rev() {
            let moves = !e.inputs.is_empty() && e.outputs.iter().all(|v| same[v.index()]);
            let wanted_here = e.outputs.iter().any(|v| wanted[v.index()]);
            if moves && (wanted_here || bytes(&e.outputs) <= bytes(&e.inputs)) {
                e.outputs.iter().for_each(|v| hoisted[v.index()] = true);
                e.inputs.iter().for_each(|v| wanted[v.index()] = true);
            }
        }
        let stays = |e: &&Equation| !e.outputs.iter().any(|v| hoisted[v.index()]);
        let read = program.equations().iter().filter(stays).flat_map(|e| &e.inputs).chain(program.outputs());
        let mut values: Vec<Var> = read.copied().filter(|v| hoisted[v.index()]).collect();
        values.sort();
        values.dedup();
        SplitProgram { program, hoisted, values }
    }

    /// A copy of the program to take parts of; its variables keep their numbers.
    fn copy(&self) -> Builder {
        let mut b = Builder::new();
        let inputs = b.inputs_of(self.program);
        b.inline(self.program, &inputs);
        b
    }

    /// The hoisted equations, from the constants of the loop to the variables that the rest needs.
    fn hoisted(&self, constants: usize) -> Program {
        let moves = |e: &Equation| e.inputs.is_empty() || e.outputs.iter().any(|v| self.hoisted[v.index()]);
        let b = self.copy();
        b.extract(&self.program.inputs()[..constants], &self.values, &b.live(&self.values, moves))
    }

    /// The rest. It also takes the hoisted variables of the loop's other programs, which it does not use.
    fn rest(&self, constants: usize, before: &[Type], after: &[Type]) -> Program {
        let mut b = self.copy();
        let (before, after) = (b.inputs(before), b.inputs(after));
        let (consts, others) = self.program.inputs().split_at(constants);
        let inputs = [consts, &before, &self.values, &after, others].concat();
        let stays = |e: &Equation| !e.outputs.iter().any(|v| self.hoisted[v.index()]);
        let outputs = self.program.outputs();
        b.extract(&inputs, outputs, &b.live(outputs, stays)).with_name(self.program.name())
    }
}

fn hoisted(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let LoopOperands { consts, carries } = c.op.rules().as_loop()?;
    let programs = programs(c.op);
    let splits: Vec<SplitProgram> = programs.iter().map(|p| SplitProgram::new(p, consts)).collect();
    if splits.iter().all(|s| s.values.is_empty()) {
        return None;
    }
    let mut x = c.x[..consts].to_vec();
    let mut types: Vec<Vec<Type>> = Vec::new();
    for split in &splits {
        let values = r.inline(&split.hoisted(consts), &c.x[..consts]);
        types.push(values.iter().map(|&v| r.ty(v).clone()).collect());
        x.extend(values);
    }
    let count = x.len() - consts;
    x.extend(&c.x[consts..]);
    let rest =
        |(i, split): (usize, &SplitProgram<'_>)| split.rest(consts, &types[..i].concat(), &types[i + 1..].concat());
    let rest = splits.iter().enumerate().map(rest).map(Arc::new);
    let op = c.op.rules().with_loop(LoopOperands { consts: consts + count, carries }, rest.collect())?;
    Some(r.add(op, &x))
}
