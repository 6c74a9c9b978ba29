//! Running a `while` loop backward when the number of its steps is known only at run time.
//!
//! The loop has known carries, which the condition reads, and linear ones. To reverse step `t` one needs the known
//! carries before it, and these are recomputed from the nearest earlier checkpoint. Checkpoints live on a stack with a
//! fixed number of slots. Where to place them, so that no step is run more often than needed, is the binomial rule of
//! Griewank's treeverse: with `c` free slots and every step run at most `r` times, `binomial(c + r + 1, r)` steps can
//! be reversed. The stack here reverses 561 steps with 2 runs of each, 6545 with 3, and 4 billion with 11.

use super::while_loop::While;
use super::{masked, part, spread, union};
use crate::builder::Builder;
use crate::error::Result;
use crate::host::Tensor;
use crate::op::no_rule;
use crate::ops::{Binary, Direction};
use crate::program::{Program, Var, Vars};
use crate::transform::{self, Operand};
use crate::types::{DType, Dims, Shape, Type};

/// How many states the stack of checkpoints holds.
const SLOTS: usize = 32;
/// How often a step may be run at most; beyond, the rule still works and is only not the best.
const RUNS: usize = 12;

impl While {
    /// The transpose rule.
    pub(super) fn reverse(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let start: Vec<bool> = x.iter().map(Operand::is_linear).collect();
        // A carry that starts from a known zero is linear too, if a step makes it so.
        let (linear, ()) = self.fix(start, |m| Ok(((), self.body.dependent_outputs(m))))?;
        let types = self.body.input_types();
        let mixed = linear.iter().zip(&types).any(|(&l, t)| l && !t.dtype.is_differentiable());
        if mixed || self.cond.dependent_outputs(&linear)[0] {
            return Err(no_rule("while", "transposed", "how often it runs depends on what it is linear in"));
        }
        let given = &linear[self.consts..];
        let (back, have) = transform::transpose(&self.body, &linear, given)?;
        let trips = self.trips(b, x)?;

        // Of the known inputs, what a step backward reads, and what it takes to compute that.
        let mut reads = back.needed_inputs(&vec![true; back.outputs().len()]).into_iter();
        let read = linear.iter().map(|l| !l && reads.next().expect("known inputs come first")).collect();
        let need = self.closure(read);
        let (consts, state) = self.known_parts(x, &need);
        let mut takes: Vec<bool> = need.iter().zip(&linear).filter(|(_, l)| !**l).map(|(&n, _)| n).collect();
        takes.resize(back.inputs().len(), true);
        let back = part(&back, &takes, &vec![true; back.outputs().len()]);
        let step = part(&self.body, &need, &need[self.consts..]);

        let sums: Vec<Type> = masked(&types[..self.consts], &linear[..self.consts]).collect();
        let mut cts: Vec<Var> = sums.iter().map(|t| b.zeros(t)).collect();
        for (ct, ty) in masked(ct, given).zip(masked(&types[self.consts..], given)) {
            cts.push(b.or_zeros(ct, &ty));
        }
        let reversed = ReversedLoop { step, back, have, sums: sums.len() };
        let cts = reversed.emit(b, &consts, &state, &cts, trips)?;
        Ok(spread(&linear, &cts).into_iter().zip(x).map(|(ct, x)| ct.filter(|_| x.is_linear())).collect())
    }

    /// These body inputs, and the carries and constants they are computed from in any number of steps.
    fn closure(&self, mut need: Vec<bool>) -> Vec<bool> {
        loop {
            let more = self.body.needed_inputs(&need[self.consts..]);
            let both = union([&need, &more].into_iter());
            if both == need {
                return need;
            }
            need = both;
        }
    }

    /// The values of some known operands, constants and carries apart.
    fn known_parts(&self, x: &[Operand], which: &[bool]) -> (Vec<Var>, Vec<Var>) {
        let values = |x: &[Operand], which: &[bool]| masked(x, which).map(|x| x.known()).collect();
        let ((xc, xk), (wc, wk)) = (x.split_at(self.consts), which.split_at(self.consts));
        (values(xc, wc), values(xk, wk))
    }

