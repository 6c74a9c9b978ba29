//! Integers and booleans.

use super::{Emit, width};
use crate::allocate::Loc;
use crate::encode::gpr::{Alu, Cond, Extend, Group, Shift, Width};
use crate::encode::{Gpr, Mem, RAX, RCX, RDX, Rm};
use wengert_kernel::{Binary, Compare, Kind, Unary, Value};

impl Emit<'_> {
    pub(super) fn unary_integer(&mut self, op: Unary, y: Value, x: Value) {
        let kind = self.kind(y);
        let w = width(kind);
        let d = self.def(y);
        match op {
            Unary::Neg | Unary::Not => {
                self.read_gpr(d, x);
                match op {
                    _ if kind == Kind::Bool => self.a.alu_imm(Alu::Xor, w, d, 1),
                    Unary::Neg => self.a.group(Group::Neg, w, d),
                    _ => self.a.group(Group::Not, w, d),
                }
                self.normalize(kind, d, d);
                self.done(y, d);
            }
            // Only the absolute value is left.
            _ => {
                self.read_gpr(RCX, x);
                self.a.mov(w, RAX, RCX);
                self.a.group(Group::Neg, w, RAX);
                self.a.cmov(Cond::S, w, RAX, RCX);
                self.normalize(kind, RAX, RAX);
                self.done(y, RAX);
            }
        }
    }

    pub(super) fn binary_integer(&mut self, op: Binary, y: Value, [a, b]: [Value; 2]) {
        match op {
            Binary::Add => self.arithmetic(Some(Alu::Add), y, a, b),
            Binary::Sub => self.arithmetic(Some(Alu::Sub), y, a, b),
            Binary::And => self.arithmetic(Some(Alu::And), y, a, b),
            Binary::Or => self.arithmetic(Some(Alu::Or), y, a, b),
            Binary::Xor => self.arithmetic(Some(Alu::Xor), y, a, b),
            Binary::Mul => self.arithmetic(None, y, a, b),
            Binary::Div | Binary::Rem => self.divide(op == Binary::Rem, y, a, b),
            Binary::Max | Binary::Min => self.extreme(op, y, a, b),
            Binary::Shl | Binary::ShrLogical | Binary::ShrArithmetic => self.shift(op, y, a, b),
            Binary::CopySign | Binary::MinOrSecond | Binary::MaxOrSecond | Binary::Scale => {}
        }
    }

    /// An instruction of two operands, or without one the product.
    fn arithmetic(&mut self, op: Option<Alu>, y: Value, mut a: Value, mut b: Value) {
        let kind = self.kind(y);
        let w = width(kind);
        let mut d = self.def(y);
        if op != Some(Alu::Sub) && matches!(self.loc(a), Loc::Const(_)) {
            (a, b) = (b, a);
        }
        let apply = |e: &mut Self, d: Gpr, rm: Rm<Gpr>| match op {
            Some(op) => e.a.alu(op, w, d, rm),
            None => e.a.imul(w, d, rm),
        };
        if let Some(imm) = self.imm(b) {
            match (op, self.loc(a)) {
                (None, Loc::Gpr(_) | Loc::Slot(_)) => {
                    let a = self.gpr_rm(a, RCX);
                    self.a.imul_imm(w, d, a, imm);
                }
                (None, _) => {
                    self.read_gpr(RCX, a);
                    self.a.imul_imm(w, d, RCX, imm);
                }
                (Some(Alu::Add), Loc::Gpr(r)) if r != d => self.a.lea(w, d, Mem::at(r, imm)),
                (Some(Alu::Sub), Loc::Gpr(r)) if r != d && imm != i32::MIN => self.a.lea(w, d, Mem::at(r, -imm)),
                (Some(op), _) => {
                    self.read_gpr(d, a);
                    self.a.alu_imm(op, w, d, imm);
                }
            }
        } else {
            let right = self.gpr_rm(b, RCX);
            match (self.loc(a), right) {
                (Loc::Gpr(l), Rm::Reg(r)) if op == Some(Alu::Add) && l != d && r != d => {
                    self.a.lea(w, d, Mem::At { base: l, index: Some((r, 0)), disp: 0 });
                }
                (l, Rm::Reg(r)) if r == d && l != Loc::Gpr(d) => {
                    if op == Some(Alu::Sub) {
                        d = RAX;
                        self.read_gpr(d, a);
                        apply(self, d, right);
                    } else {
                        let left = self.gpr_rm(a, RCX);
                        apply(self, d, left);
                    }
                }
                _ => {
                    self.read_gpr(d, a);
                    apply(self, d, right);
                }
            }
        }
        self.normalize(kind, d, d);
        self.done(y, d);
    }

    /// The larger or smaller.
    fn extreme(&mut self, op: Binary, y: Value, a: Value, b: Value) {
        let kind = self.kind(y);
        let w = width(kind);
        self.read_gpr(RAX, a);
        let right = self.gpr_rm(b, RCX);
        self.a.alu(Alu::Cmp, w, RAX, right);
        let c = match (op, kind.is_signed()) {
            (Binary::Max, true) => Cond::L,
            (Binary::Max, false) => Cond::B,
            (_, true) => Cond::G,
            (_, false) => Cond::A,
        };
        self.a.cmov(c, w, RAX, right);
        self.done(y, RAX);
    }

    fn shift(&mut self, op: Binary, y: Value, a: Value, b: Value) {
        let kind = self.kind(y);
        let w = width(kind);
        let bits = 8 * kind.bytes() as u64;
        // The operand with what is shifted in from above.
        let narrow = |e: &mut Self| match (op, kind.bytes()) {
            (Binary::ShrLogical, 1) => e.a.extend(Extend::Z8, Width::W32, RAX, RAX),
            (Binary::ShrLogical, 2) => e.a.extend(Extend::Z16, Width::W32, RAX, RAX),
            (Binary::ShrArithmetic, 1) => e.a.extend(Extend::S8, Width::W32, RAX, RAX),
            (Binary::ShrArithmetic, 2) => e.a.extend(Extend::S16, Width::W32, RAX, RAX),
            _ => {}
        };
        let code = match op {
            Binary::Shl => Shift::Shl,
            Binary::ShrLogical => Shift::Shr,
            _ => Shift::Sar,
        };
        if let Loc::Const(by) = self.loc(b) {
            let by = if bits == 64 { by } else { by & ((1 << bits) - 1) };
            let by = if code == Shift::Sar { by.min(bits - 1) } else { by };
            if by >= bits {
                self.a.mov_imm(RAX, 0);
            } else {
                self.read_gpr(RAX, a);
                narrow(self);
                self.a.shift_imm(code, w, RAX, by as u8);
            }
        } else {
            self.read_gpr(RAX, a);
            self.read_gpr(RCX, b);
            narrow(self);
            if code == Shift::Sar {
                self.a.mov_imm(RDX, bits - 1);
                self.a.alu_imm(Alu::Cmp, w, RCX, bits as i32 - 1);
                self.a.cmov(Cond::A, w, RCX, RDX);
                self.a.shift(code, w, RAX);
            } else {
                self.a.shift(code, w, RAX);
                self.a.mov_imm(RDX, 0);
                self.a.alu_imm(Alu::Cmp, w, RCX, bits as i32);
                self.a.cmov(Cond::Ae, w, RAX, RDX);
            }
        }
        self.normalize(kind, RAX, RAX);
        self.done(y, RAX);
    }

    /// Flags of a comparison of what is no float.
    pub(super) fn compare_integer(&mut self, op: Compare, mut a: Value, mut b: Value) -> Cond {
        let kind = self.kind(a);
        let w = width(kind);
        let mut c = match (op, kind.is_signed()) {
            (Compare::Eq, _) => Cond::E,
            (Compare::Ne, _) => Cond::Ne,
            (Compare::Lt, true) => Cond::L,
            (Compare::Le, true) => Cond::Le,
            (Compare::Gt, true) => Cond::G,
            (Compare::Ge, true) => Cond::Ge,
            (Compare::Lt, false) => Cond::B,
            (Compare::Le, false) => Cond::Be,
            (Compare::Gt, false) => Cond::A,
            (Compare::Ge, false) => Cond::Ae,
        };
        if matches!(self.loc(a), Loc::Const(_)) {
            (a, b) = (b, a);
            c = c.swapped();
        }
        let left = self.gpr_rm(a, RAX);
        match (left, self.imm(b)) {
            (Rm::Reg(r), Some(0)) => self.a.test(w, r, r),
            (left, Some(imm)) => self.a.alu_imm(Alu::Cmp, w, left, imm),
            (Rm::Reg(r), None) => {
                let right = self.gpr_rm(b, RCX);
                self.a.alu(Alu::Cmp, w, r, right);
            }
            (Rm::Mem(m), None) => {
                let right = self.gpr(b, RCX);
                self.a.alu_to(Alu::Cmp, w, m, right);
            }
        }
        c
    }
}
