//! Transforms of functions, as JAX has them.

use super::function::{Assignment, Body};
use super::helpers::Helper;
use super::layout::{self, Expr};
use super::literal;
use crate::tree::{FunctionId, Step, Transform, VariableId};
use std::sync::Arc;
use wengert_core::Result;

/// What stands before the arguments of a call, if it is no longer.
const SHORT: usize = 40;

impl Body<'_, '_> {
    pub(super) fn transform(&mut self, by: &Transform, id: FunctionId, held: usize, step: &Step) -> Result<Assignment> {
        let (own, held) = step.operands.split_at(step.operands.len() - held);
        let arguments = self.variables(own);
        let (made, target) = match by {
            Transform::Jit => (self.made("jax.jit", id, held, Vec::new()), self.targets(&step.results)),
            Transform::Vmap { .. } => (self.made("jax.vmap", id, held, said(by)), self.targets(&step.results)),
            Transform::Jacobian { by: how, wrt, .. } => {
                let tuple = |mut x: Vec<Expr>| if x.len() == 1 { x.remove(0) } else { Expr::Tuple(x) };
                let target = match &step.results[..] {
                    [] => self.targets(&[]),
                    results => how.nested(*wrt, self.variables(results), &tuple, &tuple),
                };
                (self.made(&format!("jax.{}", how.name()), id, held, said(by)), target)
            }
            Transform::Vjp | Transform::Linearize => {
                let how = if *by == Transform::Vjp { "jax.vjp" } else { "jax.linearize" };
                let f = self.held_function(id, held, false);
                let (function, values) = step.results.split_last().expect("a function is given");
                let target = Expr::Tuple(vec![self.targets(values), self.variable(*function)]);
                return Ok(Assignment { target, value: Expr::call(how, [f].into_iter().chain(arguments)) });
            }
            Transform::Grad { wrt, value } => return Ok(self.gradient(*wrt, *value, id, [own, held], &step.results)),
            Transform::Jvp => {
                return Ok(self.forward(id, own, held, &step.results));
            }
            Transform::Hvp => return Ok(self.forward_over_reverse(id, own, held, &step.results)),
        };
        Ok(Assignment { target, value: self.called(made, arguments) })
    }

    /// A function with its tangents. What has no derivative has a tangent of its own type here, and of none in JAX.
    fn forward(
        &mut self,
        id: FunctionId,
        own: &[VariableId],
        held: &[VariableId],
        results: &[VariableId],
    ) -> Assignment {
        let moves = |this: &Self, v: VariableId| this.ty(v).dtype.is_differentiable();
        let (x, dx) = own.split_at(own.len() / 2);
        if x.iter().any(|&v| !moves(self, v)) {
            self.file.helper(Helper::NoTangent);
        }
        let tangent = |(&x, &dx): (&VariableId, &VariableId)| match moves(self, x) {
            true => self.variable(dx),
            false => Expr::call("no_tangent", [self.variable(x)]),
        };
        let pairs = [self.variables(x), x.iter().zip(dx).map(tangent).collect()].map(Expr::Tuple);
        let f = self.held_function(id, held, false);
        let value = Expr::call("jax.jvp", [f].into_iter().chain(pairs));
        let (values, tangents) = results.split_at(results.len() / 2);
        let (moving, still): (Vec<_>, Vec<_>) = values.iter().zip(tangents).partition(|(v, _)| moves(self, **v));
        if still.is_empty() {
            let target = Expr::Tuple(vec![self.targets(values), self.targets(tangents)]);
            return Assignment { target, value };
        }
        let named = |dv: &VariableId| match moving.iter().any(|(_, d)| *d == dv) {
            true => self.variable(*dv),
            false => Expr::atom("_"),
        };
        let named: Vec<Expr> = tangents.iter().map(named).collect();
        let one = |mut all: Vec<Expr>| if all.len() == 1 { all.remove(0) } else { Expr::Tuple(all) };
        let both = Expr::Tuple(vec![self.targets(values), one(named)]);
        layout::assign(&mut self.text, 1, &both, &value);
        let zeros = still.iter().map(|(v, _)| Expr::call("jnp.zeros_like", [self.variable(**v)])).collect();
        let target = one(still.iter().map(|(_, d)| self.variable(**d)).collect());
        Assignment { target, value: one(zeros) }
    }

