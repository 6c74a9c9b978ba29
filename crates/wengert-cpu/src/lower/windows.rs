//! Gathers and scatters of many windows, each a run of elements: one window after the other, or, where a window is one
//! element, many in lanes.

use super::form::{Form, Memory, kind};
use super::gather::{Outside, Start};
use super::view::{dense, merged};
use super::{Lowering, elementwise};
use wengert_core::ops::{Combiner, Gather, Indexing, OutOfBounds, Scatter, Update};
use wengert_core::{Shape, Type};
use wengert_kernel::{Address, Binary, Inst, Kind, Value};

/// Bytes that cores share or do not share.
const LINE: usize = 64;

/// Windows that are runs of elements, one after the other among themselves.
pub(super) struct Runs {
    /// How many windows.
    pub(super) count: usize,
    /// Elements of one.
    pub(super) length: usize,
}

impl Runs {
    /// None if windows are no runs, or stand in another order.
    pub(super) fn of(
        at: &Indexing,
        operand: &Shape,
        sizes: &[usize],
        indices: &Shape,
        windows: &Shape,
    ) -> Option<Runs> {
        let order: Vec<usize> = at.place_dims(windows.rank()).iter().chain(&at.window_dims).copied().collect();
        let last = at.index_vector_dim + 1 >= indices.rank();
        let fits = at.index_map.iter().all(|&d| sizes[d] <= operand[d]);
        if !order.is_sorted() || !last || !fits || !at.operand_batching_dims.is_empty() {
            return None;
        }
        let own = dense(operand);
        let axes = merged(at.window_axes(operand.rank()).iter().map(|&d| (sizes[d], own[d])));
        let length = match axes[..] {
            [] => 1,
            [(n, 1)] => n,
            _ => return None,
        };
        let count = windows.size() / length.max(1);
        (count > 0 && length > 0).then_some(Runs { count, length })
    }
}

impl Lowering {
    /// Where the window of a number starts, read from indices in memory.
    fn window_at(
        &mut self,
        at: &Indexing,
        operand: &Shape,
        sizes: &[usize],
        indices: (Value, Kind),
        number: Value,
        outside: Outside,
    ) -> Start {
        let (base, kind) = indices;
        let (n, bytes) = (at.index_map.len(), kind.bytes());
        let v: Vec<Value> = (0..n)
            .map(|k| {
                let index = Some((number, (n * bytes) as i64));
                self.b.load(kind, Address { base, index, offset: (k * bytes) as i64 })
            })
            .collect();
        self.start_at(at, operand, sizes, &v, 0, outside)
    }

    /// A gather of many windows.
    pub(super) fn gather_runs(&mut self, op: &Gather, x: &[Form], y: &Type) -> Option<Form> {
        let (kind, of_index) = (kind(y.dtype)?, kind(x[1].ty.dtype)?);
        let operand = x[0].ty.shape.clone();
        let runs = Runs::of(&op.indexing, &operand, &op.slice_sizes, &x[1].ty.shape, &y.shape)?;
        if operand.size() == 0 || x[0].splat_scalar().is_some() || of_index == Kind::Bool || of_index.is_float() {
            return None;
        }
        let (from, indices) = (self.memory(&x[0]), self.memory(&x[1]));
        let room = self.room_of(0, y);
        self.write_runs(op, &operand, &runs, [&from, &indices, &room], [kind, of_index]);
        Some(Form::memory(y.clone(), room))
    }

    /// Writes the windows of a gather one after the other: from elements, by indices, to a place, of these kinds.
    pub(super) fn write_runs(
        &mut self,
        op: &Gather,
        operand: &Shape,
        runs: &Runs,
        [from, indices, to]: [&Memory; 3],
        [kind, of_index]: [Kind; 2],
    ) {
        let (at, sizes) = (&op.indexing, &op.slice_sizes);
        let (outside, filler) = match op.out_of_bounds {
            OutOfBounds::Clip => (Outside::Moved, None),
            OutOfBounds::Fill(s) => (Outside::MovedAndKnown, Some(elementwise::element(&mut self.b, kind, s))),
        };
        let (from, indices, to) = (self.address(from, 0), self.address(indices, 0), self.address(to, 0));
        let (from, indices, to) = (self.b.pointer(from), self.b.pointer(indices), self.b.pointer(to));
        let bytes = kind.bytes() as i64;
        let run = runs.length as i64 * bytes;
        let shared = self.run_length(runs.count, 2.0 + 0.1 * run as f64);
        self.in_runs(runs.count, shared, |l, first, count| {
            l.b.begin();
            let index = l.b.value(Kind::I64);
            let number = first.map_or(index, |first| l.b.binary(Binary::Add, first, index));
            let start = l.window_at(at, operand, sizes, (indices, of_index), number, outside);
            let from = Address { base: from, index: Some((start.element, bytes)), offset: 0 };
            let to = Address { base: to, index: Some((number, run)), offset: 0 };
            if runs.length == 1 {
                let v = l.b.load(kind, from);
                let v = match (filler, start.inside) {
                    (Some(filler), Some(inside)) => l.b.select(inside, v, filler),
                    _ => v,
                };
                l.b.store(v, to);
                let body = l.b.end(Vec::new());
                return l.b.push(Inst::Lanes { index, count: count as u64, body });
            }
            let (from, to) = (l.b.pointer(from), l.b.pointer(to));
            let copy = Inst::Copy { x: [from, to], bytes: run as usize };
            match (filler, start.inside) {
                (Some(filler), Some(condition)) => {
                    l.b.begin();
                    l.b.push(copy);
                    let then = l.b.end(Vec::new());
                    l.b.begin();
                    l.b.begin();
                    let lane = l.b.value(Kind::I64);
                    l.b.store(filler, Address { base: to, index: Some((lane, bytes)), offset: 0 });
                    let body = l.b.end(Vec::new());
                    l.b.push(Inst::Lanes { index: lane, count: runs.length as u64, body });
                    let otherwise = l.b.end(Vec::new());
                    l.b.push(Inst::If { condition, then, otherwise, y: Vec::new() });
                }
                _ => l.b.push(copy),
            }
            let body = l.b.end(Vec::new());
            l.repeat(index, count, body);
        });
    }

