//! Dead code: equations, results of loops and calls, and operands of theirs, that nothing needs.

use super::RewriteCounts;
use crate::op::{LoopOperands, Op};
use crate::program::{Program, Var};
use rustc_hash::FxHashMap;
use std::sync::Arc;

const EQUATION: &str = "unused equation";
const RESULT: &str = "unused result or operand";

/// The program without what nothing needs.
pub(super) fn program(program: Program, made: &mut RewriteCounts) -> Program {
    Narrower { cut: FxHashMap::default(), made }.program(program)
}

/// An op that gives fewer results, or takes fewer operands, than before.
#[derive(Clone, Debug)]
pub struct NarrowedOp {
    /// The op.
    pub op: Op,
    /// Which operands are left.
    pub operands: Vec<bool>,
    /// Which results are left: all that are wanted, at least.
    pub results: Vec<bool>,
}

/// Cuts nested programs for [`Rules::narrow`](crate::Rules::narrow), memoized: a program that many equations hold is cut
/// once, and stays shared.
#[derive(Debug)]
pub struct Narrower<'a> {
    cut: FxHashMap<CutProgram, (Arc<Program>, Arc<Program>)>,
    made: &'a mut RewriteCounts,
}

/// The key of a cut: the address of a program, and which outputs or inputs are kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum CutProgram {
    Outputs(*const Program, Vec<bool>),
    Inputs(*const Program, Vec<bool>),
}

impl Narrower<'_> {
    /// The program with only the outputs that are wanted, and without what they do not need. Inputs are left.
    pub fn outputs(&mut self, program: &Arc<Program>, wanted: &[bool]) -> Arc<Program> {
        let key = CutProgram::Outputs(Arc::as_ptr(program), wanted.to_vec());
        if let Some((_, done)) = self.cut.get(&key) {
            return done.clone();
        }
        let before: usize = self.made.values().sum();
        let mut narrow = Program::clone(program);
        narrow.outputs = kept(&narrow.outputs, wanted);
        let narrow = self.program(narrow);
        let same = wanted.iter().all(|w| *w) && self.made.values().sum::<usize>() == before;
        let done = if same { program.clone() } else { Arc::new(narrow) };
        self.cut.insert(key, (program.clone(), done.clone()));
        done
    }

    /// The program with only the inputs that are kept; it uses none of the others.
    pub fn inputs(&mut self, program: &Arc<Program>, keep: &[bool]) -> Arc<Program> {
        if keep.iter().all(|k| *k) {
            return program.clone();
        }
        let key = CutProgram::Inputs(Arc::as_ptr(program), keep.to_vec());
        let cut = || {
            let mut narrow = Program::clone(program);
            narrow.inputs = kept(&narrow.inputs, keep);
            (program.clone(), Arc::new(narrow.renumbered()))
        };
        self.cut.entry(key).or_insert_with(cut).1.clone()
    }

    /// A loop without results that are not wanted, the carries that only they need, and constants that nothing uses.
    pub fn narrow_loop(&mut self, op: &Op, parts: LoopOperands, wanted: &[bool]) -> Option<NarrowedOp> {
        let LoopOperands { consts, carries } = parts;
        let programs = op.programs();
        let (body, others) = programs.split_last()?;
        // A carry is needed if its last value is, or if what is wanted depends on it at any step; and so it is if
        // another program reads it, as the condition of a loop does.
        let out = body.outputs();
        let fed = |i: usize| i.checked_sub(consts).filter(|&i| i < carries).map(|i| out[i]);
        let mut start = kept(out, wanted);
        for used in others.iter().map(|p| p.used_inputs()) {
            start.extend((0..used.len()).filter(|&i| used[i]).filter_map(fed));
        }
        let needed = body.needed(&start, fed);
        let mut results = wanted.to_vec();
        for i in 0..carries {
            results[i] |= needed[body.inputs()[consts + i].index()] || start.contains(&out[i]);
        }
        let mut cut: Vec<Arc<Program>> =
            others.iter().map(|p| self.outputs(p, &vec![true; p.outputs().len()])).collect();
        cut.push(self.outputs(body, &results));
        let mut operands = vec![false; body.inputs().len()];
        for p in &cut {
            operands.iter_mut().zip(p.used_inputs()).for_each(|(o, used)| *o |= used);
        }
        operands[consts..consts + carries].copy_from_slice(&results[..carries]);
        let cut = cut.iter().map(|p| self.inputs(p, &operands)).collect();
        let count = |kept: &[bool]| kept.iter().filter(|k| **k).count();
        let parts = LoopOperands { consts: count(&operands[..consts]), carries: count(&results[..carries]) };
        Some(NarrowedOp { op: op.rules().with_loop(parts, cut)?, operands, results })
    }

    fn program(&mut self, mut program: Program) -> Program {
        let mut needed = vec![false; program.var_count()];
        program.outputs.iter().for_each(|v| needed[v.index()] = true);
        let (mut unused, mut narrowed) = (0, 0);
        let mut live = vec![false; program.equations.len()];
        for (e, live) in program.equations.iter_mut().zip(&mut live).rev() {
            let wanted: Vec<bool> = e.outputs.iter().map(|v| needed[v.index()]).collect();
            if !wanted.contains(&true) {
                unused += 1;
                continue;
            }
            *live = true;
            if !e.op.programs().is_empty() {
                if let Some(n) = e.op.rules().narrow(&wanted, self) {
                    narrowed += (n.operands.contains(&false) || n.results.contains(&false)) as usize;
                    e.op = n.op;
                    e.inputs = kept(&e.inputs, &n.operands).into();
                    e.outputs = kept(&e.outputs, &n.results).into();
                } else {
                    e.op = e.op.map_programs(&mut |p| self.outputs(p, &vec![true; p.outputs().len()]));
                }
            }
            e.inputs.iter().for_each(|v| needed[v.index()] = true);
        }
        for (name, n) in [(EQUATION, unused), (RESULT, narrowed)] {
            if n > 0 {
                *self.made.entry(name).or_insert(0) += n;
            }
        }
        if unused + narrowed == 0 {
            return program;
        }
        let mut live = live.into_iter();
        program.equations.retain(|_| live.next() == Some(true));
        program.renumbered()
    }
}

fn kept(vars: &[Var], keep: &[bool]) -> Vec<Var> {
    vars.iter().zip(keep).filter(|(_, k)| **k).map(|(v, _)| *v).collect()
}
