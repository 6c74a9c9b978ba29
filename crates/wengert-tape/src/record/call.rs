//! Calls being recorded: their arguments, their children, their results.

use super::callee::Callee;
use super::cursor::{Cursor, elapsed_nanos};
use super::origin::{CallValue, HostValue, Origin, Recorded};
use super::recording::TracedBody;
use super::replay::RecalledOp;
use super::scope::{Frame, FrameId, leave, with_cursor, with_listening_cursor};
use super::writer::{FixedLabel, NodeHeader, NodeResults};
use crate::api::{ERROR, RAISED, UNWINDING};
use crate::context::{ArgumentValue, Context, Draft, Enter, Substitute};
use crate::host::HostType;
use crate::meta::{Meta, MetaValue};
use crate::node::Node;
use crate::row::{KeptValue, Kind, NONE, OWN, Ref, ResultRow, UNWOUND};
use crate::tape::Constant;
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Instant;
use wengert_core::{Op, Place, Type};

/// The children of a call that ran as a whole.
pub enum CallBody<'a> {
    /// The nodes recorded while the call ran.
    Recorded,
    /// What the function did when it was traced. Calls of the same share it.
    Traced(&'a Arc<TracedBody>),
    /// The same of a function that was traced for this call alone: arrays of the recording that it uses are linked to theirs.
    TracedHere(&'a TracedBody),
    /// The programs that the op of the call holds, given the types of its operands.
    Op(&'a [Type]),
    /// The children of the call on the tape being replayed.
    Recalled(&'a RecalledOp),
}

/// Whose function a call is of.
#[derive(Clone, Copy, PartialEq)]
enum Whose {
    Users,
    /// One of our own.
    Own,
    /// The user's, and nothing inside is recorded.
    Boundary,
}

/// A call being recorded. Its children are what happens on this thread until it is finished; dropped unfinished, it
/// has unwound.
pub struct Call {
    open: Option<OpenCall>,
}

struct OpenCall {
    frame: FrameId,
    /// None if the context left the call out.
    node: Option<u32>,
    started: Option<Instant>,
    unwinding: bool,
    /// What it gives instead of what the function gives.
    substitute: Option<Substitute>,
    /// Which function is called, if it is tracked.
    callee: Callee,
}

impl Call {
    /// A call that is not recorded.
    pub const SILENT: Call = Call { open: None };

    /// Opens a call of a function with named arguments, which are nodes inside it.
    pub fn enter<A: Recorded>(name: &str, module: &str, args: &[(&str, CallValue<'_, A>)], place: &Place) -> Call {
        Call::open(name, module, None, args, Whose::Users, None, place)
    }

    /// The same of a function that is traced with values: these arrays are variables of its own, also where the function uses
    /// what they were made of besides.
    pub fn enter_traced<A: Recorded>(name: &str, names: &[String], args: &mut [A], place: &Place) -> Call {
        let mut inside = Vec::new();
        let given: SmallVec<[(&str, CallValue<'_, A>); 4]> =
            names.iter().zip(&*args).map(|(name, x)| (name.as_str(), CallValue::Array(x))).collect();
        let call = Call::open(name, "", None, &given, Whose::Users, Some(&mut inside), place);
        drop(given);
        for (x, origin) in args.iter_mut().zip(inside) {
            origin.into_iter().for_each(|origin| x.set_origin(origin));
        }
        call
    }

    /// The same of a function that nothing is recorded inside of, whatever the context says.
    pub fn enter_boundary<A: Recorded>(
        name: &str,
        module: &str,
        args: &[(&str, CallValue<'_, A>)],
        place: &Place,
    ) -> Call {
        Call::open(name, module, None, args, Whose::Boundary, None, place)
    }

    /// Opens a call of one of our own functions: all nodes inside have the place where the user called it.
    pub fn enter_own<A: Recorded>(name: &str, args: &[(&str, CallValue<'_, A>)], place: &Place) -> Call {
        let call = Call::open(name, "", None, args, Whose::Own, None, place);
        if call.is_open() {
            with_cursor(|cursor| {
                cursor.frame().place.get_or_insert_with(|| place.clone());
            });
        }
        call
    }

    /// Opens a call that runs an op which holds programs; see [`Call::finish_whole`].
    pub fn enter_op<A: Recorded>(name: &str, op: &Op, x: &[&A], place: &Place) -> Call {
        let args: SmallVec<[(&str, CallValue<'_, A>); 4]> = x.iter().map(|x| ("", CallValue::Array(*x))).collect();
        Call::open(name, "", Some(op), &args, Whose::Users, None, place)
    }

    fn open<A: Recorded>(
        name: &str,
        module: &str,
        op: Option<&Op>,
        args: &[(&str, CallValue<'_, A>)],
        whose: Whose,
        mut variables: Option<&mut Vec<Option<Origin>>>,
        place: &Place,
    ) -> Call {
        let report = |cursor: &mut Cursor<'_>| {
            let started = cursor.writer.settings.times.then(Instant::now);
            let unwinding = std::thread::panicking();
            let passed = |cursor: &mut Cursor<'_>, enter| {
                let around = cursor.frame().node;
                OpenCall {
                    frame: cursor.enter(Frame::entered(around, enter)),
                    node: None,
                    started,
                    unwinding,
                    substitute: None,
                    callee: Callee::default(),
                }
            };
            // A staged function is searched for tracked functions when it ends.
            if cursor.frame().silent && op.is_some() {
                return passed(cursor, Enter::Tracked);
            }
            let label = match op {
                None => cursor.writer.function(name, module),
                Some(op) => cursor.writer.structured(name, op),
            };
            for (_, a) in args {
                if let CallValue::Array(x) = a {
                    cursor.meet(*x);
                }
            }
            let hidden = cursor.writer.keeps_nothing;
            let given = |i: usize| {
                let (name, value): &(&str, CallValue<'_, A>) = args.get(i)?;
                let value = match value {
                    CallValue::Array(_) if hidden => None,
                    CallValue::Array(x) => x.tensor().cloned().map(ArgumentValue::Array),
                    CallValue::Number(x) => Some(ArgumentValue::Number(*x)),
                    CallValue::Text(t) | CallValue::Shown(t, _) => Some(ArgumentValue::Text(t.to_string())),
                };
                Some((name.to_string(), value))
            };
            let header = NodeHeader { arguments: Some(&given), ..NodeHeader::new(Kind::Call, label, place) };
            let mut found = None;
            if cursor.frame().silent {
                let enter = cursor.how_to_enter(&header);
                found = Some(enter);
                if enter != Enter::Everything {
                    return passed(cursor, if whose == Whose::Boundary { Enter::Nothing } else { enter });
                }
            }
            if whose == Whose::Boundary {
                found = Some(Enter::Nothing);
            }
            let refs: SmallVec<[Ref; 4]> = args
                .iter()
                .map(|(_, a)| match a {
                    CallValue::Array(x) => cursor.reference(*x, place),
                    CallValue::Text(t) => cursor.writer.text_operand(t),
                    CallValue::Shown(t, ty) => cursor.writer.shown_operand(t, ty),
                    CallValue::Number(x) => cursor.writer.number_operand(*x),
                })
                .collect();
            let node = cursor.push(&header, &refs, NodeResults::NONE);
            if let Some(node) = node.filter(|_| whose == Whose::Own) {
                cursor.writer.row_mut(node).flags |= OWN;
            }
            if let Some(node) = node.filter(|_| unwinding) {
                cursor.writer.set_unwinding(node);
            }
            let (inward, substitute) = match node {
                None => (None, None),
                Some(_) => {
                    let ask = |c: &dyn Context, d: &mut Draft<'_>| (c.inward(d), c.substitute(d));
                    cursor.consult_context(&header, NodeResults::NONE, ask).map_or((None, None), |(said, _)| said)
                }
            };
            let variable = |(_, a): &(&str, CallValue<'_, A>)| matches!(a, CallValue::Array(x) if x.id().is_none());
            let is_given_variable = cursor.frame().is_given_variable || !module.is_empty() && args.iter().any(variable);
            let is_traced = cursor.frame().is_traced || variables.is_some();
            let (frame, enter) = cursor.enter_call(node, &header, found);
            cursor.frame().is_given_variable = is_given_variable;
            cursor.frame().is_traced = is_traced;
            cursor.frame().context = inward;
            let silent = enter != Enter::Everything;
            if !silent && op.is_none() {
                // An argument without a name has no node of its own: nodes that use it refer to where it came from.
                for ((name, a), &r) in args.iter().zip(&refs).filter(|((name, _), _)| !name.is_empty()) {
                    let id = cursor.argument(name, a, r, variables.is_some(), place);
                    if let Some(variables) = &mut variables {
                        variables.push(id.map(|node| Origin { recording: cursor.id, node, out: 0 }));
                    }
                }
            }
            let substitute = substitute.filter(|_| !module.is_empty());
            OpenCall { frame, node, started, unwinding, substitute, callee: Callee::default() }
        };
        // Where only tracked functions are looked for, our own functions are not recorded.
        Call {
            open: if module.is_empty() && op.is_none() { with_cursor(report) } else { with_listening_cursor(report) },
        }
    }

    /// Says which function is called.
    pub fn set_callee(&mut self, callee: Callee) {
        self.open.iter_mut().for_each(|o| o.callee = callee);
    }

    /// What the context gives instead of what the function gives.
    pub fn take_substitute(&mut self) -> Option<Substitute> {
        self.open.as_mut()?.substitute.take()
    }

    /// Whether the call is recorded.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether the call is being left by unwinding.
    pub fn is_unwinding(&self) -> bool {
        self.open.as_ref().is_some_and(|o| std::thread::panicking() && !o.unwinding)
    }

    /// Ends the call with an error.
    pub fn fail(mut self, message: &str) {
        let Some(open) = self.open.take() else { return };
        let nanos = elapsed_nanos(open.started);
        leave(open.frame, |cursor, _| {
            if let Some(call) = open.node {
                cursor.writer.row_mut(call).nanos = nanos;
                cursor.set_failed(call, message);
            }
        });
    }

    /// Ends the call with its results.
    pub fn finish<A: Recorded>(mut self, results: &[CallValue<'_, A>], place: &Place) {
        let Some(open) = self.open.take() else { return };
        let nanos = elapsed_nanos(open.started);
        leave(open.frame, |cursor, frame| {
            let mut kept: SmallVec<[ResultRow; 2]> = SmallVec::new();
            let mut refs: SmallVec<[Ref; 2]> = SmallVec::new();
            let mut outside: SmallVec<[Ref; 2]> = SmallVec::new();
            // What the one value of the host came from that it gives.
            let from = match (results, &frame.returns[..]) {
                ([_], &[r, ..]) => Some(r),
                _ => None,
            };
            for r in results {
                let (k, inner, source) = match r {
                    CallValue::Text(t) => {
                        let r = from.unwrap_or_else(|| cursor.writer.text_operand(t));
                        (cursor.writer.text_result(t), r, r)
                    }
                    CallValue::Shown(t, ty) => {
                        let r = from.unwrap_or_else(|| cursor.writer.shown_operand(t, ty));
                        (cursor.writer.shown_result(t, ty), r, r)
                    }
                    CallValue::Number(x) => {
                        let r = from.unwrap_or_else(|| cursor.writer.number_operand(*x));
                        (cursor.writer.number_result(*x), r, r)
                    }
                    CallValue::Array(x) => {
                        let ty = cursor.writer.ty(&x.ty());
                        let k = ResultRow { ty, kept: KeptValue::Nothing.pack() };
                        if frame.silent {
                            (k, Ref::constant(NONE), Ref::constant(NONE))
                        } else {
                            let source = cursor.source(*x, place);
                            let inside = frame.aliases.get(&source).copied();
                            (k, inside.unwrap_or_else(|| cursor.alias(source)), source)
                        }
                    }
                };
                kept.push(k);
                refs.push(inner);
                outside.push(source);
            }
            let Some(call) = open.node else { return };
            match results {
                [CallValue::Number(_)] => {}
                [CallValue::Text(_) | CallValue::Shown(..)] => refs.extend(frame.returns.iter().skip(1).copied()),
                // Beside the arrays, what else the result is made of.
                _ => {
                    let tape = &cursor.writer.tape;
                    // An array that stands for itself is among the arrays.
                    let is_array = |r: &Ref| matches!(tape.constants.get(r.at as usize), Some(Constant::Number(..)));
                    let is_host = |r: &Ref| if r.is_constant() { !is_array(r) } else { tape.is_host_value(*r) };
                    refs.extend(frame.returns.iter().copied().filter(is_host));
                }
            }
            cursor.frame().set_left(call, &frame);
            let in_parts = matches!(results, [CallValue::Text(_) | CallValue::Shown(..)]) && frame.gives_parts;
            cursor.frame().parts_given = in_parts.then(|| Box::new((call, frame.returns.clone())));
            if !frame.silent {
                let label = cursor.writer.fixed_label(FixedLabel::Return);
                let header = NodeHeader::new(Kind::Return, label, place);
                // Still inside the call.
                let id = cursor.push_inside([call, frame.block], frame.place.as_ref(), &header, &refs);
                cursor.writer.row_mut(call).extra = id.unwrap_or(NONE);
            }
            for (i, (r, source)) in results.iter().zip(&outside).enumerate() {
                let CallValue::Array(x) = r else { continue };
                let here = Ref { at: call, out: i as u32 };
                if frame.silent {
                    // No node inside made the value: it comes from the call.
                    if cursor.of_origin(x.origin()).is_some() {
                        continue;
                    }
                    cursor.meet(*x);
                    if let Some(id) = x.id() {
                        kept[i] = cursor.writer.array_result(&x.ty(), || x.tensor().cloned(), call);
                        cursor.writer.outside.by_id.insert(id, here);
                    } else if let Some(number) = x.origin().number_in_silence(cursor.id) {
                        cursor.writer.outside.by_number.insert(number, here);
                    }
                } else if !source.is_constant() && source.at > call {
                    cursor.frame().aliases.insert(*source, here);
                }
            }
            cursor.writer.set_results(call, &kept);
            if let [CallValue::Number(x)] = results {
                cursor.writer.row_mut(call).host = HostType::code(Some(x.ty));
            }
            cursor.writer.row_mut(call).nanos = nanos;
            cursor.frame().last_call = (call, open.callee);
        });
    }

    /// Ends a call that ran as a whole: it is the origin of its results.
    pub fn finish_whole<A: Recorded>(mut self, y: &mut [A], body: CallBody<'_>) {
        let Some(open) = self.open.take() else { return };
        let nanos = elapsed_nanos(open.started);
        leave(open.frame, |cursor, frame| {
            let Some(call) = open.node else {
                y.iter_mut().for_each(|y| y.set_origin(Origin::unrecorded(cursor.id)));
                return cursor.copy_tracked(frame, body);
            };
            let mut kept: SmallVec<[ResultRow; 2]> = SmallVec::new();
            for (out, y) in y.iter_mut().enumerate() {
                cursor.meet(y);
                kept.push(cursor.writer.array_result(&y.ty(), || y.tensor().cloned(), call));
                y.set_origin(Origin { recording: cursor.id, node: call, out: out as u32 });
            }
            cursor.writer.set_results(call, &kept);
            cursor.writer.row_mut(call).nanos = nanos;
            if matches!(body, CallBody::Traced(_) | CallBody::TracedHere(_)) {
                cursor.repeat_reads(call);
            }
            match body {
                _ if frame.silent && !frame.searched => {}
                CallBody::Recorded => {}
                // A user's op that is made of ops has these as children already.
                CallBody::Op(_) if cursor.writer.tape.row(call).first_child != NONE => {}
                CallBody::Traced(body) => cursor.graft(call, body, frame.searched),
                CallBody::TracedHere(body) => cursor.graft_here(call, body, frame.searched),
                CallBody::Op(types) => cursor.graft_op(call, types, frame.searched),
                CallBody::Recalled(recalled) => cursor.copy_recalled(call, recalled),
            }
        });
    }
}

impl Cursor<'_> {
    /// Code of the user's that ran in a call read arrays: that is said after the call too, whose inside will be what was traced.
    fn repeat_reads(&mut self, call: u32) {
        let tape = &self.writer.tape;
        let inside = |id: &u32| Node { tape, id: *id }.ancestors().any(|n| n.id == call);
        let is_read = |id: &u32| Node { tape, id: *id }.is_read();
        let reads: Vec<u32> = (call + 1..tape.rows.len() as u32).filter(is_read).filter(inside).collect();
        for id in reads {
            let tape = &self.writer.tape;
            let (row, place) = (*tape.row(id), Node { tape, id }.place());
            let (refs, results) = (tape.refs_of(id).to_vec(), tape.results_of(id).to_vec());
            let header = NodeHeader::new(row.kind(), row.label, &place);
            if let Some(again) = self.push(&header, &refs, NodeResults::NONE) {
                self.writer.set_results(again, &results);
                let again = self.writer.row_mut(again);
                (again.flags, again.host) = (row.flags, row.host);
            }
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let flag = if self.is_unwinding() { UNWOUND } else { 0 };
        let Some(open) = self.open.take() else { return };
        let nanos = elapsed_nanos(open.started);
        leave(open.frame, |cursor, _| {
            if let Some(call) = open.node {
                let row = cursor.writer.row_mut(call);
                row.flags |= flag;
                row.nanos = nanos;
            }
        });
    }
}

/// Records an op that could not be done, and why.
pub fn failed_op<A: Recorded>(op: &Op, x: &[&A], place: &Place, message: &str) {
    Call::enter_op(op.name(), op, x, place).fail(message);
}

/// Records a call of one of our own functions that could not be done, and why; what it took beside arrays stands as it is written.
pub fn failed_call<A: Recorded>(name: &str, x: &[&A], plain: Option<&str>, place: &Place, message: &str) {
    let arrays = x.iter().map(|x| ("", CallValue::Array(*x)));
    let args: SmallVec<[(&str, CallValue<'_, A>); 2]> =
        arrays.chain(plain.map(|text| ("", CallValue::Text(text)))).collect();
    Call::enter_own(name, &args, place).fail(message);
}

/// Records that the open call ends in an error or a panic. The last call inside it has the message, if that ended so too; else
/// the error is a node of its own.
pub fn raised(message: &str, place: &Place) {
    raise(message, place, false);
}

/// The same of a panic that begins, as a hook tells of it.
pub(super) fn panicked(message: &str, place: &Place) {
    raise(message, place, true);
}

fn raise(message: &str, place: &Place, is_panic: bool) {
    with_cursor(|cursor| {
        if let Some(last) = cursor.last_failed(message) {
            return cursor.set_failed(last, message);
        }
        let label = cursor.writer.label(RAISED, None);
        let open = cursor.frame().node;
        let last = cursor.writer.tape.row(open).last_child;
        if let Some(node) = cursor.push(&NodeHeader::new(Kind::Call, label, place), &[], NodeResults::NONE) {
            cursor.writer.row_mut(node).flags |= OWN;
            cursor.set_failed(node, message);
            // A panic is on its way where it is told of, and an error is not: it is one of a destructor then. So is a panic after
            // what destructors did.
            let after_destructor = || cursor.writer.tape.metadata.contains_key(&(last, UNWINDING.name().into()));
            if std::thread::panicking() && (!is_panic || after_destructor()) {
                cursor.writer.set_unwinding(node);
            }
        }
    });
}

/// Whether the last call inside the open one ended in this error.
pub fn has_failed(message: &str) -> bool {
    with_cursor(|cursor| cursor.last_failed(message)).flatten().is_some()
}

impl Cursor<'_> {
    /// The last call inside the open one, if it ended in this error or in one that is not known. What a panic says may be
    /// longer than the message.
    fn last_failed(&mut self, message: &str) -> Option<u32> {
        let open = self.frame().node;
        let tape = &self.writer.tape;
        let last = tape.row(open).last_child;
        let said = |known: &MetaValue| matches!(known, MetaValue::Text(m) if message.contains(&**m));
        let failed = |id: u32| Some(id).filter(|&id| id != NONE && tape.row(id).has(UNWOUND));
        // A call that was left by a panic has its error inside, if that is known.
        let inside = std::iter::successors(failed(last), |&id| failed(tape.row(id).last_child));
        let known = inside.filter_map(|id| tape.metadata.get(&(id, ERROR.name().into()))).next();
        failed(last).filter(|_| known.is_none_or(said))
    }

    /// Says of a call that it ended in an error, unless that is known: the same as the last call inside, where that is what a
    /// panic says of it.
    pub(super) fn set_failed(&mut self, call: u32, message: &str) {
        self.writer.row_mut(call).flags |= UNWOUND;
        let tape = &self.writer.tape;
        if tape.metadata.contains_key(&(call, ERROR.name().into())) {
            return;
        }
        let inside = tape.metadata.get(&(tape.row(call).last_child, ERROR.name().into()));
        let message = match inside {
            Some(MetaValue::Text(m)) if message.contains(&**m) => m.to_string(),
            _ => message.to_string(),
        };
        self.writer.set_meta(call, ERROR.name(), message.to_value());
    }

    /// Adds a call and enters it; silently if the context left it out, or does not want to see its children.
    pub(super) fn open_call(&mut self, header: &NodeHeader<'_>, refs: &[Ref]) -> (FrameId, Option<u32>, Enter) {
        let node = self.push(header, refs, NodeResults::NONE);
        let (frame, enter) = self.enter_call(node, header, None);
        (frame, node, enter)
    }

    /// Enters a call that was just added, or left out; the context is asked how, unless it has said so already.
    pub(super) fn enter_call(
        &mut self,
        node: Option<u32>,
        header: &NodeHeader<'_>,
        said: Option<Enter>,
    ) -> (FrameId, Enter) {
        let enter = match node {
            None => Enter::Nothing,
            Some(_) => said.unwrap_or_else(|| self.how_to_enter(header)),
        };
        let place = self.frame().place.clone();
        (self.enter(Frame { place, ..Frame::entered(node.unwrap_or(NONE), enter) }), enter)
    }

    /// How the context enters a call.
    pub(super) fn how_to_enter(&mut self, header: &NodeHeader<'_>) -> Enter {
        self.consult_context(header, NodeResults::NONE, |c, draft| c.enter(draft))
            .map_or(Enter::Everything, |(enter, _)| enter)
    }

    /// The node of an argument, inside the call that was just opened. What it was made of has its name there, unless it is a
    /// variable of its own.
    fn argument<A: Recorded>(
        &mut self,
        name: &str,
        a: &CallValue<'_, A>,
        r: Ref,
        is_variable: bool,
        place: &Place,
    ) -> Option<u32> {
        let label = self.writer.fixed_label(FixedLabel::Argument);
        let header = NodeHeader::new(Kind::Argument, label, place);
        let id = match a {
            CallValue::Array(x) => {
                let id = self.push(&header, &[r], NodeResults::types(&[x.ty()]))?;
                if !r.is_constant() && !is_variable {
                    let source = self.source(*x, place);
                    self.frame().aliases.entry(source).or_insert(Ref { at: id, out: 0 });
                }
                id
            }
            CallValue::Text(t) => {
                let id = self.push(&header, &[r], NodeResults::NONE)?;
                let kept = self.writer.text_result(t);
                self.writer.set_results(id, &[kept]);
                id
            }
            CallValue::Shown(t, ty) => {
                let id = self.push(&header, &[r], NodeResults::NONE)?;
                let kept = self.writer.shown_result(t, ty);
                self.writer.set_results(id, &[kept]);
                id
            }
            CallValue::Number(x) => {
                let id = self.push(&header, &[r], NodeResults::NONE)?;
                self.set_host_result(id, &HostValue::<A>::Number(*x));
                id
            }
        };
        self.writer.row_mut(id).name = self.writer.name(name);
        Some(id)
    }
}
