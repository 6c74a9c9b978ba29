//! The loops over the elements of a row: which axis is done in lanes, in which order the others run, and what a turn does.

use super::ahead::Ask;
use super::fold::Fold;
use super::gathered::Rows;
use super::group::{Member, Operand, Slot};
use super::stages::Nest;
use super::tree::Tree;
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

/// Axes of a nest with how many elements of each are done.
type Sizes = Vec<(usize, usize)>;

impl Nest<'_> {
    /// The members of a stage that are computed element by element.
    pub(super) fn of_stage(&self, stage: usize) -> Vec<&Member> {
        let all = self.group.members.iter().zip(&self.stages);
        let here = all.filter(|(m, s)| **s == Some(stage) && !self.member_is_line(m) && !m.combines());
        here.map(|(m, _)| m).collect()
    }

    /// The accesses that members read, and those that they write.
    pub(super) fn used(&self, members: &[&Member]) -> (Vec<usize>, Vec<usize>) {
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
        let asks = nest.asks(stage, axis, n);
        let turn = Turn { nest, members: &members, reads: &reads, asks, lines, axis, fold: None };
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
    pub(super) fn write_lanes(&mut self, turn: &Turn<'_>, count: usize, bases: &[Value]) {
        let (nest, axis) = (turn.nest, turn.axis);
        let mut bases = bases.to_vec();
        for &a in turn.reads.iter().filter(|&&a| nest.accesses[a].gathered.is_some() && turn.rows_of(a).is_none()) {
            bases[a] = self.in_window(nest, a, &bases);
        }
        // What is the same in every lane is read before.
        let mut same: HashMap<usize, Value> = HashMap::new();
        for &access in turn.reads.iter().filter(|&&a| nest.accesses[a].steps[axis] == 0 && turn.rows_of(a).is_none()) {
            let a = &nest.accesses[access];
            let v = match a.is_number {
                true => self.scalar_at(nest, access, &bases),
                false => self.b.load(a.kind, Address::at(bases[access], 0)),
            };
            same.insert(access, v);
        }
        let trees = turn.fold.as_ref().map_or(&[][..], |f| f.trees);
        let roots: Vec<Value> = trees.iter().map(|tree| self.root(tree)).collect();
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let root = |tree: &Tree, base| Address { base, index: Some((index, tree.kind.bytes() as i64)), offset: 0 };
        let goes_on = turn.fold.as_ref().is_some_and(|f| f.goes_on);
        let sums = trees.iter().zip(&roots);
        let sums = sums.map(|(tree, &base)| goes_on.then(|| self.b.load(tree.kind, root(tree, base))));
        let mut sums: Vec<Option<Value>> = sums.collect();
        for row in 0..turn.fold.as_ref().map_or(1, |f| f.rows) {
            let lane = Lane { turn, index, first: row * count, bases: &bases };
            self.write_lane(&lane, same.clone(), &mut sums);
        }
        for ((tree, base), sum) in trees.iter().zip(roots).zip(sums) {
            self.b.store(sum.expect("a row"), root(tree, base));
        }
        let body = self.b.end(Vec::new());
        self.b.push(Inst::Lanes { index, count: count as u64, body });
    }

    /// What is computed for one element of a lane. What is combined goes to the sums.
    fn write_lane(&mut self, lane: &Lane<'_>, mut loaded: HashMap<usize, Value>, sums: &mut [Option<Value>]) {
        let Lane { turn, index, first, bases } = *lane;
        let (nest, axis) = (turn.nest, turn.axis);
        for ask in &turn.asks {
            let at = lane.at(ask.access);
            self.b.prefetch(Address { offset: at.offset + ask.further, ..at }, ask.write);
        }
        let mut values: HashMap<*const Slot, Value> = HashMap::new();
        let mut writes = Vec::new();
        let mut read = |l: &mut Self, access: usize| {
            let a = &nest.accesses[access];
            *loaded.entry(access).or_insert_with(|| match a.is_number {
                true => l.number(nest, access, axis, [index, bases[access]], first),
                false => match turn.rows_of(access) {
                    None => l.b.load(a.kind, lane.at(access)),
                    Some((rows, indices)) => {
                        let start = l.window_of(rows, lane.at(indices));
                        let (base, bytes) = (bases[access], a.kind.bytes() as i64);
                        l.b.load(a.kind, Address { base, index: Some((start, bytes)), offset: 0 })
                    }
                },
            })
        };
        let mut operand = |l: &mut Self, x: &Operand, values: &HashMap<*const Slot, Value>| match x {
            Operand::Same(v) => *v,
            Operand::Read(r) => read(l, nest.of_read(r)),
            Operand::Inside(slot) => {
                let key = Rc::as_ptr(slot);
                let known = values.get(&key).or_else(|| turn.lines.get(&key)).copied();
                known.unwrap_or_else(|| read(l, nest.kept[&key]))
            }
        };
        for m in turn.members {
            let x: Vec<Value> = m.operands.iter().map(|x| operand(self, x, &values)).collect();
            for (slot, v) in m.results.iter().zip(self.step(m, &x)) {
                values.insert(Rc::as_ptr(slot), v);
                writes.extend(nest.kept.get(&Rc::as_ptr(slot)).map(|&access| (access, v)));
            }
        }
        if let Some(fold) = &turn.fold {
            for ((m, tree), sum) in fold.reduces.iter().zip(fold.trees).zip(sums) {
                let v = operand(self, &m.operands[0], &values);
                let v = elementwise::convert(&mut self.b, v, tree.kind);
                *sum = Some(sum.map_or(v, |sum| elementwise::binary(&mut self.b, tree.f, sum, v)));
            }
        }
        for (access, v) in writes {
            self.b.store(v, lane.at(access));
        }
    }

    /// The position of a lane as a number of a kind. Positions of most arrays are numbers of 32 bits.
    /// Lanes begin so many after the base.
    pub(super) fn number(
        &mut self,
        nest: &Nest<'_>,
        access: usize,
        axis: usize,
        [index, mut base]: [Value; 2],
        first: usize,
    ) -> Value {
        let a = &nest.accesses[access];
        let narrow = !a.is_large && nest.group.count <= i32::MAX as usize;
        let kind = if narrow { Kind::I32 } else { Kind::I64 };
        if first > 0 {
            let more = self.b.constant(Kind::I64, (a.steps[axis] * first as i64) as u64);
            base = self.b.binary(Binary::Add, base, more);
        }
        let index = self.b.convert(index, kind);
        let base = self.b.convert(base, kind);
        let step = self.b.constant(kind, a.steps[axis] as u64 & if narrow { u32::MAX as u64 } else { u64::MAX });
        let scaled = if a.steps[axis] == 1 { index } else { self.b.binary(Binary::Mul, index, step) };
        let number = self.b.binary(Binary::Add, base, scaled);
        elementwise::convert(&mut self.b, number, a.kind)
    }
}

