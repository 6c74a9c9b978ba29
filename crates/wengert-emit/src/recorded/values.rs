//! The values of a function being put together: where each comes from, and the variable that it is.

use super::{Scope, Value, is_made_of_number, is_of_host, missing};
use crate::tree::{Does, Step, VariableId};
use wengert_core::ops::Constant as ConstantOp;
use wengert_core::{Error, ErrorKind, Op, Place, Result, Tensor, Type};
use wengert_tape::api::{API, KERNEL, RETURNS};
use wengert_tape::{Argument, Constant, Kind, Node, NodeRef, Tape};

impl<'t> Scope<'t> {
    /// An argument of a node as a value, if it is an array.
    pub(super) fn array(&self, a: Argument<'t>) -> Option<Value> {
        match a {
            // A jump passes on what the block gets that it goes to.
            Argument::Node(NodeRef { node, out }) if node.kind() == Kind::Branch => {
                node.arguments().nth(out).and_then(|a| self.array(a))
            }
            Argument::Node(NodeRef { node, out }) => node.ty(out).map(|_| Value::Result(node.id(), out)),
            Argument::Constant(c @ (Constant::Number(..) | Constant::Linked(..))) => Some(Value::Number(c.clone())),
            Argument::Constant(_) => None,
        }
    }

    /// The operands of a node, numbers among them.
    pub(super) fn arrays(&self, n: Node<'t>) -> Vec<Value> {
        n.arguments().filter_map(|a| self.array(a)).collect()
    }

    /// The arrays that a call was given.
    pub(super) fn given(&self, call: Node<'t>) -> Vec<Value> {
        let is_number = |a: &Argument<'t>| matches!(a, Argument::Node(r) if r.node.number(r.out).is_some());
        // A closure is made of the arrays that it holds, and is none.
        let inside = call.shares().unwrap_or(call).children().filter(|n| n.kind() == Kind::Argument);
        let is_array: Vec<bool> = inside.take(call.arguments().len()).map(|n| n.ty(0).is_some()).collect();
        let is_known = call.module().is_some() && is_array.len() == call.arguments().len();
        let given = call.arguments().enumerate().filter(|(i, a)| !is_number(a) && (!is_known || is_array[*i]));
        given.filter_map(|(_, a)| self.array(a)).collect()
    }

    /// The value itself, behind arguments and results of calls that are written out here.
    pub(super) fn source(&self, mut v: Value) -> Value {
        while let Some(next) = self.same.get(&v) {
            v = next.clone();
        }
        v
    }

    pub(super) fn is_inside(&self, n: Node<'t>) -> bool {
        self.is_root || n.ancestors().any(|a| a.id() == self.call.id())
    }

    /// The value, if it was kept.
    pub(super) fn value_of(&self, v: &Value) -> Result<Option<Tensor>> {
        match self.source(v.clone()) {
            Value::Result(node, out) => self.call.tape().get(node).map_or(Ok(None), |n| n.read(out)),
            Value::Number(c) => Ok(number(self.call.tape(), &c)),
            Value::Function(_) => Ok(None),
        }
    }

    /// The type of an array.
    pub(super) fn type_of(&self, v: &Value) -> Option<Type> {
        match v {
            Value::Result(node, out) => self.call.tape().get(*node).and_then(|n| n.ty(*out).cloned()),
            Value::Number(c) => number(self.call.tape(), c).map(|t| t.ty()),
            Value::Function(_) => None,
        }
    }

    /// The variable that has a value: what is not known here yet stands in the text, or is one more parameter.
    pub(super) fn variable(&mut self, v: Value) -> Result<VariableId> {
        let v = self.source(v);
        if let Some(&id) = self.known.get(&v) {
            return Ok(id);
        }
        match &v {
            Value::Number(c) => {
                let t =
                    number(self.call.tape(), c).ok_or_else(|| missing("a number of the host", self.call.place()))?;
                Ok(self.constant(v.clone(), t, Place::unknown()))
            }
            Value::Function(id) => self.function_from_around(self.call.tape().node(*id)),
            Value::Result(id, out) => {
                let n = self.call.tape().node(*id);
                let Some(ty) = n.ty(*out).cloned() else { return Err(missing("what is no array", n.place())) };
                if let Some(x) = n.number(*out).filter(|_| is_of_host(n) || n.kind() == Kind::Argument) {
                    return Ok(self.constant(v.clone(), x.tensor(), n.place()));
                }
                if let Some(from) = linked(n).and_then(|a| self.array(a)) {
                    return self.variable(from);
                }
                if self.is_inside(n) && (is_from_outside(n) || is_made_unseen(n) && n.has_value(*out)) {
                    return self.outside(n, *out);
                }
                // What code of the host made is known by its value alone: `Array::from(number)`.
                let is_unknown = n.kind() == Kind::Primitive && n.op().is_none() && n.user_op().is_none();
                let is_by_host = is_unknown || is_made_of_number(n);
                if is_by_host
                    && self.is_inside(n)
                    && let Some(value) = n.read(*out)?
                {
                    return Ok(self.constant(v.clone(), value, n.place()));
                }
                if let Some(id) = self.given_back(n, *out) {
                    return Ok(id);
                }
                if n.meta(RETURNS).is_some() {
                    // What a linear part keeps is nothing that its call gives in a text.
                    self.written_out.borrow_mut().insert(*id);
                }
                // What a call changed in its place is no result of it: what the call did is written.
                let calls = n.ancestors().take_while(|a| a.id() != self.call.id() && self.is_inside(*a));
                let changed = calls.filter(|a| a.module().is_some()).map(|a| a.id());
                self.written_out.borrow_mut().extend(changed);
                if self.is_inside(n) && self.is_root {
                    return Err(unknown(n));
                }
                let id = self.define(v.clone(), ty, n.name());
                let arrays = self.held.iter().take_while(|h| !matches!(h, Value::Function(_))).count();
                self.held.insert(arrays, v);
                Ok(id)
            }
        }
    }

