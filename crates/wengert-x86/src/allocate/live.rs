//! From where to where values are live.
//!
//! Instructions have even positions in the order they stand in; operands are used there, and results are defined one
//! further. A value that is defined outside of a loop and used in it is live to the loop's end. A carried value, what it
//! is in the end, and where nothing is in the way its next value, are one interval.

use super::calls;
use crate::Features;
use crate::emit::lanes::plan::{Plan, plan};
use std::collections::HashMap;
use wengert_kernel::{Block, Function, Inst, Value};

/// No hint.
pub const NO_HINT: u32 = u32::MAX;
/// Hints from here on are registers.
pub const REGISTER_HINT: u32 = u32::MAX - 64;

/// What is known of values' lives. Intervals are those of values that are their own `parent`.
pub struct Live {
    pub parent: Vec<u32>,
    pub start: Vec<u32>,
    pub end: Vec<u32>,
    /// How often it is used, more in loops.
    pub weight: Vec<f32>,
    /// A value whose register would be good.
    pub hint: Vec<u32>,
    /// Bits of constants.
    pub constants: Vec<Option<u64>>,
    pub fused: Vec<bool>,
    /// Positions where registers are overwritten.
    pub calls: Vec<u32>,
    /// Positions where vector registers are.
    pub vector_loops: Vec<u32>,
    /// How loops over lanes are done by vectors.
    pub plans: HashMap<*const Block, Plan>,
    /// One more than the last position.
    pub length: u32,
}

struct Walk<'f> {
    f: &'f Function,
    features: Features,
    live: Live,
    uses: Vec<u32>,
    /// How many loops are around a value's definition.
    depth: Vec<u32>,
    /// For each loop around: values from outside that are used in it.
    loops: Vec<Vec<Value>>,
    at: u32,
    factor: f32,
}

impl Live {
    /// The lives of a function's values.
    pub fn of(f: &Function, features: Features) -> Live {
        let n = f.kinds.len();
        let live = Live {
            parent: (0..n as u32).collect(),
            start: vec![0; n],
            end: vec![0; n],
            weight: vec![0.0; n],
            hint: vec![NO_HINT; n],
            constants: vec![None; n],
            fused: vec![false; n],
            calls: Vec::new(),
            vector_loops: Vec::new(),
            plans: HashMap::new(),
            length: 0,
        };
        let mut uses = vec![0; n];
        count(&f.body, &mut uses);
        let mut w = Walk { f, features, live, uses, depth: vec![0; n], loops: Vec::new(), at: 0, factor: 1.0 };
        for (i, &p) in f.params.iter().enumerate() {
            w.define(p);
            w.live.hint[p.index()] = REGISTER_HINT + super::ARGUMENTS[i].0 as u32;
        }
        w.at += 2;
        w.block(&f.body.insts);
        w.live.length = w.at + 4;
        w.live
    }

    /// The interval of a value.
    pub fn find(&mut self, v: Value) -> usize {
        let mut i = v.index();
        while self.parent[i] as usize != i {
            let up = self.parent[self.parent[i] as usize];
            self.parent[i] = up;
            i = up as usize;
        }
        i
    }

    /// Joins the second interval to the first.
    fn join(&mut self, a: usize, b: usize) {
        self.parent[b] = a as u32;
        self.start[a] = self.start[a].min(self.start[b]);
        self.end[a] = self.end[a].max(self.end[b]);
        self.weight[a] += self.weight[b];
        if self.hint[a] == NO_HINT {
            self.hint[a] = self.hint[b];
        }
    }
}

/// Counts how often each value is used.
fn count(b: &Block, uses: &mut [u32]) {
    for inst in &b.insts {
        inst.operands(|v| uses[v.index()] += 1);
        for inner in inst.blocks().into_iter().flatten() {
            count(inner, uses);
        }
    }
    for v in &b.results {
        uses[v.index()] += 1;
    }
}

