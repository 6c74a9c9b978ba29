//! What is known of a group of equations before it is written as a loop nest: axes, what is read and written along them, and
//! *stages*. A row is gone through once for each stage, for what is combined of its elements is used by the next. A group
//! that combines nothing has one stage, and one row of all elements.

use super::Lowering;
use super::again::Again;
use super::form::{Base, Memory};
use super::gathered::Rows;
use super::group::{Group, Member, Operand, Place, Read, Slot, Step};
use super::lanes::{dense_bytes, steps_on};
use super::tree::{ROWS, WIDTH};
use std::collections::HashMap;
use std::rc::Rc;
use wengert_kernel::{Kind, Value};

/// Something that a nest reads or writes along its axes.
pub(super) struct Access {
    pub(super) kind: Kind,
    /// Along each axis: bytes, or numbers of positions.
    pub(super) steps: Vec<i64>,
    /// Whether positions themselves are read.
    pub(super) is_number: bool,
    /// Whether such a position may need more than 32 bits.
    pub(super) is_large: bool,
    /// Whether it holds one block of a row only.
    pub(super) is_block: bool,
    /// Whether it holds the rows of one piece only.
    pub(super) is_piece: bool,
    /// Whether all that is read or written of it is too much to stay near.
    pub(super) is_far: bool,
    /// Whose rows it reads, and the access of their indices: its own steps are inside of rows then.
    pub(super) gathered: Option<(Rc<Rows>, usize)>,
}

impl Access {
    pub(super) fn new(kind: Kind, steps: Vec<i64>) -> Access {
        let (is_number, is_large, is_block, is_piece, is_far) = (false, false, false, false, false);
        Access { kind, steps, is_number, is_large, is_block, is_piece, is_far, gathered: None }
    }
}

/// Bytes that stay near to one that computes: half of what the caches of one core hold nowadays.
const NEAR: u64 = 1 << 19;

type Key = *const Slot;

/// A group with all that is known before it is written.
pub(super) struct Nest<'g> {
    pub(super) group: &'g Group,
    /// Sizes of axes, the outermost first, and how many of them are outside of rows.
    pub(super) sizes: Vec<usize>,
    pub(super) outer: usize,
    pub(super) row: usize,
    /// Elements of a row that are computed at a time, where all of them are combined.
    pub(super) block: usize,
    /// For each member its stage; none if nothing needs it.
    pub(super) stages: Vec<Option<usize>>,
    pub(super) slot_stage: HashMap<Key, usize>,
    pub(super) accesses: Vec<Access>,
    /// Where accesses begin.
    pub(super) bases: Vec<Value>,
    /// The access of each read, by its address.
    reads: HashMap<*const Read, usize>,
    /// The access of each value that is kept in memory.
    pub(super) kept: HashMap<Key, usize>,
    /// The accesses of what is kept for a row or a piece only, with the elements of each.
    pub(super) own: Vec<(usize, usize)>,
    /// Keeps the memory of those.
    rooms: Vec<Memory>,
}

