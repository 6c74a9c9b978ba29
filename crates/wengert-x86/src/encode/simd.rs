//! Vector instructions in their three encodings: SSE's of two operands, VEX of three, and EVEX with masks and all 32
//! registers. An [`Op`] is what the three have in common.

use super::{Assembler, Gpr, Mem, Operand, Rm, Simd};

/// How much of memory an operand takes, which EVEX counts displacements in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuple {
    /// As much as the vector, or one element of so many bytes that is repeated.
    Full(u8),
    /// One element of so many bytes.
    One(u8),
    /// The vector, divided by two to the power of this.
    Part(u8),
}

/// A vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// Its name, without a `v` before it.
    pub name: &'static str,
    /// The prefix, as VEX numbers them: none, 66, F3, F2.
    pub pp: u8,
    /// The table of opcodes: 0F, 0F38, 0F3A.
    pub map: u8,
    /// The opcode.
    pub code: u8,
    /// W in VEX, or [`NO_VEX`].
    pub vex_w: u8,
    /// W in EVEX, or [`NO_EVEX`].
    pub evex_w: u8,
    /// What of memory it takes.
    pub tuple: Tuple,
}

/// For instructions that only EVEX has.
pub const NO_VEX: u8 = 9;

/// For instructions that only VEX has.
pub const NO_EVEX: u8 = 9;

/// How long vectors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Length {
    L128,
    L256,
    L512,
}

impl Length {
    /// In bytes.
    pub fn bytes(self) -> usize {
        16 << self as usize
    }
}

/// A mask register, and whether other lanes become zero rather than stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    pub k: u8,
    pub zero: bool,
}

impl Mask {
    /// All lanes.
    pub const ALL: Mask = Mask { k: 0, zero: false };

    /// Other lanes stay.
    pub fn keep(k: u8) -> Mask {
        Mask { k, zero: false }
    }

    /// Other lanes become zero.
    pub fn zero(k: u8) -> Mask {
        Mask { k, zero: true }
    }
}

/// Which encodings there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    Sse,
    Vex,
    #[cfg(test)]
    Evex,
}

impl Assembler {
    /// `reg op= rm` as SSE has it.
    pub(crate) fn sse(&mut self, op: &Op, w: u8, reg: u8, rm: Operand, imm: Option<u8>) {
        match op.pp {
            0 => {}
            p => self.byte([0, 0x66, 0xf3, 0xf2][p as usize]),
        }
        let (b, x) = match rm {
            Operand::Reg(r) => (r >> 3 & 1, 0),
            _ => rm.extension(),
        };
        let rex = 0x40 | w << 3 | (reg >> 3 & 1) << 2 | x << 1 | b;
        if rex != 0x40 {
            self.byte(rex);
        }
        self.byte(0x0f);
        match op.map {
            2 => self.byte(0x38),
            3 => self.byte(0x3a),
            _ => {}
        }
        self.byte(op.code);
        self.tail(reg, rm, 1, imm);
    }

    fn tail(&mut self, reg: u8, rm: Operand, unit: i32, imm: Option<u8>) {
        self.modrm(reg, rm, unit, imm.is_some() as u32);
        if let Some(imm) = imm {
            self.byte(imm);
        }
    }

