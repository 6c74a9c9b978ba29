//! Elementwise equations on arrays that are too large for scalars: those of one size are put off, and done in one loop
//! when the memory of one of them is asked for. What only they themselves use never gets to memory.

use super::Lowering;
use super::blocks::{BlockKind, EquationId};
use super::form::{Base, Form, Memory, kind};
use std::cell::RefCell;
use std::rc::Rc;
use wengert_core::ops::Broadcast;
use wengert_core::{Op, Shape, Type};
use wengert_kernel::{Address, Inst, Kind, Value};

/// A value that is put off: where it lies, once it does.
pub(super) struct Slot {
    ty: Type,
    /// The result of the program that it is.
    target: Option<usize>,
    /// The equation that computes it.
    equation: Option<EquationId>,
    memory: RefCell<Option<Memory>>,
}

impl Slot {
    /// Where it lies. Its loop must be written.
    pub(super) fn memory(&self) -> Memory {
        self.memory.borrow().clone().expect("its loop is written")
    }

    pub(super) fn is_written(&self) -> bool {
        self.memory.borrow().is_some()
    }
}

/// What an equation of a loop takes for each element.
enum Operand {
    /// A result of an equation before it in the loop.
    Inside(Rc<Slot>),
    /// The element of an array.
    Element(Memory, Kind),
    /// The element of an array that is repeated: one for each column of the loop, or for each row.
    Repeated(Memory, Kind, Along),
    /// The same for all.
    Same(Value),
}

/// Which part of the number of an element counts, where elements are in rows.
#[derive(Clone, Copy, PartialEq)]
enum Along {
    Columns,
    Rows,
}

struct Member {
    op: Op,
    operands: Vec<Operand>,
    results: Vec<Rc<Slot>>,
}

/// Equations on as many elements that become one loop.
pub(super) struct Group {
    count: usize,
    /// How many elements a row has, where some are repeated along rows or columns.
    row: Option<usize>,
    members: Vec<Member>,
}

/// Rows are no shorter than this, or repeating elements is left to a kernel.
const SHORTEST_ROW: usize = 8;

impl Lowering {
    /// Puts off an elementwise op that has instructions, on arrays of this size.
    pub(super) fn put_off(&mut self, op: &Op, x: &[Form], y: &Type) -> Option<Vec<Form>> {
        let count = y.shape.size();
        let mut operands = Vec::with_capacity(x.len());
        for x in x {
            let inside = x.slot.as_ref().filter(|s| !s.is_written() && self.is_inside(s, count));
            operands.push(match (x.splat_scalar(), inside) {
                (Some(v), _) => Operand::Same(v),
                (None, Some(slot)) => Operand::Inside(slot.clone()),
                (None, None) if x.ty.shape.size() == 1 => Operand::Same(self.scalars(x)[0]),
                (None, None) => Operand::Element(self.memory(x), kind(x.ty.dtype)?),
            });
        }
        let results = if matches!(op, Op::Threefry(_)) { 2 } else { 1 };
        let (targets, equation) = (&self.targets, self.blocks.take());
        let slot = |k: usize| {
            let target = targets.get(k).copied().flatten();
            Rc::new(Slot { ty: y.clone(), target, equation, memory: RefCell::new(None) })
        };
        let results: Vec<Rc<Slot>> = (0..results).map(slot).collect();
        let forms = results.iter().map(|slot| Form::put_off(y.clone(), slot.clone())).collect();
        let member = Member { op: op.clone(), operands, results };
        match self.groups.iter_mut().find(|g| g.count == count) {
            Some(group) => group.members.push(member),
            None => self.groups.push(Group { count, row: None, members: vec![member] }),
        }
        Some(forms)
    }

    /// Puts off a broadcast that repeats an array as rows, or its elements along rows.
    pub(super) fn put_off_broadcast(&mut self, op: &Broadcast, x: &Form, y: &Type) -> Option<Form> {
        let (kind, count) = (kind(y.dtype)?, y.shape.size());
        let (row, along) = repeated_along(op, &x.ty.shape)?;
        if row < SHORTEST_ROW || x.ty.shape.size() < 2 {
            return None;
        }
        let memory = self.memory(x);
        // One loop has rows of one length.
        if let Some(i) = self.groups.iter().position(|g| g.count == count && g.row.is_some_and(|r| r != row)) {
            let group = self.groups.remove(i);
            self.write_loop(group);
        }
        let target = self.targets.first().copied().flatten();
        let equation = self.blocks.take();
        let slot = Rc::new(Slot { ty: y.clone(), target, equation, memory: RefCell::new(None) });
        let operands = vec![Operand::Repeated(memory, kind, along)];
        let member = Member { op: Op::Broadcast(op.clone()), operands, results: vec![slot.clone()] };
        match self.groups.iter_mut().find(|g| g.count == count) {
            Some(group) => {
                group.row = Some(row);
                group.members.push(member);
            }
            None => self.groups.push(Group { count, row: Some(row), members: vec![member] }),
        }
        Some(Form::put_off(y.clone(), slot))
    }

