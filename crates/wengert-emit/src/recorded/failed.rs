//! The call tree of a run that ended in an error: what led there, with the step that failed last in each function.

use super::control::{leaving_held, union, with_tangents_of};
use super::transforms::asked;
use super::{Inside, RecordedError, Scope, Value, last_segment, place_of};
use crate::maker::Maker;
use crate::names::identifier;
use crate::tree::{Does, Function, FunctionId, OWN, OwnCall, Step, Transform, Variable, VariableId, is_axes};
use std::sync::Arc;
use wengert_core::ops::{Cond, CustomJvp, CustomVjp, Scan, While};
use wengert_core::{Builder, DType, Op, Place, Program, Result, Tensor, Type};
use wengert_tape::api::{API, CARRIES, ERROR, LENGTH, RAISED, REVERSE};
use wengert_tape::{Argument, Constant, Kind, Node};

/// The error that a run ended in, if it did, as it was said, and where.
pub(super) fn error(root: Node<'_>) -> Option<RecordedError> {
    let (n, message) = last_failed(root).filter(|_| !root.ended_well())?;
    let path = std::iter::successors(Some(n), |n| last_failed(*n).map(|(n, _)| n));
    let place = path.map(|n| n.place()).filter(|p| !p.is_unknown()).last().unwrap_or_default();
    Some(RecordedError { message: whole_message(n, message), place })
}

/// The message of the error that a run ended in, if it did, as what is emitted says it.
pub(super) fn message(root: Node<'_>) -> Option<String> {
    let (n, message) = last_failed(root).filter(|_| !root.ended_well())?;
    Some(said(n, message))
}

/// What a call failed with, given what it says itself.
fn whole_message(n: Node<'_>, message: Option<String>) -> String {
    message.or_else(|| deepest(n)).unwrap_or_else(|| "a panic".into())
}

/// What a call failed with, as it is where the call is emitted.
fn said(n: Node<'_>, message: Option<String>) -> String {
    let message = whole_message(n, message);
    // Names as they are in the program that is emitted.
    let name = |(i, part): (usize, &str)| match i % 2 == 1 {
        true if part.contains("::") => identifier(last_segment(part)),
        // What is carried has another tree there.
        true if part.starts_with("carry.") => "carry".into(),
        _ => part.into(),
    };
    let message = message.split('`').enumerate().map(name).collect::<Vec<_>>().join("`");
    loops(n).fold(message, |m, (api, by)| m.replace(&format!("`{api}`"), &format!("`{by}`")))
}

/// The loops that a failure is in, and the functions that they are written as.
fn loops(n: Node<'_>) -> impl Iterator<Item = (&'static str, &'static str)> {
    let path = std::iter::successors(Some(n), |n| last_failed(*n).map(|(n, _)| n));
    path.filter_map(|n| match (n.meta(API)?.as_str(), n.meta(LENGTH)) {
        ("fori_loop", Some(_)) => Some(("fori_loop", "scan")),
        ("fori_loop", None) => Some(("fori_loop", "while_loop")),
        ("map", _) => Some(("map", "scan")),
        _ => None,
    })
}

/// The call inside another that ended in an error, if that is the last thing inside, with the message if it has one.
fn last_failed(call: Node<'_>) -> Option<(Node<'_>, Option<String>)> {
    let mut failed = None;
    let mut before = None;
    for n in call.steps() {
        before = failed;
        failed = n.unwound().then_some(n);
    }
    let n = failed?;
    match before.filter(|b| is_that_of(n, *b)) {
        Some(b) => Some((b, n.meta(ERROR))),
        None => Some((n, n.meta(ERROR))),
    }
}

/// Whether an error that came from no call is that of the call before it: a kernel that panics is apart from the calls that are
/// open.
fn is_that_of(n: Node<'_>, before: Node<'_>) -> bool {
    let known = || before.meta(ERROR).or_else(|| deepest(before));
    is_raised(n) && before.unwound() && known().is_none_or(|message| Some(message) == n.meta(ERROR))
}

/// The message that a call inside has.
fn deepest(n: Node<'_>) -> Option<String> {
    let (n, message) = last_failed(n)?;
    message.or_else(|| deepest(n))
}

