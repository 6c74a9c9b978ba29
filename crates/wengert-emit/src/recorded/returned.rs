//! Transforms that give a function besides arrays (`vjp`, `linearize`), the calls of what they give, Hessians, and their products.

use super::{Givers, Inside, Scope, Value, missing};
use crate::maker::Maker;
use crate::tree::{Derivatives, Does, FunctionId, ReturnedFunction, Step, Transform, VariableId};
use rustc_hash::FxHashMap;
use wengert_core::{DType, Result, Type};
use wengert_tape::api::{API, RETURNED_BY, RETURNS};
use wengert_tape::{Kind, Node, NodeId, Tape};

impl Maker {
    /// The Hessian of a function, of what computes its gradient, if that is all it does; else the Jacobian of that.
    pub(super) fn second_order(&self, by: Transform, function: FunctionId) -> (Transform, FunctionId) {
        let Transform::Jacobian { by: Derivatives::Second, wrt, holomorphic } = by else { return (by, function) };
        let gradient = |inner: &Transform, of: FunctionId| match *inner {
            // As recordings had it once.
            Transform::Grad { wrt: w, value } => w == wrt && !value && self.tree.functions[of].gives() == 1,
            ref other => *other == Transform::Jacobian { by: Derivatives::Reverse, wrt, holomorphic },
        };
        match self.only_transform(function, gradient) {
            Some(function) => (by, function),
            None => (Transform::Jacobian { by: Derivatives::Forward, wrt, holomorphic }, function),
        }
    }

    /// What a transform is asked of: the product of a Hessian is, of what computes the gradient, if that is all it does.
    pub(super) fn asked_of(&self, by: &Transform, inside: Inside) -> Option<Inside> {
        let gradient = |inner: &Transform, of: FunctionId| {
            *inner == Transform::Grad { wrt: inside.arguments, value: false } && self.tree.functions[of].gives() == 1
        };
        match by {
            Transform::Hvp => {
                let function = self.only_transform(inside.function, gradient)?;
                Some(Inside { function, ..inside })
            }
            _ => Some(inside),
        }
    }

    /// The function that another is made of by such a transform, if that is all it does.
    fn only_transform(&self, id: FunctionId, is_such: impl Fn(&Transform, FunctionId) -> bool) -> Option<FunctionId> {
        let f = &self.tree.functions[id];
        let [Step { does: Does::Transform { by, function, .. }, operands, results, .. }] = &f.steps[..] else {
            return None;
        };
        let is_whole = *operands == f.parameters && (*results == f.results || f.fails == Some(results.len()));
        (is_whole && is_such(by, *function)).then_some(*function)
    }
}

/// A function has no type of an array; this stands for it.
fn stand_in() -> Type {
    Type::scalar(DType::F32)
}

/// The calls of a tape that give a function, in their order, by its number.
pub(super) fn givers(tape: &Tape) -> Givers {
    let mut all: FxHashMap<i64, Vec<NodeId>> = FxHashMap::default();
    let numbered = tape.nodes().filter_map(|n| Some((n.meta(RETURNS)?, n.id())));
    numbered.for_each(|(number, id)| all.entry(number).or_default().push(id));
    all.into()
}

/// The calls that a function was made in, and has left where it is called.
fn made_in<'t>(gave: Node<'t>, called: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let around: Vec<NodeId> = called.ancestors().map(|a| a.id()).collect();
    gave.ancestors().take_while(move |a| !around.contains(&a.id()))
}

fn is_tracked(call: Node<'_>) -> bool {
    call.kind() == Kind::Call && call.module().is_some() && call.op().is_none() && call.meta(API).is_none()
}

/// Whether what a call gives pulls back; none if it gives no function.
fn pulls(n: Node<'_>) -> Option<bool> {
    match n.meta(API).as_deref() {
        Some("vjp") => Some(true),
        Some("linearize") => Some(false),
        _ => None,
    }
}

