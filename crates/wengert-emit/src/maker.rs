//! A call tree being made: functions that are the same are one.

use crate::recorded::Kernels;
use crate::tree::{CallTree, Does, Function, FunctionId, Step, Variable, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wengert_core::{Equation, Op, Place, Program, Var};
use wengert_tape::NodeId;

/// A tree being made.
#[derive(Default)]
pub(crate) struct Maker {
    pub(crate) tree: CallTree,
    /// Functions that are there, by their program's address: a program that is held twice is read once.
    read: FxHashMap<*const Program, (FunctionId, Arc<Program>)>,
    /// Calls that can't be written as such: they give functions, or change what they were given. What these calls did is.
    pub(crate) written_out: Rc<RefCell<FxHashSet<NodeId>>>,
    /// The calls that give a function, by its number.
    pub(crate) givers: Rc<FxHashMap<i64, Vec<NodeId>>>,
    /// What code of the user's gave.
    pub(crate) kernels: Kernels,
}

impl Maker {
    /// The programs that an op holds, as functions.
    pub(crate) fn programs(&mut self, op: &Op) -> Vec<FunctionId> {
        let consts = match op {
            Op::Scan(o) => o.consts,
            Op::While(o) => o.consts,
            _ => usize::MAX,
        };
        let function = |q: &Arc<Program>| match self.read.get(&Arc::as_ptr(q)) {
            Some((id, _)) => *id,
            None => {
                let id = self.function_with(q, |f| f.name_carried(consts));
                self.read.insert(Arc::as_ptr(q), (id, q.clone()));
                id
            }
        };
        op.programs().into_iter().map(function).collect()
    }

    /// What an equation of a program does.
    pub(crate) fn does(&mut self, p: &Program, e: &Equation) -> Does {
        if let Op::Custom(op) = &e.op {
            let types = |v: &[Var]| v.iter().map(|&v| p.ty(v).clone()).collect::<Vec<_>>();
            if let Some(does) = self.kernels.of_op(op, [&types(&e.inputs), &types(&e.outputs)]) {
                return does;
            }
        }
        Does::Primitive(e.op.clone(), self.programs(&e.op))
    }

    pub(crate) fn function(&mut self, p: &Program) -> FunctionId {
        self.function_with(p, |_| ())
    }

    fn function_with(&mut self, p: &Program, change: impl FnOnce(&mut Function)) -> FunctionId {
        let mut steps = Vec::with_capacity(p.equations().len());
        for e in p.equations() {
            steps.push(Step {
                does: self.does(p, e),
                operands: e.inputs.iter().map(|v| v.index()).collect(),
                results: e.outputs.iter().map(|v| v.index()).collect(),
                place: e.place.clone(),
            });
        }
        let variables = p.inputs().iter().copied().chain(p.equations().iter().flat_map(|e| e.outputs.iter().copied()));
        let variables = variables.map(|v| Variable::array(p.var_name(v).map(Arc::from), p.ty(v).clone()));
        let mut function = Function {
            name: p.name().to_string(),
            place: Place::unknown(),
            variables: variables.collect(),
            parameters: p.inputs().iter().map(|v| v.index()).collect(),
            steps,
            results: p.outputs().iter().map(|v| v.index()).collect(),
            fails: None,
            is_tracked: false,
        };
        change(&mut function);
        self.intern(function.numbered())
    }

    /// Drops the functions that came after so many.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.tree.functions.truncate(count);
        self.read.retain(|_, (id, _)| *id < count);
    }

    /// The function with its parameters in another order.
    pub(crate) fn reordered(&mut self, id: FunctionId, order: &[usize]) -> FunctionId {
        if order.iter().copied().eq(0..order.len()) {
            return id;
        }
        let mut f = self.tree.functions[id].clone();
        let held = f.parameters[order.len()..].to_vec();
        f.parameters = order.iter().map(|&i| f.parameters[i]).chain(held).collect();
        let f = f.numbered();
        // As where it was recorded in this order.
        self.only_call(&f.steps, &f.parameters, &f.results).unwrap_or_else(|| self.intern(f))
    }

    /// [`CallTree::bring_last`].
    pub(crate) fn bring_last(&mut self, id: FunctionId) {
        self.tree.bring_last(id);
        self.read.clear();
    }

    /// The function that steps are one call of, with these parameters as its arguments and these results.
    pub(crate) fn only_call(
        &self,
        steps: &[Step],
        parameters: &[VariableId],
        results: &[VariableId],
    ) -> Option<FunctionId> {
        let [step @ Step { does: Does::Call(id), operands, .. }] = steps else { return None };
        (operands == parameters && self.tree.functions[*id].is_all_of(step, results)).then_some(*id)
    }

    /// The function, or one that does the same: where no place of its own is known, it has that of a call, which is no difference.
    pub(crate) fn intern(&mut self, function: Function) -> FunctionId {
        if let Some(id) = self.tree.functions.iter().position(|f| f.does_same(&function)) {
            self.tree.functions[id].is_tracked |= function.is_tracked;
            return id;
        }
        self.tree.functions.push(function);
        self.tree.functions.len() - 1
    }
}
