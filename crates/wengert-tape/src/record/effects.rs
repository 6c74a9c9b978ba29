//! What an expression does to variables beside giving its value: what it may change, directly or through a borrow.
//!
//! The frame of a call has for each variable the node that gave its value last. A call that gets `&mut x` may give `x` any
//! value, and so may whoever holds a borrow of `x`: then what is known of `x` is a node that it depends on, which is not its
//! value. Such a slot is a *part*. What is computed of a part has no op, so that updates and programs stop there if it
//! changes. What a tracked function left in a parameter is known, and followed.

use super::cursor::Cursor;
use super::evaluate::{NOWHERE, UNSHOWN};
use super::scope::{Frame, with_cursor, with_frame};
use super::site::{Body, Change, Does, Effects, Operand, Site, Through};
use super::writer::{FixedLabel, NodeHeader, NodeResults};
use crate::host::{HostNumber, HostType};
use crate::row::{FOLLOWED, Kind, NONE, Ref, ResultRow};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wengert_core::Place;

type SlotList = SmallVec<[u32; 4]>;

/// What is known of the variables of a call beside their nodes.
#[derive(Default)]
pub(super) struct Aliasing {
    /// The slots whose node is all that is known of a variable, and is not its value: a bit for each.
    parts: SmallVec<[u64; 2]>,
    /// The slots that were numbers before they became parts.
    numbers: FxHashSet<u32>,
    /// For each slot, those of the variables that its value may have borrowed, to change them later.
    borrowed: FxHashMap<u32, SlotList>,
    /// The slots whose values are borrows of one whole variable, or of all that another slot has borrowed.
    whole: FxHashMap<u32, u32>,
    /// The slots whose values are dropped, which may change what they have borrowed.
    dropped: FxHashSet<u32>,
    /// The parameters through which what the caller has may be changed.
    parameters: SmallVec<[ThroughParameter; 1]>,
    /// What the last call of a tracked function inside left in its parameters.
    left: Option<LeftBehind>,
}

/// A parameter through which what the caller has may be changed.
struct ThroughParameter {
    /// Which argument it is.
    argument: u32,
    slot: u32,
    node: Ref,
    /// Whether the function drops it.
    is_owned: bool,
}

/// What a call of a tracked function left in the parameters that it changed.
struct LeftBehind {
    call: u32,
    /// Which argument, its node, and whether that is its value.
    values: SmallVec<[(u32, Ref, bool); 1]>,
}

impl Aliasing {
    fn is_part(&self, slot: u32) -> bool {
        self.parts.get(slot as usize / 64).is_some_and(|bits| bits >> (slot % 64) & 1 == 1)
    }

    fn set_part(&mut self, slot: u32, is_part: bool) {
        let (at, bit) = (slot as usize / 64, 1 << (slot % 64));
        if is_part && self.parts.len() <= at {
            self.parts.resize(at + 1, 0);
        }
        if let Some(bits) = self.parts.get_mut(at) {
            if is_part { *bits |= bit } else { *bits &= !bit }
        }
    }

    /// Adds to what the value of a slot may have borrowed.
    fn borrow(&mut self, slot: u32, variables: impl IntoIterator<Item = u32>) {
        for x in variables {
            let all = self.borrowed.entry(slot).or_default();
            if !all.contains(&x) {
                all.push(x);
                self.whole.remove(&slot);
            }
        }
    }

    /// What the values of slots may have borrowed, and what that may have borrowed, and so on.
    fn reachable(&self, from: impl IntoIterator<Item = u32>) -> SlotList {
        let mut found = SlotList::new();
        let mut todo: SlotList = from.into_iter().collect();
        while let Some(slot) = todo.pop() {
            for &x in self.borrowed.get(&slot).into_iter().flatten() {
                if !found.contains(&x) {
                    found.push(x);
                    todo.push(x);
                }
            }
        }
        found
    }

    /// Whether what a slot leads to is one place by several names.
    fn is_whole(&self, slot: u32, reachable: &[u32]) -> bool {
        if self.dropped.contains(&slot) {
            return false;
        }
        let chain: SlotList = std::iter::successors(Some(slot), |x| self.whole.get(x).copied()).take(16).collect();
        reachable.iter().all(|x| chain.contains(x))
    }
}

