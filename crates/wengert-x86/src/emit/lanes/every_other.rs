//! Lanes two elements apart, as the parts of complex numbers lie: by whole vectors, not element by element.

use super::{K1, Vector, Z0, Z1, Z2, Z3};
use crate::encode::simd::{Form, Length, Mask};
use crate::encode::{Mem, Operand, RAX, Rm, ops};
use wengert_kernel::{Address, Kind, Value};

/// Whether lanes lie at every other element.
pub fn is_every_other(at: &Address, kind: Kind) -> bool {
    kind.bytes() >= 4 && at.index.is_some_and(|(_, scale)| scale == 2 * kind.bytes() as i64)
}

/// Some bytes further.
fn further(m: Mem, bytes: usize) -> Mem {
    match m {
        Mem::At { base, index, disp } => Mem::At { base, index, disp: disp + bytes as i32 },
        other => other,
    }
}

impl Vector<'_, '_> {
    /// Numbers of elements, one for each lane.
    fn numbers(&mut self, kind: Kind, number: impl Fn(usize) -> usize) -> Mem {
        let lanes = 0..self.plan.lanes;
        let bytes: Vec<u8> =
            lanes.flat_map(|i| (number(i) as u64).to_le_bytes().into_iter().take(kind.bytes())).collect();
        self.e.a.table(&bytes)
    }

    pub(super) fn load_every_other(&mut self, y: Value, at: &Address) {
        let kind = self.kind(y);
        let (l, lanes) = (self.length(kind), self.plan.lanes);
        // The second vector starts with the last element of the first, and so ends with the last lane: nothing beyond is
        // read. Lanes are at even places of the first, and at odd ones of the second.
        let first = self.first(at);
        let second = further(first, (lanes - 1) * kind.bytes());
        if self.plan.masks {
            let numbers = self.numbers(kind, |i| 2 * i + (2 * i >= lanes) as usize);
            self.two(&ops::MOVUPS, l, Z2, numbers);
            self.two(&ops::MOVUPS, l, Z0, first);
            self.three(Self::by_width(kind, &ops::PERMI2PS, &ops::PERMI2PD), l, Z2, Z0, second);
            return self.done(y, Z2);
        }
        self.two(&ops::MOVUPS, l, Z0, first);
        let (op, which) = if Self::wide(kind) { (&ops::SHUFPD, 0b1010) } else { (&ops::SHUFPS, 0xd8) };
        self.e.a.three(Form::Vex, op, l, Z0, Z0, second, Some(which));
        if l == Length::L256 {
            // Those of the first vector before those of the second.
            self.e.a.two(Form::Vex, &ops::PERMPD_BY, l, Z0, Z0, Some(0xd8));
        }
        self.done(y, Z0);
    }

    /// Each element is there twice, and one of both is written.
    pub(super) fn store_every_other(&mut self, x: Value, at: &Address) {
        let kind = self.kind(x);
        let (l, lanes) = (self.length(kind), self.plan.lanes);
        let s = self.reg(x, Z1);
        let first = self.first(at);
        if self.plan.masks {
            self.e.a.mov_imm(RAX, 0x5555);
            self.e.a.vex(&ops::KMOVW_GPR, 0, Length::L128, K1, 0, Rm::Reg(RAX).into(), None);
            for half in 0..2 {
                let numbers = self.numbers(kind, |i| (half * lanes + i) / 2);
                self.two(&ops::MOVUPS, l, Z0, numbers);
                self.three(Self::by_width(kind, &ops::PERMPS, &ops::PERMPD), l, Z0, Z0, s);
                let op = Self::by_width(kind, &ops::MOVUPS_TO, &ops::MOVUPD_TO);
                self.masked(op, l, Z0, Z0, further(first, half * l.bytes()), Mask::keep(K1));
            }
            return;
        }
        let (low, high, write) = match Self::wide(kind) {
            true => (&ops::UNPCKLPD, &ops::UNPCKHPD, &ops::MASKMOVPD_TO),
            false => (&ops::UNPCKLPS, &ops::UNPCKHPS, &ops::MASKMOVPS_TO),
        };
        self.three(low, l, Z0, s, s);
        self.three(high, l, Z2, s, s);
        if l == Length::L256 {
            // Both have elements of both halves.
            self.e.a.three(Form::Vex, &ops::PERM2F128, l, Z3, Z0, Z2, Some(0x20));
            self.e.a.three(Form::Vex, &ops::PERM2F128, l, Z2, Z0, Z2, Some(0x31));
            self.two(&ops::MOVAPS, l, Z0, Z3);
        }
        let bytes: Vec<u8> =
            (0..l.bytes()).map(|i| if (i / kind.bytes()).is_multiple_of(2) { 0xff } else { 0 }).collect();
        let mask = self.e.a.table(&bytes);
        self.two(&ops::MOVUPS, l, Z1, mask);
        for (half, r) in [Z0, Z2].into_iter().enumerate() {
            let m = Operand::Mem(further(first, half * l.bytes()));
            self.e.a.vex(write, 0, l, r.0, Z1.0, m, None);
        }
    }
}
