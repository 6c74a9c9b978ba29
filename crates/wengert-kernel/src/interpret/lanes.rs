//! Loops of lanes: each step works on buffers of up to [`LANES`] elements. What is the same in every lane stays in
//! registers.

use super::codes::{self, Code, LANES, LINE, Lanes, LanesCode, Places, ScalarCode};
use super::memory;
use super::prepare::Preparation;
use crate::ir::{Address, Block, Inst, Kind, Value};
use std::collections::HashMap;

/// A loop of lanes that is ready to be run.
#[derive(Debug)]
pub(super) struct Loop {
    count: u64,
    /// What is done once, before all lanes.
    before: Vec<Step>,
    /// What is done for up to [`LANES`] lanes at a time.
    body: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    /// Computes with buffers, and for each lane.
    Each(LanesCode, Places),
    /// Computes with registers, for all lanes.
    All(ScalarCode, Places),
}

impl Loop {
    /// Runs the loop.
    ///
    /// # Safety
    /// As the interpreter's own.
    pub unsafe fn run(&self, registers: *mut u64, buffers: *mut u8) {
        let mut lanes = Lanes { registers, buffers, first: 0, count: self.count.min(LANES as u64) as usize };
        if lanes.count == 0 {
            return;
        }
        // SAFETY: places were given out for what is put there; the rest is up to whoever calls.
        unsafe { steps(&self.before, &lanes) };
        while lanes.first < self.count {
            lanes.count = (self.count - lanes.first).min(LANES as u64) as usize;
            // SAFETY: as above.
            unsafe { steps(&self.body, &lanes) };
            lanes.first += lanes.count as u64;
        }
    }

    /// Prepares a loop; gives how many lines its buffers take as well.
    pub fn prepare(p: &mut Preparation<'_>, index: Value, count: u64, body: &Block) -> (Loop, usize) {
        let mut last = HashMap::new();
        for (i, inst) in body.insts.iter().enumerate() {
            inst.operands(|v| _ = last.insert(v, i));
        }
        let mut l = Writer {
            p,
            index,
            made: Loop { count, before: Vec::new(), body: Vec::new() },
            values: HashMap::from([(index, Held::Number)]),
            splats: HashMap::new(),
            free: HashMap::new(),
            lines: 0,
        };
        for (i, inst) in body.insts.iter().enumerate() {
            l.inst(inst);
            // What is not used any more gives its buffer to those that come.
            let mut done = Vec::new();
            inst.operands(|v| done.extend((last[&v] == i).then_some(v)));
            done.extend(inst.result().filter(|y| !last.contains_key(y)));
            done.into_iter().for_each(|v| l.release(v));
        }
        (l.made, l.lines as usize)
    }
}

/// Does the steps one after the other.
///
/// # Safety
/// As [`Loop::run`].
unsafe fn steps(steps: &[Step], lanes: &Lanes) {
    for step in steps {
        match step {
            // SAFETY: as above.
            Step::Each(code, at) => unsafe { code(lanes, at) },
            // SAFETY: as above.
            Step::All(code, at) => unsafe { code(lanes.registers, at) },
        }
    }
}

/// Where a value that is defined in the loop lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    /// It is the number of the lane, in no buffer so far.
    Number,
    /// In a buffer, at this line.
    Buffer(u32),
    /// In a register, the same in every lane.
    Same,
    /// In a register that holds it from the start.
    Constant,
}

/// Writes the steps of a loop.
struct Writer<'p, 'f> {
    p: &'p mut Preparation<'f>,
    index: Value,
    made: Loop,
    /// Where values that are defined in the loop lie; others are in registers.
    values: HashMap<Value, Held>,
    /// The buffers that were filled with what a register holds, by register and the bytes of an element.
    splats: HashMap<(u32, usize), u32>,
    /// Buffers that are free, by their size in lines.
    free: HashMap<u32, Vec<u32>>,
    /// How many lines were given out.
    lines: u32,
}

