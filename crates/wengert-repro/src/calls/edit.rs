//! Changes of call trees: a step for another, functions in the place of their calls, what nothing uses dropped.

use super::{FailedCalls, is_constant};
use crate::reduce::edit::TypeChange;
use crate::reduce::sizes::Change;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::ops::Constant;
use wengert_core::{DType, Op, Place, Scalar, Tensor, Type};
use wengert_emit::{CallTree, Does, Function, FunctionId, Step, Transform, Variable, VariableId};

/// The function inside of another that this failed in.
pub(super) fn failing_inside(tree: &CallTree, id: FunctionId) -> Option<FunctionId> {
    let f = &tree.functions[id];
    let step = f.fails.and(f.steps.last())?;
    step.does.functions().into_iter().find(|&id| tree.functions[id].fails.is_some())
}

/// Whether an array is zeros or ones.
pub(super) fn is_plain(x: &Tensor) -> bool {
    x.size() == 0 || x.splat_value().is_some_and(|s| matches!(s.as_f64(), Some(0.0 | 1.0)))
}

/// One number repeated.
pub(super) fn full(ty: &Type, number: i64) -> Tensor {
    Tensor::splat(ty.shape.clone(), Scalar::from_i64(ty.dtype, number))
}

fn constant(value: Tensor, result: VariableId, place: &Place) -> Step {
    let does = Does::Primitive(Constant { value }.into(), Vec::new());
    Step { does, operands: Vec::new(), results: vec![result], place: place.clone() }
}

/// Whether the functions that a step uses run as they stand in the tree; those of other ops are in the op.
fn runs_functions(does: &Does) -> bool {
    match does {
        Does::Primitive(op, _) => matches!(
            op,
            Op::Call(_)
                | Op::Scan(_)
                | Op::While(_)
                | Op::Cond(_)
                | Op::CustomJvp(_)
                | Op::CustomVjp(_)
                | Op::LinearSolve(_)
                | Op::Root(_)
        ),
        _ => true,
    }
}

