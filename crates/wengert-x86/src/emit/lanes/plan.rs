//! Which loops over lanes become vector code, how many lanes at a time, and in which registers.

use super::call::KEPT;
use super::every_other::is_every_other;
use super::rotate::rotations;
use crate::Features;
use crate::allocate::live::is_unused;
use crate::encode::BitsHasher;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use wengert_kernel::{Address, Binary, Block, Function, Inst, Kind, Value};

/// Vector registers from here on are given to values; the others are for emission.
pub const FIRST: u8 = 4;
/// Mask registers given to values: the one below is for emission, the one above is the tail's.
const MASKS: std::ops::Range<u8> = 2..7;
/// The mask of the last lanes.
pub const TAIL: u8 = 7;

/// The place of a value, one of its copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A vector register.
    Register(u8),
    /// A mask register.
    Mask(u8),
    /// On the stack, a whole vector.
    Slot(u32),
    /// In the constant pool.
    Pool(u64),
}

/// Where addresses lead, from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// The same place.
    Uniform,
    /// One after the other.
    Contiguous,
    /// With the same distance.
    Strided,
    /// Anywhere.
    Indexed,
}

/// How a loop is done by vectors.
#[derive(Debug)]
pub struct Plan {
    /// Lanes at a time.
    pub lanes: usize,
    /// Whether booleans are in mask registers, and the last lanes done under one. If not, booleans are vectors of lanes as
    /// wide as the widest, and the last lanes are left to a loop.
    pub masks: bool,
    /// Whether there are lanes of 64 bits.
    pub wide: bool,
    /// How often the body stands in a turn.
    pub copies: usize,
    /// Stack slots, of a whole vector each.
    pub slots: u32,
    /// Values that are the same in all lanes, with their places.
    pub uniform: Vec<(Value, Place)>,
    /// Those of them whose reciprocals are kept, with the places of these.
    pub reciprocals: Vec<(Value, Place)>,
    /// Results that are rotations: what is rotated, and by how many bits to the left.
    pub rotations: HashMap<u32, (Value, u8), BuildHasherDefault<BitsHasher>>,
    /// The places of all values, one for each copy.
    places: HashMap<u32, [Place; 4], BuildHasherDefault<BitsHasher>>,
    /// If functions are called where a condition holds: the first slot of those that everything in registers goes to before
    /// a call. [`KEPT`] others, and those of the registers.
    pub saves: Option<u32>,
    /// The number of the lane.
    pub index: Value,
    /// Whether it is a vector too.
    pub index_vector: bool,
}

impl Plan {
    /// The place of a value.
    pub fn place(&self, v: Value, copy: usize) -> Place {
        self.places.get(&v.0).map_or(Place::Register(0), |p| p[copy])
    }

    /// Whether no code is made for an instruction, because nothing uses what it gives.
    pub fn skips(&self, inst: &Inst) -> bool {
        inst.result().is_some_and(|y| !self.places.contains_key(&y.0))
    }

    /// Whether a loop is left to do for the last lanes.
    pub fn leaves(&self, count: u64) -> bool {
        !self.masks && !count.is_multiple_of(self.lanes as u64)
    }

    /// Where the reciprocal of a divisor is, if it is kept.
    pub fn reciprocal(&self, divisor: Value) -> Option<Place> {
        self.reciprocals.iter().find(|r| r.0 == divisor).map(|r| r.1)
    }

    /// Whether a value differs from lane to lane.
    pub fn varies(&self, v: Value) -> bool {
        self.places.contains_key(&v.0) && self.uniform.iter().all(|u| u.0 != v)
    }
}

/// What is known of a value in the body.
struct Local {
    value: Value,
    /// The instruction that defines it, and the last that uses it.
    from: usize,
    to: usize,
}

struct Analysis<'f> {
    f: &'f Function,
    /// Whether there are mask registers, and all else AVX-512 has.
    masks: bool,
    index: Value,
    index_vector: bool,
    locals: Vec<Local>,
    known: HashMap<u32, usize, BuildHasherDefault<BitsHasher>>,
    /// Same in all lanes: constants by their bits, and how often they are used.
    uniform: Vec<(Value, Option<u64>, usize)>,
    uniform_known: HashMap<u32, usize, BuildHasherDefault<BitsHasher>>,
    wide: bool,
    rotations: HashMap<u32, (Value, u8), BuildHasherDefault<BitsHasher>>,
    /// Floats that are the same in all lanes, and by which others are divided.
    divisors: Vec<Value>,
    /// Whether functions are called where a condition holds.
    calls_where: bool,
}

