//! A group of equations as a loop nest: a loop over rows, and for each row one loop over its elements after the other, each a
//! *stage*, for what is combined of a row's elements is used by the next. A group that combines nothing has one stage, and
//! one row of all elements.

use super::form::{Base, Memory};
use super::lanes::{Group, Member, Operand, Place, Read, Slot, Step, dense_bytes, steps_on};
use super::tree::{ROWS, Tree};
use super::{Lowering, elementwise};
use std::collections::HashMap;
use std::rc::Rc;
use wengert_kernel::{Address, Binary, Kind, Value};

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
    is_block: bool,
}

type Key = *const Slot;

/// A group with all that is known before it is written.
pub(super) struct Nest<'g> {
    pub(super) group: &'g Group,
    /// Sizes of axes, the outermost first, and how many of them are outside of rows.
    pub(super) sizes: Vec<usize>,
    outer: usize,
    row: usize,
    /// Elements of a row that are computed at a time, where all of them are combined.
    block: usize,
    /// For each member its stage; none if nothing needs it.
    pub(super) stages: Vec<Option<usize>>,
    slot_stage: HashMap<Key, usize>,
    pub(super) accesses: Vec<Access>,
    /// Where accesses begin.
    bases: Vec<Value>,
    /// The access of each read, by its address.
    reads: HashMap<*const Read, usize>,
    /// The access of each value that is kept in memory.
    pub(super) kept: HashMap<Key, usize>,
    /// Keeps the memory of what is kept for a row.
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

    fn live(&self) -> impl Iterator<Item = (usize, &'g Member)> + '_ {
        let members = self.group.members.iter();
        members.zip(&self.stages).filter_map(|(m, stage)| stage.map(|s| (s, m)))
    }

    fn access(&mut self, access: Access, base: Value) -> usize {
        self.accesses.push(access);
        self.bases.push(base);
        self.accesses.len() - 1
    }

    /// The access of a read.
    pub(super) fn of_read(&self, read: &Rc<Read>) -> usize {
        self.reads[&Rc::as_ptr(read)]
    }

    /// Whether a row can be computed block by block.
    fn has_blocks(&self) -> bool {
        let inside: usize = self.sizes[self.outer..].iter().skip(1).product();
        self.row > self.block && self.block.is_multiple_of(inside)
    }

    /// Values that only a combination of the stage that computes them uses, so that a block of them is enough.
    fn is_of_a_block(&self, slot: &Rc<Slot>) -> bool {
        let own = self.stage_of(slot);
        self.has_blocks()
            && self.live().all(|(stage, m)| {
                stage == own || m.operands.iter().all(|x| !matches!(x, Operand::Inside(s) if Rc::ptr_eq(s, slot)))
            })
    }
}

