//! Loops, branches, solvers and rules whose functions called others: these are on the tape, and not only in the programs of the op.

use super::{Inside, Scope, Value};
use crate::maker::Maker;
use crate::tree::{Does, Function, FunctionId, Step, Variable, VariableId};
use wengert_core::ops::{CallKind, Constant, LinearSolve, Root, Scan, While};
use wengert_core::{Op, Place, Result, Scalar, Tensor};
use wengert_tape::{Kind, Node};

impl<'t> Scope<'t> {
    /// A loop, branch or solver with the functions that it was given; false if the tape has them only as programs.
    pub(super) fn control(&mut self, made: &mut Maker, n: Node<'t>, op: &Op) -> Result<bool> {
        let is_function = |c: Node<'_>| c.kind() == Kind::Call && c.is_abstract() && c.op().is_none();
        let has_functions = n.has_children() && !n.is_abstract() && n.children().all(is_function);
        let is_such = matches!(op, Op::Scan(_) | Op::While(_) | Op::Cond(_) | Op::LinearSolve(_) | Op::Root(_));
        if !has_functions || !is_such {
            return Ok(false);
        }
        let Some(parts) = parts(made, n.children()) else { return Ok(false) };
        let parts: Vec<Inside> = parts.into_iter().map(|p| p.without_known(made).unwrapped(made)).collect();
        let gives = |p: &Inside| made.tree.functions[p.function].gives();
        if !op.programs().iter().map(|p| p.outputs().len()).eq(parts.iter().map(gives)) {
            return Ok(false);
        }
        let given = self.arrays(n);
        let held = union(&parts);
        let consts = held.len();
        // What the op holds comes before what its functions take, after the number of a branch.
        let (first, skipped, op): (usize, usize, Op) = match op {
            Op::Scan(o) => (0, o.consts, Scan { consts, ..o.clone() }.into()),
            Op::While(o) => (0, o.consts, While { consts, ..o.clone() }.into()),
            Op::LinearSolve(o) => (0, o.shared, LinearSolve { shared: consts, ..o.clone() }.into()),
            Op::Root(o) => (0, o.shared, Root { shared: consts, ..o.clone() }.into()),
            op => (1, (given.len() - 1).saturating_sub(parts[0].arguments), op.clone()),
        };
        let own = given.iter().take(first).chain(&held).chain(given.iter().skip(first + skipped)).cloned();
        let operands = own.map(|v| self.variable(v)).collect::<Result<Vec<_>>>()?;
        let own_held = self.nameless(&operands[first..first + consts]);
        let inside = parts.into_iter().map(|p| p.with_held_first(made, &held, &own_held)).collect();
        let results: Vec<VariableId> = (0..n.result_count())
            .filter_map(|i| Some(self.define(Value::Result(n.id(), i), n.ty(i)?.clone(), None)))
            .collect();
        self.name(n, &results);
        self.steps.push(Step { does: Does::Primitive(op, inside), operands, results, place: n.place() });
        Ok(true)
    }

    /// A call of a function that is remembered less, or has a rule of its own, with the functions that it was given; false if the tape
    /// has them only as programs.
    pub(super) fn ruled(&mut self, made: &mut Maker, n: Node<'t>, given: &[Value]) -> Result<bool> {
        let is_ruled = |op: &Op| match op {
            Op::Call(o) => o.kind == CallKind::Checkpoint,
            op => matches!(op, Op::CustomJvp(_) | Op::CustomVjp(_)),
        };
        let Some((at, op)) = n.children().find_map(|c| Some((c, c.op().filter(|op| is_ruled(op))?.clone()))) else {
            return Ok(false);
        };
        let functions = n.children().filter(|c| c.kind() == Kind::Call && c.op().is_none());
        let Some(parts) = parts(made, functions) else { return Ok(false) };
        let held = union(&parts);
        let fits = parts.len() == op.programs().len()
            && parts[0].arguments == given.len()
            && made.tree.functions[parts[0].function].gives() == n.result_count();
        // A forward rule gives what the function does, and more; a file may say otherwise.
        let left = match op {
            Op::CustomVjp(_) if fits => made.tree.functions[parts[1].function].gives().checked_sub(n.result_count()),
            _ => Some(0),
        };
        let Some(residuals) = left.filter(|_| fits) else { return Ok(false) };
        if held.iter().any(|v| matches!(v, Value::Function(_))) {
            return Ok(false);
        }
        self.known_held(made, n, &held)?;
        let operands = given.iter().chain(&held).cloned().map(|v| self.variable(v)).collect::<Result<Vec<_>>>()?;
        let (own, like) = (given.len(), self.nameless(&operands[given.len()..]));
        let inside = parts.into_iter().enumerate().map(|(i, part)| match (&op, i) {
            (Op::CustomJvp(_), 1) => part.with_held(made, own, &held, &like, |f| with_tangents_of(&like, f)),
            (Op::CustomVjp(_), 1) => part.with_held(made, own, &held, &like, |f| leaving_held(own, f)),
            (Op::CustomVjp(_), 2) => part.with_held(made, residuals, &held, &like, |f| with_zeros_of(&like, f)),
            _ => part.with_held(made, own, &held, &like, |f| f),
        });
        let does = Does::Primitive(op.clone(), inside.collect());
        let results = self.results_of(n);
        for i in 0..results.len() {
            self.same.insert(Value::Result(at.id(), i), Value::Result(n.id(), i));
        }
        self.push_step(n, does, operands, results);
        Ok(true)
    }

    /// Variables like these, without their names.
    pub(super) fn nameless(&self, variables: &[VariableId]) -> Vec<Variable> {
        variables.iter().map(|&v| Variable { name: None, ..self.variables[v].clone() }).collect()
    }
}

