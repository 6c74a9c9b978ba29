//! `contract`: a product that one sum or difference uses becomes a part of it, rounded once.
//!
//! Of two products that are added, the later one is taken: its factors are there last. Products that something else uses
//! too, or that are results, are left alone, for they are computed anyway.

use super::walk::{Budget, rebuilt};
use wengert_core::ops::{Binary, MulAdd, Unary};
use wengert_core::{Builder, DType, Equation, Op, Program, Var, Vars};
use wengert_x86::faults::{Fault, is_planted};

pub(super) fn contract(program: &Program, budget: &mut Budget) -> Option<Program> {
    let mut uses = vec![0usize; program.var_count()];
    let used = program.equations().iter().flat_map(|e| &e.inputs).chain(program.outputs());
    used.for_each(|v| uses[v.index()] += 1);
    // For each variable, the factors of which it is the product, if only one equation uses it.
    let mut products: Vec<Option<[Var; 2]>> = vec![None; program.var_count()];
    // For each sum or difference that is contracted, by its result, which operand is the product.
    let mut chosen: Vec<Option<usize>> = vec![None; program.var_count()];
    let before = budget.made();
    for e in program.equations() {
        let Op::Binary(op) = e.op else { continue };
        let y = e.outputs[0];
        match op {
            _ if !matches!(program.ty(y).dtype, DType::F32 | DType::F64) => {}
            Binary::Mul if uses[y.index()] == 1 => products[y.index()] = Some([e.inputs[0], e.inputs[1]]),
            Binary::Add | Binary::Sub => {
                let product = |i: &usize| products[e.inputs[*i].index()].is_some();
                let last = (0..2).filter(product).max_by_key(|&i| e.inputs[i].index());
                chosen[y.index()] = last.filter(|_| budget.take());
            }
            _ => {}
        }
    }
    if budget.made() == before {
        return None;
    }
    Some(rebuilt(program, |b, env, e| {
        let product = chosen[e.outputs.first()?.index()]?;
        let factors = products[e.inputs[product].index()]?.map(|v| env[v.index()]);
        Some(contracted(b, e, factors, env[e.inputs[1 - product].index()], product))
    }))
}

/// The sum or difference `e`, whose operand number `product` is the product of these factors.
fn contracted(b: &mut Builder, e: &Equation, [x, y]: [Var; 2], other: Var, product: usize) -> Vars {
    let (x, other) = match (&e.op, product) {
        (Op::Binary(Binary::Sub), 0) => (x, b.unary(Unary::Neg, other)),
        (Op::Binary(Binary::Sub), _) if is_planted(Fault::ContractedDifference) => (x, other),
        (Op::Binary(Binary::Sub), _) => (b.unary(Unary::Neg, x), other),
        _ => (x, other),
    };
    b.push(MulAdd {}, &[x, y, other])
}