/// Whether it is the node of an error that came from no call.
fn is_raised(n: Node<'_>) -> bool {
    n.is_own() && n.op().is_none() && n.function() == RAISED && n.meta(ERROR).is_some()
}

/// Whether a call failed before anything else happened inside.
fn has_done_nothing(n: Node<'_>) -> bool {
    n.children().all(|c| c.kind() == Kind::Argument || is_raised(c))
}

/// A program in an op that was never made: of these types, and nothing in it is written.
fn stand_in(takes: &[Type], gives: &[Type]) -> Arc<Program> {
    let mut b = Builder::new();
    b.inputs(takes);
    let y: Vec<_> = gives.iter().map(|t| b.zeros(t)).collect();
    Arc::new(b.finish(&y))
}

/// Whether an op can be written on operands that do not fit it.
fn is_plain(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare(_)
            | Op::Select(_)
            | Op::Clamp(_)
            | Op::Convert(_)
            | Op::Broadcast(_)
            | Op::Reshape(_)
            | Op::Transpose(_)
            | Op::Reverse(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::Concatenate(_)
            | Op::DotGeneral(_)
    )
}

fn has_code_of_users(op: &Op) -> bool {
    let custom = |op: &Op| matches!(op, Op::Custom(op) if op.printed_text().is_none());
    custom(op) || op.programs().iter().any(|p| p.any(|_, e| custom(&e.op)))
}

impl<'t> Scope<'t> {
    /// The outermost function of a run that failed, and its inputs.
    pub(super) fn failed_root(mut self, made: &mut Maker, message: &str) -> Result<(FunctionId, Vec<Tensor>)> {
        self.failing(made, self.call, message)?;
        let inputs = std::mem::take(&mut self.inputs);
        if let Some(id) = made.only_call(&self.steps, &self.parameters, &[]) {
            return Ok((id, inputs));
        }
        Ok((made.intern(self.finish("run", Place::unknown(), Vec::new(), Some(1))), inputs))
    }

    /// A failure that the run went on after, as a function of its own.
    pub(super) fn caught(&mut self, made: &mut Maker, n: Node<'t>) -> Result<()> {
        if n.preceding().last().is_some_and(|before| is_that_of(n, before)) {
            return Ok(());
        }
        let next = n.following().next().filter(|next| is_that_of(*next, n));
        let message = said(n, n.meta(ERROR).or_else(|| next?.meta(ERROR)));
        let mut scope = Scope::new(made, self.call, false);
        scope.failed(made, n, &message)?;
        let all: Vec<VariableId> = scope.held.iter().map(|v| scope.known[v]).collect();
        let operands = self.all(scope.held.clone())?;
        let function = match made.only_call(&scope.steps, &all, &[]) {
            Some(id) => id,
            None => made.intern(scope.finish("failed", Place::unknown(), Vec::new(), Some(1))),
        };
        let does = Does::Caught(function, message);
        self.steps.push(Step { does, operands, results: Vec::new(), place: n.place() });
        Ok(())
    }

    /// What a call did until it failed.
    fn failing(&mut self, made: &mut Maker, call: Node<'t>, message: &str) -> Result<()> {
        match last_failed(call) {
            None => {
                self.children(made, call, None)?;
                self.raise(message, call.place());
                Ok(())
            }
            Some((n, own)) => {
                self.children(made, call, Some(n.id()))?;
                self.failed(made, n, &own.unwrap_or_else(|| message.into()))
            }
        }
    }

    /// The step that failed.
    fn failed(&mut self, made: &mut Maker, n: Node<'t>, message: &str) -> Result<()> {
        let given = if n.op().is_some() { self.arrays(n) } else { self.given(n) };
        let before = (made.tree.functions.len(), self.steps.len());
        let done = match (n.op(), n.meta(API)) {
            (Some(op), _) => self.failed_op(made, n, op, given),
            _ if is_raised(n) => Ok(false),
            (None, Some(api)) => self.failed_transform(made, n, &api, &given, message),
            (None, None) if n.module().is_some() => self.failed_call(made, n, given, message),
            (None, None) if n.is_own() && has_done_nothing(n) && OWN.iter().any(|own| own.name == n.function()) => {
                self.failed_own(n, message)
            }
            // Our own functions are what they did.
            _ => return self.failing(made, n, message),
        };
        // What can't be written is the error itself.
        if !matches!(done, Ok(true)) {
            made.truncate(before.0);
            self.steps.truncate(before.1);
            self.raise(message, n.place());
        }
        Ok(())
    }

