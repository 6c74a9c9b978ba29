//! Products without transposes around them: an operand is read in the order it has before, and a result that only a
//! transpose uses is computed with both sides exchanged, if that leaves no transpose, or has the rows of another product on
//! the left. Each result stays the sum of the same products in the same order.
//!
//! A matrix that is the same in every step of a loop, and is read across its rows there, is transposed once, outside.

use super::walk::{Budget, rebuilt};
use std::sync::Arc;
use wengert_core::ops::{DotGeneral, Scan, Transpose};
use wengert_core::{Builder, Dims, Op, Program, Shape, Type, Var, Vars};

/// Makes the rewrite in the equations of a program.
pub(super) fn transposed_products(program: &Program, budget: &mut Budget) -> Option<Program> {
    let e = program.equations();
    let mut uses = vec![0; program.var_count()];
    e.iter().flat_map(|e| &e.inputs).chain(program.outputs()).for_each(|v| uses[v.index()] += 1);
    let mut defined: Vec<Option<usize>> = vec![None; program.var_count()];
    for (i, e) in e.iter().enumerate() {
        e.outputs.iter().for_each(|v| defined[v.index()] = Some(i));
    }
    // The transpose that an operand is, and what it is of.
    let transposed = |v: Var| match defined[v.index()].map(|i| &e[i]) {
        Some(of) => match &of.op {
            Op::Transpose(t) => Some((t.perm.clone(), of.inputs[0])),
            _ => None,
        },
        None => None,
    };
    let before = budget.made();
    let new = rebuilt(program, |b, env, e| match &e.op {
        Op::DotGeneral(op) => {
            let (mut op, mut x) = (op.clone(), [e.inputs[0], e.inputs[1]]);
            for (side, x) in x.iter_mut().enumerate() {
                if let Some((perm, before)) = transposed(*x)
                    && reads_in_order(&op, side, &perm)
                    && budget.take()
                {
                    let (contract, batch) = match side {
                        0 => (&mut op.contract.0, &mut op.batch.0),
                        _ => (&mut op.contract.1, &mut op.batch.1),
                    };
                    contract.iter_mut().chain(batch).for_each(|d| *d = perm[*d]);
                    *x = before;
                }
            }
            (x != [e.inputs[0], e.inputs[1]]).then(|| {
                let types = vec![program.ty(e.outputs[0]).clone()];
                b.push_typed(op.into(), &x.map(|v| env[v.index()]), types)
            })
        }
        Op::Transpose(t) if uses[e.inputs[0].index()] == 1 => {
            // The product as it was written anew.
            let product = b.definition(env[e.inputs[0].index()])?;
            let (Op::DotGeneral(op), x) = (&product.op, product.inputs.clone()) else { return None };
            let (batch, left) = (op.batch.0.len(), op.lhs_free(b.shape(x[0]).rank()).len());
            let (swapped, rank) = (batch + left, t.perm.len());
            let exchanged: Dims = (0..batch).chain(swapped..rank).chain(batch..swapped).collect();
            let is_exchanged = t.perm == exchanged;
            let is_better = has_rows(op, 1, b.shape(x[1])) && !has_rows(op, 0, b.shape(x[0]));
            if !(is_exchanged || is_better) || !budget.take() {
                return None;
            }
            let flip = |(l, r): &(Dims, Dims)| (r.clone(), l.clone());
            let op = DotGeneral { contract: flip(&op.contract), batch: flip(&op.batch) };
            let y = program.ty(e.outputs[0]);
            if is_exchanged {
                return Some(b.push_typed(op.into(), &[x[1], x[0]], vec![y.clone()]));
            }
            // Where an axis of the product is when both sides are exchanged.
            let at = |d: &usize| match *d {
                d if d < batch => d,
                d if d < swapped => d + rank - swapped,
                d => d - left,
            };
            let perm: Dims = t.perm.iter().map(at).collect();
            let mut shape = y.shape.clone();
            perm.iter().zip(&*y.shape).for_each(|(&d, &n)| shape.0[d] = n);
            let product = b.push_typed(op.into(), &[x[1], x[0]], vec![y.with_shape(shape)]);
            Some(b.push_typed(Transpose { perm }.into(), &product, vec![y.clone()]))
        }
        Op::Scan(op) => {
            let x: Vec<Var> = e.inputs.iter().map(|v| env[v.index()]).collect();
            let (op, x) = outside(b, op, x, budget)?;
            let types = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
            Some(b.push_typed(op.into(), &x, types))
        }
        _ => None::<Vars>,
    });
    (budget.made() > before).then_some(new)
}