    /// A call of a function that a transform gave.
    pub(super) fn returned(
        &mut self,
        by: &Transform,
        head: String,
        given: &[VariableId],
        results: &[VariableId],
    ) -> Assignment {
        let moves = |this: &Self, v: VariableId| this.ty(v).dtype.is_differentiable();
        if given.iter().any(|&v| !moves(self, v)) {
            self.file.helper(Helper::NoTangent);
        }
        let along = |&v: &VariableId| match moves(self, v) {
            true => self.variable(v),
            false => Expr::call("no_tangent", [self.variable(v)]),
        };
        let along: Vec<Expr> = given.iter().map(along).collect();
        let one = |mut all: Vec<Expr>| if all.len() == 1 { all.remove(0) } else { Expr::Tuple(all) };
        let is_vjp = *by == Transform::Vjp;
        // A pullback takes what the function gave, and gives one for each argument.
        let value = Expr::call(head, if is_vjp { vec![one(along)] } else { along });
        let target = |all: Vec<Expr>| if is_vjp { Expr::Tuple(all) } else { one(all) };
        let still: Vec<VariableId> = results.iter().copied().filter(|&v| !moves(self, v)).collect();
        if still.is_empty() {
            return Assignment { target: target(self.variables(results)), value };
        }
        let named = |&v: &VariableId| if moves(self, v) { self.variable(v) } else { Expr::atom("_") };
        let named = target(results.iter().map(named).collect());
        layout::assign(&mut self.text, 1, &named, &value);
        // What has no derivative has none of its own type in JAX.
        let zeros = |&v: &VariableId| {
            let ty = self.ty(v);
            Expr::call("jnp.zeros", [Expr::numbers(ty.shape.iter()), literal::dtype(ty.dtype)])
        };
        let zeros = still.iter().map(zeros).collect();
        Assignment { target: one(self.variables(&still)), value: one(zeros) }
    }

    /// The product of a Hessian with a vector: how the gradient changes along it.
    fn forward_over_reverse(
        &mut self,
        id: FunctionId,
        own: &[VariableId],
        held: &[VariableId],
        results: &[VariableId],
    ) -> Assignment {
        let (x, along) = own.split_at(own.len() / 2);
        let argnums = (x.len() != 1).then(|| Expr::keyword("argnums", Expr::numbers(0..x.len())));
        let f = self.held_function(id, held, false);
        let gradient = Expr::call("jax.grad", [f].into_iter().chain(argnums));
        let pair = [x, along].map(|v| Expr::Tuple(self.variables(v)));
        let target = Expr::Tuple(vec![Expr::atom("_"), self.targets(results)]);
        Assignment { target, value: Expr::call("jax.jvp", [gradient].into_iter().chain(pair)) }
    }

    /// A call of what a transform made; what is long gets a name first.
    fn called(&mut self, made: Expr, arguments: Vec<Expr>) -> Expr {
        let head = made.flat();
        if head.chars().count() <= SHORT {
            return Expr::call(head, arguments);
        }
        let name = self.local("made");
        layout::assign(&mut self.text, 1, &Expr::atom(&name), &made);
        Expr::call(name, arguments)
    }

    /// `how(f, said)`.
    fn made(&mut self, how: &str, id: FunctionId, held: &[VariableId], said: Vec<Expr>) -> Expr {
        let f = self.held_function(id, held, false);
        Expr::call(how, [f].into_iter().chain(said))
    }