    fn raise(&mut self, message: &str, place: Place) {
        self.push_failed(Does::Raise(message.into()), Vec::new(), &[], place);
    }

    /// The last step of a function that failed. What it would have given has names, so that the text is as it would have been.
    pub(super) fn push_failed(&mut self, does: Does, operands: Vec<VariableId>, gives: &[Type], place: Place) {
        let mut results = Vec::new();
        for ty in gives {
            results.push(self.variables.len());
            self.variables.push(Variable::array(None, ty.clone()));
        }
        self.steps.push(Step { does, operands, results, place });
    }

    fn types(&self, of: &[VariableId]) -> Vec<Type> {
        of.iter().map(|&v| self.variables[v].ty.clone()).collect()
    }

    pub(super) fn all(&mut self, values: impl IntoIterator<Item = Value>) -> Result<Vec<VariableId>> {
        values.into_iter().map(|v| self.variable(v)).collect()
    }

    fn failed_op(&mut self, made: &mut Maker, n: Node<'t>, op: &Op, given: Vec<Value>) -> Result<bool> {
        if given.len() != n.arguments().len() || has_code_of_users(op) {
            return Ok(false);
        }
        let operands = self.all(given)?;
        let gives = match op.rules().infer(&self.types(&operands)) {
            Ok(gives) => gives,
            Err(_) if is_plain(op) => vec![some_type()],
            Err(_) => return Ok(false),
        };
        let inside = made.programs(op);
        self.push_failed(Does::Primitive(op.clone(), inside), operands, &gives, n.place());
        Ok(true)
    }

    fn failed_own(&mut self, n: Node<'t>, message: &str) -> Result<bool> {
        let own = OWN.iter().find(|own| own.name == n.function());
        let Some(function) = own.filter(|own| n.arguments().len() == own.arrays + usize::from(own.jax.is_none()))
        else {
            return Ok(false);
        };
        let given: Option<Vec<Value>> = n.arguments().take(function.arrays).map(|a| self.array(a)).collect();
        let plain = n.arguments().nth(function.arrays).map(|a| match a {
            Argument::Constant(Constant::Host(number)) => number.to_string(),
            Argument::Constant(c) => c.text().unwrap_or_default().to_string(),
            Argument::Node(_) => String::new(),
        });
        let (Some(given), true) = (given, plain.as_deref().is_none_or(is_axes)) else { return Ok(false) };
        let operands = self.all(given)?;
        let does = Does::Own(OwnCall { function, plain, message: message.into() });
        self.push_failed(does, operands, &[some_type()], n.place());
        Ok(true)
    }

    fn failed_call(&mut self, made: &mut Maker, n: Node<'t>, given: Vec<Value>, message: &str) -> Result<bool> {
        let inside = Inside::failed(made, n, message, 1)?;
        let operands = self.all(given.into_iter().chain(inside.held))?;
        self.push_failed(Does::Call(inside.function), operands, &[some_type()], n.place());
        Ok(true)
    }

