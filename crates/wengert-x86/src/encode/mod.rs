//! The assembler: bytes of machine code, with labels to jump to and a pool of constants behind the code.
//!
//! What is here knows encodings, not meanings: which instructions compute what is said in [`emit`](crate::emit).

pub mod gpr;
pub mod ops;
pub mod simd;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A general register, by its number in encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gpr(pub u8);

/// A vector register, by its number; from 16 on they are there with AVX-512 only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Simd(pub u8);

pub const RAX: Gpr = Gpr(0);
pub const RCX: Gpr = Gpr(1);
pub const RDX: Gpr = Gpr(2);
pub const RSP: Gpr = Gpr(4);

/// An operand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mem {
    /// `base + index · 2^shift + disp`.
    At { base: Gpr, index: Option<(Gpr, u8)>, disp: i32 },
    /// The same with a vector of indices, for gathers.
    Lanes { base: Gpr, index: Simd, shift: u8, disp: i32 },
    /// Some bytes into the constant pool.
    Pool(u32),
}

impl Mem {
    /// `base + disp`.
    pub fn at(base: Gpr, disp: i32) -> Mem {
        Mem::At { base, index: None, disp }
    }
}

/// An operand that is a register or lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rm<R> {
    Reg(R),
    Mem(Mem),
}

impl<R> From<Mem> for Rm<R> {
    fn from(m: Mem) -> Self {
        Rm::Mem(m)
    }
}

impl From<Gpr> for Rm<Gpr> {
    fn from(r: Gpr) -> Self {
        Rm::Reg(r)
    }
}

impl From<Simd> for Rm<Simd> {
    fn from(r: Simd) -> Self {
        Rm::Reg(r)
    }
}

/// A register number, or memory: the operand of a ModRM byte.
#[derive(Clone, Copy)]
pub(crate) enum Operand {
    Reg(u8),
    Mem(Mem),
}

impl From<Rm<Gpr>> for Operand {
    fn from(rm: Rm<Gpr>) -> Self {
        match rm {
            Rm::Reg(r) => Operand::Reg(r.0),
            Rm::Mem(m) => Operand::Mem(m),
        }
    }
}

impl From<Rm<Simd>> for Operand {
    fn from(rm: Rm<Simd>) -> Self {
        match rm {
            Rm::Reg(r) => Operand::Reg(r.0),
            Rm::Mem(m) => Operand::Mem(m),
        }
    }
}

impl Operand {
    /// The bits that extend the base or register, and the index.
    fn extension(self) -> (u8, u8) {
        match self {
            Operand::Reg(r) => (r >> 3 & 1, r >> 4 & 1),
            Operand::Mem(Mem::At { base, index, .. }) => (base.0 >> 3 & 1, index.map_or(0, |(i, _)| i.0 >> 3 & 1)),
            Operand::Mem(Mem::Lanes { base, index, .. }) => (base.0 >> 3 & 1, index.0 >> 3 & 1),
            Operand::Mem(Mem::Pool(_)) => (0, 0),
        }
    }
}

/// A place in the code that is jumped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(u32);

const UNBOUND: u32 = u32::MAX;

/// A multiplicative hash: keys are bits of constants.
#[derive(Default)]
pub struct BitsHasher(u64);

impl Hasher for BitsHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(b as u64);
        }
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0 ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn write_u8(&mut self, x: u8) {
        self.write_u64(x as u64);
    }
}

/// Code that is being written.
#[derive(Default)]
pub struct Assembler {
    /// The code so far.
    pub code: Vec<u8>,
    labels: Vec<u32>,
    /// Places of 32-bit distances to labels.
    jumps: Vec<(u32, Label)>,
    pool: Vec<u8>,
    pool_known: HashMap<(u64, u8), u32, BuildHasherDefault<BitsHasher>>,
    /// Places of 32-bit distances to the pool, from where they count, and to which byte.
    pool_uses: Vec<(u32, u32, u32)>,
}

impl Assembler {
    /// Where the next byte goes.
    pub fn here(&self) -> usize {
        self.code.len()
    }

    pub(crate) fn byte(&mut self, b: u8) {
        self.code.push(b);
    }

    pub(crate) fn dword(&mut self, x: u32) {
        self.code.extend_from_slice(&x.to_le_bytes());
    }

    pub(crate) fn qword(&mut self, x: u64) {
        self.code.extend_from_slice(&x.to_le_bytes());
    }

    /// A label to bind later.
    pub fn label(&mut self) -> Label {
        self.labels.push(UNBOUND);
        Label(self.labels.len() as u32 - 1)
    }

    /// Binds a label to this place.
    pub fn bind(&mut self, l: Label) {
        self.labels[l.0 as usize] = self.here() as u32;
    }

