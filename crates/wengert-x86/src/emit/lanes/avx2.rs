//! What is done otherwise without mask registers and the other instructions of AVX-512.

use super::plan::Pattern;
use super::{Vector, Z0, Z1, Z2, Z3};
use crate::emit::float::scale_constants;
use crate::encode::Simd;
use crate::encode::ops::{self, compare};
use crate::encode::simd::{Form, Length, Op};
use wengert_kernel::{Binary, Compare, Function, Inst, Kind, Unary, Value};

/// Whether AVX2 has vectors for an instruction.
pub fn has(f: &Function, inst: &Inst) -> bool {
    let wide_integer = |v: Value| !f.kind(v).is_float() && f.kind(v).bytes() == 8;
    match inst {
        Inst::Unary { y, op: Unary::Abs, .. } => !wide_integer(*y),
        Inst::Binary { y, op: Binary::Mul | Binary::Max | Binary::Min | Binary::ShrArithmetic, .. } => {
            !wide_integer(*y)
        }
        Inst::Convert { y, x } => match (f.kind(*x), f.kind(*y)) {
            (from, to) if from == to || from.is_half() || to.is_half() => true,
            (Kind::Bool, _) | (_, Kind::Bool) => true,
            (Kind::F32 | Kind::F64, to) => to.bytes() < 8 && to != Kind::U32 || to.is_float(),
            (from, to) if to.is_float() => from.bytes() < 8 && from != Kind::U32,
            _ => true,
        },
        _ => true,
    }
}

impl Vector<'_, '_> {
    /// Does an instruction, unless it is done as with AVX-512.
    pub(super) fn inst_avx2(&mut self, inst: &Inst) -> bool {
        let f = self.e.f;
        let boolean = |v: Value| f.kind(v) == Kind::Bool;
        match *inst {
            Inst::Unary { y, x, .. } if boolean(y) => {
                let x = self.reg(x, Z1);
                let d = self.def(y);
                self.not(d, x);
                self.done(y, d);
            }
            Inst::Binary { y, op, x: [a, b] } if boolean(y) => {
                let op = match op {
                    Binary::And => &ops::ANDPS,
                    Binary::Or => &ops::ORPS,
                    _ => &ops::XORPS,
                };
                let (a, b) = (self.reg(a, Z1), self.rm(b));
                let d = self.def(y);
                self.three(op, Length::L256, d, a, b);
                self.done(y, d);
            }
            Inst::Binary { y, op: op @ (Binary::Max | Binary::Min), x } if self.kind(y).is_float() => {
                self.extreme_avx2(op, y, x);
            }
            Inst::Binary { y, op: Binary::Scale, x } => self.scale_avx2(y, x),
            Inst::Binary { y, op: Binary::CopySign, x: [a, b] } => {
                let kind = self.kind(y);
                let l = self.length(kind);
                let (a, b) = (self.reg(a, Z1), self.reg(b, Z2));
                let mask = self.sign(kind, false);
                self.three(&ops::ANDPS, l, Z1, a, mask);
                let mask = self.sign(kind, true);
                self.three(&ops::ANDPS, l, Z2, b, mask);
                let d = self.def(y);
                self.three(&ops::ORPS, l, d, Z1, Z2);
                self.done(y, d);
            }
            Inst::Compare { y, op, x } => self.compare_avx2(op, y, x),
            Inst::Select { y, condition, x: [a, b] } => {
                let kind = self.kind(y);
                let mask = self.reg(condition, Z3);
                let mask = if boolean(y) { mask } else { self.narrow_mask(kind, mask) };
                let (a, b) = (self.rm(a), self.reg(b, Z1));
                let (d, l) = (self.def(y), self.length(kind));
                self.e.a.three(Form::Vex, &ops::BLENDVPS, l, d, b, a, Some(mask.0 << 4));
                self.done(y, d);
            }
            Inst::Convert { y, x } if self.kind(x).is_half() || self.kind(y).is_half() => self.convert(y, x),
            Inst::Convert { y, x } if boolean(y) && !boolean(x) => {
                let kind = self.kind(x);
                let l = self.length(kind);
                let x = self.reg(x, Z1);
                self.three(&ops::XORPS, l, Z0, Z0, Z0);
                if kind.is_float() {
                    let op = Self::by_width(kind, &ops::CMPPS, &ops::CMPPD);
                    self.e.a.three(Form::Vex, op, l, Z0, x, Z0, Some(compare::NE));
                    self.done_mask(y, kind, Z0, false);
                } else {
                    self.three(Self::by_width(kind, &ops::PCMPEQD, &ops::PCMPEQQ), l, Z0, x, Z0);
                    self.done_mask(y, kind, Z0, true);
                }
            }
            Inst::Convert { y, x } if boolean(x) && !boolean(y) => {
                let kind = self.kind(y);
                let one = match kind {
                    Kind::F32 => 1f32.to_bits() as u64,
                    Kind::F64 => 1f64.to_bits(),
                    _ => 1,
                };
                let mask = self.reg(x, Z1);
                let mask = self.narrow_mask(kind, mask);
                let (one, d, l) = (self.constant(one, kind), self.def(y), self.length(kind));
                self.three(&ops::ANDPS, l, d, mask, one);
                self.done(y, d);
            }
            Inst::Convert { y, x } | Inst::Bitcast { y, x } if boolean(x) && boolean(y) => {
                let x = self.reg(x, Z0);
                self.done(y, x);
            }
            Inst::Convert { y, x }
                if !self.kind(x).is_float() && Self::wide(self.kind(x)) && !Self::wide(self.kind(y)) =>
            {
                let kind = self.kind(y);
                let x = self.reg(x, Z1);
                self.low_halves(Z0, x);
                self.normalize(kind, Z0, Z0);
                self.done(y, Z0);
            }
            Inst::Convert { y, x } if self.kind(x).is_float() && !self.kind(y).is_float() => {
                self.float_to_integer_avx2(y, x)
            }
            Inst::Load { y, ref at } if boolean(y) && self.pattern(at, Kind::Bool) == Pattern::Contiguous => {
                let m = self.first(at);
                let (widen, subtract) =
                    if self.plan.wide { (&ops::PMOVZXBQ, &ops::PSUBQ) } else { (&ops::PMOVZXBD, &ops::PSUBD) };
                let l = Length::L256;
                self.two(widen, l, Z1, m);
                self.three(&ops::XORPS, l, Z0, Z0, Z0);
                let d = self.def(y);
                self.three(subtract, l, d, Z0, Z1);
                self.done(y, d);
            }
            Inst::Store { x, ref at } if self.kind(x).bytes() < 4 => {
                let m = self.first(at);
                self.store_narrow(x, m);
            }
            _ => return false,
        }
        true
    }

