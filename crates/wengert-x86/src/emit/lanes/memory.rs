//! Reading and writing memory, in all lanes.

use super::every_other::is_every_other;
use super::plan::{Pattern, pattern};
use super::plan::{Place, TAIL};
use super::{K1, Vector, Z0, Z1, Z2};
use crate::encode::gpr::Width;
use crate::encode::simd::{Length, Mask, Op};
use crate::encode::{Mem, Operand, RDX, Simd, ops};
use wengert_kernel::{Address, Kind, Value};

/// Bytes of a line of memory.
const LINE: i64 = 64;

impl Vector<'_, '_> {
    pub(super) fn pattern(&self, at: &Address, kind: Kind) -> Pattern {
        pattern(at, self.plan.index, kind.bytes(), |v| self.plan.varies(v))
    }

    /// The address of this copy's first lane.
    pub(super) fn first(&mut self, at: &Address) -> Mem {
        let mut at = *at;
        if let Some((i, scale)) = at.index
            && i == self.plan.index
        {
            at.offset = at.offset.wrapping_add((self.copy * self.plan.lanes) as i64 * scale);
        }
        self.e.address(&at)
    }

    fn tail(&self, zero: bool) -> Mask {
        Mask { k: if self.partial { TAIL } else { 0 }, zero: zero && self.partial }
    }

    /// An instruction that reads memory, under the tail's mask.
    fn read(&mut self, op: &Op, l: Length, y: Simd, m: Mem) {
        match self.partial {
            true => self.masked(op, l, y, Z0, m, self.tail(true)),
            false => self.two(op, l, y, m),
        }
    }

    /// An instruction that writes memory, under the tail's mask.
    fn write(&mut self, op: &Op, l: Length, x: Simd, m: Mem) {
        match self.partial {
            true => self.masked(op, l, x, Z0, m, self.tail(false)),
            false => self.two(op, l, x, m),
        }
    }

    pub(super) fn load(&mut self, y: Value, at: &Address) {
        let kind = self.kind(y);
        let l = self.length(kind);
        let d = self.def(y);
        match self.pattern(at, kind) {
            Pattern::Contiguous => {
                let m = self.first(at);
                match kind {
                    Kind::Bool => {
                        self.read(&ops::PMOVZXBD, l, Z0, m);
                        let k = self.mask(y);
                        return self.compare_lanes(&ops::PTESTMD, l, k, Z0, Z0, None);
                    }
                    Kind::I8 => self.read(&ops::PMOVSXBD, l, d, m),
                    Kind::U8 => self.read(&ops::PMOVZXBD, l, d, m),
                    Kind::I16 => self.read(&ops::PMOVSXWD, l, d, m),
                    Kind::U16 | Kind::F16 | Kind::BF16 => self.read(&ops::PMOVZXWD, l, d, m),
                    _ => self.read(Self::by_width(kind, &ops::MOVUPS, &ops::MOVUPD), l, d, m),
                }
            }
            Pattern::Uniform => {
                let m = self.e.address(at);
                match kind.bytes() {
                    4 => self.two(&ops::BROADCASTSS, l, d, m),
                    8 => self.two(&ops::BROADCASTSD, l, d, m),
                    _ => return self.load_narrow_uniform(y, m),
                }
            }
            Pattern::Strided if !self.partial && is_every_other(at, kind) => return self.load_every_other(y, at),
            Pattern::Strided => {
                let (m, longer) = self.strides(at, kind);
                let op = Self::by_width(kind, &ops::GATHERDPS, &ops::GATHERDPD);
                self.gather(op, longer, l, m);
                return self.done(y, Z2);
            }
            Pattern::Indexed => {
                let m = self.indices(at);
                let op = Self::by_width(kind, &ops::GATHERQPS, &ops::GATHERQPD);
                self.gather(op, Length::L512, l, m);
                return self.done(y, Z2);
            }
        }
        self.done(y, d);
    }

    /// Once for each line of memory that the lanes of all copies have.
    pub(super) fn prefetch(&mut self, at: &Address, write: bool) {
        let first = (self.copy * self.plan.lanes) as i64 * at.index.map_or(0, |(_, scale)| scale);
        if first % LINE == 0 {
            let m = self.first(at);
            self.e.a.prefetch(m, write);
        }
    }

