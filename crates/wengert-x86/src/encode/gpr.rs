//! Instructions on general registers, and control flow.

use super::{Assembler, Gpr, Label, Mem, Operand, Rm};

/// How many bits an instruction computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    W32,
    W64,
}

impl Width {
    fn rex(self) -> u8 {
        (self == Width::W64) as u8
    }
}

/// Instructions of two operands that share their encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alu {
    Add = 0,
    Or = 1,
    And = 4,
    Sub = 5,
    Xor = 6,
    Cmp = 7,
}

/// Instructions of one operand that share their encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Not = 2,
    Neg = 3,
    /// rdx:rax = rax times the operand, unsigned.
    Mul = 4,
    /// The same with sign.
    Imul = 5,
    /// rax, rdx = quotient and remainder of rdx:rax, unsigned.
    Div = 6,
    /// The same with sign.
    Idiv = 7,
}

/// Shifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    Shl = 4,
    Shr = 5,
    Sar = 7,
}

/// Conditions of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cond {
    B = 2,
    Ae = 3,
    E = 4,
    Ne = 5,
    Be = 6,
    A = 7,
    S = 8,
    Ns = 9,
    P = 10,
    Np = 11,
    L = 12,
    Ge = 13,
    Le = 14,
    G = 15,
}

impl Cond {
    const ALL: [Cond; 16] = {
        use Cond::*;
        [B, B, B, Ae, E, Ne, Be, A, S, Ns, P, Np, L, Ge, Le, G]
    };

    /// The opposite.
    pub fn not(self) -> Cond {
        Cond::ALL[self as usize ^ 1]
    }

    /// The condition of the same operands the other way round.
    pub fn swapped(self) -> Cond {
        match self {
            Cond::B => Cond::A,
            Cond::A => Cond::B,
            Cond::Ae => Cond::Be,
            Cond::Be => Cond::Ae,
            Cond::L => Cond::G,
            Cond::G => Cond::L,
            Cond::Ge => Cond::Le,
            Cond::Le => Cond::Ge,
            other => other,
        }
    }
}

/// Loads that extend, by their opcode behind `0f` (but [`Extend::S32`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extend {
    Z8 = 0xb6,
    Z16 = 0xb7,
    S8 = 0xbe,
    S16 = 0xbf,
    S32 = 0x63,
}

impl Assembler {
    /// Prefix, opcode and operands; `bytes` if `rm` or `reg` is a register of 8 bits.
    #[expect(clippy::too_many_arguments, reason = "the fields of the encoding")]
    fn op(&mut self, prefix: u8, w: u8, opcode: &[u8], reg: u8, rm: Operand, bytes: bool, after: u32) {
        if prefix != 0 {
            self.byte(prefix);
        }
        let (b, x) = match rm {
            Operand::Reg(r) => (r >> 3 & 1, 0),
            _ => rm.extension(),
        };
        let rex = 0x40 | w << 3 | (reg >> 3 & 1) << 2 | x << 1 | b;
        // Without a REX prefix, registers 4 to 7 of 8 bits are ah, ch, dh and bh.
        let low = bytes && ((4..8).contains(&reg) || matches!(rm, Operand::Reg(4..8)));
        if rex != 0x40 || low {
            self.byte(rex);
        }
        self.code.extend_from_slice(opcode);
        self.modrm(reg, rm, 1, after);
    }

    /// `dst = dst op src`, or a comparison.
    pub fn alu(&mut self, op: Alu, w: Width, dst: Gpr, src: impl Into<Rm<Gpr>>) {
        self.op(0, w.rex(), &[(op as u8) << 3 | 3], dst.0, src.into().into(), false, 0);
    }

    /// `dst = dst op src` in memory, or a comparison.
    pub fn alu_to(&mut self, op: Alu, w: Width, dst: Mem, src: Gpr) {
        self.op(0, w.rex(), &[(op as u8) << 3 | 1], src.0, Operand::Mem(dst), false, 0);
    }

