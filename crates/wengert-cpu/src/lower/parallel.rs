//! Loops on many threads. The body of a loop whose turns do not depend on each other becomes a function of its own, and the
//! turns are its *pieces*: threads take one after the other until none is left. What a piece computes is the same on
//! every thread, so results do not depend on how many there are.

use super::Lowering;
use super::group::{Member, Step};
use super::stages::Nest;
use crate::compiled::Runner;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use wengert_core::Op;
use wengert_core::ops::{Binary as BinaryOp, Unary};
use wengert_eval::kernels::parallel;
use wengert_kernel::{Binary, Callee, Compare, Function, Inst, Kind, Signature, Value};

/// A piece takes about this many nanoseconds, if nothing else is asked for: waking a thread takes as long.
pub(crate) const PIECE: usize = 12_000;
/// So many pieces are enough for a thread: of long loops pieces are larger, which memory is read the better for.
const ENOUGH: usize = 32;
/// Fewer pieces than this are done where they are.
const FEW: usize = 3;
/// The memory of its own that a piece has starts with its number; the rest of that line is not used.
const HEAD: usize = 64;

/// A loop that threads take pieces of.
pub(crate) struct Parallel {
    /// What one piece does: a function of the values it takes from outside, and of memory of its own.
    pub(crate) function: Function,
    pieces: usize,
    /// Bytes of memory of its own that a thread has.
    own: usize,
    threads: usize,
    runner: OnceLock<Runner>,
}

impl Parallel {
    /// Says what runs the function.
    pub(crate) fn set_runner(&self, make: impl FnOnce(&Function) -> Runner) -> &Runner {
        self.runner.get_or_init(|| make(&self.function))
    }

    /// What runs the function, once that is known.
    pub(crate) fn runner(&self) -> Option<&Runner> {
        self.runner.get()
    }
}

/// A pointer for all threads.
#[derive(Clone, Copy)]
struct Shared(*mut u8);

// SAFETY: what lies there is read only, or each thread has a part of it to itself.
unsafe impl Sync for Shared {}

impl Shared {
    fn get(&self) -> *mut u8 {
        self.0
    }
}

/// Runs all pieces.
///
/// # Safety
/// The frame has what the function takes, and there is memory of its own for each thread.
unsafe extern "C" fn run(parallel: *const Parallel, frame: *mut u8, own: *mut u8) -> bool {
    // SAFETY: the function that calls was made with this record.
    let p = unsafe { &*parallel };
    let runner = p.runner().expect("it is set before anything runs");
    let next = AtomicUsize::new(0);
    let (frame, own) = (Shared(frame), Shared(own));
    parallel::each(p.threads, usize::MAX, &|thread| {
        // SAFETY: there is so much memory for each thread.
        let own = unsafe { own.get().add(thread * p.own) };
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= p.pieces {
                break;
            }
            // SAFETY: the memory starts with room for the number. Pieces write what no other reads.
            unsafe {
                own.cast::<u64>().write(piece as u64);
                runner.run(&[frame.get(), own]);
            }
        }
    });
    true
}

/// How a nest is cut: along an axis, in pieces of so many elements of it.
pub(super) struct Cut {
    pub(super) axis: usize,
    pub(super) piece: usize,
}

impl Nest<'_> {
    /// About how many nanoseconds an element takes on one thread.
    pub(super) fn nanoseconds(&self) -> f64 {
        let moved: usize = self.accesses.iter().map(|a| if a.is_number { 0 } else { a.kind.bytes() }).sum();
        let near = if moved * self.group.count > 1 << 20 { 0.08 } else { 0.01 };
        self.live().map(|(_, m)| nanoseconds_of(m)).sum::<f64>() + near * moved as f64
    }

    /// About how many of these a stage takes, without what is moved.
    pub(super) fn nanoseconds_of(&self, stage: usize) -> f64 {
        self.of_stage(stage).into_iter().map(nanoseconds_of).sum()
    }
}

