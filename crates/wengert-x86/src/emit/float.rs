//! Floats, and comparisons and choices of any kind.

use super::{Emit, X0, X1, width};
use crate::Features;
use crate::allocate::Loc;
use crate::encode::gpr::{Alu, Cond, Extend, Shift, Width};
use crate::encode::ops::{self, compare, round};
use crate::encode::simd::{Form, Length, Mask, Op};
use crate::encode::{RAX, RCX, Rm, Simd};
use wengert_kernel::recipes::WHOLE;
use wengert_kernel::{Binary, Compare, Kind, Unary, Value};

/// The bits of the number that makes sums whole, and of one.
pub fn scale_constants(wide: bool) -> [u64; 2] {
    if wide { [WHOLE.1, 1.0].map(f64::to_bits) } else { [WHOLE.0 as f32, 1.0].map(|x| x.to_bits() as u64) }
}

/// What a comparison left in the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flags {
    /// It holds if this does.
    If(Cond),
    /// It holds if they are equal and not unordered.
    Equal,
    /// It holds if they are not equal or unordered.
    NotEqual,
}

impl Emit<'_> {
    /// `d = a op b`, without a third operand by moves. If `d` is `b` but not `a`, `a` is not X1.
    fn apply(&mut self, op: &Op, d: Simd, a: Simd, b: Rm<Simd>, imm: Option<u8>) {
        if self.form != Form::Sse {
            return self.a.three(self.form, op, Length::L128, d, a, b, imm);
        }
        let mut b = b;
        if b == Rm::Reg(d) && a != d {
            self.copy_simd(X1, d);
            b = Rm::Reg(X1);
        }
        self.copy_simd(d, a);
        self.a.three(self.form, op, Length::L128, d, d, b, imm);
    }

    fn copy_simd(&mut self, d: Simd, s: Simd) {
        if d != s {
            self.a.two(self.form, &ops::MOVAPS, Length::L128, d, s, None);
        }
    }

    /// `d = op x` of a scalar, without reading what `d` was.
    fn apply_one(&mut self, op: &Op, d: Simd, x: Simd, imm: Option<u8>) {
        match self.form {
            Form::Sse => self.a.two(self.form, op, Length::L128, d, x, imm),
            _ => self.a.three(self.form, op, Length::L128, d, x, x, imm),
        }
    }

    /// Bits of a float, repeated to 16 bytes in the pool.
    fn mask(&mut self, kind: Kind, sign: bool) -> Rm<Simd> {
        let bits = if kind == Kind::F32 { 0x8000_0000 } else { 1 << 63 };
        let all = if kind == Kind::F32 { u32::MAX as u64 } else { u64::MAX };
        Rm::Mem(self.a.constant(if sign { bits } else { all ^ bits }, kind.bytes() as u8, 16))
    }

    pub(super) fn unary_float(&mut self, op: Unary, y: Value, x: Value) {
        let kind = self.kind(y);
        let mode = match op {
            Unary::Neg | Unary::Abs | Unary::Not => {
                let s = self.simd(x, X0);
                let d = self.def_simd(y);
                let mask = self.mask(kind, op == Unary::Neg);
                let op = if op == Unary::Neg { &ops::XORPS } else { &ops::ANDPS };
                self.apply(op, d, s, mask, None);
                return self.done_simd(y, d);
            }
            Unary::Sqrt => {
                let s = self.simd(x, X0);
                let d = self.def_simd(y);
                self.apply_one(Self::pick(kind, &ops::SQRTSS, &ops::SQRTSD), d, s, None);
                return self.done_simd(y, d);
            }
            Unary::Floor => round::FLOOR,
            Unary::Ceil => round::CEIL,
            Unary::Trunc => round::TRUNC,
            Unary::RoundEven => round::EVEN,
        };
        if self.features >= Features::Sse41 {
            let s = self.simd(x, X0);
            let d = self.def_simd(y);
            self.apply_one(Self::pick(kind, &ops::ROUNDSS, &ops::ROUNDSD), d, s, Some(mode));
            self.done_simd(y, d);
        } else {
            self.read_simd(X0, x);
            self.call_address(super::call::rounding(op, kind));
            self.done_simd(y, X0);
        }
    }

    pub(super) fn binary_float(&mut self, op: Binary, y: Value, [a, b]: [Value; 2]) {
        let kind = self.kind(y);
        let (code, commutes) = match op {
            Binary::Add => (Self::pick(kind, &ops::ADDSS, &ops::ADDSD), true),
            Binary::Sub => (Self::pick(kind, &ops::SUBSS, &ops::SUBSD), false),
            Binary::Mul => (Self::pick(kind, &ops::MULSS, &ops::MULSD), true),
            Binary::Div => (Self::pick(kind, &ops::DIVSS, &ops::DIVSD), false),
            Binary::MinOrSecond => (Self::pick(kind, &ops::MINSS, &ops::MINSD), false),
            Binary::MaxOrSecond => (Self::pick(kind, &ops::MAXSS, &ops::MAXSD), false),
            Binary::Scale => return self.scale(y, a, b),
            Binary::CopySign => {
                self.read_simd(X0, a);
                let mask = self.mask(kind, false);
                self.a.three(self.form, &ops::ANDPS, Length::L128, X0, X0, mask, None);
                self.read_simd(X1, b);
                let mask = self.mask(kind, true);
                self.a.three(self.form, &ops::ANDPS, Length::L128, X1, X1, mask, None);
                self.a.three(self.form, &ops::ORPS, Length::L128, X0, X0, X1, None);
                return self.done_simd(y, X0);
            }
            _ => return self.extreme_float(op, y, a, b),
        };
        let d = self.def_simd(y);
        // In two operands, the second may be the result's register: the first one then takes its place.
        let (a, b) = if commutes && (self.loc(b) == Loc::Simd(d) || !matches!(self.loc(a), Loc::Simd(_))) {
            (b, a)
        } else {
            (a, b)
        };
        let left = self.simd(a, X0);
        let right = self.simd_rm(b);
        self.apply(code, d, left, right, None);
        self.done_simd(y, d);
    }

    /// `a · 2ᵇ`: by two powers of two, whose exponents are halves of the whole number that the lowest bits of a sum have.
    fn scale(&mut self, y: Value, a: Value, b: Value) {
        let kind = self.kind(y);
        let (wide, bytes) = (kind == Kind::F64, kind.bytes() as u8);
        let (w, l, form) = (if wide { Width::W64 } else { Width::W32 }, Length::L128, self.form);
        let [whole, one] = scale_constants(wide).map(|bits| self.a.constant(bits, bytes, 16));
        self.read_simd(X0, b);
        self.a.three(form, Self::pick(kind, &ops::ADDSS, &ops::ADDSD), l, X0, X0, whole, None);
        self.a.bits_to_gpr(form, wide as u8, RAX, X0);
        self.a.mov(w, RCX, RAX);
        self.a.shift_imm(Shift::Shr, w, RCX, 1);
        self.a.alu(Alu::Sub, w, RAX, RCX);
        self.read_simd(X0, a);
        for part in [RCX, RAX] {
            self.a.shift_imm(Shift::Shl, w, part, if wide { 52 } else { 23 });
            self.a.gpr_to_simd(form, &ops::MOVD, wide as u8, X1, None, part);
            self.a.three(form, if wide { &ops::PADDQ } else { &ops::PADDD }, l, X1, X1, one, None);
            self.a.three(form, Self::pick(kind, &ops::MULSS, &ops::MULSD), l, X0, X0, X1, None);
        }
        self.done_simd(y, X0);
    }

    /// The larger or smaller. The instruction gives its second operand if one is NaN or both are zero; so it is done both
    /// ways, the bits of both in common (or of one of both) have the right sign, and all bits are set where one is NaN.
    fn extreme_float(&mut self, op: Binary, y: Value, a: Value, b: Value) {
        let kind = self.kind(y);
        let (code, join) = match op {
            Binary::Max => (Self::pick(kind, &ops::MAXSS, &ops::MAXSD), &ops::ANDPS),
            _ => (Self::pick(kind, &ops::MINSS, &ops::MINSD), &ops::ORPS),
        };
        let (left, right) = (self.simd_rm(a), self.simd_rm(b));
        let (form, l) = (self.form, Length::L128);
        if let (Rm::Reg(p), Rm::Reg(q)) = (left, right)
            && form != Form::Sse
            && q.0 < 16
        {
            self.a.three(form, code, l, X0, p, q, None);
            self.a.three(form, code, l, X1, q, p, None);
            self.a.three(form, join, l, X0, X0, X1, None);
            let unordered = Self::pick(kind, &ops::CMPSS, &ops::CMPSD);
            if p.0 < 16 {
                self.a.three(form, unordered, l, X1, p, q, Some(compare::UNORDERED));
            } else {
                self.copy_simd(X1, p);
                self.a.three(form, unordered, l, X1, X1, q, Some(compare::UNORDERED));
            }
            let d = self.def_simd(y);
            self.a.three(form, &ops::ORPS, l, d, X0, X1, None);
            return self.done_simd(y, d);
        }
        self.read_simd(X0, a);
        self.a.three(form, code, l, X0, X0, right, None);
        self.read_simd(X1, b);
        self.a.three(form, code, l, X1, X1, left, None);
        self.a.three(form, join, l, X0, X0, X1, None);
        self.read_simd(X1, a);
        self.compare_masked(kind, X1, right, compare::UNORDERED);
        self.a.three(form, &ops::ORPS, l, X0, X0, X1, None);
        self.done_simd(y, X0);
    }

    /// All bits of `d` set if a comparison of it holds, else none.
    fn compare_masked(&mut self, kind: Kind, d: Simd, b: Rm<Simd>, code: u8) {
        let op = Self::pick(kind, &ops::CMPSS, &ops::CMPSD);
        if !matches!(b, Rm::Reg(Simd(16..))) {
            return self.a.three(self.form, op, Length::L128, d, d, b, Some(code));
        }
        // With registers that only AVX-512 has, the result is a mask.
        let (l, all) = (Length::L128, Mask::ALL);
        self.a.evex(op, op.evex_w, l, 1, d.0, b.into(), all, false, Some(code));
        let spread = Self::pick(kind, &ops::PMOVM2D, &ops::PMOVM2Q);
        self.a.evex(spread, spread.evex_w, l, d.0, 0, Rm::Reg(Simd(1)).into(), all, false, None);
    }

    pub(super) fn mul_add(&mut self, y: Value, [a, b, c]: [Value; 3], negate: [bool; 2]) {
        let kind = self.kind(y);
        if self.features < Features::Avx2 {
            self.read_simd(X0, a);
            self.read_simd(X1, b);
            self.read_simd(Simd(2), c);
            for (x, _) in [X0, Simd(2)].into_iter().zip(negate).filter(|(_, negate)| *negate) {
                let mask = self.mask(kind, true);
                self.a.three(self.form, &ops::XORPS, Length::L128, x, x, mask, None);
            }
            self.call_address(super::call::mul_add(kind));
            return self.done_simd(y, X0);
        }
        let d = self.def_simd(y);
        let home = Loc::Simd(d);
        let l = Length::L128;
        let all = if kind == Kind::F32 { ops::MUL_ADD_SS } else { ops::MUL_ADD_SD };
        let [product, last] = negate.map(usize::from);
        let (over_factor, over_last) = (all.over_factor[product][last], all.over_last[product][last]);
        if self.loc(a) == home || self.loc(b) == home {
            let other = if self.loc(a) == home { b } else { a };
            // d = other · d + c
            let other = self.simd(other, X0);
            let c = self.simd_rm(c);
            self.a.three(self.form, over_factor, l, d, other, c, None);
        } else {
            let (a, b) = if matches!(self.loc(a), Loc::Simd(_)) { (a, b) } else { (b, a) };
            let left = self.simd(a, X1);
            let right = self.simd_rm(b);
            self.read_simd(d, c);
            self.a.three(self.form, over_last, l, d, left, right, None);
        }
        self.done_simd(y, d);
    }

    /// Compares, and says where the result is.
    pub(super) fn compare(&mut self, op: Compare, [a, b]: [Value; 2]) -> Flags {
        if !self.is_float(a) {
            return Flags::If(self.compare_integer(op, a, b));
        }
        // Flags are such that only "above" is false for unordered operands.
        let (a, b) = if matches!(op, Compare::Lt | Compare::Le) { (b, a) } else { (a, b) };
        let left = self.simd(a, X0);
        let right = self.simd_rm(b);
        let code = Self::pick(self.kind(a), &ops::UCOMISS, &ops::UCOMISD);
        self.a.two(self.form, code, Length::L128, left, right, None);
        match op {
            Compare::Eq => Flags::Equal,
            Compare::Ne => Flags::NotEqual,
            Compare::Lt | Compare::Gt => Flags::If(Cond::A),
            Compare::Le | Compare::Ge => Flags::If(Cond::Ae),
        }
    }

    /// Flags of a condition: of the comparison that was left to do, or of a boolean.
    pub(super) fn condition(&mut self, v: Value) -> Flags {
        if self.places.fused[v.index()]
            && let Some((op, x)) = self.pending.take()
        {
            return self.compare(op, x);
        }
        match self.gpr_rm(v, RAX) {
            Rm::Reg(r) => self.a.test(Width::W32, r, r),
            m => self.a.alu_imm(Alu::Cmp, Width::W32, m, 0),
        }
        Flags::If(Cond::Ne)
    }

    /// A boolean from flags.
    pub(super) fn set(&mut self, y: Value, flags: Flags) {
        match flags {
            Flags::If(c) => self.a.set(c, RAX),
            Flags::Equal => {
                self.a.set(Cond::Np, RAX);
                self.a.set(Cond::E, RCX);
                self.a.alu(Alu::And, Width::W32, RAX, RCX);
            }
            Flags::NotEqual => {
                self.a.set(Cond::P, RAX);
                self.a.set(Cond::Ne, RCX);
                self.a.alu(Alu::Or, Width::W32, RAX, RCX);
            }
        }
        let d = self.def(y);
        self.a.extend(Extend::Z8, Width::W32, d, RAX);
        self.done(y, d);
    }

    pub(super) fn select(&mut self, y: Value, condition: Value, [a, b]: [Value; 2]) {
        let kind = self.kind(y);
        if self.places.fused[condition.index()]
            && kind.is_float()
            && let Some((op, x)) = self.pending
            && self.kind(x[0]) == kind
            && (matches!(self.loc(a), Loc::Simd(_)) || matches!(self.loc(b), Loc::Simd(_) | Loc::Const(0)))
        {
            self.pending = None;
            return self.select_masked(y, op, x, a, b);
        }
        let flags = self.condition(condition);
        let w = width(kind);
        let home = self.loc(y);
        match flags {
            Flags::If(c) if matches!(home, Loc::Gpr(_)) && home == self.loc(b) => {
                let d = self.def(y);
                let a = self.gpr_rm(a, RAX);
                self.a.cmov(c, w, d, a);
            }
            Flags::If(c) => {
                self.read_gpr(RAX, b);
                let a = self.choice(a);
                self.a.cmov(c, w, RAX, a);
                self.done(y, RAX);
            }
            Flags::Equal => {
                self.read_gpr(RAX, a);
                let b = self.choice(b);
                self.a.cmov(Cond::Ne, w, RAX, b);
                self.a.cmov(Cond::P, w, RAX, b);
                self.done(y, RAX);
            }
            Flags::NotEqual => {
                self.read_gpr(RAX, b);
                let a = self.choice(a);
                self.a.cmov(Cond::Ne, w, RAX, a);
                self.a.cmov(Cond::P, w, RAX, a);
                self.done(y, RAX);
            }
        }
    }

    /// The bits of a value of any kind, to be copied if a condition holds.
    fn choice(&mut self, v: Value) -> Rm<crate::encode::Gpr> {
        match self.loc(v) {
            Loc::Slot(i) => Rm::Mem(self.slot(i)),
            _ => Rm::Reg(self.gpr(v, RCX)),
        }
    }

    /// A choice of floats by a comparison of floats as wide: by a mask.
    fn select_masked(&mut self, y: Value, op: Compare, [p, q]: [Value; 2], a: Value, b: Value) {
        let kind = self.kind(y);
        let (form, l) = (self.form, Length::L128);
        let (p, q) = if matches!(op, Compare::Gt | Compare::Ge) { (q, p) } else { (p, q) };
        let code = match op {
            Compare::Eq => compare::EQ,
            Compare::Ne => compare::NE,
            Compare::Lt | Compare::Gt => compare::LT,
            Compare::Le | Compare::Ge => compare::LE,
        };
        self.read_simd(X0, p);
        let q = self.simd_rm(q);
        self.compare_masked(kind, X0, q, code);
        if self.loc(b) == Loc::Const(0) {
            let a = self.simd(a, X1);
            self.a.three(form, &ops::ANDPS, l, X0, X0, a, None);
        } else if matches!(self.loc(b), Loc::Simd(_)) {
            self.read_simd(X1, a);
            self.a.three(form, &ops::ANDPS, l, X1, X1, X0, None);
            let b = self.simd(b, X0);
            self.a.three(form, &ops::ANDNPS, l, X0, X0, b, None);
            self.a.three(form, &ops::ORPS, l, X0, X0, X1, None);
        } else {
            // a ^ ((a ^ b) & !mask)
            self.read_simd(X1, b);
            let a = self.simd(a, X0);
            self.a.three(form, &ops::XORPS, l, X1, X1, a, None);
            self.a.three(form, &ops::ANDNPS, l, X0, X0, X1, None);
            self.a.three(form, &ops::XORPS, l, X0, X0, a, None);
        }
        self.done_simd(y, X0);
    }
}