impl<'t> Scope<'t> {
    /// The call that gave the function which is called here: it came before, or before a call around it.
    fn given_by(&self, n: Node<'t>) -> Option<Node<'t>> {
        let before = self.givers.get(&n.meta(RETURNED_BY)?)?.iter().rev().filter(|&&id| id < n.id());
        let all: Vec<Node<'t>> = before.map(|&id| n.tape().node(id)).collect();
        let parent = |n: Node<'t>| n.parent().map(|p| p.id());
        let beside = |n: Node<'t>| all.iter().find(|gave| parent(**gave) == parent(n) && gave.id() < n.id());
        let found = std::iter::once(n).chain(n.ancestors()).find_map(beside);
        // It may have left the tracked functions that it was made in.
        found.or_else(|| all.iter().find(|gave| made_in(**gave, n).all(is_tracked))).copied()
    }

    /// Whether the function that a call gives can be written as such.
    pub(super) fn gives_function(&self, n: Node<'t>) -> bool {
        !self.written_out.borrow().contains(&n.id())
    }

    /// The variable of the function that a call gives, which is of one that gives so many arrays.
    pub(super) fn define_function(&mut self, n: Node<'t>, gives: usize) -> VariableId {
        let pulls = pulls(n).unwrap_or(false);
        let id = self.define(Value::Function(n.id()), stand_in(), Some(if pulls { "pull" } else { "linear" }));
        self.variables[id].function = Some(ReturnedFunction { pulls, takes: self.given(n).len(), gives });
        id
    }

    /// The variable of a function that a call around this function gave.
    pub(super) fn function_from_around(&mut self, gave: Node<'t>) -> Result<VariableId> {
        let end = || {
            let f = gave.children().find(|c| c.kind() == Kind::Call)?;
            f.shares().unwrap_or(f).children().find(|c| c.kind() == Kind::Return)
        };
        let end = end().filter(|_| !self.is_root && !self.written_out.borrow().contains(&gave.id()));
        let end = end.ok_or_else(|| missing(&format!("the function of `{}`", gave.function()), gave.place()))?;
        let gives = end.arguments().filter(|a| self.array(*a).is_some()).count();
        let id = self.define_function(gave, gives);
        self.held.push(Value::Function(gave.id()));
        Ok(id)
    }

    /// The function that is called, and the operands: that function comes first. None if the function is not written as such.
    fn call_of_returned(&mut self, n: Node<'t>, given: &[Value]) -> Result<Option<(Transform, Vec<VariableId>)>> {
        let by = match n.meta(API).as_deref() {
            Some("pull") => Transform::Vjp,
            Some("apply") => Transform::Linearize,
            _ => return Ok(None),
        };
        let gave = self.given_by(n).filter(|gave| !self.written_out.borrow().contains(&gave.id()));
        let Some(gave) = gave else { return Ok(None) };
        // The functions that it has left are written where they were called.
        let left: Vec<NodeId> = made_in(gave, n).map(|call| call.id()).collect();
        let is_here = left.iter().all(|call| self.written_out.borrow().contains(call));
        self.written_out.borrow_mut().extend(left);
        if !is_here {
            return Ok(None);
        }
        let function = self.variable(Value::Function(gave.id()))?;
        let operands = given.iter().map(|v| self.variable(v.clone())).collect::<Result<Vec<_>>>()?;
        Ok(Some((by, [function].into_iter().chain(operands).collect())))
    }

    /// The same of a call that failed.
    pub(super) fn failed_returned(&mut self, n: Node<'t>, given: &[Value]) -> Result<bool> {
        let Some((by, operands)) = self.call_of_returned(n, given)? else { return Ok(false) };
        let Some(of) = self.variables[operands[0]].function else { return Ok(false) };
        let gives = if of.pulls { of.takes } else { of.gives };
        self.push_failed(Does::Returned(by), operands, &vec![stand_in(); gives], n.place());
        Ok(true)
    }

    /// A call of a function that another call gave; false if that is not written as such.
    pub(super) fn returned(&mut self, n: Node<'t>, given: &[Value]) -> Result<bool> {
        let Some((by, operands)) = self.call_of_returned(n, given)? else { return Ok(false) };
        let mut results = Vec::new();
        for i in 0..n.result_count() {
            let Some(ty) = n.ty(i).cloned() else { return Ok(false) };
            results.push(self.define(Value::Result(n.id(), i), ty, None));
        }
        self.name(n, &results);
        self.steps.push(Step { does: Does::Returned(by), operands, results, place: n.place() });
        Ok(true)
    }
}
