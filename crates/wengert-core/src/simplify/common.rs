//! Common subexpressions are computed once: each equation is looked up among those before it.

use super::RewriteCounts;
use crate::op::Op;
use crate::ops::{Binary, Direction};
use crate::program::{Equation, Program, Var, Vars};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub(super) const NAME: &str = "same equation";

/// The program with equal equations made one, and equal nested programs shared.
pub(super) fn program(program: Program, made: &mut RewriteCounts) -> Program {
    ProgramTable { same: FxHashMap::default(), by_hash: FxHashMap::default(), made }.program(program)
}

/// Nested programs met so far: the memoized result of each, and one of all that are equal.
struct ProgramTable<'a> {
    same: FxHashMap<*const Program, (Arc<Program>, Arc<Program>)>,
    by_hash: FxHashMap<Arc<Program>, ()>,
    made: &'a mut RewriteCounts,
}

impl ProgramTable<'_> {
    fn nested(&mut self, p: &Arc<Program>) -> Arc<Program> {
        if let Some((_, new)) = self.same.get(&Arc::as_ptr(p)) {
            return new.clone();
        }
        let before = self.made.get(NAME).copied();
        let done = self.program(Program::clone(p));
        let new = if self.made.get(NAME).copied() == before { p.clone() } else { Arc::new(done) };
        let new = match self.by_hash.get_key_value(&new) {
            Some((known, ())) => known.clone(),
            None => {
                self.by_hash.insert(new.clone(), ());
                new
            }
        };
        self.same.insert(Arc::as_ptr(p), (p.clone(), new.clone()));
        new
    }

    fn program(&mut self, mut program: Program) -> Program {
        // Equations by the hash of what they compute. Almost always there is one for each hash.
        let mut seen: FxHashMap<u64, SmallVec<[u32; 1]>> = FxHashMap::default();
        let mut equations: Vec<Equation> = Vec::with_capacity(program.equations.len());
        // For each variable, the one that it is the same as.
        let mut same: Vec<Var> = (0..program.var_count() as u32).map(Var).collect();
        let mut count = 0;
        for mut e in std::mem::take(&mut program.equations) {
            e.inputs.iter_mut().for_each(|v| *v = same[v.index()]);
            if !e.op.programs().is_empty() {
                e.op = e.op.map_programs(&mut |p| self.nested(p));
            }
            let key = EquationKey::of(&e.op, &e.inputs);
            let candidates = seen.entry(key.hash()).or_default();
            let before = candidates.iter().map(|&i| &equations[i as usize]);
            let twin = before.clone().find(|t| !e.op.is_opaque() && key == EquationKey::of(&t.op, &t.inputs));
            match twin {
                Some(twin) => {
                    for (&v, &w) in e.outputs.iter().zip(&twin.outputs) {
                        same[v.index()] = w;
                        if program.vars[w.index()].name.is_none() {
                            program.vars[w.index()].name = program.vars[v.index()].name.take();
                        }
                    }
                    count += 1;
                }
                None => {
                    candidates.push(equations.len() as u32);
                    equations.push(e);
                }
            }
        }
        program.equations = equations;
        if count == 0 {
            return program;
        }
        *self.made.entry(NAME).or_insert(0) += count;
        program.outputs.iter_mut().for_each(|v| *v = same[v.index()]);
        program.renumbered()
    }
}

/// What an equation computes: its op and operands, in one order where the order does not count.
#[derive(PartialEq)]
struct EquationKey<'a> {
    op: &'a Op,
    inputs: Vars,
}

impl EquationKey<'_> {
    fn of<'a>(op: &'a Op, inputs: &[Var]) -> EquationKey<'a> {
        let mut inputs: Vars = inputs.into();
        // Of a sum of two NaN it does not count which one it is. The order may tell which zero the larger of two is.
        let commutes = match op {
            Op::Binary(op) => matches!(op, Binary::Add | Binary::Mul | Binary::And | Binary::Or | Binary::Xor),
            Op::Compare(c) => matches!(c.direction, Direction::Eq | Direction::Ne),
            _ => false,
        };
        if commutes {
            inputs.sort();
        }
        EquationKey { op, inputs }
    }

    fn hash(&self) -> u64 {
        let mut h = FxHasher::default();
        (self.op, &self.inputs).hash(&mut h);
        h.finish()
    }
}
