//! Operations, comparisons and choices, in all lanes.

use super::{K1, Vector, Z0, Z1, Z2, Z3};
use crate::encode::ops::{self, compare, round};
use crate::encode::simd::{Form, Length, Mask, Op};
use crate::encode::{Rm, Simd};
use crate::faults::{Fault, is_planted};
use wengert_kernel::{Binary, Compare, Kind, Unary, Value};

/// A shift by a number, by its field in the encoding.
#[derive(Clone, Copy)]
pub enum Shift {
    Logical = 2,
    Arithmetic = 4,
    Left = 6,
}

impl Vector<'_, '_> {
    /// `y = x` shifted, of 32-bit lanes.
    pub(super) fn shift_by(&mut self, how: Shift, l: Length, y: Simd, x: Simd, by: u8) {
        let op = &ops::PSHIFTD;
        if !self.plan.masks {
            return self.e.a.vex(op, 0, l, how as u8, y.0, Rm::Reg(x).into(), Some(by));
        }
        self.e.a.evex(op, 0, l, how as u8, y.0, Rm::Reg(x).into(), Mask::ALL, false, Some(by));
    }

    /// Extends the low bits of lanes as the kind is kept.
    pub(super) fn normalize(&mut self, kind: Kind, y: Simd, x: Simd) {
        let l = self.length(kind);
        let by = 32u8.saturating_sub(8 * kind.bytes() as u8);
        match kind {
            Kind::I8 | Kind::I16 => {
                self.shift_by(Shift::Left, l, y, x, by);
                let lost = kind == Kind::I8 && is_planted(Fault::NarrowSigned);
                self.shift_by(if lost { Shift::Logical } else { Shift::Arithmetic }, l, y, y, by);
            }
            Kind::U8 | Kind::U16 | Kind::F16 | Kind::BF16 => {
                let mask = self.constant(u32::MAX as u64 >> by, kind);
                self.three(&ops::ANDPS, l, y, x, mask);
            }
            _ if y != x => self.two(&ops::MOVAPS, l, y, x),
            _ => {}
        }
    }

    pub(super) fn sign(&mut self, kind: Kind, sign: bool) -> Rm<Simd> {
        let bit = if kind == Kind::F32 { 1 << 31 } else { 1 << 63 };
        let all = if kind == Kind::F32 { u32::MAX as u64 } else { u64::MAX };
        self.constant(if sign { bit } else { all ^ bit }, kind)
    }

    pub(super) fn unary(&mut self, op: Unary, y: Value, x: Value) {
        let kind = self.kind(y);
        if kind == Kind::Bool {
            let (k, from) = (self.mask(y), self.mask(x));
            return self.k_not(k, from);
        }
        let l = self.length(kind);
        let d = self.def(y);
        if !kind.is_float() {
            match op {
                Unary::Neg => {
                    let x = self.rm(x);
                    self.three(&ops::XORPS, l, Z1, Z1, Z1);
                    self.three(Self::by_width(kind, &ops::PSUBD, &ops::PSUBQ), l, d, Z1, x);
                }
                Unary::Abs => {
                    let x = self.rm(x);
                    self.two(Self::by_width(kind, &ops::PABSD, &ops::PABSQ), l, d, x);
                }
                _ => {
                    let x = self.reg(x, Z1);
                    let all = self.constant(u64::MAX, kind);
                    self.three(&ops::XORPS, l, d, x, all);
                }
            }
            self.normalize(kind, d, d);
            return self.done(y, d);
        }
        let mode = match op {
            Unary::Neg | Unary::Abs | Unary::Not => {
                let x = self.reg(x, Z1);
                let flips = op == Unary::Neg || kind == Kind::F64 && is_planted(Fault::AbsOfDoubles);
                let mask = self.sign(kind, flips);
                self.three(if flips { &ops::XORPS } else { &ops::ANDPS }, l, d, x, mask);
                return self.done(y, d);
            }
            Unary::Sqrt => {
                let x = self.rm(x);
                self.two(Self::by_width(kind, &ops::SQRTPS, &ops::SQRTPD), l, d, x);
                return self.done(y, d);
            }
            Unary::Floor => round::FLOOR,
            Unary::Ceil => round::CEIL,
            Unary::Trunc => round::TRUNC,
            Unary::RoundEven => round::EVEN,
        };
        let x = self.rm(x);
        let op = Self::by_width(kind, &ops::ROUNDPS, &ops::ROUNDPD);
        self.e.a.two(Form::Vex, op, l, d, x, Some(mode));
        self.done(y, d);
    }

