//! Instructions without blocks, and what brings values to memory.

use super::{Generator, Region, Rights, names};
use crate::ir::{Address, Binary, Compare, Inst, Kind, Unary, Value};

impl Generator {
    /// An instruction that is no control flow, and calls no kernel.
    pub(super) fn simple(&mut self) {
        match self.random.below(24) {
            0 => {
                let kind = self.kind();
                let bits = self.random.number(kind);
                let y = self.b.constant(kind, bits);
                self.add(y);
            }
            1..4 => {
                let kind = self.number_kind();
                let ops: Vec<Unary> = Unary::ALL.iter().copied().filter(|op| op.takes(kind)).collect();
                let (op, x) = (self.random.one(&ops), self.any(kind));
                let y = self.b.unary(op, x);
                self.add(y);
            }
            4..10 => {
                let kind = self.number_kind();
                let ops: Vec<Binary> = Binary::ALL.iter().copied().filter(|op| op.takes(kind)).collect();
                let (op, mut a, mut b) = (self.random.one(&ops), self.any(kind), self.any(kind));
                if op == Binary::CopySign {
                    b = self.certain(b);
                }
                if op == Binary::Scale {
                    // A number that it takes, and a power of a byte.
                    let near = self.random.one(&[0.25f32, -1.7, 1.0, 2.9]);
                    let bits = if kind == Kind::F32 { near.to_bits() as u64 } else { (near as f64).to_bits() };
                    let power = self.any(Kind::I8);
                    (a, b) = (self.b.constant(kind, bits), self.b.convert(power, kind));
                }
                let y = self.b.binary(op, a, b);
                self.add(y);
            }
            10 => {
                let kind = self.random.one(&[Kind::F32, Kind::F64]);
                let x = [0; 3].map(|_| self.any(kind));
                let y = self.b.value(kind);
                let negate = [0; 2].map(|_| self.random.below(2) == 1);
                self.b.push(Inst::MulAdd { y, x, negate });
                self.add(y);
            }
            11..13 => {
                let kind = self.number_kind();
                let (op, a, b) = (self.random.one(Compare::ALL), self.any(kind), self.any(kind));
                let y = self.b.compare(op, a, b);
                self.add(y);
            }
            13 => {
                let kind = self.kind();
                let (condition, a, b) = (self.any(Kind::Bool), self.any(kind), self.any(kind));
                let y = self.b.select(condition, a, b);
                self.add(y);
            }
            14 => self.select_pointer(),
            15..17 => {
                let (mut from, mut to) = (self.kind(), self.kind());
                if from.is_half() {
                    to = Kind::F32;
                } else if to.is_half() {
                    from = Kind::F32;
                }
                let x = self.any(from);
                let y = self.b.value(to);
                self.b.push(Inst::Convert { y, x });
                self.add(y);
            }
            17 => {
                let from = self.random.one(&Kind::ALL[1..Kind::ALL.len() - 1]);
                let like: Vec<Kind> =
                    Kind::ALL[1..Kind::ALL.len() - 1].iter().copied().filter(|k| k.bytes() == from.bytes()).collect();
                let (to, x) = (self.random.one(&like), self.any(from));
                let x = self.certain(x);
                let y = self.b.value(to);
                self.b.push(Inst::Bitcast { y, x });
                self.add(y);
            }
            18..20 => {
                let kind = self.kind();
                self.load(kind);
            }
            20 => {
                let rights = self.random.one(&[Rights::Read, Rights::Truths, Rights::Write]);
                let region = self.region(1, if self.lanes.is_some() { Rights::Read } else { rights });
                let bytes = 1 + self.random.below(region.bytes.min(64));
                let at = self.place(region, bytes);
                let pointer = self.b.value(Kind::Ptr);
                self.b.push(Inst::Pointer { y: pointer, at });
                self.regions.push(Region { pointer, bytes, ..region });
            }
            21 => {
                let (kind, callees) = (self.random.one(&[Kind::F32, Kind::F64]), names());
                let (pair, at) = (self.random.below(2), if kind == Kind::F32 { 0 } else { 1 });
                let (condition, otherwise) = (self.any(Kind::Bool), self.any(kind));
                let x: Vec<_> = (0..1 + pair).map(|_| self.any(kind)).collect();
                let y = self.b.call_where(callees[at + 2 * pair].1, condition, &x, otherwise);
                self.add(y);
            }
            22 => self.store(),
            _ => self.copy(),
        }
    }