/// About how many nanoseconds an element of a member takes.
fn nanoseconds_of(m: &Member) -> f64 {
    match &m.step {
        Step::Copy => 0.02,
        Step::Reduce { .. } => 0.05,
        Step::Product(_) | Step::After(_) | Step::Across(_) => 0.0,
        Step::Op(op) => match &**op {
            Op::Unary(
                Unary::Abs
                | Unary::Neg
                | Unary::Not
                | Unary::Floor
                | Unary::Ceil
                | Unary::Round
                | Unary::RoundEven
                | Unary::Sign,
            ) => 0.03,
            Op::Unary(Unary::Sqrt | Unary::Rsqrt) => 0.2,
            Op::Unary(_) | Op::Binary(BinaryOp::Pow | BinaryOp::Atan2) => 1.0,
            Op::Binary(BinaryOp::Div | BinaryOp::Rem) => 0.2,
            Op::Threefry(_) => 3.0,
            Op::Binary(BinaryOp::Polygamma) => 10.0,
            _ => 0.03,
        },
    }
}

impl Lowering {
    /// Whether so many nanoseconds of work are worth pieces on threads.
    pub(super) fn is_for_threads(&self, nanoseconds: f64) -> bool {
        self.threads > 1 && self.own.is_none() && nanoseconds >= (FEW * self.piece.max(1)) as f64
    }

    /// How long a piece of so much work takes, in nanoseconds.
    fn of_piece(&self, nanoseconds: f64) -> f64 {
        (self.piece as f64).max(nanoseconds / (self.threads * ENOUGH) as f64)
    }

    /// How the loops of a nest are cut into pieces, if they are worth it. A row that is combined is not cut here.
    pub(super) fn cut(&self, nest: &Nest<'_>) -> Option<Cut> {
        let each = nest.nanoseconds();
        let axes = if nest.group.row.is_some() { nest.outer } else { nest.sizes.len() };
        if !self.is_for_threads(each * nest.group.count as f64) {
            return None;
        }
        let goal = self.of_piece(each * nest.group.count as f64);
        let of = |axis: usize| each * nest.sizes[axis + 1..].iter().product::<usize>() as f64;
        let axis = (0..axes).find(|&d| nest.sizes[d] > 1 && of(d) <= goal).or_else(|| {
            // Pieces are larger then.
            (0..axes).rev().find(|&d| nest.sizes[d] > 1)
        })?;
        let n = nest.sizes[axis];
        let most = (goal / of(axis)).max(1.0) as usize;
        // Pieces of the same size, and whole vectors in them.
        let even = n.div_ceil(n.div_ceil(most));
        let piece = if even > 256 { even.next_multiple_of(64) } else { even };
        let pieces = n.div_ceil(piece) * nest.sizes[..axis].iter().product::<usize>();
        (pieces >= FEW.min(self.threads)).then_some(Cut { axis, piece })
    }

    /// Writes the loops of a nest in pieces.
    pub(super) fn write_cut(&mut self, nest: &mut Nest<'_>, cut: &Cut) {
        self.write_cut_with(nest, cut, false, &mut |_, _, _, _| {});
    }

