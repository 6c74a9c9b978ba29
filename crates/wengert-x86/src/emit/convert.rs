//! From kind to kind.

use super::{Emit, X0, X1};
use crate::allocate::Loc;
use crate::encode::gpr::{Alu, Cond, Extend, Shift, Width};
use crate::encode::simd::{Form, Length};
use crate::encode::{Gpr, RAX, RCX, RDX, Simd, ops};
use wengert_kernel::{Kind, Value};

impl Emit<'_> {
    pub(super) fn convert(&mut self, y: Value, x: Value) {
        let (to, from) = (self.kind(y), self.kind(x));
        match (from.is_float(), to.is_float()) {
            _ if from == to => self.bitcast(y, x),
            _ if from.is_half() => self.half_to_float(y, x),
            _ if to.is_half() => self.float_to_half(y, x),
            (true, true) => {
                let s = self.simd(x, X0);
                let d = self.def_simd(y);
                let op = Self::pick(from, &ops::CVTSS2SD, &ops::CVTSD2SS);
                match self.form {
                    Form::Sse => self.a.two(self.form, op, Length::L128, d, s, None),
                    _ => self.a.three(self.form, op, Length::L128, d, s, s, None),
                }
                self.done_simd(y, d);
            }
            (false, true) => self.integer_to_float(y, x),
            (true, false) if to == Kind::Bool => {
                // Equal or not, and NaN is not.
                self.zero(X1);
                let s = self.simd(x, X0);
                let op = Self::pick(from, &ops::UCOMISS, &ops::UCOMISD);
                self.a.two(self.form, op, Length::L128, s, X1, None);
                self.set(y, super::float::Flags::NotEqual);
            }
            (true, false) => {
                match to {
                    Kind::I64 => self.float_to_i64(x),
                    Kind::U64 => self.float_to_u64(x),
                    _ => self.float_to_narrow(to, x),
                }
                self.done(y, RAX);
            }
            (false, false) => self.integer_to_integer(y, x),
        }
    }

    fn integer_to_integer(&mut self, y: Value, x: Value) {
        let (to, from) = (self.kind(y), self.kind(x));
        let d = self.def(y);
        let s = self.gpr(x, RAX);
        if to == Kind::Bool {
            self.a.test(super::width(from), s, s);
            return self.set(y, super::float::Flags::If(Cond::Ne));
        }
        match (from.bytes(), to.bytes()) {
            (8, 8) => self.normalize(to, d, s),
            (_, 8) if from.is_signed() => self.a.extend(Extend::S32, Width::W64, d, s),
            (_, 8) => self.a.mov(Width::W32, d, s),
            _ => self.normalize(to, d, s),
        }
        self.done(y, d);
    }

    fn integer_to_float(&mut self, y: Value, x: Value) {
        let (to, from) = (self.kind(y), self.kind(x));
        let d = self.def_simd(y);
        let op = Self::pick(to, &ops::CVTSI2SS, &ops::CVTSI2SD);
        let convert = |e: &mut Self, w: u8, s: Gpr| {
            // The instruction keeps the upper part of the register: here it waits for nothing.
            e.zero(d);
            e.a.gpr_to_simd(e.form, op, w, d, Some(d), s);
        };
        match from {
            Kind::U64 => {
                self.read_gpr(RAX, x);
                self.a.test(Width::W64, RAX, RAX);
                let large = self.a.skip_if(Cond::S);
                convert(self, 1, RAX);
                let end = self.a.skip();
                self.a.land(large);
                // Half of it, with the lowest bit kept so that it rounds the same; then twice that.
                self.a.mov(Width::W32, RCX, RAX);
                self.a.alu_imm(Alu::And, Width::W32, RCX, 1);
                self.a.shift_imm(Shift::Shr, Width::W64, RAX, 1);
                self.a.alu(Alu::Or, Width::W64, RAX, RCX);
                convert(self, 1, RAX);
                let add = Self::pick(to, &ops::ADDSS, &ops::ADDSD);
                self.a.three(self.form, add, Length::L128, d, d, d, None);
                self.a.land(end);
            }
            Kind::U32 => {
                let s = self.gpr(x, RAX);
                self.a.mov(Width::W32, RAX, s);
                convert(self, 1, RAX);
            }
            _ => {
                let s = self.gpr(x, RAX);
                convert(self, (from.bytes() == 8) as u8, s);
            }
        }
        self.done_simd(y, d);
    }

    /// To at most 32 bits: as an `f64` cut to what the kind holds, which an `f64` has all of.
    fn float_to_narrow(&mut self, to: Kind, x: Value) {
        let (least, most) = match to {
            Kind::I8 => (i8::MIN as f64, i8::MAX as f64),
            Kind::I16 => (i16::MIN as f64, i16::MAX as f64),
            Kind::I32 => (i32::MIN as f64, i32::MAX as f64),
            Kind::U8 => (0.0, u8::MAX as f64),
            Kind::U16 => (0.0, u16::MAX as f64),
            _ => (0.0, u32::MAX as f64),
        };
        let (form, l) = (self.form, Length::L128);
        if self.kind(x) == Kind::F32 {
            let s = self.simd(x, X0);
            match form {
                Form::Sse => self.a.two(form, &ops::CVTSS2SD, l, X0, s, None),
                _ => self.a.three(form, &ops::CVTSS2SD, l, X0, s, s, None),
            }
        } else {
            self.read_simd(X0, x);
        }
        self.a.mov_imm(RCX, 0);
        self.a.two(form, &ops::UCOMISD, l, X0, X0, None);
        // NaN becomes the lower end here; the flags are kept for it.
        let low = self.a.constant(least.to_bits(), 8, 8);
        self.a.three(form, &ops::MAXSD, l, X0, X0, low, None);
        let high = self.a.constant(most.to_bits(), 8, 8);
        self.a.three(form, &ops::MINSD, l, X0, X0, high, None);
        self.a.simd_to_gpr(form, &ops::CVTTSD2SI, 1, RAX, X0);
        self.a.cmov(Cond::P, Width::W32, RAX, RCX);
    }

    fn float_to_i64(&mut self, x: Value) {
        let kind = self.kind(x);
        let s = self.simd(x, X0);
        let compare = Self::pick(kind, &ops::UCOMISS, &ops::UCOMISD);
        self.cut(kind, RAX, s);
        self.a.mov_imm(RCX, i64::MAX as u64);
        self.a.mov_imm(RDX, 0);
        let n = kind.bytes() as u8;
        // What does not fit becomes the smallest number.
        let above = self.a.constant(float_bits(kind, 63), n, n);
        self.a.two(self.form, compare, Length::L128, s, above, None);
        self.a.cmov(Cond::Ae, Width::W64, RAX, RCX);
        self.a.two(self.form, compare, Length::L128, s, s, None);
        self.a.cmov(Cond::P, Width::W64, RAX, RDX);
    }

    fn float_to_u64(&mut self, x: Value) {
        let kind = self.kind(x);
        let (form, l, n) = (self.form, Length::L128, kind.bytes() as u8);
        // NaN and what is below zero become zero.
        self.read_simd(X0, x);
        self.zero(X1);
        self.a.three(form, Self::pick(kind, &ops::MAXSS, &ops::MAXSD), l, X0, X0, X1, None);
        self.cut(kind, RAX, X0);
        let high = self.a.constant(float_bits(kind, 64), n, n);
        self.a.two(form, Self::pick(kind, &ops::UCOMISS, &ops::UCOMISD), l, X0, high, None);
        self.a.set(Cond::B, RDX);
        // From 2^63 on the instruction gives the highest bit alone; the others are those of the rest.
        let half = self.a.constant(float_bits(kind, 63), n, n);
        self.a.three(form, Self::pick(kind, &ops::SUBSS, &ops::SUBSD), l, X0, X0, half, None);
        self.cut(kind, RCX, X0);
        self.a.extend(Extend::Z8, Width::W32, RDX, RDX);
        // All bits where it does not fit.
        self.a.alu_imm(Alu::Sub, Width::W64, RDX, 1);
        self.a.alu(Alu::Or, Width::W64, RCX, RDX);
        self.a.mov(Width::W64, RDX, RAX);
        self.a.shift_imm(Shift::Sar, Width::W64, RDX, 63);
        self.a.alu(Alu::And, Width::W64, RCX, RDX);
        self.a.alu(Alu::Or, Width::W64, RAX, RCX);
    }

    /// Towards zero, to 64 bits.
    fn cut(&mut self, kind: Kind, d: Gpr, s: Simd) {
        let op = Self::pick(kind, &ops::CVTTSS2SI, &ops::CVTTSD2SI);
        self.a.simd_to_gpr(self.form, op, 1, d, s);
    }

    pub(super) fn bitcast(&mut self, y: Value, x: Value) {
        let kind = self.kind(y);
        match (self.is_float(x), self.is_float(y)) {
            (true, true) => {
                let s = self.simd(x, X0);
                self.done_simd(y, s);
            }
            // From slot to slot, or to the other class: the bits as they are.
            (false, true) => {
                if let Loc::Simd(d) = self.loc(y) {
                    self.bits_to_simd(d, x);
                } else {
                    self.read_gpr(RAX, x);
                    self.done(y, RAX);
                }
            }
            (true, false) => {
                let d = self.def(y);
                self.read_gpr(d, x);
                self.done(y, d);
            }
            (false, false) => {
                let d = self.def(y);
                let s = self.gpr(x, RAX);
                self.normalize(kind, d, s);
                self.done(y, d);
            }
        }
    }

    /// The bits of an integer, wherever it is.
    fn bits_to_simd(&mut self, d: Simd, x: Value) {
        let double = self.kind(x).bytes() == 8;
        match self.loc(x) {
            Loc::Slot(i) => {
                let from = self.slot(i);
                self.a.two(self.form, if double { &ops::MOVSD } else { &ops::MOVSS }, Length::L128, d, from, None);
            }
            _ => {
                let s = self.gpr(x, RAX);
                self.a.gpr_to_simd(self.form, &ops::MOVD, double as u8, d, None, s);
            }
        }
    }
}

/// The bits of a power of two.
fn float_bits(kind: Kind, exponent: i32) -> u64 {
    if kind == Kind::F32 { 2f32.powi(exponent).to_bits() as u64 } else { 2f64.powi(exponent).to_bits() }
}
