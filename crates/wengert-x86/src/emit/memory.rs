//! Reading and writing memory.

use super::{Emit, X0, X1};
use crate::Features;
use crate::allocate::{COPY_INLINE, Loc};
use crate::encode::gpr::{Alu, Extend, Width};
use crate::encode::simd::Length;
use crate::encode::{Mem, RAX, RCX, RDX, ops};
use wengert_kernel::{Address, Kind, Value};

impl Emit<'_> {
    /// A place as an operand; rcx and rdx may hold parts of it.
    pub(super) fn address(&mut self, at: &Address) -> Mem {
        let base = self.gpr(at.base, RDX);
        let mut offset = at.offset;
        let index = match at.index {
            None => None,
            Some((i, scale)) => match self.loc(i) {
                Loc::Const(n) => {
                    offset = offset.wrapping_add((n as i64).wrapping_mul(scale));
                    None
                }
                _ if scale == 0 => None,
                _ if matches!(scale, 1 | 2 | 4 | 8) => Some((self.gpr(i, RCX), scale.trailing_zeros() as u8)),
                _ => {
                    match i32::try_from(scale) {
                        Ok(scale) => {
                            let i = self.gpr_rm(i, RCX);
                            self.a.imul_imm(Width::W64, RCX, i, scale);
                        }
                        Err(_) => {
                            self.a.mov_imm(RCX, scale as u64);
                            let i = self.gpr_rm(i, RCX);
                            self.a.imul(Width::W64, RCX, i);
                        }
                    }
                    Some((RCX, 0))
                }
            },
        };
        match i32::try_from(offset) {
            Ok(disp) => Mem::At { base, index, disp },
            Err(_) => {
                // Into rdx goes all but the offset, then into rcx the offset.
                self.a.lea(Width::W64, RDX, Mem::At { base, index, disp: 0 });
                self.a.mov_imm(RCX, offset as u64);
                Mem::At { base: RDX, index: Some((RCX, 0)), disp: 0 }
            }
        }
    }

    pub(super) fn load(&mut self, y: Value, at: &Address) {
        let m = self.address(at);
        let kind = self.kind(y);
        if kind.is_float() {
            let d = self.def_simd(y);
            self.a.two(self.form, Self::pick(kind, &ops::MOVSS, &ops::MOVSD), Length::L128, d, m, None);
            return self.done_simd(y, d);
        }
        let d = self.def(y);
        match kind {
            Kind::Bool | Kind::U8 => self.a.extend(Extend::Z8, Width::W32, d, m),
            Kind::U16 | Kind::F16 | Kind::BF16 => self.a.extend(Extend::Z16, Width::W32, d, m),
            Kind::I8 => self.a.extend(Extend::S8, Width::W32, d, m),
            Kind::I16 => self.a.extend(Extend::S16, Width::W32, d, m),
            _ => self.a.mov(super::width(kind), d, m),
        }
        self.done(y, d);
    }

    pub(super) fn store(&mut self, x: Value, at: &Address) {
        let m = self.address(at);
        let kind = self.kind(x);
        match self.loc(x) {
            Loc::Simd(s) => {
                let op = Self::pick(kind, &ops::MOVSS_TO, &ops::MOVSD_TO);
                self.a.two(self.form, op, Length::L128, s, m, None);
            }
            Loc::Const(_) if self.imm(x).is_some() => {
                let imm = self.imm(x).unwrap_or_default();
                self.a.store_imm(kind.bytes(), m, imm);
            }
            _ => {
                let s = self.gpr(x, RAX);
                self.a.store(kind.bytes(), m, s);
            }
        }
    }

    pub(super) fn pointer(&mut self, y: Value, at: &Address) {
        let m = self.address(at);
        let d = self.def(y);
        match m {
            Mem::At { base, index: None, disp: 0 } => self.a.mov(Width::W64, d, base),
            Mem::At { base, index: None, disp } if base == d => self.a.alu_imm(Alu::Add, Width::W64, d, disp),
            _ => self.a.lea(Width::W64, d, m),
        }
        self.done(y, d);
    }

    pub(super) fn copy(&mut self, [from, to]: [Value; 2], bytes: usize) {
        if bytes > COPY_INLINE {
            return self.call_memcpy(from, to, bytes);
        }
        let (from, to) = (self.gpr(from, RCX), self.gpr(to, RDX));
        let mut at = 0;
        while at < bytes {
            let left = bytes - at;
            let (here, there) = (Mem::at(from, at as i32), Mem::at(to, at as i32));
            at += match left {
                64.. if self.features >= Features::Avx2 => {
                    let l = Length::L256;
                    let (next, after) = (Mem::at(from, at as i32 + 32), Mem::at(to, at as i32 + 32));
                    self.a.two(self.form, &ops::MOVUPS, l, X0, here, None);
                    self.a.two(self.form, &ops::MOVUPS, l, X1, next, None);
                    self.a.two(self.form, &ops::MOVUPS_TO, l, X0, there, None);
                    self.a.two(self.form, &ops::MOVUPS_TO, l, X1, after, None);
                    64
                }
                16.. => {
                    self.a.two(self.form, &ops::MOVUPS, Length::L128, X0, here, None);
                    self.a.two(self.form, &ops::MOVUPS_TO, Length::L128, X0, there, None);
                    16
                }
                8.. => self.copy_word(8, here, there),
                4.. => self.copy_word(4, here, there),
                2.. => self.copy_word(2, here, there),
                _ => self.copy_word(1, here, there),
            };
        }
        if bytes >= 64 && self.features >= Features::Avx2 {
            self.a.zero_upper();
        }
    }

    fn copy_word(&mut self, bytes: usize, from: Mem, to: Mem) -> usize {
        match bytes {
            1 => self.a.extend(Extend::Z8, Width::W32, RAX, from),
            2 => self.a.extend(Extend::Z16, Width::W32, RAX, from),
            4 => self.a.mov(Width::W32, RAX, from),
            _ => self.a.mov(Width::W64, RAX, from),
        }
        self.a.store(bytes, to, RAX);
        bytes
    }
}