    /// How often the loop runs. Only the carries that the condition needs are computed.
    fn trips(&self, b: &mut Builder, x: &[Operand]) -> Result<Var> {
        let need = self.closure(self.cond.needed_inputs(&[true]));
        let (consts, state) = self.known_parts(x, &need);
        let (cond, step) = (part(&self.cond, &need, &[true]), part(&self.body, &need, &need[self.consts..]));
        let (trips, _) = While::emit_counting(
            b,
            &consts,
            &state,
            |b, _, c, k| b.inline(&cond, &[c, k].concat())[0],
            |b, c, k| b.inline(&step, &[c, k].concat()),
        )?;
        Ok(trips)
    }
}

/// What runs backward. "Constants" and "state" are the known inputs of the body.
struct ReversedLoop {
    /// The next state, from constants and state.
    step: Program,
    /// The cotangents of linear constants and carries, from constants, state and the cotangents of the next carries.
    back: Program,
    /// Which of these `back` gives; the others are zero.
    have: Vec<bool>,
    /// How many of these belong to constants, and are summed over the steps.
    sums: usize,
}

impl ReversedLoop {
    /// Adds the loop over all steps from the last to the first, and gives the cotangents that `cts` become.
    fn emit(&self, b: &mut Builder, consts: &[Var], state: &[Var], cts: &[Var], trips: Var) -> Result<Vec<Var>> {
        let n = state.len();
        let [zero, one] = [0.0, 1.0].map(|x| b.full_like(trips, x));
        let last = b.sub(trips, one);
        // The stack: how high it is, which step each slot is before, and the state there. It starts with the start.
        let places = b.zeros(&Type::new(DType::I64, [SLOTS]));
        let mut carries = vec![last, one, places];
        for &v in state {
            let ty = b.ty(v).clone();
            let slots = b.zeros(&ty.with_shape(ty.shape.with_axis(0, SLOTS)));
            carries.push(put(b, slots, zero, v));
        }
        carries.extend(cts);
        let y = While::emit(
            b,
            consts,
            &carries,
            |b, _, k| {
                let zero = b.full_like(k[0], 0.0);
                Ok(b.compare(Direction::Ge, k[0], zero))
            },
            |b, c, k| {
                let (t, height, places, slots, cts) = (k[0], k[1], k[2], &k[3..3 + n], &k[3 + n..]);
                let top = b.offset(height, -1.0);
                let at = get(b, places, top);
                let state: Vec<Var> = slots.iter().map(|&s| get(b, s, top)).collect();
                let filled = self.fill(b, c, t, &[&[at, height, places], &state[..], slots].concat())?;
                let (at, height, places, state, slots) =
                    (filled[0], filled[1], filled[2], &filled[3..3 + n], &filled[3 + n..]);
                let rest = b.sub(t, at);
                let state = self.advance(b, c, state, rest)?;
                let moved = self.back_step(b, c, &state, cts);
                // The slot that was for this step alone is free again.
                let here = b.compare(Direction::Eq, at, t);
                let here = b.convert(here, DType::I64);
                let height = b.sub(height, here);
                let t = b.offset(t, -1.0);
                Ok([&[t, height, places], slots, &moved].concat())
            },
        )?;
        Ok(y[3 + n..].to_vec())
    }

    /// Adds the loop that goes from the top of the stack toward step `t`, leaving checkpoints while there are slots.
    fn fill(&self, b: &mut Builder, consts: &[Var], t: Var, carries: &[Var]) -> Result<Vars> {
        let n = (carries.len() - 3) / 2;
        While::emit(
            b,
            &[&[t], consts].concat(),
            carries,
            |b, c, k| {
                let before = b.compare(Direction::Lt, k[0], c[0]);
                let slots = b.full_like(k[1], SLOTS as f64);
                let room = b.compare(Direction::Lt, k[1], slots);
                Ok(b.binary(Binary::And, before, room))
            },
            |b, c, k| {
                let (at, height, places, state, slots) = (k[0], k[1], k[2], &k[3..3 + n], &k[3 + n..]);
                let distance = distance(b, at, c[0], height);
                let state = self.advance(b, &c[1..], state, distance)?;
                let at = b.add(at, distance);
                let places = put(b, places, height, at);
                let slots: Vec<Var> = slots.iter().zip(&state).map(|(&s, &v)| put(b, s, height, v)).collect();
                let height = b.offset(height, 1.0);
                Ok([vec![at, height, places], state, slots].concat())
            },
        )
    }

