//! From instructions to machine code, with places of values given.
//!
//! rax, rcx, rdx and the first two vector registers hold no values between instructions. A result may share its
//! register with an operand that dies: it is written after all operands are read. Integers of 8 and 16 bits are kept
//! extended to 32 bits by their kind; above 32 bits, registers and slots hold anything.

mod call;
mod control;
mod convert;
mod divide;
mod float;
mod half;
mod integer;
pub mod lanes;
mod memory;
mod moves;
mod profile;

use crate::Features;
use crate::allocate::{self, Allocation, Loc, in_simd};
use crate::encode::gpr::{Extend, Width};
use crate::encode::simd::{Form, Length, Op};
use crate::encode::{Assembler, Gpr, Label, Mem, RAX, RSP, Rm, Simd, ops};
use wengert_kernel::{Block, Compare, Function, Inst, Kind, Value};

const X0: Simd = Simd(0);
const X1: Simd = Simd(1);

/// Frames larger than this are not made: stacks of threads are small.
const FRAME_LIMIT: u32 = 256 << 10;
/// What lies beyond so many bytes is touched on the way, lest a guard page be jumped over.
const PAGE: u32 = 4096;

/// Machine code, and what it came from.
pub struct Emitted {
    /// The code, with its constants behind it.
    pub bytes: Vec<u8>,
    /// How long the code alone is.
    pub length: usize,
    /// Offsets into the code, and the number of the instruction that the code from there on belongs to.
    pub listing: Vec<(u32, u32)>,
    /// Offsets into the code, and the mark of the code from there on.
    pub marks: Vec<(u32, u32)>,
}

/// What is known while code is written.
struct Emit<'f> {
    f: &'f Function,
    a: Assembler,
    places: Allocation,
    features: Features,
    form: Form,
    /// A comparison that the next instruction does.
    pending: Option<(Compare, [Value; 2])>,
    /// Where the function ends with `false`.
    fail: Option<Label>,
    moves: moves::Scratch,
    /// How many loops around count on the stack.
    counters: u32,
    /// Where whole vectors lie on the stack.
    vectors: u32,
    listing: Vec<(u32, u32)>,
    marks: Vec<(u32, u32)>,
    /// The first of the slots for profiles, if code is profiled.
    profile: Option<u32>,
    /// The next instruction's number.
    number: u32,
}

/// Compiles a function, if it can be. Code that is profiled takes one more pointer, to counters.
pub fn emit(f: &Function, features: Features, profiled: bool) -> Option<Emitted> {
    if f.params.len() + profiled as usize > allocate::ARGUMENTS.len() {
        return None;
    }
    let places = allocate::allocate(f, features);
    let saved: Vec<Gpr> = (0..16).filter(|r| places.saved >> r & 1 == 1).map(Gpr).collect();
    let own_slots = places.slots + control::counters(&f.body);
    let words = own_slots + if profiled { profile::WORDS } else { 0 };
    let vectors = (8 * words).next_multiple_of(64);
    let vector_slots = places.plans.values().map(|p| p.slots).max().unwrap_or(0);
    let mut frame = match vector_slots {
        0 => 8 * words,
        n => vectors + 64 * n,
    };
    if frame > 0 || places.calls {
        // At entry, the stack is 8 bytes off a multiple of 16.
        frame = frame.next_multiple_of(16) + if saved.len().is_multiple_of(2) { 8 } else { 0 };
    }
    if frame > FRAME_LIMIT {
        return None;
    }
    let form = if features >= Features::Avx2 { Form::Vex } else { Form::Sse };
    let mut e = Emit {
        f,
        a: Assembler::default(),
        places,
        features,
        form,
        pending: None,
        fail: None,
        moves: moves::Scratch::default(),
        counters: 0,
        vectors,
        listing: Vec::new(),
        marks: Vec::new(),
        profile: profiled.then_some(own_slots),
        number: 0,
    };
    e.a.code.reserve(16 * f.kinds.len());
    saved.iter().for_each(|&r| e.a.push(r));
    let mut touched = PAGE;
    while touched < frame {
        e.a.alu_to(crate::encode::gpr::Alu::Or, Width::W32, Mem::at(RSP, -(touched as i32)), RAX);
        touched += PAGE;
    }
    e.adjust(-(frame as i32));
    let arriving = f.params.iter().zip(allocate::ARGUMENTS).map(|(&p, r)| (e.places.loc(p), Loc::Gpr(r), Kind::Ptr));
    let arriving: Vec<_> = arriving.filter(|m| m.0 != Loc::None).collect();
    e.begin_profile();
    e.moves(&arriving);
    e.block(&f.body);
    let leave = |e: &mut Emit, done: u64| {
        e.profile(None);
        e.a.mov_imm(RAX, done);
        e.adjust(frame as i32);
        saved.iter().rev().for_each(|&r| e.a.pop(r));
        e.a.ret();
    };
    leave(&mut e, 1);
    if let Some(fail) = e.fail {
        e.a.bind(fail);
        leave(&mut e, 0);
    }
    let (bytes, length) = e.a.finish();
    Some(Emitted { bytes, length, listing: e.listing, marks: e.marks })
}

