//! Fewer residuals for the gradients of scans. The gradient of a scan is a second scan, which reads the residuals that the
//! first stacked at each step. Where light ops make residuals from something smaller, the smaller is stacked, and the
//! second scan recomputes the residuals: of the step of an LSTM three arrays are left of twelve. What to stack is a
//! minimum cut of the step.

use super::min_cut::Network;
use super::{Pass, Simplifier};
use crate::builder::Builder;
use crate::op::Op;
use crate::ops::Scan;
use crate::program::{Equation, Program, Var, VarInfo, Vars};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// What it costs to stack an array, in bytes beside its own.
const ARRAY_COST: u64 = 4096;

/// How many equations may be recomputed for each residual that is no longer stacked.
const MAX_RECOMPUTED: usize = 32;

/// The program whose scans stack fewer residuals for later scans of the same length, which recompute the others. Every
/// value stays as it is. For devices that start a kernel for each array that is stacked, and to need less memory; where
/// ops run one by one it takes longer.
///
/// ```
/// use wengert_core::{Program, simplify::shrink_residuals};
/// let p = Program::parse(
///     "program f(c: f32[], x: f32[9]) {
///   y: f32[], s: f32[9], t: f32[9] = scan[length=9, consts=0, carries=1, reverse=false,
///     body=program (c: f32[], x: f32[]) {
///       d: f32[] = mul(c, x)
///       s: f32[] = sin(d)
///       t: f32[] = cos(d)
///       return d, s, t
///     }](c, x)
///   z: f32[] = scan[length=9, consts=0, carries=1, reverse=true,
///     body=program (z: f32[], s: f32[], t: f32[]) {
///       a: f32[] = add(z, s)
///       b: f32[] = mul(a, t)
///       return b
///     }](y, s, t)
///   return z
/// }",
/// )
/// .unwrap();
/// let less = shrink_residuals(&p).to_string();
/// assert!(less.contains("return d, d\n") && less.contains("program (z: f32[], d: f32[])"), "{less}");
/// ```
pub fn shrink_residuals(program: &Program) -> Program {
    let mut shrinker = Shrinker { done: FxHashMap::default(), changed: 0 };
    let less = shrinker.program(program.clone());
    if shrinker.changed == 0 { less } else { Simplifier::new(&[Pass::Common, Pass::Dead]).run(&less) }
}

struct Shrinker {
    /// Nested programs and what became of them, by the address of the former.
    done: FxHashMap<*const Program, (Arc<Program>, Arc<Program>)>,
    /// How many scans stack fewer residuals.
    changed: usize,
}

impl Shrinker {
    fn nested(&mut self, p: &Arc<Program>) -> Arc<Program> {
        if let Some((_, new)) = self.done.get(&Arc::as_ptr(p)) {
            return new.clone();
        }
        let before = self.changed;
        let new = self.program(Program::clone(p));
        let new = if self.changed == before { p.clone() } else { Arc::new(new) };
        self.done.insert(Arc::as_ptr(p), (p.clone(), new.clone()));
        new
    }

    fn program(&mut self, mut program: Program) -> Program {
        for e in &mut program.equations {
            if !e.op.programs().is_empty() {
                e.op = e.op.map_programs(&mut |p| self.nested(p));
            }
        }
        let before = self.changed;
        let scans: Vec<usize> =
            (0..program.equations.len()).filter(|&i| scan(&program.equations[i]).is_some()).collect();
        for (k, &first) in scans.iter().enumerate() {
            self.changed += shrink_scan(&mut program, first, &scans[k + 1..]).is_some() as usize;
        }
        if self.changed == before { program } else { program.renumbered() }
    }
}

fn scan(e: &Equation) -> Option<&Scan> {
    match &e.op {
        Op::Scan(scan) => Some(scan),
        _ => None,
    }
}

/// The number of the first operand of a scan that is sliced: one slice for each step.
fn first_sliced(scan: &Scan) -> usize {
    scan.consts + scan.carries
}

/// Whether an op computes each element from a few others, or moves elements of one array: as a part of another kernel it
/// costs little.
fn is_light(op: &Op) -> bool {
    let moves = matches!(op, Op::Broadcast(_) | Op::Reshape(_) | Op::Transpose(_) | Op::Reverse(_) | Op::Slice(_));
    let computes =
        matches!(op, Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select(_) | Op::Clamp(_) | Op::MulAdd(_));
    let converts = matches!(op, Op::Convert(_) | Op::Bitcast(_) | Op::ReducePrecision(_));
    moves || computes || converts || matches!(op, Op::Constant(_) | Op::Iota(_))
}

