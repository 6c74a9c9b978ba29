//! Products that are put off into a group, with what is computed of their elements: pieces of rows are multiplied, and the loops
//! of the group go through them while they are near ([`super::pieces`]). Products of what comes out of the loops may follow:
//! scores of attention are made, normalized and used piece by piece, and nowhere are all of them.

use super::Lowering;
use super::blocks::BlockKind;
use super::form::{Form, Memory};
use super::group::{Group, Member, Operand, Read, Slot, Step};
use super::lanes::join_cuts;
use super::view::Source;
use crate::rewrite::has_rows;
use std::rc::Rc;
use std::sync::Arc;
use wengert_core::ops::DotGeneral;
use wengert_core::{Dims, Type};
use wengert_eval::kernels::{Products, Real, chains};

/// Results of fewer bytes than this stay near without being taken apart.
const LARGE: usize = 1 << 20;
/// Rows of a piece: at least so many, for the right operand is laid out for each piece, and about so many bytes.
const ROWS: usize = 96;
const PIECE: usize = 1 << 18;
/// Products of each result up to which a piece takes less time to lay out the right operand than the loops save.
const DEEP: usize = 128;
/// So many matrices for each thread are shared well enough, however many are left for the last turn.
const MANY: usize = 4;

/// A product that is put off.
pub(super) struct Held {
    pub(super) kernel: Kernel,
    /// Where the operands lie in memory; none for the one that is a value of the group.
    pub(super) operands: [Option<Memory>; 2],
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
        let rows = group.rows_with(&group.cuts)?;
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
            match join_cuts(&group.cuts, [n, m * n], count).filter(|cuts| fits && group.may_have(cuts)) {
                Some(cuts) => {
                    (group.cuts, group.columns) = (cuts, Some(n));
                    break home;
                }
                None => self.write_group(home),
            }
        };
        let held = Rc::new(Held { kernel: T::kernel(&products), operands: [Some(left), Some(right)] });
        let target = self.targets.first().copied().flatten();
        let slot = Slot::new(ty.clone(), target, None, self.blocks.take(), home);
        slot.again.set(self.again);
        Some(self.add(home, Step::Product(held), Vec::new(), vec![slot]).remove(0))
    }

    /// Puts off a product of an operand that is made of the rows of another product that is put off: it follows the loops of
    /// that group. The rows are multiplied one by one, or their products are added.
    pub(super) fn put_off_after<T: Number>(
        &mut self,
        products: &Arc<Products<T>>,
        op: &DotGeneral,
        x: &[Form; 2],
        ty: &Type,
    ) -> Option<Form> {
        let waits = |side: usize| {
            let slot = x[side].slot.as_ref().filter(|s| !s.is_written() && !s.follows && x[side].scalars.is_none())?;
            let is_across = self.adds_rows(products, side, slot);
            (is_across || side == 0 && self.multiplies_rows(products, op, &x[0].ty, slot))
                .then(|| (side, slot.clone(), is_across))
        };
        let (side, slot, is_across) = [0, 1].into_iter().find_map(waits)?;
        let other = self.memory(&x[1 - side]);
        // That may have written the group.
        if slot.is_written() || !self.groups.all.contains_key(&slot.home.get()) {
            return None;
        }
        let home = slot.home.get();
        let mut operands = [Some(other.clone()), Some(other)];
        operands[side] = None;
        let held = Rc::new(Held { kernel: T::kernel(products), operands });
        let target = self.targets.first().copied().flatten();
        let result = Slot::following(ty.clone(), target, self.blocks.take(), home);
        let step = if is_across { Step::Across(held) } else { Step::After(held) };
        Some(self.add(home, step, vec![Operand::Inside(slot)], vec![result]).remove(0))
    }

    /// The group that a value is put off to, if it is one of all elements of that, and pieces of rows will be done.
    fn group_of_rows(&self, slot: &Slot) -> Option<&Group> {
        let group = self.groups.all.get(&slot.home.get())?;
        (group.count == slot.count() && self.piece_of(group).is_some()).then_some(group)
    }

    /// Whether the left operand of products is whole rows of a group.
    fn multiplies_rows<T: Real>(&self, products: &Products<T>, op: &DotGeneral, ty: &Type, slot: &Slot) -> bool {
        let [m, _, k] = products.sizes();
        let fits = |group: &Group| {
            let cuts = join_cuts(&group.cuts, [m * k], group.count);
            group.columns == Some(k) && cuts.is_some_and(|cuts| cuts == group.cuts)
        };
        has_rows(op, 0, &ty.shape) && products.has_columns_together() && self.group_of_rows(slot).is_some_and(fits)
    }

    /// Whether products sum over the rows of a group, and one thread may go through the rows of a matrix.
    fn adds_rows<T: Real>(&self, products: &Products<T>, side: usize, slot: &Slot) -> bool {
        let k = products.sizes()[2];
        self.group_of_rows(slot).is_some_and(|group| {
            let columns = group.columns.expect("it has products");
            let whole = group.rows_with(&group.cuts) == Some(k) && products.adds_rows_of(side, columns);
            whole && self.are_shared_well(group.count / (k * columns))
        })
    }

    /// Whether threads have about as much to do, each with some of so many matrices.
    pub(super) fn are_shared_well(&self, matrices: usize) -> bool {
        let threads = self.threads.max(1);
        self.piece <= 1 || matrices.is_multiple_of(threads) || matrices >= MANY * threads
    }

    /// Writes the group of a value that is, or reads, the result of a product that follows its loops.
    pub(super) fn write_followed(&mut self, form: &Form) {
        let slot = match (&form.slot, &form.view) {
            (Some(slot), _) => Some(slot.clone()),
            (None, Some(view)) if view.written().is_none() => match view.source() {
                Source::Slot(slot) => Some(slot),
                _ => None,
            },
            _ => None,
        };
        if let Some(slot) = slot.filter(|s| s.follows) {
            self.write_loop_of(&slot);
        }
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
            let inside =
                m.operands.iter().find_map(|x| if let Operand::Inside(s) = x { Some(s.memory()) } else { None });
            let [left, right] =
                [0, 1].map(|i| held.operands[i].as_ref().or(inside.as_ref()).expect("one or the other"));
            match &held.kernel {
                Kernel::F32(products) => self.call_products(products, [left, right, &to]),
                Kernel::F64(products) => self.call_products(products, [left, right, &to]),
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
}
