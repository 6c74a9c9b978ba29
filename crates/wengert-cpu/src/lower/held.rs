//! Products that are put off into a group, with what is computed of their elements: pieces of rows are multiplied, and the loops
//! of the group go through them while they are near. A product of the rows that come out of the loops may follow: scores of
//! attention are made, normalized and used piece by piece, and nowhere are all of them.

use super::Lowering;
use super::blocks::BlockKind;
use super::form::{Form, Memory};
use super::group::{Group, Member, Operand, Read, Slot, Step};
use super::lanes::{dense_bytes, join_cuts};
use super::parallel::Cut;
use super::stages::{Access, Nest};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use wengert_core::ops::DotGeneral;
use wengert_core::{Dims, Type};
use wengert_eval::kernels::{Products, Real, chains};
use wengert_kernel::{Callee, Inst, Kind, Signature, Value};

/// Results of fewer bytes than this stay near without being taken apart.
const LARGE: usize = 1 << 20;
/// Rows of a piece: at least so many, for the right operand is laid out for each piece, and about so many bytes.
const ROWS: usize = 96;
const PIECE: usize = 1 << 18;
/// Products of each result up to which a piece takes less time to lay out the right operand than the loops save.
const DEEP: usize = 128;

/// A product that is put off.
pub(super) struct Held {
    kernel: Kernel,
    /// The left operand where it lies in memory, and the right one.
    left: Option<Memory>,
    right: Memory,
}

/// Products of one element type.
#[derive(Clone)]
pub(super) enum Kernel {
    F32(Arc<Products<f32>>),
    F64(Arc<Products<f64>>),
}

/// An element type of products.
pub(super) trait Number: Real {
    fn kernel(products: &Arc<Products<Self>>) -> Kernel;
}

impl Number for f32 {
    fn kernel(products: &Arc<Products<f32>>) -> Kernel {
        Kernel::F32(products.clone())
    }
}

impl Number for f64 {
    fn kernel(products: &Arc<Products<f64>>) -> Kernel {
        Kernel::F64(products.clone())
    }
}

/// The pieces of a product: what a call of one needs to know.
struct Pieces<T> {
    products: Arc<Products<T>>,
    /// Rows along the axis that is cut, rows of a piece, and pieces along the axis.
    size: usize,
    piece: usize,
    along: usize,
    /// Whether the rows of the left operand, or of the result, are those of the piece alone.
    own: [bool; 2],
}

/// Computes the rows of a piece.
///
/// # Safety
/// As [`Products::run_rows`], for all pieces there are.
unsafe extern "C" fn run<T: Real>(
    pieces: *const Pieces<T>,
    number: u64,
    x: *const T,
    y: *const T,
    out: *mut T,
) -> bool {
    // SAFETY: the function that calls was made with this record.
    let p = unsafe { &*pieces };
    let (around, here) = (number as usize / p.along, number as usize % p.along * p.piece);
    let (first, rows) = (around * p.size + here, p.piece.min(p.size - here));
    let [m, n, _] = p.products.sizes();
    let (matrix, row) = (first / m, first % m);
    // SAFETY: the caller's word.
    unsafe {
        let x = if p.own[0] { x } else { x.offset(p.products.row(matrix, row)) };
        let out = if p.own[1] { out } else { out.add(first * n) };
        p.products.run_rows(matrix, rows, x, y, out);
    }
    true
}

impl Lowering {
    /// The least bytes of a result that is put off, the least rows of a piece, and about how many bytes it has. Where the
    /// smallest pieces are asked for, those are as small as can be.
    fn limits(&self) -> [usize; 3] {
        if self.piece > 1 { [LARGE, ROWS, PIECE] } else { [0, 2, 64] }
    }

    /// The rows of a group with products that are done at a time, along the axis that has so many: none if it has no products,
    /// or is better done without.
    pub(super) fn piece_of(&self, group: &Group) -> Option<[usize; 2]> {
        let columns = group.columns?;
        if group.members.iter().all(|m| m.product().is_some()) {
            return None;
        }
        let [_, least, piece] = self.limits();
        let beyond = group.cuts.iter().copied().find(|&c| c > columns).unwrap_or(group.count);
        let rows = beyond / columns;
        let most = (piece / (4 * columns)).max(least);
        (rows >= least).then(|| [rows.div_ceil(rows.div_ceil(most)), rows])
    }

