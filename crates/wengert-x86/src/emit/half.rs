//! Floats of 16 bits: they are in general registers, and converted from and to `f32`.

use super::{Emit, X0, call};
use crate::allocate::ARGUMENTS;
use crate::encode::gpr::{Alu, Cond, Extend, Shift, Width};
use crate::encode::simd::Length;
use crate::encode::{RAX, RCX, RDX, ops};
use crate::{Features, allocate};
use wengert_kernel::{Kind, Value};

impl Emit<'_> {
    pub(super) fn half_to_float(&mut self, y: Value, x: Value) {
        if allocate::calls_for(self.kind(x), self.features) {
            self.read_gpr(ARGUMENTS[0], x);
            self.call_address(call::f16_to_f32 as *const () as usize);
            return self.done_simd(y, X0);
        }
        let mut s = self.gpr(x, RAX);
        if self.kind(x) == Kind::BF16 {
            if s != RAX {
                self.a.mov(Width::W32, RAX, s);
            }
            self.a.shift_imm(Shift::Shl, Width::W32, RAX, 16);
            s = RAX;
        }
        let d = self.def_simd(y);
        self.a.gpr_to_simd(self.form, &ops::MOVD, 0, d, None, s);
        if self.kind(x) == Kind::F16 {
            self.a.two(self.form, &ops::CVTPH2PS, Length::L128, d, d, None);
        }
        self.done_simd(y, d);
    }

    pub(super) fn float_to_half(&mut self, y: Value, x: Value) {
        if allocate::calls_for(self.kind(y), self.features) {
            self.read_simd(X0, x);
            self.call_address(call::f16_from_f32 as *const () as usize);
            return self.done(y, RAX);
        }
        let s = self.simd(x, X0);
        if self.kind(y) == Kind::F16 {
            debug_assert!(self.features >= Features::Avx2, "others call");
            self.a.two(self.form, &ops::CVTPS2PH_TO, Length::L128, s, X0, Some(ops::round::NEAREST));
            self.a.bits_to_gpr(self.form, 0, RAX, X0);
            let d = self.def(y);
            self.a.extend(Extend::Z16, Width::W32, d, RAX);
            return self.done(y, d);
        }
        // Half of the last bit that stays is added, a little less if that bit is zero: ties go to even.
        self.a.bits_to_gpr(self.form, 0, RAX, s);
        self.a.mov(Width::W32, RCX, RAX);
        self.a.shift_imm(Shift::Shr, Width::W32, RCX, 16);
        self.a.alu_imm(Alu::And, Width::W32, RCX, 1);
        self.a.alu_imm(Alu::Add, Width::W32, RCX, 0x7fff);
        self.a.alu(Alu::Add, Width::W32, RCX, RAX);
        self.a.shift_imm(Shift::Shr, Width::W32, RCX, 16);
        self.a.mov_imm(RDX, 0x7fc0);
        self.a.two(self.form, &ops::UCOMISS, Length::L128, s, s, None);
        self.a.cmov(Cond::P, Width::W32, RCX, RDX);
        self.done(y, RCX);
    }
}
