//! Floats of 16 bits in lanes of 32, extended with zeros: from and to `f32`.

use super::arithmetic::Shift;
use super::{K1, Vector, Z0, Z1};
use crate::encode::ops::{self, compare, round};
use crate::encode::simd::{Form, Length, Mask};
use wengert_kernel::{Kind, Value};

/// A `bf16` that is NaN, as the upper half of an `f32`.
const NAN: u64 = 0x7fc0_0000;

impl Vector<'_, '_> {
    pub(super) fn half_to_float(&mut self, y: Value, x: Value) {
        let (from, d) = (self.kind(x), self.def(y));
        let l = self.length(Kind::F32);
        let x = self.reg(x, Z1);
        if from == Kind::BF16 {
            self.shift_by(Shift::Left, l, d, x, 16);
            return self.done(y, d);
        }
        // The instruction takes numbers that lie side by side.
        if self.plan.masks {
            self.two(&ops::PMOVDW_TO, l, x, Z0);
        } else if l == Length::L256 {
            self.e.a.two(Form::Vex, &ops::EXTRACTF128_TO, l, x, Z0, Some(1));
            self.three(&ops::PACKUSDW, Length::L128, Z0, x, Z0);
        } else {
            self.three(&ops::PACKUSDW, Length::L128, Z0, x, x);
        }
        self.two(&ops::CVTPH2PS, l, d, Z0);
        self.done(y, d);
    }

    pub(super) fn float_to_half(&mut self, y: Value, x: Value) {
        let (to, d) = (self.kind(y), self.def(y));
        let l = self.length(Kind::F32);
        let x = self.reg(x, Z1);
        if to == Kind::F16 {
            self.e.a.two(Form::Vex, &ops::CVTPS2PH_TO, l, x, Z0, Some(round::NEAREST));
            self.two(&ops::PMOVZXWD, l, d, Z0);
            return self.done(y, d);
        }
        // Half of the last bit that stays is added, a little less if that bit is zero: ties go to even.
        self.shift_by(Shift::Logical, l, Z0, x, 16);
        let one = self.constant(1, Kind::U32);
        self.three(&ops::ANDPS, l, Z0, Z0, one);
        self.three(&ops::PADDD, l, Z0, Z0, x);
        let most = self.constant(0x7fff, Kind::U32);
        self.three(&ops::PADDD, l, Z0, Z0, most);
        let nan = self.constant(NAN, Kind::U32);
        if self.plan.masks {
            self.compare_lanes(&ops::CMPPS, l, K1, x, x, Some(compare::UNORDERED));
            self.masked(&ops::MOVUPS, l, Z0, Z0, nan, Mask::keep(K1));
        } else {
            self.e.a.three(Form::Vex, &ops::CMPPS, l, Z1, x, x, Some(compare::UNORDERED));
            self.e.a.three(Form::Vex, &ops::BLENDVPS, l, Z0, Z0, nan, Some(Z1.0 << 4));
        }
        self.shift_by(Shift::Logical, l, d, Z0, 16);
        self.done(y, d);
    }
}
