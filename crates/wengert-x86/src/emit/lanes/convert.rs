//! From kind to kind, in all lanes.

use super::{K1, Vector, Z0, Z1};
use crate::encode::Rm;
use crate::encode::ops::{self, compare};
use crate::encode::simd::Mask;
use wengert_kernel::{Kind, Value};

impl Vector<'_, '_> {
    pub(super) fn convert(&mut self, y: Value, x: Value) {
        let (to, from) = (self.kind(y), self.kind(x));
        match (from, to) {
            _ if from == to => self.bitcast(y, x),
            _ if from.is_half() => self.half_to_float(y, x),
            _ if to.is_half() => self.float_to_half(y, x),
            (_, Kind::Bool) => self.boolean(y, x),
            (Kind::Bool, _) => {
                let one = match to {
                    Kind::F32 => 1f32.to_bits() as u64,
                    Kind::F64 => 1f64.to_bits(),
                    _ => 1,
                };
                let (k, one, d) = (self.mask(x), self.constant(one, to), self.def(y));
                let l = self.length(to);
                let op = Self::by_width(to, &ops::MOVUPS, &ops::MOVUPD);
                self.masked(op, l, d, Z0, one, Mask::zero(k));
                self.done(y, d);
            }
            _ if !from.is_float() && !to.is_float() => self.integer_to_integer(y, x),
            _ if !from.is_float() => {
                let op = match (from, to) {
                    (Kind::I64, Kind::F64) => &ops::CVTQQ2PD,
                    (Kind::U64, Kind::F64) => &ops::CVTUQQ2PD,
                    (Kind::I64, _) => &ops::CVTQQ2PS,
                    (Kind::U64, _) => &ops::CVTUQQ2PS,
                    (Kind::U32, Kind::F64) => &ops::CVTUDQ2PD,
                    (Kind::U32, _) => &ops::CVTUDQ2PS,
                    (_, Kind::F64) => &ops::CVTDQ2PD,
                    _ => &ops::CVTDQ2PS,
                };
                self.widening(op, y, x);
            }
            (Kind::F32, Kind::F64) => self.widening(&ops::CVTPS2PD, y, x),
            (Kind::F64, Kind::F32) => self.widening(&ops::CVTPD2PS, y, x),
            _ => self.float_to_integer(y, x),
        }
    }

    /// An instruction whose length is that of the longer vector.
    fn widening(&mut self, op: &crate::encode::simd::Op, y: Value, x: Value) {
        let l = self.length(self.kind(y)).max(self.length(self.kind(x)));
        let x = self.rm(x);
        let d = self.def(y);
        self.two(op, l, d, x);
        self.done(y, d);
    }

    fn boolean(&mut self, y: Value, x: Value) {
        let kind = self.kind(x);
        let (l, k) = (self.length(kind), self.mask(y));
        let x = self.reg(x, Z1);
        if kind.is_float() {
            self.three(&ops::XORPS, l, Z0, Z0, Z0);
            self.compare_lanes(Self::by_width(kind, &ops::CMPPS, &ops::CMPPD), l, k, x, Z0, Some(compare::NE));
        } else {
            self.compare_lanes(Self::by_width(kind, &ops::PTESTMD, &ops::PTESTMQ), l, k, x, x, None);
        }
    }

    fn integer_to_integer(&mut self, y: Value, x: Value) {
        let (to, from) = (self.kind(y), self.kind(x));
        let d = self.def(y);
        match (Self::wide(from), Self::wide(to)) {
            (true, true) => {
                let x = self.reg(x, Z1);
                self.done(y, x);
                return;
            }
            (false, true) => {
                let op = if from.is_signed() { &ops::PMOVSXDQ } else { &ops::PMOVZXDQ };
                return self.widening(op, y, x);
            }
            (true, false) => {
                // To memory's side of the encoding: the result is the second operand.
                let (x, l) = (self.reg(x, Z1), self.length(from));
                self.two(&ops::PMOVQD_TO, l, x, d);
                self.normalize(to, d, d);
            }
            (false, false) => {
                let x = self.reg(x, Z1);
                self.normalize(to, d, x);
            }
        }
        self.done(y, d);
    }