/// Whether the numbers of lanes in a kind are computed in it, not converted.
pub fn is_narrow(kind: Kind) -> bool {
    kind.is_integer() && kind.bytes() <= 4
}

/// The pattern of an address.
pub fn pattern(at: &Address, index: Value, bytes: usize, inner: impl Fn(Value) -> bool) -> Pattern {
    match at.index {
        None => Pattern::Uniform,
        Some((_, 0)) => Pattern::Uniform,
        Some((i, scale)) if i == index && scale == bytes as i64 => Pattern::Contiguous,
        Some((i, _)) if i == index => Pattern::Strided,
        Some((i, _)) if inner(i) => Pattern::Indexed,
        Some(_) => Pattern::Uniform,
    }
}

/// A plan for a loop, if it can be done by vectors.
pub fn plan(
    f: &Function,
    index: Value,
    count: u64,
    body: &Block,
    uses: &[u32],
    constants: &[Option<u64>],
    features: Features,
) -> Option<Plan> {
    let masks = features >= Features::Avx512;
    if features < Features::Avx2 || count < if masks { 2 } else { 8 } {
        return None;
    }
    let mut a = Analysis {
        f,
        masks,
        index,
        index_vector: false,
        locals: Vec::new(),
        known: HashMap::default(),
        uniform: Vec::new(),
        uniform_known: HashMap::default(),
        wide: false,
        rotations: HashMap::default(),
        divisors: Vec::new(),
        calls_where: false,
    };
    if masks {
        a.rotations = rotations(f, body, uses, constants);
    }
    // The shifts that rotations are made of are not done.
    let mut shifts: HashSet<u32, BuildHasherDefault<BitsHasher>> = HashSet::default();
    for inst in body.insts.iter().filter(|i| i.result().is_some_and(|y| a.rotations.contains_key(&y.0))) {
        inst.operands(|v| _ = shifts.insert(v.0));
    }
    for (i, inst) in body.insts.iter().enumerate().filter(|(_, inst)| !is_unused(inst, uses)) {
        if inst.result().is_none_or(|y| !shifts.contains(&y.0)) {
            a.inst(i, inst)?;
        }
    }
    if a.index_vector {
        a.wide = true;
        a.locals.insert(0, Local { value: index, from: 0, to: body.insts.len() });
    }
    let lanes = if a.wide { 8 } else { 16 } / if masks { 1 } else { 2 };
    if count < super::quotient::LEAST_VECTORS * lanes as u64 {
        a.divisors.clear();
    }
    a.finish(lanes, count, body)
}

