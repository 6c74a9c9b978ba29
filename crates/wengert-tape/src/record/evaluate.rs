//! Nodes of the host: what a tracked function evaluates, names, and gives to the blocks it goes to.

use super::callee::Called;
use super::cursor::Cursor;
use super::origin::{HostValue, Recorded};
use super::scope::{Frame, with_cursor, with_frame, with_writer};
use super::site::{Body, Does, Operand, Site};
use super::writer::{FixedLabel, NodeHeader, NodeResults};
use crate::context::{ArgumentValue, Substitute};
use crate::function::Meaning;
use crate::host::{HostNumber, HostType};
use crate::row::{KeptValue, Kind, NONE, Ref, ResultRow};
use crate::source::FunctionSource;
use crate::tape::Constant;
use smallvec::SmallVec;
use wengert_core::{Place, Type};

/// The text of a value that is not shown.
pub const UNSHOWN: &str = "…";

/// No node.
pub(super) const NOWHERE: Ref = Ref { at: NONE, out: NONE };

type Refs = SmallVec<[Ref; 4]>;

/// An expression was evaluated: what a context gives instead of its value, if it does.
pub fn evaluated<A: Recorded>(site: &'static Site, value: HostValue<'_, A>, place: &Place) -> Option<Substitute> {
    if let HostValue::Number(x) = value
        && evaluated_again(site, x, place)
    {
        return None;
    }
    with_cursor(|cursor| cursor.evaluated(site, value, place)).flatten()
}

/// An expression gave a number: whether its node is there, by the short way.
fn evaluated_again(site: &'static Site, x: HostNumber, place: &Place) -> bool {
    if let (Does::Name, [Operand::Slot(i)], "", None) = (site.does, site.operands, site.name, site.effects)
        && with_frame(|frame| frame.copy_node(*i, site.into)) == Some(true)
    {
        return true;
    }
    with_writer(|mut open| open.evaluated(site, x, place)).is_some()
}

/// A part of a variable was changed: what it is now, if that is known. The node is all that is known of the variable, and is
/// not its value.
pub fn changed<A: Recorded>(site: &'static Site, part: Option<HostValue<'_, A>>, place: &Place) {
    with_cursor(|cursor| {
        let unknown = || HostValue::Text { text: "()".into(), ty: "()".into() };
        let (r, _) = cursor.push_host(site, &part.unwrap_or_else(unknown), place);
        for &slot in site.into {
            cursor.set_slot(slot, r);
            cursor.frame().set_part(slot, true);
        }
        cursor.effects_of(site, r, place);
    });
}

/// The host drew a number at random.
pub fn drawn(name: &str, x: HostNumber, place: &Place) {
    with_cursor(|cursor| {
        let label = cursor.writer.label(name, None);
        if let Some(id) = cursor.push(&NodeHeader::new(Kind::Constant, label, place), &[], NodeResults::NONE) {
            let kept = cursor.writer.number_result(x);
            cursor.writer.set_results(id, &[kept]);
            cursor.writer.row_mut(id).host = HostType::code(Some(x.ty));
        }
    });
}

/// The same of a call, given what is known of the function that is called.
pub fn evaluated_call<A: Recorded>(
    site: &'static Site,
    value: HostValue<'_, A>,
    called: fn() -> Called,
    place: &Place,
) -> Option<Substitute> {
    if let HostValue::Number(x) = value
        && evaluated_again(site, x, place)
    {
        return None;
    }
    let evaluate = |cursor: &mut Cursor<'_>| {
        cursor.frame().called = called();
        let instead = cursor.evaluated(site, value, place);
        cursor.frame().called = Called::Unknown;
        instead
    };
    with_cursor(evaluate).flatten()
}