    /// A scatter of many windows into one array: in place, where nothing else is the operand.
    pub(super) fn scatter_runs(&mut self, op: &Scatter, x: &mut Vec<Form>, y: &Type) -> Option<Form> {
        let [operand, indices, updates] = &x[..] else { return None };
        let (kind, of_index) = (kind(y.dtype)?, kind(indices.ty.dtype)?);
        let f = match &op.update {
            Update::Set => None,
            Update::Combine(Combiner::Program(_)) => return None,
            Update::Combine(c) => Some(c.binary().filter(|f| elementwise::has_binary(*f, y.dtype))?),
        };
        let (shape, at) = (operand.ty.shape.clone(), &op.indexing);
        let mut sizes = vec![1; shape.rank()];
        for (d, &w) in at.window_axes(shape.rank()).iter().zip(&at.window_dims) {
            sizes[*d] = updates.ty.shape[w];
        }
        let runs = Runs::of(at, &shape, &sizes, &indices.ty.shape, &updates.ty.shape)?;
        if shape.size() == 0 || of_index == Kind::Bool || of_index.is_float() {
            return None;
        }
        // Rows that are gathered for this alone are read where they lie.
        let gathered = updates.view.as_ref().and_then(|v| v.gathered_rows(runs.length));
        let indices = self.memory(indices);
        let updates = match &gathered {
            Some(rows) => rows.elements.clone(),
            None => self.memory(updates),
        };
        x.truncate(1);
        let form = x.remove(0);
        let place = self.overwritable_place(form, 0).owned();
        let bytes = kind.bytes() as i64;
        let (i, u, to) = (self.address(&indices, 0), self.address(&updates, 0), self.address(&place, 0));
        let (i, u, to) = (self.b.pointer(i), self.b.pointer(u), self.b.pointer(to));
        let whole = runs.length as i64 * bytes;
        let rows = gathered.map(|rows| {
            let at = self.address(&rows.indices, 0);
            (self.b.pointer(at), rows)
        });
        // Threads share the columns: so each element is met in the order of windows.
        let shares = self.threads.min(whole as usize / LINE);
        let work = runs.count as f64 * (2.0 + 0.1 * whole as f64);
        let run = match shares > 1 && self.is_for_threads(work) {
            true => runs.length.div_ceil(shares).next_multiple_of(LINE / bytes as usize),
            false => runs.length,
        };
        self.in_runs(runs.length, run, |l, column, count| {
            l.b.begin();
            let number = l.b.value(Kind::I64);
            let start = l.window_at(at, &shape, &sizes, (i, of_index), number, Outside::Known);
            l.b.begin();
            let to = l.b.pointer(Address { base: to, index: Some((start.element, bytes)), offset: 0 });
            let (element, step) = match &rows {
                Some((base, rows)) => {
                    let index = Some((number, rows.index_bytes()));
                    (l.window_of(rows, Address { base: *base, index, offset: 0 }), bytes)
                }
                None => (number, whole),
            };
            let from = l.b.pointer(Address { base: u, index: Some((element, step)), offset: 0 });
            let [to, from] = [to, from].map(|base| match column {
                Some(column) => l.b.pointer(Address { base, index: Some((column, bytes)), offset: 0 }),
                None => base,
            });
            match f {
                None => l.b.push(Inst::Copy { x: [from, to], bytes: count * bytes as usize }),
                Some(f) if count == 1 => {
                    let (met, new) = (l.b.load(kind, Address::at(to, 0)), l.b.load(kind, Address::at(from, 0)));
                    let v = elementwise::binary(&mut l.b, f, met, new);
                    l.b.store(v, Address::at(to, 0));
                }
                Some(f) => {
                    l.b.begin();
                    let lane = l.b.value(Kind::I64);
                    let place = |base: Value| Address { base, index: Some((lane, bytes)), offset: 0 };
                    let (met, new) = (l.b.load(kind, place(to)), l.b.load(kind, place(from)));
                    let v = elementwise::binary(&mut l.b, f, met, new);
                    l.b.store(v, place(to));
                    let body = l.b.end(Vec::new());
                    l.b.push(Inst::Lanes { index: lane, count: count as u64, body });
                }
            }
            let then = l.b.end(Vec::new());
            match start.inside {
                Some(condition) => l.b.push(Inst::If { condition, then, otherwise: Default::default(), y: Vec::new() }),
                None => then.insts.into_iter().for_each(|inst| l.b.push(inst)),
            }
            let body = l.b.end(Vec::new());
            l.repeat(number, runs.count, body);
        });
        Some(Form::memory(y.clone(), place))
    }
}