    /// Puts off a product whose rows are many, and results too many to stay near.
    pub(super) fn put_off_product<T: Number>(
        &mut self,
        products: &Arc<Products<T>>,
        op: &DotGeneral,
        x: &[Form; 2],
        ty: &Type,
    ) -> Option<Form> {
        let [m, n, k] = products.sizes();
        let count = ty.shape.size();
        let [large, least, _] = self.limits();
        let is_worth_it = count * size_of::<T>() >= large && m >= least && n > 1 && (1..=DEEP).contains(&k);
        if !is_worth_it || chains(m, n, k) > 1 || self.own.is_some() {
            return None;
        }
        // Columns are brought together once, and not for each piece.
        let (mut right, mut products) = (x[1].clone(), products.clone());
        if !products.has_columns_together() {
            let free = op.rhs_free(right.ty.rank());
            let order: Dims = op.batch.1.iter().chain(&op.contract.1).chain(&free).copied().collect();
            let (batch, rank) = (op.batch.1.len(), order.len());
            let contract = (batch..rank - free.len()).collect();
            // It is no result of the program.
            let targets = std::mem::take(&mut self.targets);
            right = self.turned(&right, &order);
            self.targets = targets;
            let op = DotGeneral {
                batch: (op.batch.0.clone(), (0..batch).collect()),
                contract: (op.contract.0.clone(), contract),
            };
            products = Arc::new(wengert_eval::kernels::products::<T>(&op, &x[0].ty.shape, &right.ty.shape)?);
            if !products.has_columns_together() {
                return None;
            }
        }
        let (left, right) = (self.memory(&x[0]), self.memory(&right));
        let home = loop {
            let home = self.groups.of_count(count);
            let group = self.groups.all.get_mut(&home).expect("it was found");
            let fits = group.columns.is_none_or(|c| c == n) && group.row.is_none_or(|r| n.is_multiple_of(r));
            match join_cuts(&group.cuts, [n, m * n], count).filter(|_| fits) {
                Some(cuts) => {
                    (group.cuts, group.columns) = (cuts, Some(n));
                    break home;
                }
                None => self.write_group(home),
            }
        };
        let held = Rc::new(Held { kernel: T::kernel(&products), left: Some(left), right });
        let target = self.targets.first().copied().flatten();
        let slot = Slot::new(ty.clone(), target, None, self.blocks.take(), home);
        Some(self.add(home, Step::Product(held), Vec::new(), vec![slot]).remove(0))
    }

    /// Puts off a product whose left operand is made of the rows of another that is put off, until the equation is done.
    pub(super) fn put_off_after<T: Number>(
        &mut self,
        products: &Arc<Products<T>>,
        op: &DotGeneral,
        x: &[Form; 2],
        ty: &Type,
    ) -> Option<Form> {
        let slot = x[0].slot.as_ref().filter(|s| !s.is_written() && x[0].scalars.is_none())?.clone();
        let (m, k) = (products.sizes()[0], products.sizes()[2]);
        let rank = x[0].ty.rank();
        // Rows of the left operand follow each other, and those of the group are whole.
        let last = matches!(op.contract.0[..], [d] if d + 1 == rank);
        let in_order = op.batch.0.iter().copied().eq(0..op.batch.0.len()) && last;
        let home = slot.home.get();
        let fits = |l: &Self| {
            let group = l.groups.all.get(&home).filter(|_| !slot.is_written())?;
            let cuts = join_cuts(&group.cuts, [m * k], group.count)?;
            let whole = group.count == slot.count() && group.columns == Some(k) && cuts == group.cuts;
            (whole && l.piece_of(group).is_some()).then_some(())
        };
        if !in_order || !products.has_columns_together() || fits(self).is_none() {
            return None;
        }
        let right = self.memory(&x[1]);
        fits(self)?;
        let equation = self.blocks.take();
        let held = Rc::new(Held { kernel: T::kernel(products), left: None, right });
        let result = Slot::new(ty.clone(), self.targets.first().copied().flatten(), None, equation, home);
        // The group is written when the equation is done, and no longer holds the rows.
        self.groups.complete = Some(home);
        Some(self.add(home, Step::After(held), vec![Operand::Inside(slot)], vec![result]).remove(0))
    }