impl<'g> Nest<'g> {
    fn new(group: &'g Group) -> Nest<'g> {
        let mut sizes = Vec::with_capacity(group.cuts.len() + 1);
        let mut inside = 1;
        for &cut in group.cuts.iter().chain([&group.count]) {
            sizes.insert(0, cut / inside);
            inside = cut;
        }
        let row = group.row.unwrap_or(group.count);
        let mut inner = 1;
        let outer = sizes.len()
            - sizes
                .iter()
                .rev()
                .take_while(|n| {
                    inner *= **n;
                    inner <= row
                })
                .count();
        Nest {
            group,
            sizes,
            outer,
            row,
            block: ROWS * group.width,
            stages: vec![None; group.members.len()],
            slot_stage: HashMap::new(),
            accesses: Vec::new(),
            bases: Vec::new(),
            reads: HashMap::new(),
            kept: HashMap::new(),
            own: Vec::new(),
            rooms: Vec::new(),
        }
    }

    /// Whether a value has one element for each row, not for each element.
    fn is_line(&self, slot: &Slot) -> bool {
        slot.count() != self.group.count
    }

    pub(super) fn member_is_line(&self, m: &Member) -> bool {
        self.is_line(&m.results[0]) && !m.combines()
    }

    fn stage_of(&self, slot: &Rc<Slot>) -> usize {
        self.slot_stage[&Rc::as_ptr(slot)]
    }

    /// Stages: what is combined of a row is there in the next one. What no stage needs is left out, and what only later
    /// ones need is computed there.
    fn find_stages(&mut self, outside: &HashMap<Key, bool>) {
        let group = self.group;
        for (i, m) in group.members.iter().enumerate() {
            let inside = m.operands.iter().filter_map(|x| match x {
                Operand::Inside(slot) => Some(self.stage_of(slot)),
                _ => None,
            });
            let stage = inside.max().unwrap_or(0);
            self.stages[i] = Some(stage);
            let after = stage + m.combines() as usize;
            m.results.iter().for_each(|s| _ = self.slot_stage.insert(Rc::as_ptr(s), after));
        }
        let mut first_use: HashMap<Key, usize> = HashMap::new();
        for (i, m) in group.members.iter().enumerate().rev() {
            let used = m.results.iter().filter_map(|s| first_use.get(&Rc::as_ptr(s))).min().copied();
            let out = m.results.iter().any(|s| outside[&Rc::as_ptr(s)]);
            if !out {
                match used {
                    None => {
                        self.stages[i] = None;
                        continue;
                    }
                    Some(used) if !m.combines() && !self.is_line(&m.results[0]) => {
                        self.stages[i] = Some(used);
                        m.results.iter().for_each(|s| _ = self.slot_stage.insert(Rc::as_ptr(s), used));
                    }
                    _ => {}
                }
            }
            let stage = self.stages[i].expect("set above");
            for x in &m.operands {
                if let Operand::Inside(slot) = x {
                    let first = first_use.entry(Rc::as_ptr(slot)).or_insert(stage);
                    *first = (*first).min(stage);
                }
            }
        }
    }

    pub(super) fn live(&self) -> impl Iterator<Item = (usize, &'g Member)> + '_ {
        let members = self.group.members.iter();
        members.zip(&self.stages).filter_map(|(m, stage)| stage.map(|s| (s, m)))
    }

    pub(super) fn access(&mut self, mut access: Access, base: Value) -> usize {
        let spans =
            self.sizes.iter().zip(&access.steps).map(|(&n, step)| (n as u64).saturating_mul(step.unsigned_abs()));
        let bytes = spans.max();
        access.is_far = !access.is_number && bytes.is_some_and(|b| b >= NEAR);
        self.accesses.push(access);
        self.bases.push(base);
        self.accesses.len() - 1
    }

    /// The access of a read.
    pub(super) fn of_read(&self, read: &Rc<Read>) -> usize {
        self.reads[&Rc::as_ptr(read)]
    }

    /// Whether what is computed of a row is combined on the way, without being kept for that.
    pub(super) fn folds(&self) -> bool {
        let columns = |m: &Member| matches!(m.step, Step::Reduce { columns: true, .. });
        self.row >= WIDTH && self.sizes.len() == self.outer + 1 && !self.live().any(|(_, m)| columns(m))
    }

    /// Whether a row can be computed block by block.
    pub(super) fn has_blocks(&self) -> bool {
        let inside: usize = self.sizes[self.outer..].iter().skip(1).product();
        self.row > self.block && self.block.is_multiple_of(inside)
    }
}

impl Lowering {
    /// Writes a group of equations.
    pub(super) fn write_nest(&mut self, mut group: Group) {
        let piece = self.piece_of(&group);
        let (products, members) = group.members.into_iter().partition(|m| m.product().is_some());
        group.members = members;
        let products: Vec<Member> = products;
        // A result that a form outside of the group is goes to memory; operands inside hold the others.
        let mut held: HashMap<Key, usize> = HashMap::new();
        for x in group.members.iter().chain(&products).flat_map(|m| &m.operands) {
            if let Operand::Inside(slot) = x {
                *held.entry(Rc::as_ptr(slot)).or_default() += 1;
            }
        }
        let mut outside: HashMap<Key, bool> = group
            .members
            .iter()
            .chain(&products)
            .flat_map(|m| &m.results)
            .map(|s| {
                let at = Rc::as_ptr(s);
                (at, Rc::strong_count(s) > 1 + held.get(&at).copied().unwrap_or(0))
            })
            .collect();
        let again = match piece {
            Some(_) => self.found_again(&group, &products, &mut outside),
            None => Again::new(),
        };
        let mut nest = Nest::new(&group);
        let mut needed = outside.clone();
        for m in &products {
            m.results.iter().for_each(|s| _ = nest.slot_stage.insert(Rc::as_ptr(s), 0));
            for x in &m.operands {
                let Operand::Inside(slot) = x else { continue };
                needed.insert(Rc::as_ptr(slot), true);
            }
        }
        nest.find_stages(&needed);
        if nest.stages.iter().all(Option::is_none) {
            // Products may be used all the same.
            drop(nest);
            group.members = products;
            return self.release_products(&mut group);
        }
        self.find_reads(&mut nest);
        if let Some(piece) = piece {
            self.write_with_products(&mut nest, &products, &outside, piece);
            if !again.is_empty() {
                self.put_off_again(group, products, &again);
            }
            return;
        }
        self.find_places(&mut nest, &outside);
        if let Some(cut) = self.cut(&nest) {
            return self.write_cut(&mut nest, &cut);
        }
        self.find_own(&mut nest);
        let bases = nest.bases.clone();
        self.write_lines(&nest, 0, bases);
    }

    /// Pointers are computed before the loops.
    fn find_reads(&mut self, nest: &mut Nest<'_>) {
        let mut known: HashMap<(Option<Base>, i64, Kind, Vec<i64>), usize> = HashMap::new();
        let mut pointers: HashMap<(Base, i64), Value> = HashMap::new();
        for m in nest.live().map(|(_, m)| m).collect::<Vec<_>>() {
            let line = nest.member_is_line(m);
            for x in &m.operands {
                let Operand::Read(read) = x else { continue };
                let sizes = if line { &nest.sizes[..nest.outer] } else { &nest.sizes[..] };
                if let Some(rows) = &read.gathered {
                    let mut steps = steps_on(&read.axes, sizes);
                    steps.resize(nest.sizes.len(), 0);
                    let access = self.access_of_rows(nest, read, rows, steps);
                    nest.reads.insert(Rc::as_ptr(read), access);
                    continue;
                }
                let unit = if read.memory.is_some() { read.kind.bytes() as i64 } else { 1 };
                let mut steps: Vec<i64> = steps_on(&read.axes, sizes).into_iter().map(|s| s * unit).collect();
                steps.resize(nest.sizes.len(), 0);
                let base = read.memory.as_ref().map(|m| m.base);
                let offset = read.offset * unit + read.memory.as_ref().map_or(0, |m| m.offset);
                let key = (base, offset, read.kind, steps.clone());
                let found = known.get(&key).copied();
                let access = found.unwrap_or_else(|| {
                    let at = match &read.memory {
                        Some(memory) => *pointers.entry((memory.base, offset)).or_insert_with(|| {
                            let at = self.address(memory, read.offset * unit);
                            self.b.pointer(at)
                        }),
                        None => self.b.constant(Kind::I64, offset as u64),
                    };
                    let is_number = read.memory.is_none();
                    let far = |(n, step): &(usize, i64)| (*n as i64).saturating_mul(step.abs());
                    let is_large = read.axes.iter().map(far).fold(offset.abs(), i64::saturating_add) > i32::MAX as i64;
                    nest.access(Access { is_number, is_large, ..Access::new(read.kind, steps) }, at)
                });
                known.insert(key, access);
                nest.reads.insert(Rc::as_ptr(read), access);
            }
        }
    }

    /// The access of a read through indices, by the steps of its positions.
    fn access_of_rows(&mut self, nest: &mut Nest<'_>, read: &Read, rows: &Rc<Rows>, steps: Vec<i64>) -> usize {
        let (run, bytes, of_indices) = (rows.length() as i64, read.kind.bytes() as i64, rows.index_bytes());
        let along: Vec<i64> = steps.iter().map(|s| if s % run == 0 { s / run * of_indices } else { 0 }).collect();
        let inside: Vec<i64> = steps.iter().map(|s| if s % run == 0 { 0 } else { s * bytes }).collect();
        let at = self.address(&rows.indices, read.offset / run * of_indices);
        let at = self.b.pointer(at);
        let indices = nest.access(Access::new(rows.of_index, along), at);
        let at = self.address(&rows.elements, read.offset % run * bytes);
        let at = self.b.pointer(at);
        nest.access(Access { gathered: Some((rows.clone(), indices)), ..Access::new(read.kind, inside) }, at)
    }

    /// Where results go, and what is kept for a later stage.
    pub(super) fn find_places(&mut self, nest: &mut Nest<'_>, outside: &HashMap<Key, bool>) {
        let mut free = unused_after(nest);
        let folds = nest.folds();
        // What is combined, or used by a later stage: of the others, one block is enough where rows are done by blocks.
        let mut later: HashMap<Key, bool> = HashMap::new();
        for (stage, m) in nest.live() {
            for x in &m.operands {
                if let Operand::Inside(slot) = x
                    && !nest.is_line(slot)
                {
                    let beyond = stage > nest.stage_of(slot);
                    if beyond || m.combines() && !folds {
                        *later.entry(Rc::as_ptr(slot)).or_default() |= beyond;
                    }
                }
            }
        }
        let members: Vec<(usize, &Member)> = nest.live().collect();
        for (stage, m) in members {
            for slot in &m.results {
                let (key, kind, line) = (Rc::as_ptr(slot), slot.kind(), nest.is_line(slot));
                if nest.kept.contains_key(&key) {
                    continue;
                }
                if outside[&key] {
                    let free = if line { &mut Vec::new() } else { &mut free };
                    let sizes = if line { &nest.sizes[..nest.outer] } else { &nest.sizes[..] };
                    let bytes = kind.bytes() as i64;
                    let (memory, offset, mut steps) = match &slot.place {
                        Some(Place { memory, offset, axes }) => {
                            let steps: Vec<i64> = steps_on(axes, sizes).into_iter().map(|s| s * bytes).collect();
                            (memory.clone(), offset * bytes, steps)
                        }
                        None => {
                            let columns = matches!(m.step, Step::Reduce { columns: true, .. });
                            let each = if columns { nest.group.width as i64 } else { 1 };
                            let steps: Vec<i64> = dense_bytes(sizes, kind).into_iter().map(|s| s * each).collect();
                            (self.place_of(slot, stage, free), 0, steps)
                        }
                    };
                    let at = self.address(&memory, offset);
                    let at = self.b.pointer(at);
                    *slot.memory.borrow_mut() = Some(memory);
                    steps.resize(nest.sizes.len(), 0);
                    let access = nest.access(Access::new(kind, steps), at);
                    nest.kept.insert(key, access);
                } else if let Some(&beyond) = later.get(&key) {
                    let is_block = nest.has_blocks() && !beyond;
                    let count = if is_block { nest.block } else { nest.row };
                    let mut steps = vec![0; nest.outer];
                    steps.extend(dense_bytes(&nest.sizes[nest.outer..], kind));
                    // Its place is found later.
                    let access = nest.access(Access { is_block, ..Access::new(kind, steps) }, Value(0));
                    nest.own.push((access, count));
                    nest.kept.insert(key, access);
                }
            }
        }
    }

    /// Places for what is kept for a row only: where loops are cut in pieces, each thread has its own.
    pub(super) fn find_own(&mut self, nest: &mut Nest<'_>) {
        for (access, count) in std::mem::take(&mut nest.own) {
            let memory = self.temporary(count * nest.accesses[access].kind.bytes());
            let at = self.address(&memory, 0);
            nest.bases[access] = self.b.pointer(at);
            nest.rooms.push(memory);
        }
    }

    /// Where a result of a nest goes: over an operand that nothing uses afterwards, if there is one.
    pub(super) fn place_of(&mut self, slot: &Slot, stage: usize, free: &mut Vec<(Memory, Kind, usize)>) -> Memory {
        let kind = slot.kind();
        match slot.target {
            Some(k) => {
                let fits = |(m, k, last): &(Memory, Kind, usize)| {
                    *k == kind && *last <= stage && matches!(m.base, Base::Input(_))
                };
                if let Some(i) = free.iter().position(fits) {
                    let (memory, ..) = free.remove(i);
                    self.may_go_over(k, &memory, &slot.ty);
                }
                Memory::fixed(Base::Output(k), 0).owned()
            }
            None => {
                let ours = |(m, k, last): &(Memory, Kind, usize)| *k == kind && *last <= stage && self.is_ours(m);
                match free.iter().position(ours) {
                    Some(i) => free.remove(i).0.owned(),
                    None => self.room_for(&slot.ty, slot.equation, false),
                }
            }
        }
    }
}

/// The memory of operands that nothing but the nest holds, and the last stage that reads it.
fn unused_after(nest: &Nest<'_>) -> Vec<(Memory, Kind, usize)> {
    let mut seen: Vec<(&Memory, Kind, usize, usize)> = Vec::new();
    let mut at: HashMap<(Base, i64, Kind), usize> = HashMap::new();
    for (stage, m) in nest.live() {
        // What is combined is read after its stage.
        let stage = stage + m.combines() as usize;
        for x in m.operands.iter() {
            if let Operand::Read(read) = x
                && let Some(memory) = &read.memory
                && read.is_dense()
                && !nest.member_is_line(m)
            {
                let i = *at.entry((memory.base, memory.offset, read.kind)).or_insert_with(|| {
                    seen.push((memory, read.kind, 0, 0));
                    seen.len() - 1
                });
                (seen[i].2, seen[i].3) = (seen[i].2 + 1, seen[i].3.max(stage));
            }
        }
    }
    let alone = |(m, _, count, _): &(&Memory, Kind, usize, usize)| m.is_held_by(*count);
    seen.into_iter().filter(alone).map(|(m, k, _, last)| (m.clone(), k, last)).collect()
}
