//! Groups with products are written: for each piece of rows its products, its loops, and the products that follow.

use super::Lowering;
use super::form::Memory;
use super::group::{Member, Operand, Slot, Step};
use super::held::Kernel;
use super::lanes::dense_bytes;
use super::parallel::Cut;
use super::stages::{Access, Nest};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use wengert_eval::kernels::{Products, Real};
use wengert_kernel::{Callee, Inst, Kind, Signature, Value};

/// The pieces of a product: what a call of one needs to know.
struct Pieces<T> {
    products: Arc<Products<T>>,
    /// Rows along the axis that is cut, rows of a piece, and pieces along the axis.
    size: usize,
    piece: usize,
    along: usize,
    /// Whether the rows of the left operand, of the right one, or of the result, are those of the piece alone.
    own: [bool; 3],
}

impl<T> Pieces<T> {
    /// Where the rows of a piece are: the number of those along other axes, the first one, and how many there are.
    fn rows(&self, number: u64) -> [usize; 3] {
        let (around, here) = (number as usize / self.along, number as usize % self.along * self.piece);
        [around, here, self.piece.min(self.size - here)]
    }
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
    let [around, here, rows] = p.rows(number);
    let first = around * p.size + here;
    let [m, n, _] = p.products.sizes();
    let (matrix, row) = (first / m, first % m);
    // SAFETY: the caller's word.
    unsafe {
        let x = if p.own[0] { x } else { x.offset(p.products.row(matrix, row)) };
        let out = if p.own[2] { out } else { out.add(first * n) };
        p.products.run_rows(matrix, rows, x, y, out);
    }
    true
}

/// Adds the products of the rows of a piece, which are the rows of a matrix.
///
/// # Safety
/// As [`Products::add_products`], for all pieces of a matrix in their order.
unsafe extern "C" fn add<T: Real>(
    pieces: *const Pieces<T>,
    number: u64,
    x: *const T,
    y: *const T,
    out: *mut T,
    kept: *mut T,
) -> bool {
    // SAFETY: the function that calls was made with this record.
    let p = unsafe { &*pieces };
    let [matrix, here, rows] = p.rows(number);
    let [m, n, _] = p.products.sizes();
    let [left, right] = p.products.from_product(matrix, here);
    // SAFETY: the caller's word.
    unsafe {
        let x = if p.own[0] { x } else { x.offset(left) };
        let y = if p.own[1] { y } else { y.offset(right) };
        p.products.add_products([here, rows], [x, y], out.add(matrix * m * n), kept);
    }
    true
}

impl Lowering {
    /// Writes a group with products. Where products of rows are added, threads share matrices, and else pieces of rows.
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
        let in_order = products.iter().any(|m| matches!(m.step, Step::Across(_)));
        self.write_cut_with(nest, &Cut { axis, piece }, in_order, &mut |l, nest, number, is_after| {
            for call in calls.iter().filter(|c| c.is_after == is_after) {
                let place = |p: Place| match p {
                    Place::At(v) => v,
                    Place::Piece(access) => nest.bases[access],
                };
                let record = l.b.constant(Kind::Ptr, call.record);
                let mut x = vec![record, number];
                x.extend(call.places.iter().map(|&p| place(p)));
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
    fn rows_call(&mut self, nest: &mut Nest<'_>, m: &Member, sizes: [usize; 3]) -> Call {
        let (slot, held) = (&m.results[0], m.product().expect("it is one"));
        let of_slot = |l: &mut Self, slot: &Rc<Slot>| {
            let access = nest.kept[&Rc::as_ptr(slot)];
            match nest.accesses[access].is_piece {
                true => Place::Piece(access),
                false => Place::At(l.pointer_to(&slot.memory())),
            }
        };
        let mut places = Vec::with_capacity(4);
        for memory in &held.operands {
            places.push(match (memory, &m.operands[..]) {
                (Some(memory), _) => Place::At(self.pointer_to(memory)),
                (None, [Operand::Inside(x)]) => of_slot(self, x),
                _ => unreachable!("an operand that does not lie in memory is a value of the group"),
            });
        }
        places.push(match m.follows() {
            true => {
                let memory = self.place_of(slot, 0, &mut Vec::new());
                *slot.memory.borrow_mut() = Some(memory.clone());
                Place::At(self.pointer_to(&memory))
            }
            false => of_slot(self, slot),
        });
        let own = [0, 1, 2].map(|i| matches!(places[i], Place::Piece(_)));
        let is_across = matches!(m.step, Step::Across(_));
        let (record, callee, kept) = match &held.kernel {
            Kernel::F32(products) => self.pieces(products, sizes, own, is_across),
            Kernel::F64(products) => self.pieces(products, sizes, own, is_across),
        };
        if is_across {
            // Each thread keeps these numbers from one piece to the next.
            let access = Access { is_piece: true, ..Access::new(slot.kind(), vec![0; nest.sizes.len()]) };
            let access = nest.access(access, Value(0));
            nest.own.push((access, kept));
            places.push(Place::Piece(access));
        }
        Call { is_after: m.follows(), record, callee, places }
    }

    /// Where memory starts.
    fn pointer_to(&mut self, memory: &Memory) -> Value {
        let at = self.address(memory, 0);
        self.b.pointer(at)
    }

    /// The record of the pieces of a product, what is called with it, and how many numbers that keeps meanwhile.
    fn pieces<T: Real>(
        &mut self,
        products: &Arc<Products<T>>,
        [size, piece, along]: [usize; 3],
        own: [bool; 3],
        is_across: bool,
    ) -> (u64, Callee, usize) {
        let record = Arc::new(Pieces { products: products.clone(), size, piece, along, own });
        let at = Arc::as_ptr(&record) as u64;
        self.records.push(record);
        let function = if is_across { add::<T> as *const () } else { run::<T> as *const () };
        // SAFETY: it takes pointers and a number, gives a boolean, keeps none of the pointers, and does not unwind.
        (at, unsafe { Callee::new(function, Signature::Kernel) }, products.kept_beside())
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
    /// The operands, the result, and what else the function takes.
    places: Vec<Place>,
}
