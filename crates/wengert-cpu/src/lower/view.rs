//! Arrays that are read where another one lies, by an offset and a step along each axis: what only moves elements of a
//! large array writes nothing until somebody asks for its memory.

use super::form::{Form, Memory, kind};
use super::gathered::{Gathered, Rows};
use super::group::{Place, Slot};
use super::{Lowering, elementwise};
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use wengert_core::{Op, Shape, Type};
use wengert_kernel::Value;
use wengert_x86::faults::{Fault, is_planted};

/// What a view reads.
#[derive(Clone)]
pub(super) enum Source {
    /// Elements in memory.
    Memory(Memory),
    /// A value that is put off.
    Slot(Rc<Slot>),
    /// Rows that are read through indices.
    Gathered(Rc<Gathered>),
    /// No memory: the element at a position is the position, as an iota has it.
    Numbers,
}

/// Sizes and steps of axes, the outermost first. Steps are counted in elements.
pub(super) type Axes = Vec<(usize, i64)>;

/// An array that is read where another lies.
pub(super) struct View {
    /// None once the elements were put together.
    source: RefCell<Option<Source>>,
    offset: i64,
    /// One for each axis of the array.
    steps: Vec<i64>,
    ty: Type,
    /// Where the elements were put together, once they were.
    written: RefCell<Option<Memory>>,
}

impl View {
    pub(super) fn new(source: Source, offset: i64, steps: Vec<i64>, ty: Type) -> View {
        View { source: RefCell::new(Some(source)), offset, steps, ty, written: RefCell::new(None) }
    }

    pub(super) fn written(&self) -> Option<Memory> {
        self.written.borrow().clone()
    }

    pub(super) fn ty(&self) -> &Type {
        &self.ty
    }

    pub(super) fn offset(&self) -> i64 {
        self.offset
    }

    /// What it reads now: a value that was put off lies in memory once its loop is written.
    pub(super) fn source(&self) -> Source {
        match &*self.source.borrow() {
            Some(Source::Slot(slot)) if slot.is_written() => Source::Memory(slot.memory()),
            Some(Source::Gathered(rows)) if rows.written().is_some() => Source::Memory(rows.written().expect("it is")),
            Some(source) => source.clone(),
            None => unreachable!("what is written is read where it was put together"),
        }
    }

    /// Says where the elements were put together; what they were read from is let go.
    fn set_written(&self, memory: Memory) {
        *self.written.borrow_mut() = Some(memory);
        *self.source.borrow_mut() = None;
    }

    /// The axes, neighbours that continue each other as one.
    pub(super) fn axes(&self) -> Axes {
        merged(self.ty.shape.iter().copied().zip(self.steps.iter().copied()))
    }

    /// The rows of this length that it is, all of them in their order, if they are read through indices.
    pub(super) fn gathered_rows(&self, length: usize) -> Option<Rc<Rows>> {
        match self.source.borrow().as_ref()? {
            Source::Gathered(gathered) if self.is_dense() && self.offset == 0 => gathered.rows(),
            _ => None,
        }
        .filter(|rows| rows.length() == length)
    }

    /// Whether elements lie one after the other.
    fn is_dense(&self) -> bool {
        matches!(self.axes()[..], [] | [(_, 1)])
    }

    /// The positions of all elements, in row-major order.
    fn positions(&self) -> Vec<i64> {
        let axes = self.ty.shape.iter().zip(&self.steps);
        axes.fold(vec![self.offset], |some, (&n, step)| {
            some.iter().flat_map(|at| (0..n as i64).map(move |i| at + i * step)).collect()
        })
    }

    /// The same elements in another shape, if steps can say so.
    fn reshaped(&self, shape: &Shape) -> Option<View> {
        let mut axes = self.axes();
        let mut steps = vec![0; shape.rank()];
        for (d, &n) in shape.iter().enumerate().rev().filter(|(_, n)| **n != 1) {
            let (size, step) = axes.pop()?;
            if !size.is_multiple_of(n) {
                return None;
            }
            steps[d] = step;
            if size != n {
                axes.push((size / n, step * n as i64));
            }
        }
        Some(View::new(self.source(), self.offset, steps, self.ty.with_shape(shape.clone())))
    }