impl FailedCalls {
    /// The functions that may be changed: all but those of which ops have programs.
    pub(super) fn changeable(&self) -> Vec<FunctionId> {
        let mut found = vec![false; self.tree.functions.len()];
        let mut todo = vec![self.tree.functions.len() - 1];
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut found[id], true) {
                let steps = self.tree.functions[id].steps.iter().filter(|s| runs_functions(&s.does));
                todo.extend(steps.flat_map(|s| s.does.functions()));
            }
        }
        (0..found.len()).rev().filter(|&id| found[id]).collect()
    }

    /// The same with another function for one.
    pub(super) fn with(&self, id: FunctionId, f: Function) -> FailedCalls {
        let mut new = self.clone();
        new.tree.functions[id] = f;
        new
    }

    pub(super) fn function(&self, id: FunctionId) -> &Function {
        &self.tree.functions[id]
    }

    /// The steps of a function that may go: but constants, and the one that fails.
    pub(super) fn droppable(&self, id: FunctionId) -> Vec<usize> {
        let f = self.function(id);
        let end = f.steps.len() - usize::from(f.fails.is_some());
        (0..end).filter(|&i| !is_constant(&f.steps[i])).collect()
    }

    /// The same with a number, repeated, for what these steps of a function give.
    pub(super) fn without_steps(&self, id: FunctionId, which: &[usize], number: i64) -> Option<FailedCalls> {
        let mut f = self.function(id).clone();
        let mut steps = Vec::new();
        for (i, step) in f.steps.into_iter().enumerate() {
            if !which.contains(&i) {
                steps.push(step);
                continue;
            }
            for &v in &step.results {
                if f.variables[v].function.is_some() {
                    return None;
                }
                steps.push(constant(full(&f.variables[v].ty, number), v, &step.place));
            }
        }
        f.steps = steps;
        Some(self.with(id, f))
    }

    /// The same with an operand of a step for its one result.
    pub(super) fn with_operand(&self, id: FunctionId, at: usize, operand: usize) -> Option<FailedCalls> {
        let mut f = self.function(id).clone();
        let (&[result], &operand) = (&f.steps[at].results[..], f.steps[at].operands.get(operand)?) else { return None };
        if f.variables[result] != (Variable { name: f.variables[result].name.clone(), ..f.variables[operand].clone() })
        {
            return None;
        }
        f.steps.remove(at);
        let uses = f.steps.iter_mut().map(|s| &mut s.operands).chain([&mut f.results]);
        uses.flatten().filter(|v| **v == result).for_each(|v| *v = operand);
        Some(self.with(id, f))
    }

    /// The same with the function of a call in its place, wherever one of these functions is called.
    pub(super) fn inlined(&self, which: impl Fn(FunctionId) -> bool) -> FailedCalls {
        let mut new = self.clone();
        // Each function after those it uses.
        for id in 0..new.tree.functions.len() {
            let mut at = 0;
            while at < new.tree.functions[id].steps.len() {
                match new.tree.functions[id].steps[at].does {
                    Does::Call(g) if which(g) => {
                        let g = new.tree.functions[g].clone();
                        at += g.steps.len();
                        let f = &mut new.tree.functions[id];
                        splice(f, at - g.steps.len(), g);
                    }
                    _ => at += 1,
                }
            }
        }
        new
    }

    /// The same with a call of a function for the step of another that uses it.
    pub(super) fn unwrapped(&self, id: FunctionId, at: usize, inside: FunctionId) -> Option<FailedCalls> {
        let (mut f, g) = (self.function(id).clone(), self.function(inside));
        let step = f.steps[at].clone();
        let given = plain_operands(&step);
        let mut operands = Vec::new();
        let mut before = Vec::new();
        for (i, &p) in g.parameters.iter().enumerate() {
            let wanted = &g.variables[p];
            let fits = |v: &VariableId| f.variables[*v].ty == wanted.ty && f.variables[*v].function == wanted.function;
            if let Some(v) = given.get(i).copied().filter(fits) {
                operands.push(v);
                continue;
            }
            if wanted.function.is_some() {
                return None;
            }
            let v = f.variables.len();
            before.push(constant(full(&wanted.ty, 1), v, &step.place));
            f.variables.push(Variable { name: None, ..wanted.clone() });
            operands.push(v);
        }
        // What does not fail must give the same.
        let type_of = |v: &VariableId| &f.variables[*v].ty;
        let same = |(y, v): (&VariableId, &VariableId)| g.variables[*y].ty == *type_of(v);
        if g.fails.is_none()
            && !(g.results.len() == step.results.len() && g.results.iter().zip(&step.results).all(same))
        {
            return None;
        }
        let mut results = step.results;
        results.truncate(g.gives());
        while results.len() < g.gives() {
            results.push(f.variables.len());
            f.variables.push(Variable { name: None, ty: Type::scalar(DType::F32), function: None });
        }
        f.steps[at] = Step { does: Does::Call(inside), operands, results, place: step.place };
        f.steps.splice(at..at, before);
        Some(self.with(id, f))
    }

    /// The same without a parameter that a function does not use, wherever it is given.
    pub(super) fn without_parameter(&self, id: FunctionId, at: usize) -> Option<FailedCalls> {
        let f = self.function(id);
        let v = f.parameters[at];
        let is_used = f.steps.iter().any(|s| s.operands.contains(&v)) || f.results.contains(&v);
        if is_used || f.parameters.iter().filter(|p| **p == v).count() > 1 {
            return None;
        }
        let mut new = self.clone();
        new.tree.functions[id].parameters.remove(at);
        for g in &mut new.tree.functions {
            for step in g.steps.iter_mut().filter(|s| s.does.functions().contains(&id)) {
                drop_operand(step, at)?;
            }
        }
        Some(new)
    }

    /// The same without an array that a branch is given and none of them uses.
    pub(super) fn without_choice(&self, id: FunctionId, at: usize, operand: usize) -> Option<FailedCalls> {
        let Does::Primitive(Op::Cond(_), branches) = &self.function(id).steps[at].does else { return None };
        let used =
            |f: &Function, v: &VariableId| f.steps.iter().any(|s| s.operands.contains(v)) || f.results.contains(v);
        let is_used = |&g: &FunctionId| {
            let f = self.function(g);
            f.parameters.get(operand).is_none_or(|v| used(f, v))
        };
        let users = self.tree.functions.iter().flat_map(|f| &f.steps);
        let is_alone = |g: &FunctionId| users.clone().filter(|s| s.does.functions().contains(g)).count() == 1;
        if branches.iter().any(is_used) || !branches.iter().all(is_alone) {
            return None;
        }
        let mut new = self.clone();
        let mut all: Vec<FunctionId> = branches.clone();
        all.sort_unstable();
        all.dedup();
        all.into_iter().for_each(|g| _ = new.tree.functions[g].parameters.remove(operand));
        new.tree.functions[id].steps[at].operands.remove(operand + 1);
        Some(new)
    }

    /// The same with one size for another.
    pub(super) fn resized(&self, change: Change) -> Option<FailedCalls> {
        let mut new = self.clone();
        for (f, old) in new.tree.functions.iter_mut().zip(&self.tree.functions) {
            f.variables.iter_mut().for_each(|v| v.ty = change.ty(&v.ty));
            for step in &mut f.steps {
                match &mut step.does {
                    Does::Primitive(op, _) => {
                        let types: Vec<Type> = step.operands.iter().map(|&v| old.variables[v].ty.clone()).collect();
                        let mut whole = true;
                        let changed = change.op(op.clone(), &types)?.map_programs(&mut |p| {
                            change.program(p).map_or_else(
                                || {
                                    whole = false;
                                    p.clone()
                                },
                                Arc::new,
                            )
                        });
                        *op = Some(changed).filter(|_| whole)?;
                    }
                    Does::Transform { by: Transform::Vmap { size: Some(n), .. }, .. } => *n = change.size(*n),
                    _ => {}
                }
            }
        }
        new.inputs = self.inputs.iter().map(|x| change.tensor(x)).collect::<Option<_>>()?;
        Some(new)
    }

    /// Without what nothing uses: steps, inputs, functions.
    pub(super) fn tidied(mut self) -> FailedCalls {
        for f in &mut self.tree.functions {
            let mut used = vec![false; f.variables.len()];
            f.results.iter().for_each(|&v| used[v] = true);
            let mut kept = Vec::new();
            for step in std::mem::take(&mut f.steps).into_iter().rev() {
                let fails = f.fails.is_some() && kept.is_empty();
                if fails || matches!(step.does, Does::Caught(..)) || step.results.iter().any(|&v| used[v]) {
                    step.operands.iter().for_each(|&v| used[v] = true);
                    kept.push(step);
                }
            }
            kept.reverse();
            f.steps = kept;
        }
        let main = self.tree.functions.len() - 1;
        let f = &mut self.tree.functions[main];
        let is_used = |v: &VariableId| f.steps.iter().any(|s| s.operands.contains(v)) || f.results.contains(v);
        let stays: Vec<bool> = f.parameters.iter().map(is_used).collect();
        let mut each = stays.iter();
        f.parameters.retain(|_| *each.next().expect("one each"));
        let mut each = stays.iter();
        self.inputs.retain(|_| *each.next().expect("one each"));
        self.tree.functions = self.tree.functions.into_iter().map(Function::numbered).collect();
        self.tree.bring_last(main);
        self
    }
}

