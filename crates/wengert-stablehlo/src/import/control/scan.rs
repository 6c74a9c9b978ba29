//! Counted loops as scans. An array of which a loop reads one row at each step, in order, is walked along; one of which it
//! writes one row at each step is stacked. So are JAX's scans written, and ours: the counter goes on when all else is done,
//! and only the rows need it. Whatever is not exactly that stays.

use super::count::{Count, Line};
use crate::import::body::{Body, Captured};
use crate::import::definitions::Definitions;
use std::sync::Arc;
use wengert_core::ops::{Call, CallKind, Constant, Scan, While};
use wengert_core::{Builder, Equation, Op, Program, Result, Scalar, Shape, Tensor, Var, Vars};

/// Functions with more equations than this are not looked into for the row they read or write.
const SMALL: usize = 12;

/// The results of a loop as those of a scan, if it is one.
pub(super) fn scan(c: &mut Body<'_, '_, '_>, op: &While, x: &[Var], captured: &[Captured<'_>]) -> Result<Option<Vars>> {
    let Some(count) = Count::of(&c.b, op, x) else { return Ok(None) };
    let last = op.body.equations().last().is_some_and(|e| e.outputs[..] == [op.body.outputs()[count.carry]]);
    let body = opened(&op.body, &count, op.consts);
    let rows = Rows::new(&body, op.consts, count);
    // Without rows it may as well be a loop that somebody wrote so: only the order of its parts tells.
    let (before, counter) = (&rows.roles[..count.carry], rows.roles[count.carry]);
    let apart = last && counter == Role::Counter && before.iter().all(|r| *r == Role::Fixed);
    if !rows.are_there() && !apart {
        return Ok(None);
    }
    let (scan, operands) = rows.scan(c, x, captured);
    let y = c.push(scan, &operands)?;
    // What the counter and the stacked results start from is of no use any more.
    for (role, &v) in rows.roles.iter().zip(&x[op.consts..]) {
        if matches!(role, Role::Counter | Role::Stacked(_)) {
            c.absorbed.push(v);
            c.absorbed.extend(c.b.definition(v).filter(|e| matches!(e.op, Op::Broadcast(_))).map(|e| e.inputs[0]));
        }
    }
    let mut carries = y.iter().copied();
    let mut results = Vars::new();
    for (i, role) in rows.roles.iter().enumerate() {
        results.push(match role {
            Role::Carry => carries.next().expect("one for each carry"),
            Role::Fixed => x[op.consts + i],
            Role::Counter => {
                let ty = c.b.ty(x[op.consts + i]).clone();
                let end = count.line.at(count.length).expect("it fits its type");
                let value = Tensor::splat(ty.shape, Scalar::from_i64(ty.dtype, end));
                let end = c.b.constant(value);
                c.absorbed.push(end);
                end
            }
            Role::Stacked(_) => y[rows.carries() + rows.stacked().position(|j| j == i).expect("it is one of them")],
        });
    }
    Ok(Some(results))
}

/// The body with the calls written out that JAX makes of a scan's parts: a function that reads or writes a row at a place
/// that follows from the counter, and the step itself.
fn opened(body: &Program, count: &Count, consts: usize) -> Program {
    let lines = count.lines(body, body.inputs()[consts + count.carry]);
    let moves = |v: &Var| lines[v.index()].is_some_and(|l| l.step != 0);
    let is_row = |e: &Equation| matches!(e.op, Op::DynamicSlice(_) | Op::DynamicUpdateSlice(_));
    let opens = |e: &Equation| match &e.op {
        Op::Call(Call { program, kind: CallKind::Staged }) => {
            let equations = program.equations();
            let accessor = e.inputs.iter().any(moves) && equations.len() <= SMALL && equations.iter().any(is_row);
            accessor || is_step(program.name())
        }
        _ => false,
    };
    if !body.equations().iter().any(opens) {
        return body.clone();
    }
    let mut b = Copy::new(body);
    for e in body.equations() {
        match &e.op {
            Op::Call(call) if opens(e) => {
                b.b.set_place(e.place.clone());
                let y = b.b.inline(&call.program, &b.all(&e.inputs));
                e.outputs.iter().zip(y).for_each(|(v, y)| b.env[v.index()] = Some(y));
            }
            _ => b.equation(e),
        }
    }
    let outputs = b.all(body.outputs());
    b.b.finish_all(&outputs).with_name(body.name())
}

/// Whether JAX gives this name to the step of a loop: `closed_call`, with a number where there are several.
fn is_step(name: &str) -> bool {
    let rest = name.strip_prefix("closed_call");
    rest.is_some_and(|r| r.is_empty() || r.strip_prefix('_').is_some_and(|n| n.bytes().all(|c| c.is_ascii_digit())))
}