    /// Loads a value of a kind from somewhere, in lanes most often for each lane.
    pub(super) fn load(&mut self, kind: Kind) -> Value {
        let region = self.region(kind.bytes(), if kind == Kind::Bool { Rights::Truths } else { Rights::Read });
        let mut at = self.place(region, kind.bytes());
        if let Some((number, count)) = self.lanes
            && count as usize * kind.bytes() <= region.bytes
            && self.random.below(4) > 0
        {
            at = Address { base: region.pointer, index: Some((number, kind.bytes() as i64)), offset: 0 };
        }
        let y = self.b.load(kind, at);
        self.add(y);
        y
    }

    /// Some memory of at least as many bytes. With [`Rights::Read`] it may be one that can be written as well.
    pub(super) fn region(&mut self, bytes: usize, rights: Rights) -> Region {
        let fits = |r: &&Region| {
            r.bytes >= bytes
                && match rights {
                    Rights::Read if self.lanes.is_none() => r.rights != Rights::Truths,
                    rights => r.rights == rights,
                }
        };
        let found: Vec<Region> = self.regions.iter().filter(fits).copied().collect();
        let region = self.random.one(&found);
        self.using(region.pointer);
        region
    }

    /// A number whose range is known.
    fn index(&mut self) -> (Value, i64, i64) {
        if !self.ranges.is_empty() && self.random.below(3) > 0 {
            let (v, least, most) = self.ranges[self.random.below(self.ranges.len())];
            return (self.using(v), least, most);
        }
        let kind = self.random.one(&[Kind::I64, Kind::I32, Kind::U8, Kind::U32]);
        let x = self.any(kind);
        let x = self.b.convert(x, Kind::I64);
        let most = (1 << self.random.below(7)) - 1;
        let mask = self.b.constant(Kind::I64, most);
        (self.b.binary(Binary::And, x, mask), 0, most as i64)
    }

    /// A place in memory with as many bytes from there.
    fn place(&mut self, region: Region, bytes: usize) -> Address {
        let mut room = (region.bytes - bytes) as i64;
        let mut at = Address::at(region.pointer, 0);
        if self.random.below(3) > 0 {
            let (index, least, most) = self.index();
            let width = bytes.min(8) as i64;
            let scale = self.random.one(&[width, width, width, 1, 2, 4, 8, 3, 0, -width, -1]);
            let (low, high) = ((least * scale).min(most * scale), (least * scale).max(most * scale));
            if high - low <= room {
                at = Address { index: Some((index, scale)), offset: -low, ..at };
                room -= high - low;
            }
        }
        let more = self.random.below(room as usize + 1) as i64;
        at.offset += if self.random.below(2) == 0 { more } else { more & !7 };
        at
    }

    /// A float whose bits may be seen: it is one certain NaN if it is one. Others are as they are.
    pub(super) fn certain(&mut self, x: Value) -> Value {
        let (nan, wide) = match self.b.kind(x) {
            Kind::F16 => (0x7e00, self.b.convert(x, Kind::F32)),
            Kind::BF16 => (0x7fc0, self.b.convert(x, Kind::F32)),
            Kind::F32 => (f32::NAN.to_bits() as u64, x),
            Kind::F64 => (f64::NAN.to_bits(), x),
            _ => return x,
        };
        let nan = self.b.constant(self.b.kind(x), nan);
        let number = self.b.compare(Compare::Eq, wide, wide);
        self.b.select(number, x, nan)
    }

    /// One of two pointers, to the same sort of memory.
    fn select_pointer(&mut self) {
        let rights = self.random.one(&[Rights::Read, Rights::Truths, Rights::Write]);
        let rights = if self.lanes.is_some() { Rights::Read } else { rights };
        let found: Vec<Region> = self.regions.iter().filter(|r| r.rights == rights).copied().collect();
        let (p, q) = (self.random.one(&found), self.random.one(&found));
        let condition = self.any(Kind::Bool);
        let (a, b) = (self.using(p.pointer), self.using(q.pointer));
        let pointer = self.b.select(condition, a, b);
        self.regions.push(Region { pointer, bytes: p.bytes.min(q.bytes), rights });
    }

