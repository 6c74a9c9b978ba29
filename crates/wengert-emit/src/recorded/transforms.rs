//! Calls of transforms, as they were asked for.

use super::{Inside, Scope, Value, missing};
use crate::maker::Maker;
use crate::tree::{Derivatives, Does, Step, Transform, VariableId};
use std::sync::Arc;
use wengert_core::{Result, Tensor, Type};
use wengert_tape::api::{AXIS_NAME, HOLOMORPHIC, IN_AXES, OUT_AXES, OUT_AXIS, RETURNS, SIZE, WRT};
use wengert_tape::{Kind, Node};

impl<'t> Scope<'t> {
    /// A call of a transform; false if it is to be written as what it did.
    pub(super) fn transform(&mut self, made: &mut Maker, n: Node<'t>, api: &str, given: &[Value]) -> Result<bool> {
        if self.returned(n, given)? {
            return Ok(true);
        }
        let Some(f) = n.children().find(|c| c.kind() == Kind::Call) else { return Ok(false) };
        let before = made.tree.functions.len();
        let inside = Inside::of(made, f, f.function()).ok();
        let asked = inside.and_then(|inside| {
            let (by, order) = asked(n, api, inside.arguments)?;
            let inside = made.asked_of(&by, inside)?;
            let function = matches!(by, Transform::Vjp | Transform::Linearize);
            // Of the rule of an op of the user's, the tape has what it did, and that is written.
            made.tree.check_has_derivative(&by, inside.function).ok()?;
            let fits = order.len() == given.len() && (!function || self.gives_function(n));
            fits.then_some((inside, by, order))
        });
        let Some((inside, by, order)) = asked else {
            if n.meta(RETURNS).is_some() {
                self.written_out.borrow_mut().insert(n.id());
            }
            made.truncate(before);
            return Ok(false);
        };
        let gives = made.tree.functions[inside.function].gives();
        let range = match &by {
            // What a gradient is of comes before it.
            Transform::Grad { wrt, value: false } => n.result_count() - wrt..n.result_count(),
            // What a linear part keeps comes last.
            Transform::Vjp | Transform::Linearize => 0..gives,
            _ => 0..n.result_count(),
        };
        let of = |i: usize| n.ty(i).cloned().ok_or_else(|| missing("what is no array", n.place()));
        let types = range.clone().map(of).collect::<Result<Vec<Type>>>()?;
        self.known_held(made, n, &inside.held)?;
        let (does, operands) = self.transformed(made, by.clone(), &order, inside, given)?;
        let mut results: Vec<VariableId> =
            range.zip(types).map(|(i, ty)| self.define(Value::Result(n.id(), i), ty, None)).collect();
        if matches!(by, Transform::Vjp | Transform::Linearize) {
            results.push(self.define_function(n, gives));
        }
        self.name(n, &results);
        self.steps.push(Step { does, operands, results, place: n.place() });
        Ok(true)
    }

    /// A call of what a transform makes of a function, and its operands.
    pub(super) fn transformed(
        &mut self,
        made: &mut Maker,
        by: Transform,
        order: &[usize],
        inside: Inside,
        given: &[Value],
    ) -> Result<(Does, Vec<VariableId>)> {
        let (by, function) = match by {
            Transform::Grad { .. } => (by, made.reordered(inside.function, order)),
            Transform::Jacobian { .. } => {
                let function = made.reordered(inside.function, order);
                made.second_order(by, function)
            }
            by => (by, inside.function),
        };
        let held = inside.held.len();
        let operands = order.iter().map(|&i| given[i].clone()).chain(inside.held);
        let operands = operands.map(|v| self.variable(v)).collect::<Result<Vec<_>>>()?;
        Ok((Does::Transform { by, function, held }, operands))
    }
}

/// The transform that a call asks for, of a function of so many arguments, and the order in which it takes what it is given.
pub(super) fn asked(n: Node<'_>, api: &str, arguments: usize) -> Option<(Transform, Vec<usize>)> {
    match api {
        "jit" => Some((Transform::Jit, (0..arguments).collect())),
        "grad" | "value_and_grad" => {
            let (wrt, order) = chosen_first(&n.meta(WRT)?, arguments);
            Some((Transform::Grad { wrt, value: api == "value_and_grad" }, order))
        }
        "jvp" => Some((Transform::Jvp, (0..2 * arguments).collect())),
        "hvp" => Some((Transform::Hvp, (0..2 * arguments).collect())),
        "vjp" => Some((Transform::Vjp, (0..arguments).collect())),
        "linearize" => Some((Transform::Linearize, (0..arguments).collect())),
        "jacfwd" | "jacrev" | "hessian" => {
            let by = match api {
                "jacfwd" => Derivatives::Forward,
                "jacrev" => Derivatives::Reverse,
                _ => Derivatives::Second,
            };
            // Recordings that do not say it are older, and of derivatives in the first array.
            let (wrt, order) = match n.meta(WRT) {
                Some(wrt) => chosen_first(&wrt, arguments),
                None => (1, (0..arguments).collect()),
            };
            let holomorphic = n.meta(HOLOMORPHIC).unwrap_or(false);
            (wrt > 0).then_some((Transform::Jacobian { by, wrt, holomorphic }, order))
        }
        "vmap" => {
            let axes = |said: Tensor| {
                (0..said.size()).filter_map(|i| said.get(i).as_i64()).map(|a| usize::try_from(a).ok()).collect()
            };
            let in_axes = axes(n.meta(IN_AXES)?);
            let size = n.meta(SIZE).and_then(|s| usize::try_from(s).ok());
            let out_axes = n.meta(OUT_AXES).map(axes).unwrap_or_default();
            let name = n.meta(AXIS_NAME).map(Arc::from);
            let by = Transform::Vmap { in_axes, out_axis: n.meta(OUT_AXIS).unwrap_or(0), out_axes, size, name };
            Some((by, (0..arguments).collect()))
        }
        _ => None,
    }
}

/// How many arguments a derivative is taken in, and the order of all arguments that has these first.
fn chosen_first(wrt: &Tensor, arguments: usize) -> (usize, Vec<usize>) {
    let chosen: Vec<usize> = (0..wrt.size()).filter_map(|i| wrt.get(i).as_i64()).map(|i| i as usize).collect();
    let rest = (0..arguments).filter(|i| !chosen.contains(i));
    (chosen.len(), chosen.iter().copied().chain(rest).collect())
}