impl Writer<'_, '_> {
    /// A buffer.
    fn take(&mut self, kind: Kind) -> u32 {
        let lines = lines(kind);
        if let Some(line) = self.free.get_mut(&lines).and_then(Vec::pop) {
            return line;
        }
        self.lines += lines;
        self.lines - lines
    }

    fn give(&mut self, kind: Kind, line: u32) {
        self.free.entry(lines(kind)).or_default().push(line);
    }

    /// Gives back the buffer of a value that is not used any more.
    fn release(&mut self, v: Value) {
        let line = match self.values.get(&v) {
            Some(Held::Buffer(line)) => {
                let line = *line;
                self.values.insert(v, Held::Number);
                Some(line)
            }
            Some(Held::Same) => self.splats.remove(&(self.p.at(v), self.p.kind(v).bytes())),
            // Others are filled once, before all lanes.
            _ => None,
        };
        if let Some(line) = line {
            self.give(self.p.kind(v), line);
        }
    }

    fn varies(&self, v: Value) -> bool {
        matches!(self.values.get(&v), Some(Held::Number | Held::Buffer(_)))
    }

    /// The buffer of a value.
    fn buffer(&mut self, v: Value) -> u32 {
        let kind = self.p.kind(v);
        match self.values.get(&v) {
            Some(Held::Buffer(line)) => *line,
            Some(Held::Number) => {
                let line = self.take(kind);
                self.made.body.push(Step::Each(memory::NUMBERS, [line, 0, 0, 0, 0, 0]));
                self.values.insert(v, Held::Buffer(line));
                line
            }
            Some(Held::Same) => self.splat(self.p.at(v), kind, false),
            Some(Held::Constant) | None => self.splat(self.p.at(v), kind, true),
        }
    }

    /// A buffer filled with what a register holds; before all lanes, if it holds it then.
    fn splat(&mut self, register: u32, kind: Kind, before: bool) -> u32 {
        if let Some(line) = self.splats.get(&(register, kind.bytes())) {
            return *line;
        }
        let line = if before {
            // It is kept to the end, so it takes none that may have held something else.
            self.lines += lines(kind);
            self.lines - lines(kind)
        } else {
            self.take(kind)
        };
        let to = if before { &mut self.made.before } else { &mut self.made.body };
        to.push(Step::Each(memory::splat_of(kind), [line, register, 0, 0, 0, 0]));
        self.splats.insert((register, kind.bytes()), line);
        line
    }

    fn each(&mut self, code: LanesCode, at: Places) {
        self.made.body.push(Step::Each(code, at));
    }

    /// A result in a buffer of its own, of operands in buffers.
    fn compute(&mut self, code: Code, y: Value, x: &[Value], more: Option<u32>) {
        let mut at = [0; 6];
        for (at, x) in at[1..].iter_mut().zip(x) {
            *at = self.buffer(*x);
        }
        if let Some(more) = more {
            at[x.len() + 1] = more;
        }
        at[0] = self.define(y);
        self.each(code.lanes, at);
    }

    fn define(&mut self, y: Value) -> u32 {
        let line = self.take(self.p.kind(y));
        self.values.insert(y, Held::Buffer(line));
        line
    }