impl Analysis<'_> {
    /// Whether a value differs from lane to lane.
    fn inner(&self, v: Value) -> bool {
        self.known.contains_key(&v.0)
    }

    fn used(&mut self, i: usize, v: Value) {
        if let Some(&l) = self.known.get(&v.0) {
            self.locals[l].to = i;
        } else if v == self.index {
            self.index_vector = true;
        } else {
            let n = self.uniform.len();
            let at = *self.uniform_known.entry(v.0).or_insert(n);
            if at == n {
                self.uniform.push((v, None, 0));
            }
            self.uniform[at].2 += 1;
        }
        self.wide |= self.f.kind(v).bytes() == 8;
    }

    fn address(&mut self, i: usize, at: &Address, kind: Kind) -> Option<()> {
        if self.inner(at.base) || at.base == self.index {
            return None;
        }
        match (pattern(at, self.index, kind.bytes(), |v| self.inner(v)), at.index) {
            (Pattern::Uniform | Pattern::Contiguous, _) => {}
            (Pattern::Strided, _) if !self.masks && is_every_other(at, kind) => {}
            _ if !self.masks => return None,
            (Pattern::Strided, Some((_, scale))) => {
                // The distances of 16 lanes are 32-bit numbers.
                if kind.bytes() < 4 || scale.unsigned_abs() > 1 << 26 {
                    return None;
                }
            }
            (_, Some((v, scale))) => {
                if kind.bytes() < 4 || !matches!(scale, 1 | 2 | 4 | 8) || i32::try_from(at.offset).is_err() {
                    return None;
                }
                self.used(i, v);
            }
            _ => return None,
        }
        Some(())
    }

    fn inst(&mut self, i: usize, inst: &Inst) -> Option<()> {
        let kind = |v: Value| self.f.kind(v);
        if !self.masks && !super::avx2::has(self.f, inst) {
            return None;
        }
        match inst {
            Inst::Const { y, bits } => {
                let n = self.uniform.len();
                self.uniform_known.insert(y.0, n);
                self.uniform.push((*y, Some(*bits), 0));
                return Some(());
            }
            Inst::Binary { y, op: Binary::Or, .. } if self.rotations.contains_key(&y.0) => {
                self.used(i, self.rotations[&y.0].0);
            }
            Inst::Binary { y, op: Binary::Div | Binary::Rem, .. } if !kind(*y).is_float() => return None,
            Inst::Binary { op: Binary::Div, x: [x, by], .. }
                if self.masks && self.inner(*x) && !self.inner(*by) && *by != self.index =>
            {
                inst.operands(|v| self.used(i, v));
                if !self.divisors.contains(by) {
                    self.divisors.push(*by);
                }
            }
            Inst::Convert { y, x } if *x == self.index && is_narrow(kind(*y)) => {}
            Inst::Unary { .. }
            | Inst::Binary { .. }
            | Inst::MulAdd { .. }
            | Inst::Compare { .. }
            | Inst::Select { .. }
            | Inst::Convert { .. }
            | Inst::Bitcast { .. } => inst.operands(|v| self.used(i, v)),
            Inst::CallWhere { .. } => {
                inst.operands(|v| self.used(i, v));
                self.calls_where = true;
            }
            Inst::Load { y, at } => {
                let kind = kind(*y);
                self.address(i, at, kind)?;
            }
            Inst::Prefetch { at, .. } => {
                let of_lanes = at.index.is_none_or(|(i, _)| i == self.index || !self.inner(i));
                if self.inner(at.base) || at.base == self.index || !of_lanes {
                    return None;
                }
            }
            Inst::Store { x, at } => {
                let kind = kind(*x);
                // In all lanes to one place: which is the last is not worth knowing.
                let inner = |v: Value| self.inner(v);
                if pattern(at, self.index, kind.bytes(), inner) == Pattern::Uniform {
                    return None;
                }
                self.used(i, *x);
                self.address(i, at, kind)?;
            }
            _ => return None,
        }
        if let Some(y) = inst.result() {
            self.wide |= self.f.kind(y).bytes() == 8;
            self.known.insert(y.0, self.locals.len());
            self.locals.push(Local { value: y, from: i, to: i });
        }
        Some(())
    }

    fn is_mask(&self, v: Value) -> bool {
        self.masks && self.f.kind(v) == Kind::Bool
    }

    /// The most values that are live at once.
    fn pressure(&self, insts: usize, masks: bool) -> usize {
        let mut change = vec![0isize; insts + 2];
        for l in self.locals.iter().filter(|l| self.is_mask(l.value) == masks) {
            change[l.from] += 1;
            change[l.to.max(l.from + 1)] -= 1;
        }
        let mut live = 0;
        change.into_iter().fold(0, |most, c| {
            live += c;
            most.max(live)
        }) as usize
    }

    fn finish(mut self, lanes: usize, count: u64, body: &Block) -> Option<Plan> {
        let n = body.insts.len();
        let end = if self.masks { 32 } else { 16 };
        let registers = (end - FIRST) as usize;
        let masks = MASKS.len();
        let (pressure, mask_pressure) = (self.pressure(n, false).max(1), self.pressure(n, true));
        let mut uniform: Vec<&(Value, Option<u64>, usize)> = self.uniform.iter().filter(|u| u.2 > 0).collect();
        uniform.sort_by_key(|u| std::cmp::Reverse(u.2));
        let uniform_masks = uniform.iter().filter(|u| self.is_mask(u.0)).count();
        let uniform_vectors = uniform.len() - uniform_masks + self.divisors.len();
        if uniform_masks + mask_pressure > masks {
            return None;
        }
        let mut copies = if n > 100 {
            1
        } else if n > 40 {
            2
        } else {
            4
        };
        copies = copies.min((count / lanes as u64).max(1) as usize);
        copies = copies.min(((registers - uniform_vectors.min(registers / 2)) / pressure).max(1));
        copies = copies.min((masks - uniform_masks).checked_div(mask_pressure).unwrap_or(copies));
        let for_uniform = uniform_vectors.min(registers.saturating_sub(copies * pressure).max(registers / 6));
        let mut free: Vec<u8> = (FIRST..end).rev().collect();
        let mut free_masks: Vec<u8> = MASKS.rev().collect();
        let mut plan = Plan {
            lanes,
            masks: self.masks,
            wide: self.wide,
            copies,
            slots: 0,
            uniform: Vec::new(),
            reciprocals: Vec::new(),
            rotations: std::mem::take(&mut self.rotations),
            places: HashMap::default(),
            saves: None,
            index: self.index,
            index_vector: self.index_vector,
        };
        let mut given = 0;
        let mut vector = |plan: &mut Plan, bits: Option<u64>| {
            if given < for_uniform {
                given += 1;
                // From the other end: the low registers have short encodings, and are for values.
                Place::Register(free.remove(0))
            } else if let Some(bits) = bits {
                Place::Pool(bits)
            } else {
                plan.slots += 1;
                Place::Slot(plan.slots - 1)
            }
        };
        for &divisor in &self.divisors {
            let place = vector(&mut plan, None);
            plan.reciprocals.push((divisor, place));
        }
        for &&(v, bits, _) in &uniform {
            let place = if self.is_mask(v) { Place::Mask(free_masks.pop()?) } else { vector(&mut plan, bits) };
            plan.uniform.push((v, place));
            plan.places.insert(v.0, [place; 4]);
        }
        self.give(&mut plan, n, free, free_masks)?;
        if self.calls_where {
            plan.saves = Some(plan.slots);
            plan.slots += KEPT + registers as u32;
        }
        Some(plan)
    }

    /// Places for the values of the body: registers in the order of definitions, and slots when there are none.
    fn give(&self, plan: &mut Plan, insts: usize, mut free: Vec<u8>, mut free_masks: Vec<u8>) -> Option<()> {
        let mut dying_at: Vec<Vec<usize>> = vec![Vec::new(); insts + 1];
        for (i, l) in self.locals.iter().enumerate() {
            dying_at[l.to].push(i);
        }
        let mut free_slots = Vec::new();
        let mut next = 0;
        for (at, dying) in dying_at.iter().enumerate().take(insts) {
            // A result may take the register of an operand that dies, but of its own copy: the next one is not read yet.
            let first = next;
            while next < self.locals.len() && self.locals[next].from == at {
                next += 1;
            }
            for copy in 0..plan.copies {
                let mut release =
                    |plan: &Plan, l: &Local, free: &mut Vec<u8>, masks: &mut Vec<u8>| match plan.place(l.value, copy) {
                        Place::Register(r) => free.push(r),
                        Place::Mask(k) => masks.push(k),
                        Place::Slot(s) => free_slots.push(s),
                        Place::Pool(_) => {}
                    };
                for &i in dying.iter().filter(|&&i| i < first) {
                    release(plan, &self.locals[i], &mut free, &mut free_masks);
                }
                for l in &self.locals[first..next] {
                    let place = if self.is_mask(l.value) {
                        Place::Mask(free_masks.pop()?)
                    } else if let Some(r) = free.pop() {
                        Place::Register(r)
                    } else {
                        Place::Slot(free_slots.pop().unwrap_or_else(|| {
                            plan.slots += 1;
                            plan.slots - 1
                        }))
                    };
                    plan.places.entry(l.value.0).or_insert([place; 4])[copy] = place;
                }
            }
            // What nobody uses.
            for copy in 0..plan.copies {
                for l in self.locals[first..next].iter().filter(|l| l.to == at) {
                    match plan.place(l.value, copy) {
                        Place::Register(r) => free.push(r),
                        Place::Mask(k) => free_masks.push(k),
                        Place::Slot(s) => free_slots.push(s),
                        Place::Pool(_) => {}
                    }
                }
            }
        }
        Some(())
    }
}