    fn gradient(
        &mut self,
        wrt: usize,
        value: bool,
        id: FunctionId,
        [own, held]: [&[VariableId]; 2],
        results: &[VariableId],
    ) -> Assignment {
        let gives = self.file.tree.functions[id].gives();
        let aux = gives > 1;
        let mut given = vec![self.held_function(id, held, gives > 2)];
        if wrt != 1 {
            given.push(Expr::keyword("argnums", Expr::numbers(0..wrt)));
        }
        if aux {
            given.push(super::ops::truth("has_aux", true));
        }
        let made = Expr::call(if value { "jax.value_and_grad" } else { "jax.grad" }, given);
        let (values, slopes) = results.split_at(if value { gives } else { 0 });
        let slopes = match wrt {
            1 => self.targets(slopes),
            _ => Expr::Tuple(self.variables(slopes)),
        };
        let target = match values {
            [] if aux => Expr::Tuple(vec![slopes, Expr::atom("_")]),
            [] => slopes,
            [one] => Expr::Tuple(vec![self.variable(*one), slopes]),
            [one, rest @ ..] => {
                let rest = if rest.len() == 1 { self.variable(rest[0]) } else { Expr::Tuple(self.variables(rest)) };
                Expr::Tuple(vec![Expr::Tuple(vec![self.variable(*one), rest]), slopes])
            }
        };
        let arguments = self.variables(own);
        Assignment { target, value: self.called(made, arguments) }
    }

    /// A function of its arguments alone, with what else it takes held; with `apart`, the first result apart from the others.
    fn held_function(&mut self, id: FunctionId, held: &[VariableId], apart: bool) -> Expr {
        if held.is_empty() && !apart {
            return self.expression(id);
        }
        let name = self.function_name(id);
        let inner = self.local("arguments");
        let given = [Expr::atom(format!("*{inner}"))].into_iter().chain(self.variables(held));
        let mut value = Expr::call(name, given);
        if apart {
            self.file.helper(Helper::First);
            value = Expr::call("first", [value]);
        }
        Expr::lambda(&format!("*{inner}"), value)
    }

    /// A function as a value: its name, or the transforms that it is made by, if it is no more than that.
    fn expression(&self, id: FunctionId) -> Expr {
        let Some((by, function)) = self.file.tree.made_by(id) else { return Expr::atom(self.function_name(id)) };
        let how = match by {
            Transform::Jit => "jax.jit",
            Transform::Vmap { .. } => "jax.vmap",
            Transform::Grad { .. } => "jax.grad",
            Transform::Jacobian { by, .. } => &format!("jax.{}", by.name()),
            Transform::Jvp | Transform::Hvp | Transform::Vjp | Transform::Linearize => {
                unreachable!("these give more than a function")
            }
        };
        Expr::call(how, [self.expression(function)].into_iter().chain(said(by)))
    }
}

/// What is said of a transform beside the function.
fn said(by: &Transform) -> Vec<Expr> {
    let mut said = Vec::new();
    match by {
        Transform::Vmap { in_axes, out_axis, out_axes, size, name } => {
            let axis = |a: &Option<usize>| a.map_or("None".to_string(), |a| a.to_string());
            if in_axes.iter().any(|a| *a != Some(0)) {
                said.push(Expr::keyword("in_axes", Expr::numbers(in_axes.iter().map(axis))));
            }
            match &out_axes[..] {
                [] if *out_axis == 0 => {}
                [] => said.push(Expr::keyword("out_axes", Expr::atom(out_axis))),
                [one] => said.push(Expr::keyword("out_axes", Expr::atom(axis(one)))),
                many => said.push(Expr::keyword("out_axes", Expr::numbers(many.iter().map(axis)))),
            }
            let named = |name: &Arc<str>| Expr::keyword("axis_name", Expr::atom(super::literal::string(name)));
            said.extend(name.as_ref().map(named));
            said.extend(size.map(|n| Expr::keyword("axis_size", Expr::atom(n))));
        }
        Transform::Jacobian { wrt, holomorphic, .. } => {
            if *wrt != 1 {
                said.push(Expr::keyword("argnums", Expr::numbers(0..*wrt)));
            }
            if *holomorphic {
                said.push(super::ops::truth("holomorphic", true));
            }
        }
        _ => {}
    }
    said
}