    fn inst(&mut self, inst: &Inst) {
        if let Inst::Const { y, bits } = inst {
            self.p.define(*y, *bits);
            self.values.insert(*y, Held::Constant);
            return;
        }
        if let Inst::Prefetch { .. } = inst {
            return;
        }
        let mut varies = false;
        inst.operands(|v| varies |= self.varies(v));
        if !varies {
            let (code, at) = self.p.scalar(inst);
            self.made.body.push(Step::All(code, at));
            self.values.extend(inst.result().map(|y| (y, Held::Same)));
            return;
        }
        match inst {
            Inst::Unary { y, op, x } => self.compute(codes::unary(*op, self.p.kind(*x)), *y, &[*x], None),
            Inst::Binary { y, op, x } => self.compute(codes::binary(*op, self.p.kind(x[0])), *y, x, None),
            Inst::MulAdd { y, x, negate } => self.compute(codes::mul_add(self.p.kind(x[0]), *negate), *y, x, None),
            Inst::Compare { y, op, x } => {
                let (code, swap) = codes::compare(*op, self.p.kind(x[0]));
                self.compute(code, *y, &if swap { [x[1], x[0]] } else { *x }, None);
            }
            Inst::Select { y, condition, x } => {
                self.compute(codes::select_of(self.p.kind(*y)), *y, &[*condition, x[0], x[1]], None);
            }
            Inst::Convert { y, x } => {
                self.compute(codes::convert(self.p.kind(*x), self.p.kind(*y)), *y, &[*x], None);
            }
            Inst::Bitcast { y, x } => self.compute(codes::same_bits(self.p.kind(*x)), *y, &[*x], None),
            Inst::Load { y, at } => match self.row(at) {
                Some([base, scale, offset]) => {
                    let y_at = self.define(*y);
                    self.each(memory::load_row_of(self.p.kind(*y)), [y_at, base, scale, offset, 0, 0]);
                }
                None => {
                    let from = self.addresses(at);
                    let y_at = self.define(*y);
                    self.each(memory::gather_of(self.p.kind(*y)), [y_at, from, 0, 0, 0, 0]);
                    self.give(Kind::Ptr, from);
                }
            },
            Inst::Store { x, at } => match self.row(at) {
                Some([base, scale, offset]) => {
                    let x_at = self.buffer(*x);
                    self.each(memory::store_row_of(self.p.kind(*x)), [x_at, base, scale, offset, 0, 0]);
                }
                None => {
                    let x_at = self.buffer(*x);
                    let to = self.addresses(at);
                    self.each(memory::scatter_of(self.p.kind(*x)), [x_at, to, 0, 0, 0, 0]);
                    self.give(Kind::Ptr, to);
                }
            },
            Inst::Pointer { y, at } => {
                let line = self.addresses(at);
                self.values.insert(*y, Held::Buffer(line));
            }
            Inst::Copy { x, bytes } => {
                let at = [self.buffer(x[0]), self.buffer(x[1]), self.p.constant(*bytes as u64), 0, 0, 0];
                self.each(memory::COPIES, at);
            }
            Inst::CallWhere { y, callee, condition, x, otherwise } => {
                let address = self.p.constant(callee.address() as u64);
                let code = memory::call_where_of(callee.signature());
                self.compute(code, *y, &[&[*condition, *otherwise], &x[..]].concat(), Some(address));
            }
            _ => unreachable!("no control flow in lanes, as verified"),
        }
    }

    /// The registers of base, scale and offset, if the number of the lane is the index and the base is the same for all.
    fn row(&mut self, at: &Address) -> Option<[u32; 3]> {
        match at.index {
            Some((index, scale)) if index == self.index && !self.varies(at.base) => {
                Some([self.p.at(at.base), self.p.constant(scale as u64), self.p.constant(at.offset as u64)])
            }
            _ => None,
        }
    }

    /// A buffer of addresses.
    fn addresses(&mut self, at: &Address) -> u32 {
        let base = self.buffer(at.base);
        let (index, scale) = match at.index {
            Some((index, scale)) => (self.buffer(index), scale),
            None => {
                let zero = self.p.constant(0);
                (self.splat(zero, Kind::I64, true), 0)
            }
        };
        let (scale, offset) = (self.p.constant(scale as u64), self.p.constant(at.offset as u64));
        let y = self.take(Kind::Ptr);
        self.each(memory::ADDRESSES, [y, base, index, scale, offset, 0]);
        y
    }
}

/// How many lines a buffer takes.
fn lines(kind: Kind) -> u32 {
    (kind.bytes() * LANES / LINE) as u32
}