/// The functions that an op was given; none if one of them can't be written.
fn parts<'t>(made: &mut Maker, functions: impl Iterator<Item = Node<'t>>) -> Option<Vec<Inside>> {
    functions.map(|f| Inside::of(made, f, f.function()).ok()).collect()
}

/// What any of these functions holds: arrays, then functions.
pub(super) fn union(parts: &[Inside]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for v in parts.iter().flat_map(|p| &p.held) {
        if !all.contains(v) {
            all.push(v.clone());
        }
    }
    all.sort_by_key(|v| matches!(v, Value::Function(_)));
    all
}

/// A rule for tangents whose last parameters are what is held: that has tangents too, which go unused.
pub(super) fn with_tangents_of(held: &[Variable], mut rule: Function) -> Function {
    for v in held.iter().filter(|v| v.ty.dtype.is_differentiable()) {
        rule.parameters.push(rule.variables.len());
        rule.variables.push(v.clone());
    }
    rule
}

/// A forward rule of so many arguments, after which it takes what is held: it leaves that for the backward rule.
pub(super) fn leaving_held(arguments: usize, mut rule: Function) -> Function {
    rule.results.extend_from_slice(&rule.parameters[arguments..]);
    rule
}

/// A backward rule: what is held gets zeros, after the cotangents of the arguments.
fn with_zeros_of(held: &[Variable], mut rule: Function) -> Function {
    for v in held.iter().filter(|v| v.ty.dtype.is_differentiable()) {
        let zero = Tensor::splat(v.ty.shape.clone(), Scalar::from_i64(v.ty.dtype, 0));
        let results = vec![rule.variables.len()];
        rule.results.extend(&results);
        rule.variables.push(v.clone());
        let does = Does::Primitive(Constant { value: zero }.into(), Vec::new());
        rule.steps.push(Step { does, operands: Vec::new(), results, place: Place::unknown() });
    }
    rule
}

impl Inside {
    /// The function that it calls, if it does nothing else: a part of an op takes what it holds where it likes.
    pub(super) fn unwrapped(self, made: &mut Maker) -> Inside {
        let f = &made.tree.functions[self.function];
        let [step @ Step { does: Does::Call(id), operands, .. }] = &f.steps[..] else { return self };
        let mut g = made.tree.functions[*id].clone();
        let at = |p: &VariableId| operands.iter().position(|o| o == p).map(|i| g.parameters[i]);
        let whole = f.fails.is_some() || g.fails.is_none() && g.is_all_of(step, &f.results);
        match f.parameters.iter().map(at).collect::<Option<Vec<_>>>() {
            Some(parameters) if whole && operands.len() == parameters.len() => {
                (g.parameters, g.fails) = (parameters, f.fails);
                Inside { function: made.intern(g.numbered()), ..self }
            }
            _ => self,
        }
    }

    /// The function as a part of an op: what is held by any part comes first.
    pub(super) fn with_held_first(self, made: &mut Maker, all: &[Value], variables: &[Variable]) -> FunctionId {
        if all.is_empty() {
            return self.function;
        }
        self.with_held(made, 0, all, variables, |f| f)
    }

    /// The function without calls that are given nothing but what it holds and whose results it does not use: what they gave was
    /// computed before the loop, and is held too.
    fn without_known(self, made: &mut Maker) -> Inside {
        let f = &made.tree.functions[self.function];
        if f.is_tracked || f.fails.is_some() {
            return self;
        }
        let mut known = vec![false; f.variables.len()];
        f.parameters[self.arguments..].iter().for_each(|&v| known[v] = true);
        for step in f.steps.iter().filter(|s| !s.results.is_empty()) {
            if step.operands.iter().all(|&v| known[v]) {
                step.results.iter().for_each(|&v| known[v] = true);
            }
        }
        let mut used = vec![false; f.variables.len()];
        f.results.iter().for_each(|&v| used[v] = true);
        let mut steps = Vec::new();
        for step in f.steps.iter().rev() {
            let is_known = !step.results.is_empty() && step.results.iter().all(|&v| known[v] && !used[v]);
            if !is_known {
                step.operands.iter().for_each(|&v| used[v] = true);
                steps.push(step.clone());
            }
        }
        if steps.len() == f.steps.len() {
            return self;
        }
        steps.reverse();
        let (own, held) = f.parameters.split_at(self.arguments);
        let (parameters, held): (Vec<VariableId>, Vec<Value>) =
            held.iter().zip(self.held).filter(|(v, _)| used[**v]).map(|(&v, value)| (v, value)).unzip();
        let f = Function { parameters: [own, &parameters].concat(), steps, ..f.clone() };
        Inside { function: made.intern(f.numbered()), arguments: self.arguments, held }
    }

    /// The function with what is held by any part after so many of its arguments, and otherwise changed so.
    pub(super) fn with_held(
        &self,
        made: &mut Maker,
        at: usize,
        all: &[Value],
        variables: &[Variable],
        changed: impl FnOnce(Function) -> Function,
    ) -> FunctionId {
        let mut f = made.tree.functions[self.function].clone();
        let own = f.parameters[..self.arguments].to_vec();
        let held = f.parameters[self.arguments..].to_vec();
        let mut parameters = Vec::new();
        for (v, like) in all.iter().zip(variables) {
            parameters.push(match self.held.iter().position(|h| h == v) {
                Some(i) => held[i],
                None => {
                    f.variables.push(like.clone());
                    f.variables.len() - 1
                }
            });
        }
        let (before, after) = own.split_at(at);
        f.parameters = before.iter().copied().chain(parameters).chain(after.iter().copied()).collect();
        made.intern(changed(f).numbered())
    }
}
