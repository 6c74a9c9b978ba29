//! Loops, branches, lanes, and calls of kernels.

use super::{Generator, Region, Rights, names};
use crate::ir::{Address, Binary, Block, Compare, Inst, Kind, Value};

impl Generator {
    /// An instruction of any sort.
    pub(super) fn inst(&mut self) {
        let deep = self.depth > 3 || self.times > 100;
        match self.random.below(30) {
            0..2 if !deep => self.repeat(),
            2 if !deep => self.repeat_while(),
            3..5 if !deep => self.branch(),
            5..8 => self.lanes(),
            8 => self.kernel(),
            9 => self.pointer_through_memory(),
            _ => self.simple(),
        }
    }

    fn insts(&mut self) {
        for _ in 0..1 + self.random.below(7) {
            if self.random.below(3) == 0 {
                self.b.mark(1 + self.random.below(9) as u32);
            }
            self.inst();
        }
    }

    /// What a loop carries: the values it starts with, and those of the block, which are not seen so far. Some are
    /// pointers.
    fn carry(&mut self) -> (Vec<Value>, Vec<Value>, Vec<Region>) {
        let (mut start, mut carried, mut regions) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.random.below(4) {
            if self.random.below(5) == 0 {
                let region = self.region(1, Rights::Write);
                let pointer = self.b.value(Kind::Ptr);
                start.push(region.pointer);
                carried.push(pointer);
                regions.push(Region { pointer, ..region });
            } else {
                let kind = self.kind();
                start.push(self.any(kind));
                carried.push(self.b.value(kind));
            }
        }
        (start, carried, regions)
    }

    /// What a block gives for values that are like others: pointers of at least as many bytes.
    fn results(&mut self, like: &[Value], regions: &[Region]) -> Vec<Value> {
        let like: Vec<(Value, Kind)> = like.iter().map(|&v| (v, self.b.kind(v))).collect();
        like.into_iter()
            .map(|(v, kind)| match regions.iter().find(|r| r.pointer == v) {
                Some(region) => self.region(region.bytes, region.rights).pointer,
                None => self.any(kind),
            })
            .collect()
    }

    /// What an instruction gives, like other values.
    fn gives(&mut self, like: &[Value], regions: &[Region]) -> Vec<Value> {
        like.iter()
            .map(|&v| {
                let y = self.b.value(self.b.kind(v));
                self.add(y);
                let region = regions.iter().find(|r| r.pointer == v);
                self.regions.extend(region.map(|r| Region { pointer: y, ..*r }));
                y
            })
            .collect()
    }

    /// A block with inputs.
    fn block(&mut self, inputs: &[Value], regions: &[Region], inside: impl FnOnce(&mut Self) -> Vec<Value>) -> Block {
        self.b.begin();
        let results = self.scope_with(|g| {
            inputs.iter().for_each(|&v| g.add(v));
            g.regions.extend(regions);
            inside(g)
        });
        self.b.end(results)
    }

    fn repeat(&mut self) {
        let (start, carried, regions) = self.carry();
        let index = self.b.value(Kind::I64);
        let count = self.random.one(&[0, 1, 2, 3, 3, 4, 5]);
        let (from, step) = (self.random.below(9) as i64 - 3, self.random.one(&[1, 1, 1, 2, 3, 0, -1, -2]));
        let times = self.times;
        self.times *= count.max(2);
        let inputs = [&carried[..], &[index]].concat();
        let body = self.block(&inputs, &regions, |g| {
            let last = from + step * (count.max(1) as i64 - 1);
            g.ranges.push((index, from.min(last), from.max(last)));
            g.insts();
            g.results(&carried, &regions)
        });
        self.times = times;
        let y = self.gives(&carried, &regions);
        self.b.push(Inst::For { index, from, step, count, carried, start, body, y });
    }

    fn repeat_while(&mut self) {
        let (mut start, mut carried, regions) = self.carry();
        let kind = self.random.one(&[Kind::I32, Kind::U8, Kind::I64]);
        let most = self.random.below(5) as u64;
        let counter = self.b.value(kind);
        start.push(self.b.constant(kind, 0));
        carried.push(counter);
        let times = self.times;
        self.times *= most.max(2);
        let condition = self.block(&carried, &regions, |g| {
            let most = g.b.constant(kind, most);
            let mut goes_on = g.b.compare(Compare::Lt, counter, most);
            if g.random.below(2) == 0 {
                g.simple();
                let more = g.any(Kind::Bool);
                goes_on = g.b.binary(Binary::And, goes_on, more);
            }
            vec![goes_on]
        });
        let body = self.block(&carried, &regions, |g| {
            g.insts();
            let mut results = g.results(&carried[..carried.len() - 1], &regions);
            let one = g.b.constant(kind, 1);
            results.push(g.b.binary(Binary::Add, counter, one));
            results
        });
        self.times = times;
        let y = self.gives(&carried, &regions);
        self.b.push(Inst::While { carried, start, condition, body, y });
    }

    fn branch(&mut self) {
        let condition = self.any(Kind::Bool);
        let kinds: Vec<Kind> = (0..self.random.below(3)).map(|_| self.kind()).collect();
        let [then, otherwise] = [0, 1].map(|_| {
            self.block(&[], &[], |g| {
                (0..g.random.below(6)).for_each(|_| g.inst());
                kinds.iter().map(|&kind| g.any(kind)).collect()
            })
        });
        let y: Vec<Value> = kinds.iter().map(|&kind| self.b.value(kind)).collect();
        y.iter().for_each(|&v| self.add(v));
        self.b.push(Inst::If { condition, then, otherwise, y });
    }

    fn lanes(&mut self) {
        let many = self.times < 10;
        let count = if many { self.random.one(&[1, 5, 100, 255, 256, 257, 300, 600]) } else { 0 };
        let count = if self.random.below(3) == 0 { count } else { self.random.below(20) as u64 };
        let index = self.b.value(Kind::I64);
        let body = self.block(&[], &[], |g| {
            g.lanes = Some((index, count));
            g.values.push(index);
            g.ranges.push((index, 0, count.max(1) as i64 - 1));
            for _ in 0..g.random.below(4) {
                let kind = g.kind();
                g.load(kind);
            }
            (0..1 + g.random.below(12)).for_each(|_| g.simple());
            Vec::new()
        });
        self.lanes = None;
        self.b.push(Inst::Lanes { index, count, body });
    }

    fn kernel(&mut self) {
        let callees = names();
        let to = self.region(8, Rights::Write).pointer;
        let (which, x) = match self.random.below(3) {
            0 => (4, Vec::new()),
            1 => (5, vec![to, self.any(Kind::I64)]),
            _ => {
                let from = self.region(8, Rights::Read).pointer;
                let mut x = vec![self.any(Kind::I64), from, to];
                x.extend([0; 3].map(|_| self.any(Kind::I64)));
                (6, x)
            }
        };
        self.b.push(Inst::Call { callee: callees[which].1, x });
    }

    /// A pointer that is stored and loaded again; nothing of it stays in memory, for it differs from run to run.
    fn pointer_through_memory(&mut self) {
        let region = self.region(1, Rights::Read);
        let at = Address::at(self.output, self.output_bytes as i64);
        self.output_bytes += 8;
        self.b.store(region.pointer, at);
        let pointer = self.b.load(Kind::Ptr, at);
        let zero = self.b.constant(Kind::U64, 0);
        self.b.store(zero, at);
        self.regions.push(Region { pointer, ..region });
    }
}