/// Whether an instruction does nothing but define a value that nothing uses: no code is made for it.
pub fn is_unused(inst: &Inst, uses: &[u32]) -> bool {
    !matches!(inst, Inst::Const { .. }) && inst.result().is_some_and(|y| uses[y.index()] == 0)
}

impl Walk<'_> {
    fn define(&mut self, v: Value) {
        let i = v.index();
        self.live.start[i] = self.at + 1;
        self.live.end[i] = self.at + 2;
        self.depth[i] = self.loops.len() as u32;
    }

    fn used(&mut self, v: Value, at: u32) {
        if self.live.constants[v.index()].is_some() {
            return;
        }
        let h = self.live.find(v);
        self.live.end[h] = self.live.end[h].max(at);
        self.live.weight[h] += self.factor;
        let d = self.depth[v.index()] as usize;
        if d < self.loops.len() {
            self.loops[d].push(v);
        }
    }

    fn open_loop(&mut self) {
        self.loops.push(Vec::new());
        self.factor = 8f32.powi(self.loops.len().min(8) as i32);
    }

    fn close_loop(&mut self) {
        for v in self.loops.pop().unwrap_or_default() {
            let h = self.live.find(v);
            self.live.end[h] = self.live.end[h].max(self.at);
        }
        self.factor = 8f32.powi(self.loops.len().min(8) as i32);
    }

    /// A value that nothing stands in the way of is computed right where the first one lives: it is defined after
    /// `after`, and used last here.
    fn join(&mut self, home: usize, v: Value, after: u32, free_from: u32) {
        if self.live.constants[v.index()].is_some() {
            return;
        }
        let h = self.live.find(v);
        let l = &self.live;
        if h != home && l.start[h] > after && l.end[h] <= self.at && free_from <= l.start[h] {
            self.live.join(home, h);
        }
    }

    fn block(&mut self, insts: &[Inst]) {
        for (i, inst) in insts.iter().enumerate() {
            match (inst, insts.get(i + 1)) {
                (Inst::Compare { y, x, .. }, Some(Inst::If { condition, .. } | Inst::Select { condition, .. }))
                    if condition == y && self.uses[y.index()] == 1 =>
                {
                    self.fuse(*y, *x)
                }
                _ => self.inst(inst),
            }
        }
    }

    /// The operands of a comparison are used by the next instruction.
    fn fuse(&mut self, y: Value, x: [Value; 2]) {
        self.live.fused[y.index()] = true;
        self.at += 2;
        x.into_iter().for_each(|v| self.used(v, self.at));
    }

    fn condition(&mut self, v: Value) {
        if !self.live.fused[v.index()] {
            self.used(v, self.at);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        if is_unused(inst, &self.uses) {
            return;
        }
        match inst {
            Inst::Const { y, bits } => {
                self.live.constants[y.index()] = Some(*bits);
                return;
            }
            Inst::For { index, carried, start, body, y, .. } => {
                let head = self.carry(carried, start, y);
                self.open_loop();
                self.define(*index);
                self.at += 2;
                self.block(&body.insts);
                self.used(*index, self.at);
                self.back_edge(carried, &body.results, head);
                return;
            }
            Inst::Lanes { index, count, body } => {
                let start = self.at + 1;
                if let Some(plan) = plan(self.f, *index, *count, body, &self.uses, &self.live.constants, self.features)
                {
                    let more = plan.leaves(*count);
                    self.vector_loop(*index, body, plan);
                    if !more {
                        return;
                    }
                }
                let head = self.at;
                self.open_loop();
                self.define(*index);
                // One place for both loops.
                self.live.start[index.index()] = start;
                self.at += 2;
                self.block(&body.insts);
                self.used(*index, self.at);
                self.back_edge(&[], &[], head);
                return;
            }
            Inst::While { carried, start, condition, body, y } => {
                let head = self.carry(carried, start, y);
                self.open_loop();
                self.at += 2;
                let test = condition.results[0];
                match condition.insts.split_last() {
                    Some((Inst::Compare { y, x, .. }, before)) if *y == test && self.uses[y.index()] == 1 => {
                        self.block(before);
                        self.fuse(*y, *x);
                    }
                    _ => self.block(&condition.insts),
                }
                self.condition(test);
                self.at += 2;
                self.block(&body.insts);
                self.back_edge(carried, &body.results, head);
                return;
            }
            Inst::If { condition, then, otherwise, y } => return self.branch(*condition, then, otherwise, y),
            Inst::Select { condition, x, .. } => {
                self.condition(*condition);
                x.iter().for_each(|&v| self.used(v, self.at));
            }
            _ => inst.operands(|v| self.used(v, self.at)),
        }
        if let Some(y) = inst.result() {
            self.define(y);
            self.hint(inst, y);
        }
        if calls(self.f, inst, self.features) {
            self.live.calls.push(self.at);
        }
        self.at += 2;
    }

    /// Values from outside are used behind the position where vector registers are overwritten: none is left in one.
    fn vector_loop(&mut self, index: Value, body: &Block, plan: Plan) {
        self.live.vector_loops.push(self.at);
        self.open_loop();
        self.define(index);
        self.at += 2;
        if plan.saves.is_some() {
            self.live.calls.push(self.at);
            self.at += 2;
        }
        for inst in &body.insts {
            if let Inst::Const { y, bits } = inst {
                self.live.constants[y.index()] = Some(*bits);
            }
            inst.operands(|v| {
                let h = self.live.find(v);
                if self.live.start[h] != 0 {
                    self.used(v, self.at);
                }
            });
        }
        self.used(index, self.at);
        self.live.plans.insert(body, plan);
        self.close_loop();
        self.at += 2;
    }

    fn hint(&mut self, inst: &Inst, y: Value) {
        let mut hint = |x: Value| {
            if self.live.constants[x.index()].is_none() {
                self.live.hint[y.index()] = x.0;
            }
        };
        match inst {
            Inst::Unary { x, .. } | Inst::Convert { x, .. } => hint(*x),
            Inst::Binary { x, .. } => x.iter().rev().for_each(|&v| hint(v)),
            Inst::MulAdd { x, .. } => x.iter().for_each(|&v| hint(v)),
            Inst::Select { x, .. } => x.iter().for_each(|&v| hint(v)),
            _ => {}
        }
    }

    /// Begins a loop's carried values; gives the position in front of it.
    fn carry(&mut self, carried: &[Value], start: &[Value], y: &[Value]) -> u32 {
        for &s in start {
            self.used(s, self.at);
        }
        for ((&c, &s), &y) in carried.iter().zip(start).zip(y) {
            self.define(y);
            self.define(c);
            self.depth[c.index()] += 1;
            self.live.parent[y.index()] = c.0;
            if self.live.constants[s.index()].is_none() {
                self.live.hint[c.index()] = s.0;
            }
        }
        self.at
    }

    /// Ends a loop.
    fn back_edge(&mut self, carried: &[Value], results: &[Value], head: u32) {
        for &r in results {
            self.used(r, self.at);
        }
        for (&c, &r) in carried.iter().zip(results) {
            let h = self.live.find(c);
            let last = self.live.end[h];
            self.live.end[h] = self.live.end[h].max(self.at + 2);
            self.join(h, r, head + 1, last);
        }
        self.close_loop();
        self.at += 2;
    }

    fn branch(&mut self, condition: Value, then: &Block, otherwise: &Block, y: &[Value]) {
        self.condition(condition);
        let mut head = self.at;
        for (k, b) in [then, otherwise].into_iter().enumerate() {
            self.at += 2;
            self.block(&b.insts);
            for &r in &b.results {
                self.used(r, self.at);
            }
            if k == 0 {
                y.iter().for_each(|&v| self.define(v));
            }
            for &v in y {
                let h = self.live.find(v);
                self.live.end[h] = self.at + 2;
            }
            for (&v, &r) in y.iter().zip(&b.results) {
                let h = self.live.find(v);
                self.join(h, r, head + 1, 0);
            }
            head = self.at;
        }
        self.at += 2;
    }
}