/// Puts what a function does in the place of a call of it. Where it fails, nothing comes after it.
fn splice(f: &mut Function, at: usize, g: Function) {
    let call = f.steps.remove(at);
    let first = f.variables.len();
    f.variables.extend(g.variables.iter().cloned());
    let mut place: Vec<VariableId> = (first..first + g.variables.len()).collect();
    g.parameters.iter().zip(&call.operands).for_each(|(&p, &v)| place[p] = v);
    let mut steps = g.steps;
    for step in &mut steps {
        step.operands.iter_mut().chain(&mut step.results).for_each(|v| *v = place[*v]);
    }
    let after = steps.len() + at;
    f.steps.splice(at..at, steps);
    let given: FxHashMap<VariableId, VariableId> =
        call.results.iter().zip(&g.results).map(|(&result, &y)| (result, place[y])).collect();
    let uses = f.steps[after..].iter_mut().flat_map(|s| &mut s.operands).chain(&mut f.results);
    uses.for_each(|v| *v = given.get(v).copied().unwrap_or(*v));
}

/// What the function of a step takes, as far as it is what the step is given.
fn plain_operands(step: &Step) -> Vec<VariableId> {
    let all = &step.operands;
    match &step.does {
        Does::Transform { by: Transform::Jvp | Transform::Hvp, held, .. } => {
            let own = (all.len() - held) / 2;
            [&all[..own], &all[all.len() - held..]].concat()
        }
        Does::Primitive(Op::Cond(_), _) => all[1..].to_vec(),
        _ => all.clone(),
    }
}

/// Takes the operand that a function has for one of its parameters from a step that uses the function.
fn drop_operand(step: &mut Step, at: usize) -> Option<()> {
    let count = step.operands.len();
    match &mut step.does {
        Does::Call(_) | Does::Caught(..) | Does::Primitive(Op::Call(_), _) => {
            step.operands.remove(at);
        }
        Does::Transform { by, held, .. } => {
            let own = count - *held;
            let own = if matches!(by, Transform::Jvp | Transform::Hvp) { own / 2 } else { own };
            if at >= own {
                step.operands.remove(count - *held + (at - own));
                *held -= 1;
                return Some(());
            }
            match by {
                Transform::Jit => {}
                Transform::Vmap { in_axes, .. } => drop(in_axes.remove(at)),
                Transform::Jvp => drop(step.operands.remove(own + at)),
                Transform::Grad { wrt, .. } | Transform::Jacobian { wrt, .. } if at >= *wrt => {}
                _ => return None,
            }
            step.operands.remove(at);
        }
        Does::Primitive(Op::Scan(o), _) if at < o.consts => {
            step.operands.remove(at);
            o.consts -= 1;
        }
        _ => return None,
    }
    Some(())
}