/// Lets one scan stack fewer residuals for the later scans that read them, if that is cheaper.
fn shrink_scan(program: &mut Program, first: usize, later: &[usize]) -> Option<()> {
    let e = &program.equations[first];
    let producer = scan(e)?.clone();
    let stacked: Vars = e.outputs[producer.carries..].into();
    let readers: Vec<usize> =
        later.iter().copied().filter(|&i| reads(&program.equations[i], &producer, &stacked)).collect();
    if readers.is_empty() {
        return None;
    }
    let elsewhere = used_elsewhere(program, &readers);
    let value = |k: usize| producer.body.outputs[producer.carries + k];
    let (lost, kept): (Vec<usize>, Vec<usize>) = (0..stacked.len()).partition(|&k| !elsewhere.contains(&stacked[k]));

    // The variables that hold values of the step for readers: operands of the scan, and what it stacks for others too.
    let mut at: FxHashMap<Var, Var> = kept.iter().map(|&k| (value(k), stacked[k])).collect();
    let operands = producer.body.inputs.iter().copied().zip(e.inputs.iter().copied()).enumerate();
    at.extend(operands.filter(|(i, _)| !(producer.consts..first_sliced(&producer)).contains(i)).map(|(_, pair)| pair));
    let wanted: FxHashSet<Var> = lost.iter().map(|&k| value(k)).collect();
    let cut = cheapest_residuals(&producer.body, &wanted, &at)?;

    let mut body = Program::clone(&producer.body);
    body.outputs = body.outputs[..producer.carries].to_vec();
    let mut outputs: Vars = e.outputs[..producer.carries].into();
    for &k in &kept {
        body.outputs.push(value(k));
        outputs.push(stacked[k]);
    }
    for &v in &cut {
        let ty = producer.body.ty(v);
        let new = Var(program.vars.len() as u32);
        program.vars.push(VarInfo { ty: ty.with_shape(ty.shape.with_axis(0, producer.length)), name: None });
        body.outputs.push(v);
        outputs.push(new);
        at.insert(v, new);
    }
    let e = &mut program.equations[first];
    e.outputs = outputs;
    e.op = Scan { body: Arc::new(body), ..producer.clone() }.into();

    let lost: FxHashMap<Var, Var> = lost.into_iter().map(|k| (stacked[k], value(k))).collect();
    for i in readers {
        let e = &mut program.equations[i];
        let reader = scan(e).expect("readers are scans");
        let (op, inputs) = recomputing_reader(&producer, &at, &lost, reader, &e.inputs);
        (e.op, e.inputs) = (op.into(), inputs);
    }
    Some(())
}

/// Whether a scan slices what another of the same length has stacked.
fn reads(e: &Equation, producer: &Scan, stacked: &[Var]) -> bool {
    scan(e)
        .is_some_and(|s| s.length == producer.length && e.inputs[first_sliced(s)..].iter().any(|v| stacked.contains(v)))
}

/// The variables with a use other than being sliced by one of these scans.
fn used_elsewhere(program: &Program, readers: &[usize]) -> FxHashSet<Var> {
    let mut used: FxHashSet<Var> = program.outputs.iter().copied().collect();
    for (i, e) in program.equations.iter().enumerate() {
        let others = match scan(e) {
            Some(s) if readers.contains(&i) => first_sliced(s),
            _ => e.inputs.len(),
        };
        used.extend(&e.inputs[..others]);
    }
    used
}

/// The cheapest values of a step from which, and from the values at hand, light ops make the wanted ones; if they are
/// cheaper than the wanted ones themselves.
fn cheapest_residuals(step: &Program, wanted: &FxHashSet<Var>, at_hand: &FxHashMap<Var, Var>) -> Option<Vec<Var>> {
    let cost = |v: Var| step.ty(v).bytes().map_or(u64::MAX >> 24, |bytes| bytes as u64) + ARRAY_COST;
    let mut network = Network::new(step.var_count());
    let mut needed = vec![false; step.var_count()];
    wanted.iter().for_each(|v| needed[v.index()] = true);
    let mut add = |v: Var, made_of: Option<&[Var]>| {
        if !needed[v.index()] || at_hand.contains_key(&v) {
            return;
        }
        network.add_node(v.index(), cost(v));
        if wanted.contains(&v) {
            network.add_sink(v.index());
        }
        let Some(x) = made_of else { return network.add_source(v.index()) };
        for x in x.iter().filter(|x| !at_hand.contains_key(x)) {
            network.add_edge(x.index(), v.index());
            needed[x.index()] = true;
        }
    };
    for e in step.equations.iter().rev() {
        let made_of = is_light(&e.op).then_some(&e.inputs[..]);
        e.outputs.iter().for_each(|&v| add(v, made_of));
    }
    step.inputs.iter().for_each(|&v| add(v, None));
    let (price, cut) = network.min_cut();
    if price >= wanted.iter().map(|&v| cost(v)).sum() {
        return None;
    }
    let cut: Vec<Var> = cut.into_iter().map(|i| Var(i as u32)).collect();
    let have: FxHashSet<Var> = at_hand.keys().chain(&cut).copied().collect();
    let recomputed = recomputed_equations(step, wanted, &have).iter().filter(|r| **r).count();
    (recomputed <= MAX_RECOMPUTED * wanted.len()).then_some(cut)
}

