//! A function becomes steps.

use super::codes::{self, Places, ScalarCode};
use super::{Interpreter, Kernel, Step, lanes, memory};
use crate::ir::{Address, Block, Function, Inst, Kind, Value};
use std::collections::HashMap;

/// The steps of a function that is well-formed, with marks or without.
pub(super) fn prepare(function: &Function, marks: bool) -> Interpreter {
    let mut p = Preparation {
        function,
        marks,
        places: (0..function.kinds.len() as u32).collect(),
        constants: HashMap::new(),
        made: Interpreter {
            steps: Vec::new(),
            kernels: Vec::new(),
            lanes: Vec::new(),
            registers: vec![0; function.kinds.len()],
            params: function.params.iter().map(|v| v.0).collect(),
            lines: 0,
        },
    };
    p.block(&function.body);
    p.made.steps.push(Step::End);
    p.made
}

/// A function on the way to steps.
pub(super) struct Preparation<'f> {
    pub function: &'f Function,
    /// Whether marks are steps.
    marks: bool,
    /// The register of each value.
    places: Vec<u32>,
    /// The registers of constants.
    constants: HashMap<u64, u32>,
    made: Interpreter,
}

impl Preparation<'_> {
    /// The kind of a value.
    pub fn kind(&self, v: Value) -> Kind {
        self.function.kind(v)
    }

    /// The register of a value.
    pub fn at(&self, v: Value) -> u32 {
        self.places[v.index()]
    }

    /// A register that holds a constant.
    pub fn constant(&mut self, bits: u64) -> u32 {
        let registers = &mut self.made.registers;
        *self.constants.entry(bits).or_insert_with(|| {
            registers.push(bits);
            registers.len() as u32 - 1
        })
    }

    /// A register for nothing but what comes next.
    fn fresh(&mut self) -> u32 {
        self.made.registers.push(0);
        self.made.registers.len() as u32 - 1
    }

    /// Makes a value a constant.
    pub fn define(&mut self, y: Value, bits: u64) {
        self.places[y.index()] = self.constant(bits);
    }

    /// The number of the next step.
    fn here(&self) -> u32 {
        self.made.steps.len() as u32
    }

    fn block(&mut self, block: &Block) {
        let marks: &[(u32, u32)] = if self.marks { &block.marks } else { &[] };
        let mut marks = marks.iter().peekable();
        for (i, inst) in block.insts.iter().enumerate() {
            while let Some((_, mark)) = marks.next_if(|m| m.0 as usize <= i) {
                self.made.steps.push(Step::Mark(*mark));
            }
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        match inst {
            Inst::Const { y, bits } => self.define(*y, *bits),
            Inst::Call { callee, x } => {
                let x = x.iter().map(|&v| self.at(v)).collect();
                self.made.steps.push(Step::Kernel(self.made.kernels.len() as u32));
                self.made.kernels.push(Kernel { address: callee.address(), x });
            }
            Inst::For { index, from, step, count, carried, start, body, y } => {
                self.moves(start, carried);
                if *count > 0 {
                    let (from, step, times) =
                        (self.constant(*from as u64), self.constant(*step as u64), self.constant(*count));
                    let count = self.fresh();
                    self.step(memory::MOVE, [self.at(*index), from, 0, 0, 0, 0]);
                    self.step(memory::MOVE, [count, times, 0, 0, 0, 0]);
                    let to = self.here();
                    self.block(body);
                    self.moves(&body.results, carried);
                    self.made.steps.push(Step::Again { count, index: self.at(*index), step, to });
                }
                self.rename(y, carried);
            }
            Inst::While { carried, start, condition, body, y } => {
                self.moves(start, carried);
                let again = self.here();
                self.block(condition);
                let condition = self.at(condition.results[0]);
                let leave = self.made.steps.len();
                self.made.steps.push(Step::End);
                self.block(body);
                self.moves(&body.results, carried);
                self.made.steps.push(Step::Jump(again));
                self.made.steps[leave] = Step::Unless { condition, to: self.here() };
                self.rename(y, carried);
            }
            Inst::If { condition, then, otherwise, y } => {
                let condition = self.at(*condition);
                let leave = self.made.steps.len();
                self.made.steps.push(Step::End);
                self.block(then);
                self.moves(&then.results, y);
                let over = self.made.steps.len();
                self.made.steps.push(Step::End);
                self.made.steps[leave] = Step::Unless { condition, to: self.here() };
                self.block(otherwise);
                self.moves(&otherwise.results, y);
                self.made.steps[over] = Step::Jump(self.here());
            }
            Inst::Lanes { index, count, body } => {
                let (made, lines) = lanes::Loop::prepare(self, *index, *count, body);
                self.made.steps.push(Step::Lanes(self.made.lanes.len() as u32));
                self.made.lanes.push(made);
                self.made.lines = self.made.lines.max(lines);
            }
            Inst::Prefetch { .. } => {}
            inst => {
                let (code, at) = self.scalar(inst);
                self.step(code, at);
            }
        }
    }

    fn step(&mut self, code: ScalarCode, at: Places) {
        self.made.steps.push(Step::Do(code, at));
    }

    /// After a loop, what it gives lies where it was carried.
    fn rename(&mut self, y: &[Value], carried: &[Value]) {
        for (y, x) in y.iter().zip(carried) {
            self.places[y.index()] = self.at(*x);
        }
    }

    /// Moves values to others, all at once.
    fn moves(&mut self, x: &[Value], y: &[Value]) {
        let pairs: Vec<[u32; 2]> =
            x.iter().zip(y).map(|(&x, &y)| [self.at(x), self.at(y)]).filter(|[x, y]| x != y).collect();
        let mut late = Vec::new();
        for (i, &[x, y]) in pairs.iter().enumerate() {
            // Something that is still to be moved must not be written over.
            if pairs[i + 1..].iter().any(|p| p[0] == y) {
                let kept = self.fresh();
                self.step(memory::MOVE, [kept, x, 0, 0, 0, 0]);
                late.push([kept, y]);
            } else {
                self.step(memory::MOVE, [y, x, 0, 0, 0, 0]);
            }
        }
        for [x, y] in late {
            self.step(memory::MOVE, [y, x, 0, 0, 0, 0]);
        }
    }

    /// The places of an address after that of what is read or written.
    fn address(&mut self, x: Value, at: &Address) -> Places {
        let (index, scale) = match at.index {
            Some((index, scale)) => (self.at(index), self.constant(scale as u64)),
            None => (self.constant(0), self.constant(0)),
        };
        [self.at(x), self.at(at.base), index, scale, self.constant(at.offset as u64), 0]
    }

    /// The step of an instruction that is neither constant nor control flow.
    pub fn scalar(&mut self, inst: &Inst) -> (ScalarCode, Places) {
        match inst {
            Inst::Unary { y, op, x } => (codes::unary(*op, self.kind(*x)).scalar, self.of(*y, &[*x])),
            Inst::Binary { y, op, x } => (codes::binary(*op, self.kind(x[0])).scalar, self.of(*y, x)),
            Inst::MulAdd { y, x, negate } => (codes::mul_add(self.kind(x[0]), *negate).scalar, self.of(*y, x)),
            Inst::Compare { y, op, x } => {
                let (code, swap) = codes::compare(*op, self.kind(x[0]));
                (code.scalar, self.of(*y, &if swap { [x[1], x[0]] } else { *x }))
            }
            Inst::Select { y, condition, x } => {
                (codes::select_of(self.kind(*y)).scalar, self.of(*y, &[*condition, x[0], x[1]]))
            }
            Inst::Convert { y, x } => (codes::convert(self.kind(*x), self.kind(*y)).scalar, self.of(*y, &[*x])),
            Inst::Bitcast { y, x } => (memory::MOVE, self.of(*y, &[*x])),
            Inst::Load { y, at } => (memory::load_of(self.kind(*y)), self.address(*y, at)),
            Inst::Store { x, at } => (memory::store_of(self.kind(*x)), self.address(*x, at)),
            Inst::Pointer { y, at } => (memory::POINTER, self.address(*y, at)),
            Inst::Copy { x, bytes } => {
                (memory::COPY, [self.at(x[0]), self.at(x[1]), self.constant(*bytes as u64), 0, 0, 0])
            }
            Inst::CallWhere { y, callee, condition, x, otherwise } => {
                let mut at = self.of(*y, &[&[*condition, *otherwise], &x[..]].concat());
                at[x.len() + 3] = self.constant(callee.address() as u64);
                (memory::call_where_of(callee.signature()).scalar, at)
            }
            _ => unreachable!("a constant, control flow, or a kernel"),
        }
    }

    /// The places of a result and operands.
    fn of(&self, y: Value, x: &[Value]) -> Places {
        let mut at = [0; 6];
        at[0] = self.at(y);
        for (at, x) in at[1..].iter_mut().zip(x) {
            *at = self.at(*x);
        }
        at
    }
}