    pub(super) fn binary(&mut self, op: Binary, y: Value, [a, b]: [Value; 2]) {
        let kind = self.kind(y);
        if kind == Kind::Bool {
            let op = match op {
                Binary::And => &ops::KANDW,
                Binary::Or => &ops::KORW,
                _ => &ops::KXORW,
            };
            let (y, a, b) = (self.mask(y), self.mask(a), self.mask(b));
            return self.k(op, y, a, b);
        }
        if op == Binary::Div
            && let Some(reciprocal) = self.plan.reciprocal(b)
        {
            return self.quotient(y, a, b, reciprocal);
        }
        let l = self.length(kind);
        let float = kind.is_float();
        let pick = |f: [&'static Op; 2], i: [&'static Op; 2]| {
            let [narrow, wide] = if float { f } else { i };
            Self::by_width(kind, narrow, wide)
        };
        let signed = kind.is_signed();
        let code = match op {
            Binary::Add => pick([&ops::ADDPS, &ops::ADDPD], [&ops::PADDD, &ops::PADDQ]),
            Binary::Sub => pick([&ops::SUBPS, &ops::SUBPD], [&ops::PSUBD, &ops::PSUBQ]),
            Binary::Mul => pick([&ops::MULPS, &ops::MULPD], [&ops::PMULLD, &ops::PMULLQ]),
            Binary::Max | Binary::Min if float => return self.extreme(op, y, a, b),
            Binary::Max if signed => Self::by_width(kind, &ops::PMAXSD, &ops::PMAXSQ),
            Binary::Max => Self::by_width(kind, &ops::PMAXUD, &ops::PMAXUQ),
            Binary::Min if signed => Self::by_width(kind, &ops::PMINSD, &ops::PMINSQ),
            Binary::Min => Self::by_width(kind, &ops::PMINUD, &ops::PMINUQ),
            Binary::And => &ops::ANDPS,
            Binary::Or => &ops::ORPS,
            Binary::Xor => &ops::XORPS,
            Binary::Shl => Self::by_width(kind, &ops::PSLLVD, &ops::PSLLVQ),
            Binary::ShrLogical => Self::by_width(kind, &ops::PSRLVD, &ops::PSRLVQ),
            Binary::ShrArithmetic => Self::by_width(kind, &ops::PSRAVD, &ops::PSRAVQ),
            Binary::Div | Binary::Rem => Self::by_width(kind, &ops::DIVPS, &ops::DIVPD),
            Binary::MinOrSecond => Self::by_width(kind, &ops::MINPS, &ops::MINPD),
            Binary::MaxOrSecond => Self::by_width(kind, &ops::MAXPS, &ops::MAXPD),
            Binary::Scale => Self::by_width(kind, &ops::SCALEFPS, &ops::SCALEFPD),
            Binary::CopySign => {
                let (a, b) = (self.reg(a, Z1), self.rm(b));
                let mask = self.sign(kind, true);
                self.two(&ops::MOVUPS, l, Z0, mask);
                // Where the mask is set b, else a.
                self.e.a.three(Form::Vex, &ops::PTERNLOGD, l, Z0, a, b, Some(0xac));
                return self.done(y, Z0);
            }
        };
        let mut left = self.reg(a, Z1);
        // What is shifted in from above.
        let extended = match (op, kind) {
            (Binary::ShrLogical, Kind::I8) => Some(Kind::U8),
            (Binary::ShrLogical, Kind::I16) => Some(Kind::U16),
            (Binary::ShrArithmetic, Kind::U8) => Some(Kind::I8),
            (Binary::ShrArithmetic, Kind::U16) => Some(Kind::I16),
            _ => None,
        };
        if let Some(kind) = extended {
            self.normalize(kind, Z1, left);
            left = Z1;
        }
        let right = self.rm(b);
        let d = self.def(y);
        self.three(code, l, d, left, right);
        if !float {
            self.normalize(kind, d, d);
        }
        self.done(y, d);
    }

    /// The larger or smaller of floats; all bits are set where one is NaN, of which the instruction gives the other.
    fn extreme(&mut self, op: Binary, y: Value, a: Value, b: Value) {
        let kind = self.kind(y);
        let l = self.length(kind);
        let (a, b) = (self.reg(a, Z2), self.reg(b, Z3));
        let d = self.def(y);
        self.compare_lanes(Self::by_width(kind, &ops::CMPPS, &ops::CMPPD), l, K1, a, b, Some(compare::UNORDERED));
        let (range, which) =
            (Self::by_width(kind, &ops::RANGEPS, &ops::RANGEPD), if op == Binary::Max { 5 } else { 4 });
        self.e.a.evex(range, range.evex_w, l, d.0, a.0, Rm::Reg(b).into(), Mask::ALL, false, Some(which));
        let all = Self::by_width(kind, &ops::PTERNLOGD, &ops::PTERNLOGQ);
        self.e.a.evex(all, all.evex_w, l, d.0, d.0, Rm::Reg(d).into(), Mask::keep(K1), false, Some(0xff));
        self.done(y, d);
    }