/// The call that was just opened is of this function: its arguments are in slots.
pub fn set_body(body: &'static Body) {
    with_cursor(|cursor| {
        let node = cursor.frame().node;
        if node == NONE {
            return;
        }
        let mut arguments: SmallVec<[u32; 4]> = SmallVec::new();
        let label = cursor.writer.tape.row(node).label;
        cursor.writer.tape.sources_of.entry(label).or_insert_with(|| FunctionSource {
            text: body.text.to_string(),
            start: body.start,
            statements: body.statements.to_vec(),
        });
        let mut child = cursor.writer.tape.row(node).first_child;
        while child != NONE {
            let row = *cursor.writer.tape.row(child);
            if row.kind() != Kind::Argument {
                break;
            }
            arguments.push(child);
            let name = row.name.checked_sub(1).map(|i| &*cursor.writer.tape.names[i as usize]);
            // Of a value of several parts, the first stands for all.
            let is_of = |n: &str| {
                name.and_then(|name| name.strip_prefix(n)).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            if let Some((_, slot, _)) = body.parameters.iter().find(|(n, ..)| is_of(n))
                && cursor.slot(*slot) == NOWHERE
            {
                cursor.set_slot(*slot, Ref { at: child, out: 0 });
            }
            child = row.next;
        }
        cursor.frame().set_through_parameters(body, &arguments);
    });
}

/// The open call gives a value that nothing shows: any value that its function had may be a part of it.
pub fn set_return_of_all() {
    with_cursor(|cursor| {
        let mut refs: SmallVec<[Ref; 2]> = SmallVec::new();
        for &r in &cursor.frames.last().expect("a scope has its root").slots {
            if r != NOWHERE && cursor.writer.tape.is_host_value(r) && !refs.contains(&r) {
                refs.push(r);
            }
        }
        cursor.frame().returns = refs;
    });
}

/// The value that the open call gives, as an expression of its function.
pub fn set_return<A: Recorded>(site: &'static Site, value: HostValue<'_, A>, place: &Place) {
    if let HostValue::Number(x) = value
        && returned_again(site, x, place)
    {
        return;
    }
    with_cursor(|cursor| {
        // What is not shown gets no node: the call refers to all that it was made of.
        if let HostValue::Text { text, .. } = &value
            && text == UNSHOWN
        {
            let mut refs = cursor.slots_of(site.operands);
            cursor.frame().gives_parts = site.does == Does::Parts && refs.len() == site.operands.len();
            // What stands in the source tells the numbers apart that came from elsewhere, if any did.
            if !refs.iter().any(|&r| cursor.writer.tape.is_host_value(r)) {
                refs.retain(|r| !r.is_constant());
            }
            cursor.frame().returns = refs;
            return;
        }
        cursor.evaluated(site, value, place);
        let r = site.into.first().map_or(NOWHERE, |&slot| cursor.slot(slot));
        cursor.frame().returns = if r == NOWHERE { SmallVec::new() } else { SmallVec::from_slice(&[r]) };
    });
}

/// The open call gives a number: whether its node is there, by the short way.
fn returned_again(site: &'static Site, x: HostNumber, place: &Place) -> bool {
    let returned = with_writer(|mut open| {
        let r = open.evaluated(site, x, place).filter(|_| !site.into.is_empty())?;
        open.frame.returns = SmallVec::from_slice(&[r]);
        Some(())
    });
    returned.is_some()
}

/// Whether a variable has a node of a value that is not shown.
pub fn is_unshown(slot: u32) -> bool {
    with_cursor(|cursor| cursor.unshown(slot).is_some()) == Some(true)
}

/// A variable has a value that is shown so.
pub fn show(slot: u32, text: &str, ty: &str) {
    with_cursor(|cursor| {
        if let Some(id) = cursor.unshown(slot) {
            let kept = cursor.writer.shown_result(text, ty);
            cursor.writer.set_results(id, &[kept]);
        }
    });
}

/// One slot has what another has.
pub fn copy_slots(site: &'static Site) {
    let changes = site.effects.is_some_and(|e| !e.changes.is_empty());
    if let [Operand::Slot(from)] = site.operands
        && !changes
    {
        with_frame(|frame| {
            let (is_part, from) = (frame.is_part(*from), frame.slots.get(*from as usize).copied().unwrap_or(NOWHERE));
            for &slot in site.into {
                frame.set_slot(slot, from);
                frame.set_part(slot, is_part);
            }
            frame.value_borrows(site);
        });
        return;
    }
    with_cursor(|cursor| {
        let from = match site.operands {
            [one] => cursor.operand(one, None).unwrap_or(NOWHERE),
            _ => NOWHERE,
        };
        site.into.iter().for_each(|&slot| cursor.set_slot(slot, from));
        cursor.frame().value_borrows(site);
        cursor.effects_of(site, from, &Place::unknown());
    });
}

/// Nothing is known of these slots until they get a value.
pub fn clear_slots(slots: &[u32]) {
    if !slots.is_empty() {
        with_frame(|frame| slots.iter().for_each(|&slot| frame.set_slot(slot, NOWHERE)));
    }
}

/// The open call goes to a block that has arguments: these.
pub fn pass(target: u32, arguments: &'static [Operand], place: &Place) {
    if with_writer(|mut open| open.passed(target, arguments, place)).is_some() {
        return;
    }
    with_cursor(|cursor| {
        let refs: Refs = arguments.iter().map(|a| cursor.operand(a, None).unwrap_or(NOWHERE)).collect();
        let refs: Refs = refs.into_iter().map(|r| cursor.known(r)).collect();
        let label = cursor.writer.fixed_label(FixedLabel::Goto);
        let id = cursor.push(&NodeHeader::new(Kind::Branch, label, place), &refs, NodeResults::NONE);
        if let Some(id) = id {
            cursor.writer.row_mut(id).extra = target;
        }
        let frame = cursor.frame();
        (frame.jump, frame.block) = (id.unwrap_or(NONE), target);
    });
}

/// A block begins whose arguments are these variables: each with its slot.
pub fn receive(block: u32, variables: &[(&str, u32)], place: &Place) {
    if with_writer(|mut open| open.received(block, variables, place)).is_some() {
        return;
    }
    with_cursor(|cursor| {
        let jump = std::mem::replace(&mut cursor.frame().jump, NONE);
        cursor.frame().block = block;
        if jump == NONE {
            return;
        }
        for (i, (name, slot)) in variables.iter().enumerate() {
            let given = cursor.slot(*slot);
            if given != NOWHERE {
                cursor.block_argument(name, *slot, given, Ref { at: jump, out: i as u32 }, place);
            }
        }
    });
}

impl Frame {
    #[inline(always)]
    pub(super) fn set_slot(&mut self, slot: u32, r: Ref) {
        match self.slots.get_mut(slot as usize) {
            Some(old) => *old = r,
            None => self.add_slot(slot, r),
        }
        self.set_part(slot, false);
    }

    /// Gives slots the node of another, without a name: whether that has one, which is its value.
    #[inline]
    fn copy_node(&mut self, slot: u32, into: &[u32]) -> bool {
        let r = self.slots.get(slot as usize).copied().unwrap_or(NOWHERE);
        let is_node = r != NOWHERE && !r.is_constant() && !self.is_part(slot);
        if is_node {
            into.iter().for_each(|&slot| self.set_slot(slot, r));
        }
        is_node
    }

    /// Whether something is known of a slot.
    pub(super) fn has_slot(&self, slot: u32) -> bool {
        self.slots.get(slot as usize).is_some_and(|r| *r != NOWHERE)
    }

    #[cold]
    fn add_slot(&mut self, slot: u32, r: Ref) {
        // Few functions have more; each further one would be moved with all before it.
        self.slots.reserve(16);
        self.slots.resize(slot as usize + 1, NOWHERE);
        self.slots[slot as usize] = r;
    }
}

impl Cursor<'_> {
    pub(super) fn slot(&mut self, slot: u32) -> Ref {
        self.frame().slots.get(slot as usize).copied().unwrap_or(NOWHERE)
    }

    fn set_slot(&mut self, slot: u32, r: Ref) {
        self.frame().set_slot(slot, r);
    }

    /// What slots have, of those that have something.
    pub(super) fn slots_of(&mut self, operands: &'static [Operand]) -> SmallVec<[Ref; 2]> {
        let refs = operands.iter().filter_map(|o| self.operand(o, None));
        refs.filter(|r| *r != NOWHERE).collect()
    }

    /// A reference that may stand in a node.
    fn known(&mut self, r: Ref) -> Ref {
        if r == NOWHERE { self.writer.text_operand("_") } else { r }
    }

    /// An operand; one that stands in the source is of this type. None if nothing is known of a variable.
    pub(super) fn operand(&mut self, o: &'static Operand, ty: Option<HostType>) -> Option<Ref> {
        match o {
            Operand::Slot(i) => Some(self.slot(*i)).filter(|r| *r != NOWHERE),
            o => {
                let key = (std::ptr::from_ref(o) as usize, HostType::code(ty));
                if let Some(&i) = self.writer.literals.get(&key) {
                    return Some(Ref::constant(i));
                }
                let constant = o.literal(ty).expect("it stands in the source");
                let i = self.writer.constant(&constant);
                self.writer.literals.insert(key, i);
                Some(Ref::constant(i))
            }
        }
    }

    /// The type of a number of the host.
    pub(super) fn host_type_of(&self, r: Ref) -> Option<HostType> {
        self.writer.host_type_of(r)
    }

    /// The node of a variable's value that is not shown.
    fn unshown(&self, slot: u32) -> Option<u32> {
        let frame = self.frames.last()?;
        let r = frame.slots.get(slot as usize).copied().filter(|r| *r != NOWHERE && !r.is_constant())?;
        let tape = &self.writer.tape;
        let is_shown = match KeptValue::unpack(tape.keep_of(r)?.kept) {
            KeptValue::Constant(i) => match &tape.constants[i as usize] {
                Constant::Text(text) | Constant::Shown(text, _) => &**text != UNSHOWN,
                _ => true,
            },
            _ => true,
        };
        (!is_shown && tape.row(r.at).kind() != Kind::Call).then_some(r.at)
    }

    /// The type of a number that an operand is.
    pub(super) fn number_type(&self, o: &Operand, r: Ref) -> Option<HostType> {
        if self.is_part(o) { None } else { self.host_type_of(r) }
    }

    fn evaluated<A: Recorded>(
        &mut self,
        site: &'static Site,
        value: HostValue<'_, A>,
        place: &Place,
    ) -> Option<Substitute> {
        let mut instead = None;
        let r = match &value {
            HostValue::Number(x) if site.does == Does::Constant => self.writer.number_operand(*x),
            HostValue::Text { .. } if site.does == Does::Constant => self.writer.text_operand(site.label),
            HostValue::Array(x) => self.evaluated_array(site, *x, place),
            HostValue::Number(x)
                if let Does::Part(i, of) = site.does
                    && let Some(r) = self.part_given(site, (i, of), *x, place) =>
            {
                r
            }
            _ => match self.recorded_call(site, &value, place).or_else(|| self.named_slot(site, &value)) {
                Some(r) => r,
                None => {
                    let (r, x) = self.push_host(site, &value, place);
                    instead = x;
                    r
                }
            },
        };
        let is_part = matches!(site.operands, [o] if site.does == Does::Name && self.is_part(o) && self.operand(o, None) == Some(r));
        for &slot in site.into {
            self.set_slot(slot, r);
            self.frame().set_part(slot, is_part);
        }
        if !site.name.is_empty() && !is_part {
            self.name_node(r, site.name);
        }
        self.effects_of(site, r, place);
        instead
    }

    /// What a variable gets that is given a value as it is. A number has a node of its own where that of its variable is not it.
    fn named_slot<A: Recorded>(&mut self, site: &'static Site, value: &HostValue<'_, A>) -> Option<Ref> {
        let is_number = matches!(value, HostValue::Number(_));
        match site.operands {
            [o @ Operand::Slot(_)] if site.does == Does::Name && !(is_number && self.is_part(o)) => {
                self.operand(o, None)
            }
            _ => None,
        }
    }

    /// The operands of an expression, and what it does that gave this number, if that can be done again.
    fn operands_and_meaning(&mut self, site: &'static Site, number: Option<HostNumber>) -> (Refs, Option<Meaning>) {
        // What an operand in the source is: by the operand beside it, or by the result.
        let compares = matches!(site.does, Does::Operator(op) if op.compares());
        let gives = number.map(|x| x.ty);
        let frame = self.frames.last().expect("a scope has its root");
        let function = match site.does {
            Does::Operator(op) => op.function(gives),
            _ => site.method.filter(|m| m.is_known && frame.has_slot(m.of_number)).map(|m| m.function),
        };
        let beside = || {
            let (o, r) = site.operands.iter().find_map(|o| match o {
                Operand::Slot(i) => Some((o, *frame.slots.get(*i as usize).filter(|r| **r != NOWHERE)?)),
                _ => None,
            })?;
            self.number_type(o, r)
        };
        let like = if compares || function.is_some() { beside() } else { gives };
        let mut refs: Refs = SmallVec::new();
        let (mut known, mut numbers) = (!site.operands.is_empty(), SmallVec::<[HostNumber; 3]>::new());
        for (i, o) in site.operands.iter().enumerate() {
            let ty = function.map_or(like, |f| f.parameter(i, like));
            let r = self.operand(o, ty).unwrap_or(NOWHERE);
            known &= r != NOWHERE && self.number_type(o, r) == like;
            if function.is_some() && r != NOWHERE && !self.is_part(o) {
                numbers.extend(self.number_of(r));
            }
            refs.push(self.known(r));
        }
        let meaning = match (function, site.does, like) {
            (Some(f), ..) if numbers.len() == refs.len() => number.and_then(|x| f.meaning(&numbers, x)),
            (None, Does::Operator(op), Some(ty)) if known && (compares || gives == Some(ty)) => {
                op.op(ty).map(Meaning::op)
            }
            _ => None,
        };
        (refs, meaning)
    }

    /// A node of the host. Where a context gives another result for a call, the node has that.
    fn push_host<A: Recorded>(
        &mut self,
        site: &'static Site,
        value: &HostValue<'_, A>,
        place: &Place,
    ) -> (Ref, Option<Substitute>) {
        let number = match value {
            HostValue::Number(x) => Some(*x),
            _ => None,
        };
        let (refs, meaning) = self.operands_and_meaning(site, number);
        let kind = if site.operands.is_empty() && site.does == Does::Name { Kind::Constant } else { Kind::Primitive };
        let label = self.writer.site_label(site, meaning);
        let given = self.known_arguments(&refs);
        let given = |i: usize| given.get(i).map(|x| (String::new(), x.clone()));
        let header = NodeHeader { arguments: Some(&given), ..NodeHeader::new(kind, label, place) };
        let instead = match site.does {
            Does::Call | Does::CallOfVariable if self.writer.settings.context.is_some() => {
                let shown = value.tensor();
                let types: SmallVec<[Type; 1]> = shown.iter().map(|t| t.ty()).collect();
                let seen = NodeResults { types: &types, value: &|_| shown.clone() };
                self.consult_context(&header, seen, |c, d| c.substitute(d)).and_then(|(said, _)| said)
            }
            _ => None,
        };
        let Some(id) = self.push(&header, &refs, NodeResults::NONE) else { return (NOWHERE, instead) };
        match &instead {
            Some(Substitute::Number(x)) if number.is_some_and(|was| was.ty == x.ty) => {
                self.set_host_result(id, &HostValue::<A>::Number(*x))
            }
            _ => self.set_host_result(id, value),
        }
        if number.is_some() && instead.is_none() {
            self.remember_site(site, id, place);
        }
        (Ref { at: id, out: 0 }, instead)
    }

    /// The values of operands, for contexts.
    fn known_arguments(&self, refs: &[Ref]) -> Vec<Option<ArgumentValue>> {
        if self.writer.settings.context.is_none() {
            return Vec::new();
        }
        let tape = &self.writer.tape;
        let number = |r: &Ref| match r.is_constant() {
            true => match tape.constants.get(r.at as usize)? {
                Constant::Host(x) => Some(ArgumentValue::Number(*x)),
                c => c.text().map(|t| ArgumentValue::Text(t.to_string())),
            },
            false => {
                let n = crate::Node { tape, id: r.at };
                n.number(0).map(ArgumentValue::Number).or_else(|| n.value(r.out as usize).map(ArgumentValue::Array))
            }
        };
        refs.iter().map(number).collect()
    }

    /// Gives a node a value of the host as its result.
    pub(super) fn set_host_result<A: Recorded>(&mut self, id: u32, value: &HostValue<'_, A>) {
        let Some(kept) = self.host_result(value) else { return };
        self.writer.set_results(id, &[kept]);
        if let HostValue::Number(x) = value {
            self.writer.row_mut(id).host = HostType::code(Some(x.ty));
        }
    }

    fn host_result<A: Recorded>(&mut self, value: &HostValue<'_, A>) -> Option<ResultRow> {
        Some(match value {
            HostValue::Number(x) => self.writer.number_result(*x),
            HostValue::Text { text, ty } => self.writer.shown_result(text, ty),
            HostValue::Array(_) => return None,
        })
    }

    /// Gives a node of the host, or an array's, a name if it has none.
    fn name_node(&mut self, r: Ref, name: &str) {
        if !r.is_constant() && r != NOWHERE {
            self.set_name_of(r, name);
        }
    }

    /// The node of a variable at the head of a block.
    fn block_argument(&mut self, name: &str, slot: u32, given: Ref, from: Ref, place: &Place) {
        let is_part = self.frame().is_part(slot);
        let (kept, host) = match given.is_constant() {
            true => {
                let i = given.at;
                let (ty, host) = match &self.writer.tape.constants[i as usize] {
                    Constant::Host(x) => (Some(x.ty.array()), HostType::code(Some(x.ty))),
                    Constant::Number(_, t) => (Some(t.clone()), 0),
                    _ => (None, 0),
                };
                let ty = ty.map_or(0, |t| self.writer.ty(&t));
                (ResultRow { ty, kept: KeptValue::Constant(i).pack() }, host)
            }
            false if is_part => (self.writer.text_result(UNSHOWN), 0),
            false => {
                let Some(k) = self.writer.tape.keep_of(given) else { return };
                let kept = self.writer.kept_again(k.kept);
                (ResultRow { kept, ..k }, self.writer.tape.row(given.at).host)
            }
        };
        let label = self.writer.fixed_label(FixedLabel::Argument);
        let Some(id) = self.push(&NodeHeader::new(Kind::Argument, label, place), &[from], NodeResults::NONE) else {
            return;
        };
        self.writer.set_results(id, &[kept]);
        let name = self.writer.name(name);
        let row = self.writer.row_mut(id);
        (row.name, row.host) = (name, host);
        let here = Ref { at: id, out: 0 };
        self.set_slot(slot, here);
        self.frame().set_part(slot, is_part);
    }

    /// Records a decision: its condition if that has a node, what came of it, and where the open call goes.
    pub(super) fn decided(
        &mut self,
        refs: &[Ref],
        label: u32,
        (taken, how): (bool, &str),
        target: Option<u32>,
        place: &Place,
    ) -> Option<u32> {
        let id = self.push(&NodeHeader::new(Kind::Branch, label, place), refs, NodeResults::NONE)?;
        let mut results: SmallVec<[ResultRow; 2]> = SmallVec::new();
        results.push(self.writer.number_result(taken.into()));
        if !how.is_empty() {
            results.push(self.writer.text_result(how));
        }
        self.writer.set_results(id, &results);
        let row = self.writer.row_mut(id);
        (row.extra, row.host) = (target.unwrap_or(NONE), HostType::code(Some(HostType::Bool)));
        Some(id)
    }
}