/// A program being copied with changes.
struct Copy<'p> {
    program: &'p Program,
    b: Builder,
    env: Vec<Option<Var>>,
}

impl<'p> Copy<'p> {
    /// With the same inputs.
    fn new(program: &'p Program) -> Self {
        let mut copy = Copy::without_inputs(program);
        program.inputs().iter().for_each(|&v| copy.input(v));
        copy
    }

    fn without_inputs(program: &'p Program) -> Self {
        Copy { program, b: Builder::new(), env: vec![None; program.var_count()] }
    }

    fn input(&mut self, v: Var) {
        let new = self.b.input(self.program.ty(v).clone());
        self.b.copy_name(self.program, v, new);
        self.env[v.index()] = Some(new);
    }

    fn all(&self, vars: &[Var]) -> Vec<Var> {
        vars.iter().map(|v| self.env[v.index()].expect("defined before use")).collect()
    }

    fn equation(&mut self, e: &Equation) {
        self.b.set_place(e.place.clone());
        let x = self.all(&e.inputs);
        let types = e.outputs.iter().map(|&v| self.program.ty(v).clone()).collect();
        let y = self.b.push_typed(e.op.clone(), &x, types);
        for (&v, &y) in e.outputs.iter().zip(&y) {
            self.b.copy_name(self.program, v, y);
            self.env[v.index()] = Some(y);
        }
    }
}

/// What becomes of a carry of the loop.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Carry,
    /// The body gives it back as it got it: a constant, or an array that is walked along.
    Fixed,
    /// Nothing but the condition and the places of rows needs it.
    Counter,
    /// One row of it is written at each step: this value.
    Stacked(Var),
}

/// A row that is read: the result of a `dynamic_slice` with a leading axis of one, and the array.
struct Read {
    slice: Var,
    array: Var,
}

/// The rows that the body of a loop reads and writes.
struct Rows<'p> {
    body: &'p Program,
    consts: usize,
    count: Count,
    reverse: bool,
    reads: Vec<Read>,
    roles: Vec<Role>,
    /// Which variables the scan has.
    needed: Vec<bool>,
}

impl<'p> Rows<'p> {
    fn new(body: &'p Program, consts: usize, count: Count) -> Self {
        let lines = count.lines(body, body.inputs()[consts + count.carry]);
        let rows = Search { body, consts, count, lines, definitions: Definitions::new(body), uses: uses(body) };
        // The first row says in which order the loop goes.
        let places = body.equations().iter().filter_map(|e| rows.place(e));
        let reverse = places.map(|line| line != FORWARD).next().unwrap_or(false);
        let reads = rows.reads(reverse);
        let roles = rows.roles(&reads, reverse);
        let needed = rows.kept(&roles, &reads);
        Rows { body, consts, count, reverse, reads, roles, needed }
    }

    /// Whether any row is read or written.
    fn are_there(&self) -> bool {
        !self.reads.is_empty() || self.stacked().next().is_some()
    }

    fn carries(&self) -> usize {
        self.roles.iter().filter(|r| **r == Role::Carry).count()
    }

    /// The carries that are stacked results.
    fn stacked(&self) -> impl Iterator<Item = usize> {
        (0..self.roles.len()).filter(|&i| matches!(self.roles[i], Role::Stacked(_)))
    }

