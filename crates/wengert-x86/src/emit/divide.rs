//! Quotients and remainders of integers.

use super::{Emit, width};
use crate::allocate::Loc;
use crate::encode::gpr::{Alu, Cond, Group, Shift, Width};
use crate::encode::{RAX, RCX, RDX};
use wengert_kernel::Value;

/// A factor whose product's upper half is, shifted, the quotient by a number.
struct Factor {
    factor: u64,
    shift: u8,
    /// Whether the dividend is added to the upper half, for the factor has one bit more than fits.
    add: bool,
}

/// The factor for a divisor with sign and absolute value of at least 2: the smallest power of two over the divisor,
/// rounded up, that is exact enough for all dividends of so many bits.
fn signed_factor(d: i64, bits: u32) -> Factor {
    let magnitude = d.unsigned_abs() as u128;
    let limit = (1u128 << (bits - 1)) + (d < 0) as u128;
    let largest = limit - 1 - limit % magnitude;
    let mut power = bits;
    while 1u128 << power <= largest * (magnitude - (1u128 << power) % magnitude) {
        power += 1;
    }
    let factor = ((1u128 << power) + magnitude - (1u128 << power) % magnitude) / magnitude;
    let factor = if d < 0 { factor.wrapping_neg() } else { factor };
    let mask = u64::MAX >> (64 - bits);
    let factor = factor as u64 & mask;
    // As a number with sign it may be on the other side of zero than the divisor: then it lacks a whole.
    let negative = factor >> (bits - 1) & 1 == 1;
    Factor { factor, shift: (power - bits) as u8, add: negative != (d < 0) }
}

/// The same without sign, for divisors that are no powers of two and have two bits less than the dividends.
fn unsigned_factor(d: u64, bits: u32) -> Factor {
    let d = d as u128;
    let largest = (1u128 << bits) - 1 - ((1u128 << bits) - d) % d;
    let mut power = bits;
    while 1u128 << power <= largest * (d - 1 - ((1u128 << power) - 1) % d) {
        power += 1;
    }
    let factor = ((1u128 << power) + d - 1 - ((1u128 << power) - 1) % d) / d;
    let mask = u64::MAX >> (64 - bits);
    Factor { factor: factor as u64 & mask, shift: (power - bits) as u8, add: factor >> bits != 0 }
}

