//! What one loop stacks for another. The gradient of a scan is a second scan, which reads what the first kept of each
//! step. Where light ops make that from something smaller, the smaller is stacked, and the second scan computes the rest
//! again: of the step of an LSTM three arrays are left of twelve. What to stack is a minimum cut of the step.

use super::cut::Network;
use super::{Pass, Simplifier};
use crate::builder::Builder;
use crate::op::Op;
use crate::ops::Scan;
use crate::program::{Equation, Program, Var, VarInfo, Vars};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// What it costs to stack an array, beside its bytes.
const ARRAY: u64 = 4096;

/// How many equations may be computed again for each array that was stacked.
const AGAIN: usize = 32;

/// The program with less stacked by scans for later scans of the same length, which compute the rest again. Every value
/// stays as it is. For devices that start a kernel for each array that is stacked, and to need less memory; where ops
/// run one by one it takes longer.
///
/// ```
/// use wengert_core::{Program, simplify::stack_less};
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
/// let less = stack_less(&p).to_string();
/// assert!(less.contains("return d, d\n") && less.contains("program (z: f32[], d: f32[])"), "{less}");
/// ```
pub fn stack_less(program: &Program) -> Program {
    let mut stacks = Stacks { done: FxHashMap::default(), changed: 0 };
    let less = stacks.program(program.clone());
    if stacks.changed == 0 { less } else { Simplifier::new(&[Pass::Common, Pass::Dead]).run(&less) }
}

struct Stacks {
    /// What became of nested programs.
    done: FxHashMap<*const Program, (Arc<Program>, Arc<Program>)>,
    /// How many scans stack less.
    changed: usize,
}

impl Stacks {
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
            self.changed += relieve(&mut program, first, &scans[k + 1..]).is_some() as usize;
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

/// Where the arrays that a scan walks along begin among its operands.
fn walked(scan: &Scan) -> usize {
    scan.consts + scan.carries
}

/// Whether an op computes each element from a few others, or moves elements of one array: as a part of another kernel it
/// costs little.
fn is_light(op: &Op) -> bool {
    let moves = matches!(op, Op::Broadcast(_) | Op::Reshape(_) | Op::Transpose(_) | Op::Reverse(_) | Op::Slice(_));
    let computes = matches!(op, Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select(_) | Op::Clamp(_));
    let converts = matches!(op, Op::Convert(_) | Op::Bitcast(_) | Op::ReducePrecision(_));
    moves || computes || converts || matches!(op, Op::Constant(_) | Op::Iota(_))
}

/// Lets one scan stack less for the later ones that read it, if that is cheaper.
fn relieve(program: &mut Program, first: usize, later: &[usize]) -> Option<()> {
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

    // Where a reader finds values of the step: operands of the scan, and what it stacks for others too.
    let mut at: FxHashMap<Var, Var> = kept.iter().map(|&k| (value(k), stacked[k])).collect();
    let operands = producer.body.inputs.iter().copied().zip(e.inputs.iter().copied()).enumerate();
    at.extend(operands.filter(|(i, _)| !(producer.consts..walked(&producer)).contains(i)).map(|(_, pair)| pair));
    let wanted: FxHashSet<Var> = lost.iter().map(|&k| value(k)).collect();
    let cut = cut(&producer.body, &wanted, &at)?;

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
        let (op, inputs) = computing(&producer, &at, &lost, reader, &e.inputs);
        (e.op, e.inputs) = (op.into(), inputs);
    }
    Some(())
}

/// Whether a scan walks along what another of the same length has stacked.
fn reads(e: &Equation, producer: &Scan, stacked: &[Var]) -> bool {
    scan(e).is_some_and(|s| s.length == producer.length && e.inputs[walked(s)..].iter().any(|v| stacked.contains(v)))
}

/// What is used in any other way than as an array that one of these scans walks along.
fn used_elsewhere(program: &Program, readers: &[usize]) -> FxHashSet<Var> {
    let mut used: FxHashSet<Var> = program.outputs.iter().copied().collect();
    for (i, e) in program.equations.iter().enumerate() {
        let others = match scan(e) {
            Some(s) if readers.contains(&i) => walked(s),
            _ => e.inputs.len(),
        };
        used.extend(&e.inputs[..others]);
    }
    used
}

/// The cheapest values of a step from which light ops make the wanted ones, with what is at hand; if they are cheaper than
/// the wanted ones themselves.
fn cut(step: &Program, wanted: &FxHashSet<Var>, at_hand: &FxHashMap<Var, Var>) -> Option<Vec<Var>> {
    let cost = |v: Var| step.ty(v).bytes().map_or(u64::MAX >> 24, |bytes| bytes as u64) + ARRAY;
    let mut network = Network::new(step.var_count());
    let mut needed = vec![false; step.var_count()];
    wanted.iter().for_each(|v| needed[v.index()] = true);
    let mut add = |v: Var, made_of: Option<&[Var]>| {
        if !needed[v.index()] || at_hand.contains_key(&v) {
            return;
        }
        network.node(v.index(), cost(v));
        if wanted.contains(&v) {
            network.ends(v.index());
        }
        let Some(x) = made_of else { return network.begins(v.index()) };
        for x in x.iter().filter(|x| !at_hand.contains_key(x)) {
            network.edge(x.index(), v.index());
            needed[x.index()] = true;
        }
    };
    for e in step.equations.iter().rev() {
        let made_of = is_light(&e.op).then_some(&e.inputs[..]);
        e.outputs.iter().for_each(|&v| add(v, made_of));
    }
    step.inputs.iter().for_each(|&v| add(v, None));
    let (price, cut) = network.cheapest();
    if price >= wanted.iter().map(|&v| cost(v)).sum() {
        return None;
    }
    let cut: Vec<Var> = cut.into_iter().map(|i| Var(i as u32)).collect();
    let have: FxHashSet<Var> = at_hand.keys().chain(&cut).copied().collect();
    let again = equations_again(step, wanted, &have).iter().filter(|again| **again).count();
    (again <= AGAIN * wanted.len()).then_some(cut)
}

/// Which equations make the wanted values from those that one has.
fn equations_again(step: &Program, wanted: &FxHashSet<Var>, have: &FxHashSet<Var>) -> Vec<bool> {
    let mut needed: FxHashSet<Var> = wanted.difference(have).copied().collect();
    let mut again = vec![false; step.equations.len()];
    for (e, again) in step.equations.iter().zip(&mut again).rev() {
        *again = e.outputs.iter().any(|v| needed.contains(v));
        if *again {
            needed.extend(e.inputs.iter().filter(|v| !have.contains(v)));
        }
    }
    again
}

/// A scan that computes again what was stacked for it, and its operands. `at` says where it finds values of the step of
/// `producer`, and `lost` what of them the arrays were that are gone.
fn computing(
    producer: &Scan,
    at: &FxHashMap<Var, Var>,
    lost: &FxHashMap<Var, Var>,
    reader: &Scan,
    x: &[Var],
) -> (Scan, Vars) {
    let step = &producer.body;
    let wanted: FxHashSet<Var> = x[walked(reader)..].iter().filter_map(|v| lost.get(v)).copied().collect();
    let again = equations_again(step, &wanted, &at.keys().copied().collect());
    let again: Vec<&Equation> = step.equations.iter().zip(again).filter(|(_, again)| *again).map(|(e, _)| e).collect();
    let mut from: Vec<Var> = again.iter().flat_map(|e| &e.inputs).chain(&wanted).copied().collect();
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
        for i in range.filter(|&i| i < walked(reader) || !lost.contains_key(&x[i])) {
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
    for e in again {
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