    /// Bytes of the output that nothing else takes: for each lane its own, where the place of a lane is of these bytes.
    fn output(&mut self, bytes: usize) -> Address {
        let offset = self.output_bytes as i64;
        self.output_bytes += bytes * self.lanes.map_or(1, |(_, count)| count as usize);
        let mut at = Address::at(self.output, offset);
        let Some((number, count)) = self.lanes else { return at };
        let bytes = bytes as i64;
        match self.random.below(6) {
            // From the last to the first, and by an index of its own.
            0 => {
                at.index = Some((number, -bytes));
                at.offset += (count.max(1) as i64 - 1) * bytes;
            }
            1 => {
                let last = self.b.constant(Kind::I64, count.saturating_sub(1));
                at.index = Some((self.b.binary(Binary::Sub, last, number), bytes));
            }
            2 => {
                let base = self.b.value(Kind::Ptr);
                self.b.push(Inst::Pointer { y: base, at: Address { index: Some((number, bytes)), ..at } });
                at = Address::at(base, 0);
            }
            _ => at.index = Some((number, bytes)),
        }
        at
    }

    /// Stores something: in lanes to a place of its own, from where it may be loaded again.
    fn store(&mut self) {
        let kind = self.kind();
        let x = self.any(kind);
        let x = self.certain(x);
        if self.lanes.is_none() && kind != Kind::Bool && self.random.below(2) == 0 {
            let region = self.region(kind.bytes(), Rights::Write);
            let at = self.place(region, kind.bytes());
            self.b.store(x, at);
            return;
        }
        // Of a single lane, also where all lanes would write the same.
        let lanes = self.lanes.take_if(|(_, count)| *count == 1 && self.random.below(2) == 0);
        let gap = self.random.below(3);
        let at = self.output(kind.bytes() + gap);
        self.lanes = self.lanes.or(lanes);
        if self.random.below(4) == 0 {
            let further = at.offset + self.random.below(4096) as i64;
            let write = self.random.below(2) == 0;
            self.b.prefetch(Address { offset: further, ..at }, write);
        }
        self.b.store(x, at);
        if self.random.below(2) == 0 {
            let y = self.b.load(kind, at);
            self.add(y);
        }
    }

    /// Copies bytes from what is read to a place of its own, or to where something else was.
    fn copy(&mut self) {
        let bytes = 1 + self.random.below(20);
        let from = self.random.one(&[Rights::Read, Rights::Truths]);
        let found: Vec<Region> =
            self.regions.iter().filter(|r| r.rights == from && r.bytes >= bytes).copied().collect();
        let from = self.random.one(&found);
        self.using(from.pointer);
        let from = self.place(from, bytes);
        let from = self.b.pointer(from);
        let to = if self.lanes.is_none() && self.random.below(2) == 0 {
            let region = self.region(bytes, Rights::Write);
            self.place(region, bytes)
        } else {
            self.output(bytes)
        };
        let to = self.b.pointer(to);
        self.b.push(Inst::Copy { x: [from, to], bytes });
    }

    /// Brings a value to memory: each time the block is run it counts.
    pub(super) fn sink(&mut self, x: Value) {
        let x = self.using(x);
        let x = self.certain(x);
        let kind = self.b.kind(x);
        if self.times == 1 || self.random.below(6) == 0 {
            let at = self.output(kind.bytes());
            self.b.store(x, at);
            return;
        }
        let bits = match kind {
            Kind::F16 | Kind::BF16 => self.b.bitcast(x, Kind::U16),
            Kind::F32 => self.b.bitcast(x, Kind::U32),
            Kind::F64 => self.b.bitcast(x, Kind::U64),
            _ => x,
        };
        let bits = self.b.convert(bits, Kind::U64);
        let at = self.output(8);
        let before = self.b.load(Kind::U64, at);
        let three = self.b.constant(Kind::U64, 3);
        let more = self.b.binary(Binary::Mul, before, three);
        let sum = self.b.binary(Binary::Add, more, bits);
        self.b.store(sum, at);
    }

    /// Brings to memory what a pointer points to.
    pub(super) fn sink_pointer(&mut self, region: Region) {
        let pointer = self.using(region.pointer);
        let x = self.b.load(Kind::U8, Address::at(pointer, region.bytes as i64 - 1));
        self.sink(x);
    }
}