impl Emit<'_> {
    /// Quotient or remainder.
    pub(super) fn divide(&mut self, rem: bool, y: Value, a: Value, b: Value) {
        let kind = self.kind(y);
        let (w, signed) = (width(kind), kind.is_signed());
        let divisor = match self.loc(b) {
            Loc::Const(bits) => Some(Self::constant_bits(kind, bits)),
            _ => None,
        };
        let low = divisor.map(|d| if w == Width::W64 { d } else { d as u32 as u64 });
        if let Some(d) = low
            && !signed
            && d.is_power_of_two()
        {
            self.read_gpr(RAX, a);
            if !rem {
                self.a.shift_imm(Shift::Shr, w, RAX, d.trailing_zeros() as u8);
            } else {
                self.a.mov_imm(RCX, d - 1);
                self.a.alu(Alu::And, w, RAX, RCX);
            }
            return self.done(y, RAX);
        }
        if let Some(d) = low
            && self.divide_by_product(rem, y, a, d)
        {
            return;
        }
        self.read_gpr(RCX, b);
        self.read_gpr(RAX, a);
        let minus_one = if w == Width::W64 { u64::MAX } else { u32::MAX as u64 };
        let zero = low.is_none_or(|d| d == 0).then(|| {
            self.a.test(w, RCX, RCX);
            self.a.skip_if(Cond::E)
        });
        let negate = (signed && low.is_none_or(|d| d == minus_one)).then(|| {
            self.a.alu_imm(Alu::Cmp, w, RCX, -1);
            self.a.skip_if(Cond::E)
        });
        if signed {
            self.a.sign_to_rdx(w);
            self.a.group(Group::Idiv, w, RCX);
        } else {
            self.a.alu(Alu::Xor, Width::W32, RDX, RDX);
            self.a.group(Group::Div, w, RCX);
        }
        if rem {
            self.a.mov(w, RAX, RDX);
        }
        let mut ends = Vec::new();
        if let Some(from) = negate {
            ends.push(self.a.skip());
            self.a.land(from);
            if rem {
                self.a.mov_imm(RAX, 0);
            } else {
                self.a.group(Group::Neg, w, RAX);
            }
        }
        if let Some(from) = zero {
            // The remainder by zero is the dividend, which is there.
            ends.push(self.a.skip());
            self.a.land(from);
            if !rem {
                self.a.mov_imm(RAX, minus_one);
            }
        }
        ends.into_iter().for_each(|from| self.a.land(from));
        self.normalize(kind, RAX, RAX);
        self.done(y, RAX);
    }

    /// By a constant, without dividing; gives whether it could.
    fn divide_by_product(&mut self, rem: bool, y: Value, a: Value, divisor: u64) -> bool {
        let kind = self.kind(y);
        let (w, signed) = (width(kind), kind.is_signed());
        let bits = if w == Width::W64 { 64 } else { 32 };
        let number = if w == Width::W64 { divisor as i64 } else { divisor as i32 as i64 };
        if signed && (-1..=1).contains(&number) || !signed && (divisor < 3 || divisor >> (bits - 2) != 0) {
            return false;
        }
        self.read_gpr(RCX, a);
        let Factor { factor, shift, add } =
            if signed { signed_factor(number, bits) } else { unsigned_factor(divisor, bits) };
        self.a.mov_imm(RAX, factor);
        if signed {
            self.a.group(Group::Imul, w, RCX);
            if add {
                self.a.alu(if number < 0 { Alu::Sub } else { Alu::Add }, w, RDX, RCX);
            }
            if shift > 0 {
                self.a.shift_imm(Shift::Sar, w, RDX, shift);
            }
            // Towards zero: one more if it is below.
            self.a.mov(w, RAX, RDX);
            self.a.shift_imm(Shift::Shr, w, RAX, bits as u8 - 1);
            self.a.alu(Alu::Add, w, RDX, RAX);
        } else {
            self.a.group(Group::Mul, w, RCX);
            if add {
                // Half of the rest and the product, which fits.
                self.a.mov(w, RAX, RCX);
                self.a.alu(Alu::Sub, w, RAX, RDX);
                self.a.shift_imm(Shift::Shr, w, RAX, 1);
                self.a.alu(Alu::Add, w, RDX, RAX);
            }
            let shift = if add { shift - 1 } else { shift };
            if shift > 0 {
                self.a.shift_imm(Shift::Shr, w, RDX, shift);
            }
        }
        if !rem {
            self.normalize(kind, RDX, RDX);
            self.done(y, RDX);
            return true;
        }
        match i32::try_from(number) {
            Ok(imm) => self.a.imul_imm(w, RDX, RDX, imm),
            Err(_) => {
                self.a.mov_imm(RAX, divisor);
                self.a.imul(w, RDX, RAX);
            }
        }
        self.a.alu(Alu::Sub, w, RCX, RDX);
        self.normalize(kind, RCX, RCX);
        self.done(y, RCX);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_divide() {
        let numbers = |bits: u32| {
            let all = (0..bits).flat_map(|b| [1u64 << b, (1 << b) - 1, (1 << b) + 1, (1 << b) + (1 << (b / 2))]);
            let all: Vec<u64> = all.chain([10, 100, 1000, 7, 641, 0x0123_4567]).collect();
            all
        };
        for bits in [32, 64] {
            let mask = u64::MAX >> (64 - bits);
            for d in numbers(bits - 2).into_iter().filter(|d| *d > 2 && !d.is_power_of_two()) {
                let f = unsigned_factor(d, bits);
                for n in numbers(bits).into_iter().flat_map(|n| [n, n.wrapping_neg() & mask]) {
                    let high = ((n as u128 * f.factor as u128) >> bits) as u64;
                    let q = if f.add { (((n - high) >> 1) + high) >> (f.shift - 1) } else { high >> f.shift };
                    assert_eq!(q, n / d, "{n} by {d}");
                }
            }
            let sign = |n: u64| if bits == 32 { n as i32 as i64 } else { n as i64 };
            for d in numbers(bits).into_iter().flat_map(|n| [sign(n), sign(n.wrapping_neg())]) {
                if (-1..=1).contains(&d) {
                    continue;
                }
                let f = signed_factor(d, bits);
                for n in numbers(bits).into_iter().flat_map(|n| [sign(n), sign(n.wrapping_neg())]) {
                    let mut high = sign(((n as i128 * sign(f.factor) as i128) >> bits) as u64 & mask);
                    if f.add {
                        high = sign(if d < 0 { high.wrapping_sub(n) } else { high.wrapping_add(n) } as u64 & mask);
                    }
                    let q = (high >> f.shift) + (high < 0) as i64;
                    assert_eq!(q, sign(n.wrapping_div(d) as u64 & mask), "{n} by {d}");
                }
            }
        }
    }
}