    /// The scan, and its operands.
    fn scan(&self, c: &mut Body<'_, '_, '_>, x: &[Var], captured: &[Captured<'_>]) -> (Scan, Vec<Var>) {
        let inputs = self.body.inputs();
        let with = |role: Role| (0..self.roles.len()).filter(move |&i| self.roles[i] == role).map(|i| self.consts + i);
        let consts = (0..self.consts).chain(with(Role::Fixed)).filter(|&i| self.needed[inputs[i].index()]);
        let consts: Vec<usize> = consts.collect();
        let carries: Vec<usize> = with(Role::Carry).collect();
        let mut operands: Vec<Var> = consts.iter().chain(&carries).map(|&i| x[i]).collect();
        let mut b = Copy::without_inputs(self.body);
        consts.iter().chain(&carries).for_each(|&i| b.input(inputs[i]));
        let definitions = Definitions::new(self.body);
        for read in &self.reads {
            let array = inputs.iter().position(|&v| v == read.array);
            operands.push(match (array, definitions.get(read.array).map(|e| &e.op)) {
                (Some(i), _) => x[i],
                (None, Some(Op::Constant(constant))) => outside(c, constant, captured),
                _ => unreachable!("only inputs and constants are walked along"),
            });
            let ty = self.body.ty(read.slice);
            let row = b.b.input(ty.with_shape(ty.shape.without_axes(&[0])));
            b.b.copy_name(self.body, read.slice, row);
            b.env[read.slice.index()] = Some(row);
        }
        let is_kept = |e: &&Equation| e.outputs.is_empty() || e.outputs.iter().any(|v| self.needed[v.index()]);
        for e in self.body.equations().iter().filter(is_kept) {
            let Some(read) = e.inputs.first().and_then(|&v| self.reads.iter().find(|r| r.slice == v)) else {
                if !self.reads.iter().any(|r| e.outputs[..] == [r.slice]) {
                    b.equation(e);
                }
                continue;
            };
            // Without its leading axis the row is what the scan gives, and with it a reshape of that.
            let row = b.env[read.slice.index()].expect("an input");
            if matches!(e.op, Op::Reshape(_)) {
                b.env[e.outputs[0].index()] = Some(b.b.reshape(row, &self.body.ty(e.outputs[0]).shape));
                continue;
            }
            let flat = b.b.shape(row).clone();
            let full = b.b.reshape(row, &flat.with_axis(0, 1));
            b.env[read.slice.index()] = Some(full);
            b.equation(e);
            b.env[read.slice.index()] = Some(row);
        }
        let mut outputs: Vec<Var> = Vec::new();
        for (&v, role) in self.body.outputs().iter().zip(&self.roles) {
            if *role == Role::Carry {
                outputs.extend(b.all(&[v]));
            }
        }
        for i in self.stacked() {
            let Role::Stacked(row) = self.roles[i] else { continue };
            let shape = self.body.ty(inputs[self.consts + i]).shape.without_axes(&[0]);
            let row = b.all(&[row])[0];
            outputs.push(b.b.reshape(row, &shape));
        }
        let body = Arc::new(b.b.finish_all(&outputs));
        let (consts, carries) = (consts.len(), carries.len());
        (Scan { length: self.count.length, consts, carries, reverse: self.reverse, body }, operands)
    }
}

/// A constant of the body around it: the one it stands for, or a new one.
fn outside(c: &mut Body<'_, '_, '_>, constant: &Constant, captured: &[Captured<'_>]) -> Var {
    match captured.iter().find(|c| c.is_constant(&constant.value)) {
        Some(c) => c.var,
        None => c.b.constant(constant.value.clone()),
    }
}

const FORWARD: Line = Line { start: 0, step: 1 };

/// How often each variable is used, by equations and as a result.
fn uses(p: &Program) -> Vec<usize> {
    let mut uses = vec![0; p.var_count()];
    let all = p.equations().iter().flat_map(|e| e.inputs.iter()).chain(p.outputs());
    all.for_each(|v| uses[v.index()] += 1);
    uses
}

/// Which variables the outputs of the scan need; rows that are read need nothing.
fn needed(body: &Program, roles: &[Role], reads: &[Read]) -> Vec<bool> {
    let mut needed = vec![false; body.var_count()];
    for (i, role) in roles.iter().enumerate() {
        match role {
            Role::Carry => needed[body.outputs()[i].index()] = true,
            Role::Stacked(row) => needed[row.index()] = true,
            Role::Fixed | Role::Counter => (),
        }
    }
    for e in body.equations().iter().rev() {
        let wanted = e.outputs.is_empty() || e.outputs.iter().any(|v| needed[v.index()]);
        if wanted && !reads.iter().any(|r| e.outputs[..] == [r.slice]) {
            e.inputs.iter().for_each(|v| needed[v.index()] = true);
        }
    }
    needed
}

/// What is known while rows are looked for.
struct Search<'p> {
    body: &'p Program,
    consts: usize,
    count: Count,
    lines: Vec<Option<Line>>,
    definitions: Definitions<'p>,
    uses: Vec<usize>,
}