    fn not(&mut self, y: Simd, x: Simd) {
        let all = self.constant(u64::MAX, Kind::Bool);
        self.three(&ops::XORPS, Length::L256, y, x, all);
    }

    /// The lower halves of 64-bit lanes.
    fn low_halves(&mut self, y: Simd, x: Simd) {
        self.e.a.two(Form::Vex, &ops::EXTRACTF128_TO, Length::L256, x, Z2, Some(1));
        self.e.a.three(Form::Vex, &ops::SHUFPS, Length::L128, y, x, Z2, Some(0x88));
    }

    /// A mask as wide as the lanes of a kind.
    fn narrow_mask(&mut self, kind: Kind, mask: Simd) -> Simd {
        if !self.plan.wide || Self::wide(kind) {
            return mask;
        }
        self.low_halves(Z3, mask);
        Z3
    }

    /// A mask from lanes of a kind, or its opposite, goes to its place.
    fn done_mask(&mut self, y: Value, kind: Kind, mask: Simd, opposite: bool) {
        if self.plan.wide && !Self::wide(kind) {
            self.two(&ops::PMOVSXDQ, Length::L256, mask, mask);
        }
        if opposite {
            self.not(mask, mask);
        }
        self.done(y, mask);
    }

    fn compare_avx2(&mut self, op: Compare, y: Value, [a, b]: [Value; 2]) {
        let kind = self.kind(a);
        let l = self.length(kind);
        if kind == Kind::Bool {
            let (a, b) = (self.reg(a, Z1), self.reg(b, Z2));
            let (code, a, b) = match op {
                Compare::Eq | Compare::Ne => (&ops::XORPS, a, b),
                // The instruction turns its first operand.
                Compare::Lt | Compare::Ge => (&ops::ANDNPS, a, b),
                Compare::Gt | Compare::Le => (&ops::ANDNPS, b, a),
            };
            self.three(code, l, Z0, a, b);
            if matches!(op, Compare::Eq | Compare::Le | Compare::Ge) {
                self.not(Z0, Z0);
            }
            return self.done(y, Z0);
        }
        if kind.is_float() {
            let code = match op {
                Compare::Eq => compare::EQ,
                Compare::Ne => compare::NE,
                Compare::Lt => compare::LT,
                Compare::Le => compare::LE,
                Compare::Gt => compare::GT,
                Compare::Ge => compare::GE,
            };
            let (a, b) = (self.reg(a, Z1), self.rm(b));
            let compare = Self::by_width(kind, &ops::CMPPS, &ops::CMPPD);
            self.e.a.three(Form::Vex, compare, l, Z0, a, b, Some(code));
            return self.done_mask(y, kind, Z0, false);
        }
        let (mut left, mut right) = (self.reg(a, Z1), self.reg(b, Z2));
        if matches!(kind, Kind::U32 | Kind::U64) && !matches!(op, Compare::Eq | Compare::Ne) {
            // There is an order of numbers with sign only.
            let bit = self.constant(if kind == Kind::U32 { 1 << 31 } else { 1 << 63 }, kind);
            self.three(&ops::XORPS, l, Z1, left, bit);
            self.three(&ops::XORPS, l, Z2, right, bit);
            (left, right) = (Z1, Z2);
        }
        let (code, left, right): (&Op, Simd, Simd) = match op {
            Compare::Eq | Compare::Ne => (Self::by_width(kind, &ops::PCMPEQD, &ops::PCMPEQQ), left, right),
            Compare::Gt | Compare::Le => (Self::by_width(kind, &ops::PCMPGTD, &ops::PCMPGTQ), left, right),
            Compare::Lt | Compare::Ge => (Self::by_width(kind, &ops::PCMPGTD, &ops::PCMPGTQ), right, left),
        };
        self.three(code, l, Z0, left, right);
        self.done_mask(y, kind, Z0, matches!(op, Compare::Ne | Compare::Le | Compare::Ge));
    }