    fn failed_transform(
        &mut self,
        made: &mut Maker,
        n: Node<'t>,
        api: &str,
        given: &[Value],
        message: &str,
    ) -> Result<bool> {
        if self.failed_returned(n, given)? {
            return Ok(true);
        }
        let functions: Vec<Node<'t>> =
            n.children().filter(|c| c.kind() == Kind::Call && c.op().is_none() && !is_raised(*c)).collect();
        let (Some(&f), Some(&last)) = (functions.first(), functions.last()) else {
            return self.failed_before_tracing(made, n, api, given);
        };
        // A function that fails while it is traced for its program fails so in staged code too.
        let api = match api {
            "make_program" | "eval_shape" | "linear_transpose" if f.unwound() => "jit",
            api => api,
        };
        match api {
            "scan" | "map" | "fori_loop" | "while_loop" => {
                return self.failed_loop(made, n, &functions, given, message);
            }
            "cond" | "switch" | "case" => return self.failed_choice(made, n, &functions, given, message),
            "custom_jvp" | "custom_vjp" if last.is_abstract() && last.unwound() => {
                return self.failed_rule(made, n, &functions, given, message);
            }
            _ => {}
        }
        let inside = match f.unwound() {
            true => Inside::failed(made, f, message, 1)?,
            false => Inside::of(made, f, f.function())?,
        };
        let asked = asked(n, api, inside.arguments).filter(|(_, order)| order.len() == given.len());
        let asked = asked.and_then(|(by, order)| Some((made.asked_of(&by, inside)?, by, order)));
        match asked {
            Some((inside, by, order)) => {
                let gives = match &by {
                    Transform::Grad { wrt, value } => {
                        let values = if *value { made.tree.functions[inside.function].gives() } else { 0 };
                        wrt + values
                    }
                    // The function that it gives counts too.
                    Transform::Vjp | Transform::Linearize => made.tree.functions[inside.function].gives() + 1,
                    Transform::Jacobian { by, wrt, .. } => {
                        made.tree.functions[inside.function].gives() * wrt.pow(by.order())
                    }
                    Transform::Hvp => inside.arguments,
                    Transform::Jvp => 2 * made.tree.functions[inside.function].gives(),
                    _ => made.tree.functions[inside.function].gives(),
                };
                let (does, operands) = self.transformed(made, by, &order, inside, given)?;
                self.push_failed(does, operands, &vec![some_type(); gives], n.place());
                Ok(true)
            }
            // A function that ran with its values did all that can be seen.
            None if !f.is_abstract() => self.failing(made, n, message).map(|()| true),
            None => Ok(false),
        }
    }

    /// A transform that what it was given did not fit: its function was never called, and another stands for it.
    fn failed_before_tracing(&mut self, made: &mut Maker, n: Node<'t>, api: &str, given: &[Value]) -> Result<bool> {
        let operands = self.all(given.iter().cloned())?;
        let mut types = self.types(&operands);
        let count = if matches!(api, "jvp" | "hvp") { given.len() / 2 } else { given.len() };
        let Some((by, order)) = asked(n, api, count).filter(|(_, order)| order.len() == given.len()) else {
            return Ok(false);
        };
        // How many results it gives of a function of one.
        let (does_not_fit, gives) = match &by {
            Transform::Grad { wrt, value } => {
                let is_such = order.iter().take(*wrt).any(|&i| !types[i].dtype.is_float());
                (is_such, wrt + usize::from(*value))
            }
            Transform::Jvp | Transform::Hvp => {
                let tangents = types.split_off(count);
                (types != tangents, if by == Transform::Jvp { 2 } else { count })
            }
            Transform::Vmap { in_axes, .. } => {
                let mut sizes = Vec::new();
                for (ty, axis) in types.iter_mut().zip(in_axes) {
                    let Some(axis) = *axis else { continue };
                    if axis >= ty.rank() {
                        return Ok(false);
                    }
                    sizes.push(ty.shape.0.remove(axis));
                }
                (sizes.windows(2).any(|pair| pair[0] != pair[1]), 1)
            }
            _ => (false, 0),
        };
        if !does_not_fit || types.is_empty() {
            return Ok(false);
        }
        let inside = Inside::first(made, last_segment(n.function()), &types);
        let (does, operands) = self.transformed(made, by, &order, inside, given)?;
        self.push_failed(does, operands, &vec![some_type(); gives], n.place());
        Ok(true)
    }