    /// Computes the products of a group that are put off, each as a whole: what is computed of their elements reads them from
    /// memory.
    pub(super) fn release_products(&mut self, group: &mut Group) {
        if group.columns.take().is_none() {
            return;
        }
        let products: Vec<Member> = group.members.extract_if(.., |m| m.product().is_some()).collect();
        for m in products {
            let (slot, held) = (&m.results[0], m.product().expect("chosen above"));
            if Rc::strong_count(slot) == 1 {
                continue;
            }
            let interrupted = self.open_block(BlockKind::Kernel, slot.equation.into_iter().collect());
            let to = self.place_of(slot, 0, &mut Vec::new());
            let left = held.left.as_ref().expect("only products of memory are put off without more");
            match &held.kernel {
                Kernel::F32(products) => self.call_products(products, [left, &held.right, &to]),
                Kernel::F64(products) => self.call_products(products, [left, &held.right, &to]),
            }
            *slot.memory.borrow_mut() = Some(to.clone());
            for x in group.members.iter_mut().flat_map(|m| &mut m.operands) {
                if matches!(x, Operand::Inside(s) if Rc::ptr_eq(s, slot)) {
                    *x = Operand::Read(Rc::new(Read::dense(to.clone(), group.count, slot.kind())));
                }
            }
            self.close_block(interrupted);
        }
    }

    /// Writes a group with products: for each piece of rows its products, its loops, and the products that follow.
    pub(super) fn write_with_products(
        &mut self,
        nest: &mut Nest<'_>,
        products: &[Member],
        outside: &HashMap<*const Slot, bool>,
        [piece, size]: [usize; 2],
    ) {
        let columns = nest.group.columns.expect("it has products");
        let inside = |d: usize| nest.sizes[d + 1..].iter().product::<usize>();
        let axis = (0..nest.sizes.len()).rev().find(|&d| inside(d) == columns && nest.sizes[d] == size);
        let axis = axis.expect("a cut of the group");
        // What only the group uses is kept for a piece.
        let kept = products.iter().flat_map(|m| match &m.step {
            Step::Product(_) => vec![m.results[0].clone()],
            _ => m
                .operands
                .iter()
                .filter_map(|x| if let Operand::Inside(s) = x { Some(s.clone()) } else { None })
                .collect(),
        });
        for slot in kept.collect::<Vec<_>>() {
            let key = Rc::as_ptr(&slot);
            let made_here = products.iter().any(|m| Rc::ptr_eq(&m.results[0], &slot));
            if nest.kept.contains_key(&key) || outside[&key] && !made_here {
                continue;
            }
            let is_piece = !outside[&key];
            // What goes into a product may lie where the rows of one before it lay.
            if is_piece
                && !made_here
                && let Some(access) = self.used_up(nest, products, &slot)
            {
                nest.kept.insert(key, access);
                continue;
            }
            let (mut steps, base) = (
                dense_bytes(&nest.sizes, slot.kind()),
                match is_piece {
                    // Its place is found in the piece.
                    true => Value(0),
                    false => {
                        let memory = self.place_of(&slot, 0, &mut Vec::new());
                        let at = self.address(&memory, 0);
                        *slot.memory.borrow_mut() = Some(memory);
                        self.b.pointer(at)
                    }
                },
            );
            if is_piece {
                steps[..axis].fill(0);
            }
            let access = nest.access(Access { is_piece, ..Access::new(slot.kind(), steps) }, base);
            if is_piece {
                nest.own.push((access, piece * columns));
            }
            nest.kept.insert(key, access);
        }
        self.find_places(nest, outside);
        let along = size.div_ceil(piece);
        let calls: Vec<Call> = products.iter().map(|m| self.rows_call(nest, m, [size, piece, along])).collect();
        self.write_cut_with(nest, &Cut { axis, piece }, &mut |l, nest, number, is_after| {
            for call in calls.iter().filter(|c| c.is_after == is_after) {
                let place = |p: Place| match p {
                    Place::At(v) => v,
                    Place::Piece(access) => nest.bases[access],
                };
                let record = l.b.constant(Kind::Ptr, call.record);
                let x = vec![record, number, place(call.left), call.right, place(call.out)];
                l.b.push(Inst::Call { callee: call.callee, x });
            }
        });
    }