    /// What does not fit becomes the nearest, and NaN zero.
    fn float_to_integer(&mut self, y: Value, x: Value) {
        let (to, from) = (self.kind(y), self.kind(x));
        let from_wide = Self::wide(from);
        let source = self.length(from);
        let l = source.max(self.length(to));
        let pick = |a: &'static crate::encode::simd::Op, b: &'static crate::encode::simd::Op| {
            if from_wide { b } else { a }
        };
        let (max, min) = (pick(&ops::MAXPS, &ops::MAXPD), pick(&ops::MINPS, &ops::MINPD));
        let bits = |v: f64| if from_wide { v.to_bits() } else { (v as f32).to_bits() as u64 };
        let x = self.reg(x, Z1);
        if matches!(to, Kind::U32 | Kind::U64) {
            // The instruction gives the largest number for what is larger.
            let op = if to == Kind::U32 {
                pick(&ops::CVTTPS2UDQ, &ops::CVTTPD2UDQ)
            } else {
                pick(&ops::CVTTPS2UQQ, &ops::CVTTPD2UQQ)
            };
            self.three(&ops::XORPS, source, Z0, Z0, Z0);
            self.three(max, source, Z1, x, Z0);
            let d = self.def(y);
            self.two(op, l, d, Z1);
            return self.done(y, d);
        }
        self.compare_lanes(pick(&ops::CMPPS, &ops::CMPPD), source, K1, x, x, Some(compare::ORDERED));
        if matches!(to, Kind::I32 | Kind::I64) {
            // The instruction gives the smallest number for what does not fit.
            let op = if to == Kind::I32 {
                pick(&ops::CVTTPS2DQ, &ops::CVTTPD2DQ)
            } else {
                pick(&ops::CVTTPS2QQ, &ops::CVTTPD2QQ)
            };
            self.masked(op, l, Z0, Z0, x, Mask::zero(K1));
            let bound = self.constant(bits(if to == Kind::I32 { 2147483648.0 } else { 9223372036854775808.0 }), from);
            self.compare_lanes(pick(&ops::CMPPS, &ops::CMPPD), source, K1, x, bound, Some(compare::GE));
            let most = self.constant(if to == Kind::I32 { i32::MAX as u64 } else { i64::MAX as u64 }, to);
            let target = self.length(to);
            self.masked(Self::by_width(to, &ops::MOVUPS, &ops::MOVUPD), target, Z0, Z0, most, Mask::keep(K1));
            return self.done(y, Z0);
        }
        let (least, most) = match to {
            Kind::I8 => (i8::MIN as f64, i8::MAX as f64),
            Kind::I16 => (i16::MIN as f64, i16::MAX as f64),
            Kind::U8 => (0.0, u8::MAX as f64),
            _ => (0.0, u16::MAX as f64),
        };
        let (least, most) = (self.constant(bits(least), from), self.constant(bits(most), from));
        self.three(max, source, Z1, x, least);
        self.three(min, source, Z1, Z1, most);
        let d = self.def(y);
        self.masked(pick(&ops::CVTTPS2DQ, &ops::CVTTPD2DQ), l, d, Z0, Z1, Mask::zero(K1));
        self.done(y, d);
    }

    pub(super) fn bitcast(&mut self, y: Value, x: Value) {
        let kind = self.kind(y);
        if kind == Kind::Bool {
            let (k, from) = (self.mask(y), self.mask(x));
            return self.k_copy(k, from);
        }
        let d = self.def(y);
        let l = self.length(kind);
        match self.rm(x) {
            Rm::Reg(r) => self.normalize(kind, d, r),
            m => {
                self.two(&ops::MOVUPS, l, d, m);
                self.normalize(kind, d, d);
            }
        }
        self.done(y, d);
    }
}