    fn failed_loop(
        &mut self,
        made: &mut Maker,
        n: Node<'t>,
        functions: &[Node<'t>],
        given: &[Value],
        message: &str,
    ) -> Result<bool> {
        let Some(carries) = n.meta(CARRIES).and_then(|c| usize::try_from(c).ok()).filter(|c| *c <= given.len()) else {
            return Ok(false);
        };
        let length = n.meta(LENGTH).and_then(|l| usize::try_from(l).ok());
        let gives = |i: usize| if length.is_none() && i == 0 { 1 } else { carries };
        let mut parts = Vec::new();
        for (i, f) in functions.iter().enumerate() {
            parts.push(Inside::failed_or_done(made, *f, message, gives(i))?);
        }
        let own = self.all(given.iter().cloned())?;
        let types = self.types(&own);
        if length.is_none() && parts.len() == 1 {
            // Nothing is known of the body of a loop whose condition fails.
            parts.push(Inside::identity(made, &types));
        }
        let held = union(&parts);
        let operands = self.all(held.iter().cloned())?;
        let own_held = self.nameless(&operands);
        let inside: Vec<FunctionId> = parts.into_iter().map(|p| p.with_held_first(made, &held, &own_held)).collect();
        let consts = held.len();
        let op: Op = match length {
            Some(length) => {
                let body = stand_in(&[], &[]);
                Scan { length, consts, carries, reverse: n.meta(REVERSE).unwrap_or(false), body }.into()
            }
            None => While { consts, cond: stand_in(&[], &[]), body: stand_in(&[], &[]) }.into(),
        };
        // What steps give besides the carry is known of a body that came to its end.
        let ys = inside.last().map_or(0, |&id| made.tree.functions[id].gives().saturating_sub(carries));
        let ys = if length.is_some() { ys } else { 0 };
        let results = [&types[..carries], &vec![some_type(); ys]].concat();
        let operands = operands.into_iter().chain(own).collect();
        self.push_failed(Does::Primitive(op, inside), operands, &results, n.place());
        Ok(true)
    }

    fn failed_choice(
        &mut self,
        made: &mut Maker,
        n: Node<'t>,
        functions: &[Node<'t>],
        given: &[Value],
        message: &str,
    ) -> Result<bool> {
        let mut parts: Vec<Inside> = Vec::new();
        for f in functions {
            let gives = parts.first().map_or(1, |p| made.tree.functions[p.function].gives());
            parts.push(Inside::failed_or_done(made, *f, message, gives)?);
        }
        let own = self.all(given.iter().cloned())?;
        let is_bool = own.first().is_some_and(|&v| self.variables[v].ty.dtype == DType::Bool);
        let held = union(&parts);
        let operands = self.all(held.iter().cloned())?;
        let own_held = self.nameless(&operands);
        let mut inside: Vec<FunctionId> =
            parts.into_iter().map(|p| p.with_held_first(made, &held, &own_held)).collect();
        if is_bool && inside.len() == 1 {
            // The other branch was not reached.
            inside.push(inside[0]);
        }
        let gives = made.tree.functions[inside[0]].gives();
        let op = Cond { branches: vec![stand_in(&[], &[]); inside.len()] };
        let operands = own[..1].iter().chain(&operands).chain(&own[1..]).copied().collect();
        self.push_failed(Does::Primitive(op.into(), inside), operands, &vec![some_type(); gives], n.place());
        Ok(true)
    }

    /// A function whose derivative rule fails. What the function and its rules hold are arguments more: of the function, and of the
    /// rules by way of it.
    fn failed_rule(
        &mut self,
        made: &mut Maker,
        n: Node<'t>,
        functions: &[Node<'t>],
        given: &[Value],
        message: &str,
    ) -> Result<bool> {
        let mut parts = Vec::new();
        let (last, before) = functions.split_last().expect("there is one");
        for f in before {
            parts.push(Inside::of(made, *f, f.function())?);
        }
        let Some(primal) = parts.first() else { return Ok(false) };
        let own = primal.arguments;
        let f = &made.tree.functions[primal.function];
        let gives: Vec<Type> = f.results.iter().map(|&v| f.variables[v].ty.clone()).collect();
        let moving = |types: &[Type]| types.iter().filter(|t| t.dtype.is_differentiable()).cloned().collect::<Vec<_>>();
        parts.push(Inside::failed(made, *last, message, 0)?);
        let held = union(&parts);
        if held.iter().any(|v| matches!(v, Value::Function(_))) || given.len() != own {
            return Ok(false);
        }
        let operands = self.all(given.iter().chain(&held).cloned())?;
        let (takes, like) = (self.types(&operands), self.nameless(&operands[own..]));
        let program = stand_in(&takes, &gives);
        let results = |made: &Maker, part: &Inside| {
            let f = &made.tree.functions[part.function];
            f.results.iter().map(|&v| f.variables[v].ty.clone()).collect::<Vec<Type>>()
        };
        let (op, inside): (Op, Vec<FunctionId>) = match &parts[..] {
            [primal, rule] => {
                let all = [gives.clone(), moving(&gives)].concat();
                let count = all.len();
                let more = |f: Function| Function { fails: Some(count), ..with_tangents_of(&like, f) };
                let inside = vec![
                    primal.with_held(made, own, &held, &like, |f| f),
                    rule.with_held(made, own, &held, &like, more),
                ];
                (CustomJvp { program, rule: stand_in(&[], &all) }.into(), inside)
            }
            [primal, forward, backward] => {
                let ahead = [results(made, forward), takes[own..].to_vec()].concat();
                let left = ahead.len() - held.len() - gives.len();
                let back = moving(&takes);
                let count = back.len();
                let inside = vec![
                    primal.with_held(made, own, &held, &like, |f| f),
                    forward.with_held(made, own, &held, &like, |f| leaving_held(own, f)),
                    backward.with_held(made, left, &held, &like, |f| Function { fails: Some(count), ..f }),
                ];
                let (forward, backward) = (stand_in(&[], &ahead), stand_in(&[], &back));
                (CustomVjp { program, forward, backward }.into(), inside)
            }
            _ => return Ok(false),
        };
        self.push_failed(Does::Primitive(op, inside), operands, &gives, n.place());
        Ok(true)
    }
}

/// A type for what was never computed.
fn some_type() -> Type {
    Type::scalar(DType::F32)
}

impl Inside {
    /// A function that failed, of which so many arrays are expected.
    fn failed(made: &mut Maker, n: Node<'_>, message: &str, gives: usize) -> Result<Inside> {
        let mut scope = Scope::new(made, n, false);
        scope.failing(made, n, message)?;
        let (arguments, held) = (scope.parameters.len(), scope.held.clone());
        let all: Vec<VariableId> =
            scope.parameters.iter().copied().chain(held.iter().map(|v| scope.known[v])).collect();
        if let Some(id) = made.only_call(&scope.steps, &all, &[]) {
            let f = Function { fails: Some(gives), ..made.tree.functions[id].clone() };
            return Ok(Inside { function: made.intern(f), arguments, held });
        }
        let function = made.intern(scope.finish(n.function(), place_of(n), Vec::new(), Some(gives)));
        Ok(Inside { function, arguments, held })
    }

    fn failed_or_done(made: &mut Maker, n: Node<'_>, message: &str, gives: usize) -> Result<Inside> {
        match n.unwound() {
            true => Inside::failed(made, n, message, gives),
            false => Inside::of(made, n, n.function()),
        }
        .map(|inside| inside.unwrapped(made))
    }

    /// A function that gives what it takes.
    fn identity(made: &mut Maker, types: &[Type]) -> Inside {
        Inside::giving(made, "", types, (0..types.len()).collect())
    }

    /// A function of this name that gives the first of what it takes.
    fn first(made: &mut Maker, name: &str, types: &[Type]) -> Inside {
        Inside::giving(made, name, types, vec![0])
    }

    /// A function that does nothing but give some of what it takes.
    fn giving(made: &mut Maker, name: &str, types: &[Type], results: Vec<VariableId>) -> Inside {
        let variables = types.iter().map(|ty| Variable::array(None, ty.clone())).collect();
        let (place, parameters) = (Place::unknown(), (0..types.len()).collect());
        let (name, steps) = (name.to_string(), Vec::new());
        let f = Function { name, place, variables, parameters, steps, results, fails: None, is_tracked: false };
        Inside { function: made.intern(f), arguments: types.len(), held: Vec::new() }
    }
}
