//! Loops over lanes, by vectors: with AVX-512 the last lanes are done under a mask, with AVX2 one by one.
//!
//! Integers of 8 and 16 bits and floats of 16 are vectors of 32-bit lanes, extended by their kind as in general registers. Booleans are
//! mask registers with AVX-512, and vectors with all bits of a lane set or none with AVX2. A loop that [`plan`] has
//! nothing for is done lane by lane.

mod arithmetic;
mod avx2;
mod call;
mod convert;
mod every_other;
mod half;
mod memory;
pub mod plan;
mod quotient;
mod rotate;

use super::{Emit, control};
use crate::allocate::Loc;
use crate::encode::gpr::{Cond, Group, Width};
use crate::encode::simd::{Form, Length, Mask, Op};
use crate::encode::{Gpr, Mem, RAX, RCX, RSP, Rm, Simd, ops};
use plan::{Place, Plan, TAIL};
use wengert_kernel::{Binary, Block, Inst, Kind, Value};

const Z0: Simd = Simd(0);
const Z1: Simd = Simd(1);
const Z2: Simd = Simd(2);
const Z3: Simd = Simd(3);
/// The mask register for emission.
const K1: u8 = 1;

/// One copy of the body being written.
struct Vector<'e, 'f> {
    e: &'e mut Emit<'f>,
    plan: &'e Plan,
    copy: usize,
    /// Only the lanes of the tail's mask.
    partial: bool,
    /// How many lanes there are.
    present: usize,
}

impl Emit<'_> {
    pub(super) fn vector_loop(&mut self, plan: &Plan, count: u64, body: &Block, number: u32) {
        let step = (plan.lanes * plan.copies) as u64;
        let (turns, rest) = (count / step, count % step);
        let mut v = Vector { e: self, plan, copy: 0, partial: false, present: plan.lanes };
        for &(x, place) in &plan.uniform {
            v.broadcast(x, place);
        }
        for &(divisor, place) in &plan.reciprocals {
            v.keep_reciprocal(divisor, place);
        }
        self.set_index(plan.index, 0);
        if turns > 0 {
            let head = self.a.label();
            self.a.align(32);
            self.a.bind(head);
            self.vector_body(plan, body, plan.copies, 0);
            self.add_to_index(plan.index, step as i64);
            if turns > 1 {
                self.compare_index(plan.index, (turns * step) as i64);
                self.a.jump_if(Cond::Ne, head);
            }
        }
        let partial = rest % plan.lanes as u64;
        if plan.masks {
            if partial > 0 {
                self.tail_mask(partial as usize);
            }
            if rest > 0 {
                self.vector_body(plan, body, rest.div_ceil(plan.lanes as u64) as usize, partial as usize);
            }
        } else if rest / plan.lanes as u64 > 0 {
            self.vector_body(plan, body, (rest / plan.lanes as u64) as usize, 0);
        }
        self.a.zero_upper();
        self.mark(number);
        if plan.leaves(count) {
            let (from, count) = ((count - partial) as i64, partial);
            let l = control::Loop { index: plan.index, from, step: 1, count, carried: &[], start: &[] };
            return self.for_loop(&l, body, number);
        }
        self.number += control::count(body);
    }

    fn tail_mask(&mut self, lanes: usize) {
        self.a.mov_imm(RAX, (1 << lanes) - 1);
        self.a.vex(&ops::KMOVW_GPR, 0, Length::L128, TAIL, 0, Rm::Reg(RAX).into(), None);
    }

    /// Copies of the body one beside the other, the last one of so many lanes only, unless of none.
    fn vector_body(&mut self, plan: &Plan, body: &Block, copies: usize, last: usize) {
        let first = self.number;
        let each = |e: &mut Self, f: &mut dyn FnMut(&mut Vector)| {
            for copy in 0..copies {
                let partial = last > 0 && copy + 1 == copies;
                f(&mut Vector { e, plan, copy, partial, present: if partial { last } else { plan.lanes } });
            }
        };
        if plan.index_vector {
            each(self, &mut |v| v.lane_numbers());
        }
        for (i, inst) in body.insts.iter().enumerate() {
            self.mark(first + i as u32);
            each(self, &mut |v| v.inst(inst));
        }
    }

    /// A whole vector on the stack.
    fn vector_slot(&self, i: u32) -> Mem {
        Mem::at(RSP, (self.vectors + 64 * i) as i32)
    }
}

impl Vector<'_, '_> {
    fn kind(&self, v: Value) -> Kind {
        self.e.kind(v)
    }

    fn wide(kind: Kind) -> bool {
        kind.bytes() == 8
    }

    /// How long vectors of a kind are.
    fn length(&self, kind: Kind) -> Length {
        if kind == Kind::Bool && !self.plan.masks {
            return Length::L256;
        }
        match self.plan.lanes * if Self::wide(kind) { 8 } else { 4 } {
            16 => Length::L128,
            32 => Length::L256,
            _ => Length::L512,
        }
    }

