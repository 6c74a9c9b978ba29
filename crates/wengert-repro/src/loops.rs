//! Loops turn by turn: both sides make some of the turns, and go on from the same values after them.

use std::sync::Arc;
use wengert_core::ops::{Binary, Direction, Scan, While};
use wengert_core::{Builder, DType, Op, Program, Result, Tensor, Type, Var};

/// A loop that has made some of its turns.
pub(crate) struct Turns {
    op: LoopOp,
    /// What it takes now.
    pub(crate) x: Vec<Tensor>,
    /// The turns made.
    made: usize,
}

enum LoopOp {
    Scan(Scan),
    While(While),
}

impl Turns {
    /// A loop on its operands; none if the op is no loop.
    pub(crate) fn of(op: &Op, x: &[Tensor]) -> Option<Turns> {
        let op = match op {
            Op::Scan(scan) => LoopOp::Scan(scan.clone()),
            Op::While(w) => LoopOp::While(w.clone()),
            _ => return None,
        };
        Some(Turns { op, x: x.to_vec(), made: 0 })
    }

    /// The condition, if that decides how many turns there are.
    pub(crate) fn condition(&self) -> Option<&Arc<Program>> {
        match &self.op {
            LoopOp::Scan(_) => None,
            LoopOp::While(w) => Some(&w.cond),
        }
    }

    pub(crate) fn body(&self) -> &Arc<Program> {
        match &self.op {
            LoopOp::Scan(scan) => &scan.body,
            LoopOp::While(w) => &w.body,
        }
    }

    /// How many turns are left, by the reference.
    pub(crate) fn left(&self, run: impl FnOnce(&Program, &[Tensor]) -> Result<Vec<Tensor>>) -> Result<usize> {
        match &self.op {
            LoopOp::Scan(scan) => Ok(scan.length),
            LoopOp::While(_) => {
                let count = run(&self.first(i32::MAX as usize), &self.x)?.pop();
                Ok(count.and_then(|n| n.get(0).as_i64()).unwrap_or(0).max(0) as usize)
            }
        }
    }

    fn consts(&self) -> usize {
        match &self.op {
            LoopOp::Scan(scan) => scan.consts,
            LoopOp::While(w) => w.consts,
        }
    }

    /// The carries among what [`Turns::first`] gives.
    pub(crate) fn carries(&self) -> usize {
        match &self.op {
            LoopOp::Scan(scan) => scan.carries,
            LoopOp::While(w) => self.x.len() - w.consts,
        }
    }

    /// The number of a turn, of those left, as it is told: that of the slice it takes.
    pub(crate) fn number(&self, turn: usize) -> usize {
        match &self.op {
            LoopOp::Scan(scan) if scan.reverse => scan.length - 1 - turn,
            _ => self.made + turn,
        }
    }

    /// The next turns as a program of what the loop takes now: no more than so many. It gives the carries first; last, of a loop
    /// with a condition, how many turns it made.
    pub(crate) fn first(&self, turns: usize) -> Program {
        match &self.op {
            LoopOp::Scan(scan) => {
                let mut b = Builder::new();
                let mut v = b.inputs(&self.types());
                let (from, to) = if scan.reverse { (scan.length - turns, scan.length) } else { (0, turns) };
                v[scan.consts + scan.carries..].iter_mut().for_each(|x| *x = b.slice_axis(*x, 0, from, to));
                let y = b.push(Scan { length: turns, ..scan.clone() }, &v);
                b.finish_all(&y)
            }
            LoopOp::While(w) => counted(w, &self.types(), turns),
        }
    }

    fn types(&self) -> Vec<Type> {
        self.x.iter().map(Tensor::ty).collect()
    }

    /// What the condition is given before a turn, where the carries are these; the body takes slices too.
    pub(crate) fn given(&self, carries: &[Tensor]) -> Vec<Tensor> {
        self.x[..self.consts()].iter().chain(carries).cloned().collect()
    }

    /// What the body is given at a turn.
    pub(crate) fn body_given(&self, turn: usize, carries: &[Tensor]) -> Vec<Tensor> {
        let mut x = self.given(carries);
        if let LoopOp::Scan(scan) = &self.op {
            let at = if scan.reverse { scan.length - 1 - turn } else { turn };
            x.extend(self.x[scan.consts + scan.carries..].iter().map(|x| x.leading_slice(at)));
        }
        x
    }

    /// The loop after so many turns, from these carries.
    pub(crate) fn after(&self, turns: usize, carries: &[Tensor]) -> Result<Turns> {
        let mut x = self.given(carries);
        let op = match &self.op {
            LoopOp::While(w) => LoopOp::While(w.clone()),
            LoopOp::Scan(scan) => {
                let length = scan.length - turns;
                let (from, to) = if scan.reverse { (0, length) } else { (turns, scan.length) };
                for slices in &self.x[scan.consts + scan.carries..] {
                    let mut b = Builder::new();
                    let v = b.input(slices.ty());
                    let y = b.slice_axis(v, 0, from, to);
                    x.extend(wengert_eval::run(&b.finish(&[y]), vec![slices.clone()])?);
                }
                LoopOp::Scan(Scan { length, ..scan.clone() })
            }
        };
        Ok(Turns { op, x, made: self.made + turns })
    }
}

/// Writes the results of a part of a loop, of what the loop takes and a count.
type WritePart<'a> = &'a dyn Fn(&mut Builder, &[Var], Var) -> Vec<Var>;

/// A loop with a condition that makes no more than so many turns, and gives how many it made after its results.
fn counted(w: &While, types: &[Type], most: usize) -> Program {
    let number = Type::scalar(DType::I32);
    let inner: Vec<Type> = types.iter().cloned().chain([number.clone()]).collect();
    let part = |write: WritePart<'_>| {
        let mut b = Builder::new();
        let v = b.inputs(&inner);
        let (count, rest) = v.split_last().expect("there is a count");
        let y = write(&mut b, rest, *count);
        Arc::new(b.finish_all(&y))
    };
    let cond = part(&|b, x, count| {
        let goes_on = b.inline(&w.cond, x)[0];
        let end = b.full_like(count, most as f64);
        let is_left = b.compare(Direction::Lt, count, end);
        vec![b.binary(Binary::And, goes_on, is_left)]
    });
    let body = part(&|b, x, count| {
        let mut y = b.inline(&w.body, x);
        y.push(b.offset(count, 1.0));
        y
    });
    let mut b = Builder::new();
    let mut v = b.inputs(types);
    v.push(b.zeros(&number));
    let y = b.push(While { consts: w.consts, cond, body }, &v);
    b.finish_all(&y)
}