    fn is_inside(&self, slot: &Rc<Slot>, count: usize) -> bool {
        let holds = |m: &Member| m.results.iter().any(|s| Rc::ptr_eq(s, slot));
        self.groups.iter().any(|g| g.count == count && g.members.iter().any(holds))
    }

    /// Writes the loop that a value is put off to, if it is.
    pub(super) fn write_loop_of(&mut self, slot: &Rc<Slot>) {
        let holds = |m: &Member| m.results.iter().any(|s| Rc::ptr_eq(s, slot));
        if let Some(i) = self.groups.iter().position(|g| g.members.iter().any(holds)) {
            let group = self.groups.remove(i);
            self.write_loop(group);
        }
    }

    /// Writes all loops that were put off.
    pub(super) fn write_loops(&mut self) {
        for group in std::mem::take(&mut self.groups) {
            self.write_loop(group);
        }
    }

    /// Where a result of a loop goes: over an operand that nothing uses afterwards, if there is one.
    fn place_of(&mut self, slot: &Slot, free: &mut Vec<(Memory, Kind)>) -> Memory {
        let kind = kind(slot.ty.dtype).expect("put off because it has instructions");
        match slot.target {
            Some(k) => {
                let input = |m: &Memory| matches!(m.base, Base::Input(_));
                if let Some(i) = free.iter().position(|(m, k)| *k == kind && input(m)) {
                    let (memory, _) = free.remove(i);
                    self.may_go_over(k, &memory, &slot.ty);
                }
                Memory::fixed(Base::Output(k), 0).owned()
            }
            None => match free.iter().position(|(m, k)| *k == kind && self.is_ours(m)) {
                Some(i) => free.remove(i).0.owned(),
                None => self.room_for(&slot.ty, slot.equation, false),
            },
        }
    }

    fn write_loop(&mut self, group: Group) {
        let equations = group.members.iter().filter_map(|m| m.results[0].equation).collect();
        let interrupted = self.open_block(BlockKind::Loop { elements: group.count }, equations);
        self.write_group(group);
        self.close_block(interrupted);
    }

    fn write_group(&mut self, group: Group) {
        // A result that a form outside of the loop is goes to memory; operands inside hold the others.
        let mut inside: Vec<*const Slot> = Vec::new();
        for m in &group.members {
            inside.extend(m.operands.iter().filter_map(|x| match x {
                Operand::Inside(slot) => Some(Rc::as_ptr(slot)),
                _ => None,
            }));
        }
        inside.sort_unstable();
        let held_inside = |s: &Rc<Slot>| {
            let at = Rc::as_ptr(s);
            inside.partition_point(|p| *p <= at) - inside.partition_point(|p| *p < at)
        };
        let mut free = unused_after(&group);
        // Pointers are computed before the loop.
        let mut reads: Vec<(Memory, Value)> = Vec::new();
        for x in group.members.iter().flat_map(|m| &m.operands) {
            if let Operand::Element(memory, _) | Operand::Repeated(memory, ..) = x
                && !reads.iter().any(|(m, _)| m.is(memory))
            {
                let at = self.address(memory, 0);
                reads.push((memory.clone(), self.b.pointer(at)));
            }
        }
        let mut writes: Vec<(Rc<Slot>, Value)> = Vec::new();
        for slot in group.members.iter().flat_map(|m| &m.results) {
            if Rc::strong_count(slot) > 1 + held_inside(slot) {
                let memory = self.place_of(slot, &mut free);
                let at = self.address(&memory, 0);
                *slot.memory.borrow_mut() = Some(memory);
                writes.push((slot.clone(), self.b.pointer(at)));
            }
        }
        if writes.is_empty() {
            return;
        }
        let Some(row) = group.row else {
            self.write_lanes(&group, &reads, &writes, group.count, None);
            return;
        };
        self.b.begin();
        let number = self.b.value(Kind::I64);
        self.write_lanes(&group, &reads, &writes, row, Some(number));
        let body = self.b.end(Vec::new());
        let count = (group.count / row) as u64;
        let none = Vec::new;
        self.b.push(Inst::For {
            index: number,
            from: 0,
            step: 1,
            count,
            carried: none(),
            start: none(),
            body,
            y: none(),
        });
    }