    /// The same, with something before and after the loops of each piece: `around` is called with the number of the piece and
    /// whether its loops are done. Where it is asked for, the pieces of an axis are done one after the other, by one thread.
    pub(super) fn write_cut_with(
        &mut self,
        nest: &mut Nest<'_>,
        cut: &Cut,
        in_order: bool,
        around: &mut dyn FnMut(&mut Self, &Nest<'_>, Value, bool),
    ) {
        let &Cut { axis, piece } = cut;
        let n = nest.sizes[axis];
        let along = n.div_ceil(piece);
        let outer: Vec<usize> = nest.sizes[..axis].to_vec();
        let axes = outer.iter().product::<usize>();
        let pieces = along * axes;
        self.in_pieces(if in_order { axes } else { pieces }, |l, mut number| {
            l.find_own(nest);
            let mut index = None;
            if in_order {
                l.b.begin();
                let here = *index.insert(l.b.value(Kind::I64));
                let along = l.b.constant(Kind::I64, along as u64);
                let first = l.b.binary(Binary::Mul, number, along);
                number = l.b.binary(Binary::Add, first, here);
            }
            around(l, nest, number, false);
            let (mut outside, here) = l.divided(number, along, pieces > along);
            let mut bases = l.advanced(nest, &nest.bases, axis, here, piece as i64);
            for (d, &size) in outer.iter().enumerate().rev() {
                let (next, index) = l.divided(outside, size, d > 0);
                bases = l.advanced(nest, &bases, d, index, 1);
                outside = next;
            }
            for (i, _) in nest.accesses.iter().enumerate().filter(|(_, a)| a.is_piece) {
                bases[i] = nest.bases[i];
            }
            nest.sizes[..axis].fill(1);
            let write = |l: &mut Self, size: usize| {
                nest.sizes[axis] = size;
                l.write_lines(nest, 0, bases.clone());
            };
            l.write_piece(here, n, piece, write);
            around(l, nest, number, true);
            if let Some(index) = index {
                let body = l.b.end(Vec::new());
                l.repeat(index, along, body);
            }
        });
    }

    /// How many of so many numbers are done at a time, where each takes about so many nanoseconds: all, if threads are not
    /// worth it.
    pub(super) fn run_length(&self, count: usize, nanoseconds: f64) -> usize {
        if !self.is_for_threads(nanoseconds * count as f64) {
            return count;
        }
        let most = (self.of_piece(nanoseconds * count as f64) / nanoseconds).max(1.0) as usize;
        count.div_ceil(count.div_ceil(most))
    }

    /// Writes what is done for so many numbers, `run` at a time, which threads share if there are several runs. `write` writes
    /// what is done for some numbers from one on, or from zero.
    pub(super) fn in_runs(&mut self, count: usize, run: usize, mut write: impl FnMut(&mut Self, Option<Value>, usize)) {
        if run >= count {
            return write(self, None, count);
        }
        let pieces = count.div_ceil(run);
        self.in_pieces(pieces, |l, piece| {
            let size = l.b.constant(Kind::I64, run as u64);
            let first = Some(l.b.binary(Binary::Mul, piece, size));
            l.write_piece(piece, count, run, |l, size| write(l, first, size));
        });
    }

    /// Writes the piece of a number, of `size` out of `all`: the last one has what remains.
    fn write_piece(&mut self, number: Value, all: usize, size: usize, mut write: impl FnMut(&mut Self, usize)) {
        if all.is_multiple_of(size) {
            return write(self, size);
        }
        let last = self.b.constant(Kind::I64, (all / size) as u64);
        let condition = self.b.compare(Compare::Eq, number, last);
        self.b.begin();
        write(self, all % size);
        let then = self.b.end(Vec::new());
        self.b.begin();
        write(self, size);
        let otherwise = self.b.end(Vec::new());
        self.b.push(Inst::If { condition, then, otherwise, y: Vec::new() });
    }

    /// A number divided by another, and what remains; if it may be as large as that.
    fn divided(&mut self, x: Value, by: usize, is_large: bool) -> (Value, Value) {
        if !is_large {
            return (x, x);
        }
        let by = self.b.constant(Kind::I64, by as u64);
        (self.b.binary(Binary::Div, x, by), self.b.binary(Binary::Rem, x, by))
    }

    /// Writes what is done for each number below `pieces`, in any order and by several threads at once. Rooms that are taken
    /// meanwhile each thread has for itself.
    pub(super) fn in_pieces(&mut self, pieces: usize, write: impl FnOnce(&mut Self, Value)) {
        let (number, memory) = (self.b.value(Kind::I64), self.b.value(Kind::Ptr));
        let rooms = std::mem::take(&mut self.rooms);
        self.own = Some(memory);
        let head = self.rooms.take(HEAD);
        self.b.begin();
        write(self, number);
        let body = self.b.end(Vec::new());
        let own = std::mem::replace(&mut self.rooms, rooms).bytes();
        drop(head);
        self.own = None;
        let name = format!("piece_{}", self.parallel.len());
        let outlined = self.b.outline(body, number, memory, name);
        let (frame, all) = (self.temporary(8 * outlined.captured.len()), self.temporary(own * self.threads));
        for (i, &v) in outlined.captured.iter().enumerate() {
            let at = self.address(&frame, 8 * i as i64);
            self.b.store(v, at);
        }
        let (function, threads) = (outlined.function, self.threads);
        let record = Arc::new(Parallel { function, pieces, own, threads, runner: OnceLock::new() });
        let mut x = vec![self.b.constant(Kind::Ptr, Arc::as_ptr(&record) as u64)];
        for memory in [frame, all] {
            let at = self.address(&memory, 0);
            x.push(self.b.pointer(at));
        }
        // SAFETY: it takes three pointers, gives a boolean, keeps none of the pointers, and does not unwind.
        let callee = unsafe { Callee::new(run as *const (), Signature::Kernel) };
        self.b.push(Inst::Call { callee, x });
        self.parallel.push(record);
    }
}