    /// `a · 2ᵇ`; how, the scalar form says.
    fn scale_avx2(&mut self, y: Value, [a, b]: [Value; 2]) {
        let kind = self.kind(y);
        let (l, wide) = (self.length(kind), kind == Kind::F64);
        let pick = |narrow: &'static Op, is_wide: &'static Op| Self::by_width(kind, narrow, is_wide);
        let [whole, one] = scale_constants(wide).map(|bits| self.constant(bits, kind));
        let [bit, place] = [1, if wide { 52 } else { 23 }].map(|by| self.constant(by, kind));
        let (a, b) = (self.reg(a, Z3), self.reg(b, Z1));
        self.three(pick(&ops::ADDPS, &ops::ADDPD), l, Z1, b, whole);
        self.three(pick(&ops::PSRLVD, &ops::PSRLVQ), l, Z2, Z1, bit);
        self.three(pick(&ops::PSUBD, &ops::PSUBQ), l, Z1, Z1, Z2);
        for part in [Z2, Z1] {
            self.three(pick(&ops::PSLLVD, &ops::PSLLVQ), l, part, part, place);
            self.three(pick(&ops::PADDD, &ops::PADDQ), l, part, part, one);
        }
        let d = self.def(y);
        self.three(pick(&ops::MULPS, &ops::MULPD), l, Z2, a, Z2);
        self.three(pick(&ops::MULPS, &ops::MULPD), l, d, Z2, Z1);
        self.done(y, d);
    }

    fn extreme_avx2(&mut self, op: Binary, y: Value, [a, b]: [Value; 2]) {
        let kind = self.kind(y);
        let l = self.length(kind);
        let (code, join) = match op {
            Binary::Max => (Self::by_width(kind, &ops::MAXPS, &ops::MAXPD), &ops::ANDPS),
            _ => (Self::by_width(kind, &ops::MINPS, &ops::MINPD), &ops::ORPS),
        };
        let (a, b) = (self.reg(a, Z2), self.reg(b, Z3));
        self.three(code, l, Z0, a, b);
        self.three(code, l, Z1, b, a);
        self.three(join, l, Z0, Z0, Z1);
        let compare = Self::by_width(kind, &ops::CMPPS, &ops::CMPPD);
        self.e.a.three(Form::Vex, compare, l, Z1, a, b, Some(compare::UNORDERED));
        let d = self.def(y);
        self.three(&ops::ORPS, l, d, Z0, Z1);
        self.done(y, d);
    }