    /// `dst = dst op imm`, or a comparison.
    pub fn alu_imm(&mut self, op: Alu, w: Width, dst: impl Into<Rm<Gpr>>, imm: i32) {
        let dst = dst.into().into();
        if let Ok(imm) = i8::try_from(imm) {
            self.op(0, w.rex(), &[0x83], op as u8, dst, false, 1);
            self.byte(imm as u8);
        } else {
            self.op(0, w.rex(), &[0x81], op as u8, dst, false, 4);
            self.dword(imm as u32);
        }
    }

    /// Flags of `a & b`.
    pub fn test(&mut self, w: Width, a: Gpr, b: Gpr) {
        self.op(0, w.rex(), &[0x85], b.0, Operand::Reg(a.0), false, 0);
    }

    /// Flags of al, a boolean that a call gave: above it there may be anything.
    pub fn test_al(&mut self) {
        self.code.extend_from_slice(&[0x84, 0xc0]);
    }

    /// A copy from a register or memory.
    pub fn mov(&mut self, w: Width, dst: Gpr, src: impl Into<Rm<Gpr>>) {
        self.op(0, w.rex(), &[0x8b], dst.0, src.into().into(), false, 0);
    }

    /// Writes the low bytes of a register: 1, 2, 4 or 8.
    pub fn store(&mut self, bytes: usize, dst: Mem, src: Gpr) {
        let dst = Operand::Mem(dst);
        match bytes {
            1 => self.op(0, 0, &[0x88], src.0, dst, true, 0),
            2 => self.op(0x66, 0, &[0x89], src.0, dst, false, 0),
            4 => self.op(0, 0, &[0x89], src.0, dst, false, 0),
            _ => self.op(0, 1, &[0x89], src.0, dst, false, 0),
        }
    }

    /// Writes a number: 1, 2, 4 or 8 bytes, of at most 32 bits extended by their sign.
    pub fn store_imm(&mut self, bytes: usize, dst: Mem, imm: i32) {
        let dst = Operand::Mem(dst);
        match bytes {
            1 => {
                self.op(0, 0, &[0xc6], 0, dst, false, 1);
                self.byte(imm as u8);
            }
            2 => {
                self.op(0x66, 0, &[0xc7], 0, dst, false, 2);
                self.code.extend_from_slice(&(imm as u16).to_le_bytes());
            }
            _ => {
                self.op(0, (bytes == 8) as u8, &[0xc7], 0, dst, false, 4);
                self.dword(imm as u32);
            }
        }
    }

    /// A number of 64 bits; flags stay.
    pub fn mov_imm(&mut self, dst: Gpr, imm: u64) {
        if imm <= u32::MAX as u64 {
            if dst.0 > 7 {
                self.byte(0x41);
            }
            self.byte(0xb8 | dst.0 & 7);
            self.dword(imm as u32);
        } else if i32::try_from(imm as i64).is_ok() {
            self.op(0, 1, &[0xc7], 0, Operand::Reg(dst.0), false, 4);
            self.dword(imm as u32);
        } else {
            self.byte(0x48 | dst.0 >> 3);
            self.byte(0xb8 | dst.0 & 7);
            self.qword(imm);
        }
    }

    /// Copies 1, 2 or 4 bytes with zeros or the sign above them.
    pub fn extend(&mut self, how: Extend, w: Width, dst: Gpr, src: impl Into<Rm<Gpr>>) {
        let src = src.into().into();
        let bytes = matches!(how, Extend::Z8 | Extend::S8) && matches!(src, Operand::Reg(4..8));
        match how {
            Extend::S32 => self.op(0, w.rex(), &[0x63], dst.0, src, false, 0),
            _ => self.op(0, w.rex(), &[0x0f, how as u8], dst.0, src, bytes, 0),
        }
    }

    /// The address of a place.
    pub fn lea(&mut self, w: Width, dst: Gpr, src: Mem) {
        self.op(0, w.rex(), &[0x8d], dst.0, Operand::Mem(src), false, 0);
    }

    /// Says that a place will be read or written soon.
    pub fn prefetch(&mut self, at: Mem, write: bool) {
        self.op(0, 0, &[0x0f, if write { 0x0d } else { 0x18 }], 1, Operand::Mem(at), false, 0);
    }

    /// `dst = dst · src`.
    pub fn imul(&mut self, w: Width, dst: Gpr, src: impl Into<Rm<Gpr>>) {
        self.op(0, w.rex(), &[0x0f, 0xaf], dst.0, src.into().into(), false, 0);
    }

