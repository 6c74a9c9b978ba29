//! Transforms that give a function besides arrays (`vjp`, `linearize`), the calls of what they give, and Hessians.

use super::{Inside, Scope, Value};
use crate::tree::{Derivatives, Does, Maker, Step, Transform, VariableId};
use wengert_core::{DType, Result, Type};
use wengert_tape::api::{API, RETURNED_BY, RETURNS};
use wengert_tape::{Node, Tape};

impl Maker {
    /// Finds the calls of functions that calls of this tape gave.
    pub(super) fn find_returned(&mut self, tape: &Tape) {
        for n in tape.nodes() {
            if let Some(number) = n.meta(RETURNED_BY) {
                self.returned.entry(number).or_default().push(n.id());
            }
        }
    }

    /// The Hessian of a function, of what computes its gradient, if that is all it does; else the Jacobian of that.
    pub(super) fn second_order(&self, by: Transform, function: usize) -> (Transform, usize) {
        let Transform::Jacobian { by: Derivatives::Second, wrt, holomorphic } = by else { return (by, function) };
        let f = &self.tree.functions[function];
        let gradient = |inner: &Transform, of: usize| match *inner {
            // As recordings had it once.
            Transform::Grad { wrt: w, value } => w == wrt && !value && self.tree.functions[of].gives() == 1,
            ref other => *other == Transform::Jacobian { by: Derivatives::Reverse, wrt, holomorphic },
        };
        match &f.steps[..] {
            [Step { does: Does::Transform { by: inner, function, .. }, operands, results, .. }]
                if gradient(inner, *function)
                    && *operands == f.parameters
                    && (*results == f.results || f.fails == Some(results.len())) =>
            {
                (by, *function)
            }
            _ => (Transform::Jacobian { by: Derivatives::Forward, wrt, holomorphic }, function),
        }
    }
}

/// The function that a call gives, as a value.
fn function_of(n: Node<'_>) -> Value {
    Value::Result(n.id(), usize::MAX)
}

/// A function has no type of an array; this stands for it.
fn stand_in() -> Type {
    Type::scalar(DType::F32)
}

impl<'t> Scope<'t> {
    /// Whether the function that a call gives is called where the call is, and nowhere else, and all arrays have derivatives.
    pub(super) fn gives_function(&self, made: &Maker, n: Node<'t>, inside: &Inside) -> bool {
        let beside = |id: &_| n.tape().node(*id).parent() == n.parent();
        let calls = n.meta(RETURNS).and_then(|number| made.returned.get(&number));
        let f = &made.tree.functions[inside.function];
        let mut arrays = f.parameters[..inside.arguments].iter().chain(&f.results);
        calls.is_none_or(|calls| calls.iter().all(beside))
            && arrays.all(|&v| f.variables[v].ty.dtype.is_differentiable())
    }

    /// The variable of the function that a call gives.
    pub(super) fn define_function(&mut self, n: Node<'t>, by: &Transform) -> VariableId {
        let name = if *by == Transform::Vjp { "pull" } else { "linear" };
        self.define(function_of(n), stand_in(), Some(name))
    }

    /// Which transform gave the function that is called, and the operands: that function comes first. None if the function is not
    /// written as such.
    fn call_of_returned(&mut self, n: Node<'t>, given: &[Value]) -> Result<Option<(Transform, Vec<VariableId>)>> {
        let by = match n.meta(API).as_deref() {
            Some("pull") => Transform::Vjp,
            Some("apply") => Transform::Linearize,
            _ => return Ok(None),
        };
        let Some(number) = n.meta(RETURNED_BY) else { return Ok(None) };
        let gave = n.preceding().filter(|p| p.meta(RETURNS) == Some(number)).last();
        let Some(&function) = gave.and_then(|p| self.known.get(&function_of(p))) else { return Ok(None) };
        let operands = given.iter().map(|v| self.variable(v.clone())).collect::<Result<Vec<_>>>()?;
        Ok(Some((by, [function].into_iter().chain(operands).collect())))
    }

    /// The same of a call that failed.
    pub(super) fn failed_returned(&mut self, n: Node<'t>, given: &[Value]) -> Result<bool> {
        let Some((by, operands)) = self.call_of_returned(n, given)? else { return Ok(false) };
        let gave = self.steps.iter().find(|s| s.results.contains(&operands[0]));
        let gives = match gave {
            Some(Step { does: Does::Transform { by: Transform::Vjp, held, .. }, operands, .. }) => {
                operands.len() - held
            }
            Some(step) => step.results.len() - 1,
            None => return Ok(false),
        };
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