impl Frame {
    /// Whether the node of a slot is all that is known of a variable, and is not its value.
    #[inline(always)]
    pub(super) fn is_part(&self, slot: u32) -> bool {
        self.aliasing.as_ref().is_some_and(|a| a.is_part(slot))
    }

    fn aliasing(&mut self) -> &mut Aliasing {
        self.aliasing.get_or_insert_default()
    }

    /// The node of a slot is all that is known of a variable, and is not its value; or it is.
    #[inline(always)]
    pub(super) fn set_part(&mut self, slot: u32, is_part: bool) {
        if is_part || self.aliasing.is_some() {
            self.aliasing().set_part(slot, is_part);
        }
    }

    /// Whether values of this call may have borrowed variables of it.
    #[inline(always)]
    pub(super) fn has_borrows(&self) -> bool {
        self.aliasing.as_ref().is_some_and(|a| !a.borrowed.is_empty())
    }

    /// The call is of this function: what it may change of the caller's.
    pub(super) fn set_through_parameters(&mut self, body: &'static Body, arguments: &[u32]) {
        for &(_, slot, through) in body.parameters.iter().filter(|(.., through)| *through != Through::Nothing) {
            let node = self.slots.get(slot as usize).copied().unwrap_or(NOWHERE);
            if let Some(i) = arguments.iter().position(|&id| node == Ref { at: id, out: 0 }) {
                let aliasing = self.aliasing();
                let is_owned = through == Through::Value;
                aliasing.parameters.push(ThroughParameter { argument: i as u32, slot, node, is_owned });
                aliasing.borrow(slot, [slot]);
            }
        }
    }

    /// A call inside ended, whose frame is this: what it left in its parameters.
    pub(super) fn set_left(&mut self, call: u32, inside: &Frame) {
        let Some(of) = inside.aliasing.as_ref().filter(|a| !a.parameters.is_empty()) else { return };
        let now = |slot: u32| inside.slots.get(slot as usize).copied().unwrap_or(NOWHERE);
        let changed = of.parameters.iter().filter(|p| p.is_owned || now(p.slot) != p.node);
        let values = changed.map(|p| (p.argument, now(p.slot), !of.is_part(p.slot) && !p.is_owned)).collect();
        self.aliasing().left = Some(LeftBehind { call, values });
    }

    /// Whether a variable, whose number is of this type if it is one, is of a type for which this is a change.
    pub(super) fn may_be(&self, change: Change, now: Option<HostType>) -> bool {
        match change {
            Change::Reader(slot, types) => {
                let was_number = self.aliasing.as_ref().is_some_and(|of| of.numbers.contains(&slot));
                was_number || now.is_some_and(|ty| types.has(ty))
            }
            _ => true,
        }
    }

    /// What the value of an expression may have borrowed: what it says, and what its operands had borrowed.
    pub(super) fn value_borrows(&mut self, site: &'static Site) {
        self.value_borrows_of(site, site.effects.map_or(&[][..], |e| e.holds).into());
    }

    fn value_borrows_of(&mut self, site: &'static Site, holds: SlotList) {
        if holds.is_empty() && !self.has_borrows() {
            return;
        }
        let aliasing = self.aliasing();
        // What an operand had borrowed may be changed through the value, and the operand be used again.
        let mut all = holds;
        for o in site.operands {
            if let Operand::Slot(i) = o
                && aliasing.borrowed.contains_key(i)
                && !all.contains(i)
            {
                all.push(*i);
            }
        }
        let is_dropped = all.iter().any(|x| aliasing.dropped.contains(x));
        for &slot in site.into {
            if is_dropped {
                aliasing.dropped.insert(slot);
            }
            let is_new = !aliasing.borrowed.contains_key(&slot);
            aliasing.borrow(slot, all.iter().copied().filter(|x| *x != slot));
            if let (Does::Name, [Operand::Slot(x)], true) = (site.does, site.operands, is_new)
                && aliasing.borrowed.get(&slot).is_some_and(|all| all[..] == [*x])
            {
                aliasing.whole.insert(slot, *x);
            }
        }
    }
}

