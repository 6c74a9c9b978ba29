//! Reductions and selections under windows that reach past the array or into its gaps: the array is padded, and a mark
//! beside each element says whether there is one.

use crate::program;
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Program, Shape, Tensor, Type, Var};

/// Operands padded as a window asks, the padding marked, and the window over that. The first is whether there is an
/// element.
fn padded(b: &mut Builder, w: &Window, x: &[Var], holes: &[Var]) -> (Vec<Var>, Window) {
    let pad = Pad {
        low: w.padding.iter().map(|p| p.0).collect(),
        high: w.padding.iter().map(|p| p.1).collect(),
        interior: w.base_dilation.iter().map(|d| d - 1).collect(),
    };
    let bool = Type::new(DType::Bool, b.shape(x[0]).clone());
    let (element, none) = (b.full(&bool, 1.0), b.zeros(&Type::scalar(DType::Bool)));
    let mut out = vec![b.one(pad.clone(), &[element, none])];
    out.extend(x.iter().zip(holes).map(|(&x, &hole)| b.one(pad.clone(), &[x, hole])));
    let rank = w.size.len();
    let window =
        Window { padding: vec![(0, 0); rank], base_dilation: std::iter::repeat_n(1, rank).collect(), ..w.clone() };
    (out, window)
}

/// A window over operands that are marked where there is an element; what is not there is left out.
pub(crate) fn reduce_window(op: &ReduceWindow, types: &[Type]) -> Option<Program> {
    // A named combiner has an identity, which may stand where no element is.
    let Combiner::Program(combine) = &op.combiner else { return None };
    if !op.window.has_holes() {
        return None;
    }
    let n = types.len() / 2;
    let mark = Type::scalar(DType::Bool);
    let scalars: Vec<Type> = types[..n].iter().map(|t| Type::scalar(t.dtype)).collect();
    let one: Vec<Type> = [mark.clone()].into_iter().chain(scalars).collect();
    let marked = program(one.iter().chain(&one), |b, x| {
        let (p, q) = x.split_at(n + 1);
        let both = b.inline(combine, &[&p[1..], &q[1..]].concat());
        let mut out = vec![b.binary(Binary::Or, p[0], q[0])];
        for i in 0..n {
            let there = b.select(p[0], both[i], q[i + 1]);
            out.push(b.select(q[0], there, p[i + 1]));
        }
        out
    });
    Some(program(types, |b, x| {
        let (arrays, starts) = x.split_at(n);
        let (mut args, window) = padded(b, &op.window, arrays, starts);
        args.push(b.full(&mark, 1.0));
        args.extend(starts);
        let over = ReduceWindow { combiner: Combiner::Program(Arc::new(marked)), window };
        b.push(over, &args)[1..].to_vec()
    }))
}

/// The element of another array at the place each window selects, and zero where there is nothing to select.
fn selected(b: &mut Builder, select: &Selector, window: &Window, operand: Var, source: Var) -> Var {
    let mark = Type::scalar(DType::Bool);
    let (value, other) = (Type::scalar(b.dtype(operand)), Type::scalar(b.dtype(source)));
    let choose = program([&mark, &value, &other, &mark, &value, &other], |b, x| {
        let keep = match select {
            Selector::Named(direction) => b.compare(*direction, x[1], x[4]),
            Selector::Program(p) => b.inline(p, &[x[1], x[4]])[0],
        };
        let alone = b.unary(Unary::Not, x[3]);
        let keep = b.binary(Binary::Or, keep, alone);
        let first = b.binary(Binary::And, x[0], keep);
        let there = b.binary(Binary::Or, x[0], x[3]);
        vec![there, b.select(first, x[1], x[4]), b.select(first, x[2], x[5])]
    });
    let zeros = [b.zeros(&value), b.zeros(&other)];
    let (mut args, window) = padded(b, window, &[operand, source], &zeros);
    args.extend([b.zeros(&mark), zeros[0], zeros[1]]);
    b.push(ReduceWindow { combiner: Combiner::Program(choose.into()), window }, &args)[2]
}

/// Both arrays reduced together.
pub(crate) fn select_and_gather(op: &SelectAndGather, types: &[Type]) -> Program {
    program(types, |b, x| vec![selected(b, &op.select, &op.window, x[0], x[1])])
}

/// The places selected, and a scatter to them.
pub(crate) fn select_and_scatter(op: &SelectAndScatter, types: &[Type]) -> Program {
    program(types, |b, x| {
        let (operand, source) = (b.ty(x[0]).clone(), b.ty(x[1]).clone());
        let size = operand.shape.size();
        let index = if i32::try_from(size).is_ok() { DType::I32 } else { DType::I64 };
        let flat = Type::new(index, [size]);
        let places = b.one(Iota { ty: flat, dim: 0 }, &[]);
        // From one, so that zero says that nothing was selected; then from zero, where that lies outside.
        let places = b.offset(places, 1.0);
        let places = b.reshape(places, &operand.shape);
        let at = selected(b, &op.select, &op.window, x[0], places);
        let at = b.offset(at, -1.0);
        let count = source.shape.size();
        let at = b.reshape(at, &[count, 1].into());
        let updates = b.reshape(x[1], &[count].into());
        let line: Shape = [operand.shape.size()].into();
        let start = match op.combiner.identity(source.dtype) {
            Some(identity) => b.constant(Tensor::splat(line, identity)),
            None => b.broadcast(x[2], &line, &[]),
        };
        let scatter = Scatter {
            indexing: Indexing::rows(1, 1),
            update: Update::Combine(op.combiner.clone()),
            indices_are_sorted: false,
            unique_indices: false,
        };
        let y = b.one(scatter, &[start, at, updates]);
        vec![b.reshape(y, &operand.shape)]
    })
}