/// What all turns of the loops of one stage have in common.
pub(super) struct Turn<'n> {
    pub(super) nest: &'n Nest<'n>,
    pub(super) members: &'n [&'n Member],
    pub(super) reads: &'n [usize],
    /// Memory that is asked for.
    pub(super) asks: Vec<Ask>,
    pub(super) lines: &'n HashMap<*const Slot, Value>,
    pub(super) axis: usize,
    /// What is combined on the way.
    pub(super) fold: Option<Fold<'n>>,
}

impl<'n> Turn<'n> {
    /// The rows that an access finds through indices, one for each lane, and the access of these.
    fn rows_of(&self, access: usize) -> Option<(&'n Rows, usize)> {
        let (rows, indices) = self.nest.accesses[access].gathered.as_ref()?;
        (self.nest.accesses[*indices].steps[self.axis] != 0).then_some((rows, *indices))
    }
}

/// An element of a lane: which of its turn, so many after the others.
struct Lane<'l> {
    turn: &'l Turn<'l>,
    index: Value,
    first: usize,
    bases: &'l [Value],
}

impl Lane<'_> {
    /// Where an access is.
    fn at(&self, access: usize) -> Address {
        let step = self.turn.nest.accesses[access].steps[self.turn.axis];
        Address { base: self.bases[access], index: Some((self.index, step)), offset: step * self.first as i64 }
    }
}
