//! Links of expressions to what is recorded already: the node of an array, of a call, of a read; with the operands that the source
//! says it has.

use super::callee::Called;
use super::cursor::Cursor;
use super::evaluate::NOWHERE;
use super::origin::{HostValue, Recorded};
use super::scope::is_recording;
use super::site::{Does, Operand, Site};
use super::writer::{NodeHeader, NodeResults};
use crate::host::{HostNumber, HostType};
use crate::row::{BUILT_IN, FOLLOWED, Kind, NONE, READ, Ref, UNWOUND};
use crate::tape::{Constant, converted};
use smallvec::SmallVec;
use std::cell::RefCell;
use wengert_core::ops::Convert;
use wengert_core::{Id, Op, Place, Type};

/// Arguments of blocks and calls that are followed to find the node of an array.
const STEPS: usize = 16;

/// An array that was made of a number, where, and by the function at which path.
type Made = (Id, Place, &'static str);

thread_local! {
    /// The array that was made of a number last on this thread.
    static MADE: RefCell<Option<Made>> = const { RefCell::new(None) };
}

/// Says that an array was made of a number here by the function at this path, and of nothing else.
pub fn made_of_number<A: Recorded>(x: &A, by: &'static str, place: &Place) {
    if is_recording() {
        let _ = MADE.try_with(|made| made.replace(x.id().map(|id| (id, place.clone(), by))));
    }
}

impl Cursor<'_> {
    /// The node of an array. One that comes from outside, made of values of the host, depends on these.
    pub(super) fn evaluated_array<A: Recorded>(&mut self, site: &'static Site, x: &A, place: &Place) -> Ref {
        let next = self.writer.tape.rows.len() as u32;
        let r = self.reference(x, place);
        let is_new = r == (Ref { at: next, out: 0 }) && self.writer.tape.row(next).kind() == Kind::Constant;
        // Operands are in the order of their nodes: another thread may have added one meanwhile.
        let is_last = self.writer.tape.rows.len() as u32 == next + 1;
        if is_new && is_last && matches!(site.does, Does::Call | Does::CallOfVariable) {
            let mut refs = self.slots_of(site.operands);
            if !refs.is_empty() {
                let (mut op, ty) = (None, x.ty());
                if self.is_made_of_number(site, x, place)
                    && !self.is_part(&site.operands[0])
                    && let [r] = &mut refs[..]
                    && let Some(linked) = self.link_number(*r, x, &ty)
                {
                    (*r, op) = (linked, Some(Op::Convert(Convert { dtype: ty.dtype })));
                }
                let label = self.writer.label(site.label, op.as_ref());
                let start = self.writer.tape.refs.len() as u32;
                self.writer.tape.refs.room(refs.len()).extend_from_slice(&refs);
                // An array of one number is a literal in what is traced.
                let is_literal = op.is_some() && self.frame().is_traced;
                let row = self.writer.row_mut(next);
                (row.kind, row.label) = (Kind::Primitive as u8, label);
                row.flags |= if is_literal { BUILT_IN } else { 0 };
                (row.refs, row.refs_len) = (start, refs.len() as u32);
            }
            return r;
        }
        let linked = self.is_call_of(site, r, place) && self.link_arguments(r.at, site) || self.refer_by_slots(site, r);
        if linked && x.is_traced() && !r.is_constant() && self.has_linked(r.at) {
            self.writer.row_mut(r.at).flags |= BUILT_IN;
        }
        if linked { r } else { self.used_with(site, r, x.ty(), place) }
    }

    /// Whether what an expression gave is that of the call of a tracked function that it is.
    fn is_call_of(&mut self, site: &'static Site, r: Ref, place: &Place) -> bool {
        let node = self.frame().node;
        if site.does != Does::Call || r.is_constant() || node == NONE || self.writer.tape.row(node).last_child != r.at {
            return false;
        }
        let row = self.writer.tape.row(r.at);
        row.kind() == Kind::Call && row.returns().is_some() && self.is_called_by(site, r.at, place)
    }

    /// Lets the op that an expression is refer to what its operands are in the function, such as the arguments of a block, and
    /// numbers of the host: whether that is all that it depends on.
    fn refer_by_slots(&mut self, site: &'static Site, r: Ref) -> bool {
        let node = self.frame().node;
        !r.is_constant()
            && node != NONE
            && self.writer.tape.row(node).last_child == r.at
            && self.refer_operands(site, r)
    }

    fn refer_operands(&mut self, site: &'static Site, r: Ref) -> bool {
        let row = *self.writer.tape.row(r.at);
        if row.kind() != Kind::Primitive || row.refs_len as usize != site.operands.len() {
            return false;
        }
        let mut all = matches!(site.does, Does::Operator(_));
        for (i, o) in site.operands.iter().enumerate() {
            let at = row.refs as usize + i;
            let (old, Operand::Slot(slot)) = (self.writer.tape.refs[at], o) else { continue };
            let new = self.slot(*slot);
            if self.is_part(o) {
                all &= !old.is_constant();
                continue;
            }
            if new != NOWHERE && !new.is_constant() && new.at < r.at && self.host_type_of(new).is_some() {
                match self.link(old, new).filter(|_| all) {
                    Some(linked) => self.writer.tape.refs.to_mut()[at] = linked,
                    None => all = false,
                }
                continue;
            }
            if new.at < r.at && self.is_literal_with(new) && self.writer.tape.step(new) == Some(old) {
                self.writer.tape.refs.to_mut()[at] = new;
                continue;
            }
            if new != old && new != NOWHERE && !new.is_constant() && new.at < r.at && !old.is_constant() {
                let same = self.near_source(new).is_some_and(|s| Some(s) == self.near_source(old));
                if same {
                    self.writer.tape.refs.to_mut()[at] = new;
                }
            }
        }
        all
    }

    /// Whether an op has numbers that the host made.
    fn has_linked(&self, id: u32) -> bool {
        let constants = &self.writer.tape.constants;
        let is_linked = |r: &Ref| matches!(constants.get(r.at as usize), Some(Constant::Linked(..)));
        let refs = || self.writer.tape.refs_of(id).iter();
        self.writer.tape.row(id).kind() == Kind::Primitive && refs().any(|r| r.is_constant() && is_linked(r))
    }

    /// Whether a node is an array that stands for itself, such as zeros, and was made with values of the host: where it is used,
    /// nothing but the source tells that it is this one.
    fn is_literal_with(&self, r: Ref) -> bool {
        let tape = &self.writer.tape;
        let is_it = |r: Ref| tape.row(r.at).kind() == Kind::Argument && tape.row(r.at).refs_len > 1;
        r != NOWHERE && !r.is_constant() && is_it(r) && tape.step(r).is_some_and(Ref::is_constant)
    }

    /// Whether an expression is the call that made an array of a number: `Array::from(w)`.
    fn is_made_of_number<A: Recorded>(&mut self, site: &'static Site, x: &A, place: &Place) -> bool {
        let Called::Path(path) = self.frame().called else { return false };
        let here = |made: &RefCell<Option<Made>>| {
            made.borrow().as_ref().is_some_and(|(id, p, by)| Some(*id) == x.id() && p == place && *by == path)
        };
        site.does == Does::Call && site.operands.len() == 1 && MADE.try_with(here).unwrap_or(false)
    }

    /// A number of the host as what an array is made of; none if it is not that number.
    fn link_number<A: Recorded>(&mut self, from: Ref, x: &A, ty: &Type) -> Option<Ref> {
        let number = self.writer.tape.number_at(from).filter(|_| !from.is_constant())?;
        let now = converted(number.scalar(), ty).filter(|_| number.ty.dtype() == ty.dtype)?;
        now.same_bits(x.tensor()?)
            .then(|| Ref::constant(self.writer.constant(&Constant::Linked(from.id(), ty.clone()))))
    }

    /// An operand that stands in an op as a number, as what the host has it from; none if it is not that number.
    fn link(&mut self, old: Ref, from: Ref) -> Option<Ref> {
        let Constant::Number(s, ty) = old.is_constant().then(|| self.writer.tape.constants.get(old.at as usize))??
        else {
            return None;
        };
        let x = crate::Node { tape: &self.writer.tape, id: from.at }.number(from.out as usize)?;
        // Numbers that have another element type for each value they may have.
        let exact = match x.ty {
            HostType::Bool | HostType::Char => false,
            HostType::I64 | HostType::Isize | HostType::U64 | HostType::Usize => x.ty.dtype() == ty.dtype,
            _ => true,
        };
        let now = converted(x.scalar(), ty).filter(|_| exact)?;
        let fits = now.get(0).bits() == s.bits() && now.size() > 0;
        let linked = Constant::Linked(from.id(), ty.clone());
        fits.then(|| Ref::constant(self.writer.constant(&linked)))
    }

    /// The node of an array that an expression made, or chose, by values of the host: it is the array, and depends on these.
    fn used_with(&mut self, site: &'static Site, r: Ref, ty: Type, place: &Place) -> Ref {
        let mut refs: SmallVec<[Ref; 2]> = SmallVec::new();
        for o in site.operands {
            let from = self.operand(o, None).filter(|r| *r != NOWHERE && !r.is_constant());
            let depends = |from: &Ref| {
                self.is_part(o) || self.host_type_of(*from).is_some() || self.is_literal_with(*from) && *from != r
            };
            refs.extend(from.filter(depends));
        }
        if refs.is_empty() || site.does == Does::Name {
            return r;
        }
        refs.insert(0, r);
        let label = self.writer.label(site.label, None);
        let results = NodeResults::types(std::slice::from_ref(&ty));
        let Some(id) = self.push(&NodeHeader::new(Kind::Argument, label, place), &refs, results) else { return r };
        let here = Ref { at: id, out: 0 };
        if let Some(source) = self.near_source(r) {
            self.frame().aliases.insert(source, here);
        }
        here
    }

    /// The node that a call has already: of a tracked function, or of a read. Its operands that were only shown get the
    /// nodes they came from.
    pub(super) fn recorded_call<A: Recorded>(
        &mut self,
        site: &'static Site,
        value: &HostValue<'_, A>,
        place: &Place,
    ) -> Option<Ref> {
        // Arrays are compared by ops, and what comes of it is read.
        let compares = matches!(site.does, Does::Operator(op) if op.compares());
        if !compares && !matches!(site.does, Does::Call | Does::CallOfVariable) {
            return None;
        }
        let (node, claimed) = (self.frame().node, self.frame().claimed);
        let last = if node == NONE { NONE } else { self.writer.tape.row(node).last_child };
        if last == NONE || claimed != NONE && last <= claimed {
            return None;
        }
        let row = *self.writer.tape.row(last);
        if compares && !row.has(READ) {
            return None;
        }
        // A function of the user's may have the name of the read that it does.
        let is_read_here = row.has(READ) && row.place == self.writer.place(place);
        let label = &self.writer.tape.labels[row.label as usize];
        let (is_tracked, is_named) = (label.module.is_some(), label.is_of(site.label));
        let is_call = row.kind() == Kind::Call && !row.has(UNWOUND) && row.results_len > 0;
        let fits = match site.does {
            Does::Call if is_read_here && is_named => true,
            Does::Call => is_call && self.gave(last, value) && self.is_called_by(site, last, place),
            // A closure may have called it with other arguments than its own.
            Does::CallOfVariable => is_call && is_tracked && self.gave(last, value) && self.was_given(last, site),
            _ => {
                let read = crate::Node { tape: &self.writer.tape, id: last }.number(0);
                row.has(READ) && matches!(value, HostValue::Number(x) if Some(*x) == read)
            }
        };
        if !fits {
            return None;
        }
        self.frame().claimed = last;
        let here = Ref { at: last, out: 0 };
        // Of what is no number the parts are followed that a pattern takes out of it at once; what is done with one that a variable
        // keeps, or a function is given, is not all known.
        match value {
            HostValue::Text { .. } if site.name.is_empty() => {}
            HostValue::Text { .. } => self.frame().parts_given = None,
            _ => self.writer.row_mut(last).flags |= FOLLOWED,
        }
        // An array is compared with a number by an op that has the number as it was.
        if compares && self.has_numbers(site) {
            let compared = self.writer.tape.refs_of(last).first().copied().filter(|r| !r.is_constant());
            if !compared.is_some_and(|r| self.refer_operands(site, r)) {
                return Some(self.made_of(site, here, value, place));
            }
        }
        // Nobody knows whether what a variable holds, or a method that may be another, did more than to call it.
        let may_be_inside =
            is_tracked && (site.does == Does::CallOfVariable || self.may_be_inside() && self.has_numbers(site));
        if is_call && (may_be_inside || !self.link_arguments(last, site)) {
            return Some(self.made_of(site, here, value, place));
        }
        Some(here)
    }

    /// Whether an operand is a number of the host, or a part of something that is.
    fn has_numbers(&mut self, site: &'static Site) -> bool {
        site.operands.iter().any(|o| {
            let from = self.operand(o, None).filter(|r| *r != NOWHERE && !r.is_constant());
            from.is_some_and(|from| self.is_part(o) || self.host_type_of(from).is_some())
        })
    }

    /// What a call gave that does not refer to all that it was given: a node that does.
    fn made_of<A: Recorded>(&mut self, site: &'static Site, call: Ref, value: &HostValue<'_, A>, place: &Place) -> Ref {
        let mut refs = self.slots_of(site.operands);
        refs.retain(|r| !r.is_constant());
        refs.insert(0, call);
        let label = self.writer.site_label(site, None);
        let Some(id) = self.push(&NodeHeader::new(Kind::Primitive, label, place), &refs, NodeResults::NONE) else {
            return call;
        };
        self.set_host_result(id, value);
        Ref { at: id, out: 0 }
    }

    /// Whether a call gave this, as far as it is a number.
    fn gave<A: Recorded>(&self, call: u32, value: &HostValue<'_, A>) -> bool {
        let gave = crate::Node { tape: &self.writer.tape, id: call }.number(0);
        match value {
            HostValue::Number(x) => gave == Some(*x),
            _ => gave.is_none(),
        }
    }

    /// The number that a reference is.
    pub(super) fn number_of(&self, r: Ref) -> Option<HostNumber> {
        match r.is_constant() {
            true => match self.writer.tape.constants.get(r.at as usize) {
                Some(Constant::Host(x)) => Some(*x),
                _ => None,
            },
            false => crate::Node { tape: &self.writer.tape, id: r.at }.number(r.out as usize),
        }
    }

    /// Whether a call was given what stands in an expression that calls a variable, which is the first of its operands.
    fn was_given(&mut self, call: u32, site: &'static Site) -> bool {
        let row = *self.writer.tape.row(call);
        if row.refs_len as usize + 1 != site.operands.len() {
            return false;
        }
        site.operands[1..].iter().enumerate().all(|(i, o)| {
            let shown = self.writer.tape.refs[row.refs as usize + i];
            let Some(from) = self.operand(o, None).filter(|r| *r != NOWHERE) else { return false };
            shown == from || self.number_of(shown).is_some() && self.number_of(shown) == self.number_of(from)
        })
    }

    /// Lets the arguments of a call that ended refer to the nodes that they came from: whether all do.
    fn link_arguments(&mut self, call: u32, site: &'static Site) -> bool {
        let row = *self.writer.tape.row(call);
        let count = row.refs_len as usize;
        if count != site.operands.len() {
            let refs = self.slots_of(site.operands);
            return refs.iter().all(|r| r.is_constant() || self.is_array(*r));
        }
        let mut all = true;
        let inside = self.arguments_inside(call);
        for (i, o) in site.operands.iter().enumerate() {
            let at = row.refs as usize + i;
            let shown = self.writer.tape.refs[at];
            let Operand::Slot(slot) = o else { continue };
            let from = self.slot(*slot);
            if !shown.is_constant() || from == NOWHERE || from.is_constant() || from.at >= call {
                continue;
            }
            if !self.is_part(o) && self.number_of(shown) != self.number_of(from) {
                all = false;
                continue;
            }
            self.writer.tape.refs.to_mut()[at] = from;
            match inside.as_ref().map(|inside| inside[i]) {
                Some(inner) => self.writer.tape.refs.to_mut()[inner as usize] = from,
                // Of a call that was not recorded inside nothing more is asked.
                None => all &= row.first_child == NONE,
            }
        }
        all
    }

    /// Where the arguments of a call stand inside of it, each by what it refers to; none if some have no node there.
    fn arguments_inside(&self, call: u32) -> Option<SmallVec<[u32; 4]>> {
        let given = self.writer.tape.refs_of(call);
        let mut child = self.writer.tape.row(call).first_child;
        let mut inside = SmallVec::new();
        for &shown in given {
            let inner = Some(child).filter(|c| *c != NONE).map(|c| *self.writer.tape.row(c))?;
            let is_it = inner.kind() == Kind::Argument && self.writer.tape.refs_of(child) == [shown];
            inside.push(is_it.then_some(inner.refs)?);
            child = inner.next;
        }
        Some(inside)
    }

    /// The result that a reference stands for, unless that is many steps away.
    fn near_source(&self, mut r: Ref) -> Option<Ref> {
        for _ in 0..STEPS {
            match self.writer.tape.step(r) {
                None => return Some(r).filter(|r| !r.is_constant()),
                Some(next) => r = next,
            }
        }
        None
    }
}