    /// Writes the loop over lanes of this many elements: all of them, or those of a row.
    fn write_lanes(
        &mut self,
        group: &Group,
        reads: &[(Memory, Value)],
        writes: &[(Rc<Slot>, Value)],
        count: usize,
        row: Option<Value>,
    ) {
        let pointer = |memory: &Memory| reads.iter().find(|(m, _)| m.is(memory)).expect("computed before").1;
        // What lies in rows is read and written from the start of the row; what is the same along it is read before.
        let mut starts: Vec<(Value, Kind, Value)> = Vec::new();
        let mut same: Vec<(Value, Kind, Value)> = Vec::new();
        if let Some(row) = row {
            let written = writes.iter().map(|(slot, p)| (*p, kind(slot.ty.dtype).expect("it has instructions")));
            let read = group.members.iter().flat_map(|m| &m.operands).filter_map(|x| match x {
                Operand::Element(memory, kind) => Some((pointer(memory), *kind)),
                _ => None,
            });
            for (base, kind) in read.chain(written).collect::<Vec<_>>() {
                if !starts.iter().any(|(b, k, _)| (*b, *k) == (base, kind)) {
                    let bytes = (count * kind.bytes()) as i64;
                    let at = self.b.pointer(Address { base, index: Some((row, bytes)), offset: 0 });
                    starts.push((base, kind, at));
                }
            }
            for x in group.members.iter().flat_map(|m| &m.operands) {
                if let Operand::Repeated(memory, kind, Along::Rows) = x {
                    let base = pointer(memory);
                    let at = Address { base, index: Some((row, kind.bytes() as i64)), offset: 0 };
                    let v = self.b.load(*kind, at);
                    same.push((base, *kind, v));
                }
            }
        }
        let start = |base: Value, kind: Kind| {
            starts.iter().find(|(b, k, _)| (*b, *k) == (base, kind)).map_or(base, |(_, _, at)| *at)
        };
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let at = |base: Value, kind: Kind| Address { base, index: Some((index, kind.bytes() as i64)), offset: 0 };
        let mut loaded: Vec<(Value, Kind, Value)> = Vec::new();
        let mut values: Vec<(*const Slot, Value)> = Vec::new();
        for m in &group.members {
            let x: Vec<Value> = m
                .operands
                .iter()
                .map(|x| match x {
                    Operand::Same(v) => *v,
                    Operand::Inside(slot) => {
                        let found = values.iter().rev().find(|(s, _)| *s == Rc::as_ptr(slot));
                        found.expect("an equation before it").1
                    }
                    Operand::Repeated(memory, kind, Along::Rows) => {
                        let base = pointer(memory);
                        same.iter().find(|(b, k, _)| (*b, *k) == (base, *kind)).expect("read before").2
                    }
                    Operand::Element(memory, kind) | Operand::Repeated(memory, kind, Along::Columns) => {
                        let base = match x {
                            Operand::Element(..) => start(pointer(memory), *kind),
                            _ => pointer(memory),
                        };
                        let found = loaded.iter().find(|(b, k, _)| (*b, *k) == (base, *kind)).map(|l| l.2);
                        found.unwrap_or_else(|| {
                            let v = self.b.load(*kind, at(base, *kind));
                            loaded.push((base, *kind, v));
                            v
                        })
                    }
                })
                .collect();
            let to = kind(m.results[0].ty.dtype).expect("put off because it has instructions");
            let y = if matches!(m.op, Op::Broadcast(_)) { [x[0]; 2] } else { self.element(&m.op, &x, to) };
            values.extend(m.results.iter().map(Rc::as_ptr).zip(y));
        }
        for (slot, base) in writes {
            let v = values.iter().find(|(s, _)| *s == Rc::as_ptr(slot)).expect("computed above").1;
            let kind = self.b.kind(v);
            self.b.store(v, at(start(*base, kind), kind));
        }
        let body = self.b.end(Vec::new());
        self.b.push(Inst::Lanes { index, count: count as u64, body });
    }
}

/// How a broadcast repeats an array: the length of a row, and whether the array is a row or has one element for each. None
/// if it is neither.
fn repeated_along(op: &Broadcast, x: &Shape) -> Option<(usize, Along)> {
    if !op.dims.is_sorted() {
        return None;
    }
    let mut kept = vec![false; op.shape.rank()];
    for (&d, &n) in op.dims.iter().zip(x.iter()) {
        kept[d] = n == op.shape[d];
    }
    let axes: Vec<(bool, usize)> = kept.into_iter().zip(op.shape.iter().copied()).filter(|(_, n)| *n != 1).collect();
    let last = axes.last()?.0;
    let inner: usize = axes.iter().rev().take_while(|(k, _)| *k == last).map(|(_, n)| n).product();
    let outer = axes.iter().rev().skip_while(|(k, _)| *k == last);
    outer.clone().all(|(k, _)| *k != last).then_some((inner, if last { Along::Columns } else { Along::Rows }))
}

/// The memory of operands that nothing but the loop holds.
fn unused_after(group: &Group) -> Vec<(Memory, Kind)> {
    let mut seen: Vec<(&Memory, Kind, usize)> = Vec::new();
    for x in group.members.iter().flat_map(|m| &m.operands) {
        if let Operand::Element(memory, kind) = x {
            match seen.iter_mut().find(|(m, k, _)| m.is(memory) && k == kind) {
                Some((_, _, count)) => *count += 1,
                None => seen.push((memory, *kind, 1)),
            }
        }
    }
    let alone =
        |(m, _, count): &(&Memory, Kind, usize)| m.owner.as_ref().is_some_and(|o| Rc::strong_count(o) == *count);
    seen.into_iter().filter(alone).map(|(m, k, _)| (m.clone(), k)).collect()
}
