//! The last step: a program without names, its inputs and equations in the order they are used in, so that the same failure
//! gives the same text wherever it came from.

use super::Reducer;
use crate::case::Case;
use std::sync::Arc;
use wengert_core::{Builder, Program, Var};

pub(super) fn canonical(r: &mut Reducer<'_>) {
    let (program, inputs) = in_order(r.best.program(), true);
    let inputs = inputs.iter().map(|&i| r.best.inputs()[i].clone()).collect();
    let Ok(case) = Case::new(program, inputs) else { return };
    if case.program().to_text() != r.best.program().to_text() {
        r.take_as_small(case);
    }
}

/// The program with its equations in the order that its outputs ask for, and the number of the input that each of its inputs
/// was; those of a program inside stay as they are.
fn in_order(p: &Program, outermost: bool) -> (Program, Vec<usize>) {
    let definitions = p.definitions();
    let mut seen = vec![false; p.equations().len()];
    let mut order: Vec<usize> = Vec::new();
    let mut used: Vec<Var> = Vec::new();
    let mut open: Vec<(Var, bool)> = p.outputs().iter().rev().map(|&v| (v, false)).collect();
    while let Some((v, operands_are_there)) = open.pop() {
        match definitions[v.index()] {
            Some(e) if operands_are_there => order.push(e),
            Some(e) if !seen[e] => {
                seen[e] = true;
                open.push((v, true));
                open.extend(p.equations()[e].inputs.iter().rev().map(|&x| (x, false)));
            }
            None if !used.contains(&v) => used.push(v),
            _ => {}
        }
    }
    if !outermost {
        used = p.inputs().to_vec();
    }
    used.extend(p.inputs().iter().filter(|v| !used.contains(v)).copied().collect::<Vec<_>>());
    let mut b = Builder::new();
    let mut vars: Vec<Option<Var>> = vec![None; p.var_count()];
    for &v in &used {
        vars[v.index()] = Some(b.input(p.ty(v).clone()));
    }
    let new = |vars: &[Option<Var>], v: &Var| vars[v.index()].expect("what an equation takes is defined before it");
    for e in order.into_iter().map(|e| &p.equations()[e]) {
        let x: Vec<Var> = e.inputs.iter().map(|v| new(&vars, v)).collect();
        let op = e.op.map_programs(&mut |q| Arc::new(in_order(q, false).0));
        b.set_place(e.place.clone());
        let y = b.push(op, &x);
        e.outputs.iter().zip(y).for_each(|(v, y)| vars[v.index()] = Some(y));
    }
    let y: Vec<Var> = p.outputs().iter().map(|v| new(&vars, v)).collect();
    let number = |v: &Var| p.inputs().iter().position(|x| x == v).expect("an input");
    (b.finish(&y), used.iter().map(number).collect())
}