    /// What an op that moves elements makes of this, if it is still read by steps.
    fn moved(&self, op: &Op, y: &Type) -> Option<View> {
        let (mut offset, steps) = (self.offset, &self.steps);
        let steps: Vec<i64> = match op {
            Op::Transpose(op) if is_planted(Fault::PermutationOfRank4) && is_cube(&y.shape) => {
                let mut turned = steps.clone();
                op.perm.iter().enumerate().for_each(|(to, &d)| turned[d] = steps[to]);
                turned
            }
            Op::Transpose(op) => op.perm.iter().map(|&d| steps[d]).collect(),
            Op::Broadcast(op) => {
                let mut wide = vec![0; y.rank()];
                for (i, &d) in op.dims.iter().enumerate().filter(|(i, _)| self.ty.shape[*i] != 1) {
                    wide[d] = steps[i];
                }
                wide
            }
            Op::Reverse(op) => {
                let mut steps = steps.clone();
                let forgotten = usize::from(op.dims.len() > 1 && is_planted(Fault::ReverseOfTwo));
                for &d in &op.dims[..op.dims.len() - forgotten] {
                    offset += steps[d] * (self.ty.shape[d] as i64 - 1);
                    steps[d] = -steps[d];
                }
                steps
            }
            Op::Slice(op) => {
                offset += op.start.iter().zip(steps).map(|(&s, step)| s as i64 * step).sum::<i64>();
                op.strides.iter().zip(steps).map(|(&s, step)| s as i64 * step).collect()
            }
            _ => return None,
        };
        Some(View::new(self.source(), offset, steps, y.clone()))
    }
}

/// Four axes of one size.
fn is_cube(shape: &[usize]) -> bool {
    matches!(shape, [a, rest @ ..] if rest.len() == 3 && rest.iter().all(|n| n == a))
}

/// Axes of more than one element, neighbours that continue each other as one.
pub(super) fn merged(axes: impl IntoIterator<Item = (usize, i64)>) -> Axes {
    let mut all: Axes = Vec::new();
    for (n, step) in axes.into_iter().filter(|(n, _)| *n != 1) {
        match all.last_mut() {
            Some((m, before)) if *before == step.wrapping_mul(n as i64) => (*m, *before) = (*m * n, step),
            _ => all.push((n, step)),
        }
    }
    all
}

/// Row-major steps.
pub(super) fn dense(shape: &[usize]) -> Vec<i64> {
    let mut steps = vec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        steps[d - 1] = steps[d] * shape[d] as i64;
    }
    steps
}

/// A part of an array: how many elements, and where it starts and goes along the whole's axes.
struct Part {
    offset: i64,
    steps: Vec<i64>,
}

impl Lowering {
    /// Parts of a large array that are written one by one: a concatenation, or an array with something around it.
    pub(super) fn parts(&mut self, op: &Op, x: &[Form], y: &Type) -> Option<Form> {
        kind(y.dtype).filter(|_| y.shape.size() > self.limit)?;
        let steps = dense(&y.shape);
        let mut parts = Vec::new();
        match op {
            Op::Concatenate(op) => {
                let mut first = 0;
                let mut order: Vec<&Form> = x.iter().collect();
                if x.len() == 3 && x[1].ty == x[2].ty && is_planted(Fault::ConcatenateOfThree) {
                    order.swap(1, 2);
                }
                for x in order {
                    parts.push((x, Part { offset: first * steps[op.dim], steps: steps.clone() }));
                    first += x.ty.shape[op.dim] as i64;
                }
            }
            Op::Pad(op) if op.low.iter().chain(&op.high).all(|&n| n >= 0) => {
                let offset = op.low.iter().zip(&steps).map(|(n, step)| n * step).sum();
                let steps = op.interior.iter().zip(&steps).map(|(&n, step)| (n as i64 + 1) * step).collect();
                parts.push((&x[0], Part { offset, steps }));
            }
            _ => return None,
        }
        let room = self.room_of(0, y);
        if let Op::Pad(_) = op {
            let v = self.scalars(&x[1])[0];
            self.put(&Form::splat(y.clone(), v), &room);
        }
        let mut put_off = Vec::new();
        for (x, part) in parts.into_iter().filter(|(x, _)| x.ty.shape.size() > 0) {
            if self.is_small(&x.ty) && x.splat_scalar().is_none() {
                let at = View::new(Source::Numbers, part.offset, part.steps, x.ty.clone()).positions();
                for (v, i) in self.scalars(x).into_iter().zip(at) {
                    let to = self.address(&room, i * self.b.kind(v).bytes() as i64);
                    self.b.store(v, to);
                }
                continue;
            }
            let axes = merged(x.ty.shape.iter().copied().zip(part.steps));
            put_off.push(self.put_off_part(x, Place { memory: room.clone(), offset: part.offset, axes }));
        }
        put_off.iter().for_each(|slot| self.write_loop_of(slot));
        Some(Form::memory(y.clone(), room.owned()))
    }

    /// A large array that an op moves the elements of, or an iota, as a view.
    pub(super) fn put_off_move(&mut self, op: &Op, x: &[Form], y: &Type) -> Option<Form> {
        kind(y.dtype).filter(|_| y.shape.size() > 0)?;
        let view = match op {
            Op::Iota(op) => {
                let mut steps = vec![0; y.rank()];
                *steps.get_mut(op.dim)? = 1;
                View::new(Source::Numbers, 0, steps, y.clone())
            }
            _ => self.as_view(x.first()?).moved(op, y)?,
        };
        Some(self.viewed(view))
    }

