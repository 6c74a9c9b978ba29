//! Derivatives that JAX refuses: backwards through a loop that goes on until something holds.

use crate::tree::{CallTree, Derivatives, Does, FunctionId, Step, Transform};
use rustc_hash::FxHashSet;
use wengert_core::Op;

/// What is said of a run that JAX refuses, on its first loop that is differentiated backwards: by the name that its function has in
/// the file.
pub(super) fn note(tree: &CallTree, names: &[String]) -> Option<String> {
    let name = &names[refused(tree)?];
    Some(format!(
        "JAX refuses this run: it has no reverse-mode derivative of `lax.while_loop`, and the loop in `{name}` needs one"
    ))
}

/// The function that has such a loop.
fn refused(tree: &CallTree) -> Option<FunctionId> {
    let is_linear = |s: &&Step| matches!(s.does, Does::Transform { by: Transform::Linearize | Transform::Vjp, .. });
    let linear = tree.functions.iter().flat_map(|f| &f.steps).filter(is_linear);
    let mut search = Search { tree, linear: Vec::new(), seen: FxHashSet::default() };
    search.linear = linear.flat_map(|s| s.does.functions()).collect();
    for step in tree.functions.iter().flat_map(|f| &f.steps) {
        let Does::Transform { by, function, held } = &step.does else { continue };
        let own = step.operands.len() - held;
        let wrt = match by {
            Transform::Grad { wrt, .. } => *wrt,
            Transform::Jacobian { by: Derivatives::Reverse | Derivatives::Second, wrt, .. } => *wrt,
            Transform::Vjp => own,
            Transform::Hvp => own / 2,
            _ => continue,
        };
        let moves = (0..step.operands.len()).map(|i| i < wrt).collect();
        if let Some(found) = search.function(*function, moves) {
            return Some(found);
        }
    }
    None
}

/// The search for a loop that depends on what a derivative is taken in.
struct Search<'t> {
    tree: &'t CallTree,
    /// The functions that linear parts are taken of: these are transposed where one is called.
    linear: Vec<FunctionId>,
    /// Functions that have none, with which of their parameters move.
    seen: FxHashSet<(FunctionId, Vec<bool>)>,
}

impl Search<'_> {
    /// Where there is a loop in a function some of whose parameters move: the function itself, or one that it uses.
    fn function(&mut self, id: FunctionId, moves: Vec<bool>) -> Option<FunctionId> {
        if !moves.contains(&true) || !self.seen.insert((id, moves.clone())) {
            return None;
        }
        let f = &self.tree.functions[id];
        let has_derivative =
            |v: usize| f.variables[v].function.is_none() && f.variables[v].ty.dtype.is_differentiable();
        let mut moving = vec![false; f.variables.len()];
        for (&v, on) in f.parameters.iter().zip(moves) {
            moving[v] = on && has_derivative(v);
        }
        for step in &f.steps {
            let given: Vec<bool> = step.operands.iter().map(|&v| moving[v]).collect();
            if !given.contains(&true) || matches!(step.does, Does::Primitive(Op::StopGradient(_), _)) {
                continue;
            }
            if matches!(step.does, Does::Primitive(Op::While(_), _)) {
                return Some(id);
            }
            if let Some(found) = self.step(step, given) {
                return Some(found);
            }
            step.results.iter().for_each(|&v| moving[v] = has_derivative(v));
        }
        None
    }

    /// The same of the functions that a step uses, given which of its operands move.
    fn step(&mut self, step: &Step, given: Vec<bool>) -> Option<FunctionId> {
        match &step.does {
            Does::Primitive(Op::Scan(o), inside) => {
                // What is carried moves, once something does.
                let moves =
                    given.iter().enumerate().map(|(i, on)| *on || (o.consts..o.consts + o.carries).contains(&i));
                self.function(inside[0], moves.collect())
            }
            Does::Primitive(Op::Cond(_), inside) => {
                inside.iter().find_map(|&id| self.function(id, given[1..].to_vec()))
            }
            Does::Primitive(Op::CustomJvp(_), inside) => {
                let takes = self.tree.functions[inside[1]].parameters.len();
                self.function(inside[1], (0..takes).map(|i| i >= given.len()).collect())
            }
            Does::Primitive(Op::Call(_), inside) => self.function(inside[0], given),
            Does::Call(id) | Does::Caught(id, _) => self.function(*id, given),
            Does::Transform { by: Transform::Jvp | Transform::Hvp, function, held } => {
                let own = (given.len() - held) / 2;
                let moves = (0..own).map(|i| given[i] || given[own + i]).chain(given[2 * own..].iter().copied());
                self.function(*function, moves.collect())
            }
            Does::Transform { function, .. } => self.function(*function, given),
            Does::Returned(_) => self.linear.clone().into_iter().find_map(|id| {
                let takes = self.tree.functions[id].parameters.len();
                self.function(id, vec![true; takes])
            }),
            _ => None,
        }
    }
}