    /// The access of a product's rows that are kept for a piece, and read by nothing once this value is written.
    fn used_up(&self, nest: &Nest<'_>, products: &[Member], slot: &Rc<Slot>) -> Option<usize> {
        let last = |of: &Rc<Slot>| {
            let reads = |m: &Member| m.operands.iter().any(|x| matches!(x, Operand::Inside(s) if Rc::ptr_eq(s, of)));
            // What is combined is read after its stage.
            nest.live().filter(|(_, m)| reads(m)).map(|(stage, m)| stage + m.combines() as usize).max()
        };
        let taken = |access: usize| nest.kept.values().filter(|&&a| a == access).count() > 1;
        let before = products.iter().filter(|m| matches!(m.step, Step::Product(_))).map(|m| &m.results[0]);
        let of_piece = before.filter_map(|s| Some((s, *nest.kept.get(&Rc::as_ptr(s))?)));
        let mut free = of_piece.filter(|(s, access)| {
            let fits = nest.accesses[*access].is_piece && s.kind() == slot.kind() && !taken(*access);
            fits && last(s) <= nest.slot_stage.get(&Rc::as_ptr(slot)).copied()
        });
        free.next().map(|(_, access)| access)
    }

    /// What a product needs to be called for each piece.
    fn rows_call(&mut self, nest: &Nest<'_>, m: &Member, [size, piece, along]: [usize; 3]) -> Call {
        let (slot, held) = (&m.results[0], m.product().expect("it is one"));
        let of_slot = |l: &mut Self, slot: &Rc<Slot>| {
            let access = nest.kept[&Rc::as_ptr(slot)];
            match nest.accesses[access].is_piece {
                true => Place::Piece(access),
                false => {
                    let at = l.address(&slot.memory(), 0);
                    Place::At(l.b.pointer(at))
                }
            }
        };
        let left = match (&held.left, &m.operands[..]) {
            (None, [Operand::Inside(left)]) => of_slot(self, left),
            (memory, _) => {
                let at = self.address(memory.as_ref().expect("it lies in memory"), 0);
                Place::At(self.b.pointer(at))
            }
        };
        let is_after = held.left.is_none();
        let out = match is_after {
            true => {
                let memory = self.place_of(slot, 0, &mut Vec::new());
                let at = self.address(&memory, 0);
                *slot.memory.borrow_mut() = Some(memory);
                Place::At(self.b.pointer(at))
            }
            false => of_slot(self, slot),
        };
        let at = self.address(&held.right, 0);
        let right = self.b.pointer(at);
        let own = [left, out].map(|p| matches!(p, Place::Piece(_)));
        let (record, callee) = match &held.kernel {
            Kernel::F32(products) => self.pieces(products, [size, piece, along], own),
            Kernel::F64(products) => self.pieces(products, [size, piece, along], own),
        };
        Call { is_after, record, callee, left, right, out }
    }

    fn pieces<T: Real>(
        &mut self,
        products: &Arc<Products<T>>,
        [size, piece, along]: [usize; 3],
        own: [bool; 2],
    ) -> (u64, Callee) {
        let record = Arc::new(Pieces { products: products.clone(), size, piece, along, own });
        let at = Arc::as_ptr(&record) as u64;
        self.records.push(record);
        // SAFETY: it takes pointers and a number, gives a boolean, keeps none of the pointers, and does not unwind.
        (at, unsafe { Callee::new(run::<T> as *const (), Signature::Kernel) })
    }
}

/// Where rows lie.
#[derive(Clone, Copy)]
enum Place {
    /// All of them, from here on.
    At(Value),
    /// Those of a piece alone, in memory of its own.
    Piece(usize),
}

/// A product that is called for each piece.
struct Call {
    is_after: bool,
    record: u64,
    callee: Callee,
    left: Place,
    right: Value,
    out: Place,
}
