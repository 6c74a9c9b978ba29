//! Loops that count: how many steps a `while` does, and which integers follow from its counter.

use crate::import::definitions::Definitions;
use std::cmp::Ordering;
use wengert_core::ops::{Binary, Direction, While};
use wengert_core::{Builder, DType, Equation, Op, Program, Var};

/// A scalar that is `start + step·i` at step `i` of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub start: i64,
    pub step: i64,
}

impl Line {
    fn constant(start: i64) -> Line {
        Line { start, step: 0 }
    }

    /// Its value at step `i`.
    pub fn at(self, i: usize) -> Option<i64> {
        let value = self.start as i128 + self.step as i128 * i as i128;
        i64::try_from(value).ok()
    }

    /// The sum with a multiple of another.
    fn plus(self, other: Line, times: i64) -> Option<Line> {
        let sum = |a: i64, b: i64| a.checked_add(b.checked_mul(times)?);
        Some(Line { start: sum(self.start, other.start)?, step: sum(self.step, other.step)? })
    }
}

/// A loop that goes a known number of times.
#[derive(Clone, Copy)]
pub(super) struct Count {
    /// The position of the counter among the carries.
    pub carry: usize,
    /// Its values.
    pub line: Line,
    /// The number of steps, at least one.
    pub length: usize,
}

impl Count {
    /// How a loop counts, if its condition compares a carry that starts at, and goes on by, a known number with another.
    pub fn of(b: &Builder, op: &While, x: &[Var]) -> Option<Count> {
        let (cond, body) = (Definitions::new(&op.cond), Definitions::new(&op.body));
        let [test] = op.cond.outputs() else { return None };
        let Equation { op: Op::Compare(compare), inputs, .. } = cond.get(*test)? else { return None };
        let input = |v: Var| op.cond.inputs().iter().position(|&i| i == v);
        let counter = |v: Var| input(v)?.checked_sub(op.consts);
        let outside = |v: Var| b.constant_splat(v).filter(|_| b.shape(v).rank() == 0)?.as_i64();
        let limit = |v: Var| match input(v) {
            None => cond.integer(v),
            Some(i) => {
                let fixed = i < op.consts || op.body.outputs()[i - op.consts] == op.body.inputs()[i];
                outside(x[i]).filter(|_| fixed)
            }
        };
        let (carry, direction, limit) = match (counter(inputs[0]), limit(inputs[1])) {
            (Some(carry), Some(limit)) => (carry, compare.direction, limit),
            _ => (counter(inputs[1])?, turned(compare.direction), limit(inputs[0])?),
        };
        let start = outside(x[op.consts + carry])?;
        let step = step(&body, op.body.inputs()[op.consts + carry], op.body.outputs()[carry])?;
        let line = Line { start, step };
        let length = steps(line, direction, limit).filter(|&n| n > 0)?;
        // The counter must not wrap around on the way.
        let ty = op.body.ty(op.body.outputs()[carry]);
        line.at(length).filter(|&end| fits(ty.dtype, end))?;
        Some(Count { carry, line, length })
    }

    /// For each variable of the body, the line it is, if it is one; truth values are 0 and 1.
    pub fn lines(&self, body: &Program, counter: Var) -> Vec<Option<Line>> {
        let mut lines = vec![None; body.var_count()];
        lines[counter.index()] = Some(self.line);
        for e in body.equations() {
            let [y] = e.outputs[..] else { continue };
            let ty = body.ty(y);
            if ty.rank() == 0 && (ty.dtype.is_integer() || ty.dtype == DType::Bool) {
                let x: Vec<Option<Line>> = e.inputs.iter().map(|v| lines[v.index()]).collect();
                lines[y.index()] = self.line_of(&e.op, &x).filter(|l| self.ends(*l).all(|n| fits(ty.dtype, n)));
            }
        }
        lines
    }

    /// The first and the last value.
    fn ends(&self, line: Line) -> impl Iterator<Item = i64> {
        [0, self.length - 1].into_iter().flat_map(move |i| line.at(i))
    }