    /// Every other element in memory, from the first or the second on.
    pub(super) fn every_other(&mut self, memory: Memory, first: usize, y: &Type) -> Form {
        let steps = dense(&y.shape).into_iter().map(|step| 2 * step).collect();
        self.viewed(View::new(Source::Memory(memory), first as i64, steps, y.clone()))
    }

    /// A form that is a view.
    pub(super) fn viewed(&mut self, view: View) -> Form {
        let (ty, view) = (view.ty.clone(), Rc::new(view));
        if self.views.len() == self.views.capacity() {
            self.views.retain(|v| v.strong_count() > 0);
        }
        self.views.push(Rc::downgrade(&view));
        Form { ty, scalars: None, memory: None, slot: None, view: Some(view) }
    }

    /// A part, of the type of `y`, of an array of this shape: from an element on.
    pub(super) fn view_at(&mut self, first: Memory, shape: &Shape, y: &Type) -> Form {
        let view = View::new(Source::Memory(first), 0, dense(shape), y.clone());
        self.viewed(view)
    }

    /// A value as a view of where it lies or will lie.
    fn as_view(&mut self, x: &Form) -> View {
        if let Some(view) = x.view.as_ref().filter(|v| v.written().is_none()) {
            return View::new(view.source(), view.offset, view.steps.clone(), view.ty.clone());
        }
        let source = match &x.slot {
            Some(slot) if x.memory.is_none() && x.scalars.is_none() => Source::Slot(slot.clone()),
            _ => Source::Memory(self.memory(x)),
        };
        View::new(source, 0, dense(&x.ty.shape), x.ty.clone())
    }

    /// A value in another shape.
    pub(super) fn reshaped(&mut self, form: Form, shape: &Shape) -> Form {
        let ty = form.ty.with_shape(shape.clone());
        let Some(view) = form.view.as_ref().filter(|v| v.written().is_none()) else {
            return Form { ty, ..form.settled() };
        };
        match view.reshaped(shape) {
            Some(view) => self.viewed(view),
            None => Form::memory(ty, self.memory_of_view(view)),
        }
    }

    /// The scalars of a small array that is a view.
    pub(super) fn scalars_of_view(&mut self, view: &View) -> Vec<Value> {
        let kind = kind(view.ty.dtype).expect("views are of plain numbers");
        self.write_source(view);
        let positions = view.positions().into_iter();
        match view.source() {
            Source::Memory(memory) => positions.map(|i| self.load(kind, &memory, i as usize)).collect(),
            _ => positions
                .map(|i| {
                    let number = self.b.constant(wengert_kernel::Kind::I64, i as u64);
                    elementwise::convert(&mut self.b, number, kind)
                })
                .collect(),
        }
    }

    /// Writes what a view reads, if that is put off.
    pub(super) fn write_source(&mut self, view: &View) {
        match view.source() {
            Source::Slot(slot) => self.write_loop_of(&slot),
            Source::Gathered(rows) => _ = self.write_gathered(&rows),
            Source::Memory(_) | Source::Numbers => {}
        }
    }

    /// Where the elements of a view lie one after the other: where they are, or where they are put together.
    pub(super) fn memory_of_view(&mut self, view: &Rc<View>) -> Memory {
        if let Some(memory) = view.written() {
            return memory;
        }
        self.write_source(view);
        if let Source::Memory(memory) = view.source()
            && view.is_dense()
        {
            let bytes = kind(view.ty.dtype).expect("views are of plain numbers").bytes() as i64;
            return Memory { offset: memory.offset + view.offset * bytes, ..memory };
        }
        let room = self.room(&view.ty);
        self.write_view(view, &room);
        view.set_written(room.clone());
        room
    }

    /// Puts together the views of memory that is to be overwritten.
    pub(super) fn write_views_of(&mut self, x: &[Form]) {
        if self.views.is_empty() {
            return;
        }
        let owners: Vec<*const ()> = x
            .iter()
            .filter_map(|x| x.memory.as_ref().and_then(|m| m.owner.as_ref()).map(|o| Rc::as_ptr(o).cast()))
            .collect();
        let live: Vec<Rc<View>> = self.views.iter().filter_map(Weak::upgrade).collect();
        for view in live.iter().filter(|v| v.written().is_none()) {
            let is_read = match view.source() {
                Source::Memory(memory) => memory.owner.is_some_and(|o| owners.contains(&Rc::as_ptr(&o).cast())),
                Source::Gathered(rows) => rows.reads_of(&owners),
                Source::Slot(_) | Source::Numbers => false,
            };
            if is_read {
                let room = self.room(&view.ty);
                self.write_view(view, &room);
                view.set_written(room);
            }
        }
    }
}
