//! Gathers of rows that nobody asks the memory of: loops and scatters read the rows where they lie, through the indices.
//!
//! Positions of such an array are those it would have, were it written. A position is that of a window, and in the window.

use super::Lowering;
use super::form::{Form, Memory, kind};
use super::gather::Outside;
use super::stages::Nest;
use super::view::{Axes, Source, View, dense};
use super::windows::Runs;
use std::cell::RefCell;
use std::rc::Rc;
use wengert_core::ops::{Gather, OutOfBounds};
use wengert_core::{Shape, Type};
use wengert_kernel::{Address, Kind, Value};

/// Windows that are smaller than this are written: what is done with them is done for many of them at once.
const LEAST: usize = 64;

/// Windows that are runs of elements, and where they lie.
pub(super) struct Rows {
    op: Gather,
    operand: Shape,
    runs: Runs,
    pub(super) elements: Memory,
    pub(super) indices: Memory,
    pub(super) of_index: Kind,
}

/// A gather of such windows.
pub(super) struct Gathered {
    ty: Type,
    /// None once the elements were written.
    rows: RefCell<Option<Rc<Rows>>>,
    written: RefCell<Option<Memory>>,
}

impl Gathered {
    /// Where it was written, if it was.
    pub(super) fn written(&self) -> Option<Memory> {
        self.written.borrow().clone()
    }

    /// What it reads, if it was not.
    pub(super) fn rows(&self) -> Option<Rc<Rows>> {
        self.rows.borrow().clone()
    }

    /// Whether it reads what somebody else is about to overwrite.
    pub(super) fn reads_of(&self, owners: &[*const ()]) -> bool {
        let owned = |m: &Memory| m.owner.as_ref().is_some_and(|o| owners.contains(&Rc::as_ptr(o).cast()));
        self.rows.borrow().as_ref().is_some_and(|rows| owned(&rows.elements) || owned(&rows.indices))
    }
}

impl Rows {
    /// Elements of a window.
    pub(super) fn length(&self) -> usize {
        self.runs.length
    }

    /// Bytes from the indices of a window to those of the next.
    pub(super) fn index_bytes(&self) -> i64 {
        (self.op.indexing.index_map.len() * self.of_index.bytes()) as i64
    }

    /// Axes of positions, each along windows or inside of one; none if there are no such.
    pub(super) fn split(&self, offset: i64, axes: Axes) -> Option<Axes> {
        let run = self.length() as i64;
        let mut split = Axes::new();
        let mut last = offset % run;
        for (n, step) in axes {
            let all = step.checked_mul(n as i64)?;
            if step % run == 0 {
                split.push((n, step));
                continue;
            }
            if step < 0 {
                return None;
            }
            let mut inside = n;
            if all > run {
                // It goes on from one window to the next.
                if run % step != 0 || all % run != 0 {
                    return None;
                }
                inside = (run / step) as usize;
                split.push((n / inside, run));
            }
            split.push((inside, step));
            last += step * (inside as i64 - 1);
        }
        (offset >= 0 && last < run).then_some(split)
    }
}

impl Lowering {
    /// A gather of long rows as a view of what it reads.
    pub(super) fn put_off_gather(&mut self, op: &Gather, x: &[Form], y: &Type) -> Option<Form> {
        let (of_element, of_index) = (kind(y.dtype)?, kind(x[1].ty.dtype)?);
        let runs = Runs::of(&op.indexing, &x[0].ty.shape, &op.slice_sizes, &x[1].ty.shape, &y.shape)?;
        let is_result = self.targets.first().is_some_and(Option::is_some);
        if is_result
            || op.out_of_bounds != OutOfBounds::Clip
            || !of_index.is_integer()
            || x[0].splat_scalar().is_some()
            || runs.length * of_element.bytes() < LEAST
        {
            return None;
        }
        let (elements, indices) = (self.memory(&x[0]), self.memory(&x[1]));
        let (op, operand) = (op.clone(), x[0].ty.shape.clone());
        let rows = RefCell::new(Some(Rc::new(Rows { op, operand, runs, elements, indices, of_index })));
        let gathered = Rc::new(Gathered { ty: y.clone(), rows, written: RefCell::new(None) });
        Some(self.viewed(View::new(Source::Gathered(gathered), 0, dense(&y.shape), y.clone())))
    }

    /// Writes all rows, for those who read memory.
    pub(super) fn write_gathered(&mut self, gathered: &Gathered) -> Memory {
        let Some(rows) = gathered.rows.take() else { return gathered.written().expect("one of both") };
        let room = self.room(&gathered.ty);
        let of_element = kind(gathered.ty.dtype).expect("put off because it has a kind");
        let memory = [&rows.elements, &rows.indices, &room];
        self.write_runs(&rows.op, &rows.operand, &rows.runs, memory, [of_element, rows.of_index]);
        *gathered.written.borrow_mut() = Some(room.clone());
        room
    }

    /// The number of the first element of a window whose indices lie at an address.
    pub(super) fn window_of(&mut self, rows: &Rows, at: Address) -> Value {
        let of_index = rows.of_index;
        let each = 0..rows.op.indexing.index_map.len();
        let index: Vec<Value> = each
            .map(|k| self.b.load(of_index, Address { offset: at.offset + (k * of_index.bytes()) as i64, ..at }))
            .collect();
        let (at, sizes) = (&rows.op.indexing, &rows.op.slice_sizes);
        self.start_at(at, &rows.operand, sizes, &index, 0, Outside::Moved).element
    }

    /// Where an access is, if it is through indices that are the same wherever it goes from here: in its window.
    pub(super) fn in_window(&mut self, nest: &Nest<'_>, access: usize, bases: &[Value]) -> Value {
        let a = &nest.accesses[access];
        let Some((rows, indices)) = &a.gathered else { return bases[access] };
        let start = self.window_of(rows, Address::at(bases[*indices], 0));
        self.b.pointer(Address { base: bases[access], index: Some((start, a.kind.bytes() as i64)), offset: 0 })
    }
}