    /// One number of 8 or 16 bits for all lanes.
    fn load_narrow_uniform(&mut self, y: Value, m: Mem) {
        use crate::encode::gpr::{Extend, Group};
        let kind = self.kind(y);
        let how = match kind {
            Kind::I8 => Extend::S8,
            Kind::I16 => Extend::S16,
            Kind::U16 | Kind::F16 | Kind::BF16 => Extend::Z16,
            _ => Extend::Z8,
        };
        let a = &mut self.e.a;
        a.extend(how, Width::W32, RDX, m);
        if kind == Kind::Bool {
            a.group(Group::Neg, Width::W64, RDX);
            if let Place::Mask(k) = self.plan.place(y, self.copy) {
                return a.vex(&ops::KMOVW_GPR, 0, Length::L128, k, 0, Operand::Reg(RDX.0), None);
            }
        }
        let (d, l) = (self.def(y), self.length(kind));
        self.spread(d, RDX, kind == Kind::Bool, l);
        self.done(y, d);
    }

    /// From the places of all lanes, to Z2.
    fn gather(&mut self, op: &Op, l: Length, result: Length, m: Mem) {
        self.all_lanes(K1);
        self.three(&ops::XORPS, result, Z2, Z2, Z2);
        self.e.a.evex(op, op.evex_w, l, Z2.0, 0, Operand::Mem(m), Mask::keep(K1), false, None);
    }

    /// The places of lanes that are as far from each other, and the length of the instruction.
    fn strides(&mut self, at: &Address, kind: Kind) -> (Mem, Length) {
        let scale = at.index.map_or(0, |(_, s)| s) as i32;
        let first = self.first(at);
        self.e.a.lea(Width::W64, RDX, first);
        let bytes: Vec<u8> = (0..self.plan.lanes as i32).flat_map(|i| (i * scale).to_le_bytes()).collect();
        let table = self.e.a.table(&bytes);
        let distances = if self.plan.lanes == 16 { Length::L512 } else { Length::L256 };
        self.two(&ops::MOVUPS, distances, Z1, table);
        (Mem::Lanes { base: RDX, index: Z1, shift: 0, disp: 0 }, distances.max(self.length(kind)))
    }

    /// The places that lanes say themselves.
    fn indices(&mut self, at: &Address) -> Mem {
        let base = self.e.gpr(at.base, RDX);
        let (i, scale) = at.index.unwrap_or((at.base, 1));
        let index = self.reg(i, Z1);
        Mem::Lanes { base, index, shift: scale.trailing_zeros() as u8, disp: at.offset as i32 }
    }

    pub(super) fn store(&mut self, x: Value, at: &Address) {
        let kind = self.kind(x);
        if !self.partial && is_every_other(at, kind) && self.pattern(at, kind) == Pattern::Strided {
            return self.store_every_other(x, at);
        }
        let l = self.length(kind);
        let s = match kind {
            Kind::Bool => {
                // All bits set, and then one of them.
                let k = self.mask(x);
                let op = &ops::PMOVM2D;
                self.e.a.evex(op, 0, l, Z0.0, 0, Operand::Reg(k), Mask::ALL, false, None);
                self.two(&ops::PABSD, l, Z0, Z0);
                Z0
            }
            _ => self.reg(x, Z0),
        };
        let (op, m, l) = match self.pattern(at, kind) {
            Pattern::Strided => {
                let (m, l) = self.strides(at, kind);
                (Self::by_width(kind, &ops::SCATTERDPS, &ops::SCATTERDPD), m, l)
            }
            Pattern::Indexed => {
                let m = self.indices(at);
                (Self::by_width(kind, &ops::SCATTERQPS, &ops::SCATTERQPD), m, Length::L512)
            }
            _ => {
                let m = self.first(at);
                let op = match kind.bytes() {
                    1 => &ops::PMOVDB_TO,
                    2 => &ops::PMOVDW_TO,
                    _ => Self::by_width(kind, &ops::MOVUPS_TO, &ops::MOVUPD_TO),
                };
                return self.write(op, l, s, m);
            }
        };
        self.all_lanes(K1);
        self.e.a.evex(op, op.evex_w, l, s.0, 0, Operand::Mem(m), Mask::keep(K1), false, None);
    }
}