    /// Whether a comparison of two lines holds, if that is the same at every step.
    fn compares(&self, direction: Direction, a: Line, b: Line) -> Option<bool> {
        let orders: Vec<Ordering> = self.ends(a.plus(b, -1)?).map(|n| n.cmp(&0)).collect();
        let first = holds(direction, *orders.first()?);
        // Between its ends a line stays between their values; but it may pass through zero.
        let passes = matches!(direction, Direction::Eq | Direction::Ne) && orders.iter().any(|o| *o != orders[0]);
        (!passes && orders.iter().all(|&o| holds(direction, o) == first)).then_some(first)
    }

    /// Whether one line is at most another at every step.
    fn at_most(&self, a: Line, b: Line) -> Option<bool> {
        Some(self.ends(a.plus(b, -1)?).all(|n| n <= 0))
    }

    fn line_of(&self, op: &Op, x: &[Option<Line>]) -> Option<Line> {
        let line = |i: usize| x.get(i).copied().flatten();
        let lesser = |a: Line, b: Line| if self.at_most(a, b)? { Some(a) } else { self.at_most(b, a)?.then_some(b) };
        match op {
            Op::Constant(c) => c.value.get(0).as_i64().map(Line::constant),
            Op::Convert(_) => line(0),
            Op::Reshape(_) | Op::Broadcast(_) => line(0),
            Op::Binary(Binary::Add) => line(0)?.plus(line(1)?, 1),
            Op::Binary(Binary::Sub) => line(0)?.plus(line(1)?, -1),
            Op::Binary(Binary::Min) => lesser(line(0)?, line(1)?),
            Op::Binary(Binary::Max) => {
                let (a, b) = (line(0)?, line(1)?);
                lesser(a, b).map(|least| if least == a { b } else { a })
            }
            Op::Clamp(_) => {
                let (low, x, high) = (line(0)?, line(1)?, line(2)?);
                (self.at_most(low, x)? && self.at_most(x, high)?).then_some(x)
            }
            Op::Compare(c) => {
                let holds = self.compares(c.direction, line(0)?, line(1)?)?;
                Some(Line::constant(holds as i64))
            }
            Op::Select(_) => match line(0)? {
                Line { start: 0, step: 0 } => line(2),
                Line { step: 0, .. } => line(1),
                _ => None,
            },
            _ => None,
        }
    }
}

fn fits(dtype: DType, n: i64) -> bool {
    let bits = dtype.bits() as u32;
    match dtype.is_signed() {
        _ if dtype == DType::Bool => n == 0 || n == 1,
        true => bits == 64 || (n >> (bits - 1)) == 0 || (n >> (bits - 1)) == -1,
        false => n >= 0 && (bits == 64 || n >> bits == 0),
    }
}

/// The same comparison with its sides exchanged.
fn turned(direction: Direction) -> Direction {
    match direction {
        Direction::Lt => Direction::Gt,
        Direction::Le => Direction::Ge,
        Direction::Gt => Direction::Lt,
        Direction::Ge => Direction::Le,
        same => same,
    }
}

fn holds(direction: Direction, order: Ordering) -> bool {
    match direction {
        Direction::Eq => order.is_eq(),
        Direction::Ne => order.is_ne(),
        Direction::Lt => order.is_lt(),
        Direction::Le => order.is_le(),
        Direction::Gt => order.is_gt(),
        Direction::Ge => order.is_ge(),
    }
}

/// By how much a carry goes on at each step, if that is a known number.
fn step(body: &Definitions<'_>, carry: Var, next: Var) -> Option<i64> {
    let Equation { op: Op::Binary(op), inputs, .. } = body.get(next)? else { return None };
    let (a, b) = (inputs[0], inputs[1]);
    match op {
        Binary::Add if a == carry => body.integer(b),
        Binary::Add if b == carry => body.integer(a),
        Binary::Sub if a == carry => body.integer(b)?.checked_neg(),
        _ => None,
    }
}

/// How many values of a line come before the first for which the comparison with the limit fails.
fn steps(line: Line, direction: Direction, limit: i64) -> Option<usize> {
    // Upward only: the other way is the same with all signs turned.
    let sign = line.step.signum() as i128;
    let (start, step, limit) = (line.start as i128 * sign, line.step as i128 * sign, limit as i128 * sign);
    let direction = if sign < 0 { turned(direction) } else { direction };
    let end = match direction {
        Direction::Lt => limit,
        Direction::Le => limit + 1,
        Direction::Ne if step == 1 && start <= limit => limit,
        _ => return None,
    };
    (step > 0).then(|| usize::try_from((end - start + step - 1).max(0) / step).ok())?
}
