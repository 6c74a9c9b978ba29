//! The loops over the elements of a row: which axis is done in lanes, in which order the others run, and what a turn does.

use super::group::{Member, Operand, Slot};
use super::stages::Nest;
use super::{Lowering, elementwise};
use std::collections::HashMap;
use std::rc::Rc;
use wengert_kernel::{Address, Binary, Inst, Kind, Value};

/// What starting a loop costs, in instructions.
const START: usize = 10;
/// What reading or writing a vector costs where elements are apart.
const APART: usize = 12;
/// Lanes are counted in this many.
const VECTOR: usize = 16;
/// Lanes done at a time where elements are read across: the lines that they lie in stay near.
const TILE: usize = 64;

/// Memory is asked for this many bytes before it is read or written.
const AHEAD: i64 = 2048;
/// Where a row is gone through several times, all of the next one is asked for, if it is no longer than this.
const ROW_AHEAD: i64 = 16384;

/// Axes of a nest with how many elements of each are done.
type Sizes = Vec<(usize, usize)>;

impl Nest<'_> {
    /// The members of a stage that are computed element by element.
    fn of_stage(&self, stage: usize) -> Vec<&Member> {
        let all = self.group.members.iter().zip(&self.stages);
        let here = all.filter(|(m, s)| **s == Some(stage) && !self.member_is_line(m) && !m.combines());
        here.map(|(m, _)| m).collect()
    }

    /// The accesses that members read, and those that they write.
    fn used(&self, members: &[&Member]) -> (Vec<usize>, Vec<usize>) {
        let made: HashMap<*const Slot, ()> =
            members.iter().flat_map(|m| &m.results).map(|s| (Rc::as_ptr(s), ())).collect();
        let mut reads = Vec::new();
        for x in members.iter().flat_map(|m| &m.operands) {
            match x {
                Operand::Read(read) => reads.push(self.of_read(read)),
                Operand::Inside(slot) if !made.contains_key(&Rc::as_ptr(slot)) => {
                    reads.extend(self.kept.get(&Rc::as_ptr(slot)).filter(|_| slot.count() == self.group.count));
                }
                _ => {}
            }
        }
        reads.sort_unstable();
        reads.dedup();
        let writes = members.iter().flat_map(|m| &m.results).filter_map(|s| self.kept.get(&Rc::as_ptr(s)).copied());
        (reads, writes.collect())
    }

    /// What all elements cost with an axis in lanes.
    fn cost(&self, sizes: &Sizes, lanes: usize, accesses: &[usize], members: usize) -> usize {
        let (axis, n) = sizes[lanes];
        let turns: usize = sizes.iter().map(|s| s.1).product::<usize>() / n;
        let of = |&a: &usize| {
            let access = &self.accesses[a];
            if access.gathered.as_ref().is_some_and(|(_, indices)| self.accesses[*indices].steps[axis] != 0) {
                return 10 * APART;
            }
            match access.steps[axis] {
                0 => 0,
                step if access.is_number || step == access.kind.bytes() as i64 => 1,
                _ => APART,
            }
        };
        turns * (START + n.div_ceil(VECTOR) * (members + accesses.iter().map(of).sum::<usize>()))
    }
}

impl Lowering {
    /// Writes the loops over so many elements along the axes inside of a row, for one stage.
    pub(super) fn write_inner(
        &mut self,
        nest: &Nest<'_>,
        stage: usize,
        mut sizes: Sizes,
        bases: Vec<Value>,
        lines: &HashMap<*const Slot, Value>,
    ) {
        let members = nest.of_stage(stage);
        let (reads, writes) = nest.used(&members);
        let accesses: Vec<usize> = reads.iter().chain(&writes).copied().collect();
        let best = (0..sizes.len()).rev().min_by_key(|&d| nest.cost(&sizes, d, &accesses, members.len()));
        let (axis, n) = sizes.remove(best.expect("an axis"));
        let turn = Turn { nest, members: &members, reads: &reads, lines, axis };
        // Elements that lie apart here lie together along another axis: a tile of both stays near.
        let apart = |&a: &usize| {
            let access = &nest.accesses[a];
            let bytes = access.kind.bytes() as i64;
            !access.is_number
                && access.steps[axis].unsigned_abs() >= 64
                && sizes.iter().any(|(d, m)| access.steps[*d].abs() == bytes && *m > 1)
        };
        if n < 2 * TILE || !accesses.iter().any(apart) {
            return self.write_axes(&turn, &sizes, n, bases);
        }
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let tile = self.advanced(nest, &bases, axis, index, TILE as i64);
        self.write_axes(&turn, &sizes, TILE, tile);
        let body = self.b.end(Vec::new());
        self.repeat(index, n / TILE, body);
        if !n.is_multiple_of(TILE) {
            let after = self.b.constant(Kind::I64, (n / TILE) as u64);
            let rest = self.advanced(nest, &bases, axis, after, TILE as i64);
            self.write_axes(&turn, &sizes, n % TILE, rest);
        }
    }