    pub(super) fn mul_add(&mut self, y: Value, [a, b, c]: [Value; 3], negate: [bool; 2]) {
        let kind = self.kind(y);
        let all = if kind == Kind::F32 { ops::MUL_ADD_PS } else { ops::MUL_ADD_PD };
        let [product, last] = negate.map(usize::from);
        let (over_factor, over_last) = (all.over_factor[product][last], all.over_last[product][last]);
        let l = self.length(kind);
        let d = self.def(y);
        let (of_a, of_b) = (self.rm(a), self.rm(b));
        if of_a == Rm::Reg(d) || of_b == Rm::Reg(d) {
            // d = other · d + c
            let other = if of_a == Rm::Reg(d) { b } else { a };
            let (other, c) = (self.reg(other, Z1), self.rm(c));
            self.three(over_factor, l, d, other, c);
        } else {
            let (left, right) = (self.reg(a, Z1), of_b);
            match self.rm(c) {
                Rm::Reg(r) if r == d => {}
                Rm::Reg(r) => self.two(&ops::MOVAPS, l, d, r),
                m => self.two(&ops::MOVUPS, l, d, m),
            }
            self.three(over_last, l, d, left, right);
        }
        self.done(y, d);
    }

    pub(super) fn compare(&mut self, op: Compare, y: Value, [a, b]: [Value; 2]) {
        let kind = self.kind(a);
        let k = self.mask(y);
        if kind == Kind::Bool {
            let (a, b) = (self.mask(a), self.mask(b));
            return match op {
                Compare::Eq => self.k(&ops::KXNORW, k, a, b),
                Compare::Ne => self.k(&ops::KXORW, k, a, b),
                // The instruction turns its first operand.
                Compare::Lt => self.k(&ops::KANDNW, k, a, b),
                Compare::Gt => self.k(&ops::KANDNW, k, b, a),
                Compare::Le => {
                    self.k(&ops::KANDNW, k, b, a);
                    self.k_not(k, k);
                }
                Compare::Ge => {
                    self.k(&ops::KANDNW, k, a, b);
                    self.k_not(k, k);
                }
            };
        }
        let l = self.length(kind);
        let (left, right) = (self.reg(a, Z1), self.rm(b));
        if kind.is_float() {
            let code = match op {
                Compare::Eq => compare::EQ,
                Compare::Ne => compare::NE,
                Compare::Lt => compare::LT,
                Compare::Le => compare::LE,
                Compare::Gt => compare::GT,
                Compare::Ge => compare::GE,
            };
            return self.compare_lanes(Self::by_width(kind, &ops::CMPPS, &ops::CMPPD), l, k, left, right, Some(code));
        }
        let code = match op {
            Compare::Eq => 0,
            Compare::Lt => 1,
            Compare::Le => 2,
            Compare::Ne => 4,
            Compare::Ge => 5,
            Compare::Gt => 6,
        };
        let op = if kind.is_signed() || is_planted(Fault::UnsignedCompare) {
            Self::by_width(kind, &ops::PCMPD, &ops::PCMPQ)
        } else {
            Self::by_width(kind, &ops::PCMPUD, &ops::PCMPUQ)
        };
        self.compare_lanes(op, l, k, left, right, Some(code));
    }

    pub(super) fn select(&mut self, y: Value, condition: Value, [a, b]: [Value; 2]) {
        let kind = self.kind(y);
        let c = self.mask(condition);
        if kind == Kind::Bool {
            let (y, a, b) = (self.mask(y), self.mask(a), self.mask(b));
            self.k(&ops::KANDW, K1, c, a);
            if is_planted(Fault::SelectOfBools) {
                return self.k(&ops::KANDW, y, c, a);
            }
            self.k(&ops::KANDNW, y, c, b);
            return self.k(&ops::KORW, y, y, K1);
        }
        let l = self.length(kind);
        let (b, a) = (self.reg(b, Z1), self.rm(a));
        let d = self.def(y);
        self.masked(Self::by_width(kind, &ops::BLENDMPS, &ops::BLENDMPD), l, d, b, a, Mask::keep(c));
        self.done(y, d);
    }
}