/// A value was given to slots that is no number by itself: it may have borrowed variables. If something is done when it is dropped,
/// that may change them.
pub fn borrowed(site: &'static Site, is_dropped: bool, place: &Place) {
    if site.effects.is_none_or(|e| e.holds.is_empty()) && site.operands.is_empty() {
        return;
    }
    let mut holds: SlotList = site.effects.map_or(&[][..], |e| e.holds).into();
    let is_reader = |c: &Change| matches!(c, Change::Reader(..));
    if site.effects.is_some_and(|e| e.changes.iter().any(is_reader)) {
        with_cursor(|cursor| {
            let changes = site.effects.map_or(&[][..], |e| e.changes);
            let read = changes.iter().filter(|c| is_reader(c) && cursor.may_be(**c));
            holds.extend(read.map(|c| c.slot()));
        });
    }
    let borrows = with_frame(|frame| {
        frame.value_borrows_of(site, holds);
        frame.has_borrows()
    });
    if is_dropped && borrows == Some(true) {
        with_cursor(|cursor| cursor.dropped_later(site, place));
    }
}

/// Something was written to what is no variable of the function, or through what an expression gave.
pub fn wrote(site: &'static Site, place: &Place) {
    with_cursor(|cursor| {
        // An array is known wherever it is found again.
        let refs = cursor.slots_of(site.operands);
        let changes = site.effects.is_some_and(|e| !e.changes.is_empty());
        let matters = changes || refs.iter().any(|r| !cursor.is_array(*r));
        let through = site.effects.is_some_and(|e| !e.through.is_empty());
        if matters || through {
            let r = cursor.push_unknown(site, &refs, place);
            cursor.effects_of(site, r, place);
        }
    });
    stored(site, place);
}

/// A value that may have borrowed variables was written to a part of a variable, or through a borrow, if that is what the expression
/// does: whatever may be that place has borrowed them now.
pub fn stored(site: &'static Site, place: &Place) {
    let Some(effects) = site.effects.filter(|e| e.stores) else { return };
    if !effects.holds.is_empty() || with_frame(|frame| frame.has_borrows()) == Some(true) {
        with_cursor(|cursor| cursor.stored(site, effects, place));
    }
}