    /// The distance from behind an 8-bit distance here to a bound label, if it fits.
    fn near(&self, l: Label, length: usize) -> Option<i8> {
        match self.labels[l.0 as usize] {
            UNBOUND => None,
            at => i8::try_from(at as i64 - (self.here() + length) as i64).ok(),
        }
    }

    fn distance(&mut self, l: Label) {
        self.jumps.push((self.here() as u32, l));
        self.dword(0);
    }

    /// Instructions that do nothing, up to a multiple of a power of two.
    pub fn align(&mut self, to: usize) {
        const NOPS: [&[u8]; 9] = [
            &[0x90],
            &[0x66, 0x90],
            &[0x0f, 0x1f, 0x00],
            &[0x0f, 0x1f, 0x40, 0x00],
            &[0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
            &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
        ];
        let mut missing = self.here().wrapping_neg() & (to - 1);
        while missing > 0 {
            let n = missing.min(9);
            self.code.extend_from_slice(NOPS[n - 1]);
            missing -= n;
        }
    }

    /// A constant of `width` bytes in the pool: the bits, repeated.
    pub fn constant(&mut self, bits: u64, each: u8, width: u8) -> Mem {
        let bits = if each == 4 { bits & 0xffff_ffff } else { bits };
        let Assembler { pool, pool_known, .. } = self;
        let at = *pool_known.entry((bits, each << 4 | width.trailing_zeros() as u8)).or_insert_with(|| {
            pool.resize(pool.len().next_multiple_of(width as usize), 0);
            let at = pool.len() as u32;
            for _ in 0..width / each {
                pool.extend_from_slice(&bits.to_le_bytes()[..each as usize]);
            }
            at
        });
        Mem::Pool(at)
    }

    /// Bytes in the pool, at a multiple of their number, which is a power of two.
    pub fn table(&mut self, bytes: &[u8]) -> Mem {
        self.pool.resize(self.pool.len().next_multiple_of(bytes.len()), 0);
        let at = self.pool.len() as u32;
        self.pool.extend_from_slice(bytes);
        Mem::Pool(at)
    }

    /// The ModRM byte and what follows from it; `unit` is what 8-bit displacements count in, `after` is how many bytes
    /// of the instruction follow.
    pub(crate) fn modrm(&mut self, reg: u8, rm: Operand, unit: i32, after: u32) {
        let reg = (reg & 7) << 3;
        let (base, index, disp) = match rm {
            Operand::Reg(r) => return self.byte(0xc0 | reg | r & 7),
            Operand::Mem(Mem::Pool(at)) => {
                self.byte(reg | 5);
                let here = self.here() as u32;
                self.pool_uses.push((here, here + 4 + after, at));
                return self.dword(0);
            }
            Operand::Mem(Mem::At { base, index, disp }) => {
                debug_assert!(index.is_none_or(|(i, _)| i != RSP), "rsp is no index");
                (base, index.map(|(i, s)| (i.0, s)), disp)
            }
            Operand::Mem(Mem::Lanes { base, index, shift, disp }) => (base, Some((index.0, shift)), disp),
        };
        // Without displacement, the numbers of rbp and r13 mean something else.
        let (mode, small) = match disp {
            0 if base.0 & 7 != 5 => (0x00, None),
            _ if disp % unit == 0 && i8::try_from(disp / unit).is_ok() => (0x40, Some((disp / unit) as u8)),
            _ => (0x80, None),
        };
        match index {
            None if base.0 & 7 != 4 => self.byte(mode | reg | base.0 & 7),
            None => {
                self.byte(mode | reg | 4);
                self.byte(0x20 | base.0 & 7);
            }
            Some((i, shift)) => {
                self.byte(mode | reg | 4);
                self.byte(shift << 6 | (i & 7) << 3 | base.0 & 7);
            }
        }
        match (mode, small) {
            (_, Some(d)) => self.byte(d),
            (0x80, None) => self.dword(disp as u32),
            _ => {}
        }
    }

    /// The code with its constants behind it, and how long the code alone is.
    pub fn finish(mut self) -> (Vec<u8>, usize) {
        let length = self.code.len();
        let patch = |code: &mut Vec<u8>, at: u32, distance: i64| {
            code[at as usize..][..4].copy_from_slice(&(distance as i32).to_le_bytes());
        };
        for &(at, l) in &self.jumps {
            let to = self.labels[l.0 as usize];
            debug_assert_ne!(to, UNBOUND, "a label that is jumped to is bound");
            patch(&mut self.code, at, to as i64 - (at as i64 + 4));
        }
        if !self.pool.is_empty() {
            self.code.resize(length.next_multiple_of(64), 0xcc);
            let pool = self.code.len() as i64;
            for &(at, from, to) in &self.pool_uses {
                patch(&mut self.code, at, pool + to as i64 - from as i64);
            }
            self.code.extend_from_slice(&self.pool);
        }
        (self.code, length)
    }
}