    /// What a call gave back of what happened inside it, which is known by the call: other threads know the array by what made it.
    pub(super) fn given_back(&self, n: Node<'t>, out: usize) -> Option<VariableId> {
        let call = n.parent()?;
        let is_around = call.id() == self.call.id() || self.call.ancestors().any(|a| a.id() == call.id());
        let end = call.children().find(|c| c.kind() == Kind::Return).filter(|_| !is_around)?;
        let is_it = |a: Argument<'t>| matches!(a, Argument::Node(r) if r.node.id() == n.id() && r.out == out);
        let i = end.arguments().position(is_it)?;
        let v = self.source(Value::Result(call.id(), i));
        self.known.get(&v).copied().or_else(|| self.given_back(call, i))
    }

    /// An array that came from outside of the recording: what the outermost function takes, and a constant in others.
    pub(super) fn outside(&mut self, n: Node<'t>, out: usize) -> Result<VariableId> {
        let value = n.read(out)?.ok_or_else(|| missing(&format!("the array {}", n.id()), n.place()))?;
        let v = Value::Result(n.id(), out);
        if !self.is_root {
            return Ok(self.constant(v, value, n.place()));
        }
        let id = self.define(v, value.ty(), n.name());
        self.parameters.push(id);
        self.inputs.push(value);
        Ok(id)
    }

    pub(super) fn constant(&mut self, v: Value, t: Tensor, place: Place) -> VariableId {
        let name = match &v {
            Value::Result(id, _) => self.call.tape().node(*id).name(),
            Value::Number(_) | Value::Function(_) => None,
        };
        let id = self.define(v, t.ty(), name);
        let does = Does::Primitive(ConstantOp { value: t }.into(), Vec::new());
        self.steps.push(Step { does, operands: Vec::new(), results: vec![id], place });
        id
    }
}

/// Whether an array came from outside of the recording: a constant, or what the function of a recording inside was given.
fn is_from_outside(n: Node<'_>) -> bool {
    let is_given = || n.arguments().len() == 0 && n.parent().is_some_and(|call| !call.is_abstract());
    n.kind() == Kind::Constant || n.kind() == Kind::Argument && is_given()
}

/// Whether an array was made where nothing was recorded: its value is all that is known of it.
fn is_made_unseen(n: Node<'_>) -> bool {
    n.kind() == Kind::Special && n.arguments().len() == 0 && n.meta(KERNEL).is_none()
}

/// Of what stands for an array that a traced function has of the recording around it, that array.
fn linked(n: Node<'_>) -> Option<Argument<'_>> {
    let from = n.arguments().next().filter(|_| n.kind() == Kind::Argument)?;
    n.parent().filter(|call| call.is_abstract() || call.arguments().all(|given| given != from)).map(|_| from)
}

/// The array that a number is which stands in a node.
fn number(tape: &Tape, c: &Constant) -> Option<Tensor> {
    match c {
        Constant::Linked(r, ty) => {
            let x = tape.get(r.node)?.number(r.out)?.tensor().get(0);
            let s = match x.as_i64() {
                Some(i) => wengert_core::Scalar::from_i64(ty.dtype, i),
                None => wengert_core::Scalar::from_complex(ty.dtype, x.as_complex()),
            };
            Some(Tensor::splat(ty.shape.clone(), s))
        }
        c => c.tensor(),
    }
}

/// The error of a value that nothing in the text makes.
fn unknown(n: Node<'_>) -> Error {
    let is_of_user = n.op().is_none_or(|op| matches!(op, Op::Custom(_)));
    let is_opaque = n.kind() == Kind::Call && n.children().all(|c| c.kind() != Kind::Return);
    if n.module().is_some() || n.meta(API).is_some() || !is_of_user || !is_opaque {
        return missing(&format!("{} (`{}`)", n.id(), n.function()), n.place());
    }
    let m = format!(
        "{} ran `{}`, which is no program of other ops: code of the user's is not in a tape",
        n.id(),
        n.function()
    );
    let way =
        "what to do: record with `Capture::Values`, so that what it gave is written, or give the op a decomposition";
    Error::new(ErrorKind::Unsupported, m).at(n.place()).note(way)
}