    /// The loops over axes that are not done in lanes.
    fn write_axes(&mut self, turn: &Turn<'_>, sizes: &[(usize, usize)], lanes: usize, bases: Vec<Value>) {
        let Some((&(axis, n), rest)) = sizes.split_first() else { return self.write_lanes(turn, lanes, &bases) };
        if n == 1 {
            return self.write_axes(turn, rest, lanes, bases);
        }
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let inside = self.advanced(turn.nest, &bases, axis, index, 1);
        self.write_axes(turn, rest, lanes, inside);
        let body = self.b.end(Vec::new());
        self.repeat(index, n, body);
    }

    /// The loop over lanes.
    fn write_lanes(&mut self, turn: &Turn<'_>, count: usize, bases: &[Value]) {
        let (nest, axis) = (turn.nest, turn.axis);
        // Rows that are the same for all lanes; of others, each lane has an index of its own.
        let of_lanes = |a: usize| {
            let (rows, indices) = nest.accesses[a].gathered.as_ref()?;
            let step = nest.accesses[*indices].steps[axis];
            (step != 0).then_some((rows, *indices, step))
        };
        let mut bases = bases.to_vec();
        for &a in turn.reads.iter().filter(|&&a| nest.accesses[a].gathered.is_some() && of_lanes(a).is_none()) {
            bases[a] = self.in_window(nest, a, &bases);
        }
        // What is the same in every lane is read before.
        let mut loaded: HashMap<usize, Value> = HashMap::new();
        for &access in turn.reads.iter().filter(|&&a| nest.accesses[a].steps[axis] == 0 && of_lanes(a).is_none()) {
            let a = &nest.accesses[access];
            let v = match a.is_number {
                true => self.scalar_at(nest, access, &bases),
                false => self.b.load(a.kind, Address::at(bases[access], 0)),
            };
            loaded.insert(access, v);
        }
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let at = |access: usize| {
            let base = bases[access];
            Address { base, index: Some((index, nest.accesses[access].steps[axis])), offset: 0 }
        };
        let ahead = |l: &mut Self, access: usize, write: bool| {
            let a = &nest.accesses[access];
            if a.is_far && a.steps[axis] == a.kind.bytes() as i64 {
                let row = a.kind.bytes() as i64 * count as i64;
                let several = nest.stages.iter().flatten().any(|&s| s > 0);
                let offset = if several && (AHEAD..=ROW_AHEAD).contains(&row) { row } else { AHEAD };
                l.b.prefetch(Address { offset, ..at(access) }, write);
            }
        };
        for &access in turn.reads {
            ahead(self, access, false);
        }
        let mut values: HashMap<*const Slot, Value> = HashMap::new();
        let mut writes = Vec::new();
        for m in turn.members {
            let mut read = |l: &mut Self, access: usize| {
                *loaded.entry(access).or_insert_with(|| match nest.accesses[access].is_number {
                    true => l.number(nest, access, axis, index, bases[access]),
                    false => match of_lanes(access) {
                        None => l.b.load(nest.accesses[access].kind, at(access)),
                        Some((rows, indices, step)) => {
                            let index = Some((index, step));
                            let start = l.window_of(rows, Address { base: bases[indices], index, offset: 0 });
                            let (base, bytes) = (bases[access], nest.accesses[access].kind.bytes() as i64);
                            l.b.load(
                                nest.accesses[access].kind,
                                Address { base, index: Some((start, bytes)), offset: 0 },
                            )
                        }
                    },
                })
            };
            let x: Vec<Value> = m
                .operands
                .iter()
                .map(|x| match x {
                    Operand::Same(v) => *v,
                    Operand::Read(r) => read(self, nest.of_read(r)),
                    Operand::Inside(slot) => {
                        let key = Rc::as_ptr(slot);
                        let known = values.get(&key).or_else(|| turn.lines.get(&key)).copied();
                        known.unwrap_or_else(|| read(self, nest.kept[&key]))
                    }
                })
                .collect();
            for (slot, v) in m.results.iter().zip(self.step(m, &x)) {
                values.insert(Rc::as_ptr(slot), v);
                writes.extend(nest.kept.get(&Rc::as_ptr(slot)).map(|&access| (access, v)));
            }
        }
        for (access, v) in writes {
            ahead(self, access, true);
            self.b.store(v, at(access));
        }
        let body = self.b.end(Vec::new());
        self.b.push(Inst::Lanes { index, count: count as u64, body });
    }

    /// The position of a lane as a number of a kind. Positions of most arrays are numbers of 32 bits.
    pub(super) fn number(&mut self, nest: &Nest<'_>, access: usize, axis: usize, index: Value, base: Value) -> Value {
        let a = &nest.accesses[access];
        let narrow = !a.is_large && nest.group.count <= i32::MAX as usize;
        let kind = if narrow { Kind::I32 } else { Kind::I64 };
        let index = self.b.convert(index, kind);
        let base = self.b.convert(base, kind);
        let step = self.b.constant(kind, a.steps[axis] as u64 & if narrow { u32::MAX as u64 } else { u64::MAX });
        let scaled = if a.steps[axis] == 1 { index } else { self.b.binary(Binary::Mul, index, step) };
        let number = self.b.binary(Binary::Add, base, scaled);
        elementwise::convert(&mut self.b, number, a.kind)
    }
}

/// What all turns of the loops of one stage have in common.
struct Turn<'n> {
    nest: &'n Nest<'n>,
    members: &'n [&'n Member],
    reads: &'n [usize],
    lines: &'n HashMap<*const Slot, Value>,
    axis: usize,
}