    /// One of two instructions, by the width of the kind.
    fn by_width(kind: Kind, narrow: &'static Op, wide: &'static Op) -> &'static Op {
        if Self::wide(kind) { wide } else { narrow }
    }

    fn three(&mut self, op: &Op, l: Length, y: Simd, a: Simd, b: impl Into<Rm<Simd>>) {
        self.e.a.three(Form::Vex, op, l, y, a, b, None);
    }

    fn two(&mut self, op: &Op, l: Length, y: Simd, x: impl Into<Rm<Simd>>) {
        self.e.a.two(Form::Vex, op, l, y, x, None);
    }

    /// An instruction under a mask.
    fn masked(&mut self, op: &Op, l: Length, y: Simd, a: Simd, b: impl Into<Rm<Simd>>, mask: Mask) {
        self.e.a.evex(op, op.evex_w, l, y.0, a.0, b.into().into(), mask, false, None);
    }

    /// A comparison to a mask register.
    fn compare_lanes(&mut self, op: &Op, l: Length, k: u8, a: Simd, b: impl Into<Rm<Simd>>, code: Option<u8>) {
        self.e.a.evex(op, op.evex_w, l, k, a.0, b.into().into(), Mask::ALL, false, code);
    }

    /// An instruction on masks.
    fn k(&mut self, op: &Op, y: u8, a: u8, b: u8) {
        self.e.a.vex(op, 0, Length::L256, y, a, Rm::Reg(Simd(b)).into(), None);
    }

    fn k_not(&mut self, y: u8, x: u8) {
        self.e.a.vex(&ops::KNOTW, 0, Length::L128, y, 0, Rm::Reg(Simd(x)).into(), None);
    }

    fn k_copy(&mut self, y: u8, x: u8) {
        if y != x {
            self.e.a.vex(&ops::KMOVW, 0, Length::L128, y, 0, Rm::Reg(Simd(x)).into(), None);
        }
    }

    /// A mask register of the lanes that are there.
    fn all_lanes(&mut self, k: u8) {
        if self.partial {
            self.k_copy(k, TAIL);
        } else {
            self.k(&ops::KXNORW, k, k, k);
        }
    }

    /// Bits in every lane, from the pool.
    fn constant(&mut self, bits: u64, kind: Kind) -> Rm<Simd> {
        let (each, width) = (if Self::wide(kind) { 8 } else { 4 }, self.length(kind).bytes() as u8);
        Rm::Mem(self.e.a.constant(bits, each, width))
    }

    /// A value that is the same in all lanes goes to its place.
    fn broadcast(&mut self, v: Value, place: Place) {
        let kind = self.kind(v);
        let l = self.length(kind);
        let y = match place {
            Place::Mask(k) => {
                self.e.read_gpr(RAX, v);
                self.e.a.group(Group::Neg, Width::W32, RAX);
                return self.e.a.vex(&ops::KMOVW_GPR, 0, Length::L128, k, 0, Rm::Reg(RAX).into(), None);
            }
            Place::Register(r) => Simd(r),
            Place::Slot(_) => Z0,
            Place::Pool(_) => return,
        };
        if kind == Kind::Bool {
            self.e.read_gpr(RAX, v);
            self.e.a.group(Group::Neg, Width::W64, RAX);
            self.spread(y, RAX, true, l);
            return self.done_at(place, l, y);
        }
        let op = Self::by_width(kind, &ops::BROADCASTSS, &ops::BROADCASTSD);
        match self.e.loc(v) {
            Loc::Const(0) => self.three(&ops::XORPS, l, y, y, y),
            Loc::Const(bits) => {
                let n = if Self::wide(kind) { 8 } else { 4 };
                let m = self.e.a.constant(Emit::constant_bits(kind, bits), n, n);
                self.two(op, l, y, m);
            }
            Loc::Slot(i) => {
                let m = self.e.slot(i);
                self.two(op, l, y, m);
            }
            _ => {
                let r = self.e.gpr(v, RAX);
                self.spread(y, r, Self::wide(kind), l);
            }
        }
        self.done_at(place, l, y);
    }

    /// A general register to all lanes.
    fn spread(&mut self, y: Simd, r: Gpr, wide: bool, l: Length) {
        if self.plan.masks {
            let op = &ops::PBROADCASTD_GPR;
            return self.e.a.evex(op, wide as u8, l, y.0, 0, Rm::Reg(r).into(), Mask::ALL, false, None);
        }
        self.e.a.gpr_to_simd(Form::Vex, &ops::MOVD, wide as u8, y, None, r);
        self.two(if wide { &ops::PBROADCASTQ } else { &ops::PBROADCASTD }, l, y, y);
    }

    /// The vector of the lanes' own numbers.
    fn lane_numbers(&mut self) {
        let index = self.plan.index;
        let first = (self.copy * self.plan.lanes) as u64;
        let bytes: Vec<u8> = (0..self.plan.lanes as u64).flat_map(|i| (first + i).to_le_bytes()).collect();
        let table = self.e.a.table(&bytes);
        let r = self.e.gpr(index, RCX);
        let l = self.length(Kind::I64);
        self.spread(Z0, r, true, l);
        let y = self.def(index);
        self.three(&ops::PADDQ, l, y, Z0, table);
        self.done(index, y);
    }

    /// An operand, in a register or memory.
    fn rm(&mut self, v: Value) -> Rm<Simd> {
        match self.plan.place(v, self.copy) {
            Place::Register(r) => Rm::Reg(Simd(r)),
            Place::Slot(i) => Rm::Mem(self.e.vector_slot(i)),
            Place::Pool(bits) if self.kind(v) == Kind::Bool => {
                self.constant(if bits & 1 == 1 { u64::MAX } else { 0 }, Kind::I64)
            }
            Place::Pool(bits) => {
                let kind = self.kind(v);
                self.constant(Emit::constant_bits(kind, bits), kind)
            }
            Place::Mask(_) => Rm::Reg(Z0),
        }
    }

    /// An operand in a register: its own, or the scratch one.
    fn reg(&mut self, v: Value, scratch: Simd) -> Simd {
        match self.rm(v) {
            Rm::Reg(r) => r,
            m => {
                let l = self.length(self.kind(v));
                self.two(&ops::MOVUPS, l, scratch, m);
                scratch
            }
        }
    }

    /// The mask of a boolean.
    fn mask(&self, v: Value) -> u8 {
        match self.plan.place(v, self.copy) {
            Place::Mask(k) => k,
            _ => 0,
        }
    }

    /// The register a result is computed in.
    fn def(&self, y: Value) -> Simd {
        match self.plan.place(y, self.copy) {
            Place::Register(r) => Simd(r),
            _ => Z0,
        }
    }

    /// A result goes to its place.
    fn done(&mut self, y: Value, r: Simd) {
        let l = self.length(self.kind(y));
        self.done_at(self.plan.place(y, self.copy), l, r);
    }

    fn done_at(&mut self, place: Place, l: Length, r: Simd) {
        match place {
            Place::Register(home) if home != r.0 => self.two(&ops::MOVAPS, l, Simd(home), r),
            Place::Slot(i) => {
                let m = self.e.vector_slot(i);
                self.two(&ops::MOVUPS_TO, l, r, m);
            }
            _ => {}
        }
    }

    /// The numbers of lanes in a narrower kind.
    fn narrow_lane_numbers(&mut self, y: Value) {
        let kind = self.kind(y);
        let first = (self.copy * self.plan.lanes) as u32;
        let bytes: Vec<u8> = (0..self.plan.lanes as u32).flat_map(|i| (first + i).to_le_bytes()).collect();
        let table = self.e.a.table(&bytes);
        let r = self.e.gpr(self.plan.index, RCX);
        let l = self.length(kind);
        self.spread(Z0, r, false, l);
        let d = self.def(y);
        self.three(&ops::PADDD, l, d, Z0, table);
        self.normalize(kind, d, d);
        self.done(y, d);
    }

    fn inst(&mut self, inst: &Inst) {
        if self.plan.skips(inst) {
            return;
        }
        if let Inst::Convert { y, x } = inst
            && *x == self.plan.index
            && plan::is_narrow(self.kind(*y))
        {
            return self.narrow_lane_numbers(*y);
        }
        if !self.plan.masks && self.inst_avx2(inst) {
            return;
        }
        match inst {
            Inst::Unary { y, op, x } => self.unary(*op, *y, *x),
            Inst::Binary { y, op: Binary::Or, .. } if self.plan.rotations.contains_key(&y.0) => {
                let (x, by) = self.plan.rotations[&y.0];
                self.rotate(*y, x, by);
            }
            Inst::Binary { y, op, x } => self.binary(*op, *y, *x),
            Inst::MulAdd { y, x, negate } => self.mul_add(*y, *x, *negate),
            Inst::Compare { y, op, x } => self.compare(*op, *y, *x),
            Inst::Select { y, condition, x } => self.select(*y, *condition, *x),
            Inst::Convert { y, x } => self.convert(*y, *x),
            Inst::Bitcast { y, x } => self.bitcast(*y, *x),
            Inst::Load { y, at } => self.load(*y, at),
            Inst::Store { x, at } => self.store(*x, at),
            Inst::Prefetch { at, write } => self.prefetch(at, *write),
            Inst::CallWhere { y, callee, condition, x, otherwise } => {
                self.call_where(*y, callee, *condition, x, *otherwise);
            }
            // The others are constants: a plan has nothing else.
            _ => {}
        }
    }
}
