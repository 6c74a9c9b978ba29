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
        // A gradient is of the first result.
        let count = tree.functions[*function].results.len();
        let wanted = (0..count).map(|i| i == 0 || !matches!(by, Transform::Grad { .. })).collect();
        if let Some(found) = search.function(*function, moves, wanted) {
            return Some(found);
        }
    }
    None
}

/// The search for a loop that depends on what a derivative is taken in, and that what is differentiated depends on.
struct Search<'t> {
    tree: &'t CallTree,
    /// The functions that linear parts are taken of: these are transposed where one is called.
    linear: Vec<FunctionId>,
    /// Functions that have none, with which of their parameters move, and which of their results are differentiated.
    seen: FxHashSet<(FunctionId, Vec<bool>, Vec<bool>)>,
}

impl Search<'_> {
    /// Where there is a loop in a function some of whose parameters move, and some of whose results are differentiated: the function
    /// itself, or one that it uses.
    fn function(&mut self, id: FunctionId, moves: Vec<bool>, wanted: Vec<bool>) -> Option<FunctionId> {
        if !moves.contains(&true) || !self.seen.insert((id, moves.clone(), wanted.clone())) {
            return None;
        }
        let f = &self.tree.functions[id];
        let moving = self.moving(id, &moves);
        let mut needed = vec![false; f.variables.len()];
        f.results.iter().zip(wanted).for_each(|(&v, wanted)| needed[v] |= wanted && moving[v]);
        let mut found = None;
        for step in f.steps.iter().rev() {
            let wanted: Vec<bool> = step.results.iter().map(|&v| needed[v]).collect();
            if !wanted.contains(&true) {
                continue;
            }
            if matches!(step.does, Does::Primitive(Op::While(_), _)) {
                found = Some(id);
            }
            let given = step.operands.iter().map(|&v| moving[v]).collect();
            found = self.step(step, given, wanted).or(found);
            step.operands.iter().for_each(|&v| needed[v] |= moving[v]);
        }
        found
    }

    /// Which variables of a function move with its parameters.
    fn moving(&self, id: FunctionId, moves: &[bool]) -> Vec<bool> {
        let f = &self.tree.functions[id];
        let has_derivative =
            |v: usize| f.variables[v].function.is_none() && f.variables[v].ty.dtype.is_differentiable();
        let mut moving = vec![false; f.variables.len()];
        for (&v, on) in f.parameters.iter().zip(moves) {
            moving[v] = *on && has_derivative(v);
        }
        for step in &f.steps {
            let given: Vec<bool> = step.operands.iter().map(|&v| moving[v]).collect();
            let linear = step.results.iter().any(|&v| f.variables[v].function.is_some());
            if !given.contains(&true) || matches!(step.does, Does::Primitive(Op::StopGradient(_), _)) {
                continue;
            }
            let results = match &step.does {
                Does::Primitive(Op::While(o), inside) => self.carried(o.consts, inside[1], given),
                Does::Call(id) | Does::Transform { by: Transform::Jit, function: id, .. } if !linear => {
                    self.results(*id, &given)
                }
                _ => vec![true; step.results.len()],
            };
            step.results.iter().zip(results).for_each(|(&v, on)| moving[v] = on && has_derivative(v));
        }
        moving
    }

    /// Which results of a function move with its parameters.
    fn results(&self, id: FunctionId, moves: &[bool]) -> Vec<bool> {
        let moving = self.moving(id, moves);
        self.tree.functions[id].results.iter().map(|&v| moving[v]).collect()
    }

    /// Which of what a loop carries moves at its end, given which of its operands do.
    fn carried(&self, consts: usize, body: FunctionId, mut given: Vec<bool>) -> Vec<bool> {
        loop {
            let before = given.clone();
            let next = self.results(body, &given);
            given[consts..].iter_mut().zip(next).for_each(|(on, next)| *on |= next);
            if given == before {
                return given.split_off(consts);
            }
        }
    }

    /// The same as for a function, of those that a step uses, given which of its operands move and which of its results are differentiated.
    fn step(&mut self, step: &Step, given: Vec<bool>, wanted: Vec<bool>) -> Option<FunctionId> {
        let all = |this: &Self, id: FunctionId| vec![true; this.tree.functions[id].results.len()];
        match &step.does {
            Does::Primitive(Op::Scan(o), inside) => {
                // What is carried moves, once something does, and is differentiated where the next step's is.
                let moves =
                    given.iter().enumerate().map(|(i, on)| *on || (o.consts..o.consts + o.carries).contains(&i));
                let wanted = wanted.iter().enumerate().map(|(i, on)| *on || i < o.carries);
                self.function(inside[0], moves.collect(), wanted.collect())
            }
            Does::Primitive(Op::Cond(_), inside) => {
                inside.iter().find_map(|&id| self.function(id, given[1..].to_vec(), wanted.clone()))
            }
            Does::Primitive(Op::CustomJvp(_), inside) => {
                let takes = self.tree.functions[inside[1]].parameters.len();
                let every = all(self, inside[1]);
                self.function(inside[1], (0..takes).map(|i| i >= given.len()).collect(), every)
            }
            Does::Primitive(Op::Call(_), inside) => self.function(inside[0], given, wanted),
            Does::Call(id) | Does::Caught(id, _) => self.function(*id, given, wanted),
            Does::Transform { by: Transform::Jvp | Transform::Hvp, function, held } => {
                let own = (given.len() - held) / 2;
                let moves = (0..own).map(|i| given[i] || given[own + i]).chain(given[2 * own..].iter().copied());
                self.function(*function, moves.collect(), all(self, *function))
            }
            Does::Transform { by: Transform::Jit | Transform::Vmap { .. }, function, .. } => {
                self.function(*function, given, wanted)
            }
            Does::Transform { function, .. } => self.function(*function, given, all(self, *function)),
            Does::Returned(_) => self.linear.clone().into_iter().find_map(|id| {
                let takes = self.tree.functions[id].parameters.len();
                self.function(id, vec![true; takes], all(self, id))
            }),
            _ => None,
        }
    }
}