/// How wide computations of a kind in general registers are.
fn width(kind: Kind) -> Width {
    if kind.bytes() == 8 { Width::W64 } else { Width::W32 }
}

impl Emit<'_> {
    fn adjust(&mut self, by: i32) {
        if by != 0 {
            self.a.alu_imm(crate::encode::gpr::Alu::Add, Width::W64, RSP, by);
        }
    }

    fn block(&mut self, block: &Block) {
        let mut marks = block.marks.iter().peekable();
        for (i, inst) in block.insts.iter().enumerate() {
            while let Some((_, mark)) = marks.next_if(|m| m.0 as usize <= i) {
                self.come_by(*mark);
            }
            let number = self.number;
            self.number += 1;
            self.mark(number);
            self.inst(inst, number);
        }
    }

    /// Code from here on comes from instructions with this mark.
    fn come_by(&mut self, mark: u32) {
        let here = self.a.here() as u32;
        self.marks.pop_if(|last| last.0 == here);
        self.marks.push((here, mark));
        self.profile(Some(mark));
    }

    /// Code from here on comes from this instruction.
    fn mark(&mut self, number: u32) {
        let here = self.a.here() as u32;
        match self.listing.last_mut() {
            Some(last) if last.0 == here => last.1 = number,
            _ => self.listing.push((here, number)),
        }
    }

    fn inst(&mut self, inst: &Inst, number: u32) {
        // What nothing uses has no place.
        if let Some(y) = inst.result()
            && self.loc(y) == Loc::None
            && !self.places.fused[y.index()]
        {
            return;
        }
        match inst {
            Inst::Const { .. } => {}
            Inst::Unary { y, op, x } if self.is_float(*x) => self.unary_float(*op, *y, *x),
            Inst::Unary { y, op, x } => self.unary_integer(*op, *y, *x),
            Inst::Binary { y, op, x } if self.is_float(*y) => self.binary_float(*op, *y, *x),
            Inst::Binary { y, op, x } => self.binary_integer(*op, *y, *x),
            Inst::MulAdd { y, x, negate } => self.mul_add(*y, *x, *negate),
            Inst::Compare { y, op, x } => {
                if self.places.fused[y.index()] {
                    self.pending = Some((*op, *x));
                } else {
                    let flags = self.compare(*op, *x);
                    self.set(*y, flags);
                }
            }
            Inst::Select { y, condition, x } => self.select(*y, *condition, *x),
            Inst::Convert { y, x } => self.convert(*y, *x),
            Inst::Bitcast { y, x } => self.bitcast(*y, *x),
            Inst::Load { y, at } => self.load(*y, at),
            Inst::Store { x, at } => self.store(*x, at),
            // One element at a time, the machine's own guesses are enough.
            Inst::Prefetch { .. } => {}
            Inst::Pointer { y, at } => self.pointer(*y, at),
            Inst::Copy { x, bytes } => self.copy(*x, *bytes),
            Inst::Call { callee, x } => self.call(callee, x),
            Inst::CallWhere { y, callee, condition, x, otherwise } => {
                self.call_where(*y, callee, *condition, x, *otherwise);
            }
            Inst::For { index, from, step, count, carried, start, body, .. } => {
                let l = control::Loop { index: *index, from: *from, step: *step, count: *count, carried, start };
                self.for_loop(&l, body, number);
            }
            Inst::Lanes { index, count, body } => {
                if let Some(plan) = self.places.plans.remove(&(body as *const Block)) {
                    return self.vector_loop(&plan, *count, body, number);
                }
                let l = control::Loop { index: *index, from: 0, step: 1, count: *count, carried: &[], start: &[] };
                self.for_loop(&l, body, number);
            }
            Inst::While { carried, start, condition, body, .. } => {
                self.while_loop(carried, start, condition, body, number)
            }
            Inst::If { condition, then, otherwise, y } => self.branch(*condition, then, otherwise, y, number),
        }
    }

    fn kind(&self, v: Value) -> Kind {
        self.f.kind(v)
    }

    fn is_float(&self, v: Value) -> bool {
        in_simd(self.kind(v))
    }

    fn loc(&self, v: Value) -> Loc {
        self.places.loc(v)
    }

    /// A slot in memory.
    fn slot(&self, i: u32) -> Mem {
        Mem::at(RSP, 8 * i as i32)
    }

    /// A constant as registers hold it.
    fn constant_bits(kind: Kind, bits: u64) -> u64 {
        match kind {
            Kind::I8 => bits as i8 as i32 as u32 as u64,
            Kind::I16 => bits as i16 as i32 as u32 as u64,
            Kind::Bool | Kind::U8 => bits as u8 as u64,
            Kind::U16 | Kind::F16 | Kind::BF16 => bits as u16 as u64,
            Kind::I32 | Kind::U32 | Kind::F32 => bits as u32 as u64,
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::Ptr => bits,
        }
    }

    /// A value that is a constant, as an immediate operand.
    fn imm(&self, v: Value) -> Option<i32> {
        let Loc::Const(bits) = self.loc(v) else { return None };
        let kind = self.kind(v);
        let bits = Self::constant_bits(kind, bits);
        if kind.bytes() == 8 { i32::try_from(bits as i64).ok() } else { Some(bits as i32) }
    }

    /// Copies a value to a general register; flags stay.
    fn read_gpr(&mut self, d: Gpr, v: Value) {
        match self.loc(v) {
            Loc::Gpr(r) if r == d => {}
            Loc::Gpr(r) => self.a.mov(Width::W64, d, r),
            Loc::Simd(x) => self.a.bits_to_gpr(self.form, (self.kind(v).bytes() == 8) as u8, d, x),
            Loc::Slot(i) => self.a.mov(width(self.kind(v)), d, self.slot(i)),
            Loc::Const(bits) => self.a.mov_imm(d, Self::constant_bits(self.kind(v), bits)),
            Loc::None => {}
        }
    }

    /// A value in a general register: its own, or the scratch one.
    fn gpr(&mut self, v: Value, scratch: Gpr) -> Gpr {
        match self.loc(v) {
            Loc::Gpr(r) => r,
            _ => {
                self.read_gpr(scratch, v);
                scratch
            }
        }
    }

    /// A value in a general register or memory; a constant goes to the scratch register.
    fn gpr_rm(&mut self, v: Value, scratch: Gpr) -> Rm<Gpr> {
        match self.loc(v) {
            Loc::Slot(i) => Rm::Mem(self.slot(i)),
            _ => Rm::Reg(self.gpr(v, scratch)),
        }
    }

    /// The register a result is computed in.
    fn def(&self, y: Value) -> Gpr {
        match self.loc(y) {
            Loc::Gpr(r) => r,
            _ => RAX,
        }
    }

    /// A result that is in some register goes where it lives.
    fn done(&mut self, y: Value, r: Gpr) {
        match self.loc(y) {
            Loc::Gpr(home) if home != r => self.a.mov(Width::W64, home, r),
            Loc::Slot(i) => {
                let to = self.slot(i);
                self.a.store(8, to, r);
            }
            Loc::Simd(x) => {
                let w = (self.kind(y).bytes() == 8) as u8;
                self.a.gpr_to_simd(self.form, &ops::MOVD, w, x, None, r);
            }
            _ => {}
        }
    }

    /// Extends the low bits of a register as registers hold the kind.
    fn normalize(&mut self, kind: Kind, d: Gpr, s: Gpr) {
        let how = match kind {
            Kind::I8 => Extend::S8,
            Kind::I16 => Extend::S16,
            Kind::U8 => Extend::Z8,
            Kind::U16 | Kind::F16 | Kind::BF16 => Extend::Z16,
            _ if d == s => return,
            _ => return self.a.mov(width(kind), d, s),
        };
        self.a.extend(how, Width::W32, d, s);
    }

    /// One of two instructions, by the kind of float.
    fn pick(kind: Kind, single: &'static Op, double: &'static Op) -> &'static Op {
        if kind == Kind::F32 { single } else { double }
    }

    /// A value in a vector register or memory.
    fn simd_rm(&mut self, v: Value) -> Rm<Simd> {
        match self.loc(v) {
            Loc::Simd(r) => Rm::Reg(r),
            Loc::Slot(i) => Rm::Mem(self.slot(i)),
            Loc::Const(bits) => {
                let n = self.kind(v).bytes() as u8;
                Rm::Mem(self.a.constant(bits, n, n))
            }
            _ => Rm::Reg(X0),
        }
    }

    /// Copies a value to a vector register.
    fn read_simd(&mut self, d: Simd, v: Value) {
        match self.loc(v) {
            Loc::Const(0) => self.zero(d),
            Loc::Gpr(r) => {
                let w = (self.kind(v).bytes() == 8) as u8;
                self.a.gpr_to_simd(self.form, &ops::MOVD, w, d, None, r);
            }
            _ => match self.simd_rm(v) {
                Rm::Reg(r) if r == d => {}
                Rm::Reg(r) => self.a.two(self.form, &ops::MOVAPS, Length::L128, d, r, None),
                Rm::Mem(m) => {
                    let op = Self::pick(self.kind(v), &ops::MOVSS, &ops::MOVSD);
                    self.a.two(self.form, op, Length::L128, d, m, None);
                }
            },
        }
    }

    /// All bits of a vector register zero.
    fn zero(&mut self, d: Simd) {
        self.a.three(self.form, &ops::XORPS, Length::L128, d, d, d, None);
    }

    /// A value in a vector register: its own, or the scratch one.
    fn simd(&mut self, v: Value, scratch: Simd) -> Simd {
        match self.loc(v) {
            Loc::Simd(r) => r,
            _ => {
                self.read_simd(scratch, v);
                scratch
            }
        }
    }

    /// The vector register a result is computed in.
    fn def_simd(&self, y: Value) -> Simd {
        match self.loc(y) {
            Loc::Simd(r) => r,
            _ => X0,
        }
    }

    /// A result that is in some vector register goes where it lives.
    fn done_simd(&mut self, y: Value, r: Simd) {
        match self.loc(y) {
            Loc::Simd(home) if home != r => self.a.two(self.form, &ops::MOVAPS, Length::L128, home, r, None),
            // All 8 bytes, so that moves between slots read what one instruction wrote.
            Loc::Slot(i) => {
                let to = self.slot(i);
                self.a.two(self.form, &ops::MOVSD_TO, Length::L128, r, to, None);
            }
            _ => {}
        }
    }
}
