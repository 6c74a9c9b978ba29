//! `products_after_loops`: a loop that adds a product to a carry in each step, which is what the gradient of a loop in its
//! weights does, gives the factors of all steps instead, and one product after the loop sums over the steps too. The loop
//! no longer reads and writes a carry as large as the weights.
//!
//! The sums of a step are then no longer apart from those of the next: results are rounded in other places.

use super::walk::{Budget, rebuilt};
use std::sync::Arc;
use wengert_core::ops::{Binary, DotGeneral, Scan};
use wengert_core::{Builder, Dims, Op, Program, Type, Var, Vars};

/// Loops of fewer steps stay as they are.
const STEPS: usize = 4;

pub(super) fn products_after_loops(program: &Program, budget: &mut Budget) -> Option<Program> {
    let before = budget.made();
    let new = rebuilt(program, |b, env, e| {
        let Op::Scan(op) = &e.op else { return None };
        let sums: Vec<Option<Vec<Product>>> = find(op, budget);
        if sums.iter().all(Option::is_none) {
            return None;
        }
        let x: Vec<Var> = e.inputs.iter().map(|v| env[v.index()]).collect();
        let types: Vec<Type> = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
        Some(write(b, op, &sums, &x, &types))
    });
    (budget.made() > before).then_some(new)
}

/// A product of a step, by the variables that it multiplies.
struct Product {
    op: DotGeneral,
    factors: [Var; 2],
}

/// For each carry, the products that a step adds to it, if it does nothing else with it and the rewrite pays.
fn find(op: &Scan, budget: &mut Budget) -> Vec<Option<Vec<Product>>> {
    let body = &op.body;
    let mut uses = vec![0; body.var_count()];
    body.equations().iter().flat_map(|e| &e.inputs).chain(body.outputs()).for_each(|v| uses[v.index()] += 1);
    let mut defined: Vec<Option<usize>> = vec![None; body.var_count()];
    for (i, e) in body.equations().iter().enumerate() {
        e.outputs.iter().for_each(|v| defined[v.index()] = Some(i));
    }
    // What is stacked takes no more memory than what the loop walks along or stacks anyway.
    let (walked, stacked) = (&body.inputs()[op.consts + op.carries..], &body.outputs()[op.carries..]);
    let bytes = |v: &Var| body.ty(*v).bytes().unwrap_or(usize::MAX);
    let mut room: usize = walked.iter().chain(stacked).map(bytes).fold(0, usize::saturating_add);
    let is_constant = |v: &Var| body.inputs()[..op.consts].contains(v);
    let mut known: Vec<Var> = walked.iter().chain(stacked).copied().collect();
    let mut of = |carry: usize| -> Option<Vec<Product>> {
        let (start, mut sum) = (body.inputs()[op.consts + carry], body.outputs()[carry]);
        let mut products = Vec::new();
        while sum != start {
            let add = &body.equations()[defined[sum.index()].filter(|_| uses[sum.index()] == 1)?];
            if add.op != Op::Binary(Binary::Add) || !body.ty(sum).dtype.is_float() {
                return None;
            }
            let product = |v: Var| match &body.equations()[defined[v.index()].filter(|_| uses[v.index()] == 1)?] {
                e if matches!(e.op, Op::DotGeneral(_)) => Some(e),
                _ => None,
            };
            let (rest, dot) = match (product(add.inputs[0]), product(add.inputs[1])) {
                (_, Some(dot)) => (add.inputs[0], dot),
                (Some(dot), None) => (add.inputs[1], dot),
                (None, None) => return None,
            };
            let Op::DotGeneral(op) = &dot.op else { return None };
            products.push(Product { op: op.clone(), factors: [dot.inputs[0], dot.inputs[1]] });
            sum = rest;
        }
        let factors: Vec<Var> = products.iter().flat_map(|p| p.factors).collect();
        if products.is_empty() || uses[start.index()] != 1 || factors.iter().any(is_constant) {
            return None;
        }
        let mut new: Vec<Var> = factors.into_iter().filter(|v| !known.contains(v)).collect();
        new.sort();
        new.dedup();
        let taken = new.iter().map(bytes).fold(0, usize::saturating_add);
        if taken > room || taken > bytes(&start) || !budget.take() {
            return None;
        }
        room -= taken;
        known.extend(new);
        Some(products)
    };
    let carries = if op.length < STEPS { 0 } else { op.carries };
    (0..op.carries).map(|c| if c < carries { of(c) } else { None }).collect()
}

