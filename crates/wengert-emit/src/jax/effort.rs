//! How long JAX takes for a run, op by op or compiled as a whole: an estimate, by what was measured once.

use crate::tree::{CallTree, Does, FunctionId, Step, Transform};
use rustc_hash::FxHashSet;
use wengert_core::{Op, Type};

/// A run that takes no longer than this the way it went is left so, in milliseconds.
const PATIENCE: usize = 40_000;
/// What JAX takes to compile an op that it has not seen.
const COMPILED: usize = 40;
/// How many ops that it has seen run in a millisecond.
const KNOWN_OPS: usize = 5;
/// The time of one program goes with the square of its ops: that of so many is a millisecond.
const WHOLE_OPS: usize = 40;

/// What a run does in JAX.
pub(super) struct Effort {
    /// Steps, as they are run op by op.
    steps: usize,
    /// Those that are compiled, for they differ.
    pub(super) different: usize,
    /// Ops of the whole as one program.
    whole: usize,
}

impl Effort {
    /// What the outermost function of a tree does.
    pub(super) fn of(tree: &CallTree) -> Effort {
        let (mut steps, mut whole) = (vec![0usize; tree.functions.len()], vec![0usize; tree.functions.len()]);
        for (i, f) in tree.functions.iter().enumerate() {
            let inside =
                |s: &Step, of: &[usize]| s.does.functions().iter().fold(0usize, |n, &id| n.saturating_add(of[id]));
            let by_step = |s: &Step| match &s.does {
                Does::Call(id) | Does::Caught(id, _) => steps[*id],
                // The derivative of each comes after it.
                Does::Transform { by, .. } if *by != Transform::Jit => inside(s, &steps).saturating_mul(2),
                _ => 1,
            };
            let as_a_whole = |s: &Step| match &s.does {
                Does::Call(_) | Does::Caught(..) | Does::Transform { by: Transform::Jit, .. } => inside(s, &whole),
                Does::Transform { .. } => inside(s, &whole).saturating_mul(2),
                _ => inside(s, &whole).saturating_add(1),
            };
            let total = |of: &dyn Fn(&Step) -> usize| f.steps.iter().map(of).fold(0, usize::saturating_add);
            (steps[i], whole[i]) = (total(&by_step), total(&as_a_whole));
        }
        let last = tree.functions.len() - 1;
        let mut found = Found { tree, walked: FxHashSet::default(), kinds: FxHashSet::default(), anew: 0 };
        found.walk(last, false);
        Effort { steps: steps[last], different: found.kinds.len() + found.anew, whole: whole[last] }
    }

    /// Whether the run is to go op by op: as it went, unless that takes long and the other way is faster.
    pub(super) fn is_for_one_by_one(&self, went_so: bool) -> bool {
        let one_by_one = self.different.saturating_mul(COMPILED).saturating_add(self.steps / KNOWN_OPS);
        let ops = self.whole / WHOLE_OPS;
        let whole = ops.saturating_mul(ops);
        match went_so {
            true => one_by_one <= PATIENCE || one_by_one <= whole,
            false => whole > PATIENCE && one_by_one < whole,
        }
    }
}

/// The different steps of a run.
struct Found<'t> {
    tree: &'t CallTree,
    /// Functions that were looked at, as they are and as transforms run them.
    walked: FxHashSet<(FunctionId, bool)>,
    /// Ops on operands of these types, and staged functions, by name.
    kinds: FxHashSet<(String, Vec<Type>, bool)>,
    /// Staged functions that hold something: JAX compiles those at each call.
    anew: usize,
}

impl Found<'_> {
    fn walk(&mut self, id: FunctionId, transformed: bool) {
        if !self.walked.insert((id, transformed)) {
            return;
        }
        let tree = self.tree;
        let f = &tree.functions[id];
        for s in &f.steps {
            match &s.does {
                Does::Primitive(Op::Constant(_), _) => {}
                Does::Returned(_) | Does::Own(_) | Does::Raise(_) | Does::Recorded(_) => {}
                Does::Call(id) | Does::Caught(id, _) => self.walk(*id, transformed),
                Does::Transform { by: Transform::Jit, held: 1.., .. } => self.anew += 1,
                Does::Transform { by: Transform::Jit, function, .. } => {
                    self.kinds.insert((format!("jit {function}"), Vec::new(), transformed));
                }
                Does::Transform { function, .. } => {
                    self.walk(*function, transformed);
                    self.walk(*function, true);
                }
                Does::Primitive(op, _) => {
                    let types = s.operands.iter().map(|&v| f.variables[v].ty.clone()).collect();
                    self.kinds.insert((op.to_string(), types, transformed));
                }
            }
        }
    }
}