impl Lowering {
    /// Writes a group of equations.
    pub(super) fn write_nest(&mut self, group: Group) {
        // A result that a form outside of the group is goes to memory; operands inside hold the others.
        let mut held: HashMap<Key, usize> = HashMap::new();
        for x in group.members.iter().flat_map(|m| &m.operands) {
            if let Operand::Inside(slot) = x {
                *held.entry(Rc::as_ptr(slot)).or_default() += 1;
            }
        }
        let outside: HashMap<Key, bool> = group
            .members
            .iter()
            .flat_map(|m| &m.results)
            .map(|s| {
                let at = Rc::as_ptr(s);
                (at, Rc::strong_count(s) > 1 + held.get(&at).copied().unwrap_or(0))
            })
            .collect();
        let mut nest = Nest::new(&group);
        nest.find_stages(&outside);
        if nest.stages.iter().all(Option::is_none) {
            return;
        }
        self.find_reads(&mut nest);
        self.find_places(&mut nest, &outside);
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
                    nest.access(Access { kind: read.kind, steps, is_number, is_large, is_block: false }, at)
                });
                known.insert(key, access);
                nest.reads.insert(Rc::as_ptr(read), access);
            }
        }
    }

    /// Where results go, and what is kept for a later stage.
    fn find_places(&mut self, nest: &mut Nest<'_>, outside: &HashMap<Key, bool>) {
        let mut free = unused_after(nest);
        let mut later: HashMap<Key, bool> = HashMap::new();
        for (stage, m) in nest.live() {
            for x in &m.operands {
                if let Operand::Inside(slot) = x
                    && !nest.is_line(slot)
                    && (stage > nest.stage_of(slot) || m.combines())
                {
                    later.insert(Rc::as_ptr(slot), true);
                }
            }
        }
        let members: Vec<(usize, &Member)> = nest.live().collect();
        for (stage, m) in members {
            for slot in &m.results {
                let (key, kind, line) = (Rc::as_ptr(slot), slot.kind(), nest.is_line(slot));
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
                    let access =
                        nest.access(Access { kind, steps, is_number: false, is_large: false, is_block: false }, at);
                    nest.kept.insert(key, access);
                } else if later.contains_key(&key) {
                    let is_block = nest.is_of_a_block(slot);
                    let count = if is_block { nest.block } else { nest.row };
                    let room = self.rooms.take(count * kind.bytes());
                    let offset = room.start as i64;
                    let memory = Memory { base: Base::Workspace, offset, room: Some(room), owner: None };
                    let at = self.address(&memory, 0);
                    let at = self.b.pointer(at);
                    nest.rooms.push(memory);
                    let mut steps = vec![0; nest.outer];
                    steps.extend(dense_bytes(&nest.sizes[nest.outer..], kind));
                    let access = nest.access(Access { kind, steps, is_number: false, is_large: false, is_block }, at);
                    nest.kept.insert(key, access);
                }
            }
        }
    }

    /// Where a result of a nest goes: over an operand that nothing uses afterwards, if there is one.
    fn place_of(&mut self, slot: &Slot, stage: usize, free: &mut Vec<(Memory, Kind, usize)>) -> Memory {
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
                    None => self.room(&slot.ty),
                }
            }
        }
    }

    /// The loops over rows, from an axis on.
    fn write_lines(&mut self, nest: &Nest<'_>, axis: usize, bases: Vec<Value>) {
        if axis == nest.outer {
            return self.write_stages(nest, &bases);
        }
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let inside = self.advanced(nest, &bases, axis, index, 1);
        self.write_lines(nest, axis + 1, inside);
        let body = self.b.end(Vec::new());
        self.repeat(index, nest.sizes[axis], body);
    }

    /// Where accesses are at an index along an axis, counted in so many elements of it.
    pub(super) fn advanced(
        &mut self,
        nest: &Nest<'_>,
        bases: &[Value],
        axis: usize,
        index: Value,
        times: i64,
    ) -> Vec<Value> {
        let each = nest.accesses.iter().zip(bases).map(|(access, &base)| match access.steps[axis] * times {
            0 => base,
            step if access.is_number => {
                let step = self.b.constant(Kind::I64, step as u64);
                let more = self.b.binary(Binary::Mul, index, step);
                self.b.binary(Binary::Add, base, more)
            }
            step => self.b.pointer(Address { base, index: Some((index, step)), offset: 0 }),
        });
        each.collect()
    }

    /// The stages of one row.
    fn write_stages(&mut self, nest: &Nest<'_>, bases: &[Value]) {
        let mut lines: HashMap<Key, Value> = HashMap::new();
        let count = nest.live().map(|(s, m)| s + m.combines() as usize).max().unwrap_or(0) + 1;
        for stage in 0..count {
            self.write_line_members(nest, stage, bases, &mut lines);
            let here = || nest.live().filter(|(s, m)| *s == stage && !nest.member_is_line(m)).map(|(_, m)| m);
            let reduces: Vec<&Member> = here().filter(|m| m.combines()).collect();
            let computes = here().count() > reduces.len();
            let inner: Vec<(usize, usize)> = (nest.outer..nest.sizes.len()).map(|d| (d, nest.sizes[d])).collect();
            let trees: Vec<Tree> = reduces
                .iter()
                .map(|m| match (&m.step, m.results[0].kind()) {
                    (Step::Reduce { f, columns: false, .. }, kind) => self.tree_of_row(*f, kind, nest.row),
                    (Step::Reduce { f, .. }, kind) => {
                        self.tree(*f, kind, nest.group.width, nest.row / nest.group.width)
                    }
                    _ => unreachable!("chosen above"),
                })
                .collect();
            let combined: Vec<Option<Value>> = if computes && !reduces.is_empty() && nest.has_blocks() {
                self.write_blocks(nest, stage, bases, &lines, &reduces, &trees)
            } else {
                if computes {
                    self.write_inner(nest, stage, inner, bases.to_vec(), &lines);
                }
                let each = reduces.iter().zip(&trees);
                let each = each.map(|(m, tree)| {
                    let from = bases[row_of(nest, m)];
                    if let Step::Reduce { columns: true, .. } = m.step {
                        self.all_rows(tree, from);
                        return None;
                    }
                    Some(self.row_at(tree, from, nest.row))
                });
                each.collect()
            };
            for ((m, v), tree) in reduces.iter().zip(combined).zip(&trees) {
                let Step::Reduce { f, identity, .. } = &m.step else { unreachable!("chosen above") };
                let slot = &m.results[0];
                let access = nest.kept.get(&Rc::as_ptr(slot)).copied();
                let start = elementwise::element(&mut self.b, slot.kind(), *identity);
                match (v, access) {
                    (Some(v), _) => {
                        let v = elementwise::binary(&mut self.b, *f, start, v);
                        lines.insert(Rc::as_ptr(slot), v);
                        if let Some(access) = access {
                            self.b.store(v, Address::at(bases[access], 0));
                        }
                    }
                    (None, Some(access)) => self.columns_in_the_end(tree, start, bases[access]),
                    (None, None) => {}
                }
            }
        }
    }

    /// What is computed once for a row.
    fn write_line_members(&mut self, nest: &Nest<'_>, stage: usize, bases: &[Value], lines: &mut HashMap<Key, Value>) {
        let here = nest.live().filter(|(s, m)| *s == stage && nest.member_is_line(m));
        for (_, m) in here {
            let x: Vec<Value> = m
                .operands
                .iter()
                .map(|x| match x {
                    Operand::Same(v) => *v,
                    Operand::Inside(slot) => lines[&Rc::as_ptr(slot)],
                    Operand::Read(read) => self.scalar_at(nest, nest.of_read(read), bases),
                })
                .collect();
            for (slot, v) in m.results.iter().zip(self.step(m, &x)) {
                lines.insert(Rc::as_ptr(slot), v);
                if let Some(&access) = nest.kept.get(&Rc::as_ptr(slot)) {
                    self.b.store(v, Address::at(bases[access], 0));
                }
            }
        }
    }

    /// What an access has where it is.
    pub(super) fn scalar_at(&mut self, nest: &Nest<'_>, access: usize, bases: &[Value]) -> Value {
        let a = &nest.accesses[access];
        match a.is_number {
            true => self.b.convert(bases[access], a.kind),
            false => self.b.load(a.kind, Address::at(bases[access], 0)),
        }
    }

    /// The results of a member that is computed element by element.
    pub(super) fn step(&mut self, m: &Member, x: &[Value]) -> [Value; 2] {
        match &m.step {
            Step::Op(op) => self.element(op, x, m.results[0].kind()),
            _ => [x[0]; 2],
        }
    }

    /// A stage of a long row block by block: elements are combined while they are near.
    fn write_blocks(
        &mut self,
        nest: &Nest<'_>,
        stage: usize,
        bases: &[Value],
        lines: &HashMap<Key, Value>,
        reduces: &[&Member],
        trees: &[Tree],
    ) -> Vec<Option<Value>> {
        let first = nest.outer;
        let inside: usize = nest.sizes[first..].iter().skip(1).product();
        let sizes = |count: usize| -> Vec<(usize, usize)> {
            let inner = (first + 1..nest.sizes.len()).map(|d| (d, nest.sizes[d]));
            std::iter::once((first, count / inside)).chain(inner).collect()
        };
        let (block, width) = (nest.block, nest.group.width);
        let blocks = nest.row / block;
        let at = |l: &mut Self, index: Value| {
            let mut moved = l.advanced(nest, bases, first, index, (block / inside) as i64);
            let of_block = nest.accesses.iter().enumerate().filter(|(_, a)| a.is_block);
            of_block.for_each(|(i, _)| moved[i] = bases[i]);
            moved
        };
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let here = at(self, index);
        self.write_inner(nest, stage, sizes(block), here.clone(), lines);
        for (m, tree) in reduces.iter().zip(trees) {
            // One block is no tree, but what remains of none.
            self.leaf(tree, here[row_of(nest, m)], ROWS);
            if tree.blocks > 0 {
                self.merge(tree, index, 0);
            }
        }
        let body = self.b.end(Vec::new());
        self.repeat(index, blocks, body);
        let rest = nest.row % block;
        let after = self.b.constant(Kind::I64, blocks as u64);
        let here = at(self, after);
        if rest > 0 {
            self.write_inner(nest, stage, sizes(rest), here.clone(), lines);
        }
        let mut combined = Vec::with_capacity(trees.len());
        for (m, tree) in reduces.iter().zip(trees) {
            let from = here[row_of(nest, m)];
            let rows = rest / width;
            if rows > 0 {
                self.leaf(tree, from, rows);
            }
            self.finish(tree);
            if let Step::Reduce { columns: true, .. } = m.step {
                combined.push(None);
                continue;
            }
            let end = self.b.pointer(Address::at(from, (rows * width * tree.kind.bytes()) as i64));
            combined.push(Some(self.row_in_the_end(tree, end, rest % width)));
        }
        combined
    }
}

/// The access of the elements that are combined.
fn row_of(nest: &Nest<'_>, m: &Member) -> usize {
    match &m.operands[0] {
        Operand::Inside(slot) => nest.kept[&Rc::as_ptr(slot)],
        Operand::Read(read) => nest.of_read(read),
        Operand::Same(_) => unreachable!("one value repeated is left to a kernel"),
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
    let alone = |(m, _, count, _): &(&Memory, Kind, usize, usize)| {
        m.owner.as_ref().is_some_and(|o| Rc::strong_count(o) == *count)
    };
    seen.into_iter().filter(alone).map(|(m, k, _, last)| (m.clone(), k, last)).collect()
}