/// Writes the loop without the carries that are sums, and the products after it.
fn write(b: &mut Builder, op: &Scan, sums: &[Option<Vec<Product>>], x: &[Var], types: &[Type]) -> Vars {
    let body = &op.body;
    let first_walked = op.consts + op.carries;
    let is_sum = |i: usize| i >= op.consts && i < first_walked && sums[i - op.consts].is_some();
    let mut inner = Builder::new();
    let mut env: Vec<Option<Var>> = vec![None; body.var_count()];
    for (i, &v) in body.inputs().iter().enumerate().filter(|(i, _)| !is_sum(*i)) {
        let new = inner.input(body.ty(v).clone());
        inner.copy_name(body, v, new);
        env[v.index()] = Some(new);
        debug_assert_eq!(v.index(), i);
    }
    for e in body.equations() {
        // Sums alone read carries that are gone.
        let Some(x) = e.inputs.iter().map(|v| env[v.index()]).collect::<Option<Vars>>() else { continue };
        inner.set_place(e.place.clone());
        let types = e.outputs.iter().map(|&v| body.ty(v).clone()).collect();
        for (&v, &new) in e.outputs.iter().zip(&inner.push_typed(e.op.clone(), &x, types)) {
            inner.copy_name(body, v, new);
            env[v.index()] = Some(new);
        }
    }
    // What the loop gives: carries that stay, what it stacks, and factors that it does not walk along.
    let mut stacked: Vec<Var> = body.outputs()[op.carries..].to_vec();
    for v in sums.iter().flatten().flatten().flat_map(|p| p.factors) {
        if !body.inputs()[first_walked..].contains(&v) && !stacked.contains(&v) {
            stacked.push(v);
        }
    }
    let carried = (0..op.carries).filter(|&c| sums[c].is_none()).map(|c| body.outputs()[c]);
    let outputs: Option<Vec<Var>> = carried.chain(stacked.iter().copied()).map(|v| env[v.index()]).collect();
    let new_body = inner.finish(&outputs.expect("computed without the sums")).with_name(body.name());
    let carries = sums.iter().filter(|s| s.is_none()).count();
    let operands: Vec<Var> = x.iter().enumerate().filter(|(i, _)| !is_sum(*i)).map(|(_, &v)| v).collect();
    let y = b.push(Scan { carries, body: Arc::new(new_body), ..op.clone() }, &operands);
    let all_steps = |v: Var| match body.inputs()[first_walked..].iter().position(|w| *w == v) {
        Some(at) => x[first_walked + at],
        None => y[carries + stacked.iter().position(|s| *s == v).expect("stacked")],
    };
    let mut kept = y[..carries].iter();
    let mut results: Vars = Vars::new();
    for (c, sum) in sums.iter().enumerate() {
        results.push(match sum {
            None => *kept.next().expect("a carry that stays"),
            Some(products) => products.iter().rev().fold(x[op.consts + c], |sum, p| {
                let product = b.one(over_steps(&p.op), &p.factors.map(all_steps));
                b.push_typed(Binary::Add.into(), &[sum, product], vec![types[c].clone()])[0]
            }),
        });
    }
    results.extend(y[carries..carries + types.len() - op.carries].iter().copied());
    results
}

/// The product of the factors of all steps, which lie along a new first axis, summed over the steps too.
fn over_steps(op: &DotGeneral) -> DotGeneral {
    let later = |d: &Dims| d.iter().map(|d| d + 1).collect::<Dims>();
    let summed = |d: &Dims| std::iter::once(0).chain(later(d)).collect::<Dims>();
    DotGeneral {
        contract: (summed(&op.contract.0), summed(&op.contract.1)),
        batch: (later(&op.batch.0), later(&op.batch.1)),
    }
}