/// Whether an operand is rows of what is summed over, in order: those of a product before it can go straight on. Axes of size
/// 1 may be anywhere.
pub(crate) fn has_rows(op: &DotGeneral, side: usize, shape: &Shape) -> bool {
    let (batch, contract) = match side {
        0 => (&op.batch.0, &op.contract.0),
        _ => (&op.batch.1, &op.contract.1),
    };
    let long = |dims: &mut dyn Iterator<Item = usize>| dims.filter(|&d| shape[d] != 1).collect::<Vec<usize>>();
    let (all, batch) = (long(&mut (0..shape.rank())), long(&mut batch.iter().copied()));
    let contract = long(&mut contract.iter().copied());
    all.starts_with(&batch) && contract.len() == 1 && all.last() == contract.first()
}

/// Whether the free axes of an operand have the same order before it is transposed.
fn reads_in_order(op: &DotGeneral, side: usize, perm: &[usize]) -> bool {
    let free = if side == 0 { op.lhs_free(perm.len()) } else { op.rhs_free(perm.len()) };
    free.iter().map(|&d| perm[d]).is_sorted()
}

/// Rows of the left side from which on a product lays the right side out anew, if that is read across its rows.
const ROWS: usize = 5;

/// A loop with these operands, where it multiplies by matrices that do not change and are read across their rows: such
/// matrices are transposed before it.
fn outside(b: &mut Builder, op: &Scan, mut x: Vec<Var>, budget: &mut Budget) -> Option<(Scan, Vec<Var>)> {
    let body = &op.body;
    // For each equation of the body, the number of the transposed matrix that it is to read.
    let mut chosen: Vec<Option<usize>> = vec![None; body.equations().len()];
    let mut matrices: Vec<usize> = Vec::new();
    for (i, e) in body.equations().iter().enumerate() {
        let Op::DotGeneral(dot) = &e.op else { continue };
        let (left, right) = (body.ty(e.inputs[0]), body.ty(e.inputs[1]));
        if right.rank() != 2 || dot.contract.1[..] != [1] || !dot.batch.1.is_empty() {
            continue;
        }
        let rows = left.shape.size() / right.shape[1].max(1);
        let constant = body.inputs()[..op.consts].iter().position(|v| *v == e.inputs[1]);
        let Some(constant) = constant.filter(|_| rows >= ROWS && right.shape[0] > 1) else { continue };
        if budget.take() {
            let number = matrices.iter().position(|c| *c == constant).unwrap_or(matrices.len());
            if number == matrices.len() {
                matrices.push(constant);
            }
            chosen[i] = Some(number);
        }
    }
    if matrices.is_empty() {
        return None;
    }
    let turned: Vec<Var> = matrices.iter().map(|&c| b.transpose(x[c], &[1, 0])).collect();
    let types: Vec<Type> = turned.iter().map(|&v| b.ty(v).clone()).collect();
    x.splice(op.consts..op.consts, turned);
    let mut inner = Builder::new();
    let mut env: Vec<Var> = Vec::with_capacity(body.var_count());
    let mut matrices: Vec<Var> = Vec::new();
    for (i, &v) in body.inputs().iter().enumerate() {
        if i == op.consts {
            matrices = inner.inputs(&types);
        }
        let new = inner.input(body.ty(v).clone());
        inner.copy_name(body, v, new);
        env.push(new);
    }
    if body.inputs().len() == op.consts {
        matrices = inner.inputs(&types);
    }
    for (i, e) in body.equations().iter().enumerate() {
        inner.set_place(e.place.clone());
        let types = e.outputs.iter().map(|&v| body.ty(v).clone()).collect();
        let mut x: Vars = e.inputs.iter().map(|v| env[v.index()]).collect();
        let op = match (&e.op, chosen[i]) {
            (Op::DotGeneral(dot), Some(number)) => {
                x[1] = matrices[number];
                DotGeneral { contract: (dot.contract.0.clone(), [0].as_slice().into()), ..dot.clone() }.into()
            }
            (op, _) => op.clone(),
        };
        for (&v, &new) in e.outputs.iter().zip(&inner.push_typed(op, &x, types)) {
            inner.copy_name(body, v, new);
            debug_assert_eq!(v.index(), env.len());
            env.push(new);
        }
    }
    let outputs: Vec<Var> = body.outputs().iter().map(|v| env[v.index()]).collect();
    let body = Arc::new(inner.finish(&outputs).with_name(body.name()));
    Some((Scan { consts: op.consts + types.len(), body, ..op.clone() }, x))
}