/// For each equation of a step, whether it is needed to make the wanted values from those that one has.
fn recomputed_equations(step: &Program, wanted: &FxHashSet<Var>, have: &FxHashSet<Var>) -> Vec<bool> {
    let mut needed: FxHashSet<Var> = wanted.difference(have).copied().collect();
    let mut recomputed = vec![false; step.equations.len()];
    for (e, recomputed) in step.equations.iter().zip(&mut recomputed).rev() {
        *recomputed = e.outputs.iter().any(|v| needed.contains(v));
        if *recomputed {
            needed.extend(e.inputs.iter().filter(|v| !have.contains(v)));
        }
    }
    recomputed
}

/// The reading scan with the recomputation of its residuals in each step, and its operands. `at` has the variable that
/// holds a value of the step of `producer`, one slice for each step; `lost` has that value for each array that is no longer
/// stacked.
fn recomputing_reader(
    producer: &Scan,
    at: &FxHashMap<Var, Var>,
    lost: &FxHashMap<Var, Var>,
    reader: &Scan,
    x: &[Var],
) -> (Scan, Vars) {
    let step = &producer.body;
    let wanted: FxHashSet<Var> = x[first_sliced(reader)..].iter().filter_map(|v| lost.get(v)).copied().collect();
    let needed = recomputed_equations(step, &wanted, &at.keys().copied().collect());
    let recomputed: Vec<&Equation> =
        step.equations.iter().zip(needed).filter(|(_, needed)| *needed).map(|(e, _)| e).collect();
    let mut from: Vec<Var> = recomputed.iter().flat_map(|e| &e.inputs).chain(&wanted).copied().collect();
    from.retain(|v| at.contains_key(v));
    from.sort();
    from.dedup();
    // Constants come first among the inputs of a step, and so among these.
    let (constant, sliced) = from.split_at(from.partition_point(|v| v.index() < producer.consts));

    let mut b = Builder::new();
    let mut inputs = Vars::new();
    let mut made: FxHashMap<Var, Var> = FxHashMap::default();
    let mut own: Vec<Option<Var>> = vec![None; x.len()];
    let mut take = |range: Range<usize>, b: &mut Builder, inputs: &mut Vars| {
        for i in range.filter(|&i| i < first_sliced(reader) || !lost.contains_key(&x[i])) {
            let v = reader.body.inputs[i];
            let new = b.input(reader.body.ty(v).clone());
            b.copy_name(&reader.body, v, new);
            own[i] = Some(new);
            inputs.push(x[i]);
        }
    };
    let mut borrow = |values: &[Var], b: &mut Builder, inputs: &mut Vars| {
        for &v in values {
            let new = b.input(step.ty(v).clone());
            b.copy_name(step, v, new);
            made.insert(v, new);
            inputs.push(at[&v]);
        }
    };
    take(0..reader.consts, &mut b, &mut inputs);
    borrow(constant, &mut b, &mut inputs);
    take(reader.consts..x.len(), &mut b, &mut inputs);
    borrow(sliced, &mut b, &mut inputs);
    for e in recomputed {
        let x: Vars = e.inputs.iter().map(|v| made[v]).collect();
        b.set_place(e.place.clone());
        let y = b.push(e.op.clone(), &x);
        for (&v, y) in e.outputs.iter().zip(y) {
            b.copy_name(step, v, y);
            made.insert(v, y);
        }
    }
    let args: Vec<Var> = own.iter().zip(x).map(|(own, x)| own.unwrap_or_else(|| made[&lost[x]])).collect();
    let y = b.inline(&reader.body, &args);
    let body = Arc::new(b.finish(&y).with_name(reader.body.name()));
    (Scan { consts: reader.consts + constant.len(), body, ..reader.clone() }, inputs)
}