impl Cursor<'_> {
    /// Whether an operand is a variable of which only a part is known.
    pub(super) fn is_part(&self, o: &Operand) -> bool {
        matches!(o, Operand::Slot(i) if self.frames.last().is_some_and(|f| f.is_part(*i)))
    }

    /// Whether a node's result is an array.
    pub(super) fn is_array(&self, r: Ref) -> bool {
        !r.is_constant()
            && self.writer.tape.row(r.at).host == 0
            && self.writer.tape.keep_of(r).is_some_and(|k| self.writer.tape.type_of(k).is_some())
    }

    /// A node of which nothing is known but what it depends on.
    fn push_unknown(&mut self, site: &'static Site, refs: &[Ref], place: &Place) -> Ref {
        let label = self.writer.site_label(site, None);
        let header = NodeHeader::new(Kind::Primitive, label, place);
        let Some(id) = self.push(&header, refs, NodeResults::NONE) else { return NOWHERE };
        let kept = self.writer.text_result(UNSHOWN);
        self.writer.set_results(id, &[kept]);
        Ref { at: id, out: 0 }
    }

    /// A value has borrowed variables, and what is done when it is dropped may change them. Until then only the value can: so it may
    /// be said now.
    fn dropped_later(&mut self, site: &'static Site, place: &Place) {
        let aliasing = self.frame().aliasing();
        aliasing.dropped.extend(site.into.iter().filter(|slot| aliasing.borrowed.contains_key(slot)));
        let mut unknown = aliasing.reachable(site.into.iter().copied());
        unknown.retain(|slot| !site.into.contains(slot));
        unknown.retain(|slot| {
            let now = self.slot(*slot);
            now == NOWHERE || !self.is_array(now)
        });
        let r = site.into.first().map_or(NOWHERE, |&slot| self.slot(slot));
        self.set_unknown(site, r, None, unknown, place);
    }

    fn stored(&mut self, site: &'static Site, effects: &Effects, place: &Place) {
        let aliasing = self.frame().aliasing();
        let has_borrowed = |i: &u32| !effects.through.contains(i) && aliasing.borrowed.contains_key(i);
        let mut held: SlotList = effects.holds.into();
        held.extend(site.operands.iter().filter_map(|o| match o {
            Operand::Slot(i) => Some(*i).filter(has_borrowed),
            _ => None,
        }));
        if held.is_empty() {
            return;
        }
        let mut places: SlotList = site.into.into();
        places.extend(aliasing.reachable(effects.through.iter().copied()));
        let is_dropped = held.iter().any(|x| aliasing.dropped.contains(x));
        for &slot in &places {
            aliasing.borrow(slot, held.iter().copied().filter(|x| *x != slot));
            if is_dropped {
                aliasing.dropped.insert(slot);
            }
        }
        // What others have now may be changed where nobody looks: what stands in no variable, or in what the caller has.
        let is_parameter = |slot: &u32| aliasing.parameters.iter().any(|p| p.slot == *slot);
        let mut unknown = match places.is_empty() {
            true => held.iter().copied().chain(aliasing.reachable(held.iter().copied())).collect(),
            false if places.iter().any(is_parameter) => held,
            false => return,
        };
        if !places.is_empty() {
            unknown.retain(|slot| aliasing.parameters.iter().any(|p| p.slot == *slot) && !places.contains(slot));
        }
        self.set_unknown(site, NOWHERE, None, unknown, place);
    }

    /// What an expression did to variables, which is evaluated, and whose node is this.
    pub(super) fn effects_of(&mut self, site: &'static Site, r: Ref, place: &Place) {
        let calls = matches!(site.does, Does::Call | Does::CallOfVariable);
        if site.effects.is_none() && !(calls && self.frame().aliasing.is_some()) {
            return;
        }
        let left = self.take_left(site, calls, place);
        let changes = site.effects.filter(|_| !self.is_method_of_number(site)).map_or(&[][..], |e| e.changes);
        let mut unknown = SlotList::new();
        for &change in changes.iter().filter(|c| !site.into.contains(&c.slot())) {
            if self.may_be(change) && !self.follow_left(site, left.as_ref(), change, place) {
                unknown.push(change.slot());
            }
        }
        self.write_through(site, calls, left.as_ref(), &mut unknown, place);
        self.write_elsewhere(site, r, place);
        self.set_unknown(site, r, left.as_ref(), unknown, place);
    }

    /// Whether a variable is of a type for which this is a change.
    fn may_be(&mut self, change: Change) -> bool {
        let now = self.slot(change.slot());
        let ty = if now == NOWHERE { None } else { self.writer.host_type_of(now) };
        self.frame().may_be(change, ty)
    }

    /// Nothing is known of variables but what they depend on: what they were, and what the expression is made of.
    fn set_unknown(
        &mut self,
        site: &'static Site,
        r: Ref,
        left: Option<&LeftBehind>,
        unknown: SlotList,
        place: &Place,
    ) {
        if unknown.is_empty() {
            return;
        }
        let olds: SmallVec<[Ref; 4]> = unknown.iter().map(|&s| self.slot(s)).collect();
        // A number that the expression gives must not be taken for that of a variable.
        for (&slot, &x) in unknown.iter().zip(&olds) {
            if x == NOWHERE || self.host_type_of(x).is_some() && !self.frame().is_part(slot) {
                self.frame().aliasing().numbers.insert(slot);
            }
        }
        let is_number = r != NOWHERE && self.host_type_of(r).is_some();
        let is_apart = is_number && unknown.iter().any(|slot| self.frame().aliasing().numbers.contains(slot));
        let inside = left.iter().flat_map(|l| l.values.iter().map(|v| v.1));
        let mut refs = self.slots_of(site.operands);
        for x in olds.into_iter().chain(inside) {
            if x != NOWHERE && !x.is_constant() && !refs.contains(&x) {
                refs.push(x);
            }
        }
        refs.retain(|r| !r.is_constant());
        let node = if !is_apart && self.says_all(r, &refs) { r } else { self.push_unknown(site, &refs, place) };
        for slot in unknown {
            self.frame().set_slot(slot, node);
            self.frame().set_part(slot, true);
            // A borrow may be one of another variable by now.
            self.frame().aliasing().whole.remove(&slot);
        }
    }

    /// Whether an expression is a method of a number of the standard library, all of which leave it as it is.
    fn is_method_of_number(&mut self, site: &'static Site) -> bool {
        let Some(method) = site.method.filter(|m| self.slot(m.of_number) != NOWHERE) else { return false };
        let of = self.slot(method.of_number);
        self.host_type_of(of).is_some_and(|ty| method.function.is_method_of(ty))
    }

    /// Where a value was written through what is known to borrow no variable, such as a guard of a cell (`*g = v`), it may be found
    /// anywhere: a node says so.
    fn write_elsewhere(&mut self, site: &'static Site, r: Ref, place: &Place) {
        let through = site.effects.filter(|_| site.does == Does::Name).map_or(&[][..], |e| e.through);
        let is_known = |holder: &u32, of: &Aliasing| !of.reachable([*holder]).is_empty();
        let aliasing = self.frame().aliasing.as_ref();
        if through.iter().all(|holder| aliasing.is_some_and(|of| is_known(holder, of))) {
            return;
        }
        let mut refs = self.slots_of(site.operands);
        refs.retain(|r| !r.is_constant() && *r != NOWHERE);
        if refs.iter().any(|r| !self.is_array(*r)) && !self.says_all(r, &refs) {
            self.push_unknown(site, &refs, place);
        }
    }

    /// Whether a node has no op, and depends on all of these.
    fn says_all(&self, r: Ref, refs: &[Ref]) -> bool {
        let tape = &self.writer.tape;
        let node = crate::Node { tape, id: r.at };
        r != NOWHERE
            && !r.is_constant()
            && match tape.row(r.at).kind() {
                Kind::Primitive => node.op().is_none() && node.label().function.is_none(),
                _ => node.is_unrecorded(),
            }
            && refs.iter().all(|x| *x == r || tape.refs_of(r.at).contains(x))
    }

    /// What the call that an expression is left in its parameters, if it is of a tracked function.
    fn take_left(&mut self, site: &'static Site, calls: bool, place: &Place) -> Option<LeftBehind> {
        let frame = self.frame();
        let left = frame.aliasing.as_mut().filter(|_| calls)?.left.take()?;
        let last = if frame.node == NONE { NONE } else { self.writer.tape.row(self.frames.last()?.node).last_child };
        // A node of the call's value may stand after it. Of what a variable holds nobody knows what else it does.
        let is_it = last >= left.call && site.does == Does::Call && self.is_called_by(site, left.call, place);
        is_it.then_some(left)
    }

    /// Which argument of a call a variable is.
    fn argument_of(&self, site: &'static Site, left: &LeftBehind, slot: u32) -> Option<u32> {
        let count = self.writer.tape.row(left.call).refs_len as usize;
        let is_it = |o: &Operand| matches!(o, Operand::Slot(i) if *i == slot);
        site.operands.iter().position(is_it).filter(|_| count == site.operands.len()).map(|i| i as u32)
    }

    /// A variable that an expression may have changed: whether what it is now is known.
    fn follow_left(&mut self, site: &'static Site, left: Option<&LeftBehind>, change: Change, place: &Place) -> bool {
        let slot = change.slot();
        // Methods of an array leave it as it is.
        if matches!(change, Change::Receiver(_) | Change::Reader(..)) && left.is_none() {
            let now = self.slot(slot);
            return now != NOWHERE && self.is_array(now) && !self.frame().is_part(slot);
        }
        let Some(left) = left else { return false };
        let Some(i) = self.argument_of(site, left, slot) else { return left.values.is_empty() };
        match left.values.iter().find(|v| v.0 == i) {
            None => true,
            Some(&(_, inside, true)) if !matches!(change, Change::Part(_)) => self.take_over(slot, inside, place),
            Some(_) => false,
        }
    }

    /// A variable has a number that a call left in a parameter: whether it is one.
    fn take_over(&mut self, slot: u32, inside: Ref, place: &Place) -> bool {
        let taken = self.taken_out(inside, place);
        taken.into_iter().for_each(|r| self.frame().set_slot(slot, r));
        taken.is_some()
    }

    /// A node out here of a number that has one inside a call.
    fn taken_out(&mut self, inside: Ref, place: &Place) -> Option<Ref> {
        let tape = &self.writer.tape;
        if inside == NOWHERE || inside.is_constant() || tape.row(inside.at).host == 0 {
            return None;
        }
        let (k, host) = (tape.keep_of(inside)?, tape.row(inside.at).host);
        let kept = self.writer.kept_again(k.kept);
        let label = self.writer.fixed_label(FixedLabel::Argument);
        let header = NodeHeader::new(Kind::Argument, label, place);
        let id = self.push(&header, &[inside], NodeResults::NONE)?;
        self.writer.set_results(id, &[ResultRow { kept, ..k }]);
        self.writer.row_mut(id).host = host;
        Some(Ref { at: id, out: 0 })
    }

    /// The part of what a call of a tracked function gave, if it is this number: that call is the last one here.
    pub(super) fn part_given(
        &mut self,
        site: &'static Site,
        (i, of): (u8, u8),
        x: HostNumber,
        place: &Place,
    ) -> Option<Ref> {
        let [o @ Operand::Slot(slot)] = site.operands else { return None };
        let call = self.slot(*slot);
        let is_part = self.is_part(o);
        let (of_call, parts) = &**self.frame().parts_given.as_ref()?;
        if is_part || call != (Ref { at: *of_call, out: 0 }) || parts.len() != of as usize {
            return None;
        }
        let (of_call, inside) = (*of_call, *parts.get(i as usize)?);
        self.writer.row_mut(of_call).flags |= FOLLOWED;
        match self.number_of(inside) == Some(x) {
            true if inside.is_constant() => Some(inside),
            true => self.taken_out(inside, place),
            false => None,
        }
    }

    /// Adds the variables that an expression may have changed through what others had borrowed.
    fn write_through(
        &mut self,
        site: &'static Site,
        calls: bool,
        left: Option<&LeftBehind>,
        unknown: &mut SlotList,
        place: &Place,
    ) {
        if !self.frame().has_borrows() {
            return;
        }
        let mut holders: SlotList = site.effects.map_or(&[][..], |e| e.through).into();
        if calls {
            let shared = site.effects.map_or(&[][..], |e| e.shared);
            holders.extend(site.operands.iter().filter_map(|o| match o {
                Operand::Slot(i) if !shared.contains(i) => Some(*i),
                _ => None,
            }));
        }
        for holder in holders {
            let Some(aliasing) = self.frame().aliasing.as_ref() else { return };
            let reachable = aliasing.reachable([holder]);
            if reachable.is_empty() {
                continue;
            }
            let is_whole = aliasing.is_whole(holder, &reachable);
            let is_written = match left.and_then(|left| Some((left, self.argument_of(site, left, holder)?))) {
                // The function that got it said what became of it.
                Some((left, i)) => match left.values.iter().find(|v| v.0 == i) {
                    None => continue,
                    Some(&(_, inside, true)) if is_whole => self.take_over(holder, inside, place),
                    Some(_) => false,
                },
                None => !calls && is_whole && site.into == [holder] && !self.frame().is_part(holder),
            };
            if is_written {
                let now = self.slot(holder);
                reachable.iter().for_each(|&x| self.frame().set_slot(x, now));
                continue;
            }
            let others = reachable.into_iter().filter(|x| calls || !site.into.contains(x));
            for x in others {
                if !unknown.contains(&x) {
                    unknown.push(x);
                }
            }
        }
    }
}