    /// To at most 32 bits; what does not fit becomes the nearest, and NaN zero.
    fn float_to_integer_avx2(&mut self, y: Value, x: Value) {
        let (to, from) = (self.kind(y), self.kind(x));
        let l = self.length(from);
        let x = self.reg(x, Z1);
        let (least, most) = match to {
            Kind::I8 => (i8::MIN as f64, i8::MAX as f64),
            Kind::I16 => (i16::MIN as f64, i16::MAX as f64),
            Kind::U8 => (0.0, u8::MAX as f64),
            Kind::U16 => (0.0, u16::MAX as f64),
            _ => (i32::MIN as f64, i32::MAX as f64),
        };
        let wide = Self::wide(from);
        let bits = |v: f64| if wide { v.to_bits() } else { (v as f32).to_bits() as u64 };
        let (least, bound) = (self.constant(bits(least), from), self.constant(bits(most), from));
        let compare = Self::by_width(from, &ops::CMPPS, &ops::CMPPD);
        self.e.a.three(Form::Vex, compare, l, Z3, x, x, Some(compare::ORDERED));
        if from == Kind::F32 && to == Kind::I32 {
            // No `f32` is the largest number: from the next one on, the instruction gives the smallest.
            self.e.a.three(Form::Vex, compare, l, Z2, x, bound, Some(compare::GE));
            self.two(&ops::CVTTPS2DQ, l, Z0, x);
            let most = self.constant(i32::MAX as u64, to);
            self.e.a.three(Form::Vex, &ops::BLENDVPS, l, Z0, Z0, most, Some(Z2.0 << 4));
        } else {
            self.three(Self::by_width(from, &ops::MAXPS, &ops::MAXPD), l, Z0, x, least);
            self.three(Self::by_width(from, &ops::MINPS, &ops::MINPD), l, Z0, Z0, bound);
            self.two(Self::by_width(from, &ops::CVTTPS2DQ, &ops::CVTTPD2DQ), l, Z0, Z0);
        }
        let ordered = if wide { self.narrow_mask(to, Z3) } else { Z3 };
        let (d, l) = (self.def(y), self.length(to));
        self.three(&ops::ANDPS, l, d, Z0, ordered);
        self.done(y, d);
    }

    /// Writes numbers of 8 or 16 bits, or booleans, packed.
    fn store_narrow(&mut self, x: Value, m: crate::encode::Mem) {
        let kind = self.kind(x);
        let mut s = self.reg(x, Z0);
        let l = Length::L128;
        if kind == Kind::Bool {
            // Numbers 0 and 1.
            let one = self.constant(1, Kind::I32);
            s = self.narrow_mask(Kind::I32, s);
            let l = self.length(Kind::I32);
            self.three(&ops::ANDPS, l, Z0, s, one);
            s = Z0;
        }
        // Packing saturates, but all numbers fit.
        let words = if matches!(kind, Kind::U16 | Kind::F16 | Kind::BF16) { &ops::PACKUSDW } else { &ops::PACKSSDW };
        let bytes = if kind == Kind::I8 { &ops::PACKSSWB } else { &ops::PACKUSWB };
        let high = if self.plan.lanes == 8 {
            self.e.a.two(Form::Vex, &ops::EXTRACTF128_TO, Length::L256, s, Z1, Some(1));
            Z1
        } else {
            s
        };
        self.three(words, l, Z0, s, high);
        if kind.bytes() == 1 {
            self.three(bytes, l, Z0, Z0, Z0);
        }
        match self.plan.lanes * kind.bytes() {
            16 => self.two(&ops::MOVUPS_TO, l, Z0, m),
            8 => self.two(&ops::MOVSD_TO, l, Z0, m),
            _ => self.two(&ops::MOVSS_TO, l, Z0, m),
        }
    }
}
