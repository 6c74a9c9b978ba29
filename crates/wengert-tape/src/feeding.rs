//! Queries by result: what fed one of several results of a call, a loop or a staged function, and nothing of what fed the
//! others.

use crate::node::{Node, NodeRef};
use crate::row::{Kind, Ref};
use rustc_hash::FxHashSet;
use wengert_core::{Op, Program};

/// Which operands of an op feed one of its results; none if all do.
fn operands_of(op: &Op, out: usize) -> Option<Vec<bool>> {
    match op {
        Op::Call(c) => Some(inputs_of(&c.program, &[out])),
        Op::Cond(c) => {
            let mut feeds = vec![true];
            for branch in &c.branches {
                let inputs = inputs_of(branch, &[out]);
                feeds.resize(inputs.len() + 1, false);
                feeds[1..].iter_mut().zip(inputs).for_each(|(f, i)| *f |= i);
            }
            Some(feeds)
        }
        Op::Scan(s) => Some(loop_inputs(&s.body, [s.consts, s.carries], vec![out])),
        Op::While(w) => {
            // Its condition decides how often all of it runs.
            let carries = w.body.outputs().len();
            let mut decides = inputs_of(&w.cond, &[0]);
            let carried = (0..carries).filter(|i| decides[w.consts + i]).chain([out]).collect();
            let feeds = loop_inputs(&w.body, [w.consts, carries], carried);
            decides.iter_mut().zip(feeds).for_each(|(d, f)| *d |= f);
            Some(decides)
        }
        _ => None,
    }
}

/// Which inputs of the body of a loop feed these results, in however many turns.
fn loop_inputs(body: &Program, [consts, carries]: [usize; 2], mut wanted: Vec<usize>) -> Vec<bool> {
    loop {
        let inputs = inputs_of(body, &wanted);
        let more: Vec<usize> = (0..carries).filter(|i| inputs[consts + i] && !wanted.contains(i)).collect();
        if more.is_empty() {
            return inputs;
        }
        wanted.extend(more);
    }
}

/// Which inputs of a program feed these outputs.
fn inputs_of(program: &Program, outputs: &[usize]) -> Vec<bool> {
    let mut needed = vec![false; program.var_count()];
    outputs.iter().filter_map(|&i| program.outputs().get(i)).for_each(|v| needed[v.index()] = true);
    for e in program.equations().iter().rev() {
        let outputs: Vec<usize> = (0..e.outputs.len()).filter(|&i| needed[e.outputs[i].index()]).collect();
        for out in outputs {
            let feeds = operands_of(&e.op, out);
            for (i, x) in e.inputs.iter().enumerate() {
                needed[x.index()] |= feeds.as_ref().is_none_or(|f| f.get(i).copied().unwrap_or(true));
            }
        }
    }
    program.inputs().iter().map(|v| needed[v.index()]).collect()
}

impl<'t> NodeRef<'t> {
    /// All that this result depends on, the latest first: of a call, a loop or a staged function with several results, what fed
    /// this one.
    pub fn backward(self) -> impl Iterator<Item = Node<'t>> {
        let tape = self.node.tape();
        let mut seen = FxHashSet::default();
        let mut todo = vec![Ref { at: self.node.id, out: self.out as u32 }];
        let mut found = Vec::new();
        while let Some(r) = todo.pop() {
            for next in fed_by(Node { tape, id: r.at }, r.out).into_iter().filter(|&r| seen.insert(r)) {
                found.push(next.at);
                todo.push(next);
            }
        }
        found.sort_unstable_by_key(|&id| std::cmp::Reverse((tape.row(id).returns().unwrap_or(id), id)));
        found.dedup();
        found.into_iter().map(move |id| Node { tape, id })
    }
}

/// The results that feed a result of a node.
fn fed_by(n: Node<'_>, out: u32) -> Vec<Ref> {
    let tape = n.tape();
    let operand = |&r: &Ref| match r.is_constant() {
        false => Some(r),
        true => tape.node_of(r).map(|at| Ref { at, out: 0 }),
    };
    let (row, refs) = (tape.row(n.id), tape.refs_of(n.id));
    if let Some(returned) = row.returns() {
        return tape.refs_of(returned).get(out as usize).and_then(operand).into_iter().collect();
    }
    match row.kind() {
        Kind::Branch if row.results_len == 0 => refs.get(out as usize).and_then(operand).into_iter().collect(),
        _ => {
            let feeds = n.op().filter(|_| row.results_len > 1).and_then(|op| operands_of(op, out as usize));
            let wanted = |i: usize| feeds.as_ref().is_none_or(|f| f.get(i).copied().unwrap_or(true));
            refs.iter().enumerate().filter(|(i, _)| wanted(*i)).filter_map(|(_, r)| operand(r)).collect()
        }
    }
}
