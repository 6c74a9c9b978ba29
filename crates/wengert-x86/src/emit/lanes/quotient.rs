//! Quotients by a number that is the same in all lanes: by its reciprocal, to the bit what a division gives.
//!
//! A division of sixteen lanes takes as long as thirty multiplications. Let `r` be `1/d`, rounded, and `q = x·r`, rounded.
//! The remainder `q·d - x` times `r`, taken from `q`, gives the quotient as it is rounded. Where `q` is one of the two floats
//! around `x/d`, this is Markstein's theorem: the remainder is exact. Where it is not, `x < d` as fractions, so that `x` is
//! at least two units below 2, and `x·r` less than a unit in the last place from `x/d` by one or two of the last bits of
//! `r`; `x/d` is then further from the middle between two floats than what the remainder is inexact by. (Every pair of
//! `f32` with a quotient next to such a middle was tried, too.)
//!
//! The remainder has no place below the smallest numbers. So lanes need a dividend that is not too small, or zero, and
//! divisors have a range of their own; a quotient that overflows gives NaN. Where a lane has none of that, the vector is
//! divided. A positive divisor keeps the sign of zero: `-0 - 0·r` is `-0`, and `0 - 0·r` is `0`.

use super::plan::Place;
use super::{K1, Vector, Z0, Z1, Z2, Z3};
use crate::encode::gpr::Cond;
use crate::encode::ops::{self, compare};
use crate::encode::simd::{Length, Mask};
use crate::encode::{Rm, Simd};
use wengert_kernel::{Kind, Value};

/// How many vectors make up for the reciprocal.
pub const LEAST_VECTORS: u64 = 8;
/// A mask register that no value and no mask of an instruction has.
const K0: u8 = 0;
/// What comparisons of unsigned integers are for: greater.
const GREATER: u8 = 6;

/// What is in reach, by exponents of two.
struct Reach {
    /// Bits of the fraction, and the exponent of one as it is stored.
    fraction: u32,
    bias: i64,
    /// The smallest dividend but zero.
    dividend: i64,
    /// The smallest and the largest divisor. Quotients have one bit less than the smallest normal number, remainders are
    /// multiples of the smallest number there is.
    divisor: [i64; 2],
}

impl Reach {
    fn of(kind: Kind) -> Reach {
        match kind {
            Kind::F32 => Reach { fraction: 23, bias: 127, dividend: -100, divisor: [-100, 20] },
            _ => Reach { fraction: 52, bias: 1023, dividend: -960, divisor: [-900, 60] },
        }
    }

    /// The bits of a power of two.
    fn bits(&self, exponent: i64) -> u64 {
        ((exponent + self.bias) as u64) << self.fraction
    }
}

impl Vector<'_, '_> {
    /// The reciprocal of a divisor goes to its place; NaN for one out of reach.
    pub(super) fn keep_reciprocal(&mut self, divisor: Value, place: Place) {
        let kind = self.kind(divisor);
        let (l, reach) = (self.length(kind), Reach::of(kind));
        let d = self.reg(divisor, Z3);
        let [least, most] = reach.divisor.map(|e| reach.bits(e));
        let (from, above) = (self.constant(least, kind), self.constant(most - least, kind));
        self.three(Self::by_width(kind, &ops::PSUBD, &ops::PSUBQ), l, Z2, d, from);
        self.compare_lanes(Self::by_width(kind, &ops::PCMPUD, &ops::PCMPUQ), l, K1, Z2, above, Some(GREATER));
        let one = self.constant(reach.bits(0), kind);
        self.two(&ops::MOVUPS, l, Z1, one);
        self.three(Self::by_width(kind, &ops::DIVPS, &ops::DIVPD), l, Z1, Z1, d);
        let all = Self::by_width(kind, &ops::PTERNLOGD, &ops::PTERNLOGQ);
        self.e.a.evex(all, all.evex_w, l, Z1.0, Z1.0, Rm::Reg(Z1).into(), Mask::keep(K1), false, Some(0xff));
        self.done_at(place, l, Z1);
    }

    /// `y = x / divisor`.
    pub(super) fn quotient(&mut self, y: Value, x: Value, divisor: Value, reciprocal: Place) {
        let kind = self.kind(y);
        let (l, reach) = (self.length(kind), Reach::of(kind));
        let (x, d) = (self.reg(x, Z1), self.reg(divisor, Z3));
        let r = match reciprocal {
            Place::Slot(i) => Rm::Mem(self.e.vector_slot(i)),
            Place::Register(r) => Rm::Reg(Simd(r)),
            Place::Mask(_) | Place::Pool(_) => Rm::Reg(Z0),
        };
        self.three(Self::by_width(kind, &ops::MULPS, &ops::MULPD), l, Z0, x, r);
        let mul_add = if kind == Kind::F32 { ops::MUL_ADD_PS } else { ops::MUL_ADD_PD };
        self.two(&ops::MOVAPS, l, Z2, Z0);
        self.three(mul_add.over_factor[0][1], l, Z2, d, x);
        self.three(mul_add.over_last[1][0], l, Z0, Z2, r);
        self.is_out_of_reach(kind, l, x, &reach);
        let done = self.e.a.label();
        self.e.a.jump_if(Cond::E, done);
        self.three(Self::by_width(kind, &ops::DIVPS, &ops::DIVPD), l, Z0, x, d);
        self.e.a.bind(done);
        self.done(y, Z0);
    }

    /// The flag for zero is set if no dividend is too small, and no quotient NaN.
    fn is_out_of_reach(&mut self, kind: Kind, l: Length, x: Simd, reach: &Reach) {
        // Twice the bits have no sign; what is above the smallest goes on to zero, which comes after all of them.
        let least = 2 * reach.bits(reach.dividend);
        let most = if kind == Kind::F32 { (1 << 32) - least } else { 0u64.wrapping_sub(least) };
        let (least, most) = (self.constant(least, kind), self.constant(most, kind));
        self.three(Self::by_width(kind, &ops::PADDD, &ops::PADDQ), l, Z2, x, x);
        self.three(Self::by_width(kind, &ops::PSUBD, &ops::PSUBQ), l, Z2, Z2, least);
        self.compare_lanes(Self::by_width(kind, &ops::PCMPUD, &ops::PCMPUQ), l, K1, Z2, most, Some(GREATER));
        let unordered = Self::by_width(kind, &ops::CMPPS, &ops::CMPPD);
        self.compare_lanes(unordered, l, K0, Z0, Z0, Some(compare::UNORDERED));
        self.e.a.vex(&ops::KORTESTW, 0, Length::L128, K0, 0, Rm::Reg(Simd(K1)).into(), None);
    }
}