    /// `dst = src · imm`.
    pub fn imul_imm(&mut self, w: Width, dst: Gpr, src: impl Into<Rm<Gpr>>, imm: i32) {
        let src = src.into().into();
        if let Ok(imm) = i8::try_from(imm) {
            self.op(0, w.rex(), &[0x6b], dst.0, src, false, 1);
            self.byte(imm as u8);
        } else {
            self.op(0, w.rex(), &[0x69], dst.0, src, false, 4);
            self.dword(imm as u32);
        }
    }

    /// An instruction of one operand.
    pub fn group(&mut self, op: Group, w: Width, x: impl Into<Rm<Gpr>>) {
        self.op(0, w.rex(), &[0xf7], op as u8, x.into().into(), false, 0);
    }

    /// The sign of rax into all of rdx.
    pub fn sign_to_rdx(&mut self, w: Width) {
        if w == Width::W64 {
            self.byte(0x48);
        }
        self.byte(0x99);
    }

    /// Shifts by cl.
    pub fn shift(&mut self, op: Shift, w: Width, x: Gpr) {
        self.op(0, w.rex(), &[0xd3], op as u8, Operand::Reg(x.0), false, 0);
    }

    /// Shifts by a number.
    pub fn shift_imm(&mut self, op: Shift, w: Width, x: Gpr, by: u8) {
        self.op(0, w.rex(), &[0xc1], op as u8, Operand::Reg(x.0), false, 1);
        self.byte(by);
    }

    /// 1 if the condition holds, else 0, in the low byte.
    pub fn set(&mut self, c: Cond, dst: Gpr) {
        self.op(0, 0, &[0x0f, 0x90 | c as u8], 0, Operand::Reg(dst.0), dst.0 > 3, 0);
    }

    /// A copy if the condition holds.
    pub fn cmov(&mut self, c: Cond, w: Width, dst: Gpr, src: impl Into<Rm<Gpr>>) {
        self.op(0, w.rex(), &[0x0f, 0x40 | c as u8], dst.0, src.into().into(), false, 0);
    }

    /// Jumps if the condition holds.
    pub fn jump_if(&mut self, c: Cond, to: Label) {
        if let Some(d) = self.near(to, 2) {
            self.byte(0x70 | c as u8);
            self.byte(d as u8);
        } else {
            self.byte(0x0f);
            self.byte(0x80 | c as u8);
            self.distance(to);
        }
    }

    /// Jumps.
    pub fn jump(&mut self, to: Label) {
        if let Some(d) = self.near(to, 2) {
            self.byte(0xeb);
            self.byte(d as u8);
        } else {
            self.byte(0xe9);
            self.distance(to);
        }
    }

    /// Jumps forward over at most 127 bytes, to where [`Assembler::land`] says.
    pub fn skip_if(&mut self, c: Cond) -> usize {
        self.byte(0x70 | c as u8);
        self.byte(0);
        self.here()
    }

    /// The same whatever the flags are.
    pub fn skip(&mut self) -> usize {
        self.byte(0xeb);
        self.byte(0);
        self.here()
    }

    /// Where a short jump leads.
    pub fn land(&mut self, from: usize) {
        let distance = self.here() - from;
        debug_assert!(distance < 128, "a short jump is short");
        self.code[from - 1] = distance as u8;
    }

    /// Calls what a register points to.
    pub fn call(&mut self, to: Gpr) {
        self.op(0, 0, &[0xff], 2, Operand::Reg(to.0), false, 0);
    }

    /// The clock of the core, in edx:eax.
    pub fn rdtsc(&mut self) {
        self.byte(0x0f);
        self.byte(0x31);
    }

    /// Returns.
    pub fn ret(&mut self) {
        self.byte(0xc3);
    }

    /// Puts a register onto the stack.
    pub fn push(&mut self, r: Gpr) {
        if r.0 > 7 {
            self.byte(0x41);
        }
        self.byte(0x50 | r.0 & 7);
    }

    /// Takes a register from the stack.
    pub fn pop(&mut self, r: Gpr) {
        if r.0 > 7 {
            self.byte(0x41);
        }
        self.byte(0x58 | r.0 & 7);
    }
}