    /// Adds the loop that takes `count` steps.
    fn advance(&self, b: &mut Builder, consts: &[Var], state: &[Var], count: Var) -> Result<Vec<Var>> {
        let (_, state) = While::emit_counting(
            b,
            &[&[count], consts].concat(),
            state,
            |b, i, c, _| b.compare(Direction::Lt, i, c[0]),
            |b, c, k| b.inline(&self.step, &[&c[1..], k].concat()),
        )?;
        Ok(state)
    }

    /// Adds one step backward.
    fn back_step(&self, b: &mut Builder, consts: &[Var], state: &[Var], cts: &[Var]) -> Vec<Var> {
        let y = b.inline(&self.back, &[consts, state, &cts[self.sums..]].concat());
        let moved = spread(&self.have, &y);
        let next = |(i, (&old, new)): (usize, (&Var, Option<Var>))| match new {
            _ if i < self.sums => b.add_some(Some(old), new).expect("a sum"),
            Some(new) => new,
            None => b.full_like(old, 0.0),
        };
        cts.iter().zip(moved).enumerate().map(next).collect()
    }
}

/// How far from the checkpoint before step `at` to leave the next one, if step `t` is to be reversed first.
fn distance(b: &mut Builder, at: Var, t: Var, height: Var) -> Var {
    let steps = b.sub(t, at);
    let steps = b.offset(steps, 1.0);
    let slots = b.full_like(height, SLOTS as f64);
    let free = b.sub(slots, height);
    let fewer = b.offset(free, -1.0);
    let reach = b.constant(reach());
    let [here, beyond] = [free, fewer].map(|c| get(b, reach, c));
    // The least number of runs that reaches so far, and what one run fewer reaches on either side.
    let all = b.broadcast(steps, &Shape::from([RUNS]), &[]);
    let short = b.compare(Direction::Lt, here, all);
    let short = b.convert(short, DType::I64);
    let runs = b.sum(short, &[0]);
    let fewer_runs = b.offset(runs, -1.0);
    let [here, beyond] = [here, beyond].map(|row| get(b, row, fewer_runs));
    let rest = b.sub(steps, beyond);
    b.binary(Binary::Min, here, rest)
}

/// How many steps `c` free slots and `r` runs of each step reverse: row `c`, column `r`.
fn reach() -> Tensor {
    let mut table = vec![[1i64; RUNS]; SLOTS];
    for r in 1..RUNS {
        table[0][r] = r as i64 + 1;
        for c in 1..SLOTS {
            table[c][r] = table[c][r - 1].saturating_add(table[c - 1][r]);
        }
    }
    Tensor::new([SLOTS, RUNS], table.concat()).expect("a row for each number of slots")
}

/// The indices of slot `i`.
fn slot(b: &mut Builder, array: Var, i: Var) -> Vec<Var> {
    let zero = b.full_like(i, 0.0);
    let rank = b.shape(array).rank();
    std::iter::once(i).chain(std::iter::repeat_n(zero, rank - 1)).collect()
}

/// The slice at `i` of the leading axis.
fn get(b: &mut Builder, array: Var, i: Var) -> Var {
    let shape = b.shape(array).without_axes(&[0]);
    let sizes: Dims = shape.with_axis(0, 1).0;
    let starts = slot(b, array, i);
    let slice = b.dynamic_slice(array, &starts, &sizes);
    b.reshape(slice, &shape)
}

/// The array with `v` as the slice at `i` of the leading axis.
fn put(b: &mut Builder, array: Var, i: Var, v: Var) -> Var {
    let shape = b.shape(v).with_axis(0, 1);
    let v = b.reshape(v, &shape);
    let starts = slot(b, array, i);
    b.dynamic_update_slice(array, v, &starts)
}