    /// `reg = v op rm` as VEX has it; `v` is zero where there is no second operand.
    #[expect(clippy::too_many_arguments, reason = "the fields of the encoding")]
    pub(crate) fn vex(&mut self, op: &Op, w: u8, l: Length, reg: u8, v: u8, rm: Operand, imm: Option<u8>) {
        let (b, x) = match rm {
            Operand::Reg(r) => (r >> 3 & 1, 0),
            _ => rm.extension(),
        };
        let r = reg >> 3 & 1;
        let last = (!v & 15) << 3 | (l as u8) << 2 | op.pp;
        if x == 0 && b == 0 && w == 0 && op.map == 1 {
            self.byte(0xc5);
            self.byte((r ^ 1) << 7 | last);
        } else {
            self.byte(0xc4);
            self.byte((r ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | op.map);
            self.byte(w << 7 | last);
        }
        self.byte(op.code);
        self.tail(reg, rm, 1, imm);
    }

    /// `reg = v op rm` as EVEX has it; `repeat` if an element in memory is used for all lanes.
    #[expect(clippy::too_many_arguments, reason = "the fields of the encoding")]
    pub(crate) fn evex(
        &mut self,
        op: &Op,
        w: u8,
        l: Length,
        reg: u8,
        v: u8,
        rm: Operand,
        mask: Mask,
        repeat: bool,
        imm: Option<u8>,
    ) {
        let (b, x) = rm.extension();
        let v = match rm {
            Operand::Mem(Mem::Lanes { index, .. }) => index.0 & 16,
            _ => v,
        };
        let unit = match op.tuple {
            Tuple::Full(each) if repeat => each as i32,
            Tuple::Full(_) => l.bytes() as i32,
            Tuple::One(each) => each as i32,
            Tuple::Part(by) => l.bytes() as i32 >> by,
        };
        self.byte(0x62);
        self.byte((reg >> 3 & 1 ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | (reg >> 4 & 1 ^ 1) << 4 | op.map);
        self.byte(w << 7 | (!v & 15) << 3 | 4 | op.pp);
        self.byte((mask.zero as u8) << 7 | (l as u8) << 5 | (repeat as u8) << 4 | (v >> 4 & 1 ^ 1) << 3 | mask.k);
        self.byte(op.code);
        self.tail(reg, rm, unit, imm);
    }

    /// `y = a op b` in the shortest of the encodings; in SSE's, `y` is `a`.
    #[expect(clippy::too_many_arguments, reason = "the fields of the encoding")]
    pub fn three(&mut self, form: Form, op: &Op, l: Length, y: Simd, a: Simd, b: impl Into<Rm<Simd>>, imm: Option<u8>) {
        let rm = b.into();
        let high = y.0 > 15 || a.0 > 15 || matches!(rm, Rm::Reg(Simd(16..)));
        match form {
            Form::Sse => {
                debug_assert_eq!(y, a, "two operands");
                self.sse(op, 0, y.0, rm.into(), imm);
            }
            _ if high || l == Length::L512 || op.vex_w == NO_VEX => {
                self.evex(op, op.evex_w, l, y.0, a.0, rm.into(), Mask::ALL, false, imm)
            }
            _ => self.vex(op, op.vex_w, l, y.0, a.0, rm.into(), imm),
        }
    }

    /// `y = op x`, where there is no second operand.
    pub fn two(&mut self, form: Form, op: &Op, l: Length, y: Simd, x: impl Into<Rm<Simd>>, imm: Option<u8>) {
        let rm = x.into();
        let high = y.0 > 15 || matches!(rm, Rm::Reg(Simd(16..)));
        match form {
            Form::Sse => self.sse(op, 0, y.0, rm.into(), imm),
            _ if high || l == Length::L512 || op.vex_w == NO_VEX => {
                self.evex(op, op.evex_w, l, y.0, 0, rm.into(), Mask::ALL, false, imm)
            }
            _ => self.vex(op, op.vex_w, l, y.0, 0, rm.into(), imm),
        }
    }

    /// `y = op x` from a general register or memory, with the upper part of `y` from `a` where the form has it;
    /// `w` is 1 for 64 bits.
    pub fn gpr_to_simd(&mut self, form: Form, op: &Op, w: u8, y: Simd, a: Option<Simd>, x: impl Into<Rm<Gpr>>) {
        let rm = x.into().into();
        let v = a.map_or(0, |a| a.0);
        match form {
            Form::Sse => self.sse(op, w, y.0, rm, None),
            _ if y.0 > 15 || v > 15 => self.evex(op, w, Length::L128, y.0, v, rm, Mask::ALL, false, None),
            _ => self.vex(op, w, Length::L128, y.0, v, rm, None),
        }
    }

    /// `y = op x` to a general register; `w` is 1 for 64 bits.
    pub fn simd_to_gpr(&mut self, form: Form, op: &Op, w: u8, y: Gpr, x: impl Into<Rm<Simd>>) {
        let rm = x.into();
        match form {
            Form::Sse => self.sse(op, w, y.0, rm.into(), None),
            _ if matches!(rm, Rm::Reg(Simd(16..))) => {
                self.evex(op, w, Length::L128, y.0, 0, rm.into(), Mask::ALL, false, None)
            }
            _ => self.vex(op, w, Length::L128, y.0, 0, rm.into(), None),
        }
    }

    /// The bits of a vector register's lowest element, to a general register; `w` is 1 for 64 bits.
    pub fn bits_to_gpr(&mut self, form: Form, w: u8, y: Gpr, x: Simd) {
        let op = &super::ops::MOVD_TO;
        let rm = Operand::Reg(y.0);
        match form {
            Form::Sse => self.sse(op, w, x.0, rm, None),
            _ if x.0 > 15 => self.evex(op, w, Length::L128, x.0, 0, rm, Mask::ALL, false, None),
            _ => self.vex(op, w, Length::L128, x.0, 0, rm, None),
        }
    }

    /// The upper halves of registers become zero: what code without VEX wants to find.
    pub fn zero_upper(&mut self) {
        self.code.extend_from_slice(&[0xc5, 0xf8, 0x77]);
    }
}
