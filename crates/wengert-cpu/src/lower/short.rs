//! Short rows, as those of points in space: a lane has a whole row, and its elements are one after the other in the body.

use super::group::{Member, Operand, Slot, Step};
use super::stages::Nest;
use super::{Lowering, elementwise};
use std::collections::HashMap;
use std::rc::Rc;
use wengert_kernel::{Address, Binary, Inst, Kind, Value};

/// Rows of at most this many elements are short.
const SHORT: usize = 8;
/// So many of them are worth a loop over lanes.
const MANY: usize = 8;
/// What is computed of a row takes no more instructions than this.
const MOST: usize = 1500;

type Key = *const Slot;

impl Nest<'_> {
    /// Whether rows are short and many: the last axis outside of them is done in lanes then.
    pub(super) fn has_short_rows(&self) -> bool {
        let columns = |m: &Member| matches!(m.step, Step::Reduce { columns: true, .. });
        self.group.row.is_some_and(|n| n <= SHORT)
            && self.outer > 0
            && self.sizes[self.outer - 1] >= MANY
            && self.live().count() * self.row <= MOST
            && self.live().all(|(_, m)| !columns(m))
            && self.accesses.iter().all(|a| a.gathered.is_none())
    }

    /// How far each element of a row is from the first, for an access.
    fn offset(&self, access: usize, element: usize) -> i64 {
        let (mut rest, mut offset) = (element, 0);
        for d in (self.outer..self.sizes.len()).rev() {
            offset += (rest % self.sizes[d]) as i64 * self.accesses[access].steps[d];
            rest /= self.sizes[d];
        }
        offset
    }
}

impl Lowering {
    /// The loop over the rows along the last axis outside of them.
    pub(super) fn write_short_rows(&mut self, nest: &Nest<'_>, bases: &[Value]) {
        let axis = nest.outer - 1;
        let mut row = Rows { nest, bases, axis, index: Value(0), loaded: HashMap::new() };
        // What is the same for all lanes is read before.
        for (_, m) in nest.live() {
            let elements = if nest.member_is_line(m) { 1 } else { nest.row };
            for x in &m.operands {
                if let Operand::Read(read) = x
                    && nest.accesses[nest.of_read(read)].steps[axis] == 0
                {
                    (0..elements).for_each(|e| _ = row.read(self, nest.of_read(read), e));
                }
            }
        }
        self.b.begin();
        row.index = self.b.value(Kind::I64);
        let mut lines: HashMap<Key, Value> = HashMap::new();
        let mut values: HashMap<Key, Vec<Value>> = HashMap::new();
        let mut writes: Vec<(Address, Value)> = Vec::new();
        for (_, m) in nest.live() {
            if m.combines() {
                let v = self.combined(m, &mut row, &values);
                lines.insert(Rc::as_ptr(&m.results[0]), v);
                row.keep(&m.results[0], 0, v, &mut writes);
                continue;
            }
            let elements = if nest.member_is_line(m) { 1 } else { nest.row };
            for e in 0..elements {
                let each = m.operands.iter().map(|x| match x {
                    Operand::Same(v) => *v,
                    Operand::Read(read) => row.read(self, nest.of_read(read), e),
                    Operand::Inside(slot) => {
                        let key = Rc::as_ptr(slot);
                        lines.get(&key).copied().unwrap_or_else(|| values[&key][e])
                    }
                });
                let x: Vec<Value> = each.collect();
                for (slot, v) in m.results.iter().zip(self.step(m, &x)) {
                    match nest.member_is_line(m) {
                        true => _ = lines.insert(Rc::as_ptr(slot), v),
                        false => values.entry(Rc::as_ptr(slot)).or_default().push(v),
                    }
                    row.keep(slot, e, v, &mut writes);
                }
            }
        }
        // All is read before anything is written over it.
        for (at, v) in writes {
            self.b.store(v, at);
        }
        let body = self.b.end(Vec::new());
        self.b.push(Inst::Lanes { index: row.index, count: nest.sizes[axis] as u64, body });
    }

    /// All elements of a row combined, by halves as the evaluator does.
    fn combined(&mut self, m: &Member, row: &mut Rows<'_>, values: &HashMap<Key, Vec<Value>>) -> Value {
        let Step::Reduce { f, identity, .. } = &m.step else { unreachable!("it combines") };
        let of = m.results[0].kind();
        let kind = elementwise::computed(of);
        let elements: Vec<Value> = match &m.operands[0] {
            Operand::Inside(slot) => values[&Rc::as_ptr(slot)].clone(),
            Operand::Read(read) => {
                let access = row.nest.of_read(read);
                (0..row.nest.row).map(|e| row.read(self, access, e)).collect()
            }
            Operand::Same(_) => unreachable!("one value repeated is left to a kernel"),
        };
        let elements = elements.into_iter().map(|v| elementwise::convert(&mut self.b, v, kind)).collect();
        let v = self.halved(*f, elements);
        let start = elementwise::element(&mut self.b, kind, *identity);
        let v = elementwise::binary(&mut self.b, *f, start, v);
        elementwise::convert(&mut self.b, v, of)
    }
}

/// The rows of a loop over lanes, and what was read of them.
struct Rows<'n> {
    nest: &'n Nest<'n>,
    bases: &'n [Value],
    axis: usize,
    index: Value,
    loaded: HashMap<(usize, usize), Value>,
}

impl Rows<'_> {
    /// An element of the row of a lane.
    fn read(&mut self, l: &mut Lowering, access: usize, element: usize) -> Value {
        if let Some(&v) = self.loaded.get(&(access, element)) {
            return v;
        }
        let (a, offset) = (&self.nest.accesses[access], self.nest.offset(access, element));
        let v = if a.is_number {
            let more = l.b.constant(Kind::I64, offset as u64);
            let base = if offset == 0 { self.bases[access] } else { l.b.binary(Binary::Add, self.bases[access], more) };
            match a.steps[self.axis] {
                0 => elementwise::convert(&mut l.b, base, a.kind),
                _ => l.number(self.nest, access, self.axis, [self.index, base], 0),
            }
        } else {
            l.b.load(a.kind, self.at(access, element))
        };
        self.loaded.insert((access, element), v);
        v
    }

    fn at(&self, access: usize, element: usize) -> Address {
        let step = self.nest.accesses[access].steps[self.axis];
        let index = (step != 0).then_some((self.index, step));
        Address { base: self.bases[access], index, offset: self.nest.offset(access, element) }
    }

    /// Notes that a value goes to memory, if somebody outside wants it: for later stages it stays where it is.
    fn keep(&self, slot: &Rc<Slot>, element: usize, v: Value, writes: &mut Vec<(Address, Value)>) {
        if let Some(&access) = self.nest.kept.get(&Rc::as_ptr(slot))
            && slot.is_written()
        {
            writes.push((self.at(access, element), v));
        }
    }
}