impl Search<'_> {
    fn order(&self, reverse: bool) -> Line {
        if reverse { Line { start: self.count.length as i64 - 1, step: -1 } } else { FORWARD }
    }

    /// The position of a carry, by its variable in the body.
    fn carry(&self, v: Var) -> Option<usize> {
        self.body.inputs().iter().position(|&i| i == v)?.checked_sub(self.consts)
    }

    /// Whether a variable is the same at every step.
    fn is_fixed(&self, v: Var) -> bool {
        match self.carry(v) {
            Some(i) => self.body.outputs()[i] == v,
            None => match self.definitions.get(v) {
                Some(e) => matches!(e.op, Op::Constant(_)),
                None => true,
            },
        }
    }

    /// Whether a shape is one row of an array that has as many as the loop has steps. Such a slice starts at 0 along all
    /// axes but the first, whatever the indices say.
    fn is_row(&self, array: &Shape, row: &[usize]) -> bool {
        array.rank() > 0 && array[0] == self.count.length && row[0] == 1 && row[1..] == array[1..]
    }

    /// The place of the row that an equation reads or writes, if it goes through all of them in order.
    fn place(&self, e: &Equation) -> Option<Line> {
        let array = &self.body.ty(*e.inputs.first()?).shape;
        let (fits, at) = match &e.op {
            Op::DynamicSlice(op) => (self.is_fixed(e.inputs[0]) && self.is_row(array, &op.sizes), 1),
            Op::DynamicUpdateSlice(_) => (self.is_row(array, &self.body.ty(e.inputs[1]).shape), 2),
            _ => return None,
        };
        let line = self.lines[e.inputs.get(at).filter(|_| fits)?.index()]?;
        [FORWARD, self.order(true)].contains(&line).then_some(line)
    }

    fn reads(&self, reverse: bool) -> Vec<Read> {
        let read = |e: &&Equation| matches!(e.op, Op::DynamicSlice(_)) && self.place(e) == Some(self.order(reverse));
        let equations = self.body.equations().iter().filter(read);
        equations.map(|e| Read { slice: e.outputs[0], array: e.inputs[0] }).collect()
    }

    /// What becomes of each carry. Those before the counter that never change are operands of the loop, as JAX writes
    /// them; after it, only those are that nothing but the reading of rows needs.
    fn roles(&self, reads: &[Read], reverse: bool) -> Vec<Role> {
        let role = |(i, &out): (usize, &Var)| {
            let v = self.body.inputs()[self.consts + i];
            let read = reads.iter().filter(|r| r.array == v).count();
            let operand = i < self.count.carry || read > 0 && self.uses[v.index()] == read + 1;
            match self.written(v, out, reverse) {
                Some(row) => Role::Stacked(row),
                None if out == v && operand => Role::Fixed,
                None if i == self.count.carry => Role::Counter,
                None => Role::Carry,
            }
        };
        let mut roles: Vec<Role> = self.body.outputs().iter().enumerate().map(role).collect();
        let counter = self.body.inputs()[self.consts + self.count.carry];
        if needed(self.body, &roles, reads)[counter.index()] {
            roles[self.count.carry] = Role::Carry;
        }
        roles
    }

    /// What the scan needs, and what nothing needed before; but not what was there for the rows alone.
    fn kept(&self, roles: &[Role], reads: &[Read]) -> Vec<bool> {
        let before = needed(self.body, &vec![Role::Carry; roles.len()], &[]);
        let mut kept = needed(self.body, roles, reads);
        let mut gone: Vec<bool> = before.iter().zip(&kept).map(|(before, kept)| *before && !kept).collect();
        for (i, role) in roles.iter().enumerate() {
            gone[self.body.inputs()[self.consts + i].index()] = matches!(role, Role::Counter | Role::Stacked(_));
        }
        let is_read = |e: &Equation| reads.iter().any(|r| e.outputs[..] == [r.slice]);
        let is_dead = |e: &Equation| !e.outputs.is_empty() && !e.outputs.iter().any(|v| before[v.index()]);
        for e in self.body.equations().iter().filter(|e| is_dead(e)) {
            let without = !is_read(e) && e.inputs.iter().any(|v| gone[v.index()]);
            e.outputs.iter().for_each(|v| gone[v.index()] = without);
        }
        // What only such equations used goes with them.
        let mut uses = self.uses.clone();
        for e in self.body.equations().iter().rev() {
            let unused = e.outputs.iter().all(|v| uses[v.index()] == 0 && self.uses[v.index()] > 0);
            let goes = is_dead(e) && !is_read(e) && (unused || e.outputs.iter().any(|v| gone[v.index()]));
            if goes || is_read(e) {
                e.inputs.iter().for_each(|v| uses[v.index()] -= 1);
            } else if is_dead(e) {
                e.inputs.iter().chain(&e.outputs).for_each(|v| kept[v.index()] = true);
            }
        }
        kept
    }

    /// The row of a carry that each step writes, and does nothing else with it.
    fn written(&self, carry: Var, out: Var, reverse: bool) -> Option<Var> {
        let e = self.definitions.get(out)?;
        let whole = matches!(e.op, Op::DynamicUpdateSlice(_)) && e.inputs[0] == carry;
        let alone = self.uses[carry.index()] == 1 && self.uses[out.index()] == 1;
        if !whole || !alone || self.place(e) != Some(self.order(reverse)) {
            return None;
        }
        // The row without its leading axis, where that was added just for this.
        let row = e.inputs[1];
        let (Some(Equation { op, inputs, .. }), shape) = (self.definitions.get(row), &self.body.ty(row).shape) else {
            return Some(row);
        };
        let flat = match op {
            Op::Reshape(_) => true,
            Op::Broadcast(b) => b.dims.iter().copied().eq(1..shape.rank()),
            _ => false,
        };
        let source = inputs.first().filter(|v| flat && self.body.ty(**v).shape[..] == shape[1..]);
        Some(source.copied().unwrap_or(row))
    }
}
